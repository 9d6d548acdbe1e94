//! Warps that return at barriers, and go on where they were when they are called again.
//!
//! Input: vector code in which warps call [`WAIT`] where others have to run first. Output: the same functions without these
//! calls: what is needed behind one goes to the warp's frame, which the entry has for each warp ([`crate::entry`]), and the
//! function returns; called again it reads the frame and goes on.
//! Why here: the passes before it see a function whose loops and addresses are those of the kernel, and what they move out of
//! loops is kept in frames. Those behind it cut what is left.
//!
//! Values are stored where a warp waits, not where they are made, and only if the frame does not hold them yet; but before a
//! loop in which the warp waits, if that is where they are made. Vectors that are a few operations on scalars are made again.

use fixedbitset::FixedBitSet;
use llvm_zluda::{Block, Builder, Module, Opcode, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::passes::{chain_warps, homes, jam_loops};
use crate::round::{self, WAIT, Word};
use crate::{Error, descriptor};

mod frame;
mod liveness;
mod made_again;

use frame::{Kept, Layout, is_variable};
use liveness::Liveness;
use made_again::Recipes;

/// Rewrites all functions that wait, and those that the entry calls as if they did. False if there are none.
pub fn run(module: &Module<'_>) -> Result<bool, Error> {
    let is_marked = |function: &Value<'_>| jam_loops::is_marked(module, *function);
    if module.function(WAIT).is_none() && !module.functions().iter().any(is_marked) {
        return Ok(false);
    }
    let wait = round::declare_wait(module);
    let callers: FxHashSet<_> =
        wait.users().into_iter().map(|call| call.parent().function()).collect();
    let waits = |function: &Value<'_>| callers.contains(function) || is_marked(function);
    let functions = module.functions().into_iter().filter(waits);
    let size = functions.map(|function| rewrite(module, function, wait)).max().unwrap_or(0);
    wait.delete_global();
    round::set_frame_size(module, size);
    descriptor::note_frame_of_warp(module, size)?;
    Ok(true)
}

/// A place where a warp waits.
struct Wait<'c> {
    call: Value<'c>,
    /// The block that ends with the call.
    before: Block<'c>,
    /// The block that begins behind it.
    behind: Block<'c>,
}

/// The blocks of a function that waits.
struct FunctionBlocks<'c> {
    blocks: Vec<Block<'c>>,
    index: FxHashMap<Block<'c>, usize>,
    waits: Vec<Wait<'c>>,
}

impl<'c> FunctionBlocks<'c> {
    /// Lets blocks end with each call of `wait`.
    fn new(module: &Module<'c>, function: Value<'c>, wait: Value<'c>) -> Self {
        let mut waits = Vec::new();
        for block in function.blocks() {
            let mut before = block;
            for call in block.instructions() {
                if call.opcode() == Opcode::LLVMCall && call.callee() == wait {
                    let behind = part_behind(module, call);
                    waits.push(Wait { call, before, behind });
                    before = behind;
                }
            }
        }
        let blocks = function.blocks();
        let index = blocks.iter().enumerate().map(|(number, &block)| (block, number)).collect();
        Self { blocks, index, waits }
    }

    /// The blocks from which control may come to a wait, and those to which it may go behind it.
    fn sides(&self, wait: &Wait<'c>) -> [FixedBitSet; 2] {
        let mut edges = [vec![Vec::new(); self.blocks.len()], vec![Vec::new(); self.blocks.len()]];
        for (number, block) in self.blocks.iter().enumerate() {
            for next in block.successors() {
                edges[0][self.index[&next]].push(number);
                edges[1][number].push(self.index[&next]);
            }
        }
        [(wait.before, &edges[0]), (wait.behind, &edges[1])].map(|(block, edges)| {
            let mut found = FixedBitSet::with_capacity(self.blocks.len());
            let mut work = vec![self.index[&block]];
            while let Some(number) = work.pop() {
                if !found.put(number) {
                    work.extend(&edges[number]);
                }
            }
            found
        })
    }
}

/// Moves what follows an instruction to a block of its own.
fn part_behind<'c>(module: &Module<'c>, instruction: Value<'c>) -> Block<'c> {
    let block = instruction.parent();
    let behind = module.append_block(block.function(), "behind");
    behind.move_after(block);
    let b = module.context().builder();
    b.position_at_end(behind);
    let mut next = instruction.next_instruction();
    while let Some(moved) = next {
        next = moved.next_instruction();
        moved.detach();
        b.insert(moved);
    }
    b.position_at_end(block);
    b.br(behind);
    if let Some(end) = behind.terminator() {
        homes::come_from(module, end, block, behind);
    }
    behind
}

