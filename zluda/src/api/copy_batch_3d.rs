//! Many copies of boxes by one call.

use crate::convert::{In, Out};
use crate::core::capture::WorkTarget;
use crate::core::stream::{StreamArg, Target, launch_own_function};
use crate::core::texture::array;
use crate::core::transfer::copy::{BoxCopy, CopyAddress, Wait};
use cuda_types::cuda::{
    CUDA_MEMCPY3D, CUDA_MEMCPY3D_BATCH_OP, CUarray, CUdeviceptr, CUerror, CUmemcpy3DOperand,
    CUmemcpy3DOperandType, CUmemcpyFlags, CUmemcpySrcAccessOrder, CUmemorytype, CUres,
};
use std::ffi::c_ulonglong;
use std::ptr::null_mut;
use std::sync::Arc;

/// As many copies as anybody would list.
const MOST: usize = 1 << 20;

pub(crate) fn cuMemcpy3DBatchAsync_v2(
    count: usize,
    operations: In<CUDA_MEMCPY3D_BATCH_OP>,
    flags: c_ulonglong,
    stream: StreamArg,
) -> CUres {
    cuMemcpy3DBatchAsync(count, operations, Out::none(), flags, stream)
}

/// "failIdx: Pointer to a location to return the index of the copy where a failure was encountered. The value will be
/// SIZE_MAX if the error doesn't pertain to any specific copy."
pub(crate) fn cuMemcpy3DBatchAsync(
    count: usize,
    operations: In<CUDA_MEMCPY3D_BATCH_OP>,
    failed: Out<usize>,
    flags: c_ulonglong,
    stream: StreamArg,
) -> CUres {
    failed.set_if_wanted(usize::MAX);
    // "flags: Flags for future use, must be zero now." "hStream: ... Must not be default NULL stream."
    if count == 0 || flags != 0 || matches!(stream, StreamArg::Legacy) {
        return Err(CUerror::INVALID_VALUE);
    }
    let WorkTarget { stream, recorder: None } = stream.enter_to_work()? else {
        // As for batches of plain copies: the capture goes on.
        return Err(CUerror::STREAM_CAPTURE_UNSUPPORTED);
    };
    let operations = operations.array(count, MOST)?;
    for (at, operation) in operations.iter().enumerate() {
        run(operation, &stream).inspect_err(|_| failed.set_if_wanted(at))?;
    }
    Ok(())
}

/// One side of a copy, as descriptions of single copies have it.
struct Side {
    kind: CUmemorytype,
    address: CUdeviceptr,
    array: CUarray,
    corner: [usize; 3],
    pitch: usize,
    height: usize,
}

/// The array of an operand; none of memory.
fn array_of(operand: &CUmemcpy3DOperand) -> CUres<Option<CUarray>> {
    match operand.type_ {
        CUmemcpy3DOperandType::CU_MEMCPY_OPERAND_TYPE_POINTER => Ok(None),
        // SAFETY: the type says which member there is.
        CUmemcpy3DOperandType::CU_MEMCPY_OPERAND_TYPE_ARRAY => unsafe {
            Ok(Some(operand.op.array.array))
        },
        _ => Err(CUerror::INVALID_VALUE),
    }
}

/// "For pointer-to-pointer copies, the element size is considered to be 1. For pointer to CUDA array or vice versa copies,
/// the element size is determined by the CUDA array. For CUDA array to CUDA array copies, the element size of the two CUDA
/// arrays must match."
fn element(operation: &CUDA_MEMCPY3D_BATCH_OP) -> CUres<usize> {
    let size = |operand| -> CUres<Option<usize>> {
        let Some(handle) = array_of(operand)? else { return Ok(None) };
        let array = array::from_handle(handle).map_err(|_| CUerror::INVALID_VALUE)?;
        Ok(Some(array.format.size()))
    };
    match (size(&operation.src)?, size(&operation.dst)?) {
        (None, None) => Ok(1),
        (Some(from), Some(to)) if from != to => Err(CUerror::INVALID_VALUE),
        (Some(size), _) | (None, Some(size)) => Ok(size),
    }
}

