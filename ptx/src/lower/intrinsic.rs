//! Calls of `zluda.` and `llvm.` intrinsics, and small values.

use llvm_zluda::{IntPredicate, Linkage, MemoryEffects, Type, Value};

use super::function::FunctionLowering;

impl<'c> FunctionLowering<'_, '_, 'c, '_> {
    /// Calls the intrinsic of the table [`simt::intrinsics::ROWS`]; `name` is without `zluda.`.
    pub fn zluda(&self, name: &str, arguments: &[Value<'c>]) -> Value<'c> {
        let function = simt::intrinsics::declare(&self.module.llvm, name, arguments.len());
        let call = self.builder.call(function, arguments);
        if self.module.is_amdgcn {
            // What the target has no code for is told with its place.
            simt::span::set(call, self.context, self.span.start..self.span.end);
        }
        call
    }

    /// Calls the function `name` of [`simt::shortcuts`], whose operands and result have one type, and which does what `body` makes
    /// of its parameters.
    pub fn shortcut(
        &self,
        name: &str,
        ty: Type<'c>,
        arguments: &[Value<'c>],
        body: impl FnOnce(&[Value<'c>]) -> Value<'c>,
    ) -> Value<'c> {
        let (module, o) = (&self.module.llvm, &self.builder);
        let function = module.function(name).unwrap_or_else(|| {
            let parameters = vec![ty; arguments.len()];
            let function = module.add_function(name, self.context.function_type(ty, &parameters));
            function.set_linkage(Linkage::LLVMInternalLinkage);
            for attribute in ["alwaysinline", "nounwind", "willreturn"] {
                module.add_attribute(function, attribute);
            }
            module.set_memory_effects(function, MemoryEffects::None);
            let caller = o.block();
            o.position_at_end(module.append_block(function, ""));
            o.ret(body(&function.parameters()));
            o.position_at_end(caller);
            function
        });
        o.call(function, arguments)
    }

    /// Calls an intrinsic of LLVM that is overloaded on one type.
    pub fn llvm(&self, name: &str, overload: Type<'c>, arguments: &[Value<'c>]) -> Value<'c> {
        self.builder.intrinsic(&self.module.llvm, name, &[overload], arguments)
    }

    /// A constant of 1 bit.
    pub fn i1(&self, value: bool) -> Value<'c> {
        self.context.i1().const_int(value.into())
    }

    /// A constant of 32 bits.
    pub fn i32(&self, value: u32) -> Value<'c> {
        self.context.i32().const_int(value.into())
    }

    /// A constant of 64 bits.
    pub fn i64(&self, value: u64) -> Value<'c> {
        self.context.i64().const_int(value)
    }

    /// Whether two integers or pointers are equal, as an i1.
    pub fn eq(&self, a: Value<'c>, b: Value<'c>) -> Value<'c> {
        self.builder.icmp(IntPredicate::LLVMIntEQ, a, b)
    }

    /// Whether two integers or pointers differ, as an i1.
    pub fn ne(&self, a: Value<'c>, b: Value<'c>) -> Value<'c> {
        self.builder.icmp(IntPredicate::LLVMIntNE, a, b)
    }

    /// Whether the unsigned integer `a` is less than `b`, as an i1.
    pub fn ult(&self, a: Value<'c>, b: Value<'c>) -> Value<'c> {
        self.builder.icmp(IntPredicate::LLVMIntULT, a, b)
    }

    /// The smaller of two unsigned integers.
    pub fn umin(&self, a: Value<'c>, b: Value<'c>) -> Value<'c> {
        self.llvm("llvm.umin", a.ty(), &[a, b])
    }

    /// `a << b`, 0 where `b` is the width or more. Both have one type.
    pub fn shl_clamped(&self, a: Value<'c>, b: Value<'c>) -> Value<'c> {
        self.shift_or_zero(a, b, |s, a, b| s.builder.shl(a, b))
    }

    /// `a >> b`, 0 where `b` is the width or more.
    pub fn lshr_clamped(&self, a: Value<'c>, b: Value<'c>) -> Value<'c> {
        self.shift_or_zero(a, b, |s, a, b| s.builder.lshr(a, b))
    }

    /// `a >> b` with copies of the sign; at most all bits are copies.
    pub fn ashr_clamped(&self, a: Value<'c>, b: Value<'c>) -> Value<'c> {
        let last = b.ty().const_int(u64::from(a.ty().bits()) - 1);
        self.builder.ashr(a, self.umin(b, last))
    }

    fn shift_or_zero(
        &self,
        a: Value<'c>,
        b: Value<'c>,
        shift: impl Fn(&Self, Value<'c>, Value<'c>) -> Value<'c>,
    ) -> Value<'c> {
        let ty = a.ty();
        let width = u64::from(ty.bits());
        if let Some(amount) = b.as_const_int() {
            return if amount < width { shift(self, a, b) } else { ty.zero() };
        }
        let fits = self.ult(b, ty.const_int(width));
        let amount = self.builder.and(b, ty.const_int(width - 1));
        self.builder.select(fits, shift(self, a, amount), ty.zero())
    }
}
