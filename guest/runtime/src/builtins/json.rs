//! `JSON`: [ECMA-262, 25.5](https://tc39.es/ecma262/#sec-json-object).
//!
//! The parser is in json_parser.rs, the serializer in json_serializer.rs; both are loops with a stack of their own, so that deep
//! data cannot exhaust the native stack. Revivers and replacer functions are called by json.js.

use codemode_bytecode::Intrinsic;

use crate::builtins::json_parser::{self, Parsed};
use crate::builtins::json_serializer::{self, Serializer};
use crate::builtins::{Builtin, BuiltinKind, PrototypeKind, hosted, method, tag};
use crate::heap::Gc;
use crate::object::{IntegrityLevel, Object, ObjectKind};
use crate::property_key::PropertyKey;
use crate::string::{JsString, StrView, StringBuilder};
use crate::value::Value;
use crate::vm::{Arguments, Completion, IntrinsicObject, Vm};

/// The table of `JSON`.
pub static BUILTIN: Builtin = Builtin {
    kind: BuiltinKind::Namespace { id: IntrinsicObject::Json, name: "JSON" },
    statics: &[
        method("isRawJSON", 1, is_raw_json),
        hosted("parse", 2, "JSON_parse"),
        method("rawJSON", 1, raw_json),
        hosted("stringify", 3, "JSON_stringify"),
        tag("JSON"),
    ],
    prototype: &[],
    prototype_kind: PrototypeKind::Ordinary,
    prototype_parent: None,
};

/// Class tag of the objects that `JSON.rawJSON` makes.
const RAW_JSON_TAG: u32 = 103;

/// JSON.isRawJSON ( O ) <https://tc39.es/proposal-json-parse-with-source/#sec-json.israwjson>
fn is_raw_json(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let object = arguments.get(vm, 0).as_object();
    Ok(Value::boolean(object.is_some_and(|object| is_raw(vm, object))))
}

/// JSON.rawJSON ( text ) <https://tc39.es/proposal-json-parse-with-source/#sec-json.rawjson>
fn raw_json(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    // 1. Let jsonString be ? ToString(text).
    let text = vm.to_string(arguments.get(vm, 0))?;
    vm.root(text);
    let view = vm.heap.flat_view(text);
    // 2. Throw a SyntaxError exception if jsonString is the empty String, or starts or ends with white space.
    let is_space = |unit: Option<u16>| matches!(unit, None | Some(0x09 | 0x0A | 0x0D | 0x20));
    if is_space(view.get(0)) || is_space(view.get(view.len().saturating_sub(1))) {
        return Err(vm.throw_syntax_error("Invalid value for JSON.rawJSON"));
    }
    // 3. Parse; the outermost value must not be an object or array.
    if matches!(view.get(0), Some(0x7B | 0x5B)) {
        return Err(vm.throw_syntax_error("Invalid value for JSON.rawJSON"));
    }
    parse_string(vm, text)?;
    // 4. to 8. a frozen object without prototype
    let object = vm.new_internal(None, RAW_JSON_TAG, Vec::new());
    let key = vm.heap.key_from_str("rawJSON");
    vm.heap.add_property(object, key, Value::string(text), crate::object::Attributes::ALL);
    vm.heap.set_integrity(object, IntegrityLevel::Frozen);
    Ok(Value::object(object))
}

pub(super) fn is_raw(vm: &Vm, object: Gc<Object>) -> bool {
    matches!(&vm.heap[object].kind, ObjectKind::Internal(internal) if internal.tag == RAW_JSON_TAG)
}

/// The text in an object that `JSON.rawJSON` made.
pub(super) fn raw_text(vm: &mut Vm, object: Gc<Object>) -> Option<Gc<JsString>> {
    let key = vm.heap.key_from_str("rawJSON");
    vm.heap.own_data(object, key).and_then(Value::as_string)
}

