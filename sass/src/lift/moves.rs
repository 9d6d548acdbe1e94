//! Numbers that instructions put into registers.

use crate::instruction::{Immediate, Instruction, Operand, Register};

/// The register and the bits, whatever the guard says.
pub(super) fn moved_number(i: &Instruction) -> Option<(Register, u32)> {
    let [Operand::Register(to), .., source] = i.operands.as_slice() else { return None };
    if let Some(value) = product_of_zeros(i) {
        return Some((*to, value));
    }
    let is_move = match (i.opcode, i.modifiers.first().copied()) {
        ("MOV" | "UMOV", _) => i.operands.len() == 2,
        ("IMAD", Some("MOV")) => true,
        _ => false,
    };
    let value = match source {
        Operand::Immediate(Immediate::Integer(value)) => *value as u32,
        Operand::Register(register) if register.is_zero() => 0,
        _ => return None,
    };
    is_move.then_some((*to, value))
}

/// `HFMA2.MMA R0, -RZ, RZ, 1.875, 0`: how ptxas moves a number where the unit for integers is busy. None where a half is no number,
/// whose bits would not stay.
pub(super) fn product_of_zeros(i: &Instruction) -> Option<u32> {
    let [
        Operand::Register(_),
        Operand::Register(a),
        Operand::Register(b),
        Operand::Immediate(Immediate::F16(upper)),
        Operand::Immediate(Immediate::F16(lower)),
    ] = i.operands.as_slice()
    else {
        return None;
    };
    let is_number = |half: &u16| half & 0x7fff <= 0x7c00;
    let zeros = a.is_zero() && b.is_zero() && a.signs.negated != b.signs.negated;
    let fits = matches!(i.modifiers.as_slice(), [] | ["MMA"]);
    (i.opcode == "HFMA2" && fits && zeros && is_number(upper) && is_number(lower))
        .then(|| u32::from(*upper) << 16 | u32::from(*lower))
}
