//! What nodes of graphs do: their parameters, those of executable graphs, and what launches give.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use cuda_types::cuda::*;

use super::Case;
use super::graph::*;
use crate::Answers;
use crate::setup::*;
use twin::api::Api;

fn words(api: &Api, from: CUdeviceptr) -> Answers {
    let mut words = [0_u32; 4];
    must(api.cuMemcpyDtoH_v2(words.as_mut_ptr().cast(), from, 16));
    words.iter().map(|word| i64::from(*word)).collect()
}

fn current(api: &Api) -> CUcontext {
    let mut context = null_mut();
    must(api.cuCtxGetCurrent(&mut context));
    context
}

/// A launch on a stream of its own, to its end.
fn run(api: &Api, exec: CUgraphExec) -> i64 {
    let stream = stream(api);
    let answer = api.cuGraphLaunch(exec, stream);
    must(api.cuStreamSynchronize(stream));
    answer
}

fn alloc_of(bytes: usize) -> CUDA_MEM_ALLOC_NODE_PARAMS {
    // SAFETY: a plain structure, of which all zeros is a value.
    let mut params: CUDA_MEM_ALLOC_NODE_PARAMS = unsafe { std::mem::zeroed() };
    params.poolProps.allocType = CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
    params.poolProps.location.type_ = CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE;
    params.bytesize = bytes;
    params
}

