//! A module of test kernels, compiled from C, and a few short hands.

#![allow(dead_code, clippy::unwrap_used)]

use std::ffi::{CString, c_void};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::ptr::null_mut;

use hip_runtime_sys::*;
pub use zluda_hip_cpu::api::*;

#[path = "../../../hip_host/tests/common/mod.rs"]
mod host;
pub use host::*;

/// Compiles `tests/kernels/<name>.c` to a shared object, as `./x test windows` does ahead of time.
pub fn compile(name: &str) -> Vec<u8> {
    if let Some(folder) = std::env::var_os("ZLUDA_TEST_OBJECTS") {
        return std::fs::read(Path::new(&folder).join(format!("{name}.so"))).unwrap();
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kernels");
    let target = tempfile::tempdir().unwrap();
    let object: PathBuf = target.path().join("kernel.so");
    let status = Command::new("cc")
        .args([
            "-shared",
            "-fPIC",
            "-O1",
            "-fno-optimize-sibling-calls",
            "-Wall",
            "-Wno-infinite-recursion",
            &format!("-DABI_VERSION={}", cpu_abi::ABI_VERSION),
            "-o",
        ])
        .arg(&object)
        .arg(folder.join(format!("{name}.c")))
        .status()
        .unwrap();
    assert!(status.success());
    std::fs::read(object).unwrap()
}

pub struct TestModule(pub hipModule_t);

pub fn load(name: &str) -> TestModule {
    let image = compile(name);
    let mut module = null_mut();
    // SAFETY: the image is an ELF file.
    ok(unsafe { hipModuleLoadData(&mut module, image.as_ptr().cast()) });
    TestModule(module)
}

impl TestModule {
    pub fn function(&self, name: &str) -> hipFunction_t {
        let name = CString::new(name).unwrap();
        let mut function = null_mut();
        // SAFETY: valid pointers.
        ok(unsafe { hipModuleGetFunction(&mut function, self.0, name.as_ptr()) });
        function
    }
}

/// A parameter: every one of the test kernels has 8 bytes.
pub fn word<T: Copy>(value: T) -> u64 {
    assert!(size_of::<T>() <= 8);
    let mut word = 0u64;
    // SAFETY: it fits.
    unsafe {
        std::ptr::copy_nonoverlapping(
            (&raw const value).cast::<u8>(),
            (&raw mut word).cast(),
            size_of::<T>(),
        )
    };
    word
}

pub struct LaunchConfig {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub shared: u32,
    pub stream: hipStream_t,
}

pub fn config(grid: u32, block: u32) -> LaunchConfig {
    LaunchConfig { grid: [grid, 1, 1], block: [block, 1, 1], shared: 0, stream: null_mut() }
}

pub fn launch(function: hipFunction_t, config: LaunchConfig, params: &[u64]) -> hipError_t {
    let mut size = size_of_val(params);
    let mut extra = [
        HIP_LAUNCH_PARAM_BUFFER_POINTER,
        params.as_ptr().cast_mut().cast(),
        HIP_LAUNCH_PARAM_BUFFER_SIZE,
        (&raw mut size).cast(),
        HIP_LAUNCH_PARAM_END,
    ];
    let LaunchConfig { grid: [gx, gy, gz], block: [bx, by, bz], shared, stream } = config;
    // SAFETY: valid arrays.
    unsafe {
        hipModuleLaunchKernel(
            function,
            gx,
            gy,
            gz,
            bx,
            by,
            bz,
            shared,
            stream,
            null_mut(),
            extra.as_mut_ptr(),
        )
    }
}

pub fn cooperative(function: hipFunction_t, config: LaunchConfig, params: &[u64]) -> hipError_t {
    let mut buffer = [params.as_ptr().cast_mut().cast::<c_void>()];
    let LaunchConfig { grid: [gx, gy, gz], block: [bx, by, bz], shared, stream } = config;
    // SAFETY: valid arrays.
    unsafe {
        hipModuleLaunchCooperativeKernel(
            function,
            gx,
            gy,
            gz,
            bx,
            by,
            bz,
            shared,
            stream,
            buffer.as_mut_ptr(),
        )
    }
}
