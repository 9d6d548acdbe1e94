//! Checks that addresses are multiples of what is accessed there, for `ZLUDA_CHECK=align`.
//!
//! Processors read and write at any address; NVIDIA's GPUs end the kernel.

use llvm_zluda::{IntPredicate, Value};
use ptx_parser::{Address, StateSpace};

use super::Lowered;
use super::function::{Entity, FunctionLowering};

/// The size of an mbarrier object.
const MBARRIER: u64 = 8;

/// The row of a matrix that `ldmatrix` and `stmatrix` access, and what bulk copies are in multiples of.
pub const ROW: u64 = 16;

impl<'c, 'a> FunctionLowering<'_, '_, 'c, 'a> {
    /// Ends the kernel where a vector of `count` elements of `size` bytes does not lie as it has to, where the check is
    /// asked for.
    pub fn check_vector(
        &mut self,
        address: &Address<'a>,
        space: Option<StateSpace>,
        count: usize,
        size: u64,
    ) -> Lowered {
        // The banks of constants are read in up to 8 bytes, as an H100 shows.
        let by_element = matches!(space, Some(StateSpace::Const | StateSpace::Param));
        let bytes = if by_element { size.min(8) } else { count as u64 * size };
        self.check_alignment(address, space, bytes)
    }

    /// Ends the kernel at an address that is no multiple of `bytes`, a power of two, where the check is asked for.
    pub fn check_alignment(
        &mut self,
        address: &Address<'a>,
        space: Option<StateSpace>,
        bytes: u64,
    ) -> Lowered {
        if self.module.unit.checked.is_none() || bytes < 2 {
            return Ok(());
        }
        let in_register = match address.base {
            Some(name) => matches!(self.entity(name)?, Entity::Register { .. }),
            None => true,
        };
        // Parameters by their names lie where they should.
        let parameter = matches!(space, Some(StateSpace::Param | StateSpace::ParamFunc));
        if parameter && (!in_register || self.names_register(address, space)) {
            return Ok(());
        }
        let place = self.word_address(address, space)?;
        self.check_place(place, bytes, None)
    }

    /// Ends the kernel where the first `rows` lanes of a warp have the address of a row of a matrix that is no multiple of
    /// its size, where the check is asked for.
    pub fn check_rows(
        &mut self,
        address: &Address<'a>,
        space: Option<StateSpace>,
        rows: u64,
    ) -> Lowered {
        if self.module.unit.checked.is_none() {
            return Ok(());
        }
        let place = self.word_address(address, space)?;
        let lane = self.builder.and(self.thread_number(), self.i64(31));
        let among = self.builder.icmp(IntPredicate::LLVMIntULT, lane, self.i64(rows));
        self.check_place(place, ROW, Some(among))
    }

    /// `[a]`, which is looked at where the check is asked for, as a generic address.
    pub fn aligned_address(
        &mut self,
        address: &Address<'a>,
        space: Option<StateSpace>,
        bytes: u64,
    ) -> Lowered<Value<'c>> {
        self.check_alignment(address, space, bytes)?;
        self.word_address(address, space)
    }

    /// The address of an mbarrier object.
    pub fn mbarrier_address(
        &mut self,
        address: &Address<'a>,
        space: Option<StateSpace>,
    ) -> Lowered<Value<'c>> {
        self.aligned_address(address, space, MBARRIER)
    }

    /// Ends the kernel where an mbarrier object does not lie as it has to, where the check is asked for.
    pub fn check_mbarrier(&mut self, address: &Address<'a>, space: Option<StateSpace>) -> Lowered {
        self.check_alignment(address, space, MBARRIER)
    }

    fn check_place(&mut self, place: Value<'c>, bytes: u64, among: Option<Value<'c>>) -> Lowered {
        let text = self.module.unit.checked.unwrap_or_default();
        let line = text.get(..self.span.start as usize).unwrap_or_default().matches('\n').count();
        let rest = self.builder.and(place, self.i64(bytes - 1));
        let wrong = self.ne(rest, self.i64(0));
        let wrong = among.map_or(wrong, |among| self.builder.and(wrong, among));
        let (report, next) = (self.new_block("misaligned"), self.new_block("aligned"));
        self.builder.cond_br(wrong, report, next);
        self.builder.position_at_end(report);
        let words = [place, self.i64(bytes), self.thread_number(), self.i64(line as u64 + 1)];
        self.lane("misaligned", &words)?;
        self.builder.br(next);
        self.builder.position_at_end(next);
        Ok(())
    }
}
