//! JSON Schema validation of tool inputs and results.
//!
//! Written for this place: the validator crates bring a second regular expression engine and Unicode tables for formats, which more
//! than doubled the component (figures in ARCHITECTURE.md), while patterns are ECMAScript regular expressions, which the engine has.
//! Drafts 7 to 2020-12 as far as tools use them; `format` is an annotation. A schema is never an error: what is malformed or cannot
//! be resolved in it accepts everything.

use std::collections::BTreeSet;

use regress::Regex;
use serde_json::{Map, Value as Json};

/// Problems that are told about one value.
const MAX_PROBLEMS: usize = 3;

/// Schemas within schemas that are followed; deeper ones, and references that run in circles, accept everything.
const MAX_DEPTH: usize = 64;

/// Checks a value against a schema.
///
/// # Errors
/// What is wrong with the value, in words; `label` names the value.
pub(crate) fn validate(schema: &Json, value: &Json, label: &str) -> Result<(), String> {
    let mut validator = Validator { root: schema, path: Vec::new(), problems: Vec::new(), label, depth: 0 };
    validator.check(schema, value);
    if validator.problems.is_empty() {
        return Ok(());
    }
    Err(validator.problems.join("; "))
}

/// What a subschema that looks at parts of an object or array has left over, for `unevaluated...`.
#[derive(Default)]
struct Evaluated {
    keys: BTreeSet<String>,
    items: usize,
    all_items: bool,
    all_keys: bool,
}

impl Evaluated {
    fn add(&mut self, other: Evaluated) {
        self.keys.extend(other.keys);
        self.items = self.items.max(other.items);
        self.all_items |= other.all_items;
        self.all_keys |= other.all_keys;
    }
}

enum Step {
    Key(String),
    Index(usize),
}

struct Validator<'a> {
    root: &'a Json,
    path: Vec<Step>,
    problems: Vec<String>,
    label: &'a str,
    depth: usize,
}

impl<'a> Validator<'a> {
    fn check(&mut self, schema: &'a Json, value: &Json) -> Evaluated {
        let schema = match schema {
            Json::Bool(false) => {
                self.report("is not allowed");
                return Evaluated::default();
            }
            Json::Object(schema) => schema,
            _ => return Evaluated { all_items: true, all_keys: true, ..Evaluated::default() },
        };
        if self.depth >= MAX_DEPTH {
            return Evaluated { all_items: true, all_keys: true, ..Evaluated::default() };
        }
        self.depth += 1;
        let evaluated = self.check_object_schema(schema, value);
        self.depth -= 1;
        evaluated
    }

    fn check_object_schema(&mut self, schema: &'a Map<String, Json>, value: &Json) -> Evaluated {
        let mut evaluated = Evaluated::default();
        for keyword in ["$ref", "$dynamicRef"] {
            let Some(reference) = schema.get(keyword).and_then(Json::as_str) else { continue };
            match self.resolve(reference) {
                Some(target) => evaluated.add(self.check(target, value)),
                None => {
                    evaluated.all_items = true;
                    evaluated.all_keys = true;
                }
            }
        }
        self.check_type(schema, value);
        if let Some(Json::Array(allowed)) = schema.get("enum")
            && !allowed.iter().any(|candidate| equal(candidate, value))
        {
            let listed: Vec<String> = allowed.iter().take(12).map(Json::to_string).collect();
            let more = if allowed.len() > 12 { ", ..." } else { "" };
            self.report(&format!("must be one of {}{more}, got {}", listed.join(", "), shown(value)));
        }
        if let Some(constant) = schema.get("const")
            && !equal(constant, value)
        {
            self.report(&format!("must be {constant}, got {}", shown(value)));
        }
        match value {
            Json::Number(number) => self.check_number(schema, number.as_f64().unwrap_or(f64::NAN)),
            Json::String(text) => self.check_string(schema, text),
            Json::Array(items) => self.check_array(schema, items, &mut evaluated),
            Json::Object(members) => self.check_members(schema, members, &mut evaluated),
            _ => {}
        }
        self.check_combinations(schema, value, &mut evaluated);
        self.check_unevaluated(schema, value, &mut evaluated);
        evaluated
    }

