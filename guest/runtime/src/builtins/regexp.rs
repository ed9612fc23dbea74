//! `RegExp`: [ECMA-262, 22.2](https://tc39.es/ecma262/#sec-regexp-regular-expression-objects).
//!
//! What calls `exec` of the program or a replacement function in a loop is in `regexp.js`; the functions at the end of this file do
//! its work when the regular expression is as the language made it.

use std::ops::Range;
use std::rc::Rc;

use codemode_bytecode::Intrinsic;

use crate::builtins::{
    Builtin, BuiltinKind, Entry, NativeFunction, PrototypeKind, constructor, getter, global_constructor, hosted,
    method, symbol_getter, symbol_hosted, symbol_method, tag,
};
use crate::heap::Gc;
use crate::names::keys;
use crate::object::{Attributes, Lookup, Object, ObjectKind, RegExpData};
use crate::property_key::PropertyKey;
use crate::regexp::{CompiledRegExp, RegExpFlags, RegExpMatch, ResultShapes};
use crate::string::{JsString, StrView, StringBuilder, StringTooLong, TemplatePiece, parse_template};
use crate::symbol;
use crate::value::Value;
use crate::vm::{Arguments, Completion, IntrinsicObject, Thrown, Vm};

/// The table of `RegExp`.
pub static BUILTIN: Builtin = Builtin {
    kind: global_constructor(
        constructor("RegExp", 2, construct),
        IntrinsicObject::RegExp,
        IntrinsicObject::RegExpPrototype,
    ),
    statics: &[method("escape", 1, escape), symbol_getter(symbol::SPECIES, "[Symbol.species]", species)],
    prototype: PROTOTYPE,
    prototype_kind: PrototypeKind::Ordinary,
    prototype_parent: None,
};

const PROTOTYPE: &[Entry] = &[
    method("exec", 1, exec),
    getter("dotAll", |vm, arguments| flag(vm, arguments, RegExpFlags::DOT_ALL, "dotAll")),
    getter("flags", flags),
    getter("global", |vm, arguments| flag(vm, arguments, RegExpFlags::GLOBAL, "global")),
    getter("hasIndices", |vm, arguments| flag(vm, arguments, RegExpFlags::HAS_INDICES, "hasIndices")),
    getter("ignoreCase", |vm, arguments| flag(vm, arguments, RegExpFlags::IGNORE_CASE, "ignoreCase")),
    symbol_hosted(symbol::MATCH, 1, "RegExp_prototype_match"),
    symbol_hosted(symbol::MATCH_ALL, 1, "RegExp_prototype_matchAll"),
    getter("multiline", |vm, arguments| flag(vm, arguments, RegExpFlags::MULTILINE, "multiline")),
    symbol_hosted(symbol::REPLACE, 2, "RegExp_prototype_replace"),
    symbol_method(symbol::SEARCH, "[Symbol.search]", 1, search),
    getter("source", source),
    symbol_hosted(symbol::SPLIT, 2, "RegExp_prototype_split"),
    getter("sticky", |vm, arguments| flag(vm, arguments, RegExpFlags::STICKY, "sticky")),
    method("test", 1, test),
    method("toString", 0, to_string),
    getter("unicode", |vm, arguments| flag(vm, arguments, RegExpFlags::UNICODE, "unicode")),
    getter("unicodeSets", |vm, arguments| flag(vm, arguments, RegExpFlags::UNICODE_SETS, "unicodeSets")),
    method("compile", 2, compile),
];

/// The table of [%RegExpStringIteratorPrototype%](https://tc39.es/ecma262/#sec-%regexpstringiteratorprototype%-object).
pub static STRING_ITERATOR: Builtin = Builtin {
    kind: BuiltinKind::Prototype { id: IntrinsicObject::RegExpStringIteratorPrototype },
    statics: &[],
    prototype: &[hosted("next", 0, "RegExpStringIterator_next"), tag("RegExp String Iterator")],
    prototype_kind: PrototypeKind::Ordinary,
    prototype_parent: Some(IntrinsicObject::IteratorPrototype),
};

/// The accessors that `flags` reads, with `flags` itself: while these are the original ones, a program cannot see them being read.
const FLAG_KEYS: [PropertyKey; 9] = [
    keys::FLAGS,
    keys::HAS_INDICES,
    keys::GLOBAL,
    keys::IGNORE_CASE,
    keys::MULTILINE,
    keys::DOT_ALL,
    keys::UNICODE,
    keys::UNICODE_SETS,
    keys::STICKY,
];

/// The keys of the methods that string methods call on their argument, in the order of `$symbolMethod`.
const STRING_METHODS: [PropertyKey; 5] =
    [symbol::keys::MATCH, symbol::keys::MATCH_ALL, symbol::keys::REPLACE, symbol::keys::SEARCH, symbol::keys::SPLIT];

/// How many matches are made between two looks at the clock.
const POLL_MATCHES: usize = 256;

/// RegExp ( pattern, flags ) <https://tc39.es/ecma262/#sec-regexp-pattern-flags>
fn construct(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let (pattern, flags) = (arguments.get(vm, 0), arguments.get(vm, 1));
    // 1. Let patternIsRegExp be ? IsRegExp(pattern).
    let pattern_is_regexp = is_regexp(vm, pattern)?;
    let mut new_target = arguments.new_target;
    // 2. If NewTarget is undefined, then
    if !arguments.is_construct() {
        new_target = arguments.callee;
        if pattern_is_regexp && flags.is_undefined() {
            let pattern_constructor = vm.get_v(pattern, keys::CONSTRUCTOR)?;
            if pattern_constructor == new_target {
                return Ok(pattern);
            }
        }
    }
    // 4. If pattern is an Object and pattern has a [[RegExpMatcher]] internal slot, then
    let (pattern, flags) = if let Some(data) = regexp_data(vm, pattern) {
        let source = Value::string(data.source);
        let original = data.flags;
        if flags.is_undefined() { (source, vm.string(&original.to_string())) } else { (source, flags) }
    } else if pattern_is_regexp {
        let source = vm.get_v(pattern, keys::SOURCE)?;
        vm.root(source);
        (source, if flags.is_undefined() { vm.get_v(pattern, keys::FLAGS)? } else { flags })
    } else {
        (pattern, flags)
    };
    vm.root(flags);
    // 7. Let O be ? RegExpAlloc(newTarget).
    let prototype = vm.get_prototype_from_constructor(new_target, IntrinsicObject::RegExpPrototype)?;
    vm.root(prototype);
    // 8. Return ? RegExpInitialize(O, P, F).
    let data = initialize(vm, pattern, flags)?;
    Ok(Value::object(allocate(vm, prototype, data)))
}

