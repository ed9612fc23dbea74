//! Functions as the machine runs them: bytecode plus constants on the heap and inline caches.

use std::cell::Cell;
use std::rc::Rc;

use codemode_bytecode::{CodeUnit, Constant, FunctionCode, FunctionKind, Instruction, NO_STRING, StringConstant};

use crate::heap::{Gc, Marker};
use crate::object::{Object, Shape};
use crate::property_key::PropertyKey;
use crate::string::JsString;
use crate::value::Value;
use crate::vm::Vm;

/// Names a loaded function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CodeId(pub u32);

impl CodeId {
    /// Index into the machine's table.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where a property was found last time. A cache is valid for receivers of `shape`; when `holder` is set also only while the
/// heap's prototype epoch is `epoch`.
#[derive(Clone, Copy, Debug, Default)]
pub struct InlineCache {
    /// Shape of the receiver; None: empty cache.
    pub shape: Option<Gc<Shape>>,
    /// The object that holds the property; None: the receiver itself.
    pub holder: Option<Gc<Object>>,
    /// Slot of the property in its holder. For a cached addition: the new slot.
    pub slot: u32,
    /// Prototype epoch when the cache was filled.
    pub epoch: u32,
    /// Shape after the cached addition of the property (stores only).
    pub new_shape: Option<Gc<Shape>>,
}

/// A function ready to run.
pub struct Code {
    /// The unit that it belongs to.
    pub unit: Rc<CodeUnit>,
    /// Index of the function in its unit.
    pub index: u32,
    /// Id of the unit's first function: function `d` of the unit has id `first + d`.
    pub first: u32,
    /// The instructions (also reachable through `function()`; here for the loop).
    pub instructions: Box<[Instruction]>,
    /// Constants as values; EMPTY for constants that are not values.
    pub constants: Box<[Value]>,
    /// Keys of the property sites.
    pub site_keys: Box<[PropertyKey]>,
    /// One cache per site.
    pub caches: Box<[Cell<InlineCache>]>,
    /// Per constant: shape of an object literal or template object, made on first use.
    pub literal_shapes: Box<[Cell<Option<Gc<Shape>>>]>,
    /// Per constant: template object, made on first use.
    pub template_objects: Box<[Cell<Option<Gc<Object>>>]>,
    /// The unit's strings as atoms.
    pub strings: Rc<[Gc<JsString>]>,
    /// Registers.
    pub register_count: usize,
    /// Parameters.
    pub parameter_count: usize,
    /// Called without any special prologue and runs to completion without a coroutine.
    pub is_simple: bool,
    /// `kind` of the function.
    pub kind: FunctionKind,
    /// Strict mode.
    pub is_strict: bool,
    /// Part of the engine: not in stack traces, intrinsics allowed.
    pub is_self_hosted: bool,
}

impl Code {
    /// The compiled function.
    pub fn function(&self) -> &FunctionCode {
        &self.unit.functions[self.index as usize]
    }

    /// The function's initial name.
    pub fn name_text(&self) -> String {
        match self.unit.strings.get(self.function().name as usize) {
            Some(StringConstant::Utf8(text)) => text.to_string(),
            Some(StringConstant::Utf16(units)) => String::from_utf16_lossy(units),
            None => String::new(),
        }
    }

    /// The text of string constant `index`, for messages.
    pub fn string_text(&self, index: u32) -> String {
        match self.unit.strings.get(index as usize) {
            Some(StringConstant::Utf8(text)) => text.to_string(),
            Some(StringConstant::Utf16(units)) => String::from_utf16_lossy(units),
            None => String::new(),
        }
    }

    /// Whether `new` works on closures of this code.
    pub fn is_constructor(&self) -> bool {
        let f = self.function();
        match f.kind {
            FunctionKind::Normal => !f.is_async && !f.is_generator && !self.is_self_hosted,
            FunctionKind::ClassConstructor | FunctionKind::DerivedConstructor => true,
            FunctionKind::Arrow | FunctionKind::Method | FunctionKind::Entry => false,
        }
    }

