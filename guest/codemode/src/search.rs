//! Finding tools: `search({ query, namespace, limit, offset })`.

use serde_json::Value as Json;

use crate::runtime::Runtime;
use crate::tool_tree::tool_expression;

/// Items of a page when the program does not say.
const DEFAULT_LIMIT: usize = 10;

/// A checked input.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Query {
    query: String,
    namespace: Option<String>,
    limit: usize,
    offset: usize,
}

/// A page of tools.
#[derive(Debug)]
pub(crate) struct SearchResult {
    pub items: Vec<SearchItem>,
    pub remaining: usize,
    pub next_offset: Option<usize>,
}

/// A tool that was found.
#[derive(Clone, Debug)]
pub(crate) struct SearchItem {
    /// The expression by which it is called.
    pub path: String,
    pub description: String,
    pub signature: String,
}

/// All tools, prepared for searching.
pub(crate) struct SearchIndex {
    /// In order of their paths.
    entries: Vec<Entry>,
}

struct Entry {
    path: String,
    lower_path: String,
    words: Vec<String>,
    lower_description: String,
    /// Path, description, names and descriptions of input properties, in lower case.
    text: String,
    item: SearchItem,
}

/// Reads the input of `search`.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn parse_query(input: &str) -> Result<Query, String> {
    let Ok(Json::Object(fields)) = serde_json::from_str::<Json>(input) else {
        return Err("input must be an object".into());
    };
    let mut query = Query { limit: DEFAULT_LIMIT, ..Query::default() };
    for (name, value) in &fields {
        match name.as_str() {
            "query" => query.query = value.as_str().ok_or("input.query must be a string")?.to_owned(),
            "namespace" => query.namespace = Some(value.as_str().ok_or("input.namespace must be a string")?.to_owned()),
            "limit" => {
                let limit = whole(value).filter(|&limit| limit > 0);
                query.limit = limit.ok_or("input.limit must be an integer greater than 0")?;
            }
            "offset" => query.offset = whole(value).ok_or("input.offset must be an integer of at least 0")?,
            _ => {}
        }
    }
    Ok(query)
}

fn whole(value: &Json) -> Option<usize> {
    let number = value.as_f64()?;
    (number >= 0.0 && number.fract() == 0.0 && number <= 9_007_199_254_740_991.0).then_some(number as usize)
}

impl SearchIndex {
    /// Prepares the tools of a runtime.
    pub fn build(runtime: &Runtime) -> SearchIndex {
        let mut entries: Vec<Entry> = runtime
            .tree
            .ids()
            .filter_map(|id| {
                let node = runtime.tree.node(id);
                let tool = node.tool?;
                Some(entry(node.path.clone(), &runtime.tools[tool].description, runtime.input_schema(tool)))
            })
            .collect();
        entries.sort_by(|left, right| left.path.cmp(&right.path));
        SearchIndex { entries }
    }

    /// The page that a query asks for.
    pub fn search(&self, query: &Query) -> SearchResult {
        let namespace = query.namespace.as_deref().map(|name| self.strip_tools(name)).unwrap_or_default();
        let in_scope: Vec<&Entry> = self.entries.iter().filter(|entry| is_within(&entry.path, namespace)).collect();
        let wanted = query.query.trim();
        let exact = |entry: &&&Entry| {
            wanted == entry.path || wanted == entry.item.path || wanted.strip_prefix("tools.") == Some(&entry.path)
        };
        let found: Vec<&Entry> = match in_scope.iter().find(exact) {
            Some(entry) => vec![entry],
            None => rank(&in_scope, &words(wanted)),
        };
        let items: Vec<SearchItem> =
            found.iter().skip(query.offset).take(query.limit).map(|entry| entry.item.clone()).collect();
        let end = query.offset.saturating_add(items.len());
        let remaining = found.len().saturating_sub(end);
        SearchResult { items, remaining, next_offset: (remaining > 0).then_some(end) }
    }

    /// A leading `tools.` is what programs write, unless a tool's path begins so.
    fn strip_tools<'a>(&self, namespace: &'a str) -> &'a str {
        if self.entries.iter().any(|entry| entry.path.starts_with("tools.")) {
            return namespace;
        }
        if namespace == "tools" { "" } else { namespace.strip_prefix("tools.").unwrap_or(namespace) }
    }
}

