//! The loop that drives one program: run, wait for any call or timer, settle what finished, run again.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use tokio::time::{Sleep, sleep_until};
use wasmtime::Trap;
use wasmtime::component::ResourceAny;

use crate::bindings::execute;
use crate::calls::{Callables, Calls};
use crate::interpreter::{Instance, InterpreterCode, InterpreterError};
use crate::result::{Diagnostic, ExecutionResult, OutputItem};
use crate::state::{CallEvent, SharedMailbox};

/// What the guest is told before a program starts.
pub struct Configuration {
    pub tools: Vec<execute::Tool>,
    pub extensions: Vec<execute::Extension>,
    pub limits: execute::Limits,
    pub options: execute::Options,
}

/// Takes each output item as it is produced.
pub type OutputSink = Arc<dyn Fn(&OutputItem) + Send + Sync>;

/// How long the guest may be late before the host stops it. The guest looks at the clock at every step, so only a single
/// long step, like the match of a regular expression, makes it late.
const GRACE: Duration = Duration::from_millis(100);

/// What the guest's own account of program data does not see: the engine's tables, the parser's tree, fragments.
const MEMORY_HEADROOM: u64 = 64 << 20;

/// Output that the host keeps to tell what an interpreter that was stopped had printed.
const MAX_KEPT_OUTPUT: usize = 16 << 20;

/// The memory that the guest's linear memory may take, given the limit of program data.
pub fn memory_bound(max_memory_bytes: Option<u64>) -> Option<usize> {
    let limit = max_memory_bytes?;
    let bound = limit.saturating_add(limit / 2).saturating_add(MEMORY_HEADROOM);
    Some(usize::try_from(bound).unwrap_or(usize::MAX))
}

/// Lets the guest check the configuration.
pub async fn check(
    code: &InterpreterCode,
    configuration: &Configuration,
) -> Result<Result<(), String>, InterpreterError> {
    let mut instance = code.instantiate(&SharedMailbox::default(), None).await?;
    Ok(create(&mut instance, configuration).await?.map(|_| ()))
}

async fn create(
    instance: &mut Instance,
    configuration: &Configuration,
) -> wasmtime::Result<Result<ResourceAny, String>> {
    let Instance { store, exports } = instance;
    let Configuration { tools, extensions, limits, options } = configuration;
    let runtime = exports.codemode_interpreter_execute().runtime();
    runtime.call_create(store, tools, extensions, *limits, options).await
}

/// One program on its way.
pub struct Execution<'a> {
    configuration: &'a Configuration,
    mailbox: SharedMailbox,
    calls: Calls,
    output: KeptOutput,
    deadline: Option<Instant>,
    abort: Option<Abort>,
}

/// Ends the execution with the reason that it gives.
pub type Abort = Pin<Box<dyn Future<Output = String> + Send>>;

/// Why the loop ends without a result of the guest.
enum Stop {
    /// The guest did not stop at the deadline.
    Late,
    /// The host wants no more.
    Aborted(String),
    /// It trapped, or the configuration was refused.
    Failed(String),
}

impl From<wasmtime::Error> for Stop {
    fn from(error: wasmtime::Error) -> Self {
        Self::Failed(match error.downcast_ref::<Trap>() {
            Some(trap) => trap.to_string(),
            None => format!("{error:#}"),
        })
    }
}

impl<'a> Execution<'a> {
    pub fn new(
        configuration: &'a Configuration,
        callables: &Arc<Callables>,
        sink: Option<OutputSink>,
        abort: Option<Abort>,
    ) -> Self {
        Self {
            configuration,
            mailbox: SharedMailbox::default(),
            calls: Calls::new(Arc::clone(callables)),
            output: KeptOutput { items: Vec::new(), bytes: 0, sink },
            deadline: None,
            abort,
        }
    }

