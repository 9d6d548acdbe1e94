//! The Python programs under `tests/python/`, with packages from PyPI as they are. Each compares its
//! results with NumPy or with the package's own CPU backend, and ends with status 0 if they agree. The PTX that
//! they load is kept for the suite [`super::ptx`].

use super::Report;
use crate::program::capture;
use crate::progress::{heading, parallel};
use crate::repository::{EMULATED, Profile, files, make_empty, root, stem, target};
use crate::toolkit::{CUDA_13_0, cuda};
use crate::{Result, toolkit};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The programs of ZLUDA's own libraries. Some of them compare those with NVIDIA's.
const OWN_LIBRARIES: &[&str] = &[
    "blas_extensions",
    "blas_products",
    "dnn_8",
    "dnn_attention",
    "dnn_graphs",
    "dnn_layers",
    "dnn_losses",
    "dnn_spatial",
    "dnn_training",
    "dnn_workspace",
    "fft_transforms",
    "nvml_queries",
    "rand_values",
    "solver_decompositions",
    "sparse_legacy",
    "sparse_products",
];

/// The programs of NVIDIA's libraries, which run on the driver.
const NVIDIA_LIBRARIES: &[NvidiaLibrary] = &[
    NvidiaLibrary { name: "cupy_arrays", emulated: true, ..NVIDIA },
    NvidiaLibrary { name: "cupy_devices", emulated: true, ..NVIDIA },
    NvidiaLibrary { name: "nvidia_blas", of_12: Of12::Named, emulated: true },
    NvidiaLibrary { name: "nvidia_blaslt", of_12: Of12::Always, ..NVIDIA },
    NvidiaLibrary { name: "nvidia_dnn", ..NVIDIA },
    NvidiaLibrary { name: "nvidia_fft", of_12: Of12::Named, emulated: true },
    NvidiaLibrary { name: "nvidia_machine_code", ..NVIDIA },
    NvidiaLibrary { name: "nvidia_nccl", ..NVIDIA },
    NvidiaLibrary { name: "nvidia_rand", of_12: Of12::Always, emulated: true },
    NvidiaLibrary { name: "nvidia_solver", of_12: Of12::Named, ..NVIDIA },
    NvidiaLibrary { name: "nvidia_sparse", of_12: Of12::Named, ..NVIDIA },
];

const NVIDIA: NvidiaLibrary = NvidiaLibrary { name: "", of_12: Of12::Never, emulated: false };

/// Whether a program runs with the libraries of CUDA 12 too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Of12 {
    Never,
    /// Where programs are chosen: with those of CUDA 12 it takes a minute or more again.
    Named,
    Always,
}

struct NvidiaLibrary {
    name: &'static str,
    of_12: Of12,
    /// Whether it runs on emulated GPUs, which are slow: with the libraries of CUDA 13 alone.
    emulated: bool,
}

fn nvidia_library(name: &str) -> Option<&'static NvidiaLibrary> {
    NVIDIA_LIBRARIES.iter().find(|library| library.name == name)
}

impl NvidiaLibrary {
    fn runs_with_12(&self, is_named: bool) -> bool {
        match self.of_12 {
            Of12::Never => false,
            Of12::Named => is_named,
            Of12::Always => true,
        }
    }
}

/// The program of PyTorch as PyPI has it, which has an environment of its own.
const TORCH: &str = "torch_training";

/// Programs whose emulation takes a minute: the second emulated GPU leaves them out, and those of [`OWN_LIBRARIES`], which have
/// no kernels.
const LONG: &[&str] = &["tinygrad_train", "triton_kernels"];

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
    let name_is_of = |list: &[&str]| list.contains(&name.as_str());
    let kept = !name_is_of(OWN_LIBRARIES) && nvidia_library(&name).is_none() && name != TORCH;
    kept.then(|| target().join("test/python-ptx").join(name))
}

/// A program, the device that it runs on and the libraries of NVIDIA that it runs with.
pub struct Case {
    pub name: String,
    program: PathBuf,
    device: &'static str,
    /// Of CUDA 12 instead of 13.
    of_12: bool,
}

impl Case {
    /// Whether the compute capability that the device reports makes a difference: ZLUDA's own libraries never ask, and of
    /// machine code there is one that can be lifted.
    pub fn sees_capability(&self) -> bool {
        let name = stem(&self.program);
        !OWN_LIBRARIES.contains(&name.as_str()) && name != TORCH
    }
}

/// The chosen programs, and what they need.
pub struct Suite {
    programs: Vec<PathBuf>,
    /// Somebody asks for these programs.
    is_named: bool,
    python: PathBuf,
    /// Empty where no program needs it.
    python_with_torch: PathBuf,
    headers: PathBuf,
    /// The words of a command.
    nvtop: OsString,
    libraries: PathBuf,
    packages_12: OsString,
    packages_13: OsString,
    home: PathBuf,
}

