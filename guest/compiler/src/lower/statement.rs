//! Statements, but for loops and try.

use codemode_bytecode::Opcode;
use oxc_ast::ast::*;
use oxc_span::GetSpan;

use super::{Control, Lowering, control::Action};
use crate::{
    emit::Label,
    error::{Failure, Result},
    scope::Storage,
};

impl<'a> Lowering<'a> {
    pub(super) fn statements(&mut self, statements: &[Statement<'a>]) -> Result<()> {
        statements.iter().try_for_each(|statement| self.statement(statement))
    }

    pub(super) fn statement(&mut self, statement: &Statement<'a>) -> Result<()> {
        let mark = self.f.mark();
        let labels = std::mem::take(&mut self.pending_labels);
        match statement {
            Statement::ExpressionStatement(node) => {
                self.f.at(node.span.start);
                match self.f.completion {
                    Some(completion) => self.expression_to(&node.expression, completion)?,
                    None => self.effect(&node.expression)?,
                }
            }
            Statement::VariableDeclaration(declaration) => self.variable_declaration(declaration)?,
            Statement::FunctionDeclaration(function) => self.block_function(function)?,
            Statement::ClassDeclaration(class) => self.class_declaration(class)?,
            Statement::BlockStatement(block) => {
                let exit = self.labelled(labels);
                self.block(block)?;
                self.end_labelled(exit);
            }
            Statement::EmptyStatement(_) | Statement::DebuggerStatement(_) => {}
            Statement::IfStatement(node) => {
                let exit = self.labelled(labels);
                self.if_statement(node)?;
                self.end_labelled(exit);
            }
            Statement::ReturnStatement(node) => self.return_statement(node)?,
            Statement::ThrowStatement(node) => {
                let value = self.operand(&node.argument, None)?;
                self.f.at(node.span.start);
                self.f.emit(Opcode::Throw, value, 0, 0, 0);
            }
            Statement::ForStatement(node) => self.for_statement(node, labels)?,
            Statement::ForInStatement(node) => self.for_in(node, labels)?,
            Statement::ForOfStatement(node) => self.for_of(node, labels)?,
            Statement::WhileStatement(node) => self.while_statement(node, labels)?,
            Statement::DoWhileStatement(node) => self.do_while(node, labels)?,
            Statement::SwitchStatement(node) => self.switch(node, labels)?,
            Statement::TryStatement(node) => {
                let exit = self.labelled(labels);
                self.try_statement(node)?;
                self.end_labelled(exit);
            }
            Statement::LabeledStatement(node) => {
                let label = node.label.name.to_string();
                if labels.contains(&label) || self.has_label(&label) {
                    return self.fail(node.label.span.start, format!("Label '{label}' has already been declared"));
                }
                self.pending_labels = labels;
                self.pending_labels.push(label);
                match &node.body {
                    body @ (Statement::ForStatement(_)
                    | Statement::ForInStatement(_)
                    | Statement::ForOfStatement(_)
                    | Statement::WhileStatement(_)
                    | Statement::DoWhileStatement(_)
                    | Statement::SwitchStatement(_)
                    | Statement::BlockStatement(_)
                    | Statement::IfStatement(_)
                    | Statement::TryStatement(_)
                    | Statement::LabeledStatement(_)) => self.statement(body)?,
                    body => {
                        let labels = std::mem::take(&mut self.pending_labels);
                        let exit = self.labelled(labels);
                        self.statement(body)?;
                        self.end_labelled(exit);
                    }
                }
            }
            Statement::BreakStatement(node) => {
                let target = self.break_target(node.label.as_ref().map(|label| label.name.as_str()));
                match (target, &node.label) {
                    (Some(index), _) => self.emit_action(Action::Break(index))?,
                    (None, Some(label)) => {
                        return self.fail(label.span.start, format!("Undefined label '{}'", label.name));
                    }
                    (None, None) => return self.fail(node.span.start, "Illegal break statement"),
                }
            }
            Statement::ContinueStatement(node) => {
                let target = self.continue_target(node.label.as_ref().map(|label| label.name.as_str()));
                match (target, &node.label) {
                    (Some(index), _) => self.emit_action(Action::Continue(index))?,
                    (None, Some(label)) if self.has_label(&label.name) => {
                        return self.fail(
                            label.span.start,
                            format!(
                                "Illegal continue statement: '{}' does not denote an iteration statement",
                                label.name
                            ),
                        );
                    }
                    (None, Some(label)) => {
                        return self.fail(label.span.start, format!("Undefined label '{}'", label.name));
                    }
                    (None, None) => {
                        return self
                            .fail(node.span.start, "Illegal continue statement: no surrounding iteration statement");
                    }
                }
            }
            Statement::TSEnumDeclaration(node) => self.enum_declaration(node)?,
            Statement::TSNamespaceDeclaration(node) => self.namespace(node)?,
            Statement::ExportDefaultDeclaration(node) => {
                return Err(Failure::unsupported(
                    node.span.start,
                    "`export default` is only supported for a program that is nothing but one function",
                ));
            }
            Statement::TSTypeAliasDeclaration(_)
            | Statement::TSInterfaceDeclaration(_)
            | Statement::TSExternalModuleDeclaration(_)
            | Statement::TSGlobalDeclaration(_)
            | Statement::ImportDeclaration(_)
            | Statement::ExportDeclaration(_)
            | Statement::ExportNamedDeclaration(_)
            | Statement::ExportFromDeclaration(_)
            | Statement::ExportAllDeclaration(_)
            | Statement::TSNamespaceExportDeclaration(_) => {}
            Statement::WithStatement(_)
            | Statement::TSImportEqualsDeclaration(_)
            | Statement::TSExportAssignment(_) => {
                return Err(Failure::unsupported(statement.span().start, "This syntax is not supported"));
            }
        }
        self.f.release(mark);
        Ok(())
    }

    /// A statement that labels can only break out of.
    fn labelled(&mut self, labels: Vec<String>) -> Option<Label> {
        if labels.is_empty() {
            return None;
        }
        let label = self.f.label();
        self.f.control.push(Control::Break { labels, target: label, is_plain: false });
        Some(label)
    }

    fn end_labelled(&mut self, exit: Option<Label>) {
        if let Some(label) = exit {
            self.f.control.pop();
            self.f.bind(label);
        }
    }

    pub(super) fn block(&mut self, block: &BlockStatement<'a>) -> Result<()> {
        let entered = self.enter(Self::cell_scope(&block.scope_id), &block.body)?;
        self.statements(&block.body)?;
        self.leave(entered);
        Ok(())
    }

    pub(super) fn variable_declaration(&mut self, declaration: &VariableDeclaration<'a>) -> Result<()> {
        if declaration.declare {
            return Ok(());
        }
        let is_var = declaration.kind.is_var();
        for declarator in &declaration.declarations {
            let mark = self.f.mark();
            self.f.at(declarator.span.start);
            match (&declarator.id, &declarator.init) {
                (BindingPattern::BindingIdentifier(identifier), Some(init)) => {
                    self.initialize_variable(identifier, init, is_var)?;
                }
                (BindingPattern::BindingIdentifier(_), None) if is_var => {}
                (BindingPattern::BindingIdentifier(identifier), None) => {
                    if declaration.kind.is_const() {
                        return self.fail(identifier.span.end, "Missing initializer in const declaration");
                    }
                    if let Some(id) = self.declared(identifier.name.as_str()) {
                        let register = match self.binding_register(id) {
                            Some(register) => register,
                            None => self.f.temp()?,
                        };
                        self.f.emit(Opcode::LoadUndefined, register, 0, 0, 0);
                        self.initialize(id, register)?;
                    }
                }
                (pattern, Some(init)) => {
                    let value = self.operand(init, Some(pattern.span()))?;
                    self.destructured = Some(self.rendered(init));
                    self.bind_pattern(pattern, value)?;
                }
                (pattern, None) => {
                    return self.fail(pattern.span().start, "Missing initializer in destructuring declaration");
                }
            }
            self.f.release(mark);
        }
        Ok(())
    }

    fn initialize_variable(
        &mut self,
        identifier: &BindingIdentifier<'a>,
        init: &Expression<'a>,
        is_var: bool,
    ) -> Result<()> {
        let Some(id) = self.declared(identifier.name.as_str()) else { return Ok(()) };
        let name = self.string(identifier.name.as_str());
        match self.plan.binding(id).storage {
            Storage::Register(Some(register)) => {
                // Nothing reads a lexical variable before its initialiser is done, unless a dead zone is to be checked: its
                // register can be used on the way.
                let visible = is_var || self.plan.binding(id).needs_dead_zone;
                if !visible {
                    self.f.set_local(register, false);
                }
                self.named_to(init, register, name)?;
                self.f.set_local(register, true);
            }
            _ => {
                let value = if self.is_anonymous_function(init) {
                    let temp = self.f.temp()?;
                    self.named_to(init, temp, name)?;
                    temp
                } else {
                    self.operand(init, None)?
                };
                self.f.at(identifier.span.start);
                self.initialize(id, value)?;
            }
        }
        Ok(())
    }

    /// A function declaration where it stands: Annex B assigns the var.
    fn block_function(&mut self, function: &Function<'a>) -> Result<()> {
        let Some(&var) = self.plan.annex_b.get(&function.span.start) else { return Ok(()) };
        let Some(id) = &function.id else { return Ok(()) };
        let Some(&binding) = self.plan.scope(self.scope).names.get(id.name.as_str()) else { return Ok(()) };
        let mark = self.f.mark();
        let register = match self.binding_register(binding) {
            Some(register) => register,
            None => {
                let temp = self.f.temp()?;
                self.load_binding(binding, false, temp)?;
                temp
            }
        };
        self.initialize(var, register)?;
        self.f.release(mark);
        Ok(())
    }

    fn if_statement(&mut self, node: &IfStatement<'a>) -> Result<()> {
        self.reset_completion();
        self.f.at(node.test.span().start);
        let otherwise = self.f.label();
        self.branch(&node.test, otherwise, false)?;
        self.branch_statement(&node.consequent)?;
        match &node.alternate {
            Some(alternate) => {
                let end = self.f.label();
                if !ends_abruptly(&node.consequent) {
                    self.f.jump(Opcode::Jump, 0, 0, 0, end);
                }
                self.f.bind(otherwise);
                self.branch_statement(alternate)?;
                self.f.bind(end);
            }
            None => self.f.bind(otherwise),
        }
        Ok(())
    }

    fn branch_statement(&mut self, statement: &Statement<'a>) -> Result<()> {
        if let Statement::FunctionDeclaration(function) = statement
            && let Some(&scope) = self.plan.branch_scopes.get(&function.span.start)
        {
            let entered = self.enter(scope, std::slice::from_ref(statement))?;
            self.statement(statement)?;
            self.leave(entered);
            return Ok(());
        }
        self.statement(statement)
    }

    /// In a script, statements with a body start with the value undefined.
    pub(super) fn reset_completion(&mut self) {
        if let Some(completion) = self.f.completion {
            self.f.emit(Opcode::LoadUndefined, completion, 0, 0, 0);
        }
    }

    fn return_statement(&mut self, node: &ReturnStatement<'a>) -> Result<()> {
        let is_async_generator = self.f.code.is_async && self.f.code.is_generator;
        if let (Some(argument), false, false) = (&node.argument, is_async_generator, self.must_unwind()) {
            self.f.at(node.span.start);
            return self.return_value(argument);
        }
        let value = match &node.argument {
            Some(argument) => {
                let value = self.operand(argument, None)?;
                if is_async_generator {
                    let temp = self.f.temp()?;
                    self.f.at(node.span.start);
                    self.f.emit(Opcode::Await, temp, value, 0, 0);
                    temp
                } else {
                    value
                }
            }
            None => {
                let temp = self.f.temp()?;
                self.f.emit(Opcode::LoadUndefined, temp, 0, 0, 0);
                temp
            }
        };
        self.f.at(node.span.start);
        self.emit_action(Action::Return(value))
    }

    fn switch(&mut self, node: &SwitchStatement<'a>, labels: Vec<String>) -> Result<()> {
        self.reset_completion();
        let exit = self.f.label();
        self.f.control.push(Control::Break { labels, target: exit, is_plain: true });
        self.f.at(node.span.start);
        let value = self.f.temp()?;
        self.expression_to(&node.discriminant, value)?;
        let entered = self.enter_bare(Self::cell_scope(&node.scope_id))?;
        for case in &node.cases {
            self.hoist(&case.consequent)?;
        }
        let mut targets = Vec::with_capacity(node.cases.len());
        let mut default = None;
        for case in &node.cases {
            let target = self.f.label();
            targets.push(target);
            match &case.test {
                None => default = Some(target),
                Some(test) => {
                    let mark = self.f.mark();
                    self.f.at(test.span().start);
                    match self.constant_short(test) {
                        Some(short) => self.f.jump_int(Opcode::JumpEqInt, value, short, target),
                        None => {
                            let test = self.operand(test, None)?;
                            self.f.jump(Opcode::JumpStrictEq, value, test, 0, target);
                        }
                    }
                    self.f.release(mark);
                }
            }
        }
        let end = self.f.label();
        self.f.jump(Opcode::Jump, 0, 0, 0, default.unwrap_or(end));
        for (case, target) in node.cases.iter().zip(targets) {
            self.f.bind(target);
            self.statements(&case.consequent)?;
        }
        self.f.bind(end);
        self.leave(entered);
        self.f.control.pop();
        self.f.bind(exit);
        Ok(())
    }
}

/// Whether control never reaches the end of a statement, as far as is plain to see.
pub(super) fn ends_abruptly(statement: &Statement) -> bool {
    match statement {
        Statement::ReturnStatement(_)
        | Statement::ThrowStatement(_)
        | Statement::BreakStatement(_)
        | Statement::ContinueStatement(_) => true,
        Statement::BlockStatement(block) => block.body.last().is_some_and(ends_abruptly),
        _ => false,
    }
}
