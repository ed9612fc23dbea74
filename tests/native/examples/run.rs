//! Runs a program natively and prints its result: `cargo run -p codemode-tests --example run -- FILE|- [TOOLS.json] [name=value ...]`,
//! where the names are those of the limits and options, for example `maxSteps=1000`.

use std::io::Read;
use std::process::ExitCode;

use codemode_tests::{Job, run};

fn main() -> ExitCode {
    let mut job = Job::default();
    for (index, argument) in std::env::args().skip(1).enumerate() {
        let outcome = if index == 0 {
            read(&argument).map(|source| job.source = source)
        } else if let Some((name, value)) = argument.split_once('=') {
            let value = serde_json::from_str(value).unwrap_or_else(|_| value.into());
            job.options.insert(name.into(), value);
            Ok(())
        } else {
            read(&argument).and_then(|text| serde_json::from_str(&text).map_err(|error| error.to_string())).map(|tools| job.tools = Some(tools))
        };
        if let Err(problem) = outcome {
            eprintln!("{argument}: {problem}");
            return ExitCode::from(2);
        }
    }
    codemode_guest::set_zeal(std::env::var_os("ZEAL").is_some());
    match run(&job) {
        Ok(result) => {
            println!("{result}");
            ExitCode::SUCCESS
        }
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::from(2)
        }
    }
}

fn read(file: &str) -> Result<String, String> {
    if file != "-" {
        return std::fs::read_to_string(file).map_err(|error| error.to_string());
    }
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).map_err(|error| error.to_string())?;
    Ok(text)
}
