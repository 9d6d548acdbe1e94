//! Extended-precision arithmetic: the carry flag. After a subtraction it is 1 where nothing was borrowed, as
//! additions see that read it.

use llvm_zluda::Value;
use ptx_parser::isa::{AddCc, Addc, MadCc, Madc, SubCc, Subc};
use ptx_parser::{Operand, ScalarType};

use super::Lowered;
use super::function::FunctionLowering;

impl<'c, 'a> FunctionLowering<'_, '_, 'c, 'a> {
    fn carry_slot(&mut self) -> Value<'c> {
        if let Some(slot) = self.carry {
            return slot;
        }
        let slot = self.slot(ScalarType::Pred);
        self.carry = Some(slot);
        slot
    }

    fn carry_in(&mut self) -> Value<'c> {
        let slot = self.carry_slot();
        self.builder.load(self.context.i1(), slot, 1)
    }

    /// `d = a + b + carry`, and the carry out of it into the flag if `keep`.
    fn add_with_carry(
        &mut self,
        d: &Operand<'a>,
        [a, b]: [Value<'c>; 2],
        carry: Option<Value<'c>>,
        keep: bool,
    ) -> Lowered {
        let sum = self.builder.add(a, b);
        let mut out = self.ult(sum, a);
        let mut total = sum;
        if let Some(carry) = carry {
            total = self.builder.add(sum, self.builder.zext(carry, sum.ty()));
            out = self.builder.or(out, self.ult(total, sum));
        }
        self.finish(d, total, out, keep)
    }

    /// `d = a - b`, less 1 where `carry` is 0, and the absence of a borrow into the flag if `keep`.
    fn sub_with_borrow(
        &mut self,
        d: &Operand<'a>,
        [a, b]: [Value<'c>; 2],
        carry: Option<Value<'c>>,
        keep: bool,
    ) -> Lowered {
        let difference = self.builder.sub(a, b);
        let mut out = self.ult(a, b);
        let mut total = difference;
        if let Some(carry) = carry {
            let borrow = self.builder.zext(self.builder.not(carry), a.ty());
            total = self.builder.sub(difference, borrow);
            out = self.builder.or(out, self.ult(difference, borrow));
        }
        self.finish(d, total, self.builder.not(out), keep)
    }

    fn finish(
        &mut self,
        d: &Operand<'a>,
        total: Value<'c>,
        flag: Value<'c>,
        keep: bool,
    ) -> Lowered {
        if keep {
            let slot = self.carry_slot();
            self.builder.store(flag, slot, 1);
        }
        self.write(d, total)
    }

    fn pair(
        &mut self,
        type_: ScalarType,
        a: &Operand<'a>,
        b: &Operand<'a>,
    ) -> Lowered<[Value<'c>; 2]> {
        Ok([self.read(a, type_)?, self.read(b, type_)?])
    }

    pub fn add_cc(&mut self, i: &AddCc<'a>) -> Lowered {
        let pair = self.pair(i.type_, &i.a, &i.b)?;
        self.add_with_carry(&i.d, pair, None, true)
    }

    pub fn addc(&mut self, i: &Addc<'a>) -> Lowered {
        let pair = self.pair(i.type_, &i.a, &i.b)?;
        let carry = self.carry_in();
        self.add_with_carry(&i.d, pair, Some(carry), i.cc)
    }

    pub fn sub_cc(&mut self, i: &SubCc<'a>) -> Lowered {
        let pair = self.pair(i.type_, &i.a, &i.b)?;
        self.sub_with_borrow(&i.d, pair, None, true)
    }

    pub fn subc(&mut self, i: &Subc<'a>) -> Lowered {
        let pair = self.pair(i.type_, &i.a, &i.b)?;
        let carry = self.carry_in();
        self.sub_with_borrow(&i.d, pair, Some(carry), i.cc)
    }

    pub fn mad_cc(&mut self, i: &MadCc<'a>) -> Lowered {
        let [a, b] = self.pair(i.type_, &i.a, &i.b)?;
        let product = self.product(i.hilo, i.type_.is_signed(), a, b);
        let c = self.read(&i.c, i.type_)?;
        self.add_with_carry(&i.d, [product, c], None, true)
    }

    pub fn madc(&mut self, i: &Madc<'a>) -> Lowered {
        let [a, b] = self.pair(i.type_, &i.a, &i.b)?;
        let product = self.product(i.hilo, i.type_.is_signed(), a, b);
        let c = self.read(&i.c, i.type_)?;
        let carry = self.carry_in();
        self.add_with_carry(&i.d, [product, c], Some(carry), i.cc)
    }
}
