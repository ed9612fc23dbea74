//! The state of one execution, shared by the native functions of the program API, the machine's host and the execution itself.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use codemode_runtime::heap::{Marker, Trace};
use codemode_runtime::object::{HostObject, ObjectKind};
use codemode_runtime::vm::{Arguments, Completion, Termination, Vm, VmHost};
use codemode_runtime::{Gc, Object, Value};

use crate::calls::Calls;
use crate::waiting::Waiters;
use crate::definitions::{Host, Limits};
use crate::output::Output;
use crate::runtime::Runtime;
use crate::store::Store;
use crate::timers::Timers;
use crate::tool_objects::UnknownRead;

/// Everything that belongs to one execution but is not on the program's heap.
///
/// Each part has a cell of its own. A borrow never spans an operation on the machine, because that may run native functions
/// which borrow too, or collect garbage, which reads all parts.
pub(crate) struct Context {
    pub runtime: Rc<Runtime>,
    /// Limits of this execution, options line included.
    pub limits: Cell<Limits>,
    pub host: RefCell<Box<dyn Host>>,
    pub clock: Clock,
    pub chance: Chance,
    pub calls: RefCell<Calls>,
    pub timers: RefCell<Timers>,
    pub output: RefCell<Output>,
    pub store: RefCell<Store>,
    pub waiters: RefCell<Waiters>,
    /// Rejected promises that nobody has observed.
    pub rejections: RefCell<Vec<(Gc<Object>, Value)>>,
    /// Warnings that came up on the way.
    pub warnings: RefCell<Vec<String>>,
    /// The last member of `tools` that was read without being there.
    pub unknown_read: RefCell<Option<UnknownRead>>,
    /// How the program itself ended.
    pub outcome: Cell<Option<Outcome>>,
    /// Errors thrown by timer callbacks: nobody can catch them.
    pub uncaught: RefCell<Vec<Value>>,
    /// Objects made once per execution, on first use.
    pub lazy_globals: RefCell<Vec<(&'static str, Value)>>,
    /// The object by which native functions find the context.
    object: Cell<Value>,
}

/// How a program ended.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Outcome {
    /// It returned.
    Returned(Value),
    /// It threw.
    Threw(Value),
    /// It called `exit()`.
    Exited,
}

impl Context {
    /// The context of a new execution.
    pub fn new(runtime: Rc<Runtime>, host: Box<dyn Host>) -> Rc<Context> {
        let options = &runtime.options;
        let context = Context {
            limits: Cell::new(runtime.limits),
            clock: Clock { pinned_ms: options.now_ms, virtual_ms: Cell::new(0.0), origin_ms: Cell::new(0.0) },
            chance: Chance { state: Cell::new(options.seed) },
            host: RefCell::new(host),
            calls: RefCell::default(),
            timers: RefCell::default(),
            output: RefCell::default(),
            store: RefCell::default(),
            waiters: RefCell::default(),
            rejections: RefCell::default(),
            warnings: RefCell::default(),
            unknown_read: RefCell::default(),
            outcome: Cell::new(None),
            uncaught: RefCell::default(),
            lazy_globals: RefCell::default(),
            object: Cell::new(Value::UNDEFINED),
            runtime,
        };
        Rc::new(context)
    }

    /// Wall clock as the program sees it.
    pub fn now_ms(&self) -> f64 {
        match self.clock.pinned_ms {
            Some(pinned) => pinned + self.clock.virtual_ms.get(),
            None => self.host.borrow().now_ms(),
        }
    }

    /// The clock of timers: milliseconds since the start, as the program sees them.
    pub fn elapsed_ms(&self) -> f64 {
        if self.clock.pinned_ms.is_some() { self.clock.virtual_ms.get() } else { self.real_elapsed_ms() }
    }

    /// Real milliseconds since the first run, for limits and durations.
    pub fn real_elapsed_ms(&self) -> f64 {
        (self.host.borrow().monotonic_ms() - self.clock.origin_ms.get()).max(0.0)
    }

    /// Whether time and chance are pinned.
    pub fn is_pinned(&self) -> bool {
        self.clock.pinned_ms.is_some()
    }

    /// Whether the deadline has passed.
    pub fn is_late(&self) -> bool {
        self.limits.get().timeout_ms.is_some_and(|limit| self.real_elapsed_ms() >= limit as f64)
    }

