//! Video instructions: on selected bytes and halves of words, and on all of them at once. Everything is
//! computed in 64 bits, wide enough to tell what does not fit. Where an H100 differs from the manual, the
//! code says so.

use llvm_zluda::{IntPredicate, Type, Value};
use ptx_parser::isa::{
    Vabsdiff, Vabsdiff2, Vabsdiff4, Vadd, Vadd2, Vadd4, Vavrg2, Vavrg4, Vmad, Vmax, Vmax2, Vmax4,
    Vmin, Vmin2, Vmin4, Vset, Vset2, Vset4, Vshl, Vshr, Vsub, Vsub2, Vsub4,
};
use ptx_parser::{
    AtomicOp, ByteMask, ByteSelector, ClampMode, Comparison, HalfMask, HalfSelector, Modifier,
    Operand, ScalarType, Selector, VideoScale,
};

use super::Lowered;
use super::compare::int_predicate;
use super::function::FunctionLowering;

#[derive(Clone, Copy)]
enum Operation {
    Add,
    Sub,
    /// The sum's half, rounded up where it is not negative.
    Average,
    Difference,
    Min,
    Max,
    ShiftLeft(ClampMode),
    ShiftRight(ClampMode),
    Set(Comparison),
}

/// An operand and how it is read.
struct Source<'i, 'a, S> {
    operand: &'i Operand<'a>,
    selector: Option<S>,
    signed: bool,
}

/// One operation on a byte, a half or a word of each operand.
struct Scalar<'i, 'a> {
    operation: Operation,
    /// The type that results are saturated to, and compared as.
    dtype: ScalarType,
    sat: bool,
    a: Source<'i, 'a, Selector>,
    b: Source<'i, 'a, Selector>,
    d: &'i Operand<'a>,
    /// The part of `c` that the result replaces.
    dsel: Option<Selector>,
    op2: Option<AtomicOp>,
    c: Option<&'i Operand<'a>>,
}

/// One operation on all parts of words.
struct Lanes<'i, 'a> {
    operation: Operation,
    dtype: ScalarType,
    sat: bool,
    /// The results are added to `c`.
    add: bool,
    /// Bits of a lane: 8 or 16.
    width: u32,
    /// A bit for each lane that is written.
    mask: u32,
    a: &'i Operand<'a>,
    b: &'i Operand<'a>,
    /// Which of the lanes of `a`, then of `b`, each lane reads, and whether as signed numbers.
    sources: [(Vec<u32>, bool); 2],
    d: &'i Operand<'a>,
    c: &'i Operand<'a>,
}

macro_rules! scalar {
    ($i:ident, $operation:expr, $dtype:expr, $sat:expr) => {
        Scalar {
            operation: $operation,
            dtype: $dtype,
            sat: $sat,
            a: Source { operand: &$i.a, selector: $i.asel, signed: $i.atype.is_signed() },
            b: Source { operand: &$i.b, selector: $i.bsel, signed: $i.btype.is_signed() },
            d: &$i.d,
            dsel: $i.dsel,
            op2: $i.op2,
            c: $i.c.as_ref(),
        }
    };
}

macro_rules! lanes {
    ($i:ident, $operation:expr, $dtype:expr, $sat:expr, $width:expr, $mask:ident, $select:ident) => {
        Lanes {
            operation: $operation,
            dtype: $dtype,
            sat: $sat,
            add: $i.add,
            width: $width,
            mask: $mask($i.mask),
            a: &$i.a,
            b: &$i.b,
            sources: [
                ($select($i.asel, 0), $i.atype.is_signed()),
                ($select($i.bsel, 1), $i.btype.is_signed()),
            ],
            d: &$i.d,
            c: &$i.c,
        }
    };
}

macro_rules! scalars {
    ($($name:ident $struct:ident |$i:ident| $operation:expr;)*) => {$(
        pub fn $name(&mut self, $i: &$struct<'a>) -> Lowered {
            self.video_scalar(&scalar!($i, $operation, $i.dtype, $i.sat))
        }
    )*};
}

