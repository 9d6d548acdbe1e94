//! Input: the per-thread IR of a kernel, as lowered.
//! Output: the same, where functions that may end the thread are part of the kernel, and the end of the
//! thread is the kernel's `ret`.
//! Why here: no target has to leave a function from within. Recursive functions keep `zluda.exit`.

use llvm_zluda::{Module, PassError, Value, run_passes};

/// Inlines the functions that may end the thread into the kernel. Fails if LLVM's passes do.
pub fn run(module: &Module<'_>, kernel: &str) -> Result<(), PassError> {
    let (Some(exit), Some(kernel)) = (module.function("zluda.exit"), module.function(kernel))
    else {
        return Ok(());
    };
    let mut work = vec![exit];
    let mut marked = Vec::new();
    while let Some(callee) = work.pop() {
        for caller in callers(callee) {
            if caller != kernel && !marked.contains(&caller) {
                module.add_attribute(caller, "alwaysinline");
                marked.push(caller);
                work.push(caller);
            }
        }
    }
    run_passes(module, "always-inline", None, false)?;
    let Some(exit) = module.function("zluda.exit") else { return Ok(()) };
    let builder = module.context().builder();
    for call in exit.users() {
        let block = call.parent();
        if block.function() != kernel {
            continue;
        }
        builder.position_before(call);
        builder.ret_void();
        let instructions = block.instructions();
        let after = instructions.iter().position(|&i| i == call).unwrap_or(instructions.len());
        // The call and the `unreachable` behind it.
        instructions[after..].iter().rev().for_each(|dead| dead.erase());
    }
    Ok(())
}

fn callers(function: Value<'_>) -> Vec<Value<'_>> {
    function
        .users()
        .into_iter()
        .filter(|user| user.is_instruction())
        .map(|call| call.parent().function())
        .collect()
}
