//! Arithmetic in integers, for every rounding mode.

use super::super::Round;
use super::super::value::Value;
use super::{Float, Format};

/// `(-1)^negative * mantissa * 2^exponent`, rounded. The lowest bit of a mantissa with more than two bits beyond the
/// format's precision may stand for anything below it.
pub fn round<F: Format>(round: Round, negative: bool, exponent: i32, mantissa: u128) -> Float<F> {
    let sign = if negative { F::SIGN } else { 0 };
    if mantissa == 0 {
        return Float::of(sign);
    }
    let smallest = 1 - F::BIAS;
    let leading = exponent + 127 - mantissa.leading_zeros() as i32;
    let normal = leading.max(smallest);
    // The result is a multiple of this power of two.
    let unit = normal - F::FRACTION as i32;
    let kept = match unit - exponent {
        drop @ 1.. => divide(round, negative, mantissa, drop as u32),
        keep => (mantissa << -keep) as u64,
    };
    // A carry out of the fraction goes into the exponent, as it should.
    let biased = (normal + F::BIAS - 1) as u64;
    if biased >= F::INFINITY >> F::FRACTION {
        return overflow(round, negative);
    }
    let bits = (biased << F::FRACTION) + kept;
    if bits >= F::INFINITY { overflow(round, negative) } else { Float::of(sign | bits) }
}

/// By a power of two, rounded to an integer.
fn divide(round: Round, negative: bool, mantissa: u128, shift: u32) -> u64 {
    let (quotient, rest, half) = match shift {
        ..=127 => (mantissa >> shift, mantissa & ((1 << shift) - 1), 1 << (shift - 1)),
        128 => (0, mantissa, 1 << 127),
        _ => (0, 1, 2),
    };
    let up = match round {
        Round::NearestEven => rest > half || rest == half && quotient & 1 == 1,
        Round::Zero => false,
        Round::Up => rest != 0 && !negative,
        Round::Down => rest != 0 && negative,
    };
    quotient as u64 + u64::from(up)
}

/// The result of an overflow: infinity or the largest finite number, as rounding says.
pub fn overflow<F: Format>(round: Round, negative: bool) -> Float<F> {
    let infinite = match round {
        Round::NearestEven => true,
        Round::Zero => false,
        Round::Up => !negative,
        Round::Down => negative,
    };
    Float::of(F::INFINITY - u64::from(!infinite)).with_sign(negative)
}

/// A finite number's mantissa and the exponent of its last bit.
pub fn unpack<F: Format>(a: Float<F>) -> (i32, u64) {
    let fraction = a.magnitude() & ((1 << F::FRACTION) - 1);
    let lowest = 1 - F::BIAS - F::FRACTION as i32;
    match a.exponent() {
        0 => (lowest, fraction),
        exponent => (lowest + exponent - 1, fraction | 1 << F::FRACTION),
    }
}

/// `(a * b + c) * 2^scale`, rounded once.
pub fn fma<F: Format>(mode: Round, a: Float<F>, b: Float<F>, c: Float<F>, scale: i32) -> Float<F> {
    if [a, b, c].iter().any(|operand| operand.magnitude() >= F::INFINITY) {
        return Float::of(F::fma(a.bits(), b.bits(), c.bits()));
    }
    let ((a_exponent, a_mantissa), (b_exponent, b_mantissa), (c_exponent, c_mantissa)) =
        (unpack(a), unpack(b), unpack(c));
    let product = Term {
        negative: a.is_negative() != b.is_negative(),
        exponent: a_exponent + b_exponent,
        mantissa: u128::from(a_mantissa) * u128::from(b_mantissa),
    };
    let addend =
        Term { negative: c.is_negative(), exponent: c_exponent, mantissa: c_mantissa.into() };
    let sum = add(mode, product, addend);
    round(mode, sum.negative, sum.exponent + scale, sum.mantissa)
}

/// A number of any precision.
#[derive(Clone, Copy)]
struct Term {
    negative: bool,
    exponent: i32,
    mantissa: u128,
}

impl Term {
    /// With its highest bit next to the top, so that a sum fits.
    fn normalized(self) -> Term {
        match self.mantissa.leading_zeros() {
            128 => self,
            0 => self,
            zeros => Term {
                exponent: self.exponent - (zeros as i32 - 1),
                mantissa: self.mantissa << (zeros - 1),
                ..self
            },
        }
    }
}

/// Exactly, but for a lowest bit that stands for all below it.
fn add(mode: Round, a: Term, b: Term) -> Term {
    let zero = |negative| Term { negative, exponent: 0, mantissa: 0 };
    match (a.mantissa, b.mantissa) {
        (0, 0) if a.negative == b.negative => return a,
        (0, 0) => return zero(mode == Round::Down),
        (0, _) => return b,
        (_, 0) => return a,
        _ => {}
    }
    let (a, b) = (a.normalized(), b.normalized());
    let (large, small) =
        if (a.exponent, a.mantissa) >= (b.exponent, b.mantissa) { (a, b) } else { (b, a) };
    let aligned = shift_right(small.mantissa, (large.exponent - small.exponent) as u32);
    if large.negative == small.negative {
        Term { mantissa: large.mantissa + aligned, ..large }
    } else if large.mantissa == aligned {
        zero(mode == Round::Down)
    } else {
        Term { mantissa: large.mantissa - aligned, ..large }
    }
}

/// A shift in which the bits that fall out set the lowest one.
fn shift_right(a: u128, by: u32) -> u128 {
    match by {
        0 => a,
        1..=127 => a >> by | u128::from(a & ((1 << by) - 1) != 0),
        _ => u128::from(a != 0),
    }
}
