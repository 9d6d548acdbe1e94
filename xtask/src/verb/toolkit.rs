//! `toolkit`: installs what comes from PyPI and Debian ahead of time.

use crate::Result;
use crate::toolkit::{
    CUDA_VERSIONS, ROCM_VERSIONS, cuda, hip_headers, nvdisasm, nvidia_packages_12,
    nvidia_packages_13, nvtop, python_with_packages, python_with_torch, rocm, rocm_above, rocm_smi,
    torch,
};
use std::process::ExitCode;

#[derive(clap::Args)]
pub struct Options {}

/// Installs all of it and prints where it lies. Fails where an installation does.
pub fn run(_: &Options) -> Result<ExitCode> {
    for version in CUDA_VERSIONS {
        println!("nvcc {}: {}", version.name, cuda(version)?.nvcc().display());
    }
    println!("nvdisasm: {}", nvdisasm()?.display());
    for folder in nvidia_packages_13()?.into_iter().chain(nvidia_packages_12()?) {
        println!("NVIDIA's libraries: {}", folder.display());
    }
    println!("python: {}", python_with_packages()?.display());
    println!("headers of HIP: {}", hip_headers()?.display());
    println!("nvtop: {}", nvtop()?.program("nvtop").display());
    println!("PyTorch of Debian: {}", torch()?.libraries().display());
    println!("PyTorch of PyPI: {}", python_with_torch()?.display());
    for version in ROCM_VERSIONS {
        println!("ROCm {}: {}", version.name, rocm(version)?.root.libraries().display());
        println!("its SMI: {}", rocm_smi(version)?.root.libraries().display());
        if let Some(above) = rocm_above(version)? {
            println!("its libraries: {}", above.root.libraries().display());
        }
    }
    Ok(ExitCode::SUCCESS)
}
