//! Makes realms from the builtin tables.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use std::rc::Rc;

use codemode_bytecode::CodeUnit;

use crate::builtins::{self, Builtin, BuiltinKind, ConstantValue, Entry, Key, NativeFunction, PrototypeKind};
use crate::heap::Gc;
use crate::names;
use crate::object::Lookup;
use crate::object::{Attributes, Native, Object, ObjectFlags, ObjectKind, PackedValue};
use crate::property_key::PropertyKey;
use crate::symbol;
use crate::value::Value;
use crate::vm::{IntrinsicObject, Realm, RealmId, Vm};

impl Vm {
    /// Loads the compiled self-hosted builtins: one unit per entry of [`builtins::SELF_HOSTED`], each function declaration
    /// of which becomes available to the tables by its name. Once per machine, before the first realm.
    pub fn load_self_hosted(&mut self, units: &[Rc<CodeUnit>]) {
        for unit in units {
            let entry = self.load_unit(unit.clone(), true);
            self.self_hosted.push(entry);
        }
    }

    /// Runs the self-hosted units in the current realm: their closures by name.
    fn instantiate_self_hosted(&mut self) -> HostedFunctions {
        let mut functions = HostedFunctions::default();
        for entry in self.self_hosted.clone() {
            let Ok(list) = self.run_entry(entry, Value::UNDEFINED) else {
                debug_assert!(false, "a self-hosted unit throws");
                continue;
            };
            let closures = list.as_object().and_then(|list| self.heap.dense_elements(list)).unwrap_or_default();
            for closure in closures.into_iter().filter_map(Value::as_object) {
                if let ObjectKind::Closure(data) = &self.heap[closure].kind {
                    functions.insert(self.codes[data.code.index()].name_text(), closure);
                }
            }
        }
        functions
    }

    /// CreateRealm and SetDefaultGlobalBindings <https://tc39.es/ecma262/#sec-createrealm>. The new realm becomes the current one.
    pub fn create_realm(&mut self) -> RealmId {
        let id = RealmId(self.realms.len() as u16);
        let object_prototype = self.heap.new_object(None);
        let object_shape = self.heap.root_shape(Some(object_prototype));
        let function_prototype =
            self.heap.new_object_of_kind(Some(object_prototype), native_kind(&builtins::FUNCTION_PROTOTYPE, id));
        let mut intrinsics = vec![object_prototype; IntrinsicObject::ALL.len()].into_boxed_slice();
        intrinsics[IntrinsicObject::FunctionPrototype as usize] = function_prototype;
        let global = self.heap.new_object(Some(object_prototype));
        // Layout changes of the global object must invalidate the caches of global variables.
        self.heap[global].set_is_prototype();
        intrinsics[IntrinsicObject::GlobalObject as usize] = global;
        let iter_result_shape = self
            .heap
            .shape_for_literal(Some(object_prototype), &[PropertyKey::name(names::VALUE), PropertyKey::name(names::DONE)]);
        self.realms.push(Realm {
            intrinsics,
            object_shape,
            array_shape: object_shape,
            iter_result_shape,
            lexical_names: Default::default(),
            lexicals: Vec::new(),
            pristine: Default::default(),
        });
        self.realm = id;
        self.materialize_function_prototype(function_prototype);
        // All objects first, so that tables can refer to each other; then their properties.
        for builtin in builtins::ALL {
            self.make_objects(builtin);
        }
        for (intrinsic, function) in builtins::INTRINSIC_FUNCTIONS {
            let object = self.new_native(function);
            self.set_intrinsic(*intrinsic, object);
        }
        let array_prototype = self.intrinsic(IntrinsicObject::ArrayPrototype);
        self.realms[id.0 as usize].array_shape = self.heap.root_shape(Some(array_prototype));
        let hosted = self.instantiate_self_hosted();
        for builtin in builtins::ALL {
            self.define_properties(builtin, &hosted);
        }
        self.set_intrinsic_methods();
        self.note_pristine();
        id
    }

    fn materialize_function_prototype(&mut self, object: Gc<Object>) {
        self.heap[object].flags.set(ObjectFlags::LAZY, true);
        self.materialize(object);
    }

    fn set_intrinsic(&mut self, id: IntrinsicObject, object: Gc<Object>) {
        let realm = self.realm.0 as usize;
        self.realms[realm].intrinsics[id as usize] = object;
    }

