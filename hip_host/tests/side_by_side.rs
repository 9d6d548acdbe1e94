//! Work of several streams that waits for one another runs side by side, as on a GPU, whatever the host does meanwhile and
//! however few cores there are: each case is a process of its own, which has so many.

#![cfg(target_os = "linux")]

mod common;

use std::ffi::c_void;
use std::process::Command;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use common::*;
use hip_runtime_sys::*;

/// Streams at most.
const MOST: usize = 40;
/// A case ends in milliseconds; this is for machines that are busy.
const LIMIT: Duration = Duration::from_secs(60);

/// What the stream of each number waits for.
static FLAGS: [AtomicU32; MOST + 1] = [const { AtomicU32::new(0) }; MOST + 1];

unsafe extern "C" fn release(_: *mut c_void) {}

/// Keeps its thread until its own flag is set; then sets the one before, for the stream that waits for that.
unsafe extern "C" fn pass_on(number: *mut c_void, _: u64, _: hipStream_t) -> hipError_t {
    while FLAGS[number.addr()].load(Ordering::SeqCst) == 0 {
        std::thread::yield_now();
    }
    if let Some(before) = number.addr().checked_sub(1) {
        FLAGS[before].store(1, Ordering::SeqCst);
    }
    hipError_t::hipSuccess
}

/// Takes as long as its number says.
unsafe extern "C" fn spin(rounds: *mut c_void) {
    (0..rounds.addr()).for_each(|_| std::hint::spin_loop());
}

fn stream() -> hipStream_t {
    let mut stream = null_mut();
    // SAFETY: a valid pointer.
    unsafe { ok(hipStreamCreateWithFlags(&mut stream, hipStreamNonBlocking)) };
    stream
}

fn enqueue(stream: hipStream_t, number: usize, parts: u64) {
    let data = std::ptr::without_provenance_mut(number);
    let task = StreamTask { run: pass_on, release, data, parts, stack: 0, is_of_host: true };
    // SAFETY: the task is a whole one.
    unsafe { ok(zluda_enqueue_task(stream, &task)) };
}

/// Streams of which each waits for the next one, and that of the last, which waits for the host.
fn chain(count: usize, parts: u64) -> Vec<hipStream_t> {
    let streams: Vec<_> = (0..count).map(|_| stream()).collect();
    (0..count).for_each(|number| enqueue(streams[number], number, parts));
    streams
}

fn is_done(stream: hipStream_t) -> bool {
    // SAFETY: a stream.
    match unsafe { hipStreamQuery(stream) } {
        hipError_t::hipErrorNotReady => false,
        error => {
            ok(error);
            true
        }
    }
}

fn wait(stream: hipStream_t) {
    // SAFETY: a stream.
    unsafe { ok(hipStreamSynchronize(stream)) };
}

fn set(number: usize) {
    FLAGS[number].store(1, Ordering::SeqCst);
}

