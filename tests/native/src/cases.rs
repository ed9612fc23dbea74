//! Program cases: JSON files in `tests/cases`.

use std::fs;

use serde_json::{Map, Value as Json};

use crate::host::Job;
use crate::report::repository;

/// A program and what must hold of its result.
#[derive(Clone, Debug)]
pub struct Case {
    /// Unique name.
    pub name: String,
    /// The program.
    pub job: Job,
    /// What must hold, see [`crate::check_case`].
    pub expect: Map<String, Json>,
}

/// All cases, by file name.
///
/// # Errors
/// A sentence about a file that cannot be read.
pub fn read_cases() -> Result<Vec<Case>, String> {
    let folder = repository().join("tests/cases");
    let entries = fs::read_dir(&folder).map_err(|error| error.to_string())?;
    let mut files: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.ends_with(".json"))
        .collect();
    files.sort();
    let mut cases = Vec::new();
    for file in files {
        let text = fs::read_to_string(folder.join(&file)).map_err(|error| format!("{file}: {error}"))?;
        let json: Json = serde_json::from_str(&text).map_err(|error| format!("{file}: {error}"))?;
        for case in json.get("cases").and_then(Json::as_array).into_iter().flatten() {
            let object = |key: &str| case.get(key).and_then(Json::as_object).cloned();
            let text = |key: &str| case.get(key).and_then(Json::as_str).unwrap_or("").to_owned();
            cases.push(Case {
                name: text("name"),
                job: Job { source: text("source"), tools: object("tools"), options: object("options").unwrap_or_default() },
                expect: object("expect").unwrap_or_default(),
            });
        }
    }
    Ok(cases)
}
