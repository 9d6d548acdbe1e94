//! AMD GPUs: code objects.
//!
//! The `zluda.` intrinsics are functions of a prelude in LLVM IR (prelude.ll, wave32.ll, wave64.ll) and of a device
//! library in C (library/), which are linked to the kernel's module ([`library`]). What neither has is refused at
//! its place ([`refuse`]).

mod barriers;
mod clusters;
mod compute_again;
mod dynamic_stack;
mod elf;
mod end_waiting;
mod form_pointers;
pub mod gpu;
mod independent_threads;
mod library;
mod metadata;
mod operation;
mod places;
mod refuse;
mod rejoin_traps;
mod share_slots;
mod wide_atomics;

use cpu_abi::cluster_launch;
use llvm_zluda::{
    CodeGenOptLevel, Linkage, Module, TargetMachine, Value, link_elf, run_passes, timed,
};
use simt::analysis::cfg::Cfg;
use simt::analysis::lockstep::Waves;
use simt::parameters::Hidden;
use simt::{Blocks, math};

use crate::diagnostics::Diagnostics;
use crate::info::KernelInfo;
use crate::pipeline::after;
use crate::program::{Options, Stage};
use crate::target::{Approximations, Matrices};
use gpu::Gpu;
use library::{Library, Part, ReadyMade};

/// The names of all passes, in their order, for `Options::watch`. Most are files of this folder.
pub const PASSES: &[&str] = &[
    "expand_approximations",
    "rejoin_traps",
    "dynamic_stack",
    "barriers",
    "independent_threads",
    "end_waiting",
    "wide_atomics",
    "clusters",
    "operation",
    "library",
    "make_kernel",
    "form_pointers",
    "optimise",
    "last_passes",
];

const TRIPLE: &str = "amdgcn-amd-amdhsa";
/// LLVM's number for a kernel's calling convention on AMDGPU.
const AMDGPU_KERNEL: u32 = 91;

/// LLVM's `default<O2>` without what PTX does not need, which a compiler has optimised already: each pass is run once or
/// twice. Numbering all values (`gvn`) finds nothing that a second look for common subexpressions does not, and takes 3 %
/// of the time to compile more.
const OPTIMISE: &str = "function(sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>),\
     cgscc(inline,function-attrs),\
     function(infer-address-spaces,amdgpu-promote-kernel-arguments,amdgpu-lower-kernel-attributes,\
     amdgpu-promote-alloca,sroa,simplifycfg,\
     loop-mssa(loop-rotate,licm),loop(loop-deletion,loop-unroll-full),\
     early-cse<memssa>,sccp,instcombine<no-verify-fixpoint>,dse,loop-mssa(licm),\
     simplifycfg<hoist-common-insts;sink-common-insts>)";
/// The passes that run when all functions are there.
const LAST_PASSES: &str = "globaldce,amdgpu-attributor";
/// For kernels that are one loop over their blocks: LLVM 22's code generator loses what a phi gets from a block to which
/// several ways lead. It moves what costs nothing, such as taking a vector apart, before a branch that only one of
/// them comes by.
const APART: &str = "function(scalarizer<min-bits=32>,lower-switch,break-crit-edges)";
/// Passes of LLVM's code generator that do not pay: kernels have as many instructions without them, or fewer. Addresses in
/// loops are what PTX's compiler made of them; LLVM's strength reduction makes more registers of them, and takes a
/// fifth of the time to generate code from unrolled loops. Live variables take a twelfth of the time to compile, since in
/// each block LLVM looks at all of ten thousand registers, and save three instructions of a thousand.
const NOT_WORTH_THEIR_TIME: [&str; 12] = [
    "AMDGPU Image Intrinsic Optimizer",
    "AMDGPU Uniform Intrinsic Combine",
    "Canonicalize Freeze Instructions in Loops",
    "Constant Hoisting",
    "Expand memcmp() to load/stores",
    "Live Variable Analysis",
    "Loop Invariant Code Motion",
    "Loop Strength Reduction",
    "Machine Copy Propagation Pass",
    "Machine Loop Invariant Code Motion",
    "Merge contiguous icmps into a memcmp",
    "SI Optimize VGPR LiveRange",
];
/// Passes that do not pay the first time that LLVM runs them, and do later. (Machine CSE is not among them: without its
/// first round, LLVM 22 moves constants of 64 bits by `s_mov_b64`, whose literal has 32.)
const NOT_AT_FIRST: [&str; 2] =
    ["Early Machine Loop Invariant Code Motion", "Remove dead machine instructions"];
