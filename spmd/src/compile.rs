//! From a per-thread module to the bytes of a loadable ELF object.

use cpu_abi::KernelKind;
use llvm_zluda::{CodeGenOptLevel, Module, TargetMachine, link_elf, run_passes, timed};
use simt::math;

use crate::emit::LANES;
use crate::{
    Approximations, Error, Options, addresses, clusters, cut, descriptor, displacements, emulated,
    groups, masked_loads, reference, shared, strips, vectorize,
};

/// The triple of per-thread modules for this target.
pub const TRIPLE: &str = "x86_64-unknown-linux-gnu";

/// The data layout of per-thread modules for this target: x86-64's, with allocas in address space 5.
pub const DATA_LAYOUT: &str =
    "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128-A5";

/// Scalar optimisation of per-thread IR. No pass here moves or copies convergent operations across
/// branches, and none makes vectors, which would hide the lanes from the vectoriser. (Without
/// `no-verify-fixpoint` LLVM ends the process when one round of `instcombine` is not enough.) `early-cse`, `sccp`, `bdce`,
/// an earlier `instcombine`, and what `gvn` does to partial redundancies take a twentieth of the time to compile, and leave
/// more code than there is without them.
const PER_THREAD_PASSES: &str = "cgscc(inline),globaldce,\
     function(sroa<modify-cfg>,simplifycfg,reassociate,\
     loop-mssa(loop-simplifycfg,licm<allowspeculation>),gvn<no-pre;no-load-pre>,instcombine<no-verify-fixpoint>,dse,adce,simplifycfg)";

/// The passes after lowering, on scalar or on vector code. The code of one thread has been simplified before: a second
/// round, or `gvn`, costs a tenth of the time to compile and finds nothing.
const FINAL_PASSES: &str = "always-inline,globaldce,function(sroa<modify-cfg>,early-cse<memssa>,simplifycfg,\
     loop-mssa(licm<allowspeculation>),instcombine<no-verify-fixpoint>,sink,adce,simplifycfg),globaldce";

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

/// The engine's stacks have as many inaccessible bytes below them (`hip_host/src/guard/stack.rs`). Whoever enters a larger
/// frame touches the stack at least once in as many bytes, so that no frame reaches over them.
const STACK_GUARD: u32 = 64 << 10;

/// The names of all passes, in their order, for [`Options::watch`]. Most are files of this crate.
pub const PASSES: &[&str] = &[
    "math",
    "clusters",
    "shared",
    "per_thread_passes",
    "vectorize",
    "reference",
    "final_passes",
    "masked_loads",
    "addresses",
    "displacements",
    "strips",
    "emulated",
    "cut",
    "approximations",
];

/// The stages that [`lower`] can stop at, for tools that show them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Optimised per-thread IR.
    PerThread,
    /// The IR that code is generated from.
    Lowered,
}

/// Takes per-thread IR as `ptx/` makes it to the given form. The module has [`TRIPLE`] and [`DATA_LAYOUT`]; it becomes
/// the result, since a copy takes a hundredth of the time to compile.
pub fn lower<'c>(
    module: Module<'c>,
    kind: KernelKind,
    options: &Options,
    form: Form,
) -> Result<Module<'c>, Error> {
    lower_for(&machine(options)?, module, kind, options, form)
}

