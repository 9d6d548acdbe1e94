//! What is done under one condition in several places, in one of them.
//!
//! Input: per-thread IR whose registers are values. Output: the same; of `if (c) a; x; if (c) b;` it makes `x; if (c) { a; b }` where
//! `x` neither needs what `a` makes nor touches the memory that it touches; and what only such a block needs is made in it.
//! Why here: ptxas guards instructions one by one and mixes those of several conditions. Behind the vectoriser each has branches of its
//! own, or addresses that are chosen lane by lane between what is right and what no lane needs.

use llvm_zluda::{Block, Builder, Module, Opcode, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use simt::intrinsics::{self, Effects};

use super::effects;
use super::substitute_known_threads::is_simple;

const GENERIC: u32 = 0;
const CONSTANT: u32 = 4;

/// Rewrites the functions of a module.
pub fn run(module: &Module<'_>) {
    let b = module.context().builder();
    for function in module.functions().into_iter().filter(|function| !function.is_declaration()) {
        let blocks = function.blocks();
        let mut ways: FxHashMap<Block<'_>, usize> = FxHashMap::default();
        for block in blocks.iter().flat_map(|block| block.successors()) {
            *ways.entry(block).or_default() += 1;
        }
        let mut known = FxHashSet::default();
        for block in blocks {
            if known.contains(&block) {
                continue;
            }
            let chain = Chain::from(block, &ways);
            known.extend(chain.joints.iter().copied());
            chain.join(&b);
        }
    }
}

/// A condition that is no negation, and whether it has to hold.
type Condition<'c> = (Value<'c>, bool);

fn condition<'c>(value: Value<'c>, holds: bool) -> Condition<'c> {
    let is_negation = value.is_instruction()
        && value.opcode() == Opcode::LLVMXor
        && value.operand(1).as_const_int() == Some(1);
    if is_negation { condition(value.operand(0), !holds) } else { (value, holds) }
}

/// A block that is gone through under a condition, between two others of a chain.
struct Guarded<'c> {
    condition: Condition<'c>,
    block: Block<'c>,
}

/// Blocks that are gone through one after the other, `joints[0]`, `guarded[0]`, `joints[1]` and so on.
struct Chain<'c> {
    joints: Vec<Block<'c>>,
    guarded: Vec<Guarded<'c>>,
}

impl<'c> Chain<'c> {
    fn from(start: Block<'c>, ways: &FxHashMap<Block<'c>, usize>) -> Self {
        let mut chain = Self { joints: vec![start], guarded: Vec::new() };
        while let Some((guarded, joint)) = triangle(chain.joints[chain.guarded.len()], ways) {
            if chain.joints.contains(&joint) {
                break;
            }
            chain.guarded.push(guarded);
            chain.joints.push(joint);
        }
        chain
    }

    fn join(&self, b: &Builder<'c>) {
        let mut seen = FxHashSet::default();
        if self.guarded.iter().all(|guarded| seen.insert(guarded.condition)) {
            return;
        }
        for to in 0..self.guarded.len() {
            self.sink(b, to);
            for from in (0..to).rev() {
                if self.guarded[from].condition == self.guarded[to].condition
                    && self.may_move(from, to)
                {
                    self.move_into(b, from, to);
                }
            }
        }
    }

