//! The interpreter as a component: carries values between the WIT world of `wit/interpreter.wit` and `codemode_guest`.
//!
//! Nothing is decided here. What programs can observe is in `codemode_guest`, so that native tests see the same.

mod host;
#[cfg(target_arch = "wasm32")]
mod wasi;

use std::cell::RefCell;
use std::rc::Rc;

use crate::bindings::exports::codemode::interpreter::execute as wit;
use crate::host::ComponentHost;

mod bindings {
    #![expect(
        unsafe_code,
        reason = "wit-bindgen generates the canonical ABI, which passes pointers into linear memory"
    )]
    #![allow(missing_docs, clippy::all, reason = "generated; the documentation is in the WIT")]

    wit_bindgen::generate!({ path: "../../wit", world: "interpreter" });

    export!(Component with_types_in self);

    use crate::Component;
}

struct Component;

impl wit::Guest for Component {
    type Runtime = Runtime;
    type Execution = Execution;

    fn prepare() {
        codemode_guest::initialize();
    }
}

/// The exported resource `runtime`.
struct Runtime(Rc<codemode_guest::Runtime>);

impl wit::GuestRuntime for Runtime {
    fn create(
        tools: Vec<wit::Tool>,
        extensions: Vec<wit::Extension>,
        limits: wit::Limits,
        options: wit::Options,
    ) -> Result<wit::Runtime, String> {
        host::report_panics();
        let tools = tools.into_iter().map(tool_definition).collect();
        let extensions = extensions.into_iter().map(extension_definition).collect();
        let runtime =
            codemode_guest::Runtime::create(tools, extensions, execution_limits(limits), execution_options(options))?;
        Ok(wit::Runtime::new(Runtime(runtime)))
    }

    fn start(&self, source: String) -> wit::Execution {
        wit::Execution::new(Execution(RefCell::new(self.0.start(&source, Box::new(ComponentHost)))))
    }
}

/// The exported resource `execution`. A host may not re-enter it from an imported function, so the borrows below never
/// overlap; one that does gets a trap.
struct Execution(RefCell<codemode_guest::Execution>);

impl wit::GuestExecution for Execution {
    fn run(&self, budget: Option<u64>) -> wit::Status {
        match self.0.borrow_mut().run(budget) {
            codemode_guest::Status::Done(result) => wit::Status::Done(result),
            codemode_guest::Status::Waiting { calls, timer_ms } => {
                wit::Status::Waiting(wit::Pending { calls, timer_ms })
            }
            codemode_guest::Status::Yielded => wit::Status::Yielded,
        }
    }

    fn settle(&self, id: u64, outcome: Result<Option<String>, wit::Failure>) {
        self.0.borrow_mut().settle(id, outcome.map_err(failure));
    }

    fn abort(&self, reason: String, timed_out: bool) {
        self.0.borrow_mut().abort(&reason, timed_out);
    }
}

fn tool_definition(tool: wit::Tool) -> codemode_guest::ToolDefinition {
    let wit::Tool { path, description, input_schema, output_schema } = tool;
    codemode_guest::ToolDefinition { path, description, input_schema, output_schema }
}

fn extension_definition(extension: wit::Extension) -> codemode_guest::ExtensionDefinition {
    let wit::Extension { name, description } = extension;
    codemode_guest::ExtensionDefinition { name, description }
}

fn execution_limits(limits: wit::Limits) -> codemode_guest::Limits {
    let wit::Limits { timeout_ms, max_tool_calls, max_output_bytes, max_memory_bytes, max_steps, stall_ms } = limits;
    codemode_guest::Limits { timeout_ms, max_tool_calls, max_output_bytes, max_memory_bytes, max_steps, stall_ms }
}

fn execution_options(options: wit::Options) -> codemode_guest::Options {
    let wit::Options { now_ms, seed, time_zone, store } = options;
    codemode_guest::Options { now_ms, seed, time_zone, store }
}

fn failure(failure: wit::Failure) -> codemode_guest::Failure {
    let wit::Failure { kind, name, message, data } = failure;
    let kind = match kind {
        wit::FailureKind::ToolFailure => codemode_guest::FailureKind::ToolFailure,
        wit::FailureKind::UnknownTool => codemode_guest::FailureKind::UnknownTool,
        wit::FailureKind::InvalidToolInput => codemode_guest::FailureKind::InvalidToolInput,
        wit::FailureKind::InvalidToolOutput => codemode_guest::FailureKind::InvalidToolOutput,
    };
    codemode_guest::Failure { kind, name, message, data }
}
