//! Closures, classes, private names and object literals.

use codemode_bytecode::{Constant, FunctionKind, MappedArguments};

use crate::builtins::NativeFunction;
use crate::environment::Environment;
use crate::heap::Gc;
use crate::names;
use crate::object::Lookup;
use crate::object::{
    ArgumentsMap, Attributes, Closure, Internal, Native, Object, ObjectFlags, ObjectKind, PropertyDescriptor, Shape,
};
use crate::property_key::PropertyKey;
use crate::symbol;
use crate::value::Value;
use crate::vm::calls::Called;
use crate::vm::{Code, CodeId, Completion, InlineCache, IntrinsicObject, OnReturn, Vm};

impl Vm {
    // ---- Functions

    /// InstantiateOrdinaryFunctionExpression and its kin: a closure of function `index` of the unit that starts at `first`.
    pub(crate) fn new_closure(&mut self, first: u32, index: u32, environment: Option<Gc<Environment>>) -> Gc<Object> {
        self.new_closure_of(CodeId(first + index), environment)
    }

    /// A closure of loaded code. Its `length`, `name` and `prototype` are made when somebody asks (see `materialize`).
    pub fn new_closure_of(&mut self, id: CodeId, environment: Option<Gc<Environment>>) -> Gc<Object> {
        let code = &self.codes[id.index()];
        let function = code.function();
        let prototype = match (function.is_async, function.is_generator) {
            (false, false) => IntrinsicObject::FunctionPrototype,
            (true, false) => IntrinsicObject::AsyncFunctionPrototype,
            (false, true) => IntrinsicObject::GeneratorFunctionPrototype,
            (true, true) => IntrinsicObject::AsyncGeneratorFunctionPrototype,
        };
        let is_constructor = code.is_constructor();
        let prototype = self.intrinsic(prototype);
        let closure = Closure { code: id, environment, realm: self.realm };
        let object = self.heap.new_object_of_kind(Some(prototype), ObjectKind::Closure(closure));
        let flags = &mut self.heap[object].flags;
        flags.set(ObjectFlags::CONSTRUCTOR, is_constructor);
        flags.set(ObjectFlags::LAZY, true);
        object
    }

    /// A builtin function object of the current realm.
    pub fn new_native(&mut self, function: &'static NativeFunction) -> Gc<Object> {
        self.new_native_closure(function, &[])
    }

    /// A builtin function object that carries values, see `Arguments::capture`.
    pub fn new_native_closure(&mut self, function: &'static NativeFunction, captures: &[Value]) -> Gc<Object> {
        let prototype = self.intrinsic(IntrinsicObject::FunctionPrototype);
        let native = Native { function, realm: self.realm, captures: captures.into() };
        let object = self.heap.new_object_of_kind(Some(prototype), ObjectKind::Native(native));
        self.heap[object].flags.set(ObjectFlags::LAZY, true);
        object
    }

    /// Creates the own properties that a lazy function object should have had from the start, in the order of ECMA-262: `length`,
    /// `name`, `prototype`.
    pub fn materialize(&mut self, object: Gc<Object>) {
        if !self.heap[object].flags.intersects(ObjectFlags::LAZY) {
            return;
        }
        self.heap[object].flags.set(ObjectFlags::LAZY, false);
        match &self.heap[object].kind {
            ObjectKind::Native(native) => {
                let function = native.function;
                let name = self.heap.intern_str(function.name);
                self.define_function_properties(object, u32::from(function.length), Value::string(name));
            }
            ObjectKind::Closure(closure) => {
                let (id, realm) = (closure.code, closure.realm);
                let code = self.codes[id.index()].clone();
                let name = match code.strings.get(code.function().name as usize) {
                    Some(&name) => name,
                    None => names::EMPTY,
                };
                self.define_function_properties(object, code.function().length, Value::string(name));
                let function = code.function();
                let saved = self.realm;
                self.realm = realm;
                if function.is_generator {
                    let parent = if function.is_async { IntrinsicObject::AsyncGeneratorPrototype } else { IntrinsicObject::GeneratorPrototype };
                    let parent = self.intrinsic(parent);
                    let prototype = self.heap.new_object(Some(parent));
                    self.heap.add_property(object, PropertyKey::name(names::PROTOTYPE), Value::object(prototype), Attributes::WRITABLE);
                } else if code.is_constructor() && code.kind == FunctionKind::Normal {
                    let prototype = self.new_object();
                    self.heap.add_property(prototype, PropertyKey::name(names::CONSTRUCTOR), Value::object(object), Attributes::HIDDEN);
                    self.heap.add_property(object, PropertyKey::name(names::PROTOTYPE), Value::object(prototype), Attributes::WRITABLE);
                }
                self.realm = saved;
            }
            _ => {}
        }
    }

