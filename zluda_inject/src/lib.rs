//! DLLs in processes of Windows before any of their code runs: the import table of a suspended process's program gets
//! entries that come first, so that what the program itself imports is there already.
//!
//! - [`image`]: the program's headers, and what they become.
//! - [`names`]: which file of ours a program gets in place of a DLL.
//! - [`process`]: reading and writing another process.
//! - [`run`]: a program with DLLs, from its start to its end.

#[cfg(windows)]
pub mod image;
pub mod names;
#[cfg(windows)]
mod process;
#[cfg(windows)]
pub mod run;

#[cfg(windows)]
pub use image::{check_file, check_folder, inject};
#[cfg(windows)]
pub use run::run;
