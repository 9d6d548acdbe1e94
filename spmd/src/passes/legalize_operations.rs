//! Operations that older processors have no instruction for: fused multiply-adds and conversions of half
//! precision, which came with AVX2 or shortly before. And one that LLVM makes wrong code of for newer ones.
//!
//! Input: lowered IR after its last optimisation. Output: the same IR, in which calls of functions of this
//! module stand for the missing instructions.
//! Why here: LLVM would call libraries that a kernel is not linked with, one lane at a time; earlier, its
//! passes could still make such operations of others. Results are those of the instructions.

use std::mem::offset_of;

use cpu_abi::{BlockContext, Runtime};
use llvm_zluda::{Builder, IntPredicate, Module, Opcode, RealPredicate, Type, TypeKind, Value};

use crate::Options;
use crate::runtime_helpers::late_function;

/// Puts functions in the place of instructions that the processor lacks. The first parameter of every
/// function that multiplies and adds is the block's context.
pub fn run(module: &Module<'_>, options: &Options) {
    let (fma, half) = (!options.fuses(), !options.converts_half());
    if options.classifies() {
        take_numbers(module);
    }
    if !fma && !half {
        return;
    }
    let functions: Vec<_> =
        module.functions().into_iter().filter(|function| !function.is_declaration()).collect();
    for function in functions {
        for block in function.blocks() {
            for instruction in block.instructions() {
                let here = Emulation { module, b: module.context().builder() };
                here.b.position_before(instruction);
                let made = match instruction.opcode() {
                    Opcode::LLVMCall if fma => here.fused(function, instruction),
                    Opcode::LLVMFPExt if half => here.extension(instruction),
                    Opcode::LLVMFPTrunc if half => here.truncation(instruction),
                    Opcode::LLVMFCmp if half => here.comparison(instruction),
                    _ => None,
                };
                if let Some(made) = made {
                    instruction.replace_all_uses_with(made);
                    instruction.erase();
                }
            }
        }
    }
}

/// The smaller and larger of two, of which one may be a NaN. Where LLVM 22 knows that one is none, and the processor
/// classifies floats, it lets a NaN of the other one through, as `minimum` and `maximum` do.
fn take_numbers(module: &Module<'_>) {
    for function in module.functions() {
        let name = function.name();
        let kinds = [("llvm.minimumnum.", "llvm.minimum"), ("llvm.maximumnum.", "llvm.maximum")];
        let Some((_, plain)) = kinds.into_iter().find(|(kind, _)| name.starts_with(kind)) else {
            continue;
        };
        let ty = function.value_type().result();
        if ty.is_vector() {
            continue;
        }
        for call in function.users() {
            let b = module.context().builder();
            b.position_before(call);
            let [x, y] = [0, 1].map(|index| call.operand(index));
            let unless_nan = |value, other| {
                b.select(b.fcmp(RealPredicate::LLVMRealUNO, value, value), other, value)
            };
            let operands = [unless_nan(x, y), unless_nan(y, x)];
            call.replace_all_uses_with(b.intrinsic(module, plain, &[ty], &operands));
            call.erase();
        }
    }
}

struct Emulation<'a, 'c> {
    module: &'a Module<'c>,
    b: Builder<'c>,
}

/// `element`, or as many of it as `like` has.
fn shaped<'c>(like: Type<'c>, element: Type<'c>) -> Type<'c> {
    if like.is_vector() { element.vector(like.len() as u32) } else { element }
}

