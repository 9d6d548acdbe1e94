//! Logic, shifts across words, permutations, selection.

use crate::form::{Form, Type};

const FAMILY: &str = "logic";

fn new(body: String, result: Type, operands: &[Type]) -> Form {
    Form::new(FAMILY, &body, result, operands)
}

pub fn forms() -> Vec<Form> {
    let mut forms = Vec::new();
    let i32 = Type::Int(32);
    for bits in [16, 32, 64] {
        let ty = Type::Int(bits);
        for op in ["and", "or", "xor"] {
            forms.push(new(format!("{op}.b{bits} %d, %a, %b;"), ty, &[ty, ty]));
        }
        forms.push(new(format!("not.b{bits} %d, %a;"), ty, &[ty]));
        forms.push(
            new(
                format!("setp.ne.u32 %q, %c, 0; selp.b{bits} %d, %a, %b, %q;"),
                ty,
                &[ty, ty, Type::Flag],
            )
            .named(format!("selp.b{bits}")),
        );
        forms.push(new(format!("slct.u{bits}.s32 %d, %a, %b, %c;"), ty, &[ty, ty, i32]));
        forms.push(new(format!("slct.u{bits}.f32 %d, %a, %b, %c;"), ty, &[ty, ty, Type::F32]));
        forms.push(new(format!("slct.ftz.u{bits}.f32 %d, %a, %b, %c;"), ty, &[ty, ty, Type::F32]));
    }
    for op in ["and", "or", "xor"] {
        forms.push(new(
            format!("setp.ne.u32 %p, %a, 0; setp.ne.u32 %q, %b, 0; {op}.pred %q, %p, %q; selp.u32 %d, 1, 0, %q;"),
            i32,
            &[Type::Flag, Type::Flag],
        ).named(format!("{op}.pred")));
    }
    for lut in (0..256).step_by(5).chain([0x80, 0xfe, 0x96, 0xca, 0xe8, 0x1e, 0x3f]) {
        let form = new(format!("lop3.b32 %d, %a, %b, %c, {lut};"), i32, &[i32, i32, i32]);
        let form = form.named(format!("lop3.b32:{lut:#04x}"));
        if !forms.iter().any(|other: &Form| other.name == form.name) {
            forms.push(form);
        }
    }
    for op in ["shf.l", "shf.r"] {
        for mode in ["clamp", "wrap"] {
            forms.push(new(
                format!("{op}.{mode}.b32 %d, %a, %b, %c;"),
                i32,
                &[i32, i32, Type::Shift],
            ));
        }
    }
    forms.push(new("prmt.b32 %d, %a, %b, %c;".into(), i32, &[i32, i32, i32]));
    for selector in [0x3210, 0x0123, 0x5410, 0x7632, 0x6420, 0x8888, 0xba98, 0x4444, 0x7531] {
        forms.push(
            new(format!("prmt.b32 %d, %a, %b, {selector};"), i32, &[i32, i32])
                .named(format!("prmt.b32:{selector:#x}")),
        );
    }
    for mode in ["f4e", "b4e", "rc8", "ecl", "ecr", "rc16"] {
        forms.push(new(format!("prmt.b32.{mode} %d, %a, %b, %c;"), i32, &[i32, i32, i32]));
    }
    forms
}
