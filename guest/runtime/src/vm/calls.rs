//! Calls and construction: pushing frames, running native functions, forwarding.
//!
//! A call window stands on the stack: callee, this (or new.target), arguments. JavaScript callees get a frame whose registers
//! start at the arguments; native callees run at once.

use codemode_bytecode::FunctionKind;

use crate::builtins::NativeKind;
use crate::heap::Gc;
use crate::names;
use crate::object::{Object, ObjectKind};
use crate::property_key::PropertyKey;
use crate::value::Value;
use crate::vm::coroutine::ResumeMode;
use crate::vm::interpreter::WINDOW;
use crate::vm::{Arguments, Code, Completion, Frame, IntrinsicObject, MAX_CALL_DEPTH, OnReturn, Thrown, Vm};

/// How a call went.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Called {
    /// It is done already.
    Value(Value),
    /// A frame was pushed; its `on_return` delivers the result.
    Frame,
}

impl Vm {
    /// Call ( F, V, argumentsList ) <https://tc39.es/ecma262/#sec-call>: for native functions; re-enters the interpreter.
    ///
    /// # Errors
    /// What the callee throws; TypeError when `callee` is not callable; RangeError when nested too deeply.
    pub fn call(&mut self, callee: Value, this: Value, arguments: &[Value]) -> Completion<Value> {
        self.nested(|vm| {
            let saved = vm.push_window(callee, this, arguments);
            let floor = vm.frames.len();
            let called = vm.call_window(saved, arguments.len(), OnReturn::Exit);
            let result = vm.complete(called, floor, saved);
            vm.top = saved;
            result.map_err(|e| vm.describe_fault(e, callee))
        })
    }

    /// Construct ( F, argumentsList, newTarget ) <https://tc39.es/ecma262/#sec-construct>: for native functions.
    ///
    /// # Errors
    /// What the constructor throws; TypeError when it is none.
    pub fn construct(&mut self, constructor: Value, arguments: &[Value], new_target: Value) -> Completion<Value> {
        self.nested(|vm| {
            let saved = vm.push_window(constructor, new_target, arguments);
            let floor = vm.frames.len();
            let called = vm.construct_window(saved, arguments.len(), OnReturn::ExitConstruct);
            let result = vm.complete(called, floor, saved);
            vm.top = saved;
            result.map_err(|e| vm.describe_fault(e, constructor))
        })
    }

    /// Invoke ( V, P, arguments ) <https://tc39.es/ecma262/#sec-invoke>
    ///
    /// # Errors
    /// What the method throws.
    pub fn invoke(&mut self, value: Value, key: PropertyKey, arguments: &[Value]) -> Completion<Value> {
        let method = self.get_v(value, key)?;
        if !self.heap.is_callable(method) {
            let name = self.heap.key_display(key);
            return Err(self.throw_type_error(format!("{name} is not a function")));
        }
        self.call(method, value, arguments)
    }

    /// Calls without native nesting where the callee is JavaScript: pushes its frame above the running one.
    pub(crate) fn call_pushing(&mut self, callee: Value, this: Value, arguments: &[Value], on_return: OnReturn) -> Completion<Called> {
        let window = self.push_window(callee, this, arguments);
        let called = self.call_window(window, arguments.len(), on_return);
        if !matches!(called, Ok(Called::Frame)) {
            self.top = window;
        }
        called.map_err(|e| self.describe_fault(e, callee))
    }

    /// Writes a call window above the running frame; the answer is its index, which is the old top.
    fn push_window(&mut self, callee: Value, this: Value, arguments: &[Value]) -> usize {
        let window = self.top;
        let end = window + 2 + arguments.len();
        if self.stack.len() < end + WINDOW {
            self.grow_stack(end + WINDOW);
        }
        self.stack[window] = callee;
        self.stack[window + 1] = this;
        self.stack[window + 2..end].copy_from_slice(arguments);
        self.top = end;
        window
    }

