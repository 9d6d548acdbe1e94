//! The approximate functions as ptxas makes them for an H100: a [`mufu`] instruction and what stands around it.

use llvm_zluda::{IntPredicate, RealPredicate, Value};

use super::quotients::Division;
use super::{Emit, Math, mufu};

/// `rest` is what follows `approx` in the name.
pub fn of(function: &str, rest: &str) -> Option<Emit> {
    let emit: Emit = match (function, rest) {
        ("ex2", ".f32") => ex2,
        ("ex2", ".ftz.f32") => mufu::ex2,
        ("lg2", ".f32") => lg2,
        ("lg2", ".ftz.f32") => mufu::lg2,
        ("rcp", ".f32") => rcp,
        ("rcp", ".ftz.f32") => mufu::rcp,
        ("rsqrt", ".f32") => rsqrt,
        ("rsqrt", ".ftz.f32") => mufu::rsqrt,
        ("sqrt", ".f32") => sqrt,
        ("sqrt", ".ftz.f32") => mufu::sqrt,
        ("sin", ".f32" | ".ftz.f32") => |math, x| turned(math, x, 0),
        ("cos", ".f32" | ".ftz.f32") => |math, x| turned(math, x, 1),
        ("tanh", ".f32" | ".ftz.f32") => mufu::tanh,
        ("rcp", ".ftz.f64") => mufu::rcp_high_word,
        ("rsqrt", ".ftz.f64") => mufu::rsqrt_high_word,
        ("rsqrt", ".f64") => rsqrt_double,
        ("ex2", ".f16") => |math, x| half(math, x, "ex2", mufu::ex2),
        ("tanh", ".f16") => |math, x| half(math, x, "tanh", mufu::tanh),
        _ => return None,
    };
    Some(emit)
}

/// A function of a half: the result is cut to one.
fn half<'c>(math: &Math<'_, 'c>, x: Value<'c>, name: &str, function: Emit) -> Value<'c> {
    let b = &math.builder;
    let (i16_type, i32_type) = (b.context().i16(), b.context().i32());
    let result = math.unit(name, function, b.fpext(x, b.context().f32()));
    let bits = math.bits(result);
    let magnitude = b.and(bits, math.int(!(1 << 31)));
    let normal = b.sub(b.lshr(magnitude, math.int(13)), math.int(112 << 10));
    // Subnormals count in units of 2^-24.
    let small = b.icmp(IntPredicate::LLVMIntULT, magnitude, math.int(113 << 23));
    let safe = b.select(small, math.float(magnitude), math.constant(0.0));
    let subnormal = b.fptosi(b.fmul(safe, math.constant(16_777_216.0)), i32_type);
    let cut = b.select(small, subnormal, normal);
    let large = b.icmp(IntPredicate::LLVMIntUGE, magnitude, math.int(143 << 23));
    let cut = b.select(large, math.int(0x7c00), cut);
    let sign = b.and(b.lshr(bits, math.int(16)), math.int(0x8000));
    let nan = b.fcmp(RealPredicate::LLVMRealUNO, result, result);
    let word = b.select(nan, math.int(0x7fff), b.or(cut, sign));
    b.bitcast(b.trunc(word, i16_type), b.context().half())
}

/// 2^x where it may be subnormal is the square of 2^(x / 2).
fn ex2<'c>(math: &Math<'_, 'c>, x: Value<'c>) -> Value<'c> {
    let b = &math.builder;
    let low = math.compare(RealPredicate::LLVMRealOLT, x, -126.0);
    let power = mufu::ex2(math, b.select(low, b.fmul(x, math.constant(0.5)), x));
    b.select(low, b.fmul(power, power), power)
}

/// Whether the number is subnormal or zero, and 2^24 times it if so.
fn normal<'c>(math: &Math<'_, 'c>, x: Value<'c>) -> (Value<'c>, Value<'c>) {
    let b = &math.builder;
    let magnitude = math.intrinsic("llvm.fabs", x);
    let tiny = math.compare(RealPredicate::LLVMRealOLT, magnitude, f32::MIN_POSITIVE as f64);
    (tiny, b.select(tiny, b.fmul(x, math.constant(16_777_216.0)), x))
}

fn lg2<'c>(math: &Math<'_, 'c>, x: Value<'c>) -> Value<'c> {
    let b = &math.builder;
    let (tiny, x) = normal(math, x);
    let result = mufu::lg2(math, x);
    b.select(tiny, b.fadd(result, math.constant(-24.0)), result)
}

fn rsqrt<'c>(math: &Math<'_, 'c>, x: Value<'c>) -> Value<'c> {
    let b = &math.builder;
    let (tiny, x) = normal(math, x);
    let result = mufu::rsqrt(math, x);
    b.select(tiny, b.fmul(result, math.constant(4096.0)), result)
}

