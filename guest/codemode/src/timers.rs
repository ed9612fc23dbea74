//! `setTimeout`, `setInterval` and what clears them: on host time, or on virtual time under a pinned clock.

use std::rc::Rc;

use codemode_runtime::builtins::{NativeFunction, native};
use codemode_runtime::heap::{Marker, Trace};
use codemode_runtime::vm::{Arguments, Completion, Job, Thrown, Vm};
use codemode_runtime::{Value};

use crate::context::Context;

/// The longest delay; longer ones count as none, as in browsers and Node.
const MAX_DELAY_MS: f64 = 2_147_483_647.0;

/// Most timers at once.
const MAX_TIMERS: usize = 10_000;

/// All timers of an execution.
#[derive(Default)]
pub(crate) struct Timers {
    list: Vec<Timer>,
    last_id: u32,
}

struct Timer {
    id: u32,
    /// On the clock of `Context::elapsed_ms`.
    due_ms: f64,
    /// Set for intervals.
    interval_ms: Option<f64>,
    callback: Value,
    arguments: Vec<Value>,
}

impl Timers {
    /// When the next timer is due.
    pub fn next_due_ms(&self) -> Option<f64> {
        self.next().map(|index| self.list[index].due_ms)
    }

    /// Among equally due timers the oldest comes first.
    fn next(&self) -> Option<usize> {
        let by_time = |&(_, left): &(usize, &Timer), &(_, right): &(usize, &Timer)| {
            left.due_ms.total_cmp(&right.due_ms).then(left.id.cmp(&right.id))
        };
        self.list.iter().enumerate().min_by(by_time).map(|(index, _)| index)
    }
}

impl Trace for Timers {
    fn trace(&self, marker: &mut Marker) {
        for timer in &self.list {
            marker.mark_value(timer.callback);
            marker.mark_values(&timer.arguments);
        }
    }
}

static SET_TIMEOUT: NativeFunction = native("setTimeout", 1, set_timeout);
static SET_INTERVAL: NativeFunction = native("setInterval", 1, set_interval);
static CLEAR_TIMEOUT: NativeFunction = native("clearTimeout", 1, clear);
static CLEAR_INTERVAL: NativeFunction = native("clearInterval", 1, clear);
static RUN_CALLBACK: NativeFunction = native("", 0, run_callback);

/// Defines the globals.
pub(crate) fn install(vm: &mut Vm, context: Value) {
    for function in [&SET_TIMEOUT, &SET_INTERVAL, &CLEAR_TIMEOUT, &CLEAR_INTERVAL] {
        let object = vm.new_native_closure(function, &[context]);
        vm.define_global(function.name, Value::object(object));
    }
}

/// Queues the callback of the next timer if it is due at `now_ms`; whether there was one.
pub(crate) fn fire_next(vm: &mut Vm, context: &Rc<Context>, now_ms: f64) -> bool {
    let (callback, arguments) = {
        let mut timers = context.timers.borrow_mut();
        let Some(index) = timers.next().filter(|&index| timers.list[index].due_ms <= now_ms) else { return false };
        let timer = &mut timers.list[index];
        let fired = (timer.callback, timer.arguments.clone());
        match timer.interval_ms {
            Some(interval) => timer.due_ms = now_ms.max(timer.due_ms) + interval,
            None => {
                timers.list.remove(index);
            }
        }
        fired
    };
    let mut captures = vec![context.object(), callback];
    captures.extend(arguments);
    let function = vm.new_native_closure(&RUN_CALLBACK, &captures);
    vm.enqueue_job(Job::Call { function: Value::object(function), argument: Value::from(captures.len() as u32) });
    true
}

/// Calls the callback; what it throws can be caught by nobody and is kept for a warning.
fn run_callback(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let context = Context::of(vm, arguments)?;
    let callback = arguments.capture(vm, 1);
    let count = arguments.get(vm, 0).as_number().unwrap_or(0.0) as usize;
    let list: Vec<Value> = (2..count).map(|index| arguments.capture(vm, index)).collect();
    match vm.call(callback, Value::UNDEFINED, &list) {
        Ok(_) => Ok(Value::UNDEFINED),
        Err(Thrown) if vm.termination.is_some() => Err(Thrown),
        Err(Thrown) => {
            let error = vm.take_exception();
            context.uncaught.borrow_mut().push(error);
            Ok(Value::UNDEFINED)
        }
    }
}

fn set_timeout(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    set(vm, arguments, false)
}

fn set_interval(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    set(vm, arguments, true)
}

fn set(vm: &mut Vm, arguments: &Arguments, repeats: bool) -> Completion<Value> {
    let context = Context::of(vm, arguments)?;
    let callback = arguments.get(vm, 0);
    if !vm.heap.is_callable(callback) {
        let text = vm.display(callback);
        return Err(vm.throw_type_error(format!("The timer callback must be a function, got {text}")));
    }
    let delay = arguments.get(vm, 1);
    let delay = if delay.is_undefined() { 0.0 } else { vm.to_number(delay)? };
    // A delay of less than a millisecond counts as one, so that intervals always make progress.
    let delay = if delay >= 1.0 && delay <= MAX_DELAY_MS { delay.trunc() } else { 1.0 };
    if context.timers.borrow().list.len() >= MAX_TIMERS {
        return Err(vm.throw_range_error(format!("Too many timers: at most {MAX_TIMERS} may be set at once")));
    }
    let now_ms = context.elapsed_ms();
    let more = arguments.rest(vm, 2);
    let mut timers = context.timers.borrow_mut();
    timers.last_id += 1;
    let id = timers.last_id;
    let interval_ms = repeats.then_some(delay);
    timers.list.push(Timer { id, due_ms: now_ms + delay, interval_ms, callback, arguments: more });
    Ok(Value::from(id))
}

fn clear(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let context = Context::of(vm, arguments)?;
    if let Some(id) = arguments.get(vm, 0).as_number() {
        context.timers.borrow_mut().list.retain(|timer| f64::from(timer.id) != id);
    }
    Ok(Value::UNDEFINED)
}
