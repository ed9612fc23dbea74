//! Testing and comparing values without running JavaScript
//! (<https://tc39.es/ecma262/#sec-testing-and-comparison-operations>).

use crate::heap::{Gc, Heap};
use crate::names;
use crate::string::JsString;
use crate::value::{Unpacked, Value};

impl Heap {
    /// IsCallable
    #[inline]
    pub fn is_callable(&self, value: Value) -> bool {
        value.as_object().is_some_and(|object| self[object].is_callable())
    }

    /// IsConstructor
    #[inline]
    pub fn is_constructor(&self, value: Value) -> bool {
        value.as_object().is_some_and(|object| self[object].is_constructor())
    }

    /// ToBoolean (<https://tc39.es/ecma262/#sec-toboolean>)
    #[inline]
    pub fn to_boolean(&self, value: Value) -> bool {
        if let Some(boolean) = value.as_bool() {
            return boolean;
        }
        match value.unpack() {
            Unpacked::Object(_) | Unpacked::Symbol(_) => true,
            Unpacked::Number(number) => number != 0.0 && !number.is_nan(),
            Unpacked::String(string) => !self[string].is_empty(),
            Unpacked::BigInt(bigint) => self[bigint].0 != num_bigint::BigInt::ZERO,
            Unpacked::Boolean(boolean) => boolean,
            Unpacked::Undefined | Unpacked::Null | Unpacked::Empty | Unpacked::Accessor(_) => false,
        }
    }

    /// The text of the typeof operator (<https://tc39.es/ecma262/#sec-typeof-operator>).
    pub fn type_of(&self, value: Value) -> Gc<JsString> {
        match value.unpack() {
            Unpacked::Undefined | Unpacked::Empty | Unpacked::Accessor(_) => names::UNDEFINED,
            Unpacked::Null => names::OBJECT,
            Unpacked::Boolean(_) => names::BOOLEAN,
            Unpacked::Number(_) => names::NUMBER,
            Unpacked::String(_) => names::STRING,
            Unpacked::Symbol(_) => names::SYMBOL,
            Unpacked::BigInt(_) => names::BIGINT,
            Unpacked::Object(object) if self[object].is_callable() => names::FUNCTION,
            Unpacked::Object(_) => names::OBJECT,
        }
    }

    /// SameValue (<https://tc39.es/ecma262/#sec-samevalue>)
    pub fn same_value(&mut self, a: Value, b: Value) -> bool {
        match (a.as_number(), b.as_number()) {
            (Some(x), Some(y)) => x.to_bits() == y.to_bits() || (x.is_nan() && y.is_nan()),
            (None, None) => self.same_non_number(a, b),
            _ => false,
        }
    }

    /// SameValueZero (<https://tc39.es/ecma262/#sec-samevaluezero>)
    pub fn same_value_zero(&mut self, a: Value, b: Value) -> bool {
        match (a.as_number(), b.as_number()) {
            (Some(x), Some(y)) => x == y || (x.is_nan() && y.is_nan()),
            (None, None) => self.same_non_number(a, b),
            _ => false,
        }
    }

    /// IsStrictlyEqual (<https://tc39.es/ecma262/#sec-isstrictlyequal>)
    pub fn is_strictly_equal(&mut self, a: Value, b: Value) -> bool {
        match (a.as_number(), b.as_number()) {
            (Some(x), Some(y)) => x == y,
            (None, None) => self.same_non_number(a, b),
            _ => false,
        }
    }

    /// SameValueNonNumber (<https://tc39.es/ecma262/#sec-samevaluenonnumber>)
    fn same_non_number(&mut self, a: Value, b: Value) -> bool {
        if a == b {
            return true;
        }
        if let (Some(x), Some(y)) = (a.as_string(), b.as_string()) {
            return self.strings_equal(x, y);
        }
        match (a.as_bigint(), b.as_bigint()) {
            (Some(x), Some(y)) => self[x].0 == self[y].0,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equalities() {
        let mut heap = Heap::new();
        let zero = Value::int(0);
        let negative = Value::double(-0.0);
        assert!(heap.is_strictly_equal(zero, negative) && heap.same_value_zero(zero, negative));
        assert!(!heap.same_value(zero, negative));
        assert!(heap.same_value(Value::int(2), Value::double(2.0)));
        assert!(!heap.is_strictly_equal(Value::NAN, Value::NAN) && heap.same_value(Value::NAN, Value::NAN));
        let a = Value::string(heap.new_string("some text that is long"));
        let b = Value::string(heap.new_string("some text that is long"));
        assert!(heap.is_strictly_equal(a, b) && !heap.is_strictly_equal(a, Value::NULL));
        let big = heap.new_bigint(5.into());
        let same = heap.new_bigint(5.into());
        assert!(heap.same_value(big, same) && !heap.is_strictly_equal(big, Value::int(5)));
    }

    #[test]
    fn truth() {
        let mut heap = Heap::new();
        let empty = Value::string(names::EMPTY);
        let zero = heap.new_bigint(0.into());
        for value in
            [Value::UNDEFINED, Value::NULL, Value::FALSE, Value::int(0), Value::double(-0.0), Value::NAN, empty, zero]
        {
            assert!(!heap.to_boolean(value), "{value:?}");
        }
        let object = Value::object(heap.new_object(None));
        for value in [Value::TRUE, Value::int(-1), Value::double(0.5), Value::string(names::FALSE), object] {
            assert!(heap.to_boolean(value), "{value:?}");
        }
        assert_eq!(heap.type_of(object), names::OBJECT);
        assert_eq!(heap.type_of(Value::NULL), names::OBJECT);
    }
}
