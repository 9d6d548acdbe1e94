//! Arithmetic that the recording GPU does not have as one instruction: it recorded the instructions that
//! the PTX manual defines each by.

use crate::form::{Form, Type};

const FAMILY: &str = "mixed";
const I64: Type = Type::Int(64);
const F32: Type = Type::F32;

fn new(body: String, result: Type, operands: &[Type], recorded: String) -> Form {
    let mut form = Form::new(FAMILY, &body, result, operands).recorded_as(recorded);
    form.target = ("sm_100", "8.8");
    form
}

pub fn forms() -> Vec<Form> {
    let mut forms = Vec::new();
    for (t, ty) in [("f16", Type::F16), ("bf16", Type::Bf16)] {
        for rounding in ["", ".rn", ".rz", ".rm", ".rp"] {
            for sat in ["", ".sat"] {
                for op in ["add", "sub"] {
                    forms.push(new(
                        format!("{op}{rounding}{sat}.f32.{t} %d, %a, %b;"),
                        F32,
                        &[ty, F32],
                        format!("cvt.f32.{t} %d, %a; {op}{rounding}{sat}.f32 %d, %d, %b;"),
                    ));
                }
                if !rounding.is_empty() {
                    forms.push(new(
                        format!("fma{rounding}{sat}.f32.{t} %d, %a, %b, %c;"),
                        F32,
                        &[ty, ty, F32],
                        format!(
                            ".reg .f32 %f; cvt.f32.{t} %d, %a; cvt.f32.{t} %f, %b; fma{rounding}{sat}.f32 %d, %d, %f, %c;"
                        ),
                    ));
                }
            }
        }
    }
    for rounding in ["", ".rn", ".rz", ".rm", ".rp"] {
        for ftz in ["", ".ftz"] {
            for (op, operands) in [("add", 2), ("sub", 2), ("mul", 2), ("fma", 3)] {
                if op == "fma" && rounding.is_empty() {
                    continue;
                }
                let part = |suffix: &str| {
                    let list: Vec<String> = ["a", "b", "c"][..operands]
                        .iter()
                        .map(|o| format!("%{o}{suffix}"))
                        .collect();
                    format!("{op}{rounding}{ftz}.f32 %d{suffix}, {};", list.join(", "))
                };
                let operand_list = ["%a", "%b", "%c"][..operands].join(", ");
                let mut split = String::from(".reg .f32 %a<2>, %b<2>, %c<2>, %d<2>; ");
                for name in &["a", "b", "c"][..operands] {
                    split += &format!("mov.b64 {{%{name}0, %{name}1}}, %{name}; ");
                }
                forms.push(new(
                    format!("{op}{rounding}{ftz}.f32x2 %d, {operand_list};"),
                    I64,
                    &[Type::F32x2, Type::F32x2, Type::F32x2][..operands],
                    format!("{split} {} {} mov.b64 %d, {{%d0, %d1}};", part("0"), part("1")),
                ));
            }
        }
    }
    for op in ["min", "max"] {
        for ftz in ["", ".ftz"] {
            for nan in ["", ".NaN"] {
                for abs in ["", ".abs"] {
                    let sizes = if abs.is_empty() {
                        String::new()
                    } else {
                        format!("abs{ftz}.f32 %a, %a; abs{ftz}.f32 %b, %b; abs{ftz}.f32 %c, %c; ")
                    };
                    forms.push(
                        new(
                            format!("{op}{ftz}{nan}{abs}.f32 %d, %a, %b, %c;"),
                            F32,
                            &[F32, F32, F32],
                            format!("{sizes}{op}{ftz}{nan}.f32 %d, %a, %b; {op}{ftz}{nan}.f32 %d, %d, %c;"),
                        )
                        .named(format!("{op}{ftz}{nan}{abs}.f32 a,b,c")),
                    );
                    if ftz.is_empty() {
                        // A butterfly over the warp.
                        let size =
                            if abs.is_empty() { "mov.f32 %d, %a;" } else { "abs.f32 %d, %a;" };
                        let mut steps = format!(".reg .f32 %f; {size} ");
                        for lane in [1, 2, 4, 8, 16] {
                            steps += &format!(
                                "shfl.sync.bfly.b32 %f, %d, {lane}, 31, 0xffffffff; {op}{nan}.f32 %d, %d, %f; "
                            );
                        }
                        let mut form = new(
                            format!("redux.sync.{op}{abs}{nan}.f32 %d, %a, 0xffffffff;"),
                            F32,
                            &[F32],
                            steps,
                        );
                        form.target.0 = "sm_100a";
                        forms.push(form);
                    }
                }
            }
        }
    }
    forms
}
