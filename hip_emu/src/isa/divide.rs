//! The three instructions that compilers build division from: a quotient is refined by multiply-adds between a
//! scaling of its operands and a repair of its result.
//!
//! Where both operands are scaled, quotients stay as they are; where one is, a flag says so, and the last
//! multiply-add scales its result back before it is rounded, so that quotients are rounded once even where they are
//! subnormal. The manual's pseudo code gives the scales' size only, not always their direction: the direction is the
//! one that keeps all intermediate results in range.

use super::float::arithmetic::fma;
use super::float::{F16, F32, F64, Float, Format, exact};
use super::table::{and_flag, values, with_flag};
use super::{Mode, Round};

/// The constants of a division, which differ by format.
trait Division: Format {
    /// Operands are scaled by this power of two.
    const SCALE: i32;
    /// From this difference of exponents on a quotient may overflow on its way.
    const FAR: i32;
    /// Numerators up to this exponent leave remainders that cannot be represented.
    const TINY: i32;
    /// Below this difference of exponents a quotient is zero.
    const VANISHING: i32;
}

impl Division for super::float::Single {
    const SCALE: i32 = 64;
    const FAR: i32 = 96;
    const TINY: i32 = 23;
    const VANISHING: i32 = -150;
}

impl Division for super::float::Double {
    const SCALE: i32 = 128;
    const FAR: i32 = 768;
    const TINY: i32 = 53;
    const VANISHING: i32 = -1075;
}

and_flag! { SCALES, mode;
    v_div_scale_f32(a: F32, denominator: F32, numerator: F32) -> F32 = scale(mode, a, denominator, numerator);
    v_div_scale_f64(a: F64, denominator: F64, numerator: F64) -> F64 = scale(mode, a, denominator, numerator);
}

with_flag! { LAST_STEPS, mode, flag;
    v_div_fmas_f32(a: F32, b: F32, c: F32) -> F32 = last_step(mode, a, b, c, flag);
    v_div_fmas_f64(a: F64, b: F64, c: F64) -> F64 = last_step(mode, a, b, c, flag);
}

values! { REPAIRS, mode;
    v_div_fixup_f32(a: F32, denominator: F32, numerator: F32) -> F32 =
        repair(mode, a, denominator, numerator, Some(<super::float::Single as Division>::VANISHING));
    v_div_fixup_f64(a: F64, denominator: F64, numerator: F64) -> F64 =
        repair(mode, a, denominator, numerator, Some(<super::float::Double as Division>::VANISHING));
    v_div_fixup_f16(a: F16, denominator: F16, numerator: F16) -> F16 = repair(mode, a, denominator, numerator, None);
}

/// `a`, which is the denominator or the numerator, scaled; and whether only one of them is.
fn scale<F: Division>(
    mode: &Mode,
    a: Float<F>,
    denominator: Float<F>,
    numerator: Float<F>,
) -> (Float<F>, bool) {
    let (a, denominator, numerator) = (a.read(mode), denominator.read(mode), numerator.read(mode));
    if denominator.is_zero() || numerator.is_zero() {
        return (Float::NAN, false);
    }
    let is_denominator = a.wide() == denominator.wide();
    let is_numerator = a.wide() == numerator.wide();
    let power = |power: i32| scaled(a, power);
    let small_reciprocal = is_small_quotient(Float::ONE, denominator);
    let small_quotient = is_small_quotient(numerator, denominator);
    if numerator.exponent() - denominator.exponent() >= F::FAR {
        (if is_denominator { power(F::SCALE) } else { a }, true)
    } else if denominator.is_subnormal() {
        (power(F::SCALE), false)
    } else if small_reciprocal && small_quotient {
        (if is_denominator { power(-F::SCALE) } else { a }, true)
    } else if small_reciprocal {
        (power(-F::SCALE), false)
    } else if small_quotient {
        (if is_numerator { power(F::SCALE) } else { a }, true)
    } else if numerator.exponent() <= F::TINY {
        (power(F::SCALE), false)
    } else {
        (a, false)
    }
}

/// Whether a quotient of finite numbers is below the smallest normal number.
fn is_small_quotient<F: Format>(numerator: Float<F>, denominator: Float<F>) -> bool {
    if numerator.magnitude() >= F::INFINITY || denominator.magnitude() >= F::INFINITY {
        return false;
    }
    let ((numerator_exponent, numerator), (denominator_exponent, denominator)) =
        (exact::unpack(numerator), exact::unpack(denominator));
    // numerator / denominator < 2^power, in integers.
    let power = 1 - F::BIAS - numerator_exponent + denominator_exponent;
    let (numerator, denominator) = (u128::from(numerator), u128::from(denominator));
    match power {
        64.. => true,
        0.. => numerator < denominator << power,
        -63..0 => numerator << -power < denominator,
        _ => false,
    }
}

fn scaled<F: Format>(a: Float<F>, power: i32) -> Float<F> {
    if a.magnitude() >= F::INFINITY {
        return a;
    }
    let (exponent, mantissa) = exact::unpack(a);
    exact::round(Round::NearestEven, a.is_negative(), exponent + power, mantissa.into())
}

