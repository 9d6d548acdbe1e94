//! The functions by which the device library asks for what a launch says.
//!
//! Input: a kernel in whose module the library may call them. Output: definitions, as loads of the parameter buffer or
//! constants, which are inlined. Why here: before the library is linked, whose own definitions are for other kernels.

use llvm_zluda::Module;
use simt::parameters::Hidden;

use crate::intrinsics::OWN;

/// `zluda.amd.services`, which a hidden parameter says.
pub fn services(module: &Module<'_>, hidden_offset: u32) {
    let context = module.context();
    let function = OWN.declare(module, "amd.services", 0);
    if !function.is_declaration() {
        return;
    }
    let builder = context.builder();
    builder.position_at_end(module.append_block(function, "entry"));
    let buffer = builder.call(OWN.declare(module, "params", 0), &[]);
    let offset = context.i64().const_int(Hidden::Services.place(hidden_offset));
    let load = builder.load(context.ptr(1), builder.byte_offset(buffer, offset), 8);
    load.add_empty_metadata(context, "invariant.load");
    builder.ret(load);
    module.add_attribute(function, "alwaysinline");
}

/// `zluda.amd.cluster_launch`, which lies behind the hidden parameters.
pub fn launch(module: &Module<'_>, offset: u32) {
    let context = module.context();
    let function = OWN.declare(module, "amd.cluster_launch", 0);
    let builder = context.builder();
    builder.position_at_end(module.append_block(function, "entry"));
    let buffer = builder.call(OWN.declare(module, "params", 0), &[]);
    builder.ret(builder.byte_offset(buffer, context.i64().const_int(offset.into())));
    module.add_attribute(function, "alwaysinline");
}

/// `zluda.is_explicit_cluster`, as far as the kernel itself says it.
pub fn cluster(module: &Module<'_>, is_explicit: bool) {
    let Some(function) = module.function("zluda.is_explicit_cluster") else { return };
    let context = module.context();
    let builder = context.builder();
    builder.position_at_end(module.append_block(function, "entry"));
    builder.ret(context.i32().const_int(is_explicit.into()));
    module.add_attribute(function, "alwaysinline");
}
