//! The crates: form, lints and tests.

use super::Report;
use crate::Result;
use crate::arrows::{self, crates, rust_files};
use crate::program::{cargo, loud, shown};
use crate::progress::heading;
use crate::repository::{NO_AVX512, Profile, has_avx512, root};
use crate::toolkit::python_with_packages;
use crate::verb::build::{self, ABOVE_THE_DRIVER};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The arrows between crates and folders, `cargo fmt`, and `cargo clippy`, unless the tests are to be built too: then clippy sees
/// the crates on the way ([`run`]), all but the libraries.
pub fn lint(report: &mut Report, are_tested: bool) {
    heading("Checking the form of the source");
    report.check(
        "cargo fmt",
        loud(cargo().args(["fmt", "--all", "--check"])).map_err(|error| error.to_string()),
    );
    report.check("arrows between crates and folders", arrows::check());
    report.check("examples in documentation", no_examples().map_err(|error| error.to_string()));
    heading("Checking with clippy");
    let mut command = cargo();
    command.arg("clippy");
    match are_tested {
        true => command.args(ABOVE_THE_DRIVER.iter().flat_map(|package| ["--package", package])),
        false => command.arg("--workspace"),
    };
    command.args(["--all-targets", "--", "--deny", "warnings"]);
    report.check("cargo clippy", loud(&mut command).map_err(|error| error.to_string()));
}

/// Fails where documentation has code that would have to be run: nextest does not, and `cargo test --doc` builds for a minute to run
/// a few lines, which a test holds as well.
fn no_examples() -> Result<()> {
    let manifest = fs::read_to_string(root().join("Cargo.toml"))?;
    let mut found = Vec::new();
    for member in crates::members(&manifest) {
        for file in rust_files(&root().join(member).join("src"))? {
            let lines = examples(&fs::read_to_string(&file)?);
            found.extend(lines.into_iter().map(|line| format!("{}:{line}", file.display())));
        }
    }
    match found.is_empty() {
        true => Ok(()),
        false => {
            Err(format!("code without ```text, which nothing runs: {}", found.join(", ")).into())
        }
    }
}

/// The lines, from 1, in which a block of code without a language begins.
fn examples(source: &str) -> Vec<usize> {
    let mut inside = false;
    let mut found = Vec::new();
    for (line, text) in source.lines().enumerate() {
        let text = text.trim_start();
        let Some(text) = text.strip_prefix("///").or_else(|| text.strip_prefix("//!")) else {
            continue;
        };
        if let Some(language) = text.trim_start().strip_prefix("```") {
            if !inside && language.is_empty() {
                found.push(line + 1);
            }
            inside = !inside;
        }
    }
    found
}

/// The crate whose tests ask the driver what an NVIDIA GPU was asked, in thousands of processes: as it is released, and not without
/// optimisation.
const ANSWERS: &str = "differential";

/// The tests of all crates but the libraries and [`ANSWERS`], with nextest where it is installed. With `lints` they are built by
/// clippy, which compiles as rustc does: to check them before would take as long as half of the build.
pub fn run(report: &mut Report, lints: bool) {
    let clippy = if lints { clippy_driver() } else { None };
    if lints && clippy.is_none() {
        report.check("cargo clippy", Err("rustc's folder has no clippy-driver".to_owned()));
    }
    let cargo = || {
        let mut command = cargo();
        if let Some(driver) = &clippy {
            command.env("RUSTC_WORKSPACE_WRAPPER", driver);
        }
        command
    };
    heading("Building the crates and their tests");
    let mut packages = vec!["--workspace"];
    packages.extend(ABOVE_THE_DRIVER.iter().flat_map(|package| ["--exclude", package]));
    let mut command = cargo();
    command.arg("build").args(&packages).arg("--all-targets");
    match warnings(&mut command) {
        Ok(crates) if clippy.is_some() => {
            let result = if crates.is_empty() { Ok(()) } else { Err(crates.join("\n")) };
            report.check("cargo clippy", result);
        }
        Ok(_) => {}
        Err(error) => report.check("build of the tests", Err(error.to_string())),
    }
    // Some tests open the staged libraries.
    let staged = Profile::Debug.staged();
    let staged =
        build::stage_some(Profile::Debug, &staged, |it| !ABOVE_THE_DRIVER.contains(&it.package));
    report.check("build of the libraries", staged.map_err(|error| error.to_string()));
    // The emulated GPU's instructions are tested against what one of the packages has.
    let installed = python_with_packages().map(drop);
    report.check("packages of the tests", installed.map_err(|error| error.to_string()));
    if !has_avx512() {
        // Those of spmd run what the processor can, and count as passed.
        report.cannot("tests of code for AVX-512", NO_AVX512);
    }
    heading("Running the tests of the crates");
    packages.extend(["--exclude", ANSWERS]);
    test(report, &cargo, &packages);
}

/// The tests of the libraries and those of [`ANSWERS`], as they are released.
pub fn libraries(report: &mut Report) {
    heading("Building and running the tests of the libraries, and of the driver's answers");
    // By themselves, as they are built before: together both might have other features, and be built again.
    for some in [&ABOVE_THE_DRIVER[..], &[ANSWERS]] {
        let mut packages = vec!["--release"];
        packages.extend(some.iter().flat_map(|package| ["--package", package]));
        test(report, &cargo, &packages);
    }
}

