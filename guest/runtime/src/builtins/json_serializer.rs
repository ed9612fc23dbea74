//! The serializer of `JSON.stringify`: <https://tc39.es/ecma262/#sec-json.stringify>, without replacer functions.
//!
//! One loop with a stack of open objects. Plain objects are walked by their shape; program code runs only for `toJSON` methods,
//! accessors, proxies and wrapper objects.

use hashbrown::HashSet;

use crate::builtins::json::{is_raw, raw_text};
use crate::heap::Gc;
use crate::names::{self, keys};
use crate::object::{Lookup, Object, ObjectFlags, Shape};
use crate::property_key::PropertyKey;
use crate::string::{MAX_STRING_LENGTH, StrView, StringBuilder};
use crate::value::{Unpacked, Value};
use crate::vm::{Completion, Thrown, Vm};

/// Values between two looks at limits and clock.
const POLL_INTERVAL: u32 = 8192;

/// Open objects up to this number are searched one by one for cycles.
const LINEAR_DEPTH: usize = 24;

const SHAPE_CACHE: usize = 8;

/// The text so far: Latin-1 in a plain vector, which moves into the builder when wide text comes.
#[derive(Debug, Default)]
pub(super) struct Output {
    narrow: Vec<u8>,
    builder: StringBuilder,
}

impl Output {
    #[inline]
    fn push_byte(&mut self, byte: u8) {
        self.narrow.push(byte);
    }

    #[inline]
    fn push_bytes(&mut self, bytes: &[u8]) {
        self.narrow.extend_from_slice(bytes);
    }

    fn push_view(&mut self, view: StrView<'_>) {
        match view {
            StrView::Latin1(units) => self.push_bytes(units),
            StrView::Utf16(units) => {
                self.flush();
                self.builder.push_utf16(units);
            }
        }
    }

    /// QuoteJSONString ( value ) <https://tc39.es/ecma262/#sec-quotejsonstring>
    #[inline]
    pub(super) fn push_quoted(&mut self, view: StrView<'_>) {
        self.push_byte(b'"');
        match view {
            StrView::Latin1(units) => {
                let mut rest = units;
                while let Some(plain) = rest.iter().position(|&unit| ESCAPES[usize::from(unit)] != 0) {
                    self.push_bytes(&rest[..plain]);
                    self.push_escape(u16::from(rest[plain]));
                    rest = &rest[plain + 1..];
                }
                self.push_bytes(rest);
            }
            StrView::Utf16(units) => self.push_quoted_wide(units),
        }
        self.push_byte(b'"');
    }

    fn push_quoted_wide(&mut self, units: &[u16]) {
        self.flush();
        let mut start = 0;
        let mut at = 0;
        while let Some(&unit) = units.get(at) {
            let is_pair = (0xD800..0xDC00).contains(&unit)
                && units.get(at + 1).is_some_and(|next| (0xDC00..0xE000).contains(next));
            if is_pair {
                at += 2;
                continue;
            }
            let is_lone = (0xD800..0xE000).contains(&unit);
            if is_lone || u8::try_from(unit).is_ok_and(|unit| ESCAPES[usize::from(unit)] != 0) {
                self.flush();
                self.builder.push_utf16(&units[start..at]);
                self.push_escape(unit);
                start = at + 1;
            }
            at += 1;
        }
        self.flush();
        self.builder.push_utf16(&units[start..]);
    }

    #[cold]
    fn push_escape(&mut self, unit: u16) {
        let letter = u8::try_from(unit).map_or(b'u', |unit| ESCAPES[usize::from(unit)]);
        if letter == b'u' {
            self.push_bytes(format!("\\u{unit:04x}").as_bytes());
        } else {
            self.push_bytes(&[b'\\', letter]);
        }
    }

