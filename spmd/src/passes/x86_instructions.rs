//! Arithmetic that x86 has instructions for and LLVM no name that fits all targets: single-precision arithmetic that rounds in a
//! direction, by AVX-512's instructions that name one, dot products of bytes, by those that add products of pairs, products of
//! halves that are added before they are rounded, by AVX512-FP16's, and arithmetic that makes zeros of subnormal numbers, by the
//! state of the processor ([`flush_by_state`](super::flush_by_state)).
//!
//! [`take`] has per-thread IR as its input, with functions of [`simt::shortcuts`] and their bodies; its output calls
//! intrinsics instead. The vectoriser makes calls of `directed.<operation>.<direction>.32` or `dot.<type>.<type>.32` of these, functions of
//! vectors without a body, which are arithmetic of each lane to the passes that follow. [`expand`] makes instructions of them.
//! Why there: before bodies are inlined, and behind the passes that would not know LLVM's intrinsics for x86 to be
//! arithmetic.

use llvm_zluda::{Builder, IntPredicate, Module, Type, Value};
use simt::shortcuts::{DIRECTED, DOT, FLUSHING, HALF, UNFLUSHED};
use simt::{LANES, intrinsics};

use crate::Options;
use crate::shortcut_vectors::base;
use crate::unflushed;

/// Calls intrinsics in the place of functions that have bodies, as far as the processor has the instructions.
pub fn take(module: &Module<'_>, options: &Options) {
    // Of registers of 512 bits those that have instructions for bytes.
    let adds_pairs = if options.avx512() { options.masks_rows_of(1) } else { options.avx2() };
    for function in module.functions() {
        let name = function.name();
        let has =
            [(DIRECTED, options.avx512()), (DOT, adds_pairs), (HALF, options.computes_half())];
        if !has.iter().any(|&(family, has)| has && name.starts_with(family)) {
            continue;
        }
        let count = function.value_type().parameters().len();
        let intrinsic = intrinsics::declare(module, &name, count);
        for call in function.users() {
            let b = module.context().builder();
            b.position_before(call);
            call.replace_all_uses_with(b.call(intrinsic, &call.arguments()));
            call.erase();
        }
        function.delete_global();
    }
}

/// Puts instructions in the place of calls.
pub fn expand(module: &Module<'_>, options: &Options) {
    let register = if options.avx512() { 16 } else { 8 };
    for function in module.functions() {
        let name = function.name();
        let Some(base) = base(&name) else { continue };
        for call in function.users() {
            let b = module.context().builder();
            b.position_before(call);
            let made = if let Some(operation) = base.strip_prefix(FLUSHING) {
                flushing(module, &b, operation, &call.arguments())
            } else if let Some(operation) = base.strip_prefix(UNFLUSHED) {
                let operands = call.arguments();
                b.call(unflushed::function(module, operation, call.ty(), operands.len()), &operands)
            } else if base.starts_with(HALF) {
                b.intrinsic(module, "llvm.fma", &[call.ty()], &call.arguments())
            } else {
                in_registers(&b, call, register, &|operands| match base.strip_prefix(DOT) {
                    Some(types) => dot_product(module, &b, types, operands),
                    None => directed(module, &b, base, operands),
                })
            };
            call.replace_all_uses_with(made);
            call.erase();
        }
        function.delete_global();
    }
}

/// The lanes of one register after the other.
fn in_registers<'c>(
    b: &Builder<'c>,
    call: Value<'c>,
    register: u64,
    instruction: &dyn Fn(&[Value<'c>]) -> Value<'c>,
) -> Value<'c> {
    let lanes = call.ty().len();
    debug_assert!(lanes.is_multiple_of(register) && lanes <= u64::from(LANES));
    let part = |first: u64| {
        let places: Vec<_> = (first as i32..(first + register) as i32).collect();
        let operands = call.arguments().into_iter();
        let operands: Vec<_> = operands.map(|it| b.shuffle(it, it, &places)).collect();
        instruction(&operands)
    };
    if lanes == register {
        return instruction(&call.arguments());
    }
    let mut parts: Vec<_> = (0..lanes).step_by(register as usize).map(part).collect();
    while parts.len() > 1 {
        let join = |pair: &[Value<'c>]| {
            let places: Vec<_> = (0..2 * pair[0].ty().len() as i32).collect();
            b.shuffle(pair[0], pair[1], &places)
        };
        parts = parts.chunks(2).map(join).collect();
    }
    parts[0]
}

