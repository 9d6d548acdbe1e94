//! Memory, events and pools that two processes share: a program of its own, started by exec, is asked to open what this
//! one has. Expected values are those of an H100 that was asked the same.
#![cfg(target_os = "linux")]
// A test stops by panicking.
#![allow(clippy::panic, clippy::unwrap_used)]

#[macro_use]
mod common;

use cuda_types::cuda::{
    CUcontext, CUdeviceptr, CUevent, CUevent_flags, CUipcEventHandle, CUipcMemHandle,
    CUmemAllocationHandleType, CUmemAllocationType, CUmemLocationType, CUmemPoolProps,
    CUmemPoolPtrExportData, CUmemoryPool, CUprocessState, CUresult as R, CUstream,
};
use libloading::Library;
use std::ffi::{c_char, c_int, c_uint, c_void};
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::os::fd::{AsRawFd, FromRawFd};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::ptr::null_mut;

const OK: u32 = R::CUDA_SUCCESS.0;
const INVALID: u32 = R::CUDA_ERROR_INVALID_VALUE.0;
const NO_CONTEXT: u32 = R::CUDA_ERROR_INVALID_CONTEXT.0;
const NO_MAP: u32 = R::CUDA_ERROR_MAP_FAILED.0;
const NO_HANDLE: u32 = R::CUDA_ERROR_INVALID_HANDLE.0;
const NOT_READY: u32 = R::CUDA_ERROR_NOT_READY.0;
const UNKNOWN: u32 = R::CUDA_ERROR_UNKNOWN.0;
const POSIX: CUmemAllocationHandleType =
    CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;

type Bytes = [u8; 64];

/// The driver of this process; calls are answered by their codes.
struct Driver(Library);

impl Driver {
    fn new() -> Driver {
        Driver(common::driver())
    }

    fn allocate(&self, size: usize, value: u32) -> CUdeviceptr {
        let mut pointer = 0;
        assert_eq!(
            call!(self.0, cuMemAlloc_v2(&mut pointer, size): (*mut CUdeviceptr, usize)).0,
            OK
        );
        assert_eq!(self.set(pointer, value, size / 4), OK);
        pointer
    }

    fn set(&self, to: CUdeviceptr, value: u32, words: usize) -> u32 {
        call!(self.0, cuMemsetD32Async(to, value, words, null_mut()):
            (CUdeviceptr, c_uint, usize, CUstream))
        .0
    }

    fn read(&self, from: CUdeviceptr) -> (u32, u32) {
        let mut word = 0u32;
        let to: *mut c_void = (&raw mut word).cast();
        (call!(self.0, cuMemcpyDtoH_v2(to, from, 4): (*mut c_void, CUdeviceptr, usize)).0, word)
    }

    fn free(&self, pointer: CUdeviceptr) -> u32 {
        call!(self.0, cuMemFree_v2(pointer): (CUdeviceptr)).0
    }

    fn share(&self, pointer: CUdeviceptr) -> Bytes {
        let mut handle = CUipcMemHandle { reserved: [0; 64] };
        let shared = call!(self.0, cuIpcGetMemHandle(&mut handle, pointer): (*mut CUipcMemHandle, CUdeviceptr));
        assert_eq!(shared.0, OK);
        handle.reserved.map(|byte| byte as u8)
    }

    fn open(&self, handle: Bytes) -> (u32, CUdeviceptr) {
        let (mut pointer, reserved) = (0, handle.map(|byte| byte as c_char));
        let opened = call!(self.0, cuIpcOpenMemHandle_v2(&mut pointer, CUipcMemHandle { reserved }, 1):
            (*mut CUdeviceptr, CUipcMemHandle, c_uint));
        (opened.0, pointer)
    }

    fn close(&self, pointer: CUdeviceptr) -> u32 {
        call!(self.0, cuIpcCloseMemHandle(pointer): (CUdeviceptr)).0
    }

    fn event(&self) -> CUevent {
        let flags =
            CUevent_flags::CU_EVENT_INTERPROCESS.0 | CUevent_flags::CU_EVENT_DISABLE_TIMING.0;
        let mut event = null_mut();
        assert_eq!(call!(self.0, cuEventCreate(&mut event, flags): (*mut CUevent, c_uint)).0, OK);
        event
    }

