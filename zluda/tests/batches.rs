//! Batches of copies of boxes, and hints about managed memory, by batches and by single calls. Expected values are those of
//! the manual.

// A test stops by panicking.
#![allow(clippy::panic, clippy::unwrap_used)]

#[macro_use]
mod common;

use cuda_types::cuda::{
    CUDA_ARRAY3D_DESCRIPTOR, CUDA_MEMCPY3D_BATCH_OP, CUarray, CUarray_format, CUdeviceptr,
    CUmem_advise, CUmem_range_attribute as A, CUmemLocation, CUmemLocationType, CUmemcpy3DOperand,
    CUmemcpy3DOperandType, CUmemcpySrcAccessOrder, CUresult as R, CUstream,
};
use libloading::Library;
use std::ffi::{c_int, c_uint, c_void};
use std::ptr::null_mut;

const OK: R = R::CUDA_SUCCESS;
const INVALID: R = R::CUDA_ERROR_INVALID_VALUE;
const PAGE: usize = 4096;

fn stream(library: &Library) -> CUstream {
    let mut stream = null_mut();
    assert_eq!(call!(library, cuStreamCreate(&mut stream, 1): (*mut CUstream, c_uint)), OK);
    stream
}

fn allocate(library: &Library, size: usize) -> CUdeviceptr {
    let mut pointer = 0;
    assert_eq!(call!(library, cuMemAlloc_v2(&mut pointer, size): (*mut CUdeviceptr, usize)), OK);
    pointer
}

fn managed(library: &Library, size: usize) -> CUdeviceptr {
    let mut pointer = 0;
    assert_eq!(
        call!(library, cuMemAllocManaged(&mut pointer, size, 1): (*mut CUdeviceptr, usize, c_uint)),
        OK
    );
    pointer
}

const DURING: CUmemcpySrcAccessOrder =
    CUmemcpySrcAccessOrder::CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL;
const STREAM: CUmemcpySrcAccessOrder = CUmemcpySrcAccessOrder::CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;

fn pointer(ptr: CUdeviceptr, row_length: usize, layer_height: usize) -> CUmemcpy3DOperand {
    // SAFETY: all zeros is a value of this structure.
    let mut operand: CUmemcpy3DOperand = unsafe { std::mem::zeroed() };
    operand.type_ = CUmemcpy3DOperandType::CU_MEMCPY_OPERAND_TYPE_POINTER;
    operand.op.ptr.ptr = ptr;
    operand.op.ptr.rowLength = row_length;
    operand.op.ptr.layerHeight = layer_height;
    operand
}

fn in_array(array: CUarray, x: usize, y: usize) -> CUmemcpy3DOperand {
    // SAFETY: as above.
    let mut operand: CUmemcpy3DOperand = unsafe { std::mem::zeroed() };
    operand.type_ = CUmemcpy3DOperandType::CU_MEMCPY_OPERAND_TYPE_ARRAY;
    operand.op.array.array = array;
    operand.op.array.offset.x = x;
    operand.op.array.offset.y = y;
    operand
}

fn copy(
    src: CUmemcpy3DOperand,
    dst: CUmemcpy3DOperand,
    [width, height, depth]: [usize; 3],
    order: CUmemcpySrcAccessOrder,
) -> CUDA_MEMCPY3D_BATCH_OP {
    // SAFETY: all zeros is a value of this structure.
    let mut operation: CUDA_MEMCPY3D_BATCH_OP = unsafe { std::mem::zeroed() };
    (operation.src, operation.dst, operation.srcAccessOrder) = (src, dst, order);
    (operation.extent.width, operation.extent.height, operation.extent.depth) =
        (width, height, depth);
    operation
}

