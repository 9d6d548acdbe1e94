//! Two devices: streams, events, modules, graphs and faults, each of one of them.

use std::ptr::{null, null_mut};

use cuda_types::cuda::*;

use super::Case;
use super::devices::{contexts, create, within};
use super::devices_memory::{memories, read, store};
use super::graph::*;
use crate::Answers;
use crate::setup::*;
use differential::api::Api;

fn load(api: &Api, context: CUcontext) -> CUmodule {
    let mut module = null_mut();
    within(api, context, || must(api.cuModuleLoadData(&mut module, PTX.as_ptr().cast())));
    module
}

fn launch_in(api: &Api, function: CUfunction, stream: CUstream, arguments: &Arguments) -> i64 {
    api.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, arguments.list(), null_mut())
}

/// A word of the host that devices see, 0.
fn host_word(api: &Api) -> *mut u32 {
    let mut word = null_mut();
    // CU_MEMHOSTALLOC_PORTABLE
    must(api.cuMemHostAlloc(&mut word, 64, 1));
    let word = word.cast::<u32>();
    // SAFETY: 64 bytes of memory.
    unsafe { word.write_volatile(0) };
    word
}

/// Lets a stream wait until the word is 1.
fn hold(api: &Api, stream: CUstream, word: *mut u32) {
    let equal = CUstreamWaitValue_flags::CU_STREAM_WAIT_VALUE_EQ.0;
    must(api.cuStreamWaitValue32_v2(stream, word as u64, 1, equal));
}

fn let_go(word: *mut u32) {
    // SAFETY: the word of `host_word`.
    unsafe { word.write_volatile(1) };
}

/// What a context does while another one is busy.
fn all_kinds_of_work(api: &Api, memory: CUdeviceptr, before: CUmodule) -> Answers {
    let (mut word, mut later, mut module) = (7_u32, 0, null_mut());
    let mut answers = vec![
        api.cuMemcpyHtoD_v2(memory, (&raw const word).cast(), 4),
        api.cuMemcpyDtoH_v2((&raw mut word).cast(), memory, 4),
        api.cuMemsetD32_v2(memory, 3, 4),
        api.cuCtxSynchronize(),
        api.cuStreamSynchronize(null_mut()),
        api.cuMemAlloc_v2(&mut later, 1 << 20),
        api.cuMemFree_v2(later),
        api.cuModuleLoadData(&mut module, PTX.as_ptr().cast()),
        api.cuModuleUnload(module),
    ];
    answers.extend(store(api, memory, 5));
    answers.push(api.cuModuleUnload(before));
    answers
}

