//! [`Value`] and [`Block`]: constants, arguments, functions, instructions and basic blocks, as read.

use std::ffi::{CStr, c_char};
use std::fmt;
use std::marker::PhantomData;

use llvm_sys::LLVMFastMathFlags;
use llvm_sys::core::*;
use llvm_sys::prelude::*;

use crate::{
    AtomicOrdering, AtomicRmwOp, Context, IntPredicate, Linkage, Opcode, RealPredicate, Type,
    ValueKind, c_string,
};

/// Takes a message that LLVM allocated.
///
/// # Safety
/// `message` is null or a NUL-terminated text to be freed with `LLVMDisposeMessage`.
pub(crate) unsafe fn owned_message(message: *mut c_char) -> String {
    if message.is_null() {
        return String::new();
    }
    // SAFETY: the caller promises a NUL-terminated text that is ours.
    unsafe {
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeMessage(message);
        text
    }
}

unsafe extern "C" {
    // LLVM's C API has no such functions.
    fn zluda_delete_body(function: LLVMValueRef);
    fn zluda_repeated_element(vector: LLVMValueRef) -> LLVMValueRef;
}

/// Any LLVM value. Questions that fit only one kind of value say so; asking others is a bug of ours.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Value<'c> {
    pub(crate) raw: LLVMValueRef,
    _context: PhantomData<&'c Context>,
}

impl<'c> Value<'c> {
    pub(crate) fn new(raw: LLVMValueRef) -> Self {
        debug_assert!(!raw.is_null());
        Self { raw, _context: PhantomData }
    }

    fn optional(raw: LLVMValueRef) -> Option<Self> {
        (!raw.is_null()).then(|| Self::new(raw))
    }

