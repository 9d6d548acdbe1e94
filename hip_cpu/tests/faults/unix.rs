//! What a process sees of faults and of text on Linux.

use std::io::{Read, Seek, SeekFrom};
use std::os::fd::{AsRawFd, FromRawFd};
use std::ptr::null_mut;

use hip_runtime_sys::*;

use super::common::*;
use super::{fails, works};

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
    let line = |thread: u32| {
        format!(
            "some.cu:17: void kernel(int): block: [2,0,0], thread: [{thread},0,0] Assertion `x > 0` failed.\n"
        )
    };
    assert_eq!(text, line(37) + &line(41));
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
            .args(["--exact", "unix::child_faults", "--ignored", "--nocapture", "--test-threads=1"])
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