    /// Runs a pushed frame to its end in a nested loop.
    fn complete(&mut self, called: Completion<Called>, floor: usize, window: usize) -> Completion<Value> {
        match called? {
            Called::Value(value) => Ok(value),
            Called::Frame => {
                let realm = self.realm;
                let result = self.run_nested(floor, window);
                self.realm = realm;
                result
            }
        }
    }

    /// Runs the frames above `floor` for a native caller whose values on the stack end at `top`.
    pub(crate) fn run_nested(&mut self, floor: usize, top: usize) -> Completion<Value> {
        let saved = std::mem::replace(&mut self.floor_top, top);
        let result = self.run(floor);
        self.floor_top = saved;
        result
    }

    /// Calls the window: `stack[window]` callee, then this, then `count` arguments.
    pub(crate) fn call_window(&mut self, window: usize, mut count: usize, on_return: OnReturn) -> Completion<Called> {
        loop {
            let callee = self.stack[window];
            let Some(object) = callee.as_object() else { return Err(self.fault(Fault::NotCallable)) };
            match &self.heap[object].kind {
                ObjectKind::Closure(closure) => {
                    let id = closure.code;
                    if matches!(self.codes[id.index()].kind, FunctionKind::ClassConstructor | FunctionKind::DerivedConstructor) {
                        let name = self.codes[id.index()].name_text();
                        return Err(self.throw_type_error(format!("Class constructor {name} cannot be invoked without 'new'")));
                    }
                    let this = self.stack[window + 1];
                    return self.push_closure(object, window, count, this, Value::UNDEFINED, on_return);
                }
                ObjectKind::Native(native) => {
                    let function = native.function;
                    let realm = native.realm;
                    match function.kind {
                        NativeKind::Function | NativeKind::Constructor => {
                            let arguments = Arguments {
                                this: self.stack[window + 1],
                                new_target: Value::UNDEFINED,
                                callee,
                                start: window as u32 + 2,
                                count: count as u32,
                            };
                            return self.call_native(function, realm, &arguments).map(Called::Value);
                        }
                        NativeKind::ForwardCall => {
                            // Function.prototype.call ( thisArg, ...args ): the window loses its callee.
                            self.stack[window] = self.stack[window + 1];
                            if count == 0 {
                                self.stack[window + 1] = Value::UNDEFINED;
                            } else {
                                self.stack.copy_within(window + 2..window + 2 + count, window + 1);
                                count -= 1;
                            }
                        }
                        NativeKind::ForwardApply => {
                            // Function.prototype.apply ( thisArg, argArray )
                            let target = self.stack[window + 1];
                            if !self.heap.is_callable(target) {
                                return Err(self.throw_type_error("Function.prototype.apply was called on a value that is not a function"));
                            }
                            let this = self.window_argument(window, count, 0);
                            let list = self.window_argument(window, count, 1);
                            let list = if list.is_nullish() { Vec::new() } else { self.create_list_from_array_like(list)? };
                            self.stack[window] = target;
                            self.stack[window + 1] = this;
                            count = self.write_arguments(window, &list)?;
                        }
                        NativeKind::ForwardReflectApply => {
                            let target = self.window_argument(window, count, 0);
                            if !self.heap.is_callable(target) {
                                let text = self.display(target);
                                return Err(self.throw_type_error(format!("{text} is not a function")));
                            }
                            let this = self.window_argument(window, count, 1);
                            let list = self.window_argument(window, count, 2);
                            let list = self.create_list_from_array_like(list)?;
                            self.stack[window] = target;
                            self.stack[window + 1] = this;
                            count = self.write_arguments(window, &list)?;
                        }
                        NativeKind::GeneratorNext | NativeKind::GeneratorReturn | NativeKind::GeneratorThrow => {
                            let mode = match function.kind {
                                NativeKind::GeneratorNext => ResumeMode::Next,
                                NativeKind::GeneratorReturn => ResumeMode::Return,
                                _ => ResumeMode::Throw,
                            };
                            let this = self.stack[window + 1];
                            let value = self.window_argument(window, count, 0);
                            return self.resume_generator(this, mode, value, on_return, function.name);
                        }
                    }
                }
                ObjectKind::Bound(bound) => {
                    let (target, this) = (bound.target, bound.this);
                    let prefix = bound.arguments.clone();
                    self.stack[window] = Value::object(target);
                    self.stack[window + 1] = this;
                    count = self.prepend_arguments(window, count, &prefix)?;
                }
                ObjectKind::Proxy(_) if self.heap[object].is_callable() => {
                    let this = self.stack[window + 1];
                    let arguments = self.stack[window + 2..window + 2 + count].to_vec();
                    self.roots.extend_from_slice(&arguments);
                    return self.proxy_call(object, this, &arguments).map(Called::Value);
                }
                _ => return Err(self.fault(Fault::NotCallable)),
            }
        }
    }

