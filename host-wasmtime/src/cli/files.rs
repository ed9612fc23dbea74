//! The files that the command reads and writes.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use serde_json::{Map, Value};

use super::UsageError;

/// Larger sources are refused.
const MAX_SOURCE_BYTES: u64 = 16 << 20;

/// The text of a program, from a file or, for `-`, from standard input.
pub fn read_source(file: &Path) -> Result<String, UsageError> {
    let name = source_name(file);
    let mut bytes = Vec::new();
    let read = if file == Path::new("-") {
        io::stdin().lock().take(MAX_SOURCE_BYTES + 1).read_to_end(&mut bytes)
    } else {
        File::open(file).and_then(|file| file.take(MAX_SOURCE_BYTES + 1).read_to_end(&mut bytes))
    };
    read.map_err(|error| UsageError(format!("cannot read {name}: {}", reason(&error))))?;
    if bytes.len() as u64 > MAX_SOURCE_BYTES {
        return Err(UsageError(format!("{name} is larger than 16 MiB")));
    }
    String::from_utf8(bytes).map_err(|_| UsageError(format!("{name} is not valid UTF-8")))
}

/// How messages name the program's file.
pub fn source_name(file: &Path) -> String {
    if file == Path::new("-") { "<stdin>".to_owned() } else { file.display().to_string() }
}

/// What a JSON file holds.
pub fn read_json(file: &Path) -> Result<Value, UsageError> {
    let bytes = std::fs::read(file).map_err(|error| cannot_read(file, &error))?;
    parse_json(file, &bytes)
}

/// The values of a store file; none when there is no such file yet.
pub fn read_store(file: &Path) -> Result<Map<String, Value>, UsageError> {
    let bytes = match std::fs::read(file) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Map::new()),
        bytes => bytes.map_err(|error| cannot_read(file, &error))?,
    };
    match parse_json(file, &bytes)? {
        Value::Object(store) => Ok(store),
        _ => Err(UsageError(format!("{}: expected an object of stored values", file.display()))),
    }
}

/// Replaces a store file.
pub fn write_store(file: &Path, store: &Map<String, Value>) -> Result<(), UsageError> {
    let text = serde_json::to_string_pretty(store).unwrap_or_default() + "\n";
    std::fs::write(file, text)
        .map_err(|error| UsageError(format!("cannot write {}: {}", file.display(), reason(&error))))
}

fn parse_json(file: &Path, bytes: &[u8]) -> Result<Value, UsageError> {
    let text = std::str::from_utf8(bytes).map_err(|_| UsageError(format!("{} is not valid UTF-8", file.display())))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    serde_json::from_str(text).map_err(|error| UsageError(format!("{} is not JSON: {error}", file.display())))
}

fn cannot_read(file: &Path, error: &io::Error) -> UsageError {
    UsageError(format!("cannot read {}: {}", file.display(), reason(error)))
}

/// Why a file operation failed, in the words of the Node command.
fn reason(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "no such file or directory".to_owned(),
        ErrorKind::PermissionDenied => "permission denied".to_owned(),
        ErrorKind::IsADirectory => "is a directory".to_owned(),
        ErrorKind::NotADirectory => "not a directory".to_owned(),
        _ => error.to_string(),
    }
}
