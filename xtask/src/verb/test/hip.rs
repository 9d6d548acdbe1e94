//! HIP, ROCm SMI, hipBLAS and hipFFT of several versions of ROCm, without a GPU: headers against the types that we use, libraries
//! against what we look up in them, the driver on them, and code objects for their loaders.
//!
//! The differences of a version in what we use of it are kept in `tests/rocm/<version>.txt`; `ZLUDA_BLESS=1` writes it.

mod above;
mod smi;

use super::Report;
use crate::bindgen::{find_libclang, hip_facts};
use crate::code_object::PROCESSORS;
use crate::program::{capture, quiet};
use crate::progress::{heading, spinner};
use crate::repository::{Profile, files, make_empty, root, stem, target};
use crate::toolkit::{CUDA_13_0, ROCM_VERSIONS, Rocm, hip_headers, rocm};
use crate::{Result, sample, verb};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Older than what programs can use, and there to see that the driver says so without a crash.
const UNSUPPORTED: &str = "5.2";

const LIMIT: Duration = Duration::from_secs(600);

/// The answers that `hipInit` may give where there is no GPU: no device, or an invalid one.
const NO_GPU: [&str; 2] = ["hipInit 100", "hipInit 101"];
/// `CUDA_ERROR_NO_DEVICE`
const CU_NO_DEVICE: &str = "cuInit 100";

/// Those that ROCm 5.7 has.
const TARGETS_OF_5_7: &[&str] = &[
    "gfx900", "gfx906", "gfx908", "gfx90a", "gfx942", "gfx1010", "gfx1030", "gfx1031", "gfx1032",
    "gfx1100", "gfx1101", "gfx1102", "gfx1103",
];
/// The samples whose kernels are shown to the loaders' library.
const SAMPLES: [&str; 2] = ["vector_add", "half"];

/// Checks each version of ROCm. Fails if one cannot be had, or a probe cannot be built.
pub fn run(report: &mut Report) -> Result<()> {
    heading("Comparing versions of HIP");
    find_libclang();
    let probe = build_probe()?;
    let ours = hip_facts::read(&hip_headers()?)?;
    let mut used = BTreeSet::new();
    for folder in ["zluda/src", "ext/hip_runtime-sys/src"] {
        words(&root().join(folder), &mut used)?;
    }
    let names = ours.closure(&used);
    let mut versions = Vec::new();
    for version in ROCM_VERSIONS {
        let rocm = rocm(version)?;
        let theirs = hip_facts::read(&rocm.root.headers())?;
        let name = version.name;
        let answers = ask(&rocm, &probe, "hip", &[version.library]);
        let mut differences = ours.differences(&theirs, &names);
        differences.extend(answers.iter().flatten().filter_map(|line| {
            let function = line.strip_prefix("missing ")?;
            names.contains(function).then(|| format!("library lacks {function}"))
        }));
        if name != UNSUPPORTED {
            report.check(format!("ROCm {name}: differences"), kept(name, &differences));
        }
        report.check(
            format!("ROCm {name}: the library without a GPU"),
            answers.and_then(|answers| check_answers(name, &answers)),
        );
        report.check(format!("ROCm {name}: the driver on it"), driver(&rocm, &probe));
        if name.starts_with("5.") {
            report.check(format!("ROCm {name}: own layouts"), own_layouts(&theirs));
        }
        smi::check(report, version, &probe)?;
        above::check(report, version)?;
        versions.push(rocm);
    }
    code_objects(report, &versions, &probe)
}

/// Builds the program that asks.
fn build_probe() -> Result<PathBuf> {
    let mut command = crate::program::cargo();
    command.args(["build", "--release", "--package", "rocm_probe"]);
    spinner("building the probe", || quiet(&mut command, LIMIT))?;
    Ok(Profile::Release.folder().join("rocm_probe"))
}

/// The lines that the probe prints.
fn ask(
    rocm: &Rocm,
    probe: &Path,
    what: &str,
    arguments: &[&str],
) -> std::result::Result<Vec<String>, String> {
    let mut command = rocm.root.command(probe, &[]);
    command.arg(what).args(arguments);
    let output = capture(&mut command, LIMIT).map_err(|error| error.to_string())?;
    if output.success() {
        Ok(output.stdout.lines().map(str::to_owned).collect())
    } else {
        Err(output.describe())
    }
}

fn check_answers(version: &str, answers: &[String]) -> std::result::Result<(), String> {
    let says = |line: &str| answers.iter().any(|answer| answer == line);
    let expected = NO_GPU.iter().any(|line| says(line))
        && says("hipGetDeviceCount 100")
        && says(&format!("version {version}"))
        && says("no properties");
    if expected { Ok(()) } else { Err(format!("it says: {}", answers.join("; "))) }
}

/// The driver finds the library, and says that there is no device, and why.
fn driver(rocm: &Rocm, probe: &Path) -> std::result::Result<(), String> {
    let mut command = rocm.root.command(probe, &[]);
    command.arg("driver").arg(Profile::Release.staged().join("libcuda.so.1"));
    command.env("ZLUDA_DEVICE", "rocm");
    let output = capture(&mut command, LIMIT).map_err(|error| error.to_string())?;
    let words = format!("{} finds no AMD GPU", rocm.version.library);
    if output.stdout.trim() == CU_NO_DEVICE && output.stderr.contains(&words) {
        Ok(())
    } else {
        Err(output.describe())
    }
}

