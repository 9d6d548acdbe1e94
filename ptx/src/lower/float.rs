//! Floating-point arithmetic.

use llvm_zluda::{RealPredicate, Type, Value};
use ptx_parser::isa::Fma;
use ptx_parser::{Operand, Rounding, ScalarType};

use super::Lowered;
use super::function::{FunctionLowering, word};

/// The NaN, as 16 bits, that loads outside of a tensor give for `.oob`.
const OUT_OF_BOUNDS: u64 = 0xffff;

/// The modifiers that every floating-point instruction may have.
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

impl Arithmetic {
    /// As PTX names it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Sub => "sub",
            Self::Mul => "mul",
            Self::Div => "div",
            Self::Fma => "fma",
            Self::Sqrt => "sqrt",
            Self::Rcp => "rcp",
        }
    }

    /// The instruction of a sum or a product, none for others.
    fn sum(self) -> Option<&'static str> {
        match self {
            Self::Add | Self::Sub | Self::Mul | Self::Fma => Some(self.name()),
            Self::Div | Self::Sqrt | Self::Rcp => None,
        }
    }
}

impl<'c, 'a> FunctionLowering<'_, '_, 'c, 'a> {
    pub fn fma(&mut self, i: &Fma<'a>) -> Lowered {
        let modes = Modes { rounding: Some(i.rnd), ftz: i.ftz, sat: i.sat, relu: i.relu };
        if let Some(narrow) = i.abtype {
            let a = self.read_widened(&i.a, narrow)?;
            let b = self.read_widened(&i.b, narrow)?;
            let c = self.read(&i.c, i.type_)?;
            let result = self.rounded(Arithmetic::Fma, i.type_, modes, &[a, b, c])?;
            return self.write(&i.d, result);
        }
        let operands = [&i.a, &i.b, &i.c];
        if i.oob {
            return self.elementwise(i.type_, &i.d, operands, |s, type_, [a, b, c]| {
                let value = s.rounded(Arithmetic::Fma, type_, modes, &[a, b, c])?;
                // A factor that is out of bounds, this NaN, makes zero.
                let outside = |factor| {
                    let bits = s.bits_of(factor);
                    s.eq(bits, bits.ty().const_int(OUT_OF_BOUNDS))
                };
                let outside = s.builder.or(outside(a), outside(b));
                Ok(s.builder.select(outside, value.ty().zero(), value))
            });
        }
        self.arithmetic(Arithmetic::Fma, i.type_, modes, &i.d, operands)
    }

