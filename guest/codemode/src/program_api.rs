//! `text`, `image`, `exit`, `store`, `load`, `ALL_TOOLS` and `search`.

use codemode_bytecode::ErrorKind;
use codemode_runtime::builtins::{NativeFunction, native};
use codemode_runtime::object::IntegrityLevel;
use codemode_runtime::vm::{Arguments, Completion, Termination, Thrown, Vm};
use codemode_runtime::{Gc, Object, Value};

use crate::boundary;
use crate::calls::CallStatus;
use crate::context::{Context, Outcome};
use crate::definitions::OutputItem;
use crate::failure::{self, Kind};
use crate::image::{self, Image};
use crate::json_reader;
use crate::output;
use crate::search::{self, SearchResult};
use crate::tool_objects::{cached, define_lazy_global, put_frozen};
use crate::tool_tree::to_identifier;
use crate::tools;

static FUNCTIONS: &[NativeFunction] = &[
    native("text", 1, text),
    native("image", 1, image),
    native("exit", 0, exit),
    native("store", 2, store),
    native("load", 1, load),
    native("search", 1, search),
];
static SEARCH: NativeFunction = native("search", 1, search);
static SEARCH_LATER: NativeFunction = native("search", 1, search_later);
static GET_ALL_TOOLS: NativeFunction = native("get ALL_TOOLS", 0, get_all_tools);

/// Defines the globals.
pub(crate) fn install(vm: &mut Vm, context: Value) {
    for function in FUNCTIONS {
        let object = vm.new_native_closure(function, &[context]);
        vm.define_global(function.name, Value::object(object));
    }
    define_lazy_global(vm, "ALL_TOOLS", &GET_ALL_TOOLS, context);
}

/// Members that `tools` has beside the tools: `search` and `$codemode`.
pub(crate) fn tools_member(vm: &mut Vm, context: &Context, context_value: Value, name: &str) -> Option<Value> {
    match name {
        "search" => Some(cached(vm, context, "tools.search", |vm| {
            Value::object(vm.new_native_closure(&SEARCH_LATER, &[context_value]))
        })),
        "$codemode" => Some(cached(vm, context, "tools.$codemode", |vm| {
            let object = vm.heap.new_object(None);
            let search = Value::object(vm.new_native_closure(&SEARCH_LATER, &[context_value]));
            put_frozen(vm, object, "search", search);
            vm.heap.set_integrity(object, IntegrityLevel::Frozen);
            Value::object(object)
        })),
        _ => None,
    }
}

/// `text(value)`: strings as they are, other primitives through String, the rest as JSON.
fn text(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let context = Context::of(vm, arguments)?;
    let value = arguments.get(vm, 0);
    let line = if value.is_symbol() {
        value.as_symbol().map(|symbol| vm.heap.symbol_display(symbol)).unwrap_or_default()
    } else if value.is_object() {
        match boundary::to_json_now(vm, &context, value, "the argument of text()")? {
            Some(json) => json,
            None => String::from("undefined"),
        }
    } else {
        let string = vm.to_string(value)?;
        vm.heap.rust_string(string)
    };
    output::emit(vm, &context, OutputItem::Text(line))?;
    Ok(Value::UNDEFINED)
}

/// `image(x)`: a base64 data URL, `{ image_url }`, or an MCP image block.
fn image(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let context = Context::of(vm, arguments)?;
    let value = arguments.get(vm, 0);
    let result = match value.as_object() {
        None => match value.as_string() {
            Some(url) => image::from_data_url(&vm.heap.rust_string(url)),
            None => Err("image() takes a base64 data: URL, { image_url } or an MCP image block.".into()),
        },
        Some(object) => image_of_object(vm, object)?,
    };
    match result {
        Ok(Image { data, mime_type }) => {
            output::emit(vm, &context, OutputItem::Image { data, mime_type })?;
            Ok(Value::UNDEFINED)
        }
        Err(message) => Err(vm.throw_type_error(message)),
    }
}

fn image_of_object(vm: &mut Vm, object: Gc<Object>) -> Completion<Result<Image, String>> {
    // OpenAI spells it { image_url: "..." } or { image_url: { url: "..." } }.
    let mut url = member_text(vm, object, "image_url")?;
    if url.is_none() {
        let key = vm.heap.key_from_str("image_url");
        let nested = vm.get(object, key)?;
        vm.root(nested);
        if let Some(nested) = nested.as_object() {
            url = member_text(vm, nested, "url")?;
        }
    }
    if let Some(url) = url {
        return Ok(image::from_data_url(&url));
    }
    let data = member_text(vm, object, "data")?;
    let mime_type = member_text(vm, object, "mimeType")?;
    Ok(match data {
        Some(data) => image::from_base64(&data, mime_type.as_deref().unwrap_or("")),
        None => Err("image() takes a base64 data: URL, { image_url } or an MCP image block.".into()),
    })
}

/// A member of an object when it is a string.
fn member_text(vm: &mut Vm, object: Gc<Object>, name: &str) -> Completion<Option<String>> {
    let key = vm.heap.key_from_str(name);
    let value = vm.get(object, key)?;
    Ok(value.as_string().map(|text| vm.heap.rust_string(text)))
}

/// `exit()`: ends the program successfully, without a value.
fn exit(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let context = Context::of(vm, arguments)?;
    context.outcome.set(Some(Outcome::Exited));
    Err(vm.terminate(Termination::Exit))
}

