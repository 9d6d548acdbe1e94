//! Numbers that look random, and are the same in every run: SplitMix64, of G. Steele, D. Lea and C. Flood, "Fast
//! Splittable Pseudorandom Number Generators" (2014).
//!
//! Recorded answers of GPUs belong to the sequences of their seeds, so that these never change.

/// The distance between two states.
pub const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// A fixed permutation of all words, in which each bit of the result depends on all of the operand.
pub const fn mix(word: u64) -> u64 {
    let word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}

/// A sequence of numbers.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The sequence of a seed.
    pub const fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The next number, of 64 bits.
    pub const fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        mix(self.0)
    }

    /// A number below `bound`; 0 where that is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.bits() % bound.max(1) as u64) as usize
    }

    /// One of the elements; none of an empty list.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> Option<T> {
        (!from.is_empty()).then(|| from[self.below(from.len())])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers of Java's `SplittableRandom` and of the reference implementation in C, `splitmix64.c`.
    #[test]
    fn sequences_are_those_of_the_reference_implementation() {
        let first = |seed| {
            let mut random = Random::new(seed);
            [(); 3].map(|()| random.bits())
        };
        assert_eq!(first(0), [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4, 0x06c4_5d18_8009_454f]);
        assert_eq!(
            first(1_234_567),
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
    }

    #[test]
    fn choices_stay_within_their_bounds() {
        let mut random = Random::new(5);
        assert_eq!((random.below(0), random.below(1)), (0, 0));
        assert_eq!(random.pick::<u8>(&[]), None);
        let mut picked = [0; 3];
        for _ in 0..300 {
            picked[random.pick(&[0usize, 1, 2]).unwrap_or_default()] += 1;
        }
        assert!(picked.iter().all(|&times| times > 50), "{picked:?}");
    }
}
