//! What a host gives to programs: tools, extensions, and hooks around their calls.

use std::error::Error;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::bindings::execute::{Failure, FailureKind};

/// How a tool presents itself to programs.
#[derive(Debug, Clone, Default)]
pub struct Tool {
    pub(crate) path: String,
    pub(crate) description: String,
    pub(crate) input: Option<Value>,
    pub(crate) output: Option<Value>,
}

impl Tool {
    /// A tool that programs call as `tools.<path>(input)`.
    pub fn new(path: impl Into<String>, description: impl Into<String>) -> Self {
        Self { path: path.into(), description: description.into(), input: None, output: None }
    }

    /// The JSON Schema of the input. Calls whose input does not match never reach the tool.
    #[must_use]
    pub fn input(mut self, schema: Value) -> Self {
        self.input = Some(schema);
        self
    }

    /// The JSON Schema of the output. A result that does not match is a failure of the call.
    #[must_use]
    pub fn output(mut self, schema: Value) -> Self {
        self.output = Some(schema);
        self
    }
}

/// What a call refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallKind {
    /// A tool of the tool tree.
    Tool,
    /// A global function of an extension.
    Extension,
}

/// One call that a program makes.
#[derive(Debug, Clone)]
pub struct ToolCall {
    /// 1-based, in the order of the calls.
    pub id: u64,
    /// What the name refers to.
    pub kind: CallKind,
    /// The path of the tool, or the name of the extension global.
    pub name: String,
    /// The input of a tool; the arguments of an extension global as an array.
    pub input: Value,
    /// The 1-based line of the program, when known.
    pub line: Option<u32>,
}

/// What a call gives back to the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolOutput(pub(crate) Option<String>);

impl ToolOutput {
    /// The program sees `undefined`.
    pub fn undefined() -> Self {
        Self(None)
    }

    /// The program sees what `value` is as JSON.
    ///
    /// # Errors
    ///
    /// Fails when JSON cannot say the value.
    pub fn json(value: &impl Serialize) -> Result<Self, ToolError> {
        match serde_json::to_string(value) {
            Ok(text) => Ok(Self(Some(text))),
            Err(error) => Err(ToolError::invalid_output(&error.to_string())),
        }
    }
}

/// Why a call failed. The program catches an Error with this message, name and data.
///
/// Every type that implements [`std::error::Error`] converts into it, so `?` works in tools. It is no such type itself.
#[derive(Debug, Clone)]
pub struct ToolError {
    kind: FailureKind,
    name: Option<String>,
    message: String,
    data: Map<String, Value>,
}

impl ToolError {
    /// A failure with a message for the program.
    pub fn new(message: impl Into<String>) -> Self {
        Self { kind: FailureKind::ToolFailure, name: None, message: message.into(), data: Map::new() }
    }

    /// The `name` of the error, `Error` unless given.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// One more own property of the error.
    #[must_use]
    pub fn with_data(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.data.insert(key.into(), value.into());
        self
    }

    /// What went wrong.
    pub fn message(&self) -> &str {
        &self.message
    }

    pub(crate) fn unknown_tool(path: &str) -> Self {
        Self { kind: FailureKind::UnknownTool, ..Self::new(format!("Unknown tool '{path}'.")) }
    }

    pub(crate) fn invalid_input(reason: &str) -> Self {
        Self { kind: FailureKind::InvalidToolInput, ..Self::new(reason) }
    }

    /// The output of the tool cannot be used; the program is told which tool it was.
    pub fn invalid_output(reason: &str) -> Self {
        Self { kind: FailureKind::InvalidToolOutput, ..Self::new(reason) }
    }

    pub(crate) fn into_failure(self, path: &str) -> Failure {
        let message = match self.kind {
            FailureKind::InvalidToolOutput => format!("Invalid output from tool '{path}': {}", self.message),
            _ => self.message,
        };
        let data = (!self.data.is_empty()).then(|| Value::Object(self.data).to_string());
        Failure { kind: self.kind, name: self.name, message, data }
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl<E: Error> From<E> for ToolError {
    /// The message and those of all causes, a line each.
    fn from(error: E) -> Self {
        let mut message = error.to_string();
        let mut source = error.source();
        while let Some(cause) = source {
            message.push('\n');
            message.push_str(&cause.to_string());
            source = cause.source();
        }
        Self::new(message)
    }
}

/// A call on its way. Dropping it cancels the call.
pub type ToolFuture = Pin<Box<dyn Future<Output = Result<ToolOutput, ToolError>> + Send>>;

/// Something that answers calls: every async closure from a JSON value to a serialisable result does.
pub trait ToolHandler: Send + Sync + 'static {
    /// Begins to answer `call`. The future runs beside the program and other calls, and is dropped when nobody waits for
    /// it any more. A panic in it is a failure of the call.
    fn call(&self, call: ToolCall) -> ToolFuture;
}

impl<F, Fut, T> ToolHandler for F
where
    F: Fn(Value) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<T, ToolError>> + Send + 'static,
    T: Serialize,
{
    fn call(&self, call: ToolCall) -> ToolFuture {
        let answer = self(call.input);
        Box::pin(async move { ToolOutput::json(&answer.await?) })
    }
}

/// Shares one handler between tools and code modes.
pub(crate) type SharedHandler = Arc<dyn ToolHandler>;

/// How a call ended, for the after hook.
#[derive(Debug, Clone, Copy)]
pub enum CallOutcome<'a> {
    /// It gave this.
    Success(&'a ToolOutput),
    /// It failed.
    Failure(&'a ToolError),
    /// It was cancelled: nobody waited for it any more.
    Interrupted,
}

/// Looks at the calls of programs on their way, to tools and extensions alike.
pub trait Hooks: Send + Sync + 'static {
    /// Runs before the call, which waits for it. An error denies the call: it stays recorded, the tool never starts, and
    /// the program catches the error.
    fn before<'a>(&'a self, call: &'a ToolCall) -> Pin<Box<dyn Future<Output = Result<(), ToolError>> + Send + 'a>> {
        let _ = call;
        Box::pin(std::future::ready(Ok(())))
    }

    /// Runs once after every call that `before` let pass.
    fn after(&self, call: &ToolCall, outcome: CallOutcome<'_>) {
        let _ = (call, outcome);
    }
}

/// Hooks that let everything pass.
pub(crate) struct NoHooks;

impl Hooks for NoHooks {}
