//! What of WASI is linked and what is not.
//!
//! `std` writes panic messages to stderr and reads environment variables, so wasi-libc would make the component import
//! stdio, terminals and the environment, although the engine never uses them. A program must not be able to reach any of
//! these, and the surest proof is that the component does not import them. wasi-libc calls every WASI function through a C symbol
//! named `__wasm_import_<interface>_<function>`; where a symbol is defined here, the linker has no reason for an import.
//! The definitions answer as a host without that facility does: no variables, no terminals, closed streams.
//!
//! The test `imports` of host-wasmtime fails when a new toolchain needs another symbol here.

#![expect(
    unsafe_code,
    reason = "symbols that C code calls need `no_mangle`, and the results of the canonical ABI are written through pointers"
)]

#[link(wasm_import_module = "wasi:random/random@0.2.0")]
unsafe extern "C" {
    #[link_name = "get-random-u64"]
    safe fn wasi_get_random_u64() -> u64;
}

/// 64 unpredictable bits from the host.
pub fn random_u64() -> u64 {
    wasi_get_random_u64()
}

/// The memory in which the caller expects a result of the canonical ABI.
type ResultArea = *mut u8;

/// `list<T>` without elements: a pointer and a length.
fn write_empty_list(result: ResultArea) {
    // SAFETY: wasi-libc passes eight bytes aligned to four for a list.
    unsafe { result.cast::<[usize; 2]>().write([0, 0]) }
}

/// `option<T>`: none.
fn write_none(result: ResultArea) {
    // SAFETY: the first byte of an option is its discriminant.
    unsafe { result.write(0) }
}

/// `result<T, stream-error>`: error `closed`. The error begins at the alignment of the larger case.
fn write_stream_closed(result: ResultArea, offset: usize) {
    // SAFETY: wasi-libc passes an area that holds the discriminants of the result and of `stream-error`.
    unsafe {
        result.write(1);
        result.add(offset).write(1);
    }
}

/// A handle that no function below looks at.
const NO_HANDLE: i32 = 0;

#[unsafe(no_mangle)]
extern "C" fn __wasm_import_environment_get_environment(result: ResultArea) {
    write_empty_list(result);
}

#[unsafe(no_mangle)]
extern "C" fn __wasm_import_exit_exit(_status: i32) {
    std::process::abort();
}

#[unsafe(no_mangle)]
extern "C" fn __wasm_import_stdin_get_stdin() -> i32 {
    NO_HANDLE
}

#[unsafe(no_mangle)]
extern "C" fn __wasm_import_stdout_get_stdout() -> i32 {
    NO_HANDLE
}

#[unsafe(no_mangle)]
extern "C" fn __wasm_import_stderr_get_stderr() -> i32 {
    NO_HANDLE
}

#[unsafe(no_mangle)]
extern "C" fn __wasm_import_terminal_stdin_get_terminal_stdin(result: ResultArea) {
    write_none(result);
}

#[unsafe(no_mangle)]
extern "C" fn __wasm_import_terminal_stdout_get_terminal_stdout(result: ResultArea) {
    write_none(result);
}

#[unsafe(no_mangle)]
extern "C" fn __wasm_import_terminal_stderr_get_terminal_stderr(result: ResultArea) {
    write_none(result);
}

#[unsafe(no_mangle)]
extern "C" fn __wasm_import_terminal_input_terminal_input_drop(_handle: i32) {}

#[unsafe(no_mangle)]
extern "C" fn __wasm_import_terminal_output_terminal_output_drop(_handle: i32) {}

#[unsafe(no_mangle)]
extern "C" fn __wasm_import_io_error_error_drop(_handle: i32) {}

#[unsafe(no_mangle)]
extern "C" fn __wasm_import_poll_pollable_drop(_handle: i32) {}

#[unsafe(no_mangle)]
extern "C" fn __wasm_import_poll_method_pollable_block(_pollable: i32) {}

#[unsafe(no_mangle)]
extern "C" fn __wasm_import_streams_input_stream_drop(_handle: i32) {}

#[unsafe(no_mangle)]
extern "C" fn __wasm_import_streams_output_stream_drop(_handle: i32) {}

#[unsafe(no_mangle)]
extern "C" fn __wasm_import_streams_method_output_stream_check_write(_stream: i32, result: ResultArea) {
    write_stream_closed(result, 8);
}

#[unsafe(no_mangle)]
extern "C" fn __wasm_import_streams_method_output_stream_write(
    _stream: i32,
    _bytes: *const u8,
    _length: usize,
    result: ResultArea,
) {
    write_stream_closed(result, 4);
}

#[unsafe(no_mangle)]
extern "C" fn __wasm_import_streams_method_output_stream_blocking_flush(_stream: i32, result: ResultArea) {
    write_stream_closed(result, 4);
}

#[unsafe(no_mangle)]
extern "C" fn __wasm_import_streams_method_output_stream_subscribe(_stream: i32) -> i32 {
    NO_HANDLE
}
