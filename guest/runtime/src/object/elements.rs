//! Elements: the properties of an object whose keys are array indices.

use std::collections::BTreeMap;

use thin_vec::ThinVec;

use super::Attributes;
use crate::heap::{Marker, Trace};
use crate::value::Value;

/// The most elements that an object stores; one more is a RangeError, as an array length over 2^32 - 1 is.
pub const MAX_ELEMENTS: u32 = 10_000_000;

/// A gap of this many holes never makes elements sparse.
const SMALL_GAP: u32 = 1024;

/// Elements cannot be stored.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ElementsError {
    /// Too many elements, or a length that no array can have: RangeError `Invalid array length`.
    InvalidLength,
}

impl ElementsError {
    /// The text of the RangeError.
    pub const MESSAGE: &'static str = "Invalid array length";
}

/// The elements of an object.
#[derive(Debug)]
pub enum Elements {
    /// By index; holes are EMPTY. All have the same attributes, which the object's flags know (usually all). The length of an
    /// array is the length of this.
    Dense(ThinVec<Value>),
    /// By index with attributes, in a tree; the value may be an accessor pair.
    Sparse(Box<SparseElements>),
}

/// Elements that are far apart or have unusual attributes.
#[derive(Debug, Default)]
pub struct SparseElements {
    pub(super) entries: BTreeMap<u32, (Value, Attributes)>,
    /// The length of an array.
    pub(super) length: u32,
}

impl Default for Elements {
    fn default() -> Self {
        Elements::Dense(ThinVec::new())
    }
}

impl Elements {
    /// The elements when they are dense, holes included.
    #[inline]
    pub fn dense(&self) -> Option<&[Value]> {
        match self {
            Elements::Dense(values) => Some(values),
            Elements::Sparse(_) => None,
        }
    }

    /// The elements when they are dense, for overwriting. Storing to frozen or shared layouts is the caller's responsibility.
    #[inline]
    pub fn dense_mut(&mut self) -> Option<&mut ThinVec<Value>> {
        match self {
            Elements::Dense(values) => Some(values),
            Elements::Sparse(_) => None,
        }
    }

    /// The element, when the elements are dense and it is neither a hole nor out of range.
    #[inline]
    pub fn dense_get(&self, index: u32) -> Option<Value> {
        match self {
            Elements::Dense(values) => values.get(index as usize).copied().filter(|value| !value.is_empty()),
            Elements::Sparse(_) => None,
        }
    }

    /// Overwrites the element, when the elements are dense and it is neither a hole nor out of range.
    #[inline]
    pub fn dense_set(&mut self, index: u32, value: Value) -> bool {
        match self {
            Elements::Dense(values) => match values.get_mut(index as usize) {
                Some(place) if !place.is_empty() => {
                    *place = value;
                    true
                }
                _ => false,
            },
            Elements::Sparse(_) => false,
        }
    }

    /// The length that an array with these elements has.
    #[inline]
    pub fn length(&self) -> u32 {
        match self {
            Elements::Dense(values) => values.len() as u32,
            Elements::Sparse(sparse) => sparse.length,
        }
    }

    /// Whether there is no element at all.
    pub fn has_none(&self) -> bool {
        match self {
            Elements::Dense(values) => values.iter().all(|value| value.is_empty()),
            Elements::Sparse(sparse) => sparse.entries.is_empty(),
        }
    }

    /// The element; dense ones have all attributes as far as this knows.
    #[inline]
    pub fn get(&self, index: u32) -> Option<(Value, Attributes)> {
        match self {
            Elements::Dense(_) => self.dense_get(index).map(|value| (value, Attributes::ALL)),
            Elements::Sparse(sparse) => sparse.entries.get(&index).copied(),
        }
    }

    /// The indices of all elements in ascending order.
    pub fn indices(&self) -> Vec<u32> {
        match self {
            Elements::Dense(values) => values
                .iter()
                .enumerate()
                .filter(|(_, value)| !value.is_empty())
                .map(|(index, _)| index as u32)
                .collect(),
            Elements::Sparse(sparse) => sparse.entries.keys().copied().collect(),
        }
    }

    /// Stores the element, present or not. With unusual attributes the elements become sparse. Answers by how many bytes the
    /// memory in use has grown.
    pub(super) fn put(&mut self, index: u32, value: Value, attributes: Attributes) -> Result<usize, ElementsError> {
        let before = self.payload_bytes();
        match self {
            Elements::Dense(values) if attributes == Attributes::ALL => {
                let length = values.len() as u32;
                if index < length {
                    values[index as usize] = value;
                    return Ok(0);
                }
                if index - length <= SMALL_GAP.saturating_add(length) {
                    if index >= MAX_ELEMENTS {
                        return Err(ElementsError::InvalidLength);
                    }
                    for _ in length..index {
                        values.push(Value::EMPTY);
                    }
                    values.push(value);
                    return Ok(self.payload_bytes().saturating_sub(before));
                }
            }
            _ => {}
        }
        let sparse = self.make_sparse(Attributes::ALL);
        if sparse.entries.len() >= MAX_ELEMENTS as usize && !sparse.entries.contains_key(&index) {
            return Err(ElementsError::InvalidLength);
        }
        sparse.entries.insert(index, (value, attributes));
        sparse.length = sparse.length.max(index.saturating_add(1));
        self.densify_when_full();
        Ok(self.payload_bytes().saturating_sub(before))
    }

    /// Appends to a dense array. Answers by how many bytes the memory in use has grown.
    #[inline]
    pub(super) fn push(&mut self, value: Value) -> Result<usize, ElementsError> {
        if let Elements::Dense(values) = self
            && values.len() < MAX_ELEMENTS as usize
        {
            if values.len() < values.capacity() {
                values.push(value);
                return Ok(0);
            }
            let before = values.capacity();
            values.push(value);
            return Ok((values.capacity() - before) * size_of::<Value>());
        }
        match self.length() {
            u32::MAX => Err(ElementsError::InvalidLength),
            length => self.put(length, value, Attributes::ALL),
        }
    }

