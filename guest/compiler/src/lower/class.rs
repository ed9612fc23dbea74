//! Classes: ClassDefinitionEvaluation (<https://tc39.es/ecma262/#sec-runtime-semantics-classdefinitionevaluation>).

use codemode_bytecode::{FunctionKind, NO_STRING, Opcode};
use oxc_ast::ast::*;
use oxc_span::GetSpan;

use super::{
    Lowering,
    function::{Body, FunctionParts},
    literal::Key,
};
use crate::{
    emit::Register,
    error::Result,
    scope::{BindingKind, ClassScopes, ScopeId},
};

/// Classes with more elements keep their initialiser function: its code is then not repeated cheaply.
const MAX_INLINE_ELEMENTS: usize = 64;

/// A class whose members are being compiled.
pub(super) struct ClassContext {
    /// Root scope of the constructor, when the class has one in its text.
    pub constructor: Option<ScopeId>,
    /// Whether there is heritage.
    pub is_derived: bool,
    /// Whether instances have fields, private methods or the like to be installed.
    pub has_instance_initializer: bool,
    /// Names of the constructor's parameter properties.
    pub parameter_properties: Vec<String>,
}

impl<'a> Lowering<'a> {
    pub(super) fn class_declaration(&mut self, class: &Class<'a>) -> Result<()> {
        if class.declare {
            return Ok(());
        }
        let Some(id) = &class.id else { return Ok(()) };
        let Some(binding) = self.declared(id.name.as_str()) else { return Ok(()) };
        let mark = self.f.mark();
        let temp = self.f.temp()?;
        self.class(class, temp, NO_STRING)?;
        self.initialize(binding, temp)?;
        self.f.release(mark);
        Ok(())
    }

    /// `R[to]` = the class.
    pub(super) fn class(&mut self, class: &Class<'a>, to: Register, name: u32) -> Result<()> {
        let scope = Self::cell_scope(&class.scope_id);
        let scopes = self.plan.class_scopes.get(&scope).copied().unwrap_or_default();
        let name = match &class.id {
            Some(id) => self.string(id.name.as_str()),
            None => name,
        };
        let constructor = class.body.body.iter().find_map(|element| match element {
            ClassElement::MethodDefinition(method) if method.kind.is_constructor() && method.value.body.is_some() => {
                Some(&method.value)
            }
            _ => None,
        });
        self.classes.push(ClassContext {
            constructor: constructor.map(|function| Self::cell_scope(&function.scope_id)),
            is_derived: class.heritage.is_some(),
            has_instance_initializer: scopes.instance.is_some(),
            parameter_properties: constructor.map(|function| parameter_properties(function)).unwrap_or_default(),
        });
        let entered = self.enter_bare(scope)?;
        self.private_names(scope)?;

        let pair = self.f.temps(2)?;
        let mark = self.f.mark();
        let heritage = match &class.heritage {
            Some(heritage) => {
                let register = self.f.temp()?;
                self.expression_to(&heritage.expression, register)?;
                Some(register)
            }
            None => None,
        };
        let index = match constructor {
            Some(function) => self.constructor(class, function, name, scopes)?,
            None => self.default_constructor(class, name, scopes)?,
        };
        self.f.at(class.heritage.as_ref().map_or(class.span.start, |heritage| heritage.expression.span().start));
        self.f.emit(Opcode::NewClass, pair, heritage.unwrap_or(0), heritage.is_some() as u8, index);
        self.f.release(mark);
        if constructor.is_some_and(|function| self.plan.function(Self::cell_scope(&function.scope_id)).uses_home) {
            self.f.emit(Opcode::SetHomeObject, pair, pair + 1, 0, 0);
        }
        for element in &class.body.body {
            let mark = self.f.mark();
            self.element(element, pair)?;
            self.f.release(mark);
        }
        if let Some(&binding) = class.id.as_ref().and_then(|id| self.plan.scope(scope).names.get(id.name.as_str()))
            && self.plan.binding(binding).kind == BindingKind::ClassName
        {
            self.initialize(binding, pair)?;
        }
        if let Some(root) = scopes.instance
            && !self.fields_are_inline(class, root)
        {
            self.field_initializer(class, root, pair)?;
        }
        if let Some(root) = scopes.statics {
            self.static_initializer(class, root, pair)?;
        }
        self.classes.pop();
        // The result must outlive the scope's registers.
        self.f.move_register(to, pair);
        self.leave(entered);
        Ok(())
    }

