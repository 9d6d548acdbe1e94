//! Elements of matrices: numbers that show the order and the width of a sum, a kind of mix for each warp.

use splitmix::Random;

/// The elements that the 64 bits of a column's word hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    F16,
    Bf16,
    /// tf32, as a factor. The bits that tf32 does not have are random, as hardware ignores them.
    Tf32,
    /// f32, as an accumulator.
    F32,
    F64,
    E4m3,
    E5m2,
    /// Integers and bits.
    Bits,
    /// Integers that come close to overflow.
    Extremes,
    /// Positions of the non-zeros among four elements: two fields of two bits, the first one below.
    Pairs,
    /// Positions of the non-zero among two elements: a field of four bits, one pair of bits.
    Singles,
}

impl Element {
    /// Bits, bits of the exponent and bits of the fraction.
    fn format(self) -> (u32, u32, u32) {
        match self {
            Element::F16 => (16, 5, 10),
            Element::Bf16 => (16, 8, 7),
            Element::Tf32 | Element::F32 => (32, 8, 23),
            Element::F64 => (64, 11, 52),
            Element::E4m3 => (8, 4, 3),
            Element::E5m2 => (8, 5, 2),
            _ => (64, 0, 0),
        }
    }
}

/// The kind of numbers that a warp has.
#[derive(Clone, Copy)]
enum Mix {
    /// Exponents within this distance of 0.
    Around(i64),
    /// All finite numbers.
    Any,
    /// Subnormals and what lies just above.
    Tiny,
    /// The largest ones.
    Huge,
    /// Few infinities.
    Infinities,
    /// Few infinities and NaNs.
    Nans,
    /// Powers of two and their neighbours with random signs, so that much cancels.
    Cancelling,
    /// A few large ones among many small ones.
    Uneven,
    /// Mostly zeros of both signs, so that large numbers meet zeros.
    Zeros,
}

const MIXES: [Mix; 16] = [
    Mix::Around(5),
    Mix::Uneven,
    Mix::Nans,
    Mix::Cancelling,
    Mix::Around(0),
    Mix::Around(2),
    Mix::Around(12),
    Mix::Around(30),
    Mix::Any,
    Mix::Tiny,
    Mix::Huge,
    Mix::Infinities,
    Mix::Zeros,
    Mix::Around(8),
    Mix::Cancelling,
    Mix::Uneven,
];

/// 64 bits of elements for a case. Warps differ in the mix of their numbers.
pub fn word(element: Element, case: usize, used: usize, random: &mut Random) -> u64 {
    let warp = case / 32;
    // Where there are few warps, each takes one of the first mixes.
    let mix = MIXES[if used >= 512 { warp % 16 } else { warp % 4 }];
    match element {
        Element::Bits => random.bits(),
        Element::Extremes => {
            let low = 0x7fff_ff00 + random.bits() % 0x200;
            let high = 0x7fff_ff00 + random.bits() % 0x200;
            low | high << 32
        }
        Element::Pairs => (0..16).fold(0, |word, index| {
            const PAIRS: [u64; 6] = [0b0100, 0b1000, 0b1100, 0b1001, 0b1101, 0b1110];
            word | PAIRS[random.bits() as usize % 6] << (4 * index)
        }),
        Element::Singles => (0..16).fold(0, |word, index| {
            word | [0b0100, 0b1110][random.bits() as usize % 2] << (4 * index)
        }),
        _ => {
            let bits = element.format().0;
            (0..64 / bits)
                .fold(0, |word, index| word | number(element, mix, random) << (bits * index))
        }
    }
}

fn number(element: Element, mix: Mix, random: &mut Random) -> u64 {
    let (bits, exponent_bits, fraction_bits) = element.format();
    let bias = (1_i64 << (exponent_bits - 1)) - 1;
    let top = 2 * bias;
    let draw = random.bits();
    let sign = (draw & 1) << (bits - 1);
    let fraction = draw >> 1 & ((1 << fraction_bits) - 1);
    let choice = draw >> 56;
    let finite = |exponent: i64, fraction: u64| {
        ((exponent + bias).clamp(0, top) as u64) << fraction_bits | fraction
    };
    let step = |range: i64| (random_of(draw) % (2 * range + 1) as u64) as i64 - range;
    let magnitude = match mix {
        Mix::Around(range) => finite(step(range), fraction),
        Mix::Any => finite(step(bias), fraction),
        Mix::Tiny => {
            let exponent = (random_of(draw) % 4) as i64;
            finite(exponent.saturating_sub(1).max(0) - bias, fraction)
        }
        Mix::Huge => finite(top - bias - (random_of(draw) % 3) as i64, fraction),
        Mix::Infinities if choice < 4 => (top as u64 + 1) << fraction_bits,
        Mix::Nans if choice == 0 => (top as u64 + 1) << fraction_bits | fraction | 1,
        Mix::Nans if choice == 1 => (top as u64 + 1) << fraction_bits,
        Mix::Infinities | Mix::Nans => finite(step(3), fraction),
        Mix::Cancelling => {
            let fraction = [0, 0, 1, (1 << fraction_bits) - 1][choice as usize % 4];
            finite(if choice & 64 == 0 { 0 } else { step(12) }, fraction)
        }
        Mix::Uneven if choice < 16 => finite(8 + step(2), fraction),
        Mix::Uneven => finite(-4 + step(3), fraction),
        Mix::Zeros if choice < 200 => 0,
        Mix::Zeros => finite(step(12), fraction),
    };
    sign | magnitude
}

/// Other bits of the same draw.
fn random_of(draw: u64) -> u64 {
    Random::new(draw).bits() >> 8
}
