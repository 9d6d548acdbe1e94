//! One atomic for all warps of a block, and of a run of blocks, where each of them changes the same word and nobody looks at what it was.
//!
//! Input: vector code after its last optimisation, in which a loop over the warps of a block has the code of a warp. Output:
//! the same code; relaxed atomics without a result, at an address that is the same for all warps, add up in a variable, and
//! one atomic behind the loop adds that.
//! Why here: that a warp's code has no call, no other access that orders memory, and no access behind the atomic in which its
//! own threads would miss what it did, is plain once all is inlined and simplified. A locked instruction takes as long as
//! thirty others, and many times that where another processor has changed the word since.
//!
//! Where the entry runs several blocks ([`crate::block_run`]), a block leaves its sum to the next one. Whether their words are the
//! same is asked then; the last one, or the first one with another word, changes memory. A kernel with runs has no block that waits
//! for another one.
//!
//! Others may see the sum late, as if the block's warps had come late, and never a part of it that is wrong.

use llvm_zluda::{
    AtomicOrdering, AtomicRmwOp, Block, Builder, IntPredicate, Module, Opcode, Type, Value,
};
use rustc_hash::FxHashSet;

use super::effects::{is_access, is_in_the_way};
use crate::block_run::BlockRun;

/// Joins the atomics of a module.
pub fn run(module: &Module<'_>) {
    for function in module.functions() {
        if function.is_declaration() || !function.name().ends_with(".block") {
            continue;
        }
        let blocks = function.blocks();
        let is_atomic = |it: &Value<'_>| it.opcode() == Opcode::LLVMAtomicRMW;
        if !blocks.iter().any(|block| block.instructions().iter().any(is_atomic)) {
            continue;
        }
        if let Some(warps) = Warps::of(&blocks)
            && let Some(atomics) = warps.atomics()
        {
            warps.join(module, function, &atomics);
        }
    }
}

/// The loop over warps.
struct Warps<'c> {
    inside: FxHashSet<Block<'c>>,
    /// The same blocks in their order: code is the same in every run.
    in_order: Vec<Block<'c>>,
    head: Block<'c>,
    /// Edges that leave it: the terminator, and the number of the successor.
    exits: Vec<(Value<'c>, u32)>,
}