    fn check_type(&mut self, schema: &Map<String, Json>, value: &Json) {
        let names: Vec<&str> = match schema.get("type") {
            Some(Json::String(name)) => vec![name],
            Some(Json::Array(names)) => names.iter().filter_map(Json::as_str).collect(),
            _ => return,
        };
        let is_nullable = schema.get("nullable") == Some(&Json::Bool(true)) && value.is_null();
        if names.is_empty() || is_nullable || names.iter().any(|name| has_type(value, name)) {
            return;
        }
        let wanted: Vec<String> = names.iter().map(|name| with_article(name)).collect();
        self.report(&format!("must be {}, got {}", wanted.join(" or "), shown(value)));
    }

    fn check_number(&mut self, schema: &Map<String, Json>, number: f64) {
        let limit = |keyword: &str| schema.get(keyword).and_then(Json::as_f64);
        // Draft 4 has flags.
        let is_exclusive = |keyword: &str| schema.get(keyword) == Some(&Json::Bool(true));
        if let Some(minimum) = limit("minimum")
            && (number < minimum || number == minimum && is_exclusive("exclusiveMinimum"))
        {
            self.report(&format!("must be at least {minimum}, got {number}"));
        }
        if let Some(maximum) = limit("maximum")
            && (number > maximum || number == maximum && is_exclusive("exclusiveMaximum"))
        {
            self.report(&format!("must be at most {maximum}, got {number}"));
        }
        if let Some(minimum) = limit("exclusiveMinimum")
            && number <= minimum
        {
            self.report(&format!("must be greater than {minimum}, got {number}"));
        }
        if let Some(maximum) = limit("exclusiveMaximum")
            && number >= maximum
        {
            self.report(&format!("must be less than {maximum}, got {number}"));
        }
        if let Some(factor) = limit("multipleOf").filter(|&factor| factor > 0.0) {
            let quotient = number / factor;
            if (quotient - quotient.round()).abs() > 1e-9 * quotient.abs().max(1.0) {
                self.report(&format!("must be a multiple of {factor}, got {number}"));
            }
        }
    }

    fn check_string(&mut self, schema: &Map<String, Json>, text: &str) {
        let limit = |keyword: &str| schema.get(keyword).and_then(Json::as_f64);
        if limit("minLength").is_some() || limit("maxLength").is_some() {
            let length = text.chars().count() as f64;
            if let Some(minimum) = limit("minLength").filter(|&minimum| length < minimum) {
                self.report(&format!("must have at least {minimum} characters, got {length}"));
            }
            if let Some(maximum) = limit("maxLength").filter(|&maximum| length > maximum) {
                self.report(&format!("must have at most {maximum} characters, got {length}"));
            }
        }
        if let Some(pattern) = schema.get("pattern").and_then(Json::as_str)
            && !matches(pattern, text)
        {
            self.report(&format!("must match the pattern {pattern}, got {}", shown(&Json::String(text.to_owned()))));
        }
    }

    fn check_array(&mut self, schema: &'a Map<String, Json>, items: &[Json], evaluated: &mut Evaluated) {
        let limit = |keyword: &str| schema.get(keyword).and_then(Json::as_u64);
        if let Some(minimum) = limit("minItems").filter(|&minimum| (items.len() as u64) < minimum) {
            self.report(&format!("must have at least {minimum} items, got {}", items.len()));
        }
        if let Some(maximum) = limit("maxItems").filter(|&maximum| items.len() as u64 > maximum) {
            self.report(&format!("must have at most {maximum} items, got {}", items.len()));
        }
        if schema.get("uniqueItems") == Some(&Json::Bool(true)) {
            let mut seen = BTreeSet::new();
            if let Some(index) = items.iter().position(|item| !seen.insert(canonical(item))) {
                self.report(&format!("must have unique items, but item {index} is there twice"));
            }
        }
        let (prefix, rest) = match (schema.get("prefixItems"), schema.get("items")) {
            (Some(Json::Array(prefix)), rest) => (prefix.as_slice(), rest),
            (_, Some(Json::Array(prefix))) => (prefix.as_slice(), schema.get("additionalItems")),
            (_, rest) => (&[][..], rest),
        };
        for (index, (item, schema)) in items.iter().zip(prefix).enumerate() {
            self.within(Step::Index(index), |v| v.check(schema, item));
        }
        evaluated.items = evaluated.items.max(prefix.len());
        if let Some(rest) = rest {
            evaluated.all_items = true;
            for (index, item) in items.iter().enumerate().skip(prefix.len()) {
                if self.is_full() {
                    break;
                }
                self.within(Step::Index(index), |v| v.check(rest, item));
            }
        }
        if let Some(wanted) = schema.get("contains") {
            let count = items.iter().filter(|item| self.accepts(wanted, item)).count() as u64;
            let minimum = limit("minContains").unwrap_or(1);
            if count < minimum {
                self.report(&format!("must contain at least {minimum} matching items, got {count}"));
            }
            if let Some(maximum) = limit("maxContains").filter(|&maximum| count > maximum) {
                self.report(&format!("must contain at most {maximum} matching items, got {count}"));
            }
        }
    }

