//! Comparison that may run JavaScript (<https://tc39.es/ecma262/#sec-testing-and-comparison-operations>).

use std::cmp::Ordering;

use super::Hint;
use crate::bigint;
use crate::number;
use crate::object::ObjectKind;
use crate::value::{Unpacked, Value};
use crate::vm::{Completion, Vm};

impl Vm {
    /// IsArray <https://tc39.es/ecma262/#sec-isarray>
    ///
    /// # Errors
    /// TypeError for a revoked proxy.
    pub fn is_array(&mut self, value: Value) -> Completion<bool> {
        let Some(mut object) = value.as_object() else { return Ok(false) };
        loop {
            match &self.heap[object].kind {
                ObjectKind::Array => return Ok(true),
                ObjectKind::Proxy(proxy) => match proxy.target {
                    Some(target) => object = target,
                    None => {
                        return Err(self.throw_type_error("Cannot perform 'IsArray' on a proxy that has been revoked"));
                    }
                },
                _ => return Ok(false),
            }
        }
    }

    /// IsLooselyEqual ( x, y ) <https://tc39.es/ecma262/#sec-islooselyequal>
    ///
    /// # Errors
    /// What ToPrimitive throws.
    pub fn is_loosely_equal(&mut self, x: Value, y: Value) -> Completion<bool> {
        let saved = self.roots.len();
        self.root(x);
        self.root(y);
        let result = self.is_loosely_equal_rooted(x, y);
        self.roots.truncate(saved);
        result
    }

    fn is_loosely_equal_rooted(&mut self, x: Value, y: Value) -> Completion<bool> {
        match (x.unpack(), y.unpack()) {
            (Unpacked::Undefined | Unpacked::Null, _) | (_, Unpacked::Undefined | Unpacked::Null) => {
                Ok(x.is_nullish() && y.is_nullish())
            }
            (Unpacked::Number(x), Unpacked::String(y)) => Ok(x == number::string_to_number(self.heap.flat_view(y))),
            (Unpacked::String(x), Unpacked::Number(y)) => Ok(y == number::string_to_number(self.heap.flat_view(x))),
            (Unpacked::BigInt(x), Unpacked::String(y)) | (Unpacked::String(y), Unpacked::BigInt(x)) => {
                Ok(bigint::parse(self.heap.flat_view(y)).is_some_and(|y| self.heap[x].0 == y))
            }
            (Unpacked::Boolean(x), Unpacked::Boolean(y)) => Ok(x == y),
            (Unpacked::Boolean(x), _) => self.is_loosely_equal_rooted(Value::int(i32::from(x)), y),
            (_, Unpacked::Boolean(y)) => self.is_loosely_equal_rooted(x, Value::int(i32::from(y))),
            (Unpacked::Object(_), Unpacked::Object(_)) => Ok(x == y),
            (_, Unpacked::Object(_)) => {
                let y = self.to_primitive(y, Hint::Default)?;
                self.is_loosely_equal_rooted(x, y)
            }
            (Unpacked::Object(_), _) => {
                let x = self.to_primitive(x, Hint::Default)?;
                self.is_loosely_equal_rooted(x, y)
            }
            (Unpacked::BigInt(x), Unpacked::Number(y)) | (Unpacked::Number(y), Unpacked::BigInt(x)) => {
                Ok(bigint::compare_f64(&self.heap[x].0, y) == Some(Ordering::Equal))
            }
            _ => Ok(self.heap.is_strictly_equal(x, y)),
        }
    }
}

/// The comparisons of the heap, for code that has the machine at hand.
impl Vm {
    /// IsCallable
    #[inline]
    pub fn is_callable(&self, value: Value) -> bool {
        self.heap.is_callable(value)
    }

    /// IsConstructor
    #[inline]
    pub fn is_constructor(&self, value: Value) -> bool {
        self.heap.is_constructor(value)
    }

    /// SameValue
    pub fn same_value(&mut self, x: Value, y: Value) -> bool {
        self.heap.same_value(x, y)
    }

    /// SameValueZero
    pub fn same_value_zero(&mut self, x: Value, y: Value) -> bool {
        self.heap.same_value_zero(x, y)
    }

    /// IsStrictlyEqual
    pub fn is_strictly_equal(&mut self, x: Value, y: Value) -> bool {
        self.heap.is_strictly_equal(x, y)
    }
}
