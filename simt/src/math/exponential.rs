//! 2 to the power of x, to about 1 ulp (PTX allows 2).

use llvm_zluda::{RealPredicate, Value};

use super::Math;

/// ln(2)^k / k!: the Taylor series of 2^x, which errs by 5e-9 within half a unit of 0.
const COEFFICIENTS: [f64; 8] = [
    1.0,
    std::f64::consts::LN_2,
    0.240_226_506_959_100_7,
    0.055_504_108_664_821_58,
    0.009_618_129_107_628_477,
    0.001_333_355_814_642_844_3,
    0.000_154_035_303_933_816_1,
    0.000_015_252_733_804_059_84,
];

/// 2 to the power of each lane's `x`; NaN for NaN.
pub fn ex2<'c>(math: &Math<'_, 'c>, x: Value<'c>) -> Value<'c> {
    let b = &math.builder;
    // Beyond these the result is infinite or zero; NaN passes both and is put aside.
    let low =
        b.select(math.compare(RealPredicate::LLVMRealOLT, x, -160.0), math.constant(-160.0), x);
    let clamped =
        b.select(math.compare(RealPredicate::LLVMRealOGT, low, 130.0), math.constant(130.0), low);
    let safe = math.tame(clamped, 200.0);
    let whole = math.intrinsic("llvm.rint", safe);
    let fraction = b.fsub(safe, whole);
    let power = math.polynomial(fraction, &COEFFICIENTS);
    // Two factors, since 2^whole alone may lie outside of the normal numbers.
    let exponent = b.fptosi(whole, b.context().i32());
    let half = b.ashr(exponent, math.int(1));
    let rest = b.sub(exponent, half);
    let scaled = b.fmul(b.fmul(power, power_of_two(math, half)), power_of_two(math, rest));
    b.select(b.fcmp(RealPredicate::LLVMRealUNO, x, x), x, scaled)
}

/// 2 to an integer power from -126 to 127, by its bits.
fn power_of_two<'c>(math: &Math<'_, 'c>, exponent: Value<'c>) -> Value<'c> {
    let b = &math.builder;
    math.float(b.shl(b.add(exponent, math.int(127)), math.int(23)))
}
