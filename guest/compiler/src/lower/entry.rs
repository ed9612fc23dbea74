//! The entry function of a unit.

use codemode_bytecode::{Constant, FunctionKind, GlobalDeclarations, NO_STRING, Opcode};
use oxc_ast::ast::*;

use super::Lowering;
use crate::{
    emit::Register,
    error::Result,
    scope::{BindingKind, ScopeId, Storage},
};

/// What the entry does with the statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    /// A script: global declarations, completion value.
    Script,
    /// A program: an async function body whose implicit result is the last top-level expression statement.
    Program,
    /// Builtins: gives an array of the closures of all function declarations.
    SelfHosted,
}

impl<'a> Lowering<'a> {
    pub(super) fn entry(&mut self, program: &Program<'a>, entry: Entry) -> Result<()> {
        let root = ScopeId(0);
        {
            let strict = self.plan.scope(root).strict;
            let code = &mut self.f.code;
            code.kind = FunctionKind::Entry;
            code.is_strict = strict;
            code.is_async = entry == Entry::Program;
            code.uses_this = true;
            code.source_end = self.source.len() as u32;
        }
        if self.plan.scope(root).env_slots > 0 {
            self.push_env(root);
        }
        self.allocate(root)?;
        self.entry_this(root)?;
        match entry {
            Entry::Script => {
                let declarations = self.declarations(&program.body)?;
                if declarations != GlobalDeclarations::default() {
                    let constant = self.f.constant(Constant::Declarations(Box::new(declarations)));
                    self.f.emit(Opcode::DeclareGlobals, 0, 0, 0, constant);
                }
                let completion = self.f.temp()?;
                self.f.emit(Opcode::LoadUndefined, completion, 0, 0, 0);
                if let Some(directive) = program.directives.last() {
                    // Directives are expression statements as well.
                    let text = directive.expression.value.as_str();
                    let string = self.unit.literal(text, directive.expression.lone_surrogates);
                    self.load_string_index(completion, string);
                }
                self.f.completion = Some(completion);
                self.hoist(&program.body)?;
                self.statements(&program.body)?;
                self.f.emit(Opcode::Return, completion, 0, 0, 0);
            }
            Entry::Program => self.program(program)?,
            Entry::SelfHosted => self.closures(&program.body)?,
        }
        self.return_stubs();
        let code = std::mem::replace(&mut self.f.code, crate::unit::empty_function());
        self.unit.define(self.f.index, code);
        Ok(())
    }

    fn entry_this(&mut self, root: ScopeId) -> Result<()> {
        if let Some(&binding) = self.plan.scope(root).names.get("this")
            && self.plan.binding(binding).kind == BindingKind::Pseudo
        {
            let mark = self.f.mark();
            let temp = self.f.temp()?;
            self.f.emit(Opcode::LoadThis, temp, 0, 0, 0);
            self.initialize(binding, temp)?;
            self.f.release(mark);
        }
        Ok(())
    }

    fn program(&mut self, program: &Program<'a>) -> Result<()> {
        if let Some(result) = self.single_function(program)? {
            self.f.emit(Opcode::Return, result, 0, 0, 0);
            return Ok(());
        }
        self.hoist(&program.body)?;
        // The last expression statement at the top gives the implicit result.
        let last = program.body.iter().rposition(|statement| matches!(statement, Statement::ExpressionStatement(_)));
        let result = self.f.temp()?;
        self.f.emit(Opcode::LoadNull, result, 0, 0, 0);
        if let (None, Some(directive)) = (last, program.directives.last()) {
            let text = directive.expression.value.as_str();
            let string = self.unit.literal(text, directive.expression.lone_surrogates);
            self.load_string_index(result, string);
        }
        for (index, statement) in program.body.iter().enumerate() {
            match statement {
                Statement::ExpressionStatement(node) if Some(index) == last => {
                    self.f.at(node.span.start);
                    self.expression_to(&node.expression, result)?;
                }
                statement => self.statement(statement)?,
            }
        }
        self.f.emit(Opcode::Return, result, 0, 0, 0);
        Ok(())
    }

