//! PTX's approximate functions as scalar per-thread IR.
//!
//! Input: calls of `zluda.<function>.approx.*`, `zluda.div.full.*` and `zluda.ftz.f32`.
//! Output: straight-line arithmetic in their place.
//! Why here: before vectorising, so that the expansions become vector code like everything else. They
//! use no fused multiply-add, so that all x86-64 levels give the same bits.

mod apart;
mod exact;
mod exponential;
mod logarithm;
mod mufu;
mod quotients;
mod tanh;
mod trigonometry;

use llvm_zluda::{Builder, IntPredicate, Module, Opcode, RealPredicate, Type, Value};

pub use apart::{define, is_apart, vector};

use crate::{Approximations, Error};
use quotients::Division;

/// Replaces all calls of approximate functions and flushes, but for functions that stand [`apart`] if asked for.
pub fn expand(
    module: &Module<'_>,
    approximations: Approximations,
    apart: bool,
) -> Result<(), Error> {
    for function in module.functions() {
        if !function.is_declaration() {
            continue;
        }
        let name = function.name();
        let Some(name) = name.strip_prefix("zluda.") else { continue };
        if apart && is_apart(name, approximations) {
            continue;
        }
        let Some(expansion) = expansion(name, approximations) else { continue };
        for call in function.users() {
            debug_assert_eq!(call.opcode(), Opcode::LLVMCall);
            let builder = module.context().builder();
            builder.position_before(call);
            let math = Math { builder, module, lanes: 1, apart, permutes: false };
            let result = match &expansion {
                Expansion::OfOne(function) => function.emit(&math, call.operand(0)),
                Expansion::Quotient(division) => {
                    division.emit(&math, [call.operand(0), call.operand(1)], approximations)
                }
            };
            call.replace_all_uses_with(result);
            call.erase();
        }
        function.delete_global();
    }
    Ok(())
}

/// Replaces the calls of approximate functions by what gives an H100's bits, for any target.
pub fn expand_exactly(module: &Module<'_>) -> Result<(), Error> {
    expand(module, Approximations::Exact, false)
}

type Emit = for<'a, 'c> fn(&Math<'a, 'c>, Value<'c>) -> Value<'c>;

/// The code that takes the place of a call.
enum Expansion {
    OfOne(Function),
    Quotient(Division),
}

/// The arithmetic of a function of one operand, and what happens around it.
struct Function {
    emit: Emit,
    /// Subnormal operands and results become zeros of their sign.
    flush: bool,
    /// The operand and the result are `half`; the arithmetic is single precision.
    half: bool,
}

impl Function {
    fn emit<'c>(&self, math: &Math<'_, 'c>, operand: Value<'c>) -> Value<'c> {
        let b = &math.builder;
        let operand = if self.half { b.fpext(operand, b.context().f32()) } else { operand };
        let operand = if self.flush { math.flush(operand) } else { operand };
        let result = (self.emit)(math, operand);
        let result = if self.flush { math.flush(result) } else { result };
        if self.half { b.fptrunc(result, b.context().half()) } else { result }
    }
}

/// `name` is without `zluda.`, such as `ex2.approx.ftz.f32`.
fn expansion(name: &str, approximations: Approximations) -> Option<Expansion> {
    if let Some(division) = Division::parse(name) {
        return Some(Expansion::Quotient(division));
    }
    function(name, approximations).map(Expansion::OfOne)
}

fn function(name: &str, approximations: Approximations) -> Option<Function> {
    if name == "ftz.f32" {
        return Some(Function { emit: |math, x| math.flush(x), flush: false, half: false });
    }
    let (function, rest) = name.split_once(".approx")?;
    if approximations.is_exact(function)
        && let Some(emit) = exact::of(function, rest)
    {
        // These flush what an H100 flushes.
        return Some(Function { emit, flush: false, half: false });
    }
    let (flush, ty) = match rest.strip_prefix(".ftz") {
        Some(ty) => (true, ty),
        None => (false, rest),
    };
    let emit: Emit = match (function, ty) {
        ("ex2", ".f32" | ".f16") => exponential::ex2,
        ("lg2", ".f32") => logarithm::lg2,
        ("sin", ".f32") => trigonometry::sin,
        ("cos", ".f32") => trigonometry::cos,
        ("tanh", ".f32" | ".f16") => tanh::tanh,
        ("rcp", ".f32") => quotients::rcp,
        ("rsqrt", ".f32") => quotients::rsqrt,
        ("sqrt", ".f32") => quotients::sqrt,
        ("rcp", ".f64") => quotients::rcp_high_word,
        ("rsqrt", ".f64") if flush => quotients::rsqrt_high_word,
        ("rsqrt", ".f64") => quotients::rsqrt,
        _ => return None,
    };
    // The double-precision functions flush as part of their definition, on their own type.
    Some(Function { emit, flush: flush && ty == ".f32", half: ty == ".f16" })
}

