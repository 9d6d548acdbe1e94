//! Copies.

use crate::convert::In;
use crate::core::context::Context;
use crate::core::stream::StreamArg;
use crate::core::transfer::copy::{BoxCopy, CopyAddress, LineEnd, Wait};
use cuda_types::cuda::{
    CUDA_MEMCPY2D, CUDA_MEMCPY3D, CUDA_MEMCPY3D_PEER, CUarray, CUcontext, CUdeviceptr, CUres,
};
use std::ffi::c_void;

pub(crate) fn cuMemcpy(
    to: CUdeviceptr,
    from: CUdeviceptr,
    size: usize,
    stream: StreamArg,
) -> CUres {
    stream.enter_to_work()?.copy(
        CopyAddress::Unified(to),
        CopyAddress::Unified(from),
        size,
        Wait::Yes,
    )
}

pub(crate) fn cuMemcpyAsync(
    to: CUdeviceptr,
    from: CUdeviceptr,
    size: usize,
    stream: StreamArg,
) -> CUres {
    stream.enter_to_work()?.copy(
        CopyAddress::Unified(to),
        CopyAddress::Unified(from),
        size,
        Wait::No,
    )
}

pub(crate) fn cuMemcpyHtoD_v2(
    to: CUdeviceptr,
    from: *const c_void,
    size: usize,
    stream: StreamArg,
) -> CUres {
    stream.enter_to_work()?.copy(
        CopyAddress::Device(to),
        CopyAddress::Host(from as u64),
        size,
        Wait::Yes,
    )
}

pub(crate) fn cuMemcpyHtoDAsync_v2(
    to: CUdeviceptr,
    from: *const c_void,
    size: usize,
    stream: StreamArg,
) -> CUres {
    stream.enter_to_work()?.copy(
        CopyAddress::Device(to),
        CopyAddress::Host(from as u64),
        size,
        Wait::No,
    )
}

pub(crate) fn cuMemcpyDtoH_v2(
    to: *mut c_void,
    from: CUdeviceptr,
    size: usize,
    stream: StreamArg,
) -> CUres {
    stream.enter_to_work()?.copy(
        CopyAddress::Host(to as u64),
        CopyAddress::Device(from),
        size,
        Wait::Yes,
    )
}

pub(crate) fn cuMemcpyDtoHAsync_v2(
    to: *mut c_void,
    from: CUdeviceptr,
    size: usize,
    stream: StreamArg,
) -> CUres {
    stream.enter_to_work()?.copy(
        CopyAddress::Host(to as u64),
        CopyAddress::Device(from),
        size,
        Wait::No,
    )
}

pub(crate) fn cuMemcpyDtoD_v2(
    to: CUdeviceptr,
    from: CUdeviceptr,
    size: usize,
    stream: StreamArg,
) -> CUres {
    // "This function exhibits asynchronous behavior for most use cases": in the order of the stream.
    stream.enter_to_work()?.copy(CopyAddress::Device(to), CopyAddress::Device(from), size, Wait::No)
}

pub(crate) fn cuMemcpyDtoDAsync_v2(
    to: CUdeviceptr,
    from: CUdeviceptr,
    size: usize,
    stream: StreamArg,
) -> CUres {
    stream.enter_to_work()?.copy(CopyAddress::Device(to), CopyAddress::Device(from), size, Wait::No)
}

/// An H100 takes null too, and does not compare contexts with memory.
fn check_contexts(contexts: [CUcontext; 2]) -> CUres {
    for context in contexts.into_iter().filter(|context| !context.is_null()) {
        Context::from_handle(context)?.check_usable()?;
    }
    Ok(())
}

pub(crate) fn cuMemcpyPeer(
    to: CUdeviceptr,
    to_context: CUcontext,
    from: CUdeviceptr,
    from_context: CUcontext,
    size: usize,
    stream: StreamArg,
) -> CUres {
    cuMemcpyPeerAsync(to, to_context, from, from_context, size, stream)
}

pub(crate) fn cuMemcpyPeerAsync(
    to: CUdeviceptr,
    to_context: CUcontext,
    from: CUdeviceptr,
    from_context: CUcontext,
    size: usize,
    stream: StreamArg,
) -> CUres {
    check_contexts([to_context, from_context])?;
    // Addresses are unified: they say themselves where they are. No graph has such a copy.
    let target = stream.enter_to_work()?;
    target.uncaptured()?;
    target.copy(CopyAddress::Device(to), CopyAddress::Device(from), size, Wait::No)
}

pub(crate) fn cuMemcpy2D_v2(description: In<CUDA_MEMCPY2D>, stream: StreamArg) -> CUres {
    BoxCopy::from_2d(&description.get()?)?.run(&stream.enter_to_work()?, Wait::Yes)
}

pub(crate) fn cuMemcpy2DUnaligned_v2(description: In<CUDA_MEMCPY2D>, stream: StreamArg) -> CUres {
    cuMemcpy2D_v2(description, stream)
}

pub(crate) fn cuMemcpy2DAsync_v2(description: In<CUDA_MEMCPY2D>, stream: StreamArg) -> CUres {
    BoxCopy::from_2d(&description.get()?)?.run(&stream.enter_to_work()?, Wait::No)
}

