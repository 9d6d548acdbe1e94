//! Sums of bytes that are only compared, in bytes.
//!
//! Input: vector code after its last optimisation. Output: the same code; where a sum of bytes in 32 bits is only compared
//! with constants that tell no larger sums from 255, as in `left + right + above + below == 3`, it is one of bytes that
//! saturates: a quarter of the registers, and half of what sums in 16 bits take.
//! Why here: before sums become ones of 16 bits, and after LLVM's passes, which shape comparisons.

use llvm_zluda::{Builder, IntPredicate, Module, Opcode, Value};
use rustc_hash::FxHashSet;

use super::narrow_arithmetic::{is_word, without_sign};
use super::strip_mine_arithmetic::repeated_constant;
use crate::emit::LANES;

/// The greatest sum of bytes.
const MOST: u64 = u8::MAX as u64;
/// Sums of more terms than this are not looked at.
const MOST_TERMS: usize = 64;

/// Rewrites the comparisons of a module.
pub fn run(module: &Module<'_>) {
    for function in module.functions().into_iter().filter(|function| !function.is_declaration()) {
        let instructions = function.blocks().into_iter().flat_map(|block| block.instructions());
        let sums: Vec<_> = instructions.filter(|&it| is_sum(it)).filter_map(Sum::of).collect();
        for sum in sums {
            sum.rewrite(module);
        }
    }
}

/// A sum of bytes that nothing but comparisons uses.
struct Sum<'c> {
    root: Value<'c>,
    /// The sums of parts and the whole one.
    parts: Vec<Value<'c>>,
    comparisons: Vec<Comparison<'c>>,
}

/// `(sum & mask) <predicate> limit`.
struct Comparison<'c> {
    compares: Value<'c>,
    /// The conjunction, if there is one, and its mask.
    masks: Option<(Value<'c>, u64)>,
    limit: u64,
}

impl<'c> Sum<'c> {
    fn of(root: Value<'c>) -> Option<Self> {
        let users: FxHashSet<_> = root.users().into_iter().collect();
        if !users.iter().all(|it| matches!(it.opcode(), Opcode::LLVMICmp | Opcode::LLVMAnd)) {
            return None;
        }
        let (mut parts, mut terms) = (Vec::new(), 0);
        let mut work = vec![root];
        while let Some(value) = work.pop() {
            if is_byte(value) {
                terms += 1;
            } else if is_sum(value) && (value == root || value.users().len() == 1) {
                parts.push(value);
                work.extend([value.operand(0), value.operand(1)]);
            } else {
                return None;
            }
            if terms > MOST_TERMS {
                return None;
            }
        }
        let mut comparisons = Vec::new();
        for user in users {
            if user.opcode() != Opcode::LLVMAnd {
                comparisons.push(Comparison::of(user, root, None)?);
                continue;
            }
            let mask = constant(user.operand(1))?;
            for compares in user.users().into_iter().collect::<FxHashSet<_>>() {
                comparisons.push(Comparison::of(compares, user, Some((user, mask)))?);
            }
        }
        let greatest = terms as u64 * MOST;
        let is_told = |it: &Comparison<'c>| {
            let saturated = it.holds_for(MOST);
            (MOST..=greatest).all(|sum| it.holds_for(sum) == saturated)
        };
        let is_worth = !comparisons.is_empty() && comparisons.iter().all(is_told);
        is_worth.then_some(Self { root, parts, comparisons })
    }

    fn rewrite(&self, module: &Module<'c>) {
        let b = module.context().builder();
        b.position_before(self.root);
        let sum = in_bytes(module, &b, self.root);
        let byte = sum.ty().element();
        let splat = |number: u64| b.splat(byte.const_int(number), LANES);
        for it in &self.comparisons {
            b.position_before(it.compares);
            let masked = it.masks.map_or(sum, |(_, mask)| b.and(sum, splat(mask & MOST)));
            let compares = b.icmp(it.predicate(), masked, splat(it.limit));
            it.compares.replace_all_uses_with(compares);
            it.compares.erase();
        }
        let conjunctions = self.comparisons.iter().filter_map(|it| Some(it.masks?.0));
        for conjunction in conjunctions.collect::<FxHashSet<_>>() {
            conjunction.erase();
        }
        // The whole one is the first.
        for part in &self.parts {
            let terms = part.operands();
            part.erase();
            for term in terms.into_iter().collect::<FxHashSet<_>>() {
                if is_byte(term) && !term.has_uses() {
                    term.erase();
                }
            }
        }
    }
}

impl<'c> Comparison<'c> {
    fn of(compares: Value<'c>, value: Value<'c>, masks: Option<(Value<'c>, u64)>) -> Option<Self> {
        let is_one = compares.opcode() == Opcode::LLVMICmp && compares.operand(0) == value;
        let limit = constant(compares.operand(1)).filter(|_| is_one)?;
        // Neither it nor a sum has a sign.
        (limit <= MOST).then_some(Self { compares, masks, limit })
    }

    fn predicate(&self) -> IntPredicate {
        without_sign(self.compares.int_predicate())
    }

    fn holds_for(&self, sum: u64) -> bool {
        use IntPredicate::*;
        let number = self.masks.map_or(sum, |(_, mask)| sum & mask);
        match self.predicate() {
            LLVMIntEQ => number == self.limit,
            LLVMIntNE => number != self.limit,
            LLVMIntULT => number < self.limit,
            LLVMIntULE => number <= self.limit,
            LLVMIntUGT => number > self.limit,
            _ => number >= self.limit,
        }
    }
}

fn is_sum(value: Value<'_>) -> bool {
    value.is_instruction() && value.opcode() == Opcode::LLVMAdd && is_word(value.ty())
}

/// A byte that is made a word.
fn is_byte(value: Value<'_>) -> bool {
    value.is_instruction()
        && value.opcode() == Opcode::LLVMZExt
        && is_word(value.ty())
        && value.operand(0).ty().element().bits() == 8
}

fn constant(value: Value<'_>) -> Option<u64> {
    repeated_constant(value)?.as_const_int()
}

/// A sum, or a term of one, in bytes.
fn in_bytes<'c>(module: &Module<'c>, b: &Builder<'c>, value: Value<'c>) -> Value<'c> {
    if is_byte(value) {
        return value.operand(0);
    }
    let terms = [0, 1].map(|index| in_bytes(module, b, value.operand(index)));
    b.intrinsic(module, "llvm.uadd.sat", &[terms[0].ty()], &terms)
}
