//! `Symbol`: [ECMA-262, 20.4](https://tc39.es/ecma262/#sec-symbol-objects).

use crate::builtins::{
    Builtin, Entry, Key, PrototypeKind, constructor, getter, global_constructor, method, native, tag,
};
use crate::heap::Gc;
use crate::symbol::{self, Symbol, SymbolKind};
use crate::value::Value;
use crate::vm::{Arguments, Completion, IntrinsicObject, Vm};

/// The table of `Symbol`.
pub static BUILTIN: Builtin = Builtin {
    kind: global_constructor(
        constructor("Symbol", 0, construct),
        IntrinsicObject::Symbol,
        IntrinsicObject::SymbolPrototype,
    ),
    statics: &[
        Entry::SymbolConstant("asyncDispose", symbol::ASYNC_DISPOSE),
        Entry::SymbolConstant("asyncIterator", symbol::ASYNC_ITERATOR),
        Entry::SymbolConstant("dispose", symbol::DISPOSE),
        method("for", 1, symbol_for),
        Entry::SymbolConstant("hasInstance", symbol::HAS_INSTANCE),
        Entry::SymbolConstant("isConcatSpreadable", symbol::IS_CONCAT_SPREADABLE),
        Entry::SymbolConstant("iterator", symbol::ITERATOR),
        method("keyFor", 1, key_for),
        Entry::SymbolConstant("match", symbol::MATCH),
        Entry::SymbolConstant("matchAll", symbol::MATCH_ALL),
        Entry::SymbolConstant("replace", symbol::REPLACE),
        Entry::SymbolConstant("search", symbol::SEARCH),
        Entry::SymbolConstant("species", symbol::SPECIES),
        Entry::SymbolConstant("split", symbol::SPLIT),
        Entry::SymbolConstant("toPrimitive", symbol::TO_PRIMITIVE),
        Entry::SymbolConstant("toStringTag", symbol::TO_STRING_TAG),
        Entry::SymbolConstant("unscopables", symbol::UNSCOPABLES),
    ],
    prototype: &[
        getter("description", description),
        method("toString", 0, to_string),
        method("valueOf", 0, value_of),
        Entry::ReadonlyMethod(Key::Symbol(symbol::TO_PRIMITIVE), native("[Symbol.toPrimitive]", 1, to_primitive), true),
        tag("Symbol"),
    ],
    prototype_kind: PrototypeKind::Ordinary,
    prototype_parent: None,
};

/// Symbol ( \[ description ] ) <https://tc39.es/ecma262/#sec-symbol-description>
fn construct(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    if arguments.is_construct() {
        return Err(vm.throw_type_error("Symbol is not a constructor"));
    }
    let description = arguments.get(vm, 0);
    let description = if description.is_undefined() { None } else { Some(vm.to_string(description)?) };
    Ok(Value::symbol(vm.heap.new_symbol(description)))
}

/// Symbol.for ( key ) <https://tc39.es/ecma262/#sec-symbol.for>
fn symbol_for(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let key = vm.to_string(arguments.get(vm, 0))?;
    Ok(Value::symbol(vm.heap.symbol_for(key)))
}

/// Symbol.keyFor ( sym ) <https://tc39.es/ecma262/#sec-symbol.keyfor>
fn key_for(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let Some(symbol) = arguments.get(vm, 0).as_symbol() else {
        let text = vm.display(arguments.get(vm, 0));
        return Err(vm.throw_type_error(format!("{text} is not a symbol")));
    };
    let Symbol { description, kind } = vm.heap[symbol];
    Ok(match description {
        Some(key) if kind == SymbolKind::Registered => Value::string(key),
        _ => Value::UNDEFINED,
    })
}

/// get Symbol.prototype.description <https://tc39.es/ecma262/#sec-symbol.prototype.description>
fn description(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let symbol = this_symbol_value(vm, arguments, "description")?;
    Ok(vm.heap[symbol].description.map_or(Value::UNDEFINED, Value::string))
}

/// Symbol.prototype.toString ( ) <https://tc39.es/ecma262/#sec-symbol.prototype.tostring>
fn to_string(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let symbol = this_symbol_value(vm, arguments, "toString")?;
    let text = symbol_descriptive_string(vm, symbol)?;
    Ok(text)
}

/// Symbol.prototype.valueOf ( ) <https://tc39.es/ecma262/#sec-symbol.prototype.valueof>
fn value_of(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    this_symbol_value(vm, arguments, "valueOf").map(Value::symbol)
}

/// Symbol.prototype \[ %Symbol.toPrimitive% ] ( hint ) <https://tc39.es/ecma262/#sec-symbol.prototype-%symbol.toprimitive%>
fn to_primitive(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    this_symbol_value(vm, arguments, "[Symbol.toPrimitive]").map(Value::symbol)
}

/// SymbolDescriptiveString ( sym ) <https://tc39.es/ecma262/#sec-symboldescriptivestring>
///
/// # Errors
/// RangeError when the text is too long.
pub(crate) fn symbol_descriptive_string(vm: &mut Vm, symbol: Gc<Symbol>) -> Completion<Value> {
    let mut builder = crate::string::StringBuilder::new();
    builder.push_str("Symbol(");
    if let Some(description) = vm.heap[symbol].description {
        builder.push_string(&mut vm.heap, description);
    }
    builder.push_str(")");
    match builder.finish(&mut vm.heap) {
        Ok(text) => Ok(Value::string(text)),
        Err(_) => Err(vm.throw_range_error("Invalid string length")),
    }
}

/// ThisSymbolValue ( value ) <https://tc39.es/ecma262/#sec-thissymbolvalue>
fn this_symbol_value(vm: &mut Vm, arguments: &Arguments, method: &str) -> Completion<Gc<Symbol>> {
    let wrapped = arguments.this.as_object().and_then(|object| vm.heap[object].kind.as_primitive());
    match arguments.this.as_symbol().or_else(|| wrapped.and_then(Value::as_symbol)) {
        Some(symbol) => Ok(symbol),
        None => Err(vm.throw_type_error(format!("Symbol.prototype.{method} requires that 'this' be a Symbol"))),
    }
}