    fn private_names(&mut self, scope: ScopeId) -> Result<()> {
        for index in 0..self.plan.scope(scope).bindings.len() {
            let id = self.plan.scope(scope).bindings[index];
            let binding = self.plan.binding(id);
            if binding.kind != BindingKind::Private {
                continue;
            }
            let name = format!("#{}", binding.name);
            let name = self.string(&name);
            let mark = self.f.mark();
            let register = match self.binding_register(id) {
                Some(register) => register,
                None => self.f.temp()?,
            };
            self.f.emit(Opcode::NewPrivateName, register, 0, 0, name);
            self.initialize(id, register)?;
            self.f.release(mark);
        }
        Ok(())
    }

    fn constructor(
        &mut self,
        class: &Class<'a>,
        function: &Function<'a>,
        name: u32,
        scopes: ClassScopes,
    ) -> Result<u32> {
        let kind =
            if class.heritage.is_some() { FunctionKind::DerivedConstructor } else { FunctionKind::ClassConstructor };
        let statements = function.body.as_ref().map_or(&[][..], |body| &body.statements);
        self.function(FunctionParts {
            root: Self::cell_scope(&function.scope_id),
            kind,
            is_async: false,
            is_generator: false,
            name,
            // The text of a class is the class, not its constructor.
            span: class.span,
            parameters: Some(&function.params),
            body: Body::Statements(statements),
            fields: scopes.instance.filter(|&root| self.fields_are_inline(class, root)).map(|root| (class, root)),
        })
    }

    /// The constructor of a class that writes none: passes its arguments on, and initialises the fields.
    fn default_constructor(&mut self, class: &Class<'a>, name: u32, scopes: ClassScopes) -> Result<u32> {
        let outer_scope = self.scope;
        let is_derived = class.heritage.is_some();
        let index = self.begin_function(outer_scope);
        let code = &mut self.f.code;
        code.kind = if is_derived { FunctionKind::DerivedConstructor } else { FunctionKind::ClassConstructor };
        code.name = name;
        code.is_strict = true;
        code.uses_this = true;
        code.source_start = class.span.start;
        code.source_end = class.span.end;
        self.f.at(class.span.start);
        let window = self.f.temps(3)?;
        let (this, array) = (window, window + 2);
        if is_derived {
            self.f.code.rest_register = Some(array);
            self.f.emit(Opcode::LoadCallee, window, 0, 0, 0);
            self.f.emit(Opcode::GetPrototype, window, window, 0, 0);
            self.f.emit(Opcode::LoadNewTarget, window + 1, 0, 0, 0);
            self.f.emit(Opcode::NewSpread, this, window, 0, NO_STRING);
            self.f.emit(Opcode::BindThis, this, 0, 0, 0);
        } else if scopes.instance.is_some() {
            self.f.emit(Opcode::LoadThis, this, 0, 0, 0);
        }
        match scopes.instance {
            Some(root) if self.fields_are_inline(class, root) => self.inline_fields(class, root, this)?,
            Some(_) => {
                self.f.emit(Opcode::LoadCallee, window + 1, 0, 0, 0);
                self.f.emit(Opcode::InitFields, this, window + 1, 0, 0);
            }
            None => {}
        }
        self.f.emit(Opcode::LoadUndefined, this, 0, 0, 0);
        self.f.emit(Opcode::Return, this, 0, 0, 0);
        self.end_function(outer_scope);
        Ok(index)
    }

