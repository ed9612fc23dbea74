//! Strings that the heap keeps one copy of: atoms, and strings of one Latin-1 code unit.

use super::{Gc, JsString};
use hashbrown::HashTable;

/// The interned strings of a heap. The table does not keep them alive.
#[derive(Debug)]
pub struct StringTable {
    /// With the hash of each, so that growing the table needs no look at the cells.
    pub(crate) entries: HashTable<(u32, Gc<JsString>)>,
    pub(crate) single: Box<[Option<Gc<JsString>>; 256]>,
}

impl Default for StringTable {
    fn default() -> Self {
        StringTable { entries: HashTable::new(), single: Box::new([None; 256]) }
    }
}

impl StringTable {
    /// Forgets the strings that are about to be freed. Called by the collector between marking and sweeping.
    pub fn sweep(&mut self, mut is_marked: impl FnMut(Gc<JsString>) -> bool) {
        self.entries.retain(|&mut (_, atom)| is_marked(atom));
        for entry in self.single.iter_mut() {
            if entry.is_some_and(|string| !is_marked(string)) {
                *entry = None;
            }
        }
    }

    /// The number of interned strings.
    pub fn len(&self) -> usize {
        self.entries.len()
    }
}