    fn define_function_properties(&mut self, object: Gc<Object>, length: u32, name: Value) {
        self.heap.add_property(object, PropertyKey::name(names::LENGTH), Value::from(length), Attributes::CONFIGURABLE);
        self.heap.add_property(object, PropertyKey::name(names::NAME), name, Attributes::CONFIGURABLE);
    }

    /// SetFunctionName ( F, name, prefix ) <https://tc39.es/ecma262/#sec-setfunctionname> of the instruction: prefix 1 `get`, 2 `set`.
    pub(crate) fn set_function_name_value(&mut self, function: Value, key: Value, prefix: u32) -> Completion<()> {
        let Some(object) = function.as_object() else { return Ok(()) };
        let name = match key.as_symbol() {
            Some(symbol) => match self.heap[symbol].description {
                Some(description) if self.heap[symbol].is_private() => description,
                Some(description) => {
                    let text = self.heap.rust_string(description);
                    self.heap.new_string(&format!("[{text}]"))
                }
                None => names::EMPTY,
            },
            None => self.to_string(key)?,
        };
        let name = match prefix {
            0 => name,
            prefix => {
                let text = self.heap.rust_string(name);
                self.heap.new_string(&format!("{} {text}", if prefix == 1 { "get" } else { "set" }))
            }
        };
        self.materialize(object);
        // A class with a static method or field called name keeps it.
        if let Lookup::Found(found) = self.heap.own_lookup(object, PropertyKey::name(names::NAME)) {
            let is_initial = found.attributes == Attributes::CONFIGURABLE;
            if !is_initial {
                return Ok(());
            }
        }
        let descriptor = PropertyDescriptor::data(Value::string(name), Attributes::CONFIGURABLE);
        self.define_own_property(object, PropertyKey::name(names::NAME), &descriptor)?;
        Ok(())
    }

    // ---- Classes

    /// ClassDefinitionEvaluation <https://tc39.es/ecma262/#sec-runtime-semantics-classdefinitionevaluation> steps 7 to 15: constructor and prototype.
    pub(crate) fn new_class(
        &mut self,
        code: &Code,
        index: u32,
        environment: Option<Gc<Environment>>,
        heritage: Option<Value>,
    ) -> Completion<(Gc<Object>, Gc<Object>)> {
        let (prototype_parent, constructor_parent) = match heritage {
            None => (Some(self.intrinsic(IntrinsicObject::ObjectPrototype)), self.intrinsic(IntrinsicObject::FunctionPrototype)),
            Some(value) if value.is_null() => (None, self.intrinsic(IntrinsicObject::FunctionPrototype)),
            Some(value) => {
                let Some(parent) = value.as_object().filter(|&o| self.heap[o].is_constructor()) else {
                    let text = self.display(value);
                    return Err(self.throw_type_error(format!("Class extends value {text} is not a constructor or null")));
                };
                let prototype = self.get(parent, PropertyKey::name(names::PROTOTYPE))?;
                if !prototype.is_object() && !prototype.is_null() {
                    let text = self.display(prototype);
                    return Err(self.throw_type_error(format!("Class extends value does not have valid prototype property {text}")));
                }
                (prototype.as_object(), parent)
            }
        };
        let prototype = self.heap.new_object(prototype_parent);
        let constructor = self.new_closure(code.first, index, environment);
        self.materialize(constructor);
        if self.heap[constructor].is_constructor() {
            self.heap.set_prototype(constructor, Some(constructor_parent));
        }
        self.heap[constructor].flags.set(ObjectFlags::CLASS_CONSTRUCTOR, true);
        self.heap.add_property(constructor, PropertyKey::name(names::PROTOTYPE), Value::object(prototype), Attributes::NONE);
        self.heap.set_home_object(Value::object(constructor), Value::object(prototype));
        self.heap.add_property(prototype, PropertyKey::name(names::CONSTRUCTOR), Value::object(constructor), Attributes::HIDDEN);
        Ok((constructor, prototype))
    }