/// RegExp.escape ( S ) <https://tc39.es/ecma262/#sec-regexp.escape>
fn escape(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let Some(string) = arguments.get(vm, 0).as_string() else {
        return Err(vm.throw_type_error("RegExp.escape: the argument must be a string"));
    };
    let mut escaped = StringBuilder::new();
    for code_point in vm.heap.flat_view(string).code_points() {
        push_escaped(&mut escaped, code_point);
    }
    finish(vm, escaped)
}

/// get RegExp \[ %Symbol.species% ] <https://tc39.es/ecma262/#sec-get-regexp-%symbol.species%>
fn species(_: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    Ok(arguments.this)
}

/// RegExp.prototype.exec ( string ) <https://tc39.es/ecma262/#sec-regexp.prototype.exec>
fn exec(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let regexp = this_regexp(vm, arguments, "RegExp.prototype.exec")?;
    let string = to_rooted_string(vm, arguments.get(vm, 0))?;
    builtin_exec(vm, regexp, string)
}

/// The getters of single flags: RegExpHasFlag <https://tc39.es/ecma262/#sec-regexphasflag>
fn flag(vm: &mut Vm, arguments: &Arguments, flag: RegExpFlags, name: &str) -> Completion<Value> {
    if let Some(data) = regexp_data(vm, arguments.this) {
        return Ok(Value::boolean(data.flags.contains(flag)));
    }
    if arguments.this == Value::object(vm.intrinsic(IntrinsicObject::RegExpPrototype)) {
        return Ok(Value::UNDEFINED);
    }
    Err(vm.throw_type_error(format!("RegExp.prototype.{name} getter called on non-RegExp object")))
}

/// get RegExp.prototype.flags <https://tc39.es/ecma262/#sec-get-regexp.prototype.flags>
fn flags(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let Some(regexp) = arguments.this.as_object() else {
        let text = vm.display(arguments.this);
        return Err(vm.throw_type_error(format!("RegExp.prototype.flags getter called on non-object {text}")));
    };
    const IN_ORDER: [(PropertyKey, char); 8] = [
        (keys::HAS_INDICES, 'd'),
        (keys::GLOBAL, 'g'),
        (keys::IGNORE_CASE, 'i'),
        (keys::MULTILINE, 'm'),
        (keys::DOT_ALL, 's'),
        (keys::UNICODE, 'u'),
        (keys::UNICODE_SETS, 'v'),
        (keys::STICKY, 'y'),
    ];
    let mut text = String::new();
    for (key, letter) in IN_ORDER {
        let value = vm.get(regexp, key)?;
        if vm.to_boolean(value) {
            text.push(letter);
        }
    }
    Ok(vm.string(&text))
}

/// RegExp.prototype \[ %Symbol.search% ] ( string ) <https://tc39.es/ecma262/#sec-regexp.prototype-%symbol.search%>
fn search(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    // 2. If rx is not an Object, throw a TypeError exception.
    let Some(regexp) = arguments.this.as_object() else {
        return Err(incompatible(vm, arguments.this, "RegExp.prototype.@@search"));
    };
    // 3. Let S be ? ToString(string).
    let string = to_rooted_string(vm, arguments.get(vm, 0))?;
    // 4. to 5. Start at the first code unit.
    let previous = vm.get(regexp, keys::LAST_INDEX)?;
    vm.root(previous);
    if !is_same_zero(previous) {
        vm.set(regexp, keys::LAST_INDEX, Value::ZERO, true)?;
    }
    // 6. Let result be ? RegExpExec(rx, S).
    let result = regexp_exec(vm, regexp, string)?;
    vm.root(result);
    // 7. to 8. Restore lastIndex.
    let current = vm.get(regexp, keys::LAST_INDEX)?;
    if !vm.heap.same_value(current, previous) {
        vm.set(regexp, keys::LAST_INDEX, previous, true)?;
    }
    // 9. to 10.
    if result.is_null() { Ok(Value::int(-1)) } else { vm.get_v(result, keys::INDEX) }
}

/// get RegExp.prototype.source <https://tc39.es/ecma262/#sec-get-regexp.prototype.source>
fn source(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    if let Some(data) = regexp_data(vm, arguments.this) {
        let source = data.source;
        return escape_pattern(vm, source);
    }
    if arguments.this == Value::object(vm.intrinsic(IntrinsicObject::RegExpPrototype)) {
        return Ok(vm.string("(?:)"));
    }
    Err(vm.throw_type_error("RegExp.prototype.source getter called on non-RegExp object"))
}

/// RegExp.prototype.test ( S ) <https://tc39.es/ecma262/#sec-regexp.prototype.test>
fn test(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let Some(regexp) = arguments.this.as_object() else {
        return Err(incompatible(vm, arguments.this, "RegExp.prototype.test"));
    };
    let string = to_rooted_string(vm, arguments.get(vm, 0))?;
    // OPTIMIZATION: the result object is not needed when the built-in exec would make it.
    if matches!(vm.heap[regexp].kind, ObjectKind::RegExp(_)) && has_builtin_exec(vm, regexp) {
        return Ok(Value::boolean(find_and_update(vm, regexp, string)?.is_some()));
    }
    Ok(Value::boolean(!regexp_exec(vm, regexp, string)?.is_null()))
}

