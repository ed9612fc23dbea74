//! Calls of tools and extensions: from the program's arguments to the host and back.

use std::rc::Rc;

use codemode_bytecode::ErrorKind;
use codemode_runtime::object::Attributes;
use codemode_runtime::vm::{Completion, StackFrame, Thrown, Vm};
use codemode_runtime::{Gc, Object, Value};

use crate::boundary::{self, Converted};
use crate::calls::{CallStatus, PendingCall};
use crate::context::Context;
use crate::definitions::{Call, CallKind, Failure, FailureKind};
use crate::failure::{self, Kind};
use crate::json_reader;
use crate::waiting::{DeferredCall, Waiting, wait_for};

/// What is called: an index into the tools or into the extensions of the runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Tool(usize),
    Extension(usize),
}

/// Frames that a call remembers, so that its failure can be located.
const CALL_FRAMES: usize = 10;

/// A call by the program: the promise of its result. It starts at once unless the arguments hold pending promises.
///
/// # Errors
/// Only terminations; whatever is wrong with the call rejects the promise.
pub(crate) fn call(vm: &mut Vm, context: &Rc<Context>, target: Target, arguments: Vec<Value>) -> Completion<Value> {
    let frames = vm.stack_trace(CALL_FRAMES);
    let promise = vm.new_promise();
    vm.root(promise);
    let arguments = Value::object(vm.create_array(arguments));
    vm.root(arguments);
    start(vm, context, DeferredCall { target, arguments, promise, frames })?;
    Ok(Value::object(promise))
}

/// Converts the arguments, admits the call and hands it to the host.
///
/// # Errors
/// Only terminations.
pub(crate) fn start(vm: &mut Vm, context: &Rc<Context>, call: DeferredCall) -> Completion<()> {
    let converted = match call.target {
        Target::Tool(tool) => tool_input(vm, context, tool, call.arguments),
        Target::Extension(extension) => extension_arguments(vm, context, extension, call.arguments),
    };
    match converted {
        Ok(Converted::Pending(promise)) => {
            wait_for(vm, context, promise, Waiting::Call(call));
            Ok(())
        }
        Ok(Converted::Text(text)) => {
            let text = text.unwrap_or_else(|| "{}".to_owned());
            match admit(vm, context, call.target, &text) {
                Ok(()) => {
                    hand_over(vm, context, call, text);
                    Ok(())
                }
                Err(Thrown) => reject(vm, call.promise, call.frames),
            }
        }
        Err(Thrown) => reject(vm, call.promise, call.frames),
    }
}

/// Delivers the outcome of a call to the program.
///
/// # Errors
/// Only terminations.
pub(crate) fn settle(
    vm: &mut Vm,
    context: &Rc<Context>,
    id: u64,
    outcome: Result<Option<String>, Failure>,
) -> Completion<()> {
    let Some(call) = context.calls.borrow_mut().take(id) else { return Ok(()) };
    let saved_roots = vm.roots.len();
    vm.root(call.promise);
    let result = outcome.and_then(|text| result_value(vm, context, &call, text));
    let status = if result.is_ok() { CallStatus::Ok } else { CallStatus::Error };
    let now_ms = context.real_elapsed_ms();
    context.calls.borrow_mut().end(&call, status, now_ms);
    match result {
        Ok(value) => vm.resolve_promise(call.promise, value),
        Err(failure) => {
            let error = error_of(vm, &failure);
            failure::set_frames(vm, error, call.frames);
            vm.reject_promise(call.promise, Value::object(error));
        }
    }
    vm.roots.truncate(saved_roots);
    if vm.termination.is_some() { Err(Thrown) } else { Ok(()) }
}

/// Rejects the promise with the thrown value. An error that was made on the way gets the call's frames.
fn reject(vm: &mut Vm, promise: Gc<Object>, frames: Vec<StackFrame>) -> Completion<()> {
    if vm.termination.is_some() {
        return Err(Thrown);
    }
    let reason = vm.take_exception();
    if let Some(error) = reason.as_object()
        && Kind::of(vm, reason) != Kind::ExecutionFailure
    {
        failure::set_frames(vm, error, frames);
    }
    vm.reject_promise(promise, reason);
    Ok(())
}

/// The single input of a tool: none is an empty object, and a bare string fills the only required property.
fn tool_input(vm: &mut Vm, context: &Rc<Context>, tool: usize, arguments: Value) -> Completion<Converted> {
    let list = arguments.as_object().and_then(|array| vm.heap.dense_elements(array)).unwrap_or_default();
    let definition = &context.runtime.tools[tool];
    let label = format!("the input of tool '{}'", definition.path);
    let first = list.first().copied().unwrap_or(Value::UNDEFINED);
    let shorthand = if first.is_string() { context.runtime.string_argument(tool) } else { None };
    if let Some(property) = shorthand
        && list.len() <= 2
    {
        let input = vm.new_object();
        let key = vm.heap.key_from_str(&property);
        let more = list.get(1).copied().unwrap_or(Value::UNDEFINED);
        vm.root(input);
        if let Some(more) = more.as_object() {
            copy_properties(vm, input, more)?;
        }
        vm.create_data_property_or_throw(input, key, first)?;
        return boundary::to_json(vm, context, Value::object(input), &label);
    }
    if list.len() > 1 {
        let message = format!("Tool '{}' expects at most one input object, but got {} arguments.", definition.path, list.len());
        return Err(failure::throw(vm, Kind::InvalidToolInput, ErrorKind::Type, &message));
    }
    boundary::to_json(vm, context, first, &label)
}

