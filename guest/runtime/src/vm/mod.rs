//! The virtual machine: frames, the interpreter loop, realms and jobs.
//!
//! JavaScript frames live in [`Vm::frames`] and their registers on [`Vm::stack`], never on the native stack. The loop in
//! `interpreter.rs` runs the topmost frame; calls push, returns pop, `await` and `yield` move a frame into its coroutine object.

mod arguments;
mod arithmetic;
mod calls;
mod classes;
mod code;
mod coroutine;
mod errors;
mod frame;
mod globals;
mod host;
mod interpreter;
mod intrinsic_calls;
mod intrinsics;
mod iteration;
mod jobs;
mod property_access;
mod realm;
mod realm_builder;
mod safepoint;
mod unwind;

pub use arguments::Arguments;
pub use code::{Code, CodeId, InlineCache};
pub use coroutine::{AsyncRequest, Coroutine, CoroutineKind, CoroutineState, ResumeMode};
pub use errors::{StackFrame, Termination, Thrown};
pub use frame::{Frame, OnReturn};
pub use host::{DefaultHost, VmHost};
pub use intrinsics::IntrinsicObject;
pub use jobs::{Capability, Job, Progress, PromiseData, PromiseState, Reaction};
pub use realm::{Realm, RealmId};

use std::collections::VecDeque;
use std::rc::Rc;

use crate::heap::{Gc, Heap};
use crate::object::Object;
use crate::value::Value;

/// The result of an operation that can throw. `Err` means: the thrown value is in [`Vm::exception`], or [`Vm::termination`] is set.
pub type Completion<T> = Result<T, Thrown>;

/// Most nested JavaScript calls; one more throws a RangeError.
pub const MAX_CALL_DEPTH: usize = 10_000;

/// Most nested native functions that re-enter the interpreter; one more throws a RangeError.
pub const MAX_NATIVE_DEPTH: u32 = 120;

/// Steps between two polls of the clock and the step budget.
const POLL_INTERVAL: u32 = 1024;

/// An isolated JavaScript engine: heap, realms, stack and job queue.
pub struct Vm {
    /// All cells.
    pub heap: Heap,
    /// Registers of all frames.
    pub stack: Vec<Value>,
    /// Running and waiting frames, innermost last.
    pub frames: Vec<Frame>,
    /// Temporary roots of native functions; cut back when the native function returns.
    pub roots: Vec<Value>,
    /// The value being thrown while a [`Thrown`] travels.
    pub exception: Value,
    /// Set while a [`Thrown`] travels that programs cannot catch.
    pub termination: Option<Termination>,
    /// The embedder: clock, randomness, interrupts.
    pub host: Box<dyn VmHost>,
    /// Jobs in order.
    pub jobs: VecDeque<Job>,
    /// All realms; never removed.
    pub realms: Vec<Realm>,
    /// The realm of the running function.
    pub realm: RealmId,
    /// Loaded functions; never removed.
    pub(crate) codes: Vec<Rc<Code>>,
    /// First stack slot above the running frame.
    pub(crate) top: usize,
    /// The top never goes below this: values of native callers stand there.
    pub(crate) floor_top: usize,
    /// Native functions on the native stack that re-entered the interpreter.
    pub(crate) native_depth: u32,
    /// Steps until the next poll.
    pub(crate) countdown: u32,
    /// Steps accounted for by finished countdowns.
    pub(crate) steps_polled: u64,
    /// Steps at which the execution ends with `StepLimitExceeded`.
    pub max_steps: Option<u64>,
    /// Steps at which `run_jobs` returns `Progress::Yielded`.
    pub(crate) yield_at: Option<u64>,
    /// Collect at every safepoint.
    pub zeal: bool,
    /// Entries of the self-hosted units, run once per realm.
    pub(crate) self_hosted: Vec<CodeId>,
    /// Set with a `Thrown` whose cause is that something could not be called; the caller knows its name.
    pub(crate) fault: Option<calls::Fault>,
    /// `run_jobs` returns because of its budget.
    pub(crate) yielding: bool,
    /// Values that the embedder keeps alive for good.
    pub permanent_roots: Vec<Value>,
    /// Arrays whose elements are being joined, outermost first: an array within itself reads as the empty string.
    pub(crate) joining: Vec<Gc<Object>>,
    /// Targets of weak references that the running job has seen: AddToKeptObjects.
    pub(crate) kept_during_job: Vec<Value>,
    /// Finalization registries with held values to hand out.
    pub finalization_ready: Vec<Value>,
    /// Compiled patterns.
    pub(crate) regexps: crate::regexp::RegExpCache,
    /// Lookups that missed their inline cache: (shape, key) to place.
    pub(crate) lookup_cache: property_access::LookupCache,
    /// `Function(...)` and `eval` compile through this, when the embedder allows them.
    pub compiler: Option<Rc<dyn Fn(&CompileRequest) -> Result<codemode_bytecode::CodeUnit, String>>>,
    /// Date strings and `__proto__` follow the product's rules (CONTRACT.md) instead of ECMA-262. To be set before the first realm is made.
    pub product_rules: bool,
}

