//! [`Module`]: functions and globals of one compilation.

use std::ffi::{CString, c_char, c_int};
use std::ptr;

use llvm_sys::analysis::{LLVMVerifierFailureAction, LLVMVerifyModule};
use llvm_sys::bit_reader::LLVMGetBitcodeModuleInContext2;
use llvm_sys::bit_writer::LLVMWriteBitcodeToMemoryBuffer;
use llvm_sys::core::*;
use llvm_sys::ir_reader::LLVMParseIRInContext2;
use llvm_sys::linker::LLVMLinkModules2;
use llvm_sys::prelude::*;

use crate::value::owned_message;
use crate::{Block, Context, Linkage, Type, Value, c_string};

unsafe extern "C" {
    // LLVM's C API has no such function.
    fn zluda_read_bodies(module: LLVMModuleRef, message: *mut *mut c_char) -> c_int;
}

pub struct Module<'c> {
    context: &'c Context,
    raw: LLVMModuleRef,
}

impl<'c> Module<'c> {
    /// # Safety
    /// `raw` is a module of `context` that nothing else owns.
    pub(crate) unsafe fn from_raw(context: &'c Context, raw: LLVMModuleRef) -> Self {
        Self { context, raw }
    }

    pub(crate) fn raw(&self) -> LLVMModuleRef {
        self.raw
    }

