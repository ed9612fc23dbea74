//! Stand-in tools from a JSON file, for trying programs and for tests. Every host reads the same format.

use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use codemode::{Tool, ToolCall, ToolError, ToolFuture, ToolHandler, ToolOutput};
use serde_json::{Map, Value};
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

use super::{UsageError, files};

/// Keys that say what a call gives; at most one of them.
const RESULT_KEYS: [&str; 5] = ["returns", "throws", "echo", "command", "sequence"];
const KEYS: [&str; 9] =
    ["description", "input", "output", "returns", "throws", "echo", "command", "sequence", "delayMs"];

/// A tool with what answers it.
pub type StandIn = (Tool, Arc<dyn ToolHandler>);

/// The tools of a tools file. The error names file, tool and key at fault.
pub fn read(file: &Path) -> Result<Vec<StandIn>, UsageError> {
    stand_ins(files::read_json(file)?).map_err(|reason| UsageError(format!("{}: {reason}", file.display())))
}

fn stand_ins(content: Value) -> Result<Vec<StandIn>, String> {
    let Value::Object(entries) = content else { return Err("expected an object of tools".to_owned()) };
    entries
        .into_iter()
        .map(|(path, entry)| stand_in(&path, entry).map_err(|reason| format!("tool \"{path}\": {reason}")))
        .collect()
}

fn stand_in(path: &str, entry: Value) -> Result<StandIn, String> {
    if path.split('.').any(str::is_empty) {
        return Err("the name has an empty segment".to_owned());
    }
    let Value::Object(mut entry) = entry else { return Err("expected an object".to_owned()) };
    if let Some(key) = entry.keys().find(|key| !KEYS.contains(&key.as_str())) {
        return Err(format!("unknown key \"{key}\" (known: {})", KEYS.join(", ")));
    }
    let mut given = RESULT_KEYS.into_iter().filter(|key| entry.contains_key(*key));
    if let (Some(first), Some(second)) = (given.next(), given.next()) {
        return Err(format!("\"{first}\" and \"{second}\" exclude each other"));
    }
    let description = match entry.shift_remove("description") {
        None => String::new(),
        Some(Value::String(text)) => text,
        Some(_) => return Err("\"description\" must be a string".to_owned()),
    };
    let mut tool = Tool::new(path, description);
    if let Some(schema) = schema(&mut entry, "input")? {
        tool = tool.input(schema);
    }
    if let Some(schema) = schema(&mut entry, "output")? {
        tool = tool.output(schema);
    }
    let delay = match entry.shift_remove("delayMs") {
        None => Duration::ZERO,
        Some(value) => value
            .as_f64()
            .and_then(|delay| Duration::try_from_secs_f64(delay / 1000.0).ok())
            .ok_or("\"delayMs\" must be a number of milliseconds, 0 or more")?,
    };
    Ok((tool, Arc::new(StandInHandler { answer: answer(entry)?, delay })))
}

fn schema(entry: &mut Map<String, Value>, key: &str) -> Result<Option<Value>, String> {
    match entry.shift_remove(key) {
        None => Ok(None),
        Some(schema @ (Value::Object(_) | Value::Bool(_))) => Ok(Some(schema)),
        Some(_) => Err(format!("\"{key}\" must be an object")),
    }
}

/// The answer of an entry that has at most one result key left.
fn answer(entry: Map<String, Value>) -> Result<Answer, String> {
    let Some((key, value)) = entry.into_iter().next() else { return Ok(Answer::Undefined) };
    Ok(match (key.as_str(), value) {
        ("returns", value) => Answer::Returns(value),
        ("throws", Value::String(message)) => Answer::Throws(message),
        ("throws", _) => return Err("\"throws\" must be a string".to_owned()),
        ("echo", Value::Bool(true)) => Answer::Echo,
        ("echo", _) => return Err("\"echo\" must be true".to_owned()),
        ("command", value) => match serde_json::from_value::<Vec<String>>(value) {
            Ok(words) if !words.is_empty() => Answer::Command(words),
            _ => return Err("\"command\" must be a non-empty array of strings".to_owned()),
        },
        (_, Value::Array(values)) if !values.is_empty() => Answer::Sequence { values, next: AtomicUsize::new(0) },
        _ => return Err("\"sequence\" must be a non-empty array".to_owned()),
    })
}

/// What calls give.
enum Answer {
    Undefined,
    Returns(Value),
    Throws(String),
    Echo,
    Command(Vec<String>),
    Sequence { values: Vec<Value>, next: AtomicUsize },
}

struct StandInHandler {
    answer: Answer,
    delay: Duration,
}

impl ToolHandler for StandInHandler {
    fn call(&self, call: ToolCall) -> ToolFuture {
        // A sequence counts calls as they start, whatever order they finish in.
        let result = match &self.answer {
            Answer::Undefined => Ok(ToolOutput::undefined()),
            Answer::Returns(value) => ToolOutput::json(value),
            Answer::Throws(message) => Err(ToolError::new(message)),
            Answer::Echo => ToolOutput::json(&call.input),
            Answer::Sequence { values, next } => {
                let index = next.fetch_add(1, Ordering::Relaxed).min(values.len() - 1);
                ToolOutput::json(&values[index])
            }
            Answer::Command(words) => {
                let (words, delay) = (words.clone(), self.delay);
                return Box::pin(async move {
                    sleep(delay).await;
                    run_command(&words, &call.input).await
                });
            }
        };
        let delay = self.delay;
        Box::pin(async move {
            sleep(delay).await;
            result
        })
    }
}

