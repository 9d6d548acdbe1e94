//! LLVM and lld for Windows, built by mingw of the sources that Debian has: X86 and AMDGPU, static libraries, and of
//! everything only what llvm_zluda links.

use super::{MINGW, folder, mingw, runs};
use crate::Result;
use crate::program::{loud, quiet};
use crate::progress::{heading, spinner};
use crate::repository::{llvm_program, make, make_empty, root};
use crate::toolkit::llvm_sources;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// What is built; the rest follows from it.
const LIBRARIES: &[&str] = &[
    "lldELF",
    "lldCommon",
    "LLVMX86Disassembler",
    "LLVMX86AsmParser",
    "LLVMX86TargetMCA",
    "LLVMAMDGPUDisassembler",
    "LLVMAMDGPUAsmParser",
    "LLVMAMDGPUTargetMCA",
    "LLVMIRReader",
    "LLVMPasses",
    "LLVMBitWriter",
    "LLVMLTO",
    "LLVMDTLTO",
    "LLVMOption",
    "LLVMWindowsDriver",
    "LLVMDebugInfoDWARF",
];

/// The parts of the sources that are built. The tables of other targets have the names of their processors in them.
const SOURCES: &[&str] = &[
    "llvm/CMakeLists.txt",
    "llvm/LICENSE.TXT",
    "llvm/cmake",
    "llvm/include",
    "llvm/lib",
    "llvm/projects",
    "llvm/resources",
    "llvm/utils/TableGen",
    "llvm/tools/CMakeLists.txt",
    "cmake",
    "lld",
    "third-party/siphash",
    "libunwind/include",
];

/// Where builds for Windows look for it.
pub fn built() -> PathBuf {
    folder().join("llvm")
}

/// Whether builds for Windows have a compiler.
pub fn is_built() -> bool {
    built().join("lib/libLLVMCore.a").exists()
}

/// Builds it, unless it is there. What an earlier run has done is not done again.
pub fn build() -> Result<PathBuf> {
    if is_built() {
        return Ok(built());
    }
    for (program, package) in [("cmake", "cmake"), ("ninja", "ninja-build")] {
        if !runs(&mut Command::new(program)) {
            return Err(format!("{program} is not installed: {package}").into());
        }
    }
    let (sources, build) = (folder().join("llvm-sources"), folder().join("llvm-build"));
    let stamp = sources.join(".unpacked");
    if !stamp.exists() {
        let archive = llvm_sources()?;
        make_empty(&sources)?;
        spinner("unpacking LLVM's sources", || unpack(&archive, &sources))?;
        fs::write(&stamp, "")?;
    }
    make(&build)?;
    if !build.join("build.ninja").exists() {
        let cmake = || quiet(&mut configuration(&sources, &build), Duration::from_secs(1800));
        spinner("configuring LLVM", cmake)?;
    }
    heading(
        "Building LLVM: two to three hours on two processors; an interrupted build goes on where it was",
    );
    loud(Command::new("ninja").arg("-C").arg(&build).args(LIBRARIES))?;
    collect(&sources, &build)?;
    Ok(built())
}

fn unpack(archive: &Path, sources: &Path) -> Result<()> {
    let mut command = Command::new("tar");
    command.arg("-xf").arg(archive).arg("-C").arg(sources).args([
        "--strip-components=1",
        "--wildcards",
        "--wildcards-match-slash",
        "--exclude=*/test",
        "--exclude=*/unittests",
    ]);
    // The archive's own folder is named after the version.
    command.args(SOURCES.iter().map(|part| format!("llvm-toolchain-*/{part}")));
    quiet(&mut command, Duration::from_secs(1800)).map(drop)
}

fn configuration(sources: &Path, build: &Path) -> Command {
    let mut command = Command::new("cmake");
    let tools = llvm_program("");
    command
        .args(["-G", "Ninja", "-C"])
        .arg(root().join("xtask/src/windows/llvm.cmake"))
        .arg(format!("-DCMAKE_C_COMPILER={MINGW}gcc-posix"))
        .arg(format!("-DCMAKE_CXX_COMPILER={MINGW}g++-posix"))
        .arg(format!("-DCMAKE_RC_COMPILER={MINGW}windres"))
        .arg(format!("-DLLVM_NATIVE_TOOL_DIR={}", tools.display()))
        .arg(format!("-DLLVM_TABLEGEN={}", llvm_program("llvm-tblgen").display()))
        .arg("-S")
        .arg(sources.join("llvm"))
        .arg("-B")
        .arg(build);
    command
}

/// Puts libraries and headers where builds look for them; the libraries last, since they say that all is there.
fn collect(sources: &Path, build: &Path) -> Result<()> {
    let to = built();
    make_empty(&to)?;
    make(&to.join("lib"))?;
    for headers in
        [sources.join("llvm/include"), sources.join("lld/include"), build.join("include")]
    {
        loud(Command::new("cp").arg("-r").arg(headers).arg(&to))?;
    }
    for library in crate::repository::files(&build.join("lib"), "a")? {
        let name = library.file_name().unwrap_or_default();
        loud(
            mingw("strip")
                .args(["--strip-debug", "-o"])
                .arg(to.join("lib").join(name))
                .arg(&library),
        )?;
    }
    Ok(())
}
