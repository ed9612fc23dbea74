//! What a store holds for one execution: what the guest told the host, the WASI clocks and random numbers, and the bound of
//! its memory.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use wasmtime::component::{HasSelf, Linker, ResourceTable};
use wasmtime::{ResourceLimiter, Result};
use wasmtime_wasi::clocks::{WasiClocks, WasiClocksCtx, WasiClocksCtxView};
use wasmtime_wasi::p2::bindings::{clocks, random};
use wasmtime_wasi::random::{WasiRandom, WasiRandomCtx};

use crate::bindings::{Interpreter, output, tool_call};
use crate::result::OutputItem;

/// What the guest asks for while it runs. The driver reads it between slices, when the store itself is borrowed.
#[derive(Default)]
pub struct Mailbox {
    /// What happened to calls, in order.
    pub calls: Vec<CallEvent>,
    /// What the program printed since the driver looked last.
    pub output: Vec<OutputItem>,
}

/// What a program did with a call.
pub enum CallEvent {
    /// It begins.
    Start(tool_call::Call),
    /// Nobody waits for it any more.
    Cancel(u64),
}

/// The mailbox as the store and the driver share it.
#[derive(Clone, Default)]
pub struct SharedMailbox(Arc<Mutex<Mailbox>>);

impl SharedMailbox {
    /// Locks it; nothing that holds the lock can panic, so poison means nothing.
    pub fn lock(&self) -> MutexGuard<'_, Mailbox> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The data of a store.
pub struct HostState {
    mailbox: SharedMailbox,
    clocks: WasiClocksCtx,
    random: WasiRandomCtx,
    table: ResourceTable,
    /// Bounds the linear memory.
    pub memory: MemoryBound,
}

impl HostState {
    /// State that reports to `mailbox` and lets the memory grow to `max_memory` bytes.
    pub fn new(mailbox: SharedMailbox, max_memory: Option<usize>) -> Self {
        Self {
            mailbox,
            clocks: WasiClocksCtx::default(),
            random: WasiRandomCtx::default(),
            table: ResourceTable::new(),
            memory: MemoryBound { max_bytes: max_memory, refused: false },
        }
    }
}

/// Links everything that the component may import: its own two interfaces, clocks and random numbers.
pub fn add_to_linker(linker: &mut Linker<HostState>) -> Result<()> {
    Interpreter::add_to_linker::<_, HasSelf<_>>(linker, |state| state)?;
    clocks::wall_clock::add_to_linker::<_, WasiClocks>(linker, clocks_view)?;
    clocks::monotonic_clock::add_to_linker::<_, WasiClocks>(linker, clocks_view)?;
    random::random::add_to_linker::<_, WasiRandom>(linker, |state| &mut state.random)?;
    random::insecure::add_to_linker::<_, WasiRandom>(linker, |state| &mut state.random)?;
    random::insecure_seed::add_to_linker::<_, WasiRandom>(linker, |state| &mut state.random)
}

fn clocks_view(state: &mut HostState) -> WasiClocksCtxView<'_> {
    WasiClocksCtxView { ctx: &mut state.clocks, table: &mut state.table }
}

impl tool_call::Host for HostState {
    fn start(&mut self, call: tool_call::Call) {
        self.mailbox.lock().calls.push(CallEvent::Start(call));
    }

    fn cancel(&mut self, id: u64) {
        self.mailbox.lock().calls.push(CallEvent::Cancel(id));
    }
}

impl output::Host for HostState {
    fn emit(&mut self, item: output::Item) {
        let item = match item {
            output::Item::Text(text) => OutputItem::Text { text, console: false },
            output::Item::Console(text) => OutputItem::Text { text, console: true },
            output::Item::Image(output::Image { data, mime_type }) => OutputItem::Image { data, mime_type },
        };
        self.mailbox.lock().output.push(item);
    }
}

/// Refuses growth beyond a bound and remembers that it did: the guest's allocator traps then.
pub struct MemoryBound {
    max_bytes: Option<usize>,
    /// Whether growth was refused.
    pub refused: bool,
}

impl ResourceLimiter for MemoryBound {
    fn memory_growing(&mut self, _current: usize, desired: usize, maximum: Option<usize>) -> Result<bool> {
        let allowed = [self.max_bytes, maximum].into_iter().flatten().all(|bound| desired <= bound);
        self.refused |= !allowed;
        Ok(allowed)
    }

    fn memory_grow_failed(&mut self, _error: wasmtime::Error) -> Result<()> {
        self.refused = true;
        Ok(())
    }

    fn table_growing(&mut self, _current: usize, desired: usize, maximum: Option<usize>) -> Result<bool> {
        Ok(maximum.is_none_or(|bound| desired <= bound))
    }
}
