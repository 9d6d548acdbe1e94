//! `llvm-windows`: LLVM and lld for Windows, which builds for Windows link from then on.

use crate::Result;
use crate::windows::llvm;
use std::process::ExitCode;

#[derive(clap::Args)]
pub struct Options {}

/// Builds it, unless it is there; goes on where an earlier run was interrupted.
pub fn run(_: &Options) -> Result<ExitCode> {
    println!("LLVM for Windows: {}", llvm::build()?.display());
    Ok(ExitCode::SUCCESS)
}
