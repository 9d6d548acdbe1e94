//! `.ftz` by the processor's own state (MXCSR), instead of by comparisons.
//!
//! Input: per-thread IR, with functions `flushing.` of [`simt::shortcuts`] and their bodies. Output: where the state suits all
//! that the kernel does, calls of intrinsics in their place, which become single instructions
//! ([`x86_instructions`](super::x86_instructions)), and the engine sets the state.
//! Why here: before the bodies are inlined, while it can be seen which operations flush.
//!
//! In this state x86 takes subnormal operands of floats and doubles for zeros, and makes zeros of results that are below the
//! normal numbers once they are rounded to as many bits, which is `.ftz`. It suits a kernel if no other operation of
//! floats or doubles could see the difference, but for a few sums, products, quotients and roots of floats, which have the default
//! state to themselves ([`unflushed`](crate::unflushed)): one noise function in a renderer's shader is not worth that
//! all else is flushed by comparisons.

use llvm_zluda::{AtomicRmwOp, Builder, Module, Opcode, RealPredicate, Type, Value};
use simt::analysis::subnormals::Subnormals;
use simt::intrinsics::{self, PREFIX};
use simt::shortcuts::{FLUSHING, UNFLUSHED, is_one};

use crate::Options;
use crate::shortcut_vectors::has_scalars;

/// Intrinsics that take or give floats and do no arithmetic, without [`PREFIX`].
const MARKS: &[&str] = &["ftz.f32", "flushed.f32", "canonical.f32"];
/// The beginning of the names of intrinsics that may do arithmetic with what their signature has as integers. Matrices and textures
/// have the default state for themselves.
const MAY_CALCULATE: &str = "lane.";

/// Operations that flush, for each that has the default state to itself: to call a function that changes the state twice takes as
/// long as half a dozen that flush by comparisons, and longer where many values live across the call.
const FLUSHES_FOR_EACH_APART: usize = 16;

/// The address space of global memory.
const GLOBAL: u32 = 1;

/// LLVM's functions that take floats, and do not change in the state if they are not subnormal, up to their types.
const OF_NORMAL_NUMBERS: &[&str] = &[
    "minimumnum",
    "maximumnum",
    "minimum",
    "maximum",
    "floor",
    "ceil",
    "trunc",
    "rint",
    "roundeven",
    "fptosi",
    "fptoui",
];

/// LLVM's functions that only move bits of floats.
const OF_BITS: &[&str] = &["fabs", "copysign"];

/// Returns whether the engine has to set the state.
pub fn run(module: &Module<'_>, options: &Options) -> bool {
    if !options.avx2() || !options.fuses() || !options.converts_half() {
        return false;
    }
    let functions = module.functions();
    let (flushing, others): (Vec<_>, Vec<_>) =
        functions.into_iter().partition(|function| function.name().starts_with(FLUSHING));
    let context = module.context();
    let subnormals = Subnormals::new(context);
    let mut kernel = Kernel { subnormals, half: context.half(), options, apart: Vec::new() };
    let suits = flushing.iter().any(|function| function.has_uses())
        && flushing.iter().all(|function| has_scalars(&function.name()))
        && others.iter().all(|&function| kernel.suits(function));
    if !suits {
        return false;
    }
    let apart = kernel.apart;
    let flushes: usize = flushing.iter().map(|function| function.users().len()).sum();
    if apart.len() * FLUSHES_FOR_EACH_APART > flushes {
        return false;
    }
    for (instruction, name) in apart {
        let operands = match instruction.opcode() {
            Opcode::LLVMCall => instruction.arguments(),
            _ => instruction.operands(),
        };
        let intrinsic = intrinsics::declare(module, &format!("{UNFLUSHED}{name}"), operands.len());
        replace(module, instruction, |b| b.call(intrinsic, &operands));
    }
    if !options.approximations.is_exact("div") {
        take_approximations(module);
    }
    take_flushes_of_operands(module);
    for function in flushing {
        let count = function.value_type().parameters().len();
        let intrinsic = intrinsics::declare(module, &function.name(), count);
        for call in function.users() {
            replace(module, call, |b| b.call(intrinsic, &call.arguments()));
        }
        function.delete_global();
    }
    tell(module);
    true
}

/// What is known of a kernel's functions.
struct Kernel<'a, 'c> {
    subnormals: Subnormals<'c>,
    half: Type<'c>,
    options: &'a Options,
    /// Operations that the state does not suit, by their names in [`simt::shortcuts`].
    apart: Vec<(Value<'c>, &'static str)>,
}

