//! Work of libraries above the driver: it is in its stream like a kernel.

mod common;

use std::collections::HashSet;
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::ThreadId;

use common::*;
use hip_runtime_sys::*;

/// Counts what is done with it.
#[derive(Default)]
struct Seen {
    /// A bit for each part.
    parts: AtomicU64,
    calls: AtomicUsize,
    threads: Mutex<HashSet<ThreadId>>,
    releases: AtomicUsize,
}

unsafe extern "C" fn release(data: *mut c_void) {
    // SAFETY: an Arc that `task` made.
    let seen = unsafe { Arc::from_raw(data.cast::<Seen>()) };
    seen.releases.fetch_add(1, Ordering::SeqCst);
}

unsafe extern "C" fn count(data: *mut c_void, part: u64, stream: hipStream_t) -> hipError_t {
    assert!(stream.is_null());
    // SAFETY: the data lives until its release.
    let seen = unsafe { &*data.cast::<Seen>() };
    seen.calls.fetch_add(1, Ordering::SeqCst);
    seen.parts.fetch_or(1 << part, Ordering::SeqCst);
    hipError_t::hipSuccess
}

unsafe extern "C" fn fail(_: *mut c_void, _: u64, _: hipStream_t) -> hipError_t {
    hipError_t::hipErrorOutOfMemory
}

unsafe extern "C" fn touch_nothing(_: *mut c_void, part: u64, _: hipStream_t) -> hipError_t {
    // Parts that run side by side touch different words.
    let nothing = std::ptr::without_provenance_mut::<u64>(0x1000 + 8 * part as usize);
    // SAFETY: none. It is the fault that is wanted.
    unsafe { nothing.write_volatile(1) };
    hipError_t::hipSuccess
}

type Run = unsafe extern "C" fn(*mut c_void, u64, hipStream_t) -> hipError_t;

fn task(seen: &Arc<Seen>, run: Run, parts: u64) -> StreamTask {
    StreamTask {
        run,
        release,
        data: Arc::into_raw(seen.clone()).cast_mut().cast(),
        parts,
        stack: 0,
        is_of_host: true,
    }
}

fn released(seen: &Seen) -> usize {
    // The last thread lets go of a task after its stream has gone on.
    for _ in 0..10_000 {
        if seen.releases.load(Ordering::SeqCst) != 0 {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    seen.releases.load(Ordering::SeqCst)
}

#[test]
fn every_part_runs_once_and_the_task_is_released_once() {
    let _alone = alone();
    let seen = Arc::new(Seen::default());
    // SAFETY: the task is a whole one.
    unsafe {
        ok(zluda_enqueue_task(null_mut(), &task(&seen, count, 60)));
        ok(hipStreamSynchronize(null_mut()));
    }
    assert_eq!(seen.parts.load(Ordering::SeqCst), (1 << 60) - 1);
    assert_eq!(seen.calls.load(Ordering::SeqCst), 60);
    assert_eq!(released(&seen), 1);
}

/// Notes the thread that runs it, for long enough that others come.
unsafe extern "C" fn note_thread(data: *mut c_void, _: u64, _: hipStream_t) -> hipError_t {
    // SAFETY: the data lives until its release.
    let seen = unsafe { &*data.cast::<Seen>() };
    seen.threads.lock().expect("nobody panics").insert(std::thread::current().id());
    std::thread::sleep(std::time::Duration::from_millis(2));
    hipError_t::hipSuccess
}

#[test]
fn a_stream_of_one_core_runs_a_task_on_one_thread() {
    let _alone = alone();
    let (mut part, seen) = (null_mut(), Arc::new(Seen::default()));
    let stale = std::ptr::without_provenance_mut(0x12345670);
    // SAFETY: valid pointers; what is wrong is checked; the task is a whole one.
    unsafe {
        ok(hipStreamCreateWithFlags(&mut part, hipStreamNonBlocking));
        assert_eq!(zluda_limit_stream(part, 0), hipError_t::hipErrorInvalidValue);
        assert_ne!(zluda_limit_stream(stale, 1), hipError_t::hipSuccess);
        ok(zluda_limit_stream(part, 1));
        ok(zluda_enqueue_task(part, &task(&seen, note_thread, 40)));
        ok(hipStreamSynchronize(part));
        ok(hipStreamDestroy(part));
    }
    assert_eq!(seen.threads.lock().expect("nobody panics").len(), 1);
}

#[test]
fn bad_tasks_are_refused_and_released() {
    let _alone = alone();
    let seen = Arc::new(Seen::default());
    let good = task(&seen, count, 1);
    let wrong = hipError_t::hipErrorInvalidValue;
    // SAFETY: what is wrong is checked.
    unsafe {
        assert_eq!(zluda_enqueue_task(null_mut(), null()), wrong);
        assert_eq!(zluda_enqueue_task(null_mut(), &StreamTask { parts: 0, ..good }), wrong);
        assert_eq!(seen.releases.load(Ordering::SeqCst), 1);
        let tall = StreamTask { stack: usize::MAX, ..task(&seen, count, 1) };
        assert_eq!(zluda_enqueue_task(null_mut(), &tall), wrong);
        let stale = std::ptr::without_provenance_mut(0x12345670);
        assert_ne!(zluda_enqueue_task(stale, &task(&seen, count, 1)), hipError_t::hipSuccess);
    }
    assert_eq!(seen.releases.load(Ordering::SeqCst), 3);
    assert_eq!(seen.calls.load(Ordering::SeqCst), 0);
}

/// Each runs in a process of its own, for the error stays.
#[test]
fn errors_and_faults_become_the_contexts_error() {
    for (name, error) in
        [("fail", hipError_t::hipErrorOutOfMemory), ("fault", hipError_t::hipErrorIllegalAddress)]
    {
        let output = std::process::Command::new(std::env::current_exe().expect("this program"))
            .args(["--exact", "child", "--nocapture", "--ignored"])
            .env("TASK", name)
            .env("EXPECTED", error.0.to_string())
            .output()
            .expect("it starts");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success() && text.contains("1 passed"), "{name}: {output:?}");
    }
}

#[test]
#[ignore = "a part of the test above, which runs it"]
fn child() {
    let wanted: u32 = std::env::var("EXPECTED").expect("a number").parse().expect("a number");
    let run =
        if std::env::var("TASK").as_deref() == Ok("fault") { touch_nothing } else { fail as Run };
    let seen = Arc::new(Seen::default());
    let later = Arc::new(Seen::default());
    // SAFETY: the tasks are whole ones.
    unsafe {
        ok(zluda_enqueue_task(null_mut(), &task(&seen, run, 3)));
        // Taken before the error, or refused after it; never run after it.
        let _ = zluda_enqueue_task(null_mut(), &task(&later, count, 1));
        assert_eq!(hipStreamSynchronize(null_mut()).0, wanted);
        assert_eq!(zluda_enqueue_task(null_mut(), &task(&later, count, 1)).0, wanted);
    }
    assert_eq!(released(&seen), 1);
    assert_eq!(later.calls.load(Ordering::SeqCst), 0);
}
