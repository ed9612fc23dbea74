//! The object `tools` and the globals of extensions.
//!
//! A namespace is a proxy over a frozen object without prototype (over a frozen function when it is a tool too), so that members are
//! stable, enumerable and honest, while the one trap, `get`, allows other spellings of names and remembers reads of members that are not
//! there: the error that follows can then tell which tool was meant. A tool without children is a plain function.

use std::rc::Rc;

use codemode_runtime::builtins::{NativeFunction, native};
use codemode_runtime::names::keys;
use codemode_runtime::object::{Attributes, IntegrityLevel, Lookup, ObjectKind, PropertyDescriptor};
use codemode_runtime::vm::{Arguments, Completion, StackFrame, Vm};
use codemode_runtime::{Gc, Object, PropertyKey, Value};

use crate::context::Context;
use crate::program_api;
use crate::tool_tree::{NodeId, ToolTree, to_identifier};
use crate::tools::{self, Target};

/// A read of a member of `tools` that is not there.
#[derive(Clone, Debug)]
pub(crate) struct UnknownRead {
    /// The path that the program meant.
    pub path: String,
    /// Where it was read.
    pub frame: Option<StackFrame>,
}

/// Names that all objects may be asked for and that say nothing about tools.
const INERT_NAMES: &[&str] = &[
    "then", "toJSON", "constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString",
    "valueOf", "__proto__", "prototype", "inspect", "nodeType", "length", "name", "catch", "finally",
];

static GET_TOOLS: NativeFunction = native("get tools", 0, get_tools);
static GET_MEMBER: NativeFunction = native("get", 3, get_member);
static CALL_TOOL: NativeFunction = native("tool", 1, call_tool);
static CALL_EXTENSION: NativeFunction = native("extension", 0, call_extension);

/// Defines `tools`. The tree is built when the program first reads it.
pub(crate) fn install(vm: &mut Vm, context_object: Value) {
    define_lazy_global(vm, "tools", &GET_TOOLS, context_object);
}

/// Defines the globals of the extensions.
pub(crate) fn install_extensions(vm: &mut Vm, context: &Context) {
    let context_value = context.object();
    let mut namespaces: Vec<(&str, Gc<Object>)> = Vec::new();
    for (index, extension) in context.runtime.extensions.iter().enumerate() {
        let function = Value::object(vm.new_native_closure(&CALL_EXTENSION, &[context_value, Value::from(index as u32)]));
        let Some((namespace, member)) = extension.name.split_once('.') else {
            vm.define_global(&extension.name, function);
            continue;
        };
        let object = match namespaces.iter().find(|(name, _)| *name == namespace) {
            Some(&(_, object)) => object,
            None => {
                let object = vm.new_object();
                vm.define_global(namespace, Value::object(object));
                namespaces.push((namespace, object));
                object
            }
        };
        let key = vm.heap.key_from_str(member);
        vm.heap.add_property(object, key, function, Attributes::ALL);
    }
    for (_, object) in namespaces {
        vm.heap.set_integrity(object, IntegrityLevel::Frozen);
    }
}

/// Defines a global whose value is made by a getter on first use; the getter is expected to call `define_global` then.
pub(crate) fn define_lazy_global(vm: &mut Vm, name: &str, getter: &'static NativeFunction, context: Value) {
    let getter = Value::object(vm.new_native_closure(getter, &[context]));
    let key = vm.heap.key_from_str(name);
    let descriptor = PropertyDescriptor::accessor(getter, Value::UNDEFINED, Attributes::CONFIGURABLE);
    let global = vm.global_object();
    vm.define_own_property(global, key, &descriptor).ok();
}

fn get_tools(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let context = Context::of(vm, arguments)?;
    let context_value = arguments.capture(vm, 0);
    let tools = build(vm, &context, context_value)?;
    vm.define_global("tools", tools);
    Ok(tools)
}

fn call_tool(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let context = Context::of(vm, arguments)?;
    let tool = arguments.capture(vm, 1).as_number().unwrap_or(0.0) as usize;
    let list = arguments.rest(vm, 0);
    tools::call(vm, &context, Target::Tool(tool), list)
}

fn call_extension(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let context = Context::of(vm, arguments)?;
    let extension = arguments.capture(vm, 1).as_number().unwrap_or(0.0) as usize;
    let list = arguments.rest(vm, 0);
    tools::call(vm, &context, Target::Extension(extension), list)
}

