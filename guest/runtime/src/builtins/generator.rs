//! The prototypes of generators and async generators:
//! [ECMA-262, 27.5](https://tc39.es/ecma262/#sec-generator-objects) and [27.6](https://tc39.es/ecma262/#sec-asyncgenerator-objects).

use crate::builtins::{Builtin, BuiltinKind, Entry, Key, NativeFunction, NativeKind, PrototypeKind, method, tag};
use crate::value::Value;
use crate::vm::{Arguments, Completion, IntrinsicObject, ResumeMode, Vm};

/// The table of `%GeneratorPrototype%`. The interpreter resumes the frame itself, so that generators never nest on the native stack.
pub static GENERATOR: Builtin = Builtin {
    kind: BuiltinKind::Prototype { id: IntrinsicObject::GeneratorPrototype },
    statics: &[],
    prototype: &[
        Entry::ReadonlyIntrinsic(Key::Name("constructor"), IntrinsicObject::GeneratorFunctionPrototype),
        resuming("next", NativeKind::GeneratorNext),
        resuming("return", NativeKind::GeneratorReturn),
        resuming("throw", NativeKind::GeneratorThrow),
        tag("Generator"),
    ],
    prototype_kind: PrototypeKind::Ordinary,
    prototype_parent: Some(IntrinsicObject::IteratorPrototype),
};

/// The table of `%AsyncGeneratorPrototype%`.
pub static ASYNC_GENERATOR: Builtin = Builtin {
    kind: BuiltinKind::Prototype { id: IntrinsicObject::AsyncGeneratorPrototype },
    statics: &[],
    prototype: &[
        Entry::ReadonlyIntrinsic(Key::Name("constructor"), IntrinsicObject::AsyncGeneratorFunctionPrototype),
        method("next", 1, async_next),
        method("return", 1, async_return),
        method("throw", 1, async_throw),
        tag("AsyncGenerator"),
    ],
    prototype_kind: PrototypeKind::Ordinary,
    prototype_parent: Some(IntrinsicObject::AsyncIteratorPrototype),
};

const fn resuming(name: &'static str, kind: NativeKind) -> Entry {
    Entry::Method(Key::Name(name), NativeFunction { name, length: 1, function: not_called, kind })
}

/// The code of functions that the interpreter carries out itself.
fn not_called(vm: &mut Vm, _: &Arguments) -> Completion<Value> {
    vm.internal_error("generators are resumed by the interpreter")
}

/// AsyncGenerator.prototype.next ( value ) <https://tc39.es/ecma262/#sec-asyncgenerator-prototype-next>
fn async_next(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let value = arguments.get(vm, 0);
    vm.async_generator_request(arguments.this, ResumeMode::Next, value, "next")
}

/// AsyncGenerator.prototype.return ( value ) <https://tc39.es/ecma262/#sec-asyncgenerator-prototype-return>
fn async_return(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let value = arguments.get(vm, 0);
    vm.async_generator_request(arguments.this, ResumeMode::Return, value, "return")
}

/// AsyncGenerator.prototype.throw ( exception ) <https://tc39.es/ecma262/#sec-asyncgenerator-prototype-throw>
fn async_throw(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let exception = arguments.get(vm, 0);
    vm.async_generator_request(arguments.this, ResumeMode::Throw, exception, "throw")
}
