//! Scope analysis: which scope declares what, what each identifier means, and where each binding lives.
//!
//! One walk over the syntax tree ([`collect`]) makes scopes, declarations and references. Afterwards ([`resolve`]) each
//! reference is bound, and each binding gets its place: a register of its function, or a slot of an environment when an inner
//! function captures it. The results are found again through the `scope_id` and `reference_id` cells of the tree.

mod collect;
mod early;
mod resolve;

use hashbrown::HashMap;

use crate::error::Result;

use collect::collect;

/// Index of a [`Scope`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ScopeId(pub u32);

/// Index of a [`Binding`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct BindingId(pub u32);

/// What kind of region a scope is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScopeKind {
    /// Root of the unit.
    Entry,
    /// Root of a function that has its own this: parameters, and the body too unless it has a scope of its own.
    Function,
    /// Root of an arrow function.
    Arrow,
    /// Root of a synthesised class initialiser (instance fields or static elements).
    Initializer,
    /// Body of a function whose parameters have expressions.
    Body,
    /// Block statement, catch body.
    Block,
    /// Head of a for statement.
    Loop,
    /// The names of a for-in/of head while its right side is evaluated: in their dead zone for ever.
    DeadHead,
    /// Switch block.
    Switch,
    /// Catch parameter.
    Catch,
    /// Class: its inner name, private names and computed keys.
    Class,
    /// Static block of a class: takes var declarations.
    StaticBlock,
    /// TypeScript enum body.
    Enum,
    /// TypeScript namespace body: takes var declarations.
    Namespace,
}

impl ScopeKind {
    /// Whether the scope is the root of a function (or of the unit).
    pub fn is_root(self) -> bool {
        matches!(self, Self::Entry | Self::Function | Self::Arrow | Self::Initializer)
    }
}

/// A scope.
#[derive(Debug)]
pub(crate) struct Scope<'a> {
    pub kind: ScopeKind,
    pub parent: Option<ScopeId>,
    /// Root scope of the function that the scope belongs to.
    pub root: ScopeId,
    pub names: HashMap<&'a str, BindingId>,
    /// Private names, of class scopes only.
    pub private_names: HashMap<&'a str, BindingId>,
    /// All bindings, hidden ones included, in order of declaration.
    pub bindings: Vec<BindingId>,
    /// Slots of the scope's environment; none is made when 0.
    pub env_slots: u32,
    pub strict: bool,
    /// The early errors of strict code apply. Programs of the product are strict without them.
    pub strict_grammar: bool,
    /// Source offset where the scope starts.
    pub start: u32,
    /// Of a root: what is known about the function.
    pub function: Option<Box<FunctionInfo>>,
}

/// What scope analysis finds out about a function.
#[derive(Debug, Default)]
pub(crate) struct FunctionInfo {
    /// Scope of the body when the parameters have expressions.
    pub body_scope: Option<ScopeId>,
    /// A function declaration: its closure exists from the start of its block at this offset.
    pub hoisted_at: Option<u32>,
    /// `this` is used, here or in arrow functions inside.
    pub uses_this: bool,
    /// How often the function itself says `this`.
    pub this_count: u32,
    /// The function itself says `new.target`.
    pub uses_new_target: bool,
    /// A method or initialiser: `super.x` is allowed.
    pub is_method: bool,
    /// A class initialiser around arrow functions, where `arguments` is not allowed.
    pub forbids_arguments: bool,
    /// `super.x` is used, here or in arrow functions inside.
    pub uses_home: bool,
    /// An arrow function inside calls `super()`.
    pub super_call_in_arrow: bool,
    /// The arguments object is needed.
    pub arguments: Option<BindingId>,
    /// All parameters are plain identifiers without initialiser.
    pub simple_parameters: bool,
    /// Starts of the function's scopes that have environments, ascending.
    pub env_starts: Vec<u32>,
}

/// What declared a binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BindingKind {
    Var,
    /// Function declaration at the top of a function: like var.
    Function,
    /// Function declaration in a block: lexical.
    BlockFunction,
    Let,
    Const,
    /// Class declaration.
    Class,
    /// The name of a class inside it.
    ClassName,
    Parameter,
    /// Catch parameter that is a plain identifier.
    CatchParameter,
    /// Catch parameter of a pattern.
    CatchPattern,
    /// The name of a function expression inside it.
    FunctionName,
    /// The implicit arguments object.
    Arguments,
    /// this, new.target, home object or active function of a function, captured by an arrow function.
    Pseudo,
    /// A private name's symbol.
    Private,
    /// Synthesised: no source text refers to it.
    Hidden,
    /// A name in [`ScopeKind::DeadHead`].
    Dead,
    Enum,
    Namespace,
    EnumMember,
}

impl BindingKind {
    /// Lexical: must not be declared twice in a scope, nor be crossed by a var.
    pub fn is_lexical(self) -> bool {
        matches!(self, Self::BlockFunction | Self::Let | Self::Const | Self::Class | Self::Enum | Self::CatchPattern)
    }

    /// Whether there is a temporal dead zone.
    pub fn has_dead_zone(self) -> bool {
        matches!(
            self,
            Self::Let
                | Self::Const
                | Self::Class
                | Self::ClassName
                | Self::Enum
                | Self::Parameter
                | Self::CatchPattern
                | Self::Dead
        )
    }
}

