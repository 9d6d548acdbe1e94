//! Kernels that do wrong: the error that CUDA gives, and a process that lives on.

#![allow(clippy::unwrap_used)]

mod common;

use std::io::{Read, Seek, SeekFrom};
use std::os::fd::{AsRawFd, FromRawFd};
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
    for size in [1 << 20, 8 << 20] {
        let buffer = Buffer::new(&vec![0u8; size]);
        fails(
            "writes_at",
            1,
            32,
            &[word(buffer.0 as u64 + size as u64)],
            hipError_t::hipErrorIllegalAddress,
        );
        let buffer = Buffer::new(&vec![0u8; size]);
        fails("writes_at", 1, 32, &[word(buffer.0 as u64 - 1)], hipError_t::hipErrorIllegalAddress);
    }
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

/// Runs `f` with a file in place of a descriptor; returns what was written to it.
fn captured(descriptor: i32, f: impl FnOnce()) -> String {
    // SAFETY: descriptors are duplicated and put back.
    unsafe {
        let mut file = std::fs::File::from_raw_fd(libc::memfd_create(c"captured".as_ptr(), 0));
        libc::fflush(null_mut());
        let saved = libc::dup(descriptor);
        libc::dup2(file.as_raw_fd(), descriptor);
        f();
        libc::fflush(null_mut());
        libc::dup2(saved, descriptor);
        libc::close(saved);
        file.seek(SeekFrom::Start(0)).unwrap();
        let mut text = String::new();
        file.read_to_string(&mut text).unwrap();
        text
    }
}

#[test]
fn assertions_say_where() {
    let _alone = alone();
    let text = captured(2, || fails("asserts", 10, 64, &[], hipError_t::hipErrorAssert));
    let line = "some.cu:17: void kernel(int): block: [2,0,0], thread: [37,0,0] Assertion `x > 0` failed.\n";
    assert!(text.contains(line), "{text}");
}

#[test]
fn kernels_print_to_the_programs_stdout() {
    let _alone = alone();
    let module = load("vector");
    let out = Buffer::new(&[0i32; 2]);
    let text = captured(1, || {
        // SAFETY: a string.
        unsafe { libc::printf(c"before\n".as_ptr()) };
        ok(launch(module.function("prints"), config(2, 1), &[word(out.0)]));
        ok(synchronize());
        // SAFETY: a string.
        unsafe { libc::printf(c"after\n".as_ptr()) };
    });
    let mut lines: Vec<&str> = text.lines().collect();
    // Other threads of the test runner may print between.
    lines.retain(|line| !line.starts_with("test "));
    assert_eq!((lines[0], lines[5]), ("before", "after"), "{text}");
    let at = |line: &str| lines.iter().position(|other| *other == line).unwrap();
    assert!(at("block 0: 0.50 warp") < at("bye") || at("block 1: 1.50 warp") < at("bye"));
    assert_eq!(lines.iter().filter(|line| **line == "bye").count(), 2);
    assert_eq!(out.read(), [3, 0]);
}

/// A fault that is not a kernel's goes to the handler that was there before.
#[test]
fn foreign_faults_reach_the_previous_handler() {
    let _alone = alone();
    // A process of its own: this one's handlers are installed.
    // SAFETY: the child only calls what is safe after a fork of a process with threads.
    let program = std::env::current_exe().unwrap();
    let run = |how: &str| {
        std::process::Command::new(&program)
            .args(["--exact", "child_faults", "--ignored", "--nocapture", "--test-threads=1"])
            .env("FAULT", how)
            .status()
            .unwrap()
    };
    use std::os::unix::process::ExitStatusExt;
    assert_eq!(run("default").signal(), Some(libc::SIGSEGV));
    assert_eq!(run("handled").code(), Some(77));
    assert_eq!(run("sent").signal(), Some(libc::SIGFPE));
}

#[test]
#[ignore = "run by foreign_faults_reach_the_previous_handler"]
fn child_faults() {
    extern "C" fn handler(_: i32, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
        // SAFETY: the system's pointer; ends the process.
        unsafe { libc::_exit(if (*info).si_addr() as usize == 0x18 { 77 } else { 78 }) }
    }
    let how = std::env::var("FAULT").unwrap_or_default();
    // SAFETY: the faults are meant.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction =
            if how == "handled" { handler as *const () as usize } else { libc::SIG_DFL };
        action.sa_flags = libc::SA_SIGINFO;
        for signal in [libc::SIGSEGV, libc::SIGFPE] {
            libc::sigaction(signal, &action, null_mut());
        }
        works();
        match how.as_str() {
            "sent" => {
                libc::raise(libc::SIGFPE);
            }
            _ => std::ptr::write_volatile(std::hint::black_box(0x18) as *mut u8, 1),
        }
    }
}
