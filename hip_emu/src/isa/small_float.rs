//! Floats of eight bits: those of the Open Compute Project on GFX12 and GFX950, and on GFX942 those without infinities
//! and negative zero, whose operations have `_fnuz` after their mnemonic here.

use super::float::arithmetic::fma;
use super::float::{F32, exact};
use super::table::{values, with_number};
use super::{Mode, Round};

/// A format of eight bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Small {
    fraction: u32,
    bias: i32,
    /// The largest finite number's bits.
    largest: u8,
    /// The bits that infinity, and everything that overflows, becomes.
    overflow: u8,
    nan: u8,
    negative_zero: bool,
}

pub(super) const FP8: Small =
    Small { fraction: 3, bias: 7, largest: 0x7e, overflow: 0x7f, nan: 0x7f, negative_zero: true };
pub(super) const BF8: Small =
    Small { fraction: 2, bias: 15, largest: 0x7b, overflow: 0x7c, nan: 0x7f, negative_zero: true };
pub(super) const FP8_FNUZ: Small =
    Small { fraction: 3, bias: 8, largest: 0x7f, overflow: 0x80, nan: 0x80, negative_zero: false };
pub(super) const BF8_FNUZ: Small =
    Small { fraction: 2, bias: 16, largest: 0x7f, overflow: 0x80, nan: 0x80, negative_zero: false };

with_number! { FROM_BYTE, mode, byte: Byte, false;
    v_cvt_f32_fp8(a: u32) -> F32 = widen(FP8, (a >> (byte * 8)) as u8);
    v_cvt_f32_bf8(a: u32) -> F32 = widen(BF8, (a >> (byte * 8)) as u8);
    v_cvt_f32_fp8_fnuz(a: u32) -> F32 = widen(FP8_FNUZ, (a >> (byte * 8)) as u8);
    v_cvt_f32_bf8_fnuz(a: u32) -> F32 = widen(BF8_FNUZ, (a >> (byte * 8)) as u8);
}

values! { PLAIN, mode;
    v_cvt_pk_f32_fp8(a: u16) -> [F32; 2] = a.to_le_bytes().map(|a| widen(FP8, a));
    v_cvt_pk_f32_bf8(a: u16) -> [F32; 2] = a.to_le_bytes().map(|a| widen(BF8, a));
    v_cvt_pk_f32_fp8_fnuz(a: u16) -> [F32; 2] = a.to_le_bytes().map(|a| widen(FP8_FNUZ, a));
    v_cvt_pk_f32_bf8_fnuz(a: u16) -> [F32; 2] = a.to_le_bytes().map(|a| widen(BF8_FNUZ, a));
    v_cvt_pk_fp8_f32(a: F32, b: F32) -> u16 = u16::from_le_bytes([a, b].map(|a| narrow(FP8, a.read(mode))));
    v_cvt_pk_bf8_f32(a: F32, b: F32) -> u16 = u16::from_le_bytes([a, b].map(|a| narrow(BF8, a.read(mode))));
    v_cvt_pk_fp8_f32_fnuz(a: F32, b: F32) -> u16 = u16::from_le_bytes([a, b].map(|a| narrow(FP8_FNUZ, a.read(mode))));
    v_cvt_pk_bf8_f32_fnuz(a: F32, b: F32) -> u16 = u16::from_le_bytes([a, b].map(|a| narrow(BF8_FNUZ, a.read(mode))));

    v_dot4_f32_fp8_fp8(a: u32, b: u32, c: F32) -> F32 = dot(mode, (FP8, a), (FP8, b), c);
    v_dot4_f32_fp8_bf8(a: u32, b: u32, c: F32) -> F32 = dot(mode, (FP8, a), (BF8, b), c);
    v_dot4_f32_bf8_fp8(a: u32, b: u32, c: F32) -> F32 = dot(mode, (BF8, a), (FP8, b), c);
    v_dot4_f32_bf8_bf8(a: u32, b: u32, c: F32) -> F32 = dot(mode, (BF8, a), (BF8, b), c);
}

