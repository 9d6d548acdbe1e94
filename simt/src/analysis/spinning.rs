//! Loops that wait for another thread, which may be a lane of the same warp.
//!
//! A lane that takes a lock leaves the loop in which its neighbours still spin, and they spin until it gives
//! the lock back: were it to wait for them at the end of the loop, none would get on. So what follows such a
//! loop counts as part of it: in each round the lanes that have left run on, and those that spin try once
//! more. What follows ends where the loop around begins again, and before the first block in which lanes
//! work together, such as at a barrier. A lane that holds a lock there goes on when its group parts
//! ([`super::warp_splitting`]). Where all lanes leave a loop together, nobody waits for those who have left, and
//! what follows stays outside ([`super::flow`]).

use llvm_zluda::{AtomicRmwOp, Block, Module, Opcode, Value};
use rustc_hash::FxHashSet;

use super::cfg::Cfg;
use super::warp_splitting::is_rendezvous;
use crate::intrinsics::{self, Participants};

/// Finds the loops that wait, and widens some of them: `wide` are numbers of loops. Values that leave a widened loop go
/// through the stack.
pub(super) fn take_in_what_follows<'c>(
    cfg: &mut Cfg<'c>,
    module: &Module<'c>,
    wide: &FxHashSet<usize>,
) {
    for number in (0..cfg.loops.len()).rev() {
        if !waits(cfg, number) {
            continue;
        }
        cfg.loops[number].spins = true;
        if !wide.contains(&number) {
            continue;
        }
        let added = what_follows(cfg, number);
        for &block in &added {
            cfg.loops[number].contains[block] = true;
        }
        // Blocks and inner loops of the loop around change their home.
        let parent = cfg.loops[number].parent;
        for &block in &added {
            if cfg.loop_of[block] == parent {
                cfg.loop_of[block] = Some(number);
            }
        }
        for inner in number + 1..cfg.loops.len() {
            if cfg.loops[inner].parent == parent && added.contains(&cfg.loops[inner].header) {
                cfg.loops[inner].parent = Some(number);
            }
        }
        for &block in &added {
            leave_through_stack(cfg, module, number, block);
        }
    }
}

/// Whether a loop goes on by what other threads may write, as far as the function's own instructions say it: what it calls
/// does not count.
pub fn waits(cfg: &Cfg<'_>, number: usize) -> bool {
    let is_inside = |block: Block<'_>| cfg.is_in_loop(block, number);
    deciding(cfg, number).into_iter().any(|(value, how)| match value.opcode() {
        Opcode::LLVMAtomicCmpXchg if tries_again(value, &is_inside) => false,
        Opcode::LLVMAtomicCmpXchg | Opcode::LLVMAtomicRMW => {
            how == Deciding::ByData || may_change_nothing(value)
        }
        // What a plain load reads does not change under the loop.
        Opcode::LLVMLoad => value.is_volatile() || value.is_atomic(),
        _ => false,
    })
}

/// Whether who did not get what it wants may find all as it was: no lock, which it tries to take again. Who has added or
/// compared sizes to go one way or the other has changed something for good, and does not wait.
fn may_change_nothing(atomic: Value<'_>) -> bool {
    use AtomicRmwOp::*;
    let keeps = [LLVMAtomicRMWBinOpXchg, LLVMAtomicRMWBinOpOr, LLVMAtomicRMWBinOpAnd];
    atomic.opcode() == Opcode::LLVMAtomicCmpXchg || keeps.contains(&atomic.rmw_operation())
}

/// Whether a loop with barriers may go on by what some of its threads have read of others' writes, and left where all find
/// it.
pub fn waits_at_barriers(cfg: &Cfg<'_>, number: usize) -> bool {
    let instructions = || cfg.instructions_of_loop(number);
    let is_barrier = |instruction: Value<'_>| {
        intrinsics::called(instruction).is_some_and(|it| it.participants == Participants::Block)
    };
    let reads_others = |instruction: Value<'_>| match instruction.opcode() {
        Opcode::LLVMLoad => instruction.is_volatile() || instruction.is_atomic(),
        Opcode::LLVMAtomicCmpXchg | Opcode::LLVMAtomicRMW => instruction.has_uses(),
        _ => false,
    };
    instructions().any(is_barrier)
        && instructions().any(reads_others)
        && deciding(cfg, number).iter().any(|(value, _)| value.opcode() == Opcode::LLVMLoad)
}

