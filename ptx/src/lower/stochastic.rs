//! `cvt.rs`: rounding away from zero where the bits that are cut off, plus random ones, carry over.
//!
//! The upper half of the random word is for `a`, the lower one for `b`; halves take the 13 low bits of theirs. Of
//! narrower pairs, which share 16 bits, the manual does not say which of them each number takes: those are refused.

use llvm_zluda::{IntPredicate, RealPredicate, Value};
use ptx_parser::ScalarType;
use ptx_parser::isa::Cvt;

use super::Lowered;
use super::function::{FunctionLowering, word};

/// The bits of a float's size.
const SIZE: u32 = 0x7fff_ffff;
const NAN: u32 = 0x7fff;

impl<'c, 'a> FunctionLowering<'_, '_, 'c, 'a> {
    pub fn cvt_stochastic(&mut self, i: &Cvt<'a>) -> Lowered {
        let infinity = match i.dtype {
            ScalarType::F16x2 => 0x7c00,
            ScalarType::Bf16x2 => 0x7f80,
            other => {
                let to = word(other);
                return Err(self.unsupported(format!("stochastic rounding to `.{to}`")));
            }
        };
        let (Some(b), Some(random)) = (&i.b, &i.rbits) else {
            return Err(self.invalid("two numbers and random bits are wanted"));
        };
        let values = [self.read(&i.a, i.atype)?, self.read(b, i.atype)?];
        let random = self.read(random, ScalarType::B32)?;
        let o = &self.builder;
        let random = [o.lshr(random, self.i32(16)), o.and(random, self.i32(0xffff))];
        let [high, low] = [0, 1].map(|index| {
            let value: Value<'c> = values[index];
            let bits = self.bits_of(value);
            let size = o.and(bits, self.i32(SIZE));
            let size = match i.dtype {
                ScalarType::F16x2 => self.size_of_half(size, random[index]),
                _ => self.size_of_bfloat(size, random[index]),
            };
            let most = if i.satfinite { infinity - 1 } else { infinity };
            let size = self.umin(size, self.i32(most));
            let negative = o.icmp(IntPredicate::LLVMIntSLT, bits, self.i32(0));
            let signed = o.or(size, self.i32(0x8000));
            let below = if i.relu { self.i32(0) } else { signed };
            let nan = o.fcmp(RealPredicate::LLVMRealUNO, value, value);
            o.select(nan, self.i32(NAN), o.select(negative, below, size))
        });
        let packed = o.or(o.shl(high, self.i32(16)), low);
        self.write(&i.d, packed)
    }

    /// A float's size as that of a bfloat16.
    fn size_of_bfloat(&self, size: Value<'c>, random: Value<'c>) -> Value<'c> {
        self.builder.lshr(self.builder.add(size, random), self.i32(16))
    }

    /// A float's size as that of a half; what is too large is larger than infinity.
    fn size_of_half(&self, size: Value<'c>, random: Value<'c>) -> Value<'c> {
        let o = &self.builder;
        let random = o.and(random, self.i32(0x1fff));
        let rounded = |size| o.lshr(o.add(size, random), self.i32(13));
        let normal = o.sub(rounded(size), self.i32(112 << 10));
        // Subnormal halves count in steps of 2 to the power of -24; 13 bits below those are kept.
        let exponent = o.lshr(size, self.i32(23));
        let significand = o.or(o.and(size, self.i32(0x7f_ffff)), self.i32(0x80_0000));
        let shift = self.umin(o.sub(self.i32(113), exponent), self.i32(31));
        let subnormal = rounded(o.lshr(significand, shift));
        let is_normal = o.icmp(IntPredicate::LLVMIntUGE, exponent, self.i32(113));
        o.select(is_normal, normal, subnormal)
    }
}
