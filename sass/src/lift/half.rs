//! Pairs of binary16 and bfloat16.

use super::emit::{Emitter, Truth, unsupported};
use super::error::Reason;
use super::float::{compared, plain, word};
use super::integer::join_name;
use super::machine::{Lifted, Machine};
use super::operand::{Operands, bits, signs, suffix};
use crate::instruction::{Immediate, Instruction, Operand};

/// A source: its halves as the suffix picks them, signs applied to both.
pub(super) fn source(
    machine: &mut Machine,
    operand: &Operand,
    _bf16: bool,
) -> Result<String, Reason> {
    let plain = bits(machine, operand)?;
    let signs = signs(operand);
    let emit = &mut machine.emit;
    let picked = match suffix(operand) {
        None | Some("H1_H0") => plain,
        _ if plain == "0" => plain,
        Some("H0_H0" | "H0") => emit.b32("prmt.b32", &[&plain, &plain, "0x1010"]),
        Some("H1_H1" | "H1") => emit.b32("prmt.b32", &[&plain, &plain, "0x3232"]),
        // A number of binary32, cut off: it is how ptxas makes `cvt.rz.f16.f32`.
        Some("F32") => {
            let single = emit.in_register(&plain);
            emit.b32("cvt.rz.f16x2.f32", &[&single, &single])
        }
        Some(_) => return unsupported(format!("operand `{operand}`")),
    };
    let value = if signs.absolute { emit.b32("and.b32", &[&picked, "0x7fff7fff"]) } else { picked };
    Ok(if signs.negated { emit.b32("xor.b32", &[&value, "0x80008000"]) } else { value })
}

/// The next source, which takes two operands where it is immediate: the upper half first.
fn next(machine: &mut Machine, o: &mut Operands, bf16: bool) -> Result<String, Reason> {
    let operand = o.next()?;
    let half = |operand: &Operand| match operand {
        Operand::Immediate(Immediate::F16(bits) | Immediate::Bf16(bits)) => Some(*bits),
        Operand::Immediate(Immediate::Integer(value)) => u16::try_from(*value).ok(),
        _ => None,
    };
    if let Some(upper) = half(operand) {
        return match o.next().map(half)? {
            Some(lower) => Ok(format!("{:#x}", u32::from(upper) << 16 | u32::from(lower))),
            None => unsupported("half an immediate"),
        };
    }
    source(machine, operand, bf16)
}

fn type_name(i: &Instruction) -> &'static str {
    if i.has("BF16_V2") || i.has("BF16") { "bf16x2" } else { "f16x2" }
}

/// HADD2, HMUL2, HFMA2
pub(super) fn arithmetic(machine: &mut Machine, mut o: Operands) -> Lifted {
    let i = o.instruction;
    let bf16 = type_name(i) == "bf16x2";
    let target = o.target()?;
    let mut values = Vec::new();
    while o.left() > 0 {
        values.push(next(machine, &mut o, bf16)?);
    }
    if let Some(other) = i
        .modifiers
        .iter()
        .find(|name| !["MMA", "FTZ", "SAT", "BF16_V2", "RELU", "F32", "FMZ", "OOB"].contains(name))
    {
        return unsupported(format!("modifier `{other}`"));
    }
    if i.has("FMZ") {
        return unsupported("modifier `FMZ`");
    }
    let values: Vec<String> = values.iter().map(|value| machine.emit.in_register(value)).collect();
    if i.has("F32") {
        // A sum of halves in binary32: mostly a conversion, with -0 for the first.
        let singles: Vec<String> = values
            .iter()
            .map(|value| {
                let (low, _) = machine.emit.words(value);
                machine.emit.b32(if bf16 { "cvt.f32.bf16" } else { "cvt.f32.f16" }, &[&low])
            })
            .collect();
        let [a, b] = singles.as_slice() else { return unsupported("a form") };
        let (ftz, sat) = (word(i.has("FTZ"), ".ftz"), word(i.has("SAT"), ".sat"));
        machine.put(target, &format!("add.rn{ftz}{sat}.f32"), &[a, b]);
        return Ok(());
    }
    let name = match i.opcode {
        "HADD2" => "add",
        "HMUL2" => "mul",
        _ => "fma",
    };
    let operation = format!(
        "{name}.rn{}{}{}{}.{}",
        word(i.has("OOB"), ".oob"),
        word(i.has("FTZ"), ".ftz"),
        word(i.has("SAT"), ".sat"),
        word(i.has("RELU"), ".relu"),
        type_name(i)
    );
    let texts: Vec<&str> = values.iter().map(String::as_str).collect();
    machine.put(target, &operation, &texts);
    Ok(())
}

