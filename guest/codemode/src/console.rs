//! `console`: one line per call, in the forms of the reference, section 4.

use codemode_runtime::builtins::{NativeFunction, native};
use codemode_runtime::names::keys;
use codemode_runtime::number;
use codemode_runtime::object::{Attributes, Lookup, ObjectKind};
use codemode_runtime::value::Unpacked;
use codemode_runtime::vm::{Arguments, Completion, IntrinsicObject, Thrown, Vm};
use codemode_runtime::{Gc, Object, PropertyKey, Value};

use crate::boundary::{iso_date, push_view};
use crate::context::Context;
use crate::definitions::OutputItem;
use crate::output;
use crate::tool_objects::is_namespace;

/// Containers within containers that are shown.
const MAX_DEPTH: usize = 32;

/// Characters of one line; further values are cut off.
const MAX_LINE: usize = 1024 * 1024;

/// Shown for what has no data in it: functions, generators, tools.
const OPAQUE: &str = "[opaque reference]";

static FUNCTIONS: &[NativeFunction] = &[
    native("log", 0, log),
    native("info", 0, log),
    native("debug", 0, debug),
    native("warn", 0, warn),
    native("error", 0, error),
    native("trace", 0, debug),
    native("dir", 0, dir),
    native("table", 0, table),
    native("group", 0, log),
    native("groupEnd", 0, nothing),
    native("time", 0, nothing),
    native("timeEnd", 0, nothing),
    native("timeLog", 0, nothing),
    native("count", 0, nothing),
    native("assert", 0, assert),
];

/// Defines the global `console`.
pub(crate) fn install(vm: &mut Vm, context: Value) {
    let prototype = vm.intrinsic(IntrinsicObject::ObjectPrototype);
    let console = vm.heap.new_object(Some(prototype));
    for function in FUNCTIONS {
        let object = vm.new_native_closure(function, &[context]);
        let key = vm.heap.key_from_str(function.name);
        vm.heap.add_property(console, key, Value::object(object), Attributes::ALL);
    }
    vm.define_global("console", Value::object(console));
}

/// The text that `console.log(value)` prints.
///
/// # Errors
/// Only terminations.
pub(crate) fn format_value(vm: &mut Vm, value: Value) -> Completion<String> {
    let mut formatter = Formatter { vm, out: String::new(), containers: Vec::new() };
    formatter.write(value, true)?;
    Ok(formatter.out)
}

fn log(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    print(vm, arguments, "", 0)
}

fn debug(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    print(vm, arguments, "[debug] ", 0)
}

fn warn(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    print(vm, arguments, "[warn] ", 0)
}

fn error(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    print(vm, arguments, "[error] ", 0)
}

fn assert(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let condition = arguments.get(vm, 0);
    if vm.heap.to_boolean(condition) { Ok(Value::UNDEFINED) } else { print(vm, arguments, "[error] Assertion failed ", 1) }
}

fn nothing(_vm: &mut Vm, _arguments: &Arguments) -> Completion<Value> {
    Ok(Value::UNDEFINED)
}

fn dir(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let value = arguments.get(vm, 0);
    let line = format_value(vm, value)?;
    emit(vm, arguments, line)
}

fn print(vm: &mut Vm, arguments: &Arguments, prefix: &str, first: usize) -> Completion<Value> {
    let mut formatter = Formatter { vm, out: prefix.to_owned(), containers: Vec::new() };
    for index in first..arguments.len() {
        if index > first {
            formatter.out.push(' ');
        }
        let value = arguments.get(formatter.vm, index);
        formatter.write(value, true)?;
    }
    let line = formatter.out;
    emit(vm, arguments, line)
}

fn emit(vm: &mut Vm, arguments: &Arguments, line: String) -> Completion<Value> {
    let context = Context::of(vm, arguments)?;
    output::emit(vm, &context, OutputItem::Console(line))?;
    Ok(Value::UNDEFINED)
}

