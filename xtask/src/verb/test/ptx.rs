//! PTX as compilers make it: of the samples by each nvcc, all that the Python programs load, which is made by NVRTC,
//! numba, taichi, tinygrad, triton and warp, and what GCC makes of the programs that it offloads. Each text parses,
//! prints and parses to the same tree again, and each kernel compiles for the CPU and for an AMD GPU.

use super::{Report, offload, python};
use crate::code_object::{self, PROCESSORS};
use crate::program::capture;
use crate::progress::{heading, parallel};
use crate::ptx_text::{fat_binaries, understood};
use crate::repository::{Profile, files, make_empty, stem, target};
use crate::sample::{self, Runtime};
use crate::{Result, verb};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(600);

/// Bytes of a text above which only that is compiled which the program has launched: libraries hold hundreds of
/// kernels, which would take minutes.
const LIBRARY: usize = 1 << 20;

/// The prefix of the names of texts that are not compiled for AMD GPUs. Of GCC's runtime for OpenMP 400 functions, in
/// which threads wait for one another, become part of each kernel there: LLVM takes minutes for each.
const NOT_FOR_AMD_GPUS: &str = "openmp-";

/// The origin of a text.
#[derive(Clone, Debug)]
struct Origin {
    name: String,
    /// It needs no other module.
    whole: bool,
}

/// The suites that have just run, and left their texts.
#[derive(Clone, Copy, Debug)]
pub struct Fresh {
    pub python: bool,
    pub offload: bool,
}

/// Checks all chosen texts. Runs the programs that load them first, unless they are `fresh`.
pub fn run(report: &mut Report, filter: &str, fresh: Fresh) -> Result<()> {
    if !fresh.python {
        python::run(&mut Report::default(), filter)?;
    }
    if !fresh.offload {
        offload::run(&mut Report::default(), filter)?;
    }
    let texts = gather(report, filter)?;
    let folder = target().join("test/ptx");
    make_empty(&folder)?;
    heading(&format!("Reading and compiling {} texts of PTX", texts.len()));
    let results = parallel(
        &texts,
        |(_, origin)| origin.name.clone(),
        |(text, origin)| {
            understood(text).map_err(|error| error.to_string())?;
            if is_compiled(text, origin) { compile(text, &origin.name, &folder) } else { Ok(()) }
        },
        |result: &std::result::Result<(), String>| result.is_ok(),
    );
    for ((_, origin), result) in texts.iter().zip(results) {
        report.check(format!("PTX {}", origin.name), result);
    }
    Ok(())
}

/// The texts that can be compiled for AMD GPUs by themselves, with names, as the programs' last runs have left them.
pub fn compilers_texts() -> Result<Vec<(Vec<u8>, String)>> {
    let mut report = Report::default();
    let texts = gather(&mut report, "")?;
    if let Some((what, reason)) = report.failure() {
        return Err(format!("{what}: {reason}; `./x test ptx` runs the programs").into());
    }
    let compiled = texts.into_iter().filter(|(text, origin)| {
        is_compiled(text, origin) && !origin.name.starts_with(NOT_FOR_AMD_GPUS)
    });
    Ok(compiled.map(|(text, origin)| (text, origin.name)).collect())
}

/// All texts. Equal ones count once.
fn gather(report: &mut Report, filter: &str) -> Result<Vec<(Vec<u8>, Origin)>> {
    let mut texts = BTreeMap::new();
    of_samples(&mut texts, filter)?;
    for program in python::programs(filter)? {
        if let Some(kept) = python::texts(&program) {
            of_program(&mut texts, report, &stem(&program), &kept)?;
        }
    }
    for program in offload::programs(filter)? {
        of_program(&mut texts, report, &stem(&program), &offload::texts(&program))?;
    }
    Ok(texts.into_iter().collect())
}

/// The texts in the samples' programs.
fn of_samples(texts: &mut BTreeMap<Vec<u8>, Origin>, filter: &str) -> Result<()> {
    let samples = sample::all(filter)?;
    for (cuda, samples) in verb::samples::build_for_tests(&samples)? {
        for sample in samples.iter().filter(|sample| !sample.uses_driver_alone()) {
            let program = fs::read(sample.program(&cuda, Runtime::Static))?;
            for (number, text) in fat_binaries(&program).into_iter().enumerate() {
                let name = format!("nvcc-{}-{}-{number}", cuda.version, sample.name);
                let whole = !sample.is_linked_by_the_driver();
                texts.entry(text).or_insert(Origin { name, whole });
            }
        }
    }
    Ok(())
}

/// Adds the texts that a program has loaded.
fn of_program(
    texts: &mut BTreeMap<Vec<u8>, Origin>,
    report: &mut Report,
    name: &str,
    folder: &Path,
) -> Result<()> {
    let kept = files(folder, "ptx").unwrap_or_default();
    let some = if kept.is_empty() { Err("it has loaded none".to_owned()) } else { Ok(()) };
    report.check(format!("PTX of {name}"), some);
    for path in kept {
        let text = fs::read(&path)?;
        // What is linked elsewhere may have been loaded by itself too, to be refused.
        let part = path.with_file_name(format!("part-{}.ptx", stem(&path))).exists();
        let part = part || stem(&path).starts_with("part-");
        let origin = Origin { name: format!("{name}-{}", stem(&path)), whole: !part };
        texts.entry(text).or_insert(origin);
    }
    Ok(())
}

/// Whether a text is compiled as a whole.
fn is_compiled(text: &[u8], origin: &Origin) -> bool {
    let has_kernels = || !code_object::kernels(&String::from_utf8_lossy(text)).is_empty();
    origin.whole && text.len() <= LIBRARY && has_kernels()
}

/// Compiles all kernels of a text for this machine's processor, as vector code, and for one AMD GPU. What the folder
/// gets stays there if one of them fails, to look at.
fn compile(text: &[u8], name: &str, folder: &Path) -> std::result::Result<(), String> {
    let folder = &folder.join(name);
    make_empty(folder).map_err(|error| error.to_string())?;
    let path = folder.join("text.ptx");
    fs::write(&path, text).map_err(|error| error.to_string())?;
    let mut command = Command::new(Profile::Release.staged().join("bin/zluda"));
    command.arg("compile").arg(&path).args(["--emit", "obj", "-o"]).arg(folder);
    let output = capture(&mut command, LIMIT).map_err(|error| error.to_string())?;
    if !output.success() {
        return Err(output.describe());
    }
    if !name.starts_with(NOT_FOR_AMD_GPUS) {
        let processor = processor_of(text);
        let object = folder.join(format!("{processor}.hsaco"));
        code_object::compile(Profile::Release, &path, processor, &object)
            .map_err(|error| format!("for {processor}: {error}"))?;
    }
    fs::remove_dir_all(folder).map_err(|error| error.to_string())
}

/// The same for the same text, and all over many texts (FNV-1a).
fn processor_of(text: &[u8]) -> &'static str {
    const PRIME: u64 = 0x100_0000_01b3;
    const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    let hash = text.iter().fold(BASIS, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(PRIME));
    PROCESSORS[(hash >> 32) as usize % PROCESSORS.len()].0
}
