//! setp and set.

use crate::form::{Form, Type};

const FAMILY: &str = "compare";
const INTEGER: [&str; 6] = ["eq", "ne", "lt", "le", "gt", "ge"];
const UNSIGNED: [&str; 4] = ["lo", "ls", "hi", "hs"];
const FLOAT: [&str; 14] =
    ["eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"];

fn setp(forms: &mut Vec<Form>, modifiers: &str, ty: Type) {
    let i32 = Type::Int(32);
    forms.push(
        Form::new(
            FAMILY,
            &format!("setp.{modifiers} %q, %a, %b; selp.u32 %d, 1, 0, %q;"),
            i32,
            &[ty, ty],
        )
        .named(format!("setp.{modifiers}")),
    );
}

pub fn forms() -> Vec<Form> {
    let mut forms = Vec::new();
    let i32 = Type::Int(32);
    for bits in [16, 32, 64] {
        let ty = Type::Int(bits);
        for comparison in INTEGER {
            setp(&mut forms, &format!("{comparison}.u{bits}"), ty);
            setp(&mut forms, &format!("{comparison}.s{bits}"), ty);
        }
        for comparison in UNSIGNED {
            setp(&mut forms, &format!("{comparison}.u{bits}"), ty);
        }
        for comparison in ["eq", "ne"] {
            setp(&mut forms, &format!("{comparison}.b{bits}"), ty);
        }
    }
    for comparison in FLOAT {
        setp(&mut forms, &format!("{comparison}.f32"), Type::F32);
        setp(&mut forms, &format!("{comparison}.ftz.f32"), Type::F32);
        setp(&mut forms, &format!("{comparison}.f64"), Type::F64);
        setp(&mut forms, &format!("{comparison}.f16"), Type::F16);
        setp(&mut forms, &format!("{comparison}.ftz.f16"), Type::F16);
        setp(&mut forms, &format!("{comparison}.bf16"), Type::Bf16);
        for (result, ty) in [("u32", i32), ("s32", i32), ("f32", Type::F32)] {
            for (source, operand) in [("f32", Type::F32), ("f64", Type::F64)] {
                forms.push(Form::new(
                    FAMILY,
                    &format!("set.{comparison}.{result}.{source} %d, %a, %b;"),
                    ty,
                    &[operand, operand],
                ));
            }
        }
        forms.push(Form::new(
            FAMILY,
            &format!("set.{comparison}.f16x2.f16x2 %d, %a, %b;"),
            Type::F16x2,
            &[Type::F16x2, Type::F16x2],
        ));
        forms.push(
            Form::new(
                FAMILY,
                &format!("setp.{comparison}.f16x2 %p|%q, %a, %b; selp.u32 %d, 1, 0, %p; selp.u32 %x, 1, 0, %q;"),
                i32,
                &[Type::F16x2, Type::F16x2],
            )
            .second(i32)
            .named(format!("setp.{comparison}.f16x2")),
        );
    }
    for comparison in INTEGER {
        for (result, ty) in [("u32", i32), ("s32", i32), ("f32", Type::F32)] {
            for source in ["u32", "s32"] {
                forms.push(Form::new(
                    FAMILY,
                    &format!("set.{comparison}.{result}.{source} %d, %a, %b;"),
                    ty,
                    &[i32, i32],
                ));
            }
        }
    }
    for boolean in ["and", "or", "xor"] {
        for negate in ["", "!"] {
            forms.push(
                Form::new(
                    FAMILY,
                    &format!(
                        "setp.ne.u32 %q, %c, 0; setp.lt.{boolean}.s32 %p|%q, %a, %b, {negate}%q; selp.u32 %d, 1, 0, %p; selp.u32 %x, 1, 0, %q;"
                    ),
                    i32,
                    &[i32, i32, Type::Flag],
                )
                .second(i32)
                .named(format!("setp.lt.{boolean}.s32 p|q,{negate}c")),
            );
        }
        forms.push(
            Form::new(
                FAMILY,
                &format!("setp.ne.u32 %q, %c, 0; set.gt.{boolean}.u32.f32 %d, %a, %b, %q;"),
                i32,
                &[Type::F32, Type::F32, Type::Flag],
            )
            .named(format!("set.gt.{boolean}.u32.f32")),
        );
    }
    forms
}