/// Rows by index or key, a column per property, tabs between.
fn table(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let data = arguments.get(vm, 0);
    let Some(object) = data.as_object().filter(|&object| !vm.heap[object].is_callable()) else {
        let line = format_value(vm, data)?;
        return emit(vm, arguments, line);
    };
    let wanted = match arguments.get(vm, 1).as_object() {
        Some(list) => Some(read_names(vm, list)?),
        None => None,
    };
    let rows = shown_members(vm, object)?;
    let mut columns: Vec<String> = wanted.clone().unwrap_or_default();
    let mut has_values = false;
    let mut cells: Vec<(String, Vec<(String, String)>, Option<String>)> = Vec::new();
    for (name, row) in rows {
        vm.root(row);
        let record = row.as_object().filter(|&row| {
            let cell = &vm.heap[row];
            matches!(cell.kind, ObjectKind::Ordinary) && !cell.is_callable()
        });
        match record {
            Some(record) => {
                let mut line = Vec::new();
                for (column, value) in shown_members(vm, record)? {
                    vm.root(value);
                    if wanted.is_none() && !columns.contains(&column) {
                        columns.push(column.clone());
                    }
                    let text = format_value(vm, value)?;
                    line.push((column, text));
                }
                cells.push((name, line, None));
            }
            None => {
                has_values = true;
                let text = format_value(vm, row)?;
                cells.push((name, Vec::new(), Some(text)));
            }
        }
    }
    let mut text = String::from("(index)");
    for column in &columns {
        text.push('\t');
        text.push_str(column);
    }
    if has_values {
        text.push_str("\tValue");
    }
    for (name, line, value) in cells {
        text.push('\n');
        text.push_str(&name);
        for column in &columns {
            text.push('\t');
            if let Some((_, cell)) = line.iter().find(|(name, _)| name == column) {
                text.push_str(cell);
            }
        }
        if has_values {
            text.push('\t');
            text.push_str(value.as_deref().unwrap_or(""));
        }
    }
    emit(vm, arguments, text)
}

fn read_names(vm: &mut Vm, list: Gc<Object>) -> Completion<Vec<String>> {
    let values = vm.heap.dense_elements(list).unwrap_or_default();
    Ok(values.into_iter().filter_map(|value| value.as_string()).map(|name| vm.heap.rust_string(name)).collect())
}

/// Own enumerable members with the values of getters; those that throw are left out.
fn shown_members(vm: &mut Vm, object: Gc<Object>) -> Completion<Vec<(String, Value)>> {
    let keys = silently(vm, |vm| vm.own_property_keys(object))?.unwrap_or_default();
    let mut members = Vec::with_capacity(keys.len());
    for key in keys.into_iter().filter(|key| key.is_string()) {
        if let Some(value) = read_shown(vm, object, key)? {
            let name = key.display(&mut vm.heap);
            members.push((name, value));
        }
    }
    Ok(members)
}

/// The value of an own enumerable property; none when there is none or reading it throws.
fn read_shown(vm: &mut Vm, object: Gc<Object>, key: PropertyKey) -> Completion<Option<Value>> {
    match vm.heap.own_lookup(object, key) {
        Lookup::Missing => Ok(None),
        Lookup::Found(found) if !found.attributes.is_enumerable() => Ok(None),
        Lookup::Found(found) if !found.is_accessor() => Ok(Some(found.value)),
        _ => silently(vm, |vm| {
            let descriptor = vm.get_own_property(object, key)?;
            if descriptor.is_some_and(|descriptor| descriptor.enumerable == Some(true)) {
                let value = vm.get(object, key)?;
                vm.root(value);
                Ok(Some(value))
            } else {
                Ok(None)
            }
        })
        .map(Option::flatten),
    }
}

/// None when the operation throws: printing never does. Terminations pass.
fn silently<T>(vm: &mut Vm, operation: impl FnOnce(&mut Vm) -> Completion<T>) -> Completion<Option<T>> {
    match operation(vm) {
        Ok(value) => Ok(Some(value)),
        Err(Thrown) if vm.termination.is_some() => Err(Thrown),
        Err(Thrown) => {
            vm.take_exception();
            Ok(None)
        }
    }
}

