//! The engine's [`Host`] over the component's imports.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use codemode_guest::{Call, CallKind, Host, OutputItem};

use crate::bindings::codemode::interpreter::{output, tool_call};

/// Every execution of the instance shares the imports, so there is no state. Monotonic time counts from the first reading.
pub struct ComponentHost;

thread_local! {
    static MONOTONIC_ORIGIN: Instant = Instant::now();
}

/// Makes a panic say why before it traps: as a last console item that no program would print. Nothing else reaches the host.
pub fn report_panics() {
    std::panic::set_hook(Box::new(|panic| {
        output::emit(&output::Item::Console(format!("\u{0}panic: {panic}")));
    }));
}

impl Host for ComponentHost {
    fn start_call(&mut self, call: Call) {
        let Call { id, kind, path, arguments, line } = call;
        let kind = match kind {
            CallKind::Tool => tool_call::CallKind::Tool,
            CallKind::Extension => tool_call::CallKind::Extension,
        };
        tool_call::start(&tool_call::Call { id, kind, path, arguments, line });
    }

    fn cancel_call(&mut self, id: u64) {
        tool_call::cancel(id);
    }

    fn emit(&mut self, item: &OutputItem) {
        let item = match item {
            OutputItem::Text(text) => output::Item::Text(text.clone()),
            OutputItem::Console(text) => output::Item::Console(text.clone()),
            OutputItem::Image { data, mime_type } => {
                output::Item::Image(output::Image { data: data.clone(), mime_type: mime_type.clone() })
            }
        };
        output::emit(&item);
    }

    fn now_ms(&self) -> f64 {
        // A clock before 1970 is a host's mistake that programs see as the epoch.
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |elapsed| elapsed.as_secs_f64() * 1000.0)
    }

    fn monotonic_ms(&self) -> f64 {
        MONOTONIC_ORIGIN.with(|origin| origin.elapsed().as_secs_f64() * 1000.0)
    }

    fn random_u64(&mut self) -> u64 {
        random_u64()
    }
}

#[cfg(target_arch = "wasm32")]
fn random_u64() -> u64 {
    crate::wasi::random_u64()
}

/// The crate is a component and nothing else; this keeps `cargo check --workspace` working on the machine that builds it.
#[cfg(not(target_arch = "wasm32"))]
fn random_u64() -> u64 {
    use std::hash::BuildHasher;
    std::hash::RandomState::new().hash_one(())
}
