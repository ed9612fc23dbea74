//! `%ArrayIteratorPrototype%`: [ECMA-262, 23.1.5](https://tc39.es/ecma262/#sec-array-iterator-objects).

use crate::builtins::{Builtin, BuiltinKind, PrototypeKind, method, tag};
use crate::object::ObjectKind;
use crate::value::Value;
use crate::vm::{Arguments, Completion, IntrinsicObject, Vm};

/// The table of `%ArrayIteratorPrototype%`.
pub static BUILTIN: Builtin = Builtin {
    kind: BuiltinKind::Prototype { id: IntrinsicObject::ArrayIteratorPrototype },
    statics: &[],
    prototype: &[method("next", 0, next), tag("Array Iterator")],
    prototype_kind: PrototypeKind::Ordinary,
    prototype_parent: Some(IntrinsicObject::IteratorPrototype),
};

/// %ArrayIteratorPrototype%.next ( ) <https://tc39.es/ecma262/#sec-%arrayiteratorprototype%.next>
fn next(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let iterator = arguments.this.as_object().filter(|&it| matches!(vm.heap[it].kind, ObjectKind::ArrayIterator(_)));
    let Some(iterator) = iterator else {
        let text = vm.display(arguments.this);
        return Err(vm.throw_type_error(format!("next method called on incompatible receiver {text}")));
    };
    let value = vm.advance_builtin_iterator(iterator)?;
    Ok(vm.create_iter_result(value.unwrap_or(Value::UNDEFINED), value.is_none()))
}