    /// Defines a method, getter (bit 2) or setter (bit 4); enumerable with bit 1. Names the function by its key.
    pub(crate) fn define_method(&mut self, target: Value, key: Value, method: Value, bits: u32) -> Completion<()> {
        let Some(object) = target.as_object() else { return self.internal_error("method without object") };
        let prefix = if bits & 2 != 0 { 1 } else if bits & 4 != 0 { 2 } else { 0 };
        self.set_function_name_value(method, key, prefix)?;
        let key = self.to_property_key(key)?;
        let attributes = if bits & 1 != 0 { Attributes::ALL } else { Attributes::HIDDEN };
        let descriptor = match prefix {
            0 => PropertyDescriptor::data(method, attributes),
            1 => PropertyDescriptor {
                getter: Some(method),
                enumerable: Some(bits & 1 != 0),
                configurable: Some(true),
                ..PropertyDescriptor::default()
            },
            _ => PropertyDescriptor {
                setter: Some(method),
                enumerable: Some(bits & 1 != 0),
                configurable: Some(true),
                ..PropertyDescriptor::default()
            },
        };
        self.define_property_or_throw(object, key, &descriptor)
    }

    // ---- Private names

    /// The private element of the object itself; proxies have their own, not their target's.
    fn own_private(&self, object: Gc<Object>, key: PropertyKey) -> Lookup {
        self.heap.own_lookup_ordinary(object, key)
    }

    /// PrivateGet ( O, P ) <https://tc39.es/ecma262/#sec-privateget> past its cache.
    #[inline(never)]
    pub(crate) fn get_private(&mut self, code: &Code, site: u32, target: Value, name: Value, register: u8) -> Completion<Called> {
        let key = private_key(name);
        if let Some(object) = target.as_object()
            && let Lookup::Found(found) = self.own_private(object, key)
        {
            if found.is_accessor() {
                let getter = self.heap.getter_of(found.value);
                if getter.is_undefined() {
                    let text = self.heap.key_display(key);
                    return Err(self.throw_type_error(format!("'{text}' was defined without a getter")));
                }
                return self.call_pushing(getter, target, &[], OnReturn::Register(register));
            }
            self.cache_private(code, site, object, name, found.slot());
            return Ok(Called::Value(found.value));
        }
        let text = self.heap.key_display(key);
        Err(self.throw_type_error(format!("Cannot read private member {text} from an object whose class did not declare it")))
    }

    /// PrivateSet ( O, P, value ) <https://tc39.es/ecma262/#sec-privateset> past its cache.
    #[inline(never)]
    pub(crate) fn set_private(&mut self, code: &Code, site: u32, target: Value, name: Value, value: Value) -> Completion<Called> {
        let key = private_key(name);
        if let Some(object) = target.as_object()
            && let Lookup::Found(found) = self.own_private(object, key)
        {
            if found.is_accessor() {
                let setter = self.heap.setter_of(found.value);
                if setter.is_undefined() {
                    let text = self.heap.key_display(key);
                    return Err(self.throw_type_error(format!("'{text}' was defined without a setter")));
                }
                return self.call_pushing(setter, target, &[value], OnReturn::Discard);
            }
            if !found.attributes.is_writable() {
                let text = self.heap.key_display(key);
                return Err(self.throw_type_error(format!("Private method '{text}' is not writable")));
            }
            self.heap.set_existing(&found, value);
            self.cache_private(code, site, object, name, found.slot());
            return Ok(Called::Value(Value::UNDEFINED));
        }
        let text = self.heap.key_display(key);
        Err(self.throw_type_error(format!("Cannot write private member {text} to an object whose class did not declare it")))
    }

    fn cache_private(&mut self, code: &Code, site: u32, object: Gc<Object>, name: Value, slot: Option<u32>) {
        let shape = self.heap[object].shape();
        if let Some(slot) = slot
            && !self.heap[shape].is_dictionary()
        {
            self.heap.note_cached(shape);
            code.caches[site as usize].set(InlineCache { shape: Some(shape), holder: None, slot, epoch: name.payload(), new_shape: None });
        }
    }

    /// PrivateFieldAdd ( O, P, value ) <https://tc39.es/ecma262/#sec-privatefieldadd>
    pub(crate) fn define_private_field(&mut self, target: Value, name: Value, value: Value) -> Completion<()> {
        let key = private_key(name);
        let Some(object) = target.as_object() else { return self.internal_error("private field without object") };
        if let Lookup::Found(_) = self.own_private(object, key) {
            return Err(self.throw_type_error("Cannot initialize the same private field twice on the same object"));
        }
        self.heap.add_property(object, key, value, Attributes::WRITABLE);
        Ok(())
    }

