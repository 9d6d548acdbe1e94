//! Operands that are constants, with which NVIDIA's assembler computes before the instruction does.

use crate::form::{Form, Type};

const I32: Type = Type::Int(32);
const SHIFTS: [&str; 11] = ["0", "1", "15", "16", "17", "31", "32", "33", "63", "64", "255"];

/// `d = op b` of operands of which some are constants; the name says which.
fn form(opcode: &str, operands: &str, result: Type, registers: &[Type]) -> Form {
    let mut form = Form::new("corners", &format!("{opcode} %d, {operands};"), result, registers)
        .named(format!("{opcode} {}", operands.replace('%', "")));
    form.cases = 64;
    form
}

pub fn forms() -> Vec<Form> {
    [integers(), shifts(), floats(), conversions()].concat()
}

fn integers() -> Vec<Form> {
    let mut forms = Vec::new();
    for (t, ty, least) in [
        ("u16", Type::Int(16), "32768"),
        ("s16", Type::Int(16), "-32768"),
        ("u32", I32, "0x80000000"),
        ("s32", I32, "0x80000000"),
        ("u64", Type::Int(64), "0x8000000000000000"),
        ("s64", Type::Int(64), "0x8000000000000000"),
    ] {
        for op in ["div", "rem"] {
            for divisor in ["0", "1", "3", "-1", "7", least] {
                if divisor == "-1" && t.starts_with('u') {
                    continue;
                }
                forms.push(form(&format!("{op}.{t}"), &format!("%a, {divisor}"), ty, &[ty]));
            }
            forms.push(form(&format!("{op}.{t}"), "5, 0", ty, &[]));
            if t.starts_with('s') {
                forms.push(form(&format!("{op}.{t}"), &format!("{least}, -1"), ty, &[]));
            }
        }
        for factor in ["-1", "3", least] {
            if factor == "-1" && t.starts_with('u') {
                continue;
            }
            forms.push(form(&format!("mul.hi.{t}"), &format!("%a, {factor}"), ty, &[ty]));
        }
    }
    for t in ["u32", "s32"] {
        forms.push(form(&format!("mul24.hi.{t}"), "%a, 0xff800001", I32, &[I32]));
        forms.push(form(&format!("mad24.lo.{t}"), "%a, 0x1800001, 7", I32, &[I32]));
        forms.push(form(&format!("sad.{t}"), "%a, 0x80000000, 1", I32, &[I32]));
        forms.push(form(&format!("dp4a.{t}.s32"), "%a, 0x80ff7f01, 9", I32, &[I32]));
        forms.push(form(&format!("dp2a.hi.s32.{t}"), "%a, 0x80ff7f01, 9", I32, &[I32]));
    }
    for op in ["add.sat.s32", "sub.sat.s32"] {
        for b in ["-1", "0x80000000", "0x7fffffff"] {
            forms.push(form(op, &format!("%a, {b}"), I32, &[I32]));
        }
    }
    for op in ["neg.s32", "abs.s32", "bfind.s32", "bfind.u32", "bfind.shiftamt.s32", "clz.b32"] {
        for a in ["0", "-1", "0x80000000"] {
            forms.push(form(op, a, I32, &[]));
        }
    }
    for selector in ["0xfedc", "0x18f07", "0xffffffff"] {
        forms.push(form("prmt.b32", &format!("%a, %b, {selector}"), I32, &[I32, I32]));
    }
    for op in ["vadd.s32.s32.s32.sat", "vsub.u32.u32.s32.sat", "vabsdiff.u32.s32.u32"] {
        forms.push(form(op, "%a, 0x80000001", I32, &[I32]));
    }
    forms
}

