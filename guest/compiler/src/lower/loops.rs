//! Loops.

use codemode_bytecode::{NO_STRING, Opcode};
use oxc_ast::ast::*;
use oxc_span::GetSpan;

use super::{Control, Lowering};
use crate::{
    emit::{Label, Register},
    error::Result,
};

impl<'a> Lowering<'a> {
    pub(super) fn while_statement(&mut self, node: &WhileStatement<'a>, labels: Vec<String>) -> Result<()> {
        self.reset_completion();
        let (top, next, exit) = (self.f.label(), self.f.label(), self.f.label());
        self.f.bind(top);
        self.f.at(node.test.span().start);
        self.branch(&node.test, exit, false)?;
        self.loop_body(&node.body, labels, next, exit)?;
        self.f.bind(next);
        self.f.jump(Opcode::JumpLoop, 0, 0, 0, top);
        self.f.bind(exit);
        Ok(())
    }

    pub(super) fn do_while(&mut self, node: &DoWhileStatement<'a>, labels: Vec<String>) -> Result<()> {
        self.reset_completion();
        let (top, next, exit) = (self.f.label(), self.f.label(), self.f.label());
        self.f.bind(top);
        self.loop_body(&node.body, labels, next, exit)?;
        self.f.bind(next);
        self.f.at(node.test.span().start);
        self.branch(&node.test, exit, false)?;
        self.f.jump(Opcode::JumpLoop, 0, 0, 0, top);
        self.f.bind(exit);
        Ok(())
    }

    /// The body of a loop whose break and continue need no unwinding of their own.
    fn loop_body(&mut self, body: &Statement<'a>, labels: Vec<String>, next: Label, exit: Label) -> Result<()> {
        self.f.control.push(Control::Break { labels: labels.clone(), target: exit, is_plain: true });
        self.f.control.push(Control::Continue { labels, target: next });
        self.statement(body)?;
        self.f.control.pop();
        self.f.control.pop();
        Ok(())
    }

    pub(super) fn for_statement(&mut self, node: &ForStatement<'a>, labels: Vec<String>) -> Result<()> {
        self.reset_completion();
        let (top, next, end, exit) = (self.f.label(), self.f.label(), self.f.label(), self.f.label());
        self.f.control.push(Control::Break { labels: labels.clone(), target: exit, is_plain: true });
        let scope = Self::cell_scope(&node.scope_id);
        let entered = self.enter_bare(scope)?;
        // Each iteration has its own copy of let bindings that closures capture.
        let copies = self.plan.scope(scope).env_slots > 0
            && matches!(&node.init, Some(ForStatementInit::VariableDeclaration(declaration)) if !declaration.kind.is_const());
        match &node.init {
            Some(ForStatementInit::VariableDeclaration(declaration)) => self.variable_declaration(declaration)?,
            Some(init) => {
                if let Some(expression) = init.as_expression() {
                    self.f.at(expression.span().start);
                    self.effect(expression)?;
                }
            }
            None => {}
        }
        if copies && !self.init_makes_no_closure(&node.init) {
            self.f.emit(Opcode::CopyEnv, 0, 0, 0, 0);
        }
        self.f.bind(top);
        if let Some(test) = &node.test {
            self.f.at(test.span().start);
            self.branch(test, end, false)?;
        }
        self.f.control.push(Control::Continue { labels, target: next });
        self.statement(&node.body)?;
        self.f.control.pop();
        self.f.bind(next);
        if copies {
            self.f.emit(Opcode::CopyEnv, 0, 0, 0, 0);
        }
        if let Some(update) = &node.update {
            self.f.at(update.span().start);
            self.effect(update)?;
        }
        self.f.jump(Opcode::JumpLoop, 0, 0, 0, top);
        self.f.bind(end);
        self.leave(entered);
        self.f.control.pop();
        self.f.bind(exit);
        Ok(())
    }

