//! Symbols (<https://tc39.es/ecma262/#sec-ecmascript-language-types-symbol-type>).

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use crate::heap::{Arena, Cell, CellKind, Gc, Heap, Marker, Trace};
use crate::property_key::PropertyKey;
use crate::string::JsString;

/// A symbol.
#[derive(Copy, Clone, Debug)]
pub struct Symbol {
    /// \[\[Description]]; `None` for undefined.
    pub description: Option<Gc<JsString>>,
    /// Where it comes from.
    pub kind: SymbolKind,
}

impl Symbol {
    /// Whether this is a private name or internal to the engine.
    pub fn is_private(&self) -> bool {
        self.kind == SymbolKind::Private
    }
}

/// Where a symbol comes from.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum SymbolKind {
    /// `Symbol()`
    Ordinary,
    /// `Symbol.iterator` and the like, shared by all realms.
    WellKnown,
    /// `Symbol.for()`
    Registered,
    /// A private name of a class (`#x`) or an internal slot of the engine: never visible to programs as a value.
    Private,
}

macro_rules! well_known_symbols {
    ($($id:ident $text:literal)+) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms, reason = "counts the symbols; never written out")]
        enum Position { $($id),+ }

        const DESCRIPTIONS: &[&str] = &[$($text),+];

        $(
            #[doc = concat!("`", $text, "`")]
            pub const $id: Gc<Symbol> = Gc::fixed(Position::$id as u32 + 1);
        )+

        /// The same symbols as property keys.
        pub mod keys {
            use super::PropertyKey;
            $(
                #[doc = concat!("`", $text, "`")]
                pub const $id: PropertyKey = PropertyKey::symbol(super::$id);
            )+
        }

        /// Names of the properties of `Symbol` with the symbols.
        pub const WELL_KNOWN: &[(&str, Gc<Symbol>)] = &[$(($text, $id)),+];
    };
}

// Strings that start with "Symbol." are properties of %Symbol%; the others are private to the engine.
well_known_symbols! {
    ASYNC_DISPOSE "Symbol.asyncDispose"
    ASYNC_ITERATOR "Symbol.asyncIterator"
    DISPOSE "Symbol.dispose"
    HAS_INSTANCE "Symbol.hasInstance"
    IS_CONCAT_SPREADABLE "Symbol.isConcatSpreadable"
    ITERATOR "Symbol.iterator"
    MATCH "Symbol.match"
    MATCH_ALL "Symbol.matchAll"
    REPLACE "Symbol.replace"
    SEARCH "Symbol.search"
    SPECIES "Symbol.species"
    SPLIT "Symbol.split"
    TO_PRIMITIVE "Symbol.toPrimitive"
    TO_STRING_TAG "Symbol.toStringTag"
    UNSCOPABLES "Symbol.unscopables"
    INTERNAL_HOME_OBJECT "HomeObject"
    INTERNAL_FIELDS "Fields"
    INTERNAL_FUNCTION "Function"
    INTERNAL_1 "internal 1"
    INTERNAL_2 "internal 2"
    INTERNAL_3 "internal 3"
    INTERNAL_4 "internal 4"
}

/// The GlobalSymbolRegistry (<https://tc39.es/ecma262/#sec-symbol.for>).
#[derive(Debug, Default)]
pub(crate) struct SymbolRegistry {
    /// By interned key.
    symbols: HashMap<Gc<JsString>, Gc<Symbol>, FxBuildHasher>,
}

/// Creates the well-known symbols in an empty heap, in order.
pub(crate) fn create_well_known(heap: &mut Heap) {
    for (position, text) in DESCRIPTIONS.iter().enumerate() {
        let kind = if text.starts_with("Symbol.") { SymbolKind::WellKnown } else { SymbolKind::Private };
        let description = heap.intern_str(text);
        let symbol = heap.allocate(Symbol { description: Some(description), kind });
        assert_eq!(symbol.index() as usize, position + 1, "well-known symbols must be created first");
    }
}

/// Well-known and registered symbols are never collected.
pub(crate) fn mark_permanent(registry: &SymbolRegistry, marker: &mut Marker) {
    for position in 0..DESCRIPTIONS.len() {
        marker.mark(Gc::<Symbol>::fixed(position as u32 + 1));
    }
    for (&key, &symbol) in &registry.symbols {
        marker.mark(key);
        marker.mark(symbol);
    }
}

impl Heap {
    /// `Symbol(description)`
    pub fn new_symbol(&mut self, description: Option<Gc<JsString>>) -> Gc<Symbol> {
        self.allocate(Symbol { description, kind: SymbolKind::Ordinary })
    }

    /// A private name; the description has its `#`.
    pub fn new_private_symbol(&mut self, description: Gc<JsString>) -> Gc<Symbol> {
        self.allocate(Symbol { description: Some(description), kind: SymbolKind::Private })
    }

    /// `Symbol.for(key)`
    pub fn symbol_for(&mut self, key: Gc<JsString>) -> Gc<Symbol> {
        let key = self.intern(key);
        if let Some(&symbol) = self.symbol_registry.symbols.get(&key) {
            return symbol;
        }
        let symbol = self.allocate(Symbol { description: Some(key), kind: SymbolKind::Registered });
        self.charge(32);
        self.symbol_registry.symbols.insert(key, symbol);
        symbol
    }

    /// The text that `String(symbol)` gives: `Symbol(description)`; the bare description of a private name.
    pub fn symbol_display(&mut self, symbol: Gc<Symbol>) -> String {
        let Symbol { description, kind } = self[symbol];
        let description = description.map_or_else(String::new, |string| self.rust_string(string));
        if kind == SymbolKind::Private { description } else { format!("Symbol({description})") }
    }
}

impl Trace for Symbol {
    fn trace(&self, marker: &mut Marker) {
        marker.mark_option(self.description);
    }
}

impl Cell for Symbol {
    const KIND: CellKind = CellKind::Symbol;

    fn vacant() -> Self {
        Self { description: None, kind: SymbolKind::Ordinary }
    }

    fn owns_memory(&self) -> bool {
        false
    }

    fn payload_bytes(&self) -> usize {
        0
    }

    fn arena(heap: &Heap) -> &Arena<Self> {
        &heap.symbols
    }

    fn arena_mut(heap: &mut Heap) -> &mut Arena<Self> {
        &mut heap.symbols
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registry_and_well_known() {
        let mut heap = Heap::new();
        let key = heap.new_string("app");
        let symbol = heap.symbol_for(key);
        let again = heap.new_string("app");
        assert_eq!(heap.symbol_for(again), symbol);
        assert_eq!(heap.symbol_display(symbol), "Symbol(app)");
        assert_eq!(heap.symbol_display(ITERATOR), "Symbol(Symbol.iterator)");
        heap.collect(|_| {});
        assert_eq!(heap[ITERATOR].kind, SymbolKind::WellKnown);
        let again = heap.new_string("app");
        assert_eq!(heap.symbol_for(again), symbol);
    }
}
