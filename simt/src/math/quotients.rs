//! Reciprocals and roots. x86's exact operations are within the bounds of PTX's approximate ones.

use llvm_zluda::{RealPredicate, Value};

use super::{Math, exact};
use crate::Approximations;

/// LLVM's flags: approximate functions, and reciprocals in place of divisions.
const APPROXIMATE: u32 = 1 << 6 | 1 << 4;

/// `div.approx` or `div.full` of floats, whose operands are flushed already if `ftz`.
pub struct Division {
    pub full: bool,
    pub ftz: bool,
}

impl Division {
    /// `name` is without `zluda.`, such as `div.full.ftz.f32`.
    pub fn parse(name: &str) -> Option<Self> {
        let (full, rest) = match name.strip_prefix("div.full") {
            Some(rest) => (true, rest),
            None => (false, name.strip_prefix("div.approx")?),
        };
        matches!(rest, ".f32" | ".ftz.f32").then_some(Self { full, ftz: rest == ".ftz.f32" })
    }

    /// `a / b`, with an H100's bits where `approximations` ask for them.
    pub fn emit<'c>(
        &self,
        math: &Math<'_, 'c>,
        [a, b]: [Value<'c>; 2],
        approximations: Approximations,
    ) -> Value<'c> {
        let quotient = match approximations {
            Approximations::Exact => exact::quotient(math, self, a, b),
            _ if self.full => math.builder.fdiv(a, b),
            _ => approximate_quotient(math, a, b),
        };
        if self.ftz { math.flush(quotient) } else { quotient }
    }
}

fn approximate_quotient<'c>(math: &Math<'_, 'c>, a: Value<'c>, b: Value<'c>) -> Value<'c> {
    let o = &math.builder;
    let quotient = o.fdiv(a, b);
    quotient.set_fast_math(APPROXIMATE);
    // The reciprocal of a divisor beyond 2^126 is subnormal, and flushed.
    let size = math.intrinsic("llvm.fabs", b);
    let far = math.compare(RealPredicate::LLVMRealOGT, size, 2f64.powi(126));
    let finite = math.compare(RealPredicate::LLVMRealOLT, size, f64::INFINITY);
    let zero = o.intrinsic(math.module, "llvm.copysign", &[b.ty()], &[b.ty().zero(), b]);
    o.select(o.and(far, finite), o.fmul(a, zero), quotient)
}

/// 1/x, rounded to nearest.
pub fn rcp<'c>(math: &Math<'_, 'c>, x: Value<'c>) -> Value<'c> {
    math.builder.fdiv(x.ty().const_float(1.0), x)
}

/// The square root of x, rounded to nearest.
pub fn sqrt<'c>(math: &Math<'_, 'c>, x: Value<'c>) -> Value<'c> {
    math.intrinsic("llvm.sqrt", x)
}

/// The reciprocal of the square root of x, of two rounded operations.
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