/// A builder with the few operations that the expansions share. All values are `float` unless said.
struct Math<'a, 'c> {
    builder: Builder<'c>,
    module: &'a Module<'c>,
    /// More than 1: all values are vectors. What is fast only knows single ones.
    lanes: u32,
    /// The unit's functions are called, instead of being expanded.
    apart: bool,
    /// The processor finds words in two registers of 512 bits by their numbers (AVX-512).
    permutes: bool,
}

impl<'c> Math<'_, 'c> {
    fn of_lanes(&self, ty: Type<'c>) -> Type<'c> {
        if self.lanes > 1 { ty.vector(self.lanes) } else { ty }
    }

    fn i8(&self) -> Type<'c> {
        self.of_lanes(self.builder.context().i8())
    }

    fn i32(&self) -> Type<'c> {
        self.of_lanes(self.builder.context().i32())
    }

    fn i64(&self) -> Type<'c> {
        self.of_lanes(self.builder.context().i64())
    }

    fn f32(&self) -> Type<'c> {
        self.of_lanes(self.builder.context().f32())
    }

    fn f64(&self) -> Type<'c> {
        self.of_lanes(self.builder.context().f64())
    }

    /// A constant in all lanes.
    fn spread(&self, constant: Value<'c>) -> Value<'c> {
        if self.lanes > 1 { self.builder.splat(constant, self.lanes) } else { constant }
    }

    fn constant(&self, value: f64) -> Value<'c> {
        self.spread(self.builder.context().f32().const_float(value))
    }

    fn byte(&self, value: u8) -> Value<'c> {
        self.spread(self.builder.context().i8().const_int(value.into()))
    }

    fn int(&self, value: u32) -> Value<'c> {
        self.spread(self.builder.context().i32().const_int(value.into()))
    }

    fn long(&self, value: u64) -> Value<'c> {
        self.spread(self.builder.context().i64().const_int(value))
    }

    fn bits(&self, x: Value<'c>) -> Value<'c> {
        self.builder.bitcast(x, self.i32())
    }

    fn float(&self, bits: Value<'c>) -> Value<'c> {
        self.builder.bitcast(bits, self.f32())
    }

    /// A function of the unit MUFU, where it is a part of something else.
    fn unit(&self, name: &str, function: Emit, x: Value<'c>) -> Value<'c> {
        match self.apart {
            true => apart::call(self, &format!("{name}.approx.ftz.f32"), x),
            false => function(self, x),
        }
    }

    /// A unary LLVM intrinsic such as `llvm.rint`, on the operand's type.
    fn intrinsic(&self, name: &str, x: Value<'c>) -> Value<'c> {
        self.builder.intrinsic(self.module, name, &[x.ty()], &[x])
    }

    fn compare(&self, predicate: RealPredicate, x: Value<'c>, y: f64) -> Value<'c> {
        let ty = if x.ty().is_vector() { x.ty().element() } else { x.ty() };
        self.builder.fcmp(predicate, x, self.spread(ty.const_float(y)))
    }

    /// `coefficients[0] + x * (coefficients[1] + x * ...)`
    fn polynomial(&self, x: Value<'c>, coefficients: &[f64]) -> Value<'c> {
        let b = &self.builder;
        let mut terms = coefficients.iter().rev().map(|&c| self.constant(c));
        let first = terms.next().unwrap_or_else(|| self.constant(0.0));
        terms.fold(first, |sum, c| b.fadd(b.fmul(sum, x), c))
    }

    /// Subnormals become zeros of their sign. Float or double.
    fn flush(&self, x: Value<'c>) -> Value<'c> {
        let b = &self.builder;
        let context = b.context();
        let (integer, least_normal, sign) = match x.ty().bits() {
            64 => (context.i64(), 1 << 52, 1 << 63),
            _ => (context.i32(), 1 << 23, 1 << 31),
        };
        let bits = b.bitcast(x, integer);
        let magnitude = b.and(bits, integer.const_int(sign - 1));
        let subnormal =
            b.icmp(IntPredicate::LLVMIntULT, magnitude, integer.const_int(least_normal));
        let zero = b.bitcast(b.and(bits, integer.const_int(sign)), x.ty());
        b.select(subnormal, zero, x)
    }

    /// The operand where it is a number with a magnitude of at most `limit`, else 0: safe to make an
    /// integer of.
    fn tame(&self, x: Value<'c>, limit: f64) -> Value<'c> {
        let b = &self.builder;
        let magnitude = self.intrinsic("llvm.fabs", x);
        let good = self.compare(RealPredicate::LLVMRealOLE, magnitude, limit);
        b.select(good, x, x.ty().const_float(0.0))
    }
}
