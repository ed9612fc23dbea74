//! Compiled patterns, kept by their text.

use super::{CompiledRegExp, RegExpFlags, RegExpMatch, Widened};
use crate::heap::{Gc, Heap};
use crate::object::Shape;
use crate::string::{JsString, StrView};
use hashbrown::HashTable;
use std::rc::Rc;

/// How many patterns are kept; at the limit all are dropped. Objects that use one keep it.
const CAPACITY: usize = 256;

/// Compiled patterns by source and flags, and the text that was last made ready for matching.
#[derive(Debug, Default)]
pub struct RegExpCache {
    compiled: HashTable<(u64, Rc<CompiledRegExp>)>,
    widened: Widened,
    /// The state of the prototypes (`Heap::prototype_epoch`) in which `RegExp.prototype` was last seen to have its own accessors.
    pub(crate) pristine_epoch: Option<u32>,
    /// The shapes of result arrays as last seen.
    pub(crate) result_shapes: Option<ResultShapes>,
}

/// The shapes that an array goes through when it becomes the result of `exec`. Valid until the next collection.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ResultShapes {
    /// The shape of an array.
    pub base: Gc<Shape>,
    /// The number of collections when this was noted.
    pub collections: u32,
    /// With `index`, with `input`, with `groups`.
    pub shapes: [Gc<Shape>; 3],
}

impl RegExpCache {
    /// The compiled form of a pattern. The flags `d`, `g` and `y` make no difference.
    ///
    /// # Errors
    /// The message of the SyntaxError when the pattern is not valid.
    pub fn compile(&mut self, source: StrView<'_>, flags: RegExpFlags) -> Result<Rc<CompiledRegExp>, String> {
        let hash = u64::from(source.hash()).wrapping_mul(0x1_0000_0001);
        if let Some((_, found)) = self.compiled.find(hash, |(_, compiled)| compiled.is_for(source, flags)) {
            return Ok(Rc::clone(found));
        }
        let compiled = Rc::new(CompiledRegExp::compile(source, flags)?);
        if self.compiled.len() >= CAPACITY {
            self.compiled.clear();
        }
        self.compiled.insert_unique(hash, (hash, Rc::clone(&compiled)), |&(hash, _)| hash);
        Ok(compiled)
    }

    /// The first match in `string` at or after code unit `from`, or exactly there when `sticky`.
    pub fn find(
        &mut self,
        heap: &mut Heap,
        compiled: &CompiledRegExp,
        string: Gc<JsString>,
        from: usize,
        sticky: bool,
    ) -> Option<RegExpMatch> {
        heap.flatten(string);
        compiled.find(heap, string, from, sticky, &mut self.widened)
    }
}
