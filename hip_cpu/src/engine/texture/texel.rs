//! The numbers that texels stand for.

use crate::core::array::Level;
use crate::core::format::{Channel, Format};
use crate::core::texture::Object;

/// A channel before filters: how it is averaged and what kernels get depends on its kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// An integer, and how many bits it has.
    Whole(i64, u32),
    /// Of 65535, with the exact value where it has 8 bits.
    Unsigned(u16, f32),
    /// Of 32767 times 16, and the exact value. Eight bits become sixteen as `v * 258 + v / 128`.
    Signed(i32, f32),
    Half(f32),
    Float(f32),
}

pub type Texel = [Number; 4];

/// Where a texel lies.
pub fn address(level: &Level, format: Format, x: usize, y: usize, z: usize) -> usize {
    level.place.start + z * level.place.slice + y * level.place.pitch + x * format.size()
}

/// A texel of an image; channels that it has not are 0.
///
/// # Safety
/// The texel is inside of the level, which is alive.
pub unsafe fn load(object: &Object, level: &Level, [x, y, z]: [usize; 3]) -> Texel {
    let format = object.format;
    let start = address(level, format, x, y, z);
    let size = format.channel.size();
    let zero = number(0, object, 0);
    let mut texel = [zero; 4];
    for (index, channel) in texel.iter_mut().enumerate().take(format.channels) {
        let at = start + index * size;
        // SAFETY: the caller's promise.
        let bits = unsafe {
            match size {
                1 => u32::from((at as *const u8).read()),
                2 => u32::from((at as *const u16).read_unaligned()),
                _ => (at as *const u32).read_unaligned(),
            }
        };
        *channel = number(bits, object, index);
    }
    texel
}

/// All channels 0.
pub fn zero(object: &Object) -> Texel {
    [number(0, object, 0); 4]
}

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
        Channel::U8 if object.srgb && is_srgb(object.format, channel) => {
            Number::Half(from_srgb(bits as u8))
        }
        Channel::U8 | Channel::Unorm8 => Number::Unsigned(bits as u16 * 257, bits as f32 / 255.0),
        Channel::U16 | Channel::Unorm16 => Number::Unsigned(bits as u16, bits as f32 / 65535.0),
        Channel::S8 | Channel::Snorm8 => {
            let value = (bits as i8).max(-127);
            let exact = f32::from(value) / 127.0;
            Number::Signed((i32::from(value) * 33025) >> 3, exact)
        }
        Channel::S16 | Channel::Snorm16 => {
            let value = (bits as i16).max(-32767);
            Number::Signed(i32::from(value) * 16, f32::from(value) / 32767.0)
        }
        Channel::F16 => Number::Half(half_to_float(bits as u16)),
        Channel::F32 => Number::Float(f32::from_bits(bits)),
        Channel::U32 | Channel::S32 => Number::Whole(bits.into(), 32),
    }
}

impl Number {
    /// What a kernel gets of a texel that no filter touched.
    pub fn word(self) -> u32 {
        match self {
            Number::Whole(value, _) => value as u32,
            Number::Unsigned(_, value)
            | Number::Signed(_, value)
            | Number::Half(value)
            | Number::Float(value) => value.to_bits(),
        }
    }
}

/// The border's colour, as the channels of the format hold it: rounded, or for integers its lowest bits.
pub fn border(object: &Object, colour: [f32; 4]) -> Texel {
    std::array::from_fn(|index| {
        if index >= object.format.channels {
            return number(0, object, index);
        }
        let value = colour[index];
        let kind = object.format.channel;
        let normal = |least: f32, scale: f32| {
            let bits = (value.clamp(least, 1.0) * scale).round() as i32 as u32;
            number(bits, object, index)
        };
        match kind {
            _ if kind.is_whole(object.as_integers) => number(value.to_bits(), object, index),
            Channel::U8 if object.srgb && is_srgb(object.format, index) => {
                Number::Half(value.clamp(0.0, 1.0))
            }
            Channel::U8 | Channel::Unorm8 => normal(0.0, 255.0),
            Channel::U16 | Channel::Unorm16 => normal(0.0, 65535.0),
            Channel::S8 | Channel::Snorm8 => normal(-1.0, 127.0),
            Channel::S16 | Channel::Snorm16 => normal(-1.0, 32767.0),
            Channel::F16 => Number::Half(value),
            _ => Number::Float(value),
        }
    })
}

