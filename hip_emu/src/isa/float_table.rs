//! Vector operations on floats.
//!
//! The hardware's approximations (reciprocals, roots, exponentials, logarithms, sines) are rounded correctly here,
//! through `f64`: any program that lives with the hardware's error lives with this.

use super::Mode;
use super::float::arithmetic::{
    add, cos_of_turns, fma, fma_zero, fract, frexp_exponent, frexp_mantissa, ldexp, mad, max,
    max_num, maximum, med3, med3_num, min, min_num, minimum, mixed_operands, mul, mul_zero,
    sin_of_turns, sub, through_f64, through_f64_flushed,
};
use super::float::{BF16, F16, F32, F64, convert};
use super::packed::{three, two};
use super::special::{cube_face, cube_major, cube_s, cube_t, mullit, trig_preop};
use super::table::{accumulating, values, with_number};

values! { SINGLE, mode;
    v_add_f32(a: F32, b: F32) -> F32 = add(mode, a, b);
    v_sub_f32(a: F32, b: F32) -> F32 = sub(mode, a, b);
    v_subrev_f32(a: F32, b: F32) -> F32 = sub(mode, b, a);
    v_mul_f32(a: F32, b: F32) -> F32 = mul(mode, a, b);
    v_fma_f32(a: F32, b: F32, c: F32) -> F32 = fma(mode, a, b, c);
    v_mad_f32(a: F32, b: F32, c: F32) -> F32 = mad(mode, a, b, c);
    v_mul_dx9_zero_f32(a: F32, b: F32) -> F32 = mul_zero(mode, a, b);
    v_fma_dx9_zero_f32(a: F32, b: F32, c: F32) -> F32 = fma_zero(mode, a, b, c);
    v_mullit_f32(a: F32, b: F32, c: F32) -> F32 = mullit(mode, a, b, c);

    v_min_f32(a: F32, b: F32) -> F32 = min(mode, a, b);
    v_max_f32(a: F32, b: F32) -> F32 = max(mode, a, b);
    v_min3_f32(a: F32, b: F32, c: F32) -> F32 = min(mode, min(mode, a, b), c);
    v_max3_f32(a: F32, b: F32, c: F32) -> F32 = max(mode, max(mode, a, b), c);
    v_med3_f32(a: F32, b: F32, c: F32) -> F32 = med3(mode, a, b, c);
    v_minmax_f32(a: F32, b: F32, c: F32) -> F32 = max(mode, min(mode, a, b), c);
    v_maxmin_f32(a: F32, b: F32, c: F32) -> F32 = min(mode, max(mode, a, b), c);
    v_min_num_f32(a: F32, b: F32) -> F32 = min_num(mode, a, b);
    v_max_num_f32(a: F32, b: F32) -> F32 = max_num(mode, a, b);
    v_min3_num_f32(a: F32, b: F32, c: F32) -> F32 = min_num(mode, min_num(mode, a, b), c);
    v_max3_num_f32(a: F32, b: F32, c: F32) -> F32 = max_num(mode, max_num(mode, a, b), c);
    v_med3_num_f32(a: F32, b: F32, c: F32) -> F32 = med3_num(mode, a, b, c);
    v_minmax_num_f32(a: F32, b: F32, c: F32) -> F32 = max_num(mode, min_num(mode, a, b), c);
    v_maxmin_num_f32(a: F32, b: F32, c: F32) -> F32 = min_num(mode, max_num(mode, a, b), c);
    v_minimum_f32(a: F32, b: F32) -> F32 = minimum(mode, a, b);
    v_maximum_f32(a: F32, b: F32) -> F32 = maximum(mode, a, b);
    v_minimum3_f32(a: F32, b: F32, c: F32) -> F32 = minimum(mode, minimum(mode, a, b), c);
    v_maximum3_f32(a: F32, b: F32, c: F32) -> F32 = maximum(mode, maximum(mode, a, b), c);
    v_minimummaximum_f32(a: F32, b: F32, c: F32) -> F32 = maximum(mode, minimum(mode, a, b), c);
    v_maximumminimum_f32(a: F32, b: F32, c: F32) -> F32 = minimum(mode, maximum(mode, a, b), c);

    v_trunc_f32(a: F32) -> F32 = through_f64(mode, a, f64::trunc);
    v_ceil_f32(a: F32) -> F32 = through_f64(mode, a, f64::ceil);
    v_floor_f32(a: F32) -> F32 = through_f64(mode, a, f64::floor);
    v_rndne_f32(a: F32) -> F32 = through_f64(mode, a, f64::round_ties_even);
    v_fract_f32(a: F32) -> F32 = fract(mode, a);
    v_ldexp_f32(a: F32, b: i32) -> F32 = ldexp(mode, a, b);
    v_frexp_exp_i32_f32(a: F32) -> i32 = frexp_exponent(mode, a);
    v_frexp_mant_f32(a: F32) -> F32 = frexp_mantissa(mode, a);

    v_rcp_f32(a: F32) -> F32 = through_f64_flushed(mode, a, f64::recip);
    v_rsq_f32(a: F32) -> F32 = through_f64_flushed(mode, a, |a| a.sqrt().recip());
    v_sqrt_f32(a: F32) -> F32 = through_f64_flushed(mode, a, f64::sqrt);
    v_exp_f32(a: F32) -> F32 = through_f64_flushed(mode, a, f64::exp2);
    v_log_f32(a: F32) -> F32 = through_f64_flushed(mode, a, f64::log2);
    v_sin_f32(a: F32) -> F32 = through_f64(mode, a, sin_of_turns);
    v_cos_f32(a: F32) -> F32 = through_f64(mode, a, cos_of_turns);

    v_cubeid_f32(x: F32, y: F32, z: F32) -> F32 = cube_face(x.read(mode), y.read(mode), z.read(mode));
    v_cubesc_f32(x: F32, y: F32, z: F32) -> F32 = cube_s(x.read(mode), y.read(mode), z.read(mode));
    v_cubetc_f32(x: F32, y: F32, z: F32) -> F32 = cube_t(x.read(mode), y.read(mode), z.read(mode));
    v_cubema_f32(x: F32, y: F32, z: F32) -> F32 = cube_major(mode, x, y, z);

    v_pk_add_f32(a: [F32; 2], b: [F32; 2]) -> [F32; 2] = two(a, b, |a, b| add(mode, a, b));
    v_pk_mul_f32(a: [F32; 2], b: [F32; 2]) -> [F32; 2] = two(a, b, |a, b| mul(mode, a, b));
    v_pk_fma_f32(a: [F32; 2], b: [F32; 2], c: [F32; 2]) -> [F32; 2] = three(a, b, c, |a, b, c| fma(mode, a, b, c));
}

