//! `windows`: the DLLs and the command for Windows, built by mingw and staged in `target/windows/zluda`.

use crate::Result;
use crate::repository::Profile;
use crate::windows::{build, llvm, staged};
use std::process::ExitCode;

#[derive(clap::Args)]
pub struct Options {
    /// Optimised
    #[arg(long)]
    release: bool,
}

/// Builds and stages; fails where cargo does, or where something is missing.
pub fn run(options: &Options) -> Result<ExitCode> {
    build(if options.release { Profile::Release } else { Profile::Debug })?;
    if !llvm::is_built() {
        println!("without a compiler: `./x llvm-windows` builds LLVM for Windows first");
    }
    println!("staged in {}", staged().display());
    Ok(ExitCode::SUCCESS)
}
