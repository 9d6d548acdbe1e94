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

/// Suites that leave a processor without work half of the time, and what they run beside.
const BESIDE: [(Suite, Suite); 4] = [
    (Suite::Generated, Suite::Lint),
    (Suite::Windows, Suite::Isa),
    (Suite::Windows, Suite::Sass),
    (Suite::Bolt, Suite::Torch),
];

/// Runs the chosen suites, all by default. Fails if one of their checks does.
pub fn run(options: &Options) -> Result<ExitCode> {
    let start = Instant::now();
    let mut report = Report::default();
    // In their own order: a suite takes what one before it has left.
    let mut suites = Suite::value_variants().to_vec();
    suites.retain(|suite| options.suites.is_empty() || options.suites.contains(suite));
    let chosen = Chosen { options, suites: &suites };
    let mut times = Times::default();
    let mut disk = Disk::begin(options.suites.is_empty() && options.filter.is_empty())?;
    std::thread::scope(|scope| {
        let mut begun: Vec<(Suite, ScopedJoinHandle<'_, Report>)> = Vec::new();
        let mut run = |suite: Suite, report: &mut Report, times: &mut Times| {
            let began = Instant::now();
            for (beside, _) in BESIDE.iter().filter(|(_, with)| *with == suite) {
                let is_begun = begun.iter().any(|(begun, _)| begun == beside);
                if chosen.has(*beside) && !is_begun {
                    begun.push((*beside, scope.spawn(|| chosen.run(*beside))));
                }
            }
            let own = match begun.iter().position(|(begun, _)| *begun == suite) {
                Some(place) => begun.remove(place).1.join().unwrap_or_else(|_| {
                    let mut report = Report::default();
                    report.check(suite.name(), Err("the suite panicked".to_owned()));
                    report
                }),
                None => chosen.run(suite),
            };
            times.add(suite.name(), began);
            report.add(own);
            disk.has_run(suite);
        };
        let (first, others): (Vec<Suite>, Vec<Suite>) =
            suites.iter().partition(|suite| !suite.needs_release());
        for suite in first {
            run(suite, &mut report, &mut times);
        }
        if others.is_empty() {
            return;
        }
        heading("Building the release");
        let began = Instant::now();
        let built = super::build::build(Profile::Release);
        report.check("build of the release", built.as_ref().map(drop).map_err(ToString::to_string));
        if built.is_ok() {
            times.add("release".to_owned(), began);
            others.into_iter().for_each(|suite| run(suite, &mut report, &mut times));
        }
    });
    drop(disk);
    heading(&format!("Done in {} s: {}", start.elapsed().as_secs(), times.0.join(", ")));
    Ok(report.finish())
}

/// The suites that run, and how.
#[derive(Clone, Copy)]
struct Chosen<'a> {
    options: &'a Options,
    suites: &'a [Suite],
}

impl Chosen<'_> {
    fn has(self, suite: Suite) -> bool {
        self.suites.contains(&suite)
    }

    /// Runs one suite.
    fn run(self, suite: Suite) -> Report {
        let mut report = Report::default();
        if let Err(error) = self.run_into(suite, &mut report) {
            report.check(suite.name(), Err(error.to_string()));
        }
        // A filter may leave nothing of one suite, and something of another one.
        if self.options.filter.is_empty() && report.count() == 0 {
            // What it looks for has gone elsewhere.
            report.check(suite.name(), Err("the suite has checked nothing".to_owned()));
        }
        report
    }

    fn run_into(self, suite: Suite, report: &mut Report) -> Result<()> {
        let filter = &self.options.filter;
        match suite {
            Suite::Lint => rust::lint(report, self.has(Suite::Rust)),
            Suite::Generated => generated::run(report),
            Suite::Rust => rust::run(report, self.has(Suite::Lint)),
            Suite::Isa => isa::run(report)?,
            Suite::Sass => sass::run(report)?,
            Suite::Libraries => rust::libraries(report),
            Suite::Samples => samples::run(report, filter)?,
            Suite::Chaos => chaos::run(report, filter)?,
            Suite::Conformance => conformance::run(report)?,
            Suite::Random => random::run(report)?,
            Suite::Memory => memory::run(report)?,
            Suite::Python => python::run(report, filter)?,
            Suite::Torch => torch::run(report, filter)?,
            Suite::Ptx => {
                let (python, offload) = (self.has(Suite::Python), self.has(Suite::Offload));
                ptx::run(report, filter, ptx::Fresh { python, offload })?;
            }
            Suite::Offload => offload::run(report, filter)?,
            Suite::Amd => amd::run(report, filter)?,
            Suite::Bolt => bolt::run(report)?,
            Suite::Package => package::run(report)?,
            Suite::Windows => windows::run(report, self.options.times, filter)?,
            Suite::Hip => hip::run(report)?,
        }
        Ok(())
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

    /// Whether it looks at the release.
    fn needs_release(self) -> bool {
        !matches!(
            self,
            Suite::Lint
                | Suite::Generated
                | Suite::Rust
                | Suite::Isa
                | Suite::Sass
                | Suite::Windows
        )
    }
}
