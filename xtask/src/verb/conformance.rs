//! `conformance`: single instructions on edge inputs, against the recorded answers of an NVIDIA GPU.

use crate::program::{cargo, loud};
use crate::repository::{Profile, root};
use crate::{Result, verb};
use std::process::{Command, ExitCode};

#[derive(clap::Args)]
pub struct Options {
    /// Only forms whose name contains this, such as `cvt.rni`
    #[arg(default_value = "")]
    filter: String,
}

pub fn run(options: &Options) -> Result<ExitCode> {
    verb::build::build(Profile::Release)?;
    let status = command(&options.filter)?.status()?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The program that compares, built, for the staged release.
pub fn command(filter: &str) -> Result<Command> {
    loud(cargo().args(["build", "--release", "--package", "twin", "--bin", "conformance"]))?;
    let mut command = Command::new(Profile::Release.folder().join("conformance"));
    command
        .arg(Profile::Release.staged().join("libcuda.so.1"))
        .arg("check")
        .arg(root().join("tests/twin/answers/h100.forms.zst"))
        .arg(filter)
        .env("ZLUDA_DEVICE", "cpu");
    Ok(command)
}
