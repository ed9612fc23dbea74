//! Storage for the cells of one type.

use super::{Cell, Gc};

/// Cells per chunk: small enough that a fresh heap touches little memory.
const CHUNK: usize = 512;
const WORD_BITS: usize = 64;

/// A growing set of cells that never move, addressed by index, with one live bit each.
///
/// Vacant cells hold [`Cell::vacant`] or a dead cell that owns nothing, so reading a cell needs no check of whether it is in
/// use. Allocation fills the lowest vacant cells first, which keeps what is allocated together close together.
pub struct Arena<T> {
    chunks: Vec<Box<[T; CHUNK]>>,
    /// One bit per cell: in use.
    live: Vec<u64>,
    /// Word of `live` that allocation takes cells from at present.
    word: usize,
    /// The vacant cells of that word.
    vacant: u64,
}

impl<T: Cell> Default for Arena<T> {
    fn default() -> Self {
        Self { chunks: Vec::new(), live: Vec::new(), word: 0, vacant: 0 }
    }
}

impl<T: Cell> Arena<T> {
    /// Stores the cell and returns its handle.
    #[inline]
    pub fn allocate(&mut self, cell: T) -> Gc<T> {
        if self.vacant == 0 {
            self.find_vacant_word();
        }
        let bit = self.vacant.trailing_zeros();
        self.vacant &= self.vacant - 1;
        self.live[self.word] |= 1 << bit;
        let index = self.word * WORD_BITS + bit as usize;
        let slot = &mut self.chunks[index / CHUNK][index % CHUNK];
        // A vacant cell owns nothing: dropping it would be wasted time on the hottest path of the heap.
        std::mem::forget(std::mem::replace(slot, cell));
        match Gc::from_index(index as u32) {
            Some(gc) => gc,
            None => unreachable!("cell 0 is reserved"),
        }
    }

    /// The cell.
    #[inline]
    pub fn get(&self, gc: Gc<T>) -> &T {
        let index = gc.index() as usize;
        debug_assert!(self.is_live(index), "stale handle {index} of {}", std::any::type_name::<T>());
        &self.chunks[index / CHUNK][index % CHUNK]
    }

    /// The cell, for writing.
    #[inline]
    pub fn get_mut(&mut self, gc: Gc<T>) -> &mut T {
        let index = gc.index() as usize;
        debug_assert!(self.is_live(index), "stale handle {index} of {}", std::any::type_name::<T>());
        &mut self.chunks[index / CHUNK][index % CHUNK]
    }

    /// Number of cells in use.
    pub fn len(&self) -> usize {
        // The reserved cell 0 is marked as in use.
        self.live.iter().map(|word| word.count_ones() as usize).sum::<usize>().saturating_sub(1)
    }

    /// Whether no cell is in use.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of 64-bit words that a bitmap over all cells needs.
    pub(super) fn bitmap_words(&self) -> usize {
        self.live.len()
    }

    /// Frees every cell without a mark. With `reuse_late`, freed cells are filled again only after all vacant cells behind the
    /// place where allocation stands, so that a stale handle rather meets a vacant cell.
    pub(super) fn sweep(&mut self, marks: &[u64], reuse_late: bool) {
        for (word, (live, &marked)) in self.live.iter_mut().zip(marks).enumerate() {
            let mut dead = *live & !marked;
            if word == 0 {
                dead &= !1;
            }
            *live &= !dead;
            while dead != 0 {
                let index = word * WORD_BITS + dead.trailing_zeros() as usize;
                dead &= dead - 1;
                let cell = &mut self.chunks[index / CHUNK][index % CHUNK];
                // OPTIMIZATION: most dead cells own nothing, and what they hold does no harm.
                if cell.owns_memory() {
                    *cell = T::vacant();
                }
            }
        }
        if !reuse_late && !self.live.is_empty() {
            self.word = 0;
            self.vacant = !self.live[0];
        }
    }

    /// Whether the cell is in use.
    pub(super) fn is_live(&self, index: usize) -> bool {
        self.live.get(index / WORD_BITS).is_some_and(|word| word >> (index % WORD_BITS) & 1 == 1)
    }

    #[cold]
    fn find_vacant_word(&mut self) {
        for word in self.word + 1..self.live.len() {
            if self.live[word] != u64::MAX {
                self.word = word;
                self.vacant = !self.live[word];
                return;
            }
        }
        let first_word = self.live.len();
        let cells: Vec<T> = std::iter::repeat_with(T::vacant).take(CHUNK).collect();
        match cells.into_boxed_slice().try_into() {
            Ok(chunk) => self.chunks.push(chunk),
            Err(_) => unreachable!("the chunk was made with this length"),
        }
        self.live.resize(first_word + CHUNK / WORD_BITS, 0);
        if first_word == 0 {
            // Handles are never zero.
            self.live[0] = 1;
        }
        self.word = first_word;
        self.vacant = !self.live[first_word];
    }
}