/// Per-thread IR's name of the parameter buffer.
const PARAMETERS: &str = "zluda.params";
/// One entry for every loop. The code generator would do that, but LLVM 22 loses what a phi gets over an edge from a
/// block that has a second edge into the same cycle. So all edges get blocks of their own first.
const ONE_ENTRY: &str = "function(lower-switch,break-crit-edges,fix-irreducible,simplifycfg)";

pub struct Machine {
    llvm: TargetMachine,
    gpu: &'static Gpu,
    /// The launches that the code is for.
    blocks: Blocks,
    matrices: Matrices,
    approximations: Approximations,
    /// The launches are in clusters of several blocks.
    clusters: bool,
}

impl Machine {
    /// A code generator for a GPU, `gfx`. Fails if the GPU is unknown here or to LLVM; the error names the kernel.
    pub fn new(
        kernel: &str,
        gfx: &str,
        blocks: Blocks,
        matrices: Matrices,
        approximations: Approximations,
        clusters: bool,
    ) -> Result<Self, Diagnostics> {
        let Some(gpu) = Gpu::named(gfx) else {
            let message = format!("the GPU {gfx}; there are: {}", Gpu::names());
            return Err(Diagnostics::unsupported(kernel, message));
        };
        let mut llvm =
            TargetMachine::new(TRIPLE, gpu.name, "", CodeGenOptLevel::LLVMCodeGenLevelDefault)
                .map_err(|error| Diagnostics::bug(kernel, error.to_string()))?;
        llvm.leave_out(&NOT_WORTH_THEIR_TIME);
        llvm.leave_out_first(&NOT_AT_FIRST);
        Ok(Self { llvm, gpu, blocks, matrices, approximations, clusters })
    }

    /// Bytes of shared memory (LDS) that a block may have.
    pub fn shared_memory(&self) -> u32 {
        self.gpu.lds
    }

    /// Gives a module the target's triple and data layout.
    pub fn prepare(&self, module: &Module<'_>) {
        module.set_triple(TRIPLE);
        module.set_data_layout(&self.llvm.data_layout());
    }

    /// From per-thread IR to what goes into LLVM's code generator.
    pub fn optimise(
        &self,
        module: &Module<'_>,
        text: &str,
        info: &KernelInfo,
        options: &Options,
    ) -> Result<(), Diagnostics> {
        let kernel = info.name.as_str();
        let bug = |message: String| Diagnostics::bug(kernel, message);
        let Some(body) = module.function(kernel) else {
            return Err(bug("the kernel is missing".to_owned()));
        };
        let after = |pass| after(module, kernel, pass, options);
        if self.approximations == Approximations::Exact {
            math::expand_exactly(module).map_err(|error| bug(error.to_string()))?;
        }
        after("expand_approximations")?;
        rejoin_traps::run(module);
        after("rejoin_traps")?;
        dynamic_stack::run(module);
        after("dynamic_stack")?;
        if self.clusters {
            clusters::add_barrier(module, body);
        }
        barriers::run(module, body).map_err(|error| bug(error.to_string()))?;
        after("barriers")?;
        let waves = if self.gpu.is_wave64() { Waves::TwoWarps } else { Waves::OneWarp };
        let in_rounds = independent_threads::run(module, kernel, self.blocks, waves)
            .map_err(|error| bug(error.to_string()))?;
        after("independent_threads")?;
        end_waiting::run(module, in_rounds.then_some(body));
        after("end_waiting")?;
        wide_atomics::run(module);
        after("wide_atomics")?;
        let mut bytes = info.total_param_size.next_multiple_of(8);
        define_services(module, info);
        if self.clusters {
            clusters::run(module, info).map_err(bug)?;
            define_launch(module, bytes);
            bytes += cluster_launch::BYTES;
        } else {
            define_cluster(module, info);
        }
        after("clusters")?;
        operation::specialise(module, self.library(), self.gpu.matrix, self.matrices)
            .map_err(bug)?;
        after("operation")?;
        // What clusters have in place of the prelude is there for all of the library now, and gone later.
        let part = if self.clusters { Part::All } else { Part::Early };
        timed("linking the device library", || self.link_library(module, part)).map_err(bug)?;
        let errors = refuse::undefined(module, self.library());
        if !errors.is_empty() {
            return Err(Diagnostics::new(errors, text));
        }
        after("library")?;
        let function = make_kernel(module, info, bytes)?;
        module.add_flag("amdhsa_code_object_version", self.gpu.code_object_version() * 100);
        after("make_kernel")?;
        run_passes(module, "always-inline,globaldce", None, false)
            .map_err(|error| bug(error.to_string()))?;
        place_parameters(module, function, bytes);
        form_pointers::run(module);
        after("form_pointers")?;
        timed("LLVM's passes", || run_passes(module, OPTIMISE, Some(&self.llvm), options.verify))
            .map_err(|error| bug(error.to_string()))?;
        after("optimise")?;
        if self.library().is_incomplete(module) {
            define_services(module, info);
            timed("linking the rest of it", || self.link_library(module, Part::All))
                .map_err(bug)?;
            run_passes(module, "always-inline,globaldce", None, false)
                .map_err(|error| bug(error.to_string()))?;
            place_parameters(module, function, bytes);
        }
        run_passes(module, LAST_PASSES, Some(&self.llvm), options.verify)
            .map_err(|error| bug(error.to_string()))?;
        if in_rounds {
            run_passes(module, APART, Some(&self.llvm), options.verify)
                .map_err(|error| bug(error.to_string()))?;
        }
        let functions = module.functions();
        let mut bodies = functions.iter().filter(|function| !function.is_declaration());
        if bodies.any(|&body| Cfg::as_it_is(body).is_err()) {
            run_passes(module, ONE_ENTRY, Some(&self.llvm), options.verify)
                .map_err(|error| bug(error.to_string()))?;
        }
        after("last_passes")
    }