    fn check_members(&mut self, schema: &'a Map<String, Json>, members: &Map<String, Json>, evaluated: &mut Evaluated) {
        let limit = |keyword: &str| schema.get(keyword).and_then(Json::as_u64);
        if let Some(Json::Array(required)) = schema.get("required") {
            for name in required.iter().filter_map(Json::as_str).filter(|name| !members.contains_key(*name)) {
                self.within(Step::Key(name.to_owned()), |v| v.report("is required"));
            }
        }
        if let Some(minimum) = limit("minProperties").filter(|&minimum| (members.len() as u64) < minimum) {
            self.report(&format!("must have at least {minimum} properties, got {}", members.len()));
        }
        if let Some(maximum) = limit("maxProperties").filter(|&maximum| members.len() as u64 > maximum) {
            self.report(&format!("must have at most {maximum} properties, got {}", members.len()));
        }
        let properties = schema.get("properties").and_then(Json::as_object);
        let patterns = schema.get("patternProperties").and_then(Json::as_object);
        for (name, value) in members {
            if self.is_full() {
                break;
            }
            let mut is_known = false;
            if let Some(schema) = properties.and_then(|properties| properties.get(name)) {
                is_known = true;
                self.within(Step::Key(name.clone()), |v| v.check(schema, value));
            }
            for (_, schema) in patterns.into_iter().flatten().filter(|(pattern, _)| matches(pattern, name)) {
                is_known = true;
                self.within(Step::Key(name.clone()), |v| v.check(schema, value));
            }
            if is_known {
                evaluated.keys.insert(name.clone());
                continue;
            }
            match schema.get("additionalProperties") {
                Some(Json::Bool(false)) => {
                    let known: Vec<&str> = properties.into_iter().flat_map(Map::keys).map(String::as_str).take(20).collect();
                    let hint = if known.is_empty() { String::new() } else { format!(" (known: {})", known.join(", ")) };
                    self.within(Step::Key(name.clone()), |v| v.report(&format!("is not a known property{hint}")));
                }
                Some(schema) => {
                    evaluated.keys.insert(name.clone());
                    self.within(Step::Key(name.clone()), |v| v.check(schema, value));
                }
                None => {}
            }
        }
        if let Some(schema) = schema.get("propertyNames") {
            for name in members.keys() {
                self.within(Step::Key(name.clone()), |v| v.check(schema, &Json::String(name.clone())));
            }
        }
        self.check_dependencies(schema, members, evaluated);
    }

    fn check_dependencies(&mut self, schema: &'a Map<String, Json>, members: &Map<String, Json>, evaluated: &mut Evaluated) {
        for keyword in ["dependentRequired", "dependentSchemas", "dependencies"] {
            let Some(Json::Object(dependencies)) = schema.get(keyword) else { continue };
            for (_, dependency) in dependencies.iter().filter(|(name, _)| members.contains_key(*name)) {
                if let Json::Array(names) = dependency {
                    for name in names.iter().filter_map(Json::as_str).filter(|name| !members.contains_key(*name)) {
                        self.within(Step::Key(name.to_owned()), |v| v.report("is required"));
                    }
                } else {
                    evaluated.add(self.check(dependency, &Json::Object(members.clone())));
                }
            }
        }
    }

