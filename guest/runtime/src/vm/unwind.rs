//! The end of frames: returns and throws.

use crate::object::ObjectKind;
use crate::value::Value;
use crate::vm::coroutine::CoroutineKind;
use crate::vm::{Frame, OnReturn, Thrown, Vm};

/// What the interpreter loop does after a frame ended or a throw was looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Unwound {
    /// Goes on with the topmost frame.
    Handled,
    /// Returns this value to its native caller.
    Exit(Value),
    /// There is (still) a thrown value: unwind, or return `Thrown` to the native caller.
    Thrown,
}

impl Vm {
    /// The running frame returns `value`.
    pub(crate) fn finish_frame(&mut self, value: Value, floor: usize) -> Unwound {
        let Some(&frame) = self.frames.last() else { return Unwound::Exit(value) };
        if let Some(coroutine) = frame.coroutine {
            self.frames.pop();
            self.restore_caller();
            return self.finish_coroutine(frame, coroutine, Ok(value), floor);
        }
        if matches!(frame.on_return, OnReturn::Construct(_) | OnReturn::ExitConstruct) && !value.is_object() {
            let is_derived =
                self.codes[frame.code.index()].kind == codemode_bytecode::FunctionKind::DerivedConstructor;
            if is_derived && !value.is_undefined() {
                self.throw_type_error("Derived constructors may only return object or undefined");
                return Unwound::Thrown;
            }
            if frame.this.is_empty() {
                self.throw_this_unbound();
                return Unwound::Thrown;
            }
            self.frames.pop();
            self.restore_caller();
            return self.deliver(frame.on_return, frame.this, floor);
        }
        self.frames.pop();
        self.restore_caller();
        self.deliver(frame.on_return, value, floor)
    }

    /// Hands the result of a popped frame to whoever waits for it.
    pub(crate) fn deliver(&mut self, on_return: OnReturn, value: Value, _floor: usize) -> Unwound {
        match on_return {
            OnReturn::Register(register) | OnReturn::Construct(register) => self.set_caller_register(register, value),
            OnReturn::Discard | OnReturn::IteratorCloseSilent => {}
            OnReturn::Exit | OnReturn::ExitConstruct => return Unwound::Exit(value),
            OnReturn::Boolean(register) => {
                let boolean = self.heap.to_boolean(value);
                self.set_caller_register(register, Value::boolean(boolean));
            }
            OnReturn::IteratorClose => {
                if !value.is_object() {
                    self.throw_iterator_result(value);
                    return Unwound::Thrown;
                }
            }
            OnReturn::IteratorNext { record, register, done } => match self.iterator_unwrap(value) {
                Ok(step) => self.deliver_step(record, register, done, step),
                Err(Thrown) => return Unwound::Thrown,
            },
        }
        Unwound::Handled
    }

    /// Stores an iteration step into the topmost frame, or makes it jump.
    pub(crate) fn deliver_step(&mut self, record: u8, register: u8, done: u32, step: Option<Value>) {
        let Some(frame) = self.frames.last_mut() else { return };
        let base = frame.base as usize;
        match step {
            Some(value) => {
                self.stack[base + register as usize] = value;
                self.stack[base + record as usize + 2] = Value::FALSE;
            }
            None => {
                self.stack[base + record as usize + 2] = Value::TRUE;
                if done == u32::MAX {
                    self.stack[base + register as usize] = Value::UNDEFINED;
                } else {
                    frame.pc = done;
                }
            }
        }
    }

    /// Delivers `{ value, done }` without making the object where the receiver is a loop.
    pub(crate) fn deliver_iterator_result(&mut self, on_return: OnReturn, value: Value, done: bool, floor: usize) -> Unwound {
        if let OnReturn::IteratorNext { record, register, done: target } = on_return {
            self.deliver_step(record, register, target, (!done).then_some(value));
            return Unwound::Handled;
        }
        let result = self.create_iter_result(value, done);
        self.deliver(on_return, result, floor)
    }

    fn set_caller_register(&mut self, register: u8, value: Value) {
        if let Some(frame) = self.frames.last() {
            self.stack[frame.base as usize + register as usize] = value;
        }
    }

