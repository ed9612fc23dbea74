//! What the machine needs from its embedder.

use crate::value::Value;
use crate::heap::Gc;
use crate::object::Object;
use crate::vm::Termination;

/// Time, chance and interrupts. Everything else that a program can reach is a host object or function that the embedder defines.
pub trait VmHost {
    /// Milliseconds since the epoch.
    fn now_ms(&mut self) -> f64;
    /// Milliseconds of a clock that never goes back.
    fn monotonic_ms(&mut self) -> f64;
    /// 64 random bits.
    fn random_u64(&mut self) -> u64;
    /// Called every 1024 steps, also from long-running builtins; an answer ends the execution.
    fn poll(&mut self, steps: u64) -> Option<Termination>;
    /// A promise was rejected without a handler (`handled` false), or got its first handler after that (true). HostPromiseRejectionTracker.
    fn promise_rejection(&mut self, _promise: Gc<Object>, _reason: Value, _handled: bool) {}
    /// Offset of local time from UTC in minutes at the UTC time `ms`, and for local times with `is_local`.
    fn time_zone_offset_minutes(&mut self, _ms: f64, _is_local: bool) -> f64 {
        0.0
    }
}

/// A host on the system clock without interrupts, for tests and tools.
#[derive(Debug, Default)]
pub struct DefaultHost {
    state: u64,
}

impl VmHost for DefaultHost {
    fn now_ms(&mut self) -> f64 {
        std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .map_or(0.0, |d| d.as_millis() as f64)
    }

    fn monotonic_ms(&mut self) -> f64 {
        self.now_ms()
    }

    fn random_u64(&mut self) -> u64 {
        // SplitMix64.
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn poll(&mut self, _steps: u64) -> Option<Termination> {
        None
    }
}
