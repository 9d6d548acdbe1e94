//! Copies between contexts, copies in batches, and fills of planes.

use std::ptr::{null, null_mut};

use cuda_types::cuda::*;

use super::NamedCase;
use crate::Sheet;
use crate::setup::*;
use differential::api::Api;

/// 64 bytes that count from `first`.
fn counting(api: &Api, first: u8) -> CUdeviceptr {
    let bytes: Vec<u8> = (0..64).map(|at| at + first).collect();
    let to = allocate(api, 64);
    must(api.cuMemcpyHtoD_v2(to, bytes.as_ptr().cast(), 64));
    to
}

/// The sum of 64 bytes.
fn sum(api: &Api, sheet: &mut Sheet, name: &str, from: CUdeviceptr) {
    let mut bytes = [0_u8; 64];
    must(api.cuCtxSynchronize());
    must(api.cuMemcpyDtoH_v2(bytes.as_mut_ptr().cast(), from, 64));
    sheet.put(name, bytes.iter().map(|byte| i64::from(*byte)).sum::<i64>());
}

fn batch_attributes(order: i32, flags: u32) -> CUmemcpyAttributes {
    let mut attributes: CUmemcpyAttributes = zeroed();
    attributes.srcAccessOrder = CUmemcpySrcAccessOrder_enum(order as _);
    attributes.flags = flags;
    attributes
}

fn operand(pointer: CUdeviceptr) -> CUmemcpy3DOperand {
    let mut operand: CUmemcpy3DOperand = zeroed();
    operand.type_ = CUmemcpy3DOperandType_enum(1);
    operand.op.ptr.ptr = pointer;
    operand
}