impl<'c> Kernel<'_, 'c> {
    /// Whether nothing in a function can tell the state from the default, but for what is put apart. The body of a shortcut stands
    /// for more operations than it has.
    fn suits(&mut self, function: Value<'c>) -> bool {
        let is_shortcut = is_one(&function.name());
        let blocks = function.blocks().into_iter();
        let mut instructions = blocks.flat_map(|block| block.instructions());
        instructions.all(|instruction| {
            self.keeps(instruction) || !is_shortcut && self.puts_apart(instruction)
        })
    }

    fn puts_apart(&mut self, instruction: Value<'c>) -> bool {
        let is_float = instruction.ty().is_float() && instruction.ty().bits() == 32;
        let name = apart(instruction).filter(|_| is_float);
        self.apart.extend(name.map(|name| (instruction, name)));
        name.is_some()
    }

    fn keeps(&mut self, instruction: Value<'c>) -> bool {
        use Opcode::*;
        let operands = instruction.operands();
        match instruction.opcode() {
            LLVMCall => return self.keeps_call(instruction),
            LLVMAtomicRMW => {
                use AtomicRmwOp::{LLVMAtomicRMWBinOpFAdd, LLVMAtomicRMWBinOpXchg};
                return match instruction.rmw_operation() {
                    LLVMAtomicRMWBinOpXchg => true,
                    // Sums of floats are flushed in global memory (`crate::float_atomics`).
                    LLVMAtomicRMWBinOpFAdd
                        if operands[0].ty().address_space() == GLOBAL
                            && instruction.ty().bits() == 32 =>
                    {
                        true
                    }
                    _ => !has_floats(instruction.ty()),
                };
            }
            LLVMFNeg | LLVMSIToFP | LLVMUIToFP => return true,
            LLVMFCmp if asks_for_nan(instruction) => return true,
            LLVMFCmp | LLVMFPToSI | LLVMFPToUI => {}
            // Halves are normal floats, and floats below the normal ones are zeros among halves.
            LLVMFPExt | LLVMFPTrunc => {
                return [instruction.ty(), operands[0].ty()].contains(&self.half);
            }
            LLVMFAdd | LLVMFSub | LLVMFMul | LLVMFDiv | LLVMFRem => return false,
            // The rest moves values.
            _ => return true,
        }
        self.are_normal(&operands)
    }

    /// Whether the floats among operands are of single precision, and never subnormal.
    fn are_normal(&mut self, operands: &[Value<'c>]) -> bool {
        let is_float = |ty: Type<'_>| ty.is_float() && ty.bits() == 32;
        operands
            .iter()
            .all(|&it| !has_floats(it.ty()) || is_float(it.ty()) && self.subnormals.never(it))
    }

    fn keeps_call(&mut self, call: Value<'c>) -> bool {
        let name = call.called_name();
        let arguments = call.arguments();
        let looks = has_floats(call.ty()) || arguments.iter().any(|it| has_floats(it.ty()));
        if let Some(name) = name.strip_prefix(PREFIX) {
            let calculates = name.starts_with(MAY_CALCULATE);
            return !calculates && (!looks || MARKS.contains(&name) || self.keeps_function(name));
        }
        if let Some(rest) = name.strip_prefix("llvm.") {
            let function = rest.split('.').next().unwrap_or(rest);
            return !looks
                || OF_BITS.contains(&function)
                || OF_NORMAL_NUMBERS.contains(&function) && self.are_normal(&arguments);
        }
        // What has a body here is looked at itself.
        call.callee().is_function() && !call.callee().is_declaration()
    }

    /// Whether an approximate function is the same in the state: those with an H100's bits calculate with numbers that are far
    /// from the subnormal ones, and the others become instructions ([`take_approximations`]).
    fn keeps_function(&self, name: &str) -> bool {
        let is_exact = |function| self.options.approximations.is_exact(function);
        match name.split_once(".approx.ftz.f32") {
            Some(("rcp" | "rsqrt" | "sqrt", "")) => true,
            Some(("div", "")) => !is_exact("div"),
            Some((function @ ("ex2" | "lg2" | "sin" | "cos"), "")) => is_exact(function),
            _ => name == "div.full.ftz.f32" && !is_exact("div"),
        }
    }
}

