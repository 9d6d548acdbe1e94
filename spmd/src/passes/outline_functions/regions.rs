//! Parts of long functions as functions, where the parts are many blocks.
//!
//! Input: a long function of vector code after its last optimisation. Output: the same code; regions, which are blocks
//! that control comes to by one and leaves for one other, are functions. LLVM passes what they need and compute
//! through a structure on the function's stack; where those of all regions would be too much, they share their place.
//! Why here: [`super::sections`] cuts long blocks; much code is long because it has many.

use llvm_zluda::{Block, Builder, Extractor, Module, Opcode, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use super::size::instruction_size;
use super::{LARGEST, belongs_to_its_function, is_made_again, way};
use simt::analysis::cfg::Cfg;

/// The shortest and the longest region, in estimated instructions.
const LEAST: u64 = 200;
const MOST: u64 = 700;
/// One in so many of a region's instructions may be for values that go in and out.
const WORTH: u64 = 4;
/// So many of the regions that begin at a block are tried, the longest first.
const TRIES: usize = 3;

/// Makes functions of a function's regions; returns them.
pub fn outline<'c>(module: &Module<'c>, function: Value<'c>) -> Vec<Value<'c>> {
    // LLVM's passes may have left a cycle with several entries.
    let Ok(cfg) = Cfg::as_it_is(function) else { return Vec::new() };
    let graph = Graph::new(cfg);
    let mut taken = vec![false; graph.cfg.blocks.len()];
    let mut space = 0;
    let mut regions = Vec::new();
    for entry in 1..taken.len() {
        let candidates = graph.regions_from(entry, &taken);
        let worth = candidates.into_iter().rev().take(TRIES).find_map(|blocks| {
            let region = Region::new(&graph, blocks);
            let bytes = region.bytes(module);
            (region.is_worth_it() && bytes <= LARGEST).then_some((region, bytes))
        });
        if let Some((region, bytes)) = worth {
            space += bytes;
            region.blocks.iter().for_each(|&block| taken[block] = true);
            regions.push(region);
        }
    }
    let mut extractor = Extractor::new(function);
    let outline = |region: Region<'_, 'c>| region.outline(module, &mut extractor);
    let functions: Vec<_> = regions.into_iter().filter_map(outline).collect();
    if space > LARGEST {
        share_structures(module, function, &functions);
    }
    functions
}

/// Lets all structures that are handed over have one place. A structure is written before the call of its function and read
/// behind it, and nothing else is called between.
fn share_structures<'c>(module: &Module<'c>, function: Value<'c>, regions: &[Value<'c>]) {
    let calls = regions.iter().flat_map(|region| region.users());
    let structures: Vec<_> = calls
        .map(|call| call.operand(0))
        .filter(|place| place.is_instruction() && place.opcode() == Opcode::LLVMAlloca)
        .collect();
    let size_of = |place: &Value<'c>| module.size_of(place.allocated_type());
    let Some(bytes) = structures.iter().map(size_of).max() else { return };
    let b = module.context().builder();
    let Some(first) = function.entry_block().instructions().into_iter().next() else { return };
    b.position_before(first);
    let shared = b.alloca(module.context().int(8).array(bytes));
    shared.set_alignment(structures.iter().map(|place| place.alignment()).max().unwrap_or(1));
    for structure in structures {
        structure.replace_all_uses_with(shared);
        structure.erase();
    }
}

struct Graph<'c> {
    cfg: Cfg<'c>,
    /// Of each block, in estimated instructions.
    sizes: Vec<u64>,
    /// The number of loops around each block.
    depths: Vec<usize>,
    /// Blocks that stay in their function.
    stays: Vec<bool>,
}

