//! The interpreter loop: one `match` over the opcodes.
//!
//! `regs` is the register window of the running frame: 256 values from its base on, so that 8-bit operands need no bounds
//! check. It borrows `self.stack` only; anything that needs the whole machine saves `pc`, calls an out-of-line function and
//! takes the window anew. Arms hold the fast cases; everything else is in the other files of this folder.

use std::rc::Rc;

use codemode_bytecode::{ErrorKind, Instruction, Intrinsic, NO_STRING, Opcode};

use crate::heap::Gc;
use crate::object::{Elements, Object, ObjectKind};
use crate::value::Value;
use crate::vm::calls::Called;
use crate::vm::frame::OnReturn;
use crate::vm::globals::cached_global;
use crate::vm::iteration::Stepped;
use crate::vm::unwind::Unwound;
use crate::vm::{Code, Completion, Thrown, Vm};

/// Registers a window holds.
pub(crate) const WINDOW: usize = 256;

/// The register window of a frame.
pub(crate) type Registers = [Value; WINDOW];

#[inline(always)]
fn window(stack: &mut [Value], base: usize) -> &mut Registers {
    match (&mut stack[base..base + WINDOW]).try_into() {
        Ok(registers) => registers,
        Err(_) => unreachable!("the slice has the window's length"),
    }
}

