//! Expressions: the dispatch, and the ones that have no file of their own.

use codemode_bytecode::{NO_STRING, Opcode};
use oxc_ast::ast::*;
use oxc_span::{GetSpan, Span};
use oxc_syntax::operator::UnaryOperator;

use super::Lowering;
use crate::{
    emit::Register,
    error::{Failure, Result},
};

impl<'a> Lowering<'a> {
    /// Compiles an expression into a register.
    pub(super) fn expression_to(&mut self, expression: &Expression<'a>, to: Register) -> Result<()> {
        self.named_to(expression, to, NO_STRING)
    }

    /// As [`Lowering::expression_to`]; an anonymous function gets the name.
    pub(super) fn named_to(&mut self, expression: &Expression<'a>, to: Register, name: u32) -> Result<()> {
        let mark = self.f.mark();
        self.value(expression, to, name)?;
        self.f.release(mark);
        Ok(())
    }

    fn value(&mut self, expression: &Expression<'a>, to: Register, name: u32) -> Result<()> {
        match expression {
            Expression::BooleanLiteral(literal) => {
                let op = if literal.value { Opcode::LoadTrue } else { Opcode::LoadFalse };
                self.f.emit(op, to, 0, 0, 0);
                Ok(())
            }
            Expression::NullLiteral(_) => {
                self.f.emit(Opcode::LoadNull, to, 0, 0, 0);
                Ok(())
            }
            Expression::NumericLiteral(literal) => {
                self.load_number(to, literal.value);
                Ok(())
            }
            Expression::BigIntLiteral(literal) => self.big_int(literal, to),
            Expression::StringLiteral(literal) => {
                let string = self.unit.literal(literal.value.as_str(), literal.lone_surrogates);
                self.load_string_index(to, string);
                Ok(())
            }
            Expression::RegExpLiteral(literal) => self.regular_expression(literal, to),
            Expression::TemplateLiteral(literal) => self.template(literal, to),
            Expression::TaggedTemplateExpression(tagged) => self.tagged_template(tagged, to),
            Expression::Identifier(identifier) => self.load_identifier(identifier, to),
            Expression::ThisExpression(this) => self.this(this.span.start, to),
            Expression::ArrayExpression(array) => self.array(array, to),
            Expression::ObjectExpression(object) => self.object(object, to),
            Expression::FunctionExpression(function) => self.function_expression(function, to, name),
            Expression::ArrowFunctionExpression(arrow) => self.arrow(arrow, to, name),
            Expression::ClassExpression(class) => self.class(class, to, name),
            Expression::UnaryExpression(unary) => self.unary(unary, to),
            Expression::UpdateExpression(update) => self.update(update, Some(to)),
            Expression::BinaryExpression(binary) => self.binary(binary, to),
            Expression::LogicalExpression(logical) => self.logical(logical, to),
            Expression::ConditionalExpression(conditional) => self.conditional(conditional, to),
            Expression::AssignmentExpression(assignment) => self.assignment(assignment, Some(to)),
            Expression::SequenceExpression(sequence) => {
                let Some((last, rest)) = sequence.expressions.split_last() else { return Ok(()) };
                for expression in rest {
                    self.effect(expression)?;
                }
                self.expression_to(last, to)
            }
            Expression::CallExpression(call) => self.call(call, to),
            Expression::NewExpression(new) => self.new_expression(new, to),
            Expression::ChainExpression(chain) => self.chain(chain, to),
            Expression::StaticMemberExpression(member) => self.static_member(member, to),
            Expression::ComputedMemberExpression(member) => self.computed_member(member, to),
            Expression::PrivateFieldExpression(member) => self.private_member(member, to),
            Expression::PrivateInExpression(node) => self.private_in(node, to),
            Expression::AwaitExpression(node) => {
                let value = self.operand_using(&node.argument, None, to)?;
                self.f.at(node.span.start);
                self.f.emit(Opcode::Await, to, value, 0, 0);
                Ok(())
            }
            Expression::YieldExpression(node) => self.yield_expression(node, to),
            Expression::NewTarget(_) => self.new_target(to),
            Expression::ParenthesizedExpression(node) => self.named_to(&node.expression, to, name),
            Expression::TSAsExpression(node) => self.named_to(&node.expression, to, name),
            Expression::TSSatisfiesExpression(node) => self.named_to(&node.expression, to, name),
            Expression::TSTypeAssertion(node) => self.named_to(&node.expression, to, name),
            Expression::TSNonNullExpression(node) => self.named_to(&node.expression, to, name),
            Expression::TSInstantiationExpression(node) => self.named_to(&node.expression, to, name),
            Expression::Super(node) => self.fail(node.span.start, "'super' keyword unexpected here"),
            Expression::ImportExpression(_)
            | Expression::ImportMeta(_)
            | Expression::JSXElement(_)
            | Expression::JSXFragment(_)
            | Expression::V8IntrinsicExpression(_) => {
                Err(Failure::unsupported(expression.span().start, "This syntax is not supported"))
            }
        }
    }

