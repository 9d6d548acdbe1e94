//! Square roots and reciprocals of binary32 put together again.
//!
//! ptxas makes of `sqrt.rn.f32` and `rcp.rn.f32` a few instructions that are right wherever the exponent is far from the ends, and a call
//! of a function for the rest:
//!
//! ```text
//! MUFU.RSQ R7, x                             (a look at the exponent of x)
//! (a look at the exponent of x)              @P0 BRA fast
//! @!P0 BRA fast                              (a call)
//! (a call, whose result goes to R5)          BRA done
//! BRA done                                   fast:
//! fast:                                      MUFU.RCP R5, x
//! FMUL.FTZ R5, x, R7                         FFMA R3, x, R5, -1
//! FMUL.FTZ R7, R7, 0.5                       FADD.FTZ R3, -R3, -RZ
//! FFMA R3, -R5, R5, x                        FFMA R5, R5, R3, R5
//! FFMA R5, R3, R7, R5                        done:
//! done:
//! ```
//!
//! The result is the same in both ways, so the first of the fast way becomes the operation itself (instructions [`ROOT`] and
//! [`RECIPROCAL`], which no machine has), the others nothing, and all threads go the fast way. What is there besides the result when the
//! two ways meet is used by nobody, as the slow one does not leave it.

use super::slow::{RECIPROCAL, ROOT, called, get, is_plain, is_register, leaves, negated};
use crate::decode::SIZE;
use crate::flow::{Code, written};
use crate::instruction::{File, Immediate, Instruction, Operand, Predicate, Register};
use std::collections::{BTreeMap, BTreeSet};

/// Instructions of the fast way.
const PARTS: usize = 4;
/// How far before the branch the first approximation lies at most: instructions.
const WIDEST: usize = 160;

/// Puts all square roots and reciprocals of a section together. `entered` are the addresses to which threads come from elsewhere, `functions`
/// the names of those that begin in it, by their offsets.
pub(super) fn put_together(
    code: &mut Code,
    entered: &BTreeSet<u64>,
    functions: &BTreeMap<u64, &str>,
) {
    for at in 0..code.instructions.len() {
        let Some((first, whole)) = find(code, at, entered, functions) else { continue };
        if let Some(Ok(branch)) = code.instructions.get_mut(at) {
            branch.guard = Predicate::TRUE;
        }
        let never = Predicate { negated: true, ..Predicate::TRUE };
        let parts = code.instructions.iter_mut().skip(first).take(PARTS).flatten();
        parts.for_each(|part| part.guard = never);
        if let Some(Ok(part)) = code.instructions.get_mut(first) {
            *part = Instruction { address: part.address, ..whole };
        }
    }
}

/// The first part of the fast way to which the branch at a number goes, and the whole in its place.
fn find(
    code: &Code,
    at: usize,
    entered: &BTreeSet<u64>,
    functions: &BTreeMap<u64, &str>,
) -> Option<(usize, Instruction)> {
    let branch = get(code, at).filter(|i| {
        i.opcode == "BRA" && i.guard.number != Predicate::PT && i.modifiers.is_empty()
    })?;
    let [Operand::Label(fast)] = branch.operands.as_slice() else { return None };
    let (opcode, modifiers) = called(code, at, functions)?;
    let first = *fast as usize / SIZE;
    let parts: Vec<&Instruction> = (first..first + PARTS).map_while(|it| get(code, it)).collect();
    let parts: [&Instruction; PARTS] = parts.try_into().ok()?;
    if parts.iter().skip(1).any(|i| entered.contains(&i.address)) {
        return None;
    }
    let (of, to) = match opcode {
        ROOT => root(code, at, parts, entered)?,
        RECIPROCAL => reciprocal(parts)?,
        _ => return None,
    };
    let operands = vec![Operand::Register(Register::general(to)), of.clone()];
    let modifiers = modifiers.to_vec();
    Some((first, Instruction { address: 0, guard: Predicate::TRUE, opcode, modifiers, operands }))
}

