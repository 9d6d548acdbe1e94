//! Operations on the linear address 0 in the capture of a stream: which become nodes, and what those do.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use cuda_types::cuda::*;

use super::NamedCase;
use super::capture::{GLOBAL, begin};
use super::graph::{count_of_nodes, graph};
use super::graph_node::current;
use super::memory_operation::operation;
use crate::setup::*;
use differential::api::Api;

type Call = fn(&Api, CUstream, CUdeviceptr) -> i64;

fn flat(from: CUdeviceptr, to: CUdeviceptr) -> CUDA_MEMCPY3D_st {
    let mut copy: CUDA_MEMCPY3D_st = zeroed();
    copy.srcMemoryType = CUmemorytype::CU_MEMORYTYPE_DEVICE;
    copy.dstMemoryType = CUmemorytype::CU_MEMORYTYPE_DEVICE;
    (copy.srcDevice, copy.dstDevice) = (from, to);
    (copy.WidthInBytes, copy.Height, copy.Depth) = (4, 2, 2);
    (copy.srcPitch, copy.dstPitch, copy.srcHeight, copy.dstHeight) = (4, 4, 2, 2);
    copy
}

fn plane(from: CUdeviceptr, to: CUdeviceptr) -> CUDA_MEMCPY2D_st {
    let mut copy: CUDA_MEMCPY2D_st = zeroed();
    copy.srcMemoryType = CUmemorytype::CU_MEMORYTYPE_DEVICE;
    copy.dstMemoryType = CUmemorytype::CU_MEMORYTYPE_DEVICE;
    (copy.srcDevice, copy.dstDevice) = (from, to);
    (copy.WidthInBytes, copy.Height, copy.srcPitch, copy.dstPitch) = (4, 2, 4, 4);
    copy
}

/// Each with a stream and a good address.
const CALLS: &[(&str, Call)] = &[
    ("memset_d8", |api, stream, _| api.cuMemsetD8Async(0, 1, 8, stream)),
    ("memset_d32", |api, stream, _| api.cuMemsetD32Async(0, 1, 8, stream)),
    ("memset_none", |api, stream, _| api.cuMemsetD8Async(0, 1, 0, stream)),
    ("memset_2d", |api, stream, _| api.cuMemsetD2D8Async(0, 4, 1, 4, 2, stream)),
    ("copy_to", |api, stream, good| api.cuMemcpyDtoDAsync_v2(0, good, 8, stream)),
    ("copy_from", |api, stream, good| api.cuMemcpyDtoDAsync_v2(good, 0, 8, stream)),
    ("copy_none", |api, stream, good| api.cuMemcpyDtoDAsync_v2(0, good, 0, stream)),
    ("copy_by_address", |api, stream, good| api.cuMemcpyAsync(0, good, 8, stream)),
    ("host_to", |api, stream, _| {
        let word = Box::leak(Box::new(7_u64));
        api.cuMemcpyHtoDAsync_v2(0, (&raw const *word).cast(), 8, stream)
    }),
    ("host_from", |api, stream, _| {
        let word = Box::leak(Box::new(7_u64));
        api.cuMemcpyDtoHAsync_v2((&raw mut *word).cast(), 0, 8, stream)
    }),
    ("into_no_host", |api, stream, good| {
        api.cuMemcpyDtoHAsync_v2(null_mut::<c_void>(), good, 8, stream)
    }),
    ("from_no_host", |api, stream, good| {
        api.cuMemcpyHtoDAsync_v2(good, null::<c_void>(), 8, stream)
    }),
    ("plane_to", |api, stream, good| api.cuMemcpy2DAsync_v2(&plane(good, 0), stream)),
    ("plane_from", |api, stream, good| api.cuMemcpy2DAsync_v2(&plane(0, good), stream)),
    ("box_to", |api, stream, good| api.cuMemcpy3DAsync_v2(&flat(good, 0), stream)),
    ("box_from", |api, stream, good| api.cuMemcpy3DAsync_v2(&flat(0, good), stream)),
    ("write_32", |api, stream, _| api.cuStreamWriteValue32_v2(stream, 0, 5, 0)),
    ("write_64", |api, stream, _| api.cuStreamWriteValue64_v2(stream, 0, 5, 0)),
    ("wait_32", |api, stream, _| api.cuStreamWaitValue32_v2(stream, 0, 5, 0)),
    ("wait_64", |api, stream, _| api.cuStreamWaitValue64_v2(stream, 0, 5, 0)),
    ("batch_of_write", |api, stream, _| {
        let kind = CUstreamBatchMemOpType::CU_STREAM_MEM_OP_WRITE_VALUE_32;
        api.cuStreamBatchMemOp_v2(stream, 1, &mut operation(kind, 0, 0, 0), 0)
    }),
    ("batch_of_wait", |api, stream, _| {
        let kind = CUstreamBatchMemOpType::CU_STREAM_MEM_OP_WAIT_VALUE_32;
        api.cuStreamBatchMemOp_v2(stream, 1, &mut operation(kind, 0, 0, 0), 0)
    }),
    ("free", |api, stream, _| api.cuMemFreeAsync(0, stream)),
    ("attach", |api, stream, _| api.cuStreamAttachMemAsync(stream, 0, 0, 1)),
];

