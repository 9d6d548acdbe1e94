//! Input: per-thread IR where values have taken the place of registers, with `zluda.canonical.f32` around the
//! results of `.f32` arithmetic and `zluda.nan.f64` around those of `.f64`.
//! Output: plain IR. The bits of an NVIDIA GPU's NaN are there wherever something looks at them.
//! Why here: arithmetic makes NaNs of NaNs whatever their bits, so a NaN gets the right bits only where a
//! value stops being a number: where it is stored, cut up, or handed on. Sums in registers cost nothing.
//!
//! `zluda.canonical.f32(x)` is x, or 0x7fffffff where x is NaN. `zluda.nan.f64` is for [`choose_nans`].

use llvm_zluda::{Builder, Module, Opcode, RealPredicate, Type, Value};
use rustc_hash::FxHashSet;
use simt::intrinsics::{self, Property};
use simt::shortcuts;
use simt_abi::{MatrixKind, MatrixOperation, MatrixType};

use super::choose_nans;

/// The NaN of `.f32` arithmetic.
const NAN: u64 = 0x7fff_ffff;

/// Removes both marks, and adds selections wherever something looks at the bits of a NaN, in all functions.
pub fn run(module: &Module<'_>) {
    choose_nans::run(module);
    let Some(marker) = module.function("zluda.canonical.f32") else { return };
    let marks: Vec<_> = marker.users();
    let (order, values) = canonical_values(module, &marks);
    for value in order {
        for user in value.users() {
            if !values.contains(&user) && !is_arithmetic(user) && !multiplies(value, user) {
                observe(module, value, user);
            }
        }
    }
    for &mark in &marks {
        mark.replace_all_uses_with(mark.operand(0));
    }
    marks.iter().for_each(|mark| mark.erase());
    marker.delete_global();
}

/// In an order and as a set: the marks, and what only carries them on: phis, selections, and the same bits as an integer. What also
/// carries other bits, which stay as they are, is not among them.
fn canonical_values<'c>(
    module: &Module<'c>,
    marks: &[Value<'c>],
) -> (Vec<Value<'c>>, FxHashSet<Value<'c>>) {
    let mut values: FxHashSet<_> = marks.iter().copied().collect();
    let mut order = marks.to_vec();
    let mut next = 0;
    while let Some(&value) = order.get(next) {
        next += 1;
        for user in value.users() {
            if carries(user, value) && values.insert(user) {
                order.push(user);
            }
        }
    }
    let marks: FxHashSet<_> = marks.iter().copied().collect();
    loop {
        let good = |operand: Value<'c>| values.contains(&operand) || is_harmless(module, operand);
        let foreign: Vec<_> = values
            .iter()
            .filter(|value| !marks.contains(value) && !carried(**value).into_iter().all(good))
            .copied()
            .collect();
        if foreign.is_empty() {
            order.retain(|value| values.contains(value));
            return (order, values);
        }
        foreign.iter().for_each(|value| {
            values.remove(value);
        });
    }
}

/// The operands whose bits the instruction hands on.
fn carried(instruction: Value<'_>) -> Vec<Value<'_>> {
    match instruction.opcode() {
        Opcode::LLVMPHI => instruction.incoming().into_iter().map(|(value, _)| value).collect(),
        Opcode::LLVMSelect => vec![instruction.operand(1), instruction.operand(2)],
        _ => vec![instruction.operand(0)],
    }
}

fn carries<'c>(user: Value<'c>, value: Value<'c>) -> bool {
    let bits = |ty: Type<'_>| !ty.is_vector() && (ty.is_int() || ty.is_float()) && ty.bits() == 32;
    match user.opcode() {
        Opcode::LLVMPHI | Opcode::LLVMFreeze | Opcode::LLVMBitCast => bits(user.ty()),
        Opcode::LLVMSelect => bits(user.ty()) && user.operand(0) != value,
        _ => false,
    }
}

