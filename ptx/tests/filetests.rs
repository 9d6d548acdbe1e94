//! Tests that are PTX files, under `tests/filetests/`. Each is one test, named by its path.
//!
//! - `run/<family>/x.ptx`: kernels with inputs and expected outputs, on the vector code and on the
//!   reference executor (see `run`); `filetests_gfx1100` and `filetests_gfx942` run them on emulated GPUs.
//! - `lower/x.ptx`: the per-thread IR of the file's kernels equals `x.ll` beside it.
//! - `errors/x.ptx`: the diagnostics of the file equal `x.txt` beside it.
//!
//! `ZLUDA_BLESS=1` rewrites the files that expect something of `lower/` and `errors/`. The values in
//! `run/` come from elsewhere: the PTX manual, arithmetic by hand or in another language, a real GPU.

#[path = "filetests/golden.rs"]
mod golden;
#[path = "filetests/run.rs"]
mod run;

use std::path::{Path, PathBuf};

use libtest_mimic::{Arguments, Failed, Trial};
use ptx::{Blocks, Executor, Target};

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/filetests");
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    let trials = files.into_iter().filter_map(|file| trial(&root, file)).collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).expect("the folder of the file tests");
    for path in entries.map(|entry| entry.expect("an entry of the folder").path()) {
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "ptx") {
            files.push(path);
        }
    }
}

/// Both executors of this machine's processor.
fn processors() -> [Target; 2] {
    [Executor::Reference, Executor::Vector].map(|executor| Target::cpu_host(Blocks::Any, executor))
}

fn trial(root: &Path, file: PathBuf) -> Option<Trial> {
    let name = file.strip_prefix(root).ok()?.with_extension("").to_string_lossy().into_owned();
    let test: fn(&Path) -> Result<(), Failed> = match name.split('/').next()? {
        "run" => |file| run::test(file, &processors()),
        "lower" => golden::lower,
        "errors" => golden::errors,
        _ => return None,
    };
    Some(Trial::test(name, move || test(&file)))
}