values! { DOUBLE, mode;
    v_add_f64(a: F64, b: F64) -> F64 = add(mode, a, b);
    v_mul_f64(a: F64, b: F64) -> F64 = mul(mode, a, b);
    v_fma_f64(a: F64, b: F64, c: F64) -> F64 = fma(mode, a, b, c);
    v_min_f64(a: F64, b: F64) -> F64 = min(mode, a, b);
    v_max_f64(a: F64, b: F64) -> F64 = max(mode, a, b);
    v_min_num_f64(a: F64, b: F64) -> F64 = min_num(mode, a, b);
    v_max_num_f64(a: F64, b: F64) -> F64 = max_num(mode, a, b);
    v_minimum_f64(a: F64, b: F64) -> F64 = minimum(mode, a, b);
    v_maximum_f64(a: F64, b: F64) -> F64 = maximum(mode, a, b);
    v_trunc_f64(a: F64) -> F64 = through_f64(mode, a, f64::trunc);
    v_ceil_f64(a: F64) -> F64 = through_f64(mode, a, f64::ceil);
    v_floor_f64(a: F64) -> F64 = through_f64(mode, a, f64::floor);
    v_rndne_f64(a: F64) -> F64 = through_f64(mode, a, f64::round_ties_even);
    v_fract_f64(a: F64) -> F64 = fract(mode, a);
    v_ldexp_f64(a: F64, b: i32) -> F64 = ldexp(mode, a, b);
    v_frexp_exp_i32_f64(a: F64) -> i32 = frexp_exponent(mode, a);
    v_frexp_mant_f64(a: F64) -> F64 = frexp_mantissa(mode, a);
    v_rcp_f64(a: F64) -> F64 = through_f64(mode, a, f64::recip);
    v_rsq_f64(a: F64) -> F64 = through_f64(mode, a, |a| a.sqrt().recip());
    v_sqrt_f64(a: F64) -> F64 = through_f64(mode, a, f64::sqrt);
    v_trig_preop_f64(a: F64, b: u32) -> F64 = trig_preop(a, b);
}

