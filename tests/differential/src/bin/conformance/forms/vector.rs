//! Loads and stores of all types, alone and as vectors, through all state spaces and cache operators.

use crate::form::{Form, Type};

const FAMILY: &str = "vector";
const I64: Type = Type::Int(64);

/// Writes both operands to the thread's own 16 bytes, loads and stores them as told, and reads them back.
fn round_trip(name: String, space: &str, address: &str, access: &str) -> Form {
    let frame = if space == "local" { ".local .align 16 .b8 frame[32];" } else { "" };
    let body = format!(
        "{frame} st.{space}.b64 [{address}], %a; st.{space}.b64 [{address}+8], %b; {access} ld.{space}.b64 %d, [{address}]; ld.{space}.b64 %x, [{address}+8];"
    );
    Form::new(FAMILY, &body, I64, &[I64, I64]).second(I64).named(name)
}

fn registers(count: u32, name: &str) -> String {
    let all: Vec<String> = (0..count).map(|i| format!("%{name}{i}")).collect();
    if count == 1 { all[0].clone() } else { format!("{{{}}}", all.join(", ")) }
}

pub fn forms() -> Vec<Form> {
    let mut forms = Vec::new();
    for (space, address) in [("global", "%g"), ("shared", "%s"), ("local", "frame")] {
        for (t, bits) in [
            ("b8", 8),
            ("u8", 8),
            ("s8", 8),
            ("b16", 16),
            ("u16", 16),
            ("s16", 16),
            ("b32", 32),
            ("u32", 32),
            ("s32", 32),
            ("f32", 32),
            ("b64", 64),
            ("u64", 64),
            ("s64", 64),
            ("f64", 64),
        ] {
            let register: u32 = if bits == 8 { 16 } else { bits };
            for count in [1, 2, 4] {
                if count * bits > 128 {
                    continue;
                }
                let vector = if count == 1 { String::new() } else { format!(".v{count}") };
                let list = registers(count, "v");
                // The first elements to the end, so that both directions show.
                let at = 16 - count * bits / 8;
                forms.push(round_trip(
                    format!("ld+st.{space}{vector}.{t}"),
                    space,
                    address,
                    &format!(
                        ".reg .b{register} %v<4>; ld.{space}{vector}.{t} {list}, [{address}]; st.{space}{vector}.{t} [{address}+{at}], {list};"
                    ),
                ));
            }
        }
    }
    for t in ["b32", "u64", "f32", "v2.f32", "v4.u32", "v2.b64"] {
        let (count, bits) = match t {
            "b32" | "f32" => (1, 32),
            "u64" => (1, 64),
            "v2.f32" => (2, 32),
            "v4.u32" => (4, 32),
            _ => (2, 64),
        };
        let list = registers(count, "v");
        for (name, load) in [("ld.global.nc", "ld.global.nc"), ("ldu.global", "ldu.global")] {
            forms.push(
                Form::new(
                    FAMILY,
                    &format!(
                        ".reg .b{bits} %v<4>; ld.param.u64 %t0, [p0]; cvta.to.global.u64 %t0, %t0; and.b32 %i6, %i3, 0x1fe; mad.wide.u32 %t1, %i6, 8, %t0; {load}.{t} {list}, [%t1]; st.global.{t} [%g], {list}; ld.global.b64 %d, [%g]; ld.global.b64 %x, [%g+8];"
                    ),
                    I64,
                    &[I64],
                )
                .second(I64)
                .named(format!("{name}.{t}")),
            );
        }
    }
    forms
}
