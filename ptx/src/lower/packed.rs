//! Packed types: two or four elements in a register, computed one by one.

use llvm_zluda::Value;
use ptx_parser::{Operand, ScalarType};

use super::Lowered;
use super::function::FunctionLowering;

/// The element of a packed type.
pub fn element(type_: ScalarType) -> Option<ScalarType> {
    Some(match type_ {
        ScalarType::F16x2 => ScalarType::F16,
        ScalarType::Bf16x2 => ScalarType::Bf16,
        ScalarType::U16x2 => ScalarType::U16,
        ScalarType::S16x2 => ScalarType::S16,
        ScalarType::F32x2 => ScalarType::F32,
        ScalarType::U8x4 => ScalarType::U8,
        ScalarType::S8x4 => ScalarType::S8,
        _ => return None,
    })
}

impl<'c, 'a> FunctionLowering<'_, '_, 'c, 'a> {
    /// The two elements of a packed value, low first, in the type of [`Self::ty`].
    pub fn split(&self, value: Value<'c>, type_: ScalarType) -> [Value<'c>; 2] {
        let ty = self.ty(type_);
        let integer = self.context.int(type_.bits());
        let shift = value.ty().const_int(type_.bits().into());
        let low = self.builder.trunc(value, integer);
        let high = self.builder.trunc(self.builder.lshr(value, shift), integer);
        [low, high].map(|part| self.builder.bitcast(part, ty))
    }

    /// Two elements as a packed value, low first.
    pub fn join(&self, low: Value<'c>, high: Value<'c>) -> Value<'c> {
        let bits = low.ty().bits();
        let wide = self.context.int(2 * bits);
        let low = self.builder.zext(self.bits_of(low), wide);
        let high = self.builder.zext(self.bits_of(high), wide);
        self.builder.or(low, self.builder.shl(high, wide.const_int(bits.into())))
    }

    /// The four elements of a packed value, lowest first.
    fn quarters(&self, value: Value<'c>, type_: ScalarType) -> [Value<'c>; 4] {
        let [low, high] = self.split(value, ScalarType::B16);
        let ([a, b], [c, d]) = (self.split(low, type_), self.split(high, type_));
        [a, b, c, d]
    }

    /// `d = operation(operands)`, once, or for each element of a packed type.
    pub fn elementwise<const N: usize>(
        &mut self,
        type_: ScalarType,
        d: &Operand<'a>,
        operands: [&Operand<'a>; N],
        operation: impl Fn(&mut Self, ScalarType, [Value<'c>; N]) -> Lowered<Value<'c>>,
    ) -> Lowered {
        let mut values = Vec::with_capacity(N);
        for operand in operands {
            values.push(self.read(operand, type_)?);
        }
        let result = match element(type_) {
            None => operation(self, type_, std::array::from_fn(|i| values[i]))?,
            Some(element) if type_.bits() == 4 * element.bits() => {
                let parts: Vec<_> =
                    values.into_iter().map(|value| self.quarters(value, element)).collect();
                let mut results = Vec::with_capacity(4);
                for lane in [0, 1, 2, 3] {
                    results.push(operation(
                        self,
                        element,
                        std::array::from_fn(|i| parts[i][lane]),
                    )?);
                }
                let low = self.join(results[0], results[1]);
                let high = self.join(results[2], results[3]);
                self.join(low, high)
            }
            Some(element) => {
                let parts: Vec<_> =
                    values.into_iter().map(|value| self.split(value, element)).collect();
                let low = operation(self, element, std::array::from_fn(|i| parts[i][0]))?;
                let high = operation(self, element, std::array::from_fn(|i| parts[i][1]))?;
                self.join(low, high)
            }
        };
        self.write(d, result)
    }
}