/// The intrinsics that json.js uses.
///
/// # Errors
/// SyntaxError for text that is not JSON; what getters and `toJSON` methods throw; TypeError for cycles and BigInts.
pub(crate) fn intrinsic(vm: &mut Vm, intrinsic: Intrinsic, arguments: &[Value]) -> Completion<Value> {
    let argument = |index: usize| arguments.get(index).copied().unwrap_or(Value::UNDEFINED);
    match intrinsic {
        Intrinsic::JsonParse => match argument(0).as_string() {
            Some(text) => parse_string(vm, text),
            None => vm.internal_error("$jsonParse without a string"),
        },
        Intrinsic::JsonParseWithSource => match argument(0).as_string() {
            Some(text) => {
                let parsed = json_parser::parse(vm, text, true)?;
                Ok(Value::object(vm.create_array(vec![parsed.value, parsed.record])))
            }
            None => vm.internal_error("$jsonParseWithSource without a string"),
        },
        Intrinsic::JsonQuote => match argument(0).as_string() {
            Some(text) => {
                vm.heap.flatten(text);
                let mut output = json_serializer::Output::default();
                output.push_quoted(vm.heap.view(text));
                output.finish(vm)
            }
            None => Ok(Value::UNDEFINED),
        },
        Intrinsic::JsonGap => {
            let gap = gap(vm, argument(0))?;
            finish(vm, gap)
        }
        Intrinsic::JsonPrimitive => json_serializer::primitive_text(vm, argument(0)),
        Intrinsic::JsonThrowCircular => {
            json_serializer::throw_circular_of_stack(vm, argument(0), argument(1), argument(2))
        }
        Intrinsic::JsonStringify => {
            let list = property_list(vm, argument(1))?;
            let gap = gap(vm, argument(2))?;
            Serializer::new(gap, list).run(vm, argument(0))
        }
        _ => vm.internal_error("not an intrinsic of JSON"),
    }
}

/// `JSON.parse(text)`
///
/// # Errors
/// SyntaxError when the text is not JSON.
pub fn parse_string(vm: &mut Vm, text: Gc<JsString>) -> Completion<Value> {
    let Parsed { value, .. } = json_parser::parse(vm, text, false)?;
    Ok(value)
}

/// `JSON.parse(text)` for text of the embedder.
///
/// # Errors
/// SyntaxError when the text is not JSON; RangeError when it is longer than a string can be.
pub fn parse_text(vm: &mut Vm, text: &str) -> Completion<Value> {
    if text.is_ascii() {
        return json_parser::parse_latin1(vm, text.as_bytes());
    }
    let units: Vec<u16> = text.encode_utf16().collect();
    json_parser::parse_utf16(vm, &units)
}

/// `JSON.stringify(value)`: undefined for what has no JSON, else a String.
///
/// # Errors
/// What getters and `toJSON` methods throw; TypeError for cycles and BigInts; RangeError when the text gets too long.
pub fn stringify(vm: &mut Vm, value: Value) -> Completion<Value> {
    Serializer::new(StringBuilder::new(), None).run(vm, value)
}

/// The indentation that the `space` argument of `JSON.stringify` means: steps 5 to 8.
fn gap(vm: &mut Vm, space: Value) -> Completion<StringBuilder> {
    let mut space = space;
    if let Some(wrapped) = space.as_object().and_then(|object| vm.heap[object].kind.as_primitive()) {
        if wrapped.is_number() {
            space = Value::number(vm.to_number(space)?);
        } else if wrapped.is_string() {
            space = Value::string(vm.to_string(space)?);
        }
    }
    let mut gap = StringBuilder::new();
    if let Some(number) = space.as_number() {
        let count = crate::number::to_integer_or_infinity(number).clamp(0.0, 10.0) as usize;
        gap.push_latin1(&b"          "[..count]);
    } else if let Some(text) = space.as_string() {
        let view = vm.heap.flat_view(text);
        let length = view.len().min(10);
        match view.slice(0, length) {
            StrView::Latin1(units) => gap.push_latin1(units),
            StrView::Utf16(units) => gap.push_utf16(units),
        }
    }
    Ok(gap)
}

/// The keys that an array as `replacer` of `JSON.stringify` selects: step 4.b.
fn property_list(vm: &mut Vm, replacer: Value) -> Completion<Option<Vec<PropertyKey>>> {
    let Some(object) = replacer.as_object() else { return Ok(None) };
    if !vm.is_array(replacer)? {
        return Ok(None);
    }
    let length = vm.length_of_array_like(object)?;
    let mut keys: Vec<PropertyKey> = Vec::new();
    let mut seen = hashbrown::HashSet::new();
    for index in 0..length {
        let element = vm.get_index(object, index)?;
        let wrapped = element.as_object().and_then(|object| vm.heap[object].kind.as_primitive());
        let is_item = |value: Value| value.is_string() || value.is_number();
        if !is_item(element) && !wrapped.is_some_and(is_item) {
            continue;
        }
        let text = vm.to_string(element)?;
        let key = vm.heap.key_from_string(text);
        vm.root_keys(&[key]);
        if seen.insert(key) {
            keys.push(key);
        }
    }
    Ok(Some(keys))
}

fn finish(vm: &mut Vm, builder: StringBuilder) -> Completion<Value> {
    match builder.finish(&mut vm.heap) {
        Ok(text) => Ok(Value::string(text)),
        Err(_) => Err(vm.throw_range_error("Invalid string length")),
    }
}
