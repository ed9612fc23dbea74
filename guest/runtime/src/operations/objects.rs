//! Operations on objects (<https://tc39.es/ecma262/#sec-operations-on-objects>).

use crate::heap::Gc;
use crate::names::keys;
use crate::object::{Attributes, IntegrityLevel, Object, ObjectFlags, ObjectKind, PropertyDescriptor};
use crate::property_key::PropertyKey;
use crate::symbol;
use crate::value::Value;
use crate::vm::{Completion, IntrinsicObject, RealmId, Vm};

impl Vm {
    /// GetMethod ( V, P ) <https://tc39.es/ecma262/#sec-getmethod>: undefined when there is none.
    ///
    /// # Errors
    /// TypeError when the property is not callable; what a getter throws.
    pub fn get_method(&mut self, value: Value, key: PropertyKey) -> Completion<Value> {
        let method = self.get_v(value, key)?;
        if method.is_nullish() {
            return Ok(Value::UNDEFINED);
        }
        if !self.heap.is_callable(method) {
            let (text, name, base) = (self.display(method), self.heap.key_display(key), self.display(value));
            return Err(self.throw_type_error(format!(
                "'{text}' returned for property '{name}' of object '{base}' is not a function"
            )));
        }
        Ok(method)
    }

    /// CreateDataProperty ( O, P, V ) <https://tc39.es/ecma262/#sec-createdataproperty>
    ///
    /// # Errors
    /// What \[\[DefineOwnProperty]] throws.
    pub fn create_data_property(&mut self, object: Gc<Object>, key: PropertyKey, value: Value) -> Completion<bool> {
        if !self.heap[object].flags.intersects(ObjectFlags::EXOTIC.union(ObjectFlags::LAZY))
            && !(key == keys::LENGTH && self.heap[object].is_array())
        {
            return self
                .heap
                .create_data_property(object, key, value)
                .map_err(|error| self.throw_elements_error(error));
        }
        self.define_own_property(object, key, &PropertyDescriptor::data(value, Attributes::ALL))
    }

    /// CreateDataPropertyOrThrow ( O, P, V ) <https://tc39.es/ecma262/#sec-createdatapropertyorthrow>
    ///
    /// # Errors
    /// TypeError when the definition is refused.
    pub fn create_data_property_or_throw(
        &mut self,
        object: Gc<Object>,
        key: PropertyKey,
        value: Value,
    ) -> Completion<()> {
        if self.create_data_property(object, key, value)? {
            return Ok(());
        }
        Err(self.throw_cannot_define(object, key))
    }

    /// DefinePropertyOrThrow ( O, P, desc ) <https://tc39.es/ecma262/#sec-definepropertyorthrow>
    ///
    /// # Errors
    /// TypeError when the definition is refused.
    pub fn define_property_or_throw(
        &mut self,
        object: Gc<Object>,
        key: PropertyKey,
        descriptor: &PropertyDescriptor,
    ) -> Completion<()> {
        if self.define_own_property(object, key, descriptor)? {
            return Ok(());
        }
        Err(self.throw_cannot_define(object, key))
    }

    /// DeletePropertyOrThrow ( O, P ) <https://tc39.es/ecma262/#sec-deletepropertyorthrow>
    ///
    /// # Errors
    /// TypeError when the property cannot be deleted.
    pub fn delete_property_or_throw(&mut self, object: Gc<Object>, key: PropertyKey) -> Completion<()> {
        if self.delete(object, key)? {
            return Ok(());
        }
        Err(self.throw_cannot_delete(object, key))
    }

    /// HasOwnProperty ( O, P ) <https://tc39.es/ecma262/#sec-hasownproperty>
    ///
    /// # Errors
    /// What a proxy throws.
    pub fn has_own_property(&mut self, object: Gc<Object>, key: PropertyKey) -> Completion<bool> {
        self.get_own_property(object, key).map(|descriptor| descriptor.is_some())
    }

    /// LengthOfArrayLike ( obj ) <https://tc39.es/ecma262/#sec-lengthofarraylike>
    ///
    /// # Errors
    /// What a getter and ToLength throw.
    #[inline]
    pub fn length_of_array_like(&mut self, object: Gc<Object>) -> Completion<u64> {
        if self.heap[object].is_array() {
            return Ok(u64::from(self.heap.array_length(object)));
        }
        let length = self.get(object, keys::LENGTH)?;
        self.to_length(length)
    }

    /// The key of an index of an array-like, which may be beyond the array indices.
    pub fn key_from_index(&mut self, index: u64) -> PropertyKey {
        match u32::try_from(index).ok().and_then(PropertyKey::from_index) {
            Some(key) => key,
            None => {
                let text = self.heap.number_to_string(index as f64);
                self.heap.key_from_string(text)
            }
        }
    }