/// Where a binding lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Storage {
    /// A register, assigned when its scope is entered.
    Register(Option<u8>),
    /// Slot of the environment of its scope.
    Env(u32),
    /// Global binding of a script.
    Global,
    /// A function of self-hosted code, by its number in the unit: each use makes a closure, since no environment leads to it.
    Hosted(u32),
    /// Nowhere: nothing refers to it.
    None,
}

/// A binding.
#[derive(Debug)]
pub(crate) struct Binding<'a> {
    pub name: &'a str,
    pub kind: BindingKind,
    pub scope: ScopeId,
    /// Offset of the declaring identifier.
    pub offset: u32,
    /// From this offset on the binding is initialised, when reached in source order.
    pub initialized_at: u32,
    pub captured: bool,
    pub referenced: bool,
    /// Some reference must check for the dead zone, so the binding must start EMPTY.
    pub needs_dead_zone: bool,
    /// A const whose initialiser is this number: uses after it need no load.
    pub constant: Option<f64>,
    /// Offsets of assignments, ascending.
    pub writes: Vec<u32>,
    pub storage: Storage,
}

/// A use of an identifier.
#[derive(Debug)]
pub(crate) struct Reference<'a> {
    pub name: &'a str,
    pub scope: ScopeId,
    pub offset: u32,
    pub is_write: bool,
    /// None: a global.
    pub binding: Option<BindingId>,
    /// Must check for the temporal dead zone.
    pub checked: bool,
}

/// Initialiser scopes of a class.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ClassScopes {
    pub instance: Option<ScopeId>,
    pub statics: Option<ScopeId>,
}

/// The result of scope analysis.
#[derive(Debug, Default)]
pub(crate) struct Plan<'a> {
    pub scopes: Vec<Scope<'a>>,
    pub bindings: Vec<Binding<'a>>,
    pub references: Vec<Reference<'a>>,
    pub class_scopes: HashMap<ScopeId, ClassScopes>,
    /// Hidden bindings of class elements (computed key, function of a private method) by the element's offset.
    pub element_bindings: HashMap<u32, BindingId>,
    /// Annex B.3.3: functions in blocks that also assign a var, by the function's offset.
    pub annex_b: HashMap<u32, BindingId>,
    /// Scopes of the names of for-in/of heads while their right side is evaluated, by the offset of that side.
    pub dead_heads: HashMap<u32, ScopeId>,
    /// Blocks around functions that are the whole branch of an if statement, by the function's offset.
    pub branch_scopes: HashMap<u32, ScopeId>,
}

impl<'a> Plan<'a> {
    pub fn scope(&self, id: ScopeId) -> &Scope<'a> {
        &self.scopes[id.0 as usize]
    }

    pub fn binding(&self, id: BindingId) -> &Binding<'a> {
        &self.bindings[id.0 as usize]
    }

    pub fn binding_mut(&mut self, id: BindingId) -> &mut Binding<'a> {
        &mut self.bindings[id.0 as usize]
    }

    /// The function information of the function around a scope.
    pub fn function(&self, scope: ScopeId) -> &FunctionInfo {
        let root = self.scope(scope).root;
        self.scope(root).function.as_ref().expect("roots have function information")
    }

    /// The root of the function whose this a scope sees: the nearest one that is no arrow function.
    pub fn this_root(&self, scope: ScopeId) -> ScopeId {
        let mut root = self.scope(scope).root;
        while self.scope(root).kind == ScopeKind::Arrow {
            match self.scope(root).parent {
                Some(parent) => root = self.scope(parent).root,
                None => break,
            }
        }
        root
    }

    /// Finds a private name from a scope outwards.
    pub fn private_name(&self, scope: ScopeId, name: &str) -> Option<BindingId> {
        let mut current = Some(scope);
        while let Some(id) = current {
            let scope = self.scope(id);
            if let Some(&binding) = scope.private_names.get(name) {
                return Some(binding);
            }
            current = scope.parent;
        }
        None
    }

    /// Whether a binding of register storage is assigned in a range of the source.
    pub fn is_written_in(&self, binding: BindingId, start: u32, end: u32) -> bool {
        let writes = &self.binding(binding).writes;
        let index = writes.partition_point(|&offset| offset < start);
        writes.get(index).is_some_and(|&offset| offset < end)
    }

    /// Whether the function of `scope` makes an environment in a range of the source.
    pub fn makes_env_in(&self, scope: ScopeId, start: u32, end: u32) -> bool {
        let starts = &self.function(scope).env_starts;
        let index = starts.partition_point(|&offset| offset < start);
        starts.get(index).is_some_and(|&offset| offset < end)
    }
}

/// What kind of source the analysis is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ScopeOptions {
    /// Top-level declarations are global bindings.
    pub global_top_level: bool,
    /// Top-level functions are self-hosted: they refer to each other without an environment.
    pub hosted_functions: bool,
    /// All code is strict.
    pub strict: bool,
    /// The early errors of strict code apply only where the source asks for strict code itself.
    pub lenient: bool,
}

/// Analyses a program.
///
/// # Errors
/// The first early error about declarations.
pub(crate) fn analyze<'a>(program: &oxc_ast::ast::Program<'a>, options: ScopeOptions) -> Result<Plan<'a>> {
    let collected = collect(program, options)?;
    resolve::resolve(collected, options)
}