    /// Makes in a guarded block what nothing else needs, and takes what is chosen by its condition as it is there.
    fn sink(&self, b: &Builder<'c>, to: usize) {
        let Guarded { condition: own, block } = self.guarded[to];
        let choose = |instruction: Value<'c>| {
            for index in 0..instruction.operand_count() {
                let mut operand = instruction.operand(index);
                while let Some(chosen) = chosen(operand, own) {
                    operand = chosen;
                    instruction.set_operand(index, operand);
                }
            }
        };
        block.instructions().into_iter().for_each(choose);
        for joint in self.joints[..=to].iter().rev() {
            for instruction in joint.instructions().into_iter().rev() {
                let users = instruction.users();
                if is_simple(instruction)
                    && !users.is_empty()
                    && users.iter().all(|user| user.parent() == block)
                {
                    instruction.detach();
                    b.position_at_start(block);
                    b.insert(instruction);
                    choose(instruction);
                }
            }
        }
    }

    /// The blocks that are gone through behind a guarded one and before another one.
    fn between(&self, from: usize, to: usize) -> Vec<Block<'c>> {
        let guarded = self.guarded[from + 1..to].iter().map(|guarded| guarded.block);
        self.joints[from + 1..=to].iter().copied().chain(guarded).collect()
    }

    fn may_move(&self, from: usize, to: usize) -> bool {
        let (source, target) = (self.guarded[from].block, self.guarded[to].block);
        let between = self.between(from, to);
        let end = self.joints[to + 1];
        let moved: Vec<_> =
            source.instructions().into_iter().filter(|it| !it.is_terminator()).collect();
        if moved.is_empty() || !moved.iter().copied().all(is_movable) {
            return false;
        }
        let phis = self.joints[from + 1].phis();
        let stays_near = |value: Value<'c>| {
            value.users().iter().all(|user| user.parent() == source || phis.contains(user))
        };
        let is_needed_later = |phi: Value<'c>| {
            phi.users().iter().all(|user| {
                user.parent() == target || user.parent() == end || !between.contains(&user.parent())
            })
        };
        moved.iter().copied().all(stays_near)
            && phis
                .iter()
                .filter(|phi| moved.contains(&come_from(**phi, source)))
                .all(|phi| is_needed_later(*phi))
            && between
                .iter()
                .flat_map(|block| block.instructions())
                .all(|other| moved.iter().all(|own| may_swap(*own, other)))
    }

    fn move_into(&self, b: &Builder<'c>, from: usize, to: usize) {
        let (source, target) = (self.guarded[from].block, self.guarded[to].block);
        let (last, end) = (self.joints[to], self.joints[to + 1]);
        let phis: Vec<_> = self.joints[from + 1]
            .phis()
            .into_iter()
            .map(|phi| (phi, come_from(phi, source), come_from(phi, self.joints[from])))
            .filter(|(_, made, _)| made.is_instruction() && made.parent() == source)
            .collect();
        let Some(anchor) = target.first_instruction() else { return };
        b.position_before(anchor);
        for instruction in source.instructions().into_iter().filter(|it| !it.is_terminator()) {
            instruction.detach();
            b.insert(instruction);
        }
        for (phi, made, otherwise) in phis {
            let mut joined = None;
            let users: FxHashSet<_> = phi.users().into_iter().collect();
            for user in users {
                let is_at_end = user.parent() == end && user.opcode() == Opcode::LLVMPHI;
                for index in (0..user.operand_count()).filter(|&index| user.operand(index) == phi) {
                    let comes_from = || user.incoming()[index as usize].1;
                    let value = if user.parent() == target || is_at_end && comes_from() == target {
                        made
                    } else if is_at_end && comes_from() == last {
                        otherwise
                    } else {
                        *joined.get_or_insert_with(|| {
                            b.position_at_start(end);
                            let joined = b.phi(phi.ty());
                            joined.add_incoming(&[(otherwise, last), (made, target)]);
                            joined
                        })
                    };
                    user.set_operand(index, value);
                }
            }
            phi.erase();
        }
    }
}

/// What a block does under a condition before it goes on, and where.
fn triangle<'c>(
    head: Block<'c>,
    ways: &FxHashMap<Block<'c>, usize>,
) -> Option<(Guarded<'c>, Block<'c>)> {
    let end = head.terminator().filter(|it| it.opcode() == Opcode::LLVMBr)?;
    let value = end.condition()?;
    let [yes, no] = [end.successor(0), end.successor(1)];
    [(yes, no, true), (no, yes, false)].into_iter().find_map(|(block, joint, holds)| {
        let fits = block != joint
            && block.successors() == [joint]
            && ways.get(&block) == Some(&1)
            && ways.get(&joint) == Some(&2);
        fits.then(|| (Guarded { condition: condition(value, holds), block }, joint))
    })
}

/// What a `select` is where a condition is as it has to be.
fn chosen<'c>(value: Value<'c>, own: Condition<'c>) -> Option<Value<'c>> {
    if !value.is_instruction() || value.opcode() != Opcode::LLVMSelect {
        return None;
    }
    match condition(value.operand(0), true) {
        it if it == own => Some(value.operand(1)),
        (it, holds) if (it, !holds) == own => Some(value.operand(2)),
        _ => None,
    }
}

fn come_from<'c>(phi: Value<'c>, block: Block<'c>) -> Value<'c> {
    let mut incoming = phi.incoming().into_iter();
    incoming.find(|(_, from)| *from == block).map_or(phi, |(value, _)| value)
}

/// Whether an instruction is arithmetic or a plain access.
fn is_movable(instruction: Value<'_>) -> bool {
    use Opcode::*;
    match instruction.opcode() {
        LLVMLoad | LLVMStore => !instruction.is_volatile() && !instruction.is_atomic(),
        LLVMFAdd | LLVMFSub | LLVMFMul | LLVMFNeg | LLVMBitCast => true,
        _ => is_simple(instruction),
    }
}

/// Whether an instruction that can be moved may come behind another one, as far as memory goes.
fn may_swap(own: Value<'_>, other: Value<'_>) -> bool {
    use Opcode::*;
    let Some((space, writes)) = access(own) else { return true };
    match other.opcode() {
        LLVMLoad | LLVMStore if other.is_volatile() || other.is_atomic() => false,
        LLVMCall => match intrinsics::called(other) {
            Some(called) => matches!(called.effects, Effects::Pure | Effects::Momentary),
            None => !effects::is_access(other),
        },
        LLVMFence | LLVMAtomicCmpXchg | LLVMAtomicRMW | LLVMInvoke => false,
        _ => access(other).is_none_or(|(others, other_writes)| {
            !writes && !other_writes
                || space != others && space != GENERIC && others != GENERIC
                || [space, others].contains(&CONSTANT)
        }),
    }
}

/// The address space of a plain access, and whether it writes.
fn access(instruction: Value<'_>) -> Option<(u32, bool)> {
    let (pointer, writes) = match instruction.opcode() {
        Opcode::LLVMLoad => (instruction.operand(0), false),
        Opcode::LLVMStore => (instruction.operand(1), true),
        _ => return None,
    };
    Some((pointer.ty().address_space(), writes))
}