/// Makes the objects of the whole tree; nothing here runs JavaScript, so nothing needs to be rooted.
fn build(vm: &mut Vm, context: &Rc<Context>, context_value: Value) -> Completion<Value> {
    let tree = &context.runtime.tree;
    let mut objects: Vec<Value> = vec![Value::UNDEFINED; tree.ids().count()];
    // Children come after their parents.
    for id in tree.ids().rev() {
        let node = tree.node(id);
        let function = node.tool.map(|tool| vm.new_native_closure(&CALL_TOOL, &[context_value, Value::from(tool as u32)]));
        let is_root = id == ToolTree::ROOT;
        if let (Some(function), true, false) = (function, node.children.is_empty(), is_root) {
            objects[id.0 as usize] = Value::object(function);
            continue;
        }
        let target = match function {
            Some(function) => {
                vm.materialize(function);
                function
            }
            None => vm.heap.new_object(None),
        };
        for (name, child) in &node.children {
            let key = vm.heap.key_from_str(name);
            let descriptor = PropertyDescriptor::data(objects[child.0 as usize], Attributes::ENUMERABLE);
            vm.define_own_property(target, key, &descriptor)?;
        }
        for (name, child) in &node.children {
            let identifier = to_identifier(name);
            let key = vm.heap.key_from_str(&identifier);
            if vm.heap.own_lookup(target, key) == Lookup::Missing {
                let descriptor = PropertyDescriptor::data(objects[child.0 as usize], Attributes::NONE);
                vm.define_own_property(target, key, &descriptor)?;
            }
        }
        vm.heap.set_integrity(target, IntegrityLevel::Frozen);
        let handler = vm.heap.new_object(None);
        let get = vm.new_native_closure(&GET_MEMBER, &[context_value, Value::from(id.0)]);
        vm.heap.add_property(handler, keys::GET, Value::object(get), Attributes::ALL);
        objects[id.0 as usize] = Value::object(vm.proxy_create(Value::object(target), Value::object(handler))?);
    }
    Ok(objects[ToolTree::ROOT.0 as usize])
}

/// Whether the object is `tools` or one of its namespaces: it holds no data.
pub(crate) fn is_namespace(vm: &Vm, object: Gc<Object>) -> bool {
    let ObjectKind::Proxy(proxy) = &vm.heap[object].kind else { return false };
    let trap = proxy.handler.and_then(|handler| vm.heap.own_data(handler, keys::GET)).and_then(Value::as_object);
    trap.is_some_and(|trap| match &vm.heap[trap].kind {
        ObjectKind::Native(native) => std::ptr::eq(native.function, &GET_MEMBER),
        _ => false,
    })
}

/// The `get` trap: target, key, receiver.
fn get_member(vm: &mut Vm, arguments: &Arguments) -> Completion<Value> {
    let Some(target) = arguments.get(vm, 0).as_object() else { return Ok(Value::UNDEFINED) };
    let key = arguments.get(vm, 1);
    let Some(key) = vm.heap.key_from_primitive(key) else { return Ok(Value::UNDEFINED) };
    let value = vm.get(target, key)?;
    if !value.is_undefined() || key.is_symbol() {
        return Ok(value);
    }
    let context = Context::of(vm, arguments)?;
    let node = NodeId(arguments.capture(vm, 1).as_number().unwrap_or(0.0) as u32);
    let name = key.display(&mut vm.heap);
    let tree = &context.runtime.tree;
    if let Some(child) = tree.find_child(node, &name) {
        let position = tree.node(node).children.iter().find(|(_, id)| *id == child);
        let key = position.map_or(key, |(name, _)| vm.heap.key_from_str(name));
        return vm.get(target, key);
    }
    if node == ToolTree::ROOT
        && let Some(value) = program_api::tools_member(vm, &context, arguments.capture(vm, 0), &name)
    {
        return Ok(value);
    }
    if !INERT_NAMES.contains(&name.as_str()) {
        let parent = &tree.node(node).path;
        let path = if parent.is_empty() { name } else { format!("{parent}.{name}") };
        let frame = vm.stack_trace(1).first().copied();
        *context.unknown_read.borrow_mut() = Some(UnknownRead { path, frame });
    }
    Ok(Value::UNDEFINED)
}

/// A value kept for the whole execution under a name, made on first use.
pub(crate) fn cached(
    vm: &mut Vm,
    context: &Context,
    name: &'static str,
    make: impl FnOnce(&mut Vm) -> Value,
) -> Value {
    let found = context.lazy_globals.borrow().iter().find(|(key, _)| *key == name).map(|&(_, value)| value);
    if let Some(value) = found {
        return value;
    }
    let value = make(vm);
    context.lazy_globals.borrow_mut().push((name, value));
    value
}

/// Adds a member that programs cannot change.
pub(crate) fn put_frozen(vm: &mut Vm, object: Gc<Object>, name: &str, value: Value) {
    let key: PropertyKey = vm.heap.key_from_str(name);
    vm.heap.add_property(object, key, value, Attributes::ENUMERABLE);
}
