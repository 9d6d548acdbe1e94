//! Filling memory.

use std::ffi::c_void;

use hip_runtime_sys::{hipDeviceptr_t, hipExtent, hipPitchedPtr, hipStream_t, hipStreamLegacy};

use super::copy::{enqueue, transfer_and_wait};
use super::{INVALID, Result, hip_api};
use crate::core::copy::{Extent, PitchedPtr, Source, Transfer};
use crate::core::stream;
use crate::core::tables::tables;

/// Fills a box of memory of the device with values of `size` bytes.
fn fill(
    to: PitchedPtr,
    value: u32,
    size: usize,
    extent: Extent,
    stream: hipStream_t,
    waits: bool,
) -> Result {
    let stream = stream::find(stream)?;
    if extent.is_empty() {
        return Ok(());
    }
    if !to.start.is_multiple_of(size) || (extent.height > 1 && to.pitch < extent.width) {
        return Err(INVALID);
    }
    let span = to.span(extent).ok_or(INVALID)?;
    let claim = tables().memory.claim();
    let range = tables().memory.find(to.start).ok_or(INVALID)?;
    if span > range.start + range.size - to.start {
        return Err(INVALID);
    }
    let transfer = Transfer::new(to, Source::Fill { value, size }, extent);
    if waits {
        return transfer_and_wait(&stream, transfer, &[Some(range.context)], claim);
    }
    enqueue(&stream, transfer, None, &[Some(range.context)]);
    Ok(())
}

fn line(
    to: *mut c_void,
    value: u32,
    size: usize,
    count: usize,
    stream: hipStream_t,
    waits: bool,
) -> Result {
    let bytes = count.checked_mul(size).ok_or(INVALID)?;
    fill(PitchedPtr::line(to.addr()), value, size, Extent::line(bytes), stream, waits)
}

fn plane(
    to: *mut c_void,
    pitch: usize,
    value: u32,
    size: usize,
    [width, height]: [usize; 2],
    stream: hipStream_t,
    waits: bool,
) -> Result {
    let width = width.checked_mul(size).ok_or(INVALID)?;
    let extent = Extent { width, height, depth: 1 };
    fill(PitchedPtr { start: to.addr(), pitch, slice: 0 }, value, size, extent, stream, waits)
}

fn volume(
    to: hipPitchedPtr,
    value: i32,
    extent: hipExtent,
    stream: hipStream_t,
    waits: bool,
) -> Result {
    let slice = to.pitch.checked_mul(to.ysize).ok_or(INVALID)?;
    let ptr = PitchedPtr { start: to.ptr.addr(), pitch: to.pitch, slice };
    let extent = Extent { width: extent.width, height: extent.height, depth: extent.depth };
    fill(ptr, value as u32, 1, extent, stream, waits)
}

hip_api! {
    healthy fn hipMemset(dst: *mut c_void, value: i32, sizeBytes: usize) {
        line(dst, value as u32, 1, sizeBytes, hipStreamLegacy, true)
    }

    healthy fn hipMemsetAsync(dst: *mut c_void, value: i32, sizeBytes: usize, stream: hipStream_t) {
        line(dst, value as u32, 1, sizeBytes, stream, false)
    }

    healthy fn hipMemsetD8(dest: hipDeviceptr_t, value: u8, count: usize) {
        line(dest, value.into(), 1, count, hipStreamLegacy, true)
    }

    healthy fn hipMemsetD8Async(dest: hipDeviceptr_t, value: u8, count: usize, stream: hipStream_t) {
        line(dest, value.into(), 1, count, stream, false)
    }

    healthy fn hipMemsetD16(dest: hipDeviceptr_t, value: u16, count: usize) {
        line(dest, value.into(), 2, count, hipStreamLegacy, true)
    }

    healthy fn hipMemsetD16Async(dest: hipDeviceptr_t, value: u16, count: usize, stream: hipStream_t) {
        line(dest, value.into(), 2, count, stream, false)
    }

    healthy fn hipMemsetD32(dest: hipDeviceptr_t, value: i32, count: usize) {
        line(dest, value as u32, 4, count, hipStreamLegacy, true)
    }

    healthy fn hipMemsetD32Async(dst: hipDeviceptr_t, value: i32, count: usize, stream: hipStream_t) {
        line(dst, value as u32, 4, count, stream, false)
    }

    healthy fn hipMemset2D(dst: *mut c_void, pitch: usize, value: i32, width: usize, height: usize) {
        plane(dst, pitch, value as u32, 1, [width, height], hipStreamLegacy, true)
    }

    healthy fn hipMemset2DAsync(
        dst: *mut c_void, pitch: usize, value: i32, width: usize, height: usize, stream: hipStream_t,
    ) {
        plane(dst, pitch, value as u32, 1, [width, height], stream, false)
    }

    healthy fn hipMemsetD2D8(dst: hipDeviceptr_t, dstPitch: usize, value: u8, width: usize, height: usize) {
        plane(dst, dstPitch, value.into(), 1, [width, height], hipStreamLegacy, true)
    }

    healthy fn hipMemsetD2D8Async(
        dst: hipDeviceptr_t, dstPitch: usize, value: u8, width: usize, height: usize, stream: hipStream_t,
    ) {
        plane(dst, dstPitch, value.into(), 1, [width, height], stream, false)
    }

    healthy fn hipMemsetD2D16(dst: hipDeviceptr_t, dstPitch: usize, value: u16, width: usize, height: usize) {
        plane(dst, dstPitch, value.into(), 2, [width, height], hipStreamLegacy, true)
    }

    healthy fn hipMemsetD2D16Async(
        dst: hipDeviceptr_t, dstPitch: usize, value: u16, width: usize, height: usize, stream: hipStream_t,
    ) {
        plane(dst, dstPitch, value.into(), 2, [width, height], stream, false)
    }

    healthy fn hipMemsetD2D32(dst: hipDeviceptr_t, dstPitch: usize, value: u32, width: usize, height: usize) {
        plane(dst, dstPitch, value, 4, [width, height], hipStreamLegacy, true)
    }

    healthy fn hipMemsetD2D32Async(
        dst: hipDeviceptr_t, dstPitch: usize, value: u32, width: usize, height: usize, stream: hipStream_t,
    ) {
        plane(dst, dstPitch, value, 4, [width, height], stream, false)
    }

    healthy fn hipMemset3D(pitchedDevPtr: hipPitchedPtr, value: i32, extent: hipExtent) {
        volume(pitchedDevPtr, value, extent, hipStreamLegacy, true)
    }

    healthy fn hipMemset3DAsync(pitchedDevPtr: hipPitchedPtr, value: i32, extent: hipExtent, stream: hipStream_t) {
        volume(pitchedDevPtr, value, extent, stream, false)
    }
}
