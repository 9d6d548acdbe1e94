//! Atomic operations and fences.

use llvm_zluda::{AtomicOrdering, AtomicRmwOp, Value};
use ptx_parser::isa::{Atom, Fence, Membar, Red};
use ptx_parser::{Address, AtomicOp, Operand, ScalarType, Semantics, StateSpace, VectorSize};
use simt::space;

use super::Lowered;
use super::function::{FunctionLowering, word};
use super::packed::element;

/// The operation and operands that `atom` and `red` have in common.
struct Change<'i, 'a> {
    op: AtomicOp,
    type_: ScalarType,
    vec: Option<VectorSize>,
    space: Option<StateSpace>,
    ordering: AtomicOrdering,
    scope: u32,
    a: &'i Address<'a>,
    b: &'i Operand<'a>,
    c: Option<&'i Operand<'a>>,
}

impl<'c, 'a> FunctionLowering<'_, '_, 'c, 'a> {
    pub fn atom(&mut self, i: &Atom<'a>) -> Lowered {
        let change = Change {
            op: i.op,
            type_: i.type_,
            vec: i.vec,
            space: i.space,
            ordering: self.ordering(i.sem)?,
            scope: self.scope(i.scope),
            a: &i.a,
            b: &i.b,
            c: i.c.as_ref(),
        };
        let old = self.change(&change)?;
        if change.vec.is_none() {
            return old.into_iter().try_for_each(|value| self.write(&i.d, value));
        }
        let targets = self.elements(&i.d)?;
        targets.iter().zip(old).try_for_each(|(target, value)| self.write(target, value))
    }

    pub fn red(&mut self, i: &Red<'a>) -> Lowered {
        let change = Change {
            op: i.op,
            type_: i.type_,
            vec: i.vec,
            space: i.space,
            ordering: self.ordering(i.sem)?,
            scope: self.scope(i.scope),
            a: &i.a,
            b: &i.b,
            c: None,
        };
        self.change(&change).map(|_| ())
    }

    /// One relaxed reduction.
    pub fn reduce_one(
        &mut self,
        op: AtomicOp,
        type_: ScalarType,
        space: Option<StateSpace>,
        a: &Address<'a>,
        b: &Operand<'a>,
    ) -> Lowered {
        let ordering = AtomicOrdering::LLVMAtomicOrderingMonotonic;
        let scope = self.scope(None);
        let change = Change { op, type_, vec: None, space, ordering, scope, a, b, c: None };
        self.change(&change).map(drop)
    }

    fn ordering(&self, semantics: Option<Semantics>) -> Lowered<AtomicOrdering> {
        use AtomicOrdering::*;
        Ok(match semantics {
            None | Some(Semantics::Relaxed) => LLVMAtomicOrderingMonotonic,
            Some(Semantics::Acquire) => LLVMAtomicOrderingAcquire,
            Some(Semantics::Release) => LLVMAtomicOrderingRelease,
            Some(Semantics::AcqRel) => LLVMAtomicOrderingAcquireRelease,
            Some(other) => {
                return Err(self.invalid(format!("`.{}` on an atomic operation", word(other))));
            }
        })
    }

