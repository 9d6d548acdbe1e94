//! [`TargetMachine`]: code generation for x86-64 and AMDGPU.

use std::ffi::{CStr, CString, c_char, c_int};
use std::ptr;
use std::sync::OnceLock;

use llvm_sys::core::{
    LLVMDisposeMemoryBuffer, LLVMDisposeMessage, LLVMGetBufferSize, LLVMGetBufferStart,
};
use llvm_sys::prelude::{LLVMMemoryBufferRef, LLVMModuleRef};
use llvm_sys::target::*;
use llvm_sys::target_machine::*;

use crate::pool::{Kind, Pooled};
use crate::value::owned_message;
use crate::{Module, c_string};

pub use llvm_sys::target_machine::LLVMCodeGenOptLevel as CodeGenOptLevel;

#[derive(Debug, thiserror::Error)]
pub enum TargetError {
    #[error("LLVM has no target `{triple}`: {message}")]
    Unknown { triple: String, message: String },
    #[error("LLVM cannot make a machine for `{triple}`, processor `{cpu}`")]
    Machine { triple: String, cpu: String },
    #[error("code generation failed: {0}")]
    Emit(String),
}

unsafe extern "C" {
    // llvm-sys does not declare this one.
    fn LLVMInitializeAMDGPUDisassembler();
    fn zluda_set_option(name: *const c_char, value: *const c_char) -> c_int;
    fn zluda_emit(
        machine: LLVMTargetMachineRef,
        module: LLVMModuleRef,
        assembly: c_int,
        left_out: *const LeftOut,
        count: usize,
    ) -> LLVMMemoryBufferRef;
    fn zluda_pass_names(machine: LLVMTargetMachineRef) -> LLVMMemoryBufferRef;
}

/// As the C++ has it.
#[repr(C)]
struct LeftOut {
    name: *const c_char,
    first_only: bool,
}

/// Options of LLVM's and their values. They are the process's, so that all of them name the target that they mean:
/// AMDGPU's code generator looks for sums and products of addresses that are the same, once more after the passes. The
/// register allocator splits values around regions at a cost that grows with the function; in long ones it gives up soon.
/// Code that runs for one lane after the other is loops of a few instructions, which take a quarter longer if they lie in
/// two lines of the cache. A vector of equal floats is one constant instead of an array, whose elements LLVM's analyses ask for one by
/// one: a fiftieth of the time to compile goes into that.
const OPTIONS: [(&CStr, &CStr); 4] = [
    (c"amdgpu-scalar-ir-passes", c"0"),
    (c"grow-region-complexity-budget", c"30"),
    (c"x86-experimental-pref-innermost-loop-alignment", c"5"),
    (c"use-constant-fp-for-fixed-length-splat", c"true"),
];

/// Makes the targets known to LLVM, once a process. Returns how many of [`OPTIONS`] it has taken: none where another
/// library of this process shares LLVM, and has set them.
pub(crate) fn initialize_targets() -> usize {
    static TAKEN: OnceLock<usize> = OnceLock::new();
    // SAFETY: LLVM's registries are filled once, by one thread. The texts end in NULs.
    *TAKEN.get_or_init(|| unsafe {
        let is_taken =
            |(name, value): &(&CStr, &CStr)| zluda_set_option(name.as_ptr(), value.as_ptr()) == 0;
        let taken = OPTIONS.iter().filter(|option| is_taken(option)).count();
        LLVMInitializeX86TargetInfo();
        LLVMInitializeX86Target();
        LLVMInitializeX86TargetMC();
        LLVMInitializeX86AsmPrinter();
        LLVMInitializeX86AsmParser();
        LLVMInitializeX86Disassembler();
        LLVMInitializeAMDGPUTargetInfo();
        LLVMInitializeAMDGPUTarget();
        LLVMInitializeAMDGPUTargetMC();
        LLVMInitializeAMDGPUAsmPrinter();
        LLVMInitializeAMDGPUAsmParser();
        LLVMInitializeAMDGPUDisassembler();
        taken
    })
}

/// A code generator for one processor. Position-independent code, small code model.
pub struct TargetMachine {
    machine: Pooled,
    /// Names of passes that are not worth their time, and whether that holds for the first time only that LLVM would
    /// run them.
    left_out: Vec<(CString, bool)>,
}

impl TargetMachine {
    /// `features` in LLVM's syntax: `+avx2,-avx512f`.
    pub fn new(
        triple: &str,
        cpu: &str,
        features: &str,
        level: CodeGenOptLevel,
    ) -> Result<Self, TargetError> {
        initialize_targets();
        let kind = Kind {
            triple: triple.to_owned(),
            cpu: cpu.to_owned(),
            features: features.to_owned(),
            level: level as u32,
        };
        if let Some(machine) = Pooled::idle(&kind) {
            return Ok(Self { machine, left_out: Vec::new() });
        }
        let c_triple = c_string(triple);
        let c_cpu = c_string(cpu);
        let c_features = c_string(features);
        // SAFETY: LLVM copies the texts; out pointers are ours.
        unsafe {
            let mut target = ptr::null_mut();
            let mut message = ptr::null_mut();
            if LLVMGetTargetFromTriple(c_triple.as_ptr(), &mut target, &mut message) != 0 {
                return Err(TargetError::Unknown {
                    triple: triple.to_owned(),
                    message: owned_message(message),
                });
            }
            let raw = LLVMCreateTargetMachine(
                target,
                c_triple.as_ptr(),
                c_cpu.as_ptr(),
                c_features.as_ptr(),
                level,
                LLVMRelocMode::LLVMRelocPIC,
                LLVMCodeModel::LLVMCodeModelDefault,
            );
            if raw.is_null() {
                return Err(TargetError::Machine {
                    triple: triple.to_owned(),
                    cpu: cpu.to_owned(),
                });
            }
            Ok(Self { machine: Pooled::new(kind, raw), left_out: Vec::new() })
        }
    }

