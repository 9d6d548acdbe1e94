//! Dropout: elements that are left out by chance, and the sequence of numbers that says which.

use crate::random::uniform;
use crate::tensor::{CHUNK, Tensor, in_rows, rows};
use crate::work::{Stage, Work, over, stage};
use dense::Real;

/// Bytes of the state of a sequence: its seed, and how many of its numbers have been taken.
pub const STATE: usize = 16;

/// Which elements are left out: each with a probability, by the sequence whose state is at an address. Others grow by
/// `1 / (1 - probability)`.
#[derive(Clone, Copy, Debug)]
pub struct Dropout {
    pub probability: f64,
    pub state: usize,
}

/// Begins the sequence of a seed.
pub fn begin(state: usize, seed: u64) -> Stage {
    stage(1, move |_| set_state(state, [seed, 0]))
}

fn get_state(state: usize) -> [u64; 2] {
    // SAFETY: the program says that it can be read; where not, the work ends as a kernel does.
    unsafe { std::ptr::with_exposed_provenance::<[u64; 2]>(state).read_unaligned() }
}

fn set_state(state: usize, to: [u64; 2]) {
    // SAFETY: as above, and written.
    unsafe { std::ptr::with_exposed_provenance_mut::<[u64; 2]>(state).write_unaligned(to) }
}

impl Dropout {
    /// Whether a number leaves its element out.
    fn leaves_out(&self, number: f64) -> bool {
        number < self.probability
    }

    /// The factor of elements that stay.
    fn factor(&self) -> f64 {
        1.0 / (1.0 - self.probability)
    }

    /// The next factors, which are 0 where elements are left out.
    pub(crate) fn next<T: Real>(&self, factors: &mut [T]) {
        let [seed, taken] = get_state(self.state);
        let kept = T::from_f64(self.factor());
        for (number, factor) in (taken..).zip(factors.iter_mut()) {
            *factor = if self.leaves_out(uniform(seed, number)) { T::ZERO } else { kept };
        }
        set_state(self.state, [seed, taken.wrapping_add(factors.len() as u64)]);
    }
}

/// Bytes in which [`forward`] keeps which of so many elements stay: a bit each.
pub fn kept_bytes(count: usize) -> usize {
    count.div_ceil(8)
}

/// `y` as `x` without what is left out. Which elements stay is kept for [`backward`].
pub fn forward(dropout: Dropout, x: Tensor, y: Tensor, kept: usize) -> Work {
    let count = x.count();
    let draw = pass(dropout, (x, y), move |first, bits| {
        let [seed, taken] = get_state(dropout.state);
        for (i, bit) in bits.iter_mut().enumerate() {
            let number = taken.wrapping_add((first + i) as u64);
            *bit = !dropout.leaves_out(uniform(seed, number));
        }
        for (i, bits) in bits.chunks(8).enumerate() {
            let byte = bits.iter().rev().fold(0u8, |byte, bit| byte << 1 | u8::from(*bit));
            let place = std::ptr::with_exposed_provenance_mut::<u8>(kept + first / 8 + i);
            // SAFETY: the program says that it can be written; parts begin with bytes of their own.
            unsafe { place.write(byte) };
        }
    });
    // Only when all parts have read it does the state go on.
    let go_on = stage(1, move |_| {
        let [seed, taken] = get_state(dropout.state);
        set_state(dropout.state, [seed, taken.wrapping_add(count as u64)]);
    });
    vec![draw, go_on]
}

/// `dx` as `dy` without what [`forward`] left out.
pub fn backward(dropout: Dropout, dy: Tensor, dx: Tensor, kept: usize) -> Stage {
    pass(dropout, (dy, dx), move |first, bits| {
        for (i, bit) in bits.iter_mut().enumerate() {
            let place = std::ptr::with_exposed_provenance::<u8>(kept + (first + i) / 8);
            // SAFETY: the program says that it can be read; where not, the work ends as a kernel does.
            *bit = unsafe { place.read() } >> ((first + i) % 8) & 1 != 0;
        }
    })
}

fn pass(
    dropout: Dropout,
    (from, to): (Tensor, Tensor),
    stays: impl Fn(usize, &mut [bool]) + Send + Sync + 'static,
) -> Stage {
    let count = from.count();
    let (from, to) = (in_rows(from), in_rows(to));
    let factor = dropout.factor();
    over(count.div_ceil(CHUNK), CHUNK * 4, move |chunks| {
        let (mut values, mut bits) = ([0.0f64; CHUNK], [false; CHUNK]);
        for chunk in chunks {
            let first = chunk * CHUNK;
            let length = CHUNK.min(count - first);
            let (values, bits) = (&mut values[..length], &mut bits[..length]);
            rows(&from, first, length, |offset, step, at, length| {
                from.load(offset, step, &mut values[at..at + length]);
            });
            stays(first, bits);
            for (value, stays) in values.iter_mut().zip(bits.iter()) {
                *value = if *stays { *value * factor } else { 0.0 };
            }
            rows(&to, first, length, |offset, step, at, length| {
                to.store(offset, step, &values[at..at + length]);
            });
        }
    })
}
