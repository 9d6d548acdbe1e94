//! Copies and reductions of blocks of bytes, and stores that an mbarrier tracks. All are finished when
//! the instruction is, so that groups and waits for them have nothing to do.

use llvm_zluda::Value;
use ptx_parser::isa::{
    CpAsyncBulk, CpReduceAsyncBulk, MultimemCpAsyncBulk, MultimemCpReduceAsyncBulk, RedAsync,
    StAsync, StBulk,
};
use ptx_parser::{Address, AtomicOp, Operand, ScalarType, StateSpace};
use simt_abi::Reduction;

use super::Lowered;
use super::alignment::ROW;
use super::function::{FunctionLowering, word};

impl<'c, 'a> FunctionLowering<'_, '_, 'c, 'a> {
    pub fn cp_async_bulk(&mut self, i: &CpAsyncBulk<'a>) -> Lowered {
        let to = self.aligned_address(&i.dst_mem, Some(i.dst), ROW)?;
        let from = self.aligned_address(&i.src_mem, Some(i.src), ROW)?;
        let bytes = self.read_word(&i.size)?;
        if let (Some(barrier), Some(left), Some(right)) =
            (&i.mbar, &i.ignore_bytes_left, &i.ignore_bytes_right)
        {
            // Bytes at the ends that lie outside of what the source has: nothing is said of their copies.
            let [left, right] = [self.read_word(left)?, self.read_word(right)?];
            let o = &self.builder;
            let inside = o.sub(o.sub(bytes, left), right);
            let words = [o.add(to, left), o.add(from, left), inside];
            self.lane("copy", &words)?;
            return self.complete_tx(barrier, bytes);
        }
        match (&i.mbar, &i.cta_mask, &i.byte_mask) {
            (Some(barrier), Some(mask), _) => {
                let barrier = self.mbarrier_address(barrier, Some(StateSpace::SharedCluster))?;
                let mask = self.read_short(mask)?;
                self.lane("copy.multicast", &[to, from, bytes, barrier, mask]).map(drop)
            }
            (Some(barrier), None, _) => {
                self.lane("copy", &[to, from, bytes])?;
                self.complete_tx(barrier, bytes)
            }
            (None, _, Some(mask)) => {
                let mask = self.read_short(mask)?;
                self.lane("copy.masked", &[to, from, bytes, mask]).map(drop)
            }
            (None, ..) => self.lane("copy", &[to, from, bytes]).map(drop),
        }
    }

