//! `.f64` arithmetic rounded in a direction: the result to nearest, and the sign of what it is off by.
//!
//! The errors come from fused multiply-adds, which are exact as long as nothing is too small or too large.
//! So small operands are scaled up and large ones down by powers of two, and results that are subnormal once
//! they are scaled back are rounded to the grid of subnormal numbers.

use llvm_zluda::{RealPredicate, Value};
use ptx_parser::Rounding;

use super::Lowered;
use super::float::Arithmetic;
use super::function::FunctionLowering;

/// A value to nearest, the sign of the exact value less it, and the power of two that scales it back.
struct Scaled<'c> {
    value: Value<'c>,
    error: Value<'c>,
    /// In two factors, for powers that no double holds.
    back: [Value<'c>; 2],
    /// The least subnormal number, scaled.
    least: Value<'c>,
}

impl<'c> FunctionLowering<'_, '_, 'c, '_> {
    /// An infinite result of finite operands becomes the largest number where the direction wants that.
    pub fn directed_f64(
        &self,
        operation: Arithmetic,
        values: &[Value<'c>],
        direction: Rounding,
    ) -> Lowered<Value<'c>> {
        let o = &self.builder;
        let nearest = self.compute(operation, values);
        let rounded = match (operation, values) {
            (Arithmetic::Add | Arithmetic::Sub, &[a, b]) => {
                let b = if operation == Arithmetic::Sub { o.fneg(b) } else { b };
                let (sum, error) = self.two_sum(a, b);
                // Sums are never off by less than a subnormal number; what is infinite has no error.
                self.directed_neighbour(sum, error, direction)
            }
            (Arithmetic::Mul, &[a, b]) => {
                let zero = a.ty().zero();
                self.scaled_back(self.scaled_fma(nearest, a, b, zero), direction)
            }
            (Arithmetic::Fma, &[a, b, c]) => {
                self.scaled_back(self.scaled_fma(nearest, a, b, c), direction)
            }
            (Arithmetic::Div, &[a, b]) => self.scaled_back(self.scaled_quotient(a, b), direction),
            (Arithmetic::Rcp, &[a]) => {
                let one = a.ty().const_float(1.0);
                self.scaled_back(self.scaled_quotient(one, a), direction)
            }
            (Arithmetic::Sqrt, &[a]) => self.directed_root(a, direction),
            _ => return Err(self.unsupported("this rounding of `.f64` arithmetic")),
        };
        let ty = nearest.ty();
        // Zeros, infinities and NaNs of nearest rounding are right, but for overflows and underflows.
        let zero = o.fcmp(RealPredicate::LLVMRealOEQ, rounded, ty.zero());
        let signed = self.llvm("llvm.copysign", ty, &[ty.zero(), nearest]);
        let rounded = o.select(zero, signed, rounded);
        let rounded = self.signed_zero(operation, values, rounded, direction);
        let mut finite = self.i1(true);
        for &operand in values {
            finite = o.and(finite, self.is_finite(operand));
        }
        if let (Arithmetic::Div | Arithmetic::Rcp, Some(&divisor)) = (operation, values.last()) {
            finite =
                o.and(finite, o.fcmp(RealPredicate::LLVMRealONE, divisor, divisor.ty().zero()));
        }
        let negative = self.is_negative(nearest);
        let (largest, lowest) = (ty.const_float(f64::MAX), ty.const_float(f64::MIN));
        let cut = match direction {
            Rounding::Rm => o.select(negative, nearest, largest),
            Rounding::Rp => o.select(negative, lowest, nearest),
            _ => o.select(negative, lowest, largest),
        };
        let size = self.llvm("llvm.fabs", ty, &[nearest]);
        let infinite = o.fcmp(RealPredicate::LLVMRealOEQ, size, ty.const_float(f64::INFINITY));
        let overflow = o.and(finite, infinite);
        let usual = o.and(finite, self.is_finite(nearest));
        let special = o.select(overflow, cut, nearest);
        Ok(o.select(usual, rounded, special))
    }

    /// The scaled value, rounded once and scaled back.
    fn scaled_back(&self, scaled: Scaled<'c>, direction: Rounding) -> Value<'c> {
        let o = &self.builder;
        let Scaled { value, error, back, least } = scaled;
        let ty = value.ty();
        let normal = self.directed_neighbour(value, error, direction);
        // Adding 2^52 of the least numbers cuts a value to a multiple of them.
        let limit = o.fmul(least, ty.const_float(4_503_599_627_370_496.0));
        let anchor = self.llvm("llvm.copysign", ty, &[limit, value]);
        let cut = o.fsub(o.fadd(value, anchor), anchor);
        let rest = o.fsub(value, cut);
        let exact = o.fcmp(RealPredicate::LLVMRealOEQ, rest, ty.zero());
        let rest = o.select(exact, error, rest);
        let up = o.fcmp(RealPredicate::LLVMRealOGT, rest, ty.zero());
        let down = o.fcmp(RealPredicate::LLVMRealOLT, rest, ty.zero());
        let none = self.i1(false);
        let negative = self.is_negative(value);
        let (raise, drop) = match direction {
            Rounding::Rp => (up, none),
            Rounding::Rm => (none, down),
            _ => (o.and(negative, up), o.and(o.not(negative), down)),
        };
        let raised = o.select(raise, o.fadd(cut, least), cut);
        let moved = o.select(drop, o.fsub(raised, least), raised);
        let size = self.llvm("llvm.fabs", ty, &[value]);
        let subnormal = o.fcmp(RealPredicate::LLVMRealOLE, size, limit);
        let result = o.select(subnormal, moved, normal);
        o.fmul(o.fmul(result, back[0]), back[1])
    }

    /// `a * b + c`, whose rounded value is known. What lies below 2^-700 is scaled up, what lies beyond
    /// 2^700 down.
    fn scaled_fma(
        &self,
        nearest: Value<'c>,
        a: Value<'c>,
        b: Value<'c>,
        c: Value<'c>,
    ) -> Scaled<'c> {
        let o = &self.builder;
        let ty = a.ty();
        let number = |value| ty.const_float(value);
        let size = |value| self.llvm("llvm.fabs", ty, &[value]);
        let result = size(nearest);
        let small = o.fcmp(RealPredicate::LLVMRealOLT, result, number(2f64.powi(-700)));
        let large = o.fcmp(RealPredicate::LLVMRealOGT, result, number(2f64.powi(700)));
        let choose = |up: f64, same: f64, down: f64| {
            o.select(small, number(up), o.select(large, number(down), number(same)))
        };
        // Before subnormal factors are scaled down to zero.
        let zero = o.or(
            o.fcmp(RealPredicate::LLVMRealOEQ, a, ty.zero()),
            o.fcmp(RealPredicate::LLVMRealOEQ, b, ty.zero()),
        );
        let scale = choose(2f64.powi(256), 1.0, 2f64.powi(-256));
        // The smaller factor takes the scale up, the larger one the scale down.
        let a_smaller = o.fcmp(RealPredicate::LLVMRealOLT, size(a), size(b));
        let to_a = self.eq(a_smaller, o.not(large));
        let one = number(1.0);
        let a = o.fmul(a, o.select(to_a, scale, one));
        let b = o.fmul(b, o.select(to_a, one, scale));
        let c = o.fmul(c, scale);
        let (product, product_error) = self.two_product(a, b);
        // Of a product that is next to nothing, only the sign counts.
        let nothing = number(2f64.powi(-900));
        let tiny = o.fcmp(RealPredicate::LLVMRealOLT, size(product), nothing);
        let sticky = o.and(tiny, o.not(zero));
        let product =
            o.select(sticky, self.llvm("llvm.copysign", ty, &[nothing, product]), product);
        let product_error = o.select(sticky, ty.zero(), product_error);
        // c + product + product_error, as a value to nearest and the sign of the rest.
        let (small_sum, small_rest) = self.two_sum(c, product_error);
        let (large_sum, large_rest) = self.two_sum(product, small_sum);
        let (value, rest) = self.two_sum(large_sum, o.fadd(large_rest, small_rest));
        let inexact = {
            // What the inner addition lost.
            let (_, lost) = self.two_sum(large_rest, small_rest);
            lost
        };
        let none = o.fcmp(RealPredicate::LLVMRealOEQ, rest, ty.zero());
        let error = o.select(none, inexact, rest);
        Scaled {
            value,
            error,
            back: [choose(2f64.powi(-256), 1.0, 2f64.powi(256)), one],
            least: choose(2f64.powi(-1074 + 256), f64::from_bits(1), f64::from_bits(1)),
        }
    }

    /// `a / b`, both brought to between 2^-500 and 2^500.
    fn scaled_quotient(&self, a: Value<'c>, b: Value<'c>) -> Scaled<'c> {
        let o = &self.builder;
        let ty = a.ty();
        let number = |value| ty.const_float(value);
        let choose = |value: Value<'c>, up: f64, down: f64| {
            let size = self.llvm("llvm.fabs", ty, &[value]);
            let small = o.fcmp(RealPredicate::LLVMRealOLT, size, number(2f64.powi(-500)));
            let large = o.fcmp(RealPredicate::LLVMRealOGT, size, number(2f64.powi(500)));
            o.select(small, number(up), o.select(large, number(down), number(1.0)))
        };
        let (up, down) = (2f64.powi(600), 2f64.powi(-600));
        let a_back = choose(a, down, up);
        let b_scale = choose(b, up, down);
        let a = o.fmul(a, choose(a, up, down));
        let b = o.fmul(b, b_scale);
        let (value, error) = self.two_quotient(a, b);
        // Subnormal results come of a small dividend, a large divisor, or both.
        let both = o.fmul(a_back, b_scale);
        let scaled_down = |back| o.fcmp(RealPredicate::LLVMRealOLT, back, number(1.0));
        let twice = o.and(scaled_down(a_back), scaled_down(b_scale));
        let once = o.fcmp(RealPredicate::LLVMRealOEQ, both, number(down));
        let least = o.select(
            twice,
            number(2f64.powi(126)),
            o.select(once, number(2f64.powi(-474)), number(f64::from_bits(1))),
        );
        Scaled { value, error, back: [a_back, b_scale], least }
    }

    /// The square root of a small number is that of a larger one, scaled; it is never subnormal itself.
    fn directed_root(&self, a: Value<'c>, direction: Rounding) -> Value<'c> {
        let o = &self.builder;
        let ty = a.ty();
        let number = |value| ty.const_float(value);
        let small = o.fcmp(RealPredicate::LLVMRealOLT, a, number(2f64.powi(-500)));
        let a = o.fmul(a, o.select(small, number(2f64.powi(512)), number(1.0)));
        let root = self.llvm("llvm.sqrt", ty, &[a]);
        let negative = o.fneg(root);
        let rest = self.llvm("llvm.fma", ty, &[negative, root, a]);
        let rounded = self.directed_neighbour(root, rest, direction);
        o.fmul(rounded, o.select(small, number(2f64.powi(-256)), number(1.0)))
    }

    fn is_finite(&self, value: Value<'c>) -> Value<'c> {
        let ty = value.ty();
        let size = self.llvm("llvm.fabs", ty, &[value]);
        self.builder.fcmp(RealPredicate::LLVMRealOLT, size, ty.const_float(f64::INFINITY))
    }

    /// `a * b` to nearest, and what it is off by.
    fn two_product(&self, a: Value<'c>, b: Value<'c>) -> (Value<'c>, Value<'c>) {
        let product = self.builder.fmul(a, b);
        let negative = self.builder.fneg(product);
        (product, self.llvm("llvm.fma", a.ty(), &[a, b, negative]))
    }
}
