//! Barriers of a block: hardware has one for all of its threads, which serves kernels that know no other. Elsewhere
//! all barriers are memory (library/barrier.c), and waiting is a loop of the kernel's own.
//!
//! Input: calls of `zluda.barrier.*`.
//! Output: the same calls where hardware's barrier does; else the code of barriers in memory, and calls where the kernel
//! begins and where its threads end.
//! Why here: before lanes get ways of their own, because they wait here.

use llvm_zluda::{Module, Opcode, Value, run_passes};

use crate::intrinsics::OWN;
use crate::{Error, library};

const PREFIX: &str = "zluda.barrier.";

/// Makes barriers memory, where they have to be.
pub fn run<'c>(module: &Module<'c>, kernel: Value<'c>) -> Result<(), Error> {
    let barriers: Vec<_> =
        module.functions().into_iter().filter(|f| f.name().starts_with(PREFIX)).collect();
    if barriers.iter().all(|barrier| is_hardwares(*barrier)) {
        return Ok(());
    }
    for barrier in barriers {
        let operation = barrier.name();
        let operation = operation.trim_start_matches(PREFIX);
        barrier.set_name(&format!("zluda.amd.software.barrier.{operation}"));
    }
    library::add_file(module, "zluda.amd.software.barrier.sync")?;
    for function in module.functions() {
        if function.name().starts_with("zluda.amd.software.barrier.") {
            module.add_attribute(function, "alwaysinline");
        }
    }
    run_passes(module, "always-inline,globaldce", None, false)?;
    begin_and_leave(module, kernel, ["amd.barrier.begin", "amd.barrier.leave"]);
    Ok(())
}

/// Calls one function of ours where the kernel begins, and another one where its threads end.
pub fn begin_and_leave<'c>(module: &Module<'c>, kernel: Value<'c>, names: [&str; 2]) {
    let context = module.context();
    let [begin, leave] = names.map(|name| OWN.declare(module, name, 0));
    let builder = context.builder();
    let mut instructions = kernel.entry_block().instructions().into_iter();
    if let Some(first) = instructions.find(|it| it.opcode() != Opcode::LLVMAlloca) {
        builder.position_before(first);
        builder.call(begin, &[]);
    }
    for block in kernel.blocks() {
        if let Some(end) = block.terminator().filter(|end| end.opcode() == Opcode::LLVMRet) {
            builder.position_before(end);
            builder.call(leave, &[]);
        }
    }
}

/// All calls are of barrier 0, with all threads of the block, which wait.
fn is_hardwares(barrier: Value<'_>) -> bool {
    let whole =
        |call: &Value<'_>| call.arguments().iter().take(2).all(|v| v.as_const_int() == Some(0));
    !barrier.has_uses()
        || (barrier.name() != "zluda.barrier.arrive" && barrier.users().iter().all(whole))
}
