//! What goes on once a promise inside a value has settled: a tool call whose input holds promises, and the result.

use std::rc::Rc;

use codemode_runtime::builtins::{NativeFunction, native};
use codemode_runtime::heap::{Marker, Trace};
use codemode_runtime::vm::{Arguments, Completion, StackFrame, Termination, Vm};
use codemode_runtime::{Gc, Object, Value};

use crate::context::{Context, Outcome};
use crate::tools;

/// Values that wait for promises inside them.
#[derive(Default)]
pub(crate) struct Waiters {
    list: Vec<Option<Waiting>>,
}

/// A value that waits, and what it is for.
pub(crate) enum Waiting {
    /// The result of the program.
    Result(Value),
    /// Arguments of a call that starts when they are complete.
    Call(DeferredCall),
}

/// A call that could not start at once.
pub(crate) struct DeferredCall {
    /// What is called.
    pub target: tools::Target,
    /// The arguments: an array.
    pub arguments: Value,
    /// The promise that the program got.
    pub promise: Gc<Object>,
    /// Where the program made the call.
    pub frames: Vec<StackFrame>,
}

impl Trace for Waiters {
    fn trace(&self, marker: &mut Marker) {
        for waiting in self.list.iter().flatten() {
            match waiting {
                Waiting::Result(value) => marker.mark_value(*value),
                Waiting::Call(call) => {
                    marker.mark_value(call.arguments);
                    marker.mark(call.promise);
                }
            }
        }
    }
}

static RESUME: NativeFunction = native("", 1, resume);

/// Goes on with `waiting` when `promise` settles, whichever way.
pub(crate) fn wait_for(vm: &mut Vm, context: &Rc<Context>, promise: Gc<Object>, waiting: Waiting) {
    let index = {
        let mut waiters = context.waiters.borrow_mut();
        waiters.list.push(Some(waiting));
        waiters.list.len() - 1
    };
    let captures = [context.object(), Value::from(index as u32)];
    let resume = Value::object(vm.new_native_closure(&RESUME, &captures));
    vm.perform_promise_then(promise, resume, resume, None);
}

fn resume(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let context = Context::of(vm, arguments)?;
    let index = arguments.capture(vm, 1).as_number().unwrap_or(0.0) as usize;
    let waiting = context.waiters.borrow_mut().list.get_mut(index).and_then(Option::take);
    match waiting {
        None => Ok(Value::UNDEFINED),
        Some(Waiting::Result(value)) => {
            // The execution looks at the outcome again.
            context.outcome.set(Some(Outcome::Returned(value)));
            Err(vm.terminate(Termination::Exit))
        }
        Some(Waiting::Call(call)) => {
            vm.root(call.arguments);
            vm.root(call.promise);
            tools::start(vm, &context, call)?;
            Ok(Value::UNDEFINED)
        }
    }
}
