//! Machines: an engine with a realm, made ahead of time where possible.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use codemode_bytecode::CodeUnit;
use codemode_compiler::{CompileOptions, compile};
use codemode_runtime::Value;
use codemode_runtime::builtins::SELF_HOSTED;
use codemode_runtime::vm::{DefaultHost, Vm};

use crate::context::Context;
use crate::program_api;

thread_local! {
    /// The compiled builtins that are written in JavaScript.
    static SELF_HOSTED_UNITS: RefCell<Option<Rc<[Rc<CodeUnit>]>>> = const { RefCell::new(None) };
    /// A machine that waits for its execution.
    static TEMPLATE: RefCell<Option<Machine>> = const { RefCell::new(None) };
    static ZEAL: Cell<bool> = const { Cell::new(false) };
}

/// An engine with the realm that programs run in.
pub(crate) struct Machine {
    pub vm: Box<Vm>,
    /// The object through which the program API finds its execution's context.
    pub context_object: Value,
}

/// Does what does not depend on the program: compiles builtins and makes a realm for the next execution of this thread. The build
/// calls this before it takes the snapshot that instances start from.
pub fn initialize() {
    let machine = make();
    TEMPLATE.with(|template| *template.borrow_mut() = Some(machine));
}

/// Lets all later executions of this thread collect garbage at every safepoint. For tests.
pub fn set_zeal(is_on: bool) {
    ZEAL.with(|zeal| zeal.set(is_on));
}

/// A machine for one execution.
pub(crate) fn take() -> Machine {
    let mut machine = TEMPLATE.with(|template| template.borrow_mut().take()).unwrap_or_else(make);
    let is_zealous = ZEAL.with(Cell::get);
    machine.vm.zeal = is_zealous;
    machine.vm.heap.set_zeal(is_zealous);
    machine
}

fn make() -> Machine {
    let mut vm = Box::new(Vm::new(Box::<DefaultHost>::default()));
    vm.product_rules = true;
    vm.load_self_hosted(&self_hosted_units());
    vm.create_realm();
    let context_object = Context::new_object(&mut vm);
    program_api::install_all(&mut vm, context_object);
    Machine { vm, context_object }
}

fn self_hosted_units() -> Rc<[Rc<CodeUnit>]> {
    SELF_HOSTED_UNITS.with(|units| {
        units.borrow_mut().get_or_insert_with(|| SELF_HOSTED.iter().map(|&(name, source)| Rc::new(compile_builtin(name, source))).collect()).clone()
    })
}

/// # Panics
/// When a builtin does not compile: a mistake of the engine, which every test shows.
fn compile_builtin(name: &str, source: &str) -> CodeUnit {
    match compile(source, &CompileOptions::self_hosted(name)) {
        Ok(unit) => unit,
        Err(error) => panic!("builtin {name} does not compile: {error}\n{}", error.excerpt),
    }
}