/// A constant that is no NaN, as a float or as its bits.
fn is_harmless<'c>(module: &Module<'c>, operand: Value<'c>) -> bool {
    if !operand.is_constant() {
        return false;
    }
    if operand.is_undef_or_poison() {
        return true;
    }
    let context = module.context();
    let bits = context.builder().bitcast(operand, context.i32());
    bits.as_const_int().is_some_and(|bits| bits == NAN || bits & NAN <= 0x7f80_0000)
}

/// Whether an instruction gives the same for every NaN: its result is marked itself, or no NaN.
fn is_arithmetic(user: Value<'_>) -> bool {
    match user.opcode() {
        Opcode::LLVMFAdd
        | Opcode::LLVMFSub
        | Opcode::LLVMFMul
        | Opcode::LLVMFDiv
        | Opcode::LLVMFNeg
        | Opcode::LLVMFCmp
        | Opcode::LLVMFPTrunc
        | Opcode::LLVMFPToSI
        | Opcode::LLVMFPToUI => true,
        Opcode::LLVMCall => {
            let name = user.called_name();
            let function = name.strip_prefix("llvm.").and_then(|rest| rest.split('.').next());
            let known = [
                "fma",
                "sqrt",
                "fabs",
                "minimumnum",
                "maximumnum",
                "minimum",
                "maximum",
                "fptosi",
                "fptoui",
                "roundeven",
                "trunc",
                "floor",
                "ceil",
            ];
            function.is_some_and(|function| known.contains(&function))
                || name.starts_with(shortcuts::DIRECTED)
                || name.starts_with(shortcuts::FLUSHING)
                || intrinsics::called(user).is_some_and(|it| it.has(Property::AnyNan))
        }
        _ => false,
    }
}

/// A product of matrices takes all NaNs for the same.
fn multiplies<'c>(value: Value<'c>, user: Value<'c>) -> bool {
    if !intrinsics::called(user).is_some_and(|it| it.has(Property::MatrixOperation)) {
        return false;
    }
    let arguments = user.arguments();
    let Some((number, inputs)) = arguments.split_first() else { return false };
    let Some(operation) = number.as_const_int().and_then(MatrixOperation::unpack) else {
        return false;
    };
    let words = operation.words();
    let types = [(words.a, operation.a), (words.b, operation.b), (words.c, operation.c)];
    let types = types.into_iter().flat_map(|(count, ty)| std::iter::repeat_n(ty, count as usize));
    let is_number = |ty| matches!(ty, MatrixType::F32 | MatrixType::Tf32);
    operation.kind == MatrixKind::Multiply
        && types.clone().count() <= inputs.len()
        && inputs
            .iter()
            .zip(types.map(Some).chain(std::iter::repeat(None)))
            .all(|(input, ty)| *input != value || ty.is_some_and(is_number))
}

/// Gives `user` the NVIDIA NaN wherever it reads `value`.
fn observe<'c>(module: &Module<'c>, value: Value<'c>, user: Value<'c>) {
    let builder = module.context().builder();
    let is_phi = user.opcode() == Opcode::LLVMPHI;
    let incoming = if is_phi { user.incoming() } else { Vec::new() };
    for index in 0..user.operand_count() {
        if user.operand(index) != value {
            continue;
        }
        let earlier = if is_phi { user.earlier_from_same_block(index) } else { None };
        let chosen = earlier.unwrap_or_else(|| {
            let before = incoming.get(index as usize).and_then(|(_, block)| block.terminator());
            builder.position_before(before.unwrap_or(user));
            canonical(&builder, value)
        });
        user.set_operand(index, chosen);
    }
}

/// The bits are chosen as integers: of floats, LLVM may take one NaN for another.
fn canonical<'c>(builder: &Builder<'c>, value: Value<'c>) -> Value<'c> {
    let context = builder.context();
    let float = builder.bitcast(value, context.f32());
    let bits = builder.bitcast(value, context.i32());
    let nan = builder.fcmp(RealPredicate::LLVMRealUNO, float, float);
    let chosen = builder.select(nan, context.i32().const_int(NAN), bits);
    builder.bitcast(chosen, value.ty())
}
