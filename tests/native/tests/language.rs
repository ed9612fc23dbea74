//! The language tests of `tests/language`, natively. `ZEAL=1` collects garbage at every safepoint. A word on the command line
//! selects the tests whose names hold it.

use std::process::ExitCode;

use codemode_tests::{Job, Report, check_test, expected_failures, read_language_tests, run};

const EXPECTED: &str = "tests/language/expected-failures.txt";

/// What a test may take.
const TIMEOUT_MS: u64 = 20_000;

/// In zeal mode a test with a large heap takes hours: what runs this long without a fault counts as too slow, not as failed.
const ZEAL_TIMEOUT_MS: u64 = 5_000;

fn main() -> ExitCode {
    let tests = match read_language_tests() {
        Ok(tests) => tests,
        Err(problem) => {
            println!("{problem}");
            return ExitCode::FAILURE;
        }
    };
    let is_zealous = std::env::var_os("ZEAL").is_some_and(|value| value == "1");
    codemode_guest::set_zeal(is_zealous);
    let timeout = if is_zealous { ZEAL_TIMEOUT_MS } else { TIMEOUT_MS };
    let mut report = Report::new(expected_failures(EXPECTED, true));
    for test in &tests {
        let mut is_slow = false;
        let mut job = Job { source: test.program.clone(), tools: test.tools.clone(), ..Job::default() };
        job.options.insert("timeoutMs".into(), timeout.into());
        report.test(&test.name, || match run(&job) {
            Ok(result) if is_zealous && result["error"]["kind"] == "TimeoutExceeded" => {
                is_slow = true;
                None
            }
            Ok(result) => check_test(test, &result),
            Err(problem) => Some(problem),
        });
        if is_slow {
            report.too_slow(&test.name);
        }
    }
    report.finish()
}