/// How an instruction decides about the end of a loop.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Deciding {
    /// The condition is computed of its result.
    ByData,
    /// Its result says where control goes, and so which of several values the condition is computed of.
    ByControl,
}

/// The instructions of a loop that decide about its end.
fn deciding<'c>(cfg: &Cfg<'c>, number: usize) -> FxHashSet<(Value<'c>, Deciding)> {
    let contains = &cfg.loops[number].contains;
    let leaves = |block: usize| cfg.successors[block].iter().any(|&to| !contains[to]);
    let mut found = FxHashSet::default();
    let mut stack: Vec<_> = (0..cfg.blocks.len())
        .filter(|&block| contains[block] && leaves(block))
        .filter_map(|block| condition_of(cfg, block))
        .map(|condition| (condition, Deciding::ByData))
        .collect();
    while let Some((value, how)) = stack.pop() {
        let is_inside = value.is_instruction() && cfg.is_in_loop(value.parent(), number);
        if !is_inside || !found.insert((value, how)) {
            continue;
        }
        match value.opcode() {
            Opcode::LLVMAtomicCmpXchg | Opcode::LLVMAtomicRMW | Opcode::LLVMLoad => continue,
            Opcode::LLVMPHI => {
                let from =
                    value.incoming().into_iter().filter_map(|(_, from)| cfg.index.get(&from));
                let branches = from.filter_map(|&from| nearest_branch(cfg, number, from));
                let conditions = branches.filter_map(|block| condition_of(cfg, block));
                stack.extend(conditions.map(|condition| (condition, Deciding::ByControl)));
            }
            _ => {}
        }
        stack.extend(value.operands().into_iter().map(|operand| (operand, how)));
    }
    found
}

/// What a block's branch goes by, if it goes several ways.
pub(super) fn condition_of<'c>(cfg: &Cfg<'c>, block: usize) -> Option<Value<'c>> {
    let terminator = cfg.blocks[block].terminator();
    terminator.filter(|it| it.opcode() == Opcode::LLVMBr).and_then(Value::condition)
}

/// The block of a loop with the last choice of ways on the only way to a block.
pub(super) fn nearest_branch(cfg: &Cfg<'_>, number: usize, mut block: usize) -> Option<usize> {
    let contains = &cfg.loops[number].contains;
    while contains[block] {
        if cfg.successors[block].len() > 1 {
            return Some(block);
        }
        let &[before] = cfg.predecessors[block].as_slice() else { return None };
        block = before;
    }
    None
}

/// A compare-and-swap that expects what it found the last time waits for nobody: of lanes that try together one gets
/// on in each round.
fn tries_again(swap: Value<'_>, is_inside: &dyn Fn(Block<'_>) -> bool) -> bool {
    let expected = without_casts(swap.operand(1));
    let is_found = |value: Value<'_>| {
        let value = without_casts(value);
        value.is_instruction()
            && value.opcode() == Opcode::LLVMExtractValue
            && value.operand(0) == swap
    };
    expected.is_instruction()
        && expected.opcode() == Opcode::LLVMPHI
        && expected.incoming().iter().all(|&(value, from)| !is_inside(from) || is_found(value))
}

