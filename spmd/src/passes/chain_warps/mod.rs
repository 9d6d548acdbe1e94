//! Warps that go on with the next one where they wait, instead of returning to the entry.
//!
//! Input: functions of warps that [return at barriers](super::return_at_barriers). Output: the same ones, which at each of their
//! ends look whether [the entry](crate::entry) left them another warp ([`Word::Next`]), and go on with that one: where it waits at
//! the place that most come from, straight to the code behind. So a warp that has nothing to do between two barriers takes a
//! few instructions, and the code between two barriers is a loop over warps.
//! Why here: these loops would make all of the function the body of one for what comes before: for strips, regions, and
//! what moves out of loops.
//!
//! Where the code between two barriers loads rows that may be the same for several warps, these go through it
//! [side by side](stretch).
//!
//! The first block, which finds the frame and where to go on, is copied to each end.

use llvm_zluda::{Block, Builder, IntPredicate, Module, Opcode, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Options;
use crate::passes::homes;
use crate::round::{Word, set_word, word};

mod stretch;

use stretch::Stretch;

/// Says of a function that it is a warp's, and returns where it waits. The value is the function's name: functions that are
/// made of parts of it have the attribute, too.
const MARK: &str = "warp-returns";

/// The parameters of a warp's function.
const WARP: u32 = 1;
const MASK: u32 = 2;
const ROUND: u32 = 3;

/// An end goes straight on behind so many places at most.
const MOST_TARGETS: usize = 2;

/// Marks a function for this pass.
pub fn mark<'c>(module: &Module<'c>, function: Value<'c>) {
    module.add_string_attribute(function, MARK, &function.name());
}

/// Rewrites the functions that are marked. False if there are none that can be.
pub fn run(module: &Module<'_>, options: &Options) -> bool {
    let mut found = false;
    for function in module.functions() {
        let is_marked = !function.is_declaration()
            && module.string_attribute(function, MARK).is_some_and(|name| name == function.name());
        // All whole warps have the same mask; others are called one by one.
        if is_marked && function.parameter(MASK).users().is_empty() {
            found |= Chain::new(module, function).is_some_and(|chain| chain.rewrite(options));
        }
    }
    found
}

/// A function that is rewritten.
struct Chain<'m, 'c> {
    module: &'m Module<'c>,
    function: Value<'c>,
    /// Its first block, which branches to where a warp goes on.
    enter: Block<'c>,
    variables: Vec<Value<'c>>,
    /// The other instructions of that block, but for its end, with their operands.
    entering: Vec<(Value<'c>, Vec<Value<'c>>)>,
    end: Value<'c>,
}

impl<'m, 'c> Chain<'m, 'c> {
    fn new(module: &'m Module<'c>, function: Value<'c>) -> Option<Self> {
        let blocks = function.blocks();
        let enter = *blocks.first()?;
        let is_variable = |it: &Value<'c>| it.opcode() == Opcode::LLVMAlloca;
        let later = blocks.iter().skip(1).flat_map(|block| block.instructions());
        if later.into_iter().any(|it| is_variable(&it)) {
            return None;
        }
        let end = enter.terminator().filter(|end| end.condition().is_some())?;
        let (variables, rest): (Vec<_>, Vec<_>) =
            enter.instructions().into_iter().filter(|it| *it != end).partition(is_variable);
        let entering: Vec<_> = rest.into_iter().map(|it| (it, it.operands())).collect();
        let is_repeatable = entering.iter().all(|(it, _)| is_repeatable(it.opcode()));
        let has_zero = end.opcode() == Opcode::LLVMSwitch
            && end.switch_cases().iter().any(|(place, _)| place.as_const_int() == Some(0));
        (is_repeatable && !has_zero).then_some(Self {
            module,
            function,
            enter,
            variables,
            entering,
            end,
        })
    }

