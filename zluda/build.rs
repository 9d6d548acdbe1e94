//! Lets BOLT lay out the release: it needs to know what refers to what.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("PROFILE").as_deref() == Ok("release") && cfg!(target_os = "linux") {
        println!("cargo:rustc-link-arg-cdylib=-Wl,--emit-relocs");
    }
}
