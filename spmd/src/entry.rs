//! The [`cpu_abi::BlockEntry`] of a kernel, which calls the warps of a block.
//!
//! Where no warp waits within its code, they run one after the other. Where warps [return](crate::passes::return_at_barriers)
//! at barriers, the entry calls all of them, in the order of their numbers, and again until all have ended: it has a frame
//! for each, and a [round](crate::round) in which they tell it what they do. Warps may [go on](crate::passes::chain_warps) with
//! those behind them without the entry.

use std::mem::offset_of;

use cpu_abi::{BlockContext, Runtime};
use llvm_zluda::{Block, Builder, IntPredicate, Linkage, Module, Value};

use crate::block_run;
use crate::emit;
use crate::round::{self, RESULTS, WORDS, Word, set_word, word, word_place};

/// Warps' code with fewer instructions than this is part of the loop over them.
const INLINE_BELOW: usize = 300;

/// Frames begin at multiples of so many bytes.
const FRAME_ALIGNMENT: u32 = 64;

/// The forms of a kernel in one object. What runs whole warps is worth a copy of its own, with a mask that
/// is known.
#[derive(Clone, Copy)]
pub struct Bodies<'c> {
    /// For warps of 32 threads.
    pub whole: Option<Value<'c>>,
    /// For other warps. Without it there are none.
    pub rest: Option<Value<'c>>,
}

/// Instructions of a function.
pub fn size(body: Value<'_>) -> usize {
    body.blocks().iter().map(|block| block.instructions().len()).sum()
}

/// Who lets the warps of a block wait for each other.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Turns {
    /// The engine, or nobody: a warp's function runs to its end.
    Engine { parts: bool },
    /// The entry: warps return where they wait.
    Entry,
}

/// Makes the entry of a kernel; `has_runs`: it runs as many blocks as the context says.
pub fn emit<'c>(
    module: &Module<'c>,
    name: &str,
    bodies: Bodies<'c>,
    turns: Turns,
    has_runs: bool,
) -> Value<'c> {
    let cx = module.context();
    let mut parameters = vec![cx.ptr(0), cx.i32(), cx.i32()];
    if has_runs {
        parameters.push(cx.ptr(0));
    }
    let ty = cx.function_type(cx.void(), &parameters);
    let function = module.add_function(&format!("{name}.block"), ty);
    emit::mark_context(module, function);
    function.set_linkage(Linkage::LLVMInternalLinkage);
    let b = cx.builder();
    b.position_at_end(module.append_block(function, "start"));
    let block = function.parameter(0);
    let entry = Entry { module, function, bodies, turns, threads: threads(&b, block), b };
    match turns {
        Turns::Engine { parts } => entry.one_after_the_other(parts),
        Turns::Entry => entry.in_rounds(),
    }
    if has_runs { block_run::emit(module, name, function) } else { function }
}

fn context_word<'c>(b: &Builder<'c>, block: Value<'c>, offset: usize) -> Value<'c> {
    let offset = b.context().i64().const_int(offset as u64);
    b.load(b.context().i32(), b.byte_offset(block, offset), 4)
}

fn ntid<'c>(b: &Builder<'c>, block: Value<'c>, axis: usize) -> Value<'c> {
    context_word(b, block, offset_of!(BlockContext, ntid) + 4 * axis)
}

/// Threads of the block.
pub fn threads<'c>(b: &Builder<'c>, block: Value<'c>) -> Value<'c> {
    b.mul(b.mul(ntid(b, block, 0), ntid(b, block, 1)), ntid(b, block, 2))
}

struct Entry<'m, 'c> {
    module: &'m Module<'c>,
    function: Value<'c>,
    bodies: Bodies<'c>,
    turns: Turns,
    threads: Value<'c>,
    b: Builder<'c>,
}

