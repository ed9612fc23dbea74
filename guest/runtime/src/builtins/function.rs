//! `Function`: [ECMA-262, 20.2](https://tc39.es/ecma262/#sec-function-objects), and CreateDynamicFunction for its kin in
//! `generator_function.rs`.

use std::rc::Rc;

use crate::builtins::{
    Builtin, Entry, Key, NativeFunction, NativeKind, PrototypeKind, constructor, global_constructor, method, native,
};
use crate::heap::Gc;
use crate::names::keys;
use crate::object::{Attributes, BoundFunction, Object, ObjectKind};
use crate::symbol;
use crate::value::Value;
use crate::vm::{Arguments, CompileRequest, Completion, IntrinsicObject, Vm};

/// The table of `Function`.
pub static BUILTIN: Builtin = Builtin {
    kind: global_constructor(
        constructor("Function", 1, construct),
        IntrinsicObject::Function,
        IntrinsicObject::FunctionPrototype,
    ),
    statics: &[],
    prototype: &[
        Entry::Method(
            Key::Name("apply"),
            NativeFunction { name: "apply", length: 2, function: apply, kind: NativeKind::ForwardApply },
        ),
        method("bind", 1, bind),
        Entry::Method(
            Key::Name("call"),
            NativeFunction { name: "call", length: 1, function: call, kind: NativeKind::ForwardCall },
        ),
        method("toString", 0, to_string),
        Entry::ReadonlyMethod(
            Key::Symbol(symbol::HAS_INSTANCE),
            native("[Symbol.hasInstance]", 1, has_instance),
            false,
        ),
    ],
    prototype_kind: PrototypeKind::Function,
    prototype_parent: None,
};

/// Function ( ...parameterArgs, bodyArg ) <https://tc39.es/ecma262/#sec-function-p1-p2-pn-body>
fn construct(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    create_dynamic_function(vm, arguments, false, false)
}

/// Function.prototype.apply ( thisArg, argArray ) <https://tc39.es/ecma262/#sec-function.prototype.apply>. The interpreter forwards
/// calls itself.
fn apply(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let (this, list) = (arguments.get(vm, 0), arguments.get(vm, 1));
    let list = if list.is_nullish() { Vec::new() } else { vm.create_list_from_array_like(list)? };
    vm.call(arguments.this, this, &list)
}

/// Function.prototype.bind ( thisArg, ...args ) <https://tc39.es/ecma262/#sec-function.prototype.bind>
fn bind(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let Some(target) = arguments.this.as_object().filter(|&target| vm.heap[target].is_callable()) else {
        return Err(vm.throw_type_error("Bind must be called on a function"));
    };
    let bound_arguments = arguments.rest(vm, 1);
    let count = bound_arguments.len();
    // BoundFunctionCreate <https://tc39.es/ecma262/#sec-boundfunctioncreate>
    let prototype = vm.get_prototype_of(target)?;
    let slots = BoundFunction {
        target,
        this: arguments.get(vm, 0),
        arguments: bound_arguments,
        is_constructor: vm.heap[target].is_constructor(),
    };
    let function = vm.heap.new_object_of_kind(prototype, ObjectKind::Bound(Box::new(slots)));
    vm.root(function);
    let mut length = 0.0;
    if vm.has_own_property(target, keys::LENGTH)?
        && let Some(target_length) = vm.get(target, keys::LENGTH)?.as_number()
    {
        length = (crate::number::to_integer_or_infinity(target_length) - count as f64).max(0.0);
    }
    vm.heap.add_property(function, keys::LENGTH, Value::number(length), Attributes::CONFIGURABLE);
    let target_name = vm.get(target, keys::NAME)?;
    let name = match target_name.as_string() {
        Some(name) => {
            let prefix = vm.heap.intern_str("bound ");
            match vm.heap.concat(prefix, name) {
                Ok(name) => name,
                Err(_) => return Err(vm.throw_range_error("Invalid string length")),
            }
        }
        None => vm.heap.intern_str("bound "),
    };
    vm.heap.add_property(function, keys::NAME, Value::string(name), Attributes::CONFIGURABLE);
    Ok(Value::object(function))
}

