//! The entry point: a set of tools, limits and options that programs run with.

use std::collections::HashMap;
use std::fmt;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use serde_json::{Map, Value};

use crate::bindings::execute;
use crate::calls::Callables;
use crate::execution::{self, Abort, Configuration, Execution, OutputSink};
use crate::interpreter::{InterpreterCode, InterpreterError};
use crate::result::{ExecutionResult, OutputItem};
use crate::tools::{Hooks, NoHooks, Tool, ToolHandler};

/// Bounds of one execution. Absent means unlimited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Limits {
    /// Wall-clock milliseconds.
    pub timeout_ms: Option<u64>,
    /// Calls of tools and extensions.
    pub max_tool_calls: Option<u64>,
    /// UTF-8 bytes of the result value, and again of logs and warnings.
    pub max_output_bytes: Option<u64>,
    /// Bytes of program data.
    pub max_memory_bytes: Option<u64>,
    /// Interpreter steps.
    pub max_steps: Option<u64>,
    /// Milliseconds without a step and without a call in flight.
    pub stall_ms: Option<u64>,
}

/// How programs see time, chance and their store.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Options {
    /// Pins the clock at these milliseconds since the epoch; timers then run on virtual time.
    pub now_ms: Option<f64>,
    /// Pins every source of chance.
    pub seed: Option<u64>,
    /// IANA name of the local time zone, UTC when absent.
    pub time_zone: Option<String>,
    /// Values that `load` sees.
    pub store: Option<Map<String, Value>>,
}

/// Runs programs with a set of tools. Cheap to clone; executions may overlap.
#[derive(Clone)]
pub struct CodeMode {
    code: Arc<InterpreterCode>,
    configuration: Arc<Configuration>,
    callables: Arc<Callables>,
    sink: Option<OutputSink>,
}

impl CodeMode {
    /// Begins with no tools and no limits.
    pub fn builder() -> CodeModeBuilder {
        CodeModeBuilder::default()
    }

    /// Runs a program in a fresh instance of the interpreter.
    ///
    /// Whatever the program does is in the result. Dropping the future stops the program and drops the futures of its calls.
    /// Needs a tokio runtime with timers.
    pub async fn execute(&self, source: &str) -> ExecutionResult {
        self.complete(source, None).await
    }

    /// Like [`Self::execute`], until `abort` gives a reason to stop: the result is then a failure of kind `Aborted`, with what
    /// the program had done so far.
    pub async fn execute_until(
        &self,
        source: &str,
        abort: impl Future<Output = String> + Send + 'static,
    ) -> ExecutionResult {
        self.complete(source, Some(Box::pin(abort))).await
    }

    async fn complete(&self, source: &str, abort: Option<Abort>) -> ExecutionResult {
        let execution = Execution::new(&self.configuration, &self.callables, self.sink.clone(), abort);
        execution.complete(&self.code, source).await
    }
}

impl fmt::Debug for CodeMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tools: Vec<_> = self.configuration.tools.iter().map(|tool| &tool.path).collect();
        f.debug_struct("CodeMode").field("tools", &tools).finish_non_exhaustive()
    }
}

/// Collects what programs may use.
#[derive(Default)]
pub struct CodeModeBuilder {
    tools: Vec<execute::Tool>,
    tool_handlers: HashMap<String, Arc<dyn ToolHandler>>,
    extensions: Vec<execute::Extension>,
    extension_handlers: HashMap<String, Arc<dyn ToolHandler>>,
    limits: Limits,
    options: Options,
    hooks: Option<Arc<dyn Hooks>>,
    sink: Option<OutputSink>,
}

impl CodeModeBuilder {
    /// Adds a tool that `handler` answers: an async closure from the input, or any [`ToolHandler`]. The last of a path wins.
    #[must_use]
    pub fn tool(self, tool: Tool, handler: impl ToolHandler) -> Self {
        self.shared_tool(tool, Arc::new(handler))
    }

