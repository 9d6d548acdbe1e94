//! Kept bindings are what their generators make from the headers.

use super::Report;
use crate::progress::heading;
use crate::verb::bindgen::differing;

/// A check for each kept file that differs from what its generator makes, or one for all of them.
pub fn run(report: &mut Report) {
    heading("Comparing generated files");
    match differing() {
        Err(error) => report.check("generated files", Err(error.to_string())),
        Ok(files) if files.is_empty() => report.check("generated files", Ok(())),
        Ok(files) => {
            for (file, _) in files {
                let reason = "it is not what `cargo xtask bindgen` makes".to_owned();
                report.check(format!("generated file {}", file.display()), Err(reason));
            }
        }
    }
}
