//! Loads and stores of each type and vector through the state spaces.

use crate::form::{Form, Type};

const FAMILY: &str = "memory";

pub fn forms() -> Vec<Form> {
    let mut forms = Vec::new();
    let i64 = Type::Int(64);
    for (space, address) in [("global", "%g"), ("shared", "%s")] {
        for bits in [8, 16, 32, 64] {
            for sign in ["u", "s"] {
                // A load into a wider register extends by the type's sign.
                forms.push(
                    Form::new(
                        FAMILY,
                        &format!("st.{space}.b64 [{address}], %a; ld.{space}.{sign}{bits} %d, [{address}];"),
                        i64,
                        &[i64],
                    )
                    .named(format!("ld.{space}.{sign}{bits}")),
                );
            }
            forms.push(
                Form::new(
                    FAMILY,
                    &format!("st.{space}.b64 [{address}], %b; st.{space}.b{bits} [{address}], %a; ld.{space}.b64 %d, [{address}];"),
                    i64,
                    &[i64, i64],
                )
                .named(format!("st.{space}.b{bits}")),
            );
        }
        for (vector, ty, registers) in
            [("v2", "b32", 2), ("v4", "b32", 4), ("v2", "b64", 2), ("v4", "b16", 4)]
        {
            let bits = &ty[1..];
            let list = (0..registers).map(|i| format!("%v{i}")).collect::<Vec<_>>().join(", ");
            forms.push(
                Form::new(
                    FAMILY,
                    &format!(
                        ".reg .b{bits} %v<4>; st.{space}.b64 [{address}], %a; st.{space}.b64 [{address}+8], %b; ld.{space}.{vector}.{ty} {{{list}}}, [{address}]; st.{space}.b64 [{address}], 0; st.{space}.{vector}.{ty} [{address}], {{{list}}}; ld.{space}.b64 %d, [{address}]; ld.{space}.b64 %x, [{address}+8];"
                    ),
                    i64,
                    &[i64, i64],
                )
                .second(i64)
                .named(format!("ld.{space}.{vector}.{ty}")),
            );
        }
        for order in ["volatile", "relaxed.gpu", "relaxed.cta"] {
            forms.push(
                Form::new(
                    FAMILY,
                    &format!("st.{order}.{space}.u32 [{address}], %a; ld.{order}.{space}.u32 %d, [{address}];"),
                    Type::Int(32),
                    &[Type::Int(32)],
                )
                .named(format!("ld.{order}.{space}.u32")),
            );
        }
        forms.push(
            Form::new(
                FAMILY,
                &format!("st.release.gpu.{space}.u32 [{address}], %a; ld.acquire.gpu.{space}.u32 %d, [{address}];"),
                Type::Int(32),
                &[Type::Int(32)],
            )
            .named(format!("ld.acquire.gpu.{space}.u32")),
        );
    }
    forms.push(
        Form::new(
            FAMILY,
            ".local .align 8 .b8 frame[64]; .reg .b32 %j; st.local.u64 [frame], 0; st.local.u64 [frame+8], 0; and.b32 %j, %b, 7; mov.u32 %i6, frame; add.u32 %j, %j, %i6; st.local.u8 [%j], %a; ld.local.u64 %d, [frame];",
            i64,
            &[Type::Int(32), Type::Int(32)],
        )
        .named("st.local.u8"),
    );
    forms.push(
        Form::new(
            FAMILY,
            "cvt.u64.u32 %t2, %s; cvta.shared.u64 %t2, %t2; st.u32 [%t2], %a; ld.shared.u32 %d, [%s]; isspacep.shared %q, %t2; selp.u32 %x, 1, 0, %q;",
            Type::Int(32),
            &[Type::Int(32)],
        )
        .second(Type::Int(32))
        .named("cvta.shared+isspacep.shared"),
    );
    forms.push(
        Form::new(
            FAMILY,
            "cvta.global.u64 %t2, %g; st.u32 [%t2], %a; ld.global.u32 %d, [%g]; isspacep.global %q, %t2; selp.u32 %x, 1, 0, %q; isspacep.local %q, %t2; @%q add.u32 %x, %x, 2;",
            Type::Int(32),
            &[Type::Int(32)],
        )
        .second(Type::Int(32))
        .named("cvta.global+isspacep.global"),
    );
    forms
}
