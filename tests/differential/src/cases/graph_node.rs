//! The nodes of graphs: their parameters, and what launches give.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use cuda_types::cuda::*;

use super::Case;
use super::graph::*;
use crate::Answers;
use crate::setup::*;
use differential::api::Api;

/// The four words at this address.
pub fn words(api: &Api, from: CUdeviceptr) -> Answers {
    let mut words = [0_u32; 4];
    must(api.cuMemcpyDtoH_v2(words.as_mut_ptr().cast(), from, 16));
    words.iter().map(|word| i64::from(*word)).collect()
}

/// The current context.
pub fn current(api: &Api) -> CUcontext {
    let mut context = null_mut();
    must(api.cuCtxGetCurrent(&mut context));
    context
}

/// A launch on a stream of its own, to its end.
pub fn run(api: &Api, exec: CUgraphExec) -> i64 {
    let stream = stream(api);
    let answer = api.cuGraphLaunch(exec, stream);
    must(api.cuStreamSynchronize(stream));
    answer
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
        let (library, mut kernel) = (library(api), null_mut());
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
];
