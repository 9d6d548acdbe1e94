//! Functions that calculate with subnormal numbers where the state of the processor makes zeros of them.

use cpu_abi::DEFAULT_FLOAT_STATE;
use llvm_zluda::{Builder, Linkage, Module, Type, Value};

/// The function for an operation, such as `fma`, on floats or vectors of them. It has the default state meanwhile.
///
/// LLVM does not know that arithmetic depends on the state, and would move it. So operands are read behind the change, and
/// the result is written before the state is back, by accesses that stay where they are.
pub(crate) fn function<'c>(
    module: &Module<'c>,
    operation: &str,
    ty: Type<'c>,
    operands: usize,
) -> Value<'c> {
    let lanes = if ty.is_vector() { ty.len() } else { 1 };
    let name = format!("spmd.unflushed.{operation}.{lanes}");
    if let Some(function) = module.function(&name) {
        return function;
    }
    let context = module.context();
    let function = module.add_function(&name, context.function_type(ty, &vec![ty; operands]));
    function.set_linkage(Linkage::LLVMInternalLinkage);
    for attribute in ["noinline", "nounwind"] {
        module.add_attribute(function, attribute);
    }
    let b = context.builder();
    b.position_at_end(module.append_block(function, "entry"));
    let align = module.align_of(ty);
    let places: Vec<_> = (0..operands).map(|_| b.alloca(ty)).collect();
    let [flushing, default] = [0, 1].map(|_| b.alloca(context.i32()));
    b.store(context.i32().const_int(DEFAULT_FLOAT_STATE.into()), default, 4);
    for (index, &place) in places.iter().enumerate() {
        b.store(function.parameter(index as u32), place, align);
    }
    b.intrinsic(module, "llvm.x86.sse.stmxcsr", &[], &[flushing]);
    b.intrinsic(module, "llvm.x86.sse.ldmxcsr", &[], &[default]);
    let read = |&place: &Value<'c>| {
        let load = b.load(ty, place, align);
        load.set_volatile(true);
        load
    };
    let operands: Vec<_> = places.iter().map(read).collect();
    let result = arithmetic(module, &b, operation, &operands);
    b.store(result, places[0], align).set_volatile(true);
    b.intrinsic(module, "llvm.x86.sse.ldmxcsr", &[], &[flushing]);
    b.ret(b.load(ty, places[0], align));
    function
}

/// An operation by its name in [`simt::shortcuts`].
pub(crate) fn arithmetic<'c>(
    module: &Module<'c>,
    b: &Builder<'c>,
    operation: &str,
    operands: &[Value<'c>],
) -> Value<'c> {
    let ty = operands[0].ty();
    match (operation, operands) {
        ("add", &[x, y]) => b.fadd(x, y),
        ("sub", &[x, y]) => b.fsub(x, y),
        ("mul", &[x, y]) => b.fmul(x, y),
        ("div", &[x, y]) => b.fdiv(x, y),
        ("fma", operands) => b.intrinsic(module, "llvm.fma", &[ty], operands),
        (_, operands) => b.intrinsic(module, "llvm.sqrt", &[ty], operands),
    }
}