/// Function.prototype.call ( thisArg, ...args ) <https://tc39.es/ecma262/#sec-function.prototype.call>. The interpreter forwards
/// calls itself.
fn call(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let this = arguments.get(vm, 0);
    let list = arguments.rest(vm, 1);
    vm.call(arguments.this, this, &list)
}

/// Function.prototype.toString ( ) <https://tc39.es/ecma262/#sec-function.prototype.tostring>
fn to_string(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let Some(function) = arguments.this.as_object().filter(|&function| vm.heap[function].is_callable()) else {
        return Err(vm.throw_type_error("Function.prototype.toString requires that 'this' be a Function"));
    };
    let text = function_text(vm, function);
    Ok(vm.string(&text))
}

/// The source text of a function, or that of a function with native code.
pub fn function_text(vm: &mut Vm, function: Gc<Object>) -> String {
    if let ObjectKind::Closure(closure) = &vm.heap[function].kind {
        let code = &vm.codes[closure.code.index()];
        let (start, end) = (code.function().source_start as usize, code.function().source_end as usize);
        if !code.is_self_hosted
            && start < end
            && let Some(text) = code.unit.source.get(start..end)
        {
            return text.to_owned();
        }
    }
    let name = native_name(vm, function);
    format!("function {name}() {{ [native code] }}")
}

/// Function.prototype \[ %Symbol.hasInstance% ] ( V ) <https://tc39.es/ecma262/#sec-function.prototype-%symbol.hasinstance%>
fn has_instance(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let value = arguments.get(vm, 0);
    vm.ordinary_has_instance(arguments.this, value).map(Value::boolean)
}

/// CreateDynamicFunction ( constructor, newTarget, kind, parameterArgs, bodyArg )
/// <https://tc39.es/ecma262/#sec-createdynamicfunction>. The unit that the embedder's compiler gives evaluates to the function.
///
/// # Errors
/// EvalError when the embedder does not compile; SyntaxError; what ToString throws.
pub fn create_dynamic_function(
    vm: &mut Vm,
    arguments: &Arguments,
    is_async: bool,
    is_generator: bool,
) -> Completion<Value> {
    let Some(compiler) = vm.compiler.clone() else {
        return Err(vm.throw_error(
            codemode_bytecode::ErrorKind::Eval,
            "Code generation from strings disallowed for this context",
        ));
    };
    let mut texts = Vec::with_capacity(arguments.len());
    for index in 0..arguments.len() {
        let argument = arguments.get(vm, index);
        let string = vm.to_string(argument)?;
        texts.push(vm.heap.rust_string(string));
    }
    let body = texts.pop().unwrap_or_default();
    let parameters = texts.join(",");
    let request = CompileRequest {
        parameters: Some(&parameters),
        body: &body,
        is_async,
        is_generator,
        scope: None,
        is_strict: false,
    };
    let unit = match compiler(&request) {
        Ok(unit) => unit,
        Err(message) => return Err(vm.throw_syntax_error(message)),
    };
    let entry = vm.load_unit(Rc::new(unit), false);
    let function = vm.run_entry(entry, Value::UNDEFINED)?;
    vm.root(function);
    if arguments.is_construct()
        && arguments.new_target != arguments.callee
        && let Some(object) = function.as_object()
    {
        let default = match (is_async, is_generator) {
            (false, false) => IntrinsicObject::FunctionPrototype,
            (true, false) => IntrinsicObject::AsyncFunctionPrototype,
            (false, true) => IntrinsicObject::GeneratorFunctionPrototype,
            (true, true) => IntrinsicObject::AsyncGeneratorFunctionPrototype,
        };
        let prototype = vm.get_prototype_from_constructor(arguments.new_target, default)?;
        vm.heap.set_prototype(object, Some(prototype));
    }
    Ok(function)
}

/// The name that the text of a builtin function shows.
fn native_name(vm: &mut Vm, function: Gc<Object>) -> String {
    match &vm.heap[function].kind {
        ObjectKind::Native(native) => native.function.name.to_owned(),
        ObjectKind::Closure(_) => match vm.heap.own_data(function, keys::NAME).and_then(Value::as_string) {
            Some(name) => vm.heap.rust_string(name),
            None => String::new(),
        },
        _ => String::new(),
    }
}
