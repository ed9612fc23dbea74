//! Internal slots of ArrayBuffer, TypedArray and DataView objects, and reading and writing their elements
//! (<https://tc39.es/ecma262/#sec-rawbytestonumeric>).

use num_bigint::BigInt;

use super::{Object, ObjectKind};
use crate::bigint;
use crate::heap::{Gc, Heap};
use crate::number;
use crate::value::Value;

/// The element types of typed arrays.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum ElementType {
    /// Int8Array
    Int8,
    /// Uint8Array
    Uint8,
    /// Uint8ClampedArray
    Uint8Clamped,
    /// Int16Array
    Int16,
    /// Uint16Array
    Uint16,
    /// Int32Array
    Int32,
    /// Uint32Array
    Uint32,
    /// BigInt64Array
    BigInt64,
    /// BigUint64Array
    BigUint64,
    /// Float16Array
    Float16,
    /// Float32Array
    Float32,
    /// Float64Array
    Float64,
}

impl ElementType {
    /// All element types.
    pub const ALL: [ElementType; 12] = [
        ElementType::Int8,
        ElementType::Uint8,
        ElementType::Uint8Clamped,
        ElementType::Int16,
        ElementType::Uint16,
        ElementType::Int32,
        ElementType::Uint32,
        ElementType::BigInt64,
        ElementType::BigUint64,
        ElementType::Float16,
        ElementType::Float32,
        ElementType::Float64,
    ];

    /// Bytes of an element.
    pub const fn size(self) -> usize {
        match self {
            ElementType::Int8 | ElementType::Uint8 | ElementType::Uint8Clamped => 1,
            ElementType::Int16 | ElementType::Uint16 | ElementType::Float16 => 2,
            ElementType::Int32 | ElementType::Uint32 | ElementType::Float32 => 4,
            ElementType::BigInt64 | ElementType::BigUint64 | ElementType::Float64 => 8,
        }
    }

    /// Whether elements are BigInts.
    pub const fn is_bigint(self) -> bool {
        matches!(self, ElementType::BigInt64 | ElementType::BigUint64)
    }

    /// The name of the constructor.
    pub const fn constructor_name(self) -> &'static str {
        match self {
            ElementType::Int8 => "Int8Array",
            ElementType::Uint8 => "Uint8Array",
            ElementType::Uint8Clamped => "Uint8ClampedArray",
            ElementType::Int16 => "Int16Array",
            ElementType::Uint16 => "Uint16Array",
            ElementType::Int32 => "Int32Array",
            ElementType::Uint32 => "Uint32Array",
            ElementType::BigInt64 => "BigInt64Array",
            ElementType::BigUint64 => "BigUint64Array",
            ElementType::Float16 => "Float16Array",
            ElementType::Float32 => "Float32Array",
            ElementType::Float64 => "Float64Array",
        }
    }
}

/// Internal slots of an ArrayBuffer or SharedArrayBuffer.
#[derive(Debug, Default)]
pub struct ArrayBuffer {
    /// \[\[ArrayBufferData]]
    pub bytes: Vec<u8>,
    /// \[\[ArrayBufferMaxByteLength]] of a resizable buffer.
    pub max_length: Option<usize>,
    /// IsDetachedBuffer
    pub is_detached: bool,
    /// Whether it is a SharedArrayBuffer.
    pub is_shared: bool,
}

impl ArrayBuffer {
    /// A buffer of fixed length.
    pub fn new(bytes: Vec<u8>) -> Self {
        Self { bytes, ..Self::default() }
    }

    /// DetachArrayBuffer
    pub fn detach(&mut self) -> Vec<u8> {
        self.is_detached = true;
        std::mem::take(&mut self.bytes)
    }

    pub(super) fn payload_bytes(&self) -> usize {
        size_of::<Self>() + self.bytes.capacity()
    }
}

