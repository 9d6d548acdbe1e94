//! Checks that addresses are multiples of what is accessed there, for `ZLUDA_CHECK=align`.
//!
//! Processors read and write at any address; NVIDIA's GPUs end the kernel.

use ptx_parser::{Address, StateSpace};

use super::Lowered;
use super::function::{Entity, FunctionLowering};

impl<'a> FunctionLowering<'_, '_, '_, 'a> {
    /// Ends the kernel at an address that is no multiple of `bytes`, a power of two, where the check is asked for.
    pub fn check_alignment(
        &mut self,
        address: &Address<'a>,
        space: Option<StateSpace>,
        bytes: u64,
    ) -> Lowered {
        let Some(text) = self.module.unit.checked.filter(|_| bytes > 1) else { return Ok(()) };
        let in_register = match address.base {
            Some(name) => matches!(self.entity(name)?, Entity::Register { .. }),
            None => true,
        };
        // Parameters by their names lie where they should.
        let parameter = matches!(space, Some(StateSpace::Param | StateSpace::ParamFunc));
        if parameter && (!in_register || self.names_register(address, space)) {
            return Ok(());
        }
        let line = text.get(..self.span.start as usize).unwrap_or_default().matches('\n').count();
        let place = self.word_address(address, space)?;
        let rest = self.builder.and(place, self.i64(bytes - 1));
        let wrong = self.ne(rest, self.i64(0));
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
