//! PTX of the samples and of the compiler's tests becomes code objects that are what they should be, for every AMD GPU;
//! and the kernels of `bench/amd` about as many instructions as clang makes of them.

mod code_object;

use super::Report;
use crate::program::{Output, capture};
use crate::progress::{heading, parallel};
use crate::repository::{Profile, files, make_empty, root, stem, target};
use crate::toolkit::CUDA_13_0;
use crate::verb::amd_quality;
use crate::{Result, sample, verb};
pub use code_object::PROCESSORS;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// One of wave32's generations, one of wave64's, and a newer one: the samples are for these, the small texts of the
/// compiler's tests for all.
const TARGETS: [&str; 3] = ["gfx1100", "gfx942", "gfx1201"];

const LIMIT: Duration = Duration::from_secs(600);

/// A file of PTX for a processor.
struct Job {
    ptx: PathBuf,
    target: &'static str,
}

pub fn run(report: &mut Report, filter: &str) -> Result<()> {
    if filter.is_empty() {
        heading("Counting instructions beside clang's");
        for comparison in amd_quality::compare(Profile::Release, filter)? {
            report.check(format!("code for {}", comparison.target), comparison.check());
        }
    }
    let mut jobs = Vec::new();
    let samples = sample::all(filter)?;
    for cuda in verb::samples::build(&samples, &[CUDA_13_0])? {
        for sample in &samples {
            let texts = sample.ptx(&cuda);
            jobs.extend(texts.into_iter().flat_map(|ptx| {
                TARGETS.iter().map(move |target| Job { ptx: ptx.clone(), target })
            }));
        }
    }
    for family in folders(&root().join("ptx/tests/filetests/run"))? {
        for ptx in files(&family, "ptx")?.into_iter().filter(|ptx| stem(ptx).contains(filter)) {
            let all = PROCESSORS.iter();
            jobs.extend(all.map(|(target, _)| Job { ptx: ptx.clone(), target }));
        }
    }
    let folder = target().join("test/amd");
    for target in PROCESSORS.iter().map(|(target, _)| target) {
        make_empty(&folder.join(target))?;
    }
    heading("Compiling kernels for AMD GPUs");
    let name = |job: &Job| format!("{} for {}", stem(&job.ptx), job.target);
    let results = parallel(
        &jobs,
        name,
        |job| {
            let to = folder.join(job.target).join(format!("{}.hsaco", stem(&job.ptx)));
            compile(job, &to)
        },
        |result| result.is_ok(),
    );
    for (job, result) in jobs.iter().zip(results) {
        report.check(name(job), result);
    }
    Ok(())
}

fn folders(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder)?.collect::<std::io::Result<Vec<_>>>()?;
    let mut folders: Vec<_> = entries.into_iter().map(|entry| entry.path()).collect();
    folders.retain(|path| path.is_dir());
    folders.sort();
    Ok(folders)
}

/// One code object of all kernels of a file.
fn command(job: &Job, to: &Path) -> std::result::Result<Output, String> {
    let mut command = Command::new(Profile::Release.staged().join("bin/zluda"));
    command.arg("compile").arg(&job.ptx).args(["--target", job.target, "-o"]).arg(to);
    capture(&mut command, LIMIT).map_err(|error| error.to_string())
}

/// Compiles a file, and looks at what comes of it.
fn compile(job: &Job, to: &Path) -> std::result::Result<(), String> {
    let output = command(job, to)?;
    if !output.success() {
        return Err(output.describe());
    }
    let read = |path: &Path| std::fs::read(path).map_err(|error| error.to_string());
    let text = String::from_utf8_lossy(&read(&job.ptx)?).into_owned();
    code_object::check(&read(to)?, job.target, &kernels(&text))
}

/// The names of the kernels that a text defines.
fn kernels(text: &str) -> Vec<String> {
    let tree = ptx_parser::parse(text).module;
    let functions = tree.directives.iter().filter_map(|directive| match directive {
        ptx_parser::Directive::Function(function) => Some(function),
        _ => None,
    });
    functions
        .filter(|it| it.kind == ptx_parser::FunctionKind::Entry && it.body.is_some())
        .map(|it| it.name.to_owned())
        .collect()
}
