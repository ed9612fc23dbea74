//! What is told about a failure: kind, message, place, excerpt, stack and suggestions.

use codemode_compiler::{CompileError, CompileErrorKind, locate};
use codemode_runtime::names::keys;
use codemode_runtime::object::ObjectKind;
use codemode_runtime::vm::{Completion, StackFrame, Vm};
use codemode_runtime::{Gc, Object, Value};

use crate::console;
use crate::context::Context;
use crate::failure::Kind;
use crate::json::{ObjectWriter, push_array, push_string};
use crate::source::{SourceError, explain_shell};
use crate::tool_objects::UnknownRead;
use crate::tool_tree::{ToolTree, tool_expression};

/// Instructions between a read of an unknown tool and the failure that it leads to.
const UNKNOWN_READ_DISTANCE: u32 = 64;

/// Most tools that a message lists.
const MAX_LISTED_TOOLS: usize = 20;

const SEARCH_ADVICE: &str = "Use search({ query }) to find tools by what they do.";

/// Names that programs for other hosts use, and what to do here.
const FOREIGN_GLOBALS: &[(&[&str], &str)] = &[
    (
        &["fetch", "XMLHttpRequest", "axios", "WebSocket", "Request", "Response"],
        "There is no network here. Call a tool instead: await tools.<name>(input).",
    ),
    (
        &["require", "module", "exports", "__dirname", "__filename"],
        "There are no modules here. Everything that programs can use is global: tools, console, text, store, load and the standard library.",
    ),
    (&["process", "Deno", "Bun"], "There is no process or environment here. Programs only see their tools and globals."),
    (&["fs", "path", "os", "child_process"], "There are no files or processes here. Call a tool instead: await tools.<name>(input)."),
    (&["Buffer"], "There is no Buffer here. Use Uint8Array, TextEncoder, TextDecoder, atob and btoa."),
    (&["window", "document", "navigator", "localStorage", "alert", "prompt"], "There is no browser page here."),
    (&["print", "println", "printf"], "Use console.log(...) or text(...) to print."),
];

/// What is told about a failure.
#[derive(Clone, Debug)]
pub(crate) struct Diagnostic {
    pub kind: Kind,
    /// Name of the error that was thrown.
    pub name: Option<String>,
    pub message: String,
    /// Line and column, 1-based.
    pub location: Option<(u32, u32)>,
    pub excerpt: Option<String>,
    /// Frames of the program.
    pub stack: Option<String>,
    pub suggestions: Vec<String>,
}