fn used(api: &Api, attribute: CUgraphMem_attribute) -> i64 {
    let mut value = 77_u64;
    must(api.cuDeviceGetGraphMemAttribute(0, attribute, (&raw mut value).cast()));
    (value > 0) as i64
}

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
    ("graph_node/kernel", |api| {
        let module = module(api);
        let (nothing, store) = (kernel(api, module, c"nothing"), kernel(api, module, c"store"));
        let memory = allocate(api, 64);
        let graph = graph(api);
        let arguments = Arguments::new(memory, 5);
        let mut node = null_mut();
        let mut params = kernel_of(nothing, null_mut());
        let mut answers = vec![api.cuGraphAddKernelNode(&mut node, graph, null(), 0, null())];
        let mut add = |params: &CUDA_KERNEL_NODE_PARAMS_v1| {
            api.cuGraphAddKernelNode(&mut node, graph, null(), 0, params)
        };
        params.func = null_mut();
        answers.push(add(&params));
        params.func = store;
        answers.push(add(&params));
        params.func = nothing;
        params.gridDimX = 0;
        answers.push(add(&params));
        params.gridDimX = 1;
        params.blockDimX = 1025;
        answers.push(add(&params));
        params.blockDimX = 1;
        params.sharedMemBytes = 1 << 20;
        answers.push(add(&params));
        params = kernel_of(store, arguments.list());
        params.gridDimY = 3;
        answers.push(add(&params));
        // What was passed is copied.
        arguments.set(1, 9);
        let mut kept = kernel_of(null_mut(), null_mut());
        answers.push(api.cuGraphKernelNodeGetParams(node, &mut kept));
        // SAFETY: the kernel has two parameters.
        unsafe {
            answers.extend([
                (kept.func == store) as i64,
                kept.gridDimY.into(),
                kept.extra.is_null() as i64,
                (kept.kernelParams.read().cast::<u64>().read() == memory) as i64,
                kept.kernelParams.add(1).read().cast::<u32>().read().into(),
            ]);
        }
        answers.push(api.cuGraphKernelNodeGetParams(node, null_mut()));
        answers.push(api.cuGraphKernelNodeSetParams(node, null()));
        params.blockDimX = 0;
        arguments.set(memory, 9);
        answers.push(api.cuGraphKernelNodeSetParams(node, &params));
        params.blockDimX = 1;
        answers.push(api.cuGraphKernelNodeSetParams(node, &params));
        params = kernel_of(nothing, null_mut());
        answers.push(api.cuGraphKernelNodeSetParams(node, &params));
        let empty = empty(api, graph, &[]);
        answers.push(api.cuGraphKernelNodeSetParams(empty, &params));
        answers.push(api.cuGraphKernelNodeGetParams(empty, &mut kept));
        answers
    }),
    ("graph_node/kernel_attributes", |api| {
        let module = module(api);
        let nothing = kernel(api, module, c"nothing");
        let graph = graph(api);
        let (mut a, mut b) = (null_mut(), null_mut());
        let params = kernel_of(nothing, null_mut());
        // SAFETY: all zeros is a value of every member.
        let mut value: CUkernelNodeAttrValue = unsafe { std::mem::zeroed() };
        let mut answers = vec![
            api.cuGraphAddKernelNode(&mut a, graph, null(), 0, &params),
            api.cuGraphAddKernelNode(&mut b, graph, null(), 0, &params),
        ];
        let (cooperative, priority) = (
            CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_COOPERATIVE,
            CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_PRIORITY,
        );
        value.cooperative = 1;
        answers.extend([
            api.cuGraphKernelNodeSetAttribute(a, cooperative, &value),
            api.cuGraphKernelNodeSetAttribute(a, CUlaunchAttributeID(99), &value),
            api.cuGraphKernelNodeGetAttribute(a, CUlaunchAttributeID(99), &mut value),
            api.cuGraphKernelNodeCopyAttributes(b, a),
        ]);
        value.cooperative = 7;
        answers.push(api.cuGraphKernelNodeGetAttribute(b, cooperative, &mut value));
        // SAFETY: the member that was asked for.
        answers.push(unsafe { value.cooperative }.into());
        for wanted in [-2, 3, -9] {
            value.priority = wanted;
            answers.push(api.cuGraphKernelNodeSetAttribute(a, priority, &value));
            value.priority = 1;
            answers.push(api.cuGraphKernelNodeGetAttribute(a, priority, &mut value));
            // SAFETY: as above.
            answers.push(unsafe { value.priority }.into());
        }
        answers
    }),
    ("graph_node/attributes_of_others", |api| {
        context(api);
        let graph = graph(api);
        let empty = empty(api, graph, &[]);
        // SAFETY: all zeros is a value of every member.
        let mut value: CUkernelNodeAttrValue = unsafe { std::mem::zeroed() };
        let priority = CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_PRIORITY;
        vec![
            api.cuGraphKernelNodeGetAttribute(empty, priority, &mut value),
            api.cuGraphKernelNodeSetAttribute(empty, priority, &value),
            api.cuGraphKernelNodeCopyAttributes(empty, empty),
        ]
    }),
    ("graph_node/all_attributes", |api| {
        let module = module(api);
        let nothing = kernel(api, module, c"nothing");
        let graph = graph(api);
        let mut node = null_mut();
        must(api.cuGraphAddKernelNode(
            &mut node,
            graph,
            null(),
            0,
            &kernel_of(nothing, null_mut()),
        ));
        (1..16)
            .map(|id| {
                // SAFETY: all zeros is a value of every member.
                let mut value: CUkernelNodeAttrValue = unsafe { std::mem::zeroed() };
                api.cuGraphKernelNodeGetAttribute(node, CUlaunchAttributeID(id), &mut value)
            })
            .collect()
    }),
    ("graph_node/kernel_handles", |api| {
        context(api);
        let (mut library, mut kernel) = (null_mut(), null_mut());
        must(api.cuLibraryLoadData(
            &mut library,
            PTX.as_ptr().cast(),
            null_mut(),
            null_mut(),
            0,
            null_mut(),
            null_mut(),
            0,
        ));
        must(api.cuLibraryGetKernel(&mut kernel, library, c"nothing".as_ptr()));
        let mut function = null_mut();
        must(api.cuKernelGetFunction(&mut function, kernel));
        let graph = graph(api);
        let mut node = null_mut();
        // SAFETY: a plain structure, of which all zeros is a value.
        let zeroed = || -> CUDA_KERNEL_NODE_PARAMS { unsafe { std::mem::zeroed() } };
        let mut params = zeroed();
        (params.gridDimX, params.gridDimY, params.gridDimZ) = (1, 1, 1);
        (params.blockDimX, params.blockDimY, params.blockDimZ) = (1, 1, 1);
        let context = current(api);
        let mut answers = vec![];
        let mut show = |answer: i64, node: CUgraphNode| {
            answers.push(answer);
            if answer == 0 {
                let mut kept = zeroed();
                answers.push(api.cuGraphKernelNodeGetParams_v2(node, &mut kept));
                answers
                    .push(i64::from(kept.func.is_null()) * 10 + i64::from(kept.func == function));
                answers.push(i64::from(kept.kern.is_null()) * 10 + i64::from(kept.kern == kernel));
                answers.push(i64::from(kept.ctx.is_null()) * 10 + i64::from(kept.ctx == context));
                let mut plain = kernel_of(null_mut(), null_mut());
                answers.push(api.cuGraphKernelNodeGetParams(node, &mut plain));
                answers.push(
                    i64::from(plain.func.is_null()) * 100
                        + i64::from(plain.func == kernel.cast()) * 10
                        + i64::from(plain.func == function),
                );
            }
        };
        params.kern = kernel;
        show(api.cuGraphAddKernelNode_v2(&mut node, graph, null(), 0, &params), node);
        params.ctx = context;
        show(api.cuGraphAddKernelNode_v2(&mut node, graph, null(), 0, &params), node);
        params.func = function;
        show(api.cuGraphAddKernelNode_v2(&mut node, graph, null(), 0, &params), node);
        params.kern = null_mut();
        show(api.cuGraphAddKernelNode_v2(&mut node, graph, null(), 0, &params), node);
        params.func = kernel.cast();
        show(api.cuGraphAddKernelNode_v2(&mut node, graph, null(), 0, &params), node);
        // Captured, by either handle.
        let stream = stream(api);
        for handle in [function, kernel.cast()] {
            must(api.cuStreamBeginCapture_v2(stream, CUstreamCaptureMode(0)));
            let answer =
                api.cuLaunchKernel(handle, 1, 1, 1, 1, 1, 1, 0, stream, null_mut(), null_mut());
            let mut captured = null_mut();
            must(api.cuStreamEndCapture(stream, &mut captured));
            let mut count = 1;
            must(api.cuGraphGetNodes(captured, &mut node, &mut count));
            show(answer, node);
        }
        answers
    }),
    ("graph_node/memset", |api| {
        context(api);
        let context = current(api);
        let memory = allocate(api, 256);
        let graph = graph(api);
        let mut node = null_mut();
        let mut add = |params: &CUDA_MEMSET_NODE_PARAMS, context: CUcontext| {
            api.cuGraphAddMemsetNode(&mut node, graph, null(), 0, params, context)
        };
        let right = memset_of(memory, 0x1234_5678, 4, 4);
        let mut answers = vec![
            add(&right, null_mut()),
            add(&memset_of(memory, 1, 3, 4), context),
            add(&memset_of(memory, 1, 8, 4), context),
            add(&memset_of(memory, 1, 0, 4), context),
            add(&memset_of(memory, 0x1234_5678, 1, 4), context),
            add(&memset_of(memory, 0x1234_5678, 2, 4), context),
            add(&memset_of(memory + 1, 1, 2, 4), context),
            add(&memset_of(memory + 2, 1, 4, 4), context),
            add(&memset_of(memory, 1, 1, 0), context),
            add(&memset_of(memory, 1, 1, 257), context),
            add(&memset_of(0, 1, 1, 4), context),
            add(&CUDA_MEMSET_NODE_PARAMS { height: 0, ..right }, context),
            add(&CUDA_MEMSET_NODE_PARAMS { height: 2, ..right }, context),
            add(&CUDA_MEMSET_NODE_PARAMS { height: 2, pitch: 8, ..right }, context),
            add(&CUDA_MEMSET_NODE_PARAMS { height: 2, pitch: 18, ..right }, context),
            add(&CUDA_MEMSET_NODE_PARAMS { height: 2, pitch: 32, ..right }, context),
            add(&right, context),
        ];
        let mut kept = memset_of(0, 0, 0, 0);
        answers.extend([
            api.cuGraphMemsetNodeGetParams(node, &mut kept),
            (kept.dst == memory) as i64,
            kept.value.into(),
            kept.elementSize.into(),
            kept.width as i64,
            kept.height as i64,
            kept.pitch as i64,
            api.cuGraphMemsetNodeGetParams(node, null_mut()),
            api.cuGraphMemsetNodeSetParams(node, null()),
            api.cuGraphMemsetNodeSetParams(node, &memset_of(memory, 1, 3, 4)),
            api.cuGraphMemsetNodeSetParams(node, &memset_of(memory + 16, 3, 1, 4)),
        ]);
        let empty = empty(api, graph, &[]);
        answers.push(api.cuGraphMemsetNodeSetParams(empty, &right));
        answers.push(api.cuGraphMemsetNodeGetParams(empty, &mut kept));
        answers
    }),
    ("graph_node/memset_results", |api| {
        context(api);
        let context = current(api);
        let memory = allocate(api, 256);
        let graph = graph(api);
        must(api.cuMemsetD8_v2(memory, 0, 256));
        let mut node = null_mut();
        let mut answers = vec![];
        for (i, size) in [1, 2, 4].into_iter().enumerate() {
            let params = memset_of(memory + 16 * i as u64, [0x78, 0x5678, 0x1234_5678][i], size, 4);
            answers.push(api.cuGraphAddMemsetNode(&mut node, graph, null(), 0, &params, context));
        }
        let exec = instantiate(api, graph);
        answers.push(run(api, exec));
        for i in 0..3 {
            answers.extend(words(api, memory + 16 * i));
        }
        let exec_set = |params: &CUDA_MEMSET_NODE_PARAMS, context: CUcontext| {
            api.cuGraphExecMemsetNodeSetParams(exec, node, params, context)
        };
        answers.extend([
            exec_set(&memset_of(memory + 64, 7, 4, 4), context),
            exec_set(&memset_of(memory + 64, 7, 4, 4), null_mut()),
            exec_set(&memset_of(memory + 64, 7, 1, 4), context),
            exec_set(&memset_of(memory + 64, 7, 1, 8), context),
            exec_set(
                &CUDA_MEMSET_NODE_PARAMS { height: 2, pitch: 8, ..memset_of(memory + 64, 7, 1, 4) },
                context,
            ),
            exec_set(&memset_of(memory + 64, 7, 3, 4), context),
            exec_set(&memset_of(0, 7, 1, 4), context),
        ]);
        answers.push(run(api, exec));
        answers.extend(words(api, memory + 64));
        answers
    }),
    ("graph_node/memcpy", |api| {
        context(api);
        let context = current(api);
        let memory = allocate(api, 256);
        let graph = graph(api);
        let mut host = [0_u32; 4];
        let mut node = null_mut();
        let mut add = |params: &CUDA_MEMCPY3D, context: CUcontext| {
            api.cuGraphAddMemcpyNode(&mut node, graph, null(), 0, params, context)
        };
        let right = copy_of(memory, memory + 64, 16);
        let to_host = CUDA_MEMCPY3D {
            dstMemoryType: CUmemorytype::CU_MEMORYTYPE_HOST,
            dstHost: host.as_mut_ptr().cast(),
            ..right
        };
        let mut answers = vec![
            add(&right, null_mut()),
            add(&copy_of(memory, memory + 64, 0), context),
            add(&copy_of(memory, memory + 64, 512), context),
            add(&copy_of(0, memory + 64, 16), context),
            add(&copy_of(memory, 0, 16), context),
            add(&CUDA_MEMCPY3D { Height: 0, ..right }, context),
            add(&CUDA_MEMCPY3D { srcMemoryType: CUmemorytype(9), ..right }, context),
            add(&CUDA_MEMCPY3D { srcPitch: 8, Height: 2, ..right }, context),
            add(&CUDA_MEMCPY3D { srcLOD: 1, ..right }, context),
            add(
                &CUDA_MEMCPY3D { srcMemoryType: CUmemorytype::CU_MEMORYTYPE_ARRAY, ..right },
                context,
            ),
            add(&CUDA_MEMCPY3D { dstHost: null_mut(), ..to_host }, context),
            add(&to_host, context),
            add(&right, context),
        ];
        // SAFETY: a plain structure, of which all zeros is a value.
        let mut kept: CUDA_MEMCPY3D = unsafe { std::mem::zeroed() };
        answers.extend([
            api.cuGraphMemcpyNodeGetParams(node, &mut kept),
            (kept.dstDevice == memory) as i64,
            (kept.srcDevice == memory + 64) as i64,
            kept.WidthInBytes as i64,
            kept.Height as i64,
            kept.Depth as i64,
            kept.srcPitch as i64,
            kept.srcHeight as i64,
            kept.srcMemoryType.0.into(),
            api.cuGraphMemcpyNodeGetParams(node, null_mut()),
            api.cuGraphMemcpyNodeSetParams(node, null()),
            api.cuGraphMemcpyNodeSetParams(node, &copy_of(0, memory, 16)),
            api.cuGraphMemcpyNodeSetParams(node, &copy_of(memory, memory + 32, 8)),
            api.cuGraphMemcpyNodeSetParams(node, &to_host),
        ]);
        let exec = instantiate(api, graph);
        let exec_set = |params: &CUDA_MEMCPY3D, context: CUcontext| {
            api.cuGraphExecMemcpyNodeSetParams(exec, node, params, context)
        };
        answers.extend([
            exec_set(&to_host, context),
            exec_set(&to_host, null_mut()),
            exec_set(&right, context),
            exec_set(&CUDA_MEMCPY3D { WidthInBytes: 8, ..to_host }, context),
            exec_set(&CUDA_MEMCPY3D { WidthInBytes: 4, Height: 2, ..to_host }, context),
            exec_set(&CUDA_MEMCPY3D { srcDevice: memory, ..to_host }, context),
        ]);
        let empty = empty(api, graph, &[]);
        answers.push(api.cuGraphMemcpyNodeSetParams(empty, &right));
        answers.push(api.cuGraphMemcpyNodeGetParams(empty, &mut kept));
        answers
    }),
    ("graph_node/host", |api| {
        context(api);
        let graph = graph(api);
        let mut node = null_mut();
        let mut data = 3_i64;
        unsafe extern "C" fn count(data: *mut c_void) {
            // SAFETY: the case passes its own, and waits.
            unsafe { *data.cast::<i64>() += 1 };
        }
        let pointer: *mut i64 = &raw mut data;
        let right = CUDA_HOST_NODE_PARAMS { fn_: Some(count), userData: pointer.cast() };
        let none = CUDA_HOST_NODE_PARAMS { fn_: None, userData: null_mut() };
        let mut kept = none;
        let mut answers = vec![
            api.cuGraphAddHostNode(&mut node, graph, null(), 0, null()),
            api.cuGraphAddHostNode(&mut node, graph, null(), 0, &none),
            api.cuGraphAddHostNode(&mut node, graph, null(), 0, &right),
            api.cuGraphHostNodeGetParams(node, &mut kept),
            kept.fn_.is_some() as i64,
            (kept.userData == pointer.cast()) as i64,
            api.cuGraphHostNodeGetParams(node, null_mut()),
            api.cuGraphHostNodeSetParams(node, &none),
            api.cuGraphHostNodeSetParams(node, null()),
            api.cuGraphHostNodeSetParams(node, &right),
        ];
        let exec = instantiate(api, graph);
        answers.extend([run(api, exec), run(api, exec)]);
        // SAFETY: as above.
        answers.push(unsafe { pointer.read_volatile() });
        let mut other = 30_i64;
        let other_pointer: *mut i64 = &raw mut other;
        let another = CUDA_HOST_NODE_PARAMS { fn_: Some(count), userData: other_pointer.cast() };
        answers.extend([
            api.cuGraphExecHostNodeSetParams(exec, node, &none),
            api.cuGraphExecHostNodeSetParams(exec, node, &another),
            run(api, exec),
        ]);
        // SAFETY: as above.
        answers.extend(unsafe { [pointer.read_volatile(), other_pointer.read_volatile()] });
        answers
    }),
    ("graph_node/event", |api| {
        context(api);
        let (graph, event) = (graph(api), event(api));
        let (mut record, mut wait, mut kept) = (null_mut(), null_mut(), null_mut());
        let mut answers = vec![
            api.cuGraphAddEventRecordNode(&mut record, graph, null(), 0, event),
            api.cuGraphAddEventWaitNode(&mut wait, graph, &record, 1, event),
            api.cuGraphEventRecordNodeGetEvent(record, &mut kept),
            (kept == event) as i64,
            api.cuGraphEventWaitNodeGetEvent(wait, &mut kept),
            (kept == event) as i64,
            api.cuGraphEventWaitNodeGetEvent(record, &mut kept),
            api.cuGraphEventRecordNodeSetEvent(record, event),
            api.cuGraphEventWaitNodeSetEvent(wait, event),
        ];
        let exec = instantiate(api, graph);
        answers.extend([
            run(api, exec),
            api.cuEventQuery(event),
            api.cuEventSynchronize(event),
            api.cuGraphExecEventRecordNodeSetEvent(exec, record, event),
            api.cuGraphExecEventWaitNodeSetEvent(exec, wait, event),
            api.cuGraphExecEventWaitNodeSetEvent(exec, record, event),
        ]);
        answers
    }),
    ("graph_node/event_destroyed", |api| {
        context(api);
        let (graph, event) = (graph(api), event(api));
        let mut record = null_mut();
        must(api.cuGraphAddEventRecordNode(&mut record, graph, null(), 0, event));
        let exec = instantiate(api, graph);
        vec![api.cuEventDestroy_v2(event), run(api, exec)]
    }),
    ("graph_node/event_of_nothing", |api| {
        context(api);
        let graph = graph(api);
        let mut node = null_mut();
        vec![
            api.cuGraphAddEventRecordNode(&mut node, graph, null(), 0, null_mut()),
            api.cuGraphAddEventWaitNode(&mut node, graph, null(), 0, null_mut()),
        ]
    }),
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
