//! Input: per-thread IR.
//! Output: the same, with `zluda.preempt` before each access of memory that others can see.
//! Why here: what is one access by now stays one, and optimisation of the target's has not yet merged or moved any.

use llvm_zluda::{Module, Opcode, Value};
use simt::intrinsics;

/// Kernel parameters, and memory of one thread: nobody else writes it.
const PRIVATE: [u32; 2] = [4, 5];

/// Puts `zluda.preempt` before each access of memory that others can see.
pub fn run(module: &Module<'_>) {
    let builder = module.context().builder();
    let accesses: Vec<Value<'_>> = module
        .functions()
        .into_iter()
        .flat_map(|function| function.blocks())
        .flat_map(|block| block.instructions())
        .filter(|&instruction| is_seen(instruction))
        .collect();
    if accesses.is_empty() {
        return;
    }
    let preempt = intrinsics::declare(module, "preempt", 0);
    for access in accesses {
        builder.position_before(access);
        builder.call(preempt, &[]);
    }
}

fn is_seen(instruction: Value<'_>) -> bool {
    let pointer = match instruction.opcode() {
        Opcode::LLVMLoad | Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg => 0,
        Opcode::LLVMStore => 1,
        _ => return false,
    };
    !PRIVATE.contains(&instruction.operand(pointer).ty().address_space())
}

#[cfg(test)]
mod tests {
    use crate::{Executor, Target};
    use crate::{Options, Program, Stage};
    use simt::Blocks;

    #[test]
    fn each_access_that_others_see_can_be_left_before() {
        let text = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n\
            .reg .b64 %p; .reg .b32 %r<3>; .shared .b32 s; .local .b32 l;\n\
            ld.param.u64 %p, [p]; ld.global.u32 %r0, [%p]; st.local.u32 [l], %r0; st.shared.u32 [s], %r0;\n\
            atom.global.add.u32 %r1, [%p], 1; st.global.u32 [%p+4], %r1; ret;\n}";
        let program = Program::parse(text).expect("the text is right");
        let target = Target::cpu(Some("x86-64-v2"), Blocks::Any, Executor::Vector);
        let calls = |preempt| {
            let options = Options { preempt, ..Options::default() };
            let ir = program.emit("k", &target, &options, Stage::Ir).expect("it compiles");
            String::from_utf8_lossy(&ir).matches("call void @zluda.preempt()").count()
        };
        assert_eq!((calls(false), calls(true)), (0, 4));
    }
}
