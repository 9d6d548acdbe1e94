//! Functions of the system, which a kernel calls by addresses from bank 4.

use super::emit::{Kind, Truth, unsupported};
use super::machine::{Lifted, Machine};
use super::operand::Target;
use crate::flow::Place;
use crate::instruction::{File, Register};
use std::collections::BTreeSet;

/// A function of the system.
pub(super) struct System {
    pub(super) name: &'static str,
    /// Bits of the arguments and of the result, which lie from R4 on, numbers of 64 bits at even registers. [`SHAPE`] bits are a
    /// structure of three words, each in the next register.
    arguments: &'static [u32],
    result: Option<u32>,
}

/// The bits of a `dim3`.
const SHAPE: u32 = 96;

const fn function(name: &'static str, arguments: &'static [u32], result: Option<u32>) -> System {
    System { name, arguments, result }
}

pub(super) const SYSTEM: &[System] = &[
    function("vprintf", &[64, 64], Some(32)),
    function("malloc", &[64], Some(64)),
    function("free", &[64], None),
    function("__assertfail", &[64, 64, 32, 64, 64], None),
    // The barrier of a grid, for cooperative groups: whoever takes the PTX adds what these two do.
    function("__cuda_syscall_CGS_get_intrinsic_handle", &[32], Some(64)),
    function("__cuda_syscall_CGS_sync", &[64, 32], Some(32)),
    function("__cuda_syscall_aligned_malloc", &[64, 64], Some(64)),
    function("cudaGraphSetConditional", &[64, 32], None),
    function("cudaGraphLaunch", &[64, 64], Some(32)),
    function("cudaGraphKernelNodeSetEnabled", &[64, 32], Some(32)),
    function("cudaGraphKernelNodeSetParam", &[64, 64, 64, 64], Some(32)),
    function("cudaGraphKernelNodeSetGridDim", &[64, SHAPE], Some(32)),
    function("cudaGraphKernelNodeUpdatesApply", &[64, 64], Some(32)),
    // Of launches by kernels, as the PTX of `libcudadevrt` declares them.
    function("__cuda_syscall_cnpv2GetParameterBufferV2", &[64, SHAPE, SHAPE, 32], Some(64)),
    function("__cuda_syscall_cnpv2GetParameterBuffer", &[32, 32], Some(64)),
    function("__cuda_syscall_cnpv2LaunchDevice", &[64, 64, 64, 64, 32, 64], Some(32)),
    function("__cuda_syscall_cnpv2LaunchDeviceV2", &[64, 64], Some(32)),
    function("__cuda_syscall_cnpv2GetLastError", &[], Some(32)),
    function("__cuda_syscall_cnpv2SetLastError", &[32], Some(32)),
    function("__cuda_syscall_cnpv2StreamCreate", &[64, 32], Some(32)),
    function("__cuda_syscall_cnpv2StreamDestroy", &[64], Some(32)),
    function("__cuda_syscall_cnpv2StreamWaitEvent", &[64, 64, 32], Some(32)),
    function("__cuda_syscall_cnpv2EventCreate", &[64, 32], Some(32)),
    function("__cuda_syscall_cnpv2EventRecord", &[64, 64], Some(32)),
    function("__cuda_syscall_cnpv2EventDestroy", &[64], Some(32)),
    function("__cuda_syscall_cnpv2FuncGetAttribute", &[64, 32, 64], Some(32)),
    function("__cuda_syscall_cnpv2DeviceGetAttribute", &[64, 32, 32], Some(32)),
    function("__cuda_syscall_cnpv2GetLimit", &[64, 32], Some(32)),
    function("__cuda_syscall_cnpv2MaxActiveBlocksPerMultiprocessor", &[64, 64, 32, 64], Some(32)),
    function(
        "__cuda_syscall_cnpv2MaxActiveBlocksPerMultiprocessorWithFlags",
        &[64, 64, 32, 64, 32],
        Some(32),
    ),
    function("__cuda_syscall_cnpv2GetDevice", &[64], Some(32)),
    function("__cuda_syscall_cnpv2GetDeviceCount", &[64], Some(32)),
    function("__cuda_syscall_cnpv2GetCacheConfig", &[64], Some(32)),
    function("__cuda_syscall_cnpv2GetSharedMemConfig", &[64], Some(32)),
];

