//! f16, bf16 and their pairs.

use crate::form::{Form, Type};

const FAMILY: &str = "half";

fn new(body: String, result: Type, operands: &[Type]) -> Form {
    Form::new(FAMILY, &body, result, operands)
}

pub fn forms() -> Vec<Form> {
    let mut forms = Vec::new();
    for (t, ty) in [("f16", Type::F16), ("f16x2", Type::F16x2)] {
        for ftz in ["", ".ftz"] {
            for sat in ["", ".sat"] {
                for rounding in ["", ".rn"] {
                    for op in ["add", "sub", "mul"] {
                        forms.push(new(
                            format!("{op}{rounding}{ftz}{sat}.{t} %d, %a, %b;"),
                            ty,
                            &[ty, ty],
                        ));
                    }
                }
                forms.push(new(format!("fma.rn{ftz}{sat}.{t} %d, %a, %b, %c;"), ty, &[ty, ty, ty]));
            }
            forms.push(new(format!("fma.rn{ftz}.relu.{t} %d, %a, %b, %c;"), ty, &[ty, ty, ty]));
            for op in ["abs", "neg"] {
                forms.push(new(format!("{op}{ftz}.{t} %d, %a;"), ty, &[ty]));
            }
            for op in ["min", "max"] {
                for nan in ["", ".NaN"] {
                    for sign in ["", ".xorsign.abs"] {
                        forms.push(new(
                            format!("{op}{ftz}{nan}{sign}.{t} %d, %a, %b;"),
                            ty,
                            &[ty, ty],
                        ));
                    }
                }
            }
        }
    }
    for (t, ty) in [("bf16", Type::Bf16), ("bf16x2", Type::Bf16x2)] {
        for op in ["add", "sub", "mul"] {
            forms.push(new(format!("{op}.{t} %d, %a, %b;"), ty, &[ty, ty]));
            forms.push(new(format!("{op}.rn.{t} %d, %a, %b;"), ty, &[ty, ty]));
        }
        forms.push(new(format!("fma.rn.{t} %d, %a, %b, %c;"), ty, &[ty, ty, ty]));
        forms.push(new(format!("fma.rn.relu.{t} %d, %a, %b, %c;"), ty, &[ty, ty, ty]));
        for op in ["abs", "neg"] {
            forms.push(new(format!("{op}.{t} %d, %a;"), ty, &[ty]));
        }
        for op in ["min", "max"] {
            for nan in ["", ".NaN"] {
                for sign in ["", ".xorsign.abs"] {
                    forms.push(new(format!("{op}{nan}{sign}.{t} %d, %a, %b;"), ty, &[ty, ty]));
                }
            }
        }
    }
    forms.push(new("ex2.approx.f16 %d, %a;".into(), Type::F16, &[Type::F16]).within(2, 1e-7));
    forms.push(new("tanh.approx.f16 %d, %a;".into(), Type::F16, &[Type::F16]).within(4, 1e-7));
    forms
}
