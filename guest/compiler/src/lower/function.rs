//! Functions: prologue, parameters, bodies.

use codemode_bytecode::{FunctionCode, FunctionKind, MappedArguments, NO_STRING, Opcode};
use oxc_ast::ast::*;
use oxc_span::Span;

use super::{Control, Lowering};
use crate::{
    emit::{FunctionBuilder, Register},
    error::{Failure, Result},
    scope::{BindingKind, ScopeId, ScopeKind, Storage},
};

/// Most parameters of a function: they come in registers.
const MAX_PARAMETERS: usize = 120;

/// What a function consists of.
pub(super) struct FunctionParts<'n, 'a> {
    pub root: ScopeId,
    pub kind: FunctionKind,
    pub is_async: bool,
    pub is_generator: bool,
    pub name: u32,
    pub span: Span,
    pub parameters: Option<&'n FormalParameters<'a>>,
    pub body: Body<'n, 'a>,
    /// Of a constructor: the class whose fields it defines itself, and the scope of their initialisers.
    pub fields: Option<(&'n Class<'a>, ScopeId)>,
}

/// The body of a function.
#[derive(Clone, Copy)]
pub(super) enum Body<'n, 'a> {
    Statements(&'n [Statement<'a>]),
    Expression(&'n Expression<'a>),
}

impl<'a> Lowering<'a> {
    pub(super) fn function_expression(&mut self, function: &Function<'a>, to: Register, name: u32) -> Result<()> {
        let name = match &function.id {
            Some(id) => self.string(id.name.as_str()),
            None => name,
        };
        let index = self.function_node(function, FunctionKind::Normal, name)?;
        self.f.emit(Opcode::NewClosure, to, 0, 0, index);
        Ok(())
    }

    /// A method's or accessor's closure; its text starts at `start`, with the key.
    pub(super) fn method(&mut self, function: &Function<'a>, to: Register, name: u32, start: u32) -> Result<()> {
        let span = Span::new(start, function.span.end);
        let index = self.function_with_text(function, FunctionKind::Method, name, span)?;
        self.f.emit(Opcode::NewClosure, to, 0, 0, index);
        Ok(())
    }

    pub(super) fn arrow(&mut self, arrow: &ArrowFunctionExpression<'a>, to: Register, name: u32) -> Result<()> {
        let body = match &arrow.body {
            ArrowFunctionBody::FunctionBody(body) => Body::Statements(&body.statements),
            body => match body.as_expression() {
                Some(expression) => Body::Expression(expression),
                None => Body::Statements(&[]),
            },
        };
        let index = self.function(FunctionParts {
            root: Self::cell_scope(&arrow.scope_id),
            kind: FunctionKind::Arrow,
            is_async: arrow.r#async,
            is_generator: false,
            name,
            span: arrow.span,
            parameters: Some(&arrow.params),
            body,
            fields: None,
        })?;
        self.f.emit(Opcode::NewClosure, to, 0, 0, index);
        Ok(())
    }

    /// Compiles a function node; gives its number.
    pub(super) fn function_node(&mut self, function: &Function<'a>, kind: FunctionKind, name: u32) -> Result<u32> {
        self.function_with_text(function, kind, name, function.span)
    }

    fn function_with_text(
        &mut self,
        function: &Function<'a>,
        kind: FunctionKind,
        name: u32,
        span: Span,
    ) -> Result<u32> {
        let statements = function.body.as_ref().map_or(&[][..], |body| &body.statements);
        self.function(FunctionParts {
            root: Self::cell_scope(&function.scope_id),
            kind: if self.options.self_hosted { FunctionKind::Method } else { kind },
            is_async: function.r#async,
            is_generator: function.generator,
            name,
            span,
            parameters: Some(&function.params),
            body: Body::Statements(statements),
            fields: None,
        })
    }

