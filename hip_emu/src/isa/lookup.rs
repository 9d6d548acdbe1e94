//! From a mnemonic to its operation.

use super::{
    Operation, ScalarOperation, compare, convert_table, divide, float_table, integer, packed,
    scalar as scalars, scalar_float, small_float,
};
use std::collections::HashMap;
use std::sync::LazyLock;

/// Operations of lanes.
static VECTOR: &[&[Operation]] = &[
    integer::PLAIN,
    integer::SELECT,
    integer::CARRY_OUT,
    integer::CARRY_IN_AND_OUT,
    integer::BY_LANE,
    integer::BY_TABLE,
    packed::PLAIN,
    packed::INTO_DESTINATION,
    packed::BY_SIGNS,
    compare::I16,
    compare::U16,
    compare::I32,
    compare::U32,
    compare::I64,
    compare::U64,
    compare::F16_RELATIONS,
    compare::F32_RELATIONS,
    compare::F64_RELATIONS,
    float_table::SINGLE,
    float_table::DOUBLE,
    float_table::HALF,
    float_table::INTO_DESTINATION,
    float_table::MIXED,
    convert_table::PLAIN,
    divide::SCALES,
    divide::LAST_STEPS,
    divide::REPAIRS,
    small_float::FROM_BYTE,
    small_float::PLAIN,
];

/// Integer operations of lanes with `clamp`.
static SATURATING: &[&[Operation]] = &[
    integer::SATURATING,
    integer::SATURATING_CARRY_OUT,
    packed::SATURATING,
    packed::SATURATING_BY_SIGNS,
    packed::SATURATING_INTO_DESTINATION,
];

static SCALAR: &[&[ScalarOperation]] = &[
    scalars::PLAIN,
    scalars::NONZERO,
    scalars::WITH_SCC,
    scalars::INTO_DESTINATION,
    scalars::COMPARISONS,
    scalar_float::PLAIN,
    scalar_float::INTO_DESTINATION,
    scalar_float::COMPARISONS,
];

/// Names of other generations for the same operation.
static SAME: &[(&str, &str)] = &[
    ("v_accvgpr_mov_b32", "v_mov_b32"),
    ("v_accvgpr_read_b32", "v_mov_b32"),
    ("v_accvgpr_write_b32", "v_mov_b32"),
    ("v_add_i16", "v_add_nc_i16"),
    ("v_add_i32", "v_add_nc_i32"),
    ("v_add_u16", "v_add_nc_u16"),
    ("v_add_u32", "v_add_nc_u32"),
    ("v_addc_co_u32", "v_add_co_ci_u32"),
    ("v_cvt_flr_i32_f32", "v_cvt_floor_i32_f32"),
    ("v_cvt_pknorm_i16_f16", "v_cvt_pk_norm_i16_f16"),
    ("v_cvt_pknorm_i16_f32", "v_cvt_pk_norm_i16_f32"),
    ("v_cvt_pknorm_u16_f16", "v_cvt_pk_norm_u16_f16"),
    ("v_cvt_pknorm_u16_f32", "v_cvt_pk_norm_u16_f32"),
    ("v_cvt_pkrtz_f16_f32", "v_cvt_pk_rtz_f16_f32"),
    ("v_cvt_rpi_i32_f32", "v_cvt_nearest_i32_f32"),
    ("v_div_fixup_legacy_f16", "v_div_fixup_f16"),
    ("v_dot2acc_f32_f16", "v_dot2c_f32_f16"),
    ("v_ffbh_i32", "v_cls_i32"),
    ("v_ffbh_u32", "v_clz_i32_u32"),
    ("v_ffbl_b32", "v_ctz_i32_b32"),
    ("v_fma_legacy_f16", "v_fma_f16"),
    ("v_fma_legacy_f32", "v_fma_dx9_zero_f32"),
    ("v_fma_mixhi_f16", "v_fma_mixlo_f16"),
    ("v_fmaak_f16", "v_fma_f16"),
    ("v_fmaak_f32", "v_fma_f32"),
    ("v_fmaak_f64", "v_fma_f64"),
    ("v_fmac_legacy_f32", "v_fmac_dx9_zero_f32"),
    ("v_fmamk_f16", "v_fma_f16"),
    ("v_fmamk_f32", "v_fma_f32"),
    ("v_fmamk_f64", "v_fma_f64"),
    ("v_mad_co_i64_i32", "v_mad_i64_i32"),
    ("v_mad_co_u64_u32", "v_mad_u64_u32"),
    ("v_mad_legacy_f16", "v_mad_f16"),
    ("v_mad_legacy_i16", "v_mad_i16"),
    ("v_mad_legacy_u16", "v_mad_u16"),
    ("v_mad_mixhi_f16", "v_mad_mixlo_f16"),
    ("v_madak_f16", "v_mad_f16"),
    ("v_madak_f32", "v_mad_f32"),
    ("v_madmk_f16", "v_mad_f16"),
    ("v_madmk_f32", "v_mad_f32"),
    ("v_mul_legacy_f32", "v_mul_dx9_zero_f32"),
    ("v_rcp_iflag_f32", "v_rcp_f32"),
    ("v_s_exp_f16", "v_exp_f16"),
    ("v_s_exp_f32", "v_exp_f32"),
    ("v_s_log_f16", "v_log_f16"),
    ("v_s_log_f32", "v_log_f32"),
    ("v_s_rcp_f16", "v_rcp_f16"),
    ("v_s_rcp_f32", "v_rcp_f32"),
    ("v_s_rsq_f16", "v_rsq_f16"),
    ("v_s_rsq_f32", "v_rsq_f32"),
    ("v_s_sqrt_f16", "v_sqrt_f16"),
    ("v_s_sqrt_f32", "v_sqrt_f32"),
    ("v_sub_i16", "v_sub_nc_i16"),
    ("v_sub_i32", "v_sub_nc_i32"),
    ("v_sub_u16", "v_sub_nc_u16"),
    ("v_sub_u32", "v_sub_nc_u32"),
    ("v_subb_co_u32", "v_sub_co_ci_u32"),
    ("v_subbrev_co_u32", "v_subrev_co_ci_u32"),
    ("v_subrev_u32", "v_subrev_nc_u32"),
    ("s_add_co_ci_u32", "s_addc_u32"),
    ("s_add_co_i32", "s_add_i32"),
    ("s_add_co_u32", "s_add_u32"),
    ("s_addk_co_i32", "s_addk_i32"),
    ("s_andn2_b32", "s_and_not1_b32"),
    ("s_andn2_b64", "s_and_not1_b64"),
    ("s_ff1_i32_b32", "s_ctz_i32_b32"),
    ("s_ff1_i32_b64", "s_ctz_i32_b64"),
    ("s_flbit_i32", "s_cls_i32"),
    ("s_flbit_i32_b32", "s_clz_i32_u32"),
    ("s_flbit_i32_b64", "s_clz_i32_u64"),
    ("s_flbit_i32_i64", "s_cls_i32_i64"),
    ("s_orn2_b32", "s_or_not1_b32"),
    ("s_orn2_b64", "s_or_not1_b64"),
    ("s_sub_co_ci_u32", "s_subb_u32"),
    ("s_sub_co_i32", "s_sub_i32"),
    ("s_sub_co_u32", "s_sub_u32"),
];

