//! The functions by which the device library asks for what a launch says.
//!
//! Input: a kernel in whose module the library may call them. Output: definitions, as loads of the parameter buffer or
//! constants, which are inlined. Why here: before the library is linked, whose own definitions are for other kernels.

use llvm_zluda::Module;
use simt::parameters::Hidden;

use super::make_kernel::PARAMETERS;

/// `zluda.amd.services`, which a hidden parameter says.
pub fn services(module: &Module<'_>, hidden_offset: u32) {
    let context = module.context();
    let (pointer, parameters) = (context.ptr(1), context.ptr(4));
    let declare = |name: &str, ty| {
        let declared = module.function(name);
        declared.unwrap_or_else(|| module.add_function(name, context.function_type(ty, &[])))
    };
    let function = declare("zluda.amd.services", pointer);
    if !function.is_declaration() {
        return;
    }
    let builder = context.builder();
    builder.position_at_end(module.append_block(function, "entry"));
    let buffer = builder.call(declare(PARAMETERS, parameters), &[]);
    let offset = context.i64().const_int(Hidden::Services.place(hidden_offset));
    let load = builder.load(pointer, builder.byte_offset(buffer, offset), 8);
    load.add_empty_metadata(context, "invariant.load");
    builder.ret(load);
    module.add_attribute(function, "alwaysinline");
}

/// `zluda.amd.cluster_launch`, which lies behind the hidden parameters.
pub fn launch(module: &Module<'_>, offset: u32) {
    let context = module.context();
    let ty = context.function_type(context.ptr(4), &[]);
    let function = module.declare_function("zluda.amd.cluster_launch", ty);
    let builder = context.builder();
    builder.position_at_end(module.append_block(function, "entry"));
    let buffer = builder.call(module.declare_function(PARAMETERS, ty), &[]);
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