    /// Runs `source` to its end in an instance of `code`.
    pub async fn complete(mut self, code: &InterpreterCode, source: &str) -> ExecutionResult {
        let max_memory = memory_bound(self.configuration.limits.max_memory_bytes);
        let mut instance = match code.instantiate(&self.mailbox, max_memory).await {
            Ok(instance) => instance,
            Err(error) => return self.fail(internal_error(&error.to_string())),
        };
        let stop = match self.drive(&mut instance, source).await {
            Ok(json) => match ExecutionResult::from_json(json) {
                Ok(result) => return result,
                Err(error) => return self.fail(internal_error(&format!("its result is malformed: {error}"))),
            },
            Err(stop) => stop,
        };
        let out_of_memory = instance.store.data().memory.refused;
        drop(instance);
        self.collect_output();
        let diagnostic = match stop {
            Stop::Late => Diagnostic::new("TimeoutExceeded", None, self.timeout_message()),
            Stop::Aborted(reason) => Diagnostic::new("Aborted", None, reason),
            Stop::Failed(_) if out_of_memory => Diagnostic::new("MemoryLimitExceeded", None, self.memory_message()),
            Stop::Failed(reason) => match self.output.take_panic() {
                Some(panic) => internal_error(&panic),
                None => internal_error(&reason),
            },
        };
        self.fail(diagnostic)
    }

    async fn drive(&mut self, instance: &mut Instance, source: &str) -> Result<String, Stop> {
        let runtime = create(instance, self.configuration).await?.map_err(Stop::Failed)?;
        let Instance { store, exports } = instance;
        let interface = exports.codemode_interpreter_execute();
        let execution = interface.runtime().call_start(&mut *store, runtime, source).await?;
        self.deadline = self.timeout().and_then(|timeout| Instant::now().checked_add(timeout));
        let guest = interface.execution();
        let mut is_aborted = false;
        loop {
            // The guest yields by fuel, so it needs no budget of steps.
            let status = self.run_with_calls(guest.call_run(&mut *store, execution, None)).await??;
            let pending = match status {
                execute::Status::Done(result) => return Ok(result),
                execute::Status::Yielded => continue,
                execute::Status::Waiting(_) if is_aborted => return Err(Stop::Failed("it did not end".to_owned())),
                execute::Status::Waiting(pending) => pending,
            };
            let (reason, timed_out) = match self.wait(&pending).await {
                Wake::Resume => (None, false),
                Wake::Abort(reason) => (Some(reason), false),
                Wake::Deadline => (Some(self.timeout_message()), true),
                Wake::Never => (Some("The program waits for something that can never happen.".to_owned()), false),
            };
            if let Some(reason) = reason {
                guest.call_abort(&mut *store, execution, &reason, timed_out).await?;
                is_aborted = true;
            }
            for (id, outcome) in self.calls.take_settled() {
                let outcome = outcome.as_ref().map(Option::as_deref);
                guest.call_settle(&mut *store, execution, id, outcome).await?;
            }
        }
    }

    /// Runs a slice of the guest after the other, and the calls between them. The guest is dropped when it is late.
    async fn run_with_calls<T>(&mut self, run: impl Future<Output = T>) -> Result<T, Stop> {
        let mut run = pin!(run);
        let late = self.deadline.and_then(|deadline| deadline.checked_add(GRACE));
        poll_fn(|context| {
            let status = run.as_mut().poll(context);
            self.take_mail(context);
            match status {
                Poll::Ready(status) => Poll::Ready(Ok(status)),
                Poll::Pending if let Poll::Ready(reason) = self.poll_abort(context) => {
                    Poll::Ready(Err(Stop::Aborted(reason)))
                }
                Poll::Pending if late.is_some_and(|late| Instant::now() >= late) => Poll::Ready(Err(Stop::Late)),
                Poll::Pending => Poll::Pending,
            }
        })
        .await
    }

    /// Does what the guest asked for since the last time, and moves the calls on.
    fn take_mail(&mut self, context: &mut Context<'_>) {
        self.collect_output();
        let events = std::mem::take(&mut self.mailbox.lock().calls);
        for event in events {
            match event {
                CallEvent::Start(call) => self.calls.start(call),
                CallEvent::Cancel(id) => {
                    // A call that the program makes begins, even when the same slice cancels it.
                    let _ = self.calls.poll(context);
                    self.calls.cancel(id);
                }
            }
        }
        let _ = self.calls.poll(context);
    }

    /// Ready once, when the host wants no more.
    fn poll_abort(&mut self, context: &mut Context<'_>) -> Poll<String> {
        let Some(abort) = &mut self.abort else { return Poll::Pending };
        let reason = ready!(abort.as_mut().poll(context));
        self.abort = None;
        Poll::Ready(reason)
    }

