//! The folder of the libraries that belong to this program.

use std::path::{Path, PathBuf};
pub use zluda_staged::DRIVER;

/// The folder: on Windows that of this program, elsewhere that above its `bin`, or, for a program that cargo built, the `zluda` beside it.
pub fn folder() -> Result<PathBuf, String> {
    let program = std::env::current_exe()
        // Paths without links have a form here that not every function of Windows takes.
        .and_then(|path| if cfg!(windows) { Ok(path) } else { path.canonicalize() })
        .map_err(|error| format!("cannot tell where this program lies: {error}"))?;
    let beside = program.parent().unwrap_or(Path::new("/"));
    let above = if cfg!(windows) { beside } else { beside.parent().unwrap_or(beside) };
    let candidates = [above.to_owned(), beside.join("zluda")];
    candidates.iter().find(|folder| folder.join(DRIVER).exists()).cloned().ok_or_else(|| {
        let [first, second] = &candidates;
        format!(
            "{DRIVER} is neither in {} nor in {}; build it with `cargo xtask build`",
            first.display(),
            second.display()
        )
    })
}
