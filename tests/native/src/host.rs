//! Runs programs against stand-in tools.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io::Write;
use std::process::{Command, Stdio};
use std::rc::Rc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use codemode_guest::{
    Call, ExtensionDefinition, Failure, FailureKind, Host, Limits, Options, OutputItem, Runtime, Status, ToolDefinition,
};
use serde_json::{Map, Value as Json};

/// A program with everything around it.
#[derive(Clone, Debug, Default)]
pub struct Job {
    /// The program.
    pub source: String,
    /// Stand-in tools as in a tools file.
    pub tools: Option<Map<String, Json>>,
    /// Limits and options by their names in CONTRACT.md.
    pub options: Map<String, Json>,
}

/// Runs a program to its end; the result.
///
/// # Errors
/// What the engine says when it refuses tools or options.
pub fn run(job: &Job) -> Result<Json, String> {
    let text = |value: Option<&Json>| value.map(Json::to_string);
    let tools = job.tools.clone().unwrap_or_default();
    let definitions = tools
        .iter()
        .map(|(path, tool)| ToolDefinition {
            path: path.clone(),
            description: tool.get("description").and_then(Json::as_str).unwrap_or("").to_owned(),
            input_schema: text(tool.get("input")),
            output_schema: text(tool.get("output")),
        })
        .collect();
    let number = |name: &str| job.options.get(name).and_then(Json::as_u64);
    let limits = Limits {
        timeout_ms: number("timeoutMs"),
        max_tool_calls: number("maxToolCalls"),
        max_output_bytes: number("maxOutputBytes"),
        max_memory_bytes: number("maxMemoryBytes"),
        max_steps: number("maxSteps"),
        stall_ms: number("stallMs"),
    };
    let options = Options {
        now_ms: job.options.get("nowMs").and_then(Json::as_f64),
        seed: number("seed"),
        time_zone: job.options.get("timeZone").and_then(Json::as_str).map(str::to_owned),
        store: text(job.options.get("store")),
    };
    let runtime = Runtime::create(definitions, Vec::<ExtensionDefinition>::new(), limits, options)?;
    let calls = Rc::new(RefCell::new(Calls::default()));
    let host = TestHost { tools, calls: calls.clone(), counts: HashMap::new(), origin: Instant::now() };
    let mut execution = runtime.start(&job.source, Box::new(host));
    loop {
        match execution.run(None) {
            Status::Done(result) => return serde_json::from_str(&result).map_err(|error| format!("{error}: {result}")),
            Status::Yielded => {}
            Status::Waiting { timer_ms, .. } => {
                let timer = timer_ms.map(|ms| Instant::now() + Duration::from_secs_f64(ms.min(3.6e6) / 1000.0));
                let due = calls.borrow().in_flight.iter().map(|(due, ..)| *due).min();
                let wake = timer.into_iter().chain(due).min().ok_or("the program waits for nothing")?;
                std::thread::sleep(wake.saturating_duration_since(Instant::now()));
                for (id, outcome) in calls.borrow_mut().take_due() {
                    execution.settle(id, outcome);
                }
            }
        }
    }
}

type Outcome = Result<Option<String>, Failure>;

#[derive(Default)]
struct Calls {
    in_flight: Vec<(Instant, u64, Outcome)>,
}

impl Calls {
    fn take_due(&mut self) -> Vec<(u64, Outcome)> {
        let now = Instant::now();
        let (mut due, rest): (Vec<_>, Vec<_>) = self.in_flight.drain(..).partition(|(at, ..)| *at <= now);
        self.in_flight = rest;
        due.sort_by_key(|&(at, id, _)| (at, id));
        due.into_iter().map(|(_, id, outcome)| (id, outcome)).collect()
    }
}

struct TestHost {
    tools: Map<String, Json>,
    calls: Rc<RefCell<Calls>>,
    /// Calls of each tool so far.
    counts: HashMap<String, usize>,
    origin: Instant,
}

impl TestHost {
    fn outcome(&mut self, call: &Call) -> Outcome {
        let count = self.counts.entry(call.path.clone()).or_default();
        let index = *count;
        *count += 1;
        let Some(tool) = self.tools.get(&call.path) else {
            return Err(failure(FailureKind::UnknownTool, format!("Unknown tool '{}'.", call.path)));
        };
        if let Some(message) = tool.get("throws") {
            return Err(failure(FailureKind::ToolFailure, message.as_str().unwrap_or("").to_owned()));
        }
        if tool.get("echo").is_some() {
            return Ok(Some(call.arguments.clone()));
        }
        if let Some(sequence) = tool.get("sequence").and_then(Json::as_array) {
            return Ok(sequence.get(index).or(sequence.last()).map(Json::to_string));
        }
        if let Some(command) = tool.get("command").and_then(Json::as_array) {
            return run_command(command, &call.arguments);
        }
        Ok(tool.get("returns").map(Json::to_string))
    }
}

impl Host for TestHost {
    fn start_call(&mut self, call: Call) {
        let delay = self.tools.get(&call.path).and_then(|tool| tool.get("delayMs")).and_then(Json::as_f64).unwrap_or(0.0);
        let outcome = self.outcome(&call);
        let due = Instant::now() + Duration::from_secs_f64(delay / 1000.0);
        self.calls.borrow_mut().in_flight.push((due, call.id, outcome));
    }

    fn cancel_call(&mut self, id: u64) {
        self.calls.borrow_mut().in_flight.retain(|(_, other, _)| *other != id);
    }

    fn emit(&mut self, _item: &OutputItem) {}

    fn now_ms(&self) -> f64 {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |now| now.as_secs_f64() * 1000.0)
    }

    fn monotonic_ms(&self) -> f64 {
        self.origin.elapsed().as_secs_f64() * 1000.0
    }

    fn random_u64(&mut self) -> u64 {
        use std::hash::BuildHasher;
        std::hash::RandomState::new().hash_one(())
    }
}

fn failure(kind: FailureKind, message: String) -> Failure {
    Failure { kind, name: None, message, data: None }
}

fn run_command(command: &[Json], arguments: &str) -> Outcome {
    let failed = |message: String| failure(FailureKind::ToolFailure, message);
    let words: Vec<&str> = command.iter().filter_map(Json::as_str).collect();
    let (program, rest) = words.split_first().ok_or_else(|| failed("no command".into()))?;
    let mut child = Command::new(program)
        .args(rest)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| failed(error.to_string()))?;
    if let Some(mut input) = child.stdin.take() {
        input.write_all(arguments.as_bytes()).ok();
    }
    let output = child.wait_with_output().map_err(|error| failed(error.to_string()))?;
    let stdout = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    if output.status.success() {
        Ok((!stdout.is_empty()).then_some(stdout))
    } else {
        Err(failed(String::from_utf8_lossy(&output.stderr).trim().to_owned()))
    }
}