    /// The element of an array-like object.
    ///
    /// # Errors
    /// What a getter throws.
    #[inline]
    pub fn get_index(&mut self, object: Gc<Object>, index: u64) -> Completion<Value> {
        let cell = &self.heap[object];
        if let Ok(index) = u32::try_from(index)
            && let Some(value) = cell.elements.dense_get(index)
            && !cell.flags.intersects(ObjectFlags::EXOTIC)
        {
            return Ok(value);
        }
        let key = self.key_from_index(index);
        self.get(object, key)
    }

    /// CreateListFromArrayLike ( obj ) <https://tc39.es/ecma262/#sec-createlistfromarraylike>. The values are not rooted.
    ///
    /// # Errors
    /// TypeError when the value is no object; RangeError when it is too long for a call; what getters throw.
    pub fn create_list_from_array_like(&mut self, value: Value) -> Completion<Vec<Value>> {
        let Some(object) = value.as_object() else {
            return Err(self.throw_type_error("CreateListFromArrayLike called on non-object"));
        };
        if self.heap[object].is_array()
            && let Some(values) = self.heap[object].elements.dense()
            && values.iter().all(|value| !value.is_empty())
        {
            return Ok(values.to_vec());
        }
        let saved = self.roots.len();
        let result = self.list_from_array_like_slow(object);
        self.roots.truncate(saved);
        result
    }

    fn list_from_array_like_slow(&mut self, object: Gc<Object>) -> Completion<Vec<Value>> {
        self.root(object);
        let length = self.length_of_array_like(object)?;
        if length > u64::from(crate::object::MAX_ELEMENTS) {
            return Err(self.throw_range_error("Invalid array length"));
        }
        let mut values = Vec::new();
        for index in 0..length {
            let value = self.get_index(object, index)?;
            values.push(self.root(value));
        }
        Ok(values)
    }

    /// OrdinaryHasInstance ( C, O ) <https://tc39.es/ecma262/#sec-ordinaryhasinstance>
    ///
    /// # Errors
    /// TypeError when the prototype of C is no object; what a getter and proxies throw.
    pub fn ordinary_has_instance(&mut self, constructor: Value, value: Value) -> Completion<bool> {
        let Some(function) = constructor.as_object().filter(|&function| self.heap[function].is_callable()) else {
            return Ok(false);
        };
        if let ObjectKind::Bound(bound) = &self.heap[function].kind {
            let target = Value::object(bound.target);
            return self.nested(|vm| vm.instance_of(value, target));
        }
        let Some(mut object) = value.as_object() else { return Ok(false) };
        let prototype = self.get(function, keys::PROTOTYPE)?;
        let Some(prototype) = prototype.as_object() else {
            let text = self.display(prototype);
            return Err(
                self.throw_type_error(format!("Function has non-object prototype '{text}' in instanceof check"))
            );
        };
        let saved = self.roots.len();
        self.root(prototype);
        let result = loop {
            self.root(object);
            match self.get_prototype_of(object) {
                Ok(Some(parent)) if parent == prototype => break Ok(true),
                Ok(Some(parent)) => object = parent,
                Ok(None) => break Ok(false),
                Err(thrown) => break Err(thrown),
            }
            self.roots.truncate(saved + 1);
        };
        self.roots.truncate(saved);
        result
    }

    /// InstanceofOperator ( V, target ) <https://tc39.es/ecma262/#sec-instanceofoperator>
    ///
    /// # Errors
    /// TypeError when the target is not callable; what its methods throw.
    pub fn instance_of(&mut self, value: Value, target: Value) -> Completion<bool> {
        if !target.is_object() {
            return Err(self.throw_type_error("Right-hand side of 'instanceof' is not an object"));
        }
        let handler = self.get_method(target, symbol::keys::HAS_INSTANCE)?;
        if !handler.is_undefined() {
            let result = self.call(handler, target, &[value])?;
            return Ok(self.heap.to_boolean(result));
        }
        if !self.heap.is_callable(target) {
            return Err(self.throw_type_error("Right-hand side of 'instanceof' is not callable"));
        }
        self.ordinary_has_instance(target, value)
    }