/// A step of Newton's from what MUFU gives for the upper word, where subnormals are scaled.
fn rsqrt_double<'c>(math: &Math<'_, 'c>, x: Value<'c>) -> Value<'c> {
    let b = &math.builder;
    let ty = x.ty();
    let fused = |x, y, z| b.intrinsic(math.module, "llvm.fma", &[ty], &[x, y, z]);
    let magnitude = math.intrinsic("llvm.fabs", x);
    let tiny = math.compare(RealPredicate::LLVMRealOLT, magnitude, f64::MIN_POSITIVE);
    let scaled = b.select(tiny, b.fmul(x, math.double(2f64.powi(54))), x);
    let root = mufu::rsqrt_high_word(math, scaled);
    let error = fused(scaled, b.fneg(b.fmul(root, root)), math.double(1.0));
    let factor = fused(error, math.double(0.375), math.double(0.5));
    let better = fused(factor, b.fmul(root, error), root);
    let result = b.select(tiny, b.fmul(better, math.double(2f64.powi(27))), better);
    // What is negative, zero or infinite has no such step. NaNs stay, made quiet.
    let negative = math.compare(RealPredicate::LLVMRealOLT, x, 0.0);
    let invalid = b.bitcast(math.long(0xfff8 << 48), ty);
    let result = b.select(negative, invalid, result);
    let infinite = math.compare(RealPredicate::LLVMRealOEQ, x, f64::INFINITY);
    let result = b.select(infinite, ty.zero(), result);
    let infinity = ty.const_float(f64::INFINITY);
    let pole = b.intrinsic(math.module, "llvm.copysign", &[ty], &[infinity, x]);
    let result = b.select(math.compare(RealPredicate::LLVMRealOEQ, x, 0.0), pole, result);
    let nan = b.fcmp(RealPredicate::LLVMRealUNO, x, x);
    b.select(nan, b.fadd(x, x), result)
}

fn sqrt<'c>(math: &Math<'_, 'c>, x: Value<'c>) -> Value<'c> {
    let b = &math.builder;
    let (tiny, x) = normal(math, x);
    let result = mufu::sqrt(math, x);
    b.select(tiny, b.fmul(result, math.constant(1.0 / 4096.0)), result)
}

/// The product with the reciprocal. A divisor that MUFU would take for zero, or whose reciprocal it would, is
/// scaled, and the dividend with it, where the form says so.
pub fn quotient<'c>(
    math: &Math<'_, 'c>,
    division: &Division,
    a: Value<'c>,
    b: Value<'c>,
) -> Value<'c> {
    let o = &math.builder;
    let size = math.intrinsic("llvm.fabs", b);
    let mut factor = None;
    if !division.ftz {
        let tiny = math.compare(RealPredicate::LLVMRealOLT, size, f32::MIN_POSITIVE as f64);
        factor = Some(o.select(tiny, math.constant(16_777_216.0), math.constant(1.0)));
    }
    if division.full {
        let huge = math.compare(RealPredicate::LLVMRealOGT, size, 2f64.powi(126));
        let otherwise = factor.unwrap_or_else(|| math.constant(1.0));
        factor = Some(o.select(huge, math.constant(0.25), otherwise));
    }
    let [a, b] = [a, b].map(|value| factor.map_or(value, |factor| o.fmul(value, factor)));
    let a = if division.ftz { math.flush(a) } else { a };
    o.fmul(math.unit("rcp", mufu::rcp, b), a)
}

/// Operand and result are scaled so that neither is subnormal for MUFU.
fn rcp<'c>(math: &Math<'_, 'c>, x: Value<'c>) -> Value<'c> {
    let b = &math.builder;
    let magnitude = math.intrinsic("llvm.fabs", x);
    let tiny = math.compare(RealPredicate::LLVMRealOLT, magnitude, f32::MIN_POSITIVE as f64);
    let huge = math.compare(RealPredicate::LLVMRealOGT, magnitude, 2f64.powi(126));
    let factor = b.select(tiny, math.constant(16_777_216.0), math.constant(1.0));
    let factor = b.select(huge, math.constant(0.25), factor);
    b.fmul(mufu::rcp(math, b.fmul(x, factor)), factor)
}

/// sin(x + quarters * pi / 2): MUFU takes x / (2 pi), a product cut to a float.
fn turned<'c>(math: &Math<'_, 'c>, x: Value<'c>, quarters: u32) -> Value<'c> {
    let b = &math.builder;
    // Exact as a double; subnormal results count as zero.
    let product = b.fmul(b.fpext(x, math.f64()), math.double(INVERSE_OF_A_TURN));
    let bits = b.and(b.bitcast(product, math.i64()), math.long(!0 << 29));
    let magnitude = math.intrinsic("llvm.fabs", x);
    let finite = math.compare(RealPredicate::LLVMRealOLT, magnitude, f64::INFINITY);
    let bits = b.select(finite, bits, math.long(0));
    let result = mufu::sin(math, b.bitcast(bits, math.f64()), quarters);
    b.select(finite, result, math.float(math.int(0x7fff_ffff)))
}

/// 0x3e22f983, the float next to 1 / (2 pi).
const INVERSE_OF_A_TURN: f64 = 0.159_154_936_671_257_02;
