//! `MUFU.TANH`: the operand itself below 2^-8, 1 from 8 on, and between them a table with other segments in each binade.

use llvm_zluda::{IntPredicate, RealPredicate, Value};

use super::tables::{TANH, TANH_BINADES};
use super::{FRACTION, NAN, ONE, SIGN};
use crate::math::Math;

/// Exponents as they are written, from 2^-8 on.
const FIRST: u32 = 127 - 8;
/// Results of binades below this one count in smaller units.
const HALF: u32 = 7;
/// Units of C0 and of sums: 2^-26 and 2^-40.
const HEIGHT: f64 = (1 << 14) as f64;
const UNIT: i32 = -40;
const PLACE_BITS: u32 = 17;

/// `MUFU.TANH`: the hyperbolic tangent of x.
pub fn tanh<'c>(math: &Math<'_, 'c>, x: Value<'c>) -> Value<'c> {
    let b = &math.builder;
    let bits = math.bits(x);
    let magnitude = b.and(bits, math.int(!SIGN));
    let binade = b.sub(b.lshr(magnitude, math.int(23)), math.int(FIRST));
    let binades = TANH_BINADES.len() as u32;
    let has_segments = b.icmp(IntPredicate::LLVMIntULT, binade, math.int(binades));
    let binade = b.select(has_segments, binade, math.int(0));

    let (shape, _) = math.look_up("zluda.mufu.tanh.binades", shapes(), binade);
    let field = |from: u32| b.and(b.lshr(shape, math.int(from)), math.int(0xff));
    let (first, width, unit) = (field(0), field(8), field(16));
    let place = b.lshr(b.and(bits, math.int(FRACTION)), width);
    let segment = b.add(first, b.lshr(place, math.int(PLACE_BITS)));
    let square = math.square(&math.place(place, PLACE_BITS));
    let place = b.and(place, math.int((1 << PLACE_BITS) - 1));

    let slopes = |row: &[i32; 3]| (row[1] << 16 | row[2] & 0xffff) as u32;
    let rows = TANH.iter().map(|row| (row[0] as u32, slopes(row)));
    let (height, slopes) = math.look_up("zluda.mufu.tanh", rows, segment);
    let height = math.to_double(height);
    let slope = math.to_double(b.lshr(slopes, math.int(16)));
    let curve = b.ashr(b.shl(slopes, math.int(16)), math.int(16));
    let bent = math.to_double(b.mul(curve, square));
    let rest = b.fadd(b.fmul(slope, math.to_double(place)), bent);
    let exponent = b.add(b.zext(unit, math.i64()), math.long(1023));
    let factor = b.bitcast(b.shl(exponent, math.long(52)), math.f64());
    let sum = b.fadd(b.fmul(height, math.double(HEIGHT)), b.fmul(rest, factor));

    let below = b.icmp(IntPredicate::LLVMIntULT, binade, math.int(HALF));
    let lower = b.shl(b.sub(binade, math.int(HALF)), math.int(23));
    let result = b.add(math.bits(math.cut(sum, UNIT)), b.select(below, lower, math.int(0)));
    let small = b.icmp(IntPredicate::LLVMIntULT, magnitude, math.int(FIRST * ONE));
    let rest = b.select(small, magnitude, math.int(127 * ONE));
    let result = b.or(b.select(has_segments, result, rest), b.and(bits, math.int(SIGN)));
    let nan = b.fcmp(RealPredicate::LLVMRealUNO, x, x);
    math.float(math.select_bits(nan, NAN, result))
}

/// For each binade a word: its first segment, how far the fraction is shifted, and the unit of C1 and C2.
fn shapes() -> impl Iterator<Item = (u32, u32)> {
    TANH_BINADES.iter().scan(0, |first, &(segments, unit)| {
        let word = *first | (23 - PLACE_BITS - segments) << 8 | unit << 16;
        *first += 1 << segments;
        Some((word, 0))
    })
}
