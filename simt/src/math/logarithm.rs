//! The logarithm to base 2.

use llvm_zluda::{IntPredicate, RealPredicate, Value};

use super::Math;

/// 2 / ln(2) / (2k + 1): log2(m) = t * series(t^2) with t = (m - 1) / (m + 1).
const COEFFICIENTS: [f64; 5] = [
    2.885_390_081_777_926_8,
    0.961_796_693_925_975_6,
    0.577_078_016_355_585_4,
    0.412_198_583_111_132_4,
    0.320_598_897_975_325_2,
];

/// The logarithm to base 2 of each lane's `x`; NaN for NaN and negative numbers.
pub fn lg2<'c>(math: &Math<'_, 'c>, x: Value<'c>) -> Value<'c> {
    let b = &math.builder;
    // Subnormals are scaled to normal numbers.
    let small = math.compare(RealPredicate::LLVMRealOLT, x, f32::MIN_POSITIVE as f64);
    let scaled = b.select(small, b.fmul(x, math.constant(16_777_216.0)), x);
    let bias = b.select(small, math.int(127 + 24), math.int(127));
    let bits = math.bits(scaled);
    // The mantissa between sqrt(1/2) and sqrt(2), and the exponent that goes with it.
    let mantissa_bits = b.and(bits, math.int(0x007f_ffff));
    let above = b.icmp(IntPredicate::LLVMIntUGT, mantissa_bits, math.int(0x0035_04f3));
    let exponent = b.sub(b.lshr(bits, math.int(23)), bias);
    let exponent = b.add(exponent, b.zext(above, b.context().i32()));
    let one = b.select(above, math.int(0x3f00_0000), math.int(0x3f80_0000));
    let mantissa = math.float(b.or(mantissa_bits, one));
    let t = b.fdiv(b.fsub(mantissa, math.constant(1.0)), b.fadd(mantissa, math.constant(1.0)));
    let series = math.polynomial(b.fmul(t, t), &COEFFICIENTS);
    let result = b.fadd(b.sitofp(exponent, b.context().f32()), b.fmul(t, series));
    // log2(0) = -inf, log2 of negative numbers and NaN is NaN, log2(inf) = inf.
    let zero = math.compare(RealPredicate::LLVMRealOEQ, x, 0.0);
    let infinite = math.compare(RealPredicate::LLVMRealOEQ, x, f64::INFINITY);
    let invalid = math.compare(RealPredicate::LLVMRealULT, x, 0.0);
    let result = b.select(infinite, x, result);
    let result = b.select(invalid, math.constant(f64::NAN), result);
    b.select(zero, math.constant(f64::NEG_INFINITY), result)
}
