//! Runs JavaScript and TypeScript programs that models write against the tools of a Rust host.
//!
//! The interpreter is a WebAssembly component that is embedded in this crate and run by wasmtime: every execution gets a fresh
//! instance with nothing but the tools given to it.
//!
//! ```no_run
//! use codemode::{CodeMode, Limits, Tool};
//! use serde_json::{Value, json};
//!
//! # async fn example() -> Result<(), codemode::BuildError> {
//! let code_mode = CodeMode::builder()
//!     .tool(Tool::new("orders.lookup", "Look up an order by id"), async |input: Value| {
//!         Ok(json!({ "id": input["id"], "status": "open" }))
//!     })
//!     .limits(Limits { timeout_ms: Some(5_000), ..Limits::default() })
//!     .build()?;
//! let result = code_mode.execute("const o = await tools.orders.lookup({ id: 'o1' }); return o.status").await;
//! assert_eq!(result.outcome, Ok(json!("open")));
//! # Ok(())
//! # }
//! ```

mod bindings;
mod calls;
mod code_mode;
mod execution;
mod interpreter;
mod precompiled;
mod result;
mod state;
mod tools;

pub use crate::code_mode::{BuildError, CodeMode, CodeModeBuilder, Limits, Options};
pub use crate::interpreter::InterpreterError;
pub use crate::result::{
    CallStatus, Diagnostic, ExecutionResult, Location, OutputItem, StoreWrites, ToolCallRecord, Usage,
};
pub use crate::tools::{CallKind, CallOutcome, Hooks, Tool, ToolCall, ToolError, ToolFuture, ToolHandler, ToolOutput};
