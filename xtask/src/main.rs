//! The project's own tools: `cargo xtask <verb>`, or `./x <verb>`, which installs what is missing first.
//!
//! A verb is a file in `verb/`. What they share: [`repository`] (where things lie), [`program`] (running
//! others), [`progress`] (what is shown meanwhile), [`toolkit`] (what comes from PyPI), [`sample`] (the
//! CUDA programs under `samples/`), [`corpus`] (those of others), [`ptx_text`] (PTX and whether it is understood),
//! [`machine_code`] (what ptxas makes of PTX, and what nvdisasm says of that), [`standard_library`] (Rust's, built anew), [`windows`]
//! (builds for Windows), [`package`] (what can be installed).

// A command-line tool prints.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod arrows;
mod bindgen;
mod chaos;
mod code_object;
mod corpus;
mod isa;
mod machine_code;
mod package;
mod program;
mod progress;
mod ptx_text;
mod repository;
mod sample;
mod standard_library;
mod toolkit;
mod verb;
mod windows;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Whatever goes wrong is shown to the person at the keyboard, so a text is enough.
type Error = Box<dyn std::error::Error + Send + Sync>;
type Result<T> = std::result::Result<T, Error>;

#[derive(Parser)]
#[command(
    name = "./x",
    bin_name = "./x",
    about = "Builds, runs, tests and measures ZLUDA",
    disable_version_flag = true
)]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Build the release and run real CUDA programs on this machine's processor
    Demo(verb::demo::Options),
    /// Run every test
    Test(verb::test::Options),
    /// Build the libraries and stage them in target/<profile>/zluda
    Build(verb::build::Options),
    /// Stage what is built already
    Stage(verb::build::Options),
    /// Build the DLLs and the command for Windows, and stage them in target/windows/zluda
    Windows(verb::windows::Options),
    /// Build LLVM for Windows, for hours
    LlvmWindows(verb::llvm_windows::Options),
    /// Pack the release for Linux and Windows in target/package
    Package(verb::package::Options),
    /// Install the CUDA toolkits and the Python packages of the tests below target/toolkit
    Toolkit(verb::toolkit::Options),
    /// Run the Python programs at several compute capabilities, and keep which of them run
    Capabilities(verb::capabilities::Options),
    /// Build all programs of samples/ with nvcc
    Samples(verb::samples::Options),
    /// Collect PTX of samples/ and of files, and read it
    CollectPtx(verb::collect_ptx::Options),
    /// Build and run a collection of foreign programs from a checkout
    Corpus(verb::corpus::Options),
    /// Compare single instructions with the recorded answers of an NVIDIA GPU
    Conformance(verb::conformance::Options),
    /// Compare the instruction tables with NVIDIA's assembler
    IsaAudit(verb::isa_audit::Options),
    /// Run random kernels by both executors, and reduce those that they differ about
    Random(verb::random::Options),
    /// Run the samples with ZLUDA_CHAOS and ever new seeds, for hours
    Soak(verb::soak::Options),
    /// Use the driver as no program should, built with a sanitizer, for minutes
    Sanitize(verb::sanitize::Options),
    /// Test the libraries with AMD's own on an emulated GPU
    Rocm(verb::rocm::Options),
    /// Measure kernels, launches and compilation against native code
    Bench(verb::bench::Options),
    /// Count the instructions and registers of code for AMD GPUs beside clang's
    AmdQuality(verb::amd_quality::Options),
    /// Compile all PTX of the tests for all AMD GPUs, and look at the code objects
    AmdTargets(verb::amd_targets::Options),
    /// Generate the kept bindings again
    Bindgen(verb::bindgen::Options),
}

fn main() -> ExitCode {
    let result = match Arguments::parse().verb {
        Verb::Demo(options) => verb::demo::run(&options),
        Verb::Test(options) => verb::test::run(&options),
        Verb::Build(options) => verb::build::run(&options),
        Verb::Stage(options) => verb::build::stage_only(&options),
        Verb::Windows(options) => verb::windows::run(&options),
        Verb::LlvmWindows(options) => verb::llvm_windows::run(&options),
        Verb::Package(options) => verb::package::run(&options),
        Verb::Toolkit(options) => verb::toolkit::run(&options),
        Verb::Capabilities(options) => verb::capabilities::run(&options),
        Verb::Samples(options) => verb::samples::run(&options),
        Verb::CollectPtx(options) => verb::collect_ptx::run(&options),
        Verb::Corpus(options) => verb::corpus::run(&options),
        Verb::Conformance(options) => verb::conformance::run(&options),
        Verb::IsaAudit(options) => verb::isa_audit::run(&options),
        Verb::Random(options) => verb::random::run(&options),
        Verb::Soak(options) => verb::soak::run(&options),
        Verb::Sanitize(options) => verb::sanitize::run(&options),
        Verb::Rocm(options) => verb::rocm::run(&options),
        Verb::Bench(options) => verb::bench::run(&options),
        Verb::AmdQuality(options) => verb::amd_quality::run(&options),
        Verb::AmdTargets(options) => verb::amd_targets::run(&options),
        Verb::Bindgen(options) => verb::bindgen::run(&options),
    };
    match result {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
