//! The hyperbolic tangent, to about 2^-20 (PTX allows a relative error of 2^-11).

use llvm_zluda::{RealPredicate, Value};

use super::{Math, exponential::ex2};

/// 2 / ln(2)
const DOUBLE_LOG2_E: f64 = 2.885_390_081_777_926_8;

/// tanh(x) = x * series(x^2) near 0, where the formula for larger operands cancels.
const SERIES: [f64; 4] = [1.0, -1.0 / 3.0, 2.0 / 15.0, -17.0 / 315.0];

/// The hyperbolic tangent of each lane's `x`; NaN for NaN.
pub fn tanh<'c>(math: &Math<'_, 'c>, x: Value<'c>) -> Value<'c> {
    let b = &math.builder;
    let magnitude = math.intrinsic("llvm.fabs", x);
    // 1 - 2 / (e^(2x) + 1); an infinite power gives 1.
    let power = ex2(math, b.fmul(magnitude, math.constant(DOUBLE_LOG2_E)));
    let quotient = b.fdiv(math.constant(2.0), b.fadd(power, math.constant(1.0)));
    let large = b.fsub(math.constant(1.0), quotient);
    let small = b.fmul(magnitude, math.polynomial(b.fmul(x, x), &SERIES));
    let near = math.compare(RealPredicate::LLVMRealOLT, magnitude, 0.25);
    let result = b.select(near, small, large);
    let sign = b.and(math.bits(x), math.int(1 << 31));
    math.float(b.or(math.bits(result), sign))
}
