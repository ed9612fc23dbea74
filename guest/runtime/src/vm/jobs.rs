//! Promises and the job queue.
//!
//! Everything observable runs one job later, as in ECMA-262: <https://tc39.es/ecma262/#sec-promise-jobs>. Awaiting an
//! intrinsic promise needs no closures: the reaction names the coroutine.

use crate::builtins::{NativeFunction, native};
use crate::heap::{Gc, Marker, Trace};
use crate::names;
use crate::object::{Object, ObjectKind};
use crate::property_key::PropertyKey;
use crate::value::Value;
use crate::vm::calls::Called;
use crate::vm::{Arguments, Completion, IntrinsicObject, OnReturn, Thrown, Vm};

/// [[PromiseData]]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromiseState {
    /// Not settled.
    Pending,
    /// Settled with a value.
    Fulfilled,
    /// Settled with a reason.
    Rejected,
}

/// The internal slots of a promise.
#[derive(Debug)]
pub struct PromiseData {
    /// [[PromiseData]]
    pub status: PromiseState,
    /// [[PromiseResult]]
    pub result: Value,
    /// [[PromiseFulfillReactions]] and [[PromiseRejectReactions]] in one list.
    pub reactions: Vec<Reaction>,
    /// [[PromiseIsHandled]]
    pub is_handled: bool,
}

impl PromiseData {
    /// A pending promise.
    pub fn pending() -> PromiseData {
        PromiseData { status: PromiseState::Pending, result: Value::UNDEFINED, reactions: Vec::new(), is_handled: false }
    }

    /// Bytes outside the cell.
    pub fn payload_bytes(&self) -> usize {
        size_of::<PromiseData>() + self.reactions.capacity() * size_of::<Reaction>()
    }
}

impl Trace for PromiseData {
    fn trace(&self, marker: &mut Marker) {
        marker.mark_value(self.result);
        for reaction in &self.reactions {
            reaction.trace(marker);
        }
    }
}

/// PromiseReaction records: what happens when a promise settles.
#[derive(Clone, Copy, Debug)]
pub enum Reaction {
    /// Handlers of `then` (undefined: pass through) and the derived capability.
    Then {
        /// On fulfilment.
        on_fulfilled: Value,
        /// On rejection.
        on_rejected: Value,
        /// The derived promise with its functions, if any.
        capability: Option<Capability>,
    },
    /// A coroutine waits at an `await`.
    Await(Gc<Object>),
    /// An async generator waits for the operand of a `return` request.
    GeneratorReturn(Gc<Object>),
}

impl Trace for Reaction {
    fn trace(&self, marker: &mut Marker) {
        match self {
            Reaction::Then { on_fulfilled, on_rejected, capability } => {
                marker.mark_value(*on_fulfilled);
                marker.mark_value(*on_rejected);
                if let Some(capability) = capability {
                    capability.trace(marker);
                }
            }
            Reaction::Await(object) | Reaction::GeneratorReturn(object) => marker.mark(*object),
        }
    }
}

/// PromiseCapability records. An intrinsic promise settled by the engine itself has undefined functions.
#[derive(Clone, Copy, Debug)]
pub struct Capability {
    /// [[Promise]]
    pub promise: Value,
    /// [[Resolve]]; undefined: `promise` is an intrinsic promise that the engine resolves directly.
    pub resolve: Value,
    /// [[Reject]]
    pub reject: Value,
}

impl Trace for Capability {
    fn trace(&self, marker: &mut Marker) {
        marker.mark_value(self.promise);
        marker.mark_value(self.resolve);
        marker.mark_value(self.reject);
    }
}