fn lower_for<'c>(
    machine: &TargetMachine,
    module: Module<'c>,
    kind: KernelKind,
    options: &Options,
    form: Form,
) -> Result<Module<'c>, Error> {
    if kind == KernelKind::Vector {
        vectorize::prefer_width(&module, options);
    }
    let approximations = match kind {
        KernelKind::Vector => options.approximations,
        // It says what is right, and need not be fast.
        KernelKind::Reference => Approximations::Exact,
    };
    math::expand(&module, approximations, kind == KernelKind::Vector)?;
    after(&module, options, "math")?;
    clusters::expand(&module);
    after(&module, options, "clusters")?;
    let static_shared_size = shared::place_variables(&module)?;
    after(&module, options, "shared")?;
    timed("per-thread passes", || {
        run_passes(&module, PER_THREAD_PASSES, Some(machine), options.verify)
    })?;
    after(&module, options, "per_thread_passes")?;
    if form == Form::PerThread {
        return Ok(module);
    }
    let lowered = timed("vectorisation", || match kind {
        KernelKind::Reference => reference::lower(module, static_shared_size),
        KernelKind::Vector => vectorize::vectorize(module, static_shared_size, options),
    })?;
    let is_vector = kind == KernelKind::Vector;
    after(&lowered, options, if is_vector { "vectorize" } else { "reference" })?;
    timed("final passes", || run_passes(&lowered, FINAL_PASSES, Some(machine), options.verify))?;
    after(&lowered, options, "final_passes")?;
    if is_vector {
        masked_loads::thaw(&lowered);
        after(&lowered, options, "masked_loads")?;
        addresses::narrow(&lowered, options);
        after(&lowered, options, "addresses")?;
        displacements::split(&lowered, options);
        after(&lowered, options, "displacements")?;
        if strips::outline(&lowered, options) {
            check(&lowered, options, "strips")?;
            timed("merging of strips", || {
                run_passes(&lowered, "mergefunc", Some(machine), options.verify)
            })?;
        }
        after(&lowered, options, "strips")?;
    }
    emulated::replace_missing(&lowered, options);
    after(&lowered, options, "emulated")?;
    if is_vector {
        cut::cut(&lowered, options);
        after(&lowered, options, "cut")?;
        math::define(&lowered, options.vector_width());
        after(&lowered, options, "approximations")?;
    }
    descriptor::note_frames(&lowered, if is_vector { LANES } else { 1 });
    touch_frames(&lowered);
    Ok(lowered)
}

/// Lets functions touch large frames when they enter them, so that no stack overflows unnoticed.
fn touch_frames(module: &Module<'_>) {
    let most = STACK_GUARD.to_string();
    for function in module.functions().into_iter().filter(|function| !function.is_declaration()) {
        module.add_string_attribute(function, "probe-stack", "inline-asm");
        module.add_string_attribute(function, "stack-probe-size", &most);
    }
}

/// The bytes of an ELF shared object that exports `<kernel>.kd`.
pub fn compile_object(
    module: Module<'_>,
    kind: KernelKind,
    options: &Options,
) -> Result<Vec<u8>, Error> {
    let machine = machine(options)?;
    let lowered = lower_for(&machine, module, kind, options, Form::Lowered)?;
    let long = groups::is_long(&lowered);
    let machine = for_functions(machine, long);
    let another_machine = || Ok(for_functions(crate::compile::machine(options)?, long));
    let objects =
        timed("code generation", || groups::emit_objects(lowered, &machine, &another_machine))?;
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
    let lowered = lower_for(&machine, module, kind, options, Form::Lowered)?;
    let machine = for_functions(machine, groups::is_long(&lowered));
    Ok(machine.emit_assembly(&lowered)?)
}

fn for_functions(mut machine: TargetMachine, long: bool) -> TargetMachine {
    if long {
        machine.leave_out(FOR_SHORT_FUNCTIONS);
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
    machine.leave_out(NOT_WORTH_THEIR_TIME);
    machine.leave_out(FOR_OTHER_PROGRAMS);
    machine.leave_out_first(FOR_TILES);
    Ok(machine)
}

/// Called when a pass has run: verifies the module and shows it, where the options ask for that. Fails if the IR is
/// broken, and after the pass with which compilation is to end.
fn after(module: &Module<'_>, options: &Options, pass: &'static str) -> Result<(), Error> {
    debug_assert!(PASSES.contains(&pass), "{pass}");
    check(module, options, pass)?;
    Ok(options.watch.after(pass, || module.print())?)
}

fn check(module: &Module<'_>, options: &Options, pass: &str) -> Result<(), Error> {
    if !options.verify {
        return Ok(());
    }
    let checked = module.verify().and_then(|()| simt::intrinsics::verify(module));
    checked.map_err(|message| Error::Bug(format!("IR after {pass} is not well-formed: {message}")))
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
}