fn test(report: &mut Report, cargo: &dyn Fn() -> Command, packages: &[&str]) {
    let has_nextest = cargo()
        .args(["nextest", "--version"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    let mut command = cargo();
    match has_nextest {
        true => command.args(["nextest", "run", "--hide-progress-bar", "--no-tests=pass"]),
        false => command.arg("test"),
    };
    count(report, command.args(packages).arg("--no-fail-fast"));
}

/// The compiler with clippy's lints, beside rustc.
fn clippy_driver() -> Option<PathBuf> {
    let output = Command::new("rustc").args(["--print", "sysroot"]).output().ok()?;
    let sysroot = String::from_utf8(output.stdout).ok()?;
    let driver = Path::new(sysroot.trim()).join("bin/clippy-driver");
    driver.is_file().then_some(driver)
}

/// Runs a build, and gives cargo's lines about crates with warnings.
fn warnings(command: &mut Command) -> Result<Vec<String>> {
    let mut child = command.stderr(Stdio::piped()).spawn()?;
    let mut found = Vec::new();
    for line in child.stderr.take().into_iter().flat_map(|it| BufReader::new(it).lines()) {
        let line = line?;
        println!("{line}");
        if has_warnings(&line) {
            found.push(line);
        }
    }
    let status = child.wait()?;
    if status.success() { Ok(found) } else { Err(format!("{}: {status}", shown(command)).into()) }
}

/// Whether a line is such as "warning: `ptx` (lib) generated 2 warnings".
fn has_warnings(line: &str) -> bool {
    line.starts_with("warning: `") && line.contains("` (") && line.contains(") generated ")
}

/// Runs a test command, shows what it says, and counts the tests by its own lines.
pub fn count(report: &mut Report, command: &mut Command) {
    let name = shown(command);
    // Of the two streams, tests write to one or the other.
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = match child {
        Ok(child) => child,
        Err(error) => return report.check(name, Err(error.to_string())),
    };
    let streams: [Option<Box<dyn std::io::Read + Send>>; 2] = [
        child.stdout.take().map(|stream| Box::new(stream) as _),
        child.stderr.take().map(|stream| Box::new(stream) as _),
    ];
    let counts: Vec<Counts> = std::thread::scope(|scope| {
        let readers: Vec<_> =
            streams.into_iter().flatten().map(|stream| scope.spawn(|| read(stream))).collect();
        readers.into_iter().filter_map(|reader| reader.join().ok()).collect()
    });
    let mut total = Counts::default();
    for counts in counts {
        total.passed += counts.passed;
        total.failed.extend(counts.failed);
    }
    report.pass(total.passed);
    total.failed.sort();
    total.failed.dedup();
    let success = child.wait().is_ok_and(|status| status.success());
    if total.failed.is_empty() && !success {
        report.check(name, Err("it failed; see above".to_owned()));
    } else if total.failed.is_empty() && total.passed == 0 {
        report.check(name, Err("it has run no test".to_owned()));
    }
    for test in total.failed {
        report.check(test, Err("see above".to_owned()));
    }
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Counts {
    passed: usize,
    failed: Vec<String>,
}

fn read(stream: Box<dyn std::io::Read + Send>) -> Counts {
    let mut counts = Counts::default();
    for line in BufReader::new(stream).split(b'\n').map_while(std::io::Result::ok) {
        let line = String::from_utf8_lossy(&line);
        println!("{line}");
        counts.read_line(&line);
    }
    counts
}

impl Counts {
    /// Understands `test a::b ... ok` (libtest) and `PASS [ 0.1s] crate a::b` (nextest).
    fn read_line(&mut self, line: &str) {
        let line = line.trim();
        if let Some(test) = line.strip_prefix("test ") {
            if let Some((name, verdict)) = test.rsplit_once(" ... ") {
                match verdict.split_whitespace().next() {
                    Some("ok") => self.passed += 1,
                    Some("FAILED") => self.failed.push(name.to_owned()),
                    _ => {}
                }
            }
        } else if let Some((verdict, rest)) = line.split_once(" [")
            && let Some((_, name)) = rest.split_once("] ")
        {
            match verdict.trim() {
                "PASS" | "LEAK" | "SLOW PASS" => self.passed += 1,
                "FAIL" | "ABORT" | "SIGSEGV" | "SIGABRT" | "SIGKILL" | "TIMEOUT" | "SIGBUS"
                | "SIGILL" | "SIGTRAP" => {
                    self.failed.push(name.trim().to_owned());
                }
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crates_with_warnings_are_found() {
        let generated = "warning: `ptx` (lib test) generated 1 warning (1 duplicate)";
        assert!(has_warnings(generated));
        assert!(!has_warnings("warning: field `ptx` is never read"));
        assert!(!has_warnings("warning: unused manifest key: profile"));
    }

    #[test]
    fn code_that_would_run_is_found() {
        let text = "//! ```text\n//! a table\n//! ```\nfn f() {}\n    /// ```\n    /// f();\n    /// ```\n";
        assert_eq!(examples(text), [5]);
    }

    #[test]
    fn lines_of_both_test_programs_are_counted() {
        let text = "running 3 tests\ntest a::good ... ok\ntest a::bad - should panic ... FAILED\ntest c ... ignored\n\
            test result: FAILED. 1 passed; 1 failed\n        PASS [   0.004s] (1/3) zluda_common config::sizes\n\
            \x20       FAIL [   0.104s] (2/3) ptx lower::add\n     SIGSEGV [   0.104s] (3/3) spmd run\n\
            \x20       SLOW [> 60.000s] ptx long\n     Summary [   0.2s] 3 tests run: 1 passed, 2 failed";
        let counts = read(Box::new(std::io::Cursor::new(text.to_owned())));
        assert_eq!(counts.passed, 2);
        assert_eq!(
            counts.failed,
            ["a::bad - should panic", "(2/3) ptx lower::add", "(3/3) spmd run"]
        );
    }
}