    /// SpeciesConstructor ( O, defaultConstructor ) <https://tc39.es/ecma262/#sec-speciesconstructor>
    ///
    /// # Errors
    /// TypeError when the constructor or species is unusable; what getters throw.
    pub fn species_constructor(&mut self, object: Gc<Object>, default: Value) -> Completion<Value> {
        let constructor = self.get(object, keys::CONSTRUCTOR)?;
        if constructor.is_undefined() {
            return Ok(default);
        }
        let Some(constructor) = constructor.as_object() else {
            return Err(self.throw_type_error("The .constructor property is not an object"));
        };
        let species = self.get(constructor, symbol::keys::SPECIES)?;
        if species.is_nullish() {
            return Ok(default);
        }
        if !self.heap.is_constructor(species) {
            return Err(self.throw_type_error("object.constructor[Symbol.species] is not a constructor"));
        }
        Ok(species)
    }

    /// GetFunctionRealm ( obj ) <https://tc39.es/ecma262/#sec-getfunctionrealm>
    ///
    /// # Errors
    /// TypeError for a revoked proxy.
    pub fn get_function_realm(&mut self, object: Gc<Object>) -> Completion<RealmId> {
        let mut object = object;
        loop {
            match &self.heap[object].kind {
                ObjectKind::Closure(closure) => return Ok(closure.realm),
                ObjectKind::Native(native) => return Ok(native.realm),
                ObjectKind::Bound(bound) => object = bound.target,
                ObjectKind::Proxy(proxy) => match proxy.target {
                    Some(target) => object = target,
                    None => {
                        return Err(self.throw_type_error("Cannot perform 'get' on a proxy that has been revoked"));
                    }
                },
                _ => return Ok(self.realm),
            }
        }
    }

    /// GetPrototypeFromConstructor ( constructor, intrinsicDefaultProto )
    /// <https://tc39.es/ecma262/#sec-getprototypefromconstructor>. For undefined (a call without `new`) the default is taken.
    ///
    /// # Errors
    /// What a getter throws; TypeError for a revoked proxy.
    pub fn get_prototype_from_constructor(
        &mut self,
        constructor: Value,
        default: IntrinsicObject,
    ) -> Completion<Gc<Object>> {
        let Some(constructor) = constructor.as_object() else { return Ok(self.intrinsic(default)) };
        if let Some(prototype) = self.get(constructor, keys::PROTOTYPE)?.as_object() {
            return Ok(prototype);
        }
        let realm = self.get_function_realm(constructor)?;
        Ok(self.realms[realm.0 as usize].intrinsic(default))
    }

    /// OrdinaryCreateFromConstructor ( constructor, intrinsicDefaultProto, internalSlotsList )
    /// <https://tc39.es/ecma262/#sec-ordinarycreatefromconstructor>. Objects in the kind must be rooted by the caller.
    ///
    /// # Errors
    /// What GetPrototypeFromConstructor throws.
    pub fn ordinary_create_from_constructor(
        &mut self,
        constructor: Value,
        default: IntrinsicObject,
        kind: ObjectKind,
    ) -> Completion<Gc<Object>> {
        if let Some(primitive) = kind.as_primitive() {
            self.root(primitive);
        }
        let prototype = self.get_prototype_from_constructor(constructor, default)?;
        Ok(self.heap.new_object_of_kind(Some(prototype), kind))
    }

    /// SetIntegrityLevel ( O, level ) <https://tc39.es/ecma262/#sec-setintegritylevel>
    ///
    /// # Errors
    /// TypeError when a property cannot be redefined; what a proxy throws.
    pub fn set_integrity_level(&mut self, object: Gc<Object>, level: IntegrityLevel) -> Completion<bool> {
        self.materialize(object);
        if !self.is_integrity_special(object) {
            self.heap.set_integrity(object, level);
            return Ok(true);
        }
        if level == IntegrityLevel::Frozen
            && let Some(array) = self.heap.typed_array(object)
            && self.heap.typed_array_length(&array) != Some(0)
        {
            return Err(self.throw_type_error("Cannot freeze array buffer views with elements"));
        }
        if !self.prevent_extensions(object)? {
            return Ok(false);
        }
        let saved = self.roots.len();
        self.root(object);
        let keys = self.own_property_keys(object)?;
        for key in keys {
            let descriptor = match level {
                IntegrityLevel::Sealed => PropertyDescriptor { configurable: Some(false), ..Default::default() },
                IntegrityLevel::Frozen => match self.get_own_property(object, key)? {
                    Some(current) if current.is_accessor() => {
                        PropertyDescriptor { configurable: Some(false), ..Default::default() }
                    }
                    Some(_) => {
                        PropertyDescriptor { configurable: Some(false), writable: Some(false), ..Default::default() }
                    }
                    None => continue,
                },
            };
            self.define_property_or_throw(object, key, &descriptor)?;
        }
        self.roots.truncate(saved);
        Ok(true)
    }

