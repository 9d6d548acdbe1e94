//! Poisson values from draws: by the tables and in the order of cuRAND, so that they are the same.

use super::libm::{exp, lgamma, log as ln};
use super::values::{normal, uniform_double};
use std::sync::Arc;

/// From this mean on, values are rounded normal ones; of draws whose order is to be kept, above [`LARGE_ORDERED`].
const LARGE: f64 = 2000.0;
const LARGE_ORDERED: f64 = 8000.0;

/// A Poisson distribution, as generators of one kind use it.
#[derive(Clone, Debug)]
pub enum Poisson {
    /// A square histogram: the intervals of [0, 1] have two values each, and the second one from a place on.
    Histogram { first: u32, intervals: Arc<[(f64, u32)]> },
    /// The probabilities of values up to each, by whose inverse values have the order of draws.
    Sums { first: u32, sums: Arc<[f64]> },
    /// Of normal values.
    Normal { mean: f64 },
}

/// What a generator asks of its distributions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    Unordered,
    /// Values have the order of their draws from this mean on.
    OrderedFrom(u32),
    /// The same of draws of 64 bits, which are made of the upper ones where the mean is large.
    Ordered64,
}

impl Poisson {
    pub fn new(mean: f64, method: Method) -> Poisson {
        let (ordered_from, large) = match method {
            Method::Unordered => (f64::INFINITY, LARGE),
            Method::OrderedFrom(least) => (f64::from(least), LARGE_ORDERED.next_up()),
            Method::Ordered64 => (0.0, LARGE),
        };
        if mean >= large || mean.is_nan() {
            return Poisson::Normal { mean };
        }
        let (first, probabilities) = probabilities(mean);
        if mean < ordered_from {
            return Poisson::Histogram { first, intervals: histogram(probabilities) };
        }
        let sum = |sum: &mut f64, probability: f64| {
            *sum += probability;
            Some(*sum)
        };
        Poisson::Sums { first, sums: probabilities.into_iter().scan(0.0, sum).collect() }
    }

    /// From a uniform value above 0 and up to 1. Not for large means: [`rounded`] is.
    #[inline(always)]
    pub fn of_uniform(&self, u: f64) -> u32 {
        match self {
            Poisson::Histogram { first, intervals } => {
                let i = ((intervals.len() as f64 * u) as usize).min(intervals.len() - 1);
                let (place, other) = intervals[i];
                first + if u < place { i as u32 } else { other }
            }
            Poisson::Sums { first, sums } => first + sums.partition_point(|sum| *sum < u) as u32,
            Poisson::Normal { mean } => *mean as u32,
        }
    }

    /// From the 32 bits of a draw.
    #[inline(always)]
    pub fn of_draw(&self, draw: u32) -> u32 {
        match self {
            Poisson::Normal { mean } => rounded(*mean, normal(draw)),
            _ => self.of_uniform(uniform_double(draw)),
        }
    }

    /// The mean of large ones.
    pub fn large(&self) -> Option<f64> {
        match self {
            Poisson::Normal { mean } => Some(*mean),
            _ => None,
        }
    }
}

/// A normal value as one of a large mean.
#[inline(always)]
pub fn rounded(mean: f64, normal: f32) -> u32 {
    (mean.sqrt() * f64::from(normal) + mean + 0.5) as u32
}

/// The same in single precision, as MT19937 makes them.
#[inline(always)]
pub fn rounded_single(mean: f64, normal: f32) -> u32 {
    let mean = mean as f32;
    (mean.sqrt() * normal + mean + 0.5) as u32
}

/// The first value and the probabilities of it and those that follow, as far as a double can tell them from 0.
fn probabilities(mean: f64) -> (u32, Vec<f64>) {
    let log = ln(mean);
    let probability = |k: u32| {
        let probability = exp(f64::from(k) * log - mean - lgamma(f64::from(k) + 1.0));
        (probability > 0.0).then_some(probability)
    };
    let middle = mean as u32;
    let mut found: Vec<f64> = (0..=middle).rev().map_while(probability).collect();
    let first = middle + 1 - found.len() as u32;
    found.reverse();
    found.extend((middle + 1..).map_while(probability));
    (first, found)
}

/// The square histogram of G. Marsaglia, W. W. Tsang and J. Wang (Fast Generation of Discrete Random Variables, Journal of
/// Statistical Software 11 (3), 2004). What an interval lacks is taken from the last value that has too much; intervals get
/// theirs in passes from the first to the last.
fn histogram(mut probabilities: Vec<f64>) -> Arc<[(f64, u32)]> {
    let count = probabilities.len();
    let width = 1.0 / count as f64;
    let whole = |i: usize| ((i + 1) as f64 * width, i as u32);
    let mut intervals: Vec<(f64, u32)> = (0..count).map(whole).collect();
    let mut donors: Vec<usize> = (0..count).filter(|i| probabilities[*i] > width).collect();
    let mut open: Vec<usize> = (0..count).collect();
    while !donors.is_empty() {
        let before = open.len();
        open.retain(|i| {
            let Some(donor) = donors.last().copied() else { return true };
            let probability = probabilities[*i];
            if probability >= width {
                return true;
            }
            intervals[*i] = (*i as f64 * width + probability, donor as u32);
            probabilities[donor] -= width - probability;
            if probabilities[donor] <= width {
                donors.pop();
            }
            false
        });
        if open.len() == before {
            break;
        }
    }
    intervals.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    // Of a mean of 1: e^-1, e^-1, e^-1 / 2 and so on.
    #[test]
    fn probabilities_are_all_that_a_double_has() {
        let (first, found) = probabilities(1.0);
        assert_eq!((first, found.len()), (0, 178));
        assert!((found[0] - (-1.0f64).exp()).abs() < 1e-15);
        assert!((found[3] - (-1.0f64).exp() / 6.0).abs() < 1e-15);
        let (first, found) = probabilities(1000.0);
        assert_eq!((first, found.len()), (71, 2374));
    }

    #[test]
    fn a_histogram_has_the_probabilities_of_all_values() {
        let (_, wanted) = probabilities(10.0);
        let Poisson::Histogram { intervals, .. } = Poisson::new(10.0, Method::Unordered) else {
            panic!("a small mean")
        };
        let width = 1.0 / intervals.len() as f64;
        let mut found = vec![0.0; wanted.len()];
        for (i, (place, other)) in intervals.iter().enumerate() {
            found[i] += place - i as f64 * width;
            found[*other as usize] += (i + 1) as f64 * width - place;
        }
        for (found, wanted) in found.iter().zip(&wanted) {
            assert!((found - wanted).abs() < 1e-14, "{found} {wanted}");
        }
    }

    #[test]
    fn sums_give_the_quantiles() {
        let poisson = Poisson::new(20.0, Method::OrderedFrom(10));
        // SciPy's poisson.ppf.
        for (u, value) in [(1e-6, 3), (0.25, 17), (0.5, 20), (0.75, 23), (0.999, 35)] {
            assert_eq!(poisson.of_uniform(u), value, "{u}");
        }
    }
}
