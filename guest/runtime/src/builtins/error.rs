//! `Error` and the other error classes: [ECMA-262, 20.5](https://tc39.es/ecma262/#sec-error-objects).
//!
//! `stack` is an accessor of `Error.prototype`; the text is put together when it is read, from the frames that the error object
//! remembers.

use crate::builtins::{
    Builtin, BuiltinKind, ConstantValue, Entry, Key, NativeFn, PrototypeKind, accessor, constructor, method,
};
use crate::heap::Gc;
use crate::names::keys;
use crate::object::{Attributes, Lookup, Object, ObjectKind, PropertyDescriptor};
use crate::property_key::PropertyKey;
use crate::value::Value;
use crate::vm::{Arguments, Completion, IntrinsicObject, Vm};

/// The table of `Error`.
pub static BUILTIN: Builtin = Builtin {
    kind: BuiltinKind::Constructor {
        function: constructor("Error", 1, error),
        id: IntrinsicObject::Error,
        parent: None,
        prototype: IntrinsicObject::ErrorPrototype,
        global: true,
    },
    statics: &[method("captureStackTrace", 2, capture_stack_trace), method("isError", 1, is_error)],
    prototype: &[
        text("message", ""),
        text("name", "Error"),
        accessor("stack", get_stack, set_stack),
        method("toString", 0, to_string),
    ],
    prototype_kind: PrototypeKind::Ordinary,
    prototype_parent: None,
};

/// The table of `AggregateError`.
pub static AGGREGATE_ERROR: Builtin = native_error(
    ("AggregateError", 2, aggregate_error),
    (IntrinsicObject::AggregateError, IntrinsicObject::AggregateErrorPrototype),
    &[text("message", ""), text("name", "AggregateError")],
);

/// The table of `EvalError`.
pub static EVAL_ERROR: Builtin = native_error(
    ("EvalError", 1, eval_error),
    (IntrinsicObject::EvalError, IntrinsicObject::EvalErrorPrototype),
    &[text("message", ""), text("name", "EvalError")],
);

/// The table of `RangeError`.
pub static RANGE_ERROR: Builtin = native_error(
    ("RangeError", 1, range_error),
    (IntrinsicObject::RangeError, IntrinsicObject::RangeErrorPrototype),
    &[text("message", ""), text("name", "RangeError")],
);

/// The table of `ReferenceError`.
pub static REFERENCE_ERROR: Builtin = native_error(
    ("ReferenceError", 1, reference_error),
    (IntrinsicObject::ReferenceError, IntrinsicObject::ReferenceErrorPrototype),
    &[text("message", ""), text("name", "ReferenceError")],
);

/// The table of `SuppressedError`.
pub static SUPPRESSED_ERROR: Builtin = native_error(
    ("SuppressedError", 3, suppressed_error),
    (IntrinsicObject::SuppressedError, IntrinsicObject::SuppressedErrorPrototype),
    &[text("message", ""), text("name", "SuppressedError")],
);

/// The table of `SyntaxError`.
pub static SYNTAX_ERROR: Builtin = native_error(
    ("SyntaxError", 1, syntax_error),
    (IntrinsicObject::SyntaxError, IntrinsicObject::SyntaxErrorPrototype),
    &[text("message", ""), text("name", "SyntaxError")],
);

/// The table of `TypeError`.
pub static TYPE_ERROR: Builtin = native_error(
    ("TypeError", 1, type_error),
    (IntrinsicObject::TypeError, IntrinsicObject::TypeErrorPrototype),
    &[text("message", ""), text("name", "TypeError")],
);

/// The table of `URIError`.
pub static URI_ERROR: Builtin = native_error(
    ("URIError", 1, uri_error),
    (IntrinsicObject::UriError, IntrinsicObject::UriErrorPrototype),
    &[text("message", ""), text("name", "URIError")],
);

const fn text(name: &'static str, value: &'static str) -> Entry {
    Entry::Data(Key::Name(name), ConstantValue::Text(value))
}

