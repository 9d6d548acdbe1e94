//! The folder of the libraries that belong to this program.

use std::path::{Path, PathBuf};
pub use zluda_staged::{ASSEMBLER, AUDIT, DRIVER};

/// The folder: that above this program's `bin`, or, for a program that cargo built, the `zluda` beside it.
pub fn folder() -> Result<PathBuf, String> {
    let program = std::env::current_exe()
        .and_then(|path| path.canonicalize())
        .map_err(|error| format!("cannot tell where this program lies: {error}"))?;
    let beside = program.parent().unwrap_or(Path::new("/"));
    let candidates = [beside.parent().unwrap_or(beside).to_owned(), beside.join("zluda")];
    candidates.iter().find(|folder| folder.join(DRIVER).exists()).cloned().ok_or_else(|| {
        let [first, second] = &candidates;
        format!(
            "{DRIVER} is neither in {} nor in {}; build it with `cargo xtask build`",
            first.display(),
            second.display()
        )
    })
}