values! { HALF, mode;
    v_add_f16(a: F16, b: F16) -> F16 = add(mode, a, b);
    v_sub_f16(a: F16, b: F16) -> F16 = sub(mode, a, b);
    v_subrev_f16(a: F16, b: F16) -> F16 = sub(mode, b, a);
    v_mul_f16(a: F16, b: F16) -> F16 = mul(mode, a, b);
    v_fma_f16(a: F16, b: F16, c: F16) -> F16 = fma(mode, a, b, c);
    v_mad_f16(a: F16, b: F16, c: F16) -> F16 = mad(mode, a, b, c);
    v_min_f16(a: F16, b: F16) -> F16 = min(mode, a, b);
    v_max_f16(a: F16, b: F16) -> F16 = max(mode, a, b);
    v_min3_f16(a: F16, b: F16, c: F16) -> F16 = min(mode, min(mode, a, b), c);
    v_max3_f16(a: F16, b: F16, c: F16) -> F16 = max(mode, max(mode, a, b), c);
    v_med3_f16(a: F16, b: F16, c: F16) -> F16 = med3(mode, a, b, c);
    v_minmax_f16(a: F16, b: F16, c: F16) -> F16 = max(mode, min(mode, a, b), c);
    v_maxmin_f16(a: F16, b: F16, c: F16) -> F16 = min(mode, max(mode, a, b), c);
    v_min_num_f16(a: F16, b: F16) -> F16 = min_num(mode, a, b);
    v_max_num_f16(a: F16, b: F16) -> F16 = max_num(mode, a, b);
    v_min3_num_f16(a: F16, b: F16, c: F16) -> F16 = min_num(mode, min_num(mode, a, b), c);
    v_max3_num_f16(a: F16, b: F16, c: F16) -> F16 = max_num(mode, max_num(mode, a, b), c);
    v_med3_num_f16(a: F16, b: F16, c: F16) -> F16 = med3_num(mode, a, b, c);
    v_minmax_num_f16(a: F16, b: F16, c: F16) -> F16 = max_num(mode, min_num(mode, a, b), c);
    v_maxmin_num_f16(a: F16, b: F16, c: F16) -> F16 = min_num(mode, max_num(mode, a, b), c);
    v_minimum_f16(a: F16, b: F16) -> F16 = minimum(mode, a, b);
    v_maximum_f16(a: F16, b: F16) -> F16 = maximum(mode, a, b);
    v_minimum3_f16(a: F16, b: F16, c: F16) -> F16 = minimum(mode, minimum(mode, a, b), c);
    v_maximum3_f16(a: F16, b: F16, c: F16) -> F16 = maximum(mode, maximum(mode, a, b), c);
    v_minimummaximum_f16(a: F16, b: F16, c: F16) -> F16 = maximum(mode, minimum(mode, a, b), c);
    v_maximumminimum_f16(a: F16, b: F16, c: F16) -> F16 = minimum(mode, maximum(mode, a, b), c);
    v_trunc_f16(a: F16) -> F16 = through_f64(mode, a, f64::trunc);
    v_ceil_f16(a: F16) -> F16 = through_f64(mode, a, f64::ceil);
    v_floor_f16(a: F16) -> F16 = through_f64(mode, a, f64::floor);
    v_rndne_f16(a: F16) -> F16 = through_f64(mode, a, f64::round_ties_even);
    v_fract_f16(a: F16) -> F16 = fract(mode, a);
    v_ldexp_f16(a: F16, b: i16) -> F16 = ldexp(mode, a, b.into());
    v_frexp_exp_i16_f16(a: F16) -> i16 = frexp_exponent(mode, a) as i16;
    v_frexp_mant_f16(a: F16) -> F16 = frexp_mantissa(mode, a);
    v_rcp_f16(a: F16) -> F16 = through_f64(mode, a, f64::recip);
    v_rsq_f16(a: F16) -> F16 = through_f64(mode, a, |a| a.sqrt().recip());
    v_sqrt_f16(a: F16) -> F16 = through_f64(mode, a, f64::sqrt);
    v_exp_f16(a: F16) -> F16 = through_f64(mode, a, f64::exp2);
    v_log_f16(a: F16) -> F16 = through_f64(mode, a, f64::log2);
    v_sin_f16(a: F16) -> F16 = through_f64(mode, a, sin_of_turns);
    v_cos_f16(a: F16) -> F16 = through_f64(mode, a, cos_of_turns);

    v_pk_add_f16(a: [F16; 2], b: [F16; 2]) -> [F16; 2] = two(a, b, |a, b| add(mode, a, b));
    v_pk_mul_f16(a: [F16; 2], b: [F16; 2]) -> [F16; 2] = two(a, b, |a, b| mul(mode, a, b));
    v_pk_fma_f16(a: [F16; 2], b: [F16; 2], c: [F16; 2]) -> [F16; 2] = three(a, b, c, |a, b, c| fma(mode, a, b, c));
    v_pk_min_f16(a: [F16; 2], b: [F16; 2]) -> [F16; 2] = two(a, b, |a, b| min(mode, a, b));
    v_pk_max_f16(a: [F16; 2], b: [F16; 2]) -> [F16; 2] = two(a, b, |a, b| max(mode, a, b));
    v_pk_min_num_f16(a: [F16; 2], b: [F16; 2]) -> [F16; 2] = two(a, b, |a, b| min_num(mode, a, b));
    v_pk_max_num_f16(a: [F16; 2], b: [F16; 2]) -> [F16; 2] = two(a, b, |a, b| max_num(mode, a, b));
    v_pk_minimum_f16(a: [F16; 2], b: [F16; 2]) -> [F16; 2] = two(a, b, |a, b| minimum(mode, a, b));
    v_pk_maximum_f16(a: [F16; 2], b: [F16; 2]) -> [F16; 2] = two(a, b, |a, b| maximum(mode, a, b));
    v_pk_minimum3_f16(a: [F16; 2], b: [F16; 2], c: [F16; 2]) -> [F16; 2] =
        three(a, b, c, |a, b, c| minimum(mode, minimum(mode, a, b), c));
    v_pk_maximum3_f16(a: [F16; 2], b: [F16; 2], c: [F16; 2]) -> [F16; 2] =
        three(a, b, c, |a, b, c| maximum(mode, maximum(mode, a, b), c));

    // Each product and each sum is rounded.
    v_dot2_f16_f16(a: [F16; 2], b: [F16; 2], c: F16) -> F16 =
        add(mode, add(mode, c, mul(mode, a[0], b[0])), mul(mode, a[1], b[1]));
    v_dot2_bf16_bf16(a: [BF16; 2], b: [BF16; 2], c: BF16) -> BF16 =
        add(mode, add(mode, c, mul(mode, a[0], b[0])), mul(mode, a[1], b[1]));
    v_dot2_f32_f16(a: [F16; 2], b: [F16; 2], c: F32) -> F32 = dot2_f16(mode, a, b, c);
    v_dot2_f32_bf16(a: [BF16; 2], b: [BF16; 2], c: F32) -> F32 = dot2_bf16(mode, a, b, c);
}

