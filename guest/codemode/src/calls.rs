//! The calls of an execution: what was admitted, what is in flight, how each ended.

use std::collections::BTreeMap;

use codemode_runtime::heap::{Marker, Trace};
use codemode_runtime::vm::StackFrame;
use codemode_runtime::{Gc, Object};

use crate::json::{ObjectWriter, push_array};

/// All calls of an execution.
#[derive(Default)]
pub(crate) struct Calls {
    /// Tool calls in the order in which they were admitted.
    pub records: Vec<CallRecord>,
    /// Calls in flight by id.
    pub pending: BTreeMap<u64, PendingCall>,
    last_id: u64,
}

/// A tool call as the result lists it.
pub(crate) struct CallRecord {
    id: u64,
    name: String,
    status: Option<CallStatus>,
    duration_ms: f64,
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallStatus {
    Ok,
    Error,
}

/// A call that has not settled.
pub(crate) struct PendingCall {
    /// The tool's index; none for extensions.
    pub tool: Option<usize>,
    /// The promise that the program got.
    pub promise: Gc<Object>,
    /// Where the program made the call.
    pub frames: Vec<StackFrame>,
    started_ms: f64,
    /// Position in the records.
    record: Option<usize>,
}

impl Calls {
    /// Number of admitted tool calls.
    pub fn admitted(&self) -> u64 {
        self.records.len() as u64
    }

    /// Admits a call that is in flight from now on, and gives it its id.
    pub fn begin(
        &mut self,
        name: &str,
        tool: Option<usize>,
        promise: Gc<Object>,
        frames: Vec<StackFrame>,
        now_ms: f64,
    ) -> u64 {
        let id = self.next_id();
        let record = tool.is_some().then(|| {
            self.records.push(CallRecord { id, name: name.to_owned(), status: None, duration_ms: 0.0 });
            self.records.len() - 1
        });
        self.pending.insert(id, PendingCall { tool, promise, frames, started_ms: now_ms, record });
        id
    }

    /// Records a call that needs no host and is over at once.
    pub fn record_immediate(&mut self, name: &str, status: CallStatus) {
        let id = self.next_id();
        self.records.push(CallRecord { id, name: name.to_owned(), status: Some(status), duration_ms: 0.0 });
    }

    /// Takes a call out of flight; none when it is not in flight.
    pub fn take(&mut self, id: u64) -> Option<PendingCall> {
        self.pending.remove(&id)
    }

    /// Records how a call that was taken out of flight has ended.
    pub fn end(&mut self, call: &PendingCall, status: CallStatus, now_ms: f64) {
        if let Some(record) = call.record.and_then(|index| self.records.get_mut(index)) {
            record.status = Some(status);
            record.duration_ms = (now_ms - call.started_ms).max(0.0);
        }
    }

    /// Takes everything out of flight as cancelled; the ids.
    pub fn cancel_all(&mut self, now_ms: f64) -> Vec<u64> {
        let pending = std::mem::take(&mut self.pending);
        for call in pending.values() {
            if let Some(record) = call.record.and_then(|index| self.records.get_mut(index)) {
                record.duration_ms = (now_ms - call.started_ms).max(0.0);
            }
        }
        pending.into_keys().collect()
    }

    /// Appends the `toolCalls` of the result.
    pub fn write(&self, out: &mut String) {
        push_array(out, &self.records, |out, record| {
            let mut object = ObjectWriter::new(out);
            object.raw("id", record.id);
            object.text("name", &record.name);
            object.text(
                "status",
                match record.status {
                    Some(CallStatus::Ok) => "ok",
                    Some(CallStatus::Error) => "error",
                    None => "cancelled",
                },
            );
            object.raw("durationMs", rounded(record.duration_ms));
            object.end();
        });
    }

    fn next_id(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id
    }
}

impl Trace for Calls {
    fn trace(&self, marker: &mut Marker) {
        for call in self.pending.values() {
            marker.mark(call.promise);
        }
    }
}

/// Milliseconds with three decimals.
pub(crate) fn rounded(ms: f64) -> f64 {
    (ms * 1000.0).round() / 1000.0
}
