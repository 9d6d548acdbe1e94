//! Builds the C++ shim for lld and links LLVM: statically in release builds, so that a program's own
//! LLVM is never disturbed, dynamically in others, which link in a fraction of the time.
//! `ZLUDA_LLVM_LINK=static|dynamic` overrides.

// A build script stops the build by panicking.
#![allow(clippy::panic)]

use std::env;
use std::path::PathBuf;
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

fn main() {
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
    let kind = if link_static { "static" } else { "dylib" };
    for library in ["z", "zstd", "stdc++"] {
        if link_static {
            println!(
                "cargo:rustc-link-search=native={}",
                folder_of(&format!("lib{library}.a")).display()
            );
        }
        println!("cargo:rustc-link-lib={kind}={library}");
    }
}

/// The folder where the C compiler finds a static library.
fn folder_of(library: &str) -> PathBuf {
    let compiler = env::var("CC").unwrap_or_else(|_| "cc".into());
    let output = Command::new(&compiler)
        .arg(format!("-print-file-name={library}"))
        .output()
        .unwrap_or_else(|error| panic!("cannot run {compiler}: {error}"));
    let path = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    assert!(path.is_absolute(), "{library} is not installed");
    path.parent().map(PathBuf::from).unwrap_or_default()
}

fn llvm_config(prefix: &std::path::Path, options: &[&str], components: &[&str]) -> Vec<String> {
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
