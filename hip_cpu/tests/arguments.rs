//! Wrong modules, functions and launches: the documented error, and no crash.

mod common;

use std::ffi::c_void;
use std::ptr::null_mut;

use common::*;
use hip_host::os::memory;
use hip_runtime_sys::*;

const INVALID: hipError_t = hipError_t::hipErrorInvalidValue;
const HANDLE: hipError_t = hipError_t::hipErrorInvalidHandle;

#[test]
fn stale_and_foreign_handles() {
    let _alone = alone();
    let module = load("vector");
    let function = module.function("empty");
    let mut on_the_stack = 0u64;
    let foreign: *mut c_void = (&raw mut on_the_stack).cast();
    // SAFETY: handles may be anything.
    unsafe {
        for bad in [foreign, 0x10 as *mut c_void, usize::MAX as *mut c_void, function.cast()] {
            assert_eq!(hipStreamSynchronize(bad.cast()), HANDLE);
            assert_eq!(hipStreamDestroy(bad.cast()), HANDLE);
            assert_eq!(hipEventRecord(bad.cast(), null_mut()), HANDLE);
            assert_eq!(hipEventDestroy(bad.cast()), HANDLE);
            assert_eq!(hipModuleUnload(bad.cast()), HANDLE);
        }
        assert_eq!(hipStreamDestroy(null_mut()), HANDLE);
        assert_eq!(launch(null_mut(), config(1, 1), &[]), HANDLE);
        assert_eq!(launch(module.0.cast(), config(1, 1), &[]), HANDLE);
        ok(launch(function, config(1, 1), &[]));
        ok(hipModuleUnload(module.0));
        assert_eq!(launch(function, config(1, 1), &[]), HANDLE);
        assert_eq!(hipModuleUnload(module.0), HANDLE);
    }
}

#[test]
fn shapes_of_launches() {
    let _alone = alone();
    let module = load("vector");
    let function = module.function("empty");
    let try_shape = |grid: [u32; 3], block: [u32; 3]| {
        launch(function, LaunchConfig { grid, block, shared: 0, stream: null_mut() }, &[])
    };
    let one = [1, 1, 1];
    for bad in [[0, 1, 1], [1, 0, 1], [1, 1, 0], [1, 65536, 1], [1, 1, 65536], [1 << 31, 1, 1]] {
        assert_eq!(try_shape(bad, one), INVALID, "grid {bad:?}");
    }
    for bad in [[0, 1, 1], [1025, 1, 1], [1, 1025, 1], [1, 1, 65], [32, 32, 2], [512, 3, 1]] {
        assert_eq!(try_shape(one, bad), INVALID, "block {bad:?}");
    }
    ok(try_shape([1, 65535, 1], [1, 1, 64]));
    ok(try_shape([3, 1, 65535], [1, 1024, 1]));
    ok(synchronize());
}

#[test]
fn parameter_buffers() {
    let _alone = alone();
    let module = load("vector");
    let function = module.function("saxpy");
    assert_eq!(launch(function, config(1, 32), &[0, 0, 0]), INVALID);
    // SAFETY: null is checked.
    unsafe {
        let none = hipModuleLaunchKernel(
            function,
            1,
            1,
            1,
            1,
            1,
            1,
            0,
            null_mut(),
            null_mut(),
            null_mut(),
        );
        assert_eq!(none, INVALID);
    }
    // Longer buffers are fine.
    ok(launch(function, config(1, 32), &[0, 0, 0, 0, 0, 0]));
    ok(synchronize());
}

#[test]
fn images() {
    let _alone = alone();
    let image = compile("vector");
    let load = |image: &[u8]| {
        // The image ends where readable memory ends.
        let size = image.len().next_multiple_of(4096);
        let mut module = null_mut();
        // SAFETY: a mapping with a guard behind it.
        unsafe {
            let map = memory::reserve(size + 4096).unwrap();
            assert!(size == 0 || memory::commit(map, size));
            let start = (map + size - image.len()) as *mut u8;
            std::ptr::copy_nonoverlapping(image.as_ptr(), start, image.len());
            let error = hipModuleLoadData(&mut module, start.cast());
            memory::release(map, size + 4096);
            error
        }
    };
    ok(load(&image));
    let invalid = hipError_t::hipErrorInvalidImage;
    for length in [0, 1, 16, 63, 64, 65, 200, 4096, image.len() / 2, image.len() - 1] {
        assert_eq!(load(&image[..length]), invalid, "{length} bytes");
    }
    let with = |at: usize, bytes: &[u8]| {
        let mut image = image.clone();
        image[at..at + bytes.len()].copy_from_slice(bytes);
        image
    };
    assert_eq!(load(&with(0, b"NOPE")), invalid);
    assert_eq!(load(&with(18, &[0xe0, 0])), invalid, "machine");
    assert_eq!(load(&with(16, &[1, 0])), invalid, "relocatable");
    assert_eq!(load(&with(32, &[0xff; 8])), invalid, "program headers");
    assert_eq!(load(&with(40, &[0xff; 8])), invalid, "section headers");
    // A descriptor of another version.
    let start = [cpu_abi::MAGIC, cpu_abi::ABI_VERSION].map(u32::to_le_bytes).concat();
    let at = image.windows(8).position(|window| window == start).unwrap();
    assert_eq!(
        load(&with(at + 4, &(cpu_abi::ABI_VERSION + 1).to_le_bytes())),
        hipError_t::hipErrorNoBinaryForGpu
    );
    assert_eq!(load(&with(at, &[0])), invalid);
}