    /// PrivateMethodOrAccessorAdd ( O, method ) <https://tc39.es/ecma262/#sec-privatemethodoraccessoradd>
    pub(crate) fn define_private_method(&mut self, target: Value, name: Value, method: Value, kind: u32) -> Completion<()> {
        let key = private_key(name);
        let Some(object) = target.as_object() else { return self.internal_error("private method without object") };
        let existing = self.own_private(object, key);
        if kind == 0 {
            if let Lookup::Found(_) = existing {
                return Err(self.throw_type_error("Cannot initialize private methods of class twice on the same object"));
            }
            self.heap.add_property(object, key, method, Attributes::NONE);
            return Ok(());
        }
        let (mut getter, mut setter) = (Value::UNDEFINED, Value::UNDEFINED);
        if let Lookup::Found(found) = existing {
            getter = self.heap.getter_of(found.value);
            setter = self.heap.setter_of(found.value);
            let taken = if kind == 1 { getter } else { setter };
            if !found.is_accessor() || !taken.is_undefined() {
                return Err(self.throw_type_error("Cannot initialize private methods of class twice on the same object"));
            }
        }
        if kind == 1 {
            getter = method;
        } else {
            setter = method;
        }
        let pair = self.heap.new_accessor(getter, setter);
        match existing {
            Lookup::Found(found) => self.heap.set_existing(&found, pair),
            _ => self.heap.add_property(object, key, pair, Attributes::ACCESSOR),
        }
        Ok(())
    }

    /// `#name in value`
    pub(crate) fn has_private(&mut self, target: Value, name: Value) -> Completion<bool> {
        let Some(object) = target.as_object() else {
            let text = self.display(target);
            return Err(self.throw_type_error(format!("Cannot use 'in' operator to search for '#private' in {text}")));
        };
        Ok(matches!(self.own_private(object, private_key(name)), Lookup::Found(_)))
    }

    // ---- Literals

    /// The shape of an object literal, made on first use.
    pub(crate) fn literal_shape(&mut self, code: &Code, constant: u32) -> Gc<Shape> {
        let keys: Vec<PropertyKey> = match &code.function().constants[constant as usize] {
            Constant::Keys(keys) => keys.iter().map(|&key| self.heap.key_from_string(code.strings[key as usize])).collect(),
            _ => Vec::new(),
        };
        let prototype = self.intrinsic(IntrinsicObject::ObjectPrototype);
        let shape = self.heap.shape_for_literal(Some(prototype), &keys);
        if self.realm.0 == 0 {
            code.literal_shapes[constant as usize].set(Some(shape));
        }
        shape
    }

    /// GetTemplateObject <https://tc39.es/ecma262/#sec-gettemplateobject>
    pub(crate) fn template_object(&mut self, code: &Code, constant: u32) -> Gc<Object> {
        let (cooked, raw) = match &code.function().constants[constant as usize] {
            Constant::Template { cooked, raw } => (cooked.clone(), raw.clone()),
            _ => (Box::default(), Box::default()),
        };
        let text = |index: &u32| code.strings.get(*index as usize).map_or(Value::UNDEFINED, |&s| Value::string(s));
        let cooked = cooked.iter().map(text).collect();
        let raw = raw.iter().map(text).collect();
        let object = self.create_array(cooked);
        let raw = self.create_array(raw);
        self.heap.set_integrity(raw, crate::object::IntegrityLevel::Frozen);
        self.heap.add_property(object, PropertyKey::name(names::RAW), Value::object(raw), Attributes::NONE);
        self.heap.set_integrity(object, crate::object::IntegrityLevel::Frozen);
        code.template_objects[constant as usize].set(Some(object));
        object
    }

    /// `DefineField` past its cache: CreateDataPropertyOrThrow.
    #[inline(never)]
    pub(crate) fn define_field(&mut self, code: &Code, site: u32, target: Value, value: Value) -> Completion<()> {
        let key = code.site_keys[site as usize];
        let Some(object) = target.as_object() else { return self.internal_error("field without object") };
        let flags = self.heap[object].flags;
        let special = ObjectFlags::EXOTIC.union(ObjectFlags::LAZY).union(ObjectFlags::IS_PROTOTYPE);
        if !flags.intersects(special)
            && self.heap[object].is_extensible()
            && matches!(self.heap.own_lookup(object, key), Lookup::Missing)
        {
            let shape = self.heap[object].shape();
            self.heap.add_property(object, key, value, Attributes::ALL);
            let new_shape = self.heap[object].shape();
            if !self.heap[new_shape].is_dictionary()
                && let Some((slot, _)) = self.heap.shape_find(new_shape, key)
            {
                self.heap.note_cached(shape);
                self.heap.note_cached(new_shape);
                code.caches[site as usize].set(InlineCache { shape: Some(shape), holder: None, slot, epoch: 0, new_shape: Some(new_shape) });
            }
            return Ok(());
        }
        self.create_data_property_or_throw(object, key, value)
    }

