//! Masked loads, whose values are frozen until LLVM's passes are over (`passes/thaw_loads.rs` says why).

use llvm_zluda::{Builder, Module, Type, Value};

/// A row of elements, of which those with a set bit in `mask` are loaded.
pub fn masked_load<'c>(
    module: &Module<'c>,
    b: &Builder<'c>,
    base: Value<'c>,
    mask: Value<'c>,
    row: Type<'c>,
) -> Value<'c> {
    let cx = module.context();
    let arguments = [base, mask, row.poison()];
    let load = b.intrinsic(module, "llvm.masked.load", &[row, cx.ptr(0)], &arguments);
    load.set_argument_alignment(cx, 0, module.align_of(row.element()));
    b.freeze(load)
}