/// Copies the own enumerable properties with string keys.
fn copy_properties(vm: &mut Vm, target: Gc<Object>, source: Gc<Object>) -> Completion<()> {
    for key in vm.own_property_keys(source)?.into_iter().filter(|key| key.is_string()) {
        if vm.get_own_property(source, key)?.is_some_and(|descriptor| descriptor.enumerable == Some(true)) {
            let value = vm.get(source, key)?;
            vm.create_data_property_or_throw(target, key, value)?;
        }
    }
    Ok(())
}

/// All arguments of an extension function, as an array.
fn extension_arguments(vm: &mut Vm, context: &Rc<Context>, extension: usize, arguments: Value) -> Completion<Converted> {
    let label = format!("the arguments of {}", context.runtime.extensions[extension].name);
    boundary::to_json(vm, context, arguments, &label)
}

/// Whether the call may start: validates the input and counts the call.
fn admit(vm: &mut Vm, context: &Rc<Context>, target: Target, input: &str) -> Completion<()> {
    let Target::Tool(tool) = target else { return Ok(()) };
    let definition = &context.runtime.tools[tool];
    if let Err(problem) = context.runtime.check_input(tool, input) {
        let message = format!("Invalid input for tool '{}': {problem}", definition.path);
        return Err(failure::throw(vm, Kind::InvalidToolInput, ErrorKind::Type, &message));
    }
    admit_one(vm, context)
}

/// Counts one more tool call against the limit.
///
/// # Errors
/// `ToolCallLimitExceeded`, which the program can catch.
pub(crate) fn admit_one(vm: &mut Vm, context: &Rc<Context>) -> Completion<()> {
    let limit = context.limits.get().max_tool_calls;
    match limit {
        Some(limit) if context.calls.borrow().admitted() >= limit => {
            let message = format!("Tool call limit exceeded: a program may make at most {limit} tool calls.");
            Err(failure::throw(vm, Kind::ToolCallLimitExceeded, ErrorKind::Error, &message))
        }
        _ => Ok(()),
    }
}

/// Starts the call at the host.
fn hand_over(vm: &mut Vm, context: &Rc<Context>, call: DeferredCall, arguments: String) {
    let line = call.frames.first().and_then(|&frame| vm.frame_position(frame)).map_or(0, |(line, _)| line);
    let runtime = &context.runtime;
    let (kind, path, tool) = match call.target {
        Target::Tool(tool) => (CallKind::Tool, runtime.tools[tool].path.clone(), Some(tool)),
        Target::Extension(extension) => (CallKind::Extension, runtime.extensions[extension].name.clone(), None),
    };
    let now_ms = context.real_elapsed_ms();
    let id = context.calls.borrow_mut().begin(&path, tool, call.promise, call.frames, now_ms);
    context.host.borrow_mut().start_call(Call { id, kind, path, arguments, line });
}

/// The value of a result text, validated against the tool's output schema.
fn result_value(vm: &mut Vm, context: &Context, call: &PendingCall, text: Option<String>) -> Result<Value, Failure> {
    let path = call.tool.map_or("extension", |tool| context.runtime.tools[tool].path.as_str());
    let invalid = |problem: String| Failure {
        kind: FailureKind::InvalidToolOutput,
        name: None,
        message: format!("Invalid output from tool '{path}': {problem}"),
        data: None,
    };
    if let Some(tool) = call.tool {
        context.runtime.check_output(tool, text.as_deref()).map_err(invalid)?;
    }
    match text {
        None => Ok(Value::UNDEFINED),
        Some(text) => json_reader::from_json(vm, &text).map_err(invalid),
    }
}

/// The error object of a failure.
fn error_of(vm: &mut Vm, failure: &Failure) -> Gc<Object> {
    let kind = match failure.kind {
        FailureKind::ToolFailure => Kind::ToolFailure,
        FailureKind::UnknownTool => Kind::UnknownTool,
        FailureKind::InvalidToolInput => Kind::InvalidToolInput,
        FailureKind::InvalidToolOutput => Kind::InvalidToolOutput,
    };
    let class = match failure.name.as_deref() {
        Some("TypeError") => ErrorKind::Type,
        Some("RangeError") => ErrorKind::Range,
        Some("SyntaxError") => ErrorKind::Syntax,
        Some("ReferenceError") => ErrorKind::Reference,
        Some("URIError") => ErrorKind::Uri,
        Some("EvalError") => ErrorKind::Eval,
        _ => ErrorKind::Error,
    };
    let error = failure::new_error(vm, kind, class, &failure.message);
    if class == ErrorKind::Error
        && let Some(name) = failure.name.as_deref().filter(|&name| name != "Error")
    {
        put(vm, error, "name", name, Attributes::HIDDEN);
    }
    if let Some(data) = failure.data.as_deref()
        && let Ok(data) = json_reader::from_json(vm, data)
        && let Some(data) = data.as_object()
    {
        for key in vm.heap.own_keys(data) {
            if let Some(value) = vm.heap.own_data(data, key) {
                // Names of the error's own hidden properties stay what they are.
                vm.heap.create_data_property(error, key, value).ok();
            }
        }
    }
    error
}

fn put(vm: &mut Vm, object: Gc<Object>, key: &str, text: &str, attributes: Attributes) {
    let key = vm.heap.key_from_str(key);
    let value = vm.string(text);
    vm.heap.add_property(object, key, value, attributes);
}