/// Of what the parts make a reciprocal, and where they leave it.
fn reciprocal(parts: [&Instruction; PARTS]) -> Option<(&Operand, u8)> {
    let [begin, error, minus, last] = parts;
    let (y, [x]) = operation(begin, "MUFU", &["RCP"])?;
    let (e, [a, b, c]) = operation(error, "FFMA", &[])?;
    let (n, [d, zero]) = operation(minus, "FADD", &["FTZ"])?;
    let (r, [f, g, h]) = operation(last, "FFMA", &[])?;
    let minus_one = Operand::Immediate(Immediate::F32((-1f32).to_bits()));
    let minus_zero = negated(&Operand::Register(Register::general(Register::RZ)))?;
    let is_right = is_plain(x)
        && !is_register(x, y)
        && are([a, b], [x, &of(y)])
        && *c == minus_one
        && negated(&of(e)).as_ref() == Some(d)
        && e != y
        && *zero == minus_zero
        && n != y
        && are([f, g], [&of(y), &of(n)])
        && *h == of(y);
    is_right.then_some((x, r))
}

/// Of what the parts make a square root, and where they leave it.
fn root<'a>(
    code: &Code,
    branch: usize,
    parts: [&'a Instruction; PARTS],
    entered: &BTreeSet<u64>,
) -> Option<(&'a Operand, u8)> {
    // The first two may change places.
    let is_half = |i: &Instruction| i.operands.last() == Some(&Operand::Immediate(HALF));
    let [first, second, error, last] = parts;
    let swapped = is_half(first);
    let [product, half] = if swapped { [second, first] } else { [first, second] };
    let (g, [a, b]) = operation(product, "FMUL", &["FTZ"])?;
    let (h, [y, _]) = operation(half, "FMUL", &["FTZ"])?;
    let (e, [c, d, plus]) = operation(error, "FFMA", &[])?;
    let (r, [k, l, m]) = operation(last, "FFMA", &[])?;
    let x = if a == y { b } else { a };
    let Operand::Register(approximation) = y else { return None };
    let y = approximation.number;
    let is_right = is_half(half)
        && is_plain(x)
        && are([a, b], [x, &of(y)])
        && *half.operands.get(1)? == of(y)
        // What is needed later stays.
        && !is_register(x, g)
        && !is_register(x, h)
        && (if swapped { h != y } else { g != y })
        && g != h
        && are([c, d], [&negated(&of(g))?, &of(g)])
        && plus == x
        && e != g
        && e != h
        && are([k, l], [&of(e), &of(h)])
        && *m == of(g)
        && is_approximated(code, branch, y, x, entered);
    is_right.then_some((x, r))
}

const HALF: Immediate = Immediate::F32(0.5f32.to_bits());

/// Whether a register has the approximation of 1 / sqrt(x) at a branch.
fn is_approximated(
    code: &Code,
    branch: usize,
    y: u8,
    x: &Operand,
    entered: &BTreeSet<u64>,
) -> bool {
    for number in (branch.saturating_sub(WIDEST)..branch).rev() {
        let Some(i) = get(code, number) else { return false };
        if operation(i, "MUFU", &["RSQ"]).is_some_and(|(to, [of])| to == y && of == x) {
            return !is_register(x, y);
        }
        let changes = |(file, register): (File, u8)| {
            file == File::General && (register == y || is_register(x, register))
        };
        if leaves(i) || entered.contains(&i.address) || written(i).into_iter().any(changes) {
            return false;
        }
    }
    false
}

/// Where an instruction for all threads leaves its result, and of what it makes it.
fn operation<'a, const COUNT: usize>(
    i: &'a Instruction,
    opcode: &str,
    modifiers: &[&str],
) -> Option<(u8, [&'a Operand; COUNT])> {
    let (Operand::Register(to), of) = i.operands.split_first()? else { return None };
    let of: Vec<&Operand> = of.iter().collect();
    let is_it = i.opcode == opcode
        && i.modifiers == modifiers
        && i.guard == Predicate::TRUE
        && to.file == File::General
        && !to.is_zero();
    if is_it { Some((to.number, of.try_into().ok()?)) } else { None }
}

/// Whether two are these two, in whatever order.
fn are([a, b]: [&Operand; 2], [x, y]: [&Operand; 2]) -> bool {
    a == x && b == y || a == y && b == x
}

fn of(register: u8) -> Operand {
    Operand::Register(Register::general(register))
}