    /// The next random bits that a program sees.
    pub fn random_u64(&self) -> u64 {
        let state = match self.chance.state.get() {
            Some(state) => state,
            None => self.host.borrow_mut().random_u64(),
        };
        // SplitMix64
        let state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        self.chance.state.set(Some(state));
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Records a warning; equal ones are recorded once.
    pub fn warn(&self, message: String) {
        let mut warnings = self.warnings.borrow_mut();
        if !warnings.contains(&message) {
            warnings.push(message);
        }
    }

    /// An object that will lead native functions to a context. The machine keeps it alive.
    pub fn new_object(vm: &mut Vm) -> Value {
        let host = ObjectKind::Host(Box::new(ContextObject::default()));
        let object = Value::object(vm.heap.new_object_of_kind(None, host));
        vm.permanent_roots.push(object);
        object
    }

    /// Makes the object lead to this context.
    pub fn enter(self: &Rc<Context>, vm: &mut Vm, object: Value) {
        self.object.set(object);
        if let Some(object) = object.as_object()
            && let ObjectKind::Host(host) = &mut vm.heap[object].kind
            && let Some(slot) = host.as_any_mut().downcast_mut::<ContextObject>()
        {
            slot.0 = Some(self.clone());
        }
    }

    /// The object that leads to this context, for native closures to capture first.
    pub fn object(&self) -> Value {
        self.object.get()
    }

    /// The context that a native closure captured first.
    ///
    /// # Errors
    /// An internal error when there is none.
    pub fn of(vm: &mut Vm, arguments: &Arguments) -> Completion<Rc<Context>> {
        let context = arguments.capture(vm, 0).as_object().and_then(|object| match &vm.heap[object].kind {
            ObjectKind::Host(host) => host.as_any().downcast_ref::<ContextObject>()?.0.clone(),
            _ => None,
        });
        match context {
            Some(context) => Ok(context),
            None => vm.internal_error("native function without context"),
        }
    }
}

impl Trace for Context {
    fn trace(&self, marker: &mut Marker) {
        self.calls.borrow().trace(marker);
        self.timers.borrow().trace(marker);
        self.waiters.borrow().trace(marker);
        for &(promise, reason) in self.rejections.borrow().iter() {
            marker.mark(promise);
            marker.mark_value(reason);
        }
        match self.outcome.get() {
            Some(Outcome::Returned(value) | Outcome::Threw(value)) => marker.mark_value(value),
            Some(Outcome::Exited) | None => {}
        }
        marker.mark_values(&self.uncaught.borrow());
        for &(_, value) in self.lazy_globals.borrow().iter() {
            marker.mark_value(value);
        }
    }
}

/// Time as the program sees it.
pub(crate) struct Clock {
    pinned_ms: Option<f64>,
    /// Time that has passed on a pinned clock.
    pub virtual_ms: Cell<f64>,
    /// Monotonic time of the first run.
    pub origin_ms: Cell<f64>,
}

/// The state of the random numbers; none until the host gave a seed.
pub(crate) struct Chance {
    state: Cell<Option<u64>>,
}

/// Leads to the context and keeps alive what it refers to.
#[derive(Default)]
struct ContextObject(Option<Rc<Context>>);

impl std::fmt::Debug for ContextObject {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("ContextObject")
    }
}

impl HostObject for ContextObject {
    fn trace(&self, marker: &mut Marker) {
        if let Some(context) = &self.0 {
            context.trace(marker);
        }
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn std::any::Any {
        self
    }
}

/// The machine's view of the context.
pub(crate) struct ContextHost(pub Rc<Context>);

impl VmHost for ContextHost {
    fn now_ms(&mut self) -> f64 {
        self.0.now_ms()
    }

    fn monotonic_ms(&mut self) -> f64 {
        self.0.elapsed_ms()
    }

    fn random_u64(&mut self) -> u64 {
        self.0.random_u64()
    }

    fn poll(&mut self, _steps: u64) -> Option<Termination> {
        self.0.is_late().then_some(Termination::Timeout)
    }

    fn promise_rejection(&mut self, promise: Gc<Object>, reason: Value, handled: bool) {
        let mut rejections = self.0.rejections.borrow_mut();
        if handled {
            rejections.retain(|&(rejected, _)| rejected != promise);
        } else {
            rejections.push((promise, reason));
        }
    }

    fn time_zone_offset_minutes(&mut self, _ms: f64, _is_local: bool) -> f64 {
        self.0.runtime.time_zone_offset_minutes
    }
}
