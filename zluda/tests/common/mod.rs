//! The built library, as programs see it.

#![allow(dead_code, unused_macros)]

use cuda_types::cuda::{
    CUDA_KERNEL_NODE_PARAMS, CUcontext, CUdeviceptr, CUfunction, CUmodule, CUresult as R, CUstream,
};
use libloading::Library;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::path::PathBuf;
use std::process::{Child, ExitStatus};
use std::ptr::null_mut;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The file that cargo built for these tests.
pub fn library_path() -> PathBuf {
    let test = std::env::current_exe().expect("a test knows its own file");
    test.with_file_name("libzluda_cuda.so")
}

/// Holds the tests of a process apart, for as long as what it gives is kept: the primary context, its streams and the process's
/// memory are those of all. A test runner that gives each test a process of its own does not need it.
pub fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    // One test that has failed is no reason for the others to.
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether this process has some part of a file of this name in its memory.
pub fn is_mapped(file: &str) -> bool {
    std::fs::read_to_string("/proc/self/maps").expect("Linux has it").contains(file)
}

/// The status with which a child ends; none where it does not in time, and is killed.
pub fn wait_for(child: &mut Child, limit: Duration) -> Option<ExitStatus> {
    // All is slow with a sanitizer.
    let is_slow = cfg!(any(zluda_sanitizer = "address", zluda_sanitizer = "thread"));
    let limit = if is_slow { 10 * limit } else { limit };
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("it is a child") {
            return Some(status);
        }
        if begun.elapsed() > limit {
            child.kill().expect("it runs");
            child.wait().expect("it was killed");
            return None;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// An entry of a fat binary.
pub struct Entry<'a> {
    pub kind: u16,
    pub architecture: u32,
    pub flags: u64,
    pub data: &'a [u8],
    /// Bytes of what the data is compressed from, 0 where it is not.
    pub uncompressed: usize,
}

/// A fat binary's container.
pub fn container(entries: &[Entry]) -> Vec<u8> {
    let mut body = Vec::new();
    for Entry { kind, architecture, flags, data, uncompressed } in entries {
        let mut entry = vec![0; 64];
        let padded = data.len().next_multiple_of(8);
        entry[0..2].copy_from_slice(&kind.to_le_bytes());
        entry[4..8].copy_from_slice(&64u32.to_le_bytes());
        entry[8..16].copy_from_slice(&(padded as u64).to_le_bytes());
        entry[16..20].copy_from_slice(&(data.len() as u32).to_le_bytes());
        entry[28..32].copy_from_slice(&architecture.to_le_bytes());
        entry[40..48].copy_from_slice(&flags.to_le_bytes());
        entry[56..64].copy_from_slice(&(*uncompressed as u64).to_le_bytes());
        entry.extend_from_slice(data);
        entry.resize(64 + padded, 0);
        body.extend(entry);
    }
    let mut bytes = 0xBA55_ED50u32.to_le_bytes().to_vec();
    bytes.extend([1, 0, 16, 0]);
    bytes.extend((body.len() as u64).to_le_bytes());
    bytes.extend(body);
    bytes
}

/// Calls a function of the driver, `call!(library, name(arguments): (types))`, where `R` is its result.
macro_rules! call {
    ($library:expr, $name:ident($($argument:expr),* $(,)?): ($($ty:ty),*)) => {{
        // SAFETY: the signature is that of `cuda.h`.
        let function = unsafe {
            $library.get::<unsafe extern "C" fn($($ty),*) -> R>(stringify!($name).as_bytes())
        }
        .expect(stringify!($name));
        // SAFETY: pointers are those of local variables, handles those that were given.
        unsafe { function($($argument),*) }
    }};
}

/// The parameters of a node with one thread of a kernel that has no parameters.
pub fn kernel_node(func: CUfunction) -> CUDA_KERNEL_NODE_PARAMS {
    CUDA_KERNEL_NODE_PARAMS {
        func,
        gridDimX: 1,
        gridDimY: 1,
        gridDimZ: 1,
        blockDimX: 1,
        blockDimY: 1,
        blockDimZ: 1,
        // SAFETY: a structure of numbers and pointers.
        ..unsafe { std::mem::zeroed() }
    }
}

/// The library, not initialised.
pub fn library() -> Library {
    // SAFETY: the library has no initialisers of its own.
    unsafe { Library::new(library_path()) }.expect("cargo built it")
}

/// The library with the primary context of device 0, which is current.
pub fn driver() -> Library {
    const OK: R = R::CUDA_SUCCESS;
    let library = library();
    let mut context: CUcontext = std::ptr::null_mut();
    assert_eq!(call!(library, cuInit(0): (c_uint)), OK);
    assert_eq!(
        call!(library, cuDevicePrimaryCtxRetain(&mut context, 0): (*mut CUcontext, c_int)),
        OK
    );
    assert_eq!(call!(library, cuCtxSetCurrent(context): (CUcontext)), OK);
    library
}

/// Runs kernels of a module in the current context, on 8 zeroed bytes: what the end of the work of each says, and the word
/// that it wrote.
pub fn run(library: &Library, text: &CStr, kernels: &[&CStr]) -> Vec<(R, u32)> {
    let ok = |result| assert_eq!(result, R::CUDA_SUCCESS, "{kernels:?}");
    let (mut module, mut function, mut pointer): (CUmodule, CUfunction, CUdeviceptr) =
        (null_mut(), null_mut(), 0);
    ok(call!(library, cuMemAlloc_v2(&mut pointer, 8): (*mut CUdeviceptr, usize)));
    ok(call!(library, cuMemsetD8_v2(pointer, 0, 8): (CUdeviceptr, u8, usize)));
    ok(call!(library, cuModuleLoadData(&mut module, text.as_ptr().cast()):
        (*mut CUmodule, *const c_void)));
    let mut run = |kernel: &&CStr| {
        ok(call!(library, cuModuleGetFunction(&mut function, module, kernel.as_ptr()):
            (*mut CUfunction, CUmodule, *const c_char)));
        let mut params = [(&raw mut pointer).cast::<c_void>()];
        ok(call!(library, cuLaunchKernel(function, 4, 1, 1, 64, 1, 1, 0, null_mut(),
            params.as_mut_ptr(), null_mut()): (CUfunction, c_uint, c_uint, c_uint, c_uint, c_uint,
            c_uint, c_uint, CUstream, *mut *mut c_void, *mut *mut c_void)));
        let mut value = 0u32;
        let result = call!(library, cuMemcpyDtoH_v2((&raw mut value).cast(), pointer, 4):
            (*mut c_void, CUdeviceptr, usize));
        (result, value)
    };
    kernels.iter().map(&mut run).collect()
}
