//! How much code functions become, estimated.

use llvm_zluda::{Type, Value};

use crate::passes::narrow_addresses::address_argument;

/// So much more than arithmetic are gathers and scatters, which take apart vectors of pointers and masks.
const GATHER: u64 = 4;

/// About as many instructions as a function becomes.
pub fn size(function: Value<'_>) -> u64 {
    function.blocks().into_iter().flat_map(|block| block.instructions()).map(instruction_size).sum()
}

/// About as many instructions as one of LLVM's becomes.
pub fn instruction_size(instruction: Value<'_>) -> u64 {
    let has_operand = instruction.operand_count() > 0;
    let operand = if has_operand { registers(instruction.operand(0).ty()) } else { 1 };
    let size = registers(instruction.ty()).max(operand);
    if address_argument(instruction).is_some() { size * GATHER } else { size }
}

/// The number of the widest registers that a value fills.
pub fn registers(ty: Type<'_>) -> u64 {
    if !ty.is_vector() {
        return 1;
    }
    let element = ty.element();
    let bits = if element.is_pointer() { 64 } else { u64::from(element.bits()) };
    (bits * ty.len()).div_ceil(512)
}
