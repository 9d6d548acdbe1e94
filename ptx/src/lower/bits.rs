//! Logic and shifts.

use llvm_zluda::{IntPredicate, Value};
use ptx_parser::isa::{
    And, Bfe, Bfi, Bfind, Bmsk, Brev, Clz, Cnot, Fns, Lop3, Not, Or, Popc, Prmt, Shf, Shl, Shr,
    Szext, Xor,
};
use ptx_parser::{ClampMode, Direction, Operand, PrmtMode, ScalarType};

use super::Lowered;
use super::function::FunctionLowering;

impl<'c, 'a> FunctionLowering<'_, '_, 'c, 'a> {
    fn logic(
        &mut self,
        type_: ScalarType,
        d: &Operand<'a>,
        operands: [&Operand<'a>; 2],
        operation: impl Fn(&Self, Value<'c>, Value<'c>) -> Value<'c>,
    ) -> Lowered {
        let a = self.read(operands[0], type_)?;
        let b = self.read(operands[1], type_)?;
        let result = operation(self, a, b);
        self.write(d, result)
    }

    pub fn and(&mut self, i: &And<'a>) -> Lowered {
        self.logic(i.type_, &i.d, [&i.a, &i.b], |s, a, b| s.builder.and(a, b))
    }

    pub fn or(&mut self, i: &Or<'a>) -> Lowered {
        self.logic(i.type_, &i.d, [&i.a, &i.b], |s, a, b| s.builder.or(a, b))
    }

    pub fn xor(&mut self, i: &Xor<'a>) -> Lowered {
        self.logic(i.type_, &i.d, [&i.a, &i.b], |s, a, b| s.builder.xor(a, b))
    }

    pub fn shl(&mut self, i: &Shl<'a>) -> Lowered {
        self.shift(i.type_, &i.d, [&i.a, &i.b], Self::shl_clamped)
    }

    pub fn shr(&mut self, i: &Shr<'a>) -> Lowered {
        let shift = if i.type_.is_signed() { Self::ashr_clamped } else { Self::lshr_clamped };
        self.shift(i.type_, &i.d, [&i.a, &i.b], shift)
    }

    /// Amounts are 32 bits whatever the type; the width or more shifts everything out.
    fn shift(
        &mut self,
        type_: ScalarType,
        d: &Operand<'a>,
        operands: [&Operand<'a>; 2],
        operation: impl Fn(&Self, Value<'c>, Value<'c>) -> Value<'c>,
    ) -> Lowered {
        let a = self.read(operands[0], type_)?;
        let amount = self.read_u32(operands[1])?;
        let width = type_.bits();
        let amount = if width < 32 {
            // Cut to the width after clamping, so that no amount wraps.
            self.builder.trunc(self.umin(amount, self.i32(width)), a.ty())
        } else {
            self.builder.zext(amount, a.ty())
        };
        let result = operation(self, a, amount);
        self.write(d, result)
    }

    pub fn not(&mut self, i: &Not<'a>) -> Lowered {
        let a = self.read(&i.a, i.type_)?;
        self.write(&i.d, self.builder.not(a))
    }

    pub fn cnot(&mut self, i: &Cnot<'a>) -> Lowered {
        let a = self.read(&i.a, i.type_)?;
        let zero = self.eq(a, a.ty().zero());
        self.write(&i.d, self.builder.zext(zero, a.ty()))
    }

    pub fn lop3(&mut self, i: &Lop3<'a>) -> Lowered {
        let Operand::Immediate(table) = &i.imm_lut else {
            return Err(self.invalid("the table is a constant"));
        };
        let Some(table) = table.integer().and_then(|v| u8::try_from(v).ok()) else {
            return Err(self.invalid("the table is a constant from 0 to 255"));
        };
        let a = self.read(&i.a, ScalarType::B32)?;
        let b = self.read(&i.b, ScalarType::B32)?;
        let c = self.read(&i.c, ScalarType::B32)?;
        let result = self.table_lookup(&[a, b, c], table, 8);
        self.write(&i.d, result)?;
        let (Some(p), Some(q)) = (&i.p, &i.q) else { return Ok(()) };
        let with = self.read(q, ScalarType::Pred)?;
        let any = self.ne(result, self.i32(0));
        let joined = match i.bool_op {
            Some(operation) => self.combined(any, Some((with, operation))),
            None => any,
        };
        self.write(p, joined)
    }

    /// The function of `inputs` whose truth table is the low `size` bits of `table`; the first input is
    /// the highest bit of the index.
    fn table_lookup(&self, inputs: &[Value<'c>], table: u8, size: u32) -> Value<'c> {
        let o = &self.builder;
        let ty = self.context.i32();
        let Some((&a, rest)) = inputs.split_first() else {
            return if table & 1 != 0 { ty.all_ones() } else { ty.zero() };
        };
        let half = size / 2;
        let mask = ((1u16 << half) - 1) as u8;
        let (low, high) = (table & mask, (table >> half) & mask);
        if low == high {
            return self.table_lookup(rest, low, half);
        }
        // `low` where the bit of `a` is 0, `high` where it is 1.
        let f_low = || self.table_lookup(rest, low, half);
        let f_high = || self.table_lookup(rest, high, half);
        if low == high ^ mask {
            return o.xor(a, f_low());
        }
        match (low, high) {
            (0, _) => o.and(a, f_high()),
            (_, 0) => o.and(o.not(a), f_low()),
            (l, _) if l == mask => o.or(o.not(a), f_high()),
            (_, h) if h == mask => o.or(a, f_low()),
            _ => o.or(o.and(a, f_high()), o.and(o.not(a), f_low())),
        }
    }

    pub fn shf(&mut self, i: &Shf<'a>) -> Lowered {
        let a = self.read(&i.a, ScalarType::B32)?;
        let b = self.read(&i.b, ScalarType::B32)?;
        let amount = self.read_u32(&i.c)?;
        // LLVM's shifts of pairs wrap. Beyond 31 bits one of the words is left.
        let (function, last) = match i.dir {
            Direction::L => ("llvm.fshl", a),
            Direction::R => ("llvm.fshr", b),
        };
        let shifted = self.llvm(function, a.ty(), &[b, a, amount]);
        let result = match i.mode {
            ClampMode::Clamp => {
                let fits = self.ult(amount, self.i32(32));
                self.builder.select(fits, shifted, last)
            }
            ClampMode::Wrap => shifted,
        };
        self.write(&i.d, result)
    }

    pub fn popc(&mut self, i: &Popc<'a>) -> Lowered {
        let a = self.read(&i.a, i.type_)?;
        let count = self.llvm("llvm.ctpop", a.ty(), &[a]);
        self.write(&i.d, self.builder.trunc(count, self.context.i32()))
    }

    pub fn clz(&mut self, i: &Clz<'a>) -> Lowered {
        let a = self.read(&i.a, i.type_)?;
        let count = self.leading_zeros(a);
        self.write(&i.d, count)
    }

    /// As an i32; the width for 0.
    fn leading_zeros(&self, a: Value<'c>) -> Value<'c> {
        let count = self.llvm("llvm.ctlz", a.ty(), &[a, self.i1(false)]);
        self.builder.trunc(count, self.context.i32())
    }

    pub fn brev(&mut self, i: &Brev<'a>) -> Lowered {
        let a = self.read(&i.a, i.type_)?;
        self.write(&i.d, self.llvm("llvm.bitreverse", a.ty(), &[a]))
    }

    pub fn bfind(&mut self, i: &Bfind<'a>) -> Lowered {
        let mut a = self.read(&i.a, i.type_)?;
        if i.type_.is_signed() {
            // Of a negative number, the highest zero.
            let sign = self.ashr_clamped(a, a.ty().const_int(64));
            a = self.builder.xor(a, sign);
        }
        let none = self.eq(a, a.ty().zero());
        let zeros = self.leading_zeros(a);
        let place =
            if i.shiftamt { zeros } else { self.builder.sub(self.i32(i.type_.bits() - 1), zeros) };
        let result = self.builder.select(none, self.context.i32().all_ones(), place);
        self.write(&i.d, result)
    }

    /// The place of the `offset`th one from bit `base` on, upwards, or downwards for negative offsets; 0 asks
    /// for bit `base` itself. All ones where there is none; 0 for the offset that has no positive counterpart:
    /// so hardware.
    pub fn fns(&mut self, i: &Fns<'a>) -> Lowered {
        let mask = self.read_u32(&i.mask)?;
        let base = self.read_u32(&i.base)?;
        let offset = self.read_u32(&i.offset)?;
        let o = &self.builder;
        let reverse = |value| self.llvm("llvm.bitreverse", self.context.i32(), &[value]);
        let down = o.icmp(IntPredicate::LLVMIntSLT, offset, self.i32(0));
        let own = self.eq(offset, self.i32(0));
        let shift = self.llvm("llvm.umin", base.ty(), &[base, self.i32(31)]);
        // Seen from the other end, downwards is upwards.
        let start = o.select(down, o.sub(self.i32(31), shift), shift);
        let bits = o.select(down, reverse(mask), mask);
        let bit = o.shl(self.i32(1), start);
        let from = o.and(bits, o.select(own, bit, o.neg(bit)));
        let mut count = o.select(own, self.i32(1), o.select(down, o.neg(offset), offset));
        let mut place = self.i32(0);
        let mut rest = from;
        let ones = |value| self.llvm("llvm.ctpop", self.context.i32(), &[value]);
        let missing = self.ult(ones(from), count);
        for width in [16, 8, 4, 2, 1] {
            let below = ones(o.and(rest, self.i32((1 << width) - 1)));
            let above = self.ult(below, count);
            let pick = |yes| o.select(above, yes, self.i32(0));
            count = o.sub(count, pick(below));
            let step = pick(self.i32(width));
            place = o.add(place, step);
            rest = o.lshr(rest, step);
        }
        let place = o.select(down, o.sub(self.i32(31), place), place);
        let outside = self.ult(self.i32(31), base);
        let none = o.or(missing, outside);
        let found = o.select(none, self.context.i32().all_ones(), place);
        let lowest = self.eq(offset, self.i32(1 << 31));
        self.write(&i.d, o.select(lowest, self.i32(0), found))
    }

    /// NVIDIA's assembler folds constants before the instruction sees them: a field of 32-bit signed numbers
    /// that begins beyond the width is all ones then, where the instruction extends the sign. The second is what
    /// registers give, so the constants are told apart here.
    pub fn bfe(&mut self, i: &Bfe<'a>) -> Lowered {
        let constant = |operand: &Operand<'a>| match operand {
            Operand::Immediate(value) => value.integer(),
            _ => None,
        };
        let folded = i.type_ == ScalarType::S32 && constant(&i.a).is_none();
        if let (true, Some(32..), Some(1..)) = (folded, constant(&i.b), constant(&i.c)) {
            return self.write(&i.d, self.context.i32().all_ones());
        }
        let a = self.read(&i.a, i.type_)?;
        let position = self.bit_position(&i.b, a)?;
        let length = self.bit_position(&i.c, a)?;
        let ty = a.ty();
        let result = if i.type_.is_signed() {
            // Shifted to the top and back down, with copies of the sign.
            let moved = self.ashr_clamped(a, position);
            let width = ty.const_int(ty.bits().into());
            let shift = self.builder.sub(width, self.umin(length, width));
            let empty = self.eq(length, ty.zero());
            let safe = self.umin(shift, ty.const_int(u64::from(ty.bits()) - 1));
            let kept = self.builder.ashr(self.builder.shl(moved, safe), safe);
            self.builder.select(empty, ty.zero(), kept)
        } else {
            let moved = self.lshr_clamped(a, position);
            self.builder.and(moved, self.low_ones(length))
        };
        self.write(&i.d, result)
    }

    pub fn bfi(&mut self, i: &Bfi<'a>) -> Lowered {
        let a = self.read(&i.a, i.type_)?;
        let b = self.read(&i.b, i.type_)?;
        let position = self.bit_position(&i.c, a)?;
        let length = self.bit_position(&i.d, a)?;
        let mask = self.shl_clamped(self.low_ones(length), position);
        let moved = self.shl_clamped(a, position);
        let o = &self.builder;
        let result = o.or(o.and(b, o.not(mask)), o.and(moved, mask));
        self.write(&i.f, result)
    }

    /// A position or length, in the type of `like`: of 32-bit words its low byte counts, of 64-bit words
    /// all of it.
    fn bit_position(&mut self, operand: &Operand<'a>, like: Value<'c>) -> Lowered<Value<'c>> {
        let value = self.read_u32(operand)?;
        let wide = like.ty().bits() == 64;
        let value = if wide { value } else { self.builder.and(value, self.i32(0xff)) };
        Ok(self.builder.zext(value, like.ty()))
    }

    /// `length` ones from the bottom; all, where it is the width or more.
    fn low_ones(&self, length: Value<'c>) -> Value<'c> {
        let all = length.ty().all_ones();
        self.builder.not(self.shl_clamped(all, length))
    }

    pub fn bmsk(&mut self, i: &Bmsk<'a>) -> Lowered {
        let mut a = self.read_u32(&i.a)?;
        let mut b = self.read_u32(&i.b)?;
        if i.mode == ClampMode::Wrap {
            a = self.builder.and(a, self.i32(31));
            b = self.builder.and(b, self.i32(31));
        }
        let mask = self.shl_clamped(self.low_ones(b), a);
        self.write(&i.d, mask)
    }

    pub fn szext(&mut self, i: &Szext<'a>) -> Lowered {
        let a = self.read(&i.a, i.type_)?;
        let mut length = self.read_u32(&i.b)?;
        if i.mode == ClampMode::Wrap {
            length = self.builder.and(length, self.i32(31));
        }
        let result = if i.type_.is_signed() {
            let shift = self.builder.sub(self.i32(32), self.umin(length, self.i32(32)));
            let empty = self.eq(length, self.i32(0));
            let safe = self.umin(shift, self.i32(31));
            let kept = self.builder.ashr(self.builder.shl(a, safe), safe);
            self.builder.select(empty, self.i32(0), kept)
        } else {
            self.builder.and(a, self.low_ones(length))
        };
        self.write(&i.d, result)
    }

    pub fn prmt(&mut self, i: &Prmt<'a>) -> Lowered {
        let a = self.read(&i.a, ScalarType::B32)?;
        let b = self.read(&i.b, ScalarType::B32)?;
        let mut selector = self.read_u32(&i.c)?;
        let o = &self.builder;
        if let Some(mode) = i.mode {
            // The selectors of the four values of the two low bits, 16 bits each.
            let table = self.i64(match mode {
                PrmtMode::F4e => 0x6543_5432_4321_3210,
                PrmtMode::B4e => 0x0123_7012_6701_5670,
                PrmtMode::Rc8 => 0x3333_2222_1111_0000,
                PrmtMode::Ecl => 0x3333_3222_3211_3210,
                PrmtMode::Ecr => 0x3210_2210_1110_0000,
                PrmtMode::Rc16 => 0x3232_1010_3232_1010,
            });
            let index = o.zext(o.and(selector, self.i32(3)), self.context.i64());
            let picked = o.lshr(table, o.shl(index, self.i64(4)));
            selector = o.and(o.trunc(picked, self.context.i32()), self.i32(0xffff));
        }
        let pair = self.join(a, b);
        let mut result = self.i32(0);
        for byte in 0..4 {
            let nibble = o.lshr(selector, self.i32(4 * byte));
            let place = o.zext(o.and(nibble, self.i32(7)), self.context.i64());
            let picked = o.trunc(o.lshr(pair, o.shl(place, self.i64(3))), self.context.i8());
            let value = if i.mode.is_some() {
                picked
            } else {
                // Bit 3: eight copies of the byte's sign.
                let sign = o.ashr(picked, self.context.i8().const_int(7));
                let copies = self.ne(o.and(nibble, self.i32(8)), self.i32(0));
                o.select(copies, sign, picked)
            };
            let value = o.zext(value, self.context.i32());
            result = o.or(result, o.shl(value, self.i32(8 * byte)));
        }
        self.write(&i.d, result)
    }
}