    /// A program that is nothing but one function is called: gives the awaited result.
    fn single_function(&mut self, program: &Program<'a>) -> Result<Option<Register>> {
        let body: Vec<&Statement<'a>> = program
            .body
            .iter()
            .filter(|statement| !matches!(statement, Statement::EmptyStatement(_)) && !is_type_only(statement))
            .collect();
        let [statement] = body[..] else { return Ok(None) };
        let window = self.f.temps(2)?;
        match statement {
            Statement::ExpressionStatement(node) => match node.expression.get_inner_expression() {
                expression @ (Expression::ArrowFunctionExpression(_) | Expression::FunctionExpression(_)) => {
                    self.expression_to(expression, window)?;
                }
                _ => {
                    self.f.release(window as u16);
                    return Ok(None);
                }
            },
            Statement::ExportDefaultDeclaration(export) => match &export.declaration {
                ExportDefaultDeclarationKind::FunctionDeclaration(function) => {
                    let name = match &function.id {
                        Some(id) => self.string(id.name.as_str()),
                        None => self.string("default"),
                    };
                    let index = self.function_node(function, FunctionKind::Normal, name)?;
                    self.f.emit(Opcode::NewClosure, window, 0, 0, index);
                    if let Some(binding) =
                        function.id.as_ref().and_then(|id| self.plan.scope(self.scope).names.get(id.name.as_str()))
                    {
                        self.initialize(*binding, window)?;
                    }
                }
                declaration => match declaration.as_expression().map(|expression| expression.get_inner_expression()) {
                    Some(expression @ (Expression::ArrowFunctionExpression(_) | Expression::FunctionExpression(_))) => {
                        let name = self.string("default");
                        self.named_to(expression, window, name)?;
                    }
                    // `export default` of a value: that is the result.
                    Some(expression) => {
                        self.expression_to(expression, window)?;
                        return Ok(Some(window));
                    }
                    None => return Ok(None),
                },
            },
            _ => {
                self.f.release(window as u16);
                return Ok(None);
            }
        }
        self.f.emit(Opcode::LoadUndefined, window + 1, 0, 0, 0);
        self.f.emit(Opcode::Call, window, window, 0, NO_STRING);
        self.f.emit(Opcode::Await, window, window, 0, 0);
        Ok(Some(window))
    }

    /// The global declarations of a script, functions compiled.
    fn declarations(&mut self, statements: &[Statement<'a>]) -> Result<GlobalDeclarations> {
        let mut declarations = GlobalDeclarations::default();
        let root = ScopeId(0);
        for index in 0..self.plan.scope(root).bindings.len() {
            let id = self.plan.scope(root).bindings[index];
            let binding = self.plan.binding(id);
            if binding.storage != Storage::Global {
                continue;
            }
            let (name, kind) = (binding.name, binding.kind);
            let annex_b = self.plan.annex_b.values().any(|&other| other == id) && binding.initialized_at == 0;
            let name = self.string(name);
            match kind {
                BindingKind::Let | BindingKind::Class | BindingKind::Enum | BindingKind::Namespace => {
                    declarations.lets.push(name);
                }
                BindingKind::Const => declarations.consts.push(name),
                BindingKind::Var if annex_b => declarations.annex_b.push(name),
                BindingKind::Var => declarations.vars.push(name),
                _ => {}
            }
        }
        // Of functions with the same name the last one counts.
        let mut functions: Vec<&Function<'a>> = Vec::new();
        for statement in statements.iter().rev() {
            let mut statement = statement;
            while let Statement::LabeledStatement(labeled) = statement {
                statement = &labeled.body;
            }
            if let Statement::FunctionDeclaration(function) = statement
                && function.body.is_some()
                && !functions.iter().any(|other| same_name(other, function))
            {
                functions.push(function);
            }
        }
        for function in functions.into_iter().rev() {
            let name = function.id.as_ref().map_or("", |id| id.name.as_str());
            let name = self.string(name);
            let index = self.function_node(function, FunctionKind::Normal, name)?;
            declarations.functions.push((name, index));
        }
        Ok(declarations)
    }

    /// Compiles all function declarations, and returns an array of their closures in order.
    fn closures(&mut self, statements: &[Statement<'a>]) -> Result<()> {
        let functions = || {
            statements.iter().filter_map(|statement| match statement {
                Statement::FunctionDeclaration(function) if function.id.is_some() => Some(function),
                _ => None,
            })
        };
        // The numbers first: functions refer to each other by them.
        for function in functions() {
            let root = Self::cell_scope(&function.scope_id);
            let index = self.unit.reserve();
            self.reserved.insert(root, index);
            let name = function.id.as_ref().map_or("", |id| id.name.as_str());
            if let Some(&binding) = self.plan.scope(self.scope).names.get(name) {
                self.plan.binding_mut(binding).storage = Storage::Hosted(index);
            }
        }
        let array = self.f.temp()?;
        let value = self.f.temp()?;
        self.f.emit(Opcode::NewArray, array, array, 0, 0);
        for function in functions() {
            let name = function.id.as_ref().map_or("", |id| id.name.as_str());
            let name = self.string(name);
            let index = self.function_node(function, FunctionKind::Method, name)?;
            self.f.emit(Opcode::NewClosure, value, 0, 0, index);
            self.f.emit(Opcode::ArrayPush, array, value, 0, 0);
        }
        self.f.emit(Opcode::Return, array, 0, 0, 0);
        Ok(())
    }
}

fn same_name(a: &Function, b: &Function) -> bool {
    match (&a.id, &b.id) {
        (Some(a), Some(b)) => a.name == b.name,
        _ => false,
    }
}

/// Whether a statement is erased.
fn is_type_only(statement: &Statement) -> bool {
    match statement {
        Statement::TSTypeAliasDeclaration(_) | Statement::TSInterfaceDeclaration(_) => true,
        Statement::ImportDeclaration(_) => true,
        Statement::FunctionDeclaration(function) => function.body.is_none() || function.declare,
        Statement::VariableDeclaration(declaration) => declaration.declare,
        Statement::ClassDeclaration(class) => class.declare,
        _ => false,
    }
}
