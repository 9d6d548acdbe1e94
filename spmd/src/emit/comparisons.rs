//! Tests of scalars for branches by a comparison of an index that grows with the lanes: whether all lanes go a way, or none.

use llvm_zluda::{IntPredicate, Opcode, Value};
use simt::analysis::level::Node;

use super::{Emitter, LANES, Lanes};

/// A comparison by which lanes come to a node: of `first + lane * stride` with a limit that is the same for all.
struct Comparison<'c> {
    predicate: IntPredicate,
    first: Value<'c>,
    stride: u64,
    limit: Value<'c>,
    /// The lanes that compare.
    mask: Value<'c>,
}

impl<'c> Emitter<'_, 'c> {
    /// The comparison by which lanes come to a node from the block before, if they come from nowhere else.
    fn comparison_before(
        &mut self,
        top: usize,
        level: usize,
        node: usize,
    ) -> Option<Comparison<'c>> {
        let dominator = self.levels.levels[level].dominator[node];
        let nodes = &self.levels.levels[level].nodes;
        let (Node::Block(to), Node::Block(from)) = (nodes[node], nodes[dominator]) else {
            return None;
        };
        if self.cfg.predecessors[to] != [from] {
            return None;
        }
        let (to, from) = (self.cfg.blocks[to], self.cfg.blocks[from]);
        let branch = from.terminator()?;
        let condition = branch.condition()?;
        if branch.opcode() != Opcode::LLVMBr
            || branch.successor(0) == branch.successor(1)
            || !condition.is_instruction()
            || condition.opcode() != Opcode::LLVMICmp
        {
            return None;
        }
        let (mask, _) = self.open[top].masks[dominator]?;
        let predicate = condition.int_predicate();
        let predicate = if branch.successor(0) == to { predicate } else { inverse(predicate) };
        let [left, right] = [0, 1].map(|index| self.get(condition.operand(index)));
        let (index, limit, predicate) = match (left, right) {
            (index @ Lanes::Strided { .. }, Lanes::Uniform(limit)) => (index, limit, predicate),
            (Lanes::Uniform(limit), index @ Lanes::Strided { .. }) => {
                (index, limit, swapped(predicate))
            }
            _ => return None,
        };
        let Lanes::Strided { base: first, stride: stride @ 1..=64, vector: None } = index else {
            return None;
        };
        let is_wide = first.ty().is_int() && first.ty().bits() >= 32;
        let stride = stride as u64;
        is_wide.then_some(Comparison { predicate, first, stride, limit, mask })
    }

    /// The index of the last lane, and whether that is not past what its type holds, as the comparison sees it.
    fn last(&self, it: &Comparison<'c>) -> Option<(Value<'c>, Value<'c>)> {
        use IntPredicate::*;
        let not_less = match it.predicate {
            LLVMIntSLT | LLVMIntSLE | LLVMIntSGT | LLVMIntSGE => LLVMIntSGE,
            LLVMIntULT | LLVMIntULE | LLVMIntUGT | LLVMIntUGE => LLVMIntUGE,
            _ => return None,
        };
        let further = it.first.ty().const_int(it.stride * u64::from(LANES - 1));
        let last = self.b.add(it.first, further);
        Some((last, self.b.icmp(not_less, last, it.first)))
    }

    /// A test of scalars that says that all lanes come to the node, for the usual `if (index < count)`: an
    /// index that grows with the lanes passes a comparison for all lanes where it does for the first and the
    /// last one. Vectors are then compared only in the few warps that stand across the end.
    pub(super) fn quick_whole_test(
        &mut self,
        top: usize,
        level: usize,
        node: usize,
    ) -> Option<Value<'c>> {
        let it = self.comparison_before(top, level, node)?;
        let (last, no_wrap) = self.last(&it)?;
        let b = &self.b;
        let compare = |lane| b.icmp(it.predicate, lane, it.limit);
        let passes = b.and(b.and(compare(it.first), compare(last)), no_wrap);
        let ones = self.cx.i32().all_ones();
        let full = b.icmp(IntPredicate::LLVMIntEQ, self.bits(it.mask), ones);
        let none = self.cx.i1().const_int(0);
        Some(b.freeze(b.select(full, passes, none)))
    }

    /// A test of scalars that says that no lane comes to the node, whichever lanes compare: the least or the greatest index
    /// does not pass, or the number that is asked for is not among them.
    pub(super) fn quick_none_test(
        &mut self,
        top: usize,
        level: usize,
        node: usize,
    ) -> Option<Value<'c>> {
        use IntPredicate::*;
        let it = self.comparison_before(top, level, node)?;
        let b = &self.b;
        if it.predicate == LLVMIntEQ {
            let furthest = it.first.ty().const_int(it.stride * u64::from(LANES - 1));
            let none = b.icmp(LLVMIntUGT, b.sub(it.limit, it.first), furthest);
            return Some(b.freeze(none));
        }
        let (last, no_wrap) = self.last(&it)?;
        let nearest = match it.predicate {
            LLVMIntSLT | LLVMIntSLE | LLVMIntULT | LLVMIntULE => it.first,
            _ => last,
        };
        let fails = b.icmp(inverse(it.predicate), nearest, it.limit);
        Some(b.freeze(b.and(fails, no_wrap)))
    }
}

/// The comparison that holds where one does not.
fn inverse(predicate: IntPredicate) -> IntPredicate {
    use IntPredicate::*;
    match predicate {
        LLVMIntEQ => LLVMIntNE,
        LLVMIntNE => LLVMIntEQ,
        LLVMIntSLT => LLVMIntSGE,
        LLVMIntSLE => LLVMIntSGT,
        LLVMIntSGT => LLVMIntSLE,
        LLVMIntSGE => LLVMIntSLT,
        LLVMIntULT => LLVMIntUGE,
        LLVMIntULE => LLVMIntUGT,
        LLVMIntUGT => LLVMIntULE,
        LLVMIntUGE => LLVMIntULT,
    }
}

/// The comparison of the same numbers in the other order.
fn swapped(predicate: IntPredicate) -> IntPredicate {
    use IntPredicate::*;
    match predicate {
        LLVMIntEQ => LLVMIntEQ,
        LLVMIntNE => LLVMIntNE,
        LLVMIntSLT => LLVMIntSGT,
        LLVMIntSLE => LLVMIntSGE,
        LLVMIntSGT => LLVMIntSLT,
        LLVMIntSGE => LLVMIntSLE,
        LLVMIntULT => LLVMIntUGT,
        LLVMIntULE => LLVMIntUGE,
        LLVMIntUGT => LLVMIntULT,
        LLVMIntUGE => LLVMIntULE,
    }
}
