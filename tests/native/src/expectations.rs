//! Compares results with what tests and cases expect. The rules are those of `tests/language/run.mjs` and `tests/cases/run.mjs`.

use serde_json::{Map, Value as Json};

use crate::language::LanguageTest;

/// What is wrong with the result of a language test.
pub fn check_test(test: &LanguageTest, result: &Json) -> Option<String> {
    let is_ok = result["ok"] == Json::Bool(true);
    let message = result["error"]["message"].as_str().unwrap_or("").to_owned();
    let actual = format!("{}: {message}", result["error"]["kind"].as_str().unwrap_or(""));
    if let Some(error) = &test.error {
        if is_ok {
            return Some(format!("it gave {} instead of the error {error}", result["value"]));
        }
        let wanted = strip_location(error);
        if strip_location(&actual) != wanted && strip_location(&message) != wanted {
            return Some(format!("the error is {actual} instead of {error}"));
        }
    } else if !is_ok {
        let place = &result["error"]["location"];
        return Some(format!("{actual} ({}:{})", place["line"], place["column"]));
    }
    if let Some(value) = &test.value
        && !equal(&result["value"], value)
    {
        return Some(format!("it gave {} instead of {value}", result["value"]));
    }
    if let Some(output) = &test.output {
        let lines: Vec<&str> = result["logs"].as_array().into_iter().flatten().filter_map(Json::as_str).collect();
        let printed = lines.join("\n");
        if printed != *output {
            return Some(format!("it printed {printed:?} instead of {output:?}"));
        }
    }
    (test.value.is_none() && test.output.is_none() && test.error.is_none()).then(|| "it expects nothing".into())
}

/// The text without ` (line L, col C)` at its end.
pub fn strip_location(text: &str) -> &str {
    match text.rfind(" (line ") {
        Some(start) if text.ends_with(')') => &text[..start],
        _ => text,
    }
}

/// The first thing that does not hold of the result of a case.
pub fn check_case(expect: &Map<String, Json>, result: &Json) -> Option<String> {
    expect.iter().find_map(|(key, wanted)| {
        let includes = |what: &str, text: &str| {
            let part = wanted.as_str().unwrap_or("");
            (!text.contains(part)).then(|| format!("{what} lacks {part:?}: {text}"))
        };
        let equals = |what: &str, actual: &Json| {
            (!equal(actual, wanted)).then(|| format!("{what} is {actual} instead of {wanted} ({})", result["error"]["message"]))
        };
        let message = result["error"]["message"].as_str().unwrap_or("");
        match key.as_str() {
            "ok" | "value" => equals(key, &result[key]),
            "kind" => equals("kind", &result["error"]["kind"]),
            "line" => equals("line", &result["error"]["location"]["line"]),
            "messageIncludes" => includes("message", message),
            "warningsInclude" => includes("warnings", &joined(&result["warnings"], "message")),
            "outputIncludes" => includes("output", &joined(&result["output"], "text")),
            "outputExcludes" => {
                let text = joined(&result["output"], "text");
                text.contains(wanted.as_str().unwrap_or("")).then(|| format!("output has {wanted}"))
            }
            "callStatuses" => {
                let calls = result["toolCalls"].as_array().cloned().unwrap_or_default();
                let statuses: Json = calls.into_iter().map(|call| call["status"].clone()).collect();
                equals("call statuses", &statuses)
            }
            "storeSet" => equals("store writes", &result["storeWrites"]["set"]),
            "anyOf" => {
                let alternatives = wanted.as_array().into_iter().flatten().filter_map(Json::as_object);
                let problems: Vec<Option<String>> = alternatives.map(|expect| check_case(expect, result)).collect();
                if problems.contains(&None) {
                    return None;
                }
                Some(format!("no alternative holds: {}", problems.into_iter().flatten().collect::<Vec<_>>().join("; ")))
            }
            _ => Some(format!("the case expects {key:?}, which the runner does not know")),
        }
    })
}

fn joined(items: &Json, member: &str) -> String {
    let items = items.as_array().into_iter().flatten();
    items.map(|item| item[member].as_str().unwrap_or("")).collect::<Vec<_>>().join("\n")
}

/// Equality of JSON with numbers compared by value.
fn equal(left: &Json, right: &Json) -> bool {
    match (left, right) {
        (Json::Number(left), Json::Number(right)) => left.as_f64() == right.as_f64(),
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
