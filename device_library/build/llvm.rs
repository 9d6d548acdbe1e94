//! The programs of LLVM 22 that build scripts compile C and LLVM IR with.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The flags that all C of device libraries is compiled with, for whatever target.
pub const C_FLAGS: &[&str] = &[
    "-std=c17",
    "-ffreestanding",
    "-nostdinc",
    "-fno-ident",
    "-ffp-contract=off",
    "-Wall",
    "-Werror",
];

/// A program of LLVM.
pub fn tool(name: &str) -> Command {
    println!("cargo:rerun-if-env-changed=LLVM_SYS_221_PREFIX");
    Command::new(match env::var_os("LLVM_SYS_221_PREFIX") {
        Some(prefix) => PathBuf::from(prefix).join("bin").join(name),
        None => PathBuf::from(format!("{name}-22")),
    })
}

pub fn run(command: &mut Command) {
    let status = command.status().unwrap_or_else(|error| {
        panic!("{command:?}: {error}; install the packages clang-22 and llvm-22")
    });
    assert!(status.success(), "{command:?} fails");
}

/// The files of a folder with an extension, by their names.
pub fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries =
        fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<_> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .collect();
    paths.sort();
    paths
}

/// The name of a file without its extension.
pub fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
