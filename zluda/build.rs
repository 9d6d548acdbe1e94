//! The options with which the library is linked.

#[path = "../zluda_api/windows_version.rs"]
mod windows_version;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    windows_version::link("nvcuda.dll", "NVIDIA's CUDA driver");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() != Ok("linux") {
        return;
    }
    // Whoever closes the last handle does not unload it: the loader would do so at the next chance, which may be a
    // thread of the engine that closes a module while the program is in exit().
    println!("cargo:rustc-link-arg-cdylib=-Wl,-z,nodelete");
    if std::env::var("PROFILE").as_deref() == Ok("release") {
        // Lets BOLT lay out the release: it needs to know what refers to what.
        println!("cargo:rustc-link-arg-cdylib=-Wl,--emit-relocs");
    }
}
