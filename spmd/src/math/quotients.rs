//! Reciprocals and roots. x86's exact operations are within the bounds of PTX's approximate ones.

use llvm_zluda::{RealPredicate, Value};

use super::Math;

pub fn rcp<'c>(math: &Math<'_, 'c>, x: Value<'c>) -> Value<'c> {
    math.builder.fdiv(x.ty().const_float(1.0), x)
}

pub fn sqrt<'c>(math: &Math<'_, 'c>, x: Value<'c>) -> Value<'c> {
    math.intrinsic("llvm.sqrt", x)
}

pub fn rsqrt<'c>(math: &Math<'_, 'c>, x: Value<'c>) -> Value<'c> {
    rcp(math, sqrt(math, x))
}

/// `rcp.approx.ftz.f64`: subnormals flush, and the low word of the result is zero.
pub fn rcp_high_word<'c>(math: &Math<'_, 'c>, x: Value<'c>) -> Value<'c> {
    high_word(math, rcp(math, math.flush(x)))
}

/// `rsqrt.approx.ftz.f64`, likewise.
pub fn rsqrt_high_word<'c>(math: &Math<'_, 'c>, x: Value<'c>) -> Value<'c> {
    high_word(math, rsqrt(math, math.flush(x)))
}

fn high_word<'c>(math: &Math<'_, 'c>, x: Value<'c>) -> Value<'c> {
    let b = &math.builder;
    let flushed = math.flush(x);
    let i64_type = b.context().i64();
    let bits = b.and(b.bitcast(flushed, i64_type), i64_type.const_int(0xffff_ffff_0000_0000));
    let cut = b.bitcast(bits, x.ty());
    // Cutting the low word of a NaN could make it an infinity.
    b.select(b.fcmp(RealPredicate::LLVMRealUNO, flushed, flushed), flushed, cut)
}
