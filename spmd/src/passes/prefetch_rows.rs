//! Rows that a loop loads far from each other are asked for before their round comes.
//!
//! Input: vector code after its last optimisation, with the loops that warps go through together. Output: the same code; beside
//! each load of a row that is far from the last round's, by the same distance in every round, stands a prefetch of the row
//! that a later round loads.
//! Why here: no pass before may be in doubt about what a prefetch does, and the next one cuts loops at their barriers.
//!
//! The processor reads ahead within a page. A loop that goes on by the width of the grid, as programs of all kinds have it,
//! or down a column, waits for memory in each round, as long as nobody says what comes. The warp's neighbours want the rows
//! beside, but much later: each goes through the whole loop.

use llvm_zluda::{Builder, Module, Opcode, Type, Value};
use rustc_hash::FxHashMap;
use simt::analysis::cfg::Cfg;

use super::jam_loops;
use super::steps::{MOST, Rounds};
use crate::round;

/// Rows that are under way at a time. Fewer leave the processor waiting for memory; with more, those that are not read yet lose
/// their places again, which all lie in the same sets of the cache.
const ROWS_AHEAD: usize = 4;
/// Rounds of a loop with more instructions than this, with loops in it or with barriers, take long enough for one of them to be
/// ahead.
const LONG: usize = 400;
/// Loops with more such rows keep the processor busy with addresses.
const MOST_ROWS: usize = 8;
/// What one prefetch brings.
const LINE: u64 = 64;

/// Adds the prefetches.
pub fn run(module: &Module<'_>) {
    for function in module.functions().into_iter().filter(|function| !function.is_declaration()) {
        // Four warps have many rows under way as it is.
        if jam_loops::goes_together(module, function) {
            continue;
        }
        let Ok(cfg) = Cfg::as_it_is(function) else { continue };
        for number in 0..cfg.loops.len() {
            prefetch(module, &cfg, number);
        }
    }
}

fn prefetch<'c>(module: &Module<'c>, cfg: &Cfg<'c>, number: usize) {
    let inside = |block| cfg.is_in_loop(block, number);
    let header = cfg.blocks[cfg.loops[number].header];
    let rounds = Rounds { header, inside: &inside, has_masks: true };
    let is_far = |it: &Value<'c>| row(*it).is_some_and(|(_, pointer)| rounds.go_far(pointer));
    let mut rows: Vec<_> = cfg
        .instructions_of_loop(number)
        .filter(|it| cfg.loop_of[cfg.index[&it.parent()]] == Some(number) && is_far(it))
        .collect();
    rows.retain(|it| is_in_every_round(cfg, number, cfg.index[&it.parent()]));
    if rows.is_empty() || rows.len() > MOST_ROWS {
        return;
    }
    let waits = |it: Value<'c>| it.opcode() == Opcode::LLVMCall && round::is_wait(it);
    let is_long = cfg.loops.iter().any(|other| other.parent == Some(number))
        || cfg.instructions_of_loop(number).count() > LONG
        || cfg.instructions_of_loop(number).any(waits);
    let distance = if is_long { 1 } else { (ROWS_AHEAD / rows.len()).max(1) };
    let cx = module.context();
    let b = cx.builder();
    // To read, into the nearest cache, of data.
    let kind = [0, 3, 1].map(|number| cx.i32().const_int(number));
    for load in rows {
        let Some((ty, pointer)) = row(load) else { continue };
        b.position_before(load);
        let distance = distance as u64;
        let mut later = Later { rounds: &rounds, b: &b, distance, known: FxHashMap::default() };
        let Some(pointer) = later.of(pointer) else { continue };
        for line in 0..module.store_size_of(ty).div_ceil(LINE) {
            let place = b.byte_offset(pointer, cx.i64().const_int(line * LINE));
            let arguments = [place, kind[0], kind[1], kind[2]];
            b.intrinsic(module, "llvm.prefetch", &[place.ty()], &arguments);
        }
    }
}

/// Whether no round of a loop goes around a block.
fn is_in_every_round(cfg: &Cfg<'_>, number: usize, block: usize) -> bool {
    let header = cfg.loops[number].header;
    let (mut reached, mut left) = (vec![false; cfg.blocks.len()], vec![header]);
    while let Some(at) = left.pop() {
        if at == block {
            continue;
        }
        for &next in cfg.successors[at].iter().filter(|&&next| cfg.loops[number].contains[next]) {
            if next == header {
                return false;
            }
            if !std::mem::replace(&mut reached[next], true) {
                left.push(next);
            }
        }
    }
    true
}

/// The type and the place of a row that an instruction loads, masked or not.
fn row<'c>(load: Value<'c>) -> Option<(Type<'c>, Value<'c>)> {
    let is_row = load.ty().is_vector()
        && match load.opcode() {
            Opcode::LLVMLoad => !load.is_volatile() && !load.is_atomic(),
            Opcode::LLVMCall => {
                load.callee().is_function() && load.called_name().starts_with("llvm.masked.load.")
            }
            _ => false,
        };
    is_row.then(|| (load.ty(), load.operand(0)))
}

/// Makes what expressions are in a later round.
struct Later<'r, 'c> {
    rounds: &'r Rounds<'r, 'c>,
    b: &'r Builder<'c>,
    /// In rounds.
    distance: u64,
    known: FxHashMap<Value<'c>, Value<'c>>,
}

impl<'c> Later<'_, 'c> {
    fn of(&mut self, value: Value<'c>) -> Option<Value<'c>> {
        if self.rounds.stays(value) {
            return Some(value);
        }
        if let Some(known) = self.known.get(&value) {
            return Some(*known);
        }
        let made = if value.opcode() == Opcode::LLVMPHI {
            let mut again =
                value.incoming().into_iter().filter(|(_, from)| (self.rounds.inside)(*from));
            self.added(again.next()?.0, value, MOST)?
        } else {
            let operands: Option<Vec<_>> =
                value.operands().into_iter().map(|it| self.of(it)).collect();
            self.b.copy_with(value, operands?)
        };
        self.known.insert(value, made);
        Some(made)
    }

    /// A phi and what its next value has more than it, as many times as there are rounds.
    fn added(&self, next: Value<'c>, phi: Value<'c>, left: usize) -> Option<Value<'c>> {
        if next == phi {
            return Some(phi);
        }
        let left = left.checked_sub(1)?;
        let b = self.b;
        let times = |value: Value<'c>| b.mul(value, value.ty().const_int(self.distance));
        match next.opcode() {
            Opcode::LLVMAdd => {
                let grows = u32::from(self.rounds.stays(next.operand(0)));
                let so_far = self.added(next.operand(grows), phi, left)?;
                Some(b.add(so_far, times(next.operand(1 - grows))))
            }
            Opcode::LLVMGetElementPtr => {
                let so_far = self.added(next.operand(0), phi, left)?;
                Some(b.byte_offset(so_far, times(next.operand(1))))
            }
            _ => None,
        }
    }
}
