//! BC6H: halves of three channels, up to two subsets. "Khronos Data Format Specification", BC6H.

use super::bits::{Bits, between, weight};
use super::partition::{is_anchor, subset};

/// Colours, channels, and bits of them that are stored one after the other: from the second up to the first,
/// or down to it.
type Field = (u8, u8, u8, u8);

struct Mode {
    number: u32,
    /// Of each channel of the first colour.
    bits: u32,
    /// The others are differences from the first one, of so many bits.
    differences: Option<[u32; 3]>,
    fields: &'static [Field],
}

impl Mode {
    fn subsets(&self) -> usize {
        if matches!(self.number, 3 | 7 | 11 | 15) { 1 } else { 2 }
    }
}

/// Red, green and blue, as the bits of halves. Blocks of no mode are all 0.
pub fn texel(bytes: &[u8; 16], place: usize, signed: bool) -> [u16; 3] {
    let number = match bytes[0] & 3 {
        short @ 0..2 => short,
        _ => bytes[0] & 31,
    };
    let Some(mode) = MODES.iter().find(|mode| mode.number == number.into()) else { return [0; 3] };
    let mut bits = Bits::new(bytes);
    bits.skip(if number < 2 { 2 } else { 5 });
    let mut colours = [[0_i32; 3]; 4];
    for &(colour, channel, high, low) in mode.fields {
        let value = &mut colours[usize::from(colour)][usize::from(channel)];
        if high >= low {
            *value |= (bits.take(u32::from(high - low) + 1) << low) as i32;
        } else {
            for bit in (high..=low).rev() {
                *value |= (bits.take(1) << bit) as i32;
            }
        }
    }
    let subsets = mode.subsets();
    let partition = if subsets == 2 { bits.take(5) as usize } else { 0 };
    let extended = |value: i32, bits: u32| value << (32 - bits) >> (32 - bits);
    for channel in 0..3 {
        let first = colours[0][channel];
        for colour in colours.iter_mut().skip(1) {
            let value = &mut colour[channel];
            if let Some(differences) = mode.differences {
                *value = (first + extended(*value, differences[channel])) & ((1 << mode.bits) - 1);
            }
            if signed {
                *value = extended(*value, mode.bits);
            }
        }
        if signed {
            colours[0][channel] = extended(first, mode.bits);
        }
    }
    let index_bits = if subsets == 2 { 3 } else { 4 };
    let mut index = 0;
    for texel in 0..=place {
        index = bits.take(index_bits - u32::from(is_anchor(subsets, partition, texel)));
    }
    let weight = weight(index_bits, index);
    let pair = 2 * subset(subsets, partition, place);
    std::array::from_fn(|channel| {
        let [near, far] = [colours[pair], colours[pair + 1]]
            .map(|colour| widened(colour[channel], mode.bits, signed));
        let value = between(near, far, weight);
        match (signed, value < 0) {
            (false, _) => ((value * 31) >> 6) as u16,
            (true, false) => ((value * 31) >> 5) as u16,
            (true, true) => ((-value * 31) >> 5) as u16 | 0x8000,
        }
    })
}

/// To sixteen bits.
fn widened(value: i32, bits: u32, signed: bool) -> i32 {
    let magnitude = value.abs();
    let (kept, most, greatest) = if signed {
        (bits >= 16, (1 << (bits - 1)) - 1, 0x7fff)
    } else {
        (bits >= 15, (1 << bits) - 1, 0xffff)
    };
    let wide = match magnitude {
        _ if kept => return value,
        0 => 0,
        _ if magnitude >= most => greatest,
        _ => ((magnitude << 15) + 0x4000) >> (bits - 1),
    };
    if value < 0 { -wide } else { wide }
}