    #[inline]
    fn push_integer(&mut self, integer: i32) {
        let mut digits = [0; 10];
        let mut start = digits.len();
        let mut rest = integer.unsigned_abs();
        loop {
            start -= 1;
            digits[start] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        if integer < 0 {
            self.push_byte(b'-');
        }
        self.push_bytes(&digits[start..]);
    }

    fn flush(&mut self) {
        if !self.narrow.is_empty() {
            self.builder.push_latin1(&self.narrow);
            self.narrow.clear();
        }
    }

    fn len(&self) -> usize {
        self.narrow.len() + self.builder.len()
    }

    /// The text as a string value.
    pub(super) fn finish(mut self, vm: &mut Vm) -> Completion<Value> {
        if self.len() > MAX_STRING_LENGTH as usize || self.builder.is_too_long() {
            return Err(vm.throw_range_error("Invalid string length"));
        }
        if self.builder.is_empty() {
            return Ok(Value::string(vm.heap.new_string_latin1_vec(self.narrow)));
        }
        self.flush();
        match self.builder.finish(&mut vm.heap) {
            Ok(text) => Ok(Value::string(text)),
            Err(_) => Err(vm.throw_range_error("Invalid string length")),
        }
    }
}

/// The letter after the backslash of units that are escaped, `u` for a Unicode escape, 0 for units that stand for themselves.
static ESCAPES: [u8; 256] = {
    let mut table = [0; 256];
    let mut unit = 0;
    while unit < 0x20 {
        table[unit] = b'u';
        unit += 1;
    }
    table[0x08] = b'b';
    table[0x09] = b't';
    table[0x0A] = b'n';
    table[0x0C] = b'f';
    table[0x0D] = b'r';
    table[0x22] = b'"';
    table[0x5C] = b'\\';
    table
};

/// An object whose members are being written.
struct Frame {
    object: Gc<Object>,
    members: Members,
    /// The next member.
    index: u64,
    /// Number of members.
    count: u64,
    /// Nothing has been written between the brackets yet.
    is_empty: bool,
    /// The key of the member that is being written, for messages about cycles.
    key: PropertyKey,
    /// Number of temporary roots before this object.
    roots: usize,
}

/// Which members an object has.
enum Members {
    /// Those of an array.
    Elements,
    /// All enumerable string keys of the shape that the object had at first.
    Shape(Gc<Shape>),
    /// These keys.
    Keys(Vec<PropertyKey>),
    /// Those that the replacer array selects.
    Selected,
}

/// The state of one `JSON.stringify`.
pub(super) struct Serializer {
    output: Output,
    gap: StringBuilder,
    selected: Option<Vec<PropertyKey>>,
    stack: Vec<Frame>,
    /// The objects of the stack, once it is deep.
    open: HashSet<Gc<Object>, rustc_hash::FxBuildHasher>,
    /// Shapes whose objects have no `toJSON`, while the prototypes do not change (their epoch stands beside).
    no_to_json: [Option<(Gc<Shape>, u32)>; SHAPE_CACHE],
    countdown: u32,
}

impl Serializer {
    /// A serializer with this indentation and these keys, all when absent.
    pub(super) fn new(gap: StringBuilder, selected: Option<Vec<PropertyKey>>) -> Serializer {
        Serializer {
            output: Output::default(),
            gap,
            selected,
            stack: Vec::new(),
            open: HashSet::default(),
            no_to_json: [None; SHAPE_CACHE],
            countdown: POLL_INTERVAL,
        }
    }

    /// The JSON text of the value, undefined when it has none.
    pub(super) fn run(mut self, vm: &mut Vm, value: Value) -> Completion<Value> {
        let saved = vm.roots.len();
        vm.root(value);
        let value = self.prepare(vm, PropertyKey::name(names::EMPTY), value)?;
        if value.is_undefined() {
            return Ok(Value::UNDEFINED);
        }
        self.write(vm, value)?;
        while let Some(frame) = self.stack.last() {
            if frame.index >= frame.count {
                self.leave(vm);
                continue;
            }
            self.member(vm)?;
        }
        vm.roots.truncate(saved);
        self.output.finish(vm)
    }

