//! Streams and events: order, and what is asynchronous.

mod common;

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use common::*;
use hip_runtime_sys::*;

fn stream(flags: u32) -> hipStream_t {
    let mut stream = null_mut();
    // SAFETY: valid pointer.
    ok(unsafe { hipStreamCreateWithFlags(&mut stream, flags) });
    stream
}

fn event(flags: u32) -> hipEvent_t {
    let mut event = null_mut();
    // SAFETY: valid pointer.
    ok(unsafe { hipEventCreateWithFlags(&mut event, flags) });
    event
}

/// A word that host and device share.
fn pinned(value: u32) -> *mut u32 {
    let mut pointer = null_mut();
    // SAFETY: valid pointer, four bytes.
    unsafe {
        ok(hipHostMalloc(&mut pointer, 4, 0));
        pointer.cast::<u32>().write_volatile(value);
    }
    pointer.cast()
}

fn on(stream: hipStream_t) -> LaunchConfig {
    LaunchConfig { stream, ..config(1, 32) }
}

/// A kernel that runs until this is dropped, or released.
struct Blocker(*mut u32);

impl Blocker {
    fn new(module: &TestModule, stream: hipStream_t) -> Blocker {
        let flag = pinned(0);
        ok(launch(module.function("wait_for_host"), on(stream), &[word(flag)]));
        Blocker(flag)
    }

    /// Whether the kernel runs, or has run.
    fn has_begun(&self) -> bool {
        // SAFETY: a word of pinned memory.
        unsafe { self.0.read_volatile() >= 2 }
    }

    fn release(&self) {
        // SAFETY: a word of pinned memory.
        unsafe { self.0.write_volatile(1) };
    }
}

impl Drop for Blocker {
    fn drop(&mut self) {
        self.release();
        ok(synchronize());
        // SAFETY: pinned memory, not in use any more.
        unsafe { ok(hipHostFree(self.0.cast())) };
    }
}

fn query(stream: hipStream_t) -> hipError_t {
    // SAFETY: no pointers.
    unsafe { hipStreamQuery(stream) }
}

#[test]
fn launches_do_not_wait() {
    let _alone = alone();
    let module = load("vector");
    let stream = stream(0);
    let blocker = Blocker::new(&module, stream);
    assert_eq!(query(stream), hipError_t::hipErrorNotReady);
    blocker.release();
    // SAFETY: no pointers.
    ok(unsafe { hipStreamSynchronize(stream) });
    ok(query(stream));
}

#[test]
fn work_of_a_stream_comes_in_order() {
    let _alone = alone();
    let module = load("vector");
    let function = module.function("increment_slowly");
    for stream in [null_mut(), hipStreamPerThread, stream(0), stream(hipStreamNonBlocking)] {
        let counter = Buffer::new(&[0u32]);
        for _ in 0..200 {
            ok(launch(function, on(stream), &[word(counter.0), word(100u32)]));
        }
        // SAFETY: no pointers.
        ok(unsafe { hipStreamSynchronize(stream) });
        assert_eq!(counter.read(), [200]);
    }
}

#[test]
fn the_legacy_stream_waits_for_blocking_streams_and_they_for_it() {
    let _alone = alone();
    let module = load("vector");
    let (blocking, free) = (stream(0), stream(hipStreamNonBlocking));
    let value = pinned(5);
    let blocker = Blocker::new(&module, blocking);
    // SAFETY: pinned memory.
    unsafe {
        ok(hipMemsetD32Async(value.cast(), 6, 1, null_mut()));
        assert_eq!(query(null_mut()), hipError_t::hipErrorNotReady);
        // Streams that block wait for the legacy stream, so for the first stream too.
        ok(hipMemsetD32Async(value.cast(), 7, 1, hipStreamPerThread));
        assert_eq!(query(hipStreamPerThread), hipError_t::hipErrorNotReady);
        assert_eq!(value.read_volatile(), 5);
        // One that does not block goes on.
        ok(hipMemsetD32Async(value.cast(), 8, 1, free));
        ok(hipStreamSynchronize(free));
        assert_eq!(value.read_volatile(), 8);
        blocker.release();
        ok(synchronize());
        assert_eq!(value.read_volatile(), 7);
    }
}

