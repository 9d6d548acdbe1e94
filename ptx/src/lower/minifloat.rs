//! Floating-point formats of 8 bits and fewer, which exist in conversions alone. Values are i32 here.

use llvm_zluda::{IntPredicate, RealPredicate, Value};
use ptx_parser::isa::Cvt;
use ptx_parser::{Rounding, ScalarType};

use super::Lowered;
use super::function::{FunctionLowering, word};
use super::packed::element;

/// A format with a sign.
#[derive(Clone, Copy)]
struct Format {
    exponent_bits: u32,
    mantissa_bits: u32,
    bias: u32,
    /// The largest finite value.
    largest: u32,
    /// Formats without a NaN give their largest value for one.
    nan: u32,
    /// Bits from one element of a packed value to the next.
    pitch: u32,
}

fn format(pair: ScalarType) -> Option<Format> {
    let row = |exponent_bits, mantissa_bits, bias, largest, nan, pitch| {
        Some(Format { exponent_bits, mantissa_bits, bias, largest, nan, pitch })
    };
    match pair {
        ScalarType::E4m3x2 => row(4, 3, 7, 0x7e, 0x7f, 8),
        ScalarType::E5m2x2 => row(5, 2, 15, 0x7b, 0x7f, 8),
        ScalarType::E2m3x2 => row(2, 3, 1, 0x1f, 0x1f, 8),
        ScalarType::E3m2x2 => row(3, 2, 3, 0x1f, 0x1f, 8),
        ScalarType::E2m1x2 => row(2, 1, 1, 0x7, 0x7, 4),
        _ => None,
    }
}

impl<'c, 'a> FunctionLowering<'_, '_, 'c, 'a> {
    /// Conversions to and from pairs of narrow numbers; none for all others.
    pub fn cvt_minifloat(&mut self, i: &Cvt<'a>) -> Lowered<bool> {
        let result = if i.dtype == ScalarType::Ue8m0x2 {
            let [high, low] = self.source_floats(i)?;
            let [high, low] = [high, low].map(|value| self.to_exponent(value, i.rnd, i.satfinite));
            self.packed(high, low, 8)
        } else if i.atype == ScalarType::Ue8m0x2 {
            let pair = self.read_low_word(i)?;
            let [low, high] = [0, 8].map(|at| self.power_of_two(pair, at));
            self.packed(high, low, 16)
        } else if i.dtype == ScalarType::S2f6x2 || i.atype == ScalarType::S2f6x2 {
            return self.cvt_fixed_point(i).map(|()| true);
        } else if let Some(format) = format(i.dtype) {
            let [high, low] = self.source_floats(i)?;
            let [high, low] = [high, low].map(|value| self.to_minifloat(value, format, i.relu));
            self.packed(high, low, format.pitch)
        } else if let Some(format) = format(i.atype) {
            let pair = self.read_low_word(i)?;
            // `.relu` of a bfloat16 comes last.
            let relu = i.relu && i.dtype == ScalarType::F16x2;
            let [low, high] = [0, format.pitch].map(|at| self.to_half(pair, at, format, relu));
            let halves = [low?, high?];
            if i.dtype == ScalarType::F16x2 {
                self.join(halves[0], halves[1])
            } else {
                let floats = halves.map(|half| self.widened(half, ScalarType::F16));
                self.scaled_pair(i, floats)?
            }
        } else {
            return Ok(false);
        };
        let bits = match i.dtype {
            ScalarType::E2m1x2 => 8,
            ScalarType::F16x2 | ScalarType::Bf16x2 => 32,
            _ => 16,
        };
        let result = self.builder.trunc(result, self.context.int(bits));
        // Registers of two 4-bit elements may be wider than those.
        self.write_extended(&i.d, result, Some(false))?;
        Ok(true)
    }

    /// Both elements as floats, the upper one first.
    pub fn source_floats(&mut self, i: &Cvt<'a>) -> Lowered<[Value<'c>; 2]> {
        if let Some(b) = &i.b {
            return Ok([self.read(&i.a, i.atype)?, self.read(b, i.atype)?]);
        }
        let Some(part) = element(i.atype) else {
            let (from, to) = (word(i.atype), word(i.dtype));
            return Err(self.unsupported(format!("conversions from `.{from}` to `.{to}`")));
        };
        let pair = self.read(&i.a, i.atype)?;
        let [low, high] = self.split(pair, part);
        Ok([high, low].map(|value| self.widened(value, part)))
    }

    pub fn read_low_word(&mut self, i: &Cvt<'a>) -> Lowered<Value<'c>> {
        let type_ = if i.atype == ScalarType::E2m1x2 { ScalarType::B8 } else { ScalarType::B16 };
        let value = self.read_width(&i.a, type_, super::operand::Width::AtLeast)?;
        Ok(self.builder.zext(value, self.context.i32()))
    }

    pub fn packed(&self, high: Value<'c>, low: Value<'c>, pitch: u32) -> Value<'c> {
        self.builder.or(low, self.builder.shl(high, self.i32(pitch)))
    }

