//! Per-thread IR to vector code for whole warps.
//!
//! Input: optimised per-thread IR without shared variables. Output: a module that exports the kernel's
//! descriptor; its entry loops over warps and runs each as one function of 32-lane vectors ([`crate::emit`]).

use cpu_abi::{
    FLAG_ANY_ORDER, FLAG_BLOCK_RUNS, FLAG_HALF_WARP_ROWS, FLAG_RETURNS, FLAG_ROW_WARPS, FLAG_WAITS,
    FLAG_WHOLE_WARPS, KernelKind,
};
use llvm_zluda::{Linkage, Module, Value};
use rustc_hash::FxHashMap;
use simt::Blocks;
use simt::analysis::{block_order, form, warp_splitting};

use crate::descriptor::{self, Description};
use crate::emit::{self, Body, Entering, Pair, Rows, Unit};
use crate::entry::{self, Bodies, Turns};
use crate::passes::jam_loops;
use crate::{Error, Options};

/// Kernels with this many instructions or more are compiled once for all warps, where not all are whole.
const SPECIALIZE_BELOW: usize = 1500;

/// Makes the module's kernel a vector kernel.
pub fn vectorize<'c>(
    module: Module<'c>,
    static_shared_size: u32,
    options: &Options,
) -> Result<Module<'c>, Error> {
    form::run(&module, options.verify)?;
    let kernel = simt::find_kernel(&module)?;
    let threads: Vec<_> =
        module.functions().into_iter().filter(|function| !function.is_declaration()).collect();
    // Stack variables are host memory like all other memory.
    module.set_data_layout(&module.data_layout().replace("-A5", ""));

    // The engine gives back what a block's threads have taken when it begins another one.
    let takes_stack = module.function("zluda.lane.alloca").is_some();
    let mut functions = FxHashMap::default();
    let mut pairs = Vec::new();
    for &thread in &threads {
        let warp = emit::declare(&module, thread)?;
        warp.set_linkage(Linkage::LLVMInternalLinkage);
        functions.insert(thread, warp);
        pairs.push(Pair { thread, warp });
    }
    let splitting = warp_splitting::functions(&threads, kernel.function)?;
    let unit = Unit { module: &module, options, functions: &functions, splitting: &splitting };
    let (rows, mut flags) = match options.blocks {
        Blocks::Any => (Rows::Any, 0),
        Blocks::HalfWarpRows => (Rows::Halves, FLAG_HALF_WARP_ROWS),
        Blocks::RowWarps => (Rows::Whole, FLAG_ROW_WARPS),
        Blocks::WholeWarps => (Rows::Whole, FLAG_ROW_WARPS | FLAG_WHOLE_WARPS),
    };
    if block_order::is_any(&threads)? {
        flags |= FLAG_ANY_ORDER;
    }
    let all_whole = matches!(options.blocks, Blocks::WholeWarps | Blocks::HalfWarpRows);
    // What has nothing to wait for may return where warps go through a loop together.
    let jams = options.jams && all_whole && jam_loops::may_gain(kernel.function);
    let may_return = options.returns
        && splitting.is_empty()
        && emit::may_return(&threads, kernel.function, usize::from(!jams));
    let mut parts = false;
    let mut returns = false;
    for &pair in &pairs {
        let is_kernel = pair.thread == kernel.function;
        let lanes = if is_kernel && all_whole { Entering::All } else { Entering::Any };
        let body = Body { is_kernel, rows, lanes, may_return: is_kernel && may_return };
        let made = emit::emit_function(&unit, pair, body)?;
        parts |= made.parts;
        returns |= made.returns;
        if made.waits {
            flags |= FLAG_WAITS;
        }
    }
    if returns {
        flags |= FLAG_RETURNS;
        if options.jams && all_whole {
            jam_loops::mark(&module, functions[&kernel.function]);
        }
    }
    // The first body is for all launches of the object, so lanes do not part in others either where they do not in it.
    let warp_of_kernel = |rows, lanes| {
        let warp = emit::declare(&module, kernel.function)?;
        warp.set_linkage(Linkage::LLVMInternalLinkage);
        let pair = Pair { thread: kernel.function, warp };
        let body = Body { is_kernel: true, rows, lanes, may_return: returns };
        if emit::emit_function(&unit, pair, body)?.returns != returns {
            return Err(Error::Bug("warps of one body alone return at barriers".to_owned()));
        }
        Ok(warp)
    };
    let all = functions[&kernel.function];
    let bodies = if all_whole {
        Bodies { whole: Some(all), rest: None }
    } else if is_small(all) {
        let whole = warp_of_kernel(rows, Entering::All)?;
        Bodies { whole: Some(whole), rest: Some(warp_of_kernel(rows, Entering::Some)?) }
    } else {
        Bodies { whole: None, rest: Some(all) }
    };
    remove(&threads);

    let turns = if returns { Turns::Entry } else { Turns::Engine { parts } };
    // Rounds take longer than what the engine does between blocks, and in runs longer than alone.
    let waits = flags & FLAG_WAITS != 0 || returns;
    let has_runs = flags & FLAG_ANY_ORDER != 0 && !waits && !parts && !takes_stack;
    if has_runs {
        flags |= FLAG_BLOCK_RUNS;
    }
    let entry = entry::emit(&module, &kernel.name, bodies, turns, has_runs);
    descriptor::emit(
        &module,
        &kernel.name,
        entry,
        &Description {
            kind: KernelKind::Vector,
            flags,
            param_size: kernel.param_size,
            static_shared_size,
            max_threads_per_block: kernel.max_threads_per_block,
        },
    );
    prefer_width(&module, options);
    for function in module.functions() {
        if !function.is_declaration() {
            module.add_attribute_with_value(function, "uwtable", 2);
        }
    }
    Ok(module)
}

/// Lets functions use registers of all sizes. A module in which all say so is compiled for one subtarget, and LLVM
/// takes a millisecond to set one up.
pub fn prefer_width(module: &Module<'_>, options: &Options) {
    let width = options.vector_width().to_string();
    for function in module.functions() {
        if !function.is_declaration() {
            module.add_string_attribute(function, "prefer-vector-width", &width);
        }
    }
}

fn is_small(body: Value<'_>) -> bool {
    entry::size(body) < SPECIALIZE_BELOW
}

/// Deletes the per-thread functions, which may call one another.
fn remove(functions: &[Value<'_>]) {
    for function in functions {
        function.replace_all_uses_with(function.ty().poison());
    }
    for function in functions {
        function.delete_global();
    }
}
