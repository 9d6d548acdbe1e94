//! `sanitize`: the driver, built with AddressSanitizer or ThreadSanitizer, runs the tests of its crates and all wrong calls
//! once, and then is used by threads as no program should use it, for as long as is asked for.
//!
//! Instrumented is what rustc compiles: our crates, those that they use, and for ThreadSanitizer the standard library.
//! The build with AddressSanitizer checks the order of locks, too (`locks/`); both leave out what [`NOT_SEEN`] says.

use crate::program::{Output, capture_group, cargo};
use crate::progress::{heading, minute_by_minute};
use crate::repository::{llvm_program, make_empty, root, target};
use crate::standard_library::{self, rustc};
use crate::{Result, program};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

#[derive(clap::Args)]
pub struct Options {
    #[arg(value_enum)]
    sanitizer: Sanitizer,
    /// For how long threads call functions at random, once all tests have run
    #[arg(long, default_value_t = 10)]
    minutes: u64,
    /// Only the wrong calls and the threads, of which less has to be built
    #[arg(long)]
    threads: bool,
    /// Only tests whose program's name contains this
    #[arg(long, default_value = "")]
    filter: String,
    /// The first seed of the threads
    #[arg(long, default_value_t = 1000)]
    seed: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Sanitizer {
    /// Errors of memory, and of the order of locks
    Address,
    /// Data races
    Thread,
}

/// The only target for which the sanitizers are there and this is of use.
const TARGET: &str = "x86_64-unknown-linux-gnu";

/// The crates whose tests run.
const CRATES: [&str; 5] = ["zluda_common", "hip_host", "hip_cpu", "hip_emu", "zluda"];

/// What neither sanitizer sees.
const NOT_SEEN: [(&str, &str); 3] = [
    ("accesses of compiled kernels", "they are the program's, and no sanitizer's code is in them"),
    ("LLVM and lld", "they are Debian's static libraries, which are built without"),
    ("SQLite and zstd", "they are C; what they do with our memory by libc's functions is seen"),
];

/// Programs of tests, or those of their tests whose names contain a text, that do not run with a sanitizer, or with both, and
/// why.
const LEFT_OUT: &[(&str, &str, Option<Sanitizer>, &str)] = &[
    (
        "zluda flat_memory",
        "",
        Some(Sanitizer::Address),
        "memory that was freed stays, to find who uses it",
    ),
    ("zluda flat_memory", "", Some(Sanitizer::Thread), "the sanitizer's own notes grow"),
    (
        "hip_cpu faults",
        "freed_memory_is_gone",
        Some(Sanitizer::Thread),
        "the sanitizer has mapped memory of its own there by then",
    ),
    (
        "hip_host hip_host",
        "memory_that_is_gone_is_an_error",
        Some(Sanitizer::Thread),
        "as freed_memory_is_gone",
    ),
    (
        "zluda registered_memory",
        "what_may_not_be_read_is_not_copied",
        Some(Sanitizer::Address),
        "the sanitizer's handler of faults, which has a look before ours, ends the process",
    ),
    ("hip_host no_access", "", Some(Sanitizer::Address), "as registered_memory"),
    ("hip_cpu zluda_hip_cpu", "engine::matrix::", None, "arithmetic alone, of an hour"),
    ("hip_emu pcode", "", None, "arithmetic alone, of hours"),
];

/// Tests of `hostile`.
const CALLS: &str = "wrong_arguments_give_the_documented_errors";
const THREADS: &str = "threads::threads_share_objects";

/// For how long a program of tests may run; the longest take minutes.
const LIMIT: Duration = Duration::from_secs(3600);

/// The beginnings of lines that tell of an error.
const ERRORS: [&str; 3] = ["ERROR: AddressSanitizer", "WARNING: ThreadSanitizer", "lock order: "];

impl Sanitizer {
    fn name(self) -> &'static str {
        match self {
            Sanitizer::Address => "address",
            Sanitizer::Thread => "thread",
        }
    }

    fn folder(self) -> PathBuf {
        target().join("sanitize").join(self.name())
    }

