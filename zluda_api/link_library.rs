//! The options with which a library above the driver is linked: the build script of each that has a name of this project.

// Cargo reads what a build script prints.
#![allow(clippy::print_stdout)]

fn main() {
    println!("cargo:rerun-if-changed=../zluda_api/link_library.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        // Streams may have its work when a program unloads it, and the driver that it has opened is not unloaded either.
        println!("cargo:rustc-link-arg-cdylib=-Wl,-z,nodelete");
        println!("cargo:rustc-link-arg-cdylib=-Wl,-soname,lib{}.so", env!("CARGO_PKG_NAME"));
    }
}
