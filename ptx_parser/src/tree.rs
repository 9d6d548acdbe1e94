//! The tree of a module. Names are slices of the source.

use crate::error::Error;
use crate::isa::Instruction;
use crate::modifier::{ScalarType, StateSpace, VectorSize};
use crate::operand::{Address, Immediate};
use crate::span::Span;

/// A module, as it stands in its text.
#[derive(Clone, Debug, PartialEq)]
pub struct Module<'a> {
    /// `.version major.minor`
    pub version: (u16, u16),
    pub target: Target<'a>,
    /// 32 or 64.
    pub address_size: u8,
    pub directives: Vec<Directive<'a>>,
}

/// `.target sm_90a, debug`
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Target<'a> {
    /// All words: an `sm_...` and options like `texmode_independent`.
    pub words: Vec<&'a str>,
}

impl Target<'_> {
    /// The number of the first `sm_...` or `compute_...`: 90 for `sm_90a`.
    pub fn sm(&self) -> Option<u32> {
        let mut words = self.words.iter();
        let sm = words.find_map(|w| w.strip_prefix("sm_").or(w.strip_prefix("compute_")))?;
        sm.trim_end_matches(|c: char| !c.is_ascii_digit()).parse().ok()
    }
}

/// A directive at module scope.
#[derive(Clone, Debug, PartialEq)]
pub enum Directive<'a> {
    Variable(Variable<'a>),
    Function(Function<'a>),
    /// `.alias name, aliasee;`
    Alias {
        name: &'a str,
        aliasee: &'a str,
        span: Span,
    },
    /// `.file 1 "x.cu"`, and the time stamp and size that may follow.
    File {
        index: u32,
        name: &'a str,
    },
    /// `.section .debug_info { ... }`: the body is skipped.
    Section {
        name: &'a str,
    },
    Pragma(Vec<&'a str>),
    /// A prototype at module scope, which only some front ends write.
    Prototype(Prototype<'a>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Linkage {
    /// Nothing is written: seen in the module only.
    #[default]
    Internal,
    Visible,
    Extern,
    Weak,
    Common,
}

/// A variable, a parameter or registers.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable<'a> {
    pub linkage: Linkage,
    pub space: StateSpace,
    /// `.align n`; bytes.
    pub align: Option<u32>,
    pub vector: Option<VectorSize>,
    pub type_: ScalarType,
    pub name: &'a str,
    /// `%r<100>`: the names `%r0` to `%r99` instead of `name` itself.
    pub range: Option<u32>,
    /// `[4][2]`; an unsized array has 0 as its first.
    pub dimensions: Vec<u64>,
    pub initializer: Option<Initializer<'a>>,
    /// `.ptr .space .align n` of kernel parameters.
    pub pointer: Option<Pointer>,
    pub attributes: Vec<Attribute>,
    pub span: Span,
}

/// `.attribute(...)` of variables and functions.
#[derive(Clone, Debug, PartialEq)]
pub enum Attribute {
    Managed,
    Unified(u64, u64),
}

/// The memory that a kernel parameter points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pointer {
    pub space: Option<StateSpace>,
    pub align: Option<u32>,
}

/// The value of a variable at start. What it leaves out is 0.
#[derive(Clone, Debug, PartialEq)]
pub enum Initializer<'a> {
    Immediate(Immediate),
    /// `name`, `name+8`, `generic(name)+8`; `mask` is `0xFF00` in `0xFF00(name)`: one byte of it.
    Symbol {
        address: Address<'a>,
        generic: bool,
        mask: Option<u64>,
    },
    List(Vec<Initializer<'a>>),
    /// `filter_mode = nearest` in the list of a texture, surface or sampler.
    Property(&'a str, Box<Initializer<'a>>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FunctionKind {
    /// `.entry`: a kernel.
    Entry,
    /// `.func`
    Func,
}

/// A kernel or a function; a declaration where there is no body.
#[derive(Clone, Debug, PartialEq)]
pub struct Function<'a> {
    pub linkage: Linkage,
    pub kind: FunctionKind,
    pub name: &'a str,
    pub returns: Vec<Variable<'a>>,
    pub parameters: Vec<Variable<'a>>,
    pub attributes: Vec<Attribute>,
    pub directives: Vec<FunctionDirective<'a>>,
    pub body: Option<Vec<Statement<'a>>>,
    /// From the first word to the name.
    pub span: Span,
}

/// A directive between a function's head and its body.
#[derive(Clone, Debug, PartialEq)]
pub enum FunctionDirective<'a> {
    Maxntid([u32; 3]),
    Reqntid([u32; 3]),
    Minnctapersm(u32),
    Maxnctapersm(u32),
    Maxnreg(u32),
    Noreturn,
    Explicitcluster,
    Reqnctapercluster([u32; 3]),
    Maxclusterrank(u32),
    Blocksareclusters,
    AbiPreserve(u32),
    AbiPreserveControl(u32),
    /// The codes of the languages that the function was made from, 0 to 10.
    Language(Vec<u8>),
    Pragma(Vec<&'a str>),
}

/// A line of a body.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement<'a> {
    Variable(Variable<'a>),
    Label {
        name: &'a str,
        span: Span,
    },
    Instruction(GuardedInstruction<'a>),
    /// `{ ... }`: a scope for the names declared in it.
    Block(Vec<Statement<'a>>),
    Prototype(Prototype<'a>),
    /// `name: .calltargets f, g;`
    CallTargets {
        name: &'a str,
        targets: Vec<&'a str>,
        span: Span,
    },
    /// `name: .branchtargets a, b;`
    BranchTargets {
        name: &'a str,
        targets: Vec<&'a str>,
        span: Span,
    },
    /// `.loc file line column`
    Loc(Loc),
    Pragma(Vec<&'a str>),
    /// A statement that could not be read; only the function that holds it is lost.
    Unknown(Box<Unknown<'a>>),
}

/// `@p instruction;`
#[derive(Clone, Debug, PartialEq)]
pub struct GuardedInstruction<'a> {
    pub guard: Option<Guard<'a>>,
    pub instruction: Instruction<'a>,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard<'a> {
    pub predicate: &'a str,
    /// `@!p`
    pub not: bool,
}

/// `name: .callprototype (returns) _ (parameters);`
#[derive(Clone, Debug, PartialEq)]
pub struct Prototype<'a> {
    pub name: &'a str,
    pub returns: Vec<Variable<'a>>,
    pub parameters: Vec<Variable<'a>>,
    pub directives: Vec<FunctionDirective<'a>>,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loc {
    pub file: u32,
    pub line: u32,
    pub column: u32,
}

/// A statement that could not be read.
#[derive(Clone, Debug, PartialEq)]
pub struct Unknown<'a> {
    /// Opcode and modifiers; empty where it is no instruction.
    pub mnemonic: &'a str,
    /// The whole statement.
    pub text: &'a str,
    pub span: Span,
    pub error: Error,
}