    pub(crate) fn raw(&self) -> LLVMTargetMachineRef {
        self.machine.raw()
    }

    /// The target's data layout, for [`Module::set_data_layout`].
    pub fn data_layout(&self) -> String {
        // SAFETY: the layout and its text are disposed after copying.
        unsafe {
            let layout = LLVMCreateTargetDataLayout(self.raw());
            let text = LLVMCopyStringRepOfTargetData(layout);
            LLVMDisposeTargetData(layout);
            owned_message(text)
        }
    }

    /// A relocatable object file.
    pub fn emit_object(&self, module: &Module<'_>) -> Result<Vec<u8>, TargetError> {
        self.emit(module, LLVMCodeGenFileType::LLVMObjectFile)
    }

    /// Has assembly with LLVM's comments from now on.
    pub fn comment_assembly(&self) {
        // SAFETY: the machine is alive.
        unsafe { LLVMSetTargetMachineAsmVerbosity(self.raw(), 1) }
    }

    /// Assembly text.
    pub fn emit_assembly(&self, module: &Module<'_>) -> Result<String, TargetError> {
        let bytes = self.emit(module, LLVMCodeGenFileType::LLVMAssemblyFile)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Leaves passes out of code generation from now on, by the names that `llc -debug-pass=Structure` shows.
    pub fn disable_passes(&mut self, names: &[&str]) {
        self.left_out.extend(names.iter().map(|name| (c_string(name), false)));
    }

    /// As [`Self::disable_passes`], where LLVM would run a pass for the first time.
    pub fn disable_first_passes(&mut self, names: &[&str]) {
        self.left_out.extend(names.iter().map(|name| (c_string(name), true)));
    }

    /// The names that were left out and that no pass has. LLVM knows a pass by its name alone, and a new version may
    /// give it another one.
    pub fn left_out_in_vain(&self) -> Vec<String> {
        // SAFETY: the machine is alive; the buffer is copied and disposed.
        let names = unsafe {
            let buffer = zluda_pass_names(self.raw());
            if buffer.is_null() {
                return Vec::new();
            }
            let bytes = std::slice::from_raw_parts(
                LLVMGetBufferStart(buffer).cast::<u8>(),
                LLVMGetBufferSize(buffer),
            );
            let names = String::from_utf8_lossy(bytes).into_owned();
            LLVMDisposeMemoryBuffer(buffer);
            names
        };
        let left_out = self.left_out.iter().map(|(name, _)| name.to_string_lossy());
        let in_vain = left_out.filter(|name| !names.lines().any(|pass| pass == name));
        in_vain.map(|name| name.into_owned()).collect()
    }

    fn emit(&self, module: &Module<'_>, kind: LLVMCodeGenFileType) -> Result<Vec<u8>, TargetError> {
        let left_out: Vec<_> = self
            .left_out
            .iter()
            .map(|(name, first_only)| LeftOut { name: name.as_ptr(), first_only: *first_only })
            .collect();
        let is_assembly = matches!(kind, LLVMCodeGenFileType::LLVMAssemblyFile);
        // SAFETY: module, machine and names are alive; the buffer is copied and disposed.
        unsafe {
            let buffer = zluda_emit(
                self.raw(),
                module.raw(),
                is_assembly.into(),
                left_out.as_ptr(),
                left_out.len(),
            );
            if buffer.is_null() {
                return Err(TargetError::Emit("the target makes no such file".to_owned()));
            }
            let bytes = std::slice::from_raw_parts(
                LLVMGetBufferStart(buffer).cast::<u8>(),
                LLVMGetBufferSize(buffer),
            )
            .to_vec();
            LLVMDisposeMemoryBuffer(buffer);
            // Errors of single instructions do not stop LLVM; what comes out is of no use.
            match module.context().take_errors() {
                errors if errors.is_empty() => Ok(bytes),
                errors => Err(TargetError::Emit(errors.join("; "))),
            }
        }
    }
}

/// This machine's processor in LLVM's name, such as `znver3`.
pub fn host_cpu() -> String {
    // SAFETY: LLVM allocates the text.
    unsafe { take(LLVMGetHostCPUName()) }
}

/// This machine's processor features in LLVM's syntax.
pub fn host_features() -> String {
    // SAFETY: LLVM allocates the text.
    unsafe { take(LLVMGetHostCPUFeatures()) }
}

/// # Safety
/// `text` is NUL-terminated and ours.
unsafe fn take(text: *mut std::ffi::c_char) -> String {
    // SAFETY: the caller promises it.
    unsafe {
        let copy = CStr::from_ptr(text).to_string_lossy().into_owned();
        LLVMDisposeMessage(text);
        copy
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Context;

    #[test]
    fn llvm_knows_every_option() {
        assert_eq!(initialize_targets(), OPTIONS.len());
    }

    #[test]
    fn what_a_target_lacks_is_an_error_and_no_end_of_the_process() {
        let context = Context::new();
        let module = Module::parse(&context, "m", "module asm \"no instruction\"").unwrap();
        let triple = "amdgcn-amd-amdhsa";
        let level = CodeGenOptLevel::LLVMCodeGenLevelDefault;
        let machine = TargetMachine::new(triple, "gfx1100", "", level).unwrap();
        module.set_triple(triple);
        module.set_data_layout(&machine.data_layout());
        let error = machine.emit_object(&module).unwrap_err();
        assert!(error.to_string().contains("invalid instruction"), "{error}");
    }
}
