//! Code units: the constants, functions and tables that the compiler hands to the virtual machine.

use crate::Instruction;

/// Stands for "no string" where an operand or field is an index into [`CodeUnit::strings`].
pub const NO_STRING: u32 = u32::MAX;

/// The number of registers a function can have: operands are 8 bits wide.
pub const MAX_REGISTERS: usize = 256;

/// A compiled script, program or function body.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CodeUnit {
    /// All functions; the first is the entry.
    pub functions: Vec<FunctionCode>,
    /// Names and string constants, as UTF-16 code units where they have lone surrogates.
    pub strings: Vec<StringConstant>,
    /// The submitted source, for positions and `Function.prototype.toString`.
    pub source: String,
    /// Name of the source in stack frames, for example `program`.
    pub source_name: String,
}

/// A string of the source.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum StringConstant {
    /// Well-formed text.
    Utf8(Box<str>),
    /// Text with lone surrogates.
    Utf16(Box<[u16]>),
}

/// What kind of function a [`FunctionCode`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FunctionKind {
    /// Function declaration or expression: can be constructed unless it is async or a generator.
    Normal,
    /// Arrow function: takes this, arguments, super and new.target from around (the compiler captures them as bindings).
    Arrow,
    /// Method, getter or setter: cannot be constructed.
    Method,
    /// Constructor of a class without heritage.
    ClassConstructor,
    /// Constructor of a class with heritage.
    DerivedConstructor,
    /// Code of a script, a program or eval: the entry of a unit.
    Entry,
}

/// One function: instructions and everything they refer to.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionCode {
    /// Index into [`CodeUnit::strings`], the initial `name`; [`NO_STRING`] for the empty name.
    pub name: u32,
    /// What it is.
    pub kind: FunctionKind,
    /// `async`
    pub is_async: bool,
    /// `function*`
    pub is_generator: bool,
    /// Strict mode code.
    pub is_strict: bool,
    /// Whether a sloppy function reads this, so that the call must coerce it.
    pub uses_this: bool,
    /// Parameters passed in registers `0..parameter_count`, without a rest parameter.
    pub parameter_count: u8,
    /// The initial `length` property.
    pub length: u32,
    /// Registers in use, parameters and call windows included.
    pub register_count: u16,
    /// Register that receives the rest array on entry.
    pub rest_register: Option<u8>,
    /// Register that receives the arguments object on entry.
    pub arguments_register: Option<u8>,
    /// The arguments object is mapped (sloppy, simple parameters): parameter i is slot `mapped[i]` of the function's own first
    /// environment, which the call pushes (unless it has no slots) before the object is made. `u32::MAX`: not mapped (shadowed by a later duplicate).
    pub mapped_arguments: Option<MappedArguments>,
    /// The instructions.
    pub instructions: Vec<Instruction>,
    /// Constants of `LoadConst` and others.
    pub constants: Vec<Constant>,
    /// Property sites with room for an inline cache.
    pub sites: Vec<Site>,
    /// Exception handlers, innermost first.
    pub handlers: Vec<Handler>,
    /// Source positions by instruction, ascending: each holds from its instruction up to the next entry's.
    pub positions: Vec<Position>,
    /// Byte range of the function's text in [`CodeUnit::source`]; empty for synthesised functions.
    pub source_start: u32,
    /// End of that range.
    pub source_end: u32,
}

/// How a mapped arguments object finds the parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MappedArguments {
    /// Slots of the environment that the prologue pushes; parameters are copied to their slots.
    pub environment_slots: u32,
    /// Slot of each parameter.
    pub slots: Vec<u32>,
}

/// A constant of a function.
#[derive(Clone, Debug, PartialEq)]
pub enum Constant {
    /// A Number.
    Number(f64),
    /// A String, index into [`CodeUnit::strings`].
    String(u32),
    /// A BigInt in decimal digits.
    BigInt(Box<str>),
    /// A regular expression: pattern and flags, indices into [`CodeUnit::strings`].
    RegExp {
        /// Pattern text without slashes.
        pattern: u32,
        /// Flags.
        flags: u32,
    },
    /// Keys of an object literal in order, distinct and no array indices; indices into [`CodeUnit::strings`].
    Keys(Box<[u32]>),
    /// A tagged template: cooked strings ([`NO_STRING`] for an invalid escape) and raw strings.
    Template {
        /// Cooked strings.
        cooked: Box<[u32]>,
        /// Raw strings.
        raw: Box<[u32]>,
    },
    /// Global declarations of a script.
    Declarations(Box<GlobalDeclarations>),
    /// The scopes that a direct eval sees.
    EvalScope(Box<EvalScope>),
}

/// What a script declares globally, see GlobalDeclarationInstantiation
/// (<https://tc39.es/ecma262/#sec-globaldeclarationinstantiation>).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GlobalDeclarations {
    /// let and class names.
    pub lets: Vec<u32>,
    /// const names.
    pub consts: Vec<u32>,
    /// var names that are not functions.
    pub vars: Vec<u32>,
    /// Function declarations: name and function index, in the order in which they are instantiated.
    pub functions: Vec<(u32, u32)>,
    /// Annex B.3.3 candidates: functions in blocks whose names become vars when nothing conflicts.
    pub annex_b: Vec<u32>,
    /// Declarations of an eval: bindings can be deleted.
    pub deletable: bool,
}

/// Static scopes around a direct eval, innermost first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EvalScope {
    /// Environments from the innermost outwards: names with slot and const flag.
    pub environments: Vec<Vec<EvalBinding>>,
    /// Strictness of the caller.
    pub is_strict: bool,
    /// In a function (new.target allowed).
    pub in_function: bool,
    /// In a method (super.x allowed).
    pub in_method: bool,
    /// In a derived constructor (super() allowed).
    pub in_derived_constructor: bool,
    /// In a class field initialiser (`arguments` not allowed).
    pub in_field_initializer: bool,
}

/// One binding that a direct eval can see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvalBinding {
    /// Name, index into [`CodeUnit::strings`].
    pub name: u32,
    /// Slot in its environment.
    pub slot: u32,
    /// Assignment throws.
    pub is_const: bool,
    /// Lexical (let, const, class): conflicts with a var of the eval.
    pub is_lexical: bool,
}

/// A property access with room for an inline cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site {
    /// Property name, index into [`CodeUnit::strings`]; never an array index.
    pub name: u32,
}

/// Where execution goes on when an instruction in `start..end` throws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handler {
    /// First covered instruction.
    pub start: u32,
    /// End of the covered instructions, exclusive.
    pub end: u32,
    /// Instruction to continue at.
    pub target: u32,
    /// Register that receives the thrown value.
    pub register: u8,
}

/// Source position of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Instruction index.
    pub instruction: u32,
    /// Byte offset in the source.
    pub offset: u32,
}

/// Kind of an error that `ThrowError` makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ErrorKind {
    /// `Error`
    Error = 0,
    /// `TypeError`
    Type = 1,
    /// `RangeError`
    Range = 2,
    /// `ReferenceError`
    Reference = 3,
    /// `SyntaxError`
    Syntax = 4,
    /// `URIError`
    Uri = 5,
    /// `EvalError`
    Eval = 6,
    /// `AggregateError`
    Aggregate = 7,
    /// `SuppressedError`
    Suppressed = 8,
}

impl FunctionCode {
    /// The byte offset in the source of the instruction, when known.
    pub fn offset_at(&self, instruction: u32) -> Option<u32> {
        let index = self.positions.partition_point(|p| p.instruction <= instruction);
        index.checked_sub(1).map(|i| self.positions[i].offset)
    }
}
