//! Conversions with factors that are powers of two, and those of fixed-point numbers.

use llvm_zluda::{RealPredicate, Value};
use ptx_parser::isa::Cvt;
use ptx_parser::{Rounding, ScalarType};

use super::Lowered;
use super::function::FunctionLowering;
use super::operand::Width;

/// The values of `.s2f6` are integers of 8 bits over this.
const S2F6_ONE: f64 = 64.0;

/// The bits of the largest bfloat16.
const BF16_LARGEST: u64 = 0x7f7f;

impl<'c, 'a> FunctionLowering<'_, '_, 'c, 'a> {
    /// The factors of the low and the high element, if the conversion has some.
    fn factors(&mut self, i: &Cvt<'a>) -> Lowered<Option<[Value<'c>; 2]>> {
        let Some(operand) = &i.scale_factor else { return Ok(None) };
        let pair = self.read_width(operand, ScalarType::B16, Width::AtLeast)?;
        let pair = self.builder.zext(pair, self.context.i32());
        Ok(Some([0, 8].map(|at| {
            let bits = self.builder.shl(self.power_of_two(pair, at), self.i32(16));
            self.builder.bitcast(bits, self.context.f32())
        })))
    }

    /// Two floats, low first, times their factors, as a pair of bfloat16 (i32).
    pub fn scaled_pair(&mut self, i: &Cvt<'a>, floats: [Value<'c>; 2]) -> Lowered<Value<'c>> {
        let factors = self.factors(i)?;
        let mut parts = Vec::with_capacity(2);
        for (index, float) in floats.into_iter().enumerate() {
            let float = match factors {
                Some(factors) => self.builder.fmul(float, factors[index]),
                None => float,
            };
            let mut bits = self.f32_to_bf16(float, None);
            if i.satfinite {
                bits = self.finite(bits);
            }
            parts.push(if i.relu { self.relu(bits, ScalarType::Bf16)? } else { bits });
        }
        Ok(self.join(parts[0], parts[1]))
    }

    /// A bfloat16 (i16) whose infinities are the largest numbers.
    fn finite(&self, bits: Value<'c>) -> Value<'c> {
        let o = &self.builder;
        let size = o.and(bits, bits.ty().const_int(0x7fff));
        let infinite = self.eq(size, bits.ty().const_int(0x7f80));
        let sign = o.and(bits, bits.ty().const_int(0x8000));
        o.select(infinite, o.or(sign, bits.ty().const_int(BF16_LARGEST)), bits)
    }

    /// Conversions to and from pairs of `.s2f6`.
    pub fn cvt_fixed_point(&mut self, i: &Cvt<'a>) -> Lowered {
        if i.atype == ScalarType::S2f6x2 {
            let pair = self.read_low_word(i)?;
            let f32 = self.context.f32();
            let floats = [0, 8].map(|at| {
                let o = &self.builder;
                let byte = o.trunc(o.lshr(pair, self.i32(at)), self.context.int(8));
                let number = o.sitofp(o.sext(byte, self.context.i32()), f32);
                o.fmul(number, f32.const_float(S2F6_ONE.recip()))
            });
            let result = self.scaled_pair(i, floats)?;
            return self.write_extended(&i.d, result, Some(false));
        }
        let [high, low] = self.source_floats(i)?;
        let factors = self.factors(i)?;
        let mut bytes = Vec::with_capacity(2);
        for (index, float) in [low, high].into_iter().enumerate() {
            let float = match factors {
                Some(factors) => self.builder.fdiv(float, factors[index]),
                None => float,
            };
            bytes.push(self.to_s2f6(float, i.rnd, i.relu)?);
        }
        let result = self.packed(bytes[1], bytes[0], 8);
        let result = self.builder.trunc(result, self.context.i16());
        self.write_extended(&i.d, result, Some(false))
    }

    /// The bits of an `.s2f6` (i32): what is too large, and a NaN, becomes the largest value.
    fn to_s2f6(
        &self,
        value: Value<'c>,
        rounding: Option<Rounding>,
        relu: bool,
    ) -> Lowered<Value<'c>> {
        let f32 = value.ty();
        let steps = self.builder.fmul(value, f32.const_float(S2F6_ONE));
        let whole = self.to_integral(steps, rounding.unwrap_or(Rounding::Rn))?;
        let o = &self.builder;
        let i32 = self.context.i32();
        let number = o.intrinsic(&self.module.llvm, "llvm.fptosi.sat", &[i32, f32], &[whole]);
        let largest = self.i32(0x7f);
        let least = if relu { self.i32(0) } else { o.not(largest) };
        let number = self.llvm("llvm.smax", i32, &[number, least]);
        let number = self.llvm("llvm.smin", i32, &[number, largest]);
        let is_nan = o.fcmp(RealPredicate::LLVMRealUNO, value, value);
        Ok(o.and(o.select(is_nan, largest, number), self.i32(0xff)))
    }
}
