//! What stands around a program: the options line, a Markdown fence, nothing at all, or a shell command.
//!
//! Whatever is taken away leaves an empty line behind, so that lines keep their numbers.

use std::ops::Range;

use serde_json::Value as Json;

/// How an options line begins.
const OPTIONS_PREFIX: &str = "// @options:";

/// The largest integer that every JSON reader keeps exact.
const MAX_SAFE_INTEGER: u64 = (1 << 53) - 1;

/// The longest deadline an options line may ask for.
const MAX_TIMEOUT_MS: u64 = 2_147_483_647;

/// First words of lines that are shell commands when they are no JavaScript.
const SHELL_COMMANDS: &[&str] = &[
    "apt", "apt-get", "awk", "bash", "bun", "cargo", "cat", "cd", "chmod", "cp", "curl", "deno", "docker", "echo", "find", "git",
    "grep", "kubectl", "ls", "make", "mkdir", "mv", "node", "npm", "npx", "pip", "pip3", "pnpm", "pwd", "python", "python3", "rm",
    "sed", "sh", "ssh", "sudo", "tail", "head", "touch", "wget", "yarn",
];

/// A program ready for the compiler.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct PreparedSource {
    /// The program, with the same lines as the submitted source.
    pub code: String,
    /// What the options line asks for.
    pub options: SourceOptions,
}

/// The options line `// @options: {"timeout_ms": 5000, "max_output_tokens": 2000}`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SourceOptions {
    /// Deadline of the program.
    pub timeout_ms: Option<u64>,
    /// Budget of the output.
    pub max_output_tokens: Option<u64>,
}

/// Why a source is no program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SourceError {
    /// One sentence.
    pub message: String,
    /// Byte offset of the mistake in the submitted source; none for an empty source.
    pub offset: Option<u32>,
}

/// Takes options line and Markdown fence off a source.
///
/// # Errors
/// For an empty source and a wrong or misplaced options line.
pub(crate) fn prepare(source: &str) -> Result<PreparedSource, SourceError> {
    if source.trim().is_empty() {
        return Err(SourceError { message: "Code cannot be empty.".into(), offset: None });
    }
    let mut lines = line_ranges(source);
    let mut removed = Vec::new();
    if let Some((open, close)) = find_fence(source, &lines) {
        removed.push(lines[open].clone());
        removed.push(lines[close].clone());
        lines = lines[open + 1..close].to_vec();
        if lines.iter().all(|line| source[line.clone()].trim().is_empty()) {
            return Err(SourceError { message: "Code cannot be empty.".into(), offset: None });
        }
    }
    let mut options = SourceOptions::default();
    let mut rest = lines.as_slice();
    if let Some((first, others)) = lines.split_first()
        && let Some(json) = options_text(&source[first.clone()])
    {
        options = parse_options(json).map_err(|message| at(message, first))?;
        if others.iter().all(|line| source[line.clone()].trim().is_empty()) {
            return Err(at("The options line must be followed by code.".into(), first));
        }
        removed.push(first.clone());
        rest = others;
    }
    if let Some(line) = rest.iter().find(|line| options_text(&source[(*line).clone()]).is_some()) {
        return Err(at("The options line must be the first line.".into(), line));
    }
    Ok(PreparedSource { code: without(source, removed), options })
}

/// What to tell the author of a source that does not parse when it is a shell command rather than a program.
pub(crate) fn explain_shell(source: &str) -> Option<String> {
    let line = source.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with("//"))?;
    let command = line.strip_prefix("$ ").unwrap_or(line);
    let word: String = command.chars().take_while(|c| !c.is_whitespace()).collect();
    let follows = command[word.len()..].trim_start();
    let is_command = SHELL_COMMANDS.contains(&word.as_str()) && !follows.starts_with(['=', '(', '.', ';']);
    (line.starts_with("#!") || line.starts_with("$ ") || is_command).then(|| {
        "This is a shell command, not a program. Programs are JavaScript or TypeScript; they reach the outside only through \
         `await tools.<name>(input)`."
            .to_owned()
    })
}

fn at(message: String, line: &Range<usize>) -> SourceError {
    SourceError { message, offset: u32::try_from(line.start).ok() }
}

/// The lines of the source without their ends.
fn line_ranges(source: &str) -> Vec<Range<usize>> {
    let mut start = 0;
    let mut lines = Vec::new();
    for line in source.split('\n') {
        let text = line.strip_suffix('\r').unwrap_or(line);
        lines.push(start..start + text.len());
        start += line.len() + 1;
    }
    lines
}