    /// Compiles a function; gives its number.
    pub(super) fn function(&mut self, parts: FunctionParts<'_, 'a>) -> Result<u32> {
        let outer_scope = self.scope;
        let index = self.begin_function(parts.root);
        {
            let strict = self.plan.scope(parts.root).strict;
            let uses_this = self.plan.function(parts.root).uses_this;
            let code = &mut self.f.code;
            code.kind = parts.kind;
            code.is_async = parts.is_async;
            code.is_generator = parts.is_generator;
            code.is_strict = strict;
            code.uses_this = uses_this && parts.kind != FunctionKind::Arrow;
            code.name = parts.name;
            code.source_start = parts.span.start;
            code.source_end = parts.span.end;
        }
        self.f.at(parts.span.start);
        self.constructor_fields(&parts)?;
        self.prologue(&parts)?;
        match parts.body {
            Body::Statements(statements) => {
                let entered = match self.plan.function(parts.root).body_scope {
                    Some(body) => Some(self.enter_body(body)?),
                    None => None,
                };
                self.hoist(statements)?;
                self.constructor_start(parts.root)?;
                self.statements(statements)?;
                if !matches!(statements.last(), Some(Statement::ReturnStatement(_) | Statement::ThrowStatement(_))) {
                    self.implicit_return()?;
                }
                if let Some(entered) = entered {
                    self.forget(entered);
                }
            }
            Body::Expression(expression) => {
                let entered = match self.plan.function(parts.root).body_scope {
                    Some(body) => Some(self.enter_body(body)?),
                    None => None,
                };
                self.return_value(expression)?;
                if let Some(entered) = entered {
                    self.forget(entered);
                }
            }
        }
        self.end_function(outer_scope);
        Ok(index)
    }

    /// Starts the code of a function.
    pub(super) fn begin_function(&mut self, root: ScopeId) -> u32 {
        let index = match self.reserved.remove(&root) {
            Some(index) => index,
            None => self.unit.reserve(),
        };
        let outer = std::mem::replace(&mut self.f, FunctionBuilder::new(index, root));
        self.outer.push(outer);
        self.scope = root;
        index
    }

    /// Finishes the function that was begun last.
    pub(super) fn end_function(&mut self, outer_scope: ScopeId) {
        self.return_stubs();
        let Some(outer) = self.outer.pop() else { return };
        let built = std::mem::replace(&mut self.f, outer);
        self.scope = outer_scope;
        self.unit.define(built.index, built.code);
    }

    /// Code for generators that are resumed by return where nothing is to be unwound.
    pub(super) fn return_stubs(&mut self) {
        for (label, register) in std::mem::take(&mut self.f.return_stubs) {
            self.f.bind(label);
            if self.f.code.is_async {
                self.f.emit(Opcode::Await, register, register, 0, 0);
            }
            self.f.emit(Opcode::Return, register, 0, 0, 0);
        }
    }

    /// Parameters, pseudo bindings and registers of the root scope.
    fn prologue(&mut self, parts: &FunctionParts<'_, 'a>) -> Result<()> {
        let root = parts.root;
        let empty = Vec::new();
        let items = parts.parameters.map_or(&empty[..], |parameters| &parameters.items[..]);
        let rest = parts.parameters.and_then(|parameters| parameters.rest.as_ref());
        if items.len() > MAX_PARAMETERS {
            return Err(Failure::complex(parts.span.start, "The function has too many parameters"));
        }
        self.f.temps(items.len())?;
        self.f.code.parameter_count = items.len() as u8;
        self.f.code.length = items
            .iter()
            .take_while(|item| {
                item.initializer.is_none() && !matches!(item.pattern, BindingPattern::AssignmentPattern(_))
            })
            .count() as u32;
        if rest.is_some() {
            self.f.code.rest_register = Some(self.f.temp()?);
        }
        let (arguments, simple) = {
            let info = self.plan.function(root);
            (info.arguments, info.simple_parameters)
        };
        if arguments.is_some() {
            self.f.code.arguments_register = Some(self.f.temp()?);
        }

        // The environment of the root scope. With mapped arguments the call makes it, parameters included.
        let mapped = arguments.is_some() && simple && !self.plan.scope(root).strict;
        let slots = self.plan.scope(root).env_slots;
        if mapped {
            let mut mapping: Vec<u32> = Vec::with_capacity(items.len());
            for (index, item) in items.iter().enumerate() {
                let name = item.pattern.get_identifier_name();
                let later = items[index + 1..].iter().any(|other| other.pattern.get_identifier_name() == name);
                let slot =
                    name.and_then(|name| self.plan.scope(root).names.get(name.as_str()).copied()).and_then(|id| {
                        match self.plan.binding(id).storage {
                            Storage::Env(slot) if !later => Some(slot),
                            _ => None,
                        }
                    });
                mapping.push(slot.unwrap_or(u32::MAX));
            }
            self.f.code.mapped_arguments = Some(MappedArguments { environment_slots: slots, slots: mapping });
        } else if slots > 0 {
            self.push_env(root);
        }

        // Parameters that are plain names stay where they come in.
        for (index, item) in items.iter().enumerate() {
            self.claim_parameter(root, &item.pattern, index as Register);
        }
        if let (Some(rest), Some(register)) = (rest, self.f.code.rest_register) {
            self.claim_parameter(root, &rest.rest.argument, register);
        }
        if let (Some(id), Some(register)) = (arguments, self.f.code.arguments_register)
            && self.plan.binding(id).storage == Storage::Register(None)
        {
            self.plan.binding_mut(id).storage = Storage::Register(Some(register));
            self.f.set_local(register, true);
        }
        self.allocate(root)?;
        self.pseudo_bindings(root)?;
        self.keep_this(root)?;
        if let (Some(id), Some(register)) = (arguments, self.f.code.arguments_register) {
            self.initialize(id, register)?;
        }
        if mapped {
            self.fill_mapped(root)?;
        } else {
            for (index, item) in items.iter().enumerate() {
                self.bind_parameter(item, index as Register)?;
            }
        }
        if let (Some(rest), Some(register)) = (rest, self.f.code.rest_register) {
            self.bind_pattern(&rest.rest.argument, register)?;
        }
        if parts.is_generator {
            self.f.emit(Opcode::CreateGenerator, 0, 0, 0, 0);
        }
        Ok(())
    }

