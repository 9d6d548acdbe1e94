//! The cases in which instructions change their ways: operands that are whole words, results at the least normal
//! number, constants beyond the width, vectors of registers, addresses of 32 bits.

use super::constants;
use crate::form::{Form, Type};

const FAMILY: &str = "corners";
const I32: Type = Type::Int(32);
const I64: Type = Type::Int(64);
const SIGNS: [&str; 2] = ["u32", "s32"];

fn form(name: String, body: &str, result: Type, operands: &[Type]) -> Form {
    Form::new(FAMILY, body, result, operands).named(name)
}

pub fn forms() -> Vec<Form> {
    [
        video_words(),
        simd_lanes(),
        tiny_results(),
        tiny_halves(),
        fields(),
        constants::forms(),
        moves(),
    ]
    .concat()
}

/// Fewer cases, so that there can be many forms.
fn word(opcode: &str, operands: &str) -> Form {
    let name = format!("{opcode} {}", operands.replace('%', ""));
    let mut form = form(name, &format!("{opcode} {operands};"), I32, &[I32; 3]);
    form.cases = 128;
    form
}

fn video_words() -> Vec<Form> {
    let mut forms = Vec::new();
    for (d, a, b) in triples(SIGNS) {
        for sat in ["", ".sat"] {
            let types = format!("{d}.{a}.{b}{sat}");
            for scale in ["", ".shr7", ".shr15"] {
                forms.push(word(&format!("vmad.{d}.{a}.{b}.po{sat}{scale}"), "%d, %a, %b, %c"));
                forms.push(word(&format!("vmad.{types}{scale}"), "%d, %a, -%b.h1, %c"));
                forms.push(word(&format!("vmad.{types}{scale}"), "%d, %a.b3, %b, -%c"));
            }
            for op in ["vadd", "vsub", "vabsdiff", "vmin", "vmax"] {
                for second in ["", ".min", ".max"] {
                    forms.push(word(&format!("{op}.{types}{second}"), "%d, %a, %b, %c"));
                }
            }
            for op in ["vshl", "vshr"].into_iter().filter(|_| b == "u32") {
                for second in ["", ".min", ".max"] {
                    forms.push(word(&format!("{op}.{types}.clamp{second}"), "%d, %a, %b, %c"));
                    forms.push(word(&format!("{op}.{types}.wrap{second}"), "%d, %a.h1, %b.b0, %c"));
                }
                for part in ["b1", "h0", "h1"] {
                    forms.push(word(
                        &format!("{op}.{types}.clamp"),
                        &format!("%d.{part}, %a, %b.b1, %c"),
                    ));
                }
            }
        }
    }
    forms
}

/// Lanes of both operands, in any order, and single lanes of the result.
fn simd_lanes() -> Vec<Form> {
    let mut forms = Vec::new();
    for (d, a, b) in triples(SIGNS) {
        for op in ["vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"] {
            for (tail, two, four) in [
                (".sat", "%d.h1, %a.h03, %b.h21, %c", "%d.b20, %a.b7216, %b.b0345, %c"),
                (".add", "%d.h0, %a.h22, %b.h13, %c", "%d.b321, %a.b5500, %b.b1737, %c"),
            ] {
                forms.push(word(&format!("{op}2.{d}.{a}.{b}{tail}"), two));
                forms.push(word(&format!("{op}4.{d}.{a}.{b}{tail}"), four));
            }
        }
    }
    forms
}

