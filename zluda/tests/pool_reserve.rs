//! What memory pools hold: memory that was freed in a stream goes when the program waits for that stream.
// A test stops by panicking.
#![allow(clippy::panic)]

#[macro_use]
mod common;

use cuda_types::cuda::{
    CUdeviceptr, CUmemAllocationType, CUmemLocation, CUmemLocationType, CUmemPool_attribute,
    CUmemPoolProps, CUmemoryPool, CUresult as R, CUstream,
};
use libloading::Library;
use std::ffi::{c_uint, c_void};
use std::ptr::null_mut;

const OK: R = R::CUDA_SUCCESS;
const CHUNK: u64 = 32 << 20;

/// Bytes of a pool that are in use, and that it holds.
fn bytes(library: &Library, pool: CUmemoryPool) -> [u64; 2] {
    let used = CUmemPool_attribute::CU_MEMPOOL_ATTR_USED_MEM_CURRENT;
    let reserved = CUmemPool_attribute::CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT;
    [used, reserved].map(|attribute| {
        let mut value = 0u64;
        let to: *mut c_void = (&raw mut value).cast();
        let got = call!(library, cuMemPoolGetAttribute(pool, attribute, to):
            (CUmemoryPool, CUmemPool_attribute, *mut c_void));
        assert_eq!(got, OK);
        value
    })
}

#[test]
fn what_was_freed_goes_when_somebody_waits_for_its_stream() {
    let library = common::driver();
    // SAFETY: all zeros is a value of this structure.
    let mut properties: CUmemPoolProps = unsafe { std::mem::zeroed() };
    properties.allocType = CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location =
        CUmemLocation { type_: CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE, id: 0 };
    let mut pool = null_mut();
    assert_eq!(
        call!(library, cuMemPoolCreate(&mut pool, &properties): (*mut CUmemoryPool, *const CUmemPoolProps)),
        OK
    );
    let streams = [(); 2].map(|()| {
        let mut stream = null_mut();
        assert_eq!(call!(library, cuStreamCreate(&mut stream, 0): (*mut CUstream, c_uint)), OK);
        stream
    });
    let wait = |stream| {
        assert_eq!(call!(library, cuStreamSynchronize(stream): (CUstream)), OK);
        bytes(&library, pool)
    };
    // Once nobody has anything to wait for, it begins anew.
    for round in 1..=2 {
        let pointers = streams.map(|stream| {
            let mut pointer: CUdeviceptr = 0;
            let got = call!(library, cuMemAllocFromPoolAsync(&mut pointer, CHUNK as usize, pool, stream):
                (*mut CUdeviceptr, usize, CUmemoryPool, CUstream));
            assert_eq!(got, OK);
            pointer
        });
        let free = |which: usize| {
            let freed = call!(library, cuMemFreeAsync(pointers[which], streams[which]): (CUdeviceptr, CUstream));
            assert_eq!(freed, OK);
            bytes(&library, pool)
        };
        assert_eq!(bytes(&library, pool), [2 * CHUNK, 2 * CHUNK], "round {round}");
        assert_eq!(free(0), [CHUNK, 2 * CHUNK], "round {round}");
        assert_eq!(wait(streams[1]), [CHUNK, 2 * CHUNK], "round {round}");
        assert_eq!(free(1), [0, 2 * CHUNK], "round {round}");
        assert_eq!(wait(streams[0]), [0, 0], "round {round}");
        assert_eq!(wait(streams[1]), [0, 0], "round {round}");
    }
    assert_eq!(call!(library, cuMemPoolDestroy(pool): (CUmemoryPool)), OK);
}
