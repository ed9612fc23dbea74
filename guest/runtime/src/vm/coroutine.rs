//! Suspended frames: generators, async functions and async generators.
//!
//! A coroutine object owns the frame while it does not run: registers and all. Suspending moves the registers off the stack,
//! resuming moves them back above the running frame.

use std::collections::VecDeque;

use codemode_bytecode::Instruction;

use crate::heap::{Gc, Marker, Trace};
use crate::object::{Object, ObjectKind};
use crate::value::Value;
use crate::vm::calls::{Called, PROTOTYPE};
use crate::vm::interpreter::WINDOW;
use crate::vm::unwind::Unwound;
use crate::vm::{Completion, Frame, IntrinsicObject, MAX_CALL_DEPTH, OnReturn, Thrown, Vm};

/// What kind of function a coroutine runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoroutineKind {
    /// `function*`
    Generator,
    /// `async function`
    Async,
    /// `async function*`
    AsyncGenerator,
}

/// [[GeneratorState]] and [[AsyncGeneratorState]].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoroutineState {
    /// Before the first instruction of the body.
    SuspendedStart,
    /// At a yield (or an await, which outside reads as executing).
    SuspendedYield,
    /// Running, or suspended at an await.
    Executing,
    /// An async generator that awaits the operand of a `return`, or drains its queue.
    DrainingQueue,
    /// Finished.
    Completed,
}

/// How a coroutine is resumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResumeMode {
    /// With a value.
    Next,
    /// With a throw completion.
    Throw,
    /// With a return completion.
    Return,
}

/// AsyncGeneratorRequest.
#[derive(Clone, Copy, Debug)]
pub struct AsyncRequest {
    /// Completion type.
    pub mode: ResumeMode,
    /// Completion value.
    pub value: Value,
    /// The promise that `next`, `throw` or `return` handed out.
    pub promise: Gc<Object>,
}

/// Where the suspended frame goes on.
#[derive(Clone, Copy, Debug)]
enum ResumePoint {
    /// At the start of the body.
    Start,
    /// After `Yield`: value register and the target of a return completion.
    Yield { register: u8, return_target: u32 },
    /// After `YieldDelegate`: value register and mode register.
    Delegate { register: u8, mode: u8 },
    /// After `Await`.
    Await { register: u8 },
}

/// State of a generator or async function.
#[derive(Debug)]
pub struct Coroutine {
    /// Kind of function.
    pub kind: CoroutineKind,
    /// State.
    pub state: CoroutineState,
    /// The promise of an async function.
    pub promise: Option<Gc<Object>>,
    /// Whether an async function has been suspended before: its caller has the promise already.
    pub was_suspended: bool,
    /// Requests of an async generator, the running one first.
    pub queue: VecDeque<AsyncRequest>,
    frame: Option<Frame>,
    registers: Vec<Value>,
    resume: ResumePoint,
}

impl Coroutine {
    fn new(kind: CoroutineKind, promise: Option<Gc<Object>>) -> Coroutine {
        Coroutine {
            kind,
            state: CoroutineState::Executing,
            promise,
            was_suspended: false,
            queue: VecDeque::new(),
            frame: None,
            registers: Vec::new(),
            resume: ResumePoint::Start,
        }
    }

    /// Ends the coroutine and frees what it held.
    pub(crate) fn finish(&mut self) {
        self.state = CoroutineState::Completed;
        self.frame = None;
        self.registers = Vec::new();
    }

    /// Bytes outside the cell.
    pub fn payload_bytes(&self) -> usize {
        size_of::<Coroutine>() + self.registers.capacity() * 8 + self.queue.capacity() * size_of::<AsyncRequest>()
    }
}

impl Trace for Coroutine {
    fn trace(&self, marker: &mut Marker) {
        for &value in &self.registers {
            marker.mark_value(value);
        }
        if let Some(promise) = self.promise {
            marker.mark(promise);
        }
        for request in &self.queue {
            marker.mark_value(request.value);
            marker.mark(request.promise);
        }
        if let Some(frame) = &self.frame {
            frame.trace(marker);
        }
    }
}

