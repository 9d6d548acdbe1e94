//! The build for Windows, under Wine: the crates' own tests, and programs that get to the driver in every way.

use super::Report;
use super::rust::count;
use crate::Result;
use crate::program::{capture, quiet};
use crate::progress::heading;
use crate::repository::{Profile, make, make_empty, root};
use crate::windows::wine::{Wine, windows_path};
use crate::windows::{build, cargo_for_windows, folder, llvm, mingw, staged};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The crates whose tests say something about Windows.
const CRATES: &[&str] =
    &["zluda_common", "zluda_cache", "zluda_staged", "hip_host", "hip_cpu", "zluda_cli"];

/// Longer than any of the programs takes.
const LIMIT: Duration = Duration::from_secs(120);

/// A process starts so often in a row with the driver in it.
const TIMES: usize = 50;

/// What a program that gets to the driver prints last.
const GOOD: &str = "0 wrong";

/// Builds, and runs everything.
pub fn run(report: &mut Report) -> Result<()> {
    heading("Building for Windows");
    let wine = match Wine::new()? {
        Some(wine) => wine,
        None => {
            report.skip("programs of Windows", "Wine is not installed: wine64, wine64-tools, wine");
            return Ok(());
        }
    };
    if let Err(error) = cargo_for_windows("build") {
        report.skip("the build for Windows", &error.to_string());
        return Ok(());
    }
    build(Profile::Debug)?;
    if !llvm::is_built() {
        report
            .cannot("kernels on Windows", "LLVM is not built for it: `./x llvm-windows` does that");
    }
    tests(report, &wine)?;
    heading("Running programs under Wine");
    let programs = Programs::build()?;
    for case in cases(&programs) {
        let result = case.run(&wine);
        report.check(format!("windows: {}", case.name), result);
    }
    report.check(format!("windows: {TIMES} times in a row"), many_times(&wine, &programs));
    Ok(())
}

/// The tests of the crates.
fn tests(report: &mut Report, wine: &Wine) -> Result<()> {
    heading("Running the tests of crates under Wine");
    let objects = folder().join("objects");
    make(&objects)?;
    // What tests compile themselves elsewhere: there is no compiler under Wine.
    for source in crate::repository::files(&root().join("hip_cpu/tests/kernels"), "c")? {
        let mut compiler = Command::new("cc");
        compiler.args(["-shared", "-fPIC", "-O1", "-fno-optimize-sibling-calls", "-w"]);
        compiler.arg(format!("-DABI_VERSION={}", cpu_abi::ABI_VERSION)).arg(&source).arg("-o");
        let object = objects.join(source.file_stem().unwrap_or_default()).with_extension("so");
        quiet(compiler.arg(object), LIMIT)?;
    }
    let mut command = cargo_for_windows("test")?;
    command.args(["--no-fail-fast", "--tests"]);
    for name in CRATES {
        command.args(["--package", name]);
    }
    wine.environment(&mut command);
    command
        .env("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER", &wine.runner)
        .env("ZLUDA_TEST_OBJECTS", windows_path(&objects));
    count(report, &mut command);
    Ok(())
}

/// The programs of `tests/windows`, in a folder whose name has a blank, with a DLL beside them that is not to be taken;
/// and another folder, in which the driver lies itself.
struct Programs {
    with_decoy: PathBuf,
    beside: PathBuf,
}

impl Programs {
    fn build() -> Result<Programs> {
        let programs = Programs {
            with_decoy: folder().join("programs/with a decoy"),
            beside: folder().join("programs/beside"),
        };
        make_empty(&programs.with_decoy)?;
        make_empty(&programs.beside)?;
        let sources = root().join("tests/windows");
        let library = folder().join("programs/libnvcuda.a");
        let mut tool = mingw("dlltool");
        tool.arg("-d").arg(sources.join("nvcuda.def")).arg("-l").arg(&library);
        quiet(&mut tool, LIMIT)?;
        for name in ["linked", "loaded", "parent", "arguments"] {
            let mut compiler = mingw("gcc-posix");
            compiler.args(["-O1", "-Wall", "-Werror"]).arg(sources.join(format!("{name}.c")));
            compiler.arg(&library).arg("-o");
            compiler.arg(programs.with_decoy.join(format!("{name}.exe")));
            quiet(&mut compiler, LIMIT)?;
        }
        let mut compiler = mingw("gcc-posix");
        compiler.arg("-shared").arg(sources.join("decoy.c")).arg("-o");
        quiet(compiler.arg(programs.with_decoy.join("nvcuda.dll")), LIMIT)?;
        for name in ["linked.exe", "loaded.exe"] {
            std::fs::copy(programs.with_decoy.join(name), programs.beside.join(name))?;
        }
        Ok(programs)
    }
}