    pub fn ty(self) -> Type<'c> {
        // SAFETY: values live as long as their module; callers keep erased ones away. Holds for all below.
        Type::new(unsafe { LLVMTypeOf(self.raw) })
    }

    pub fn kind(self) -> ValueKind {
        // SAFETY: see `ty`.
        unsafe { LLVMGetValueKind(self.raw) }
    }

    pub fn is_instruction(self) -> bool {
        self.kind() == ValueKind::LLVMInstructionValueKind
    }

    pub fn is_function(self) -> bool {
        self.kind() == ValueKind::LLVMFunctionValueKind
    }

    pub fn is_argument(self) -> bool {
        self.kind() == ValueKind::LLVMArgumentValueKind
    }

    pub fn is_global_variable(self) -> bool {
        self.kind() == ValueKind::LLVMGlobalVariableValueKind
    }

    /// Constants of all kinds: numbers, undef, constant expressions, globals, functions.
    pub fn is_constant(self) -> bool {
        // SAFETY: see `ty`.
        unsafe { LLVMIsConstant(self.raw) != 0 }
    }

    pub fn is_undef_or_poison(self) -> bool {
        // SAFETY: see `ty`.
        unsafe { LLVMIsUndef(self.raw) != 0 || LLVMIsPoison(self.raw) != 0 }
    }

    pub fn is_constant_expression(self) -> bool {
        self.kind() == ValueKind::LLVMConstantExprValueKind
    }

    /// The value of an integer constant of at most 64 bits, zero-extended.
    pub fn as_const_int(self) -> Option<u64> {
        if self.kind() != ValueKind::LLVMConstantIntValueKind || self.ty().bits() > 64 {
            return None;
        }
        // SAFETY: it is an integer constant of at most 64 bits.
        Some(unsafe { LLVMConstIntGetZExtValue(self.raw) })
    }

    /// The value of an integer constant of at most 64 bits, sign-extended.
    pub fn as_const_signed(self) -> Option<i64> {
        self.as_const_int()?;
        // SAFETY: it is an integer constant of at most 64 bits.
        Some(unsafe { LLVMConstIntGetSExtValue(self.raw) })
    }

    /// The element that a constant vector repeats in all of its lanes.
    pub fn repeated_element(self) -> Option<Self> {
        debug_assert!(self.ty().is_vector());
        if !self.is_constant() {
            return None;
        }
        // SAFETY: it is a constant vector; null where lanes differ.
        Self::optional(unsafe { zluda_repeated_element(self.raw) })
    }

    /// The name, empty where there is none.
    pub fn name(self) -> String {
        let mut length = 0;
        // SAFETY: LLVM returns a pointer to `length` bytes that live as long as the value.
        unsafe {
            let pointer = LLVMGetValueName2(self.raw, &mut length);
            String::from_utf8_lossy(std::slice::from_raw_parts(pointer.cast(), length)).into_owned()
        }
    }

    /// Sets the name; LLVM adds a number to one that is taken.
    pub fn set_name(self, name: &str) {
        // SAFETY: pointer and length describe `name`.
        unsafe { LLVMSetValueName2(self.raw, name.as_ptr().cast(), name.len()) }
    }

    /// The value's text.
    pub fn print(self) -> String {
        // SAFETY: LLVM allocates the text.
        unsafe { owned_message(LLVMPrintValueToString(self.raw)) }
    }

    /// Replaces the value by one of its type wherever it is used.
    pub fn replace_all_uses_with(self, other: Value<'c>) {
        // SAFETY: both are values of the same type.
        unsafe { LLVMReplaceAllUsesWith(self.raw, other.raw) }
    }

    /// The instructions that use the value, one entry a use.
    pub fn users(self) -> Vec<Value<'c>> {
        let mut users = Vec::new();
        // SAFETY: the use list is walked without changing it.
        unsafe {
            let mut usage = LLVMGetFirstUse(self.raw);
            while !usage.is_null() {
                users.push(Value::new(LLVMGetUser(usage)));
                usage = LLVMGetNextUse(usage);
            }
        }
        users
    }

    /// Whether anything uses the value.
    pub fn has_uses(self) -> bool {
        // SAFETY: see `ty`.
        unsafe { !LLVMGetFirstUse(self.raw).is_null() }
    }

    // ---- users: instructions, constant expressions, globals

    /// The number of operands; a call's callee counts as one.
    pub fn operand_count(self) -> u32 {
        // SAFETY: see `ty`.
        unsafe { LLVMGetNumOperands(self.raw).max(0) as u32 }
    }

    /// Operand `index`; a basic block operand is returned as a value too.
    pub fn operand(self, index: u32) -> Value<'c> {
        debug_assert!(index < self.operand_count());
        // SAFETY: the index is in range.
        Value::new(unsafe { LLVMGetOperand(self.raw, index) })
    }

    pub fn operands(self) -> Vec<Value<'c>> {
        (0..self.operand_count()).map(|index| self.operand(index)).collect()
    }

    /// Replaces one operand by a value of its type.
    pub fn set_operand(self, index: u32, value: Value<'c>) {
        // SAFETY: the index is in range and the types agree.
        unsafe { LLVMSetOperand(self.raw, index, value.raw) }
    }

    // ---- instructions

    /// The opcode of an instruction or a constant expression.
    pub fn opcode(self) -> Opcode {
        // SAFETY: callers ask instructions and constant expressions only.
        unsafe {
            if self.is_constant_expression() {
                LLVMGetConstOpcode(self.raw)
            } else {
                LLVMGetInstructionOpcode(self.raw)
            }
        }
    }

    /// The block of an instruction.
    pub fn parent(self) -> Block<'c> {
        // SAFETY: callers ask placed instructions only.
        Block::new(unsafe { LLVMGetInstructionParent(self.raw) })
    }

    /// Unlinks and deletes an instruction that nothing uses.
    pub fn erase(self) {
        // SAFETY: the caller gives the value up.
        unsafe { LLVMInstructionEraseFromParent(self.raw) }
    }

    /// Takes an instruction out of its block; it is the same value wherever it is placed again.
    pub fn detach(self) {
        // SAFETY: callers ask placed instructions only.
        unsafe { LLVMInstructionRemoveFromParent(self.raw) }
    }

    /// An unplaced copy of an instruction, with the same operands.
    pub fn clone_instruction(self) -> Value<'c> {
        // SAFETY: callers ask instructions only.
        Value::new(unsafe { LLVMInstructionClone(self.raw) })
    }

    /// The instruction that follows in its block.
    pub fn next_instruction(self) -> Option<Value<'c>> {
        // SAFETY: the instruction is placed.
        let next = unsafe { LLVMGetNextInstruction(self.raw) };
        (!next.is_null()).then(|| Value::new(next))
    }

    pub fn is_terminator(self) -> bool {
        // SAFETY: see `ty`.
        unsafe { !LLVMIsATerminatorInst(self.raw).is_null() }
    }

    /// The predicate of an `icmp`.
    pub fn int_predicate(self) -> IntPredicate {
        // SAFETY: callers ask icmp only.
        unsafe { LLVMGetICmpPredicate(self.raw) }
    }

    /// The predicate of an `fcmp`.
    pub fn real_predicate(self) -> RealPredicate {
        // SAFETY: callers ask fcmp only.
        unsafe { LLVMGetFCmpPredicate(self.raw) }
    }

    /// The number of blocks that a terminator names.
    pub fn successor_count(self) -> u32 {
        // SAFETY: callers ask terminators only.
        unsafe { LLVMGetNumSuccessors(self.raw) }
    }

    /// A block that a terminator names, by its index.
    pub fn successor(self, index: u32) -> Block<'c> {
        // SAFETY: the index is in range.
        Block::new(unsafe { LLVMGetSuccessor(self.raw, index) })
    }

    pub fn successors(self) -> Vec<Block<'c>> {
        (0..self.successor_count()).map(|index| self.successor(index)).collect()
    }

    /// Lets a terminator go to another block.
    pub fn set_successor(self, index: u32, block: Block<'c>) {
        // SAFETY: the index is in range.
        unsafe { LLVMSetSuccessor(self.raw, index, block.raw) }
    }

    /// The condition of a `br`, if it has one, or of a `switch`; other instructions have none.
    pub fn condition(self) -> Option<Value<'c>> {
        // SAFETY: branches alone are asked whether they have a condition, and those that have one for it.
        unsafe {
            match self.opcode() {
                Opcode::LLVMBr if LLVMIsConditional(self.raw) != 0 => {
                    Some(Value::new(LLVMGetCondition(self.raw)))
                }
                Opcode::LLVMSwitch => Some(self.operand(0)),
                _ => None,
            }
        }
    }

    /// The cases of a `switch`: value and target; the default target is successor 0.
    pub fn switch_cases(self) -> Vec<(Value<'c>, Block<'c>)> {
        debug_assert_eq!(self.opcode(), Opcode::LLVMSwitch);
        (1..self.successor_count())
            .map(|i| {
                // SAFETY: case i belongs to successor i.
                let value = unsafe { LLVMGetSwitchCaseValue(self.raw, i) };
                (Value::new(value), self.successor(i))
            })
            .collect()
    }

    /// The incoming values and blocks of a phi.
    pub fn incoming(self) -> Vec<(Value<'c>, Block<'c>)> {
        debug_assert_eq!(self.opcode(), Opcode::LLVMPHI);
        // SAFETY: it is a phi, and the indices are in range.
        unsafe {
            (0..LLVMCountIncoming(self.raw))
                .map(|i| {
                    (
                        Value::new(LLVMGetIncomingValue(self.raw, i)),
                        Block::new(LLVMGetIncomingBlock(self.raw, i)),
                    )
                })
                .collect()
        }
    }

    /// Of a phi, what an earlier incoming value is that comes from the same block, as it does where a switch has
    /// several ways to it. Both have to be the same value.
    pub fn earlier_from_same_block(self, index: u32) -> Option<Value<'c>> {
        let incoming = self.incoming();
        let (earlier, rest) = incoming.split_at_checked(index as usize)?;
        let block = rest.first()?.1;
        earlier.iter().find(|(_, other)| *other == block).map(|(value, _)| *value)
    }

    /// Adds to a `phi` a value for each of some predecessors.
    pub fn add_incoming(self, incoming: &[(Value<'c>, Block<'c>)]) {
        let mut values: Vec<_> = incoming.iter().map(|(value, _)| value.raw).collect();
        let mut blocks: Vec<_> = incoming.iter().map(|(_, block)| block.raw).collect();
        // SAFETY: callers ask phis only; both arrays have the same length.
        unsafe {
            LLVMAddIncoming(self.raw, values.as_mut_ptr(), blocks.as_mut_ptr(), values.len() as u32)
        }
    }

    /// The callee of a `call`: a function, or a pointer.
    pub fn callee(self) -> Value<'c> {
        debug_assert_eq!(self.opcode(), Opcode::LLVMCall);
        // SAFETY: it is a call.
        Value::new(unsafe { LLVMGetCalledValue(self.raw) })
    }

    /// The type of the function that a `call` calls.
    pub fn called_function_type(self) -> Type<'c> {
        debug_assert_eq!(self.opcode(), Opcode::LLVMCall);
        // SAFETY: it is a call.
        Type::new(unsafe { LLVMGetCalledFunctionType(self.raw) })
    }

    /// The arguments of a `call`.
    pub fn arguments(self) -> Vec<Value<'c>> {
        debug_assert_eq!(self.opcode(), Opcode::LLVMCall);
        // SAFETY: it is a call.
        let count = unsafe { LLVMGetNumArgOperands(self.raw) };
        (0..count).map(|index| self.operand(index)).collect()
    }

    /// The type of what an `alloca` allocates.
    pub fn allocated_type(self) -> Type<'c> {
        // SAFETY: callers ask allocas only.
        Type::new(unsafe { LLVMGetAllocatedType(self.raw) })
    }

    /// The type that a `getelementptr` goes through.
    pub fn gep_source_type(self) -> Type<'c> {
        // SAFETY: callers ask GEPs only.
        Type::new(unsafe { LLVMGetGEPSourceElementType(self.raw) })
    }

    /// The index path of an `extractvalue` or `insertvalue`.
    pub fn aggregate_indices(self) -> Vec<u32> {
        // SAFETY: callers ask these two only; LLVM returns that many indices.
        unsafe {
            std::slice::from_raw_parts(
                LLVMGetIndices(self.raw),
                LLVMGetNumIndices(self.raw) as usize,
            )
            .to_vec()
        }
    }

    /// The mask of a `shufflevector`; -1 is poison.
    pub fn shuffle_mask(self) -> Vec<i32> {
        // SAFETY: callers ask shufflevector only, and the indices are in range.
        unsafe {
            (0..LLVMGetNumMaskElements(self.raw)).map(|i| LLVMGetMaskValue(self.raw, i)).collect()
        }
    }

    /// Whether a memory access is volatile.
    pub fn is_volatile(self) -> bool {
        // SAFETY: callers ask memory accesses only.
        unsafe { LLVMGetVolatile(self.raw) != 0 }
    }

    /// Says whether a memory access is volatile.
    pub fn set_volatile(self, volatile: bool) {
        // SAFETY: callers ask memory accesses only.
        unsafe { LLVMSetVolatile(self.raw, volatile as LLVMBool) }
    }

    /// The ordering of a load, store, atomicrmw or fence.
    pub fn ordering(self) -> AtomicOrdering {
        // SAFETY: callers ask these only.
        unsafe { LLVMGetOrdering(self.raw) }
    }

    /// Sets the ordering of a load, store, `atomicrmw` or fence.
    pub fn set_ordering(self, ordering: AtomicOrdering) {
        // SAFETY: callers ask loads, stores, atomicrmw and fences only.
        unsafe { LLVMSetOrdering(self.raw, ordering) }
    }

    /// Whether an instruction is atomic: `cmpxchg`, `atomicrmw`, a fence, or a load or store with an ordering.
    pub fn is_atomic(self) -> bool {
        // SAFETY: callers ask instructions only.
        unsafe { LLVMIsAtomic(self.raw) != 0 }
    }

    /// The synchronization scope of an atomic instruction, by the context's number.
    pub fn sync_scope(self) -> u32 {
        // SAFETY: callers ask atomic instructions only.
        unsafe { LLVMGetAtomicSyncScopeID(self.raw) }
    }

    /// Sets the synchronization scope of an atomic instruction, by the context's number.
    pub fn set_sync_scope(self, scope: u32) {
        // SAFETY: callers ask atomic instructions only.
        unsafe { LLVMSetAtomicSyncScopeID(self.raw, scope) }
    }

    /// The operation of an `atomicrmw`.
    pub fn rmw_operation(self) -> AtomicRmwOp {
        // SAFETY: callers ask atomicrmw only.
        unsafe { LLVMGetAtomicRMWBinOp(self.raw) }
    }

    /// The success and failure orderings of a cmpxchg.
    pub fn cmpxchg_orderings(self) -> (AtomicOrdering, AtomicOrdering) {
        // SAFETY: callers ask cmpxchg only.
        unsafe {
            (LLVMGetCmpXchgSuccessOrdering(self.raw), LLVMGetCmpXchgFailureOrdering(self.raw))
        }
    }

    /// The alignment of an access, alloca or global, in bytes.
    pub fn alignment(self) -> u32 {
        // SAFETY: callers ask these only.
        unsafe { LLVMGetAlignment(self.raw) }
    }

    /// Sets the alignment of a memory access, an `alloca` or a global, in bytes, a power of two.
    pub fn set_alignment(self, bytes: u32) {
        debug_assert!(bytes.is_power_of_two());
        // SAFETY: callers ask accesses, allocas and globals only.
        unsafe { LLVMSetAlignment(self.raw, bytes) }
    }

    /// Copies nuw, nsw, exact, disjoint, nneg and fast-math flags from an instruction of the same opcode.
    pub fn copy_flags_from(self, other: Value<'c>) {
        if !self.is_instruction() || !other.is_instruction() || self.opcode() != other.opcode() {
            return;
        }
        // SAFETY: each flag is asked of the opcodes that have it.
        unsafe {
            match self.opcode() {
                Opcode::LLVMAdd | Opcode::LLVMSub | Opcode::LLVMMul | Opcode::LLVMShl => {
                    LLVMSetNUW(self.raw, LLVMGetNUW(other.raw));
                    LLVMSetNSW(self.raw, LLVMGetNSW(other.raw));
                }
                Opcode::LLVMUDiv | Opcode::LLVMSDiv | Opcode::LLVMLShr | Opcode::LLVMAShr => {
                    LLVMSetExact(self.raw, LLVMGetExact(other.raw));
                }
                Opcode::LLVMOr => LLVMSetIsDisjoint(self.raw, LLVMGetIsDisjoint(other.raw)),
                Opcode::LLVMZExt => LLVMSetNNeg(self.raw, LLVMGetNNeg(other.raw)),
                _ => {}
            }
            if LLVMCanValueUseFastMathFlags(self.raw) != 0
                && LLVMCanValueUseFastMathFlags(other.raw) != 0
            {
                LLVMSetFastMathFlags(self.raw, LLVMGetFastMathFlags(other.raw));
            }
        }
    }

    /// The `disjoint` flag of an `or`.
    pub fn is_disjoint(self) -> bool {
        // SAFETY: callers ask `or` instructions only.
        unsafe { LLVMGetIsDisjoint(self.raw) != 0 }
    }

    /// The `nneg` flag of a `zext`.
    pub fn has_nneg(self) -> bool {
        // SAFETY: callers ask `zext` instructions only.
        unsafe { LLVMGetNNeg(self.raw) != 0 }
    }

    /// Whether an `add`, `sub`, `mul` or `shl` has no signed wrap.
    pub fn has_nsw(self) -> bool {
        // SAFETY: callers ask add, sub, mul, shl only.
        unsafe { LLVMGetNSW(self.raw) != 0 }
    }

    /// Whether an `add`, `sub`, `mul` or `shl` has no unsigned wrap.
    pub fn has_nuw(self) -> bool {
        // SAFETY: callers ask add, sub, mul, shl only.
        unsafe { LLVMGetNUW(self.raw) != 0 }
    }

    /// Says whether an `add`, `sub`, `mul` or `shl` has no signed wrap; leaves alone what LLVM made a constant of.
    pub fn set_nsw(self, on: bool) {
        // SAFETY: callers ask add, sub, mul, shl only; a folded constant is left alone.
        unsafe {
            if self.is_instruction() {
                LLVMSetNSW(self.raw, on as LLVMBool)
            }
        }
    }

    /// Says whether an `add`, `sub`, `mul` or `shl` has no unsigned wrap; leaves alone what LLVM made a constant of.
    pub fn set_nuw(self, on: bool) {
        // SAFETY: callers ask add, sub, mul, shl only; a folded constant is left alone.
        unsafe {
            if self.is_instruction() {
                LLVMSetNUW(self.raw, on as LLVMBool)
            }
        }
    }

    /// Sets the fast-math flags of an instruction that can have them; leaves other values alone.
    pub fn set_fast_math(self, flags: LLVMFastMathFlags) {
        // SAFETY: only instructions that can have the flags get them.
        unsafe {
            if self.is_instruction() && LLVMCanValueUseFastMathFlags(self.raw) != 0 {
                LLVMSetFastMathFlags(self.raw, flags)
            }
        }
    }

    // ---- functions and global variables

    /// The type of a global's value: a function type, or the type of a variable.
    pub fn value_type(self) -> Type<'c> {
        // SAFETY: callers ask globals only.
        Type::new(unsafe { LLVMGlobalGetValueType(self.raw) })
    }

    /// Has no body or initialiser.
    pub fn is_declaration(self) -> bool {
        // SAFETY: callers ask globals only.
        unsafe { LLVMIsDeclaration(self.raw) != 0 }
    }

    pub fn linkage(self) -> Linkage {
        // SAFETY: callers ask globals only.
        unsafe { LLVMGetLinkage(self.raw) }
    }

    pub fn set_linkage(self, linkage: Linkage) {
        // SAFETY: callers ask globals only.
        unsafe { LLVMSetLinkage(self.raw, linkage) }
    }

    /// Hides a global from other objects that are linked dynamically.
    pub fn set_hidden(self) {
        // SAFETY: callers ask globals only.
        unsafe { LLVMSetVisibility(self.raw, llvm_sys::LLVMVisibility::LLVMHiddenVisibility) }
    }

    /// Puts a global in this section of the object.
    pub fn set_section(self, name: &str) {
        let name = c_string(name);
        // SAFETY: callers ask globals only.
        unsafe { LLVMSetSection(self.raw, name.as_ptr()) }
    }

    /// The initial value of a global variable; none for a declaration.
    pub fn initializer(self) -> Option<Value<'c>> {
        // SAFETY: callers ask global variables only.
        Self::optional(unsafe { LLVMGetInitializer(self.raw) })
    }

    /// Gives a global variable its initial value, a constant of its type.
    pub fn set_initializer(self, value: Value<'c>) {
        // SAFETY: the constant has the variable's type.
        unsafe { LLVMSetInitializer(self.raw, value.raw) }
    }

    /// Says whether a global variable is constant.
    pub fn set_global_constant(self, constant: bool) {
        // SAFETY: callers ask global variables only.
        unsafe { LLVMSetGlobalConstant(self.raw, constant as LLVMBool) }
    }

    /// Whether a global variable is constant.
    pub fn is_global_constant(self) -> bool {
        // SAFETY: callers ask global variables only.
        unsafe { LLVMIsGlobalConstant(self.raw) != 0 }
    }

    /// Makes a declaration of a function.
    pub fn delete_body(self) {
        // SAFETY: callers ask functions only.
        unsafe { zluda_delete_body(self.raw) }
    }

    /// Deletes a global variable or a function that nothing uses.
    pub fn delete_global(self) {
        // SAFETY: the caller gives the value up.
        unsafe {
            if self.is_function() {
                LLVMDeleteFunction(self.raw)
            } else {
                LLVMDeleteGlobal(self.raw)
            }
        }
    }

    /// LLVM's number of a calling convention, for a function.
    pub fn set_calling_convention(self, number: u32) {
        // SAFETY: callers ask functions only.
        unsafe { LLVMSetFunctionCallConv(self.raw, number) }
    }

    /// The number of a function's parameters.
    pub fn parameter_count(self) -> u32 {
        // SAFETY: callers ask functions only.
        unsafe { LLVMCountParams(self.raw) }
    }

    /// A parameter of a function, by its index.
    pub fn parameter(self, index: u32) -> Value<'c> {
        debug_assert!(index < self.parameter_count());
        // SAFETY: the index is in range.
        Value::new(unsafe { LLVMGetParam(self.raw, index) })
    }

    pub fn parameters(self) -> Vec<Value<'c>> {
        (0..self.parameter_count()).map(|index| self.parameter(index)).collect()
    }

    /// The blocks of a function, in layout order.
    pub fn blocks(self) -> Vec<Block<'c>> {
        let mut blocks = Vec::new();
        // SAFETY: callers ask functions only; the list is walked without changing it.
        unsafe {
            let mut block = LLVMGetFirstBasicBlock(self.raw);
            while !block.is_null() {
                blocks.push(Block::new(block));
                block = LLVMGetNextBasicBlock(block);
            }
        }
        blocks
    }

    /// The first block of a function that has a body.
    pub fn entry_block(self) -> Block<'c> {
        // SAFETY: callers ask functions with a body only.
        Block::new(unsafe { LLVMGetEntryBasicBlock(self.raw) })
    }
}

