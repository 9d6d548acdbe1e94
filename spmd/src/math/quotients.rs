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

/// `rcp.approx.ftz.f64`: subnormals flush, and the low words of operand and result count as zero.
pub fn rcp_high_word<'c>(math: &Math<'_, 'c>, x: Value<'c>) -> Value<'c> {
    high_word(math, rcp(math, math.flush(cut(math, x))))
}

/// `rsqrt.approx.ftz.f64`, likewise.
pub fn rsqrt_high_word<'c>(math: &Math<'_, 'c>, x: Value<'c>) -> Value<'c> {
    high_word(math, rsqrt(math, math.flush(cut(math, x))))
}

/// The upper word, with zeros below.
fn cut<'c>(math: &Math<'_, 'c>, x: Value<'c>) -> Value<'c> {
    let b = &math.builder;
    let i64_type = b.context().i64();
    let bits = b.and(b.bitcast(x, i64_type), i64_type.const_int(0xffff_ffff_0000_0000));
    b.bitcast(bits, x.ty())
}

fn high_word<'c>(math: &Math<'_, 'c>, x: Value<'c>) -> Value<'c> {
    let b = &math.builder;
    let flushed = math.flush(x);
    let nan = b.fcmp(RealPredicate::LLVMRealUNO, flushed, flushed);
    let bits = b.bitcast(cut(math, flushed), b.context().i64());
    let chosen = b.select(nan, bits.ty().const_int(0x7fff_ffff_0000_0000), bits);
    b.bitcast(chosen, x.ty())
}
