//! `String`: [ECMA-262, 22.1](https://tc39.es/ecma262/#sec-string-objects), with the HTML methods of
//! [Annex B](https://tc39.es/ecma262/#sec-additional-properties-of-the-string.prototype-object).
//!
//! The methods that call a method of their argument or a replacement function are in `string.js`.

use codemode_bytecode::Intrinsic;

use crate::builtins::{
    Builtin, BuiltinKind, Entry, PrototypeKind, alias, constructor, global_constructor, hosted, method, symbol_method,
    tag,
};
use crate::heap::Gc;
use crate::names::{self, keys};
use crate::number;
use crate::object::{ObjectKind, PackedValue, StringIterator};
use crate::string::{
    JsString, MAX_STRING_LENGTH, NormalizationForm, StrView, StringBuilder, StringTooLong, TemplatePiece,
    compare_english, parse_template,
};
use crate::symbol;
use crate::value::{Unpacked, Value};
use crate::vm::{Arguments, Completion, IntrinsicObject, Termination, Vm};

use super::regexp::is_regexp;

/// The table of `String`.
pub static BUILTIN: Builtin = Builtin {
    kind: global_constructor(
        constructor("String", 1, construct),
        IntrinsicObject::String,
        IntrinsicObject::StringPrototype,
    ),
    statics: &[
        method("fromCharCode", 1, from_char_code),
        method("fromCodePoint", 1, from_code_point),
        method("raw", 1, raw),
    ],
    prototype: PROTOTYPE,
    prototype_kind: PrototypeKind::String,
    prototype_parent: None,
};

const PROTOTYPE: &[Entry] = &[
    method("at", 1, at),
    method("charAt", 1, char_at),
    method("charCodeAt", 1, char_code_at),
    method("codePointAt", 1, code_point_at),
    method("concat", 1, concat),
    method("endsWith", 1, ends_with),
    method("includes", 1, includes),
    method("indexOf", 1, index_of),
    method("isWellFormed", 0, is_well_formed),
    method("lastIndexOf", 1, last_index_of),
    method("localeCompare", 1, locale_compare),
    hosted("match", 1, "String_prototype_match"),
    hosted("matchAll", 1, "String_prototype_matchAll"),
    method("normalize", 0, normalize),
    method("padEnd", 1, |vm, arguments| pad(vm, arguments, "padEnd", false)),
    method("padStart", 1, |vm, arguments| pad(vm, arguments, "padStart", true)),
    method("repeat", 1, repeat),
    hosted("replace", 2, "String_prototype_replace"),
    hosted("replaceAll", 2, "String_prototype_replaceAll"),
    hosted("search", 1, "String_prototype_search"),
    method("slice", 2, slice),
    hosted("split", 2, "String_prototype_split"),
    method("startsWith", 1, starts_with),
    method("substring", 2, substring),
    method("toLocaleLowerCase", 0, |vm, arguments| change_case(vm, arguments, "toLocaleLowerCase", lower)),
    method("toLocaleUpperCase", 0, |vm, arguments| change_case(vm, arguments, "toLocaleUpperCase", upper)),
    method("toLowerCase", 0, |vm, arguments| change_case(vm, arguments, "toLowerCase", lower)),
    method("toString", 0, |vm, arguments| this_string_value(vm, arguments, "toString")),
    method("toUpperCase", 0, |vm, arguments| change_case(vm, arguments, "toUpperCase", upper)),
    method("toWellFormed", 0, to_well_formed),
    method("trim", 0, |vm, arguments| trim(vm, arguments, "trim", true, true)),
    method("trimEnd", 0, |vm, arguments| trim(vm, arguments, "trimEnd", false, true)),
    method("trimStart", 0, |vm, arguments| trim(vm, arguments, "trimStart", true, false)),
    method("valueOf", 0, |vm, arguments| this_string_value(vm, arguments, "valueOf")),
    symbol_method(symbol::ITERATOR, "[Symbol.iterator]", 0, iterator),
    method("substr", 2, substr),
    method("anchor", 1, |vm, arguments| create_html(vm, arguments, "anchor", "a", Some("name"))),
    method("big", 0, |vm, arguments| create_html(vm, arguments, "big", "big", None)),
    method("blink", 0, |vm, arguments| create_html(vm, arguments, "blink", "blink", None)),
    method("bold", 0, |vm, arguments| create_html(vm, arguments, "bold", "b", None)),
    method("fixed", 0, |vm, arguments| create_html(vm, arguments, "fixed", "tt", None)),
    method("fontcolor", 1, |vm, arguments| create_html(vm, arguments, "fontcolor", "font", Some("color"))),
    method("fontsize", 1, |vm, arguments| create_html(vm, arguments, "fontsize", "font", Some("size"))),
    method("italics", 0, |vm, arguments| create_html(vm, arguments, "italics", "i", None)),
    method("link", 1, |vm, arguments| create_html(vm, arguments, "link", "a", Some("href"))),
    method("small", 0, |vm, arguments| create_html(vm, arguments, "small", "small", None)),
    method("strike", 0, |vm, arguments| create_html(vm, arguments, "strike", "strike", None)),
    method("sub", 0, |vm, arguments| create_html(vm, arguments, "sub", "sub", None)),
    method("sup", 0, |vm, arguments| create_html(vm, arguments, "sup", "sup", None)),
    alias("trimLeft", "trimStart"),
    alias("trimRight", "trimEnd"),
];

