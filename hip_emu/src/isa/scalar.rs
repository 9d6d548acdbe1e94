//! Operations of the scalar unit on integers and bits.

use super::integer::sign_bits;
use super::table::{scalars, scalars_nonzero, scalars_without_scc};
use super::{Kind, ScalarOperation};

scalars_without_scc! { PLAIN, mode;
    s_mov_b32(a: u32) -> u32 = a;
    s_mov_b64(a: u64) -> u64 = a;
    s_movk_i32(a: i16) -> i32 = i32::from(a);
    s_brev_b32(a: u32) -> u32 = a.reverse_bits();
    s_brev_b64(a: u64) -> u64 = a.reverse_bits();
    s_ctz_i32_b32(a: u32) -> i32 = if a == 0 { -1 } else { a.trailing_zeros() as i32 };
    s_ctz_i32_b64(a: u64) -> i32 = if a == 0 { -1 } else { a.trailing_zeros() as i32 };
    s_ff0_i32_b32(a: u32) -> i32 = if !a == 0 { -1 } else { a.trailing_ones() as i32 };
    s_ff0_i32_b64(a: u64) -> i32 = if !a == 0 { -1 } else { a.trailing_ones() as i32 };
    s_clz_i32_u32(a: u32) -> i32 = if a == 0 { -1 } else { a.leading_zeros() as i32 };
    s_clz_i32_u64(a: u64) -> i32 = if a == 0 { -1 } else { a.leading_zeros() as i32 };
    s_cls_i32(a: u32) -> i32 = sign_bits(a);
    s_cls_i32_i64(a: u64) -> i32 =
        if a == 0 || a == u64::MAX { -1 } else { (a ^ (a as i64 >> 63) as u64).leading_zeros() as i32 };
    s_sext_i32_i8(a: u32) -> i32 = i32::from(a as i8);
    s_sext_i32_i16(a: u32) -> i32 = i32::from(a as i16);
    s_bitreplicate_b64_b32(a: u32) -> u64 = spread(a) * 3;
    s_bfm_b32(a: u32, b: u32) -> u32 = ((1 << (a & 31)) - 1_u32).wrapping_shl(b);
    s_bfm_b64(a: u32, b: u32) -> u64 = ((1 << (a & 63)) - 1_u64).wrapping_shl(b);
    s_mul_i32(a: u32, b: u32) -> u32 = a.wrapping_mul(b);
    s_mul_hi_u32(a: u32, b: u32) -> u32 = ((u64::from(a) * u64::from(b)) >> 32) as u32;
    s_mul_hi_i32(a: i32, b: i32) -> i32 = ((i64::from(a) * i64::from(b)) >> 32) as i32;
    s_mul_u64(a: u64, b: u64) -> u64 = a.wrapping_mul(b);
    s_add_nc_u64(a: u64, b: u64) -> u64 = a.wrapping_add(b);
    s_sub_nc_u64(a: u64, b: u64) -> u64 = a.wrapping_sub(b);
    s_pack_ll_b32_b16(a: u32, b: u32) -> u32 = b << 16 | a & 0xffff;
    s_pack_lh_b32_b16(a: u32, b: u32) -> u32 = b & 0xffff_0000 | a & 0xffff;
    s_pack_hh_b32_b16(a: u32, b: u32) -> u32 = b & 0xffff_0000 | a >> 16;
    s_pack_hl_b32_b16(a: u32, b: u32) -> u32 = b << 16 | a >> 16;
}

