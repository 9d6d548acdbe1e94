//! Arithmetic that has integer forms; floating-point forms go on to `float`.

use llvm_zluda::{IntPredicate, Value};
use ptx_parser::isa::{Add, Div, Dp2a, Dp4a, Mad, Mad24, Mul, Mul24, Rem, Sad, Sub};
use ptx_parser::{MulMode, Operand, ScalarType};

use super::Lowered;
use super::float::{Arithmetic, Modes};
use super::function::{FunctionLowering, word};
use super::packed::element;

/// Packed types too.
fn is_float(type_: ScalarType) -> bool {
    element(type_).unwrap_or(type_).is_float()
}

impl<'c, 'a> FunctionLowering<'_, '_, 'c, 'a> {
    pub fn add(&mut self, i: &Add<'a>) -> Lowered {
        let modes = Modes { rounding: i.rnd, ftz: i.ftz, sat: i.sat, relu: false };
        if let Some(narrow) = i.atype {
            let operands = [&i.d, &i.a, &i.b];
            return self.mixed_sum(Arithmetic::Add, modes, narrow, operands);
        }
        if is_float(i.type_) {
            return self.arithmetic(Arithmetic::Add, i.type_, modes, &i.d, [&i.a, &i.b]);
        }
        self.elementwise(i.type_, &i.d, [&i.a, &i.b], |s, type_, [a, b]| {
            let name = if type_.is_signed() { "llvm.sadd.sat" } else { "llvm.uadd.sat" };
            Ok(if i.sat { s.llvm(name, a.ty(), &[a, b]) } else { s.builder.add(a, b) })
        })
    }

    pub fn sub(&mut self, i: &Sub<'a>) -> Lowered {
        let modes = Modes { rounding: i.rnd, ftz: i.ftz, sat: i.sat, relu: false };
        if let Some(narrow) = i.atype {
            let operands = [&i.d, &i.a, &i.b];
            return self.mixed_sum(Arithmetic::Sub, modes, narrow, operands);
        }
        if is_float(i.type_) {
            return self.arithmetic(Arithmetic::Sub, i.type_, modes, &i.d, [&i.a, &i.b]);
        }
        self.elementwise(i.type_, &i.d, [&i.a, &i.b], |s, type_, [a, b]| {
            let name = if type_.is_signed() { "llvm.ssub.sat" } else { "llvm.usub.sat" };
            Ok(if i.sat { s.llvm(name, a.ty(), &[a, b]) } else { s.builder.sub(a, b) })
        })
    }