    fn share_event(&self, event: CUevent) -> (u32, Bytes) {
        let mut handle = CUipcEventHandle { reserved: [0; 64] };
        let shared = call!(self.0, cuIpcGetEventHandle(&mut handle, event): (*mut CUipcEventHandle, CUevent));
        (shared.0, handle.reserved.map(|byte| byte as u8))
    }

    fn open_event(&self, handle: Bytes) -> (u32, CUevent) {
        let (mut event, reserved) = (null_mut(), handle.map(|byte| byte as c_char));
        let opened = call!(self.0, cuIpcOpenEventHandle(&mut event, CUipcEventHandle { reserved }):
            (*mut CUevent, CUipcEventHandle));
        (opened.0, event)
    }

    fn record(&self, event: CUevent) -> u32 {
        call!(self.0, cuEventRecord(event, null_mut()): (CUevent, CUstream)).0
    }

    fn query(&self, event: CUevent) -> u32 {
        call!(self.0, cuEventQuery(event): (CUevent)).0
    }

    fn synchronize(&self, event: CUevent) -> u32 {
        call!(self.0, cuEventSynchronize(event): (CUevent)).0
    }

    fn destroy(&self, event: CUevent) -> u32 {
        call!(self.0, cuEventDestroy_v2(event): (CUevent)).0
    }

    /// Lets the default stream wait for an event.
    fn hold(&self, event: CUevent) -> u32 {
        call!(self.0, cuStreamWaitEvent(null_mut(), event, 0): (CUstream, CUevent, c_uint)).0
    }

    /// Lets the default stream wait until a word is 1.
    fn stall(&self, word: CUdeviceptr) -> u32 {
        call!(self.0, cuStreamWaitValue32_v2(null_mut(), word, 1, 1):
            (CUstream, CUdeviceptr, c_uint, c_uint))
        .0
    }

    /// Writes 1 to a word past all streams that wait.
    fn release(&self, word: CUdeviceptr) -> u32 {
        let mut stream = null_mut();
        assert_eq!(call!(self.0, cuStreamCreate(&mut stream, 1): (*mut CUstream, c_uint)).0, OK);
        call!(self.0, cuStreamWriteValue32_v2(stream, word, 1, 0):
            (CUstream, CUdeviceptr, c_uint, c_uint))
        .0
    }

    fn wait(&self) -> u32 {
        call!(self.0, cuStreamSynchronize(null_mut()): (CUstream)).0
    }

    fn pool(&self) -> CUmemoryPool {
        // SAFETY: all zeros is a value of this structure.
        let mut properties: CUmemPoolProps = unsafe { std::mem::zeroed() };
        properties.allocType = CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
        properties.location.type_ = CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE;
        properties.handleTypes = POSIX;
        let mut pool = null_mut();
        let made = call!(self.0, cuMemPoolCreate(&mut pool, &properties):
            (*mut CUmemoryPool, *const CUmemPoolProps));
        assert_eq!(made.0, OK);
        pool
    }

    fn take(&self, pool: CUmemoryPool, size: usize, value: u32) -> CUdeviceptr {
        let mut pointer = 0;
        let taken = call!(self.0, cuMemAllocFromPoolAsync(&mut pointer, size, pool, null_mut()):
            (*mut CUdeviceptr, usize, CUmemoryPool, CUstream));
        assert_eq!((taken.0, self.set(pointer, value, size / 4), self.wait()), (OK, OK, OK));
        pointer
    }

    fn give(&self, pointer: CUdeviceptr) -> u32 {
        call!(self.0, cuMemFreeAsync(pointer, null_mut()): (CUdeviceptr, CUstream)).0
    }

    fn share_pool(&self, pool: CUmemoryPool) -> File {
        let mut descriptor: c_int = -1;
        let to: *mut c_void = (&raw mut descriptor).cast();
        let shared = call!(self.0, cuMemPoolExportToShareableHandle(to, pool, POSIX, 0):
            (*mut c_void, CUmemoryPool, CUmemAllocationHandleType, u64));
        assert_eq!(shared.0, OK);
        // SAFETY: the descriptor is the program's.
        unsafe { File::from_raw_fd(descriptor) }
    }