    /// Loads this once in functions that use it more than once; not where `super()` may still bind it.
    fn keep_this(&mut self, root: ScopeId) -> Result<()> {
        let owner = self.plan.this_root(root);
        if self.plan.function(root).this_count < 2 || self.is_derived_constructor(owner) {
            return Ok(());
        }
        let register = self.f.temp()?;
        self.this(self.plan.scope(root).start, register)?;
        self.f.this_register = Some(register);
        Ok(())
    }

    /// Vars that share an environment made by the call start undefined.
    fn fill_mapped(&mut self, root: ScopeId) -> Result<()> {
        let mark = self.f.mark();
        let temp = self.f.temp()?;
        let mut loaded = false;
        for index in 0..self.plan.scope(root).bindings.len() {
            let binding = self.plan.binding(self.plan.scope(root).bindings[index]);
            if let (BindingKind::Var, Storage::Env(slot)) = (binding.kind, binding.storage)
                && Some(self.plan.scope(root).bindings[index]) != self.plan.function(root).arguments
            {
                if !loaded {
                    self.f.emit(Opcode::LoadUndefined, temp, 0, 0, 0);
                    loaded = true;
                }
                self.f.emit(Opcode::StoreEnv, temp, 0, 0, slot);
            }
        }
        self.f.release(mark);
        Ok(())
    }

    /// Lets a parameter that is a plain name live in the register it comes in.
    fn claim_parameter(&mut self, root: ScopeId, pattern: &BindingPattern<'a>, register: Register) {
        let Some(name) = pattern.get_identifier_name() else { return };
        let Some(&id) = self.plan.scope(root).names.get(name.as_str()) else { return };
        let binding = self.plan.binding(id);
        // Of duplicate parameters the last one wins.
        if binding.kind == BindingKind::Parameter {
            self.claim(root, pattern, register);
        }
    }

    /// Returns the value of an expression from a place where nothing is to be unwound.
    pub(super) fn return_value(&mut self, expression: &Expression<'a>) -> Result<()> {
        let mark = self.f.mark();
        if let Expression::ConditionalExpression(node) = expression.get_inner_expression() {
            let otherwise = self.f.label();
            self.branch(&node.test, otherwise, false)?;
            self.return_value(&node.consequent)?;
            self.f.bind(otherwise);
            self.return_value(&node.alternate)?;
        } else {
            let value = self.operand(expression, None)?;
            self.final_return(value)?;
        }
        self.f.release(mark);
        Ok(())
    }