scalars_nonzero! { NONZERO, mode;
    s_not_b32(a: u32) -> u32 = !a;
    s_not_b64(a: u64) -> u64 = !a;
    s_and_b32(a: u32, b: u32) -> u32 = a & b;
    s_and_b64(a: u64, b: u64) -> u64 = a & b;
    s_or_b32(a: u32, b: u32) -> u32 = a | b;
    s_or_b64(a: u64, b: u64) -> u64 = a | b;
    s_xor_b32(a: u32, b: u32) -> u32 = a ^ b;
    s_xor_b64(a: u64, b: u64) -> u64 = a ^ b;
    s_nand_b32(a: u32, b: u32) -> u32 = !(a & b);
    s_nand_b64(a: u64, b: u64) -> u64 = !(a & b);
    s_nor_b32(a: u32, b: u32) -> u32 = !(a | b);
    s_nor_b64(a: u64, b: u64) -> u64 = !(a | b);
    s_xnor_b32(a: u32, b: u32) -> u32 = !(a ^ b);
    s_xnor_b64(a: u64, b: u64) -> u64 = !(a ^ b);
    s_and_not1_b32(a: u32, b: u32) -> u32 = a & !b;
    s_and_not1_b64(a: u64, b: u64) -> u64 = a & !b;
    s_or_not1_b32(a: u32, b: u32) -> u32 = a | !b;
    s_or_not1_b64(a: u64, b: u64) -> u64 = a | !b;
    s_lshl_b32(a: u32, b: u32) -> u32 = a.wrapping_shl(b);
    s_lshl_b64(a: u64, b: u32) -> u64 = a.wrapping_shl(b);
    s_lshr_b32(a: u32, b: u32) -> u32 = a.wrapping_shr(b);
    s_lshr_b64(a: u64, b: u32) -> u64 = a.wrapping_shr(b);
    s_ashr_i32(a: i32, b: u32) -> i32 = a.wrapping_shr(b);
    s_ashr_i64(a: i64, b: u32) -> i64 = a.wrapping_shr(b);
    s_bfe_u32(a: u32, b: u32) -> u32 = field(a.wrapping_shr(b).into(), width(b)) as u32;
    s_bfe_i32(a: i32, b: u32) -> i32 = signed_field(a.wrapping_shr(b).into(), width(b).min(32)) as i32;
    s_bfe_u64(a: u64, b: u32) -> u64 = field(a.wrapping_shr(b), width(b));
    s_bfe_i64(a: i64, b: u32) -> i64 = signed_field(a.wrapping_shr(b), width(b));
    s_abs_i32(a: i32) -> i32 = a.wrapping_abs();
    s_absdiff_i32(a: i32, b: i32) -> i32 = a.wrapping_sub(b).wrapping_abs();
    s_bcnt0_i32_b32(a: u32) -> u32 = a.count_zeros();
    s_bcnt0_i32_b64(a: u64) -> u32 = a.count_zeros();
    s_bcnt1_i32_b32(a: u32) -> u32 = a.count_ones();
    s_bcnt1_i32_b64(a: u64) -> u32 = a.count_ones();
    s_quadmask_b32(a: u32) -> u32 = gathered_quads(a.into()) as u32;
    s_quadmask_b64(a: u64) -> u64 = gathered_quads(a);
    s_wqm_b32(a: u32) -> u32 = (quads(a.into()) * 15) as u32;
    s_wqm_b64(a: u64) -> u64 = quads(a) * 15;
}

scalars! { WITH_SCC, mode, scc, false;
    s_add_u32(a: u32, b: u32) -> u32 = a.overflowing_add(b);
    s_sub_u32(a: u32, b: u32) -> u32 = a.overflowing_sub(b);
    s_add_i32(a: i32, b: i32) -> i32 = a.overflowing_add(b);
    s_sub_i32(a: i32, b: i32) -> i32 = a.overflowing_sub(b);
    s_addc_u32(a: u32, b: u32) -> u32 = a.carrying_add(b, scc);
    s_subb_u32(a: u32, b: u32) -> u32 = a.borrowing_sub(b, scc);
    s_lshl1_add_u32(a: u32, b: u32) -> u32 = shifted_sum(a, 1, b);
    s_lshl2_add_u32(a: u32, b: u32) -> u32 = shifted_sum(a, 2, b);
    s_lshl3_add_u32(a: u32, b: u32) -> u32 = shifted_sum(a, 3, b);
    s_lshl4_add_u32(a: u32, b: u32) -> u32 = shifted_sum(a, 4, b);
    s_min_i32(a: i32, b: i32) -> i32 = (a.min(b), a < b);
    s_min_u32(a: u32, b: u32) -> u32 = (a.min(b), a < b);
    s_max_i32(a: i32, b: i32) -> i32 = (a.max(b), a >= b);
    s_max_u32(a: u32, b: u32) -> u32 = (a.max(b), a >= b);
    s_cselect_b32(a: u32, b: u32) -> u32 = (if scc { a } else { b }, scc);
    s_cselect_b64(a: u64, b: u64) -> u64 = (if scc { a } else { b }, scc);
}

scalars! { INTO_DESTINATION, mode, scc, true;
    s_cmov_b32(a: u32, d: u32) -> u32 = (if scc { a } else { d }, scc);
    s_cmov_b64(a: u64, d: u64) -> u64 = (if scc { a } else { d }, scc);
    s_cmovk_i32(a: i16, d: i32) -> i32 = (if scc { a.into() } else { d }, scc);
    s_addk_i32(a: i16, d: i32) -> i32 = d.overflowing_add(a.into());
    s_mulk_i32(a: i16, d: i32) -> i32 = (d.wrapping_mul(a.into()), scc);
    s_bitset0_b32(a: u32, d: u32) -> u32 = (d & !(1 << (a & 31)), scc);
    s_bitset0_b64(a: u32, d: u64) -> u64 = (d & !(1 << (a & 63)), scc);
    s_bitset1_b32(a: u32, d: u32) -> u32 = (d | 1 << (a & 31), scc);
    s_bitset1_b64(a: u32, d: u64) -> u64 = (d | 1 << (a & 63), scc);
}

