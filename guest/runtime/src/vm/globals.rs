//! Global bindings and the dynamic scopes of `with` and direct eval.

use codemode_bytecode::Constant;

use crate::environment::Environment;
use crate::heap::{Gc, Heap};
use crate::object::Lookup;
use crate::object::{Attributes, PropertyDescriptor};
use crate::property_key::PropertyKey;
use crate::value::Value;
use crate::vm::calls::Called;
use crate::vm::realm::GlobalLexical;
use crate::vm::{Code, Completion, InlineCache, IntrinsicObject, OnReturn, Realm, RealmId, Vm};

/// `InlineCache::new_shape` is never set for globals; `slot` with this bit names a lexical binding instead of a property slot.
const LEXICAL: u32 = 1 << 31;

/// The value of a global binding whose cache is valid. The global object counts as a prototype, so its layout changes bump the
/// epoch.
#[inline]
pub(crate) fn cached_global(heap: &Heap, realms: &[Realm], id: RealmId, cache: &InlineCache) -> Option<Value> {
    let shape = cache.shape?;
    let realm = &realms[id.0 as usize];
    if cache.slot & LEXICAL != 0 {
        let value = realm.lexicals.get((cache.slot & !LEXICAL) as usize)?.value;
        return (!value.is_empty() && shape == realm.object_shape).then_some(value);
    }
    if cache.epoch != heap.prototype_epoch {
        return None;
    }
    let global = cache.holder?;
    let cell = &heap[global];
    (global == realm.intrinsic(IntrinsicObject::GlobalObject) && cell.shape() == shape).then(|| cell.slot(cache.slot))
}

impl Vm {
    /// ResolveBinding in the global scope and GetValue.
    #[inline(never)]
    pub(crate) fn load_global(&mut self, code: &Code, site: u32, must_exist: bool) -> Completion<Value> {
        let key = code.site_keys[site as usize];
        let realm = &self.realms[self.realm.0 as usize];
        if let Some(&index) = realm.lexical_names.get(&key) {
            let value = realm.lexicals[index as usize].value;
            if value.is_empty() {
                let name = self.heap.key_display(key);
                return Err(self.throw_reference_error(format!("Cannot access '{name}' before initialization")));
            }
            let cache = InlineCache {
                shape: Some(realm.object_shape),
                holder: None,
                slot: index | LEXICAL,
                epoch: u32::from(self.realm.0),
                new_shape: None,
            };
            code.caches[site as usize].set(cache);
            return Ok(value);
        }
        let global = self.global_object();
        match self.heap.lookup(global, key) {
            Lookup::Found(found) => {
                if !found.is_accessor()
                    && found.holder == global
                    && let Some(slot) = found.slot()
                {
                    let shape = self.heap[global].shape();
                    self.heap.note_cached(shape);
                    code.caches[site as usize].set(InlineCache {
                        shape: Some(shape),
                        holder: Some(global),
                        slot,
                        epoch: self.heap.prototype_epoch,
                        new_shape: None,
                    });
                    return Ok(found.value);
                }
                self.get_with_receiver(global, key, Value::object(global))
            }
            Lookup::Exotic(_) if self.has_property(global, key)? => self.get_with_receiver(global, key, Value::object(global)),
            _ if must_exist => {
                let name = self.heap.key_display(key);
                Err(self.throw_reference_error(format!("{name} is not defined")))
            }
            _ => Ok(Value::UNDEFINED),
        }
    }

    /// Assignment to a global binding: SetMutableBinding of the global Environment Record.
    pub(crate) fn store_global(&mut self, code: &Code, site: u32, value: Value) -> Completion<()> {
        let key = code.site_keys[site as usize];
        self.store_global_key(key, value, code.is_strict)
    }

    fn store_global_key(&mut self, key: PropertyKey, value: Value, is_strict: bool) -> Completion<()> {
        let realm = &mut self.realms[self.realm.0 as usize];
        if let Some(&index) = realm.lexical_names.get(&key) {
            let binding = &mut realm.lexicals[index as usize];
            if binding.value.is_empty() {
                let name = self.heap.key_display(key);
                return Err(self.throw_reference_error(format!("Cannot access '{name}' before initialization")));
            }
            if binding.is_const {
                return Err(self.throw_type_error("Assignment to constant variable."));
            }
            binding.value = value;
            return Ok(());
        }
        let global = self.global_object();
        let saved = self.roots.len();
        self.root(value);
        let exists = self.has_property(global, key);
        self.roots.truncate(saved);
        if !exists? && is_strict {
            let name = self.heap.key_display(key);
            return Err(self.throw_reference_error(format!("{name} is not defined")));
        }
        self.set(global, key, value, is_strict)?;
        Ok(())
    }

