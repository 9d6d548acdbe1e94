//! Instructions and operands to text.

use std::fmt::{self, Display, Formatter, Write};

use super::commas;
use crate::isa::Call;
use crate::isa::Instruction;
use crate::isa::spec::{Form, OperandRef, OperandSlot, Parts, Slot};
use crate::operand::{Address, Immediate, Operand};

impl Display for Instruction<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Instruction::Call(call) = self {
            return call.fmt(f);
        }
        let Some(parts) = self.parts() else { return Ok(()) };
        match parts.spec.forms.iter().find(|form| is_form(form, &parts)) {
            Some(form) => print(f, form, &parts),
            // A struct that no line of the manual describes, built by hand.
            None => write!(f, "{} /* {self:?} */", parts.spec.name),
        }
    }
}

/// Whether the form has a place for all that is there, and all that it needs is there.
fn is_form(form: &Form, parts: &Parts<'_, '_>) -> bool {
    let mut fields = 0u64;
    let mut operands = 0u64;
    let mut slot_fits = |slot: &Slot| match slot.field {
        None => true,
        Some(field) => {
            fields |= 1 << field;
            match word(parts, slot) {
                Some(word) => slot.words.contains(&word),
                None => slot.optional,
            }
        }
    };
    if !form.modifiers.iter().all(&mut slot_fits) {
        return false;
    }
    for operand in form.operands {
        let pair = operand.pair.map(|(field, optional)| (field, optional || operand.optional));
        for (field, optional) in operand.fields.iter().map(|f| (*f, operand.optional)).chain(pair) {
            operands |= 1 << field;
            if parts.operands[field].is_none() && !optional {
                return false;
            }
        }
        if !operand.suffix.as_ref().is_none_or(&mut slot_fits) {
            return false;
        }
    }
    let covers = |mask: u64, index: usize| mask & (1 << index) != 0;
    (0..parts.codes.len()).all(|i| parts.codes[i] == 0 || covers(fields, i))
        && (0..parts.operands.len()).all(|i| parts.operands[i].is_none() || covers(operands, i))
}

/// The word that the value of a slot's field is written with; none where it is absent.
fn word(parts: &Parts<'_, '_>, slot: &Slot) -> Option<&'static str> {
    let Some(field) = slot.field else { return slot.words.first().copied() };
    let index = usize::from(parts.codes[field]).checked_sub(1)?;
    let words = parts.spec.fields.get(field)?.words;
    if words.is_empty() { slot.words.first().copied() } else { words.get(index).copied() }
}

fn print(f: &mut Formatter<'_>, form: &Form, parts: &Parts<'_, '_>) -> fmt::Result {
    f.write_str(form.opcode)?;
    for slot in form.modifiers {
        if let Some(word) = word(parts, slot) {
            write!(f, ".{word}")?;
        }
    }
    let mut first = true;
    for slot in form.operands {
        if slot.fields.iter().all(|field| parts.operands[*field].is_none()) {
            continue;
        }
        f.write_str(if first { " " } else { ", " })?;
        first = false;
        print_operand(f, slot, parts)?;
    }
    Ok(())
}

fn print_operand(f: &mut Formatter<'_>, slot: &OperandSlot, parts: &Parts<'_, '_>) -> fmt::Result {
    let operands: Vec<_> = slot.fields.iter().filter_map(|field| parts.operands[*field]).collect();
    if slot.bracket && slot.fields.len() > 1 {
        f.write_char('[')?;
        commas(f, &operands)?;
        f.write_char(']')?;
    } else {
        commas(f, &operands)?;
    }
    if let Some(suffix) = slot.suffix.as_ref().and_then(|s| word(parts, s)) {
        write!(f, ".{suffix}")?;
    }
    match slot.pair.and_then(|(field, _)| parts.operands[field]) {
        Some(pair) => write!(f, "|{pair}"),
        None => Ok(()),
    }
}

impl Display for OperandRef<'_, '_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            OperandRef::Operand(operand) => operand.fmt(f),
            OperandRef::Address(address) if address.index.is_some() => address.fmt(f),
            OperandRef::Address(address) => write!(f, "[{address}]"),
        }
    }
}

impl Display for Operand<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Operand::Name(name) => f.write_str(name),
            Operand::Component(name, component) => write!(f, "{name}.{}", component.word()),
            Operand::Special(register) => register.fmt(f),
            Operand::Immediate(value) => value.fmt(f),
            Operand::Offset(address) => address.fmt(f),
            Operand::Vector(elements) => {
                f.write_char('{')?;
                commas(f, elements)?;
                f.write_char('}')
            }
            Operand::Sink => f.write_char('_'),
            Operand::Not(name) => write!(f, "!{name}"),
            Operand::Minus(name) => write!(f, "-{name}"),
        }
    }
}

impl Display for Address<'_> {
    /// Without brackets.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let (Some(base), Some(index)) = (self.base, self.index) {
            write!(f, "{base}[{}", index.register)?;
            return match self.offset / i64::from(index.size.max(1)) {
                0 => f.write_char(']'),
                elements => write!(f, "+{elements}]"),
            };
        }
        match (self.base, self.offset) {
            (Some(base), 0) => f.write_str(base),
            (Some(base), offset) => write!(f, "{base}+{offset}"),
            (None, offset) => write!(f, "{offset}"),
        }
    }
}

impl Display for Immediate {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            // The digits of the smallest value alone would be unsigned.
            Immediate::S64(i64::MIN) => f.write_str("(.s64)0x8000000000000000"),
            Immediate::S64(value) => write!(f, "{value}"),
            Immediate::U64(value) => write!(f, "{value}U"),
            Immediate::F32(bits) => write!(f, "0f{bits:08X}"),
            Immediate::F64(bits) => write!(f, "0d{bits:016X}"),
        }
    }
}

impl Display for Call<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(if self.uni { "call.uni " } else { "call " })?;
        if !self.returns.is_empty() {
            f.write_char('(')?;
            commas(f, &self.returns)?;
            f.write_str("), ")?;
        }
        f.write_str(self.target)?;
        if !self.arguments.is_empty() {
            f.write_str(", (")?;
            commas(f, &self.arguments)?;
            f.write_char(')')?;
        }
        match self.prototype {
            Some(prototype) => write!(f, ", {prototype}"),
            None => Ok(()),
        }
    }
}