    fn share_pointer(&self, pointer: CUdeviceptr) -> Bytes {
        let mut data = CUmemPoolPtrExportData { reserved: [0; 64] };
        let shared = call!(self.0, cuMemPoolExportPointer(&mut data, pointer):
            (*mut CUmemPoolPtrExportData, CUdeviceptr));
        assert_eq!(shared.0, OK);
        data.reserved
    }

    fn open_pool(&self, descriptor: usize) -> (u32, CUmemoryPool) {
        let mut pool = null_mut();
        let opened = call!(self.0, cuMemPoolImportFromShareableHandle(&mut pool, descriptor as *mut c_void, POSIX, 0):
            (*mut CUmemoryPool, *mut c_void, CUmemAllocationHandleType, u64));
        (opened.0, pool)
    }

    fn open_pointer(&self, pool: CUmemoryPool, reserved: Bytes) -> (u32, CUdeviceptr) {
        let mut pointer = 0;
        let mut data = CUmemPoolPtrExportData { reserved };
        let opened = call!(self.0, cuMemPoolImportPointer(&mut pointer, pool, &mut data):
            (*mut CUdeviceptr, CUmemoryPool, *mut CUmemPoolPtrExportData));
        (opened.0, pointer)
    }

    /// Does what a line asks for, in a process that is asked.
    fn answer(&self, line: &str) -> (u32, u64) {
        let words: Vec<&str> = line.split(' ').collect();
        let number = |at: usize| words[at].parse::<u64>().unwrap();
        let event = |at: usize| number(at) as CUevent;
        let only = |code: u32| (code, 0);
        match words[0] {
            "open" => self.open(unhex(words[1])),
            "close" => only(self.close(number(1))),
            "read" => {
                let (code, word) = self.read(number(1));
                (code, word.into())
            }
            "set" => only(self.set(number(1), number(2) as u32, number(3) as usize)),
            "free" => only(self.free(number(1))),
            "give" => only(self.give(number(1))),
            "wait" => only(self.wait()),
            "allocate" => (OK, self.allocate(number(1) as usize, number(2) as u32)),
            "stall" => only(self.stall(number(1))),
            "release" => only(self.release(number(1))),
            "open_event" => {
                let (code, event) = self.open_event(unhex(words[1]));
                (code, event as u64)
            }
            "share_event" => only(self.share_event(event(1)).0),
            "record" => only(self.record(event(1))),
            "query" => only(self.query(event(1))),
            "synchronize" => only(self.synchronize(event(1))),
            "hold" => only(self.hold(event(1))),
            "destroy" => only(self.destroy(event(1))),
            "open_pool" => {
                let (code, pool) = self.open_pool(number(1) as usize);
                (code, pool as u64)
            }
            "open_pointer" => self.open_pointer(number(1) as CUmemoryPool, unhex(words[2])),
            _ => panic!("{line}"),
        }
    }
}

fn hex(bytes: &Bytes) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Bytes {
    std::array::from_fn(|at| u8::from_str_radix(&text[2 * at..2 * at + 2], 16).unwrap())
}

/// The other process.
struct Other {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Other {
    fn start() -> Other {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "the_other_process", "--ignored", "--nocapture"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (to, from) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Other { child, to, from: BufReader::new(from) }
    }

    /// The code of a call, and what else it answers.
    fn ask(&mut self, what: &str) -> (u32, u64) {
        writeln!(self.to, "{what}").unwrap();
        let mut line = String::new();
        loop {
            line.clear();
            assert_ne!(self.from.read_line(&mut line).unwrap(), 0, "{what}: it has ended");
            if let Some(answer) = line.strip_prefix("answer ") {
                let (code, value) = answer.trim_end().split_once(' ').unwrap();
                return (code.parse().unwrap(), value.parse().unwrap());
            }
        }
    }