    fn library(&self) -> Library {
        // In clusters the library means other memory.
        let ready_made = if self.clusters { None } else { ReadyMade::of(self.gpu.family()) };
        Library { wave64: self.gpu.is_wave64(), ready_made }
    }

    fn link_library(&self, module: &Module<'_>, part: Part) -> Result<(), String> {
        library::link(module, self.library(), part)
    }

    /// Assembly, a linked code object, or IR as it is. `kernel` is who errors are told of.
    pub fn emit(
        &self,
        module: &Module<'_>,
        kernel: &str,
        stage: Stage,
    ) -> Result<Vec<u8>, Diagnostics> {
        let bug = |message: String| Diagnostics::bug(kernel, message);
        match stage {
            Stage::Asm => {
                // With what the code needs of the GPU, as comments.
                self.llvm.comment_assembly();
                let text =
                    self.llvm.emit_assembly(module).map_err(|error| bug(error.to_string()))?;
                Ok(text.into_bytes())
            }
            Stage::Obj => link(vec![self.emit_relocatable(module, kernel)?]).map_err(bug),
            Stage::Ast | Stage::Ir | Stage::Llvm => Ok(module.print().into_bytes()),
        }
    }

    /// The relocatable object that [`link`] makes a code object of. Fails where LLVM cannot make one: a mistake of
    /// ours.
    pub fn emit_relocatable(
        &self,
        module: &Module<'_>,
        kernel: &str,
    ) -> Result<Relocatable, Diagnostics> {
        let object = timed("LLVM's code generator", || self.llvm.emit_object(module))
            .map_err(|error| Diagnostics::bug(kernel, error.to_string()))?;
        let library = self.library().ready_made.filter(|family| family.is_wanted(module));
        Ok(Relocatable { object, library })
    }
}

/// The code of a kernel, and what it calls.
pub struct Relocatable {
    object: Vec<u8>,
    library: Option<&'static ReadyMade>,
}

/// The code object of several kernels for one GPU.
pub fn link(kernels: Vec<Relocatable>) -> Result<Vec<u8>, String> {
    let library = kernels.iter().find_map(|kernel| kernel.library);
    let mut objects: Vec<_> = kernels.into_iter().map(|kernel| kernel.object).collect();
    metadata::join(&mut objects).ok_or("LLVM's metadata are not as they were")?;
    if let Some((family, first)) = library.zip(objects.first()) {
        let object = elf::for_same_gpu(family.object, first).ok_or("an object is too short")?;
        objects.push(object);
    }
    let link = || link_elf(&objects, &["--no-undefined", "--gc-sections"]);
    timed("the linker", link).map_err(|error| error.to_string())
}

/// `zluda.amd.services`, which a hidden parameter says.
fn define_services(module: &Module<'_>, info: &KernelInfo) {
    let context = module.context();
    let (pointer, parameters) = (context.ptr(1), context.ptr(4));
    let declare = |name: &str, ty| {
        let declared = module.function(name);
        declared.unwrap_or_else(|| module.add_function(name, context.function_type(ty, &[])))
    };
    let function = declare("zluda.amd.services", pointer);
    if !function.is_declaration() {
        return;
    }
    let builder = context.builder();
    builder.position_at_end(module.append_block(function, "entry"));
    let buffer = builder.call(declare(PARAMETERS, parameters), &[]);
    let offset = context.i64().const_int(Hidden::Services.place(info.hidden_offset));
    let load = builder.load(pointer, builder.byte_offset(buffer, offset), 8);
    load.add_empty_metadata(context, "invariant.load");
    builder.ret(load);
    module.add_attribute(function, "alwaysinline");
}

