//! [`Type`]: a type of a context, and the constants that are made from it.

use std::fmt;
use std::marker::PhantomData;

use llvm_sys::core::*;
use llvm_sys::prelude::*;

pub use llvm_sys::LLVMTypeKind as TypeKind;

use crate::{Context, Value};

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Type<'c> {
    pub(crate) raw: LLVMTypeRef,
    pub(crate) _context: PhantomData<&'c Context>,
}

impl<'c> Type<'c> {
    pub(crate) fn new(raw: LLVMTypeRef) -> Self {
        Self { raw, _context: PhantomData }
    }

    fn value(self, raw: LLVMValueRef) -> Value<'c> {
        Value::new(raw)
    }

    pub fn kind(self) -> TypeKind {
        // SAFETY: the type lives as long as its context.
        unsafe { LLVMGetTypeKind(self.raw) }
    }

    pub fn is_void(self) -> bool {
        self.kind() == TypeKind::LLVMVoidTypeKind
    }

    pub fn is_int(self) -> bool {
        self.kind() == TypeKind::LLVMIntegerTypeKind
    }

    pub fn is_pointer(self) -> bool {
        self.kind() == TypeKind::LLVMPointerTypeKind
    }

    pub fn is_struct(self) -> bool {
        self.kind() == TypeKind::LLVMStructTypeKind
    }

    pub fn is_array(self) -> bool {
        self.kind() == TypeKind::LLVMArrayTypeKind
    }

    pub fn is_vector(self) -> bool {
        self.kind() == TypeKind::LLVMVectorTypeKind
    }

    /// half, bfloat, float or double.
    pub fn is_float(self) -> bool {
        matches!(
            self.kind(),
            TypeKind::LLVMHalfTypeKind
                | TypeKind::LLVMBFloatTypeKind
                | TypeKind::LLVMFloatTypeKind
                | TypeKind::LLVMDoubleTypeKind
        )
    }

    /// Bits of an integer or floating-point type, 0 for others.
    pub fn bits(self) -> u32 {
        match self.kind() {
            // SAFETY: it is an integer type.
            TypeKind::LLVMIntegerTypeKind => unsafe { LLVMGetIntTypeWidth(self.raw) },
            TypeKind::LLVMHalfTypeKind | TypeKind::LLVMBFloatTypeKind => 16,
            TypeKind::LLVMFloatTypeKind => 32,
            TypeKind::LLVMDoubleTypeKind => 64,
            _ => 0,
        }
    }

    /// The element type of a vector or an array.
    pub fn element(self) -> Type<'c> {
        debug_assert!(self.is_vector() || self.is_array());
        // SAFETY: callers ask vectors and arrays only.
        Type::new(unsafe { LLVMGetElementType(self.raw) })
    }

    /// Elements of a vector or an array, fields of a structure, 0 for others.
    pub fn len(self) -> u64 {
        match self.kind() {
            // SAFETY: the kind was checked, here and below.
            TypeKind::LLVMVectorTypeKind => unsafe { LLVMGetVectorSize(self.raw) as u64 },
            // SAFETY: as above.
            TypeKind::LLVMArrayTypeKind => unsafe { LLVMGetArrayLength2(self.raw) },
            // SAFETY: as above.
            TypeKind::LLVMStructTypeKind => unsafe { LLVMCountStructElementTypes(self.raw) as u64 },
            _ => 0,
        }
    }

    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The fields of a structure.
    pub fn fields(self) -> Vec<Type<'c>> {
        if !self.is_struct() {
            return Vec::new();
        }
        // SAFETY: it is a structure, and the index is in range.
        (0..self.len())
            .map(|i| Type::new(unsafe { LLVMStructGetTypeAtIndex(self.raw, i as u32) }))
            .collect()
    }

    /// The address space of a pointer.
    pub fn address_space(self) -> u32 {
        debug_assert!(self.is_pointer());
        // SAFETY: callers ask pointers only.
        unsafe { LLVMGetPointerAddressSpace(self.raw) }
    }

    /// The result type of a function type.
    pub fn result(self) -> Type<'c> {
        // SAFETY: callers ask function types only.
        Type::new(unsafe { LLVMGetReturnType(self.raw) })
    }

    /// The parameter types of a function type.
    pub fn parameters(self) -> Vec<Type<'c>> {
        // SAFETY: callers ask function types only; the buffer has the length that LLVM names.
        unsafe {
            let mut raw = vec![std::ptr::null_mut(); LLVMCountParamTypes(self.raw) as usize];
            LLVMGetParamTypes(self.raw, raw.as_mut_ptr());
            raw.into_iter().map(Type::new).collect()
        }
    }

    /// A vector of this many elements of a scalar type.
    pub fn vector(self, lanes: u32) -> Type<'c> {
        // SAFETY: the element is a scalar type.
        Type::new(unsafe { LLVMVectorType(self.raw, lanes) })
    }

    /// An array of this many elements.
    pub fn array(self, length: u64) -> Type<'c> {
        // SAFETY: the element is a sized type.
        Type::new(unsafe { LLVMArrayType2(self.raw, length) })
    }

    /// A constant of an integer type; the low bits of `value` count.
    pub fn const_int(self, value: u64) -> Value<'c> {
        debug_assert!(self.is_int());
        // SAFETY: it is an integer type. LLVM wants the value to fit, so it is cut to the type's width.
        let bits = self.bits();
        let value = if bits < 64 { value & ((1 << bits) - 1) } else { value };
        // SAFETY: as above.
        self.value(unsafe { LLVMConstInt(self.raw, value, 0) })
    }

    /// A constant of an integer type wider than 64 bits, from words, least significant first.
    pub fn const_wide_int(self, words: &[u64]) -> Value<'c> {
        // SAFETY: pointer and length describe `words`.
        self.value(unsafe {
            LLVMConstIntOfArbitraryPrecision(self.raw, words.len() as u32, words.as_ptr())
        })
    }

    /// A constant of a floating-point type, rounded to it.
    pub fn const_float(self, value: f64) -> Value<'c> {
        debug_assert!(self.is_float());
        // SAFETY: it is a floating-point type.
        self.value(unsafe { LLVMConstReal(self.raw, value) })
    }

    /// A floating-point constant from its bits, NaN payloads included.
    pub fn const_float_bits(self, bits: u64) -> Value<'c> {
        debug_assert!(self.is_float());
        // SAFETY: an integer of the same width is cast to a floating-point type; LLVM folds it.
        unsafe {
            let context = LLVMGetTypeContext(self.raw);
            let integer = LLVMIntTypeInContext(context, self.bits());
            self.value(LLVMConstBitCast(Type::new(integer).const_int(bits).raw, self.raw))
        }
    }

    /// Zero, null, or an aggregate of zeros.
    pub fn zero(self) -> Value<'c> {
        // SAFETY: the type lives as long as its context.
        self.value(unsafe { LLVMConstNull(self.raw) })
    }

    /// All bits one, of an integer type or a vector of it.
    pub fn all_ones(self) -> Value<'c> {
        // SAFETY: the type lives as long as its context.
        self.value(unsafe { LLVMConstAllOnes(self.raw) })
    }

    pub fn undef(self) -> Value<'c> {
        // SAFETY: the type lives as long as its context.
        self.value(unsafe { LLVMGetUndef(self.raw) })
    }

    pub fn poison(self) -> Value<'c> {
        // SAFETY: the type lives as long as its context.
        self.value(unsafe { LLVMGetPoison(self.raw) })
    }

    /// A constant array with elements of this type.
    pub fn const_array(self, elements: &[Value<'c>]) -> Value<'c> {
        let mut raw: Vec<_> = elements.iter().map(|element| element.raw).collect();
        // SAFETY: `raw` holds constants of this type.
        self.value(unsafe { LLVMConstArray2(self.raw, raw.as_mut_ptr(), raw.len() as u64) })
    }

    /// The type's text.
    pub fn print(self) -> String {
        // SAFETY: LLVM allocates the text; `owned_message` frees it.
        unsafe { crate::value::owned_message(LLVMPrintTypeToString(self.raw)) }
    }
}

impl fmt::Debug for Type<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.print())
    }
}