/// RegExp.prototype.toString ( ) <https://tc39.es/ecma262/#sec-regexp.prototype.tostring>
fn to_string(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let Some(regexp) = arguments.this.as_object() else {
        return Err(incompatible(vm, arguments.this, "RegExp.prototype.toString"));
    };
    let pattern = vm.get(regexp, keys::SOURCE)?;
    let pattern = to_rooted_string(vm, pattern)?;
    let flags = vm.get(regexp, keys::FLAGS)?;
    let flags = to_rooted_string(vm, flags)?;
    let mut text = StringBuilder::new();
    text.push_str("/");
    text.push_string(&mut vm.heap, pattern);
    text.push_str("/");
    text.push_string(&mut vm.heap, flags);
    finish(vm, text)
}

/// RegExp.prototype.compile ( pattern, flags ) <https://tc39.es/ecma262/#sec-regexp.prototype.compile>
fn compile(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let regexp = this_regexp(vm, arguments, "RegExp.prototype.compile")?;
    let (pattern, flags) = (arguments.get(vm, 0), arguments.get(vm, 1));
    let data = match regexp_data(vm, pattern).cloned() {
        Some(_) if !flags.is_undefined() => {
            return Err(vm.throw_type_error("Invalid flags supplied to RegExp.prototype.compile"));
        }
        Some(data) => data,
        None => initialize(vm, pattern, flags)?,
    };
    if let ObjectKind::RegExp(own) = &mut vm.heap[regexp].kind {
        **own = data;
    }
    vm.set(regexp, keys::LAST_INDEX, Value::ZERO, true)?;
    Ok(arguments.this)
}

impl Vm {
    /// RegExpCreate ( P, F ) <https://tc39.es/ecma262/#sec-regexpcreate> for strings, such as those of a regular expression literal.
    ///
    /// # Errors
    /// A SyntaxError when pattern or flags are not valid.
    pub fn new_regexp(&mut self, pattern: Gc<JsString>, flags: Gc<JsString>) -> Completion<Gc<Object>> {
        regexp_create(self, Value::string(pattern), Value::string(flags))
    }
}

/// RegExpCreate ( P, F ) <https://tc39.es/ecma262/#sec-regexpcreate>
fn regexp_create(vm: &mut Vm, pattern: Value, flags: Value) -> Completion<Gc<Object>> {
    let data = initialize(vm, pattern, flags)?;
    let prototype = vm.intrinsic(IntrinsicObject::RegExpPrototype);
    Ok(allocate(vm, prototype, data))
}

/// RegExpInitialize ( obj, pattern, flags ) <https://tc39.es/ecma262/#sec-regexpinitialize>, up to the internal slots.
fn initialize(vm: &mut Vm, pattern: Value, flags: Value) -> Completion<RegExpData> {
    // 1. to 4. Absent pattern and flags are empty.
    let pattern = if pattern.is_undefined() { vm.heap.empty_string() } else { to_rooted_string(vm, pattern)? };
    let flags_text = if flags.is_undefined() { vm.heap.empty_string() } else { to_rooted_string(vm, flags)? };
    // 5. to 6. Unknown or repeated flags.
    let Some(flags) = RegExpFlags::parse(vm.heap.flat_view(flags_text)) else {
        let text = vm.heap.rust_string(flags_text);
        return Err(vm.throw_syntax_error(format!("Invalid flags supplied to RegExp constructor '{text}'")));
    };
    // 14. to 15. Parse.
    vm.heap.flatten(pattern);
    match vm.regexps.compile(vm.heap.view(pattern), flags) {
        Ok(compiled) => Ok(RegExpData { source: pattern, flags, compiled }),
        Err(message) => Err(vm.throw_syntax_error(message)),
    }
}

/// RegExpAlloc ( newTarget ) <https://tc39.es/ecma262/#sec-regexpalloc>: `lastIndex` is the first property and stays in slot 0.
fn allocate(vm: &mut Vm, prototype: Gc<Object>, data: RegExpData) -> Gc<Object> {
    let kind = ObjectKind::RegExp(Box::new(data));
    let object = vm.heap.new_object_of_kind(Some(prototype), kind);
    vm.heap.add_property(object, keys::LAST_INDEX, Value::ZERO, Attributes::WRITABLE);
    object
}

/// IsRegExp ( argument ) <https://tc39.es/ecma262/#sec-isregexp>
///
/// # Errors
/// What a getter or proxy of the program throws.
pub fn is_regexp(vm: &mut Vm, value: Value) -> Completion<bool> {
    let Some(object) = value.as_object() else { return Ok(false) };
    let matcher = vm.get(object, symbol::keys::MATCH)?;
    if !matcher.is_undefined() {
        return Ok(vm.to_boolean(matcher));
    }
    Ok(matches!(vm.heap[object].kind, ObjectKind::RegExp(_)))
}

/// RegExpExec ( R, S ) <https://tc39.es/ecma262/#sec-regexpexec>
fn regexp_exec(vm: &mut Vm, regexp: Gc<Object>, string: Gc<JsString>) -> Completion<Value> {
    // 1. Let exec be ? Get(R, "exec").
    let exec = vm.get(regexp, keys::EXEC)?;
    let is_regexp = matches!(vm.heap[regexp].kind, ObjectKind::RegExp(_));
    let builtin = Value::object(vm.intrinsic(IntrinsicObject::RegExpPrototypeExec));
    // 2. If IsCallable(exec) is true, then
    if vm.heap.is_callable(exec) && !(is_regexp && exec == builtin) {
        let result = vm.call(exec, Value::object(regexp), &[Value::string(string)])?;
        if !result.is_object() && !result.is_null() {
            return Err(
                vm.throw_type_error("object null or function expected from the exec method of a regular expression")
            );
        }
        return Ok(result);
    }
    // 3. Perform ? RequireInternalSlot(R, [[RegExpMatcher]]).
    if !is_regexp {
        return Err(incompatible(vm, Value::object(regexp), "RegExp.prototype.exec"));
    }
    builtin_exec(vm, regexp, string)
}

