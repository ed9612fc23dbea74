//! Destructuring, of bindings and of assignment targets.

use codemode_bytecode::{NO_STRING, Opcode};
use oxc_ast::ast::*;
use oxc_span::{GetSpan, Span};

use super::{Control, Lowering, literal::Key, member::Member};
use crate::{
    emit::{Region, Register},
    error::{Failure, Result},
};

/// Most properties of an object pattern with a rest element: their keys are collected in registers.
const MAX_REST_KEYS: usize = 80;

/// A destructuring target whose parts are evaluated.
enum Target<'n, 'a> {
    Identifier(&'n IdentifierReference<'a>),
    Member(Member),
    Pattern(&'n AssignmentTarget<'a>),
}

/// An array pattern at work.
struct ArrayWork {
    record: Register,
    saved: Option<Register>,
}

impl<'a> Lowering<'a> {
    /// Initialises the bindings of a pattern from `R[value]`.
    pub(super) fn bind_pattern(&mut self, pattern: &BindingPattern<'a>, value: Register) -> Result<()> {
        match pattern {
            BindingPattern::BindingIdentifier(identifier) => {
                if let Some(id) = self.declared(identifier.name.as_str()) {
                    self.f.at(identifier.span.start);
                    self.initialize(id, value)?;
                }
                Ok(())
            }
            BindingPattern::AssignmentPattern(assignment) => {
                let mark = self.f.mark();
                let name = self.pattern_name(&assignment.left);
                if self.pattern_register(&assignment.left)? == value {
                    // The part came straight to the variable.
                    self.default_in(value, &assignment.right, name)?;
                } else {
                    let value = self.with_default(value, &assignment.right, name)?;
                    self.bind_pattern(&assignment.left, value)?;
                }
                self.f.release(mark);
                Ok(())
            }
            BindingPattern::ObjectPattern(object) => {
                let mark = self.f.mark();
                let first = object.properties.first().and_then(|property| property.key.static_name());
                self.require_coercible(value, object.span, first.as_deref());
                let rest = object.rest.as_ref();
                let keys = self.rest_keys(rest.is_some(), object.properties.len(), object.span)?;
                for (index, property) in object.properties.iter().enumerate() {
                    let mark = self.f.mark();
                    let to = self.pattern_register(&property.value)?;
                    let key = self.property_key(&property.key, property.computed)?;
                    self.get_key(to, value, &key, property.key.span().start);
                    self.keep_key(keys, index, &key);
                    self.bind_pattern(&property.value, to)?;
                    self.f.release(mark);
                }
                if let (Some(rest), Some(keys)) = (rest, keys) {
                    let to = self.pattern_register(&rest.argument)?;
                    self.copy_rest(to, value, keys, object.properties.len());
                    self.bind_pattern(&rest.argument, to)?;
                }
                self.f.release(mark);
                Ok(())
            }
            BindingPattern::ArrayPattern(array) => {
                let mark = self.f.mark();
                let work = self.begin_array(value, array.span)?;
                for element in &array.elements {
                    let mark = self.f.mark();
                    match element {
                        Some(pattern) => {
                            let to = self.pattern_register(pattern)?;
                            self.f.at(pattern.span().start);
                            self.f.emit(Opcode::IteratorNextOrUndefined, work.record, to, 0, 0);
                            self.bind_pattern(pattern, to)?;
                        }
                        None => self.skip_element(&work)?,
                    }
                    self.f.release(mark);
                }
                if let Some(rest) = &array.rest {
                    let to = self.pattern_register(&rest.argument)?;
                    self.collect_rest(&work, to)?;
                    self.bind_pattern(&rest.argument, to)?;
                }
                self.end_array(work)?;
                self.f.release(mark);
                Ok(())
            }
        }
    }

    /// Where a part of a value goes: to the variable's own register when it is a plain local, else to a temporary.
    fn pattern_register(&mut self, pattern: &BindingPattern<'a>) -> Result<Register> {
        let target = match pattern {
            BindingPattern::AssignmentPattern(assignment) => &assignment.left,
            pattern => pattern,
        };
        if let BindingPattern::BindingIdentifier(identifier) = target
            && let Some(id) = self.declared(identifier.name.as_str())
            && !self.plan.binding(id).needs_dead_zone
            && let Some(register) = self.binding_register(id)
        {
            return Ok(register);
        }
        self.f.temp()
    }

