//! How native functions see their arguments.

use crate::object::ObjectKind;
use crate::value::Value;
use crate::vm::Vm;

/// The arguments of a native call. The values stay on the VM stack, so they are rooted while the function runs.
#[derive(Clone, Copy, Debug)]
pub struct Arguments {
    /// The this value, not coerced.
    pub this: Value,
    /// new.target, undefined when called.
    pub new_target: Value,
    /// The function object.
    pub callee: Value,
    /// Index of the first argument on the stack.
    pub(crate) start: u32,
    /// Number of arguments.
    pub(crate) count: u32,
}

impl Arguments {
    /// The number of arguments.
    #[inline]
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// Whether there are no arguments.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Argument `index`, undefined when absent.
    #[inline]
    pub fn get(&self, vm: &Vm, index: usize) -> Value {
        if index < self.count as usize { vm.stack[self.start as usize + index] } else { Value::UNDEFINED }
    }

    /// Argument `index`, or None when absent.
    #[inline]
    pub fn get_present(&self, vm: &Vm, index: usize) -> Option<Value> {
        (index < self.count as usize).then(|| vm.stack[self.start as usize + index])
    }

    /// A copy of all arguments from `from` on.
    pub fn rest(&self, vm: &Vm, from: usize) -> Vec<Value> {
        let (start, count) = (self.start as usize, self.count as usize);
        vm.stack[start + from.min(count)..start + count].to_vec()
    }

    /// Whether the function runs as a constructor.
    #[inline]
    pub fn is_construct(&self) -> bool {
        !self.new_target.is_undefined()
    }

    /// Captured value `index` of a native closure (see `Vm::new_native_closure`), undefined when there is none.
    pub fn capture(&self, vm: &Vm, index: usize) -> Value {
        let Some(callee) = self.callee.as_object() else { return Value::UNDEFINED };
        match &vm.heap[callee].kind {
            ObjectKind::Native(native) => native.captures.get(index).copied().unwrap_or(Value::UNDEFINED),
            _ => Value::UNDEFINED,
        }
    }

    /// Replaces captured value `index` of a native closure.
    pub fn set_capture(&self, vm: &mut Vm, index: usize, value: Value) {
        let Some(callee) = self.callee.as_object() else { return };
        if let ObjectKind::Native(native) = &mut vm.heap[callee].kind
            && let Some(slot) = native.captures.get_mut(index)
        {
            *slot = value;
        }
    }
}
