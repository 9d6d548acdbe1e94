//! What programs have made is kept for the next build in the same target folder. Cargo runs a build script once for each profile,
//! and code for all GPUs takes minutes of a processor.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::llvm::run as run_now;

/// Runs programs, the first of which reads `input`, and which leave `outputs`, unless equal ones have run on an equal input.
pub fn run(programs: &mut [Command], input: &Path, outputs: &[&Path], out: &Path) {
    let Some(folder) = folder(out) else {
        programs.iter_mut().for_each(run_now);
        return;
    };
    let key = key(programs, input, out);
    let kept = |output: &Path| {
        folder.join(format!("{key:016x}.{}", output.extension().unwrap_or_default().display()))
    };
    if outputs.iter().all(|output| fs::copy(kept(output), output).is_ok()) {
        return;
    }
    programs.iter_mut().for_each(run_now);
    // A build beside this one sees whole files alone. What cannot be kept is made again.
    for output in outputs {
        let unfinished = kept(output).with_extension(std::process::id().to_string());
        let _ = fs::create_dir_all(&folder)
            .and_then(|()| fs::copy(output, &unfinished))
            .and_then(|_| fs::rename(&unfinished, kept(output)));
    }
}

/// A place in cargo's target folder, of which a build script knows a folder far inside. Those of builds for other systems lie
/// in that of the repository, which is the place for all of them.
fn folder(out: &Path) -> Option<PathBuf> {
    let mut targets = out.ancestors().filter(|folder| folder.join("CACHEDIR.TAG").exists());
    let innermost = targets.next()?;
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2)?;
    let outermost = targets.filter(|folder| folder.starts_with(repository)).last();
    Some(outermost.unwrap_or(innermost).join("amdgcn_library"))
}

/// Of the programs, their versions and options, and what the input holds.
fn key(programs: &[Command], input: &Path, out: &Path) -> u64 {
    let mut hasher = DefaultHasher::new();
    for program in programs {
        format!("{program:?}").replace(&out.display().to_string(), "").hash(&mut hasher);
        let version = Command::new(program.get_program()).arg("--version").output();
        version.map(|output| output.stdout).unwrap_or_default().hash(&mut hasher);
    }
    fs::read(input).unwrap_or_default().hash(&mut hasher);
    hasher.finish()
}
