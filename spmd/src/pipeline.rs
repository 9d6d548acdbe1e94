//! The order of all passes from per-thread IR to LLVM's code generator, here and nowhere else.

use cpu_abi::{FLAG_FLUSHES, KernelKind};
use llvm_zluda::Module;
use simt::passes::Pass;
use simt::{Approximations, math};

use crate::emit::LANES;
use crate::passes::{
    chain_warps, check_rows, expand_clusters, expand_masks, flush_by_state, jam_loops,
    join_atomics, join_guards, join_halves, legalize_operations, narrow_addresses,
    narrow_arithmetic, outline_functions, place_variables, prefetch_rows, read_ahead,
    return_at_barriers, round_whole_numbers, saturate_sums, scalarize_accesses, sink_loads,
    split_constant_offsets, strip_mine_arithmetic, substitute_known_threads, thaw_loads,
    transpose_accesses, x86_instructions,
};
use crate::{Error, Options, descriptor, reference, vectorize};

/// Before those that follow: registers become values.
const PROMOTING_PASSES: &str = "cgscc(inline),globaldce,function(sroa<modify-cfg>,simplifycfg)";

/// Scalar optimisation of per-thread IR. No pass here moves or copies convergent operations across
/// branches, and none makes vectors, which would hide the lanes from the vectoriser. (Without
/// `no-verify-fixpoint` LLVM ends the process when one round of `instcombine` is not enough.) `early-cse`, `sccp`, `bdce`,
/// an earlier `instcombine`, and what `gvn` does to partial redundancies take a twentieth of the time to compile, and leave
/// more code than there is without them.
const PER_THREAD_PASSES: &str = "function(reassociate,\
     loop-mssa(loop-simplifycfg,licm<allowspeculation>),gvn<no-pre;no-load-pre>,instcombine<no-verify-fixpoint>,dse,adce,simplifycfg)";

/// The passes after lowering, on scalar or on vector code. The code of one thread has been simplified before: a second
/// round, or `gvn`, costs a tenth of the time to compile and finds nothing.
const FINAL_PASSES: &str = "always-inline,globaldce,function(sroa<modify-cfg>,early-cse<memssa>,simplifycfg,\
     loop-mssa(licm<allowspeculation>),instcombine<no-verify-fixpoint>,sink,adce,simplifycfg),globaldce";

/// The engine's stacks have as many inaccessible bytes below them (`hip_host/src/guard/stack.rs`). Whoever enters a larger
/// frame touches the stack at least once in as many bytes, so that no frame reaches over them.
const STACK_GUARD: u32 = 64 << 10;

/// Makes values of stack variables again, behind `return_at_barriers`.
const RETURNING_PASSES: &str = "function(sroa<modify-cfg>,simplifycfg,early-cse<memssa>,\
     loop-mssa(licm<allowspeculation>),instcombine<no-verify-fixpoint>,adce,simplifycfg)";

/// The same behind `chain_warps`.
const CHAINED_PASSES: &str = "function(mem2reg)";

/// One function where several are the same.
const MERGE: &str = "mergefunc";

type OurPass = Pass<State, Error>;

/// The passes over the code of one thread.
const PER_THREAD: &[OurPass] = &[
    Pass::own("flush_by_state", |module, state| {
        state.flushes =
            state.kind == KernelKind::Vector && flush_by_state::run(module, &state.options);
        Ok(())
    }),
    Pass::own("round_whole_numbers", |module, state| {
        if state.kind == KernelKind::Vector {
            round_whole_numbers::run(module, &state.options);
        }
        Ok(())
    }),
    Pass::own("take_instructions", |module, state| {
        if state.kind == KernelKind::Vector {
            x86_instructions::take(module, &state.options);
        }
        Ok(())
    }),
    Pass::own("expand_approximations", |module, state| {
        let approximations = match state.kind {
            KernelKind::Vector => state.options.approximations,
            // It says what is right, and need not be fast.
            KernelKind::Reference => Approximations::Exact,
        };
        Ok(math::expand(module, approximations, state.kind == KernelKind::Vector)?)
    }),
    Pass::own("expand_clusters", |module, _| {
        expand_clusters::run(module);
        Ok(())
    }),
    Pass::own("place_variables", |module, state| {
        state.static_shared_size = place_variables::run(module)?;
        Ok(())
    }),
    Pass::llvm("promoting_passes", PROMOTING_PASSES),
    Pass::own("join_halves", |module, _| {
        join_halves::run(module);
        Ok(())
    }),
    Pass::own("join_guards", |module, state| {
        if state.kind == KernelKind::Vector {
            join_guards::run(module);
        }
        Ok(())
    }),
    Pass::llvm("per_thread_passes", PER_THREAD_PASSES),
];

const FINAL: OurPass = Pass::llvm("final_passes", FINAL_PASSES);

const EMULATE: OurPass = Pass::own("legalize_operations", |module, state| {
    legalize_operations::run(module, &state.options);
    Ok(())
});

const NOTE: OurPass = Pass::own("note_frames", |module, state| {
    descriptor::note_frames(module, if state.kind == KernelKind::Vector { LANES } else { 1 });
    touch_frames(module);
    Ok(())
});