/// Comparisons: SCC is all that they give.
macro_rules! comparisons {
    ($table:ident; $($name:ident($a:ident: $at:ty, $b:ident: $bt:ty) = $body:expr;)*) => {
        pub(super) static $table: &[ScalarOperation] = &[$(ScalarOperation {
            name: stringify!($name),
            sources: &[<$at as super::value::Value>::KIND, <$bt as super::value::Value>::KIND],
            result: Kind::None,
            reads_destination: false,
            run: |_, sources, _| {
                super::table::operands!(sources; $a: $at, $b: $bt);
                (0, $body)
            },
        }),*];
    };
}

comparisons! { COMPARISONS;
    s_cmp_eq_i32(a: i32, b: i32) = a == b;
    s_cmp_lg_i32(a: i32, b: i32) = a != b;
    s_cmp_gt_i32(a: i32, b: i32) = a > b;
    s_cmp_ge_i32(a: i32, b: i32) = a >= b;
    s_cmp_lt_i32(a: i32, b: i32) = a < b;
    s_cmp_le_i32(a: i32, b: i32) = a <= b;
    s_cmp_eq_u32(a: u32, b: u32) = a == b;
    s_cmp_lg_u32(a: u32, b: u32) = a != b;
    s_cmp_gt_u32(a: u32, b: u32) = a > b;
    s_cmp_ge_u32(a: u32, b: u32) = a >= b;
    s_cmp_lt_u32(a: u32, b: u32) = a < b;
    s_cmp_le_u32(a: u32, b: u32) = a <= b;
    s_cmp_eq_u64(a: u64, b: u64) = a == b;
    s_cmp_lg_u64(a: u64, b: u64) = a != b;
    s_bitcmp0_b32(a: u32, b: u32) = a.wrapping_shr(b) & 1 == 0;
    s_bitcmp1_b32(a: u32, b: u32) = a.wrapping_shr(b) & 1 == 1;
    s_bitcmp0_b64(a: u64, b: u32) = a.wrapping_shr(b) & 1 == 0;
    s_bitcmp1_b64(a: u64, b: u32) = a.wrapping_shr(b) & 1 == 1;
    s_cmpk_eq_i32(a: i32, b: i16) = a == i32::from(b);
    s_cmpk_lg_i32(a: i32, b: i16) = a != i32::from(b);
    s_cmpk_gt_i32(a: i32, b: i16) = a > i32::from(b);
    s_cmpk_ge_i32(a: i32, b: i16) = a >= i32::from(b);
    s_cmpk_lt_i32(a: i32, b: i16) = a < i32::from(b);
    s_cmpk_le_i32(a: i32, b: i16) = a <= i32::from(b);
    s_cmpk_eq_u32(a: u32, b: u16) = a == u32::from(b);
    s_cmpk_lg_u32(a: u32, b: u16) = a != u32::from(b);
    s_cmpk_gt_u32(a: u32, b: u16) = a > u32::from(b);
    s_cmpk_ge_u32(a: u32, b: u16) = a >= u32::from(b);
    s_cmpk_lt_u32(a: u32, b: u16) = a < u32::from(b);
    s_cmpk_le_u32(a: u32, b: u16) = a <= u32::from(b);
}

fn shifted_sum(a: u32, shift: u32, b: u32) -> (u32, bool) {
    let sum = (u64::from(a) << shift) + u64::from(b);
    (sum as u32, sum >> 32 != 0)
}

/// The width that the second operand of `s_bfe` gives.
fn width(b: u32) -> u32 {
    b >> 16 & 0x7f
}

fn field(a: u64, width: u32) -> u64 {
    if width >= 64 { a } else { a & ((1 << width) - 1) }
}

fn signed_field(a: i64, width: u32) -> i64 {
    match width {
        0 => 0,
        64.. => a,
        _ => a << (64 - width) >> (64 - width),
    }
}

/// Each bit at twice its place.
fn spread(a: u32) -> u64 {
    (0..32).fold(0, |bits, i| bits | u64::from(a >> i & 1) << (i * 2))
}

/// The lowest bit of each four, where any of the four is set.
fn quads(a: u64) -> u64 {
    (a | a >> 1 | a >> 2 | a >> 3) & 0x1111_1111_1111_1111
}

/// The same, one bit beside the other.
fn gathered_quads(a: u64) -> u64 {
    (0..16).fold(0, |bits, i| bits | (quads(a) >> (i * 4) & 1) << i)
}
