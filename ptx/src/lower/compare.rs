//! Comparisons and selection.

use llvm_zluda::{IntPredicate, RealPredicate, Value};
use ptx_parser::isa::{Selp, Set, Setp, Slct};
use ptx_parser::{BoolOp, Comparison, ScalarType};

use super::Lowered;
use super::function::{FunctionLowering, word};
use super::packed::element;

impl<'c, 'a> FunctionLowering<'_, '_, 'c, 'a> {
    pub fn setp(&mut self, i: &Setp<'a>) -> Lowered {
        let a = self.read(&i.a, i.type_)?;
        let b = self.read(&i.b, i.type_)?;
        let joined = match (&i.c, i.bool_op) {
            (Some(c), Some(operation)) => Some((self.read(c, ScalarType::Pred)?, operation)),
            _ => None,
        };
        if let Some(element) = element(i.type_) {
            // p is the low element's result, q the high one's.
            let [a_low, a_high] = self.split(a, element);
            let [b_low, b_high] = self.split(b, element);
            let low = self.compare(i.cmp_op, element, i.ftz, a_low, b_low)?;
            let high = self.compare(i.cmp_op, element, i.ftz, a_high, b_high)?;
            self.write(&i.p, self.combined(low, joined))?;
            return match &i.q {
                Some(q) => self.write(q, self.combined(high, joined)),
                None => Ok(()),
            };
        }
        let result = self.compare(i.cmp_op, i.type_, i.ftz, a, b)?;
        let opposite = self.builder.not(result);
        self.write(&i.p, self.combined(result, joined))?;
        match &i.q {
            Some(q) => self.write(q, self.combined(opposite, joined)),
            None => Ok(()),
        }
    }

    /// A predicate, or its `.and`, `.or` or `.xor` with another one.
    pub fn combined(&self, value: Value<'c>, with: Option<(Value<'c>, BoolOp)>) -> Value<'c> {
        match with {
            None => value,
            Some((c, BoolOp::And)) => self.builder.and(value, c),
            Some((c, BoolOp::Or)) => self.builder.or(value, c),
            Some((c, BoolOp::Xor)) => self.builder.xor(value, c),
        }
    }

    /// Compares two values of a scalar type; the result is an i1.
    pub fn compare(
        &self,
        comparison: Comparison,
        type_: ScalarType,
        ftz: bool,
        a: Value<'c>,
        b: Value<'c>,
    ) -> Lowered<Value<'c>> {
        if type_.is_float() {
            let predicate = real_predicate(comparison).ok_or_else(|| {
                self.invalid(format!("`.{}` of floating-point values", word(comparison)))
            })?;
            let [a, b] = if type_ == ScalarType::Bf16 {
                [a, b].map(|value| self.bf16_to_f32(value))
            } else {
                [a, b].map(|value| self.flushed(value, type_, ftz))
            };
            return Ok(self.builder.fcmp(predicate, a, b));
        }
        let predicate = int_predicate(comparison, type_.is_signed())
            .ok_or_else(|| self.invalid(format!("`.{}` of integers", word(comparison))))?;
        Ok(self.builder.icmp(predicate, a, b))
    }

    pub fn selp(&mut self, i: &Selp<'a>) -> Lowered {
        let a = self.read(&i.a, i.type_)?;
        let b = self.read(&i.b, i.type_)?;
        let c = self.read(&i.c, ScalarType::Pred)?;
        self.write(&i.d, self.builder.select(c, a, b))
    }

    pub fn slct(&mut self, i: &Slct<'a>) -> Lowered {
        let a = self.read(&i.a, i.dtype)?;
        let b = self.read(&i.b, i.dtype)?;
        let c = self.read(&i.c, i.stype)?;
        let first = if i.stype == ScalarType::F32 {
            let c = self.flushed(c, i.stype, i.ftz);
            self.builder.fcmp(RealPredicate::LLVMRealOGE, c, c.ty().zero())
        } else {
            self.builder.icmp(IntPredicate::LLVMIntSGE, c, c.ty().zero())
        };
        self.write(&i.d, self.builder.select(first, a, b))
    }

    pub fn set(&mut self, i: &Set<'a>) -> Lowered {
        let a = self.read(&i.a, i.stype)?;
        let b = self.read(&i.b, i.stype)?;
        let joined = match (&i.c, i.bool_op) {
            (Some(c), Some(operation)) => Some((self.read(c, ScalarType::Pred)?, operation)),
            _ => None,
        };
        let Some(part) = element(i.stype) else {
            let result = self.compare(i.cmp_op, i.stype, i.ftz, a, b)?;
            let value = self.truth(self.combined(result, joined), i.dtype)?;
            return self.write(&i.d, value);
        };
        let a = self.split(a, part);
        let b = self.split(b, part);
        // An integer result has 16 bits for each element.
        let to = element(i.dtype).unwrap_or(ScalarType::U16);
        let mut parts = Vec::with_capacity(2);
        for (a, b) in a.into_iter().zip(b) {
            let result = self.compare(i.cmp_op, part, i.ftz, a, b)?;
            parts.push(self.truth(self.combined(result, joined), to)?);
        }
        self.write(&i.d, self.join(parts[0], parts[1]))
    }

    /// 1.0, or all ones, for true.
    fn truth(&self, value: Value<'c>, type_: ScalarType) -> Lowered<Value<'c>> {
        let ty = self.ty(type_);
        Ok(match type_ {
            ScalarType::F32 | ScalarType::F16 => {
                self.builder.select(value, ty.const_float(1.0), ty.zero())
            }
            ScalarType::Bf16 => self.builder.select(value, ty.const_int(0x3f80), ty.zero()),
            _ => self.builder.sext(value, ty),
        })
    }
}

