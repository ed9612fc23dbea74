//! Lowering: from the syntax tree and the plan of scope analysis to bytecode.
//!
//! Expressions are compiled in one of four ways: into a given register ([`Lowering::expression_to`]), into any register
//! ([`Lowering::operand`], which gives the register of a local variable itself where that is safe), for their effect only
//! ([`Lowering::effect`]), or as a condition with jumps ([`Lowering::branch`]). A register that holds a variable is only written
//! by the last instruction of an expression, so that an exception half way leaves the variable alone.

mod assignment;
mod call;
mod class;
mod control;
mod entry;
mod expression;
mod function;
mod generator;
mod literal;
mod loops;
mod member;
mod names;
mod operators;
mod pattern;
mod self_hosted;
mod statement;
mod typescript;

use codemode_bytecode::{CodeUnit, Constant, ErrorKind, Opcode};
use oxc_ast::ast::*;
use oxc_span::GetSpan;

pub(crate) use control::Control;
pub(crate) use entry::Entry;

use crate::{
    emit::{FunctionBuilder, Register},
    error::{Failure, Result},
    scope::{Plan, ScopeId},
    unit::UnitBuilder,
};

/// What the lowering needs to know of the compile options.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LowerOptions {
    /// `__proto__: v` in a literal is an own property.
    pub proto_is_ordinary_key: bool,
    /// Calls of `$name` are intrinsics.
    pub self_hosted: bool,
}

/// The state of the lowering.
pub(crate) struct Lowering<'a> {
    plan: Plan<'a>,
    unit: UnitBuilder,
    /// The function being built.
    f: FunctionBuilder,
    /// The functions around it, outermost first.
    outer: Vec<FunctionBuilder>,
    /// The innermost scope at the point reached.
    scope: ScopeId,
    source: &'a str,
    options: LowerOptions,
    /// The classes around the point reached, innermost last.
    classes: Vec<class::ClassContext>,
    /// Numbers of functions that were given before the functions are compiled.
    reserved: hashbrown::HashMap<ScopeId, u32>,
    /// Labels of the statement about to be compiled.
    pending_labels: Vec<String>,
    /// Where `?.` jumps to when its object is nullish.
    chain_exits: Vec<crate::emit::Label>,
    /// Text of the expression whose value is about to be destructured, an index into the strings, for messages.
    destructured: Option<u32>,
}

impl<'a> Lowering<'a> {
    /// Lowers a program to a unit.
    ///
    /// # Errors
    /// Early errors that show only here, and functions that need too many registers.
    pub fn lower(
        program: &Program<'a>,
        plan: Plan<'a>,
        source: &'a str,
        source_name: &str,
        options: LowerOptions,
        entry: Entry,
    ) -> Result<CodeUnit> {
        let mut unit = UnitBuilder::default();
        let index = unit.reserve();
        let root = ScopeId(0);
        let mut lowering = Self {
            plan,
            unit,
            f: FunctionBuilder::new(index, root),
            outer: Vec::new(),
            scope: root,
            source,
            options,
            classes: Vec::new(),
            reserved: hashbrown::HashMap::new(),
            pending_labels: Vec::new(),
            chain_exits: Vec::new(),
            destructured: None,
        };
        lowering.entry(program, entry)?;
        let unit = lowering.unit.finish(source, source_name);
        debug_assert_eq!(codemode_bytecode::verify(&unit), Ok(()));
        Ok(unit)
    }

    /// The scope stored in a node's cell.
    fn cell_scope(cell: &std::cell::Cell<Option<oxc_syntax::scope::ScopeId>>) -> ScopeId {
        ScopeId(cell.get().map_or(0, |id| id.index() as u32))
    }

    /// Whether the code at this point is strict.
    fn is_strict(&self) -> bool {
        self.plan.scope(self.scope).strict
    }

    fn string(&mut self, text: &str) -> u32 {
        self.unit.string(text)
    }

    fn site(&mut self, name: &str) -> u32 {
        let name = self.unit.string(name);
        self.f.site(name)
    }

