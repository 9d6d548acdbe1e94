//! `wmma`: loads, stores, and products of loaded fragments.

use super::fragment::{Fragment, forms_of};
use crate::elements::Element;
use crate::form::{Form, Type};

const FAMILY: &str = "wmma";

/// A shape with a type of factors.
struct Kind {
    shape: &'static str,
    mnk: (usize, usize, usize),
    ty: &'static str,
    element: Element,
    /// Registers of `a` and `b`.
    factors: (usize, usize),
    /// Types of the accumulators, with their elements and registers.
    accumulators: &'static [(&'static str, Element, usize)],
    /// Whether `a` is in rows and `b` in columns always.
    fixed: bool,
    /// Bits of an element.
    bits: usize,
}

const HALVES: &[(&str, Element, usize)] = &[("f16", Element::F16, 4), ("f32", Element::F32, 8)];
const FLOATS: &[(&str, Element, usize)] = &[("f32", Element::F32, 8)];
const WORDS: &[(&str, Element, usize)] = &[("s32", Element::Bits, 8)];
const FEW_WORDS: &[(&str, Element, usize)] = &[("s32", Element::Bits, 2)];

fn kinds() -> Vec<Kind> {
    let mut kinds = Vec::new();
    let shapes =
        [("m16n16k16", (16, 16, 16)), ("m8n32k16", (8, 32, 16)), ("m32n8k16", (32, 8, 16))];
    for (shape, mnk) in shapes {
        let (m, n, _) = mnk;
        let kind = |ty, element, factors, accumulators, bits| Kind {
            shape,
            mnk,
            ty,
            element,
            factors,
            accumulators,
            fixed: false,
            bits,
        };
        kinds.push(kind("f16", Element::F16, (8, 8), HALVES, 16));
        kinds.push(kind("bf16", Element::Bf16, (m / 4, n / 4), FLOATS, 16));
        kinds.push(kind("s8", Element::Bits, (m / 8, n / 8), WORDS, 8));
        kinds.push(kind("u8", Element::Bits, (m / 8, n / 8), WORDS, 8));
    }
    let kind = |shape, mnk, ty, element, factors, accumulators, fixed, bits| Kind {
        shape,
        mnk,
        ty,
        element,
        factors,
        accumulators,
        fixed,
        bits,
    };
    kinds.push(kind("m16n16k8", (16, 16, 8), "tf32", Element::Tf32, (4, 4), FLOATS, false, 32));
    const DOUBLES: &[(&str, Element, usize)] = &[("f64", Element::F64, 2)];
    kinds.push(kind("m8n8k4", (8, 8, 4), "f64", Element::F64, (1, 1), DOUBLES, false, 64));
    for ty in ["s4", "u4"] {
        kinds.push(kind("m8n8k32", (8, 8, 32), ty, Element::Bits, (1, 1), FEW_WORDS, true, 4));
    }
    kinds.push(kind("m8n8k128", (8, 8, 128), "b1", Element::Bits, (1, 1), FEW_WORDS, true, 1));
    kinds
}

fn fragment(name: &'static str, column: usize, registers: usize, ty: &str) -> Fragment {
    if ty == "f64" {
        Fragment::wide(name, column, registers)
    } else {
        Fragment::new(name, column, registers)
    }
}

/// The address of a matrix in a column, which differs between warps: `%<name>P`.
fn place(name: &str, column: usize) -> String {
    format!(
        ".reg .b64 %{name}P; {{ .reg .b32 %n; ld.param.u64 %{name}P, [p{column}]; cvta.to.global.u64 %{name}P, %{name}P; \
         shr.u32 %n, %i3, 5; and.b32 %n, %n, 3; mad.wide.u32 %{name}P, %n, 256, %{name}P; }} "
    )
}

fn load(matrix: &str, layout: &str, kind: &Kind, ty: &str, to: Fragment, stride: usize) -> String {
    format!(
        "{}{}wmma.load.{matrix}.sync.aligned.{layout}.{}.global.{ty} {}, [%{}P], {stride}; ",
        place(to.name, to.column),
        to.declare(),
        kind.shape,
        to.list(),
        to.name
    )
}

/// The least stride of a matrix.
fn tight(kind: &Kind, matrix: &str, layout: &str) -> usize {
    let (m, n, k) = kind.mnk;
    match (matrix, layout) {
        ("a", "row") | ("b", "col") => k,
        ("a", _) => m,
        ("b", _) | ("c", "row") => n,
        _ => m,
    }
}

pub fn forms() -> Vec<Form> {
    let mut forms = Vec::new();
    for kind in &kinds() {
        let layouts: &[(&str, &str)] = if kind.fixed {
            &[("row", "col")]
        } else {
            &[("row", "row"), ("row", "col"), ("col", "row"), ("col", "col")]
        };
        forms.extend(load_forms(kind));
        forms.extend(store_forms(kind));
        for (alayout, blayout) in layouts {
            for (d, ..) in kind.accumulators {
                for c in kind.accumulators {
                    forms.extend(mma_forms(kind, alayout, blayout, d, c));
                }
            }
        }
    }
    for form in &mut forms {
        form.cases = 64;
    }
    forms
}