/// `store(key, value)`: undefined deletes.
fn store(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let context = Context::of(vm, arguments)?;
    let key = store_key(vm, arguments, "store")?;
    let value = arguments.get(vm, 1);
    let text = boundary::to_json_now(vm, &context, value, "the stored value")?;
    let written = context.store.borrow_mut().write(&key, text);
    match written {
        Ok(()) => Ok(Value::UNDEFINED),
        Err(message) => Err(vm.throw_range_error(message)),
    }
}

/// `load(key)`: a fresh copy, undefined when nothing is stored.
fn load(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let context = Context::of(vm, arguments)?;
    let key = store_key(vm, arguments, "load")?;
    let store = context.store.borrow();
    match store.load(&context.runtime.store, &key) {
        None => Ok(Value::UNDEFINED),
        Some(text) => match json_reader::from_json(vm, text) {
            Ok(value) => Ok(value),
            Err(problem) => Err(vm.throw_error(ErrorKind::Error, &problem)),
        },
    }
}

fn store_key(vm: &mut Vm, arguments: &Arguments, function: &str) -> Completion<String> {
    match arguments.get(vm, 0).as_string() {
        Some(key) => Ok(vm.heap.rust_string(key)),
        None => Err(vm.throw_type_error(format!("{function}() takes a string as its key"))),
    }
}

/// `ALL_TOOLS`: a frozen array of frozen `{ name, description }`.
fn get_all_tools(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let context = Context::of(vm, arguments)?;
    let runtime = &context.runtime;
    let mut entries = Vec::with_capacity(runtime.tools.len());
    for id in runtime.tree.ids() {
        let Some(tool) = runtime.tree.node(id).tool else { continue };
        let definition = &runtime.tools[tool];
        let entry = vm.new_object();
        let name: Vec<String> = definition.path.split('.').map(to_identifier).collect();
        let name = vm.string(&name.join("."));
        let description = vm.string(&definition.description);
        put_frozen(vm, entry, "name", name);
        put_frozen(vm, entry, "description", description);
        vm.heap.set_integrity(entry, IntegrityLevel::Frozen);
        entries.push(Value::object(entry));
    }
    let list = vm.create_array(entries);
    vm.heap.set_integrity(list, IntegrityLevel::Frozen);
    vm.define_global("ALL_TOOLS", Value::object(list));
    Ok(Value::object(list))
}

/// `search({ query, namespace, limit, offset })`: synchronous, and counted as a call.
fn search(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let context = Context::of(vm, arguments)?;
    let argument = arguments.get(vm, 0);
    let input = if argument.is_string() {
        // The bare-string shorthand of tools.
        let mut text = String::from("{\"query\":");
        if let Some(query) = argument.as_string() {
            let view = vm.heap.flat_view(query);
            boundary::push_view(&mut text, view);
        }
        text.push('}');
        text
    } else {
        boundary::to_json_now(vm, &context, argument, "the input of search()")?.unwrap_or_else(|| "{}".to_owned())
    };
    let query = match search::parse_query(&input) {
        Ok(query) => query,
        Err(problem) => {
            let message = format!("Invalid input for tool 'search': {problem}");
            return Err(failure::throw(vm, Kind::InvalidToolInput, ErrorKind::Type, &message));
        }
    };
    tools::admit_one(vm, &context)?;
    context.calls.borrow_mut().record_immediate("search", CallStatus::Ok);
    let result = context.runtime.search_index().search(&query);
    Ok(search_result(vm, &result))
}

/// `tools.search(...)`: the same as a promise.
fn search_later(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let context_value = arguments.capture(vm, 0);
    let function = Value::object(vm.new_native_closure(&SEARCH, &[context_value]));
    vm.root(function);
    let list = arguments.rest(vm, 0);
    let promise = vm.new_promise();
    vm.root(promise);
    match vm.call(function, Value::UNDEFINED, &list) {
        Ok(result) => vm.resolve_promise(promise, result),
        Err(Thrown) if vm.termination.is_some() => return Err(Thrown),
        Err(Thrown) => {
            let reason = vm.take_exception();
            vm.reject_promise(promise, reason);
        }
    }
    Ok(Value::object(promise))
}

fn search_result(vm: &mut Vm, result: &SearchResult) -> Value {
    let mut items = Vec::with_capacity(result.items.len());
    for item in &result.items {
        let object = vm.new_object();
        for (name, text) in [("path", &item.path), ("description", &item.description), ("signature", &item.signature)] {
            let value = vm.string(text);
            put(vm, object, name, value);
        }
        items.push(Value::object(object));
    }
    let items = Value::object(vm.create_array(items));
    let next = match result.next_offset {
        Some(offset) => {
            let next = vm.new_object();
            put(vm, next, "offset", Value::number(offset as f64));
            Value::object(next)
        }
        None => Value::NULL,
    };
    let object = vm.new_object();
    put(vm, object, "items", items);
    put(vm, object, "remaining", Value::number(result.remaining as f64));
    put(vm, object, "next", next);
    Value::object(object)
}

fn put(vm: &mut Vm, object: Gc<Object>, name: &str, value: Value) {
    let key = vm.heap.key_from_str(name);
    vm.heap.create_data_property(object, key, value).ok();
}

/// All globals of the program API but those of extensions; they find their context through the object.
pub(crate) fn install_all(vm: &mut Vm, context_object: Value) {
    crate::console::install(vm, context_object);
    install(vm, context_object);
    crate::timers::install(vm, context_object);
    crate::tool_objects::install(vm, context_object);
}
