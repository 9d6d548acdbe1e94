//! Masked loads stay where they are.
//!
//! Input: vector code after its last optimisation, in which the value of each masked load is frozen
//! (`emit/masked_load.rs`). Output: the same code without these freezes.
//! Why here: LLVM 22's `instcombine` makes one load of a masked load and a `select` by its mask, in the place of the
//! `select`, though something else may have been stored between them. It does not look through a freeze. What comes after
//! keeps loads in their order, and a register has one value, frozen or not.

use llvm_zluda::{Module, Opcode, Value};

/// Takes the freezes of rows away.
pub fn run(module: &Module<'_>) {
    for function in module.functions() {
        for block in function.blocks() {
            for instruction in block.instructions() {
                if instruction.opcode() == Opcode::LLVMFreeze && is_row(instruction.operand(0)) {
                    instruction.replace_all_uses_with(instruction.operand(0));
                    instruction.erase();
                }
            }
        }
    }
}

/// A masked load, or a plain one that LLVM made of it.
fn is_row(value: Value<'_>) -> bool {
    if !value.is_instruction() || !value.ty().is_vector() {
        return false;
    }
    match value.opcode() {
        Opcode::LLVMLoad => true,
        Opcode::LLVMCall => {
            value.callee().is_function() && value.called_name().starts_with("llvm.masked.load.")
        }
        _ => false,
    }
}