    fn make_objects(&mut self, builtin: &'static Builtin) {
        match &builtin.kind {
            BuiltinKind::Constructor { function, id, prototype, .. } => {
                self.make_prototype(builtin, *prototype);
                let constructor = self.new_native(function);
                self.set_intrinsic(*id, constructor);
            }
            BuiltinKind::BareConstructor { function, id } => {
                let constructor = self.new_native(function);
                self.set_intrinsic(*id, constructor);
            }
            BuiltinKind::Namespace { id, .. } => {
                let object = self.new_object();
                self.set_intrinsic(*id, object);
            }
            BuiltinKind::Prototype { id } => self.make_prototype(builtin, *id),
            BuiltinKind::Globals => {}
        }
    }

    fn make_prototype(&mut self, builtin: &'static Builtin, id: IntrinsicObject) {
        if matches!(id, IntrinsicObject::ObjectPrototype | IntrinsicObject::FunctionPrototype) {
            return;
        }
        let kind = match builtin.prototype_kind {
            PrototypeKind::Ordinary | PrototypeKind::Function => ObjectKind::Ordinary,
            PrototypeKind::Array => ObjectKind::Array,
            PrototypeKind::Boolean => ObjectKind::Primitive(PackedValue::new(Value::FALSE)),
            PrototypeKind::Number => ObjectKind::Primitive(PackedValue::new(Value::int(0))),
            PrototypeKind::String => ObjectKind::Primitive(PackedValue::new(Value::string(names::EMPTY))),
        };
        let parent = self.intrinsic(IntrinsicObject::ObjectPrototype);
        let object = self.heap.new_object_of_kind(Some(parent), kind);
        self.set_intrinsic(id, object);
    }

    fn define_properties(&mut self, builtin: &'static Builtin, hosted: &HostedFunctions) {
        let global = self.global_object();
        match &builtin.kind {
            BuiltinKind::Constructor { function, id, parent, prototype, global: is_global } => {
                let constructor = self.intrinsic(*id);
                let prototype = self.intrinsic(*prototype);
                self.materialize(constructor);
                if let Some(parent) = parent {
                    let parent = self.intrinsic(*parent);
                    self.heap.set_prototype(constructor, Some(parent));
                }
                self.set_prototype_parent(builtin, prototype);
                self.heap.add_property(constructor, PropertyKey::name(names::PROTOTYPE), Value::object(prototype), Attributes::NONE);
                let attributes = if function.name == "GeneratorFunction" || function.name == "AsyncGeneratorFunction" || function.name == "AsyncFunction" {
                    Attributes::CONFIGURABLE
                } else {
                    Attributes::HIDDEN
                };
                // `Iterator.prototype.constructor` is an accessor of its table.
                if *id != IntrinsicObject::Iterator {
                    self.heap.add_property(prototype, PropertyKey::name(names::CONSTRUCTOR), Value::object(constructor), attributes);
                }
                self.define_entries(constructor, builtin.statics, hosted);
                self.define_entries(prototype, builtin.prototype, hosted);
                if *is_global {
                    self.put(global, Key::Name(function.name), Value::object(constructor), Attributes::HIDDEN);
                }
            }
            BuiltinKind::BareConstructor { function, id } => {
                let constructor = self.intrinsic(*id);
                self.materialize(constructor);
                self.define_entries(constructor, builtin.statics, hosted);
                self.put(global, Key::Name(function.name), Value::object(constructor), Attributes::HIDDEN);
            }
            BuiltinKind::Namespace { id, name } => {
                let object = self.intrinsic(*id);
                self.define_entries(object, builtin.statics, hosted);
                self.put(global, Key::Name(name), Value::object(object), Attributes::HIDDEN);
            }
            BuiltinKind::Prototype { id } => {
                let prototype = self.intrinsic(*id);
                self.set_prototype_parent(builtin, prototype);
                self.define_entries(prototype, builtin.prototype, hosted);
            }
            BuiltinKind::Globals => self.define_entries(global, builtin.statics, hosted),
        }
    }

    fn set_prototype_parent(&mut self, builtin: &'static Builtin, prototype: Gc<Object>) {
        if let Some(parent) = builtin.prototype_parent {
            let parent = self.intrinsic(parent);
            self.heap.set_prototype(prototype, Some(parent));
        }
    }

