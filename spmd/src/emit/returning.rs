//! Warps that return to the entry where they wait ([`crate::passes::return_at_barriers`]).

use llvm_zluda::{Opcode, Value};
use simt::intrinsics;

use super::{Emitter, Lanes};
use crate::round::{self, Word, set_word, word};

/// In more places a warp's function does not return: each is a place where it may have to go on.
const MOST_WAITS: usize = 200;

/// Whether all that makes warps of a kernel wait are barriers of the whole block and turns for others, in the kernel itself, and
/// there are at least `fewest` of them. Loops that wait for another thread, and warps that part, are for the caller to look at.
pub(crate) fn may_return<'c>(functions: &[Value<'c>], kernel: Value<'c>, fewest: usize) -> bool {
    let mut waits = 0;
    for &function in functions {
        for call in function.blocks().into_iter().flat_map(|block| block.instructions()) {
            if call.opcode() != Opcode::LLVMCall {
                continue;
            }
            let name = call.called_name();
            let Some(name) = name.strip_prefix(intrinsics::PREFIX) else { continue };
            let is_constant_zero = |index| call.operand(index).as_const_int() == Some(0);
            match name {
                "preempt" => waits += 1,
                "barrier.sync" | "barrier.red.popc" | "barrier.red.and" | "barrier.red.or"
                    if is_constant_zero(0) && is_constant_zero(1) =>
                {
                    waits += 1;
                }
                _ if !lets_others_run(name) => continue,
                _ => return false,
            }
            if function != kernel {
                return false;
            }
        }
    }
    (fewest..=MOST_WAITS).contains(&waits)
}

/// Operations during which the engine may run other warps, or that ask where the stack lies.
fn lets_others_run(name: &str) -> bool {
    ["barrier.", "cluster.", "nanosleep", "lane.mbarrier", "isspacep"]
        .iter()
        .any(|prefix| name.starts_with(prefix))
}

impl<'c> Emitter<'_, 'c> {
    /// What the entry and the warp tell each other.
    fn round(&self) -> Value<'c> {
        self.environment.group
    }

    /// Waits for the other warps of the block.
    pub(super) fn wait(&self) {
        round::wait(self.module, &self.b);
    }

    /// Lets the other warps have a turn.
    pub(super) fn give_turn(&self) {
        round::give_turn(self.module, &self.b, self.round(), self.environment.warp);
    }

    /// `barrier.red` of the name.
    pub(super) fn wait_and_reduce(&self, name: &str, condition: Value<'c>) -> Lanes<'c> {
        let (b, round) = (&self.b, self.round());
        let (trues, active) = (self.active_where(condition), self.active_bits());
        let add =
            |to: Word, value: Value<'c>| set_word(b, round, to, b.or(word(b, round, to), value));
        let ctpop = |value| b.intrinsic(self.module, "llvm.ctpop", &[self.cx.i32()], &[value]);
        set_word(b, round, Word::Trues, b.add(word(b, round, Word::Trues), ctpop(trues)));
        add(Word::AnyTrue, trues);
        add(Word::AnyFalse, b.and(active, b.not(trues)));
        self.wait();
        let zero = self.cx.i32().const_int(0);
        let is = |predicate, of| b.icmp(predicate, word(b, round, of), zero);
        Lanes::Uniform(match name {
            "barrier.red.popc" => word(b, round, Word::TruesBefore),
            "barrier.red.and" => is(llvm_zluda::IntPredicate::LLVMIntEQ, Word::AnyFalseBefore),
            _ => is(llvm_zluda::IntPredicate::LLVMIntNE, Word::AnyTrueBefore),
        })
    }
}