/// All choices of three of the same.
fn triples(words: [&'static str; 2]) -> Vec<(&'static str, &'static str, &'static str)> {
    let pairs = words.into_iter().flat_map(|a| words.into_iter().map(move |b| (a, b)));
    pairs.flat_map(|(a, b)| words.into_iter().map(move |c| (a, b, c))).collect()
}

/// Results within some units in the last place of the least normal number.
fn tiny_results() -> Vec<Form> {
    // %a has any mantissa, %i5 is about its reciprocal, both between 1/2 and 2.
    let near = "and.b32 %a, %a, 0x7fffff; or.b32 %a, %a, 0x3f800000; rcp.rn.f32 %i5, %a; \
                and.b32 %c, %c, 7; sub.s32 %i5, %i5, %c; add.s32 %i5, %i5, 3; ";
    // Both divided by 2 to the power of 63.
    let product = format!("{near} sub.u32 %a, %a, 0x1f800000; sub.u32 %i5, %i5, 0x1f800000; ");
    let quotient = format!(
        "{near} rcp.rn.f32 %i5, %i5; sub.u32 %a, %a, 0x1f800000; add.u32 %i5, %i5, 0x1f800000; "
    );
    // A product of some units in the last place, added to the least normal number of the other sign.
    let sum = "and.b32 %a, %a, 0x807fffff; or.b32 %a, %a, 0x1a000000; and.b32 %b, %b, 0x7fffff; and.b32 %c, %c, 7; \
               shl.b32 %c, %c, 23; or.b32 %b, %b, %c; add.u32 %b, %b, 0x1a000000; and.b32 %i5, %a, 0x80000000; \
               xor.b32 %i5, %i5, 0x80800000; ";
    // The least normal double of a float, less up to 33 bits.
    let double = "shr.u64 %t3, %a, 63; shl.b64 %t3, %t3, 63; and.b64 %a, %a, 0x1ffffffff; and.b32 %b, %b, 31; \
                  shr.u64 %a, %a, %b; mov.b64 %t2, 0x3810000000000000; sub.u64 %a, %t2, %a; or.b64 %a, %a, %t3; ";
    let mut forms = Vec::new();
    for rounding in ["rn", "rz", "rm", "rp"] {
        for ftz in ["", ".ftz"] {
            let modes = format!("{rounding}{ftz}");
            for (op, sign) in [("mul", ""), ("mul", "-"), ("div", ""), ("div", "-")] {
                let negate = if sign == "-" { "xor.b32 %a, %a, 0x80000000; " } else { "" };
                let before = if op == "mul" { &product } else { &quotient };
                let body = format!("{before}{negate}{op}.{modes}.f32 %d, %a, %i5;");
                forms.push(form(format!("{op}.{modes}.f32:{sign}tiny"), &body, I32, &[I32; 3]));
            }
            for sign in ["", "-"] {
                let negate = if sign == "-" { "xor.b32 %a, %a, 0x80000000; " } else { "" };
                let body = format!("{product}{negate}fma.{modes}.f32 %d, %a, %i5, 0f00000000;");
                forms.push(form(format!("fma.{modes}.f32:{sign}product"), &body, I32, &[I32; 3]));
            }
            let body = format!("{product} mul.{modes}.sat.f32 %d, %a, %i5;");
            forms.push(form(format!("mul.{modes}.sat.f32:tiny"), &body, I32, &[I32; 3]));
            let body = format!("{sum} fma.{modes}.f32 %d, %a, %b, %i5;");
            forms.push(form(format!("fma.{modes}.f32:tiny"), &body, I32, &[I32; 3]));
            let body = format!("{double} cvt.{modes}.f32.f64 %d, %a;");
            forms.push(form(format!("cvt.{modes}.f32.f64:tiny"), &body, I32, &[I64, I32]));
            let body = format!(
                "and.b32 %c, %c, 0x80000007; add.u32 %a, %c, 0x7e7ffffd; rcp.{modes}.f32 %d, %a;"
            );
            forms.push(form(format!("rcp.{modes}.f32:tiny"), &body, I32, &[I32; 3]));
        }
    }
    forms
}

/// Likewise of halves.
fn tiny_halves() -> Vec<Form> {
    let mut forms = Vec::new();
    for ftz in ["", ".ftz"] {
        for (t, bits, least) in [("f16", 16, "0x8400"), ("f16x2", 32, "0x84008400")] {
            let halves = format!(
                ".reg .b{bits} %l<3>; cvt.u{bits}.u32 %l0, %a; cvt.u{bits}.u32 %l1, %b; mov.b{bits} %l2, {least}; "
            );
            let product = "and.b32 %a, %a, 0x3ff03ff; or.b32 %a, %a, 0x20002000; and.b32 %b, %b, 0x3ff03ff; \
                           or.b32 %b, %b, 0x1c001c00; ";
            let sum = "and.b32 %a, %a, 0x3ff03ff; or.b32 %a, %a, 0x14001400; and.b32 %b, %b, 0x7ff07ff; \
                       or.b32 %b, %b, 0x10001000; ";
            for (op, before, operands) in
                [("mul", product, "%l0, %l1"), ("fma.rn", sum, "%l0, %l1, %l2")]
            {
                let body = format!(
                    "{before}{halves}{op}{ftz}.{t} %l0, {operands}; cvt.u32.u{bits} %d, %l0;"
                );
                forms.push(form(format!("{op}{ftz}.{t}:tiny"), &body, I32, &[I32; 2]));
            }
        }
    }
    forms
}

/// Bit fields that are constants.
fn fields() -> Vec<Form> {
    let mut forms = Vec::new();
    let mut add = |name: String, body: String, ty: Type, operands: &[Type]| {
        let mut form = form(name, &body, ty, operands);
        form.cases = 64;
        forms.push(form);
    };
    for (t, ty) in [("u32", I32), ("s32", I32), ("u64", I64), ("s64", I64)] {
        for first in ["0", "31", "33", "63", "64", "128"] {
            for length in ["0", "1", "33", "255"] {
                let body = format!("bfe.{t} %d, %a, {first}, {length};");
                add(format!("bfe.{t} a:{first},{length}"), body, ty, &[ty]);
            }
            let body = format!("bfe.{t} %d, %a, {first}, %b;");
            add(format!("bfe.{t} a:{first},b"), body, ty, &[ty, Type::Shift]);
            let body = format!("bfe.{t} %d, %a, %b, {first};");
            add(format!("bfe.{t} a:b,{first}"), body, ty, &[ty, Type::Shift]);
        }
        for value in ["5", "-1"] {
            for (first, length) in [("32", "4"), ("28", "8"), ("255", "255"), ("40", "0")] {
                let body = format!("bfe.{t} %d, {value}, {first}, {length};");
                add(format!("bfe.{t} {value}:{first},{length}"), body, ty, &[]);
            }
        }
    }
    for base in ["0", "3", "31", "40"] {
        for offset in ["2", "-2", "33", "-33", "0x80000000", "0x80000001"] {
            let body = format!("fns.b32 %d, %a, {base}, {offset};");
            add(format!("fns.b32 a:{base},{offset}"), body, I32, &[I32]);
        }
    }
    forms
}

/// Vectors of registers as operands of `mov`, and addresses of 32 bits.
fn moves() -> Vec<Form> {
    let whole = "mov.b64 %d, {%v.x, %v.y}; mov.b64 %x, {%v.z, %v.w};";
    let mut forms = Vec::new();
    let mut add = |name: &str, body: &str| {
        forms.push(form(name.to_owned(), body, I64, &[I32, I32]).second(I64));
    };
    for register in [
        "%tid",
        "%ntid",
        "%ctaid",
        "%nctaid",
        "%clusterid",
        "%nclusterid",
        "%cluster_ctaid",
        "%cluster_nctaid",
    ] {
        add(
            &format!("mov.v4.b32 {register}, whole"),
            &format!(".reg .v4 .u32 %v; mov.v4.b32 %v, {register}; {whole}"),
        );
    }
    add(
        "mov.v4.u32 {a, b, c, d}, %ntid",
        ".reg .b32 %v<4>; mov.v4.u32 {%v0, %v1, %v2, %v3}, %ntid; mov.b64 %d, {%v0, %v1}; mov.b64 %x, {%v2, %v3};",
    );
    add(
        "mov.v4.u16 %ntid",
        ".reg .v4 .u16 %v; mov.v4.u16 %v, %ntid; mov.b64 %d, {%v.x, %v.y, %v.z, %v.w};",
    );
    add(
        "mov.v2.u32 v, w",
        ".reg .v2 .u32 %v, %w; mov.u32 %v.x, %a; mov.u32 %v.y, %b; mov.v2.u32 %w, %v; mov.b64 %d, {%w.y, %w.x};",
    );
    add(
        "mov.b64 d, v",
        ".reg .v2 .u32 %v; mov.u32 %v.x, %a; mov.u32 %v.y, %b; mov.b64 %d, %v; mov.b64 %v, %d; mov.b64 %x, {%v.y, %v.x};",
    );
    add(
        "st.local.u8, 32 bits",
        ".local .align 16 .b8 frame[64]; .reg .b32 %j; st.local.v2.u64 [frame], {0, 0}; and.b32 %j, %b, 7; mov.u32 %i6, frame; \
         add.u32 %j, %j, %i6; st.local.u8 [%j+3], %a; ld.local.u64 %d, [%i6]; ld.local.u64 %x, [%i6+8];",
    );
    add(
        "ld.param.u64, 32 bits",
        ".reg .b32 %j; mov.u32 %j, p1; ld.param.u64 %d, [%j+8]; ld.param.u64 %x, [p2]; sub.u64 %d, %d, %x; mov.u64 %x, 0;",
    );
    add(
        "ld.shared.u32, 32 bits",
        "st.shared.u32 [%s+8], %a; add.u32 %i6, %s, 4; ld.shared.u32 %i5, [%i6+4]; cvt.u64.u32 %d, %i5; mov.b64 %x, 0;",
    );
    forms
}
