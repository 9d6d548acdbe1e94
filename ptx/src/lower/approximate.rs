//! Division, roots and the approximate functions.

use llvm_zluda::Value;
use ptx_parser::isa::{Cos, Div, Ex2, Lg2, Rcp, Rsqrt, Sin, Sqrt, Tanh};
use ptx_parser::{Operand, Rounding, ScalarType};

use super::Lowered;
use super::float::{Arithmetic, Modes};
use super::function::FunctionLowering;

/// Before version 1.4 of PTX single precision was approximate without being called so.
fn is_old_approximation(type_: ScalarType, rounding: Option<Rounding>) -> bool {
    type_ == ScalarType::F32 && rounding.is_none()
}

impl<'c, 'a> FunctionLowering<'_, '_, 'c, 'a> {
    pub fn float_division(&mut self, i: &Div<'a>) -> Lowered {
        let modes = Modes { rounding: i.rnd, ftz: i.ftz, ..Modes::default() };
        let approx = i.approx || is_old_approximation(i.type_, i.rnd) && !i.full;
        if !approx && !i.full {
            return self.arithmetic(Arithmetic::Div, i.type_, modes, &i.d, [&i.a, &i.b]);
        }
        let a = self.read(&i.a, i.type_)?;
        let b = self.read(&i.b, i.type_)?;
        let [a, b] = [a, b].map(|value| self.flushed(value, i.type_, i.ftz));
        let form = if approx { "approx" } else { "full" };
        let ftz = if i.ftz { ".ftz" } else { "" };
        let name = format!("div.{form}{ftz}.f32");
        let quotient = self.zluda(&name, &[a, b]);
        self.write(&i.d, self.canonical(quotient, i.type_))
    }

    pub fn rcp(&mut self, i: &Rcp<'a>) -> Lowered {
        if i.approx || is_old_approximation(i.type_, i.rnd) {
            return self.approximate("rcp", i.type_, i.ftz, &i.d, &i.a);
        }
        let modes = Modes { rounding: i.rnd, ftz: i.ftz, ..Modes::default() };
        self.arithmetic(Arithmetic::Rcp, i.type_, modes, &i.d, [&i.a])
    }

    pub fn sqrt(&mut self, i: &Sqrt<'a>) -> Lowered {
        if i.approx || is_old_approximation(i.type_, i.rnd) {
            return self.approximate("sqrt", i.type_, i.ftz, &i.d, &i.a);
        }
        let modes = Modes { rounding: i.rnd, ftz: i.ftz, ..Modes::default() };
        self.arithmetic(Arithmetic::Sqrt, i.type_, modes, &i.d, [&i.a])
    }

    pub fn rsqrt(&mut self, i: &Rsqrt<'a>) -> Lowered {
        self.approximate("rsqrt", i.type_, i.ftz, &i.d, &i.a)
    }

    pub fn sin(&mut self, i: &Sin<'a>) -> Lowered {
        if i._2pi {
            return self.of_turns("sin", &i.d, &i.a);
        }
        self.approximate("sin", ScalarType::F32, i.ftz, &i.d, &i.a)
    }

    pub fn cos(&mut self, i: &Cos<'a>) -> Lowered {
        if i._2pi {
            return self.of_turns("cos", &i.d, &i.a);
        }
        self.approximate("cos", ScalarType::F32, i.ftz, &i.d, &i.a)
    }

    /// `.2pi`: of an angle in turns. The part of a turn is exact, and so small that its product is as well as exact.
    fn of_turns(&mut self, name: &str, d: &Operand<'a>, a: &Operand<'a>) -> Lowered {
        let turns = self.read(a, ScalarType::F32)?;
        let turns = self.flushed(turns, ScalarType::F32, true);
        let f32 = turns.ty();
        let whole = self.llvm("llvm.roundeven", f32, &[turns]);
        let part = self.builder.fsub(turns, whole);
        let angle = self.builder.fmul(part, f32.const_float(std::f64::consts::TAU));
        let value = self.zluda(&format!("{name}.approx.ftz.f32"), &[angle]);
        let value = self.canonical(value, ScalarType::F32);
        self.write(d, value)
    }

    pub fn lg2(&mut self, i: &Lg2<'a>) -> Lowered {
        self.approximate("lg2", ScalarType::F32, i.ftz, &i.d, &i.a)
    }

    pub fn ex2(&mut self, i: &Ex2<'a>) -> Lowered {
        self.approximate("ex2", i.type_, i.ftz, &i.d, &i.a)
    }

    pub fn tanh(&mut self, i: &Tanh<'a>) -> Lowered {
        self.approximate("tanh", i.type_, false, &i.d, &i.a)
    }

    /// `zluda.<name>.approx[.ftz].<type>`, element by element; bfloat16 is that of `.f32`, cut.
    fn approximate(
        &mut self,
        name: &str,
        type_: ScalarType,
        ftz: bool,
        d: &Operand<'a>,
        a: &Operand<'a>,
    ) -> Lowered {
        self.elementwise(type_, d, [a], |s, type_, [a]| {
            let of = |s: &Self, width: &str, value: Value<'c>| {
                let ftz = if ftz && width != "f16" { ".ftz" } else { "" };
                s.zluda(&format!("{name}.approx{ftz}.{width}"), &[value])
            };
            match type_ {
                ScalarType::F32 => Ok(s.canonical(of(s, "f32", a), type_)),
                ScalarType::F64 => Ok(of(s, "f64", a)),
                ScalarType::F16 => Ok(s.canonical(of(s, "f16", a), type_)),
                _ => {
                    let value = of(s, "f32", s.bf16_to_f32(a));
                    Ok(s.f32_to_bf16(value, Some(Rounding::Rz)))
                }
            }
        })
    }
}
