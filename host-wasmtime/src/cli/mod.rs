//! The command line: `run`, and what measures it. `host-js` has the same `run`.

mod bench;
mod files;
mod live_line;
mod preinit;
mod print;
mod run;
mod tools_file;

use std::error::Error;
use std::fmt;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
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
    file: PathBuf,
    /// Stand-in tools, as JSON.
    #[arg(long, value_name = "FILE")]
    tools: Option<PathBuf>,
    /// Print the whole result as JSON on one line.
    #[arg(long)]
    json: bool,
    /// Stop after N milliseconds.
    #[arg(long, value_name = "N", value_parser = positive_number)]
    timeout_ms: Option<u64>,
    /// Allow at most N tool calls.
    #[arg(long, value_name = "N", value_parser = whole_number)]
    max_tool_calls: Option<u64>,
    /// Cut the value, and again logs and warnings, at N bytes.
    #[arg(long, value_name = "N", value_parser = whole_number)]
    max_output_bytes: Option<u64>,
    /// Allow at most N bytes of program data.
    #[arg(long, value_name = "N", value_parser = whole_number)]
    max_memory_bytes: Option<u64>,
    /// Allow at most N loop iterations and calls.
    #[arg(long, value_name = "N", value_parser = whole_number)]
    max_steps: Option<u64>,
    /// Pin the clock to N milliseconds since the epoch.
    #[arg(long, value_name = "N", value_parser = finite_number, allow_negative_numbers = true)]
    now_ms: Option<f64>,
    /// Pin random numbers.
    #[arg(long, value_name = "N", value_parser = unsigned_64)]
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
            if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
                print::to_stdout(&error.to_string());
                return ExitCode::SUCCESS;
            }
            print::to_stderr(&format!("codemode: {}\n", usage_message(&error)));
            return ExitCode::from(2);
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

/// What is wrong with the command line, on one line.
fn usage_message(error: &clap::Error) -> String {
    let context = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    if let (Some(option), Some(value), Some(reason)) =
        (context(ContextKind::InvalidArg), context(ContextKind::InvalidValue), error.source())
    {
        let name = option.split(' ').next().unwrap_or(option);
        return format!("{name}: {reason}, got \"{value}\"");
    }
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return "no command given; try codemode --help".to_owned();
    }
    let text = error.to_string();
    // The rest is the usage line and advice; some kinds list what is missing on lines of their own.
    let paragraph: Vec<_> = text.lines().take_while(|line| !line.is_empty()).map(str::trim).collect();
    let message = paragraph.join(" ");
    message.strip_prefix("error: ").unwrap_or(&message).to_owned()
}

fn positive_number(text: &str) -> Result<u64, String> {
    number_from(1, text)
}

fn whole_number(text: &str) -> Result<u64, String> {
    number_from(0, text)
}

fn number_from(smallest: u64, text: &str) -> Result<u64, String> {
    let number = text.parse().ok().filter(|number| (smallest..=MAX_SAFE_INTEGER).contains(number));
    number.ok_or_else(|| format!("expected a whole number of at least {smallest}"))
}

fn unsigned_64(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "expected an unsigned whole number of 64 bits".to_owned())
}

fn finite_number(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
    number.ok_or_else(|| "expected a number of milliseconds".to_owned())
}
