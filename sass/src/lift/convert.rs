//! Conversions between numbers.

use super::emit::unsupported;
use super::error::Reason;
use super::float::{rounding, word};
use super::machine::{Lifted, Machine};
use super::operand::{Operands, Target, bits, double, float, integer, suffix, wide_integer};
use super::sums;
use crate::instruction::{Instruction, Operand};

/// The types among the modifiers, in the order in which they are printed.
fn types(i: &Instruction) -> Vec<String> {
    const NAMES: [&str; 13] =
        ["F16", "F32", "F64", "BF16", "TF32", "U8", "S8", "U16", "S16", "U32", "S32", "U64", "S64"];
    i.modifiers.iter().filter(|name| NAMES.contains(name)).map(|name| name.to_lowercase()).collect()
}

fn is_float(type_: &str) -> bool {
    type_.contains('f')
}

/// A number of a floating-point type as PTX's conversions take it.
fn number(machine: &mut Machine, operand: &Operand, type_: &str) -> Result<String, Reason> {
    Ok(match type_ {
        "f32" => {
            let value = float(machine, operand)?;
            machine.emit.in_register(&value)
        }
        "f64" => double(machine, operand)?,
        "f16" | "bf16" => {
            let value = super::half::source(machine, operand, type_ == "bf16")?;
            machine.emit.words(&value).0
        }
        _ => return unsupported(format!("a source of {type_}")),
    })
}

/// Converts and leaves the result; those of 16 bits with zeros above.
fn leave(machine: &mut Machine, target: Target, operation: &str, to: &str, source: &str) -> Lifted {
    match to {
        "f16" | "bf16" => {
            let value = machine.emit.b16(operation, &[source]);
            machine.put(target, "cvt.u32.u16", &[&value]);
        }
        "f64" | "u64" | "s64" => {
            let value = machine.emit.b64(operation, &[source]);
            machine.set_wide(target, &value);
        }
        _ => machine.put(target, operation, &[source]),
    }
    Ok(())
}

/// F2F.to.from R, a; FRND.type R, a
pub(super) fn f2f(machine: &mut Machine, mut o: Operands) -> Lifted {
    let i = o.instruction;
    let target = o.target()?;
    let source = o.next()?;
    o.end()?;
    let types = types(i);
    let flush = word(i.has("FTZ"), ".ftz");
    if i.opcode == "FRND" {
        let type_ = types.first().map_or("f32", String::as_str);
        let value = number(machine, source, type_)?;
        let operation = format!("cvt{}{flush}.{type_}.{type_}", integral(i));
        return leave(machine, target, &operation, type_, &value);
    }
    let [to, from] = types.as_slice() else { return unsupported("types") };
    let value = number(machine, source, from)?;
    let size = |type_: &str| type_.trim_start_matches(['b', 't', 'f']).parse::<u32>().unwrap_or(0);
    let round = match size(to) < size(from) || size(to) == 16 && size(from) == 16 {
        true => rounding(i),
        false => "",
    };
    let saturate = word(i.has("SAT"), ".sat");
    if to == from {
        return unsupported("a conversion to the same type");
    }
    leave(machine, target, &format!("cvt{round}{flush}{saturate}.{to}.{from}"), to, &value)
}

/// The rounding to an integer.
fn integral(i: &Instruction) -> &'static str {
    match () {
        () if i.has("TRUNC") => ".rzi",
        () if i.has("FLOOR") => ".rmi",
        () if i.has("CEIL") => ".rpi",
        () => ".rni",
    }
}

/// F2I.to.from R, a
pub(super) fn f2i(machine: &mut Machine, mut o: Operands) -> Lifted {
    let i = o.instruction;
    let target = o.target()?;
    let source = o.next()?;
    o.end()?;
    let types = types(i);
    let to = types.iter().find(|type_| !is_float(type_)).map_or("s32", String::as_str);
    let from = types.iter().find(|type_| is_float(type_)).map_or("f32", String::as_str);
    // What is no number becomes zero in words with NTZ, and otherwise only where there is no such modifier.
    if !i.has("NTZ") && from != "f64" && !to.ends_with("64") {
        return unsupported("a conversion without NTZ");
    }
    let value = number(machine, source, from)?;
    let operation = format!("cvt{}{}.{to}.{from}", integral(i), word(i.has("FTZ"), ".ftz"));
    leave(machine, target, &operation, to, &value)
}

/// I2F.to.from R, a
pub(super) fn i2f(machine: &mut Machine, mut o: Operands) -> Lifted {
    let i = o.instruction;
    let target = o.target()?;
    let source = o.next()?;
    o.end()?;
    let types = types(i);
    let to = types.iter().find(|type_| is_float(type_)).map_or("f32", String::as_str);
    let from = types.iter().find(|type_| !is_float(type_)).map_or("s32", String::as_str);
    let value = if from.ends_with("64") {
        wide_integer(machine, source)?
    } else {
        let value = integer(machine, source)?;
        machine.emit.in_register(&value)
    };
    // Narrow sources are the lower bits of the register.
    let value = match from {
        "u8" | "s8" | "u16" | "s16" => {
            let wide = if from.starts_with('u') { "u32" } else { "s32" };
            machine.emit.b32(&format!("cvt.{wide}.{from}"), &[&value])
        }
        _ => value,
    };
    let from = match from {
        "u8" | "u16" => "u32",
        "s8" | "s16" => "s32",
        other => other,
    };
    leave(machine, target, &format!("cvt{}.{to}.{from}", rounding(i)), to, &value)
}

