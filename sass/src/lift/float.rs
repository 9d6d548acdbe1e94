//! Numbers of binary32 and binary64, and the approximations of MUFU.

use super::emit::{Truth, unsupported};
use super::error::Reason;
use super::integer::{comparison, leave_comparison};
use super::machine::{Lifted, Machine};
use super::operand::{Operands, Target, double, float};
use crate::instruction::{Constant, Immediate, Instruction, Operand, Register, Signs};

/// 1 / 2 pi as the instructions before a sine or cosine have it.
const TURN: u32 = 0x3e22_f983;

/// The rounding among the modifiers, as PTX has it.
pub(super) fn rounding(i: &Instruction) -> &'static str {
    match () {
        () if i.has("RM") => ".rm",
        () if i.has("RP") => ".rp",
        () if i.has("RZ") => ".rz",
        () => ".rn",
    }
}

pub(super) fn word(present: bool, text: &'static str) -> &'static str {
    if present { text } else { "" }
}

fn known(i: &Instruction, names: &[&str]) -> Lifted {
    match i.modifiers.iter().find(|name| !names.contains(name)) {
        Some(name) => unsupported(format!("modifier `{name}`")),
        None => Ok(()),
    }
}

/// FADD, FMUL, FFMA: R, a, b [, c]
pub(super) fn arithmetic(machine: &mut Machine, mut o: Operands) -> Lifted {
    let i = o.instruction;
    let name = match i.opcode {
        "FADD" => "add",
        "FMUL" => "mul",
        _ => "fma",
    };
    let target = o.target()?;
    let sources: Vec<_> = std::iter::from_fn(|| o.next().ok()).collect();
    let mut values = Vec::new();
    for source in &sources {
        values.push(float(machine, source)?);
    }
    if let Some((_, scale)) = SCALES.iter().find(|(name, _)| i.has(name)) {
        return scaled_product(machine, i, target, &values, *scale);
    }
    let operation = format!(
        "{name}{}{}{}.f32",
        rounding(i),
        word(i.has("FTZ"), ".ftz"),
        word(i.has("SAT"), ".sat")
    );
    let texts: Vec<&str> = values.iter().map(String::as_str).collect();
    // A sine's argument is counted in turns, in PTX in radians.
    let is_turns = i.opcode == "FMUL"
        && i.has("RZ")
        && matches!(sources.get(1), Some(Operand::Immediate(Immediate::F32(TURN))));
    if is_turns {
        let angle = machine.emit.b32("mov.b32", &[texts[0]]);
        let guard = machine.emit.guard().to_owned();
        machine.put(target, &operation, &texts);
        machine
            .fresh
            .turns
            .insert(target.number, super::machine::Turn { angle, guard, flushed: i.has("FTZ") });
        return Ok(());
    }
    machine.put(target, &operation, &texts);
    Ok(())
}

/// What products are multiplied by before they are rounded.
const SCALES: [(&str, f64); 6] =
    [("D8", 0.125), ("D4", 0.25), ("D2", 0.5), ("M2", 2.0), ("M4", 4.0), ("M8", 8.0)];

/// FMUL.D2 and the like: binary64 holds products of binary32 and their scaling without an error.
fn scaled_product(
    machine: &mut Machine,
    i: &Instruction,
    target: Target,
    values: &[String],
    scale: f64,
) -> Lifted {
    let [a, b] = values else { return unsupported("these factors") };
    let flush = word(i.has("FTZ"), ".ftz");
    let [a, b] = [a, b].map(|value| {
        let value = machine.emit.in_register(value);
        machine.emit.b64(&format!("cvt{flush}.f64.f32"), &[&value])
    });
    let product = machine.emit.b64("mul.rn.f64", &[&a, &b]);
    let scaled = format!("0d{:016X}", scale.to_bits());
    let product = machine.emit.b64("mul.rn.f64", &[&product, &scaled]);
    let operation = format!("cvt{}{flush}{}.f32.f64", rounding(i), word(i.has("SAT"), ".sat"));
    machine.put(target, &operation, &[&product]);
    Ok(())
}

/// FSETP P, Q, a, b, c
pub(super) fn fsetp(machine: &mut Machine, mut o: Operands) -> Lifted {
    let i = o.instruction;
    let [p, q] = [o.predicate()?, o.predicate()?];
    let [a, b] = [float(machine, o.next()?)?, float(machine, o.next()?)?];
    let input = o.truth(machine)?;
    o.end()?;
    let found = compared(machine, i, "f32", &a, &b)?;
    leave_comparison(machine, [p, q], found, &input, &i.modifiers);
    Ok(())
}

/// A comparison of two numbers.
pub(super) fn compared(
    machine: &mut Machine,
    i: &Instruction,
    type_: &str,
    a: &str,
    b: &str,
) -> Result<Truth, Reason> {
    match i.modifiers.iter().find(|name| !["BF", "BF16_V2", "H_AND"].contains(name)) {
        Some(&"T") => return Ok(Truth::Constant(true)),
        Some(&"F") => return Ok(Truth::Constant(false)),
        _ => {}
    }
    let Some(name) = comparison(&i.modifiers) else { return unsupported("a comparison") };
    let flush = word(i.has("FTZ"), ".ftz");
    Ok(Truth::Register(machine.emit.flag(&format!("setp.{name}{flush}.{type_}"), &[a, b]), false))
}

/// FSET[.BF] R, a, b, c: 1.0 or all ones for true.
pub(super) fn fset(machine: &mut Machine, mut o: Operands) -> Lifted {
    let i = o.instruction;
    let target = o.target()?;
    let [a, b] = [float(machine, o.next()?)?, float(machine, o.next()?)?];
    let input = o.truth(machine)?;
    o.end()?;
    let found = compared(machine, i, "f32", &a, &b)?;
    let truth = machine.emit.join(super::integer::join_name(&i.modifiers), &found, &input);
    let yes = if i.has("BF") { "0x3f800000" } else { "0xffffffff" };
    let value = machine.emit.select(&truth, yes, "0");
    machine.set(target, &value);
    Ok(())
}

/// FMNMX R, a, b, P: the smaller where P.
pub(super) fn fmnmx(machine: &mut Machine, mut o: Operands) -> Lifted {
    let i = o.instruction;
    known(i, &["FTZ", "NAN", "XORSIGN"])?;
    let target = o.target()?;
    let [a, b] = [o.next()?, o.next()?];
    // The signs that are joined are those of the numbers as they are.
    let sources = if i.has("XORSIGN") { [plain(a), plain(b)] } else { [a.clone(), b.clone()] };
    let [a, b] = [float(machine, &sources[0])?, float(machine, &sources[1])?];
    let smaller = o.truth(machine)?;
    o.end()?;
    let behind = format!(
        "{}{}{}.f32",
        word(i.has("FTZ"), ".ftz"),
        word(i.has("NAN"), ".NaN"),
        word(i.has("XORSIGN"), ".xorsign.abs")
    );
    let [min, max] = ["min", "max"].map(|name| format!("{name}{behind}"));
    match smaller {
        Truth::Constant(smaller) => {
            machine.put(target, if smaller { &min } else { &max }, &[&a, &b])
        }
        smaller => {
            let min = machine.emit.b32(&min, &[&a, &b]);
            let max = machine.emit.b32(&max, &[&a, &b]);
            let value = machine.emit.select(&smaller, &min, &max);
            machine.set(target, &value);
        }
    }
    Ok(())
}

/// An operand without its bars.
pub(super) fn plain(operand: &Operand) -> Operand {
    match operand {
        Operand::Register(register) => {
            let signs = Signs { absolute: false, ..register.signs };
            Operand::Register(Register { signs, ..*register })
        }
        Operand::Constant(constant) => {
            let signs = Signs { absolute: false, ..constant.signs };
            Operand::Constant(Constant { signs, ..*constant })
        }
        other => other.clone(),
    }
}

/// FCHK P, a, b: whether a / b needs more care than multiplication by an approximate reciprocal. Both ways give the same
/// quotient where this says no, and it says no only where all of them are far from the ends of the range.
pub(super) fn fchk(machine: &mut Machine, mut o: Operands) -> Lifted {
    let p = o.predicate()?;
    let [a, b] = [float(machine, o.next()?)?, float(machine, o.next()?)?];
    o.end()?;
    let emit = &mut machine.emit;
    let mut outside = Truth::Constant(false);
    let exponents = [&a, &b].map(|value| {
        let value = emit.in_register(value);
        emit.b32("bfe.u32", &[&value, "23", "8"])
    });
    let distance = emit.b32("sub.s32", &[&exponents[0], &exponents[1]]);
    for (value, least, range) in
        [(&exponents[0], "32", "190"), (&exponents[1], "32", "190"), (&distance, "-90", "180")]
    {
        let from_least = emit.b32("sub.s32", &[value, least]);
        let beyond = Truth::Register(emit.flag("setp.gt.u32", &[&from_least, range]), false);
        outside = emit.join("or", &outside, &beyond);
    }
    machine.set_predicate(p, &outside);
    Ok(())
}

/// DIVISION R, a, b
pub(super) fn division(machine: &mut Machine, mut o: Operands) -> Lifted {
    let i = o.instruction;
    let target = o.target()?;
    let [a, b] = [float(machine, o.next()?)?, float(machine, o.next()?)?];
    o.end()?;
    let operation = format!("div.rn{}.f32", word(i.has("FTZ"), ".ftz"));
    machine.put(target, &operation, &[&a, &b]);
    Ok(())
}

/// ROOT R, a
pub(super) fn root(machine: &mut Machine, o: Operands) -> Lifted {
    rounded(machine, o, "sqrt")
}

/// RECIPROCAL R, a
pub(super) fn reciprocal(machine: &mut Machine, o: Operands) -> Lifted {
    rounded(machine, o, "rcp")
}

fn rounded(machine: &mut Machine, mut o: Operands, name: &str) -> Lifted {
    let i = o.instruction;
    let target = o.target()?;
    let a = float(machine, o.next()?)?;
    o.end()?;
    machine.put(target, &format!("{name}.rn{}.f32", word(i.has("FTZ"), ".ftz")), &[&a]);
    Ok(())
}

/// MUFU.function R, a
pub(super) fn mufu(machine: &mut Machine, mut o: Operands) -> Lifted {
    let i = o.instruction;
    let target = o.target()?;
    let source = o.next()?;
    o.end()?;
    let name = i.modifiers.first().copied().unwrap_or_default();
    if let "RCP64H" | "RSQ64H" = name {
        let upper = float(machine, source)?;
        let value = machine.emit.joined("0", &upper);
        let operation =
            if name == "RCP64H" { "rcp.approx.ftz.f64" } else { "rsqrt.approx.ftz.f64" };
        let value = machine.emit.b64(operation, &[&value]);
        let value = machine.emit.high(&value);
        machine.set(target, &value);
        return Ok(());
    }
    if let "SIN" | "COS" = name {
        let turn = match source {
            Operand::Register(register) if register.signs == Default::default() => {
                machine.known.turns.get(&register.number).cloned()
            }
            _ => None,
        };
        let Some(turn) = turn.filter(|turn| turn.guard == machine.emit.guard()) else {
            return unsupported("an angle that is not multiplied just before");
        };
        let flush = word(turn.flushed, ".ftz");
        machine.put(target, &format!("{}.approx{flush}.f32", name.to_lowercase()), &[&turn.angle]);
        return Ok(());
    }
    let half = i.has("F16") || i.has("BF16");
    let operation = match (name, half) {
        ("RCP", false) => "rcp.approx.ftz.f32",
        ("RSQ", false) => "rsqrt.approx.ftz.f32",
        ("SQRT", false) => "sqrt.approx.ftz.f32",
        ("EX2", false) => "ex2.approx.ftz.f32",
        ("LG2", false) => "lg2.approx.ftz.f32",
        ("TANH", false) => "tanh.approx.f32",
        ("EX2", true) if i.has("BF16") => "ex2.approx.ftz.bf16",
        ("TANH", true) if i.has("BF16") => "tanh.approx.bf16",
        ("EX2", true) => "ex2.approx.f16",
        ("TANH", true) => "tanh.approx.f16",
        _ => return unsupported("a function"),
    };
    if half {
        let value = super::half::source(machine, source, false)?;
        let (low, _) = machine.emit.words(&value);
        let result = machine.emit.b16(operation, &[&low]);
        machine.put(target, "cvt.u32.u16", &[&result]);
        return Ok(());
    }
    if i.modifiers.len() > 1 {
        return unsupported("a modifier");
    }
    let value = float(machine, source)?;
    machine.put(target, operation, &[&value]);
    Ok(())
}

/// DADD, DMUL, DFMA
pub(super) fn double_arithmetic(machine: &mut Machine, mut o: Operands) -> Lifted {
    let i = o.instruction;
    known(i, &["RM", "RP", "RZ", "RN"])?;
    let name = match i.opcode {
        "DADD" => "add",
        "DMUL" => "mul",
        _ => "fma",
    };
    let target = o.target()?;
    let mut values = Vec::new();
    while o.left() > 0 {
        values.push(double(machine, o.next()?)?);
    }
    let texts: Vec<&str> = values.iter().map(String::as_str).collect();
    let value = machine.emit.b64(&format!("{name}{}.f64", rounding(i)), &texts);
    machine.set_wide(target, &value);
    Ok(())
}

/// DSETP P, Q, a, b, c. MIN and MAX: P where a is to be taken, and Q where neither is a number.
pub(super) fn dsetp(machine: &mut Machine, mut o: Operands) -> Lifted {
    let i = o.instruction;
    let [p, q] = [o.predicate()?, o.predicate()?];
    let [a, b] = [double(machine, o.next()?)?, double(machine, o.next()?)?];
    let input = o.truth(machine)?;
    o.end()?;
    if i.has("MIN") || i.has("MAX") {
        if input != Truth::Constant(true) {
            return unsupported("a predicate joined with MIN or MAX");
        }
        let emit = &mut machine.emit;
        let compare = if i.has("MIN") { "lt" } else { "gt" };
        let before = Truth::Register(emit.flag(&format!("setp.{compare}.f64"), &[&a, &b]), false);
        let nan = Truth::Register(emit.flag("setp.nan.f64", &[&b, &b]), false);
        // The greater of two zeros is the positive one: as integers with a sign they are in order.
        let equal = Truth::Register(emit.flag("setp.eq.f64", &[&a, &b]), false);
        let by_sign = Truth::Register(emit.flag(&format!("setp.{compare}.s64"), &[&a, &b]), false);
        let zeros = emit.join("and", &equal, &by_sign);
        let first = emit.join("or", &before, &zeros);
        let other_nan = Truth::Register(emit.flag("setp.nan.f64", &[&a, &a]), false);
        let only = emit.join("and", &nan, &other_nan.clone().not());
        let first = emit.join("or", &first, &only);
        let neither = machine.emit.join("and", &nan, &other_nan);
        machine.emit.keep_guard();
        machine.set_predicate(p, &first);
        machine.set_predicate(q, &neither);
        return Ok(());
    }
    let found = compared(machine, i, "f64", &a, &b)?;
    leave_comparison(machine, [p, q], found, &input, &i.modifiers);
    Ok(())
}