impl Vm {
    /// Runs until the frame at depth `floor` (index into `frames`) has returned to its native caller.
    pub(crate) fn run(&mut self, floor: usize) -> Completion<Value> {
        let mut code: Rc<Code>;
        let mut pc: usize;
        let mut base: usize;
        let mut environment;

        macro_rules! reload {
            () => {{
                let Some(frame) = self.frames.last() else { return Err(Thrown) };
                code = self.codes[frame.code.index()].clone();
                pc = frame.pc as usize;
                base = frame.base as usize;
                environment = frame.environment;
            }};
        }
        reload!();
        let mut regs = window(&mut self.stack, base);
        let roots = self.roots.len();

        /// Stores what the loop keeps in locals into the frame.
        macro_rules! save {
            () => {
                if let Some(frame) = self.frames.last_mut() {
                    frame.pc = pc as u32;
                }
            };
        }
        macro_rules! enter {
            () => {{
                self.roots.truncate(roots);
                reload!();
                regs = window(&mut self.stack, base);
            }};
        }
        macro_rules! fail {
            () => {{
                self.roots.truncate(roots);
                match self.unwind(floor) {
                    Unwound::Handled => {
                        enter!();
                        continue;
                    }
                    Unwound::Exit(value) => return Ok(value),
                    Unwound::Thrown => return Err(Thrown),
                }
            }};
        }
        /// Evaluates a fallible expression on `self`, with the frame saved and the window taken anew.
        macro_rules! attempt {
            ($value:expr) => {{
                save!();
                match $value {
                    Ok(value) => {
                        // Operations root what they hold while they run; it ends with them.
                        self.roots.truncate(roots);
                        regs = window(&mut self.stack, base);
                        value
                    }
                    Err(Thrown) => fail!(),
                }
            }};
        }
        /// After an operation that may have pushed a frame.
        macro_rules! called {
            ($a:expr, $value:expr) => {{
                save!();
                match $value {
                    Ok(Called::Value(value)) => {
                        self.roots.truncate(roots);
                        regs = window(&mut self.stack, base);
                        regs[$a as usize] = value;
                    }
                    Ok(Called::Frame) => enter!(),
                    Err(Thrown) => fail!(),
                }
            }};
        }
        macro_rules! safepoint {
            () => {
                self.countdown -= 1;
                if self.countdown == 0 || self.heap.should_collect() {
                    save!();
                    match self.safepoint(floor) {
                        Ok(()) => regs = window(&mut self.stack, base),
                        Err(Thrown) => {
                            if self.is_yielding() {
                                return Err(Thrown);
                            }
                            fail!()
                        }
                    }
                }
            };
        }
        macro_rules! jump {
            ($i:expr) => {
                pc = $i.d as usize
            };
        }
        macro_rules! arithmetic {
            ($i:expr, $checked:ident, $op:tt, $slow:ident) => {{
                let (left, right) = (regs[$i.b as usize], regs[$i.c as usize]);
                if let Some((x, y)) = Value::both_int(left, right) {
                    regs[$i.a as usize] = match x.$checked(y) {
                        Some(value) => Value::int(value),
                        None => Value::double(f64::from(x) $op f64::from(y)),
                    };
                } else if let Some((x, y)) = Value::both_number(left, right) {
                    regs[$i.a as usize] = Value::double(x $op y);
                } else {
                    let value = attempt!(self.$slow(left, right));
                    regs[$i.a as usize] = value;
                }
            }};
        }
        macro_rules! arithmetic_int {
            ($i:expr, $checked:ident, $op:tt, $slow:ident) => {{
                let left = regs[$i.b as usize];
                let y = $i.d as i32;
                if let Some(x) = left.as_int() {
                    regs[$i.a as usize] = match x.$checked(y) {
                        Some(value) => Value::int(value),
                        None => Value::double(f64::from(x) $op f64::from(y)),
                    };
                } else if let Some(x) = left.as_double_only() {
                    regs[$i.a as usize] = Value::double(x $op f64::from(y));
                } else {
                    let value = attempt!(self.$slow(left, Value::int(y)));
                    regs[$i.a as usize] = value;
                }
            }};
        }
        macro_rules! bitwise {
            ($i:expr, $right:expr, |$x:ident, $y:ident| $result:expr, $slow:ident) => {{
                let (left, right) = (regs[$i.b as usize], $right);
                if let Some(($x, $y)) = Value::both_int(left, right) {
                    regs[$i.a as usize] = $result;
                } else if let Some((x, y)) = Value::both_number(left, right) {
                    let ($x, $y) = (crate::number::to_int32(x), crate::number::to_int32(y));
                    regs[$i.a as usize] = $result;
                } else {
                    let value = attempt!(self.$slow(left, right));
                    regs[$i.a as usize] = value;
                }
            }};
        }
        macro_rules! compare {
            ($left:expr, $right:expr, $op:tt, $slow:ident) => {{
                let (left, right) = ($left, $right);
                if let Some((x, y)) = Value::both_int(left, right) {
                    x $op y
                } else if let Some((x, y)) = Value::both_number(left, right) {
                    x $op y
                } else {
                    attempt!(self.$slow(left, right))
                }
            }};
        }
        macro_rules! strict_equals {
            ($left:expr, $right:expr) => {{
                let (left, right) = ($left, $right);
                if let Some((x, y)) = Value::both_int(left, right) { x == y } else { self.heap.is_strictly_equal(left, right) }
            }};
        }
        macro_rules! truthy {
            ($value:expr) => {{
                let value = $value;
                if let Some(boolean) = value.as_bool() { boolean } else { self.heap.to_boolean(value) }
            }};
        }

        loop {
            let i: Instruction = code.instructions[pc];
            pc += 1;
            match i.op {
                Opcode::Nop => {}
                Opcode::Move => regs[i.a as usize] = regs[i.b as usize],
                Opcode::LoadInt => regs[i.a as usize] = Value::int(i.d as i32),
                Opcode::LoadConst => regs[i.a as usize] = code.constants[i.d as usize],
                Opcode::LoadUndefined => regs[i.a as usize] = Value::UNDEFINED,
                Opcode::LoadNull => regs[i.a as usize] = Value::NULL,
                Opcode::LoadTrue => regs[i.a as usize] = Value::TRUE,
                Opcode::LoadFalse => regs[i.a as usize] = Value::FALSE,
                Opcode::LoadEmpty => regs[i.a as usize] = Value::EMPTY,
                Opcode::LoadThis => {
                    let this = self.frames.last().map_or(Value::UNDEFINED, |f| f.this);
                    if this.is_empty() {
                        save!();
                        self.throw_this_unbound();
                        fail!();
                    }
                    regs[i.a as usize] = this;
                }
                Opcode::LoadCallee => {
                    regs[i.a as usize] = self.frames.last().and_then(|f| f.function).map_or(Value::UNDEFINED, Value::object);
                }
                Opcode::LoadNewTarget => {
                    regs[i.a as usize] = self.frames.last().map_or(Value::UNDEFINED, |f| f.new_target);
                }
                Opcode::LoadHomeObject => {
                    let function = self.frames.last().and_then(|f| f.function).map_or(Value::UNDEFINED, Value::object);
                    regs[i.a as usize] = self.heap.home_object(function);
                }

                // ---- Environments
                Opcode::PushEnv => {
                    let fill = if i.a == 0 { Value::EMPTY } else { Value::UNDEFINED };
                    let pushed = self.heap.new_environment_filled(environment, i.d as usize, fill);
                    environment = Some(pushed);
                    if let Some(frame) = self.frames.last_mut() {
                        frame.environment = environment;
                    }
                }
                Opcode::PopEnv => {
                    environment = environment.and_then(|e| self.heap[e].parent);
                    if let Some(frame) = self.frames.last_mut() {
                        frame.environment = environment;
                    }
                }
                Opcode::CopyEnv => {
                    environment = environment.map(|e| self.heap.copy_environment(e));
                    if let Some(frame) = self.frames.last_mut() {
                        frame.environment = environment;
                    }
                }
                Opcode::SaveEnv => {
                    regs[i.a as usize] = environment.map_or(Value::NULL, Value::environment);
                }
                Opcode::RestoreEnv => {
                    environment = regs[i.a as usize].as_environment();
                    if let Some(frame) = self.frames.last_mut() {
                        frame.environment = environment;
                    }
                }
                Opcode::LoadEnv => {
                    let mut scope = environment;
                    for _ in 0..i.c {
                        scope = scope.and_then(|e| self.heap[e].parent);
                    }
                    if let Some(scope) = scope {
                        regs[i.a as usize] = self.heap[scope].get(i.d as usize);
                    }
                }
                Opcode::LoadEnvChecked => {
                    let mut scope = environment;
                    for _ in 0..i.c {
                        scope = scope.and_then(|e| self.heap[e].parent);
                    }
                    if let Some(scope) = scope {
                        let value = self.heap[scope].get(i.b as usize);
                        if value.is_empty() {
                            save!();
                            self.throw_uninitialized(&code, i.d);
                            fail!();
                        }
                        regs[i.a as usize] = value;
                    }
                }
                Opcode::StoreEnv => {
                    let mut scope = environment;
                    for _ in 0..i.c {
                        scope = scope.and_then(|e| self.heap[e].parent);
                    }
                    if let Some(scope) = scope {
                        self.heap[scope].set(i.d as usize, regs[i.a as usize]);
                    }
                }
                Opcode::StoreEnvChecked => {
                    let mut scope = environment;
                    for _ in 0..i.c {
                        scope = scope.and_then(|e| self.heap[e].parent);
                    }
                    if let Some(scope) = scope {
                        if self.heap[scope].get(i.b as usize).is_empty() {
                            save!();
                            self.throw_uninitialized(&code, i.d);
                            fail!();
                        }
                        self.heap[scope].set(i.b as usize, regs[i.a as usize]);
                    }
                }
                Opcode::CheckTdz => {
                    if regs[i.a as usize].is_empty() {
                        save!();
                        self.throw_uninitialized(&code, i.d);
                        fail!();
                    }
                }
                Opcode::ThrowConst => {
                    save!();
                    self.throw_type_error("Assignment to constant variable.");
                    fail!();
                }

                // ---- Globals
                Opcode::DeclareGlobals => attempt!(self.declare_globals(&code, i.d)),
                Opcode::LoadGlobal | Opcode::LoadGlobalOrUndefined => {
                    let cache = code.caches[i.d as usize].get();
                    if let Some(value) = cached_global(&self.heap, &self.realms, self.realm, &cache) {
                        regs[i.a as usize] = value;
                    } else {
                        let value = attempt!(self.load_global(&code, i.d, i.op == Opcode::LoadGlobal));
                        regs[i.a as usize] = value;
                    }
                }
                Opcode::StoreGlobal => {
                    let value = regs[i.a as usize];
                    attempt!(self.store_global(&code, i.d, value))
                }
                Opcode::InitGlobal => {
                    let value = regs[i.a as usize];
                    attempt!(self.initialize_global(&code, i.d, value))
                }
                Opcode::DeleteGlobal => {
                    let value = attempt!(self.delete_global(&code, i.d));
                    regs[i.a as usize] = Value::boolean(value);
                }

                // ---- Arithmetic
                Opcode::Add => arithmetic!(i, checked_add, +, add),
                Opcode::Sub => arithmetic!(i, checked_sub, -, subtract),
                Opcode::Mul => {
                    let (left, right) = (regs[i.b as usize], regs[i.c as usize]);
                    if let Some((x, y)) = Value::both_int(left, right) {
                        regs[i.a as usize] = multiply_ints(x, y);
                    } else if let Some((x, y)) = Value::both_number(left, right) {
                        regs[i.a as usize] = Value::double(x * y);
                    } else {
                        let value = attempt!(self.multiply(left, right));
                        regs[i.a as usize] = value;
                    }
                }
                Opcode::Div => {
                    let (left, right) = (regs[i.b as usize], regs[i.c as usize]);
                    if let Some((x, y)) = Value::both_number(left, right) {
                        regs[i.a as usize] = Value::number(x / y);
                    } else {
                        let value = attempt!(self.divide(left, right));
                        regs[i.a as usize] = value;
                    }
                }
                Opcode::Mod => {
                    let (left, right) = (regs[i.b as usize], regs[i.c as usize]);
                    match Value::both_int(left, right) {
                        Some((x, y)) if x >= 0 && y > 0 => regs[i.a as usize] = Value::int(x % y),
                        _ => {
                            if let Some((x, y)) = Value::both_number(left, right) {
                                regs[i.a as usize] = Value::number(crate::number::remainder(x, y));
                            } else {
                                let value = attempt!(self.remainder(left, right));
                                regs[i.a as usize] = value;
                            }
                        }
                    }
                }
                Opcode::Exp => {
                    let (left, right) = (regs[i.b as usize], regs[i.c as usize]);
                    if let Some((x, y)) = Value::both_number(left, right) {
                        regs[i.a as usize] = Value::number(crate::number::pow(x, y));
                    } else {
                        let value = attempt!(self.exponentiate(left, right));
                        regs[i.a as usize] = value;
                    }
                }
                Opcode::BitAnd => bitwise!(i, regs[i.c as usize], |x, y| Value::int(x & y), bit_and),
                Opcode::BitOr => bitwise!(i, regs[i.c as usize], |x, y| Value::int(x | y), bit_or),
                Opcode::BitXor => bitwise!(i, regs[i.c as usize], |x, y| Value::int(x ^ y), bit_xor),
                Opcode::Shl => bitwise!(i, regs[i.c as usize], |x, y| Value::int(x.wrapping_shl(y as u32)), shift_left),
                Opcode::Shr => bitwise!(i, regs[i.c as usize], |x, y| Value::int(x.wrapping_shr(y as u32)), shift_right),
                Opcode::UShr => {
                    bitwise!(i, regs[i.c as usize], |x, y| Value::from((x as u32).wrapping_shr(y as u32)), unsigned_shift_right)
                }
                Opcode::AddInt => arithmetic_int!(i, checked_add, +, add),
                Opcode::SubInt => arithmetic_int!(i, checked_sub, -, subtract),
                Opcode::MulInt => {
                    let left = regs[i.b as usize];
                    let y = i.d as i32;
                    if let Some(x) = left.as_int() {
                        regs[i.a as usize] = multiply_ints(x, y);
                    } else if let Some(x) = left.as_double_only() {
                        regs[i.a as usize] = Value::double(x * f64::from(y));
                    } else {
                        let value = attempt!(self.multiply(left, Value::int(y)));
                        regs[i.a as usize] = value;
                    }
                }
                Opcode::ModInt => {
                    let left = regs[i.b as usize];
                    let y = i.d as i32;
                    match left.as_int() {
                        Some(x) if x >= 0 && y > 0 => regs[i.a as usize] = Value::int(x % y),
                        _ => {
                            if let Some(x) = left.as_number() {
                                regs[i.a as usize] = Value::number(crate::number::remainder(x, f64::from(y)));
                            } else {
                                let value = attempt!(self.remainder(left, Value::int(y)));
                                regs[i.a as usize] = value;
                            }
                        }
                    }
                }
                Opcode::BitAndInt => bitwise!(i, Value::int(i.d as i32), |x, y| Value::int(x & y), bit_and),
                Opcode::BitOrInt => bitwise!(i, Value::int(i.d as i32), |x, y| Value::int(x | y), bit_or),
                Opcode::ShlInt => bitwise!(i, Value::int(i.d as i32), |x, y| Value::int(x.wrapping_shl(y as u32)), shift_left),
                Opcode::ShrInt => bitwise!(i, Value::int(i.d as i32), |x, y| Value::int(x.wrapping_shr(y as u32)), shift_right),
                Opcode::UShrInt => {
                    bitwise!(i, Value::int(i.d as i32), |x, y| Value::from((x as u32).wrapping_shr(y as u32)), unsigned_shift_right)
                }
                Opcode::Neg => {
                    let value = regs[i.b as usize];
                    regs[i.a as usize] = match value.as_int() {
                        Some(x) if x != 0 && x != i32::MIN => Value::int(-x),
                        _ => match value.as_number() {
                            Some(x) => Value::double(-x),
                            None => attempt!(self.negate(value)),
                        },
                    };
                }
                Opcode::BitNot => {
                    let value = regs[i.b as usize];
                    regs[i.a as usize] = match value.as_int() {
                        Some(x) => Value::int(!x),
                        None => attempt!(self.bit_not(value)),
                    };
                }
                Opcode::Not => {
                    let value = truthy!(regs[i.b as usize]);
                    regs[i.a as usize] = Value::boolean(!value);
                }
                Opcode::ToNumber => {
                    let value = regs[i.b as usize];
                    regs[i.a as usize] = if value.is_number() { value } else { attempt!(self.to_number(value).map(Value::number)) };
                }
                Opcode::ToNumeric => {
                    let value = regs[i.b as usize];
                    regs[i.a as usize] = if value.is_number() { value } else { attempt!(self.to_numeric_value(value)) };
                }
                Opcode::Inc => {
                    let value = regs[i.b as usize];
                    regs[i.a as usize] = match value.as_int().and_then(|x| x.checked_add(1)) {
                        Some(x) => Value::int(x),
                        None => match value.as_number() {
                            Some(x) => Value::double(x + 1.0),
                            None => attempt!(self.increment(value, 1)),
                        },
                    };
                }
                Opcode::Dec => {
                    let value = regs[i.b as usize];
                    regs[i.a as usize] = match value.as_int().and_then(|x| x.checked_sub(1)) {
                        Some(x) => Value::int(x),
                        None => match value.as_number() {
                            Some(x) => Value::double(x - 1.0),
                            None => attempt!(self.increment(value, -1)),
                        },
                    };
                }
                Opcode::Typeof => {
                    let value = regs[i.b as usize];
                    regs[i.a as usize] = Value::string(self.heap.type_of(value));
                }

                // ---- Comparison
                Opcode::Lt => {
                    let value = compare!(regs[i.b as usize], regs[i.c as usize], <, less_than);
                    regs[i.a as usize] = Value::boolean(value);
                }
                Opcode::Le => {
                    let value = compare!(regs[i.b as usize], regs[i.c as usize], <=, less_or_equal);
                    regs[i.a as usize] = Value::boolean(value);
                }
                Opcode::Gt => {
                    let value = compare!(regs[i.b as usize], regs[i.c as usize], >, greater_than);
                    regs[i.a as usize] = Value::boolean(value);
                }
                Opcode::Ge => {
                    let value = compare!(regs[i.b as usize], regs[i.c as usize], >=, greater_or_equal);
                    regs[i.a as usize] = Value::boolean(value);
                }
                Opcode::Eq => {
                    let value = compare!(regs[i.b as usize], regs[i.c as usize], ==, is_loosely_equal);
                    regs[i.a as usize] = Value::boolean(value);
                }
                Opcode::Ne => {
                    let value = compare!(regs[i.b as usize], regs[i.c as usize], ==, is_loosely_equal);
                    regs[i.a as usize] = Value::boolean(!value);
                }
                Opcode::StrictEq => {
                    regs[i.a as usize] = Value::boolean(strict_equals!(regs[i.b as usize], regs[i.c as usize]));
                }
                Opcode::StrictNe => {
                    regs[i.a as usize] = Value::boolean(!strict_equals!(regs[i.b as usize], regs[i.c as usize]));
                }
                Opcode::InstanceOf => {
                    let (value, target) = (regs[i.b as usize], regs[i.c as usize]);
                    called!(i.a, self.instance_of_operator(value, target, i.a))
                }
                Opcode::In => {
                    let (key, object) = (regs[i.b as usize], regs[i.c as usize]);
                    // OPTIMIZATION: loops of builtins ask for every element whether it is there.
                    if let (Some(object), Some(index)) = (object.as_object(), key.as_int())
                        && let Elements::Dense(elements) = &self.heap[object].elements
                        && let Some(value) = elements.get(index as usize)
                        && !value.is_empty()
                    {
                        regs[i.a as usize] = Value::TRUE;
                        continue;
                    }
                    let value = attempt!(self.in_operator(key, object));
                    regs[i.a as usize] = Value::boolean(value);
                }

                // ---- Jumps
                Opcode::Jump => jump!(i),
                Opcode::JumpLoop => {
                    jump!(i);
                    safepoint!();
                }
                Opcode::JumpIfTrue => {
                    if truthy!(regs[i.a as usize]) {
                        jump!(i);
                    }
                }
                Opcode::JumpIfFalse => {
                    if !truthy!(regs[i.a as usize]) {
                        jump!(i);
                    }
                }
                Opcode::JumpIfNullish => {
                    if regs[i.a as usize].is_nullish() {
                        jump!(i);
                    }
                }
                Opcode::JumpIfNotNullish => {
                    if !regs[i.a as usize].is_nullish() {
                        jump!(i);
                    }
                }
                Opcode::JumpIfUndefined => {
                    if regs[i.a as usize].is_undefined() {
                        jump!(i);
                    }
                }
                Opcode::JumpIfNotUndefined => {
                    if !regs[i.a as usize].is_undefined() {
                        jump!(i);
                    }
                }
                Opcode::JumpLt => {
                    if compare!(regs[i.a as usize], regs[i.b as usize], <, less_than) {
                        jump!(i);
                    }
                }
                Opcode::JumpLe => {
                    if compare!(regs[i.a as usize], regs[i.b as usize], <=, less_or_equal) {
                        jump!(i);
                    }
                }
                Opcode::JumpGt => {
                    if compare!(regs[i.a as usize], regs[i.b as usize], >, greater_than) {
                        jump!(i);
                    }
                }
                Opcode::JumpGe => {
                    if compare!(regs[i.a as usize], regs[i.b as usize], >=, greater_or_equal) {
                        jump!(i);
                    }
                }
                Opcode::JumpNotLt => {
                    if !compare!(regs[i.a as usize], regs[i.b as usize], <, less_than) {
                        jump!(i);
                    }
                }
                Opcode::JumpNotLe => {
                    if !compare!(regs[i.a as usize], regs[i.b as usize], <=, less_or_equal) {
                        jump!(i);
                    }
                }
                Opcode::JumpNotGt => {
                    if !compare!(regs[i.a as usize], regs[i.b as usize], >, greater_than) {
                        jump!(i);
                    }
                }
                Opcode::JumpNotGe => {
                    if !compare!(regs[i.a as usize], regs[i.b as usize], >=, greater_or_equal) {
                        jump!(i);
                    }
                }
                Opcode::JumpEq => {
                    if compare!(regs[i.a as usize], regs[i.b as usize], ==, is_loosely_equal) {
                        jump!(i);
                    }
                }
                Opcode::JumpNe => {
                    if !compare!(regs[i.a as usize], regs[i.b as usize], ==, is_loosely_equal) {
                        jump!(i);
                    }
                }
                Opcode::JumpStrictEq => {
                    if strict_equals!(regs[i.a as usize], regs[i.b as usize]) {
                        jump!(i);
                    }
                }
                Opcode::JumpStrictNe => {
                    if !strict_equals!(regs[i.a as usize], regs[i.b as usize]) {
                        jump!(i);
                    }
                }
                Opcode::JumpLtInt => {
                    if compare!(regs[i.a as usize], Value::int(i.short()), <, less_than) {
                        jump!(i);
                    }
                }
                Opcode::JumpNotLtInt => {
                    if !compare!(regs[i.a as usize], Value::int(i.short()), <, less_than) {
                        jump!(i);
                    }
                }
                Opcode::JumpEqInt => {
                    let value = regs[i.a as usize];
                    let equal = match value.as_int() {
                        Some(x) => x == i.short(),
                        None => value.as_double_only() == Some(f64::from(i.short())),
                    };
                    if equal {
                        jump!(i);
                    }
                }
                Opcode::JumpNeInt => {
                    let value = regs[i.a as usize];
                    let equal = match value.as_int() {
                        Some(x) => x == i.short(),
                        None => value.as_double_only() == Some(f64::from(i.short())),
                    };
                    if !equal {
                        jump!(i);
                    }
                }

                // ---- Properties
                Opcode::GetProp => {
                    let value = regs[i.b as usize];
                    if let Some(object) = value.as_object() {
                        let cache = code.caches[i.d as usize].get();
                        let cell = &self.heap[object];
                        if Some(cell.shape()) == cache.shape {
                            match cache.holder {
                                None => {
                                    regs[i.a as usize] = cell.slot(cache.slot);
                                    continue;
                                }
                                Some(holder) if cache.epoch == self.heap.prototype_epoch => {
                                    regs[i.a as usize] = self.heap[holder].slot(cache.slot);
                                    continue;
                                }
                                Some(_) => {}
                            }
                        }
                    }
                    called!(i.a, self.get_property(&code, i.d, value, i.a))
                }
                Opcode::GetLength => {
                    let value = regs[i.b as usize];
                    if let Some(object) = value.as_object() {
                        let cell = &self.heap[object];
                        if let (ObjectKind::Array, Elements::Dense(elements)) = (&cell.kind, &cell.elements) {
                            regs[i.a as usize] = Value::int(elements.len() as i32);
                            continue;
                        }
                        let cache = code.caches[i.d as usize].get();
                        if Some(cell.shape()) == cache.shape && cache.holder.is_none() {
                            regs[i.a as usize] = cell.slot(cache.slot);
                            continue;
                        }
                    } else if let Some(string) = value.as_string() {
                        regs[i.a as usize] = Value::int(self.heap.string_length(string) as i32);
                        continue;
                    }
                    called!(i.a, self.get_property(&code, i.d, value, i.a))
                }
                Opcode::SetProp => {
                    let (target, value) = (regs[i.a as usize], regs[i.b as usize]);
                    if let Some(object) = target.as_object() {
                        let cache = code.caches[i.d as usize].get();
                        let cell = &mut self.heap[object];
                        if Some(cell.shape()) == cache.shape && cache.new_shape.is_none() {
                            cell.set_slot(cache.slot, value);
                            continue;
                        }
                        if let Some(new_shape) = cache.new_shape
                            && Some(cell.shape()) == cache.shape
                            && cache.epoch == self.heap.prototype_epoch
                        {
                            self.heap.append_slot(object, new_shape, cache.slot, value);
                            continue;
                        }
                    }
                    save!();
                    match self.set_property(&code, i.d, target, value) {
                        Ok(Called::Value(_)) => regs = window(&mut self.stack, base),
                        Ok(Called::Frame) => enter!(),
                        Err(Thrown) => fail!(),
                    }
                }
                Opcode::GetElem => {
                    let (target, key) = (regs[i.b as usize], regs[i.c as usize]);
                    if let (Some(object), Some(index)) = (target.as_object(), key.as_int())
                        && let Elements::Dense(elements) = &self.heap[object].elements
                        && let Some(&value) = elements.get(index as usize)
                        && !value.is_empty()
                    {
                        regs[i.a as usize] = value;
                        continue;
                    }
                    called!(i.a, self.get_element(target, key, i.a))
                }
                Opcode::SetElem => {
                    let (target, key, value) = (regs[i.a as usize], regs[i.b as usize], regs[i.c as usize]);
                    if let (Some(object), Some(index)) = (target.as_object(), key.as_int()) {
                        let cell = &mut self.heap[object];
                        if cell.has_writable_elements()
                            && let Elements::Dense(elements) = &mut cell.elements
                            && let Some(slot) = elements.get_mut(index as usize)
                            && !slot.is_empty()
                        {
                            *slot = value;
                            continue;
                        }
                    }
                    save!();
                    match self.set_element(target, key, value, code.is_strict) {
                        Ok(Called::Value(_)) => regs = window(&mut self.stack, base),
                        Ok(Called::Frame) => enter!(),
                        Err(Thrown) => fail!(),
                    }
                }
                Opcode::DeleteProp => {
                    let target = regs[i.b as usize];
                    let key = code.strings[i.d as usize];
                    let value = attempt!(self.delete_operator(target, Value::string(key), code.is_strict));
                    regs[i.a as usize] = Value::boolean(value);
                }
                Opcode::DeleteElem => {
                    let (target, key) = (regs[i.b as usize], regs[i.c as usize]);
                    let value = attempt!(self.delete_operator(target, key, code.is_strict));
                    regs[i.a as usize] = Value::boolean(value);
                }
                Opcode::GetMethod => {
                    let value = regs[i.b as usize];
                    let key = code.site_keys[i.d as usize];
                    let method = attempt!(self.get_method(value, key));
                    regs[i.a as usize] = method;
                }
                Opcode::GetPrototype => {
                    let value = regs[i.b as usize];
                    let prototype = attempt!(self.prototype_of_value(value));
                    regs[i.a as usize] = prototype;
                }
                Opcode::GetSuper => {
                    let (holder, key, receiver) = (regs[i.b as usize], regs[i.c as usize], regs[i.d as usize & 0xFF]);
                    called!(i.a, self.get_super(holder, key, receiver, i.a))
                }
                Opcode::SetSuper => {
                    let (holder, key, value) = (regs[i.a as usize], regs[i.b as usize], regs[i.c as usize]);
                    let receiver = regs[i.d as usize & 0xFF];
                    attempt!(self.set_super(holder, key, value, receiver, code.is_strict))
                }
                Opcode::ToPropertyKey => {
                    let value = regs[i.b as usize];
                    regs[i.a as usize] = if value.is_string() || value.is_symbol() || value.is_int() {
                        value
                    } else {
                        attempt!(self.to_property_key_value(value))
                    };
                }
                Opcode::RequireObjectCoercible => {
                    let value = regs[i.a as usize];
                    if value.is_nullish() {
                        save!();
                        self.throw_not_destructurable(&code, i.d, value);
                        fail!();
                    }
                }
                Opcode::RequireObject => {
                    let value = regs[i.a as usize];
                    if !value.is_object() {
                        save!();
                        let message = code.string_text(i.d);
                        self.throw_type_error(message);
                        fail!();
                    }
                }

                // ---- Private names
                Opcode::NewPrivateName => {
                    let symbol = self.heap.new_private_symbol(code.strings[i.d as usize]);
                    regs[i.a as usize] = Value::symbol(symbol);
                }
                Opcode::GetPrivate => {
                    let (target, name) = (regs[i.b as usize], regs[i.c as usize]);
                    if let Some(object) = target.as_object() {
                        let cache = code.caches[i.d as usize].get();
                        let cell = &self.heap[object];
                        if Some(cell.shape()) == cache.shape && cache.epoch == name.payload() {
                            regs[i.a as usize] = cell.slot(cache.slot);
                            continue;
                        }
                    }
                    called!(i.a, self.get_private(&code, i.d, target, name, i.a))
                }
                Opcode::SetPrivate => {
                    let (target, name, value) = (regs[i.a as usize], regs[i.b as usize], regs[i.c as usize]);
                    if let Some(object) = target.as_object() {
                        let cache = code.caches[i.d as usize].get();
                        let cell = &mut self.heap[object];
                        if Some(cell.shape()) == cache.shape && cache.epoch == name.payload() {
                            cell.set_slot(cache.slot, value);
                            continue;
                        }
                    }
                    save!();
                    match self.set_private(&code, i.d, target, name, value) {
                        Ok(Called::Value(_)) => regs = window(&mut self.stack, base),
                        Ok(Called::Frame) => enter!(),
                        Err(Thrown) => fail!(),
                    }
                }
                Opcode::DefinePrivate => {
                    let (target, name, value) = (regs[i.a as usize], regs[i.b as usize], regs[i.c as usize]);
                    attempt!(self.define_private_field(target, name, value))
                }
                Opcode::DefinePrivateMethod => {
                    let (target, name, value) = (regs[i.a as usize], regs[i.b as usize], regs[i.c as usize]);
                    attempt!(self.define_private_method(target, name, value, i.d))
                }
                Opcode::HasPrivate => {
                    let (name, target) = (regs[i.b as usize], regs[i.c as usize]);
                    let value = attempt!(self.has_private(target, name));
                    regs[i.a as usize] = Value::boolean(value);
                }

                // ---- Objects, arrays, functions, classes
                Opcode::NewObject => {
                    let object = self.realms[self.realm.0 as usize].new_object(&mut self.heap);
                    regs[i.a as usize] = Value::object(object);
                }
                Opcode::NewObjectLiteral => {
                    let first = i.b as usize;
                    let values = first..first + i.c as usize;
                    let shape = match code.literal_shapes[i.d as usize].get() {
                        Some(shape) => shape,
                        None => {
                            let shape = self.literal_shape(&code, i.d);
                            regs = window(&mut self.stack, base);
                            shape
                        }
                    };
                    let object = self.heap.new_object_with_shape(shape, &regs[values]);
                    regs[i.a as usize] = Value::object(object);
                }
                Opcode::NewArray => {
                    let first = i.b as usize;
                    let shape = self.realms[self.realm.0 as usize].array_shape;
                    let array = self.heap.new_array_with_shape(shape, &regs[first..first + i.c as usize]);
                    regs[i.a as usize] = Value::object(array);
                }
                Opcode::ArrayPush => {
                    let (array, value) = (regs[i.a as usize], regs[i.b as usize]);
                    if let Some(array) = array.as_object()
                        && let Elements::Dense(elements) = &mut self.heap[array].elements
                        && elements.len() < elements.capacity()
                    {
                        elements.push(value);
                        continue;
                    }
                    attempt!(self.push_element(array, value))
                }
                Opcode::ArrayHole => {
                    let array = regs[i.a as usize];
                    attempt!(self.push_element(array, Value::EMPTY))
                }
                Opcode::ArraySpread => {
                    let (array, source) = (regs[i.a as usize], regs[i.b as usize]);
                    if attempt!(self.spread_fast(array, source)) {
                        jump!(i);
                    }
                }
                Opcode::NewRegExp => {
                    let value = attempt!(self.new_regexp_literal(&code, i.d));
                    regs[i.a as usize] = value;
                }
                Opcode::TemplateObject => {
                    let object = match code.template_objects[i.d as usize].get() {
                        Some(object) => object,
                        None => {
                            let object = self.template_object(&code, i.d);
                            regs = window(&mut self.stack, base);
                            object
                        }
                    };
                    regs[i.a as usize] = Value::object(object);
                }
                Opcode::NewClosure => {
                    let closure = self.new_closure(code.first, i.d, environment);
                    regs = window(&mut self.stack, base);
                    regs[i.a as usize] = Value::object(closure);
                }
                Opcode::NewClass => {
                    let heritage = (i.c == 1).then(|| regs[i.b as usize]);
                    let (constructor, prototype) = attempt!(self.new_class(&code, i.d, environment, heritage));
                    regs[i.a as usize] = Value::object(constructor);
                    regs[i.a as usize + 1] = Value::object(prototype);
                }
                Opcode::SetHomeObject => self.heap.set_home_object(regs[i.a as usize], regs[i.b as usize]),
                Opcode::SetFieldInit => self.heap.set_field_initializer(regs[i.a as usize], regs[i.b as usize]),
                Opcode::InitFields => {
                    let (this, constructor) = (regs[i.a as usize], regs[i.b as usize]);
                    let initializer = self.heap.field_initializer(constructor);
                    if !initializer.is_undefined() {
                        save!();
                        match self.call_pushing(initializer, this, &[], OnReturn::Discard) {
                            Ok(Called::Value(_)) => regs = window(&mut self.stack, base),
                            Ok(Called::Frame) => enter!(),
                            Err(Thrown) => fail!(),
                        }
                    }
                }
                Opcode::SetFunctionName => {
                    let (function, key) = (regs[i.a as usize], regs[i.b as usize]);
                    attempt!(self.set_function_name_value(function, key, i.d))
                }
                Opcode::DefineField => {
                    let (target, value) = (regs[i.a as usize], regs[i.b as usize]);
                    if let Some(object) = target.as_object() {
                        let cache = code.caches[i.d as usize].get();
                        if let Some(new_shape) = cache.new_shape
                            && Some(self.heap[object].shape()) == cache.shape
                        {
                            self.heap.append_slot(object, new_shape, cache.slot, value);
                            continue;
                        }
                    }
                    attempt!(self.define_field(&code, i.d, target, value))
                }
                Opcode::DefineElem => {
                    let (target, key, value) = (regs[i.a as usize], regs[i.b as usize], regs[i.c as usize]);
                    attempt!(self.define_element(target, key, value))
                }
                Opcode::DefineMethod => {
                    let (target, key, method) = (regs[i.a as usize], regs[i.b as usize], regs[i.c as usize]);
                    attempt!(self.define_method(target, key, method, i.d))
                }
                Opcode::SetLiteralProto => {
                    let (target, value) = (regs[i.a as usize], regs[i.b as usize]);
                    attempt!(self.set_literal_prototype(target, value))
                }
                Opcode::CopyDataProperties => {
                    let (target, source) = (regs[i.a as usize], regs[i.b as usize]);
                    let first = i.c as usize;
                    let excluded = regs[first..first + i.d as usize].to_vec();
                    attempt!(self.copy_data_properties(target, source, &excluded))
                }

                // ---- Calls
                Opcode::Call => {
                    let callee = regs[i.b as usize];
                    if let Some(function) = callee.as_object()
                        && let ObjectKind::Closure(closure) = &self.heap[function].kind
                    {
                        let id = closure.code;
                        let scope = closure.environment;
                        let realm = closure.realm;
                        let target = &self.codes[id.index()];
                        if target.is_simple && self.frames.len() < crate::vm::MAX_CALL_DEPTH {
                            safepoint!();
                            // OPTIMIZATION: the prologue of `calls.rs` for functions that need nothing special, without leaving the loop.
                            let this = regs[i.b as usize + 1];
                            let target = self.codes[id.index()].clone();
                            save!();
                            let new_base = base + i.b as usize + 2;
                            let top = new_base + target.register_count;
                            if self.stack.len() < new_base + WINDOW {
                                self.grow_stack(new_base + WINDOW);
                            }
                            let filled = target.parameter_count.min(i.c as usize);
                            self.stack[new_base + filled..top].fill(Value::UNDEFINED);
                            self.frames.push(crate::vm::Frame {
                                code: id,
                                pc: 0,
                                base: new_base as u32,
                                environment: scope,
                                function: Some(function),
                                this,
                                new_target: Value::UNDEFINED,
                                on_return: OnReturn::Register(i.a),
                                coroutine: None,
                                realm,
                            });
                            self.top = top;
                            self.realm = realm;
                            code = target;
                            pc = 0;
                            base = new_base;
                            environment = scope;
                            regs = window(&mut self.stack, base);
                            continue;
                        }
                    }
                    safepoint!();
                    called!(i.a, self.call_window(base + i.b as usize, i.c as usize, OnReturn::Register(i.a)).map_err(|e| self.name_callee(e, &code, i.d)))
                }
                Opcode::CallSpread => {
                    safepoint!();
                    called!(i.a, self.call_spread(base + i.b as usize, OnReturn::Register(i.a)).map_err(|e| self.name_callee(e, &code, i.d)))
                }
                Opcode::New => {
                    safepoint!();
                    called!(i.a, self.construct_window(base + i.b as usize, i.c as usize, OnReturn::Construct(i.a)).map_err(|e| self.name_callee(e, &code, i.d)))
                }
                Opcode::NewSpread => {
                    safepoint!();
                    called!(i.a, self.construct_spread(base + i.b as usize, OnReturn::Construct(i.a)).map_err(|e| self.name_callee(e, &code, i.d)))
                }
                Opcode::BindThis => {
                    let value = regs[i.a as usize];
                    let bound = match self.frames.last_mut() {
                        Some(frame) if frame.this.is_empty() => {
                            frame.this = value;
                            true
                        }
                        _ => false,
                    };
                    if !bound {
                        save!();
                        self.throw_reference_error("Super constructor may only be called once");
                        fail!();
                    }
                }
                Opcode::CheckThis => {
                    if regs[i.a as usize].is_empty() {
                        save!();
                        self.throw_this_unbound();
                        fail!();
                    }
                }
                Opcode::CheckThisUnbound => {
                    if !regs[i.a as usize].is_empty() {
                        save!();
                        self.throw_reference_error("Super constructor may only be called once");
                        fail!();
                    }
                }
                Opcode::Intrinsic => {
                    let Some(intrinsic) = Intrinsic::from_number(i.d) else { continue };
                    let first = i.b as usize;
                    let value = attempt!(self.call_intrinsic(intrinsic, base + first, i.c as usize));
                    regs[i.a as usize] = value;
                }
                Opcode::Return => {
                    let value = regs[i.a as usize];
                    if let Some(frame) = self.frames.last()
                        && frame.coroutine.is_none()
                        && let OnReturn::Register(register) = frame.on_return
                        && self.frames.len() > floor + 1
                    {
                        // OPTIMIZATION: the common case of `finish_frame`.
                        self.frames.pop();
                        reload!();
                        self.top = base + code.register_count;
                        if let Some(frame) = self.frames.last() {
                            self.realm = frame.realm;
                        }
                        regs = window(&mut self.stack, base);
                        regs[register as usize] = value;
                        continue;
                    }
                    save!();
                    match self.finish_frame(value, floor) {
                        Unwound::Handled => enter!(),
                        Unwound::Exit(value) => return Ok(value),
                        Unwound::Thrown => fail!(),
                    }
                }
                Opcode::Throw => {
                    save!();
                    self.exception = regs[i.a as usize];
                    fail!();
                }
                Opcode::ThrowError => {
                    save!();
                    let kind = error_kind(i.c);
                    let message = if i.d == NO_STRING { String::new() } else { code.string_text(i.d) };
                    self.throw_error(kind, &message);
                    fail!();
                }

                // ---- Generators and async functions
                Opcode::CreateGenerator => {
                    save!();
                    match self.create_generator(floor) {
                        Unwound::Handled => enter!(),
                        Unwound::Exit(value) => return Ok(value),
                        Unwound::Thrown => fail!(),
                    }
                }
                Opcode::Yield => {
                    let value = regs[i.b as usize];
                    save!();
                    match self.yield_value(value, i, false, floor) {
                        Unwound::Handled => enter!(),
                        Unwound::Exit(value) => return Ok(value),
                        Unwound::Thrown => fail!(),
                    }
                }
                Opcode::YieldDelegate => {
                    let value = regs[i.b as usize];
                    save!();
                    match self.yield_value(value, i, true, floor) {
                        Unwound::Handled => enter!(),
                        Unwound::Exit(value) => return Ok(value),
                        Unwound::Thrown => fail!(),
                    }
                }
                Opcode::Await => {
                    let value = regs[i.b as usize];
                    save!();
                    match self.await_value(value, i.a, floor) {
                        Unwound::Handled => enter!(),
                        Unwound::Exit(value) => return Ok(value),
                        Unwound::Thrown => fail!(),
                    }
                }

                // ---- Iteration
                Opcode::GetIterator => {
                    let value = regs[i.b as usize];
                    let record = base + i.a as usize;
                    attempt!(self.get_iterator_record(record, value, i.c, &code, i.d))
                }
                Opcode::IteratorNext | Opcode::IteratorNextOrUndefined => {
                    let a = i.a as usize;
                    // OPTIMIZATION: arrays whose iteration cannot be observed are stepped in place.
                    if regs[a + 1].is_empty()
                        && let (Some(object), Some(index)) = (regs[a].as_object(), regs[a + 2].as_int())
                        && let Elements::Dense(elements) = &self.heap[object].elements
                        && let Some(&value) = elements.get(index as usize)
                        && !value.is_empty()
                    {
                        regs[i.b as usize] = value;
                        regs[a + 2] = Value::int(index + 1);
                        continue;
                    }
                    let done = if i.op == Opcode::IteratorNext { i.d } else { u32::MAX };
                    save!();
                    match self.iterator_next(base, i.a, i.b, done) {
                        Ok(Stepped::Value) => regs = window(&mut self.stack, base),
                        Ok(Stepped::Done) => {
                            regs = window(&mut self.stack, base);
                            if done != u32::MAX {
                                pc = done as usize;
                            }
                        }
                        Ok(Stepped::Frame) => enter!(),
                        Err(Thrown) => fail!(),
                    }
                }
                Opcode::IteratorCall => {
                    let (iterator, next) = (regs[i.a as usize], regs[i.a as usize + 1]);
                    regs[i.a as usize + 2] = Value::TRUE;
                    called!(i.b, self.call_pushing(next, iterator, &[], OnReturn::Register(i.b)))
                }
                Opcode::IteratorUnwrap => {
                    let result = regs[i.b as usize];
                    match attempt!(self.iterator_unwrap(result)) {
                        Some(value) => {
                            regs[i.b as usize] = value;
                            regs[i.a as usize + 2] = Value::FALSE;
                        }
                        None => {
                            regs[i.a as usize + 2] = Value::TRUE;
                            jump!(i);
                        }
                    }
                }
                Opcode::IteratorClose | Opcode::IteratorCloseSilent => {
                    save!();
                    match self.iterator_close_record(base + i.a as usize, i.op == Opcode::IteratorCloseSilent) {
                        Ok(Called::Value(_)) => regs = window(&mut self.stack, base),
                        Ok(Called::Frame) => enter!(),
                        Err(Thrown) => fail!(),
                    }
                }
                Opcode::ForInStart => {
                    let value = regs[i.b as usize];
                    let enumerator = attempt!(self.for_in_start(value));
                    regs[i.a as usize] = enumerator;
                }
                Opcode::ForInNext => {
                    let enumerator = regs[i.a as usize];
                    match attempt!(self.for_in_next(enumerator)) {
                        Some(key) => regs[i.b as usize] = key,
                        None => jump!(i),
                    }
                }

                // ---- Strings
                Opcode::ToString => {
                    let value = regs[i.b as usize];
                    regs[i.a as usize] =
                        if value.is_string() { value } else { attempt!(self.to_string(value).map(Value::string)) };
                }
                Opcode::ConcatStrings => {
                    let value = attempt!(self.concat_strings(base + i.b as usize, i.c as usize));
                    regs[i.a as usize] = value;
                }

                // ---- Dynamic scopes
                Opcode::LoadName => {
                    let value = attempt!(self.load_name(&code, i.d, i.c == 0));
                    regs[i.a as usize] = value;
                }
                Opcode::StoreName => {
                    let value = regs[i.a as usize];
                    attempt!(self.store_name(&code, i.d, value))
                }
                Opcode::DeleteName => {
                    let value = attempt!(self.delete_name(&code, i.d));
                    regs[i.a as usize] = Value::boolean(value);
                }
                Opcode::LoadNameForCall => {
                    let (value, this) = attempt!(self.load_name_for_call(&code, i.d));
                    regs[i.a as usize] = value;
                    regs[i.a as usize + 1] = this;
                }
                Opcode::PushWith => {
                    let value = regs[i.a as usize];
                    environment = attempt!(self.push_with(value));
                }
                Opcode::CallEval => {
                    safepoint!();
                    called!(i.a, self.call_eval(&code, i.d, base + i.b as usize, i.c as usize, i.a))
                }
            }
        }
    }