/// The last of two or four channels is alpha, which is linear.
fn is_srgb(format: Format, channel: usize) -> bool {
    channel == 0 || channel + 1 < format.channels
}

fn from_srgb(value: u8) -> f32 {
    f32::from_bits(u32::from(FROM_SRGB[usize::from(value)]) << 16)
}

/// What an H100 makes of each number: the upper halves of floats. They are the curve of sRGB, about as near as
/// eight bits of significand are, but rounded in no one way.
#[rustfmt::skip]
const FROM_SRGB: [u16; 256] = [
    0x0000, 0x39a0, 0x3a20, 0x3a70, 0x3aa0, 0x3ac8, 0x3af0, 0x3b0c, 0x3b20, 0x3b34, 0x3b48, 0x3b5c,
    0x3b70, 0x3b84, 0x3b90, 0x3b9c, 0x3baa, 0x3bb8, 0x3bc6, 0x3bd6, 0x3be6, 0x3bf6, 0x3c03, 0x3c0c,
    0x3c16, 0x3c1f, 0x3c29, 0x3c34, 0x3c3e, 0x3c49, 0x3c55, 0x3c60, 0x3c6c, 0x3c7a, 0x3c83, 0x3c8a,
    0x3c91, 0x3c98, 0x3c9f, 0x3ca6, 0x3cae, 0x3cb6, 0x3cbe, 0x3cc6, 0x3cce, 0x3cd7, 0x3ce0, 0x3ce9,
    0x3cf2, 0x3cfc, 0x3d03, 0x3d08, 0x3d0d, 0x3d12, 0x3d17, 0x3d1c, 0x3d22, 0x3d28, 0x3d2d, 0x3d33,
    0x3d39, 0x3d3f, 0x3d45, 0x3d4c, 0x3d52, 0x3d58, 0x3d60, 0x3d66, 0x3d6c, 0x3d74, 0x3d7a, 0x3d81,
    0x3d85, 0x3d88, 0x3d8c, 0x3d90, 0x3d94, 0x3d98, 0x3d9c, 0x3da0, 0x3da4, 0x3da9, 0x3dad, 0x3db1,
    0x3db6, 0x3dba, 0x3dbf, 0x3dc3, 0x3dc8, 0x3dcd, 0x3dd1, 0x3dd6, 0x3ddb, 0x3de0, 0x3de5, 0x3dea,
    0x3df0, 0x3df4, 0x3dfa, 0x3e00, 0x3e02, 0x3e05, 0x3e08, 0x3e0b, 0x3e0e, 0x3e11, 0x3e14, 0x3e17,
    0x3e1a, 0x3e1d, 0x3e20, 0x3e23, 0x3e26, 0x3e29, 0x3e2c, 0x3e30, 0x3e33, 0x3e36, 0x3e3a, 0x3e3d,
    0x3e40, 0x3e44, 0x3e47, 0x3e4b, 0x3e4e, 0x3e52, 0x3e56, 0x3e59, 0x3e5d, 0x3e61, 0x3e65, 0x3e68,
    0x3e6c, 0x3e70, 0x3e74, 0x3e78, 0x3e7c, 0x3e80, 0x3e82, 0x3e84, 0x3e86, 0x3e88, 0x3e8a, 0x3e8d,
    0x3e8f, 0x3e91, 0x3e93, 0x3e95, 0x3e98, 0x3e9a, 0x3e9c, 0x3e9e, 0x3ea1, 0x3ea3, 0x3ea5, 0x3ea8,
    0x3eaa, 0x3ead, 0x3eaf, 0x3eb2, 0x3eb4, 0x3eb6, 0x3eb9, 0x3ebc, 0x3ebe, 0x3ec1, 0x3ec3, 0x3ec6,
    0x3ec8, 0x3ecb, 0x3ece, 0x3ed1, 0x3ed3, 0x3ed6, 0x3ed9, 0x3edb, 0x3ede, 0x3ee1, 0x3ee4, 0x3ee7,
    0x3eea, 0x3eed, 0x3ef0, 0x3ef2, 0x3ef6, 0x3ef8, 0x3efc, 0x3efe, 0x3f01, 0x3f02, 0x3f04, 0x3f05,
    0x3f07, 0x3f09, 0x3f0a, 0x3f0c, 0x3f0d, 0x3f0f, 0x3f11, 0x3f12, 0x3f14, 0x3f16, 0x3f17, 0x3f19,
    0x3f1b, 0x3f1c, 0x3f1e, 0x3f20, 0x3f21, 0x3f23, 0x3f25, 0x3f27, 0x3f29, 0x3f2a, 0x3f2c, 0x3f2e,
    0x3f30, 0x3f32, 0x3f33, 0x3f35, 0x3f37, 0x3f39, 0x3f3b, 0x3f3d, 0x3f3f, 0x3f41, 0x3f43, 0x3f45,
    0x3f47, 0x3f49, 0x3f4b, 0x3f4d, 0x3f4f, 0x3f51, 0x3f53, 0x3f55, 0x3f57, 0x3f59, 0x3f5b, 0x3f5d,
    0x3f5f, 0x3f61, 0x3f63, 0x3f65, 0x3f68, 0x3f6a, 0x3f6c, 0x3f6e, 0x3f70, 0x3f72, 0x3f74, 0x3f76,
    0x3f7a, 0x3f7c, 0x3f7e, 0x3f80,
];

