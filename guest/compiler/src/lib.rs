//! Compiler of the CodeMode engine: JavaScript and TypeScript source to register bytecode.
//!
//! `source -> nesting check -> oxc parser -> scope analysis -> lowering -> CodeUnit`. TypeScript is erased or compiled while lowering:
//! there is no second tree.

mod emit;
mod error;
mod lower;
mod nesting;
mod parse;
mod scope;
mod unit;

use codemode_bytecode::CodeUnit;

pub use error::{CompileError, CompileErrorKind, locate};

/// What kind of code the source is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Goal {
    /// A script of ECMA-262: sloppy unless it says otherwise, global declarations, gives its completion value.
    Script,
    /// A program of the product: strict code inside an async function body, TypeScript accepted.
    #[default]
    Program,
    /// Builtins: function declarations that use `$` intrinsics; gives an array of their closures.
    SelfHosted,
}

/// How to compile.
#[derive(Clone, Debug)]
pub struct CompileOptions {
    /// The kind of source.
    pub goal: Goal,
    /// `__proto__: v` in a literal is an own property instead of the prototype.
    pub proto_is_ordinary_key: bool,
    /// Name of the source in stack frames.
    pub source_name: String,
}

impl CompileOptions {
    /// Options of a script.
    pub fn script(source_name: impl Into<String>) -> Self {
        Self { goal: Goal::Script, proto_is_ordinary_key: false, source_name: source_name.into() }
    }

    /// Options of a program.
    pub fn program() -> Self {
        Self { goal: Goal::Program, proto_is_ordinary_key: true, source_name: "program".into() }
    }

    /// Options of self-hosted builtins.
    pub fn self_hosted(source_name: impl Into<String>) -> Self {
        Self { goal: Goal::SelfHosted, proto_is_ordinary_key: false, source_name: source_name.into() }
    }
}

/// Compiles a source to bytecode.
///
/// # Errors
/// The first syntax error, use of syntax that is not supported, or a function beyond the limits of the bytecode.
pub fn compile(source: &str, options: &CompileOptions) -> Result<CodeUnit, CompileError> {
    compile_inner(source, options).map_err(|failure| failure.locate(source))
}

fn compile_inner(source: &str, options: &CompileOptions) -> error::Result<CodeUnit> {
    nesting::check(source)?;
    let allocator = oxc_allocator::Allocator::default();
    let program = parse::parse(&allocator, source, options.goal)?;
    let scope_options = scope::ScopeOptions {
        global_top_level: options.goal == Goal::Script,
        hosted_functions: options.goal == Goal::SelfHosted,
        strict: options.goal != Goal::Script,
        lenient: options.goal == Goal::Program,
    };
    let plan = scope::analyze(&program, scope_options)?;
    let entry = match options.goal {
        Goal::Script => lower::Entry::Script,
        Goal::Program => lower::Entry::Program,
        Goal::SelfHosted => lower::Entry::SelfHosted,
    };
    let lower_options = lower::LowerOptions {
        proto_is_ordinary_key: options.proto_is_ordinary_key,
        self_hosted: options.goal == Goal::SelfHosted,
    };
    lower::Lowering::lower(&program, plan, source, &options.source_name, lower_options, entry)
}