/// The table of [%StringIteratorPrototype%](https://tc39.es/ecma262/#sec-%stringiteratorprototype%-object).
pub static ITERATOR: Builtin = Builtin {
    kind: BuiltinKind::Prototype { id: IntrinsicObject::StringIteratorPrototype },
    statics: &[],
    prototype: &[method("next", 0, iterator_next), tag("String Iterator")],
    prototype_kind: PrototypeKind::Ordinary,
    prototype_parent: Some(IntrinsicObject::IteratorPrototype),
};

/// String ( value ) <https://tc39.es/ecma262/#sec-string-constructor-string-value>
fn construct(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let string = match arguments.get_present(vm, 0) {
        None => names::EMPTY,
        Some(value) => {
            if !arguments.is_construct()
                && let Some(symbol) = value.as_symbol()
            {
                let description = vm.heap[symbol].description;
                return symbol_text(vm, description);
            }
            to_rooted_string(vm, value)?
        }
    };
    if !arguments.is_construct() {
        return Ok(Value::string(string));
    }
    let kind = ObjectKind::Primitive(PackedValue::new(Value::string(string)));
    let object = vm.ordinary_create_from_constructor(arguments.new_target, IntrinsicObject::StringPrototype, kind)?;
    Ok(Value::object(object))
}

/// String.fromCharCode ( ...codeUnits ) <https://tc39.es/ecma262/#sec-string.fromcharcode>
fn from_char_code(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    if arguments.len() == 1 {
        let unit = code_unit(vm, arguments.get(vm, 0))?;
        return Ok(Value::string(vm.heap.single_char(unit)));
    }
    let mut text = StringBuilder::with_capacity(arguments.len());
    for index in 0..arguments.len() {
        text.push_unit(code_unit(vm, arguments.get(vm, index))?);
    }
    finish(vm, text)
}

#[inline]
fn code_unit(vm: &mut Vm, value: Value) -> Completion<u16> {
    match value.as_int() {
        Some(number) => Ok(number as u16),
        None => Ok(number::to_uint16(vm.to_number(value)?)),
    }
}

/// String.fromCodePoint ( ...codePoints ) <https://tc39.es/ecma262/#sec-string.fromcodepoint>
fn from_code_point(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let mut text = StringBuilder::with_capacity(arguments.len());
    for index in 0..arguments.len() {
        let argument = arguments.get(vm, index);
        let number = vm.to_number(argument)?;
        if number.trunc() != number || !(0.0..=1_114_111.0).contains(&number) {
            let shown = vm.heap.number_to_string(number);
            let shown = vm.heap.rust_string(shown);
            return Err(vm.throw_range_error(format!("Invalid code point {shown}")));
        }
        text.push_code_point(number as u32);
    }
    finish(vm, text)
}

