//! BC7: eight bits a channel, up to three subsets. "Khronos Data Format Specification", BC7.

use super::bits::{Bits, between, weight};
use super::partition::{is_anchor, subset};

struct Mode {
    subsets: usize,
    partition_bits: u32,
    rotation_bits: u32,
    selection_bits: u32,
    colour_bits: u32,
    alpha_bits: u32,
    /// A lowest bit for each colour.
    own_bits: bool,
    /// A lowest bit for each subset.
    shared_bits: bool,
    index_bits: u32,
    second_index_bits: u32,
}

const fn mode(subsets: usize, bits: [u32; 5], lowest: [bool; 2], index: [u32; 2]) -> Mode {
    Mode {
        subsets,
        partition_bits: bits[0],
        rotation_bits: bits[1],
        selection_bits: bits[2],
        colour_bits: bits[3],
        alpha_bits: bits[4],
        own_bits: lowest[0],
        shared_bits: lowest[1],
        index_bits: index[0],
        second_index_bits: index[1],
    }
}

const MODES: [Mode; 8] = [
    mode(3, [4, 0, 0, 4, 0], [true, false], [3, 0]),
    mode(2, [6, 0, 0, 6, 0], [false, true], [3, 0]),
    mode(3, [6, 0, 0, 5, 0], [false, false], [2, 0]),
    mode(2, [6, 0, 0, 7, 0], [true, false], [2, 0]),
    mode(1, [0, 2, 1, 5, 6], [false, false], [2, 3]),
    mode(1, [0, 2, 0, 7, 8], [false, false], [2, 2]),
    mode(1, [0, 0, 0, 7, 7], [true, false], [4, 0]),
    mode(2, [6, 0, 0, 5, 5], [true, false], [2, 0]),
];

/// Red, green, blue and alpha. Blocks of no mode are all 0.
pub fn texel(bytes: &[u8; 16], place: usize) -> [u8; 4] {
    let number = bytes[0].trailing_zeros();
    let Some(mode) = MODES.get(number as usize) else { return [0; 4] };
    let mut bits = Bits::new(bytes);
    bits.skip(number + 1);
    let partition = bits.take(mode.partition_bits) as usize;
    let rotation = bits.take(mode.rotation_bits) as usize;
    let selection = bits.take(mode.selection_bits);
    // Two colours for each subset, by channel.
    let mut colours = [[0_u32; 4]; 6];
    let colours = &mut colours[..2 * mode.subsets];
    for channel in 0..4 {
        let count = if channel == 3 { mode.alpha_bits } else { mode.colour_bits };
        for colour in colours.iter_mut() {
            colour[channel] = bits.take(count);
        }
    }
    let mut lowest = [0; 6];
    if mode.own_bits {
        lowest[..colours.len()].fill_with(|| bits.take(1));
    }
    if mode.shared_bits {
        for pair in lowest.chunks_mut(2).take(mode.subsets) {
            pair.fill(bits.take(1));
        }
    }
    let with_lowest = mode.own_bits || mode.shared_bits;
    for (colour, lowest) in colours.iter_mut().zip(lowest) {
        for (channel, value) in colour.iter_mut().enumerate() {
            let count = if channel == 3 { mode.alpha_bits } else { mode.colour_bits };
            *value = if count == 0 {
                255
            } else {
                widened(*value, count, with_lowest.then_some(lowest))
            };
        }
    }
    let first = index(&mut bits, mode.index_bits, mode.subsets, partition, place);
    let second = match mode.second_index_bits {
        0 => first,
        count => index(&mut bits, count, 1, 0, place),
    };
    let second_bits =
        if mode.second_index_bits == 0 { mode.index_bits } else { mode.second_index_bits };
    let (of_colour, of_alpha) = ((first, mode.index_bits), (second, second_bits));
    let (of_colour, of_alpha) =
        if selection == 1 { (of_alpha, of_colour) } else { (of_colour, of_alpha) };
    let pair = 2 * subset(mode.subsets, partition, place);
    let mut texel: [u8; 4] = std::array::from_fn(|channel| {
        let (index, bits) = if channel == 3 { of_alpha } else { of_colour };
        let [near, far] = [colours[pair], colours[pair + 1]].map(|colour| colour[channel] as i32);
        between(near, far, weight(bits, index)) as u8
    });
    if rotation != 0 {
        texel.swap(3, rotation - 1);
    }
    texel
}

/// To eight bits, of which the lowest ones repeat the highest.
fn widened(value: u32, count: u32, lowest: Option<u32>) -> u32 {
    let (value, count) = match lowest {
        Some(lowest) => (value << 1 | lowest, count + 1),
        None => (value, count),
    };
    let high = value << (8 - count);
    high | high >> count
}

/// The index of a texel; all indices are passed.
fn index(bits: &mut Bits, count: u32, subsets: usize, partition: usize, place: usize) -> u32 {
    let mut found = 0;
    for texel in 0..16 {
        let index = bits.take(count - u32::from(is_anchor(subsets, partition, texel)));
        if texel == place {
            found = index;
        }
    }
    found
}
