//! The opcode table.
//!
//! An instruction has 8 bytes: opcode, three 8-bit operands `a`, `b`, `c` and one 32-bit operand `d`. `R[n]` is register n of
//! the running frame; registers `0..parameter_count` hold the parameters on entry, all others undefined.
//!
//! Conventions
//! - `a` is the destination where there is one.
//! - A *call window* is a run of registers: `R[b]` callee, `R[b+1]` this (for `New` the new.target), `R[b+2..b+2+c]` arguments.
//!   The callee's frame overlaps the window: everything from `R[b]` upwards is dead after the call, but for the result.
//!   Hence the window must be at the top of the registers in use.
//! - An *iterator record* is three registers: iterator, next method, state. The state is TRUE when the iterator is done (or
//!   its `next` threw), so that closing does nothing then.
//! - `site` indexes [`FunctionCode::sites`]: a property name with room for an inline cache.
//! - Registers named by `d` where the format says so are plain register numbers.

/// What an operand of an instruction means. Drives disassembler and verifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// Not used; zero.
    None,
    /// A register.
    Register,
    /// A register where a run of `c` registers starts.
    Registers,
    /// A register where a call window with `c` arguments starts.
    Window,
    /// A register where an iterator record (three registers) starts.
    Record,
    /// A register where a pair starts.
    Pair,
    /// A small unsigned number.
    Number,
    /// A signed 32-bit integer in `d`.
    Integer,
    /// A signed 16-bit integer in `b` (low byte) and `c` (high byte).
    Short,
    /// The second half of a [`Operand::Short`].
    ShortHigh,
    /// Index into [`FunctionCode::constants`](crate::FunctionCode::constants).
    Constant,
    /// Index into [`CodeUnit::strings`](crate::CodeUnit::strings), or [`NO_STRING`](crate::NO_STRING).
    String,
    /// Index into [`FunctionCode::sites`](crate::FunctionCode::sites).
    Site,
    /// Index into [`CodeUnit::functions`](crate::CodeUnit::functions).
    Function,
    /// Index into [`CodeUnit::intrinsics`](crate::Intrinsic::ALL).
    Intrinsic,
    /// A jump target: index of an instruction of this function.
    Target,
}

/// The meaning of the operands `a`, `b`, `c` and `d` of an opcode.
pub type OperandKinds = [Operand; 4];

