//! One function under construction: instructions, registers, labels, constants.

use codemode_bytecode::{Constant, FunctionCode, Handler, Instruction, MAX_REGISTERS, Opcode, Position, Site};

use crate::{
    error::{Failure, Result},
    lower::Control,
    scope::ScopeId,
    unit::empty_function,
};

/// A register number.
pub(crate) type Register = u8;

/// A place in the code that jumps can go to before it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Label(u32);

#[derive(Debug, Default)]
struct LabelState {
    target: Option<u32>,
    pending: Vec<u32>,
}

/// Ranges of instructions that a handler covers; ranges because code that leaves the region early is not covered.
#[derive(Debug)]
pub(crate) struct Region {
    segments: Vec<(u32, u32)>,
    open: Option<u32>,
}

/// Builder of one function.
pub(crate) struct FunctionBuilder {
    pub code: FunctionCode,
    /// Number of the function in the unit.
    pub index: u32,
    /// Root scope of the function.
    pub root: ScopeId,
    /// What break, continue, return and throw must pass, outermost first.
    pub control: Vec<Control>,
    /// Jumps of generators resumed by return, where nothing is to be unwound: label and register of the value.
    pub return_stubs: Vec<(Label, Register)>,
    /// The completion value of a script or program goes here.
    pub completion: Option<Register>,
    /// Where this is kept, in functions that use it often.
    pub this_register: Option<Register>,
    labels: Vec<LabelState>,
    next: u16,
    is_local: [bool; MAX_REGISTERS],
    /// Where the source is, for messages about complexity.
    offset: u32,
}

impl FunctionBuilder {
    pub fn new(index: u32, root: ScopeId) -> Self {
        Self {
            code: empty_function(),
            index,
            root,
            control: Vec::new(),
            return_stubs: Vec::new(),
            completion: None,
            this_register: None,
            labels: Vec::new(),
            next: 0,
            is_local: [false; MAX_REGISTERS],
            offset: 0,
        }
    }

    // ---- Registers

    /// Takes the next register.
    pub fn temp(&mut self) -> Result<Register> {
        self.temps(1)
    }

    /// Takes a run of registers; gives the first.
    pub fn temps(&mut self, count: usize) -> Result<Register> {
        let first = self.next as usize;
        let end = first + count;
        if end > MAX_REGISTERS {
            return Err(Failure::complex(self.offset, "The function is too complex: an expression is too large"));
        }
        self.next = end as u16;
        self.code.register_count = self.code.register_count.max(self.next);
        Ok(first as Register)
    }

    /// The number of registers in use, to be given back to [`FunctionBuilder::release`].
    pub fn mark(&self) -> u16 {
        self.next
    }

    /// Frees the registers taken since the mark.
    pub fn release(&mut self, mark: u16) {
        self.next = mark;
    }

    /// How many registers are free.
    pub fn free_registers(&self) -> usize {
        MAX_REGISTERS - self.next as usize
    }

    /// Says whether a register holds a binding that code can see.
    pub fn set_local(&mut self, register: Register, is_local: bool) {
        self.is_local[register as usize] = is_local;
    }

    /// Whether a register holds a binding: it must then not be written before its expression is complete.
    pub fn is_local(&self, register: Register) -> bool {
        self.is_local[register as usize]
    }

    // ---- Instructions

    /// Number of the next instruction.
    pub fn here(&self) -> u32 {
        self.code.instructions.len() as u32
    }

    /// Appends an instruction.
    pub fn emit(&mut self, op: Opcode, a: Register, b: Register, c: Register, d: u32) -> u32 {
        self.code.instructions.push(Instruction::new(op, a, b, c, d));
        self.here() - 1
    }

    /// Says where in the source the next instructions come from.
    pub fn at(&mut self, offset: u32) {
        self.offset = offset;
        let instruction = self.here();
        match self.code.positions.last_mut() {
            Some(last) if last.offset == offset => {}
            Some(last) if last.instruction == instruction => last.offset = offset,
            _ => self.code.positions.push(Position { instruction, offset }),
        }
    }

    /// `R[to] = R[from]`, unless they are the same.
    pub fn move_register(&mut self, to: Register, from: Register) {
        if to != from {
            self.emit(Opcode::Move, to, from, 0, 0);
        }
    }

    pub fn load_int(&mut self, register: Register, value: i32) {
        self.emit(Opcode::LoadInt, register, 0, 0, value as u32);
    }

    // ---- Labels

    pub fn label(&mut self) -> Label {
        self.labels.push(LabelState::default());
        Label(self.labels.len() as u32 - 1)
    }

    /// The label is here.
    pub fn bind(&mut self, label: Label) {
        let here = self.here();
        let state = &mut self.labels[label.0 as usize];
        state.target = Some(here);
        for instruction in std::mem::take(&mut state.pending) {
            self.code.instructions[instruction as usize].d = here;
        }
    }

    /// An instruction whose `d` is the label.
    pub fn jump(&mut self, op: Opcode, a: Register, b: Register, c: Register, label: Label) {
        let target = self.labels[label.0 as usize].target;
        let instruction = self.emit(op, a, b, c, target.unwrap_or(0));
        if target.is_none() {
            self.labels[label.0 as usize].pending.push(instruction);
        }
    }

    /// A jump with a short integer to compare with.
    pub fn jump_int(&mut self, op: Opcode, a: Register, value: i16, label: Label) {
        let [low, high] = value.to_le_bytes();
        self.jump(op, a, low, high, label);
    }

    // ---- Handlers

    /// Starts a region that a handler covers.
    pub fn open_region(&mut self) -> Region {
        Region { segments: Vec::new(), open: Some(self.here()) }
    }

    /// Code from here on is not covered.
    pub fn suspend_region(&mut self, region: &mut Region) {
        if let Some(start) = region.open.take() {
            let here = self.here();
            if start < here {
                region.segments.push((start, here));
            }
        }
    }

    /// Code from here on is covered again.
    pub fn resume_region(&mut self, region: &mut Region) {
        region.open.get_or_insert(self.here());
    }

    /// The handler of the region starts here; the thrown value is in `register`.
    pub fn handle(&mut self, mut region: Region, register: Register) {
        self.suspend_region(&mut region);
        let target = self.here();
        for (start, end) in region.segments {
            self.code.handlers.push(Handler { start, end, target, register });
        }
    }

    // ---- Tables

    pub fn constant(&mut self, constant: Constant) -> u32 {
        let existing = match constant {
            Constant::Number(_) | Constant::String(_) | Constant::BigInt(_) => {
                self.code.constants.iter().rev().take(16).position(|other| same(other, &constant))
            }
            _ => None,
        };
        match existing {
            Some(back) => (self.code.constants.len() - 1 - back) as u32,
            None => {
                self.code.constants.push(constant);
                self.code.constants.len() as u32 - 1
            }
        }
    }

    /// A new property site.
    pub fn site(&mut self, name: u32) -> u32 {
        self.code.sites.push(Site { name });
        self.code.sites.len() as u32 - 1
    }
}

/// Equality by bits for numbers: 0 and -0 differ.
fn same(a: &Constant, b: &Constant) -> bool {
    match (a, b) {
        (Constant::Number(a), Constant::Number(b)) => a.to_bits() == b.to_bits(),
        _ => a == b,
    }
}
