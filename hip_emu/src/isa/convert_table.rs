//! Conversions of lanes between numbers, and of floats to bytes in registers.

use super::Round;
use super::float::convert::{convert, convert_in, from_integer};
use super::float::{BF16, F16, F32, F64, Float, Format};
use super::table::values;
use super::value::Value;

values! { PLAIN, mode;
    // To integers: towards zero, to the nearest one that there is; NaN is 0.
    v_cvt_i32_f32(a: F32) -> i32 = a.read(mode).wide() as i32;
    v_cvt_u32_f32(a: F32) -> u32 = a.read(mode).wide() as u32;
    v_cvt_i32_f64(a: F64) -> i32 = a.read(mode).wide() as i32;
    v_cvt_u32_f64(a: F64) -> u32 = a.read(mode).wide() as u32;
    v_cvt_i16_f16(a: F16) -> i16 = a.read(mode).wide() as i16;
    v_cvt_u16_f16(a: F16) -> u16 = a.read(mode).wide() as u16;
    v_cvt_nearest_i32_f32(a: F32) -> i32 = (a.read(mode).wide() as f32 + 0.5).floor() as i32;
    v_cvt_floor_i32_f32(a: F32) -> i32 = a.read(mode).wide().floor() as i32;
    v_cvt_pk_i16_f32(a: F32, b: F32) -> [i16; 2] = [a, b].map(|a| a.read(mode).wide() as i16);
    v_cvt_pk_u16_f32(a: F32, b: F32) -> [u16; 2] = [a, b].map(|a| a.read(mode).wide() as u16);
    v_cvt_pk_u8_f32(a: F32, b: u32, c: u32) -> u32 = with_byte(c, b, a.read(mode).wide() as u8);

    // To fractions of the largest integer, to nearest even.
    v_cvt_norm_i16_f16(a: F16) -> i16 = signed_fraction(a.read(mode));
    v_cvt_norm_u16_f16(a: F16) -> u16 = unsigned_fraction(a.read(mode));
    v_cvt_pk_norm_i16_f16(a: F16, b: F16) -> [i16; 2] = [a, b].map(|a| signed_fraction(a.read(mode)));
    v_cvt_pk_norm_u16_f16(a: F16, b: F16) -> [u16; 2] = [a, b].map(|a| unsigned_fraction(a.read(mode)));
    v_cvt_pk_norm_i16_f32(a: F32, b: F32) -> [i16; 2] = [a, b].map(|a| signed_fraction(a.read(mode)));
    v_cvt_pk_norm_u16_f32(a: F32, b: F32) -> [u16; 2] = [a, b].map(|a| unsigned_fraction(a.read(mode)));

    // From integers.
    v_cvt_f32_i32(a: i32) -> F32 = from_integer(mode, a.into());
    v_cvt_f32_u32(a: u32) -> F32 = from_integer(mode, a.into());
    v_cvt_f64_i32(a: i32) -> F64 = F64::of(f64::from(a).to_bits());
    v_cvt_f64_u32(a: u32) -> F64 = F64::of(f64::from(a).to_bits());
    v_cvt_f16_i16(a: i16) -> F16 = from_integer(mode, a.into());
    v_cvt_f16_u16(a: u16) -> F16 = from_integer(mode, a.into());
    v_cvt_f32_ubyte0(a: u32) -> F32 = small(a & 0xff);
    v_cvt_f32_ubyte1(a: u32) -> F32 = small(a >> 8 & 0xff);
    v_cvt_f32_ubyte2(a: u32) -> F32 = small(a >> 16 & 0xff);
    v_cvt_f32_ubyte3(a: u32) -> F32 = small(a >> 24);
    // Sixteenths from -8 to 7.
    v_cvt_off_f32_i4(a: u32) -> F32 = F32::of((((a as i32) << 28 >> 28) as f32 / 16.0).to_bits().into());

    // Between formats.
    v_cvt_f32_f16(a: F16) -> F32 = convert(mode, a);
    v_cvt_f16_f32(a: F32) -> F16 = convert(mode, a);
    v_cvt_f32_f64(a: F64) -> F32 = convert(mode, a);
    v_cvt_f64_f32(a: F32) -> F64 = convert(mode, a);
    v_cvt_f32_bf16(a: BF16) -> F32 = convert(mode, a);
    v_cvt_pk_rtz_f16_f32(a: F32, b: F32) -> [F16; 2] = [a, b].map(|a| convert_in(mode, Round::Zero, a));
    v_cvt_pk_f16_f32(a: F32, b: F32) -> [F16; 2] = [a, b].map(|a| convert_in(mode, Round::NearestEven, a));
    v_cvt_pk_bf16_f32(a: F32, b: F32) -> [BF16; 2] = [a, b].map(|a| convert_in(mode, Round::NearestEven, a));
}

fn small(a: u32) -> F32 {
    F32::of((a as f32).to_bits().into())
}

/// With one byte replaced.
fn with_byte(all: u32, place: u32, byte: u8) -> u32 {
    let shift = place % 4 * 8;
    all & !(0xff << shift) | u32::from(byte) << shift
}

fn signed_fraction<F: Format>(a: Float<F>) -> i16 {
    (a.wide().clamp(-1.0, 1.0) * 32767.0).round_ties_even() as i16
}

fn unsigned_fraction<F: Format>(a: Float<F>) -> u16 {
    (a.wide().clamp(0.0, 1.0) * 65535.0).round_ties_even() as u16
}
