//! One program on its way: from source to result.

use std::rc::Rc;

use codemode_compiler::{CompileOptions, compile};
use codemode_runtime::Value;
use codemode_runtime::builtins::{NativeFunction, native};
use codemode_runtime::vm::{Arguments, Completion, Progress, Termination, Thrown, Vm};

use crate::boundary::{self, Converted};
use crate::context::{Context, ContextHost, Outcome};
use crate::definitions::{Failure, Host, Status};
use crate::diagnostic::{Diagnostic, Warning};
use crate::failure::Kind;
use crate::machine::{self, Machine};
use crate::result::{self, End, Usage};
use crate::runtime::Runtime;
use crate::source::{self, SourceOptions};
use crate::waiting::{Waiting, wait_for};
use crate::tool_objects::install_extensions;
use crate::{timers, tools};

/// The largest source.
const MAX_SOURCE_BYTES: usize = 16 * 1024 * 1024;

/// Bytes of program data when the host sets no limit: what a 32-bit machine holds with room to spare.
const DEFAULT_MEMORY_BYTES: u64 = 1 << 30;

/// Characters of output that a token stands for.
const BYTES_PER_TOKEN: u64 = 4;

/// One program on its way.
pub struct Execution {
    context: Rc<Context>,
    source: String,
    machine: Option<Box<Vm>>,
    settlements: Vec<(u64, Result<Option<String>, Failure>)>,
    abort: Option<Diagnostic>,
    /// Since when nothing but timers is left, with the steps at that moment.
    idle_since: Option<(f64, u64)>,
    has_started: bool,
    result: Option<String>,
}

static PROGRAM_RETURNED: NativeFunction = native("", 1, program_returned);
static PROGRAM_THREW: NativeFunction = native("", 1, program_threw);

impl Execution {
    pub(crate) fn new(runtime: Rc<Runtime>, source: &str, host: Box<dyn Host>) -> Execution {
        Execution {
            context: Context::new(runtime, host),
            source: source.to_owned(),
            machine: None,
            settlements: Vec::new(),
            abort: None,
            idle_since: None,
            has_started: false,
            result: None,
        }
    }

    /// Runs until the program is finished or waits, or until about `budget` steps are used up. A finished program answers the
    /// same result again.
    pub fn run(&mut self, budget: Option<u64>) -> Status {
        if let Some(result) = &self.result {
            return Status::Done(result.clone());
        }
        match self.advance(budget) {
            Ok(status) => status,
            Err(end) => Status::Done(self.finish(end)),
        }
    }

    /// Delivers the outcome of a call: JSON text (none for undefined) or a failure. Takes effect with the next run. Unknown, settled
    /// and cancelled ids are ignored.
    pub fn settle(&mut self, id: u64, outcome: Result<Option<String>, Failure>) {
        if self.result.is_none() {
            self.settlements.push((id, outcome));
        }
    }

    /// Ends the execution: the next run answers the failure.
    pub fn abort(&mut self, reason: &str, timed_out: bool) {
        let kind = if timed_out { Kind::TimeoutExceeded } else { Kind::Aborted };
        let default = if timed_out { "Execution timed out." } else { "Execution aborted." };
        self.abort = Some(Diagnostic::new(kind, if reason.is_empty() { default } else { reason }));
    }

    fn advance(&mut self, budget: Option<u64>) -> Result<Status, Box<End>> {
        if !self.has_started {
            self.has_started = true;
            let origin = self.context.host.borrow().monotonic_ms();
            self.context.clock.origin_ms.set(origin);
            if self.abort.is_none() {
                self.begin().map_err(failed)?;
            }
        }
        if let Some(diagnostic) = self.abort.take() {
            return Err(failed(diagnostic));
        }
        self.deliver_settlements();
        loop {
            self.look_for_end()?;
            if self.context.is_late() {
                return Err(self.terminated(&Termination::Timeout));
            }
            let Some(vm) = &mut self.machine else { return Err(failed(Diagnostic::new(Kind::Aborted, "Execution aborted."))) };
            match vm.run_jobs(budget) {
                Progress::Terminated => {}
                Progress::Yielded => return Ok(Status::Yielded),
                Progress::Idle if self.context.outcome.get().is_some() => {}
                Progress::Idle => {
                    let now_ms = self.context.elapsed_ms();
                    if !timers::fire_next(vm, &self.context, now_ms)
                        && let Some(status) = self.wait()?
                    {
                        return Ok(status);
                    }
                }
            }
        }
    }

