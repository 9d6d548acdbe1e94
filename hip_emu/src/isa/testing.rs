//! Operands for tests: what is special in a format, and what is not.

use super::{Mode, Round};
use splitmix::Random;

pub(super) const NEAREST: Mode = Mode {
    round_f32: Round::NearestEven,
    round_f64: Round::NearestEven,
    flush_in_f32: false,
    flush_out_f32: false,
    flush_in_f64: false,
    flush_out_f64: false,
    dx10_clamp: true,
    ieee: true,
};

/// Zeros, the smallest and largest subnormal and normal numbers, some beside powers of two, infinities and NaNs.
pub(super) fn special(bits: u32) -> Vec<u64> {
    let fraction = match bits {
        16 => 10,
        32 => 23,
        _ => 52,
    };
    let sign = 1_u64 << (bits - 1);
    let infinity = sign - (1 << fraction);
    let one = (infinity / 2) & !((1 << fraction) - 1);
    let least = 1_u64 << fraction;
    let positive = [
        0,
        1,
        2,
        3,
        least / 2,
        least - 1,
        least,
        least + 1,
        2 * least,
        one / 2,
        one - least,
        one - 1,
        one,
        one + 1,
        one + least / 2,
        one + least,
        one + least + 1,
        one + 3 * least / 2,
        one + fraction * least,
        one + (fraction + 1) * least + 1,
        one + (fraction + 2) * least,
        infinity - 2 * least,
        infinity - least,
        infinity - 1,
        infinity,
        infinity + 1,
        infinity + least / 2,
        sign - 1,
    ];
    positive.iter().flat_map(|&a| [a, a | sign]).collect()
}

/// Pairs of special numbers, and random ones near each other and far from each other.
pub(super) fn pairs(bits: u32, mut check: impl FnMut(u64, u64)) {
    triples(bits, |[a, b, _]| check(a, b));
}

/// The same of three numbers.
pub(super) fn triples(bits: u32, mut check: impl FnMut([u64; 3])) {
    let special = special(bits);
    let mask = u64::MAX >> (64 - bits);
    for &a in &special {
        for &b in &special {
            for &c in special.iter().step_by(5) {
                check([a, b, c]);
            }
        }
    }
    let mut numbers = Random::new(0x0123_4567_89ab_cdef);
    for round in 0..100_000_u64 {
        let [a, b, c] = [numbers.bits() & mask, numbers.bits() & mask, numbers.bits() & mask];
        let near = a ^ numbers.bits() & (mask >> (bits / 3));
        let one = special[round as usize % special.len()];
        check([a, b, c]);
        check([a, near, c]);
        check([a, one, b]);
        check([one, a, near]);
        check([a, a, one]);
    }
}
