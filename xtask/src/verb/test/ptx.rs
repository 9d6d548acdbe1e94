//! PTX as compilers make it: of the samples by each nvcc, and all that the Python programs load, which is made by
//! NVRTC, numba, taichi, tinygrad, triton and warp. Each text parses, prints and parses to the same tree again, and
//! each kernel compiles for the CPU.

use super::{Report, python};
use crate::program::capture;
use crate::progress::{heading, parallel};
use crate::ptx_text::{fat_binaries, understood};
use crate::repository::{Profile, files, make_empty, stem, target};
use crate::sample::{self, Runtime};
use crate::toolkit::CUDA_VERSIONS;
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

/// Where a text comes from.
#[derive(Clone, Debug)]
struct Origin {
    name: String,
    /// All of it is compiled: it needs no other module, and is of no great size.
    whole: bool,
}

/// `fresh`: the Python programs have just run.
pub fn run(report: &mut Report, filter: &str, fresh: bool) -> Result<()> {
    if !fresh {
        python::run(&mut Report::default(), filter)?;
    }
    let mut texts = BTreeMap::new();
    of_samples(&mut texts, filter)?;
    of_programs(&mut texts, report, filter)?;
    let folder = target().join("test/ptx");
    make_empty(&folder)?;
    let texts: Vec<_> = texts.into_iter().collect();
    heading(&format!("Reading and compiling {} texts of PTX", texts.len()));
    let results = parallel(
        &texts,
        |(_, origin)| origin.name.clone(),
        |(text, origin)| {
            understood(text).map_err(|error| error.to_string())?;
            if origin.whole { compile(text, &folder.join(&origin.name)) } else { Ok(()) }
        },
        |result: &std::result::Result<(), String>| result.is_ok(),
    );
    for ((_, origin), result) in texts.iter().zip(results) {
        report.check(format!("PTX {}", origin.name), result);
    }
    Ok(())
}

/// The texts in the samples' programs. Equal ones count once.
fn of_samples(texts: &mut BTreeMap<Vec<u8>, Origin>, filter: &str) -> Result<()> {
    let samples = sample::all(filter)?;
    for cuda in verb::samples::build(&samples, &CUDA_VERSIONS)? {
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

/// What the Python programs have loaded.
fn of_programs(
    texts: &mut BTreeMap<Vec<u8>, Origin>,
    report: &mut Report,
    filter: &str,
) -> Result<()> {
    for program in python::programs(filter)? {
        let kept = files(&python::texts(&program), "ptx").unwrap_or_default();
        let name = stem(&program);
        let some = if kept.is_empty() { Err("it has loaded none".to_owned()) } else { Ok(()) };
        report.check(format!("PTX of {name}"), some);
        for path in kept {
            let text = fs::read(&path)?;
            // What is linked elsewhere may have been loaded by itself too, to be refused.
            let part = path.with_file_name(format!("part-{}.ptx", stem(&path))).exists();
            let part = part || stem(&path).starts_with("part-");
            let whole = !part && text.len() <= LIBRARY;
            let origin = Origin { name: format!("{name}-{}", stem(&path)), whole };
            texts.entry(text).or_insert(origin);
        }
    }
    Ok(())
}

/// Compiles all kernels of a text for this machine's processor, as vector code.
fn compile(text: &[u8], folder: &Path) -> std::result::Result<(), String> {
    let has_kernels =
        ptx_parser::parse(&String::from_utf8_lossy(text)).module.directives.iter().any(
            |directive| {
                matches!(directive, ptx_parser::Directive::Function(function)
                if function.kind == ptx_parser::FunctionKind::Entry)
            },
        );
    if !has_kernels {
        return Ok(());
    }
    make_empty(folder).map_err(|error| error.to_string())?;
    let path = folder.join("text.ptx");
    fs::write(&path, text).map_err(|error| error.to_string())?;
    let mut command = Command::new(Profile::Release.staged().join("bin/zluda"));
    command.arg("compile").arg(&path).args(["--emit", "obj", "-o"]).arg(folder);
    let output = capture(&mut command, LIMIT).map_err(|error| error.to_string())?;
    if !output.success() {
        // The text and the objects of the kernels that compile stay, to look at.
        return Err(output.describe());
    }
    fs::remove_dir_all(folder).map_err(|error| error.to_string())
}