    /// Compiles an expression for reading its value: gives the register of a local variable itself, unless code in `later` assigns
    /// the variable before the value is read.
    pub(super) fn operand(&mut self, expression: &Expression<'a>, later: Option<Span>) -> Result<Register> {
        let inner = expression.get_inner_expression();
        if let Expression::Identifier(identifier) = inner
            && let Some((binding, register)) = self.local_register(identifier)
            && !later.is_some_and(|span| self.plan.is_written_in(binding, span.start, span.end))
        {
            return Ok(register);
        }
        if let (Expression::ThisExpression(_), Some(register)) = (inner, self.f.this_register) {
            return Ok(register);
        }
        let temp = self.f.temp()?;
        self.expression_to(inner, temp)?;
        Ok(temp)
    }

    /// As [`Lowering::operand`], but the value goes to `spare` where it needs a register, unless `spare` holds a variable.
    pub(super) fn operand_using(
        &mut self,
        expression: &Expression<'a>,
        later: Option<Span>,
        spare: Register,
    ) -> Result<Register> {
        if self.f.is_local(spare) {
            return self.operand(expression, later);
        }
        let inner = expression.get_inner_expression();
        if let Expression::Identifier(identifier) = inner
            && let Some((binding, register)) = self.local_register(identifier)
            && !later.is_some_and(|span| self.plan.is_written_in(binding, span.start, span.end))
        {
            return Ok(register);
        }
        if let (Expression::ThisExpression(_), Some(register)) = (inner, self.f.this_register) {
            return Ok(register);
        }
        self.expression_to(inner, spare)?;
        Ok(spare)
    }

    /// Compiles an expression whose value nobody needs.
    pub(super) fn effect(&mut self, expression: &Expression<'a>) -> Result<()> {
        let mark = self.f.mark();
        match expression.get_inner_expression() {
            Expression::AssignmentExpression(assignment) => self.assignment(assignment, None)?,
            Expression::UpdateExpression(update) => self.update(update, None)?,
            Expression::SequenceExpression(sequence) => {
                for expression in &sequence.expressions {
                    self.effect(expression)?;
                }
            }
            Expression::LogicalExpression(logical) => self.logical_effect(logical)?,
            Expression::ConditionalExpression(conditional) => {
                let (otherwise, end) = (self.f.label(), self.f.label());
                self.branch(&conditional.test, otherwise, false)?;
                self.effect(&conditional.consequent)?;
                self.f.jump(Opcode::Jump, 0, 0, 0, end);
                self.f.bind(otherwise);
                self.effect(&conditional.alternate)?;
                self.f.bind(end);
            }
            Expression::UnaryExpression(unary) if unary.operator == UnaryOperator::Void => {
                self.effect(&unary.argument)?;
            }
            Expression::Identifier(identifier) if self.local_register(identifier).is_some() => {}
            inner => {
                let temp = self.f.temp()?;
                self.expression_to(inner, temp)?;
            }
        }
        self.f.release(mark);
        Ok(())
    }

    fn conditional(&mut self, node: &ConditionalExpression<'a>, to: Register) -> Result<()> {
        let (otherwise, end) = (self.f.label(), self.f.label());
        self.branch(&node.test, otherwise, false)?;
        self.expression_to(&node.consequent, to)?;
        self.f.jump(Opcode::Jump, 0, 0, 0, end);
        self.f.bind(otherwise);
        self.expression_to(&node.alternate, to)?;
        self.f.bind(end);
        Ok(())
    }

    /// A register to build a value in step by step: `to` itself unless that holds a variable.
    pub(super) fn scratch(&mut self, to: Register) -> Result<Register> {
        if self.f.is_local(to) { self.f.temp() } else { Ok(to) }
    }
}