    /// Writes the next member of the innermost object.
    #[inline]
    fn member(&mut self, vm: &mut Vm) -> Completion<()> {
        let Some(frame) = self.stack.last_mut() else { return Ok(()) };
        let (object, index) = (frame.object, frame.index);
        frame.index += 1;
        if matches!(frame.members, Members::Elements) {
            frame.key = u32::try_from(index).ok().and_then(PropertyKey::from_index).unwrap_or(frame.key);
            let key = frame.key;
            let cell = &vm.heap[object];
            let dense = u32::try_from(index).ok().and_then(|index| cell.elements.dense_get(index));
            let value = match dense {
                Some(value) if cell.is_array() => value,
                _ => vm.get_index(object, index)?,
            };
            let value = self.prepare(vm, key, value)?;
            self.separate();
            if value.is_undefined() {
                self.output.push_bytes(b"null");
                return Ok(());
            }
            return self.write(vm, value);
        }
        let key = match &frame.members {
            Members::Shape(shape) => match vm.heap.shape_entries(*shape).get(index as usize) {
                Some(entry) if entry.attributes.is_enumerable() => entry.key.filter(|key| key.is_string()),
                _ => None,
            },
            Members::Keys(list) => list.get(index as usize).copied(),
            Members::Selected => self.selected.as_ref().and_then(|list| list.get(index as usize).copied()),
            Members::Elements => None,
        };
        let Some(key) = key else { return Ok(()) };
        frame.key = key;
        let value = match frame.members {
            // OPTIMIZATION: while the object keeps its shape, the value of a data property is in the key's slot.
            Members::Shape(shape) if vm.heap[object].shape() == shape => {
                let value = vm.heap[object].slot(index as u32);
                if value.is_accessor() { vm.get(object, key)? } else { value }
            }
            _ => vm.get(object, key)?,
        };
        let value = self.prepare(vm, key, value)?;
        if value.is_undefined() {
            return Ok(());
        }
        self.separate();
        match key.as_atom() {
            Some(atom) => self.output.push_quoted(vm.heap.view(atom)),
            None => {
                let text = key.display(&mut vm.heap);
                self.output.push_byte(b'"');
                self.output.push_bytes(text.as_bytes());
                self.output.push_byte(b'"');
            }
        }
        self.output.push_byte(b':');
        if !self.gap.is_empty() {
            self.output.push_byte(b' ');
        }
        self.write(vm, value)
    }

    /// Steps 2 to 4 of SerializeJSONProperty: `toJSON`, and what wrapper objects wrap. Undefined for what has no JSON.
    #[inline]
    fn prepare(&mut self, vm: &mut Vm, key: PropertyKey, value: Value) -> Completion<Value> {
        if value.is_number() || value.is_string() {
            return Ok(value);
        }
        let Some(object) = value.as_object() else {
            if value.is_bigint() {
                let method = vm.get_v(value, keys::TO_JSON)?;
                return self.call_to_json(vm, method, key, value);
            }
            return Ok(if value.is_symbol() || value.is_empty() { Value::UNDEFINED } else { value });
        };
        let shape = vm.heap[object].shape();
        let place = shape.index() as usize % SHAPE_CACHE;
        if self.no_to_json[place] == Some((shape, vm.heap.prototype_epoch)) {
            return unwrap(vm, value);
        }
        match vm.heap.lookup(object, keys::TO_JSON) {
            Lookup::Missing => {
                if !vm.heap[shape].is_dictionary() {
                    self.no_to_json[place] = Some((shape, vm.heap.prototype_epoch));
                }
                unwrap(vm, value)
            }
            _ => {
                vm.root(value);
                let method = vm.get(object, keys::TO_JSON)?;
                self.call_to_json(vm, method, key, value)
            }
        }
    }

    fn call_to_json(&mut self, vm: &mut Vm, method: Value, key: PropertyKey, value: Value) -> Completion<Value> {
        if !vm.heap.is_callable(method) {
            return unwrap(vm, value);
        }
        let key = key.to_value(&mut vm.heap);
        let result = vm.call(method, value, &[key])?;
        vm.root(result);
        unwrap(vm, result)
    }

    /// Writes a prepared value, or opens it when it is an object.
    #[inline]
    fn write(&mut self, vm: &mut Vm, value: Value) -> Completion<()> {
        self.countdown -= 1;
        if self.countdown == 0 {
            self.countdown = POLL_INTERVAL;
            vm.poll()?;
            if self.output.len() > MAX_STRING_LENGTH as usize {
                return Err(vm.throw_range_error("Invalid string length"));
            }
        }
        match value.as_object() {
            Some(object) => self.enter(vm, object),
            None => write_primitive(vm, &mut self.output, value),
        }
    }

    fn enter(&mut self, vm: &mut Vm, object: Gc<Object>) -> Completion<()> {
        if is_raw(vm, object) {
            if let Some(text) = raw_text(vm, object) {
                vm.heap.flatten(text);
                self.output.push_view(vm.heap.view(text));
            }
            return Ok(());
        }
        if self.is_open(object) {
            return Err(self.throw_circular(vm, object));
        }
        let roots = vm.roots.len();
        let (members, count) = if vm.heap[object].is_array() {
            (Members::Elements, u64::from(vm.heap.array_length(object)))
        } else if vm.is_array(Value::object(object))? {
            (Members::Elements, vm.length_of_array_like(object)?)
        } else if let Some(selected) = &self.selected {
            (Members::Selected, selected.len() as u64)
        } else {
            own_members(vm, object)?
        };
        self.output.push_byte(if matches!(members, Members::Elements) { b'[' } else { b'{' });
        let key = PropertyKey::name(names::EMPTY);
        self.stack.push(Frame { object, members, index: 0, count, is_empty: true, key, roots });
        if self.stack.len() > LINEAR_DEPTH {
            if self.open.is_empty() {
                self.open.extend(self.stack.iter().map(|frame| frame.object));
            } else {
                self.open.insert(object);
            }
        }
        Ok(())
    }

