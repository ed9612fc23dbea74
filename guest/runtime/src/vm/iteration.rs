//! Iteration from bytecode: iterator records, for-of over arrays without iterator objects, for-in.

use crate::heap::{Gc, Marker, Trace};
use crate::names;
use crate::object::Lookup;
use crate::object::{IterationKind, Object, ObjectKind, Shape};
use crate::property_key::PropertyKey;
use crate::symbol;
use crate::value::Value;
use crate::vm::calls::Called;
use crate::vm::coroutine::ResumeMode;
use crate::vm::{Code, Completion, IntrinsicObject, OnReturn, Thrown, Vm};
use crate::builtins::NativeKind;

/// Outcome of stepping an iterator record.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stepped {
    /// The value is in its register.
    Value,
    /// The iterator is done; the register is undefined.
    Done,
    /// A frame was pushed; its `on_return` finishes the step.
    Frame,
}

/// Where `Array.prototype[Symbol.iterator]` and `%ArrayIteratorPrototype%.next` are: while both objects keep their shapes and
/// these slots their values, iterating a plain array calls no program code.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pristine {
    array: Option<(Gc<Shape>, u32)>,
    iterator: Option<(Gc<Shape>, u32)>,
    next: Option<Gc<Object>>,
    iterator_parent: Option<Gc<Shape>>,
}

impl Trace for Pristine {
    fn trace(&self, marker: &mut Marker) {
        for (shape, _) in [self.array, self.iterator].into_iter().flatten() {
            marker.mark(shape);
        }
        if let Some(shape) = self.iterator_parent {
            marker.mark(shape);
        }
        if let Some(next) = self.next {
            marker.mark(next);
        }
    }
}

const DONE: PropertyKey = PropertyKey::name(names::DONE);
const VALUE: PropertyKey = PropertyKey::name(names::VALUE);
const NEXT: PropertyKey = PropertyKey::name(names::NEXT);
const RETURN: PropertyKey = PropertyKey::name(names::RETURN);

impl Vm {
    /// Remembers how array iteration looks before any program code has run. The realm builder calls this last.
    pub(crate) fn note_pristine(&mut self) {
        let array = self.intrinsic(IntrinsicObject::ArrayPrototype);
        let iterator = self.intrinsic(IntrinsicObject::ArrayIteratorPrototype);
        let slot_of = |vm: &Vm, object: Gc<Object>, key: PropertyKey| match vm.heap.own_lookup(object, key) {
            Lookup::Found(found) => found.slot().map(|slot| (vm.heap[object].shape(), slot, found.value)),
            _ => None,
        };
        let values = slot_of(self, array, PropertyKey::symbol(symbol::ITERATOR));
        let next = slot_of(self, iterator, NEXT);
        let parent = self.intrinsic(IntrinsicObject::IteratorPrototype);
        let parent_shape = self.heap[parent].shape();
        let pristine = Pristine {
            array: values.map(|(shape, slot, _)| (shape, slot)),
            iterator: next.map(|(shape, slot, _)| (shape, slot)),
            next: next.and_then(|(_, _, value)| value.as_object()),
            iterator_parent: Some(parent_shape),
        };
        self.realms[self.realm.0 as usize].pristine = pristine;
    }

    /// Whether iterating this object is stepping through its elements, unobservably.
    pub(crate) fn is_pristine_array(&self, object: Gc<Object>) -> bool {
        let realm = &self.realms[self.realm.0 as usize];
        let cell = &self.heap[object];
        if !matches!(cell.kind, ObjectKind::Array) || cell.shape() != realm.array_shape {
            return false;
        }
        let pristine = &realm.pristine;
        let array = realm.intrinsic(IntrinsicObject::ArrayPrototype);
        let iterator = realm.intrinsic(IntrinsicObject::ArrayIteratorPrototype);
        let parent = realm.intrinsic(IntrinsicObject::IteratorPrototype);
        let values = realm.intrinsic(IntrinsicObject::ArrayPrototypeValues);
        let (Some((array_shape, array_slot)), Some((iterator_shape, iterator_slot)), Some(next)) =
            (pristine.array, pristine.iterator, pristine.next)
        else {
            return false;
        };
        self.heap[array].shape() == array_shape
            && self.heap[array].slot(array_slot) == Value::object(values)
            && self.heap[iterator].shape() == iterator_shape
            && self.heap[iterator].slot(iterator_slot) == Value::object(next)
            && Some(self.heap[parent].shape()) == pristine.iterator_parent
    }