macro_rules! parallel {
    ($($name:ident $struct:ident $operation:ident $width:literal $mask:ident $select:ident;)*) => {$(
        pub fn $name(&mut self, i: &$struct<'a>) -> Lowered {
            let operation = Operation::$operation;
            self.video_lanes(&lanes!(i, operation, i.dtype, i.sat, $width, $mask, $select))
        }
    )*};
}

impl<'c, 'a> FunctionLowering<'_, '_, 'c, 'a> {
    scalars! {
        vadd Vadd |i| Operation::Add;
        vsub Vsub |i| Operation::Sub;
        vabsdiff Vabsdiff |i| Operation::Difference;
        vmin Vmin |i| Operation::Min;
        vmax Vmax |i| Operation::Max;
        vshl Vshl |i| Operation::ShiftLeft(i.mode);
        vshr Vshr |i| Operation::ShiftRight(i.mode);
    }

    parallel! {
        vadd2 Vadd2 Add 16 half_mask half_lanes;
        vsub2 Vsub2 Sub 16 half_mask half_lanes;
        vavrg2 Vavrg2 Average 16 half_mask half_lanes;
        vabsdiff2 Vabsdiff2 Difference 16 half_mask half_lanes;
        vmin2 Vmin2 Min 16 half_mask half_lanes;
        vmax2 Vmax2 Max 16 half_mask half_lanes;
        vadd4 Vadd4 Add 8 byte_mask byte_lanes;
        vsub4 Vsub4 Sub 8 byte_mask byte_lanes;
        vavrg4 Vavrg4 Average 8 byte_mask byte_lanes;
        vabsdiff4 Vabsdiff4 Difference 8 byte_mask byte_lanes;
        vmin4 Vmin4 Min 8 byte_mask byte_lanes;
        vmax4 Vmax4 Max 8 byte_mask byte_lanes;
    }

    pub fn vset(&mut self, i: &Vset<'a>) -> Lowered {
        self.video_scalar(&scalar!(i, Operation::Set(i.cmp), ScalarType::U32, false))
    }

    pub fn vset2(&mut self, i: &Vset2<'a>) -> Lowered {
        let (operation, type_) = (Operation::Set(i.cmp), ScalarType::U32);
        self.video_lanes(&lanes!(i, operation, type_, false, 16, half_mask, half_lanes))
    }

    pub fn vset4(&mut self, i: &Vset4<'a>) -> Lowered {
        let (operation, type_) = (Operation::Set(i.cmp), ScalarType::U32);
        self.video_lanes(&lanes!(i, operation, type_, false, 8, byte_mask, byte_lanes))
    }

    fn video_scalar(&mut self, i: &Scalar<'_, 'a>) -> Lowered {
        let a = self.read_part(&i.a)?;
        let b = self.read_part(&i.b)?;
        let signed = i.dtype.is_signed();
        let mut wide = self.video_operation(i.operation, a, b);
        let i32 = self.context.i32();
        if matches!(i.operation, Operation::ShiftLeft(_)) && i.sat {
            // What hardware keeps of it before it saturates.
            wide = self.part_of(wide, 0, 34, true, wide.ty());
        }
        let shifted = matches!(i.operation, Operation::ShiftLeft(_) | Operation::ShiftRight(_));
        // Unsigned results wrap where they are too large, but for those that were shifted: so hardware, while
        // the manual clamps.
        let saturated = match (i.sat, signed || shifted) {
            (false, _) => wide,
            (true, true) => self.clamped(wide, 32, signed),
            (true, false) => self.llvm("llvm.smax", wide.ty(), &[wide, wide.ty().zero()]),
        };
        let word = self.builder.trunc(saturated, i32);
        let c = match (i.c, i.dsel, i.op2) {
            (Some(c), Some(_), _) | (Some(c), _, Some(_)) => self.read(c, ScalarType::B32)?,
            _ => return self.write(i.d, word),
        };
        let result = match (i.dsel, i.op2) {
            (Some(dsel), _) => {
                let limited = if i.sat && !shifted {
                    self.at_most(wide, place(Some(dsel)).1, signed)
                } else {
                    saturated
                };
                self.merged(limited, c, dsel)
            }
            (None, Some(op2 @ (AtomicOp::Min | AtomicOp::Max))) => {
                let larger = self.is_larger(i, saturated, c);
                let keep = if op2 == AtomicOp::Max { larger } else { self.builder.not(larger) };
                self.builder.select(keep, word, c)
            }
            _ => self.builder.add(word, c),
        };
        self.write(i.d, result)
    }