pub const CASES: &[NamedCase] = &[
    ("peer_copy/linear", |api, sheet| {
        let own = context(api);
        let (from, to, stream) = (counting(api, 0), allocate(api, 64), stream(api));
        sheet.put("copy", api.cuMemcpyPeer(to, own, from, own, 32));
        sum(api, sheet, "sum", to);
        sheet.put("async", api.cuMemcpyPeerAsync(to, own, from, own, 64, stream));
        sum(api, sheet, "async_sum", to);
        sheet.put("none", api.cuMemcpyPeer(to, own, from, own, 0));
        sheet.put("null_context", api.cuMemcpyPeer(to, null_mut(), from, own, 32));
        sheet.put("too_long", api.cuMemcpyPeer(to, own, from, own, 1 << 30));
        sheet.put("null", api.cuMemcpyPeer(0, own, from, own, 32));
    }),
    ("peer_copy/boxes", |api, sheet| {
        let own = context(api);
        let (from, to, stream) = (counting(api, 0), counting(api, 100), stream(api));
        let mut copy: CUDA_MEMCPY3D_PEER = zeroed();
        (copy.srcMemoryType, copy.srcDevice, copy.srcContext) = (CUmemorytype_enum(2), from, own);
        (copy.dstMemoryType, copy.dstDevice, copy.dstContext) = (CUmemorytype_enum(2), to, own);
        (copy.srcPitch, copy.dstPitch, copy.srcHeight, copy.dstHeight) = (8, 8, 4, 4);
        (copy.WidthInBytes, copy.Height, copy.Depth) = (4, 2, 2);
        sheet.put("copy", api.cuMemcpy3DPeer(&copy));
        sum(api, sheet, "sum", to);
        (copy.srcXInBytes, copy.dstY) = (4, 2);
        sheet.put("async", api.cuMemcpy3DPeerAsync(&copy, stream));
        sum(api, sheet, "async_sum", to);
        copy.WidthInBytes = 0;
        sheet.put("none", api.cuMemcpy3DPeer(&copy));
        (copy.WidthInBytes, copy.srcPitch) = (16, 8);
        sheet.put("wide", api.cuMemcpy3DPeer(&copy));
    }),
    ("batch_copy/linear", |api, sheet| {
        context(api);
        let (from, to, stream) = (counting(api, 0), counting(api, 100), stream(api));
        let order_of = |sheet: &mut Sheet,
                        name: &str,
                        order: i32,
                        flags: u32,
                        firsts: [usize; 2],
                        count: usize,
                        many: usize,
                        stream: CUstream| {
            let (mut to, mut from, mut sizes) = ([to, to + 32], [from, from + 16], [16, 16]);
            let (mut attributes, mut firsts, mut fail) = (
                [batch_attributes(order, flags), batch_attributes(order, flags)],
                firsts,
                77_usize,
            );
            let result = api.cuMemcpyBatchAsync(
                to.as_mut_ptr(),
                from.as_mut_ptr(),
                sizes.as_mut_ptr(),
                count,
                attributes.as_mut_ptr(),
                firsts.as_mut_ptr(),
                many,
                &mut fail,
                stream,
            );
            sheet.put(name, result);
            sheet.put(&format!("{name}_fail"), fail as i64);
            let result = api.cuMemcpyBatchAsync_v2(
                to.as_mut_ptr(),
                from.as_mut_ptr(),
                sizes.as_mut_ptr(),
                count,
                attributes.as_mut_ptr(),
                firsts.as_mut_ptr(),
                many,
                stream,
            );
            sheet.put(&format!("{name}_v2"), result);
        };
        order_of(sheet, "two", 1, 0, [0, 1], 2, 2, stream);
        sum(api, sheet, "sum", to);
        order_of(sheet, "one_attribute", 1, 0, [0, 0], 2, 1, stream);
        order_of(sheet, "during_call", 2, 0, [0, 0], 2, 1, stream);
        order_of(sheet, "any_order", 3, 0, [0, 0], 2, 1, stream);
        order_of(sheet, "order_0", 0, 0, [0, 0], 2, 1, stream);
        order_of(sheet, "order_9", 9, 0, [0, 0], 2, 1, stream);
        order_of(sheet, "flags_1", 1, 1, [0, 0], 2, 1, stream);
        order_of(sheet, "flags_2", 1, 2, [0, 0], 2, 1, stream);
        order_of(sheet, "first_1", 1, 0, [1, 0], 2, 1, stream);
        order_of(sheet, "equal_firsts", 1, 0, [0, 0], 2, 2, stream);
        order_of(sheet, "far_first", 1, 0, [0, 2], 2, 2, stream);
        order_of(sheet, "more_attributes", 1, 0, [0, 1], 1, 2, stream);
        order_of(sheet, "no_attributes", 1, 0, [0, 0], 2, 0, stream);
        order_of(sheet, "none", 1, 0, [0, 0], 0, 1, stream);
        order_of(sheet, "default_stream", 1, 0, [0, 0], 2, 1, null_mut());
        must(api.cuCtxSynchronize());
    }),
    ("batch_copy/bad_memory", |api, sheet| {
        context(api);
        let (from, to, stream) = (counting(api, 0), counting(api, 100), stream(api));
        for (name, second, size) in
            [("null", 0, 16), ("no_bytes", to + 32, 0), ("too_long", to + 32, 1 << 30)]
        {
            let (mut to, mut from, mut sizes) = ([to, second], [from, from + 16], [16, size]);
            let (mut attributes, mut first, mut fail) = (batch_attributes(1, 0), 0, 77_usize);
            let result = api.cuMemcpyBatchAsync(
                to.as_mut_ptr(),
                from.as_mut_ptr(),
                sizes.as_mut_ptr(),
                2,
                &mut attributes,
                &mut first,
                1,
                &mut fail,
                stream,
            );
            sheet.put(name, result);
            sheet.put(&format!("{name}_fail"), fail as i64);
        }
        sheet.put("synchronize", api.cuCtxSynchronize());
    }),
    ("batch_copy/boxes", |api, sheet| {
        context(api);
        let (from, to, stream) = (counting(api, 0), counting(api, 100), stream(api));
        let mut operation: CUDA_MEMCPY3D_BATCH_OP = zeroed();
        (operation.src, operation.dst) = (operand(from), operand(to));
        operation.extent.width = 16;
        operation.extent.height = 2;
        operation.extent.depth = 1;
        operation.srcAccessOrder = CUmemcpySrcAccessOrder_enum(1);
        let mut fail = 77_usize;
        sheet.put("one", api.cuMemcpy3DBatchAsync(1, &mut operation, &mut fail, 0, stream));
        sheet.put("one_fail", fail as i64);
        sum(api, sheet, "sum", to);
        sheet.put("v2", api.cuMemcpy3DBatchAsync_v2(1, &mut operation, 0, stream));
        sheet.put("flags", api.cuMemcpy3DBatchAsync_v2(1, &mut operation, 1, stream));
        sheet.put("none", api.cuMemcpy3DBatchAsync_v2(0, &mut operation, 0, stream));
        sheet.put("null", api.cuMemcpy3DBatchAsync_v2(1, null_mut(), 0, stream));
        sheet.put("default_stream", api.cuMemcpy3DBatchAsync_v2(1, &mut operation, 0, null_mut()));
        operation.extent.width = 0;
        sheet.put("no_bytes", api.cuMemcpy3DBatchAsync_v2(1, &mut operation, 0, stream));
        must(api.cuCtxSynchronize());
    }),
    ("fill/halves", |api, sheet| {
        context(api);
        let (to, stream) = (counting(api, 0), stream(api));
        sheet.put("async", api.cuMemsetD16Async(to, 0x0101, 16, stream));
        sum(api, sheet, "async_sum", to);
        sheet.put("odd", api.cuMemsetD16Async(to + 1, 0x0101, 16, stream));
        sheet.put("plane", api.cuMemsetD2D16_v2(to, 8, 0x0202, 2, 3));
        sum(api, sheet, "plane_sum", to);
        sheet.put("plane_async", api.cuMemsetD2D16Async(to, 8, 0x0303, 2, 4, stream));
        sum(api, sheet, "plane_async_sum", to);
        sheet.put("narrow_pitch", api.cuMemsetD2D16_v2(to, 2, 0x0202, 2, 3));
        sheet.put("odd_pitch", api.cuMemsetD2D16_v2(to, 7, 0x0202, 2, 3));
        sheet.put("no_width", api.cuMemsetD2D16_v2(to, 8, 0x0202, 0, 3));
        sheet.put("too_high", api.cuMemsetD2D16_v2(to, 8, 0x0202, 2, 1 << 28));
    }),
    ("fill/words", |api, sheet| {
        context(api);
        let (to, stream) = (counting(api, 0), stream(api));
        sheet.put("plane", api.cuMemsetD2D32_v2(to, 16, 0x0101_0101, 2, 3));
        sum(api, sheet, "plane_sum", to);
        sheet.put("plane_async", api.cuMemsetD2D32Async(to, 16, 0x0202_0202, 3, 2, stream));
        sum(api, sheet, "plane_async_sum", to);
        sheet.put("odd", api.cuMemsetD2D32_v2(to + 2, 16, 0, 2, 3));
        sheet.put("odd_pitch", api.cuMemsetD2D32_v2(to, 14, 0, 2, 3));
        sheet.put("one_row_any_pitch", api.cuMemsetD2D32_v2(to, 2, 0, 2, 1));
        sheet.put("no_height", api.cuMemsetD2D32Async(to, 16, 0, 3, 0, stream));
    }),
    ("copy_old/planes", |api, sheet| {
        context(api);
        let stream = stream(api);
        let mut bytes = [1_u8; 64];
        let mut copy: CUDA_MEMCPY2D_v1 = zeroed();
        (copy.srcMemoryType, copy.srcHost) = (CUmemorytype_enum(1), bytes.as_ptr().cast());
        (copy.dstMemoryType, copy.dstHost) = (CUmemorytype_enum(1), bytes.as_mut_ptr().cast());
        (copy.WidthInBytes, copy.Height) = (4, 2);
        sheet.put("async", api.cuMemcpy2DAsync(&copy, stream));
        sheet.put("unaligned", api.cuMemcpy2DUnaligned(&copy));
        sheet.put("null", api.cuMemcpy2DUnaligned(null()));
    }),
];