    /// GetIterator ( obj, kind ) <https://tc39.es/ecma262/#sec-getiterator> into the record at stack index `record`.
    pub(crate) fn get_iterator_record(&mut self, record: usize, value: Value, kind: u8, code: &Code, text: u32) -> Completion<()> {
        // OPTIMIZATION: plain arrays need no iterator object; the record holds array, EMPTY and the next index.
        if kind == 0
            && let Some(object) = value.as_object()
            && self.is_pristine_array(object)
        {
            self.stack[record] = value;
            self.stack[record + 1] = Value::EMPTY;
            self.stack[record + 2] = Value::int(0);
            return Ok(());
        }
        let saved = self.roots.len();
        self.root(value);
        let result = self.get_iterator_slow(value, kind == 1, code, text);
        self.roots.truncate(saved);
        let (iterator, next) = result?;
        self.stack[record] = iterator;
        self.stack[record + 1] = next;
        self.stack[record + 2] = Value::FALSE;
        Ok(())
    }

    fn get_iterator_slow(&mut self, value: Value, is_async: bool, code: &Code, text: u32) -> Completion<(Value, Value)> {
        if is_async {
            let method = if value.is_nullish() { Value::UNDEFINED } else { self.get_method(value, PropertyKey::symbol(symbol::ASYNC_ITERATOR))? };
            if method.is_undefined() {
                let method = self.iterator_method(value, code, text, "is not async iterable")?;
                let (iterator, next) = self.iterator_from_method(value, method)?;
                self.root(iterator);
                return self.create_async_from_sync_iterator(iterator, next);
            }
            return self.iterator_from_method(value, method);
        }
        let method = self.iterator_method(value, code, text, "is not iterable")?;
        self.iterator_from_method(value, method)
    }

    fn iterator_method(&mut self, value: Value, code: &Code, text: u32, what: &str) -> Completion<Value> {
        let method = if value.is_nullish() { Value::UNDEFINED } else { self.get_v(value, PropertyKey::symbol(symbol::ITERATOR))? };
        if !self.heap.is_callable(method) {
            let mut name = code.string_text(text);
            if name.is_empty() || code.is_self_hosted || value.is_nullish() && method.is_undefined() && name.len() > 80 {
                name = self.display(value);
            }
            return Err(self.throw_type_error(format!("{name} {what}")));
        }
        self.root(method);
        Ok(method)
    }

    /// GetIteratorFromMethod <https://tc39.es/ecma262/#sec-getiteratorfrommethod>
    pub(crate) fn iterator_from_method(&mut self, value: Value, method: Value) -> Completion<(Value, Value)> {
        let iterator = self.call(method, value, &[])?;
        let Some(object) = iterator.as_object() else {
            let text = self.display(iterator);
            return Err(self.throw_type_error(format!("Result of the Symbol.iterator method is not an object: {text}")));
        };
        self.root(iterator);
        let next = self.get(object, NEXT)?;
        Ok((iterator, next))
    }

    /// `IteratorNext` past its fast path. `done` is the jump target, `u32::MAX` to store undefined instead.
    #[inline(never)]
    pub(crate) fn iterator_next(&mut self, base: usize, record: u8, register: u8, done: u32) -> Completion<Stepped> {
        let at = base + record as usize;
        let (iterator, next, state) = (self.stack[at], self.stack[at + 1], self.stack[at + 2]);
        if state == Value::TRUE {
            self.stack[base + register as usize] = Value::UNDEFINED;
            return Ok(Stepped::Done);
        }
        let Some(object) = iterator.as_object() else { return self.internal_error("iterator record without iterator") };
        if next.is_empty() {
            return self.array_step(base, at, register, object);
        }
        self.stack[at + 2] = Value::TRUE;
        if let Some(function) = next.as_object() {
            match &self.heap[function].kind {
                ObjectKind::Native(native) if native.function.kind == NativeKind::GeneratorNext => {
                    let on_return = OnReturn::IteratorNext { record, register, done };
                    return match self.resume_generator(iterator, ResumeMode::Next, Value::UNDEFINED, on_return, "next")? {
                        Called::Frame => Ok(Stepped::Frame),
                        Called::Value(result) => self.finish_step(base, at, register, result),
                    };
                }
                ObjectKind::Native(native) => {
                    // OPTIMIZATION: builtin iterators are stepped without result objects.
                    if native.function.name == "next"
                        && let Some(step) = self.step_builtin_iterator(object, function)
                    {
                        return Ok(self.store_step(base, at, register, step?));
                    }
                }
                ObjectKind::Closure(_) => {
                    let on_return = OnReturn::IteratorNext { record, register, done };
                    return match self.call_pushing(next, iterator, &[], on_return)? {
                        Called::Frame => Ok(Stepped::Frame),
                        Called::Value(result) => self.finish_step(base, at, register, result),
                    };
                }
                _ => {}
            }
        }
        let result = self.call(next, iterator, &[])?;
        self.finish_step(base, at, register, result)
    }

