//! Calls of `$` names in self-hosted code.

use codemode_bytecode::{ErrorKind, Intrinsic, NO_STRING, Opcode};
use oxc_ast::ast::*;

use super::Lowering;
use crate::{emit::Register, error::Result};

impl<'a> Lowering<'a> {
    /// Compiles a call of an intrinsic; false when the callee is an ordinary expression.
    pub(super) fn intrinsic_call(&mut self, call: &CallExpression<'a>, to: Register) -> Result<bool> {
        let Expression::Identifier(identifier) = &call.callee else { return Ok(false) };
        let name = identifier.name.as_str();
        if !name.starts_with('$') {
            return Ok(false);
        }
        let offset = call.span.start;
        match name {
            "$call" | "$construct" => {
                let Some((callee, rest)) = call.arguments.split_first() else {
                    return self.fail(offset, format!("{name} needs a function"));
                };
                let Some((second, arguments)) = rest.split_first() else {
                    return self.fail(offset, format!("{name} needs two arguments"));
                };
                let window = self.f.temps(2)?;
                self.argument_to(callee, window)?;
                self.argument_to(second, window + 1)?;
                let opcodes =
                    if name == "$call" { [Opcode::Call, Opcode::CallSpread] } else { [Opcode::New, Opcode::NewSpread] };
                self.arguments_and_call(arguments, window, to, offset, opcodes, NO_STRING)?;
            }
            "$throw" => {
                let kind = match call.arguments.first().and_then(Argument::as_expression) {
                    Some(Expression::Identifier(kind)) => error_kind(kind.name.as_str()),
                    Some(Expression::StringLiteral(kind)) => error_kind(kind.value.as_str()),
                    _ => None,
                };
                let message = match call.arguments.get(1).and_then(Argument::as_expression) {
                    Some(Expression::StringLiteral(message)) => Some(message.value.to_string()),
                    _ => None,
                };
                let (Some(kind), Some(message)) = (kind, message) else {
                    return self.fail(offset, "$throw needs the name of an error type and a string literal");
                };
                self.f.at(offset);
                self.throw_error(kind, &message);
            }
            _ => {
                let Some(intrinsic) = Intrinsic::from_text(name) else {
                    return self.fail(offset, format!("There is no intrinsic {name}"));
                };
                let count = call.arguments.len();
                let first = self.f.temps(count)?;
                for (index, argument) in call.arguments.iter().enumerate() {
                    self.argument_to(argument, first + index as u8)?;
                }
                self.f.at(offset);
                let first = if count == 0 { to } else { first };
                self.f.emit(Opcode::Intrinsic, to, first, count as u8, intrinsic as u32);
            }
        }
        Ok(true)
    }

    fn argument_to(&mut self, argument: &Argument<'a>, to: Register) -> Result<()> {
        match argument.as_expression() {
            Some(expression) => self.expression_to(expression, to),
            None => self.fail(0, "Intrinsics take no spread arguments"),
        }
    }
}

fn error_kind(name: &str) -> Option<ErrorKind> {
    Some(match name {
        "Error" => ErrorKind::Error,
        "TypeError" => ErrorKind::Type,
        "RangeError" => ErrorKind::Range,
        "ReferenceError" => ErrorKind::Reference,
        "SyntaxError" => ErrorKind::Syntax,
        "URIError" => ErrorKind::Uri,
        "EvalError" => ErrorKind::Eval,
        "AggregateError" => ErrorKind::Aggregate,
        "SuppressedError" => ErrorKind::Suppressed,
        _ => return None,
    })
}
