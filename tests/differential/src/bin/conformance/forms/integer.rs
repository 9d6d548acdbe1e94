//! Integer arithmetic.

use crate::form::{Form, Type};

const FAMILY: &str = "integer";

fn new(body: String, result: Type, operands: &[Type]) -> Form {
    Form::new(FAMILY, &body, result, operands)
}

pub fn forms() -> Vec<Form> {
    let mut forms = Vec::new();
    for bits in [16, 32, 64] {
        let ty = Type::Int(bits);
        for sign in ["u", "s"] {
            let t = format!("{sign}{bits}");
            for op in ["add", "sub", "mul.lo", "mul.hi", "div", "rem", "min", "max"] {
                forms.push(new(format!("{op}.{t} %d, %a, %b;"), ty, &[ty, ty]));
            }
            for op in ["mad.lo", "mad.hi"] {
                forms.push(new(format!("{op}.{t} %d, %a, %b, %c;"), ty, &[ty, ty, ty]));
            }
            if bits < 64 {
                let wide = Type::Int(2 * bits);
                forms.push(new(format!("mul.wide.{t} %d, %a, %b;"), wide, &[ty, ty]));
                forms.push(new(format!("mad.wide.{t} %d, %a, %b, %c;"), wide, &[ty, ty, wide]));
            }
            forms.push(new(format!("sad.{t} %d, %a, %b, %c;"), ty, &[ty, ty, ty]));
            if bits > 16 {
                forms.push(new(format!("bfind.{t} %d, %a;"), Type::Int(32), &[ty]));
                forms.push(new(format!("bfind.shiftamt.{t} %d, %a;"), Type::Int(32), &[ty]));
                forms.push(new(
                    format!("bfe.{t} %d, %a, %b, %c;"),
                    ty,
                    &[ty, Type::Shift, Type::Shift],
                ));
            }
            forms.push(new(format!("shr.{t} %d, %a, %b;"), ty, &[ty, Type::Shift]));
        }
        forms.push(new(format!("abs.s{bits} %d, %a;"), ty, &[ty]));
        forms.push(new(format!("neg.s{bits} %d, %a;"), ty, &[ty]));
        if bits > 16 {
            forms.push(new(format!("popc.b{bits} %d, %a;"), Type::Int(32), &[ty]));
            forms.push(new(format!("clz.b{bits} %d, %a;"), Type::Int(32), &[ty]));
            forms.push(new(format!("brev.b{bits} %d, %a;"), ty, &[ty]));
            forms.push(new(
                format!("bfi.b{bits} %d, %a, %b, %c, %e;"),
                ty,
                &[ty, ty, Type::Shift, Type::Shift],
            ));
            for sign in ["u", "s"] {
                let t = format!("{sign}{bits}");
                forms.push(
                    new(format!("add.cc.{t} %d, %a, %b; addc.{t} %x, %a, %b;"), ty, &[ty, ty])
                        .named(format!("add.cc.{t}+addc"))
                        .second(ty),
                );
                forms.push(
                    new(format!("sub.cc.{t} %d, %a, %b; subc.{t} %x, %a, %b;"), ty, &[ty, ty])
                        .named(format!("sub.cc.{t}+subc"))
                        .second(ty),
                );
                forms.push(
                    new(
                        format!("mad.lo.cc.{t} %d, %a, %b, %c; madc.hi.{t} %x, %a, %b, %c;"),
                        ty,
                        &[ty, ty, ty],
                    )
                    .named(format!("mad.lo.cc.{t}+madc.hi"))
                    .second(ty),
                );
                forms.push(
                    new(
                        format!(
                            "add.cc.{t} %d, %a, %b; addc.cc.{t} %x, %d, %a; addc.{t} %d, %x, 0;"
                        ),
                        ty,
                        &[ty, ty],
                    )
                    .named(format!("addc.cc.{t}"))
                    .second(ty),
                );
            }
        }
    }
    let i32 = Type::Int(32);
    let (i16, i64) = (Type::Int(16), Type::Int(64));
    forms.push(new("add.sat.s32 %d, %a, %b;".into(), i32, &[i32, i32]));
    forms.push(new("sub.sat.s32 %d, %a, %b;".into(), i32, &[i32, i32]));
    forms.push(new("mad.hi.sat.s32 %d, %a, %b, %c;".into(), i32, &[i32, i32, i32]));
    for mode in ["lo", "hi"] {
        for t in ["u32", "s32"] {
            forms.push(new(format!("mul24.{mode}.{t} %d, %a, %b;"), i32, &[i32, i32]));
            forms.push(new(format!("mad24.{mode}.{t} %d, %a, %b, %c;"), i32, &[i32, i32, i32]));
        }
    }
    forms.push(new("mad24.hi.sat.s32 %d, %a, %b, %c;".into(), i32, &[i32, i32, i32]));
    for a in ["u32", "s32"] {
        for b in ["u32", "s32"] {
            forms.push(new(format!("dp4a.{a}.{b} %d, %a, %b, %c;"), i32, &[i32, i32, i32]));
            for mode in ["lo", "hi"] {
                forms.push(new(
                    format!("dp2a.{mode}.{a}.{b} %d, %a, %b, %c;"),
                    i32,
                    &[i32, i32, i32],
                ));
            }
        }
    }
    for t in ["u16x2", "s16x2"] {
        for op in ["add", "min", "max"] {
            forms.push(new(format!("{op}.{t} %d, %a, %b;"), i32, &[i32, i32]));
        }
    }
    forms.push(new("min.relu.s32 %d, %a, %b;".into(), i32, &[i32, i32]));
    forms.push(new("max.relu.s32 %d, %a, %b;".into(), i32, &[i32, i32]));
    for mode in ["clamp", "wrap"] {
        forms.push(new(format!("bmsk.{mode}.b32 %d, %a, %b;"), i32, &[Type::Shift, Type::Shift]));
        for t in ["u32", "s32"] {
            forms.push(new(format!("szext.{mode}.{t} %d, %a, %b;"), i32, &[i32, Type::Shift]));
        }
    }
    forms.push(new("fns.b32 %d, %a, %b, %c;".into(), i32, &[i32, Type::Shift, Type::Shift]));
    for bits in [16, 32, 64] {
        let ty = Type::Int(bits);
        forms.push(new(format!("shl.b{bits} %d, %a, %b;"), ty, &[ty, Type::Shift]));
        forms.push(new(format!("shr.b{bits} %d, %a, %b;"), ty, &[ty, Type::Shift]));
        forms.push(new(format!("cnot.b{bits} %d, %a;"), ty, &[ty]));
    }
    forms.push(new("vabsdiff4.u32.u32.u32.add %d, %a, %b, %c;".into(), i32, &[i32, i32, i32]));
    forms.push(new("mov.b32 %d, {%a, %b};".into(), i32, &[i16, i16]).named("mov.b32{pack}"));
    forms.push(new("mov.b64 %d, {%a, %b};".into(), i64, &[i32, i32]).named("mov.b64{pack}"));
    forms.push(
        new("mov.b64 {%d, %x}, %a;".into(), i32, &[i64]).second(i32).named("mov.b64{unpack}"),
    );
    forms.push(
        new("mov.b32 {%d, %x}, %a;".into(), i16, &[i32]).second(i16).named("mov.b32{unpack}"),
    );
    forms
}