    pub fn mul(&mut self, i: &Mul<'a>) -> Lowered {
        let Some(mode) = i.mode else {
            // NVIDIA's assembler leaves out a factor of one, and NaNs keep their bits.
            let one = |operand: &Operand<'_>| match operand {
                Operand::Immediate(value) => value.bits(ScalarType::F32) == Some(0x3f80_0000),
                _ => false,
            };
            let plain = i.rnd.is_none() && !i.ftz && !i.sat;
            if i.type_ == ScalarType::F32 && plain && one(&i.b) {
                let a = self.read(&i.a, i.type_)?;
                return self.write(&i.d, a);
            }
            let modes = Modes { rounding: i.rnd, ftz: i.ftz, sat: i.sat, relu: false };
            return self.arithmetic(Arithmetic::Mul, i.type_, modes, &i.d, [&i.a, &i.b]);
        };
        let a = self.read(&i.a, i.type_)?;
        let b = self.read(&i.b, i.type_)?;
        let product = self.product(mode, i.type_.is_signed(), a, b);
        self.write(&i.d, product)
    }

    pub fn mad(&mut self, i: &Mad<'a>) -> Lowered {
        let Some(mode) = i.mode else {
            let modes = Modes { rounding: i.rnd, ftz: i.ftz, sat: i.sat, relu: false };
            return self.arithmetic(Arithmetic::Fma, i.type_, modes, &i.d, [&i.a, &i.b, &i.c]);
        };
        let a = self.read(&i.a, i.type_)?;
        let b = self.read(&i.b, i.type_)?;
        let product = self.product(mode, i.type_.is_signed(), a, b);
        let c = self.read_product_type(&i.c, i.type_, mode)?;
        let sum = if i.sat {
            self.llvm("llvm.sadd.sat", c.ty(), &[product, c])
        } else {
            self.builder.add(product, c)
        };
        self.write(&i.d, sum)
    }

    /// An operand as wide as a product of `type_`.
    pub fn read_product_type(
        &mut self,
        operand: &Operand<'a>,
        type_: ScalarType,
        mode: MulMode,
    ) -> Lowered<Value<'c>> {
        let wide = match (mode, type_) {
            (MulMode::Lo | MulMode::Hi, _) => type_,
            (MulMode::Wide, ScalarType::U16) => ScalarType::U32,
            (MulMode::Wide, ScalarType::S16) => ScalarType::S32,
            (MulMode::Wide, ScalarType::U32) => ScalarType::U64,
            (MulMode::Wide, ScalarType::S32) => ScalarType::S64,
            _ => return Err(self.invalid(format!("`.wide` of `.{}`", word(type_)))),
        };
        self.read(operand, wide)
    }

    /// The low half, the high half or all bits (`.wide`) of the product of two integers of one width.
    pub fn product(&self, mode: MulMode, signed: bool, a: Value<'c>, b: Value<'c>) -> Value<'c> {
        let o = &self.builder;
        if mode == MulMode::Lo {
            return o.mul(a, b);
        }
        let bits = a.ty().bits();
        let wide = self.context.int(2 * bits);
        let [a, b] =
            [a, b].map(|value| if signed { o.sext(value, wide) } else { o.zext(value, wide) });
        let product = o.mul(a, b);
        if mode == MulMode::Wide {
            return product;
        }
        let shift =
            if bits == 64 { wide.const_wide_int(&[64, 0]) } else { wide.const_int(bits.into()) };
        o.trunc(o.lshr(product, shift), self.context.int(bits))
    }

    pub fn div(&mut self, i: &Div<'a>) -> Lowered {
        if i.type_.is_float() {
            return self.float_division(i);
        }
        let a = self.read(&i.a, i.type_)?;
        let b = self.read(&i.b, i.type_)?;
        let (divisor, zero) = self.safe_divisor(i.type_.is_signed(), a, b);
        let quotient = if i.type_.is_signed() {
            self.builder.sdiv(a, divisor)
        } else {
            self.builder.udiv(a, divisor)
        };
        // PTX leaves it open; all ones is what the hardware gives.
        let result = self.builder.select(zero, a.ty().all_ones(), quotient);
        self.write(&i.d, result)
    }

    pub fn rem(&mut self, i: &Rem<'a>) -> Lowered {
        let a = self.read(&i.a, i.type_)?;
        let b = self.read(&i.b, i.type_)?;
        let (divisor, zero) = self.safe_divisor(i.type_.is_signed(), a, b);
        let rest = if i.type_.is_signed() {
            self.builder.srem(a, divisor)
        } else {
            self.builder.urem(a, divisor)
        };
        let result = self.builder.select(zero, a.ty().all_ones(), rest);
        self.write(&i.d, result)
    }

    /// A divisor that does not trap, and whether the given one is 0. The quotient of the smallest
    /// integer and -1 is that of 1: itself.
    fn safe_divisor(&self, signed: bool, a: Value<'c>, b: Value<'c>) -> (Value<'c>, Value<'c>) {
        let o = &self.builder;
        let ty = a.ty();
        let zero = self.eq(b, ty.zero());
        if !signed {
            return (o.select(zero, ty.const_int(1), b), zero);
        }
        let smallest = ty.const_int(1 << (ty.bits() - 1));
        let overflows = o.and(self.eq(a, smallest), self.eq(b, ty.all_ones()));
        (o.select(o.or(zero, overflows), ty.const_int(1), b), zero)
    }

    pub fn sad(&mut self, i: &Sad<'a>) -> Lowered {
        let a = self.read(&i.a, i.type_)?;
        let b = self.read(&i.b, i.type_)?;
        let c = self.read(&i.c, i.type_)?;
        let predicate =
            if i.type_.is_signed() { IntPredicate::LLVMIntSLT } else { IntPredicate::LLVMIntULT };
        let less = self.builder.icmp(predicate, a, b);
        let difference = self.builder.select(less, self.builder.sub(b, a), self.builder.sub(a, b));
        self.write(&i.d, self.builder.add(c, difference))
    }

    pub fn mul24(&mut self, i: &Mul24<'a>) -> Lowered {
        let product = self.product24(i.mode, i.type_, &i.a, &i.b)?;
        self.write(&i.d, product)
    }

    pub fn mad24(&mut self, i: &Mad24<'a>) -> Lowered {
        let product = self.product24(i.mode, i.type_, &i.a, &i.b)?;
        let c = self.read(&i.c, i.type_)?;
        let sum = if i.sat {
            self.llvm("llvm.sadd.sat", c.ty(), &[product, c])
        } else {
            self.builder.add(product, c)
        };
        self.write(&i.d, sum)
    }

    /// 32 bits of the product of two 24-bit integers: the low ones, or 47 to 16.
    fn product24(
        &mut self,
        mode: MulMode,
        type_: ScalarType,
        a: &Operand<'a>,
        b: &Operand<'a>,
    ) -> Lowered<Value<'c>> {
        let a = self.read(a, type_)?;
        let b = self.read(b, type_)?;
        let o = &self.builder;
        let i24 = self.context.int(24);
        let i64 = self.context.i64();
        let [a, b] = [a, b].map(|value| {
            let cut = o.trunc(value, i24);
            if type_.is_signed() { o.sext(cut, i64) } else { o.zext(cut, i64) }
        });
        let product = o.mul(a, b);
        let shift = if mode == MulMode::Hi { 16 } else { 0 };
        Ok(o.trunc(o.lshr(product, self.i64(shift)), self.context.i32()))
    }

    pub fn dp4a(&mut self, i: &Dp4a<'a>) -> Lowered {
        let a = self.read(&i.a, ScalarType::B32)?;
        let b = self.read(&i.b, ScalarType::B32)?;
        let c = self.read(&i.c, ScalarType::B32)?;
        let [first, second] = [i.atype.is_signed(), i.btype.is_signed()];
        let word = |signed| if signed { "s8" } else { "u8" };
        let name = format!("{}{}.{}", simt::shortcuts::DOT, word(first), word(second));
        let sum = self.shortcut(&name, self.context.i32(), &[a, b, c], |values| {
            (0..4).fold(values[2], |sum, byte| {
                let x = self.part(values[0], 8 * byte, 8, first);
                let y = self.part(values[1], 8 * byte, 8, second);
                self.builder.add(sum, self.builder.mul(x, y))
            })
        });
        self.write(&i.d, sum)
    }

    pub fn dp2a(&mut self, i: &Dp2a<'a>) -> Lowered {
        let a = self.read(&i.a, ScalarType::B32)?;
        let b = self.read(&i.b, ScalarType::B32)?;
        let mut sum = self.read(&i.c, ScalarType::B32)?;
        let first = if i.mode == MulMode::Hi { 2 } else { 0 };
        for half in 0..2 {
            let x = self.part(a, 16 * half, 16, i.atype.is_signed());
            let y = self.part(b, 8 * (first + half), 8, i.btype.is_signed());
            sum = self.builder.add(sum, self.builder.mul(x, y));
        }
        self.write(&i.d, sum)
    }

    /// `bits` bits of an i32 from `position`, extended to 32.
    fn part(&self, value: Value<'c>, position: u32, bits: u32, signed: bool) -> Value<'c> {
        let o = &self.builder;
        let cut = o.trunc(o.lshr(value, self.i32(position)), self.context.int(bits));
        if signed { o.sext(cut, self.context.i32()) } else { o.zext(cut, self.context.i32()) }
    }
}