    /// A step through a plain array: holes are read through the prototype chain.
    fn array_step(&mut self, base: usize, at: usize, register: u8, array: Gc<Object>) -> Completion<Stepped> {
        let index = self.stack[at + 2].as_int().unwrap_or(0);
        let length = self.heap[array].elements.length();
        if index as u32 >= length || index == i32::MAX {
            self.stack[at + 2] = Value::TRUE;
            self.stack[base + register as usize] = Value::UNDEFINED;
            return Ok(Stepped::Done);
        }
        self.stack[at + 2] = Value::int(index + 1);
        let value = match PropertyKey::from_index(index as u32) {
            Some(key) => self.get(array, key)?,
            None => Value::UNDEFINED,
        };
        self.stack[base + register as usize] = value;
        Ok(Stepped::Value)
    }

    fn finish_step(&mut self, base: usize, at: usize, register: u8, result: Value) -> Completion<Stepped> {
        let step = self.iterator_unwrap(result)?;
        Ok(self.store_step(base, at, register, step))
    }

    fn store_step(&mut self, base: usize, at: usize, register: u8, step: Option<Value>) -> Stepped {
        match step {
            Some(value) => {
                self.stack[base + register as usize] = value;
                self.stack[at + 2] = Value::FALSE;
                Stepped::Value
            }
            None => {
                self.stack[base + register as usize] = Value::UNDEFINED;
                self.stack[at + 2] = Value::TRUE;
                Stepped::Done
            }
        }
    }

    /// Steps an iterator of the engine whose `next` is the intrinsic one. None: not such an iterator.
    fn step_builtin_iterator(&mut self, iterator: Gc<Object>, next: Gc<Object>) -> Option<Completion<Option<Value>>> {
        let prototype = match &self.heap[iterator].kind {
            ObjectKind::ArrayIterator(_) => IntrinsicObject::ArrayIteratorPrototype,
            ObjectKind::MapIterator(_) => IntrinsicObject::MapIteratorPrototype,
            ObjectKind::SetIterator(_) => IntrinsicObject::SetIteratorPrototype,
            ObjectKind::StringIterator(_) => IntrinsicObject::StringIteratorPrototype,
            _ => return None,
        };
        let prototype = self.intrinsic(prototype);
        match self.heap.own_lookup(prototype, NEXT) {
            Lookup::Found(found) if found.value == Value::object(next) => {}
            _ => return None,
        }
        Some(self.advance_builtin_iterator(iterator))
    }

    /// The next value of an Array, Map, Set or String Iterator, None when it is done. What their `next` methods do.
    ///
    /// # Errors
    /// What getters of an array-like throw; TypeError for a typed array that is out of bounds.
    pub fn advance_builtin_iterator(&mut self, iterator: Gc<Object>) -> Completion<Option<Value>> {
        match &self.heap[iterator].kind {
            ObjectKind::ArrayIterator(state) => {
                let Some(target) = state.target else { return Ok(None) };
                let (index, kind) = (state.index, state.kind);
                let length = self.array_iteration_length(target)?;
                if let ObjectKind::ArrayIterator(state) = &mut self.heap[iterator].kind {
                    if index >= length {
                        state.target = None;
                        return Ok(None);
                    }
                    state.index += 1;
                }
                let key = Value::number(index as f64);
                if kind == IterationKind::Keys {
                    return Ok(Some(key));
                }
                let dense = u32::try_from(index).ok().and_then(|i| self.heap[target].elements.dense_get(i));
                let value = match dense {
                    Some(value) if !self.heap[target].flags.intersects(crate::object::ObjectFlags::EXOTIC) => value,
                    _ => {
                        let key = self.to_property_key(key)?;
                        self.get(target, key)?
                    }
                };
                if kind == IterationKind::Values {
                    return Ok(Some(value));
                }
                Ok(Some(Value::object(self.create_array(vec![key, value]))))
            }
            ObjectKind::MapIterator(state) | ObjectKind::SetIterator(state) => {
                let Some(table) = state.table else { return Ok(None) };
                let (position, kind) = (state.position, state.kind);
                let entry = match &self.heap[table].kind {
                    ObjectKind::Map(entries) | ObjectKind::Set(entries) => entries.next_from(position),
                    _ => None,
                };
                let is_set = matches!(self.heap[table].kind, ObjectKind::Set(_));
                if let ObjectKind::MapIterator(state) | ObjectKind::SetIterator(state) = &mut self.heap[iterator].kind {
                    match entry {
                        Some((at, ..)) => state.position = at + 1,
                        None => state.table = None,
                    }
                }
                let Some((_, key, value)) = entry else { return Ok(None) };
                let value = if is_set { key } else { value };
                Ok(Some(match kind {
                    IterationKind::Keys => key,
                    IterationKind::Values => value,
                    IterationKind::Entries => Value::object(self.create_array(vec![key, value])),
                }))
            }
            ObjectKind::StringIterator(state) => {
                let (string, position) = (state.string, state.position);
                let length = self.heap.string_length(string);
                if position >= length {
                    return Ok(None);
                }
                let (code_point, width) = self.heap.flat_view(string).code_point_at(position);
                if let ObjectKind::StringIterator(state) = &mut self.heap[iterator].kind {
                    state.position = position + width;
                }
                let text = if width == 1 {
                    self.heap.single_char(code_point as u16)
                } else {
                    self.heap.substring(string, position, position + width)
                };
                Ok(Some(Value::string(text)))
            }
            _ => self.internal_error("not a builtin iterator"),
        }
    }

