//! Which blocks are places, for kernels whose lanes go on by themselves ([`super`]).
//!
//! Lanes may only have to wait for others after a rendezvous, and in a loop that goes on by what others write. What
//! hardware may run to its end without them belongs to the place that it follows: each block that is no place has one
//! place by which all ways to it come, so that lanes whose ways join wait there for each other.

use llvm_zluda::{Block, Opcode, Value};
use rustc_hash::FxHashSet;
use simt::analysis::cfg::Cfg;
use simt::analysis::spinning;
use simt::intrinsics::{self, Effects, Participants};

/// The headers of loops that end whatever other lanes do. Values must not have gone to the stack yet.
pub fn ending_loops<'c>(function: Value<'c>) -> FxHashSet<Block<'c>> {
    let Ok(cfg) = Cfg::as_it_is(function) else { return FxHashSet::default() };
    let ends = |number: usize| {
        let contains = &cfg.loops[number].contains;
        let mut blocks = cfg.blocks.iter().enumerate().filter(|(index, _)| contains[*index]);
        blocks.all(|(_, block)| block.instructions().into_iter().all(is_independent))
            && (0..cfg.loops.len())
                .filter(|&inner| contains[cfg.loops[inner].header])
                .all(|inner| !spinning::waits(&cfg, inner))
    };
    let headers = (0..cfg.loops.len()).filter(|&number| ends(number));
    headers.map(|number| cfg.blocks[cfg.loops[number].header]).collect()
}

/// Whether no lane waits for another one there, nor for what other lanes change.
fn is_independent(instruction: Value<'_>) -> bool {
    use Effects::*;
    if instruction.opcode() != Opcode::LLVMCall {
        return true;
    }
    match intrinsics::called(instruction) {
        Some(intrinsic) => {
            intrinsic.participants == Participants::Thread
                && matches!(intrinsic.effects, Pure | World | EndsGrid)
        }
        None => instruction.called_name().starts_with("llvm."),
    }
}

/// The places of a kernel. Its entry belongs to none.
pub struct Places<'c> {
    /// None where a cycle has several entries: all blocks are places then.
    cfg: Option<Cfg<'c>>,
    /// For each block of it, the block that is its place.
    place_of: Vec<usize>,
    /// For each block, whether a loop begins there that ends by itself.
    ends: Vec<bool>,
}

impl<'c> Places<'c> {
    /// Chooses the places of a kernel.
    pub fn new(
        function: Value<'c>,
        after_rendezvous: &FxHashSet<Block<'c>>,
        ending: &FxHashSet<Block<'c>>,
    ) -> Self {
        let Ok(cfg) = Cfg::as_it_is(function) else {
            return Self { cfg: None, place_of: Vec::new(), ends: Vec::new() };
        };
        let ends = cfg.blocks.iter().map(|block| ending.contains(block)).collect();
        let mut place_of = vec![0; cfg.blocks.len()];
        for index in 1..cfg.blocks.len() {
            let block = &cfg.blocks[index];
            let is_header = cfg.loops.iter().any(|this| this.header == index);
            // Ways that lead back come from the loop itself.
            let mut ways = cfg.predecessors[index].iter().filter(|&&from| from < index);
            let place = ways.next().map(|&from| place_of[from]).filter(|&place| place != 0);
            let is_same = ways.all(|&from| Some(place_of[from]) == place);
            let waits = after_rendezvous.contains(block) || (is_header && !ending.contains(block));
            place_of[index] = place.filter(|_| is_same && !waits).unwrap_or(index);
        }
        Self { cfg: Some(cfg), place_of, ends }
    }

    /// Whether a block is a place.
    pub fn is_place(&self, block: Block<'c>) -> bool {
        let Some(cfg) = &self.cfg else { return true };
        cfg.index.get(&block).is_some_and(|&index| index != 0 && self.place_of[index] == index)
    }

    /// The place that a block belongs to.
    pub fn place_of(&self, block: Block<'c>) -> Block<'c> {
        let Some(cfg) = &self.cfg else { return block };
        cfg.index.get(&block).map_or(block, |&index| cfg.blocks[self.place_of[index]])
    }

    /// Whether lanes come from one block to another one without a place between: hardware goes on, or once more around a
    /// loop that begins at the place.
    pub fn is_within(&self, from: Block<'c>, to: Block<'c>) -> bool {
        let Some(cfg) = &self.cfg else { return false };
        let (Some(&from), Some(&to)) = (cfg.index.get(&from), cfg.index.get(&to)) else {
            return false;
        };
        let mut loops = cfg.loops.iter().filter(|this| this.header == to && self.ends[to]);
        self.place_of[to] != to || loops.any(|this| this.contains[from])
    }
}
