//! Property access from bytecode: inline caches and their slow paths.
//!
//! A getter or setter that is JavaScript gets a frame above the running one instead of nesting on the native stack.

use crate::heap::Gc;
use crate::object::Lookup;
use crate::object::{Object, ObjectFlags, ObjectKind, Shape};
use crate::property_key::PropertyKey;
use crate::value::Value;
use crate::vm::calls::Called;
use crate::vm::{Code, Completion, InlineCache, OnReturn, Thrown, Vm};

/// Entries of the lookup cache; a power of two.
const LOOKUP_ENTRIES: usize = 512;

/// Remembers lookups of megamorphic sites: (receiver shape, key) to place. Emptied by collections and layout changes of prototypes.
pub(crate) struct LookupCache {
    entries: Vec<Option<LookupEntry>>,
}

#[derive(Clone, Copy)]
struct LookupEntry {
    shape: Gc<Shape>,
    key: PropertyKey,
    holder: Option<Gc<Object>>,
    slot: u32,
    epoch: u32,
}

impl LookupCache {
    pub(crate) fn new() -> LookupCache {
        LookupCache { entries: Vec::new() }
    }

    fn index(shape: Gc<Shape>, key: PropertyKey) -> usize {
        let hash = shape.index().wrapping_mul(0x9E37_79B1) ^ key.hash_bits().wrapping_mul(0x85EB_CA77);
        (hash >> 16) as usize % LOOKUP_ENTRIES
    }

    #[inline]
    fn find(&self, shape: Gc<Shape>, key: PropertyKey, epoch: u32) -> Option<(Option<Gc<Object>>, u32)> {
        let entry = (*self.entries.get(Self::index(shape, key))?)?;
        (entry.shape == shape && entry.key == key && (entry.holder.is_none() || entry.epoch == epoch)).then_some((entry.holder, entry.slot))
    }

    fn insert(&mut self, entry: LookupEntry) {
        if self.entries.is_empty() {
            self.entries.resize(LOOKUP_ENTRIES, None);
        }
        let index = Self::index(entry.shape, entry.key);
        self.entries[index] = Some(entry);
    }

    pub(crate) fn clear(&mut self) {
        self.entries.fill(None);
    }
}

impl Vm {
    /// `GetProp` past its inline cache.
    #[inline(never)]
    pub(crate) fn get_property(&mut self, code: &Code, site: u32, value: Value, register: u8) -> Completion<Called> {
        let key = code.site_keys[site as usize];
        let Some(object) = value.as_object() else { return self.get_property_of_primitive(value, key, register) };
        let shape = self.heap[object].shape();
        if let Some((holder, slot)) = self.lookup_cache.find(shape, key, self.heap.prototype_epoch) {
            let found = self.heap[holder.unwrap_or(object)].slot(slot);
            self.fill_cache(code, site, shape, holder, slot);
            return Ok(Called::Value(found));
        }
        match self.heap.lookup(object, key) {
            Lookup::Found(found) => {
                if found.is_accessor() {
                    let getter = self.heap.getter_of(found.value);
                    return self.call_getter(getter, value, register);
                }
                if let Some(slot) = found.slot()
                    && !self.heap[shape].is_dictionary()
                {
                    let holder = (found.holder != object).then_some(found.holder);
                    if holder.is_none() || self.heap[found.holder].flags.intersects(ObjectFlags::IS_PROTOTYPE) {
                        let epoch = self.heap.prototype_epoch;
                        self.fill_cache(code, site, shape, holder, slot);
                        self.lookup_cache.insert(LookupEntry { shape, key, holder, slot, epoch });
                    }
                }
                Ok(Called::Value(found.value))
            }
            Lookup::Missing => Ok(Called::Value(Value::UNDEFINED)),
            Lookup::Exotic(_) => self.get_with_receiver(object, key, value).map(Called::Value),
        }
    }

    fn fill_cache(&mut self, code: &Code, site: u32, shape: Gc<Shape>, holder: Option<Gc<Object>>, slot: u32) {
        self.heap.note_cached(shape);
        code.caches[site as usize].set(InlineCache {
            shape: Some(shape),
            holder,
            slot,
            epoch: self.heap.prototype_epoch,
            new_shape: None,
        });
    }

