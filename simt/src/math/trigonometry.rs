//! Sine and cosine, to about 2^-23 in absolute terms for moderate operands. PTX promises 2^-20.5 within
//! [-pi, pi] and nothing useful far outside, where hardware's own reduction loses the operand.

use llvm_zluda::{IntPredicate, RealPredicate, Value};

use super::Math;

/// Beyond this the number of quarter turns does not fit an integer; the sine of such operands is
/// taken of zero.
const FARTHEST: f64 = 1.0e9;

/// pi / 2 in three parts, the first two short enough that multiples of them are exact.
const QUARTER_TURN: [f64; 3] = [1.570_312_5, 4.837_512_969_970_703e-4, 7.549_789_954_891_88e-8];

const SINE: [f64; 3] = [-1.666_665_461_1e-1, 8.332_160_873_6e-3, -1.951_529_589_1e-4];
const COSINE: [f64; 3] =
    [4.166_664_568_298_827e-2, -1.388_731_625_493_765e-3, 2.443_315_711_809_948e-5];

/// The sine of each lane's `x`, in radians.
pub fn sin<'c>(math: &Math<'_, 'c>, x: Value<'c>) -> Value<'c> {
    // Subnormal operands are flushed, with and without `.ftz`.
    turned(math, math.flush(x), 0)
}

/// The cosine of each lane's `x`, in radians.
pub fn cos<'c>(math: &Math<'_, 'c>, x: Value<'c>) -> Value<'c> {
    turned(math, x, 1)
}

/// sin(x + quarters * pi / 2)
fn turned<'c>(math: &Math<'_, 'c>, x: Value<'c>, quarters: u32) -> Value<'c> {
    let b = &math.builder;
    let safe = math.tame(x, FARTHEST);
    let turns =
        math.intrinsic("llvm.rint", b.fmul(safe, math.constant(std::f64::consts::FRAC_2_PI)));
    let reduced = QUARTER_TURN
        .iter()
        .fold(safe, |rest, &part| b.fsub(rest, b.fmul(turns, math.constant(part))));
    let square = b.fmul(reduced, reduced);

    let sine = b.fadd(b.fmul(b.fmul(math.polynomial(square, &SINE), square), reduced), reduced);
    let cosine = b.fmul(b.fmul(math.polynomial(square, &COSINE), square), square);
    let cosine = b.fadd(b.fsub(cosine, b.fmul(math.constant(0.5), square)), math.constant(1.0));

    let quadrant = b.add(b.fptosi(turns, b.context().i32()), math.int(quarters));
    let odd = b.icmp(IntPredicate::LLVMIntNE, b.and(quadrant, math.int(1)), math.int(0));
    let sign = b.shl(b.and(quadrant, math.int(2)), math.int(30));
    let result = math.float(b.xor(math.bits(b.select(odd, cosine, sine)), sign));
    // Infinities and NaN have no sine.
    let magnitude = math.intrinsic("llvm.fabs", x);
    let finite = math.compare(RealPredicate::LLVMRealOLT, magnitude, f64::INFINITY);
    b.select(finite, result, math.constant(f64::NAN))
}