    /// The length that %ArrayIteratorPrototype%.next looks at <https://tc39.es/ecma262/#sec-%arrayiteratorprototype%.next>
    fn array_iteration_length(&mut self, target: Gc<Object>) -> Completion<u64> {
        if let Some(array) = self.heap.typed_array(target) {
            return match self.heap.typed_array_length(&array) {
                Some(length) => Ok(length as u64),
                None => Err(self.throw_type_error("Cannot perform %ArrayIteratorPrototype%.next on a detached ArrayBuffer")),
            };
        }
        self.length_of_array_like(target)
    }

    /// The value of an iterator result, None when it says done: IteratorComplete and IteratorValue.
    pub(crate) fn iterator_unwrap(&mut self, result: Value) -> Completion<Option<Value>> {
        let Some(object) = result.as_object() else { return Err(self.throw_iterator_result(result)) };
        let saved = self.roots.len();
        self.root(result);
        let done = self.get(object, DONE);
        let step = match done {
            Ok(done) if self.heap.to_boolean(done) => Ok(None),
            Ok(_) => self.get(object, VALUE).map(Some),
            Err(Thrown) => Err(Thrown),
        };
        self.roots.truncate(saved);
        step
    }

    /// IteratorClose <https://tc39.es/ecma262/#sec-iteratorclose> of the record at stack index `record`.
    pub(crate) fn iterator_close_record(&mut self, record: usize, is_silent: bool) -> Completion<Called> {
        let (iterator, next, state) = (self.stack[record], self.stack[record + 1], self.stack[record + 2]);
        self.stack[record + 2] = Value::TRUE;
        if state == Value::TRUE || next.is_empty() {
            return Ok(Called::Value(Value::UNDEFINED));
        }
        let on_return = if is_silent { OnReturn::IteratorCloseSilent } else { OnReturn::IteratorClose };
        let called = match self.get_method(iterator, RETURN) {
            Ok(method) if method.is_undefined() => return Ok(Called::Value(Value::UNDEFINED)),
            Ok(method) => self.call_pushing(method, iterator, &[], on_return),
            Err(Thrown) => Err(Thrown),
        };
        match called {
            Ok(Called::Value(value)) if !is_silent && !value.is_object() => Err(self.throw_iterator_result(value)),
            Err(Thrown) if is_silent && self.termination.is_none() => {
                self.exception = Value::UNDEFINED;
                Ok(Called::Value(Value::UNDEFINED))
            }
            other => other,
        }
    }

    /// Appends the elements of a plain array; false when `source` needs the iterator protocol.
    pub(crate) fn spread_fast(&mut self, array: Value, source: Value) -> Completion<bool> {
        let (Some(array), Some(source)) = (array.as_object(), source.as_object()) else { return Ok(false) };
        if !self.is_pristine_array(source) || !self.heap.prototypes_have_no_elements(source) {
            return Ok(false);
        }
        let Some(values) = self.heap.dense_elements(source) else { return Ok(false) };
        crate::builtins::array::extend_array(self, array, &values)?;
        Ok(true)
    }

    /// Appends to a fresh array.
    pub(crate) fn push_element(&mut self, array: Value, value: Value) -> Completion<()> {
        let Some(array) = array.as_object() else { return self.internal_error("push to a value that is no array") };
        match self.heap.array_push(array, value) {
            Ok(_) => Ok(()),
            Err(_) => Err(self.throw_range_error("Invalid array length")),
        }
    }

