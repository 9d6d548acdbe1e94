//! The command `zluda`. Each subcommand is a file: [`run`], [`info`], [`doctor`], [`compile`], [`cache`]. [`staged`] finds the
//! libraries that belong to this program. By another name it is [`ptxas`].

// A command-line tool prints.
#![allow(clippy::print_stdout, clippy::print_stderr)]

#[cfg(any(windows, test))]
mod beside;
mod cache;
mod compile;
mod doctor;
mod info;
mod os;
mod ptxas;
mod run;
mod staged;
#[cfg(any(windows, test))]
mod which;

use clap::{Parser, Subcommand};
use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Parser)]
#[command(name = "zluda", version, about = "Runs CUDA programs without an NVIDIA GPU")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run a program with ZLUDA in place of NVIDIA's driver
    Run(run::Options),
    /// Show devices, configuration and cache
    Info,
    /// Look for what could keep programs from AMD GPUs
    Doctor(doctor::Options),
    /// Compile a file of PTX, and show or keep any stage of it
    Compile(compile::Options),
    /// Copy the driver into a program's folder, where Windows finds it first
    #[cfg(windows)]
    Install(beside::Options),
    /// Remove from a folder what was installed there
    #[cfg(windows)]
    Remove(beside::Options),
    /// Look at the compiled kernels on disk, or remove them
    #[command(subcommand)]
    Cache(cache::Action),
}

fn main() -> ExitCode {
    zluda_common::log::init();
    let name = std::env::args_os().next().map(PathBuf::from).unwrap_or_default();
    if name.file_name() == Some(OsStr::new(ptxas::NAME)) {
        return ptxas::run();
    }
    let result = match Arguments::parse().command {
        Command::Run(options) => run::run(&options),
        Command::Info => info::run(),
        Command::Doctor(options) => doctor::run(&options),
        Command::Compile(options) => compile::run(&options),
        #[cfg(windows)]
        Command::Install(options) => beside::install(&options),
        #[cfg(windows)]
        Command::Remove(options) => beside::remove(&options),
        Command::Cache(action) => cache::run(action),
    };
    result.unwrap_or_else(|failure| {
        eprintln!("zluda: {}", failure.message);
        ExitCode::from(failure.status)
    })
}

/// The reason why the command ends, and its exit status.
#[derive(Debug, PartialEq, Eq)]
struct Failure {
    message: String,
    status: u8,
}

impl From<String> for Failure {
    fn from(message: String) -> Self {
        Self { message, status: 1 }
    }
}
