//! [`Disassembler`]: machine code to the text that LLVM prints for it.

use std::ffi::{CStr, c_char};
use std::ptr;

use llvm_sys::disassembler::{
    LLVMCreateDisasmCPUFeatures, LLVMDisasmContextRef, LLVMDisasmDispose, LLVMDisasmInstruction,
};

use crate::c_string;
use crate::target::{TargetError, initialize_targets};

/// A disassembler for one processor.
#[derive(Debug)]
pub struct Disassembler {
    raw: LLVMDisasmContextRef,
}

// SAFETY: LLVM keeps nothing of a disassembler in the thread that made it.
unsafe impl Send for Disassembler {}

impl Disassembler {
    /// `features` in LLVM's syntax: `+wavefrontsize32`.
    pub fn new(triple: &str, cpu: &str, features: &str) -> Result<Self, TargetError> {
        initialize_targets();
        let c_triple = c_string(triple);
        let c_cpu = c_string(cpu);
        let c_features = c_string(features);
        // SAFETY: LLVM copies the texts; there are no callbacks and no data for them.
        let raw = unsafe {
            LLVMCreateDisasmCPUFeatures(
                c_triple.as_ptr(),
                c_cpu.as_ptr(),
                c_features.as_ptr(),
                ptr::null_mut(),
                0,
                None,
                None,
            )
        };
        if raw.is_null() {
            return Err(TargetError::Machine { triple: triple.to_owned(), cpu: cpu.to_owned() });
        }
        Ok(Self { raw })
    }

    /// The first instruction of `bytes`, which lies at `address`: its text, trimmed, and its size in
    /// bytes. `None` where no instruction begins so.
    pub fn decode(&self, bytes: &[u8], address: u64) -> Option<(String, usize)> {
        let mut text = [0 as c_char; 512];
        // LLVM reads the bytes only.
        let code = bytes.as_ptr().cast_mut();
        // SAFETY: lengths are those of the buffers; LLVM ends the text with NUL.
        unsafe {
            let size = LLVMDisasmInstruction(
                self.raw,
                code,
                bytes.len() as u64,
                address,
                text.as_mut_ptr(),
                text.len(),
            );
            if size == 0 {
                return None;
            }
            let text = CStr::from_ptr(text.as_ptr()).to_string_lossy();
            Some((text.trim().to_owned(), size))
        }
    }
}

impl Drop for Disassembler {
    fn drop(&mut self) {
        // SAFETY: the disassembler is ours.
        unsafe { LLVMDisasmDispose(self.raw) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_of_two_generations_is_read() {
        let gfx1100 = Disassembler::new("amdgcn-amd-amdhsa", "gfx1100", "").unwrap();
        let endpgm = 0xbfb0_0000_u32.to_le_bytes();
        assert_eq!(gfx1100.decode(&endpgm, 0), Some(("s_endpgm".to_owned(), 4)));
        assert_eq!(gfx1100.decode(&endpgm[..2], 0), None);
        let gfx942 = Disassembler::new("amdgcn-amd-amdhsa", "gfx942", "").unwrap();
        let load = [0xc002_00c0_u32, 0x0000_003c].map(u32::to_le_bytes).concat();
        assert_eq!(gfx942.decode(&load, 0), Some(("s_load_dword s3, s[0:1], 0x3c".to_owned(), 8)));
    }
}
