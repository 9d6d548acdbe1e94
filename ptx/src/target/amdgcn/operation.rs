//! Intrinsics whose first argument is a number that says what to do: `zluda.matrix` and `zluda.texture`. Each
//! distinct number becomes a function of its own, in which the device library's code for all of them meets the
//! constant, so that LLVM leaves what the operation needs.

use cpu_abi::{MatrixKind, MatrixOperation, MatrixType, TextureAction, TextureOperation};
use llvm_zluda::{Linkage, Module, Value};
use rustc_hash::FxHashMap;

/// The function of the device library that does an operation: `void (i64 operation, ptr words, ptr results)`.
fn implementation(intrinsic: &str, operation: u64) -> Option<&'static str> {
    if intrinsic.starts_with("zluda.texture.") {
        return Some(match TextureOperation::decode(operation)?.action {
            TextureAction::Sample | TextureAction::Gather => "zluda.amd.texture.look_up",
            TextureAction::Query => "zluda.amd.texture.query",
            TextureAction::IsType => "zluda.amd.texture.is_type",
            _ => "zluda.amd.texture.surface",
        });
    }
    let operation = MatrixOperation::unpack(operation)?;
    Some(match operation.kind {
        MatrixKind::Multiply if operation.is_quad_pairs() => "zluda.amd.matrix.quad_pairs",
        MatrixKind::Multiply if operation.a == MatrixType::F64 => "zluda.amd.matrix.doubles",
        MatrixKind::Multiply => "zluda.amd.matrix.multiply",
        MatrixKind::WarpGroup => "zluda.amd.matrix.warp_group",
        MatrixKind::Load => "zluda.amd.matrix.load",
        MatrixKind::Store => "zluda.amd.matrix.store",
        MatrixKind::Transpose => "zluda.amd.matrix.transpose",
    })
}

/// Replaces the calls of these intrinsics. What is no operation stays, and is refused for it.
pub fn specialise(module: &Module<'_>) {
    for intrinsic in module.functions() {
        let name = intrinsic.name();
        let ours = name.starts_with("zluda.matrix.") || name.starts_with("zluda.texture.");
        if ours && intrinsic.is_declaration() {
            specialise_calls(module, intrinsic, &name);
        }
    }
}

fn specialise_calls<'c>(module: &Module<'c>, intrinsic: Value<'c>, name: &str) {
    let mut calls: FxHashMap<u64, Vec<Value<'c>>> = FxHashMap::default();
    for call in intrinsic.users().into_iter().filter(|user| user.is_instruction()) {
        let number = call.arguments().first().and_then(|number| number.as_const_int());
        if let Some(number) = number {
            calls.entry(number).or_default().push(call);
        }
    }
    for (number, calls) in calls {
        let Some(implementation) = implementation(name, number) else { continue };
        let function = define(module, intrinsic, name, number, implementation);
        if calls.len() > 1 {
            module.add_attribute(function, "noinline");
        }
        for call in calls {
            let builder = module.context().builder();
            builder.position_before(call);
            let result = builder.call(function, &call.arguments()[1..]);
            if call.has_uses() {
                call.replace_all_uses_with(result);
            }
            call.erase();
        }
    }
}

/// A function of the intrinsic's arguments but the first one.
fn define<'c>(
    module: &Module<'c>,
    intrinsic: Value<'c>,
    name: &str,
    number: u64,
    implementation: &str,
) -> Value<'c> {
    let context = module.context();
    let (generic, word, wide) = (context.ptr(0), context.i32(), context.i64());
    let body = module.function(implementation).unwrap_or_else(|| {
        let ty = context.function_type(context.void(), &[wide, generic, generic]);
        module.add_function(implementation, ty)
    });
    let results = intrinsic.value_type().result();
    let words = intrinsic.parameter_count() - 1;
    let ty = context.function_type(results, &vec![word; words as usize]);
    let function = module.add_function(&format!("{name}.{number:x}"), ty);
    function.set_linkage(Linkage::LLVMInternalLinkage);
    for attribute in ["nounwind", "convergent"] {
        module.add_attribute(function, attribute);
    }
    let builder = context.builder();
    builder.position_at_end(module.append_block(function, "entry"));
    let room = |count: u32| {
        let own = builder.alloca(word.array(count.max(1).into()));
        builder.addr_space_cast(own, generic)
    };
    let place = |base: Value<'c>, index: u32| {
        builder.byte_offset(base, wide.const_int(4 * u64::from(index)))
    };
    let count = if results.is_void() { 0 } else { results.fields().len() as u32 };
    let (from, to) = (room(words), room(count));
    for (index, value) in function.parameters().into_iter().enumerate() {
        builder.store(value, place(from, index as u32), 4);
    }
    builder.call(body, &[wide.const_int(number), from, to]);
    if count == 0 {
        builder.ret_void();
        return function;
    }
    let mut all = results.poison();
    for index in 0..count {
        all = builder.insert_value(all, builder.load(word, place(to, index), 4), index);
    }
    builder.ret(all);
    function
}