    /// Whether the initialisers of a for head are so simple that no closure can hold the first environment.
    fn init_makes_no_closure(&self, init: &Option<ForStatementInit<'a>>) -> bool {
        match init {
            Some(ForStatementInit::VariableDeclaration(declaration)) => {
                declaration.declarations.iter().all(|declarator| {
                    declarator.id.is_binding_identifier()
                        && declarator.init.as_ref().is_none_or(|init| is_simple(init, 0))
                })
            }
            _ => true,
        }
    }

    /// Evaluates the right side of a for-in/of head: the names of the head are in their dead zone there.
    fn head_operand(&mut self, right: &Expression<'a>) -> Result<Register> {
        // The dead names have no place, so their scope need not be entered; but names inside closures resolve through it.
        let dead = self.plan.dead_heads.get(&right.span().start).copied();
        let outer = dead.map(|scope| std::mem::replace(&mut self.scope, scope));
        let register = self.operand(right, None)?;
        if let Some(outer) = outer {
            self.scope = outer;
        }
        Ok(register)
    }

    pub(super) fn for_in(&mut self, node: &ForInStatement<'a>, labels: Vec<String>) -> Result<()> {
        self.reset_completion();
        self.legacy_initializer(&node.left)?;
        let (top, next, end, exit) = (self.f.label(), self.f.label(), self.f.label(), self.f.label());
        let (enumerator, key) = (self.f.temp()?, self.f.temp()?);
        let mark = self.f.mark();
        let object = self.head_operand(&node.right)?;
        self.f.at(node.right.span().start);
        self.f.emit(Opcode::ForInStart, enumerator, object, 0, 0);
        self.f.release(mark);
        self.f.control.push(Control::Break { labels: labels.clone(), target: exit, is_plain: true });
        self.f.bind(top);
        self.f.jump(Opcode::ForInNext, enumerator, key, 0, end);
        self.f.control.push(Control::Continue { labels, target: next });
        self.iteration(&node.left, &node.body, &node.scope_id, key)?;
        self.f.control.pop();
        self.f.bind(next);
        self.f.jump(Opcode::JumpLoop, 0, 0, 0, top);
        self.f.bind(end);
        self.f.control.pop();
        self.f.bind(exit);
        Ok(())
    }