impl<'c> Entry<'_, 'c> {
    fn block(&self, name: &str) -> Block<'c> {
        self.module.append_block(self.function, name)
    }

    fn number(&self, value: u64) -> Value<'c> {
        self.b.context().i32().const_int(value)
    }

    /// Calls the body that fits a warp; `fourth` makes the body's fourth argument from the mask. Leaves `b` behind the call.
    fn call(&self, warp: Value<'c>, fourth: &dyn Fn(Value<'c>) -> Value<'c>) {
        let (b, cx) = (&self.b, self.b.context());
        let block = self.function.parameter(0);
        let [whole, part, called] = ["whole", "part", "called"].map(|name| self.block(name));
        let left = b.sub(self.threads, b.shl(warp, self.number(5)));
        let is_whole = b.icmp(IntPredicate::LLVMIntUGE, left, self.number(32));
        match self.bodies {
            Bodies { whole: None, .. } => b.br(part),
            Bodies { rest: None, .. } => b.br(whole),
            _ => b.cond_br(is_whole, whole, part),
        };

        b.position_at_end(whole);
        if let Some(body) = self.bodies.whole {
            let mask = cx.i32().all_ones();
            let call = b.call(body, &[block, warp, mask, fourth(mask)]);
            // What returns at barriers becomes another function yet.
            let inlines = self.turns != Turns::Entry && size(body) < INLINE_BELOW;
            call.add_call_attribute(cx, if inlines { "alwaysinline" } else { "noinline" });
        }
        b.br(called);

        b.position_at_end(part);
        if let Some(body) = self.bodies.rest {
            let lanes = b.sub(b.shl(self.number(1), b.and(left, self.number(31))), self.number(1));
            let mask = b.select(is_whole, cx.i32().all_ones(), lanes);
            let call = b.call(body, &[block, warp, mask, fourth(mask)]);
            call.add_call_attribute(cx, "noinline");
        }
        b.br(called);
        b.position_at_end(called);
    }

    /// A loop over warps. Where lanes may part, warps have groups.
    fn one_after_the_other(&self, parts: bool) {
        let b = &self.b;
        let (block, first, last) =
            (self.function.parameter(0), self.function.parameter(1), self.function.parameter(2));
        let group = GroupPointer::new(b, parts);
        let start = b.block();
        let [head, done] = ["head", "done"].map(|name| self.block(name));
        let none = b.icmp(IntPredicate::LLVMIntUGE, first, last);
        b.cond_br(none, done, head);

        b.position_at_end(head);
        let warp = b.phi(b.context().i32());
        self.call(warp, &|mask| {
            group.begin(b, mask);
            group.0
        });
        let latch = group.end(self.module, b, block, warp);
        let next = b.add(warp, self.number(1));
        let more = b.icmp(IntPredicate::LLVMIntULT, next, last);
        b.cond_br(more, head, done);
        warp.add_incoming(&[(first, start), (next, latch)]);

        b.position_at_end(done);
        b.ret_void();
    }

    /// All warps are called once, and again, as far as they have not ended, until none is left. Those that only let others
    /// have a turn are called before those that wait.
    fn in_rounds(&self) {
        let (b, cx) = (&self.b, self.b.context());
        let (i32_type, i64_type) = (cx.i32(), cx.i64());
        let size = round::frame_size(self.module);
        let round = b.alloca(i64_type.array(WORDS));
        round.set_alignment(8);
        let size = b.load(i64_type, size, 8);
        let warps = b.sub(self.function.parameter(2), self.function.parameter(1));
        let frames = b.array_alloca(cx.i8(), b.mul(size, b.zext(warps, i64_type)));
        frames.set_alignment(FRAME_ALIGNMENT);
        for word in 0..WORDS - 1 {
            b.store(i64_type.const_int(0), b.byte_offset(round, i64_type.const_int(8 * word)), 8);
        }
        b.store(frames, word_place(b, round, Word::Frames), 8);
        let frame = |warp| round::frame_of(b, frames, size, warp);
        let all = b.lshr(i32_type.all_ones(), b.sub(self.number(32), warps));
        // The last warp has another body where it is not whole.
        let same_body = match self.bodies {
            Bodies { whole: Some(_), rest: Some(_) } => {
                let left = b.and(self.threads, self.number(31));
                let none_left = b.icmp(IntPredicate::LLVMIntEQ, left, self.number(0));
                b.select(none_left, all, b.lshr(all, self.number(1)))
            }
            _ => all,
        };
        let start = b.block();
        let [clear, turn, next, wait, done] =
            ["clear", "turn", "next", "wait", "done"].map(|name| self.block(name));
        b.br(clear);

        // No warp has begun.
        b.position_at_end(clear);
        let warp = b.phi(i32_type);
        b.store(self.number(0), frame(warp), 4);
        let after = b.add(warp, self.number(1));
        warp.add_incoming(&[(self.number(0), start), (after, clear)]);
        b.cond_br(b.icmp(IntPredicate::LLVMIntULT, after, warps), clear, turn);

        b.position_at_end(turn);
        let left = b.phi(i32_type);
        let undefined_at_zero = cx.i1().const_int(1);
        let warp = b.intrinsic(self.module, "llvm.cttz", &[i32_type], &[left, undefined_at_zero]);
        let others = b.and(left, b.sub(left, self.number(1)));
        set_word(b, round, Word::Next, b.and(others, same_body));
        self.call(warp, &|_| round);
        let rest = b.or(b.and(others, b.not(same_body)), word(b, round, Word::Next));
        let called = b.block();
        let is_zero = |value| b.icmp(IntPredicate::LLVMIntEQ, value, self.number(0));
        b.cond_br(is_zero(rest), next, turn);

        b.position_at_end(next);
        let live = b.and(all, b.not(word(b, round, Word::Ended)));
        let yielding = word(b, round, Word::Yielding);
        set_word(b, round, Word::Yielding, self.number(0));
        b.cond_br(is_zero(yielding), wait, turn);

        // All others wait: the barrier is complete.
        b.position_at_end(wait);
        for (now, before) in RESULTS {
            set_word(b, round, before, word(b, round, now));
            set_word(b, round, now, self.number(0));
        }
        b.cond_br(is_zero(live), done, turn);
        left.add_incoming(&[(all, clear), (rest, called), (yielding, next), (live, wait)]);

        b.position_at_end(done);
        b.ret_void();
    }
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
