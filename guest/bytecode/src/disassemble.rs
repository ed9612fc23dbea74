//! Text form of a code unit, for snapshots and debugging.

use std::fmt::Write;

use crate::{
    CodeUnit, Constant, FunctionCode, FunctionKind, Instruction, Intrinsic, NO_STRING, Operand, StringConstant,
};

/// Renders all functions of a unit: header, instructions with resolved operands, handlers.
///
/// Jump targets are instruction numbers; instructions that are targets are marked with `>`.
pub fn disassemble(unit: &CodeUnit) -> String {
    let mut out = String::new();
    for (index, function) in unit.functions.iter().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        function_text(unit, index, function, &mut out);
    }
    out
}

fn function_text(unit: &CodeUnit, index: usize, function: &FunctionCode, out: &mut String) {
    let mut kind = String::new();
    if function.is_async {
        kind.push_str("async ");
    }
    kind.push_str(match function.kind {
        FunctionKind::Normal => "function",
        FunctionKind::Arrow => "arrow",
        FunctionKind::Method => "method",
        FunctionKind::ClassConstructor => "constructor",
        FunctionKind::DerivedConstructor => "derived constructor",
        FunctionKind::Entry => "entry",
    });
    if function.is_generator {
        kind.push('*');
    }
    let _ = write!(out, "#{index} {kind}");
    if function.name != NO_STRING {
        let _ = write!(out, " {}", string(unit, function.name));
    }
    let _ = write!(
        out,
        " parameters={} length={} registers={}",
        function.parameter_count, function.length, function.register_count
    );
    if !function.is_strict {
        out.push_str(" sloppy");
    }
    if function.uses_this {
        out.push_str(" this");
    }
    if let Some(register) = function.rest_register {
        let _ = write!(out, " rest=r{register}");
    }
    if let Some(register) = function.arguments_register {
        let _ = write!(out, " arguments=r{register}");
    }
    if let Some(mapped) = &function.mapped_arguments {
        let _ = write!(out, " mapped={}{:?}", mapped.environment_slots, mapped.slots);
    }
    out.push('\n');

    let mut is_target = vec![false; function.instructions.len() + 1];
    let mut mark = |target: u32| {
        if let Some(flag) = is_target.get_mut(target as usize) {
            *flag = true;
        }
    };
    for instruction in &function.instructions {
        if instruction.op.operands()[3] == Operand::Target {
            mark(instruction.d);
        }
    }
    function.handlers.iter().for_each(|handler| mark(handler.target));

    for (number, instruction) in function.instructions.iter().enumerate() {
        let arrow = if is_target[number] { '>' } else { ' ' };
        let _ = write!(out, " {arrow}{number:4}  {:<12}", instruction.op.name());
        out.push_str(&operands_text(unit, function, *instruction));
        while out.ends_with(' ') {
            out.pop();
        }
        out.push('\n');
    }
    for handler in &function.handlers {
        let _ =
            writeln!(out, "  handler {}..{} -> {} r{}", handler.start, handler.end, handler.target, handler.register);
    }
}

fn operands_text(unit: &CodeUnit, function: &FunctionCode, instruction: Instruction) -> String {
    let values = [instruction.a as u32, instruction.b as u32, instruction.c as u32, instruction.d];
    let mut out = String::new();
    for (kind, value) in instruction.op.operands().into_iter().zip(values) {
        let text = match kind {
            Operand::None | Operand::ShortHigh => continue,
            Operand::Register => format!("r{value}"),
            Operand::Registers => format!("r{value}.."),
            Operand::Window => format!("[r{value}]"),
            Operand::Record => format!("{{r{value}}}"),
            Operand::Pair => format!("r{value}:r{}", value + 1),
            Operand::Number => value.to_string(),
            Operand::Integer => (value as i32).to_string(),
            Operand::Short => instruction.short().to_string(),
            Operand::Constant => {
                function.constants.get(value as usize).map_or("?".into(), |constant| constant_text(unit, constant))
            }
            Operand::String if value == NO_STRING => continue,
            Operand::String => string(unit, value),
            Operand::Site => function.sites.get(value as usize).map_or("?".into(), |site| {
                if site.name == NO_STRING { String::new() } else { format!(".{}", raw_string(unit, site.name)) }
            }),
            Operand::Function => format!("#{value}"),
            Operand::Intrinsic => Intrinsic::from_number(value).map_or("?".into(), |i| i.text().into()),
            Operand::Target => format!("->{value}"),
        };
        out.push(' ');
        out.push_str(&text);
    }
    out
}

fn constant_text(unit: &CodeUnit, constant: &Constant) -> String {
    let list = |strings: &[u32]| strings.iter().map(|&s| string(unit, s)).collect::<Vec<_>>().join(", ");
    match constant {
        Constant::Number(number) => number.to_string(),
        Constant::String(index) => string(unit, *index),
        Constant::BigInt(digits) => format!("{digits}n"),
        Constant::RegExp { pattern, flags } => format!("/{}/{}", raw_string(unit, *pattern), raw_string(unit, *flags)),
        Constant::Keys(keys) => format!("{{{}}}", list(keys)),
        Constant::Template { cooked, raw } => format!("`{}` raw `{}`", list(cooked), list(raw)),
        Constant::Declarations(declarations) => {
            let functions: Vec<String> = declarations
                .functions
                .iter()
                .map(|&(name, index)| format!("{}=#{index}", raw_string(unit, name)))
                .collect();
            format!(
                "let [{}] const [{}] var [{}] function [{}] annex-b [{}]",
                list(&declarations.lets),
                list(&declarations.consts),
                list(&declarations.vars),
                functions.join(", "),
                list(&declarations.annex_b)
            )
        }
        Constant::EvalScope(scope) => {
            let environments: Vec<String> = scope
                .environments
                .iter()
                .map(|bindings| {
                    bindings
                        .iter()
                        .map(|b| format!("{}@{}", raw_string(unit, b.name), b.slot))
                        .collect::<Vec<_>>()
                        .join(" ")
                })
                .collect();
            format!("scopes [{}]", environments.join(" | "))
        }
    }
}

fn string(unit: &CodeUnit, index: u32) -> String {
    if index == NO_STRING { "-".into() } else { format!("{:?}", raw_string(unit, index)) }
}

fn raw_string(unit: &CodeUnit, index: u32) -> String {
    match unit.strings.get(index as usize) {
        Some(StringConstant::Utf8(text)) => text.to_string(),
        Some(StringConstant::Utf16(units)) => String::from_utf16_lossy(units),
        None => "?".into(),
    }
}
