//! A tool table with limits and options, from which executions start.

use std::cell::OnceCell;
use std::rc::Rc;

use serde_json::Value as Json;

use crate::definitions::{ExtensionDefinition, Host, Limits, Options, ToolDefinition};
use crate::execution::Execution;
use crate::search::SearchIndex;
use crate::store;
use crate::tool_tree::{ToolTree, to_identifier};
use crate::validate::validate;

/// Names that extensions may not take: the program API itself.
const RESERVED_NAMES: &[&str] = &[
    "ALL_TOOLS", "clearInterval", "clearTimeout", "console", "exit", "globalThis", "image", "load", "search", "setInterval",
    "setTimeout", "store", "text", "tools", "undefined", "NaN", "Infinity",
];

/// A tool table with limits and options. Any number of executions can start from it.
pub struct Runtime {
    pub(crate) tools: Vec<ToolDefinition>,
    pub(crate) extensions: Vec<ExtensionDefinition>,
    pub(crate) limits: Limits,
    pub(crate) options: Options,
    pub(crate) tree: ToolTree,
    /// What `load` sees, as JSON text by key.
    pub(crate) store: store::Snapshot,
    pub(crate) time_zone_offset_minutes: f64,
    schemas: Vec<ToolSchemas>,
    search: OnceCell<SearchIndex>,
}

/// The schemas of a tool, parsed when they are first needed. What is not JSON is no schema.
#[derive(Default)]
struct ToolSchemas {
    input: OnceCell<Option<Json>>,
    output: OnceCell<Option<Json>>,
}

impl Runtime {
    /// Checks tools, extensions, limits and options.
    ///
    /// # Errors
    /// One sentence that names what is wrong.
    pub fn create(
        tools: Vec<ToolDefinition>,
        extensions: Vec<ExtensionDefinition>,
        limits: Limits,
        options: Options,
    ) -> Result<Rc<Runtime>, String> {
        let tree = ToolTree::build(&tools)?;
        check_extensions(&extensions)?;
        check_limits(&limits)?;
        if options.now_ms.is_some_and(|now| !now.is_finite()) {
            return Err("The option nowMs must be a finite number.".into());
        }
        let time_zone_offset_minutes = time_zone_offset(options.time_zone.as_deref())?;
        let store = store::parse_snapshot(options.store.as_deref())?;
        let schemas = tools.iter().map(|_| ToolSchemas::default()).collect();
        Ok(Rc::new(Runtime {
            tools,
            extensions,
            limits,
            options,
            tree,
            store,
            time_zone_offset_minutes,
            schemas,
            search: OnceCell::new(),
        }))
    }

    /// Prepares a program. What is wrong with it is the result of the first [`Execution::run`].
    pub fn start(self: &Rc<Self>, source: &str, host: Box<dyn Host>) -> Execution {
        Execution::new(self.clone(), source, host)
    }

    /// The input schema of a tool.
    pub(crate) fn input_schema(&self, tool: usize) -> Option<&Json> {
        let text = self.tools[tool].input_schema.as_deref();
        self.schemas[tool].input.get_or_init(|| text.and_then(|text| serde_json::from_str(text).ok())).as_ref()
    }

    /// The output schema of a tool.
    pub(crate) fn output_schema(&self, tool: usize) -> Option<&Json> {
        let text = self.tools[tool].output_schema.as_deref();
        self.schemas[tool].output.get_or_init(|| text.and_then(|text| serde_json::from_str(text).ok())).as_ref()
    }

    /// Validates the input of a tool.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn check_input(&self, tool: usize, input: &str) -> Result<(), String> {
        let Some(schema) = self.input_schema(tool) else { return Ok(()) };
        let value: Json = serde_json::from_str(input).map_err(|error| error.to_string())?;
        validate(schema, &value, "input")
    }

    /// Validates the result of a tool; no text is undefined.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn check_output(&self, tool: usize, output: Option<&str>) -> Result<(), String> {
        let Some(schema) = self.output_schema(tool) else { return Ok(()) };
        let value: Json = match output {
            Some(text) => serde_json::from_str(text).map_err(|error| error.to_string())?,
            None => Json::Null,
        };
        validate(schema, &value, "output")
    }

    /// The property that a bare string argument fills: the only required one, when it is a string.
    pub(crate) fn string_argument(&self, tool: usize) -> Option<String> {
        let schema = self.input_schema(tool)?;
        let [Json::String(name)] = schema.get("required")?.as_array()?.as_slice() else { return None };
        let property = schema.get("properties")?.get(name)?;
        (property.get("type") == Some(&Json::String("string".into()))).then(|| name.clone())
    }

    /// The index for `search`.
    pub(crate) fn search_index(&self) -> &SearchIndex {
        self.search.get_or_init(|| SearchIndex::build(self))
    }
}

