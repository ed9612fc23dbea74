//! What wasmtime generates for the world of `wit/interpreter.wit`.

#![allow(missing_docs, clippy::all, reason = "generated; the documentation is in the WIT")]

wasmtime::component::bindgen!({
    path: "../wit",
    world: "interpreter",
    // The imports only note what happens; the exports yield when their slice of fuel is used up.
    exports: { default: async },
});

pub use self::codemode::interpreter::{output, tool_call};
pub use self::exports::codemode::interpreter::execute;