    /// Calls with the elements of the array `stack[window + 2]` as arguments.
    pub(crate) fn call_spread(&mut self, window: usize, on_return: OnReturn) -> Completion<Called> {
        let list = self.spread_list(window);
        let count = self.write_arguments(window, &list)?;
        self.call_window(window, count, on_return)
    }

    /// Constructs with the elements of the array `stack[window + 2]` as arguments.
    pub(crate) fn construct_spread(&mut self, window: usize, on_return: OnReturn) -> Completion<Called> {
        let list = self.spread_list(window);
        let count = self.write_arguments(window, &list)?;
        self.construct_window(window, count, on_return)
    }

    /// Constructs from the window: `stack[window]` constructor, then new.target, then `count` arguments.
    pub(crate) fn construct_window(&mut self, window: usize, mut count: usize, on_return: OnReturn) -> Completion<Called> {
        loop {
            let callee = self.stack[window];
            let new_target = self.stack[window + 1];
            let Some(object) = callee.as_object() else { return Err(self.fault(Fault::NotConstructor)) };
            if !self.heap[object].is_constructor() {
                return Err(self.fault(Fault::NotConstructor));
            }
            match &self.heap[object].kind {
                ObjectKind::Closure(closure) => {
                    let this = if self.codes[closure.code.index()].kind == FunctionKind::DerivedConstructor {
                        Value::EMPTY
                    } else {
                        Value::object(self.create_this(new_target)?)
                    };
                    return self.push_closure(object, window, count, this, new_target, on_return);
                }
                ObjectKind::Native(native) => {
                    let function = native.function;
                    let realm = native.realm;
                    let arguments =
                        Arguments { this: Value::UNDEFINED, new_target, callee, start: window as u32 + 2, count: count as u32 };
                    return self.call_native(function, realm, &arguments).map(Called::Value);
                }
                ObjectKind::Bound(bound) => {
                    let target = Value::object(bound.target);
                    let prefix = bound.arguments.clone();
                    self.stack[window] = target;
                    if new_target == callee {
                        self.stack[window + 1] = target;
                    }
                    count = self.prepend_arguments(window, count, &prefix)?;
                }
                ObjectKind::Proxy(_) => {
                    let arguments = self.stack[window + 2..window + 2 + count].to_vec();
                    self.roots.extend_from_slice(&arguments);
                    return self.proxy_construct(object, &arguments, new_target).map(Called::Value);
                }
                _ => return Err(self.fault(Fault::NotConstructor)),
            }
        }
    }

    /// OrdinaryCreateFromConstructor ( newTarget, "%Object.prototype%" ) for class and function constructors.
    fn create_this(&mut self, new_target: Value) -> Completion<Gc<Object>> {
        // OPTIMIZATION: an own data property `prototype` of a materialised function needs no general [[Get]].
        let prototype = self.get_prototype_from_constructor(new_target, IntrinsicObject::ObjectPrototype)?;
        Ok(self.heap.new_object(Some(prototype)))
    }

