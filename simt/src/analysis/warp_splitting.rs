//! The places where the lanes of a warp may have to part, and go on as groups of their own.
//!
//! Lanes that work together name each other: a partner may be on its way through other code, and comes
//! only if it is let go. A lane that waits in a loop may wait for such a one. At these places the code
//! asks who else is in its group, and when lanes have left it, masks that were made before hold too many.

use std::ops::Range;

use llvm_zluda::{Opcode, Value};
use rustc_hash::FxHashSet;

use super::cfg::Cfg;
use super::divergence::{Divergence, LevelFacts};
use super::level::{Level, Levels, Node, level_of};
use super::spinning;
use crate::Error;
use crate::intrinsics::{self, Intrinsic};

/// Whether lanes meet in a call.
pub fn is_rendezvous(instruction: Value<'_>) -> bool {
    intrinsics::called(instruction).is_some_and(Intrinsic::is_rendezvous)
}

/// The functions in which lanes may part, or in what they call. The kernel is not one of them.
pub fn functions<'c>(
    functions: &[Value<'c>],
    kernel: Value<'c>,
) -> Result<FxHashSet<Value<'c>>, Error> {
    let mut splitting = FxHashSet::default();
    let mut calls = Vec::new();
    for &function in functions.iter().filter(|function| **function != kernel) {
        let cfg = Cfg::as_it_is(function)?;
        let instructions = || cfg.blocks.iter().flat_map(|block| block.instructions());
        let waits = (0..cfg.loops.len()).any(|number| spinning::waits(&cfg, number));
        if waits || instructions().any(is_rendezvous) {
            splitting.insert(function);
        }
        let called = instructions()
            .filter(|instruction| instruction.opcode() == Opcode::LLVMCall)
            .map(|call| (function, call.callee()));
        calls.extend(called);
    }
    loop {
        let before = splitting.len();
        for (function, callee) in &calls {
            if splitting.contains(callee) {
                splitting.insert(*function);
            }
        }
        if splitting.len() == before {
            return Ok(splitting);
        }
    }
}

/// The places where lanes part in one function.
pub struct WarpSplits {
    /// Blocks to which all lanes come that have not exited.
    whole: Vec<bool>,
    /// Loops in which lanes part.
    loops: Vec<bool>,
    /// For each level and node, and the end: in how many nodes before it lanes part.
    before: Vec<Vec<u32>>,
}

impl WarpSplits {
    /// None where lanes never part.
    pub fn new<'c>(
        cfg: &Cfg<'c>,
        levels: &Levels,
        divergence: &Divergence<'c>,
        is_kernel: bool,
        functions: &FxHashSet<Value<'c>>,
    ) -> Option<WarpSplits> {
        let of_function = is_kernel.then(|| facts_of_those_who_stay(cfg, levels, divergence));
        let facts = |of| facts(divergence, of_function.as_ref(), of);
        let whole_loops = whole_loops(cfg, levels, divergence, of_function.as_ref());
        let whole: Vec<bool> = (0..cfg.blocks.len())
            .map(|block| {
                let home = cfg.loop_of[block];
                home.map_or(is_kernel, |number| whole_loops[number])
                    && facts(home).whole[levels.block_node[block]]
            })
            .collect();
        let parts = |block: usize| {
            cfg.blocks[block].instructions().into_iter().any(|instruction| {
                (!whole[block] && is_rendezvous(instruction))
                    || (instruction.opcode() == Opcode::LLVMCall
                        && functions.contains(&instruction.callee()))
            })
        };
        let blocks: Vec<bool> = (0..cfg.blocks.len()).map(parts).collect();
        let loops: Vec<bool> = (0..cfg.loops.len())
            .map(|number| {
                let contains = &cfg.loops[number].contains;
                let waits = |inner: usize| {
                    cfg.loops[inner].spins
                        && !whole_loops[inner]
                        && contains[cfg.loops[inner].header]
                };
                (0..blocks.len()).any(|block| blocks[block] && contains[block])
                    || (0..cfg.loops.len()).any(waits)
            })
            .collect();
        if !blocks.contains(&true) && !loops.contains(&true) {
            return None;
        }
        let count = |level: &Level| {
            let mut counts = vec![0];
            for node in &level.nodes {
                let parts = match *node {
                    Node::Block(block) => blocks[block],
                    Node::Loop(number) => loops[number],
                };
                counts.push(counts[counts.len() - 1] + u32::from(parts));
            }
            counts
        };
        let before = levels.levels.iter().map(count).collect();
        Some(WarpSplits { whole, loops, before })
    }

    /// Whether some lanes of the group may be elsewhere, and not about to exit, when others are in the block.
    pub fn is_partial(&self, block: usize) -> bool {
        !self.whole[block]
    }

    /// Whether lanes may part in a loop.
    pub fn in_loop(&self, number: usize) -> bool {
        self.loops[number]
    }

    /// Whether lanes may part in one of some nodes of a level.
    pub fn in_nodes(&self, level: usize, nodes: Range<usize>) -> bool {
        self.before[level][nodes.start] != self.before[level][nodes.end]
    }
}

