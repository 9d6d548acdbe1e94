//! bfloat16 and other formats that LLVM's targets do not all know: kept as integers, computed in float.

use llvm_zluda::{RealPredicate, Value};
use ptx_parser::Rounding;

use super::Lowered;
use super::float::Arithmetic;
use super::function::FunctionLowering;

/// PTX's NaN in bfloat16.
const BF16_NAN: u64 = 0x7fff;

impl<'c> FunctionLowering<'_, '_, 'c, '_> {
    /// bfloat16 bits (i16) as a float.
    pub fn bf16_to_f32(&self, bits: Value<'c>) -> Value<'c> {
        let wide = self.builder.zext(bits, self.context.i32());
        let shifted = self.builder.shl(wide, self.i32(16));
        self.builder.bitcast(shifted, self.context.f32())
    }

    /// A float as bfloat16 bits (i16).
    pub fn f32_to_bf16(&self, value: Value<'c>, direction: Option<Rounding>) -> Value<'c> {
        let o = &self.builder;
        let bits = self.bits_of(value);
        let i16 = self.context.i16();
        let high = o.lshr(bits, self.i32(16));
        let rounded = match direction {
            None => {
                let odd = o.and(high, self.i32(1));
                let half = o.add(odd, self.i32(0x7fff));
                o.lshr(o.add(bits, half), self.i32(16))
            }
            Some(direction @ (Rounding::Rm | Rounding::Rp)) => {
                // Away from zero where that is the way and something is cut off.
                let cut = self.ne(o.and(bits, self.i32(0xffff)), self.i32(0));
                let sign = o.trunc(o.lshr(bits, self.i32(31)), self.context.i1());
                let away = if direction == Rounding::Rm { sign } else { o.not(sign) };
                o.add(high, o.zext(o.and(cut, away), self.context.i32()))
            }
            Some(_) => high,
        };
        let nan = o.fcmp(RealPredicate::LLVMRealUNO, value, value);
        o.select(nan, i16.const_int(BF16_NAN), o.trunc(rounded, i16))
    }

    /// `a * b + c` of halves: a call of a function of [`simt::shortcuts`].
    pub fn fma_of_halves(&self, values: &[Value<'c>]) -> Value<'c> {
        let (half, f32) = (self.context.half(), self.context.f32());
        let name = format!("{}{}", simt::shortcuts::HALF, Arithmetic::Fma.name());
        self.shortcut(&name, half, values, |values| {
            let [a, b, c] = [0, 1, 2].map(|index| self.builder.fpext(values[index], f32));
            self.builder.fptrunc(self.fma_for_half(a, b, c), half)
        })
    }

    /// `a * b + c` of half values given as floats, as a float that rounds to half as the exact result does.
    pub fn fma_for_half(&self, a: Value<'c>, b: Value<'c>, c: Value<'c>) -> Value<'c> {
        // 22 bits at most, and multiples of 2^-48 below 2^33: exact, and so is what the sum is off by.
        let product = self.builder.fmul(a, b);
        let (sum, error) = self.two_sum(product, c);
        self.to_odd(sum, error)
    }

    /// The same of bfloat16 values, whose products may be beyond the ends of single precision.
    pub fn fma_for_bf16(&self, a: Value<'c>, b: Value<'c>, c: Value<'c>) -> Value<'c> {
        let f64 = self.context.f64();
        let [a, b, c] = [a, b, c].map(|value| self.builder.fpext(value, f64));
        // 16 bits at most, and far from the ends of double: exact.
        let product = self.builder.fmul(a, b);
        let sum = self.add_odd(product, c);
        self.trunc_odd(sum, self.context.f32())
    }

    /// A float rounded to TensorFloat-32: a float whose 13 last bits are 0.
    pub fn f32_to_tf32(
        &self,
        value: Value<'c>,
        rounding: Option<Rounding>,
        finite: bool,
    ) -> Lowered<Value<'c>> {
        let o = &self.builder;
        let bits = self.bits_of(value);
        let added = match rounding {
            Some(Rounding::Rna) => o.add(bits, self.i32(0x1000)),
            Some(Rounding::Rz) => bits,
            Some(Rounding::Rn) => {
                let odd = o.and(o.lshr(bits, self.i32(13)), self.i32(1));
                o.add(bits, o.add(odd, self.i32(0xfff)))
            }
            _ => return Err(self.unsupported("this rounding to tf32")),
        };
        let exponent = o.and(bits, self.i32(0x7f80_0000));
        let special = self.eq(exponent, self.i32(0x7f80_0000));
        // Infinities do not round. Of a NaN `.rna` keeps what fits; the others make a new one.
        let rounded = o.select(special, bits, added);
        let cut = o.and(rounded, self.i32(0xffff_e000));
        let cut = if finite {
            // One step down from all that has no smaller exponent, NaNs too.
            let exponent = o.and(cut, self.i32(0x7f80_0000));
            let beyond = self.eq(exponent, self.i32(0x7f80_0000));
            o.select(beyond, o.sub(cut, self.i32(0x2000)), cut)
        } else {
            cut
        };
        if rounding == Some(Rounding::Rna) {
            return Ok(cut);
        }
        let nan = o.fcmp(RealPredicate::LLVMRealUNO, value, value);
        Ok(o.select(nan, self.i32(0x7fff_e000), cut))
    }
}