    fn bind_parameter(&mut self, item: &FormalParameter<'a>, register: Register) -> Result<()> {
        if let Some(initializer) = &item.initializer {
            let present = self.f.label();
            self.f.jump(Opcode::JumpIfNotUndefined, register, 0, 0, present);
            let name = self.pattern_name(&item.pattern);
            self.named_to(initializer, register, name)?;
            self.f.bind(present);
        }
        if let BindingPattern::BindingIdentifier(identifier) = &item.pattern {
            let id = self.plan.scope(self.scope).names.get(identifier.name.as_str()).copied();
            return match id {
                // A duplicate that lost must not overwrite the winner.
                Some(id) if matches!(self.plan.binding(id).storage, Storage::Register(Some(r)) if r != register && !self.plan.binding(id).needs_dead_zone) => {
                    Ok(())
                }
                Some(id) => self.initialize(id, register),
                None => Ok(()),
            };
        }
        self.bind_pattern(&item.pattern, register)
    }

    /// Stores this, new.target and the like where arrow functions find them.
    fn pseudo_bindings(&mut self, root: ScopeId) -> Result<()> {
        for index in 0..self.plan.scope(root).bindings.len() {
            let id = self.plan.scope(root).bindings[index];
            let binding = self.plan.binding(id);
            let op = match (binding.kind, binding.name) {
                (BindingKind::FunctionName, _) if binding.referenced => Opcode::LoadCallee,
                (BindingKind::Pseudo, "this") if self.is_derived_constructor(root) => Opcode::LoadEmpty,
                (BindingKind::Pseudo, "this") => Opcode::LoadThis,
                (BindingKind::Pseudo, "new.target") => Opcode::LoadNewTarget,
                (BindingKind::Pseudo, "%home") => Opcode::LoadHomeObject,
                (BindingKind::Pseudo, "%callee") => Opcode::LoadCallee,
                _ => continue,
            };
            let mark = self.f.mark();
            let register = match self.binding_register(id) {
                Some(register) => register,
                None => self.f.temp()?,
            };
            self.f.emit(op, register, 0, 0, 0);
            self.initialize(id, register)?;
            self.f.release(mark);
        }
        Ok(())
    }

    /// Enters the scope of a body whose parameters have a scope of their own: vars of a parameter's name start with its value.
    fn enter_body(&mut self, body: ScopeId) -> Result<super::names::Entered> {
        let root = self.scope;
        let entered = self.enter_bare(body)?;
        for index in 0..self.plan.scope(body).bindings.len() {
            let id = self.plan.scope(body).bindings[index];
            let binding = self.plan.binding(id);
            if binding.kind != BindingKind::Var && binding.kind != BindingKind::Function {
                continue;
            }
            let Some(&parameter) = self.plan.scope(root).names.get(binding.name) else { continue };
            if !matches!(self.plan.binding(parameter).kind, BindingKind::Parameter | BindingKind::Arguments) {
                continue;
            }
            let mark = self.f.mark();
            let temp = self.f.temp()?;
            self.load_binding(parameter, false, temp)?;
            self.initialize(id, temp)?;
            self.f.release(mark);
        }
        Ok(entered)
    }