fn side(operand: &CUmemcpy3DOperand, element: usize) -> CUres<Side> {
    let bytes = |elements: usize| elements.checked_mul(element).ok_or(CUerror::INVALID_VALUE);
    if let Some(array) = array_of(operand)? {
        // SAFETY: it is an array.
        let offset = unsafe { operand.op.array.offset };
        return Ok(Side {
            kind: CUmemorytype::CU_MEMORYTYPE_ARRAY,
            address: 0,
            array,
            corner: [bytes(offset.x)?, offset.y, offset.z],
            pitch: 0,
            height: 0,
        });
    }
    // SAFETY: it is a pointer.
    let pointer = unsafe { operand.op.ptr };
    // Where it lies is a hint for memory that has no fixed place.
    Ok(Side {
        kind: CUmemorytype::CU_MEMORYTYPE_UNIFIED,
        address: pointer.ptr,
        array: null_mut(),
        corner: [0; 3],
        pitch: bytes(pointer.rowLength)?,
        height: pointer.layerHeight,
    })
}

fn run(operation: &CUDA_MEMCPY3D_BATCH_OP, target: &Target) -> CUres {
    use CUmemcpySrcAccessOrder as Order;
    let known = [
        Order::CU_MEMCPY_SRC_ACCESS_ORDER_STREAM,
        Order::CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL,
        Order::CU_MEMCPY_SRC_ACCESS_ORDER_ANY,
    ];
    let flags = CUmemcpyFlags::CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE.0;
    let extent = operation.extent;
    // "The width, height and depth of a copy are specified in elements and must not be zero."
    if !known.contains(&operation.srcAccessOrder)
        || operation.flags & !flags != 0
        || [extent.width, extent.height, extent.depth].contains(&0)
    {
        return Err(CUerror::INVALID_VALUE);
    }
    let element = element(operation)?;
    let width = extent.width.checked_mul(element).ok_or(CUerror::INVALID_VALUE)?;
    let (from, to) = (side(&operation.src, element)?, side(&operation.dst, element)?);
    // SAFETY: all zeros is a description of a copy.
    let zeros: CUDA_MEMCPY3D = unsafe { std::mem::zeroed() };
    let mut description = CUDA_MEMCPY3D {
        srcXInBytes: from.corner[0],
        srcY: from.corner[1],
        srcZ: from.corner[2],
        srcMemoryType: from.kind,
        srcDevice: from.address,
        srcArray: from.array,
        srcPitch: from.pitch,
        srcHeight: from.height,
        dstXInBytes: to.corner[0],
        dstY: to.corner[1],
        dstZ: to.corner[2],
        dstMemoryType: to.kind,
        dstDevice: to.address,
        dstArray: to.array,
        dstPitch: to.pitch,
        dstHeight: to.height,
        WidthInBytes: width,
        Height: extent.height,
        Depth: extent.depth,
        ..zeros
    };
    let copy = BoxCopy::from_3d(&description)?;
    let source = CopyAddress::Unified(from.address);
    let is_ephemeral =
        operation.srcAccessOrder == Order::CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL;
    if from.kind != CUmemorytype::CU_MEMORYTYPE_UNIFIED || !is_ephemeral || !source.is_unknown() {
        let wait = if is_ephemeral { Wait::Yes } else { Wait::No };
        return copy.put(target, wait);
    }
    // What the program forgets after the call is read now; the stream may wait for what the program does then.
    let pitch = if from.pitch == 0 { width } else { from.pitch };
    let height = if from.height == 0 { extent.height } else { from.height };
    let span = || {
        let slices = pitch.checked_mul(height)?.checked_mul(extent.depth - 1)?;
        slices.checked_add(pitch.checked_mul(extent.height - 1)?)?.checked_add(width)
    };
    let span = span().ok_or(CUerror::INVALID_VALUE)?;
    source.check_now(span)?;
    let mut bytes = Vec::<u8>::new();
    bytes.try_reserve_exact(span).map_err(|_| CUerror::OUT_OF_MEMORY)?;
    // SAFETY: the source was checked as far as it is known, the program answers for the rest; there is room.
    unsafe {
        std::ptr::copy_nonoverlapping(from.address as *const u8, bytes.as_mut_ptr(), span);
    }
    description.srcMemoryType = CUmemorytype::CU_MEMORYTYPE_HOST;
    description.srcHost = bytes.as_ptr().cast();
    BoxCopy::from_3d(&description)?.put(target, Wait::No)?;
    let bytes = Arc::new(bytes);
    let kept = Arc::clone(&bytes);
    // Where nothing can end them behind the copy, they end here.
    launch_own_function(target, move || drop(kept)).or_else(|_| target.synchronize())
}