fn check_extensions(extensions: &[ExtensionDefinition]) -> Result<(), String> {
    let mut taken: Vec<&str> = Vec::new();
    for ExtensionDefinition { name, .. } in extensions {
        let segments: Vec<&str> = name.split('.').collect();
        let are_identifiers = segments.iter().all(|segment| to_identifier(segment) == **segment);
        if !are_identifiers || segments.len() > 2 {
            return Err(format!("The extension name {name:?} must be an identifier or namespace.member."));
        }
        if RESERVED_NAMES.contains(&segments[0]) || taken.contains(&name.as_str()) {
            return Err(format!("The extension name {name:?} is already defined."));
        }
        let clashes = taken.iter().any(|other| {
            let first = other.split('.').next().unwrap_or(other);
            first == segments[0] && other.contains('.') != (segments.len() == 2)
        });
        if clashes {
            return Err(format!("The extension name {name:?} is both a function and a namespace."));
        }
        taken.push(name);
    }
    Ok(())
}

fn check_limits(limits: &Limits) -> Result<(), String> {
    const MAX_SAFE_INTEGER: u64 = (1 << 53) - 1;
    let Limits { timeout_ms, max_tool_calls, max_output_bytes, max_memory_bytes, max_steps, stall_ms } = *limits;
    let checks = [
        ("timeoutMs", timeout_ms, 1),
        ("maxToolCalls", max_tool_calls, 0),
        ("maxOutputBytes", max_output_bytes, 0),
        ("maxMemoryBytes", max_memory_bytes, 0),
        ("maxSteps", max_steps, 0),
        ("stallMs", stall_ms, 1),
    ];
    for (name, value, least) in checks {
        if value.is_some_and(|value| !(least..=MAX_SAFE_INTEGER).contains(&value)) {
            return Err(format!("The limit {name} must be a safe integer of at least {least}."));
        }
    }
    Ok(())
}

/// Minutes east of UTC. Zones with changing offsets belong to the locale data, which this build does not have.
fn time_zone_offset(zone: Option<&str>) -> Result<f64, String> {
    let Some(zone) = zone else { return Ok(0.0) };
    if matches!(zone, "UTC" | "Etc/UTC" | "GMT" | "Etc/GMT" | "Z") {
        return Ok(0.0);
    }
    let parse = || {
        let (sign, rest) = match zone.split_at_checked(1)? {
            ("+", rest) => (1.0, rest),
            ("-", rest) => (-1.0, rest),
            _ => return None,
        };
        let (hours, minutes) = rest.split_once(':').unwrap_or((rest, "0"));
        let hours = hours.parse::<u8>().ok().filter(|&hours| hours < 24)?;
        let minutes = minutes.parse::<u8>().ok().filter(|&minutes| minutes < 60)?;
        Some(sign * (f64::from(hours) * 60.0 + f64::from(minutes)))
    };
    parse().ok_or_else(|| format!("The time zone {zone:?} is not known; use UTC or a fixed offset such as +02:00."))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extension(names: &[&str]) -> Result<(), String> {
        let definitions: Vec<ExtensionDefinition> =
            names.iter().map(|name| ExtensionDefinition { name: (*name).into(), description: String::new() }).collect();
        check_extensions(&definitions)
    }

    #[test]
    fn extension_names() {
        assert!(extension(&["fetch", "db.query", "db.close"]).is_ok());
        for wrong in [&["a.b.c"][..], &["1x"], &["tools"], &["console.log"], &["a", "a"], &["a", "a.b"], &[""]] {
            assert!(extension(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn time_zones() {
        assert_eq!(time_zone_offset(None), Ok(0.0));
        assert_eq!(time_zone_offset(Some("UTC")), Ok(0.0));
        assert_eq!(time_zone_offset(Some("-03:30")), Ok(-210.0));
        assert!(time_zone_offset(Some("Mars/Olympus")).is_err());
    }

    #[test]
    fn limits() {
        assert!(check_limits(&Limits { timeout_ms: Some(0), ..Limits::default() }).is_err());
        assert!(check_limits(&Limits { max_tool_calls: Some(0), ..Limits::default() }).is_ok());
    }

    #[test]
    fn bare_strings() {
        let schema = r#"{"type":"object","properties":{"command":{"type":"string"},"n":{"type":"number"}},"required":["command"]}"#;
        let tool = ToolDefinition { path: "sh".into(), input_schema: Some(schema.into()), ..ToolDefinition::default() };
        let runtime = Runtime::create(vec![tool], Vec::new(), Limits::default(), Options::default()).unwrap();
        assert_eq!(runtime.string_argument(0).as_deref(), Some("command"));
    }
}
