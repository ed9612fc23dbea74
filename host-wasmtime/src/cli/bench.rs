//! What the benchmarks call: times of executions, taken inside the process that runs them.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::Args;
use codemode::CodeMode;
use serde_json::{Value, json};

use super::{UsageError, files, print};

#[derive(Args)]
pub struct BenchArguments {
    /// Programs.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Runs of each program.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    /// Print JSON, a line for each program.
    #[arg(long)]
    json: bool,
}

/// Runs each program in fresh instances.
pub async fn bench(arguments: &BenchArguments) -> Result<ExitCode, UsageError> {
    let code_mode = CodeMode::builder().build()?;
    let mut exit = ExitCode::SUCCESS;
    for file in &arguments.files {
        let source = files::read_source(file)?;
        let mut times = Vec::new();
        let mut value = Value::Null;
        let mut failure = None;
        for _ in 0..arguments.repeat {
            let start = Instant::now();
            let result = code_mode.execute(&source).await;
            times.push(start.elapsed().as_secs_f64() * 1000.0);
            match result.outcome {
                Ok(result) => value = result,
                Err(error) => failure = Some(error),
            }
        }
        if failure.is_some() {
            exit = ExitCode::from(1);
        }
        let name = file.display();
        print::to_stdout(&match (arguments.json, failure) {
            (true, None) => format!("{}\n", json!({ "ms": times, "value": value })),
            (true, Some(error)) => format!("{}\n", json!({ "ms": times, "error": error })),
            (false, None) => {
                format!("{name}: {:.3} ms (median of {}), {value}\n", median(&mut times), arguments.repeat)
            }
            (false, Some(error)) => format!("{name}: {error}\n"),
        });
    }
    Ok(exit)
}

#[derive(Args)]
pub struct BenchStartArguments {
    /// Runs.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the smallest program in fresh instances.
pub async fn bench_start(arguments: &BenchStartArguments) -> Result<ExitCode, UsageError> {
    const SOURCE: &str = "return 1+1";
    let code_mode = CodeMode::builder().build()?;
    let mut times = Vec::new();
    for _ in 0..arguments.repeat {
        let start = Instant::now();
        let result = code_mode.execute(SOURCE).await;
        times.push(start.elapsed().as_secs_f64() * 1e6);
        match result.outcome {
            Ok(value) if value == json!(2) => {}
            outcome => return Err(UsageError(format!("{SOURCE} gave {outcome:?}"))),
        }
    }
    let median = median(&mut times);
    let p95 = times.get(times.len() * 95 / 100).copied().unwrap_or(median);
    print::to_stdout(&if arguments.json {
        format!("{}\n", json!({ "microseconds": { "median": median, "p95": p95 }, "runs": arguments.repeat }))
    } else {
        format!("{SOURCE} in a fresh instance: median {median:.1} us, 95th percentile {p95:.1} us\n")
    });
    Ok(ExitCode::SUCCESS)
}

/// Sorts the times.
fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or_default()
}