impl Trace for Frame {
    fn trace(&self, marker: &mut Marker) {
        marker.mark_value(self.this);
        marker.mark_value(self.new_target);
        if let Some(environment) = self.environment {
            marker.mark(environment);
        }
        if let Some(function) = self.function {
            marker.mark(function);
        }
        if let Some(coroutine) = self.coroutine {
            marker.mark(coroutine);
        }
    }
}

impl Vm {
    /// The coroutine of an async function that starts now.
    pub(crate) fn new_async_coroutine(&mut self) -> Gc<Object> {
        let promise = self.new_promise();
        let coroutine = Coroutine::new(CoroutineKind::Async, Some(promise));
        self.heap.new_object_of_kind(None, ObjectKind::Coroutine(Box::new(coroutine)))
    }

    /// The frame binds its parameters no more: it becomes a generator object, which the caller gets.
    pub(crate) fn create_generator(&mut self, floor: usize) -> Unwound {
        let Some(frame) = self.frames.last().copied() else { return Unwound::Thrown };
        let is_async = self.codes[frame.code.index()].function().is_async;
        let (kind, default) = if is_async {
            (CoroutineKind::AsyncGenerator, IntrinsicObject::AsyncGeneratorPrototype)
        } else {
            (CoroutineKind::Generator, IntrinsicObject::GeneratorPrototype)
        };
        let prototype = match frame.function {
            Some(function) => match self.get(function, PROTOTYPE) {
                Ok(value) => value.as_object(),
                Err(Thrown) => return Unwound::Thrown,
            },
            None => None,
        };
        let prototype = prototype.unwrap_or_else(|| self.intrinsic(default));
        let generator = self
            .heap
            .new_object_of_kind(Some(prototype), ObjectKind::Coroutine(Box::new(Coroutine::new(kind, None))));
        if let Some(top) = self.frames.last_mut() {
            top.coroutine = Some(generator);
        }
        self.suspend(generator, ResumePoint::Start, CoroutineState::SuspendedStart);
        self.deliver(frame.on_return, Value::object(generator), floor)
    }

    /// Moves the running frame into its coroutine.
    fn suspend(&mut self, coroutine: Gc<Object>, resume: ResumePoint, state: CoroutineState) {
        let Some(frame) = self.frames.pop() else { return };
        let base = frame.base as usize;
        let count = self.codes[frame.code.index()].register_count;
        if let ObjectKind::Coroutine(data) = &mut self.heap[coroutine].kind {
            data.registers.clear();
            data.registers.extend_from_slice(&self.stack[base..base + count]);
            data.frame = Some(frame);
            data.resume = resume;
            data.state = state;
        }
        self.restore_caller();
    }

    /// Puts the suspended frame on the stack again and lets it go on with `value`.
    fn resume(&mut self, coroutine: Gc<Object>, mode: ResumeMode, value: Value, on_return: OnReturn) -> Completion<Called> {
        if self.frames.len() >= MAX_CALL_DEPTH {
            return Err(self.throw_stack_overflow());
        }
        let base = self.top;
        let ObjectKind::Coroutine(data) = &mut self.heap[coroutine].kind else { return self.internal_error("not a coroutine") };
        let Some(mut frame) = data.frame.take() else { return self.internal_error("the coroutine has no frame") };
        let resume = data.resume;
        data.state = CoroutineState::Executing;
        let registers = std::mem::take(&mut data.registers);
        let top = base + registers.len();
        if self.stack.len() < base + WINDOW + 2 {
            self.grow_stack(base + WINDOW + 2);
        }
        self.stack[base..top].copy_from_slice(&registers);
        if let ObjectKind::Coroutine(data) = &mut self.heap[coroutine].kind {
            data.registers = registers;
            data.registers.clear();
        }
        frame.base = base as u32;
        frame.on_return = on_return;
        let mut throws = mode == ResumeMode::Throw;
        match resume {
            ResumePoint::Start => {}
            ResumePoint::Yield { register, return_target } => {
                self.stack[base + register as usize] = value;
                if mode == ResumeMode::Return {
                    frame.pc = return_target;
                }
            }
            ResumePoint::Delegate { register, mode: mode_register } => {
                self.stack[base + register as usize] = value;
                self.stack[base + mode_register as usize] = Value::int(match mode {
                    ResumeMode::Next => 0,
                    ResumeMode::Throw => 1,
                    ResumeMode::Return => 2,
                });
                throws = false;
            }
            ResumePoint::Await { register } => self.stack[base + register as usize] = value,
        }
        self.realm = frame.realm;
        self.frames.push(frame);
        self.top = top;
        if throws {
            self.exception = value;
            let floor = self.frames.len() - 1;
            if let Unwound::Thrown = self.unwind(floor) {
                return Err(Thrown);
            }
        }
        Ok(Called::Frame)
    }

