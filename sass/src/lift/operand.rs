//! Reads operands one after the other, as values in PTX.

use super::emit::{Emitter, Kind, Part, Truth, unsupported};
use super::error::Reason;
use super::machine::Machine;
use crate::instruction::{
    Address, Bank, Constant, File, Immediate, Instruction, Operand, Predicate, Register,
};

/// The operands of an instruction that have not been read yet.
pub(super) struct Operands<'a> {
    pub(super) instruction: &'a Instruction,
    at: usize,
}

/// Where a result goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    pub(super) file: File,
    pub(super) number: u8,
}

impl Target {
    /// The register so many behind this one; zero's neighbours are zero.
    pub(super) fn next(self, by: u8) -> Self {
        let zero = match self.file {
            File::General => Register::RZ,
            File::Uniform => Register::URZ,
        };
        let number = if self.number == zero { zero } else { self.number.saturating_add(by) };
        Self { number, ..self }
    }
}

type Result<T> = std::result::Result<T, Reason>;

fn wrong<T>(operand: Option<&Operand>, wanted: &str) -> Result<T> {
    match operand {
        Some(operand) => {
            Err(Reason::Unsupported(format!("operand `{operand}` in place of {wanted}")))
        }
        None => Err(Reason::Invalid(format!("{wanted} is missing"))),
    }
}

impl<'a> Operands<'a> {
    pub(super) fn new(instruction: &'a Instruction) -> Self {
        Self { instruction, at: 0 }
    }

    pub(super) fn peek(&self) -> Option<&'a Operand> {
        self.instruction.operands.get(self.at)
    }

    pub(super) fn next(&mut self) -> Result<&'a Operand> {
        let operand = self.peek();
        self.at += 1;
        operand.map_or_else(|| wrong(None, "an operand"), Ok)
    }

    /// How many are left.
    pub(super) fn left(&self) -> usize {
        self.instruction.operands.len().saturating_sub(self.at)
    }

    /// Everything has to have been read.
    pub(super) fn end(&self) -> Result<()> {
        match self.peek() {
            None => Ok(()),
            Some(operand) => unsupported(format!("operand `{operand}`")),
        }
    }

    pub(super) fn target(&mut self) -> Result<Target> {
        match self.next()? {
            Operand::Register(register) => {
                Ok(Target { file: register.file, number: register.number })
            }
            other => wrong(Some(other), "a register"),
        }
    }

    pub(super) fn predicate(&mut self) -> Result<Predicate> {
        match self.next()? {
            Operand::Predicate(predicate) => Ok(*predicate),
            other => wrong(Some(other), "a predicate"),
        }
    }

    /// A predicate, where the next operand is one.
    pub(super) fn optional_predicate(&mut self) -> Option<Predicate> {
        match self.peek() {
            Some(Operand::Predicate(predicate)) => {
                self.at += 1;
                Some(*predicate)
            }
            _ => None,
        }
    }

    pub(super) fn integer(&mut self) -> Result<i64> {
        match self.next()? {
            Operand::Immediate(Immediate::Integer(value)) => Ok(*value),
            Operand::Register(register) if register.is_zero() => Ok(0),
            other => wrong(Some(other), "a number"),
        }
    }

    pub(super) fn address(&mut self) -> Result<Address> {
        match self.next()? {
            Operand::Address(address) => Ok(*address),
            other => wrong(Some(other), "an address"),
        }
    }

    pub(super) fn special(&mut self) -> Result<&'static str> {
        match self.next()? {
            Operand::Special(name) | Operand::Word(name) => Ok(name),
            other => wrong(Some(other), "a special register"),
        }
    }

    pub(super) fn constant(&mut self) -> Result<Constant> {
        match self.next()? {
            Operand::Constant(constant) => Ok(*constant),
            other => wrong(Some(other), "a constant"),
        }
    }

    /// The value of a predicate that is read, or of the highest bit of a register.
    pub(super) fn truth(&mut self, machine: &mut Machine) -> Result<Truth> {
        if let Some(operand) = self.peek()
            && suffix(operand) == Some("SIGN")
        {
            self.at += 1;
            let value = bits(machine, operand)?;
            let flag = machine.emit.flag("setp.lt.s32", &[&value, "0"]);
            return Ok(Truth::Register(flag, signs(operand).inverted));
        }
        self.predicate().map(|predicate| machine.emit.truth(predicate))
    }
}