impl Suite {
    /// Fails if packages cannot be installed.
    pub fn new(filter: &str, is_named: bool) -> Result<Self> {
        let programs = programs(filter)?;
        let nvtop = toolkit::nvtop()?;
        let nvtop = nvtop.command(&nvtop.program("nvtop"), &[&Profile::Release.staged()]);
        let words: Vec<_> = [nvtop.get_program()].into_iter().chain(nvtop.get_args()).collect();
        let nvidia = || programs.iter().filter_map(|program| nvidia_library(&stem(program)));
        let own = programs.iter().any(|program| OWN_LIBRARIES.contains(&stem(program).as_str()));
        let of_13 = nvidia().next().is_some();
        let joined = |packages: Vec<PathBuf>| std::env::join_paths(packages);
        let home = target().join("test/python-home");
        make_empty(&home)?;
        Ok(Suite {
            is_named,
            python: toolkit::python_with_packages()?,
            python_with_torch: match programs.iter().any(|program| stem(program) == TORCH) {
                true => toolkit::python_with_torch()?,
                false => PathBuf::new(),
            },
            headers: cuda(CUDA_13_0)?.headers(),
            nvtop: words.join(OsStr::new("\n")),
            libraries: if own || of_13 { toolkit::nvidia_libraries()? } else { PathBuf::new() },
            packages_12: if nvidia().any(|library| library.runs_with_12(is_named)) {
                joined(toolkit::nvidia_packages_12(is_named)?)?
            } else {
                OsString::new()
            },
            packages_13: if of_13 {
                joined(toolkit::nvidia_packages_13()?)?
            } else {
                OsString::new()
            },
            programs,
            home,
        })
    }

    /// What runs on a device.
    pub fn cases(&self, device: &'static str) -> Vec<Case> {
        let mut cases = Vec::new();
        for program in &self.programs {
            let name = stem(program);
            let library = nvidia_library(&name);
            let not_emulated = name == TORCH || library.is_some_and(|library| !library.emulated);
            let is_left_out = device == EMULATED[1]
                && !self.is_named
                && [LONG, OWN_LIBRARIES].iter().any(|list| list.contains(&name.as_str()));
            if is_left_out || device != "cpu" && not_emulated {
                continue;
            }
            let case = |name: String, of_12| Case { name, program: program.clone(), device, of_12 };
            cases.push(case(name.clone(), false));
            if device == "cpu" && library.is_some_and(|library| library.runs_with_12(self.is_named))
            {
                cases.push(case(format!("{name} of CUDA 12"), true));
            }
        }
        cases
    }

    /// Runs a program, with further variables. The error says how it ended, and what it wrote.
    pub fn run(&self, case: &Case, variables: &[(&str, &str)]) -> std::result::Result<(), String> {
        let packages = if case.of_12 { &self.packages_12 } else { &self.packages_13 };
        let staged = Profile::Release.staged();
        let mut command = if stem(&case.program) == TORCH {
            let mut command = Command::new(staged.join("bin/zluda"));
            // Its own backend would take all processors beside other programs.
            command.arg("run").arg(&self.python_with_torch).env("OMP_NUM_THREADS", "1");
            command
        } else {
            Command::new(&self.python)
        };
        command
            .arg(&case.program)
            // Caches of the packages themselves must not hide anything.
            .env("HOME", &self.home)
            .env("XDG_CACHE_HOME", self.home.join("cache"))
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env("LD_LIBRARY_PATH", &staged)
            .env("CUDA_HEADERS", &self.headers)
            .env("NVTOP", &self.nvtop)
            .env("NVIDIA_LIBRARIES", &self.libraries)
            .env("NVIDIA_PACKAGES", packages)
            .env("ZLUDA_DEVICE", case.device)
            .envs(variables.iter().copied());
        capture(&mut command, LIMIT).map_err(|error| error.to_string())?.succeeded()
    }
}

/// Runs the chosen programs on the CPU and on emulated GPUs. Fails if the packages cannot be installed.
pub fn run(report: &mut Report, filter: &str) -> Result<()> {
    let suite = Suite::new(filter, !filter.is_empty())?;
    heading("Running Python programs on the CPU and on emulated GPUs");
    let cases: Vec<Case> =
        ["cpu"].into_iter().chain(EMULATED).flat_map(|device| suite.cases(device)).collect();
    let name = |case: &Case| match case.device {
        "cpu" => format!("python {}", case.name),
        device => format!("python {} ({device})", case.name),
    };
    let results = parallel(
        &cases,
        name,
        |case| {
            let mut debug = String::new();
            if let Some(texts) = texts(&case.program).filter(|_| case.device == "cpu") {
                make_empty(&texts).map_err(|error| error.to_string())?;
                debug = format!("ptx={}", texts.display());
            }
            suite.run(case, &[("ZLUDA_DEBUG", &debug)])
        },
        |result: &std::result::Result<(), String>| result.is_ok(),
    );
    for (case, result) in cases.iter().zip(results) {
        report.check(name(case), result);
    }
    Ok(())
}
