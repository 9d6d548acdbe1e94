//! Streams that are captured.

use std::ptr::{null, null_mut};

use cuda_types::cuda::*;

use super::Case;
use super::graph::*;
use crate::Answers;
use crate::setup::*;
use differential::api::Api;

pub const GLOBAL: CUstreamCaptureMode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_GLOBAL;
pub const THREAD: CUstreamCaptureMode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
pub const RELAXED: CUstreamCaptureMode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;

pub const LEGACY: CUstream = null_mut();

/// The code of `cuStreamIsCapturing`, and the status that it writes, 9 if none.
pub fn status(api: &Api, stream: CUstream) -> Answers {
    let mut status = CUstreamCaptureStatus(9);
    let answer = api.cuStreamIsCapturing(stream, &mut status);
    vec![answer, status.0.into()]
}

/// The end of a capture: the answer, and the kinds and edges of nodes in the order in which they came.
pub fn end(api: &Api, stream: CUstream) -> Answers {
    let mut graph = 1 as CUgraph;
    let mut answers = vec![api.cuStreamEndCapture(stream, &mut graph)];
    if graph.is_null() {
        answers.push(-1);
    } else if graph == 1 as CUgraph {
        answers.push(-2);
    } else {
        answers.extend(shape(api, graph));
    }
    answers
}

/// The types of a graph's nodes, 100, its edges, 200.
pub fn shape(api: &Api, graph: CUgraph) -> Answers {
    let (mut nodes, mut count) = ([null_mut(); 32], 32);
    must(api.cuGraphGetNodes(graph, nodes.as_mut_ptr(), &mut count));
    let nodes = &nodes[..count];
    let mut answers: Answers = nodes.iter().map(|node| type_of(api, *node)).collect();
    answers.push(100);
    answers.extend(edges(api, graph, nodes));
    answers.push(200);
    answers
}

/// A new stream whose capture has begun.
pub fn begin(api: &Api, mode: CUstreamCaptureMode) -> CUstream {
    let stream = stream(api);
    must(api.cuStreamBeginCapture_v2(stream, mode));
    stream
}

/// A new stream that does not wait for the legacy one.
pub fn non_blocking(api: &Api) -> CUstream {
    let mut stream = null_mut();
    must(api.cuStreamCreate(&mut stream, 1));
    stream
}

/// Dependencies of a capture: how many.
pub fn depends_on(api: &Api, stream: CUstream) -> Answers {
    let (mut state, mut id, mut graph) = (CUstreamCaptureStatus(9), 0, null_mut());
    let (mut list, mut count) = (null(), 99);
    let answer = api
        .cuStreamGetCaptureInfo_v2(stream, &mut state, &mut id, &mut graph, &mut list, &mut count);
    vec![answer, state.0.into(), (id != 0) as i64, (!graph.is_null()) as i64, count as i64]
}

/// Handles for another thread: its context and two streams.
struct Shared<'a>(&'a Api, CUcontext, CUstream, CUstream);
// SAFETY: the driver's handles may be used by any thread.
unsafe impl Send for Shared<'_> {}

impl Shared<'_> {
    /// The answers in another thread.
    fn elsewhere(self, ask: impl FnOnce(&Api, CUstream, CUstream) -> Answers + Send) -> Answers {
        let work = move || {
            // As a whole: the pointers alone may not go to a thread.
            let Shared(api, context, first, second) = { self };
            must(api.cuCtxSetCurrent(context));
            ask(api, first, second)
        };
        std::thread::scope(|scope| scope.spawn(work).join().unwrap())
    }
}