/// A queued job.
#[derive(Clone, Copy, Debug)]
pub enum Job {
    /// A coroutine goes on after an await.
    Resume {
        /// The coroutine.
        coroutine: Gc<Object>,
        /// Outcome of the await.
        value: Value,
        /// The await throws.
        is_throw: bool,
    },
    /// NewPromiseReactionJob
    Reaction {
        /// The reaction.
        reaction: Reaction,
        /// Result of the promise.
        value: Value,
        /// The promise was rejected.
        is_rejected: bool,
    },
    /// NewPromiseResolveThenableJob
    ResolveThenable {
        /// The promise to resolve.
        promise: Gc<Object>,
        /// The thenable.
        thenable: Value,
        /// Its `then`.
        then: Value,
    },
    /// Calls a function with one argument and drops the result: queueMicrotask, timers.
    Call {
        /// The function.
        function: Value,
        /// Its argument.
        argument: Value,
    },
}

impl Trace for Job {
    fn trace(&self, marker: &mut Marker) {
        match self {
            Job::Resume { coroutine, value, .. } => {
                marker.mark(*coroutine);
                marker.mark_value(*value);
            }
            Job::Reaction { reaction, value, .. } => {
                reaction.trace(marker);
                marker.mark_value(*value);
            }
            Job::ResolveThenable { promise, thenable, then } => {
                marker.mark(*promise);
                marker.mark_value(*thenable);
                marker.mark_value(*then);
            }
            Job::Call { function, argument } => {
                marker.mark_value(*function);
                marker.mark_value(*argument);
            }
        }
    }
}

/// Where `run_jobs` stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// No job is left.
    Idle,
    /// The step budget is used up; call again.
    Yielded,
    /// The execution is over: see [`Vm::termination`].
    Terminated,
}

static RESOLVE_FUNCTION: NativeFunction = native("", 1, resolve_function);
static REJECT_FUNCTION: NativeFunction = native("", 1, reject_function);

impl Vm {
    /// Starts a function as a coroutine of its own: its frame runs with the next `run_jobs`. The answer is the promise of an
    /// async function; other functions run at once.
    ///
    /// # Errors
    /// What a function that is not async throws, as a rejected promise otherwise.
    pub fn spawn(&mut self, function: Value) -> Completion<Gc<Object>> {
        if let Some(promise) = self.spawn_frame(function)? {
            return Ok(promise);
        }
        let result = self.call(function, Value::UNDEFINED, &[])?;
        match result.as_object() {
            Some(promise) if self.promise_data(promise).is_some() => Ok(promise),
            _ => {
                let promise = self.new_promise();
                self.root(promise);
                self.resolve_promise(promise, result);
                Ok(promise)
            }
        }
    }

    /// Pushes the frame of an async function that `run_jobs` is to run, so that its first stretch can use up the step budget like
    /// any other. None: not such a function, or something is running.
    fn spawn_frame(&mut self, function: Value) -> Completion<Option<Gc<Object>>> {
        let is_async = function.as_object().is_some_and(|object| match &self.heap[object].kind {
            ObjectKind::Closure(closure) => {
                let code = self.codes[closure.code.index()].function();
                code.is_async && !code.is_generator
            }
            _ => false,
        });
        if !is_async || !self.frames.is_empty() {
            return Ok(None);
        }
        self.call_pushing(function, Value::UNDEFINED, &[], OnReturn::Exit)?;
        let coroutine = self.frames.last().and_then(|frame| frame.coroutine);
        Ok(coroutine.and_then(|coroutine| match &self.heap[coroutine].kind {
            ObjectKind::Coroutine(state) => state.promise,
            _ => None,
        }))
    }