impl System {
    /// The declaration in PTX.
    pub(super) fn declaration(&self) -> String {
        let linkage = if is_grid_barrier(self.name) { ".visible" } else { ".extern" };
        let result = self.result.map(|bits| format!("(.param .b{bits} r) ")).unwrap_or_default();
        let arguments: Vec<String> = self
            .arguments
            .iter()
            .enumerate()
            .map(|(index, bits)| parameter(*bits, index))
            .collect();
        format!("{linkage} .func {result}{}({});", self.name, arguments.join(", "))
    }
}

/// The declaration of an argument.
fn parameter(bits: u32, index: usize) -> String {
    if bits == SHAPE {
        format!(".param .align 4 .b8 a{index}[{}]", bits / 8)
    } else {
        format!(".param .b{bits} a{index}")
    }
}

/// Whether a function of the system is one that PTX can say.
pub(super) fn is_grid_barrier(name: &str) -> bool {
    name.starts_with("__cuda_syscall_CGS_")
}

/// Calls a function of the system by its name.
pub(super) fn system(machine: &mut Machine, name: &str) -> Lifted {
    let Some(System { name, arguments, result }) = SYSTEM.iter().find(|known| known.name == name)
    else {
        return unsupported(format!("a call of `{name}`"));
    };
    machine.system_calls.insert(name);
    let mut text = Vec::new();
    let mut at = 4u8;
    for (index, bits) in arguments.iter().enumerate() {
        text.push(format!("{};", parameter(*bits, index)));
        let general = |machine: &mut Machine, number| machine.general(&Register::general(number));
        if *bits == 64 {
            at = at.next_multiple_of(2);
            let (low, high) = (general(machine, at), general(machine, at + 1));
            let value = machine.emit.joined(&low, &high);
            text.push(format!("st.param.b64 [a{index}], {value};"));
            at += 2;
        } else {
            for word in 0..bits / 32 {
                let value = general(machine, at);
                let offset = if word == 0 { String::new() } else { format!("+{}", 4 * word) };
                text.push(format!("st.param.b32 [a{index}{offset}], {value};"));
                at += 1;
            }
        }
    }
    let names: Vec<String> = (0..arguments.len()).map(|index| format!("a{index}")).collect();
    let names = names.join(", ");
    let body = text.join(" ");
    match result {
        None => {
            let guard = machine.emit.guard().to_owned();
            machine.emit.line(format_args!("{{ {body} {guard}call {name}, ({names}); }}"));
        }
        Some(bits) => {
            let kind = if *bits == 64 { Kind::B64 } else { Kind::B32 };
            let value = machine.emit.temporary(kind);
            let guard = machine.emit.guard().to_owned();
            machine.emit.line(format_args!(
                "{{ .param .b{bits} r; {body} {guard}call (r), {name}, ({names}); ld.param.b{bits} {value}, [r]; }}"
            ));
            let target = Target { file: File::General, number: 4 };
            if *bits == 64 {
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
    let index = SYSTEM.iter().position(|known| known.name == name)?;
    Some(0xffff_8000_0000_0000 + 16 * index as u64)
}

/// The number that stands for the address of an instruction; no memory has it. Calls of the system are told by it where to come
/// back to.
pub(super) fn code_address(place: Place) -> u64 {
    (0xffff_9000_0000_0000 + ((place.code as u64) << 32)).wrapping_add(place.address)
}

/// Calls the function whose address is in a register and the next: one of those whose addresses the module has. `at` is the address of
/// the call, `functions` are those of the file.
pub(super) fn absolute(
    machine: &mut Machine,
    register: &Register,
    at: u64,
    functions: &[Place],
) -> Lifted {
    let high = Register { number: register.number.saturating_add(1), ..*register };
    let (low, high) = (machine.general(register), machine.general(&high));
    let called = machine.emit.joined(&low, &high);
    let names: BTreeSet<String> =
        machine.image.addresses.values().map(|named| named.symbol.clone()).collect();
    let known: Vec<(String, u64)> = names
        .into_iter()
        .filter_map(|name| address(&name).map(|address| (name, address)))
        .collect();
    let functions_too = functions.iter().map(|place| code_address(*place));
    let numbers = known.iter().map(|(_, number)| *number).chain(functions_too);
    let flags: Vec<String> = numbers
        .map(|number| machine.emit.flag("setp.eq.u64", &[&called, &number.to_string()]))
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
    if !functions.is_empty() {
        machine.emit.guard_by(&guard);
        super::apart::absolute(machine, &called, at, functions)?;
    }
    Ok(())
}
