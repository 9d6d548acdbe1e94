//! Texels of formats that store blocks of 4 x 4 of them, as an H100 decodes them.

mod bc6h;
mod bc7;
mod bits;
mod partition;

use hip_host::core::format::Block;

use super::srgb;
use super::texel::{Number, Texel};
use crate::engine::half;

/// The texel at a place from 0 to 15 of a block; channels that it has not are 0.
pub fn texel(block: Block, bytes: &[u8; 16], place: usize, encoded: bool) -> Texel {
    let eight = |value: u8| Number::Unsigned(u16::from(value) * 257, f32::from(value) / 255.0);
    let none = eight(0);
    let rgb = |bytes: &[u8], punched: bool| {
        let (colour, opaque) = colour(bytes, place, punched);
        (colour.map(|value| if encoded { srgb::linear(value) } else { eight(value) }), opaque)
    };
    match block {
        Block::Bc1 => {
            let ([r, g, b], opaque) = rgb(bytes, true);
            [r, g, b, eight(if opaque { 255 } else { 0 })]
        }
        Block::Bc2 => {
            let ([r, g, b], _) = rgb(&bytes[8..], false);
            let alpha = bytes[place / 2] >> (4 * (place % 2)) & 15;
            [r, g, b, eight(alpha * 17)]
        }
        Block::Bc3 => {
            let ([r, g, b], _) = rgb(&bytes[8..], false);
            [r, g, b, eight(alpha(bytes, place))]
        }
        Block::Bc6h | Block::SignedBc6h => {
            let bits = bc6h::texel(bytes, place, block == Block::SignedBc6h);
            let [r, g, b] = bits.map(|bits| Number::Half(half::from_f16(bits)));
            [r, g, b, Number::Half(0.0)]
        }
        Block::Bc7 => {
            let [r, g, b, alpha] = bc7::texel(bytes, place);
            let [r, g, b] =
                [r, g, b].map(|value| if encoded { srgb::linear(value) } else { eight(value) });
            [r, g, b, eight(alpha)]
        }
        Block::Bc4 => [unsigned(bytes, place), none, none, none],
        Block::Bc5 => [unsigned(bytes, place), unsigned(&bytes[8..], place), none, none],
        Block::SignedBc4 => [signed(bytes, place), wide(0), wide(0), wide(0)],
        Block::SignedBc5 => [signed(bytes, place), signed(&bytes[8..], place), wide(0), wide(0)],
    }
}

fn wide(value: i16) -> Number {
    Number::Signed16(value, f32::from(value) / 32767.0)
}

/// Red, green and blue of a block of colours, and whether there is any. Of two colours in ascending order,
/// where that means something, the third is their middle and the fourth is none.
fn colour(bytes: &[u8], place: usize, punched: bool) -> ([u8; 3], bool) {
    let word = |at: usize| u32::from(bytes[at]) | u32::from(bytes[at + 1]) << 8;
    let (first, second) = (word(0), word(2));
    let select = bytes[4 + place / 4] >> (2 * (place % 4)) & 3;
    let parts = |colour: u32| [colour >> 11, colour >> 5 & 63, colour & 31];
    let (mut near, mut far) = (parts(first), parts(second));
    // The fourth colour is the third one of the colours the other way round.
    if matches!(select, 1 | 3) {
        std::mem::swap(&mut near, &mut far);
    }
    let four = !punched || first > second;
    let green = |colour: [u32; 3]| (colour[1] << 2 | colour[1] >> 4) as i32;
    let five = |value: u32| value << 3 | value >> 2;
    let mixed = |reds: [u32; 2], of_green: i32| {
        let step = green(far) - green(near);
        let green = (256 * green(near) + step.div_euclid(4) + 128 + step * of_green) >> 8;
        [reds[0], green as u32, reds[1]].map(|value| value as u8)
    };
    match (select, four) {
        (0 | 1, _) => ([five(near[0]), green(near) as u32, five(near[2])].map(|v| v as u8), true),
        (_, true) => (mixed([0, 2].map(|part| (2 * near[part] + far[part]) * 22 / 8), 80), true),
        (2, false) => (mixed([0, 2].map(|part| (near[part] + far[part]) * 33 / 8), 128), true),
        _ => ([0; 3], false),
    }
}