/// LLVM's predicate for a comparison of integers; none for comparisons that only floats have.
pub fn int_predicate(comparison: Comparison, signed: bool) -> Option<IntPredicate> {
    use IntPredicate::*;
    Some(match (comparison, signed) {
        (Comparison::Eq, _) => LLVMIntEQ,
        (Comparison::Ne, _) => LLVMIntNE,
        (Comparison::Lt, true) => LLVMIntSLT,
        (Comparison::Le, true) => LLVMIntSLE,
        (Comparison::Gt, true) => LLVMIntSGT,
        (Comparison::Ge, true) => LLVMIntSGE,
        (Comparison::Lt, false) | (Comparison::Lo, _) => LLVMIntULT,
        (Comparison::Le, false) | (Comparison::Ls, _) => LLVMIntULE,
        (Comparison::Gt, false) | (Comparison::Hi, _) => LLVMIntUGT,
        (Comparison::Ge, false) | (Comparison::Hs, _) => LLVMIntUGE,
        _ => return None,
    })
}

fn real_predicate(comparison: Comparison) -> Option<RealPredicate> {
    use RealPredicate::*;
    Some(match comparison {
        Comparison::Eq => LLVMRealOEQ,
        Comparison::Ne => LLVMRealONE,
        Comparison::Lt => LLVMRealOLT,
        Comparison::Le => LLVMRealOLE,
        Comparison::Gt => LLVMRealOGT,
        Comparison::Ge => LLVMRealOGE,
        Comparison::Equ => LLVMRealUEQ,
        Comparison::Neu => LLVMRealUNE,
        Comparison::Ltu => LLVMRealULT,
        Comparison::Leu => LLVMRealULE,
        Comparison::Gtu => LLVMRealUGT,
        Comparison::Geu => LLVMRealUGE,
        Comparison::Num => LLVMRealORD,
        Comparison::Nan => LLVMRealUNO,
        Comparison::Lo | Comparison::Ls | Comparison::Hi | Comparison::Hs => return None,
    })
}
