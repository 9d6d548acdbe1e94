//! `MUFU.RCP64H` and `MUFU.RSQ64H`: the upper words of doubles, by the tables for floats.

use llvm_zluda::{IntPredicate, Value};

use super::{NAN, SIGN, half_exponent, reciprocal, reciprocal_root};
use crate::math::Math;

const INFINITY: u32 = 0x7ff0_0000;
const ONE: u32 = 1 << 20;
/// Bits that the fraction of a float has and an upper word lacks.
const MISSING: u32 = 3;

/// The upper word of a double.
fn upper<'c>(math: &Math<'_, 'c>, x: Value<'c>) -> Value<'c> {
    let b = &math.builder;
    let i64_type = b.context().i64();
    let bits = b.bitcast(x, i64_type);
    b.trunc(b.lshr(bits, i64_type.const_int(32)), b.context().i32())
}

/// The double with this upper word and zeros below.
fn double<'c>(math: &Math<'_, 'c>, word: Value<'c>) -> Value<'c> {
    let b = &math.builder;
    let i64_type = b.context().i64();
    let bits = b.shl(b.zext(word, i64_type), i64_type.const_int(32));
    b.bitcast(bits, b.context().f64())
}

/// Whether the number is zero, subnormal ones included, and whether it is NaN.
fn is_zero_or_nan<'c>(math: &Math<'_, 'c>, word: Value<'c>) -> [Value<'c>; 2] {
    let b = &math.builder;
    let magnitude = b.and(word, math.int(!SIGN));
    [
        b.icmp(IntPredicate::LLVMIntULT, magnitude, math.int(ONE)),
        b.icmp(IntPredicate::LLVMIntUGT, magnitude, math.int(INFINITY)),
    ]
}

/// `MUFU.RCP64H`: 1/x, of the upper word of a double; the lower word of the result is zero.
pub fn rcp_high_word<'c>(math: &Math<'_, 'c>, x: Value<'c>) -> Value<'c> {
    let b = &math.builder;
    let word = upper(math, x);
    let [is_zero, is_nan] = is_zero_or_nan(math, word);
    let fraction = b.shl(b.and(word, math.int(ONE - 1)), math.int(MISSING));
    let mantissa = b.lshr(reciprocal(math, fraction), math.int(MISSING));
    let exponent = b.and(word, math.int(INFINITY));
    let result = b.add(b.sub(math.int(2044 * ONE), exponent), mantissa);
    let tiny = b.icmp(IntPredicate::LLVMIntSLT, result, math.int(ONE));
    let result = math.select_bits(tiny, 0, result);
    let result = math.select_bits(is_zero, INFINITY, result);
    let result = b.or(result, b.and(word, math.int(SIGN)));
    double(math, math.select_bits(is_nan, NAN, result))
}

/// `MUFU.RSQ64H`: the reciprocal of the square root, of the upper word of a double; the lower word of the result is
/// zero.
pub fn rsqrt_high_word<'c>(math: &Math<'_, 'c>, x: Value<'c>) -> Value<'c> {
    let b = &math.builder;
    let word = upper(math, x);
    let [is_zero, is_nan] = is_zero_or_nan(math, word);
    let mantissa = reciprocal_root(math, b.shl(word, math.int(MISSING)));
    let mantissa = b.lshr(mantissa, math.int(MISSING));
    let exponent = half_exponent(math, word, ONE, INFINITY);
    let result = b.add(b.sub(math.int(1533 * ONE), exponent), mantissa);
    let infinite = b.icmp(IntPredicate::LLVMIntEQ, word, math.int(INFINITY));
    let result = math.select_bits(infinite, 0, result);
    let negative = b.icmp(IntPredicate::LLVMIntSLT, word, math.int(0));
    let invalid = b.or(negative, is_nan);
    let result = math.select_bits(invalid, NAN, result);
    let pole = b.or(b.and(word, math.int(SIGN)), math.int(INFINITY));
    double(math, b.select(is_zero, pole, result))
}