    /// Assigns `R[value]` to a pattern.
    pub(super) fn assign_pattern(&mut self, target: &AssignmentTarget<'a>, value: Register) -> Result<()> {
        match target {
            AssignmentTarget::ObjectAssignmentTarget(object) => {
                let mark = self.f.mark();
                let first = object.properties.first().and_then(|property| match property {
                    AssignmentTargetProperty::AssignmentTargetPropertyIdentifier(property) => {
                        Some(property.binding.name.as_str().into())
                    }
                    AssignmentTargetProperty::AssignmentTargetPropertyProperty(property) => property.name.static_name(),
                });
                self.require_coercible(value, object.span, first.as_deref());
                let rest = object.rest.as_ref();
                let keys = self.rest_keys(rest.is_some(), object.properties.len(), object.span)?;
                for (index, property) in object.properties.iter().enumerate() {
                    let mark = self.f.mark();
                    self.assign_property(property, value, keys, index)?;
                    self.f.release(mark);
                }
                if let (Some(rest), Some(keys)) = (rest, keys) {
                    let target = self.prepare(&rest.target)?;
                    let to = self.f.temp()?;
                    self.copy_rest(to, value, keys, object.properties.len());
                    self.assign_prepared(&target, to)?;
                }
                self.f.release(mark);
                Ok(())
            }
            AssignmentTarget::ArrayAssignmentTarget(array) => {
                let mark = self.f.mark();
                let work = self.begin_array(value, array.span)?;
                for element in &array.elements {
                    let mark = self.f.mark();
                    match element {
                        Some(element) => {
                            let (target, default) = self.prepare_maybe_default(element)?;
                            let value = self.f.temp()?;
                            self.f.at(element.span().start);
                            self.f.emit(Opcode::IteratorNextOrUndefined, work.record, value, 0, 0);
                            self.assign_with_default(&target, value, default)?;
                        }
                        None => self.skip_element(&work)?,
                    }
                    self.f.release(mark);
                }
                if let Some(rest) = &array.rest {
                    let target = self.prepare(&rest.target)?;
                    let to = self.f.temp()?;
                    self.collect_rest(&work, to)?;
                    self.assign_prepared(&target, to)?;
                }
                self.end_array(work)?;
                self.f.release(mark);
                Ok(())
            }
            _ => self.assign_target(target, value),
        }
    }

    /// Assigns `R[value]` to any target.
    pub(super) fn assign_target(&mut self, target: &AssignmentTarget<'a>, value: Register) -> Result<()> {
        let mark = self.f.mark();
        let target = self.prepare(target)?;
        self.assign_prepared(&target, value)?;
        self.f.release(mark);
        Ok(())
    }

    fn assign_property(
        &mut self,
        property: &AssignmentTargetProperty<'a>,
        source: Register,
        keys: Option<Register>,
        index: usize,
    ) -> Result<()> {
        match property {
            AssignmentTargetProperty::AssignmentTargetPropertyIdentifier(property) => {
                let name = property.binding.name.as_str();
                let key = Key::Name(name.into());
                let value = self.f.temp()?;
                self.get_key(value, source, &key, property.binding.span.start);
                self.keep_key(keys, index, &key);
                self.assign_with_default(&Target::Identifier(&property.binding), value, property.init.as_ref())
            }
            AssignmentTargetProperty::AssignmentTargetPropertyProperty(property) => {
                let key = self.property_key(&property.name, property.computed)?;
                self.keep_key(keys, index, &key);
                let (target, default) = self.prepare_maybe_default(&property.binding)?;
                let value = self.f.temp()?;
                self.get_key(value, source, &key, property.name.span().start);
                self.assign_with_default(&target, value, default)
            }
        }
    }

