//! The CUDA programs of `samples/`, built for Windows, with the driver that `zluda.exe run` gives them. They have NVIDIA's
//! runtime library in them.

use super::{LIMIT, Report};
use crate::Result;
use crate::program::capture;
use crate::progress::heading;
use crate::repository::make;
use crate::sample::{self, Sample};
use crate::toolkit::{CUDA_13_0, Cuda, cuda};
use crate::windows::cuda::{Linker, Source, compile};
use crate::windows::wine::Wine;
use crate::windows::{folder, staged};
use std::path::{Path, PathBuf};

/// Samples that are not built for Windows, with reasons. Those of more than one file, of the driver alone, and those whose
/// kernels are linked are left out, too.
const LEFT_OUT: &[(&str, &str)] = &[
    ("last_bits", "NVIDIA's front end does not take mingw's `hypotf`"),
    ("math", "it compares with the C library, and mingw's is wrong about the sine of large angles"),
];

/// Builds and runs them. Returns the folder of the programs.
pub fn run(report: &mut Report, wine: &Wine, filter: &str) -> Result<Option<PathBuf>> {
    heading("Building samples for Windows");
    let (cuda, linker) = (cuda(CUDA_13_0)?, Linker::new()?);
    let programs = folder().join("programs of CUDA");
    make(&programs)?;
    for sample in sample::all(filter)? {
        if let Some((name, reason)) = LEFT_OUT.iter().find(|(name, _)| *name == sample.name) {
            report.cannot(&format!("{name} on Windows"), reason);
            continue;
        }
        let Some(built) = build(&sample, &cuda, &linker, &programs) else { continue };
        let checked = built.map_err(|error| error.to_string());
        let checked = checked.and_then(|program| check(&sample, wine, &program));
        report.check(format!("windows: sample {}", sample.name), checked);
    }
    Ok(Some(programs))
}

/// Builds one; nothing where it is not of one file.
fn build(sample: &Sample, cuda: &Cuda, linker: &Linker, to: &Path) -> Option<Result<PathBuf>> {
    let (file, architecture, flags) = sample.single_source()?;
    let program = to.join(format!("{}.exe", sample.name));
    let make = || {
        if sample.outdated(&program)? {
            let source = Source { name: &sample.name, file, architecture, flags };
            let object = program.with_extension("o");
            compile(cuda, &source, &object)?;
            linker.link(&[object], &program)?;
        }
        Ok(program)
    };
    Some(make())
}

fn check(sample: &Sample, wine: &Wine, program: &Path) -> std::result::Result<(), String> {
    let mut command = wine.command(&staged().join("zluda.exe"));
    command.args(["run", "--"]).arg(program.file_name().unwrap_or_default());
    command.current_dir(program.parent().unwrap_or(Path::new(".")));
    let mut output = capture(&mut command, LIMIT).map_err(|error| error.to_string())?;
    output.stdout = output.stdout.replace('\r', "");
    match sample.check(&output).as_slice() {
        [] => Ok(()),
        problems => Err(format!("{}\n{}", problems.join("\n"), output.describe())),
    }
}
