//! `mma.sync`, dense and sparse.

use super::fragment::{Fragment, forms_of};
use crate::elements::Element;
use crate::form::{CASES, Form, Type};

/// The registers of a shape, for a type of factors.
struct MmaShape {
    shape: &'static str,
    /// 32-bit registers of `a`, `b` and an f32 or s32 accumulator.
    registers: (usize, usize, usize),
}

const fn shape(shape: &'static str, a: usize, b: usize, c: usize) -> MmaShape {
    MmaShape { shape, registers: (a, b, c) }
}

struct Mma<'s> {
    shape: &'s MmaShape,
    /// Between `mma` and `.sync`, and the words after the layouts, types excepted.
    words: (&'static str, &'static str),
    layouts: (&'static str, &'static str),
    /// d, a, b, c
    types: [&'static str; 4],
    after: &'static str,
    elements: [Element; 3],
    /// Metadata and its selector.
    sparse: Option<(Element, u32)>,
    version: &'static str,
    cases: usize,
}

fn element(ty: &str) -> Element {
    match ty {
        "f16" => Element::F16,
        "bf16" => Element::Bf16,
        "tf32" => Element::Tf32,
        "f32" => Element::F32,
        "f64" => Element::F64,
        "e4m3" => Element::E4m3,
        "e5m2" => Element::E5m2,
        _ => Element::Bits,
    }
}

impl<'s> Mma<'s> {
    fn new(shape: &'s MmaShape, types: [&'static str; 4]) -> Self {
        Self {
            shape,
            words: ("", ""),
            layouts: ("row", "col"),
            types,
            after: "",
            elements: [element(types[1]), element(types[2]), element(types[3])],
            sparse: None,
            version: "8.0",
            cases: 128,
        }
    }

    fn forms(&self, family: &'static str) -> Vec<Form> {
        let [d, a, b, c] = self.types;
        let name = format!(
            "mma{}.sync.aligned.{}.{}.{}{}.{d}.{a}.{b}.{c}{}",
            self.words.0,
            self.shape.shape,
            self.layouts.0,
            self.layouts.1,
            self.words.1,
            self.after
        );
        let (a_count, b_count, c_count) = self.shape.registers;
        let fragment = |name, column, count, ty| match ty {
            "f64" => Fragment::wide(name, column, count),
            "f16" if name == "C" || name == "D" => Fragment::new(name, column, count / 2),
            _ => Fragment::new(name, column, count),
        };
        let fragments = [
            fragment("A", 0, a_count, a),
            fragment("B", 1, b_count, b),
            fragment("C", 2, c_count, c),
        ];
        let result = fragment("D", 3, c_count, d);
        let mut body: String = fragments.iter().map(Fragment::load).collect();
        body.push_str(&result.declare());
        let (metadata, selector) = match self.sparse {
            None => (String::new(), String::new()),
            Some((_, selector)) => {
                body.push_str(&Fragment::new("M", 3, 1).load());
                (format!(", %M0, {selector}"), format!(":{selector}"))
            }
        };
        let lists: Vec<String> = fragments.iter().map(Fragment::list).collect();
        body.push_str(&format!("{name} {}, {}{metadata}; ", result.list(), lists.join(", ")));
        let mut operands: Vec<Type> = self.elements.iter().map(|e| Type::Elements(*e)).collect();
        operands.extend(self.sparse.map(|(element, _)| Type::Elements(element)));
        let name = format!(
            "{name}{selector}{}",
            if self.elements[2] == Element::Extremes { " extremes" } else { "" }
        );
        let mut forms = forms_of(family, &name, &body, result, &operands, 0..result.parts());
        for form in &mut forms {
            form.target.1 = self.version;
            form.cases = self.cases;
        }
        forms
    }
}

const LAYOUTS: [&str; 2] = ["row", "col"];