/// Internal slots of a typed array.
#[derive(Copy, Clone, Debug)]
pub struct TypedArray {
    /// The element type.
    pub element: ElementType,
    /// \[\[ViewedArrayBuffer]]
    pub buffer: Gc<Object>,
    /// \[\[ByteOffset]]
    pub byte_offset: usize,
    /// \[\[ArrayLength]]; `None` when it follows the buffer's length.
    pub length: Option<usize>,
}

impl TypedArray {
    /// Where the element starts in a buffer of that many bytes; `None` when the index is not valid, which includes arrays that
    /// are out of bounds. A detached buffer has no bytes.
    #[inline]
    fn element_start(&self, index: usize, available: usize) -> Option<usize> {
        let size = self.element.size();
        let start = index.checked_mul(size)?.checked_add(self.byte_offset)?;
        let end = match self.length {
            Some(length) if index < length => self.byte_offset + length * size,
            Some(_) => return None,
            None => start.checked_add(size)?,
        };
        (end <= available).then_some(start)
    }
}

/// Internal slots of a DataView.
#[derive(Copy, Clone, Debug)]
pub struct DataView {
    /// \[\[ViewedArrayBuffer]]
    pub buffer: Gc<Object>,
    /// \[\[ByteOffset]]
    pub byte_offset: usize,
    /// \[\[ByteLength]]; `None` when it follows the buffer's length.
    pub length: Option<usize>,
}

/// A value converted for storing.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct RawElement {
    bytes: [u8; 8],
    size: u8,
}

impl RawElement {
    /// NumericToRawBytes of a Number, little-endian. The type must not be a BigInt type.
    pub fn from_number(element: ElementType, number: f64) -> Self {
        match element {
            ElementType::Int8 | ElementType::Uint8 => Self::of(&[number::to_int32(number) as u8]),
            ElementType::Uint8Clamped => Self::of(&[number::to_uint8_clamp(number)]),
            ElementType::Int16 | ElementType::Uint16 => Self::of(&(number::to_int32(number) as u16).to_le_bytes()),
            ElementType::Int32 | ElementType::Uint32 => Self::of(&number::to_int32(number).to_le_bytes()),
            ElementType::Float16 => Self::of(&f64_to_f16_bits(number).to_le_bytes()),
            ElementType::Float32 => Self::of(&(number as f32).to_le_bytes()),
            ElementType::Float64 | ElementType::BigInt64 | ElementType::BigUint64 => Self::of(&number.to_le_bytes()),
        }
    }

    /// NumericToRawBytes of a BigInt, little-endian.
    pub fn from_bigint(number: &BigInt) -> Self {
        Self::of(&bigint::to_u64_wrapping(number).to_le_bytes())
    }

    /// The bytes, little-endian.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.size as usize]
    }

    fn of(source: &[u8]) -> Self {
        let mut bytes = [0; 8];
        bytes[..source.len()].copy_from_slice(source);
        Self { bytes, size: source.len() as u8 }
    }
}

impl Heap {
    /// The buffer's slots; `None` when the object is no buffer.
    #[inline]
    pub fn array_buffer(&self, object: Gc<Object>) -> Option<&ArrayBuffer> {
        match &self[object].kind {
            ObjectKind::ArrayBuffer(buffer) => Some(buffer),
            _ => None,
        }
    }

    /// The buffer's slots, for writing. Changes of size must be charged.
    #[inline]
    pub fn array_buffer_mut(&mut self, object: Gc<Object>) -> Option<&mut ArrayBuffer> {
        match &mut self[object].kind {
            ObjectKind::ArrayBuffer(buffer) => Some(buffer),
            _ => None,
        }
    }

    /// The typed array's slots.
    #[inline]
    pub fn typed_array(&self, object: Gc<Object>) -> Option<TypedArray> {
        match &self[object].kind {
            ObjectKind::TypedArray(array) => Some(**array),
            _ => None,
        }
    }

