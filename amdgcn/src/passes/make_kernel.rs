//! The kernel as the hardware's dispatcher wants it: one argument, the parameter buffer.
//!
//! Input: a function without parameters, whose calls have all been linked. Output: a kernel of LLVM's calling convention,
//! of which [`place_parameters`] says where the parameter buffer is, once functions that ask for it have been inlined.
//! Why here: before LLVM's passes, which know how kernels begin.

use llvm_zluda::{Linkage, Module, Value};

use crate::Error;

/// LLVM's number for a kernel's calling convention on AMDGPU.
const AMDGPU_KERNEL: u32 = 91;

/// Per-thread IR's name of the parameter buffer.
pub const PARAMETERS: &str = "zluda.params";

/// Makes a function the kernel, with `bytes` of parameters.
pub fn run(module: &Module<'_>, name: &str, bytes: u32, max_threads: u32) -> Result<(), Error> {
    let context = module.context();
    let Some(body) = module.function(name) else {
        return Err(Error::Bug("the kernel is missing".to_owned()));
    };
    body.set_name("zluda.body");
    body.set_linkage(Linkage::LLVMInternalLinkage);
    let pointer = context.ptr(4);
    let kernel = module.add_function(name, context.function_type(context.void(), &[pointer]));
    kernel.set_calling_convention(AMDGPU_KERNEL);
    let buffer = context.i8().array(bytes.into());
    module.add_parameter_type_attribute(kernel, 0, "byref", buffer);
    module.add_parameter_attribute(kernel, 0, "align", 16);
    module.add_string_attribute(
        kernel,
        "amdgpu-flat-work-group-size",
        &format!("1,{}", max_threads),
    );
    // Blocks are whole: every one has the size that the launch names.
    module.add_string_attribute(kernel, "uniform-work-group-size", "true");
    module.add_attribute(kernel, "nounwind");
    let first = module.append_block(kernel, "entry");
    if body.has_uses() {
        module.add_attribute(body, "alwaysinline");
        let builder = context.builder();
        builder.position_at_end(first);
        builder.call(body, &[]);
        builder.ret_void();
        return Ok(());
    }
    // Nobody else wants the body, which LLVM would copy.
    let mut last = first;
    for block in body.blocks() {
        block.move_after(last);
        last = block;
    }
    first.delete();
    body.delete_global();
    Ok(())
}

/// The parameter buffer: in the kernel its argument, in functions what lies before the implicit arguments, which
/// follow it.
pub fn place_parameters(module: &Module<'_>, kernel: Value<'_>, bytes: u32) {
    let Some(function) = module.function(PARAMETERS) else { return };
    let builder = module.context().builder();
    for call in function.users() {
        builder.position_before(call);
        let buffer = if call.parent().function() == kernel {
            kernel.parameter(0)
        } else {
            let implicit = builder.intrinsic(module, "llvm.amdgcn.implicitarg.ptr", &[], &[]);
            let before = u64::from(bytes).wrapping_neg();
            builder.byte_offset(implicit, module.context().i64().const_int(before))
        };
        call.replace_all_uses_with(buffer);
        call.erase();
    }
}
