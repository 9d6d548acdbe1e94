//! Operations of streams on words of memory. What is waited for is there already: nothing here hangs.

use std::ptr::{null, null_mut};

use cuda_types::cuda::*;

use super::Case;
use super::graph::*;
use super::graph_node::{current, run};
use crate::Answers;
use crate::setup::*;
use differential::api::Api;

type T = CUstreamBatchMemOpType;

/// 16 words of 32 bits, all 0.
fn cleared(api: &Api) -> CUdeviceptr {
    let memory = allocate(api, 64);
    must(api.cuMemsetD8_v2(memory, 0, 64));
    memory
}

/// The two words at an address.
fn pair(api: &Api, at: CUdeviceptr) -> Answers {
    let mut words = [0_u32; 2];
    must(api.cuMemcpyDtoH_v2(words.as_mut_ptr().cast(), at, 8));
    words.map(i64::from).to_vec()
}

pub fn operation(
    operation: T,
    address: CUdeviceptr,
    value: u32,
    flags: u32,
) -> CUstreamBatchMemOpParams {
    // SAFETY: a plain union, of which all zeros is a value.
    let mut params: CUstreamBatchMemOpParams = unsafe { std::mem::zeroed() };
    params.waitValue.operation = operation;
    params.waitValue.address = address;
    params.waitValue.__bindgen_anon_1.value = value;
    params.waitValue.flags = flags;
    params
}