/// What dynamic code wants compiled.
pub struct CompileRequest<'a> {
    /// Parameters of a dynamic function; None for eval.
    pub parameters: Option<&'a str>,
    /// Function body or eval source.
    pub body: &'a str,
    /// `async`
    pub is_async: bool,
    /// `function*`
    pub is_generator: bool,
    /// Scope of a direct eval.
    pub scope: Option<&'a codemode_bytecode::EvalScope>,
    /// Strict caller.
    pub is_strict: bool,
}

impl Vm {
    /// A machine without a realm. `host` supplies time and chance.
    pub fn new(host: Box<dyn VmHost>) -> Vm {
        Vm {
            heap: Heap::new(),
            stack: vec![Value::UNDEFINED; 1024],
            frames: Vec::with_capacity(32),
            roots: Vec::new(),
            exception: Value::UNDEFINED,
            termination: None,
            host,
            jobs: VecDeque::new(),
            realms: Vec::new(),
            realm: RealmId(0),
            codes: Vec::new(),
            top: 0,
            floor_top: 0,
            native_depth: 0,
            countdown: POLL_INTERVAL,
            steps_polled: 0,
            max_steps: None,
            yield_at: None,
            zeal: false,
            self_hosted: Vec::new(),
            fault: None,
            yielding: false,
            permanent_roots: Vec::new(),
            joining: Vec::new(),
            kept_during_job: Vec::new(),
            finalization_ready: Vec::new(),
            regexps: Default::default(),
            lookup_cache: property_access::LookupCache::new(),
            compiler: None,
            product_rules: false,
        }
    }

    /// Keeps `value` alive until the running native function returns. Returns it.
    pub fn root(&mut self, value: impl Into<Value>) -> Value {
        let value = value.into();
        self.roots.push(value);
        value
    }

    /// AddToKeptObjects ( value ) <https://tc39.es/ecma262/#sec-addtokeptobjects>
    pub(crate) fn keep_during_job(&mut self, value: Value) {
        if self.kept_during_job.last() != Some(&value) {
            self.kept_during_job.push(value);
        }
    }

    /// The intrinsic object of the current realm.
    pub fn intrinsic(&self, id: IntrinsicObject) -> Gc<Object> {
        self.realms[self.realm.0 as usize].intrinsic(id)
    }

    /// Interpreter steps so far: loop iterations and calls.
    pub fn steps(&self) -> u64 {
        self.steps_polled + u64::from(POLL_INTERVAL - self.countdown)
    }

    /// The global object of the current realm.
    pub fn global_object(&self) -> Gc<Object> {
        self.intrinsic(IntrinsicObject::GlobalObject)
    }
}
