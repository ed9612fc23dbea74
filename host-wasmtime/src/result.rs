//! What `execute` answers: the result JSON that is the same on every host, and its typed form.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What became of a program. A program that fails is data, never an error of the host.
#[derive(Debug, Clone)]
pub struct ExecutionResult {
    /// The value that the program returned (null when it returned nothing), or why it failed.
    pub outcome: Result<Value, Diagnostic>,
    /// What the program printed, in order.
    pub output: Vec<OutputItem>,
    /// The console lines of the output.
    pub logs: Vec<String>,
    /// What the program should know but was not stopped by.
    pub warnings: Vec<Diagnostic>,
    /// Every call that the program made, in the order of the calls.
    pub tool_calls: Vec<ToolCallRecord>,
    /// What a successful program changed with `store`.
    pub store_writes: Option<StoreWrites>,
    /// Whether the output limit cut something off.
    pub truncated: bool,
    /// What the execution used.
    pub usage: Usage,
    json: String,
}

impl ExecutionResult {
    /// Whether the program finished.
    pub fn is_ok(&self) -> bool {
        self.outcome.is_ok()
    }

    /// The result as JSON text on one line, byte for byte as the interpreter wrote it.
    pub fn json(&self) -> &str {
        &self.json
    }

    /// Reads the result JSON.
    ///
    /// # Errors
    ///
    /// Fails when the text does not have the shape of a result.
    pub fn from_json(json: String) -> Result<Self, serde_json::Error> {
        let fields: ResultFields = serde_json::from_str(&json)?;
        let outcome = match (fields.ok, fields.error) {
            (true, _) => Ok(fields.value),
            (false, Some(error)) => Err(error),
            (false, None) => return Err(serde::de::Error::missing_field("error")),
        };
        Ok(Self {
            outcome,
            output: fields.output,
            logs: fields.logs,
            warnings: fields.warnings,
            tool_calls: fields.tool_calls,
            store_writes: fields.store_writes,
            truncated: fields.truncated,
            usage: fields.usage,
            json,
        })
    }

    /// The result of a program that the interpreter cannot speak for any more.
    pub(crate) fn failed(error: Diagnostic, output: Vec<OutputItem>, tool_calls: Vec<ToolCallRecord>) -> Self {
        let logs = output
            .iter()
            .filter_map(|item| match item {
                OutputItem::Text { text, console: true } => Some(text.clone()),
                _ => None,
            })
            .collect();
        let usage = Usage::default();
        let fields = FailureFields { ok: false, error, output, logs, warnings: Vec::new(), tool_calls, usage };
        let json = serde_json::to_string(&fields).unwrap_or_default();
        let FailureFields { error, output, logs, warnings, tool_calls, usage, .. } = fields;
        Self {
            outcome: Err(error),
            output,
            logs,
            warnings,
            tool_calls,
            store_writes: None,
            truncated: false,
            usage,
            json,
        }
    }
}

/// Why a program failed, or what it should know.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Diagnostic {
    /// The kind of failure or warning.
    pub kind: String,
    /// The name of the uncaught error, as in `TypeError`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// One or more sentences for whoever wrote the program.
    #[serde(default)]
    pub message: String,
    /// The place in the submitted source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// The line at fault with a mark below it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub excerpt: Option<String>,
    /// The program's frames.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stack: Option<String>,
    /// What could be done instead.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suggestions: Vec<String>,
}

impl Diagnostic {
    pub(crate) fn new(kind: &str, name: Option<&str>, message: String) -> Self {
        Self {
            kind: kind.to_owned(),
            name: name.map(str::to_owned),
            message,
            location: None,
            excerpt: None,
            stack: None,
            suggestions: Vec::new(),
        }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.message)
    }
}

impl std::error::Error for Diagnostic {}

/// A place in the submitted source. Lines and columns are 1-based.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Location {
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

/// One thing that a program printed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase", rename_all_fields = "camelCase")]
pub enum OutputItem {
    /// A line of `text(...)` or of the console.
    Text {
        /// The line.
        text: String,
        /// Whether it came from the console.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        console: bool,
    },
    /// An image of `image(...)`.
    Image {
        /// Base64.
        data: String,
        /// As in `image/png`.
        mime_type: String,
    },
}

impl OutputItem {
    /// About how many bytes the item takes.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Text { text, .. } => text.len(),
            Self::Image { data, mime_type } => data.len() + mime_type.len(),
        }
    }
}