    fn block(&self, name: &str) -> Block<'c> {
        self.module.append_block(self.function, name)
    }

    fn rewrite(&self, options: &Options) -> bool {
        let (module, cx) = (self.module, self.module.context());
        let mut ends = self.part_ends();
        let stretches = if options.jams { Stretch::all(self, options) } else { Vec::new() };
        let begin = homes::block_before(module, self.function, "begin");
        let b = cx.builder();
        b.position_at_end(begin);
        for &variable in &self.variables {
            variable.detach();
            b.insert(variable);
        }
        let (warp, round) = (self.function.parameter(WARP), self.function.parameter(ROUND));
        let [warp_home, next_home] = [(); 2].map(|()| b.alloca(cx.i32()));
        let leaves = |(value, _): &&(Value<'c>, _)| {
            value
                .users()
                .iter()
                .any(|user| user.parent() != self.enter || user.opcode() == Opcode::LLVMPHI)
        };
        let homes: Vec<_> = self
            .entering
            .iter()
            .filter(leaves)
            .map(|(value, _)| (*value, b.alloca(value.ty())))
            .collect();

        ends.extend(stretches.iter().map(|stretch| stretch.make(self, next_home)));
        let targets = self.targets(&ends);
        let done = self.block("done");
        for (&end, targets) in ends.iter().zip(&targets) {
            self.go_on(end, targets, done, [warp_home, next_home], &homes);
        }
        for &(value, home) in &homes {
            homes::move_to(module, value, home);
        }
        homes::take_from(module, warp, None, warp_home);

        b.position_at_end(begin);
        b.store(warp, warp_home, 4);
        b.store(word(&b, round, Word::Next), next_home, 4);
        b.br(self.enter);
        b.position_at_end(done);
        set_word(&b, round, Word::Next, cx.i32().const_int(0));
        b.ret_void();
        true
    }

    /// Gives each way to an end of the function a block of its own, which has no end yet.
    fn part_ends(&self) -> Vec<Block<'c>> {
        let mut found = Vec::new();
        let b = self.module.context().builder();
        for block in self.function.blocks() {
            let Some(end) = block.terminator().filter(|it| it.opcode() == Opcode::LLVMRet) else {
                continue;
            };
            if block == self.enter || block.instructions().first() != Some(&end) {
                end.erase();
                found.push(block);
                continue;
            }
            for from in self.function.blocks() {
                let Some(branch) = from.terminator() else { continue };
                for index in 0..branch.successor_count() {
                    if branch.successor(index) == block {
                        let own = self.block("waits");
                        branch.set_successor(index, own);
                        found.push(own);
                    }
                }
            }
            // Nothing comes here any more.
            b.position_before(end);
            b.unreachable();
            end.erase();
        }
        found
    }

    /// For each end of the function the successors of the first block, by number, from which control comes to it.
    fn targets(&self, ends: &[Block<'c>]) -> Vec<Vec<u32>> {
        let numbers: FxHashMap<_, _> =
            ends.iter().zip(0..).map(|(end, number)| (*end, number)).collect();
        let mut targets = vec![Vec::new(); ends.len()];
        for target in 0..self.end.successor_count() {
            let mut seen = FxHashSet::default();
            let mut work = vec![self.end.successor(target)];
            while let Some(block) = work.pop() {
                if !seen.insert(block) {
                    continue;
                }
                match numbers.get(&block) {
                    Some(number) => {
                        let found: &mut Vec<u32> = &mut targets[*number as usize];
                        found.push(target);
                    }
                    None => work.extend(block.successors()),
                }
            }
        }
        targets
    }

    /// Lets an end of the function go on with the next warp, if there is one.
    fn go_on(
        &self,
        end: Block<'c>,
        targets: &[u32],
        done: Block<'c>,
        [warp_home, next_home]: [Value<'c>; 2],
        homes: &[(Value<'c>, Value<'c>)],
    ) {
        let cx = self.module.context();
        let b = cx.builder();
        b.position_at_end(end);
        let next = b.load(cx.i32(), next_home, 4);
        let more = self.block("more");
        let none = b.icmp(IntPredicate::LLVMIntEQ, next, cx.i32().const_int(0));
        b.cond_br(none, done, more);

        b.position_at_end(more);
        let undefined_at_zero = cx.i1().const_int(1);
        let warp = b.intrinsic(self.module, "llvm.cttz", &[cx.i32()], &[next, undefined_at_zero]);
        b.store(warp, warp_home, 4);
        b.store(b.and(next, b.sub(next, cx.i32().const_int(1))), next_home, 4);
        if targets.is_empty() || targets.len() > MOST_TARGETS {
            b.br(self.enter);
            return;
        }
        let copies = self.enter_as(&b, warp);
        for (value, home) in homes {
            b.store(copies[value], *home, self.module.align_of(value.ty()));
        }
        self.branch(&b, more, targets, &copies);
    }

    /// Copies of the first block's values for a warp.
    fn enter_as(&self, b: &Builder<'c>, warp: Value<'c>) -> FxHashMap<Value<'c>, Value<'c>> {
        let mut copies = FxHashMap::from_iter([(self.function.parameter(WARP), warp)]);
        for (value, operands) in &self.entering {
            let operands: Vec<_> =
                operands.iter().map(|it| *copies.get(it).unwrap_or(it)).collect();
            copies.insert(*value, b.copy_with(*value, operands));
        }
        copies
    }

    /// The number for which the first block's switch goes to a target: where warps begin it is 0, for which there is no case.
    fn place(&self, target: u32) -> Value<'c> {
        match target {
            0 => self.end.operand(0).ty().const_int(0),
            _ => self.end.switch_cases()[target as usize - 1].0,
        }
    }

    /// The address of the number for which the first block knows where a warp goes on: its frame.
    fn frame(&self) -> Option<Value<'c>> {
        let mut place = self.end.condition()?;
        if place.is_instruction() && place.opcode() == Opcode::LLVMICmp {
            place = place.operand(0);
        }
        let is_load = place.is_instruction() && place.opcode() == Opcode::LLVMLoad;
        is_load.then(|| place.operand(0))
    }

    /// Whether a warp, for which there are copies of the first block's values, goes on at a target with a number.
    fn goes_to(
        &self,
        b: &Builder<'c>,
        target: u32,
        copies: &FxHashMap<Value<'c>, Value<'c>>,
    ) -> Value<'c> {
        let Some(condition) = self.end.condition() else { return b.context().i1().zero() };
        let condition = *copies.get(&condition).unwrap_or(&condition);
        match target {
            _ if self.end.opcode() == Opcode::LLVMSwitch => {
                b.icmp(IntPredicate::LLVMIntEQ, condition, self.place(target))
            }
            0 => condition,
            _ => b.not(condition),
        }
    }

    /// Ends a block as the first one does, but for all targets other than these ones goes through the first one.
    fn branch(
        &self,
        b: &Builder<'c>,
        from: Block<'c>,
        targets: &[u32],
        copies: &FxHashMap<Value<'c>, Value<'c>>,
    ) {
        let mapped = |value: Value<'c>| *copies.get(&value).unwrap_or(&value);
        let Some(condition) = self.end.condition().map(mapped) else { return };
        if self.end.opcode() == Opcode::LLVMSwitch {
            let cases: Vec<_> =
                targets.iter().map(|it| (self.place(*it), self.end.successor(*it))).collect();
            b.switch(condition, self.enter, &cases);
        } else {
            let [yes, no] = [0, 1].map(|target| match targets.contains(&target) {
                true => self.end.successor(target),
                false => self.enter,
            });
            b.cond_br(condition, yes, no);
        }
        for &target in targets {
            for phi in self.end.successor(target).phis() {
                let ways = phi.incoming();
                if let Some((value, _)) = ways.into_iter().find(|(_, way)| *way == self.enter) {
                    phi.add_incoming(&[(mapped(value), from)]);
                }
            }
        }
    }
}

/// What has no effect, so that it may be done again for another warp.
fn is_repeatable(opcode: Opcode) -> bool {
    matches!(
        opcode,
        Opcode::LLVMLoad
            | Opcode::LLVMGetElementPtr
            | Opcode::LLVMFreeze
            | Opcode::LLVMICmp
            | Opcode::LLVMAdd
            | Opcode::LLVMSub
            | Opcode::LLVMMul
            | Opcode::LLVMShl
            | Opcode::LLVMOr
            | Opcode::LLVMAnd
            | Opcode::LLVMZExt
            | Opcode::LLVMSExt
            | Opcode::LLVMTrunc
            | Opcode::LLVMPtrToInt
            | Opcode::LLVMIntToPtr
            | Opcode::LLVMSelect
    )
}
