//! A host for tests: stand-in tools as in `codemode run --tools`, real clocks, no wasm.

mod cases;
mod expectations;
mod host;
mod language;
mod report;

pub use cases::{Case, read_cases};
pub use expectations::{check_case, check_test, strip_location};
pub use host::{Job, run};
pub use language::{LanguageTest, read_language_tests};
pub use report::{Report, expected_failures, repository};
