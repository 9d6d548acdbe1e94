//! `fma.rm` whose result is a whole number by sums to the nearest.
//!
//! Input: per-thread IR, with functions `directed.fma.rm` and `flushing.fma.rm` of [`simt::shortcuts`] and their bodies. Output:
//! `a * b + c` without a call where `a` is between 0 and 1 and the constants `b` and `c` leave nothing below 2^23 or above
//! 2^24, whatever `a` is.
//! Why here: before the bodies are inlined, and the range of `a` is plain in what `.sat` became. nvcc puts such an operation into
//! every `expf`, with 252 and 12582913; the body's arithmetic on doubles is half of the time of a softmax.
//!
//! Floats between 2^23 and 2^24 are whole numbers. So the sum to the nearest is the one that rounds down or the next one; its
//! distance to `c` is exact; and a fused sum has the sign of what `a * b` is above or below that. Where that is not zero it
//! is nowhere near the subnormal numbers.

use llvm_zluda::{Builder, Module, Opcode, RealPredicate, Value};
use simt::shortcuts::{DIRECTED, FLUSHING};

use crate::Options;

/// Floats from here to twice that are whole numbers.
const WHOLE: f64 = 8_388_608.0;

/// Rewrites the calls of a module.
pub fn run(module: &Module<'_>, options: &Options) {
    // AVX-512 has an instruction that rounds down.
    if options.avx512() || !options.fuses() {
        return;
    }
    for family in [DIRECTED, FLUSHING] {
        let Some(function) = module.function(&format!("{family}fma.rm")) else { continue };
        for call in function.users() {
            rewrite(module, call);
        }
        if !function.has_uses() {
            function.delete_global();
        }
    }
}

fn rewrite<'c>(module: &Module<'c>, call: Value<'c>) {
    let &[a, factor, addend] = call.arguments().as_slice() else { return };
    let b = module.context().builder();
    b.position_before(call);
    let (Some(most), Some(least)) = (constant(&b, factor), constant(&b, addend)) else { return };
    let whole = most > 0.0 && least >= WHOLE && least + most <= 2.0 * WHOLE;
    if !whole || !is_saturated(&b, a) {
        return;
    }
    let f32_type = module.context().f32();
    let fma = |sum| b.intrinsic(module, "llvm.fma", &[f32_type], &[a, factor, sum]);
    let nearest = fma(addend);
    let rest = fma(b.fneg(b.fsub(nearest, addend)));
    let is_above = b.fcmp(RealPredicate::LLVMRealOLT, rest, f32_type.const_float(0.0));
    let below = b.fsub(nearest, f32_type.const_float(1.0));
    call.replace_all_uses_with(b.select(is_above, below, nearest));
    call.erase();
}

/// The value of a constant.
fn constant<'c>(b: &Builder<'c>, value: Value<'c>) -> Option<f64> {
    if !value.is_constant() {
        return None;
    }
    let bits = b.bitcast(value, b.context().i32()).as_const_int()?;
    Some(f32::from_bits(bits as u32).into())
}

/// Whether a value is what `.sat` leaves: from 0 to 1, and a number.
fn is_saturated<'c>(b: &Builder<'c>, value: Value<'c>) -> bool {
    let limited = |value: Value<'c>, predicate, limit: f64| {
        let is_select = value.is_instruction() && value.opcode() == Opcode::LLVMSelect;
        let [condition, inside, outside] =
            [0, 1, 2].map(|index| is_select.then(|| value.operand(index)));
        let (condition, inside, outside) = (condition?, inside?, outside?);
        let is_limit = |value| constant(b, value) == Some(limit);
        let compares = condition.is_instruction()
            && condition.opcode() == Opcode::LLVMFCmp
            && condition.real_predicate() == predicate
            && condition.operand(0) == inside
            && is_limit(condition.operand(1));
        (compares && is_limit(outside)).then_some(inside)
    };
    let below = limited(value, RealPredicate::LLVMRealOLT, 1.0);
    below.and_then(|value| limited(value, RealPredicate::LLVMRealOGT, 0.0)).is_some()
}
