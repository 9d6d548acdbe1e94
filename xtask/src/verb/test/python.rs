//! The Python programs under `tests/python/`, with packages from PyPI as they are. Each compares its
//! results with NumPy or with the package's own CPU backend, and ends with status 0 if they agree. The PTX that
//! they load is kept for the suite [`super::ptx`].

use super::Report;
use crate::program::capture;
use crate::progress::{heading, parallel};
use crate::repository::{EMULATED, Profile, files, make_empty, root, stem, target};
use crate::toolkit::{CUDA_13_0, cuda};
use crate::{Result, toolkit};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The programs that use NVIDIA's libraries.
const USE_LIBRARIES: &[&str] = &[
    "blas_extensions",
    "blas_products",
    "cupy_arrays",
    "fft_transforms",
    "nvidia_libraries",
    "rand_values",
    "solver_decompositions",
    "sparse_legacy",
    "sparse_products",
];

/// The programs that load no PTX.
const LOAD_NOTHING: &[&str] = &["dnn_graphs", "dnn_layers", "nvml_queries"];

/// Compilers written in Python take their time.
const LIMIT: Duration = Duration::from_secs(900);

/// The programs whose name contains `filter`.
pub fn programs(filter: &str) -> Result<Vec<PathBuf>> {
    let all = files(&root().join("tests/python"), "py")?;
    Ok(all.into_iter().filter(|program| stem(program).contains(filter)).collect())
}

/// The folder in which a program's run has left the PTX that it loaded, if that is kept: NVIDIA's libraries have hundreds of
/// kernels, of which those that are launched are compiled anyway.
pub fn texts(program: &Path) -> Option<PathBuf> {
    let name = stem(program);
    let kept = !LOAD_NOTHING.contains(&name.as_str()) && !USE_LIBRARIES.contains(&name.as_str());
    kept.then(|| target().join("test/python-ptx").join(name))
}

/// Runs the chosen programs on the CPU and on emulated GPUs. Fails if the packages cannot be installed.
pub fn run(report: &mut Report, filter: &str) -> Result<()> {
    let programs = programs(filter)?;
    let headers = cuda(CUDA_13_0)?.headers();
    let python = toolkit::python_with_packages()?;
    let nvtop = toolkit::nvtop()?;
    let nvtop = nvtop.command(&nvtop.program("nvtop"), &[&Profile::Release.staged()]);
    let words: Vec<_> = [nvtop.get_program()].into_iter().chain(nvtop.get_args()).collect();
    let nvtop = words.join(OsStr::new("\n"));
    let uses_libraries =
        programs.iter().any(|program| USE_LIBRARIES.contains(&stem(program).as_str()));
    let libraries = if uses_libraries { toolkit::nvidia_libraries()? } else { PathBuf::new() };
    let home = target().join("test/python-home");
    make_empty(&home)?;
    heading("Running Python programs on the CPU and on emulated GPUs");
    let devices = ["cpu"].into_iter().chain(EMULATED);
    let jobs: Vec<(&PathBuf, &str)> =
        devices.flat_map(|device| programs.iter().map(move |program| (program, device))).collect();
    let name = |program: &Path, device: &str| match device {
        "cpu" => format!("python {}", stem(program)),
        _ => format!("python {} ({device})", stem(program)),
    };
    let results = parallel(
        &jobs,
        |(program, device)| name(program, device),
        |(program, device)| {
            let mut debug = String::new();
            if let Some(texts) = texts(program).filter(|_| *device == "cpu") {
                make_empty(&texts).map_err(|error| error.to_string())?;
                debug = format!("ptx={}", texts.display());
            }
            let mut command = Command::new(&python);
            command
                .arg(program)
                // Caches of the packages themselves must not hide anything.
                .env("HOME", &home)
                .env("XDG_CACHE_HOME", home.join("cache"))
                .env("PYTHONDONTWRITEBYTECODE", "1")
                .env("LD_LIBRARY_PATH", Profile::Release.staged())
                .env("CUDA_HEADERS", &headers)
                .env("NVTOP", &nvtop)
                .env("NVIDIA_LIBRARIES", &libraries)
                .env("ZLUDA_DEVICE", device)
                .env("ZLUDA_DEBUG", debug);
            match capture(&mut command, LIMIT) {
                Ok(output) if output.success() => Ok(()),
                Ok(output) => Err(output.describe()),
                Err(error) => Err(error.to_string()),
            }
        },
        |result: &std::result::Result<(), String>| result.is_ok(),
    );
    for ((program, device), result) in jobs.iter().zip(results) {
        report.check(name(program, device), result);
    }
    Ok(())
}
