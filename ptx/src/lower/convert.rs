//! `cvt` between all integer and floating-point types.

use llvm_zluda::{RealPredicate, Value};
use ptx_parser::isa::{Cvt, CvtPack};
use ptx_parser::{Operand, Rounding, ScalarType};

use super::Lowered;
use super::function::{FunctionLowering, word};
use super::operand::Width;

/// Integers beyond this are beyond half's range, whatever they are.
const BEYOND_HALF: u64 = 1 << 20;

impl<'c, 'a> FunctionLowering<'_, '_, 'c, 'a> {
    pub fn cvt(&mut self, i: &Cvt<'a>) -> Lowered {
        if i.rbits.is_some() {
            return self.cvt_stochastic(i);
        }
        if self.cvt_minifloat(i)? {
            return Ok(());
        }
        if let Some(b) = &i.b {
            return self.cvt_pair(i, b);
        }
        let a = self.read_width(&i.a, i.atype, Width::AtLeast)?;
        let result = self.converted(i, a)?;
        self.write_extended(&i.d, result, Some(i.dtype.is_signed()))
    }

    /// Two floats to a packed pair: `a` becomes the upper half.
    fn cvt_pair(&mut self, i: &Cvt<'a>, b: &Operand<'a>) -> Lowered {
        let element = match i.dtype {
            ScalarType::F16x2 => ScalarType::F16,
            ScalarType::Bf16x2 => ScalarType::Bf16,
            other => return Err(self.unsupported(format!("conversions to `.{}`", word(other)))),
        };
        let one = Cvt { dtype: element, ..i.clone() };
        let high = self.read(&i.a, i.atype)?;
        let low = self.read(b, i.atype)?;
        let high = self.converted(&one, high)?;
        let low = self.converted(&one, low)?;
        let joined = self.join(low, high);
        self.write(&i.d, joined)
    }