    fn is_open(&self, object: Gc<Object>) -> bool {
        if self.stack.len() > LINEAR_DEPTH {
            self.open.contains(&object)
        } else {
            self.stack.iter().any(|frame| frame.object == object)
        }
    }

    /// Closes the innermost object.
    fn leave(&mut self, vm: &mut Vm) {
        let Some(frame) = self.stack.pop() else { return };
        if self.stack.len() == LINEAR_DEPTH {
            self.open.clear();
        } else if self.stack.len() > LINEAR_DEPTH {
            self.open.remove(&frame.object);
        }
        if !frame.is_empty {
            self.new_line();
        }
        self.output.push_byte(if matches!(frame.members, Members::Elements) { b']' } else { b'}' });
        vm.roots.truncate(frame.roots);
    }

    /// What stands before a member.
    #[inline]
    fn separate(&mut self) {
        let Some(frame) = self.stack.last_mut() else { return };
        if frame.is_empty {
            frame.is_empty = false;
        } else {
            self.output.push_byte(b',');
        }
        self.new_line();
    }

    #[inline]
    fn new_line(&mut self) {
        if self.gap.is_empty() {
            return;
        }
        self.output.push_byte(b'\n');
        for _ in 0..self.stack.len() {
            self.output.push_view(self.gap.as_view());
        }
    }

