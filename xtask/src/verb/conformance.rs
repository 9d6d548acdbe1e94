//! `conformance`: single instructions on edge inputs, against the recorded answers of an NVIDIA GPU.

use crate::program::{cargo, loud};
use crate::repository::{Profile, root};
use crate::toolkit::{CUDA_13_5, cuda};
use crate::{Result, verb};
use std::process::{Command, ExitCode};

#[derive(clap::Args)]
pub struct Options {
    /// Only forms whose name contains this, such as `cvt.rni`
    #[arg(default_value = "")]
    filter: String,
    /// The device, as ZLUDA_DEVICE names it: `cpu`, `emu:gfx1100`
    #[arg(long, default_value = "cpu")]
    device: String,
    /// As PTX, or as machine code that ptxas makes of it
    #[arg(long, value_enum, default_value_t)]
    by: Code,
}

/// What forms are loaded as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Code {
    #[default]
    Ptx,
    /// For sm_80
    Sass,
    /// For sm_75
    Sass75,
    /// For sm_89
    Sass89,
    /// For sm_90a
    Sass90,
}

impl Code {
    /// The architecture of machine code; none of PTX.
    pub fn architecture(self) -> Option<&'static str> {
        match self {
            Code::Ptx => None,
            Code::Sass => Some("sm_80"),
            Code::Sass75 => Some("sm_75"),
            Code::Sass89 => Some("sm_89"),
            Code::Sass90 => Some("sm_90a"),
        }
    }
}

/// Runs the forms on the chosen device. Fails if one disagrees with the recording.
pub fn run(options: &Options) -> Result<ExitCode> {
    verb::build::build(Profile::Release)?;
    build()?;
    let status = command(&options.device, options.by, &options.filter)?.status()?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Builds the program that compares.
pub fn build() -> Result<()> {
    loud(cargo().args(["build", "--release", "--package", "differential", "--bin", "conformance"]))
}

/// The program that compares, for the staged release.
pub fn command(device: &str, by: Code, filter: &str) -> Result<Command> {
    let mut command = Command::new(Profile::Release.folder().join("conformance"));
    command.arg(Profile::Release.staged().join("libcuda.so.1"));
    match by.architecture() {
        None => command.arg("check"),
        Some(of) => command.arg("check-sass").arg(cuda(CUDA_13_5)?.ptxas()).arg(of),
    };
    command
        .arg(root().join("tests/differential/answers/h100.forms"))
        .arg(filter)
        .env("ZLUDA_DEVICE", device);
    Ok(command)
}
