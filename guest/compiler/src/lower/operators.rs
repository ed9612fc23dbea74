//! Operators and conditions.

use codemode_bytecode::Opcode;
use oxc_ast::ast::*;
use oxc_span::{GetSpan, Span};
use oxc_syntax::operator::{BinaryOperator, LogicalOperator, UnaryOperator, UpdateOperator};

use super::{Lowering, as_int32};
use crate::{
    emit::{Label, Register},
    error::Result,
    scope::{BindingKind, Storage},
};

/// The operators for which the sides can be exchanged when one is a number.
fn commutes(operator: BinaryOperator) -> bool {
    matches!(operator, BinaryOperator::Multiplication | BinaryOperator::BitwiseAnd | BinaryOperator::BitwiseOR)
}
/// The operation on two registers.
pub(super) fn binary_opcode(operator: BinaryOperator) -> Opcode {
    match operator {
        BinaryOperator::Equality => Opcode::Eq,
        BinaryOperator::Inequality => Opcode::Ne,
        BinaryOperator::StrictEquality => Opcode::StrictEq,
        BinaryOperator::StrictInequality => Opcode::StrictNe,
        BinaryOperator::LessThan => Opcode::Lt,
        BinaryOperator::LessEqualThan => Opcode::Le,
        BinaryOperator::GreaterThan => Opcode::Gt,
        BinaryOperator::GreaterEqualThan => Opcode::Ge,
        BinaryOperator::Addition => Opcode::Add,
        BinaryOperator::Subtraction => Opcode::Sub,
        BinaryOperator::Multiplication => Opcode::Mul,
        BinaryOperator::Division => Opcode::Div,
        BinaryOperator::Remainder => Opcode::Mod,
        BinaryOperator::Exponential => Opcode::Exp,
        BinaryOperator::ShiftLeft => Opcode::Shl,
        BinaryOperator::ShiftRight => Opcode::Shr,
        BinaryOperator::ShiftRightZeroFill => Opcode::UShr,
        BinaryOperator::BitwiseOR => Opcode::BitOr,
        BinaryOperator::BitwiseXOR => Opcode::BitXor,
        BinaryOperator::BitwiseAnd => Opcode::BitAnd,
        BinaryOperator::In => Opcode::In,
        BinaryOperator::Instanceof => Opcode::InstanceOf,
    }
}

/// The operation on a register and an integer, where there is one.
fn int_opcode(operator: BinaryOperator) -> Option<Opcode> {
    Some(match operator {
        BinaryOperator::Addition => Opcode::AddInt,
        BinaryOperator::Subtraction => Opcode::SubInt,
        BinaryOperator::Multiplication => Opcode::MulInt,
        BinaryOperator::Remainder => Opcode::ModInt,
        BinaryOperator::BitwiseAnd => Opcode::BitAndInt,
        BinaryOperator::BitwiseOR => Opcode::BitOrInt,
        BinaryOperator::ShiftLeft => Opcode::ShlInt,
        BinaryOperator::ShiftRight => Opcode::ShrInt,
        BinaryOperator::ShiftRightZeroFill => Opcode::UShrInt,
        _ => return None,
    })
}

/// The value of an operation on constants.
fn fold(operator: BinaryOperator, left: f64, right: f64) -> Option<f64> {
    match operator {
        BinaryOperator::Addition => Some(left + right),
        BinaryOperator::Subtraction => Some(left - right),
        BinaryOperator::Multiplication => Some(left * right),
        BinaryOperator::Division => Some(left / right),
        _ => None,
    }
}

