//! Vector operations on integers and bits.

use super::table::{and_flag, values, with_and_flag, with_flag, with_number};

values! { PLAIN, mode;
    v_mov_b32(a: u32) -> u32 = a;
    v_mov_b16(a: u16) -> u16 = a;
    v_mov_b64(a: u64) -> u64 = a;

    v_add_nc_u32(a: u32, b: u32) -> u32 = a.wrapping_add(b);
    v_sub_nc_u32(a: u32, b: u32) -> u32 = a.wrapping_sub(b);
    v_subrev_nc_u32(a: u32, b: u32) -> u32 = b.wrapping_sub(a);
    v_add_nc_i32(a: u32, b: u32) -> u32 = a.wrapping_add(b);
    v_sub_nc_i32(a: u32, b: u32) -> u32 = a.wrapping_sub(b);
    v_add_nc_u16(a: u16, b: u16) -> u16 = a.wrapping_add(b);
    v_sub_nc_u16(a: u16, b: u16) -> u16 = a.wrapping_sub(b);
    v_subrev_u16(a: u16, b: u16) -> u16 = b.wrapping_sub(a);
    v_add_nc_i16(a: u16, b: u16) -> u16 = a.wrapping_add(b);
    v_sub_nc_i16(a: u16, b: u16) -> u16 = a.wrapping_sub(b);
    v_add3_u32(a: u32, b: u32, c: u32) -> u32 = a.wrapping_add(b).wrapping_add(c);
    v_xad_u32(a: u32, b: u32, c: u32) -> u32 = (a ^ b).wrapping_add(c);
    v_lshl_add_u32(a: u32, b: u32, c: u32) -> u32 = a.wrapping_shl(b).wrapping_add(c);
    v_add_lshl_u32(a: u32, b: u32, c: u32) -> u32 = a.wrapping_add(b).wrapping_shl(c);
    v_lshl_add_u64(a: u64, b: u32, c: u64) -> u64 = (a << (b & 7)).wrapping_add(c);

    v_mul_lo_u32(a: u32, b: u32) -> u32 = a.wrapping_mul(b);
    v_mul_hi_u32(a: u32, b: u32) -> u32 = ((u64::from(a) * u64::from(b)) >> 32) as u32;
    v_mul_hi_i32(a: i32, b: i32) -> i32 = ((i64::from(a) * i64::from(b)) >> 32) as i32;
    v_mul_lo_u16(a: u16, b: u16) -> u16 = a.wrapping_mul(b);
    v_mul_i32_i24(a: i32, b: i32) -> i32 = signed24(a).wrapping_mul(signed24(b)) as i32;
    v_mul_hi_i32_i24(a: i32, b: i32) -> i32 = ((signed24(a) * signed24(b)) >> 32) as i32;
    v_mul_u32_u24(a: u32, b: u32) -> u32 = (unsigned24(a) * unsigned24(b)) as u32;
    v_mul_hi_u32_u24(a: u32, b: u32) -> u32 = ((unsigned24(a) * unsigned24(b)) >> 32) as u32;
    v_mad_i32_i24(a: i32, b: i32, c: i32) -> i32 = ((signed24(a) * signed24(b)) as i32).wrapping_add(c);
    v_mad_u32_u24(a: u32, b: u32, c: u32) -> u32 = ((unsigned24(a) * unsigned24(b)) as u32).wrapping_add(c);
    v_mad_u16(a: u16, b: u16, c: u16) -> u16 = a.wrapping_mul(b).wrapping_add(c);
    v_mad_i16(a: u16, b: u16, c: u16) -> u16 = a.wrapping_mul(b).wrapping_add(c);
    v_mad_u32_u16(a: u16, b: u16, c: u32) -> u32 = (u32::from(a) * u32::from(b)).wrapping_add(c);
    v_mad_i32_i16(a: i16, b: i16, c: i32) -> i32 = (i32::from(a) * i32::from(b)).wrapping_add(c);

    v_not_b32(a: u32) -> u32 = !a;
    v_not_b16(a: u16) -> u16 = !a;
    v_and_b32(a: u32, b: u32) -> u32 = a & b;
    v_or_b32(a: u32, b: u32) -> u32 = a | b;
    v_xor_b32(a: u32, b: u32) -> u32 = a ^ b;
    v_xnor_b32(a: u32, b: u32) -> u32 = !(a ^ b);
    v_and_b16(a: u16, b: u16) -> u16 = a & b;
    v_or_b16(a: u16, b: u16) -> u16 = a | b;
    v_xor_b16(a: u16, b: u16) -> u16 = a ^ b;
    v_and_or_b32(a: u32, b: u32, c: u32) -> u32 = a & b | c;
    v_or3_b32(a: u32, b: u32, c: u32) -> u32 = a | b | c;
    v_xor3_b32(a: u32, b: u32, c: u32) -> u32 = a ^ b ^ c;
    v_bfi_b32(a: u32, b: u32, c: u32) -> u32 = a & b | !a & c;
    v_lshl_or_b32(a: u32, b: u32, c: u32) -> u32 = a.wrapping_shl(b) | c;

    v_lshlrev_b32(a: u32, b: u32) -> u32 = b.wrapping_shl(a);
    v_lshrrev_b32(a: u32, b: u32) -> u32 = b.wrapping_shr(a);
    v_ashrrev_i32(a: u32, b: i32) -> i32 = b.wrapping_shr(a);
    v_lshlrev_b16(a: u16, b: u16) -> u16 = b.wrapping_shl(u32::from(a));
    v_lshrrev_b16(a: u16, b: u16) -> u16 = b.wrapping_shr(u32::from(a));
    v_ashrrev_i16(a: u16, b: i16) -> i16 = b.wrapping_shr(u32::from(a));
    v_lshlrev_b64(a: u32, b: u64) -> u64 = b.wrapping_shl(a);
    v_lshrrev_b64(a: u32, b: u64) -> u64 = b.wrapping_shr(a);
    v_ashrrev_i64(a: u32, b: i64) -> i64 = b.wrapping_shr(a);
    v_alignbit_b32(a: u32, b: u32, c: u32) -> u32 = (joined(a, b) >> (c & 31)) as u32;
    v_alignbyte_b32(a: u32, b: u32, c: u32) -> u32 = (joined(a, b) >> (c % 4 * 8)) as u32;
    v_perm_b32(a: u32, b: u32, c: u32) -> u32 = permute(joined(a, b), c);
    v_bfe_u32(a: u32, b: u32, c: u32) -> u32 = a.wrapping_shr(b) & low_ones(c & 31);
    v_bfe_i32(a: i32, b: u32, c: u32) -> i32 = signed_field(a.wrapping_shr(b), c & 31);
    v_bfm_b32(a: u32, b: u32) -> u32 = low_ones(a & 31).wrapping_shl(b);
    v_bfrev_b32(a: u32) -> u32 = a.reverse_bits();
    v_bcnt_u32_b32(a: u32, b: u32) -> u32 = a.count_ones().wrapping_add(b);
    v_clz_i32_u32(a: u32) -> i32 = if a == 0 { -1 } else { a.leading_zeros() as i32 };
    v_ctz_i32_b32(a: u32) -> i32 = if a == 0 { -1 } else { a.trailing_zeros() as i32 };
    v_cls_i32(a: u32) -> i32 = sign_bits(a);
    v_pack_b32_f16(a: u16, b: u16) -> [u16; 2] = [a, b];
    v_cvt_i32_i16(a: i16) -> i32 = i32::from(a);
    v_cvt_u32_u16(a: u16) -> u32 = u32::from(a);
    v_sat_pk_u8_i16(a: [i16; 2]) -> u16 = u16::from_le_bytes(a.map(|a| a.clamp(0, 255) as u8));
    v_cvt_pk_u16_u32(a: u32, b: u32) -> [u16; 2] = [a, b].map(|a| a.min(0xffff) as u16);
    v_cvt_pk_i16_i32(a: i32, b: i32) -> [i16; 2] = [a, b].map(|a| a.clamp(-0x8000, 0x7fff) as i16);
    v_ashr_pk_i8_i32(a: i32, b: i32, c: u32) -> u16 =
        u16::from_le_bytes([a, b].map(|a| a.wrapping_shr(c).clamp(-128, 127) as u8));
    v_ashr_pk_u8_i32(a: i32, b: i32, c: u32) -> u16 =
        u16::from_le_bytes([a, b].map(|a| a.wrapping_shr(c).clamp(0, 255) as u8));
    v_prng_b32(a: u32) -> u32 = a << 1 ^ if a >> 31 == 1 { 197 } else { 0 };

    v_min_i32(a: i32, b: i32) -> i32 = a.min(b);
    v_max_i32(a: i32, b: i32) -> i32 = a.max(b);
    v_min_u32(a: u32, b: u32) -> u32 = a.min(b);
    v_max_u32(a: u32, b: u32) -> u32 = a.max(b);
    v_min_i16(a: i16, b: i16) -> i16 = a.min(b);
    v_max_i16(a: i16, b: i16) -> i16 = a.max(b);
    v_min_u16(a: u16, b: u16) -> u16 = a.min(b);
    v_max_u16(a: u16, b: u16) -> u16 = a.max(b);
    v_min3_i32(a: i32, b: i32, c: i32) -> i32 = a.min(b).min(c);
    v_max3_i32(a: i32, b: i32, c: i32) -> i32 = a.max(b).max(c);
    v_med3_i32(a: i32, b: i32, c: i32) -> i32 = a.min(b).max(a.max(b).min(c));
    v_min3_u32(a: u32, b: u32, c: u32) -> u32 = a.min(b).min(c);
    v_max3_u32(a: u32, b: u32, c: u32) -> u32 = a.max(b).max(c);
    v_med3_u32(a: u32, b: u32, c: u32) -> u32 = a.min(b).max(a.max(b).min(c));
    v_min3_i16(a: i16, b: i16, c: i16) -> i16 = a.min(b).min(c);
    v_max3_i16(a: i16, b: i16, c: i16) -> i16 = a.max(b).max(c);
    v_med3_i16(a: i16, b: i16, c: i16) -> i16 = a.min(b).max(a.max(b).min(c));
    v_min3_u16(a: u16, b: u16, c: u16) -> u16 = a.min(b).min(c);
    v_max3_u16(a: u16, b: u16, c: u16) -> u16 = a.max(b).max(c);
    v_med3_u16(a: u16, b: u16, c: u16) -> u16 = a.min(b).max(a.max(b).min(c));
    v_maxmin_u32(a: u32, b: u32, c: u32) -> u32 = a.max(b).min(c);
    v_minmax_u32(a: u32, b: u32, c: u32) -> u32 = a.min(b).max(c);
    v_maxmin_i32(a: i32, b: i32, c: i32) -> i32 = a.max(b).min(c);
    v_minmax_i32(a: i32, b: i32, c: i32) -> i32 = a.min(b).max(c);

    v_lerp_u8(a: u32, b: u32, c: u32) -> u32 = lerp(a, b, c);
    v_sad_u8(a: u32, b: u32, c: u32) -> u32 = sad(a, b).wrapping_add(c);
    v_sad_hi_u8(a: u32, b: u32, c: u32) -> u32 = (sad(a, b) << 16).wrapping_add(c);
    v_sad_u16(a: [u16; 2], b: [u16; 2], c: u32) -> u32 =
        c.wrapping_add(u32::from(a[0].abs_diff(b[0])) + u32::from(a[1].abs_diff(b[1])));
    v_sad_u32(a: u32, b: u32, c: u32) -> u32 = a.abs_diff(b).wrapping_add(c);
    v_msad_u8(a: u32, b: u32, c: u32) -> u32 = masked_sad(a, b).wrapping_add(c);
    v_qsad_pk_u16_u8(a: u64, b: u32, c: u64) -> u64 = four_sads(a, b, c, sad);
    v_mqsad_pk_u16_u8(a: u64, b: u32, c: u64) -> u64 = four_sads(a, b, c, masked_sad);
}

