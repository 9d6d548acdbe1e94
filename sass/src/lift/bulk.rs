//! Writes that a barrier in shared memory counts, of threads and of warps. The latter a warp does once, with one thread's registers:
//! `Machine::once` says whose.

use super::emit::unsupported;
use super::error::Reason;
use super::machine::{Lifted, Machine};
use super::memory::{atomic_operation, vector};
use super::operand::{Operands, Target, integer};
use crate::instruction::{Address, Operand, Register};

/// What a write to shared memory has in PTX, of whichever block of the cluster.
const TO_SHARED: &str = "shared::cluster.mbarrier::complete_tx::bytes";

impl Machine<'_> {
    /// Where a register and the next say that something is written, and which barrier counts it.
    fn with_barrier(&mut self, first: &Register) -> [String; 2] {
        [0, 1].map(|more| {
            let number = first.number.saturating_add(more);
            let offset = self.general(&Register { number, suffix: None, ..*first });
            self.cluster_place(&offset)
        })
    }

    /// 64 bits of a register and the next.
    fn pair(&mut self, first: &Register) -> String {
        let next = Register { number: first.number.saturating_add(1), ..*first };
        let (low, high) = (self.general(first), self.general(&next));
        self.emit.joined(&low, &high)
    }
}

/// The register of an address without more.
fn base(address: &Address) -> Result<Register, Reason> {
    match address {
        Address { base: Some(only), uniform: None, offset: 0, descriptor: None }
        | Address { base: None, uniform: Some(only), offset: 0, descriptor: None } => Ok(*only),
        _ => unsupported("an address"),
    }
}

/// Takes what says how to cache, if it is there, as the last operand.
fn without_hint(o: &mut Operands) -> Lifted {
    if let Some(Operand::Descriptor(_)) = o.peek() {
        o.next()?;
    }
    o.end()
}

/// UBLKCP.to.from [UR], [UR], UR; UBLKRED.to.S.operation.type: 16 bytes as often as the last register says.
pub(super) fn copy(machine: &mut Machine, mut o: Operands) -> Lifted {
    let i = o.instruction;
    let [to, from] = [o.address()?, o.address()?];
    let units = integer(machine, o.next()?)?;
    without_hint(&mut o)?;
    let (to, from) = (base(&to)?, base(&from)?);
    let size = machine.emit.b32("shl.b32", &[&units, "4"]);
    let (name, operation) = match i.opcode {
        "UBLKRED" => ("cp.reduce.async.bulk", format!(".{}", reduction(i)?)),
        _ => ("cp.async.bulk", String::new()),
    };
    let spaces = [i.modifiers.first().copied(), i.modifiers.get(1).copied()];
    let source = match spaces[1] {
        Some("G") => machine.pair(&from),
        _ => {
            let offset = machine.general(&from);
            machine.shared_place(&offset)
        }
    };
    let text = match spaces {
        [Some("S"), Some(of @ ("S" | "G"))] => {
            let of = if of == "S" { "shared::cta" } else { "global" };
            let to_shared = TO_SHARED.replacen('.', &format!(".{of}."), 1);
            let [target, barrier] = machine.with_barrier(&to);
            format!("{name}.{to_shared}{operation} [{target}], [{source}], {size}, [{barrier}]")
        }
        [Some("G"), Some("S")] => {
            let target = machine.pair(&to);
            format!(
                "{name}.global.shared::cta.bulk_group{operation} [{target}], [{source}], {size}"
            )
        }
        _ => return unsupported("a form"),
    };
    machine.once(&text);
    Ok(())
}

