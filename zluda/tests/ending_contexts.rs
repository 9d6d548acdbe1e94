//! A context ends while another thread works in it: no memory stays behind that nothing will ever free, and no capture that
//! nothing will ever end. One whose streams wait for a word ends when somebody has written it, however late that is.

// A test stops by panicking.
#![allow(clippy::panic, clippy::unwrap_used)]

#[macro_use]
mod common;

use cuda_types::cuda::{
    CUcontext, CUdevice, CUdeviceptr, CUpointer_attribute as Attribute, CUresult as R, CUstream,
    CUstreamCaptureMode,
};
use libloading::Library;
use std::ffi::{c_uint, c_void};
use std::ptr::null_mut;
use std::sync::Barrier;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

const OK: R = R::CUDA_SUCCESS;
const ROUNDS: usize = 300;

#[test]
fn memory_ends_with_its_context() {
    // Captures of one test forbid the calls of another.
    let _alone = common::alone();
    let library = &common::driver();
    let set_current = |context: CUcontext| call!(library, cuCtxSetCurrent(context): (CUcontext));
    for round in 0..ROUNDS {
        let mut context = null_mut();
        assert_eq!(
            call!(library, cuCtxCreate_v2(&mut context, 0, 0): (*mut CUcontext, c_uint, CUdevice)),
            OK
        );
        let (context, both) = (context as usize, &Barrier::new(2));
        let allocate = move || {
            set_current(context as CUcontext);
            both.wait();
            let mut all = Vec::new();
            loop {
                let mut address: CUdeviceptr = 0;
                match call!(library, cuMemAlloc_v2(&mut address, 64 << 10): (*mut CUdeviceptr, usize))
                {
                    OK => all.push(address),
                    error => {
                        let is_end =
                            [R::CUDA_ERROR_CONTEXT_IS_DESTROYED, R::CUDA_ERROR_INVALID_CONTEXT];
                        assert!(is_end.contains(&error), "{error:?}");
                        return all;
                    }
                }
            }
        };
        let addresses = std::thread::scope(|scope| {
            let thread = scope.spawn(allocate);
            both.wait();
            assert_eq!(call!(library, cuCtxDestroy_v2(context as CUcontext): (CUcontext)), OK);
            thread.join().unwrap()
        });
        for address in addresses {
            let mut size = 0usize;
            let result = call!(
                library,
                cuPointerGetAttribute((&raw mut size).cast(), Attribute::CU_POINTER_ATTRIBUTE_RANGE_SIZE, address):
                    (*mut c_void, Attribute, CUdeviceptr)
            );
            assert_ne!(result, OK, "round {round}: {size} bytes of an ended context");
        }
    }
}

/// Captures of the mode GLOBAL forbid calls to all threads: one that stays behind would forbid them for ever.
#[test]
fn captures_end_with_their_context() {
    // Captures of one test forbid the calls of another.
    let _alone = common::alone();
    let library = &common::driver();
    let set_current = |context: CUcontext| call!(library, cuCtxSetCurrent(context): (CUcontext));
    let create = || {
        let mut context = null_mut();
        let result =
            call!(library, cuCtxCreate_v2(&mut context, 0, 0): (*mut CUcontext, c_uint, CUdevice));
        assert_eq!(result, OK);
        context as usize
    };
    let last = create();
    for round in 0..ROUNDS {
        let (context, both) = (create(), &Barrier::new(2));
        let capture = move || {
            set_current(context as CUcontext);
            both.wait();
            loop {
                let mut stream: CUstream = null_mut();
                let result =
                    call!(library, cuStreamCreate(&mut stream, 0): (*mut CUstream, c_uint));
                if result != OK {
                    return;
                }
                call!(library, cuStreamBeginCapture_v2(stream, CUstreamCaptureMode(0)):
                    (CUstream, CUstreamCaptureMode));
            }
        };
        std::thread::scope(|scope| {
            let thread = scope.spawn(capture);
            both.wait();
            assert_eq!(call!(library, cuCtxDestroy_v2(context as CUcontext): (CUcontext)), OK);
            thread.join().unwrap();
        });
        set_current(last as CUcontext);
        let mut address: CUdeviceptr = 0;
        let result = call!(library, cuMemAlloc_v2(&mut address, 4): (*mut CUdeviceptr, usize));
        assert_eq!(result, OK, "round {round}");
        call!(library, cuMemFree_v2(address): (CUdeviceptr));
    }
}

/// A context, current, with a stream that waits for the first of its words and then writes 1 to the second. Both are
/// memory of the host's that stays.
fn waiting(library: &Library, is_primary: bool, words: &[AtomicU32; 2]) -> CUcontext {
    let mut context = null_mut();
    let result = match is_primary {
        true => {
            call!(library, cuDevicePrimaryCtxRetain(&mut context, 0): (*mut CUcontext, CUdevice))
        }
        false => {
            call!(library, cuCtxCreate_v2(&mut context, 0, 0): (*mut CUcontext, c_uint, CUdevice))
        }
    };
    assert_eq!(result, OK);
    assert_eq!(call!(library, cuCtxSetCurrent(context): (CUcontext)), OK);
    let host = words.as_ptr().cast_mut().cast();
    let result = call!(library, cuMemHostRegister_v2(host, 8, 2): (*mut c_void, usize, c_uint));
    assert_eq!(result, OK);
    let mut stream: CUstream = null_mut();
    assert_eq!(call!(library, cuStreamCreate(&mut stream, 1): (*mut CUstream, c_uint)), OK);
    // No more than this one is behind it.
    for word in 0..2 {
        let address = host.addr() as CUdeviceptr + 4 * word;
        let result = match word {
            0 => call!(library, cuStreamWaitValue32_v2(stream, address, 1, 0):
                (CUstream, CUdeviceptr, u32, c_uint)),
            _ => call!(library, cuStreamWriteValue32_v2(stream, address, 1, 0):
                (CUstream, CUdeviceptr, u32, c_uint)),
        };
        assert_eq!(result, OK);
    }
    context
}

/// Ends what [`waiting`] made.
fn end(library: &Library, context: CUcontext, is_primary: bool) {
    let result = match is_primary {
        true => call!(library, cuDevicePrimaryCtxReset_v2(0): (CUdevice)),
        false => call!(library, cuCtxDestroy_v2(context): (CUcontext)),
    };
    assert_eq!(result, OK);
}

#[test]
fn the_end_waits_for_what_a_stream_waits_for() {
    let _alone = common::alone();
    let library = &common::driver();
    for is_primary in [false, true] {
        let words = [const { AtomicU32::new(0) }; 2];
        let context = waiting(library, is_primary, &words);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(300));
                words[0].store(1, Ordering::SeqCst);
            });
            end(library, context, is_primary);
        });
        assert_eq!(words[1].load(Ordering::SeqCst), 1);
    }
}
