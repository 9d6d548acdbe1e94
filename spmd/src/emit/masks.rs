//! Masks: which lanes run.
//!
//! A mask is `<32 x i1>`. Conditions of lanes that do not run may be poison, so masks meet conditions in
//! `select`, never in `and`.

use llvm_zluda::{IntPredicate, Value};

use super::{Emitter, LANES};

impl<'c> Emitter<'_, 'c> {
    /// The mask without a lane.
    pub(super) fn empty_mask(&self) -> Value<'c> {
        self.cx.i1().vector(LANES).zero()
    }

    /// The lanes of `mask` where `condition` holds.
    pub(super) fn mask_and(&self, mask: Value<'c>, condition: Value<'c>) -> Value<'c> {
        self.b.select(mask, condition, self.empty_mask())
    }

    /// The lanes of `mask` where `condition` does not hold.
    pub(super) fn mask_and_not(&self, mask: Value<'c>, condition: Value<'c>) -> Value<'c> {
        let negated = self.b.not(condition);
        self.b.select(mask, negated, self.empty_mask())
    }

    /// A bit a lane.
    pub(super) fn bits(&self, mask: Value<'c>) -> Value<'c> {
        self.b.bitcast(mask, self.cx.i32())
    }

    /// The mask of a word that has a bit for each lane.
    pub(super) fn mask_of_bits(&self, bits: Value<'c>) -> Value<'c> {
        self.b.bitcast(bits, self.cx.i1().vector(LANES))
    }

    /// The lanes that run the code being made, a bit for each.
    pub(super) fn active_bits(&self) -> Value<'c> {
        self.bits(self.mask)
    }

    /// An `i1`: whether the mask has a lane.
    pub(super) fn any(&self, mask: Value<'c>) -> Value<'c> {
        let bits = self.bits(mask);
        self.b.icmp(IntPredicate::LLVMIntNE, bits, self.cx.i32().const_int(0))
    }

    /// The lanes of a condition that are active and true, as bits.
    pub(super) fn active_where(&self, condition: Value<'c>) -> Value<'c> {
        let mask = self.mask_and(self.mask, condition);
        self.bits(mask)
    }
}
