//! All operators of set and setp with a second predicate, and all types of selp and slct.

use crate::form::{Form, Type};

const FAMILY: &str = "select";
const I32: Type = Type::Int(32);
const SIGNED: [&str; 6] = ["eq", "ne", "lt", "le", "gt", "ge"];
const UNSIGNED: [&str; 10] = ["eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"];
const BITS: [&str; 2] = ["eq", "ne"];
const FLOAT: [&str; 14] =
    ["eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"];
const BOOLEAN: [&str; 3] = ["and", "or", "xor"];

/// A type, as instructions and as forms name it, and its comparisons.
struct Compared {
    modifiers: &'static str,
    ty: Type,
    comparisons: &'static [&'static str],
}

fn compared() -> Vec<Compared> {
    let row = |modifiers, ty, comparisons| Compared { modifiers, ty, comparisons };
    vec![
        row("b16", Type::Int(16), &BITS),
        row("b32", I32, &BITS),
        row("b64", Type::Int(64), &BITS),
        row("u16", Type::Int(16), &UNSIGNED),
        row("u32", I32, &UNSIGNED),
        row("u64", Type::Int(64), &UNSIGNED),
        row("s16", Type::Int(16), &SIGNED),
        row("s32", I32, &SIGNED),
        row("s64", Type::Int(64), &SIGNED),
        row("f16", Type::F16, &FLOAT),
        row("ftz.f16", Type::F16, &FLOAT),
        row("bf16", Type::Bf16, &FLOAT),
        row("f32", Type::F32, &FLOAT),
        row("ftz.f32", Type::F32, &FLOAT),
        row("f64", Type::F64, &FLOAT),
        row("f16x2", Type::F16x2, &FLOAT),
        row("ftz.f16x2", Type::F16x2, &FLOAT),
        row("bf16x2", Type::Bf16x2, &FLOAT),
    ]
}

/// `setp` with the predicate `%q` joined in, and both results.
fn setp(forms: &mut Vec<Form>) {
    let mut turn = 0;
    for Compared { modifiers, ty, comparisons } in compared() {
        for comparison in comparisons {
            turn += 1;
            let boolean = BOOLEAN[turn % 3];
            let negate = if turn % 2 == 0 { "!" } else { "" };
            let name = format!("setp.{comparison}.{boolean}.{modifiers}");
            // Of one half there is no second result.
            let results = if let Type::F16 | Type::Bf16 = ty { "%p" } else { "%p|%q" };
            forms.push(
                Form::new(
                    FAMILY,
                    &format!(
                        "setp.ne.u32 %q, %c, 0; {name} {results}, %a, %b, {negate}%q; selp.u32 %d, 1, 0, %p; selp.u32 %x, 1, 0, %q;"
                    ),
                    I32,
                    &[ty, ty, Type::Flag],
                )
                .second(I32)
                .named(format!("{name} d|p,{negate}c")),
            );
        }
    }
}

/// `set` to every type that fits, alone and with a predicate in turn.
fn set(forms: &mut Vec<Form>) {
    let scalar: &[(&str, Type)] = &[
        ("u32", I32),
        ("s32", I32),
        ("f32", Type::F32),
        ("f16", Type::F16),
        ("bf16", Type::Bf16),
        ("u16", Type::Int(16)),
        ("s16", Type::Int(16)),
    ];
    let mut turn = 0;
    for Compared { modifiers, ty, comparisons } in compared() {
        let (ftz, source) = match modifiers.strip_prefix("ftz.") {
            Some(source) => (".ftz", source),
            None => ("", modifiers),
        };
        let results: Vec<(&str, Type)> = match source {
            "f16x2" | "bf16x2" => vec![(source, ty), ("u32", I32), ("s32", I32)],
            "f16" | "bf16" => {
                let integer = scalar.iter().filter(|(_, ty)| matches!(ty, Type::Int(_)));
                integer.copied().chain([(source, ty)]).collect()
            }
            "f64" => scalar[..3].to_vec(),
            _ => scalar[..5].to_vec(),
        };
        for comparison in comparisons {
            for &(to, result) in &results {
                if to == "bf16" && !ftz.is_empty() {
                    continue;
                }
                turn += 1;
                let boolean = BOOLEAN[turn % 3];
                let negate = if turn % 4 < 2 { "!" } else { "" };
                let joined = format!("set.{comparison}.{boolean}{ftz}.{to}.{source}");
                if turn % 2 == 0 || ftz == ".ftz" {
                    let name = format!("set.{comparison}{ftz}.{to}.{source}");
                    forms.push(
                        Form::new(FAMILY, &format!("{name} %d, %a, %b;"), result, &[ty, ty])
                            .named(format!("{name} a,b")),
                    );
                } else {
                    forms.push(
                        Form::new(
                            FAMILY,
                            &format!("setp.ne.u32 %q, %c, 0; {joined} %d, %a, %b, {negate}%q;"),
                            result,
                            &[ty, ty, Type::Flag],
                        )
                        .named(format!("{joined} a,b,{negate}c")),
                    );
                }
            }
        }
    }
}

pub fn forms() -> Vec<Form> {
    let mut forms = Vec::new();
    setp(&mut forms);
    set(&mut forms);
    for (t, ty) in [
        ("b16", Type::Int(16)),
        ("b32", I32),
        ("b64", Type::Int(64)),
        ("s16", Type::Int(16)),
        ("s32", I32),
        ("s64", Type::Int(64)),
        ("f32", Type::F32),
        ("f64", Type::F64),
        ("u16", Type::Int(16)),
        ("u32", I32),
        ("u64", Type::Int(64)),
    ] {
        if !t.starts_with('u') {
            for (selector, of) in [("", I32), (".ftz", Type::F32), ("", Type::F32)] {
                let from = if of == I32 { "s32" } else { "f32" };
                forms.push(Form::new(
                    FAMILY,
                    &format!("slct{selector}.{t}.{from} %d, %a, %b, %c;"),
                    ty,
                    &[ty, ty, of],
                ));
            }
        }
        if !t.starts_with('b') {
            forms.push(
                Form::new(
                    FAMILY,
                    &format!("setp.ne.u32 %q, %c, 0; selp.{t} %d, %a, %b, %q;"),
                    ty,
                    &[ty, ty, Type::Flag],
                )
                .named(format!("selp.{t}")),
            );
        }
    }
    for boolean in ["or", "and"] {
        for table in [0x80_u32, 0x96, 0xca, 0x01, 0xfe] {
            forms.push(
                Form::new(
                    FAMILY,
                    &format!(
                        "setp.ne.u32 %q, %e, 0; lop3.{boolean}.b32 %d|%p, %a, %b, %c, {table}, %q; selp.u32 %x, 1, 0, %p;"
                    ),
                    I32,
                    &[I32, I32, I32, Type::Flag],
                )
                .second(I32)
                .named(format!("lop3.{boolean}.b32:{table:#04x}")),
            );
        }
    }
    forms
}