/// RegExpBuiltinExec ( R, S ) <https://tc39.es/ecma262/#sec-regexpbuiltinexec>
fn builtin_exec(vm: &mut Vm, regexp: Gc<Object>, string: Gc<JsString>) -> Completion<Value> {
    match find_and_update(vm, regexp, string)? {
        Some((data, found)) => Ok(Value::object(match_result(vm, &data, string, &found))),
        None => Ok(Value::NULL),
    }
}

/// The steps of RegExpBuiltinExec before the result object: `lastIndex` is read and written as they say.
fn find_and_update(
    vm: &mut Vm,
    regexp: Gc<Object>,
    string: Gc<JsString>,
) -> Completion<Option<(RegExpData, RegExpMatch)>> {
    // 2. Let lastIndex be ℝ(? ToLength(! Get(R, "lastIndex"))).
    let last_index = match last_index_of(vm, regexp).as_int() {
        Some(index) => f64::from(index.max(0)),
        None => {
            let value = last_index_of(vm, regexp);
            vm.to_length(value)? as f64
        }
    };
    // 3. to 8. The conversion may have run `compile`, so the slots are read after it.
    let Some(data) = regexp_data(vm, Value::object(regexp)).cloned() else { return Ok(None) };
    let (is_global, is_sticky) = (data.flags.contains(RegExpFlags::GLOBAL), data.flags.contains(RegExpFlags::STICKY));
    let last_index = if is_global || is_sticky { last_index } else { 0.0 };
    let found = if last_index > vm.heap.string_length(string) as f64 {
        None
    } else {
        find(vm, &data.compiled, string, last_index as usize, is_sticky)
    };
    match found {
        None => {
            if is_global || is_sticky {
                set_last_index(vm, regexp, 0)?;
            }
            Ok(None)
        }
        Some(found) => {
            if is_global || is_sticky {
                set_last_index(vm, regexp, found.range.end)?;
            }
            Ok(Some((data, found)))
        }
    }
}

fn find(
    vm: &mut Vm,
    compiled: &CompiledRegExp,
    string: Gc<JsString>,
    from: usize,
    is_sticky: bool,
) -> Option<RegExpMatch> {
    vm.regexps.find(&mut vm.heap, compiled, string, from, is_sticky)
}

/// The array that `exec` gives.
fn match_result(vm: &mut Vm, data: &RegExpData, string: Gc<JsString>, found: &RegExpMatch) -> Gc<Object> {
    let count = data.compiled.group_count();
    let mut texts = Vec::with_capacity(count + 1);
    for number in 0..=count {
        texts.push(group_text(vm, string, found, number));
    }
    let groups = named_groups(vm, &data.compiled, found, |number| texts[number]);
    let array = vm.create_array(texts);
    add_result_properties(vm, array, [Value::from(found.range.start), Value::string(string), groups]);
    if data.flags.contains(RegExpFlags::HAS_INDICES) {
        let indices = match_indices(vm, &data.compiled, found);
        vm.heap.add_property(array, keys::INDICES, Value::object(indices), Attributes::ALL);
    }
    array
}

/// Adds `index`, `input` and `groups`. The shapes are remembered: many results are made in a row.
fn add_result_properties(vm: &mut Vm, array: Gc<Object>, values: [Value; 3]) {
    let base = vm.heap[array].shape();
    let collections = vm.heap.collections();
    let shapes = match vm.regexps.result_shapes {
        Some(known) if known.base == base && known.collections == collections => known.shapes,
        _ => {
            let mut shape = base;
            let shapes = [keys::INDEX, keys::INPUT, keys::GROUPS].map(|key| {
                shape = vm.heap.shape_with(shape, key, Attributes::ALL);
                shape
            });
            vm.regexps.result_shapes = Some(ResultShapes { base, collections, shapes });
            shapes
        }
    };
    let first = vm.heap[base].slot_count();
    for ((shape, value), slot) in shapes.into_iter().zip(values).zip(first..) {
        vm.heap.append_slot(array, shape, slot, value);
    }
}

/// MakeMatchIndicesIndexPairArray ( ... ) <https://tc39.es/ecma262/#sec-makematchindicesindexpairarray>
fn match_indices(vm: &mut Vm, compiled: &CompiledRegExp, found: &RegExpMatch) -> Gc<Object> {
    let mut pairs = Vec::with_capacity(compiled.group_count() + 1);
    for number in 0..=compiled.group_count() {
        pairs.push(match found.group(number) {
            Some(range) => Value::object(vm.create_array(vec![Value::from(range.start), Value::from(range.end)])),
            None => Value::UNDEFINED,
        });
    }
    let groups = named_groups(vm, compiled, found, |number| pairs[number]);
    let array = vm.create_array(pairs);
    vm.heap.add_property(array, keys::GROUPS, groups, Attributes::ALL);
    array
}

/// The `groups` object, or undefined when the pattern has no names. Of the groups with the same name the one that took part counts.
fn named_groups(vm: &mut Vm, compiled: &CompiledRegExp, found: &RegExpMatch, value: impl Fn(usize) -> Value) -> Value {
    if compiled.group_names().is_empty() {
        return Value::UNDEFINED;
    }
    let groups = vm.heap.new_object(None);
    for (name, numbers) in compiled.group_names() {
        let key = vm.heap.key_from_str(name);
        let matched = numbers.iter().find(|&&number| found.group(number).is_some());
        vm.heap.add_property(groups, key, matched.map_or(Value::UNDEFINED, |&number| value(number)), Attributes::ALL);
    }
    Value::object(groups)
}

