//! The library as the driver opens it: found functions, and calls of every one with nothing but zeros.

#![allow(clippy::unwrap_used)]

use hip_runtime_sys::*;
use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};

fn open() -> HipRuntime {
    // Cargo puts the library beside the test.
    let folder = std::env::current_exe().unwrap().parent().unwrap().to_owned();
    Provider::Cpu(folder.join(format!("{DLL_PREFIX}zluda_hip_cpu{DLL_SUFFIX}"))).open().unwrap()
}

/// Functions with nothing but zeros that succeed: those that wait, reset, take null or do nothing.
const SUCCEED: &[&str] = &[
    "hipCtxSetCurrent",
    "hipCtxSynchronize",
    "hipDevicePrimaryCtxRelease",
    "hipDevicePrimaryCtxReset",
    "hipDevicePrimaryCtxSetFlags",
    "hipDeviceReset",
    "hipDeviceGetStreamPriorityRange",
    "hipDeviceSetCacheConfig",
    "hipDeviceSetLimit",
    "hipDeviceSetSharedMemConfig",
    "hipDeviceSynchronize",
    "hipFree",
    "hipFreeArray",
    "hipFreeAsync",
    "hipFreeHost",
    "hipHostFree",
    "hipInit",
    "hipProfilerStart",
    "hipProfilerStop",
    "hipSetDevice",
    "hipSetDeviceFlags",
    "hipStreamQuery",
    "hipStreamSynchronize",
];

/// Copies and fills of nothing.
fn moves_nothing(name: &str) -> bool {
    let names_something = ["Param", "3D", "Symbol"].iter().any(|word| name.contains(word));
    name.starts_with("hipMemset") || (name.starts_with("hipMemcpy") && !names_something)
}

macro_rules! call_all {
    ($($name:ident($($argument:ident: $type:ty),*) -> $result:ty;)*) => {
        /// The results of all functions that the library has.
        fn call_all(hip: &HipRuntime) -> Vec<(&'static str, hipError_t)> {
            let mut results = Vec::new();
            $(
                if hip.has(stringify!($name)) {
                    // SAFETY: zeros are null pointers, null handles and zero numbers, which are checked.
                    let result = unsafe { hip.$name($(std::mem::zeroed::<$type>()),*) };
                    results.push((stringify!($name), code(result)));
                }
            )*
            results
        }
    };
}

/// The error code that a function returned; `hipErrorUnknown` if it returned something else.
fn code<T: 'static>(result: T) -> hipError_t {
    let result: Box<dyn std::any::Any> = Box::new(result);
    result.downcast_ref().copied().unwrap_or(hipError_t::hipErrorUnknown)
}

hip_functions!(call_all);

#[test]
fn zeros_are_errors_where_something_is_needed() {
    let hip = open();
    let results = call_all(&hip);
    assert!(results.len() > 150, "{}", results.len());
    for (name, result) in results {
        // These return texts, or the error of the call before.
        if name.starts_with("hipGetError") || name.ends_with("LastError") {
            continue;
        }
        let expected = SUCCEED.contains(&name) || moves_nothing(name);
        assert_eq!(result == hipError_t::hipSuccess, expected, "{name} returned {}", result.0);
    }
}

#[test]
fn every_function_is_exported() {
    let hip = open();
    for name in zluda_hip_cpu::api::names() {
        // SAFETY: never called.
        let function = unsafe { hip.own_function::<unsafe extern "C" fn()>(name) };
        assert!(function.is_some(), "{name}");
    }
}

#[test]
fn what_is_missing_says_so() {
    let hip = open();
    assert!(!hip.has("hipGraphCreate") && hip.has("hipModuleLaunchKernel"));
    let mut graph = std::ptr::null_mut();
    // SAFETY: valid pointer.
    let result = unsafe { hip.hipGraphCreate(&mut graph, 0) };
    assert_eq!(result, hipError_t::hipErrorNotSupported);
}