#[test]
fn two_streams_overlap() {
    let _alone = alone();
    let module = load("vector");
    let (one, two) = (stream(0), stream(0));
    let blocker = Blocker::new(&module, one);
    let (from, to) = (pinned(1), pinned(2));
    // SAFETY: pinned memory.
    unsafe {
        ok(hipMemcpyAsync(to.cast(), from.cast(), 4, hipMemcpyKind::hipMemcpyHostToDevice, two));
        ok(hipStreamSynchronize(two));
        assert_eq!(to.read_volatile(), 1);
    }
    assert_eq!(query(one), hipError_t::hipErrorNotReady);
    drop(blocker);
}

#[test]
fn events_order_streams() {
    let _alone = alone();
    let module = load("vector");
    let (one, two) = (stream(hipStreamNonBlocking), stream(hipStreamNonBlocking));
    let done = event(hipEventDisableTiming);
    let value = pinned(0);
    let blocker = Blocker::new(&module, one);
    // SAFETY: pinned memory.
    unsafe {
        // An event that was never recorded holds nobody up.
        ok(hipStreamWaitEvent(two, done, 0));
        ok(hipStreamSynchronize(two));
        ok(hipEventQuery(done));
        ok(hipMemsetD32Async(value.cast(), 1, 1, one));
        ok(hipEventRecord(done, one));
        assert_eq!(hipEventQuery(done), hipError_t::hipErrorNotReady);
        ok(hipStreamWaitEvent(two, done, 0));
        // Handles may end while somebody waits.
        ok(hipEventDestroy(done));
        ok(hipMemsetD32Async(value.cast(), 2, 1, two));
        assert_eq!(query(two), hipError_t::hipErrorNotReady);
        blocker.release();
        ok(hipStreamSynchronize(two));
        assert_eq!(value.read_volatile(), 2);
    }
}

#[test]
fn events_measure_time() {
    let _alone = alone();
    let module = load("vector");
    let stream = stream(0);
    let (from, to, untimed) = (event(0), event(0), event(hipEventDisableTiming));
    let mut time = -1.0;
    // SAFETY: valid pointers.
    unsafe {
        assert_eq!(hipEventElapsedTime(&mut time, from, to), hipError_t::hipErrorInvalidHandle);
        let begun = Instant::now();
        ok(hipEventRecord(from, stream));
        ok(hipEventSynchronize(from));
        let blocker = Blocker::new(&module, stream);
        ok(hipEventRecord(to, stream));
        ok(hipEventRecord(untimed, stream));
        assert_eq!(hipEventElapsedTime(&mut time, from, to), hipError_t::hipErrorNotReady);
        std::thread::sleep(Duration::from_millis(20));
        blocker.release();
        ok(hipEventSynchronize(to));
        ok(hipEventElapsedTime(&mut time, from, to));
        // Milliseconds: no fewer than slept, no more than passed here.
        let most = begun.elapsed().as_secs_f32() * 1000.0;
        assert!((20.0..=most).contains(&time), "{time} of {most}");
        ok(hipEventElapsedTime(&mut time, to, from));
        assert!(time <= -20.0);
        assert_eq!(
            hipEventElapsedTime(&mut time, from, untimed),
            hipError_t::hipErrorInvalidHandle
        );
    }
}

#[test]
fn host_functions_run_in_order_on_another_thread() {
    static CALLS: Mutex<Vec<usize>> = Mutex::new(Vec::new());
    unsafe extern "C" fn note(data: *mut c_void) {
        CALLS.lock().unwrap().push(data.addr());
        // What waits for the device must not be called from here.
        assert_eq!(synchronize(), hipError_t::hipErrorNotSupported);
    }
    unsafe extern "C" fn called(_: hipStream_t, status: hipError_t, data: *mut c_void) {
        ok(status);
        CALLS.lock().unwrap().push(data.addr() + 100);
    }
    let _alone = alone();
    let module = load("vector");
    let stream = stream(0);
    let blocker = Blocker::new(&module, stream);
    // SAFETY: the functions take any data.
    unsafe {
        for data in 0..50 {
            let data = std::ptr::without_provenance_mut(data);
            ok(hipLaunchHostFunc(stream, Some(note), data));
            ok(hipStreamAddCallback(stream, Some(called), data, 0));
        }
        assert!(CALLS.lock().unwrap().is_empty());
        blocker.release();
        ok(hipStreamSynchronize(stream));
    }
    let expected: Vec<usize> = (0..50).flat_map(|data| [data, data + 100]).collect();
    assert_eq!(*CALLS.lock().unwrap(), expected);
}

