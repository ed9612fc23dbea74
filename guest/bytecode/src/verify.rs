//! Checks that a code unit keeps the rules that the virtual machine relies on.

use std::fmt;

use crate::{CodeUnit, Constant, FunctionCode, Instruction, Intrinsic, MAX_REGISTERS, NO_STRING, Opcode, Operand};

/// A rule that a unit breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyError {
    /// Index of the function.
    pub function: usize,
    /// Index of the instruction, when one is at fault.
    pub instruction: Option<usize>,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for VerifyError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "function #{}", self.function)?;
        if let Some(instruction) = self.instruction {
            write!(formatter, ", instruction {instruction}")?;
        }
        write!(formatter, ": {}", self.message)
    }
}

impl std::error::Error for VerifyError {}

/// Verifies all functions of a unit: operands in range, jumps inside the function and in the right direction, code that
/// cannot run off its end, tables in order.
///
/// # Errors
/// The first rule that is broken.
pub fn verify(unit: &CodeUnit) -> Result<(), VerifyError> {
    if unit.functions.is_empty() {
        return Err(VerifyError { function: 0, instruction: None, message: "no entry".into() });
    }
    for (index, function) in unit.functions.iter().enumerate() {
        let verifier = Verifier { unit, function };
        verifier.function().map_err(|(instruction, message)| VerifyError { function: index, instruction, message })?;
    }
    Ok(())
}

type Check = Result<(), (Option<usize>, String)>;

struct Verifier<'a> {
    unit: &'a CodeUnit,
    function: &'a FunctionCode,
}