    /// The answer of a call that must succeed.
    fn must(&mut self, what: &str) -> u64 {
        let (code, value) = self.ask(what);
        assert_eq!(code, OK, "{what}");
        value
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// No test, but the program that the others start: it does what it is asked to, line by line.
#[test]
#[ignore = "the tests below start it"]
fn the_other_process() {
    let driver = Driver::new();
    println!();
    for line in std::io::stdin().lines() {
        let (code, value) = driver.answer(&line.unwrap());
        println!("answer {code} {value}");
    }
}

#[test]
fn memory_is_one_for_two_processes() {
    let (driver, mut other) = (Driver::new(), Other::start());
    let neighbour = driver.allocate(1000, 7);
    for size in [4, 1000, 64 << 10, 300 << 10, 5 << 20, 70 << 20] {
        let pointer = driver.allocate(size, 42);
        let handle = driver.share(pointer);
        assert_eq!(driver.share(pointer + 3), handle, "of {size} bytes");
        // It is as it was.
        assert_eq!(driver.read(pointer + size as u64 - 4), (OK, 42), "of {size} bytes");
        let theirs = other.must(&format!("open {}", hex(&handle)));
        let last = theirs + size as u64 - 4;
        assert_eq!(other.must(&format!("read {theirs}")), 42, "of {size} bytes");
        assert_eq!(other.must(&format!("read {last}")), 42, "of {size} bytes");
        // No byte behind it.
        assert_eq!(other.ask(&format!("read {}", last + 4)).0, INVALID, "of {size} bytes");
        other.must(&format!("set {last} 43 1"));
        other.must("wait");
        assert_eq!(driver.read(pointer + size as u64 - 4), (OK, 43), "of {size} bytes");
        assert_eq!((driver.set(pointer, 44, 1), driver.wait()), (OK, OK));
        assert_eq!(other.must(&format!("read {theirs}")), 44, "of {size} bytes");
        // The same handle is the same memory, which is closed as often as it was opened.
        assert_eq!(other.must(&format!("open {}", hex(&handle))), theirs);
        assert_eq!(other.ask(&format!("free {theirs}")).0, INVALID);
        other.must(&format!("close {theirs}"));
        other.must(&format!("read {theirs}"));
        other.must(&format!("close {theirs}"));
        assert_eq!(other.ask(&format!("read {theirs}")).0, INVALID);
        assert_eq!(other.ask(&format!("close {theirs}")).0, INVALID);
        assert_eq!(driver.open(handle).0, NO_CONTEXT);
        assert_eq!(driver.free(pointer), OK);
        assert_eq!(other.ask(&format!("open {}", hex(&handle))).0, INVALID, "of {size} bytes");
    }
    assert_eq!(driver.read(neighbour + 996), (OK, 7));
}

/// cuda.core asks so, of a process that it has started.
#[test]
fn a_process_that_computes_runs_and_another_one_does_not() {
    let library = common::library();
    let state = |process: u32| {
        let mut state = CUprocessState(99);
        let asked = call!(library, cuCheckpointProcessGetState(process as c_int, &mut state):
            (c_int, *mut CUprocessState));
        (asked.0, state.0)
    };
    let mut other = Other::start();
    other.must("wait");
    assert_eq!(state(other.child.id()), (OK, CUprocessState::CU_PROCESS_STATE_RUNNING.0));
    let mut idle = Command::new("sleep").arg("60").spawn().unwrap();
    let of_idle = state(idle.id());
    idle.kill().unwrap();
    idle.wait().unwrap();
    assert_eq!(of_idle, (R::CUDA_ERROR_OPERATING_SYSTEM.0, 99));
}

/// Memory that is shared while others write it keeps what they write.
#[test]
fn sharing_loses_nothing() {
    let driver = Driver::new();
    let mut context: CUcontext = null_mut();
    assert_eq!(call!(driver.0, cuCtxGetCurrent(&mut context): (*mut CUcontext)).0, OK);
    let context = context as u64;
    const WORDS: u32 = 2000;
    for round in 0..100 {
        let size = if round % 2 == 0 { 4 * WORDS as usize } else { 3 << 20 };
        let pointer = driver.allocate(size, 0);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                assert_eq!(call!(driver.0, cuCtxSetCurrent(context as CUcontext): (CUcontext)).0, OK);
                for word in 0..WORDS {
                    let from: *const c_void = (&raw const word).cast();
                    let to = pointer + 4 * u64::from(word);
                    // Some come in streams, and some at once.
                    let written = match word % 3 {
                        0 => call!(driver.0, cuMemcpyHtoD_v2(to, from, 4): (CUdeviceptr, *const c_void, usize)),
                        1 => call!(driver.0, cuMemcpyHtoDAsync_v2(to, from, 4, null_mut()):
                            (CUdeviceptr, *const c_void, usize, CUstream)),
                        _ => R(driver.set(to, word, 1)),
                    };
                    assert_eq!(written.0, OK);
                }
            });
            std::thread::sleep(std::time::Duration::from_micros(20 * (round % 10)));
            driver.share(pointer);
        });
        assert_eq!(driver.wait(), OK);
        let mut words = vec![0u32; WORDS as usize];
        let to: *mut c_void = words.as_mut_ptr().cast();
        let read = call!(driver.0, cuMemcpyDtoH_v2(to, pointer, 4 * WORDS as usize):
            (*mut c_void, CUdeviceptr, usize));
        assert_eq!(read.0, OK);
        assert!(words.into_iter().eq(0..WORDS), "round {round}");
        assert_eq!(driver.free(pointer), OK);
    }
}

