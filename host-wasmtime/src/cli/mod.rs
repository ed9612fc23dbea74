//! The command line: `run`, and what measures it. `host-js` has the same `run`.

mod bench;
mod files;
mod live_line;
mod preinit;
mod print;
mod run;
mod tools_file;

use std::fmt;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use codemode::{BuildError, Limits, Options};
use tokio::runtime::Runtime;

/// Runs JavaScript and TypeScript programs against tools.
#[derive(Parser)]
#[command(name = "codemode", version, arg_required_else_help = true)]
#[command(after_help = "Exit status: 0 the program finished, 1 it failed, 2 the command was used wrongly.")]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Runs a program.
    Run(RunArguments),
    /// Measures programs, from the call of execute to the result.
    #[command(hide = true)]
    Bench(bench::BenchArguments),
    /// Measures the start: `return 1+1` in fresh instances.
    #[command(hide = true)]
    BenchStart(bench::BenchStartArguments),
    /// Snapshots a component after its initialisation.
    #[command(hide = true)]
    Preinit(preinit::PreinitArguments),
}

#[derive(Args)]
struct RunArguments {
    /// The program; - reads it from standard input.
    #[arg(allow_hyphen_values = true)]
    file: PathBuf,
    /// Stand-in tools, as JSON.
    #[arg(long, value_name = "FILE")]
    tools: Option<PathBuf>,
    /// Print the whole result as JSON on one line.
    #[arg(long)]
    json: bool,
    /// Stop after N milliseconds.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=MAX_SAFE_INTEGER))]
    timeout_ms: Option<u64>,
    /// Allow at most N tool calls.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=MAX_SAFE_INTEGER))]
    max_tool_calls: Option<u64>,
    /// Cut the value, and again logs and warnings, at N bytes.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=MAX_SAFE_INTEGER))]
    max_output_bytes: Option<u64>,
    /// Allow at most N bytes of program data.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=MAX_SAFE_INTEGER))]
    max_memory_bytes: Option<u64>,
    /// Allow at most N loop iterations and calls.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=MAX_SAFE_INTEGER))]
    max_steps: Option<u64>,
    /// Pin the clock to N milliseconds since the epoch.
    #[arg(long, value_name = "N", value_parser = finite_number, allow_negative_numbers = true)]
    now_ms: Option<f64>,
    /// Pin random numbers.
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Local time zone, an IANA name (UTC).
    #[arg(long, value_name = "ZONE")]
    time_zone: Option<String>,
    /// JSON object that load and store work on.
    #[arg(long, value_name = "FILE")]
    store: Option<PathBuf>,
}

/// The largest whole number that JavaScript counts exactly: the Node command takes the same numbers.
const MAX_SAFE_INTEGER: u64 = (1 << 53) - 1;

impl RunArguments {
    fn limits(&self) -> Limits {
        Limits {
            timeout_ms: self.timeout_ms,
            max_tool_calls: self.max_tool_calls,
            max_output_bytes: self.max_output_bytes,
            max_memory_bytes: self.max_memory_bytes,
            max_steps: self.max_steps,
            stall_ms: None,
        }
    }

    fn options(&self) -> Options {
        Options { now_ms: self.now_ms, seed: self.seed, time_zone: self.time_zone.clone(), store: None }
    }
}

/// Runs the command; gives the exit status: 0 ok, 1 the program failed, 2 usage.
pub fn main() -> ExitCode {
    let arguments = match CommandLine::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Also help and version, which are not failures; a closed pipe is nothing to report.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    let outcome = match arguments.command {
        Command::Run(arguments) => runtime().and_then(|runtime| runtime.block_on(run::run(&arguments))),
        Command::Bench(arguments) => runtime().and_then(|runtime| runtime.block_on(bench::bench(&arguments))),
        Command::Preinit(arguments) => runtime().and_then(|runtime| runtime.block_on(preinit::preinit(&arguments))),
        Command::BenchStart(arguments) => {
            runtime().and_then(|runtime| runtime.block_on(bench::bench_start(&arguments)))
        }
    };
    outcome.unwrap_or_else(|error| {
        eprintln!("codemode: {error}");
        ExitCode::from(2)
    })
}

fn runtime() -> Result<Runtime, UsageError> {
    // One thread: an execution is one task, and what its tools wait for needs no second.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| UsageError(format!("cannot start: {error}")))
}

/// What the user of the command got wrong: one line on stderr, exit status 2.
#[derive(Debug, PartialEq, Eq)]
struct UsageError(String);

impl fmt::Display for UsageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<BuildError> for UsageError {
    fn from(error: BuildError) -> Self {
        Self(error.to_string())
    }
}

fn finite_number(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
    number.ok_or_else(|| "expected a number of milliseconds".to_owned())
}