    // ---- for-in

    /// EnumerateObjectProperties <https://tc39.es/ecma262/#sec-enumerate-object-properties>: collects the keys of one object at a
    /// time; `for_in_next` skips those deleted or shadowed meanwhile.
    pub(crate) fn for_in_start(&mut self, value: Value) -> Completion<Value> {
        if value.is_nullish() {
            return Ok(Value::UNDEFINED);
        }
        let object = self.to_object(value)?;
        let keys = self.create_array(Vec::new());
        let visited = self.create_array(Vec::new());
        let slots = vec![Value::object(object), Value::object(keys), Value::int(0), Value::object(visited), Value::FALSE];
        Ok(Value::object(self.new_internal(None, FOR_IN_TAG, slots)))
    }

    /// The next key, None when there are no more.
    pub(crate) fn for_in_next(&mut self, enumerator: Value) -> Completion<Option<Value>> {
        let Some(enumerator) = enumerator.as_object() else { return Ok(None) };
        let saved = self.roots.len();
        let result = self.for_in_step(enumerator);
        self.roots.truncate(saved);
        result
    }

    fn for_in_step(&mut self, enumerator: Gc<Object>) -> Completion<Option<Value>> {
        loop {
            let Some(object) = self.internal_slot(enumerator, 0).as_object() else { return Ok(None) };
            let loaded = self.internal_slot(enumerator, 4) == Value::TRUE;
            if !loaded {
                self.root(object);
                let keys = self.own_property_keys(object)?;
                let values: Vec<Value> =
                    keys.into_iter().filter(|k| !k.is_symbol()).map(|k| k.to_value(&mut self.heap)).collect();
                let keys = self.create_array(values);
                self.set_internal_slot(enumerator, 1, Value::object(keys));
                self.set_internal_slot(enumerator, 2, Value::int(0));
                self.set_internal_slot(enumerator, 4, Value::TRUE);
            }
            let position = self.internal_slot(enumerator, 2).as_int().unwrap_or(0);
            let key = self
                .internal_slot(enumerator, 1)
                .as_object()
                .and_then(|keys| self.heap[keys].elements.dense_get(position as u32));
            let Some(key) = key else {
                let parent = self.get_prototype_of(object)?;
                self.set_internal_slot(enumerator, 0, parent.map_or(Value::NULL, Value::object));
                self.set_internal_slot(enumerator, 4, Value::FALSE);
                continue;
            };
            self.set_internal_slot(enumerator, 2, Value::int(position + 1));
            let property = self.to_property_key(key)?;
            let descriptor = self.get_own_property(object, property)?;
            let Some(descriptor) = descriptor else { continue };
            if self.for_in_was_visited(enumerator, key) {
                continue;
            }
            let parent = self.heap[object].shape();
            let has_parent = self.heap[parent].prototype().is_some() || matches!(self.heap[object].kind, ObjectKind::Proxy(_));
            if has_parent || self.for_in_visited_count(enumerator) > 0 {
                self.for_in_visit(enumerator, key);
            }
            if descriptor.enumerable == Some(true) {
                let text = self.to_string(key)?;
                return Ok(Some(Value::string(text)));
            }
        }
    }

    fn for_in_visited_count(&self, enumerator: Gc<Object>) -> u32 {
        self.internal_slot(enumerator, 3).as_object().map_or(0, |set| match &self.heap[set].kind {
            ObjectKind::Set(table) => table.len() as u32,
            _ => 0,
        })
    }

    fn for_in_was_visited(&mut self, enumerator: Gc<Object>, key: Value) -> bool {
        let Some(set) = self.internal_slot(enumerator, 3).as_object() else { return false };
        let key = self.heap.table_key(key);
        match &self.heap[set].kind {
            ObjectKind::Set(table) => table.contains(&key),
            _ => false,
        }
    }

    fn for_in_visit(&mut self, enumerator: Gc<Object>, key: Value) {
        let set = match self.internal_slot(enumerator, 3).as_object() {
            Some(set) if matches!(self.heap[set].kind, ObjectKind::Set(_)) => set,
            _ => {
                let set = self.heap.new_object_of_kind(None, ObjectKind::Set(Box::default()));
                self.set_internal_slot(enumerator, 3, Value::object(set));
                set
            }
        };
        let table_key = self.heap.table_key(key);
        if let ObjectKind::Set(table) = &mut self.heap[set].kind {
            table.insert(&table_key, key);
        }
    }
}

/// Class tag of for-in enumerators, which programs never see.
const FOR_IN_TAG: u32 = 99;
