//! Loops that several warps of a block go through together, a round of each after the other.
//!
//! Input: functions of warps that are [marked](mark), which may return where they wait. Output: the same ones; where a warp has
//! gone a few rounds of a loop that loads rows far from each other, it lets the others have a turn, so that they come there
//! too. Who goes on first takes the next ones along ([`together`]), as long as all of them stay in the loop; each goes on
//! from where it was then.
//! Why here: the loop is one block of vector code, all else is done, and what is in the way of its warps are registers. The
//! next pass has the frames in which warps that wait keep their values.
//!
//! One warp after the other, rows of a matrix are read 128 bytes at a time from pages that are new in each round: nothing is
//! read ahead, and what the next warp wants beside it has left the cache by then.

use llvm_zluda::{Block, Builder, IntPredicate, Module, Opcode, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use simt::analysis::cfg::{Cfg, Loop};

use super::effects::is_in_the_way;
use super::steps::Rounds;
use crate::passes::homes;
use crate::{Options, round};

mod one_block;
mod together;

use together::{Sameness, State};

/// Says of a function that whole warps of one row run it, which may return where they wait.
const MARK: &str = "warp-jams";

/// A warp goes so many rounds alone first, if nobody knows how many there are: who has fewer pays nothing.
const ROUNDS_ALONE: u64 = 4;
/// Loops with a known number of rounds have at least so many.
const FEWEST_ROUNDS: u64 = 8;
/// Instructions of a loop.
const LONGEST: usize = 320;
/// Loops of a kernel.
const MOST_LOOPS: usize = 4;
/// Places begin at multiples of so many bytes, as all in frames does.
const ALIGN: u64 = 64;

/// Marks a function for this pass.
pub fn mark<'c>(module: &Module<'c>, function: Value<'c>) {
    module.add_string_attribute(function, MARK, "");
}

/// Whether a function is marked.
pub fn is_marked<'c>(module: &Module<'c>, function: Value<'c>) -> bool {
    module.string_attribute(function, MARK).is_some()
}

/// Whether a function has a loop that warps go through together, or is one.
pub fn goes_together<'c>(module: &Module<'c>, function: Value<'c>) -> bool {
    let name = function.name();
    name.contains(together::SUFFIX)
        || module.function(&format!("{name}{}", together::SUFFIX)).is_some()
}

/// Whether a kernel of one thread has a loop that warps may go through together, by what is known before it is vector code.
pub fn may_gain<'c>(function: Value<'c>) -> bool {
    let Ok(cfg) = Cfg::as_it_is(function) else { return false };
    (0..cfg.loops.len()).any(|number| {
        let this = &cfg.loops[number];
        let is_inner = cfg.loops.iter().all(|other| other.parent != Some(number));
        let inside = |block| cfg.is_in_loop(block, number);
        let rounds = Rounds { header: cfg.blocks[this.header], inside: &inside, has_masks: false };
        let is_row =
            |it: Value<'c>| it.opcode() == Opcode::LLVMLoad && rounds.go_far(it.operand(0));
        is_inner
            && this.parent.is_none()
            && !cfg.instructions_of_loop(number).any(is_in_the_way)
            && cfg.instructions_of_loop(number).any(is_row)
    })
}

/// Rewrites the functions that are marked.
pub fn run(module: &Module<'_>, options: &Options) {
    for function in module.functions() {
        if function.is_declaration() || !is_marked(module, function) {
            continue;
        }
        let mut seen = FxHashSet::default();
        for _ in 0..MOST_LOOPS {
            let Some(jam) = Jam::find(module, options, function, &seen) else { break };
            seen.extend(jam.rewrite());
        }
    }
}

/// A loop of one block.
struct Jam<'m, 'c> {
    module: &'m Module<'c>,
    function: Value<'c>,
    header: Block<'c>,
    exit: Block<'c>,
    /// The loop goes on if this is true or if it is not.
    condition: Value<'c>,
    stays_if: bool,
    phis: Vec<Value<'c>>,
    /// What is neither a phi nor the end.
    body: Vec<Value<'c>>,
    /// What it takes from elsewhere.
    needs: Vec<Value<'c>>,
    /// What is used elsewhere.
    outs: Vec<Value<'c>>,
    /// Which values are the same for all warps of the block.
    same: FxHashSet<Value<'c>>,
    /// There are many rounds.
    is_long: bool,
    /// Warps that go together.
    warps: u64,
}

