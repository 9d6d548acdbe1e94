//! `toolkit`: installs what comes from PyPI and Debian ahead of time.

use crate::Result;
use crate::toolkit::{
    CUDA_VERSIONS, Part, ROCM_VERSIONS, cuda, hip_headers, nvdisasm, nvidia_packages_12,
    nvidia_packages_13, nvtop, python_with_packages, python_with_torch, rocm, rocm_above, rocm_smi,
    torch,
};
use clap::ValueEnum;
use std::process::ExitCode;

#[derive(clap::Args)]
pub struct Options {
    /// Only these parts
    #[arg(value_enum)]
    parts: Vec<Part>,
}

/// Installs the chosen parts, all by default, and prints where they lie. Fails where an installation does.
pub fn run(options: &Options) -> Result<ExitCode> {
    for part in Part::value_variants() {
        if !options.parts.is_empty() && !options.parts.contains(part) {
            continue;
        }
        match part {
            Part::Compilers => compilers()?,
            Part::Libraries => libraries()?,
            Part::Debian => debian()?,
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn compilers() -> Result<()> {
    for version in CUDA_VERSIONS {
        println!("nvcc {}: {}", version.name, cuda(version)?.nvcc().display());
    }
    println!("nvdisasm: {}", nvdisasm()?.display());
    println!("python: {}", python_with_packages()?.display());
    println!("headers of HIP: {}", hip_headers()?.display());
    println!("nvtop: {}", nvtop()?.program("nvtop").display());
    Ok(())
}

fn libraries() -> Result<()> {
    for folder in nvidia_packages_13()?.into_iter().chain(nvidia_packages_12(false)?) {
        println!("NVIDIA's libraries: {}", folder.display());
    }
    println!("PyTorch of PyPI: {}", python_with_torch()?.display());
    Ok(())
}

fn debian() -> Result<()> {
    println!("PyTorch of Debian: {}", torch()?.libraries().display());
    for version in ROCM_VERSIONS {
        println!("ROCm {}: {}", version.name, rocm(version)?.root.libraries().display());
        println!("its SMI: {}", rocm_smi(version)?.root.libraries().display());
        if let Some(above) = rocm_above(version)? {
            println!("its libraries: {}", above.root.libraries().display());
        }
    }
    Ok(())
}