struct Formatter<'a> {
    vm: &'a mut Vm,
    out: String,
    containers: Vec<Gc<Object>>,
}

impl Formatter<'_> {
    fn write(&mut self, value: Value, is_top: bool) -> Completion<()> {
        match value.unpack() {
            Unpacked::Undefined if is_top => self.out.push_str("undefined"),
            Unpacked::Undefined | Unpacked::Empty | Unpacked::Null => self.out.push_str("null"),
            Unpacked::Boolean(value) => self.out.push_str(if value { "true" } else { "false" }),
            Unpacked::Number(0.0) => self.out.push('0'),
            Unpacked::Number(number) => self.out.push_str(&number::to_string(number)),
            Unpacked::String(string) => {
                if is_top {
                    let text = self.vm.heap.rust_string(string);
                    self.out.push_str(&text);
                } else {
                    push_view(&mut self.out, self.vm.heap.flat_view(string));
                }
            }
            Unpacked::BigInt(_) => {
                if let Some(text) = silently(self.vm, |vm| vm.to_string(value))? {
                    let text = self.vm.heap.rust_string(text);
                    self.out.push_str(&text);
                    self.out.push('n');
                }
            }
            Unpacked::Symbol(symbol) => {
                let text = self.vm.heap.symbol_display(symbol);
                self.out.push_str(&text);
            }
            Unpacked::Object(object) => self.write_object(object)?,
            _ => self.out.push_str(OPAQUE),
        }
        Ok(())
    }

    fn write_object(&mut self, object: Gc<Object>) -> Completion<()> {
        if self.vm.promise_data(object).is_some() {
            self.out.push_str("[Promise (await it to get its value)]");
            return Ok(());
        }
        if self.vm.heap[object].is_callable() || is_namespace(self.vm, object) {
            self.out.push_str(OPAQUE);
            return Ok(());
        }
        match &self.vm.heap[object].kind {
            ObjectKind::Date(time) => {
                let text = time.get().as_number().and_then(iso_date).unwrap_or_else(|| "Invalid Date".to_owned());
                self.out.push_str(&text);
                return Ok(());
            }
            ObjectKind::RegExp(_) => {
                let text = silently(self.vm, |vm| vm.to_string(Value::object(object)))?;
                let text = text.map(|text| self.vm.heap.rust_string(text)).unwrap_or_default();
                self.out.push_str(&text);
                return Ok(());
            }
            ObjectKind::Primitive(value) => {
                let value = value.get();
                return self.write(value, false);
            }
            ObjectKind::Error(_) => {
                let text = error_text(self.vm, object)?;
                self.out.push_str(&text);
                return Ok(());
            }
            ObjectKind::Coroutine(_)
            | ObjectKind::ArrayIterator(_)
            | ObjectKind::MapIterator(_)
            | ObjectKind::SetIterator(_)
            | ObjectKind::StringIterator(_)
            | ObjectKind::WeakMap(_)
            | ObjectKind::WeakSet(_)
            | ObjectKind::WeakRef(_)
            | ObjectKind::Host(_) => {
                self.out.push_str(OPAQUE);
                return Ok(());
            }
            _ => {}
        }
        if self.containers.contains(&object) {
            self.out.push_str("[Circular]");
            return Ok(());
        }
        if self.containers.len() >= MAX_DEPTH || self.out.len() > MAX_LINE {
            self.out.push_str("...");
            return Ok(());
        }
        self.containers.push(object);
        let saved_roots = self.vm.roots.len();
        self.vm.root(object);
        match &self.vm.heap[object].kind {
            ObjectKind::Array => {
                let length = self.vm.heap.array_length(object);
                self.write_list(length, |vm, index| {
                    let value = vm.heap.own_data(object, PropertyKey::index(index));
                    value.unwrap_or(Value::UNDEFINED)
                })?;
            }
            ObjectKind::TypedArray(array) => {
                let length = self.vm.heap.typed_array_length(array).unwrap_or(0) as u32;
                let name = class_name(self.vm, object)?;
                self.out.push_str(&format!("{name}({length}) "));
                let mut values = Vec::with_capacity(length as usize);
                for index in 0..length {
                    values.push(self.vm.get(object, PropertyKey::index(index))?);
                }
                self.write_list(length, |_, index| values[index as usize])?;
            }
            ObjectKind::Set(table) => {
                let values: Vec<Value> = table.iter().map(|(value, _)| value).collect();
                self.out.push_str(&format!("Set({}) ", values.len()));
                self.write_list(values.len() as u32, |_, index| values[index as usize])?;
            }
            ObjectKind::Map(table) => {
                let entries: Vec<(Value, Value)> = table.iter().collect();
                self.out.push_str(&format!("Map({}) [", entries.len()));
                for (index, (key, value)) in entries.into_iter().enumerate() {
                    self.out.push_str(if index > 0 { ",[" } else { "[" });
                    self.write(key, false)?;
                    self.out.push(',');
                    self.write(value, false)?;
                    self.out.push(']');
                }
                self.out.push(']');
            }
            _ => self.write_members(object)?,
        }
        self.vm.roots.truncate(saved_roots);
        self.containers.pop();
        Ok(())
    }

    fn write_list(&mut self, length: u32, element: impl Fn(&mut Vm, u32) -> Value) -> Completion<()> {
        self.out.push('[');
        for index in 0..length {
            if index > 0 {
                self.out.push(',');
            }
            if self.out.len() > MAX_LINE {
                self.out.push_str("...");
                break;
            }
            let value = element(self.vm, index);
            self.write(value, false)?;
        }
        self.out.push(']');
        Ok(())
    }

    fn write_members(&mut self, object: Gc<Object>) -> Completion<()> {
        let keys = silently(self.vm, |vm| vm.own_property_keys(object))?.unwrap_or_default();
        self.out.push('{');
        let mut is_first = true;
        for key in keys.into_iter().filter(|key| key.is_string()) {
            let Some(value) = read_shown(self.vm, object, key)? else { continue };
            if !std::mem::take(&mut is_first) {
                self.out.push(',');
            }
            let name = key.display(&mut self.vm.heap);
            crate::json::push_string(&mut self.out, &name);
            self.out.push(':');
            self.write(value, false)?;
            if self.out.len() > MAX_LINE {
                break;
            }
        }
        self.out.push('}');
        Ok(())
    }
}