/// The lines of a Markdown fence that encloses everything else.
fn find_fence(source: &str, lines: &[Range<usize>]) -> Option<(usize, usize)> {
    let is_blank = |line: &Range<usize>| source[line.clone()].trim().is_empty();
    let open = lines.iter().position(|line| !is_blank(line))?;
    let close = lines.iter().rposition(|line| !is_blank(line))?;
    let first = source[lines[open].clone()].trim();
    let mark = first.chars().next().filter(|&c| c == '`' || c == '~')?;
    let width = first.chars().take_while(|&c| c == mark).count();
    let language = first[width..].trim();
    let is_language = language.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '+' | '.'));
    let last = source[lines[close].clone()].trim();
    let closes = last.len() >= width && last.chars().all(|c| c == mark);
    (width >= 3 && is_language && close > open && closes).then_some((open, close))
}

fn options_text(line: &str) -> Option<&str> {
    line.trim_start_matches(' ').strip_prefix(OPTIONS_PREFIX)
}

fn parse_options(text: &str) -> Result<SourceOptions, String> {
    let json: Json = serde_json::from_str(text).map_err(|_| "The options line is not valid JSON.".to_owned())?;
    let Json::Object(fields) = json else { return Err("The options line must hold a JSON object.".into()) };
    let mut options = SourceOptions::default();
    for (key, value) in &fields {
        let number = value.as_u64();
        match key.as_str() {
            "max_output_tokens" => {
                options.max_output_tokens = Some(number.filter(|&n| n <= MAX_SAFE_INTEGER).ok_or(
                    "The option max_output_tokens must be a safe integer of at least 0.",
                )?);
            }
            "timeout_ms" => {
                options.timeout_ms = Some(number.filter(|n| (1..=MAX_TIMEOUT_MS).contains(n)).ok_or_else(|| {
                    format!("The option timeout_ms must be an integer from 1 to {MAX_TIMEOUT_MS}.")
                })?);
            }
            _ => return Err(format!("The options line has the unknown key {key:?} (known: max_output_tokens, timeout_ms).")),
        }
    }
    Ok(options)
}

/// The source with empty lines in place of the removed ones.
fn without(source: &str, mut removed: Vec<Range<usize>>) -> String {
    removed.sort_by_key(|range| range.start);
    let mut code = String::with_capacity(source.len());
    let mut from = 0;
    for range in removed {
        code.push_str(&source[from..range.start]);
        from = range.end;
    }
    code.push_str(&source[from..]);
    code
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(source: &str) -> String {
        prepare(source).map(|prepared| prepared.code).unwrap_or_default()
    }

    fn message(source: &str) -> String {
        prepare(source).map_or_else(|error| error.message, |_| String::new())
    }

    #[test]
    fn plain_source_is_kept() {
        assert_eq!(code("return 1;\n"), "return 1;\n");
        assert_eq!(code("const s = `\n```\n`;"), "const s = `\n```\n`;");
    }

    #[test]
    fn empty_sources() {
        assert_eq!(message(""), "Code cannot be empty.");
        assert_eq!(message(" \n\t\n"), "Code cannot be empty.");
        assert_eq!(message("```js\n\n```"), "Code cannot be empty.");
    }

    #[test]
    fn fences_leave_empty_lines() {
        assert_eq!(code("```js\nreturn 1;\n```\n"), "\nreturn 1;\n\n");
        assert_eq!(code("\n  ~~~~typescript  \r\nreturn 1;\r\n~~~~\r\n"), "\n\r\nreturn 1;\r\n\r\n");
        assert_eq!(code("```js\nreturn 1;"), "```js\nreturn 1;");
    }

    #[test]
    fn options_line() {
        let prepared = prepare("  // @options: {\"timeout_ms\": 5, \"max_output_tokens\": 0}\nreturn 1").unwrap();
        assert_eq!(prepared.code, "\nreturn 1");
        assert_eq!(prepared.options, SourceOptions { timeout_ms: Some(5), max_output_tokens: Some(0) });
        assert_eq!(code("```js\n// @options: {}\nreturn 1\n```"), "\n\nreturn 1\n");
    }

    #[test]
    fn wrong_options_lines() {
        assert_eq!(message("// @options: {\nx"), "The options line is not valid JSON.");
        assert_eq!(message("// @options: []\nx"), "The options line must hold a JSON object.");
        assert!(message("// @options: {\"a\": 1}\nx").contains("unknown key \"a\""));
        assert!(message("// @options: {\"timeout_ms\": 0}\nx").contains("timeout_ms"));
        assert!(message("// @options: {\"max_output_tokens\": 1.5}\nx").contains("max_output_tokens"));
        assert_eq!(message("// @options: {}\n\n"), "The options line must be followed by code.");
        let error = prepare("x;\n// @options: {}").unwrap_err();
        assert_eq!((error.message.as_str(), error.offset), ("The options line must be the first line.", Some(3)));
    }

    #[test]
    fn shell_text_is_recognised() {
        for text in ["ls -la", "$ whatever", "#!/bin/sh\nx", "// list\nnpm install x", "git status"] {
            assert!(explain_shell(text).is_some(), "{text}");
        }
        for text in ["find(x)", "make = 3 +", "const ls = 1", "node.x ="] {
            assert!(explain_shell(text).is_none(), "{text}");
        }
    }
}
