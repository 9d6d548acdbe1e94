//! LLVM's own passes.

use std::ffi::CString;
use std::ptr;

use llvm_sys::error::{LLVMDisposeErrorMessage, LLVMErrorRef, LLVMGetErrorMessage};
use llvm_sys::prelude::LLVMBool;
use llvm_sys::transforms::pass_builder::*;

use crate::{Module, TargetMachine};

/// LLVM did not take the pipeline's text.
#[derive(Debug, thiserror::Error)]
#[error("LLVM refuses the pass pipeline `{pipeline}`: {message}")]
pub struct PassError {
    pub pipeline: String,
    pub message: String,
}

/// Runs a pipeline in the syntax of `opt -passes=`, such as `function(sroa,early-cse),globaldce`.
///
/// `machine` gives the passes the target's costs. `verify_each` checks the IR after every pass.
/// Loop and SLP vectorisation are on only where the pipeline names their passes.
pub fn run_passes(
    module: &Module<'_>,
    pipeline: &str,
    machine: Option<&TargetMachine>,
    verify_each: bool,
) -> Result<(), PassError> {
    let text = CString::new(pipeline).map_err(|_| PassError {
        pipeline: pipeline.to_owned(),
        message: "it holds a NUL byte".to_owned(),
    })?;
    // SAFETY: module and machine are alive; the options are disposed after the run.
    let error = unsafe {
        let options = LLVMCreatePassBuilderOptions();
        LLVMPassBuilderOptionsSetVerifyEach(options, verify_each as LLVMBool);
        LLVMPassBuilderOptionsSetLoopVectorization(options, 0);
        LLVMPassBuilderOptionsSetSLPVectorization(options, 0);
        LLVMPassBuilderOptionsSetLoopInterleaving(options, 0);
        let machine = machine.map_or(ptr::null_mut(), TargetMachine::raw);
        let error = LLVMRunPasses(module.raw(), text.as_ptr(), machine, options);
        LLVMDisposePassBuilderOptions(options);
        error
    };
    if error.is_null() {
        return Ok(());
    }
    Err(PassError { pipeline: pipeline.to_owned(), message: take_error(error) })
}

fn take_error(error: LLVMErrorRef) -> String {
    // SAFETY: LLVM hands the error over; its message is ours to dispose.
    unsafe {
        let message = LLVMGetErrorMessage(error);
        let text = std::ffi::CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeErrorMessage(message);
        text
    }
}
