//! Rounding that LLVM has no instruction for: directed, and once instead of twice.
//!
//! All of it rests on *rounding to odd*: of a value that is not exact, take the neighbour whose last
//! bit is 1. A value rounded to odd in a format with two bits more than the next rounds there, in any
//! direction, as the exact value does.

use llvm_zluda::{RealPredicate, Type, Value};
use ptx_parser::Rounding;

use super::Lowered;
use super::float::Arithmetic;
use super::function::{FunctionLowering, word};

impl<'c> FunctionLowering<'_, '_, 'c, '_> {
    /// `.rn`, or nothing, is nearest; others are directed.
    pub fn directed(&self, rounding: Option<Rounding>) -> Lowered<Option<Rounding>> {
        match rounding {
            None | Some(Rounding::Rn) => Ok(None),
            Some(r @ (Rounding::Rz | Rounding::Rm | Rounding::Rp)) => Ok(Some(r)),
            Some(other) => Err(self.invalid(format!("`.{}` does not fit here", word(other)))),
        }
    }

    /// `a + b` in double, rounded to odd.
    pub fn add_odd(&self, a: Value<'c>, b: Value<'c>) -> Value<'c> {
        let (sum, error) = self.two_sum(a, b);
        self.to_odd(sum, error)
    }

    /// `a + b` to nearest, and what it is off by (exact but for overflow).
    pub fn two_sum(&self, a: Value<'c>, b: Value<'c>) -> (Value<'c>, Value<'c>) {
        let o = &self.builder;
        let sum = o.fadd(a, b);
        let b_part = o.fsub(sum, a);
        let a_part = o.fsub(sum, b_part);
        (sum, o.fadd(o.fsub(a, a_part), o.fsub(b, b_part)))
    }

    /// `a / b` in double, rounded to odd.
    pub fn div_odd(&self, a: Value<'c>, b: Value<'c>) -> Value<'c> {
        let (quotient, error) = self.two_quotient(a, b);
        self.to_odd(quotient, error)
    }

    /// The square root in double, rounded to odd.
    pub fn sqrt_odd(&self, a: Value<'c>) -> Value<'c> {
        let root = self.llvm("llvm.sqrt", a.ty(), &[a]);
        let negative = self.builder.fneg(root);
        let rest = self.llvm("llvm.fma", a.ty(), &[negative, root, a]);
        self.to_odd(root, rest)
    }

    /// `value` was rounded to nearest and the exact value lies `error` away (only its sign counts): the
    /// neighbour, where the direction asks for it.
    pub fn directed_neighbour(
        &self,
        value: Value<'c>,
        error: Value<'c>,
        direction: Rounding,
    ) -> Value<'c> {
        let o = &self.builder;
        let zero = value.ty().zero();
        let above = o.fcmp(RealPredicate::LLVMRealOGT, error, zero);
        let below = o.fcmp(RealPredicate::LLVMRealOLT, error, zero);
        let negative = self.is_negative(value);
        let wrong = match direction {
            Rounding::Rm => below,
            Rounding::Rp => above,
            // Towards zero: the exact value is nearer to it.
            _ => o.select(negative, above, below),
        };
        o.select(wrong, self.neighbour(value, error), value)
    }

    /// Whether the sign bit of a value is set, as an i1.
    pub fn is_negative(&self, value: Value<'c>) -> Value<'c> {
        let bits = self.bits_of(value);
        self.builder.icmp(llvm_zluda::IntPredicate::LLVMIntSLT, bits, bits.ty().zero())
    }

    /// A sum that cancels is -0 when rounding down, where nearest gives +0.
    pub fn signed_zero(
        &self,
        operation: Arithmetic,
        values: &[Value<'c>],
        value: Value<'c>,
        direction: Rounding,
    ) -> Value<'c> {
        let o = &self.builder;
        let (a, b) = match (operation, values) {
            (Arithmetic::Add, &[a, b]) => (a, b),
            (Arithmetic::Sub, &[a, b]) => (a, o.fneg(b)),
            (Arithmetic::Fma, &[a, b, c]) => (o.fmul(a, b), c),
            _ => return value,
        };
        if direction != Rounding::Rm {
            return value;
        }
        let zero = o.fcmp(RealPredicate::LLVMRealOEQ, value, value.ty().zero());
        let differ = self.ne(self.is_negative(a), self.is_negative(b));
        o.select(o.and(zero, differ), value.ty().const_float(-0.0), value)
    }

    /// `a / b` to nearest, and the sign of what it is off by.
    pub fn two_quotient(&self, a: Value<'c>, b: Value<'c>) -> (Value<'c>, Value<'c>) {
        let quotient = self.builder.fdiv(a, b);
        let negative = self.builder.fneg(quotient);
        let rest = self.llvm("llvm.fma", a.ty(), &[negative, b, a]);
        // The rest has the sign of the error times that of b.
        let sign = self.llvm("llvm.copysign", a.ty(), &[a.ty().const_float(1.0), b]);
        (quotient, self.builder.fmul(rest, sign))
    }

    /// `value` was rounded to nearest and the exact value lies `error` away: its neighbour on that side
    /// if it is inexact and even.
    pub fn to_odd(&self, value: Value<'c>, error: Value<'c>) -> Value<'c> {
        let o = &self.builder;
        let ty = value.ty();
        let bits = self.bits_of(value);
        let inexact = o.fcmp(RealPredicate::LLVMRealONE, error, ty.zero());
        let even = o.not(o.trunc(bits, self.context.i1()));
        // Away from zero where the signs are the same. Shifts and sums are fewer operations on vectors than comparisons.
        let sign = bits.ty().const_int(u64::from(bits.ty().bits()) - 1);
        let differ = o.ashr(o.xor(bits, self.bits_of(error)), sign);
        let step = o.or(differ, bits.ty().const_int(1));
        let moved = o.bitcast(o.add(bits, step), ty);
        o.select(o.and(inexact, even), moved, value)
    }

    /// The next value from `value` in the direction of the sign of `towards`.
    fn neighbour(&self, value: Value<'c>, towards: Value<'c>) -> Value<'c> {
        let o = &self.builder;
        let bits = self.bits_of(value);
        let ty = bits.ty();
        let zero = value.ty().zero();
        let grows = o.fcmp(RealPredicate::LLVMRealOGT, towards, zero);
        let positive = o.icmp(llvm_zluda::IntPredicate::LLVMIntSGE, bits, ty.zero());
        let away = self.eq(grows, positive);
        let step = o.select(away, ty.const_int(1), ty.all_ones());
        o.bitcast(o.add(bits, step), value.ty())
    }

    /// A wide value cut to `ty`, rounded to odd.
    pub fn trunc_odd(&self, wide: Value<'c>, ty: Type<'c>) -> Value<'c> {
        let narrow = self.builder.fptrunc(wide, ty);
        let back = self.builder.fpext(narrow, wide.ty());
        let error = self.builder.fsub(wide, back);
        let error = self.sign_only(error);
        self.to_odd(narrow, self.builder.fptrunc(error, ty))
    }

    /// -1, 0 or 1, so that a difference keeps its sign when it is cut to a narrower type.
    fn sign_only(&self, value: Value<'c>) -> Value<'c> {
        let o = &self.builder;
        let ty = value.ty();
        let differs = o.fcmp(RealPredicate::LLVMRealONE, value, ty.zero());
        let one = self.llvm("llvm.copysign", ty, &[ty.const_float(1.0), value]);
        o.select(differs, one, ty.zero())
    }

    /// A wide value (rounded to odd, or exact) cut to `ty` in the given direction; none is nearest.
    pub fn trunc_directed(
        &self,
        wide: Value<'c>,
        ty: Type<'c>,
        direction: Option<Rounding>,
    ) -> Value<'c> {
        match direction {
            None => self.builder.fptrunc(wide, ty),
            Some(direction) => self.trunc_with_error(wide, None, ty, direction),
        }
    }

    /// A wide value that was rounded to nearest, and what it is off by, cut to `ty` in a direction as their exact sum is.
    /// Without an error it is exact itself, or was rounded to odd.
    pub fn trunc_with_error(
        &self,
        wide: Value<'c>,
        error: Option<Value<'c>>,
        ty: Type<'c>,
        direction: Rounding,
    ) -> Value<'c> {
        let o = &self.builder;
        let narrow = o.fptrunc(wide, ty);
        let back = o.fpext(narrow, wide.ty());
        let (back, exact) = match error {
            None => (back, wide),
            // The difference is exact, and if it is not zero larger than the error, which is at most half of the last bit of
            // `wide`. It is not a number where an infinite value stays one, and infinite where a finite one became that.
            Some(error) => (o.fsub(o.fsub(back, wide), error), wide.ty().zero()),
        };
        let above = o.fcmp(RealPredicate::LLVMRealOGT, back, exact);
        let below = o.fcmp(RealPredicate::LLVMRealOLT, back, exact);
        let negative = self.is_negative(narrow);
        let bits = self.bits_of(narrow);
        let (up, down) = (bits.ty().const_int(1), bits.ty().all_ones());
        // Away from zero is up, for both signs.
        let (wrong, step) = match direction {
            Rounding::Rm => (above, o.select(negative, up, down)),
            Rounding::Rp => (below, o.select(negative, down, up)),
            _ => (o.select(negative, below, above), down),
        };
        o.select(wrong, o.bitcast(o.add(bits, step), ty), narrow)
    }
}