/// The three bits of a texel in a block of one channel.
fn selected(bytes: &[u8], place: usize) -> usize {
    let bits = (2..8).fold(0, |bits, at| bits | u64::from(bytes[at]) << (8 * (at - 2)));
    (bits >> (3 * place) & 7) as usize
}

/// Weights of the second of two numbers, for each selection: in seven steps where the first one is greater, in five and
/// the ends of the format otherwise. All of it is `seven[1]`.
struct Steps {
    seven: [i32; 8],
    five: [i32; 6],
}

const ALPHA: Steps = Steps {
    seven: [0, 2048, 289, 578, 892, 1156, 1470, 1759],
    five: [0, 2048, 385, 770, 1278, 1663],
};
const UNSIGNED: Steps =
    Steps { seven: [0, 257, 36, 72, 113, 144, 185, 221], five: [0, 257, 48, 96, 161, 209] };
const SIGNED: Steps =
    Steps { seven: [0, 258, 36, 72, 114, 144, 186, 222], five: [0, 258, 48, 96, 162, 210] };

impl Steps {
    /// The sum of both with weights of `self.seven[1]`; nothing for the ends of the format.
    fn between(&self, first: i32, second: i32, descending: bool, select: usize) -> Option<i32> {
        let of_second = if descending { self.seven[select] } else { *self.five.get(select)? };
        Some(first * (self.seven[1] - of_second) + second * of_second)
    }
}

fn alpha(bytes: &[u8], place: usize) -> u8 {
    let [first, second] = [bytes[0], bytes[1]].map(i32::from);
    let select = selected(bytes, place);
    match ALPHA.between(first, second, first > second, select) {
        Some(sum) => ((sum + 1024) >> 11) as u8,
        None if select == 6 => 0,
        None => 255,
    }
}

fn unsigned(bytes: &[u8], place: usize) -> Number {
    let [first, second] = [bytes[0], bytes[1]].map(i32::from);
    let select = selected(bytes, place);
    let end = if select == 6 { 0 } else { 65535 };
    let value = UNSIGNED.between(first, second, first > second, select).unwrap_or(end) as u16;
    Number::Unsigned(value, f32::from(value) / 65535.0)
}

fn signed(bytes: &[u8], place: usize) -> Number {
    let [first, second] = [bytes[0], bytes[1]].map(|byte| i32::from(byte as i8));
    let select = selected(bytes, place);
    let descending = first > second;
    let [first, second] = [first, second].map(|value| value.max(-127));
    let end = if select == 6 { -32767 } else { 32767 };
    let value = SIGNED.between(first, second, descending, select).map_or(end, |sum| {
        // 127 times 258 is one less than 32767: the farther half of numbers is moved by one, as the number is
        // that one end is nearer to.
        let of_first =
            if descending { matches!(select, 0 | 2 | 3 | 5) } else { matches!(select, 0 | 2 | 3) };
        let nearer = if of_first { first } else { second };
        sum + if nearer.abs() >= 64 { nearer.signum() } else { 0 }
    });
    wide(value as i16)
}

#[cfg(test)]
mod tests {
    use super::*;

    // As an H100 decodes them.
    #[test]
    fn numbers_between_are_those_of_an_h100() {
        // Six bits of 48 and 17: the fourth colour's green is 108.
        let colours = [48_u16 << 5, 17 << 5].map(u16::to_le_bytes).concat();
        let block = [colours.as_slice(), &[3, 0, 0, 0]].concat();
        assert_eq!(colour(&block, 0, true), ([0, 108, 0], true));
        // The first step from 255 to 0: 221 * 255 of 65535.
        assert_eq!(
            unsigned(&[255, 0, 2, 0, 0, 0, 0, 0], 0),
            Number::Unsigned(56355, 56355.0 / 65535.0)
        );
        assert_eq!(alpha(&[25, 169, 3, 0, 0, 0, 0, 0], 0), 79);
        assert_eq!(alpha(&[25, 169, 6, 0, 0, 0, 0, 0], 0), 0);
    }
}