    /// TestIntegrityLevel ( O, level ) <https://tc39.es/ecma262/#sec-testintegritylevel>
    ///
    /// # Errors
    /// What a proxy throws.
    pub fn test_integrity_level(&mut self, object: Gc<Object>, level: IntegrityLevel) -> Completion<bool> {
        self.materialize(object);
        if !self.is_integrity_special(object) {
            return Ok(self.heap.test_integrity(object, level));
        }
        if self.is_extensible(object)? {
            return Ok(false);
        }
        let saved = self.roots.len();
        self.root(object);
        let keys = self.own_property_keys(object)?;
        for key in keys {
            if let Some(current) = self.get_own_property(object, key)?
                && (current.configurable == Some(true)
                    || (level == IntegrityLevel::Frozen && current.writable == Some(true)))
            {
                return Ok(false);
            }
        }
        self.roots.truncate(saved);
        Ok(true)
    }

    fn is_integrity_special(&self, object: Gc<Object>) -> bool {
        matches!(self.heap[object].kind, ObjectKind::Proxy(_) | ObjectKind::TypedArray(_))
    }

    /// FromPropertyDescriptor ( Desc ) <https://tc39.es/ecma262/#sec-frompropertydescriptor>
    pub fn from_property_descriptor(&mut self, descriptor: Option<&PropertyDescriptor>) -> Value {
        let Some(descriptor) = descriptor else { return Value::UNDEFINED };
        let prototype = self.intrinsic(IntrinsicObject::ObjectPrototype);
        let object = self.heap.new_object(Some(prototype));
        let fields = [
            (keys::VALUE, descriptor.value),
            (keys::WRITABLE, descriptor.writable.map(Value::boolean)),
            (keys::GET, descriptor.getter),
            (keys::SET, descriptor.setter),
            (keys::ENUMERABLE, descriptor.enumerable.map(Value::boolean)),
            (keys::CONFIGURABLE, descriptor.configurable.map(Value::boolean)),
        ];
        for (key, value) in fields {
            if let Some(value) = value {
                self.heap.add_property(object, key, value, Attributes::ALL);
            }
        }
        Value::object(object)
    }

    /// ToPropertyDescriptor ( Obj ) <https://tc39.es/ecma262/#sec-topropertydescriptor>. The values are rooted until the native
    /// function returns.
    ///
    /// # Errors
    /// TypeError for an impossible descriptor; what getters throw.
    pub fn to_property_descriptor(&mut self, value: Value) -> Completion<PropertyDescriptor> {
        let Some(object) = value.as_object() else {
            let text = self.display(value);
            return Err(self.throw_type_error(format!("Property description must be an object: {text}")));
        };
        let mut descriptor = PropertyDescriptor {
            enumerable: self.descriptor_flag(object, keys::ENUMERABLE)?,
            configurable: self.descriptor_flag(object, keys::CONFIGURABLE)?,
            ..Default::default()
        };
        descriptor.value = self.descriptor_field(object, keys::VALUE)?;
        descriptor.writable = self.descriptor_flag(object, keys::WRITABLE)?;
        descriptor.getter = self.descriptor_function(object, keys::GET, "Getter")?;
        descriptor.setter = self.descriptor_function(object, keys::SET, "Setter")?;
        if descriptor.is_accessor() && descriptor.is_data() {
            let text = self.display(value);
            return Err(self.throw_type_error(format!(
                "Invalid property descriptor. Cannot both specify accessors and a value or writable attribute, {text}"
            )));
        }
        Ok(descriptor)
    }

    fn descriptor_field(&mut self, object: Gc<Object>, key: PropertyKey) -> Completion<Option<Value>> {
        if !self.has_property(object, key)? {
            return Ok(None);
        }
        let value = self.get(object, key)?;
        Ok(Some(self.root(value)))
    }

    fn descriptor_flag(&mut self, object: Gc<Object>, key: PropertyKey) -> Completion<Option<bool>> {
        let field = self.descriptor_field(object, key)?;
        Ok(field.map(|value| self.heap.to_boolean(value)))
    }

    fn descriptor_function(&mut self, object: Gc<Object>, key: PropertyKey, what: &str) -> Completion<Option<Value>> {
        let field = self.descriptor_field(object, key)?;
        if let Some(value) = field
            && !value.is_undefined()
            && !self.heap.is_callable(value)
        {
            let text = self.display(value);
            return Err(self.throw_type_error(format!("{what} must be a function: {text}")));
        }
        Ok(field)
    }

    /// Keeps the keys' strings and symbols alive until the native function returns.
    pub fn root_keys(&mut self, keys: &[PropertyKey]) {
        self.roots.extend(keys.iter().map(|key| key.root_value()));
    }
}