    /// Runs jobs until none is left or `budget` steps are used up. Errors that jobs throw outside promises are dropped, as the
    /// host's HostReportErrors would.
    pub fn run_jobs(&mut self, budget: Option<u64>) -> Progress {
        self.yield_at = budget.map(|b| self.steps().saturating_add(b.max(1)));
        self.yielding = false;
        let progress = loop {
            if self.termination.is_some() {
                break Progress::Terminated;
            }
            if !self.frames.is_empty() {
                // Left by a yield.
                let result = self.run(0);
                if self.yielding {
                    break Progress::Yielded;
                }
                if result.is_err() && self.termination.is_some() {
                    break Progress::Terminated;
                }
                self.exception = Value::UNDEFINED;
                continue;
            }
            if self.yield_at.is_some_and(|at| self.steps() >= at) && !self.jobs.is_empty() {
                break Progress::Yielded;
            }
            self.kept_during_job.clear();
            self.enqueue_finalization();
            let Some(job) = self.jobs.pop_front() else { break Progress::Idle };
            self.count_step();
            let saved_roots = self.roots.len();
            let result = self.run_job(job);
            self.roots.truncate(saved_roots);
            if self.yielding {
                break Progress::Yielded;
            }
            if result.is_err() {
                if self.termination.is_some() {
                    break Progress::Terminated;
                }
                self.exception = Value::UNDEFINED;
            }
        };
        self.yield_at = None;
        progress
    }

    /// Appends a job.
    pub fn enqueue_job(&mut self, job: Job) {
        self.jobs.push_back(job);
    }

    /// HostEnqueueFinalizationRegistryCleanupJob <https://tc39.es/ecma262/#sec-host-cleanup-finalization-registry>
    fn enqueue_finalization(&mut self) {
        for registry in std::mem::take(&mut self.finalization_ready) {
            let function = Value::object(self.new_native(&crate::builtins::CLEANUP_FINALIZATION_REGISTRY));
            self.jobs.push_back(Job::Call { function, argument: registry });
        }
    }

    fn run_job(&mut self, job: Job) -> Completion<()> {
        match job {
            Job::Resume { coroutine, value, is_throw } => {
                self.root(coroutine);
                let floor = self.frames.len();
                match self.resume_await(coroutine, value, is_throw) {
                    Ok(Called::Frame) if self.frames.len() > floor => self.run(floor).map(|_| ()),
                    Ok(_) => Ok(()),
                    // The throw ended the coroutine: its promise took the reason.
                    Err(Thrown) if self.termination.is_none() => Ok(()),
                    Err(Thrown) => Err(Thrown),
                }
            }
            Job::Reaction { reaction, value, is_rejected } => self.run_reaction(reaction, value, is_rejected),
            Job::ResolveThenable { promise, thenable, then } => {
                // NewPromiseResolveThenableJob step 1
                self.root(promise);
                self.root(thenable);
                let (resolve, reject) = self.create_resolving_functions(promise);
                self.root(resolve);
                self.root(reject);
                match self.call(then, thenable, &[resolve, reject]) {
                    Ok(_) => Ok(()),
                    Err(Thrown) if self.termination.is_some() => Err(Thrown),
                    Err(Thrown) => {
                        let reason = self.take_exception();
                        self.call(reject, Value::UNDEFINED, &[reason]).map(|_| ())
                    }
                }
            }
            Job::Call { function, argument } => {
                self.root(function);
                self.call(function, Value::UNDEFINED, &[argument]).map(|_| ())
            }
        }
    }

    /// NewPromiseReactionJob <https://tc39.es/ecma262/#sec-newpromisereactionjob>
    fn run_reaction(&mut self, reaction: Reaction, value: Value, is_rejected: bool) -> Completion<()> {
        let (handler, capability) = match reaction {
            Reaction::Await(coroutine) => return self.run_job(Job::Resume { coroutine, value, is_throw: is_rejected }),
            Reaction::GeneratorReturn(generator) => {
                self.root(generator);
                self.root(value);
                self.async_generator_return_settled(generator, value, is_rejected);
                return if self.termination.is_some() { Err(Thrown) } else { Ok(()) };
            }
            Reaction::Then { on_fulfilled, on_rejected, capability } => {
                (if is_rejected { on_rejected } else { on_fulfilled }, capability)
            }
        };
        if let Some(capability) = capability {
            self.root(capability.promise);
            self.root(capability.resolve);
            self.root(capability.reject);
        }
        let outcome = if handler.is_undefined() {
            if is_rejected { Err(value) } else { Ok(value) }
        } else {
            match self.call(handler, Value::UNDEFINED, &[value]) {
                Ok(result) => Ok(result),
                Err(Thrown) if self.termination.is_some() => return Err(Thrown),
                Err(Thrown) => Err(self.take_exception()),
            }
        };
        let Some(capability) = capability else { return Ok(()) };
        self.settle_capability(capability, outcome)
    }