pub const CASES: &[NamedCase] = &[
    ("capture/address_0", |api, sheet| {
        context(api);
        let good = allocate(api, 64);
        for (name, call) in CALLS {
            let stream = begin(api, GLOBAL);
            sheet.put(name, call(api, stream, good));
            let mut graph = null_mut();
            sheet.put(&format!("{name}_end"), api.cuStreamEndCapture(stream, &mut graph));
            if !graph.is_null() {
                sheet.put(&format!("{name}_nodes"), count_of_nodes(api, graph));
            }
        }
    }),
    ("capture/words_of_others", |api, sheet| {
        context(api);
        let (mut managed, mut own) = (0, [0_u64; 16]);
        must(api.cuMemAllocManaged(&mut managed, 64, 1));
        let good = allocate(api, 64);
        let freed = allocate(api, 64);
        must(api.cuMemFree_v2(freed));
        let addresses = [
            ("good", good),
            ("odd", good + 1),
            ("behind", good + (1 << 40)),
            ("freed", freed),
            ("low", 4096),
            ("managed", managed),
            ("own", own.as_mut_ptr() as u64),
            ("null", 0),
        ];
        type T = CUstreamBatchMemOpType;
        let kinds = [
            ("write", T::CU_STREAM_MEM_OP_WRITE_VALUE_32),
            ("wait", T::CU_STREAM_MEM_OP_WAIT_VALUE_32),
        ];
        for (name, address) in addresses {
            for (kind_name, kind) in kinds {
                let mut operation = operation(kind, address, 0, 0);
                let stream = begin(api, GLOBAL);
                let answer = api.cuStreamBatchMemOp_v2(stream, 1, &mut operation, 0);
                sheet.put(&format!("{name}_{kind_name}"), answer);
                must(api.cuStreamEndCapture(stream, &mut null_mut()));
                let mut params: CUDA_BATCH_MEM_OP_NODE_PARAMS = zeroed();
                params.ctx = current(api);
                (params.count, params.paramArray) = (1, &mut operation);
                let (graph, mut node, mut exec) = (graph(api), null_mut(), null_mut());
                let added = api.cuGraphAddBatchMemOpNode(&mut node, graph, null(), 0, &params);
                sheet.put(&format!("{name}_{kind_name}_node"), added);
                if added == 0 {
                    let made = api.cuGraphInstantiateWithFlags(&mut exec, graph, 0);
                    sheet.put(&format!("{name}_{kind_name}_instantiate"), made);
                }
            }
        }
    }),
    ("capture/write_to_0_launched", |api, sheet| {
        context(api);
        let (stream, mut graph, mut exec) = (begin(api, GLOBAL), null_mut(), null_mut());
        sheet.put("write", api.cuStreamWriteValue32_v2(stream, 0, 5, 0));
        must(api.cuStreamEndCapture(stream, &mut graph));
        sheet.put("instantiate", api.cuGraphInstantiateWithFlags(&mut exec, graph, 0));
        sheet.put("launch", api.cuGraphLaunch(exec, stream));
        sheet.put("synchronize", api.cuStreamSynchronize(stream));
        sheet.put("context", api.cuCtxSynchronize());
    }),
    // What is not captured, for comparison.
    ("capture/address_0_at_once", |api, sheet| {
        context(api);
        let (good, stream) = (allocate(api, 64), stream(api));
        for (name, call) in CALLS {
            sheet.put(name, call(api, stream, good));
        }
        sheet.put("synchronize", api.cuCtxSynchronize());
    }),
];
