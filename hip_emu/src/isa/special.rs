//! Float operations that belong to graphics, and the first step of reducing large angles.

use super::Mode;
use super::float::arithmetic::mul;
use super::float::{F32, F64};
use super::value::Value;

const MINUS_LARGEST: u64 = 0xff7f_ffff;

/// The product of lighting, which is the lowest number where there is no light.
pub(super) fn mullit(mode: &Mode, a: F32, b: F32, c: F32) -> F32 {
    let (b_read, c_read) = (b.read(mode), c.read(mode));
    let dark = c_read.is_nan() || c_read.is_zero() || c_read.is_negative();
    if dark || b_read.is_nan() || b_read.is_negative() && b_read.bits() >= MINUS_LARGEST {
        F32::of(MINUS_LARGEST)
    } else {
        mul(mode, a, b)
    }
}

/// The axis along which a direction is longest: 2 and 1 come before 0 where two are as long.
fn major([x, y, z]: [F32; 3]) -> usize {
    let [x, y, z] = [x, y, z].map(|a| a.abs().wide());
    if z >= x && z >= y {
        2
    } else if y >= x {
        1
    } else {
        0
    }
}

fn below_zero(a: F32) -> bool {
    a.wide() < 0.0
}

/// The number of the cube's face that a direction meets.
pub(super) fn cube_face(x: F32, y: F32, z: F32) -> F32 {
    let axis = major([x, y, z]);
    let face = 2 * axis + usize::from(below_zero([x, y, z][axis]));
    F32::of((face as f32).to_bits().into())
}

/// The coordinate along the face's first axis.
pub(super) fn cube_s(x: F32, y: F32, z: F32) -> F32 {
    match major([x, y, z]) {
        2 if below_zero(z) => x.negated(),
        2 | 1 => x,
        _ if below_zero(x) => z,
        _ => z.negated(),
    }
}

/// The coordinate along the face's second axis.
pub(super) fn cube_t(x: F32, y: F32, z: F32) -> F32 {
    match major([x, y, z]) {
        1 if below_zero(y) => z.negated(),
        1 => z,
        _ => y.negated(),
    }
}

/// Twice the longest coordinate.
pub(super) fn cube_major(mode: &Mode, x: F32, y: F32, z: F32) -> F32 {
    let all = [x.read(mode), y.read(mode), z.read(mode)];
    mul(mode, all[major(all)], F32::of(2.0_f32.to_bits().into()))
}

/// The first 1,201 binary digits of 2/pi after the point.
const TWO_OVER_PI: [u64; 19] = [
    0xa2f9_836e_4e44_1529,
    0xfc27_57d1_f534_ddc0,
    0xdb62_9599_3c43_9041,
    0xfe51_63ab_debb_c561,
    0xb724_6e3a_424d_d2e0,
    0x0649_2eea_09d1_921c,
    0xfe1d_eb1c_b129_a73e,
    0xe882_35f5_2ebb_4484,
    0xe99c_7026_b45f_7e41,
    0x3991_d639_8353_39f4,
    0x9c84_5f8b_bdf9_283b,
    0x1ff8_97ff_de05_980f,
    0xef2f_118b_5a0a_6d1f,
    0x6d36_7ecf_27cb_09b7,
    0x4f46_3f66_9e5f_ea2d,
    0x7527_bac7_ebe5_f17b,
    0x3d07_39f7_8a52_92ea,
    0x6bfb_5fb1_1f8d_5d08,
    0x5603_3046_fc7b_0000,
];

/// 53 digits of 2/pi from the place where they begin to matter for a number of this size, as a number: what large
/// angles are multiplied with, part by part.
pub(super) fn trig_preop(a: F64, segment: u32) -> F64 {
    let exponent = a.exponent();
    let shift = (segment & 31) as usize * 53 + usize::try_from(exponent - 1077).unwrap_or(0);
    let word = |index: usize| u128::from(TWO_OVER_PI.get(index).copied().unwrap_or(0));
    let digits =
        ((word(shift / 64) << 64 | word(shift / 64 + 1)) << (shift % 64) >> 64) as u64 >> 11;
    let scale = -53 - shift as i32 + if exponent >= 1968 { 128 } else { 0 };
    // Both factors are powers of two that `f64` has, and their product may be too small for it.
    let half = scale / 2;
    let result = digits as f64 * 2.0_f64.powi(half) * 2.0_f64.powi(scale - half);
    F64::of(result.to_bits())
}
