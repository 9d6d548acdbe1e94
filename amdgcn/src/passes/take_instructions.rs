//! Arithmetic that AMD GPUs have instructions for.
//!
//! Input: per-thread IR, with functions of [`simt::shortcuts`] and their bodies. Output: LLVM's intrinsics in the place of calls
//! of those that are single instructions: all GPUs from gfx9 on add products of halves before they round.
//! Why here: before the bodies are inlined.

use llvm_zluda::Module;
use simt::shortcuts::HALF;

/// Takes instructions in all functions of the module.
pub fn run(module: &Module<'_>) {
    let Some(function) = module.function(&format!("{HALF}fma")) else { return };
    for call in function.users() {
        let b = module.context().builder();
        b.position_before(call);
        let sum = b.intrinsic(module, "llvm.fma", &[call.ty()], &call.arguments());
        call.replace_all_uses_with(sum);
        call.erase();
    }
    function.delete_global();
}