impl<'m, 'c> Jam<'m, 'c> {
    /// The next loop of a function that is worth it, and has not been seen.
    fn find(
        module: &'m Module<'c>,
        options: &Options,
        function: Value<'c>,
        seen: &FxHashSet<Block<'c>>,
    ) -> Option<Self> {
        let cfg = Cfg::as_it_is(function).ok()?;
        let header = |this: &Loop| cfg.blocks[this.header];
        let outer = || cfg.loops.iter().filter(|this| this.parent.is_none());
        let merged = outer().any(|this| {
            !seen.contains(&header(this)) && one_block::merge(module, options, &cfg, this)
        });
        if merged {
            return Self::find(module, options, function, seen);
        }
        let is_block = |this: &&Loop| this.contains.iter().filter(|inside| **inside).count() == 1;
        outer()
            .filter(is_block)
            .map(header)
            .filter(|header| !seen.contains(header))
            .find_map(|header| Self::new(module, options, function, header))
    }

    fn new(
        module: &'m Module<'c>,
        options: &Options,
        function: Value<'c>,
        header: Block<'c>,
    ) -> Option<Self> {
        let instructions = header.instructions();
        let (&end, rest) = instructions.split_last()?;
        let (phis, body): (Vec<_>, Vec<_>) =
            rest.iter().partition(|it| it.opcode() == Opcode::LLVMPHI);
        // Who asks the same in each round never leaves, or at once.
        let is_inside = |it: &Value<'c>| it.is_instruction() && it.parent() == header;
        let condition = end.condition().filter(is_inside)?;
        if end.opcode() == Opcode::LLVMSwitch || end.successor_count() != 2 {
            return None;
        }
        let stays_if = end.successor(0) == header;
        let exit = end.successor(u32::from(stays_if));
        let rounds =
            Rounds { header, inside: &|block| block == header, has_masks: options.avx512() };
        if exit == header
            || body.len() > LONGEST
            || body.iter().any(|it| is_in_the_way(*it) || it.opcode() == Opcode::LLVMAtomicRMW)
            || !body.iter().any(|it| rounds.is_far_row(*it))
        {
            return None;
        }
        let next_of = |phi| next_of(phi, header, condition, stays_if);
        let mut seen = FxHashSet::default();
        let mut is_need = |it: &Value<'c>| {
            let is_outside = match it.is_instruction() {
                true => it.parent() != header,
                false => it.is_argument(),
            };
            is_outside && seen.insert(*it)
        };
        let operands = body.iter().flat_map(|it| it.operands());
        let needs: Vec<_> =
            operands.chain(phis.iter().map(|phi| next_of(*phi))).filter(|it| is_need(it)).collect();
        let is_out = |it: &Value<'c>| it.users().iter().any(|user| user.parent() != header);
        let outs = phis.iter().chain(&body).copied().filter(is_out).collect();
        let first_of = |phi: Value<'c>| {
            let mut ways = phi.incoming().into_iter().filter(|(_, from)| *from != header);
            ways.next().filter(|_| ways.next().is_none()).map(|(first, _)| first)
        };
        let with_ends: Option<Vec<_>> =
            phis.iter().map(|&phi| Some((phi, first_of(phi)?, next_of(phi)))).collect();
        let warp = function.parameter(1);
        let same = Sameness::new(warp).inside(module, &with_ends?, &body, &needs);
        let mut jam = Self {
            module,
            function,
            header,
            exit,
            condition,
            stays_if,
            phis,
            body,
            needs,
            outs,
            same,
            is_long: false,
            warps: 1,
        };
        let rounds = jam.known_rounds();
        jam.is_long = rounds.is_some_and(|rounds| rounds >= FEWEST_ROUNDS);
        if rounds.is_some() && !jam.is_long {
            return None;
        }
        jam.warps = jam.warps_that_fit(options)?;
        Some(jam)
    }

    /// How many rounds there are, where that is a constant.
    fn known_rounds(&self) -> Option<u64> {
        if self.condition.opcode() != Opcode::LLVMICmp
            || self.condition.int_predicate() != IntPredicate::LLVMIntEQ
            || self.stays_if
        {
            return None;
        }
        let (next, last) = (self.condition.operand(0), self.condition.operand(1).as_const_int()?);
        let phi = *self.phis.iter().find(|phi| self.next(**phi) == next)?;
        if !next.is_instruction() || next.opcode() != Opcode::LLVMAdd || next.operand(0) != phi {
            return None;
        }
        let step = next.operand(1).as_const_int().filter(|step| *step > 0)?;
        let (first, _) = phi.incoming().into_iter().find(|(_, from)| *from != self.header)?;
        Some(last.checked_sub(first.as_const_int()?)? / step)
    }

    /// Four warps, or two, if half of the vector registers hold what they keep from round to round.
    fn warps_that_fit(&self, options: &Options) -> Option<u64> {
        let kept: u64 = self
            .phis
            .iter()
            .filter(|phi| phi.ty().is_vector())
            .filter(|phi| !self.same.contains(phi) && self.next(**phi) != **phi)
            .map(|phi| self.module.store_size_of(phi.ty()))
            .sum();
        options.warps_that_fit(kept)
    }

    /// What a phi is in the next round.
    fn next(&self, phi: Value<'c>) -> Value<'c> {
        next_of(phi, self.header, self.condition, self.stays_if)
    }

    fn block(&self, name: &str) -> Block<'c> {
        self.module.append_block(self.function, name)
    }

    /// Returns the loops that need no second look.
    fn rewrite(&self) -> [Block<'c>; 2] {
        let (module, cx) = (self.module, self.module.context());
        let place = Place::new(self);
        let together = together::make(self, &place);
        let b = cx.builder();
        if let Some(first) = self.function.entry_block().first_instruction() {
            b.position_before(first);
        }
        let own = b.alloca(cx.i8().array(place.size));
        own.set_alignment(ALIGN as u32);
        let homes: Vec<_> = self.outs.iter().map(|out| (*out, b.alloca(out.ty()))).collect();

        let [wait, behind, on] = ["jam", "jammed", "on"].map(|name| self.block(name));
        let (alone, before) = if self.is_long {
            self.enter_at(wait);
            (self.header, self.phis.iter().map(|phi| self.first(*phi).0).collect())
        } else {
            self.begin_alone(wait, &homes)
        };

        b.position_at_end(wait);
        for &need in &self.needs {
            place.write(&b, own, need, need);
        }
        for (&phi, first) in self.phis.iter().zip(before) {
            place.write(&b, own, phi, first);
        }
        b.store(State::Waits.value(module), own, 4);
        let [context, warp, words] = [0, 1, 3].map(|index| self.function.parameter(index));
        round::give_turn(module, &b, words, warp);
        b.call(together, &[context, warp, words, own]);
        let state = b.load(cx.i32(), own, 4);
        let ends = b.icmp(IntPredicate::LLVMIntEQ, state, State::Done.value(module));
        b.cond_br(ends, behind, on);

        b.position_at_end(behind);
        self.leave(&b, &homes, |out| place.read_out(&b, own, out));

        for &(out, home) in &homes {
            homes::move_to(module, out, home);
        }
        b.position_at_end(on);
        let first: Vec<_> = self.phis.iter().map(|phi| place.read(&b, own, *phi)).collect();
        b.br(self.header);
        for (&phi, first) in self.phis.iter().zip(first) {
            b.position_at_start(self.header);
            let renamed = b.phi(phi.ty());
            renamed.add_incoming(&[(self.next(phi), self.header), (first, on)]);
            phi.replace_all_uses_with(renamed);
            phi.erase();
        }
        [self.header, alone]
    }

    /// What a phi is in the first round, and where that comes from.
    fn first(&self, phi: Value<'c>) -> (Value<'c>, Block<'c>) {
        let from_outside = |(_, from): &(Value<'c>, Block<'c>)| *from != self.header;
        phi.incoming().into_iter().find(from_outside).unwrap_or((phi, self.header))
    }

    /// Lets who comes to the loop come to a block.
    fn enter_at(&self, block: Block<'c>) {
        for from in self.function.blocks().into_iter().filter(|from| *from != self.header) {
            let Some(end) = from.terminator() else { continue };
            for index in 0..end.successor_count() {
                if end.successor(index) == self.header {
                    end.set_successor(index, block);
                }
            }
        }
    }

    /// Leaves from where the builder stands for where the loop leaves to.
    fn leave(
        &self,
        b: &Builder<'c>,
        homes: &[(Value<'c>, Value<'c>)],
        out: impl Fn(Value<'c>) -> Value<'c>,
    ) {
        for &(value, home) in homes {
            b.store(out(value), home, self.module.align_of(value.ty()));
        }
        for phi in self.exit.phis() {
            let from_here = |(_, from): &(Value<'c>, Block<'c>)| *from == self.header;
            let Some((value, _)) = phi.incoming().into_iter().find(from_here) else { continue };
            let value = if self.outs.contains(&value) { out(value) } else { value };
            phi.add_incoming(&[(value, b.block())]);
        }
        b.br(self.exit);
    }

    /// A copy of the loop for a few rounds, behind which control goes to `wait` if there are more. Returns it and what the phis
    /// are there.
    fn begin_alone(
        &self,
        wait: Block<'c>,
        homes: &[(Value<'c>, Value<'c>)],
    ) -> (Block<'c>, Vec<Value<'c>>) {
        let cx = self.module.context();
        let b = cx.builder();
        let [alone, more, done] = ["alone", "more", "done"].map(|name| self.block(name));
        self.enter_at(alone);
        b.position_at_end(alone);
        let mut known = FxHashMap::default();
        for &phi in &self.phis {
            let copy = b.phi(phi.ty());
            copy.add_incoming(&[self.first(phi)]);
            known.insert(phi, copy);
        }
        let round = b.phi(cx.i32());
        for &it in &self.body {
            let operands = it.operands().into_iter().map(|it| *known.get(&it).unwrap_or(&it));
            let copy = b.copy_with(it, operands);
            known.insert(it, copy);
        }
        let get = |value: Value<'c>| *known.get(&value).unwrap_or(&value);
        let next: Vec<_> = self.phis.iter().map(|phi| get(self.next(*phi))).collect();
        for (phi, next) in self.phis.iter().zip(&next) {
            known[phi].add_incoming(&[(*next, alone)]);
        }
        let after = b.add(round, cx.i32().const_int(1));
        let from = self.phis.first().map_or(alone, |phi| self.first(*phi).1);
        round.add_incoming(&[(cx.i32().zero(), from), (after, alone)]);
        let condition = get(self.condition);
        let stays = if self.stays_if { condition } else { b.not(condition) };
        let few = cx.i32().const_int(ROUNDS_ALONE);
        let is_early = b.icmp(IntPredicate::LLVMIntULT, after, few);
        b.cond_br(b.and(stays, is_early), alone, more);
        b.position_at_end(more);
        b.cond_br(stays, wait, done);
        b.position_at_end(done);
        self.leave(&b, homes, get);
        (alone, next)
    }
}

