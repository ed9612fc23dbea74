//! The data of Map and Set: a hash table that remembers the order of insertion and can change while it is iterated.

use hashbrown::{HashMap, HashTable};
use num_bigint::BigInt;
use rustc_hash::FxBuildHasher;

use crate::heap::{Heap, Marker, Trace};
use crate::value::Value;

/// A key in the form that makes SameValueZero a comparison of bits: Numbers in one form without -0, Strings interned. BigInts,
/// for which no such form exists, bring their number along.
#[derive(Clone, Debug)]
pub struct TableKey {
    value: Value,
    bigint: Option<BigInt>,
}

impl TableKey {
    /// The value that the table stores.
    pub fn value(&self) -> Value {
        self.value
    }
}

/// Entries in order of insertion.
///
/// Each entry has a position, a number that never changes and grows from entry to entry; iterators remember the position that
/// they look at next, whatever happens to the table meanwhile.
#[derive(Debug, Default)]
pub struct OrderedTable {
    /// Key and value; the key is EMPTY when the entry was removed.
    entries: Vec<(Value, Value)>,
    /// The positions of the entries; empty while they are consecutive numbers from `first` on.
    positions: Vec<u64>,
    first: u64,
    /// Indices into `entries` by key.
    index: HashTable<u32>,
    /// The same for BigInt keys.
    bigints: Option<Box<HashMap<BigInt, u32, FxBuildHasher>>>,
    live: u32,
}

impl OrderedTable {
    /// The most entries, removed ones included, as arrays have.
    pub const MAX_ENTRIES: usize = 1 << 24;

    /// Number of entries.
    #[inline]
    pub fn len(&self) -> usize {
        self.live as usize
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.live == 0
    }

    /// Whether no further entry fits.
    pub fn is_full(&self) -> bool {
        self.live as usize >= Self::MAX_ENTRIES
    }

    /// The value of the key.
    #[inline]
    pub fn get(&self, key: &TableKey) -> Option<Value> {
        self.find(key).map(|index| self.entries[index].1)
    }

    /// Whether the key is there.
    #[inline]
    pub fn contains(&self, key: &TableKey) -> bool {
        self.find(key).is_some()
    }

    /// Sets the value of the key, appending an entry when it is new. Answers by how many bytes memory has grown.
    pub fn insert(&mut self, key: &TableKey, value: Value) -> usize {
        if let Some(index) = self.find(key) {
            self.entries[index].1 = value;
            return 0;
        }
        let before = self.payload_bytes();
        if self.entries.len() == self.entries.capacity() && self.entries.len() - self.len() > self.entries.len() / 2 {
            self.compact();
        }
        let index = self.entries.len() as u32;
        if !self.positions.is_empty() {
            let position = self.next_position();
            self.positions.push(position);
        }
        self.entries.push((key.value, value));
        match &key.bigint {
            Some(number) => {
                self.bigints.get_or_insert_default().insert(number.clone(), index);
            }
            None => {
                let entries = &self.entries;
                self.index.insert_unique(hash(key.value), index, |&index| hash(entries[index as usize].0));
            }
        }
        self.live += 1;
        self.payload_bytes().saturating_sub(before)
    }

    /// Removes the key; answers whether it was there.
    pub fn remove(&mut self, key: &TableKey) -> bool {
        let index = match &key.bigint {
            Some(number) => match self.bigints.as_mut().and_then(|map| map.remove(number)) {
                Some(index) => index,
                None => return false,
            },
            None => {
                match self.index.find_entry(hash(key.value), |&index| self.entries[index as usize].0 == key.value) {
                    Ok(found) => found.remove().0,
                    Err(_) => return false,
                }
            }
        };
        self.entries[index as usize] = (Value::EMPTY, Value::UNDEFINED);
        self.live -= 1;
        if self.entries.len() > 32 && self.len() < self.entries.len() / 4 {
            self.compact();
        }
        true
    }

    /// Removes all entries.
    pub fn clear(&mut self) {
        let first = self.next_position();
        *self = Self { first, ..Self::default() };
    }