/// Exactly.
pub(super) fn widen(format: Small, a: u8) -> F32 {
    let (magnitude, negative) = (a & 0x7f, a >> 7 == 1);
    if !format.negative_zero && a == format.nan {
        return F32::NAN;
    }
    if format.negative_zero && magnitude > format.largest {
        let infinite = magnitude == format.overflow && format.overflow != format.nan;
        return if infinite { F32::INFINITY.with_sign(negative) } else { F32::NAN };
    }
    let fraction = u128::from(magnitude) & ((1 << format.fraction) - 1);
    let lowest = 1 - format.bias - format.fraction as i32;
    let (exponent, mantissa) = match i32::from(magnitude >> format.fraction) {
        0 => (lowest, fraction),
        exponent => (lowest + exponent - 1, fraction | 1 << format.fraction),
    };
    exact::round(Round::NearestEven, negative, exponent, mantissa)
}

/// To nearest even; what is too large becomes what the format has for it.
fn narrow(format: Small, a: F32) -> u8 {
    let sign = if a.is_negative() { 0x80 } else { 0 };
    let signed = |bits: u8| if format.negative_zero || bits != 0 { bits | sign } else { bits };
    if a.is_nan() {
        return signed(format.nan);
    }
    let (exponent, mantissa) = exact::unpack(a);
    if a.is_infinite() {
        return signed(format.overflow);
    }
    if mantissa == 0 {
        return signed(0);
    }
    let smallest = 1 - format.bias;
    let leading = exponent + 63 - mantissa.leading_zeros() as i32;
    let normal = leading.max(smallest);
    let unit = normal - format.fraction as i32;
    // A float has far more bits than these formats, so that there is always something to drop.
    let drop = (unit - exponent).min(63) as u32;
    let (kept, rest, half) = (mantissa >> drop, mantissa & ((1 << drop) - 1), 1 << (drop - 1));
    let kept = kept + u64::from(rest > half || rest == half && kept & 1 == 1);
    let bits = (((normal - smallest) as u64) << format.fraction) + kept;
    signed(if bits > format.largest.into() { format.overflow } else { bits as u8 })
}

/// A sum of products, each step of which is rounded.
fn dot(mode: &Mode, (a_format, a): (Small, u32), (b_format, b): (Small, u32), c: F32) -> F32 {
    let pairs = a.to_le_bytes().into_iter().zip(b.to_le_bytes());
    pairs.fold(c, |sum, (a, b)| fma(mode, widen(a_format, a), widen(b_format, b), sum))
}

#[cfg(test)]
mod tests {
    use super::super::value::Value;
    use super::*;

    fn value(format: Small, bits: u8) -> f32 {
        f32::from_bits(widen(format, bits).bits() as u32)
    }

    /// Numbers that the formats' descriptions give.
    #[test]
    fn landmarks() {
        for (format, one, largest, least) in [
            (FP8, 0x38, 448.0, 2.0_f32.powi(-9)),
            (BF8, 0x3c, 57344.0, 2.0_f32.powi(-16)),
            (FP8_FNUZ, 0x40, 240.0, 2.0_f32.powi(-10)),
            (BF8_FNUZ, 0x40, 57344.0, 2.0_f32.powi(-17)),
        ] {
            assert_eq!(value(format, one), 1.0);
            assert_eq!(value(format, format.largest), largest);
            assert_eq!(value(format, 1), least);
            assert!(value(format, format.nan).is_nan());
        }
        assert_eq!(value(BF8, 0xfc), f32::NEG_INFINITY);
    }

    /// All numbers survive, and what lies between two goes to the nearer one, at the middle to the even one.
    #[test]
    fn to_nearest() {
        for format in [FP8, BF8, FP8_FNUZ, BF8_FNUZ] {
            let narrow = |a: f32| narrow(format, F32::of(a.to_bits().into()));
            for bits in 0..format.largest {
                let (low, high) = (value(format, bits), value(format, bits + 1));
                assert_eq!(narrow(low), bits);
                assert_eq!(narrow((low + high) / 2.0), bits + (bits & 1));
                assert_eq!(narrow(((low + high) / 2.0).next_up()), bits + 1);
                assert_eq!(narrow(-((low + high) / 2.0).next_up()), (bits + 1) | 0x80);
            }
            let largest = value(format, format.largest);
            assert_eq!(narrow(largest), format.largest);
            assert_eq!(narrow(largest * 2.0), format.overflow);
            assert_eq!(narrow(1e-30), 0);
        }
    }
}
