//! Iterator records for native code (<https://tc39.es/ecma262/#sec-operations-on-iterator-objects>).
//!
//! A native loop that calls user code holds the record's values in Rust: they are rooted by these operations.

use crate::heap::Gc;
use crate::names::keys;
use crate::object::Object;
use crate::symbol;
use crate::value::Value;
use crate::vm::{Completion, Thrown, Vm};

/// An Iterator Record. Its values are on [`Vm::roots`] until the native function that made it returns.
#[derive(Copy, Clone, Debug)]
pub struct IteratorRecord {
    /// \[\[Iterator]]
    pub iterator: Value,
    /// \[\[NextMethod]]
    pub next: Value,
    /// \[\[Done]]
    pub done: bool,
}

impl Vm {
    /// GetIterator ( obj, sync ) <https://tc39.es/ecma262/#sec-getiterator>
    ///
    /// # Errors
    /// TypeError when the value is not iterable; what its methods throw.
    pub fn get_iterator(&mut self, value: Value) -> Completion<IteratorRecord> {
        let method = self.get_method(value, symbol::keys::ITERATOR)?;
        if method.is_undefined() {
            let text = self.display(value);
            return Err(self.throw_type_error(format!("{text} is not iterable")));
        }
        self.get_iterator_from_method(value, method)
    }

    /// GetIteratorFromMethod ( obj, method ) <https://tc39.es/ecma262/#sec-getiteratorfrommethod>
    ///
    /// # Errors
    /// TypeError when the method gives no object; what it throws.
    pub fn get_iterator_from_method(&mut self, value: Value, method: Value) -> Completion<IteratorRecord> {
        let iterator = self.call(method, value, &[])?;
        let Some(object) = iterator.as_object() else {
            return Err(self.throw_type_error("Result of the Symbol.iterator method is not an object"));
        };
        self.get_iterator_direct(object)
    }

    /// GetIteratorDirect ( obj ) <https://tc39.es/ecma262/#sec-getiteratordirect>
    ///
    /// # Errors
    /// What a getter of `next` throws.
    pub fn get_iterator_direct(&mut self, object: Gc<Object>) -> Completion<IteratorRecord> {
        let iterator = self.root(object);
        let next = self.get(object, keys::NEXT)?;
        self.root(next);
        Ok(IteratorRecord { iterator, next, done: false })
    }

    /// IteratorStepValue ( iteratorRecord ) <https://tc39.es/ecma262/#sec-iteratorstepvalue>: the next value, `None` when done.
    ///
    /// # Errors
    /// What the iterator throws; TypeError when its result is no object. The record is done then.
    pub fn iterator_step_value(&mut self, record: &mut IteratorRecord) -> Completion<Option<Value>> {
        match self.iterator_step_inner(record) {
            Ok(Some(value)) => Ok(Some(value)),
            Ok(None) => {
                record.done = true;
                Ok(None)
            }
            Err(thrown) => {
                record.done = true;
                Err(thrown)
            }
        }
    }

    fn iterator_step_inner(&mut self, record: &IteratorRecord) -> Completion<Option<Value>> {
        let result = self.call(record.next, record.iterator, &[])?;
        let Some(object) = result.as_object() else {
            let text = self.display(result);
            return Err(self.throw_type_error(format!("Iterator result {text} is not an object")));
        };
        let saved = self.roots.len();
        self.root(object);
        let done = self.get(object, keys::DONE);
        let value = match done {
            Ok(done) if self.heap.to_boolean(done) => Ok(None),
            Ok(_) => self.get(object, keys::VALUE).map(Some),
            Err(thrown) => Err(thrown),
        };
        self.roots.truncate(saved);
        value
    }

    /// IteratorClose ( iteratorRecord, NormalCompletion ) <https://tc39.es/ecma262/#sec-iteratorclose>
    ///
    /// # Errors
    /// What `return` throws; TypeError when it gives no object.
    pub fn iterator_close(&mut self, record: &IteratorRecord) -> Completion<()> {
        let method = self.get_method(record.iterator, keys::RETURN)?;
        if method.is_undefined() {
            return Ok(());
        }
        let result = self.call(method, record.iterator, &[])?;
        if result.is_object() {
            return Ok(());
        }
        let text = self.display(result);
        Err(self.throw_type_error(format!("{text} is not an object")))
    }

    /// IteratorClose ( iteratorRecord, throwCompletion ): the error being thrown stays, whatever `return` does.
    pub fn iterator_close_throwing(&mut self, record: &IteratorRecord, thrown: Thrown) -> Thrown {
        if self.termination.is_some() {
            return thrown;
        }
        let saved = self.roots.len();
        let exception = self.exception;
        self.root(exception);
        let closed = match self.get_method(record.iterator, keys::RETURN) {
            Ok(method) if !method.is_undefined() => self.call(method, record.iterator, &[]).map(|_| ()),
            Ok(_) => Ok(()),
            Err(thrown) => Err(thrown),
        };
        self.roots.truncate(saved);
        if closed.is_err() && self.termination.is_some() {
            return thrown;
        }
        self.exception = exception;
        thrown
    }

    /// IteratorToList ( iteratorRecord ) <https://tc39.es/ecma262/#sec-iteratortolist>. The values are rooted until the native function
    /// returns.
    ///
    /// # Errors
    /// What the iterator throws.
    pub fn iterator_to_list(&mut self, record: &mut IteratorRecord) -> Completion<Vec<Value>> {
        let mut values = Vec::new();
        while let Some(value) = self.iterator_step_value(record)? {
            values.push(self.root(value));
        }
        Ok(values)
    }

    /// GetIterator and IteratorToList in one.
    ///
    /// # Errors
    /// What they throw.
    pub fn list_from_iterable(&mut self, value: Value) -> Completion<Vec<Value>> {
        let mut record = self.get_iterator(value)?;
        self.iterator_to_list(&mut record)
    }
}
