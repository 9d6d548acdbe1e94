//! How MT19937's generators come to be 2^2048 steps apart: a jump of so many steps is a sum of states that follow each other,
//! taken where the polynomial x^(2^2048) modulo the recurrence's own has its terms (Haramoto, Matsumoto, Nishimura, Panneton
//! and L'Ecuyer, Efficient Jump Ahead for F2-Linear Random Number Generators, INFORMS Journal on Computing 20 (3), 2008).

use super::{MIDDLE, WORDS, next};
use std::sync::LazyLock;

/// The degree of the recurrence.
const DEGREE: usize = 19_937;
/// Words of 64 bits for polynomials before and after they are reduced.
const LONG: usize = 2 * SHORT;
const SHORT: usize = DEGREE.div_ceil(64);
/// Steps of a jump, as a power of two.
const APART: u32 = 2048;
/// Terms of a polynomial that are added at once.
const WINDOW: usize = 7;

type State = [u32; WORDS];

/// The exponents of the recurrence's characteristic polynomial below its degree, by the formula of Matsumoto and Nishimura.
fn recurrence() -> Vec<usize> {
    const MATRIX: u32 = 0x9908_b0df;
    let mut bits = vec![0u64; LONG];
    // Times x^a + x^b.
    let times = |bits: &[u64], a: usize, b: usize| {
        let mut product = vec![0; LONG];
        add_shifted(&mut product, bits, a);
        add_shifted(&mut product, bits, b);
        product
    };
    bits[0] = 1;
    for i in 0..31 {
        bits = times(&bits, WORDS - 1, MIDDLE - 1);
        bits[0] ^= u64::from(MATRIX >> i & 1);
    }
    bits = times(&bits, WORDS, MIDDLE);
    bits[0] ^= u64::from(MATRIX >> 31);
    (0..DEGREE).filter(|i| bits[i / 64] >> (i % 64) & 1 == 1).collect()
}

/// Adds a polynomial times a power of x; what is too long is dropped.
fn add_shifted(to: &mut [u64], from: &[u64], shift: usize) {
    let (words, bits) = (shift / 64, shift % 64);
    for (i, word) in from.iter().enumerate().filter(|(_, word)| **word != 0) {
        if let Some(low) = to.get_mut(i + words) {
            *low ^= word << bits;
        }
        if bits != 0
            && let Some(high) = to.get_mut(i + words + 1)
        {
            *high ^= word >> (64 - bits);
        }
    }
}

/// The bits of a word, each followed by a zero.
fn spread(word: u32) -> u64 {
    let mut x = u64::from(word);
    for (shift, mask) in [
        (16, 0x0000_ffff_0000_ffff),
        (8, 0x00ff_00ff_00ff_00ff),
        (4, 0x0f0f_0f0f_0f0f_0f0f),
        (2, 0x3333_3333_3333_3333),
        (1, 0x5555_5555_5555_5555),
    ] {
        x = (x | x << shift) & mask;
    }
    x
}

/// The jump's polynomial, in groups of [`WINDOW`] terms from the highest on.
static JUMP: LazyLock<Vec<usize>> = LazyLock::new(|| {
    let exponents = recurrence();
    let mut power = vec![0u64; LONG];
    power[0] = 2;
    for _ in 0..APART {
        let mut square: Vec<u64> = power[..SHORT]
            .iter()
            .flat_map(|word| [spread(*word as u32), spread((word >> 32) as u32)])
            .collect();
        // The next exponent below the degree is more than 64 lower: a word's reduction does not reach the word itself.
        for i in (DEGREE / 64..LONG).rev() {
            let inside = if i == DEGREE / 64 { DEGREE % 64 } else { 0 };
            let word = square[i] >> inside << inside;
            square[i] ^= word;
            for exponent in &exponents {
                let shift = 64 * i - DEGREE.min(64 * i);
                let back = DEGREE - (64 * i).min(DEGREE);
                // word * x^(64 i - DEGREE + exponent)
                if back == 0 {
                    add_shifted(&mut square, &[word], shift + exponent);
                } else {
                    add_shifted(&mut square, &[word >> back], *exponent);
                }
            }
        }
        power = square;
    }
    let groups = DEGREE.div_ceil(WINDOW);
    let bit = |i: usize| (power[i / 64] >> (i % 64) & 1) as usize;
    (0..groups)
        .rev()
        .map(|group| (0..WINDOW).fold(0, |sum, i| sum | bit(group * WINDOW + i) << i))
        .collect()
});

/// The state that the seed gives.
pub fn seeded(seed: u32) -> State {
    let mut state = [seed; WORDS];
    for i in 1..WORDS {
        let before = state[i - 1];
        state[i] = 1_812_433_253u32.wrapping_mul(before ^ before >> 30).wrapping_add(i as u32);
    }
    state
}

/// The state so many steps later.
pub fn jump(state: &State) -> State {
    // The sums of all choices of the states that follow in a window.
    let mut following = Vec::with_capacity(WORDS + WINDOW);
    following.extend_from_slice(state);
    for i in 0..WINDOW {
        following.push(next(following[i], following[i + 1], following[i + MIDDLE]));
    }
    let mut sums: Vec<State> = vec![[0; WORDS]; 1 << WINDOW];
    for choice in 1..sums.len() {
        let highest = choice.ilog2() as usize;
        let (before, rest) = sums.split_at_mut(choice);
        rest[0] = before[choice ^ 1 << highest];
        add(&mut rest[0], &following[highest..]);
    }
    let groups = &*JUMP;
    let mut words = vec![0u32; WORDS + WINDOW * groups.len()];
    let mut at = 0;
    for (i, group) in groups.iter().enumerate() {
        if i != 0 {
            for _ in 0..WINDOW {
                words[at + WORDS] = next(words[at], words[at + 1], words[at + MIDDLE]);
                at += 1;
            }
        }
        add(&mut words[at..], &sums[*group]);
    }
    std::array::from_fn(|i| words[at + i])
}

fn add(to: &mut [u32], from: &[u32]) {
    for (to, from) in to[..WORDS].iter_mut().zip(from) {
        *to ^= from;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_recurrence_has_the_weight_that_its_authors_give() {
        assert_eq!(recurrence().len() + 1, 135);
    }
}
