//! Expected failures and the summary, printed as libtest prints it.

use std::collections::BTreeMap;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Counts outcomes against a list of expected failures.
pub struct Report {
    /// Reason by name.
    expected: BTreeMap<String, String>,
    /// Tests whose name holds this text.
    filter: Option<String>,
    failures: Vec<(String, String)>,
    passed: usize,
    failed: usize,
    as_expected: usize,
    slow: usize,
}

/// The folder of the repository.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Reads a list of expected failures: lines `name: reason`, where the separator is the last `: ` or the first.
pub fn expected_failures(file: &str, is_last: bool) -> BTreeMap<String, String> {
    let text = fs::read_to_string(repository().join(file)).unwrap_or_default();
    text.lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with('#'))
        .map(|line| {
            let split = if is_last { line.rsplit_once(": ") } else { line.split_once(':') };
            let (name, reason) = split.unwrap_or((line, ""));
            (name.trim().to_owned(), reason.trim().to_owned())
        })
        // `NAME@node` and `NAME@wasmtime` hold on that host only.
        .filter(|(name, _)| !name.ends_with("@node") && !name.ends_with("@wasmtime"))
        .collect()
}

impl Report {
    /// A report that takes its filter from the command line.
    pub fn new(expected: BTreeMap<String, String>) -> Report {
        let filter = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
        Report { expected, filter, failures: Vec::new(), passed: 0, failed: 0, as_expected: 0, slow: 0 }
    }

    /// Runs a test: `body` says what is wrong. A panic is a failure too.
    pub fn test(&mut self, name: &str, body: impl FnOnce() -> Option<String>) {
        if !self.wants(name) {
            return;
        }
        let problem = catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
            Some(format!("the engine panicked: {}", text.unwrap_or("?")))
        });
        match (problem, self.expected.remove(name)) {
            (None, None) => self.passed += 1,
            (Some(problem), Some(_)) => {
                self.as_expected += 1;
                self.failures.push((name.to_owned(), problem));
            }
            (None, Some(_)) => {
                self.failed += 1;
                println!("UNEXPECTED PASS {name}");
            }
            (Some(problem), None) => {
                self.failed += 1;
                let problem: String = problem.replace('\n', " | ").chars().take(400).collect();
                println!("FAIL {name}: {problem}");
                self.failures.push((name.to_owned(), problem));
            }
        }
    }

    /// Notes a test that could not be finished in the time there is.
    pub fn too_slow(&mut self, name: &str) {
        println!("too slow: {name}");
        self.slow += 1;
    }

    /// Whether the command line asks for the test.
    fn wants(&self, name: &str) -> bool {
        self.filter.as_ref().is_none_or(|filter| name.contains(filter.as_str()))
    }

    /// Prints the summary.
    pub fn finish(mut self) -> ExitCode {
        if self.filter.is_none() {
            for name in self.expected.keys() {
                println!("UNKNOWN expected failure {name}: there is no such test");
                self.failed += 1;
            }
        }
        // The lists are shared with the runners in Node, which rewrite them.
        let is_blessing = std::env::var_os("BLESS").is_some();
        let verdict = if self.failed == 0 { "ok" } else { "FAILED" };
        if self.slow > 0 {
            println!("{} were too slow to finish", self.slow);
        }
        println!(
            "\ntest result: {verdict}. {} passed; {} failed; {} failed as expected",
            self.passed, self.failed, self.as_expected
        );
        if self.failed == 0 || is_blessing { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}