#[test]
fn boxes_are_copied() {
    let library = common::driver();
    let stream = stream(&library);
    let mut array: CUarray = null_mut();
    let shape = CUDA_ARRAY3D_DESCRIPTOR {
        Width: 8,
        Height: 4,
        Depth: 0,
        Format: CUarray_format::CU_AD_FORMAT_UNSIGNED_INT32,
        NumChannels: 1,
        Flags: 0,
    };
    assert_eq!(
        call!(library, cuArray3DCreate_v2(&mut array, &shape): (*mut CUarray, *const CUDA_ARRAY3D_DESCRIPTOR)),
        OK
    );
    let memory = allocate(&library, 4096);
    let words: Vec<u32> = (0..64).collect();
    let run = |operations: &mut [CUDA_MEMCPY3D_BATCH_OP]| {
        let mut failed = 77;
        let first = call!(library, cuMemcpy3DBatchAsync(operations.len(), operations.as_mut_ptr(), &mut failed, 0, stream):
            (usize, *mut CUDA_MEMCPY3D_BATCH_OP, *mut usize, u64, CUstream));
        let second = call!(library, cuMemcpy3DBatchAsync_v2(operations.len(), operations.as_mut_ptr(), 0, stream):
            (usize, *mut CUDA_MEMCPY3D_BATCH_OP, u64, CUstream));
        assert_eq!(first, second);
        assert_eq!(call!(library, cuStreamSynchronize(stream): (CUstream)), OK);
        (first, failed)
    };
    {
        // The stream waits: what lies in the variable is read in the call.
        let mut ephemeral = words.clone();
        let word = allocate(&library, 64);
        assert_eq!(call!(library, cuMemsetD8_v2(word, 0, 64): (CUdeviceptr, u8, usize)), OK);
        assert_eq!(call!(library, cuCtxSynchronize(): ()), OK);
        assert_eq!(
            call!(library, cuStreamWaitValue32_v2(stream, word, 1, 1): (CUstream, CUdeviceptr, u32, c_uint)),
            OK
        );
        // 3 of 8 bytes a row, 2 of 4 rows a layer, 2 layers; then rows without gaps.
        let mut operations = [copy(
            pointer(ephemeral.as_ptr() as u64, 8, 4),
            pointer(memory, 0, 0),
            [3, 2, 2],
            DURING,
        )];
        assert_eq!(
            call!(library, cuMemcpy3DBatchAsync_v2(1, operations.as_mut_ptr(), 0, stream):
            (usize, *mut CUDA_MEMCPY3D_BATCH_OP, u64, CUstream)),
            OK
        );
        ephemeral.fill(99);
        let other = self::stream(&library);
        assert_eq!(
            call!(library, cuStreamWriteValue32_v2(other, word, 1, 0): (CUstream, CUdeviceptr, u32, c_uint)),
            OK
        );
        assert_eq!(call!(library, cuStreamSynchronize(stream): (CUstream)), OK);
    }
    let mut bytes = [0u8; 12];
    assert_eq!(
        call!(library, cuMemcpyDtoH_v2(bytes.as_mut_ptr().cast(), memory, 12): (*mut c_void, CUdeviceptr, usize)),
        OK
    );
    // Words 0 and 2, 8 and 10 begin the rows.
    assert_eq!(bytes, [0, 0, 0, 2, 0, 0, 8, 0, 0, 10, 0, 0]);

    // A box of 4-byte elements to the middle of an array, and to memory with rows of 16 elements.
    let mut operations =
        [copy(pointer(words.as_ptr() as u64, 8, 0), in_array(array, 2, 1), [5, 2, 1], STREAM)];
    assert_eq!(run(&mut operations), (OK, usize::MAX));
    let mut operations = [copy(in_array(array, 3, 1), pointer(memory, 16, 0), [4, 2, 1], STREAM)];
    assert_eq!(run(&mut operations), (OK, usize::MAX));
    let mut rows = [0u32; 20];
    assert_eq!(
        call!(library, cuMemcpyDtoH_v2(rows.as_mut_ptr().cast(), memory, 80): (*mut c_void, CUdeviceptr, usize)),
        OK
    );
    assert_eq!((&rows[..4], &rows[16..]), (&[1, 2, 3, 4][..], &[9, 10, 11, 12][..]));

    let good = operations[0];
    let mut wrong = [good; 5];
    wrong[0].extent.depth = 0;
    wrong[1].srcAccessOrder = CUmemcpySrcAccessOrder(0);
    wrong[2].dst.op.ptr.rowLength = 3;
    wrong[3].src = in_array(array, 5, 1);
    wrong[4].src.type_ = CUmemcpy3DOperandType(9);
    for operation in wrong {
        assert_eq!(run(&mut [good, operation]), (INVALID, 1));
    }
    assert_eq!(run(&mut []), (INVALID, usize::MAX));
    let mut one = good;
    assert_eq!(
        call!(library, cuMemcpy3DBatchAsync_v2(1, &mut one, 1, stream): (usize, *mut CUDA_MEMCPY3D_BATCH_OP, u64, CUstream)),
        INVALID
    );
    assert_eq!(
        call!(library, cuMemcpy3DBatchAsync_v2(1, &mut one, 0, null_mut()): (usize, *mut CUDA_MEMCPY3D_BATCH_OP, u64, CUstream)),
        INVALID
    );
    assert_eq!(
        call!(library, cuMemcpy3DBatchAsync_v2(1, null_mut(), 0, stream): (usize, *mut CUDA_MEMCPY3D_BATCH_OP, u64, CUstream)),
        INVALID
    );
}