    /// Runs a native function. Its temporary roots end with it.
    pub(crate) fn call_native(
        &mut self,
        function: &'static crate::builtins::NativeFunction,
        realm: crate::vm::RealmId,
        arguments: &Arguments,
    ) -> Completion<Value> {
        let saved_roots = self.roots.len();
        let saved_realm = self.realm;
        let saved_top = self.top;
        let end = arguments.start as usize + arguments.count as usize;
        if self.top < end {
            self.top = end;
        }
        self.realm = realm;
        let result = (function.function)(self, arguments);
        self.roots.truncate(saved_roots);
        self.realm = saved_realm;
        self.top = saved_top;
        // A native function that drops errors cannot drop a termination.
        if self.termination.is_some() { Err(Thrown) } else { result }
    }

    /// Pushes the frame of a JavaScript function.
    pub(crate) fn push_closure(
        &mut self,
        function: Gc<Object>,
        window: usize,
        count: usize,
        mut this: Value,
        new_target: Value,
        on_return: OnReturn,
    ) -> Completion<Called> {
        let ObjectKind::Closure(closure) = &self.heap[function].kind else { return Err(self.fault(Fault::NotCallable)) };
        let (id, mut environment, realm) = (closure.code, closure.environment, closure.realm);
        let code = self.codes[id.index()].clone();
        if self.frames.len() >= MAX_CALL_DEPTH {
            return Err(self.throw_stack_overflow());
        }
        let base = window + 2;
        let top = base + code.register_count;
        let needed = (base + WINDOW).max(base + count + WINDOW);
        if self.stack.len() < needed {
            self.grow_stack(needed);
        }
        self.realm = realm;
        if !code.is_strict && !this.is_object() && code.function().uses_this && new_target.is_undefined() {
            this = if this.is_nullish() { Value::object(self.global_object()) } else { Value::object(self.to_object(this)?) };
        }
        let f = code.function();
        let parameters = code.parameter_count;
        let rest = f.rest_register.map(|register| {
            let values = self.stack[base + parameters.min(count)..base + count].to_vec();
            (register, self.create_array(values))
        });
        let arguments = match f.arguments_register {
            Some(register) => {
                let values = self.stack[base..base + count].to_vec();
                Some((register, values))
            }
            None => None,
        };
        let filled = parameters.min(count);
        self.stack[base + filled..top.max(base + filled)].fill(Value::UNDEFINED);
        if let Some(mapped) = &f.mapped_arguments
            && mapped.environment_slots > 0
        {
            let pushed = self.heap.new_environment_filled(environment, mapped.environment_slots as usize, Value::UNDEFINED);
            for (parameter, &slot) in mapped.slots.iter().enumerate() {
                if slot != u32::MAX {
                    let value = self.stack[base + parameter];
                    self.heap[pushed].set(slot as usize, value);
                }
            }
            environment = Some(pushed);
        }
        if let Some((register, array)) = rest {
            self.stack[base + register as usize] = Value::object(array);
        }
        if let Some((register, values)) = arguments {
            let object = match &f.mapped_arguments {
                Some(mapped) => self.create_mapped_arguments(values, environment, mapped, function),
                None => self.create_unmapped_arguments(values),
            };
            self.stack[base + register as usize] = Value::object(object);
        }
        let coroutine = if f.is_async && !f.is_generator { Some(self.new_async_coroutine()) } else { None };
        self.frames.push(Frame {
            code: id,
            pc: 0,
            base: base as u32,
            environment,
            function: Some(function),
            this,
            new_target,
            on_return,
            coroutine,
            realm,
        });
        self.top = top;
        Ok(Called::Frame)
    }