    fn check_combinations(&mut self, schema: &'a Map<String, Json>, value: &Json, evaluated: &mut Evaluated) {
        if let Some(Json::Array(all)) = schema.get("allOf") {
            for schema in all {
                evaluated.add(self.check(schema, value));
            }
        }
        if let Some(Json::Array(any)) = schema.get("anyOf") {
            self.check_alternatives(any, value, evaluated, false);
        }
        if let Some(Json::Array(one)) = schema.get("oneOf") {
            self.check_alternatives(one, value, evaluated, true);
        }
        if let Some(not) = schema.get("not")
            && self.accepts(not, value)
        {
            self.report(&format!("is of a kind that is not allowed: {}", shown(value)));
        }
        if let Some(condition) = schema.get("if") {
            let branch = if let Some(found) = self.try_check(condition, value) {
                evaluated.add(found);
                schema.get("then")
            } else {
                schema.get("else")
            };
            if let Some(branch) = branch {
                evaluated.add(self.check(branch, value));
            }
        }
    }

    fn check_alternatives(&mut self, schemas: &'a [Json], value: &Json, evaluated: &mut Evaluated, exactly_one: bool) {
        if schemas.is_empty() {
            return;
        }
        let mut accepted = 0;
        for schema in schemas {
            if let Some(found) = self.try_check(schema, value) {
                accepted += 1;
                evaluated.add(found);
            }
        }
        if accepted == 0 {
            // The problems of the alternative that came closest say most.
            let mut best: Option<Vec<String>> = None;
            for schema in schemas {
                let saved = std::mem::take(&mut self.problems);
                self.check(schema, value);
                let problems = std::mem::replace(&mut self.problems, saved);
                let depth = |problems: &[String]| problems.iter().map(|problem| problem.matches(['.', '[']).count()).max();
                if best.as_ref().is_none_or(|best| depth(&problems) > depth(best)) {
                    best = Some(problems);
                }
            }
            match (schemas.len(), best) {
                (1, Some(best)) => self.problems.extend(best),
                (_, Some(best)) => {
                    let closest = best.first().cloned().unwrap_or_default();
                    self.report(&format!("fits none of the {} allowed forms (closest: {closest})", schemas.len()));
                }
                (_, None) => {}
            }
        } else if exactly_one && accepted > 1 {
            self.report(&format!("must fit exactly one of the {} allowed forms, but fits {accepted}", schemas.len()));
        }
    }

    fn check_unevaluated(&mut self, schema: &'a Map<String, Json>, value: &Json, evaluated: &mut Evaluated) {
        match value {
            Json::Object(members) if !evaluated.all_keys => {
                let Some(schema) = schema.get("unevaluatedProperties") else { return };
                for (name, value) in members.iter().filter(|(name, _)| !evaluated.keys.contains(*name)) {
                    self.within(Step::Key(name.clone()), |v| v.check(schema, value));
                }
                evaluated.all_keys = true;
            }
            Json::Array(items) if !evaluated.all_items => {
                let Some(schema) = schema.get("unevaluatedItems") else { return };
                for (index, item) in items.iter().enumerate().skip(evaluated.items) {
                    self.within(Step::Index(index), |v| v.check(schema, item));
                }
                evaluated.all_items = true;
            }
            _ => {}
        }
    }

    fn accepts(&mut self, schema: &'a Json, value: &Json) -> bool {
        self.try_check(schema, value).is_some()
    }

    /// Checks without keeping the problems; none when there are some.
    fn try_check(&mut self, schema: &'a Json, value: &Json) -> Option<Evaluated> {
        let saved = std::mem::take(&mut self.problems);
        let evaluated = self.check(schema, value);
        let problems = std::mem::replace(&mut self.problems, saved);
        problems.is_empty().then_some(evaluated)
    }

    fn within<T>(&mut self, step: Step, body: impl FnOnce(&mut Self) -> T) -> T {
        self.path.push(step);
        let result = body(self);
        self.path.pop();
        result
    }

    /// The schema that a reference within the document means.
    fn resolve(&self, reference: &str) -> Option<&'a Json> {
        let fragment = reference.strip_prefix('#')?;
        let fragment = decode_percent(fragment)?;
        if fragment.is_empty() {
            return Some(self.root);
        }
        if fragment.starts_with('/') {
            return self.root.pointer(&fragment);
        }
        find_anchor(self.root, &fragment, 0)
    }

    fn is_full(&self) -> bool {
        self.problems.len() >= MAX_PROBLEMS
    }

    fn report(&mut self, problem: &str) {
        if self.is_full() {
            return;
        }
        let mut place = self.label.to_owned();
        for step in &self.path {
            match step {
                Step::Index(index) => place.push_str(&format!("[{index}]")),
                Step::Key(key) if crate::tool_tree::to_identifier(key) == *key => place.push_str(&format!(".{key}")),
                Step::Key(key) => place.push_str(&format!("[{}]", crate::json::quoted(key))),
            }
        }
        self.problems.push(format!("{place} {problem}"));
    }
}

