//! Operations of streams on words of memory.

use crate::convert::In;
use crate::core::graph::batch::{Batch, MOST};
use crate::core::graph::work::Work;
use crate::core::stream::StreamArg;
use cuda_types::cuda::{
    CUdeviceptr, CUres, CUstreamBatchMemOpParams, CUstreamBatchMemOpType as T, cuuint32_t,
    cuuint64_t,
};
use std::ffi::c_uint;

/// Puts a batch into a stream, or adds it to the capture of it. All of it is checked first.
fn run(
    stream: &StreamArg,
    operations: impl FnOnce() -> CUres<Vec<CUstreamBatchMemOpParams>>,
    flags: c_uint,
) -> CUres {
    let target = stream.enter_to_work()?;
    let context = target.stream.current.context.clone();
    let batch = Batch::new(context, operations()?, flags)?;
    match &target.recorder {
        Some(recorder) => recorder.add(Work::Batch(Box::new(batch))),
        None => batch.put(&target.stream),
    }
}

/// A batch of one operation that waits or writes: both kinds have one layout.
fn one(
    operation: T,
    address: CUdeviceptr,
    value: u64,
    flags: c_uint,
) -> CUres<Vec<CUstreamBatchMemOpParams>> {
    // SAFETY: all zeros is a value of every member.
    let mut params: CUstreamBatchMemOpParams = unsafe { std::mem::zeroed() };
    params.waitValue.operation = operation;
    // SAFETY: the member was begun above, and all of it is plain numbers.
    let wait = unsafe { &mut params.waitValue };
    wait.address = address;
    // Narrow values are the lower half of wide ones.
    wait.__bindgen_anon_1.value64 = value;
    wait.flags = flags;
    Ok(vec![params])
}

pub(crate) fn cuStreamWaitValue32_v2(
    stream: StreamArg,
    address: CUdeviceptr,
    value: cuuint32_t,
    flags: c_uint,
) -> CUres {
    run(&stream, || one(T::CU_STREAM_MEM_OP_WAIT_VALUE_32, address, value.into(), flags), 0)
}

pub(crate) fn cuStreamWaitValue64_v2(
    stream: StreamArg,
    address: CUdeviceptr,
    value: cuuint64_t,
    flags: c_uint,
) -> CUres {
    run(&stream, || one(T::CU_STREAM_MEM_OP_WAIT_VALUE_64, address, value, flags), 0)
}

pub(crate) fn cuStreamWriteValue32_v2(
    stream: StreamArg,
    address: CUdeviceptr,
    value: cuuint32_t,
    flags: c_uint,
) -> CUres {
    run(&stream, || one(T::CU_STREAM_MEM_OP_WRITE_VALUE_32, address, value.into(), flags), 0)
}

pub(crate) fn cuStreamWriteValue64_v2(
    stream: StreamArg,
    address: CUdeviceptr,
    value: cuuint64_t,
    flags: c_uint,
) -> CUres {
    run(&stream, || one(T::CU_STREAM_MEM_OP_WRITE_VALUE_64, address, value, flags), 0)
}

pub(crate) fn cuStreamBatchMemOp_v2(
    stream: StreamArg,
    count: c_uint,
    operations: In<CUstreamBatchMemOpParams>,
    flags: c_uint,
) -> CUres {
    run(&stream, || operations.array(count as usize, MOST), flags)
}
