//! From a per-thread module to the bytes of a loadable ELF object.

use cpu_abi::KernelKind;
use llvm_zluda::{CodeGenOptLevel, Module, TargetMachine, link_elf, timed};
use simt::LANES;
use simt::intrinsics::Private;
use simt::passes::Runner;

use crate::pipeline::{self, State};
use crate::{Error, Options, groups, stack_sizes, vectorize};

/// The triple of per-thread modules for this target.
pub const TRIPLE: &str = "x86_64-unknown-linux-gnu";

/// The data layout of per-thread modules for this target: x86-64's, with allocas in address space 5.
pub const DATA_LAYOUT: &str =
    "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128-A5";

/// Passes of LLVM's code generator that change next to nothing in vector code. The scheduler alone takes a twentieth
/// of the time to compile; processors that run instructions out of order do its work again.
const NOT_WORTH_THEIR_TIME: &[&str] = &[
    "Machine Instruction Scheduler",
    "Machine Copy Propagation Pass",
    "Canonicalize Freeze Instructions in Loops",
    "Constant Hoisting",
    "Merge contiguous icmps into a memcmp",
    "Expand memcmp() to load/stores",
    "ObjC ARC contraction",
    "X86 Domain Reassignment Pass",
    "Merge disjoint stack slots",
    "Shrink Wrapping analysis",
];

/// Passes of LLVM's code generator that find nothing in our code: they are for collected heaps, exceptions, x87, AMX's
/// tiles, debuggers, sanitizers, tracers, and mitigations that attributes ask for. Code is the same without them; they and
/// the analyses that only they want take a twentieth of the time that a short kernel takes to compile.
const FOR_OTHER_PROGRAMS: &[&str] = &[
    "Lower AMX intrinsics",
    "Lower AMX type for load/store",
    "Lower Garbage Collection Instructions",
    "Shadow Stack GC Lowering",
    "Replace intrinsics with calls to vector library",
    "Partially inline calls to library functions",
    "Instrument function entry/exit with calls to e.g. mcount() (post inlining)",
    "Expand indirectbr instructions",
    "Exception handling preparation",
    "Prepare callbr",
    "Safe Stack instrumentation pass",
    "Local Dynamic TLS Access Clean-up",
    "X86 PIC Global Base Reg Initialization",
    "Local Stack Slot Allocation",
    "Early If-Conversion",
    "X86 speculative load hardening",
    "Tile Register Pre-configure",
    "Tile Register Configure",
    "Register Allocation Pass Scoring",
    "X86 Lower Tile Copy",
    "X86 FP Stackifier",
    "X86 Load Value Injection (LVI) Load Hardening",
    "Remove Redundant DEBUG_VALUE analysis",
    "Fixup Statepoint Caller Saved",
    "Insert KCFI indirect call checks",
    "Analyze Machine Code For Garbage Collection",
    "Insert fentry calls",
    "Insert XRay ops",
    "Implement the 'patchable-function' attribute",
    "X86 Indirect Branch Tracking",
    "X86 insert wait instruction",
    "Contiguously Lay Out Funclets",
    "Remove Loads Into Fake Uses",
    "StackMap Liveness Analysis",
    "Live DEBUG_VALUE analysis",
    "Machine Sanitizer Binary Metadata",
    "Stack Frame Layout Analysis",
    "X86 Speculative Execution Side Effect Suppression",
    "X86 Indirect Thunks",
    "X86 Return Thunks",
    "X86 Load Value Injection (LVI) Ret-Hardening",
    "Pseudo Probe Inserter",
    "Unpack machine instruction bundles",
];

/// The register allocator is run for AMX's tiles alone before it is run for all the rest.
const FOR_TILES: &[&str] = &["Greedy Register Allocator"];

/// Passes that cost a fifteenth of the time in long functions and gain nothing there: what they move out of loops, or
/// make once for several uses, has no register to stay in.
const FOR_SHORT_FUNCTIONS: &[&str] = &[
    "Early Machine Loop Invariant Code Motion",
    "Machine code sinking",
    "Machine Common Subexpression Elimination",
    "Loop Strength Reduction",
    "CodeGen Prepare",
];