/// Compares with what is kept of a version, or keeps it.
fn kept(version: &str, found: &BTreeSet<String>) -> std::result::Result<(), String> {
    let path = root().join(format!("tests/rocm/{version}.txt"));
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    let (comments, lines): (Vec<&str>, Vec<&str>) =
        text.lines().partition(|line| line.starts_with('#'));
    let lines: BTreeSet<String> = lines.into_iter().map(str::to_owned).collect();
    if lines == *found {
        return Ok(());
    }
    if std::env::var_os("ZLUDA_BLESS").is_some() {
        let lines = comments.into_iter().chain(found.iter().map(String::as_str));
        let text: String = lines.map(|line| format!("{line}\n")).collect();
        return std::fs::write(&path, text).map_err(|error| error.to_string());
    }
    let new: Vec<_> = found.difference(&lines).cloned().collect();
    let gone: Vec<_> = lines.difference(found).cloned().collect();
    Err(format!(
        "{} is out of date (ZLUDA_BLESS=1 writes it): new: {}; gone: {}",
        path.display(),
        new.join("; "),
        gone.join("; ")
    ))
}

/// The layouts that `versions.rs` says versions before 6 have, against their headers.
fn own_layouts(theirs: &hip_facts::Facts) -> std::result::Result<(), String> {
    let path = root().join("ext/hip_runtime-sys/src/versions.rs");
    let text = std::fs::read_to_string(&path).map_err(|error| error.to_string())?;
    let mut count = 0;
    for layout in text.split("\nlayout! {").skip(1) {
        let body = layout.split('}').next().unwrap_or_default();
        let (title, fields) = body.split_once(';').ok_or("a layout without fields")?;
        let (names, size) = title.split_once(": ").ok_or("a layout without a size")?;
        let (_, name) = names.split_once(" of ").ok_or("a layout of nothing")?;
        theirs.expect(&format!("size {name}"), size)?;
        let words: Vec<&str> = fields.split_whitespace().collect();
        for field in words.chunks_exact(2) {
            theirs.expect(&format!("field {name}.{}", field[0]), field[1])?;
            count += 1;
        }
    }
    if count > 50 { Ok(()) } else { Err(format!("only {count} fields in {}", path.display())) }
}

/// The libraries through which loaders read code objects accept ours.
fn code_objects(report: &mut Report, versions: &[Rocm], probe: &Path) -> Result<()> {
    let samples = sample::named(&SAMPLES)?;
    let mut texts = Vec::new();
    for cuda in verb::samples::build(&samples, &[CUDA_13_0])? {
        texts.extend(samples.iter().flat_map(|sample| sample.ptx(&cuda)));
    }
    let folder = target().join("test/code_objects");
    let all: Vec<&str> = PROCESSORS.iter().map(|(gfx, _)| *gfx).collect();
    for gfx in &all {
        make_empty(&folder.join(gfx))?;
        for text in &texts {
            let mut command = Command::new(Profile::Release.staged().join("bin/zluda"));
            command.arg("compile").arg(text).args(["--target", gfx, "--emit", "obj", "-o"]);
            quiet(command.arg(folder.join(gfx)), LIMIT)?;
        }
    }
    for rocm in versions {
        let (what, library, targets) = match rocm.version.name {
            UNSUPPORTED => continue,
            "5.7" => ("metadata", "libamd_comgr.so.2", TARGETS_OF_5_7),
            // Which cannot disassemble all instructions of gfx11 that write halves of registers.
            "6.4" => ("metadata", "libamd_comgr.so.3", all.as_slice()),
            _ => ("code", "libamd_comgr.so.3", all.as_slice()),
        };
        for gfx in targets {
            let paths = files(&folder.join(gfx), "o")?;
            let result = accepted(rocm, probe, what, library, gfx, &paths);
            report.check(format!("ROCm {}: {library} and {gfx}", rocm.version.name), result);
        }
    }
    Ok(())
}

/// The library finds in each object the kernel after which the file is named, and the right target.
fn accepted(
    rocm: &Rocm,
    probe: &Path,
    what: &str,
    library: &str,
    gfx: &str,
    paths: &[PathBuf],
) -> std::result::Result<(), String> {
    let mut arguments = vec![library];
    let names: Vec<_> = paths.iter().map(|path| path.to_string_lossy()).collect();
    arguments.extend(names.iter().map(|name| &**name));
    let mut answers = ask(rocm, probe, what, &arguments)?;
    let mut expected: Vec<_> = paths
        .iter()
        .map(|path| format!("ok {} amdgcn-amd-amdhsa--{gfx} {}", path.display(), stem(path)))
        .collect();
    answers.sort();
    expected.sort();
    match answers == expected && !paths.is_empty() {
        true => Ok(()),
        false => Err(format!("it says: {}", answers.join("; "))),
    }
}

/// The words of all Rust files below a folder that could be HIP's names, generated files aside.
fn words(folder: &Path, found: &mut BTreeSet<String>) -> Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            words(&path, found)?;
        } else if !path.ends_with("generated.rs") {
            let text = std::fs::read_to_string(&path)?;
            let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
            let ours = words.filter(|word| word.to_lowercase().starts_with("hip"));
            found.extend(ours.map(str::to_owned));
        }
    }
    Ok(())
}
