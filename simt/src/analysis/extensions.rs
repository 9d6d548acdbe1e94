//! Sign extensions that are written as a pair of shifts.
//!
//! Input: per-thread IR. Output: the same, with `shl (sext (trunc x)), n` in place of `ashr (shl x, m), k`.
//! Why: compilers scale the lower half of a 64-bit loop counter so. Lanes that differ by a stride still do when a
//! value is extended, which nobody can say of the shift alone: it loses their upper halves.

use llvm_zluda::{Module, Opcode, Value};

/// Rewrites the pairs that keep 32 of 64 bits.
pub(crate) fn write_out(module: &Module<'_>) {
    for function in module.functions() {
        for block in function.blocks() {
            for instruction in block.instructions() {
                if instruction.opcode() == Opcode::LLVMAShr {
                    rewrite(module, instruction);
                }
            }
        }
    }
}

fn rewrite(module: &Module<'_>, right: Value<'_>) -> Option<()> {
    let left = right.operand(0);
    if !left.is_instruction() || left.opcode() != Opcode::LLVMShl || !right.ty().is_int() {
        return None;
    }
    let [up, down] = [left, right].map(|shift| shift.operand(1).as_const_int());
    let scale = up?.checked_sub(down?)?;
    if right.ty().bits() != 64 || up? != 32 {
        return None;
    }
    let cx = module.context();
    let b = cx.builder();
    b.position_before(right);
    let extended = b.sext(b.trunc(left.operand(0), cx.i32()), right.ty());
    right.replace_all_uses_with(b.shl(extended, right.ty().const_int(scale)));
    right.erase();
    Some(())
}
