//! MUFU, the unit of NVIDIA's GPUs behind the approximate functions, with the bits of an H100.
//!
//! Input: an operand of the instruction `MUFU.<function>`; subnormals count as zeros.
//! Output: its result, with 0x7fffffff for NaN.
//! Why apart: PTX's instructions are sequences around these ([`super::exact`]).

mod high_word;
mod interpolator;
mod tables;
mod tanh;

pub use high_word::{rcp_high_word, rsqrt_high_word};
pub use tanh::tanh;

use llvm_zluda::{IntPredicate, RealPredicate, Value};

use super::Math;
use interpolator::Sum;
use tables::{EX2, LG2, RCP, RSQRT, SIN, SQRT, Table};

const INFINITY: u32 = 0x7f80_0000;
const NAN: u32 = 0x7fff_ffff;
const SIGN: u32 = 1 << 31;
/// 1 in the place of the exponent, and the bit that a mantissa does not write down.
const ONE: u32 = 1 << 23;
const FRACTION: u32 = ONE - 1;
/// Bits of a segment's operand where an octave has 64 of them.
const PLACE_BITS: u32 = 17;

/// The operand's sign and class.
struct Operand<'c> {
    bits: Value<'c>,
    sign: Value<'c>,
    is_zero: Value<'c>,
    is_nan: Value<'c>,
}

impl<'c> Math<'_, 'c> {
    fn operand(&self, x: Value<'c>) -> Operand<'c> {
        let b = &self.builder;
        let bits = self.bits(x);
        let exponent = b.and(bits, self.int(INFINITY));
        Operand {
            bits,
            sign: b.and(bits, self.int(SIGN)),
            is_zero: b.icmp(IntPredicate::LLVMIntEQ, exponent, self.int(0)),
            is_nan: b.fcmp(RealPredicate::LLVMRealUNO, x, x),
        }
    }

    fn select_bits(&self, condition: Value<'c>, yes: u32, no: Value<'c>) -> Value<'c> {
        self.builder.select(condition, self.int(yes), no)
    }

    /// The sum for a fraction of 23 bits, or of 24 where two binades differ.
    fn octave(&self, table: &Table, fraction: Value<'c>) -> Sum<'c> {
        let segment = self.builder.lshr(fraction, self.int(PLACE_BITS));
        self.interpolate(table, segment, &self.place(fraction, PLACE_BITS))
    }

    /// A number that is not negative, below 2^53, cut to the 24 bits of a float and scaled.
    fn cut(&self, number: Value<'c>, power: i32) -> Value<'c> {
        let b = &self.builder;
        let bits = b.and(b.bitcast(number, self.i64()), self.long(!0 << 29));
        let short = b.bitcast(bits, self.f64());
        b.fptrunc(b.fmul(short, self.double(2f64.powi(power))), self.f32())
    }
}

/// The reciprocal of a mantissa by its fraction, in units of 2^-24: 128 segments of 16 bits each, which the squarer
/// takes for 17.
fn reciprocal<'c>(math: &Math<'_, 'c>, fraction: Value<'c>) -> Value<'c> {
    let b = &math.builder;
    let segment = b.lshr(fraction, math.int(16));
    math.without_lowest(&math.interpolate(&RCP, segment, &math.place(fraction, 16)), 15)
}

/// `MUFU.RCP`: 1/x.
pub fn rcp<'c>(math: &Math<'_, 'c>, x: Value<'c>) -> Value<'c> {
    let b = &math.builder;
    let operand = math.operand(x);
    let mantissa = reciprocal(math, b.and(operand.bits, math.int(FRACTION)));
    let exponent = b.and(operand.bits, math.int(INFINITY));
    let result = b.add(b.sub(math.int(252 * ONE), exponent), mantissa);
    // Of infinity too.
    let tiny = b.icmp(IntPredicate::LLVMIntSLT, result, math.int(ONE));
    let result = math.select_bits(tiny, 0, result);
    let result = math.select_bits(operand.is_zero, INFINITY, result);
    let result = b.or(result, operand.sign);
    math.float(math.select_bits(operand.is_nan, NAN, result))
}