    /// GetValue of a property reference whose base is a primitive.
    fn get_property_of_primitive(&mut self, value: Value, key: PropertyKey, register: u8) -> Completion<Called> {
        if value.is_nullish() {
            let name = self.heap.key_display(key);
            let base = if value.is_null() { "null" } else { "undefined" };
            return Err(self.throw_type_error(format!("Cannot read properties of {base} (reading '{name}')")));
        }
        if let Some(string) = value.as_string()
            && let Some(found) = self.heap.string_own_property(string, key)
        {
            return Ok(Called::Value(found));
        }
        let prototype = self.prototype_for_primitive(value);
        match self.heap.lookup(prototype, key) {
            Lookup::Found(found) if found.is_accessor() => {
                let getter = self.heap.getter_of(found.value);
                self.call_getter(getter, value, register)
            }
            Lookup::Found(found) => Ok(Called::Value(found.value)),
            Lookup::Missing => Ok(Called::Value(Value::UNDEFINED)),
            Lookup::Exotic(_) => self.get_with_receiver(prototype, key, value).map(Called::Value),
        }
    }

    fn call_getter(&mut self, getter: Value, receiver: Value, register: u8) -> Completion<Called> {
        if getter.is_undefined() {
            return Ok(Called::Value(Value::UNDEFINED));
        }
        self.call_pushing(getter, receiver, &[], OnReturn::Register(register))
    }

    /// `SetProp` past its inline cache.
    #[inline(never)]
    pub(crate) fn set_property(&mut self, code: &Code, site: u32, target: Value, value: Value) -> Completion<Called> {
        let key = code.site_keys[site as usize];
        let Some(object) = target.as_object() else {
            return self.set_on_primitive(target, key, value, code.is_strict);
        };
        let shape = self.heap[object].shape();
        match self.heap.lookup(object, key) {
            Lookup::Found(found) if found.is_accessor() => {
                let setter = self.heap.setter_of(found.value);
                if !setter.is_undefined() {
                    return self.call_pushing(setter, target, &[value], OnReturn::Discard);
                }
            }
            Lookup::Found(found) if found.holder == object && found.attributes.is_writable() => {
                if let Some(slot) = found.slot() {
                    self.heap[object].set_slot(slot, value);
                    if !self.heap[shape].is_dictionary() {
                        self.fill_cache(code, site, shape, None, slot);
                    }
                    return Ok(Called::Value(Value::UNDEFINED));
                }
            }
            Lookup::Missing
                if !self.heap[object].flags.intersects(ObjectFlags::IS_PROTOTYPE.union(ObjectFlags::EXOTIC).union(ObjectFlags::LAZY))
                    && self.heap[object].is_extensible() =>
            {
                self.heap.add_property(object, key, value, crate::object::Attributes::ALL);
                let new_shape = self.heap[object].shape();
                if !self.heap[new_shape].is_dictionary()
                    && let Some((slot, _)) = self.heap.shape_find(new_shape, key)
                {
                    self.heap.note_cached(shape);
                    self.heap.note_cached(new_shape);
                    code.caches[site as usize].set(InlineCache {
                        shape: Some(shape),
                        holder: None,
                        slot,
                        epoch: self.heap.prototype_epoch,
                        new_shape: Some(new_shape),
                    });
                }
                return Ok(Called::Value(Value::UNDEFINED));
            }
            _ => {}
        }
        self.set(object, key, value, code.is_strict).map(|_| Called::Value(Value::UNDEFINED))
    }

    /// PutValue on a primitive base: setters and proxies on the prototype chain run; everything else fails.
    fn set_on_primitive(&mut self, target: Value, key: PropertyKey, value: Value, is_strict: bool) -> Completion<Called> {
        if target.is_nullish() {
            let name = self.heap.key_display(key);
            let base = if target.is_null() { "null" } else { "undefined" };
            return Err(self.throw_type_error(format!("Cannot set properties of {base} (setting '{name}')")));
        }
        let is_own = target.as_string().is_some_and(|string| self.heap.string_own_property(string, key).is_some());
        let prototype = self.prototype_for_primitive(target);
        let done = !is_own && self.set_with_receiver(prototype, key, value, target)?;
        if !done && is_strict {
            let name = self.heap.key_display(key);
            let text = self.display(target);
            if is_own {
                return Err(self.throw_type_error(format!("Cannot assign to read only property '{name}' of string '{text}'")));
            }
            return Err(self.throw_type_error(format!("Cannot create property '{name}' on {} '{text}'", type_name(target))));
        }
        Ok(Called::Value(Value::UNDEFINED))
    }

