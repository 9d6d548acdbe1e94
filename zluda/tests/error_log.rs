//! The log of failures that programs get: its lines have the form of NVIDIA's.

// A test stops by panicking.
#![allow(clippy::panic, clippy::unwrap_used)]

#[macro_use]
mod common;

use cuda_types::cuda::{
    CUdeviceptr, CUlogIterator, CUlogLevel, CUlogsCallback, CUlogsCallbackHandle, CUresult as R,
};
use libloading::Library;
use std::ffi::{CStr, c_char, c_uint, c_void};
use std::process::Command;
use std::ptr::null_mut;

const OK: R = R::CUDA_SUCCESS;
const INVALID: R = R::CUDA_ERROR_INVALID_VALUE;

/// What an H100's driver logs of a call.
const SENTENCE: &str = "Returning 1 (CUDA_ERROR_INVALID_VALUE) from cuMemFree_v2";

fn fail(library: &Library) {
    assert_eq!(call!(library, cuMemFree_v2(12345): (CUdeviceptr)), INVALID);
}

/// The log from an iterator on, in a buffer of this size.
fn dump(library: &Library, iterator: &mut CUlogIterator, room: usize) -> (R, String) {
    let (mut buffer, mut size) = (vec![7_u8; 64 << 10], room);
    let result = call!(library, cuLogsDumpToMemory(iterator, buffer.as_mut_ptr().cast(), &mut size, 0):
        (*mut CUlogIterator, *mut c_char, *mut usize, c_uint));
    assert!(buffer[room..].iter().all(|byte| *byte == 7), "written past the buffer");
    if result != OK {
        assert_eq!(size, 0);
        return (result, String::new());
    }
    let text = CStr::from_bytes_until_nul(&buffer).unwrap().to_str().unwrap().to_owned();
    assert_eq!(size, text.len());
    (result, text)
}

/// Checks `[hh:mm:ss.mmm][thread][CUDA][E] sentence`.
fn check_line(line: &str) {
    let head = line.strip_suffix(SENTENCE).unwrap_or_else(|| panic!("{line}"));
    let parts: Vec<_> = head.split(['[', ']']).filter(|part| !part.is_empty()).collect();
    let [time, thread, "CUDA", "E", " "] = parts[..] else { panic!("{line}") };
    let shape: String = time.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    assert_eq!(shape, "00:00:00.000");
    assert!(thread.parse::<u64>().is_ok(), "{line}");
}

#[test]
fn failures_are_told() {
    let library = common::driver();
    let mut iterator = 0;
    assert_eq!(call!(library, cuLogsCurrent(&mut iterator, 0): (*mut CUlogIterator, c_uint)), OK);
    let start = iterator;
    fail(&library);
    let (result, text) = dump(&library, &mut iterator, 1000);
    assert_eq!((result, iterator), (OK, start + 1));
    check_line(text.strip_suffix('\n').unwrap());
    assert_eq!(dump(&library, &mut iterator, 1000), (OK, String::new()), "nothing new");
    assert_eq!(dump(&library, &mut (iterator + 1), 1000).0, INVALID, "the future");

    // More than are kept: the oldest are gone, and the first line says so.
    let mut from = iterator;
    for _ in 0..150 {
        fail(&library);
    }
    let text = dump(&library, &mut from, 60_000).1;
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 101);
    assert!(lines[0].contains("gone"), "{}", lines[0]);
    lines[1..].iter().for_each(|line| check_line(line));

    // The newest that fit.
    let text = dump(&library, &mut { iterator }, 500).1;
    let lines: Vec<_> = text.lines().collect();
    assert!(lines[0].contains("not large enough") && lines.len() > 2, "{text}");
    assert_eq!(dump(&library, &mut { iterator }, 10).0, INVALID);
}

#[test]
fn functions_are_called() {
    unsafe extern "C" fn listen(
        data: *mut c_void,
        level: CUlogLevel,
        message: *mut c_char,
        length: usize,
    ) {
        // SAFETY: the driver passes text.
        let text = unsafe { CStr::from_ptr(message) }.to_str().unwrap().to_owned();
        assert_eq!((level, length), (CUlogLevel::CU_LOG_LEVEL_ERROR, text.len()));
        // SAFETY: the vector below, which outlives the listening.
        unsafe { &mut *data.cast::<Vec<String>>() }.push(text);
    }
    let library = common::driver();
    let mut heard: Vec<String> = Vec::new();
    let mut handle: CUlogsCallbackHandle = null_mut();
    assert_eq!(
        call!(library, cuLogsRegisterCallback(Some(listen), (&raw mut heard).cast(), &mut handle):
            (CUlogsCallback, *mut c_void, *mut CUlogsCallbackHandle)),
        OK
    );
    fail(&library);
    let end = |handle| call!(library, cuLogsUnregisterCallback(handle): (CUlogsCallbackHandle));
    assert_eq!(end(handle), OK);
    fail(&library);
    assert_eq!(end(handle), INVALID, "once is enough");
    assert_eq!(heard, [SENTENCE]);
}

/// Fails, as a program of its own.
#[test]
#[ignore = "the other test runs it, with a log file"]
fn program() {
    fail(&common::driver());
}

#[test]
fn failures_are_written_to_a_file() {
    let file = std::env::temp_dir().join(format!("zluda-error-log-{}", std::process::id()));
    let this = std::env::current_exe().unwrap();
    let status = Command::new(this)
        .args(["--ignored", "--exact", "program"])
        .env("CUDA_LOG_FILE", &file)
        .output()
        .unwrap()
        .status;
    assert!(status.success());
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::remove_file(&file).unwrap();
    check_line(text.strip_suffix('\n').unwrap());
}
