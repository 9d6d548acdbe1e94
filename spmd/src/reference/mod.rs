//! The reference lowering: one lane at a time, every thread a coroutine of its own.
//!
//! Input: optimised per-thread IR. Output: the same code as a [`cpu_abi::ThreadEntry`].
//! It is slow, simple, and right by construction: whatever threads do together is a call of the runtime,
//! which waits for the threads that the operation names. Independent thread scheduling included, since a
//! thread yields before each atomic or volatile access. Where kernels count on threads of a warp to keep step, they wait for
//! each other before accesses (`steps`).

mod intrinsics;
mod signature;
mod steps;
mod whole;

use cpu_abi::{FLAG_IN_STEP, FLAG_WAITS, KernelKind};
use llvm_zluda::{Linkage, Module, Opcode, Value};

use crate::descriptor::{self, Description};
use crate::{Error, float_atomics};
use intrinsics::Lowering;

/// Makes the kernel of `module` a reference kernel. The module exports its descriptor only.
pub fn lower(
    module: Module<'_>,
    static_shared_size: u32,
    in_step: bool,
) -> Result<Module<'_>, Error> {
    let kernel = simt::find_kernel(&module)?;
    let (name, param_size, max_threads) =
        (kernel.name, kernel.param_size, kernel.max_threads_per_block);

    let entry = signature::add_context_parameters(&module, kernel.function);
    entry.set_name(&format!("{name}.entry"));
    let places = if in_step { steps::places(&module) } else { Default::default() };
    for function in module.functions() {
        if function.is_declaration() {
            continue;
        }
        function.set_linkage(Linkage::LLVMInternalLinkage);
        let mut lowering = Lowering::new(&module, function);
        for block in function.blocks() {
            for instruction in block.instructions() {
                let place = places.get(&instruction);
                if instruction.opcode() == Opcode::LLVMCall {
                    if let Some(&place) = place {
                        instruction.set_operand(0, module.context().i32().const_int(place.into()));
                    }
                    lowering.call(instruction)?;
                    continue;
                }
                if synchronizes(instruction) {
                    lowering.yield_before(instruction);
                }
                match place {
                    Some(&place) if instruction.opcode() == Opcode::LLVMLoad => {
                        lowering.load_together(instruction, place);
                    }
                    Some(&place) => lowering.keep_step_before(instruction, place),
                    None => {}
                }
                whole::keep(&module, instruction);
            }
        }
    }
    float_atomics::expand(&module);
    let description = Description {
        kind: KernelKind::Reference,
        flags: FLAG_WAITS | if in_step { FLAG_IN_STEP } else { 0 },
        param_size,
        static_shared_size,
        max_threads_per_block: max_threads,
    };
    descriptor::emit(&module, &name, entry, &description);
    Ok(module)
}

/// Accesses through which a thread may wait for another one.
fn synchronizes(instruction: Value<'_>) -> bool {
    match instruction.opcode() {
        Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg => true,
        Opcode::LLVMLoad => instruction.is_volatile() || instruction.is_atomic(),
        _ => false,
    }
}
