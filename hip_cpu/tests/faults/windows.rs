//! What a process sees of faults on Windows.

use super::works;

#[link(name = "kernel32")]
unsafe extern "system" {
    fn SetUnhandledExceptionFilter(filter: Filter) -> *const std::ffi::c_void;
    fn SetErrorMode(mode: u32) -> u32;
    fn ExitProcess(code: u32) -> !;
}

type Filter = unsafe extern "system" fn(*const *const u32) -> i32;

const ACCESS_VIOLATION: u32 = 0xc000_0005;

/// A fault that is not a kernel's goes to the process's own handler, and ends it without one.
#[test]
fn foreign_faults_are_left_alone() {
    // A process of its own: faults end it.
    let program = std::env::current_exe().unwrap();
    let run = |how: &str| {
        let mut command = std::process::Command::new(&program);
        command.args(["--exact", "windows::child_faults", "--ignored", "--nocapture"]);
        command.arg("--test-threads=1").env("FAULT", how);
        command.status().unwrap().code().map(i32::cast_unsigned)
    };
    assert_eq!(run("default"), Some(ACCESS_VIOLATION));
    assert_eq!(run("handled"), Some(77));
}

#[test]
#[ignore = "run by foreign_faults_are_left_alone"]
fn child_faults() {
    unsafe extern "system" fn handler(pointers: *const *const u32) -> i32 {
        // SAFETY: the first pointer is that of the record, which begins with the code; ends the process.
        unsafe { ExitProcess(if **pointers == ACCESS_VIOLATION { 77 } else { 78 }) }
    }
    // SAFETY: the fault is meant.
    unsafe {
        // Without a window that somebody would have to close.
        SetErrorMode(3);
        if std::env::var("FAULT").unwrap_or_default() == "handled" {
            SetUnhandledExceptionFilter(handler);
        }
        works();
        std::ptr::write_volatile(std::hint::black_box(0x18) as *mut u8, 1);
    }
}
