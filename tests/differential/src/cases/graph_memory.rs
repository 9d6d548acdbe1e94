//! Nodes that allocate and free memory, that write values, and that run by values.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use cuda_types::cuda::*;

use super::graph::*;
use super::graph_node::*;
use super::pool_place::{DEVICE, PINNED};
use super::{Case, allocation_kind};
use crate::setup::*;
use differential::api::Api;

/// Of memory of device 0.
fn alloc_of(bytes: usize) -> CUDA_MEM_ALLOC_NODE_PARAMS {
    allocation_kind::alloc_of(PINNED, DEVICE, 0, bytes)
}

fn used(api: &Api, attribute: CUgraphMem_attribute) -> i64 {
    let mut value = 77_u64;
    must(api.cuDeviceGetGraphMemAttribute(0, attribute, (&raw mut value).cast()));
    (value > 0) as i64
}

pub const CASES: &[Case] = &[
    ("graph_node/memory", |api| {
        context(api);
        let context = current(api);
        let graph = graph(api);
        let (mut alloc, mut fill, mut free) = (null_mut(), null_mut(), null_mut());
        let mut params = alloc_of(100);
        let mut none = alloc_of(0);
        let mut wrong = alloc_of(64);
        wrong.poolProps.location.id = 99;
        let mut untyped = alloc_of(64);
        untyped.poolProps.allocType = CUmemAllocationType(0);
        let mut answers = vec![
            api.cuGraphAddMemAllocNode(&mut alloc, graph, null(), 0, null_mut()),
            api.cuGraphAddMemAllocNode(&mut alloc, graph, null(), 0, &mut none),
            api.cuGraphAddMemAllocNode(&mut alloc, graph, null(), 0, &mut wrong),
            api.cuGraphAddMemAllocNode(&mut alloc, graph, null(), 0, &mut untyped),
            api.cuGraphAddMemAllocNode(&mut alloc, graph, null(), 0, &mut params),
            (params.dptr != 0) as i64,
        ];
        let memory = params.dptr;
        let mut kept = alloc_of(0);
        let mut address = 0;
        answers.extend([
            api.cuGraphMemAllocNodeGetParams(alloc, &mut kept),
            (kept.dptr == memory) as i64,
            kept.bytesize as i64,
            // Outside of the graph nothing is there yet.
            api.cuMemsetD8_v2(memory, 0, 4),
            api.cuGraphAddMemsetNode(
                &mut fill,
                graph,
                &alloc,
                1,
                &memset_of(memory, 5, 4, 4),
                context,
            ),
            api.cuGraphAddMemFreeNode(&mut free, graph, &fill, 1, memory + 1),
            api.cuGraphAddMemFreeNode(&mut free, graph, &fill, 1, 0),
            api.cuGraphAddMemFreeNode(&mut free, graph, &fill, 1, memory),
            api.cuGraphMemFreeNodeGetParams(free, &mut address),
            (address == memory) as i64,
            api.cuGraphAddMemFreeNode(&mut free, graph, &fill, 1, memory),
            api.cuGraphDestroyNode(alloc),
        ]);
        let mut clone = null_mut();
        answers.push(api.cuGraphClone(&mut clone, graph));
        let parent = super::graph::graph(api);
        let mut child = null_mut();
        answers.push(api.cuGraphAddChildGraphNode(&mut child, parent, null(), 0, graph));
        let exec = instantiate(api, graph);
        let mut second = null_mut();
        answers.extend([
            api.cuGraphInstantiateWithFlags(&mut second, graph, 0),
            run(api, exec),
            run(api, exec),
            api.cuMemFree_v2(memory),
            api.cuGraphDestroyNode(fill),
            api.cuGraphRemoveDependencies(graph, &fill, &free, 1),
        ]);
        let mut more = null_mut();
        answers.push(api.cuGraphAddEmptyNode(&mut more, graph, null(), 0));
        answers.push(api.cuGraphExecDestroy(exec));
        answers.push(api.cuGraphDestroy(graph));
        answers
    }),
    ("graph_node/memory_that_stays", |api| {
        context(api);
        let context = current(api);
        let graph = graph(api);
        let (mut alloc, mut fill) = (null_mut(), null_mut());
        let mut params = alloc_of(64);
        must(api.cuGraphAddMemAllocNode(&mut alloc, graph, null(), 0, &mut params));
        let memory = params.dptr;
        must(api.cuGraphAddMemsetNode(
            &mut fill,
            graph,
            &alloc,
            1,
            &memset_of(memory, 5, 4, 4),
            context,
        ));
        let exec = instantiate(api, graph);
        let stream = stream(api);
        let mut answers = vec![run(api, exec)];
        answers.extend(words(api, memory));
        answers.extend([
            api.cuGraphLaunch(exec, stream),
            api.cuMemFree_v2(memory),
            api.cuMemFree_v2(memory),
            api.cuGraphLaunch(exec, stream),
            api.cuMemFreeAsync(memory, stream),
            api.cuGraphLaunch(exec, stream),
            api.cuGraphExecDestroy(exec),
            api.cuGraphDestroy(graph),
        ]);
        answers.extend(words(api, memory));
        answers.push(api.cuMemFree_v2(memory));
        // Freed at each launch.
        let graph = super::graph::graph(api);
        must(api.cuGraphAddMemAllocNode(&mut alloc, graph, null(), 0, &mut params));
        let mut exec = null_mut();
        must(api.cuGraphInstantiateWithFlags(&mut exec, graph, 1));
        answers.extend([run(api, exec), run(api, exec)]);
        answers.push(api.cuGraphExecDestroy(exec));
        answers
    }),
    ("graph_node/memory_freed_by_another", |api| {
        context(api);
        let (first, second) = (graph(api), graph(api));
        let (mut alloc, mut free) = (null_mut(), null_mut());
        let mut params = alloc_of(64);
        must(api.cuGraphAddMemAllocNode(&mut alloc, first, null(), 0, &mut params));
        let mut answers =
            vec![api.cuGraphAddMemFreeNode(&mut free, second, null(), 0, params.dptr)];
        let exec = instantiate(api, first);
        let ending = instantiate(api, second);
        answers.extend([run(api, exec), run(api, ending), run(api, exec), run(api, ending)]);
        // Device memory of other kinds.
        let mut stray = null_mut();
        let plain = allocate(api, 64);
        answers.push(api.cuGraphAddMemFreeNode(&mut stray, second, null(), 0, plain));
        answers
    }),
    ("graph_node/memory_attributes", |api| {
        context(api);
        let (current, high) = (
            CUgraphMem_attribute::CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT,
            CUgraphMem_attribute::CU_GRAPH_MEM_ATTR_USED_MEM_HIGH,
        );
        let (reserved, reserved_high) = (
            CUgraphMem_attribute::CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT,
            CUgraphMem_attribute::CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH,
        );
        let graph = graph(api);
        let (mut alloc, mut value) = (null_mut(), 0_u64);
        let pointer: *mut c_void = (&raw mut value).cast();
        let mut params = alloc_of(3 << 20);
        let mut answers = vec![
            used(api, current),
            used(api, high),
            used(api, reserved),
            used(api, reserved_high),
            api.cuGraphAddMemAllocNode(&mut alloc, graph, null(), 0, &mut params),
            used(api, current),
            used(api, reserved),
        ];
        let exec = instantiate(api, graph);
        answers.extend([used(api, current), used(api, reserved)]);
        answers.push(run(api, exec));
        answers.extend([used(api, current), used(api, high), used(api, reserved)]);
        answers.push(api.cuMemFree_v2(params.dptr));
        answers.extend([used(api, current), used(api, high), used(api, reserved)]);
        answers.extend([
            api.cuDeviceGraphMemTrim(0),
            used(api, reserved),
            api.cuGraphExecDestroy(exec),
            api.cuDeviceGraphMemTrim(0),
            used(api, reserved),
            api.cuDeviceSetGraphMemAttribute(0, high, pointer),
            used(api, high),
            api.cuDeviceSetGraphMemAttribute(0, current, pointer),
            api.cuDeviceSetGraphMemAttribute(0, reserved_high, pointer),
        ]);
        value = 5;
        answers.extend([
            api.cuDeviceSetGraphMemAttribute(0, high, pointer),
            api.cuDeviceGetGraphMemAttribute(0, CUgraphMem_attribute(9), pointer),
            api.cuDeviceGetGraphMemAttribute(0, high, null_mut()),
            api.cuDeviceGetGraphMemAttribute(99, high, pointer),
            api.cuDeviceGraphMemTrim(99),
        ]);
        let _ = value;
        answers
    }),
    ("graph_node/batch", |api| {
        context(api);
        let graph = graph(api);
        let memory = allocate(api, 64);
        must(api.cuMemsetD8_v2(memory, 0, 64));
        // SAFETY: a plain union, of which all zeros is a value.
        let mut operation: CUstreamBatchMemOpParams = unsafe { std::mem::zeroed() };
        operation.writeValue.operation = CUstreamBatchMemOpType::CU_STREAM_MEM_OP_WRITE_VALUE_32;
        operation.writeValue.address = memory;
        operation.writeValue.__bindgen_anon_1.value = 77;
        let mut params = CUDA_BATCH_MEM_OP_NODE_PARAMS {
            ctx: current(api),
            count: 1,
            paramArray: &mut operation,
            flags: 0,
        };
        let mut node = null_mut();
        let mut answers = vec![
            api.cuGraphAddBatchMemOpNode(&mut node, graph, null(), 0, null()),
            api.cuGraphAddBatchMemOpNode(&mut node, graph, null(), 0, &params),
        ];
        if node.is_null() {
            return answers;
        }
        answers.push(type_of(api, node));
        let exec = instantiate(api, graph);
        answers.push(run(api, exec));
        answers.extend(words(api, memory));
        params.count = 0;
        answers.push(api.cuGraphAddBatchMemOpNode(&mut node, graph, null(), 0, &params));
        params.count = 257;
        answers.push(api.cuGraphAddBatchMemOpNode(&mut node, graph, null(), 0, &params));
        answers
    }),
    ("graph_node/conditional", |api| {
        context(api);
        let context = current(api);
        let graph = graph(api);
        let memory = allocate(api, 64);
        must(api.cuMemsetD8_v2(memory, 0, 64));
        let (mut handle, mut node, mut fill) = (0, null_mut(), null_mut());
        let mut answers = vec![
            api.cuGraphConditionalHandleCreate(null_mut(), graph, context, 1, 1),
            api.cuGraphConditionalHandleCreate(&mut handle, graph, context, 1, 2),
            api.cuGraphConditionalHandleCreate(&mut handle, null_mut(), context, 1, 1),
            api.cuGraphConditionalHandleCreate(&mut handle, graph, context, 1, 1),
        ];
        // SAFETY: a plain structure, of which all zeros is a value.
        let mut params: CUgraphNodeParams = unsafe { std::mem::zeroed() };
        params.type_ = CUgraphNodeType::CU_GRAPH_NODE_TYPE_CONDITIONAL;
        params.__bindgen_anon_1.conditional = CUDA_CONDITIONAL_NODE_PARAMS {
            handle,
            type_: CUgraphConditionalNodeType::CU_GRAPH_COND_TYPE_IF,
            size: 1,
            phGraph_out: null_mut(),
            ctx: context,
        };
        answers.push(api.cuGraphAddNode_v2(&mut node, graph, null(), null(), 0, &mut params));
        // SAFETY: the member of the type.
        let bodies = unsafe { params.__bindgen_anon_1.conditional.phGraph_out };
        answers.push(bodies.is_null() as i64);
        if !bodies.is_null() {
            // SAFETY: there is one.
            let body = unsafe { bodies.read() };
            answers.push(type_of(api, node));
            answers.push(api.cuGraphAddMemsetNode(
                &mut fill,
                body,
                null(),
                0,
                &memset_of(memory, 5, 4, 4),
                context,
            ));
            let exec = instantiate(api, graph);
            answers.push(run(api, exec));
            answers.extend(words(api, memory));
            let mut clone = null_mut();
            answers.push(api.cuGraphClone(&mut clone, graph));
            answers.push(api.cuGraphDestroy(body));
        }
        // The same handle once more, none, and wrong sizes.
        answers.push(api.cuGraphAddNode_v2(&mut node, graph, null(), null(), 0, &mut params));
        params.__bindgen_anon_1.conditional.handle = 0;
        answers.push(api.cuGraphAddNode_v2(&mut node, graph, null(), null(), 0, &mut params));
        answers.push(api.cuGraphConditionalHandleCreate(&mut handle, graph, context, 1, 1));
        params.__bindgen_anon_1.conditional.handle = handle;
        params.__bindgen_anon_1.conditional.size = 0;
        answers.push(api.cuGraphAddNode_v2(&mut node, graph, null(), null(), 0, &mut params));
        params.__bindgen_anon_1.conditional.size = 3;
        answers.push(api.cuGraphAddNode_v2(&mut node, graph, null(), null(), 0, &mut params));
        params.__bindgen_anon_1.conditional.type_ = CUgraphConditionalNodeType(9);
        answers.push(api.cuGraphAddNode_v2(&mut node, graph, null(), null(), 0, &mut params));
        let mut exec = null_mut();
        // A handle that no node uses.
        answers.push(api.cuGraphInstantiateWithFlags(&mut exec, graph, 0));
        answers
    }),
    ("graph_node/switch", |api| {
        context(api);
        let context = current(api);
        let memory = allocate(api, 64);
        let mut answers = vec![];
        // By the value, which of the bodies runs.
        for (kind, size, value) in
            [(0, 2, 1), (0, 2, 0), (0, 2, 7), (2, 3, 0), (2, 3, 2), (2, 3, 3)]
        {
            let graph = graph(api);
            let (mut handle, mut node, mut fill) = (0, null_mut(), null_mut());
            must(api.cuMemsetD8_v2(memory, 0, 64));
            answers.push(api.cuGraphConditionalHandleCreate(&mut handle, graph, context, value, 1));
            // SAFETY: a plain structure, of which all zeros is a value.
            let mut params: CUgraphNodeParams = unsafe { std::mem::zeroed() };
            params.type_ = CUgraphNodeType::CU_GRAPH_NODE_TYPE_CONDITIONAL;
            params.__bindgen_anon_1.conditional = CUDA_CONDITIONAL_NODE_PARAMS {
                handle,
                type_: CUgraphConditionalNodeType(kind),
                size,
                phGraph_out: null_mut(),
                ctx: context,
            };
            answers.push(api.cuGraphAddNode_v2(&mut node, graph, null(), null(), 0, &mut params));
            // SAFETY: the member of the type.
            let bodies = unsafe { params.__bindgen_anon_1.conditional.phGraph_out };
            if bodies.is_null() {
                continue;
            }
            for i in 0..size {
                // SAFETY: there are as many as were asked for.
                let body = unsafe { bodies.add(i as usize).read() };
                let params = memset_of(memory + 4 * u64::from(i), 5 + i, 4, 1);
                must(api.cuGraphAddMemsetNode(&mut fill, body, null(), 0, &params, context));
            }
            let exec = instantiate(api, graph);
            answers.push(run(api, exec));
            answers.extend(words(api, memory));
        }
        answers
    }),
];
