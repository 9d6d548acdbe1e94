//! Sums of 64 bits put together again.
//!
//! ptxas takes them apart, the upper half any number of instructions behind the lower one:
//!
//! ```text
//! IADD3 R2, P0, R0, c[0x0][0x160], RZ        LEA R2, P0, R0, c[0x0][0x160], 0x2
//! IADD3.X R3, R6, c[0x0][0x164], RZ, P0, !PT LEA.HI.X R3, R0, c[0x0][0x164], R6, 0x2, P0
//! ```
//!
//! Whoever looks for the stride of an address sees none in halves whose carry is a truth value. So a [`Lower`] keeps what a lower half was
//! the sum of, as long as the block goes on and its carries are there; and the upper half becomes one sum of 64 bits, of which the
//! lower half is taken again. What the carries were made of goes away behind.

use super::emit::Truth;
use super::error::Reason;
use super::machine::Machine;
use super::operand::{Target, bits, signs, suffix};
use crate::instruction::{Bank, Constant, File, Immediate, Instruction, Operand, Predicate};
use std::collections::HashMap;

type Place = (File, u8);

/// What a block knows of sums that may be halves.
#[derive(Default)]
pub(super) struct Sums {
    lower: Vec<Lower>,
    /// Registers that have nothing but the sign of another one, and which.
    signs: HashMap<Place, Place>,
}

/// The lower half of a sum.
struct Lower {
    /// Where it is; none once that was overwritten.
    target: Option<Place>,
    terms: Vec<Term>,
    /// The predicates that say how often it overflowed.
    carries: Vec<Place>,
}

/// A term of a lower half, before minus and shift.
#[derive(Clone)]
struct Term {
    /// A copy, or a number; nothing of a constant, which stays.
    value: String,
    from: From,
    is_negative: bool,
    shift: u32,
}

#[derive(Clone)]
enum From {
    Number(u32),
    Constant(Constant),
    /// A register that still has it, and those that have its sign.
    Register(Option<Place>, Vec<Place>),
}

impl Sums {
    /// Takes over what an instruction tells, after what it overwrites was forgotten.
    pub(super) fn learn(&mut self, i: &Instruction, written: &[Place], fresh: &mut Self) {
        let mentions = |place: &Place| {
            i.operands.iter().any(|operand| match operand {
                Operand::Predicate(found) => (found.file, found.number) == *place,
                _ => false,
            })
        };
        let all = ["R2P", "UR2UP", "R2UP"].contains(&i.opcode);
        self.lower.retain(|lower| !all && !lower.carries.iter().any(mentions));
        self.signs.retain(|to, from| !written.contains(to) && !written.contains(from));
        for lower in &mut self.lower {
            if lower.target.is_some_and(|target| written.contains(&target)) {
                lower.target = None;
            }
            for term in &mut lower.terms {
                let From::Register(register, signs) = &mut term.from else { continue };
                if register.is_some_and(|register| written.contains(&register)) {
                    *register = None;
                }
                signs.retain(|place| !written.contains(place));
                if let Some(register) = register {
                    let found = fresh.signs.iter().filter(|(_, of)| *of == register);
                    signs.extend(found.map(|(place, _)| *place));
                }
            }
        }
        self.lower.append(&mut fresh.lower);
        self.signs.extend(fresh.signs.drain());
    }
}

/// Notes that a register gets the sign of another one.
pub(super) fn is_sign(machine: &mut Machine, target: Target, of: &Operand) {
    let to = (target.file, target.number);
    if let Operand::Register(of) = of
        && is_plain(of.signs)
        && !of.is_zero()
        && machine.emit.guard().is_empty()
        && to != (of.file, of.number)
    {
        machine.fresh.sums.signs.insert(to, (of.file, of.number));
    }
}

fn is_plain(signs: crate::instruction::Signs) -> bool {
    signs == Default::default()
}

/// Notes a lower half, the sum of operands of which the first is shifted.
pub(super) fn is_lower(
    machine: &mut Machine,
    target: Target,
    carries: &[Predicate],
    operands: &[&Operand],
    shift: u32,
) -> Result<(), Reason> {
    if !machine.emit.guard().is_empty() || carries.iter().any(|carry| carry.number == Predicate::PT)
    {
        return Ok(());
    }
    let to = (target.file, target.number);
    let mut terms = Vec::new();
    for (index, operand) in operands.iter().enumerate() {
        let Some(from) = from(machine, operand, to) else { return Ok(()) };
        if is_zero(operand) {
            continue;
        }
        // Registers may be overwritten before the upper half comes.
        let value = match from {
            From::Register(..) => {
                let value = bits(machine, operand)?;
                machine.emit.copy(&value)
            }
            From::Number(value) => value.to_string(),
            From::Constant(_) => String::new(),
        };
        let shift = if index == 0 { shift } else { 0 };
        terms.push(Term { value, from, is_negative: signs(operand).negated, shift });
    }
    // So that the carries say all of how often it overflows.
    let negative = terms.iter().filter(|term| term.is_negative).count();
    if terms.len() <= carries.len() + 1 && negative <= carries.len() {
        let carries = carries.iter().map(|carry| (carry.file, carry.number)).collect();
        machine.fresh.sums.lower.push(Lower { target: Some(to), terms, carries });
    }
    Ok(())
}

