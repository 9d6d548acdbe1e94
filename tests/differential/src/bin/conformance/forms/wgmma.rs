//! `wgmma.mma_async`: factors in shared memory, by descriptors, and in registers.

use super::fragment::{Fragment, forms_of};
use crate::elements::Element;
use crate::form::{Form, Type};

const FAMILY: &str = "wgmma";
/// The offset of `b` in shared memory, in bytes.
const B_OFFSET: usize = 16 * 1024;

/// The layout of a matrix in shared memory: the swizzle's code, and the byte offsets of a descriptor.
#[derive(Clone, Copy)]
struct SharedLayout {
    swizzle: u64,
    leading: u64,
    stride: u64,
    transposed: bool,
    /// Bytes from the start of the matrix's own memory.
    offset: usize,
}

impl SharedLayout {
    const fn new(swizzle: u64, leading: u64, stride: u64) -> Self {
        Self { swizzle, leading, stride, transposed: false, offset: 0 }
    }

    const fn transposed(self) -> Self {
        Self { transposed: true, ..self }
    }

    const fn at(self, offset: usize) -> Self {
        Self { offset, ..self }
    }

    fn label(&self) -> String {
        let swizzle = ["none", "128B", "64B", "32B"][self.swizzle as usize];
        let trans = if self.transposed { " trans" } else { "" };
        format!("{swizzle} {} {}{trans} +{}", self.leading, self.stride, self.offset)
    }

    /// `%<name>`: the descriptor of what lies from `start` on.
    fn descriptor(&self, name: &str, start: usize) -> String {
        let high = self.swizzle << 62 | (self.stride >> 4) << 32 | (self.leading >> 4) << 16;
        format!(
            ".reg .b64 %{name}; {{ .reg .b32 %n; add.u32 %n, %i4, {}; shr.u32 %n, %n, 4; and.b32 %n, %n, 0x3fff; \
             cvt.u64.u32 %{name}, %n; or.b64 %{name}, %{name}, {high:#x}; }} ",
            start + self.offset
        )
    }
}