fn load_forms(kind: &Kind) -> Vec<Form> {
    let mut forms = Vec::new();
    let factors = [("a", kind.factors.0), ("b", kind.factors.1)];
    for (matrix, registers) in factors {
        for layout in ["row", "col"] {
            if kind.fixed && (matrix == "a") != (layout == "row") {
                continue;
            }
            let result = fragment("D", 0, registers, kind.ty);
            let stride = tight(kind, matrix, layout) + (128 / kind.bits);
            let body = load(matrix, layout, kind, kind.ty, result, stride);
            let name =
                format!("wmma.load.{matrix}.sync.aligned.{layout}.{}.{}", kind.shape, kind.ty);
            let operands = [Type::Elements(Element::Bits)];
            forms.extend(forms_of(FAMILY, &name, &body, result, &operands, 0..result.parts()));
        }
    }
    // The accumulators of bf16 and u8 are those of f16 and s8.
    if kind.ty == "bf16" || kind.ty == "u8" || kind.ty == "u4" {
        return forms;
    }
    for (ty, _, registers) in kind.accumulators {
        for layout in ["row", "col"] {
            let result = fragment("D", 0, *registers, ty);
            let stride = tight(kind, "c", layout) + 8;
            let body = load("c", layout, kind, ty, result, stride);
            let name = format!("wmma.load.c.sync.aligned.{layout}.{}.{ty}", kind.shape);
            let operands = [Type::Elements(Element::Bits)];
            forms.extend(forms_of(FAMILY, &name, &body, result, &operands, 0..result.parts()));
        }
    }
    forms
}

/// Stores to shared memory, and reads back 16 bytes a thread.
fn store_forms(kind: &Kind) -> Vec<Form> {
    let mut forms = Vec::new();
    if kind.ty == "bf16" || kind.ty == "u8" || kind.ty == "u4" {
        return forms;
    }
    for (ty, _, registers) in kind.accumulators {
        for layout in ["row", "col"] {
            let source = fragment("S", 0, *registers, ty);
            let stride = tight(kind, "c", layout) + 8;
            let name = format!("wmma.store.d.sync.aligned.{layout}.{}.{ty}", kind.shape);
            let body = format!(
                "{} .reg .b32 %base, %n; shr.u32 %n, %i2, 5; mad.lo.u32 %base, %n, 4096, %i4; mad.lo.u32 %s, %lane, 64, %base; \
                 {} bar.warp.sync -1; \
                 wmma.store.d.sync.aligned.{layout}.{}.shared.{ty} [%base], {}, {stride}; bar.warp.sync -1; \
                 {{ .reg .b64 %v; {} mov.b64 %d, 0; mov.b64 %x, 0; {} }}",
                source.load(),
                (0..8).map(|i| format!("st.shared.b64 [%s+{}], 0; ", 8 * i)).collect::<String>(),
                kind.shape,
                source.list(),
                "mov.b64 %v, 0;",
                // Every byte counts, at its own place.
                (0..8)
                    .map(|i| {
                        let to = if i % 2 == 0 { "%d" } else { "%x" };
                        format!("ld.shared.b64 %v, [%s+{}]; mul.lo.u64 {to}, {to}, 0x9e3779b97f4a7c15; xor.b64 {to}, {to}, %v; ", 8 * i)
                    })
                    .collect::<String>()
            );
            let mut form =
                Form::new(FAMILY, &body, Type::Int(64), &[Type::Elements(Element::Bits)])
                    .second(Type::Int(64))
                    .named(name);
            form.shared = 2 * 4096;
            forms.push(form);
        }
    }
    forms
}

fn mma_forms(
    kind: &Kind,
    alayout: &str,
    blayout: &str,
    d: &str,
    c: &(&'static str, Element, usize),
) -> Vec<Form> {
    let mut forms = Vec::new();
    let (c, c_element, c_registers) = *c;
    let d_registers =
        kind.accumulators.iter().find(|(ty, ..)| *ty == d).map_or(0, |(.., registers)| *registers);
    let a = fragment("A", 0, kind.factors.0, kind.ty);
    let b = fragment("B", 1, kind.factors.1, kind.ty);
    let c_fragment = fragment("C", 2, c_registers, c);
    let result = fragment("D", 3, d_registers, d);
    let mut loads = load("a", alayout, kind, kind.ty, a, tight(kind, "a", alayout));
    loads += &load("b", blayout, kind, kind.ty, b, tight(kind, "b", blayout));
    loads += &load("c", "row", kind, c, c_fragment, tight(kind, "c", "row"));
    loads += &result.declare();
    let head = |op: &str| format!("wmma.mma{op}.sync.aligned.{alayout}.{blayout}.{}", kind.shape);
    let ty = kind.ty;
    let names: Vec<String> = match ty {
        "f16" => vec![format!("{}.{d}.{c}", head(""))],
        "b1" => [".xor.popc", ".and.popc"].map(|op| format!("{}.s32.b1.b1.s32", head(op))).into(),
        "s8" | "u8" | "s4" | "u4" => {
            ["", ".satfinite"].map(|sat| format!("{}.s32.{ty}.{ty}.s32{sat}", head(""))).into()
        }
        "f64" => ["", ".rz", ".rp"].map(|rnd| format!("{}{rnd}.f64.f64.f64.f64", head(""))).into(),
        _ => vec![format!("{}.{d}.{ty}.{ty}.{c}", head(""))],
    };
    for name in names {
        let body = format!(
            "{loads}{name} {}, {}, {}, {}; ",
            result.list(),
            a.list(),
            b.list(),
            c_fragment.list()
        );
        let c_element = if name.ends_with("satfinite") { Element::Extremes } else { c_element };
        let operands = [kind.element, kind.element, c_element].map(Type::Elements);
        forms.extend(forms_of(FAMILY, &name, &body, result, &operands, 0..result.parts()));
    }
    forms
}
