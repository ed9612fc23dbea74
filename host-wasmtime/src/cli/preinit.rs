//! `codemode preinit INPUT OUTPUT`: lets a component prepare itself and writes a component that starts with the memory as it is
//! then. Part of the build; see the Makefile.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use wasmtime::component::{Component, ComponentNamedList, Instance, Lift, Linker, WasmList};
use wasmtime::{Config, Engine, Store};
use wasmtime_wizer::{ComponentInstanceState, Wizer};

use super::UsageError;

/// The interface whose `prepare` does the work.
const EXECUTE: &str = "codemode:interpreter/execute@0.1.0";

#[derive(Args)]
pub struct PreinitArguments {
    /// The component as the linker left it.
    input: PathBuf,
    /// Where the prepared component goes.
    output: PathBuf,
}

pub async fn preinit(arguments: &PreinitArguments) -> Result<ExitCode, UsageError> {
    let PreinitArguments { input, output } = arguments;
    let component =
        std::fs::read(input).map_err(|error| UsageError(format!("cannot read {}: {error}", input.display())))?;
    let snapshot = snapshot(&component)
        .await
        .map_err(|error| UsageError(format!("cannot prepare {}: {error:?}", input.display())))?;
    std::fs::write(output, snapshot)
        .map_err(|error| UsageError(format!("cannot write {}: {error}", output.display())))?;
    Ok(ExitCode::SUCCESS)
}

async fn snapshot(wasm: &[u8]) -> wasmtime::Result<Vec<u8>> {
    let mut wizer = Wizer::new();
    wizer.keep_init_func(true);
    let (context, instrumented) = wizer.instrument_component(wasm)?;

    let engine = Engine::new(&Config::new())?;
    let component = Component::new(&engine, &instrumented)?;
    let mut linker = Linker::<()>::new(&engine);
    // Nothing that differs from machine to machine or from time to time may get into the image.
    linker.define_unknown_imports_as_traps(&component)?;
    let mut store = Store::new(&engine, ());
    let instance = linker.instantiate_async(&mut store, &component).await?;
    let mut initialized = Initialized { store, instance };
    initialized.call::<()>(EXECUTE, "prepare").await?;
    wizer.snapshot_component(&context, &mut initialized).await
}

/// What the snapshot is taken of.
struct Initialized {
    store: Store<()>,
    instance: Instance,
}

impl Initialized {
    async fn call<R: ComponentNamedList + Lift + 'static>(
        &mut self,
        instance: &str,
        function: &str,
    ) -> wasmtime::Result<R> {
        let missing = || wasmtime::Error::msg(format!("the component has no function {instance}#{function}"));
        let instance = self.instance.get_export_index(&mut self.store, None, instance).ok_or_else(missing)?;
        let function =
            self.instance.get_export_index(&mut self.store, Some(&instance), function).ok_or_else(missing)?;
        let function = self.instance.get_typed_func::<(), R>(&mut self.store, function)?;
        function.call_async(&mut self.store, ()).await
    }

    /// Calls one of the accessors that the instrumentation added.
    async fn access<R: Lift + 'static>(&mut self, instance: &str, function: &str) -> R
    where
        (R,): ComponentNamedList,
    {
        match self.call::<(R,)>(instance, function).await {
            Ok((value,)) => value,
            // The trait has no way to fail, and half an image is of no use.
            Err(error) => panic!("{error:?}"),
        }
    }
}

impl ComponentInstanceState for Initialized {
    async fn call_func_ret_list_u8(&mut self, instance: &str, function: &str, contents: impl FnOnce(&[u8]) + Send) {
        let bytes: WasmList<u8> = self.access(instance, function).await;
        contents(bytes.as_le_slice(&self.store));
    }

    async fn call_func_ret_s32(&mut self, instance: &str, function: &str) -> i32 {
        self.access(instance, function).await
    }

    async fn call_func_ret_s64(&mut self, instance: &str, function: &str) -> i64 {
        self.access(instance, function).await
    }

    async fn call_func_ret_f32(&mut self, instance: &str, function: &str) -> u32 {
        self.access::<f32>(instance, function).await.to_bits()
    }

    async fn call_func_ret_f64(&mut self, instance: &str, function: &str) -> u64 {
        self.access::<f64>(instance, function).await.to_bits()
    }
}
