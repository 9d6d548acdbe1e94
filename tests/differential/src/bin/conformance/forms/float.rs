//! Single and double precision.

use crate::form::{Form, Type};

const FAMILY: &str = "float";

fn new(body: String, result: Type, operands: &[Type]) -> Form {
    Form::new(FAMILY, &body, result, operands)
}

pub fn forms() -> Vec<Form> {
    let mut forms = Vec::new();
    let (f, d) = (Type::F32, Type::F64);
    for rounding in ["", ".rn", ".rz", ".rm", ".rp"] {
        for ftz in ["", ".ftz"] {
            for sat in ["", ".sat"] {
                for op in ["add", "sub", "mul"] {
                    forms.push(new(
                        format!("{op}{rounding}{ftz}{sat}.f32 %d, %a, %b;"),
                        f,
                        &[f, f],
                    ));
                }
                if !rounding.is_empty() {
                    forms.push(new(
                        format!("fma{rounding}{ftz}{sat}.f32 %d, %a, %b, %c;"),
                        f,
                        &[f, f, f],
                    ));
                    forms.push(new(
                        format!("mad{rounding}{ftz}{sat}.f32 %d, %a, %b, %c;"),
                        f,
                        &[f, f, f],
                    ));
                }
            }
            if !rounding.is_empty() {
                forms.push(new(format!("div{rounding}{ftz}.f32 %d, %a, %b;"), f, &[f, f]));
                forms.push(new(format!("rcp{rounding}{ftz}.f32 %d, %a;"), f, &[f]));
                forms.push(new(format!("sqrt{rounding}{ftz}.f32 %d, %a;"), f, &[f]));
            }
        }
        for op in ["add", "sub", "mul"] {
            forms.push(new(format!("{op}{rounding}.f64 %d, %a, %b;"), d, &[d, d]));
        }
        if !rounding.is_empty() {
            forms.push(new(format!("fma{rounding}.f64 %d, %a, %b, %c;"), d, &[d, d, d]));
            forms.push(new(format!("mad{rounding}.f64 %d, %a, %b, %c;"), d, &[d, d, d]));
            forms.push(new(format!("div{rounding}.f64 %d, %a, %b;"), d, &[d, d]));
            forms.push(new(format!("rcp{rounding}.f64 %d, %a;"), d, &[d]));
            forms.push(new(format!("sqrt{rounding}.f64 %d, %a;"), d, &[d]));
        }
    }
    for op in ["min", "max"] {
        for ftz in ["", ".ftz"] {
            for nan in ["", ".NaN"] {
                for sign in ["", ".xorsign.abs"] {
                    forms.push(new(format!("{op}{ftz}{nan}{sign}.f32 %d, %a, %b;"), f, &[f, f]));
                }
            }
        }
        forms.push(new(format!("{op}.f64 %d, %a, %b;"), d, &[d, d]));
    }
    for op in ["abs", "neg"] {
        forms.push(new(format!("{op}.f32 %d, %a;"), f, &[f]));
        forms.push(new(format!("{op}.ftz.f32 %d, %a;"), f, &[f]));
        forms.push(new(format!("{op}.f64 %d, %a;"), d, &[d]));
    }
    forms.push(new("copysign.f32 %d, %a, %b;".into(), f, &[f, f]));
    forms.push(new("copysign.f64 %d, %a, %b;".into(), d, &[d, d]));
    for test in ["finite", "infinite", "number", "notanumber", "normal", "subnormal"] {
        for (t, ty) in [("f32", f), ("f64", d)] {
            forms.push(
                new(
                    format!("testp.{test}.{t} %q, %a; selp.u32 %d, 1, 0, %q;"),
                    Type::Int(32),
                    &[ty],
                )
                .named(format!("testp.{test}.{t}")),
            );
        }
    }
    // Bounds of the PTX manual, doubled, since the recorded value may err to the other side.
    for ftz in ["", ".ftz"] {
        forms.push(new(format!("div.approx{ftz}.f32 %d, %a, %b;"), f, &[f, f]).within(4, 1.2e-38));
        forms.push(new(format!("div.full{ftz}.f32 %d, %a, %b;"), f, &[f, f]).within(4, 1.2e-38));
        forms.push(new(format!("rcp.approx{ftz}.f32 %d, %a;"), f, &[f]).within(2, 0.0));
        forms.push(new(format!("sqrt.approx{ftz}.f32 %d, %a;"), f, &[f]).within(8, 0.0));
        forms.push(new(format!("rsqrt.approx{ftz}.f32 %d, %a;"), f, &[f]).within(4, 0.0));
        forms.push(new(format!("ex2.approx{ftz}.f32 %d, %a;"), f, &[f]).within(4, 1e-38));
        forms.push(new(format!("lg2.approx{ftz}.f32 %d, %a;"), f, &[f]).within(4, 4.8e-7));
        forms.push(
            new(format!("sin.approx{ftz}.f32 %d, %a;"), f, &[Type::Flag])
                .named(format!("sin.approx{ftz}.f32:small")),
        );
        forms.push(
            new(format!("cos.approx{ftz}.f32 %d, %a;"), f, &[Type::Flag])
                .named(format!("cos.approx{ftz}.f32:small"))
                .within(0, 1e-6),
        );
        for op in ["sin", "cos"] {
            // The bound holds within [-pi, pi]; the operand is scaled into it.
            forms.push(
                new(
                    format!("cvt.rn.f32.s32 %d, %a; mul.f32 %d, %d, 0f30C90FDB; {op}.approx{ftz}.f32 %d, %d;"),
                    f,
                    &[Type::Int(32)],
                )
                .named(format!("{op}.approx{ftz}.f32"))
                .within(0, 2.0 * 5.9605e-7),
            );
        }
    }
    forms.push(new("tanh.approx.f32 %d, %a;".into(), f, &[f]).within(1 << 14, 1e-7));
    forms.push(new("rcp.approx.ftz.f64 %d, %a;".into(), d, &[d]).within(1 << 33, 0.0));
    forms.push(new("rsqrt.approx.ftz.f64 %d, %a;".into(), d, &[d]).within(1 << 33, 0.0));
    forms
}