macro_rules! opcodes {
    ($($(#[doc = $doc:literal])+ $name:ident $a:ident $b:ident $c:ident $d:ident;)+) => {
        /// An operation of the virtual machine.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum Opcode {
            $($(#[doc = $doc])+ $name,)+
        }

        impl Opcode {
            /// All opcodes in order of their numbers.
            pub const ALL: &'static [Opcode] = &[$(Opcode::$name,)+];

            /// The opcode's name as the disassembler prints it.
            pub const fn name(self) -> &'static str {
                match self { $(Opcode::$name => stringify!($name),)+ }
            }

            /// What the operands mean.
            pub const fn operands(self) -> OperandKinds {
                match self { $(Opcode::$name => [Operand::$a, Operand::$b, Operand::$c, Operand::$d],)+ }
            }
        }
    };
}

opcodes! {
    // ---- Constants and moves
    /// Does nothing.
    Nop None None None None;
    /// `R[a] = R[b]`
    Move Register Register None None;
    /// `R[a] = d` as int32
    LoadInt Register None None Integer;
    /// `R[a] = constants[d]` (number, string or BigInt)
    LoadConst Register None None Constant;
    /// `R[a] = undefined`
    LoadUndefined Register None None None;
    /// `R[a] = null`
    LoadNull Register None None None;
    /// `R[a] = true`
    LoadTrue Register None None None;
    /// `R[a] = false`
    LoadFalse Register None None None;
    /// `R[a] = EMPTY`: the marker of a binding in its temporal dead zone
    LoadEmpty Register None None None;
    /// `R[a]` = the frame's this value; ReferenceError when it is not bound yet (derived constructor before `super()`).
    LoadThis Register None None None;
    /// `R[a]` = the running function object
    LoadCallee Register None None None;
    /// `R[a]` = new.target
    LoadNewTarget Register None None None;
    /// `R[a]` = [[HomeObject]] of the running function
    LoadHomeObject Register None None None;

    // ---- Environments: captured bindings
    /// Pushes an environment with `d` slots, all EMPTY when `a` is 0, all undefined when `a` is 1.
    PushEnv Number None None Integer;
    /// Leaves the innermost environment.
    PopEnv None None None None;
    /// Replaces the innermost environment by a copy (a fresh binding per iteration).
    CopyEnv None None None None;
    /// `R[a]` = the current environment, an internal value for `RestoreEnv` only
    SaveEnv Register None None None;
    /// Makes the environment in `R[a]` the current one (first instruction of a handler).
    RestoreEnv Register None None None;
    /// `R[a]` = slot `d` of the environment `c` levels out. No TDZ check.
    LoadEnv Register None Number Integer;
    /// `R[a]` = slot `b` of the environment `c` levels out; ReferenceError naming string `d` when it is EMPTY.
    LoadEnvChecked Register Number Number String;
    /// Slot `d` of the environment `c` levels out `= R[a]`. No TDZ check (initialisation, var, parameters).
    StoreEnv Register None Number Integer;
    /// Slot `b` of the environment `c` levels out `= R[a]`; ReferenceError naming string `d` when it was EMPTY.
    StoreEnvChecked Register Number Number String;
    /// ReferenceError naming string `d` when `R[a]` is EMPTY.
    CheckTdz Register None None String;
    /// TypeError `Assignment to constant variable.`, named by string `d`.
    ThrowConst None None None String;

    // ---- Globals
    /// Instantiates the global declarations of a script: `constants[d]` is a [`Constant::Declarations`](crate::Constant::Declarations). GlobalDeclarationInstantiation.
    DeclareGlobals None None None Constant;
    /// `R[a]` = the global binding named by the site: declarative first, then global object; ReferenceError when missing.
    LoadGlobal Register None None Site;
    /// As `LoadGlobal`, but undefined when missing (typeof).
    LoadGlobalOrUndefined Register None None Site;
    /// Assigns `R[a]` to the global binding. Missing: ReferenceError in strict code, else a new global property.
    StoreGlobal Register None None Site;
    /// Initialises the declarative (let, const, class) global binding with `R[a]`.
    InitGlobal Register None None Site;
    /// `R[a]` = delete the global binding named by string `d` (sloppy code only).
    DeleteGlobal Register None None String;

    // ---- Arithmetic: `R[a] = R[b] op R[c]`
    /// `+`
    Add Register Register Register None;
    /// `-`
    Sub Register Register Register None;
    /// `*`
    Mul Register Register Register None;
    /// `/`
    Div Register Register Register None;
    /// `%`
    Mod Register Register Register None;
    /// `**`
    Exp Register Register Register None;
    /// `&`
    BitAnd Register Register Register None;
    /// `|`
    BitOr Register Register Register None;
    /// `^`
    BitXor Register Register Register None;
    /// `<<`
    Shl Register Register Register None;
    /// `>>`
    Shr Register Register Register None;
    /// `>>>`
    UShr Register Register Register None;
    /// `R[a] = R[b] + d`
    AddInt Register Register None Integer;
    /// `R[a] = R[b] - d`
    SubInt Register Register None Integer;
    /// `R[a] = R[b] * d`
    MulInt Register Register None Integer;
    /// `R[a] = R[b] % d`
    ModInt Register Register None Integer;
    /// `R[a] = R[b] & d`
    BitAndInt Register Register None Integer;
    /// `R[a] = R[b] | d`
    BitOrInt Register Register None Integer;
    /// `R[a] = R[b] << d`
    ShlInt Register Register None Integer;
    /// `R[a] = R[b] >> d`
    ShrInt Register Register None Integer;
    /// `R[a] = R[b] >>> d`
    UShrInt Register Register None Integer;
    /// `R[a] = -R[b]`
    Neg Register Register None None;
    /// `R[a] = ~R[b]`
    BitNot Register Register None None;
    /// `R[a] = !R[b]`
    Not Register Register None None;
    /// `R[a] = +R[b]` (ToNumber; TypeError on BigInt)
    ToNumber Register Register None None;
    /// `R[a]` = ToNumeric(R[b])
    ToNumeric Register Register None None;
    /// `R[a]` = ToNumeric(R[b]) + 1
    Inc Register Register None None;
    /// `R[a]` = ToNumeric(R[b]) - 1
    Dec Register Register None None;
    /// `R[a] = typeof R[b]`
    Typeof Register Register None None;

    // ---- Comparison: `R[a] = R[b] op R[c]`
    /// `<`
    Lt Register Register Register None;
    /// `<=`
    Le Register Register Register None;
    /// `>`
    Gt Register Register Register None;
    /// `>=`
    Ge Register Register Register None;
    /// `==`
    Eq Register Register Register None;
    /// `!=`
    Ne Register Register Register None;
    /// `===`
    StrictEq Register Register Register None;
    /// `!==`
    StrictNe Register Register Register None;
    /// `instanceof`
    InstanceOf Register Register Register None;
    /// `R[b] in R[c]`
    In Register Register Register None;

    // ---- Jumps
    /// Continues at `d`, forwards only.
    Jump None None None Target;
    /// Continues at `d`, backwards: the safepoint of a loop (steps, interrupts, garbage collection).
    JumpLoop None None None Target;
    /// To `d` when ToBoolean(R[a])
    JumpIfTrue Register None None Target;
    /// To `d` unless ToBoolean(R[a])
    JumpIfFalse Register None None Target;
    /// To `d` when `R[a]` is null or undefined
    JumpIfNullish Register None None Target;
    /// To `d` unless `R[a]` is null or undefined
    JumpIfNotNullish Register None None Target;
    /// To `d` when `R[a]` is undefined
    JumpIfUndefined Register None None Target;
    /// To `d` unless `R[a]` is undefined
    JumpIfNotUndefined Register None None Target;
    /// To `d` when `R[a] < R[b]`
    JumpLt Register Register None Target;
    /// To `d` when `R[a] <= R[b]`
    JumpLe Register Register None Target;
    /// To `d` when `R[a] > R[b]`
    JumpGt Register Register None Target;
    /// To `d` when `R[a] >= R[b]`
    JumpGe Register Register None Target;
    /// To `d` unless `R[a] < R[b]`
    JumpNotLt Register Register None Target;
    /// To `d` unless `R[a] <= R[b]`
    JumpNotLe Register Register None Target;
    /// To `d` unless `R[a] > R[b]`
    JumpNotGt Register Register None Target;
    /// To `d` unless `R[a] >= R[b]`
    JumpNotGe Register Register None Target;
    /// To `d` when `R[a] == R[b]`
    JumpEq Register Register None Target;
    /// To `d` when `R[a] != R[b]`
    JumpNe Register Register None Target;
    /// To `d` when `R[a] === R[b]`
    JumpStrictEq Register Register None Target;
    /// To `d` when `R[a] !== R[b]`
    JumpStrictNe Register Register None Target;
    /// To `d` when `R[a] <` the short integer
    JumpLtInt Register Short ShortHigh Target;
    /// To `d` unless `R[a] <` the short integer
    JumpNotLtInt Register Short ShortHigh Target;
    /// To `d` when `R[a] ===` the short integer (also dispatches completions after `finally`)
    JumpEqInt Register Short ShortHigh Target;
    /// To `d` unless `R[a] ===` the short integer
    JumpNeInt Register Short ShortHigh Target;

    // ---- Properties
    /// `R[a] = R[b].site`
    GetProp Register Register None Site;
    /// `R[a] = R[b].length`, same meaning as `GetProp` with that name
    GetLength Register Register None Site;
    /// `R[a].site = R[b]`, throwing as the function's strictness says
    SetProp Register Register None Site;
    /// `R[a] = R[b][R[c]]`
    GetElem Register Register Register None;
    /// `R[a][R[b]] = R[c]`, throwing as the function's strictness says
    SetElem Register Register Register None;
    /// `R[a]` = delete `R[b]`.string d; TypeError in strict code when it fails
    DeleteProp Register Register None String;
    /// `R[a] = delete R[b][R[c]]`
    DeleteElem Register Register Register None;
    /// `R[a]` = GetMethod(R[b], site): undefined for null and undefined, TypeError unless callable
    GetMethod Register Register None Site;
    /// `R[a] = R[b].[[GetPrototypeOf]]()`, for `super` (R[b] = home object or active function)
    GetPrototype Register Register None None;
    /// `R[a] = R[b].[[Get]](R[c], receiver R[d])`, for `super[key]`; R[c] is a property key already, R[b] an object or null
    GetSuper Register Register Register Number;
    /// `R[a].[[Set]](R[b], R[c], receiver R[d])`, for `super[key] = v`
    SetSuper Register Register Register Number;
    /// `R[a]` = ToPropertyKey(R[b])
    ToPropertyKey Register Register None None;
    /// TypeError when `R[a]` is null or undefined: string `d` is the message, in which `{}` stands for the value.
    RequireObjectCoercible Register None None String;
    /// TypeError when `R[a]` is not an object; string `d` is the message, followed by nothing.
    RequireObject Register None None String;

    // ---- Private names: R[c] or R[b] holds the private symbol made by `NewPrivateName`
    /// `R[a]` = a new private symbol whose description is string `d` (with its `#`)
    NewPrivateName Register None None String;
    /// `R[a] = R[b].#R[c]`; the site holds only the cache
    GetPrivate Register Register Register Site;
    /// `R[a].#R[b] = R[c]`
    SetPrivate Register Register Register Site;
    /// Adds the private field: `R[a].#R[b] = R[c]`; TypeError when it exists
    DefinePrivate Register Register Register None;
    /// Adds a private method (d 0), getter (1) or setter (2) `R[c]` named `R[b]` to `R[a]`; TypeError when it exists
    DefinePrivateMethod Register Register Register Number;
    /// `R[a] = #R[b] in R[c]`; TypeError unless R[c] is an object
    HasPrivate Register Register Register None;

    // ---- Objects, arrays, functions, classes
    /// `R[a] = {}`
    NewObject Register None None None;
    /// `R[a]` = object whose keys are `constants[d]` (a [`Constant::Keys`](crate::Constant::Keys)) and whose values are `R[b..b+c]`
    NewObjectLiteral Register Registers Number Constant;
    /// `R[a] = [R[b..b+c]]`
    NewArray Register Registers Number None;
    /// Appends `R[b]` to the fresh array `R[a]`
    ArrayPush Register Register None None;
    /// Appends a hole to the fresh array `R[a]`
    ArrayHole Register None None None;
    /// Appends all elements of `R[b]` to the fresh array `R[a]` and jumps to `d` when `R[b]` is an array whose iteration is
    /// not observable; does nothing otherwise (a generic loop follows).
    ArraySpread Register Register None Target;
    /// `R[a]` = a new RegExp of `constants[d]`
    NewRegExp Register None None Constant;
    /// `R[a]` = the template object of `constants[d]`, the same frozen object at each evaluation
    TemplateObject Register None None Constant;
    /// `R[a]` = a closure of function `d` over the current environment
    NewClosure Register None None Function;
    /// `R[a]` = class constructor of function `d`, `R[a+1]` = its prototype. `c` 1: `R[b]` is the heritage value. ClassDefinitionEvaluation steps up to the constructor.
    NewClass Pair Register Number Function;
    /// Sets [[HomeObject]] of the function `R[a]` to `R[b]`
    SetHomeObject Register Register None None;
    /// Sets the field initialiser of the class constructor `R[a]` to the function `R[b]`
    SetFieldInit Register Register None None;
    /// Calls the field initialiser of the class constructor `R[b]`, if any, with this `R[a]`
    InitFields Register Register None None;
    /// SetFunctionName(R[a], R[b]), prefix by `d`: 0 none, 1 `get`, 2 `set`. R[b] is a property key or private symbol. Does nothing when a class `R[a]` has its own static `name`.
    SetFunctionName Register Register None Number;
    /// CreateDataPropertyOrThrow(R[a], site, R[b]): literals and class fields
    DefineField Register Register None Site;
    /// CreateDataPropertyOrThrow(R[a], ToPropertyKey(R[b]), R[c])
    DefineElem Register Register Register None;
    /// Defines method `R[c]` under key `R[b]` on `R[a]`; `d` bits: 1 enumerable, 2 getter, 4 setter (neither: method)
    DefineMethod Register Register Register Number;
    /// `__proto__: R[b]` in the literal `R[a]`, where the language option keeps Annex B's meaning
    SetLiteralProto Register Register None None;
    /// CopyDataProperties(R[a], R[b], keys in R[c..c+d]): object spread and rest
    CopyDataProperties Register Register Register Number;

    // ---- Calls
    /// Calls the window at `b` with `c` arguments; `R[a]` = result. String `d` is the callee's source text for `... is not a function`.
    Call Register Window Number String;
    /// Calls `R[b]` with this `R[b+1]` and the elements of the array `R[b+2]`.
    CallSpread Register Register None String;
    /// Constructs: `R[b]` constructor, `R[b+1]` new.target, `c` arguments.
    New Register Window Number String;
    /// Constructs with the elements of the array `R[b+2]`.
    NewSpread Register Register None String;
    /// Binds this of a derived constructor to `R[a]` after `super()`; ReferenceError when bound already.
    BindThis Register None None None;
    /// ReferenceError when `R[a]` (a captured this binding) is EMPTY: `super()` was not called.
    CheckThis Register None None None;
    /// ReferenceError when `R[a]` is not EMPTY: `super()` was called already.
    CheckThisUnbound Register None None None;
    /// Calls the intrinsic `d` with the arguments `R[b..b+c]` (self-hosted code only).
    Intrinsic Register Registers Number Intrinsic;
    /// Returns `R[a]` from the function. A constructor that returns no object returns its this.
    Return Register None None None;
    /// Throws `R[a]`.
    Throw Register None None None;
    /// Throws a new error: `c` is the [`ErrorKind`](crate::ErrorKind), string `d` the message.
    ThrowError None None Number String;

    // ---- Generators and async functions
    /// First instruction after parameter binding of a generator: suspends the frame and returns the generator object.
    CreateGenerator None None None None;
    /// Yields `R[b]` as `{ value, done: false }`. Resumed by next: `R[a]` = sent value. By throw: throws here. By return: `R[a]` = value, continues at `d`.
    /// In an async generator the compiler has awaited `R[b]` before, and awaits at `d`.
    Yield Register Register None Target;
    /// `yield*`: hands out `R[b]` (generator: the inner result object as it is; async generator: the value). `R[a]` = received value, `R[c]` = 0 next, 1 throw, 2 return.
    YieldDelegate Register Register Register None;
    /// `R[a]` = await `R[b]`; throws when it rejects.
    Await Register Register None None;

    // ---- Iteration
    /// Iterator record at `a` from the iterable `R[b]`; `c` 1: async iterator (falling back to an async-from-sync iterator); 2: sync, and code is going to call the next method itself (`yield*`). String `d`: source text for `... is not iterable`.
    GetIterator Record Register Number String;
    /// `R[b]` = next value of the record at `a`, or jump to `d` when done. Sets the state.
    IteratorNext Record Register None Target;
    /// `R[b]` = next value of the record at `a`, undefined when it is (or was) done. Destructuring.
    IteratorNextOrUndefined Record Register None None;
    /// `R[b]` = result object of calling next of the record at `a` (for await: an Await and `IteratorUnwrap` follow).
    IteratorCall Record Register None None;
    /// `R[b]` holds an iterator result: TypeError unless object; done: state TRUE and jump to `d`; else `R[b]` = its value.
    IteratorUnwrap Record Register None Target;
    /// IteratorClose with a normal completion: does nothing when the state is TRUE; calls return, TypeError unless it gives an object.
    IteratorClose Record None None None;
    /// IteratorClose with a throw completion: the error of return, if any, is dropped.
    IteratorCloseSilent Record None None None;
    /// `R[a]` = enumerator over the keys of `R[b]` (undefined and null: none)
    ForInStart Register Register None None;
    /// `R[b]` = next key of the enumerator `R[a]`, or jump to `d` when done
    ForInNext Register Register None Target;

    // ---- Strings
    /// `R[a]` = ToString(R[b]); TypeError on symbols
    ToString Register Register None None;
    /// `R[a]` = concatenation of the strings `R[b..b+c]`
    ConcatStrings Register Registers Number None;

    // ---- Dynamic scopes: direct eval and with
    /// `R[a]` = binding of string `d` found through dynamic scopes (object environments, eval vars) outwards; ReferenceError when missing unless `c` is 1 (typeof).
    LoadName Register None Number String;
    /// Assigns `R[a]` to the binding of string `d` found through dynamic scopes
    StoreName Register None None String;
    /// `R[a]` = delete the binding of string `d`
    DeleteName Register None None String;
    /// `R[a]` = value of string `d`, `R[a+1]` = this value for a call of it (with object environments)
    LoadNameForCall Pair None None String;
    /// Pushes an object environment of ToObject(R[a]): `with`
    PushWith Register None None None;
    /// Direct eval: `R[a]` = PerformEval of the window at `b` when its callee is %eval%, else an ordinary call. `constants[d]` is a [`Constant::EvalScope`](crate::Constant::EvalScope).
    CallEval Register Window Number Constant;
}

/// One instruction, 8 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Instruction {
    /// The operation.
    pub op: Opcode,
    /// First operand, the destination where there is one.
    pub a: u8,
    /// Second operand.
    pub b: u8,
    /// Third operand.
    pub c: u8,
    /// Wide operand.
    pub d: u32,
}

impl Instruction {
    /// An instruction with all operands given.
    pub const fn new(op: Opcode, a: u8, b: u8, c: u8, d: u32) -> Self {
        Self { op, a, b, c, d }
    }

    /// The short integer in `b` and `c`.
    pub const fn short(self) -> i32 {
        i16::from_le_bytes([self.b, self.c]) as i32
    }
}