/// What a phi of a loop is in the next round. Where that depends on whether there is one, there is.
fn next_of<'c>(
    phi: Value<'c>,
    header: Block<'c>,
    condition: Value<'c>,
    stays_if: bool,
) -> Value<'c> {
    let from_loop = |(_, from): &(Value<'c>, Block<'c>)| *from == header;
    let next = phi.incoming().into_iter().find(from_loop).map_or(phi, |(next, _)| next);
    if next.is_instruction() && next.opcode() == Opcode::LLVMSelect && next.operand(0) == condition
    {
        return next.operand(if stays_if { 1 } else { 2 });
    }
    next
}

/// Where a warp that waits has the values of its loop.
struct Place<'c> {
    /// Of phis, and of what the loop takes from elsewhere.
    offsets: FxHashMap<Value<'c>, u64>,
    outs: FxHashMap<Value<'c>, u64>,
    aligns: FxHashMap<Value<'c>, u32>,
    /// In bytes.
    size: u64,
}

impl<'c> Place<'c> {
    fn new(jam: &Jam<'_, 'c>) -> Self {
        // The state is first.
        let mut place = Self {
            offsets: FxHashMap::default(),
            outs: FxHashMap::default(),
            aligns: FxHashMap::default(),
            size: 4,
        };
        for &value in jam.phis.iter().chain(&jam.needs) {
            let offset = place.add(jam.module, value);
            place.offsets.insert(value, offset);
        }
        for &value in &jam.outs {
            let offset = place.add(jam.module, value);
            place.outs.insert(value, offset);
        }
        place
    }