impl<'c> Warps<'c> {
    fn of(blocks: &[Block<'c>]) -> Option<Self> {
        let repeats = |&block: &Block<'c>| reached(block, None).contains(&block);
        let in_order: Vec<_> = blocks.iter().copied().filter(repeats).collect();
        let inside: FxHashSet<_> = in_order.iter().copied().collect();
        let (mut heads, mut exits) = (FxHashSet::default(), Vec::new());
        for &block in blocks {
            let terminator = block.terminator()?;
            for index in 0..terminator.successor_count() {
                let next = terminator.successor(index);
                match (inside.contains(&block), inside.contains(&next)) {
                    (false, true) => {
                        heads.insert(next);
                    }
                    (true, false) => exits.push((terminator, index)),
                    _ => {}
                }
            }
        }
        let mut heads = heads.into_iter();
        let head = heads.next().filter(|_| heads.next().is_none())?;
        Some(Self { inside, in_order, head, exits })
    }

    /// The atomics that can be joined, if nothing is in the way.
    fn atomics(&self) -> Option<Vec<Value<'c>>> {
        let mut atomics = Vec::new();
        for instruction in self.in_order.iter().flat_map(|block| block.instructions()) {
            if instruction.opcode() == Opcode::LLVMAtomicRMW {
                atomics.push(instruction);
            } else if is_in_the_way(instruction) {
                return None;
            }
        }
        let operation = atomics.first()?.rmw_operation();
        let can_be_joined = |&atomic: &Value<'c>| {
            let place = atomic.operand(0);
            let moves = place.is_instruction() && self.inside.contains(&place.parent());
            // The same operation twice is the same in either order.
            atomic.rmw_operation() == operation
                && identity(operation, atomic.operand(1).ty()).is_some()
                && atomic.ordering() == AtomicOrdering::LLVMAtomicOrderingMonotonic
                && !atomic.is_volatile()
                && !atomic.has_uses()
                && !moves
                && !self.is_followed_by_accesses(atomic)
        };
        (atomics.len() <= MOST && atomics.iter().all(can_be_joined)).then_some(atomics)
    }

    /// Whether the warp accesses memory by something else than an atomic behind this one.
    fn is_followed_by_accesses(&self, atomic: Value<'c>) -> bool {
        let block = atomic.parent();
        let accesses = |it: &Value<'c>| it.opcode() != Opcode::LLVMAtomicRMW && is_access(*it);
        let mut behind = block.instructions().into_iter().skip_while(|&it| it != atomic);
        behind.any(|it| accesses(&it))
            || reached(block, Some(self.head))
                .intersection(&self.inside)
                .any(|next| next.instructions().iter().any(accesses))
    }

    fn join(&self, module: &Module<'c>, function: Value<'c>, atomics: &[Value<'c>]) {
        let first = |block: Block<'c>| block.first_instruction();
        // What the exits lead to would have to tell where it came from.
        let to_phis = self.exits.iter().any(|(terminator, index)| {
            let next = terminator.successor(*index);
            first(next).is_some_and(|it| it.opcode() == Opcode::LLVMPHI)
        });
        let Some(begin) = first(function.entry_block()).filter(|_| !to_phis) else { return };
        let cx = module.context();
        let b = cx.builder();
        let mut left = BlockRun::of(module, function).map(|run| Left::new(module, run));
        for &atomic in atomics {
            let (place, value) = (atomic.operand(0), atomic.operand(1));
            let (operation, scope) = (atomic.rmw_operation(), atomic.sync_scope());
            let ty = value.ty();
            let Some(start) = identity(operation, ty) else { continue };
            b.position_before(begin);
            let [total, any] = [ty, cx.i8()].map(|ty| b.alloca(ty));
            let align = module.align_of(ty);
            b.store(start, total, align);
            b.store(cx.i8().zero(), any, 1);

            b.position_before(atomic);
            let so_far = b.load(ty, total, align);
            let sum = combine(module, &b, operation, so_far, value);
            b.store(sum, total, align);
            b.store(cx.i8().const_int(1), any, 1);
            atomic.erase();

            for &(terminator, index) in &self.exits {
                let next = terminator.successor(index);
                let [ask, change] =
                    ["joined", "change"].map(|name| module.append_block(function, name));
                terminator.set_successor(index, ask);
                b.position_at_end(ask);
                let some = b.trunc(b.load(cx.i8(), any, 1), cx.i1());
                b.cond_br(some, change, next);
                b.position_at_end(change);
                let total = b.load(ty, total, align);
                let sum = Sum { operation, scope, place, total };
                match &left {
                    Some(left) => left.add(module, function, &b, sum),
                    None => sum.change_memory(&b),
                }
                b.br(next);
            }
            if let Some(left) = &mut left {
                left.end(module, operation, scope, ty);
            }
        }
    }
}

/// What is to be done to a word.
#[derive(Clone, Copy)]
struct Sum<'c> {
    operation: AtomicRmwOp,
    scope: u32,
    place: Value<'c>,
    total: Value<'c>,
}

impl<'c> Sum<'c> {
    fn change_memory(self, b: &Builder<'c>) {
        let relaxed = AtomicOrdering::LLVMAtomicOrderingMonotonic;
        b.atomic_rmw(self.operation, self.place, self.total, relaxed, self.scope);
    }
}

/// What the blocks of a run leave to each other: for each atomic its place, which is null at first, and what is to be done there.
struct Left<'c> {
    run: BlockRun<'c>,
    /// The variable of the entry.
    variable: Value<'c>,
    /// In words of 8 bytes: where those of the atomic are that is joined now.
    offset: u64,
}

/// Atomics of a kernel that are joined at most: more are hardly ever there.
const MOST: usize = 4;

impl<'c> Left<'c> {
    fn new(module: &Module<'c>, run: BlockRun<'c>) -> Self {
        let cx = module.context();
        let b = cx.builder();
        if let Some(begin) = run.entry.entry_block().first_instruction() {
            b.position_before(begin);
        }
        let variable = b.alloca(cx.i64().array(2 * MOST as u64));
        variable.set_alignment(8);
        for number in 0..MOST as u64 {
            b.store(cx.ptr(0).zero(), word(&b, variable, 2 * number), 8);
        }
        run.call.set_operand(3, variable);
        Self { run, variable, offset: 0 }
    }

