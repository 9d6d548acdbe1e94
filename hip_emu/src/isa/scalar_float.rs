//! Floats of the scalar unit, from GFX11.5 on.

use super::float::arithmetic::{
    add, fma, max, max_num, maximum, min, min_num, minimum, mul, order, sub, through_f64,
};
use super::float::convert::{convert, convert_in, from_integer};
use super::float::{F16, F32};
use super::table::{scalars, scalars_without_scc};
use super::value::Value;
use super::{Kind, Round, ScalarOperation};
use std::cmp::Ordering::{self, Equal, Greater, Less};

scalars_without_scc! { PLAIN, mode;
    s_add_f32(a: F32, b: F32) -> F32 = add(mode, a, b);
    s_sub_f32(a: F32, b: F32) -> F32 = sub(mode, a, b);
    s_mul_f32(a: F32, b: F32) -> F32 = mul(mode, a, b);
    s_fmaak_f32(a: F32, b: F32, c: F32) -> F32 = fma(mode, a, b, c);
    s_fmamk_f32(a: F32, b: F32, c: F32) -> F32 = fma(mode, a, b, c);
    s_min_f32(a: F32, b: F32) -> F32 = min(mode, a, b);
    s_max_f32(a: F32, b: F32) -> F32 = max(mode, a, b);
    s_min_num_f32(a: F32, b: F32) -> F32 = min_num(mode, a, b);
    s_max_num_f32(a: F32, b: F32) -> F32 = max_num(mode, a, b);
    s_minimum_f32(a: F32, b: F32) -> F32 = minimum(mode, a, b);
    s_maximum_f32(a: F32, b: F32) -> F32 = maximum(mode, a, b);
    s_trunc_f32(a: F32) -> F32 = through_f64(mode, a, f64::trunc);
    s_ceil_f32(a: F32) -> F32 = through_f64(mode, a, f64::ceil);
    s_floor_f32(a: F32) -> F32 = through_f64(mode, a, f64::floor);
    s_rndne_f32(a: F32) -> F32 = through_f64(mode, a, f64::round_ties_even);

    s_add_f16(a: F16, b: F16) -> F16 = add(mode, a, b);
    s_sub_f16(a: F16, b: F16) -> F16 = sub(mode, a, b);
    s_mul_f16(a: F16, b: F16) -> F16 = mul(mode, a, b);
    s_min_f16(a: F16, b: F16) -> F16 = min(mode, a, b);
    s_max_f16(a: F16, b: F16) -> F16 = max(mode, a, b);
    s_min_num_f16(a: F16, b: F16) -> F16 = min_num(mode, a, b);
    s_max_num_f16(a: F16, b: F16) -> F16 = max_num(mode, a, b);
    s_minimum_f16(a: F16, b: F16) -> F16 = minimum(mode, a, b);
    s_maximum_f16(a: F16, b: F16) -> F16 = maximum(mode, a, b);
    s_trunc_f16(a: F16) -> F16 = through_f64(mode, a, f64::trunc);
    s_ceil_f16(a: F16) -> F16 = through_f64(mode, a, f64::ceil);
    s_floor_f16(a: F16) -> F16 = through_f64(mode, a, f64::floor);
    s_rndne_f16(a: F16) -> F16 = through_f64(mode, a, f64::round_ties_even);

    s_cvt_f32_i32(a: i32) -> F32 = from_integer(mode, a.into());
    s_cvt_f32_u32(a: u32) -> F32 = from_integer(mode, a.into());
    s_cvt_i32_f32(a: F32) -> i32 = a.read(mode).wide() as i32;
    s_cvt_u32_f32(a: F32) -> u32 = a.read(mode).wide() as u32;
    s_cvt_f16_f32(a: F32) -> F16 = convert(mode, a);
    s_cvt_f32_f16(a: F16) -> F32 = convert(mode, a);
    s_cvt_hi_f32_f16(a: u32) -> F32 = convert(mode, F16::of((a >> 16).into()));
    s_cvt_pk_rtz_f16_f32(a: F32, b: F32) -> [F16; 2] = [a, b].map(|a| convert_in(mode, Round::Zero, a));
}

scalars! { INTO_DESTINATION, mode, scc, true;
    s_fmac_f32(a: F32, b: F32, d: F32) -> F32 = (fma(mode, a, b, d), scc);
    s_fmac_f16(a: F16, b: F16, d: F16) -> F16 = (fma(mode, a, b, d), scc);
}

/// `s_cmp_RELATION_TYPE`. NaNs have no order; the negated relations hold for them.
macro_rules! relations {
    ($($name:ident($type:ty) = |$order:ident| $body:expr;)*) => {
        pub(super) static COMPARISONS: &[ScalarOperation] = &[$(ScalarOperation {
            name: stringify!($name),
            sources: &[<$type as Value>::KIND, <$type as Value>::KIND],
            result: Kind::None,
            reads_destination: false,
            run: |mode, sources, _| {
                let $order = order(mode, <$type>::of(sources[0]), <$type>::of(sources[1]));
                (0, $body)
            },
        }),*];
    };
}

relations! {
    s_cmp_lt_f32(F32) = |order| order == Some(Less);
    s_cmp_eq_f32(F32) = |order| order == Some(Equal);
    s_cmp_le_f32(F32) = |order| order.is_some_and(Ordering::is_le);
    s_cmp_gt_f32(F32) = |order| order == Some(Greater);
    s_cmp_lg_f32(F32) = |order| order.is_some_and(Ordering::is_ne);
    s_cmp_ge_f32(F32) = |order| order.is_some_and(Ordering::is_ge);
    s_cmp_o_f32(F32) = |order| order.is_some();
    s_cmp_u_f32(F32) = |order| order.is_none();
    s_cmp_nge_f32(F32) = |order| order.is_none_or(Ordering::is_lt);
    s_cmp_nlg_f32(F32) = |order| order.is_none_or(Ordering::is_eq);
    s_cmp_ngt_f32(F32) = |order| order.is_none_or(Ordering::is_le);
    s_cmp_nle_f32(F32) = |order| order.is_none_or(Ordering::is_gt);
    s_cmp_neq_f32(F32) = |order| order.is_none_or(Ordering::is_ne);
    s_cmp_nlt_f32(F32) = |order| order.is_none_or(Ordering::is_ge);
    s_cmp_lt_f16(F16) = |order| order == Some(Less);
    s_cmp_eq_f16(F16) = |order| order == Some(Equal);
    s_cmp_le_f16(F16) = |order| order.is_some_and(Ordering::is_le);
    s_cmp_gt_f16(F16) = |order| order == Some(Greater);
    s_cmp_lg_f16(F16) = |order| order.is_some_and(Ordering::is_ne);
    s_cmp_ge_f16(F16) = |order| order.is_some_and(Ordering::is_ge);
    s_cmp_o_f16(F16) = |order| order.is_some();
    s_cmp_u_f16(F16) = |order| order.is_none();
    s_cmp_nge_f16(F16) = |order| order.is_none_or(Ordering::is_lt);
    s_cmp_nlg_f16(F16) = |order| order.is_none_or(Ordering::is_eq);
    s_cmp_ngt_f16(F16) = |order| order.is_none_or(Ordering::is_le);
    s_cmp_nle_f16(F16) = |order| order.is_none_or(Ordering::is_gt);
    s_cmp_neq_f16(F16) = |order| order.is_none_or(Ordering::is_ne);
    s_cmp_nlt_f16(F16) = |order| order.is_none_or(Ordering::is_ge);
}
