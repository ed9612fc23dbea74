//! What CodeMode programs see and what hosts see of them: tools, data boundary, limits, diagnostics, console, store and timers.
//!
//! A host makes a [`Runtime`] from its tools, starts an [`Execution`] from a source, and then runs it, settling the calls that it
//! started, until it is [`Status::Done`] with the result as JSON text. Nothing here blocks.

mod boundary;
mod calls;
mod console;
mod context;
mod definitions;
mod diagnostic;
mod execution;
mod failure;
mod image;
mod json;
mod json_reader;
mod machine;
mod output;
mod program_api;
mod result;
mod runtime;
mod search;
mod source;
mod store;
mod timers;
mod tool_objects;
mod tool_tree;
mod tools;
mod validate;
mod waiting;

pub use definitions::{
    Call, CallKind, ExtensionDefinition, Failure, FailureKind, Host, Limits, Options, OutputItem, Status, ToolDefinition,
};
pub use execution::Execution;
pub use machine::{initialize, set_zeal};
pub use runtime::Runtime;
