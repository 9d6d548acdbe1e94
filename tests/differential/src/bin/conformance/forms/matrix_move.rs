//! `ldmatrix`, `stmatrix` and `movmatrix`.

use super::fragment::{Fragment, forms_of};
use crate::elements::Element;
use crate::form::{Form, Type};

const FAMILY: &str = "matrix_move";

pub fn forms() -> Vec<Form> {
    let mut forms = Vec::new();
    let bits = [Type::Elements(Element::Bits)];
    for (num, registers) in [("x1", 1), ("x2", 2), ("x4", 4)] {
        for trans in ["", ".trans"] {
            // Each warp has 1 KB; lane n names the row n * 7 % 32 of 32 bytes, and its second half for odd ones.
            let rows = "shr.u32 %i6, %i2, 5; mad.lo.u32 %s, %i6, 1024, %i4; mul.lo.u32 %i6, %lane, 7; \
                        and.b32 %i6, %i6, 31; mad.lo.u32 %i6, %i6, 32, %s; and.b32 %i7, %lane, 1; \
                        mad.lo.u32 %i6, %i7, 16, %i6; ";
            let fill = |what: &str| {
                (0..4)
                    .map(|i| format!("st.shared.b64 [%i7+{}], {what}{i}; ", 8 * i))
                    .collect::<String>()
            };
            let own = "mad.lo.u32 %i7, %lane, 32, %s; ";
            let result = Fragment::new("D", 0, registers);
            let source = Fragment::wide("S", 0, 4);
            let name = format!("ldmatrix.sync.aligned.m8n8.{num}{trans}.shared.b16");
            let body = format!(
                "{}{}{rows}{own}{}bar.warp.sync -1; {name} {}, [%i6]; ",
                source.load(),
                result.declare(),
                fill("%S"),
                result.list()
            );
            forms.extend(forms_of(FAMILY, &name, &body, result, &bits, [0]));
            let name = format!("stmatrix.sync.aligned.m8n8.{num}{trans}.shared.b16");
            let source = Fragment::new("S", 0, registers);
            let body = format!(
                "{} .reg .b64 %z<4>; {} {rows}{own}{}bar.warp.sync -1; {name} [%i6], {}; bar.warp.sync -1; \
                 {own} ld.shared.b64 %z0, [%i7]; ld.shared.b64 %z1, [%i7+8]; ld.shared.b64 %z2, [%i7+16]; ld.shared.b64 %z3, [%i7+24]; \
                 mul.lo.u64 %z1, %z1, 0x9e3779b97f4a7c15; mul.lo.u64 %z3, %z3, 0x9e3779b97f4a7c15; \
                 xor.b64 %d, %z0, %z1; xor.b64 %x, %z2, %z3; ",
                source.load(),
                (0..4).map(|i| format!("mov.b64 %z{i}, 0; ")).collect::<String>(),
                fill("%z"),
                source.list()
            );
            forms.push(
                Form::new(FAMILY, &body, Type::Int(64), &bits).second(Type::Int(64)).named(name),
            );
        }
    }
    forms.push(Form::new(
        FAMILY,
        "movmatrix.sync.aligned.m8n8.trans.b16 %d, %a;",
        Type::Int(32),
        &[Type::Int(32)],
    ));
    for form in &mut forms {
        form.shared = 2048;
        form.cases = 128;
    }
    forms
}
