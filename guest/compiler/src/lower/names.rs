//! Reading, assigning and initialising bindings; entering and leaving scopes.

use codemode_bytecode::{ErrorKind, Opcode};
use oxc_ast::ast::*;

use super::{Control, Lowering};
use crate::{
    emit::Register,
    error::Result,
    scope::{BindingId, BindingKind, ScopeId, ScopeKind, Storage},
};

/// A scope that was entered.
pub(super) struct Entered {
    outer: ScopeId,
    mark: u16,
    has_env: bool,
}

impl<'a> Lowering<'a> {
    /// Environments between the current scope and the one of a binding.
    pub(super) fn hops(&self, target: ScopeId) -> Result<u8> {
        let mut hops = 0u32;
        let mut current = self.scope;
        while current != target {
            let scope = self.plan.scope(current);
            hops += (scope.env_slots > 0) as u32;
            match scope.parent {
                Some(parent) => current = parent,
                None => break,
            }
        }
        match u8::try_from(hops) {
            Ok(hops) => Ok(hops),
            Err(_) => self.fail(0, "The program is nested too deeply"),
        }
    }

    /// The binding that an identifier refers to, and whether its dead zone must be checked.
    pub(super) fn resolved(&self, identifier: &IdentifierReference) -> (Option<BindingId>, bool) {
        match identifier.reference_id.get() {
            Some(id) => {
                let reference = &self.plan.references[id.index()];
                (reference.binding, reference.checked)
            }
            None => (None, false),
        }
    }

    /// The register of a local variable that can be read without a check.
    pub(super) fn local_register(&self, identifier: &IdentifierReference) -> Option<(BindingId, Register)> {
        let (binding, checked) = self.resolved(identifier);
        let binding = binding?;
        let plan = self.plan.binding(binding);
        // A constant is not captured: another function has no register of it.
        if plan.constant.is_some() && self.plan.scope(plan.scope).root != self.plan.scope(self.scope).root {
            return None;
        }
        match plan.storage {
            Storage::Register(Some(register)) if !checked => Some((binding, register)),
            _ => None,
        }
    }

    /// `R[to]` = value of the identifier.
    pub(super) fn load_identifier(&mut self, identifier: &IdentifierReference, to: Register) -> Result<()> {
        let name = identifier.name.as_str();
        let (binding, checked) = self.resolved(identifier);
        match binding {
            None if name == "undefined" => {
                self.f.emit(Opcode::LoadUndefined, to, 0, 0, 0);
                Ok(())
            }
            None => {
                self.f.at(identifier.span.start);
                let site = self.site(name);
                self.f.emit(Opcode::LoadGlobal, to, 0, 0, site);
                Ok(())
            }
            Some(binding) => {
                if let (false, Some(number)) = (checked, self.plan.binding(binding).constant) {
                    self.load_number(to, number);
                    return Ok(());
                }
                if checked {
                    self.f.at(identifier.span.start);
                }
                self.load_binding(binding, checked, to)
            }
        }
    }

    /// `R[to]` = value of the binding.
    pub(super) fn load_binding(&mut self, id: BindingId, checked: bool, to: Register) -> Result<()> {
        let binding = self.plan.binding(id);
        let (name, scope, kind) = (binding.name, binding.scope, binding.kind);
        match binding.storage {
            Storage::Register(Some(register)) => {
                if checked {
                    let name = self.string(name);
                    self.f.emit(Opcode::CheckTdz, register, 0, 0, name);
                }
                self.f.move_register(to, register);
            }
            Storage::Env(slot) => {
                let hops = self.hops(scope)?;
                match u8::try_from(slot) {
                    Ok(slot) if checked => {
                        let name = self.string(name);
                        self.f.emit(Opcode::LoadEnvChecked, to, slot, hops, name);
                    }
                    _ => {
                        self.f.emit(Opcode::LoadEnv, to, 0, hops, slot);
                        if checked {
                            let name = self.string(name);
                            self.f.emit(Opcode::CheckTdz, to, 0, 0, name);
                        }
                    }
                }
            }
            Storage::Global => {
                let site = self.site(name);
                self.f.emit(Opcode::LoadGlobal, to, 0, 0, site);
            }
            Storage::Hosted(index) => {
                self.f.emit(Opcode::NewClosure, to, 0, 0, index);
            }
            Storage::Register(None) | Storage::None => {
                debug_assert!(kind == BindingKind::Dead, "{name} has no place");
                self.throw_error(ErrorKind::Reference, &format!("Cannot access '{name}' before initialization"));
            }
        }
        Ok(())
    }