fn device(id: i32) -> CUmemLocation {
    CUmemLocation { type_: CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE, id }
}

const HOST: CUmemLocation =
    CUmemLocation { type_: CUmemLocationType::CU_MEM_LOCATION_TYPE_HOST, id: 0 };

/// The words of an attribute, of which there are `N`.
fn ask<const N: usize>(library: &Library, attribute: A, at: CUdeviceptr, size: usize) -> [i32; N] {
    let mut words = [77; N];
    assert_eq!(
        call!(library, cuMemRangeGetAttribute(words.as_mut_ptr().cast(), 4 * N, attribute, at, size):
        (*mut c_void, usize, A, CUdeviceptr, usize)),
        OK
    );
    words
}

#[test]
fn hints_are_told_again() {
    let library = common::driver();
    let (memory, stream) = (managed(&library, 8 * PAGE), stream(&library));
    let advise = |at, size, advice, location| call!(library, cuMemAdvise_v2(at, size, advice, location): (CUdeviceptr, usize, CUmem_advise, CUmemLocation));
    assert_eq!(ask(&library, A::CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, memory, PAGE), [0]);
    assert_eq!(ask(&library, A::CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, memory, PAGE), [-2]);
    assert_eq!(ask(&library, A::CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, memory, PAGE), [-2, -2]);
    assert_eq!(ask(&library, A::CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE, memory, PAGE), [0]);
    assert_eq!(
        advise(memory, 4 * PAGE, CUmem_advise::CU_MEM_ADVISE_SET_READ_MOSTLY, device(99)),
        OK
    );
    assert_eq!(
        advise(memory, 4 * PAGE, CUmem_advise::CU_MEM_ADVISE_SET_PREFERRED_LOCATION, device(0)),
        OK
    );
    assert_eq!(advise(memory, 4 * PAGE, CUmem_advise::CU_MEM_ADVISE_SET_ACCESSED_BY, HOST), OK);
    assert_eq!(ask(&library, A::CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, memory, 4 * PAGE), [1]);
    assert_eq!(ask(&library, A::CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, memory, 5 * PAGE), [0]);
    assert_eq!(ask(&library, A::CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, memory, PAGE), [0]);
    assert_eq!(ask(&library, A::CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE, memory, PAGE), [1]);
    assert_eq!(ask(&library, A::CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, memory, PAGE), [-1, -2, -2]);
    let node = CUmemLocation { type_: CUmemLocationType::CU_MEM_LOCATION_TYPE_HOST_NUMA, id: 0 };
    assert_eq!(
        advise(memory, 4 * PAGE, CUmem_advise::CU_MEM_ADVISE_SET_ACCESSED_BY, node),
        INVALID
    );
    // What is not the same for all pages is none.
    assert_eq!(advise(memory, 1, CUmem_advise::CU_MEM_ADVISE_SET_PREFERRED_LOCATION, HOST), OK);
    assert_eq!(ask(&library, A::CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, memory, 2 * PAGE), [-2]);
    assert_eq!(ask(&library, A::CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, memory, PAGE), [-1]);

    assert_eq!(
        call!(library, cuMemPrefetchAsync(memory, 2 * PAGE, -1, stream): (CUdeviceptr, usize, c_int, CUstream)),
        OK
    );
    assert_eq!(
        ask(&library, A::CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, memory, 2 * PAGE),
        [-1]
    );
    let (mut pointers, mut sizes) =
        ([memory, memory + PAGE as u64, memory + 2 * PAGE as u64], [PAGE; 3]);
    let (mut places, mut firsts) = ([device(0), HOST], [0, 2]);
    let mut prefetch = |count: usize, firsts: &mut [usize], flags: u64, stream: CUstream| {
        call!(library, cuMemPrefetchBatchAsync(pointers.as_mut_ptr(), sizes.as_mut_ptr(), count, places.as_mut_ptr(),
            firsts.as_mut_ptr(), firsts.len(), flags, stream):
            (*mut CUdeviceptr, *mut usize, usize, *mut CUmemLocation, *mut usize, usize, u64, CUstream))
    };
    assert_eq!(prefetch(3, &mut firsts, 0, stream), OK);
    assert_eq!(
        ask(&library, A::CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, memory, 2 * PAGE),
        [0]
    );
    assert_eq!(
        ask(&library, A::CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, memory, 3 * PAGE),
        [-2]
    );
    assert_eq!(
        ask(
            &library,
            A::CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE,
            memory + 2 * PAGE as u64,
            1
        ),
        [2]
    );
    for (count, firsts, flags) in
        [(0, [0, 2], 0), (3, [0, 2], 1), (3, [1, 2], 0), (3, [0, 3], 0), (1, [0, 2], 0)]
    {
        assert_eq!(
            prefetch(count, &mut firsts.clone(), flags, stream),
            INVALID,
            "{count} {firsts:?} {flags}"
        );
    }
    // "Must not be legacy NULL stream."
    assert_eq!(prefetch(3, &mut firsts, 0, null_mut()), INVALID);
    let discard = |pointers: &mut [CUdeviceptr], sizes: &mut [usize]| {
        call!(library, cuMemDiscardBatchAsync(pointers.as_mut_ptr(), sizes.as_mut_ptr(), pointers.len(), 0, stream):
            (*mut CUdeviceptr, *mut usize, usize, u64, CUstream))
    };
    assert_eq!(discard(&mut [memory, memory + 5], &mut [8, 9]), OK);
    assert_eq!(discard(&mut [memory, memory + 5], &mut [8, 8 * PAGE]), INVALID);
    assert_eq!(discard(&mut [allocate(&library, 64)], &mut [8]), INVALID, "not managed");
    assert_eq!(discard(&mut [memory], &mut [0]), INVALID);

    let (mut read_mostly, mut accessed) = (77, [77; 2]);
    let mut places: [*mut c_void; 2] =
        [(&raw mut read_mostly).cast(), accessed.as_mut_ptr().cast()];
    let mut attributes =
        [A::CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, A::CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY];
    let mut ask_both = |count: usize, sizes: &mut [usize; 2]| {
        call!(library, cuMemRangeGetAttributes(places.as_mut_ptr(), sizes.as_mut_ptr(), attributes.as_mut_ptr(), count, memory, PAGE):
            (*mut *mut c_void, *mut usize, *mut A, usize, CUdeviceptr, usize))
    };
    assert_eq!(ask_both(2, &mut [4, 8]), OK);
    assert_eq!((read_mostly, accessed), (1, [-1, -2]));
    assert_eq!(ask_both(2, &mut [8, 8]), INVALID);
    assert_eq!(ask_both(2, &mut [4, 6]), INVALID);
    assert_eq!(ask_both(2, &mut [4, 0]), INVALID);
    assert_eq!(ask_both(0, &mut [4, 8]), INVALID);
    assert_eq!(
        call!(library, cuMemRangeGetAttributes(null_mut(), null_mut(), null_mut(), 2, memory, PAGE):
        (*mut *mut c_void, *mut usize, *mut A, usize, CUdeviceptr, usize)),
        INVALID
    );
}