    /// Calls [[Resolve]] or [[Reject]] of the capability.
    ///
    /// # Errors
    /// What a user-defined function throws.
    pub fn settle_capability(&mut self, capability: Capability, outcome: Result<Value, Value>) -> Completion<()> {
        if capability.resolve.is_undefined() {
            if let Some(promise) = capability.promise.as_object() {
                match outcome {
                    Ok(value) => self.resolve_promise(promise, value),
                    Err(reason) => self.reject_promise(promise, reason),
                }
            }
            return if self.termination.is_some() { Err(Thrown) } else { Ok(()) };
        }
        match outcome {
            Ok(value) => self.call(capability.resolve, Value::UNDEFINED, &[value])?,
            Err(reason) => self.call(capability.reject, Value::UNDEFINED, &[reason])?,
        };
        Ok(())
    }

    /// The thrown value, taken.
    pub fn take_exception(&mut self) -> Value {
        std::mem::replace(&mut self.exception, Value::UNDEFINED)
    }

    // ---- Promises

    /// A pending promise of the current realm.
    pub fn new_promise(&mut self) -> Gc<Object> {
        let prototype = self.intrinsic(IntrinsicObject::PromisePrototype);
        self.heap.new_object_of_kind(Some(prototype), ObjectKind::Promise(Box::new(PromiseData::pending())))
    }

    /// The slots of a promise; None for other objects.
    pub fn promise_data(&self, object: Gc<Object>) -> Option<&PromiseData> {
        match &self.heap[object].kind {
            ObjectKind::Promise(state) => Some(state),
            _ => None,
        }
    }

    fn promise_data_mut(&mut self, object: Gc<Object>) -> Option<&mut PromiseData> {
        match &mut self.heap[object].kind {
            ObjectKind::Promise(state) => Some(state),
            _ => None,
        }
    }

    /// Promise Resolve Functions <https://tc39.es/ecma262/#sec-promise-resolve-functions> from step 7 on. The caller has seen to it that this happens once.
    pub fn resolve_promise(&mut self, promise: Gc<Object>, resolution: Value) {
        let Some(object) = resolution.as_object() else { return self.fulfill_promise(promise, resolution) };
        if object == promise {
            self.throw_type_error("Chaining cycle detected for promise #<Promise>");
            let reason = self.take_exception();
            return self.reject_promise(promise, reason);
        }
        let saved = self.roots.len();
        self.root(promise);
        self.root(resolution);
        let then = self.get(object, PropertyKey::name(names::THEN));
        self.roots.truncate(saved);
        match then {
            Err(Thrown) if self.termination.is_some() => {}
            Err(Thrown) => {
                let reason = self.take_exception();
                self.reject_promise(promise, reason);
            }
            Ok(then) if self.heap.is_callable(then) => {
                self.jobs.push_back(Job::ResolveThenable { promise, thenable: resolution, then });
            }
            Ok(_) => self.fulfill_promise(promise, resolution),
        }
    }

    /// FulfillPromise <https://tc39.es/ecma262/#sec-fulfillpromise>
    fn fulfill_promise(&mut self, promise: Gc<Object>, value: Value) {
        self.settle(promise, PromiseState::Fulfilled, value);
    }

    /// RejectPromise <https://tc39.es/ecma262/#sec-rejectpromise>
    pub fn reject_promise(&mut self, promise: Gc<Object>, reason: Value) {
        let is_handled = self.promise_data(promise).is_some_and(|s| s.is_handled);
        self.settle(promise, PromiseState::Rejected, reason);
        if !is_handled {
            self.host.promise_rejection(promise, reason, false);
        }
    }