    /// Defines a method, or evaluates a field's computed key.
    fn element(&mut self, element: &ClassElement<'a>, pair: Register) -> Result<()> {
        match element {
            ClassElement::MethodDefinition(method) if method.value.body.is_some() && !method.kind.is_constructor() => {
                let target = if method.r#static { pair } else { pair + 1 };
                let start = self.method_start(method);
                let (flags, prefix, word) = match method.kind {
                    MethodDefinitionKind::Get => (2, 1, "get "),
                    MethodDefinitionKind::Set => (4, 2, "set "),
                    _ => (0, 0, ""),
                };
                if let PropertyKey::PrivateIdentifier(identifier) = &method.key {
                    let closure = self.f.temp()?;
                    let name = self.string(&format!("{word}#{}", identifier.name));
                    self.method(&method.value, closure, name, start)?;
                    if self.plan.function(Self::cell_scope(&method.value.scope_id)).uses_home {
                        self.f.emit(Opcode::SetHomeObject, closure, target, 0, 0);
                    }
                    if method.r#static {
                        let symbol = self.private_symbol(identifier)?;
                        self.f.emit(Opcode::DefinePrivateMethod, pair, symbol, closure, prefix);
                    } else if let Some(&binding) = self.plan.element_bindings.get(&method.span.start) {
                        self.initialize(binding, closure)?;
                    }
                    return Ok(());
                }
                let key = self.property_key(&method.key, method.computed)?;
                self.define_method(target, &key, &method.value, flags, prefix, word, start)
            }
            ClassElement::PropertyDefinition(property)
                if property.computed
                    && !property.declare
                    && property.r#type == PropertyDefinitionType::PropertyDefinition =>
            {
                let key = self.f.temp()?;
                if let Some(expression) = property.key.as_expression() {
                    self.expression_to(expression, key)?;
                    self.f.at(expression.span().start);
                }
                self.f.emit(Opcode::ToPropertyKey, key, key, 0, 0);
                match self.plan.element_bindings.get(&property.span.start) {
                    Some(&binding) => self.initialize(binding, key),
                    None => Ok(()),
                }
            }
            _ => Ok(()),
        }
    }

    /// Where the text of a method starts: behind `static`.
    fn method_start(&self, method: &MethodDefinition<'a>) -> u32 {
        let start = method.span.start;
        let text = self.source.get(start as usize..).unwrap_or("");
        match text.strip_prefix("static") {
            Some(rest) if method.r#static => start + (text.len() - rest.trim_start().len()) as u32,
            _ => start,
        }
    }

    /// The function that installs private methods and fields on a new instance.
    fn field_initializer(&mut self, class: &Class<'a>, root: ScopeId, pair: Register) -> Result<()> {
        let name = self.string("<instance_members_initializer>");
        let index = self.synthesized(root, FunctionKind::Method, name, |this| {
            let object = this.f.temp()?;
            this.f.emit(Opcode::LoadThis, object, 0, 0, 0);
            this.instance_elements(class, object)
        })?;
        let mark = self.f.mark();
        let closure = self.f.temp()?;
        self.f.emit(Opcode::NewClosure, closure, 0, 0, index);
        if self.plan.function(root).uses_home {
            self.f.emit(Opcode::SetHomeObject, closure, pair + 1, 0, 0);
        }
        self.f.emit(Opcode::SetFieldInit, pair, closure, 0, 0);
        self.f.release(mark);
        Ok(())
    }

    /// Installs private methods and fields on `R[object]`.
    pub(super) fn instance_elements(&mut self, class: &Class<'a>, object: Register) -> Result<()> {
        for element in &class.body.body {
            if let ClassElement::MethodDefinition(method) = element
                && let PropertyKey::PrivateIdentifier(identifier) = &method.key
                && !method.r#static
                && let Some(&binding) = self.plan.element_bindings.get(&method.span.start)
            {
                let mark = self.f.mark();
                let closure = self.f.temp()?;
                self.load_binding(binding, false, closure)?;
                let symbol = self.private_symbol(identifier)?;
                let kind = match method.kind {
                    MethodDefinitionKind::Get => 1,
                    MethodDefinitionKind::Set => 2,
                    _ => 0,
                };
                self.f.at(method.span.start);
                self.f.emit(Opcode::DefinePrivateMethod, object, symbol, closure, kind);
                self.f.release(mark);
            }
        }
        for element in &class.body.body {
            if let ClassElement::PropertyDefinition(property) = element
                && !property.r#static
            {
                self.field(property, object)?;
            }
        }
        Ok(())
    }

    /// Whether the constructor can define the fields itself: nothing in them depends on being in a function of its own.
    fn fields_are_inline(&self, class: &Class<'a>, root: ScopeId) -> bool {
        let info = self.plan.function(root);
        class.heritage.is_none()
            && class.body.body.len() <= MAX_INLINE_ELEMENTS
            && self.plan.scope(root).bindings.is_empty()
            && !info.uses_home
            && !info.uses_new_target
    }

    /// Runs static fields and blocks, in a function whose this is the class.
    fn static_initializer(&mut self, class: &Class<'a>, root: ScopeId, pair: Register) -> Result<()> {
        let name = self.string("<static_initializer>");
        let index = self.synthesized(root, FunctionKind::Method, name, |this| {
            let object = this.f.temp()?;
            this.f.emit(Opcode::LoadThis, object, 0, 0, 0);
            for element in &class.body.body {
                match element {
                    ClassElement::PropertyDefinition(property) if property.r#static => this.field(property, object)?,
                    ClassElement::StaticBlock(block) => {
                        let entered = this.enter(Self::cell_scope(&block.scope_id), &block.body)?;
                        this.statements(&block.body)?;
                        this.leave(entered);
                    }
                    _ => {}
                }
            }
            Ok(())
        })?;
        let mark = self.f.mark();
        let window = self.f.temps(2)?;
        self.f.emit(Opcode::NewClosure, window, 0, 0, index);
        if self.plan.function(root).uses_home {
            self.f.emit(Opcode::SetHomeObject, window, pair, 0, 0);
        }
        self.f.move_register(window + 1, pair);
        self.f.at(class.span.start);
        self.f.emit(Opcode::Call, window, window, 0, NO_STRING);
        self.f.release(mark);
        Ok(())
    }

    /// Defines a field on `R[object]`.
    fn field(&mut self, property: &PropertyDefinition<'a>, object: Register) -> Result<()> {
        if property.declare || property.r#type != PropertyDefinitionType::PropertyDefinition {
            return Ok(());
        }
        let mark = self.f.mark();
        self.f.at(property.span.start);
        if let PropertyKey::PrivateIdentifier(identifier) = &property.key {
            let symbol = self.private_symbol(identifier)?;
            let value = self.f.temp()?;
            let name = self.string(&format!("#{}", identifier.name));
            self.field_value(property, value, name)?;
            self.f.at(property.span.start);
            self.f.emit(Opcode::DefinePrivate, object, symbol, value, 0);
        } else if property.computed {
            let (key, value) = (self.f.temp()?, self.f.temp()?);
            self.field_value(property, value, NO_STRING)?;
            if let Some(&binding) = self.plan.element_bindings.get(&property.span.start) {
                self.load_binding(binding, false, key)?;
            }
            if property.value.as_ref().is_some_and(|value| self.is_anonymous_function(value)) {
                self.f.emit(Opcode::SetFunctionName, value, key, 0, 0);
            }
            self.f.at(property.span.start);
            self.f.emit(Opcode::DefineElem, object, key, value, 0);
        } else {
            match self.property_key(&property.key, false)? {
                Key::Name(name) => {
                    let name = self.string(&name);
                    let value = self.f.temp()?;
                    self.field_value(property, value, name)?;
                    let site = self.f.site(name);
                    self.f.at(property.span.start);
                    self.f.emit(Opcode::DefineField, object, value, 0, site);
                }
                Key::Register(key) => {
                    let value = self.f.temp()?;
                    self.field_value(property, value, NO_STRING)?;
                    if property.value.as_ref().is_some_and(|value| self.is_anonymous_function(value)) {
                        self.f.emit(Opcode::SetFunctionName, value, key, 0, 0);
                    }
                    self.f.at(property.span.start);
                    self.f.emit(Opcode::DefineElem, object, key, value, 0);
                }
            }
        }
        self.f.release(mark);
        Ok(())
    }

    fn field_value(&mut self, property: &PropertyDefinition<'a>, to: Register, name: u32) -> Result<()> {
        match &property.value {
            Some(value) => self.named_to(value, to, name),
            None => {
                self.f.emit(Opcode::LoadUndefined, to, 0, 0, 0);
                Ok(())
            }
        }
    }
}

/// Names of the parameters that TypeScript makes properties.
fn parameter_properties(function: &Function) -> Vec<String> {
    function
        .params
        .items
        .iter()
        .filter(|item| item.has_modifier())
        .filter_map(|item| item.pattern.get_identifier_name().map(|name| name.to_string()))
        .collect()
}
