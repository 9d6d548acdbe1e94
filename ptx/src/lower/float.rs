//! Floating-point arithmetic.

use llvm_zluda::{RealPredicate, Value};
use ptx_parser::isa::Fma;
use ptx_parser::{Operand, Rounding, ScalarType};

use super::Lowered;
use super::function::{FunctionLowering, word};
use super::intrinsic::Effects;

/// What every floating-point instruction may ask for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Modes {
    pub rounding: Option<Rounding>,
    pub ftz: bool,
    pub sat: bool,
    pub relu: bool,
}

/// An operation that rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arithmetic {
    Add,
    Sub,
    Mul,
    Div,
    Fma,
    Sqrt,
    Rcp,
}

impl<'c, 'a> FunctionLowering<'_, '_, 'c, 'a> {
    pub fn fma(&mut self, i: &Fma<'a>) -> Lowered {
        if i.oob || i.abtype.is_some() {
            return Err(self.unsupported("`fma.oob` and `fma` of mixed precision"));
        }
        let modes = Modes { rounding: Some(i.rnd), ftz: i.ftz, sat: i.sat, relu: i.relu };
        self.arithmetic(Arithmetic::Fma, i.type_, modes, &i.d, [&i.a, &i.b, &i.c])
    }

    /// A rounding operation on all floating-point types, packed ones included.
    pub fn arithmetic<const N: usize>(
        &mut self,
        operation: Arithmetic,
        type_: ScalarType,
        modes: Modes,
        d: &Operand<'a>,
        operands: [&Operand<'a>; N],
    ) -> Lowered {
        self.elementwise(type_, d, operands, |s, type_, values| {
            s.rounded(operation, type_, modes, &values)
        })
    }

    fn rounded(
        &self,
        operation: Arithmetic,
        type_: ScalarType,
        modes: Modes,
        values: &[Value<'c>],
    ) -> Lowered<Value<'c>> {
        let direction = self.directed(modes.rounding)?;
        let values: Vec<_> =
            values.iter().map(|&value| self.flushed(value, type_, modes.ftz)).collect();
        let result = match (type_, direction) {
            (ScalarType::F32 | ScalarType::F64, None) => self.compute(operation, &values),
            (ScalarType::F64, Some(direction)) => {
                self.directed_f64(operation, &values, direction)?
            }
            (ScalarType::F32, Some(rounding)) => {
                let f64 = self.context.f64();
                let wide: Vec<_> =
                    values.iter().map(|&value| self.builder.fpext(value, f64)).collect();
                let exact = self.compute_odd(operation, &wide);
                let exact = self.signed_zero(operation, &wide, exact, rounding);
                self.trunc_directed(exact, self.context.f32(), direction)
            }
            (ScalarType::F16, None) => {
                let f32 = self.context.f32();
                let half = self.context.half();
                let wide: Vec<_> =
                    values.iter().map(|&value| self.builder.fpext(value, f32)).collect();
                let result = match (operation, wide.as_slice()) {
                    (Arithmetic::Fma, &[a, b, c]) => self.fma_for_narrow(a, b, c),
                    // Twice the bits of half and two more: rounding twice is rounding once.
                    _ => self.compute(operation, &wide),
                };
                self.builder.fptrunc(result, half)
            }
            (ScalarType::Bf16, None) => {
                let wide: Vec<_> = values.iter().map(|&value| self.bf16_to_f32(value)).collect();
                let result = match (operation, wide.as_slice()) {
                    (Arithmetic::Fma, &[a, b, c]) => self.fma_for_narrow(a, b, c),
                    _ => self.compute(operation, &wide),
                };
                self.f32_to_bf16(result, None)
            }
            _ => {
                let rounding = modes.rounding.map_or("rn", word);
                return Err(
                    self.unsupported(format!("`.{rounding}` of `.{}` arithmetic", word(type_)))
                );
            }
        };
        let result = self.flushed(result, type_, modes.ftz);
        if modes.sat {
            return self.saturated(result, type_);
        }
        if modes.relu {
            return self.relu(result, type_);
        }
        Ok(result)
    }

    /// To nearest, in the type of the operands.
    fn compute(&self, operation: Arithmetic, values: &[Value<'c>]) -> Value<'c> {
        let o = &self.builder;
        match (operation, values) {
            (Arithmetic::Add, &[a, b]) => o.fadd(a, b),
            (Arithmetic::Sub, &[a, b]) => o.fsub(a, b),
            (Arithmetic::Mul, &[a, b]) => o.fmul(a, b),
            (Arithmetic::Div, &[a, b]) => o.fdiv(a, b),
            (Arithmetic::Fma, &[a, ..]) => self.llvm("llvm.fma", a.ty(), values),
            (Arithmetic::Rcp, &[a]) => o.fdiv(a.ty().const_float(1.0), a),
            (_, &[a, ..]) => self.llvm("llvm.sqrt", a.ty(), &[a]),
            (_, []) => self.context.f32().poison(),
        }
    }

    /// On doubles that are floats: exact, or rounded to odd.
    fn compute_odd(&self, operation: Arithmetic, values: &[Value<'c>]) -> Value<'c> {
        let o = &self.builder;
        match (operation, values) {
            (Arithmetic::Add, &[a, b]) => self.add_odd(a, b),
            (Arithmetic::Sub, &[a, b]) => self.add_odd(a, o.fneg(b)),
            (Arithmetic::Mul, &[a, b]) => o.fmul(a, b),
            (Arithmetic::Div, &[a, b]) => self.div_odd(a, b),
            (Arithmetic::Fma, &[a, b, c]) => self.add_odd(o.fmul(a, b), c),
            (Arithmetic::Rcp, &[a]) => self.div_odd(a.ty().const_float(1.0), a),
            (_, &[a, ..]) => self.sqrt_odd(a),
            (_, []) => self.context.f64().poison(),
        }
    }

    /// `.ftz`: subnormal values become zero with their sign. Only `.f32` has it in practice; subnormal
    /// halves are flushed likewise.
    pub fn flushed(&self, value: Value<'c>, type_: ScalarType, ftz: bool) -> Value<'c> {
        if !ftz {
            return value;
        }
        match type_ {
            ScalarType::F32 => self.flush_f32(value),
            ScalarType::F16 => {
                let ty = value.ty();
                let size = self.llvm("llvm.fabs", ty, &[value]);
                let smallest = ty.const_float_bits(0x0400);
                let tiny = self.builder.fcmp(RealPredicate::LLVMRealOLT, size, smallest);
                let zero = self.llvm("llvm.copysign", ty, &[ty.zero(), value]);
                self.builder.select(tiny, zero, value)
            }
            _ => value,
        }
    }

    pub fn flush_f32(&self, value: Value<'c>) -> Value<'c> {
        self.zluda("ftz.f32", self.context.f32(), Effects::None, &[value])
    }

    /// `.sat`: clamped to [0, 1]; NaN becomes +0.
    pub fn saturated(&self, value: Value<'c>, type_: ScalarType) -> Lowered<Value<'c>> {
        if !value.ty().is_float() {
            return Err(self.unsupported(format!("`.sat` of `.{}`", word(type_))));
        }
        let ty = value.ty();
        let (zero, one) = (ty.zero(), ty.const_float(1.0));
        let positive = self.builder.fcmp(RealPredicate::LLVMRealOGT, value, zero);
        let value = self.builder.select(positive, value, zero);
        let small = self.builder.fcmp(RealPredicate::LLVMRealOLT, value, one);
        Ok(self.builder.select(small, value, one))
    }

    /// `.relu`: negative values become 0; NaN stays NaN.
    pub fn relu(&self, value: Value<'c>, type_: ScalarType) -> Lowered<Value<'c>> {
        if type_ == ScalarType::Bf16 {
            let negative =
                self.builder.icmp(llvm_zluda::IntPredicate::LLVMIntSLT, value, value.ty().zero());
            let wide = self.bf16_to_f32(value);
            let nan = self.builder.fcmp(RealPredicate::LLVMRealUNO, wide, wide);
            let drop = self.builder.and(negative, self.builder.not(nan));
            return Ok(self.builder.select(drop, value.ty().zero(), value));
        }
        let ty = value.ty();
        let keep = self.builder.fcmp(RealPredicate::LLVMRealUGT, value, ty.zero());
        Ok(self.builder.select(keep, value, ty.zero()))
    }
}
