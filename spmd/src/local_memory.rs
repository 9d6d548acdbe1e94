//! Where a thread's local memory lies, as both lowerings find it.

use llvm_zluda::{Builder, Module, Value};

/// The greatest distance of local memory from the frame of the code that asks for it, in bytes.
const REACH: u64 = 1 << 20;

/// The address where local memory may begin, and the bytes in which all of it lies, as `i64`.
pub fn range<'c>(b: &Builder<'c>, module: &Module<'c>) -> (Value<'c>, Value<'c>) {
    let context = module.context();
    let word = context.i64();
    let zero = context.i32().const_int(0);
    let frame = b.intrinsic(module, "llvm.frameaddress", &[context.ptr(0)], &[zero]);
    let start = b.sub(b.ptr_to_int(frame, word), word.const_int(REACH));
    (start, word.const_int(2 * REACH))
}