fn find_anchor<'a>(schema: &'a Json, name: &str, depth: usize) -> Option<&'a Json> {
    if depth > MAX_DEPTH {
        return None;
    }
    match schema {
        Json::Object(members) => {
            let has = |keyword: &str| members.get(keyword).and_then(Json::as_str) == Some(name);
            if has("$anchor") || has("$dynamicAnchor") {
                return Some(schema);
            }
            members.values().find_map(|member| find_anchor(member, name, depth + 1))
        }
        Json::Array(items) => items.iter().find_map(|item| find_anchor(item, name, depth + 1)),
        _ => None,
    }
}

fn decode_percent(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = std::str::from_utf8(rest.get(..2)?).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = &rest[2..];
    }
    String::from_utf8(bytes).ok()
}

fn has_type(value: &Json, name: &str) -> bool {
    match (name, value) {
        ("null", Json::Null)
        | ("boolean", Json::Bool(_))
        | ("number", Json::Number(_))
        | ("string", Json::String(_))
        | ("array", Json::Array(_))
        | ("object", Json::Object(_)) => true,
        ("integer", Json::Number(number)) => number.as_f64().is_some_and(|number| number.fract() == 0.0),
        ("null" | "boolean" | "number" | "integer" | "string" | "array" | "object", _) => false,
        // A type that nobody knows.
        _ => true,
    }
}

fn with_article(name: &str) -> String {
    match name {
        "null" => "null".into(),
        "array" | "integer" | "object" => format!("an {name}"),
        _ => format!("a {name}"),
    }
}

/// Whether the ECMAScript regular expression matches somewhere; one that does not compile matches everything.
fn matches(pattern: &str, text: &str) -> bool {
    let compiled = Regex::with_flags(pattern, "u").or_else(|_| Regex::new(pattern));
    compiled.map_or(true, |regex| regex.find(text).is_some())
}

/// Equality of JSON values: numbers by value, members in any order.
fn equal(left: &Json, right: &Json) -> bool {
    match (left, right) {
        (Json::Number(left), Json::Number(right)) => left == right || left.as_f64() == right.as_f64(),
        (Json::Array(left), Json::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| equal(left, right))
        }
        (Json::Object(left), Json::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(key, left)| right.get(key).is_some_and(|right| equal(left, right)))
        }
        _ => left == right,
    }
}

/// A text that equal values share.
fn canonical(value: &Json) -> String {
    match value {
        Json::Number(number) => number.as_f64().unwrap_or(f64::NAN).to_string(),
        Json::Array(items) => format!("[{}]", items.iter().map(canonical).collect::<Vec<_>>().join(",")),
        Json::Object(members) => {
            let mut members: Vec<String> =
                members.iter().map(|(key, value)| format!("{}:{}", crate::json::quoted(key), canonical(value))).collect();
            members.sort();
            format!("{{{}}}", members.join(","))
        }
        other => other.to_string(),
    }
}