    pub(super) fn for_of(&mut self, node: &ForOfStatement<'a>, labels: Vec<String>) -> Result<()> {
        self.reset_completion();
        let (top, next, end, exit) = (self.f.label(), self.f.label(), self.f.label(), self.f.label());
        let record = self.f.temps(3)?;
        let value = self.f.temp()?;
        let mark = self.f.mark();
        let iterable = self.head_operand(&node.right)?;
        let text = self.rendered(&node.right);
        self.f.at(node.right.span().start);
        self.f.emit(Opcode::GetIterator, record, iterable, node.r#await as u8, text);
        self.f.release(mark);
        let saved = self.save_env(node.body.span().start.min(node.left.span().start), node.span.end)?;
        self.f.control.push(Control::Break { labels: labels.clone(), target: exit, is_plain: true });
        self.f.bind(top);
        self.f.at(node.right.span().start);
        if node.r#await {
            self.f.emit(Opcode::IteratorCall, record, value, 0, 0);
            self.f.emit(Opcode::Await, value, value, 0, 0);
            self.f.jump(Opcode::IteratorUnwrap, record, value, 0, end);
        } else {
            self.f.jump(Opcode::IteratorNext, record, value, 0, end);
        }
        let region = self.f.open_region();
        self.f.control.push(Control::Iterator { record, is_async: node.r#await, region });
        self.f.control.push(Control::Continue { labels, target: next });
        self.iteration(&node.left, &node.body, &node.scope_id, value)?;
        self.f.control.pop();
        let region = self.pop_region();
        self.f.bind(next);
        self.f.jump(Opcode::JumpLoop, 0, 0, 0, top);
        self.close_on_throw(region, record, node.r#await, saved)?;
        self.f.bind(end);
        self.f.control.pop();
        self.f.bind(exit);
        Ok(())
    }

    /// One iteration of a for-in/of loop: binds the value and runs the body.
    fn iteration(
        &mut self,
        left: &ForStatementLeft<'a>,
        body: &Statement<'a>,
        cell: &std::cell::Cell<Option<oxc_syntax::scope::ScopeId>>,
        value: Register,
    ) -> Result<()> {
        let scope = Self::cell_scope(cell);
        let pattern = match left {
            ForStatementLeft::VariableDeclaration(declaration) => {
                declaration.declarations.first().map(|declarator| &declarator.id)
            }
            _ => None,
        };
        if let Some(pattern) = pattern {
            self.claim(scope, pattern, value);
        }
        let entered = self.enter_bare(scope)?;
        self.f.at(left.span().start);
        match left {
            ForStatementLeft::VariableDeclaration(_) => {
                if let Some(pattern) = pattern {
                    self.bind_pattern(pattern, value)?;
                }
            }
            _ => {
                if let Some(target) = left.as_assignment_target() {
                    self.assign_target(target, value)?;
                }
            }
        }
        self.statement(body)?;
        self.leave(entered);
        Ok(())
    }

    /// Annex B.3.5: `for (var x = 1 in o)`.
    fn legacy_initializer(&mut self, left: &ForStatementLeft<'a>) -> Result<()> {
        if let ForStatementLeft::VariableDeclaration(declaration) = left
            && let Some(declarator) = declaration.declarations.first()
            && let (BindingPattern::BindingIdentifier(identifier), Some(init)) = (&declarator.id, &declarator.init)
            && let Some(id) = self.declared_var(identifier.name.as_str())
        {
            let mark = self.f.mark();
            let temp = self.f.temp()?;
            self.expression_to(init, temp)?;
            self.initialize(id, temp)?;
            self.f.release(mark);
        }
        Ok(())
    }

    /// The handler that closes an iterator when its loop or pattern throws.
    pub(super) fn close_on_throw(
        &mut self,
        region: crate::emit::Region,
        record: Register,
        is_async: bool,
        saved: Option<Register>,
    ) -> Result<()> {
        let mark = self.f.mark();
        let error = self.f.temp()?;
        self.f.handle(region, error);
        self.restore_env(saved);
        if is_async {
            self.async_close(record, true)?;
        } else {
            self.f.emit(Opcode::IteratorCloseSilent, record, 0, 0, 0);
        }
        self.f.emit(Opcode::Throw, error, 0, 0, 0);
        self.f.release(mark);
        Ok(())
    }

    /// AsyncIteratorClose (<https://tc39.es/ecma262/#sec-asynciteratorclose>); `silent` when the loop threw.
    pub(super) fn async_close(&mut self, record: Register, silent: bool) -> Result<()> {
        let mark = self.f.mark();
        let window = self.f.temps(2)?;
        let done = self.f.label();
        let region = silent.then(|| self.f.open_region());
        let site = self.site("return");
        self.f.emit(Opcode::GetMethod, window, record, 0, site);
        self.f.jump(Opcode::JumpIfUndefined, window, 0, 0, done);
        self.f.move_register(window + 1, record);
        self.f.emit(Opcode::Call, window, window, 0, NO_STRING);
        self.f.emit(Opcode::Await, window, window, 0, 0);
        match region {
            Some(region) => {
                // Whatever return does, the error of the loop is the one that counts.
                self.f.handle(region, window);
            }
            None => {
                let message = self.string("Iterator result is not an object");
                self.f.emit(Opcode::RequireObject, window, 0, 0, message);
            }
        }
        self.f.bind(done);
        self.f.release(mark);
        Ok(())
    }
}

/// Whether evaluating the expression makes no closure, as far as is plain to see.
fn is_simple(expression: &Expression, depth: u32) -> bool {
    depth < 8
        && match expression.get_inner_expression() {
            Expression::NumericLiteral(_)
            | Expression::StringLiteral(_)
            | Expression::BooleanLiteral(_)
            | Expression::NullLiteral(_)
            | Expression::Identifier(_)
            | Expression::ThisExpression(_) => true,
            Expression::UnaryExpression(node) => is_simple(&node.argument, depth + 1),
            Expression::BinaryExpression(node) => is_simple(&node.left, depth + 1) && is_simple(&node.right, depth + 1),
            Expression::StaticMemberExpression(node) => is_simple(&node.object, depth + 1),
            _ => false,
        }
}