const fn native_error(
    (name, length, function): (&'static str, u8, NativeFn),
    (id, prototype_id): (IntrinsicObject, IntrinsicObject),
    prototype: &'static [Entry],
) -> Builtin {
    Builtin {
        kind: BuiltinKind::Constructor {
            function: constructor(name, length, function),
            id,
            parent: Some(IntrinsicObject::Error),
            prototype: prototype_id,
            global: true,
        },
        statics: &[],
        prototype,
        prototype_kind: PrototypeKind::Ordinary,
        prototype_parent: Some(IntrinsicObject::ErrorPrototype),
    }
}

/// Error ( message \[ , options ] ) <https://tc39.es/ecma262/#sec-error-message>
fn error(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    construct(vm, arguments, IntrinsicObject::ErrorPrototype)
}

fn eval_error(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    construct(vm, arguments, IntrinsicObject::EvalErrorPrototype)
}

fn range_error(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    construct(vm, arguments, IntrinsicObject::RangeErrorPrototype)
}

fn reference_error(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    construct(vm, arguments, IntrinsicObject::ReferenceErrorPrototype)
}

fn syntax_error(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    construct(vm, arguments, IntrinsicObject::SyntaxErrorPrototype)
}

fn type_error(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    construct(vm, arguments, IntrinsicObject::TypeErrorPrototype)
}

fn uri_error(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    construct(vm, arguments, IntrinsicObject::UriErrorPrototype)
}

/// NativeError ( message \[ , options ] ) <https://tc39.es/ecma262/#sec-nativeerror>
fn construct(vm: &mut Vm, arguments: &Arguments, prototype: IntrinsicObject) -> Completion<Value> {
    let error = create(vm, arguments, prototype)?;
    install_message(vm, error, arguments.get(vm, 0))?;
    install_cause(vm, error, arguments.get(vm, 1))?;
    Ok(Value::object(error))
}

/// AggregateError ( errors, message \[ , options ] ) <https://tc39.es/ecma262/#sec-aggregate-error>
fn aggregate_error(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let error = create(vm, arguments, IntrinsicObject::AggregateErrorPrototype)?;
    install_message(vm, error, arguments.get(vm, 1))?;
    install_cause(vm, error, arguments.get(vm, 2))?;
    let errors = vm.list_from_iterable(arguments.get(vm, 0))?;
    let errors = vm.create_array(errors);
    vm.heap.add_property(error, keys::ERRORS, Value::object(errors), Attributes::HIDDEN);
    Ok(Value::object(error))
}

/// SuppressedError ( error, suppressed, message ) <https://tc39.es/proposal-explicit-resource-management/#sec-suppressederror>
fn suppressed_error(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let object = create(vm, arguments, IntrinsicObject::SuppressedErrorPrototype)?;
    install_message(vm, object, arguments.get(vm, 2))?;
    let (error, suppressed) = (arguments.get(vm, 0), arguments.get(vm, 1));
    vm.heap.add_property(object, keys::ERROR, error, Attributes::HIDDEN);
    vm.heap.add_property(object, keys::SUPPRESSED, suppressed, Attributes::HIDDEN);
    Ok(Value::object(object))
}

/// The new, rooted error object with its stack trace.
fn create(vm: &mut Vm, arguments: &Arguments, prototype: IntrinsicObject) -> Completion<Gc<Object>> {
    // 1. If NewTarget is undefined, let newTarget be the active function object; else let newTarget be NewTarget.
    let new_target = if arguments.is_construct() { arguments.new_target } else { arguments.callee };
    let data = vm.capture_error_data();
    let error = vm.ordinary_create_from_constructor(new_target, prototype, ObjectKind::Error(data))?;
    vm.root(error);
    Ok(error)
}

fn install_message(vm: &mut Vm, error: Gc<Object>, message: Value) -> Completion<()> {
    if !message.is_undefined() {
        let message = vm.to_string(message)?;
        vm.heap.add_property(error, keys::MESSAGE, Value::string(message), Attributes::HIDDEN);
    }
    Ok(())
}

/// InstallErrorCause ( O, options ) <https://tc39.es/ecma262/#sec-installerrorcause>
fn install_cause(vm: &mut Vm, error: Gc<Object>, options: Value) -> Completion<()> {
    if let Some(options) = options.as_object()
        && vm.has_property(options, keys::CAUSE)?
    {
        let cause = vm.get(options, keys::CAUSE)?;
        vm.heap.add_property(error, keys::CAUSE, cause, Attributes::HIDDEN);
    }
    Ok(())
}

/// Error.captureStackTrace ( target ): gives any object a `stack` property, as other engines do.
fn capture_stack_trace(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let Some(target) = arguments.get(vm, 0).as_object() else {
        let text = vm.display(arguments.get(vm, 0));
        return Err(vm.throw_type_error(format!("Invalid argument: {text} is not an object")));
    };
    let frames = vm.capture_error_data().frames;
    let header = header(vm, target);
    let text = vm.format_stack(&header, &frames);
    let text = Value::string(vm.heap.new_string_owned(text));
    vm.define_property_or_throw(target, keys::STACK, &PropertyDescriptor::data(text, Attributes::HIDDEN))?;
    Ok(Value::UNDEFINED)
}

/// Error.isError ( arg ) <https://tc39.es/ecma262/#sec-error.iserror>
fn is_error(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let argument = arguments.get(vm, 0).as_object();
    Ok(Value::boolean(argument.is_some_and(|object| matches!(vm.heap[object].kind, ObjectKind::Error(_)))))
}

/// get Error.prototype.stack <https://tc39.es/proposal-error-stack-accessor/>
fn get_stack(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let Some(object) = arguments.this.as_object() else {
        let text = vm.display(arguments.this);
        return Err(vm.throw_type_error(format!("get Error.prototype.stack called on incompatible receiver {text}")));
    };
    match stack_text(vm, object) {
        Some(text) => Ok(Value::string(vm.heap.new_string_owned(text))),
        None => Ok(Value::UNDEFINED),
    }
}

/// set Error.prototype.stack <https://tc39.es/proposal-error-stack-accessor/>
fn set_stack(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let home = vm.intrinsic(IntrinsicObject::ErrorPrototype);
    let value = arguments.get(vm, 0);
    if arguments.this.is_object() && !value.is_string() {
        return Err(vm.throw_type_error("The stack of an error must be a string"));
    }
    set_ignoring_prototype_properties(vm, arguments.this, home, keys::STACK, value)?;
    Ok(Value::UNDEFINED)
}

/// Error.prototype.toString ( ) <https://tc39.es/ecma262/#sec-error.prototype.tostring>
fn to_string(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let Some(object) = arguments.this.as_object() else {
        let text = vm.display(arguments.this);
        return Err(
            vm.throw_type_error(format!("Method Error.prototype.toString called on incompatible receiver {text}"))
        );
    };
    // 3. to 4. the name, "Error" by default
    let name = vm.get(object, keys::NAME)?;
    let name = if name.is_undefined() { crate::names::ERROR_CLASS } else { vm.to_string(name)? };
    vm.root(name);
    // 5. to 6. the message, empty by default
    let message = vm.get(object, keys::MESSAGE)?;
    let message = if message.is_undefined() { crate::names::EMPTY } else { vm.to_string(message)? };
    // 7. to 9.
    if vm.heap[name].is_empty() {
        return Ok(Value::string(message));
    }
    if vm.heap[message].is_empty() {
        return Ok(Value::string(name));
    }
    let separator = vm.heap.intern_str(": ");
    let Some(start) = vm.concat(name, separator)?.as_string() else { return Ok(Value::string(name)) };
    vm.concat(start, message)
}

/// The text of `stack` of an error object: what `toString` would most likely give, and one line per frame. Runs no program code.
/// None for an object that is no error.
pub fn stack_text(vm: &mut Vm, object: Gc<Object>) -> Option<String> {
    let ObjectKind::Error(data) = &vm.heap[object].kind else { return None };
    let frames = data.frames.clone();
    let header = header(vm, object);
    Some(vm.format_stack(&header, &frames))
}

/// Name and message of an object as far as they are plain strings.
fn header(vm: &mut Vm, object: Gc<Object>) -> String {
    let name = plain_string(vm, object, keys::NAME).unwrap_or_else(|| "Error".to_owned());
    let message = plain_string(vm, object, keys::MESSAGE).unwrap_or_default();
    match (name.is_empty(), message.is_empty()) {
        (_, true) => name,
        (true, false) => message,
        (false, false) => format!("{name}: {message}"),
    }
}

fn plain_string(vm: &mut Vm, object: Gc<Object>, key: PropertyKey) -> Option<String> {
    match vm.heap.lookup(object, key) {
        Lookup::Found(found) => found.value.as_string().map(|string| vm.heap.rust_string(string)),
        _ => None,
    }
}

/// SetterThatIgnoresPrototypeProperties ( thisValue, home, p, v ) <https://tc39.es/ecma262/#sec-SetterThatIgnoresPrototypeProperties>
///
/// # Errors
/// TypeError when the this value is no object, or `home` itself; what the object's internal methods throw.
pub(crate) fn set_ignoring_prototype_properties(
    vm: &mut Vm,
    this: Value,
    home: Gc<Object>,
    key: PropertyKey,
    value: Value,
) -> Completion<()> {
    let Some(object) = this.as_object() else {
        let text = vm.display(this);
        return Err(vm.throw_type_error(format!("Setter called on incompatible receiver {text}")));
    };
    if object == home {
        let name = key.display(&mut vm.heap);
        return Err(vm.throw_type_error(format!("Cannot assign to read only property '{name}' of a prototype object")));
    }
    match vm.get_own_property(object, key)? {
        None => vm.create_data_property_or_throw(object, key, value),
        Some(_) => vm.set(object, key, value, true).map(|_| ()),
    }
}