/// Where a term is from; none of what is no whole word.
fn from(machine: &Machine, operand: &Operand, overwritten: Place) -> Option<From> {
    let signs = signs(operand);
    if signs.absolute || signs.inverted || suffix(operand).is_some() || machine.half.is_some() {
        return None;
    }
    Some(match operand {
        Operand::Register(register) => {
            let place = (register.file, register.number);
            let known = machine.known.sums.signs.iter();
            let of = known.filter(|(to, of)| **of == place && **to != overwritten);
            let of = of.map(|(to, _)| *to).collect();
            From::Register((place != overwritten).then_some(place), of)
        }
        Operand::Immediate(Immediate::Integer(value)) => From::Number(*value as u32),
        Operand::Constant(constant) if constant.register.is_none() => From::Constant(*constant),
        _ => return None,
    })
}

/// Leaves a sum of 64 bits where the terms of an upper half and its carries are those of a lower half that is known.
pub(super) fn upper(
    machine: &mut Machine,
    target: Target,
    operands: &[&Operand],
    carries: &[Truth],
) -> Result<bool, Reason> {
    let Some(lower) = take(machine, carries) else { return Ok(false) };
    let mut rest: Vec<&Operand> = operands.iter().filter(|o| !is_zero(o)).copied().collect();
    if rest.iter().any(|o| signs(o).negated || signs(o).absolute || suffix(o).is_some()) {
        return Ok(false);
    }
    let mut pairs = Vec::new();
    for term in &lower.terms {
        // The shift was done in the lower half.
        let own = pick(&mut rest, term);
        if term.is_negative != own.is_some_and(|own| signs(own).inverted) {
            return Ok(false);
        }
        pairs.push((term, own));
    }
    let mut parts = Vec::new();
    for (term, own) in pairs {
        let value = wide(machine, term, own)?;
        parts.push((value, term.is_negative));
    }
    for own in rest {
        let value = super::operand::integer(machine, own)?;
        parts.push((machine.emit.joined("0", &value), false));
    }
    leave(machine, target, &lower, parts);
    Ok(true)
}

/// The same for a product with a power of two, of which the upper half shifts again: `LEA.HI.X R, a, b, c, shift, carry`, without `c` where that is
/// the sign.
pub(super) fn upper_of_shifted(
    machine: &mut Machine,
    target: Target,
    [a, b]: [&Operand; 2],
    c: Option<&Operand>,
    shift: u32,
    carries: &[Truth],
) -> Result<bool, Reason> {
    if [a, b].iter().any(|o| !is_plain(signs(o)) || suffix(o).is_some()) {
        return Ok(false);
    }
    let Operand::Register(register) = a else { return Ok(false) };
    if c.is_some_and(|c| !is_plain(signs(c)) || suffix(c).is_some()) {
        return Ok(false);
    }
    let Some(lower) = take(machine, carries) else { return Ok(false) };
    let find = |shift: u32| {
        let is_it = |term: &Term| {
            let place = (register.file, register.number);
            matches!(term.from, From::Register(Some(own), _) if own == place) && term.shift == shift
        };
        lower.terms.iter().position(is_it)
    };
    // Shifted by one, what is above a word and its sign is the sign alone, which goes with a word that is not shifted too.
    let unshifted = || (c.is_none() && shift == 1).then(|| find(0)).flatten();
    let (at, shift) = match (find(shift), unshifted()) {
        (Some(at), _) => (at, shift),
        (None, Some(at)) => (at, 0),
        _ => return Ok(false),
    };
    if lower.terms.iter().any(|term| term.is_negative) {
        return Ok(false);
    }
    let whole = Term { shift: 0, ..lower.terms[at].clone() };
    let others = lower.terms.iter().enumerate().filter(|(index, _)| *index != at);
    let value = match c {
        Some(c) => wide(machine, &whole, (!is_zero(c)).then_some(c))?,
        None => machine.emit.b64("cvt.s64.s32", &[&whole.value]),
    };
    let value = match shift {
        0 => value,
        _ => machine.emit.b64("shl.b64", &[&value, &shift.to_string()]),
    };
    let mut parts = vec![(value, false)];
    let mut rest: Vec<&Operand> = [b].into_iter().filter(|b| !is_zero(b)).collect();
    for (_, term) in others {
        let own = pick(&mut rest, term);
        parts.push((wide(machine, term, own)?, false));
    }
    for own in rest {
        let value = bits(machine, own)?;
        parts.push((machine.emit.joined("0", &value), false));
    }
    leave(machine, target, &lower, parts);
    Ok(true)
}

