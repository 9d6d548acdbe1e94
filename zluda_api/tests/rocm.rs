//! How ROCm's libraries are found, with libraries in their place that every Linux has.
#![cfg(target_os = "linux")]

use std::ffi::c_double;
use zluda_api::rocm::{Function, OpenError, RocmLibrary, Source};

const HERE: &str = "libc.so.6";
const MATHS: &str = "libm.so.6";

#[test]
fn nothing_is_opened_without_hip() {
    let source = Source { name: "maths", files: &[("libamdhip64.so.0", &[MATHS])] };
    assert!(matches!(RocmLibrary::open(&source), Err(OpenError::NoHip("maths"))));
}

#[test]
fn what_is_missing_is_named() {
    let source = Source { name: "maths", files: &[(HERE, &["libhipmaths.so.3"])] };
    let error = RocmLibrary::open(&source).unwrap_err().to_string();
    assert!(error.starts_with("maths is not installed"), "{error}");
    assert!(error.contains("libhipmaths.so.3"), "{error}");
}

#[test]
fn the_best_file_that_is_there_is_opened() {
    let source = Source { name: "maths", files: &[(HERE, &["libhipmaths.so.3", MATHS])] };
    let library = RocmLibrary::open(&source).unwrap();
    assert_eq!(library.file, MATHS);
    type Real = unsafe extern "C" fn(c_double) -> c_double;
    let (cos, hip): (Function<Real>, Function<Real>) = (Function::new(), Function::new());
    // SAFETY: the type is that of the function, which has no preconditions.
    unsafe {
        assert_eq!(cos.get(&library, "cos").unwrap()(0.0), 1.0);
        assert!(hip.get(&library, "hipcos").is_none());
    }
    assert!(library.has("sin") && !library.has("hipsin"));
}

#[test]
fn two_versions_of_hip_are_refused() {
    let source = Source { name: "maths", files: &[(HERE, &[MATHS]), (MATHS, &[])] };
    let error = RocmLibrary::open(&source).unwrap_err();
    assert!(matches!(error, OpenError::OtherHip { file: MATHS, theirs: MATHS, ours: HERE }));
}
