//! Bytecode snapshots: each Markdown file under `tests/snapshots` has pairs of a source block (`js`, `ts`, `script` or `builtins`) and
//! a `text` block with its disassembly or error. `BLESS=1 cargo test -p codemode-compiler` rewrites the text blocks.

use std::{fs, path::Path};

use codemode_bytecode::{disassemble, verify};
use codemode_compiler::{CompileOptions, compile};

#[test]
fn snapshots() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots");
    let bless = std::env::var_os("BLESS").is_some();
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut failures = Vec::new();
    for file in files.iter().filter(|file| file.extension().is_some_and(|extension| extension == "md")) {
        let old = fs::read_to_string(file).unwrap();
        let new = refreshed(&old);
        if old != new {
            if bless {
                fs::write(file, &new).unwrap();
            } else {
                failures.push(format!("{}:\n{}", file.display(), first_difference(&old, &new)));
            }
        }
    }
    assert!(failures.is_empty(), "{}\nrun with BLESS=1 to accept", failures.join("\n"));
}

/// The file with all text blocks as they come out now.
fn refreshed(text: &str) -> String {
    let mut out = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        out.push_str(line);
        out.push('\n');
        let Some(language) = line.strip_prefix("```").filter(|language| !language.is_empty()) else { continue };
        let mut source = String::new();
        for line in lines.by_ref() {
            out.push_str(line);
            out.push('\n');
            if line == "```" {
                break;
            }
            source.push_str(line);
            source.push('\n');
        }
        out.push_str("\n```text\n");
        out.push_str(&compiled(language, &source));
        out.push_str("```\n");
        // The old result, if there is one, is left out.
        let mut rest = lines.clone();
        let blank = rest.next_if(|line| line.is_empty()).is_some();
        if rest.next_if(|line| *line == "```text").is_some() {
            let _ = blank;
            for line in rest.by_ref() {
                if line == "```" {
                    break;
                }
            }
            lines = rest;
        }
    }
    out
}

fn compiled(language: &str, source: &str) -> String {
    let options = match language {
        "script" => CompileOptions::script("script"),
        "builtins" => CompileOptions::self_hosted("builtins"),
        _ => CompileOptions::program(),
    };
    match compile(source, &options) {
        Ok(unit) => {
            verify(&unit).unwrap_or_else(|error| panic!("{error}\n{source}\n{}", disassemble(&unit)));
            disassemble(&unit)
        }
        Err(error) => format!("{:?} {error}\n{}\n", error.kind, error.excerpt),
    }
}

fn first_difference(old: &str, new: &str) -> String {
    let difference = old.lines().zip(new.lines()).enumerate().find(|(_, (a, b))| a != b);
    match difference {
        Some((number, (a, b))) => format!("line {}:\n- {a}\n+ {b}", number + 1),
        None => "one is longer than the other".into(),
    }
}
