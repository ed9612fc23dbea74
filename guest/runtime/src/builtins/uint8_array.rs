//! `Uint8Array` with its conversions from and to base64 and hexadecimal text:
//! [ECMA-262, 23.3](https://tc39.es/ecma262/#sec-uint8array-objects).

use crate::builtins::typed_array::{construct, create_uint8_array, typed_array_bytes};
use crate::builtins::{Builtin, BuiltinKind, PrototypeKind, constructor, method, number};
use crate::heap::Gc;
use crate::object::{Attributes, ElementType, Object, TypedArray};
use crate::string::JsString;
use crate::value::Value;
use crate::vm::{Arguments, Completion, IntrinsicObject, Vm};

/// The table of `Uint8Array`.
pub static BUILTIN: Builtin = Builtin {
    kind: BuiltinKind::Constructor {
        function: constructor("Uint8Array", 3, |vm, arguments| construct(vm, arguments, ElementType::Uint8)),
        id: IntrinsicObject::Uint8Array,
        parent: Some(IntrinsicObject::TypedArray),
        prototype: IntrinsicObject::Uint8ArrayPrototype,
        global: true,
    },
    statics: &[number("BYTES_PER_ELEMENT", 1.0), method("fromBase64", 1, from_base64), method("fromHex", 1, from_hex)],
    prototype: &[
        number("BYTES_PER_ELEMENT", 1.0),
        method("setFromBase64", 1, set_from_base64),
        method("setFromHex", 1, set_from_hex),
        method("toBase64", 0, to_base64),
        method("toHex", 0, to_hex),
    ],
    prototype_kind: PrototypeKind::Ordinary,
    prototype_parent: Some(IntrinsicObject::TypedArrayPrototype),
};

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const BASE64_URL: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Uint8Array.fromBase64 ( string \[ , options ] ) <https://tc39.es/ecma262/#sec-uint8array.frombase64>
fn from_base64(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let string = string_argument(vm, arguments)?;
    let (alphabet, last_chunk) = decoding_options(vm, arguments)?;
    let decoded = decode_base64(&code_units(vm, string), alphabet, last_chunk, usize::MAX);
    if decoded.is_malformed {
        return Err(vm.throw_syntax_error("The string to be decoded is not correctly encoded."));
    }
    create_uint8_array(vm, &decoded.bytes).map(Value::object)
}

/// Uint8Array.fromHex ( string ) <https://tc39.es/ecma262/#sec-uint8array.fromhex>
fn from_hex(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let string = string_argument(vm, arguments)?;
    let decoded = decode_hex(&code_units(vm, string), usize::MAX);
    if decoded.is_malformed {
        return Err(vm.throw_syntax_error("The string to be decoded is not correctly encoded."));
    }
    create_uint8_array(vm, &decoded.bytes).map(Value::object)
}

/// Uint8Array.prototype.setFromBase64 ( string \[ , options ] ) <https://tc39.es/ecma262/#sec-uint8array.prototype.setfrombase64>
fn set_from_base64(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let array = this_uint8_array(vm, arguments)?;
    let string = string_argument(vm, arguments)?;
    let (alphabet, last_chunk) = decoding_options(vm, arguments)?;
    let room = attached_length(vm, &array)?;
    let decoded = decode_base64(&code_units(vm, string), alphabet, last_chunk, room);
    store_decoded(vm, &array, decoded)
}

/// Uint8Array.prototype.setFromHex ( string ) <https://tc39.es/ecma262/#sec-uint8array.prototype.setfromhex>
fn set_from_hex(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let array = this_uint8_array(vm, arguments)?;
    let string = string_argument(vm, arguments)?;
    let room = attached_length(vm, &array)?;
    let decoded = decode_hex(&code_units(vm, string), room);
    store_decoded(vm, &array, decoded)
}

/// Uint8Array.prototype.toBase64 ( \[ options ] ) <https://tc39.es/ecma262/#sec-uint8array.prototype.tobase64>
fn to_base64(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let array = this_uint8_array(vm, arguments)?;
    let options = options_argument(vm, arguments, 0)?;
    let alphabet = alphabet_option(vm, options)?;
    let omit_padding = option(vm, options, "omitPadding")?;
    let omit_padding = vm.heap.to_boolean(omit_padding);
    attached_length(vm, &array)?;
    let text = encode_base64(typed_array_bytes(&vm.heap, &array), alphabet, omit_padding);
    new_text(vm, text)
}

/// Uint8Array.prototype.toHex ( ) <https://tc39.es/ecma262/#sec-uint8array.prototype.tohex>
fn to_hex(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let array = this_uint8_array(vm, arguments)?;
    attached_length(vm, &array)?;
    let digits = b"0123456789abcdef";
    let text = typed_array_bytes(&vm.heap, &array)
        .iter()
        .flat_map(|&byte| [digits[usize::from(byte >> 4)], digits[usize::from(byte & 15)]])
        .collect();
    new_text(vm, text)
}

