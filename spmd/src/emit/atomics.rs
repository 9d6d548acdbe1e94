//! Atomic read-modify-writes: one lane after the other, or all lanes in one where the address is uniform and
//! nobody asks for the old values.
//!
//! A block's warps take turns on one processor and only at calls of the runtime, so atomics on shared
//! memory are plain accesses.

use llvm_zluda::{AtomicRmwOp, Builder, IntPredicate, Module, Type, Value};

use super::lane_by_lane::Lane;
use super::{Emitter, LANES, Lanes};
use crate::runtime_helpers::Pace;
use crate::{Error, float_atomics};

/// The address space of shared memory.
const SHARED: u32 = 3;

impl<'c> Emitter<'_, 'c> {
    /// Makes an `atomicrmw`. The result is what each lane found in memory, or poison where no code uses it.
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
                let new = combine(&self.b, self.module, operation, old, total)?;
                self.b.store(new, pointer, align);
            } else {
                self.b.atomic_rmw(operation, pointer, total, ordering, scope);
            }
            return Ok(self.poison(rmw.ty()));
        }
        let results = if rmw.has_uses() { vec![ty] } else { Vec::new() };
        if shared {
            let made = self.shared_rmw(operation, &address, &value, ty, &results)?;
            return Ok(made.map_or_else(|| self.poison(rmw.ty()), Lanes::Vector));
        }
        let vectors = [self.vector(&address), self.vector(&value)];
        let module = self.module;
        let name = format!("atomic{}.{}", operation as u32, ordering as u32);
        let made = self.lane_by_lane(&name, &[], &vectors, &results, &|lane: &Lane<'_, 'c>| {
            let (b, pointer, value) = (lane.b, lane.elements[0], lane.elements[1]);
            let old = if float_atomics::concerns(operation, ty) {
                b.call(float_atomics::function(module, ty), &[pointer, value])
            } else {
                b.atomic_rmw(operation, pointer, value, ordering, scope)
            };
            Ok(results.iter().map(|_| old).collect())
        })?;
        Ok(match made.first() {
            Some(old) => Lanes::Vector(*old),
            None => self.poison(rmw.ty()),
        })
    }

    /// An `atomicrmw` on shared memory, one lane after the other; what each found there, if `results` has its type. A load, the
    /// operation and a store are little: so the loop is none for a whole warp, addresses are stored as 32 bits, and a value that
    /// all lanes have is not stored at all.
    fn shared_rmw(
        &mut self,
        operation: AtomicRmwOp,
        address: &Lanes<'c>,
        value: &Lanes<'c>,
        ty: Type<'c>,
        results: &[Type<'c>],
    ) -> Result<Option<Value<'c>>, Error> {
        let pointers = self.vector(address);
        let narrow = self.narrow_addresses(pointers);
        let places = narrow.unwrap_or(pointers);
        let (mut uniform, mut vectors) = (Vec::new(), vec![places]);
        match value {
            Lanes::Uniform(value) => uniform.push(*value),
            _ => vectors.push(self.vector(value)),
        }
        let kind = if uniform.is_empty() { "each" } else { "one" };
        let (module, i64_type) = (self.module, self.cx.i64());
        let name = format!("shared{}.{kind}.{}", operation as u32, ty.print());
        let made =
            self.for_lanes(&name, Pace::AllAtOnce, &uniform, &vectors, results, &|lane| {
                let (b, place) = (lane.b, lane.elements[0]);
                let value = lane.uniform.first().copied().unwrap_or_else(|| lane.elements[1]);
                let pointer = if narrow.is_some() {
                    b.int_to_ptr(b.zext(place, i64_type), b.context().ptr(0))
                } else {
                    place
                };
                let align = module.align_of(ty);
                let old = b.load(ty, pointer, align);
                b.store(combine(b, module, operation, old, value)?, pointer, align);
                Ok(results.iter().map(|_| old).collect())
            })?;
        Ok(made.first().copied())
    }

    /// Makes a `cmpxchg`. The result is what each lane found in memory, and whether it stored.
    pub(super) fn cmpxchg(&mut self, cmpxchg: Value<'c>) -> Result<Lanes<'c>, Error> {
        let ty = self.lane_type(cmpxchg.operand(1).ty());
        let vectors = self.vectors(&[0, 1, 2].map(|index| cmpxchg.operand(index)));
        let orderings = cmpxchg.cmpxchg_orderings();
        let scope = self.scope(cmpxchg);
        let shared = cmpxchg.operand(0).ty().address_space() == SHARED;
        let (module, i8_type) = (self.module, self.cx.i8());
        let name = format!("cmpxchg{}.{}.{shared}", orderings.0 as u32, orderings.1 as u32);
        let results = [ty, i8_type];
        let made = self.lane_by_lane(&name, &[], &vectors, &results, &|lane: &Lane<'_, 'c>| {
            let b = lane.b;
            let [pointer, compare, new] = [0, 1, 2].map(|index| lane.elements[index]);
            let (old, equal) = if shared {
                let align = module.align_of(ty);
                let old = b.load(ty, pointer, align);
                let equal = b.icmp(IntPredicate::LLVMIntEQ, old, compare);
                b.store(b.select(equal, new, old), pointer, align);
                (old, equal)
            } else {
                let pair = b.cmpxchg(pointer, compare, new, orderings, scope);
                (b.extract_value(pair, 0), b.extract_value(pair, 1))
            };
            Ok(vec![old, b.zext(equal, i8_type)])
        })?;
        let zero = i8_type.vector(LANES).zero();
        let taken = self.b.icmp(IntPredicate::LLVMIntNE, made[1], zero);
        Ok(Lanes::Composite(vec![Lanes::Vector(made[0]), Lanes::Vector(taken)]))
    }

    fn scope(&self, atomic: Value<'c>) -> u32 {
        // x86 has one kind of locked instruction; the scopes of other targets mean nothing to its backend.
        let _ = atomic;
        self.cx.sync_scope("")
    }

    /// One value that stands for all active lanes, for the operations that allow it.
    fn reduce(&self, operation: AtomicRmwOp, value: &Lanes<'c>, ty: Type<'c>) -> Option<Value<'c>> {
        use AtomicRmwOp::*;
        if !ty.is_int() || ty.bits() > 64 {
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
}

/// The operation of an atomic on plain values.
fn combine<'c>(
    b: &Builder<'c>,
    module: &Module<'c>,
    operation: AtomicRmwOp,
    old: Value<'c>,
    value: Value<'c>,
) -> Result<Value<'c>, Error> {
    use AtomicRmwOp::*;
    let pick = |name: &str| b.intrinsic(module, name, &[old.ty()], &[old, value]);
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
