//! The direction numbers of S. Joe and F. Y. Kuo (Constructing Sobol sequences with better two-dimensional projections,
//! SIAM Journal on Scientific Computing 30, 2008), of which the first 20,000 dimensions are kept.
//!
//! `joe_kuo.bin` has, for each dimension from the second on, the inner coefficients of its primitive polynomial and its
//! initial numbers without their lowest bits, which are ones: for degree s, s - 1 bits and then 0, 1, ... s - 1 bits, all
//! without gaps, lowest bits first. `joe_kuo.txt` beside it is its licence.

use std::sync::LazyLock;

/// Dimensions that there are numbers for.
pub const DIMENSIONS: usize = 20_000;
const KEPT: &[u8] = include_bytes!("joe_kuo.bin");
/// How many primitive polynomials there are of each degree from 1 on.
const POLYNOMIALS: [usize; 18] =
    [1, 1, 2, 2, 6, 6, 18, 16, 48, 60, 176, 144, 630, 756, 1800, 2048, 7710, 7776];

/// Where a dimension's bits begin, and its degree; from the second dimension on.
static PLACES: LazyLock<Vec<(u32, u32)>> = LazyLock::new(|| {
    let degrees =
        (1..).zip(POLYNOMIALS).flat_map(|(degree, count)| std::iter::repeat_n(degree, count));
    let place = |bit: &mut u32, degree: u32| {
        let start = *bit;
        *bit += degree - 1 + degree * (degree - 1) / 2;
        Some((start, degree))
    };
    degrees.take(DIMENSIONS - 1).scan(0, place).collect()
});

/// `count` bits (below 32) from a bit on.
fn bits(start: u32, count: u32) -> u64 {
    let byte = (start / 8) as usize;
    let word = (0..5).fold(0u64, |word, i| {
        word | u64::from(KEPT.get(byte + i).copied().unwrap_or(0)) << (8 * i)
    });
    word >> (start % 8) & ((1 << count) - 1)
}

/// The direction numbers of a dimension, from 0; a number's first bit is the highest.
pub fn directions(dimension: usize) -> [u64; 64] {
    let mut numbers = std::array::from_fn(|i| 1 << (63 - i));
    let Some((start, degree)) = dimension.checked_sub(1).and_then(|i| PLACES.get(i)) else {
        return numbers;
    };
    let coefficients = bits(*start, degree - 1);
    let mut at = start + degree - 1;
    for i in 0..*degree {
        numbers[i as usize] = (bits(at, i) << 1 | 1) << (63 - i);
        at += i;
    }
    let degree = *degree as usize;
    for i in degree..64 {
        let mut number = numbers[i - degree] ^ (numbers[i - degree] >> degree);
        for k in (1..degree).filter(|k| coefficients >> (degree - 1 - k) & 1 == 1) {
            number ^= numbers[i - k];
        }
        numbers[i] = number;
    }
    numbers
}