pub fn forms() -> Vec<Form> {
    let mut forms = Vec::new();
    let mut add = |mma: Mma| forms.extend(mma.forms("mma"));
    let volta = shape("m8n8k4", 2, 2, 8);
    for alayout in LAYOUTS {
        for blayout in LAYOUTS {
            for (d, c) in [("f16", "f16"), ("f32", "f16"), ("f32", "f32")] {
                add(Mma { layouts: (alayout, blayout), ..Mma::new(&volta, [d, "f16", "f16", c]) });
            }
        }
    }
    for s in [shape("m16n8k8", 2, 1, 4), shape("m16n8k16", 4, 2, 4)] {
        for c in ["f16", "f32"] {
            add(Mma { cases: CASES, ..Mma::new(&s, [c, "f16", "f16", c]) });
        }
        add(Mma { cases: CASES, ..Mma::new(&s, ["f32", "bf16", "bf16", "f32"]) });
    }
    for s in [shape("m16n8k4", 2, 1, 4), shape("m16n8k8", 4, 2, 4)] {
        add(Mma { cases: CASES, ..Mma::new(&s, ["f32", "tf32", "tf32", "f32"]) });
    }
    for (s, version) in [(shape("m16n8k32", 4, 2, 4), "8.4"), (shape("m16n8k16", 2, 1, 4), "8.7")] {
        for a in ["e4m3", "e5m2"] {
            for b in ["e4m3", "e5m2"] {
                for (c, version) in [("f16", "8.7"), ("f32", version)] {
                    let cases = if a == b { CASES } else { 128 };
                    add(Mma { version, cases, ..Mma::new(&s, [c, a, b, c]) });
                }
            }
        }
    }
    for s in [
        shape("m8n8k4", 1, 1, 2),
        shape("m16n8k4", 2, 1, 4),
        shape("m16n8k8", 4, 2, 4),
        shape("m16n8k16", 8, 4, 4),
    ] {
        for rounding in ["", ".rn", ".rz", ".rm", ".rp"] {
            let cases = if rounding.is_empty() { 256 } else { 64 };
            add(Mma { words: ("", rounding), cases, ..Mma::new(&s, ["f64"; 4]) });
        }
    }
    let bytes = [shape("m8n8k16", 1, 1, 2), shape("m16n8k16", 2, 1, 4), shape("m16n8k32", 4, 2, 4)];
    let nibbles =
        [shape("m8n8k32", 1, 1, 2), shape("m16n8k32", 2, 1, 4), shape("m16n8k64", 4, 2, 4)];
    for (shapes, types) in [(&bytes, ["s8", "u8"]), (&nibbles, ["s4", "u4"])] {
        for s in shapes {
            for a in types {
                for b in types {
                    add(Mma { cases: 64, ..Mma::new(s, ["s32", a, b, "s32"]) });
                    let elements = [Element::Bits, Element::Bits, Element::Extremes];
                    let saturating = Mma::new(s, ["s32", a, b, "s32"]);
                    add(Mma { words: ("", ".satfinite"), cases: 64, elements, ..saturating });
                }
            }
        }
    }
    for s in [shape("m8n8k128", 1, 1, 2), shape("m16n8k128", 2, 1, 4), shape("m16n8k256", 4, 2, 4)]
    {
        for after in [".xor.popc", ".and.popc"] {
            add(Mma { after, cases: 64, ..Mma::new(&s, ["s32", "b1", "b1", "s32"]) });
        }
    }
    forms
}

/// Forms of `mma.sp`.
pub fn sparse_forms() -> Vec<Form> {
    let mut forms = Vec::new();
    for (words, version) in [((".sp", ""), "8.4"), ((".sp::ordered_metadata", ""), "8.5")] {
        let ordered = version == "8.5";
        let mut add = |mma: Mma, metadata, selectors: u32| {
            for selector in 0..selectors {
                // The second spelling means the same for what these operands hold.
                if ordered && selector > 0 {
                    break;
                }
                let cases = if selector == 0 && !ordered { mma.cases } else { 64 };
                let sparse = Some((metadata, selector));
                forms.extend(
                    Mma { words: (words.0, mma.words.1), sparse, cases, ..mma }.forms("mma_sparse"),
                );
            }
        };
        for (s, selectors) in [(shape("m16n8k16", 2, 2, 4), 4), (shape("m16n8k32", 4, 4, 4), 2)] {
            for (ty, c) in [("f16", "f16"), ("f16", "f32"), ("bf16", "f32")] {
                let mma = Mma { cases: CASES, version, ..Mma::new(&s, [c, ty, ty, c]) };
                add(mma, Element::Pairs, selectors);
            }
        }
        for (s, selectors) in [(shape("m16n8k8", 2, 2, 4), 4), (shape("m16n8k16", 4, 4, 4), 2)] {
            let mma = Mma { cases: CASES, version, ..Mma::new(&s, ["f32", "tf32", "tf32", "f32"]) };
            add(mma, Element::Singles, selectors);
        }
        let s = shape("m16n8k64", 4, 4, 4);
        for a in ["e4m3", "e5m2"] {
            for b in ["e4m3", "e5m2"] {
                // Only later targets accumulate in f16.
                let mma = Mma { cases: 256, version, ..Mma::new(&s, ["f32", a, b, "f32"]) };
                add(mma, Element::Pairs, 1);
            }
        }
        let bytes = [(shape("m16n8k32", 2, 2, 4), 2), (shape("m16n8k64", 4, 4, 4), 1)];
        let nibbles = [(shape("m16n8k64", 2, 2, 4), 2), (shape("m16n8k128", 4, 4, 4), 1)];
        for (shapes, types) in [(&bytes, ["s8", "u8"]), (&nibbles, ["s4", "u4"])] {
            for (s, selectors) in shapes {
                for a in types {
                    for b in types {
                        let mma = Mma { version, cases: 64, ..Mma::new(s, ["s32", a, b, "s32"]) };
                        add(mma, Element::Pairs, *selectors);
                    }
                    let elements = [Element::Bits, Element::Bits, Element::Extremes];
                    let saturating = Mma::new(s, ["s32", a, a, "s32"]);
                    let words = ("", ".satfinite");
                    add(
                        Mma { version, cases: 64, elements, words, ..saturating },
                        Element::Pairs,
                        1,
                    );
                }
            }
        }
    }
    forms
}
