//! yield and yield*.

use codemode_bytecode::{NO_STRING, Opcode};
use oxc_ast::ast::*;

use super::{Lowering, control::Action};
use crate::{emit::Register, error::Result};

impl<'a> Lowering<'a> {
    pub(super) fn yield_expression(&mut self, node: &YieldExpression<'a>, to: Register) -> Result<()> {
        if node.delegate {
            return self.yield_delegate(node, to);
        }
        let value = self.f.temp()?;
        match &node.argument {
            Some(argument) => self.expression_to(argument, value)?,
            None => {
                self.f.emit(Opcode::LoadUndefined, value, 0, 0, 0);
            }
        }
        self.f.at(node.span.start);
        let is_async = self.f.code.is_async;
        if is_async {
            self.f.emit(Opcode::Await, value, value, 0, 0);
        }
        let returned = self.f.label();
        if self.must_unwind() || self.in_try() {
            let resumed = self.f.label();
            self.f.jump(Opcode::Yield, value, value, 0, returned);
            self.f.jump(Opcode::Jump, 0, 0, 0, resumed);
            self.f.bind(returned);
            if is_async {
                self.f.emit(Opcode::Await, value, value, 0, 0);
            }
            self.emit_action(Action::Return(value))?;
            self.f.bind(resumed);
        } else {
            self.f.jump(Opcode::Yield, value, value, 0, returned);
            self.f.return_stubs.push((returned, value));
        }
        self.f.move_register(to, value);
        Ok(())
    }

    /// Whether a handler covers this point: the await of a return value may throw into it.
    fn in_try(&self) -> bool {
        self.f.code.is_async && self.f.control.iter().any(|entry| matches!(entry, super::Control::Try { .. }))
    }

    /// `yield*` (<https://tc39.es/ecma262/#sec-generator-function-definitions-runtime-semantics-evaluation>).
    fn yield_delegate(&mut self, node: &YieldExpression<'a>, to: Register) -> Result<()> {
        let is_async = self.f.code.is_async;
        let record = self.f.temps(3)?;
        let (received, mode, window) = (self.f.temp()?, self.f.temp()?, self.f.temps(3)?);
        let result = window;
        if let Some(argument) = &node.argument {
            let mark = self.f.mark();
            let iterable = self.operand(argument, None)?;
            let text = self.rendered(argument);
            self.f.at(node.span.start);
            // Code below calls the next method itself, so the record must have one.
            self.f.emit(Opcode::GetIterator, record, iterable, if is_async { 1 } else { 2 }, text);
            self.f.release(mark);
        }
        self.f.emit(Opcode::LoadUndefined, received, 0, 0, 0);
        self.f.load_int(mode, 0);
        let (top, throw, returning, check, done) =
            (self.f.label(), self.f.label(), self.f.label(), self.f.label(), self.f.label());
        self.f.bind(top);
        self.f.jump_int(Opcode::JumpEqInt, mode, 1, throw);
        self.f.jump_int(Opcode::JumpEqInt, mode, 2, returning);

        // next
        self.f.move_register(window, record + 1);
        self.f.move_register(window + 1, record);
        self.f.move_register(window + 2, received);
        self.f.emit(Opcode::Call, result, window, 1, NO_STRING);
        self.f.jump(Opcode::Jump, 0, 0, 0, check);

        // throw
        self.f.bind(throw);
        let missing = self.f.label();
        let site = self.site("throw");
        self.f.emit(Opcode::GetMethod, window, record, 0, site);
        self.f.jump(Opcode::JumpIfUndefined, window, 0, 0, missing);
        self.f.move_register(window + 1, record);
        self.f.move_register(window + 2, received);
        self.f.emit(Opcode::Call, result, window, 1, NO_STRING);
        self.f.jump(Opcode::Jump, 0, 0, 0, check);
        self.f.bind(missing);
        if is_async {
            self.async_close(record, false)?;
        } else {
            self.f.emit(Opcode::IteratorClose, record, 0, 0, 0);
        }
        self.throw_error(codemode_bytecode::ErrorKind::Type, "The iterator does not provide a 'throw' method");

        // return
        self.f.bind(returning);
        let no_return = self.f.label();
        let site = self.site("return");
        self.f.emit(Opcode::GetMethod, window, record, 0, site);
        self.f.jump(Opcode::JumpIfUndefined, window, 0, 0, no_return);
        self.f.move_register(window + 1, record);
        self.f.move_register(window + 2, received);
        self.f.emit(Opcode::Call, result, window, 1, NO_STRING);
        if is_async {
            self.f.emit(Opcode::Await, result, result, 0, 0);
        }
        self.require_result(result);
        let again = self.f.label();
        self.test_done(result, window + 1, again);
        self.get_named(received, result, "value", node.span.start);
        self.emit_action(Action::Return(received))?;
        self.f.bind(no_return);
        if is_async {
            self.f.emit(Opcode::Await, received, received, 0, 0);
        }
        self.emit_action(Action::Return(received))?;

        // The inner iterator's result goes out, unless it is done.
        self.f.bind(check);
        if is_async {
            self.f.emit(Opcode::Await, result, result, 0, 0);
        }
        self.require_result(result);
        let not_done = self.f.label();
        self.test_done(result, window + 1, not_done);
        self.f.jump(Opcode::Jump, 0, 0, 0, done);
        self.f.bind(not_done);
        self.f.bind(again);
        if is_async {
            self.get_named(result, result, "value", node.span.start);
        }
        self.f.emit(Opcode::YieldDelegate, received, result, mode, 0);
        self.f.jump(Opcode::JumpLoop, 0, 0, 0, top);
        self.f.bind(done);
        self.get_named(to, result, "value", node.span.start);
        Ok(())
    }

    fn require_result(&mut self, result: Register) {
        let message = self.string("Iterator result is not an object");
        self.f.emit(Opcode::RequireObject, result, 0, 0, message);
    }

    /// Goes on when the iterator result is done, else jumps.
    fn test_done(&mut self, result: Register, temp: Register, not_done: crate::emit::Label) {
        let site = self.site("done");
        self.f.emit(Opcode::GetProp, temp, result, 0, site);
        self.f.jump(Opcode::JumpIfFalse, temp, 0, 0, not_done);
    }
}