/// New allocations, many of the same size, do not come to lie where another process still has what was freed.
#[test]
fn freed_memory_stays_for_who_has_it() {
    let (driver, mut other) = (Driver::new(), Other::start());
    for size in [512, 300 << 10] {
        let pointer = driver.allocate(size, 42);
        let theirs = other.must(&format!("open {}", hex(&driver.share(pointer))));
        assert_eq!(driver.free(pointer), OK);
        let others: Vec<_> = (0..5000 / (size >> 9)).map(|_| driver.allocate(size, 1)).collect();
        assert_eq!(driver.wait(), OK);
        assert_eq!(other.must(&format!("read {theirs}")), 42);
        other.must(&format!("set {theirs} 43 {}", size / 4));
        other.must("wait");
        assert!(others.iter().all(|pointer| driver.read(*pointer) == (OK, 1)));
        assert!(others.iter().all(|pointer| driver.free(*pointer) == OK));
    }
}

/// Shared allocations that come and go leave nothing behind: more of them than there are places or files.
#[test]
fn sharing_can_go_on() {
    let driver = Driver::new();
    let kept = driver.allocate(512, 1);
    for round in 0..20_000 {
        let pointer = driver.allocate(if round % 100 == 0 { 100 << 10 } else { 512 }, round);
        driver.share(pointer);
        assert_eq!(driver.free(pointer), OK);
        let event = driver.event();
        assert_eq!((driver.share_event(event).0, driver.destroy(event)), (OK, OK));
    }
    assert_eq!(driver.read(kept), (OK, 1));
    let files = std::fs::read_dir("/proc/self/fd").unwrap().count();
    assert!(files < 100, "{files} files are open");
}