    /// InitializeBinding of a global let, const or class.
    pub(crate) fn initialize_global(&mut self, code: &Code, site: u32, value: Value) -> Completion<()> {
        let key = code.site_keys[site as usize];
        let realm = &mut self.realms[self.realm.0 as usize];
        if let Some(&index) = realm.lexical_names.get(&key) {
            realm.lexicals[index as usize].value = value;
        }
        Ok(())
    }

    pub(crate) fn delete_global(&mut self, code: &Code, name: u32) -> Completion<bool> {
        let key = self.heap.key_from_string(code.strings[name as usize]);
        if self.realms[self.realm.0 as usize].lexical_names.contains_key(&key) {
            return Ok(false);
        }
        let global = self.global_object();
        self.delete(global, key)
    }

    /// GlobalDeclarationInstantiation <https://tc39.es/ecma262/#sec-globaldeclarationinstantiation>
    pub(crate) fn declare_globals(&mut self, code: &Code, constant: u32) -> Completion<()> {
        let Constant::Declarations(declarations) = &code.function().constants[constant as usize] else { return Ok(()) };
        let declarations = declarations.clone();
        let global = self.global_object();
        let key_of = |vm: &mut Vm, name: u32| vm.heap.key_from_string(code.strings[name as usize]);
        let lexical: Vec<(PropertyKey, bool)> = declarations
            .lets
            .iter()
            .map(|&n| (n, false))
            .chain(declarations.consts.iter().map(|&n| (n, true)))
            .map(|(n, is_const)| (key_of(self, n), is_const))
            .collect();
        // Steps 3 and 4: conflicts.
        for &(key, _) in &lexical {
            let existing = self.get_own_property(global, key)?;
            if self.realms[self.realm.0 as usize].lexical_names.contains_key(&key)
                || existing.is_some_and(|d| d.configurable == Some(false))
            {
                let name = self.heap.key_display(key);
                return Err(self.throw_syntax_error(format!("Identifier '{name}' has already been declared")));
            }
        }
        let vars: Vec<PropertyKey> = declarations.vars.iter().map(|&n| key_of(self, n)).collect();
        let functions: Vec<(PropertyKey, u32)> = declarations.functions.iter().map(|&(n, f)| (key_of(self, n), f)).collect();
        for key in vars.iter().copied().chain(functions.iter().map(|f| f.0)) {
            if self.realms[self.realm.0 as usize].lexical_names.contains_key(&key) {
                let name = self.heap.key_display(key);
                return Err(self.throw_syntax_error(format!("Identifier '{name}' has already been declared")));
            }
        }
        // Step 8: CanDeclareGlobalFunction.
        for &(key, _) in &functions {
            let allowed = match self.get_own_property(global, key)? {
                None => self.is_extensible(global)?,
                Some(d) => {
                    d.configurable == Some(true)
                        || (d.is_data() && d.writable == Some(true) && d.enumerable == Some(true))
                }
            };
            if !allowed {
                let name = self.heap.key_display(key);
                return Err(self.throw_type_error(format!("Cannot redefine property: {name}")));
            }
        }
        // Step 10: CanDeclareGlobalVar.
        for &key in &vars {
            if self.get_own_property(global, key)?.is_none() && !self.is_extensible(global)? {
                let name = self.heap.key_display(key);
                return Err(self.throw_type_error(format!("Cannot define global variable '{name}', object is not extensible")));
            }
        }
        let deletable = declarations.deletable;
        // Step 12: Annex B functions.
        for &name in &declarations.annex_b {
            let key = key_of(self, name);
            if self.realms[self.realm.0 as usize].lexical_names.contains_key(&key) {
                continue;
            }
            if self.get_own_property(global, key)?.is_none() && self.is_extensible(global)? {
                self.create_global_var(key, deletable)?;
            }
        }
        // Step 15
        for (key, is_const) in lexical {
            let realm = &mut self.realms[self.realm.0 as usize];
            let index = realm.lexicals.len() as u32;
            realm.lexicals.push(GlobalLexical { value: Value::EMPTY, is_const });
            realm.lexical_names.insert(key, index);
        }
        // Step 16
        for (key, index) in functions {
            let environment = self.frames.last().and_then(|f| f.environment);
            let function = Value::object(self.new_closure(code.first, index, environment));
            self.create_global_function(key, function, deletable)?;
        }
        // Step 17
        for key in vars {
            if self.get_own_property(global, key)?.is_none() {
                self.create_global_var(key, deletable)?;
            }
        }
        Ok(())
    }