const CASES: [(&str, fn()); 9] = [
    ("the host waits for the first", || {
        set(1);
        wait(chain(2, 1)[0]);
    }),
    ("the host asks whether the first has ended", || {
        set(2);
        let first = chain(3, 1)[0];
        while !is_done(first) {}
    }),
    ("the host looks at memory", || {
        let _streams = chain(2, 1);
        set(1);
        while FLAGS[0].load(Ordering::SeqCst) == 0 {}
    }),
    ("many streams", || {
        set(MOST - 1);
        wait(chain(MOST, 1)[0]);
    }),
    ("all threads wait", || {
        set(2);
        wait(chain(3, 16)[0]);
    }),
    ("streams with one core each", || {
        let streams = [stream(), stream()];
        // SAFETY: streams.
        streams.iter().for_each(|stream| unsafe { ok(zluda_limit_stream(*stream, 1)) });
        set(1);
        (0..2).for_each(|number| enqueue(streams[number], number, 4));
        wait(streams[0]);
    }),
    ("a fill, while the others wait", || {
        let memory = Buffer::new(&vec![0u8; 1 << 20]);
        let (streams, other) = (chain(3, 4), stream());
        // SAFETY: memory of this size.
        unsafe { ok(hipMemsetAsync(memory.0.cast(), 7, 1 << 20, other)) };
        while !is_done(other) {}
        set(2);
        wait(streams[0]);
        assert!(memory.read().iter().all(|byte| *byte == 7));
    }),
    ("the host waits for an event, and what comes behind that for the host", || {
        let (stream, mut event) = (stream(), null_mut());
        // SAFETY: valid pointers and handles.
        unsafe {
            ok(hipEventCreateWithFlags(&mut event, hipEventDisableTiming));
            for round in 0..5_000 {
                FLAGS[1].store(0, Ordering::SeqCst);
                let rounds = std::ptr::without_provenance_mut(round % 500);
                ok(hipLaunchHostFunc(stream, Some(spin), rounds));
                ok(hipEventRecord(event, stream));
                enqueue(stream, 1, 1);
                ok(hipEventSynchronize(event));
                set(1);
                wait(stream);
            }
        }
    }),
    ("memory is freed that a copy of another context waits to use", || {
        const SIZE: usize = 1 << 20;
        let memory = Buffer::new(&vec![0u8; SIZE]);
        let (mut other, mut context) = (null_mut(), null_mut());
        // SAFETY: valid pointers and handles; the memory lives until the copies have ended.
        unsafe {
            ok(hipMalloc(&mut other, SIZE));
            ok(hipCtxCreate(&mut context, 0, 0));
            ok(hipCtxSetCurrent(context));
            let other = other.expose_provenance();
            let streams = [stream(), stream()];
            let copy = |stream| {
                let (to, from) = (memory.0.cast::<c_void>(), memory.0.wrapping_add(SIZE / 2));
                ok(hipMemcpyDtoDAsync(to, from.cast(), SIZE / 2, stream));
            };
            enqueue(streams[0], 1, 1);
            copy(streams[0]);
            std::thread::scope(|scope| {
                scope.spawn(|| ok(hipFree(std::ptr::with_exposed_provenance_mut(other))));
                // Most often it waits by then.
                std::thread::sleep(Duration::from_millis(100));
                copy(streams[1]);
                set(1);
            });
            streams.iter().for_each(|stream| wait(*stream));
            // What follows is of the context whose memory it is.
            ok(hipCtxSetCurrent(null_mut()));
        }
    }),
];

/// Lets this thread, and those that it begins, run on so many of the cores that it has.
fn limit_cores(count: usize) {
    // SAFETY: a set of cores is numbers, and as large as is said.
    unsafe {
        let mut cores: libc::cpu_set_t = std::mem::zeroed();
        assert_eq!(libc::sched_getaffinity(0, size_of_val(&cores), &mut cores), 0);
        let all = (0..libc::CPU_SETSIZE as usize).filter(|core| libc::CPU_ISSET(*core, &cores));
        for core in all.skip(count).collect::<Vec<_>>() {
            libc::CPU_CLR(core, &mut cores);
        }
        assert_eq!(libc::sched_setaffinity(0, size_of_val(&cores), &cores), 0);
    }
}

#[test]
fn streams_run_side_by_side() {
    let mut hung = Vec::new();
    for cores in 1..=3 {
        for (name, _) in CASES {
            let mut child = Command::new(std::env::current_exe().expect("this program"))
                .args(["--exact", "child", "--nocapture", "--ignored"])
                .env("CASE", name)
                .env("CORES", cores.to_string())
                .spawn()
                .expect("it starts");
            let begun = Instant::now();
            let status = loop {
                match child.try_wait().expect("it is a child") {
                    None if begun.elapsed() < LIMIT => {
                        std::thread::sleep(Duration::from_millis(1));
                    }
                    status => break status,
                }
            };
            match status {
                Some(status) => assert!(status.success(), "{name}, {cores} cores"),
                None => {
                    child.kill().expect("it runs");
                    child.wait().expect("it was killed");
                    hung.push((name, cores));
                }
            }
        }
    }
    assert!(hung.is_empty(), "never ended: {hung:?}");
}

#[test]
#[ignore = "a part of the test above, which runs it"]
fn child() {
    let variable = |name| std::env::var(name).expect("the test says so");
    limit_cores(variable("CORES").parse().expect("a number"));
    let wanted = variable("CASE");
    let case = CASES.iter().find(|(name, _)| *name == wanted).expect("one of those");
    case.1();
}