/// A source of 32 bits before anything is applied to it.
pub(super) fn bits(machine: &mut Machine, operand: &Operand) -> Result<String> {
    Ok(match operand {
        Operand::Register(register) => machine.general(register),
        Operand::Immediate(_) if machine.half.is_some() => {
            let half = machine.half.clone();
            half.map_or_else(|| wrong(None, "an address"), |half| machine.half_address(&half))?
        }
        Operand::Immediate(immediate) => format!("{:#x}", immediate_bits(*immediate)),
        Operand::Constant(constant) => machine.constant(constant)?,
        other => return wrong(Some(other), "a source"),
    })
}

/// The word that an immediate is. The upper half of a double.
pub(super) fn immediate_bits(immediate: Immediate) -> u32 {
    match immediate {
        Immediate::Integer(value) => value as u32,
        Immediate::F16(bits) | Immediate::Bf16(bits) => bits.into(),
        Immediate::F32(bits) => bits,
        Immediate::F64(bits) => (bits >> 32) as u32,
    }
}

pub(super) fn signs(operand: &Operand) -> crate::instruction::Signs {
    match operand {
        Operand::Register(register) => register.signs,
        Operand::Constant(constant) => constant.signs,
        _ => Default::default(),
    }
}

pub(super) fn suffix(operand: &Operand) -> Option<&'static str> {
    match operand {
        Operand::Register(register) => register.suffix,
        Operand::Constant(constant) => constant.suffix,
        _ => None,
    }
}

/// A source of 32 bits as an integer.
pub(super) fn integer(machine: &mut Machine, operand: &Operand) -> Result<String> {
    let value = bits(machine, operand)?;
    let value = part(&mut machine.emit, value, suffix(operand))?;
    let signs = signs(operand);
    let emit = &mut machine.emit;
    let value = if signs.absolute { emit.b32("abs.s32", &[&value]) } else { value };
    let value = if signs.inverted { emit.b32("not.b32", &[&value]) } else { value };
    Ok(if signs.negated { negated(emit, &value) } else { value })
}

pub(super) fn negated(emit: &mut Emitter, value: &str) -> String {
    if value == "0" { value.to_owned() } else { emit.b32("neg.s32", &[value]) }
}

/// The byte or half that a suffix names, as it lies in the word; sign or zeros are for the instruction to extend.
fn part(emit: &mut Emitter, value: String, suffix: Option<&str>) -> Result<String> {
    let shift = match suffix {
        None | Some("B0" | "H0" | "H0_H0" | "U32" | "64") => return Ok(value),
        Some("B1") => "8",
        Some("B2" | "H1" | "H1_H1") => "16",
        Some("B3") => "24",
        Some(other) => return unsupported(format!("suffix `{other}`")),
    };
    Ok(emit.b32("shr.u32", &[&value, shift]))
}

/// A source of 32 bits as the bits of a number of binary32, signs applied.
pub(super) fn float(machine: &mut Machine, operand: &Operand) -> Result<String> {
    let value = match bits(machine, operand)? {
        // Numbers of arithmetic have a letter for their type.
        number if number.starts_with('%') => number,
        number => {
            let digits = number.strip_prefix("0x").unwrap_or(&number);
            format!("0f{:08X}", u32::from_str_radix(digits, 16).unwrap_or(0))
        }
    };
    let signs = signs(operand);
    let emit = &mut machine.emit;
    let value = if signs.absolute { emit.b32("and.b32", &[&value, "0x7fffffff"]) } else { value };
    Ok(if signs.negated { emit.b32("xor.b32", &[&value, "0x80000000"]) } else { value })
}

/// A source of 64 bits before anything is applied to it: a register and the next, or eight bytes of a bank, or the upper half of
/// a double.
pub(super) fn wide_bits(machine: &mut Machine, operand: &Operand) -> Result<String> {
    Ok(match operand {
        Operand::Register(register) if register.is_zero() => machine.emit.b64("mov.b64", &["0"]),
        Operand::Register(register) => {
            let low = machine.general(register);
            let high = machine
                .general(&Register { number: register.number.saturating_add(1), ..*register });
            machine.emit.joined(&low, &high)
        }
        Operand::Immediate(Immediate::F64(bits)) => {
            machine.emit.b64("mov.b64", &[&format!("{bits:#x}")])
        }
        // Immediates are the upper half of what is wider.
        Operand::Immediate(Immediate::Integer(value)) => {
            machine.emit.b64("mov.b64", &[&format!("{:#x}", u64::from(*value as u32) << 32)])
        }
        Operand::Constant(constant) => machine.wide_constant(constant)?,
        other => return wrong(Some(other), "a source of 64 bits"),
    })
}

