//! Leaving statements early: break, continue, return and exceptions through finally blocks, iterators and environments.

use codemode_bytecode::Opcode;
use oxc_ast::ast::*;

use super::Lowering;
use crate::{
    emit::{Label, Region, Register},
    error::Result,
};

/// Completion kinds in the register of a finally block; jumps are numbered from [`FIRST_JUMP`].
const NORMAL: i16 = 0;
const THROW: i16 = 1;
const FIRST_JUMP: i16 = 2;

/// Something that control passes when it leaves a statement early.
#[derive(Debug)]
pub(crate) enum Control {
    /// Where break goes.
    Break { labels: Vec<String>, target: Label, is_plain: bool },
    /// Where continue goes.
    Continue { labels: Vec<String>, target: Label },
    /// An environment to pop.
    Env,
    /// An iterator to close.
    Iterator { record: Register, is_async: bool, region: Region },
    /// A region with a catch block.
    Try { region: Region },
    /// A region with a finally block.
    Finally { kind: Register, value: Register, entry: Label, jumps: Vec<Action>, region: Region },
}

/// A jump out of statements. The numbers are indices of entries in the control stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Break(usize),
    Continue(usize),
    /// Returns the value in the register.
    Return(Register),
}

impl<'a> Lowering<'a> {
    pub(super) fn has_label(&self, name: &str) -> bool {
        self.f.control.iter().any(|entry| match entry {
            Control::Break { labels, .. } => labels.iter().any(|label| label == name),
            _ => false,
        })
    }

    pub(super) fn break_target(&self, name: Option<&str>) -> Option<usize> {
        self.f.control.iter().rposition(|entry| match (entry, name) {
            (Control::Break { labels, .. }, Some(name)) => labels.iter().any(|label| label == name),
            (Control::Break { is_plain, .. }, None) => *is_plain,
            _ => false,
        })
    }

    pub(super) fn continue_target(&self, name: Option<&str>) -> Option<usize> {
        self.f.control.iter().rposition(|entry| match (entry, name) {
            (Control::Continue { labels, .. }, Some(name)) => labels.iter().any(|label| label == name),
            (Control::Continue { .. }, None) => true,
            _ => false,
        })
    }

    /// Leaves everything between here and the target of the action, then takes it.
    pub(super) fn emit_action(&mut self, action: Action) -> Result<()> {
        let floor = match action {
            Action::Break(index) | Action::Continue(index) => index + 1,
            Action::Return(_) => 0,
        };
        let mark = self.f.mark();
        let mut stack = std::mem::take(&mut self.f.control);
        let mut passed = stack.len();
        let mut arrived = true;
        while passed > floor {
            passed -= 1;
            let may_see_env = !matches!(action, Action::Return(_)) || has_work(&stack[..passed]);
            match &mut stack[passed] {
                Control::Break { .. } | Control::Continue { .. } => {}
                // Nothing sees the environment after a return that runs no more code.
                Control::Env => {
                    if may_see_env {
                        self.f.emit(Opcode::PopEnv, 0, 0, 0, 0);
                    }
                }
                Control::Try { region } => self.f.suspend_region(region),
                Control::Iterator { record, is_async, region } => {
                    self.f.suspend_region(region);
                    let (record, is_async) = (*record, *is_async);
                    if is_async {
                        self.async_close(record, false)?;
                    } else {
                        self.f.emit(Opcode::IteratorClose, record, 0, 0, 0);
                    }
                }
                Control::Finally { kind, value, entry, jumps, region } => {
                    self.f.suspend_region(region);
                    if let Action::Return(register) = action {
                        self.f.move_register(*value, register);
                    }
                    let noted = match action {
                        Action::Return(_) => Action::Return(*value),
                        other => other,
                    };
                    let index = match jumps.iter().position(|jump| *jump == noted) {
                        Some(index) => index,
                        None => {
                            jumps.push(noted);
                            jumps.len() - 1
                        }
                    };
                    self.f.load_int(*kind, (FIRST_JUMP as usize + index) as i32);
                    let entry = *entry;
                    self.f.jump(Opcode::Jump, 0, 0, 0, entry);
                    arrived = false;
                    break;
                }
            }
        }
        if arrived {
            match action {
                Action::Break(index) | Action::Continue(index) => {
                    if let Some(Control::Break { target, .. } | Control::Continue { target, .. }) = stack.get(index) {
                        self.f.jump(Opcode::Jump, 0, 0, 0, *target);
                    }
                }
                Action::Return(register) => self.final_return(register)?,
            }
        }
        for entry in &mut stack[passed..] {
            if let Control::Try { region } | Control::Iterator { region, .. } | Control::Finally { region, .. } = entry
            {
                self.f.resume_region(region);
            }
        }
        self.f.control = stack;
        self.f.release(mark);
        Ok(())
    }