    #[cold]
    fn throw_circular(&self, vm: &mut Vm, object: Gc<Object>) -> Thrown {
        let start = self.stack.iter().position(|frame| frame.object == object).unwrap_or(0);
        let objects: Vec<Gc<Object>> = self.stack[start..].iter().map(|frame| frame.object).collect();
        let keys: Vec<PropertyKey> = self.stack[start..].iter().map(|frame| frame.key).collect();
        throw_circular(vm, &objects, &keys)
    }
}

/// The members of an object that is no array: EnumerableOwnProperties ( O, key ).
fn own_members(vm: &mut Vm, object: Gc<Object>) -> Completion<(Members, u64)> {
    let cell = &vm.heap[object];
    let shape = cell.shape();
    let is_plain = !cell.flags.intersects(ObjectFlags::EXOTIC.union(ObjectFlags::LAZY));
    if is_plain && cell.elements.has_none() && !vm.heap[shape].is_dictionary() {
        return Ok((Members::Shape(shape), u64::from(vm.heap[shape].slot_count())));
    }
    let mut list = if is_plain { vm.heap.own_keys(object) } else { vm.own_property_keys(object)? };
    list.retain(|key| key.is_string());
    vm.root_keys(&list);
    let mut enumerable = Vec::with_capacity(list.len());
    for key in list {
        let is_enumerable = match vm.heap.own_lookup(object, key) {
            Lookup::Found(found) => found.attributes.is_enumerable(),
            Lookup::Missing => false,
            Lookup::Exotic(_) => {
                vm.get_own_property(object, key)?.is_some_and(|descriptor| descriptor.enumerable == Some(true))
            }
        };
        if is_enumerable {
            enumerable.push(key);
        }
    }
    let count = enumerable.len() as u64;
    Ok((Members::Keys(enumerable), count))
}

/// Step 4 of SerializeJSONProperty: the primitive value that a wrapper object stands for; undefined for what has no JSON.
fn unwrap(vm: &mut Vm, value: Value) -> Completion<Value> {
    let Some(object) = value.as_object() else {
        return Ok(if value.is_symbol() { Value::UNDEFINED } else { value });
    };
    let cell = &vm.heap[object];
    if cell.is_callable() {
        return Ok(Value::UNDEFINED);
    }
    match cell.kind.as_primitive() {
        Some(wrapped) if wrapped.is_number() => vm.to_number(value).map(Value::number),
        Some(wrapped) if wrapped.is_string() => vm.to_string(value).map(Value::string),
        Some(wrapped) if wrapped.is_boolean() || wrapped.is_bigint() => Ok(wrapped),
        _ => Ok(value),
    }
}

#[inline]
fn write_primitive(vm: &mut Vm, output: &mut Output, value: Value) -> Completion<()> {
    if let Some(integer) = value.as_int() {
        output.push_integer(integer);
        return Ok(());
    }
    if let Some(string) = value.as_string() {
        vm.heap.flatten(string);
        output.push_quoted(vm.heap.view(string));
        return Ok(());
    }
    match value.unpack() {
        Unpacked::Number(number) if number.is_finite() => {
            output.push_bytes(crate::number::to_string(number).as_bytes());
        }
        Unpacked::Boolean(true) => output.push_bytes(b"true"),
        Unpacked::Boolean(false) => output.push_bytes(b"false"),
        Unpacked::BigInt(_) => return Err(vm.throw_type_error("Do not know how to serialize a BigInt")),
        _ => output.push_bytes(b"null"),
    }
    Ok(())
}

/// The JSON text of a primitive, a wrapper object or what `JSON.rawJSON` made; undefined for everything else.
pub(super) fn primitive_text(vm: &mut Vm, value: Value) -> Completion<Value> {
    if let Some(object) = value.as_object()
        && is_raw(vm, object)
    {
        return Ok(raw_text(vm, object).map_or(Value::UNDEFINED, Value::string));
    }
    let value = unwrap(vm, value)?;
    if value.is_object() || value.is_undefined() {
        return Ok(Value::UNDEFINED);
    }
    let mut output = Output::default();
    write_primitive(vm, &mut output, value)?;
    output.finish(vm)
}

/// The TypeError for a cycle that json.js found: `stack` holds objects and the keys that lead to them in turn, `start` is the place of
/// the object that the cycle begins with, `last` the key that closes it.
pub(super) fn throw_circular_of_stack(vm: &mut Vm, stack: Value, start: Value, last: Value) -> Completion<Value> {
    let items = stack.as_object().and_then(|array| vm.heap.dense_elements(array)).unwrap_or_default();
    let start = start.as_number().unwrap_or(0.0) as usize;
    let (mut objects, mut path) = (Vec::new(), Vec::new());
    for (position, item) in items.into_iter().enumerate().skip(start) {
        if let Some(object) = item.as_object() {
            objects.push(object);
        } else if let Some(key) = item.as_string()
            && position > start + 1
        {
            path.push(vm.heap.key_from_string(key));
        }
    }
    if let Some(key) = last.as_string() {
        path.push(vm.heap.key_from_string(key));
    }
    Err(throw_circular(vm, &objects, &path))
}

/// TypeError for a cycle of these objects: each of `path` leads from the object in the same place to the next one, the last back to
/// the first.
#[cold]
fn throw_circular(vm: &mut Vm, objects: &[Gc<Object>], path: &[PropertyKey]) -> Thrown {
    /// Objects that are named after the first one, and before the end.
    const SHOWN: (usize, usize) = (2, 1);
    let mut text = String::from("Converting circular structure to JSON\n    --> starting at object with constructor ");
    if let Some(&first) = objects.first() {
        text.push_str(&constructor_name(vm, first));
    }
    let hidden =
        (1 + SHOWN.0).min(objects.len())..objects.len().saturating_sub(SHOWN.1).max((1 + SHOWN.0).min(objects.len()));
    for (place, &object) in objects.iter().enumerate().skip(1) {
        if hidden.contains(&place) {
            if place == hidden.start {
                text.push_str("\n    |     ...");
            }
            continue;
        }
        let (key, name) = (describe_key(vm, path.get(place - 1)), constructor_name(vm, object));
        text.push_str(&format!("\n    |     {key} -> object with constructor {name}"));
    }
    let key = describe_key(vm, path.last());
    text.push_str(&format!("\n    --- {key} closes the circle"));
    vm.throw_type_error(text)
}

fn describe_key(vm: &mut Vm, key: Option<&PropertyKey>) -> String {
    match key {
        Some(key) if key.is_index() => format!("index {}", key.display(&mut vm.heap)),
        Some(key) => format!("property '{}'", key.display(&mut vm.heap)),
        None => String::new(),
    }
}

fn constructor_name(vm: &mut Vm, object: Gc<Object>) -> String {
    let text = vm.display(Value::object(object));
    let text = text.trim_start_matches("[object ").trim_start_matches("#<").trim_end_matches(['>', ']']);
    format!("'{text}'")
}