#[test]
fn long_chains_do_not_recurse() {
    let _alone = alone();
    let module = load("vector");
    let stream = stream(0);
    let value = pinned(0);
    let blocker = Blocker::new(&module, stream);
    for i in 0..200_000 {
        // SAFETY: pinned memory.
        ok(unsafe { hipMemsetD32Async(value.cast(), i, 1, stream) });
    }
    blocker.release();
    // SAFETY: pinned memory.
    unsafe {
        ok(hipStreamSynchronize(stream));
        assert_eq!(value.read_volatile(), 199_999);
    }
}

#[test]
fn program_memory_may_change_once_a_copy_was_asked_for() {
    let _alone = alone();
    let module = load("vector");
    let stream = stream(0);
    let target = Buffer::new(&vec![0u8; 1 << 20]);
    let blocker = Blocker::new(&module, stream);
    let mut source = vec![3u8; 1 << 20];
    // SAFETY: as long as the buffers are.
    ok(unsafe { hipMemcpyHtoDAsync(target.0.cast(), source.as_ptr().cast(), 1 << 20, stream) });
    source.fill(9);
    drop(blocker);
    assert!(target.read().iter().all(|byte| *byte == 3));
}

#[test]
fn many_threads_launch_at_once() {
    let _alone = alone();
    let module = load("vector");
    let function = module.function("increment_slowly").addr();
    let saxpy = module.function("saxpy").addr();
    std::thread::scope(|scope| {
        for thread in 0..8 {
            scope.spawn(move || {
                let own = stream(if thread % 2 == 0 { 0 } else { hipStreamNonBlocking });
                let counter = Buffer::new(&[0u32]);
                let data: Vec<f32> = (0..5000).map(|i| (i + thread) as f32).collect();
                let (x, y) = (Buffer::new(&data), Buffer::new(&data));
                for round in 0..100 {
                    let stream = if round % 3 == 0 { hipStreamPerThread } else { own };
                    let counting = [word(counter.0), word(50u32)];
                    ok(launch(std::ptr::without_provenance_mut(function), on(stream), &counting));
                    let config = LaunchConfig { stream, ..config(40, 128) };
                    let params = [word(1.0f32), word(x.0), word(y.0), word(5000u64)];
                    ok(launch(std::ptr::without_provenance_mut(saxpy), config, &params));
                    // SAFETY: no pointers.
                    ok(unsafe { hipStreamSynchronize(stream) });
                }
                assert_eq!(counter.read(), [100]);
                let expected: Vec<f32> = data.iter().map(|value| value * 101.0).collect();
                assert_eq!(y.read(), expected);
            });
        }
    });
}

#[test]
fn who_waits_for_a_stream_does_not_wait_for_later_launches() {
    const COMES: Duration = Duration::from_secs(5);
    let _alone = alone();
    let module = load("vector");
    let function = module.function("increment_slowly");
    let counter = Buffer::new(&[0u32]);
    let own = stream(hipStreamNonBlocking);
    // Nobody sees whether a thread waits already; on a busy machine it may take a while.
    let ends = (1..=5).any(|attempt| {
        let first = Blocker::new(&module, own);
        for _ in 0..3 {
            ok(launch(function, on(own), &[word(counter.0), word(1u32)]));
        }
        let (address, ended) = (own.addr(), AtomicBool::new(false));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                // SAFETY: no pointers.
                ok(unsafe { hipStreamSynchronize(std::ptr::without_provenance_mut(address)) });
                ended.store(true, Ordering::SeqCst);
            });
            std::thread::sleep(Duration::from_millis(100) * attempt);
            let second = Blocker::new(&module, own);
            first.release();
            let begun = Instant::now();
            while !ended.load(Ordering::SeqCst) && begun.elapsed() < COMES {
                std::thread::yield_now();
            }
            let ends = ended.load(Ordering::SeqCst);
            second.release();
            ends
        })
    });
    assert!(ends);
}

