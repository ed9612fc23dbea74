//! One line at the end of a terminal that says which calls are under way.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use codemode::{CallOutcome, Hooks, ToolCall, ToolError};

use super::print;

/// How long calls must be under way before the line shows them: quick ones would only flicker.
const PATIENCE: Duration = Duration::from_millis(100);

/// Longer lines would wrap, and a wrapped line cannot be taken away.
const MAX_WIDTH: usize = 79;

/// The line.
pub struct LiveLine {
    on_terminal: bool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    running: BTreeMap<u64, String>,
    is_shown: bool,
    is_due: bool,
}

impl LiveLine {
    /// A line that is only there on a terminal.
    pub fn new(on_terminal: bool) -> Self {
        Self { on_terminal, state: Mutex::default() }
    }

    /// The hooks that tell the line about calls.
    pub fn hooks(line: &Arc<Self>) -> impl Hooks {
        LineHooks(Arc::clone(line))
    }

    /// Runs `write`, which prints something, with the line out of the way.
    pub fn around(&self, write: impl FnOnce()) {
        let mut state = self.state();
        let was_shown = state.is_shown;
        state.clear();
        write();
        if was_shown {
            state.show();
        }
    }

    /// Takes the line away for good.
    pub fn end(&self) {
        let mut state = self.state();
        state.running.clear();
        state.clear();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn show(&mut self) {
        self.clear();
        if self.running.is_empty() {
            return;
        }
        let names: Vec<_> = self.running.values().map(String::as_str).collect();
        let text = format!("waiting for {}: {}", names.len(), names.join(", "));
        print::to_stderr(&text.chars().take(MAX_WIDTH).collect::<String>());
        self.is_shown = true;
    }

    fn clear(&mut self) {
        if std::mem::take(&mut self.is_shown) {
            print::to_stderr("\r\x1b[K");
        }
    }
}

struct LineHooks(Arc<LiveLine>);

impl Hooks for LineHooks {
    fn before<'a>(&'a self, call: &'a ToolCall) -> Pin<Box<dyn Future<Output = Result<(), ToolError>> + Send + 'a>> {
        if self.0.on_terminal {
            let mut state = self.0.state();
            state.running.insert(call.id, call.name.clone());
            if !std::mem::replace(&mut state.is_due, true) {
                let line = Arc::clone(&self.0);
                tokio::spawn(async move {
                    tokio::time::sleep(PATIENCE).await;
                    let mut state = line.state();
                    state.is_due = false;
                    state.show();
                });
            }
        }
        Box::pin(std::future::ready(Ok(())))
    }

    fn after(&self, call: &ToolCall, _outcome: CallOutcome<'_>) {
        let mut state = self.0.state();
        state.running.remove(&call.id);
        if state.is_shown {
            state.show();
        }
    }
}