    /// Adds the sum of a block to what those before it have left.
    fn add(&self, module: &Module<'c>, function: Value<'c>, b: &Builder<'c>, sum: Sum<'c>) {
        let cx = module.context();
        let names = ["other", "flush", "first", "again", "kept"];
        let [other, flush, first, again, kept] =
            names.map(|name| module.append_block(function, name));
        let variable = function.parameter(3);
        let [place_word, total_word] = [0, 1].map(|index| word(b, variable, self.offset + index));
        let before = b.load(cx.ptr(0), place_word, 8);
        let ty = sum.total.ty();
        let is = |left, right| b.icmp(IntPredicate::LLVMIntEQ, left, right);
        b.cond_br(is(before, sum.place), again, other);

        b.position_at_end(again);
        let so_far = b.load(ty, total_word, 8);
        b.store(combine(module, b, sum.operation, so_far, sum.total), total_word, 8);
        b.br(kept);

        b.position_at_end(other);
        b.cond_br(is(before, cx.ptr(0).zero()), first, flush);
        b.position_at_end(flush);
        let so_far = b.load(ty, total_word, 8);
        Sum { place: before, total: so_far, ..sum }.change_memory(b);
        b.br(first);
        b.position_at_end(first);
        b.store(sum.place, place_word, 8);
        b.store(sum.total, total_word, 8);
        b.br(kept);
        b.position_at_end(kept);
    }

    /// Lets the entry change memory at the end of a run. What follows is the next atomic.
    fn end(&mut self, module: &Module<'c>, operation: AtomicRmwOp, scope: u32, ty: Type<'c>) {
        let cx = module.context();
        let b = cx.builder();
        let Some(end) = self.run.done.terminator() else { return };
        let entry = self.run.entry;
        let [flush, done] = ["flush", "done"].map(|name| module.append_block(entry, name));
        b.position_before(end);
        let place = b.load(cx.ptr(0), word(&b, self.variable, self.offset), 8);
        let none = b.icmp(IntPredicate::LLVMIntEQ, place, cx.ptr(0).zero());
        b.cond_br(none, done, flush);
        end.erase();
        b.position_at_end(flush);
        let total = b.load(ty, word(&b, self.variable, self.offset + 1), 8);
        Sum { operation, scope, place, total }.change_memory(&b);
        b.br(done);
        b.position_at_end(done);
        b.ret_void();
        self.run.done = done;
        self.offset += 2;
    }
}

fn word<'c>(b: &Builder<'c>, variable: Value<'c>, number: u64) -> Value<'c> {
    b.byte_offset(variable, b.context().i64().const_int(8 * number))
}

fn combine<'c>(
    module: &Module<'c>,
    b: &Builder<'c>,
    operation: AtomicRmwOp,
    left: Value<'c>,
    right: Value<'c>,
) -> Value<'c> {
    match operation {
        AtomicRmwOp::LLVMAtomicRMWBinOpAdd => b.add(left, right),
        AtomicRmwOp::LLVMAtomicRMWBinOpAnd => b.and(left, right),
        AtomicRmwOp::LLVMAtomicRMWBinOpOr => b.or(left, right),
        AtomicRmwOp::LLVMAtomicRMWBinOpXor => b.xor(left, right),
        AtomicRmwOp::LLVMAtomicRMWBinOpMax => bound(module, b, "smax", left, right),
        AtomicRmwOp::LLVMAtomicRMWBinOpMin => bound(module, b, "smin", left, right),
        AtomicRmwOp::LLVMAtomicRMWBinOpUMax => bound(module, b, "umax", left, right),
        _ => bound(module, b, "umin", left, right),
    }
}

/// The blocks behind one, without those behind `end` and `end` itself.
fn reached<'c>(from: Block<'c>, end: Option<Block<'c>>) -> FxHashSet<Block<'c>> {
    let mut reached = FxHashSet::default();
    let mut left = from.successors();
    while let Some(block) = left.pop() {
        if Some(block) != end && reached.insert(block) {
            left.extend(block.successors());
        }
    }
    reached
}

fn bound<'c>(
    module: &Module<'c>,
    b: &Builder<'c>,
    name: &str,
    left: Value<'c>,
    right: Value<'c>,
) -> Value<'c> {
    b.intrinsic(module, &format!("llvm.{name}"), &[left.ty()], &[left, right])
}

/// The number that changes nothing; none for operations that are not the same in every order.
fn identity(operation: AtomicRmwOp, ty: Type<'_>) -> Option<Value<'_>> {
    use AtomicRmwOp::*;
    if !ty.is_int() {
        return None;
    }
    let sign = 1u64 << (ty.bits().min(64) - 1);
    Some(match operation {
        LLVMAtomicRMWBinOpAdd
        | LLVMAtomicRMWBinOpOr
        | LLVMAtomicRMWBinOpXor
        | LLVMAtomicRMWBinOpUMax => ty.zero(),
        LLVMAtomicRMWBinOpAnd | LLVMAtomicRMWBinOpUMin => ty.all_ones(),
        LLVMAtomicRMWBinOpMax => ty.const_int(sign),
        LLVMAtomicRMWBinOpMin => ty.const_int(sign - 1),
        _ => return None,
    })
}