#[test]
fn a_destroyed_stream_finishes_its_work() {
    let _alone = alone();
    let module = load("vector");
    let stream = stream(0);
    let value = pinned(0);
    let blocker = Blocker::new(&module, stream);
    // SAFETY: pinned memory; handles may be stale.
    unsafe {
        ok(hipMemsetD32Async(value.cast(), 4, 1, stream));
        ok(hipStreamDestroy(stream));
        assert_eq!(hipStreamDestroy(stream), hipError_t::hipErrorInvalidResourceHandle);
        assert_eq!(query(stream), hipError_t::hipErrorInvalidResourceHandle);
        blocker.release();
        ok(synchronize());
        assert_eq!(value.read_volatile(), 4);
    }
}

#[test]
fn freeing_waits_for_work() {
    static LATE: AtomicU32 = AtomicU32::new(0);
    let _alone = alone();
    let module = load("vector");
    let stream = stream(hipStreamNonBlocking);
    let buffer = Buffer::new(&[0u32; 1000]);
    let blocker = Blocker::new(&module, stream);
    ok(launch(module.function("increment_slowly"), on(stream), &[word(buffer.0), word(10u32)]));
    std::thread::scope(|scope| {
        let blocker = blocker.0.addr();
        scope.spawn(move || {
            std::thread::sleep(Duration::from_millis(30));
            LATE.store(1, Ordering::SeqCst);
            // SAFETY: a word of pinned memory.
            unsafe { (blocker as *mut u32).write_volatile(1) };
        });
        drop(buffer);
        assert_eq!(LATE.load(Ordering::SeqCst), 1);
    });
    ok(synchronize());
}

#[test]
fn pools_allocate_in_stream_order() {
    let _alone = alone();
    let module = load("vector");
    let stream = stream(0);
    let (mut pool, mut pointer, mut used) = (null_mut(), null_mut(), 0u64);
    // SAFETY: valid pointers.
    unsafe {
        ok(hipDeviceGetDefaultMemPool(&mut pool, 0));
        let get = |used: &mut u64| {
            let attribute = hipMemPoolAttr::hipMemPoolAttrUsedMemCurrent;
            ok(hipMemPoolGetAttribute(pool, attribute, (used as *mut u64).cast()));
        };
        ok(hipMallocAsync(&mut pointer, 1 << 20, stream));
        get(&mut used);
        assert_eq!(used, 1 << 20);
        let blocker = Blocker::new(&module, stream);
        ok(hipMemsetAsync(pointer, 1, 1 << 20, stream));
        ok(hipFreeAsync(pointer, stream));
        // The pointer is gone for calls, but not for work that is under way.
        assert_eq!(hipFreeAsync(pointer, stream), hipError_t::hipErrorInvalidValue);
        get(&mut used);
        assert_eq!(used, 1 << 20);
        drop(blocker);
        get(&mut used);
        assert_eq!(used, 0);
    }
}

/// Bytes of a pool that are in use.
fn used(pool: hipMemPool_t) -> u64 {
    let (attribute, mut used) = (hipMemPoolAttr::hipMemPoolAttrUsedMemCurrent, 0u64);
    // SAFETY: a valid pointer to 64 bits, which this attribute has.
    ok(unsafe { hipMemPoolGetAttribute(pool, attribute, (&raw mut used).cast()) });
    used
}

