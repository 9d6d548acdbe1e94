//! Functions of the system, which a kernel calls by addresses from bank 4.

use super::emit::{Kind, Truth, unsupported};
use super::machine::{Lifted, Machine};
use super::operand::Target;
use crate::flow::Place;
use crate::instruction::{File, Register};
use std::collections::BTreeSet;

/// Names, and the declarations in PTX.
pub(super) const SYSTEM: [(&str, &str); 6] = [
    ("vprintf", ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);"),
    ("malloc", ".extern .func (.param .b64 r) malloc(.param .b64 a);"),
    ("free", ".extern .func free(.param .b64 a);"),
    (
        "__assertfail",
        ".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);",
    ),
    // The barrier of a grid, for cooperative groups: whoever takes the PTX adds what these two do.
    (
        "__cuda_syscall_CGS_get_intrinsic_handle",
        ".visible .func (.param .b64 handle) __cuda_syscall_CGS_get_intrinsic_handle(.param .b32 scope);",
    ),
    (
        "__cuda_syscall_CGS_sync",
        ".visible .func (.param .b32 status) __cuda_syscall_CGS_sync(.param .b64 handle, .param .b32 flags);",
    ),
];

/// Whether a function of the system is one that PTX can say.
pub(super) fn is_grid_barrier(name: &str) -> bool {
    name.starts_with("__cuda_syscall_CGS_")
}

/// Bits of the arguments and of the result, which lie from R4 on, numbers of 64 bits at even registers.
fn signature(name: &str) -> (&'static [u32], Option<u32>) {
    match name {
        "vprintf" => (&[64, 64], Some(32)),
        "malloc" => (&[64], Some(64)),
        "free" => (&[64], None),
        "__cuda_syscall_CGS_get_intrinsic_handle" => (&[32], Some(64)),
        "__cuda_syscall_CGS_sync" => (&[64, 32], Some(32)),
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

/// The number that stands for the address of a function of the system; no memory has it.
pub(super) fn address(name: &str) -> Option<u64> {
    let index = SYSTEM.iter().position(|(known, _)| *known == name)?;
    Some(0xffff_8000_0000_0000 + 16 * index as u64)
}

/// The number that stands for the address of an instruction; no memory has it. Calls of the system are told by it where to come
/// back to.
pub(super) fn code_address(place: Place) -> u64 {
    (0xffff_9000_0000_0000 + ((place.code as u64) << 32)).wrapping_add(place.address)
}

/// Calls the function whose address is in a register and the next: one of those whose addresses the module has.
pub(super) fn absolute(machine: &mut Machine, register: &Register) -> Lifted {
    let high = Register { number: register.number.saturating_add(1), ..*register };
    let (low, high) = (machine.general(register), machine.general(&high));
    let called = machine.emit.joined(&low, &high);
    let names: BTreeSet<String> =
        machine.image.addresses.values().map(|named| named.symbol.clone()).collect();
    let known: Vec<(String, u64)> = names
        .into_iter()
        .filter_map(|name| address(&name).map(|address| (name, address)))
        .collect();
    let flags: Vec<String> = known
        .iter()
        .map(|(_, address)| machine.emit.flag("setp.eq.u64", &[&called, &address.to_string()]))
        .collect();
    let guard = machine.emit.guard_truth();
    let mut elsewhere = guard.clone();
    let mut chosen = Vec::new();
    for flag in flags {
        let is_it = Truth::Register(flag, false);
        chosen.push(machine.emit.join("and", &guard, &is_it));
        elsewhere = machine.emit.join("and", &elsewhere, &is_it.not());
    }
    machine.emit.guard_by(&elsewhere);
    machine.emit.guarded("trap");
    for ((name, _), truth) in known.iter().zip(&chosen) {
        machine.emit.guard_by(truth);
        system(machine, name)?;
    }
    Ok(())
}
