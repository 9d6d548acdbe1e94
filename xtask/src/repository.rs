//! The folders of the repository, of its builds, and of LLVM.

use crate::Result;
use std::path::{Path, PathBuf};

/// The root of the repository.
pub fn root() -> &'static Path {
    // The manifest's folder is `<root>/xtask`.
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."))
}

/// Cargo's target folder.
pub fn target() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => std::path::absolute(&folder).unwrap_or_else(|_| PathBuf::from(folder)),
        None => root().join("target"),
    }
}

/// A program of LLVM.
pub fn llvm_program(name: &str) -> PathBuf {
    llvm().join("bin").join(name)
}

/// The folder of LLVM, as llvm-sys finds it too.
pub fn llvm() -> PathBuf {
    std::env::var_os("LLVM_SYS_221_PREFIX").unwrap_or_else(|| "/usr/lib/llvm-22".into()).into()
}

/// Emulated AMD GPUs that the tests run on, as ZLUDA_DEVICE names them: one has waves of 32 lanes, one of 64.
pub const EMULATED: [&str; 2] = ["emu:gfx1100", "emu:gfx942"];

/// The profile with which cargo builds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    Debug,
    Release,
}

impl Profile {
    /// The name, which is that of the folder of its builds too.
    pub fn name(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Release => "release",
        }
    }

    /// The folder of cargo's builds.
    pub fn folder(self) -> PathBuf {
        target().join(self.name())
    }

    /// The staged libraries.
    pub fn staged(self) -> PathBuf {
        self.folder().join("zluda")
    }
}

/// Makes `folder`, empty.
pub fn make_empty(folder: &Path) -> Result<()> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(format!("{}: {error}", folder.display()).into());
        }
        _ => {}
    }
    make(folder)
}

/// Makes `folder` if it is not there.
pub fn make(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()).into())
}

/// The files of `folder` whose names end in `.extension`, sorted.
pub fn files(folder: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let entries =
        std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut files = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|found| found == extension) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// A file's name without folder and extension.
pub fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Why tests of code for x86-64-v4 are not run where [`has_avx512`] is not true.
pub const NO_AVX512: &str = "this processor does not have it";

/// Whether this processor runs code for x86-64-v4.
pub fn has_avx512() -> bool {
    std::arch::is_x86_feature_detected!("avx512f")
        && std::arch::is_x86_feature_detected!("avx512bw")
        && std::arch::is_x86_feature_detected!("avx512cd")
        && std::arch::is_x86_feature_detected!("avx512dq")
        && std::arch::is_x86_feature_detected!("avx512vl")
}
