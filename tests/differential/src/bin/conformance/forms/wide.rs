//! Long integers by way of the carry flag, vectors of registers, and the corners of integer arithmetic.

use crate::form::{Form, Type};

const FAMILY: &str = "wide";
const I32: Type = Type::Int(32);
const I64: Type = Type::Int(64);

fn new(body: String, result: Type, operands: &[Type]) -> Form {
    Form::new(FAMILY, &body, result, operands)
}

/// `%x` gets the flag that the instruction leaves.
fn flag(name: &str, t: &str, ty: Type, first: &str, instruction: &str, last: &str) -> Form {
    let operands = [ty, ty, ty];
    new(format!("{first} {instruction} {last}.{t} %x, 0, 0;"), ty, &operands)
        .second(ty)
        .named(format!("{name}.{t}:flag"))
}

fn carries(forms: &mut Vec<Form>) {
    for (t, ty) in [("u32", I32), ("s32", I32), ("u64", I64), ("s64", I64)] {
        let set = format!("add.cc.{t} %d, %c, %a;");
        let borrow = format!("sub.cc.{t} %d, %c, %a;");
        for (name, first, operands, last) in [
            ("add.cc", "", "%a, %b", "addc"),
            ("addc.cc", set.as_str(), "%a, %b", "addc"),
            ("sub.cc", "", "%a, %b", "subc"),
            ("subc.cc", borrow.as_str(), "%a, %b", "subc"),
            ("mad.lo.cc", "", "%a, %b, %c", "addc"),
            ("mad.hi.cc", "", "%a, %b, %c", "addc"),
            ("madc.lo.cc", set.as_str(), "%a, %b, %c", "addc"),
            ("madc.hi.cc", set.as_str(), "%a, %b, %c", "addc"),
        ] {
            forms.push(flag(name, t, ty, first, &format!("{name}.{t} %d, {operands};"), last));
        }
        for name in ["addc", "subc"] {
            let first = if name == "addc" { &set } else { &borrow };
            forms.push(
                new(format!("{first} {name}.{t} %d, %a, %b;"), ty, &[ty, ty, ty])
                    .named(format!("{name}.{t}")),
            );
        }
        for name in ["madc.lo", "madc.hi"] {
            forms.push(
                new(format!("{set} {name}.{t} %d, %a, %b, %c;"), ty, &[ty, ty, ty])
                    .named(format!("{name}.{t}")),
            );
        }
        // The flag that a subtraction leaves, in an addition, and the other way round.
        forms.push(
            new(
                format!("{borrow} addc.{t} %d, %a, %b; {set} subc.{t} %x, %a, %b;"),
                ty,
                &[ty, ty, ty],
            )
            .second(ty)
            .named(format!("sub.cc.{t}+addc")),
        );
    }
}

fn moves(forms: &mut Vec<Form>) {
    let (i8, i16) = (".reg .b8 %y<4>;", Type::Int(16));
    forms.push(
        new(
            format!("{i8} cvt.u8.u16 %y0, %a; cvt.u8.u16 %y1, %b; mov.b16 %d, {{%y0, %y1}};"),
            i16,
            &[i16, i16],
        )
        .named("mov.b16{pack}"),
    );
    forms.push(
        new(
            format!("{i8} mov.b32 {{%y0, %y1, %y2, %y3}}, %a; mov.b32 %d, {{%y2, %y3, %y0, %y1}};"),
            I32,
            &[I32],
        )
        .named("mov.b32{4}"),
    );
    forms.push(
        new("mov.b64 %d, {%a, %b, %c, %e};".into(), I64, &[i16, i16, i16, i16]).named("mov.b64{4}"),
    );
    forms.push(
        new(
            ".reg .b16 %y<4>; mov.b64 {%y0, %y1, %y2, %y3}, %a; mov.b64 %d, {%y3, %y2, %y1, %y0};"
                .into(),
            I64,
            &[I64],
        )
        .named("mov.b64{4}:unpack"),
    );
    forms.push(
        new(
            ".reg .b128 %y; mov.b128 %y, {%a, %b}; mov.b128 {%x, %d}, %y;".into(),
            I64,
            &[I64, I64],
        )
        .second(I64)
        .named("mov.b128"),
    );
    for (t, ty) in
        [("b16", i16), ("b32", I32), ("b64", I64), ("f32", Type::F32), ("f64", Type::F64)]
    {
        forms.push(new(format!("mov.{t} %d, %a;"), ty, &[ty]));
    }
}

pub fn forms() -> Vec<Form> {
    let mut forms = Vec::new();
    carries(&mut forms);
    moves(&mut forms);
    for t in ["u16x2", "s16x2"] {
        for (op, relus) in [("add", &[""][..]), ("min", &["", ".relu"]), ("max", &["", ".relu"])] {
            for relu in relus {
                if relu.is_empty() || t == "s16x2" {
                    forms.push(
                        new(format!("{op}{relu}.{t} %d, %a, %b;"), I32, &[I32, I32])
                            .named(format!("{op}{relu}.{t} a,b")),
                    );
                }
            }
        }
    }
    // Close to a find that succeeds: base and offset in range.
    for (base, offset) in
        [(0, 1), (0, 3), (31, -1), (31, -2), (7, 0), (7, 1), (7, -1), (16, 5), (20, -7)]
    {
        forms.push(
            new(format!("fns.b32 %d, %a, {base}, {offset};"), I32, &[I32])
                .named(format!("fns.b32:{base},{offset}")),
        );
    }
    forms.push(
        new(
            "and.b32 %b, %b, 31; and.b32 %c, %c, 7; sub.s32 %c, %c, 3; fns.b32 %d, %a, %b, %c;"
                .into(),
            I32,
            &[I32, Type::Shift, Type::Shift],
        )
        .named("fns.b32:near"),
    );
    for bits in [32, 64] {
        let ty = Type::Int(bits);
        // Positions and lengths that are constants, as compilers write them.
        for (position, length) in [
            (0, 8),
            (4, 12),
            (bits - 1, 1),
            (bits - 4, 8),
            (0, bits),
            (bits, 4),
            (3, 0),
            (255, 255),
        ] {
            for sign in ["u", "s"] {
                forms.push(
                    new(format!("bfe.{sign}{bits} %d, %a, {position}, {length};"), ty, &[ty])
                        .named(format!("bfe.{sign}{bits}:{position},{length}")),
                );
            }
            forms.push(
                new(format!("bfi.b{bits} %d, %a, %b, {position}, {length};"), ty, &[ty, ty])
                    .named(format!("bfi.b{bits}:{position},{length}")),
            );
        }
    }
    for mode in ["f4e", "b4e", "rc8", "ecl", "ecr", "rc16"] {
        for selector in 0..4 {
            forms.push(
                new(format!("prmt.b32.{mode} %d, %a, %b, {selector};"), I32, &[I32, I32])
                    .named(format!("prmt.b32.{mode}:{selector}")),
            );
        }
    }
    for op in ["shf.l", "shf.r"] {
        for mode in ["clamp", "wrap"] {
            for amount in [0, 1, 31, 32, 33, 64] {
                forms.push(
                    new(format!("{op}.{mode}.b32 %d, %a, %b, {amount};"), I32, &[I32, I32])
                        .named(format!("{op}.{mode}.b32:{amount}")),
                );
            }
        }
    }
    forms
}