/// The name of an operation in [`simt::shortcuts`], if it has one there.
fn apart(instruction: Value<'_>) -> Option<&'static str> {
    Some(match instruction.opcode() {
        Opcode::LLVMFAdd => "add",
        Opcode::LLVMFSub => "sub",
        Opcode::LLVMFMul => "mul",
        Opcode::LLVMFDiv => "div",
        Opcode::LLVMCall => match instruction.called_name().as_str() {
            "llvm.fma.f32" => "fma",
            "llvm.sqrt.f32" => "sqrt",
            _ => return None,
        },
        _ => return None,
    })
}

fn asks_for_nan(comparison: Value<'_>) -> bool {
    use RealPredicate::{LLVMRealORD, LLVMRealUNO};
    matches!(comparison.real_predicate(), LLVMRealORD | LLVMRealUNO)
}

fn has_floats(ty: Type<'_>) -> bool {
    ty.is_float() || (ty.is_vector() || ty.is_array()) && has_floats(ty.element())
}

fn replace<'c>(module: &Module<'c>, call: Value<'c>, make: impl FnOnce(&Builder<'c>) -> Value<'c>) {
    let b = module.context().builder();
    b.position_before(call);
    call.replace_all_uses_with(make(&b));
    call.erase();
}

/// Takes x86's exact operations for approximate functions that need not have an H100's bits.
fn take_approximations(module: &Module<'_>) {
    let flushing = |name: &str, count| {
        let name = format!("{FLUSHING}{name}");
        intrinsics::declare(module, &name, count)
    };
    let calls = |name: &str| {
        let function = module.function(&format!("{PREFIX}{name}"));
        function.map(Value::users).unwrap_or_default()
    };
    for call in calls("rcp.approx.ftz.f32") {
        replace(module, call, |b| b.call(flushing("rcp", 1), &call.arguments()));
    }
    for call in calls("sqrt.approx.ftz.f32") {
        replace(module, call, |b| b.call(flushing("sqrt", 1), &call.arguments()));
    }
    for call in calls("rsqrt.approx.ftz.f32") {
        replace(module, call, |b| {
            let root = b.call(flushing("sqrt", 1), &call.arguments());
            b.call(flushing("rcp", 1), &[root])
        });
    }
    for call in calls("div.full.ftz.f32") {
        replace(module, call, |b| b.call(flushing("div", 2), &call.arguments()));
    }
    for call in calls("div.approx.ftz.f32") {
        replace(module, call, |b| {
            let operands = call.arguments();
            let divisor = unflushed(operands[1]);
            let ty = divisor.ty();
            let quotient = b.call(flushing("div", 2), &operands);
            // The reciprocal of a divisor beyond 2^126 is flushed.
            let size = b.intrinsic(module, "llvm.fabs", &[ty], &[divisor]);
            let compare = |predicate, number| b.fcmp(predicate, size, ty.const_float(number));
            let far = compare(RealPredicate::LLVMRealOGT, 2f64.powi(126));
            let finite = compare(RealPredicate::LLVMRealOLT, f64::INFINITY);
            let zero = b.intrinsic(module, "llvm.copysign", &[ty], &[ty.zero(), divisor]);
            let product = b.call(flushing("mul", 2), &[operands[0], zero]);
            b.select(b.and(far, finite), product, quotient)
        });
    }
}

/// What a flush has as its operand, else the value itself: one that is as far from 2^126, and has the same sign.
fn unflushed(value: Value<'_>) -> Value<'_> {
    let is_flush = value.is_instruction()
        && value.opcode() == Opcode::LLVMCall
        && value.called_name() == "zluda.ftz.f32";
    if is_flush { value.operand(0) } else { value }
}

/// Removes flushes of what flushing operations take, which do it themselves.
fn take_flushes_of_operands(module: &Module<'_>) {
    let Some(flush) = module.function("zluda.ftz.f32") else { return };
    for call in flush.users() {
        let flushes = |user: Value<'_>| {
            let name = user.called_name();
            name.strip_prefix(PREFIX).unwrap_or(&name).starts_with(FLUSHING)
        };
        let is_call = |user: &Value<'_>| user.opcode() == Opcode::LLVMCall;
        if call.users().iter().all(|user| is_call(user) && flushes(*user)) {
            call.replace_all_uses_with(call.operand(0));
            call.erase();
        }
    }
}

/// Tells LLVM of the state, which else would compare floats where bits are asked for.
pub fn tell(module: &Module<'_>) {
    for function in module.functions() {
        if !function.is_declaration() {
            let mode = "preserve-sign,preserve-sign";
            module.add_string_attribute(function, "denormal-fp-math", mode);
        }
    }
}
