//! Kernels that do wrong: the error that CUDA gives, and a process that lives on.

#![allow(clippy::unwrap_used)]

mod common;
#[cfg(unix)]
#[path = "faults/unix.rs"]
mod unix;
#[cfg(windows)]
#[path = "faults/windows.rs"]
mod windows;

use std::ptr::null_mut;

use common::*;
use hip_runtime_sys::*;

/// Launches a kernel, which must leave this error; afterwards the device is as new.
#[track_caller]
fn fails(kernel: &str, grid: u32, block: u32, params: &[u64], expected: hipError_t) {
    let module = load("faults");
    ok(launch(module.function(kernel), config(grid, block), params));
    assert_eq!(synchronize(), expected, "{kernel}");
    // Every call returns it from now on.
    let mut pointer = null_mut();
    // SAFETY: valid pointers.
    unsafe {
        assert_eq!(hipMalloc(&mut pointer, 16), expected);
        assert_eq!(hipStreamSynchronize(null_mut()), expected);
        assert_eq!(hipMemcpyHtoD(8 as *mut _, (&raw const pointer).cast(), 8), expected);
        assert_eq!(hipPeekAtLastError(), expected);
        ok(hipDeviceReset());
    }
    assert_eq!(synchronize(), hipError_t::hipSuccess);
    works();
}

#[track_caller]
fn works() {
    let module = load("faults");
    let out = Buffer::new(&[0u32]);
    ok(launch(module.function("fine"), config(1, 32), &[word(out.0)]));
    assert_eq!(out.read(), [7]);
}

#[test]
fn bad_addresses() {
    let _alone = alone();
    fails("reads_null", 100, 64, &[], hipError_t::hipErrorIllegalAddress);
}

#[test]
fn the_ends_of_allocations_are_guarded() {
    let _alone = alone();
    // Memory comes in pages of 2 MiB.
    for (size, end) in [(1 << 20, 2 << 20), (8 << 20, 8 << 20)] {
        bad_access_at(size, end);
        bad_access_at(size, -1);
    }
}

#[test]
fn checked_ends_of_allocations_are_exact() {
    let name = "checked_ends_of_allocations_are_exact";
    if std::env::var_os("ZLUDA_CHECK").is_none() {
        let itself = std::env::current_exe().unwrap();
        let mut child = std::process::Command::new(itself);
        let child = child.args(["--exact", name]).env("ZLUDA_CHECK", "bounds");
        assert!(child.status().unwrap().success());
        return;
    }
    let _alone = alone();
    bad_access_at(1 << 20, 1 << 20);
}

/// A kernel fails that writes so many bytes from the beginning of an allocation.
fn bad_access_at(size: usize, offset: i64) {
    let buffer = Buffer::new(&vec![0u8; size]);
    let address = (buffer.0 as u64).wrapping_add_signed(offset);
    fails("writes_at", 1, 32, &[word(address)], hipError_t::hipErrorIllegalAddress);
}

#[test]
fn freed_memory_is_gone() {
    let _alone = alone();
    let address = Buffer::new(&[0u8; 1 << 20]).0;
    fails("writes_at", 1, 32, &[word(address)], hipError_t::hipErrorIllegalAddress);
}

#[test]
fn stacks_that_nobody_has_room_for() {
    let _alone = alone();
    fails("needs_too_much", 2, 64, &[], hipError_t::hipErrorLaunchOutOfResources);
    fails("half_have_stacks", 1, 128, &[], hipError_t::hipErrorLaunchOutOfResources);
}

#[test]
fn stack_overflows() {
    let _alone = alone();
    fails("overflows", 10, 64, &[], hipError_t::hipErrorIllegalAddress);
    fails("overflows_in_warp", 10, 64, &[], hipError_t::hipErrorIllegalAddress);
    fails("thread_overflows", 2, 64, &[], hipError_t::hipErrorIllegalAddress);
}

#[test]
fn other_signals_are_launch_failures() {
    let _alone = alone();
    fails("divides", 10, 64, &[], hipError_t::hipErrorLaunchFailure);
    fails("is_illegal", 10, 64, &[], hipError_t::hipErrorLaunchFailure);
}

#[test]
fn traps() {
    let _alone = alone();
    fails("traps", 10, 64, &[], hipError_t::hipErrorLaunchFailure);
}

#[test]
fn deadlocks_end() {
    let _alone = alone();
    fails("deadlocks", 3, 64, &[], hipError_t::hipErrorLaunchFailure);
}

#[test]
fn a_fault_ends_blocks_that_spin() {
    let _alone = alone();
    fails("one_faults_others_spin", 2, 64, &[], hipError_t::hipErrorIllegalAddress);
}

#[test]
fn nonsense_for_the_runtime() {
    let _alone = alone();
    fails("prints_nonsense", 1, 1, &[], hipError_t::hipErrorIllegalAddress);
    fails("frees_nonsense", 1, 1, &[], hipError_t::hipErrorLaunchFailure);
}
