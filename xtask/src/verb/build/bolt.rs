//! The products that hold the compiler, laid out by BOLT, LLVM's optimizer of linked programs.
//!
//! Compiling runs all over LLVM's code, of which the processor's caches hold a small part. BOLT puts together what runs
//! often and what runs after another: the same machine code does the same in other places. It knows by a profile: a
//! program that counts compiles the PTX of the tests. One profile serves all products, which hold the same LLVM.

use crate::Result;
use crate::program::{capture, quiet};
use crate::progress::{heading, parallel, spinner};
use crate::repository::{files, llvm_program, make, make_empty, root, stem, target};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// For one step: BOLT takes about a minute for a product on two processors that have nothing else to do.
const LIMIT: Duration = Duration::from_secs(1200);

/// For whom the profile's texts are compiled, one after the other: the CPU with long and with short vectors, AMD GPUs
/// with waves of 32 and of 64 lanes.
const TARGETS: [[&str; 2]; 2] = [["x86-64-v4", "gfx1100"], ["x86-64-v2", "gfx942"]];

/// The number of texts, the longest, that make the profile of what is shipped. Whatever the text, each run spends a second on its
/// counts.
pub const TEXTS: usize = 12;

/// Lays out products of the release (files that cargo has built, and where to put what comes out). `trained` is the
/// one that is run, with the `most` longest texts.
pub fn lay_out(trained: &Path, products: &[(PathBuf, PathBuf)], most: usize) -> Result<()> {
    let bolt = llvm_program("llvm-bolt");
    if !bolt.exists() {
        let bolt = bolt.display();
        return Err(
            format!("{bolt} is missing: `./x build --bolt` installs the package bolt-22").into()
        );
    }
    heading("Laying out the compiler by a profile of its work");
    let folder = target().join("bolt");
    make_empty(&folder)?;
    let profile = profile(trained, &folder, most)?;
    let name = |from: &Path| from.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let lay_out = |from: &Path, to: &Path| {
        let laid_out = folder.join(name(from));
        let mut command = Command::new(&bolt);
        command.arg(from).arg("-o").arg(&laid_out).arg("-data").arg(&profile);
        command.args(["-reorder-blocks=ext-tsp", "-reorder-functions=cdsort", "-icf=1"]);
        // Code that never ran goes to the end, and all of it to where it was before.
        command.args(["-split-functions", "-split-all-cold", "-use-old-text"]);
        quiet(&mut command, LIMIT)?;
        super::strip(&laid_out, to)
    };
    let results = parallel(
        products,
        |(from, _)| format!("{} by its profile", name(from)),
        |(from, to)| lay_out(from, to),
        Result::is_ok,
    );
    results.into_iter().collect::<Result<()>>()?;
    make_empty(&folder)
}

/// The profile of the compiler's code while it compiles the tests' PTX.
fn profile(trained: &Path, folder: &Path, most: usize) -> Result<PathBuf> {
    let counting = folder.join("counting");
    let counts = folder.join("counts");
    make(&counts)?;
    let mut command = Command::new(llvm_program("llvm-bolt"));
    command.arg(trained).arg("-instrument").arg("-o").arg(&counting);
    command.arg(format!("-instrumentation-file={}", counts.join("of").display()));
    command.arg("-instrumentation-file-append-pid");
    spinner("A compiler that counts", || quiet(&mut command, LIMIT))?;

    let mut texts = texts()?;
    texts.sort_by_key(|text| std::cmp::Reverse(fs::metadata(text).map_or(0, |data| data.len())));
    texts.truncate(most);
    let out = folder.join("out");
    let of_text =
        |(text, targets)| <[&str; 2]>::into_iter(targets).map(move |target| (text, target));
    let runs: Vec<_> = texts.iter().zip(TARGETS.into_iter().cycle()).flat_map(of_text).collect();
    let results = parallel(
        &runs,
        |(text, target)| format!("counting {} for {target}", stem(text)),
        |(text, target)| {
            let objects = out.join(format!("{}-{target}", stem(text)));
            make(&objects)?;
            let mut command = Command::new(&counting);
            command.arg("compile").arg(text).args(["--target", target, "--emit", "obj", "-o"]);
            // Not all of them are for AMD GPUs. The counts of those that are refused are as good.
            capture(command.arg(objects), LIMIT).map(drop)
        },
        Result::is_ok,
    );
    results.into_iter().collect::<Result<()>>()?;

    let merged = folder.join("profile");
    let mut command = Command::new(llvm_program("merge-fdata"));
    let counts: Vec<_> = fs::read_dir(&counts)?.collect::<std::io::Result<_>>()?;
    command.args(counts.iter().map(fs::DirEntry::path)).arg("-o").arg(&merged);
    spinner("The profile", || quiet(&mut command, LIMIT))?;
    Ok(merged)
}

/// The texts of PTX that the compiler's tests run, which lie in folders by what they are about.
pub fn texts() -> Result<Vec<PathBuf>> {
    let mut texts = Vec::new();
    for family in fs::read_dir(root().join("ptx/tests/filetests/run"))? {
        texts.extend(files(&family?.path(), "ptx")?);
    }
    texts.sort();
    Ok(texts)
}