impl fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.print().trim())
    }
}

/// A basic block.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Block<'c> {
    pub(crate) raw: LLVMBasicBlockRef,
    _context: PhantomData<&'c Context>,
}

impl<'c> Block<'c> {
    pub(crate) fn new(raw: LLVMBasicBlockRef) -> Self {
        debug_assert!(!raw.is_null());
        Self { raw, _context: PhantomData }
    }

    pub fn name(self) -> String {
        // SAFETY: blocks live as long as their function; callers keep deleted ones away.
        unsafe { CStr::from_ptr(LLVMGetBasicBlockName(self.raw)).to_string_lossy().into_owned() }
    }

    pub fn function(self) -> Value<'c> {
        // SAFETY: as above.
        Value::new(unsafe { LLVMGetBasicBlockParent(self.raw) })
    }

    /// The block as an operand.
    pub fn as_value(self) -> Value<'c> {
        // SAFETY: as above.
        Value::new(unsafe { LLVMBasicBlockAsValue(self.raw) })
    }

    /// The block's last instruction, if it is a terminator.
    pub fn terminator(self) -> Option<Value<'c>> {
        // SAFETY: as above.
        Value::optional(unsafe { LLVMGetBasicBlockTerminator(self.raw) })
    }

    /// The block's first instruction, if it has any.
    pub fn first_instruction(self) -> Option<Value<'c>> {
        // SAFETY: as above.
        Value::optional(unsafe { LLVMGetFirstInstruction(self.raw) })
    }

    /// All instructions, in order.
    pub fn instructions(self) -> Vec<Value<'c>> {
        // LLVM would count them one by one.
        let mut instructions = Vec::with_capacity(64);
        // SAFETY: the list is walked without changing it.
        unsafe {
            let mut instruction = LLVMGetFirstInstruction(self.raw);
            while !instruction.is_null() {
                instructions.push(Value::new(instruction));
                instruction = LLVMGetNextInstruction(instruction);
            }
        }
        instructions
    }

    /// The phis, with which the block begins.
    pub fn phis(self) -> Vec<Value<'c>> {
        let mut phis = Vec::new();
        let mut next = self.first_instruction();
        while let Some(phi) = next.filter(|next| next.opcode() == Opcode::LLVMPHI) {
            phis.push(phi);
            next = phi.next_instruction();
        }
        phis
    }

    /// The blocks that the terminator names.
    pub fn successors(self) -> Vec<Block<'c>> {
        self.terminator().map(Value::successors).unwrap_or_default()
    }

    /// Moves the block behind another one, which may be in another function.
    pub fn move_after(self, other: Block<'c>) {
        // SAFETY: both are blocks of functions.
        unsafe { LLVMMoveBasicBlockAfter(self.raw, other.raw) }
    }

    /// Deletes the block and what is in it.
    pub fn delete(self) {
        // SAFETY: the caller gives the block up.
        unsafe { LLVMDeleteBasicBlock(self.raw) }
    }
}

impl fmt::Debug for Block<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "%{}", self.name())
    }
}
