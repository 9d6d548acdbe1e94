//! Surfaces: loads, stores and reductions.
//!
//! Coordinates stand one after the other, the layer behind them; those of `.BA` along x are bytes.

use super::emit::unsupported;
use super::error::Reason;
use super::machine::{Lifted, Machine};
use super::operand::Operands;
use super::texture::{bindless, bound};
use crate::instruction::{Instruction, Operand, Register};

/// The names of shapes, in PTX, and how many coordinates they have.
const SHAPES: [(&str, &str, u8); 5] = [
    ("1D", "1d", 1),
    ("2D", "2d", 2),
    ("3D", "3d", 3),
    ("1D_ARRAY", "a1d", 2),
    ("2D_ARRAY", "a2d", 3),
];

fn shape(i: &Instruction) -> Result<(&'static str, u8), Reason> {
    match SHAPES.iter().find(|(name, ..)| i.has(name)) {
        Some((_, geometry, words)) => Ok((geometry, *words)),
        None => unsupported("a shape"),
    }
}

/// What happens outside.
fn bounds(i: &Instruction) -> &'static str {
    match () {
        () if i.has("IGN") => "zero",
        () if i.has("TRAP") => "trap",
        () => "clamp",
    }
}

/// The type of PTX, and how many words it has. Signs do not matter but to narrow loads, which extend them.
fn type_of(i: &Instruction) -> (&'static str, u8) {
    match () {
        () if i.has("U8") || i.has("S8") => ("b8", 1),
        () if i.has("U16") || i.has("S16") => ("b16", 1),
        () if i.has("64") => ("v2.b32", 2),
        () if i.has("128") => ("v4.b32", 4),
        () => ("b32", 1),
    }
}

/// The coordinates in registers from this one on.
fn coordinates(
    machine: &mut Machine,
    o: &mut Operands,
    geometry: &str,
    words: u8,
) -> Result<String, Reason> {
    let address = o.address()?;
    if address.uniform.is_some() || address.offset != 0 {
        return unsupported("an address of a surface that is a sum");
    }
    let base = address.base.filter(|base| !base.is_zero());
    let mut words: Vec<String> = (0..words)
        .map(|index| match base {
            Some(base) => {
                let number = base.number.saturating_add(index);
                machine.general(&Register { number, ..base })
            }
            None => "0".to_owned(),
        })
        .collect();
    for word in &mut words {
        *word = machine.emit.in_register(word);
    }
    if geometry.starts_with('a') {
        words.rotate_right(1);
    }
    if words.len() == 3 {
        words.extend(words.last().cloned());
    }
    Ok(format!("{{{}}}", words.join(", ")))
}

/// The last operand: a constant's place, or a register.
fn handle(machine: &mut Machine, o: &mut Operands) -> Result<String, Reason> {
    let handle = match bound(machine, o)? {
        Some(handle) => handle,
        None => match o.next()? {
            Operand::Register(register) => {
                let low = machine.general(register);
                bindless(machine, &low)
            }
            other => return unsupported(format!("operand `{other}` in place of a surface")),
        },
    };
    o.end()?;
    Ok(handle)
}

/// Only bytes along x and formatted texels are known of PTX.
fn check_unit(i: &Instruction) -> Lifted {
    if i.has("BA") { Ok(()) } else { unsupported("coordinates in texels") }
}

pub(super) fn load(machine: &mut Machine, mut o: Operands) -> Lifted {
    let i = o.instruction;
    check_unit(i)?;
    if o.optional_predicate().is_some() {
        return unsupported("whether texels were there");
    }
    let (geometry, words) = shape(i)?;
    let (type_, count) = type_of(i);
    let to = o.target()?;
    let at = coordinates(machine, &mut o, geometry, words)?;
    let handle = handle(machine, &mut o)?;
    let mode = bounds(i);
    let places: Vec<String> = (0..count).map(|index| machine.place(to.next(index))).collect();
    let target = match places.as_slice() {
        [one] => one.clone(),
        all => format!("{{{}}}", all.join(", ")),
    };
    machine.emit.keep_guard();
    machine
        .emit
        .guarded(format_args!("suld.b.{geometry}.{type_}.{mode} {target}, [{handle}, {at}]"));
    let extension = match () {
        () if i.has("S8") => "cvt.s32.s8",
        () if i.has("S16") => "cvt.s32.s16",
        () => return Ok(()),
    };
    machine.emit.guarded(format_args!("{extension} {target}, {target}"));
    Ok(())
}

pub(super) fn store(machine: &mut Machine, mut o: Operands) -> Lifted {
    let i = o.instruction;
    let (geometry, words) = shape(i)?;
    let is_formatted = i.has("P");
    let (kind, (type_, count)) = match is_formatted {
        true => ("p", ("v4.b32", 4)),
        false => ("b", type_of(i)),
    };
    if !is_formatted {
        check_unit(i)?;
    }
    let at = coordinates(machine, &mut o, geometry, words)?;
    let values = values(machine, &mut o, count)?;
    let handle = handle(machine, &mut o)?;
    let mode = bounds(i);
    machine
        .emit
        .guarded(format_args!("sust.{kind}.{geometry}.{type_}.{mode} [{handle}, {at}], {values}"));
    Ok(())
}

/// Registers from one on.
fn values(machine: &mut Machine, o: &mut Operands, count: u8) -> Result<String, Reason> {
    let Operand::Register(first) = o.next()? else { return unsupported("no register to store") };
    let words: Vec<String> = (0..count)
        .map(|index| match first.is_zero() {
            true => *first,
            false => Register { number: first.number.saturating_add(index), ..*first },
        })
        .map(|register| {
            let value = machine.general(&register);
            machine.emit.in_register(&value)
        })
        .collect();
    Ok(match words.as_slice() {
        [one] => one.clone(),
        all => format!("{{{}}}", all.join(", ")),
    })
}

pub(super) fn reduction(machine: &mut Machine, mut o: Operands) -> Lifted {
    let i = o.instruction;
    let (geometry, words) = shape(i)?;
    let operations = ["ADD", "MIN", "MAX", "AND", "OR"];
    let Some(operation) = operations.into_iter().find(|name| i.has(name)) else {
        return unsupported("a reduction");
    };
    let is_bitwise = matches!(operation, "AND" | "OR");
    let types = ["S32", "U64", "S64", "SD32", "SD64"];
    let of_type = types.into_iter().find(|name| i.has(name));
    let (kind, type_) = match (i.has("BA"), of_type) {
        (true, None) => ("b", if is_bitwise { "b32" } else { "u32" }),
        (true, Some("S32")) => ("b", "s32"),
        (true, Some("U64")) => ("b", "u64"),
        (true, Some("S64")) => ("b", "s64"),
        // The format says which numbers the texels are; ptxas has no type where signs do not matter.
        (false, None | Some("SD32")) => ("p", "b32"),
        (false, Some("SD64")) => ("p", "b64"),
        _ => return unsupported("a type of a reduction"),
    };
    let at = coordinates(machine, &mut o, geometry, words)?;
    let value = match type_.ends_with("64") {
        false => values(machine, &mut o, 1)?,
        true => {
            let operand = o.next()?;
            super::operand::wide_bits(machine, operand)?
        }
    };
    let handle = handle(machine, &mut o)?;
    let mode = bounds(i);
    let operation = operation.to_lowercase();
    machine.emit.guarded(format_args!(
        "sured.{kind}.{operation}.{geometry}.{type_}.{mode} [{handle}, {at}], {value}"
    ));
    Ok(())
}
