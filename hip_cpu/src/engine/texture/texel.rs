//! The numbers that texels stand for.

use hip_host::core::array::Level;
use hip_host::core::format::{Channel, Format};
use hip_host::core::texture::Object;

use super::{block, srgb};
use crate::engine::half;

/// A channel before filters: how it is averaged and what kernels get depends on its kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// An integer, and how many bits it has.
    Whole(i64, u32),
    /// Of 65535, with the exact value where it has 8 bits.
    Unsigned(u16, f32),
    /// Of 127, with -128, and the exact value.
    Signed8(i8, f32),
    /// Of 32767, with -32768, and the exact value.
    Signed16(i16, f32),
    /// A number of the table of sRGB: significand and exponent.
    Srgb(u8, i8),
    Half(f32),
    Float(f32),
}

pub type Texel = [Number; 4];

/// The address of a texel, or of the block that has it.
pub fn address(level: &Level, format: Format, x: usize, y: usize, z: usize) -> usize {
    let side = format.block_side();
    let (x, y) = (x / side, y / side);
    level.ptr.start + z * level.ptr.slice + y * level.ptr.pitch + x * format.size()
}

/// A texel of an image; channels that it has not are 0.
///
/// # Safety
/// The texel is inside of the level, which is alive.
pub unsafe fn load(object: &Object, level: &Level, [x, y, z]: [usize; 3]) -> Texel {
    let format = object.format;
    if let Some(block) = format.block {
        let start = address(level, format, x, y, z);
        let mut bytes = [0; 16];
        // SAFETY: the caller's promise; blocks that stick out of the level are there as wholes.
        unsafe {
            let from = start as *const u8;
            std::ptr::copy_nonoverlapping(from, bytes.as_mut_ptr(), format.size());
        }
        let encoded = object.srgb && format.channels == 4;
        let mut texel = block::texel(block, &bytes, y % 4 * 4 + x % 4, encoded);
        if format.opaque && format.channels < 4 {
            texel[3] = one(format.channel);
        }
        return texel;
    }
    let mut texel = zero(object);
    for (index, number) in texel.iter_mut().enumerate().take(format.channels) {
        // SAFETY: the caller's promise.
        *number = unsafe { channel(object, level, [x, y, z], index) };
    }
    texel
}

/// A channel that the image has, where texels are stored one by one.
///
/// # Safety
/// The texel is inside of the level, which is alive.
#[inline]
pub unsafe fn channel(
    object: &Object,
    level: &Level,
    [x, y, z]: [usize; 3],
    index: usize,
) -> Number {
    let place = &level.ptr;
    let row = place.start + z * place.slice + y * place.pitch;
    let size = object.format.channel.size();
    let at = row + (x * object.format.channels + index) * size;
    // SAFETY: the caller's promise.
    let bits = unsafe {
        match size {
            1 => u32::from((at as *const u8).read()),
            2 => u32::from((at as *const u16).read_unaligned()),
            _ => (at as *const u32).read_unaligned(),
        }
    };
    number(bits, object, index)
}

/// All channels 0.
pub fn zero(object: &Object) -> Texel {
    [number(0, object, 0); 4]
}

fn one(kind: Channel) -> Number {
    match kind {
        Channel::Snorm16 => Number::Signed16(i16::MAX, 1.0),
        Channel::F16 => Number::Half(1.0),
        _ => Number::Unsigned(u16::MAX, 1.0),
    }
}

#[inline]
fn number(bits: u32, object: &Object, channel: usize) -> Number {
    let kind = object.format.channel;
    if kind.is_whole(object.as_integers) {
        let value = match kind {
            Channel::S8 => i64::from(bits as i8),
            Channel::S16 => i64::from(bits as i16),
            Channel::S32 => i64::from(bits as i32),
            Channel::U8 => i64::from(bits & 0xff),
            Channel::U16 => i64::from(bits & 0xffff),
            _ => i64::from(bits),
        };
        return Number::Whole(value, 8 * kind.size() as u32);
    }
    match kind {
        Channel::U8 if object.srgb && is_srgb(object.format, channel) => srgb::linear(bits as u8),
        Channel::U8 | Channel::Unorm8 => Number::Unsigned(bits as u16 * 257, bits as f32 / 255.0),
        Channel::U16 | Channel::Unorm16 => Number::Unsigned(bits as u16, bits as f32 / 65535.0),
        Channel::S8 | Channel::Snorm8 => {
            Number::Signed8(bits as i8, f32::from((bits as i8).max(-127)) / 127.0)
        }
        Channel::S16 | Channel::Snorm16 => {
            Number::Signed16(bits as i16, f32::from((bits as i16).max(-32767)) / 32767.0)
        }
        Channel::F16 => Number::Half(half::from_f16(bits as u16)),
        Channel::F32 => Number::Float(f32::from_bits(bits)),
        Channel::U32 | Channel::S32 => Number::Whole(bits.into(), 32),
    }
}

impl Number {
    /// The word that a kernel gets of a texel's channel that no filter touched.
    pub fn word(self) -> u32 {
        match self {
            Number::Whole(value, _) => value as u32,
            Number::Unsigned(_, value)
            | Number::Signed8(_, value)
            | Number::Signed16(_, value)
            | Number::Half(value)
            | Number::Float(value) => value.to_bits(),
            Number::Srgb(significand, exponent) => srgb::float(significand, exponent).to_bits(),
        }
    }
}

/// The border's colour, as the channels of the format hold it: rounded, or for integers its lowest bits.
pub fn border(object: &Object, colour: [f32; 4]) -> Texel {
    std::array::from_fn(|index| {
        if index == 3 && object.format.opaque && object.format.channels < 4 {
            return one(object.format.channel);
        }
        if index >= object.format.channels {
            return number(0, object, index);
        }
        let value = colour[index];
        let kind = object.format.channel;
        let normal = |least: f32, scale: f32| {
            // The half that is added is a little less.
            let magnitude = (value.clamp(least, 1.0) * scale).abs() + 0.4375;
            let whole = magnitude.floor().copysign(value) as i32;
            number(whole as u32, object, index)
        };
        match kind {
            _ if kind.is_whole(object.as_integers) => number(value.to_bits(), object, index),
            Channel::U8 | Channel::Unorm8 if object.srgb && is_srgb(object.format, index) => {
                srgb::linear(srgb::encoded(value))
            }
            Channel::U8 | Channel::Unorm8 => normal(0.0, 255.0),
            Channel::U16 | Channel::Unorm16 => normal(0.0, 65535.0),
            Channel::S8 | Channel::Snorm8 => normal(-1.0, 127.0),
            Channel::S16 | Channel::Snorm16 => normal(-1.0, 32767.0),
            Channel::F16 => Number::Half(half::from_f16(half::to_f16_cut(value))),
            _ => Number::Float(value),
        }
    })
}

/// The last of two or four channels is alpha, which is linear.
fn is_srgb(format: Format, channel: usize) -> bool {
    channel == 0 || channel + 1 < format.channels
}