    fn define_entries(&mut self, target: Gc<Object>, entries: &'static [Entry], hosted: &HostedFunctions) {
        for entry in entries {
            match entry {
                Entry::Method(key, function) => {
                    let function = self.new_native(function);
                    self.put(target, *key, Value::object(function), Attributes::HIDDEN);
                }
                Entry::ReadonlyMethod(key, function, configurable) => {
                    let function = self.new_native(function);
                    let attributes = if *configurable { Attributes::CONFIGURABLE } else { Attributes::NONE };
                    self.put(target, *key, Value::object(function), attributes);
                }
                // With the product's rules `__proto__` is an ordinary key (CONTRACT.md).
                Entry::Accessor(Key::Name("__proto__"), ..) if self.product_rules => {}
                Entry::Accessor(key, get, set) => {
                    let getter = self.new_accessor_function(get, "get");
                    let setter = set.as_ref().map_or(Value::UNDEFINED, |set| self.new_accessor_function(set, "set"));
                    self.put_accessor(target, *key, getter, setter);
                }
                Entry::Constant(key, value) => {
                    let value = self.constant(*value);
                    self.put(target, *key, value, Attributes::NONE);
                }
                Entry::Data(key, value) => {
                    let value = self.constant(*value);
                    self.put(target, *key, value, Attributes::HIDDEN);
                }
                Entry::Tag(text) => {
                    let value = self.constant(ConstantValue::Text(text));
                    self.put(target, Key::Symbol(symbol::TO_STRING_TAG), value, Attributes::CONFIGURABLE);
                }
                Entry::Alias(key, of) => {
                    let of = self.heap.key_from_str(of);
                    if let Lookup::Found(found) = self.heap.own_lookup(target, of) {
                        self.put(target, *key, found.value, Attributes::HIDDEN);
                    }
                }
                Entry::Hosted(key, length, body) => {
                    let function = self.new_hosted(hosted, body, *key, u32::from(*length), "");
                    self.put(target, *key, function, Attributes::HIDDEN);
                }
                Entry::HostedGetter(key, body) => {
                    let getter = self.new_hosted(hosted, body, *key, 0, "get ");
                    self.put_accessor(target, *key, getter, Value::UNDEFINED);
                }
                Entry::Intrinsic(key, id) => {
                    let object = self.intrinsic(*id);
                    self.put(target, *key, Value::object(object), Attributes::HIDDEN);
                }
                Entry::ReadonlyIntrinsic(key, id) => {
                    let object = self.intrinsic(*id);
                    self.put(target, *key, Value::object(object), Attributes::CONFIGURABLE);
                }
                Entry::Unscopables(names) => {
                    let object = self.heap.new_object(None);
                    for name in *names {
                        let key = self.heap.key_from_str(name);
                        self.heap.add_property(object, key, Value::TRUE, Attributes::ALL);
                    }
                    self.put(target, Key::Symbol(symbol::UNSCOPABLES), Value::object(object), Attributes::CONFIGURABLE);
                }
                Entry::SymbolConstant(name, symbol) => {
                    self.put(target, Key::Name(name), Value::symbol(*symbol), Attributes::NONE);
                }
            }
        }
    }

    /// A self-hosted function with the builtin's name and length; undefined when the code has no such function.
    fn new_hosted(&mut self, hosted: &HostedFunctions, body: &str, key: Key, length: u32, prefix: &str) -> Value {
        let Some(&template) = hosted.get(body) else {
            debug_assert!(false, "no self-hosted function {body}");
            return Value::UNDEFINED;
        };
        let ObjectKind::Closure(closure) = &self.heap[template].kind else { return Value::UNDEFINED };
        let (id, environment) = (closure.code, closure.environment);
        let function = self.new_closure_of(id, environment);
        // Builtin functions inherit from %Function.prototype% even when they are async.
        let prototype = self.intrinsic(IntrinsicObject::FunctionPrototype);
        self.heap.set_prototype(function, Some(prototype));
        self.heap[function].flags.set(ObjectFlags::LAZY, false);
        self.heap[function].flags.set(ObjectFlags::CONSTRUCTOR, false);
        let name = match key {
            Key::Name(name) => format!("{prefix}{name}"),
            Key::Symbol(symbol) => {
                let description = self.heap[symbol].description;
                let text = description.map(|d| self.heap.rust_string(d)).unwrap_or_default();
                format!("{prefix}[{text}]")
            }
        };
        let name = self.heap.intern_str(&name);
        self.heap.add_property(function, PropertyKey::name(names::LENGTH), Value::from(length), Attributes::CONFIGURABLE);
        self.heap.add_property(function, PropertyKey::name(names::NAME), Value::string(name), Attributes::CONFIGURABLE);
        Value::object(function)
    }

