//! Sobol' sequences in the order of Antonov and Saleev, with the direction numbers of Joe and Kuo.

mod directions;
mod scramble;

pub use directions::{DIMENSIONS, directions};
pub use scramble::{scramble_constant, scrambled_directions};

use super::output::OutputBuffer;
use std::ops::{BitXor, BitXorAssign};

/// Values of a dimension that are one part of a call.
const PART: usize = 1 << 16;

/// A draw, of 32 or 64 bits.
pub trait Word: Copy + BitXor<Output = Self> + BitXorAssign + Send + Sync {
    const BITS: u32;

    /// From the upper bits of a direction number.
    fn of(direction: u64) -> Self;
}

impl Word for u32 {
    const BITS: u32 = 32;

    fn of(direction: u64) -> Self {
        (direction >> 32) as u32
    }
}

impl Word for u64 {
    const BITS: u32 = 64;

    fn of(direction: u64) -> Self {
        direction
    }
}

/// Parts of a call that gives each dimension so many values.
pub fn parts(dimensions: usize, count: usize) -> usize {
    dimensions * count.div_ceil(PART)
}

/// Fills a part of a call that begins at a position, of so many dimensions, scrambled or not. All values of a dimension lie
/// beside each other.
#[inline(always)]
pub fn fill<W: Word, T: Copy>(
    part: usize,
    (dimensions, scrambled): (usize, bool),
    position: u64,
    output: OutputBuffer<T>,
    value: impl Fn(W) -> T,
) {
    let count = output.length() / dimensions;
    let in_dimension = count.div_ceil(PART);
    let (dimension, from) = (part / in_dimension, part % in_dimension * PART);
    let (numbers, constant) = match scrambled {
        true => (scrambled_directions(dimension), scramble_constant(dimension)),
        false => (directions(dimension), 0),
    };
    let numbers = numbers.map(W::of);
    let mask = u64::MAX >> (64 - W::BITS);
    let mut index = position.wrapping_add(from as u64) & mask;
    let gray = index ^ (index >> 1);
    let mut x = W::of(constant);
    for bit in (0..W::BITS).filter(|bit| gray >> bit & 1 == 1) {
        x ^= numbers[bit as usize];
    }
    for i in from..count.min(from + PART) {
        output.put_one(dimension * count + i, value(x));
        x ^= numbers[index.trailing_ones().min(W::BITS - 1) as usize];
        index = index.wrapping_add(1) & mask;
    }
}