    /// `GetElem` past the dense fast path.
    #[inline(never)]
    pub(crate) fn get_element(&mut self, target: Value, key: Value, register: u8) -> Completion<Called> {
        if let Some(index) = key.as_array_index() {
            if let Some(object) = target.as_object() {
                if let Some(value) = self.heap[object].elements.dense_get(index)
                    && !self.heap[object].flags.intersects(ObjectFlags::EXOTIC)
                {
                    return Ok(Called::Value(value));
                }
                if let Some(value) = self.heap.typed_array_get(object, index) {
                    return Ok(Called::Value(value));
                }
            } else if let Some(string) = target.as_string()
                && let Some(unit) = self.heap.code_unit_at(string, index as usize)
            {
                return Ok(Called::Value(Value::string(self.heap.single_char(unit))));
            }
        }
        if target.is_nullish() {
            let name = self.display_key(key);
            let base = if target.is_null() { "null" } else { "undefined" };
            return Err(self.throw_type_error(format!("Cannot read properties of {base} (reading '{name}')")));
        }
        let saved = self.roots.len();
        self.root(target);
        let key = self.to_property_key(key);
        self.roots.truncate(saved);
        let key = key?;
        let Some(object) = target.as_object() else { return self.get_property_of_primitive(target, key, register) };
        match self.heap.lookup(object, key) {
            Lookup::Found(found) if found.is_accessor() => {
                let getter = self.heap.getter_of(found.value);
                self.call_getter(getter, target, register)
            }
            Lookup::Found(found) => Ok(Called::Value(found.value)),
            Lookup::Missing => Ok(Called::Value(Value::UNDEFINED)),
            Lookup::Exotic(_) => self.get_with_receiver(object, key, target).map(Called::Value),
        }
    }

    /// `SetElem` past the dense fast path.
    #[inline(never)]
    pub(crate) fn set_element(&mut self, target: Value, key: Value, value: Value, is_strict: bool) -> Completion<Called> {
        if let (Some(object), Some(index)) = (target.as_object(), key.as_array_index()) {
            // OPTIMIZATION: appending to a dense array whose prototypes have no elements.
            if self.can_append_element(object, index) {
                return match self.heap.array_push(object, value) {
                    Ok(_) => Ok(Called::Value(Value::UNDEFINED)),
                    Err(_) => Err(self.throw_range_error("Invalid array length")),
                };
            }
            if self.heap.typed_array_set(object, index, value) {
                return Ok(Called::Value(Value::UNDEFINED));
            }
        }
        if target.is_nullish() {
            let name = self.display_key(key);
            let base = if target.is_null() { "null" } else { "undefined" };
            return Err(self.throw_type_error(format!("Cannot set properties of {base} (setting '{name}')")));
        }
        let saved = self.roots.len();
        self.root(target);
        self.root(value);
        let key = self.to_property_key(key);
        self.roots.truncate(saved);
        let key = key?;
        let Some(object) = target.as_object() else { return self.set_on_primitive(target, key, value, is_strict) };
        if let Lookup::Found(found) = self.heap.lookup(object, key)
            && found.is_accessor()
        {
            let setter = self.heap.setter_of(found.value);
            if !setter.is_undefined() {
                return self.call_pushing(setter, target, &[value], OnReturn::Discard);
            }
        }
        self.set(object, key, value, is_strict).map(|_| Called::Value(Value::UNDEFINED))
    }

    /// Whether storing at `index` of this object is an append that nothing can observe.
    fn can_append_element(&self, object: Gc<Object>, index: u32) -> bool {
        let cell = &self.heap[object];
        matches!(cell.kind, ObjectKind::Array)
            && cell.has_writable_elements()
            && cell.is_extensible()
            && !cell.flags.intersects(ObjectFlags::LENGTH_READ_ONLY)
            && cell.elements.dense().is_some_and(|e| e.len() as u32 == index)
            && self.heap.prototypes_have_no_elements(object)
    }

    /// `super[key]`
    pub(crate) fn get_super(&mut self, holder: Value, key: Value, receiver: Value, register: u8) -> Completion<Called> {
        let key = self.to_property_key(key)?;
        let Some(object) = holder.as_object() else {
            let name = self.heap.key_display(key);
            return Err(self.throw_type_error(format!("Cannot read properties of null (reading '{name}')")));
        };
        match self.heap.lookup(object, key) {
            Lookup::Found(found) if found.is_accessor() => {
                let getter = self.heap.getter_of(found.value);
                self.call_getter(getter, receiver, register)
            }
            Lookup::Found(found) => Ok(Called::Value(found.value)),
            Lookup::Missing => Ok(Called::Value(Value::UNDEFINED)),
            Lookup::Exotic(_) => self.get_with_receiver(object, key, receiver).map(Called::Value),
        }
    }