    fn add(&mut self, module: &Module<'c>, value: Value<'c>) -> u64 {
        let align = module.align_of(value.ty()).min(ALIGN as u32);
        self.aligns.insert(value, align);
        let offset = self.size.next_multiple_of(align.into());
        self.size = offset + module.size_of(value.ty());
        offset
    }

    fn at(b: &Builder<'c>, place: Value<'c>, offset: u64) -> Value<'c> {
        b.byte_offset(place, b.context().i64().const_int(offset))
    }

    /// What stands for a phi, or for a value from elsewhere.
    fn read(&self, b: &Builder<'c>, place: Value<'c>, of: Value<'c>) -> Value<'c> {
        b.load(of.ty(), Self::at(b, place, self.offsets[&of]), self.aligns[&of])
    }

    fn write(&self, b: &Builder<'c>, place: Value<'c>, of: Value<'c>, value: Value<'c>) {
        b.store(value, Self::at(b, place, self.offsets[&of]), self.aligns[&of]);
    }

    /// What stands for a value that is used behind the loop.
    fn read_out(&self, b: &Builder<'c>, place: Value<'c>, of: Value<'c>) -> Value<'c> {
        b.load(of.ty(), Self::at(b, place, self.outs[&of]), self.aligns[&of])
    }

    fn write_out(&self, b: &Builder<'c>, place: Value<'c>, of: Value<'c>, value: Value<'c>) {
        b.store(value, Self::at(b, place, self.outs[&of]), self.aligns[&of]);
    }
}
