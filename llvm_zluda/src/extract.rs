//! Blocks that become a function of their own.

use std::ffi::c_void;
use std::marker::PhantomData;

use llvm_sys::prelude::{LLVMBasicBlockRef, LLVMValueRef};

use crate::{Block, Value};

unsafe extern "C" {
    // LLVM's C API has no such functions.
    fn zluda_extraction(function: LLVMValueRef) -> *mut c_void;
    fn zluda_end_extraction(cache: *mut c_void);
    fn zluda_extract(
        cache: *mut c_void,
        blocks: *const LLVMBasicBlockRef,
        count: usize,
    ) -> LLVMValueRef;
}

/// Makes functions of a function's blocks.
pub struct Extractor<'c> {
    /// What LLVM knows of the function, by a look at all of it.
    cache: *mut c_void,
    of: PhantomData<Value<'c>>,
}

impl<'c> Extractor<'c> {
    /// Of a function that loses no blocks and gets no accesses of memory by others, as long as this is in use.
    pub fn new(function: Value<'c>) -> Self {
        // SAFETY: the function is alive, and has a body where it has blocks.
        Self { cache: unsafe { zluda_extraction(function.raw) }, of: PhantomData }
    }

    /// Makes a function of blocks, and calls it where they were. Control comes to them by the first one only. The function
    /// takes one pointer, to a structure of the values that go in and out. None where LLVM has not done it.
    pub fn extract(&mut self, blocks: &[Block<'c>]) -> Option<Value<'c>> {
        let raw: Vec<_> = blocks.iter().map(|block| block.raw).collect();
        if raw.is_empty() {
            return None;
        }
        // SAFETY: the blocks are alive and of the function that the cache is of.
        let function = unsafe { zluda_extract(self.cache, raw.as_ptr(), raw.len()) };
        (!function.is_null()).then(|| Value::new(function))
    }
}

impl Drop for Extractor<'_> {
    fn drop(&mut self) {
        // SAFETY: nothing else has the cache.
        unsafe { zluda_end_extraction(self.cache) };
    }
}
