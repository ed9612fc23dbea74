//! The result as JSON text, see CONTRACT.md "Result": the same bytes on every host, but for durations.

use crate::calls::rounded;
use crate::context::Context;
use crate::definitions::OutputItem;
use crate::diagnostic::{Diagnostic, Warning};
use crate::failure::Kind;
use crate::json::{ObjectWriter, push_array, push_string, quoted};

/// What an execution used.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Usage {
    pub steps: u64,
    pub peak_heap_bytes: usize,
    pub duration_ms: f64,
}

/// How an execution ended.
pub(crate) enum End {
    /// With a value as JSON text.
    Success { value: String, warnings: Vec<Warning> },
    Failure(Box<Diagnostic>),
}

/// The result text.
pub(crate) fn write(context: &Context, end: End, usage: Usage) -> String {
    let limit = context.limits.get().max_output_bytes.map(|limit| usize::try_from(limit).unwrap_or(usize::MAX));
    let mut budget = Budget { left: limit, is_exceeded: false };
    let mut out = String::with_capacity(256);
    let mut object = ObjectWriter::new(&mut out);
    let (is_ok, warnings) = match end {
        End::Success { value, warnings } => {
            object.raw("ok", true);
            let value = budget.bound_value(value);
            object.member("value").push_str(&value);
            (true, warnings)
        }
        End::Failure(diagnostic) => {
            object.raw("ok", false);
            diagnostic.write(object.member("error"));
            (false, Vec::new())
        }
    };
    let output = context.output.borrow();
    let logs: Vec<&str> = output
        .items
        .iter()
        .filter_map(|item| match item {
            OutputItem::Console(line) => Some(line.as_str()),
            _ => None,
        })
        .collect();
    // Items and lines say the same twice, so each gets what the value left.
    let left = budget.left;
    let shown_items = budget.fitting(output.items.iter().map(OutputItem::cost));
    budget.left = left;
    let shown_logs = budget.fitting(logs.iter().map(|line| line.len() + 1));

    let items = object.member("output");
    let marker = (shown_items < output.items.len())
        .then(|| OutputItem::Text(format!("[output truncated: showing {shown_items} of {} items]", output.items.len())));
    push_array(items, output.items[..shown_items].iter().chain(&marker), |out, item| item.write(out));

    let lines = object.member("logs");
    let marker = (shown_logs < logs.len()).then(|| format!("[logs truncated: showing {shown_logs} of {} lines]", logs.len()));
    push_array(lines, logs[..shown_logs].iter().copied().chain(marker.as_deref()), push_string);

    let warnings = bound_warnings(warnings, limit, &mut budget);
    push_array(object.member("warnings"), &warnings, |out, warning| warning.write(out));
    context.calls.borrow().write(object.member("toolCalls"));
    let store = context.store.borrow();
    if is_ok && !store.is_empty() {
        store.write_result(object.member("storeWrites"));
    }
    if budget.is_exceeded {
        object.raw("truncated", true);
    }
    let mut writer = ObjectWriter::new(object.member("usage"));
    writer.raw("steps", usage.steps);
    writer.raw("peakHeapBytes", usage.peak_heap_bytes);
    writer.raw("durationMs", rounded(usage.duration_ms));
    writer.end();
    object.end();
    out
}

/// What is left of `maxOutputBytes`.
struct Budget {
    left: Option<usize>,
    is_exceeded: bool,
}

impl Budget {
    /// The value, or a string with as much of its text as fits and a note.
    fn bound_value(&mut self, value: String) -> String {
        let Some(left) = self.left else { return value };
        if value.len() <= left {
            self.left = Some(left - value.len());
            return value;
        }
        self.is_exceeded = true;
        self.left = Some(0);
        let mut end = left;
        while !value.is_char_boundary(end) {
            end -= 1;
        }
        let prefix = &value[..end];
        let size = value.len();
        quoted(&format!("{prefix} [result truncated: {size} bytes exceeds the {left}-byte output limit; return a smaller value]"))
    }

    /// How many of the items fit, counting until the first that does not.
    fn fitting(&mut self, costs: impl Iterator<Item = usize>) -> usize {
        let Some(mut left) = self.left else { return costs.count() };
        let mut count = 0;
        for cost in costs {
            if cost > left {
                self.is_exceeded = true;
                break;
            }
            left -= cost;
            count += 1;
        }
        self.left = Some(left);
        count
    }
}

/// Warnings have a budget of their own.
fn bound_warnings(mut warnings: Vec<Warning>, limit: Option<usize>, total: &mut Budget) -> Vec<Warning> {
    let mut budget = Budget { left: limit, is_exceeded: false };
    let cost = |warning: &Warning| {
        let mut text = String::new();
        warning.write(&mut text);
        text.len() + 1
    };
    let shown = budget.fitting(warnings.iter().map(cost));
    let dropped = warnings.len() - shown;
    if dropped > 0 {
        total.is_exceeded = true;
        warnings.truncate(shown);
        let message = format!("{dropped} more warnings were left out because of the output limit.");
        warnings.push(Warning { kind: Kind::Truncated, message, location: None });
    }
    warnings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_cut_between_characters() {
        let mut budget = Budget { left: Some(3), is_exceeded: false };
        let value = budget.bound_value("\"éé\"".into());
        assert_eq!(
            value,
            "\"\\\"é [result truncated: 6 bytes exceeds the 3-byte output limit; return a smaller value]\""
        );
        assert_eq!((budget.left, budget.is_exceeded), (Some(0), true));
    }

    #[test]
    fn items_stop_at_the_first_that_does_not_fit() {
        let mut budget = Budget { left: Some(10), is_exceeded: false };
        assert_eq!(budget.fitting([4, 4, 4, 1].into_iter()), 2);
        assert!(budget.is_exceeded);
        let mut unlimited = Budget { left: None, is_exceeded: false };
        assert_eq!(unlimited.fitting([4, 4].into_iter()), 2);
    }
}