/// What waits for nothing is free when its stream has come there, whatever other streams do.
#[test]
fn memory_is_freed_after_what_its_stream_waits_for_alone() {
    let _alone = alone();
    let module = load("vector");
    let (blocking, apart) = (stream(0), stream(hipStreamNonBlocking));
    let (mut pool, mut pointers) = (null_mut(), [null_mut(); 2]);
    // SAFETY: valid pointers.
    unsafe {
        ok(hipDeviceGetDefaultMemPool(&mut pool, 0));
        let before = used(pool);
        for pointer in &mut pointers {
            ok(hipMallocAsync(pointer, 4096, apart));
        }
        let blocker = Blocker::new(&module, blocking);
        ok(hipFreeAsync(pointers[0], apart));
        ok(hipStreamSynchronize(apart));
        assert_eq!(used(pool), before + 4096);
        // The legacy stream waits for blocking ones.
        ok(hipFreeAsync(pointers[1], null_mut()));
        ok(hipStreamSynchronize(apart));
        assert_eq!(used(pool), before + 4096);
        drop(blocker);
        assert_eq!(used(pool), before);
    }
}

#[test]
fn memory_is_of_the_pool_that_its_device_had_then() {
    let _alone = alone();
    let (mut own, mut current, mut default) = (null_mut(), null_mut(), null_mut());
    let mut pointers = [null_mut(); 3];
    let properties = hipMemPoolProps {
        allocType: hipMemAllocationType::hipMemAllocationTypePinned,
        handleTypes: hipMemAllocationHandleType::hipMemHandleTypeNone,
        location: hipMemLocation { type_: hipMemLocationType::hipMemLocationTypeDevice, id: 0 },
        win32SecurityAttributes: null_mut(),
        maxSize: 0,
        reserved: [0; 56],
    };
    let stream = stream(0);
    // SAFETY: valid pointers.
    unsafe {
        ok(hipDeviceGetDefaultMemPool(&mut default, 0));
        let before = used(default);
        ok(hipMallocAsync(&mut pointers[0], 1024, stream));
        ok(hipMemPoolCreate(&mut own, &properties));
        ok(hipDeviceSetMemPool(0, own));
        ok(hipDeviceGetMemPool(&mut current, 0));
        assert_eq!(current, own);
        ok(hipMallocAsync(&mut pointers[1], 2048, stream));
        ok(hipMallocFromPoolAsync(&mut pointers[2], 4096, default, stream));
        assert_eq!([own, default].map(used), [2048, before + 1024 + 4096]);
        // One in stream order, one at once.
        ok(hipFreeAsync(pointers[1], stream));
        ok(hipFree(pointers[0]));
        ok(hipStreamSynchronize(stream));
        assert_eq!([own, default].map(used), [0, before + 4096]);
        // With its end the device has its first pool again.
        ok(hipMemPoolDestroy(own));
        ok(hipDeviceGetMemPool(&mut current, 0));
        assert_eq!(current, default);
        ok(hipMallocAsync(&mut pointers[0], 1024, stream));
        assert_eq!(used(default), before + 1024 + 4096);
        for pointer in [pointers[0], pointers[2]] {
            ok(hipFreeAsync(pointer, stream));
        }
        ok(hipStreamSynchronize(stream));
        assert_eq!(used(default), before);
    }
}

#[test]
fn priorities_are_kept_within_their_range() {
    let _alone = alone();
    let (mut least, mut greatest, mut stream) = (1, 1, null_mut());
    // SAFETY: valid pointers.
    unsafe {
        ok(hipDeviceGetStreamPriorityRange(&mut least, &mut greatest));
        assert!(greatest < least);
        for (asked, given) in [(greatest - 10, greatest), (greatest, greatest), (least + 3, least)]
        {
            let mut priority = 77;
            ok(hipStreamCreateWithPriority(&mut stream, 0, asked));
            ok(hipStreamGetPriority(stream, &mut priority));
            assert_eq!(priority, given);
            ok(hipStreamDestroy(stream));
        }
    }
}

/// Of two jobs that wait for a place, the urgent one goes first.
#[test]
fn urgent_streams_go_first() {
    check_urgent_goes_first(stream_of);
}

fn stream_of(priority: i32) -> hipStream_t {
    let mut stream = null_mut();
    // SAFETY: a valid pointer.
    ok(unsafe { hipStreamCreateWithPriority(&mut stream, hipStreamNonBlocking, priority) });
    stream
}

