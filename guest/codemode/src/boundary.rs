//! The data boundary outwards: program values become JSON text.
//!
//! The rules are those of JSON.stringify with the additions of the reference, section 5: sets are arrays, errors keep name and
//! message, promises count as their values, binary data is refused, nesting is bounded. The standard library's prototypes can be
//! patched by the program; a `toJSON` found there does not count.

use codemode_bytecode::ErrorKind;
use codemode_runtime::names::keys;
use codemode_runtime::number;
use codemode_runtime::object::{Lookup, ObjectKind};
use codemode_runtime::string::StrView;
use codemode_runtime::value::Unpacked;
use codemode_runtime::vm::{Completion, IntrinsicObject, PromiseState, Thrown, Vm};
use codemode_runtime::{Gc, Object, PropertyKey, Value};

use crate::context::Context;
use crate::failure::{self, Kind};
use crate::json::push_string;
use crate::tool_objects::is_namespace;

/// Most nested containers of a value that leaves the program.
const MAX_DEPTH: usize = 32;

/// What became of a value.
pub(crate) enum Converted {
    /// JSON text; none for undefined and what counts as undefined.
    Text(Option<String>),
    /// The value holds this pending promise: try again when it has settled.
    Pending(Gc<Object>),
}

/// Converts a value to JSON text. `label` names it in messages, for example `result`.
///
/// # Errors
/// `InvalidDataValue` errors that say where in the value the trouble is; what getters and `toJSON` methods throw; the reason of
/// a rejected promise.
pub(crate) fn to_json(vm: &mut Vm, context: &Context, value: Value, label: &str) -> Completion<Converted> {
    let saved_roots = vm.roots.len();
    let mut writer = Writer {
        vm,
        context,
        label,
        out: String::new(),
        path: Vec::new(),
        containers: Vec::new(),
        pending: None,
    };
    let written = writer.write(value);
    let (out, pending) = (writer.out, writer.pending);
    vm.roots.truncate(saved_roots);
    match (written, pending) {
        (Err(Thrown), Some(promise)) => Ok(Converted::Pending(promise)),
        (Err(Thrown), None) => Err(Thrown),
        (Ok(is_written), _) => Ok(Converted::Text(is_written.then_some(out))),
    }
}

/// As [`to_json`] where waiting is impossible.
///
/// # Errors
/// Also for pending promises, with the advice to await them.
pub(crate) fn to_json_now(vm: &mut Vm, context: &Context, value: Value, label: &str) -> Completion<Option<String>> {
    match to_json(vm, context, value, label)? {
        Converted::Text(text) => Ok(text),
        Converted::Pending(_) => {
            let message = format!("{label} contains a promise; await it first.");
            Err(failure::throw(vm, Kind::InvalidDataValue, ErrorKind::Type, &message))
        }
    }
}

/// A step into a value.
#[derive(Clone, Copy)]
enum Step {
    Key(PropertyKey),
    Index(u32),
}

struct Writer<'a> {
    vm: &'a mut Vm,
    context: &'a Context,
    label: &'a str,
    out: String,
    /// Where the value being written stands.
    path: Vec<Step>,
    /// The objects around it.
    containers: Vec<Gc<Object>>,
    /// Set with the `Thrown` of a pending promise.
    pending: Option<Gc<Object>>,
}