fn shifts() -> Vec<Form> {
    let mut forms = Vec::new();
    for amount in SHIFTS {
        for bits in [16, 32, 64] {
            let ty = Type::Int(bits);
            for op in ["shl.b", "shr.b", "shr.u", "shr.s"] {
                forms.push(form(&format!("{op}{bits}"), &format!("%a, {amount}"), ty, &[ty]));
            }
            forms.push(form(&format!("shr.s{bits}"), &format!("-5, {amount}"), ty, &[]));
        }
        for mode in ["clamp", "wrap"] {
            let operands = format!("%a, {amount}");
            forms.push(form(&format!("szext.{mode}.s32"), &operands, I32, &[I32]));
            forms.push(form(&format!("szext.{mode}.u32"), &operands, I32, &[I32]));
            forms.push(form(&format!("bmsk.{mode}.b32"), &operands, I32, &[Type::Shift]));
            forms.push(form(
                &format!("bmsk.{mode}.b32"),
                &format!("{amount}, %a"),
                I32,
                &[Type::Shift],
            ));
            forms.push(form(&format!("bmsk.{mode}.b32"), &format!("3, {amount}"), I32, &[]));
            for t in ["s32.s32", "u32.u32", "s32.u32", "u32.s32"] {
                forms.push(form(&format!("vshl.{t}.u32.sat.{mode}"), &operands, I32, &[I32]));
                forms.push(form(&format!("vshr.{t}.u32.{mode}"), &operands, I32, &[I32]));
            }
        }
    }
    forms
}

/// Zeros, infinities, NaNs, and a subnormal number.
const SINGLES: [&str; 7] = [
    "0f80000000",
    "0f3f800000",
    "0f7f800000",
    "0fff800000",
    "0f7fc00000",
    "0fff800001",
    "0f00400000",
];

fn floats() -> Vec<Form> {
    let mut forms = Vec::new();
    let f = Type::F32;
    for constant in SINGLES {
        for op in ["add", "sub", "mul", "mul.ftz", "add.sat", "div.rn", "min", "max", "max.NaN"] {
            forms.push(form(&format!("{op}.f32"), &format!("%a, {constant}"), f, &[f]));
        }
        forms.push(form("fma.rn.f32", &format!("%a, {constant}, %b"), f, &[f, f]));
        forms.push(form("fma.rn.ftz.f32", &format!("%a, %b, {constant}"), f, &[f, f]));
        forms.push(form("copysign.f32", &format!("{constant}, %a"), f, &[f]));
        forms.push(form("slct.u32.f32", &format!("%a, %b, {constant}"), I32, &[I32, I32]));
        for op in ["neg", "abs", "neg.ftz", "abs.ftz", "sqrt.rn", "rcp.rn"] {
            forms.push(form(&format!("{op}.f32"), constant, f, &[]));
        }
    }
    forms
}

fn conversions() -> Vec<Form> {
    let mut forms = Vec::new();
    for value in
        ["0f7fffffff", "0f7f800000", "0fff800000", "0fc0200000", "0f5f800000", "0f4f000000"]
    {
        for (t, ty) in [
            ("u8", Type::Int(16)),
            ("s8", Type::Int(16)),
            ("u16", Type::Int(16)),
            ("s16", Type::Int(16)),
            ("u32", I32),
            ("s32", I32),
            ("u64", Type::Int(64)),
            ("s64", Type::Int(64)),
        ] {
            forms.push(form(&format!("cvt.rni.{t}.f32"), value, ty, &[]));
            forms.push(form(&format!("cvt.rzi.sat.{t}.f32"), value, ty, &[]));
        }
        forms.push(form("cvt.rn.f16.f32", value, Type::F16, &[]));
        forms.push(form("cvt.rn.bf16.f32", value, Type::Bf16, &[]));
        forms.push(form("cvt.f64.f32", value, Type::F64, &[]));
        forms.push(form("cvt.rpi.f32.f32", value, Type::F32, &[]));
    }
    for value in ["-1", "300", "-129"] {
        for t in ["u8.s32", "s8.s32", "u16.s32", "u32.s32"] {
            let ty = if t.starts_with("u32") { I32 } else { Type::Int(16) };
            forms.push(form(&format!("cvt.sat.{t}"), value, ty, &[]));
        }
    }
    forms
}