pub const CASES: &[Case] = &[
    ("memory_operation/attributes", |api| {
        context(api);
        let mut answers = Vec::new();
        for number in [92, 93, 94, 98, 122, 123] {
            let mut value = -1;
            answers.push(api.cuDeviceGetAttribute(&mut value, CUdevice_attribute(number), 0));
            answers.push(value.into());
        }
        answers
    }),
    ("memory_operation/write", |api| {
        context(api);
        let (memory, stream) = (cleared(api), stream(api));
        let mut answers = vec![
            api.cuStreamWriteValue32_v2(stream, memory, 5, 0),
            api.cuStreamWriteValue32_v2(stream, memory + 4, 6, 1),
            api.cuStreamWriteValue64_v2(stream, memory + 8, 7 << 32 | 8, 0),
            api.cuStreamWriteValue32_v2(null_mut(), memory + 16, 9, 0),
            api.cuStreamWriteValue32_v2(stream, memory, 5, 2),
            api.cuStreamWriteValue32_v2(stream, memory + 2, 5, 0),
            api.cuStreamWriteValue64_v2(stream, memory + 4, 5, 0),
            api.cuStreamWriteValue32_v2(stream, 0, 5, 0),
            api.cuStreamWriteValue32_v2(stream, 0x1000, 5, 0),
            api.cuStreamSynchronize(stream),
        ];
        for at in [0, 8, 16] {
            answers.extend(pair(api, memory + at));
        }
        answers
    }),
    ("memory_operation/wait", |api| {
        context(api);
        let (memory, stream) = (cleared(api), stream(api));
        must(api.cuMemsetD32_v2(memory, 5, 1));
        let mut answers = Vec::new();
        for (value, flags) in [
            (5, 0),
            (4, 0),
            (0x8000_0006, 0),
            (5, 1),
            (1, 2),
            (0xffff_0000, 3),
            (0, 4),
            (5, 1 << 30),
            (5, 77),
        ] {
            answers.push(api.cuStreamWaitValue32_v2(stream, memory, value, flags));
        }
        answers.extend([
            api.cuStreamWaitValue64_v2(stream, memory, 5, 0),
            api.cuStreamWaitValue64_v2(stream, memory, 5, 1),
            api.cuStreamWaitValue64_v2(stream, memory + 4, 0, 1),
            api.cuStreamWaitValue32_v2(stream, memory + 1, 0, 1),
            api.cuStreamWaitValue32_v2(stream, 0, 0, 1),
            api.cuStreamWaitValue32_v2(stream, 0x1000, 0, 1),
            api.cuStreamSynchronize(stream),
        ]);
        answers
    }),
    ("memory_operation/first_version", |api| {
        context(api);
        let (memory, stream) = (cleared(api), stream(api));
        let mut operations = [operation(T::CU_STREAM_MEM_OP_WRITE_VALUE_32, memory, 3, 0)];
        vec![
            api.cuStreamWriteValue32(stream, memory, 5, 0),
            api.cuStreamWriteValue64(stream, memory, 5, 0),
            api.cuStreamWaitValue32(stream, memory + 8, 0, 1),
            api.cuStreamWaitValue64(stream, memory + 8, 0, 1),
            api.cuStreamBatchMemOp(stream, 1, operations.as_mut_ptr(), 0),
            api.cuStreamSynchronize(stream),
        ]
    }),
    ("memory_operation/kinds_of_memory", |api| {
        context(api);
        let stream = stream(api);
        let (mut managed, mut host) = (0, null_mut());
        must(api.cuMemAllocManaged(&mut managed, 64, 1));
        must(api.cuMemAllocHost_v2(&mut host, 64));
        let mut own = [0_u32; 16];
        vec![
            api.cuStreamWriteValue32_v2(stream, managed, 5, 0),
            api.cuStreamWriteValue32_v2(stream, host as u64, 5, 0),
            api.cuStreamWaitValue32_v2(stream, host as u64, 5, 1),
            api.cuStreamWriteValue32_v2(stream, own.as_mut_ptr() as u64, 5, 0),
            api.cuStreamSynchronize(stream),
        ]
    }),
    ("memory_operation/batch", |api| {
        context(api);
        let (memory, stream) = (cleared(api), stream(api));
        let write = operation(T::CU_STREAM_MEM_OP_WRITE_VALUE_32, memory, 3, 0);
        // SAFETY: a plain union, of which all zeros is a value.
        let mut barrier: CUstreamBatchMemOpParams = unsafe { std::mem::zeroed() };
        barrier.memoryBarrier.operation = T::CU_STREAM_MEM_OP_BARRIER;
        let mut wide = operation(T::CU_STREAM_MEM_OP_WRITE_VALUE_64, memory + 8, 0, 0);
        wide.writeValue.__bindgen_anon_1.value64 = 4 << 32 | 5;
        let mut good = [
            write,
            operation(T::CU_STREAM_MEM_OP_WAIT_VALUE_32, memory, 3, 1),
            barrier,
            wide,
            operation(T::CU_STREAM_MEM_OP_WAIT_VALUE_64, memory + 16, 0, 0),
        ];
        let mut answers = vec![
            api.cuStreamBatchMemOp_v2(stream, 5, good.as_mut_ptr(), 0),
            api.cuStreamSynchronize(stream),
        ];
        answers.extend(pair(api, memory));
        answers.extend(pair(api, memory + 8));
        answers
    }),
    ("memory_operation/batch_of_none", |api| {
        context(api);
        vec![api.cuStreamBatchMemOp_v2(stream(api), 1, null_mut(), 0)]
    }),
    ("memory_operation/batch_sizes", |api| {
        context(api);
        let (memory, stream) = (cleared(api), stream(api));
        let write = operation(T::CU_STREAM_MEM_OP_WRITE_VALUE_32, memory, 3, 0);
        let mut many = vec![write; 300];
        let mut answers = Vec::new();
        for count in [0, 255, 256, 257] {
            answers.push(api.cuStreamBatchMemOp_v2(stream, count, many.as_mut_ptr(), 0));
        }
        answers.push(api.cuStreamBatchMemOp_v2(stream, 1, many.as_mut_ptr(), 1));
        answers
    }),
    ("memory_operation/batch_of_wrong_ones", |api| {
        context(api);
        let (memory, stream) = (cleared(api), stream(api));
        let write = operation(T::CU_STREAM_MEM_OP_WRITE_VALUE_32, memory, 3, 0);
        let mut answers = Vec::new();
        for (number, flags) in [(0, 0), (3, 0), (6, 1), (6, 2), (7, 0), (9, 0)] {
            let mut wrong = operation(CUstreamBatchMemOpType_enum(number), memory, 1, flags);
            if number == 6 {
                wrong.memoryBarrier.flags = flags;
            }
            answers.push(api.cuStreamBatchMemOp_v2(stream, 1, &mut wrong, 0));
        }
        // The second one is wrong: is the first one done?
        let mut half = [write, operation(T::CU_STREAM_MEM_OP_WRITE_VALUE_32, memory + 1, 3, 0)];
        answers.push(api.cuStreamBatchMemOp_v2(stream, 2, half.as_mut_ptr(), 0));
        answers.push(api.cuStreamSynchronize(stream));
        answers.extend(pair(api, memory));
        answers
    }),
    ("memory_operation/node", |api| {
        context(api);
        let graph = graph(api);
        let memory = cleared(api);
        let mut operations = [
            operation(T::CU_STREAM_MEM_OP_WRITE_VALUE_32, memory, 3, 0),
            operation(T::CU_STREAM_MEM_OP_WRITE_VALUE_32, memory + 4, 4, 0),
        ];
        let mut params = CUDA_BATCH_MEM_OP_NODE_PARAMS {
            ctx: current(api),
            count: 2,
            paramArray: operations.as_mut_ptr(),
            flags: 0,
        };
        let (mut node, mut empty) = (null_mut(), null_mut());
        must(api.cuGraphAddBatchMemOpNode(&mut node, graph, null(), 0, &params));
        must(api.cuGraphAddEmptyNode(&mut empty, graph, null(), 0));
        // SAFETY: a plain structure, of which all zeros is a value.
        let mut told: CUDA_BATCH_MEM_OP_NODE_PARAMS = unsafe { std::mem::zeroed() };
        let mut answers = vec![api.cuGraphBatchMemOpNodeGetParams(node, &mut told)];
        answers.push((told.ctx == params.ctx).into());
        answers.extend([i64::from(told.count), i64::from(told.flags)]);
        // SAFETY: the driver says that there are as many.
        answers.push(unsafe { (*told.paramArray.add(1)).writeValue.__bindgen_anon_1.value }.into());
        let exec = instantiate(api, graph);
        answers.push(run(api, exec));
        answers.extend(pair(api, memory));
        // SAFETY: the array above, whose elements are of this kind.
        unsafe { (*params.paramArray).writeValue.__bindgen_anon_1.value = 30 };
        params.count = 1;
        answers.push(api.cuGraphExecBatchMemOpNodeSetParams(exec, node, &params));
        answers.push(run(api, exec));
        answers.extend(pair(api, memory));
        params.count = 2;
        answers.push(api.cuGraphExecBatchMemOpNodeSetParams(exec, node, &params));
        params.flags = 1;
        answers.push(api.cuGraphBatchMemOpNodeSetParams(node, &params));
        params.flags = 0;
        answers.extend([
            api.cuGraphBatchMemOpNodeSetParams(node, &params),
            api.cuGraphBatchMemOpNodeSetParams(node, null()),
            api.cuGraphBatchMemOpNodeSetParams(empty, &params),
            api.cuGraphBatchMemOpNodeGetParams(node, null_mut()),
            api.cuGraphBatchMemOpNodeGetParams(empty, &mut told),
            api.cuGraphExecBatchMemOpNodeSetParams(exec, empty, &params),
            api.cuGraphExecBatchMemOpNodeSetParams(exec, node, null()),
        ]);
        answers
    }),
];