static ALIASES: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| SAME.iter().copied().collect());
static VECTOR_BY_NAME: LazyLock<HashMap<&str, &Operation>> =
    LazyLock::new(|| by_name(VECTOR, |one| one.name));
static SATURATING_BY_NAME: LazyLock<HashMap<&str, &Operation>> =
    LazyLock::new(|| by_name(SATURATING, |one| one.name));
static SCALAR_BY_NAME: LazyLock<HashMap<&str, &ScalarOperation>> =
    LazyLock::new(|| by_name(SCALAR, |one| one.name));

/// The operation of a mnemonic of the vector unit, for one lane. `v_cmpx_` is as `v_cmp_`; that EXEC is what it writes
/// is the machine's to know.
pub fn vector(mnemonic: &str) -> Option<&'static Operation> {
    match mnemonic.strip_prefix("v_cmpx_") {
        Some(relation) => find(&VECTOR_BY_NAME, &format!("v_cmp_{relation}")),
        None => find(&VECTOR_BY_NAME, mnemonic),
    }
}

/// The operation of a mnemonic of the vector unit with `clamp`, where its result is of integers: they saturate.
pub fn saturating(mnemonic: &str) -> Option<&'static Operation> {
    find(&SATURATING_BY_NAME, mnemonic)
}

/// The operation of a mnemonic of the scalar unit.
pub fn scalar(mnemonic: &str) -> Option<&'static ScalarOperation> {
    find(&SCALAR_BY_NAME, mnemonic)
}

fn by_name<T>(
    tables: &[&'static [T]],
    name: fn(&T) -> &'static str,
) -> HashMap<&'static str, &'static T> {
    tables.iter().flat_map(|table| table.iter()).map(|one| (name(one), one)).collect()
}

fn find<T>(names: &HashMap<&'static str, &'static T>, mnemonic: &str) -> Option<&'static T> {
    names.get(ALIASES.get(mnemonic).copied().unwrap_or(mnemonic)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        let vector: usize = VECTOR.iter().map(|table| table.len()).sum();
        assert_eq!(vector, VECTOR_BY_NAME.len());
        let saturating: usize = SATURATING.iter().map(|table| table.len()).sum();
        assert_eq!(saturating, SATURATING_BY_NAME.len());
        let scalar: usize = SCALAR.iter().map(|table| table.len()).sum();
        assert_eq!(scalar, SCALAR_BY_NAME.len());
    }

    #[test]
    fn aliases_lead_to_operations() {
        for (alias, name) in SAME {
            assert!(vector(alias).is_some() != scalar(alias).is_some(), "{alias} is {name}");
            assert!(
                !VECTOR_BY_NAME.contains_key(alias) && !SCALAR_BY_NAME.contains_key(alias),
                "{alias}"
            );
        }
    }

    #[test]
    fn what_saturates_is_an_operation_too() {
        for (name, saturating) in SATURATING_BY_NAME.iter() {
            let plain = vector(name).expect("the same name without clamp");
            assert_eq!(
                (plain.sources, plain.result),
                (saturating.sources, saturating.result),
                "{name}"
            );
        }
    }
}