    fn settle(&mut self, promise: Gc<Object>, status: PromiseState, result: Value) {
        let Some(state) = self.promise_data_mut(promise) else { return };
        if state.status != PromiseState::Pending {
            return;
        }
        state.status = status;
        state.result = result;
        let reactions = std::mem::take(&mut state.reactions);
        let is_rejected = status == PromiseState::Rejected;
        for reaction in reactions {
            self.jobs.push_back(Job::Reaction { reaction, value: result, is_rejected });
        }
    }

    /// PerformPromiseThen <https://tc39.es/ecma262/#sec-performpromisethen> for any reaction.
    pub fn add_reaction(&mut self, promise: Gc<Object>, reaction: Reaction) {
        let Some(state) = self.promise_data_mut(promise) else { return };
        let was_handled = std::mem::replace(&mut state.is_handled, true);
        let (status, result) = (state.status, state.result);
        match status {
            PromiseState::Pending => state.reactions.push(reaction),
            PromiseState::Fulfilled => self.jobs.push_back(Job::Reaction { reaction, value: result, is_rejected: false }),
            PromiseState::Rejected => {
                if !was_handled {
                    self.host.promise_rejection(promise, result, true);
                }
                self.jobs.push_back(Job::Reaction { reaction, value: result, is_rejected: true });
            }
        }
    }

    /// PerformPromiseThen with handlers; what is not callable passes through.
    pub fn perform_promise_then(
        &mut self,
        promise: Gc<Object>,
        on_fulfilled: Value,
        on_rejected: Value,
        capability: Option<Capability>,
    ) {
        let on_fulfilled = if self.heap.is_callable(on_fulfilled) { on_fulfilled } else { Value::UNDEFINED };
        let on_rejected = if self.heap.is_callable(on_rejected) { on_rejected } else { Value::UNDEFINED };
        self.add_reaction(promise, Reaction::Then { on_fulfilled, on_rejected, capability });
    }

    /// PromiseResolve ( C, x ) <https://tc39.es/ecma262/#sec-promise-resolve>
    ///
    /// # Errors
    /// What the constructor or the `constructor` getter throws.
    pub fn promise_resolve(&mut self, constructor: Value, value: Value) -> Completion<Gc<Object>> {
        if let Some(object) = value.as_object()
            && self.promise_data(object).is_some()
        {
            let found = self.get(object, PropertyKey::name(names::CONSTRUCTOR))?;
            if found == constructor {
                return Ok(object);
            }
        }
        self.root(value);
        let capability = self.new_promise_capability(constructor)?;
        self.root(capability.promise);
        self.settle_capability(capability, Ok(value))?;
        match capability.promise.as_object() {
            Some(promise) => Ok(promise),
            None => Err(self.throw_type_error("Promise resolve did not give an object")),
        }
    }

    /// NewPromiseCapability ( C ) <https://tc39.es/ecma262/#sec-newpromisecapability>
    ///
    /// # Errors
    /// TypeError when `constructor` is no constructor or does not hand out callable functions; what it throws.
    pub fn new_promise_capability(&mut self, constructor: Value) -> Completion<Capability> {
        // OPTIMIZATION: the intrinsic constructor's functions are needed only when they escape.
        if constructor == Value::object(self.intrinsic(IntrinsicObject::Promise)) {
            let promise = self.new_promise();
            return Ok(Capability { promise: Value::object(promise), resolve: Value::UNDEFINED, reject: Value::UNDEFINED });
        }
        if !self.heap.is_constructor(constructor) {
            let text = self.display(constructor);
            return Err(self.throw_type_error(format!("{text} is not a constructor")));
        }
        let executor = self.new_native_closure(&CAPABILITY_EXECUTOR, &[Value::UNDEFINED, Value::UNDEFINED]);
        self.root(executor);
        let promise = self.construct(constructor, &[Value::object(executor)], constructor)?;
        self.root(promise);
        let (resolve, reject) = match &self.heap[executor].kind {
            ObjectKind::Native(native) => (native.captures[0], native.captures[1]),
            _ => (Value::UNDEFINED, Value::UNDEFINED),
        };
        if !self.heap.is_callable(resolve) || !self.heap.is_callable(reject) {
            return Err(self.throw_type_error("Promise resolve or reject function is not callable"));
        }
        Ok(Capability { promise, resolve, reject })
    }