fn without_casts(mut value: Value<'_>) -> Value<'_> {
    while value.is_instruction() && value.opcode() == Opcode::LLVMBitCast {
        value = value.operand(0);
    }
    value
}

/// The blocks that lanes reach from the loop before the loop around begins again.
fn what_follows(cfg: &Cfg<'_>, number: usize) -> Vec<usize> {
    let this = &cfg.loops[number];
    let parent = this.parent.map(|parent| &cfg.loops[parent]);
    let may_enter = |block: usize| {
        !this.contains[block]
            && parent.is_none_or(|parent| parent.contains[block] && parent.header != block)
            && !works_together(cfg, block)
    };
    let mut added = Vec::new();
    let mut stack: Vec<usize> =
        (0..cfg.blocks.len()).filter(|&block| this.contains[block]).collect();
    while let Some(block) = stack.pop() {
        for &to in &cfg.successors[block] {
            if may_enter(to) && !added.contains(&to) {
                added.push(to);
                stack.push(to);
            }
        }
    }
    // A block that can be entered past the loop belongs to both ways, and stays outside.
    loop {
        let inside = |block: usize| this.contains[block] || added.contains(&block);
        let Some(place) = added
            .iter()
            .position(|&block| cfg.predecessors[block].iter().any(|&from| !inside(from)))
        else {
            return added;
        };
        added.swap_remove(place);
    }
}

/// Lanes meet in the block, or in a function that it calls.
fn works_together(cfg: &Cfg<'_>, block: usize) -> bool {
    cfg.blocks[block].instructions().into_iter().any(|instruction| {
        is_rendezvous(instruction)
            || (instruction.opcode() == Opcode::LLVMCall && {
                let name = instruction.called_name();
                !name.starts_with("zluda.") && !name.starts_with("llvm.")
            })
    })
}

/// Lanes that leave the loop at different times keep what `block` computed in memory of their own.
fn leave_through_stack<'c>(cfg: &Cfg<'c>, module: &Module<'c>, number: usize, block: usize) {
    let contains = &cfg.loops[number].contains;
    let builder = module.context().builder();
    let inside =
        |value: Value<'c>| cfg.index.get(&value.parent()).is_some_and(|&block| contains[block]);
    for value in cfg.blocks[block].instructions() {
        if value.ty().is_void() {
            continue;
        }
        let outside: Vec<_> = value.users().into_iter().filter(|&user| !inside(user)).collect();
        if outside.is_empty() {
            continue;
        }
        builder.position_at_start(cfg.blocks[0]);
        // A row of 32 bits is no row of 32 bytes; in memory a bit is one.
        let i8_type = module.context().i8();
        let is_bit = value.ty() == module.context().i1();
        let kept = if is_bit { i8_type } else { value.ty() };
        let slot = builder.alloca(kept);
        let align = module.align_of(kept);
        let mut after = cfg.blocks[block]
            .instructions()
            .into_iter()
            .skip_while(|&other| other != value)
            .skip(1);
        if let Some(next) = after.find(|next| next.opcode() != Opcode::LLVMPHI) {
            builder.position_before(next);
        }
        let bytes = if is_bit { builder.zext_or_trunc(value, i8_type) } else { value };
        builder.store(bytes, slot, align);
        for user in outside {
            for index in 0..user.operand_count() {
                if user.operand(index) != value {
                    continue;
                }
                if user.opcode() == Opcode::LLVMPHI {
                    let from = user.incoming()[index as usize].1;
                    let leaves = cfg.index.get(&from).is_some_and(|&from| contains[from]);
                    let (false, Some(end)) = (leaves, from.terminator()) else { continue };
                    if let Some(same) = user.earlier_from_same_block(index) {
                        user.set_operand(index, same);
                        continue;
                    }
                    builder.position_before(end);
                } else {
                    builder.position_before(user);
                }
                let again = builder.load(kept, slot, align);
                let again = if is_bit { builder.zext_or_trunc(again, value.ty()) } else { again };
                user.set_operand(index, again);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use llvm_zluda::Context;

    use super::*;

    /// A loop in which a variable says whether the thread has to try again.
    fn retries(atomic: &str) -> bool {
        let text = format!(
            "define void @retry(ptr addrspace(1) %flag) {{
              br label %round
            round:
              {atomic}
              %is_free = icmp eq i32 %value, 0
              br i1 %is_free, label %got, label %next
            got:
              store i32 2, ptr addrspace(1) %flag
              br label %next
            next:
              %again = phi i1 [ true, %round ], [ false, %got ]
              br i1 %again, label %round, label %done
            done:
              ret void
            }}"
        );
        let context = Context::new();
        let module = Module::parse(&context, "retry", &text).expect("valid IR");
        let cfg = Cfg::as_it_is(module.functions()[0]).expect("a loop");
        waits(&cfg, 0)
    }

    #[test]
    fn who_does_not_get_a_lock_waits_for_it() {
        let swap = "%both = cmpxchg ptr addrspace(1) %flag, i32 0, i32 1 monotonic monotonic
            %value = extractvalue { i32, i1 } %both, 0";
        let by = |operation: &str| {
            format!("%value = atomicrmw {operation} ptr addrspace(1) %flag, i32 1 monotonic")
        };
        assert!(retries(swap));
        for (operation, is_lock) in
            [("or", true), ("and", true), ("xchg", true), ("add", false), ("umin", false)]
        {
            assert_eq!(retries(&by(operation)), is_lock, "{operation}");
        }
    }
}
