//! Copies.
//!
//! Device and host addresses are the same, so a copy is a copy; but the kinds are checked as on a device,
//! and the rules for when a call may return hold.

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hip_runtime_sys::{
    HIP_MEMCPY3D, hip_Memcpy2D, hipArray_t, hipDeviceptr_t, hipError_t, hipMemcpy3DParms,
    hipMemcpyKind, hipMemoryType, hipStream_t, hipStreamLegacy,
};

use super::{INVALID, Result, check_may_wait, hip_api};
use crate::core::array::Array;
use crate::core::context::Context;
use crate::core::copy::{Extent, PitchedPtr, Source, Transfer, TransferTask, tell};
use crate::core::memory::Claim;
use crate::core::stream::{self, Stream};
use crate::core::tables::tables;
use crate::work::op::{Op, Work};
use crate::work::pool::Pool;
use crate::work::{blocks::Order, job::Job};
use zluda_common::printf;

/// Transfers up to this size are done by one thread, at once where nothing is in the way.
const SMALL: usize = 64 << 10;
/// As much of a program's own memory is copied aside, so that a call need not wait.
const STAGED_MOST: usize = 64 << 20;

/// The memory that a pointer must be to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Host,
    Device,
    Any,
}

fn sides(kind: hipMemcpyKind) -> Result<(Side, Side)> {
    Ok(match kind {
        hipMemcpyKind::hipMemcpyHostToHost => (Side::Host, Side::Host),
        hipMemcpyKind::hipMemcpyHostToDevice => (Side::Host, Side::Device),
        hipMemcpyKind::hipMemcpyDeviceToHost => (Side::Device, Side::Host),
        hipMemcpyKind::hipMemcpyDeviceToDevice | hipMemcpyKind::hipMemcpyDeviceToDeviceNoCU => {
            (Side::Device, Side::Device)
        }
        hipMemcpyKind::hipMemcpyDefault => (Side::Any, Side::Any),
        _ => return Err(hipError_t::hipErrorInvalidMemcpyDirection),
    })
}

/// Checks one end of a transfer; tells whose memory it is: nobody's where it is the program's own, which nobody registered.
fn check(pitched: &PitchedPtr, extent: Extent, side: Side) -> Result<Option<&'static Context>> {
    if pitched.start == 0 || (extent.height > 1 && pitched.pitch < extent.width) {
        return Err(INVALID);
    }
    let span = pitched.span(extent).ok_or(INVALID)?;
    match tables().memory.find(pitched.start) {
        Some(range) if span <= range.start + range.size - pitched.start => Ok(Some(range.context)),
        Some(_) => Err(INVALID),
        None if side == Side::Device => Err(INVALID),
        None => Ok(None),
    }
}

