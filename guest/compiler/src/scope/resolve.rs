//! Binds references and gives bindings their places.

use super::{Binding, BindingId, BindingKind, Plan, ScopeId, ScopeKind, ScopeOptions, Storage, collect::Collected};
use crate::error::{Failure, Result};

/// Bindings of one function beyond this number live in environments, so that temporaries find registers.
const MAX_REGISTER_BINDINGS: u32 = 150;

/// Completes the plan.
///
/// # Errors
/// A var that conflicts with a lexical declaration, or an undeclared private name.
pub(super) fn resolve(collected: Collected, options: ScopeOptions) -> Result<Plan> {
    let Collected { mut plan, vars, block_functions, private_references } = collected;
    check_vars(&plan, &vars)?;
    hoist_block_functions(&mut plan, &block_functions);
    bind_references(&mut plan);
    for (name, scope, offset) in private_references {
        let Some(id) = plan.private_name(scope, name) else {
            return Err(Failure::syntax(
                offset,
                format!("Private field '#{name}' must be declared in an enclosing class"),
            ));
        };
        let crosses = plan.scope(scope).root != plan.scope(plan.binding(id).scope).root;
        let binding = plan.binding_mut(id);
        binding.referenced = true;
        binding.captured |= crosses;
    }
    declared_arguments(&mut plan);
    assign_storage(&mut plan, options);
    Ok(plan)
}

/// A var must not cross a lexical declaration of its name on the way to its function.
fn check_vars(plan: &Plan, vars: &[(&str, ScopeId, u32)]) -> Result<()> {
    for &(name, start, offset) in vars {
        let mut current = start;
        loop {
            let scope = plan.scope(current);
            if let Some(&id) = scope.names.get(name)
                && plan.binding(id).kind.is_lexical()
            {
                return Err(Failure::syntax(offset, format!("Identifier '{name}' has already been declared")));
            }
            let ends = scope.kind.is_root()
                || matches!(scope.kind, ScopeKind::Body | ScopeKind::StaticBlock | ScopeKind::Namespace);
            match scope.parent {
                Some(parent) if !ends => current = parent,
                _ => break,
            }
        }
    }
    Ok(())
}

/// Annex B.3.3: a function in a sloppy block also makes a var of its function, unless that would conflict
/// (<https://tc39.es/ecma262/#sec-block-level-function-declarations-web-legacy-compatibility-semantics>).
fn hoist_block_functions<'a>(plan: &mut Plan<'a>, functions: &[(&'a str, ScopeId, u32)]) {
    for &(name, block, offset) in functions {
        let mut current = plan.scope(block).parent;
        let target = loop {
            let Some(id) = current else { break None };
            let scope = plan.scope(id);
            let existing = scope.names.get(name).map(|&binding| plan.binding(binding).kind);
            let is_var_scope = scope.kind.is_root()
                || matches!(scope.kind, ScopeKind::Body | ScopeKind::StaticBlock | ScopeKind::Namespace);
            if is_var_scope {
                let parameter_of_body = scope.kind == ScopeKind::Body
                    && scope.parent.is_some_and(|root| {
                        plan.scope(root)
                            .names
                            .get(name)
                            .is_some_and(|&binding| plan.binding(binding).kind == BindingKind::Parameter)
                    });
                break match existing {
                    _ if parameter_of_body => None,
                    None | Some(BindingKind::Var | BindingKind::Function) => Some(id),
                    Some(BindingKind::FunctionName | BindingKind::Arguments) => Some(id),
                    _ => None,
                };
            }
            match existing {
                None | Some(BindingKind::CatchParameter) => current = scope.parent,
                Some(_) => break None,
            }
        };
        let Some(target) = target else { continue };
        let existing = plan.scope(target).names.get(name).copied();
        let binding = match existing {
            Some(id) if matches!(plan.binding(id).kind, BindingKind::Var | BindingKind::Function) => id,
            _ => add_binding(plan, target, name, BindingKind::Var, offset),
        };
        plan.binding_mut(binding).referenced = true;
        plan.annex_b.insert(offset, binding);
    }
}

fn add_binding<'a>(plan: &mut Plan<'a>, scope: ScopeId, name: &'a str, kind: BindingKind, offset: u32) -> BindingId {
    let id = BindingId(plan.bindings.len() as u32);
    plan.bindings.push(Binding {
        name,
        kind,
        scope,
        offset,
        initialized_at: 0,
        captured: false,
        referenced: false,
        needs_dead_zone: false,
        constant: None,
        writes: Vec::new(),
        storage: Storage::None,
    });
    plan.scopes[scope.0 as usize].bindings.push(id);
    plan.scopes[scope.0 as usize].names.insert(name, id);
    id
}

