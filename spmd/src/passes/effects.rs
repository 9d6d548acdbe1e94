//! What instructions of vector code do to memory.

use llvm_zluda::{Opcode, Value};

/// Calls of LLVM's functions that read memory or nothing.
const READING: [&str; 2] = ["llvm.masked.load.", "llvm.masked.gather."];
/// Those that write as plain stores do.
const WRITING: [&str; 2] = ["llvm.masked.store.", "llvm.masked.scatter."];
const WITHOUT_MEMORY: [&str; 12] = [
    "llvm.vector.reduce.",
    "llvm.experimental.noalias.scope.decl",
    "llvm.smin.",
    "llvm.smax.",
    "llvm.umin.",
    "llvm.umax.",
    "llvm.ctpop.",
    "llvm.cttz.",
    "llvm.ctlz.",
    "llvm.fshl.",
    "llvm.fma.",
    "llvm.abs.",
];

fn is_one_of(call: Value<'_>, names: &[&str]) -> bool {
    let is_known = |name: &str| names.iter().any(|prefix| name.starts_with(prefix));
    call.callee().is_function() && is_known(&call.called_name())
}

/// Orders accesses, or may. Atomics that read and write are not asked for.
pub(super) fn is_in_the_way(instruction: Value<'_>) -> bool {
    match instruction.opcode() {
        Opcode::LLVMLoad | Opcode::LLVMStore => {
            instruction.is_volatile() || instruction.is_atomic()
        }
        Opcode::LLVMCall => ![&READING[..], &WRITING, &WITHOUT_MEMORY]
            .iter()
            .any(|names| is_one_of(instruction, names)),
        Opcode::LLVMFence | Opcode::LLVMAtomicCmpXchg | Opcode::LLVMInvoke => true,
        _ => false,
    }
}

/// Accesses memory, or may. Atomics that read and write are not asked for.
pub(super) fn is_access(instruction: Value<'_>) -> bool {
    match instruction.opcode() {
        Opcode::LLVMLoad | Opcode::LLVMStore => true,
        Opcode::LLVMCall => !is_one_of(instruction, &WITHOUT_MEMORY),
        _ => false,
    }
}

/// Writes memory or orders accesses, or may.
pub(super) fn may_write(instruction: Value<'_>) -> bool {
    match instruction.opcode() {
        Opcode::LLVMStore | Opcode::LLVMAtomicRMW => true,
        Opcode::LLVMCall if is_one_of(instruction, &WRITING) => true,
        _ => is_in_the_way(instruction),
    }
}

/// Accesses memory or orders accesses, or may.
pub(super) fn may_access(instruction: Value<'_>) -> bool {
    instruction.opcode() == Opcode::LLVMAtomicRMW
        || is_access(instruction)
        || is_in_the_way(instruction)
}