impl<'a> Lowering<'a> {
    /// The constant number that an expression is: a literal, or a const that was initialised with one.
    pub(super) fn constant_number(&self, expression: &Expression) -> Option<f64> {
        match expression.get_inner_expression() {
            Expression::NumericLiteral(literal) => Some(literal.value),
            Expression::UnaryExpression(unary) => match (unary.operator, unary.argument.get_inner_expression()) {
                (UnaryOperator::UnaryNegation, Expression::NumericLiteral(literal)) => Some(-literal.value),
                (UnaryOperator::UnaryPlus, Expression::NumericLiteral(literal)) => Some(literal.value),
                _ => None,
            },
            Expression::Identifier(identifier) => match self.resolved(identifier) {
                (Some(binding), false) => self.plan.binding(binding).constant,
                _ => None,
            },
            _ => None,
        }
    }

    fn constant_int(&self, expression: &Expression) -> Option<i32> {
        self.constant_number(expression).and_then(as_int32)
    }

    pub(super) fn constant_short(&self, expression: &Expression) -> Option<i16> {
        self.constant_int(expression).and_then(|int| i16::try_from(int).ok())
    }

    pub(super) fn binary(&mut self, node: &BinaryExpression<'a>, to: Register) -> Result<()> {
        // Chains of operators lean left and can be long: lowered without recursion.
        let mut spine: Vec<&BinaryExpression<'a>> = vec![node];
        let mut left = node.left.get_inner_expression();
        while let Expression::BinaryExpression(inner) = left {
            spine.push(inner);
            left = inner.left.get_inner_expression();
        }
        let mut constant = self.constant_number(left);
        let mut value: Option<Register> = None;
        let mut accumulator: Option<Register> = None;
        while let Some(node) = spine.pop() {
            if let (Some(a), Some(b)) = (constant, self.constant_number(&node.right))
                && let Some(folded) = fold(node.operator, a, b)
            {
                constant = Some(folded);
                continue;
            }
            let later = node.right.span();
            if let (None, Some(number)) = (value, constant)
                && commutes(node.operator)
                && let (Some(op), Some(int)) = (int_opcode(node.operator), as_int32(number))
            {
                let result = if spine.is_empty() || !self.f.is_local(to) { to } else { self.f.temp()? };
                let mark = self.f.mark();
                let right = self.operand_using(&node.right, None, result)?;
                self.f.at(node.span.start);
                self.f.emit(op, result, right, 0, int as u32);
                self.f.release(mark);
                constant = None;
                value = Some(result);
                accumulator = Some(result);
                continue;
            }
            let a = match (value, constant) {
                (Some(register), _) => register,
                (None, Some(number)) => {
                    let temp = self.f.temp()?;
                    self.load_number(temp, number);
                    temp
                }
                (None, None) => self.operand_using(left, Some(later), to)?,
            };
            constant = None;
            // The result of all but the last operator goes to one temporary.
            let result = if spine.is_empty() {
                to
            } else {
                match accumulator {
                    Some(register) => register,
                    None => {
                        let register = if self.f.is_local(to) || to == a { self.fresh_or(a)? } else { to };
                        accumulator = Some(register);
                        register
                    }
                }
            };
            let mark = self.f.mark();
            self.operate(node.operator, result, a, &node.right, node.span)?;
            self.f.release(mark);
            value = Some(result);
        }
        if let Some(number) = constant {
            self.load_number(to, number);
        }
        Ok(())
    }

    /// `a` itself when it is a temporary that can be overwritten, else a new one.
    fn fresh_or(&mut self, a: Register) -> Result<Register> {
        if self.f.is_local(a) { self.f.temp() } else { Ok(a) }
    }

    /// `R[to] = R[a] operator right`
    pub(super) fn operate(
        &mut self,
        operator: BinaryOperator,
        to: Register,
        a: Register,
        right: &Expression<'a>,
        span: Span,
    ) -> Result<()> {
        if let (Some(op), Some(int)) = (int_opcode(operator), self.constant_int(right)) {
            self.f.at(span.start);
            self.f.emit(op, to, a, 0, int as u32);
            return Ok(());
        }
        let b = self.operand(right, None)?;
        self.f.at(span.start);
        self.f.emit(binary_opcode(operator), to, a, b, 0);
        Ok(())
    }