with_flag! { SELECT, mode, flag;
    v_cndmask_b32(a: u32, b: u32) -> u32 = if flag { b } else { a };
    v_cndmask_b16(a: u16, b: u16) -> u16 = if flag { b } else { a };
}

and_flag! { CARRY_OUT, mode;
    v_add_co_u32(a: u32, b: u32) -> u32 = a.overflowing_add(b);
    v_sub_co_u32(a: u32, b: u32) -> u32 = a.overflowing_sub(b);
    v_subrev_co_u32(a: u32, b: u32) -> u32 = b.overflowing_sub(a);
    v_mad_u64_u32(a: u32, b: u32, c: u64) -> u64 = (u64::from(a) * u64::from(b)).overflowing_add(c);
    // The flag is the sign of the sum in 65 bits.
    v_mad_i64_i32(a: i32, b: i32, c: i64) -> i64 = {
        let sum = i128::from(a) * i128::from(b) + i128::from(c);
        (sum as i64, sum < 0)
    };
}

with_and_flag! { CARRY_IN_AND_OUT, mode, carry;
    v_add_co_ci_u32(a: u32, b: u32) -> u32 = a.carrying_add(b, carry);
    v_sub_co_ci_u32(a: u32, b: u32) -> u32 = a.borrowing_sub(b, carry);
    v_subrev_co_ci_u32(a: u32, b: u32) -> u32 = b.borrowing_sub(a, carry);
}

