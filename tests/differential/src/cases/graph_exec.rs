//! Executable graphs: how they are made, launched, and given other parameters.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use cuda_types::cuda::*;

use super::Case;
use super::graph::*;
use super::graph_node::*;
use crate::Answers;
use crate::setup::*;
use differential::api::Api;

/// A result and which of some nodes it names.
fn update(api: &Api, exec: CUgraphExec, graph: CUgraph, nodes: &[CUgraphNode]) -> Answers {
    let mut info = CUgraphExecUpdateResultInfo {
        result: CUgraphExecUpdateResult(99),
        errorNode: null_mut(),
        errorFromNode: null_mut(),
    };
    let answer = api.cuGraphExecUpdate_v2(exec, graph, &mut info);
    vec![
        answer,
        info.result.0.into(),
        place(info.errorNode, nodes),
        place(info.errorFromNode, nodes),
    ]
}

pub const CASES: &[Case] = &[
    ("graph_node/handles_of_exec", |api| {
        let module = module(api);
        let nothing = kernel(api, module, c"nothing");
        let (graph, other) = (graph(api), graph(api));
        let params = kernel_of(nothing, null_mut());
        let (mut node, mut foreigner, mut late) = (null_mut(), null_mut(), null_mut());
        must(api.cuGraphAddKernelNode(&mut node, graph, null(), 0, &params));
        must(api.cuGraphAddKernelNode(&mut foreigner, other, null(), 0, &params));
        let exec = instantiate(api, graph);
        must(api.cuGraphAddKernelNode(&mut late, graph, null(), 0, &params));
        let mut clone = null_mut();
        must(api.cuGraphClone(&mut clone, graph));
        let mut cloned = null_mut();
        must(api.cuGraphNodeFindInClone(&mut cloned, node, clone));
        vec![
            api.cuGraphExecKernelNodeSetParams(exec, node, &params),
            api.cuGraphExecKernelNodeSetParams(exec, foreigner, &params),
            api.cuGraphExecKernelNodeSetParams(exec, late, &params),
            api.cuGraphExecKernelNodeSetParams(exec, cloned, &params),
            api.cuGraphExecKernelNodeSetParams(exec, null_mut(), &params),
            api.cuGraphExecKernelNodeSetParams(null_mut(), node, &params),
            api.cuGraphLaunch(null_mut(), null_mut()),
            api.cuGraphExecDestroy(null_mut()),
            api.cuGraphUpload(null_mut(), null_mut()),
            api.cuGraphUpload(exec, null_mut()),
            api.cuGraphDestroy(graph),
            api.cuGraphLaunch(exec, null_mut()),
            api.cuCtxSynchronize(),
        ]
    }),
    ("graph_node/exec_of_destroyed_node", |api| {
        let module = module(api);
        let nothing = kernel(api, module, c"nothing");
        let graph = graph(api);
        let params = kernel_of(nothing, null_mut());
        let mut node = null_mut();
        must(api.cuGraphAddKernelNode(&mut node, graph, null(), 0, &params));
        let exec = instantiate(api, graph);
        vec![api.cuGraphDestroyNode(node), api.cuGraphExecKernelNodeSetParams(exec, node, &params)]
    }),
    ("graph_node/exec_kernel", |api| {
        let module = module(api);
        let (nothing, store) = (kernel(api, module, c"nothing"), kernel(api, module, c"store"));
        let memory = allocate(api, 64);
        must(api.cuMemsetD8_v2(memory, 0, 64));
        let graph = graph(api);
        let arguments = Arguments::new(memory, 5);
        let mut node = null_mut();
        let params = kernel_of(store, arguments.list());
        must(api.cuGraphAddKernelNode(&mut node, graph, null(), 0, &params));
        let exec = instantiate(api, graph);
        let mut answers = vec![run(api, exec)];
        arguments.set(memory + 4, 6);
        answers.push(api.cuGraphKernelNodeSetParams(node, &params));
        answers.push(run(api, exec));
        answers.push(api.cuGraphExecKernelNodeSetParams(exec, node, &params));
        answers.push(run(api, exec));
        answers.push(api.cuGraphExecKernelNodeSetParams(
            exec,
            node,
            &kernel_of(nothing, null_mut()),
        ));
        let enabled = |wanted: u32| api.cuGraphNodeSetEnabled(exec, node, wanted);
        let mut is = 9;
        answers.push(api.cuGraphNodeGetEnabled(exec, node, &mut is));
        answers.push(is.into());
        arguments.set(memory + 8, 7);
        answers.push(api.cuGraphExecKernelNodeSetParams(exec, node, &params));
        answers.push(enabled(0));
        answers.push(api.cuGraphNodeGetEnabled(exec, node, &mut is));
        answers.push(is.into());
        answers.push(run(api, exec));
        answers.extend(words(api, memory));
        answers.push(enabled(2));
        answers.push(enabled(1));
        answers.push(run(api, exec));
        answers.extend(words(api, memory));
        answers.push(api.cuGraphNodeGetEnabled(exec, node, null_mut()));
        answers
    }),
    ("graph_node/enabled", |api| {
        context(api);
        let (graph, child, event) = (graph(api), graph(api), event(api));
        let context = current(api);
        let memory = allocate(api, 64);
        let empty = empty(api, graph, &[]);
        let (mut memset, mut memcpy, mut host) = (null_mut(), null_mut(), null_mut());
        let (mut inner, mut record) = (null_mut(), null_mut());
        let function = CUDA_HOST_NODE_PARAMS { fn_: Some(host_nothing), userData: null_mut() };
        must(api.cuGraphAddMemsetNode(
            &mut memset,
            graph,
            null(),
            0,
            &memset_of(memory, 1, 1, 4),
            context,
        ));
        must(api.cuGraphAddMemcpyNode(
            &mut memcpy,
            graph,
            null(),
            0,
            &copy_of(memory, memory + 32, 8),
            context,
        ));
        must(api.cuGraphAddHostNode(&mut host, graph, null(), 0, &function));
        must(api.cuGraphAddChildGraphNode(&mut inner, graph, null(), 0, child));
        must(api.cuGraphAddEventRecordNode(&mut record, graph, null(), 0, event));
        let exec = instantiate(api, graph);
        let mut is = 9;
        [empty, memset, memcpy, host, inner, record]
            .into_iter()
            .flat_map(|node| {
                [
                    api.cuGraphNodeSetEnabled(exec, node, 0),
                    api.cuGraphNodeGetEnabled(exec, node, &mut is),
                ]
            })
            .collect()
    }),
    ("graph_node/instantiate", |api| {
        context(api);
        let graph = graph(api);
        let (mut exec, mut flags) = (null_mut(), 99);
        let stream = stream(api);
        let mut answers = vec![
            api.cuGraphInstantiateWithFlags(null_mut(), graph, 0),
            api.cuGraphInstantiateWithFlags(&mut exec, null_mut(), 0),
            api.cuGraphInstantiateWithFlags(&mut exec, graph, 16),
            api.cuGraphInstantiateWithFlags(&mut exec, graph, 1 << 40),
            api.cuGraphInstantiateWithFlags(&mut exec, graph, 2),
            api.cuGraphInstantiateWithFlags(&mut exec, graph, 4),
            api.cuGraphInstantiateWithFlags(&mut exec, graph, 5),
            api.cuGraphInstantiateWithFlags(&mut exec, graph, 9),
            api.cuGraphExecGetFlags(exec, &mut flags),
            flags as i64,
            api.cuGraphExecGetFlags(exec, null_mut()),
            api.cuGraphExecGetFlags(null_mut(), &mut flags),
            api.cuGraphLaunch(exec, stream),
            api.cuStreamSynchronize(stream),
        ];
        let mut params = CUDA_GRAPH_INSTANTIATE_PARAMS {
            flags: 2,
            hUploadStream: stream,
            hErrNode_out: 1 as CUgraphNode,
            result_out: CUgraphInstantiateResult(99),
        };
        answers.extend([
            api.cuGraphInstantiateWithParams(&mut exec, graph, &mut params),
            params.result_out.0.into(),
            params.hErrNode_out.is_null() as i64,
            api.cuGraphExecGetFlags(exec, &mut flags),
            flags as i64,
            api.cuGraphInstantiateWithParams(&mut exec, graph, null_mut()),
        ]);
        params.flags = 64;
        answers.extend([
            api.cuGraphInstantiateWithParams(&mut exec, graph, &mut params),
            params.result_out.0.into(),
        ]);
        answers.extend([
            api.cuGraphInstantiate_v2(&mut exec, graph, null_mut(), null_mut(), 0),
            api.cuGraphExecDestroy(exec),
        ]);
        answers
    }),
    ("graph_node/update", |api| {
        let module = module(api);
        let (nothing, store) = (kernel(api, module, c"nothing"), kernel(api, module, c"store"));
        let limited = kernel(api, module, c"shared_memory");
        let context = current(api);
        let memory = allocate(api, 64);
        must(api.cuMemsetD8_v2(memory, 0, 64));
        let arguments = Arguments::new(memory, 5);
        // A kernel, then a fill.
        let pair = |function: CUfunction, list: *mut *mut c_void, size: u32, width: usize| {
            let graph = graph(api);
            let (mut a, mut b) = (null_mut(), null_mut());
            must(api.cuGraphAddKernelNode(&mut a, graph, null(), 0, &kernel_of(function, list)));
            let fill = memset_of(memory + 16, 3, size, width);
            must(api.cuGraphAddMemsetNode(&mut b, graph, &a, 1, &fill, context));
            (graph, [a, b])
        };
        let (first, nodes) = pair(store, arguments.list(), 4, 4);
        let exec = instantiate(api, first);
        let mut answers = vec![run(api, exec)];
        arguments.set(memory, 6);
        let (second, nodes_of_second) = pair(store, arguments.list(), 4, 4);
        answers.extend(update(api, exec, second, &nodes_of_second));
        answers.push(run(api, exec));
        answers.extend(words(api, memory));
        // Nodes of the first graph still name those of the executable one.
        answers.push(api.cuGraphNodeSetEnabled(exec, nodes[0], 1));
        answers.push(api.cuGraphNodeSetEnabled(exec, nodes_of_second[0], 1));
        let (other, of_other) = pair(nothing, null_mut(), 4, 4);
        answers.extend(update(api, exec, other, &of_other));
        let (other, of_other) = pair(limited, null_mut(), 4, 4);
        answers.extend(update(api, exec, other, &of_other));
        let (other, of_other) = pair(store, arguments.list(), 1, 4);
        answers.extend(update(api, exec, other, &of_other));
        let (other, of_other) = pair(store, arguments.list(), 4, 8);
        answers.extend(update(api, exec, other, &of_other));
        // Another node, other edges, another kind.
        let (other, of_other) = pair(store, arguments.list(), 4, 4);
        let more = empty(api, other, &[]);
        answers.extend(update(api, exec, other, &[of_other[0], of_other[1], more]));
        must(api.cuGraphDestroyNode(more));
        must(api.cuGraphRemoveDependencies(other, &of_other[0], &of_other[1], 1));
        answers.extend(update(api, exec, other, &of_other));
        must(api.cuGraphAddDependencies(other, &of_other[1], &of_other[0], 1));
        answers.extend(update(api, exec, other, &of_other));
        let other = graph(api);
        let a = empty(api, other, &[]);
        let b = empty(api, other, &[a]);
        answers.extend(update(api, exec, other, &[a, b]));
        let fewer = graph(api);
        answers.extend(update(api, exec, fewer, &[]));
        answers.push(run(api, exec));
        answers.push(api.cuGraphExecUpdate_v2(exec, null_mut(), null_mut()));
        answers.push(api.cuGraphExecUpdate_v2(exec, second, null_mut()));
        let (mut node, mut result) = (null_mut(), CUgraphExecUpdateResult(99));
        answers.push(api.cuGraphExecUpdate(exec, second, &mut node, &mut result));
        answers.push(result.0.into());
        answers
    }),
    ("graph_node/update_copies", |api| {
        context(api);
        let context = current(api);
        let memory = allocate(api, 256);
        let mut host = [0_u32; 16];
        let single = |copy: &CUDA_MEMCPY3D| {
            let graph = graph(api);
            let mut node = null_mut();
            must(api.cuGraphAddMemcpyNode(&mut node, graph, null(), 0, copy, context));
            (graph, node)
        };
        let right = copy_of(memory, memory + 64, 16);
        let to_host = CUDA_MEMCPY3D {
            dstMemoryType: CUmemorytype::CU_MEMORYTYPE_HOST,
            dstHost: host.as_mut_ptr().cast(),
            ..right
        };
        let (first, _) = single(&right);
        let exec = instantiate(api, first);
        [
            copy_of(memory + 128, memory + 64, 16),
            copy_of(memory + 128, memory + 64, 8),
            CUDA_MEMCPY3D { Height: 2, WidthInBytes: 8, ..right },
            to_host,
        ]
        .iter()
        .flat_map(|copy| {
            let (graph, node) = single(copy);
            update(api, exec, graph, &[node])
        })
        .collect()
    }),
    ("graph_node/update_child", |api| {
        context(api);
        let (graph, other, child, bigger) = (graph(api), graph(api), graph(api), graph(api));
        empty(api, child, &[]);
        empty(api, bigger, &[]);
        empty(api, bigger, &[]);
        let (mut node, mut of_other) = (null_mut(), null_mut());
        must(api.cuGraphAddChildGraphNode(&mut node, graph, null(), 0, child));
        must(api.cuGraphAddChildGraphNode(&mut of_other, other, null(), 0, bigger));
        let exec = instantiate(api, graph);
        let mut answers = vec![
            api.cuGraphExecChildGraphNodeSetParams(exec, node, child),
            api.cuGraphExecChildGraphNodeSetParams(exec, node, bigger),
            api.cuGraphExecChildGraphNodeSetParams(exec, node, null_mut()),
        ];
        answers.extend(update(api, exec, other, &[of_other]));
        answers.push(run(api, exec));
        answers
    }),
    ("graph_node/launch_is_serial", |api| {
        // Two launches of one executable graph in different streams do not overlap, and it may go meanwhile.
        context(api);
        let graph = graph(api);
        static mut INSIDE: [i64; 2] = [0; 2];
        unsafe extern "C" fn enter(data: *mut c_void) {
            // SAFETY: the case passes its own, and waits.
            unsafe {
                let inside = data.cast::<i64>();
                inside.write_volatile(inside.read_volatile() + 1);
                std::thread::sleep(std::time::Duration::from_millis(20));
                let most = inside.add(1);
                most.write_volatile(most.read_volatile().max(inside.read_volatile()));
            }
        }
        unsafe extern "C" fn leave(data: *mut c_void) {
            // SAFETY: as above.
            unsafe {
                let inside = data.cast::<i64>();
                inside.write_volatile(inside.read_volatile() - 1);
            }
        }
        let data: *mut i64 = (&raw mut INSIDE).cast();
        let (mut a, mut b) = (null_mut(), null_mut());
        let call = |function| CUDA_HOST_NODE_PARAMS { fn_: Some(function), userData: data.cast() };
        must(api.cuGraphAddHostNode(&mut a, graph, null(), 0, &call(enter)));
        must(api.cuGraphAddHostNode(&mut b, graph, &a, 1, &call(leave)));
        let exec = instantiate(api, graph);
        let (one, two) = (stream(api), stream(api));
        let mut answers = vec![
            api.cuGraphLaunch(exec, one),
            api.cuGraphLaunch(exec, two),
            api.cuGraphExecDestroy(exec),
            api.cuGraphDestroy(graph),
            api.cuStreamSynchronize(one),
            api.cuStreamSynchronize(two),
        ];
        // SAFETY: as above.
        answers.extend(unsafe { [data.read_volatile(), data.add(1).read_volatile()] });
        answers
    }),
];
