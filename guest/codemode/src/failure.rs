//! Kinds of failure, and how errors carry theirs through a program.

use codemode_bytecode::ErrorKind;
use codemode_runtime::object::ObjectKind;
use codemode_runtime::vm::{StackFrame, Thrown, Vm};
use codemode_runtime::{Gc, Object, Value};

/// Kinds of diagnostics, see CONTRACT.md "Result".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    ParseError,
    UnsupportedSyntax,
    UnknownTool,
    InvalidToolInput,
    InvalidToolOutput,
    InvalidDataValue,
    ToolCallLimitExceeded,
    TimeoutExceeded,
    MemoryLimitExceeded,
    StepLimitExceeded,
    ToolFailure,
    ExecutionFailure,
    Stalled,
    Aborted,
    /// Of warnings only.
    Truncated,
}

impl Kind {
    /// Kinds that errors inside a program can have; the position is the tag of the error object.
    const TAGGED: [Kind; 7] = [
        Kind::ExecutionFailure,
        Kind::ToolFailure,
        Kind::UnknownTool,
        Kind::InvalidToolInput,
        Kind::InvalidToolOutput,
        Kind::InvalidDataValue,
        Kind::ToolCallLimitExceeded,
    ];

    /// The name in results.
    pub fn text(self) -> &'static str {
        match self {
            Kind::ParseError => "ParseError",
            Kind::UnsupportedSyntax => "UnsupportedSyntax",
            Kind::UnknownTool => "UnknownTool",
            Kind::InvalidToolInput => "InvalidToolInput",
            Kind::InvalidToolOutput => "InvalidToolOutput",
            Kind::InvalidDataValue => "InvalidDataValue",
            Kind::ToolCallLimitExceeded => "ToolCallLimitExceeded",
            Kind::TimeoutExceeded => "TimeoutExceeded",
            Kind::MemoryLimitExceeded => "MemoryLimitExceeded",
            Kind::StepLimitExceeded => "StepLimitExceeded",
            Kind::ToolFailure => "ToolFailure",
            Kind::ExecutionFailure => "ExecutionFailure",
            Kind::Stalled => "Stalled",
            Kind::Aborted => "Aborted",
            Kind::Truncated => "Truncated",
        }
    }

    fn tag(self) -> u32 {
        Self::TAGGED.iter().position(|&kind| kind == self).unwrap_or(0) as u32
    }

    /// The kind of an error object; `ExecutionFailure` for the program's own errors and for other values.
    pub fn of(vm: &Vm, value: Value) -> Kind {
        let Some(object) = value.as_object() else { return Kind::ExecutionFailure };
        match &vm.heap[object].kind {
            ObjectKind::Error(data) => {
                Self::TAGGED.get(data.tag as usize).copied().unwrap_or(Kind::ExecutionFailure)
            }
            _ => Kind::ExecutionFailure,
        }
    }
}

/// A new error object of a kind.
pub(crate) fn new_error(vm: &mut Vm, kind: Kind, class: ErrorKind, message: &str) -> Gc<Object> {
    let error = vm.new_error(class, message);
    if let ObjectKind::Error(data) = &mut vm.heap[error].kind {
        data.tag = kind.tag();
    }
    error
}

/// Throws a new error of a kind.
pub(crate) fn throw(vm: &mut Vm, kind: Kind, class: ErrorKind, message: &str) -> Thrown {
    let error = new_error(vm, kind, class, message);
    vm.throw(Value::object(error))
}

/// Replaces the stack of an error: that of the call that it belongs to.
pub(crate) fn set_frames(vm: &mut Vm, error: Gc<Object>, frames: Vec<StackFrame>) {
    if let ObjectKind::Error(data) = &mut vm.heap[error].kind {
        data.frames = frames;
    }
}