/// String.raw ( template, ...substitutions ) <https://tc39.es/ecma262/#sec-string.raw>
fn raw(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let cooked = vm.to_object(arguments.get(vm, 0))?;
    vm.root(cooked);
    let literals = vm.get(cooked, keys::RAW)?;
    let literals = vm.to_object(literals)?;
    vm.root(literals);
    let count = vm.length_of_array_like(literals)?;
    let mut text = StringBuilder::new();
    for index in 0..count {
        let literal = vm.get_index(literals, index)?;
        let literal = vm.to_string(literal)?;
        text.push_string(&mut vm.heap, literal);
        if index + 1 < count
            && let Some(substitution) = arguments.get_present(vm, (index + 1) as usize)
        {
            let substitution = vm.to_string(substitution)?;
            text.push_string(&mut vm.heap, substitution);
        }
        if text.is_too_long() {
            break;
        }
        if index % 1024 == 1023 {
            vm.poll()?;
        }
    }
    finish(vm, text)
}

/// String.prototype.at ( index ) <https://tc39.es/ecma262/#sec-string.prototype.at>
fn at(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let string = this_string(vm, arguments, "at")?;
    let relative = vm.to_integer_or_infinity(arguments.get(vm, 0))?;
    let length = vm.heap.string_length(string) as f64;
    let index = if relative >= 0.0 { relative } else { length + relative };
    Ok(match unit_at(vm, string, index) {
        Some(unit) => Value::string(vm.heap.single_char(unit)),
        None => Value::UNDEFINED,
    })
}

/// String.prototype.charAt ( pos ) <https://tc39.es/ecma262/#sec-string.prototype.charat>
fn char_at(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let string = this_string(vm, arguments, "charAt")?;
    let position = vm.to_integer_or_infinity(arguments.get(vm, 0))?;
    Ok(Value::string(match unit_at(vm, string, position) {
        Some(unit) => vm.heap.single_char(unit),
        None => names::EMPTY,
    }))
}

/// String.prototype.charCodeAt ( pos ) <https://tc39.es/ecma262/#sec-string.prototype.charcodeat>
fn char_code_at(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    // OPTIMIZATION: the usual case needs no conversion.
    if let (Some(string), Some(index)) = (arguments.this.as_string(), arguments.get(vm, 0).as_int()) {
        let unit = usize::try_from(index).ok().and_then(|index| vm.heap.code_unit_at(string, index));
        return Ok(unit.map_or(Value::NAN, |unit| Value::int(i32::from(unit))));
    }
    let string = this_string(vm, arguments, "charCodeAt")?;
    let position = vm.to_integer_or_infinity(arguments.get(vm, 0))?;
    Ok(unit_at(vm, string, position).map_or(Value::NAN, |unit| Value::int(i32::from(unit))))
}

/// String.prototype.codePointAt ( pos ) <https://tc39.es/ecma262/#sec-string.prototype.codepointat>
fn code_point_at(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let string = this_string(vm, arguments, "codePointAt")?;
    let position = vm.to_integer_or_infinity(arguments.get(vm, 0))?;
    if unit_at(vm, string, position).is_none() {
        return Ok(Value::UNDEFINED);
    }
    let (code_point, _) = vm.heap.view(string).code_point_at(position as usize);
    Ok(Value::int(code_point as i32))
}

/// String.prototype.concat ( ...args ) <https://tc39.es/ecma262/#sec-string.prototype.concat>
fn concat(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let mut result = this_string(vm, arguments, "concat")?;
    for index in 0..arguments.len() {
        vm.root(result);
        let next = vm.to_string(arguments.get(vm, index))?;
        result = match vm.heap.concat(result, next) {
            Ok(result) => result,
            Err(StringTooLong) => return Err(vm.throw_range_error(StringTooLong::MESSAGE)),
        };
    }
    Ok(Value::string(result))
}

/// String.prototype.endsWith ( searchString \[ , endPosition ] ) <https://tc39.es/ecma262/#sec-string.prototype.endswith>
fn ends_with(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let string = this_string(vm, arguments, "endsWith")?;
    let search = search_string(vm, arguments, "endsWith")?;
    let length = vm.heap.string_length(string);
    let end = match arguments.get(vm, 1) {
        position if position.is_undefined() => length,
        position => clamp(vm.to_integer_or_infinity(position)?, length),
    };
    let Some(start) = end.checked_sub(vm.heap.string_length(search)) else { return Ok(Value::FALSE) };
    let (text, search) = views(vm, string, search);
    Ok(Value::boolean(text.has_at(search, start)))
}

