//! Per-thread IR to vector code for whole warps.
//!
//! Input: optimised per-thread IR without shared variables. Output: a module that exports the kernel's
//! descriptor; its entry loops over warps and runs each as one function of 32-lane vectors ([`crate::emit`]).

use std::mem::offset_of;

use cpu_abi::{
    BlockContext, FLAG_ANY_ORDER, FLAG_ROW_WARPS, FLAG_WAITS, FLAG_WHOLE_WARPS, KernelKind, Runtime,
};
use llvm_zluda::{Block, Builder, IntPredicate, Linkage, Module, Value};
use rustc_hash::FxHashMap;
use simt::Blocks;
use simt::analysis::{block_order, form, warp_splitting};

use crate::descriptor::{self, Description};
use crate::emit::{self, Body, Entering, Pair, Rows, Unit};
use crate::{Error, Options};

/// Kernels with this many instructions or more are compiled once for all warps, where not all are whole.
const SPECIALIZE_BELOW: usize = 1500;

/// Warps' code with fewer instructions than this is part of the loop over them.
const INLINE_BELOW: usize = 300;

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
        Blocks::RowWarps => (Rows::Whole, FLAG_ROW_WARPS),
        Blocks::WholeWarps => (Rows::Whole, FLAG_ROW_WARPS | FLAG_WHOLE_WARPS),
    };
    if block_order::is_any(&threads)? {
        flags |= FLAG_ANY_ORDER;
    }
    let warp_of_kernel = |rows, lanes| {
        let warp = emit::declare(&module, kernel.function)?;
        warp.set_linkage(Linkage::LLVMInternalLinkage);
        let pair = Pair { thread: kernel.function, warp };
        emit::emit_function(&unit, pair, Body { is_kernel: true, rows, lanes })?;
        Ok::<_, Error>(warp)
    };
    let mut parts = false;
    for &pair in &pairs {
        let is_kernel = pair.thread == kernel.function;
        let lanes = match options.blocks {
            Blocks::WholeWarps if is_kernel => Entering::All,
            _ => Entering::Any,
        };
        let made = emit::emit_function(&unit, pair, Body { is_kernel, rows, lanes })?;
        parts |= made.parts;
        if made.waits {
            flags |= FLAG_WAITS;
        }
    }
    let all = functions[&kernel.function];
    let bodies = if options.blocks == Blocks::WholeWarps {
        Bodies { whole: Some(all), rest: None, halves: false }
    } else if options.blocks == Blocks::Any && depends_on_rows(&module) {
        let halves =
            Some(warp_of_kernel(Rows::Halves, Entering::All)?).filter(|&body| is_small(body));
        Bodies { whole: halves, rest: Some(all), halves: true }
    } else if is_small(all) {
        let whole = warp_of_kernel(rows, Entering::All)?;
        Bodies {
            whole: Some(whole),
            rest: Some(warp_of_kernel(rows, Entering::Some)?),
            halves: false,
        }
    } else {
        Bodies { whole: None, rest: Some(all), halves: false }
    };
    remove(&threads);

    let entry = block_entry(&module, &kernel.name, bodies, parts);
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
    size(body) < SPECIALIZE_BELOW
}

fn size(body: Value<'_>) -> usize {
    body.blocks().iter().map(|block| block.instructions().len()).sum()
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

/// The `BlockEntry`: a loop over warps, whole ones with a mask that is known. Where lanes may part, warps have
/// groups.
fn block_entry<'c>(module: &Module<'c>, name: &str, bodies: Bodies<'c>, parts: bool) -> Value<'c> {
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
    let group = GroupPointer::new(&b, parts);
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
        let mask = i32_type.all_ones();
        group.begin(&b, mask);
        let call = b.call(body, &[block, warp, mask, group.0]);
        let inlines = size(body) < INLINE_BELOW;
        call.add_call_attribute(cx, if inlines { "alwaysinline" } else { "noinline" });
    }
    b.br(latch);

    b.position_at_end(part);
    if let Some(body) = bodies.rest {
        let lanes = b.sub(
            b.shl(i32_type.const_int(1), b.and(left, i32_type.const_int(31))),
            i32_type.const_int(1),
        );
        let mask = b.select(is_whole, i32_type.all_ones(), lanes);
        group.begin(&b, mask);
        let call = b.call(body, &[block, warp, mask, group.0]);
        call.add_call_attribute(cx, "noinline");
    }
    b.br(latch);

    b.position_at_end(latch);
    let latch = group.end(module, &b, block, warp);
    let next = b.add(warp, i32_type.const_int(1));
    let more = b.icmp(IntPredicate::LLVMIntULT, next, last);
    b.cond_br(more, head, done);
    warp.add_incoming(&[(first, start), (next, latch)]);

    b.position_at_end(done);
    b.ret_void();
    entry
}

/// The [`cpu_abi::Group`] of the warp that runs; null where lanes never part.
struct GroupPointer<'c>(Value<'c>);

impl<'c> GroupPointer<'c> {
    fn new(b: &Builder<'c>, parts: bool) -> Self {
        let cx = b.context();
        Self(if parts { b.alloca(cx.i32().array(GROUP_WORDS)) } else { cx.ptr(0).zero() })
    }

    fn is_used(&self) -> bool {
        !self.0.is_constant()
    }

    fn begin(&self, b: &Builder<'c>, lanes: Value<'c>) {
        if !self.is_used() {
            return;
        }
        let cx = b.context();
        for word in 0..GROUP_WORDS {
            let place = b.byte_offset(self.0, cx.i64().const_int(4 * word));
            let is_lanes = 4 * word == offset_of!(cpu_abi::Group, lanes) as u64;
            b.store(if is_lanes { lanes } else { cx.i32().const_int(0) }, place, 4);
        }
    }

    /// The end of a warp, for each of its groups. Returns the block with which it ends.
    fn end(
        &self,
        module: &Module<'c>,
        b: &Builder<'c>,
        block: Value<'c>,
        warp: Value<'c>,
    ) -> Block<'c> {
        if !self.is_used() {
            return b.block();
        }
        let cx = b.context();
        let function = b.block().function();
        let [end, next] = ["end.group", "next"].map(|name| module.append_block(function, name));
        let offset = offset_of!(cpu_abi::Group, parted) as u64;
        let parted = b.load(cx.i32(), b.byte_offset(self.0, cx.i64().const_int(offset)), 4);
        let zero = cx.i32().const_int(0);
        b.cond_br(b.icmp(IntPredicate::LLVMIntEQ, parted, zero), next, end);
        b.position_at_end(end);
        let field = |base, offset: usize| {
            b.load(cx.ptr(0), b.byte_offset(base, cx.i64().const_int(offset as u64)), 8)
        };
        let runtime = field(block, offset_of!(BlockContext, runtime));
        let function = field(runtime, offset_of!(Runtime, end_group));
        let ty = cx.function_type(cx.void(), &[cx.ptr(0), cx.i32(), cx.ptr(0)]);
        b.call_pointer(ty, function, &[block, warp, self.0]);
        b.br(next);
        b.position_at_end(next);
        next
    }
}

const GROUP_WORDS: u64 = size_of::<cpu_abi::Group>() as u64 / 4;
