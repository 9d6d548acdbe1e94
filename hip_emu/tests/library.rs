//! The library as the driver opens it.

#![allow(clippy::unwrap_used)]

use hip_runtime_sys::Provider;

/// They come from another crate, of which a linker keeps what it finds used.
#[test]
fn every_function_is_exported() {
    // Cargo puts the library beside the test.
    let folder = std::env::current_exe().unwrap().parent().unwrap().to_owned();
    let hip = Provider::Path(folder.join("libzluda_hip_emu.so")).open().unwrap();
    for name in zluda_hip_emu::api::names() {
        // SAFETY: never called.
        let function = unsafe { hip.own_function::<unsafe extern "C" fn()>(name) };
        assert!(function.is_some(), "{name}");
    }
}
