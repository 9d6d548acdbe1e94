//! Compiles what the AMD target links to kernels to LLVM bitcode: the C files of the device library, those for all targets
//! and those for AMD GPUs, and its prelude for both sizes of waves.

// A build script stops the build by panicking.
#![allow(clippy::panic)]

#[path = "build/kept.rs"]
mod kept;
#[path = "../../device_library/build/llvm.rs"]
mod llvm;
#[path = "build/of_words.rs"]
mod of_words;
#[path = "build/ready_made.rs"]
mod ready_made;
#[path = "build/specialised.rs"]
mod specialised;

use std::env;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use llvm::{C_FLAGS, files, run, stem, tool};

const TRIPLE: &str = "amdgcn-amd-amdhsa";

/// The C files for all targets.
const SHARED: &str = "../../device_library/c";

/// One bitcode serves every GPU, so that nothing here may name one.
const AMD_FLAGS: &[&str] =
    &["-O2", "-fno-unroll-loops", "-Xclang", "-mcode-object-version=none", "-I", SHARED, "-I", "."];

const SMALL: &str = "-Oz";

/// Files whose functions say nothing before they are linked to a constant (see `specialise_operations.rs`): they stay as they are
/// written until then.
const OF_OPERATIONS: &[&str] =
    &["matrix", "matrix_mfma", "matrix_wmma", "texture", "texture_surface"];

/// Files whose functions are linked as they are, after LLVM's passes: what they do takes long enough for a call, and is
/// small rather than fast.
const LATE: &[&str] =
    &["heap", "printf", "reduction", "texture_block", "texture_slope", "texture_texel"];

/// The file of bitcode that has the code of frequent operations.
const SPECIALISED: &str = "specialised.bc";

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    println!("cargo:rerun-if-changed=.");
    println!("cargo:rerun-if-changed=../../device_library");
    let (library, prelude) = (Path::new("."), Path::new("prelude"));

    let mut list = String::from("pub static FILES: &[File] = &[\n");
    let mut functions = Vec::new();
    let mut sources = [files(library, "c"), files(Path::new(SHARED), "c")].concat();
    sources.sort_by_key(|source| stem(source));
    for (index, source) in sources.iter().enumerate() {
        let name = format!("{}.bc", stem(source));
        let mut flags = [C_FLAGS, AMD_FLAGS].concat();
        if OF_OPERATIONS.contains(&stem(source).as_str()) {
            flags.extend(["-Xclang", "-disable-llvm-passes"]);
        }
        let is_late = LATE.contains(&stem(source).as_str());
        if is_late {
            flags.push(SMALL);
        }
        clang(&flags, source, &out.join(&name));
        functions.extend(defined(&out.join(&name)).into_iter().map(|function| (function, index)));
        let _ = writeln!(
            list,
            "    File {{ is_late: {is_late}, bitcode: include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{name}\")) }},"
        );
    }
    let specialised = specialised::build(&out, SPECIALISED);
    functions.extend(specialised.into_iter().map(|function| (function, sources.len())));
    let _ = writeln!(
        list,
        "    File {{ is_late: false, bitcode: include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{SPECIALISED}\")) }},\n];"
    );
    functions.sort();
    let _ = writeln!(list, "pub static DEFINED: &[(&str, usize)] = &{functions:?};");

    for (constant, name) in [("PRELUDE32", "wave32"), ("PRELUDE64", "wave64")] {
        let text = ["prelude", name].map(|part| {
            let path = prelude.join(format!("{part}.ll"));
            fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
        });
        let whole = out.join(format!("{name}.ll"));
        write(&whole, &text.concat());
        let bitcode = out.join(format!("{name}.bc"));
        clang(&["-Wno-override-module"], &whole, &bitcode);
        let mut functions = defined(&bitcode);
        functions.sort();
        let _ = writeln!(
            list,
            "pub static {constant}: Prelude = Prelude {{ functions: &{functions:?},\n    \
             bitcode: include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{name}.bc\")) }};"
        );
    }
    list.push_str(&ready_made::build(&out));
    write(&out.join("bitcode.rs"), &list);
}

fn clang(flags: &[&str], source: &Path, output: &Path) {
    let command = &mut tool("clang");
    command.args(["-target", TRIPLE, "-nogpulib", "-emit-llvm", "-c"]);
    run(command.args(flags).arg(source).arg("-o").arg(output));
}

/// The functions that a file of bitcode has for others.
fn defined(bitcode: &Path) -> Vec<String> {
    let mut nm = tool("llvm-nm");
    nm.args(["--defined-only", "--extern-only", "--format=just-symbols"]).arg(bitcode);
    let output = nm.output().unwrap_or_else(|error| panic!("{nm:?}: {error}"));
    assert!(output.status.success(), "{nm:?} fails");
    String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
}

fn write(path: &Path, text: &str) {
    fs::write(path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
