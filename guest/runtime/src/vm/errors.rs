//! Throwing, terminations and stack traces.

use codemode_bytecode::ErrorKind;

use crate::heap::Gc;
use crate::names;
use crate::object::{Attributes, ErrorData, Object, ObjectKind};
use crate::property_key::PropertyKey;
use crate::value::Value;
use crate::vm::{CodeId, Completion, IntrinsicObject, Vm};

/// Something was thrown: the value waits in [`Vm::exception`], or [`Vm::termination`] says why the execution ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thrown;

/// Why an execution ends without the program being able to catch it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Termination {
    /// The deadline has passed.
    Timeout,
    /// The memory limit is reached.
    OutOfMemory,
    /// The step limit is reached.
    StepLimit,
    /// The embedder ends the execution, with its reason.
    Aborted(String),
    /// The program asked to end (`exit()`).
    Exit,
}

/// One line of a stack trace: function and instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackFrame {
    /// The function.
    pub code: CodeId,
    /// The instruction that was running.
    pub pc: u32,
}

/// Frames that an error remembers.
const STACK_TRACE_LIMIT: usize = 10;

impl Vm {
    /// Makes `value` the thrown value.
    pub fn throw(&mut self, value: Value) -> Thrown {
        self.exception = value;
        Thrown
    }

    /// Throws a new TypeError with this message.
    #[cold]
    pub fn throw_type_error(&mut self, message: impl AsRef<str>) -> Thrown {
        self.throw_error(ErrorKind::Type, message.as_ref())
    }

    /// Throws a new RangeError with this message.
    #[cold]
    pub fn throw_range_error(&mut self, message: impl AsRef<str>) -> Thrown {
        self.throw_error(ErrorKind::Range, message.as_ref())
    }

    /// Throws a new ReferenceError with this message.
    #[cold]
    pub fn throw_reference_error(&mut self, message: impl AsRef<str>) -> Thrown {
        self.throw_error(ErrorKind::Reference, message.as_ref())
    }

    /// Throws a new SyntaxError with this message.
    #[cold]
    pub fn throw_syntax_error(&mut self, message: impl AsRef<str>) -> Thrown {
        self.throw_error(ErrorKind::Syntax, message.as_ref())
    }

    /// Throws a new error of the current realm.
    #[cold]
    pub fn throw_error(&mut self, kind: ErrorKind, message: &str) -> Thrown {
        let error = self.new_error(kind, message);
        self.throw(Value::object(error))
    }

    /// RangeError of a call depth over the limit.
    #[cold]
    pub fn throw_stack_overflow(&mut self) -> Thrown {
        self.throw_range_error("Maximum call stack size exceeded")
    }

    /// Ends the execution: not catchable.
    #[cold]
    pub fn terminate(&mut self, reason: Termination) -> Thrown {
        self.termination = Some(reason);
        self.exception = Value::UNDEFINED;
        Thrown
    }

    /// A new error object of the current realm with message and stack trace.
    pub fn new_error(&mut self, kind: ErrorKind, message: &str) -> Gc<Object> {
        let prototype = self.intrinsic(match kind {
            ErrorKind::Error => IntrinsicObject::ErrorPrototype,
            ErrorKind::Type => IntrinsicObject::TypeErrorPrototype,
            ErrorKind::Range => IntrinsicObject::RangeErrorPrototype,
            ErrorKind::Reference => IntrinsicObject::ReferenceErrorPrototype,
            ErrorKind::Syntax => IntrinsicObject::SyntaxErrorPrototype,
            ErrorKind::Uri => IntrinsicObject::UriErrorPrototype,
            ErrorKind::Eval => IntrinsicObject::EvalErrorPrototype,
            ErrorKind::Aggregate => IntrinsicObject::AggregateErrorPrototype,
            ErrorKind::Suppressed => IntrinsicObject::SuppressedErrorPrototype,
        });
        let message = self.heap.new_string(message);
        let data = self.capture_error_data();
        let error = self.heap.new_object_of_kind(Some(prototype), ObjectKind::Error(data));
        self.heap.add_property(error, PropertyKey::name(names::MESSAGE), Value::string(message), Attributes::HIDDEN);
        error
    }

    /// The stack trace of this moment, for a new error object.
    pub fn capture_error_data(&self) -> Box<ErrorData> {
        Box::new(ErrorData { frames: self.stack_trace(STACK_TRACE_LIMIT), ..ErrorData::default() })
    }

    /// The innermost `limit` frames of program code (self-hosted frames are left out). Each pc is that of the running instruction.
    pub fn stack_trace(&self, limit: usize) -> Vec<StackFrame> {
        self.frames
            .iter()
            .rev()
            .filter(|f| !self.codes[f.code.index()].is_self_hosted)
            .take(limit)
            .map(|f| StackFrame { code: f.code, pc: f.pc.saturating_sub(1) })
            .collect()
    }

    /// Function name and source position (byte offset) of a stack frame.
    pub fn describe_frame(&self, frame: StackFrame) -> (String, Option<u32>) {
        let code = &self.codes[frame.code.index()];
        (code.name_text(), code.function().offset_at(frame.pc))
    }

    /// Text of the `stack` property: header and one line per frame.
    pub fn format_stack(&self, header: &str, frames: &[StackFrame]) -> String {
        let mut text = String::from(header);
        for frame in frames {
            let code = &self.codes[frame.code.index()];
            let name = code.name_text();
            let source = &code.unit.source_name;
            let place = match code.function().offset_at(frame.pc) {
                Some(offset) => {
                    let (line, column) = line_and_column(&code.unit.source, offset);
                    format!("{source}:{line}:{column}")
                }
                None => source.clone(),
            };
            if name.is_empty() {
                text.push_str(&format!("\n    at {place}"));
            } else {
                text.push_str(&format!("\n    at {name} ({place})"));
            }
        }
        text
    }

    /// Where the running program code is: 1-based line and column in the source of its unit.
    pub fn current_position(&self) -> Option<(u32, u32)> {
        let frame = *self.stack_trace(1).first()?;
        let code = &self.codes[frame.code.index()];
        code.function().offset_at(frame.pc).map(|offset| line_and_column(&code.unit.source, offset))
    }

    /// Line and column where `frame` stands.
    pub fn frame_position(&self, frame: StackFrame) -> Option<(u32, u32)> {
        let code = &self.codes[frame.code.index()];
        code.function().offset_at(frame.pc).map(|offset| line_and_column(&code.unit.source, offset))
    }

    /// `Err` with the thrown value when the closure's engine-level invariant fails; keeps natives free of unwraps.
    pub fn internal_error<T>(&mut self, what: &str) -> Completion<T> {
        Err(self.throw_error(ErrorKind::Error, &format!("internal error: {what}")))
    }
}

/// 1-based line and column (in UTF-16 code units, as editors count) of a byte offset.
pub fn line_and_column(source: &str, offset: u32) -> (u32, u32) {
    let mut end = (offset as usize).min(source.len());
    while !source.is_char_boundary(end) {
        end -= 1;
    }
    let before = &source[..end];
    let line = before.bytes().filter(|&b| b == b'\n').count() as u32 + 1;
    let start = before.rfind('\n').map_or(0, |i| i + 1);
    let column = before[start..].chars().map(char::len_utf16).sum::<usize>() as u32 + 1;
    (line, column)
}