/// The value as messages show it.
fn shown(value: &Json) -> String {
    const WIDTH: usize = 60;
    match value {
        Json::Array(_) => "an array".into(),
        Json::Object(_) => "an object".into(),
        other => {
            let text = other.to_string();
            if text.chars().count() <= WIDTH { text } else { format!("{}...", text.chars().take(WIDTH).collect::<String>()) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn problem(schema: Json, value: Json) -> String {
        validate(&schema, &value, "input").err().unwrap_or_default()
    }

    #[test]
    fn types_and_required() {
        let schema = json!({ "type": "object", "properties": { "id": { "type": "string" } }, "required": ["id"] });
        assert_eq!(problem(schema.clone(), json!({ "id": "a" })), "");
        assert_eq!(problem(schema.clone(), json!({ "id": 42 })), "input.id must be a string, got 42");
        assert_eq!(problem(schema.clone(), json!({})), "input.id is required");
        assert_eq!(problem(schema, json!([])), "input must be an object, got an array");
        assert_eq!(problem(json!({ "type": ["string", "null"] }), json!(null)), "");
        assert_eq!(problem(json!({ "type": "integer" }), json!(2.0)), "");
        assert_eq!(problem(json!({ "type": "integer" }), json!(2.5)), "input must be an integer, got 2.5");
    }

    #[test]
    fn numbers_and_strings() {
        assert_eq!(problem(json!({ "minimum": 1, "maximum": 3 }), json!(0)), "input must be at least 1, got 0");
        assert_eq!(problem(json!({ "exclusiveMaximum": 3 }), json!(3)), "input must be less than 3, got 3");
        assert_eq!(problem(json!({ "multipleOf": 0.1 }), json!(0.3)), "");
        assert_eq!(problem(json!({ "minLength": 2 }), json!("😀")), "input must have at least 2 characters, got 1");
        assert_eq!(problem(json!({ "pattern": "^a\\d+$" }), json!("a1")), "");
        assert!(problem(json!({ "pattern": "^a\\d+$" }), json!("b")).contains("must match"));
        assert_eq!(problem(json!({ "pattern": "(" }), json!("b")), "");
    }

    #[test]
    fn arrays() {
        let schema = json!({ "type": "array", "items": { "type": "number" }, "minItems": 1, "uniqueItems": true });
        assert_eq!(problem(schema.clone(), json!([1, 2])), "");
        assert_eq!(problem(schema.clone(), json!([1, "x"])), "input[1] must be a number, got \"x\"");
        assert!(problem(schema, json!([1, 1.0])).contains("unique"));
        let tuple = json!({ "prefixItems": [{ "type": "string" }], "items": false });
        assert_eq!(problem(tuple, json!(["a", 1])), "input[1] is not allowed");
        assert!(problem(json!({ "contains": { "const": 1 } }), json!([2])).contains("contain"));
    }

    #[test]
    fn objects() {
        let closed = json!({ "properties": { "a": true }, "additionalProperties": false });
        assert_eq!(problem(closed, json!({ "b": 1 })), "input.b is not a known property (known: a)");
        let patterns = json!({ "patternProperties": { "^x-": { "type": "string" } }, "additionalProperties": { "type": "number" } });
        assert_eq!(problem(patterns.clone(), json!({ "x-a": "b", "n": 1 })), "");
        assert!(problem(patterns, json!({ "x-a": 1 })).contains("[\"x-a\"] must be a string"));
        assert!(problem(json!({ "dependentRequired": { "a": ["b"] } }), json!({ "a": 1 })).contains("input.b is required"));
        let unevaluated = json!({ "allOf": [{ "properties": { "a": true } }], "unevaluatedProperties": false });
        assert_eq!(problem(unevaluated.clone(), json!({ "a": 1 })), "");
        assert!(problem(unevaluated, json!({ "c": 1 })).contains("input.c"));
    }

    #[test]
    fn combinations() {
        let any = json!({ "anyOf": [{ "type": "string" }, { "type": "object", "properties": { "a": { "type": "number" } } }] });
        assert_eq!(problem(any.clone(), json!("x")), "");
        assert!(problem(any, json!({ "a": "x" })).contains("input.a must be a number"));
        assert!(problem(json!({ "oneOf": [{ "minimum": 1 }, { "minimum": 2 }] }), json!(3)).contains("exactly one"));
        assert!(problem(json!({ "not": { "type": "null" } }), json!(null)).contains("not allowed"));
        let conditional = json!({ "if": { "properties": { "k": { "const": 1 } } }, "then": { "required": ["x"] } });
        assert_eq!(problem(conditional.clone(), json!({ "k": 2 })), "");
        assert!(problem(conditional, json!({ "k": 1 })).contains("input.x"));
    }

    #[test]
    fn references() {
        let list = json!({
            "$ref": "#/$defs/node",
            "$defs": { "node": { "type": "object", "properties": { "next": { "$ref": "#/$defs/node" }, "v": { "type": "number" } } } }
        });
        assert_eq!(problem(list.clone(), json!({ "next": { "v": 1 } })), "");
        assert!(problem(list, json!({ "next": { "v": "x" } })).contains("input.next.v"));
        for bad in ["#/$defs/%E0", "#/nowhere", "http://x.y/z", "#/$defs/%"] {
            assert_eq!(problem(json!({ "$ref": bad }), json!(1)), "", "{bad}");
        }
        assert_eq!(problem(json!({ "$ref": "#" }), json!(1)), "");
    }
}
