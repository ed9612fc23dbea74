//! The types that a host exchanges with the engine. They mirror `wit/interpreter.wit`.

/// What the engine needs from the host while a program runs. No method may call back into the engine.
pub trait Host {
    /// Begins a call. The host settles it later with [`Execution::settle`](crate::Execution::settle), exactly once.
    fn start_call(&mut self, call: Call);

    /// Nobody waits for the call any more.
    fn cancel_call(&mut self, id: u64);

    /// Takes an item of output as the program produces it.
    fn emit(&mut self, item: &OutputItem);

    /// Wall clock: milliseconds since the epoch.
    fn now_ms(&self) -> f64;

    /// Milliseconds of a clock that never goes back.
    fn monotonic_ms(&self) -> f64;

    /// 64 unpredictable bits.
    fn random_u64(&mut self) -> u64;
}

/// A host operation that a program started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// 1-based, in the order in which the program issued its calls.
    pub id: u64,
    /// What is called.
    pub kind: CallKind,
    /// Canonical dotted path of the tool, or name of the extension global.
    pub path: String,
    /// JSON text: the input of a tool, an array of arguments for an extension.
    pub arguments: String,
    /// 1-based line of the source that made the call, 0 when unknown.
    pub line: u32,
}

/// What a [`Call`] refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallKind {
    /// A tool of the tool tree.
    Tool,
    /// A function that an extension put among the globals.
    Extension,
}

/// One thing that a program printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OutputItem {
    /// Of `text(...)`.
    Text(String),
    /// Of `console`.
    Console(String),
    /// Of `image(...)`.
    Image {
        /// Base64.
        data: String,
        /// Media type.
        mime_type: String,
    },
}

/// A tool that programs can call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolDefinition {
    /// Dotted path: `orders.lookup` is called as `tools.orders.lookup(input)`.
    pub path: String,
    /// For people, models and search.
    pub description: String,
    /// JSON Schema of the input, as JSON text.
    pub input_schema: Option<String>,
    /// JSON Schema of the result, as JSON text.
    pub output_schema: Option<String>,
}

/// A function that an extension adds to the globals.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExtensionDefinition {
    /// `name` or `namespace.name`.
    pub name: String,
    /// For people and models.
    pub description: String,
}

/// Bounds of one execution; absent means unlimited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Milliseconds from the first [`Execution::run`](crate::Execution::run).
    pub timeout_ms: Option<u64>,
    /// Admitted calls.
    pub max_tool_calls: Option<u64>,
    /// UTF-8 bytes of the value, and of what the program printed.
    pub max_output_bytes: Option<u64>,
    /// Bytes of program data.
    pub max_memory_bytes: Option<u64>,
    /// Interpreter steps.
    pub max_steps: Option<u64>,
    /// Milliseconds without a step and without a call in flight.
    pub stall_ms: Option<u64>,
}

/// How programs see time, chance and what earlier programs stored.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// Pins the clock: milliseconds since the epoch at the start. Timers then run on virtual time.
    pub now_ms: Option<f64>,
    /// Pins every source of chance.
    pub seed: Option<u64>,
    /// Local time zone, UTC when absent.
    pub time_zone: Option<String>,
    /// What `load` sees, as one JSON object.
    pub store: Option<String>,
}

/// Where a run stopped.
#[derive(Clone, Debug, PartialEq)]
pub enum Status {
    /// Finished; the result as JSON text.
    Done(String),
    /// Nothing to do until a call settles or time passes.
    Waiting {
        /// Calls that have not settled.
        calls: Vec<u64>,
        /// Milliseconds until the engine wants to run again, settled calls or not.
        timer_ms: Option<f64>,
    },
    /// The step budget is used up.
    Yielded,
}

/// Why a call failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The kind.
    pub kind: FailureKind,
    /// Name of the error that the program catches, `Error` when absent.
    pub name: Option<String>,
    /// Its message.
    pub message: String,
    /// Its further own properties, as one JSON object.
    pub data: Option<String>,
}

/// Kinds of [`Failure`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// The tool itself failed.
    ToolFailure,
    /// The host does not know the tool.
    UnknownTool,
    /// The host refused the input.
    InvalidToolInput,
    /// The host could not use the result.
    InvalidToolOutput,
}