    fn collect_output(&mut self) {
        let items = std::mem::take(&mut self.mailbox.lock().output);
        for item in items {
            self.output.push(item);
        }
    }

    /// Until a call settles, the timer is due, the deadline passes or the host wants no more.
    async fn wait(&mut self, pending: &execute::Pending) -> Wake {
        if pending.timer_ms.is_none() && !self.calls.is_active() {
            return Wake::Never;
        }
        let now = Instant::now();
        let due = pending.timer_ms.and_then(|delay| now.checked_add(milliseconds(delay)));
        let at_deadline = self.deadline.is_some_and(|deadline| due.is_none_or(|due| deadline < due));
        let until = if at_deadline { self.deadline } else { due };
        let mut timer = pin!(OptionalSleep(until.map(|until| Box::pin(sleep_until(until.into())))));
        poll_fn(|context| {
            if self.calls.poll(context).is_ready() {
                return Poll::Ready(Wake::Resume);
            }
            if let Poll::Ready(reason) = self.poll_abort(context) {
                return Poll::Ready(Wake::Abort(reason));
            }
            timer.as_mut().poll(context).map(|()| if at_deadline { Wake::Deadline } else { Wake::Resume })
        })
        .await
    }

    fn timeout(&self) -> Option<Duration> {
        self.configuration.limits.timeout_ms.map(Duration::from_millis)
    }

    fn timeout_message(&self) -> String {
        let timeout = self.configuration.limits.timeout_ms.unwrap_or_default();
        format!("Execution timed out after {timeout}ms.")
    }

    fn memory_message(&self) -> String {
        match self.configuration.limits.max_memory_bytes {
            Some(limit) => format!("The program needs more than {limit} bytes of memory."),
            None => "The program needs more memory than there is.".to_owned(),
        }
    }

    fn fail(self, diagnostic: Diagnostic) -> ExecutionResult {
        ExecutionResult::failed(diagnostic, self.output.items, self.calls.finish())
    }
}

/// Why the loop goes on.
enum Wake {
    /// Something has happened for the program.
    Resume,
    /// Its time is over.
    Deadline,
    /// The host wants no more.
    Abort(String),
    /// Nothing can happen any more.
    Never,
}

/// A sleep, or none: then it never ends.
struct OptionalSleep(Option<Pin<Box<Sleep>>>);

impl Future for OptionalSleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        match &mut self.0 {
            Some(sleep) => sleep.as_mut().poll(context),
            None => Poll::Pending,
        }
    }
}

/// A delay as a program gave it: anything that is no sensible number of milliseconds is none or very long.
fn milliseconds(delay: f64) -> Duration {
    Duration::try_from_secs_f64(delay.max(0.0) / 1000.0).unwrap_or(Duration::MAX)
}

fn internal_error(reason: &str) -> Diagnostic {
    Diagnostic::new("ExecutionFailure", Some("InternalError"), format!("The interpreter failed: {reason}"))
}

/// What the program printed, as far as the host keeps it.
struct KeptOutput {
    items: Vec<OutputItem>,
    bytes: usize,
    sink: Option<OutputSink>,
}

impl KeptOutput {
    fn push(&mut self, item: OutputItem) {
        if !is_panic(&item)
            && let Some(sink) = &self.sink
        {
            sink(&item);
        }
        self.bytes = self.bytes.saturating_add(item.len());
        if self.bytes <= MAX_KEPT_OUTPUT || is_panic(&item) {
            self.items.push(item);
        }
    }

    /// The last words of an interpreter that panicked.
    fn take_panic(&mut self) -> Option<String> {
        self.items.pop_if(|item| is_panic(item)).and_then(|item| match item {
            OutputItem::Text { text, .. } => text.strip_prefix(PANIC_PREFIX).map(str::to_owned),
            OutputItem::Image { .. } => None,
        })
    }
}

/// How the component marks the message of a panic, which it can only tell as output.
const PANIC_PREFIX: &str = "\u{0}panic: ";

fn is_panic(item: &OutputItem) -> bool {
    matches!(item, OutputItem::Text { text, console: true } if text.starts_with(PANIC_PREFIX))
}
