//! From one format to another, and from and to integers.

use super::super::value::Value;
use super::super::{Mode, Round};
use super::{F64, Float, Format, exact};

/// Exactly; of a NaN the bits that are there.
pub fn widen<F: Format>(a: u64) -> f64 {
    let magnitude = a & !F::SIGN;
    let sign = (a & F::SIGN) << (64 - F::BITS);
    let unsigned = if magnitude >= F::INFINITY {
        f64::INFINITY.to_bits() | (magnitude - F::INFINITY) << (52 - F::FRACTION)
    } else if magnitude >> F::FRACTION != 0 {
        (magnitude << (52 - F::FRACTION)) + (((1023 - F::BIAS) as u64) << 52)
    } else {
        let unit = f64::from_bits(((1023 + 1 - F::BIAS - F::FRACTION as i32) as u64) << 52);
        (magnitude as f64 * unit).to_bits()
    };
    f64::from_bits(unsigned | sign)
}

/// To nearest even, for formats narrower than `f32`.
pub fn narrow<F: Format>(a: f64) -> u64 {
    let magnitude = a.abs().to_bits();
    let sign = (a.to_bits() & 1 << 63) >> (64 - F::BITS);
    let shift = 52 - F::FRACTION;
    let smallest_normal = ((1023 + 1 - F::BIAS) as u64) << 52;
    let unsigned = if magnitude > f64::INFINITY.to_bits() {
        F::INFINITY | F::QUIET | magnitude >> shift & ((1 << F::FRACTION) - 1)
    } else if magnitude >= smallest_normal {
        let even = magnitude >> shift & 1;
        let rounded = magnitude + ((1 << (shift - 1)) - 1) + even;
        ((rounded >> shift) - (((1023 - F::BIAS) as u64) << F::FRACTION)).min(F::INFINITY)
    } else {
        // The sum's last bit is worth the smallest subnormal number.
        let magic = f64::from_bits(((1023 + 52 + 1 - F::BIAS - F::FRACTION as i32) as u64) << 52);
        (f64::from_bits(magnitude) + magic).to_bits() - magic.to_bits()
    };
    unsigned | sign
}

/// The sum, or where it is not exact that neighbour whose last bit is set: rounded again, to half the precision or
/// less, it gives what the exact sum gives.
pub fn sum_to_odd(a: f64, b: f64) -> f64 {
    let sum = a + b;
    let b_part = sum - a;
    let error = (a - (sum - b_part)) + (b - b_part);
    if error == 0.0 || !sum.is_finite() || sum.to_bits() & 1 == 1 {
        return sum;
    }
    // Away from zero where the error has the sum's sign.
    let outwards = error.is_sign_negative() == sum.is_sign_negative();
    f64::from_bits(if outwards { sum.to_bits() + 1 } else { sum.to_bits() - 1 })
}

/// To another format, in that format's rounding mode.
pub fn convert<F: Format, T: Format>(mode: &Mode, a: Float<F>) -> Float<T> {
    convert_in(mode, T::round(mode), a)
}

/// The same, in a given rounding mode.
#[inline(always)]
pub fn convert_in<F: Format, T: Format>(mode: &Mode, round: Round, a: Float<F>) -> Float<T> {
    from_f64(mode, round, a.read(mode).wide())
}

/// A result whose exact value `a` is; a NaN becomes quiet.
#[inline(always)]
pub fn from_f64<T: Format>(mode: &Mode, round: Round, a: f64) -> Float<T> {
    if round == Round::NearestEven || !a.is_finite() || T::FRACTION == 52 {
        let result = Float::<T>::of(T::narrow(a));
        return if result.is_nan() { result.quiet() } else { result.written(mode) };
    }
    let wide = F64::of(a.to_bits());
    let (exponent, mantissa) = exact::unpack(wide);
    exact::round(round, wide.is_negative(), exponent, mantissa.into()).written(mode)
}

/// An integer of no more than 33 bits.
pub fn from_integer<T: Format>(mode: &Mode, a: i64) -> Float<T> {
    from_f64(mode, T::round(mode), a as f64)
}
