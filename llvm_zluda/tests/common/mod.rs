//! What several tests need.
// A test stops by panicking.
#![allow(clippy::unwrap_used)]

use llvm_zluda::{CodeGenOptLevel, TargetMachine, host_cpu, host_features};

pub const HOST: &str = "x86_64-unknown-linux-gnu";

/// Makes code for the processor that the tests run on.
pub fn host_machine() -> TargetMachine {
    let level = CodeGenOptLevel::LLVMCodeGenLevelDefault;
    TargetMachine::new(HOST, &host_cpu(), &host_features(), level).unwrap()
}
