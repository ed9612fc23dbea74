//! Properties of the global object that belong to no other builtin: [ECMA-262, 19](https://tc39.es/ecma262/#sec-global-object).
//! The functions about Numbers are in number.rs.

use codemode_bytecode::ErrorKind;

use crate::builtins::{Builtin, BuiltinKind, ConstantValue, Entry, Key, PrototypeKind, method};
use crate::string::{StrView, StringBuilder};
use crate::value::Value;
use crate::vm::{Arguments, Completion, IntrinsicObject, Job, Vm};

/// The table of the global object.
pub static BUILTIN: Builtin = Builtin {
    kind: BuiltinKind::Globals,
    statics: &[
        Entry::Intrinsic(Key::Name("globalThis"), IntrinsicObject::GlobalObject),
        Entry::Constant(Key::Name("Infinity"), ConstantValue::Number(f64::INFINITY)),
        Entry::Constant(Key::Name("NaN"), ConstantValue::Number(f64::NAN)),
        Entry::Constant(Key::Name("undefined"), ConstantValue::Undefined),
        method("decodeURI", 1, decode_uri),
        method("decodeURIComponent", 1, decode_uri_component),
        method("encodeURI", 1, encode_uri),
        method("encodeURIComponent", 1, encode_uri_component),
        method("escape", 1, escape),
        method("queueMicrotask", 1, queue_microtask),
        method("unescape", 1, unescape),
    ],
    prototype: &[],
    prototype_kind: PrototypeKind::Ordinary,
    prototype_parent: None,
};

/// Characters that `encodeURIComponent` leaves as they are, besides letters and digits.
const UNRESERVED: &[u8] = b"-_.!~*'()";
/// Characters that `encodeURI` leaves as they are besides those, and `decodeURI` does not decode.
const RESERVED: &[u8] = b";/?:@&=+$,#";

/// decodeURI ( encodedURI ) <https://tc39.es/ecma262/#sec-decodeuri-encodeduri>
fn decode_uri(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    decode(vm, arguments, RESERVED)
}

/// decodeURIComponent ( encodedURIComponent ) <https://tc39.es/ecma262/#sec-decodeuricomponent-encodeduricomponent>
fn decode_uri_component(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    decode(vm, arguments, b"")
}

/// encodeURI ( uri ) <https://tc39.es/ecma262/#sec-encodeuri-uri>
fn encode_uri(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    encode(vm, arguments, RESERVED)
}

/// encodeURIComponent ( uriComponent ) <https://tc39.es/ecma262/#sec-encodeuricomponent-uricomponent>
fn encode_uri_component(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    encode(vm, arguments, b"")
}

/// escape ( string ) <https://tc39.es/ecma262/#sec-escape-string>
fn escape(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let text = vm.to_string(arguments.get(vm, 0))?;
    let mut builder = StringBuilder::new();
    for unit in vm.heap.flat_view(text).iter() {
        match u8::try_from(unit) {
            Ok(byte) if byte.is_ascii_alphanumeric() || b"@*_+-./".contains(&byte) => builder.push_unit(unit),
            Ok(byte) => builder.push_str(&format!("%{byte:02X}")),
            Err(_) => builder.push_str(&format!("%u{unit:04X}")),
        }
    }
    finish(vm, builder)
}

/// queueMicrotask ( callback ) <https://html.spec.whatwg.org/multipage/timers-and-user-prompts.html#dom-queuemicrotask>
fn queue_microtask(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let function = arguments.get(vm, 0);
    if !vm.heap.is_callable(function) {
        let text = vm.display(function);
        return Err(vm.throw_type_error(format!("The \"callback\" argument must be of type function. Received {text}")));
    }
    vm.enqueue_job(Job::Call { function, argument: Value::UNDEFINED });
    Ok(Value::UNDEFINED)
}

