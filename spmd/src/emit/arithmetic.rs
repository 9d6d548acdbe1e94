//! Arithmetic that x86 has no vector instruction for. LLVM would take vectors apart, hundreds of instructions
//! for each; here it is other vector arithmetic, or a call of a loop over lanes.

use llvm_zluda::{Builder, IntPredicate, Opcode, RealPredicate, Type, TypeKind, Value};

use super::{Emitter, LANES, Lanes};
use crate::runtime_helpers;

impl<'c> Emitter<'_, 'c> {
    /// Integer division of lanes. Widths up to 32 go through double precision, whose quotients of such integers
    /// never round up to the next one.
    pub(super) fn divide(
        &self,
        opcode: Opcode,
        dividend: Value<'c>,
        divisor: Value<'c>,
    ) -> Value<'c> {
        let b = &self.b;
        let ty = dividend.ty();
        let bits = ty.element().bits();
        if bits > 32 {
            let one = self.splat(ty.element().const_int(1));
            let divisor = b.freeze(b.select(self.mask, divisor, one));
            let zero = b.icmp(IntPredicate::LLVMIntEQ, divisor, ty.zero());
            let divisor = b.select(zero, one, divisor);
            let dividend = b.freeze(b.select(self.mask, dividend, one));
            let name = format!("spmd.{}.{bits}", division_name(opcode));
            let function =
                runtime_helpers::lane_by_lane(self.module, &name, &[ty, ty], ty, &|b, lane| {
                    divide_scalars(b, opcode, lane[0], lane[1])
                });
            return b.call(function, &[dividend, divisor]);
        }
        let signed = matches!(opcode, Opcode::LLVMSDiv | Opcode::LLVMSRem);
        let remainder = matches!(opcode, Opcode::LLVMURem | Opcode::LLVMSRem);
        let doubles = self.cx.f64().vector(LANES);
        let (x, y) = if signed {
            (b.sitofp(dividend, doubles), b.sitofp(divisor, doubles))
        } else {
            (b.uitofp(dividend, doubles), b.uitofp(divisor, doubles))
        };
        let quotient = b.intrinsic(self.module, "llvm.trunc", &[doubles], &[b.fdiv(x, y)]);
        // Adding 1.5 * 2^52 leaves the integer in the low bits, two's complement included.
        let magic = self.splat(self.cx.f64().const_float(6_755_399_441_055_744.0));
        let shifted = b.bitcast(b.fadd(quotient, magic), self.cx.i64().vector(LANES));
        let quotient = b.trunc(shifted, ty);
        if remainder { b.sub(dividend, b.mul(quotient, divisor)) } else { quotient }
    }

    /// The high half of a product of 64-bit integers, where `truncation` takes it out of one of 128 bits.
    pub(super) fn high_product(&self, truncation: Value<'c>) -> Option<Value<'c>> {
        let of = |value: Value<'c>, opcode| value.is_instruction() && value.opcode() == opcode;
        let shift = truncation.operand(0);
        let wide = shift.ty();
        if !truncation.ty().is_int()
            || truncation.ty().bits() != 64
            || wide.bits() != 128
            || !(of(shift, Opcode::LLVMLShr) || of(shift, Opcode::LLVMAShr))
            || shift.operand(1) != wide.const_int(64)
        {
            return None;
        }
        let product = shift.operand(0);
        if !of(product, Opcode::LLVMMul) {
            return None;
        }
        let i64_type = self.cx.i64();
        let [a, b] = [0, 1].map(|index| product.operand(index));
        let signed = of(a, Opcode::LLVMSExt);
        let extension = if signed { Opcode::LLVMSExt } else { Opcode::LLVMZExt };
        let widen = |b: &Builder<'c>, value| {
            if signed { b.sext(value, wide) } else { b.zext(value, wide) }
        };
        if !of(a, extension) || a.operand(0).ty() != i64_type {
            return None;
        }
        let b = if of(b, extension) && b.operand(0).ty() == i64_type {
            b.operand(0)
        } else if b.is_constant() {
            let low = self.b.trunc(b, i64_type);
            (widen(&self.b, low) == b).then_some(low)?
        } else {
            return None;
        };
        let [a, b] = [a.operand(0), b].map(|value| self.vector(&self.get(value)));
        let lanes = i64_type.vector(LANES);
        let name = if signed { "spmd.mulhi.s64" } else { "spmd.mulhi.u64" };
        let function =
            runtime_helpers::lane_by_lane(self.module, name, &[lanes; 2], lanes, &|b, lane| {
                let product = b.mul(widen(b, lane[0]), widen(b, lane[1]));
                b.trunc(b.lshr(product, wide.const_int(64)), i64_type)
            });
        Some(self.b.call(function, &[a, b]))
    }

    /// `llvm.fptosi.sat` and `llvm.fptoui.sat`, on lanes of `integer`.
    pub(super) fn saturate(&self, base: &str, value: Value<'c>, integer: Type<'c>) -> Value<'c> {
        let b = &self.b;
        let signed = base == "fptosi.sat";
        let bits = integer.bits();
        let result = integer.vector(LANES);
        if bits > 64 || (bits > 32 && !self.unit.options.avx512()) {
            let name = format!("spmd.{base}.{bits}.{}", value.ty().element().bits());
            let float = value.ty().element();
            let module = self.module;
            let function =
                runtime_helpers::lane_by_lane(module, &name, &[value.ty()], result, &|b, lane| {
                    b.intrinsic(module, &format!("llvm.{base}"), &[integer, float], lane)
                });
            return b.call(function, &[value]);
        }
        // Bounds are powers of two, which halves do not reach.
        let value = if value.ty().element().bits() == 16 {
            b.fpext(value, self.cx.f32().vector(LANES))
        } else {
            value
        };
        let bound = |number| self.splat(value.ty().element().const_float(number));
        let least = if signed { -2f64.powi(bits as i32 - 1) } else { 0.0 };
        let beyond = 2f64.powi(bits as i32 - i32::from(signed));
        let greatest = if signed { u64::MAX >> (65 - bits) } else { u64::MAX >> (64 - bits) };
        // Conversions of values out of bounds are poison, which is not chosen.
        let converted = if signed { b.fptosi(value, result) } else { b.fptoui(value, result) };
        let enough = b.fcmp(RealPredicate::LLVMRealOGT, value, bound(least));
        let lowest = self.splat(integer.const_int(if signed { 1 << (bits - 1) } else { 0 }));
        let above = b.fcmp(RealPredicate::LLVMRealOGE, value, bound(beyond));
        let made = b.select(enough, converted, lowest);
        let made = b.select(above, self.splat(integer.const_int(greatest)), made);
        if !signed {
            return made;
        }
        let is_nan = b.fcmp(RealPredicate::LLVMRealUNO, value, value);
        b.select(is_nan, result.zero(), made)
    }

    /// A rounding of halves to integers, which is exact in single precision. None for other operations.
    pub(super) fn round_halves(&self, base: &str, value: Value<'c>) -> Option<Value<'c>> {
        const ROUNDINGS: &[&str] =
            &["floor", "ceil", "trunc", "rint", "nearbyint", "roundeven", "round"];
        let is_half = value.ty().element().kind() == TypeKind::LLVMHalfTypeKind;
        if !is_half || !ROUNDINGS.contains(&base) {
            return None;
        }
        let singles = self.cx.f32().vector(LANES);
        let wide = self.b.fpext(value, singles);
        let name = format!("llvm.{base}");
        let rounded = self.b.intrinsic(self.module, &name, &[singles], &[wide]);
        Some(self.b.fptrunc(rounded, value.ty()))
    }

    /// Division by what is no power of two, by lanes of 64 bits: a loop with a multiplication.
    pub(super) fn divide_by_constant(
        &self,
        opcode: Opcode,
        dividend: &Lanes<'c>,
        divisor: Value<'c>,
    ) -> Option<Value<'c>> {
        let number = divisor.as_const_int()?;
        if divisor.ty().bits() != 64 || number.is_power_of_two() || number == 0 {
            return None;
        }
        // Lanes that do not run may be poison, or divide so that nobody may look.
        let dividend = self.b.freeze(self.b.select(
            self.mask,
            self.vector(dividend),
            self.splat(self.cx.i64().const_int(1)),
        ));
        let ty = dividend.ty();
        let name = format!("spmd.{}.by.{number:x}", division_name(opcode));
        let function = runtime_helpers::lane_by_lane(self.module, &name, &[ty], ty, &|b, lane| {
            divide_scalars(b, opcode, lane[0], divisor)
        });
        Some(self.b.call(function, &[dividend]))
    }
}

/// Whether an operation is an integer division or its remainder.
pub(super) fn is_division(opcode: Opcode) -> bool {
    use Opcode::*;
    matches!(opcode, LLVMUDiv | LLVMSDiv | LLVMURem | LLVMSRem)
}

fn division_name(opcode: Opcode) -> &'static str {
    match opcode {
        Opcode::LLVMSRem => "srem",
        Opcode::LLVMSDiv => "sdiv",
        Opcode::LLVMURem => "urem",
        _ => "udiv",
    }
}

fn divide_scalars<'c>(
    b: &Builder<'c>,
    opcode: Opcode,
    dividend: Value<'c>,
    divisor: Value<'c>,
) -> Value<'c> {
    match opcode {
        Opcode::LLVMSRem => b.srem(dividend, divisor),
        Opcode::LLVMSDiv => b.sdiv(dividend, divisor),
        Opcode::LLVMURem => b.urem(dividend, divisor),
        _ => b.udiv(dividend, divisor),
    }
}
