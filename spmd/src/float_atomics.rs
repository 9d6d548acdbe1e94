//! Atomic additions of floating-point numbers, as GPUs do them.
//!
//! An H100 flushes subnormal `.f32` numbers when it adds in global memory, but not in shared memory; the NaN
//! of `.f32` sums has its own bits, and `.f64` sums hand the NaN of an operand on as it is.

use llvm_zluda::{
    AtomicOrdering, AtomicRmwOp, Builder, IntPredicate, Linkage, Module, Opcode, RealPredicate,
    Type, Value,
};

/// The NaN of `.f32` arithmetic.
const NAN: u64 = 0x7fff_ffff;
/// Shared memory lies below this address, all other memory above it.
const SHARED_END: u64 = 1 << 32;

/// Whether an atomic addition is one of those.
pub fn concerns(operation: AtomicRmwOp, ty: Type<'_>) -> bool {
    operation == AtomicRmwOp::LLVMAtomicRMWBinOpFAdd && matches!(ty.bits(), 32 | 64)
}

/// The sum that becomes the new value. Of two NaNs in shared memory the old one stays, elsewhere the new one.
pub fn sum<'c>(b: &Builder<'c>, shared: bool, old: Value<'c>, value: Value<'c>) -> Value<'c> {
    let context = b.context();
    let nan_of = |value| b.fcmp(RealPredicate::LLVMRealUNO, value, value);
    let sum = b.fadd(old, value);
    if old.ty().bits() == 64 {
        if shared {
            let quiet = |value| {
                let bits = b.bitcast(value, context.i64());
                b.bitcast(b.or(bits, context.i64().const_int(1 << 51)), old.ty())
            };
            let last = b.select(nan_of(value), quiet(value), sum);
            return b.select(nan_of(old), quiet(old), last);
        }
        let first = b.select(nan_of(old), old, sum);
        return b.select(nan_of(value), value, first);
    }
    let bits = b.bitcast(sum, context.i32());
    let chosen = b.select(nan_of(sum), context.i32().const_int(NAN), bits);
    b.bitcast(chosen, old.ty())
}

/// A float, or zero of its sign where it is subnormal and the condition holds.
fn flushed<'c>(b: &Builder<'c>, value: Value<'c>, condition: Value<'c>) -> Value<'c> {
    let i32_type = b.context().i32();
    let bits = b.bitcast(value, i32_type);
    let size = b.and(bits, i32_type.const_int(0x7fff_ffff));
    let subnormal = b.icmp(IntPredicate::LLVMIntULT, size, i32_type.const_int(0x0080_0000));
    let sign = b.and(bits, i32_type.const_int(0x8000_0000));
    b.bitcast(b.select(b.and(subnormal, condition), sign, bits), value.ty())
}

/// `T zluda.fadd.<T>(ptr, T)`: adds atomically to memory that is not known to be shared, and gives the old
/// value.
pub fn function<'c>(module: &Module<'c>, ty: Type<'c>) -> Value<'c> {
    let bits = ty.bits();
    let name = format!("zluda.fadd.f{bits}");
    if let Some(function) = module.function(&name) {
        return function;
    }
    let context = module.context();
    let integer = context.int(bits);
    let signature = context.function_type(ty, &[context.ptr(0), ty]);
    let function = module.add_function(&name, signature);
    function.set_linkage(Linkage::LLVMInternalLinkage);
    let (pointer, value) = (function.parameter(0), function.parameter(1));
    let [entry, again, done] =
        ["entry", "again", "done"].map(|name| module.append_block(function, name));
    let b = context.builder();
    b.position_at_end(entry);
    let address = b.ptr_to_int(pointer, context.i64());
    let end = context.i64().const_int(SHARED_END);
    let global = b.icmp(IntPredicate::LLVMIntUGE, address, end);
    let relaxed = AtomicOrdering::LLVMAtomicOrderingMonotonic;
    let first = b.load(integer, pointer, bits / 8);
    first.set_ordering(relaxed);
    let addend = if bits == 32 { flushed(&b, value, global) } else { value };
    b.br(again);
    b.position_at_end(again);
    let seen = b.phi(integer);
    let old = b.bitcast(seen, ty);
    let new = if bits == 32 {
        let new = sum(&b, true, flushed(&b, old, global), addend);
        flushed(&b, new, global)
    } else {
        let in_shared = sum(&b, true, old, addend);
        b.select(global, sum(&b, false, old, addend), in_shared)
    };
    let new = b.bitcast(new, integer);
    let order = AtomicOrdering::LLVMAtomicOrderingSequentiallyConsistent;
    let both = b.cmpxchg(pointer, seen, new, (order, relaxed), context.sync_scope(""));
    let found = b.extract_value(both, 0);
    let success = b.extract_value(both, 1);
    seen.add_incoming(&[(first, entry), (found, again)]);
    b.cond_br(success, done, again);
    b.position_at_end(done);
    b.ret(b.bitcast(found, ty));
    function
}

/// Replaces the atomic additions of scalar code.
pub fn expand(module: &Module<'_>) {
    let b = module.context().builder();
    for thread in module.functions() {
        for block in thread.blocks() {
            for rmw in block.instructions() {
                if rmw.opcode() != Opcode::LLVMAtomicRMW || !concerns(rmw.rmw_operation(), rmw.ty())
                {
                    continue;
                }
                b.position_before(rmw);
                let (pointer, value) = (rmw.operand(0), rmw.operand(1));
                let generic = if pointer.ty().address_space() == 0 {
                    pointer
                } else {
                    b.addr_space_cast(pointer, module.context().ptr(0))
                };
                let old = b.call(function(module, rmw.ty()), &[generic, value]);
                rmw.replace_all_uses_with(old);
                rmw.erase();
            }
        }
    }
}
