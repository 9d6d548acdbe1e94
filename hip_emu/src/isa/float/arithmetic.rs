//! Operations on floats, in the wave's mode.

use super::super::value::Value;
use super::super::{Mode, Round};
use super::{F32, Float, Format, exact};
use std::cmp::Ordering;

/// `a + b`, rounded as the mode says.
#[inline(always)]
pub fn add<F: Format>(mode: &Mode, a: Float<F>, b: Float<F>) -> Float<F> {
    let (a, b) = (a.read(mode), b.read(mode));
    let sum = match F::round(mode) {
        Round::NearestEven => Float::of(F::add(a.bits(), b.bits())),
        round => exact::fma(round, a, Float::ONE, b, 0),
    };
    sum.result(mode, [a, b])
}

/// `a - b`, rounded as the mode says.
#[inline(always)]
pub fn sub<F: Format>(mode: &Mode, a: Float<F>, b: Float<F>) -> Float<F> {
    add(mode, a, b.negated())
}

/// `a * b`, rounded as the mode says.
#[inline(always)]
pub fn mul<F: Format>(mode: &Mode, a: Float<F>, b: Float<F>) -> Float<F> {
    let (a, b) = (a.read(mode), b.read(mode));
    let product = match F::round(mode) {
        Round::NearestEven => Float::of(F::mul(a.bits(), b.bits())),
        round => {
            let nothing = Float::ZERO.with_sign(a.is_negative() != b.is_negative());
            exact::fma(round, a, b, nothing, 0)
        }
    };
    product.result(mode, [a, b])
}

/// `a * b + c`, rounded once, as the mode says.
#[inline(always)]
pub fn fma<F: Format>(mode: &Mode, a: Float<F>, b: Float<F>, c: Float<F>) -> Float<F> {
    let (a, b, c) = (a.read(mode), b.read(mode), c.read(mode));
    let sum = match F::round(mode) {
        Round::NearestEven => Float::of(F::fma(a.bits(), b.bits(), c.bits())),
        round => exact::fma(round, a, b, c, 0),
    };
    sum.result(mode, [a, b, c])
}

/// A product and a sum, each rounded.
pub fn mad<F: Format>(mode: &Mode, a: Float<F>, b: Float<F>, c: Float<F>) -> Float<F> {
    add(mode, mul(mode, a, b), c)
}

/// Zero times anything is zero.
pub fn mul_zero<F: Format>(mode: &Mode, a: Float<F>, b: Float<F>) -> Float<F> {
    if a.read(mode).is_zero() || b.read(mode).is_zero() { Float::ZERO } else { mul(mode, a, b) }
}

/// The same, and a sum.
pub fn fma_zero<F: Format>(mode: &Mode, a: Float<F>, b: Float<F>, c: Float<F>) -> Float<F> {
    if a.read(mode).is_zero() || b.read(mode).is_zero() { c.read(mode) } else { fma(mode, a, b, c) }
}

/// The order of two operands; nothing where one is a NaN.
#[inline(always)]
pub fn order<F: Format>(mode: &Mode, a: Float<F>, b: Float<F>) -> Option<Ordering> {
    a.read(mode).wide().partial_cmp(&b.read(mode).wide())
}

/// The result of `v_min` and `v_max` where an operand is a NaN: the other one, but a signalling NaN in IEEE mode.
#[cold]
fn other_than_nan<F: Format>(mode: &Mode, a: Float<F>, b: Float<F>) -> Float<F> {
    match (mode.ieee, a.is_signalling(), b.is_signalling()) {
        (true, true, _) => a.quiet(),
        (true, false, true) => b.quiet(),
        _ if b.is_nan() => a,
        _ => b,
    }
}

/// An extremum by rank, and what there is where an operand is a NaN.
macro_rules! extremum {
    ($name:ident, $relation:tt, $nan:ident) => {
        /// The operand that is first by the relation of ranks; `$nan` decides where one is a NaN.
        #[inline(always)]
        pub fn $name<F: Format>(mode: &Mode, a: Float<F>, b: Float<F>) -> Float<F> {
            let (a, b) = (a.read(mode), b.read(mode));
            if a.is_nan() || b.is_nan() {
                return $nan(mode, a, b).written(mode);
            }
            (if a.rank() $relation b.rank() { a } else { b }).written(mode)
        }
    };
}

extremum!(min, <, other_than_nan);
extremum!(max, >, other_than_nan);
extremum!(min_num, <, number);
extremum!(max_num, >, number);
extremum!(minimum, <, nan);
extremum!(maximum, >, nan);

/// The operand that is a number, if there is one.
#[cold]
fn number<F: Format>(_: &Mode, a: Float<F>, b: Float<F>) -> Float<F> {
    match (a.is_nan(), b.is_nan()) {
        (true, true) => a.quiet(),
        (true, false) => b,
        _ => a,
    }
}

/// The operand that is a NaN, a signalling one first.
#[cold]
fn nan<F: Format>(_: &Mode, a: Float<F>, b: Float<F>) -> Float<F> {
    if a.is_signalling() || !b.is_signalling() && a.is_nan() { a.quiet() } else { b.quiet() }
}

