//! Literals: objects, arrays, templates, regular expressions, BigInts.

use codemode_bytecode::{Constant, NO_STRING, Opcode};
use oxc_ast::ast::*;
use oxc_span::GetSpan;

use super::{Lowering, is_array_index, member::static_key};
use crate::{emit::Register, error::Result};

/// Most values that are collected in registers for one literal.
const MAX_BATCH: usize = 32;

/// Registers that a literal leaves for what is inside it.
const RESERVE: usize = 60;

/// The key of a property in a literal or class.
pub(super) enum Key {
    /// A name known now, that is no array index.
    Name(String),
    /// A key in a register.
    Register(Register),
}

impl<'a> Lowering<'a> {
    pub(super) fn array(&mut self, array: &ArrayExpression<'a>, to: Register) -> Result<()> {
        let result = self.scratch(to)?;
        let limit = MAX_BATCH.min(self.f.free_registers().saturating_sub(RESERVE));
        let leading = array
            .elements
            .iter()
            .take_while(|element| !element.is_spread() && !element.is_elision())
            .count()
            .min(limit);
        let mark = self.f.mark();
        let first = if leading == 0 { result } else { self.f.temps(leading)? };
        for (index, element) in array.elements[..leading].iter().enumerate() {
            if let Some(expression) = element.as_expression() {
                self.expression_to(expression, first + index as u8)?;
            }
        }
        self.f.emit(Opcode::NewArray, result, first, leading as u8, 0);
        self.f.release(mark);
        for element in &array.elements[leading..] {
            let mark = self.f.mark();
            match element {
                ArrayExpressionElement::SpreadElement(spread) => self.spread_into(&spread.argument, result)?,
                ArrayExpressionElement::Elision(_) => {
                    self.f.emit(Opcode::ArrayHole, result, 0, 0, 0);
                }
                _ => {
                    if let Some(expression) = element.as_expression() {
                        let value = self.operand(expression, None)?;
                        self.f.emit(Opcode::ArrayPush, result, value, 0, 0);
                    }
                }
            }
            self.f.release(mark);
        }
        self.f.move_register(to, result);
        Ok(())
    }

    pub(super) fn object(&mut self, object: &ObjectExpression<'a>, to: Register) -> Result<()> {
        let result = self.scratch(to)?;
        let leading = self.plain_prefix(object);
        if leading == 0 {
            self.f.emit(Opcode::NewObject, result, 0, 0, 0);
        } else {
            let mark = self.f.mark();
            let first = self.f.temps(leading)?;
            let mut keys = Vec::with_capacity(leading);
            for (index, property) in object.properties[..leading].iter().enumerate() {
                if let ObjectPropertyKind::ObjectProperty(property) = property
                    && let Some(name) = literal_name(property)
                {
                    let key = self.unit.string(&name);
                    keys.push(key);
                    self.property_value(property, first + index as u8, key)?;
                }
            }
            let constant = self.f.constant(Constant::Keys(keys.into()));
            self.f.emit(Opcode::NewObjectLiteral, result, first, leading as u8, constant);
            self.f.release(mark);
        }
        let mut has_proto = false;
        for property in &object.properties {
            if let ObjectPropertyKind::ObjectProperty(property) = property
                && self.is_proto_setter(property)
            {
                if has_proto {
                    return self
                        .fail(property.span.start, "Duplicate __proto__ fields are not allowed in object literals");
                }
                has_proto = true;
            }
        }
        for property in &object.properties[leading..] {
            let mark = self.f.mark();
            match property {
                ObjectPropertyKind::SpreadProperty(spread) => {
                    let source = self.operand(&spread.argument, None)?;
                    self.f.at(spread.span.start);
                    self.f.emit(Opcode::CopyDataProperties, result, source, result, 0);
                }
                ObjectPropertyKind::ObjectProperty(property) => self.define_property(property, result)?,
            }
            self.f.release(mark);
        }
        self.f.move_register(to, result);
        Ok(())
    }

    fn is_proto_setter(&self, property: &ObjectProperty<'a>) -> bool {
        !self.options.proto_is_ordinary_key
            && property.kind == PropertyKind::Init
            && !property.method
            && !property.shorthand
            && !property.computed
            && property.key.static_name().is_some_and(|name| name == "__proto__")
    }