#[rustfmt::skip]
const MODES: [Mode; 14] = [
    Mode {
        number: 0,
        bits: 10,
        differences: Some([5, 5, 5]),
        fields: &[
            (2, 1, 4, 4), (2, 2, 4, 4), (3, 2, 4, 4), (0, 0, 9, 0), (0, 1, 9, 0), (0, 2, 9, 0),
            (1, 0, 4, 0), (3, 1, 4, 4), (2, 1, 3, 0), (1, 1, 4, 0), (3, 2, 0, 0), (3, 1, 3, 0),
            (1, 2, 4, 0), (3, 2, 1, 1), (2, 2, 3, 0), (2, 0, 4, 0), (3, 2, 2, 2), (3, 0, 4, 0),
            (3, 2, 3, 3),
        ],
    },
    Mode {
        number: 1,
        bits: 7,
        differences: Some([6, 6, 6]),
        fields: &[
            (2, 1, 5, 5), (3, 1, 4, 4), (3, 1, 5, 5), (0, 0, 6, 0), (3, 2, 0, 0), (3, 2, 1, 1),
            (2, 2, 4, 4), (0, 1, 6, 0), (2, 2, 5, 5), (3, 2, 2, 2), (2, 1, 4, 4), (0, 2, 6, 0),
            (3, 2, 3, 3), (3, 2, 5, 5), (3, 2, 4, 4), (1, 0, 5, 0), (2, 1, 3, 0), (1, 1, 5, 0),
            (3, 1, 3, 0), (1, 2, 5, 0), (2, 2, 3, 0), (2, 0, 5, 0), (3, 0, 5, 0),
        ],
    },
    Mode {
        number: 2,
        bits: 11,
        differences: Some([5, 4, 4]),
        fields: &[
            (0, 0, 9, 0), (0, 1, 9, 0), (0, 2, 9, 0), (1, 0, 4, 0), (0, 0, 10, 10), (2, 1, 3, 0),
            (1, 1, 3, 0), (0, 1, 10, 10), (3, 2, 0, 0), (3, 1, 3, 0), (1, 2, 3, 0), (0, 2, 10, 10),
            (3, 2, 1, 1), (2, 2, 3, 0), (2, 0, 4, 0), (3, 2, 2, 2), (3, 0, 4, 0), (3, 2, 3, 3),
        ],
    },
    Mode {
        number: 6,
        bits: 11,
        differences: Some([4, 5, 4]),
        fields: &[
            (0, 0, 9, 0), (0, 1, 9, 0), (0, 2, 9, 0), (1, 0, 3, 0), (0, 0, 10, 10), (3, 1, 4, 4),
            (2, 1, 3, 0), (1, 1, 4, 0), (0, 1, 10, 10), (3, 1, 3, 0), (1, 2, 3, 0), (0, 2, 10, 10),
            (3, 2, 1, 1), (2, 2, 3, 0), (2, 0, 3, 0), (3, 2, 0, 0), (3, 2, 2, 2), (3, 0, 3, 0),
            (2, 1, 4, 4), (3, 2, 3, 3),
        ],
    },
    Mode {
        number: 10,
        bits: 11,
        differences: Some([4, 4, 5]),
        fields: &[
            (0, 0, 9, 0), (0, 1, 9, 0), (0, 2, 9, 0), (1, 0, 3, 0), (0, 0, 10, 10), (2, 2, 4, 4),
            (2, 1, 3, 0), (1, 1, 3, 0), (0, 1, 10, 10), (3, 2, 0, 0), (3, 1, 3, 0), (1, 2, 4, 0),
            (0, 2, 10, 10), (2, 2, 3, 0), (2, 0, 3, 0), (3, 2, 1, 1), (3, 2, 2, 2), (3, 0, 3, 0),
            (3, 2, 4, 4), (3, 2, 3, 3),
        ],
    },
    Mode {
        number: 14,
        bits: 9,
        differences: Some([5, 5, 5]),
        fields: &[
            (0, 0, 8, 0), (2, 2, 4, 4), (0, 1, 8, 0), (2, 1, 4, 4), (0, 2, 8, 0), (3, 2, 4, 4),
            (1, 0, 4, 0), (3, 1, 4, 4), (2, 1, 3, 0), (1, 1, 4, 0), (3, 2, 0, 0), (3, 1, 3, 0),
            (1, 2, 4, 0), (3, 2, 1, 1), (2, 2, 3, 0), (2, 0, 4, 0), (3, 2, 2, 2), (3, 0, 4, 0),
            (3, 2, 3, 3),
        ],
    },
    Mode {
        number: 18,
        bits: 8,
        differences: Some([6, 5, 5]),
        fields: &[
            (0, 0, 7, 0), (3, 1, 4, 4), (2, 2, 4, 4), (0, 1, 7, 0), (3, 2, 2, 2), (2, 1, 4, 4),
            (0, 2, 7, 0), (3, 2, 3, 3), (3, 2, 4, 4), (1, 0, 5, 0), (2, 1, 3, 0), (1, 1, 4, 0),
            (3, 2, 0, 0), (3, 1, 3, 0), (1, 2, 4, 0), (3, 2, 1, 1), (2, 2, 3, 0), (2, 0, 5, 0),
            (3, 0, 5, 0),
        ],
    },
    Mode {
        number: 22,
        bits: 8,
        differences: Some([5, 6, 5]),
        fields: &[
            (0, 0, 7, 0), (3, 2, 0, 0), (2, 2, 4, 4), (0, 1, 7, 0), (2, 1, 5, 5), (2, 1, 4, 4),
            (0, 2, 7, 0), (3, 1, 5, 5), (3, 2, 4, 4), (1, 0, 4, 0), (3, 1, 4, 4), (2, 1, 3, 0),
            (1, 1, 5, 0), (3, 1, 3, 0), (1, 2, 4, 0), (3, 2, 1, 1), (2, 2, 3, 0), (2, 0, 4, 0),
            (3, 2, 2, 2), (3, 0, 4, 0), (3, 2, 3, 3),
        ],
    },
    Mode {
        number: 26,
        bits: 8,
        differences: Some([5, 5, 6]),
        fields: &[
            (0, 0, 7, 0), (3, 2, 1, 1), (2, 2, 4, 4), (0, 1, 7, 0), (2, 2, 5, 5), (2, 1, 4, 4),
            (0, 2, 7, 0), (3, 2, 5, 5), (3, 2, 4, 4), (1, 0, 4, 0), (3, 1, 4, 4), (2, 1, 3, 0),
            (1, 1, 4, 0), (3, 2, 0, 0), (3, 1, 3, 0), (1, 2, 5, 0), (2, 2, 3, 0), (2, 0, 4, 0),
            (3, 2, 2, 2), (3, 0, 4, 0), (3, 2, 3, 3),
        ],
    },
    Mode {
        number: 30,
        bits: 6,
        differences: None,
        fields: &[
            (0, 0, 5, 0), (3, 1, 4, 4), (3, 2, 0, 0), (3, 2, 1, 1), (2, 2, 4, 4), (0, 1, 5, 0),
            (2, 1, 5, 5), (2, 2, 5, 5), (3, 2, 2, 2), (2, 1, 4, 4), (0, 2, 5, 0), (3, 1, 5, 5),
            (3, 2, 3, 3), (3, 2, 5, 5), (3, 2, 4, 4), (1, 0, 5, 0), (2, 1, 3, 0), (1, 1, 5, 0),
            (3, 1, 3, 0), (1, 2, 5, 0), (2, 2, 3, 0), (2, 0, 5, 0), (3, 0, 5, 0),
        ],
    },
    Mode {
        number: 3,
        bits: 10,
        differences: None,
        fields: &[
            (0, 0, 9, 0), (0, 1, 9, 0), (0, 2, 9, 0), (1, 0, 9, 0), (1, 1, 9, 0), (1, 2, 9, 0),
        ],
    },
    Mode {
        number: 7,
        bits: 11,
        differences: Some([9, 9, 9]),
        fields: &[
            (0, 0, 9, 0), (0, 1, 9, 0), (0, 2, 9, 0), (1, 0, 8, 0), (0, 0, 10, 10), (1, 1, 8, 0),
            (0, 1, 10, 10), (1, 2, 8, 0), (0, 2, 10, 10),
        ],
    },
    Mode {
        number: 11,
        bits: 12,
        differences: Some([8, 8, 8]),
        fields: &[
            (0, 0, 9, 0), (0, 1, 9, 0), (0, 2, 9, 0), (1, 0, 7, 0), (0, 0, 10, 11), (1, 1, 7, 0),
            (0, 1, 10, 11), (1, 2, 7, 0), (0, 2, 10, 11),
        ],
    },
    Mode {
        number: 15,
        bits: 16,
        differences: Some([4, 4, 4]),
        fields: &[
            (0, 0, 9, 0), (0, 1, 9, 0), (0, 2, 9, 0), (1, 0, 3, 0), (0, 0, 10, 15), (1, 1, 3, 0),
            (0, 1, 10, 15), (1, 2, 3, 0), (0, 2, 10, 15),
        ],
    },
];
