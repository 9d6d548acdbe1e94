//! Operands that fit an instruction.

use ptx_parser::ScalarType;
use ptx_parser::isa::OperandSyntax;

/// The prefix of the registers that hold a type.
pub fn register(type_: ScalarType) -> &'static str {
    use ScalarType::*;
    match type_ {
        Pred => "p",
        F32 => "f",
        F64 => "fd",
        _ => match type_.bits() {
            0..=8 => "bb",
            16 => "h",
            64 => "rd",
            128 => "q",
            _ => "r",
        },
    }
}

fn vector(kind: &str, count: usize) -> String {
    let names: Vec<_> = (0..count).map(|i| format!("%{kind}{i}")).collect();
    format!("{{{}}}", names.join(", "))
}

fn has(words: &[&str], word: &str) -> bool {
    words.contains(&word)
}

/// The number of coordinates of a geometry, those of vectors padded as PTX wants them.
fn coordinates(words: &[&str]) -> usize {
    for (geometry, count) in [
        ("1d", 1),
        ("2d", 2),
        ("3d", 4),
        ("a1d", 2),
        ("a2d", 4),
        ("cube", 4),
        ("acube", 4),
        ("2dms", 4),
        ("a2dms", 4),
    ] {
        if has(words, geometry) {
            return count;
        }
    }
    1
}

fn dimensions(words: &[&str]) -> usize {
    (1..=5).find(|d| has(words, &format!("{d}d"))).unwrap_or(1)
}

fn vector_size(words: &[&str]) -> Option<usize> {
    [("v2", 2), ("v4", 4), ("v8", 8)].into_iter().find(|(w, _)| has(words, w)).map(|(_, n)| n)
}