    /// The first entry at or after the position: its position, key and value. A new iterator starts at 0 and goes on at the
    /// answered position plus one.
    #[inline]
    pub fn next_from(&self, position: u64) -> Option<(u64, Value, Value)> {
        let mut index = self.index_from(position);
        while let Some(&(key, value)) = self.entries.get(index) {
            if !key.is_empty() {
                return Some((self.position_of(index), key, value));
            }
            index += 1;
        }
        None
    }

    /// The entry at exactly this position.
    pub fn at(&self, position: u64) -> Option<(Value, Value)> {
        self.next_from(position).filter(|&(found, ..)| found == position).map(|(_, key, value)| (key, value))
    }

    /// All entries in order.
    pub fn iter(&self) -> impl Iterator<Item = (Value, Value)> + '_ {
        self.entries.iter().copied().filter(|(key, _)| !key.is_empty())
    }

    /// Bytes owned by the table.
    pub fn payload_bytes(&self) -> usize {
        size_of::<Self>()
            + self.entries.capacity() * size_of::<(Value, Value)>()
            + self.positions.capacity() * size_of::<u64>()
            + self.index.capacity() * 5
            + self.bigints.as_ref().map_or(0, |map| map.capacity() * 64)
    }

    #[inline]
    fn find(&self, key: &TableKey) -> Option<usize> {
        let index = match &key.bigint {
            Some(number) => *self.bigints.as_ref()?.get(number)?,
            None => *self.index.find(hash(key.value), |&index| self.entries[index as usize].0 == key.value)?,
        };
        Some(index as usize)
    }

    #[inline]
    fn position_of(&self, index: usize) -> u64 {
        self.positions.get(index).copied().unwrap_or(self.first + index as u64)
    }

    fn next_position(&self) -> u64 {
        match self.positions.last() {
            Some(last) => last + 1,
            None => self.first + self.entries.len() as u64,
        }
    }

    /// Index of the first entry at or after the position.
    #[inline]
    fn index_from(&self, position: u64) -> usize {
        if self.positions.is_empty() {
            position.saturating_sub(self.first) as usize
        } else {
            self.positions.partition_point(|&other| other < position)
        }
    }

    /// Forgets removed entries.
    fn compact(&mut self) {
        let mut entries = Vec::with_capacity(self.len());
        let mut positions = Vec::with_capacity(self.len());
        let next = self.next_position();
        for (index, &entry) in self.entries.iter().enumerate() {
            if !entry.0.is_empty() {
                positions.push(self.position_of(index));
                entries.push(entry);
            }
        }
        let first = positions.first().copied().unwrap_or(next);
        let consecutive = first + entries.len() as u64 == next;
        self.first = first;
        self.positions = if consecutive { Vec::new() } else { positions };
        self.entries = entries;
        let entries = &self.entries;
        self.index = HashTable::with_capacity(entries.len());
        let mut moved = HashMap::with_hasher(FxBuildHasher);
        for (index, &(key, _)) in entries.iter().enumerate() {
            if key.is_bigint() {
                moved.insert(key, index as u32);
            } else {
                self.index.insert_unique(hash(key), index as u32, |&index| hash(entries[index as usize].0));
            }
        }
        if let Some(bigints) = &mut self.bigints {
            // The old indices are of the old order, which is the same: renumber by rank.
            let mut old: Vec<&mut u32> = bigints.values_mut().collect();
            old.sort_unstable_by_key(|index| **index);
            let mut new: Vec<u32> = moved.into_values().collect();
            new.sort_unstable();
            for (place, index) in old.into_iter().zip(new) {
                *place = index;
            }
        }
    }
}

impl Heap {
    /// The value as a key of an [`OrderedTable`].
    #[inline]
    pub fn table_key(&mut self, value: Value) -> TableKey {
        if value.is_object() || value.is_int() {
            return TableKey { value, bigint: None };
        }
        if let Some(string) = value.as_string() {
            return TableKey { value: Value::string(self.intern(string)), bigint: None };
        }
        if let Some(number) = value.as_number() {
            // Adding 0 turns -0 into +0.
            return TableKey { value: Value::number(number + 0.0), bigint: None };
        }
        let bigint = value.as_bigint().map(|cell| self[cell].0.clone());
        TableKey { value, bigint }
    }
}

