//! What programs keep for later programs: `store` and `load`.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use crate::json::{ObjectWriter, push_array, push_string};

/// Most characters of JSON that one value may have.
const MAX_VALUE_CHARS: usize = 256 * 1024;

/// Most characters of keys and JSON that one execution may write.
const MAX_TOTAL_CHARS: usize = 1024 * 1024;

/// JSON texts by key.
pub(crate) type Snapshot = BTreeMap<String, String>;

/// What this execution has written, by key in order of first writing; no text means deleted.
#[derive(Default)]
pub(crate) struct Store {
    writes: Vec<(String, Option<String>)>,
    chars: usize,
}

/// The values of the option `store`.
///
/// # Errors
/// One sentence when it is not a JSON object.
pub(crate) fn parse_snapshot(text: Option<&str>) -> Result<Snapshot, String> {
    let Some(text) = text else { return Ok(Snapshot::new()) };
    match serde_json::from_str(text) {
        Ok(Json::Object(members)) => Ok(members.into_iter().map(|(key, value)| (key, value.to_string())).collect()),
        Ok(_) => Err("The option store must be a JSON object.".into()),
        Err(error) => Err(format!("The option store is not JSON: {error}")),
    }
}

impl Store {
    /// The JSON text that `load` gives.
    pub fn load<'a>(&'a self, snapshot: &'a Snapshot, key: &str) -> Option<&'a str> {
        match self.writes.iter().find(|(written, _)| written == key) {
            Some((_, text)) => text.as_deref(),
            None => snapshot.get(key).map(String::as_str),
        }
    }

    /// Writes or, without a text, deletes a value.
    ///
    /// # Errors
    /// One sentence when a limit is passed.
    pub fn write(&mut self, key: &str, text: Option<String>) -> Result<(), String> {
        let chars = text.as_deref().map_or(0, |text| text.chars().count());
        if chars > MAX_VALUE_CHARS {
            return Err(format!("The stored value of {key:?} has {chars} characters of JSON; at most {MAX_VALUE_CHARS} are kept."));
        }
        let size = |(key, text): &(String, Option<String>)| {
            key.chars().count() + text.as_deref().map_or(0, |text| text.chars().count())
        };
        let entry = (key.to_owned(), text);
        let position = self.writes.iter().position(|(written, _)| written == key);
        let replaced = position.map_or(0, |position| size(&self.writes[position]));
        let total = self.chars - replaced + size(&entry);
        if total > MAX_TOTAL_CHARS {
            return Err(format!("Stored values take {total} characters; one program may store at most {MAX_TOTAL_CHARS}."));
        }
        self.chars = total;
        match position {
            Some(position) => self.writes[position] = entry,
            None => self.writes.push(entry),
        }
        Ok(())
    }

    /// Whether nothing was written.
    pub fn is_empty(&self) -> bool {
        self.writes.is_empty()
    }

    /// Appends the `storeWrites` of the result.
    pub fn write_result(&self, out: &mut String) {
        let mut object = ObjectWriter::new(out);
        let mut set = ObjectWriter::new(object.member("set"));
        for (key, text) in &self.writes {
            if let Some(text) = text {
                set.member(key).push_str(text);
            }
        }
        set.end();
        let deleted = self.writes.iter().filter(|(_, text)| text.is_none());
        push_array(object.member("delete"), deleted, |out, (key, _)| push_string(out, key));
        object.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_shadow_the_snapshot() {
        let snapshot = parse_snapshot(Some("{\"a\":1,\"b\":2}")).unwrap();
        let mut store = Store::default();
        store.write("a", Some("3".into())).unwrap();
        store.write("b", None).unwrap();
        store.write("a", Some("4".into())).unwrap();
        assert_eq!(store.load(&snapshot, "a"), Some("4"));
        assert_eq!(store.load(&snapshot, "b"), None);
        let mut out = String::new();
        store.write_result(&mut out);
        assert_eq!(out, "{\"set\":{\"a\":4},\"delete\":[\"b\"]}");
    }

    #[test]
    fn limits() {
        let mut store = Store::default();
        assert!(store.write("a", Some("x".repeat(MAX_VALUE_CHARS + 1))).is_err());
        for key in ["a", "b", "c"] {
            store.write(key, Some("x".repeat(MAX_VALUE_CHARS))).unwrap();
        }
        store.write("c", Some("x".repeat(MAX_VALUE_CHARS))).unwrap();
        assert!(store.write("d", Some("x".repeat(MAX_VALUE_CHARS))).is_err());
    }

    #[test]
    fn wrong_snapshots() {
        assert!(parse_snapshot(Some("[]")).is_err());
        assert!(parse_snapshot(Some("{")).is_err());
    }
}
