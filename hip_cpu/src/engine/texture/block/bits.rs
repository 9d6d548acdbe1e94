//! The bits of a block, read from the lowest one, and what is between two colours.

pub struct Bits {
    all: u128,
    next: u32,
}

impl Bits {
    /// The bits of a block of 16 bytes, read from the lowest on.
    pub fn new(bytes: &[u8; 16]) -> Bits {
        Bits { all: u128::from_le_bytes(*bytes), next: 0 }
    }

    /// The next `count` bits, 32 at most.
    pub fn take(&mut self, count: u32) -> u32 {
        let value = (self.all >> self.next) as u32 & ((1_u64 << count) - 1) as u32;
        self.next += count;
        value
    }

    /// Leaves out the next `count` bits.
    pub fn skip(&mut self, count: u32) {
        self.next += count;
    }
}

/// The weight of the second colour, in 64ths, for an index of so many bits.
pub fn weight(bits: u32, index: u32) -> i32 {
    const TWO: [i32; 4] = [0, 21, 43, 64];
    const THREE: [i32; 8] = [0, 9, 18, 27, 37, 46, 55, 64];
    const FOUR: [i32; 16] = [0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64];
    let weights = match bits {
        2 => &TWO[..],
        3 => &THREE,
        _ => &FOUR,
    };
    weights[index as usize % weights.len()]
}

/// The colour between two; `weight` is the second one's, in 64ths.
pub fn between(first: i32, second: i32, weight: i32) -> i32 {
    ((64 - weight) * first + weight * second + 32) >> 6
}