    /// TypedArrayLength; `None` when the array is out of bounds or its buffer detached
    /// (<https://tc39.es/ecma262/#sec-istypedarrayoutofbounds>).
    pub fn typed_array_length(&self, array: &TypedArray) -> Option<usize> {
        let buffer = self.array_buffer(array.buffer).filter(|buffer| !buffer.is_detached)?;
        let available = buffer.bytes.len().checked_sub(array.byte_offset)?;
        let capacity = available / array.element.size();
        match array.length {
            Some(length) => (length <= capacity).then_some(length),
            None => Some(capacity),
        }
    }

    /// The byte length of a view; `None` when it is out of bounds or its buffer detached.
    pub fn data_view_byte_length(&self, view: &DataView) -> Option<usize> {
        let buffer = self.array_buffer(view.buffer).filter(|buffer| !buffer.is_detached)?;
        let available = buffer.bytes.len().checked_sub(view.byte_offset)?;
        match view.length {
            Some(length) => (length <= available).then_some(length),
            None => Some(available),
        }
    }

    /// TypedArrayGetElement; `None` for an invalid index.
    pub fn typed_array_get_at(&mut self, array: &TypedArray, index: usize) -> Option<Value> {
        let bytes = &self.array_buffer(array.buffer)?.bytes;
        let place = bytes.get(array.element_start(index, bytes.len())?..)?;
        Some(match array.element {
            ElementType::Int8 => Value::int(i32::from(*place.first()? as i8)),
            ElementType::Uint8 | ElementType::Uint8Clamped => Value::int(i32::from(*place.first()?)),
            ElementType::Int16 => Value::int(i32::from(i16::from_le_bytes(*place.first_chunk()?))),
            ElementType::Uint16 => Value::int(i32::from(u16::from_le_bytes(*place.first_chunk()?))),
            ElementType::Int32 => Value::int(i32::from_le_bytes(*place.first_chunk()?)),
            ElementType::Uint32 => Value::from(u32::from_le_bytes(*place.first_chunk()?)),
            ElementType::Float16 => Value::number(f16_bits_to_f64(u16::from_le_bytes(*place.first_chunk()?))),
            ElementType::Float32 => Value::number(f64::from(f32::from_le_bytes(*place.first_chunk()?))),
            ElementType::Float64 => Value::number(f64::from_le_bytes(*place.first_chunk()?)),
            ElementType::BigInt64 | ElementType::BigUint64 => {
                let raw = *place.first_chunk()?;
                self.element_from_bytes(array.element, raw)
            }
        })
    }

    /// Stores a converted element; answers whether the index is valid.
    pub fn typed_array_set_at(&mut self, array: &TypedArray, index: usize, element: RawElement) -> bool {
        let Some(buffer) = self.array_buffer_mut(array.buffer) else { return false };
        let Some(start) = array.element_start(index, buffer.bytes.len()) else { return false };
        match buffer.bytes.get_mut(start..start + element.bytes().len()) {
            Some(place) => {
                place.copy_from_slice(element.bytes());
                true
            }
            None => false,
        }
    }

    /// The element of a typed array; `None` for other objects and invalid indices.
    #[inline]
    pub fn typed_array_get(&mut self, object: Gc<Object>, index: u32) -> Option<Value> {
        let array = self.typed_array(object)?;
        self.typed_array_get_at(&array, index as usize)
    }

    /// Stores a Number in an element of a typed array of Numbers; false when nothing was stored because anything is different.
    #[inline]
    pub fn typed_array_set(&mut self, object: Gc<Object>, index: u32, value: Value) -> bool {
        match (self.typed_array(object), value.as_number()) {
            (Some(array), Some(number)) if !array.element.is_bigint() => {
                self.typed_array_set_at(&array, index as usize, RawElement::from_number(array.element, number))
            }
            _ => false,
        }
    }