impl<'c> Graph<'c> {
    fn new(cfg: Cfg<'c>) -> Self {
        let (mut sizes, mut depths, mut stays) = (Vec::new(), Vec::new(), Vec::new());
        for (number, block) in cfg.blocks.iter().enumerate() {
            let instructions = block.instructions();
            sizes.push(instructions.iter().map(|it| instruction_size(*it)).sum());
            depths.push(cfg.loops.iter().filter(|it| it.contains[number]).count());
            let is_bound = |instruction: &Value<'c>| {
                instruction.opcode() == Opcode::LLVMAlloca || belongs_to_its_function(instruction)
            };
            stays.push(cfg.successors[number].is_empty() || instructions.iter().any(is_bound));
        }
        Self { cfg, sizes, depths, stays }
    }

    /// The regions that begin at a block, from short to long. One is the beginning of the next one.
    fn regions_from(&self, entry: usize, taken: &[bool]) -> Vec<Vec<usize>> {
        let is_free = |block: usize| !taken[block] && !self.stays[block];
        let mut found = Vec::new();
        let mut blocks = Vec::new();
        let mut inside: FxHashSet<usize> = FxHashSet::default();
        let mut size = 0;
        let mut next = Some(entry).filter(|entry| is_free(*entry));
        while let Some(block) = next {
            blocks.push(block);
            inside.insert(block);
            size += self.sizes[block];
            if size > MOST {
                break;
            }
            let targets = blocks.iter().flat_map(|&block| &self.cfg.successors[block]);
            let mut frontier: Vec<usize> =
                targets.copied().filter(|target| !inside.contains(target)).collect();
            frontier.sort_unstable();
            frontier.dedup();
            let comes_from_inside = |block: usize| {
                self.cfg.predecessors[block].iter().all(|from| inside.contains(from))
            };
            if size >= LEAST
                && frontier.len() == 1
                && blocks.iter().skip(1).all(|&block| comes_from_inside(block))
            {
                found.push(blocks.clone());
            }
            // What is before a block in reverse postorder and leads to it; the rest are latches of its loop.
            let is_ready = |block: usize| {
                let mut before = self.cfg.predecessors[block].iter().filter(|from| **from < block);
                block > entry && is_free(block) && before.all(|from| inside.contains(from))
            };
            // Loops are completed before what comes behind them.
            next = frontier
                .into_iter()
                .filter(|&block| is_ready(block))
                .max_by_key(|&block| (self.depths[block], std::cmp::Reverse(block)));
        }
        found
    }
}

struct Region<'g, 'c> {
    graph: &'g Graph<'c>,
    /// By number, the one that control comes to first.
    blocks: Vec<usize>,
    inside: FxHashSet<Block<'c>>,
    /// Values that are computed before it and used inside it.
    inputs: Vec<Value<'c>>,
    /// Values that are computed inside it and used behind it.
    outputs: Vec<Value<'c>>,
}

impl<'g, 'c> Region<'g, 'c> {
    fn new(graph: &'g Graph<'c>, blocks: Vec<usize>) -> Self {
        let inside = blocks.iter().map(|&block| graph.cfg.blocks[block]).collect();
        let mut region = Self { graph, blocks, inside, inputs: Vec::new(), outputs: Vec::new() };
        let mut known = FxHashSet::default();
        for instruction in region.instructions() {
            for operand in instruction.operands() {
                region.need(operand, &mut known);
            }
            let users = instruction.users();
            if users.into_iter().any(|user| !region.inside.contains(&user.parent())) {
                region.outputs.push(instruction);
            }
        }
        region
    }

