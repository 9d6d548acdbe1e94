//! `package`: archives and packages of the release, in `target/package`, with their checksums.

use crate::Result;
use crate::package::{Kind, System, folder, make_all};
use crate::progress::{heading, spinner};
use crate::repository::{Profile, make_empty};
use crate::windows;
use clap::ValueEnum;
use std::process::ExitCode;

#[derive(clap::Args)]
pub struct Options {
    /// Only these kinds
    #[arg(value_enum)]
    kinds: Vec<Kind>,
}

/// Builds the releases that the kinds need, and packs them. Fails where one cannot be built.
pub fn run(options: &Options) -> Result<ExitCode> {
    let kinds = match options.kinds.as_slice() {
        [] => Kind::value_variants(),
        chosen => chosen,
    };
    make_empty(&folder())?;
    for system in [System::Linux, System::Windows] {
        let of_it: Vec<Kind> =
            kinds.iter().copied().filter(|kind| kind.system() == system).collect();
        if of_it.is_empty() {
            continue;
        }
        heading(&format!("Building the release for {system:?}"));
        let staged = match system {
            System::Linux => {
                super::build::build(Profile::Release)?;
                Profile::Release.staged()
            }
            System::Windows => {
                windows::build(Profile::Release)?;
                if !windows::llvm::is_built() {
                    println!(
                        "without a compiler: `./x llvm-windows` builds LLVM for Windows first"
                    );
                }
                windows::staged()
            }
        };
        for path in spinner("packing", || make_all(&of_it, &staged, &folder()))? {
            println!("{}", path.display());
        }
    }
    Ok(ExitCode::SUCCESS)
}
