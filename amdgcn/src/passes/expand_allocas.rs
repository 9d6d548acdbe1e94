//! `alloca`, `stacksave` and `stackrestore`: LLVM's own, in scratch memory.
//!
//! Input: calls of `zluda.lane.alloca`, `stacksave` and `stackrestore`, whose addresses are numbers.
//! Output: LLVM's instruction and intrinsics in their place.
//! Why here: before anything asks where lanes go, to which a call of `zluda.lane.*` is an access to any memory.

use llvm_zluda::{Module, Value};

/// The largest alignment of PTX's stack memory that is heeded.
const LARGEST_ALIGNMENT: u64 = 1 << 10;

/// Replaces the calls of these intrinsics, in the functions that have them.
pub fn run(module: &Module<'_>) {
    replace(module, "zluda.lane.alloca", alloca);
    replace(module, "zluda.lane.stacksave", save);
    replace(module, "zluda.lane.stackrestore", restore);
}

fn replace<'c>(
    module: &Module<'c>,
    name: &str,
    with: impl Fn(&Module<'c>, Value<'c>) -> Option<Value<'c>>,
) {
    let Some(intrinsic) = module.function(name) else { return };
    for call in intrinsic.users().into_iter().filter(|user| user.is_instruction()) {
        if let Some(result) = with(module, call) {
            call.replace_all_uses_with(result);
            call.erase();
        }
    }
}

/// Of thread, bytes and alignment.
fn alloca<'c>(module: &Module<'c>, call: Value<'c>) -> Option<Value<'c>> {
    let context = module.context();
    let [_, bytes, alignment] = call.arguments()[..] else { return None };
    let builder = context.builder();
    builder.position_before(call);
    let bytes = builder.trunc(bytes, context.i32());
    let memory = builder.array_alloca(context.i8(), bytes);
    let alignment = alignment.as_const_int().unwrap_or(0).next_power_of_two();
    memory.set_alignment(alignment.clamp(8, LARGEST_ALIGNMENT) as u32);
    let generic = builder.addr_space_cast(memory, context.ptr(0));
    Some(builder.ptr_to_int(generic, context.i64()))
}

/// A place is an address of scratch memory, as a number.
fn save<'c>(module: &Module<'c>, call: Value<'c>) -> Option<Value<'c>> {
    let context = module.context();
    let builder = context.builder();
    builder.position_before(call);
    let place = builder.intrinsic(module, "llvm.stacksave", &[context.ptr(5)], &[]);
    Some(builder.zext(builder.ptr_to_int(place, context.i32()), context.i64()))
}

/// Of thread and place.
fn restore<'c>(module: &Module<'c>, call: Value<'c>) -> Option<Value<'c>> {
    let context = module.context();
    let [_, place] = call.arguments()[..] else { return None };
    let builder = context.builder();
    builder.position_before(call);
    let place = builder.int_to_ptr(builder.trunc(place, context.i32()), context.ptr(5));
    builder.intrinsic(module, "llvm.stackrestore", &[context.ptr(5)], &[place]);
    Some(context.i64().zero())
}