pub fn half_to_float(bits: u16) -> f32 {
    let sign = u32::from(bits & 0x8000) << 16;
    let (exponent, fraction) = (u32::from(bits >> 10 & 31), u32::from(bits & 0x3ff));
    let magnitude = match exponent {
        0 => fraction as f32 / (1 << 24) as f32,
        31 => f32::from_bits(0x7f80_0000 | fraction << 13),
        _ => f32::from_bits((exponent + 112) << 23 | fraction << 13),
    };
    f32::from_bits(sign | magnitude.to_bits())
}

/// Cut, as surfaces keep floats: what is too large becomes the greatest number, and of what is no number the
/// first bits stay.
pub fn float_to_half_cut(value: f32) -> u16 {
    let bits = value.to_bits();
    let sign = (bits >> 16) as u16 & 0x8000;
    if value.is_nan() {
        return sign | 0x7c00 | (bits >> 13) as u16 & 0x3ff;
    }
    let nearest = float_to_half(value);
    if value.is_finite() && nearest & 0x7fff == 0x7c00 {
        return sign | 0x7bff;
    }
    let grew = half_to_float(nearest & 0x7fff) > value.abs();
    if grew { nearest - 1 } else { nearest }
}

/// Round to nearest even.
pub fn float_to_half(value: f32) -> u16 {
    let bits = value.to_bits();
    let sign = (bits >> 16) as u16 & 0x8000;
    let magnitude = bits & 0x7fff_ffff;
    if magnitude > 0x7f80_0000 {
        return 0x7fff;
    }
    // 65520 and more, which rounds to infinity.
    if magnitude >= 0x477f_f000 {
        return sign | 0x7c00;
    }
    if magnitude < 0x3880_0000 {
        // Adding 2^-1 leaves the multiples of 2^-24.
        let rounded = f32::from_bits(magnitude) + 0.5;
        return sign | (rounded.to_bits() - 0.5_f32.to_bits()) as u16;
    }
    let even = magnitude >> 13 & 1;
    sign | ((magnitude + 0xfff + even - (112 << 23)) >> 13) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn srgb_is_near_its_curve() {
        for value in 0..=255_u8 {
            let encoded = f64::from(value) / 255.0;
            let linear = if encoded <= 0.04045 {
                encoded / 12.92
            } else {
                ((encoded + 0.055) / 1.055).powf(2.4)
            };
            let got = f64::from(from_srgb(value));
            assert!((got - linear).abs() <= linear / 128.0, "{value}: {got}, {linear}");
        }
    }

    #[test]
    fn halves_come_back() {
        for bits in 0..0x7c01_u16 {
            assert_eq!(float_to_half(half_to_float(bits)), bits);
        }
        assert_eq!(float_to_half(65519.0), 0x7bff);
        assert_eq!(float_to_half(65520.0), 0x7c00);
        assert_eq!(float_to_half(-1e-8), 0x8000);
        // Ties: 1 + 2^-11 and 1 + 3 * 2^-11.
        assert_eq!(float_to_half(1.0 + 1.0 / 2048.0), 0x3c00);
        assert_eq!(float_to_half(1.0 + 3.0 / 2048.0), 0x3c02);
    }
}