pub const CASES: &[Case] = &[
    ("devices/streams", |api| {
        let both = contexts(api);
        let [a, b] = memories(api, both);
        let (mut context, mut device) = (null_mut(), -1);
        let of_second = within(api, both[1], || stream(api));
        let mut answers = vec![
            api.cuStreamGetCtx(of_second, &mut context),
            (context == both[1]) as i64,
            api.cuStreamGetDevice(of_second, &mut device),
            device.into(),
            // The other device's context is current.
            api.cuStreamQuery(of_second),
            api.cuMemsetD32Async(b, 9, 4, of_second),
            api.cuMemcpyDtoDAsync_v2(a, b, 4, of_second),
            api.cuMemcpyAsync(a + 4, b, 4, of_second),
            api.cuStreamSynchronize(of_second),
        ];
        answers.extend(read(api, a));
        answers.extend(read(api, a + 4));
        answers.push(api.cuMemsetD32Async(a, 9, 4, of_second));
        answers.push(api.cuStreamSynchronize(of_second));
        answers.push(api.cuStreamDestroy_v2(of_second));
        answers
    }),
    ("devices/events", |api| {
        let both = contexts(api);
        let streams = both.map(|context| within(api, context, || stream(api)));
        let events = both.map(|context| within(api, context, || event(api)));
        let mut milliseconds = 0.0;
        vec![
            api.cuEventRecord(events[0], streams[1]),
            api.cuEventRecord(events[1], streams[0]),
            api.cuEventRecord(events[1], null_mut()),
            api.cuEventRecord(events[0], streams[0]),
            api.cuEventRecord(events[1], streams[1]),
            api.cuStreamWaitEvent(streams[1], events[0], 0),
            api.cuStreamWaitEvent(streams[0], events[1], 0),
            api.cuStreamWaitEvent(null_mut(), events[1], 0),
            api.cuEventSynchronize(events[1]),
            api.cuEventSynchronize(events[0]),
            api.cuEventQuery(events[1]),
            api.cuEventElapsedTime(&mut milliseconds, events[0], events[1]),
            api.cuEventElapsedTime(&mut milliseconds, events[1], events[1]),
            api.cuEventDestroy_v2(events[1]),
        ]
    }),
    ("devices/order_by_events", |api| {
        let both = contexts(api);
        let [a, b] = memories(api, both);
        let word = host_word(api);
        let streams = both.map(|context| within(api, context, || stream(api)));
        let event = event(api);
        hold(api, streams[0], word);
        must(api.cuMemsetD32Async(a, 50, 4, streams[0]));
        must(api.cuEventRecord(event, streams[0]));
        must(api.cuStreamWaitEvent(streams[1], event, 0));
        must(api.cuMemcpyPeerAsync(b, both[1], a, both[0], 4, streams[1]));
        let mut answers = vec![
            api.cuEventQuery(event),
            api.cuStreamQuery(streams[1]),
            within(api, both[1], || api.cuStreamQuery(streams[0])),
        ];
        let_go(word);
        answers.push(api.cuStreamSynchronize(streams[1]));
        answers.extend(within(api, both[1], || read(api, b)));
        answers
    }),
    ("devices/modules", |api| {
        let both = contexts(api);
        let [a, b] = memories(api, both);
        let modules = both.map(|context| load(api, context));
        let store = modules.map(|module| kernel(api, module, c"store"));
        let streams = both.map(|context| within(api, context, || stream(api)));
        let (of_first, of_second) = (Arguments::new(a, 61), Arguments::new(b, 62));
        let (mut at, mut size, mut threads) = (0, 0, 0);
        let mut answers = vec![
            launch_in(api, store[1], null_mut(), &of_second),
            launch_in(api, store[1], streams[0], &of_second),
            launch_in(api, store[1], streams[1], &of_second),
            launch_in(api, store[0], streams[1], &of_first),
            launch_in(api, store[0], streams[0], &of_first),
            within(api, both[1], || launch_in(api, store[0], null_mut(), &of_first)),
            api.cuStreamSynchronize(streams[1]),
            api.cuStreamSynchronize(streams[0]),
            api.cuModuleGetGlobal_v2(&mut at, &mut size, modules[1], c"counter".as_ptr()),
            size as i64,
            api.cuFuncGetAttribute(&mut threads, CUfunction_attribute(0), store[1]),
            api.cuModuleUnload(modules[1]),
        ];
        answers.extend(read(api, a));
        answers.extend(within(api, both[1], || read(api, b)));
        answers
    }),
    ("devices/libraries", |api| {
        // One library, kernels on whichever device is current.
        let both = contexts(api);
        let [a, b] = memories(api, both);
        let library = library(api);
        let (mut kernel, mut at, mut size) = (null_mut(), [0; 2], 0);
        must(api.cuLibraryGetKernel(&mut kernel, library, c"store".as_ptr()));
        let mut answers = Vec::new();
        for (device, memory) in [a, b].into_iter().enumerate() {
            within(api, both[device], || {
                let arguments = Arguments::new(memory, 70 + device as u32);
                answers.push(launch_in(api, kernel.cast(), null_mut(), &arguments));
                answers.push(api.cuCtxSynchronize());
                answers.extend(read(api, memory));
                let name = c"counter".as_ptr();
                answers.push(api.cuLibraryGetGlobal(&mut at[device], &mut size, library, name));
            });
        }
        answers.push((at[0] == at[1]) as i64);
        answers
    }),
    ("devices/graph_of_both", |api| {
        let both = contexts(api);
        let [a, b] = memories(api, both);
        let store = both.map(|context| kernel(api, load(api, context), c"store"));
        let graph = graph(api);
        let (first, second) = (Arguments::new(a, 81), Arguments::new(b, 82));
        let (mut nodes, mut exec) = ([null_mut(); 4], null_mut());
        let params = |device: usize, arguments: &Arguments| CUDA_KERNEL_NODE_PARAMS {
            func: store[device],
            gridDimX: 1,
            gridDimY: 1,
            gridDimZ: 1,
            blockDimX: 1,
            blockDimY: 1,
            blockDimZ: 1,
            sharedMemBytes: 0,
            kernelParams: arguments.list(),
            extra: null_mut(),
            kern: null_mut(),
            ctx: both[device],
        };
        let mut answers = vec![
            api.cuGraphAddKernelNode_v2(&mut nodes[0], graph, null(), 0, &params(0, &first)),
            api.cuGraphAddKernelNode_v2(
                &mut nodes[1],
                graph,
                nodes.as_ptr(),
                1,
                &params(1, &second),
            ),
        ];
        let copy = copy_of(a + 4, b, 4);
        let fill = memset_of(b + 4, 83, 4, 1);
        answers.push(api.cuGraphAddMemcpyNode(&mut nodes[2], graph, &nodes[1], 1, &copy, both[0]));
        answers.push(api.cuGraphAddMemsetNode(&mut nodes[3], graph, &nodes[2], 1, &fill, both[1]));
        answers.push(api.cuGraphInstantiateWithFlags(&mut exec, graph, 0));
        let streams = both.map(|context| within(api, context, || stream(api)));
        for stream in streams {
            answers.push(api.cuGraphLaunch(exec, stream));
            answers.push(api.cuStreamSynchronize(stream));
            answers.extend(read(api, a));
            answers.extend(read(api, a + 4));
            answers.extend(within(api, both[1], || read(api, b)));
            answers.extend(within(api, both[1], || read(api, b + 4)));
            must(api.cuMemsetD32_v2(a, 0, 4));
            within(api, both[1], || must(api.cuMemsetD32_v2(b, 0, 4)));
        }
        answers
    }),
    ("devices/capture_of_both", |api| {
        let both = contexts(api);
        let [a, b] = memories(api, both);
        let store = both.map(|context| kernel(api, load(api, context), c"store"));
        let streams = both.map(|context| within(api, context, || stream(api)));
        let events = both.map(|context| within(api, context, || event(api)));
        let (first, second) = (Arguments::new(a, 91), Arguments::new(b, 92));
        let (mut graph, mut exec, mut count) = (null_mut(), null_mut(), 0);
        let mode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
        let mut answers = vec![
            api.cuStreamBeginCapture_v2(streams[0], mode),
            launch_in(api, store[0], streams[0], &first),
            api.cuEventRecord(events[0], streams[0]),
            api.cuStreamWaitEvent(streams[1], events[0], 0),
            within(api, both[1], || launch_in(api, store[1], streams[1], &second)),
            api.cuMemcpyAsync(a + 4, b, 4, streams[1]),
            api.cuMemsetD32Async(b + 4, 93, 1, streams[1]),
            api.cuEventRecord(events[1], streams[1]),
            api.cuStreamWaitEvent(streams[0], events[1], 0),
            api.cuStreamEndCapture(streams[0], &mut graph),
            api.cuGraphGetNodes(graph, null_mut(), &mut count),
            count as i64,
            api.cuGraphInstantiateWithFlags(&mut exec, graph, 0),
            api.cuGraphLaunch(exec, streams[0]),
            api.cuStreamSynchronize(streams[0]),
        ];
        answers.extend(read(api, a));
        answers.extend(read(api, a + 4));
        answers.extend(within(api, both[1], || read(api, b)));
        answers.extend(within(api, both[1], || read(api, b + 4)));
        answers
    }),
    ("devices/captured_copies", |api| {
        let both = contexts(api);
        let [a, b] = memories(api, both);
        let streams = both.map(|context| within(api, context, || stream(api)));
        let mode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
        let mut answers = Vec::new();
        for (to, from) in [((a, both[0]), (b, both[1])), ((a, both[0]), (a + 64, both[0]))] {
            let mut graph = null_mut();
            answers.extend([
                api.cuStreamBeginCapture_v2(streams[0], mode),
                api.cuMemcpyPeerAsync(to.0, to.1, from.0, from.1, 4, streams[0]),
                api.cuStreamEndCapture(streams[0], &mut graph),
            ]);
        }
        // A kernel of the one device in the other one's captured stream, and fills of the other's memory.
        let store = within(api, both[1], || kernel(api, load(api, both[1]), c"store"));
        let (second, mut graph) = (Arguments::new(b, 92), null_mut());
        answers.extend([
            api.cuStreamBeginCapture_v2(streams[0], mode),
            launch_in(api, store, streams[0], &second),
            api.cuStreamEndCapture(streams[0], &mut graph),
            api.cuStreamBeginCapture_v2(streams[0], mode),
            api.cuMemsetD32Async(b, 93, 1, streams[0]),
            api.cuStreamEndCapture(streams[0], &mut graph),
        ]);
        answers
    }),
    ("devices/busy", |api| {
        // The one works, whatever the other waits for.
        let both = contexts(api);
        let [a, _] = memories(api, both);
        let word = host_word(api);
        let module = load(api, both[0]);
        within(api, both[1], || hold(api, null_mut(), word));
        let mut answers = all_kinds_of_work(api, a, module);
        answers.push(within(api, both[1], || api.cuStreamQuery(null_mut())));
        let_go(word);
        answers.push(within(api, both[1], || api.cuCtxSynchronize()));
        answers
    }),
    ("devices/fault_of_one", |api| {
        let both = contexts(api);
        let [a, b] = memories(api, both);
        let streams = both.map(|context| within(api, context, || stream(api)));
        let events = both.map(|context| within(api, context, || event(api)));
        let trap = kernel(api, load(api, both[1]), c"trap_now");
        let good = kernel(api, load(api, both[0]), c"store");
        let six = Arguments::new(a, 6);
        let (mut pointer, mut made) = (0, null_mut());
        let mut answers = within(api, both[1], || {
            vec![launch(api, trap, 1, &mut []), api.cuCtxSynchronize(), api.cuCtxSynchronize()]
        });
        // The other device.
        answers.extend([
            api.cuCtxSynchronize(),
            api.cuMemAlloc_v2(&mut pointer, 64),
            api.cuMemsetD32_v2(a, 5, 4),
            api.cuEventRecord(events[0], streams[0]),
            api.cuStreamSynchronize(streams[0]),
        ]);
        answers.push(launch_in(api, good, null_mut(), &six));
        answers.push(api.cuCtxSynchronize());
        answers.extend(read(api, a));
        // Things of the one that has failed.
        answers.extend([
            api.cuStreamQuery(streams[1]),
            api.cuEventQuery(events[1]),
            api.cuStreamWaitEvent(streams[0], events[1], 0),
            api.cuMemcpyPeer(a, both[0], b, both[1], 4),
            api.cuMemcpy(a, b, 4),
            api.cuMemFree_v2(b),
            api.cuCtxSynchronize(),
        ]);
        // What comes after it.
        answers.extend([api.cuDevicePrimaryCtxReset_v2(1), api.cuCtxSynchronize()]);
        answers.push(api.cuDevicePrimaryCtxRetain(&mut made, 1));
        answers.push(api.cuCtxCreate_v2(&mut made, 0, 0));
        if answers.last() == Some(&0) {
            answers.push(api.cuMemAlloc_v2(&mut pointer, 64));
        }
        answers
    }),
    ("context/busy", |api| {
        // Two contexts of one device.
        let context = context(api);
        let memory = allocate(api, 1 << 20);
        let word = host_word(api);
        let module = load(api, context);
        let other = create(api, 0);
        within(api, other, || hold(api, null_mut(), word));
        let mut answers = all_kinds_of_work(api, memory, module);
        answers.push(within(api, other, || api.cuStreamQuery(null_mut())));
        let_go(word);
        answers.push(within(api, other, || api.cuCtxSynchronize()));
        answers
    }),
    ("context/busy_streams", |api| {
        // The one's legacy stream knows nothing of the other's blocking stream, nor of its memory's end.
        let context = context(api);
        let memory = allocate(api, 1 << 20);
        let word = host_word(api);
        let module = load(api, context);
        let other = create(api, 0);
        let stream = within(api, other, || {
            let stream = stream(api);
            hold(api, stream, word);
            stream
        });
        let mut answers = all_kinds_of_work(api, memory, module);
        answers.push(api.cuStreamQuery(stream));
        let_go(word);
        answers.push(api.cuStreamSynchronize(stream));
        answers
    }),
    ("context/memory_of_another", |api| {
        // Freed where another context of the device is current.
        let context = context(api);
        let other = create(api, 0);
        let memory = within(api, other, || allocate(api, 64));
        let mut answers = store(api, memory, 5).to_vec();
        answers.extend(read(api, memory));
        answers.push(api.cuMemFree_v2(memory));
        answers.push(within(api, other, || api.cuMemFree_v2(memory)));
        answers.push((context == other) as i64);
        answers
    }),
    ("context/wrong_handles_after_fault", |api| {
        let module = module(api);
        let trap = kernel(api, module, c"trap_now");
        let (memory, stream) = (allocate(api, 64), stream(api));
        fn none<T>() -> *mut T {
            null_mut()
        }
        let mut word = 0_u64;
        must(launch(api, trap, 1, &mut []));
        let mut answers = vec![api.cuCtxSynchronize()];
        answers.extend([
            launch(api, none(), 1, &mut []),
            launch(api, trap, 0, &mut []),
            api.cuMemAlloc_v2(null_mut(), 64),
            api.cuMemAlloc_v2(&mut word, 0),
            api.cuMemFree_v2(0),
            api.cuMemFree_v2(64),
            api.cuMemFree_v2(memory),
            api.cuMemcpyDtoH_v2(null_mut(), memory, 4),
            api.cuMemcpyDtoH_v2((&raw mut word).cast(), 64, 4),
            api.cuMemcpyDtoH_v2((&raw mut word).cast(), memory, 0),
            api.cuMemsetD8_v2(64, 0, 4),
            api.cuMemsetD8_v2(memory, 0, 0),
            api.cuStreamCreate(null_mut(), 0),
            api.cuStreamCreate(&mut none(), 99),
            api.cuStreamQuery(stream),
            api.cuStreamSynchronize(none()),
            api.cuEventCreate(null_mut(), 0),
            api.cuEventCreate(&mut none(), 99),
            api.cuModuleLoadData(&mut none(), null()),
            api.cuModuleLoadData(null_mut(), PTX.as_ptr().cast()),
            api.cuModuleLoadData(&mut none(), c"nonsense".as_ptr().cast()),
            api.cuModuleGetFunction(&mut none(), module, c"none".as_ptr()),
            api.cuModuleGetFunction(&mut none(), none(), c"store".as_ptr()),
            api.cuModuleGetGlobal_v2(&mut word, null_mut(), module, c"none".as_ptr()),
            api.cuFuncGetAttribute(null_mut(), CUfunction_attribute(0), trap),
            api.cuFuncSetAttribute(trap, CUfunction_attribute(8), -1),
            api.cuCtxGetLimit(null_mut(), CUlimit(0)),
            api.cuCtxSetLimit(CUlimit(99), 0),
            api.cuCtxGetCacheConfig(null_mut()),
            api.cuLaunchHostFunc(stream, None, null_mut()),
            api.cuStreamAddCallback(stream, None, null_mut(), 0),
            api.cuMemHostAlloc(null_mut(), 64, 0),
            api.cuMemHostAlloc(&mut none(), 64, 99),
            api.cuMemHostRegister_v2(null_mut(), 64, 0),
            api.cuMemHostUnregister(null_mut()),
            api.cuMemAllocManaged(&mut word, 64, 9),
            api.cuMemGetInfo_v2(null_mut(), null_mut()),
            api.cuArray3DCreate_v2(null_mut(), &zeroed()),
            api.cuCtxGetFlags(null_mut()),
            api.cuCtxSetFlags(0xffff),
            api.cuCtxEnablePeerAccess(none(), 0),
            api.cuCtxDisablePeerAccess(none()),
            api.cuGraphCreate(null_mut(), 0),
            api.cuGraphCreate(&mut none(), 0),
            api.cuStreamBeginCapture_v2(stream, CUstreamCaptureMode(9)),
            api.cuMemPrefetchAsync(64, 4, 0, stream),
            api.cuMemAdvise(64, 4, CUmem_advise(1), 0),
            api.cuStreamWaitValue32_v2(stream, 64, 0, 0),
            api.cuOccupancyMaxActiveBlocksPerMultiprocessor(null_mut(), trap, 32, 0),
        ]);
        answers
    }),
    ("context/more_wrong_handles_after_fault", |api| {
        let module = module(api);
        let trap = kernel(api, module, c"trap_now");
        let (memory, stream, graph) = (allocate(api, 64), stream(api), graph(api));
        fn none<T>() -> *mut T {
            null_mut()
        }
        let (mut word, mut small, mut float) = (0_u64, 0, 0.0);
        must(launch(api, trap, 1, &mut []));
        let mut answers = vec![api.cuCtxSynchronize()];
        answers.extend([
            api.cuLaunchCooperativeKernel(none(), 1, 1, 1, 1, 1, 1, 0, none(), none()),
            api.cuMemAllocPitch_v2(null_mut(), null_mut(), 0, 0, 3),
            api.cuMemAllocHost_v2(null_mut(), 64),
            api.cuMemFreeHost(none()),
            api.cuMemFreeHost(foreign()),
            api.cuMemcpy(64, memory, 4),
            api.cuMemcpyAsync(64, memory, 4, stream),
            api.cuMemcpyHtoD_v2(64, (&raw const word).cast(), 4),
            api.cuMemcpyDtoDAsync_v2(64, memory, 4, stream),
            api.cuMemcpy2D_v2(null()),
            api.cuMemcpy3D_v2(null()),
            api.cuMemcpyPeer(64, none(), 64, none(), 4),
            api.cuMemsetD2D8_v2(64, 0, 0, 1, 1),
            api.cuMemsetD32Async(2, 0, 1, stream),
            api.cuStreamWaitEvent(stream, none(), 0),
            api.cuEventRecord(none(), stream),
            api.cuEventQuery(none()),
            api.cuEventSynchronize(none()),
            api.cuEventElapsedTime(&mut float, none(), none()),
            api.cuEventDestroy_v2(none()),
            api.cuStreamDestroy_v2(none()),
            api.cuStreamGetFlags(stream, null_mut()),
            api.cuStreamGetPriority(stream, null_mut()),
            api.cuStreamGetCtx(stream, null_mut()),
            api.cuStreamGetId(stream, null_mut()),
            api.cuStreamIsCapturing(stream, null_mut()),
            api.cuStreamEndCapture(stream, null_mut()),
            api.cuStreamCreateWithPriority(null_mut(), 0, 0),
            api.cuModuleLoad(&mut none(), c"/none".as_ptr()),
            api.cuModuleLoadDataEx(null_mut(), PTX.as_ptr().cast(), 0, none(), none()),
            api.cuModuleLoadFatBinary(&mut none(), null()),
            api.cuModuleUnload(none()),
            api.cuLibraryLoadData(
                null_mut(),
                PTX.as_ptr().cast(),
                none(),
                none(),
                0,
                none(),
                none(),
                0,
            ),
            api.cuFuncSetCacheConfig(trap, CUfunc_cache(99)),
            api.cuFuncSetCacheConfig(none(), CUfunc_cache(0)),
            api.cuFuncGetModule(null_mut(), trap),
            api.cuFuncLoad(none()),
            api.cuFuncGetName(null_mut(), trap),
            api.cuCtxSetCacheConfig(CUfunc_cache(99)),
            api.cuCtxGetSharedMemConfig(null_mut()),
            api.cuCtxGetStreamPriorityRange(null_mut(), null_mut()),
            api.cuCtxGetDevice(null_mut()),
            api.cuCtxGetApiVersion(none(), null_mut()),
            api.cuCtxGetId(none(), null_mut()),
            api.cuCtxResetPersistingL2Cache(),
            api.cuArrayCreate_v2(null_mut(), null()),
            api.cuArray3DCreate_v2(&mut none(), &zeroed()),
            api.cuArrayDestroy(none()),
            api.cuMipmappedArrayCreate(null_mut(), &zeroed(), 1),
            api.cuTexObjectCreate(null_mut(), null(), null(), null()),
            api.cuSurfObjectCreate(null_mut(), null()),
            api.cuMemPoolCreate(null_mut(), null()),
            api.cuMemAllocAsync(null_mut(), 64, stream),
            api.cuMemAllocFromPoolAsync(&mut word, 64, none(), stream),
            api.cuMemFreeAsync(64, stream),
            api.cuMemFreeAsync(0, stream),
            api.cuGraphInstantiateWithFlags(null_mut(), graph, 0),
            api.cuGraphLaunch(none(), stream),
            api.cuGraphDestroy(none()),
            api.cuGraphAddKernelNode_v2(&mut none(), graph, null(), 0, null()),
            api.cuGraphAddMemsetNode(&mut none(), graph, null(), 0, null(), none()),
            api.cuMemCreate(null_mut(), 0, null(), 0),
            api.cuMemAddressReserve(null_mut(), 0, 0, 0, 0),
            api.cuMemMap(64, 64, 0, 0, 0),
            api.cuMemUnmap(64, 64),
            api.cuIpcGetMemHandle(null_mut(), 64),
            api.cuPointerGetAttribute((&raw mut word).cast(), CUpointer_attribute(2), 64),
            api.cuMemHostGetDevicePointer_v2(null_mut(), none(), 0),
            api.cuMemHostGetFlags(null_mut(), none()),
            api.cuOccupancyMaxActiveBlocksPerMultiprocessor(&mut small, none(), 32, 0),
            api.cuOccupancyMaxPotentialBlockSize(null_mut(), null_mut(), none(), None, 0, 0),
            api.cuStreamWriteValue32_v2(stream, 64, 0, 0),
            api.cuStreamWaitValue32_v2(stream, memory, 0, 99),
            api.cuStreamBatchMemOp_v2(stream, 1, none(), 0),
            api.cuMemPrefetchAsync_v2(64, 4, zeroed(), 0, stream),
            api.cuMemRangeGetAttribute(none(), 0, CUmem_range_attribute(1), 64, 4),
            api.cuCtxRecordEvent(none(), none()),
            api.cuCtxWaitEvent(none(), none()),
            api.cuStreamSynchronize(stream),
            api.cuCtxSynchronize(),
        ]);
        answers
    }),
];