    /// `c` with a part replaced. The upper half takes the upper half of the result: so hardware, while the
    /// manual shifts.
    fn merged(&self, wide: Value<'c>, c: Value<'c>, dsel: Selector) -> Value<'c> {
        let o = &self.builder;
        let (at, bits) = place(Some(dsel));
        let result = o.trunc(wide, self.context.i32());
        let moved = if dsel == Selector::H1 { result } else { o.shl(result, self.i32(at)) };
        let mask = self.i32((u32::MAX >> (32 - bits)) << at);
        o.or(o.and(moved, mask), o.and(c, o.not(mask)))
    }

    /// Saturated to a part that is merged. Negative results become the largest value, and shifts are
    /// saturated to words instead: so hardware, while the manual clamps.
    fn at_most(&self, wide: Value<'c>, bits: u32, signed: bool) -> Value<'c> {
        let most = u64::MAX >> (64 - bits + u32::from(signed));
        self.umin(wide, wide.ty().const_int(most))
    }

    /// Whether the result is larger than `c`. As unsigned words, results that signed arithmetic made count as
    /// larger than every `c` when both have the highest bit: so hardware.
    fn is_larger(&self, i: &Scalar<'_, 'a>, wide: Value<'c>, c: Value<'c>) -> Value<'c> {
        use IntPredicate::{LLVMIntSGT, LLVMIntSLT, LLVMIntUGT};
        let o = &self.builder;
        let tmp = o.trunc(wide, self.context.i32());
        if matches!(i.operation, Operation::Set(_)) {
            return o.icmp(if i.a.signed { LLVMIntSGT } else { LLVMIntUGT }, tmp, c);
        }
        let (signed_a, signed_b) = (i.a.signed, i.b.signed);
        let exact = match i.operation {
            Operation::Difference => true,
            Operation::ShiftLeft(_) => !i.sat,
            Operation::Min | Operation::Max | Operation::ShiftRight(_) => i.dtype.is_signed(),
            _ => false,
        };
        if exact {
            let signed = i.dtype.is_signed();
            let c = if signed { o.sext(c, wide.ty()) } else { o.zext(c, wide.ty()) };
            let unsigned = matches!(i.operation, Operation::ShiftLeft(_)) && !signed;
            return o.icmp(if unsigned { LLVMIntUGT } else { LLVMIntSGT }, wide, c);
        }
        if i.dtype.is_signed() {
            return o.icmp(LLVMIntSGT, tmp, c);
        }
        let larger = o.icmp(LLVMIntUGT, tmp, c);
        let odd = match i.operation {
            Operation::Add | Operation::Sub => true,
            Operation::ShiftRight(_) | Operation::ShiftLeft(_) => signed_a || signed_b || i.sat,
            Operation::Min => signed_a || signed_b,
            Operation::Max => signed_a && signed_b && !i.sat,
            _ => false,
        };
        if !odd {
            return larger;
        }
        let high = |value| o.icmp(LLVMIntSLT, value, self.i32(0));
        let both = o.and(high(tmp), high(c));
        o.or(larger, both)
    }

    /// The selected part, extended to 64 bits.
    fn read_part(&mut self, source: &Source<'_, 'a, Selector>) -> Lowered<Value<'c>> {
        let word = self.read(source.operand, ScalarType::B32)?;
        let (at, bits) = place(source.selector);
        Ok(self.part_of(word, at, bits, source.signed, self.context.i64()))
    }

    fn part_of(
        &self,
        word: Value<'c>,
        at: u32,
        bits: u32,
        signed: bool,
        ty: Type<'c>,
    ) -> Value<'c> {
        let o = &self.builder;
        let moved = o.lshr(word, word.ty().const_int(at.into()));
        let part = o.trunc(moved, self.context.int(bits));
        if signed { o.sext(part, ty) } else { o.zext(part, ty) }
    }

    fn video_operation(&self, operation: Operation, a: Value<'c>, b: Value<'c>) -> Value<'c> {
        let o = &self.builder;
        let ty = a.ty();
        let (zero, one) = (ty.zero(), ty.const_int(1));
        let amount = |mode| match mode {
            ClampMode::Clamp => {
                let word = o.and(b, ty.const_int(u32::MAX.into()));
                self.llvm("llvm.umin", ty, &[word, ty.const_int(32)])
            }
            ClampMode::Wrap => o.and(b, ty.const_int(31)),
        };
        match operation {
            Operation::Add => o.add(a, b),
            Operation::Sub => o.sub(a, b),
            Operation::Average => {
                let sum = o.add(a, b);
                let up = o.icmp(IntPredicate::LLVMIntSGE, sum, zero);
                o.ashr(o.add(sum, o.zext(up, ty)), one)
            }
            Operation::Difference => self.llvm("llvm.abs", ty, &[o.sub(a, b), self.i1(false)]),
            Operation::Min => self.llvm("llvm.smin", ty, &[a, b]),
            Operation::Max => self.llvm("llvm.smax", ty, &[a, b]),
            Operation::ShiftLeft(mode) => o.shl(a, amount(mode)),
            Operation::ShiftRight(mode) => o.ashr(a, amount(mode)),
            // In 64 bits, signed and unsigned words compare alike.
            Operation::Set(comparison) => match int_predicate(comparison, true) {
                Some(predicate) => o.zext(o.icmp(predicate, a, b), ty),
                None => zero,
            },
        }
    }

    /// Clamped to the range of an integer of `bits` bits.
    fn clamped(&self, value: Value<'c>, bits: u32, signed: bool) -> Value<'c> {
        let o = &self.builder;
        let ty = value.ty();
        let most = ty.const_int(u64::MAX >> (64 - bits + u32::from(signed)));
        let least = if signed { o.not(most) } else { ty.zero() };
        let value = self.llvm("llvm.smax", ty, &[value, least]);
        self.llvm("llvm.smin", ty, &[value, most])
    }

    fn video_lanes(&mut self, i: &Lanes<'_, 'a>) -> Lowered {
        let a = self.read(i.a, ScalarType::B32)?;
        let b = self.read(i.b, ScalarType::B32)?;
        let c = self.read(i.c, ScalarType::B32)?;
        let pair = self.join(a, b);
        let i32 = self.context.i32();
        let lane_mask = self.i32(u32::MAX >> (32 - i.width));
        let mut result = if i.add { c } else { self.i32(0) };
        for lane in 0..32 / i.width {
            let at = self.i32(lane * i.width);
            let written = i.mask >> lane & 1 != 0;
            if !written {
                if !i.add {
                    let kept = self.builder.and(c, self.builder.shl(lane_mask, at));
                    result = self.builder.or(result, kept);
                }
                continue;
            }
            // 17 bits hold every sum and difference.
            let [x, y] = [0, 1].map(|index| {
                let (lanes, signed) = &i.sources[index];
                let from = lanes.get(lane as usize).copied().unwrap_or(0) * i.width;
                self.part_of(pair, from, i.width, *signed, i32)
            });
            let mut value = self.video_operation(i.operation, x, y);
            if i.sat {
                value = self.clamped(value, i.width, i.dtype.is_signed());
            }
            result = if i.add {
                self.builder.add(result, value)
            } else {
                let cut = self.builder.and(value, lane_mask);
                self.builder.or(result, self.builder.shl(cut, at))
            };
        }
        self.write(i.d, result)
    }

    /// `d = (a * b + c) >> scale`, the product or `c` negated, or with 1 more. Hardware takes whole words, `c`
    /// too, as signed numbers, whatever their types say, and saturates as the types of the sources say.
    pub fn vmad(&mut self, i: &Vmad<'a>) -> Lowered {
        let wide = self.context.i64();
        let [(a, minus_a), (b, minus_b), (c, minus_c)] = [&i.a, &i.b, &i.c].map(sign_of);
        let (signed_a, signed_b) = (i.atype.is_signed(), i.btype.is_signed());
        let negated = minus_a != minus_b;
        let signed = signed_a || signed_b || negated || minus_c;
        let [a, b] =
            [(a, i.asel, signed_a), (b, i.bsel, signed_b)].map(|(operand, selector, signed)| {
                let signed = signed || selector.is_none();
                self.read_part(&Source { operand: &operand, selector, signed })
            });
        let (a, b) = (a?, b?);
        let c = self.read(&c, ScalarType::B32)?;
        let o = &self.builder;
        let mut product = o.mul(a, b);
        let mut addend = o.sext(c, wide);
        if i.po {
            addend = o.add(addend, wide.const_int(1));
        } else if negated {
            product = o.neg(product);
        } else if minus_c {
            addend = o.neg(addend);
        }
        let sum = o.add(product, addend);
        let shift = match i.scale {
            None => 0,
            Some(VideoScale::Shr7) => 7,
            Some(VideoScale::Shr15) => 15,
        };
        let shift = wide.const_int(shift);
        // Without a scale, negative sums of unsigned numbers saturate to 0; with one, to the largest.
        let mut result = if signed { o.ashr(sum, shift) } else { o.lshr(sum, shift) };
        if i.sat {
            result = self.clamped(result, 32, signed);
        }
        let result = self.builder.trunc(result, self.context.i32());
        self.write(&i.d, result)
    }
}

