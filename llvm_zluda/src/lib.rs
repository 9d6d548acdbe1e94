//! Safe wrappers over LLVM 22 and lld, the only crate that names LLVM's C API.
//!
//! Start with [`Context`]: it makes types, modules and builders, and everything that comes from it
//! borrows it. [`Value`], [`Type`] and [`Block`] are plain copies of LLVM's pointers.
//!
//! LLVM aborts the process on misuse (a cast between unfit types, an operand of another context), so
//! callers build well-typed IR and run [`Module::verify`] in tests. Text from outside only reaches LLVM
//! through [`Module::parse`], which returns errors.

mod builder;
mod context;
mod disassembler;
mod extract;
mod link;
mod metadata;
mod module;
mod output;
mod passes;
mod pool;
mod target;
mod timing;
mod types;
mod value;
mod watch;

pub use builder::Builder;
pub use context::Context;
pub use disassembler::Disassembler;
pub use extract::Extractor;
pub use link::{LinkError, link_elf};
pub use metadata::{MemoryEffects, llvm_version};
pub use module::Module;
pub use passes::{PassError, run_passes};
pub use target::{CodeGenOptLevel, TargetError, TargetMachine, host_cpu, host_features};
pub use timing::timed;
pub use types::{Type, TypeKind};
pub use value::{Block, Value};
pub use watch::{Stopped, Watch};

pub use llvm_sys::LLVMAtomicOrdering as AtomicOrdering;
pub use llvm_sys::LLVMAtomicRMWBinOp as AtomicRmwOp;
pub use llvm_sys::LLVMIntPredicate as IntPredicate;
pub use llvm_sys::LLVMLinkage as Linkage;
pub use llvm_sys::LLVMOpcode as Opcode;
pub use llvm_sys::LLVMRealPredicate as RealPredicate;
pub use llvm_sys::LLVMValueKind as ValueKind;

use std::ffi::CString;

/// Whether LLVM is there. A build for Windows may be without it: then nothing can be compiled, and nothing but
/// [`host_cpu`] and [`host_features`] may be called.
pub const IS_THERE: bool = cfg!(not(zluda_without_llvm));

/// NUL-terminated copy of a name. LLVM names hold no NUL; what comes after one is dropped.
fn c_string(text: &str) -> CString {
    let end = text.bytes().position(|byte| byte == 0).unwrap_or(text.len());
    CString::new(&text[..end]).unwrap_or_default()
}
