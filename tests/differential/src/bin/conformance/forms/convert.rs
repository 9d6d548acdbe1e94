//! cvt.

use crate::form::{Form, Type};

const FAMILY: &str = "convert";

fn new(body: String, result: Type, operands: &[Type]) -> Form {
    Form::new(FAMILY, &body, result, operands)
}

const FLOATS: [(&str, Type); 4] =
    [("f16", Type::F16), ("bf16", Type::Bf16), ("f32", Type::F32), ("f64", Type::F64)];

fn integers() -> Vec<(String, Type)> {
    let mut all = Vec::new();
    for bits in [8, 16, 32, 64] {
        for sign in ["u", "s"] {
            all.push((format!("{sign}{bits}"), Type::Int(bits)));
        }
    }
    all
}

pub fn forms() -> Vec<Form> {
    let mut forms = Vec::new();
    for (to, result) in integers() {
        for (from, operand) in integers() {
            for sat in ["", ".sat"] {
                forms.push(new(format!("cvt{sat}.{to}.{from} %d, %a;"), result, &[operand]));
            }
        }
        for (from, operand) in FLOATS {
            for rounding in ["rni", "rzi", "rmi", "rpi"] {
                for ftz in if from == "f32" { &["", ".ftz"][..] } else { &[""] } {
                    for sat in ["", ".sat"] {
                        forms.push(new(
                            format!("cvt.{rounding}{ftz}{sat}.{to}.{from} %d, %a;"),
                            result,
                            &[operand],
                        ));
                    }
                }
            }
        }
    }
    for (from, operand) in integers() {
        for (to, result) in FLOATS {
            for rounding in ["rn", "rz", "rm", "rp"] {
                for sat in ["", ".sat"] {
                    forms.push(new(
                        format!("cvt.{rounding}{sat}.{to}.{from} %d, %a;"),
                        result,
                        &[operand],
                    ));
                }
            }
        }
    }
    for (from, operand) in FLOATS {
        for (to, result) in FLOATS {
            let narrowing =
                result.bits() < operand.bits() || (to != from && result.bits() == operand.bits());
            let roundings: &[&str] = if to == from {
                &["", ".rni", ".rzi", ".rmi", ".rpi"]
            } else if narrowing {
                &[".rn", ".rz", ".rm", ".rp", ".rna"]
            } else {
                &[""]
            };
            for rounding in roundings {
                for ftz in ["", ".ftz"] {
                    for sat in ["", ".sat", ".relu"] {
                        if sat == ".relu" && ftz == ".ftz" {
                            continue;
                        }
                        let modifiers = if sat == ".relu" {
                            format!("{rounding}.relu")
                        } else {
                            format!("{rounding}{ftz}{sat}")
                        };
                        forms.push(new(
                            format!("cvt{modifiers}.{to}.{from} %d, %a;"),
                            result,
                            &[operand],
                        ));
                    }
                }
            }
        }
    }
    for (to, ty) in [("f16x2", Type::F16x2), ("bf16x2", Type::Bf16x2)] {
        for rounding in ["rn", "rz"] {
            for relu in ["", ".relu"] {
                forms.push(new(
                    format!("cvt.{rounding}{relu}.{to}.f32 %d, %a, %b;"),
                    ty,
                    &[Type::F32, Type::F32],
                ));
            }
        }
    }
    for modifiers in ["rn", "rz", "rna", "rn.relu", "rz.relu"] {
        forms.push(new(format!("cvt.{modifiers}.tf32.f32 %d, %a;"), Type::F32, &[Type::F32]));
    }
    forms
}