    /// Compiles the program and starts its main function.
    fn begin(&mut self) -> Result<(), Diagnostic> {
        if self.source.len() > MAX_SOURCE_BYTES {
            let message = format!("The source has {} bytes; at most {MAX_SOURCE_BYTES} are allowed.", self.source.len());
            return Err(Diagnostic::new(Kind::ParseError, message));
        }
        let prepared = source::prepare(&self.source).map_err(|error| Diagnostic::of_source(&error, &self.source))?;
        self.apply(prepared.options);
        self.source = prepared.code;
        let unit = compile(&self.source, &CompileOptions::program())
            .map_err(|error| Diagnostic::of_compile_error(&error, &self.source))?;
        let Machine { vm, context_object } = machine::take();
        let vm = self.machine.insert(vm);
        let limits = self.context.limits.get();
        vm.host = Box::new(ContextHost(self.context.clone()));
        vm.max_steps = limits.max_steps;
        let memory = limits.max_memory_bytes.unwrap_or(DEFAULT_MEMORY_BYTES).min(DEFAULT_MEMORY_BYTES);
        vm.heap.set_limit(Some(memory as usize));
        self.context.enter(vm, context_object);
        install_extensions(vm, &self.context);
        let code = vm.load(unit);
        let main = Value::object(vm.new_closure_of(code, None));
        match vm.spawn(main) {
            Ok(promise) => watch_main(vm, &self.context, Value::object(promise)),
            Err(Thrown) if vm.termination.is_some() => {}
            Err(Thrown) => {
                let thrown = vm.take_exception();
                self.context.outcome.set(Some(Outcome::Threw(thrown)));
            }
        }
        Ok(())
    }

    /// The options line can only make limits narrower.
    fn apply(&self, options: SourceOptions) {
        let mut limits = self.context.limits.get();
        let narrower = |limit: Option<u64>, wanted: Option<u64>| match (limit, wanted) {
            (Some(limit), Some(wanted)) => Some(limit.min(wanted)),
            (limit, wanted) => limit.or(wanted),
        };
        limits.timeout_ms = narrower(limits.timeout_ms, options.timeout_ms);
        let bytes = options.max_output_tokens.map(|tokens| tokens.saturating_mul(BYTES_PER_TOKEN));
        limits.max_output_bytes = narrower(limits.max_output_bytes, bytes);
        self.context.limits.set(limits);
    }

    fn deliver_settlements(&mut self) {
        let Some(vm) = &mut self.machine else { return };
        let mut settlements = std::mem::take(&mut self.settlements);
        if self.context.is_pinned() {
            // Hosts deliver what arrives together in different orders.
            settlements.sort_by_key(|&(id, _)| id);
        }
        for (id, outcome) in settlements {
            if vm.termination.is_none() {
                tools::settle(vm, &self.context, id, outcome).ok();
            }
        }
    }

    /// Whether the execution is over: `Err` with its end.
    fn look_for_end(&mut self) -> Result<(), Box<End>> {
        let Some(vm) = &mut self.machine else { return Ok(()) };
        match vm.termination.take() {
            None | Some(Termination::Exit) => {}
            Some(termination) => return Err(self.terminated(&termination)),
        }
        match self.context.outcome.take() {
            None => Ok(()),
            Some(Outcome::Exited) => Err(self.succeeded("null".into())),
            Some(Outcome::Threw(value)) => Err(self.threw(value)),
            Some(Outcome::Returned(value)) => {
                vm.root(value);
                match boundary::to_json(vm, &self.context, value, "result") {
                    Ok(Converted::Text(text)) => Err(self.succeeded(text.unwrap_or_else(|| "null".into()))),
                    Ok(Converted::Pending(promise)) => {
                        wait_for(vm, &self.context, promise, Waiting::Result(value));
                        Ok(())
                    }
                    Err(Thrown) => match vm.termination.take() {
                        Some(termination) => Err(self.terminated(&termination)),
                        None => {
                            let thrown = vm.take_exception();
                            Err(self.threw(thrown))
                        }
                    },
                }
            }
        }
    }

    /// What to do when no job is left: none when virtual time went on and there is something to do again.
    fn wait(&mut self) -> Result<Option<Status>, Box<End>> {
        let context = &self.context;
        let calls: Vec<u64> = context.calls.borrow().pending.keys().copied().collect();
        let next_due_ms = context.timers.borrow().next_due_ms();
        if calls.is_empty() {
            match next_due_ms {
                None => {
                    let message = "The program waits for a promise that nothing can settle: no tool call, timer or job is left.";
                    return Err(failed(Diagnostic::new(Kind::Stalled, message)));
                }
                Some(due_ms) if context.is_pinned() => {
                    context.clock.virtual_ms.set(due_ms.max(context.clock.virtual_ms.get()));
                    return Ok(None);
                }
                Some(_) => {}
            }
        }
        let limits = context.limits.get();
        let real_ms = context.real_elapsed_ms();
        let mut wake_ms = f64::INFINITY;
        if let Some(due_ms) = next_due_ms.filter(|_| !context.is_pinned()) {
            wake_ms = due_ms - context.elapsed_ms();
        }
        if let Some(timeout_ms) = limits.timeout_ms {
            wake_ms = wake_ms.min(timeout_ms as f64 - real_ms);
        }
        let steps = self.machine.as_ref().map_or(0, |vm| vm.steps());
        match limits.stall_ms.filter(|_| calls.is_empty()) {
            None => self.idle_since = None,
            Some(stall_ms) => {
                let since_ms = match self.idle_since {
                    Some((since_ms, at)) if at == steps => since_ms,
                    _ => real_ms,
                };
                self.idle_since = Some((since_ms, steps));
                let left_ms = since_ms + stall_ms as f64 - real_ms;
                if left_ms <= 0.0 {
                    let message = format!("Execution stalled: nothing happened for {stall_ms}ms and no tool call is in flight.");
                    return Err(failed(Diagnostic::new(Kind::Stalled, message)));
                }
                wake_ms = wake_ms.min(left_ms);
            }
        }
        let timer_ms = wake_ms.is_finite().then(|| wake_ms.max(0.0));
        Ok(Some(Status::Waiting { calls, timer_ms }))
    }

