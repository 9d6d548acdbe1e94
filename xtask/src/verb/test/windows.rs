//! The build for Windows, under Wine: the crates' own tests, and programs that get to the driver in every way.

mod places;
mod python;
mod samples;
mod sharing;

use super::Report;
use super::rust::count;
use crate::Result;
use crate::package::{Kind, VERSION, make_all};
use crate::program::{capture, quiet};
use crate::progress::heading;
use crate::repository::{Profile, make, make_empty, root};
use crate::toolkit::wheel_for_windows;
use crate::windows::wine::{Wine, windows_path};
use crate::windows::{build, cargo_for_windows, folder, llvm, mingw, staged};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The crates whose tests say something about Windows. The last two ask for features of others that the build has, too: without
/// them all would be compiled a second time.
const CRATES: &[&str] = &[
    "zluda_common",
    "zluda_cache",
    "zluda_staged",
    "hip_host",
    "hip_cpu",
    "zluda_cli",
    "zluda_inject",
    "zluda_redirect",
    "fatbin",
];

/// Longer than any of the programs takes.
const LIMIT: Duration = Duration::from_secs(120);

/// NVIDIA's own DLLs for Windows. The runtime is that of CUDA 12: the DLL of CUDA 13 has no code of its own, and asks the
/// driver for a `nvcudart_hybrid64.dll` that has.
const RUNTIME: &str = "nvidia-cuda-runtime-cu12==12.9.79";
const COMPILER: &str = "nvidia-cuda-nvrtc==13.0.88";

/// Where the header of a program begins that is patched, from its signature on.
const MACHINE: usize = 4;
const CHARACTERISTICS: usize = 24 + 70;

/// What a program that gets to the driver prints last.
const GOOD: &str = "0 wrong";

/// What is built: where nothing compiles kernels, nothing computes for long, and half of the time is the build.
fn profile() -> Profile {
    if llvm::is_built() { Profile::Release } else { Profile::Debug }
}

/// Builds, and runs everything: of samples, those whose name contains `filter`. A process starts `times` times in
/// a row with the driver in it.
pub fn run(report: &mut Report, times: usize, filter: &str) -> Result<()> {
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
    build(profile())?;
    heading("Running programs under Wine");
    let programs = Programs::build()?;
    // Nobody is to get it by any name.
    fs::copy(programs.with_decoy.join("nvcuda.dll"), wine.system32().join("nvcuda.dll"))?;
    let mut cases = cases(&programs, times)?;
    cases.extend(packed(&programs)?);
    cases.extend(places::cases()?);
    // One of them starts as many processes.
    let limit = LIMIT + Duration::from_secs(times as u64);
    for case in cases {
        let result = case.run(&wine, limit);
        report.check(format!("windows: {}", case.name), result);
    }
    match nvidias() {
        Ok([runtime, compiler]) => {
            for (program, dll) in [("runtime.exe", runtime), ("compiler.exe", compiler)] {
                let dll = windows_path(&dll).to_string_lossy().into_owned();
                let case = Case {
                    name: format!("NVIDIA's own: {dll}"),
                    folder: programs.with_decoy.clone(),
                    program: staged().join("zluda.exe"),
                    arguments: ["run", "--", program, &dll].map(str::to_owned).to_vec(),
                    status: 0,
                    output: GOOD,
                };
                report.check(format!("windows: {}", case.name), case.run(&wine, limit));
            }
        }
        Err(error) => report.skip("NVIDIA's DLLs", &error.to_string()),
    }
    report.check(format!("windows: {times} times in a row"), many_times(&wine, &programs, times));
    if llvm::is_built() {
        if let Some(programs) = samples::run(report, &wine, filter)? {
            report.check("windows: a shared cache", sharing::run(&wine, &programs));
        }
        python::run(report, &wine);
        recorded(report, &wine)?;
    } else {
        report
            .cannot("kernels on Windows", "LLVM is not built for it: `./x llvm-windows` does that");
    }
    tests(report, &wine)?;
    report.check("windows: no process stays", wine.no_process_of(&folder().join("programs")));
    Ok(())
}