    pub(super) fn unary(&mut self, node: &UnaryExpression<'a>, to: Register) -> Result<()> {
        let argument = node.argument.get_inner_expression();
        match node.operator {
            UnaryOperator::UnaryNegation | UnaryOperator::UnaryPlus => {
                if let Expression::NumericLiteral(literal) = argument {
                    let negative = node.operator == UnaryOperator::UnaryNegation;
                    self.load_number(to, if negative { -literal.value } else { literal.value });
                    return Ok(());
                }
                let op = if node.operator == UnaryOperator::UnaryPlus { Opcode::ToNumber } else { Opcode::Neg };
                let value = self.operand_using(argument, None, to)?;
                self.f.at(node.span.start);
                self.f.emit(op, to, value, 0, 0);
            }
            UnaryOperator::BitwiseNot => {
                let value = self.operand_using(argument, None, to)?;
                self.f.at(node.span.start);
                self.f.emit(Opcode::BitNot, to, value, 0, 0);
            }
            UnaryOperator::LogicalNot => {
                let value = self.operand_using(argument, None, to)?;
                self.f.emit(Opcode::Not, to, value, 0, 0);
            }
            UnaryOperator::Typeof => {
                if let Expression::Identifier(identifier) = argument {
                    let (binding, _) = self.resolved(identifier);
                    let is_global = binding.is_none_or(|binding| self.plan.binding(binding).storage == Storage::Global);
                    if is_global {
                        self.f.at(identifier.span.start);
                        let site = self.site(identifier.name.as_str());
                        let temp = self.f.temp()?;
                        self.f.emit(Opcode::LoadGlobalOrUndefined, temp, 0, 0, site);
                        self.f.emit(Opcode::Typeof, to, temp, 0, 0);
                        return Ok(());
                    }
                }
                let value = self.operand_using(argument, None, to)?;
                self.f.emit(Opcode::Typeof, to, value, 0, 0);
            }
            UnaryOperator::Void => {
                self.effect(argument)?;
                self.f.emit(Opcode::LoadUndefined, to, 0, 0, 0);
            }
            UnaryOperator::Delete => self.delete(argument, node.span, to)?,
        }
        Ok(())
    }

    /// `++` and `--`; the value goes to `to` when somebody needs it.
    pub(super) fn update(&mut self, node: &UpdateExpression<'a>, to: Option<Register>) -> Result<()> {
        let op = if node.operator == UpdateOperator::Increment { Opcode::Inc } else { Opcode::Dec };
        let prefix = node.prefix || to.is_none();
        if let Some(identifier) = self.target_identifier(&node.argument) {
            let writable = self.local_register(identifier).filter(|&(binding, _)| {
                !matches!(
                    self.plan.binding(binding).kind,
                    BindingKind::Const | BindingKind::ClassName | BindingKind::FunctionName | BindingKind::EnumMember
                )
            });
            if let Some((_, register)) = writable {
                self.f.at(node.span.start);
                match to {
                    None => {
                        self.f.emit(op, register, register, 0, 0);
                    }
                    Some(to) if prefix => {
                        self.f.emit(op, register, register, 0, 0);
                        self.f.move_register(to, register);
                    }
                    Some(to) if to == register => {
                        // `x = x++`: the assignment wins.
                        self.f.emit(Opcode::ToNumeric, to, register, 0, 0);
                    }
                    Some(to) => {
                        let old = self.scratch(to)?;
                        self.f.emit(Opcode::ToNumeric, old, register, 0, 0);
                        self.f.emit(op, register, old, 0, 0);
                        self.f.move_register(to, old);
                    }
                }
                return Ok(());
            }
            let old = self.f.temp()?;
            self.load_identifier(identifier, old)?;
            self.f.at(node.span.start);
            let new = self.f.temp()?;
            self.step(op, prefix, old, new);
            self.store_identifier(identifier, new)?;
            if let Some(to) = to {
                self.f.move_register(to, if prefix { new } else { old });
            }
            return Ok(());
        }
        let mut target = self.member_target(&node.argument)?;
        self.convert_key(&mut target)?;
        let old = self.f.temp()?;
        self.get_member(&target, old)?;
        self.f.at(node.span.start);
        let new = self.f.temp()?;
        self.step(op, prefix, old, new);
        self.set_member(&target, new)?;
        if let Some(to) = to {
            self.f.move_register(to, if prefix { new } else { old });
        }
        Ok(())
    }

