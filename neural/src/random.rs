//! Numbers by chance: each of a sequence can be made without those before it.

use crate::tensor::{CHUNK, Tensor, in_rows, rows};
use crate::work::{Stage, over};
use splitmix::{STEP, mix};

/// A number of a seed's sequence, from 0 up to but not 1.
pub fn uniform(seed: u64, number: u64) -> f64 {
    let bits = mix(mix(seed).wrapping_add(number.wrapping_add(1).wrapping_mul(STEP)));
    (bits >> 11) as f64 / (1u64 << 53) as f64
}

/// How numbers are distributed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Distribution {
    /// 1 with a probability, else 0.
    Bernoulli(f64),
    /// Evenly, from one number to another.
    Uniform(f64, f64),
    /// By mean and standard deviation.
    Normal(f64, f64),
}

impl Distribution {
    fn number(self, seed: u64, number: u64) -> f64 {
        match self {
            Distribution::Bernoulli(probability) => {
                f64::from(u8::from(uniform(seed, number) < probability))
            }
            Distribution::Uniform(least, most) => least + (most - least) * uniform(seed, number),
            // Box and Muller's.
            Distribution::Normal(mean, deviation) => {
                let radius = (-2.0 * (1.0 - uniform(seed, number.wrapping_mul(2))).ln()).sqrt();
                let turn = uniform(seed, number.wrapping_mul(2).wrapping_add(1));
                mean + deviation * radius * (std::f64::consts::TAU * turn).cos()
            }
        }
    }
}

/// A seed that is known, or one that is in memory.
#[derive(Clone, Debug)]
pub enum Seed {
    Known(u64),
    In(Tensor),
}

/// What a seed and an offset make, as they are now.
fn sequence(seed: &Seed, offset: &Option<Tensor>) -> u64 {
    let seed = match seed {
        Seed::Known(seed) => *seed,
        Seed::In(seed) => seed.integer() as u64,
    };
    let offset = offset.as_ref().map_or(0, |offset| offset.integer() as u64);
    mix(seed).wrapping_add(mix(offset.wrapping_mul(STEP)))
}

/// Keeps elements of a tensor with a probability, by the numbers that [`fill`] gives, and divides them by it; others become 0.
/// `shown` gets the numbers.
pub fn keep(
    probability: f64,
    (seed, offset): (Seed, Option<Tensor>),
    x: Tensor,
    shown: Option<Tensor>,
) -> Stage {
    let (count, x, shown) = (x.count(), in_rows(x), shown.map(in_rows));
    over(count.div_ceil(CHUNK), CHUNK * 4, move |chunks| {
        let seed = sequence(&seed, &offset);
        let (mut values, mut numbers) = ([0.0; CHUNK], [0.0; CHUNK]);
        for chunk in chunks {
            let first = chunk * CHUNK;
            let length = CHUNK.min(count - first);
            for (i, number) in numbers[..length].iter_mut().enumerate() {
                *number = Distribution::Bernoulli(probability).number(seed, (first + i) as u64);
            }
            rows(&x, first, length, |offset, step, at, length| {
                let (values, numbers) = (&mut values[..length], &numbers[at..at + length]);
                x.load(offset, step, values);
                for (value, number) in values.iter_mut().zip(numbers) {
                    *value = if *number == 0.0 { 0.0 } else { *value / probability };
                }
                x.store(offset, step, values);
            });
            if let Some(shown) = &shown {
                rows(shown, first, length, |offset, step, at, length| {
                    shown.store(offset, step, &numbers[at..at + length]);
                });
            }
        }
    })
}

/// Fills a tensor with numbers of the sequence of a seed and an offset. Programs move offsets by less than they draw: each has
/// a sequence of its own.
pub fn fill(distribution: Distribution, seed: Seed, offset: Option<Tensor>, y: Tensor) -> Stage {
    let (count, y) = (y.count(), in_rows(y));
    over(count.div_ceil(CHUNK), CHUNK * 4, move |chunks| {
        let seed = sequence(&seed, &offset);
        let mut values = [0.0; CHUNK];
        for chunk in chunks {
            let first = chunk * CHUNK;
            let length = CHUNK.min(count - first);
            for (i, value) in values[..length].iter_mut().enumerate() {
                *value = distribution.number(seed, (first + i) as u64);
            }
            rows(&y, first, length, |offset, step, at, length| {
                y.store(offset, step, &values[at..at + length]);
            });
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_moments_of_their_distributions() {
        let count = 200_000;
        for (distribution, mean, variance) in [
            (Distribution::Bernoulli(0.3), 0.3, 0.21),
            (Distribution::Uniform(-2.0, 4.0), 1.0, 3.0),
            (Distribution::Normal(-1.5, 2.0), -1.5, 4.0),
        ] {
            let all: Vec<f64> = (0..count).map(|i| distribution.number(5, i)).collect();
            let got = all.iter().sum::<f64>() / count as f64;
            let spread = all.iter().map(|x| (x - got).powi(2)).sum::<f64>() / count as f64;
            // Six deviations of the mean.
            assert!((got - mean).abs() < 6.0 * (variance / count as f64).sqrt(), "{got}");
            assert!((spread - variance).abs() < 0.02 * variance, "{distribution:?}: {spread}");
            // Neighbours have nothing to do with each other.
            let pairs = all.windows(2).map(|pair| (pair[0] - got) * (pair[1] - got));
            let related = pairs.sum::<f64>() / count as f64 / variance;
            assert!(related.abs() < 6.0 / (count as f64).sqrt(), "{distribution:?}: {related}");
        }
    }
}