    /// RawBytesToNumeric of little-endian bytes, of which the first ones count.
    pub fn element_from_bytes(&mut self, element: ElementType, raw: [u8; 8]) -> Value {
        let [a, b, c, d, ..] = raw;
        match element {
            ElementType::Int8 => Value::int(i32::from(a as i8)),
            ElementType::Uint8 | ElementType::Uint8Clamped => Value::int(i32::from(a)),
            ElementType::Int16 => Value::int(i32::from(i16::from_le_bytes([a, b]))),
            ElementType::Uint16 => Value::int(i32::from(u16::from_le_bytes([a, b]))),
            ElementType::Int32 => Value::int(i32::from_le_bytes([a, b, c, d])),
            ElementType::Uint32 => Value::from(u32::from_le_bytes([a, b, c, d])),
            ElementType::Float16 => Value::number(f16_bits_to_f64(u16::from_le_bytes([a, b]))),
            ElementType::Float32 => Value::number(f64::from(f32::from_le_bytes([a, b, c, d]))),
            ElementType::Float64 => Value::number(f64::from_le_bytes(raw)),
            ElementType::BigInt64 => self.new_bigint(i64::from_le_bytes(raw).into()),
            ElementType::BigUint64 => self.new_bigint(u64::from_le_bytes(raw).into()),
        }
    }
}

/// The number nearest to the double in the binary16 format, ties to even.
pub fn f64_to_f16_bits(number: f64) -> u16 {
    let bits = number.to_bits();
    let sign = (bits >> 48) as u16 & 0x8000;
    if number.is_nan() {
        return sign | 0x7E00;
    }
    let magnitude = number.abs();
    // Half-way between the largest finite number and the next power of two.
    if magnitude >= 65520.0 {
        return sign | 0x7C00;
    }
    // Numbers below 2^-14 are multiples of 2^-24; above, the mantissa has 10 bits.
    let exponent = if magnitude < 6.103_515_625e-5 { -14 } else { ((bits >> 52) & 0x7FF) as i32 - 1023 };
    let unit = f64::from_bits(((exponent - 10 + 1023) as u64) << 52);
    // Exact: a division by a power of two of a number not below it by more than the double's own range.
    let quotient = magnitude / unit;
    let mut count = quotient as u32;
    let rest = quotient - f64::from(count);
    if rest > 0.5 || (rest == 0.5 && count % 2 == 1) {
        count += 1;
    }
    // A carry out of the mantissa goes on into the exponent.
    let base = if magnitude < 6.103_515_625e-5 { 0 } else { ((exponent + 14) as u32) << 10 };
    sign | (base + count) as u16
}

/// The number of a binary16 pattern.
pub fn f16_bits_to_f64(bits: u16) -> f64 {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let exponent = i32::from(bits >> 10 & 0x1F);
    let mantissa = f64::from(bits & 0x3FF);
    let unit = f64::from_bits((1023 - 24) << 52);
    match exponent {
        0 => sign * mantissa * unit,
        31 if mantissa == 0.0 => sign * f64::INFINITY,
        31 => f64::NAN,
        _ => sign * (1024.0 + mantissa) * f64::from_bits(((exponent - 25 + 1023) as u64) << 52),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_precision_round_trips() {
        for bits in 0..=u16::MAX {
            let number = f16_bits_to_f64(bits);
            if number.is_nan() {
                assert!(f16_bits_to_f64(f64_to_f16_bits(number)).is_nan());
            } else {
                assert_eq!(f64_to_f16_bits(number), bits, "{number}");
            }
        }
        assert_eq!(f64_to_f16_bits(65519.99), 0x7BFF);
        assert_eq!(f64_to_f16_bits(65520.0), 0x7C00);
        assert_eq!(f64_to_f16_bits(2.980232238769531e-8), 0);
        assert_eq!(f64_to_f16_bits(2.980232238769532e-8), 1);
        assert_eq!(f64_to_f16_bits(1.0 + 1.0 / 2048.0), 0x3C00);
        assert_eq!(f64_to_f16_bits(2048.0 - 0.25), 0x6800);
    }
}