    /// `R[new]` = `R[old]` plus or minus one; `R[old]` becomes a number unless only the new value matters.
    fn step(&mut self, op: Opcode, prefix: bool, old: Register, new: Register) {
        if !prefix {
            self.f.emit(Opcode::ToNumeric, old, old, 0, 0);
        }
        self.f.emit(op, new, old, 0, 0);
    }

    pub(super) fn logical(&mut self, node: &LogicalExpression<'a>, to: Register) -> Result<()> {
        let result = self.scratch(to)?;
        let end = self.f.label();
        // Chains lean left as well.
        let mut spine = vec![node];
        let mut left = node.left.get_inner_expression();
        while let Expression::LogicalExpression(inner) = left
            && inner.operator == node.operator
        {
            spine.push(inner);
            left = inner.left.get_inner_expression();
        }
        self.expression_to(left, result)?;
        while let Some(node) = spine.pop() {
            self.f.jump(short_circuit(node.operator), result, 0, 0, end);
            self.expression_to(&node.right, result)?;
        }
        self.f.bind(end);
        self.f.move_register(to, result);
        Ok(())
    }

    pub(super) fn logical_effect(&mut self, node: &LogicalExpression<'a>) -> Result<()> {
        let end = self.f.label();
        match node.operator {
            LogicalOperator::And => self.branch(&node.left, end, false)?,
            LogicalOperator::Or => self.branch(&node.left, end, true)?,
            LogicalOperator::Coalesce => {
                let value = self.operand(&node.left, None)?;
                self.f.jump(Opcode::JumpIfNotNullish, value, 0, 0, end);
            }
        }
        self.effect(&node.right)?;
        self.f.bind(end);
        Ok(())
    }

    /// Jumps to `target` when the truth of the condition is `when`, else goes on.
    pub(super) fn branch(&mut self, condition: &Expression<'a>, target: Label, when: bool) -> Result<()> {
        let mark = self.f.mark();
        self.branch_inner(condition.get_inner_expression(), target, when)?;
        self.f.release(mark);
        Ok(())
    }

    fn branch_inner(&mut self, condition: &Expression<'a>, target: Label, when: bool) -> Result<()> {
        match condition {
            Expression::BooleanLiteral(literal) => {
                if literal.value == when {
                    self.f.jump(Opcode::Jump, 0, 0, 0, target);
                }
                return Ok(());
            }
            Expression::UnaryExpression(unary) if unary.operator == UnaryOperator::LogicalNot => {
                return self.branch(&unary.argument, target, !when);
            }
            Expression::LogicalExpression(node) if node.operator != LogicalOperator::Coalesce => {
                let is_and = node.operator == LogicalOperator::And;
                if is_and != when {
                    self.branch(&node.left, target, when)?;
                    self.branch(&node.right, target, when)?;
                } else {
                    let skip = self.f.label();
                    self.branch(&node.left, skip, !when)?;
                    self.branch(&node.right, target, when)?;
                    self.f.bind(skip);
                }
                return Ok(());
            }
            Expression::SequenceExpression(sequence) => {
                if let Some((last, rest)) = sequence.expressions.split_last() {
                    for expression in rest {
                        self.effect(expression)?;
                    }
                    return self.branch(last, target, when);
                }
            }
            Expression::BinaryExpression(node) => {
                if self.branch_compare(node, target, when)? {
                    return Ok(());
                }
            }
            _ => {}
        }
        let value = self.operand(condition, None)?;
        self.f.jump(if when { Opcode::JumpIfTrue } else { Opcode::JumpIfFalse }, value, 0, 0, target);
        Ok(())
    }