fn entry(path: String, description: &str, schema: Option<&Json>) -> Entry {
    let mut text = format!("{} {}", path.to_lowercase(), description.to_lowercase());
    if let Some(Json::Object(properties)) = schema.and_then(|schema| schema.get("properties")) {
        for (name, property) in properties {
            text.push(' ');
            text.push_str(&name.to_lowercase());
            if let Some(description) = property.get("description").and_then(Json::as_str) {
                text.push(' ');
                text.push_str(&description.to_lowercase());
            }
        }
    }
    let expression = tool_expression(&path);
    let item = SearchItem {
        signature: format!("{expression}(input): Promise<unknown>"),
        path: expression,
        description: description.to_owned(),
    };
    Entry {
        lower_path: path.to_lowercase(),
        words: words(&path),
        lower_description: description.to_lowercase(),
        text,
        item,
        path,
    }
}

/// The entries that match, best first; all of them when there is nothing to look for.
fn rank<'a>(entries: &[&'a Entry], terms: &[String]) -> Vec<&'a Entry> {
    if terms.is_empty() {
        return entries.to_vec();
    }
    let mut scored: Vec<(u32, &Entry)> = entries
        .iter()
        .map(|&entry| (terms.iter().map(|term| score(entry, term)).sum(), entry))
        .filter(|&(score, _)| score > 0)
        .collect();
    // Stable: equal scores keep the order of the paths.
    scored.sort_by_key(|&(score, _)| std::cmp::Reverse(score));
    scored.into_iter().map(|(_, entry)| entry).collect()
}

/// Weights of the reference, section 2; each counts once for a term, whichever variant of it fits.
fn score(entry: &Entry, term: &str) -> u32 {
    let variants = variants(term);
    let any = |test: &dyn Fn(&str) -> bool| variants.iter().any(|variant| test(variant));
    let mut score = 0;
    if any(&|term| entry.lower_path == term || entry.lower_path.ends_with(&format!(".{term}"))) {
        score += 20;
    }
    if any(&|term| entry.words.iter().any(|word| word == term)) {
        score += 12;
    }
    if any(&|term| entry.lower_path.contains(term)) {
        score += 8;
    }
    if any(&|term| entry.lower_description.contains(term)) {
        score += 4;
    }
    if any(&|term| entry.text.contains(term)) {
        score += 2;
    }
    score
}

/// A term and its singular forms.
fn variants(term: &str) -> Vec<&str> {
    let mut variants = vec![term];
    let length = term.chars().count();
    variants.extend(term.strip_suffix("es").filter(|_| length > 3));
    variants.extend(term.strip_suffix('s').filter(|_| length > 2));
    variants
}

/// Lower-case words of a name or a text, in any script; camel case is taken apart.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut before = ' ';
    for character in text.chars() {
        let starts_word = character.is_uppercase() && (before.is_lowercase() || before.is_numeric());
        if (starts_word || !character.is_alphanumeric()) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if character.is_alphanumeric() {
            word.extend(character.to_lowercase());
        }
        before = character;
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

fn is_within(path: &str, namespace: &str) -> bool {
    namespace.is_empty()
        || path.strip_prefix(namespace).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definitions::{Limits, Options, ToolDefinition};

    fn find(input: &str) -> Vec<String> {
        let tool = |path: &str, description: &str| ToolDefinition {
            path: path.into(),
            description: description.into(),
            ..ToolDefinition::default()
        };
        let tools = vec![
            tool("time.timezones", "All of them"),
            tool("geo.zones", "Areas"),
            tool("orders.lookup", "Look up an order"),
            tool("docs.find", "搜索记录"),
        ];
        let runtime = Runtime::create(tools, Vec::new(), Limits::default(), Options::default()).unwrap();
        let result = runtime.search_index().search(&parse_query(input).unwrap());
        result.items.into_iter().map(|item| item.path).collect()
    }

    #[test]
    fn whole_words_beat_parts() {
        assert_eq!(find("{\"query\":\"zones\"}"), ["tools.geo.zones", "tools.time.timezones"]);
    }

    #[test]
    fn plurals_scripts_and_namespaces() {
        assert_eq!(find("{\"query\":\"orders\"}"), ["tools.orders.lookup"]);
        assert_eq!(find("{\"query\":\"搜索\"}"), ["tools.docs.find"]);
        assert_eq!(find("{\"query\":\"*\",\"namespace\":\"tools.geo\"}"), ["tools.geo.zones"]);
        assert_eq!(find("{\"query\":\"tools.orders.lookup\"}"), ["tools.orders.lookup"]);
        assert_eq!(find("{\"limit\":1,\"offset\":3}"), ["tools.time.timezones"]);
    }

    #[test]
    fn wrong_input() {
        for wrong in ["1", "{\"limit\":0}", "{\"offset\":1.5}", "{\"query\":1}"] {
            assert!(parse_query(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn camel_case() {
        assert_eq!(words("getHTTPUrl2Go a-b"), ["get", "httpurl2", "go", "a", "b"]);
    }
}
