//! Minimum, maximum, sign and class of numbers.

use llvm_zluda::{IntPredicate, RealPredicate, Value};
use ptx_parser::isa::{Abs, Copysign, Max, Min, Neg, Testp};
use ptx_parser::{Operand, ScalarType, TestpOp};

use super::Lowered;
use super::function::FunctionLowering;

/// The modifiers and operands that `min` and `max` have in common.
struct Choice<'i, 'a> {
    max: bool,
    type_: ScalarType,
    relu: bool,
    ftz: bool,
    nan: bool,
    /// The sign of the result is that of the operands' product; sizes are compared.
    xorsign: bool,
    abs: bool,
    d: &'i Operand<'a>,
    a: &'i Operand<'a>,
    b: &'i Operand<'a>,
    c: Option<&'i Operand<'a>>,
}

impl<'c, 'a> FunctionLowering<'_, '_, 'c, 'a> {
    pub fn min(&mut self, i: &Min<'a>) -> Lowered {
        let Min { type_, relu, ftz, nan, xorsign, abs, .. } = *i;
        let c = i.c.as_ref();
        self.choose(&Choice {
            max: false,
            type_,
            relu,
            ftz,
            nan,
            xorsign,
            abs,
            d: &i.d,
            a: &i.a,
            b: &i.b,
            c,
        })
    }

    pub fn max(&mut self, i: &Max<'a>) -> Lowered {
        let Max { type_, relu, ftz, nan, xorsign, abs, .. } = *i;
        let c = i.c.as_ref();
        self.choose(&Choice {
            max: true,
            type_,
            relu,
            ftz,
            nan,
            xorsign,
            abs,
            d: &i.d,
            a: &i.a,
            b: &i.b,
            c,
        })
    }