// ---- Coding

/// What decoding gave.
struct Decoded {
    /// Code units read.
    read: usize,
    bytes: Vec<u8>,
    /// The text is no correct encoding; the bytes are those before the fault.
    is_malformed: bool,
}

/// What happens with an incomplete last chunk of base64.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LastChunk {
    Loose,
    Strict,
    StopBeforePartial,
}

/// FromBase64 ( string, alphabet, lastChunkHandling, maxLength ) <https://tc39.es/ecma262/#sec-frombase64>
fn decode_base64(text: &[u16], alphabet: &[u8; 64], last_chunk: LastChunk, room: usize) -> Decoded {
    let mut decoded = Decoded { read: 0, bytes: Vec::new(), is_malformed: false };
    if room == 0 {
        return decoded;
    }
    let mut chunk = [0u32; 4];
    let mut count = 0;
    let mut index = 0;
    loop {
        index = skip_white_space(text, index);
        let Some(&unit) = text.get(index) else {
            match last_chunk {
                _ if count == 0 => decoded.read = text.len(),
                LastChunk::StopBeforePartial => {}
                LastChunk::Loose if count > 1 => {
                    decoded.read = text.len();
                    decoded.bytes.extend_from_slice(&partial_chunk(&chunk, count)[..count - 1]);
                }
                _ => decoded.is_malformed = true,
            }
            return decoded;
        };
        index += 1;
        if unit == u16::from(b'=') {
            return finish_padded(text, index, decoded, (&chunk, count), last_chunk);
        }
        let digit = u8::try_from(unit).ok().and_then(|unit| alphabet.iter().position(|&letter| letter == unit));
        let Some(digit) = digit else {
            decoded.is_malformed = true;
            return decoded;
        };
        let remaining = room - decoded.bytes.len();
        if (remaining == 1 && count == 2) || (remaining == 2 && count == 3) {
            return decoded;
        }
        chunk[count] = digit as u32;
        count += 1;
        if count == 4 {
            decoded.bytes.extend_from_slice(&partial_chunk(&chunk, count));
            count = 0;
            decoded.read = index;
            if decoded.bytes.len() >= room {
                return decoded;
            }
        }
    }
}

/// FromBase64, step 10.e: `index` stands behind the first padding character.
fn finish_padded(
    text: &[u16],
    mut index: usize,
    mut decoded: Decoded,
    (chunk, count): (&[u32; 4], usize),
    last_chunk: LastChunk,
) -> Decoded {
    decoded.is_malformed = true;
    if count < 2 {
        return decoded;
    }
    index = skip_white_space(text, index);
    if count == 2 {
        match text.get(index) {
            None => {
                decoded.is_malformed = last_chunk != LastChunk::StopBeforePartial;
                return decoded;
            }
            Some(&unit) if unit == u16::from(b'=') => index = skip_white_space(text, index + 1),
            Some(_) => {}
        }
    }
    let extra_bits = if count == 2 { chunk[1] & 15 } else { chunk[2] & 3 };
    if index < text.len() || (last_chunk == LastChunk::Strict && extra_bits != 0) {
        return decoded;
    }
    decoded.bytes.extend_from_slice(&partial_chunk(chunk, count)[..count - 1]);
    decoded.read = text.len();
    decoded.is_malformed = false;
    decoded
}

/// The bytes of the first `count` digits; what is missing counts as zero.
fn partial_chunk(chunk: &[u32; 4], count: usize) -> [u8; 3] {
    let bits = (0..4).fold(0, |bits, place| bits << 6 | if place < count { chunk[place] } else { 0 });
    [(bits >> 16) as u8, (bits >> 8) as u8, bits as u8]
}

fn skip_white_space(text: &[u16], mut index: usize) -> usize {
    while text.get(index).is_some_and(|unit| matches!(unit, 0x09 | 0x0A | 0x0C | 0x0D | 0x20)) {
        index += 1;
    }
    index
}

fn encode_base64(bytes: &[u8], alphabet: &[u8; 64], omit_padding: bool) -> Vec<u8> {
    let mut text = Vec::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let bits = (0..3).fold(0u32, |bits, place| bits << 8 | u32::from(group.get(place).copied().unwrap_or(0)));
        for place in 0..4 {
            if place <= group.len() {
                text.push(alphabet[(bits >> (18 - 6 * place) & 63) as usize]);
            } else if !omit_padding {
                text.push(b'=');
            }
        }
    }
    text
}

/// FromHex ( string, maxLength ) <https://tc39.es/ecma262/#sec-fromhex>
fn decode_hex(text: &[u16], room: usize) -> Decoded {
    let mut decoded = Decoded { read: 0, bytes: Vec::new(), is_malformed: text.len() % 2 != 0 };
    if decoded.is_malformed {
        return decoded;
    }
    let digit = |unit: u16| char::from_u32(u32::from(unit)).and_then(|digit| digit.to_digit(16));
    for pair in text.chunks_exact(2).take(room) {
        let (Some(high), Some(low)) = (digit(pair[0]), digit(pair[1])) else {
            decoded.is_malformed = true;
            return decoded;
        };
        decoded.bytes.push((high << 4 | low) as u8);
        decoded.read += 2;
    }
    decoded
}