pub(crate) fn cuMemcpy3D_v2(description: In<CUDA_MEMCPY3D>, stream: StreamArg) -> CUres {
    BoxCopy::from_3d(&description.get()?)?.run(&stream.enter_to_work()?, Wait::Yes)
}

pub(crate) fn cuMemcpy3DAsync_v2(description: In<CUDA_MEMCPY3D>, stream: StreamArg) -> CUres {
    BoxCopy::from_3d(&description.get()?)?.run(&stream.enter_to_work()?, Wait::No)
}

pub(crate) fn cuMemcpy3DPeer(description: In<CUDA_MEMCPY3D_PEER>, stream: StreamArg) -> CUres {
    BoxCopy::from_3d(&without_contexts(&description.get()?)?)?
        .run(&stream.enter_to_work()?, Wait::Yes)
}

pub(crate) fn cuMemcpy3DPeerAsync(description: In<CUDA_MEMCPY3D_PEER>, stream: StreamArg) -> CUres {
    BoxCopy::from_3d(&without_contexts(&description.get()?)?)?
        .run(&stream.enter_to_work()?, Wait::No)
}

fn without_contexts(peer: &CUDA_MEMCPY3D_PEER) -> CUres<CUDA_MEMCPY3D> {
    check_contexts([peer.srcContext, peer.dstContext])?;
    Ok(CUDA_MEMCPY3D {
        srcXInBytes: peer.srcXInBytes,
        srcY: peer.srcY,
        srcZ: peer.srcZ,
        srcLOD: peer.srcLOD,
        srcMemoryType: peer.srcMemoryType,
        srcHost: peer.srcHost,
        srcDevice: peer.srcDevice,
        srcArray: peer.srcArray,
        reserved0: std::ptr::null_mut(),
        srcPitch: peer.srcPitch,
        srcHeight: peer.srcHeight,
        dstXInBytes: peer.dstXInBytes,
        dstY: peer.dstY,
        dstZ: peer.dstZ,
        dstLOD: peer.dstLOD,
        dstMemoryType: peer.dstMemoryType,
        dstHost: peer.dstHost,
        dstDevice: peer.dstDevice,
        dstArray: peer.dstArray,
        reserved1: std::ptr::null_mut(),
        dstPitch: peer.dstPitch,
        dstHeight: peer.dstHeight,
        WidthInBytes: peer.WidthInBytes,
        Height: peer.Height,
        Depth: peer.Depth,
    })
}

fn line(to: LineEnd, from: LineEnd, size: usize, stream: &StreamArg, wait: Wait) -> CUres {
    let stream = stream.enter_to_work()?;
    BoxCopy::line(to, from, size)?.run(&stream, wait)
}

fn host(address: *const c_void) -> LineEnd {
    LineEnd::Memory(CopyAddress::Host(address as u64))
}

fn device(address: CUdeviceptr) -> LineEnd {
    LineEnd::Memory(CopyAddress::Device(address))
}

pub(crate) fn cuMemcpyAtoH_v2(
    to: *mut c_void,
    from: CUarray,
    offset: usize,
    size: usize,
    stream: StreamArg,
) -> CUres {
    line(host(to), LineEnd::Array(from, offset), size, &stream, Wait::Yes)
}

pub(crate) fn cuMemcpyAtoHAsync_v2(
    to: *mut c_void,
    from: CUarray,
    offset: usize,
    size: usize,
    stream: StreamArg,
) -> CUres {
    line(host(to), LineEnd::Array(from, offset), size, &stream, Wait::No)
}

pub(crate) fn cuMemcpyHtoA_v2(
    to: CUarray,
    offset: usize,
    from: *const c_void,
    size: usize,
    stream: StreamArg,
) -> CUres {
    line(LineEnd::Array(to, offset), host(from), size, &stream, Wait::Yes)
}

pub(crate) fn cuMemcpyHtoAAsync_v2(
    to: CUarray,
    offset: usize,
    from: *const c_void,
    size: usize,
    stream: StreamArg,
) -> CUres {
    line(LineEnd::Array(to, offset), host(from), size, &stream, Wait::No)
}

pub(crate) fn cuMemcpyAtoD_v2(
    to: CUdeviceptr,
    from: CUarray,
    offset: usize,
    size: usize,
    stream: StreamArg,
) -> CUres {
    line(device(to), LineEnd::Array(from, offset), size, &stream, Wait::No)
}

pub(crate) fn cuMemcpyDtoA_v2(
    to: CUarray,
    offset: usize,
    from: CUdeviceptr,
    size: usize,
    stream: StreamArg,
) -> CUres {
    line(LineEnd::Array(to, offset), device(from), size, &stream, Wait::No)
}

pub(crate) fn cuMemcpyAtoA_v2(
    to: CUarray,
    to_offset: usize,
    from: CUarray,
    from_offset: usize,
    size: usize,
    stream: StreamArg,
) -> CUres {
    let (to, from) = (LineEnd::Array(to, to_offset), LineEnd::Array(from, from_offset));
    line(to, from, size, &stream, Wait::No)
}