    /// Options of its run-time library.
    fn options(self) -> (&'static str, String) {
        let reports = self.reports();
        let reports = reports.join("report");
        match self {
            Sanitizer::Address => (
                "ASAN_OPTIONS",
                // What coroutines leave behind looks like leaks, and their stacks are not the thread's, so that variables
                // cannot be moved to a heap of the sanitizer's.
                format!(
                    "log_path={}:detect_leaks=0:detect_stack_use_after_return=0:abort_on_error=1:\
                     allocator_may_return_null=1:use_sigaltstack=0",
                    reports.display()
                ),
            ),
            Sanitizer::Thread => (
                "TSAN_OPTIONS",
                // Processes are forked while threads run, which is what the tests are about. Its handler of faults would end
                // those that access what they may not, and a process that faults for no reason ends all the same.
                format!(
                    "log_path={}:die_after_fork=0:allocator_may_return_null=1:handle_segv=0:\
                     report_signal_unsafe=0:print_suppressions=1:suppressions={}",
                    reports.display(),
                    root().join("xtask/src/verb/sanitize/thread.txt").display()
                ),
            ),
        }
    }

    /// The folder of what it finds.
    fn reports(self) -> PathBuf {
        self.folder().join("reports")
    }

    /// Rustc's arguments.
    fn flags(self) -> Result<Vec<String>> {
        let mut flags = vec![
            format!("-Zsanitizer={}", self.name()),
            // The library finds the sanitizer in the test that loads it.
            "-Clink-arg=-Wl,--export-dynamic".to_owned(),
            "-Cforce-frame-pointers=yes".to_owned(),
        ];
        match self {
            Sanitizer::Address => flags.extend(["--cfg", "lock_order"].map(str::to_owned)),
            Sanitizer::Thread => {
                // What synchronizes threads in the standard library has to be seen, too.
                let sysroot = self.folder().join("sysroot");
                standard_library::build(&sysroot, TARGET, "-Zsanitizer=thread")?;
                let own = rustc(&["--print", "target-libdir", "--target", TARGET])?;
                let libraries = sysroot.join("lib/rustlib").join(TARGET).join("lib");
                for name in ["librustc-stable_rt.tsan.a", "librustc-nightly_rt.tsan.a"] {
                    let runtime = Path::new(own.trim()).join(name);
                    if runtime.exists() {
                        std::fs::copy(&runtime, libraries.join(name))?;
                    }
                }
                flags.push(format!("--sysroot={}", sysroot.display()));
            }
        }
        flags.extend(["--cfg".to_owned(), format!("zluda_sanitizer={:?}", self.name())]);
        Ok(flags)
    }
}

/// A program of tests, as cargo has built it.
#[derive(Debug, PartialEq, Eq)]
struct Tests {
    name: String,
    program: PathBuf,
    /// The folder of its crate, in which cargo would run it.
    folder: PathBuf,
}

/// Builds, runs the tests, and prints what was found and what was not looked at. Fails where anything was found.
pub fn run(options: &Options) -> Result<ExitCode> {
    let sanitizer = options.sanitizer;
    heading(&format!("Building the driver and its tests with {}", title(sanitizer)));
    let mut tests = build(sanitizer, options.threads)?;
    tests.retain(|tests| tests.name.contains(&options.filter));
    make_empty(&sanitizer.reports())?;
    let mut outcome = Outcome {
        sanitizer,
        place: String::new(),
        failures: Vec::new(),
        unseen: Vec::new(),
        passed: 0,
        suppressed: BTreeMap::new(),
    };
    for (what, why) in NOT_SEEN {
        outcome.unseen.push(format!("{what}: {why}"));
    }
    heading("Running the tests");
    let hostile = tests.iter().position(|tests| tests.name == "zluda hostile");
    let hostile = hostile.map(|at| tests.remove(at));
    let count = tests.len();
    for (number, tests) in tests.iter().enumerate() {
        outcome.place = format!("[{}/{count}] ", number + 1);
        let left_out: Vec<_> = LEFT_OUT
            .iter()
            .filter(|(name, _, of, _)| of.is_none_or(|of| of == sanitizer) && tests.name == *name)
            .collect();
        for (name, test, _, why) in &left_out {
            outcome.unseen.push(format!("{name} {test}: {why}"));
        }
        if left_out.iter().all(|(_, test, ..)| !test.is_empty()) {
            let skipped: Vec<_> = left_out.iter().map(|(_, test, ..)| *test).collect();
            outcome.check(tests, Run::AllBut(&skipped))?;
        }
    }
    outcome.place.clear();
    if let Some(hostile) = &hostile {
        outcome.check(hostile, Run::One(CALLS))?;
        heading(&format!("Running threads of new seeds, for {} minutes", options.minutes));
        let (begun, mut seed) = (Instant::now(), options.seed);
        while seed == options.seed || begun.elapsed() < Duration::from_secs(60 * options.minutes) {
            outcome.check(hostile, Run::Threads(seed))?;
            seed += 1;
        }
        println!(
            "the threads of {} seeds from {} on, {:.0} s",
            seed - options.seed,
            options.seed,
            begun.elapsed().as_secs_f64()
        );
    }
    outcome.tell()
}

