//! The operations that are not compared, or not exactly, and why. The test fails where a line has become untrue.

use crate::compare::Extra;
use crate::value::{Format, Rounding};

/// Instructions that are no operations on plain values, by the beginning of their names.
pub const NOT_HERE: &[(&str, &str)] = &[
    ("s_alloc_vgpr", "registers are the machine's"),
    ("s_barrier_*", "barriers are the machine's"),
    ("s_get_barrier_state", "barriers are the machine's"),
    ("s_and_saveexec_*", "EXEC is the machine's"),
    ("s_and_not0_*", "EXEC is the machine's"),
    ("s_and_not1_saveexec_*", "EXEC is the machine's"),
    ("s_and_not1_wrexec_*", "EXEC is the machine's"),
    ("s_andn*", "EXEC is the machine's"),
    ("s_nand_saveexec_*", "EXEC is the machine's"),
    ("s_nor_saveexec_*", "EXEC is the machine's"),
    ("s_or_saveexec_*", "EXEC is the machine's"),
    ("s_or_not0_*", "EXEC is the machine's"),
    ("s_or_not1_saveexec_*", "EXEC is the machine's"),
    ("s_orn*", "EXEC is the machine's"),
    ("s_xnor_saveexec_*", "EXEC is the machine's"),
    ("s_xor_saveexec_*", "EXEC is the machine's"),
    ("s_call_b64", "the program counter is the machine's"),
    ("s_cbranch_*", "the program counter is the machine's"),
    ("s_getpc_b64", "the program counter is the machine's"),
    ("s_rfe_b64", "the program counter is the machine's"),
    ("s_setpc_b64", "the program counter is the machine's"),
    ("s_swappc_b64", "the program counter is the machine's"),
    ("s_getreg_b32", "hardware registers are the machine's"),
    ("s_setreg_*", "hardware registers are the machine's"),
    ("s_setvskip", "hardware registers are the machine's"),
    ("s_set_gpr_idx_*", "hardware registers are the machine's"),
    ("s_version", "says nothing"),
    ("s_waitcnt_*", "waits are the machine's"),
    ("s_movrel*", "registers are the machine's"),
    ("v_movrel*", "registers are the machine's"),
    ("v_swap*", "two destinations"),
    ("v_readlane_b32", "lanes are the machine's"),
    ("v_readfirstlane_b32", "lanes are the machine's"),
    ("v_writelane_b32", "lanes are the machine's"),
    ("v_permlane*", "lanes are the machine's"),
    ("v_mfma_*", "reads whole registers of a wave"),
    ("v_smfmac_*", "reads whole registers of a wave"),
    ("v_wmma_*", "reads whole registers of a wave"),
    ("v_swmmac_*", "reads whole registers of a wave"),
    ("v_mqsad_u32_u8", "a result of 128 bits, which no value here has"),
    ("v_cvt_pkaccum_u8_f32", "LLVM has no such instruction"),
    ("v_cvt_scalef32_*", "not emulated: scaled formats of GFX950"),
    (
        "v_cvt_sr_*",
        "not emulated: how bits are added for stochastic rounding is not clear from the text",
    ),
];

/// Operations whose text cannot be followed.
pub const NOT_INTERPRETED: &[(&str, &str)] = &[
    ("v_cvt_off_f32_i4", "its table is not in the text"),
    ("v_trig_preop_f64", "numbers of 1201 bits"),
];

/// Whether operands are left out.
type Skip = fn([u64; 3], Extra) -> bool;

/// The difference that results may have.
pub struct Difference {
    pub names: &'static [&'static str],
    pub skip: Skip,
    pub relative: f64,
    pub absolute: f64,
    pub reason: &'static str,
}

const fn except(names: &'static [&'static str], skip: Skip, reason: &'static str) -> Difference {
    Difference { names, skip, relative: 0.0, absolute: 0.0, reason }
}