fn bind_references(plan: &mut Plan) {
    for index in 0..plan.references.len() {
        let reference = &plan.references[index];
        let (name, start, offset, is_write) = (reference.name, reference.scope, reference.offset, reference.is_write);
        // `position` is where the code that contains the reference can first run: a hoisted function runs from the start of
        // its block on.
        let mut position = offset;
        let mut current = Some(start);
        let mut through_member = None;
        let mut found = None;
        while let Some(id) = current {
            let scope = plan.scope(id);
            if let Some(&binding) = scope.names.get(name) {
                found = Some(binding);
                break;
            }
            if name == "arguments" && scope.kind == ScopeKind::Function {
                let start = scope.start;
                let binding = add_binding(plan, id, name, BindingKind::Arguments, start);
                if let Some(function) = &mut plan.scopes[id.0 as usize].function {
                    function.arguments = Some(binding);
                }
                found = Some(binding);
                break;
            }
            if let Some(function) = &scope.function {
                if let Some(hoisted_at) = function.hoisted_at {
                    position = hoisted_at;
                }
                through_member = scope.parent;
            }
            current = scope.parent;
        }
        let Some(id) = found else { continue };
        let binding = plan.binding(id);
        let scope = plan.scope(binding.scope);
        let crosses = scope.root != plan.scope(start).root;
        let checked = binding.kind.has_dead_zone()
            && match binding.kind {
                BindingKind::Dead => true,
                // Members of a class run after its name is bound, except for heritage and computed keys.
                BindingKind::ClassName => through_member != Some(binding.scope),
                _ => position < binding.initialized_at || scope.kind == ScopeKind::Switch,
            };
        let binding = plan.binding_mut(id);
        binding.referenced = true;
        let is_constant = binding.constant.is_some() && !checked && !is_write;
        binding.captured |= crosses && !is_constant;
        binding.needs_dead_zone |= checked;
        if is_write {
            binding.writes.push(offset);
        }
        let reference = &mut plan.references[index];
        reference.binding = Some(id);
        reference.checked = checked;
    }
    for binding in &mut plan.bindings {
        binding.writes.sort_unstable();
    }
}

/// `var arguments` starts with the arguments object
/// (<https://tc39.es/ecma262/#sec-functiondeclarationinstantiation>).
fn declared_arguments(plan: &mut Plan) {
    for index in 0..plan.scopes.len() {
        let id = ScopeId(index as u32);
        let scope = plan.scope(id);
        if scope.kind != ScopeKind::Function {
            continue;
        }
        let Some(function) = &scope.function else { continue };
        if function.arguments.is_some() {
            continue;
        }
        if let Some(&binding) = scope.names.get("arguments") {
            if plan.binding(binding).kind == BindingKind::Var
                && let Some(function) = &mut plan.scopes[index].function
            {
                function.arguments = Some(binding);
            }
            continue;
        }
        let in_body = function.body_scope.is_some_and(|body| {
            plan.scope(body)
                .names
                .get("arguments")
                .is_some_and(|&binding| plan.binding(binding).kind == BindingKind::Var)
        });
        if in_body {
            let start = scope.start;
            let binding = add_binding(plan, id, "arguments", BindingKind::Arguments, start);
            plan.binding_mut(binding).referenced = true;
            if let Some(function) = &mut plan.scopes[index].function {
                function.arguments = Some(binding);
            }
        }
    }
}

fn assign_storage(plan: &mut Plan, options: ScopeOptions) {
    // Register bindings on the path from the function's root to each scope.
    let mut counts: Vec<u32> = Vec::with_capacity(plan.scopes.len());
    for index in 0..plan.scopes.len() {
        let scope = &plan.scopes[index];
        let mut count = match scope.parent {
            Some(parent) if !scope.kind.is_root() => counts[parent.0 as usize],
            _ => 0,
        };
        let is_global = options.global_top_level && scope.kind == ScopeKind::Entry;
        let is_hosted = options.hosted_functions && scope.kind == ScopeKind::Entry;
        let mapped = scope
            .function
            .as_ref()
            .is_some_and(|function| !scope.strict && function.simple_parameters && function.arguments.is_some());
        let ids = scope.bindings.clone();
        let mut slots = 0;
        for id in ids {
            let binding = plan.binding_mut(id);
            let unused = !binding.referenced
                && matches!(binding.kind, BindingKind::FunctionName | BindingKind::ClassName | BindingKind::Private);
            binding.storage = if binding.kind == BindingKind::Dead || unused {
                Storage::None
            } else if is_hosted && binding.kind == BindingKind::Function {
                // The number is set when the functions are compiled.
                Storage::Hosted(u32::MAX)
            } else if is_global && binding.kind != BindingKind::Pseudo {
                Storage::Global
            } else if binding.captured
                || count >= MAX_REGISTER_BINDINGS
                || (mapped && binding.kind == BindingKind::Parameter)
            {
                slots += 1;
                Storage::Env(slots - 1)
            } else {
                count += 1;
                Storage::Register(None)
            };
        }
        counts.push(count);
        plan.scopes[index].env_slots = slots;
        if slots > 0 {
            let (root, start) = (plan.scopes[index].root, plan.scopes[index].start);
            if let Some(function) = &mut plan.scopes[root.0 as usize].function {
                function.env_starts.push(start);
            }
        }
    }
    for scope in &mut plan.scopes {
        if let Some(function) = &mut scope.function {
            function.env_starts.sort_unstable();
        }
    }
}