/// Returns the size of the function's frame in bytes.
fn rewrite<'c>(module: &Module<'c>, function: Value<'c>, wait: Value<'c>) -> u64 {
    let blocks = FunctionBlocks::new(module, function, wait);
    let liveness = Liveness::new(&blocks.blocks, &blocks.index);
    let behind = blocks.waits.iter().map(|wait| blocks.index[&wait.behind]);
    let live: Vec<_> = behind.map(|block| liveness.live_at_begin(block)).collect();
    let recipes = Recipes::new(live.iter().flatten().copied());
    let stored: Vec<_> = live.iter().map(|live| recipes.stored(live)).collect();
    let variables = frame::variables_across(&blocks);
    let early = frame::stored_early(&blocks, &stored);
    let layout = Layout::new(module, &stored, &early, &variables);
    let kept = Kept::new(&blocks, &stored);

    let [warp, words] = [1, 3].map(|number| function.parameter(number));
    let b = module.context().builder();
    for end in blocks.blocks.iter().filter_map(|block| block.terminator()) {
        if end.opcode() == Opcode::LLVMRet {
            b.position_before(end);
            round::add_warp(&b, words, Word::Ended, warp);
        }
    }
    let first = blocks.blocks[0];
    b.position_at_end(homes::block_before(module, function, "enter"));
    let frame = round::frame(module, &b, words, warp);
    for variable in first.instructions().into_iter().filter(is_variable) {
        match layout.offsets.get(&variable) {
            Some(&offset) => {
                // Frames are there all the time, and LLVM's marks are for variables alone.
                let marks = |it: &Value<'c>| {
                    it.opcode() == Opcode::LLVMCall
                        && it.called_name().starts_with("llvm.lifetime.")
                };
                variable.users().into_iter().filter(marks).for_each(Value::erase);
                variable.replace_all_uses_with(place(&b, frame, offset));
                variable.erase();
            }
            None => {
                variable.detach();
                b.insert(variable);
            }
        }
    }
    // What lives across a wait goes through stack variables, which LLVM makes values of again.
    let mut homes = FxHashMap::default();
    for &value in live.iter().chain(&stored).flatten() {
        homes.entry(value).or_insert_with(|| {
            let home = b.alloca(value.ty());
            homes::move_to(module, value, home);
            home
        });
    }
    let mut left = early.clone();
    for &value in stored.iter().flatten().filter(|value| left.remove(*value)) {
        let b = homes::behind(module, value);
        let place = place(&b, frame, layout.offsets[&value]);
        b.store(value, place, align_in_frame(module, value));
    }
    let frames = Frames { module, frame, layout: &layout, homes: &homes, recipes: &recipes };
    let state_type = module.context().i32();
    let mut cases = Vec::with_capacity(blocks.waits.len());
    for (number, wait) in blocks.waits.iter().enumerate() {
        let state = state_type.const_int(number as u64 + 1);
        let resume = module.append_block(function, "resume");
        cases.push((state, resume));
        let b = module.context().builder();
        b.position_at_end(resume);
        frames.read(&b, &live[number], &stored[number]);
        b.br(wait.behind);
        if let Some(terminator) = wait.before.terminator() {
            terminator.erase();
        }
        wait.call.erase();
        b.position_at_end(wait.before);
        let is_new = |value: &Value<'c>| !early.contains(value) && !kept.holds(number, *value);
        frames.write(&b, stored[number].iter().copied().filter(is_new));
        b.store(state, frame, 4);
        b.ret_void();
    }
    b.switch(b.load(state_type, frame, 4), first, &cases);
    chain_warps::mark(module, function);
    layout.size
}

fn place<'c>(b: &Builder<'c>, frame: Value<'c>, offset: u64) -> Value<'c> {
    b.byte_offset(frame, b.context().i64().const_int(offset))
}

fn align_in_frame<'c>(module: &Module<'c>, value: Value<'c>) -> u32 {
    module.align_of(value.ty()).min(frame::ALIGN as u32)
}

/// What a function's values have to do with its frame.
struct Frames<'f, 'c> {
    module: &'f Module<'c>,
    frame: Value<'c>,
    layout: &'f Layout<'c>,
    homes: &'f FxHashMap<Value<'c>, Value<'c>>,
    recipes: &'f Recipes<'c>,
}

impl<'c> Frames<'_, 'c> {
    fn align(&self, value: Value<'c>) -> [u32; 2] {
        [self.module.align_of(value.ty()), align_in_frame(self.module, value)]
    }

    /// Stores values in the frame.
    fn write(&self, b: &Builder<'c>, values: impl Iterator<Item = Value<'c>>) {
        for value in values {
            let [at_home, in_frame] = self.align(value);
            let now = b.load(value.ty(), self.homes[&value], at_home);
            b.store(now, place(b, self.frame, self.layout.offsets[&value]), in_frame);
        }
    }

    /// Gets what lives from the frame, or makes it again.
    fn read(&self, b: &Builder<'c>, live: &[Value<'c>], stored: &[Value<'c>]) {
        let mut known = FxHashMap::default();
        for &value in stored {
            let in_frame = self.align(value)[1];
            let place = place(b, self.frame, self.layout.offsets[&value]);
            known.insert(value, b.load(value.ty(), place, in_frame));
        }
        for &value in live.iter().filter(|value| self.recipes.has(**value)) {
            self.recipes.make(b, value, &mut known);
        }
        // Scalars may live for the sake of vectors alone: these are made again behind the next wait, too.
        let scalars = stored.iter().filter(|value| !live.contains(value));
        for &value in live.iter().chain(scalars) {
            b.store(known[&value], self.homes[&value], self.align(value)[0]);
        }
    }
}