// ---- Helpers

/// Stores decoded bytes and gives `{ read, written }`.
fn store_decoded(vm: &mut Vm, array: &TypedArray, decoded: Decoded) -> Completion<Value> {
    let start = array.byte_offset;
    let place = vm
        .heap
        .array_buffer_mut(array.buffer)
        .and_then(|buffer| buffer.bytes.get_mut(start..start + decoded.bytes.len()));
    if let Some(place) = place {
        place.copy_from_slice(&decoded.bytes);
    }
    if decoded.is_malformed {
        return Err(vm.throw_syntax_error("The string to be decoded is not correctly encoded."));
    }
    let result = vm.new_object();
    for (name, count) in [("read", decoded.read), ("written", decoded.bytes.len())] {
        let key = vm.heap.key_from_str(name);
        vm.heap.add_property(result, key, Value::from(count), Attributes::ALL);
    }
    Ok(Value::object(result))
}

fn this_uint8_array(vm: &mut Vm, arguments: &Arguments) -> Completion<TypedArray> {
    match arguments.this.as_object().and_then(|object| vm.heap.typed_array(object)) {
        Some(array) if array.element == ElementType::Uint8 => Ok(array),
        _ => Err(vm.throw_type_error("this is not a Uint8Array")),
    }
}

fn attached_length(vm: &mut Vm, array: &TypedArray) -> Completion<usize> {
    match vm.heap.typed_array_length(array) {
        Some(length) => Ok(length),
        None => Err(vm.throw_type_error("Cannot perform Uint8Array method on a detached ArrayBuffer")),
    }
}

fn string_argument(vm: &mut Vm, arguments: &Arguments) -> Completion<Gc<JsString>> {
    match arguments.get(vm, 0).as_string() {
        Some(string) => Ok(string),
        None => Err(vm.throw_type_error("The first argument must be a string")),
    }
}

fn code_units(vm: &mut Vm, string: Gc<JsString>) -> Vec<u16> {
    vm.heap.flat_view(string).iter().collect()
}

/// GetOptionsObject ( options )
fn options_argument(vm: &mut Vm, arguments: &Arguments, index: usize) -> Completion<Option<Gc<Object>>> {
    match arguments.get(vm, index) {
        Value::UNDEFINED => Ok(None),
        options => match options.as_object() {
            Some(options) => Ok(Some(options)),
            None => Err(vm.throw_type_error("The options argument must be an object")),
        },
    }
}

fn option(vm: &mut Vm, options: Option<Gc<Object>>, name: &str) -> Completion<Value> {
    let Some(options) = options else { return Ok(Value::UNDEFINED) };
    let key = vm.heap.key_from_str(name);
    vm.get(options, key)
}

fn alphabet_option(vm: &mut Vm, options: Option<Gc<Object>>) -> Completion<&'static [u8; 64]> {
    let alphabet = option(vm, options, "alphabet")?;
    match option_text(vm, alphabet).as_deref() {
        None | Some("base64") => Ok(BASE64),
        Some("base64url") => Ok(BASE64_URL),
        Some(_) => Err(vm.throw_type_error("expected alphabet to be either \"base64\" or \"base64url\"")),
    }
}

fn decoding_options(vm: &mut Vm, arguments: &Arguments) -> Completion<(&'static [u8; 64], LastChunk)> {
    let options = options_argument(vm, arguments, 1)?;
    let alphabet = alphabet_option(vm, options)?;
    let handling = option(vm, options, "lastChunkHandling")?;
    let handling = match option_text(vm, handling).as_deref() {
        None | Some("loose") => LastChunk::Loose,
        Some("strict") => LastChunk::Strict,
        Some("stop-before-partial") => LastChunk::StopBeforePartial,
        Some(_) => {
            return Err(vm.throw_type_error(
                "expected lastChunkHandling to be either \"loose\", \"strict\", or \"stop-before-partial\"",
            ));
        }
    };
    Ok((alphabet, handling))
}

/// The text of an option, None for undefined; what is no string reads as a text that no option has.
fn option_text(vm: &mut Vm, value: Value) -> Option<String> {
    match value.as_string() {
        Some(string) => Some(vm.heap.rust_string(string)),
        None if value.is_undefined() => None,
        None => Some(String::new()),
    }
}

fn new_text(vm: &mut Vm, text: Vec<u8>) -> Completion<Value> {
    if text.len() > crate::string::MAX_STRING_LENGTH as usize {
        return Err(vm.throw_range_error("Invalid string length"));
    }
    Ok(Value::string(vm.heap.new_string_latin1_vec(text)))
}