pub const CASES: &[Case] = &[
    ("capture/begin", |api| {
        context(api);
        let stream = stream(api);
        let mut graph = null_mut();
        let mut answers = vec![
            api.cuStreamBeginCapture_v2(LEGACY, GLOBAL),
            api.cuStreamBeginCapture_v2(1 as CUstream, GLOBAL),
            api.cuStreamBeginCapture_v2(stream, CUstreamCaptureMode(3)),
            api.cuStreamEndCapture(stream, &mut graph),
            api.cuStreamBeginCapture_v2(stream, GLOBAL),
            api.cuStreamBeginCapture_v2(stream, GLOBAL),
        ];
        answers.extend(status(api, stream));
        answers.extend(end(api, stream));
        answers.extend(status(api, stream));
        answers.push(api.cuStreamBeginCapture_v2(stream, GLOBAL));
        answers.push(api.cuStreamEndCapture(stream, null_mut()));
        answers.extend(status(api, stream));
        answers
    }),
    ("capture/per_thread_stream", |api| {
        context(api);
        let per_thread = 2 as CUstream;
        let memory = allocate(api, 64);
        let mut answers = vec![
            api.cuStreamBeginCapture_v2(per_thread, GLOBAL),
            api.cuMemsetD8Async(memory, 1, 8, per_thread),
            api.cuMemsetD8Async_ptsz(memory, 1, 8, LEGACY),
        ];
        answers.extend(end(api, per_thread));
        answers.push(api.cuStreamBeginCapture_v2_ptsz(LEGACY, GLOBAL));
        answers.extend(status(api, per_thread));
        let mut graph = null_mut();
        answers.push(api.cuStreamEndCapture_ptsz(LEGACY, &mut graph));
        answers
    }),
    ("capture/chain", |api| {
        let module = module(api);
        let function = kernel(api, module, c"nothing");
        let memory = allocate(api, 64);
        let stream = begin(api, GLOBAL);
        let mut host = [0_u32; 4];
        let mut answers = vec![
            api.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, null_mut(), null_mut()),
            api.cuMemsetD32Async(memory, 7, 4, stream),
            api.cuMemcpyDtoHAsync_v2(host.as_mut_ptr().cast(), memory, 16, stream),
            api.cuMemcpyHtoDAsync_v2(memory, host.as_ptr().cast(), 16, stream),
            api.cuMemcpyDtoDAsync_v2(memory, memory + 32, 16, stream),
            api.cuMemcpyAsync(memory, memory + 32, 16, stream),
            api.cuLaunchHostFunc(stream, Some(host_nothing), null_mut()),
            api.cuMemsetD2D8Async(memory, 16, 1, 4, 2, stream),
            api.cuMemcpyDtoDAsync_v2(memory, memory + 32, 0, stream),
            api.cuMemsetD8Async(memory, 1, 0, stream),
            api.cuMemcpyDtoDAsync_v2(0, memory + 32, 8, stream),
        ];
        answers.extend(status(api, stream));
        answers.extend(depends_on(api, stream));
        answers.extend(end(api, stream));
        answers.push(host[0].into());
        answers
    }),
    ("capture/invalid_arguments", |api| {
        let module = module(api);
        let function = kernel(api, module, c"store");
        let memory = allocate(api, 64);
        let stream = begin(api, GLOBAL);
        let mut answers = vec![
            api.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, null_mut(), null_mut()),
            api.cuLaunchKernel(function, 0, 1, 1, 1, 1, 1, 0, stream, null_mut(), null_mut()),
        ];
        answers.extend(status(api, stream));
        answers.push(api.cuLaunchHostFunc(stream, None, null_mut()));
        answers.extend(status(api, stream));
        answers.push(api.cuMemsetD8Async(0, 1, 8, stream));
        answers.extend(status(api, stream));
        answers.push(api.cuMemsetD8Async(memory, 1, 128, stream));
        answers.extend(status(api, stream));
        answers.push(api.cuEventRecord(null_mut(), stream));
        answers.extend(status(api, stream));
        answers.extend(end(api, stream));
        answers
    }),
    ("capture/wrong_thread_and_invalid", |api| {
        let context = context(api);
        let first = begin(api, GLOBAL);
        let mut answers = vec![api.cuMemAlloc_v2(&mut 0, 64)];
        let shared = Shared(api, context, first, first);
        answers.extend(shared.elsewhere(|api, first, _| end(api, first)));
        answers.extend(status(api, first));
        answers
    }),
    ("capture/after_invalidation", |api| {
        let module = module(api);
        let function = kernel(api, module, c"nothing");
        let (first, other) = (begin(api, GLOBAL), stream(api));
        let (event, memory) = (event(api), allocate_relaxed(api));
        let mut answers = vec![api.cuMemAlloc_v2(&mut 0, 64)];
        answers.extend(status(api, first));
        answers.push(api.cuLaunchKernel(
            function,
            1,
            1,
            1,
            1,
            1,
            1,
            0,
            first,
            null_mut(),
            null_mut(),
        ));
        answers.push(api.cuMemsetD8Async(memory, 1, 8, first));
        answers.push(api.cuEventRecord(event, first));
        answers.push(api.cuStreamWaitEvent(other, event, 0));
        answers.push(api.cuStreamWaitEvent(first, event, 0));
        answers.push(api.cuStreamSynchronize(first));
        answers.push(api.cuStreamQuery(first));
        answers.push(api.cuMemAlloc_v2(&mut 0, 64));
        answers.push(api.cuMemsetD8_v2(memory, 1, 8));
        answers.extend(depends_on(api, first));
        answers.push(api.cuStreamBeginCapture_v2(first, GLOBAL));
        answers.extend(end(api, first));
        answers.extend(status(api, first));
        answers.push(api.cuMemAlloc_v2(&mut 0, 64));
        answers
    }),
    ("capture/info", |api| {
        context(api);
        let memory = allocate(api, 64);
        let stream = stream(api);
        let (mut state, mut id, mut graph) = (CUstreamCaptureStatus(9), 99, 1 as CUgraph);
        let (mut list, mut edges, mut count) = (std::ptr::dangling(), null(), 99);
        let mut answers = vec![
            api.cuStreamGetCaptureInfo(stream, &mut state, &mut id),
            state.0.into(),
            id as i64,
            api.cuStreamGetCaptureInfo(stream, null_mut(), &mut id),
            api.cuStreamGetCaptureInfo(LEGACY, &mut state, &mut id),
            api.cuStreamGetCaptureInfo_v2(
                stream, &mut state, &mut id, &mut graph, &mut list, &mut count,
            ),
            (graph == 1 as CUgraph) as i64,
            count as i64,
            api.cuStreamBeginCapture_v2(stream, GLOBAL),
            api.cuStreamGetCaptureInfo(stream, &mut state, null_mut()),
            state.0.into(),
            api.cuStreamGetCaptureInfo_v2(
                stream, &mut state, &mut id, &mut graph, &mut list, &mut count,
            ),
            (!graph.is_null()) as i64,
            count as i64,
            api.cuMemsetD8Async(memory, 1, 8, stream),
            api.cuStreamGetCaptureInfo_v2(
                stream,
                &mut state,
                null_mut(),
                null_mut(),
                null_mut(),
                null_mut(),
            ),
            api.cuStreamGetCaptureInfo_v2(
                stream,
                &mut state,
                null_mut(),
                null_mut(),
                &mut list,
                &mut count,
            ),
            count as i64,
            api.cuStreamGetCaptureInfo_v2(
                stream,
                &mut state,
                null_mut(),
                null_mut(),
                &mut list,
                null_mut(),
            ),
            api.cuStreamGetCaptureInfo_v2(
                stream,
                &mut state,
                null_mut(),
                null_mut(),
                null_mut(),
                &mut count,
            ),
            api.cuStreamGetCaptureInfo_v3(
                stream,
                &mut state,
                null_mut(),
                null_mut(),
                &mut list,
                &mut edges,
                &mut count,
            ),
            count as i64,
            edges.is_null() as i64,
            api.cuStreamGetCaptureInfo_v3(
                stream,
                &mut state,
                null_mut(),
                null_mut(),
                null_mut(),
                &mut edges,
                &mut count,
            ),
            count_of_nodes(api, graph),
            api.cuStreamIsCapturing(LEGACY, &mut state),
            api.cuStreamIsCapturing(2 as CUstream, &mut state),
            // The graph belongs to the capture.
            api.cuGraphInstantiateWithFlags(&mut null_mut(), graph, 0),
            api.cuGraphDestroy(graph),
        ];
        let mut ended = null_mut();
        answers.push(api.cuStreamEndCapture(stream, &mut ended));
        answers.push((ended == graph) as i64);
        answers
    }),
    ("capture/destroy_its_graph", |api| {
        context(api);
        let stream = begin(api, GLOBAL);
        let (mut state, mut graph) = (CUstreamCaptureStatus(9), null_mut());
        let mut answers = vec![
            api.cuStreamGetCaptureInfo_v2(
                stream,
                &mut state,
                null_mut(),
                &mut graph,
                null_mut(),
                null_mut(),
            ),
            api.cuGraphDestroy(graph),
        ];
        answers.extend(end(api, stream));
        answers
    }),
    ("capture/update_dependencies", |api| {
        context(api);
        let memory = allocate(api, 64);
        let stream = stream(api);
        let mut answers =
            vec![api.cuStreamUpdateCaptureDependencies_v2(stream, null_mut(), null(), 0, 0)];
        must(api.cuStreamBeginCapture_v2(stream, GLOBAL));
        let (mut state, mut graph) = (CUstreamCaptureStatus(9), null_mut());
        must(api.cuStreamGetCaptureInfo_v2(
            stream,
            &mut state,
            null_mut(),
            &mut graph,
            null_mut(),
            null_mut(),
        ));
        let mut other_graph = null_mut();
        must(api.cuGraphCreate(&mut other_graph, 0));
        let mut a = empty(api, graph, &[]);
        let mut foreigner = empty(api, other_graph, &[]);
        answers.extend([
            api.cuStreamUpdateCaptureDependencies_v2(stream, &mut a, null(), 1, 0),
            api.cuMemsetD8Async(memory, 1, 8, stream),
        ]);
        let mut b = empty(api, graph, &[]);
        answers.extend([
            api.cuStreamUpdateCaptureDependencies_v2(stream, &mut b, null(), 1, 0),
            api.cuStreamUpdateCaptureDependencies_v2(stream, &mut b, null(), 1, 0),
        ]);
        answers.extend(depends_on(api, stream));
        answers.extend([
            api.cuStreamUpdateCaptureDependencies_v2(stream, &mut foreigner, null(), 1, 0),
            api.cuStreamUpdateCaptureDependencies_v2(stream, null_mut(), null(), 1, 0),
            api.cuStreamUpdateCaptureDependencies_v2(stream, &mut b, null(), 1, 2),
        ]);
        answers.extend(status(api, stream));
        answers.extend([
            api.cuMemsetD8Async(memory, 1, 8, stream),
            api.cuStreamUpdateCaptureDependencies(stream, &mut a, 1, 1),
            api.cuMemsetD8Async(memory, 1, 8, stream),
            api.cuStreamUpdateCaptureDependencies(stream, null_mut(), 0, 1),
        ]);
        answers.extend(depends_on(api, stream));
        answers.extend(end(api, stream));
        answers
    }),
    ("capture/to_graph", |api| {
        context(api);
        let memory = allocate(api, 64);
        let (stream, graph, other) = (stream(api), graph(api), graph(api));
        let a = empty(api, graph, &[]);
        let foreigner = empty(api, other, &[]);
        let mut answers = vec![
            api.cuStreamBeginCaptureToGraph(stream, null_mut(), null(), null(), 0, GLOBAL),
            api.cuStreamBeginCaptureToGraph(stream, graph, &foreigner, null(), 1, GLOBAL),
            api.cuStreamBeginCaptureToGraph(stream, graph, null(), null(), 1, GLOBAL),
            api.cuStreamBeginCaptureToGraph(LEGACY, graph, null(), null(), 0, GLOBAL),
            api.cuStreamBeginCaptureToGraph(stream, graph, &a, null(), 1, CUstreamCaptureMode(3)),
            api.cuStreamBeginCaptureToGraph(stream, graph, &a, null(), 1, GLOBAL),
            api.cuMemsetD8Async(memory, 1, 8, stream),
        ];
        answers.extend(depends_on(api, stream));
        let mut ended = null_mut();
        answers.extend([api.cuStreamEndCapture(stream, &mut ended), (ended == graph) as i64]);
        answers.extend(shape(api, graph));
        answers
    }),
    ("capture/to_graph_in_vain", |api| {
        context(api);
        let (stream, graph) = (stream(api), graph(api));
        let memory = allocate(api, 64);
        let (mut ended, mut count) = (1 as CUgraph, 99);
        empty(api, graph, &[]);
        vec![
            api.cuStreamBeginCaptureToGraph(stream, graph, null(), null(), 0, GLOBAL),
            api.cuMemsetD8Async(memory, 1, 8, stream),
            api.cuMemAlloc_v2(&mut 0, 8),
            api.cuGraphGetNodes(graph, null_mut(), &mut count),
            count as i64,
            api.cuStreamEndCapture(stream, &mut ended),
            ended.is_null() as i64,
            api.cuGraphGetNodes(graph, null_mut(), &mut count),
        ]
    }),
    ("capture/memory", |api| {
        context(api);
        let stream = begin(api, GLOBAL);
        let mut memory = 0;
        let mut answers = vec![
            api.cuMemAllocAsync(&mut memory, 64, stream),
            (memory != 0) as i64,
            api.cuMemsetD8Async(memory, 3, 16, stream),
            api.cuMemFreeAsync(memory, stream),
        ];
        answers.extend(status(api, stream));
        let mut graph = null_mut();
        answers.push(api.cuStreamEndCapture(stream, &mut graph));
        answers.extend(shape(api, graph));
        let exec = instantiate(api, graph);
        answers.extend([
            api.cuGraphLaunch(exec, stream),
            api.cuGraphLaunch(exec, stream),
            api.cuStreamSynchronize(stream),
            api.cuMemFreeAsync(memory, stream),
        ]);
        // Memory from outside, and nothing.
        let (mut outside, mut nothing) = (0, 0);
        answers.extend([
            api.cuMemAllocAsync(&mut outside, 64, stream),
            api.cuStreamBeginCapture_v2(stream, GLOBAL),
            api.cuMemFreeAsync(outside, stream),
        ]);
        answers.extend(status(api, stream));
        answers.push(api.cuMemAllocAsync(&mut nothing, 0, stream));
        answers.push(api.cuMemFreeAsync(0, stream));
        answers.extend(status(api, stream));
        answers.extend(end(api, stream));
        answers
    }),
    ("capture/child", |api| {
        context(api);
        let memory = allocate(api, 64);
        let first = begin(api, GLOBAL);
        must(api.cuMemsetD8Async(memory, 1, 8, first));
        let mut graph = null_mut();
        must(api.cuStreamEndCapture(first, &mut graph));
        let exec = instantiate(api, graph);
        let mut answers = vec![
            api.cuStreamBeginCapture_v2(first, GLOBAL),
            api.cuMemsetD8Async(memory, 1, 8, first),
            api.cuGraphLaunch(exec, first),
            api.cuMemsetD8Async(memory, 1, 8, first),
        ];
        answers.extend(end(api, first));
        answers
    }),
    ("capture/modes", |api| {
        context(api);
        let mut mode = RELAXED;
        let mut answers = vec![api.cuThreadExchangeStreamCaptureMode(&mut mode), mode.0.into()];
        for (thread, capture) in [
            (GLOBAL, THREAD),
            (GLOBAL, RELAXED),
            (THREAD, GLOBAL),
            (RELAXED, GLOBAL),
            (RELAXED, RELAXED),
        ] {
            mode = thread;
            answers.push(api.cuThreadExchangeStreamCaptureMode(&mut mode));
            answers.push(mode.0.into());
            let stream = begin(api, capture);
            answers.push(api.cuMemAlloc_v2(&mut 0, 64));
            answers.extend(status(api, stream));
            answers.push(api.cuMemsetD8_v2(0, 0, 0));
            answers.extend(status(api, stream));
            answers.extend(end(api, stream));
        }
        mode = CUstreamCaptureMode(3);
        answers.push(api.cuThreadExchangeStreamCaptureMode(&mut mode));
        answers
    }),
    ("capture/threads", |api| {
        let context = context(api);
        let mut answers = vec![];
        for (capture, thread) in [
            (GLOBAL, GLOBAL),
            (GLOBAL, THREAD),
            (GLOBAL, RELAXED),
            (THREAD, GLOBAL),
            (THREAD, THREAD),
            (RELAXED, GLOBAL),
        ] {
            let first = begin(api, capture);
            let shared = Shared(api, context, first, stream(api));
            // Unsafe calls of another thread.
            answers.extend(shared.elsewhere(|api, _, _| {
                let mut mode = thread;
                must(api.cuThreadExchangeStreamCaptureMode(&mut mode));
                vec![api.cuMemAlloc_v2(&mut 0, 64)]
            }));
            answers.extend(status(api, first));
            answers.extend(end(api, first));
            // A capture that another thread goes on with, and ends.
            let first = begin(api, capture);
            let shared = Shared(api, context, first, stream(api));
            answers.extend(shared.elsewhere(|api, first, _| {
                let mut answers = vec![api.cuLaunchHostFunc(first, Some(host_nothing), null_mut())];
                answers.extend(end(api, first));
                answers
            }));
            answers.extend(status(api, first));
            answers.extend(end(api, first));
            // A capture that this thread has begun, while another thread uses the legacy stream.
            let first = begin(api, capture);
            let shared = Shared(api, context, first, stream(api));
            answers.extend(shared.elsewhere(|api, _, other| {
                vec![
                    api.cuStreamSynchronize(LEGACY),
                    api.cuLaunchHostFunc(other, Some(host_nothing), null_mut()),
                ]
            }));
            answers.extend(status(api, first));
            answers.extend(end(api, first));
        }
        answers
    }),
    ("capture/non_blocking_and_legacy", |api| {
        context(api);
        let memory = allocate(api, 64);
        let stream = non_blocking(api);
        let mut answers = vec![
            api.cuStreamBeginCapture_v2(stream, RELAXED),
            api.cuMemsetD8Async(memory, 1, 8, LEGACY),
            api.cuStreamSynchronize(LEGACY),
            api.cuStreamQuery(LEGACY),
            api.cuMemsetD8Async(memory, 1, 8, stream),
        ];
        answers.extend(status(api, LEGACY));
        answers.extend(end(api, stream));
        answers
    }),
    ("capture/launch_attributes", |api| {
        let module = module(api);
        let function = kernel(api, module, c"nothing");
        let stream = begin(api, GLOBAL);
        let mut answers =
            vec![api.cuLaunchCooperativeKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, null_mut())];
        // SAFETY: a plain structure, of which all zeros is a value.
        let mut config: CUlaunchConfig = unsafe { std::mem::zeroed() };
        (config.gridDimX, config.gridDimY, config.gridDimZ) = (1, 1, 1);
        (config.blockDimX, config.blockDimY, config.blockDimZ) = (1, 1, 1);
        config.hStream = stream;
        // SAFETY: as above.
        let attribute: &mut CUlaunchAttribute = Box::leak(Box::new(unsafe { std::mem::zeroed() }));
        attribute.id = CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
        attribute.value.programmaticStreamSerializationAllowed = 1;
        (config.attrs, config.numAttrs) = (attribute, 1);
        answers.push(api.cuLaunchKernelEx(&config, function, null_mut(), null_mut()));
        // SAFETY: the attribute is there for ever.
        unsafe {
            (*config.attrs).id = CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_PRIORITY;
            (*config.attrs).value.priority = -3;
        }
        answers.push(api.cuLaunchKernelEx(&config, function, null_mut(), null_mut()));
        let mut graph = null_mut();
        answers.push(api.cuStreamEndCapture(stream, &mut graph));
        let (mut nodes, mut count) = ([null_mut(); 4], 4);
        must(api.cuGraphGetNodes(graph, nodes.as_mut_ptr(), &mut count));
        // SAFETY: all zeros is a value of every member.
        let mut value: CUkernelNodeAttrValue = unsafe { std::mem::zeroed() };
        for (node, id) in [(0, 2), (1, 2), (2, 8), (1, 6)] {
            answers.push(api.cuGraphKernelNodeGetAttribute(
                nodes[node],
                CUlaunchAttributeID(id),
                &mut value,
            ));
            // SAFETY: all members begin with a word.
            answers.push(unsafe { value.priority }.into());
        }
        let (mut from, mut to, mut data, mut count) =
            ([null_mut(); 4], [null_mut(); 4], [EDGE; 4], 4);
        answers.push(api.cuGraphGetEdges_v2(
            graph,
            from.as_mut_ptr(),
            to.as_mut_ptr(),
            data.as_mut_ptr(),
            &mut count,
        ));
        let mut kinds: Answers = data[..count]
            .iter()
            .map(|edge| i64::from(edge.type_) * 10 + i64::from(edge.from_port))
            .collect();
        kinds.sort_unstable();
        answers.extend(kinds);
        answers
    }),
    ("capture/results", |api| {
        let module = module(api);
        let store = kernel(api, module, c"store");
        let memory = allocate(api, 64);
        let (stream, arguments) = (stream(api), Arguments::new(memory, 5));
        let mut host = [0_u32; 4];
        must(api.cuMemsetD8_v2(memory, 0, 64));
        let mut answers = vec![
            api.cuStreamBeginCapture_v2(stream, GLOBAL),
            api.cuMemsetD32Async(memory, 9, 4, stream),
            api.cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, stream, arguments.list(), null_mut()),
            api.cuMemcpyDtoHAsync_v2(host.as_mut_ptr().cast(), memory, 16, stream),
        ];
        let mut graph = null_mut();
        answers.push(api.cuStreamEndCapture(stream, &mut graph));
        let exec = instantiate(api, graph);
        arguments.set(0, 0);
        for _ in 0..2 {
            host = [0; 4];
            answers.extend([api.cuGraphLaunch(exec, stream), api.cuStreamSynchronize(stream)]);
            answers.extend(host.iter().map(|word| i64::from(*word)));
        }
        answers
    }),
];

/// Memory, though a stream is captured.
fn allocate_relaxed(api: &Api) -> CUdeviceptr {
    let mut mode = RELAXED;
    must(api.cuThreadExchangeStreamCaptureMode(&mut mode));
    let memory = allocate(api, 64);
    must(api.cuThreadExchangeStreamCaptureMode(&mut mode));
    memory
}
