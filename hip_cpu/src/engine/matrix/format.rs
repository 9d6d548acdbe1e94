//! Formats of floating-point elements, and how their codes are taken apart.

use cpu_abi::MatrixType;

use crate::engine::half;

/// A format narrower than f32, or f32 itself.
#[derive(Clone, Copy)]
pub struct Format {
    exponent_bits: u32,
    fraction_bits: u32,
    /// The meaning of codes with the largest exponent.
    top: Top,
    /// Bits of a code that do not count.
    ignored: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Top {
    /// Infinities and NaNs.
    Special,
    /// Numbers, but for the largest code, which is a NaN.
    OneNan,
    Numbers,
}

/// The value of a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// `significand * 2^(exponent - 23)`. The exponent is that of the code, not of the first one bit.
    Finite {
        negative: bool,
        significand: u32,
        exponent: i32,
    },
    Infinite {
        negative: bool,
    },
    Nan,
}

impl Format {
    pub const F16: Self = Self::new(5, 10, Top::Special);
    pub const BF16: Self = Self::new(8, 7, Top::Special);
    /// The upper bits of an f32.
    pub const TF32: Self = Self { ignored: 0x1fff, ..Self::F32 };
    pub const F32: Self = Self::new(8, 23, Top::Special);

    const fn new(exponent_bits: u32, fraction_bits: u32, top: Top) -> Self {
        Self { exponent_bits, fraction_bits, top, ignored: 0 }
    }

    /// None for types that are not floating-point numbers of 32 bits at most.
    pub fn of(ty: MatrixType) -> Option<Self> {
        Some(match ty {
            MatrixType::F16 => Self::F16,
            MatrixType::Bf16 => Self::BF16,
            MatrixType::Tf32 => Self::TF32,
            MatrixType::F32 => Self::F32,
            MatrixType::E4m3 => Self::new(4, 3, Top::OneNan),
            MatrixType::E5m2 => Self::new(5, 2, Top::Special),
            MatrixType::E3m2 => Self::new(3, 2, Top::Numbers),
            MatrixType::E2m3 => Self::new(2, 3, Top::Numbers),
            MatrixType::E2m1 => Self::new(2, 1, Top::Numbers),
            _ => return None,
        })
    }

    /// The value of a code.
    #[inline(always)]
    pub fn number(self, code: u32) -> Number {
        let code = code & !self.ignored;
        let fraction = code & ((1 << self.fraction_bits) - 1);
        let field = code >> self.fraction_bits & ((1 << self.exponent_bits) - 1);
        let negative = code >> (self.fraction_bits + self.exponent_bits) & 1 != 0;
        let last = (1 << self.exponent_bits) - 1;
        if field == last {
            match self.top {
                Top::Special if fraction == 0 => return Number::Infinite { negative },
                Top::Special => return Number::Nan,
                Top::OneNan if fraction == (1 << self.fraction_bits) - 1 => return Number::Nan,
                _ => {}
            }
        }
        let bias = (1 << (self.exponent_bits - 1)) - 1;
        let whole = u32::from(field != 0) << self.fraction_bits;
        Number::Finite {
            negative,
            significand: (fraction | whole) << (23 - self.fraction_bits),
            exponent: field.max(1) as i32 - bias,
        }
    }

    /// Significand with its sign and `2^exponent`, both as floats that are never subnormal; the power is 0
    /// where the significand is, and infinite for infinities and NaNs.
    #[inline(always)]
    pub fn parts(self, code: u32) -> (f32, f32) {
        match self.number(code) {
            Number::Finite { significand: 0, .. } => (0.0, 0.0),
            Number::Finite { negative, significand, exponent } => {
                let magnitude = significand as f32;
                let power = f32::from_bits(((exponent + 127) as u32) << 23);
                (if negative { -magnitude } else { magnitude }, power)
            }
            _ => (1.0, f32::INFINITY),
        }
    }
}

pub const NAN_F32: u32 = 0x7fff_ffff;
pub const NAN_F16: u32 = half::NAN as u32;

/// `±magnitude * 2^exponent`, cut to f32 towards zero; what is too large becomes infinite.
pub fn truncate_to_f32(negative: bool, magnitude: u64, exponent: i32) -> u32 {
    let sign = u32::from(negative) << 31;
    if magnitude == 0 {
        return 0;
    }
    let top = 63 - magnitude.leading_zeros() as i32 + exponent;
    if top > 127 {
        return sign | 0x7f80_0000;
    }
    let shift = (top - 23).max(-149) - exponent;
    let kept = shifted(magnitude, shift) as u32;
    if top < -126 { sign | kept } else { sign | ((top + 127) as u32) << 23 | kept & 0x7f_ffff }
}

/// `±magnitude * 2^exponent`, rounded to the nearest f16, ties to even.
#[inline]
pub fn round_to_f16(negative: bool, magnitude: u64, exponent: i32) -> u32 {
    if magnitude == 0 {
        return 0;
    }
    let sign = u32::from(negative) << 15;
    let top = 63 - magnitude.leading_zeros() as i32 + exponent;
    if top > 15 {
        return sign | 0x7c00;
    }
    let lowest = (top - 10).max(-24);
    let shift = lowest - exponent;
    let mut kept = shifted(magnitude, shift) as u32;
    if shift > 0 {
        let rest = if shift > 63 { magnitude } else { magnitude & ((1 << shift) - 1) };
        let half = if shift > 63 { u64::MAX } else { 1 << (shift - 1) };
        if rest > half || (rest == half && kept & 1 != 0) {
            kept += 1;
        }
    }
    // A carry runs into the exponent, as it should; subnormals have no bit above the fraction.
    let field = (lowest + 24) as u32;
    sign | (kept + (field << 10)).min(0x7c00)
}

/// The f32 code of an f16 code.
pub fn widened(code: u32) -> u32 {
    let value = half::from_f16(code as u16);
    if value.is_nan() { NAN_F32 } else { value.to_bits() }
}

/// The nearest f16 to an f32 code.
pub fn narrowed(code: u32) -> u32 {
    half::to_f16(f32::from_bits(code)).into()
}

fn shifted(magnitude: u64, right: i32) -> u64 {
    match right {
        64.. => 0,
        0..64 => magnitude >> right,
        _ => magnitude << -right,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_to_f16_is_that_of_the_standard() {
        // 1 + 2^-11 lies between 1 and its successor; 2^-25 between zero and the smallest number.
        assert_eq!(round_to_f16(false, (1 << 11) + 1, -11), 0x3c00);
        assert_eq!(round_to_f16(false, (1 << 11) + 3, -11), 0x3c02);
        assert_eq!(round_to_f16(true, 1, -25), 0x8000);
        assert_eq!(round_to_f16(true, 3, -26), 0x8001);
        assert_eq!(round_to_f16(false, 0xffff, 0), 0x7c00);
        // 1023.5
        assert_eq!(round_to_f16(false, 2047, -1), 0x63ff);
    }

    #[test]
    fn cutting_to_f32_drops_bits() {
        assert_eq!(truncate_to_f32(true, (1 << 24) + 1, 0), (-16777216f32).to_bits());
        assert_eq!(truncate_to_f32(false, 3, -150), 1);
        assert_eq!(truncate_to_f32(false, 1, 128), 0x7f80_0000);
    }
}
