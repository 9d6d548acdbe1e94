//! Ways that trap go on to where other threads go.
//!
//! A way that ends in `unreachable` leaves all loops, and a wave runs it once its last lane has left them: if that lane
//! waits for something, a trap never happens. So to LLVM the way goes on, where the branch goes that led to it.
//!
//! Input: blocks that call an intrinsic that ends the grid, and end in `unreachable`. Output: the same blocks with a branch.
//! Why here: before anything asks where lanes go.

use llvm_zluda::{Block, Module, Opcode, Value};
use rustc_hash::FxHashMap;
use simt::intrinsics::{self, Effects};

/// Lets ways that trap go on to where other threads go, in all functions of the module.
pub fn run(module: &Module<'_>) {
    for function in module.functions().into_iter().filter(ends_grid) {
        for call in function.users().into_iter().filter(|user| user.is_instruction()) {
            rejoin(module, call);
        }
    }
}

fn ends_grid(function: &Value<'_>) -> bool {
    let name = function.name();
    let intrinsic = name.strip_prefix(intrinsics::PREFIX).and_then(intrinsics::named);
    intrinsic.is_some_and(|intrinsic| intrinsic.effects == Effects::EndsGrid)
}

fn rejoin<'c>(module: &Module<'c>, call: Value<'c>) {
    let block = call.parent();
    let Some(end) = block.terminator().filter(|it| it.opcode() == Opcode::LLVMUnreachable) else {
        return;
    };
    let predecessors = predecessors(call.parent().function());
    let from = predecessors.get(&block).cloned().unwrap_or_default();
    if let [only] = from[..] {
        if let Some(to) = way_on(&predecessors, only, block) {
            end.erase();
            go_on(module, block, to);
        }
        return;
    }
    // Each way to the trap gets one of its own.
    if block.instructions()[..] != [call, end] {
        return;
    }
    for from in from {
        let Some(to) = way_on(&predecessors, from, block) else { continue };
        let Some(branch) = from.terminator() else { continue };
        let own = module.append_block(block.function(), "trap");
        own.move_after(block);
        let builder = module.context().builder();
        builder.position_at_end(own);
        builder.insert(call.clone_instruction());
        go_on(module, own, to);
        for (index, successor) in (0..).zip(branch.successors()) {
            if successor == block {
                branch.set_successor(index, own);
            }
        }
    }
}

fn predecessors<'c>(function: Value<'c>) -> FxHashMap<Block<'c>, Vec<Block<'c>>> {
    let mut predecessors: FxHashMap<Block<'c>, Vec<Block<'c>>> = FxHashMap::default();
    for from in function.blocks() {
        for to in from.successors() {
            let known = predecessors.entry(to).or_default();
            if !known.contains(&from) {
                known.push(from);
            }
        }
    }
    predecessors
}

/// Another way of the last branch on the way from one block to another.
fn way_on<'c>(
    predecessors: &FxHashMap<Block<'c>, Vec<Block<'c>>>,
    mut from: Block<'c>,
    mut to: Block<'c>,
) -> Option<Block<'c>> {
    let mut steps = predecessors.len();
    loop {
        match from.successors()[..] {
            [] => return None,
            [_] => {}
            // A switch has several other ways, and one of them will do.
            ref ways => return ways.iter().copied().find(|way| *way != to),
        }
        let before = predecessors.get(&from)?;
        let [only] = before[..] else { return None };
        (from, to) = (only, from);
        steps = steps.checked_sub(1)?;
    }
}

/// Nothing comes this way, so that any value does.
fn go_on<'c>(module: &Module<'c>, from: Block<'c>, to: Block<'c>) {
    let builder = module.context().builder();
    builder.position_at_end(from);
    builder.br(to);
    for phi in to.phis() {
        phi.add_incoming(&[(phi.ty().poison(), from)]);
    }
}