/// NVIDIA's runtime and its compiler.
fn nvidias() -> Result<[PathBuf; 2]> {
    let to = folder().join("nvidia");
    Ok([
        wheel_for_windows(RUNTIME, &to)?.join("nvidia/cuda_runtime/bin/cudart64_12.dll"),
        wheel_for_windows(COMPILER, &to)?.join("nvidia/cu13/bin/x86_64/nvrtc64_130_0.dll"),
    ])
}

/// The archive for Windows, unpacked elsewhere.
fn packed(programs: &Programs) -> Result<Vec<Case>> {
    let to = folder().join("package");
    make_empty(&to)?;
    let made = make_all(&[Kind::Zip], &staged(), &to)?;
    for archive in &made {
        let mut command = Command::new("python3");
        quiet(command.args(["-m", "zipfile", "-e"]).arg(archive).arg(&to), LIMIT)?;
    }
    let unpacked = to.join(format!("zluda-{VERSION}-windows-x86_64"));
    for name in ["README.md", "LICENSE-MIT", "THIRD-PARTY.txt", "doc/windows.md"] {
        fs::metadata(unpacked.join(name)).map_err(|error| format!("{name}: {error}"))?;
    }
    Ok(vec![Case {
        name: "the archive".to_owned(),
        folder: programs.with_decoy.clone(),
        program: unpacked.join("zluda.exe"),
        arguments: ["run", "--", "linked.exe"].map(str::to_owned).to_vec(),
        status: 0,
        output: GOOD,
    }])
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
    if profile() == Profile::Release {
        command.arg("--release");
    }
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

/// The driver against what NVIDIA's has answered.
fn recorded(report: &mut Report, wine: &Wine) -> Result<()> {
    heading("Comparing with the recorded answers of NVIDIA's driver under Wine");
    let mut command = cargo_for_windows("test")?;
    command.args(["--release", "--no-fail-fast", "--package", "differential", "--test", "nvidia"]);
    wine.environment(&mut command);
    command.env("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER", &wine.runner);
    count(report, &mut command);
    Ok(())
}

/// The programs of `tests/windows`, in a folder whose name has a blank, with a DLL beside them that is not to be taken;
/// and another folder, in which the driver lies itself.
struct Programs {
    with_decoy: PathBuf,
    beside: PathBuf,
    /// Has `zluda.exe` alone, and the driver, without what leads programs to it.
    alone: PathBuf,
    halved: PathBuf,
}

/// The programs, what each imports beside the driver, and how.
const PROGRAMS: &[(&str, &str, &[&str])] = &[
    ("linked", "linked", &["nvcuda"]),
    ("delayed", "linked", &["nvcuda_delayed"]),
    ("loaded", "loaded", &[]),
    ("parent", "parent", &[]),
    ("arguments", "arguments", &[]),
    ("faults", "faults", &["nvcuda"]),
    ("version", "version", &["version"]),
    ("whole", "whole", &[]),
    ("unloaded", "unloaded", &[]),
    ("left", "left", &[]),
    ("repeat", "repeat", &["psapi"]),
    ("missing", "missing", &["gone"]),
    ("runtime", "runtime", &[]),
    ("compiler", "compiler", &[]),
    ("libraries", "libraries", &[]),
    ("algebra", "algebra", &[]),
    ("networks", "networks", &[]),
    ("management", "management", &[]),
    ("imports", "imports", &["cufft"]),
];

/// DLLs that [`PROGRAMS`] import, and what of them.
const IMPORTED: &[(&str, &str, &[&str])] = &[
    ("gone", "gone.dll", &["gone"]),
    ("cufft", "cufft64_12.dll", &["cufftPlan1d", "cufftDestroy"]),
];

/// The programs that load libraries above the driver and compute with them, and which.
const LIBRARIES: &[(&str, &str)] = &[
    ("libraries.exe", "cuFFT and cuRAND"),
    ("algebra.exe", "cuBLAS, cuBLASLt, cuSPARSE and cuSOLVER"),
    ("networks.exe", "cuDNN of both versions"),
    ("management.exe", "NVML"),
];

impl Programs {
    fn build() -> Result<Programs> {
        let of = |name: &str| folder().join("programs").join(name);
        let programs = Programs {
            with_decoy: of("with a decoy"),
            beside: of("beside"),
            alone: of("alone"),
            halved: of("halved"),
        };
        make_empty(&of(""))?;
        for place in [&programs.with_decoy, &programs.beside, &programs.alone, &programs.halved] {
            make(place)?;
        }
        let sources = root().join("tests/windows");
        let import = |definitions: PathBuf, kind: &str, library: &str| {
            let mut tool = mingw("dlltool");
            tool.arg("-d").arg(definitions).arg(kind).arg(of(&format!("lib{library}.a")));
            quiet(&mut tool, LIMIT)
        };
        import(sources.join("nvcuda.def"), "-l", "nvcuda")?;
        import(sources.join("nvcuda.def"), "-y", "nvcuda_delayed")?;
        for (library, dll, functions) in IMPORTED {
            let definitions = of(&format!("{library}.def"));
            let text = format!("LIBRARY {dll}\nEXPORTS\n{}\n", functions.join("\n"));
            fs::write(&definitions, text)?;
            import(definitions, "-l", library)?;
        }
        for (name, source, libraries) in PROGRAMS {
            let mut compiler = mingw("gcc-posix");
            compiler.args(["-O1", "-Wall", "-Werror"]).arg(sources.join(format!("{source}.c")));
            compiler.arg("-o").arg(programs.with_decoy.join(format!("{name}.exe")));
            compiler.arg("-L").arg(of(""));
            compiler.args(libraries.iter().map(|library| format!("-l{library}")));
            quiet(&mut compiler, LIMIT)?;
        }
        let arguments = programs.with_decoy.join("arguments.exe");
        for (name, at, word) in [
            ("for_32_bits.exe", MACHINE, 0x14cu16),
            ("for_arm.exe", MACHINE, 0xaa64),
            // DYNAMIC_BASE, NX_COMPAT and FORCE_INTEGRITY.
            ("signed.exe", CHARACTERISTICS, 0x1c0),
        ] {
            patch(&arguments, &programs.with_decoy.join(name), at, word)?;
        }
        for name in ["zluda.exe", "nvcuda.dll"] {
            fs::copy(staged().join(name), programs.halved.join(name))?;
        }
        fs::copy(staged().join("zluda.exe"), programs.alone.join("zluda.exe"))?;
        let mut compiler = mingw("gcc-posix");
        compiler.arg("-shared").arg(sources.join("decoy.c")).arg("-o");
        quiet(compiler.arg(programs.with_decoy.join("nvcuda.dll")), LIMIT)?;
        // Nobody is to get this one either.
        let decoy = programs.with_decoy.join("nvcuda.dll");
        fs::copy(decoy, programs.with_decoy.join("cufft64_12.dll"))?;
        let libraries = LIBRARIES.iter().map(|(name, _)| *name);
        let own = ["linked.exe", "loaded.exe", "unloaded.exe", "left.exe", "imports.exe"];
        for name in own.into_iter().chain(libraries) {
            fs::copy(programs.with_decoy.join(name), programs.beside.join(name))?;
        }
        Ok(programs)
    }
}

/// Copies a program with another word in its headers, `at` bytes from their signature on.
fn patch(from: &Path, to: &Path, at: usize, word: u16) -> Result<()> {
    let mut bytes = fs::read(from)?;
    let field = bytes.get(0x3c..0x40).ok_or("it is no program")?;
    let start = u32::from_le_bytes(field.try_into()?) as usize + at;
    bytes.get_mut(start..start + 2).ok_or("it is no program")?.copy_from_slice(&word.to_le_bytes());
    Ok(fs::write(to, bytes)?)
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
    fn run(&self, wine: &Wine, limit: Duration) -> std::result::Result<(), String> {
        let mut command = wine.command(&self.program);
        command.args(&self.arguments).current_dir(&self.folder);
        let output = capture(&mut command, limit).map_err(|error| error.to_string())?;
        let status = output.status.and_then(|status| status.code());
        let text = output.stdout.replace('\r', "");
        if status == Some(self.status) && (text + &output.stderr).contains(self.output) {
            Ok(())
        } else {
            Err(output.describe())
        }
    }
}

fn cases(programs: &Programs, times: usize) -> Result<Vec<Case>> {
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
    let slashes = absolute.replace('\\', "/");
    for way in ["A", "W", "ExA", "ExW", "ExW of System32"] {
        for name in ["nvcuda", "nvcuda.dll", r"C:\windows\system32\nvcuda.dll", &absolute, &slashes]
        {
            let arguments = ["run", "--", "loaded.exe", way, name];
            case(&format!("LoadLibrary{way} of {name}"), decoy, &zluda, &arguments, 0, GOOD);
        }
    }
    let run = |program| ["run", "--", program];
    case("a delayed import", decoy, &zluda, &run("delayed.exe"), 0, GOOD);
    // Nothing but the command leads there.
    let loaded = decoy.join("loaded.exe");
    case("the decoy beside", decoy, &loaded, &["A", "nvcuda.dll"], 4, "no cuDeviceGetCount");
    case("faults of the program's own", decoy, &zluda, &run("faults.exe"), 0, GOOD);
    case("the version of the file", decoy, &zluda, &run("version.exe"), 0, GOOD);
    for (program, names) in LIBRARIES {
        case(names, decoy, &zluda, &run(program), 0, GOOD);
    }
    // Where NVIDIA's is, and programs look for it.
    let nvml = ["run", "--", "management.exe", r"C:\windows\system32\nvml.dll"];
    case("NVML of System32", decoy, &zluda, &nvml, 0, GOOD);
    case("libraries in an import table", decoy, &zluda, &run("imports.exe"), 0, GOOD);
    let text = "for_32_bits.exe cannot be started: it is a program for 32-bit Windows";
    case("a program for 32 bits", decoy, &zluda, &run("for_32_bits.exe"), 126, text);
    let text = "for_arm.exe cannot be started: it is a program for ARM64";
    case("a program for ARM", decoy, &zluda, &run("for_arm.exe"), 126, text);
    let text = "signed.exe cannot be started: it takes signed DLLs alone";
    case("a program that wants signatures", decoy, &zluda, &run("signed.exe"), 126, text);
    // 0xc0000135, of which eight bits are left here.
    let text = "the program never began: a DLL that it imports is missing (0xc0000135)";
    case("a program without its DLL", decoy, &zluda, &run("missing.exe"), 0x35, text);
    let alone = programs.alone.join("zluda.exe");
    case("no driver", decoy, &alone, &run("linked.exe"), 1, "nvcuda.dll is neither in");
    let halved = programs.halved.join("zluda.exe");
    case(
        "no hooks",
        decoy,
        &halved,
        &run("linked.exe"),
        126,
        r"halved\zluda_redirect.dll is missing",
    );
    let repeat = ["run", "--", "repeat.exe", &times.to_string(), "arguments.exe"];
    case("handles and memory of a parent", decoy, &zluda, &repeat, 0, GOOD);
    let child = ["run", "--", "parent.exe", "A", "linked.exe"];
    case("a child", decoy, &zluda, &child, 0, GOOD);
    for way in ["spawn", "system", "user", "suspended"] {
        let child = ["run", "--", "parent.exe", way, "linked.exe"];
        case(&format!("a child: {way}"), decoy, &zluda, &child, 0, GOOD);
    }
    // Its output goes nowhere.
    let child = ["run", "--", "parent.exe", "shell", "linked.exe"];
    case("a child as by a double click", decoy, &zluda, &child, 0, "");
    let shell = ["run", "--", "parent.exe", "W", "cmd.exe", "/c", "linked.exe"];
    case("a child of the shell", decoy, &zluda, &shell, 0, GOOD);
    let grandchild =
        ["run", "--", "parent.exe", "W", "parent.exe", "A", "loaded.exe", "W", "nvcuda.dll"];
    case("a child of a child", decoy, &zluda, &grandchild, 0, GOOD);
    let arguments = ["run", "--", "arguments.exe", "a b", "c\"d", "e\\", "", "f\\\\\"g\\ h\\"];
    let printed = "[a b]\n[c\"d]\n[e\\]\n[]\n[f\\\\\"g\\ h\\]\n";
    case("arguments and exit codes", decoy, &zluda, &arguments, 5, printed);
    let command = windows_path(&zluda).to_string_lossy().into_owned();
    let whole = decoy.join("whole.exe");
    case("all that a process is given", decoy, &whole, &[&command], 0, GOOD);
    case("no program", decoy, &zluda, &["run", "--", "none.exe"], 127, "program not found");
    let text = r"with a decoy\nvcuda.dll, not ZLUDA's";
    case("whose driver, with a decoy", decoy, &zluda, &["doctor", "linked.exe"], 0, text);
    let text = r"windows\System32\nvcuda.dll, not ZLUDA's";
    case("which driver, of System32", decoy, &zluda, &["doctor"], 0, text);
    let text = "for_32_bits.exe does not start: it is a program for 32-bit Windows";
    case("which driver, for 32 bits", decoy, &zluda, &["doctor", "for_32_bits.exe"], 0, text);
    let install = ["install", "."];
    case("installing", beside, &zluda, &install, 0, "cufft64_12.dll");
    case("the driver beside a program", beside, &beside.join("linked.exe"), &[], 0, GOOD);
    let loaded = beside.join("loaded.exe");
    case("the same, loaded", beside, &loaded, &["A", "nvcuda.dll"], 0, GOOD);
    case("the same, freed in a callback", beside, &beside.join("left.exe"), &[], 0, GOOD);
    if llvm::is_built() {
        let unloaded = beside.join("unloaded.exe");
        case("the same, unloaded again", beside, &unloaded, &[], 0, GOOD);
        case("unloading", decoy, &zluda, &run("unloaded.exe"), 0, GOOD);
    }
    let text = r"beside\nvcuda.dll, this ZLUDA's";
    case("which driver, installed", beside, &zluda, &["doctor", "linked.exe"], 0, text);
    case("libraries beside a program", beside, &beside.join("imports.exe"), &[], 0, GOOD);
    for (program, names) in LIBRARIES {
        case(&format!("{names} beside a program"), beside, &beside.join(program), &[], 0, GOOD);
    }
    case("removing", beside, &zluda, &["remove", "."], 0, "nvcuda.dll");
    // System32 has the decoy.
    case("no driver any more", beside, &loaded, &["A", "nvcuda.dll"], 4, "no cuDeviceGetCount");
    case("information", decoy, &zluda, &["info"], 0, "device 0: ");
    // The path of the DLL.
    case("the provider", decoy, &zluda, &["info"], 0, r"zluda\zluda_hip_cpu.dll");
    Ok(cases)
}

/// Injection again and again: each process ends well.
fn many_times(wine: &Wine, programs: &Programs, times: usize) -> std::result::Result<(), String> {
    let zluda = staged().join("zluda.exe");
    for time in 0..times {
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