#[test]
fn events_order_the_work_of_two_processes() {
    let (driver, mut other) = (Driver::new(), Other::start());
    let (word, data) = (driver.allocate(4, 0), driver.allocate(4, 1));
    let event = driver.event();
    let (shared, handle) = driver.share_event(event);
    assert_eq!(shared, OK);
    let theirs = other.must(&format!("open_event {}", hex(&handle)));
    let their_data = other.must(&format!("open {}", hex(&driver.share(data))));
    // Nobody has recorded it.
    assert_eq!(other.ask(&format!("query {theirs}")).0, OK);
    assert_eq!(other.ask(&format!("share_event {theirs}")).0, NO_HANDLE);
    for round in 0..50 {
        assert_eq!((driver.set(word, 0, 1), driver.wait()), (OK, OK));
        assert_eq!(driver.stall(word), OK);
        assert_eq!((driver.set(data, round, 1), driver.record(event)), (OK, OK));
        assert_eq!(driver.query(event), NOT_READY);
        assert_eq!(other.ask(&format!("query {theirs}")).0, NOT_READY);
        // Their work comes after ours.
        other.must(&format!("hold {theirs}"));
        other.must(&format!("set {their_data} {} 1", 1000 + round));
        assert_eq!(driver.release(word), OK);
        other.must(&format!("synchronize {theirs}"));
        other.must("wait");
        assert_eq!(driver.read(data), (OK, 1000 + round));
        assert_eq!(other.ask(&format!("query {theirs}")).0, OK);
    }
    // And the other way round, by an event that both record.
    let their_word = other.must("allocate 4 0");
    for round in 0..50 {
        other.must(&format!("set {their_word} 0 1"));
        other.must("wait");
        other.must(&format!("stall {their_word}"));
        other.must(&format!("set {their_data} {round} 1"));
        other.must(&format!("record {theirs}"));
        assert_eq!(driver.query(event), NOT_READY);
        assert_eq!((driver.hold(event), driver.set(data, 2000 + round, 1)), (OK, OK));
        other.must(&format!("release {their_word}"));
        assert_eq!((driver.synchronize(event), driver.wait()), (OK, OK));
        assert_eq!(driver.read(data), (OK, 2000 + round));
    }
    // Who has it open does not wait for what is no more.
    assert_eq!(driver.destroy(event), OK);
    assert_eq!(other.ask(&format!("query {theirs}")).0, OK);
    assert_eq!(other.ask(&format!("synchronize {theirs}")).0, OK);
    // It goes with the last of the work that it was for.
    let open = format!("open_event {}", hex(&handle));
    let gone = std::iter::repeat_with(|| other.ask(&open).0).find(|code| *code != OK);
    assert_eq!(gone, Some(NO_MAP));
}

#[test]
fn nobody_waits_for_the_dead() {
    let (driver, mut other) = (Driver::new(), Other::start());
    let event = driver.event();
    let handle = driver.share_event(event).1;
    let theirs = other.must(&format!("open_event {}", hex(&handle)));
    let word = other.must("allocate 4 0");
    other.must(&format!("stall {word}"));
    other.must(&format!("record {theirs}"));
    assert_eq!(driver.query(event), NOT_READY);
    let data = driver.allocate(4, 0);
    assert_eq!((driver.hold(event), driver.set(data, 5, 1)), (OK, OK));
    other.child.kill().unwrap();
    // It still is known to the system: nobody has asked for its end.
    assert_eq!((driver.synchronize(event), driver.wait()), (OK, OK));
    assert_eq!(driver.read(data), (OK, 5));
}

#[test]
fn what_the_dead_had_cannot_be_opened() {
    let driver = Driver::new();
    let (pointer, event) = (driver.allocate(4, 9), driver.event());
    let (memory, event) = (driver.share(pointer), driver.share_event(event).1);
    // The other process outlives one that has the same numbers but for its own.
    let mut other = Other::start();
    let mut gone = Command::new("true").spawn().unwrap();
    let id = gone.id();
    gone.wait().unwrap();
    for (what, handle, error) in [("open", memory, INVALID), ("open_event", event, NO_MAP)] {
        let mut of_the_dead = handle;
        of_the_dead[24..28].copy_from_slice(&id.to_le_bytes());
        assert_eq!(other.ask(&format!("{what} {}", hex(&of_the_dead))).0, error);
        other.must(&format!("{what} {}", hex(&handle)));
    }
}