/// The operand without its sign.
fn sign_of<'a>(operand: &Operand<'a>) -> (Operand<'a>, bool) {
    match operand {
        Operand::Minus(name) => (Operand::Name(name), true),
        other => (other.clone(), false),
    }
}

/// The first bit of a part, and its width in bits; all 32 bits without a selector.
fn place(selector: Option<Selector>) -> (u32, u32) {
    match selector {
        None => (0, 32),
        Some(Selector::B0) => (0, 8),
        Some(Selector::B1) => (8, 8),
        Some(Selector::B2) => (16, 8),
        Some(Selector::B3) => (24, 8),
        Some(Selector::H0) => (0, 16),
        Some(Selector::H1) => (16, 16),
    }
}

/// The digits of a word such as `b210`.
fn digits(word: &str) -> impl Iterator<Item = u32> {
    word.chars().filter_map(|digit| digit.to_digit(10))
}

fn lane_bits(word: &str) -> u32 {
    digits(word).fold(0, |mask, lane| mask | 1 << lane)
}

fn half_mask(mask: Option<HalfMask>) -> u32 {
    mask.map_or(0b11, |mask| lane_bits(mask.word()))
}

fn byte_mask(mask: Option<ByteMask>) -> u32 {
    mask.map_or(0b1111, |mask| lane_bits(mask.word()))
}

/// The half, of four, that each lane reads: the low lane first, while the word names the high one first.
fn half_lanes(selector: Option<HalfSelector>, operand: u32) -> Vec<u32> {
    match selector {
        Some(selector) => {
            let mut lanes: Vec<u32> = digits(selector.word()).collect();
            lanes.reverse();
            lanes
        }
        None => (2 * operand..2 * operand + 2).collect(),
    }
}

/// The byte, of eight, that each lane reads.
fn byte_lanes(selector: Option<ByteSelector>, operand: u32) -> Vec<u32> {
    match selector {
        Some(selector) => (0..4).map(|lane| selector.byte(lane).into()).collect(),
        None => (4 * operand..4 * operand + 4).collect(),
    }
}