/// unescape ( string ) <https://tc39.es/ecma262/#sec-unescape-string>
fn unescape(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let text = vm.to_string(arguments.get(vm, 0))?;
    let view = vm.heap.flat_view(text);
    let mut builder = StringBuilder::with_capacity(view.len());
    let mut at = 0;
    while let Some(unit) = view.get(at) {
        let escaped = match (unit, view.get(at + 1)) {
            (0x25, Some(0x75)) => hex(view, at + 2, 4).map(|unit| (unit, 6)),
            (0x25, _) => hex(view, at + 1, 2).map(|unit| (unit, 3)),
            _ => None,
        };
        let (unit, length) = escaped.unwrap_or((unit, 1));
        builder.push_unit(unit);
        at += length;
    }
    finish(vm, builder)
}

/// Encode ( string, extraUnescaped ) <https://tc39.es/ecma262/#sec-encode>
fn encode(vm: &mut Vm, arguments: &Arguments, extra: &[u8]) -> Completion<Value> {
    let text = vm.to_string(arguments.get(vm, 0))?;
    let view = vm.heap.flat_view(text);
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || UNRESERVED.contains(&byte) || extra.contains(&byte);
    let mut builder = StringBuilder::with_capacity(view.len());
    for code_point in view.code_points() {
        if let Ok(byte) = u8::try_from(code_point)
            && is_plain(byte)
        {
            builder.push_unit(u16::from(byte));
            continue;
        }
        // A lone surrogate is no character.
        let Some(character) = char::from_u32(code_point) else { return Err(throw_malformed(vm)) };
        let mut buffer = [0; 4];
        for byte in character.encode_utf8(&mut buffer).bytes() {
            builder.push_str(&format!("%{byte:02X}"));
        }
    }
    finish(vm, builder)
}

/// Decode ( string, preserveEscapeSet ) <https://tc39.es/ecma262/#sec-decode>
fn decode(vm: &mut Vm, arguments: &Arguments, preserved: &[u8]) -> Completion<Value> {
    let text = vm.to_string(arguments.get(vm, 0))?;
    let view = vm.heap.flat_view(text);
    let mut builder = StringBuilder::with_capacity(view.len());
    let mut at = 0;
    while let Some(unit) = view.get(at) {
        if unit != 0x25 {
            builder.push_unit(unit);
            at += 1;
            continue;
        }
        let Some((character, length)) = encoded_character(view, at) else { return Err(throw_malformed(vm)) };
        match u8::try_from(character) {
            Ok(byte) if byte.is_ascii() && preserved.contains(&byte) => builder.push_view(view.slice(at, at + length)),
            _ => builder.push_code_point(u32::from(character)),
        }
        at += length;
    }
    finish(vm, builder)
}

/// The character whose UTF-8 bytes stand escaped from `at` on, and how many code units that takes.
fn encoded_character(view: StrView<'_>, at: usize) -> Option<(char, usize)> {
    let first = byte(view, at)?;
    let count = match first {
        0x00..=0x7F => 1,
        0xC2..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF4 => 4,
        _ => return None,
    };
    let mut bytes = [first, 0, 0, 0];
    for index in 1..count {
        bytes[index] = byte(view, at + index * 3)?;
    }
    let character = std::str::from_utf8(&bytes[..count]).ok()?.chars().next()?;
    Some((character, count * 3))
}

/// The byte escaped as `%XX`.
fn byte(view: StrView<'_>, at: usize) -> Option<u8> {
    if view.get(at) != Some(0x25) {
        return None;
    }
    hex(view, at + 1, 2).map(|value| value as u8)
}

fn hex(view: StrView<'_>, start: usize, count: usize) -> Option<u16> {
    let mut value = 0;
    for at in start..start + count {
        let digit = char::from(u8::try_from(view.get(at)?).ok()?).to_digit(16)?;
        value = value << 4 | digit as u16;
    }
    Some(value)
}

#[cold]
fn throw_malformed(vm: &mut Vm) -> crate::vm::Thrown {
    vm.throw_error(ErrorKind::Uri, "URI malformed")
}

fn finish(vm: &mut Vm, builder: StringBuilder) -> Completion<Value> {
    match builder.finish(&mut vm.heap) {
        Ok(text) => Ok(Value::string(text)),
        Err(_) => Err(vm.throw_range_error("Invalid string length")),
    }
}