/// String.prototype.includes ( searchString \[ , position ] ) <https://tc39.es/ecma262/#sec-string.prototype.includes>
fn includes(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let string = this_string(vm, arguments, "includes")?;
    let search = search_string(vm, arguments, "includes")?;
    let start = start_argument(vm, arguments, string)?;
    let (text, search) = views(vm, string, search);
    Ok(Value::boolean(text.index_of(search, start).is_some()))
}

/// String.prototype.indexOf ( searchString \[ , position ] ) <https://tc39.es/ecma262/#sec-string.prototype.indexof>
fn index_of(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let string = this_string(vm, arguments, "indexOf")?;
    let search = to_rooted_string(vm, arguments.get(vm, 0))?;
    let start = start_argument(vm, arguments, string)?;
    let (text, search) = views(vm, string, search);
    Ok(text.index_of(search, start).map_or(Value::int(-1), Value::from))
}

/// String.prototype.isWellFormed ( ) <https://tc39.es/ecma262/#sec-string.prototype.iswellformed>
fn is_well_formed(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let string = this_string(vm, arguments, "isWellFormed")?;
    Ok(Value::boolean(vm.heap.flat_view(string).is_well_formed()))
}

/// String.prototype.lastIndexOf ( searchString \[ , position ] )
/// <https://tc39.es/ecma262/#sec-string.prototype.lastindexof>
fn last_index_of(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let string = this_string(vm, arguments, "lastIndexOf")?;
    let search = to_rooted_string(vm, arguments.get(vm, 0))?;
    let position = vm.to_number(arguments.get(vm, 1))?;
    let length = vm.heap.string_length(string);
    // NaN means the end.
    let from = if position.is_nan() { length } else { clamp(position.trunc(), length) };
    let (text, search) = views(vm, string, search);
    Ok(text.last_index_of(search, from).map_or(Value::int(-1), Value::from))
}

/// String.prototype.localeCompare ( that \[ , reserved1 \[ , reserved2 ] ] )
/// <https://tc39.es/ecma262/#sec-string.prototype.localecompare>, in the `en` locale.
fn locale_compare(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let string = this_string(vm, arguments, "localeCompare")?;
    let that = vm.to_string(arguments.get(vm, 0))?;
    let (left, right) = views(vm, string, that);
    Ok(Value::int(compare_english(left, right) as i32))
}

/// String.prototype.normalize ( \[ form ] ) <https://tc39.es/ecma262/#sec-string.prototype.normalize>
fn normalize(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let string = this_string(vm, arguments, "normalize")?;
    let form = match arguments.get(vm, 0) {
        form if form.is_undefined() => Some(NormalizationForm::Nfc),
        form => {
            let name = vm.to_string(form)?;
            NormalizationForm::from_name(vm.heap.flat_view(name))
        }
    };
    let Some(form) = form else {
        return Err(vm.throw_range_error("The normalization form should be one of NFC, NFD, NFKC, NFKD."));
    };
    match vm.heap.flat_view(string).normalize(form) {
        Some(changed) => finish(vm, changed),
        None => Ok(Value::string(string)),
    }
}

/// StringPaddingBuiltinsImpl ( obj, maxLength, fillString, placement )
/// <https://tc39.es/ecma262/#sec-stringpaddingbuiltinsimpl>
fn pad(vm: &mut Vm, arguments: &Arguments, name: &str, at_start: bool) -> Completion<Value> {
    // 1. to 4.
    let string = this_string(vm, arguments, name)?;
    let most = vm.to_length(arguments.get(vm, 0))?;
    let length = vm.heap.string_length(string);
    if most <= length as u64 {
        return Ok(Value::string(string));
    }
    // 5. to 6.
    let fill = match arguments.get(vm, 1) {
        fill if fill.is_undefined() => vm.heap.single_char(u16::from(b' ')),
        fill => vm.to_string(fill)?,
    };
    let fill_length = vm.heap.string_length(fill);
    if fill_length == 0 {
        return Ok(Value::string(string));
    }
    if most > u64::from(MAX_STRING_LENGTH) {
        return Err(vm.throw_range_error(StringTooLong::MESSAGE));
    }
    let mut missing = most as usize - length;
    reserve(vm, most as usize)?;
    let (text, fill) = views(vm, string, fill);
    let mut padded = StringBuilder::with_capacity(most as usize);
    if !at_start {
        padded.push_view(text);
    }
    while missing > 0 {
        let taken = missing.min(fill_length);
        padded.push_view(fill.slice(0, taken));
        missing -= taken;
    }
    if at_start {
        padded.push_view(text);
    }
    finish(vm, padded)
}

