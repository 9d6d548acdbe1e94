//! Whether the blocks of a kernel may begin in any order.
//!
//! A block that waits for another one does so in a loop that reads, again and again, what other blocks write. A loop
//! that is not surely of another kind counts as one.

use llvm_zluda::{Opcode, Value};
use rustc_hash::FxHashSet;

use super::cfg::{Cfg, Loop};
use crate::Error;
use crate::intrinsics::{self, Effects, Intrinsic, Participants};

/// Whether no block of the kernel waits for another one. The functions are per-thread IR in the shape that
/// [`Cfg::as_it_is`] asks for.
pub fn is_any(functions: &[Value<'_>]) -> Result<bool, Error> {
    // A function that is called may be in a loop of its caller, or call itself.
    let &[kernel] = functions else { return Ok(false) };
    let cfg = Cfg::as_it_is(kernel)?;
    Ok(!cfg.loops.iter().any(|this| may_wait(&cfg, this)))
}

fn may_wait(cfg: &Cfg<'_>, this: &Loop) -> bool {
    let blocks = || (0..cfg.blocks.len()).filter(|&block| this.contains[block]);
    let mut barriers = false;
    for instruction in blocks().flat_map(|block| cfg.blocks[block].instructions()) {
        match instruction.opcode() {
            Opcode::LLVMLoad if instruction.is_volatile() || instruction.is_atomic() => {
                return true;
            }
            Opcode::LLVMAtomicCmpXchg | Opcode::LLVMFence => return true,
            Opcode::LLVMAtomicRMW if instruction.has_uses() => return true,
            Opcode::LLVMCall | Opcode::LLVMInvoke => {
                let Some(intrinsic) = intrinsics::called(instruction) else {
                    if instruction.called_name().starts_with("llvm.") {
                        continue;
                    }
                    return true;
                };
                if may_learn_of_others(intrinsic) {
                    return true;
                }
                barriers |= intrinsic.participants == Participants::Block;
            }
            _ => {}
        }
    }
    // Other blocks' plain stores are seen at a barrier at the earliest.
    barriers
        && blocks()
            .filter(|&block| cfg.successors[block].iter().any(|&to| !this.contains[to]))
            .filter_map(|block| cfg.blocks[block].terminator())
            .any(|terminator| depends_on_loads(cfg, this, terminator))
}

/// Whether a call may bring news of other blocks, or is a pause until there are some.
fn may_learn_of_others(intrinsic: &Intrinsic) -> bool {
    match intrinsic.effects {
        Effects::Pure | Effects::Preempts | Effects::EndsThread | Effects::EndsGrid => false,
        // Somebody who looks at the clock waits.
        Effects::Momentary => intrinsic.participants == Participants::Thread,
        Effects::OrdersMemory => intrinsic.participants == Participants::Cluster,
        Effects::AccessesMemory | Effects::World => true,
    }
}

/// Whether what the loop itself loads decides about its end.
fn depends_on_loads(cfg: &Cfg<'_>, this: &Loop, terminator: Value<'_>) -> bool {
    let mut seen = FxHashSet::default();
    let mut stack = vec![terminator];
    while let Some(value) = stack.pop() {
        if !value.is_instruction() || !seen.insert(value) {
            continue;
        }
        if !cfg.index.get(&value.parent()).is_some_and(|&block| this.contains[block]) {
            continue;
        }
        if value.opcode() == Opcode::LLVMLoad {
            return true;
        }
        stack.extend(value.operands().into_iter().filter(|operand| operand.is_instruction()));
    }
    false
}
