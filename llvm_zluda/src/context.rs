//! [`Context`]: the owner of types, constants and modules.

use std::cell::RefCell;
use std::ffi::c_void;
use std::marker::PhantomData;

use llvm_sys::LLVMDiagnosticSeverity;
use llvm_sys::core::*;
use llvm_sys::prelude::*;

use crate::target::initialize_targets;
use crate::{Builder, Module, Type, Value, c_string};

/// An LLVM context. One thread at a time uses it; different contexts are independent.
pub struct Context {
    raw: LLVMContextRef,
    /// The messages that LLVM has called errors. Without a handler it would print them and end the process.
    errors: Box<RefCell<Vec<String>>>,
}

impl Default for Context {
    fn default() -> Self {
        Self::new()
    }
}

/// Remarks and warnings are dropped.
extern "C" fn keep_error(diagnostic: LLVMDiagnosticInfoRef, errors: *mut c_void) {
    // SAFETY: LLVM passes what the handler was registered with, which lives as long as the context, and a
    // diagnostic, whose text it allocates.
    unsafe {
        let severity = LLVMGetDiagInfoSeverity(diagnostic);
        if severity != LLVMDiagnosticSeverity::LLVMDSError {
            return;
        }
        let text = crate::value::owned_message(LLVMGetDiagInfoDescription(diagnostic));
        (*errors.cast::<RefCell<Vec<String>>>()).borrow_mut().push(text);
    }
}

impl Context {
    /// An empty context; sets up LLVM's targets before it makes the first one.
    pub fn new() -> Self {
        // A constant has one form in a context, which LLVM's options say.
        initialize_targets();
        let errors = Box::<RefCell<Vec<String>>>::default();
        let place: *const RefCell<Vec<String>> = &*errors;
        // SAFETY: creates an object that `drop` destroys, before the box that the handler is given.
        let raw = unsafe {
            let raw = LLVMContextCreate();
            LLVMContextSetDiagnosticHandler(raw, Some(keep_error), place.cast_mut().cast());
            raw
        };
        Self { raw, errors }
    }

    /// Values that are not global get no names here. That is faster, and code is the same; text of LLVM's cannot be parsed.
    pub fn without_names() -> Self {
        let context = Self::new();
        // SAFETY: the context is alive.
        unsafe { LLVMContextSetDiscardValueNames(context.raw, 1) };
        context
    }

    /// The messages that LLVM has called errors since the last time.
    pub(crate) fn take_errors(&self) -> Vec<String> {
        self.errors.take()
    }

    pub(crate) fn raw(&self) -> LLVMContextRef {
        self.raw
    }

    fn ty(&self, raw: LLVMTypeRef) -> Type<'_> {
        Type { raw, _context: PhantomData }
    }

    /// An empty module of this name.
    pub fn module(&self, name: &str) -> Module<'_> {
        let name = c_string(name);
        // SAFETY: the context is alive; the module owns the result.
        let raw = unsafe { LLVMModuleCreateWithNameInContext(name.as_ptr(), self.raw) };
        // SAFETY: `raw` is a new module of this context.
        unsafe { Module::from_raw(self, raw) }
    }

    /// A builder that is not placed yet.
    pub fn builder(&self) -> Builder<'_> {
        Builder::new(self)
    }

    pub fn void(&self) -> Type<'_> {
        // SAFETY: the context is alive.
        self.ty(unsafe { LLVMVoidTypeInContext(self.raw) })
    }

    /// An integer type of `bits` bits, 1 to 2^23.
    pub fn int(&self, bits: u32) -> Type<'_> {
        // SAFETY: the context is alive.
        self.ty(unsafe { LLVMIntTypeInContext(self.raw, bits) })
    }

    pub fn i1(&self) -> Type<'_> {
        self.int(1)
    }

    pub fn i8(&self) -> Type<'_> {
        self.int(8)
    }

    pub fn i16(&self) -> Type<'_> {
        self.int(16)
    }

    pub fn i32(&self) -> Type<'_> {
        self.int(32)
    }

    pub fn i64(&self) -> Type<'_> {
        self.int(64)
    }

    pub fn half(&self) -> Type<'_> {
        // SAFETY: the context is alive.
        self.ty(unsafe { LLVMHalfTypeInContext(self.raw) })
    }

    pub fn bfloat(&self) -> Type<'_> {
        // SAFETY: the context is alive.
        self.ty(unsafe { LLVMBFloatTypeInContext(self.raw) })
    }

    pub fn f32(&self) -> Type<'_> {
        // SAFETY: the context is alive.
        self.ty(unsafe { LLVMFloatTypeInContext(self.raw) })
    }

    pub fn f64(&self) -> Type<'_> {
        // SAFETY: the context is alive.
        self.ty(unsafe { LLVMDoubleTypeInContext(self.raw) })
    }

    /// A pointer in `address_space`.
    pub fn ptr(&self, address_space: u32) -> Type<'_> {
        // SAFETY: the context is alive.
        self.ty(unsafe { LLVMPointerTypeInContext(self.raw, address_space) })
    }

    /// A literal structure type.
    pub fn structure<'c>(&'c self, fields: &[Type<'c>], packed: bool) -> Type<'c> {
        let mut raw: Vec<_> = fields.iter().map(|field| field.raw).collect();
        // SAFETY: `raw` holds types of this context.
        self.ty(unsafe {
            LLVMStructTypeInContext(
                self.raw,
                raw.as_mut_ptr(),
                raw.len() as u32,
                packed as LLVMBool,
            )
        })
    }

    /// A constant of a literal structure type.
    pub fn const_structure<'c>(&'c self, fields: &[Value<'c>]) -> Value<'c> {
        let mut raw: Vec<_> = fields.iter().map(|field| field.raw).collect();
        // SAFETY: `raw` holds constants of this context.
        Value::new(unsafe {
            LLVMConstStructInContext(self.raw, raw.as_mut_ptr(), raw.len() as u32, 0)
        })
    }

    /// The type of functions that take exactly these parameters.
    pub fn function_type<'c>(&'c self, result: Type<'c>, parameters: &[Type<'c>]) -> Type<'c> {
        let mut raw: Vec<_> = parameters.iter().map(|parameter| parameter.raw).collect();
        // SAFETY: `raw` holds types of this context.
        self.ty(unsafe { LLVMFunctionType(result.raw, raw.as_mut_ptr(), raw.len() as u32, 0) })
    }

    /// The number of a synchronisation scope such as `"agent"`; the empty name is the whole system.
    pub fn sync_scope(&self, name: &str) -> u32 {
        // SAFETY: pointer and length describe `name`.
        unsafe { LLVMGetSyncScopeID(self.raw, name.as_ptr().cast(), name.len()) }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: everything that borrowed the context is gone.
        unsafe { LLVMContextDispose(self.raw) }
    }
}