/// String.prototype.repeat ( count ) <https://tc39.es/ecma262/#sec-string.prototype.repeat>
fn repeat(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let string = this_string(vm, arguments, "repeat")?;
    let count = vm.to_integer_or_infinity(arguments.get(vm, 0))?;
    if !(0.0..f64::INFINITY).contains(&count) {
        let shown = number::to_string(count);
        return Err(vm.throw_range_error(format!("Invalid count value: {}", shown.as_str())));
    }
    let length = vm.heap.string_length(string);
    if length == 0 || count == 0.0 {
        return Ok(Value::string(names::EMPTY));
    }
    if count * length as f64 > f64::from(MAX_STRING_LENGTH) {
        return Err(vm.throw_range_error(StringTooLong::MESSAGE));
    }
    let count = count as usize;
    reserve(vm, count * length)?;
    match vm.heap.flat_view(string) {
        StrView::Latin1(units) => {
            let repeated = units.repeat(count);
            Ok(Value::string(vm.heap.new_string_latin1_vec(repeated)))
        }
        StrView::Utf16(units) => {
            let repeated = units.repeat(count);
            Ok(Value::string(vm.heap.new_string_utf16(&repeated)))
        }
    }
}

/// String.prototype.slice ( start, end ) <https://tc39.es/ecma262/#sec-string.prototype.slice>
fn slice(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let string = this_string(vm, arguments, "slice")?;
    let length = vm.heap.string_length(string);
    let from = relative_index(vm, arguments.get(vm, 0), length, 0)?;
    let to = relative_index(vm, arguments.get(vm, 1), length, length)?;
    Ok(Value::string(vm.heap.substring(string, from, to)))
}

/// String.prototype.startsWith ( searchString \[ , position ] ) <https://tc39.es/ecma262/#sec-string.prototype.startswith>
fn starts_with(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let string = this_string(vm, arguments, "startsWith")?;
    let search = search_string(vm, arguments, "startsWith")?;
    let start = start_argument(vm, arguments, string)?;
    let (text, search) = views(vm, string, search);
    Ok(Value::boolean(text.has_at(search, start)))
}

/// String.prototype.substring ( start, end ) <https://tc39.es/ecma262/#sec-string.prototype.substring>
fn substring(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let string = this_string(vm, arguments, "substring")?;
    let length = vm.heap.string_length(string);
    let start = clamp(vm.to_integer_or_infinity(arguments.get(vm, 0))?, length);
    let end = match arguments.get(vm, 1) {
        end if end.is_undefined() => length,
        end => clamp(vm.to_integer_or_infinity(end)?, length),
    };
    Ok(Value::string(vm.heap.substring(string, start.min(end), start.max(end))))
}