/// The priority is that which the stream has when it gets the work.
#[test]
fn streams_that_become_urgent_go_first() {
    check_urgent_goes_first(|priority| {
        let urgent = stream(hipStreamNonBlocking);
        // SAFETY: the stream may be anything.
        ok(unsafe { zluda_set_stream_priority(urgent, priority) });
        urgent
    });
}

fn check_urgent_goes_first(make_urgent: impl Fn(i32) -> hipStream_t) {
    let _alone = alone();
    let module = load("vector");
    let (mut least, mut greatest) = (0, 0);
    // SAFETY: valid pointers.
    ok(unsafe { hipDeviceGetStreamPriorityRange(&mut least, &mut greatest) });
    let threads = std::thread::available_parallelism().map_or(1, |count| count.get());
    // One thread of several comes only when it is called.
    let begin = |blockers: &[Blocker]| {
        while blockers.iter().filter(|blocker| blocker.has_begun()).count() < 1.max(threads - 1) {
            std::thread::yield_now();
        }
    };
    let block = || -> Vec<Blocker> {
        (0..threads).map(|_| Blocker::new(&module, make_urgent(greatest))).collect()
    };
    let function = module.function("increment_slowly");
    let urgent_went_first = || {
        // All threads have work, then they find more of either kind.
        let first = block();
        begin(&first);
        let counter = pinned(0);
        ok(launch(function, on(stream_of(least)), &[word(counter), word(1u32)]));
        let urgent = block();
        first.iter().for_each(Blocker::release);
        begin(&urgent);
        // As every thread has urgent work again, none has come to the rest.
        // SAFETY: a word of pinned memory.
        let before = unsafe { counter.read_volatile() };
        // A blocker that is dropped waits for all.
        urgent.iter().for_each(Blocker::release);
        ok(synchronize());
        // SAFETY: as above.
        unsafe {
            assert_eq!(counter.read_volatile(), 1);
            ok(hipHostFree(counter.cast()));
        }
        before == 0
    };
    // On a busy machine this thread may wait for so long that jobs get threads of their own.
    assert!((0..5).any(|_| urgent_went_first()));
}

#[test]
fn streams_wait_for_words() {
    let (waiting, other) = (stream(hipStreamNonBlocking), stream(hipStreamNonBlocking));
    // What is waited for, the value, the mask, and what comes before and then.
    for (flags, value, mask, [before, then]) in [
        (hipStreamWaitValueGte, 5, u32::MAX, [4, 6]),
        (hipStreamWaitValueEq, 5, 0xff, [6, 0x105]),
        (hipStreamWaitValueAnd, 6, u32::MAX, [1, 4]),
        (hipStreamWaitValueNor, 0xffff_fff0, u32::MAX, [0xf, 0xe]),
    ] {
        let (word, reached) = (pinned(before), pinned(0));
        // SAFETY: the words live; the streams too.
        unsafe {
            ok(hipStreamWaitValue32(waiting, word.cast(), value, flags, mask));
            ok(hipStreamWriteValue32(waiting, reached.cast(), 1, 0));
            // Another stream is not held up.
            ok(hipStreamSynchronize(other));
            assert_eq!(query(waiting), hipError_t::hipErrorNotReady, "{flags}");
            assert_eq!(reached.read_volatile(), 0, "{flags}");
            ok(hipStreamWriteValue32(other, word.cast(), then, 0));
            ok(hipStreamSynchronize(waiting));
            assert_eq!(reached.read_volatile(), 1, "{flags}");
        }
    }
    let word = pinned(0);
    // SAFETY: wrong values are refused.
    unsafe {
        assert_eq!(
            hipStreamWaitValue32(waiting, null_mut(), 1, 0, 1),
            hipError_t::hipErrorInvalidValue
        );
        assert_eq!(
            hipStreamWaitValue32(waiting, word.cast(), 1, 4, 1),
            hipError_t::hipErrorInvalidValue
        );
        assert_eq!(
            hipStreamWaitValue32(waiting, word.byte_add(1).cast(), 1, 0, 1),
            hipError_t::hipErrorInvalidValue
        );
    }
}