/// Puts a checked transfer into a stream, which uses memory of these contexts.
pub(super) fn enqueue(
    stream: &Stream,
    transfer: Transfer,
    staged: Option<Box<[u8]>>,
    owners: &[Option<&'static Context>],
) -> Arc<Op> {
    enqueue_as(stream, transfer, staged, owners, None)
}

/// The same; sets `refused`, if there is one, where memory is not there, instead of leaving the error with the device.
fn enqueue_as(
    stream: &Stream,
    transfer: Transfer,
    staged: Option<Box<[u8]>>,
    owners: &[Option<&'static Context>],
    refused: Option<Arc<AtomicBool>>,
) -> Arc<Op> {
    let (priority, failure) = (-stream.priority(), &stream.context.device.failure);
    let work = if transfer.extent.bytes() <= SMALL {
        Work::Quick(Box::new(move || {
            let _staged = staged;
            if failure.get().is_none()
                && let Err(error) = transfer.run_here()
            {
                tell(refused.as_deref(), failure, error);
            }
        }))
    } else {
        Work::Blocks(Box::new(move |op| {
            let blocks = transfer.blocks();
            let task = Arc::new(TransferTask { transfer, _staged: staged, refused });
            (Job::new(task, op, priority, blocks, Order::Any, transfer.threads()), blocks)
        }))
    };
    let op = stream.enqueue(false, None, work);
    for owner in owners.iter().flatten().filter(|owner| **owner != stream.context) {
        owner.add_borrower(op.clone());
    }
    op
}

/// Does a checked transfer in stream order; returns when it has ended. `owners` are the contexts whose memory it uses,
/// which nobody frees before it has begun.
pub(super) fn transfer_and_wait(
    stream: &Stream,
    transfer: Transfer,
    owners: &[Option<&'static Context>],
    claim: Claim<'_>,
) -> Result {
    check_may_wait()?;
    let context = stream.context;
    let is_small = transfer.extent.bytes() <= 8 * SMALL;
    if let Some(_now) = is_small.then(|| context.streams.at_once(stream)).flatten() {
        if let Err(error) = transfer.run_here() {
            // Memory of the program's own that is gone, or may not be used: no kernel has done anything wrong.
            if owners.iter().any(Option::is_none) {
                return Err(INVALID);
            }
            context.device.failure.set(error);
        }
    } else {
        let of_program = owners.iter().any(Option::is_none);
        let refused = of_program.then(|| Arc::new(AtomicBool::new(false)));
        let op = enqueue_as(stream, transfer, None, owners, refused.clone());
        drop(claim);
        op.wait();
        if refused.is_some_and(|refused| refused.load(Ordering::Acquire)) {
            return Err(INVALID);
        }
    }
    printf::flush();
    context.device.error().map_or(Ok(()), Err)
}

/// A copy of a box, in any of the ways that programs say it.
fn copy(
    to: PitchedPtr,
    from: PitchedPtr,
    extent: Extent,
    kind: (Side, Side),
    stream: hipStream_t,
    waits: bool,
) -> Result {
    let stream = stream::find(stream)?;
    if extent.is_empty() {
        return Ok(());
    }
    // Before the claim: what ends with a job may free memory.
    if waits || extent.bytes() <= SMALL && stream.is_idle() {
        Pool::get().catch_up();
    }
    let claim = tables().memory.claim();
    let owners = [check(&from, extent, kind.0)?, check(&to, extent, kind.1)?];
    let [from_own, to_own] = owners.map(|owner| owner.is_none());
    let transfer = Transfer::new(to, Source::Copy(from), extent);
    // Memory that nobody registered may be gone, or changed, when the call has returned. "Copies from
    // such memory return when it has been read; copies to it when they have ended."
    if waits || to_own {
        return transfer_and_wait(&stream, transfer, &owners, claim);
    }
    let bytes = transfer.extent.bytes();
    if bytes <= SMALL
        && let Some(_now) = stream.context.streams.at_once(&stream)
    {
        let failure = &stream.context.device.failure;
        return transfer.run_here().inspect_err(|error| failure.set(*error));
    }
    if !from_own {
        enqueue(&stream, transfer, None, &owners);
        return Ok(());
    }
    if bytes > STAGED_MOST {
        return transfer_and_wait(&stream, transfer, &owners, claim);
    }
    let mut staged = vec![0u8; bytes].into_boxed_slice();
    let aside = PitchedPtr {
        start: staged.as_mut_ptr() as usize,
        pitch: extent.width,
        slice: extent.width * extent.height,
    };
    Transfer::new(aside, Source::Copy(from), extent).run_here().map_err(|_| INVALID)?;
    enqueue(&stream, Transfer::new(to, Source::Copy(aside), extent), Some(staged), &owners);
    Ok(())
}

fn line(
    to: *mut c_void,
    from: *const c_void,
    size: usize,
    kind: (Side, Side),
    stream: hipStream_t,
    waits: bool,
) -> Result {
    copy(
        PitchedPtr::line(to.addr()),
        PitchedPtr::line(from.addr()),
        Extent::line(size),
        kind,
        stream,
        waits,
    )
}

fn plane(pointer: *const c_void, pitch: usize) -> PitchedPtr {
    PitchedPtr { start: pointer.addr(), pitch, slice: 0 }
}

/// An array as one end of a copy: where it begins, and the size that copies of it have to keep to.
fn array_end(
    array: hipArray_t,
    [x, y, z]: [usize; 3],
    extent: Extent,
) -> Result<(PitchedPtr, Arc<Array>)> {
    let array = tables().arrays.get(array).ok_or(hipError_t::hipErrorInvalidHandle)?;
    let whole = array.extent();
    let fits = |from: usize, size: usize, all: usize| from <= all && size <= all - from;
    if !fits(x, extent.width, whole.width)
        || !fits(y, extent.height, whole.height)
        || !fits(z, extent.depth, whole.depth)
    {
        return Err(INVALID);
    }
    let pitched = array.level.ptr;
    let start = pitched.start + z * pitched.slice + y * pitched.pitch + x;
    Ok((PitchedPtr { start, ..pitched }, array))
}

/// One end of a copy that names its memory by type.
fn end(kind: hipMemoryType, host: *const c_void, device: *const c_void) -> Result<(usize, Side)> {
    match kind {
        hipMemoryType::hipMemoryTypeHost => Ok((host.addr(), Side::Host)),
        hipMemoryType::hipMemoryTypeDevice => Ok((device.addr(), Side::Device)),
        hipMemoryType::hipMemoryTypeUnified | hipMemoryType::hipMemoryTypeManaged => {
            Ok((device.addr(), Side::Any))
        }
        _ => Err(INVALID),
    }
}

/// One end of a copy, as its description has it.
struct Half {
    kind: hipMemoryType,
    host: *const c_void,
    device: *const c_void,
    array: hipArray_t,
    corner: [usize; 3],
    pitch: usize,
    height: usize,
}

impl Half {
    /// The first byte and the pitches of the box, the memory that it must be in, and the array that has to live until
    /// the copy has ended.
    fn pitched(&self, extent: Extent) -> Result<(PitchedPtr, Side, Option<Arc<Array>>)> {
        if self.kind == hipMemoryType::hipMemoryTypeArray {
            let (pitched, array) = array_end(self.array, self.corner, extent)?;
            return Ok((pitched, Side::Device, Some(array)));
        }
        let (start, side) = end(self.kind, self.host, self.device)?;
        let [x, y, z] = self.corner;
        // "A pitch of 0 means the width of the copy."
        let pitch = if self.pitch == 0 { extent.width } else { self.pitch };
        let pitched = || {
            let slice =
                pitch.checked_mul(if self.height == 0 { extent.height } else { self.height })?;
            let rows = z.checked_mul(slice)?.checked_add(y.checked_mul(pitch)?)?;
            Some(PitchedPtr { start: rows.checked_add(x)?.checked_add(start)?, pitch, slice })
        };
        Ok((pitched().ok_or(INVALID)?, side, None))
    }
}

fn copy_halves(from: &Half, to: &Half, extent: Extent, stream: hipStream_t, waits: bool) -> Result {
    if extent.is_empty() {
        return Ok(());
    }
    let (from, from_side, _from) = from.pitched(extent)?;
    let (to, to_side, _to) = to.pitched(extent)?;
    copy(to, from, extent, (from_side, to_side), stream, waits)
}

/// # Safety
/// `parameters` is null or valid.
unsafe fn copy_2d(parameters: *const hip_Memcpy2D, stream: hipStream_t, waits: bool) -> Result {
    // SAFETY: the caller's promise.
    let p = unsafe { parameters.as_ref() }.ok_or(INVALID)?;
    let extent = Extent { width: p.WidthInBytes, height: p.Height, depth: 1 };
    let from = Half {
        kind: p.srcMemoryType,
        host: p.srcHost,
        device: p.srcDevice,
        array: p.srcArray,
        corner: [p.srcXInBytes, p.srcY, 0],
        pitch: p.srcPitch,
        height: 0,
    };
    let to = Half {
        kind: p.dstMemoryType,
        host: p.dstHost,
        device: p.dstDevice,
        array: p.dstArray,
        corner: [p.dstXInBytes, p.dstY, 0],
        pitch: p.dstPitch,
        height: 0,
    };
    copy_halves(&from, &to, extent, stream, waits)
}

/// # Safety
/// `parameters` is null or valid.
unsafe fn copy_3d_driver(
    parameters: *const HIP_MEMCPY3D,
    stream: hipStream_t,
    waits: bool,
) -> Result {
    // SAFETY: the caller's promise.
    let p = unsafe { parameters.as_ref() }.ok_or(INVALID)?;
    let extent = Extent { width: p.WidthInBytes, height: p.Height, depth: p.Depth };
    let from = Half {
        kind: p.srcMemoryType,
        host: p.srcHost,
        device: p.srcDevice,
        array: p.srcArray,
        corner: [p.srcXInBytes, p.srcY, p.srcZ],
        pitch: p.srcPitch,
        height: p.srcHeight,
    };
    let to = Half {
        kind: p.dstMemoryType,
        host: p.dstHost,
        device: p.dstDevice,
        array: p.dstArray,
        corner: [p.dstXInBytes, p.dstY, p.dstZ],
        pitch: p.dstPitch,
        height: p.dstHeight,
    };
    copy_halves(&from, &to, extent, stream, waits)
}

/// # Safety
/// `parameters` is null or valid.
unsafe fn copy_3d(parameters: *const hipMemcpy3DParms, stream: hipStream_t, waits: bool) -> Result {
    // SAFETY: the caller's promise.
    let p = unsafe { parameters.as_ref() }.ok_or(INVALID)?;
    if !p.srcArray.is_null() || !p.dstArray.is_null() {
        return Err(hipError_t::hipErrorNotSupported);
    }
    let pitched = |pointer: hip_runtime_sys::hipPitchedPtr, position: hip_runtime_sys::hipPos| {
        let slice = pointer.pitch.checked_mul(pointer.ysize)?;
        let start =
            position.z.checked_mul(slice)?.checked_add(position.y.checked_mul(pointer.pitch)?)?;
        let start = start.checked_add(position.x)?.checked_add(pointer.ptr.addr())?;
        Some(PitchedPtr { start, pitch: pointer.pitch, slice })
    };
    let (from, to) =
        (pitched(p.srcPtr, p.srcPos).ok_or(INVALID)?, pitched(p.dstPtr, p.dstPos).ok_or(INVALID)?);
    let extent = Extent { width: p.extent.width, height: p.extent.height, depth: p.extent.depth };
    copy(to, from, extent, sides(p.kind)?, stream, waits)
}

const TO_DEVICE: (Side, Side) = (Side::Host, Side::Device);
const TO_HOST: (Side, Side) = (Side::Device, Side::Host);
const ON_DEVICE: (Side, Side) = (Side::Device, Side::Device);

hip_api! {
    healthy fn hipMemcpy(dst: *mut c_void, src: *const c_void, sizeBytes: usize, kind: hipMemcpyKind) {
        line(dst, src, sizeBytes, sides(kind)?, hipStreamLegacy, true)
    }

    healthy fn hipMemcpyWithStream(
        dst: *mut c_void, src: *const c_void, sizeBytes: usize, kind: hipMemcpyKind, stream: hipStream_t,
    ) {
        line(dst, src, sizeBytes, sides(kind)?, stream, true)
    }

    healthy fn hipMemcpyAsync(
        dst: *mut c_void, src: *const c_void, sizeBytes: usize, kind: hipMemcpyKind, stream: hipStream_t,
    ) {
        line(dst, src, sizeBytes, sides(kind)?, stream, false)
    }

    healthy fn hipMemcpyHtoD(dst: hipDeviceptr_t, src: *const c_void, sizeBytes: usize) {
        line(dst, src, sizeBytes, TO_DEVICE, hipStreamLegacy, true)
    }

    healthy fn hipMemcpyDtoH(dst: *mut c_void, src: hipDeviceptr_t, sizeBytes: usize) {
        line(dst, src, sizeBytes, TO_HOST, hipStreamLegacy, true)
    }

    healthy fn hipMemcpyDtoD(dst: hipDeviceptr_t, src: hipDeviceptr_t, sizeBytes: usize) {
        line(dst, src, sizeBytes, ON_DEVICE, hipStreamLegacy, true)
    }

    healthy fn hipMemcpyHtoDAsync(dst: hipDeviceptr_t, src: *const c_void, sizeBytes: usize, stream: hipStream_t) {
        line(dst, src, sizeBytes, TO_DEVICE, stream, false)
    }

    healthy fn hipMemcpyDtoHAsync(dst: *mut c_void, src: hipDeviceptr_t, sizeBytes: usize, stream: hipStream_t) {
        line(dst, src, sizeBytes, TO_HOST, stream, false)
    }

    healthy fn hipMemcpyDtoDAsync(dst: hipDeviceptr_t, src: hipDeviceptr_t, sizeBytes: usize, stream: hipStream_t) {
        line(dst, src, sizeBytes, ON_DEVICE, stream, false)
    }

    healthy fn hipMemcpyPeer(
        dst: *mut c_void, dstDeviceId: i32, src: *const c_void, srcDeviceId: i32, sizeBytes: usize,
    ) {
        super::check_device(dstDeviceId)?;
        super::check_device(srcDeviceId)?;
        line(dst, src, sizeBytes, ON_DEVICE, hipStreamLegacy, true)
    }

    healthy fn hipMemcpyPeerAsync(
        dst: *mut c_void, dstDeviceId: i32, src: *const c_void, srcDevice: i32, sizeBytes: usize, stream: hipStream_t,
    ) {
        super::check_device(dstDeviceId)?;
        super::check_device(srcDevice)?;
        line(dst, src, sizeBytes, ON_DEVICE, stream, false)
    }

    healthy fn hipMemcpy2D(
        dst: *mut c_void, dpitch: usize, src: *const c_void, spitch: usize, width: usize, height: usize,
        kind: hipMemcpyKind,
    ) {
        let extent = Extent { width, height, depth: 1 };
        copy(plane(dst, dpitch), plane(src, spitch), extent, sides(kind)?, hipStreamLegacy, true)
    }

    healthy fn hipMemcpy2DAsync(
        dst: *mut c_void, dpitch: usize, src: *const c_void, spitch: usize, width: usize, height: usize,
        kind: hipMemcpyKind, stream: hipStream_t,
    ) {
        let extent = Extent { width, height, depth: 1 };
        copy(plane(dst, dpitch), plane(src, spitch), extent, sides(kind)?, stream, false)
    }

    healthy fn hipMemcpyParam2D(pCopy: *const hip_Memcpy2D) {
        // SAFETY: the program's pointer.
        unsafe { copy_2d(pCopy, hipStreamLegacy, true) }
    }

    healthy fn hipDrvMemcpy2DUnaligned(pCopy: *const hip_Memcpy2D) {
        // SAFETY: the program's pointer.
        unsafe { copy_2d(pCopy, hipStreamLegacy, true) }
    }

    healthy fn hipMemcpyParam2DAsync(pCopy: *const hip_Memcpy2D, stream: hipStream_t) {
        // SAFETY: the program's pointer.
        unsafe { copy_2d(pCopy, stream, false) }
    }

    healthy fn hipMemcpy3D(p: *const hipMemcpy3DParms) {
        // SAFETY: the program's pointer.
        unsafe { copy_3d(p, hipStreamLegacy, true) }
    }

    healthy fn hipMemcpy3DAsync(p: *const hipMemcpy3DParms, stream: hipStream_t) {
        // SAFETY: the program's pointer.
        unsafe { copy_3d(p, stream, false) }
    }

    healthy fn hipDrvMemcpy3D(pCopy: *const HIP_MEMCPY3D) {
        // SAFETY: the program's pointer.
        unsafe { copy_3d_driver(pCopy, hipStreamLegacy, true) }
    }

    healthy fn hipDrvMemcpy3DAsync(pCopy: *const HIP_MEMCPY3D, stream: hipStream_t) {
        // SAFETY: the program's pointer.
        unsafe { copy_3d_driver(pCopy, stream, false) }
    }
}