fn element(ty: Type<'_>) -> Type<'_> {
    if ty.is_vector() { ty.element() } else { ty }
}

fn is_half(ty: Type<'_>) -> bool {
    element(ty).kind() == TypeKind::LLVMHalfTypeKind
}

impl<'c> Emulation<'_, 'c> {
    /// The function of this name with a body that `fill` makes, in which it is given its parameters.
    fn function(
        &self,
        operation: &str,
        result: Type<'c>,
        parameters: &[Type<'c>],
        fill: impl FnOnce(&Emulation<'_, 'c>, Value<'c>) -> Value<'c>,
    ) -> Value<'c> {
        let lanes = if result.is_vector() { result.len() } else { 1 };
        let name = format!("spmd.{operation}.{lanes}");
        if let Some(function) = self.module.function(&name) {
            return function;
        }
        let cx = self.module.context();
        let function = late_function(self.module, &name, cx.function_type(result, parameters));
        let inside = Emulation { module: self.module, b: cx.builder() };
        inside.b.position_at_end(self.module.append_block(function, ""));
        let value = fill(&inside, function);
        inside.b.ret(value);
        function
    }

    fn word(&self, ty: Type<'c>, value: u64) -> Value<'c> {
        let scalar = element(ty).const_int(value);
        if ty.is_vector() { self.b.splat(scalar, ty.len() as u32) } else { scalar }
    }

    fn float(&self, ty: Type<'c>, value: f64) -> Value<'c> {
        let scalar = element(ty).const_float(value);
        if ty.is_vector() { self.b.splat(scalar, ty.len() as u32) } else { scalar }
    }

    fn fused(&self, within: Value<'c>, call: Value<'c>) -> Option<Value<'c>> {
        if !call.callee().is_function() || !call.called_name().starts_with("llvm.fma.") {
            return None;
        }
        let ty = call.ty();
        let operands = call.arguments();
        let cx = self.module.context();
        if element(ty) == cx.f32() {
            let function = self.function("fma.f32", ty, &[ty; 3], |inside, function| {
                inside.fused_single(function)
            });
            return Some(self.b.call(function, &operands));
        }
        let parameters = [cx.ptr(0), ty, ty, ty];
        let function = self
            .function("fma.f64", ty, &parameters, |inside, function| inside.fused_double(function));
        Some(self.b.call(function, &[&[within.parameter(0)], &operands[..]].concat()))
    }

    /// Double precision holds the product; the sum is rounded to odd there, so that single precision rounds
    /// as if from the exact value.
    fn fused_single(&self, function: Value<'c>) -> Value<'c> {
        let b = &self.b;
        let ty = function.parameter(0).ty();
        let wide = shaped(ty, self.module.context().f64());
        let [x, y, z] = [0, 1, 2].map(|index| b.fpext(function.parameter(index), wide));
        let product = b.fmul(x, y);
        let sum = b.fadd(product, z);
        // A NaN that is added comes before one that the product makes.
        let sum = b.select(b.fcmp(RealPredicate::LLVMRealUNO, z, z), z, sum);
        let of_z = b.fsub(sum, product);
        let error = b.fadd(b.fsub(product, b.fsub(sum, of_z)), b.fsub(z, of_z));
        b.fptrunc(self.to_odd(sum, error), ty)
    }

    /// `value`, which lacks `error` of the exact result, or its neighbour towards that: the odd one.
    fn to_odd(&self, value: Value<'c>, error: Value<'c>) -> Value<'c> {
        let b = &self.b;
        let ty = value.ty();
        let integer = shaped(ty, self.module.context().int(element(ty).bits()));
        let zero = self.float(error.ty(), 0.0);
        let bits = b.bitcast(value, integer);
        let one = self.word(integer, 1);
        let inexact = b.fcmp(RealPredicate::LLVMRealONE, error, zero);
        let even = b.icmp(IntPredicate::LLVMIntEQ, b.and(bits, one), integer.zero());
        let negative = b.icmp(IntPredicate::LLVMIntSLT, bits, integer.zero());
        let above = b.fcmp(RealPredicate::LLVMRealOGT, error, zero);
        let away = b.xor(negative, above);
        let step = b.select(away, one, integer.all_ones());
        let moved = b.select(b.and(inexact, even), b.add(bits, step), bits);
        b.bitcast(moved, ty)
    }

    /// One call of the runtime for each lane.
    fn fused_double(&self, function: Value<'c>) -> Value<'c> {
        let b = &self.b;
        let cx = self.module.context();
        let (f64_type, i64_type, pointer) = (cx.f64(), cx.i64(), cx.ptr(0));
        let ty = function.parameter(1).ty();
        let field = |base, offset: usize| {
            b.load(pointer, b.byte_offset(base, i64_type.const_int(offset as u64)), 8)
        };
        let runtime = field(function.parameter(0), offset_of!(BlockContext, runtime));
        let fma = field(runtime, offset_of!(Runtime, fma));
        let scalar = cx.function_type(f64_type, &[f64_type; 3]);
        if !ty.is_vector() {
            return b.call_pointer(scalar, fma, &[1, 2, 3].map(|index| function.parameter(index)));
        }
        let align = self.module.align_of(ty);
        let operands = [1, 2, 3].map(|index| {
            let slot = b.alloca(ty);
            b.store(function.parameter(index), slot, align);
            slot
        });
        let before = b.block();
        let [head, done] = ["head", "done"].map(|name| self.module.append_block(function, name));
        b.br(head);
        b.position_at_end(head);
        let lane = b.phi(i64_type);
        let places = operands.map(|slot| b.gep(f64_type, slot, &[lane]));
        let result = b.call_pointer(scalar, fma, &places.map(|place| b.load(f64_type, place, 8)));
        b.store(result, places[0], 8);
        let next = b.add(lane, i64_type.const_int(1));
        lane.add_incoming(&[(i64_type.zero(), before), (next, head)]);
        let more = b.icmp(IntPredicate::LLVMIntULT, next, i64_type.const_int(ty.len()));
        b.cond_br(more, head, done);
        b.position_at_end(done);
        b.load(ty, operands[0], align)
    }

    fn extension(&self, extension: Value<'c>) -> Option<Value<'c>> {
        let half = extension.operand(0);
        if !is_half(half.ty()) {
            return None;
        }
        let single = self.extended(half);
        let same = single.ty() == extension.ty();
        Some(if same { single } else { self.b.fpext(single, extension.ty()) })
    }

    fn truncation(&self, truncation: Value<'c>) -> Option<Value<'c>> {
        let (wide, ty) = (truncation.operand(0), truncation.ty());
        if !is_half(ty) {
            return None;
        }
        let b = &self.b;
        let single = shaped(ty, self.module.context().f32());
        let value = if wide.ty() == single {
            wide
        } else {
            let narrow = b.fptrunc(wide, single);
            self.to_odd(narrow, b.fsub(wide, b.fpext(narrow, wide.ty())))
        };
        let words = shaped(ty, self.module.context().int(16));
        let function = self.function("truncate.f16", words, &[single], |inside, function| {
            inside.truncated(function)
        });
        Some(b.bitcast(b.call(function, &[value]), ty))
    }

    fn comparison(&self, comparison: Value<'c>) -> Option<Value<'c>> {
        if !is_half(comparison.operand(0).ty()) {
            return None;
        }
        let [x, y] = [0, 1].map(|index| self.extended(comparison.operand(index)));
        Some(self.b.fcmp(comparison.real_predicate(), x, y))
    }

    /// A half as single precision.
    fn extended(&self, half: Value<'c>) -> Value<'c> {
        let cx = self.module.context();
        let words = shaped(half.ty(), cx.int(16));
        let single = shaped(half.ty(), cx.f32());
        let function = self.function("extend.f16", single, &[words], |inside, function| {
            let b = &inside.b;
            let ty = shaped(words, cx.i32());
            let word = |value| inside.word(ty, value);
            let bits = b.zext(function.parameter(0), ty);
            let sign = b.shl(b.and(bits, word(0x8000)), word(16));
            let magnitude = b.and(bits, word(0x7fff));
            let moved = b.shl(magnitude, word(13));
            let normal = b.add(moved, word(112 << 23));
            let special = b.or(moved, word(0x7f80_0000));
            let number = b.icmp(IntPredicate::LLVMIntUGT, magnitude, word(0x7c00));
            let special = b.select(number, b.or(special, word(1 << 22)), special);
            let scaled = b.fmul(b.sitofp(magnitude, single), inside.float(single, 2f64.powi(-24)));
            let subnormal = b.bitcast(scaled, ty);
            let is_special = b.icmp(IntPredicate::LLVMIntUGE, magnitude, word(0x7c00));
            let is_subnormal = b.icmp(IntPredicate::LLVMIntULT, magnitude, word(0x400));
            let value = b.select(is_special, special, b.select(is_subnormal, subnormal, normal));
            b.bitcast(b.or(value, sign), single)
        });
        self.b.call(function, &[self.b.bitcast(half, words)])
    }

    /// The bits of a single as a half, rounded to nearest even.
    fn truncated(&self, function: Value<'c>) -> Value<'c> {
        let b = &self.b;
        let cx = self.module.context();
        let value = function.parameter(0);
        let ty = shaped(value.ty(), cx.i32());
        let word = |value| self.word(ty, value);
        let bits = b.bitcast(value, ty);
        let sign = b.and(bits, word(1 << 31));
        let magnitude = b.xor(bits, sign);
        let odd = b.and(b.lshr(magnitude, word(13)), word(1));
        let rounded = b.add(b.add(magnitude, word(0xfff)), odd);
        let normal = b.lshr(b.sub(rounded, word(112 << 23)), word(13));
        // The last place of a half's subnormals is that of a half in single precision.
        let shifted = b.fadd(b.bitcast(magnitude, value.ty()), self.float(value.ty(), 0.5));
        let subnormal = b.sub(b.bitcast(shifted, ty), word(126 << 23));
        let payload = b.and(b.lshr(magnitude, word(13)), word(0x1ff));
        let not_a_number = b.or(payload, word(0x7e00));
        let at_least = |limit| b.icmp(IntPredicate::LLVMIntUGE, magnitude, word(limit));
        let result = b.select(at_least(0x3880_0000), normal, subnormal);
        let result = b.select(at_least(0x4780_0000), word(0x7c00), result);
        let result = b.select(at_least(0x7f80_0001), not_a_number, result);
        b.trunc(b.or(result, b.lshr(sign, word(16))), shaped(ty, cx.int(16)))
    }
}
