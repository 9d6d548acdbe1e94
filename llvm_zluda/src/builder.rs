//! [`Builder`]: makes instructions. Constant operands fold.

use std::ffi::c_uint;
use std::marker::PhantomData;

use llvm_sys::core::*;
use llvm_sys::prelude::*;

use crate::{
    AtomicOrdering, AtomicRmwOp, Block, Context, IntPredicate, Module, RealPredicate, Type, Value,
    c_string,
};

unsafe extern "C" {
    // LLVM's C API has no such function.
    fn zluda_splat(element: LLVMValueRef, lanes: c_uint) -> LLVMValueRef;
}

/// No name: LLVM numbers the value.
const UNNAMED: *const std::ffi::c_char = c"".as_ptr();

pub struct Builder<'c> {
    raw: LLVMBuilderRef,
    context: &'c Context,
    _owned: PhantomData<LLVMBuilderRef>,
}

macro_rules! binary {
    ($($name:ident => $build:ident),* $(,)?) => {
        $(
            pub fn $name(&self, a: Value<'c>, b: Value<'c>) -> Value<'c> {
                debug_assert_eq!(a.ty(), b.ty());
                // SAFETY: the builder stands in a block; both operands have one type of the right class.
                Value::new(unsafe { $build(self.raw, a.raw, b.raw, UNNAMED) })
            }
        )*
    };
}

macro_rules! cast {
    ($($name:ident => $build:ident),* $(,)?) => {
        $(
            /// Returns the value itself where it has the type already.
            pub fn $name(&self, value: Value<'c>, ty: Type<'c>) -> Value<'c> {
                if value.ty() == ty {
                    return value;
                }
                // SAFETY: the builder stands in a block; callers keep to LLVM's rules for the cast.
                Value::new(unsafe { $build(self.raw, value.raw, ty.raw, UNNAMED) })
            }
        )*
    };
}

impl<'c> Builder<'c> {
    /// A builder that is not placed yet.
    pub(crate) fn new(context: &'c Context) -> Self {
        // SAFETY: the builder is ours.
        let raw = unsafe { LLVMCreateBuilderInContext(context.raw()) };
        Self { raw, context, _owned: PhantomData }
    }

