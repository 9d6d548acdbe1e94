//! Builds the C++ shim for lld and links LLVM: statically in release builds, so that a program's own
//! LLVM is never disturbed, dynamically in others, which link in a fraction of the time.
//! `ZLUDA_LLVM_LINK=static|dynamic` overrides. For Windows it is always static, and may be left out.

// A build script stops the build by panicking.
#![allow(clippy::panic)]

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The components that a static build needs besides the targets, lld's included.
const COMPONENTS: &[&str] = &[
    "x86",
    "amdgpu",
    "passes",
    "irreader",
    "bitwriter",
    "lto",
    "dtlto",
    "option",
    "debuginfodwarf",
    "windowsdriver",
];

/// What LLVM needs of Windows.
const OF_WINDOWS: &[&str] =
    &["advapi32", "ntdll", "ole32", "psapi", "shell32", "uuid", "version", "ws2_32"];

fn main() {
    println!("cargo:rustc-check-cfg=cfg(zluda_without_llvm)");
    if env::var("CARGO_CFG_WINDOWS").is_ok() {
        return for_windows();
    }
    println!("cargo:rerun-if-env-changed=ZLUDA_LLVM_LINK");
    println!("cargo:rerun-if-env-changed=LLVM_SYS_221_PREFIX");
    println!("cargo:rerun-if-changed=cpp");
    let prefix = PathBuf::from(
        env::var("LLVM_SYS_221_PREFIX").unwrap_or_else(|_| "/usr/lib/llvm-22".into()),
    );
    let library = prefix.join("lib");

    let release = env::var("PROFILE").as_deref() == Ok("release");
    let link_static = match env::var("ZLUDA_LLVM_LINK").as_deref() {
        Ok("static") => true,
        Ok("dynamic") => false,
        _ => release,
    };

    compile_wrappers(&prefix);

    println!("cargo:rustc-link-search=native={}", library.display());
    println!("cargo:rustc-link-lib=static=lldELF");
    println!("cargo:rustc-link-lib=static=lldCommon");
    if link_static {
        cc::Build::new()
            .flag("-fvisibility=hidden")
            .file("cpp/unused_targets.c")
            .compile("zluda_unused_targets");
        for name in llvm_config(&prefix, &["--link-static", "--libnames"], COMPONENTS) {
            let stem = name.trim_start_matches("lib").trim_end_matches(".a");
            println!("cargo:rustc-link-lib=static={stem}");
        }
        println!("cargo:rustc-link-lib=static=zluda_unused_targets");
        cc::Build::new().file("cpp/kept_objects.c").compile("zluda_kept_objects");
    } else {
        println!("cargo:rustc-link-lib=dylib=LLVM-22");
    }
    // A static build needs nothing of the machine that it runs on but the C library: a program may have
    // brought its own, older libstdc++ or zstd.
    let compiler = env::var("CC").unwrap_or_else(|_| "cc".into());
    let kind = if link_static { "static" } else { "dylib" };
    for library in ["z", "zstd", "stdc++"] {
        if link_static {
            println!(
                "cargo:rustc-link-search=native={}",
                folder_of(&compiler, &format!("lib{library}.a")).display()
            );
        }
        println!("cargo:rustc-link-lib={kind}={library}");
    }
}

fn compile_wrappers(prefix: &Path) {
    cc::Build::new()
        .cpp(true)
        .cpp_link_stdlib(None)
        .std("c++17")
        .flag("-fno-rtti")
        .flag("-fvisibility=hidden")
        .flag("-w")
        .include(prefix.join("include"))
        .file("cpp/lld.cpp")
        .file("cpp/code.cpp")
        .compile("zluda_lld");
}

/// Links what `./x llvm-windows` has built, or nothing that can compile.
fn for_windows() {
    println!("cargo:rerun-if-env-changed=ZLUDA_LLVM_WINDOWS");
    let root = env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    let built = Path::new(&root).join("../target/windows/llvm");
    let prefix = env::var_os("ZLUDA_LLVM_WINDOWS").map_or(built, PathBuf::from);
    let library = prefix.join("lib");
    println!("cargo:rerun-if-changed={}", library.display());
    if !library.join("libLLVMCore.a").exists() {
        return without_llvm();
    }
    println!("cargo:rerun-if-changed=cpp");
    compile_wrappers(&prefix);
    cc::Build::new().file("cpp/thread_objects.c").compile("zluda_thread_objects");
    println!("cargo:rustc-link-search=native={}", library.display());
    let names = std::fs::read_dir(&library).unwrap_or_else(|error| panic!("{error}"));
    let mut names: Vec<String> = names
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter_map(|name| Some(name.strip_prefix("lib")?.strip_suffix(".a")?.to_owned()))
        .collect();
    names.sort();
    for name in names {
        println!("cargo:rustc-link-lib=static={name}");
    }
    let compiler = cc::Build::new().cpp(true).get_compiler();
    for library in ["stdc++", "winpthread"] {
        let folder = folder_of(&compiler.path().to_string_lossy(), &format!("lib{library}.a"));
        println!("cargo:rustc-link-search=native={}", folder.display());
        println!("cargo:rustc-link-lib=static={library}");
    }
    for library in OF_WINDOWS {
        println!("cargo:rustc-link-lib=dylib={library}");
    }
}

/// Puts functions that end the process in the place of LLVM's.
fn without_llvm() {
    println!("cargo:rustc-cfg=zluda_without_llvm");
    println!("cargo:rerun-if-changed=src");
    let mut names = std::collections::BTreeSet::new();
    for entry in std::fs::read_dir("src").into_iter().flatten().flatten() {
        let text = std::fs::read_to_string(entry.path()).unwrap_or_default();
        let words = text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
        // Names of types lead nowhere, and nobody minds.
        let is_function = |word: &&str| word.starts_with("LLVM") || word.starts_with("zluda_");
        names.extend(words.filter(is_function).map(str::to_owned));
    }
    let text: String = names.iter().map(|name| format!("UNUSED({name})\n")).collect();
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    std::fs::write(out.join("functions.inc"), text).unwrap_or_else(|error| panic!("{error}"));
    cc::Build::new()
        .flag("-w")
        .include(&out)
        .file("cpp/without_llvm.c")
        .compile("zluda_without_llvm");
}

/// The folder where a C compiler finds a static library.
fn folder_of(compiler: &str, library: &str) -> PathBuf {
    let output = Command::new(compiler)
        .arg(format!("-print-file-name={library}"))
        .output()
        .unwrap_or_else(|error| panic!("cannot run {compiler}: {error}"));
    let path = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    assert!(path.is_absolute(), "{library} is not installed");
    path.parent().map(PathBuf::from).unwrap_or_default()
}

fn llvm_config(prefix: &Path, options: &[&str], components: &[&str]) -> Vec<String> {
    let program = prefix.join("bin/llvm-config");
    let output =
        Command::new(&program).args(options).args(components).output().unwrap_or_else(|error| {
            panic!("cannot run {}: {error}; install llvm-22-dev", program.display())
        });
    assert!(
        output.status.success(),
        "{} failed: {}",
        program.display(),
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).split_whitespace().map(str::to_owned).collect()
}