/// String.prototype.toLowerCase ( ) <https://tc39.es/ecma262/#sec-string.prototype.tolowercase> and its like.
fn change_case(
    vm: &mut Vm,
    arguments: &Arguments,
    name: &str,
    change: fn(StrView<'_>) -> Option<StringBuilder>,
) -> Completion<Value> {
    let string = this_string(vm, arguments, name)?;
    match change(vm.heap.flat_view(string)) {
        Some(changed) => finish(vm, changed),
        None => Ok(Value::string(string)),
    }
}

fn lower(text: StrView<'_>) -> Option<StringBuilder> {
    text.to_lower_case()
}

fn upper(text: StrView<'_>) -> Option<StringBuilder> {
    text.to_upper_case()
}

/// String.prototype.toWellFormed ( ) <https://tc39.es/ecma262/#sec-string.prototype.towellformed>
fn to_well_formed(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let string = this_string(vm, arguments, "toWellFormed")?;
    let view = vm.heap.flat_view(string);
    if view.is_well_formed() {
        return Ok(Value::string(string));
    }
    let mut text = StringBuilder::with_capacity(view.len());
    for code_point in view.code_points() {
        text.push_code_point(if char::from_u32(code_point).is_some() { code_point } else { 0xFFFD });
    }
    finish(vm, text)
}

/// TrimString ( string, where ) <https://tc39.es/ecma262/#sec-trimstring>
fn trim(vm: &mut Vm, arguments: &Arguments, name: &str, at_start: bool, at_end: bool) -> Completion<Value> {
    let string = this_string(vm, arguments, name)?;
    let range = vm.heap.flat_view(string).trim_range(at_start, at_end);
    Ok(Value::string(vm.heap.substring(string, range.start, range.end)))
}

/// String.prototype \[ %Symbol.iterator% ] ( ) <https://tc39.es/ecma262/#sec-string.prototype-%symbol.iterator%>
fn iterator(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let string = this_string(vm, arguments, "[Symbol.iterator]")?;
    let prototype = vm.intrinsic(IntrinsicObject::StringIteratorPrototype);
    let kind = ObjectKind::StringIterator(Box::new(StringIterator { string, position: 0 }));
    Ok(Value::object(vm.heap.new_object_of_kind(Some(prototype), kind)))
}

/// String.prototype.substr ( start, length ) <https://tc39.es/ecma262/#sec-string.prototype.substr>
fn substr(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let string = this_string(vm, arguments, "substr")?;
    let size = vm.heap.string_length(string);
    let start = relative_index(vm, arguments.get(vm, 0), size, 0)?;
    let length = match arguments.get(vm, 1) {
        length if length.is_undefined() => size,
        length => clamp(vm.to_integer_or_infinity(length)?, size),
    };
    Ok(Value::string(vm.heap.substring(string, start, start.saturating_add(length))))
}

/// CreateHTML ( string, tag, attribute, value ) <https://tc39.es/ecma262/#sec-createhtml>
fn create_html(
    vm: &mut Vm,
    arguments: &Arguments,
    name: &str,
    tag: &str,
    attribute: Option<&str>,
) -> Completion<Value> {
    let string = this_string(vm, arguments, name)?;
    let mut html = StringBuilder::new();
    html.push_str("<");
    html.push_str(tag);
    if let Some(attribute) = attribute {
        let value = vm.to_string(arguments.get(vm, 0))?;
        html.push_str(" ");
        html.push_str(attribute);
        html.push_str("=\"");
        let view = vm.heap.flat_view(value);
        for unit in view.iter() {
            if unit == u16::from(b'"') { html.push_str("&quot;") } else { html.push_unit(unit) }
        }
        html.push_str("\"");
    }
    html.push_str(">");
    html.push_string(&mut vm.heap, string);
    html.push_str("</");
    html.push_str(tag);
    html.push_str(">");
    finish(vm, html)
}

/// %StringIteratorPrototype%.next ( ) <https://tc39.es/ecma262/#sec-%stringiteratorprototype%.next>
fn iterator_next(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let state = arguments.this.as_object().and_then(|object| match &vm.heap[object].kind {
        ObjectKind::StringIterator(iterator) => Some((object, iterator.string, iterator.position)),
        _ => None,
    });
    let Some((object, string, position)) = state else {
        let shown = vm.display(arguments.this);
        return Err(vm.throw_type_error(format!("next method called on incompatible receiver {shown}")));
    };
    if position >= vm.heap.string_length(string) {
        return Ok(vm.create_iter_result(Value::UNDEFINED, true));
    }
    let (code_point, width) = vm.heap.flat_view(string).code_point_at(position);
    if let ObjectKind::StringIterator(iterator) = &mut vm.heap[object].kind {
        iterator.position = position + width;
    }
    let value = Value::string(vm.heap.string_from_code_point(code_point));
    Ok(vm.create_iter_result(value, false))
}

/// RequireObjectCoercible and ToString of the this value. The string is rooted.
#[inline]
fn this_string(vm: &mut Vm, arguments: &Arguments, name: &str) -> Completion<Gc<JsString>> {
    match arguments.this.as_string() {
        Some(string) => Ok(string),
        None => this_string_slow(vm, arguments, name),
    }
}

#[cold]
fn this_string_slow(vm: &mut Vm, arguments: &Arguments, name: &str) -> Completion<Gc<JsString>> {
    if arguments.this.is_nullish() {
        return Err(vm.throw_type_error(format!("String.prototype.{name} called on null or undefined")));
    }
    to_rooted_string(vm, arguments.this)
}

/// ThisStringValue ( value ) <https://tc39.es/ecma262/#sec-thisstringvalue>
fn this_string_value(vm: &mut Vm, arguments: &Arguments, name: &str) -> Completion<Value> {
    match arguments.this.unpack() {
        Unpacked::String(_) => return Ok(arguments.this),
        Unpacked::Object(object) => {
            if let Some(value) = vm.heap[object].kind.as_primitive().filter(|value| value.is_string()) {
                return Ok(value);
            }
        }
        _ => {}
    }
    Err(vm.throw_type_error(format!("String.prototype.{name} requires that 'this' be a String")))
}

fn to_rooted_string(vm: &mut Vm, value: Value) -> Completion<Gc<JsString>> {
    if let Some(string) = value.as_string() {
        return Ok(string);
    }
    let string = vm.to_string(value)?;
    vm.root(string);
    Ok(string)
}

/// The first argument of the methods that refuse regular expressions.
fn search_string(vm: &mut Vm, arguments: &Arguments, name: &str) -> Completion<Gc<JsString>> {
    let argument = arguments.get(vm, 0);
    if is_regexp(vm, argument)? {
        return Err(
            vm.throw_type_error(format!("First argument to String.prototype.{name} must not be a regular expression"))
        );
    }
    to_rooted_string(vm, argument)
}

/// The second argument as a start, clamped to the length.
fn start_argument(vm: &mut Vm, arguments: &Arguments, string: Gc<JsString>) -> Completion<usize> {
    let argument = arguments.get(vm, 1);
    if argument.is_undefined() {
        return Ok(0);
    }
    let position = vm.to_integer_or_infinity(argument)?;
    Ok(clamp(position, vm.heap.string_length(string)))
}

/// An argument that counts from the end when it is negative, clamped to the length.
fn relative_index(vm: &mut Vm, argument: Value, length: usize, default: usize) -> Completion<usize> {
    if argument.is_undefined() {
        return Ok(default);
    }
    let relative = vm.to_integer_or_infinity(argument)?;
    Ok(clamp(if relative < 0.0 { relative + length as f64 } else { relative }, length))
}

fn clamp(position: f64, length: usize) -> usize {
    position.clamp(0.0, length as f64) as usize
}

fn unit_at(vm: &mut Vm, string: Gc<JsString>, index: f64) -> Option<u16> {
    if index < 0.0 || index >= vm.heap.string_length(string) as f64 {
        return None;
    }
    vm.heap.code_unit_at(string, index as usize)
}

fn views(vm: &mut Vm, first: Gc<JsString>, second: Gc<JsString>) -> (StrView<'_>, StrView<'_>) {
    vm.heap.flatten(first);
    vm.heap.flatten(second);
    (vm.heap.view(first), vm.heap.view(second))
}

/// Ends the execution when the memory limit has no room for so many bytes.
fn reserve(vm: &mut Vm, bytes: usize) -> Completion<()> {
    match vm.heap.reserve(bytes) {
        Ok(()) => Ok(()),
        Err(_) => Err(vm.terminate(Termination::OutOfMemory)),
    }
}

fn finish(vm: &mut Vm, builder: StringBuilder) -> Completion<Value> {
    match builder.finish(&mut vm.heap) {
        Ok(string) => Ok(Value::string(string)),
        Err(StringTooLong) => Err(vm.throw_range_error(StringTooLong::MESSAGE)),
    }
}

/// SymbolDescriptiveString ( sym ) <https://tc39.es/ecma262/#sec-symboldescriptivestring>
fn symbol_text(vm: &mut Vm, description: Option<Gc<JsString>>) -> Completion<Value> {
    let mut text = StringBuilder::new();
    text.push_str("Symbol(");
    if let Some(description) = description {
        text.push_string(&mut vm.heap, description);
    }
    text.push_str(")");
    finish(vm, text)
}

/// The intrinsics of `string.js`.
///
/// # Errors
/// What the operations throw.
pub fn string_intrinsic(vm: &mut Vm, intrinsic: Intrinsic, operands: &[Value]) -> Completion<Value> {
    match (intrinsic, operands) {
        (Intrinsic::StringReplace, &[text, search, replacement, all]) => {
            match (text.as_string(), search.as_string(), replacement.as_string()) {
                (Some(text), Some(search), Some(replacement)) => {
                    replace_text(vm, text, search, replacement, all == Value::TRUE)
                }
                _ => Ok(Value::UNDEFINED),
            }
        }
        (Intrinsic::StringSplit, &[text, separator, limit]) => match text.as_string() {
            Some(text) => split_text(vm, text, separator, limit),
            None => Ok(Value::UNDEFINED),
        },
        _ => vm.internal_error("not an intrinsic of strings"),
    }
}

/// The steps of String.prototype.replace and replaceAll for a replacement template, from the first search on.
fn replace_text(
    vm: &mut Vm,
    string: Gc<JsString>,
    search: Gc<JsString>,
    replacement: Gc<JsString>,
    all: bool,
) -> Completion<Value> {
    for string in [string, search, replacement] {
        vm.heap.flatten(string);
    }
    let (text, search) = (vm.heap.view(string), vm.heap.view(search));
    if !all && vm.heap.view(replacement).index_of(StrView::Latin1(b"$"), 0).is_none() {
        // OPTIMIZATION: one plain replacement.
        let Some(position) = text.index_of(search, 0) else { return Ok(Value::string(string)) };
        let replacement = vm.heap.view(replacement);
        let mut result = StringBuilder::with_capacity(text.len() + replacement.len());
        result.push_view(text.slice(0, position));
        result.push_view(replacement);
        result.push_view(text.slice(position + search.len(), text.len()));
        return finish(vm, result);
    }
    let limit = if all { usize::MAX } else { 1 };
    let found =
        if search.is_empty() { (0..=text.len()).take(limit).collect() } else { text.occurrences(search, limit) };
    if found.is_empty() {
        return Ok(Value::string(string));
    }
    let template = vm.heap.view(replacement);
    let pieces = parse_template(template, 0, false);
    let mut result = StringBuilder::with_capacity(text.len());
    let mut next = 0;
    for position in found {
        let end = position + search.len();
        result.push_view(text.slice(next, position));
        for piece in &pieces {
            match piece {
                TemplatePiece::Literal(range) => result.push_view(template.slice(range.start, range.end)),
                TemplatePiece::Matched => result.push_view(search),
                TemplatePiece::Before => result.push_view(text.slice(0, position)),
                TemplatePiece::After => result.push_view(text.slice(end, text.len())),
                // There are no groups.
                TemplatePiece::Group(_) | TemplatePiece::Named(_) => {}
            }
        }
        next = end;
        if result.is_too_long() {
            break;
        }
    }
    result.push_view(text.slice(next, text.len()));
    finish(vm, result)
}

/// The steps of String.prototype.split after the splitter: <https://tc39.es/ecma262/#sec-string.prototype.split>
fn split_text(vm: &mut Vm, string: Gc<JsString>, separator: Value, limit: Value) -> Completion<Value> {
    vm.root(string);
    // 4. to 5. The limit is converted before the separator.
    let limit = if limit.is_undefined() { u32::MAX } else { vm.to_uint32(limit)? } as usize;
    let separator_string = to_rooted_string(vm, separator)?;
    if limit == 0 {
        return Ok(Value::object(vm.create_array(Vec::new())));
    }
    if separator.is_undefined() {
        return Ok(Value::object(vm.create_array(vec![Value::string(string)])));
    }
    let length = vm.heap.string_length(string);
    let separator_length = vm.heap.string_length(separator_string);
    if separator_length == 0 {
        // One string per code unit; only those above 0xFF take memory of their own.
        let count = length.min(limit);
        reserve(vm, count * size_of::<Value>())?;
        let mut parts = Vec::with_capacity(count);
        for index in 0..count {
            let unit = vm.heap.code_unit_at(string, index).unwrap_or(0);
            parts.push(Value::string(vm.heap.single_char(unit)));
        }
        return Ok(Value::object(vm.create_array(parts)));
    }
    let (text, search) = views(vm, string, separator_string);
    let found = text.occurrences(search, limit);
    reserve(vm, found.len() * (size_of::<Value>() + size_of::<JsString>()))?;
    let mut parts = Vec::with_capacity(found.len() + 1);
    let mut start = 0;
    for position in found {
        parts.push(Value::string(vm.heap.substring(string, start, position)));
        start = position + separator_length;
    }
    if parts.len() < limit {
        parts.push(Value::string(vm.heap.substring(string, start, length)));
    }
    Ok(Value::object(vm.create_array(parts)))
}
