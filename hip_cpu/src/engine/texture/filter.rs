//! Averages of texels.

use super::coordinate::WEIGHT;
use super::texel::Number;

/// The least half that has all bits of its significand, and how many of the least half are 1.
const HALF_NORMAL: f64 = 1.0 / (1 << 14) as f64;
const HALF_UNITS: f64 = (1 << 24) as f64;

/// The average of one channel: numbers, their weights, and the slices that they are of.
#[inline]
pub fn channel(
    numbers: impl Iterator<Item = (Number, i64)> + Clone,
    slices: impl Iterator<Item = usize> + Clone,
) -> u32 {
    let Some((first, _)) = numbers.clone().next() else { return 0 };
    const HALF: i64 = 1 << (WEIGHT - 1);
    let sum = |value: fn(Number) -> i64| -> i64 {
        numbers.clone().map(|(number, weight)| value(number) * weight).sum()
    };
    // Of each slice, four bits below the last one of the greatest number count.
    let average = |significand: i32| -> f64 {
        const GUARD: i32 = 4;
        let sum_of = |wanted: usize| -> f64 {
            // Texels without weight do not count, whatever they are.
            let all = || {
                let here = numbers.clone().zip(slices.clone());
                here.filter(move |((_, weight), slice)| *weight != 0 && *slice == wanted)
                    .map(|((number, weight), _)| (float(number), weight as f64))
            };
            let greatest = all().map(|(number, _)| number.abs()).fold(0.0, f32::max);
            let exponent = (greatest.to_bits() >> 23) as i32 - 127;
            let last = exponent + 1 - significand - GUARD;
            let (unit, units) = (power_of_two(last), power_of_two(-last));
            let cut = |value: f64| match greatest.is_finite() && !value.is_nan() {
                // No more than 28 bits: without SSE 4.1 `f64::trunc` is a call.
                true => ((value * units) as i64 as f64 * unit).copysign(value),
                false => value,
            };
            all().map(|(number, weight)| cut(number.into()) * weight).sum()
        };
        let slices = slices.clone().max().unwrap_or(0) + 1;
        let sum: f64 = (0..slices).map(sum_of).sum();
        sum / f64::from(1 << WEIGHT)
    };
    match first {
        Number::Whole(..) => {
            let sum = sum(|number| match number {
                Number::Whole(value, _) => value,
                _ => 0,
            });
            // Those of 32 bits are rounded down.
            let half = if matches!(first, Number::Whole(_, 32)) { 0 } else { HALF };
            ((sum + half) >> WEIGHT) as u32
        }
        Number::Unsigned(..) => {
            let sum = sum(|number| match number {
                Number::Unsigned(value, _) => value.into(),
                _ => 0,
            });
            (((sum + HALF) >> WEIGHT) as f32 / 65535.0).to_bits()
        }
        Number::Signed8(..) => {
            let sum = sum(|number| match number {
                Number::Signed8(value, _) => value.into(),
                _ => 0,
            });
            // Of 127 * 256 to of 32767.
            let wide = sum + ((sum + 64 + 16 * (sum >> 12)) >> 7);
            (wide.max(-32767) as f32 / 32767.0).to_bits()
        }
        Number::Signed16(..) => {
            let sum = sum(|number| match number {
                Number::Signed16(value, _) => value.into(),
                _ => 0,
            });
            (((sum + HALF) >> WEIGHT).max(-32767) as f32 / 32767.0).to_bits()
        }
        Number::Srgb(..) => {
            let exponents = numbers.clone().filter_map(|(number, weight)| match number {
                Number::Srgb(_, exponent) if weight != 0 => Some(exponent),
                _ => None,
            });
            let Some(exponent) = exponents.max() else { return 0 };
            // All of them get the exponent of the greatest, which cuts bits off the others.
            let sum: i64 = numbers
                .map(|(number, weight)| match number {
                    Number::Srgb(significand, own) if weight != 0 => {
                        i64::from(significand).unbounded_shr((exponent - own) as u32) * weight
                    }
                    _ => 0,
                })
                .sum();
            round(sum as f64 * f64::from(i32::from(exponent) - WEIGHT as i32).exp2(), 11).to_bits()
        }
        // Halves have no bits below 2^-24.
        Number::Half(_) => match average(11) {
            tiny if tiny.abs() < HALF_NORMAL => ((tiny * HALF_UNITS).round() / HALF_UNITS) as f32,
            average => round(average, 11),
        }
        .to_bits(),
        Number::Float(_) => flushed(round(average(24), 24)).to_bits(),
    }
}