accumulating! { INTO_DESTINATION, mode;
    v_fmac_f32(a: F32, b: F32, d: F32) -> F32 = fma(mode, a, b, d);
    v_fmac_f64(a: F64, b: F64, d: F64) -> F64 = fma(mode, a, b, d);
    v_fmac_f16(a: F16, b: F16, d: F16) -> F16 = fma(mode, a, b, d);
    v_mac_f32(a: F32, b: F32, d: F32) -> F32 = mad(mode, a, b, d);
    v_mac_f16(a: F16, b: F16, d: F16) -> F16 = mad(mode, a, b, d);
    v_fmac_dx9_zero_f32(a: F32, b: F32, d: F32) -> F32 = fma_zero(mode, a, b, d);
    v_pk_fmac_f16(a: [F16; 2], b: [F16; 2], d: [F16; 2]) -> [F16; 2] = three(a, b, d, |a, b, d| fma(mode, a, b, d));
    v_dot2c_f32_f16(a: [F16; 2], b: [F16; 2], d: F32) -> F32 = dot2_f16(mode, a, b, d);
    v_dot2c_f32_bf16(a: [BF16; 2], b: [BF16; 2], d: F32) -> F32 = dot2_bf16(mode, a, b, d);
}

// `v_fma_mixlo_f16` and `v_fma_mixhi_f16` differ in the half of the register that they write.
with_number! { MIXED, mode, number: Mix, false;
    v_fma_mix_f32(a: u32, b: u32, c: u32) -> F32 = {
        let [a, b, c] = mixed_operands(mode, [a, b, c], number);
        fma(mode, a, b, c)
    };
    v_fma_mixlo_f16(a: u32, b: u32, c: u32) -> F16 = {
        let [a, b, c] = mixed_operands(mode, [a, b, c], number);
        convert::convert(mode, fma(mode, a, b, c))
    };
    v_mad_mix_f32(a: u32, b: u32, c: u32) -> F32 = {
        let [a, b, c] = mixed_operands(mode, [a, b, c], number);
        mad(mode, a, b, c)
    };
    v_mad_mixlo_f16(a: u32, b: u32, c: u32) -> F16 = {
        let [a, b, c] = mixed_operands(mode, [a, b, c], number);
        convert::convert(mode, mad(mode, a, b, c))
    };
}

/// Products of halves are exact in `f32`.
fn dot2_f16(mode: &Mode, a: [F16; 2], b: [F16; 2], c: F32) -> F32 {
    let (a, b) = (a.map(|a| convert::convert(mode, a)), b.map(|b| convert::convert(mode, b)));
    fma(mode, a[1], b[1], fma(mode, a[0], b[0], c))
}

/// Products of `bf16` may leave the range of `f32` on their own.
fn dot2_bf16(mode: &Mode, a: [BF16; 2], b: [BF16; 2], c: F32) -> F32 {
    let (a, b) = (a.map(|a| convert::convert(mode, a)), b.map(|b| convert::convert(mode, b)));
    add(mode, add(mode, c, mul(mode, a[0], b[0])), mul(mode, a[1], b[1]))
}