fn title(sanitizer: Sanitizer) -> &'static str {
    match sanitizer {
        Sanitizer::Address => "AddressSanitizer and watched locks",
        Sanitizer::Thread => "ThreadSanitizer",
    }
}

/// Builds the tests of the crates; its time is no part of what was asked for.
fn build(sanitizer: Sanitizer, only_threads: bool) -> Result<Vec<Tests>> {
    let flags = sanitizer.flags()?;
    let mut command = cargo();
    command
        .args(["test", "--no-run", "--release", "--target", TARGET, "--target-dir"])
        .arg(sanitizer.folder())
        .arg("--message-format=json-render-diagnostics")
        .args(match only_threads {
            true => vec!["--package", "zluda", "--test", "hostile"],
            false => CRATES.iter().flat_map(|name| ["--package", name]).collect(),
        })
        // The sanitizers are no part of the stable compiler's interface.
        .env("RUSTC_BOOTSTRAP", "1")
        .env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f"))
        // Names and lines in reports; and builds in half the time.
        .env("CARGO_PROFILE_RELEASE_DEBUG", "line-tables-only")
        .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1")
        .stderr(std::process::Stdio::inherit());
    let output = command.output().map_err(|error| format!("cargo: {error}"))?;
    if !output.status.success() {
        return Err(format!("{}: {}", program::shown(&command), output.status).into());
    }
    let tests: Vec<_> = String::from_utf8_lossy(&output.stdout).lines().filter_map(parse).collect();
    if tests.is_empty() { Err("cargo has built no tests".into()) } else { Ok(tests) }
}

/// Understands a line of cargo's about a program of tests that it has built.
fn parse(line: &str) -> Option<Tests> {
    let text = |key: &str| {
        let (_, rest) = line.split_once(&format!("\"{key}\":\""))?;
        Some(rest.split_once('"')?.0)
    };
    let program = PathBuf::from(text("executable")?);
    let folder = Path::new(text("manifest_path")?).parent()?.to_owned();
    let (_, of_target) = line.split_once("\"target\":{")?;
    let (_, name) = of_target.split_once("\"name\":\"")?;
    let package = folder.file_name()?.to_string_lossy();
    Some(Tests { name: format!("{package} {}", name.split_once('"')?.0), program, folder })
}

/// The tests that passed, of a line "test result: ok. 3 passed; 0 failed; ...".
fn passed(line: &str) -> Option<usize> {
    let (before, _) = line.strip_prefix("test result: ")?.split_once(" passed;")?;
    before.rsplit(' ').next()?.parse().ok()
}

/// How often a suppression hid a report, of a line "3 race:name" that ThreadSanitizer writes in the end.
fn suppressed(line: &str) -> Option<(usize, &str)> {
    let (count, suppression) = line.trim().split_once(' ')?;
    let is_one = suppression.starts_with("race:");
    is_one.then_some((count.parse().ok()?, suppression))
}

/// What runs of a program of tests.
enum Run<'a> {
    AllBut(&'a [&'a str]),
    One(&'a str),
    /// The threads of a seed.
    Threads(u64),
}

struct Outcome {
    sanitizer: Sanitizer,
    /// Which of all programs runs, for its line.
    place: String,
    failures: Vec<String>,
    unseen: Vec<String>,
    /// Tests that passed.
    passed: usize,
    /// How often each suppression has hidden a report.
    suppressed: BTreeMap<String, usize>,
}

