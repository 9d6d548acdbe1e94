//! Results in every format and rounding mode against LLVM's arithmetic in software.

use super::super::Round;
use super::super::testing::{self, NEAREST};
use super::super::value::Value;
use super::convert::from_f64;
use super::{Bf16, Double, Float, Format, Half, Single, exact};
use rustc_apfloat::{Float as _, FloatConvert, ieee};
use splitmix::mix;

const ROUNDS: [(Round, rustc_apfloat::Round); 4] = [
    (Round::NearestEven, rustc_apfloat::Round::NearestTiesToEven),
    (Round::Up, rustc_apfloat::Round::TowardPositive),
    (Round::Down, rustc_apfloat::Round::TowardNegative),
    (Round::Zero, rustc_apfloat::Round::TowardZero),
];

/// A format as LLVM has it.
trait Reference: Format {
    type Of: rustc_apfloat::Float + FloatConvert<ieee::Double>;
}

impl Reference for Half {
    type Of = ieee::Half;
}

impl Reference for Bf16 {
    type Of = ieee::BFloat;
}

impl Reference for Single {
    type Of = ieee::Single;
}

impl Reference for Double {
    type Of = ieee::Double;
}

/// NaNs aside, whose bits follow the hardware's rules.
fn agree<F: Format>(ours: Float<F>, theirs: u128, what: impl Fn() -> String) {
    let theirs = Float::<F>::of(theirs as u64);
    let same = ours.bits() == theirs.bits() || ours.is_nan() && theirs.is_nan();
    assert!(same, "{}: {:#x}, but {:#x} in LLVM", what(), ours.bits(), theirs.bits());
}

/// Each of the operands in one of the rounding modes.
fn sums_of_products<F: Reference>() {
    let mut turn = 0;
    testing::triples(F::BITS, |operands| {
        turn += 1;
        let (ours, theirs) = ROUNDS[mix(turn) as usize % ROUNDS.len()];
        let [a, b, c] = operands.map(Float::<F>::of);
        let found = exact::fma(ours, a, b, c, 0);
        let [a, b, c] = operands.map(|bits| F::Of::from_bits(bits.into()));
        let expected = a.mul_add_r(b, c, theirs).value.to_bits();
        agree(found, expected, || format!("{operands:#x?}, {ours:?}"));
    });
}

#[test]
fn products_and_sums_are_rounded_once() {
    sums_of_products::<Half>();
    sums_of_products::<Bf16>();
    sums_of_products::<Single>();
    sums_of_products::<Double>();
}

/// To nearest the host computes.
#[test]
fn the_host_rounds_to_nearest_once() {
    fn check<F: Reference>() {
        testing::triples(F::BITS, |[a, b, c]| {
            let [x, y, z] = [a, b, c].map(|bits| F::Of::from_bits(bits.into()));
            let what = || format!("{a:#x}, {b:#x}, {c:#x}");
            agree(Float::<F>::of(F::add(a, b)), (x + y).value.to_bits(), what);
            agree(Float::<F>::of(F::mul(a, b)), (x * y).value.to_bits(), what);
            agree(Float::<F>::of(F::fma(a, b, c)), x.mul_add(y, z).value.to_bits(), what);
        });
    }
    check::<Half>();
    check::<Bf16>();
    check::<Single>();
    check::<Double>();
}

/// A double with what lies close to it on both sides, in all rounding modes.
fn narrowed<F: Reference>(value: f64)
where
    ieee::Double: FloatConvert<F::Of>,
{
    for value in [value, value.next_up(), value.next_down(), -value] {
        for (ours, theirs) in ROUNDS {
            let found: Float<F> = from_f64(&NEAREST, ours, value);
            let double = ieee::Double::from_bits(value.to_bits().into());
            let expected: F::Of = double.convert_r(theirs, &mut false).value;
            agree(found, expected.to_bits(), || format!("{value:e}, {ours:?}"));
        }
    }
}

/// Each value of a format of 16 bits is widened; it, and the middle to the next one, are narrowed again.
fn every_value<F: Reference>()
where
    ieee::Double: FloatConvert<F::Of>,
{
    for bits in 0..=u64::from(u16::MAX) {
        let (value, theirs) = (F::widen(bits), F::Of::from_bits(bits.into()));
        if value.is_nan() {
            assert!(theirs.is_nan(), "{bits:#x}");
            continue;
        }
        let wide: ieee::Double = theirs.convert(&mut false).value;
        assert_eq!(u128::from(value.to_bits()), wide.to_bits(), "{bits:#x}");
        narrowed::<F>(value);
        if Float::<F>::of(bits).magnitude() < F::INFINITY {
            // Beyond the greatest number lies what would be the next one.
            let next = F::widen(bits + 1);
            let next = if next.is_finite() { next } else { 2.0 * value - F::widen(bits - 1) };
            narrowed::<F>((value + next) / 2.0);
        }
    }
}

#[test]
fn all_halves_are_widened_and_narrowed() {
    every_value::<Half>();
    every_value::<Bf16>();
}

#[test]
fn doubles_are_narrowed_to_singles() {
    testing::pairs(32, |bits, _| {
        let value = f64::from(f32::from_bits(bits as u32));
        narrowed::<Single>(value);
        // The middle to the next one.
        let lower = value.to_bits() | 1 << 28;
        narrowed::<Single>(f64::from_bits(lower));
    });
}
