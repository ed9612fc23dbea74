//! The component reaches nothing but what its world names, clocks and random numbers.

use wasmtime::component::Component;
use wasmtime::{Config, Engine};

const ALLOWED: [&str; 7] = [
    "codemode:interpreter/tool-call",
    "codemode:interpreter/output",
    "wasi:clocks/wall-clock",
    "wasi:clocks/monotonic-clock",
    "wasi:random/random",
    "wasi:random/insecure",
    "wasi:random/insecure-seed",
];

fn component() -> Component {
    let engine = Engine::new(&Config::new()).unwrap();
    Component::from_file(&engine, env!("CODEMODE_COMPONENT_PATH")).unwrap()
}

fn without_version(name: &str) -> &str {
    name.split('@').next().unwrap_or(name)
}

#[test]
fn the_component_imports_only_its_world_and_clocks_and_random_numbers() {
    let component = component();
    let names: Vec<_> =
        component.component_type().imports(component.engine()).map(|(name, _)| name.to_owned()).collect();
    for required in &ALLOWED[..2] {
        assert!(names.iter().any(|name| without_version(name) == *required), "{required} is missing in {names:?}");
    }
    let others: Vec<_> = names.iter().filter(|name| !ALLOWED.contains(&without_version(name))).collect();
    assert!(others.is_empty(), "the component must not import {others:?}; see guest/component/src/wasi.rs");
}

#[test]
fn the_component_exports_only_the_interpreter() {
    let component = component();
    let names: Vec<_> =
        component.component_type().exports(component.engine()).map(|(name, _)| name.to_owned()).collect();
    assert_eq!(names, ["codemode:interpreter/execute@0.1.0"]);
}
