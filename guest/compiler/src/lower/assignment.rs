//! Assignment expressions.

use codemode_bytecode::NO_STRING;
use oxc_ast::ast::*;
use oxc_span::GetSpan;

use super::{Lowering, operators::short_circuit};
use crate::{emit::Register, error::Result, scope::BindingKind};

impl<'a> Lowering<'a> {
    /// Compiles an assignment; its value goes to `to` when somebody needs it.
    pub(super) fn assignment(&mut self, node: &AssignmentExpression<'a>, to: Option<Register>) -> Result<()> {
        match &node.left {
            AssignmentTarget::ArrayAssignmentTarget(_) | AssignmentTarget::ObjectAssignmentTarget(_) => {
                let value = self.operand(&node.right, Some(node.left.span()))?;
                self.destructured = Some(self.rendered(&node.right));
                self.assign_pattern(&node.left, value)?;
                if let Some(to) = to {
                    self.f.move_register(to, value);
                }
                Ok(())
            }
            left => {
                let Some(target) = left.as_simple_assignment_target() else {
                    return self.fail(left.span().start, "Invalid left-hand side in assignment");
                };
                if let Some(identifier) = self.target_identifier(target) {
                    self.assign_identifier(node, identifier, to)
                } else {
                    self.assign_member(node, target, to)
                }
            }
        }
    }

    fn assign_identifier(
        &mut self,
        node: &AssignmentExpression<'a>,
        identifier: &IdentifierReference<'a>,
        to: Option<Register>,
    ) -> Result<()> {
        let local = self.local_register(identifier).filter(|&(binding, _)| {
            !matches!(
                self.plan.binding(binding).kind,
                BindingKind::Const | BindingKind::ClassName | BindingKind::FunctionName | BindingKind::EnumMember
            )
        });
        if let Some(operator) = node.operator.to_binary_operator() {
            if let Some((binding, register)) = local {
                // The old value counts: when the right side assigns the variable too, it is kept aside.
                let span = node.right.span();
                let old = if self.plan.is_written_in(binding, span.start, span.end) {
                    let temp = self.f.temp()?;
                    self.f.move_register(temp, register);
                    temp
                } else {
                    register
                };
                self.operate(operator, register, old, &node.right, node.span)?;
                if let Some(to) = to {
                    self.f.move_register(to, register);
                }
                return Ok(());
            }
            let value = self.f.temp()?;
            self.load_identifier(identifier, value)?;
            self.operate(operator, value, value, &node.right, node.span)?;
            self.store_identifier(identifier, value)?;
            if let Some(to) = to {
                self.f.move_register(to, value);
            }
            return Ok(());
        }
        // `(x) = function () {}` gives no name: only a bare identifier does.
        let name =
            if node.span.start == identifier.span.start { self.string(identifier.name.as_str()) } else { NO_STRING };
        if let Some(operator) = node.operator.to_logical_operator() {
            let end = self.f.label();
            let value = match local {
                Some((_, register)) => register,
                None => {
                    let temp = self.f.temp()?;
                    self.load_identifier(identifier, temp)?;
                    temp
                }
            };
            let result = match to {
                Some(to) if !self.f.is_local(to) && to != value => Some(to),
                Some(_) => Some(self.f.temp()?),
                None => None,
            };
            if let Some(result) = result {
                self.f.move_register(result, value);
            }
            self.f.jump(short_circuit(operator), value, 0, 0, end);
            if let Some((_, register)) = local {
                self.named_to(&node.right, register, name)?;
                if let Some(result) = result {
                    self.f.move_register(result, register);
                }
            } else {
                self.named_to(&node.right, value, name)?;
                self.store_identifier(identifier, value)?;
                if let Some(result) = result {
                    self.f.move_register(result, value);
                }
            }
            self.f.bind(end);
            if let (Some(to), Some(result)) = (to, result) {
                self.f.move_register(to, result);
            }
            return Ok(());
        }
        if let Some((_, register)) = local {
            self.named_to(&node.right, register, name)?;
            if let Some(to) = to {
                self.f.move_register(to, register);
            }
            return Ok(());
        }
        let value = match (self.is_anonymous_function(&node.right), to) {
            (true, _) => {
                let temp = self.f.temp()?;
                self.named_to(&node.right, temp, name)?;
                temp
            }
            (false, Some(to)) if !self.f.is_local(to) => {
                self.expression_to(&node.right, to)?;
                to
            }
            _ => self.operand(&node.right, None)?,
        };
        self.store_identifier(identifier, value)?;
        if let Some(to) = to {
            self.f.move_register(to, value);
        }
        Ok(())
    }

    fn assign_member(
        &mut self,
        node: &AssignmentExpression<'a>,
        target: &SimpleAssignmentTarget<'a>,
        to: Option<Register>,
    ) -> Result<()> {
        let mut member = self.member_target_before(target, Some(node.right.span()))?;
        if let Some(operator) = node.operator.to_binary_operator() {
            self.convert_key(&mut member)?;
            let value = self.f.temp()?;
            self.get_member(&member, value)?;
            self.operate(operator, value, value, &node.right, node.span)?;
            self.set_member(&member, value)?;
            if let Some(to) = to {
                self.f.move_register(to, value);
            }
            return Ok(());
        }
        if let Some(operator) = node.operator.to_logical_operator() {
            self.convert_key(&mut member)?;
            let end = self.f.label();
            let value = self.f.temp()?;
            self.get_member(&member, value)?;
            self.f.jump(short_circuit(operator), value, 0, 0, end);
            self.expression_to(&node.right, value)?;
            self.set_member(&member, value)?;
            self.f.bind(end);
            if let Some(to) = to {
                self.f.move_register(to, value);
            }
            return Ok(());
        }
        let value = match to {
            Some(to) if !self.f.is_local(to) => {
                self.expression_to(&node.right, to)?;
                to
            }
            _ => self.operand(&node.right, None)?,
        };
        self.set_member(&member, value)?;
        if let Some(to) = to {
            self.f.move_register(to, value);
        }
        Ok(())
    }

    /// Whether the expression is a function or class without a name of its own, which takes one from its place.
    pub(super) fn is_anonymous_function(&self, expression: &Expression<'a>) -> bool {
        match expression.get_inner_expression() {
            Expression::ArrowFunctionExpression(_) => true,
            Expression::FunctionExpression(function) => function.id.is_none(),
            Expression::ClassExpression(class) => class.id.is_none(),
            _ => false,
        }
    }
}