/// Takes per-thread IR as `ptx/` makes it to the IR that code is generated from. The module has [`TRIPLE`] and
/// [`DATA_LAYOUT`]; it becomes the result, since a copy takes a hundredth of the time to compile.
pub fn lower<'c>(
    module: Module<'c>,
    kind: KernelKind,
    options: &Options,
) -> Result<Module<'c>, Error> {
    lower_for(&machine(options)?, module, kind, options)
}

fn lower_for<'c>(
    machine: &TargetMachine,
    module: Module<'c>,
    kind: KernelKind,
    options: &Options,
) -> Result<Module<'c>, Error> {
    if kind == KernelKind::Vector {
        vectorize::prefer_width(&module, options);
    }
    let mut state = State::new(kind, options);
    runner(machine, options).run(pipeline::passes(kind), module, &mut state)
}

/// Runs one pass, for tests of it. Fails if there is no pass of this name.
pub fn run_pass<'c>(
    name: &str,
    module: Module<'c>,
    kind: KernelKind,
    options: &Options,
) -> Result<Module<'c>, Error> {
    let pass = pipeline::passes(kind).find(|pass| pass.name == name);
    let pass = pass.ok_or_else(|| Error::Bug(format!("there is no pass `{name}`")))?;
    runner(&machine(options)?, options).run([pass], module, &mut State::new(kind, options))
}

fn runner<'r>(machine: &'r TargetMachine, options: &'r Options) -> Runner<'r> {
    Runner {
        machine: Some(machine),
        private: Private::NONE,
        verify: options.verify,
        verify_each: options.verify,
        watch: &options.watch,
    }
}

/// The bytes of an ELF shared object that exports `<kernel>.kd`.
pub fn compile_object(
    module: Module<'_>,
    kind: KernelKind,
    options: &Options,
) -> Result<Vec<u8>, Error> {
    let machine = machine(options)?;
    let lowered = lower_for(&machine, module, kind, options)?;
    let long = groups::is_long(&lowered);
    let machine = for_functions(machine, long);
    let another_machine = || Ok(for_functions(crate::compile::machine(options)?, long));
    let mut objects =
        timed("code generation", || groups::emit_objects(lowered, &machine, &another_machine))?;
    stack_sizes::note(&mut objects, if kind == KernelKind::Vector { LANES } else { 1 });
    let flags = ["-Bsymbolic", "--hash-style=gnu", "-z", "noexecstack"];
    Ok(timed("linking", || link_elf(&objects, &flags))?)
}

/// The assembly text of a kernel.
pub fn compile_assembly(
    module: Module<'_>,
    kind: KernelKind,
    options: &Options,
) -> Result<String, Error> {
    let machine = machine(options)?;
    let lowered = lower_for(&machine, module, kind, options)?;
    let machine = for_functions(machine, groups::is_long(&lowered));
    Ok(machine.emit_assembly(&lowered)?)
}

fn for_functions(mut machine: TargetMachine, long: bool) -> TargetMachine {
    if long {
        machine.disable_passes(FOR_SHORT_FUNCTIONS);
    }
    machine
}

fn machine(options: &Options) -> Result<TargetMachine, Error> {
    let mut machine = TargetMachine::new(
        TRIPLE,
        &options.cpu,
        &options.target_features(),
        CodeGenOptLevel::LLVMCodeGenLevelDefault,
    )?;
    machine.disable_passes(NOT_WORTH_THEIR_TIME);
    machine.disable_passes(FOR_OTHER_PROGRAMS);
    machine.disable_first_passes(FOR_TILES);
    Ok(machine)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Blocks;

    #[test]
    fn llvm_has_the_passes_that_are_left_out() {
        let machine = machine(&Options::host(Blocks::Any)).expect("a machine");
        let long = for_functions(machine, true);
        assert_eq!(long.left_out_in_vain(), Vec::<String>::new());
    }

    #[test]
    fn llvm_has_the_passes_of_the_pipeline() {
        let options = Options::host(Blocks::Any);
        let machine = machine(&options).expect("a machine");
        for kind in [KernelKind::Vector, KernelKind::Reference] {
            for pass in pipeline::passes(kind) {
                assert_eq!(runner(&machine, &options).knows(pass), Ok(()), "{}", pass.name);
            }
        }
    }
}
