//! The intrinsics of self-hosted code.

use codemode_bytecode::{ErrorKind, Intrinsic};

use crate::builtins;
use crate::object::{Attributes, ObjectFlags, ObjectKind, PropertyDescriptor};
use crate::value::Value;
use crate::vm::jobs::Capability;
use crate::vm::{Completion, IntrinsicObject, Vm};

impl Vm {
    /// Calls the intrinsic with `count` arguments from stack index `first` on.
    #[inline(never)]
    pub(crate) fn call_intrinsic(&mut self, intrinsic: Intrinsic, first: usize, count: usize) -> Completion<Value> {
        let saved = self.roots.len();
        let result = self.dispatch_intrinsic(intrinsic, first, count);
        self.roots.truncate(saved);
        result
    }

    fn dispatch_intrinsic(&mut self, intrinsic: Intrinsic, first: usize, count: usize) -> Completion<Value> {
        let argument = |vm: &Vm, index: usize| if index < count { vm.stack[first + index] } else { Value::UNDEFINED };
        let a = argument(self, 0);
        let b = argument(self, 1);
        let c = argument(self, 2);
        let boolean = |value: bool| Ok(Value::boolean(value));
        match intrinsic {
            Intrinsic::IsCallable => boolean(self.heap.is_callable(a)),
            Intrinsic::IsConstructor => boolean(self.heap.is_constructor(a)),
            Intrinsic::IsObject => boolean(a.is_object()),
            Intrinsic::IsArray => Ok(Value::boolean(self.is_array(a)?)),
            Intrinsic::ToObject => self.to_object(a).map(Value::object),
            Intrinsic::ToLength => self.to_length(a).map(|n| Value::number(n as f64)),
            Intrinsic::ToIntegerOrInfinity => self.to_integer_or_infinity(a).map(Value::number),
            Intrinsic::ToNumber => self.to_number(a).map(Value::number),
            Intrinsic::ToString => self.to_string(a).map(Value::string),
            Intrinsic::ToPropertyKey => self.to_property_key_value(a),
            Intrinsic::LengthOf => {
                // OPTIMIZATION: the length of an array is at hand.
                if let Some(object) = a.as_object()
                    && self.heap[object].is_array()
                {
                    return Ok(Value::from(self.heap[object].elements.length()));
                }
                let object = self.object_argument(a)?;
                self.length_of_array_like(object).map(|n| Value::number(n as f64))
            }
            Intrinsic::HasProperty => {
                let object = self.object_argument(a)?;
                // OPTIMIZATION: a present dense element.
                if let Some(index) = b.as_array_index()
                    && self.heap[object].elements.dense_get(index).is_some()
                    && !self.heap[object].flags.intersects(ObjectFlags::EXOTIC)
                {
                    return Ok(Value::TRUE);
                }
                let key = self.to_property_key(b)?;
                Ok(Value::boolean(self.has_property(object, key)?))
            }
            Intrinsic::HasOwn => {
                let object = self.object_argument(a)?;
                let key = self.to_property_key(b)?;
                Ok(Value::boolean(self.get_own_property(object, key)?.is_some()))
            }
            Intrinsic::Get => {
                if let (Some(object), Some(index)) = (a.as_object(), b.as_array_index())
                    && let Some(value) = self.heap[object].elements.dense_get(index)
                    && !self.heap[object].flags.intersects(ObjectFlags::EXOTIC)
                {
                    return Ok(value);
                }
                let key = self.to_property_key(b)?;
                self.get_v(a, key)
            }
            Intrinsic::Set => {
                let object = self.object_argument(a)?;
                let key = self.to_property_key(b)?;
                self.set(object, key, c, true)?;
                Ok(Value::UNDEFINED)
            }
            Intrinsic::CreateDataProperty => {
                let object = self.object_argument(a)?;
                if let Some(index) = b.as_array_index() {
                    builtins::array::define_index(self, object, u64::from(index), c)?;
                    return Ok(Value::UNDEFINED);
                }
                let key = self.to_property_key(b)?;
                self.create_data_property_or_throw(object, key, c)?;
                Ok(Value::UNDEFINED)
            }
            Intrinsic::TryCreateDataProperty => {
                let object = self.object_argument(a)?;
                let key = self.to_property_key(b)?;
                Ok(Value::boolean(self.create_data_property(object, key, c)?))
            }
            Intrinsic::DeleteProperty => {
                let object = self.object_argument(a)?;
                let key = self.to_property_key(b)?;
                Ok(Value::boolean(self.delete(object, key)?))
            }
            Intrinsic::DeletePropertyOrThrow => {
                let object = self.object_argument(a)?;
                let key = self.to_property_key(b)?;
                self.delete_property_or_throw(object, key)?;
                Ok(Value::UNDEFINED)
            }
            Intrinsic::OwnKeys => {
                let object = self.object_argument(a)?;
                let keys = self.own_property_keys(object)?;
                let mut texts = Vec::with_capacity(keys.len());
                for key in keys {
                    let value = key.to_value(&mut self.heap);
                    texts.push(self.key_text(value));
                }
                Ok(Value::object(self.create_array(texts)))
            }
            Intrinsic::OwnEnumerableStringKeys => {
                let object = self.object_argument(a)?;
                let mut names = Vec::new();
                for key in self.own_property_keys(object)? {
                    if key.is_symbol() {
                        continue;
                    }
                    if let Some(descriptor) = self.get_own_property(object, key)?
                        && descriptor.enumerable == Some(true)
                    {
                        let text = key.to_value(&mut self.heap);
                        let text = self.key_text(text);
                        names.push(self.root(text));
                    }
                }
                Ok(Value::object(self.create_array(names)))
            }
            Intrinsic::IsOwnEnumerable => {
                let object = self.object_argument(a)?;
                let key = self.to_property_key(b)?;
                let descriptor = self.get_own_property(object, key)?;
                Ok(Value::boolean(descriptor.is_some_and(|d| d.enumerable == Some(true))))
            }
            Intrinsic::Push => {
                self.push_element(a, b)?;
                Ok(Value::UNDEFINED)
            }
            Intrinsic::NewArray => {
                let length = a.as_number().unwrap_or(0.0);
                self.array_create(length as u64).map(Value::object)
            }
            Intrinsic::NewObject => Ok(Value::object(self.heap.new_object(a.as_object()))),
            Intrinsic::ArraySpeciesCreate => {
                let object = self.object_argument(a)?;
                let length = b.as_number().unwrap_or(0.0);
                self.array_species_create(object, length as u64).map(Value::object)
            }
            Intrinsic::SpeciesConstructor => {
                let object = self.object_argument(a)?;
                self.species_constructor(object, b)
            }
            Intrinsic::SameValueZero => boolean(self.heap.same_value_zero(a, b)),
            Intrinsic::SameValue => boolean(self.heap.same_value(a, b)),
            Intrinsic::ClassOf => Ok(Value::from(a.as_object().map_or(0, |o| self.heap[o].kind.class_tag().0))),
            Intrinsic::Builtin => {
                let name = self.text_argument(a);
                match IntrinsicObject::from_text(&name) {
                    Some(id) => Ok(Value::object(self.intrinsic(id))),
                    None => self.internal_error(&format!("no intrinsic {name}")),
                }
            }
            Intrinsic::ThrowTypeError | Intrinsic::ThrowRangeError => {
                let mut message = self.text_argument(a);
                for index in 1..count {
                    let value = argument(self, index);
                    let text = match value.as_string() {
                        Some(string) if intrinsic == Intrinsic::ThrowRangeError => self.heap.rust_string(string),
                        _ => self.display(value),
                    };
                    message = message.replacen("{}", &text, 1);
                }
                let kind = if intrinsic == Intrinsic::ThrowTypeError { ErrorKind::Type } else { ErrorKind::Range };
                Err(self.throw_error(kind, &message))
            }
            Intrinsic::GetMethod => {
                let key = self.to_property_key(b)?;
                self.get_method(a, key)
            }
            Intrinsic::Slot => match a.as_object() {
                Some(object) => Ok(self.internal_slot(object, b.as_int().unwrap_or(0) as usize)),
                None => Ok(Value::UNDEFINED),
            },
            Intrinsic::SetSlot => {
                if let Some(object) = a.as_object() {
                    self.set_internal_slot(object, b.as_int().unwrap_or(0) as usize, c);
                }
                Ok(Value::UNDEFINED)
            }
            Intrinsic::NewInternal => {
                let tag = b.as_int().unwrap_or(0) as u32;
                let slots = vec![Value::UNDEFINED; c.as_int().unwrap_or(0).clamp(0, 64) as usize];
                Ok(Value::object(self.new_internal(a.as_object(), tag, slots)))
            }
            Intrinsic::NewTargetPrototype => {
                let name = self.text_argument(b);
                match IntrinsicObject::from_text(&name) {
                    Some(id) => self.get_prototype_from_constructor(a, id).map(Value::object),
                    None => self.internal_error(&format!("no intrinsic {name}")),
                }
            }
            Intrinsic::MapNext => {
                let position = b.as_number().unwrap_or(0.0) as u64;
                Ok(match self.table(a).and_then(|t| t.next_from(position)) {
                    Some((at, ..)) => Value::number(at as f64),
                    None => Value::int(-1),
                })
            }
            Intrinsic::MapKeyAt => {
                let position = b.as_number().unwrap_or(0.0) as u64;
                Ok(self.table(a).and_then(|t| t.at(position)).map_or(Value::UNDEFINED, |(key, _)| key))
            }
            Intrinsic::MapValueAt => {
                let position = b.as_number().unwrap_or(0.0) as u64;
                Ok(self.table(a).and_then(|t| t.at(position)).map_or(Value::UNDEFINED, |(_, value)| value))
            }
            Intrinsic::MapGet => {
                let key = self.heap.table_key(b);
                Ok(self.table(a).and_then(|t| t.get(&key)).unwrap_or(Value::UNDEFINED))
            }
            Intrinsic::MapHas => {
                let key = self.heap.table_key(b);
                boolean(self.table(a).is_some_and(|t| t.contains(&key)))
            }
            Intrinsic::MapSet => {
                let key = self.heap.table_key(b);
                if let Some(object) = a.as_object()
                    && let ObjectKind::Map(table) | ObjectKind::Set(table) = &mut self.heap[object].kind
                {
                    if table.is_full() && !table.contains(&key) {
                        return Err(self.throw_range_error("Map maximum size exceeded"));
                    }
                    let grown = table.insert(&key, c);
                    self.heap.charge(grown);
                }
                Ok(Value::UNDEFINED)
            }
            Intrinsic::MapDelete => {
                let key = self.heap.table_key(b);
                let mut removed = false;
                if let Some(object) = a.as_object()
                    && let ObjectKind::Map(table) | ObjectKind::Set(table) = &mut self.heap[object].kind
                {
                    removed = table.remove(&key);
                }
                boolean(removed)
            }
            Intrinsic::MapSize => Ok(Value::number(self.table(a).map_or(0, |t| t.len()) as f64)),
            Intrinsic::PromiseCapability => {
                let Capability { promise, mut resolve, mut reject } = self.new_promise_capability(a)?;
                self.root(promise);
                if resolve.is_undefined()
                    && let Some(object) = promise.as_object()
                {
                    (resolve, reject) = self.create_resolving_functions(object);
                }
                Ok(Value::object(self.create_array(vec![promise, resolve, reject])))
            }
            Intrinsic::PromiseResolve => self.promise_resolve(a, b).map(Value::object),
            Intrinsic::IsPromise => boolean(a.as_object().is_some_and(|o| self.promise_data(o).is_some())),
            Intrinsic::StringIndexOf => {
                let (Some(text), Some(search)) = (a.as_string(), b.as_string()) else { return Ok(Value::int(-1)) };
                let from = c.as_number().unwrap_or(0.0).max(0.0) as usize;
                self.heap.flatten(text);
                self.heap.flatten(search);
                let found = self.heap.view(text).index_of(self.heap.view(search), from);
                Ok(found.map_or(Value::int(-1), |i| Value::number(i as f64)))
            }
            Intrinsic::Substring => {
                let Some(text) = a.as_string() else { return Ok(Value::UNDEFINED) };
                let length = self.heap.string_length(text);
                let start = (b.as_number().unwrap_or(0.0).max(0.0) as usize).min(length);
                let end = (c.as_number().unwrap_or(length as f64).max(0.0) as usize).min(length).max(start);
                Ok(Value::string(self.heap.substring(text, start, end)))
            }
            Intrinsic::Concat => {
                let (Some(x), Some(y)) = (a.as_string(), b.as_string()) else { return Ok(Value::UNDEFINED) };
                self.concat(x, y)
            }
            Intrinsic::IsPristineArray => boolean(a.as_object().is_some_and(|o| self.is_pristine_array(o))),
            Intrinsic::SetFunctionName => {
                self.set_function_name_value(a, b, 0)?;
                Ok(Value::UNDEFINED)
            }
            Intrinsic::DefineProperty => {
                let object = self.object_argument(a)?;
                let key = self.to_property_key(b)?;
                let bits = c.as_int().unwrap_or(0);
                let mut attributes = Attributes::NONE;
                for (bit, attribute) in [(1, Attributes::WRITABLE), (2, Attributes::ENUMERABLE), (4, Attributes::CONFIGURABLE)] {
                    if bits & bit != 0 {
                        attributes = attributes.with(attribute, true);
                    }
                }
                let value = argument(self, 3);
                self.define_property_or_throw(object, key, &PropertyDescriptor::data(value, attributes))?;
                Ok(Value::UNDEFINED)
            }
            Intrinsic::NewError => {
                let name = self.text_argument(a);
                let message = self.text_argument(b);
                let kind = match name.as_str() {
                    "TypeError" => ErrorKind::Type,
                    "RangeError" => ErrorKind::Range,
                    "ReferenceError" => ErrorKind::Reference,
                    "SyntaxError" => ErrorKind::Syntax,
                    "AggregateError" => ErrorKind::Aggregate,
                    "SuppressedError" => ErrorKind::Suppressed,
                    _ => ErrorKind::Error,
                };
                Ok(Value::object(self.new_error(kind, &message)))
            }
            // The others belong to one builtin each.
            _ => {
                let arguments: Vec<Value> = (0..count).map(|i| argument(self, i)).collect();
                builtins::call_intrinsic(self, intrinsic, &arguments)
            }
        }
    }

    /// The object an intrinsic needs; self-hosted code has coerced it before.
    fn object_argument(&mut self, value: Value) -> Completion<crate::heap::Gc<crate::object::Object>> {
        match value.as_object() {
            Some(object) => Ok(object),
            None => {
                let object = self.to_object(value)?;
                self.root(object);
                Ok(object)
            }
        }
    }

    fn text_argument(&mut self, value: Value) -> String {
        value.as_string().map(|s| self.heap.rust_string(s)).unwrap_or_default()
    }

    /// A property key as the string or symbol that programs see.
    fn key_text(&mut self, key: Value) -> Value {
        match key.as_number() {
            Some(number) => Value::string(self.heap.number_to_string(number)),
            None => key,
        }
    }

    fn table(&self, value: Value) -> Option<&crate::object::OrderedTable> {
        match &self.heap[value.as_object()?].kind {
            ObjectKind::Map(table) | ObjectKind::Set(table) => Some(table),
            _ => None,
        }
    }
}
