//! Products of polynomials over GF(2), whose coefficients are the bits of integers.

use ptx_parser::isa::Clmad;
use ptx_parser::{MulMode, ScalarType};

use super::Lowered;
use super::function::FunctionLowering;

/// Coefficients of a factor.
const BITS: u32 = 64;

impl<'a> FunctionLowering<'_, '_, '_, 'a> {
    /// The low half sums `a << n` over the bits `n` of `b`, the high half what those shifts lose. No intrinsic that both
    /// targets have does it, and the steps are plain vector code.
    pub fn clmad(&mut self, i: &Clmad<'a>) -> Lowered {
        let a = self.read(&i.a, ScalarType::U64)?;
        let b = self.read(&i.b, ScalarType::U64)?;
        let mut sum = self.read(&i.c, ScalarType::U64)?;
        let o = &self.builder;
        let high = i.mode == MulMode::Hi;
        for n in u32::from(high)..BITS {
            let bit = o.and(o.lshr(b, self.i64(n.into())), self.i64(1));
            let all = o.neg(bit);
            let part = if high {
                o.lshr(a, self.i64((BITS - n).into()))
            } else {
                o.shl(a, self.i64(n.into()))
            };
            sum = o.xor(sum, o.and(part, all));
        }
        self.write(&i.d, sum)
    }
}
