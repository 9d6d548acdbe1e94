//! The options with which the library is linked.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if cfg!(target_os = "linux") {
        // Streams may have its work when a program unloads it.
        println!("cargo:rustc-link-arg-cdylib=-Wl,-z,nodelete");
        println!("cargo:rustc-link-arg-cdylib=-Wl,-soname,libzluda_sparse.so");
    }
}