    /// An `.f16` or `.bf16` operand as `.f32`.
    pub fn read_widened(&mut self, operand: &Operand<'a>, type_: ScalarType) -> Lowered<Value<'c>> {
        let value = self.read(operand, type_)?;
        Ok(self.widened(value, type_))
    }

    /// `add` and `sub` of an `.f16` or `.bf16` number and an `.f32` one.
    pub fn mixed_sum(
        &mut self,
        operation: Arithmetic,
        modes: Modes,
        narrow: ScalarType,
        [d, a, b]: [&Operand<'a>; 3],
    ) -> Lowered {
        let a = self.read_widened(a, narrow)?;
        let b = self.read(b, ScalarType::F32)?;
        let result = self.rounded(operation, ScalarType::F32, modes, &[a, b])?;
        self.write(d, result)
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
        let mut tiny = None;
        let result = match (type_, direction) {
            (ScalarType::F32, direction) if modes.ftz => {
                self.flushing(operation, &values, modes.rounding, direction)
            }
            (ScalarType::F32, None) => self.compute(operation, &values),
            (ScalarType::F64, None) => {
                let result = self.compute(operation, &values);
                self.operand_nan(operation, result, &values)
            }
            (ScalarType::F64, Some(direction)) => {
                let result = self.directed_f64(operation, &values, direction)?;
                self.operand_nan(operation, result, &values)
            }
            (ScalarType::F32, Some(rounding)) => {
                if let Some(name) = operation.sum() {
                    self.directed_sum(name, operation, &values, rounding)
                } else {
                    let exact = self.compute_in_double(operation, &values, rounding);
                    self.trunc_directed(exact, self.context.f32(), direction)
                }
            }
            (ScalarType::F16, None) if operation == Arithmetic::Fma && !modes.ftz => {
                self.fma_of_halves(&values)
            }
            (ScalarType::F16, None) => {
                let f32 = self.context.f32();
                let half = self.context.half();
                let wide: Vec<_> =
                    values.iter().map(|&value| self.builder.fpext(value, f32)).collect();
                let result = match (operation, wide.as_slice()) {
                    (Arithmetic::Fma, &[a, b, c]) => self.fma_for_half(a, b, c),
                    // Twice the bits of half and two more: rounding twice is rounding once.
                    _ => self.compute(operation, &wide),
                };
                if modes.ftz {
                    // As `is_tiny_result`, with 11 bits.
                    let least = 2f64.powi(-14);
                    let size = self.llvm("llvm.fabs", f32, &[result]);
                    let limit = f32.const_float(least - least / 4096.0);
                    tiny = Some(self.builder.fcmp(RealPredicate::LLVMRealOLT, size, limit));
                }
                self.builder.fptrunc(result, half)
            }
            (ScalarType::Bf16, None) => {
                let wide: Vec<_> = values.iter().map(|&value| self.bf16_to_f32(value)).collect();
                let result = match (operation, wide.as_slice()) {
                    (Arithmetic::Fma, &[a, b, c]) => self.fma_for_bf16(a, b, c),
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
        let result = match tiny {
            Some(tiny) => self.zero_where(tiny, result),
            // Those of single precision are flushed.
            None if type_ == ScalarType::F32 => result,
            None => self.flushed(result, type_, modes.ftz),
        };
        if modes.sat {
            return self.saturated(result, type_);
        }
        let result = if modes.relu { self.relu(result, type_)? } else { result };
        Ok(self.canonical(result, type_))
    }

    /// The value with the NaN that the GPU's arithmetic makes: one for each of the narrower types, while
    /// `.f64` keeps those of its operands. That of `.f32` waits until somebody looks at it.
    pub fn canonical(&self, value: Value<'c>, type_: ScalarType) -> Value<'c> {
        let infinity = match type_ {
            ScalarType::F32 => {
                return self.zluda("canonical.f32", &[value]);
            }
            ScalarType::F16 => 0x7c00,
            ScalarType::Bf16 => 0x7f80,
            _ => return value,
        };
        let o = &self.builder;
        let bits = self.bits_of(value);
        let constant = |value: u64| bits.ty().const_int(value);
        let nan = self.ult(constant(infinity), o.and(bits, constant(0x7fff)));
        o.bitcast(o.select(nan, constant(0x7fff), bits), value.ty())
    }

    /// Which of its NaN operands an operation on `.f64` hands on.
    fn operand_nan(
        &self,
        operation: Arithmetic,
        result: Value<'c>,
        values: &[Value<'c>],
    ) -> Value<'c> {
        match (operation, values) {
            (Arithmetic::Fma, &[a, b, c]) => self.last_nan(result, &[a, c, b]),
            (Arithmetic::Div, &[a, b]) => self.last_nan(result, &[b, a]),
            _ => self.last_nan(result, values),
        }
    }

    /// The last of the operands that is NaN, made quiet, else the result.
    pub fn last_nan(&self, result: Value<'c>, operands: &[Value<'c>]) -> Value<'c> {
        operands.iter().fold(result, |result, &operand| {
            if operand.is_constant() {
                return result;
            }
            self.zluda("nan.f64", &[result, operand])
        })
    }

    /// An operation on floats that makes zeros of tiny results: a call of a function of [`simt::shortcuts`]. The operands are
    /// flushed already.
    fn flushing(
        &self,
        operation: Arithmetic,
        values: &[Value<'c>],
        rounding: Option<Rounding>,
        direction: Option<Rounding>,
    ) -> Value<'c> {
        let mut name = format!("{}{}", simt::shortcuts::FLUSHING, operation.name());
        if let Some(direction) = direction {
            name = format!("{name}.{}", word(direction));
        }
        let f32 = self.context.f32();
        self.shortcut(&name, f32, values, |values| {
            let Some(rounding) = rounding.filter(|_| direction.is_some()) else {
                let result = self.compute(operation, values);
                return match self.is_tiny_result(operation, values) {
                    Some(tiny) => self.zero_where(tiny, result),
                    None => self.flush_f32(result),
                };
            };
            let exact = self.compute_in_double(operation, values, rounding);
            let result = self.trunc_directed(exact, f32, direction);
            self.zero_where(self.is_tiny(exact, direction), result)
        })
    }

    /// In double, of floats: exact, or rounded to odd, and a zero with the sign that the rounding gives it.
    fn compute_in_double(
        &self,
        operation: Arithmetic,
        values: &[Value<'c>],
        rounding: Rounding,
    ) -> Value<'c> {
        let wide = self.in_double(values);
        let exact = self.compute_odd(operation, &wide);
        self.signed_zero(operation, &wide, exact, rounding)
    }

    /// `.ftz` makes zeros of results that lie below the normal numbers once they are rounded to 24 bits, however
    /// small they are; to the grid of the subnormal ones, more of them would round up to the least normal
    /// number. None for operations whose results that far down are exact.
    fn is_tiny_result(&self, operation: Arithmetic, values: &[Value<'c>]) -> Option<Value<'c>> {
        let o = &self.builder;
        let size = |value: Value<'c>| self.llvm("llvm.fabs", value.ty(), &[value]);
        let below = |a, b| Some(o.fcmp(RealPredicate::LLVMRealOLT, a, b));
        let least = |ty: Type<'c>, scale| ty.const_float(f64::from(f32::MIN_POSITIVE) * scale);
        // The same operation where there are 24 bits. What overflows here was not small.
        const SCALE: f64 = 16_777_216.0;
        let scaled = |value: Value<'c>| o.fmul(value, value.ty().const_float(SCALE));
        match (operation, values) {
            (Arithmetic::Mul, &[a, b]) => below(size(o.fmul(scaled(a), b)), least(a.ty(), SCALE)),
            (Arithmetic::Fma, &[a, b, c]) => {
                let sum = self.llvm("llvm.fma", a.ty(), &[scaled(a), b, scaled(c)]);
                below(size(sum), least(a.ty(), SCALE))
            }
            // No quotient rounds up that far.
            (Arithmetic::Div, &[a, b]) => below(size(a), o.fmul(size(b), least(b.ty(), 1.0))),
            _ => None,
        }
    }

    /// Likewise for a result of `.f32` that is exact, or rounded to odd, in double.
    pub fn is_tiny(&self, exact: Value<'c>, direction: Option<Rounding>) -> Value<'c> {
        let ty = exact.ty();
        let o = &self.builder;
        let size = self.llvm("llvm.fabs", ty, &[exact]);
        // The last of 24 bits below the least normal number.
        const LEAST: f64 = f32::MIN_POSITIVE as f64;
        const LAST: f64 = LEAST / 16_777_216.0;
        let towards_zero = ty.const_float(LEAST);
        let away = ty.const_float((LEAST - LAST).next_up());
        let limit = match direction {
            None => ty.const_float(LEAST - LAST / 2.0),
            Some(Rounding::Rm) => o.select(self.is_negative(exact), away, towards_zero),
            Some(Rounding::Rp) => o.select(self.is_negative(exact), towards_zero, away),
            Some(_) => towards_zero,
        };
        o.fcmp(RealPredicate::LLVMRealOLT, size, limit)
    }

    /// Zero of the value's sign, where the condition holds, which it does for all that are subnormal.
    pub fn zero_where(&self, condition: Value<'c>, value: Value<'c>) -> Value<'c> {
        let zero = self.llvm("llvm.copysign", value.ty(), &[value.ty().zero(), value]);
        let result = self.builder.select(condition, zero, value);
        if value.ty() != self.context.f32() {
            return result;
        }
        self.zluda("flushed.f32", &[result])
    }

    /// To nearest, in the type of the operands.
    pub fn compute(&self, operation: Arithmetic, values: &[Value<'c>]) -> Value<'c> {
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

    fn in_double(&self, values: &[Value<'c>]) -> Vec<Value<'c>> {
        let f64 = self.context.f64();
        values.iter().map(|&value| self.builder.fpext(value, f64)).collect()
    }

    /// A sum or a product that rounds in a direction: a call of a function of [`simt::shortcuts`].
    fn directed_sum(
        &self,
        name: &str,
        operation: Arithmetic,
        values: &[Value<'c>],
        direction: Rounding,
    ) -> Value<'c> {
        let name = format!("{}{name}.{}", simt::shortcuts::DIRECTED, word(direction));
        let f32 = self.context.f32();
        self.shortcut(&name, f32, values, |values| {
            let wide = self.in_double(values);
            let (sum, error) = self.sum_in_double(operation, &wide).unwrap_or((wide[0], None));
            let sum = self.signed_zero(operation, &wide, sum, direction);
            self.trunc_with_error(sum, error, f32, direction)
        })
    }

    /// A sum or a product of doubles that were floats: what nearest gives, and what it is off by, if it can be. None for
    /// other operations.
    fn sum_in_double(
        &self,
        operation: Arithmetic,
        values: &[Value<'c>],
    ) -> Option<(Value<'c>, Option<Value<'c>>)> {
        let o = &self.builder;
        let (a, b) = match (operation, values) {
            (Arithmetic::Add, &[a, b]) => (a, b),
            (Arithmetic::Sub, &[a, b]) => (a, o.fneg(b)),
            (Arithmetic::Fma, &[a, b, c]) => (o.fmul(a, b), c),
            (Arithmetic::Mul, &[a, b]) => return Some((o.fmul(a, b), None)),
            _ => return None,
        };
        let (sum, error) = self.two_sum(a, b);
        Some((sum, Some(error)))
    }

    /// On doubles that are floats: exact, or rounded to odd.
    fn compute_odd(&self, operation: Arithmetic, values: &[Value<'c>]) -> Value<'c> {
        if let Some((sum, error)) = self.sum_in_double(operation, values) {
            return error.map_or(sum, |error| self.to_odd(sum, error));
        }
        match (operation, values) {
            (Arithmetic::Div, &[a, b]) => self.div_odd(a, b),
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

    /// `.ftz` of a `.f32`: subnormal numbers become zeros of their sign.
    pub fn flush_f32(&self, value: Value<'c>) -> Value<'c> {
        self.zluda("ftz.f32", &[value])
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