    /// Makes room on the stack for `length` values.
    #[cold]
    pub(crate) fn grow_stack(&mut self, length: usize) {
        let new_length = length.max(self.stack.len() * 2);
        self.stack.resize(new_length, Value::UNDEFINED);
    }

    /// The function object's closure data is needed often enough to have a name.
    pub(crate) fn is_closure(&self, object: Gc<Object>) -> bool {
        matches!(self.heap[object].kind, ObjectKind::Closure(_))
    }
}

/// The product as an int when it is one and not -0.
#[inline(always)]
pub(crate) fn multiply_ints(x: i32, y: i32) -> Value {
    match x.checked_mul(y) {
        Some(product) if product != 0 || (x >= 0 && y >= 0) => Value::int(product),
        _ => Value::double(f64::from(x) * f64::from(y)),
    }
}

fn error_kind(number: u8) -> ErrorKind {
    [
        ErrorKind::Error,
        ErrorKind::Type,
        ErrorKind::Range,
        ErrorKind::Reference,
        ErrorKind::Syntax,
        ErrorKind::Uri,
        ErrorKind::Eval,
        ErrorKind::Aggregate,
        ErrorKind::Suppressed,
    ]
    .get(usize::from(number))
    .copied()
    .unwrap_or(ErrorKind::Error)
}