pub(super) fn wide_integer(machine: &mut Machine, operand: &Operand) -> Result<String> {
    let value = wide_bits(machine, operand)?;
    let signs = signs(operand);
    let value = if signs.inverted { machine.emit.b64("not.b64", &[&value]) } else { value };
    Ok(if signs.negated { machine.emit.b64("neg.s64", &[&value]) } else { value })
}

/// A source of 64 bits as the bits of a number of binary64, signs applied.
pub(super) fn double(machine: &mut Machine, operand: &Operand) -> Result<String> {
    let value = wide_bits(machine, operand)?;
    let signs = signs(operand);
    let emit = &mut machine.emit;
    // What is no number keeps its sign, as for these instructions of PTX.
    let value = if signs.absolute { emit.b64("abs.f64", &[&value]) } else { value };
    Ok(if signs.negated { emit.b64("neg.f64", &[&value]) } else { value })
}

impl Machine<'_> {
    /// A register that is read, or `0`.
    pub(super) fn general(&mut self, register: &Register) -> String {
        self.emit.register(register.file, register.number).unwrap_or_else(|| "0".to_owned())
    }

    /// The place for a result of 32 bits: a register, or a temporary where nobody wants it.
    pub(super) fn place(&mut self, target: Target) -> String {
        match self.emit.register(target.file, target.number) {
            Some(name) => name,
            None => self.emit.temporary(Kind::B32),
        }
    }

    /// Leaves the result of an operation in a register.
    pub(super) fn put(&mut self, target: Target, operation: &str, operands: &[&str]) {
        if let Some(name) = self.emit.register(target.file, target.number) {
            self.emit.guarded(format_args!("{operation} {name}, {}", operands.join(", ")));
            self.emit.written(&name, None);
        }
    }

    pub(super) fn set(&mut self, target: Target, value: &str) {
        if let Some(name) = self.emit.register(target.file, target.number) {
            self.emit.guarded(format_args!("mov.b32 {name}, {value}"));
            self.emit.moved(&name, value);
        }
    }

    /// Leaves 64 bits in a register and the next.
    pub(super) fn set_wide(&mut self, target: Target, value: &str) {
        let names =
            [target, target.next(1)].map(|target| self.emit.register(target.file, target.number));
        if let [Some(low), Some(high)] = names {
            self.emit.guarded(format_args!("mov.b64 {{{low}, {high}}}, {value}"));
            self.emit.written(&low, Some((value, Part::Low)));
            self.emit.written(&high, Some((value, Part::High)));
        }
    }

    /// Leaves a predicate.
    pub(super) fn set_predicate(&mut self, target: Predicate, value: &Truth) {
        let Some(name) = self.emit.predicate(target.file, target.number) else { return };
        match value {
            Truth::Register(value, false) => {
                self.emit.guarded(format_args!("mov.pred {name}, {value}"))
            }
            Truth::Register(value, true) => {
                self.emit.guarded(format_args!("not.pred {name}, {value}"))
            }
            Truth::Constant(value) => {
                let operation = if *value { "setp.eq.u32" } else { "setp.ne.u32" };
                self.emit.guarded(format_args!("{operation} {name}, 0, 0"));
            }
        }
    }

    /// A value in a constant bank, 32 bits at an offset that an instruction has.
    fn constant(&mut self, constant: &Constant) -> Result<String> {
        match (constant.bank, constant.register) {
            (Bank::Number(bank), None) => self.bank_word(bank, constant.offset),
            _ => unsupported(format!("operand `{constant}`")),
        }
    }

    fn wide_constant(&mut self, constant: &Constant) -> Result<String> {
        match (constant.bank, constant.register) {
            (Bank::Number(bank), None) => self.bank_wide(bank, constant.offset),
            _ => unsupported(format!("operand `{constant}`")),
        }
    }
}
