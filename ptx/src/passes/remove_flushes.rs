//! Input: per-thread IR where values have taken the place of registers, with `zluda.ftz.f32` around what `.ftz`
//! reads, and `zluda.flushed.f32` around results that are not subnormal.
//! Output: the same without `zluda.flushed.f32`, and without `zluda.ftz.f32` of what is not subnormal.
//! Why here: lowering sees one instruction at a time. Sums in loops are flushed as results already.

use llvm_zluda::Module;
use simt::analysis::subnormals::Subnormals;

/// Removes `zluda.flushed.f32`, and `zluda.ftz.f32` of numbers that are not subnormal.
pub fn run(module: &Module<'_>) {
    if let Some(flush) = module.function("zluda.ftz.f32") {
        let mut subnormals = Subnormals::new(module.context());
        let calls: Vec<_> = flush.users();
        for call in calls {
            let operand = call.operand(0);
            if subnormals.never(operand) {
                call.replace_all_uses_with(operand);
                call.erase();
            }
        }
    }
    let Some(marker) = module.function("zluda.flushed.f32") else { return };
    for mark in marker.users() {
        mark.replace_all_uses_with(mark.operand(0));
        mark.erase();
    }
    marker.delete_global();
}