    /// Takes the innermost region off the control stack.
    pub(super) fn pop_region(&mut self) -> Region {
        match self.f.control.pop() {
            Some(Control::Try { mut region } | Control::Iterator { mut region, .. }) => {
                self.f.suspend_region(&mut region);
                region
            }
            _ => self.f.open_region(),
        }
    }

    /// Saves the environment for the handlers of a region, when code in the source range makes environments.
    pub(super) fn save_env(&mut self, start: u32, end: u32) -> Result<Option<Register>> {
        if !self.plan.makes_env_in(self.scope, start, end) {
            return Ok(None);
        }
        let register = self.f.temp()?;
        self.f.emit(Opcode::SaveEnv, register, 0, 0, 0);
        Ok(Some(register))
    }

    pub(super) fn restore_env(&mut self, saved: Option<Register>) {
        if let Some(register) = saved {
            self.f.emit(Opcode::RestoreEnv, register, 0, 0, 0);
        }
    }

    pub(super) fn try_statement(&mut self, node: &TryStatement<'a>) -> Result<()> {
        self.reset_completion();
        let Some(finalizer) = &node.finalizer else {
            return match &node.handler {
                Some(handler) => self.try_catch(node, handler),
                None => self.fail(node.span.start, "Missing catch or finally after try"),
            };
        };
        let (kind, value) = (self.f.temp()?, self.f.temp()?);
        let saved = self.save_env(node.span.start, finalizer.span.start)?;
        let entry = self.f.label();
        let region = self.f.open_region();
        self.f.control.push(Control::Finally { kind, value, entry, jumps: Vec::new(), region });
        match &node.handler {
            Some(handler) => self.try_catch(node, handler)?,
            None => self.block(&node.block)?,
        }
        let Some(Control::Finally { jumps, mut region, .. }) = self.f.control.pop() else { return Ok(()) };
        self.f.suspend_region(&mut region);
        self.f.load_int(kind, NORMAL as i32);
        self.f.jump(Opcode::Jump, 0, 0, 0, entry);
        self.f.handle(region, value);
        self.restore_env(saved);
        self.f.load_int(kind, THROW as i32);
        self.f.bind(entry);

        // The value of a finally block that completes normally does not count.
        let completion = self.f.completion;
        if completion.is_some() {
            self.f.completion = Some(self.f.temp()?);
        }
        self.block(finalizer)?;
        self.f.completion = completion;

        let end = self.f.label();
        if jumps.is_empty() {
            self.f.jump_int(Opcode::JumpNeInt, kind, THROW, end);
        } else {
            self.f.jump_int(Opcode::JumpEqInt, kind, NORMAL, end);
            for (index, action) in jumps.iter().enumerate() {
                let next = self.f.label();
                self.f.jump_int(Opcode::JumpNeInt, kind, FIRST_JUMP + index as i16, next);
                self.emit_action(*action)?;
                self.f.bind(next);
            }
        }
        self.f.emit(Opcode::Throw, value, 0, 0, 0);
        self.f.bind(end);
        Ok(())
    }

    fn try_catch(&mut self, node: &TryStatement<'a>, handler: &CatchClause<'a>) -> Result<()> {
        let mark = self.f.mark();
        let saved = self.save_env(node.block.span.start, node.block.span.end)?;
        let error = self.f.temp()?;
        let end = self.f.label();
        let region = self.f.open_region();
        self.f.control.push(Control::Try { region });
        self.block(&node.block)?;
        let region = self.pop_region();
        self.f.jump(Opcode::Jump, 0, 0, 0, end);
        self.f.handle(region, error);
        self.restore_env(saved);
        self.reset_completion();
        let scope = Self::cell_scope(&handler.scope_id);
        if let Some(parameter) = &handler.param {
            self.claim(scope, &parameter.pattern, error);
        }
        let entered = self.enter_bare(scope)?;
        if let Some(parameter) = &handler.param {
            self.bind_pattern(&parameter.pattern, error)?;
        }
        self.block(&handler.body)?;
        self.leave(entered);
        self.f.bind(end);
        self.f.release(mark);
        Ok(())
    }
}

/// Whether leaving these entries runs code that could see the environment.
fn has_work(stack: &[Control]) -> bool {
    stack.iter().any(|entry| matches!(entry, Control::Iterator { .. } | Control::Finally { .. }))
}