    /// CreateResolvingFunctions ( promise ) <https://tc39.es/ecma262/#sec-createresolvingfunctions>
    pub fn create_resolving_functions(&mut self, promise: Gc<Object>) -> (Value, Value) {
        // [[AlreadyResolved]] is shared: both functions hold one cell object, whose presence in the capture says "not yet".
        let shared = self.heap.new_object(None);
        let captures = [Value::object(promise), Value::object(shared)];
        let resolve = self.new_native_closure(&RESOLVE_FUNCTION, &captures);
        let reject = self.new_native_closure(&REJECT_FUNCTION, &captures);
        (Value::object(resolve), Value::object(reject))
    }

    /// Await ( value ) steps 2 to 9: the coroutine goes on when the value settles.
    pub(crate) fn await_on(&mut self, value: Value, coroutine: Gc<Object>) -> Completion<()> {
        let Some(object) = value.as_object() else {
            // OPTIMIZATION: a promise resolved with a primitive settles at once; its only reaction is this one.
            self.jobs.push_back(Job::Resume { coroutine, value, is_throw: false });
            return Ok(());
        };
        let saved = self.roots.len();
        self.root(coroutine);
        let constructor = Value::object(self.intrinsic(IntrinsicObject::Promise));
        let promise = self.promise_resolve(constructor, Value::object(object));
        self.roots.truncate(saved);
        self.add_reaction(promise?, Reaction::Await(coroutine));
        Ok(())
    }

    /// The awaited operand of a `return` request of an async generator.
    pub(crate) fn await_return(&mut self, promise: Gc<Object>, generator: Gc<Object>) {
        self.add_reaction(promise, Reaction::GeneratorReturn(generator));
    }
}

static CAPABILITY_EXECUTOR: NativeFunction = native("", 2, capability_executor);

/// The executor of NewPromiseCapability.
fn capability_executor(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    if !arguments.capture(vm, 0).is_undefined() || !arguments.capture(vm, 1).is_undefined() {
        return Err(vm.throw_type_error("Promise executor has already been invoked with non-undefined arguments"));
    }
    let (resolve, reject) = (arguments.get(vm, 0), arguments.get(vm, 1));
    arguments.set_capture(vm, 0, resolve);
    arguments.set_capture(vm, 1, reject);
    Ok(Value::UNDEFINED)
}

/// Whether the pair of resolving functions is used for the first time; notes the use.
fn is_first_use(vm: &mut Vm, arguments: &Arguments) -> Option<Gc<Object>> {
    let promise = arguments.capture(vm, 0).as_object()?;
    let shared = arguments.capture(vm, 1).as_object()?;
    if !vm.heap[shared].is_extensible() {
        return None;
    }
    vm.heap[shared].flags.set(crate::object::ObjectFlags::NON_EXTENSIBLE, true);
    Some(promise)
}

/// Promise Resolve Functions <https://tc39.es/ecma262/#sec-promise-resolve-functions>
fn resolve_function(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    if let Some(promise) = is_first_use(vm, arguments) {
        let value = arguments.get(vm, 0);
        vm.resolve_promise(promise, value);
        if vm.termination.is_some() {
            return Err(Thrown);
        }
    }
    Ok(Value::UNDEFINED)
}

/// Promise Reject Functions <https://tc39.es/ecma262/#sec-promise-reject-functions>
fn reject_function(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    if let Some(promise) = is_first_use(vm, arguments) {
        let reason = arguments.get(vm, 0);
        vm.reject_promise(promise, reason);
    }
    Ok(Value::UNDEFINED)
}
