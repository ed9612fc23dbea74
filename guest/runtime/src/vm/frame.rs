//! Frames of JavaScript functions.

use crate::environment::Environment;
use crate::heap::Gc;
use crate::object::Object;
use crate::value::Value;
use crate::vm::{CodeId, RealmId};

/// What happens with the value that a frame returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnReturn {
    /// Into this register of the frame below.
    Register(u8),
    /// As `Register`, for `new`: a result that is no object is replaced by the frame's this value.
    Construct(u8),
    /// Dropped: setters, field initialisers.
    Discard,
    /// The interpreter loop that pushed the frame returns it to its native caller.
    Exit,
    /// As `Exit`, for construct.
    ExitConstruct,
    /// The frame is `next` of an iterator: unpack the result into the register, or jump when done. `record` is the record's first register.
    IteratorNext {
        /// First register of the iterator record.
        record: u8,
        /// Destination.
        register: u8,
        /// Jump target when done; `u32::MAX`: store undefined and go on.
        done: u32,
    },
    /// The frame is `return` of an iterator being closed normally: its result must be an object.
    IteratorClose,
    /// The frame is `return` of an iterator being closed because of a throw: result and errors are dropped.
    IteratorCloseSilent,
    /// The result is a boolean for a register (`instanceof` through a user-defined `Symbol.hasInstance`).
    Boolean(u8),
}

/// A running or waiting function.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// The function's code.
    pub code: CodeId,
    /// Next instruction (of a waiting frame).
    pub pc: u32,
    /// Stack index of register 0.
    pub base: u32,
    /// Innermost environment.
    pub environment: Option<Gc<Environment>>,
    /// The function object; none for the entry of a script.
    pub function: Option<Gc<Object>>,
    /// The this value, EMPTY in a derived constructor before `super()`.
    pub this: Value,
    /// new.target, undefined in a plain call.
    pub new_target: Value,
    /// What to do with the result.
    pub on_return: OnReturn,
    /// The generator or async function object when the frame can be suspended.
    pub coroutine: Option<Gc<Object>>,
    /// The function's realm.
    pub realm: RealmId,
}