with_number! { BY_LANE, mode, lane: Lane, false;
    v_mbcnt_lo_u32_b32(a: u32, b: u32) -> u32 = (a & lanes_below(lane) as u32).count_ones().wrapping_add(b);
    v_mbcnt_hi_u32_b32(a: u32, b: u32) -> u32 = (a & (lanes_below(lane) >> 32) as u32).count_ones().wrapping_add(b);
}

with_number! { BY_TABLE, mode, table: Table, false;
    v_bitop3_b32(a: u32, b: u32, c: u32) -> u32 = by_table(a, b, c, table);
    v_bitop3_b16(a: u16, b: u16, c: u16) -> u16 = by_table(a.into(), b.into(), c.into(), table) as u16;
}

// What `clamp` means for integers: results saturate.
values! { SATURATING, mode;
    v_add_nc_u32(a: u32, b: u32) -> u32 = a.saturating_add(b);
    v_sub_nc_u32(a: u32, b: u32) -> u32 = a.saturating_sub(b);
    v_subrev_nc_u32(a: u32, b: u32) -> u32 = b.saturating_sub(a);
    v_add_nc_i32(a: i32, b: i32) -> i32 = a.saturating_add(b);
    v_sub_nc_i32(a: i32, b: i32) -> i32 = a.saturating_sub(b);
    v_add_nc_u16(a: u16, b: u16) -> u16 = a.saturating_add(b);
    v_sub_nc_u16(a: u16, b: u16) -> u16 = a.saturating_sub(b);
    v_subrev_u16(a: u16, b: u16) -> u16 = b.saturating_sub(a);
    v_add_nc_i16(a: i16, b: i16) -> i16 = a.saturating_add(b);
    v_sub_nc_i16(a: i16, b: i16) -> i16 = a.saturating_sub(b);
    v_mad_i32_i24(a: i32, b: i32, c: i32) -> i32 = narrow(signed24(a) * signed24(b) + i64::from(c));
    v_mad_u32_u24(a: u32, b: u32, c: u32) -> u32 =
        (unsigned24(a) * unsigned24(b) + u64::from(c)).min(u64::from(u32::MAX)) as u32;
    v_mad_u16(a: u16, b: u16, c: u16) -> u16 = (u64::from(a) * u64::from(b) + u64::from(c)).min(0xffff) as u16;
    v_mad_i16(a: i16, b: i16, c: i16) -> i16 =
        (i64::from(a) * i64::from(b) + i64::from(c)).clamp(-0x8000, 0x7fff) as i16;
    v_mad_u32_u16(a: u16, b: u16, c: u32) -> u32 = (u32::from(a) * u32::from(b)).saturating_add(c);
    v_mad_i32_i16(a: i16, b: i16, c: i32) -> i32 = (i32::from(a) * i32::from(b)).saturating_add(c);
    v_sad_u8(a: u32, b: u32, c: u32) -> u32 = sad(a, b).saturating_add(c);
    v_sad_hi_u8(a: u32, b: u32, c: u32) -> u32 = (sad(a, b) << 16).saturating_add(c);
    v_sad_u16(a: [u16; 2], b: [u16; 2], c: u32) -> u32 =
        c.saturating_add(u32::from(a[0].abs_diff(b[0])) + u32::from(a[1].abs_diff(b[1])));
    v_sad_u32(a: u32, b: u32, c: u32) -> u32 = a.abs_diff(b).saturating_add(c);
    v_msad_u8(a: u32, b: u32, c: u32) -> u32 = masked_sad(a, b).saturating_add(c);
}

