//! Atomic read-modify-writes: one lane after the other, or all lanes in one where the address is uniform and
//! nobody asks for the old values.
//!
//! A block's warps take turns on one processor and only at calls of the runtime, so atomics on shared
//! memory are plain accesses.

use llvm_zluda::{AtomicRmwOp, IntPredicate, Type, Value};

use super::{Emitter, LANES, Lanes};
use crate::{Error, float_atomics};

/// The address space of shared memory.
const SHARED: u32 = 3;

impl<'c> Emitter<'_, 'c> {
    pub(super) fn atomic_rmw(&mut self, rmw: Value<'c>) -> Result<Lanes<'c>, Error> {
        let address = self.get(rmw.operand(0));
        let value = self.get(rmw.operand(1));
        let ty = self.lane_type(rmw.ty());
        let operation = rmw.rmw_operation();
        let shared = rmw.operand(0).ty().address_space() == SHARED;
        let (ordering, scope) = (rmw.ordering(), self.scope(rmw));
        if !rmw.has_uses()
            && let Lanes::Uniform(pointer) = address
            && let Some(total) = self.reduce(operation, &value, ty)
        {
            if shared {
                let align = self.module.align_of(ty);
                let old = self.b.load(ty, pointer, align);
                let new = self.combine(operation, old, total)?;
                self.b.store(new, pointer, align);
            } else {
                self.b.atomic_rmw(operation, pointer, total, ordering, scope);
            }
            return Ok(self.poison(rmw.ty()));
        }
        let addresses = self.spill(self.vector(&address));
        let values = self.spill(self.vector(&value));
        let results = self.stack(ty.vector(LANES), 32);
        let wanted = rmw.has_uses();
        self.for_each_lane(self.active_bits(), |this, lane| {
            let pointer = this.lane_of(addresses, this.cx.ptr(0), lane);
            let value = this.lane_of(values, ty, lane);
            let old = if shared {
                let align = this.module.align_of(ty);
                let old = this.b.load(ty, pointer, align);
                let new = this.combine(operation, old, value)?;
                this.b.store(new, pointer, align);
                old
            } else if float_atomics::concerns(operation, ty) {
                this.b.call(float_atomics::function(this.module, ty), &[pointer, value])
            } else {
                this.b.atomic_rmw(operation, pointer, value, ordering, scope)
            };
            if wanted {
                this.set_lane_of(results, old, lane);
            }
            Ok(())
        })?;
        Ok(self.reload(results, ty, wanted))
    }

    pub(super) fn cmpxchg(&mut self, cmpxchg: Value<'c>) -> Result<Lanes<'c>, Error> {
        let ty = self.lane_type(cmpxchg.operand(1).ty());
        let spilled = [0, 1, 2].map(|index| {
            let lanes = self.get(cmpxchg.operand(index));
            self.spill(self.vector(&lanes))
        });
        let orderings = cmpxchg.cmpxchg_orderings();
        let scope = self.scope(cmpxchg);
        let shared = cmpxchg.operand(0).ty().address_space() == SHARED;
        let i8_type = self.cx.i8();
        let olds = self.stack(ty.vector(LANES), 32);
        let taken = self.stack(i8_type.vector(LANES), 32);
        self.for_each_lane(self.active_bits(), |this, lane| {
            let pointer = this.lane_of(spilled[0], this.cx.ptr(0), lane);
            let compare = this.lane_of(spilled[1], ty, lane);
            let new = this.lane_of(spilled[2], ty, lane);
            let (old, equal) = if shared {
                let align = this.module.align_of(ty);
                let old = this.b.load(ty, pointer, align);
                let equal = this.b.icmp(IntPredicate::LLVMIntEQ, old, compare);
                let stored = this.b.select(equal, new, old);
                this.b.store(stored, pointer, align);
                (old, equal)
            } else {
                let pair = this.b.cmpxchg(pointer, compare, new, orderings, scope);
                (this.b.extract_value(pair, 0), this.b.extract_value(pair, 1))
            };
            this.set_lane_of(olds, old, lane);
            let equal = this.b.zext(equal, this.cx.i8());
            this.set_lane_of(taken, equal, lane);
            Ok(())
        })?;
        let old = self.reload(olds, ty, true);
        let taken = self.b.load(i8_type.vector(LANES), taken, 32);
        let taken = self.b.icmp(IntPredicate::LLVMIntNE, taken, i8_type.vector(LANES).zero());
        Ok(Lanes::Composite(vec![old, Lanes::Vector(taken)]))
    }

    fn scope(&self, atomic: Value<'c>) -> u32 {
        // x86 has one kind of locked instruction; the scopes of other targets mean nothing to its backend.
        let _ = atomic;
        self.cx.sync_scope("")
    }

    /// Writes a vector to the stack, so that a loop can read its lanes.
    pub(super) fn spill(&self, vector: Value<'c>) -> Value<'c> {
        let slot = self.stack(vector.ty(), 32);
        self.b.store(vector, slot, 32);
        slot
    }

    pub(super) fn lane_of(&self, spilled: Value<'c>, ty: Type<'c>, lane: Value<'c>) -> Value<'c> {
        let lane = self.b.zext(lane, self.cx.i64());
        let place = self.b.gep(ty, spilled, &[lane]);
        self.b.load(ty, place, self.module.align_of(ty))
    }

    pub(super) fn set_lane_of(&self, spilled: Value<'c>, value: Value<'c>, lane: Value<'c>) {
        let lane = self.b.zext(lane, self.cx.i64());
        let place = self.b.gep(value.ty(), spilled, &[lane]);
        self.b.store(value, place, self.module.align_of(value.ty()));
    }

    pub(super) fn reload(&self, slot: Value<'c>, ty: Type<'c>, wanted: bool) -> Lanes<'c> {
        if wanted {
            Lanes::Vector(self.b.load(ty.vector(LANES), slot, 32))
        } else {
            self.poison(ty)
        }
    }

    /// One value that stands for all active lanes, for the operations that allow it.
    fn reduce(&self, operation: AtomicRmwOp, value: &Lanes<'c>, ty: Type<'c>) -> Option<Value<'c>> {
        use AtomicRmwOp::*;
        if !ty.is_int() {
            return None;
        }
        let most = 1u64 << (ty.bits() - 1);
        let (name, identity) = match operation {
            LLVMAtomicRMWBinOpAdd | LLVMAtomicRMWBinOpSub => ("add", 0),
            LLVMAtomicRMWBinOpAnd => ("and", u64::MAX),
            LLVMAtomicRMWBinOpOr => ("or", 0),
            LLVMAtomicRMWBinOpXor => ("xor", 0),
            LLVMAtomicRMWBinOpMax => ("smax", most),
            LLVMAtomicRMWBinOpMin => ("smin", most - 1),
            LLVMAtomicRMWBinOpUMax => ("umax", 0),
            LLVMAtomicRMWBinOpUMin => ("umin", u64::MAX),
            _ => return None,
        };
        if let Lanes::Uniform(value) = value {
            match name {
                "add" => {
                    let count = self.b.intrinsic(
                        self.module,
                        "llvm.ctpop",
                        &[self.cx.i32()],
                        &[self.active_bits()],
                    );
                    let count = self.b.zext_or_trunc(count, ty);
                    return Some(self.b.mul(*value, count));
                }
                "xor" => {}
                _ => return Some(*value),
            }
        }
        Some(self.reduce_active(name, self.vector(value), identity, self.mask))
    }

    /// `llvm.vector.reduce.NAME` over the lanes of a mask; other lanes count as `identity`.
    pub(super) fn reduce_active(
        &self,
        name: &str,
        vector: Value<'c>,
        identity: u64,
        mask: Value<'c>,
    ) -> Value<'c> {
        let rest = self.splat(vector.ty().element().const_int(identity));
        let vector = self.b.select(mask, vector, rest);
        self.b.intrinsic(
            self.module,
            &format!("llvm.vector.reduce.{name}"),
            &[vector.ty()],
            &[vector],
        )
    }

    /// The operation of an atomic on plain values.
    fn combine(
        &self,
        operation: AtomicRmwOp,
        old: Value<'c>,
        value: Value<'c>,
    ) -> Result<Value<'c>, Error> {
        use AtomicRmwOp::*;
        let b = &self.b;
        let pick = |name: &str| b.intrinsic(self.module, name, &[old.ty()], &[old, value]);
        let one = || old.ty().const_int(1);
        Ok(match operation {
            LLVMAtomicRMWBinOpXchg => value,
            LLVMAtomicRMWBinOpAdd => b.add(old, value),
            LLVMAtomicRMWBinOpSub => b.sub(old, value),
            LLVMAtomicRMWBinOpAnd => b.and(old, value),
            LLVMAtomicRMWBinOpNand => b.not(b.and(old, value)),
            LLVMAtomicRMWBinOpOr => b.or(old, value),
            LLVMAtomicRMWBinOpXor => b.xor(old, value),
            LLVMAtomicRMWBinOpMax => pick("llvm.smax"),
            LLVMAtomicRMWBinOpMin => pick("llvm.smin"),
            LLVMAtomicRMWBinOpUMax => pick("llvm.umax"),
            LLVMAtomicRMWBinOpUMin => pick("llvm.umin"),
            LLVMAtomicRMWBinOpFAdd if float_atomics::concerns(operation, old.ty()) => {
                float_atomics::sum(b, true, old, value)
            }
            LLVMAtomicRMWBinOpFAdd => b.fadd(old, value),
            LLVMAtomicRMWBinOpFSub => b.fsub(old, value),
            LLVMAtomicRMWBinOpFMax => pick("llvm.maxnum"),
            LLVMAtomicRMWBinOpFMin => pick("llvm.minnum"),
            LLVMAtomicRMWBinOpUIncWrap => {
                let wraps = b.icmp(IntPredicate::LLVMIntUGE, old, value);
                b.select(wraps, old.ty().zero(), b.add(old, one()))
            }
            LLVMAtomicRMWBinOpUDecWrap => {
                let zero = b.icmp(IntPredicate::LLVMIntEQ, old, old.ty().zero());
                let above = b.icmp(IntPredicate::LLVMIntUGT, old, value);
                b.select(b.or(zero, above), value, b.sub(old, one()))
            }
            other => return Err(Error::Unsupported(format!("the atomic operation {other:?}"))),
        })
    }
}
