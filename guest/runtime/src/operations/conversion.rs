//! Type conversion (<https://tc39.es/ecma262/#sec-type-conversion>).

use crate::bigint;
use crate::heap::Gc;
use crate::names::{self, keys};
use crate::number;
use crate::object::{Object, ObjectKind, PackedValue};
use crate::property_key::PropertyKey;
use crate::string::JsString;
use crate::symbol;
use crate::value::{Unpacked, Value};
use crate::vm::{Completion, IntrinsicObject, Vm};

/// The preferred type of ToPrimitive.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Hint {
    /// `default`
    Default,
    /// `number`
    Number,
    /// `string`
    String,
}

impl Hint {
    fn text(self) -> Gc<JsString> {
        match self {
            Hint::Default => names::DEFAULT,
            Hint::Number => names::NUMBER,
            Hint::String => names::STRING,
        }
    }
}

impl Vm {
    /// ToPrimitive ( input [ , preferredType ] ) <https://tc39.es/ecma262/#sec-toprimitive>
    ///
    /// # Errors
    /// What the conversion methods throw; TypeError when they give no primitive.
    pub fn to_primitive(&mut self, value: Value, hint: Hint) -> Completion<Value> {
        let Some(object) = value.as_object() else { return Ok(value) };
        let saved = self.roots.len();
        self.root(value);
        let result = self.object_to_primitive(object, hint);
        self.roots.truncate(saved);
        result
    }

    fn object_to_primitive(&mut self, object: Gc<Object>, hint: Hint) -> Completion<Value> {
        let value = Value::object(object);
        let exotic = self.get_method(value, symbol::keys::TO_PRIMITIVE)?;
        if !exotic.is_undefined() {
            let result = self.call(exotic, value, &[Value::string(hint.text())])?;
            if result.is_object() {
                return Err(self.throw_type_error("Cannot convert object to primitive value"));
            }
            return Ok(result);
        }
        // OrdinaryToPrimitive ( O, hint ) <https://tc39.es/ecma262/#sec-ordinarytoprimitive>
        let order = match hint {
            Hint::String => [keys::TO_STRING, keys::VALUE_OF],
            Hint::Number | Hint::Default => [keys::VALUE_OF, keys::TO_STRING],
        };
        for key in order {
            let method = self.get(object, key)?;
            if self.heap.is_callable(method) {
                let result = self.call(method, value, &[])?;
                if !result.is_object() {
                    return Ok(result);
                }
            }
        }
        Err(self.throw_type_error("Cannot convert object to primitive value"))
    }

    /// ToBoolean
    pub fn to_boolean(&self, value: Value) -> bool {
        self.heap.to_boolean(value)
    }

    /// ToNumeric: a Number or BigInt value <https://tc39.es/ecma262/#sec-tonumeric>
    ///
    /// # Errors
    /// What ToPrimitive and ToNumber throw.
    pub fn to_numeric(&mut self, value: Value) -> Completion<Value> {
        if value.is_number() {
            return Ok(value);
        }
        let primitive = self.to_primitive(value, Hint::Number)?;
        if primitive.is_bigint() {
            return Ok(primitive);
        }
        self.to_number(primitive).map(Value::number)
    }

    /// ToNumber <https://tc39.es/ecma262/#sec-tonumber>
    ///
    /// # Errors
    /// TypeError for Symbols and BigInts; what ToPrimitive throws.
    #[inline]
    pub fn to_number(&mut self, value: Value) -> Completion<f64> {
        match value.as_number() {
            Some(number) => Ok(number),
            None => self.to_number_slow(value),
        }
    }