async fn sleep(delay: Duration) {
    // The timer's grain is a millisecond: even a sleep of nothing would take one.
    if !delay.is_zero() {
        tokio::time::sleep(delay).await;
    }
}

/// Runs a program that gets the input as JSON on its standard input and answers JSON on its standard output. It is killed
/// when nobody waits for it any more.
async fn run_command(words: &[String], input: &Value) -> Result<ToolOutput, ToolError> {
    let (program, arguments) = words.split_first().ok_or_else(|| ToolError::new("no command"))?;
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| ToolError::new(format!("cannot run {program}: {error}")))?;
    let stdin = child.stdin.take();
    let input = input.to_string();
    let feed = async {
        if let Some(mut stdin) = stdin {
            // A program that does not read its input is no fault.
            let _ = stdin.write_all(input.as_bytes()).await;
        }
    };
    let ((), output) = tokio::join!(feed, child.wait_with_output());
    let output = output?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        return Err(ToolError::new(match (stderr.trim(), output.status.code()) {
            ("", Some(status)) => format!("{program} exited with status {status}"),
            ("", None) => format!("{program} was ended by a signal"),
            (message, _) => message.to_owned(),
        }));
    }
    if output.stdout.trim_ascii().is_empty() {
        return Ok(ToolOutput::undefined());
    }
    let value: Value =
        serde_json::from_slice(&output.stdout).map_err(|_| ToolError::invalid_output("it is not JSON"))?;
    ToolOutput::json(&value)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn refusal(content: Value) -> String {
        stand_ins(content).err().unwrap()
    }

    fn call(tool: &StandIn, input: Value) -> Result<ToolOutput, ToolError> {
        let call = ToolCall { id: 1, kind: codemode::CallKind::Tool, name: "t".to_owned(), input, line: None };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async { tool.1.call(call).await })
    }

    #[test]
    fn wrong_shapes_name_tool_and_key() {
        assert_eq!(refusal(json!([])), "expected an object of tools");
        assert_eq!(refusal(json!({ "a": 1 })), "tool \"a\": expected an object");
        assert_eq!(refusal(json!({ "a..b": {} })), "tool \"a..b\": the name has an empty segment");
        assert!(refusal(json!({ "a": { "retruns": 1 } })).starts_with("tool \"a\": unknown key \"retruns\" (known: "));
        let message = refusal(json!({ "a": { "returns": 1, "echo": true } }));
        assert_eq!(message, "tool \"a\": \"returns\" and \"echo\" exclude each other");
        for (key, value) in [
            ("description", json!(1)),
            ("input", json!("x")),
            ("output", json!([])),
            ("throws", json!({})),
            ("echo", json!(false)),
            ("command", json!([])),
            ("command", json!([1])),
            ("sequence", json!([])),
            ("delayMs", json!(-1)),
            ("delayMs", json!("1")),
        ] {
            let message = refusal(json!({ "a": { key: value } }));
            assert!(message.starts_with(&format!("tool \"a\": \"{key}\" must be ")), "{message}");
        }
    }

    #[test]
    fn every_result_key_answers() {
        let tools = stand_ins(json!({
            "none": {},
            "returns": { "returns": { "a": null }, "delayMs": 1 },
            "throws": { "throws": "no" },
            "echo": { "echo": true },
            "sequence": { "sequence": [1, 2] },
        }))
        .unwrap();
        assert_eq!(call(&tools[0], json!({})).unwrap(), ToolOutput::undefined());
        assert_eq!(call(&tools[1], json!({})).unwrap(), ToolOutput::json(&json!({ "a": null })).unwrap());
        assert_eq!(call(&tools[2], json!({})).unwrap_err().message(), "no");
        assert_eq!(call(&tools[3], json!({ "x": 1 })).unwrap(), ToolOutput::json(&json!({ "x": 1 })).unwrap());
        for expected in [1, 2, 2] {
            assert_eq!(call(&tools[4], json!({})).unwrap(), ToolOutput::json(&expected).unwrap());
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_command_reads_and_answers_json() {
        let tools = stand_ins(json!({
            "cat": { "command": ["cat"] },
            "false": { "command": ["sh", "-c", "echo bad luck >&2; exit 3"] },
            "silent": { "command": ["sh", "-c", "exit 3"] },
            "text": { "command": ["echo", "hello"] },
            "true": { "command": ["true"] },
            "missing": { "command": ["/no/such/program"] },
        }))
        .unwrap();
        assert_eq!(call(&tools[0], json!({ "a": [1] })).unwrap(), ToolOutput::json(&json!({ "a": [1] })).unwrap());
        assert_eq!(call(&tools[1], json!({})).unwrap_err().message(), "bad luck");
        assert_eq!(call(&tools[2], json!({})).unwrap_err().message(), "sh exited with status 3");
        assert_eq!(call(&tools[3], json!({})).unwrap_err().message(), "it is not JSON");
        assert_eq!(call(&tools[4], json!({})).unwrap(), ToolOutput::undefined());
        assert!(call(&tools[5], json!({})).unwrap_err().message().starts_with("cannot run /no/such/program: "));
    }
}