    fn instructions(&self) -> Vec<Value<'c>> {
        let blocks = self.blocks.iter().map(|&block| self.graph.cfg.blocks[block]);
        blocks.flat_map(|block| block.instructions()).collect()
    }

    fn need(&mut self, value: Value<'c>, known: &mut FxHashSet<Value<'c>>) {
        if !self.comes_from_outside(value) || !known.insert(value) {
            return;
        }
        if self.can_make_again(value) {
            value.operands().into_iter().for_each(|operand| self.need(operand, known));
        } else {
            self.inputs.push(value);
        }
    }

    fn comes_from_outside(&self, value: Value<'c>) -> bool {
        value.is_argument() || value.is_instruction() && !self.inside.contains(&value.parent())
    }

    /// Not in each round of a loop that the region is.
    fn can_make_again(&self, value: Value<'c>) -> bool {
        let loops = &self.graph.cfg.loops;
        value.is_instruction()
            && is_made_again(value)
            && loops.iter().all(|it| it.header != self.blocks[0])
    }

    fn is_worth_it(&self) -> bool {
        let size: u64 = self.blocks.iter().map(|&block| self.graph.sizes[block]).sum();
        let values = self.inputs.iter().chain(&self.outputs);
        // Each is written and read.
        let ways: u64 = values.map(|value| 2 * way(value.ty())).sum();
        ways * WORTH <= size
    }

    fn bytes(&self, module: &Module<'c>) -> u64 {
        let values = self.inputs.iter().chain(&self.outputs);
        values.map(|value| module.size_of(value.ty())).sum()
    }

    fn outline(&self, module: &Module<'c>, extractor: &mut Extractor<'c>) -> Option<Value<'c>> {
        self.make_again(module);
        let blocks: Vec<_> =
            self.blocks.iter().map(|&block| self.graph.cfg.blocks[block]).collect();
        let function = extractor.extract(&blocks)?;
        self.read_late(module, function);
        Some(function)
    }

    /// Makes inside what costs less than to be handed over.
    fn make_again(&self, module: &Module<'c>) {
        let b = module.context().builder();
        let first = self.graph.cfg.blocks[self.blocks[0]];
        let is_phi = |instruction: &Value<'c>| instruction.opcode() == Opcode::LLVMPHI;
        let instructions = first.instructions();
        let Some(place) = instructions.iter().find(|instruction| !is_phi(instruction)) else {
            return;
        };
        b.position_before(*place);
        let mut made = FxHashMap::default();
        for instruction in self.instructions() {
            if is_phi(&instruction) && instruction.parent() == first {
                continue;
            }
            for (index, operand) in instruction.operands().into_iter().enumerate() {
                if let Some(value) = self.made_again(operand, &b, &mut made) {
                    instruction.set_operand(index as u32, value);
                }
            }
        }
    }

    fn made_again(
        &self,
        value: Value<'c>,
        b: &Builder<'c>,
        made: &mut FxHashMap<Value<'c>, Value<'c>>,
    ) -> Option<Value<'c>> {
        if !self.comes_from_outside(value) || !self.can_make_again(value) {
            return None;
        }
        if let Some(&known) = made.get(&value) {
            return Some(known);
        }
        let operands = value.operands().into_iter();
        let operands: Vec<_> =
            operands.map(|it| self.made_again(it, b, made).unwrap_or(it)).collect();
        let copy = b.copy_with(value, operands);
        made.insert(value, copy);
        Some(copy)
    }

    /// LLVM reads all that a region needs where it begins. Vectors would wait on the stack then: they are read in the
    /// blocks that use them, but for loops.
    fn read_late(&self, module: &Module<'c>, function: Value<'c>) {
        let b = module.context().builder();
        let is_outside_loops = |user: &Value<'c>| {
            self.graph.cfg.index.get(&user.parent()).is_some_and(|&block| {
                let loops = &self.graph.cfg.loops;
                user.opcode() != Opcode::LLVMPHI
                    && !loops
                        .iter()
                        .any(|it| it.contains[block] && self.blocks.contains(&it.header))
            })
        };
        for load in function.entry_block().instructions() {
            let users = load.users();
            if load.opcode() != Opcode::LLVMLoad
                || !load.ty().is_vector()
                || !load.operand(0).is_instruction()
                || !users.iter().all(is_outside_loops)
            {
                continue;
            }
            let mut reads: FxHashMap<Block<'c>, Value<'c>> = FxHashMap::default();
            for block in users.iter().map(|user| user.parent()) {
                let uses_it = |instruction: &Value<'c>| instruction.operands().contains(&load);
                if reads.contains_key(&block) {
                    continue;
                }
                let Some(first) = block.instructions().into_iter().find(uses_it) else { continue };
                b.position_before(first);
                let address = load.operand(0).clone_instruction();
                b.insert(address);
                let read = load.clone_instruction();
                read.set_operand(0, address);
                b.insert(read);
                reads.insert(block, read);
            }
            for user in users {
                for (index, operand) in user.operands().into_iter().enumerate() {
                    if let Some(read) = reads.get(&user.parent()).filter(|_| operand == load) {
                        user.set_operand(index as u32, *read);
                    }
                }
            }
            if !load.has_uses() {
                load.erase();
            }
        }
    }
}