    /// A comparison fused with the jump; false when there is no such instruction.
    fn branch_compare(&mut self, node: &BinaryExpression<'a>, target: Label, when: bool) -> Result<bool> {
        let op = match (node.operator, when) {
            (BinaryOperator::LessThan, true) => Opcode::JumpLt,
            (BinaryOperator::LessThan, false) => Opcode::JumpNotLt,
            (BinaryOperator::LessEqualThan, true) => Opcode::JumpLe,
            (BinaryOperator::LessEqualThan, false) => Opcode::JumpNotLe,
            (BinaryOperator::GreaterThan, true) => Opcode::JumpGt,
            (BinaryOperator::GreaterThan, false) => Opcode::JumpNotGt,
            (BinaryOperator::GreaterEqualThan, true) => Opcode::JumpGe,
            (BinaryOperator::GreaterEqualThan, false) => Opcode::JumpNotGe,
            (BinaryOperator::Equality, true) | (BinaryOperator::Inequality, false) => Opcode::JumpEq,
            (BinaryOperator::Equality, false) | (BinaryOperator::Inequality, true) => Opcode::JumpNe,
            (BinaryOperator::StrictEquality, true) | (BinaryOperator::StrictInequality, false) => Opcode::JumpStrictEq,
            (BinaryOperator::StrictEquality, false) | (BinaryOperator::StrictInequality, true) => Opcode::JumpStrictNe,
            _ => return Ok(false),
        };
        let right = node.right.get_inner_expression();
        let strict = matches!(op, Opcode::JumpStrictEq | Opcode::JumpStrictNe);
        let equal = matches!(op, Opcode::JumpStrictEq | Opcode::JumpEq);
        if matches!(op, Opcode::JumpEq | Opcode::JumpNe)
            && (matches!(right, Expression::NullLiteral(_)) || self.is_undefined(right))
        {
            let value = self.operand(&node.left, None)?;
            let op = if equal { Opcode::JumpIfNullish } else { Opcode::JumpIfNotNullish };
            self.f.jump(op, value, 0, 0, target);
            return Ok(true);
        }
        if strict && self.is_undefined(right) {
            let value = self.operand(&node.left, None)?;
            let op = if equal { Opcode::JumpIfUndefined } else { Opcode::JumpIfNotUndefined };
            self.f.jump(op, value, 0, 0, target);
            return Ok(true);
        }
        if let Some(short) = self.constant_short(right) {
            let op = match op {
                Opcode::JumpLt => Some(Opcode::JumpLtInt),
                Opcode::JumpNotLt => Some(Opcode::JumpNotLtInt),
                Opcode::JumpStrictEq => Some(Opcode::JumpEqInt),
                Opcode::JumpStrictNe => Some(Opcode::JumpNeInt),
                _ => None,
            };
            if let Some(op) = op {
                let value = self.operand(&node.left, None)?;
                self.f.at(node.span.start);
                self.f.jump_int(op, value, short, target);
                return Ok(true);
            }
        }
        let a = self.operand(&node.left, Some(node.right.span()))?;
        let b = self.operand(&node.right, None)?;
        self.f.at(node.span.start);
        self.f.jump(op, a, b, 0, target);
        Ok(true)
    }

    /// Whether the expression is the global `undefined`.
    pub(super) fn is_undefined(&self, expression: &Expression) -> bool {
        match expression {
            Expression::Identifier(identifier) => {
                identifier.name == "undefined" && self.resolved(identifier).0.is_none()
            }
            _ => false,
        }
    }
}

/// The jump that ends a logical expression early.
pub(super) fn short_circuit(operator: LogicalOperator) -> Opcode {
    match operator {
        LogicalOperator::And => Opcode::JumpIfFalse,
        LogicalOperator::Or => Opcode::JumpIfTrue,
        LogicalOperator::Coalesce => Opcode::JumpIfNotNullish,
    }
}