/// Exact, for exponents that normal numbers have.
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// A zero of the same sign in the place of a subnormal number, which is what an H200 averages, and what it gives for averages.
fn flushed(value: f32) -> f32 {
    if value.is_subnormal() { 0f32.copysign(value) } else { value }
}

fn float(number: Number) -> f32 {
    match number {
        Number::Half(value) => value,
        Number::Float(value) => flushed(value),
        _ => f32::from_bits(number.word()),
    }
}

/// To so many bits of significand, ties away from zero.
pub fn round(value: f64, significand: u32) -> f32 {
    if value.is_nan() {
        // All bits of the significand that there are.
        return f32::from_bits(0x7f80_0000 | 0x7f_ffff << (24 - significand) & 0x7f_ffff);
    }
    if value.is_infinite() {
        return value as f32;
    }
    let cut = 53 - significand;
    let rounded = (value.to_bits() + (1 << (cut - 1))) & !((1 << cut) - 1);
    f64::from_bits(rounded) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn averages_round_ties_away() {
        assert_eq!(round(1.0 + f64::powi(2.0, -24), 24), 1.0_f32.next_up());
        assert_eq!(round(-1.0 - f64::powi(2.0, -24), 24), -(1.0_f32.next_up()));
        assert_eq!(round(1.0 + 1.0 / 2048.0, 11), 1.0 + 1.0 / 1024.0);
        // 131 and 49 of 255 with weights 225 and 31 of 256, as an H100 averages them.
        let numbers = [(131, 225), (49, 31)]
            .map(|(value, weight)| (Number::Unsigned(value * 257, 0.0), weight));
        assert_eq!(channel(numbers.into_iter(), [0, 0].into_iter()), 0x3ef3_16f3);
    }

    // As an H200 averages them.
    #[test]
    fn subnormal_floats_are_flushed() {
        let average = |texels: &[u32], weights: &[i64]| {
            let numbers = texels.iter().map(|&bits| Number::Float(f32::from_bits(bits)));
            channel(numbers.zip(weights.iter().copied()), (0..texels.len()).map(|_| 0))
        };
        let half = [128, 128];
        for (texels, weights, expected) in [
            ([0x123, 0x8000_0456], [256, 0], 0),
            ([0x123, 0x8000_0456], [0, 256], 0x8000_0000),
            ([0x40_0000, 0x80_0000], half, 0),
            ([0x7f_ffff, 0x200_0000], half, 0x180_0000),
            ([0x80_0000, 0x80_0000], half, 0x80_0000),
            ([0x100_0000, 0x8100_0001], half, 0x8000_0000),
            ([0x3c0_0000, 0x12_3456], [192, 64], 0x390_0000),
        ] {
            assert_eq!(average(&texels, &weights), expected, "{texels:x?} by {weights:?}");
        }
        // Nothing is flushed on the way.
        assert_eq!(average(&[0x80_0000, 0, 0x140_0000, 0], &[64; 4]), 0x80_0000);
    }

    // Halves of one slice and of two, as an H100 averages them.
    #[test]
    fn slices_are_cut_by_themselves() {
        let numbers = [(Number::Half(-65504.0), 130), (Number::Half(-1.0), 126)];
        let word = |slice| channel(numbers.into_iter(), [0, slice].into_iter());
        assert_eq!(word(0), (-33248_f32).to_bits());
        assert_eq!(word(1), (-33280_f32).to_bits());
    }
}
