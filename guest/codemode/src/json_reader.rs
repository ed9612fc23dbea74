//! The data boundary inwards: JSON text becomes program values.

use std::fmt;

use codemode_runtime::names::keys;
use codemode_runtime::vm::Vm;
use codemode_runtime::{PropertyKey, Value};
use serde_json::de::{Deserializer, StrRead};

use serde::de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};

/// The value that a JSON text describes. Nothing of the program runs, and `__proto__` keys are dropped.
///
/// # Errors
/// One sentence when the text is not JSON.
pub(crate) fn from_json(vm: &mut Vm, text: &str) -> Result<Value, String> {
    // Only the heap is touched: no garbage collection happens, so nothing needs to be rooted.
    let mut deserializer = Deserializer::<StrRead<'_>>::from_str(text);
    let value = Reader { vm }.deserialize(&mut deserializer).map_err(|error| error.to_string())?;
    deserializer.end().map_err(|error| error.to_string())?;
    Ok(value)
}

struct Reader<'a> {
    vm: &'a mut Vm,
}

impl<'de> DeserializeSeed<'de> for Reader<'_> {
    type Value = Value;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Reader<'_> {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::boolean(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::number(value as f64))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::number(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::number(value))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        if value.len() > codemode_runtime::string::MAX_STRING_LENGTH as usize {
            return Err(E::custom("a string is too long"));
        }
        Ok(self.vm.string(value))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::NULL)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = items.next_element_seed(Reader { vm: &mut *self.vm })? {
            if values.len() >= codemode_runtime::object::MAX_ELEMENTS as usize {
                return Err(A::Error::custom("an array is too long"));
            }
            values.push(value);
        }
        Ok(Value::object(self.vm.create_array(values)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let object = self.vm.new_object();
        while let Some(key) = members.next_key_seed(KeyReader { vm: &mut *self.vm })? {
            let value = members.next_value_seed(Reader { vm: &mut *self.vm })?;
            if key != keys::PROTO {
                let created = self.vm.heap.create_data_property(object, key, value);
                created.map_err(|_| A::Error::custom("an object has too many members"))?;
            }
        }
        Ok(Value::object(object))
    }
}

struct KeyReader<'a> {
    vm: &'a mut Vm,
}

impl<'de> DeserializeSeed<'de> for KeyReader<'_> {
    type Value = PropertyKey;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<PropertyKey, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for KeyReader<'_> {
    type Value = PropertyKey;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a key")
    }

    fn visit_str<E>(self, value: &str) -> Result<PropertyKey, E> {
        Ok(self.vm.heap.key_from_str(value))
    }
}
