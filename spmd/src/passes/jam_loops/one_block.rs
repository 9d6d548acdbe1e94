//! Makes one block of a loop that has a way around a few choices.
//!
//! The vectoriser has `if (some lane leaves) { keep what it leaves with }` in loops that all lanes go through together, and then
//! asks the same again for the way out.

use llvm_zluda::{Block, Module, Opcode, Value};
use simt::analysis::cfg::{Cfg, Loop};

use super::super::effects::{is_in_the_way, may_access};
use super::super::steps::Rounds;
use crate::Options;
use crate::passes::homes;

/// Merges a loop of three blocks, in which the first and the last one branch by the same condition. False if it is not one of
/// these, or has no rows far from each other.
pub fn merge<'c>(module: &Module<'c>, options: &Options, cfg: &Cfg<'c>, this: &Loop) -> bool {
    let header = cfg.blocks[this.header];
    let inside = |block: Block<'c>| cfg.index.get(&block).is_some_and(|it| this.contains[*it]);
    if this.contains.iter().filter(|is_inside| **is_inside).count() != 3 {
        return false;
    }
    let Some((branch, condition)) = ends(header) else { return false };
    let (leave, last) = match branch.successors()[..] {
        [last, leave] if leave.successors() == [last] => (leave, last),
        [leave, last] if leave.successors() == [last] => (leave, last),
        _ => return false,
    };
    let rounds = Rounds { header, inside: &inside, has_masks: options.avx512() };
    let is_plain = |it: &Value<'c>| !may_access(*it) && it.opcode() != Opcode::LLVMPHI;
    let choices = without_end(leave);
    if !inside(leave)
        || !inside(last)
        || ends(last).is_none_or(|(_, again)| again != condition)
        || !last.successors().contains(&header)
        || !choices.iter().all(is_plain)
        || without_end(last).iter().any(|it| is_in_the_way(*it))
        || !header.instructions().iter().any(|it| rounds.is_far_row(*it))
    {
        return false;
    }
    let b = module.context().builder();
    b.position_before(branch);
    let take = |it: Value<'c>| {
        it.detach();
        b.insert(it);
    };
    choices.into_iter().for_each(take);
    let leaves_if_true = branch.successor(0) == leave;
    for phi in last.phis() {
        let from = |block| phi.incoming().into_iter().find(|(_, from)| *from == block);
        let (Some((stays, _)), Some((leaves, _))) = (from(header), from(leave)) else { continue };
        let [yes, no] = if leaves_if_true { [leaves, stays] } else { [stays, leaves] };
        phi.replace_all_uses_with(b.select(condition, yes, no));
        phi.erase();
    }
    without_end(last).into_iter().for_each(take);
    let Some(end) = last.terminator() else { return false };
    branch.erase();
    b.position_at_end(header);
    take(end);
    homes::come_from(module, end, last, header);
    for block in [leave, last] {
        block.terminator().into_iter().for_each(Value::erase);
        block.delete();
    }
    true
}

/// A block's end with two ways, and what it asks.
fn ends(block: Block<'_>) -> Option<(Value<'_>, Value<'_>)> {
    let is_branch =
        |end: &Value<'_>| end.opcode() != Opcode::LLVMSwitch && end.successor_count() == 2;
    let end = block.terminator().filter(is_branch)?;
    Some((end, end.condition()?))
}

fn without_end(block: Block<'_>) -> Vec<Value<'_>> {
    block.instructions().into_iter().filter(|it| !it.is_terminator()).collect()
}
