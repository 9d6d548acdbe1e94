//! Code between two barriers that several warps go through side by side, each instruction of all of them after the other.
//!
//! Rows of shared memory that are a factor for several warps of a block, as in products of matrices by tiles, are loaded once for
//! them then, and their sums, each of which waits for the one before, are made at the same time. Whether the rows are the
//! same is asked when warps come there: it depends on the block's sides. Such code is one block that reads memory but writes
//! nothing other than the warp's frame, so that nobody can tell in which order warps run it.

use llvm_zluda::{Block, Builder, IntPredicate, Opcode, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Chain, WARP};
use crate::Options;
use crate::passes::effects::{is_access, is_in_the_way, may_write};

/// Rows that warps load alike.
const FEWEST_ROWS: usize = 4;
/// Instructions for a warp.
const LONGEST: usize = 320;

/// A successor of a function's first block.
pub struct Stretch<'c> {
    /// The number of the successor.
    target: u32,
    block: Block<'c>,
    body: Vec<Value<'c>>,
    /// Which of them, loads from the frame, have to be the same for the warps.
    asked: Vec<Value<'c>>,
    /// Which of them are the same then.
    same: FxHashSet<Value<'c>>,
    /// Warps that go together.
    warps: u64,
}

impl<'c> Stretch<'c> {
    /// All of a function whose ends have been taken away.
    pub fn all(chain: &Chain<'_, 'c>, options: &Options) -> Vec<Self> {
        // A switch has no number for its first successor.
        let first = u32::from(chain.end.opcode() == Opcode::LLVMSwitch);
        (first..chain.end.successor_count())
            .filter_map(|target| Self::find(chain, options, target))
            .collect()
    }

    fn find(chain: &Chain<'_, 'c>, options: &Options, target: u32) -> Option<Self> {
        let module = chain.module;
        let block = chain.end.successor(target);
        let ways = chain.function.blocks().into_iter().flat_map(Block::successors);
        let ends = |block: Block<'c>| block.terminator().is_none();
        let next = block.successors();
        let ends_here = ends(block)
            || matches!(next[..], [next] if ends(next) && next.first_instruction().is_none());
        if !ends_here || ways.filter(|to| *to == block).count() != 1 {
            return None;
        }
        let body: Vec<_> =
            block.instructions().into_iter().filter(|it| !it.is_terminator()).collect();
        let frame = chain.frame()?;
        let is_in_frame = |address: Value<'c>| {
            address == frame
                || (address.is_instruction()
                    && address.opcode() == Opcode::LLVMGetElementPtr
                    && address.operand(0) == frame
                    && address.operands().iter().skip(1).all(|index| index.is_constant()))
        };
        let is_harmless = |it: &Value<'c>| match it.opcode() {
            Opcode::LLVMPHI | Opcode::LLVMAlloca | Opcode::LLVMAtomicRMW => false,
            Opcode::LLVMStore => !is_in_the_way(*it) && is_in_frame(it.operand(1)),
            _ => !may_write(*it),
        };
        let uses_variables =
            |it: &Value<'c>| it.operands().iter().any(|operand| chain.variables.contains(operand));
        if body.len() > LONGEST || !body.iter().all(is_harmless) || body.iter().any(uses_variables)
        {
            return None;
        }
        let warp = chain.function.parameter(WARP);
        let rows_if = |asked: &[Value<'c>]| {
            let same = same_if(&body, warp, asked);
            same.iter().filter(|it| it.ty().is_vector() && is_access(**it)).count()
        };
        let may_be_asked = |it: &Value<'c>| {
            it.opcode() == Opcode::LLVMLoad && !it.ty().is_vector() && is_in_frame(it.operand(0))
        };
        let asked: Vec<_> = body
            .iter()
            .copied()
            .filter(|it| may_be_asked(it) && rows_if(&[*it]) >= FEWEST_ROWS)
            .collect();
        if asked.is_empty() {
            return None;
        }
        let same = same_if(&body, warp, &asked);
        // What is stored for later is in registers all the time.
        let kept: u64 = body
            .iter()
            .filter(|it| it.opcode() == Opcode::LLVMStore && it.operand(0).ty().is_vector())
            .map(|it| module.store_size_of(it.operand(0).ty()))
            .sum();
        let warps = options.warps_that_fit(kept)?;
        Some(Self { target, block, body, asked, same, warps })
    }

    /// Makes the code for several warps, and lets control come there if the next ones wait at the same place. Returns its block,
    /// which has no end.
    pub fn make(&self, chain: &Chain<'_, 'c>, next_home: Value<'c>) -> Block<'c> {
        let cx = chain.module.context();
        let [ask, look, together] = ["ask", "look", "side.by.side"].map(|name| chain.block(name));
        let number = |value: u64| cx.i32().const_int(value);
        let b = cx.builder();
        let warp = chain.function.parameter(WARP);
        let others = (2 << (self.warps - 1)) - 2;

        // Warps behind this one that nobody has called in this round.
        chain.end.set_successor(self.target, ask);
        b.position_at_end(ask);
        let next = b.load(cx.i32(), next_home, 4);
        let wanted = number(others);
        let are_left = b.and(b.lshr(next, warp), wanted);
        b.cond_br(b.icmp(IntPredicate::LLVMIntEQ, are_left, wanted), look, self.block);

        b.position_at_end(look);
        let mut known: Vec<_> = (1..self.warps)
            .map(|distance| chain.enter_as(&b, b.add(warp, number(distance))))
            .collect();
        let wait_here = known.iter().map(|copies| chain.goes_to(&b, self.target, copies));
        let mut all = wait_here.fold(cx.i1().all_ones(), |all, one| b.and(all, one));
        known.insert(0, FxHashMap::default());
        for &it in &self.asked {
            for known in &mut known {
                let address = it.operand(0);
                if address.parent() == self.block && !known.contains_key(&address) {
                    copy(&b, known, address);
                }
                copy(&b, known, it);
            }
            for other in &known[1..] {
                let is_same = b.icmp(IntPredicate::LLVMIntEQ, known[0][&it], other[&it]);
                all = b.and(all, is_same);
            }
        }
        b.cond_br(all, together, self.block);

        b.position_at_end(together);
        b.store(b.and(next, b.not(b.shl(wanted, warp))), next_home, 4);
        for &it in &self.body {
            for number in 0..known.len() {
                if number > 0 && self.same.contains(&it) {
                    let made = known[0][&it];
                    known[number].insert(it, made);
                } else if !known[number].contains_key(&it) {
                    copy(&b, &mut known[number], it);
                }
            }
        }
        together
    }
}

/// Makes an instruction again of the values of a warp.
fn copy<'c>(b: &Builder<'c>, known: &mut FxHashMap<Value<'c>, Value<'c>>, it: Value<'c>) {
    let operands: Vec<_> =
        it.operands().into_iter().map(|value| *known.get(&value).unwrap_or(&value)).collect();
    known.insert(it, b.copy_with(it, operands));
}

/// The instructions whose values are the same for warps for which some are.
fn same_if<'c>(body: &[Value<'c>], warp: Value<'c>, asked: &[Value<'c>]) -> FxHashSet<Value<'c>> {
    let mut same = FxHashSet::default();
    for &it in body {
        let is_same = |operand: Value<'c>| match operand.is_instruction() {
            true => same.contains(&operand),
            false => operand != warp,
        };
        if asked.contains(&it)
            || (it.opcode() != Opcode::LLVMStore && it.operands().into_iter().all(is_same))
        {
            same.insert(it);
        }
    }
    same
}
