//! Properties: reading, writing, deleting, `super`, optional chains.

use codemode_bytecode::{ErrorKind, Opcode};
use oxc_ast::ast::*;
use oxc_span::{GetSpan, Span};

use super::{Lowering, is_array_index};
use crate::{
    emit::Register,
    error::Result,
    scope::{ScopeKind, Storage},
};

/// A property reference whose parts are evaluated.
pub(super) enum Member {
    /// `object.name`
    Named { object: Register, name: String, offset: u32 },
    /// `object[key]`
    Keyed { object: Register, key: Register, offset: u32 },
    /// `object.#name`
    Private { object: Register, symbol: Register, offset: u32 },
    /// `super[key]`: the prototype of the home object, and this.
    Super { prototype: Register, key: Register, this: Register, offset: u32 },
}

impl<'a> Lowering<'a> {
    pub(super) fn static_member(&mut self, member: &StaticMemberExpression<'a>, to: Register) -> Result<()> {
        if member.object.is_super() {
            let target = self.super_member(Some(member.property.name.as_str()), None, member.property.span.start)?;
            return self.get_member(&target, to);
        }
        let object = self.operand_using(&member.object, None, to)?;
        if member.optional {
            self.optional(object);
        }
        self.get_named(to, object, member.property.name.as_str(), member.property.span.start);
        Ok(())
    }

    pub(super) fn computed_member(&mut self, member: &ComputedMemberExpression<'a>, to: Register) -> Result<()> {
        if member.object.is_super() {
            let target = self.super_member(None, Some(&member.expression), member.span.start)?;
            return self.get_member(&target, to);
        }
        let object = self.operand_using(&member.object, Some(member.expression.span()), to)?;
        if member.optional {
            self.optional(object);
        }
        if let Some(name) = static_key(&member.expression) {
            self.get_named(to, object, &name, member.expression.span().start);
            return Ok(());
        }
        let key = self.operand(&member.expression, None)?;
        self.f.at(member.expression.span().start);
        self.f.emit(Opcode::GetElem, to, object, key, 0);
        Ok(())
    }

    pub(super) fn private_member(&mut self, member: &PrivateFieldExpression<'a>, to: Register) -> Result<()> {
        let object = self.operand_using(&member.object, None, to)?;
        if member.optional {
            self.optional(object);
        }
        let symbol = self.private_symbol(&member.field)?;
        self.get_private(to, object, symbol, member.field.span.start, member.field.name.as_str());
        Ok(())
    }

    /// A register with the symbol of a private name.
    pub(super) fn private_symbol(&mut self, name: &PrivateIdentifier<'a>) -> Result<Register> {
        let Some(binding) = self.plan.private_name(self.scope, name.name.as_str()) else {
            return self.fail(name.span.start, format!("Private field '#{}' is not declared", name.name));
        };
        if let Storage::Register(Some(register)) = self.plan.binding(binding).storage {
            return Ok(register);
        }
        let temp = self.f.temp()?;
        self.load_binding(binding, false, temp)?;
        Ok(temp)
    }

    pub(super) fn private_in(&mut self, node: &PrivateInExpression<'a>, to: Register) -> Result<()> {
        let symbol = self.private_symbol(&node.left)?;
        let object = self.operand(&node.right, None)?;
        self.f.at(node.span.start);
        self.f.emit(Opcode::HasPrivate, to, symbol, object, 0);
        Ok(())
    }

    pub(super) fn get_named(&mut self, to: Register, object: Register, name: &str, offset: u32) {
        self.f.at(offset);
        let op = if name == "length" { Opcode::GetLength } else { Opcode::GetProp };
        let site = self.site(name);
        self.f.emit(op, to, object, 0, site);
    }

    fn get_private(&mut self, to: Register, object: Register, symbol: Register, offset: u32, name: &str) {
        self.f.at(offset);
        let site = self.site(&format!("#{name}"));
        self.f.emit(Opcode::GetPrivate, to, object, symbol, site);
    }

    /// In an optional chain: the whole chain is undefined when the object is nullish.
    pub(super) fn optional(&mut self, object: Register) {
        if let Some(&exit) = self.chain_exits.last() {
            self.f.jump(Opcode::JumpIfNullish, object, 0, 0, exit);
        }
    }