/// The passes for vector code that follow. Most are files of `passes/`.
const VECTOR: &[OurPass] = &[
    Pass::own("substitute_known_threads", |module, _| {
        substitute_known_threads::run(module);
        Ok(())
    }),
    Pass::own("read_ahead", |module, _| {
        read_ahead::run(module);
        Ok(())
    }),
    Pass::own("sink_loads", |module, _| {
        sink_loads::run(module);
        Ok(())
    }),
    Pass::replacing("vectorize", |module, state| {
        let module = vectorize::vectorize(module, state.static_shared_size, &state.options)?;
        if state.flushes {
            flush_by_state::tell(&module);
            descriptor::note_flags(&module, FLAG_FLUSHES);
        }
        Ok(module)
    }),
    FINAL,
    Pass::own("thaw_loads", |module, _| {
        thaw_loads::run(module);
        Ok(())
    }),
    Pass::own("saturate_sums", |module, _| {
        saturate_sums::run(module);
        Ok(())
    }),
    Pass::own("narrow_arithmetic", |module, _| {
        narrow_arithmetic::run(module);
        Ok(())
    }),
    Pass::own("join_atomics", |module, _| {
        join_atomics::run(module);
        Ok(())
    }),
    Pass::own("scalarize_accesses", |module, _| {
        scalarize_accesses::run(module);
        Ok(())
    }),
    Pass::own("narrow_addresses", |module, state| {
        narrow_addresses::run(module, &state.options);
        Ok(())
    }),
    Pass::own("split_constant_offsets", |module, state| {
        split_constant_offsets::run(module, &state.options);
        Ok(())
    }),
    Pass::own("transpose_accesses", |module, state| {
        transpose_accesses::run(module, &state.options);
        Ok(())
    }),
    Pass::own("check_rows", |module, state| {
        check_rows::run(module, &state.options);
        Ok(())
    }),
    Pass::own("jam_loops", |module, state| {
        jam_loops::run(module, &state.options);
        Ok(())
    }),
    Pass::own("prefetch_rows", |module, _| {
        prefetch_rows::run(module);
        Ok(())
    }),
    Pass::own("return_at_barriers", |module, state| {
        state.returns = return_at_barriers::run(module)?;
        Ok(())
    }),
    Pass::llvm_where("returning_passes", RETURNING_PASSES, |_, state| state.returns),
    Pass::own("strip_mine_arithmetic", |module, state| {
        state.has_strips = strip_mine_arithmetic::run(module, &state.options);
        Ok(())
    }),
    Pass::llvm_where("merge_strips", MERGE, |_, state| state.has_strips),
    EMULATE,
    Pass::own("outline_functions", |module, state| {
        outline_functions::run(module, &state.options);
        Ok(())
    }),
    Pass::own("chain_warps", |module, state| {
        state.chains = chain_warps::run(module, &state.options);
        Ok(())
    }),
    Pass::llvm_where("chained_passes", CHAINED_PASSES, |_, state| state.chains),
    Pass::own("expand_masks", |module, state| {
        expand_masks::run(module, &state.options);
        Ok(())
    }),
    Pass::own("expand_instructions", |module, state| {
        x86_instructions::expand(module, &state.options);
        Ok(())
    }),
    Pass::own("define_approximations", |module, state| {
        math::define(module, state.options.vector_width());
        Ok(())
    }),
    NOTE,
];

/// The passes for the reference executor that follow.
const REFERENCE: &[OurPass] = &[
    Pass::replacing("reference", |module, state| {
        reference::lower(module, state.static_shared_size, state.options.in_step)
    }),
    FINAL,
    EMULATE,
    NOTE,
];

/// The passes for a kind of code, in their order.
pub fn passes(kind: KernelKind) -> impl Iterator<Item = &'static OurPass> {
    let rest = match kind {
        KernelKind::Vector => VECTOR,
        KernelKind::Reference => REFERENCE,
    };
    PER_THREAD.iter().chain(rest)
}

/// The names of all passes.
pub fn pass_names() -> impl Iterator<Item = &'static str> {
    let names = |passes: &'static [OurPass]| passes.iter().map(|pass| pass.name);
    let others = names(REFERENCE).filter(move |name| names(VECTOR).all(|known| known != *name));
    names(PER_THREAD).chain(names(VECTOR)).chain(others)
}

/// The state of the passes, besides the kernel's module.
pub struct State {
    pub options: Options,
    pub kind: KernelKind,
    /// The processor's state makes zeros of subnormal numbers.
    pub flushes: bool,
    /// Bytes of shared memory that are declared.
    pub static_shared_size: u32,
    /// Strips became functions.
    pub has_strips: bool,
    /// Warps return where they wait.
    pub returns: bool,
    /// They go on with others there.
    pub chains: bool,
}

impl State {
    /// Of a kernel that no pass has seen.
    pub fn new(kind: KernelKind, options: &Options) -> Self {
        Self {
            options: options.clone(),
            kind,
            flushes: false,
            static_shared_size: 0,
            has_strips: false,
            returns: false,
            chains: false,
        }
    }
}

/// Lets functions touch large frames when they enter them, so that no stack overflows unnoticed.
fn touch_frames(module: &Module<'_>) {
    let most = STACK_GUARD.to_string();
    for function in module.functions().into_iter().filter(|function| !function.is_declaration()) {
        module.add_string_attribute(function, "probe-stack", "inline-asm");
        module.add_string_attribute(function, "stack-probe-size", &most);
    }
}
