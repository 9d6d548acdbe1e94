//! The vectors of each level against the general way.

use cpu_abi::MatrixOperation;
use cpu_abi::MatrixType::{self, *};
use splitmix::Random;

use super::{LEVELS, Plan, Row, operations};
use crate::engine::matrix::multiply::in_general;

/// Fragments of each kind: the general way takes some microseconds for one.
const ROUNDS: usize = if cfg!(debug_assertions) { 300 } else { 100_000 };

/// What the elements of a fragment are like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Like {
    Anything,
    /// Exponents of a few values, in the middle.
    Narrow,
    /// Many exponents in the middle, whose sums are in range.
    Wide,
    /// Few numbers above many that are smaller by about what is cut away.
    Large,
    /// As narrow ones, in which some are zeros of both signs.
    SomeZeros,
    Zeros,
    Subnormal,
    /// The smallest and the largest numbers.
    Edges,
    /// As narrow ones, with a few infinities and NaNs.
    Special,
}

const LIKES: [Like; 9] = [
    Like::Anything,
    Like::Narrow,
    Like::Wide,
    Like::Large,
    Like::SomeZeros,
    Like::Zeros,
    Like::Subnormal,
    Like::Edges,
    Like::Special,
];

/// A code of a format.
fn float(random: &mut Random, like: Like, exponent_bits: u32, fraction_bits: u32) -> u32 {
    let bits = random.bits() as u32;
    let fraction = (random.bits() as u32) & ((1 << fraction_bits) - 1);
    let last = (1 << exponent_bits) - 1;
    let middle = last / 2;
    let (narrow, wide) = (middle - 2 + bits % 5, (middle / 2).min(40));
    let rare = random.below(24) == 0;
    let (field, fraction) = match like {
        Like::Anything => (bits & last, fraction),
        Like::Narrow => (narrow, fraction),
        Like::Wide => (middle - wide + bits % (2 * wide + 1), fraction),
        Like::Large if rare => (middle + 6, fraction),
        Like::Large => (middle - 6 + bits % 4, fraction),
        Like::SomeZeros if bits.is_multiple_of(3) => (0, 0),
        Like::SomeZeros => (narrow, fraction),
        Like::Zeros => (0, 0),
        Like::Subnormal => (bits % 2, fraction),
        Like::Edges => {
            let field = [0, 1, last - 2, last - 1][bits as usize % 4];
            (field, [0, 1, fraction, (1 << fraction_bits) - 1][random.below(4)])
        }
        Like::Special if rare => (last, fraction & (bits % 2).wrapping_neg()),
        Like::Special => (narrow, fraction),
    };
    (bits >> 31) << (exponent_bits + fraction_bits) | field << fraction_bits | fraction
}

fn word(random: &mut Random, like: Like, ty: MatrixType) -> u32 {
    match ty {
        MatrixType::F16 => float(random, like, 5, 10) | float(random, like, 5, 10) << 16,
        MatrixType::Bf16 => float(random, like, 8, 7) | float(random, like, 8, 7) << 16,
        MatrixType::Tf32 | MatrixType::F32 => float(random, like, 8, 23),
        _ => match like {
            Like::Zeros => 0,
            // The largest sums there are, so that they saturate.
            Like::Edges => *[0x8080_8080, 0x7f7f_7f7f, u32::MAX, 0x7fff_ffff, 0x8000_0000]
                .get(random.below(5))
                .unwrap_or(&0),
            _ => random.bits() as u32,
        },
    }
}

/// Registers for an operation, and whether they are of numbers that every level should take.
fn rows(random: &mut Random, operation: &MatrixOperation) -> (Vec<Row>, bool) {
    let words = operation.words();
    let (a, b, c) = (words.a as usize, words.b as usize, words.c as usize);
    let mut rows = vec![[0; 32]; super::super::rows_of(operation)];
    let likes = [(); 3].map(|()| LIKES[random.below(LIKES.len())]);
    let types = [operation.a, operation.b, operation.c];
    let ranges = [0..a, a..a + b, a + b..a + b + c];
    for ((range, ty), like) in ranges.into_iter().zip(types).zip(likes) {
        for row in &mut rows[range] {
            row.fill_with(|| word(random, like, ty));
        }
    }
    // Products that cancel: a word of `a` is the negative of another one, which meets the same words of `b`.
    let pairs = matches!(operation.a, MatrixType::F16 | MatrixType::Bf16);
    if random.below(4) == 0 {
        let sign = if pairs { 0x8000_8000 } else { 0x8000_0000 };
        for row in &mut rows[..a + b] {
            for group in row.chunks_exact_mut(4) {
                group[1] = group[0];
                group[3] = group[2];
            }
        }
        for row in &mut rows[..a] {
            for group in row.chunks_exact_mut(4) {
                group[1] ^= sign;
                group[3] ^= sign;
            }
        }
    }
    let usual = [Like::Narrow, Like::Wide, Like::Large, Like::SomeZeros, Like::Zeros];
    (rows, likes.iter().all(|like| usual.contains(like)))
}

/// Asks all levels for a product, in place.
fn compare(operation: MatrixOperation) {
    let plan = Plan::of_number(operation.pack()).expect("a plan for the operation");
    let words = operation.words();
    let levels: Vec<_> = LEVELS.iter().filter(|level| (level.has)()).collect();
    let mut random = Random::new(operation.pack());
    let integers = operation.d == S32;
    for round in 0..ROUNDS {
        let (rows, usual) = rows(&mut random, &operation);
        let mut expected = rows.clone();
        in_general(&operation, &mut expected);
        for level in &levels {
            let mut results = rows.clone();
            // SAFETY: the processor has what the level needs.
            let made = unsafe { (level.run)(plan, &plan.registers_of_rows(&mut results)) };
            let context = || format!("round {round} by {}: {operation:?}", level.name);
            if made {
                let d = words.d as usize;
                assert_eq!(results[..d], expected[..d], "{}", context());
            } else {
                assert!(!usual && !integers, "left to others: {}", context());
                assert_eq!(results, rows, "{}", context());
            }
        }
    }
}

fn compare_all(types: &[MatrixType], sums: &[MatrixType]) {
    let of = |it: &MatrixOperation| types.contains(&it.a) && sums.contains(&it.d);
    let operations: Vec<_> = operations().filter(of).collect();
    assert!(!operations.is_empty());
    operations.into_iter().for_each(compare);
}

#[test]
fn halves_with_single_sums_have_the_bits_of_the_general_way() {
    compare_all(&[F16], &[F32]);
}

#[test]
fn halves_with_half_sums_have_the_bits_of_the_general_way() {
    compare_all(&[F16], &[F16]);
}

#[test]
fn bf16_has_the_bits_of_the_general_way() {
    compare_all(&[Bf16], &[F32]);
}

#[test]
fn tf32_has_the_bits_of_the_general_way() {
    compare_all(&[Tf32], &[F32]);
}

#[test]
fn bytes_have_the_bits_of_the_general_way() {
    compare_all(&[S8, U8], &[S32]);
}

#[test]
fn half_bytes_have_the_bits_of_the_general_way() {
    compare_all(&[S4, U4], &[S32]);
}