    fn to_number_slow(&mut self, value: Value) -> Completion<f64> {
        match value.unpack() {
            Unpacked::Number(number) => Ok(number),
            Unpacked::Undefined | Unpacked::Empty | Unpacked::Accessor(_) => Ok(f64::NAN),
            Unpacked::Null | Unpacked::Boolean(false) => Ok(0.0),
            Unpacked::Boolean(true) => Ok(1.0),
            Unpacked::String(string) => Ok(number::string_to_number(self.heap.flat_view(string))),
            Unpacked::Symbol(_) => Err(self.throw_type_error("Cannot convert a Symbol value to a number")),
            Unpacked::BigInt(_) => Err(self.throw_type_error("Cannot convert a BigInt value to a number")),
            Unpacked::Object(_) => {
                let primitive = self.to_primitive(value, Hint::Number)?;
                self.to_number_slow(primitive)
            }
        }
    }

    /// ToIntegerOrInfinity <https://tc39.es/ecma262/#sec-tointegerorinfinity>
    ///
    /// # Errors
    /// What ToNumber throws.
    #[inline]
    pub fn to_integer_or_infinity(&mut self, value: Value) -> Completion<f64> {
        if let Some(integer) = value.as_int() {
            return Ok(f64::from(integer));
        }
        self.to_number(value).map(number::to_integer_or_infinity)
    }

    /// ToInt32 <https://tc39.es/ecma262/#sec-toint32>
    ///
    /// # Errors
    /// What ToNumber throws.
    #[inline]
    pub fn to_int32(&mut self, value: Value) -> Completion<i32> {
        if let Some(integer) = value.as_int() {
            return Ok(integer);
        }
        self.to_number(value).map(number::to_int32)
    }

    /// ToUint32 <https://tc39.es/ecma262/#sec-touint32>
    ///
    /// # Errors
    /// What ToNumber throws.
    pub fn to_uint32(&mut self, value: Value) -> Completion<u32> {
        self.to_int32(value).map(|integer| integer as u32)
    }

    /// ToUint16 <https://tc39.es/ecma262/#sec-touint16>
    ///
    /// # Errors
    /// What ToNumber throws.
    pub fn to_uint16(&mut self, value: Value) -> Completion<u16> {
        self.to_int32(value).map(|integer| integer as u16)
    }

    /// ToBigInt <https://tc39.es/ecma262/#sec-tobigint>
    ///
    /// # Errors
    /// TypeError for what has no BigInt; SyntaxError for a String that is none; what ToPrimitive throws.
    pub fn to_bigint(&mut self, value: Value) -> Completion<num_bigint::BigInt> {
        let primitive = self.to_primitive(value, Hint::Number)?;
        match primitive.unpack() {
            Unpacked::BigInt(cell) => Ok(self.heap[cell].0.clone()),
            Unpacked::Boolean(boolean) => Ok(num_bigint::BigInt::from(u8::from(boolean))),
            Unpacked::String(string) => match bigint::parse(self.heap.flat_view(string)) {
                Some(number) => Ok(number),
                None => {
                    let text = self.heap.rust_string(string);
                    Err(self.throw_syntax_error(format!("Cannot convert {text} to a BigInt")))
                }
            },
            _ => {
                let text = self.display(primitive);
                Err(self.throw_type_error(format!("Cannot convert {text} to a BigInt")))
            }
        }
    }

    /// ToString <https://tc39.es/ecma262/#sec-tostring>
    ///
    /// # Errors
    /// TypeError for Symbols; what ToPrimitive throws.
    #[inline]
    pub fn to_string(&mut self, value: Value) -> Completion<Gc<JsString>> {
        match value.as_string() {
            Some(string) => Ok(string),
            None => self.to_string_slow(value),
        }
    }

    fn to_string_slow(&mut self, value: Value) -> Completion<Gc<JsString>> {
        match value.unpack() {
            Unpacked::String(string) => Ok(string),
            Unpacked::Undefined | Unpacked::Empty | Unpacked::Accessor(_) => Ok(names::UNDEFINED),
            Unpacked::Null => Ok(names::NULL),
            Unpacked::Boolean(true) => Ok(names::TRUE),
            Unpacked::Boolean(false) => Ok(names::FALSE),
            Unpacked::Number(number) => Ok(self.heap.number_to_string(number)),
            Unpacked::Symbol(_) => Err(self.throw_type_error("Cannot convert a Symbol value to a string")),
            Unpacked::BigInt(cell) => {
                let text = bigint::to_string_radix(&self.heap[cell].0, 10);
                Ok(self.heap.new_string_owned(text))
            }
            Unpacked::Object(_) => {
                let primitive = self.to_primitive(value, Hint::String)?;
                self.to_string_slow(primitive)
            }
        }
    }