fn group_text(vm: &mut Vm, string: Gc<JsString>, found: &RegExpMatch, number: usize) -> Value {
    match found.group(number) {
        Some(range) => Value::string(vm.heap.substring(string, range.start, range.end)),
        None => Value::UNDEFINED,
    }
}

/// `lastIndex` is an own data property that cannot be reconfigured.
fn last_index_of(vm: &Vm, regexp: Gc<Object>) -> Value {
    vm.heap.own_data(regexp, keys::LAST_INDEX).unwrap_or(Value::ZERO)
}

fn set_last_index(vm: &mut Vm, regexp: Gc<Object>, index: usize) -> Completion<()> {
    if let Lookup::Found(found) = vm.heap.own_lookup(regexp, keys::LAST_INDEX)
        && found.attributes.contains(Attributes::WRITABLE)
    {
        vm.heap.set_existing(&found, Value::from(index));
        return Ok(());
    }
    vm.set(regexp, keys::LAST_INDEX, Value::from(index), true)?;
    Ok(())
}

fn regexp_data(vm: &Vm, value: Value) -> Option<&RegExpData> {
    match &vm.heap[value.as_object()?].kind {
        ObjectKind::RegExp(data) => Some(data),
        _ => None,
    }
}

fn this_regexp(vm: &mut Vm, arguments: &Arguments, method: &str) -> Completion<Gc<Object>> {
    match arguments.this.as_object() {
        Some(object) if matches!(vm.heap[object].kind, ObjectKind::RegExp(_)) => Ok(object),
        _ => Err(incompatible(vm, arguments.this, method)),
    }
}

#[cold]
fn incompatible(vm: &mut Vm, receiver: Value, method: &str) -> Thrown {
    let text = vm.display(receiver);
    vm.throw_type_error(format!("Method {method} called on incompatible receiver {text}"))
}

fn to_rooted_string(vm: &mut Vm, value: Value) -> Completion<Gc<JsString>> {
    if let Some(string) = value.as_string() {
        return Ok(string);
    }
    let string = vm.to_string(value)?;
    vm.root(string);
    Ok(string)
}

fn is_same_zero(value: Value) -> bool {
    value.as_number().is_some_and(|number| number.to_bits() == 0)
}

fn finish(vm: &mut Vm, builder: StringBuilder) -> Completion<Value> {
    match builder.finish(&mut vm.heap) {
        Ok(string) => Ok(Value::string(string)),
        Err(StringTooLong) => Err(vm.throw_range_error(StringTooLong::MESSAGE)),
    }
}

/// EscapeRegExpPattern ( P, F ) <https://tc39.es/ecma262/#sec-escaperegexppattern>: slashes outside classes and line terminators.
fn escape_pattern(vm: &mut Vm, source: Gc<JsString>) -> Completion<Value> {
    let view = vm.heap.flat_view(source);
    if view.is_empty() {
        return Ok(vm.string("(?:)"));
    }
    if !view.iter().any(|unit| matches!(unit, 0x2F | 0x0A | 0x0D | 0x2028 | 0x2029)) {
        return Ok(Value::string(source));
    }
    let mut escaped = StringBuilder::with_capacity(view.len() + 8);
    let (mut in_class, mut after_backslash) = (false, false);
    for unit in view.iter() {
        let line_terminator = match unit {
            0x0A => Some("n"),
            0x0D => Some("r"),
            0x2028 => Some("u2028"),
            0x2029 => Some("u2029"),
            _ => None,
        };
        if let Some(letters) = line_terminator {
            if !after_backslash {
                escaped.push_str("\\");
            }
            escaped.push_str(letters);
            after_backslash = false;
            continue;
        }
        match unit {
            _ if after_backslash => {}
            0x5B => in_class = true,
            0x5D => in_class = false,
            0x2F if !in_class => escaped.push_str("\\"),
            _ => {}
        }
        after_backslash = unit == 0x5C && !after_backslash;
        escaped.push_unit(unit);
    }
    finish(vm, escaped)
}

/// EncodeForRegExpEscape ( cp ) <https://tc39.es/ecma262/#sec-encodeforregexpescape>, and the first step of `RegExp.escape`.
fn push_escaped(escaped: &mut StringBuilder, code_point: u32) {
    let c = char::from_u32(code_point);
    if escaped.is_empty() && c.is_some_and(|c| c.is_ascii_alphanumeric()) {
        return escaped.push_str(&format!("\\x{code_point:02x}"));
    }
    match c {
        Some('^' | '$' | '\\' | '.' | '*' | '+' | '?' | '(' | ')' | '[' | ']' | '{' | '}' | '|' | '/') => {
            escaped.push_str("\\");
            escaped.push_code_point(code_point);
        }
        Some('\t') => escaped.push_str("\\t"),
        Some('\n') => escaped.push_str("\\n"),
        Some('\x0B') => escaped.push_str("\\v"),
        Some('\x0C') => escaped.push_str("\\f"),
        Some('\r') => escaped.push_str("\\r"),
        Some(',' | '-' | '=' | '<' | '>' | '#' | '&' | '!' | '%' | ':' | ';' | '@' | '~' | '\'' | '`' | '"' | ' ') => {
            escaped.push_str(&format!("\\x{code_point:02x}"))
        }
        Some(c) if u16::try_from(code_point).is_ok_and(crate::string::is_white_space_or_line_terminator) => {
            let number = u32::from(c);
            escaped.push_str(&if number <= 0xFF { format!("\\x{number:02x}") } else { format!("\\u{number:04x}") });
        }
        Some(_) => escaped.push_code_point(code_point),
        // A lone surrogate.
        None => escaped.push_str(&format!("\\u{code_point:04x}")),
    }
}

