//! Which single-precision values of per-thread IR are never subnormal.

use llvm_zluda::{Context, Opcode, Type, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::intrinsics::{self, Property};
use crate::shortcuts::FLUSHING;

/// Instructions to look at for one operand, so that large functions take no longer than their size.
const LIMIT: usize = 200;

const EXPONENT: u64 = 0x7f80_0000;

/// Values of which it is known whether they may be subnormal.
pub struct Subnormals<'c> {
    context: &'c Context,
    known: FxHashMap<Value<'c>, bool>,
    /// Taken not to be subnormal, as long as nothing speaks against it: a loop's sum depends on itself.
    assumed: FxHashSet<Value<'c>>,
}

impl<'c> Subnormals<'c> {
    pub fn new(context: &'c Context) -> Self {
        Self { context, known: FxHashMap::default(), assumed: FxHashSet::default() }
    }

    /// Whether a float is never subnormal.
    pub fn never(&mut self, value: Value<'c>) -> bool {
        let flushed = self.holds(value);
        let assumed = std::mem::take(&mut self.assumed);
        if flushed {
            self.known.extend(assumed.into_iter().map(|value| (value, true)));
        }
        flushed
    }

    fn holds(&mut self, value: Value<'c>) -> bool {
        if let Some(&known) = self.known.get(&value) {
            return known;
        }
        if self.assumed.contains(&value) {
            return true;
        }
        let flushed = match self.sources(value) {
            Sources::Never => true,
            Sources::Maybe => false,
            Sources::Of(values) => {
                self.assumed.insert(value);
                self.assumed.len() <= LIMIT && values.into_iter().all(|value| self.holds(value))
            }
        };
        if !flushed {
            self.known.insert(value, false);
        }
        flushed
    }

    fn sources(&self, value: Value<'c>) -> Sources<'c> {
        if value.is_constant() {
            let subnormal = || {
                let bits = self.context.builder().bitcast(value, self.context.i32());
                bits.as_const_int().is_none_or(|bits| bits & EXPONENT == 0 && bits & 0x7f_ffff != 0)
            };
            return if is_float(value.ty()) && !subnormal() {
                Sources::Never
            } else {
                Sources::Maybe
            };
        }
        if !value.is_instruction() {
            return Sources::Maybe;
        }
        match value.opcode() {
            Opcode::LLVMPHI => {
                Sources::Of(value.incoming().into_iter().map(|(value, _)| value).collect())
            }
            Opcode::LLVMSelect => Sources::Of(vec![value.operand(1), value.operand(2)]),
            Opcode::LLVMFreeze | Opcode::LLVMFNeg => Sources::Of(vec![value.operand(0)]),
            // Not even those of the least half are.
            Opcode::LLVMSIToFP | Opcode::LLVMUIToFP | Opcode::LLVMFPExt => Sources::Never,
            Opcode::LLVMCall => called(value),
            _ => Sources::Maybe,
        }
    }
}

enum Sources<'c> {
    /// It is never subnormal.
    Never,
    Maybe,
    /// It is, where one of these is.
    Of(Vec<Value<'c>>),
}

fn called(call: Value<'_>) -> Sources<'_> {
    if let Some(intrinsic) = intrinsics::called(call) {
        return if intrinsic.has(Property::NeverSubnormal) {
            Sources::Never
        } else if intrinsic.has(Property::SameNumber) {
            Sources::Of(vec![call.operand(0)])
        } else {
            Sources::Maybe
        };
    }
    match call.called_name().as_str() {
        name if name.starts_with(FLUSHING) => Sources::Never,
        "llvm.fabs.f32" | "llvm.copysign.f32" => Sources::Of(vec![call.operand(0)]),
        "llvm.minimumnum.f32" | "llvm.maximumnum.f32" | "llvm.minimum.f32" | "llvm.maximum.f32" => {
            Sources::Of(vec![call.operand(0), call.operand(1)])
        }
        _ => Sources::Maybe,
    }
}

fn is_float(ty: Type<'_>) -> bool {
    ty.is_float() && ty.bits() == 32
}
