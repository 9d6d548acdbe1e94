//! Scrambled direction numbers: the random linear scrambling and the digital shift of J. Matousek (On the L2-discrepancy for
//! anchored boxes, Journal of Complexity 14, 1998). The first 2^k values still lie one in each interval of the length 2^-k.
//!
//! NVIDIA's are the result of random numbers of its own, so that these are others. Draws of 32 bits are the upper ones of those
//! of 64.

use super::directions;
use splitmix::{Random, mix};

/// What tells these random numbers from others of the same generator.
const SEED: u64 = 0x536f_626f_6c5f_4f57;

fn random(dimension: usize) -> Random {
    Random::new(mix(SEED ^ dimension as u64))
}

/// The word that each value of a dimension, from 0, is shifted by.
pub fn scramble_constant(dimension: usize) -> u64 {
    random(dimension).bits()
}

/// The direction numbers of a dimension, from 0: each bit is the sum of itself and of random ones of those above it.
pub fn scrambled_directions(dimension: usize) -> [u64; 64] {
    let mut random = random(dimension);
    random.bits();
    let rows: [u64; 64] = std::array::from_fn(|row| {
        let diagonal = 1 << (63 - row);
        let above = !(u64::MAX >> row);
        random.bits() & above | diagonal
    });
    directions(dimension).map(|number| {
        let bit = |row: usize| u64::from((rows[row] & number).count_ones() & 1) << (63 - row);
        (0..64).map(bit).sum()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    // The property that makes them quasi-random.
    #[test]
    fn each_interval_has_one_of_the_first_values() {
        for dimension in [0, 1, 2, 999, 19_999] {
            let numbers = scrambled_directions(dimension);
            let mut seen = [false; 256];
            for index in 0u64..256 {
                let chosen = (0..8).filter(|bit| index >> bit & 1 == 1);
                let value = chosen.fold(scramble_constant(dimension), |x, bit| x ^ numbers[bit]);
                seen[(value >> 56) as usize] = true;
            }
            assert!(seen.iter().all(|seen| *seen), "dimension {dimension}");
            assert_ne!(numbers, directions(dimension));
        }
    }
}
