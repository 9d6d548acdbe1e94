//! Every sample's kernels compile to linked AMDGPU code objects without undefined symbols, and the kernels of
//! `bench/amd` to about as many instructions as clang makes of them.

use super::Report;
use crate::program::{Output, capture};
use crate::progress::{heading, parallel};
use crate::repository::{Profile, files, make_empty, stem, target};
use crate::toolkit::CUDA_13_0;
use crate::verb::amd_quality;
use crate::{Result, sample, verb};
use object::{Object, ObjectSymbol};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// One of wave32's generations, one of wave64's, and a newer one.
const TARGETS: [&str; 3] = ["gfx1100", "gfx942", "gfx1201"];

/// The ABI version byte of code object version 5.
const CODE_OBJECT_V5: u8 = 3;

const LIMIT: Duration = Duration::from_secs(600);

pub fn run(report: &mut Report, filter: &str) -> Result<()> {
    heading("Counting instructions beside clang's");
    for comparison in amd_quality::compare(Profile::Release, filter)? {
        report.check(format!("code for {}", comparison.target), comparison.check());
    }
    let samples = sample::all(filter)?;
    let toolkits = verb::samples::build(&samples, &[CUDA_13_0])?;
    let texts: Vec<_> = toolkits
        .iter()
        .flat_map(|cuda| {
            samples.iter().flat_map(|sample| {
                sample.ptx(cuda).into_iter().map(|text| (text, sample.refused_for_amd))
            })
        })
        .collect();
    let jobs: Vec<_> =
        TARGETS.iter().flat_map(|target| texts.iter().map(move |text| (target, text))).collect();
    let folder = target().join("test/amd");
    heading("Compiling the samples' kernels for AMD GPUs");
    let results = parallel(
        &jobs,
        |(target, (text, _))| format!("{} for {target}", stem(text)),
        |(target, (text, refused))| {
            let folder = folder.join(target).join(stem(text));
            if *refused { refuse(text, target, &folder) } else { compile(text, target, &folder) }
        },
        |result| result.is_ok(),
    );
    for ((target, (text, _)), result) in jobs.iter().zip(results) {
        report.check(format!("{} for {target}", stem(text)), result);
    }
    Ok(())
}

/// Asks for all kernels of a file, to be put into a folder.
fn command(ptx: &Path, target: &str, folder: &Path) -> std::result::Result<Output, String> {
    make_empty(folder).map_err(|error| error.to_string())?;
    let mut command = Command::new(Profile::Release.staged().join("bin/zluda"));
    command.arg("compile").arg(ptx).args(["--target", target, "--emit", "obj", "-o"]).arg(folder);
    capture(&mut command, LIMIT).map_err(|error| error.to_string())
}

/// The kernels cannot be compiled, which is told as it should be.
fn refuse(ptx: &Path, target: &str, folder: &Path) -> std::result::Result<(), String> {
    let output = command(ptx, target, folder)?;
    if !output.success() && output.describe().contains("error[unsupported]") {
        return Ok(());
    }
    Err(format!("the sample says that it is refused: {}", output.describe()))
}

/// Compiles all kernels of a file into a folder, and looks at each.
fn compile(ptx: &Path, target: &str, folder: &Path) -> std::result::Result<(), String> {
    let output = command(ptx, target, folder)?;
    if !output.success() {
        return Err(output.describe());
    }
    let objects = files(folder, "o").map_err(|error| error.to_string())?;
    if objects.is_empty() {
        return Err("there are no kernels".to_owned());
    }
    objects
        .iter()
        .try_for_each(|object| check(object).map_err(|error| format!("{}: {error}", stem(object))))
}

/// The object is a code object of version 5 with a kernel and without undefined symbols.
fn check(path: &Path) -> std::result::Result<(), String> {
    let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
    let object = object::File::parse(&*bytes).map_err(|error| error.to_string())?;
    if bytes.get(18..20) != Some(&object::elf::EM_AMDGPU.to_le_bytes()) {
        return Err("it is not made for AMD GPUs".to_owned());
    }
    if bytes.get(8) != Some(&CODE_OBJECT_V5) {
        return Err(format!("the ABI version is {:?}, not {CODE_OBJECT_V5}", bytes.get(8)));
    }
    let undefined: Vec<_> = object
        .dynamic_symbols()
        .chain(object.symbols())
        .filter(|symbol| symbol.is_undefined())
        .filter_map(|symbol| symbol.name().ok().filter(|name| !name.is_empty()).map(str::to_owned))
        .collect();
    if !undefined.is_empty() {
        return Err(format!("undefined symbols: {}", undefined.join(", ")));
    }
    let kernels = object
        .dynamic_symbols()
        .filter(|symbol| symbol.name().is_ok_and(|name| name.ends_with(".kd")));
    if kernels.count() == 0 { Err("it holds no kernel".to_owned()) } else { Ok(()) }
}
