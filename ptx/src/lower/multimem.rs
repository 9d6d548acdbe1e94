//! Operations on memory that several devices hold copies of. There is one device, and one copy.

use llvm_zluda::AtomicOrdering;
use ptx_parser::isa::{
    MultimemLdReduce, MultimemRed, MultimemRedAsync, MultimemSt, MultimemStAsync,
};
use ptx_parser::{Address, AtomicOp, Operand, StateSpace, VectorSize};

use super::Lowered;
use super::function::FunctionLowering;
use super::operand::Width;

impl<'a> FunctionLowering<'_, '_, '_, 'a> {
    /// The reduction of a single value is the value.
    pub fn multimem_ld_reduce(&mut self, i: &MultimemLdReduce<'a>) -> Lowered {
        let targets = self.parts(&i.d, i.vec)?;
        let size = i.type_.size();
        for (index, target) in targets.iter().enumerate() {
            let pointer = self.pointer(&i.a, i.ss, index as u64 * u64::from(size))?;
            let value = self.builder.load(self.context.int(8 * size), pointer, size);
            value.set_ordering(AtomicOrdering::LLVMAtomicOrderingAcquire);
            value.set_sync_scope(self.scope(i.scope));
            self.write_extended(target, value, Some(false))?;
        }
        Ok(())
    }

    pub fn multimem_st(&mut self, i: &MultimemSt<'a>) -> Lowered {
        let sources = self.parts(&i.b, i.vec)?;
        let size = i.type_.size();
        for (index, source) in sources.iter().enumerate() {
            let value = self.read_width(source, i.type_, Width::AtLeast)?;
            let value = self.bits_of(value);
            let pointer = self.pointer(&i.a, i.ss, index as u64 * u64::from(size))?;
            let store = self.builder.store(value, pointer, size);
            store.set_ordering(AtomicOrdering::LLVMAtomicOrderingRelease);
            store.set_sync_scope(self.scope(i.scope));
        }
        Ok(())
    }

    /// Done when the instruction is.
    pub fn multimem_st_async(&mut self, i: &MultimemStAsync<'a>) -> Lowered {
        let value = self.read_width(&i.b, i.type_, Width::AtLeast)?;
        let value = self.bits_of(value);
        let pointer = self.pointer(&i.a, i.ss, 0)?;
        let store = self.builder.store(value, pointer, i.type_.size());
        store.set_ordering(AtomicOrdering::LLVMAtomicOrderingRelease);
        store.set_sync_scope(self.scope(Some(i.scope)));
        Ok(())
    }

    pub fn multimem_red_async(&mut self, i: &MultimemRedAsync<'a>) -> Lowered {
        self.reduce_one(AtomicOp::Add, i.type_, i.ss, &i.a, &i.b)
    }

    pub fn multimem_red(&mut self, i: &MultimemRed<'a>) -> Lowered {
        let sources = self.parts(&i.b, i.vec)?;
        let size = i64::from(i.type_.size());
        let space: Option<StateSpace> = i.ss;
        for (index, source) in sources.iter().enumerate() {
            let place = Address { offset: i.a.offset + index as i64 * size, ..i.a };
            self.reduce_one(i.op, i.type_, space, &place, source)?;
        }
        Ok(())
    }

    fn parts(
        &mut self,
        operand: &Operand<'a>,
        vector: Option<VectorSize>,
    ) -> Lowered<Vec<Operand<'a>>> {
        if vector.is_some() { self.elements(operand) } else { Ok(vec![operand.clone()]) }
    }
}