    /// Instantiates the function declarations of a statement list.
    pub(super) fn hoist(&mut self, statements: &[Statement<'a>]) -> Result<()> {
        for statement in statements {
            let mut statement = statement;
            while let Statement::LabeledStatement(labeled) = statement {
                statement = &labeled.body;
            }
            let function = match statement {
                Statement::FunctionDeclaration(function) => function,
                Statement::ExportDeclaration(export) => match &export.declaration {
                    Declaration::FunctionDeclaration(function) => function,
                    _ => continue,
                },
                _ => continue,
            };
            if function.body.is_none() || function.declare {
                continue;
            }
            let Some(id) = &function.id else { continue };
            let Some(binding) = self.plan.scope(self.scope).names.get(id.name.as_str()).copied() else { continue };
            // Global functions are instantiated with the declarations of the script, self-hosted ones by the realm.
            if matches!(self.plan.binding(binding).storage, Storage::Global | Storage::Hosted(_)) {
                continue;
            }
            let name = self.string(id.name.as_str());
            let index = self.function_node(function, FunctionKind::Normal, name)?;
            let mark = self.f.mark();
            let register = match self.binding_register(binding) {
                Some(register) => register,
                None => self.f.temp()?,
            };
            self.f.emit(Opcode::NewClosure, register, 0, 0, index);
            self.initialize(binding, register)?;
            self.f.release(mark);
        }
        Ok(())
    }

    /// The fields of a class without heritage are there before the constructor's parameters are evaluated.
    fn constructor_fields(&mut self, parts: &FunctionParts<'_, 'a>) -> Result<()> {
        let Some(class) = self.classes.last() else { return Ok(()) };
        if class.constructor != Some(parts.root) || class.is_derived || !class.has_instance_initializer {
            return Ok(());
        }
        // Arguments, rest array and arguments object come in the first registers.
        let mark = self.f.mark();
        self.f.temps(parts.parameters.map_or(0, |parameters| parameters.items.len()) + 2)?;
        let this = self.f.temp()?;
        self.f.emit(Opcode::LoadThis, this, 0, 0, 0);
        match parts.fields {
            Some((class, initializer)) => self.inline_fields(class, initializer, this)?,
            None => {
                let callee = self.f.temp()?;
                self.f.emit(Opcode::LoadCallee, callee, 0, 0, 0);
                self.f.emit(Opcode::InitFields, this, callee, 0, 0);
            }
        }
        self.f.release(mark);
        Ok(())
    }

    /// Defines the fields in the constructor itself, whose environment at its start is that of an initialiser function.
    pub(super) fn inline_fields(&mut self, class: &Class<'a>, initializer: ScopeId, this: Register) -> Result<()> {
        let scope = std::mem::replace(&mut self.scope, initializer);
        self.f.this_register = Some(this);
        self.instance_elements(class, this)?;
        self.f.this_register = None;
        self.scope = scope;
        Ok(())
    }

    /// Parameter properties of a class without heritage; `super()` sees to them otherwise.
    fn constructor_start(&mut self, root: ScopeId) -> Result<()> {
        let Some(class) = self.classes.last() else { return Ok(()) };
        if class.constructor != Some(root) || class.is_derived || class.parameter_properties.is_empty() {
            return Ok(());
        }
        let mark = self.f.mark();
        let this = self.f.temp()?;
        self.this(self.plan.scope(root).start, this)?;
        self.parameter_properties(root, this)?;
        self.f.release(mark);
        Ok(())
    }

    /// The end of a body that is reached without return.
    pub(super) fn implicit_return(&mut self) -> Result<()> {
        let mark = self.f.mark();
        let register = self.f.temp()?;
        self.f.emit(Opcode::LoadUndefined, register, 0, 0, 0);
        self.final_return(register)?;
        self.f.release(mark);
        Ok(())
    }

    /// Return after everything is unwound.
    pub(super) fn final_return(&mut self, value: Register) -> Result<()> {
        let root = self.f.root;
        // A constructor whose arrow functions call super() learns its this from the captured binding.
        if self.plan.scope(root).kind == ScopeKind::Function
            && self.is_derived_constructor(root)
            && self.plan.function(root).super_call_in_arrow
            && let Some(&binding) = self.plan.scope(root).names.get("this")
        {
            let explicit = self.f.label();
            let mark = self.f.mark();
            let this = self.f.temp()?;
            self.f.jump(Opcode::JumpIfNotUndefined, value, 0, 0, explicit);
            self.load_binding(binding, false, this)?;
            self.f.emit(Opcode::CheckThis, this, 0, 0, 0);
            self.f.emit(Opcode::Return, this, 0, 0, 0);
            self.f.bind(explicit);
            self.f.release(mark);
        }
        self.f.emit(Opcode::Return, value, 0, 0, 0);
        Ok(())
    }

    /// A synthesised function without parameters: its code comes from `body`.
    pub(super) fn synthesized(
        &mut self,
        root: ScopeId,
        kind: FunctionKind,
        name: u32,
        body: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<u32> {
        let outer_scope = self.scope;
        let index = self.begin_function(root);
        self.f.code = FunctionCode { kind, name, is_strict: true, uses_this: true, ..self.f.code.clone() };
        if self.plan.scope(root).env_slots > 0 {
            self.push_env(root);
        }
        self.allocate(root)?;
        self.pseudo_bindings(root)?;
        body(self)?;
        self.implicit_return()?;
        self.end_function(outer_scope);
        Ok(index)
    }

    /// The name that an initialiser's anonymous function takes from a pattern that is an identifier.
    pub(super) fn pattern_name(&mut self, pattern: &BindingPattern<'a>) -> u32 {
        match pattern {
            BindingPattern::BindingIdentifier(identifier) => self.string(identifier.name.as_str()),
            _ => NO_STRING,
        }
    }

    /// Whether something must be done when control leaves the function from here.
    pub(super) fn must_unwind(&self) -> bool {
        self.f.control.iter().any(|entry| matches!(entry, Control::Iterator { .. } | Control::Finally { .. }))
    }
}
