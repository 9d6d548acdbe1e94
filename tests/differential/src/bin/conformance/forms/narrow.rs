//! Conversions to and from types narrower than 16 bits, packing, and the half-precision instructions that
//! only newer GPUs have.

use crate::form::{Form, Type};
use crate::model::{self, Format, Wide};

const FAMILY: &str = "narrow";
const I16: Type = Type::Int(16);
const I32: Type = Type::Int(32);
const F32: Type = Type::F32;

fn new(body: String, result: Type, operands: &[Type]) -> Form {
    Form::new(FAMILY, &body, result, operands)
}

pub fn forms() -> Vec<Form> {
    let mut forms = Vec::new();
    for relu in ["", ".relu"] {
        for t in ["e4m3x2", "e5m2x2"] {
            forms.push(new(
                format!("cvt.rn.satfinite{relu}.{t}.f32 %d, %a, %b;"),
                I16,
                &[F32, F32],
            ));
            forms.push(new(
                format!("cvt.rn.satfinite{relu}.{t}.f16x2 %d, %a;"),
                I16,
                &[Type::F16x2],
            ));
            forms.push(new(format!("cvt.rn{relu}.f16x2.{t} %d, %a;"), Type::F16x2, &[I16]));
        }
        for rounding in ["rn", "rz"] {
            for (t, ty) in [("f16", Type::F16), ("bf16", Type::Bf16), ("tf32", F32)] {
                forms.push(new(
                    format!("cvt.{rounding}{relu}.satfinite.{t}.f32 %d, %a;"),
                    ty,
                    &[F32],
                ));
            }
            for (t, ty) in [("f16x2", Type::F16x2), ("bf16x2", Type::Bf16x2)] {
                forms.push(new(
                    format!("cvt.{rounding}{relu}.satfinite.{t}.f32 %d, %a, %b;"),
                    ty,
                    &[F32, F32],
                ));
            }
        }
    }
    forms.push(new("cvt.rna.satfinite.tf32.f32 %d, %a;".into(), F32, &[F32]));
    for t in ["u16", "s16"] {
        forms.push(new(format!("cvt.pack.sat.{t}.s32 %d, %a, %b;"), I32, &[I32, I32]));
    }
    for t in ["u2", "s2", "u4", "s4", "u8", "s8"] {
        forms.push(new(format!("cvt.pack.sat.{t}.s32.b32 %d, %a, %b, %c;"), I32, &[I32, I32, I32]));
    }
    for (t, ty) in
        [("f16", Type::F16), ("f16x2", Type::F16x2), ("bf16", Type::Bf16), ("bf16x2", Type::Bf16x2)]
    {
        for relu in ["", ".relu"] {
            forms.push(new(format!("fma.rn.oob{relu}.{t} %d, %a, %b, %c;"), ty, &[ty, ty, ty]));
        }
        if t != "f16" {
            // An ulp of f16x2 in the upper half is 2^16 of the word.
            let ftz = if t == "f16x2" { "" } else { ".ftz" };
            forms.push(new(format!("ex2.approx{ftz}.{t} %d, %a;"), ty, &[ty]).within(2, 1e-7));
            forms.push(new(format!("tanh.approx.{t} %d, %a;"), ty, &[ty]).within(4, 1e-7));
        }
    }
    forms.extend(modelled());
    forms
}

/// Forms that need a GPU that did not record: expected values come from [`model`].
fn modelled() -> Vec<Form> {
    let mut forms = Vec::new();
    let small = [("e2m3", Format::E2M3), ("e3m2", Format::E3M2), ("e2m1", Format::E2M1)];
    for relu in ["", ".relu"] {
        let floor = relu == ".relu";
        for (t, format) in small {
            let (result, mov_in, mov_out) = match format {
                // Two of them are a byte, which has to be moved from and to a `.b8` register.
                Format::E2M1 => {
                    (I16, "{ .reg .b8 %n, %z; mov.b16 {%n, %z}, %a; ", "{ .reg .b8 %n; ")
                }
                _ => (I16, "{ ", "{ "),
            };
            let byte = format == Format::E2M1;
            let (d, tail) = if byte { ("%n", " cvt.u16.u8 %d, %n; }") } else { ("%d", " }") };
            forms.push(
                new(
                    format!("{mov_out}cvt.rn.satfinite{relu}.{t}x2.f32 {d}, %a, %b;{tail}"),
                    result,
                    &[F32, F32],
                )
                .named(format!("cvt.rn.satfinite{relu}.{t}x2.f32"))
                .modelled(move |v| model::pair(format, floor, v)),
            );
            let source = if byte { "%n" } else { "%a" };
            forms.push(
                new(
                    format!("{mov_in}cvt.rn{relu}.f16x2.{t}x2 %d, {source}; }}"),
                    Type::F16x2,
                    &[I16],
                )
                .named(format!("cvt.rn{relu}.f16x2.{t}x2"))
                .modelled(move |v| model::to_halves(format, floor, v)),
            );
        }
    }
    for (t, format) in [("f16x2", Wide::Half), ("bf16x2", Wide::Bfloat)] {
        for relu in ["", ".relu"] {
            for saturate in ["", ".satfinite"] {
                let (floor, finite) = (!relu.is_empty(), !saturate.is_empty());
                let name = format!("cvt.rs{relu}{saturate}.{t}.f32");
                forms.push(
                    new(format!("{name} %d, %a, %b, %c;"), I32, &[F32, F32, I32])
                        .modelled(move |v| model::stochastic(format, floor, finite, v)),
                );
            }
        }
    }
    // Subnormal halves.
    forms.push(
        new(
            "mul.f32 %a, %a, 0f37800000; mul.f32 %b, %b, 0f35800000; cvt.rs.f16x2.f32 %d, %a, %b, %c;"
                .into(),
            I32,
            &[F32, F32, I32],
        )
        .named("cvt.rs.f16x2.f32:small")
        .modelled(|v| {
            let scaled = |bits: u64, power: i32| {
                u64::from((f32::from_bits(bits as u32) * 2f32.powi(power)).to_bits())
            };
            model::stochastic(Wide::Half, false, false, &[scaled(v[0], -16), scaled(v[1], -20), v[2]])
        }),
    );
    for (rounding, up) in [("rz", false), ("rp", true)] {
        for saturate in ["", ".satfinite"] {
            let finite = !saturate.is_empty();
            forms.push(
                new(format!("cvt.{rounding}{saturate}.ue8m0x2.f32 %d, %a, %b;"), I16, &[F32, F32])
                    .modelled(move |v| model::exponents(up, finite, v[0] as u32, v[1] as u32)),
            );
            forms.push(
                new(
                    format!("cvt.{rounding}{saturate}.ue8m0x2.bf16x2 %d, %a;"),
                    I16,
                    &[Type::Bf16x2],
                )
                .modelled(move |v| {
                    let (high, low) = (v[0] as u32 & 0xffff_0000, (v[0] as u32) << 16);
                    model::exponents(up, finite, high, low)
                }),
            );
        }
    }
    forms.push(
        new("cvt.rn.bf16x2.ue8m0x2 %d, %a;".into(), Type::Bf16x2, &[I16]).modelled(model::powers),
    );
    forms
}