impl Outcome {
    /// Runs tests of a program and shows how that ends.
    fn check(&mut self, tests: &Tests, run: Run) -> Result<()> {
        let mut name = tests.name.clone();
        let mut command = Command::new(&tests.program);
        let (variable, value) = self.sanitizer.options();
        command
            .current_dir(&tests.folder)
            .env(variable, value)
            .env("CARGO_MANIFEST_DIR", &tests.folder)
            .env(format!("{}_SYMBOLIZER_PATH", &variable[..4]), llvm_program("llvm-symbolizer"));
        match run {
            Run::AllBut(names) => {
                command.args(names.iter().flat_map(|name| ["--skip", name]));
            }
            Run::One(test) => {
                name += &format!(" {test}");
                command.args(["--exact", test]);
            }
            Run::Threads(seed) => {
                name += &format!(" {THREADS} {seed}");
                command.args(["--exact", THREADS]);
                command.env("ZLUDA_TEST_SEEDS", format!("{seed}..{}", seed + 1));
            }
        }
        let output = minute_by_minute(&name, || capture_group(&mut command, LIMIT))?;
        let passed: usize = output.stdout.lines().filter_map(passed).sum();
        let found = self.take_reports(&name)?;
        let verdict = match output.status {
            None if found.is_empty() => {
                self.unseen.push(format!("{name}: the time was over before its end"));
                "was not done in time"
            }
            _ if output.success() && found.is_empty() => "ok",
            _ => "FAILED",
        };
        self.passed += passed;
        println!(
            "{}{name}: {verdict}, {passed} passed, {:.0} s",
            self.place,
            output.time.as_secs_f64()
        );
        if verdict == "FAILED" {
            self.failures.push(name);
            show(&output, &found);
        }
        Ok(())
    }

    /// Moves what processes wrote of errors to where the next run leaves it, and counts what was suppressed.
    fn take_reports(&mut self, name: &str) -> Result<Vec<PathBuf>> {
        let mut kept = Vec::new();
        for entry in std::fs::read_dir(self.sanitizer.reports())? {
            let path = entry?.path();
            let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if !file.starts_with("report") {
                continue;
            }
            let text = String::from_utf8_lossy(&std::fs::read(&path)?).into_owned();
            for (count, suppression) in text.lines().filter_map(suppressed) {
                *self.suppressed.entry(suppression.to_owned()).or_default() += count;
            }
            let tells = |line: &str| ERRORS.iter().any(|error| line.contains(error));
            if self.sanitizer == Sanitizer::Address || text.lines().any(tells) {
                let to = path.with_file_name(format!("{} {file}", name.replace([' ', ':'], "_")));
                std::fs::rename(&path, &to)?;
                kept.push(to);
            } else {
                std::fs::remove_file(path)?;
            }
        }
        Ok(kept)
    }

    fn tell(self) -> Result<ExitCode> {
        for unseen in &self.unseen {
            println!("NOT LOOKED AT {unseen}");
        }
        for (suppression, count) in &self.suppressed {
            println!("SUPPRESSED {count} of {suppression}");
        }
        let (passed, failed) = (self.passed, self.failures.len());
        heading(&format!(
            "{}: {passed} tests passed, {failed} programs failed",
            title(self.sanitizer)
        ));
        self.failures.iter().for_each(|name| println!("FAILED {name}"));
        if !self.failures.is_empty() {
            println!("reports are in {}", self.sanitizer.reports().display());
        }
        Ok(if self.failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

/// Prints the first reports, or else what the program wrote.
fn show(output: &Output, reports: &[PathBuf]) {
    for report in reports.iter().take(3) {
        println!("{}", std::fs::read_to_string(report).unwrap_or_default());
    }
    let tells = |text: &str| ERRORS.iter().any(|error| text.contains(error));
    if reports.is_empty() || tells(&output.stderr) || tells(&output.stdout) {
        println!("{}", output.describe());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_of_tests_are_understood() {
        let line = r#"{"reason":"compiler-artifact","package_id":"path+file:///a/hip_cpu#0.1.0","manifest_path":"/a/hip_cpu/Cargo.toml","target":{"kind":["test"],"crate_types":["bin"],"name":"faults","src_path":"/a/hip_cpu/tests/faults.rs"},"profile":{"test":true},"filenames":["/t/faults-1"],"executable":"/t/faults-1","fresh":true}"#;
        let tests = Tests {
            name: "hip_cpu faults".to_owned(),
            program: "/t/faults-1".into(),
            folder: "/a/hip_cpu".into(),
        };
        assert_eq!(parse(line), Some(tests));
        assert_eq!(parse(&line.replace("\"/t/faults-1\",\"fresh", "null,\"fresh")), None);
    }

    #[test]
    fn results_and_suppressions_are_counted() {
        let line =
            "test result: FAILED. 12 passed; 1 failed; 0 ignored; 0 measured; 3 filtered out";
        assert_eq!(passed(line), Some(12));
        assert_eq!(passed("running 12 tests"), None);
        assert_eq!(suppressed("17 race:a::b::"), Some((17, "race:a::b::")));
        assert_eq!(suppressed("ThreadSanitizer: Matched 17 suppressions (pid=3):"), None);
    }
}
