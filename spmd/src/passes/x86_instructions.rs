//! Arithmetic that x86 has instructions for and LLVM no name that fits all targets: single-precision arithmetic that rounds in a
//! direction, by AVX-512's instructions that name one, and dot products of bytes, by those that add products of pairs.
//!
//! [`take`] has per-thread IR as its input, with functions of [`simt::shortcuts`] and their bodies; its output calls
//! intrinsics instead. The vectoriser makes calls of `directed.<operation>.<direction>.32` or `dot.<type>.<type>.32` of these, functions of
//! vectors without a body, which are arithmetic of each lane to the passes that follow. [`expand`] makes instructions of them.
//! Why there: before bodies are inlined, and behind the passes that would not know LLVM's intrinsics for x86 to be
//! arithmetic.

use llvm_zluda::{Builder, Module, Value};
use simt::shortcuts::{DIRECTED, DOT};
use simt::{LANES, intrinsics};

use crate::Options;
use crate::shortcut_vectors::base;

/// Calls intrinsics in the place of functions that have bodies, as far as the processor has the instructions.
pub fn take(module: &Module<'_>, options: &Options) {
    // Of registers of 512 bits those that have instructions for bytes.
    let adds_pairs = if options.avx512() { options.masks_rows_of(1) } else { options.avx2() };
    for function in module.functions() {
        let name = function.name();
        let takes =
            name.starts_with(DIRECTED) && options.avx512() || name.starts_with(DOT) && adds_pairs;
        if !takes {
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
            let made = in_registers(&b, call, register, &|operands| match base.strip_prefix(DOT) {
                Some(types) => dot_product(module, &b, types, operands),
                None => directed(module, &b, base, operands),
            });
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