    /// Generator.prototype.next, return and throw: GeneratorResume and GeneratorResumeAbrupt
    /// <https://tc39.es/ecma262/#sec-generatorresume>
    pub(crate) fn resume_generator(
        &mut self,
        this: Value,
        mode: ResumeMode,
        value: Value,
        on_return: OnReturn,
        method: &str,
    ) -> Completion<Called> {
        let state = this.as_object().and_then(|object| match &self.heap[object].kind {
            ObjectKind::Coroutine(data) if data.kind == CoroutineKind::Generator => Some((object, data.state)),
            _ => None,
        });
        let Some((generator, state)) = state else {
            let text = self.display(this);
            return Err(self.throw_type_error(format!("{method} method called on incompatible receiver {text}")));
        };
        match (state, mode) {
            (CoroutineState::Executing | CoroutineState::DrainingQueue, _) => {
                Err(self.throw_type_error("Generator is already running"))
            }
            (CoroutineState::SuspendedStart, ResumeMode::Return | ResumeMode::Throw) | (CoroutineState::Completed, _) => {
                if let ObjectKind::Coroutine(data) = &mut self.heap[generator].kind {
                    data.finish();
                }
                match mode {
                    ResumeMode::Next => Ok(Called::Value(self.create_iter_result(Value::UNDEFINED, true))),
                    ResumeMode::Return => Ok(Called::Value(self.create_iter_result(value, true))),
                    ResumeMode::Throw => Err(self.throw(value)),
                }
            }
            (CoroutineState::SuspendedStart | CoroutineState::SuspendedYield, _) => self.resume(generator, mode, value, on_return),
        }
    }

    /// `Yield` and `YieldDelegate`.
    pub(crate) fn yield_value(&mut self, value: Value, i: Instruction, is_delegate: bool, floor: usize) -> Unwound {
        let Some(frame) = self.frames.last().copied() else { return Unwound::Thrown };
        let Some(coroutine) = frame.coroutine else { return Unwound::Thrown };
        let resume = if is_delegate {
            ResumePoint::Delegate { register: i.a, mode: i.c }
        } else {
            ResumePoint::Yield { register: i.a, return_target: i.d }
        };
        let kind = match &self.heap[coroutine].kind {
            ObjectKind::Coroutine(data) => data.kind,
            _ => return Unwound::Thrown,
        };
        if kind == CoroutineKind::Generator {
            self.suspend(coroutine, resume, CoroutineState::SuspendedYield);
            return if is_delegate {
                self.deliver(frame.on_return, value, floor)
            } else {
                self.deliver_iterator_result(frame.on_return, value, false, floor)
            };
        }
        // AsyncGeneratorYield <https://tc39.es/ecma262/#sec-asyncgeneratoryield> steps 7 to 13.
        self.complete_request(coroutine, Ok(value), false);
        self.suspend(coroutine, resume, CoroutineState::SuspendedYield);
        let next = match &self.heap[coroutine].kind {
            ObjectKind::Coroutine(data) => data.queue.front().copied(),
            _ => None,
        };
        match next {
            Some(request) => match self.resume(coroutine, request.mode, request.value, frame.on_return) {
                Ok(_) if self.frames.len() > floor => Unwound::Handled,
                // The request was a throw that ended the generator.
                Ok(_) => Unwound::Exit(Value::UNDEFINED),
                Err(Thrown) => Unwound::Thrown,
            },
            None => self.deliver(frame.on_return, Value::UNDEFINED, floor),
        }
    }