/// The lower half that has these carries.
fn take(machine: &mut Machine, carries: &[Truth]) -> Option<Lower> {
    // A half of an address that loading puts in is no number.
    if !machine.emit.guard().is_empty() || machine.half.is_some() {
        return None;
    }
    let mut names: Vec<&str> = Vec::new();
    for carry in carries {
        match carry {
            Truth::Constant(false) => {}
            Truth::Register(name, false) => names.push(name),
            _ => return None,
        }
    }
    let emit = &mut machine.emit;
    let is_it = |lower: &Lower| {
        let own = lower.carries.iter().filter_map(|(file, number)| emit.predicate(*file, *number));
        let own: Vec<String> = own.collect();
        own.len() == names.len() && own.iter().all(|own| names.contains(&own.as_str()))
    };
    let at = machine.known.sums.lower.iter().position(is_it)?;
    Some(machine.known.sums.lower.remove(at))
}

/// Takes the operand that is the upper half of a term, or else one that may be any.
fn pick<'a>(operands: &mut Vec<&'a Operand>, term: &Term) -> Option<&'a Operand> {
    let fits = |operand: &&Operand| match (&term.from, operand) {
        (From::Number(_), Operand::Immediate(_)) => true,
        (From::Constant(own), Operand::Constant(other)) => is_behind(own, other),
        (From::Register(own, signs), Operand::Register(other)) => {
            let place = (other.file, other.number);
            signs.contains(&place)
                || own.is_some_and(|(file, number)| (file, number.wrapping_add(1)) == place)
        }
        _ => false,
    };
    let may = |operand: &&Operand| {
        signs(operand).inverted == term.is_negative && matches!(operand, Operand::Register(_))
    };
    let at = operands.iter().position(fits);
    let at = match (&term.from, at) {
        (_, Some(at)) => at,
        (From::Register(..), None) => operands.iter().position(may)?,
        _ if term.is_negative => operands.iter().position(may)?,
        _ => return None,
    };
    Some(operands.remove(at))
}

/// Whether a word stands in the place just behind another one.
fn is_behind(own: &Constant, other: &Constant) -> bool {
    own.bank == other.bank && own.offset + 4 == other.offset && other.register.is_none()
}

/// A term of 64 bits: the lower half, and the upper one, which may be zero.
fn wide(machine: &mut Machine, term: &Term, upper: Option<&Operand>) -> Result<String, Reason> {
    if let (From::Constant(own), Some(Operand::Constant(other)), 0) =
        (&term.from, upper, term.shift)
        && let (Bank::Number(bank), true) = (own.bank, is_behind(own, other))
    {
        return machine.bank_wide(bank, own.offset);
    }
    let low = match &term.from {
        From::Constant(own) => {
            let own = Constant { signs: Default::default(), ..*own };
            bits(machine, &Operand::Constant(own))?
        }
        _ => term.value.clone(),
    };
    let low = match term.shift {
        0 => low,
        shift => machine.emit.b32("shl.b32", &[&low, &shift.to_string()]),
    };
    let Some(upper) = upper else {
        let low = machine.emit.in_register(&low);
        return Ok(machine.emit.b64("cvt.u64.u32", &[&low]));
    };
    Ok(match (&term.from, upper) {
        (From::Number(low), Operand::Immediate(Immediate::Integer(high))) if term.shift == 0 => {
            let both = u64::from(*high as u32) << 32 | u64::from(*low);
            machine.emit.b64("mov.b64", &[&format!("{both:#x}")])
        }
        (From::Register(_, signs), Operand::Register(other))
            if term.shift == 0 && signs.contains(&(other.file, other.number)) =>
        {
            machine.emit.b64("cvt.s64.s32", &[&low])
        }
        _ => {
            let high = bits(machine, upper)?;
            machine.emit.joined(&low, &high)
        }
    })
}

/// Leaves the sum of parts, of which some are taken away.
fn leave(machine: &mut Machine, target: Target, lower: &Lower, mut parts: Vec<(String, bool)>) {
    // The first one is not taken away where another is not.
    parts.sort_by_key(|(_, is_negative)| *is_negative);
    let mut total: Option<String> = None;
    for (value, is_negative) in parts {
        let emit = &mut machine.emit;
        total = Some(match (total, is_negative) {
            (None, false) => value,
            (None, true) => emit.b64("neg.s64", &[&value]),
            (Some(total), false) => emit.b64("add.s64", &[&total, &value]),
            (Some(total), true) => emit.b64("sub.s64", &[&total, &value]),
        });
    }
    let total = total.unwrap_or_else(|| machine.emit.b64("mov.b64", &["0"]));
    let (low, high) = machine.emit.halves(&total);
    if let Some((file, number)) = lower.target
        && (file, number) != (target.file, target.number)
    {
        machine.set(Target { file, number }, &low);
    }
    machine.set(target, &high);
}

/// Whether an operand adds nothing; a minus of zero overflows.
pub(super) fn is_zero(operand: &Operand) -> bool {
    match operand {
        Operand::Register(register) => register.is_zero() && is_plain(register.signs),
        Operand::Immediate(Immediate::Integer(0)) => true,
        _ => false,
    }
}