    fn terminated(&self, termination: &Termination) -> Box<End> {
        let limits = self.context.limits.get();
        let number = |limit: Option<u64>| limit.unwrap_or(DEFAULT_MEMORY_BYTES);
        failed(match termination {
            Termination::Timeout => Diagnostic::new(
                Kind::TimeoutExceeded,
                format!("Execution timed out after {}ms.", limits.timeout_ms.unwrap_or(0)),
            ),
            Termination::OutOfMemory => Diagnostic::new(
                Kind::MemoryLimitExceeded,
                format!("The program needs more than {} bytes of memory.", number(limits.max_memory_bytes)),
            ),
            Termination::StepLimit => Diagnostic::new(
                Kind::StepLimitExceeded,
                format!("The program needs more than {} steps.", limits.max_steps.unwrap_or(0)),
            ),
            Termination::Aborted(reason) => Diagnostic::new(Kind::ExecutionFailure, reason),
            Termination::Exit => Diagnostic::new(Kind::Aborted, "Execution aborted."),
        })
    }

    fn threw(&mut self, value: Value) -> Box<End> {
        let Some(vm) = &mut self.machine else { return failed(Diagnostic::new(Kind::ExecutionFailure, "Uncaught error")) };
        vm.root(value);
        match Diagnostic::of_thrown(vm, &self.context, &self.source, value) {
            Ok(diagnostic) => failed(diagnostic),
            Err(Thrown) => match vm.termination.take() {
                Some(termination) => self.terminated(&termination),
                None => failed(Diagnostic::new(Kind::ExecutionFailure, "Uncaught error")),
            },
        }
    }

    fn succeeded(&mut self, value: String) -> Box<End> {
        let mut warnings = Vec::new();
        let rejections: Vec<Value> = self.context.rejections.take().into_iter().map(|(_, reason)| reason).collect();
        let uncaught = self.context.uncaught.take();
        if let Some(vm) = &mut self.machine {
            for (reasons, text) in [
                (rejections, "Unhandled rejection from an un-awaited promise"),
                (uncaught, "Uncaught error in a timer callback"),
            ] {
                for &reason in &reasons {
                    vm.root(reason);
                }
                for reason in reasons {
                    match Diagnostic::of_thrown(vm, &self.context, &self.source, reason) {
                        Ok(Diagnostic { kind, message, location, .. }) => {
                            warnings.push(Warning { kind, message: format!("{text}: {message}"), location });
                        }
                        Err(Thrown) => vm.termination = None,
                    }
                }
            }
        }
        for message in self.context.warnings.take() {
            warnings.push(Warning { kind: Kind::InvalidDataValue, message, location: None });
        }
        Box::new(End::Success { value, warnings })
    }

    /// Stops everything and makes the result.
    fn finish(&mut self, end: Box<End>) -> String {
        let context = &self.context;
        let now_ms = context.real_elapsed_ms();
        let cancelled = context.calls.borrow_mut().cancel_all(now_ms);
        for id in cancelled {
            context.host.borrow_mut().cancel_call(id);
        }
        let usage = match &self.machine {
            Some(vm) => Usage { steps: vm.steps(), peak_heap_bytes: vm.heap.peak_bytes(), duration_ms: now_ms },
            None => Usage { duration_ms: now_ms, ..Usage::default() },
        };
        let result = result::write(context, *end, usage);
        self.settlements.clear();
        self.result = Some(result.clone());
        result
    }
}

fn failed(diagnostic: Diagnostic) -> Box<End> {
    Box::new(End::Failure(Box::new(diagnostic)))
}

/// Ends the job loop when the program's own promise settles: what it did not wait for goes no further.
fn watch_main(vm: &mut Vm, context: &Rc<Context>, value: Value) {
    match value.as_object().filter(|&object| vm.promise_data(object).is_some()) {
        Some(promise) => {
            let captures = [context.object()];
            let returned = Value::object(vm.new_native_closure(&PROGRAM_RETURNED, &captures));
            let threw = Value::object(vm.new_native_closure(&PROGRAM_THREW, &captures));
            vm.perform_promise_then(promise, returned, threw, None);
        }
        None => context.outcome.set(Some(Outcome::Returned(value))),
    }
}

fn program_returned(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    end_program(vm, arguments, Outcome::Returned)
}

fn program_threw(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    end_program(vm, arguments, Outcome::Threw)
}

fn end_program(vm: &mut Vm, arguments: &Arguments, outcome: fn(Value) -> Outcome) -> Completion<Value> {
    let context = Context::of(vm, arguments)?;
    let value = arguments.get(vm, 0);
    context.outcome.set(Some(outcome(value)));
    Err(vm.terminate(Termination::Exit))
}