    /// How many properties at the start of a literal are plain: distinct names, values without home object.
    fn plain_prefix(&self, object: &ObjectExpression<'a>) -> usize {
        let limit = MAX_BATCH.min(self.f.free_registers().saturating_sub(RESERVE));
        let mut names: Vec<String> = Vec::new();
        for property in object.properties.iter().take(limit) {
            let ObjectPropertyKind::ObjectProperty(property) = property else { break };
            if property.kind != PropertyKind::Init
                || self.is_proto_setter(property)
                || self.needs_home(&property.value, property.method)
            {
                break;
            }
            let Some(name) = literal_name(property) else { break };
            if names.contains(&name) {
                break;
            }
            names.push(name);
        }
        names.len()
    }

    fn needs_home(&self, value: &Expression<'a>, is_method: bool) -> bool {
        match value {
            Expression::FunctionExpression(function) if is_method => {
                self.plan.function(Self::cell_scope(&function.scope_id)).uses_home
            }
            _ => false,
        }
    }

    /// The value of a plain property or method, named by its key.
    fn property_value(&mut self, property: &ObjectProperty<'a>, to: Register, name: u32) -> Result<()> {
        match &property.value {
            Expression::FunctionExpression(function) if property.method => {
                self.method(function, to, name, property.span.start)
            }
            value => self.named_to(value, to, name),
        }
    }

    fn define_property(&mut self, property: &ObjectProperty<'a>, object: Register) -> Result<()> {
        if self.is_proto_setter(property) {
            let value = self.operand(&property.value, None)?;
            self.f.emit(Opcode::SetLiteralProto, object, value, 0, 0);
            return Ok(());
        }
        let key = self.property_key(&property.key, property.computed)?;
        let is_method = property.method || property.kind != PropertyKind::Init;
        if let (true, Expression::FunctionExpression(function)) = (is_method, &property.value) {
            let (flags, prefix, word) = match property.kind {
                PropertyKind::Init => (1, 0, ""),
                PropertyKind::Get => (3, 1, "get "),
                PropertyKind::Set => (5, 2, "set "),
            };
            return self.define_method(object, &key, function, flags, prefix, word, property.span.start);
        }
        let value = self.f.temp()?;
        match key {
            Key::Name(name) => {
                let name = self.unit.string(&name);
                self.named_to(&property.value, value, name)?;
                let site = self.f.site(name);
                self.f.at(property.span.start);
                self.f.emit(Opcode::DefineField, object, value, 0, site);
            }
            Key::Register(key) => {
                self.expression_to(&property.value, value)?;
                if self.is_anonymous_function(&property.value) {
                    self.f.emit(Opcode::SetFunctionName, value, key, 0, 0);
                }
                self.f.at(property.span.start);
                self.f.emit(Opcode::DefineElem, object, key, value, 0);
            }
        }
        Ok(())
    }

    /// Defines a method or accessor on an object or class.
    #[expect(clippy::too_many_arguments, reason = "flags, prefix and word belong together and come from one match")]
    pub(super) fn define_method(
        &mut self,
        object: Register,
        key: &Key,
        function: &Function<'a>,
        flags: u32,
        prefix: u32,
        word: &str,
        offset: u32,
    ) -> Result<()> {
        let closure = self.f.temp()?;
        let needs_home = self.plan.function(Self::cell_scope(&function.scope_id)).uses_home;
        let key = match key {
            Key::Name(name) => {
                let text = self.unit.string(&format!("{word}{name}"));
                self.method(function, closure, text, offset)?;
                let key = self.f.temp()?;
                self.load_string(key, name);
                key
            }
            Key::Register(key) => {
                self.method(function, closure, NO_STRING, offset)?;
                self.f.emit(Opcode::SetFunctionName, closure, *key, 0, prefix);
                *key
            }
        };
        if needs_home {
            self.f.emit(Opcode::SetHomeObject, closure, object, 0, 0);
        }
        self.f.at(offset);
        self.f.emit(Opcode::DefineMethod, object, key, closure, flags);
        Ok(())
    }

    /// Evaluates a property key; computed ones become property keys at once.
    pub(super) fn property_key(&mut self, key: &PropertyKey<'a>, computed: bool) -> Result<Key> {
        if let Some(name) = key_name(key, computed) {
            if !is_array_index(&name) {
                return Ok(Key::Name(name));
            }
            let register = self.f.temp()?;
            self.load_string(register, &name);
            return Ok(Key::Register(register));
        }
        let register = self.f.temp()?;
        if let Some(expression) = key.as_expression() {
            self.expression_to(expression, register)?;
            if !matches!(expression, Expression::StringLiteral(_)) {
                self.f.at(expression.span().start);
                self.f.emit(Opcode::ToPropertyKey, register, register, 0, 0);
            }
        }
        Ok(Key::Register(register))
    }