/// The value of a table of two binades, without its lowest places, for a fraction and, above it, the lowest bit of the
/// exponent.
fn root<'c>(math: &Math<'_, 'c>, fraction: Value<'c>, table: &Table, places: u32) -> Value<'c> {
    let b = &math.builder;
    // Exponents are odd where their bits are even.
    let fraction = b.and(b.xor(fraction, math.int(ONE)), math.int(ONE | FRACTION));
    math.without_lowest(&math.octave(table, fraction), places)
}

/// The reciprocal root of what [`root`] takes, in units of 2^-24.
fn reciprocal_root<'c>(math: &Math<'_, 'c>, fraction: Value<'c>) -> Value<'c> {
    let b = &math.builder;
    let mantissa = root(math, fraction, &RSQRT, 16);
    // The table gives less than 1 for powers of 4.
    let low = b.and(fraction, math.int(ONE | FRACTION));
    let power_of_four = b.icmp(IntPredicate::LLVMIntEQ, low, math.int(ONE));
    math.select_bits(power_of_four, 2 * ONE, mantissa)
}

/// Half of the exponent, rounded up, in the exponent's place.
fn half_exponent<'c>(math: &Math<'_, 'c>, bits: Value<'c>, one: u32, mask: u32) -> Value<'c> {
    let b = &math.builder;
    b.and(b.lshr(b.add(bits, math.int(one)), math.int(1)), math.int(mask))
}

/// `MUFU.RSQ`: the reciprocal of the square root of x.
pub fn rsqrt<'c>(math: &Math<'_, 'c>, x: Value<'c>) -> Value<'c> {
    let b = &math.builder;
    let operand = math.operand(x);
    let mantissa = reciprocal_root(math, operand.bits);
    let exponent = half_exponent(math, operand.bits, ONE, INFINITY);
    let result = b.add(b.sub(math.int(189 * ONE), exponent), mantissa);
    let infinite = b.icmp(IntPredicate::LLVMIntEQ, operand.bits, math.int(INFINITY));
    let result = math.select_bits(infinite, 0, result);
    let invalid = b.fcmp(RealPredicate::LLVMRealULT, x, x.ty().zero());
    let result = math.select_bits(invalid, NAN, result);
    let pole = b.or(operand.sign, math.int(INFINITY));
    math.float(b.select(operand.is_zero, pole, result))
}

/// `MUFU.SQRT`: the square root of x.
pub fn sqrt<'c>(math: &Math<'_, 'c>, x: Value<'c>) -> Value<'c> {
    let b = &math.builder;
    let operand = math.operand(x);
    let mantissa = root(math, operand.bits, &SQRT, 17);
    let exponent = half_exponent(math, operand.bits, ONE, INFINITY);
    let result = b.add(b.add(exponent, math.int(62 * ONE)), mantissa);
    let infinite = b.icmp(IntPredicate::LLVMIntEQ, operand.bits, math.int(INFINITY));
    let result = math.select_bits(infinite, INFINITY, result);
    let invalid = b.fcmp(RealPredicate::LLVMRealULT, x, x.ty().zero());
    let result = math.select_bits(invalid, NAN, result);
    math.float(b.select(operand.is_zero, operand.sign, result))
}

/// `MUFU.EX2`: 2 to the power of x.
pub fn ex2<'c>(math: &Math<'_, 'c>, x: Value<'c>) -> Value<'c> {
    let b = &math.builder;
    let nan = b.fcmp(RealPredicate::LLVMRealUNO, x, x);
    // Beyond these the result is infinite or zero.
    let high = math.compare(RealPredicate::LLVMRealOGT, x, 128.0);
    let clamped = b.select(high, math.constant(128.0), x);
    let low = math.compare(RealPredicate::LLVMRealOLT, clamped, -150.0);
    let clamped = b.select(low, math.constant(-150.0), clamped);
    // A fixed-point number with 23 places, cut. What is negative and not whole becomes its complement, which is one
    // last place below its negation.
    let fixed = b.freeze(b.fptosi(b.fmul(clamped, math.constant(ONE as f64)), math.i32()));
    let negative = b.ashr(fixed, math.int(31));
    let places = b.and(fixed, math.int(FRACTION));
    let whole = b.icmp(IntPredicate::LLVMIntEQ, places, math.int(0));
    let fixed = b.add(fixed, math.select_bits(whole, 0, negative));
    let sum = math.octave(&EX2, b.and(fixed, math.int(FRACTION)));
    let mantissa = math.without_lowest(&sum, 15);
    let exponent = b.and(fixed, math.int(!FRACTION));
    let result = b.add(b.add(exponent, math.int(126 * ONE)), mantissa);
    let tiny = b.icmp(IntPredicate::LLVMIntSLT, result, math.int(ONE));
    let result = math.select_bits(tiny, 0, result);
    math.float(math.select_bits(nan, NAN, result))
}