/// Operands that no type describes.
fn special(instruction: &str, name: &str, words: &[&str]) -> Option<String> {
    let texture = matches!(instruction, "Tex" | "Tld4");
    let surface = matches!(instruction, "Suld" | "Sust" | "Sured");
    Some(match name {
        "imm_lut" => "0x80".into(),
        "ord" => "0".into(),
        "new_val"
            if [
                "elemtype",
                "interleave_layout",
                "swizzle_mode",
                "swizzle_atomicity",
                "fill_mode",
            ]
            .iter()
            .any(|f| has(words, f)) =>
        {
            "1".into()
        }
        "imm_reg_count" => "64".into(),
        "imm_half_splitoff" => "8".into(),
        "initval" => "0".into(),
        "tgt" => "L".into(),
        "tlist" => "BT".into(),
        "cp_size" => "16".into(),
        "n" => "0".into(),
        "size"
            if matches!(
                instruction,
                "TensormapCpFenceproxy" | "Fence" | "Applypriority" | "Discard"
            ) =>
        {
            "128".into()
        }
        "size" if instruction == "Alloca" => "%rd1".into(),
        "imm_align" => "8".into(),
        "size" | "n_cols" | "primary_size" | "total_size" | "idesc" | "sp_meta" => "%r1".into(),
        "fraction" => "0.5".into(),
        "access_property" => "%rd1".into(),
        "src_size" => "%r2".into(),
        "byte_mask" | "cta_mask" => "%h1".into(),
        "scale_d" | "enable_input_d" => "%p1".into(),
        "scale_input_d" => "1".into(),
        "imm_scale_a" | "imm_scale_b" | "imm_trans_a" | "imm_trans_b" => "1".into(),
        "sp_sel" => "0".into(),
        "tensor_map" => "%rd1".into(),
        "tensor_coords"
            if words.iter().any(|w| w.ends_with("gather4") || w.ends_with("scatter4")) =>
        {
            vector("r", 5)
        }
        "tensor_coords" => vector("r", dimensions(words)),
        "im2col_info" if has(words, "im2col") => {
            vector("h", dimensions(words).saturating_sub(2).max(1))
        }
        "im2col_info" => vector("h", 2),
        "a_desc" | "b_desc" | "s_desc" | "zero_column_mask_desc" => "%rd1".into(),
        "disable_output_lane" => vector("r", if has(words, "cta_group::2") { 8 } else { 4 }),
        "taddr" => "%r1".into(),
        "redval" if has(words, "f32") => "%f1".into(),
        "redval" => "%r1".into(),
        "scale_a_data" | "scale_b_data" => "%r1".into(),
        "selector_a" | "selector_b" => "{%h1, %h2}".into(),
        "e" if instruction == "MmaSp" => "%r1".into(),
        "f" if instruction == "MmaSp" => "0".into(),
        "a" if texture || surface || matches!(instruction, "Txq" | "Suq") => "%rd1".into(),
        "b" if texture => "%rd2".into(),
        "b" if surface => match coordinates(words) {
            1 => "%r1".into(),
            n => vector("r", n),
        },
        "c" if texture => {
            let kind = if words.last() == Some(&"s32") { "r" } else { "f" };
            match coordinates(words) {
                // The layer, or the sample.
                n if ["a1d", "a2d", "acube", "2dms", "a2dms"].iter().any(|g| has(words, g)) => {
                    vector(kind, n).replacen(&format!("%{kind}0"), "%r0", 1)
                }
                n => vector(kind, n),
            }
        }
        "d_pdx" | "d_pdy" => match coordinates(words) {
            _ if has(words, "1d") || has(words, "a1d") => vector("f", 1),
            _ if has(words, "2d") || has(words, "a2d") => vector("f", 2),
            n => vector("f", n),
        },
        "lod" if instruction == "Txq" => "%r1".into(),
        "lod" if words.last() == Some(&"s32") => "%r1".into(),
        "lod" => "%f1".into(),
        "e" if texture => match coordinates(words) {
            _ if has(words, "1d") || has(words, "a1d") => vector("r", 1),
            _ if has(words, "2d") || has(words, "a2d") => vector("r", 2),
            n => vector("r", n),
        },
        "f" if texture => "%f1".into(),
        "a" if instruction == "Pmevent" => "1".into(),
        "d" if instruction == "Tex" => {
            let kind = match words.iter().rev().nth(1) {
                Some(&"f32") => "f",
                Some(&"f16") => "h",
                _ => "r",
            };
            vector(kind, vector_size(words)?)
        }
        "d" if instruction == "Tld4" => {
            vector(if words.iter().filter(|w| **w == "f32").count() == 2 { "f" } else { "r" }, 4)
        }
        "c" if instruction == "Sust" && vector_size(words).is_some() => return None,
        _ => return None,
    })
}

/// An operand that fits; `register_number` keeps operands apart.
pub fn operand(
    instruction: &str,
    words: &[&str],
    syntax: &OperandSyntax,
    register_number: usize,
) -> String {
    let one = |index: usize| -> String {
        let name = syntax.names[index];
        if let Some(text) = special(instruction, name, words) {
            return text;
        }
        if let Some(constant) = syntax.constants[index] {
            return constant.to_string();
        }
        let kind = syntax.types[index].map_or("rd", register);
        match syntax.counts[index] {
            Some(count) => vector(kind, count),
            None => format!("%{kind}{}", register_number + index),
        }
    };
    let mut text = if syntax.bracket && syntax.names.len() == 1 {
        match special(instruction, syntax.names[0], words) {
            Some(text) if !matches!(instruction, "Tex" | "Tld4") => format!("[{text}]"),
            _ if syntax.names[0].ends_with("tmem") => "[%r1]".into(),
            _ => "[%rd1]".into(),
        }
    } else {
        let all: Vec<_> = (0..syntax.names.len()).map(one).collect();
        if syntax.bracket { format!("[{}]", all.join(", ")) } else { all.join(", ") }
    };
    if syntax.vector && !text.starts_with('{') {
        text = vector("f", 4);
    }
    text
}