    /// Await ( value ) <https://tc39.es/ecma262/#await>
    pub(crate) fn await_value(&mut self, value: Value, register: u8, floor: usize) -> Unwound {
        let Some(frame) = self.frames.last().copied() else { return Unwound::Thrown };
        let Some(coroutine) = frame.coroutine else {
            self.throw_syntax_error("await is only valid in async functions");
            return Unwound::Thrown;
        };
        if self.await_on(value, coroutine).is_err() {
            return Unwound::Thrown;
        }
        self.suspend(coroutine, ResumePoint::Await { register }, CoroutineState::Executing);
        let mut result = Value::UNDEFINED;
        if let ObjectKind::Coroutine(data) = &mut self.heap[coroutine].kind
            && data.kind == CoroutineKind::Async
            && !data.was_suspended
        {
            data.was_suspended = true;
            result = data.promise.map_or(Value::UNDEFINED, Value::object);
        }
        self.deliver(frame.on_return, result, floor)
    }

    /// Goes on after an await: the job of its reaction.
    pub(crate) fn resume_await(&mut self, coroutine: Gc<Object>, value: Value, is_throw: bool) -> Completion<Called> {
        let mode = if is_throw { ResumeMode::Throw } else { ResumeMode::Next };
        self.resume(coroutine, mode, value, OnReturn::Exit)
    }

    /// A termination drops the coroutine.
    pub(crate) fn abandon_coroutine(&mut self, coroutine: Gc<Object>) {
        if let ObjectKind::Coroutine(data) = &mut self.heap[coroutine].kind {
            data.finish();
        }
    }

    // ---- Async generators

    /// AsyncGenerator.prototype.next, return and throw <https://tc39.es/ecma262/#sec-asyncgenerator-prototype-next>
    pub(crate) fn async_generator_request(&mut self, this: Value, mode: ResumeMode, value: Value, method: &str) -> Completion<Value> {
        let promise = self.new_promise();
        self.root(promise);
        let state = this.as_object().and_then(|object| match &self.heap[object].kind {
            ObjectKind::Coroutine(data) if data.kind == CoroutineKind::AsyncGenerator => Some((object, data.state)),
            _ => None,
        });
        let Some((generator, state)) = state else {
            let text = self.display(this);
            self.throw_type_error(format!("{method} method called on incompatible receiver {text}"));
            let reason = std::mem::replace(&mut self.exception, Value::UNDEFINED);
            self.reject_promise(promise, reason);
            return Ok(Value::object(promise));
        };
        let mut state = state;
        if state == CoroutineState::SuspendedStart && mode == ResumeMode::Throw {
            self.abandon_coroutine(generator);
            state = CoroutineState::Completed;
        }
        if state == CoroutineState::Completed {
            match mode {
                ResumeMode::Next => {
                    let result = self.create_iter_result(Value::UNDEFINED, true);
                    self.resolve_promise(promise, result);
                    return Ok(Value::object(promise));
                }
                ResumeMode::Throw => {
                    self.reject_promise(promise, value);
                    return Ok(Value::object(promise));
                }
                ResumeMode::Return => {}
            }
        }
        if let ObjectKind::Coroutine(data) = &mut self.heap[generator].kind {
            data.queue.push_back(AsyncRequest { mode, value, promise });
        }
        match (state, mode) {
            (CoroutineState::SuspendedStart | CoroutineState::Completed, ResumeMode::Return) => {
                if let ObjectKind::Coroutine(data) = &mut self.heap[generator].kind {
                    data.finish();
                    data.state = CoroutineState::DrainingQueue;
                }
                self.async_generator_await_return(generator);
            }
            (CoroutineState::SuspendedStart | CoroutineState::SuspendedYield, _) => {
                self.run_async_generator(generator, mode, value)?;
            }
            _ => {}
        }
        Ok(Value::object(promise))
    }