/// `MUFU.LG2`: the logarithm of x to base 2.
pub fn lg2<'c>(math: &Math<'_, 'c>, x: Value<'c>) -> Value<'c> {
    let b = &math.builder;
    let operand = math.operand(x);
    let fraction = b.and(operand.bits, math.int(FRACTION));
    // In units of 2^-36, which hardware cuts at, before the exponent comes in.
    let mantissa = math.sum_as_double(&math.octave(&LG2, fraction), 2);
    let exponent = b.sub(b.lshr(operand.bits, math.int(23)), math.int(127));
    let exponent = math.to_double(exponent);
    let total = b.fadd(mantissa, b.fmul(exponent, math.double(2f64.powi(36))));
    // What is negative becomes its complement.
    let complement = b.fsub(math.double(-1.0), total);
    let negative = math.compare(RealPredicate::LLVMRealOLT, total, 0.0);
    let magnitude = math.cut(b.select(negative, complement, total), -36);
    let sign = math.select_bits(negative, SIGN, math.int(0));
    let result = b.or(math.bits(magnitude), sign);
    let one = math.compare(RealPredicate::LLVMRealOEQ, x, 1.0);
    let result = math.select_bits(one, 0, result);
    let infinite = b.icmp(IntPredicate::LLVMIntEQ, operand.bits, math.int(INFINITY));
    let result = math.select_bits(infinite, INFINITY, result);
    let invalid = b.fcmp(RealPredicate::LLVMRealULT, x, x.ty().zero());
    let result = math.select_bits(invalid, NAN, result);
    math.float(math.select_bits(operand.is_zero, SIGN | INFINITY, result))
}

/// The sine of `turns`, which is not NaN and has at most 24 bits, and a quarter turn more for `quarters` 1.
pub fn sin<'c>(math: &Math<'_, 'c>, turns: Value<'c>, quarters: u32) -> Value<'c> {
    let b = &math.builder;
    let bits = b.bitcast(turns, math.i64());
    let magnitude = b.bitcast(b.and(bits, math.long(!0 >> 1)), turns.ty());
    // Numbers of 24 bits beyond this are whole. So is infinity.
    let far = math.compare(RealPredicate::LLVMRealOGE, magnitude, 2f64.powi(24));
    let near = b.select(far, math.double(0.0), magnitude);
    let part = b.fsub(near, math.intrinsic("llvm.floor", near));
    // Quarter turns with 23 places, cut.
    let scaled = b.fmul(part, math.double(2f64.powi(25)));
    let fixed = b.fptosi(scaled, math.i32());
    let quarter = b.add(b.lshr(fixed, math.int(23)), math.int(quarters));
    let odd = b.sub(math.int(0), b.and(quarter, math.int(1)));
    let fraction = b.and(b.xor(fixed, odd), math.int(FRACTION));
    let sum = math.sum_as_double(&math.octave(&SIN, fraction), 0);
    let result = math.bits(math.cut(sum, -37));
    let sign = b.shl(b.and(quarter, math.int(2)), math.int(30));
    let sign = match quarters {
        0 => b.xor(sign, b.trunc(b.lshr(bits, math.long(32)), math.i32())),
        _ => sign,
    };
    math.float(b.or(result, b.and(sign, math.int(SIGN))))
}
