//! A context ends while another thread allocates in it: no memory stays behind that nothing will ever free.

// A test stops by panicking.
#![allow(clippy::panic, clippy::unwrap_used)]

#[macro_use]
mod common;

use cuda_types::cuda::{
    CUcontext, CUdevice, CUdeviceptr, CUpointer_attribute as Attribute, CUresult as R,
};
use std::ffi::{c_uint, c_void};
use std::ptr::null_mut;
use std::sync::Barrier;

const OK: R = R::CUDA_SUCCESS;
const ROUNDS: usize = 300;

#[test]
fn memory_ends_with_its_context() {
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