    /// Assigns `R[from]` to the identifier.
    pub(super) fn store_identifier(&mut self, identifier: &IdentifierReference, from: Register) -> Result<()> {
        let name = identifier.name.as_str();
        self.f.at(identifier.span.start);
        let (binding, checked) = self.resolved(identifier);
        let Some(id) = binding else {
            let site = self.site(name);
            self.f.emit(Opcode::StoreGlobal, from, 0, 0, site);
            return Ok(());
        };
        let binding = self.plan.binding(id);
        let (name, scope, kind, storage) = (binding.name, binding.scope, binding.kind, binding.storage);
        match kind {
            BindingKind::Const | BindingKind::ClassName | BindingKind::EnumMember if storage != Storage::Global => {
                if checked {
                    let mark = self.f.mark();
                    let temp = self.f.temp()?;
                    self.load_binding(id, true, temp)?;
                    self.f.release(mark);
                }
                let name = self.string(name);
                self.f.emit(Opcode::ThrowConst, 0, 0, 0, name);
                return Ok(());
            }
            BindingKind::FunctionName => {
                if self.is_strict() {
                    let name = self.string(name);
                    self.f.emit(Opcode::ThrowConst, 0, 0, 0, name);
                }
                return Ok(());
            }
            _ => {}
        }
        match storage {
            Storage::Env(slot) if checked => {
                let hops = self.hops(scope)?;
                match u8::try_from(slot) {
                    Ok(slot) => {
                        let name = self.string(name);
                        self.f.emit(Opcode::StoreEnvChecked, from, slot, hops, name);
                    }
                    Err(_) => {
                        let mark = self.f.mark();
                        let temp = self.f.temp()?;
                        self.load_binding(id, true, temp)?;
                        self.f.release(mark);
                        self.f.emit(Opcode::StoreEnv, from, 0, hops, slot);
                    }
                }
                Ok(())
            }
            Storage::Register(Some(register)) if checked => {
                let name = self.string(name);
                self.f.emit(Opcode::CheckTdz, register, 0, 0, name);
                self.f.move_register(register, from);
                Ok(())
            }
            Storage::Global => {
                let site = self.site(name);
                self.f.emit(Opcode::StoreGlobal, from, 0, 0, site);
                Ok(())
            }
            _ => self.initialize(id, from),
        }
    }

    /// Writes `R[from]` to the place of a binding, without any check.
    pub(super) fn initialize(&mut self, id: BindingId, from: Register) -> Result<()> {
        let binding = self.plan.binding(id);
        let (name, scope, kind) = (binding.name, binding.scope, binding.kind);
        match binding.storage {
            Storage::Register(Some(register)) => self.f.move_register(register, from),
            Storage::Env(slot) => {
                let hops = self.hops(scope)?;
                self.f.emit(Opcode::StoreEnv, from, 0, hops, slot);
            }
            Storage::Global => {
                let is_lexical = kind.is_lexical() && kind != BindingKind::BlockFunction;
                let op = if is_lexical { Opcode::InitGlobal } else { Opcode::StoreGlobal };
                let site = self.site(name);
                self.f.emit(op, from, 0, 0, site);
            }
            Storage::Register(None) | Storage::None | Storage::Hosted(_) => {
                if kind == BindingKind::Dead {
                    self.throw_error(ErrorKind::Reference, &format!("Cannot access '{name}' before initialization"));
                }
            }
        }
        Ok(())
    }

    /// The register where the value of a binding to be initialised can be built, when it has one.
    pub(super) fn binding_register(&self, id: BindingId) -> Option<Register> {
        match self.plan.binding(id).storage {
            Storage::Register(register) => register,
            _ => None,
        }
    }

    /// The binding of a declared name in the scope that declares it.
    pub(super) fn declared(&self, name: &str) -> Option<BindingId> {
        let mut current = Some(self.scope);
        while let Some(id) = current {
            let scope = self.plan.scope(id);
            if let Some(&binding) = scope.names.get(name) {
                return Some(binding);
            }
            current = scope.parent;
        }
        None
    }