    /// To nearest; what is too large becomes the largest value.
    fn to_minifloat(&self, value: Value<'c>, format: Format, relu: bool) -> Value<'c> {
        let o = &self.builder;
        let Format { exponent_bits, mantissa_bits, bias, largest, nan, .. } = format;
        let bits = self.bits_of(value);
        let size = o.and(bits, self.i32(0x7fff_ffff));
        // Normal numbers: round the mantissa, and count the exponent from the other bias.
        let shift = 23 - mantissa_bits;
        let odd = o.and(o.lshr(size, self.i32(shift)), self.i32(1));
        let half = o.add(odd, self.i32((1 << (shift - 1)) - 1));
        let rounded = o.lshr(o.add(size, half), self.i32(shift));
        let normal = o.sub(rounded, self.i32((127 - bias) << mantissa_bits));
        // Subnormal ones: an addition rounds them to their grid.
        let anchor = self.i32((127 - bias + shift + 1) << 23);
        let float = |bits| o.bitcast(bits, self.context.f32());
        let sum = o.fadd(float(size), float(anchor));
        let subnormal = o.sub(self.bits_of(sum), anchor);
        let is_subnormal = self.ult(size, self.i32((128 - bias) << 23));
        let code = o.select(is_subnormal, subnormal, normal);
        let code = self.umin(code, self.i32(largest));
        let sign = o.lshr(bits, self.i32(31));
        let signed = if relu {
            let negative = self.ne(sign, self.i32(0));
            o.select(negative, self.i32(0), code)
        } else {
            o.or(code, o.shl(sign, self.i32(exponent_bits + mantissa_bits)))
        };
        let is_nan = o.fcmp(RealPredicate::LLVMRealUNO, value, value);
        o.select(is_nan, self.i32(nan), signed)
    }

    /// The element at bit `at` as a half, which holds all values of all formats.
    fn to_half(&self, pair: Value<'c>, at: u32, format: Format, relu: bool) -> Lowered<Value<'c>> {
        let o = &self.builder;
        let Format { exponent_bits, mantissa_bits, bias, largest, nan, .. } = format;
        let code = o.lshr(pair, self.i32(at));
        let size_bits = exponent_bits + mantissa_bits;
        let size = o.and(code, self.i32((1 << size_bits) - 1));
        // As a float, of which only the exponent's bias is wrong.
        let raw = o.bitcast(o.shl(size, self.i32(23 - mantissa_bits)), self.context.f32());
        let scale = raw.ty().const_float(2f64.powi(127 - bias as i32));
        let half = o.fptrunc(o.fmul(raw, scale), self.context.half());
        let half = self.bits_of(half);
        let infinity = half.ty().const_int(0x7c00);
        let half = if largest == nan {
            half
        } else {
            // Beyond the largest value there are NaNs, and in one format an infinity.
            let beyond = o.icmp(IntPredicate::LLVMIntUGT, size, self.i32(largest));
            let infinite = self.eq(size, self.i32(0x7c));
            let has_infinity = o.and(infinite, self.i1(largest == 0x7b));
            let special = o.select(has_infinity, infinity, half.ty().const_int(0x7fff));
            o.select(beyond, special, half)
        };
        let sign = o.and(o.lshr(code, self.i32(size_bits)), self.i32(1));
        let sign = o.trunc(o.shl(sign, self.i32(15)), half.ty());
        let signed = o.bitcast(o.or(half, sign), self.context.half());
        let signed = if relu { self.relu(signed, ScalarType::F16)? } else { signed };
        Ok(self.canonical(signed, ScalarType::F16))
    }

    /// The exponent of a number's size, rounded towards zero or up.
    fn to_exponent(&self, value: Value<'c>, rounding: Option<Rounding>, finite: bool) -> Value<'c> {
        let o = &self.builder;
        let size = o.and(self.bits_of(value), self.i32(0x7fff_ffff));
        let exponent = o.lshr(size, self.i32(23));
        let code = if rounding == Some(Rounding::Rp) {
            let rest = o.and(size, self.i32(0x7f_ffff));
            // Half of the least normal number, 2^-127, is a subnormal one.
            let zero = self.eq(exponent, self.i32(0));
            let limit = o.select(zero, self.i32(0x40_0000), self.i32(0));
            let above = o.icmp(IntPredicate::LLVMIntUGT, rest, limit);
            o.add(exponent, o.zext(above, self.context.i32()))
        } else {
            exponent
        };
        let most = self.i32(if finite { 0xfe } else { 0xff });
        let code = self.umin(code, most);
        let is_nan = o.fcmp(RealPredicate::LLVMRealUNO, value, value);
        o.select(is_nan, self.i32(0xff), code)
    }

    /// The power of two whose exponent stands at bit `at`, as bits of a bfloat16.
    pub fn power_of_two(&self, pair: Value<'c>, at: u32) -> Value<'c> {
        let o = &self.builder;
        let code = o.and(o.lshr(pair, self.i32(at)), self.i32(0xff));
        let normal = o.shl(code, self.i32(7));
        let least = o.select(self.eq(code, self.i32(0)), self.i32(0x40), normal);
        o.select(self.eq(code, self.i32(0xff)), self.i32(0x7fff), least)
    }
}
