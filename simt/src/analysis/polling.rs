//! Loops that ask shared memory again and again, by plain loads, for what another thread writes there.
//!
//! Machine code does not say which of its loads of shared memory are volatile: they are all alike. But its compiler has taken
//! out of loops what need not be loaded again. So a load that is still there, from one place, in a loop that does not write
//! there itself and goes on by what it finds, is one that others are asked by. Where the loop may write there, too, it is if
//! the loop ends by it, and by nothing that the loop itself counts.

use llvm_zluda::{Block, Opcode, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use super::cfg::Cfg;
use super::spinning::{condition_of, nearest_branch};
use crate::Error;
use crate::intrinsics::{self, Effects, Participants};
use crate::space::{GENERIC, SHARED};

/// The plain loads of shared memory by which loops of a function wait. Fails where [`Cfg::as_it_is`] does.
pub fn plain_loads<'c>(function: Value<'c>) -> Result<Vec<Value<'c>>, Error> {
    let instructions = || function.blocks().into_iter().flat_map(|block| block.instructions());
    if !instructions().any(is_plain) {
        return Ok(Vec::new());
    }
    let cfg = Cfg::as_it_is(function)?;
    let mut found = FxHashSet::default();
    for number in 0..cfg.loops.len() {
        if !has_barriers(&cfg, number) {
            find(&cfg, number, &mut found);
        }
    }
    Ok(instructions().filter(|instruction| found.contains(instruction)).collect())
}

/// It accesses shared memory, and does not say that others do so too.
fn is_plain(instruction: Value<'_>) -> bool {
    instruction.opcode() == Opcode::LLVMLoad
        && instruction.operand(0).ty().address_space() == SHARED
        && !instruction.is_volatile()
        && !instruction.is_atomic()
}

/// Whether the block waits for its threads in each round: then nobody waits for a thread that does not come.
fn has_barriers(cfg: &Cfg<'_>, number: usize) -> bool {
    cfg.instructions_of_loop(number).any(|instruction| {
        intrinsics::called(instruction).is_some_and(|called| {
            matches!(called.participants, Participants::Block | Participants::Cluster)
        })
    })
}

/// Whether a loop may write shared memory, or does what its compiler would move no load across.
fn may_write(cfg: &Cfg<'_>, number: usize) -> bool {
    cfg.instructions_of_loop(number).any(|instruction| match instruction.opcode() {
        Opcode::LLVMStore => {
            let space = instruction.operand(1).ty().address_space();
            space == SHARED || space == GENERIC || instruction.is_atomic()
        }
        Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg | Opcode::LLVMFence => true,
        Opcode::LLVMCall => match intrinsics::called(instruction) {
            Some(called) => {
                matches!(called.effects, Effects::OrdersMemory | Effects::AccessesMemory)
            }
            None => !instruction.called_name().starts_with("llvm."),
        },
        _ => false,
    })
}

fn find<'c>(cfg: &Cfg<'c>, number: usize, found: &mut FxHashSet<Value<'c>>) {
    let contains = &cfg.loops[number].contains;
    let leaves = |block: usize| cfg.successors[block].iter().any(|&to| !contains[to]);
    let may_write = may_write(cfg, number);
    for block in (0..cfg.blocks.len()).filter(|&block| contains[block]) {
        let Some(condition) = condition_of(cfg, block) else { continue };
        if may_write && !leaves(block) {
            continue;
        }
        let decides = Slice::of(cfg, number, condition);
        let loads = decides.values.iter().copied().filter(|&value| is_plain(value));
        let loads: Vec<_> = loads.filter(|load| is_fixed(cfg, number, load.operand(0))).collect();
        if !loads.is_empty() && (!may_write || !decides.counts()) {
            found.extend(loads);
        }
    }
}

/// What a value of a loop is computed of, within the loop, as far as loads and calls.
struct Slice<'a, 'c> {
    cfg: &'a Cfg<'c>,
    number: usize,
    values: FxHashSet<Value<'c>>,
}

impl<'a, 'c> Slice<'a, 'c> {
    fn of(cfg: &'a Cfg<'c>, number: usize, value: Value<'c>) -> Self {
        let mut slice = Self { cfg, number, values: FxHashSet::default() };
        slice.values = slice.reached_from(vec![value]);
        slice
    }

