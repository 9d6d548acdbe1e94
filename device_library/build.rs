//! Compiles the C of the device library for this machine's processor. `amdgcn/library/build.rs` compiles the same files for
//! AMD GPUs.

// A build script stops the build by panicking.
#![allow(clippy::panic)]

#[path = "build/llvm.rs"]
mod llvm;

use std::env;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use llvm::{C_FLAGS, files, run, stem, tool};

const FLAGS: &[&str] = &["-O2", "-g", "-fvisibility=hidden"];

/// Faults are those of the kernel that calls, on its stack, whose end a large frame must not jump over. Both go without
/// saying on Windows.
const ELF_FLAGS: &[&str] = &["-fPIC", "-fstack-clash-protection"];

/// mingw's `fma` rounds the product first.
const WINDOWS_FLAGS: &[&str] = &["-DFMA_ROUNDS_TWICE"];

fn main() {
    println!("cargo:rerun-if-changed=c");
    println!("cargo:rerun-if-changed=cpu");
    println!("cargo:rerun-if-changed=build");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let mut target = env::var("TARGET").unwrap_or_default();
    let is_windows = target.contains("windows");
    if is_windows {
        // Its `long` has 64 bits, as on all other targets of the library.
        target = "x86_64-pc-windows-cygnus".to_owned();
    }
    let archive = out.join("libzluda_device.a");
    // One unit of all files, so that those that call each other are inlined as the CPU has it.
    let mut linker = tool("llvm-link");
    let (unit, object) = (out.join("unit.bc"), out.join("unit.o"));
    let clang = || {
        let mut clang = tool("clang");
        clang.arg(format!("--target={target}")).args(FLAGS);
        clang.args(if is_windows { WINDOWS_FLAGS } else { ELF_FLAGS });
        clang
    };
    for source in [files(Path::new("c"), "c"), files(Path::new("cpu"), "c")].concat() {
        let bitcode = out.join(stem(&source)).with_extension("bc");
        let mut compiler = clang();
        compiler.args(C_FLAGS).args(["-I", "c", "-emit-llvm", "-Xclang", "-disable-llvm-passes"]);
        run(compiler.arg("-c").arg(&source).arg("-o").arg(&bitcode));
        linker.arg(&bitcode);
    }
    run(linker.arg("-o").arg(&unit));
    run(clang().arg("-c").arg(&unit).arg("-o").arg(&object));
    // What an earlier build left there stays in it otherwise.
    let _ = fs::remove_file(&archive);
    run(tool("llvm-ar").arg("crs").arg(&archive).arg(&object));
    let functions = lane_functions(&archive);
    fs::write(out.join("lane_functions.rs"), functions).unwrap_or_else(|error| panic!("{error}"));
    println!("cargo:rustc-link-search=native={}", out.display());
    println!("cargo:rustc-link-lib=static=zluda_device");
}

/// The functions `zluda.lane.<word>` of the archive as Rust: their words and addresses.
fn lane_functions(archive: &Path) -> String {
    let mut nm = tool("llvm-nm");
    nm.args(["--defined-only", "--extern-only", "--format=just-symbols", "--quiet"]).arg(archive);
    let output = nm.output().unwrap_or_else(|error| panic!("{nm:?}: {error}"));
    assert!(output.status.success(), "{nm:?} fails");
    let symbols = String::from_utf8_lossy(&output.stdout);
    let words: Vec<_> =
        symbols.lines().filter_map(|line| line.strip_prefix("zluda.lane.")).collect();
    let (mut declarations, mut table) = (String::new(), String::new());
    for (index, word) in words.iter().enumerate() {
        let name = format!("    #[link_name = \"zluda.lane.{word}\"]");
        let _ = writeln!(declarations, "{name}\n    fn lane_{index}();");
        let _ = writeln!(table, "    (\"{word}\", LaneFunction(lane_{index})),");
    }
    format!(
        "unsafe extern \"C\" {{\n{declarations}}}\n\
         /// The functions `zluda.lane.<word>`, by their words.\n\
         pub static LANE_FUNCTIONS: &[(&str, LaneFunction)] = &[\n{table}];\n"
    )
}