    /// Deletes the element without asking for attributes. The length of an array does not change.
    pub(super) fn remove(&mut self, index: u32) {
        match self {
            Elements::Dense(values) => {
                if let Some(place) = values.get_mut(index as usize) {
                    *place = Value::EMPTY;
                }
            }
            Elements::Sparse(sparse) => {
                sparse.entries.remove(&index);
            }
        }
    }

    /// Sets the length of an array; elements behind it are deleted from the last one down, up to one that is not configurable.
    /// Answers the length reached.
    pub(super) fn set_length(&mut self, length: u32) -> u32 {
        match self {
            Elements::Dense(values) => {
                let current = values.len();
                if (length as usize) < current {
                    values.truncate(length as usize);
                    if values.capacity() > 64 && values.len() < values.capacity() / 4 {
                        values.shrink_to_fit();
                    }
                } else if length <= MAX_ELEMENTS {
                    values.resize(length as usize, Value::EMPTY);
                } else {
                    self.make_sparse(Attributes::ALL).length = length;
                }
                length
            }
            Elements::Sparse(sparse) => {
                while let Some((&index, &(_, attributes))) = sparse.entries.last_key_value()
                    && index >= length
                {
                    if !attributes.is_configurable() {
                        sparse.length = index + 1;
                        return index + 1;
                    }
                    sparse.entries.remove(&index);
                }
                sparse.length = length;
                if length == 0 {
                    *self = Elements::default();
                }
                length
            }
        }
    }

    /// Turns the elements into a tree in which each has the given attributes, if they are dense.
    pub(super) fn make_sparse(&mut self, attributes: Attributes) -> &mut SparseElements {
        if let Elements::Dense(values) = self {
            let entries = values
                .iter()
                .enumerate()
                .filter(|(_, value)| !value.is_empty())
                .map(|(index, &value)| (index as u32, (value, attributes)))
                .collect();
            *self = Elements::Sparse(Box::new(SparseElements { entries, length: values.len() as u32 }));
        }
        match self {
            Elements::Sparse(sparse) => sparse,
            Elements::Dense(_) => unreachable!("made sparse above"),
        }
    }

    /// Bytes owned outside the object's cell.
    pub(super) fn payload_bytes(&self) -> usize {
        match self {
            Elements::Dense(values) => values.capacity() * size_of::<Value>(),
            // A B-tree node is at least half full.
            Elements::Sparse(sparse) => sparse.entries.len() * 40,
        }
    }

    /// Whether there is memory to give back.
    #[inline]
    pub(super) fn owns_memory(&self) -> bool {
        match self {
            Elements::Dense(values) => values.capacity() != 0,
            Elements::Sparse(_) => true,
        }
    }

    /// Goes back to dense when most places are filled; asked only now and then.
    fn densify_when_full(&mut self) {
        let Elements::Sparse(sparse) = self else { return };
        let count = sparse.entries.len();
        if count < 64
            || !count.is_power_of_two()
            || sparse.length as usize > count * 2
            || sparse.length > MAX_ELEMENTS
            || sparse.entries.values().any(|&(_, attributes)| attributes != Attributes::ALL)
        {
            return;
        }
        let mut values = ThinVec::with_capacity(sparse.length as usize);
        values.resize(sparse.length as usize, Value::EMPTY);
        for (&index, &(value, _)) in &sparse.entries {
            values[index as usize] = value;
        }
        *self = Elements::Dense(values);
    }
}

impl Trace for Elements {
    fn trace(&self, marker: &mut Marker) {
        match self {
            Elements::Dense(values) => marker.mark_values(values),
            Elements::Sparse(sparse) => {
                for &(value, _) in sparse.entries.values() {
                    marker.mark_value(value);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dense_until_a_large_gap() {
        let mut elements = Elements::default();
        for index in 0..10 {
            elements.put(index, Value::from(index), Attributes::ALL).unwrap();
        }
        elements.put(20, Value::TRUE, Attributes::ALL).unwrap();
        assert_eq!(elements.length(), 21);
        assert_eq!(elements.get(15), None);
        elements.put(1_000_000, Value::TRUE, Attributes::ALL).unwrap();
        assert!(elements.dense().is_none());
        assert_eq!(elements.length(), 1_000_001);
        assert_eq!(elements.indices().len(), 12);
        assert_eq!(elements.set_length(5), 5);
        assert_eq!(elements.indices(), vec![0, 1, 2, 3, 4]);
    }

    #[test]
    fn fills_up_to_dense_again() {
        let mut elements = Elements::default();
        elements.put(4000, Value::TRUE, Attributes::ALL).unwrap();
        assert!(elements.dense().is_none());
        for index in 0..4000 {
            elements.put(index, Value::FALSE, Attributes::ALL).unwrap();
        }
        assert_eq!(elements.dense().unwrap().len(), 4001);
    }

    #[test]
    fn truncation_stops_at_what_cannot_be_deleted() {
        let mut elements = Elements::default();
        for index in 0..10 {
            elements.put(index, Value::from(index), Attributes::ALL).unwrap();
        }
        elements.put(4, Value::NULL, Attributes::WRITABLE).unwrap();
        assert_eq!(elements.set_length(0), 5);
        assert_eq!(elements.length(), 5);
        assert_eq!(elements.set_length(u32::MAX), u32::MAX);
        assert_eq!(elements.push(Value::NULL), Err(ElementsError::InvalidLength));
    }
}