    /// The old values; one, or one an element.
    fn change(&mut self, change: &Change<'_, 'a>) -> Lowered<Vec<Value<'c>>> {
        let sources =
            if change.vec.is_some() { self.elements(change.b)? } else { vec![change.b.clone()] };
        let size = u64::from(change.type_.size());
        self.check_alignment(change.a, change.space, sources.len() as u64 * size)?;
        let mut old = Vec::with_capacity(sources.len());
        for (index, source) in sources.iter().enumerate() {
            let b = self.read(source, change.type_)?;
            let pointer = self.pointer(change.a, change.space, index as u64 * size)?;
            old.push(self.change_one(change, pointer, b)?);
        }
        Ok(old)
    }

    fn change_one(
        &mut self,
        change: &Change<'_, 'a>,
        pointer: Value<'c>,
        b: Value<'c>,
    ) -> Lowered<Value<'c>> {
        use AtomicRmwOp::*;
        let type_ = change.type_;
        if change.op == AtomicOp::Cas {
            let Some(c) = change.c else { return Err(self.invalid("`cas` takes two values")) };
            let new = self.read(c, type_)?;
            return Ok(self.compare_exchange(pointer, b, new, change.ordering, change.scope));
        }
        if change.c.is_some() {
            return Err(self.unsupported("an atomic operation on two values other than `cas`"));
        }
        let narrow =
            element(type_).is_some() || matches!(type_, ScalarType::F16 | ScalarType::Bf16);
        if narrow || (type_.is_float() && change.op != AtomicOp::Add && change.op != AtomicOp::Exch)
        {
            return self.change_by_exchange(change, pointer, b);
        }
        let signed = type_.is_signed();
        let operation = match change.op {
            AtomicOp::And => LLVMAtomicRMWBinOpAnd,
            AtomicOp::Or => LLVMAtomicRMWBinOpOr,
            AtomicOp::Xor => LLVMAtomicRMWBinOpXor,
            AtomicOp::Exch => LLVMAtomicRMWBinOpXchg,
            AtomicOp::Add if type_.is_float() => LLVMAtomicRMWBinOpFAdd,
            AtomicOp::Add => LLVMAtomicRMWBinOpAdd,
            AtomicOp::Inc => LLVMAtomicRMWBinOpUIncWrap,
            AtomicOp::Dec => LLVMAtomicRMWBinOpUDecWrap,
            AtomicOp::Min if signed => LLVMAtomicRMWBinOpMin,
            AtomicOp::Min => LLVMAtomicRMWBinOpUMin,
            AtomicOp::Max if signed => LLVMAtomicRMWBinOpMax,
            AtomicOp::Max => LLVMAtomicRMWBinOpUMax,
            AtomicOp::Cas => return Err(self.invalid("`cas` takes two values")),
        };
        let old = self.builder.atomic_rmw(operation, pointer, b, change.ordering, change.scope);
        self.is_not_local(old, pointer);
        Ok(old)
    }

    /// One compare-and-exchange; the old value.
    fn compare_exchange(
        &self,
        pointer: Value<'c>,
        compare: Value<'c>,
        new: Value<'c>,
        ordering: AtomicOrdering,
        scope: u32,
    ) -> Value<'c> {
        let failure = match ordering {
            AtomicOrdering::LLVMAtomicOrderingMonotonic
            | AtomicOrdering::LLVMAtomicOrderingRelease => {
                AtomicOrdering::LLVMAtomicOrderingMonotonic
            }
            _ => AtomicOrdering::LLVMAtomicOrderingAcquire,
        };
        let both = self.builder.cmpxchg(pointer, compare, new, (ordering, failure), scope);
        self.is_not_local(both, pointer);
        self.builder.extract_value(both, 0)
    }

    /// Atomic operations are on global and shared memory only, which spares AMD GPUs to ask.
    fn is_not_local(&self, access: Value<'c>, pointer: Value<'c>) {
        if self.module.is_amdgcn && pointer.ty() == self.generic_pointer() {
            access.exclude_address_spaces(self.context, space::LOCAL, space::LOCAL + 1);
        }
    }

    /// Operations that no target has: a loop around compare-and-exchange.
    fn change_by_exchange(
        &mut self,
        change: &Change<'_, 'a>,
        pointer: Value<'c>,
        b: Value<'c>,
    ) -> Lowered<Value<'c>> {
        let type_ = change.type_;
        let ty = self.context.int(type_.bits());
        let before = self.builder.block();
        // A wrong first guess costs one round.
        let first = self.builder.load(ty, pointer, type_.size());
        first.set_ordering(AtomicOrdering::LLVMAtomicOrderingMonotonic);
        first.set_sync_scope(change.scope);
        let (again, done) = (self.new_block("atomic"), self.new_block("changed"));
        self.builder.br(again);
        self.builder.position_at_end(again);
        let seen = self.builder.phi(ty);
        let new = match element(type_) {
            None => {
                let old = self.builder.bitcast(seen, self.ty(type_));
                self.combine(change.op, type_, old, b)?
            }
            Some(element) => {
                let old = self.split(seen, element);
                let with = self.split(b, element);
                let low = self.combine(change.op, element, old[0], with[0])?;
                let high = self.combine(change.op, element, old[1], with[1])?;
                self.join(low, high)
            }
        };
        let new = self.bits_of(new);
        let found = self.compare_exchange(pointer, seen, new, change.ordering, change.scope);
        let success = self.eq(found, seen);
        let end = self.builder.block();
        seen.add_incoming(&[(first, before), (found, end)]);
        self.builder.cond_br(success, done, again);
        self.builder.position_at_end(done);
        Ok(self.builder.bitcast(seen, self.ty(type_)))
    }

    fn combine(
        &self,
        op: AtomicOp,
        type_: ScalarType,
        old: Value<'c>,
        b: Value<'c>,
    ) -> Lowered<Value<'c>> {
        let [x, y] = [old, b].map(|value| self.widened(value, type_));
        let result = match op {
            AtomicOp::Add => self.builder.fadd(x, y),
            AtomicOp::Min => self.llvm("llvm.minimumnum", x.ty(), &[x, y]),
            AtomicOp::Max => self.llvm("llvm.maximumnum", x.ty(), &[x, y]),
            other => return Err(self.invalid(format!("`.{}` of `.{}`", word(other), word(type_)))),
        };
        match type_ {
            ScalarType::F16 => {
                let half = self.builder.fptrunc(result, self.context.half());
                Ok(self.canonical(half, type_))
            }
            ScalarType::Bf16 => Ok(self.f32_to_bf16(result, None)),
            _ => Ok(result),
        }
    }

    pub fn fence(&mut self, i: &Fence<'a>) -> Lowered {
        use AtomicOrdering::*;
        if i.proxykind.is_some() {
            // There is one way to memory here.
            let order = LLVMAtomicOrderingAcquireRelease;
            self.builder.fence(order, self.scope(None));
            return Ok(());
        }
        let order = match i.sem {
            Some(Semantics::Sc) => LLVMAtomicOrderingSequentiallyConsistent,
            Some(Semantics::Acquire) => LLVMAtomicOrderingAcquire,
            Some(Semantics::Release) => LLVMAtomicOrderingRelease,
            _ => LLVMAtomicOrderingAcquireRelease,
        };
        self.builder.fence(order, self.scope(i.scope));
        Ok(())
    }

    pub fn membar(&mut self, i: &Membar) -> Lowered {
        let scope = self.scope(i.level);
        self.builder.fence(AtomicOrdering::LLVMAtomicOrderingSequentiallyConsistent, scope);
        Ok(())
    }
}
