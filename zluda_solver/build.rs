//! The options with which the library is linked.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if cfg!(target_os = "linux") {
        // The driver that it has opened is not unloaded either: its threads run on.
        println!("cargo:rustc-link-arg-cdylib=-Wl,-z,nodelete");
        println!("cargo:rustc-link-arg-cdylib=-Wl,-soname,libzluda_solver.so");
    }
}