#[test]
fn wrong_handles_are_found_out() {
    let (driver, mut other) = (Driver::new(), Other::start());
    let (pointer, event) = (driver.allocate(4096, 9), driver.event());
    let (memory, event) = (driver.share(pointer), driver.share_event(event).1);
    for (what, handle, error) in [("open", memory, INVALID), ("open_event", event, NO_MAP)] {
        for bit in 0..512 {
            let mut wrong = handle;
            wrong[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(other.ask(&format!("{what} {}", hex(&wrong))).0, error, "bit {bit}");
        }
        for byte in [0, 0xff] {
            assert_eq!(other.ask(&format!("{what} {}", hex(&[byte; 64]))).0, error);
        }
    }
    // One is not the other.
    assert_eq!(other.ask(&format!("open {}", hex(&event))).0, INVALID);
    assert_eq!(other.ask(&format!("open_event {}", hex(&memory))).0, NO_MAP);
    // The number of the table is now that of something else.
    let name = c"zluda-shared-table";
    for length in [0, 64, 4096, 1 << 30] {
        for seals in [0, libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL] {
            // SAFETY: the name ends with NUL; the descriptor is the test's.
            let file = unsafe {
                File::from_raw_fd(libc::memfd_create(name.as_ptr(), libc::MFD_ALLOW_SEALING))
            };
            file.set_len(length).unwrap();
            // SAFETY: has no preconditions.
            assert_eq!(unsafe { libc::fcntl(file.as_raw_fd(), libc::F_ADD_SEALS, seals) }, 0);
            let mut wrong = memory;
            wrong[32..36].copy_from_slice(&file.as_raw_fd().to_le_bytes());
            assert_eq!(other.ask(&format!("open {}", hex(&wrong))).0, INVALID, "{length} {seals}");
        }
    }
    let theirs = other.must(&format!("open {}", hex(&memory)));
    assert_eq!(other.must(&format!("read {theirs}")), 9);
    assert_eq!(driver.read(pointer), (OK, 9));
}

#[test]
fn pools_are_shared_by_descriptors() {
    let driver = Driver::new();
    let pool = driver.pool();
    let file = driver.share_pool(pool);
    // SAFETY: has no preconditions.
    assert_eq!(unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETFD, 0) }, 0);
    let mut other = Other::start();
    let theirs = other.must(&format!("open_pool {}", file.as_raw_fd()));
    // What is allocated later is shared, too.
    let pointers = [1000, 300 << 10, 5 << 20].map(|size| (size, driver.take(pool, size, 11)));
    for (size, pointer) in pointers {
        let data = hex(&driver.share_pointer(pointer));
        let at = other.must(&format!("open_pointer {theirs} {data}"));
        let last = size as u64 - 4;
        assert_eq!(other.must(&format!("read {}", at + last)), 11, "of {size} bytes");
        assert_eq!(other.ask(&format!("read {}", at + last + 4)).0, INVALID, "of {size} bytes");
        other.must(&format!("set {at} {size} 1"));
        other.must("wait");
        assert_eq!(driver.read(pointer), (OK, size as u32));
        assert_eq!(other.must(&format!("open_pointer {theirs} {data}")), at);
        other.must(&format!("give {at}"));
        other.must("wait");
        assert_eq!(other.ask(&format!("read {at}")).0, INVALID);
        let again = other.must(&format!("open_pointer {theirs} {data}"));
        other.must(&format!("free {again}"));
        assert_eq!(driver.read(pointer), (OK, size as u32));
    }
    let (_, pointer) = pointers[0];
    let data = driver.share_pointer(pointer);
    let at = other.must(&format!("open_pointer {theirs} {}", hex(&data)));
    for bit in (0..512).filter(|bit| !(320..384).contains(bit)) {
        let mut wrong = data;
        wrong[bit / 8] ^= 1 << (bit % 8);
        let (code, found) = other.ask(&format!("open_pointer {theirs} {}", hex(&wrong)));
        // Another place in the pool, or another size, may well be there.
        if (192..320).contains(&bit) && code == OK {
            other.must(&format!("free {found}"));
        } else {
            assert_eq!(code, INVALID, "bit {bit}");
        }
    }
    // Whoever has memory of the pool keeps it when the pool goes.
    let destroyed = call!(driver.0, cuMemPoolDestroy(pool): (CUmemoryPool));
    assert_eq!((driver.give(pointer), driver.wait(), destroyed.0), (OK, OK, OK));
    assert_eq!(other.ask(&format!("read {at}")).0, OK);
    // Descriptors of other things, and of nothing.
    for descriptor in [0, 1, 999, usize::MAX] {
        assert_eq!(driver.open_pool(descriptor).0, UNKNOWN, "{descriptor}");
    }
}