    /// `R[to]` = the string.
    fn load_string(&mut self, to: Register, text: &str) {
        let string = self.unit.string(text);
        self.load_string_index(to, string);
    }

    fn load_string_index(&mut self, to: Register, string: u32) {
        let constant = self.f.constant(Constant::String(string));
        self.f.emit(Opcode::LoadConst, to, 0, 0, constant);
    }

    /// `R[to]` = the number, as int32 where it is one.
    fn load_number(&mut self, to: Register, value: f64) {
        match as_int32(value) {
            Some(int) => self.f.load_int(to, int),
            None => {
                let constant = self.f.constant(Constant::Number(value));
                self.f.emit(Opcode::LoadConst, to, 0, 0, constant);
            }
        }
    }

    fn throw_error(&mut self, kind: ErrorKind, message: &str) {
        let message = self.unit.string(message);
        self.f.emit(Opcode::ThrowError, 0, 0, kind as u8, message);
    }

    /// The source text of an expression as messages name it, or what stands for a long one.
    fn rendered(&mut self, expression: &Expression) -> u32 {
        let text = self.render(expression, 0);
        self.unit.string(&text)
    }

    fn render(&self, expression: &Expression, depth: u32) -> String {
        const INTERMEDIATE: &str = "(intermediate value)";
        if depth > 6 {
            return INTERMEDIATE.into();
        }
        match expression.get_inner_expression() {
            Expression::Identifier(identifier) => identifier.name.to_string(),
            Expression::ThisExpression(_) => "this".into(),
            Expression::Super(_) => "(intermediate value)".into(),
            Expression::StaticMemberExpression(member) => {
                format!("{}.{}", self.render(&member.object, depth + 1), member.property.name)
            }
            Expression::PrivateFieldExpression(member) => {
                format!("{}.#{}", self.render(&member.object, depth + 1), member.field.name)
            }
            Expression::ComputedMemberExpression(member) => {
                let key = match member.expression.get_inner_expression() {
                    Expression::StringLiteral(literal) => literal.value.to_string(),
                    Expression::NumericLiteral(literal) => {
                        return format!("{}[{}]", self.render(&member.object, depth + 1), literal.value);
                    }
                    Expression::Identifier(identifier) => {
                        return format!("{}[{}]", self.render(&member.object, depth + 1), identifier.name);
                    }
                    _ => return format!("{}[...]", self.render(&member.object, depth + 1)),
                };
                format!("{}.{}", self.render(&member.object, depth + 1), key)
            }
            Expression::CallExpression(call) => format!("{}(...)", self.render(&call.callee, depth + 1)),
            Expression::ChainExpression(chain) => match &chain.expression {
                ChainElement::CallExpression(call) => format!("{}(...)", self.render(&call.callee, depth + 1)),
                _ => INTERMEDIATE.into(),
            },
            Expression::ObjectExpression(object) if object.properties.is_empty() => "{}".into(),
            Expression::ObjectExpression(_) => "{(intermediate value)}".into(),
            Expression::NumericLiteral(_)
            | Expression::StringLiteral(_)
            | Expression::BooleanLiteral(_)
            | Expression::NullLiteral(_) => {
                let span = expression.span();
                let text = self.source.get(span.start as usize..span.end as usize).unwrap_or(INTERMEDIATE);
                if text.len() > 40 { INTERMEDIATE.into() } else { text.into() }
            }
            _ => INTERMEDIATE.into(),
        }
    }

    /// An early error.
    fn fail<T>(&self, offset: u32, message: impl Into<String>) -> Result<T> {
        Err(Failure::syntax(offset, message))
    }
}

/// The int32 that a number is, unless it is -0.
fn as_int32(value: f64) -> Option<i32> {
    let int = value as i32;
    (int as f64 == value && !(value == 0.0 && value.is_sign_negative())).then_some(int)
}

/// Whether a property name is an array index, which sites must not hold.
fn is_array_index(name: &str) -> bool {
    if name == "0" {
        return true;
    }
    !name.starts_with('0')
        && name.len() <= 10
        && !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_digit())
        && name.parse::<u64>().is_ok_and(|index| index < u32::MAX as u64)
}