/// The loops that wait though lanes may leave them one by one, or be elsewhere meanwhile.
pub(super) fn waits_apart(
    cfg: &Cfg<'_>,
    levels: &Levels,
    divergence: &Divergence<'_>,
    is_kernel: bool,
) -> Vec<usize> {
    // Few functions wait, and the facts take a while.
    if cfg.loops.iter().all(|of| !of.spins) {
        return Vec::new();
    }
    let of_function = is_kernel.then(|| facts_of_those_who_stay(cfg, levels, divergence));
    let whole = whole_loops(cfg, levels, divergence, of_function.as_ref());
    (0..cfg.loops.len()).filter(|&number| cfg.loops[number].spins && !whole[number]).collect()
}

/// Whether all lanes that have not exited come to a loop together, and leave it together. `of_function`: nothing of a
/// function that is no kernel.
fn whole_loops(
    cfg: &Cfg<'_>,
    levels: &Levels,
    divergence: &Divergence<'_>,
    of_function: Option<&LevelFacts>,
) -> Vec<bool> {
    // Parents come before the loops in them.
    let mut whole: Vec<bool> = Vec::with_capacity(cfg.loops.len());
    for (number, this) in cfg.loops.iter().enumerate() {
        let around = this.parent.map_or(of_function.is_some(), |parent| whole[parent]);
        let facts = facts(divergence, of_function, this.parent);
        let here = facts.whole[levels.loop_node[number]];
        whole.push(around && here && !divergence.divergent_loop[number]);
    }
    whole
}

/// The facts about the level of a loop, or of the function.
fn facts<'a>(
    divergence: &'a Divergence<'_>,
    of_function: Option<&'a LevelFacts>,
    of: Option<usize>,
) -> &'a LevelFacts {
    match (of, of_function) {
        (None, Some(facts)) => facts,
        _ => &divergence.facts[level_of(of)],
    }
}

/// The facts about a kernel's outermost level, for which lanes have exited that a branch sends to where they do nothing else.
fn facts_of_those_who_stay<'c>(
    cfg: &Cfg<'c>,
    levels: &Levels,
    divergence: &Divergence<'c>,
) -> LevelFacts {
    let level = &levels.levels[level_of(None)];
    let stays = |&&node: &&usize| match level.nodes.get(node) {
        Some(&Node::Block(block)) => !exits(cfg, block),
        _ => true,
    };
    let mut divergent = divergence.facts[level_of(None)].divergent.clone();
    for (node, divergent) in divergent.iter_mut().enumerate() {
        let is_block = matches!(level.nodes[node], Node::Block(_));
        *divergent &= !is_block || level.successors[node].iter().filter(stays).count() > 1;
    }
    LevelFacts::from_divergent(level, divergent)
}

/// Whether a block does nothing but return, or go on to one that does.
fn exits(cfg: &Cfg<'_>, block: usize) -> bool {
    let instructions = cfg.blocks[block].instructions();
    let Some((end, rest)) = instructions.split_last() else { return false };
    rest.iter().all(|instruction| instruction.opcode() == Opcode::LLVMPHI)
        && match (end.opcode(), cfg.successors[block].as_slice()) {
            (Opcode::LLVMRet, _) => true,
            (Opcode::LLVMBr, [next]) => *next > block && exits(cfg, *next),
            _ => false,
        }
}
