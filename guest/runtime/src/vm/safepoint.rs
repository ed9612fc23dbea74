//! Safepoints: where steps are counted, limits looked at and garbage is collected.

use crate::value::Value;
use crate::vm::{Completion, POLL_INTERVAL, Termination, Thrown, Vm};
use crate::heap::Trace;

impl Vm {
    /// The slow part of a safepoint: the countdown ended, or the heap asks for a collection.
    ///
    /// # Errors
    /// `Thrown` with a termination, or with `is_yielding` set when the step budget of `run_jobs` is used up.
    #[cold]
    #[inline(never)]
    pub(crate) fn safepoint(&mut self, floor: usize) -> Completion<()> {
        if self.countdown == 0 {
            self.countdown = POLL_INTERVAL;
            self.steps_polled += u64::from(POLL_INTERVAL);
            self.poll()?;
            if self.native_depth == 0 && floor == 0 && self.yield_at.is_some_and(|at| self.steps() >= at) {
                self.yielding = true;
                return Err(Thrown);
            }
        }
        if self.zeal || self.heap.should_collect() {
            self.collect_garbage();
            if self.heap.over_limit() {
                return Err(self.terminate(Termination::OutOfMemory));
            }
        }
        Ok(())
    }

    /// Counts a step outside the interpreter loop. Limits are looked at by the next safepoint.
    pub(crate) fn count_step(&mut self) {
        if self.countdown > 1 {
            self.countdown -= 1;
        }
    }

    /// Looks at limits and clock. Builtins that can run long call this now and then.
    ///
    /// # Errors
    /// `Thrown` with a termination.
    pub fn poll(&mut self) -> Completion<()> {
        let steps = self.steps();
        if self.max_steps.is_some_and(|max| steps >= max) {
            return Err(self.terminate(Termination::StepLimit));
        }
        match self.host.poll(steps) {
            Some(reason) => Err(self.terminate(reason)),
            None => Ok(()),
        }
    }

    /// Whether the last `Thrown` means that `run_jobs` is to return, with all frames kept.
    pub(crate) fn is_yielding(&self) -> bool {
        self.yielding
    }

    /// Collects garbage. Roots: stack, frames, temporary roots, exception, jobs, realms, loaded code.
    pub fn collect_garbage(&mut self) {
        // The window of a callee can end below that of its caller, whose registers above may hold values still: they are kept, so
        // that none of them is stale when the caller goes on.
        let ends = self.frames.iter().map(|f| f.base as usize + self.codes[f.code.index()].register_count);
        let end = ends.fold(self.top, usize::max).min(self.stack.len());
        let (stack, frames, roots) = (&self.stack[..end], &self.frames, &self.roots);
        let (jobs, realms, codes) = (&self.jobs, &self.realms, &self.codes);
        let (exception, extra) = (self.exception, &self.permanent_roots);
        let (kept, ready) = (&self.kept_during_job, &self.finalization_ready);
        self.lookup_cache.clear();
        for code in codes {
            code.purge_caches(|_| false);
        }
        let collection = self.heap.collect(|marker| {
            marker.mark_values(stack);
            marker.mark_values(roots);
            marker.mark_values(extra);
            marker.mark_values(kept);
            marker.mark_values(ready);
            marker.mark_value(exception);
            for frame in frames {
                frame.trace(marker);
            }
            for job in jobs {
                job.trace(marker);
            }
            for realm in realms {
                realm.trace(marker);
            }
            for code in codes {
                code.trace(marker);
            }
        });
        for registry in collection.ready_registries {
            let registry = Value::object(registry);
            if !self.finalization_ready.contains(&registry) {
                self.finalization_ready.push(registry);
            }
        }
    }
}
