//! Products that are fused into sums of other blocks, too.
//!
//! Where a factor needs no register, NVIDIA's compiler computes the product where it is used: constants, parameters of
//! kernels, and what lies at a known place of constant memory. That is what ptxas 13.0 makes of texts for sm_90. A loop
//! may be unrolled, and then a product in it is not fused into sums behind it; here none is.

use ptx_parser::isa::{Ld, Mov};
use ptx_parser::{Function, FunctionKind, GuardedInstruction, Instruction, Operand, StateSpace};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Product, Text};

/// The facts about a function as a whole.
#[derive(Default)]
pub(super) struct Facts<'a> {
    /// Parameters of a kernel.
    parameters: FxHashSet<&'a str>,
    /// Registers that an instruction reads addresses of constant memory from, or variables there.
    pub bases: FxHashSet<&'a str>,
    /// First and last instructions of what is between a label and a branch back to it.
    loops: Vec<(usize, usize)>,
    /// The same, where loops that overlap are one.
    cycles: Vec<(usize, usize)>,
}

impl<'a> Facts<'a> {
    /// The facts about a function, given its instructions and those behind labels.
    pub fn of(
        function: &Function<'a>,
        instructions: &[(&GuardedInstruction<'a>, usize)],
        labels: &FxHashMap<&'a str, usize>,
    ) -> Self {
        let mut facts = Facts::default();
        if function.kind == FunctionKind::Entry {
            facts.parameters = function.parameters.iter().map(|variable| variable.name).collect();
        }
        for (at, (guarded, _)) in instructions.iter().enumerate() {
            match &guarded.instruction {
                Instruction::Ld(Ld { ss: Some(StateSpace::Const), a, .. }) => {
                    facts.bases.extend(a.base);
                }
                Instruction::Bra(_) => guarded.instruction.names(|name, _| {
                    let back = labels.get(name).filter(|label| **label <= at);
                    facts.loops.extend(back.map(|label| (*label, at)));
                }),
                // To any label.
                Instruction::BrxIdx(_) => facts.loops.push((0, at)),
                _ => {}
            }
        }
        facts.cycles = joined(&facts.loops);
        facts
    }
}

fn joined(loops: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut loops = loops.to_vec();
    loops.sort_unstable();
    let mut cycles: Vec<(usize, usize)> = Vec::new();
    for (first, last) in loops {
        match cycles.last_mut() {
            Some(before) if first <= before.1 => before.1 = before.1.max(last),
            _ => cycles.push((first, last)),
        }
    }
    cycles
}

impl<'a> Text<'_, 'a> {
    /// The sums that take the product, wherever they are, if it costs nothing there and nothing else takes it.
    pub(super) fn uses_everywhere(&self, product: &Product<'_, 'a>) -> Option<Vec<usize>> {
        let factors = [&product.mul.a, &product.mul.b];
        let writes = |name: &str| self.writes.get(name).map_or(&[][..], Vec::as_slice);
        let stays = |factor: &Operand<'a>| match factor {
            Operand::Name(name) => matches!(
                writes(name),
                [write] if *write < product.at && self.comes_with(*write, product.at)
            ),
            factor => matches!(factor, Operand::Immediate(_)),
        };
        if writes(product.name).len() != 1
            || !factors.iter().all(|factor| stays(factor))
            || !factors.iter().any(|factor| self.is_free(factor))
        {
            return None;
        }
        let uses = self.reads.get(product.name)?;
        let are_near = |at: usize| {
            at > product.at
                && self.facts.loops.iter().all(|(first, last)| {
                    !(first..=last).contains(&&product.at) || (first..=last).contains(&&at)
                })
        };
        uses.iter().all(|at| are_near(*at) && self.fits(product, *at)).then(|| uses.clone())
    }

    /// Whether a product is computed again whenever its factor is. A loop that goes past the product has the one of an
    /// earlier round, and the factor of this one.
    fn comes_with(&self, factor: usize, product: usize) -> bool {
        let has_both = |&(first, last): &(usize, usize)| first <= factor && product <= last;
        self.block(factor) == self.block(product) || !self.facts.cycles.iter().any(has_both)
    }

    /// Whether the factor needs no register. It is written once, if at all.
    fn is_free(&self, factor: &Operand<'a>) -> bool {
        let Operand::Name(name) = factor else { return true };
        let Some(write) = self.writes.get(name).and_then(|writes| writes.first()) else {
            return false;
        };
        let (GuardedInstruction { guard: None, instruction, .. }, _) = self.instructions[*write]
        else {
            return false;
        };
        match instruction {
            Instruction::Mov(Mov { vec: None, a, .. }) => matches!(a, Operand::Immediate(_)),
            Instruction::Ld(Ld { ss: Some(StateSpace::Param), a, .. }) => {
                a.base.is_some_and(|base| self.facts.parameters.contains(base))
            }
            Instruction::Ld(Ld { ss: Some(StateSpace::Const), a, .. }) => {
                a.base.is_some_and(|base| !self.writes.contains_key(base))
            }
            _ => false,
        }
    }
}
