//! The options of a compilation, and the pass that it stops after.

use llvm_zluda::Watch;

/// The options that a kernel is compiled with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// LLVM's verifier runs after each of our own steps.
    pub verify: bool,
    /// For CPUs: a thread may be left before each access of memory that others can see, to find what relies on
    /// the order of accesses.
    pub preempt: bool,
    /// Accesses at addresses that are no multiples of their sizes end the kernel.
    pub check_alignment: bool,
    /// The passes whose results are shown.
    pub watch: Watch,
}

/// A point of a kernel's way, for [`Program::emit`](crate::Program::emit).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The tree of the module, as PTX.
    Ast,
    /// Per-thread LLVM IR.
    Ir,
    /// The LLVM IR that LLVM's code generator gets.
    Llvm,
    /// Assembly of the target.
    Asm,
    /// The linked object that [`Program::compile`](crate::Program::compile) gives.
    Obj,
}