/// `Name: message`, or whichever of the two there is.
///
/// # Errors
/// Only terminations.
pub(crate) fn error_text(vm: &mut Vm, error: Gc<Object>) -> Completion<String> {
    let name = text_property(vm, error, keys::NAME)?.unwrap_or_else(|| "Error".to_owned());
    let message = text_property(vm, error, keys::MESSAGE)?.unwrap_or_default();
    Ok(match (name.is_empty(), message.is_empty()) {
        (true, _) => message,
        (false, true) => name,
        (false, false) => format!("{name}: {message}"),
    })
}

/// A property as text; none when it is undefined or cannot be read.
pub(crate) fn text_property(vm: &mut Vm, object: Gc<Object>, key: PropertyKey) -> Completion<Option<String>> {
    let text = silently(vm, |vm| {
        let value = vm.get(object, key)?;
        if value.is_undefined() { Ok(None) } else { vm.to_string(value).map(Some) }
    })?;
    Ok(text.flatten().map(|text| vm.heap.rust_string(text)))
}

fn class_name(vm: &mut Vm, object: Gc<Object>) -> Completion<String> {
    let name = silently(vm, |vm| {
        let constructor = vm.get(object, keys::CONSTRUCTOR)?;
        vm.get_v(constructor, keys::NAME)
    })?;
    Ok(name.and_then(|name| name.as_string()).map(|name| vm.heap.rust_string(name)).unwrap_or_default())
}