    /// A 16-bit operand, such as a mask of blocks, as a word.
    pub fn read_short(&mut self, operand: &Operand<'a>) -> Lowered<Value<'c>> {
        let value = self.read_width(operand, ScalarType::B16, super::operand::Width::AtLeast)?;
        Ok(self.builder.zext(value, self.context.i64()))
    }

    /// Reports `bytes` as transferred to the mbarrier object at `barrier`.
    pub fn complete_tx(&mut self, barrier: &Address<'a>, bytes: Value<'c>) -> Lowered {
        let barrier = self.mbarrier_address(barrier, Some(StateSpace::SharedCluster))?;
        self.lane("mbarrier.complete_tx", &[barrier, bytes]).map(drop)
    }

    pub fn cp_reduce_async_bulk(&mut self, i: &CpReduceAsyncBulk<'a>) -> Lowered {
        let to = self.aligned_address(&i.dst_mem, Some(i.dst), ROW)?;
        let from = self.aligned_address(&i.src_mem, Some(i.src), ROW)?;
        let bytes = self.read_word(&i.size)?;
        let reduction = self.reduction(i.red_op, i.type_)?;
        let reduction = self.i64(reduction as u64);
        self.lane("reduce", &[to, from, bytes, reduction])?;
        match &i.mbar {
            Some(barrier) => self.complete_tx(barrier, bytes),
            None => Ok(()),
        }
    }

    /// There is one device, and one copy.
    pub fn multimem_cp_async_bulk(&mut self, i: &MultimemCpAsyncBulk<'a>) -> Lowered {
        let to = self.aligned_address(&i.dst_mem, Some(StateSpace::Global), ROW)?;
        let from = self.aligned_address(&i.src_mem, Some(StateSpace::SharedCta), ROW)?;
        let bytes = self.read_word(&i.size)?;
        match &i.byte_mask {
            Some(mask) => {
                let mask = self.read_short(mask)?;
                self.lane("copy.masked", &[to, from, bytes, mask]).map(drop)
            }
            None => self.lane("copy", &[to, from, bytes]).map(drop),
        }
    }

    pub fn multimem_cp_reduce_async_bulk(&mut self, i: &MultimemCpReduceAsyncBulk<'a>) -> Lowered {
        let to = self.aligned_address(&i.dst_mem, Some(StateSpace::Global), ROW)?;
        let from = self.aligned_address(&i.src_mem, Some(StateSpace::SharedCta), ROW)?;
        let bytes = self.read_word(&i.size)?;
        let reduction = self.reduction(i.red_op, i.type_)?;
        let reduction = self.i64(reduction as u64);
        self.lane("reduce", &[to, from, bytes, reduction]).map(drop)
    }

    /// The operation of a bulk reduction on each of its elements of `type_`.
    pub fn reduction(&self, op: AtomicOp, type_: ScalarType) -> Lowered<Reduction> {
        use AtomicOp::*;
        use ScalarType::*;
        Ok(match (op, type_) {
            (And, B32) => Reduction::And32,
            (And, B64) => Reduction::And64,
            (Or, B32) => Reduction::Or32,
            (Or, B64) => Reduction::Or64,
            (Xor, B32) => Reduction::Xor32,
            (Xor, B64) => Reduction::Xor64,
            (Add, U32 | S32) => Reduction::AddU32,
            (Add, U64 | S64) => Reduction::AddU64,
            (Inc, U32) => Reduction::IncU32,
            (Dec, U32) => Reduction::DecU32,
            (Min, U32) => Reduction::MinU32,
            (Min, S32) => Reduction::MinS32,
            (Min, U64) => Reduction::MinU64,
            (Min, S64) => Reduction::MinS64,
            (Max, U32) => Reduction::MaxU32,
            (Max, S32) => Reduction::MaxS32,
            (Max, U64) => Reduction::MaxU64,
            (Max, S64) => Reduction::MaxS64,
            (Add, F16) => Reduction::AddF16,
            (Min, F16) => Reduction::MinF16,
            (Max, F16) => Reduction::MaxF16,
            (Add, Bf16) => Reduction::AddBf16,
            (Min, Bf16) => Reduction::MinBf16,
            (Max, Bf16) => Reduction::MaxBf16,
            (Add, F32) => Reduction::AddF32,
            (Add, F64) => Reduction::AddF64,
            _ => return Err(self.invalid(format!("`.{}` of `.{}`", word(op), word(type_)))),
        })
    }

    pub fn st_async(&mut self, i: &StAsync<'a>) -> Lowered {
        let space = i.ss.or(i.mbar.as_ref().map(|_| StateSpace::SharedCluster));
        let sources = if i.vec.is_some() { self.elements(&i.b)? } else { vec![i.b.clone()] };
        let size = u64::from(i.type_.size());
        for (index, source) in sources.iter().enumerate() {
            let value = self.read_width(source, i.type_, super::operand::Width::AtLeast)?;
            let value = self.bits_of(value);
            let pointer = self.pointer(&i.a, space, index as u64 * size)?;
            self.builder.store(value, pointer, i.type_.size()).set_volatile(true);
        }
        match &i.mbar {
            Some(barrier) => {
                let bytes = self.i64(size * sources.len() as u64);
                self.complete_tx(barrier, bytes)
            }
            None => Ok(()),
        }
    }

    pub fn red_async(&mut self, i: &RedAsync<'a>) -> Lowered {
        let space = i.ss.or(i.mbar.as_ref().map(|_| StateSpace::SharedCluster));
        self.reduce_one(i.op, i.type_, space, &i.a, &i.b)?;
        match &i.mbar {
            Some(barrier) => {
                let bytes = self.i64(u64::from(i.type_.size()));
                self.complete_tx(barrier, bytes)
            }
            None => Ok(()),
        }
    }

    pub fn st_bulk(&mut self, i: &StBulk<'a>) -> Lowered {
        let space = i.shared_cta.then_some(StateSpace::Shared);
        let at = self.word_address(&i.a, space)?;
        let bytes = self.read_width(&i.size, ScalarType::B64, super::operand::Width::AtLeast)?;
        let value = self.read_width(&i.initval, ScalarType::B64, super::operand::Width::AtLeast)?;
        self.lane("fill", &[at, bytes, value]).map(drop)
    }
}