impl Diagnostic {
    /// A diagnostic without a place.
    pub fn new(kind: Kind, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            kind,
            name: None,
            message: message.into(),
            location: None,
            excerpt: None,
            stack: None,
            suggestions: Vec::new(),
        }
    }

    /// Of a source that is no program.
    pub fn of_source(error: &SourceError, source: &str) -> Diagnostic {
        let mut diagnostic = Diagnostic::new(Kind::ParseError, &error.message);
        if let Some(offset) = error.offset {
            diagnostic.locate(source, offset);
        }
        diagnostic
    }

    /// Of a program that does not compile.
    pub fn of_compile_error(error: &CompileError, source: &str) -> Diagnostic {
        let kind = match error.kind {
            CompileErrorKind::UnsupportedSyntax => Kind::UnsupportedSyntax,
            CompileErrorKind::Syntax | CompileErrorKind::TooComplex => Kind::ParseError,
        };
        let shell = if kind == Kind::ParseError { explain_shell(source) } else { None };
        Diagnostic {
            name: Some("SyntaxError".into()),
            location: Some((error.line, error.column)),
            excerpt: Some(error.excerpt.clone()),
            ..Diagnostic::new(kind, shell.unwrap_or_else(|| error.message.clone()))
        }
    }

    /// Of a value that the program threw and did not catch.
    ///
    /// # Errors
    /// Only terminations.
    pub fn of_thrown(vm: &mut Vm, context: &Context, source: &str, value: Value) -> Completion<Diagnostic> {
        let frames = match value.as_object().map(|object| &vm.heap[object].kind) {
            Some(ObjectKind::Error(data)) => data.frames.clone(),
            _ => return Self::of_thrown_data(vm, value),
        };
        let Some(error) = value.as_object() else { return Self::of_thrown_data(vm, value) };
        let kind = Kind::of(vm, value);
        let name = console::text_property(vm, error, keys::NAME)?;
        let message = if kind == Kind::ExecutionFailure {
            console::error_text(vm, error)?
        } else {
            console::text_property(vm, error, keys::MESSAGE)?.unwrap_or_default()
        };
        let mut diagnostic = Diagnostic { name, ..Diagnostic::new(kind, message) };
        if let Some(&frame) = frames.first()
            && let (_, Some(offset)) = vm.describe_frame(frame)
        {
            diagnostic.locate(source, offset);
        }
        if !frames.is_empty() {
            diagnostic.stack = Some(vm.format_stack("", &frames).trim_start_matches('\n').to_owned());
        }
        if kind == Kind::ExecutionFailure {
            diagnostic.explain_tool_mistakes(vm, context, error, frames.first())?;
        }
        diagnostic.suggest(context);
        Ok(diagnostic)
    }

    /// Of a thrown value that is no error object.
    fn of_thrown_data(vm: &mut Vm, value: Value) -> Completion<Diagnostic> {
        let is_opaque = value.as_object().is_some_and(|object| vm.heap[object].is_callable());
        let shown = if is_opaque { "a non-data value".to_owned() } else { console::format_value(vm, value)? };
        Ok(Diagnostic::new(Kind::ExecutionFailure, format!("Uncaught: {shown}")))
    }

    /// Turns the TypeError of calling what is no tool into `UnknownTool`.
    fn explain_tool_mistakes(
        &mut self,
        vm: &mut Vm,
        context: &Context,
        error: Gc<Object>,
        frame: Option<&StackFrame>,
    ) -> Completion<()> {
        if self.name.as_deref() != Some("TypeError") {
            return Ok(());
        }
        let message = console::text_property(vm, error, keys::MESSAGE)?.unwrap_or_default();
        let callee = message.strip_suffix(" is not a function");
        if callee.is_none() && !message.starts_with("Cannot read properties of undefined") {
            return Ok(());
        }
        let unknown = context.unknown_read.borrow().clone();
        if let Some(UnknownRead { path, frame: Some(read) }) = unknown
            && let Some(frame) = frame
            && frame.code == read.code
            && frame.pc.wrapping_sub(read.pc) <= UNKNOWN_READ_DISTANCE
        {
            // `tools.ordrs.lookup()` fails at the read of `lookup`.
            let last = message.split_once("(reading '").and_then(|(_, rest)| rest.strip_suffix("')"));
            let path = last.map_or_else(|| path.clone(), |last| format!("{path}.{last}"));
            self.become_unknown_tool(&context.runtime.tree, &path);
        } else if let Some(path) = callee.and_then(|callee| callee.strip_prefix("tools."))
            && let Some(id) = path.split('.').try_fold(ToolTree::ROOT, |id, name| context.runtime.tree.find_child(id, name))
            && context.runtime.tree.node(id).tool.is_none()
        {
            self.kind = Kind::UnknownTool;
            self.message = format!("Tool '{path}' is not callable.");
            let members: Vec<&str> =
                context.runtime.tree.node(id).children.iter().map(|(name, _)| name.as_str()).take(MAX_LISTED_TOOLS).collect();
            self.suggestions.push(format!("It is a namespace with the members {}.", members.join(", ")));
        }
        Ok(())
    }

    fn become_unknown_tool(&mut self, tree: &ToolTree, path: &str) {
        self.kind = Kind::UnknownTool;
        let close = tree.close_matches(path);
        self.message = match close.first() {
            Some(closest) => format!("Unknown tool '{path}'. Did you mean {}?", tool_expression(closest)),
            None => format!("Unknown tool '{path}'."),
        };
        if close.len() > 1 {
            let others: Vec<String> = close[1..].iter().map(|path| tool_expression(path)).collect();
            self.suggestions.push(format!("Other close names: {}.", others.join(", ")));
        }
        let all: Vec<&str> = tree.tool_paths().take(MAX_LISTED_TOOLS + 1).collect();
        match all.len() {
            0 => self.suggestions.push("This program has no tools.".into()),
            1..=MAX_LISTED_TOOLS => self.suggestions.push(format!("The tools are: {}.", all.join(", "))),
            _ => self.suggestions.push(SEARCH_ADVICE.into()),
        }
    }

    /// Advice for mistakes that are often made.
    fn suggest(&mut self, context: &Context) {
        if self.name.as_deref() == Some("ReferenceError")
            && let Some(name) = self.message.strip_prefix("ReferenceError: ").and_then(|rest| rest.strip_suffix(" is not defined"))
        {
            if let Some((_, advice)) = FOREIGN_GLOBALS.iter().find(|(names, _)| names.contains(&name)) {
                self.suggestions.push((*advice).to_owned());
            } else if context.runtime.tree.find_child(ToolTree::ROOT, name).is_some() {
                self.suggestions.push(format!("Tools are members of tools: write {}.", tool_expression(name)));
            }
        }
        if self.kind == Kind::InvalidToolInput {
            self.suggestions.push("The tool's signature may have changed; use search({ query }) to look it up.".into());
        }
    }

    fn locate(&mut self, source: &str, offset: u32) {
        let (line, column, excerpt) = locate(source, offset);
        self.location = Some((line, column));
        self.excerpt = Some(excerpt);
    }

    /// Appends the `error` of the result.
    pub fn write(&self, out: &mut String) {
        let mut object = ObjectWriter::new(out);
        object.text("kind", self.kind.text());
        if let Some(name) = &self.name {
            object.text("name", name);
        }
        object.text("message", &self.message);
        if let Some((line, column)) = self.location {
            let mut location = ObjectWriter::new(object.member("location"));
            location.raw("line", line);
            location.raw("column", column);
            location.end();
        }
        if let Some(excerpt) = &self.excerpt {
            object.text("excerpt", excerpt);
        }
        if let Some(stack) = &self.stack {
            object.text("stack", stack);
        }
        if !self.suggestions.is_empty() {
            push_array(object.member("suggestions"), &self.suggestions, |out, text| push_string(out, text));
        }
        object.end();
    }
}

/// Something that the program should know but that did not stop it.
#[derive(Clone, Debug)]
pub(crate) struct Warning {
    pub kind: Kind,
    pub message: String,
    pub location: Option<(u32, u32)>,
}

impl Warning {
    /// Appends the warning as JSON.
    pub fn write(&self, out: &mut String) {
        let mut object = ObjectWriter::new(out);
        object.text("kind", self.kind.text());
        object.text("message", &self.message);
        if let Some((line, column)) = self.location {
            let mut location = ObjectWriter::new(object.member("location"));
            location.raw("line", line);
            location.raw("column", column);
            location.end();
        }
        object.end();
    }
}