    /// CreateDataPropertyOrThrow with a computed key.
    pub(crate) fn define_element(&mut self, target: Value, key: Value, value: Value) -> Completion<()> {
        let Some(object) = target.as_object() else { return self.internal_error("field without object") };
        let saved = self.roots.len();
        self.root(object);
        self.root(value);
        let key = self.to_property_key(key);
        self.roots.truncate(saved);
        self.create_data_property_or_throw(object, key?, value)
    }

    /// `__proto__: value` in a literal <https://tc39.es/ecma262/#sec-__proto__-property-names-in-object-initializers>
    pub(crate) fn set_literal_prototype(&mut self, target: Value, value: Value) -> Completion<()> {
        if let Some(object) = target.as_object()
            && (value.is_object() || value.is_null())
        {
            self.heap.set_prototype(object, value.as_object());
        }
        Ok(())
    }

    /// CopyDataProperties ( target, source, excludedItems ) <https://tc39.es/ecma262/#sec-copydataproperties>
    pub(crate) fn copy_data_properties(&mut self, target: Value, source: Value, excluded: &[Value]) -> Completion<()> {
        let Some(target) = target.as_object() else { return self.internal_error("spread without object") };
        if source.is_nullish() {
            return Ok(());
        }
        let mut excluded_keys = Vec::with_capacity(excluded.len());
        for &key in excluded {
            excluded_keys.push(self.to_property_key(key)?);
        }
        let saved = self.roots.len();
        let result = self.copy_data_properties_slow(target, source, &excluded_keys);
        self.roots.truncate(saved);
        result
    }

    fn copy_data_properties_slow(&mut self, target: Gc<Object>, source: Value, excluded: &[PropertyKey]) -> Completion<()> {
        let from = self.to_object(source)?;
        self.root(from);
        self.materialize(from);
        // OPTIMIZATION: plain data properties are copied without descriptors.
        if self.heap.is_plain_for_copy(from) {
            let keys = self.heap.own_keys(from);
            self.root_keys(&keys);
            for key in keys {
                if excluded.contains(&key) || key.is_private(&self.heap) {
                    continue;
                }
                if let Lookup::Found(found) = self.heap.own_lookup(from, key)
                    && found.attributes.is_enumerable()
                {
                    if found.is_accessor() {
                        let value = self.get_with_receiver(from, key, Value::object(from))?;
                        self.create_data_property_or_throw(target, key, value)?;
                    } else if self.heap.create_data_property(target, key, found.value).is_err() {
                        return Err(self.throw_range_error("Invalid array length"));
                    }
                }
            }
            return Ok(());
        }
        for key in self.own_property_keys(from)? {
            if excluded.contains(&key) {
                continue;
            }
            if let Some(descriptor) = self.get_own_property(from, key)?
                && descriptor.enumerable == Some(true)
            {
                let value = self.get_with_receiver(from, key, Value::object(from))?;
                self.create_data_property_or_throw(target, key, value)?;
            }
        }
        Ok(())
    }

    // ---- Small constructors that many files use

    /// `{}`
    pub fn new_object(&mut self) -> Gc<Object> {
        self.realms[self.realm.0 as usize].new_object(&mut self.heap)
    }

    /// CreateArrayFromList ( elements ) <https://tc39.es/ecma262/#sec-createarrayfromlist>
    pub fn create_array(&mut self, values: Vec<Value>) -> Gc<Object> {
        let shape = self.realms[self.realm.0 as usize].array_shape;
        self.heap.new_array_with_shape(shape, &values)
    }

    /// CreateIterResultObject ( value, done ) <https://tc39.es/ecma262/#sec-createiterresultobject>
    pub fn create_iter_result(&mut self, value: Value, done: bool) -> Value {
        let shape = self.realms[self.realm.0 as usize].iter_result_shape;
        Value::object(self.heap.new_object_with_shape(shape, &[value, Value::boolean(done)]))
    }