    pub(super) fn big_int(&mut self, literal: &BigIntLiteral<'a>, to: Register) -> Result<()> {
        let constant = self.f.constant(Constant::BigInt(literal.value.as_str().into()));
        self.f.emit(Opcode::LoadConst, to, 0, 0, constant);
        Ok(())
    }

    pub(super) fn regular_expression(&mut self, literal: &RegExpLiteral<'a>, to: Register) -> Result<()> {
        let pattern = self.unit.string(literal.regex.pattern.text.as_str());
        let flags = self.unit.string(&literal.regex.flags.to_string());
        let constant = self.f.constant(Constant::RegExp { pattern, flags });
        self.f.at(literal.span.start);
        self.f.emit(Opcode::NewRegExp, to, 0, 0, constant);
        Ok(())
    }

    pub(super) fn template(&mut self, literal: &TemplateLiteral<'a>, to: Register) -> Result<()> {
        enum Part<'n, 'a> {
            Text(u32),
            Value(&'n Expression<'a>),
        }
        let mut parts = Vec::with_capacity(literal.quasis.len() * 2);
        for (index, quasi) in literal.quasis.iter().enumerate() {
            let text = quasi.value.cooked.as_ref().map_or("", |cooked| cooked.as_str());
            if !text.is_empty() || literal.expressions.is_empty() {
                parts.push(Part::Text(self.unit.literal(text, quasi.lone_surrogates)));
            }
            if let Some(expression) = literal.expressions.get(index) {
                parts.push(Part::Value(expression));
            }
        }
        if let [Part::Text(text)] = parts[..] {
            self.load_string_index(to, text);
            return Ok(());
        }
        // Long templates are joined in batches, the first part of each being the text so far.
        let limit = MAX_BATCH.min(self.f.free_registers().saturating_sub(RESERVE)).max(2);
        let first = self.f.temps(parts.len().min(limit))?;
        let mut used = 0;
        for part in parts {
            if used == limit {
                self.f.emit(Opcode::ConcatStrings, first, first, used as u8, 0);
                used = 1;
            }
            let register = first + used as u8;
            match part {
                Part::Text(text) => self.load_string_index(register, text),
                Part::Value(expression) => {
                    let mark = self.f.mark();
                    let value = self.operand_using(expression, None, register)?;
                    self.f.release(mark);
                    self.f.at(expression.span().start);
                    self.f.emit(Opcode::ToString, register, value, 0, 0);
                }
            }
            used += 1;
        }
        if used == 1 {
            self.f.move_register(to, first);
        } else {
            self.f.emit(Opcode::ConcatStrings, to, first, used as u8, 0);
        }
        Ok(())
    }

    pub(super) fn tagged_template(&mut self, tagged: &TaggedTemplateExpression<'a>, to: Register) -> Result<()> {
        let window = self.f.temps(2)?;
        let mark = self.f.mark();
        let offset = self.callee(&tagged.tag, window)?;
        self.f.release(mark);
        let object = self.f.temp()?;
        let mut cooked = Vec::with_capacity(tagged.quasi.quasis.len());
        let mut raw = Vec::with_capacity(tagged.quasi.quasis.len());
        for quasi in &tagged.quasi.quasis {
            cooked.push(match &quasi.value.cooked {
                Some(text) => self.unit.literal(text.as_str(), quasi.lone_surrogates),
                None => NO_STRING,
            });
            raw.push(self.unit.string(quasi.value.raw.as_str()));
        }
        let constant = self.f.constant(Constant::Template { cooked: cooked.into(), raw: raw.into() });
        self.f.emit(Opcode::TemplateObject, object, 0, 0, constant);
        for expression in &tagged.quasi.expressions {
            let register = self.f.temp()?;
            self.expression_to(expression, register)?;
        }
        let text = self.rendered(&tagged.tag);
        self.f.at(offset);
        self.f.emit(Opcode::Call, to, window, tagged.quasi.expressions.len() as u8 + 1, text);
        Ok(())
    }
}

/// The name of a key that is known now; it may be an array index.
pub(super) fn key_name(key: &PropertyKey, computed: bool) -> Option<String> {
    match key {
        PropertyKey::StringLiteral(literal) if literal.lone_surrogates => None,
        _ if computed => key.as_expression().and_then(static_key),
        PropertyKey::PrivateIdentifier(_) => None,
        _ => key.static_name().map(|name| name.into_owned()),
    }
}

/// The name of a property that a literal's shape can hold.
fn literal_name(property: &ObjectProperty) -> Option<String> {
    key_name(&property.key, property.computed).filter(|name| !is_array_index(name))
}