    fn new_accessor_function(&mut self, function: &'static NativeFunction, prefix: &str) -> Value {
        let object = self.new_native(function);
        self.heap[object].flags.set(ObjectFlags::LAZY, false);
        let name = self.heap.intern_str(&format!("{prefix} {}", function.name));
        self.heap.add_property(object, PropertyKey::name(names::LENGTH), Value::int(i32::from(function.length)), Attributes::CONFIGURABLE);
        self.heap.add_property(object, PropertyKey::name(names::NAME), Value::string(name), Attributes::CONFIGURABLE);
        Value::object(object)
    }

    fn put_accessor(&mut self, target: Gc<Object>, key: Key, getter: Value, setter: Value) {
        let pair = self.heap.new_accessor(getter, setter);
        self.put(target, key, pair, Attributes::CONFIGURABLE.with(Attributes::ACCESSOR, true));
    }

    fn put(&mut self, target: Gc<Object>, key: Key, value: Value, attributes: Attributes) {
        let key = match key {
            Key::Name(name) => self.heap.key_from_str(name),
            Key::Symbol(symbol) => PropertyKey::symbol(symbol),
        };
        self.heap.add_property(target, key, value, attributes);
    }

    fn constant(&mut self, value: ConstantValue) -> Value {
        match value {
            ConstantValue::Number(number) => Value::number(number),
            ConstantValue::Text(text) => Value::string(self.heap.intern_str(text)),
            ConstantValue::Undefined => Value::UNDEFINED,
        }
    }

    /// Intrinsics that are properties of others.
    fn set_intrinsic_methods(&mut self) {
        const METHODS: &[(IntrinsicObject, IntrinsicObject, &str)] = &[
            (IntrinsicObject::ArrayPrototypeValues, IntrinsicObject::ArrayPrototype, "values"),
            (IntrinsicObject::ArrayPrototypeToString, IntrinsicObject::ArrayPrototype, "toString"),
            (IntrinsicObject::SetPrototypeValues, IntrinsicObject::SetPrototype, "values"),
            (IntrinsicObject::MapPrototypeEntries, IntrinsicObject::MapPrototype, "entries"),
            (IntrinsicObject::TypedArrayPrototypeValues, IntrinsicObject::TypedArrayPrototype, "values"),
            (IntrinsicObject::PromiseThen, IntrinsicObject::PromisePrototype, "then"),
            (IntrinsicObject::PromiseResolve, IntrinsicObject::Promise, "resolve"),
            (IntrinsicObject::RegExpPrototypeExec, IntrinsicObject::RegExpPrototype, "exec"),
        ];
        for &(id, holder, name) in METHODS {
            let holder = self.intrinsic(holder);
            let key = self.heap.key_from_str(name);
            if let Lookup::Found(found) = self.heap.own_lookup(holder, key)
                && let Some(object) = found.value.as_object()
            {
                self.set_intrinsic(id, object);
            }
        }
        let thrower = self.new_native(&builtins::THROW_TYPE_ERROR);
        self.materialize(thrower);
        self.heap.set_integrity(thrower, crate::object::IntegrityLevel::Frozen);
        self.set_intrinsic(IntrinsicObject::ThrowTypeError, thrower);
        // AddRestrictedFunctionProperties <https://tc39.es/ecma262/#sec-addrestrictedfunctionproperties>
        let function_prototype = self.intrinsic(IntrinsicObject::FunctionPrototype);
        for name in ["caller", "arguments"] {
            self.put_accessor(function_prototype, Key::Name(name), Value::object(thrower), Value::object(thrower));
        }
    }
}

fn native_kind(function: &'static NativeFunction, realm: RealmId) -> ObjectKind {
    ObjectKind::Native(Native { function, realm, captures: Default::default() })
}

/// Closures of the self-hosted units by name. No standard map: its hasher would need the host's randomness.
type HostedFunctions = HashMap<String, Gc<Object>, FxBuildHasher>;