/// `zluda.amd.cluster_launch`, which lies behind the hidden parameters.
fn define_launch(module: &Module<'_>, offset: u32) {
    let context = module.context();
    let ty = context.function_type(context.ptr(4), &[]);
    let function = module.declare_function("zluda.amd.cluster_launch", ty);
    let builder = context.builder();
    builder.position_at_end(module.append_block(function, "entry"));
    let buffer = builder.call(module.declare_function(PARAMETERS, ty), &[]);
    builder.ret(builder.byte_offset(buffer, context.i64().const_int(offset.into())));
    module.add_attribute(function, "alwaysinline");
}

/// `zluda.is_explicit_cluster`, as far as the kernel itself says it.
fn define_cluster(module: &Module<'_>, info: &KernelInfo) {
    let Some(function) = module.function("zluda.is_explicit_cluster") else { return };
    let context = module.context();
    let builder = context.builder();
    builder.position_at_end(module.append_block(function, "entry"));
    let is_explicit = info.cluster.is_some() || info.explicit_cluster;
    builder.ret(context.i32().const_int(is_explicit.into()));
    module.add_attribute(function, "alwaysinline");
}

/// The parameter buffer: in the kernel its argument, in functions what lies before the implicit arguments, which
/// follow it.
fn place_parameters(module: &Module<'_>, kernel: Value<'_>, bytes: u32) {
    let Some(function) = module.function(PARAMETERS) else { return };
    let builder = module.context().builder();
    for call in function.users() {
        builder.position_before(call);
        let buffer = if call.parent().function() == kernel {
            kernel.parameter(0)
        } else {
            let implicit = builder.intrinsic(module, "llvm.amdgcn.implicitarg.ptr", &[], &[]);
            let before = u64::from(bytes).wrapping_neg();
            builder.byte_offset(implicit, module.context().i64().const_int(before))
        };
        call.replace_all_uses_with(buffer);
        call.erase();
    }
}

/// The kernel as the hardware's dispatcher wants it: one argument, the parameter buffer.
fn make_kernel<'c>(
    module: &Module<'c>,
    info: &KernelInfo,
    bytes: u32,
) -> Result<Value<'c>, Diagnostics> {
    let context = module.context();
    let Some(body) = module.function(&info.name) else {
        return Err(Diagnostics::bug(&info.name, "the kernel is missing".to_owned()));
    };
    body.set_name("zluda.body");
    body.set_linkage(Linkage::LLVMInternalLinkage);
    let pointer = context.ptr(4);
    let kernel = module.add_function(&info.name, context.function_type(context.void(), &[pointer]));
    kernel.set_calling_convention(AMDGPU_KERNEL);
    let buffer = context.i8().array(bytes.into());
    module.add_parameter_type_attribute(kernel, 0, "byref", buffer);
    module.add_parameter_attribute(kernel, 0, "align", 16);
    module.add_string_attribute(
        kernel,
        "amdgpu-flat-work-group-size",
        &format!("1,{}", info.max_threads),
    );
    // Blocks are whole: every one has the size that the launch names.
    module.add_string_attribute(kernel, "uniform-work-group-size", "true");
    module.add_attribute(kernel, "nounwind");
    let first = module.append_block(kernel, "entry");
    if body.has_uses() {
        module.add_attribute(body, "alwaysinline");
        let builder = context.builder();
        builder.position_at_end(first);
        builder.call(body, &[]);
        builder.ret_void();
        return Ok(kernel);
    }
    // Nobody else wants the body, which LLVM would copy.
    let mut last = first;
    for block in body.blocks() {
        block.move_after(last);
        last = block;
    }
    first.delete();
    body.delete_global();
    Ok(kernel)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn llvm_has_the_passes_that_are_left_out() {
        let (blocks, matrices, approximations) =
            (Blocks::Any, Matrices::default(), Approximations::default());
        let machine = Machine::new("k", "gfx1100", blocks, matrices, approximations, false);
        let Ok(machine) = machine else { unreachable!("gfx1100 is one of the GPUs") };
        assert_eq!(machine.llvm.left_out_in_vain(), Vec::<String>::new());
    }
}