and_flag! { SATURATING_CARRY_OUT, mode;
    v_add_co_u32(a: u32, b: u32) -> u32 = (a.saturating_add(b), a.overflowing_add(b).1);
    v_sub_co_u32(a: u32, b: u32) -> u32 = (a.saturating_sub(b), a < b);
    v_subrev_co_u32(a: u32, b: u32) -> u32 = (b.saturating_sub(a), b < a);
}

fn signed24(a: i32) -> i64 {
    i64::from(a << 8 >> 8)
}

fn unsigned24(a: u32) -> u64 {
    u64::from(a & 0xff_ffff)
}

/// The nearest number of 32 bits.
pub(super) fn narrow(a: i64) -> i32 {
    a.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
}

fn joined(high: u32, low: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

/// The `count` lowest bits, `count` below 32.
fn low_ones(count: u32) -> u32 {
    (1 << count) - 1
}

/// The `width` lowest bits as a signed number; 0 where there are none.
fn signed_field(a: i32, width: u32) -> i32 {
    if width == 0 { 0 } else { a << (32 - width) >> (32 - width) }
}

/// The number of highest bits that are equal, -1 where all are.
pub(super) fn sign_bits(a: u32) -> i32 {
    if a == 0 || a == u32::MAX { -1 } else { (a ^ (a as i32 >> 31) as u32).leading_zeros() as i32 }
}

fn lanes_below(lane: u32) -> u64 {
    (1 << (lane & 63)) - 1
}

/// Bytes of `data` by number; 8 to 11 are signs of its halves, 12 is 0 and all above are 0xff.
fn permute(data: u64, selector: u32) -> u32 {
    let bytes = data.to_le_bytes();
    u32::from_le_bytes(selector.to_le_bytes().map(|select| match select {
        0..=7 => bytes[usize::from(select)],
        8..=11 => (bytes[usize::from(select - 8) * 2 + 1] as i8 >> 7) as u8,
        12 => 0,
        _ => 0xff,
    }))
}

fn by_table(a: u32, b: u32, c: u32, table: u32) -> u32 {
    let choose = |bit: u32, chosen: u32| if table >> bit & 1 == 1 { chosen } else { 0 };
    choose(0, !a & !b & !c)
        | choose(1, !a & !b & c)
        | choose(2, !a & b & !c)
        | choose(3, !a & b & c)
        | choose(4, a & !b & !c)
        | choose(5, a & !b & c)
        | choose(6, a & b & !c)
        | choose(7, a & b & c)
}

/// The mean of each byte, rounded up where the third operand's byte is odd.
fn lerp(a: u32, b: u32, c: u32) -> u32 {
    let [a, b, c] = [a, b, c].map(u32::to_le_bytes);
    let mean = |i: usize| ((u32::from(a[i]) + u32::from(b[i]) + u32::from(c[i] & 1)) >> 1) as u8;
    u32::from_le_bytes([mean(0), mean(1), mean(2), mean(3)])
}

/// The sum of the bytes' absolute differences.
fn sad(a: u32, b: u32) -> u32 {
    a.to_le_bytes().into_iter().zip(b.to_le_bytes()).map(|(a, b)| u32::from(a.abs_diff(b))).sum()
}

/// The same, without those bytes where `b` is zero.
fn masked_sad(a: u32, b: u32) -> u32 {
    let bytes = a.to_le_bytes().into_iter().zip(b.to_le_bytes());
    bytes.filter(|&(_, b)| b != 0).map(|(a, b)| u32::from(a.abs_diff(b))).sum()
}

/// Sums at four neighbouring places of `a`, each added to 16 bits of `c`.
fn four_sads(a: u64, b: u32, c: u64, sad: fn(u32, u32) -> u32) -> u64 {
    (0..4).fold(0, |sums, place| {
        let sum =
            sad((a >> (place * 8)) as u32, b).wrapping_add((c >> (place * 16)) as u32 & 0xffff);
        sums | u64::from(sum as u16) << (place * 16)
    })
}
