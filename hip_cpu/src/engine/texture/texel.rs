//! The numbers that texels stand for.

use cpu_abi::texture_object::TextureObjectLevel;
use hip_host::core::format::{Channel, Format};
use hip_host::core::texture::Object;

use super::srgb;
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

/// A channel that the image has, where texels are stored one by one.
///
/// # Safety
/// The texel is inside of the level, which is alive.
#[inline]
pub unsafe fn channel(
    object: &Object,
    level: &TextureObjectLevel,
    [x, y, z]: [usize; 3],
    index: usize,
) -> Number {
    let row = level.start as usize + z * level.slice as usize + y * level.pitch as usize;
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

#[inline]
fn number(bits: u32, object: &Object, channel: usize) -> Number {
    let kind = object.format.channel;
    if kind.is_whole(object.description.as_integers != 0) {
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
        Channel::U8 if object.description.srgb != 0 && is_srgb(object.format, channel) => {
            srgb::linear(bits as u8)
        }
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

/// The last of two or four channels is alpha, which is linear.
fn is_srgb(format: Format, channel: usize) -> bool {
    channel == 0 || channel + 1 < format.channels
}
