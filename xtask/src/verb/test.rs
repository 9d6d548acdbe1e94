//! `test`: everything. Each suite is a file in `test/`; all run, and the last line counts.

mod amd;
mod bolt;
mod chaos;
mod conformance;
mod disk;
mod generated;
mod hip;
mod isa;
mod memory;
mod offload;
mod package;
mod ptx;
pub mod python;
mod random;
mod report;
mod rust;
mod samples;
mod sass;
mod torch;
mod windows;

use disk::Disk;
pub use ptx::compilers_texts;
use report::Report;

use crate::Result;
use crate::progress::heading;
use crate::repository::Profile;
use clap::ValueEnum;
use std::process::ExitCode;
use std::thread::ScopedJoinHandle;
use std::time::Instant;

#[derive(clap::Args)]
pub struct Options {
    /// Only these suites
    #[arg(value_enum)]
    suites: Vec<Suite>,
    /// Only samples and Python programs whose name contains this
    #[arg(long, default_value = "")]
    filter: String,
    /// How often in a row the suite `windows` starts a process with the driver in it
    #[arg(long, default_value_t = 20)]
    times: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Suite {
    /// The form of the source, and clippy without warnings
    Lint,
    /// Kept bindings are what their generators make
    Generated,
    /// The tests of all crates but those that `libraries` has
    Rust,
    /// The instruction tables against NVIDIA's assembler
    Isa,
    /// The decoder of machine code against NVIDIA's disassembler
    Sass,
    /// The tests of the libraries above the driver, and of the driver's answers
    Libraries,
    /// CUDA programs built by nvcc, on the CPU, in every way into the driver
    Samples,
    /// The same programs where all varies that they may not rely on
    Chaos,
    /// Single instructions against the recorded answers of an NVIDIA GPU
    Conformance,
    /// Random kernels against the bits that an NVIDIA GPU leaves
    Random,
    /// The driver under Valgrind, compiling and running some of them
    Memory,
    /// Python programs from PyPI, on the CPU
    Python,
    /// OpenMP and OpenACC of GCC, on the CPU
    Offload,
    /// PTX of nvcc, NVRTC, numba, taichi, tinygrad, triton, warp and GCC: understood, and compiled for the CPU and for
    /// AMD GPUs
    Ptx,
    /// The samples' kernels, compiled for AMD GPUs
    Amd,
    /// PyTorch's operators and models, on the CPU
    Torch,
    /// The release as BOLT lays it out, against the plain one
    Bolt,
    /// The packages of the release, each installed where nothing else is
    Package,
    /// The build for Windows, under Wine
    Windows,
    /// HIP's real libraries of several versions of ROCm: their layouts, and the driver on them
    Hip,
}

/// Runs the chosen suites, all by default. Fails if one of their checks does.
pub fn run(options: &Options) -> Result<ExitCode> {
    let start = Instant::now();
    let mut report = Report::default();
    // In their own order: a suite takes what one before it has left.
    let mut suites = Suite::value_variants().to_vec();
    suites.retain(|suite| options.suites.is_empty() || options.suites.contains(suite));
    let needs_release = |suite: &Suite| {
        matches!(
            suite,
            Suite::Libraries
                | Suite::Samples
                | Suite::Chaos
                | Suite::Conformance
                | Suite::Random
                | Suite::Memory
                | Suite::Python
                | Suite::Torch
                | Suite::Ptx
                | Suite::Offload
                | Suite::Amd
                | Suite::Bolt
                | Suite::Package
                | Suite::Hip
        )
    };
    let mut times = Times::default();
    let mut disk = Disk::begin(options.suites.is_empty() && options.filter.is_empty())?;
    let on_windows =
        || own(Suite::Windows, |report| windows::run(report, options.times, &options.filter));
    std::thread::scope(|scope| {
        let mut beside = None;
        for suite in suites.iter().filter(|suite| !needs_release(suite)) {
            let before = report.count();
            let began = Instant::now();
            // Wine waits half of the time, where these two leave no processor without work.
            if matches!(suite, Suite::Isa | Suite::Sass) && suites.contains(&Suite::Windows) {
                beside.get_or_insert_with(|| scope.spawn(on_windows));
            }
            match suite {
                Suite::Lint => rust::lint(&mut report, suites.contains(&Suite::Rust)),
                Suite::Generated => generated::run(&mut report),
                Suite::Isa => {
                    if let Err(error) = isa::run(&mut report) {
                        report.check("isa", Err(error.to_string()));
                    }
                }
                Suite::Sass => {
                    if let Err(error) = sass::run(&mut report) {
                        report.check("sass", Err(error.to_string()));
                    }
                }
                Suite::Windows => {
                    let begun = beside.take().unwrap_or_else(|| scope.spawn(on_windows));
                    join(&mut report, *suite, begun);
                }
                _ => rust::run(&mut report, suites.contains(&Suite::Lint)),
            }
            times.add(suite.name(), began);
            has_looked(&mut report, *suite, before);
            disk.has_run(*suite);
        }
    });
    if suites.iter().any(needs_release) {
        heading("Building the release");
        let began = Instant::now();
        let built = super::build::build(Profile::Release);
        times.add("release".to_owned(), began);
        match built {
            Err(error) => report.check("build of the release", Err(error.to_string())),
            Ok(()) => std::thread::scope(|scope| {
                let mut beside = None;
                for suite in &suites {
                    let before = report.count();
                    let began = Instant::now();
                    // Half of the time BOLT, and PyTorch too, has work for one processor.
                    if *suite == Suite::Torch && suites.contains(&Suite::Bolt) {
                        beside = Some(scope.spawn(|| own(Suite::Bolt, bolt::run)));
                    }
                    let result = match suite {
                        Suite::Libraries => {
                            rust::libraries(&mut report);
                            Ok(())
                        }
                        Suite::Samples => samples::run(&mut report, &options.filter),
                        Suite::Chaos => chaos::run(&mut report, &options.filter),
                        Suite::Conformance => conformance::run(&mut report),
                        Suite::Random => random::run(&mut report),
                        Suite::Memory => memory::run(&mut report),
                        Suite::Python => python::run(&mut report, &options.filter),
                        Suite::Torch => torch::run(&mut report, &options.filter),
                        Suite::Ptx => {
                            let fresh = ptx::Fresh {
                                python: suites.contains(&Suite::Python),
                                offload: suites.contains(&Suite::Offload),
                            };
                            ptx::run(&mut report, &options.filter, fresh)
                        }
                        Suite::Offload => offload::run(&mut report, &options.filter),
                        Suite::Amd => amd::run(&mut report, &options.filter),
                        Suite::Bolt => {
                            let begun = beside.take();
                            let begun = begun
                                .unwrap_or_else(|| scope.spawn(|| own(Suite::Bolt, bolt::run)));
                            join(&mut report, *suite, begun);
                            Ok(())
                        }
                        Suite::Package => package::run(&mut report),
                        Suite::Hip => hip::run(&mut report),
                        Suite::Lint
                        | Suite::Generated
                        | Suite::Rust
                        | Suite::Isa
                        | Suite::Sass
                        | Suite::Windows => continue,
                    };
                    times.add(suite.name(), began);
                    if let Err(error) = result {
                        report.check(format!("{suite:?}"), Err(error.to_string()));
                    }
                    // A filter may leave nothing of one suite, and something of another one.
                    if options.filter.is_empty() {
                        has_looked(&mut report, *suite, before);
                    }
                    disk.has_run(*suite);
                }
            }),
        }
    }
    drop(disk);
    heading(&format!("Done in {} s: {}", start.elapsed().as_secs(), times.0.join(", ")));
    Ok(report.finish())
}

/// Runs a suite with a report of its own, beside others.
fn own(suite: Suite, run: impl FnOnce(&mut Report) -> Result<()>) -> Report {
    let mut report = Report::default();
    if let Err(error) = run(&mut report) {
        report.check(suite.name(), Err(error.to_string()));
    }
    report
}

/// Waits for a suite that runs beside others.
fn join(report: &mut Report, suite: Suite, begun: ScopedJoinHandle<'_, Report>) {
    match begun.join() {
        Ok(own) => report.add(own),
        Err(_) => report.check(suite.name(), Err("the suite panicked".to_owned())),
    }
}

/// How long each suite took, for whoever wants the whole to be quicker.
#[derive(Default)]
struct Times(Vec<String>);

impl Times {
    fn add(&mut self, what: String, began: Instant) {
        self.0.push(format!("{what} {}", began.elapsed().as_secs()));
    }
}

impl Suite {
    fn name(self) -> String {
        format!("{self:?}").to_lowercase()
    }
}

/// Fails where a suite has counted nothing: what it looks for has gone elsewhere.
fn has_looked(report: &mut Report, suite: Suite, before: usize) {
    if report.count() == before {
        report.check(format!("{suite:?}"), Err("the suite has checked nothing".to_owned()));
    }
}
