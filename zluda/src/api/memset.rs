//! Fills. "All memset functions are asynchronous with respect to the host unless the target address is
//! pinned host memory or a Unified Memory region": in the order of their stream.

use crate::core::stream::StreamArg;
use crate::core::transfer::fill::Fill;
use cuda_types::cuda::{CUdeviceptr, CUres};

pub(crate) fn cuMemsetD8_v2(to: CUdeviceptr, value: u8, count: usize, stream: StreamArg) -> CUres {
    Fill::D8(value).run(&stream.enter_to_work()?, to, 0, count, 1)
}

pub(crate) fn cuMemsetD8Async(
    to: CUdeviceptr,
    value: u8,
    count: usize,
    stream: StreamArg,
) -> CUres {
    Fill::D8(value).run(&stream.enter_to_work()?, to, 0, count, 1)
}

pub(crate) fn cuMemsetD2D8_v2(
    to: CUdeviceptr,
    pitch: usize,
    value: u8,
    width: usize,
    height: usize,
    stream: StreamArg,
) -> CUres {
    Fill::D8(value).run(&stream.enter_to_work()?, to, pitch, width, height)
}

pub(crate) fn cuMemsetD2D8Async(
    to: CUdeviceptr,
    pitch: usize,
    value: u8,
    width: usize,
    height: usize,
    stream: StreamArg,
) -> CUres {
    Fill::D8(value).run(&stream.enter_to_work()?, to, pitch, width, height)
}

pub(crate) fn cuMemsetD16_v2(
    to: CUdeviceptr,
    value: u16,
    count: usize,
    stream: StreamArg,
) -> CUres {
    Fill::D16(value).run(&stream.enter_to_work()?, to, 0, count, 1)
}

pub(crate) fn cuMemsetD16Async(
    to: CUdeviceptr,
    value: u16,
    count: usize,
    stream: StreamArg,
) -> CUres {
    Fill::D16(value).run(&stream.enter_to_work()?, to, 0, count, 1)
}

pub(crate) fn cuMemsetD2D16_v2(
    to: CUdeviceptr,
    pitch: usize,
    value: u16,
    width: usize,
    height: usize,
    stream: StreamArg,
) -> CUres {
    Fill::D16(value).run(&stream.enter_to_work()?, to, pitch, width, height)
}

pub(crate) fn cuMemsetD2D16Async(
    to: CUdeviceptr,
    pitch: usize,
    value: u16,
    width: usize,
    height: usize,
    stream: StreamArg,
) -> CUres {
    Fill::D16(value).run(&stream.enter_to_work()?, to, pitch, width, height)
}

pub(crate) fn cuMemsetD32_v2(
    to: CUdeviceptr,
    value: u32,
    count: usize,
    stream: StreamArg,
) -> CUres {
    Fill::D32(value).run(&stream.enter_to_work()?, to, 0, count, 1)
}

pub(crate) fn cuMemsetD32Async(
    to: CUdeviceptr,
    value: u32,
    count: usize,
    stream: StreamArg,
) -> CUres {
    Fill::D32(value).run(&stream.enter_to_work()?, to, 0, count, 1)
}

pub(crate) fn cuMemsetD2D32_v2(
    to: CUdeviceptr,
    pitch: usize,
    value: u32,
    width: usize,
    height: usize,
    stream: StreamArg,
) -> CUres {
    Fill::D32(value).run(&stream.enter_to_work()?, to, pitch, width, height)
}

pub(crate) fn cuMemsetD2D32Async(
    to: CUdeviceptr,
    pitch: usize,
    value: u32,
    width: usize,
    height: usize,
    stream: StreamArg,
) -> CUres {
    Fill::D32(value).run(&stream.enter_to_work()?, to, pitch, width, height)
}