    fn run_async_generator(&mut self, generator: Gc<Object>, mode: ResumeMode, value: Value) -> Completion<()> {
        let saved_top = self.top;
        let floor = self.frames.len();
        let called = self.resume(generator, mode, value, OnReturn::Exit);
        if self.frames.len() > floor && called.is_ok() {
            let result = self.nested(|vm| vm.run_nested(floor, saved_top));
            if self.frames.len() > floor {
                self.drop_frames(floor);
            }
            self.top = saved_top;
            return result.map(|_| ());
        }
        self.top = saved_top;
        if self.termination.is_some() { Err(Thrown) } else { Ok(()) }
    }

    /// AsyncGeneratorCompleteStep <https://tc39.es/ecma262/#sec-asyncgeneratorcompletestep>
    fn complete_request(&mut self, generator: Gc<Object>, outcome: Result<Value, Value>, done: bool) {
        let ObjectKind::Coroutine(data) = &mut self.heap[generator].kind else { return };
        let Some(request) = data.queue.pop_front() else { return };
        let saved = self.roots.len();
        self.root(request.promise);
        match outcome {
            Ok(value) => {
                let result = self.create_iter_result(value, done);
                self.resolve_promise(request.promise, result);
            }
            Err(reason) => self.reject_promise(request.promise, reason),
        }
        self.roots.truncate(saved);
    }

    /// The body ended: AsyncGeneratorStart steps 4.g to 4.k.
    pub(crate) fn async_generator_finished(&mut self, generator: Gc<Object>, outcome: Result<Value, Value>) {
        if let ObjectKind::Coroutine(data) = &mut self.heap[generator].kind {
            data.state = CoroutineState::DrainingQueue;
        }
        self.complete_request(generator, outcome, true);
        self.async_generator_drain(generator);
    }

    /// AsyncGeneratorDrainQueue <https://tc39.es/ecma262/#sec-asyncgeneratordrainqueue>
    fn async_generator_drain(&mut self, generator: Gc<Object>) {
        loop {
            let ObjectKind::Coroutine(data) = &mut self.heap[generator].kind else { return };
            let Some(request) = data.queue.front().copied() else {
                data.state = CoroutineState::Completed;
                return;
            };
            match request.mode {
                ResumeMode::Return => {
                    self.async_generator_await_return(generator);
                    return;
                }
                ResumeMode::Throw => self.complete_request(generator, Err(request.value), true),
                ResumeMode::Next => self.complete_request(generator, Ok(Value::UNDEFINED), true),
            }
        }
    }

    /// AsyncGeneratorAwaitReturn <https://tc39.es/ecma262/#sec-asyncgeneratorawaitreturn>
    fn async_generator_await_return(&mut self, generator: Gc<Object>) {
        let ObjectKind::Coroutine(data) = &self.heap[generator].kind else { return };
        let Some(request) = data.queue.front().copied() else { return };
        let constructor = Value::object(self.intrinsic(IntrinsicObject::Promise));
        match self.promise_resolve(constructor, request.value) {
            Ok(promise) => self.await_return(promise, generator),
            Err(Thrown) => {
                let reason = std::mem::replace(&mut self.exception, Value::UNDEFINED);
                self.complete_request(generator, Err(reason), true);
                self.async_generator_drain(generator);
            }
        }
    }

    /// The awaited operand of a `return` request settled.
    pub(crate) fn async_generator_return_settled(&mut self, generator: Gc<Object>, value: Value, is_throw: bool) {
        let outcome = if is_throw { Err(value) } else { Ok(value) };
        self.complete_request(generator, outcome, true);
        self.async_generator_drain(generator);
    }
}
