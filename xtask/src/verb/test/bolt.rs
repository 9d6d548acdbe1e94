//! The release as `./x build --bolt` makes it: it compiles to the same machine code as the plain one, and programs run
//! on it.

use super::Report;
use crate::Result;
use crate::program::{capture, quiet};
use crate::progress::{heading, parallel};
use crate::repository::{Profile, make_empty, stem, target};
use crate::sample::{self, Runtime};
use crate::toolkit::CUDA_VERSIONS;
use crate::verb;
use crate::verb::build;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(300);

/// Texts that make the profile: with fewer than what is shipped has, other code is taken for cold, which is as good a test.
const PROFILED: usize = 3;

/// One for each text, in turn.
const TARGETS: [&str; 3] = ["x86-64-v3", "gfx1100", "gfx90a"];

/// The samples that are run: code of its own for each, in which calls, exceptions and threads come up.
const SAMPLES: [&str; 4] = ["virtual_functions", "host_callbacks", "reduce_cooperative", "printf"];

/// Lays out the release and checks it. Fails if BOLT does.
pub fn run(report: &mut Report) -> Result<()> {
    let staged = target().join("test/bolt");
    make_empty(&staged)?;
    build::stage_in(Profile::Release, &staged)?;
    build::lay_out(&staged, PROFILED)?;
    compiles_the_same(report, &staged)?;
    runs_samples(report, &staged)
}

fn compiles_the_same(report: &mut Report, staged: &Path) -> Result<()> {
    // Each second one: they have the same compiler's code in common.
    let texts = build::bolt::texts()?.into_iter().step_by(2);
    let texts: Vec<_> = texts.zip(TARGETS.into_iter().cycle()).collect();
    heading(&format!("Compiling {} texts with and without BOLT's layout", texts.len()));
    let results = parallel(
        &texts,
        |(text, target)| format!("{} for {target}", stem(text)),
        |(text, target)| same(text, target, staged).map_err(|error| error.to_string()),
        |result| result.is_ok(),
    );
    for ((text, target), result) in texts.iter().zip(results) {
        report.check(format!("laid out: {} for {target}", stem(text)), result);
    }
    Ok(())
}

/// One text, by both programs.
fn same(text: &Path, device: &str, staged: &Path) -> Result<()> {
    let folder = target().join("test/bolt-objects").join(stem(text));
    let [plain, laid_out] = [&Profile::Release.staged(), staged].map(|staged| {
        make_empty(&folder)?;
        let mut command = Command::new(staged.join("bin/zluda"));
        command.arg("compile").arg(text).args(["--target", device, "--emit", "obj", "-o"]);
        let output = capture(command.arg(&folder), LIMIT)?;
        // What is refused is refused with the same words.
        Ok::<_, crate::Error>((contents(&folder)?, output.stderr))
    });
    if plain? != laid_out? {
        return Err("the objects differ".into());
    }
    Ok(())
}

fn contents(folder: &Path) -> Result<Vec<(PathBuf, Vec<u8>)>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        files.push((path.clone(), fs::read(path)?));
    }
    files.sort();
    Ok(files)
}

fn runs_samples(report: &mut Report, staged: &Path) -> Result<()> {
    let samples = sample::named(&SAMPLES)?;
    let toolkits = verb::samples::build(&samples, &CUDA_VERSIONS[..1])?;
    let cuda = toolkits.first().ok_or("a toolkit is expected")?;
    for sample in &samples {
        for device in ["cpu", "emu:gfx1100"] {
            let mut command = Command::new(sample.program(cuda, Runtime::Static));
            command
                .env("LD_LIBRARY_PATH", staged)
                .env("ZLUDA_DEVICE", device)
                .env("ZLUDA_CACHE_DIR", "off");
            let result = quiet(&mut command, LIMIT).and_then(|output| {
                match sample.check(&output).as_slice() {
                    [] => Ok(()),
                    complaints => Err(complaints.join("\n").into()),
                }
            });
            let name = format!("laid out: {} on {device}", sample.name);
            report.check(name, result.map_err(|error: crate::Error| error.to_string()));
        }
    }
    Ok(())
}
