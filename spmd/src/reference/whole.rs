//! Accesses to vectors, and to 128 bits, as one instruction each.
//!
//! LLVM may cut what is not volatile in parts, and has no registers for numbers of 128 bits but in pairs. Plain accesses
//! are made by instructions that take any address.

use llvm_zluda::{Module, Opcode, Value};

/// Memory that no other thread writes: constants and stack variables.
pub(super) const OWN: [u32; 2] = [4, 5];

/// Keeps an instruction from being cut, if it is an access of several words.
pub(super) fn keep<'c>(module: &Module<'c>, instruction: Value<'c>) {
    let (address, ty) = match instruction.opcode() {
        Opcode::LLVMLoad => (instruction.operand(0), instruction.ty()),
        Opcode::LLVMStore => (instruction.operand(1), instruction.operand(0).ty()),
        _ => return,
    };
    let is_number = ty.is_int() && ty.bits() == 128;
    if instruction.is_atomic()
        || !(ty.is_vector() || is_number)
        || OWN.contains(&address.ty().address_space())
    {
        return;
    }
    if !instruction.is_volatile() {
        instruction.set_alignment(1);
    }
    instruction.set_volatile(true);
    if !is_number {
        return;
    }
    let b = module.context().builder();
    b.position_before(instruction);
    let pair = module.context().i64().vector(2);
    if instruction.opcode() == Opcode::LLVMLoad {
        let load = b.load(pair, address, instruction.alignment());
        load.set_volatile(true);
        instruction.replace_all_uses_with(b.bitcast(load, ty));
    } else {
        let value = b.bitcast(instruction.operand(0), pair);
        b.store(value, address, instruction.alignment()).set_volatile(true);
    }
    instruction.erase();
}
