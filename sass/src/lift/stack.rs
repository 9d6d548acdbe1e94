//! The stack's pointer: how far it goes, what it is a multiple of, and what it is.

use super::launch::STACK;
use super::machine::ALLOCATED;
use crate::flow::written;
use crate::instruction::{
    Bank, Constant, File, Immediate, Instruction, Operand, Predicate, Register,
};
use std::collections::BTreeSet;

/// Larger masks are no alignments: no thread has so much memory of its own.
const LARGEST_ALIGNMENT: u32 = 1 << 18;
/// Programs ask for more of global memory only.
const USUAL_ALIGNMENT: u32 = 256;

/// Bytes by which a function moves the stack's pointer down at most.
pub(super) fn room(all: &[&Instruction]) -> u32 {
    let general = |operand: &Operand| match operand {
        Operand::Register(r) if r.file == File::General => Some(r.number),
        _ => None,
    };
    let is_stack = |operand: &Operand| general(operand) == Some(Register::STACK);
    let copied = |i: &Instruction| match i.operands.as_slice() {
        [to, .., from] if i.opcode == "MOV" || i.has("MOV") => Some((general(to)?, general(from)?)),
        _ => None,
    };
    // Where the pointer is kept, to be what it was when the function ends.
    let kept: BTreeSet<u8> = all
        .iter()
        .filter_map(|i| copied(i).filter(|(_, from)| *from == Register::STACK))
        .map(|(to, _)| to)
        .collect();
    let moved = |i: &Instruction| match i.operands.as_slice() {
        [_, own, Operand::Immediate(Immediate::Integer(more)), ..]
            if i.opcode == "IADD3" && is_stack(own) =>
        {
            more.min(&0).unsigned_abs() as u32
        }
        _ if copied(i).is_some_and(|(_, from)| kept.contains(&from)) => 0,
        // Rounded down.
        _ => frame_alignment(i).unwrap_or(ALLOCATED),
    };
    all.iter()
        .filter(|i| i.operands.first().is_some_and(is_stack))
        .fold(0, |room: u32, i| room.saturating_add(moved(i)))
        .min(i32::MAX as u32)
}

/// What an instruction tells of the alignment of the thread's own memory: what the stack's pointer is rounded down to a multiple
/// of, for variables whose alignment is larger than the stack's; and where the address of the first byte stands for a variable
/// that is never accessed, the largest that is usual.
pub(super) fn frame_alignment(i: &Instruction) -> Option<u32> {
    let [Operand::Register(to), sources @ ..] = i.operands.as_slice() else { return None };
    let is_stack = to.file == File::General && to.number == Register::STACK;
    sources.iter().find_map(|source| match source {
        Operand::Immediate(Immediate::Integer(mask)) if i.opcode == "LOP3" && is_stack => {
            let alignment = (*mask as u32).wrapping_neg();
            (alignment.is_power_of_two() && alignment <= LARGEST_ALIGNMENT).then_some(alignment)
        }
        Operand::Constant(Constant { bank: Bank::Number(0), offset: 0x20, .. })
            if i.opcode == "MOV" || i.has("MOV") =>
        {
            Some(USUAL_ALIGNMENT)
        }
        _ => None,
    })
}

/// What the pointer of a kernel is behind its last change, if all changes are among its first instructions, and by numbers. `size`: what it is
/// at first, in bytes.
pub(super) fn pointer(all: &[&Instruction], first: usize, size: u32) -> Option<u32> {
    let mut pointer: Option<u32> = None;
    let mut last = 0;
    let changes = all
        .iter()
        .enumerate()
        .filter(|(_, i)| written(i).contains(&(File::General, Register::STACK)));
    for (index, i) in changes {
        if index >= first || i.guard != Predicate::TRUE {
            return None;
        }
        last = index;
        pointer = Some(match (i.opcode, &i.operands[1..]) {
            ("MOV" | "LDC" | "IMAD", [.., Operand::Constant(from)])
                if from.bank == Bank::Number(0)
                    && from.register.is_none()
                    && from.offset == STACK
                    && (i.opcode != "IMAD" || i.has("MOV")) =>
            {
                size
            }
            (
                "IADD3" | "VIADD",
                [Operand::Register(own), Operand::Immediate(Immediate::Integer(more)), rest @ ..],
            ) if *own == Register::general(Register::STACK)
                && rest
                    .iter()
                    .all(|it| matches!(it, Operand::Register(zero) if zero.is_zero())) =>
            {
                pointer?.checked_add_signed(*more as i32)?
            }
            _ => return None,
        });
    }
    let accesses = |i: &&Instruction| matches!(i.opcode, "LDL" | "STL");
    pointer.filter(|_| !all[..last].iter().any(accesses))
}