/// One call that a program made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolCallRecord {
    /// 1-based, in the order of the calls.
    pub id: u64,
    /// The path of the tool, or the name of the extension global.
    pub name: String,
    /// How it ended.
    pub status: CallStatus,
    /// From start to end.
    pub duration_ms: f64,
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CallStatus {
    /// It gave a result.
    Ok,
    /// It failed.
    Error,
    /// Nobody waited for it any more.
    Cancelled,
}

/// What a program changed with `store`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct StoreWrites {
    /// Keys that got a value.
    #[serde(default)]
    pub set: Map<String, Value>,
    /// Keys that were stored as undefined.
    #[serde(default)]
    pub delete: Vec<String>,
}

impl StoreWrites {
    /// Makes the changes in `store`.
    pub fn apply(&self, store: &mut Map<String, Value>) {
        for key in &self.delete {
            store.shift_remove(key);
        }
        for (key, value) in &self.set {
            store.insert(key.clone(), value.clone());
        }
    }
}

/// What an execution used. Nothing of it is known of a program that the host had to stop.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Usage {
    /// Loop iterations and calls: the same number on every host and machine.
    pub steps: u64,
    /// The most bytes of program data at a time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak_heap_bytes: Option<u64>,
    /// From start to end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<f64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ResultFields {
    ok: bool,
    #[serde(default)]
    value: Value,
    error: Option<Diagnostic>,
    #[serde(default)]
    output: Vec<OutputItem>,
    #[serde(default)]
    logs: Vec<String>,
    #[serde(default)]
    warnings: Vec<Diagnostic>,
    #[serde(default)]
    tool_calls: Vec<ToolCallRecord>,
    store_writes: Option<StoreWrites>,
    #[serde(default)]
    truncated: bool,
    #[serde(default)]
    usage: Usage,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FailureFields {
    ok: bool,
    error: Diagnostic,
    output: Vec<OutputItem>,
    logs: Vec<String>,
    warnings: Vec<Diagnostic>,
    tool_calls: Vec<ToolCallRecord>,
    usage: Usage,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_success_is_read_and_kept_verbatim() {
        let json = r#"{"ok":true,"value":[1,"a"],"output":[{"type":"text","text":"x","console":true},{"type":"image","data":"AA==","mimeType":"image/png"}],"logs":["x"],"warnings":[{"kind":"Truncated","message":"m"}],"toolCalls":[{"id":1,"name":"a.b","status":"cancelled","durationMs":1.5}],"storeWrites":{"set":{"k":1},"delete":["d"]},"usage":{"steps":3,"peakHeapBytes":10}}"#;
        let result = ExecutionResult::from_json(json.to_owned()).unwrap();
        assert_eq!(result.outcome, Ok(serde_json::json!([1, "a"])));
        assert_eq!(result.json(), json);
        assert_eq!(result.tool_calls[0].status, CallStatus::Cancelled);
        assert_eq!(result.usage.steps, 3);
        assert_eq!(result.usage.peak_heap_bytes, Some(10));
        let mut store = serde_json::json!({ "d": 1, "e": 2 }).as_object().unwrap().clone();
        result.store_writes.unwrap().apply(&mut store);
        assert_eq!(Value::Object(store), serde_json::json!({ "e": 2, "k": 1 }));
    }

    #[test]
    fn a_failure_needs_an_error() {
        assert!(ExecutionResult::from_json(r#"{"ok":false}"#.to_owned()).is_err());
        let json = r#"{"ok":false,"error":{"kind":"ParseError","message":"m","location":{"line":1,"column":2}}}"#;
        let error = ExecutionResult::from_json(json.to_owned()).unwrap().outcome.unwrap_err();
        assert_eq!(error.location, Some(Location { line: 1, column: 2 }));
    }

    #[test]
    fn a_failure_of_the_host_has_the_same_shape() {
        let output = vec![
            OutputItem::Text { text: "t".into(), console: false },
            OutputItem::Text { text: "c".into(), console: true },
        ];
        let failed =
            ExecutionResult::failed(Diagnostic::new("TimeoutExceeded", None, "late".into()), output, Vec::new());
        let again = ExecutionResult::from_json(failed.json().to_owned()).unwrap();
        assert_eq!(again.logs, ["c"]);
        assert_eq!(again.output, failed.output);
        assert_eq!(again.outcome, failed.outcome);
    }
}