/// A multiply-add onto the quotient `c`, scaled back if only one operand was scaled: a large quotient had its
/// denominator scaled up, a small one its numerator.
fn last_step<F: Division>(
    mode: &Mode,
    a: Float<F>,
    b: Float<F>,
    c: Float<F>,
    flag: bool,
) -> Float<F> {
    if !flag {
        return fma(mode, a, b, c);
    }
    let (a, b, c) = (a.read(mode), b.read(mode), c.read(mode));
    let power = if c.exponent() > F::BIAS { F::SCALE } else { -F::SCALE };
    exact::fma(F::round(mode), a, b, c, power).result(mode, [a, b, c])
}

/// The quotient `a`, or what IEEE 754 says where it is no finite number or a zero.
fn repair<F: Format>(
    mode: &Mode,
    a: Float<F>,
    denominator: Float<F>,
    numerator: Float<F>,
    vanishing: Option<i32>,
) -> Float<F> {
    let (a, denominator, numerator) = (a.read(mode), denominator.read(mode), numerator.read(mode));
    let negative = denominator.is_negative() != numerator.is_negative();
    let quotient = if numerator.is_nan() {
        return numerator.quiet();
    } else if denominator.is_nan() {
        return denominator.quiet();
    } else if denominator.is_zero() && numerator.is_zero()
        || denominator.is_infinite() && numerator.is_infinite()
    {
        return Float::NAN;
    } else if denominator.is_zero() || numerator.is_infinite() {
        Float::INFINITY
    } else if denominator.is_infinite() || numerator.is_zero() {
        Float::ZERO
    } else if vanishing.is_some_and(|least| numerator.exponent() - denominator.exponent() < least) {
        // Smaller than anything.
        exact::round(F::round(mode), negative, -0x8000, 1)
    } else if a.magnitude() >= F::INFINITY {
        // Larger than anything: what led here is an infinity, or a NaN made of two.
        exact::overflow(F::round(mode), negative)
    } else {
        a
    };
    quotient.with_sign(negative).written(mode)
}

#[cfg(test)]
mod tests {
    use super::super::float::arithmetic::{mul, through_f64, through_f64_flushed};
    use super::super::float::{Double, Single};
    use super::super::value::Value;
    use super::*;
    use crate::isa::testing::{self, NEAREST};

    /// The quotient as LLVM expands a division with subnormals: `rcp` is the hardware's reciprocal.
    fn quotient<F: Division>(
        mode: &Mode,
        numerator: Float<F>,
        denominator: Float<F>,
        rcp: impl Fn(Float<F>) -> Float<F>,
        steps: usize,
    ) -> Float<F> {
        let (scaled_denominator, _) = scale(mode, denominator, denominator, numerator);
        let (scaled_numerator, flag) = scale(mode, numerator, denominator, numerator);
        let negative = scaled_denominator.negated();
        let mut reciprocal = rcp(scaled_denominator);
        for _ in 0..steps {
            let error = fma(mode, negative, reciprocal, Float::ONE);
            reciprocal = fma(mode, error, reciprocal, reciprocal);
        }
        let mut quotient = mul(mode, scaled_numerator, reciprocal);
        if F::BITS == 32 {
            let error = fma(mode, negative, quotient, scaled_numerator);
            quotient = fma(mode, error, reciprocal, quotient);
        }
        let error = fma(mode, negative, quotient, scaled_numerator);
        let quotient = last_step(mode, error, reciprocal, quotient, flag);
        repair(mode, quotient, denominator, numerator, Some(F::VANISHING))
    }

    // That reciprocals are rounded correctly matters where a denominator's fraction is all ones.
    fn rcp_f32(a: F32) -> F32 {
        through_f64_flushed(&NEAREST, a, f64::recip)
    }

    fn rcp_f64(a: F64) -> F64 {
        through_f64(&NEAREST, a, f64::recip)
    }

    #[test]
    fn quotients_of_singles_are_rounded_correctly() {
        testing::pairs(32, |a, b| {
            let got = quotient::<Single>(&NEAREST, F32::of(a), F32::of(b), rcp_f32, 1);
            let expected = f32::from_bits(a as u32) / f32::from_bits(b as u32);
            let same = if expected.is_nan() {
                got.is_nan()
            } else {
                got.bits() == u64::from(expected.to_bits())
            };
            assert!(same, "{a:#x} / {b:#x} is {:#x}, not {:#x}", got.bits(), expected.to_bits());
        });
    }

    #[test]
    fn quotients_of_doubles_are_rounded_correctly() {
        testing::pairs(64, |a, b| {
            let got = quotient::<Double>(&NEAREST, F64::of(a), F64::of(b), rcp_f64, 2);
            let expected = f64::from_bits(a) / f64::from_bits(b);
            let same =
                if expected.is_nan() { got.is_nan() } else { got.bits() == expected.to_bits() };
            assert!(same, "{a:#x} / {b:#x} is {:#x}, not {:#x}", got.bits(), expected.to_bits());
        });
    }
}