    /// Marks everything that stays alive with the code; caches of dead shapes are dropped by `purge_caches`.
    pub(crate) fn trace(&self, marker: &mut Marker) {
        for &value in &self.constants {
            marker.mark_value(value);
        }
        for &key in &self.site_keys {
            marker.mark_key(key);
        }
        for &string in self.strings.iter() {
            marker.mark(string);
        }
        for shape in &self.literal_shapes {
            if let Some(shape) = shape.get() {
                marker.mark(shape);
            }
        }
        for object in &self.template_objects {
            if let Some(object) = object.get() {
                marker.mark(object);
            }
        }
    }

    /// Empties the inline caches. They hold no references that keep anything alive, so a collection invalidates them.
    pub(crate) fn purge_caches(&self, is_live: impl Fn(&InlineCache) -> bool) {
        for cache in &self.caches {
            let value = cache.get();
            if value.shape.is_some() && !is_live(&value) {
                cache.set(InlineCache::default());
            }
        }
    }
}

impl Vm {
    /// Loads a compiled unit; the answer is its entry function.
    pub fn load(&mut self, unit: CodeUnit) -> CodeId {
        self.load_unit(Rc::new(unit), false)
    }

    pub(crate) fn load_unit(&mut self, unit: Rc<CodeUnit>, is_self_hosted: bool) -> CodeId {
        debug_assert!(codemode_bytecode::verify(&unit).is_ok(), "{:?}", codemode_bytecode::verify(&unit));
        let strings: Rc<[Gc<JsString>]> = unit
            .strings
            .iter()
            .map(|s| match s {
                StringConstant::Utf8(text) => self.heap.intern_str(text),
                StringConstant::Utf16(units) => {
                    let string = self.heap.new_string_utf16(units);
                    self.heap.intern(string)
                }
            })
            .collect();
        let first = self.codes.len() as u32;
        for (index, function) in unit.functions.iter().enumerate() {
            let constants: Box<[Value]> = function
                .constants
                .iter()
                .map(|constant| match constant {
                    Constant::Number(n) => Value::number(*n),
                    Constant::String(i) => Value::string(strings[*i as usize]),
                    Constant::BigInt(digits) => {
                        let value = crate::bigint::parse_literal(digits).unwrap_or_default();
                        self.heap.new_bigint(value)
                    }
                    _ => Value::EMPTY,
                })
                .collect();
            let site_keys =
                function.sites.iter().map(|site| {
                    if site.name == NO_STRING { PropertyKey::name(crate::names::EMPTY) } else { self.heap.key_from_string(strings[site.name as usize]) }
                }).collect();
            let count = function.constants.len();
            let is_simple = !function.is_async
                && !function.is_generator
                && function.rest_register.is_none()
                && function.arguments_register.is_none()
                && function.mapped_arguments.is_none()
                && (function.is_strict || !function.uses_this)
                && matches!(function.kind, FunctionKind::Normal | FunctionKind::Arrow | FunctionKind::Method);
            self.codes.push(Rc::new(Code {
                unit: unit.clone(),
                index: index as u32,
                first,
                instructions: function.instructions.clone().into_boxed_slice(),
                constants,
                site_keys,
                caches: (0..function.sites.len()).map(|_| Cell::default()).collect(),
                literal_shapes: (0..count).map(|_| Cell::default()).collect(),
                template_objects: (0..count).map(|_| Cell::default()).collect(),
                strings: strings.clone(),
                register_count: usize::from(function.register_count),
                parameter_count: usize::from(function.parameter_count),
                is_simple,
                kind: function.kind,
                is_strict: function.is_strict,
                is_self_hosted,
            }));
        }
        CodeId(first)
    }

    /// The loaded function.
    pub fn code(&self, id: CodeId) -> &Rc<Code> {
        &self.codes[id.index()]
    }
}
