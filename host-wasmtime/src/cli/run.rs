//! `codemode run`.

use std::io::IsTerminal;
use std::process::ExitCode;
use std::sync::Arc;

use codemode::{CodeMode, ExecutionResult};

use super::live_line::LiveLine;
use super::{RunArguments, UsageError, files, print, tools_file};

pub async fn run(arguments: &RunArguments) -> Result<ExitCode, UsageError> {
    let source = files::read_source(&arguments.file)?;
    let mut builder = CodeMode::builder().limits(arguments.limits());
    if let Some(file) = &arguments.tools {
        for (tool, handler) in tools_file::read(file)? {
            builder = builder.shared_tool(tool, handler);
        }
    }
    let mut options = arguments.options();
    options.store = arguments.store.as_deref().map(files::read_store).transpose()?;
    let store = options.store.clone();
    builder = builder.options(options);

    let line = Arc::new(LiveLine::new(!arguments.json && std::io::stderr().is_terminal()));
    builder = builder.hooks(LiveLine::hooks(&line));
    if !arguments.json {
        let line = Arc::clone(&line);
        builder = builder.on_output(move |item| line.around(|| print::output(item)));
    }
    let code_mode = builder.build()?;
    let result = code_mode.execute_until(&source, interrupt()).await;
    line.end();

    if let (Some(file), Some(mut store), Some(writes)) = (&arguments.store, store, &result.store_writes)
        && result.is_ok()
    {
        writes.apply(&mut store);
        files::write_store(file, &store)?;
    }
    report(arguments, &result);
    Ok(if result.is_ok() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn report(arguments: &RunArguments, result: &ExecutionResult) {
    if arguments.json {
        print::to_stdout(&format!("{}\n", result.json()));
    } else {
        print::to_stdout(&print::value_text(result));
        print::to_stderr(&print::diagnostic_text(result, &files::source_name(&arguments.file)));
    }
}

/// Ready when the user interrupts from the keyboard.
async fn interrupt() -> String {
    match tokio::signal::ctrl_c().await {
        Ok(()) => "The execution was interrupted.".to_owned(),
        // Without the signal the system's own way of ending programs remains.
        Err(_) => std::future::pending().await,
    }
}