/// The intrinsics of `regexp.js` and the ones of `string.js` that are about regular expressions.
///
/// # Errors
/// What the operations throw.
pub fn regexp_intrinsic(vm: &mut Vm, intrinsic: Intrinsic, operands: &[Value]) -> Completion<Value> {
    let operand = |index: usize| operands.get(index).copied().unwrap_or(Value::UNDEFINED);
    let (first, second, third) = (operand(0), operand(1), operand(2));
    match intrinsic {
        Intrinsic::RegExpBuiltinExec => intrinsic_builtin_exec(vm, first, second),
        Intrinsic::RegExpExecFast => intrinsic_exec_fast(vm, first, second),
        Intrinsic::SymbolMethod => match second.as_int().and_then(|index| STRING_METHODS.get(index as usize)) {
            Some(&key) => vm.get_method(first, key),
            None => vm.internal_error("no such symbol"),
        },
        Intrinsic::RegExpReplaceFast => intrinsic_replace(vm, first, second, third),
        Intrinsic::RegExpMatchList => intrinsic_match_list(vm, first, second),
        Intrinsic::RegExpMatchTexts => intrinsic_match(vm, first, second),
        Intrinsic::RegExpSplitFast => intrinsic_split(vm, first, second, third),
        Intrinsic::IsPristineRegExp => {
            Ok(Value::boolean(first.as_object().is_some_and(|object| is_pristine(vm, object))))
        }
        Intrinsic::IsRegExp => Ok(Value::boolean(is_regexp(vm, first)?)),
        Intrinsic::RegExpCreate => regexp_create(vm, first, second).map(Value::object),
        Intrinsic::GetSubstitution => intrinsic_substitution(vm, operands),
        Intrinsic::AdvanceStringIndex => intrinsic_advance(vm, first, second, third),
        _ => vm.internal_error("not an intrinsic of regular expressions"),
    }
}

/// `$regExpBuiltinExec(regexp, string)`: RegExpBuiltinExec, or a TypeError when there is no matcher.
fn intrinsic_builtin_exec(vm: &mut Vm, regexp: Value, string: Value) -> Completion<Value> {
    match (regexp.as_object(), string.as_string()) {
        (Some(object), Some(string)) if matches!(vm.heap[object].kind, ObjectKind::RegExp(_)) => {
            builtin_exec(vm, object, string)
        }
        _ => Err(incompatible(vm, regexp, "RegExp.prototype.exec")),
    }
}

/// `$regExpExecFast(regexp, string)`: RegExpExec when the property `exec` is seen to be the built-in function without running code
/// of the program, else undefined.
fn intrinsic_exec_fast(vm: &mut Vm, regexp: Value, string: Value) -> Completion<Value> {
    match (regexp.as_object(), string.as_string()) {
        (Some(object), Some(string))
            if matches!(vm.heap[object].kind, ObjectKind::RegExp(_)) && has_builtin_exec(vm, object) =>
        {
            builtin_exec(vm, object, string)
        }
        _ => Ok(Value::UNDEFINED),
    }
}

/// `$isPristineRegExp(regexp)`: whether a program cannot see `exec`, `flags` and the flags being read, nor `lastIndex` being
/// converted.
fn is_pristine(vm: &mut Vm, regexp: Gc<Object>) -> bool {
    let prototype = vm.intrinsic(IntrinsicObject::RegExpPrototype);
    let is_plain = matches!(vm.heap[regexp].kind, ObjectKind::RegExp(_))
        && vm.heap.prototype_of(regexp) == Some(prototype)
        && vm.heap.shape_entries(vm.heap[regexp].shape()).len() == 1
        && last_index_of(vm, regexp).is_number();
    if !is_plain {
        return false;
    }
    let exec = Value::object(vm.intrinsic(IntrinsicObject::RegExpPrototypeExec));
    if vm.heap.own_data(prototype, keys::EXEC) != Some(exec) {
        return false;
    }
    // Changing an accessor is a change of layout, so this part holds until the next one.
    if vm.regexps.pristine_epoch == Some(vm.heap.prototype_epoch) {
        return true;
    }
    let are_original = FLAG_KEYS.into_iter().all(|key| has_original_getter(vm, prototype, key));
    if are_original {
        vm.regexps.pristine_epoch = Some(vm.heap.prototype_epoch);
    }
    are_original
}

/// Whether the getter is one of the functions in this file's table.
fn has_original_getter(vm: &Vm, prototype: Gc<Object>, key: PropertyKey) -> bool {
    let Lookup::Found(found) = vm.heap.own_lookup(prototype, key) else { return false };
    let Some(getter) = getter_of(vm, found.value) else { return false };
    PROTOTYPE.iter().any(|entry| match entry {
        Entry::Accessor(_, function, _) => {
            std::ptr::eq(function, getter) && Some(function.name) == name_of_flag_key(key)
        }
        _ => false,
    })
}

fn name_of_flag_key(key: PropertyKey) -> Option<&'static str> {
    const NAMES: [&str; 9] =
        ["flags", "hasIndices", "global", "ignoreCase", "multiline", "dotAll", "unicode", "unicodeSets", "sticky"];
    FLAG_KEYS.iter().position(|&other| other == key).map(|index| NAMES[index])
}

/// Whether Get(R, "exec") is unobservable and gives the built-in function.
fn has_builtin_exec(vm: &Vm, regexp: Gc<Object>) -> bool {
    let builtin = Value::object(vm.intrinsic(IntrinsicObject::RegExpPrototypeExec));
    match vm.heap.lookup(regexp, keys::EXEC) {
        Lookup::Found(found) => found.value == builtin,
        _ => false,
    }
}

/// Whether SpeciesConstructor of a pristine regular expression gives %RegExp%, unobservably.
fn has_builtin_species(vm: &Vm) -> bool {
    let (constructor, prototype) =
        (vm.intrinsic(IntrinsicObject::RegExp), vm.intrinsic(IntrinsicObject::RegExpPrototype));
    if vm.heap.own_data(prototype, keys::CONSTRUCTOR) != Some(Value::object(constructor)) {
        return false;
    }
    let Lookup::Found(found) = vm.heap.own_lookup(constructor, symbol::keys::SPECIES) else { return false };
    getter_of(vm, found.value).is_some_and(|getter| {
        BUILTIN
            .statics
            .iter()
            .any(|entry| matches!(entry, Entry::Accessor(_, function, _) if std::ptr::eq(function, getter)))
    })
}