    fn prepare<'n>(&mut self, target: &'n AssignmentTarget<'a>) -> Result<Target<'n, 'a>> {
        match target {
            AssignmentTarget::ObjectAssignmentTarget(_) | AssignmentTarget::ArrayAssignmentTarget(_) => {
                Ok(Target::Pattern(target))
            }
            _ => {
                let Some(simple) = target.as_simple_assignment_target() else {
                    return self.fail(target.span().start, "Invalid destructuring assignment target");
                };
                match self.target_identifier(simple) {
                    Some(identifier) => Ok(Target::Identifier(identifier)),
                    None => {
                        // What a default or a later element assigns must not change the object of this target.
                        Ok(Target::Member(self.member_target_before(simple, Some(Span::new(0, u32::MAX)))?))
                    }
                }
            }
        }
    }

    fn prepare_maybe_default<'n>(
        &mut self,
        target: &'n AssignmentTargetMaybeDefault<'a>,
    ) -> Result<(Target<'n, 'a>, Option<&'n Expression<'a>>)> {
        match target {
            AssignmentTargetMaybeDefault::AssignmentTargetWithDefault(node) => {
                Ok((self.prepare(&node.binding)?, Some(&node.init)))
            }
            _ => match target.as_assignment_target() {
                Some(target) => Ok((self.prepare(target)?, None)),
                None => self.fail(target.span().start, "Invalid destructuring assignment target"),
            },
        }
    }

    fn assign_with_default(
        &mut self,
        target: &Target<'_, 'a>,
        value: Register,
        default: Option<&Expression<'a>>,
    ) -> Result<()> {
        let value = match default {
            Some(default) => {
                let name = match target {
                    Target::Identifier(identifier) => self.string(identifier.name.as_str()),
                    _ => NO_STRING,
                };
                self.with_default(value, default, name)?
            }
            None => value,
        };
        self.assign_prepared(target, value)
    }

    fn assign_prepared(&mut self, target: &Target<'_, 'a>, value: Register) -> Result<()> {
        match target {
            Target::Identifier(identifier) => self.store_identifier(identifier, value),
            Target::Member(member) => self.set_member(member, value),
            Target::Pattern(pattern) => self.assign_pattern(pattern, value),
        }
    }

    /// The register of `R[value]`, or of the default when that is undefined.
    fn with_default(&mut self, value: Register, default: &Expression<'a>, name: u32) -> Result<Register> {
        let result = if self.f.is_local(value) {
            let temp = self.f.temp()?;
            self.f.move_register(temp, value);
            temp
        } else {
            value
        };
        self.default_in(result, default, name)?;
        Ok(result)
    }

    /// Replaces `R[value]` by the default when it is undefined.
    fn default_in(&mut self, value: Register, default: &Expression<'a>, name: u32) -> Result<()> {
        let present = self.f.label();
        self.f.jump(Opcode::JumpIfNotUndefined, value, 0, 0, present);
        self.named_to(default, value, name)?;
        self.f.bind(present);
        Ok(())
    }

    fn require_coercible(&mut self, value: Register, pattern: Span, first_key: Option<&str>) {
        let source = match self.destructured.take() {
            Some(text) => self.unit.text(text).to_owned(),
            None => "{}".into(),
        };
        let text = match first_key {
            Some(key) => format!("Cannot destructure property '{key}' of '{source}' as it is {{}}."),
            None => format!("Cannot destructure '{source}' as it is {{}}."),
        };
        let text = self.string(&text);
        self.f.at(pattern.start);
        self.f.emit(Opcode::RequireObjectCoercible, value, 0, 0, text);
    }

    fn get_key(&mut self, to: Register, source: Register, key: &Key, offset: u32) {
        match key {
            Key::Name(name) => self.get_named(to, source, name, offset),
            Key::Register(key) => {
                self.f.at(offset);
                self.f.emit(Opcode::GetElem, to, source, *key, 0);
            }
        }
    }

    /// Registers for the keys that a rest element leaves out.
    fn rest_keys(&mut self, has_rest: bool, count: usize, span: Span) -> Result<Option<Register>> {
        if !has_rest {
            return Ok(None);
        }
        if count > MAX_REST_KEYS {
            return Err(Failure::complex(span.start, "The pattern has too many properties before its rest element"));
        }
        // At least one, so that the run has a valid start.
        self.f.temps(count.max(1)).map(Some)
    }

    fn keep_key(&mut self, keys: Option<Register>, index: usize, key: &Key) {
        let Some(keys) = keys else { return };
        match key {
            Key::Name(name) => self.load_string(keys + index as u8, name),
            Key::Register(register) => self.f.move_register(keys + index as u8, *register),
        }
    }

    fn copy_rest(&mut self, to: Register, source: Register, keys: Register, count: usize) {
        // The target is complete only after the copy, so a variable's register is not used for it.
        self.f.emit(Opcode::NewObject, to, 0, 0, 0);
        self.f.emit(Opcode::CopyDataProperties, to, source, keys, count as u32);
    }

    fn begin_array(&mut self, value: Register, span: Span) -> Result<ArrayWork> {
        let record = self.f.temps(3)?;
        self.f.at(span.start);
        let text = self.destructured.take().unwrap_or(NO_STRING);
        self.f.emit(Opcode::GetIterator, record, value, 0, text);
        let saved = self.save_env(span.start, span.end)?;
        let region: Region = self.f.open_region();
        self.f.control.push(Control::Iterator { record, is_async: false, region });
        Ok(ArrayWork { record, saved })
    }

    fn end_array(&mut self, work: ArrayWork) -> Result<()> {
        let region = self.pop_region();
        let end = self.f.label();
        self.f.emit(Opcode::IteratorClose, work.record, 0, 0, 0);
        self.f.jump(Opcode::Jump, 0, 0, 0, end);
        self.close_on_throw(region, work.record, false, work.saved)?;
        self.f.bind(end);
        Ok(())
    }

    fn skip_element(&mut self, work: &ArrayWork) -> Result<()> {
        let mark = self.f.mark();
        let ignored = self.f.temp()?;
        self.f.emit(Opcode::IteratorNextOrUndefined, work.record, ignored, 0, 0);
        self.f.release(mark);
        Ok(())
    }

    /// `R[to]` = array of the remaining elements.
    fn collect_rest(&mut self, work: &ArrayWork, to: Register) -> Result<()> {
        let mark = self.f.mark();
        let value = self.f.temp()?;
        let (top, end) = (self.f.label(), self.f.label());
        self.f.emit(Opcode::NewArray, to, to, 0, 0);
        self.f.bind(top);
        // A record that is done already jumps at once.
        self.f.jump(Opcode::IteratorNext, work.record, value, 0, end);
        self.f.emit(Opcode::ArrayPush, to, value, 0, 0);
        self.f.jump(Opcode::JumpLoop, 0, 0, 0, top);
        self.f.bind(end);
        self.f.release(mark);
        Ok(())
    }
}
