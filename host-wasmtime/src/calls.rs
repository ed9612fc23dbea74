//! The calls of one execution: they run beside the guest and beside each other.

use std::any::Any;
use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Instant;

use futures_util::future::{AbortHandle, Abortable, BoxFuture, FutureExt};
use futures_util::stream::{FuturesUnordered, StreamExt};
use serde_json::Value;

use crate::bindings::execute::Failure;
use crate::bindings::tool_call;
use crate::result::{CallStatus, ToolCallRecord};
use crate::tools::{CallKind, CallOutcome, Hooks, SharedHandler, ToolCall, ToolError, ToolOutput};

/// What programs can call.
pub struct Callables {
    pub tools: HashMap<String, SharedHandler>,
    pub extensions: HashMap<String, SharedHandler>,
    pub hooks: Arc<dyn Hooks>,
}

/// What the guest is told of a call that settled.
pub type Outcome = Result<Option<String>, Failure>;

/// A call that runs. It ends with nothing when it was cancelled.
type RunningCall = BoxFuture<'static, (u64, Option<Outcome>)>;

/// Every call of an execution. Dropping it drops the futures of those that still run.
pub struct Calls {
    callables: Arc<Callables>,
    running: FuturesUnordered<RunningCall>,
    started: HashMap<u64, StartedCall>,
    settled: Vec<(u64, Outcome)>,
    records: Vec<ToolCallRecord>,
}

struct StartedCall {
    record: usize,
    began: Instant,
    abort: AbortHandle,
}

impl Calls {
    pub fn new(callables: Arc<Callables>) -> Self {
        Self {
            callables,
            running: FuturesUnordered::new(),
            started: HashMap::new(),
            settled: Vec::new(),
            records: Vec::new(),
        }
    }

    /// Begins a call; [`Self::poll`] moves it on.
    pub fn start(&mut self, call: tool_call::Call) {
        let id = call.id;
        let record = self.records.len();
        self.records.push(ToolCallRecord {
            id,
            name: call.path.clone(),
            status: CallStatus::Cancelled,
            duration_ms: 0.0,
        });
        let (abort, registration) = AbortHandle::new_pair();
        self.started.insert(id, StartedCall { record, began: Instant::now(), abort });
        let outcome = Abortable::new(perform(Arc::clone(&self.callables), call), registration);
        self.running.push(outcome.map(move |outcome| (id, outcome.ok())).boxed());
    }

    /// Stops a call that nobody waits for.
    pub fn cancel(&mut self, id: u64) {
        if let Some(call) = self.started.remove(&id) {
            self.note_end(&call, CallStatus::Cancelled);
            call.abort.abort();
        }
        self.settled.retain(|(settled, _)| *settled != id);
    }

    /// Whether a call runs or has settled: whether waiting makes sense.
    pub fn is_active(&self) -> bool {
        !self.running.is_empty() || !self.settled.is_empty()
    }

    /// Moves every call on. Ready when there are outcomes to take.
    pub fn poll(&mut self, context: &mut Context<'_>) -> Poll<()> {
        while let Poll::Ready(Some((id, outcome))) = self.running.poll_next_unpin(context) {
            let Some(outcome) = outcome else { continue };
            if let Some(call) = self.started.remove(&id) {
                self.note_end(&call, if outcome.is_ok() { CallStatus::Ok } else { CallStatus::Error });
                self.settled.push((id, outcome));
            }
        }
        if self.settled.is_empty() { Poll::Pending } else { Poll::Ready(()) }
    }

    /// The outcomes since the last time, in the order in which the calls settled.
    pub fn take_settled(&mut self) -> Vec<(u64, Outcome)> {
        std::mem::take(&mut self.settled)
    }

    /// Stops everything and tells what became of every call, in the order of the calls.
    pub fn finish(mut self) -> Vec<ToolCallRecord> {
        for call in std::mem::take(&mut self.started).into_values() {
            self.note_end(&call, CallStatus::Cancelled);
        }
        self.records
    }

    fn note_end(&mut self, call: &StartedCall, status: CallStatus) {
        if let Some(record) = self.records.get_mut(call.record) {
            record.status = status;
            record.duration_ms = call.began.elapsed().as_secs_f64() * 1000.0;
        }
    }
}

/// Answers one call, between the hooks.
async fn perform(callables: Arc<Callables>, call: tool_call::Call) -> Outcome {
    let path = call.path.clone();
    let outcome = AssertUnwindSafe(answer(&callables, call)).catch_unwind().await;
    let outcome = outcome.unwrap_or_else(|panic| Err(ToolError::new(panic_message(&*panic))));
    match outcome {
        Ok(output) => Ok(output.0),
        Err(error) => Err(error.into_failure(&path)),
    }
}

async fn answer(callables: &Callables, call: tool_call::Call) -> Result<ToolOutput, ToolError> {
    let tool_call::Call { id, kind, path: name, arguments, line } = call;
    let (kind, handlers) = match kind {
        tool_call::CallKind::Tool => (CallKind::Tool, &callables.tools),
        tool_call::CallKind::Extension => (CallKind::Extension, &callables.extensions),
    };
    let handler = handlers.get(&name).ok_or_else(|| ToolError::unknown_tool(&name))?;
    let input = if arguments.is_empty() {
        Value::Null
    } else {
        serde_json::from_str(&arguments).map_err(|error| ToolError::invalid_input(&error.to_string()))?
    };
    let call = ToolCall { id, kind, name, input, line: (line > 0).then_some(line) };
    callables.hooks.before(&call).await?;
    let mut watch = AfterHook { hooks: &*callables.hooks, call: &call, told: false };
    let outcome = AssertUnwindSafe(async { handler.call(call.clone()).await }).catch_unwind().await;
    let outcome = outcome.unwrap_or_else(|panic| Err(ToolError::new(panic_message(&*panic))));
    watch.tell(match &outcome {
        Ok(output) => CallOutcome::Success(output),
        Err(error) => CallOutcome::Failure(error),
    });
    outcome
}

/// Tells the after hook how the call ended, also when its future is dropped.
struct AfterHook<'a> {
    hooks: &'a dyn Hooks,
    call: &'a ToolCall,
    told: bool,
}

impl AfterHook<'_> {
    fn tell(&mut self, outcome: CallOutcome<'_>) {
        if !std::mem::replace(&mut self.told, true) {
            self.hooks.after(self.call, outcome);
        }
    }
}

impl Drop for AfterHook<'_> {
    fn drop(&mut self) {
        self.tell(CallOutcome::Interrupted);
    }
}

fn panic_message(panic: &(dyn Any + Send)) -> String {
    let reason = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    match reason {
        Some(reason) => format!("The tool panicked: {reason}"),
        None => "The tool panicked.".to_owned(),
    }
}