    /// The binding that a var declaration of the name writes to.
    pub(super) fn declared_var(&self, name: &str) -> Option<BindingId> {
        // `catch (e) { var e = 1 }` assigns the parameter, so the nearest binding is the right one here as well.
        self.declared(name)
    }

    /// Lets the lexical binding of a pattern that is a plain name live in the register that its first value comes in.
    pub(super) fn claim(&mut self, scope: ScopeId, pattern: &BindingPattern<'a>, register: Register) {
        let Some(name) = pattern.get_identifier_name() else { return };
        let Some(&id) = self.plan.scope(scope).names.get(name.as_str()) else { return };
        let binding = self.plan.binding(id);
        if !binding.needs_dead_zone && matches!(binding.storage, Storage::Register(_)) {
            self.plan.binding_mut(id).storage = Storage::Register(Some(register));
            self.f.set_local(register, true);
        }
    }

    /// Enters a scope: its environment, its registers, its function declarations.
    pub(super) fn enter(&mut self, scope: ScopeId, statements: &[Statement<'a>]) -> Result<Entered> {
        let entered = self.enter_bare(scope)?;
        self.hoist(statements)?;
        Ok(entered)
    }

    /// Enters a scope without instantiating functions.
    pub(super) fn enter_bare(&mut self, scope: ScopeId) -> Result<Entered> {
        let entered = Entered {
            outer: std::mem::replace(&mut self.scope, scope),
            mark: self.f.mark(),
            has_env: self.plan.scope(scope).env_slots > 0,
        };
        if entered.has_env {
            self.push_env(scope);
            self.f.control.push(Control::Env);
        }
        self.allocate(scope)?;
        Ok(entered)
    }

    /// PushEnv for a scope; vars in it become undefined.
    pub(super) fn push_env(&mut self, scope: ScopeId) {
        let slots = self.plan.scope(scope).env_slots;
        let dead_zone = self.plan.scope(scope).bindings.iter().any(|&id| {
            let binding = self.plan.binding(id);
            binding.needs_dead_zone && matches!(binding.storage, Storage::Env(_))
        });
        self.f.emit(Opcode::PushEnv, !dead_zone as u8, 0, 0, slots);
    }

    /// Gives the bindings of a scope their registers and first values.
    pub(super) fn allocate(&mut self, scope: ScopeId) -> Result<()> {
        let takes_vars =
            matches!(self.plan.scope(scope).kind, ScopeKind::Body | ScopeKind::StaticBlock | ScopeKind::Namespace);
        let dead_zone_env = self.plan.scope(scope).bindings.iter().any(|&id| {
            let binding = self.plan.binding(id);
            binding.needs_dead_zone && matches!(binding.storage, Storage::Env(_))
        });
        for index in 0..self.plan.scope(scope).bindings.len() {
            let id = self.plan.scope(scope).bindings[index];
            let binding = self.plan.binding(id);
            let (kind, dead_zone) = (binding.kind, binding.needs_dead_zone);
            match binding.storage {
                Storage::Register(None) => {
                    let register = self.f.temp()?;
                    self.plan.binding_mut(id).storage = Storage::Register(Some(register));
                    self.f.set_local(register, true);
                    if dead_zone {
                        self.f.emit(Opcode::LoadEmpty, register, 0, 0, 0);
                    } else if takes_vars && matches!(kind, BindingKind::Var) {
                        self.f.emit(Opcode::LoadUndefined, register, 0, 0, 0);
                    }
                }
                Storage::Env(slot) if dead_zone_env && kind == BindingKind::Var => {
                    let mark = self.f.mark();
                    let temp = self.f.temp()?;
                    self.f.emit(Opcode::LoadUndefined, temp, 0, 0, 0);
                    self.f.emit(Opcode::StoreEnv, temp, 0, 0, slot);
                    self.f.release(mark);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Leaves a scope.
    pub(super) fn leave(&mut self, entered: Entered) {
        if entered.has_env {
            self.f.control.pop();
            self.f.emit(Opcode::PopEnv, 0, 0, 0, 0);
        }
        self.forget(entered);
    }

    /// Leaves a scope whose environment is gone already.
    pub(super) fn forget(&mut self, entered: Entered) {
        for &id in &self.plan.scope(self.scope).bindings {
            if let Storage::Register(Some(register)) = self.plan.binding(id).storage {
                self.f.set_local(register, false);
            }
        }
        self.scope = entered.outer;
        self.f.release(entered.mark);
    }
}
