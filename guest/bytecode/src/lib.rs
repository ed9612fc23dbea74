//! Bytecode of the CodeMode engine: what the compiler produces and the virtual machine runs.
//!
//! One table in [`opcode`] defines every instruction; the [`Opcode`] enum, the disassembler and the verifier come from it.
//! Nothing here knows the compiler or the runtime.

mod code;
mod disassemble;
pub mod intrinsic;
mod opcode;
mod verify;

pub use code::*;
pub use disassemble::disassemble;
pub use intrinsic::Intrinsic;
pub use opcode::{Instruction, Opcode, Operand, OperandKinds};
pub use verify::{VerifyError, verify};