    /// Like [`Self::tool`] with a handler that others use too.
    #[must_use]
    pub fn shared_tool(mut self, tool: Tool, handler: Arc<dyn ToolHandler>) -> Self {
        let Tool { path, description, input, output } = tool;
        self.tools.retain(|other| other.path != path);
        self.tool_handlers.insert(path.clone(), handler);
        let schema_text = |schema: Value| schema.to_string();
        self.tools.push(execute::Tool {
            path,
            description,
            input_schema: input.map(schema_text),
            output_schema: output.map(schema_text),
        });
        self
    }

    /// Adds a global function `name` or `namespace.name`. The input of its calls is the array of arguments.
    #[must_use]
    pub fn extension(
        mut self,
        name: impl Into<String>,
        description: impl Into<String>,
        handler: impl ToolHandler,
    ) -> Self {
        let name = name.into();
        self.extensions.retain(|other| other.name != name);
        self.extension_handlers.insert(name.clone(), Arc::new(handler));
        self.extensions.push(execute::Extension { name, description: description.into() });
        self
    }

    /// Bounds every execution.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// How programs see time, chance and their store.
    #[must_use]
    pub fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// Looks at every call on its way.
    #[must_use]
    pub fn hooks(mut self, hooks: impl Hooks) -> Self {
        self.hooks = Some(Arc::new(hooks));
        self
    }

    /// Takes each output item as it is produced, besides the result. It should return soon.
    #[must_use]
    pub fn on_output(mut self, sink: impl Fn(&OutputItem) + Send + Sync + 'static) -> Self {
        self.sink = Some(Arc::new(sink));
        self
    }

    /// Makes the interpreter ready and checks the configuration.
    ///
    /// The first call in a process loads the compiled interpreter, which takes seconds when no earlier process has left it
    /// in the user's cache directory, and a few milliseconds otherwise.
    ///
    /// # Errors
    ///
    /// Fails when the interpreter cannot start or refuses a tool, an extension, a limit or an option.
    pub fn build(self) -> Result<CodeMode, BuildError> {
        let code = InterpreterCode::shared()?;
        let configuration = Configuration {
            tools: self.tools,
            extensions: self.extensions,
            limits: guest_limits(self.limits),
            options: guest_options(self.options),
        };
        // The guest awaits nothing here; what is pending is only the next slice of fuel.
        run_to_end(execution::check(&code, &configuration))?.map_err(BuildError::Configuration)?;
        Ok(CodeMode {
            code,
            configuration: Arc::new(configuration),
            callables: Arc::new(Callables {
                tools: self.tool_handlers,
                extensions: self.extension_handlers,
                hooks: self.hooks.unwrap_or_else(|| Arc::new(NoHooks)),
            }),
            sink: self.sink,
        })
    }
}

/// A code mode cannot be built.
#[derive(Debug, Clone)]
pub enum BuildError {
    /// The interpreter cannot start on this machine.
    Interpreter(InterpreterError),
    /// One sentence that names the tool, extension, limit or option at fault.
    Configuration(String),
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Interpreter(error) => error.fmt(f),
            Self::Configuration(reason) => f.write_str(reason),
        }
    }
}

impl std::error::Error for BuildError {}

impl From<InterpreterError> for BuildError {
    fn from(error: InterpreterError) -> Self {
        Self::Interpreter(error)
    }
}

fn guest_limits(limits: Limits) -> execute::Limits {
    let Limits { timeout_ms, max_tool_calls, max_output_bytes, max_memory_bytes, max_steps, stall_ms } = limits;
    execute::Limits { timeout_ms, max_tool_calls, max_output_bytes, max_memory_bytes, max_steps, stall_ms }
}

fn guest_options(options: Options) -> execute::Options {
    let Options { now_ms, seed, time_zone, store } = options;
    execute::Options { now_ms, seed, time_zone, store: store.map(|store| Value::Object(store).to_string()) }
}

fn run_to_end<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
    }
}
