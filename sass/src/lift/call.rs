//! Functions of the system, which a kernel calls by addresses from bank 4.

use super::emit::{Kind, unsupported};
use super::error::Reason;
use super::machine::{Lifted, Machine};
use super::operand::Target;
use crate::instruction::{File, Register};

/// Names, and the declarations in PTX.
pub(super) const SYSTEM: [(&str, &str); 4] = [
    ("vprintf", ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);"),
    ("malloc", ".extern .func (.param .b64 r) malloc(.param .b64 a);"),
    ("free", ".extern .func free(.param .b64 a);"),
    (
        "__assertfail",
        ".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);",
    ),
];

/// Bits of the arguments and of the result, which lie from R4 on, numbers of 64 bits at even registers.
fn signature(name: &str) -> (&'static [u32], Option<u32>) {
    match name {
        "vprintf" => (&[64, 64], Some(32)),
        "malloc" => (&[64], Some(64)),
        "free" => (&[64], None),
        _ => (&[64, 64, 32, 64, 64], None),
    }
}

/// Calls a function of the system by its name.
pub(super) fn system(machine: &mut Machine, name: &str) -> Lifted {
    let Some((name, _)) = SYSTEM.iter().find(|(known, _)| *known == name) else {
        return unsupported(format!("a call of `{name}`"));
    };
    machine.system_calls.insert(name);
    let (arguments, result) = signature(name);
    let mut values = Vec::new();
    let mut at = 4u8;
    for bits in arguments {
        let general = |machine: &mut Machine, number| machine.general(&Register::general(number));
        if *bits == 64 {
            at = at.next_multiple_of(2);
            let (low, high) = (general(machine, at), general(machine, at + 1));
            values.push(machine.emit.joined(&low, &high));
            at += 2;
        } else {
            values.push(general(machine, at));
            at += 1;
        }
    }
    let text: Vec<String> = arguments
        .iter()
        .zip(&values)
        .enumerate()
        .map(|(index, (bits, value))| {
            format!(".param .b{bits} a{index}; st.param.b{bits} [a{index}], {value};")
        })
        .collect();
    let names: Vec<String> = (0..values.len()).map(|index| format!("a{index}")).collect();
    let names = names.join(", ");
    let body = text.join(" ");
    match result {
        None => {
            let guard = machine.emit.guard().to_owned();
            machine.emit.line(format_args!("{{ {body} {guard}call {name}, ({names}); }}"));
        }
        Some(bits) => {
            let kind = if bits == 64 { Kind::B64 } else { Kind::B32 };
            let value = machine.emit.temporary(kind);
            let guard = machine.emit.guard().to_owned();
            machine.emit.line(format_args!(
                "{{ .param .b{bits} r; {body} {guard}call (r), {name}, ({names}); ld.param.b{bits} {value}, [r]; }}"
            ));
            let target = Target { file: File::General, number: 4 };
            if bits == 64 {
                machine.set_wide(target, &value);
            } else {
                machine.set(target, &value);
            }
        }
    }
    Ok(())
}

/// The function that a register holds the address of.
pub(super) fn called(machine: &Machine, register: u8) -> Result<String, Reason> {
    match machine.known.functions.get(&register) {
        Some(name) => Ok(name.clone()),
        None => unsupported("a call of an address that is not known"),
    }
}