    fn converted(&mut self, i: &Cvt<'a>, a: Value<'c>) -> Lowered<Value<'c>> {
        let (to, from) = (i.dtype, i.atype);
        match (is_float(to), is_float(from)) {
            (Some(false), Some(false)) => Ok(self.integer_to_integer(i, a)),
            (Some(true), Some(false)) => {
                let value = self.integer_to_float(i, a)?;
                if i.sat { self.saturated(value, to) } else { Ok(value) }
            }
            (Some(false), Some(true)) => self.float_to_integer(i, a),
            (Some(true), Some(true)) => self.float_to_float(i, a),
            _ => Err(self.unsupported(format!(
                "conversions from `.{}` to `.{}`",
                word(from),
                word(to)
            ))),
        }
    }

    fn integer_to_integer(&self, i: &Cvt<'a>, a: Value<'c>) -> Value<'c> {
        let o = &self.builder;
        let (to, from) = (self.ty(i.dtype), i.atype);
        if i.sat {
            return self.saturated_integer(a, from.is_signed(), i.dtype);
        }
        if from.is_signed() { o.sext_or_trunc(a, to) } else { o.zext_or_trunc(a, to) }
    }

    /// An integer clamped to the range of `to`, in its width. Widths in between would be slow on every target.
    fn saturated_integer(&self, a: Value<'c>, signed: bool, to: ScalarType) -> Value<'c> {
        let o = &self.builder;
        let (bits, to_signed) = (to.bits(), to.is_signed());
        let wide = self.context.int(a.ty().bits().max(bits));
        let is_narrower = bits < wide.bits();
        let most = wide.const_int(u64::MAX >> (64 - bits + u32::from(to_signed)));
        let value = if signed {
            let value = o.sext_or_trunc(a, wide);
            let value = match (to_signed, is_narrower) {
                (true, false) => value,
                (true, true) => self.llvm("llvm.smax", wide, &[value, o.not(most)]),
                (false, _) => self.llvm("llvm.smax", wide, &[value, wide.zero()]),
            };
            if is_narrower { self.llvm("llvm.smin", wide, &[value, most]) } else { value }
        } else {
            let value = o.zext_or_trunc(a, wide);
            if is_narrower || to_signed { self.umin(value, most) } else { value }
        };
        o.zext_or_trunc(value, self.context.int(bits))
    }

    fn integer_to_float(&self, i: &Cvt<'a>, a: Value<'c>) -> Lowered<Value<'c>> {
        let o = &self.builder;
        let signed = i.atype.is_signed();
        let direction = self.directed(i.rnd)?;
        let bits = i.atype.bits();
        let (f32, f64) = (self.context.f32(), self.context.f64());
        let to =
            |value: Value<'c>, ty| if signed { o.sitofp(value, ty) } else { o.uitofp(value, ty) };
        // A 64-bit integer as the sum of two exact doubles.
        let halves = |a: Value<'c>| {
            let shift = self.i64(32);
            let high = if signed { o.ashr(a, shift) } else { o.lshr(a, shift) };
            let high = o.fmul(to(high, f64), f64.const_float(4_294_967_296.0));
            (high, o.uitofp(o.trunc(a, self.context.i32()), f64))
        };
        Ok(match i.dtype {
            ScalarType::F64 if bits < 64 || direction.is_none() => to(a, f64),
            ScalarType::F32 if direction.is_none() => to(a, f32),
            ScalarType::F64 => {
                let (high, low) = halves(a);
                let (sum, error) = self.two_sum(high, low);
                match direction {
                    Some(direction) => self.directed_neighbour(sum, error, direction),
                    None => sum,
                }
            }
            ScalarType::F32 => {
                let exact = if bits < 64 {
                    to(a, f64)
                } else {
                    let (high, low) = halves(a);
                    self.add_odd(high, low)
                };
                self.trunc_directed(exact, f32, direction)
            }
            ScalarType::F16 => {
                let value = if bits < 32 {
                    to(a, f32)
                } else if signed {
                    let limit = a.ty().const_int(BEYOND_HALF);
                    let low = self.llvm("llvm.smax", a.ty(), &[a, o.neg(limit)]);
                    let clamped = self.llvm("llvm.smin", a.ty(), &[low, limit]);
                    o.sitofp(o.trunc(clamped, self.context.i32()), f32)
                } else {
                    let clamped = self.umin(a, a.ty().const_int(BEYOND_HALF));
                    o.uitofp(o.trunc(clamped, self.context.i32()), f32)
                };
                self.trunc_directed(value, self.context.half(), direction)
            }
            ScalarType::Bf16 => {
                let exact = if bits < 64 {
                    to(a, f64)
                } else {
                    let (high, low) = halves(a);
                    self.add_odd(high, low)
                };
                let odd = self.trunc_odd(exact, f32);
                self.f32_to_bf16(odd, direction)
            }
            other => {
                let (from, to) = (word(i.atype), word(other));
                return Err(self.unsupported(format!("conversions from `.{from}` to `.{to}`")));
            }
        })
    }

    /// To a float or a double, exactly.
    pub fn widened(&self, value: Value<'c>, type_: ScalarType) -> Value<'c> {
        match type_ {
            ScalarType::Bf16 => self.bf16_to_f32(value),
            ScalarType::F16 => self.builder.fpext(value, self.context.f32()),
            _ => value,
        }
    }

    /// Out of range gives the nearest integer. NaN gives 0 where both types have 32 bits or fewer, else
    /// the highest bit alone, signed or not: so the hardware, while the manual knows only the 0.
    fn float_to_integer(&self, i: &Cvt<'a>, a: Value<'c>) -> Lowered<Value<'c>> {
        let value =
            self.widened(self.flushed(a, i.atype, i.ftz && i.atype == ScalarType::F32), i.atype);
        let value = match i.rnd {
            // The conversion itself cuts.
            None | Some(Rounding::Rzi | Rounding::Rz) => value,
            Some(rounding) => self.to_integral(value, rounding)?,
        };
        let signed = i.dtype.is_signed();
        let name = if signed { "llvm.fptosi.sat" } else { "llvm.fptoui.sat" };
        let bits = i.dtype.bits();
        let ty = self.context.int(bits.max(32));
        let integer = self.builder.intrinsic(&self.module.llvm, name, &[ty, value.ty()], &[value]);
        let integer =
            if bits < 32 { self.saturated_integer(integer, signed, i.dtype) } else { integer };
        if bits < 64 && i.atype != ScalarType::F64 {
            return Ok(integer);
        }
        let nan = self.builder.fcmp(RealPredicate::LLVMRealUNO, value, value);
        let indefinite = integer.ty().const_int(1 << (bits - 1));
        Ok(self.builder.select(nan, indefinite, integer))
    }

    pub fn to_integral(&self, value: Value<'c>, rounding: Rounding) -> Lowered<Value<'c>> {
        let name = match rounding {
            Rounding::Rni | Rounding::Rn => "llvm.roundeven",
            Rounding::Rzi | Rounding::Rz => "llvm.trunc",
            Rounding::Rmi | Rounding::Rm => "llvm.floor",
            Rounding::Rpi | Rounding::Rp => "llvm.ceil",
            other => {
                return Err(
                    self.invalid(format!("`.{}` does not round to an integer", word(other)))
                );
            }
        };
        Ok(self.llvm(name, value.ty(), &[value]))
    }

    fn float_to_float(&self, i: &Cvt<'a>, a: Value<'c>) -> Lowered<Value<'c>> {
        let (to, from) = (i.dtype, i.atype);
        let flush_result = i.ftz && to == ScalarType::F32;
        // A subnormal float is nothing in half, but it counts when rounding is directed.
        let flush = i.ftz && from == ScalarType::F32 && to != ScalarType::F16;
        let mut value = self.widened(self.flushed(a, from, flush), from);
        let integral = [Rounding::Rni, Rounding::Rzi, Rounding::Rmi, Rounding::Rpi];
        let direction = match i.rnd {
            Some(rounding) if integral.contains(&rounding) => {
                value = self.to_integral(value, rounding)?;
                None
            }
            Some(Rounding::Rna) if to == ScalarType::Tf32 => None,
            rounding => self.directed(rounding)?,
        };
        if i.satfinite && to != ScalarType::Tf32 {
            value = self.clamped_to_finite(value, to)?;
        }
        let (f32, f64) = (self.context.f32(), self.context.f64());
        let is_double = value.ty() == f64;
        if flush && to == ScalarType::F64 {
            value = self.canonical(value, ScalarType::F32);
        }
        let result = match to {
            ScalarType::F64 => self.builder.fpext(value, f64),
            ScalarType::F32 if is_double => self.trunc_directed(value, f32, direction),
            ScalarType::F32 => value,
            ScalarType::F16 => {
                let value = if is_double { self.trunc_odd(value, f32) } else { value };
                self.trunc_directed(value, self.context.half(), direction)
            }
            ScalarType::Bf16 if is_double => {
                let narrow = self.trunc_odd(value, f32);
                let nan = self.builder.fcmp(RealPredicate::LLVMRealUNO, value, value);
                let high = self.builder.lshr(self.bits_of(narrow), self.i32(16));
                let own = self.builder.trunc(high, self.context.i16());
                self.builder.select(nan, own, self.f32_to_bf16(narrow, direction))
            }
            ScalarType::Bf16 => self.f32_to_bf16(value, direction),
            ScalarType::Tf32 => self.f32_to_tf32(value, i.rnd, i.satfinite)?,
            other => return Err(self.unsupported(format!("conversions to `.{}`", word(other)))),
        };
        let result = if flush_result && is_double {
            self.zero_where(self.is_tiny(value, direction), result)
        } else {
            self.flushed(result, to, flush_result)
        };
        if i.sat {
            return self.saturated(result, to);
        }
        let result = if i.relu {
            let float =
                if to == ScalarType::Tf32 { self.builder.bitcast(result, f32) } else { result };
            self.relu(float, to)?
        } else {
            result
        };
        // Doubles hand their NaN on, and so does what changes no number.
        let unchanged = to == ScalarType::F32
            && (from == ScalarType::Bf16 || from == to)
            && !i.ftz
            && i.rnd.is_none();
        if is_double || unchanged || to == ScalarType::F64 {
            return Ok(result);
        }
        Ok(self.canonical(result, to))
    }

    /// `.satfinite`: what would become infinite becomes the largest finite value; NaN stays.
    fn clamped_to_finite(&self, value: Value<'c>, to: ScalarType) -> Lowered<Value<'c>> {
        let largest = match to {
            ScalarType::F16 => 65504.0,
            ScalarType::Bf16 => f64::from(f32::from_bits(0x7f7f_0000)),
            other => return Err(self.unsupported(format!("`.satfinite` of `.{}`", word(other)))),
        };
        let ty = value.ty();
        let (low, high) = (ty.const_float(-largest), ty.const_float(largest));
        let above = self.builder.fcmp(RealPredicate::LLVMRealOGT, value, high);
        let value = self.builder.select(above, high, value);
        let below = self.builder.fcmp(RealPredicate::LLVMRealOLT, value, low);
        Ok(self.builder.select(below, low, value))
    }

    /// `d = c << 2n | sat(a) << n | sat(b)`, n the width of the destination's elements.
    pub fn cvt_pack(&mut self, i: &CvtPack<'a>) -> Lowered {
        let a = self.read(&i.a, ScalarType::S32)?;
        let b = self.read(&i.b, ScalarType::S32)?;
        let width = self.i32(i.convert_type.bits());
        let [a, b] = [a, b].map(|value| {
            let element = self.saturated_integer(value, true, i.convert_type);
            self.builder.zext(element, self.context.i32())
        });
        let pair = self.builder.or(self.builder.shl(a, width), b);
        let packed = match &i.c {
            None => pair,
            Some(c) => {
                let c = self.read(c, ScalarType::B32)?;
                let shift = self.builder.add(width, width);
                self.builder.or(self.shl_clamped(c, shift), pair)
            }
        };
        self.write(&i.d, packed)
    }
}

/// None for types that neither side of a plain conversion has.
fn is_float(type_: ScalarType) -> Option<bool> {
    use ScalarType::*;
    match type_ {
        F16 | F32 | F64 | Bf16 | Tf32 => Some(true),
        U8 | U16 | U32 | U64 | S8 | S16 | S32 | S64 | B8 | B16 | B32 | B64 => Some(false),
        _ => None,
    }
}
