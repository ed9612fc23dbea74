//! What the command shows to people.

use std::io::{self, Write};
use std::process;

use codemode::{Diagnostic, ExecutionResult, OutputItem};
use serde_json::Value;

/// Shows an output item.
pub fn output(item: &OutputItem) {
    to_stdout(&match item {
        OutputItem::Text { text, .. } => format!("{text}\n"),
        OutputItem::Image { data, mime_type } => format!("[image {mime_type}, {} base64 characters]\n", data.len()),
    });
}

/// The value of a program that finished: strings as they are, other values as indented JSON, null as nothing.
pub fn value_text(result: &ExecutionResult) -> String {
    match &result.outcome {
        Err(_) | Ok(Value::Null) => String::new(),
        Ok(Value::String(text)) => format!("{text}\n"),
        Ok(value) => format!("{value:#}\n"),
    }
}

/// Warnings and the error of a program.
pub fn diagnostic_text(result: &ExecutionResult, file: &str) -> String {
    let mut text = String::new();
    for Diagnostic { kind, message, .. } in &result.warnings {
        text.push_str(&format!("warning: [{kind}] {message}\n"));
    }
    if let Err(error) = &result.outcome {
        text.push_str(&error_text(error, file));
    }
    text
}

fn error_text(error: &Diagnostic, file: &str) -> String {
    let mut lines = vec![format!("{}: {}", error.kind, error.message)];
    if let Some(location) = error.location {
        lines.push(format!("  --> {file}:{}:{}", location.line, location.column));
    }
    for block in [&error.excerpt, &error.stack].into_iter().flatten() {
        if !block.is_empty() {
            lines.push(block.trim_end_matches('\n').to_owned());
        }
    }
    lines.extend(error.suggestions.iter().map(|suggestion| format!("  help: {suggestion}")));
    lines.join("\n") + "\n"
}

/// Writes at once. A reader that has seen enough (`codemode run ... | head`) is no fault, and ends the command.
pub fn to_stdout(text: &str) {
    let mut stdout = io::stdout().lock();
    if let Err(error) = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        process::exit(if error.kind() == io::ErrorKind::BrokenPipe { 0 } else { 2 });
    }
}

/// Writes to where messages go; if that fails there is nowhere to tell it.
pub fn to_stderr(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}