/// F2IP.type.F32 R, a, b, c: two numbers as bytes, the second one below, beside what is merged. `NTZ` makes 0 of NaN.
pub(super) fn f2ip(machine: &mut Machine, mut o: Operands) -> Lifted {
    let i = o.instruction;
    let target = o.target()?;
    let (above, below, rest) = (o.next()?, o.next()?, o.next()?);
    o.end()?;
    if !i.has("NTZ") {
        return unsupported("what NaN becomes");
    }
    let round = if i.has("TRUNC") { ".rzi" } else { ".rni" };
    let (type_, wide) = if i.has("S8") { ("s8", "s32") } else { ("u8", "u32") };
    let byte = |machine: &mut Machine, source| -> Result<String, Reason> {
        let value = number(machine, source, "f32")?;
        let byte = machine.emit.b32(&format!("cvt{round}.{type_}.f32"), &[&value]);
        let byte = machine.emit.b32(&format!("cvt.{wide}.{type_}"), &[&byte]);
        Ok(machine.emit.b32("and.b32", &[&byte, "0xff"]))
    };
    let mut half = byte(machine, below)?;
    if !sums::is_zero(above) {
        let above = byte(machine, above)?;
        let above = machine.emit.b32("shl.b32", &[&above, "8"]);
        half = machine.emit.b32("or.b32", &[&half, &above]);
    }
    merge(machine, target, &half, rest)
}

/// Leaves a half of a word that has nothing above it, below the lower half of another one; or below its upper half, if that is named.
fn merge(machine: &mut Machine, target: Target, half: &str, with: &Operand) -> Lifted {
    if sums::is_zero(with) {
        machine.set(target, half);
        return Ok(());
    }
    let is_upper = match suffix(with) {
        None => false,
        Some("H1") => true,
        Some(other) => return unsupported(format!("suffix `{other}`")),
    };
    let above = bits(machine, with)?;
    let above = match is_upper {
        true => machine.emit.b32("and.b32", &[&above, "0xffff0000"]),
        false => machine.emit.b32("shl.b32", &[&above, "16"]),
    };
    machine.put(target, "or.b32", &[half, &above]);
    Ok(())
}

/// F2FP.to.from.form R, ...: one number or two as narrower ones in a word, or back.
pub(super) fn f2fp(machine: &mut Machine, mut o: Operands) -> Lifted {
    let i = o.instruction;
    let target = o.target()?;
    let round = if i.has("RZ") { ".rz" } else { ".rn" };
    let (relu, finite) = (word(i.has("RELU"), ".relu"), word(i.has("SATFINITE"), ".satfinite"));
    let byte = ["E4M3", "E5M2"].into_iter().find(|name| i.has(name)).map(str::to_lowercase);
    let halves = if i.has("BF16") { "bf16x2" } else { "f16x2" };
    let type_ = match &byte {
        Some(byte) if !i.has("UNPACK_B") => format!("{byte}x2"),
        _ => halves.to_owned(),
    };
    let single = |machine: &mut Machine, operand| -> Result<String, Reason> {
        let value = float(machine, operand)?;
        Ok(machine.emit.in_register(&value))
    };
    // So ptxas packs four numbers, the upper two first.
    let merged = |machine: &mut Machine, o: &mut Operands, half: &str| -> Lifted {
        let half = machine.emit.b32("cvt.u32.u16", &[half]);
        merge(machine, target, &half, o.next()?)
    };
    match i.modifiers.iter().find(|name| name.contains("PACK_") || **name == "MERGE_C").copied() {
        Some("PACK_AB") => {
            let [a, b] = [single(machine, o.next()?)?, single(machine, o.next()?)?];
            machine.put(target, &format!("cvt{round}{relu}{finite}.{type_}.f32"), &[&a, &b]);
        }
        // One number below.
        Some("MERGE_C") => {
            let a = single(machine, o.next()?)?;
            let type_ = type_.trim_end_matches("x2");
            let half = machine.emit.b16(&format!("cvt{round}{relu}{finite}.{type_}.f32"), &[&a]);
            merged(machine, &mut o, &half)?;
        }
        Some("PACK_B") => {
            let a = single(machine, o.next()?)?;
            machine.put(target, &format!("cvt{round}{relu}.tf32.f32"), &[&a]);
        }
        Some("PACK_AB_MERGE_C") => {
            let [a, b] = [single(machine, o.next()?)?, single(machine, o.next()?)?];
            let half =
                machine.emit.b16(&format!("cvt{round}{finite}{relu}.{type_}.f32"), &[&a, &b]);
            merged(machine, &mut o, &half)?;
        }
        Some("UNPACK_B_MERGE_C") => {
            let pair = o.next()?;
            if suffix(pair).is_some() {
                return unsupported("the other half");
            }
            let pair = bits(machine, pair)?;
            let pair = machine.emit.in_register(&pair);
            let half = machine.emit.b16(&format!("cvt.rn{finite}{relu}.{type_}.f16x2"), &[&pair]);
            merged(machine, &mut o, &half)?;
        }
        Some("UNPACK_B") => {
            let operand = o.next()?;
            let word = bits(machine, operand)?;
            let (low, high) = machine.emit.words(&word);
            let pair = if suffix(operand).is_some() { high } else { low };
            let byte = byte.unwrap_or_default();
            machine.put(target, &format!("cvt.rn{relu}.{type_}.{byte}x2"), &[&pair]);
        }
        _ => return unsupported("a form"),
    }
    o.end()
}