#[derive(Clone, Copy)]
struct Wgmma {
    n: usize,
    k: usize,
    /// d, a, b
    types: [&'static str; 3],
    elements: [Element; 3],
    after: &'static str,
    /// None: `a` is in registers.
    a: Option<SharedLayout>,
    b: SharedLayout,
    scale_d: bool,
    signs: (i32, i32),
    cases: usize,
    /// Metadata and their selector.
    sparse: Option<(Element, u32)>,
}

/// Fills shared memory from the columns, each 8 bytes at another distance.
fn fill() -> String {
    let copy = |column: usize, start: usize, size: usize| {
        format!(
            "{{ .reg .b64 %base, %at, %v; .reg .b32 %j, %n, %o; .reg .pred %more; ld.param.u64 %base, [p{column}]; cvta.to.global.u64 %base, %base; \
             mov.u32 %j, %i2; again{column}: shr.u32 %n, %j, 7; mad.lo.u32 %n, %n, 37, %j; and.b32 %n, %n, 127; \
             mad.lo.u32 %n, %i0, 128, %n; mad.wide.u32 %at, %n, 8, %base; ld.global.b64 %v, [%at]; \
             mad.lo.u32 %o, %j, 8, %i4; st.shared.b64 [%o+{start}], %v; add.u32 %j, %j, 128; \
             setp.lt.u32 %more, %j, {}; @%more bra again{column}; }} ",
            size / 8
        )
    };
    format!(
        "{}{}fence.proxy.async; bar.sync 0; ",
        copy(0, 0, B_OFFSET),
        copy(1, B_OFFSET, 32 * 1024)
    )
}

impl Wgmma {
    fn new(n: usize, k: usize, types: [&'static str; 3], element: Element, d: Element) -> Self {
        let tight = SharedLayout::new(0, 128, 256);
        Self {
            n,
            k,
            types,
            elements: [element, element, d],
            after: "",
            a: Some(tight),
            b: tight,
            scale_d: true,
            signs: (1, 1),
            cases: 128,
            sparse: None,
        }
    }

    fn forms(&self, parts: &[usize]) -> Vec<Form> {
        let [d, a, b] = self.types;
        let sat = if self.after == ".satfinite" { ".satfinite" } else { "" };
        let sp = if self.sparse.is_some() { ".sp" } else { "" };
        let op = if a == "b1" { ".and.popc" } else { "" };
        let instruction = format!(
            "wgmma.mma_async{sp}.sync.aligned.m64n{}k{}{sat}.{d}.{a}.{b}{op}",
            self.n, self.k
        );
        let registers = if d == "f16" { self.n / 4 } else { self.n / 2 };
        let result = Fragment::new("D", 2, registers);
        let registers_a = Fragment::new("A", 0, 4);
        let mut body = format!("{}{}", fill(), result.load());
        body.push_str(&self.b.descriptor("DB", B_OFFSET));
        let a_operand = match &self.a {
            Some(layout) => {
                body.push_str(&layout.descriptor("DA", 0));
                "%DA".to_owned()
            }
            None => {
                body.push_str(&registers_a.load());
                registers_a.list()
            }
        };
        let mut metadata = String::new();
        if let Some((_, selector)) = self.sparse {
            body.push_str(&Fragment::new("M", 3, 1).load());
            metadata = format!(", %M0, {selector}");
        }
        let mut tail = String::new();
        if d != "s32" {
            tail.push_str(&format!(", {}, {}", self.signs.0, self.signs.1));
            if self.elements[0] == Element::F16 || self.elements[0] == Element::Bf16 {
                if let Some(layout) = &self.a {
                    tail.push_str(&format!(", {}", layout.transposed as u32));
                }
                tail.push_str(&format!(", {}", self.b.transposed as u32));
            }
        }
        body.push_str(&format!(
            "setp.eq.u32 %p, {}, 1; wgmma.fence.sync.aligned; {instruction} {}, {a_operand}, %DB{metadata}, %p{tail}; \
             wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0; ",
            self.scale_d as u32,
            result.list()
        ));
        let mut name = format!(
            "{instruction} a: {} b: {}",
            self.a.map_or("registers".to_owned(), |layout| layout.label()),
            self.b.label()
        );
        if !self.scale_d {
            name.push_str(" scale-d 0");
        }
        if self.signs != (1, 1) {
            name.push_str(&format!(" signs {:?}", self.signs));
        }
        let mut operands = self.elements.map(Type::Elements).to_vec();
        if let Some((element, selector)) = self.sparse {
            operands.push(Type::Elements(element));
            name.push_str(&format!(" selector {selector}"));
        }
        let mut forms = forms_of(FAMILY, &name, &body, result, &operands, parts.iter().copied());
        for form in &mut forms {
            let later = d == "s32" || self.sparse.is_some();
            form.target = ("sm_90a", if later { "8.4" } else { "8.0" });
            form.cases = self.cases;
            form.threads = 128;
            form.shared = 48 * 1024;
        }
        forms
    }
}

pub fn forms() -> Vec<Form> {
    let mut forms = Vec::new();
    let f16 = Wgmma::new(8, 16, ["f32", "f16", "f16"], Element::F16, Element::F32);
    let half = Wgmma { types: ["f16", "f16", "f16"], elements: [Element::F16; 3], ..f16 };
    let bf16 = Wgmma::new(8, 16, ["f32", "bf16", "bf16"], Element::Bf16, Element::F32);
    let tf32 = Wgmma::new(8, 8, ["f32", "tf32", "tf32"], Element::Tf32, Element::F32);
    let mut add = |wgmma: Wgmma, parts: &[usize]| forms.extend(wgmma.forms(parts));
    for base in [f16, half, bf16, tf32] {
        add(Wgmma { cases: 512, ..base }, &[0]);
        add(Wgmma { a: None, ..base }, &[0]);
        add(Wgmma { scale_d: false, ..base }, &[0]);
        add(Wgmma { signs: (-1, 1), ..base }, &[0]);
        add(Wgmma { signs: (1, -1), a: None, ..base }, &[0]);
        add(Wgmma { signs: (-1, -1), scale_d: false, ..base }, &[0]);
    }
    // Places of factors whose k is contiguous.
    let straight = [
        SharedLayout::new(0, 1024, 128),
        SharedLayout::new(0, 128, 512),
        SharedLayout::new(3, 16, 256),
        SharedLayout::new(3, 0, 512),
        SharedLayout::new(2, 16, 512),
        SharedLayout::new(2, 16, 1024).at(32),
        SharedLayout::new(1, 16, 1024),
        SharedLayout::new(1, 16, 1024).at(32),
        SharedLayout::new(1, 0, 1024).at(96),
    ];
    for layout in straight {
        add(Wgmma { a: Some(layout), b: layout, ..f16 }, &[0]);
        add(Wgmma { a: Some(layout), b: layout, n: 24, ..tf32 }, &[2]);
        add(Wgmma { a: None, b: layout, n: 40, ..bf16 }, &[0, 4]);
    }
    // Factors whose m or n is contiguous.
    let across = [
        SharedLayout::new(0, 128, 256),
        SharedLayout::new(0, 1024, 128),
        SharedLayout::new(3, 512, 256),
        SharedLayout::new(3, 256, 1024),
        SharedLayout::new(2, 1024, 512),
        SharedLayout::new(2, 512, 2048),
        SharedLayout::new(1, 2048, 1024),
        SharedLayout::new(1, 1024, 2048),
    ];
    for layout in across {
        let layout = layout.transposed();
        add(Wgmma { a: Some(layout), ..f16 }, &[0]);
        add(Wgmma { b: layout, n: 16, ..f16 }, &[0, 1]);
        add(Wgmma { b: layout, n: 128, ..bf16 }, &[0, 15]);
        add(Wgmma { a: Some(layout), b: layout, n: 64, ..half }, &[0, 3]);
    }
    for a in ["e4m3", "e5m2"] {
        for b in ["e4m3", "e5m2"] {
            for d in ["f16", "f32"] {
                let element = |ty| if ty == "e4m3" { Element::E4m3 } else { Element::E5m2 };
                let accumulator = if d == "f16" { Element::F16 } else { Element::F32 };
                let base = Wgmma {
                    elements: [element(a), element(b), accumulator],
                    cases: 512,
                    ..Wgmma::new(8, 32, [d, a, b], Element::E4m3, accumulator)
                };
                add(base, &[0]);
                add(
                    Wgmma {
                        a: None,
                        b: SharedLayout::new(1, 16, 1024),
                        signs: (-1, 1),
                        cases: 128,
                        ..base
                    },
                    &[0],
                );
            }
        }
    }
    for (types, k) in [
        (["s32", "s8", "s8"], 32),
        (["s32", "s8", "u8"], 32),
        (["s32", "u8", "s8"], 32),
        (["s32", "u8", "u8"], 32),
        (["s32", "b1", "b1"], 256),
    ] {
        let base = Wgmma::new(8, k, types, Element::Bits, Element::Bits);
        add(base, &[0]);
        add(Wgmma { a: None, scale_d: false, ..base }, &[0]);
        add(Wgmma { n: 48, b: SharedLayout::new(2, 16, 512), ..base }, &[5]);
        if k == 32 {
            let elements = [Element::Bits, Element::Bits, Element::Extremes];
            add(Wgmma { after: ".satfinite", elements, ..base }, &[0]);
        }
    }
    let sparse = |base: Wgmma, metadata, selector| Wgmma {
        k: 2 * base.k,
        sparse: Some((metadata, selector)),
        signs: (1, 1),
        ..base
    };
    for selector in [0, 1] {
        for base in [f16, half, bf16] {
            add(sparse(base, Element::Pairs, selector), &[0]);
            add(sparse(Wgmma { a: None, ..base }, Element::Pairs, selector), &[0]);
        }
        add(sparse(tf32, Element::Singles, selector), &[0]);
    }
    let wide = SharedLayout::new(1, 16, 1024);
    add(sparse(Wgmma { n: 16, b: wide, ..f16 }, Element::Pairs, 0), &[1]);
    let across = SharedLayout::new(1, 2048, 1024).transposed();
    add(sparse(Wgmma { n: 64, b: across, ..f16 }, Element::Pairs, 1), &[3]);
    for (types, element, d) in [
        (["f32", "e4m3", "e4m3"], Element::E4m3, Element::F32),
        (["f16", "e5m2", "e5m2"], Element::E5m2, Element::F16),
        (["s32", "s8", "s8"], Element::Bits, Element::Bits),
        (["s32", "u8", "u8"], Element::Bits, Element::Bits),
    ] {
        let base = Wgmma::new(8, 32, types, element, d);
        add(sparse(base, Element::Pairs, 0), &[0]);
        add(sparse(Wgmma { a: None, ..base }, Element::Pairs, 0), &[0]);
    }
    for n in [32, 96, 192, 256] {
        add(Wgmma { n, b: SharedLayout::new(0, 128, 256), ..f16 }, &[0, n / 8 - 1]);
    }
    forms
}