impl Writer<'_> {
    /// Writes a value; false when it counts as undefined and nothing was written.
    fn write(&mut self, value: Value) -> Completion<bool> {
        match value.unpack() {
            Unpacked::Undefined | Unpacked::Empty | Unpacked::Symbol(_) | Unpacked::Accessor(_) => return Ok(false),
            Unpacked::Null => self.out.push_str("null"),
            Unpacked::Boolean(true) => self.out.push_str("true"),
            Unpacked::Boolean(false) => self.out.push_str("false"),
            Unpacked::Number(number) if number.is_finite() => self.out.push_str(&number::to_string(number)),
            Unpacked::Number(_) => self.out.push_str("null"),
            Unpacked::String(string) => {
                let view = self.vm.heap.flat_view(string);
                push_view(&mut self.out, view);
            }
            Unpacked::BigInt(_) => {
                return Err(self.refuse(ErrorKind::Type, "a BigInt has no JSON form; convert it with String(value) or Number(value)"));
            }
            Unpacked::Object(object) => return self.write_object(object),
        }
        Ok(true)
    }

    fn write_object(&mut self, object: Gc<Object>) -> Completion<bool> {
        if let Some(promise) = self.vm.promise_data(object) {
            let (status, result) = (promise.status, promise.result);
            return match status {
                PromiseState::Fulfilled => self.write(result),
                PromiseState::Rejected => {
                    // The failure is observed here.
                    self.vm.perform_promise_then(object, Value::UNDEFINED, Value::UNDEFINED, None);
                    Err(self.vm.throw(result))
                }
                PromiseState::Pending => {
                    self.pending = Some(object);
                    Err(Thrown)
                }
            };
        }
        if self.vm.heap[object].is_callable() {
            return Ok(false);
        }
        self.vm.root(object);
        let to_json = self.to_json_method(object)?;
        if !to_json.is_undefined() {
            let key = self.current_key();
            let value = self.vm.call(to_json, Value::object(object), &[key])?;
            self.vm.root(value);
            return match value.as_object() {
                // A second toJSON is not called, as in JSON.stringify.
                Some(object) if self.vm.promise_data(object).is_none() && !self.vm.heap[object].is_callable() => {
                    self.write_container(object)
                }
                _ => self.write(value),
            };
        }
        self.write_container(object)
    }

    /// The value of `toJSON` when it is a function that the program itself provides.
    fn to_json_method(&mut self, object: Gc<Object>) -> Completion<Value> {
        let method = match self.vm.heap.lookup(object, keys::TO_JSON) {
            Lookup::Missing => return Ok(Value::UNDEFINED),
            Lookup::Found(found) if self.is_standard_prototype(found.holder) => return Ok(Value::UNDEFINED),
            Lookup::Found(found) if !found.is_accessor() => found.value,
            Lookup::Found(_) | Lookup::Exotic(_) => self.vm.get(object, keys::TO_JSON)?,
        };
        self.vm.root(method);
        Ok(if self.vm.heap.is_callable(method) { method } else { Value::UNDEFINED })
    }

    fn is_standard_prototype(&self, object: Gc<Object>) -> bool {
        const PROTOTYPES: [IntrinsicObject; 9] = [
            IntrinsicObject::ObjectPrototype,
            IntrinsicObject::ArrayPrototype,
            IntrinsicObject::DatePrototype,
            IntrinsicObject::ErrorPrototype,
            IntrinsicObject::MapPrototype,
            IntrinsicObject::SetPrototype,
            IntrinsicObject::StringPrototype,
            IntrinsicObject::NumberPrototype,
            IntrinsicObject::BooleanPrototype,
        ];
        PROTOTYPES.into_iter().any(|id| self.vm.intrinsic(id) == object)
    }

    fn write_container(&mut self, object: Gc<Object>) -> Completion<bool> {
        if is_namespace(self.vm, object) {
            self.out.push_str("{}");
            return Ok(true);
        }
        match &self.vm.heap[object].kind {
            ObjectKind::Date(time) => {
                let text = time.get().as_number().and_then(iso_date);
                match text {
                    Some(text) => push_string(&mut self.out, &text),
                    None => self.out.push_str("null"),
                }
                return Ok(true);
            }
            ObjectKind::Primitive(value) => {
                let value = value.get();
                if !value.is_symbol() {
                    return self.write(value);
                }
            }
            ObjectKind::TypedArray(_) | ObjectKind::ArrayBuffer(_) | ObjectKind::DataView(_) => {
                return Err(self.refuse(ErrorKind::Type, "binary data has no JSON form; encode it as text, for example with toBase64()"));
            }
            _ => {}
        }
        if self.containers.contains(&object) {
            return Err(self.refuse(ErrorKind::Type, "converting circular structure to JSON: it refers back to an object around it"));
        }
        if self.containers.len() >= MAX_DEPTH {
            let place = self.place();
            let message = format!("Value exceeds the maximum depth of {MAX_DEPTH}. ({place})");
            return Err(failure::throw(self.vm, Kind::InvalidDataValue, ErrorKind::Range, &message));
        }
        self.containers.push(object);
        let saved_roots = self.vm.roots.len();
        let is_array_proxy =
            matches!(self.vm.heap[object].kind, ObjectKind::Proxy(_)) && self.vm.is_array(Value::object(object))?;
        match &self.vm.heap[object].kind {
            ObjectKind::Array => self.write_array(object)?,
            ObjectKind::Set(table) => {
                let values: Vec<Value> = table.iter().map(|(value, _)| value).collect();
                for &value in &values {
                    self.vm.root(value);
                }
                self.write_elements(values.len() as u32, |_, index| Ok(values[index as usize]))?;
            }
            ObjectKind::Error(_) => self.write_error(object)?,
            ObjectKind::Proxy(_) if is_array_proxy => {
                let length = self.vm.length_of_array_like(object)?;
                let length = u32::try_from(length).unwrap_or(u32::MAX - 1);
                self.write_elements(length, |vm, index| vm.get(object, PropertyKey::index(index)))?;
            }
            ObjectKind::Map(_) => {
                let place = self.place();
                self.context.warn(format!(
                    "The Map at {place} became {{}}, as with JSON.stringify; use Object.fromEntries(map) to keep its entries."
                ));
                self.out.push('{');
                self.write_properties(object, true)?;
            }
            _ => {
                self.out.push('{');
                self.write_properties(object, true)?;
            }
        }
        self.vm.roots.truncate(saved_roots);
        self.containers.pop();
        Ok(true)
    }

    fn write_array(&mut self, array: Gc<Object>) -> Completion<()> {
        let length = self.vm.heap.array_length(array);
        self.write_elements(length, |vm, index| {
            if let Some(value) = vm.heap[array].elements.dense_get(index)
                && !value.is_empty()
            {
                return Ok(value);
            }
            match vm.heap.own_lookup(array, PropertyKey::index(index)) {
                Lookup::Missing => Ok(Value::NULL),
                _ => vm.get(array, PropertyKey::index(index)),
            }
        })
    }

    fn write_elements(&mut self, length: u32, element: impl Fn(&mut Vm, u32) -> Completion<Value>) -> Completion<()> {
        self.out.push('[');
        for index in 0..length {
            if index > 0 {
                self.out.push(',');
            }
            self.path.push(Step::Index(index));
            let value = element(self.vm, index)?;
            self.root_fresh(value);
            if !self.write(value)? {
                self.out.push_str("null");
            }
            self.path.pop();
            self.poll_now_and_then(index)?;
        }
        self.out.push(']');
        Ok(())
    }

    /// Name and message come first, whether own or inherited.
    fn write_error(&mut self, error: Gc<Object>) -> Completion<()> {
        self.out.push('{');
        let mut is_first = true;
        for key in [keys::NAME, keys::MESSAGE] {
            let value = self.vm.get(error, key)?;
            self.vm.root(value);
            self.write_member(key, value, &mut is_first)?;
        }
        self.write_properties(error, is_first)
    }

    /// Writes the own enumerable properties and the closing brace.
    fn write_properties(&mut self, object: Gc<Object>, mut is_first: bool) -> Completion<()> {
        let is_error = matches!(self.vm.heap[object].kind, ObjectKind::Error(_));
        let keys = if self.vm.heap.is_plain_for_copy(object) {
            self.vm.heap.own_keys(object)
        } else {
            self.vm.own_property_keys(object)?
        };
        self.vm.root_keys(&keys);
        for (index, key) in keys.into_iter().enumerate() {
            if key.is_symbol() || key == keys::PROTO || is_error && (key == keys::NAME || key == keys::MESSAGE) {
                continue;
            }
            let value = match self.vm.heap.own_lookup(object, key) {
                Lookup::Missing => continue,
                Lookup::Found(found) if !found.attributes.is_enumerable() => continue,
                Lookup::Found(found) if !found.is_accessor() => found.value,
                Lookup::Found(_) => self.vm.get(object, key)?,
                Lookup::Exotic(_) => match self.vm.get_own_property(object, key)? {
                    Some(descriptor) if descriptor.enumerable == Some(true) => self.vm.get(object, key)?,
                    _ => continue,
                },
            };
            self.root_fresh(value);
            self.write_member(key, value, &mut is_first)?;
            self.poll_now_and_then(index as u32)?;
        }
        self.out.push('}');
        Ok(())
    }

    fn write_member(&mut self, key: PropertyKey, value: Value, is_first: &mut bool) -> Completion<()> {
        let start = self.out.len();
        if !*is_first {
            self.out.push(',');
        }
        match key.as_atom() {
            Some(atom) => push_view(&mut self.out, self.vm.heap.flat_view(atom)),
            None => push_string(&mut self.out, &key.display(&mut self.vm.heap)),
        }
        self.out.push(':');
        self.path.push(Step::Key(key));
        if self.write(value)? {
            *is_first = false;
        } else {
            self.out.truncate(start);
        }
        self.path.pop();
        Ok(())
    }

    /// Values of getters are reachable from nowhere else.
    fn root_fresh(&mut self, value: Value) {
        if value.is_object() {
            self.vm.root(value);
        }
    }

    /// Large values take long: the deadline counts.
    fn poll_now_and_then(&mut self, index: u32) -> Completion<()> {
        if index & 0xFFF == 0xFFF { self.vm.poll() } else { Ok(()) }
    }

    fn current_key(&mut self) -> Value {
        match self.path.last() {
            None => self.vm.string(""),
            Some(Step::Key(key)) => key.to_value(&mut self.vm.heap),
            Some(Step::Index(index)) => PropertyKey::index(*index).to_value(&mut self.vm.heap),
        }
    }

    /// Throws an `InvalidDataValue` error that says where.
    fn refuse(&mut self, class: ErrorKind, reason: &str) -> Thrown {
        let message = format!("{} cannot leave the program: {reason}.", self.place());
        failure::throw(self.vm, Kind::InvalidDataValue, class, &message)
    }

    /// Where the value being written is, for example `result.items[3].when`.
    fn place(&mut self) -> String {
        let mut place = self.label.to_owned();
        for step in &self.path {
            match step {
                Step::Index(index) => place.push_str(&format!("[{index}]")),
                Step::Key(key) => {
                    let name = key.display(&mut self.vm.heap);
                    let is_plain = name.chars().enumerate().all(|(position, c)| {
                        c == '_' || c == '$' || c.is_alphabetic() || position > 0 && c.is_alphanumeric()
                    });
                    if is_plain && !name.is_empty() {
                        place.push('.');
                        place.push_str(&name);
                    } else {
                        place.push('[');
                        push_string(&mut place, &name);
                        place.push(']');
                    }
                }
            }
        }
        place
    }
}