    /// `super[key] = value`
    pub(crate) fn set_super(&mut self, holder: Value, key: Value, value: Value, receiver: Value, is_strict: bool) -> Completion<()> {
        self.root(value);
        let key = self.to_property_key(key)?;
        let Some(object) = holder.as_object() else {
            return Err(self.throw_type_error("Cannot set properties of null"));
        };
        let done = self.set_with_receiver(object, key, value, receiver)?;
        if !done && is_strict {
            let name = self.heap.key_display(key);
            return Err(self.throw_type_error(format!("Cannot assign to read only property '{name}' of object")));
        }
        Ok(())
    }

    /// `delete target[key]`
    pub(crate) fn delete_operator(&mut self, target: Value, key: Value, is_strict: bool) -> Completion<bool> {
        if target.is_nullish() {
            return Err(self.throw_type_error("Cannot convert undefined or null to object"));
        }
        let saved = self.roots.len();
        self.root(target);
        let result = self.delete_slow(target, key, is_strict);
        self.roots.truncate(saved);
        result
    }

    fn delete_slow(&mut self, target: Value, key: Value, is_strict: bool) -> Completion<bool> {
        let object = self.to_object(target)?;
        self.root(object);
        let key = self.to_property_key(key)?;
        let deleted = self.delete(object, key)?;
        if !deleted && is_strict {
            return Err(self.throw_cannot_delete(object, key));
        }
        Ok(deleted)
    }

    /// `key in object` <https://tc39.es/ecma262/#sec-relational-operators-runtime-semantics-evaluation>
    pub(crate) fn in_operator(&mut self, key: Value, target: Value) -> Completion<bool> {
        let Some(object) = target.as_object() else {
            let text = self.display(target);
            let name = self.display_key(key);
            return Err(self.throw_type_error(format!("Cannot use 'in' operator to search for '{name}' in {text}")));
        };
        let saved = self.roots.len();
        self.root(object);
        let key = self.to_property_key(key);
        self.roots.truncate(saved);
        self.has_property(object, key?)
    }

    /// InstanceofOperator ( V, target ) <https://tc39.es/ecma262/#sec-instanceofoperator>
    pub(crate) fn instance_of_operator(&mut self, value: Value, target: Value, register: u8) -> Completion<Called> {
        if !target.is_object() {
            return Err(self.throw_type_error("Right-hand side of 'instanceof' is not an object"));
        }
        let saved = self.roots.len();
        self.root(value);
        self.root(target);
        let handler = self.get_method(target, PropertyKey::symbol(crate::symbol::HAS_INSTANCE));
        self.roots.truncate(saved);
        let handler = handler?;
        if let Some(function) = handler.as_object()
            && self.is_closure(function)
        {
            return self.call_pushing(handler, target, &[value], OnReturn::Boolean(register));
        }
        if !handler.is_undefined() {
            let result = self.call(handler, target, &[value])?;
            return Ok(Called::Value(Value::boolean(self.heap.to_boolean(result))));
        }
        if !self.heap.is_callable(target) {
            return Err(self.throw_type_error("Right-hand side of 'instanceof' is not callable"));
        }
        let result = self.ordinary_has_instance(target, value)?;
        Ok(Called::Value(Value::boolean(result)))
    }

    /// `[[GetPrototypeOf]]` for `super`: null has none.
    pub(crate) fn prototype_of_value(&mut self, value: Value) -> Completion<Value> {
        match value.as_object() {
            Some(object) => Ok(self.get_prototype_of(object)?.map_or(Value::NULL, Value::object)),
            None => Ok(Value::NULL),
        }
    }

    /// ToPropertyKey as a value: string, symbol or integer index.
    pub(crate) fn to_property_key_value(&mut self, value: Value) -> Completion<Value> {
        let key = self.to_property_key(value)?;
        Ok(key.to_value(&mut self.heap))
    }

    /// TypeError of destructuring undefined or null.
    #[cold]
    pub(crate) fn throw_not_destructurable(&mut self, code: &Code, text: u32, value: Value) -> Thrown {
        let value = if value.is_null() { "null" } else { "undefined" };
        self.throw_type_error(code.string_text(text).replace("{}", value))
    }