    pub fn context(&self) -> &'c Context {
        self.context
    }

    /// Reads textual IR or bitcode; the error is LLVM's, with line and column.
    pub fn parse(context: &'c Context, name: &str, text: &str) -> Result<Self, String> {
        let text = CString::new(text).map_err(|_| "the text holds a NUL byte".to_owned())?;
        let name = c_string(name);
        let mut raw = ptr::null_mut();
        let mut message = ptr::null_mut();
        // SAFETY: the buffer copies the text and is disposed after parsing, which does not consume it.
        unsafe {
            let bytes = text.as_bytes();
            let buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(
                bytes.as_ptr().cast(),
                bytes.len(),
                name.as_ptr(),
            );
            let failed = LLVMParseIRInContext2(context.raw(), buffer, &mut raw, &mut message);
            LLVMDisposeMemoryBuffer(buffer);
            if failed != 0 {
                return Err(owned_message(message));
            }
            Ok(Self::from_raw(context, raw))
        }
    }

    /// Reads bitcode, the bodies of functions only once they are looked at.
    pub fn read_bitcode(
        context: &'c Context,
        name: &str,
        bytes: &'static [u8],
    ) -> Result<Self, String> {
        let c_name = c_string(name);
        // SAFETY: the buffer refers to the bytes, which live forever.
        unsafe {
            let buffer = LLVMCreateMemoryBufferWithMemoryRange(
                bytes.as_ptr().cast(),
                bytes.len(),
                c_name.as_ptr(),
                0,
            );
            Self::read_buffer(context, name, buffer)
        }
    }

    /// As above, of a copy of the bytes.
    pub fn read_bitcode_copy(
        context: &'c Context,
        name: &str,
        bytes: &[u8],
    ) -> Result<Self, String> {
        let c_name = c_string(name);
        // SAFETY: the buffer copies the bytes.
        unsafe {
            let buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(
                bytes.as_ptr().cast(),
                bytes.len(),
                c_name.as_ptr(),
            );
            Self::read_buffer(context, name, buffer)
        }
    }

    /// Reads the bodies that have not been looked at, and not been deleted, so that their uses of others are known.
    pub fn read_bodies(&self) -> Result<(), String> {
        let mut message = ptr::null_mut();
        // SAFETY: LLVM sets the message where it fails, which `owned_message` frees.
        unsafe {
            match zluda_read_bodies(self.raw, &mut message) {
                0 => Ok(()),
                _ => Err(owned_message(message)),
            }
        }
    }

    /// # Safety
    /// `buffer` is given up, and what it refers to lives as long as the module.
    unsafe fn read_buffer(
        context: &'c Context,
        name: &str,
        buffer: LLVMMemoryBufferRef,
    ) -> Result<Self, String> {
        let mut raw = ptr::null_mut();
        // SAFETY: the module takes the buffer over, if there is one.
        unsafe {
            if LLVMGetBitcodeModuleInContext2(context.raw(), buffer, &mut raw) != 0 {
                return Err(format!("`{name}` is no bitcode"));
            }
            Ok(Self::from_raw(context, raw))
        }
    }

    /// The module's text.
    pub fn print(&self) -> String {
        // SAFETY: LLVM allocates the text.
        unsafe { owned_message(LLVMPrintModuleToString(self.raw)) }
    }

    /// The module as LLVM's bitcode.
    pub fn bitcode(&self) -> Vec<u8> {
        // SAFETY: LLVM returns a buffer that is copied and disposed.
        unsafe {
            let buffer = LLVMWriteBitcodeToMemoryBuffer(self.raw);
            let bytes = std::slice::from_raw_parts(
                LLVMGetBufferStart(buffer).cast(),
                LLVMGetBufferSize(buffer),
            )
            .to_vec();
            LLVMDisposeMemoryBuffer(buffer);
            bytes
        }
    }

    /// Checks that the IR is well-formed; the error is LLVM's text.
    pub fn verify(&self) -> Result<(), String> {
        let mut message = ptr::null_mut();
        // SAFETY: LLVM sets the message, which `owned_message` frees.
        unsafe {
            let failed = LLVMVerifyModule(
                self.raw,
                LLVMVerifierFailureAction::LLVMReturnStatusAction,
                &mut message,
            );
            let text = owned_message(message);
            if failed != 0 { Err(text) } else { Ok(()) }
        }
    }

    /// A copy in the same context.
    pub fn duplicate(&self) -> Module<'c> {
        // SAFETY: the clone is ours.
        unsafe { Module::from_raw(self.context, LLVMCloneModule(self.raw)) }
    }

    /// Moves everything of `other` into this module.
    pub fn link(&self, other: Module<'c>) -> Result<(), String> {
        let raw = other.raw;
        std::mem::forget(other);
        // SAFETY: LLVM takes the other module over, also on failure.
        if unsafe { LLVMLinkModules2(self.raw, raw) } != 0 {
            return Err("the modules do not link".to_owned());
        }
        Ok(())
    }

    /// Sets the target triple.
    pub fn set_triple(&self, triple: &str) {
        let triple = c_string(triple);
        // SAFETY: LLVM copies the text.
        unsafe { LLVMSetTarget(self.raw, triple.as_ptr()) }
    }

    /// Sets the data layout, which has to be one of LLVM's own targets.
    pub fn set_data_layout(&self, layout: &str) {
        let layout = c_string(layout);
        // SAFETY: LLVM copies the text. Callers give layouts of LLVM's own targets.
        unsafe { LLVMSetDataLayout(self.raw, layout.as_ptr()) }
    }

    /// The data layout; empty where none is set.
    pub fn data_layout(&self) -> String {
        // SAFETY: the text lives as long as the module.
        unsafe {
            std::ffi::CStr::from_ptr(LLVMGetDataLayoutStr(self.raw)).to_string_lossy().into_owned()
        }
    }

    /// Bytes that a value of the type takes in memory, padding to its alignment included.
    pub fn size_of(&self, ty: Type<'c>) -> u64 {
        use llvm_sys::target::{LLVMABISizeOfType, LLVMGetModuleDataLayout};
        // SAFETY: the layout belongs to the module, and the type is sized.
        unsafe { LLVMABISizeOfType(LLVMGetModuleDataLayout(self.raw), ty.raw) }
    }

    /// Bytes that a store of the type may write.
    pub fn store_size_of(&self, ty: Type<'c>) -> u64 {
        use llvm_sys::target::{LLVMGetModuleDataLayout, LLVMStoreSizeOfType};
        // SAFETY: as above.
        unsafe { LLVMStoreSizeOfType(LLVMGetModuleDataLayout(self.raw), ty.raw) }
    }

    /// The ABI alignment of a sized type, in bytes.
    pub fn align_of(&self, ty: Type<'c>) -> u32 {
        use llvm_sys::target::{LLVMABIAlignmentOfType, LLVMGetModuleDataLayout};
        // SAFETY: as above.
        unsafe { LLVMABIAlignmentOfType(LLVMGetModuleDataLayout(self.raw), ty.raw) }
    }

    /// Bytes from the start of a structure to its field.
    pub fn offset_of(&self, ty: Type<'c>, field: u32) -> u64 {
        use llvm_sys::target::{LLVMGetModuleDataLayout, LLVMOffsetOfElement};
        // SAFETY: callers give a structure and one of its fields.
        unsafe { LLVMOffsetOfElement(LLVMGetModuleDataLayout(self.raw), ty.raw, field) }
    }

    /// The function of this name, declared or defined.
    pub fn function(&self, name: &str) -> Option<Value<'c>> {
        let name = c_string(name);
        // SAFETY: the module is alive.
        let raw = unsafe { LLVMGetNamedFunction(self.raw, name.as_ptr()) };
        (!raw.is_null()).then(|| Value::new(raw))
    }

    /// The global variable of this name, declared or defined.
    pub fn global(&self, name: &str) -> Option<Value<'c>> {
        let name = c_string(name);
        // SAFETY: the module is alive.
        let raw = unsafe { LLVMGetNamedGlobal(self.raw, name.as_ptr()) };
        (!raw.is_null()).then(|| Value::new(raw))
    }

    /// All functions, declarations included.
    pub fn functions(&self) -> Vec<Value<'c>> {
        let mut functions = Vec::new();
        // SAFETY: the list is walked without changing it.
        unsafe {
            let mut function = LLVMGetFirstFunction(self.raw);
            while !function.is_null() {
                functions.push(Value::new(function));
                function = LLVMGetNextFunction(function);
            }
        }
        functions
    }

    /// All global variables, in the module's order.
    pub fn globals(&self) -> Vec<Value<'c>> {
        let mut globals = Vec::new();
        // SAFETY: the list is walked without changing it.
        unsafe {
            let mut global = LLVMGetFirstGlobal(self.raw);
            while !global.is_null() {
                globals.push(Value::new(global));
                global = LLVMGetNextGlobal(global);
            }
        }
        globals
    }

    /// Adds a function; a name that is taken gets a suffix.
    pub fn add_function(&self, name: &str, ty: Type<'c>) -> Value<'c> {
        let name = c_string(name);
        // SAFETY: `ty` is a function type of this context.
        Value::new(unsafe { LLVMAddFunction(self.raw, name.as_ptr(), ty.raw) })
    }

    /// The function of that name, declared if it is not there.
    pub fn declare_function(&self, name: &str, ty: Type<'c>) -> Value<'c> {
        self.function(name).unwrap_or_else(|| self.add_function(name, ty))
    }

    /// Adds a global variable without an initializer.
    pub fn add_global(
        &self,
        name: &str,
        ty: Type<'c>,
        address_space: u32,
        linkage: Linkage,
    ) -> Value<'c> {
        let name = c_string(name);
        // SAFETY: `ty` is a sized type of this context.
        let global = Value::new(unsafe {
            LLVMAddGlobalInAddressSpace(self.raw, ty.raw, name.as_ptr(), address_space)
        });
        global.set_linkage(linkage);
        global
    }

    /// Adds an empty block at a function's end.
    pub fn append_block(&self, function: Value<'c>, name: &str) -> Block<'c> {
        let name = c_string(name);
        // SAFETY: `function` is a function of this context.
        Block::new(unsafe {
            LLVMAppendBasicBlockInContext(self.context.raw(), function.raw, name.as_ptr())
        })
    }
}

impl Drop for Module<'_> {
    fn drop(&mut self) {
        // SAFETY: the module is ours.
        unsafe { LLVMDisposeModule(self.raw) }
    }
}
