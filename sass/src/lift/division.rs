//! Divisions of binary32 put together again.
//!
//! ptxas makes of `div.rn.f32` a reciprocal, five FFMA which round it right wherever FCHK finds no exponent near the ends, and
//! a call of a function for the rest:
//!
//! ```text
//! MUFU.RCP R7, b
//! FCHK P0, a, b
//! FFMA R6, -b, R7, 1
//! FFMA R6, R7, R6, R7
//! FFMA R7, a, R6, RZ
//! FFMA R4, -b, R7, a
//! FFMA R4, R6, R4, R7
//! @!P0 BRA done
//! (a call, whose result goes to R4)
//! done:
//! ```
//!
//! Of a number that is known the reciprocal is one too: `MOV R7, 0x3e124925` of 7.
//!
//! The quotient is the same in both ways, so the last FFMA becomes the division itself (an instruction [`DIVISION`], which no
//! machine has), and all threads go past the call. What the others leave is used by nobody, and goes away behind. That it is a division,
//! and whether of `div.rn.ftz.f32`, is said by the name of the function.

use super::moves::moved_number;
use super::slow::{DIVISION, called, get, is_plain, is_register, leaves, negated};
use crate::flow::{Code, written};
use crate::instruction::{File, Immediate, Instruction, Operand, Predicate, Register, Signs};
use std::collections::{BTreeMap, BTreeSet};

/// How far the parts lie from each other at most: instructions.
const WIDEST: usize = 160;

/// What a register has, of the steps to a quotient.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Reciprocal,
    /// 1 - b * reciprocal
    Error,
    /// The reciprocal, better.
    Better,
    /// a * better
    Quotient,
    /// a - b * quotient
    Rest,
}

/// Puts all divisions of a section together. `entered` are the addresses to which threads come from elsewhere, `functions` the names
/// of those that begin in it, by their offsets.
pub(super) fn put_together(
    code: &mut Code,
    entered: &BTreeSet<u64>,
    functions: &BTreeMap<u64, &str>,
) {
    for at in 0..code.instructions.len() {
        if let Some(division) = find(code, at, entered, functions) {
            let Division { last, branch, value } = division;
            if let Some(Ok(found)) = code.instructions.get_mut(last) {
                *found = Instruction { address: found.address, ..value };
            }
            if let Some(Ok(found)) = code.instructions.get_mut(branch) {
                found.guard = Predicate::TRUE;
            }
        }
    }
}

struct Division {
    /// The last FFMA, and the branch past the call, by their numbers.
    last: usize,
    branch: usize,
    value: Instruction,
}

/// The division whose FCHK this is.
fn find(
    code: &Code,
    at: usize,
    entered: &BTreeSet<u64>,
    functions: &BTreeMap<u64, &str>,
) -> Option<Division> {
    let check = get(code, at).filter(|i| i.opcode == "FCHK" && i.guard == Predicate::TRUE)?;
    let [Operand::Predicate(outside), a, b] = check.operands.as_slice() else { return None };
    if !is_plain(a) || !is_plain(b) {
        return None;
    }
    let first = match b {
        Operand::Immediate(_) => start(code, at, entered),
        _ => reciprocal(code, at, b, entered)?,
    };
    let mut steps: BTreeMap<u8, Step> = BTreeMap::new();
    let mut numbers: BTreeMap<u8, u32> = BTreeMap::new();
    let mut last = None;
    for number in first..first + WIDEST {
        let i = get(code, number)?;
        if number > first && entered.contains(&i.address) {
            return None;
        }
        if i.opcode == "BRA" {
            let goes_past = i.guard == Predicate { negated: true, ..*outside }
                && i.modifiers.is_empty()
                && number > at;
            let (last, target) = last.filter(|_| goes_past)?;
            let (opcode, modifiers) = called(code, number, functions)?;
            if opcode != DIVISION {
                return None;
            }
            let modifiers = modifiers.to_vec();
            let operands = vec![Operand::Register(Register::general(target)), a.clone(), b.clone()];
            let value = Instruction {
                address: 0,
                guard: Predicate::TRUE,
                opcode: DIVISION,
                modifiers,
                operands,
            };
            return Some(Division { last, branch: number, value });
        }
        if leaves(i) {
            return None;
        }
        let factors = factors(i, &numbers);
        let (known_a, known_b) = (known(a, &numbers), known(b, &numbers));
        let number_moved = moved_number(i).filter(|_| i.guard == Predicate::TRUE);
        let step = match (b, number_moved) {
            (Operand::Immediate(Immediate::F32(b)), Some((_, value))) => {
                is_reciprocal(value, *b).then_some(Step::Reciprocal)
            }
            (Operand::Immediate(_), None) => next(factors.as_ref(), &steps, &known_a, &known_b),
            _ if number == first => Some(Step::Reciprocal),
            _ => next(factors.as_ref(), &steps, &known_a, &known_b),
        };
        let is_quotient = is_last(factors.as_ref(), &steps);
        for (file, register) in written(i) {
            if file == File::General {
                steps.remove(&register);
                numbers.remove(&register);
                // What is divided has to stay until the quotient is there, and may be made behind the reciprocal; the quotient has to stay
                // until the branch.
                let is_read = number > at || steps.values().any(|step| *step == Step::Quotient);
                let is_operand = is_register(b, register) || is_read && is_register(a, register);
                let is_value = last.is_some_and(|(_, target)| target == register);
                if is_value || is_operand && last.is_none() && !is_quotient {
                    return None;
                }
            }
        }
        if number > at && i.operands.first() == Some(&Operand::Predicate(*outside)) {
            return None;
        }
        let target = match i.operands.first() {
            Some(Operand::Register(target)) => target.number,
            _ => continue,
        };
        if let Some(step) = step {
            steps.insert(target, step);
        }
        if let Some((to, value)) = number_moved.filter(|(to, _)| to.file == File::General) {
            numbers.insert(to.number, value);
        }
        if is_quotient && last.is_none() && number > at {
            last = Some((number, target));
        }
    }
    None
}