    /// A short text of a value used as a property key, for messages; runs no program code.
    pub(crate) fn display_key(&mut self, key: Value) -> String {
        match key.as_string() {
            Some(string) => self.heap.rust_string(string),
            None => self.display(key),
        }
    }

    /// A short text of any value for messages; runs no program code.
    pub fn display(&mut self, value: Value) -> String {
        use crate::value::Unpacked;
        match value.unpack() {
            Unpacked::Undefined => "undefined".into(),
            Unpacked::Null => "null".into(),
            Unpacked::Boolean(b) => b.to_string(),
            Unpacked::Number(d) => crate::number::to_string(d).as_str().to_owned(),
            Unpacked::String(s) => {
                let text = self.heap.rust_string(s);
                let short: String = text.chars().take(60).collect();
                if short.len() < text.len() { format!("{short}...") } else { text }
            }
            Unpacked::Symbol(s) => self.heap.symbol_display(s),
            Unpacked::BigInt(b) => crate::bigint::to_string_radix(&self.heap[b].0, 10),
            Unpacked::Object(object) => self.display_object(object),
            _ => "value".into(),
        }
    }

    /// As error messages of V8 show objects: functions by their source text, `#<Constructor>` for what inherits the original
    /// toString, else `[object Class]`.
    fn display_object(&mut self, object: Gc<Object>) -> String {
        let cell = &self.heap[object];
        if cell.is_callable() && !matches!(cell.kind, ObjectKind::Proxy(_)) {
            let text = crate::builtins::function_text(self, object);
            // Unlike V8, not a whole long function.
            return match text.char_indices().nth(100) {
                Some((end, _)) => format!("{}...", &text[..end]),
                None => text,
            };
        }
        let class = match &cell.kind {
            ObjectKind::Array => "Array",
            ObjectKind::Date(_) => "Date",
            ObjectKind::RegExp(_) => "RegExp",
            ObjectKind::Primitive(value) if value.get().is_string() => "String",
            ObjectKind::Primitive(value) if value.get().is_number() => "Number",
            ObjectKind::Primitive(value) if value.get().is_boolean() => "Boolean",
            _ => "Object",
        };
        let to_string = PropertyKey::name(crate::names::TO_STRING);
        let original = self.heap.own_data(self.intrinsic(crate::vm::IntrinsicObject::ObjectPrototype), to_string);
        let is_plain = match self.heap.lookup(object, to_string) {
            Lookup::Found(found) => Some(found.value) == original,
            Lookup::Missing => false,
            Lookup::Exotic(_) => true,
        };
        if matches!(cell.kind, ObjectKind::Error(_)) {
            return self.display_error(object);
        }
        if is_plain && let Some(name) = self.constructor_name(object) {
            return format!("#<{name}>");
        }
        format!("[object {class}]")
    }

    /// Name and message of an error object, as far as they are plain strings.
    fn display_error(&mut self, object: Gc<Object>) -> String {
        let text_of = |vm: &mut Vm, key: PropertyKey| match vm.heap.lookup(object, key) {
            Lookup::Found(found) => found.value.as_string().map(|string| vm.heap.rust_string(string)),
            _ => None,
        };
        let name = text_of(self, PropertyKey::name(crate::names::NAME)).unwrap_or_else(|| "Error".into());
        match text_of(self, PropertyKey::name(crate::names::MESSAGE)) {
            Some(message) if !message.is_empty() => format!("{name}: {message}"),
            _ => name,
        }
    }

    /// The name of the function that `constructor` of the object refers to.
    fn constructor_name(&self, object: Gc<Object>) -> Option<String> {
        let Lookup::Found(found) = self.heap.lookup(object, PropertyKey::name(crate::names::CONSTRUCTOR)) else { return None };
        let name = match &self.heap[found.value.as_object()?].kind {
            ObjectKind::Closure(closure) => self.codes[closure.code.index()].name_text(),
            ObjectKind::Native(native) => native.function.name.to_owned(),
            _ => String::new(),
        };
        (!name.is_empty()).then_some(name)
    }
}

fn type_name(value: Value) -> &'static str {
    if value.is_string() {
        "string"
    } else if value.is_number() {
        "number"
    } else if value.is_boolean() {
        "boolean"
    } else if value.is_symbol() {
        "symbol"
    } else {
        "bigint"
    }
}