pub const DIFFERENT: &[Difference] = &[
    except(
        &[
            "v_rcp_*",
            "v_rsq_*",
            "v_sqrt_*",
            "v_exp_*",
            "v_log_*",
            "v_s_rcp_*",
            "v_s_rsq_*",
            "v_s_sqrt_*",
            "v_s_exp_*",
            "v_s_log_*",
        ],
        |_, extra| extra.rounding != Rounding::NearestEven,
        "the hardware's functions are not rounded by the mode",
    ),
    except(
        &["v_rndne_f16", "s_rndne_f16"],
        |[a, ..], _| rounds_apart(Format::F16, a),
        "rounded exactly to the nearest integer, whereas the sum with a half in the text rounds, and loses signs",
    ),
    except(
        &["v_rndne_f32", "s_rndne_f32"],
        |[a, ..], _| rounds_apart(Format::F32, a),
        "rounded exactly to the nearest integer, whereas the sum with a half in the text rounds, and loses signs",
    ),
    except(
        &["v_rndne_f64"],
        |[a, ..], _| rounds_apart(Format::F64, a),
        "rounded exactly to the nearest integer, whereas the sum with a half in the text rounds, and loses signs",
    ),
    except(
        &["v_fract_f16"],
        |[a, ..], _| is_tiny_negative(Format::F16, a),
        "the result stays below one",
    ),
    except(
        &["v_fract_f32"],
        |[a, ..], _| is_tiny_negative(Format::F32, a),
        "the result stays below one",
    ),
    except(
        &["v_fract_f64"],
        |[a, ..], _| is_tiny_negative(Format::F64, a),
        "the result stays below one",
    ),
    except(
        &["v_frexp_exp_i16_f16"],
        |[a, ..], _| is_small(Format::F16, a),
        "zero has the exponent 0, and subnormal numbers have that of their value",
    ),
    except(
        &["v_frexp_exp_i32_f32"],
        |[a, ..], _| is_small(Format::F32, a),
        "zero has the exponent 0, and subnormal numbers have that of their value",
    ),
    except(
        &["v_frexp_exp_i32_f64"],
        |[a, ..], _| is_small(Format::F64, a),
        "zero has the exponent 0, and subnormal numbers have that of their value",
    ),
    except(
        &["v_log_f32", "v_sqrt_f32", "v_s_log_f32", "v_s_sqrt_f32"],
        |[a, ..], _| is_small(Format::F32, a),
        "the hardware's functions of single precision know no subnormal numbers",
    ),
    except(
        &["v_rcp_f32", "v_rcp_iflag_f32", "v_s_rcp_f32"],
        |[a, ..], _| is_small(Format::F32, a) || Format::F32.decode(a).abs() > 2.0_f64.powi(126),
        "the hardware's functions of single precision know no subnormal numbers",
    ),
    Difference {
        names: &["v_rsq_f32", "v_s_rsq_f32"],
        skip: |[a, ..], _| is_small(Format::F32, a),
        relative: 2.0_f64 / 8388608.0,
        absolute: 0.0,
        reason: "rounded once; the hardware's functions of single precision know no subnormal numbers",
    },
    Difference {
        names: &["v_rsq_f16", "v_s_rsq_f16"],
        skip: |_, _| false,
        relative: 2.0_f64 / 1024.0,
        absolute: 0.0,
        reason: "rounded once",
    },
    Difference {
        names: &["v_sin_f32", "v_cos_f32"],
        skip: |[a, ..], _| Format::F32.decode(a).abs() > 16.0,
        relative: 0.0,
        absolute: 1.0 / 65536.0,
        reason: "the text rounds the angle in radians; out of the hardware's range there is no angle",
    },
    Difference {
        names: &["v_sin_f16", "v_cos_f16"],
        skip: |[a, ..], _| Format::F16.decode(a).abs() > 16.0,
        relative: 0.0,
        absolute: 1.0 / 16.0,
        reason: "the text rounds the angle in radians; out of the hardware's range there is no angle",
    },
    except(
        &["v_div_scale_f32"],
        |[_, b, c], extra| {
            small_quotient(Format::F32, b, c) || extra.rounding != Rounding::NearestEven
        },
        "reciprocals of large denominators are subnormal, and quotients that round to zero are treated as those that \
         do not; what is too large for its scale does not matter, and is not rounded by the mode",
    ),
    except(
        &["v_div_scale_f64"],
        |[_, b, c], _| small_quotient(Format::F64, b, c),
        "denominators whose reciprocal is subnormal are scaled down, and quotients that round to zero are treated as \
         those that do not",
    ),
    except(
        &["v_div_fmas_f32", "v_div_fmas_f64"],
        |_, extra| extra.flag,
        "scaled by as much as div_scale does, and down as well as up: only so are quotients what they must be",
    ),
    except(
        &["v_div_fixup_f16", "v_div_fixup_legacy_f16"],
        |[a, ..], _| !Format::F16.decode(a).is_finite(),
        "a quotient that has become a NaN by overflow is what overflows become: what the text asks for is never true",
    ),
    except(
        &["v_div_fixup_f32"],
        |[a, ..], extra| {
            !Format::F32.decode(a).is_finite()
                || extra.rounding == Rounding::Up
                || extra.rounding == Rounding::Down
        },
        "a quotient that has become a NaN by overflow is what overflows become: what the text asks for is never true; what \
         underflows become is a matter of the mode",
    ),
    except(
        &["v_div_fixup_f64"],
        |[a, ..], _| !Format::F64.decode(a).is_finite(),
        "a quotient that has become a NaN by overflow is what overflows become: what the text asks for is never true",
    ),
    Difference {
        names: &["v_dot2_f32_bf16"],
        skip: |_, extra| extra.rounding != Rounding::NearestEven,
        relative: 2.0_f64 / 8388608.0,
        absolute: 0.0,
        reason: "the generations add in different orders: as in RDNA3",
    },
];

fn is_small(format: Format, bits: u64) -> bool {
    bits & ((1 << (format.width() - 1)) - 1) < 1 << format.fraction()
}

fn is_tiny_negative(format: Format, bits: u64) -> bool {
    (-0.5_f64.powi(format.fraction() as i32)..0.0).contains(&format.decode(bits))
}

/// Whether the sum with a half is not exact, or loses a sign.
fn rounds_apart(format: Format, bits: u64) -> bool {
    let value = format.decode(bits);
    (-0.5..0.5).contains(&value) || value.abs() >= 2.0_f64.powi(format.fraction() as i32 - 1)
}

fn small_quotient(format: Format, denominator: u64, numerator: u64) -> bool {
    let (denominator, numerator) =
        (format.decode(denominator).abs(), format.decode(numerator).abs());
    let smallest = 2.0_f64.powi(1 - format.bias());
    denominator > 1.0 / smallest || numerator / denominator < smallest
}
