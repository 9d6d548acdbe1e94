//! Per-thread IR to vector code for whole warps.
//!
//! Input: optimised per-thread IR without shared variables. Output: a module that exports the kernel's
//! descriptor; its entry loops over warps and runs each as one function of 32-lane vectors ([`crate::emit`]).

use std::mem::offset_of;

use cpu_abi::{
    BlockContext, FLAG_ANY_ORDER, FLAG_ROW_WARPS, FLAG_WAITS, FLAG_WHOLE_WARPS, KernelKind,
};
use llvm_zluda::{IntPredicate, Linkage, Module, Opcode, Value, run_passes};
use rustc_hash::FxHashMap;

use crate::analysis::block_order;
use crate::analysis::shape::alloca_stride;
use crate::descriptor::{self, Description};
use crate::emit::{self, Body, Pair, Rows, Unit};
use crate::{Blocks, Error, Options};

/// Kernels with this many instructions or more are compiled once for all warps, where not all are whole.
const SPECIALIZE_BELOW: usize = 1500;

/// One entry for every loop, no switches, loops with a preheader, one latch and exits of their own, and no
/// value of a loop used outside but by phis. Vectors of one thread fall apart.
const SHAPE: &str = "function(scalarizer,lower-switch,fix-irreducible,loop-simplify,lcssa)";

/// Makes the vector form of the module's kernel.
pub fn vectorize<'c>(
    module: &Module<'c>,
    static_shared_size: u32,
    options: &Options,
) -> Result<Module<'c>, Error> {
    let module = module.duplicate();
    run_passes(&module, SHAPE, None, options.verify)?;
    let kernel = descriptor::find_kernel(&module)?;
    let threads: Vec<_> =
        module.functions().into_iter().filter(|function| !function.is_declaration()).collect();
    let local_size = local_size(&module, &threads);
    // Stack variables are host memory like all other memory.
    module.set_data_layout(&module.data_layout().replace("-A5", ""));

    let mut functions = FxHashMap::default();
    let mut pairs = Vec::new();
    for &thread in &threads {
        let warp = emit::declare(&module, thread)?;
        warp.set_linkage(Linkage::LLVMInternalLinkage);
        functions.insert(thread, warp);
        pairs.push(Pair { thread, warp });
    }
    let unit = Unit { module: &module, options, functions: &functions };
    let (rows, mut flags) = match options.blocks {
        Blocks::Any => (Rows::Any, 0),
        Blocks::RowWarps => (Rows::Whole, FLAG_ROW_WARPS),
        Blocks::WholeWarps => (Rows::Whole, FLAG_ROW_WARPS | FLAG_WHOLE_WARPS),
    };
    if block_order::is_any(&threads)? {
        flags |= FLAG_ANY_ORDER;
    }
    let warp_of_kernel = |rows, partial| {
        let warp = emit::declare(&module, kernel.function)?;
        warp.set_linkage(Linkage::LLVMInternalLinkage);
        let pair = Pair { thread: kernel.function, warp };
        emit::emit_function(&unit, pair, Body { is_kernel: true, rows, partial })?;
        Ok::<_, Error>(warp)
    };
    for &pair in &pairs {
        let is_kernel = pair.thread == kernel.function;
        if emit::emit_function(&unit, pair, Body { is_kernel, rows, partial: false })? {
            flags |= FLAG_WAITS;
        }
    }
    let all = functions[&kernel.function];
    let bodies = if options.blocks == Blocks::WholeWarps {
        Bodies { whole: Some(all), rest: None, halves: false }
    } else if options.blocks == Blocks::Any && depends_on_rows(&module) {
        let halves = Some(warp_of_kernel(Rows::Halves, false)?).filter(|&body| is_small(body));
        Bodies { whole: halves, rest: Some(all), halves: true }
    } else if is_small(all) {
        Bodies { whole: Some(all), rest: Some(warp_of_kernel(rows, true)?), halves: false }
    } else {
        Bodies { whole: None, rest: Some(all), halves: false }
    };
    remove(&threads);

    let entry = block_entry(&module, &kernel.name, bodies);
    descriptor::emit(
        &module,
        &kernel.name,
        entry,
        &Description {
            kind: KernelKind::Vector,
            flags,
            param_size: kernel.param_size,
            static_shared_size,
            local_size,
            max_threads_per_block: kernel.max_threads_per_block,
        },
    );
    for function in module.functions() {
        if !function.is_declaration() {
            let width = options.vector_width().to_string();
            module.add_string_attribute(function, "prefer-vector-width", &width);
            module.add_attribute_with_value(function, "uwtable", 2);
        }
    }
    Ok(module)
}

