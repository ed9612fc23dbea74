//! Language tests: Markdown files in which a heading `## name` and fenced blocks make a test.

use std::fs;

use serde_json::{Map, Value as Json};

use crate::report::repository;

/// A test of `tests/language`.
#[derive(Clone, Debug, Default)]
pub struct LanguageTest {
    /// `file.md > heading`
    pub name: String,
    /// Block `js` or `ts`.
    pub program: String,
    /// Block `json tools`.
    pub tools: Option<Map<String, Json>>,
    /// Block `json`: the value.
    pub value: Option<Json>,
    /// Block `output`: the console lines.
    pub output: Option<String>,
    /// Block `error`: `Name: message`.
    pub error: Option<String>,
}

/// All language tests, by file name.
///
/// # Errors
/// A sentence about a file that cannot be read or a block that is not JSON.
pub fn read_language_tests() -> Result<Vec<LanguageTest>, String> {
    let folder = repository().join("tests/language");
    let entries = fs::read_dir(&folder).map_err(|error| error.to_string())?;
    let mut files: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.ends_with(".md"))
        .collect();
    files.sort();
    let mut tests = Vec::new();
    for file in files {
        let text = fs::read_to_string(folder.join(&file)).map_err(|error| format!("{file}: {error}"))?;
        parse(&file, &text, &mut tests)?;
    }
    Ok(tests)
}

fn parse(file: &str, text: &str, tests: &mut Vec<LanguageTest>) -> Result<(), String> {
    let mut current: Option<LanguageTest> = None;
    let mut lines = text.split('\n');
    while let Some(line) = lines.next() {
        if let Some(name) = line.strip_prefix("## ") {
            tests.extend(current.take().filter(|test| !test.program.is_empty()));
            current = Some(LanguageTest { name: format!("{file} > {}", name.trim()), ..LanguageTest::default() });
            continue;
        }
        let width = line.bytes().take_while(|&byte| byte == b'`').count();
        if width < 3 {
            continue;
        }
        let info = line[width..].trim();
        let mut block = Vec::new();
        for line in lines.by_ref() {
            let closing = line.trim_end();
            if closing.len() >= width && closing.bytes().all(|byte| byte == b'`') {
                break;
            }
            block.push(line);
        }
        let block = block.join("\n");
        let Some(test) = &mut current else { continue };
        let wrong = |error: serde_json::Error| format!("{}: {error}", test.name);
        match info {
            "js" | "ts" | "javascript" | "typescript" if test.program.is_empty() => test.program = block,
            "json" if test.value.is_none() => test.value = Some(serde_json::from_str(&block).map_err(wrong)?),
            "json tools" => test.tools = Some(serde_json::from_str(&block).map_err(wrong)?),
            "output" if test.output.is_none() => test.output = Some(block),
            "error" if test.error.is_none() => test.error = Some(block.trim().to_owned()),
            _ => {}
        }
    }
    tests.extend(current.filter(|test| !test.program.is_empty()));
    Ok(())
}
