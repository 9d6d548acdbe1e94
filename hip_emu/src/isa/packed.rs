//! Vector operations on two integers at once, and dot products of small integers.

use super::integer::narrow;
use super::table::{accumulating, values, with_number};

values! { PLAIN, mode;
    v_pk_mad_i16(a: [i16; 2], b: [i16; 2], c: [i16; 2]) -> [i16; 2] =
        three(a, b, c, |a, b, c| a.wrapping_mul(b).wrapping_add(c));
    v_pk_mad_u16(a: [u16; 2], b: [u16; 2], c: [u16; 2]) -> [u16; 2] =
        three(a, b, c, |a, b, c| a.wrapping_mul(b).wrapping_add(c));
    v_pk_mul_lo_u16(a: [u16; 2], b: [u16; 2]) -> [u16; 2] = two(a, b, u16::wrapping_mul);
    v_pk_add_i16(a: [i16; 2], b: [i16; 2]) -> [i16; 2] = two(a, b, i16::wrapping_add);
    v_pk_sub_i16(a: [i16; 2], b: [i16; 2]) -> [i16; 2] = two(a, b, i16::wrapping_sub);
    v_pk_add_u16(a: [u16; 2], b: [u16; 2]) -> [u16; 2] = two(a, b, u16::wrapping_add);
    v_pk_sub_u16(a: [u16; 2], b: [u16; 2]) -> [u16; 2] = two(a, b, u16::wrapping_sub);
    v_pk_max_i16(a: [i16; 2], b: [i16; 2]) -> [i16; 2] = two(a, b, i16::max);
    v_pk_min_i16(a: [i16; 2], b: [i16; 2]) -> [i16; 2] = two(a, b, i16::min);
    v_pk_max_u16(a: [u16; 2], b: [u16; 2]) -> [u16; 2] = two(a, b, u16::max);
    v_pk_min_u16(a: [u16; 2], b: [u16; 2]) -> [u16; 2] = two(a, b, u16::min);
    v_pk_lshlrev_b16(a: [u16; 2], b: [u16; 2]) -> [u16; 2] = two(a, b, |a, b| b.wrapping_shl(a.into()));
    v_pk_lshrrev_b16(a: [u16; 2], b: [u16; 2]) -> [u16; 2] = two(a, b, |a, b| b.wrapping_shr(a.into()));
    v_pk_ashrrev_i16(a: [i16; 2], b: [i16; 2]) -> [i16; 2] = two(a, b, |a, b| b.wrapping_shr(a as u32));
    v_pk_mov_b32(a: [u32; 2], b: [u32; 2]) -> [u32; 2] = [a[0], b[0]];

    v_dot2_i32_i16(a: [i16; 2], b: [i16; 2], c: i32) -> i32 = dot(a, b).wrapping_add(c.into()) as i32;
    v_dot2_u32_u16(a: [u16; 2], b: [u16; 2], c: u32) -> u32 = dot(a, b).wrapping_add(c.into()) as u32;
    v_dot4_i32_i8(a: u32, b: u32, c: i32) -> i32 = dot(bytes(a, true), bytes(b, true)).wrapping_add(c.into()) as i32;
    v_dot4_u32_u8(a: u32, b: u32, c: u32) -> u32 = dot(bytes(a, false), bytes(b, false)).wrapping_add(c.into()) as u32;
    v_dot8_i32_i4(a: u32, b: u32, c: i32) -> i32 =
        dot(nibbles(a, true), nibbles(b, true)).wrapping_add(c.into()) as i32;
    v_dot8_u32_u4(a: u32, b: u32, c: u32) -> u32 =
        dot(nibbles(a, false), nibbles(b, false)).wrapping_add(c.into()) as u32;
}

accumulating! { INTO_DESTINATION, mode;
    v_dot2c_i32_i16(a: [i16; 2], b: [i16; 2], c: i32) -> i32 = dot(a, b).wrapping_add(c.into()) as i32;
    v_dot4c_i32_i8(a: u32, b: u32, c: i32) -> i32 = dot(bytes(a, true), bytes(b, true)).wrapping_add(c.into()) as i32;
    v_dot8c_i32_i4(a: u32, b: u32, c: i32) -> i32 =
        dot(nibbles(a, true), nibbles(b, true)).wrapping_add(c.into()) as i32;
}

with_number! { BY_SIGNS, mode, signs: Signs, false;
    v_dot4_i32_iu8(a: u32, b: u32, c: i32) -> i32 =
        dot(bytes(a, signs & 1 != 0), bytes(b, signs & 2 != 0)).wrapping_add(c.into()) as i32;
    v_dot8_i32_iu4(a: u32, b: u32, c: i32) -> i32 =
        dot(nibbles(a, signs & 1 != 0), nibbles(b, signs & 2 != 0)).wrapping_add(c.into()) as i32;
}

