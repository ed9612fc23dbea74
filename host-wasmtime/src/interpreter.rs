//! The compiled component, ready to be instantiated: one per process, shared by every code mode.

use std::fmt;
use std::sync::{Arc, OnceLock};

use wasmtime::component::{Component, Linker};
use wasmtime::{
    Config, Enabled, Engine, InstanceAllocationStrategy, PoolConcurrencyLimitError, PoolingAllocationConfig, Store,
};

use crate::bindings::{Interpreter, InterpreterPre};
use crate::precompiled;
use crate::state::{self, HostState, SharedMailbox};

/// The component that `make build` made.
static COMPONENT: &[u8] = include_bytes!(env!("CODEMODE_COMPONENT_PATH"));

/// Instances that the pool has room for. More at a time are allocated on demand.
const POOL_SLOTS: u32 = 64;

/// Slots that keep their memory mapping and stay warm.
const WARM_SLOTS: u32 = 16;

/// Bytes of a slot's memory that are cleared by hand, page by page as far as they were touched, instead of being given back to
/// the system: an instance then starts without page faults.
const KEEP_RESIDENT: usize = 1 << 20;

/// The native stack of the guest. Programs cannot deepen it: this bounds the parser and the regular expressions.
const MAX_WASM_STACK: usize = 2 << 20;

/// [`MAX_WASM_STACK`] and what the host's functions need.
const ASYNC_STACK: usize = MAX_WASM_STACK + (1 << 20);

/// Fuel between two looks at the clock and at the calls: about an eighth of a millisecond. Each look is a system call of the
/// tokio runtime, which would be felt at shorter intervals.
const FUEL_SLICE: u64 = 1_000_000;

/// The component could not be made ready, or an instance could not be made of it.
#[derive(Debug, Clone)]
pub struct InterpreterError(String);

impl fmt::Display for InterpreterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the interpreter cannot start: {}", self.0)
    }
}

impl std::error::Error for InterpreterError {}

impl From<wasmtime::Error> for InterpreterError {
    fn from(error: wasmtime::Error) -> Self {
        Self(format!("{error:#}"))
    }
}

/// A fresh instance in its own store. It serves one execution.
pub struct Instance {
    pub store: Store<HostState>,
    pub exports: Interpreter,
}

/// Compiled code with an allocator.
struct Compiled {
    engine: Engine,
    component: InterpreterPre<HostState>,
}

/// The process's interpreter: the pool, and what serves when the pool is full or cannot be had.
pub struct InterpreterCode {
    pooled: Option<Compiled>,
    on_demand: OnceLock<Result<Compiled, InterpreterError>>,
}

impl InterpreterCode {
    /// The interpreter, compiled by the first caller or loaded from the cache of an earlier process.
    pub fn shared() -> Result<Arc<Self>, InterpreterError> {
        static SHARED: OnceLock<Result<Arc<InterpreterCode>, InterpreterError>> = OnceLock::new();
        SHARED.get_or_init(|| Self::load().map(Arc::new)).clone()
    }

    fn load() -> Result<Self, InterpreterError> {
        // A pool reserves address space for all slots, which a system may refuse.
        match Compiled::new(InstanceAllocationStrategy::Pooling(pooling())) {
            Ok(pooled) => Ok(Self { pooled: Some(pooled), on_demand: OnceLock::new() }),
            Err(_) => {
                let on_demand = Compiled::new(InstanceAllocationStrategy::OnDemand)?;
                Ok(Self { pooled: None, on_demand: OnceLock::from(Ok(on_demand)) })
            }
        }
    }

    /// Makes an instance that reports to `mailbox` and whose memory is bounded by `max_memory`.
    pub async fn instantiate(
        &self,
        mailbox: &SharedMailbox,
        max_memory: Option<usize>,
    ) -> Result<Instance, InterpreterError> {
        if let Some(pooled) = &self.pooled {
            match pooled.instantiate(HostState::new(mailbox.clone(), max_memory)).await {
                Err(error) if error.is::<PoolConcurrencyLimitError>() => {}
                outcome => return Ok(outcome?),
            }
        }
        let on_demand = self.on_demand.get_or_init(|| Ok(Compiled::new(InstanceAllocationStrategy::OnDemand)?));
        let on_demand = on_demand.as_ref().map_err(Clone::clone)?;
        Ok(on_demand.instantiate(HostState::new(mailbox.clone(), max_memory)).await?)
    }
}

impl Compiled {
    fn new(allocation: InstanceAllocationStrategy) -> wasmtime::Result<Self> {
        let engine = Engine::new(&config(allocation))?;
        let component = match precompiled::load(&engine, COMPONENT) {
            Some(component) => component,
            None => {
                let code = engine.precompile_component(COMPONENT)?;
                precompiled::store(&engine, COMPONENT, &code);
                precompiled::component(&engine, &code)?
            }
        };
        Self::link(engine, &component)
    }

    fn link(engine: Engine, component: &Component) -> wasmtime::Result<Self> {
        let mut linker = Linker::new(&engine);
        state::add_to_linker(&mut linker)?;
        let component = InterpreterPre::new(linker.instantiate_pre(component)?)?;
        Ok(Self { engine, component })
    }

    async fn instantiate(&self, state: HostState) -> wasmtime::Result<Instance> {
        let mut store = Store::new(&self.engine, state);
        store.limiter(|state| &mut state.memory);
        // Time is what is limited, not fuel: fuel only makes the guest yield.
        store.set_fuel(u64::MAX)?;
        store.fuel_async_yield_interval(Some(FUEL_SLICE))?;
        let exports = self.component.instantiate_async(&mut store).await?;
        Ok(Instance { store, exports })
    }
}

fn config(allocation: InstanceAllocationStrategy) -> Config {
    let mut config = Config::new();
    config
        .consume_fuel(true)
        .max_wasm_stack(MAX_WASM_STACK)
        .async_stack_size(ASYNC_STACK)
        // The build strips the names that a backtrace would show.
        .wasm_backtrace_max_frames(None)
        .memory_init_cow(true)
        .allocation_strategy(allocation);
    config
}

fn pooling() -> PoolingAllocationConfig {
    let mut pooling = PoolingAllocationConfig::new();
    pooling
        .total_component_instances(POOL_SLOTS)
        .total_memories(POOL_SLOTS)
        .total_stacks(POOL_SLOTS)
        // A component is several core instances: the engine and what adapts its imports, each with a table.
        .total_core_instances(POOL_SLOTS * 4)
        .total_tables(POOL_SLOTS * 4)
        .max_memory_size(1 << 32)
        .max_unused_warm_slots(WARM_SLOTS)
        .linear_memory_keep_resident(KEEP_RESIDENT)
        .table_keep_resident(KEEP_RESIDENT)
        .pagemap_scan(Enabled::Auto);
    pooling
}