/// UTMALDG.axes [UR], [UR]; UTMASTG; UTMAREDG.axes.operation: a box of a tensor. The first address is that in shared memory, with the barrier behind it
/// that counts what is loaded, and the coordinates behind both; the second is the tensor's map.
pub(super) fn tensor(machine: &mut Machine, mut o: Operands) -> Lifted {
    let i = o.instruction;
    let [shared, map] = [o.address()?, o.address()?];
    // The blocks that get it have bits 16 to 31.
    let blocks = match i.has("MULTICAST") {
        true => Some(integer(machine, o.next()?)?),
        false => None,
    };
    without_hint(&mut o)?;
    let (shared, map) = (base(&shared)?, base(&map)?);
    let Some(axes) =
        i.modifiers.first().and_then(|name| name.strip_suffix('D')?.parse::<u8>().ok())
    else {
        return unsupported("axes");
    };
    let map = machine.pair(&map);
    let before = if i.opcode == "UTMALDG" { 2 } else { 1 };
    let coordinates: Vec<String> = (before..before + axes)
        .map(|more: u8| {
            let number = shared.number.saturating_add(more);
            let value = machine.general(&Register { number, ..shared });
            machine.emit.in_register(&value)
        })
        .collect();
    let coordinates = coordinates.join(", ");
    let text = if i.opcode == "UTMALDG" {
        let to_shared = TO_SHARED.replacen('.', ".global.tile.", 1);
        let [target, barrier] = machine.with_barrier(&shared);
        let (multicast, blocks) = match blocks {
            Some(blocks) => {
                let (_, mask) = machine.emit.words(&blocks);
                (".multicast::cluster", format!(", {mask}"))
            }
            None => ("", String::new()),
        };
        format!(
            "cp.async.bulk.tensor.{axes}d.{to_shared}{multicast} [{target}], [{map}, {{{coordinates}}}], [{barrier}]{blocks}"
        )
    } else {
        let offset = machine.general(&shared);
        let source = machine.shared_place(&offset);
        let (name, operation) = match i.modifiers.get(1) {
            Some(operation) => ("cp.reduce", format!(".{}", operation.to_lowercase())),
            None => ("cp", String::new()),
        };
        format!(
            "{name}.async.bulk.tensor.{axes}d.global.shared::cta{operation}.tile.bulk_group [{map}, {{{coordinates}}}], [{source}]"
        )
    };
    machine.once(&text);
    Ok(())
}

/// The operation and the type of a reduction of many numbers.
fn reduction(i: &crate::instruction::Instruction) -> Result<String, Reason> {
    let Some(name) = i.modifiers.get(2) else { return unsupported("an operation") };
    let type_ = match i.modifiers.get(3).copied() {
        None => "u32",
        Some("S32") => "s32",
        Some("U64") => "u64",
        Some("S64") => "s64",
        Some("F16") => "f16",
        Some("BF16") => "bf16",
        Some("F32") if !i.has("FTZ") => "f32",
        Some("F64") => "f64",
        _ => return unsupported("a type"),
    };
    let name = name.to_lowercase();
    Ok(match (name.as_str(), type_) {
        ("and" | "or" | "xor", _) => format!("{name}.b{}", &type_[1..]),
        ("add", "f16" | "bf16") => format!("add.noftz.{type_}"),
        _ => format!("{name}.{type_}"),
    })
}

/// STAS [R], R: words to shared memory.
pub(super) fn store(machine: &mut Machine, mut o: Operands) -> Lifted {
    let i = o.instruction;
    let to = o.address()?;
    let source: Target = o.target()?;
    o.end()?;
    let [target, barrier] = machine.with_barrier(&base(&to)?);
    let (count, name) = match () {
        () if i.has("64") => (2, ".v2"),
        () if i.has("128") => (4, ".v4"),
        () => (1, ""),
    };
    let words = vector(&machine.fragment(source, count));
    machine
        .emit
        .guarded(format_args!("st.async.{TO_SHARED}{name}.b32 [{target}], {words}, [{barrier}]"));
    Ok(())
}

/// REDAS.operation.type [R], R
pub(super) fn reduce(machine: &mut Machine, mut o: Operands) -> Lifted {
    let i = o.instruction;
    let to = o.address()?;
    let source = o.target()?;
    o.end()?;
    let [target, barrier] = machine.with_barrier(&base(&to)?);
    let (operation, words) = atomic_operation(i)?;
    let words = machine.fragment(source, words);
    let value = match words.as_slice() {
        [low, high] => machine.emit.joined(low, high),
        words => vector(words),
    };
    machine.emit.guarded(format_args!(
        "red.async.relaxed.cluster.{TO_SHARED}.{operation} [{target}], {value}, [{barrier}]"
    ));
    Ok(())
}

/// UTMACMDFLUSH: closes a group of copies, for which code waits by scoreboards.
pub(super) fn wait(machine: &mut Machine, o: Operands) -> Lifted {
    machine.emit.guarded("cp.async.bulk.commit_group");
    machine.emit.guarded("cp.async.bulk.wait_group 0");
    o.end()
}