    pub(super) fn chain(&mut self, chain: &ChainExpression<'a>, to: Register) -> Result<()> {
        let (exit, end) = (self.f.label(), self.f.label());
        self.chain_exits.push(exit);
        let mark = self.f.mark();
        match &chain.expression {
            ChainElement::CallExpression(call) => self.call(call, to)?,
            ChainElement::TSNonNullExpression(node) => self.expression_to(&node.expression, to)?,
            ChainElement::StaticMemberExpression(member) => self.static_member(member, to)?,
            ChainElement::ComputedMemberExpression(member) => self.computed_member(member, to)?,
            ChainElement::PrivateFieldExpression(member) => self.private_member(member, to)?,
        }
        self.f.release(mark);
        self.chain_exits.pop();
        self.f.jump(Opcode::Jump, 0, 0, 0, end);
        self.f.bind(exit);
        self.f.emit(Opcode::LoadUndefined, to, 0, 0, 0);
        self.f.bind(end);
        Ok(())
    }

    /// The identifier that an assignment target is, type assertions aside.
    pub(super) fn target_identifier<'n>(
        &self,
        target: &'n SimpleAssignmentTarget<'a>,
    ) -> Option<&'n IdentifierReference<'a>> {
        match target {
            SimpleAssignmentTarget::AssignmentTargetIdentifier(identifier) => Some(identifier),
            _ => match target.get_expression()?.get_inner_expression() {
                Expression::Identifier(identifier) => Some(identifier),
                _ => None,
            },
        }
    }

    /// Evaluates the parts of a target that is a property.
    pub(super) fn member_target(&mut self, target: &SimpleAssignmentTarget<'a>) -> Result<Member> {
        self.member_target_before(target, None)
    }

    /// As [`Lowering::member_target`]; code in `later` runs before the property is written.
    pub(super) fn member_target_before(
        &mut self,
        target: &SimpleAssignmentTarget<'a>,
        later: Option<Span>,
    ) -> Result<Member> {
        match target {
            SimpleAssignmentTarget::StaticMemberExpression(member) => self.static_target(member, later),
            SimpleAssignmentTarget::ComputedMemberExpression(member) => self.computed_target(member, later),
            SimpleAssignmentTarget::PrivateFieldExpression(member) => self.private_target(member, later),
            _ => match target.get_expression().map(|expression| expression.get_inner_expression()) {
                Some(Expression::StaticMemberExpression(member)) => self.static_target(member, later),
                Some(Expression::ComputedMemberExpression(member)) => self.computed_target(member, later),
                Some(Expression::PrivateFieldExpression(member)) => self.private_target(member, later),
                _ => self.fail(target.span().start, "Invalid left-hand side in assignment"),
            },
        }
    }

    fn static_target(&mut self, member: &StaticMemberExpression<'a>, later: Option<Span>) -> Result<Member> {
        let offset = member.property.span.start;
        if member.object.is_super() {
            return self.super_member(Some(member.property.name.as_str()), None, offset);
        }
        let object = self.operand(&member.object, later)?;
        Ok(Member::Named { object, name: member.property.name.to_string(), offset })
    }

    fn computed_target(&mut self, member: &ComputedMemberExpression<'a>, later: Option<Span>) -> Result<Member> {
        let offset = member.expression.span().start;
        if member.object.is_super() {
            return self.super_member(None, Some(&member.expression), offset);
        }
        let key_span = member.expression.span();
        let until =
            later.map_or(key_span, |span| Span::new(key_span.start.min(span.start), key_span.end.max(span.end)));
        let object = self.operand(&member.object, Some(until))?;
        if let Some(name) = static_key(&member.expression) {
            return Ok(Member::Named { object, name, offset });
        }
        let key = self.operand(&member.expression, later)?;
        Ok(Member::Keyed { object, key, offset })
    }

    fn private_target(&mut self, member: &PrivateFieldExpression<'a>, later: Option<Span>) -> Result<Member> {
        let object = self.operand(&member.object, later)?;
        let symbol = self.private_symbol(&member.field)?;
        Ok(Member::Private { object, symbol, offset: member.field.span.start })
    }

    pub(super) fn get_member(&mut self, member: &Member, to: Register) -> Result<()> {
        match *member {
            Member::Named { object, ref name, offset } => self.get_named(to, object, name, offset),
            Member::Keyed { object, key, offset } => {
                self.f.at(offset);
                self.f.emit(Opcode::GetElem, to, object, key, 0);
            }
            Member::Private { object, symbol, offset } => {
                self.f.at(offset);
                let site = self.site("#");
                self.f.emit(Opcode::GetPrivate, to, object, symbol, site);
            }
            Member::Super { prototype, key, this, offset } => {
                self.f.at(offset);
                self.f.emit(Opcode::GetSuper, to, prototype, key, this as u32);
            }
        }
        Ok(())
    }

    pub(super) fn set_member(&mut self, member: &Member, from: Register) -> Result<()> {
        match *member {
            Member::Named { object, ref name, offset } => {
                self.f.at(offset);
                let site = self.site(name);
                self.f.emit(Opcode::SetProp, object, from, 0, site);
            }
            Member::Keyed { object, key, offset } => {
                self.f.at(offset);
                self.f.emit(Opcode::SetElem, object, key, from, 0);
            }
            Member::Private { object, symbol, offset } => {
                self.f.at(offset);
                let site = self.site("#");
                self.f.emit(Opcode::SetPrivate, object, symbol, from, site);
            }
            Member::Super { prototype, key, this, offset } => {
                self.f.at(offset);
                self.f.emit(Opcode::SetSuper, prototype, key, from, this as u32);
            }
        }
        Ok(())
    }

    /// Makes the key of a compound assignment a property key, so that it is converted once only.
    pub(super) fn convert_key(&mut self, member: &mut Member) -> Result<()> {
        if let Member::Keyed { key, offset, .. } = member {
            let temp = if self.f.is_local(*key) { self.f.temp()? } else { *key };
            self.f.at(*offset);
            self.f.emit(Opcode::ToPropertyKey, temp, *key, 0, 0);
            *key = temp;
        }
        Ok(())
    }

    /// Evaluates `super.name` or `super[key]`.
    pub(super) fn super_member(
        &mut self,
        name: Option<&str>,
        key: Option<&Expression<'a>>,
        offset: u32,
    ) -> Result<Member> {
        let owner = self.plan.this_root(self.scope);
        if matches!(self.plan.scope(owner).kind, ScopeKind::Entry) {
            return self.fail(offset, "'super' keyword unexpected here");
        }
        let (this, key_register, prototype) = (self.f.temp()?, self.f.temp()?, self.f.temp()?);
        self.this(offset, this)?;
        match (name, key) {
            (Some(name), _) => self.load_string(key_register, name),
            (None, Some(key)) => {
                self.expression_to(key, key_register)?;
                self.f.at(offset);
            }
            (None, None) => {}
        }
        self.pseudo_to("%home", prototype, Opcode::LoadHomeObject)?;
        self.f.at(offset);
        self.f.emit(Opcode::GetPrototype, prototype, prototype, 0, 0);
        if key.is_some() {
            self.f.emit(Opcode::ToPropertyKey, key_register, key_register, 0, 0);
        }
        Ok(Member::Super { prototype, key: key_register, this, offset })
    }

    pub(super) fn delete(&mut self, argument: &Expression<'a>, span: Span, to: Register) -> Result<()> {
        match argument {
            Expression::StaticMemberExpression(member) if !member.object.is_super() => {
                let object = self.operand(&member.object, None)?;
                if member.optional {
                    self.optional(object);
                }
                self.delete_named(to, object, member.property.name.as_str(), member.property.span.start)
            }
            Expression::ComputedMemberExpression(member) if !member.object.is_super() => {
                let object = self.operand(&member.object, Some(member.expression.span()))?;
                if member.optional {
                    self.optional(object);
                }
                let key = self.operand(&member.expression, None)?;
                self.f.at(member.expression.span().start);
                self.f.emit(Opcode::DeleteElem, to, object, key, 0);
                Ok(())
            }
            Expression::StaticMemberExpression(_) | Expression::ComputedMemberExpression(_) => {
                self.effect(argument)?;
                self.f.at(span.start);
                self.throw_error(ErrorKind::Reference, "Unsupported reference to 'super'");
                Ok(())
            }
            Expression::PrivateFieldExpression(_) => {
                self.fail(argument.span().start, "Private fields can not be deleted")
            }
            Expression::ChainExpression(chain) => {
                let (exit, end) = (self.f.label(), self.f.label());
                self.chain_exits.push(exit);
                let mark = self.f.mark();
                let result = match &chain.expression {
                    ChainElement::StaticMemberExpression(member) => {
                        let object = self.operand(&member.object, None)?;
                        if member.optional {
                            self.optional(object);
                        }
                        self.delete_named(to, object, member.property.name.as_str(), member.property.span.start)
                    }
                    ChainElement::ComputedMemberExpression(member) => {
                        let object = self.operand(&member.object, Some(member.expression.span()))?;
                        if member.optional {
                            self.optional(object);
                        }
                        let key = self.operand(&member.expression, None)?;
                        self.f.at(member.expression.span().start);
                        self.f.emit(Opcode::DeleteElem, to, object, key, 0);
                        Ok(())
                    }
                    ChainElement::PrivateFieldExpression(member) => {
                        self.fail(member.span.start, "Private fields can not be deleted")
                    }
                    ChainElement::CallExpression(call) => {
                        self.call(call, to)?;
                        self.f.emit(Opcode::LoadTrue, to, 0, 0, 0);
                        Ok(())
                    }
                    ChainElement::TSNonNullExpression(node) => self.delete(&node.expression, node.span, to),
                };
                self.f.release(mark);
                self.chain_exits.pop();
                result?;
                self.f.jump(Opcode::Jump, 0, 0, 0, end);
                self.f.bind(exit);
                self.f.emit(Opcode::LoadTrue, to, 0, 0, 0);
                self.f.bind(end);
                Ok(())
            }
            Expression::Identifier(identifier) => {
                if self.is_strict() {
                    return self.fail(span.start, "Delete of an unqualified identifier in strict mode.");
                }
                let (binding, _) = self.resolved(identifier);
                if binding.is_none_or(|binding| self.plan.binding(binding).storage == Storage::Global) {
                    let name = self.string(identifier.name.as_str());
                    self.f.emit(Opcode::DeleteGlobal, to, 0, 0, name);
                } else {
                    self.f.emit(Opcode::LoadFalse, to, 0, 0, 0);
                }
                Ok(())
            }
            _ => {
                self.effect(argument)?;
                self.f.emit(Opcode::LoadTrue, to, 0, 0, 0);
                Ok(())
            }
        }
    }

    fn delete_named(&mut self, to: Register, object: Register, name: &str, offset: u32) -> Result<()> {
        self.f.at(offset);
        let name = self.string(name);
        self.f.emit(Opcode::DeleteProp, to, object, 0, name);
        Ok(())
    }

    /// `R[to]` = this.
    pub(super) fn this(&mut self, offset: u32, to: Register) -> Result<()> {
        if let Some(register) = self.f.this_register {
            self.f.move_register(to, register);
            return Ok(());
        }
        let owner = self.plan.this_root(self.scope);
        let here = self.plan.scope(self.scope).root;
        let captured = self.plan.scope(owner).names.get("this").copied();
        let in_derived = self.is_derived_constructor(owner);
        self.f.at(offset);
        match captured {
            // When arrow functions may call super(), only the captured binding knows whether this is bound.
            Some(binding) if here != owner || (in_derived && self.plan.function(owner).super_call_in_arrow) => {
                let mark = self.f.mark();
                let this = if in_derived { self.scratch(to)? } else { to };
                self.load_binding(binding, false, this)?;
                if in_derived {
                    self.f.emit(Opcode::CheckThis, this, 0, 0, 0);
                }
                self.f.move_register(to, this);
                self.f.release(mark);
            }
            _ => {
                self.f.emit(Opcode::LoadThis, to, 0, 0, 0);
            }
        }
        Ok(())
    }

    /// `R[to]` = a pseudo binding: by the instruction in its own function, else from the captured one.
    pub(super) fn pseudo_to(&mut self, name: &str, to: Register, op: Opcode) -> Result<()> {
        let owner = self.plan.this_root(self.scope);
        if self.plan.scope(self.scope).root != owner
            && let Some(&binding) = self.plan.scope(owner).names.get(name)
        {
            return self.load_binding(binding, false, to);
        }
        self.f.emit(op, to, 0, 0, 0);
        Ok(())
    }

    pub(super) fn new_target(&mut self, to: Register) -> Result<()> {
        self.pseudo_to("new.target", to, Opcode::LoadNewTarget)
    }
}

/// The property name that a computed key is, unless it is an index.
pub(super) fn static_key(expression: &Expression) -> Option<String> {
    match expression.get_inner_expression() {
        Expression::StringLiteral(literal) if !literal.lone_surrogates && !is_array_index(&literal.value) => {
            Some(literal.value.to_string())
        }
        _ => None,
    }
}
