//! `rocm`: tests of our libraries with AMD's own, which run on an emulated GPU. They are Debian's, some 2 GB, in a root of their own
//! that programs are started in: MIOpen compiles its kernels by what lies in it. No part of `./x test`.

use crate::Result;
use crate::program::capture;
use crate::progress::{heading, minute_by_minute};
use crate::repository::{Profile, make, root};
use crate::toolkit::{nvidia_libraries, rocm_libraries};
use crate::verb::build;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Duration;

#[derive(clap::Args)]
pub struct Options {
    /// Only these programs of tests/python: of cuDNN, cuBLAS and cuFFT
    #[arg(default_values_t = PROGRAMS.map(str::to_owned))]
    programs: Vec<String>,
    /// The emulated GPU
    #[arg(long, default_value = "gfx1100")]
    gpu: String,
    /// Take the staged libraries as they are
    #[arg(long)]
    no_build: bool,
}

/// The programs of the libraries that forward to ROCm's.
const PROGRAMS: [&str; 3] = ["dnn_layers", "blas_products", "fft_transforms"];

/// Emulated GPUs are slow.
const LIMIT: Duration = Duration::from_secs(3600);

/// The repository, as programs in the root see it.
const REPOSITORY: &str = "/zluda";

/// Runs the programs.
pub fn run(options: &Options) -> Result<ExitCode> {
    let rocm = rocm_libraries()?;
    let nvidia = nvidia_libraries()?;
    if !options.no_build {
        build::build(Profile::Release)?;
        build::stage(Profile::Release)?;
    }
    let staged = Profile::Release.staged();
    let hip = rocm.folder().join("hip");
    make(&hip)?;
    fs::copy(staged.join("libzluda_hip_emu.so"), hip.join("libamdhip64.so.6"))?;
    let mut failed = 0;
    for name in &options.programs {
        heading(&format!("{name} with ROCm's libraries on an emulated {}", options.gpu));
        let inside = |path: &Path| match path.strip_prefix(root()) {
            Ok(path) => format!("{REPOSITORY}/{}", path.display()),
            Err(_) => path.display().to_string(),
        };
        let staged = inside(&staged);
        let mut command = Command::new("unshare");
        command.args(["--mount", "--map-root-user", "sh", "-c", SCRIPT, "rocm"]);
        command.args([rocm.folder(), root()]).arg(format!("{REPOSITORY}/tests/python/{name}.py"));
        command
            .env_clear()
            .env("HOME", "/tmp")
            .env("PATH", "/usr/bin:/usr/sbin:/bin:/sbin")
            .env("LIBRARIES", format!("{staged}:{staged}/libraries:/hip:{BLAS}"))
            .env("NVIDIA_LIBRARIES", inside(&nvidia))
            .env("ZLUDA_DEVICE", "rocm")
            .env("ZLUDA_EMULATED_GPU", &options.gpu)
            .env("MIOPEN_LOG_LEVEL", "2")
            .env("PYTHONPATH", format!("{REPOSITORY}/tests/python"));
        let output = minute_by_minute(name, || capture(&mut command, LIMIT))?;
        // The emulator's symbols have no versions.
        let told = |line: &&str| !line.contains("no version information");
        output
            .stderr
            .lines()
            .filter(told)
            .chain(output.stdout.lines())
            .for_each(|line| println!("{line}"));
        let good = if output.success() { "passed" } else { "FAILED" };
        println!("{good} {name}, {} s", output.time.as_secs());
        failed += u32::from(!output.success());
    }
    Ok(ExitCode::from(u8::from(failed != 0)))
}

/// NumPy's, for which packages that are installed have links.
const BLAS: &str = "/usr/lib/x86_64-linux-gnu/openblas-pthread:/usr/lib/x86_64-linux-gnu/blas:\
                    /usr/lib/x86_64-linux-gnu/lapack";

/// Starts Python in the root, with the repository, in a namespace of its own.
const SCRIPT: &str = r#"set -e
    mkdir -p "$1/zluda" "$1/proc" "$1/dev" "$1/tmp"
    mount --rbind "$2" "$1/zluda"
    mount --rbind /dev "$1/dev"
    mount --rbind /proc "$1/proc"
    case "$3" in */fft_*) preloaded=libhiprtc.so.6;; esac
    exec chroot "$1" /usr/bin/env LD_PRELOAD="$preloaded" LD_LIBRARY_PATH="$LIBRARIES" /usr/bin/python3 "$3""#;