    /// ToObject <https://tc39.es/ecma262/#sec-toobject>
    ///
    /// # Errors
    /// TypeError for undefined and null.
    pub fn to_object(&mut self, value: Value) -> Completion<Gc<Object>> {
        if let Some(object) = value.as_object() {
            return Ok(object);
        }
        if value.is_nullish() {
            return Err(self.throw_type_error("Cannot convert undefined or null to object"));
        }
        let prototype = self.prototype_for_primitive(value);
        Ok(self.heap.new_object_of_kind(Some(prototype), ObjectKind::Primitive(PackedValue::new(value))))
    }

    /// The prototype on which the properties of a primitive value are looked up.
    pub fn prototype_for_primitive(&self, value: Value) -> Gc<Object> {
        self.intrinsic(match value.unpack() {
            Unpacked::String(_) => IntrinsicObject::StringPrototype,
            Unpacked::Number(_) => IntrinsicObject::NumberPrototype,
            Unpacked::Boolean(_) => IntrinsicObject::BooleanPrototype,
            Unpacked::Symbol(_) => IntrinsicObject::SymbolPrototype,
            Unpacked::BigInt(_) => IntrinsicObject::BigIntPrototype,
            _ => IntrinsicObject::ObjectPrototype,
        })
    }

    /// ToPropertyKey <https://tc39.es/ecma262/#sec-topropertykey>
    ///
    /// # Errors
    /// What ToPrimitive throws.
    #[inline]
    pub fn to_property_key(&mut self, value: Value) -> Completion<PropertyKey> {
        match self.heap.key_from_primitive(value) {
            Some(key) => Ok(key),
            None => self.to_property_key_slow(value),
        }
    }

    fn to_property_key_slow(&mut self, value: Value) -> Completion<PropertyKey> {
        let primitive = self.to_primitive(value, Hint::String)?;
        if let Some(key) = self.heap.key_from_primitive(primitive) {
            return Ok(key);
        }
        let string = self.to_string(primitive)?;
        Ok(self.heap.key_from_string(string))
    }

    /// ToLength <https://tc39.es/ecma262/#sec-tolength>
    ///
    /// # Errors
    /// What ToNumber throws.
    #[inline]
    pub fn to_length(&mut self, value: Value) -> Completion<u64> {
        if let Some(integer) = value.as_int() {
            return Ok(integer.max(0) as u64);
        }
        let number = self.to_integer_or_infinity(value)?;
        Ok(number.clamp(0.0, 9_007_199_254_740_991.0) as u64)
    }

    /// ToIndex <https://tc39.es/ecma262/#sec-toindex>
    ///
    /// # Errors
    /// RangeError with the message for what is no index; what ToNumber throws.
    pub fn to_index(&mut self, value: Value, message: &str) -> Completion<usize> {
        let number = self.to_integer_or_infinity(value)?;
        if !(0.0..=9_007_199_254_740_991.0).contains(&number) {
            return Err(self.throw_range_error(message));
        }
        // More than memory can hold is answered as such by whoever allocates.
        Ok(number.min(usize::MAX as f64) as usize)
    }

    /// A relative index argument as in `slice`: ToIntegerOrInfinity, negative from the end, clamped to the length. `default` is used for
    /// undefined.
    ///
    /// # Errors
    /// What ToNumber throws.
    pub fn to_relative_index(&mut self, value: Value, length: u64, default: u64) -> Completion<u64> {
        if value.is_undefined() {
            return Ok(default);
        }
        let relative = self.to_integer_or_infinity(value)?;
        let length = length as f64;
        let index = if relative < 0.0 { (length + relative).max(0.0) } else { relative.min(length) };
        Ok(index as u64)
    }
}