    /// Runs an entry function (script or program body) as a call without arguments.
    ///
    /// # Errors
    /// What the code throws.
    pub fn run_entry(&mut self, code: crate::vm::CodeId, this: Value) -> Completion<Value> {
        let function = self.new_closure_of(code, None);
        self.call(Value::object(function), this, &[])
    }

    /// Pops all frames above `floor` without running anything.
    pub(crate) fn drop_frames(&mut self, floor: usize) {
        self.frames.truncate(floor);
        self.restore_caller();
    }

    /// Makes the machine's registers those of the topmost frame.
    pub(crate) fn restore_caller(&mut self) {
        match self.frames.last() {
            Some(frame) => {
                // The frame may be below a native caller whose window must not be overwritten.
                self.top = (frame.base as usize + self.codes[frame.code.index()].register_count).max(self.floor_top);
                self.realm = frame.realm;
            }
            None => self.top = self.floor_top,
        }
    }

    fn window_argument(&self, window: usize, count: usize, index: usize) -> Value {
        if index < count { self.stack[window + 2 + index] } else { Value::UNDEFINED }
    }

    /// Elements of the fresh array in a spread window; holes read as undefined.
    fn spread_list(&self, window: usize) -> Vec<Value> {
        match self.stack[window + 2].as_object() {
            Some(array) => self.heap.dense_elements(array).unwrap_or_default(),
            None => Vec::new(),
        }
    }

    /// Replaces the arguments of a window.
    fn write_arguments(&mut self, window: usize, list: &[Value]) -> Completion<usize> {
        let end = window + 2 + list.len();
        if self.stack.len() < end + WINDOW {
            self.grow_stack(end + WINDOW);
        }
        self.stack[window + 2..end].copy_from_slice(list);
        Ok(list.len())
    }

    fn prepend_arguments(&mut self, window: usize, count: usize, prefix: &[Value]) -> Completion<usize> {
        if prefix.is_empty() {
            return Ok(count);
        }
        let total = count + prefix.len();
        if total > crate::object::MAX_ELEMENTS as usize {
            return Err(self.throw_range_error("Too many arguments"));
        }
        let end = window + 2 + total;
        if self.stack.len() < end + WINDOW {
            self.grow_stack(end + WINDOW);
        }
        self.stack.copy_within(window + 2..window + 2 + count, window + 2 + prefix.len());
        self.stack[window + 2..window + 2 + prefix.len()].copy_from_slice(prefix);
        Ok(total)
    }

    /// Remembers that the callee could not be called; whoever knows its source text turns this into the TypeError.
    #[cold]
    fn fault(&mut self, fault: Fault) -> Thrown {
        self.fault = Some(fault);
        Thrown
    }

    /// Turns a pending fault into a TypeError that names the callee by its source text.
    #[cold]
    pub(crate) fn name_callee(&mut self, thrown: Thrown, code: &Code, text: u32) -> Thrown {
        let Some(fault) = self.fault.take() else { return thrown };
        let text = code.string_text(text);
        let text = if text.is_empty() { "value".to_owned() } else { text };
        self.throw_type_error(format!("{text} {}", fault.text()))
    }

    /// As `name_callee` where only the value is known.
    #[cold]
    pub(crate) fn describe_fault(&mut self, thrown: Thrown, callee: Value) -> Thrown {
        let Some(fault) = self.fault.take() else { return thrown };
        let text = self.display(callee);
        self.throw_type_error(format!("{text} {}", fault.text()))
    }
}

/// Why a window could not be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The callee has no [[Call]].
    NotCallable,
    /// The callee has no [[Construct]].
    NotConstructor,
}

impl Fault {
    fn text(self) -> &'static str {
        match self {
            Fault::NotCallable => "is not a function",
            Fault::NotConstructor => "is not a constructor",
        }
    }
}

/// `prototype` as a key, used by several files of this folder.
pub(crate) const PROTOTYPE: PropertyKey = PropertyKey::name(names::PROTOTYPE);
