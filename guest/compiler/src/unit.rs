//! The unit under construction: functions and the string table.

use codemode_bytecode::{CodeUnit, FunctionCode, FunctionKind, NO_STRING, StringConstant};
use hashbrown::HashMap;

/// Collects the functions and strings of a [`CodeUnit`].
#[derive(Default)]
pub(crate) struct UnitBuilder {
    functions: Vec<Option<FunctionCode>>,
    strings: Vec<StringConstant>,
    indices: HashMap<StringConstant, u32>,
}

impl UnitBuilder {
    /// Takes the next function number; its code follows by [`UnitBuilder::define`].
    pub fn reserve(&mut self) -> u32 {
        self.functions.push(None);
        self.functions.len() as u32 - 1
    }

    /// Gives the code of a reserved function.
    pub fn define(&mut self, index: u32, code: FunctionCode) {
        self.functions[index as usize] = Some(code);
    }

    /// Index of a text in the string table.
    pub fn string(&mut self, text: &str) -> u32 {
        self.intern(StringConstant::Utf8(text.into()))
    }

    /// The text of a string; empty when it has lone surrogates.
    pub fn text(&self, index: u32) -> &str {
        match self.strings.get(index as usize) {
            Some(StringConstant::Utf8(text)) => text,
            _ => "",
        }
    }

    /// Index of a literal's value. The parser writes lone surrogates as U+FFFD followed by four hexadecimal digits, and U+FFFD
    /// itself as `fffd`.
    pub fn literal(&mut self, text: &str, lone_surrogates: bool) -> u32 {
        if !lone_surrogates {
            return self.string(text);
        }
        let mut units: Vec<u16> = Vec::with_capacity(text.len());
        let mut rest = text;
        while let Some(character) = rest.chars().next() {
            rest = &rest[character.len_utf8()..];
            let escaped = (character == '\u{FFFD}')
                .then(|| rest.get(..4).and_then(|digits| u16::from_str_radix(digits, 16).ok()))
                .flatten();
            match escaped {
                Some(unit) => {
                    units.push(unit);
                    rest = &rest[4..];
                }
                None => units.extend_from_slice(character.encode_utf16(&mut [0; 2])),
            }
        }
        match String::from_utf16(&units) {
            Ok(text) => self.string(&text),
            Err(_) => self.intern(StringConstant::Utf16(units.into())),
        }
    }

    fn intern(&mut self, constant: StringConstant) -> u32 {
        if let Some(&index) = self.indices.get(&constant) {
            return index;
        }
        let index = self.strings.len() as u32;
        self.strings.push(constant.clone());
        self.indices.insert(constant, index);
        index
    }

    /// The finished unit.
    pub fn finish(self, source: &str, source_name: &str) -> CodeUnit {
        CodeUnit {
            functions: self.functions.into_iter().map(|code| code.unwrap_or_else(empty_function)).collect(),
            strings: self.strings,
            source: source.into(),
            source_name: source_name.into(),
        }
    }
}

/// A function without code, to be filled in.
pub(crate) fn empty_function() -> FunctionCode {
    FunctionCode {
        name: NO_STRING,
        kind: FunctionKind::Normal,
        is_async: false,
        is_generator: false,
        is_strict: true,
        uses_this: false,
        parameter_count: 0,
        length: 0,
        register_count: 0,
        rest_register: None,
        arguments_register: None,
        mapped_arguments: None,
        instructions: Vec::new(),
        constants: Vec::new(),
        sites: Vec::new(),
        handlers: Vec::new(),
        positions: Vec::new(),
        source_start: 0,
        source_end: 0,
    }
}
