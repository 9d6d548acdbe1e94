//! Blocks that become a function of their own.

use llvm_sys::prelude::{LLVMBasicBlockRef, LLVMValueRef};

use crate::{Block, Value};

unsafe extern "C" {
    // LLVM's C API has no such function.
    fn zluda_extract(blocks: *const LLVMBasicBlockRef, count: usize) -> LLVMValueRef;
}

/// Makes a function of blocks, and calls it where they were. Control comes to them by the first one only. The function
/// takes one pointer, to a structure of the values that go in and out. None where LLVM has not done it.
pub fn extract<'c>(blocks: &[Block<'c>]) -> Option<Value<'c>> {
    let raw: Vec<_> = blocks.iter().map(|block| block.raw).collect();
    if raw.is_empty() {
        return None;
    }
    // SAFETY: the blocks are alive and of one function.
    let function = unsafe { zluda_extract(raw.as_ptr(), raw.len()) };
    (!function.is_null()).then(|| Value::new(function))
}