    /// Finds the handler of the thrown value, popping frames up to and including the one at depth `floor`.
    pub(crate) fn unwind(&mut self, floor: usize) -> Unwound {
        loop {
            if self.frames.len() <= floor {
                return Unwound::Thrown;
            }
            let Some(frame) = self.frames.last().copied() else { return Unwound::Thrown };
            if self.termination.is_none() && self.enter_handler(&frame) {
                return Unwound::Handled;
            }
            self.frames.pop();
            self.restore_caller();
            if let Some(coroutine) = frame.coroutine {
                if self.termination.is_some() {
                    self.abandon_coroutine(coroutine);
                } else {
                    match self.finish_coroutine(frame, coroutine, Err(Thrown), floor) {
                        Unwound::Thrown => {}
                        other => return other,
                    }
                }
            }
            match frame.on_return {
                OnReturn::Exit | OnReturn::ExitConstruct => return Unwound::Thrown,
                OnReturn::IteratorCloseSilent if self.termination.is_none() => return Unwound::Handled,
                _ => {}
            }
        }
    }

    /// Continues at the innermost handler of the frame that covers its instruction, if there is one.
    fn enter_handler(&mut self, frame: &Frame) -> bool {
        let code = &self.codes[frame.code.index()];
        let at = frame.pc.saturating_sub(1);
        let Some(handler) = code.function().handlers.iter().find(|h| h.start <= at && at < h.end) else { return false };
        let (target, register) = (handler.target, handler.register);
        let exception = std::mem::replace(&mut self.exception, Value::UNDEFINED);
        self.stack[frame.base as usize + register as usize] = exception;
        if let Some(top) = self.frames.last_mut() {
            top.pc = target;
        }
        self.restore_caller();
        true
    }

    /// A frame with a coroutine ended, normally or with the thrown value.
    fn finish_coroutine(
        &mut self,
        frame: Frame,
        coroutine: crate::heap::Gc<crate::object::Object>,
        outcome: Result<Value, Thrown>,
        floor: usize,
    ) -> Unwound {
        let ObjectKind::Coroutine(state) = &mut self.heap[coroutine].kind else { return Unwound::Thrown };
        state.finish();
        let (kind, promise, was_suspended) = (state.kind, state.promise, state.was_suspended);
        match kind {
            CoroutineKind::Generator => match outcome {
                Ok(value) => self.deliver_iterator_result(frame.on_return, value, true, floor),
                Err(Thrown) => Unwound::Thrown,
            },
            CoroutineKind::Async => {
                let Some(promise) = promise else { return Unwound::Thrown };
                let saved = self.roots.len();
                self.root(promise);
                match outcome {
                    Ok(value) => self.resolve_promise(promise, value),
                    Err(Thrown) => {
                        let reason = std::mem::replace(&mut self.exception, Value::UNDEFINED);
                        self.reject_promise(promise, reason);
                    }
                }
                self.roots.truncate(saved);
                if self.termination.is_some() {
                    return Unwound::Thrown;
                }
                let result = if was_suspended { Value::UNDEFINED } else { Value::object(promise) };
                self.deliver(frame.on_return, result, floor)
            }
            CoroutineKind::AsyncGenerator => {
                let saved = self.roots.len();
                self.root(coroutine);
                let outcome = outcome.map_err(|Thrown| std::mem::replace(&mut self.exception, Value::UNDEFINED));
                self.async_generator_finished(coroutine, outcome);
                self.roots.truncate(saved);
                if self.termination.is_some() {
                    return Unwound::Thrown;
                }
                self.deliver(frame.on_return, Value::UNDEFINED, floor)
            }
        }
    }

    /// TypeError for an iterator result that is no object.
    #[cold]
    pub(crate) fn throw_iterator_result(&mut self, value: Value) -> Thrown {
        let text = self.display(value);
        self.throw_type_error(format!("Iterator result {text} is not an object"))
    }

    /// ReferenceError of a derived constructor that did not call `super()`.
    #[cold]
    pub(crate) fn throw_this_unbound(&mut self) -> Thrown {
        self.throw_reference_error(
            "Must call super constructor in derived class before accessing 'this' or returning from derived constructor",
        )
    }

    /// ReferenceError of a binding in its temporal dead zone.
    #[cold]
    pub(crate) fn throw_uninitialized(&mut self, code: &crate::vm::Code, name: u32) -> Thrown {
        let name = code.string_text(name);
        self.throw_reference_error(format!("Cannot access '{name}' before initialization"))
    }
}
