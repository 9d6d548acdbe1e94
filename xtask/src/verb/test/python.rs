//! The Python programs under `tests/python/`, with packages from PyPI as they are. Each compares its
//! results with NumPy or with the package's own CPU backend, and ends with status 0 if they agree.

use super::Report;
use crate::program::capture;
use crate::progress::{heading, parallel};
use crate::repository::{Profile, files, make_empty, root, stem, target};
use crate::{Result, toolkit};
use std::process::Command;
use std::time::Duration;

/// Compilers written in Python take their time.
const LIMIT: Duration = Duration::from_secs(900);

pub fn run(report: &mut Report, filter: &str) -> Result<()> {
    let folder = root().join("tests/python");
    let programs: Vec<_> = files(&folder, "py")?
        .into_iter()
        .filter(|program| stem(program).contains(filter))
        .collect();
    let python = toolkit::python_with_packages()?;
    let home = target().join("test/python-home");
    make_empty(&home)?;
    heading("Running Python programs on the CPU");
    let results = parallel(
        &programs,
        |program| format!("python {}", stem(program)),
        |program| {
            let mut command = Command::new(&python);
            command
                .arg(program)
                // Caches of the packages themselves must not hide anything.
                .env("HOME", &home)
                .env("XDG_CACHE_HOME", home.join("cache"))
                .env("LD_LIBRARY_PATH", Profile::Release.staged())
                .env("ZLUDA_DEVICE", "cpu");
            match capture(&mut command, LIMIT) {
                Ok(output) if output.success() => Ok(()),
                Ok(output) => Err(output.describe()),
                Err(error) => Err(error.to_string()),
            }
        },
        |result: &std::result::Result<(), String>| result.is_ok(),
    );
    for (program, result) in programs.iter().zip(results) {
        report.check(format!("python {}", stem(program)), result);
    }
    Ok(())
}
