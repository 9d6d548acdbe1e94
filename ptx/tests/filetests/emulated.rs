//! All `run/` tests on one emulated GPU, which is the device of the whole process.

use std::path::{Path, PathBuf};

use libtest_mimic::{Arguments, Trial};
use ptx::{Approximations, Blocks, Matrices, Target};

use crate::run;

pub fn run(gfx: &'static str) {
    assert!(zluda_hip_emu::emulate(gfx), "another device is there already");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/filetests/run");
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    let trials = files.into_iter().map(|file| {
        let name = file.strip_prefix(&root).unwrap_or(&file).with_extension("");
        let test = move || {
            let target = |matrices| Target::Amdgcn {
                gfx: gfx.to_owned(),
                blocks: Blocks::Any,
                matrices,
                approximations: Approximations::Fast,
                clusters: false,
            };
            // What rounds nothing is the same by matrix instructions.
            let targets = [target(Matrices::Exact), target(Matrices::Fast)];
            let matrices = file.components().any(|part| part.as_os_str() == "matrix");
            run::test(&file, if matrices { &targets } else { &targets[..1] })
        };
        Trial::test(name.to_string_lossy().into_owned(), test)
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit();
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the folder of the file tests") {
        let path = entry.expect("an entry of the folder").path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "ptx") {
            files.push(path);
        }
    }
}
