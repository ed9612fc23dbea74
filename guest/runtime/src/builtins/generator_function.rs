//! `%GeneratorFunction%`, `%AsyncGeneratorFunction%` and `%AsyncFunction%`: ECMA-262,
//! [27.3](https://tc39.es/ecma262/#sec-generatorfunction-objects), [27.4](https://tc39.es/ecma262/#sec-asyncgeneratorfunction-objects) and
//! [27.7](https://tc39.es/ecma262/#sec-async-function-objects). Programs reach them as the constructors of such functions.

use crate::builtins::function::create_dynamic_function;
use crate::builtins::{Builtin, BuiltinKind, Entry, Key, NativeFunction, PrototypeKind, constructor, tag};
use crate::value::Value;
use crate::vm::{Arguments, Completion, IntrinsicObject, Vm};

/// The table of `%GeneratorFunction%`.
pub static GENERATOR_FUNCTION: Builtin = Builtin {
    kind: function_constructor(
        constructor("GeneratorFunction", 1, construct_generator_function),
        IntrinsicObject::GeneratorFunction,
        IntrinsicObject::GeneratorFunctionPrototype,
    ),
    statics: &[],
    prototype: &[
        Entry::ReadonlyIntrinsic(Key::Name("prototype"), IntrinsicObject::GeneratorPrototype),
        tag("GeneratorFunction"),
    ],
    prototype_kind: PrototypeKind::Ordinary,
    prototype_parent: Some(IntrinsicObject::FunctionPrototype),
};

/// The table of `%AsyncGeneratorFunction%`.
pub static ASYNC_GENERATOR_FUNCTION: Builtin = Builtin {
    kind: function_constructor(
        constructor("AsyncGeneratorFunction", 1, construct_async_generator_function),
        IntrinsicObject::AsyncGeneratorFunction,
        IntrinsicObject::AsyncGeneratorFunctionPrototype,
    ),
    statics: &[],
    prototype: &[
        Entry::ReadonlyIntrinsic(Key::Name("prototype"), IntrinsicObject::AsyncGeneratorPrototype),
        tag("AsyncGeneratorFunction"),
    ],
    prototype_kind: PrototypeKind::Ordinary,
    prototype_parent: Some(IntrinsicObject::FunctionPrototype),
};

/// The table of `%AsyncFunction%`.
pub static ASYNC_FUNCTION: Builtin = Builtin {
    kind: function_constructor(
        constructor("AsyncFunction", 1, construct_async_function),
        IntrinsicObject::AsyncFunction,
        IntrinsicObject::AsyncFunctionPrototype,
    ),
    statics: &[],
    prototype: &[tag("AsyncFunction")],
    prototype_kind: PrototypeKind::Ordinary,
    prototype_parent: Some(IntrinsicObject::FunctionPrototype),
};

/// GeneratorFunction ( ...parameterArgs, bodyArg ) <https://tc39.es/ecma262/#sec-generatorfunction>
fn construct_generator_function(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    create_dynamic_function(vm, arguments, false, true)
}

/// AsyncGeneratorFunction ( ...parameterArgs, bodyArg ) <https://tc39.es/ecma262/#sec-asyncgeneratorfunction>
fn construct_async_generator_function(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    create_dynamic_function(vm, arguments, true, true)
}

/// AsyncFunction ( ...parameterArgs, bodyArg ) <https://tc39.es/ecma262/#sec-async-function-constructor-arguments>
fn construct_async_function(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    create_dynamic_function(vm, arguments, true, false)
}

/// A constructor that inherits from %Function% and has no global name.
const fn function_constructor(
    function: NativeFunction,
    id: IntrinsicObject,
    prototype: IntrinsicObject,
) -> BuiltinKind {
    BuiltinKind::Constructor { function, id, parent: Some(IntrinsicObject::Function), prototype, global: false }
}