    fn choose(&mut self, choice: &Choice<'_, 'a>) -> Lowered {
        match choice.c {
            None => self.elementwise(
                choice.type_,
                choice.d,
                [choice.a, choice.b],
                |s, type_, [a, b]| s.chosen(choice, type_, a, b),
            ),
            Some(c) => {
                let operands = [choice.a, choice.b, c];
                self.elementwise(choice.type_, choice.d, operands, |s, type_, [a, b, c]| {
                    // On AMD GPUs LLVM makes one instruction of both, which takes a signalling NaN for a number.
                    let quiet =
                        |value: Value<'c>| match s.module.is_amdgcn && type_ == ScalarType::F32 {
                            true => s.llvm("llvm.canonicalize", value.ty(), &[value]),
                            false => value,
                        };
                    let [a, b, c] = [a, b, c].map(quiet);
                    let first = s.chosen(choice, type_, a, b)?;
                    s.chosen(choice, type_, first, c)
                })
            }
        }
    }

    fn chosen(
        &self,
        choice: &Choice<'_, 'a>,
        type_: ScalarType,
        a: Value<'c>,
        b: Value<'c>,
    ) -> Lowered<Value<'c>> {
        if !type_.is_float() {
            let name = match (choice.max, type_.is_signed()) {
                (false, true) => "llvm.smin",
                (true, true) => "llvm.smax",
                (false, false) => "llvm.umin",
                (true, false) => "llvm.umax",
            };
            let value = self.llvm(name, a.ty(), &[a, b]);
            let zero = value.ty().zero();
            return Ok(if choice.relu {
                self.llvm("llvm.smax", value.ty(), &[value, zero])
            } else {
                value
            });
        }
        let [a, b] =
            [a, b].map(|value| self.widened(self.flushed(value, type_, choice.ftz), type_));
        let ty = a.ty();
        let sizes = choice.abs || choice.xorsign;
        let [x, y] =
            [a, b].map(|value| if sizes { self.llvm("llvm.fabs", ty, &[value]) } else { value });
        let name = match (choice.max, choice.nan) {
            (false, false) => "llvm.minimumnum",
            (true, false) => "llvm.maximumnum",
            (false, true) => "llvm.minimum",
            (true, true) => "llvm.maximum",
        };
        let mut value = self.llvm(name, ty, &[x, y]);
        if choice.xorsign {
            let signs = self.builder.xor(self.bits_of(a), self.bits_of(b));
            value = self.llvm("llvm.copysign", ty, &[value, self.builder.bitcast(signs, ty)]);
        }
        match type_ {
            ScalarType::F16 => {
                let half = self.builder.fptrunc(value, self.context.half());
                Ok(self.canonical(half, type_))
            }
            ScalarType::Bf16 => Ok(self.f32_to_bf16(value, None)),
            ScalarType::F64 => {
                // Of two NaNs the second, made quiet.
                let nan = self.builder.fcmp(RealPredicate::LLVMRealUNO, a, a);
                let last = self.last_nan(value, &[b]);
                Ok(self.builder.select(nan, last, value))
            }
            _ => Ok(self.canonical(value, type_)),
        }
    }

    pub fn abs(&mut self, i: &Abs<'a>) -> Lowered {
        if let Some(nan) = constant_nan(&i.a, i.type_) {
            return self.write(&i.d, self.i32(nan & !SIGN));
        }
        self.elementwise(i.type_, &i.d, [&i.a], |s, type_, [a]| {
            if type_.is_float() {
                let size = if type_ == ScalarType::Bf16 {
                    s.builder.and(a, a.ty().const_int(0x7fff))
                } else {
                    s.llvm("llvm.fabs", a.ty(), &[a])
                };
                let size = s.flushed(size, type_, i.ftz);
                return Ok(s.canonical(s.own_nan(size, a, type_), type_));
            }
            let negative = s.builder.icmp(IntPredicate::LLVMIntSLT, a, a.ty().zero());
            Ok(s.builder.select(negative, s.builder.neg(a), a))
        })
    }

    pub fn neg(&mut self, i: &Neg<'a>) -> Lowered {
        if let Some(nan) = constant_nan(&i.a, i.type_) {
            return self.write(&i.d, self.i32(nan ^ SIGN));
        }
        self.elementwise(i.type_, &i.d, [&i.a], |s, type_, [a]| {
            if type_.is_float() {
                let value = if type_ == ScalarType::Bf16 {
                    s.builder.xor(a, a.ty().const_int(0x8000))
                } else {
                    s.builder.fneg(a)
                };
                let value = s.flushed(value, type_, i.ftz);
                return Ok(s.canonical(s.own_nan(value, a, type_), type_));
            }
            Ok(s.builder.neg(a))
        })
    }

    /// A NaN of `.f64` keeps its sign.
    fn own_nan(&self, result: Value<'c>, a: Value<'c>, type_: ScalarType) -> Value<'c> {
        if type_ == ScalarType::F64 { self.last_nan(result, &[a]) } else { result }
    }

    pub fn copysign(&mut self, i: &Copysign<'a>) -> Lowered {
        let a = self.read(&i.a, i.type_)?;
        let b = self.read(&i.b, i.type_)?;
        // The sign comes from `a`, the size from `b`; bits, whatever they stand for.
        let [a, b] = [a, b].map(|value| self.bits_of(value));
        let sign = a.ty().const_int(1 << (a.ty().bits() - 1));
        let size = self.builder.and(b, self.builder.not(sign));
        self.write(&i.d, self.builder.or(size, self.builder.and(a, sign)))
    }

    pub fn testp(&mut self, i: &Testp<'a>) -> Lowered {
        let a = self.read(&i.a, i.type_)?;
        let ty = a.ty();
        let size = self.llvm("llvm.fabs", ty, &[a]);
        let infinity = ty.const_float(f64::INFINITY);
        let smallest = ty.const_float(if i.type_ == ScalarType::F32 {
            f64::from(f32::MIN_POSITIVE)
        } else {
            f64::MIN_POSITIVE
        });
        let o = &self.builder;
        use RealPredicate::*;
        let Some(op) = i.op else {
            return Err(self.unsupported("`testp` without a property"));
        };
        let result = match op {
            TestpOp::Finite => o.fcmp(LLVMRealOLT, size, infinity),
            TestpOp::Infinite => o.fcmp(LLVMRealOEQ, size, infinity),
            TestpOp::Number => o.fcmp(LLVMRealORD, a, a),
            TestpOp::Notanumber => o.fcmp(LLVMRealUNO, a, a),
            // Zero is normal.
            TestpOp::Normal => {
                let finite = o.fcmp(LLVMRealOLT, size, infinity);
                o.and(finite, o.not(self.is_subnormal(size, smallest)))
            }
            TestpOp::Subnormal => self.is_subnormal(size, smallest),
        };
        self.write(&i.p, result)
    }

    /// By the bits, so that no flush mode of a target hides it.
    fn is_subnormal(&self, size: Value<'c>, smallest_normal: Value<'c>) -> Value<'c> {
        let bits = self.bits_of(size);
        let below = self.ult(bits, self.bits_of(smallest_normal));
        self.builder.and(self.ne(bits, bits.ty().zero()), below)
    }
}

const SIGN: u32 = 1 << 31;

/// A constant of `.f32` that is NaN, made quiet: NVIDIA's assembler gives it another sign and keeps the rest,
/// where the instruction makes the NaN of arithmetic.
fn constant_nan(operand: &Operand<'_>, type_: ScalarType) -> Option<u32> {
    let Operand::Immediate(value) = operand else { return None };
    let bits = value.bits(type_).filter(|_| type_ == ScalarType::F32)? as u32;
    f32::from_bits(bits).is_nan().then_some(bits | 1 << 22)
}