impl Trace for OrderedTable {
    fn trace(&self, marker: &mut Marker) {
        for &(key, value) in &self.entries {
            marker.mark_value(key);
            marker.mark_value(value);
        }
    }
}

#[inline]
fn hash(key: Value) -> u64 {
    let product = key.bits().wrapping_mul(0x9E37_79B9_7F4A_7C15);
    product ^ product >> 32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_value_zero() {
        let mut heap = Heap::new();
        let mut table = OrderedTable::default();
        let values = [
            (Value::double(-0.0), Value::int(0)),
            (Value::NAN, Value::double(f64::NAN)),
            (Value::double(3.0), Value::int(3)),
            (Value::string(heap.new_string("a rather long key")), Value::string(heap.new_string("a rather long key"))),
            (heap.new_bigint(12.into()), heap.new_bigint(12.into())),
        ];
        for (index, (key, _)) in values.into_iter().enumerate() {
            let key = heap.table_key(key);
            table.insert(&key, Value::from(index));
        }
        assert_eq!(table.len(), 5);
        for (index, (_, same)) in values.into_iter().enumerate() {
            let key = heap.table_key(same);
            assert_eq!(table.get(&key), Some(Value::from(index)));
        }
        let other = heap_bigint(&mut heap, 13);
        let key = heap.table_key(other);
        assert!(!table.contains(&key));
    }

    #[test]
    fn iteration_survives_changes() {
        let mut heap = Heap::new();
        let mut table = OrderedTable::default();
        for i in 0..1000 {
            let value = if i % 10 == 0 { heap_bigint(&mut heap, i) } else { Value::int(i) };
            let key = heap.table_key(value);
            table.insert(&key, Value::int(i));
        }
        let mut position = 0;
        let mut seen = Vec::new();
        while let Some((at, _, value)) = table.next_from(position) {
            position = at + 1;
            let i = value.as_int().unwrap();
            seen.push(i);
            // Everything but multiples of 7 goes away behind and ahead of the iteration; something is added at the end.
            if i == 500 {
                for j in (0..1000).filter(|j| j % 7 != 0) {
                    let value = if j % 10 == 0 { heap_bigint(&mut heap, j) } else { Value::int(j) };
                    let key = heap.table_key(value);
                    assert!(table.remove(&key));
                }
                let key = heap.table_key(Value::int(5000));
                table.insert(&key, Value::int(5000));
            }
        }
        let mut expected: Vec<i32> = (0..=500).collect();
        expected.extend((501..1000).filter(|j| j % 7 == 0));
        expected.push(5000);
        assert_eq!(seen, expected);
        for j in (0..1000).filter(|j| j % 7 == 0) {
            let value = if j % 10 == 0 { heap_bigint(&mut heap, j) } else { Value::int(j) };
            let key = heap.table_key(value);
            assert_eq!(table.get(&key), Some(Value::int(j)));
        }
        table.clear();
        assert_eq!(table.next_from(0), None);
        let key = heap.table_key(Value::NULL);
        table.insert(&key, Value::TRUE);
        assert_eq!(table.next_from(position).map(|(_, key, _)| key), Some(Value::NULL));
    }

    #[test]
    fn queue_use_stays_small() {
        let mut heap = Heap::new();
        let mut table = OrderedTable::default();
        for i in 0..100_000 {
            let key = heap.table_key(Value::int(i));
            table.insert(&key, Value::UNDEFINED);
            if i >= 10 {
                let key = heap.table_key(Value::int(i - 10));
                assert!(table.remove(&key));
            }
        }
        assert!(table.entries.capacity() < 256 && table.positions.is_empty());
    }

    fn heap_bigint(heap: &mut Heap, value: i32) -> Value {
        heap.new_bigint(value.into())
    }
}
