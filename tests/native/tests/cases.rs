//! The program cases of `tests/cases`, natively. A word on the command line selects the cases whose names hold it.

use std::process::ExitCode;

use codemode_tests::{Report, check_case, expected_failures, read_cases, run};

const EXPECTED: &str = "tests/cases/expected-failures.txt";

/// Without a host around the engine nothing stops a runaway regular expression: it would take years.
const NEEDS_HOST: &[&str] = &["regex-pathological-times-out"];

fn main() -> ExitCode {
    let cases = match read_cases() {
        Ok(cases) => cases,
        Err(problem) => {
            println!("{problem}");
            return ExitCode::FAILURE;
        }
    };
    let mut report = Report::new(expected_failures(EXPECTED, false));
    for case in cases.iter().filter(|case| !NEEDS_HOST.contains(&case.name.as_str())) {
        report.test(&case.name, || match run(&case.job) {
            Ok(result) => check_case(&case.expect, &result),
            Err(problem) => Some(problem),
        });
    }
    report.finish()
}
