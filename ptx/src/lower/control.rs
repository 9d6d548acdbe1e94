//! Branches, the ends of threads, and barriers of the block.

use llvm_zluda::Value;
use ptx_parser::isa::{Bar, Barrier, Bra, BrxIdx};
use ptx_parser::{BarrierOp, Operand, ScalarType};

use super::Lowered;
use super::function::{Entity, FunctionLowering};

/// Barriers of a block that have names.
pub const NAMED_BARRIERS: u32 = 16;

impl<'c, 'a> FunctionLowering<'_, '_, 'c, 'a> {
    pub fn bra(&mut self, i: &Bra<'a>) -> Lowered {
        let Operand::Name(name) = &i.tgt else {
            return Err(self.invalid("a branch goes to a label"));
        };
        let target = self.label(name)?;
        self.builder.br(target);
        Ok(())
    }

    pub fn brx_idx(&mut self, i: &BrxIdx<'a>) -> Lowered {
        let index = self.read_u32(&i.index)?;
        let Operand::Name(name) = &i.tlist else {
            return Err(self.invalid("`brx.idx` takes a list of labels"));
        };
        let Entity::BranchTargets(targets) = self.entity(name)? else {
            return Err(self.invalid(format!("`{name}` is not a list of labels")));
        };
        // An index past the list is undefined: any target will do.
        let Some(&last) = targets.last() else {
            return Err(self.invalid("the list of labels is empty"));
        };
        let cases: Vec<_> =
            targets.iter().enumerate().map(|(n, &block)| (self.i32(n as u32), block)).collect();
        self.builder.switch(index, last, &cases);
        Ok(())
    }

    /// Ends the grid with an error; the block ends with it.
    pub fn trap(&mut self) {
        self.zluda("trap", &[]);
        self.builder.unreachable();
    }

    pub fn bar(&mut self, i: &Bar<'a>) -> Lowered {
        self.block_barrier(i.op, i.d.as_ref(), &i.a, i.b.as_ref(), i.c.as_ref())
    }

    pub fn barrier(&mut self, i: &Barrier<'a>) -> Lowered {
        self.block_barrier(i.op, i.d.as_ref(), &i.a, i.b.as_ref(), i.c.as_ref())
    }

    fn block_barrier(
        &mut self,
        op: BarrierOp,
        d: Option<&Operand<'a>>,
        a: &Operand<'a>,
        b: Option<&Operand<'a>>,
        c: Option<&Operand<'a>>,
    ) -> Lowered {
        // Greater numbers wrap: those behind are the engine's.
        let id = self.read_u32(a)?;
        let id = self.builder.and(id, self.i32(NAMED_BARRIERS - 1));
        let threads: Value<'c> = match b {
            Some(b) => self.read_u32(b)?,
            None => self.i32(0),
        };
        let name = match op {
            BarrierOp::Sync => "barrier.sync",
            BarrierOp::Arrive => "barrier.arrive",
            BarrierOp::RedPopc => "barrier.red.popc",
            BarrierOp::RedAnd => "barrier.red.and",
            BarrierOp::RedOr => "barrier.red.or",
        };
        let (Some(d), Some(c)) = (d, c) else {
            self.zluda(name, &[id, threads]);
            return Ok(());
        };
        let predicate = self.read(c, ScalarType::Pred)?;
        let value = self.zluda(name, &[id, threads, predicate]);
        self.write(d, value)
    }
}