    fn create_global_var(&mut self, key: PropertyKey, deletable: bool) -> Completion<()> {
        let attributes = if deletable { Attributes::ALL } else { Attributes::WRITABLE.with(Attributes::ENUMERABLE, true) };
        let global = self.global_object();
        self.define_property_or_throw(global, key, &PropertyDescriptor::data(Value::UNDEFINED, attributes))
    }

    /// CreateGlobalFunctionBinding <https://tc39.es/ecma262/#sec-createglobalfunctionbinding>
    fn create_global_function(&mut self, key: PropertyKey, function: Value, deletable: bool) -> Completion<()> {
        let global = self.global_object();
        self.root(function);
        let descriptor = match self.get_own_property(global, key)? {
            Some(existing) if existing.configurable == Some(false) => PropertyDescriptor::only_value(function),
            _ => {
                let attributes = if deletable { Attributes::ALL } else { Attributes::WRITABLE.with(Attributes::ENUMERABLE, true) };
                PropertyDescriptor::data(function, attributes)
            }
        };
        self.define_property_or_throw(global, key, &descriptor)?;
        self.set(global, key, function, false)?;
        Ok(())
    }

    /// Puts a writable, configurable, not enumerable property on the global object: for embedders.
    pub fn define_global(&mut self, name: &str, value: Value) {
        let key = self.heap.key_from_str(name);
        let global = self.global_object();
        self.heap.define_own(global, key, &PropertyDescriptor::data(value, Attributes::HIDDEN)).ok();
    }

    // ---- Dynamic scopes. The compiler uses these only inside `with` and around direct eval, which the product does not have.

    /// A binding found through the global scope.
    pub(crate) fn load_name(&mut self, code: &Code, name: u32, must_exist: bool) -> Completion<Value> {
        let key = self.heap.key_from_string(code.strings[name as usize]);
        let realm = &self.realms[self.realm.0 as usize];
        if let Some(&index) = realm.lexical_names.get(&key) {
            let value = realm.lexicals[index as usize].value;
            if !value.is_empty() {
                return Ok(value);
            }
            let name = self.heap.key_display(key);
            return Err(self.throw_reference_error(format!("Cannot access '{name}' before initialization")));
        }
        let global = self.global_object();
        if self.has_property(global, key)? {
            return self.get(global, key);
        }
        if !must_exist {
            return Ok(Value::UNDEFINED);
        }
        let name = self.heap.key_display(key);
        Err(self.throw_reference_error(format!("{name} is not defined")))
    }

    pub(crate) fn store_name(&mut self, code: &Code, name: u32, value: Value) -> Completion<()> {
        let key = self.heap.key_from_string(code.strings[name as usize]);
        self.store_global_key(key, value, code.is_strict)
    }

    pub(crate) fn delete_name(&mut self, code: &Code, name: u32) -> Completion<bool> {
        self.delete_global(code, name)
    }

    pub(crate) fn load_name_for_call(&mut self, code: &Code, name: u32) -> Completion<(Value, Value)> {
        Ok((self.load_name(code, name, true)?, Value::UNDEFINED))
    }

    pub(crate) fn push_with(&mut self, _value: Value) -> Completion<Option<Gc<Environment>>> {
        Err(self.throw_syntax_error("with statements are not supported"))
    }

    /// Direct eval is an ordinary call of what `eval` names: the product's `eval` refuses.
    pub(crate) fn call_eval(&mut self, code: &Code, _scope: u32, window: usize, count: usize, register: u8) -> Completion<Called> {
        self.call_window(window, count, OnReturn::Register(register)).map_err(|e| self.name_callee(e, code, codemode_bytecode::NO_STRING))
    }
}