impl Verifier<'_> {
    fn function(&self) -> Check {
        let function = self.function;
        let whole = |message: &str| Err((None, message.to_string()));
        if function.register_count as usize > MAX_REGISTERS {
            return whole("too many registers");
        }
        if function.register_count < function.parameter_count as u16 {
            return whole("fewer registers than parameters");
        }
        for register in [function.rest_register, function.arguments_register].into_iter().flatten() {
            if register as u16 >= function.register_count {
                return whole("rest or arguments register out of range");
            }
        }
        if let Some(mapped) = &function.mapped_arguments {
            if mapped.slots.len() != function.parameter_count as usize {
                return whole("mapped arguments do not match the parameters");
            }
            if mapped.slots.iter().any(|&slot| slot != u32::MAX && slot >= mapped.environment_slots) {
                return whole("mapped argument slot out of range");
            }
        }
        if !self.is_string(function.name) {
            return whole("name out of range");
        }
        if function.source_start > function.source_end || function.source_end as usize > self.unit.source.len() {
            return whole("source range out of range");
        }
        if function.sites.iter().any(|site| !self.is_string(site.name)) {
            return whole("site name out of range");
        }
        for constant in &function.constants {
            self.constant(constant)?;
        }
        for (index, instruction) in function.instructions.iter().enumerate() {
            self.instruction(index, *instruction).map_err(|message| (Some(index), message))?;
        }
        match function.instructions.last().map(|instruction| instruction.op) {
            Some(Opcode::Return | Opcode::Throw | Opcode::ThrowError | Opcode::Jump | Opcode::JumpLoop) => {}
            _ => return whole("code runs off its end"),
        }
        let length = function.instructions.len() as u32;
        for handler in &function.handlers {
            if handler.start > handler.end || handler.end > length || handler.target >= length {
                return whole("handler out of range");
            }
            if handler.register as u16 >= function.register_count {
                return whole("handler register out of range");
            }
            if (handler.start..handler.end).contains(&handler.target) {
                return whole("handler covers itself");
            }
        }
        if function.positions.windows(2).any(|pair| pair[0].instruction >= pair[1].instruction) {
            return whole("positions out of order");
        }
        Ok(())
    }

    fn constant(&self, constant: &Constant) -> Check {
        let good = match constant {
            Constant::Number(_) | Constant::BigInt(_) => true,
            Constant::String(index) => self.is_present(*index),
            Constant::RegExp { pattern, flags } => self.is_present(*pattern) && self.is_present(*flags),
            Constant::Keys(keys) => keys.iter().all(|&key| self.is_present(key)),
            Constant::Template { cooked, raw } => {
                cooked.len() == raw.len()
                    && cooked.iter().all(|&s| self.is_string(s))
                    && raw.iter().all(|&s| self.is_present(s))
            }
            Constant::Declarations(declarations) => {
                let names = [&declarations.lets, &declarations.consts, &declarations.vars, &declarations.annex_b];
                names.into_iter().flatten().all(|&name| self.is_present(name))
                    && declarations
                        .functions
                        .iter()
                        .all(|&(name, index)| self.is_present(name) && self.is_function(index))
            }
            Constant::EvalScope(scope) => scope.environments.iter().flatten().all(|b| self.is_present(b.name)),
        };
        if good { Ok(()) } else { Err((None, "constant refers outside the unit".into())) }
    }

    fn instruction(&self, index: usize, instruction: Instruction) -> Result<(), String> {
        let values = [instruction.a as u32, instruction.b as u32, instruction.c as u32, instruction.d];
        for (kind, value) in instruction.op.operands().into_iter().zip(values) {
            match kind {
                Operand::None => {
                    if value != 0 {
                        return Err("unused operand is not zero".into());
                    }
                }
                Operand::Number | Operand::Integer | Operand::Short | Operand::ShortHigh => {}
                Operand::Register => self.registers(value, 1)?,
                Operand::Registers => self.registers(value, instruction.c as u32)?,
                Operand::Window => self.registers(value, instruction.c as u32 + 2)?,
                Operand::Record => self.registers(value, 3)?,
                Operand::Pair => self.registers(value, 2)?,
                Operand::Constant => self.constant_kind(instruction)?,
                Operand::String => {
                    if !self.is_string(value) {
                        return Err("string out of range".into());
                    }
                }
                Operand::Site => {
                    if value as usize >= self.function.sites.len() {
                        return Err("site out of range".into());
                    }
                }
                Operand::Function => {
                    if !self.is_function(value) {
                        return Err("function out of range".into());
                    }
                }
                Operand::Intrinsic => {
                    if Intrinsic::from_number(value).is_none() {
                        return Err("intrinsic out of range".into());
                    }
                }
                Operand::Target => self.target(index, instruction)?,
            }
        }
        match instruction.op {
            Opcode::CallSpread | Opcode::NewSpread => self.registers(instruction.b as u32, 3),
            Opcode::GetSuper | Opcode::SetSuper => self.registers(instruction.d, 1),
            Opcode::CopyDataProperties => self.registers(instruction.c as u32, instruction.d),
            _ => Ok(()),
        }
    }

    fn registers(&self, start: u32, count: u32) -> Result<(), String> {
        let count = count.min(MAX_REGISTERS as u32 + 1);
        if start + count > self.function.register_count as u32 { Err("register out of range".into()) } else { Ok(()) }
    }

    fn target(&self, index: usize, instruction: Instruction) -> Result<(), String> {
        let target = instruction.d as usize;
        if target >= self.function.instructions.len() {
            return Err("jump target out of range".into());
        }
        // Only JumpLoop polls for interrupts, so only it may go backwards.
        let backwards = target <= index;
        if backwards != (instruction.op == Opcode::JumpLoop) {
            return Err("jump in the wrong direction".into());
        }
        Ok(())
    }

    fn constant_kind(&self, instruction: Instruction) -> Result<(), String> {
        let Some(constant) = self.function.constants.get(instruction.d as usize) else {
            return Err("constant out of range".into());
        };
        let good = match instruction.op {
            Opcode::LoadConst => matches!(constant, Constant::Number(_) | Constant::String(_) | Constant::BigInt(_)),
            Opcode::NewRegExp => matches!(constant, Constant::RegExp { .. }),
            Opcode::TemplateObject => matches!(constant, Constant::Template { .. }),
            Opcode::DeclareGlobals => matches!(constant, Constant::Declarations(_)),
            Opcode::CallEval => matches!(constant, Constant::EvalScope(_)),
            Opcode::NewObjectLiteral => {
                matches!(constant, Constant::Keys(keys) if keys.len() == instruction.c as usize)
            }
            _ => true,
        };
        if good { Ok(()) } else { Err("constant of the wrong kind".into()) }
    }

    fn is_string(&self, index: u32) -> bool {
        index == NO_STRING || self.is_present(index)
    }

    fn is_present(&self, index: u32) -> bool {
        (index as usize) < self.unit.strings.len()
    }

    fn is_function(&self, index: u32) -> bool {
        (index as usize) < self.unit.functions.len()
    }
}