// What `clamp` means for integers: results saturate.
values! { SATURATING, mode;
    v_pk_mad_i16(a: [i16; 2], b: [i16; 2], c: [i16; 2]) -> [i16; 2] =
        three(a, b, c, |a, b, c| (i64::from(a) * i64::from(b) + i64::from(c)).clamp(-0x8000, 0x7fff) as i16);
    v_pk_mad_u16(a: [u16; 2], b: [u16; 2], c: [u16; 2]) -> [u16; 2] =
        three(a, b, c, |a, b, c| (u64::from(a) * u64::from(b) + u64::from(c)).min(0xffff) as u16);
    v_pk_add_i16(a: [i16; 2], b: [i16; 2]) -> [i16; 2] = two(a, b, i16::saturating_add);
    v_pk_sub_i16(a: [i16; 2], b: [i16; 2]) -> [i16; 2] = two(a, b, i16::saturating_sub);
    v_pk_add_u16(a: [u16; 2], b: [u16; 2]) -> [u16; 2] = two(a, b, u16::saturating_add);
    v_pk_sub_u16(a: [u16; 2], b: [u16; 2]) -> [u16; 2] = two(a, b, u16::saturating_sub);
    v_dot2_i32_i16(a: [i16; 2], b: [i16; 2], c: i32) -> i32 = narrow(dot(a, b) + i64::from(c));
    v_dot2_u32_u16(a: [u16; 2], b: [u16; 2], c: u32) -> u32 = narrow_unsigned(dot(a, b) + i64::from(c));
    v_dot4_i32_i8(a: u32, b: u32, c: i32) -> i32 = narrow(dot(bytes(a, true), bytes(b, true)) + i64::from(c));
    v_dot4_u32_u8(a: u32, b: u32, c: u32) -> u32 =
        narrow_unsigned(dot(bytes(a, false), bytes(b, false)) + i64::from(c));
    v_dot8_i32_i4(a: u32, b: u32, c: i32) -> i32 = narrow(dot(nibbles(a, true), nibbles(b, true)) + i64::from(c));
    v_dot8_u32_u4(a: u32, b: u32, c: u32) -> u32 =
        narrow_unsigned(dot(nibbles(a, false), nibbles(b, false)) + i64::from(c));
}

accumulating! { SATURATING_INTO_DESTINATION, mode;
    v_dot2c_i32_i16(a: [i16; 2], b: [i16; 2], c: i32) -> i32 = narrow(dot(a, b) + i64::from(c));
    v_dot4c_i32_i8(a: u32, b: u32, c: i32) -> i32 = narrow(dot(bytes(a, true), bytes(b, true)) + i64::from(c));
    v_dot8c_i32_i4(a: u32, b: u32, c: i32) -> i32 = narrow(dot(nibbles(a, true), nibbles(b, true)) + i64::from(c));
}

with_number! { SATURATING_BY_SIGNS, mode, signs: Signs, false;
    v_dot4_i32_iu8(a: u32, b: u32, c: i32) -> i32 =
        narrow(dot(bytes(a, signs & 1 != 0), bytes(b, signs & 2 != 0)) + i64::from(c));
    v_dot8_i32_iu4(a: u32, b: u32, c: i32) -> i32 =
        narrow(dot(nibbles(a, signs & 1 != 0), nibbles(b, signs & 2 != 0)) + i64::from(c));
}

/// The results of an operation on the elements of two packed operands.
#[inline(always)]
pub(super) fn two<A: Copy, B: Copy, R>(a: [A; 2], b: [B; 2], f: impl Fn(A, B) -> R) -> [R; 2] {
    [f(a[0], b[0]), f(a[1], b[1])]
}

/// The results of an operation on the elements of three packed operands.
#[inline(always)]
pub(super) fn three<T: Copy, R>(
    a: [T; 2],
    b: [T; 2],
    c: [T; 2],
    f: impl Fn(T, T, T) -> R,
) -> [R; 2] {
    [f(a[0], b[0], c[0]), f(a[1], b[1], c[1])]
}

/// The sum of products, exactly.
pub(super) fn dot<T: Into<i64>, const N: usize>(a: [T; N], b: [T; N]) -> i64 {
    a.into_iter().zip(b).map(|(a, b)| a.into() * b.into()).sum()
}

/// The four integers of 8 bits in a word, the lowest first.
pub(super) fn bytes(a: u32, signed: bool) -> [i64; 4] {
    a.to_le_bytes().map(|byte| if signed { i64::from(byte as i8) } else { i64::from(byte) })
}

/// The eight integers of 4 bits in a word, the lowest first.
pub(super) fn nibbles(a: u32, signed: bool) -> [i64; 8] {
    std::array::from_fn(|i| {
        let nibble = i64::from(a >> (i * 4) & 15);
        if signed && nibble > 7 { nibble - 16 } else { nibble }
    })
}

fn narrow_unsigned(a: i64) -> u32 {
    a.clamp(0, i64::from(u32::MAX)) as u32
}