/// Appends a string of the program as a JSON string. Lone surrogates, which many JSON readers refuse, become U+FFFD.
pub(crate) fn push_view(out: &mut String, view: StrView<'_>) {
    match view.as_ascii() {
        Some(text) => push_string(out, text),
        None => push_string(out, &view.to_rust_string()),
    }
}

/// Date.prototype.toISOString of a time value; none for invalid dates.
pub(crate) fn iso_date(time: f64) -> Option<String> {
    if !time.is_finite() {
        return None;
    }
    const MS_PER_DAY: f64 = 86_400_000.0;
    let days = (time / MS_PER_DAY).floor();
    let ms = (time - days * MS_PER_DAY) as u32;
    // Days to civil date, with years that begin in March.
    let days = days as i64 + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let year_text = match year {
        0..=9999 => format!("{year:04}"),
        _ if year < 0 => format!("-{:06}", -year),
        _ => format!("+{year:06}"),
    };
    let (second, ms) = (ms / 1000, ms % 1000);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    Some(format!("{year_text}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{ms:03}Z"))
}

#[cfg(test)]
mod tests {
    use super::iso_date;

    #[test]
    fn iso_dates() {
        assert_eq!(iso_date(0.0).as_deref(), Some("1970-01-01T00:00:00.000Z"));
        assert_eq!(iso_date(-1.0).as_deref(), Some("1969-12-31T23:59:59.999Z"));
        assert_eq!(iso_date(951_782_400_000.0).as_deref(), Some("2000-02-29T00:00:00.000Z"));
        assert_eq!(iso_date(8.64e15).as_deref(), Some("+275760-09-13T00:00:00.000Z"));
        assert_eq!(iso_date(-8.64e15).as_deref(), Some("-271821-04-20T00:00:00.000Z"));
        assert_eq!(iso_date(f64::NAN), None);
    }
}