    pub fn context(&self) -> &'c Context {
        self.context
    }

    // ---- position

    /// Moves the builder to the end of a block.
    pub fn position_at_end(&self, block: Block<'c>) {
        // SAFETY: the block is alive.
        unsafe { LLVMPositionBuilderAtEnd(self.raw, block.raw) }
    }

    /// Moves the builder before an instruction.
    pub fn position_before(&self, instruction: Value<'c>) {
        // SAFETY: the instruction is placed.
        unsafe { LLVMPositionBuilderBefore(self.raw, instruction.raw) }
    }

    /// Before the first instruction of the block, or at its end where it has none.
    pub fn position_at_start(&self, block: Block<'c>) {
        match block.first_instruction() {
            Some(first) => self.position_before(first),
            None => self.position_at_end(block),
        }
    }

    /// The block in which the builder stands; it has to be placed.
    pub fn block(&self) -> Block<'c> {
        // SAFETY: callers have placed the builder.
        Block::new(unsafe { LLVMGetInsertBlock(self.raw) })
    }

    /// Places a detached instruction, such as a clone.
    pub fn insert(&self, instruction: Value<'c>) {
        // SAFETY: the instruction is in no block.
        unsafe { LLVMInsertIntoBuilder(self.raw, instruction.raw) }
    }

    /// An instruction once more, with these operands in the place of its first ones.
    pub fn copy_with(
        &self,
        instruction: Value<'c>,
        operands: impl IntoIterator<Item = Value<'c>>,
    ) -> Value<'c> {
        let copy = instruction.clone_instruction();
        for (operand, index) in operands.into_iter().zip(0..) {
            copy.set_operand(index, operand);
        }
        self.insert(copy);
        copy
    }

    // ---- arithmetic

    binary! {
        add => LLVMBuildAdd,
        sub => LLVMBuildSub,
        mul => LLVMBuildMul,
        udiv => LLVMBuildUDiv,
        sdiv => LLVMBuildSDiv,
        urem => LLVMBuildURem,
        srem => LLVMBuildSRem,
        shl => LLVMBuildShl,
        lshr => LLVMBuildLShr,
        ashr => LLVMBuildAShr,
        and => LLVMBuildAnd,
        or => LLVMBuildOr,
        xor => LLVMBuildXor,
        fadd => LLVMBuildFAdd,
        fsub => LLVMBuildFSub,
        fmul => LLVMBuildFMul,
        fdiv => LLVMBuildFDiv,
        frem => LLVMBuildFRem,
    }

    pub fn neg(&self, value: Value<'c>) -> Value<'c> {
        // SAFETY: an integer or a vector of them.
        Value::new(unsafe { LLVMBuildNeg(self.raw, value.raw, UNNAMED) })
    }

    pub fn not(&self, value: Value<'c>) -> Value<'c> {
        // SAFETY: an integer or a vector of them.
        Value::new(unsafe { LLVMBuildNot(self.raw, value.raw, UNNAMED) })
    }

    pub fn fneg(&self, value: Value<'c>) -> Value<'c> {
        // SAFETY: a floating-point value or a vector of them.
        Value::new(unsafe { LLVMBuildFNeg(self.raw, value.raw, UNNAMED) })
    }

    /// Stops poison and undef.
    pub fn freeze(&self, value: Value<'c>) -> Value<'c> {
        // SAFETY: any first-class value.
        Value::new(unsafe { LLVMBuildFreeze(self.raw, value.raw, UNNAMED) })
    }

    /// Makes an `icmp` of integers, pointers, or vectors of them.
    pub fn icmp(&self, predicate: IntPredicate, a: Value<'c>, b: Value<'c>) -> Value<'c> {
        debug_assert_eq!(a.ty(), b.ty());
        // SAFETY: integers, pointers, or vectors of them.
        Value::new(unsafe { LLVMBuildICmp(self.raw, predicate, a.raw, b.raw, UNNAMED) })
    }

    /// Makes an `fcmp` of floating-point values or vectors of them.
    pub fn fcmp(&self, predicate: RealPredicate, a: Value<'c>, b: Value<'c>) -> Value<'c> {
        debug_assert_eq!(a.ty(), b.ty());
        // SAFETY: floating-point values or vectors of them.
        Value::new(unsafe { LLVMBuildFCmp(self.raw, predicate, a.raw, b.raw, UNNAMED) })
    }

    /// Makes a `select`; the condition is an `i1`, or a vector of as many as the others have elements.
    pub fn select(&self, condition: Value<'c>, yes: Value<'c>, no: Value<'c>) -> Value<'c> {
        debug_assert_eq!(yes.ty(), no.ty());
        // SAFETY: the condition is i1, or a vector of i1 as long as the operands.
        Value::new(unsafe { LLVMBuildSelect(self.raw, condition.raw, yes.raw, no.raw, UNNAMED) })
    }

    // ---- conversions

    cast! {
        trunc => LLVMBuildTrunc,
        zext => LLVMBuildZExt,
        sext => LLVMBuildSExt,
        fptoui => LLVMBuildFPToUI,
        fptosi => LLVMBuildFPToSI,
        uitofp => LLVMBuildUIToFP,
        sitofp => LLVMBuildSIToFP,
        fptrunc => LLVMBuildFPTrunc,
        fpext => LLVMBuildFPExt,
        ptr_to_int => LLVMBuildPtrToInt,
        int_to_ptr => LLVMBuildIntToPtr,
        bitcast => LLVMBuildBitCast,
        addr_space_cast => LLVMBuildAddrSpaceCast,
    }

    /// `trunc`, `zext` or nothing, by the widths.
    pub fn zext_or_trunc(&self, value: Value<'c>, ty: Type<'c>) -> Value<'c> {
        if scalar_bits(value.ty()) > scalar_bits(ty) {
            self.trunc(value, ty)
        } else {
            self.zext(value, ty)
        }
    }

    /// `trunc`, `sext` or nothing, by the widths.
    pub fn sext_or_trunc(&self, value: Value<'c>, ty: Type<'c>) -> Value<'c> {
        if scalar_bits(value.ty()) > scalar_bits(ty) {
            self.trunc(value, ty)
        } else {
            self.sext(value, ty)
        }
    }

    // ---- memory

    /// An alloca at the builder's position, in the address space that the module's layout gives to allocas.
    pub fn alloca(&self, ty: Type<'c>) -> Value<'c> {
        // SAFETY: a sized type.
        Value::new(unsafe { LLVMBuildAlloca(self.raw, ty.raw, UNNAMED) })
    }

    /// `count` values of `ty`.
    pub fn array_alloca(&self, ty: Type<'c>, count: Value<'c>) -> Value<'c> {
        // SAFETY: a sized type and an integer.
        Value::new(unsafe { LLVMBuildArrayAlloca(self.raw, ty.raw, count.raw, UNNAMED) })
    }

    /// Makes a `load`. The alignment is in bytes.
    pub fn load(&self, ty: Type<'c>, pointer: Value<'c>, alignment: u32) -> Value<'c> {
        debug_assert!(pointer.ty().is_pointer());
        // SAFETY: a sized type and a pointer.
        let load = Value::new(unsafe { LLVMBuildLoad2(self.raw, ty.raw, pointer.raw, UNNAMED) });
        load.set_alignment(alignment);
        load
    }

    /// Makes a `store`. The alignment is in bytes.
    pub fn store(&self, value: Value<'c>, pointer: Value<'c>, alignment: u32) -> Value<'c> {
        debug_assert!(pointer.ty().is_pointer());
        // SAFETY: a sized value and a pointer.
        let store = Value::new(unsafe { LLVMBuildStore(self.raw, value.raw, pointer.raw) });
        store.set_alignment(alignment);
        store
    }

    /// Makes a `getelementptr`, which is not `inbounds`.
    pub fn gep(&self, ty: Type<'c>, pointer: Value<'c>, indices: &[Value<'c>]) -> Value<'c> {
        let mut raw: Vec<_> = indices.iter().map(|index| index.raw).collect();
        // SAFETY: the indices fit the type.
        Value::new(unsafe {
            LLVMBuildGEP2(
                self.raw,
                ty.raw,
                pointer.raw,
                raw.as_mut_ptr(),
                raw.len() as u32,
                UNNAMED,
            )
        })
    }

    /// The pointer `bytes` further on.
    pub fn byte_offset(&self, pointer: Value<'c>, bytes: Value<'c>) -> Value<'c> {
        self.gep(self.context.i8(), pointer, &[bytes])
    }

    /// Makes a `fence` for acquire, release or both, or a sequentially consistent one.
    pub fn fence(&self, ordering: AtomicOrdering, scope: u32) -> Value<'c> {
        // SAFETY: a fence takes acquire, release, acq_rel or seq_cst.
        Value::new(unsafe { LLVMBuildFenceSyncScope(self.raw, ordering, scope, UNNAMED) })
    }

    /// Makes an `atomicrmw`; its result is the old value.
    pub fn atomic_rmw(
        &self,
        operation: AtomicRmwOp,
        pointer: Value<'c>,
        value: Value<'c>,
        ordering: AtomicOrdering,
        scope: u32,
    ) -> Value<'c> {
        // SAFETY: a pointer, and a value of a type that the operation takes.
        Value::new(unsafe {
            LLVMBuildAtomicRMWSyncScope(
                self.raw,
                operation,
                pointer.raw,
                value.raw,
                ordering,
                scope,
            )
        })
    }

    /// Returns `{T, i1}`: the old value, and whether the exchange took place.
    pub fn cmpxchg(
        &self,
        pointer: Value<'c>,
        compare: Value<'c>,
        new: Value<'c>,
        orderings: (AtomicOrdering, AtomicOrdering),
        scope: u32,
    ) -> Value<'c> {
        // SAFETY: a pointer, and two integers or pointers of one type.
        Value::new(unsafe {
            LLVMBuildAtomicCmpXchgSyncScope(
                self.raw,
                pointer.raw,
                compare.raw,
                new.raw,
                orderings.0,
                orderings.1,
                scope,
            )
        })
    }

    // ---- aggregates and vectors

    pub fn extract_value(&self, aggregate: Value<'c>, index: u32) -> Value<'c> {
        // SAFETY: the index is a field of the aggregate.
        Value::new(unsafe { LLVMBuildExtractValue(self.raw, aggregate.raw, index, UNNAMED) })
    }

    pub fn insert_value(&self, aggregate: Value<'c>, element: Value<'c>, index: u32) -> Value<'c> {
        // SAFETY: the index is a field of the aggregate, and the element has its type.
        Value::new(unsafe {
            LLVMBuildInsertValue(self.raw, aggregate.raw, element.raw, index, UNNAMED)
        })
    }

    pub fn extract_element(&self, vector: Value<'c>, index: Value<'c>) -> Value<'c> {
        // SAFETY: a vector and an integer.
        Value::new(unsafe { LLVMBuildExtractElement(self.raw, vector.raw, index.raw, UNNAMED) })
    }

    pub fn insert_element(
        &self,
        vector: Value<'c>,
        element: Value<'c>,
        index: Value<'c>,
    ) -> Value<'c> {
        // SAFETY: a vector, an element of its type, and an integer.
        Value::new(unsafe {
            LLVMBuildInsertElement(self.raw, vector.raw, element.raw, index.raw, UNNAMED)
        })
    }

    /// `mask` indexes into `a` followed by `b`; -1 is poison.
    pub fn shuffle(&self, a: Value<'c>, b: Value<'c>, mask: &[i32]) -> Value<'c> {
        let i32_type = self.context.i32();
        let mut lanes: Vec<_> =
            mask.iter()
                .map(|&lane| {
                    if lane < 0 {
                        i32_type.poison().raw
                    } else {
                        i32_type.const_int(lane as u64).raw
                    }
                })
                .collect();
        // SAFETY: a constant mask of i32, with indices in range.
        Value::new(unsafe {
            let mask = LLVMConstVector(lanes.as_mut_ptr(), lanes.len() as u32);
            LLVMBuildShuffleVector(self.raw, a.raw, b.raw, mask, UNNAMED)
        })
    }

    /// The scalar in every lane.
    pub fn splat(&self, scalar: Value<'c>, lanes: u32) -> Value<'c> {
        if scalar.is_constant() {
            // SAFETY: a constant that a vector may have as an element.
            return Value::new(unsafe { zluda_splat(scalar.raw, lanes) });
        }
        let vector = scalar.ty().vector(lanes).poison();
        let first = self.insert_element(vector, scalar, self.context.i32().const_int(0));
        self.shuffle(first, vector, &vec![0; lanes as usize])
    }

    /// A constant vector.
    pub fn const_vector(&self, elements: &[Value<'c>]) -> Value<'c> {
        let mut raw: Vec<_> = elements.iter().map(|element| element.raw).collect();
        // SAFETY: constants of one type, at least one.
        Value::new(unsafe { LLVMConstVector(raw.as_mut_ptr(), raw.len() as u32) })
    }

    // ---- control flow

    /// Makes a `phi` without values; [`Value::add_incoming`] adds them.
    pub fn phi(&self, ty: Type<'c>) -> Value<'c> {
        // SAFETY: a first-class type; callers add the incoming values.
        Value::new(unsafe { LLVMBuildPhi(self.raw, ty.raw, UNNAMED) })
    }

    pub fn br(&self, target: Block<'c>) -> Value<'c> {
        // SAFETY: a block of the same function.
        Value::new(unsafe { LLVMBuildBr(self.raw, target.raw) })
    }

    pub fn cond_br(&self, condition: Value<'c>, yes: Block<'c>, no: Block<'c>) -> Value<'c> {
        // SAFETY: an i1 and blocks of the same function.
        Value::new(unsafe { LLVMBuildCondBr(self.raw, condition.raw, yes.raw, no.raw) })
    }

    /// Makes a `switch`; the cases are constants of the value's type, all different.
    pub fn switch(
        &self,
        value: Value<'c>,
        default: Block<'c>,
        cases: &[(Value<'c>, Block<'c>)],
    ) -> Value<'c> {
        // SAFETY: constants of the value's type, all different, and blocks of the same function.
        unsafe {
            let switch = LLVMBuildSwitch(self.raw, value.raw, default.raw, cases.len() as u32);
            for (constant, block) in cases {
                LLVMAddCase(switch, constant.raw, block.raw);
            }
            Value::new(switch)
        }
    }

    pub fn ret_void(&self) -> Value<'c> {
        // SAFETY: the builder stands in a function that returns nothing.
        Value::new(unsafe { LLVMBuildRetVoid(self.raw) })
    }

    pub fn ret(&self, value: Value<'c>) -> Value<'c> {
        // SAFETY: the value has the function's result type.
        Value::new(unsafe { LLVMBuildRet(self.raw, value.raw) })
    }

    pub fn unreachable(&self) -> Value<'c> {
        // SAFETY: the builder stands in a block.
        Value::new(unsafe { LLVMBuildUnreachable(self.raw) })
    }

    /// Makes a call of a function.
    pub fn call(&self, function: Value<'c>, arguments: &[Value<'c>]) -> Value<'c> {
        self.call_pointer(function.value_type(), function, arguments)
    }

    /// A call of a pointer, with the type of the function.
    pub fn call_pointer(
        &self,
        ty: Type<'c>,
        callee: Value<'c>,
        arguments: &[Value<'c>],
    ) -> Value<'c> {
        debug_assert_eq!(ty.parameters().len(), arguments.len(), "{:?}", callee.name());
        let mut raw: Vec<_> = arguments.iter().map(|argument| argument.raw).collect();
        // SAFETY: the arguments fit the function type.
        Value::new(unsafe {
            LLVMBuildCall2(
                self.raw,
                ty.raw,
                callee.raw,
                raw.as_mut_ptr(),
                raw.len() as u32,
                UNNAMED,
            )
        })
    }

    /// A call of an LLVM intrinsic such as `llvm.fma`, overloaded on `overloads`.
    pub fn intrinsic(
        &self,
        module: &Module<'c>,
        name: &str,
        overloads: &[Type<'c>],
        arguments: &[Value<'c>],
    ) -> Value<'c> {
        let mut types: Vec<_> = overloads.iter().map(|ty| ty.raw).collect();
        // SAFETY: pointer and length describe the name; the types fit the intrinsic.
        let function = unsafe {
            let id = LLVMLookupIntrinsicID(name.as_ptr().cast(), name.len());
            assert_ne!(id, 0, "LLVM has no intrinsic {name}");
            Value::new(LLVMGetIntrinsicDeclaration(
                module.raw(),
                id,
                types.as_mut_ptr(),
                types.len(),
            ))
        };
        self.call(function, arguments)
    }

    /// An inline assembly call, in AT&T syntax.
    pub fn inline_asm(
        &self,
        ty: Type<'c>,
        assembly: &str,
        constraints: &str,
        side_effects: bool,
        arguments: &[Value<'c>],
    ) -> Value<'c> {
        // SAFETY: LLVM copies the texts.
        let callee = Value::new(unsafe {
            LLVMGetInlineAsm(
                ty.raw,
                assembly.as_ptr().cast(),
                assembly.len(),
                constraints.as_ptr().cast(),
                constraints.len(),
                side_effects as LLVMBool,
                0,
                llvm_sys::LLVMInlineAsmDialect::LLVMInlineAsmDialectATT,
                0,
            )
        });
        self.call_pointer(ty, callee, arguments)
    }

    /// A NUL-terminated private constant, as a pointer.
    pub fn global_string(&self, text: &str) -> Value<'c> {
        let text = c_string(text);
        // SAFETY: the builder stands in a function.
        Value::new(unsafe { LLVMBuildGlobalString(self.raw, text.as_ptr(), UNNAMED) })
    }
}

impl Drop for Builder<'_> {
    fn drop(&mut self) {
        // SAFETY: the builder is ours.
        unsafe { LLVMDisposeBuilder(self.raw) }
    }
}

fn scalar_bits(ty: Type<'_>) -> u32 {
    if ty.is_vector() { ty.element().bits() } else { ty.bits() }
}