/// The middle one; the smallest where there is a NaN.
macro_rules! median {
    ($name:ident, $min:ident, $max:ident) => {
        /// The middle one of three operands.
        pub fn $name<F: Format>(mode: &Mode, a: Float<F>, b: Float<F>, c: Float<F>) -> Float<F> {
            if a.is_nan() || b.is_nan() || c.is_nan() {
                return $min(mode, $min(mode, a, b), c);
            }
            let largest = $max(mode, $max(mode, a, b), c).wide();
            if largest == a.read(mode).wide() {
                $max(mode, b, c)
            } else if largest == b.read(mode).wide() {
                $max(mode, a, c)
            } else {
                $max(mode, a, b)
            }
        }
    };
}

median!(med3, min, max);
median!(med3_num, min_num, max_num);

/// A function of one operand whose result in `f64` is exact, or rounded so finely that rounding it again does no
/// harm.
#[inline(always)]
pub fn through_f64<F: Format>(mode: &Mode, a: Float<F>, function: impl Fn(f64) -> f64) -> Float<F> {
    let a = a.read(mode);
    let result = Float::<F>::of(F::narrow(function(a.wide())));
    result.result(mode, [a])
}

/// The same for those functions of the hardware that know no subnormals.
#[inline(always)]
pub fn through_f64_flushed<F: Format>(
    mode: &Mode,
    a: Float<F>,
    function: impl Fn(f64) -> f64,
) -> Float<F> {
    through_f64(mode, a.flushed(), function).flushed()
}

/// The fraction of a number, below one: the largest number below one for tiny negative operands.
pub fn fract<F: Format>(mode: &Mode, a: Float<F>) -> Float<F> {
    let whole = through_f64(mode, a, f64::floor);
    let rest = sub(mode, a, whole);
    if rest.bits() == F::ONE { Float::of(F::ONE - 1) } else { rest }
}

/// `a * 2^power`.
pub fn ldexp<F: Format>(mode: &Mode, a: Float<F>, power: i32) -> Float<F> {
    let a = a.read(mode);
    if a.magnitude() >= F::INFINITY {
        return a.result(mode, [a]);
    }
    let (exponent, mantissa) = exact::unpack(a);
    // Far beyond the format's range, and far from where the sum wraps.
    let power = power.clamp(-0x8000, 0x8000);
    exact::round(F::round(mode), a.is_negative(), exponent + power, mantissa.into()).written(mode)
}

/// The power of two that brings a number into [0.5, 1); 0 for those that have none.
pub fn frexp_exponent<F: Format>(mode: &Mode, a: Float<F>) -> i32 {
    let a = a.read(mode);
    if a.magnitude() >= F::INFINITY || a.is_zero() {
        return 0;
    }
    let (exponent, mantissa) = exact::unpack(a);
    exponent + 64 - mantissa.leading_zeros() as i32
}

/// The number in [0.5, 1), with its sign.
pub fn frexp_mantissa<F: Format>(mode: &Mode, a: Float<F>) -> Float<F> {
    if a.magnitude() >= F::INFINITY || a.read(mode).is_zero() {
        return a.read(mode).result(mode, [a]);
    }
    ldexp(mode, a, -frexp_exponent(mode, a))
}

/// Whether the number is of a class whose bit is set: from signalling NaN, quiet NaN and -infinity to +infinity.
pub fn is_of_class<F: Format>(a: Float<F>, classes: u32) -> bool {
    let class = match (a.is_negative(), a.exponent()) {
        _ if a.is_signalling() => 0,
        _ if a.is_nan() => 1,
        (negative, _) if a.is_infinite() => {
            if negative {
                2
            } else {
                9
            }
        }
        (negative, 1..) => {
            if negative {
                3
            } else {
                8
            }
        }
        (negative, _) if a.is_subnormal() => {
            if negative {
                4
            } else {
                7
            }
        }
        (negative, _) => {
            if negative {
                5
            } else {
                6
            }
        }
    };
    classes >> class & 1 == 1
}

/// A sine of a number of turns. The hardware gives 0 beyond 256 turns.
pub fn sin_of_turns(turns: f64) -> f64 {
    if turns.is_infinite() {
        return f64::NAN;
    }
    if turns.abs() > 256.0 {
        return 0.0;
    }
    let rest = turns - turns.round();
    let quarter = if rest.abs() > 0.25 { 0.5_f64.copysign(rest) - rest } else { rest };
    if quarter == 0.0 { 0.0_f64.copysign(turns) } else { (quarter * std::f64::consts::TAU).sin() }
}

/// A cosine of a number of turns. The hardware gives 1 beyond 256 turns.
pub fn cos_of_turns(turns: f64) -> f64 {
    if turns.is_infinite() {
        return f64::NAN;
    }
    if turns.abs() > 256.0 {
        return 1.0;
    }
    let rest = (turns - turns.round()).abs();
    ((0.25 - rest) * std::f64::consts::TAU).sin()
}

/// The operand of a mixed multiply-add: bits of `number` choose a format, a half and signs.
fn mixed(mode: &Mode, source: u64, index: u32, number: u32) -> F32 {
    let is_set = |group: u32| number >> (group * 3 + index) & 1 == 1;
    let (high, half, negative, absolute) = (is_set(0), is_set(1), is_set(2), is_set(3));
    let value = match (half, high) {
        (false, _) => F32::of(source),
        (true, false) => super::convert::convert(mode, super::F16::of(source)),
        (true, true) => super::convert::convert(mode, super::F16::of(source >> 16)),
    };
    let value = if absolute { value.abs() } else { value };
    if negative { value.negated() } else { value }
}

/// Three of them.
pub fn mixed_operands(mode: &Mode, sources: [u32; 3], number: u32) -> [F32; 3] {
    [0, 1, 2].map(|index| mixed(mode, sources[index as usize].into(), index, number))
}