    /// A new string value.
    pub fn string(&mut self, text: &str) -> Value {
        Value::string(self.heap.new_string(text))
    }

    /// An object with hidden slots.
    pub fn new_internal(&mut self, prototype: Option<Gc<Object>>, tag: u32, slots: Vec<Value>) -> Gc<Object> {
        self.heap.new_object_of_kind(prototype, ObjectKind::Internal(Box::new(Internal { tag, slots })))
    }

    /// Hidden slot `index`; undefined when there is none.
    pub fn internal_slot(&self, object: Gc<Object>, index: usize) -> Value {
        match &self.heap[object].kind {
            ObjectKind::Internal(internal) => internal.slots.get(index).copied().unwrap_or(Value::UNDEFINED),
            _ => Value::UNDEFINED,
        }
    }

    /// Replaces hidden slot `index`.
    pub fn set_internal_slot(&mut self, object: Gc<Object>, index: usize, value: Value) {
        if let ObjectKind::Internal(internal) = &mut self.heap[object].kind
            && let Some(slot) = internal.slots.get_mut(index)
        {
            *slot = value;
        }
    }

    /// CreateUnmappedArgumentsObject <https://tc39.es/ecma262/#sec-createunmappedargumentsobject>
    pub(crate) fn create_unmapped_arguments(&mut self, values: Vec<Value>) -> Gc<Object> {
        let object = self.new_arguments_object(values, None);
        let thrower = Value::object(self.intrinsic(IntrinsicObject::ThrowTypeError));
        let pair = self.heap.new_accessor(thrower, thrower);
        self.heap.add_property(object, PropertyKey::name(names::CALLEE), pair, Attributes::ACCESSOR);
        object
    }

    /// CreateMappedArgumentsObject <https://tc39.es/ecma262/#sec-createmappedargumentsobject>
    pub(crate) fn create_mapped_arguments(
        &mut self,
        values: Vec<Value>,
        environment: Option<Gc<Environment>>,
        mapped: &MappedArguments,
        function: Gc<Object>,
    ) -> Gc<Object> {
        let map = environment.map(|environment| {
            let slots = (0..values.len().min(mapped.slots.len()))
                .map(|i| (mapped.slots[i] != u32::MAX).then_some(mapped.slots[i]))
                .collect();
            Box::new(ArgumentsMap { environment, slots })
        });
        let object = self.new_arguments_object(values, map);
        self.heap.add_property(object, PropertyKey::name(names::CALLEE), Value::object(function), Attributes::HIDDEN);
        object
    }

    fn new_arguments_object(&mut self, values: Vec<Value>, map: Option<Box<ArgumentsMap>>) -> Gc<Object> {
        let prototype = self.intrinsic(IntrinsicObject::ObjectPrototype);
        let length = Value::from(values.len() as u32);
        let object = match map {
            Some(map) => self.heap.new_mapped_arguments(Some(prototype), &values, *map),
            None => {
                let object = self.heap.new_object_of_kind(Some(prototype), ObjectKind::Arguments(None));
                for (index, value) in values.into_iter().enumerate() {
                    // A fresh object takes every element.
                    self.heap.add_element(object, index as u32, value, Attributes::ALL).ok();
                }
                object
            }
        };
        self.heap.add_property(object, PropertyKey::name(names::LENGTH), length, Attributes::HIDDEN);
        let values = Value::object(self.intrinsic(IntrinsicObject::ArrayPrototypeValues));
        self.heap.add_property(object, PropertyKey::symbol(symbol::ITERATOR), values, Attributes::HIDDEN);
        object
    }

    /// RegExp literal: RegExpCreate with the literal's pattern and flags.
    pub(crate) fn new_regexp_literal(&mut self, code: &Code, constant: u32) -> Completion<Value> {
        let (pattern, flags) = match &code.function().constants[constant as usize] {
            Constant::RegExp { pattern, flags } => (code.strings[*pattern as usize], code.strings[*flags as usize]),
            _ => return self.internal_error("constant is no regular expression"),
        };
        self.new_regexp(pattern, flags).map(Value::object)
    }
}

/// The key under which objects hold the private element: the private symbol itself.
fn private_key(name: Value) -> PropertyKey {
    match name.as_symbol() {
        Some(symbol) => PropertyKey::symbol(symbol),
        None => PropertyKey::name(names::EMPTY),
    }
}