/// From where on nothing is entered or left before a check.
fn start(code: &Code, check: usize, entered: &BTreeSet<u64>) -> usize {
    let mut first = check;
    while first > check.saturating_sub(WIDEST / 2)
        && get(code, first).is_some_and(|i| !entered.contains(&i.address))
        && get(code, first.wrapping_sub(1)).is_some_and(|i| !leaves(i))
    {
        first -= 1;
    }
    first
}

/// Whether a number is the other one's reciprocal as near as MUFU.RCP comes.
fn is_reciprocal(value: u32, of: u32) -> bool {
    let [value, of] = [value, of].map(|bits| f64::from(f32::from_bits(bits)));
    (value * of - 1.0).abs() < 1e-6
}

/// The reciprocal of `b` before a check or behind it, from where on nothing is entered or left.
fn reciprocal(code: &Code, check: usize, b: &Operand, entered: &BTreeSet<u64>) -> Option<usize> {
    let is_it = |i: &Instruction| {
        i.opcode == "MUFU"
            && i.modifiers == ["RCP"]
            && i.guard == Predicate::TRUE
            && i.operands.get(1) == Some(b)
    };
    for number in (check.saturating_sub(WIDEST)..check).rev() {
        let i = get(code, number)?;
        if is_it(i) {
            return Some(number);
        }
        let writes_it =
            |(file, register): (File, u8)| file == File::General && is_register(b, register);
        if leaves(i) || written(i).into_iter().any(writes_it) || entered.contains(&i.address) {
            break;
        }
    }
    None
}

/// The step that an instruction takes, but for the last.
fn next(
    factors: Option<&[Operand; 3]>,
    steps: &BTreeMap<u8, Step>,
    a: &Operand,
    b: &Operand,
) -> Option<Step> {
    let [x, y, z] = factors?;
    let has = |operand: &Operand, step: Step| match (operand, b, step) {
        (
            Operand::Immediate(Immediate::F32(value)),
            Operand::Immediate(Immediate::F32(b)),
            Step::Reciprocal,
        ) => is_reciprocal(*value, *b),
        _ => is_step(operand, steps, step),
    };
    let minus_b = negated(b)?;
    let one = Operand::Immediate(Immediate::F32(1f32.to_bits()));
    let zero = Operand::Register(Register::general(Register::RZ));
    let product =
        |p: &dyn Fn(&Operand) -> bool, q: &dyn Fn(&Operand) -> bool| p(x) && q(y) || p(y) && q(x);
    match () {
        () if product(&|o| *o == minus_b, &|o| has(o, Step::Reciprocal)) && *z == one => {
            Some(Step::Error)
        }
        () if product(&|o| has(o, Step::Reciprocal), &|o| has(o, Step::Error))
            && has(z, Step::Reciprocal) =>
        {
            Some(Step::Better)
        }
        () if product(&|o| o == a, &|o| has(o, Step::Better)) && *z == zero => Some(Step::Quotient),
        () if product(&|o| *o == minus_b, &|o| has(o, Step::Quotient)) && z == a => {
            Some(Step::Rest)
        }
        () => None,
    }
}

/// Whether an instruction is the last: better * rest + quotient.
fn is_last(factors: Option<&[Operand; 3]>, steps: &BTreeMap<u8, Step>) -> bool {
    let Some([x, y, z]) = factors else { return false };
    let has = |operand: &Operand, step: Step| is_step(operand, steps, step);
    let product = |p: &Operand, q: &Operand| has(p, Step::Better) && has(q, Step::Rest);
    (product(x, y) || product(y, x)) && has(z, Step::Quotient)
}

/// What an FFMA multiplies and adds.
fn factors(i: &Instruction, numbers: &BTreeMap<u8, u32>) -> Option<[Operand; 3]> {
    let [_, x, y, z] = i.operands.as_slice() else { return None };
    (i.opcode == "FFMA" && i.modifiers.is_empty() && i.guard == Predicate::TRUE)
        .then(|| [x, y, z].map(|operand| known(operand, numbers)))
}

/// The number instead of a register that is known to have it.
fn known(operand: &Operand, numbers: &BTreeMap<u8, u32>) -> Operand {
    if let Operand::Register(register) = operand
        && register.file == File::General
        && register.signs == (Signs { negated: register.signs.negated, ..Signs::default() })
        && let Some(bits) = numbers.get(&register.number)
    {
        let sign = u32::from(register.signs.negated) << 31;
        return Operand::Immediate(Immediate::F32(bits ^ sign));
    }
    operand.clone()
}

fn is_step(operand: &Operand, steps: &BTreeMap<u8, Step>, step: Step) -> bool {
    match operand {
        Operand::Register(register) => {
            *register == Register::general(register.number)
                && steps.get(&register.number) == Some(&step)
        }
        _ => false,
    }
}