/// A command of Windows, and what comes of it.
struct Case {
    name: String,
    folder: PathBuf,
    /// The command `zluda`, or a program in the folder.
    program: PathBuf,
    arguments: Vec<String>,
    status: i32,
    /// What it prints has this in it.
    output: &'static str,
}

impl Case {
    fn run(&self, wine: &Wine) -> std::result::Result<(), String> {
        let mut command = wine.command(&self.program);
        command.args(&self.arguments).current_dir(&self.folder);
        let output = capture(&mut command, LIMIT).map_err(|error| error.to_string())?;
        let status = output.status.and_then(|status| status.code());
        let text = output.stdout.replace('\r', "");
        if status == Some(self.status) && (text + &output.stderr).contains(self.output) {
            Ok(())
        } else {
            Err(output.describe())
        }
    }
}

fn cases(programs: &Programs) -> Vec<Case> {
    let zluda = staged().join("zluda.exe");
    let mut cases = Vec::new();
    let mut case =
        |name: &str, folder: &Path, program: &Path, arguments: &[&str], status, output| {
            cases.push(Case {
                name: name.to_owned(),
                folder: folder.to_owned(),
                program: program.to_owned(),
                arguments: arguments.iter().map(|&argument| argument.to_owned()).collect(),
                status,
                output,
            });
        };
    let (decoy, beside) = (&*programs.with_decoy, &*programs.beside);
    case("a program that imports the driver", decoy, &zluda, &["run", "--", "linked.exe"], 0, GOOD);
    let absolute = windows_path(&decoy.join("NVCUDA.DLL")).to_string_lossy().into_owned();
    for way in ["A", "W", "ExA", "ExW"] {
        for name in ["nvcuda", "nvcuda.dll", r"C:\windows\system32\nvcuda.dll", &absolute] {
            let arguments = ["run", "--", "loaded.exe", way, name];
            case(&format!("LoadLibrary{way} of {name}"), decoy, &zluda, &arguments, 0, GOOD);
        }
    }
    let child = ["run", "--", "parent.exe", "A", "linked.exe"];
    case("a child", decoy, &zluda, &child, 0, GOOD);
    let grandchild =
        ["run", "--", "parent.exe", "W", "parent.exe", "A", "loaded.exe", "W", "nvcuda.dll"];
    case("a child of a child", decoy, &zluda, &grandchild, 0, GOOD);
    let arguments = ["run", "--", "arguments.exe", "a b", "c\"d", "e\\", "", "f\\\\\"g\\ h\\"];
    let printed = "[a b]\n[c\"d]\n[e\\]\n[]\n[f\\\\\"g\\ h\\]\n";
    case("arguments and exit codes", decoy, &zluda, &arguments, 5, printed);
    case("no program", decoy, &zluda, &["run", "--", "none.exe"], 127, "program not found");
    let install = ["install", "."];
    case("installing", beside, &zluda, &install, 0, "nvcuda.dll");
    case("the driver beside a program", beside, &beside.join("linked.exe"), &[], 0, GOOD);
    let loaded = beside.join("loaded.exe");
    case("the same, loaded", beside, &loaded, &["A", "nvcuda.dll"], 0, GOOD);
    case("removing", beside, &zluda, &["remove", "."], 0, "nvcuda.dll");
    case("no driver any more", beside, &loaded, &["A", "nvcuda.dll"], 3, "is not there");
    case("information", decoy, &zluda, &["info"], 0, "device 0: ");
    cases
}

/// Injection again and again: each process ends well.
fn many_times(wine: &Wine, programs: &Programs) -> std::result::Result<(), String> {
    let zluda = staged().join("zluda.exe");
    for time in 0..TIMES {
        let mut command = wine.command(&zluda);
        let words = ["run", "--", "arguments.exe", "once"].map(OsStr::new);
        command.args(words).current_dir(&programs.with_decoy);
        let output = capture(&mut command, LIMIT).map_err(|error| error.to_string())?;
        if output.status.and_then(|status| status.code()) != Some(1) {
            return Err(format!("the time {time}: {}", output.describe()));
        }
    }
    Ok(())
}
