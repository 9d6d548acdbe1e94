//! atom and red, one location a thread: the old value and the new one.

use crate::form::{Form, Type};

const FAMILY: &str = "atomic";

pub fn forms() -> Vec<Form> {
    let mut forms = Vec::new();
    let operations: &[(&str, &[&str])] = &[
        (
            "add",
            &[
                "u32",
                "s32",
                "u64",
                "f32",
                "f64",
                "noftz.f16",
                "noftz.f16x2",
                "noftz.bf16",
                "noftz.bf16x2",
            ],
        ),
        ("min", &["u32", "s32", "u64", "s64"]),
        ("max", &["u32", "s32", "u64", "s64"]),
        ("inc", &["u32"]),
        ("dec", &["u32"]),
        ("and", &["b32", "b64"]),
        ("or", &["b32", "b64"]),
        ("xor", &["b32", "b64"]),
        ("exch", &["b32", "b64"]),
    ];
    for (space, address) in [("global", "%g"), ("shared", "%s")] {
        for &(operation, types) in operations {
            for &name in types {
                let ty = operand(name);
                let bits = ty.bits();
                for order in ["", ".relaxed.gpu", ".acq_rel.cta"] {
                    let modifiers = format!("{order}.{space}.{operation}.{name}");
                    forms.push(
                        Form::new(
                            FAMILY,
                            &format!(
                                "st.{space}.b{bits} [{address}], %a; atom{modifiers} %d, [{address}], %b; ld.{space}.b{bits} %x, [{address}];"
                            ),
                            ty,
                            &[ty, ty],
                        )
                        .second(ty)
                        .named(format!("atom{modifiers}")),
                    );
                }
                if operation != "exch" {
                    forms.push(
                        Form::new(
                            FAMILY,
                            &format!(
                                "st.{space}.b{bits} [{address}], %a; red.{space}.{operation}.{name} [{address}], %b; ld.{space}.b{bits} %d, [{address}];"
                            ),
                            ty,
                            &[ty, ty],
                        )
                        .named(format!("red.{space}.{operation}.{name}")),
                    );
                }
            }
        }
        for bits in [16, 32, 64] {
            let ty = Type::Int(bits);
            forms.push(
                Form::new(
                    FAMILY,
                    &format!(
                        "st.{space}.b{bits} [{address}], %a; atom.{space}.cas.b{bits} %d, [{address}], %b, %c; ld.{space}.b{bits} %x, [{address}];"
                    ),
                    ty,
                    &[ty, ty, ty],
                )
                .second(ty)
                .named(format!("atom.{space}.cas.b{bits}")),
            );
        }
    }
    forms
}

fn operand(name: &str) -> Type {
    match name.rsplit('.').next().unwrap_or_default() {
        "f16" => Type::F16,
        "bf16" => Type::Bf16,
        "f16x2" => Type::F16x2,
        "bf16x2" => Type::Bf16x2,
        "f32" => Type::F32,
        "f64" => Type::F64,
        name if name.ends_with("64") => Type::Int(64),
        _ => Type::Int(32),
    }
}