/// The native function of an accessor's getter.
fn getter_of(vm: &Vm, accessor: Value) -> Option<&'static NativeFunction> {
    let getter = vm.heap[accessor.as_accessor()?].getter.as_object()?;
    match &vm.heap[getter].kind {
        ObjectKind::Native(native) => Some(native.function),
        _ => None,
    }
}

/// `$regExpMatchList(regexp, string)`: what the loop of `Symbol.replace` collects for a pristine regular expression: the number of
/// groups, then for each match its position, text, groups and the object of the named groups.
fn intrinsic_match_list(vm: &mut Vm, regexp: Value, string: Value) -> Completion<Value> {
    let all = find_all(vm, regexp, string)?;
    let Some((compiled, string)) =
        regexp_data(vm, regexp).map(|data| Rc::clone(&data.compiled)).zip(string.as_string())
    else {
        return Ok(Value::UNDEFINED);
    };
    let count = compiled.group_count();
    let mut list = Vec::with_capacity(1 + all.len() * (count + 3));
    list.push(Value::from(count));
    for found in all {
        list.push(Value::from(found.range.start));
        let texts = list.len();
        for number in 0..=count {
            list.push(group_text(vm, string, &found, number));
        }
        let groups = named_groups(vm, &compiled, &found, |number| list[texts + number]);
        list.push(groups);
    }
    Ok(Value::object(vm.create_array(list)))
}

/// `$regExpMatchTexts(regexp, string)`: `Symbol.match` for a pristine regular expression.
fn intrinsic_match(vm: &mut Vm, regexp: Value, string: Value) -> Completion<Value> {
    let is_global = regexp_data(vm, regexp).is_some_and(|data| data.flags.contains(RegExpFlags::GLOBAL));
    if !is_global {
        return intrinsic_builtin_exec(vm, regexp, string);
    }
    let found = find_all(vm, regexp, string)?;
    let Some(string) = string.as_string().filter(|_| !found.is_empty()) else { return Ok(Value::NULL) };
    let mut texts = Vec::with_capacity(found.len());
    for found in found {
        texts.push(Value::string(vm.heap.substring(string, found.range.start, found.range.end)));
    }
    Ok(Value::object(vm.create_array(texts)))
}

/// `$regExpReplaceFast(regexp, string, replacement)`: `Symbol.replace` with a replacement text, undefined when the regular
/// expression is not pristine.
fn intrinsic_replace(vm: &mut Vm, regexp: Value, string: Value, replacement: Value) -> Completion<Value> {
    let (Some(object), Some(string), Some(replacement)) =
        (regexp.as_object(), string.as_string(), replacement.as_string())
    else {
        return Ok(Value::UNDEFINED);
    };
    if !is_pristine(vm, object) {
        return Ok(Value::UNDEFINED);
    }
    let all = find_all(vm, regexp, Value::string(string))?;
    let Some(compiled) = regexp_data(vm, regexp).map(|data| Rc::clone(&data.compiled)) else {
        return Ok(Value::UNDEFINED);
    };
    if all.is_empty() {
        return Ok(Value::string(string));
    }
    vm.heap.flatten(string);
    vm.heap.flatten(replacement);
    let (text, template) = (vm.heap.view(string), vm.heap.view(replacement));
    let pieces = parse_template(template, compiled.group_count(), !compiled.group_names().is_empty());
    let mut result = StringBuilder::with_capacity(text.len());
    let mut next = 0;
    for found in &all {
        result.push_view(text.slice(next, found.range.start));
        for piece in &pieces {
            let group = match piece {
                TemplatePiece::Named(range) => named_group(&compiled, template.slice(range.start, range.end), found),
                TemplatePiece::Group(number) => found.group(*number),
                _ => None,
            };
            push_piece(
                &mut result,
                piece,
                template,
                text,
                &found.range,
                group.map(|range| text.slice(range.start, range.end)),
            );
        }
        next = found.range.end;
        if result.is_too_long() {
            break;
        }
    }
    result.push_view(text.slice(next, text.len()));
    finish(vm, result)
}

fn named_group(compiled: &CompiledRegExp, name: StrView<'_>, found: &RegExpMatch) -> Option<Range<usize>> {
    let name = name.to_rust_string();
    let (_, numbers) = compiled.group_names().iter().find(|(known, _)| *known == name)?;
    numbers.iter().find_map(|&number| found.group(number))
}

fn push_piece(
    result: &mut StringBuilder,
    piece: &TemplatePiece,
    template: StrView<'_>,
    text: StrView<'_>,
    matched: &Range<usize>,
    group: Option<StrView<'_>>,
) {
    match piece {
        TemplatePiece::Literal(range) => result.push_view(template.slice(range.start, range.end)),
        TemplatePiece::Matched => result.push_view(text.slice(matched.start, matched.end)),
        TemplatePiece::Before => result.push_view(text.slice(0, matched.start)),
        TemplatePiece::After => result.push_view(text.slice(matched.end, text.len())),
        TemplatePiece::Group(_) | TemplatePiece::Named(_) => {
            if let Some(group) = group {
                result.push_view(group);
            }
        }
    }
}

