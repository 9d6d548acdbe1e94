//! The order of all passes from per-thread IR to LLVM's code generator, here and nowhere else.

use amd_abi::cluster_launch;
use llvm_zluda::{Module, Value};
use simt::analysis::cfg::Cfg;
use simt::passes::Pass;
use simt::{Approximations, find_kernel, math, parameters};

use crate::gpu::Gpu;
use crate::library::{Library, Part};
use crate::passes::{
    define_parameters, end_waits, expand_allocas, form_pointers, lower_barriers, lower_clusters,
    lower_wide_atomics, make_kernel, rejoin_traps, separate_lanes, specialise_operations,
    take_instructions,
};
use crate::{Error, Options, refuse};

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
/// One entry for every loop. The code generator would do that, but LLVM 22 loses what a phi gets over an edge from a
/// block that has a second edge into the same cycle. So all edges get blocks of their own first.
const ONE_ENTRY: &str = "function(lower-switch,break-crit-edges,fix-irreducible,simplifycfg)";
/// Small functions become part of their callers.
const INLINE: &str = "always-inline,globaldce";

/// All passes, in their order. Most are files of `passes/`.
pub const PASSES: &[Pass<State, Error>] = &[
    Pass::own("take_instructions", |module, _| {
        take_instructions::run(module);
        Ok(())
    }),
    Pass::own("expand_approximations", |module, state| match state.options.approximations {
        Approximations::Exact => Ok(math::expand_exactly(module)?),
        _ => Ok(()),
    }),
    Pass::own("rejoin_traps", |module, _| {
        rejoin_traps::run(module);
        Ok(())
    }),
    Pass::own("expand_allocas", |module, _| {
        expand_allocas::run(module);
        Ok(())
    }),
    Pass::own("lower_barriers", |module, state| {
        let kernel = state.kernel(module)?;
        if state.options.clusters {
            lower_clusters::add_barrier(module, kernel);
        }
        lower_barriers::run(module, kernel)
    }),
    Pass::own("separate_lanes", |module, state| {
        let (blocks, waves) = (state.options.blocks, state.gpu.waves());
        state.is_in_rounds = separate_lanes::run(module, &state.name, blocks, waves)?;
        Ok(())
    }),
    Pass::own("end_waits", |module, state| {
        let kernel = state.kernel(module)?;
        end_waits::run(module, state.is_in_rounds.then_some(kernel));
        Ok(())
    }),
    Pass::own("lower_wide_atomics", |module, _| {
        lower_wide_atomics::run(module);
        Ok(())
    }),
    Pass::own("define_parameters", |module, state| {
        define_parameters::services(module, state.hidden_offset);
        Ok(())
    }),
    Pass::own("lower_clusters", |module, state| {
        if !state.options.clusters {
            define_parameters::cluster(module, state.is_explicit_cluster);
            return Ok(());
        }
        lower_clusters::run(module, state.static_shared)?;
        define_parameters::launch(module, state.launch_offset);
        Ok(())
    }),
    Pass::own("specialise_operations", |module, state| {
        let (unit, matrices) = (state.gpu.matrix, state.options.matrices);
        specialise_operations::run(module, state.library(), unit, matrices)
    }),
    Pass::own("link_library", |module, state| {
        // What clusters have in place of the prelude is there for all of the library now, and gone later.
        let part = if state.options.clusters { Part::All } else { Part::Early };
        state.library().link(module, part)?;
        refuse::undefined(module, state.library())
    }),
    Pass::own("make_kernel", |module, state| {
        make_kernel::run(module, &state.name, state.bytes, state.max_threads)?;
        module.add_flag("amdhsa_code_object_version", state.gpu.code_object_version() * 100);
        Ok(())
    }),
    Pass::llvm("inline_library", INLINE),
    Pass::own("place_parameters", |module, state| {
        make_kernel::place_parameters(module, state.kernel(module)?, state.bytes);
        Ok(())
    }),
    Pass::own("form_pointers", |module, _| {
        form_pointers::run(module);
        Ok(())
    }),
    Pass::llvm("optimise", OPTIMISE),
    Pass::own("link_rest", |module, state| {
        state.has_rest = state.library().is_incomplete(module);
        if state.has_rest {
            define_parameters::services(module, state.hidden_offset);
            state.library().link(module, Part::All)?;
        }
        Ok(())
    }),
    Pass::llvm_where("inline_rest", INLINE, |_, state| state.has_rest),
    Pass::own("place_parameters_of_rest", |module, state| {
        make_kernel::place_parameters(module, state.kernel(module)?, state.bytes);
        Ok(())
    }),
    Pass::llvm("last_passes", LAST_PASSES),
    Pass::llvm_where("take_apart", APART, |_, state| state.is_in_rounds),
    Pass::llvm_where("give_one_entry", ONE_ENTRY, |module, _| {
        let functions = module.functions();
        let mut bodies = functions.iter().filter(|function| !function.is_declaration());
        bodies.any(|&body| Cfg::as_it_is(body).is_err())
    }),
];

/// The names of all passes, in their order.
pub fn pass_names() -> impl Iterator<Item = &'static str> {
    PASSES.iter().map(|pass| pass.name)
}

/// The state of the passes, besides the kernel's module.
pub struct State {
    pub gpu: &'static Gpu,
    pub options: Options,
    /// The kernel's name.
    pub name: String,
    /// The offset of the hidden parameters.
    pub hidden_offset: u32,
    /// The offset of what says of a launch in clusters.
    pub launch_offset: u32,
    /// Bytes of all parameters.
    pub bytes: u32,
    /// Bytes of shared memory that are declared.
    pub static_shared: u32,
    pub max_threads: u32,
    /// All launches are in clusters, as the kernel itself says.
    pub is_explicit_cluster: bool,
    /// The kernel is one loop over its places ([`separate_lanes`]).
    pub is_in_rounds: bool,
    /// There were functions of the library to link after LLVM's passes.
    pub has_rest: bool,
}

impl State {
    /// The state at the start, read from the module.
    pub fn new(module: &Module<'_>, gpu: &'static Gpu, options: &Options) -> Result<Self, Error> {
        let kernel = find_kernel(module)?;
        let launch_offset = kernel.param_size.next_multiple_of(8);
        let launch_bytes = if options.clusters { cluster_launch::BYTES } else { 0 };
        Ok(Self {
            gpu,
            options: options.clone(),
            name: kernel.name,
            hidden_offset: kernel.param_size.saturating_sub(parameters::HIDDEN_BYTES),
            launch_offset,
            bytes: launch_offset + launch_bytes,
            static_shared: kernel.static_shared,
            max_threads: kernel.max_threads_per_block,
            is_explicit_cluster: kernel.is_explicit_cluster,
            is_in_rounds: false,
            has_rest: false,
        })
    }

    /// The library that the kernel is linked with.
    pub fn library(&self) -> Library {
        Library::new(self.gpu, self.options.clusters)
    }

    /// The kernel's function.
    pub fn kernel<'c>(&self, module: &Module<'c>) -> Result<Value<'c>, Error> {
        let kernel = module.function(&self.name);
        kernel.ok_or_else(|| Error::Bug("the kernel is missing".to_owned()))
    }
}