/// Some function asks for its place in the block.
fn depends_on_rows(module: &Module<'_>) -> bool {
    ["zluda.tid.x", "zluda.tid.y"]
        .iter()
        .all(|name| module.function(name).is_some_and(|function| function.has_uses()))
}

/// The forms of a kernel in one object. What runs whole warps is worth a copy of its own, with a mask that
/// is known.
#[derive(Clone, Copy)]
struct Bodies<'c> {
    /// For warps of 32 threads.
    whole: Option<Value<'c>>,
    /// For other warps. Without it there are none.
    rest: Option<Value<'c>>,
    /// `whole` is for blocks of 16 columns, the most frequent shape whose warps span rows.
    halves: bool,
}

fn is_small(body: Value<'_>) -> bool {
    let instructions: usize = body.blocks().iter().map(|block| block.instructions().len()).sum();
    instructions < SPECIALIZE_BELOW
}

/// Bytes of stack variables of one thread, as far as it is known.
fn local_size(module: &Module<'_>, functions: &[Value<'_>]) -> u32 {
    let bytes: u64 = functions
        .iter()
        .flat_map(|function| function.blocks())
        .flat_map(|block| block.instructions())
        .filter(|instruction| instruction.opcode() == Opcode::LLVMAlloca)
        .map(|alloca| alloca_stride(module, alloca))
        .sum();
    u32::try_from(bytes).unwrap_or(u32::MAX)
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

/// The `BlockEntry`: a loop over warps, whole ones with a mask that is known.
fn block_entry<'c>(module: &Module<'c>, name: &str, bodies: Bodies<'c>) -> Value<'c> {
    let cx = module.context();
    let i32_type = cx.i32();
    let ty = cx.function_type(cx.void(), &[cx.ptr(0), i32_type, i32_type]);
    let entry = module.add_function(&format!("{name}.block"), ty);
    emit::mark_context(module, entry);
    entry.set_linkage(Linkage::LLVMInternalLinkage);
    let [start, head, whole, part, latch, done] =
        ["start", "head", "whole", "part", "latch", "done"]
            .map(|name| module.append_block(entry, name));
    let b = cx.builder();
    let (block, first, last) = (entry.parameter(0), entry.parameter(1), entry.parameter(2));

    b.position_at_end(start);
    let ntid = |axis: usize| {
        let offset = cx.i64().const_int((offset_of!(BlockContext, ntid) + 4 * axis) as u64);
        b.load(i32_type, b.byte_offset(block, offset), 4)
    };
    let threads = b.mul(b.mul(ntid(0), ntid(1)), ntid(2));
    let none = b.icmp(IntPredicate::LLVMIntUGE, first, last);
    b.cond_br(none, done, head);

    b.position_at_end(head);
    let warp = b.phi(i32_type);
    let left = b.sub(threads, b.shl(warp, i32_type.const_int(5)));
    let is_whole = b.icmp(IntPredicate::LLVMIntUGE, left, i32_type.const_int(32));
    match bodies {
        Bodies { whole: None, .. } => b.br(part),
        Bodies { rest: None, .. } => b.br(whole),
        Bodies { halves: false, .. } => b.cond_br(is_whole, whole, part),
        Bodies { halves: true, .. } => {
            let sixteen = b.icmp(IntPredicate::LLVMIntEQ, ntid(0), i32_type.const_int(16));
            let flat = b.icmp(IntPredicate::LLVMIntEQ, ntid(2), i32_type.const_int(1));
            let even = b.trunc(b.not(ntid(1)), cx.i1());
            let fits = b.and(b.and(is_whole, sixteen), b.or(flat, even));
            b.cond_br(fits, whole, part)
        }
    };

    b.position_at_end(whole);
    if let Some(body) = bodies.whole {
        let call = b.call(body, &[block, warp, i32_type.all_ones()]);
        call.add_call_attribute(cx, "alwaysinline");
    }
    b.br(latch);

    b.position_at_end(part);
    if let Some(body) = bodies.rest {
        let lanes = b.sub(
            b.shl(i32_type.const_int(1), b.and(left, i32_type.const_int(31))),
            i32_type.const_int(1),
        );
        let mask = b.select(is_whole, i32_type.all_ones(), lanes);
        let call = b.call(body, &[block, warp, mask]);
        call.add_call_attribute(cx, "noinline");
    }
    b.br(latch);

    b.position_at_end(latch);
    let next = b.add(warp, i32_type.const_int(1));
    let more = b.icmp(IntPredicate::LLVMIntULT, next, last);
    b.cond_br(more, head, done);
    warp.add_incoming(&[(first, start), (next, latch)]);

    b.position_at_end(done);
    b.ret_void();
    entry
}