/// All matches that the loops of `Symbol.match` and `Symbol.replace` find with a pristine regular expression; `lastIndex` ends as they
/// leave it.
fn find_all(vm: &mut Vm, regexp: Value, string: Value) -> Completion<Vec<RegExpMatch>> {
    let (Some(object), Some(string)) = (regexp.as_object(), string.as_string()) else { return Ok(Vec::new()) };
    let Some(data) = regexp_data(vm, regexp).cloned() else { return Ok(Vec::new()) };
    if !data.flags.contains(RegExpFlags::GLOBAL) {
        return Ok(find_and_update(vm, object, string)?.map(|(_, found)| found).into_iter().collect());
    }
    set_last_index(vm, object, 0)?;
    let is_sticky = data.flags.contains(RegExpFlags::STICKY);
    let is_unicode = data.flags.has_either_unicode();
    let mut all = Vec::new();
    let mut from = 0;
    while from <= vm.heap.string_length(string)
        && let Some(found) = find(vm, &data.compiled, string, from, is_sticky)
    {
        from = if found.range.is_empty() {
            advance_string_index(vm.heap.view(string), found.range.end, is_unicode)
        } else {
            found.range.end
        };
        all.push(found);
        if all.len().is_multiple_of(POLL_MATCHES) {
            vm.poll()?;
        }
    }
    Ok(all)
}

/// `$regExpSplitFast(regexp, string, limit)`: `Symbol.split` for a limit that is undefined or a Number of 32 bits without sign; undefined
/// unless the regular expression is pristine and its species built in.
fn intrinsic_split(vm: &mut Vm, regexp: Value, string: Value, limit: Value) -> Completion<Value> {
    let is_builtin = regexp.as_object().is_some_and(|object| is_pristine(vm, object)) && has_builtin_species(vm);
    let (Some(data), Some(string), true) = (regexp_data(vm, regexp).cloned(), string.as_string(), is_builtin) else {
        return Ok(Value::UNDEFINED);
    };
    let limit = limit.as_number().map_or(u32::MAX as usize, |limit| limit as usize);
    let is_unicode = data.flags.has_either_unicode();
    let length = vm.heap.string_length(string);
    let mut parts = Vec::new();
    if limit == 0 {
        return Ok(Value::object(vm.create_array(parts)));
    }
    if length == 0 {
        // An empty text is one part, unless the separator matches it.
        if find(vm, &data.compiled, string, 0, true).is_none() {
            parts.push(Value::string(string));
        }
        return Ok(Value::object(vm.create_array(parts)));
    }
    // The specification tries every position with a sticky copy; a search gives the same positions, except that a match
    // that ends where the last part started, which is empty, does not count.
    let (mut part_start, mut from) = (0, 0);
    while from < length
        && let Some(found) = find(vm, &data.compiled, string, from, false)
        && found.range.start < length
    {
        if found.range.end == part_start {
            from = advance_string_index(vm.heap.view(string), found.range.start.max(from), is_unicode);
            continue;
        }
        parts.push(Value::string(vm.heap.substring(string, part_start, found.range.start)));
        if parts.len() == limit {
            return Ok(Value::object(vm.create_array(parts)));
        }
        for number in 1..=data.compiled.group_count() {
            parts.push(group_text(vm, string, &found, number));
            if parts.len() == limit {
                return Ok(Value::object(vm.create_array(parts)));
            }
        }
        part_start = found.range.end;
        from = part_start;
        if parts.len().is_multiple_of(POLL_MATCHES) {
            vm.poll()?;
        }
    }
    parts.push(Value::string(vm.heap.substring(string, part_start, length)));
    Ok(Value::object(vm.create_array(parts)))
}

/// `$advanceStringIndex(string, index, unicode)`: AdvanceStringIndex <https://tc39.es/ecma262/#sec-advancestringindex>
fn intrinsic_advance(vm: &mut Vm, string: Value, index: Value, is_unicode: Value) -> Completion<Value> {
    let (Some(string), Some(index)) = (string.as_string(), index.as_number()) else { return Ok(Value::UNDEFINED) };
    let view = vm.heap.flat_view(string);
    if index + 1.0 >= view.len() as f64 {
        return Ok(Value::number(index + 1.0));
    }
    Ok(Value::from(advance_string_index(view, index as usize, is_unicode == Value::TRUE)))
}

fn advance_string_index(text: StrView<'_>, index: usize, is_unicode: bool) -> usize {
    if is_unicode && index < text.len() { index + text.code_point_at(index).1 } else { index + 1 }
}

/// `$getSubstitution(matched, string, position, captures, named captures, template)`: GetSubstitution
/// <https://tc39.es/ecma262/#sec-getsubstitution>. The captures are an array of strings and undefined.
fn intrinsic_substitution(vm: &mut Vm, operands: &[Value]) -> Completion<Value> {
    let &[matched, string, position, captures, named, template] = operands else { return Ok(Value::UNDEFINED) };
    let (Some(matched), Some(string), Some(template)) = (matched.as_string(), string.as_string(), template.as_string())
    else {
        return Ok(Value::UNDEFINED);
    };
    let captures = captures.as_object().and_then(|array| vm.heap.dense_elements(array)).unwrap_or_default();
    let pieces = parse_template(vm.heap.flat_view(template), captures.len(), !named.is_undefined());
    let length = vm.heap.string_length(string);
    let start = position.as_number().unwrap_or(0.0).clamp(0.0, length as f64) as usize;
    let end = (start + vm.heap.string_length(matched)).min(length);
    let mut result = StringBuilder::new();
    for piece in &pieces {
        let text = match piece {
            TemplatePiece::Matched => Some(matched),
            TemplatePiece::Group(number) => captures.get(number - 1).and_then(|capture| capture.as_string()),
            TemplatePiece::Named(range) => {
                let name = vm.heap.substring(template, range.start, range.end);
                let key = vm.heap.key_from_string(name);
                let capture = vm.get_v(named, key)?;
                if capture.is_undefined() { None } else { Some(vm.to_string(capture)?) }
            }
            _ => None,
        };
        if let Some(text) = text {
            result.push_string(&mut vm.heap, text);
            continue;
        }
        vm.heap.flatten(string);
        vm.heap.flatten(template);
        push_piece(&mut result, piece, vm.heap.view(template), vm.heap.view(string), &(start..end), None);
    }
    finish(vm, result)
}