/// HMNMX2 R, a, b, P: the smaller where P.
pub(super) fn minmax(machine: &mut Machine, mut o: Operands) -> Lifted {
    let i = o.instruction;
    let bf16 = type_name(i) == "bf16x2";
    let target = o.target()?;
    let mut value = |machine: &mut Machine| match o.peek() {
        // The signs that are joined are those of the numbers as they are.
        Some(operand @ (Operand::Register(_) | Operand::Constant(_))) if i.has("XORSIGN") => {
            let operand = plain(operand);
            o.next()?;
            source(machine, &operand, bf16)
        }
        _ => next(machine, &mut o, bf16),
    };
    let a = value(machine)?;
    let b = value(machine)?;
    let smaller = o.truth(machine)?;
    o.end()?;
    let [a, b] = [a, b].map(|value| machine.emit.in_register(&value));
    let behind = format!(
        "{}{}{}.{}",
        word(i.has("FTZ"), ".ftz"),
        word(i.has("NAN"), ".NaN"),
        word(i.has("XORSIGN"), ".xorsign.abs"),
        type_name(i)
    );
    let [min, max] =
        ["min", "max"].map(|name| machine.emit.b32(&format!("{name}{behind}"), &[&a, &b]));
    let value = machine.emit.select(&smaller, &min, &max);
    machine.set(target, &value);
    Ok(())
}

/// The comparison of both halves, joined with a predicate.
fn both(machine: &mut Machine, o: &mut Operands) -> Result<[Truth; 2], Reason> {
    let i = o.instruction;
    let bf16 = type_name(i) == "bf16x2";
    let a = next(machine, o, bf16)?;
    let b = next(machine, o, bf16)?;
    let input = o.truth(machine)?;
    let (a, b) = (machine.emit.words(&a), machine.emit.words(&b));
    let type_ = if bf16 { "bf16" } else { "f16" };
    let low = compared(machine, i, type_, &a.0, &b.0)?;
    let high = compared(machine, i, type_, &a.1, &b.1)?;
    if i.has("H_AND") {
        let all = machine.emit.join("and", &low, &high);
        return Ok([&all, &all.clone().not()]
            .map(|truth| machine.emit.join(join_name(&i.modifiers), truth, &input)));
    }
    Ok([&low, &high].map(|truth| machine.emit.join(join_name(&i.modifiers), truth, &input)))
}

/// HSETP2 P, Q, a, b, c: of the lower and of the upper halves.
pub(super) fn hsetp2(machine: &mut Machine, mut o: Operands) -> Lifted {
    let [p, q] = [o.predicate()?, o.predicate()?];
    let truths = both(machine, &mut o)?;
    o.end()?;
    let [low, high] = truths.map(|truth| machine.copied(truth));
    machine.emit.keep_guard();
    machine.set_predicate(p, &low);
    machine.set_predicate(q, &high);
    Ok(())
}

/// HSET2[.BF] R, a, b, c: halves of 1.0 or all ones.
pub(super) fn hset2(machine: &mut Machine, mut o: Operands) -> Lifted {
    let i = o.instruction;
    let target = o.target()?;
    let [low, high] = both(machine, &mut o)?;
    o.end()?;
    let one: u32 = match (i.has("BF"), type_name(i)) {
        (false, _) => 0xffff,
        (true, "bf16x2") => 0x3f80,
        (true, _) => 0x3c00,
    };
    let emit: &mut Emitter = &mut machine.emit;
    let low = emit.select(&low, &one.to_string(), "0");
    let high = emit.select(&high, &(one << 16).to_string(), "0");
    machine.put(target, "or.b32", &[&low, &high]);
    Ok(())
}
