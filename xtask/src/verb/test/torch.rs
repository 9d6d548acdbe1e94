//! PyTorch as Debian 13 builds it, whose kernels are there as PTX too, on the CPU: the programs under `tests/torch/`, which
//! compare it with its own backend for processors. Libraries above the driver are ZLUDA's own; NVRTC and NCCL are NVIDIA's.

use super::Report;
use crate::program::capture;
use crate::progress::{heading, parallel};
use crate::repository::{Profile, files, make_empty, root, stem, target};
use crate::{Result, toolkit};
use std::path::PathBuf;
use std::time::Duration;

/// Some thousand kernels are compiled.
const LIMIT: Duration = Duration::from_secs(2400);

/// The program that checks part of all operators, how many parts there are, and how many of them run where it is not named.
const OPERATORS: (&str, usize, usize) = ("operators", 16, 1);

struct Case {
    name: String,
    program: PathBuf,
    part: usize,
}

/// Runs the programs whose name contains `filter`. Fails if the packages cannot be had.
pub fn run(report: &mut Report, filter: &str) -> Result<()> {
    let mut cases = Vec::new();
    for program in files(&root().join("tests/torch"), "py")? {
        let name = stem(&program);
        let parts = match name == OPERATORS.0 {
            true if filter.is_empty() => OPERATORS.2,
            true => OPERATORS.1,
            false => 1,
        };
        for part in (0..parts).filter(|_| name.contains(filter)) {
            let name = if parts == 1 { name.clone() } else { format!("{name} {part}") };
            cases.push(Case { name, program: program.clone(), part });
        }
    }
    if cases.is_empty() {
        return Ok(());
    }
    let torch = toolkit::torch()?;
    let home = target().join("test/torch-home");
    make_empty(&home)?;
    heading("Running PyTorch on the CPU device");
    let results = parallel(
        &cases,
        |case| format!("torch {}", case.name),
        |case| {
            let staged = Profile::Release.staged();
            let blas = torch.libraries().join("openblas-pthread");
            let libraries = [&*staged, &staged.join("libraries"), &blas];
            let mut command = torch.command(&torch.program("python3"), &libraries);
            command
                .arg(&case.program)
                .env("PYTHONHOME", torch.folder().join("usr"))
                .env("PYTHONPATH", torch.folder().join("usr/lib/python3/dist-packages"))
                .env("PYTHONDONTWRITEBYTECODE", "1")
                .env("LD_AUDIT", staged.join("libzluda_ld.so"))
                // Caches of the package itself must not hide anything.
                .env("HOME", &home)
                .env("XDG_CACHE_HOME", home.join(format!("cache-{}", case.part)))
                .env("OMP_NUM_THREADS", "1")
                .env("OPERATORS", format!("{}/{}", case.part, OPERATORS.1))
                .env("ZLUDA_DEVICE", "cpu");
            capture(&mut command, LIMIT).map_err(|error| error.to_string())?.succeeded()
        },
        |result: &std::result::Result<(), String>| result.is_ok(),
    );
    for (case, result) in cases.iter().zip(results) {
        report.check(format!("torch {}", case.name), result);
    }
    Ok(())
}