/// `base` is such as `directed.fma.rm`.
fn directed<'c>(
    module: &Module<'c>,
    b: &Builder<'c>,
    base: &str,
    operands: &[Value<'c>],
) -> Value<'c> {
    let words: Vec<_> = base.split('.').collect();
    let (operation, direction) = (words[1], words[2]);
    let operation = if operation == "fma" { "vfmadd" } else { operation };
    // The direction, and no exceptions.
    let direction = b.context().i32().const_int(match direction {
        "rm" => 9,
        "rp" => 10,
        _ => 11,
    });
    let operands: Vec<_> = operands.iter().copied().chain([direction]).collect();
    b.intrinsic(module, &format!("llvm.x86.avx512.{operation}.ps.512"), &[], &operands)
}

/// `operation` is such as `fma`, in a state in which all operations flush. LLVM takes `x * 1` for `x`, which does not, so that
/// `x` is flushed by its bits where something is added to nothing, or multiplied by one.
fn flushing<'c>(
    module: &Module<'c>,
    b: &Builder<'c>,
    operation: &str,
    operands: &[Value<'c>],
) -> Value<'c> {
    let is = |index: usize, size| may_be(b, operands[index], size);
    let may_vanish = match operation {
        "add" | "sub" => is(0, ZERO) || is(1, ZERO),
        "mul" => is(0, ONE) || is(1, ONE),
        "div" => is(1, ONE),
        "fma" => is(2, ZERO),
        _ => false,
    };
    let flushed = |&operand: &Value<'c>| {
        if may_vanish && !operand.is_constant() { flush_bits(b, operand) } else { operand }
    };
    let operands: Vec<_> = operands.iter().map(flushed).collect();
    let ty = operands[0].ty();
    match (operation, operands.as_slice()) {
        ("rcp", &[x]) => b.fdiv(like(b, ty, b.context().f32().const_float(1.0)), x),
        (_, operands) => unflushed::arithmetic(module, b, operation, operands),
    }
}

/// A scalar, in as many lanes as a type has.
fn like<'c>(b: &Builder<'c>, ty: Type<'c>, scalar: Value<'c>) -> Value<'c> {
    if ty.is_vector() { b.splat(scalar, ty.len() as u32) } else { scalar }
}

const ZERO: u64 = 0;
const ONE: u64 = 0x3f80_0000;

/// Whether a value is a constant of which a lane may be of this size, with either sign.
fn may_be<'c>(b: &Builder<'c>, value: Value<'c>, size: u64) -> bool {
    if !value.is_constant() {
        return false;
    }
    let element = if value.ty().is_vector() { value.repeated_element() } else { Some(value) };
    let bits = element.and_then(|it| b.bitcast(it, b.context().i32()).as_const_int());
    bits.is_none_or(|bits| bits & 0x7fff_ffff == size)
}

/// Zeros of the same sign in the place of subnormal floats.
fn flush_bits<'c>(b: &Builder<'c>, value: Value<'c>) -> Value<'c> {
    let ty = value.ty();
    let splat = |number: u64| like(b, ty, b.context().i32().const_int(number));
    let bits = b.bitcast(value, splat(0).ty());
    let subnormal =
        b.icmp(IntPredicate::LLVMIntULT, b.and(bits, splat(0x7fff_ffff)), splat(0x0080_0000));
    b.bitcast(b.select(subnormal, b.and(bits, splat(0x8000_0000)), bits), ty)
}

/// `types` are those of the factors, such as `s8.u8`. Products of bytes fit pairs of halves: the even bytes, then the odd ones.
fn dot_product<'c>(
    module: &Module<'c>,
    b: &Builder<'c>,
    types: &str,
    operands: &[Value<'c>],
) -> Value<'c> {
    let lanes = operands[0].ty().len() as u32;
    let pairs = 2 * lanes;
    let (i16_type, name) = match lanes {
        16 => (b.context().int(16), "llvm.x86.avx512.pmaddw.d.512"),
        _ => (b.context().int(16), "llvm.x86.avx2.pmadd.wd"),
    };
    let number = |number| b.splat(i16_type.const_int(number), pairs);
    let halves = |operand: Value<'c>, ty: &str| {
        let pairs = b.bitcast(operand, i16_type.vector(pairs));
        match ty {
            "s8" => [b.ashr(b.shl(pairs, number(8)), number(8)), b.ashr(pairs, number(8))],
            _ => [b.and(pairs, number(0xff)), b.lshr(pairs, number(8))],
        }
    };
    let (first, second) = types.split_once('.').unwrap_or((types, types));
    let (a, other) = (halves(operands[0], first), halves(operands[1], second));
    let products = [0, 1].map(|index| b.intrinsic(module, name, &[], &[a[index], other[index]]));
    b.add(b.add(products[0], products[1]), operands[2])
}