    fn reached_from(&self, mut stack: Vec<Value<'c>>) -> FxHashSet<Value<'c>> {
        let mut reached = FxHashSet::default();
        while let Some(value) = stack.pop() {
            if is_in(self.cfg, self.number, value) && reached.insert(value) {
                stack.extend(self.sources(value));
            }
        }
        reached
    }

    /// What a value is computed of, and which conditions choose it.
    fn sources(&self, value: Value<'c>) -> Vec<Value<'c>> {
        let mut sources = match value.opcode() {
            Opcode::LLVMLoad | Opcode::LLVMAtomicCmpXchg | Opcode::LLVMAtomicRMW => Vec::new(),
            _ => value.operands(),
        };
        if value.opcode() == Opcode::LLVMPHI {
            let from: FxHashSet<Block<'c>> =
                value.incoming().into_iter().map(|(_, from)| from).collect();
            let from = from.iter().filter_map(|block| self.cfg.index.get(block));
            let branches = from.filter_map(|&from| nearest_branch(self.cfg, self.number, from));
            sources.extend(branches.filter_map(|block| condition_of(self.cfg, block)));
        }
        sources
    }

    /// Whether a round computes a number of what the one before left: the loop comes to its end by itself.
    fn counts(&self) -> bool {
        let mut users: FxHashMap<Value<'c>, Vec<Value<'c>>> = FxHashMap::default();
        for &value in &self.values {
            for source in self.sources(value) {
                users.entry(source).or_default().push(value);
            }
        }
        // Circles, by two walks in opposite directions: what is seen last in one of them begins the other.
        let mut open = self.values.clone();
        let mut left = FxHashSet::default();
        let mut order = Vec::new();
        for &first in &self.values {
            let mut stack = vec![(first, false)];
            while let Some((value, is_done)) = stack.pop() {
                if is_done {
                    order.push(value);
                } else if left.insert(value) {
                    stack.push((value, true));
                    let sources = self.sources(value).into_iter();
                    stack.extend(sources.filter(|it| open.contains(it)).map(|it| (it, false)));
                }
            }
        }
        order.into_iter().rev().any(|first| {
            let mut circle = Vec::new();
            let mut stack = vec![first];
            while let Some(value) = stack.pop() {
                if open.remove(&value) {
                    circle.push(value);
                    stack.extend(users.get(&value).into_iter().flatten());
                }
            }
            circle.len() > 1 && circle.iter().any(|value| !hands_on(value.opcode()))
        })
    }
}

/// What a load gave comes out as it was, or as a bit that only joins others: a loop through these alone does not count.
fn hands_on(opcode: Opcode) -> bool {
    matches!(
        opcode,
        Opcode::LLVMPHI
            | Opcode::LLVMSelect
            | Opcode::LLVMICmp
            | Opcode::LLVMAnd
            | Opcode::LLVMOr
            | Opcode::LLVMTrunc
            | Opcode::LLVMZExt
            | Opcode::LLVMSExt
            | Opcode::LLVMBitCast
            | Opcode::LLVMFreeze
            | Opcode::LLVMExtractValue
            | Opcode::LLVMExtractElement
            | Opcode::LLVMLoad
            | Opcode::LLVMAtomicCmpXchg
            | Opcode::LLVMAtomicRMW
    )
}

fn is_in(cfg: &Cfg<'_>, number: usize, value: Value<'_>) -> bool {
    value.is_instruction() && cfg.is_in_loop(value.parent(), number)
}

/// Whether an address is the same in all rounds of a loop: what is computed of what stands outside.
fn is_fixed(cfg: &Cfg<'_>, number: usize, address: Value<'_>) -> bool {
    let mut seen = FxHashSet::default();
    let mut open = vec![address];
    while let Some(value) = open.pop() {
        if is_in(cfg, number, value) && seen.insert(value) {
            if !is_pure(value) {
                return false;
            }
            open.extend(value.operands());
        }
    }
    true
}

fn is_pure(value: Value<'_>) -> bool {
    match value.opcode() {
        Opcode::LLVMAdd
        | Opcode::LLVMSub
        | Opcode::LLVMMul
        | Opcode::LLVMShl
        | Opcode::LLVMLShr
        | Opcode::LLVMAnd
        | Opcode::LLVMOr
        | Opcode::LLVMXor
        | Opcode::LLVMTrunc
        | Opcode::LLVMZExt
        | Opcode::LLVMSExt
        | Opcode::LLVMSelect
        | Opcode::LLVMICmp
        | Opcode::LLVMIntToPtr
        | Opcode::LLVMPtrToInt
        | Opcode::LLVMAddrSpaceCast
        | Opcode::LLVMGetElementPtr => true,
        Opcode::LLVMCall => intrinsics::called(value)
            .is_some_and(|called| called.effects == intrinsics::Effects::Pure),
        _ => false,
    }
}
