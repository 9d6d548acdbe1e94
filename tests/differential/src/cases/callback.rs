//! Calls of the driver by what waits in a stream: callbacks and host functions.

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering};

use cuda_types::cuda::*;

use super::Case;
use crate::Answers;
use crate::setup::*;
use differential::api::Api;

/// The questions that a callback asks, the handles that they are about, and the answers.
struct Asks<'a> {
    api: &'a Api,
    context: CUcontext,
    module: CUmodule,
    stream: CUstream,
    other: CUstream,
    event: CUevent,
    memory: CUdeviceptr,
    nothing: CUfunction,
    what: fn(&Asks) -> Answers,
    answers: Answers,
}

unsafe extern "C" fn ask(data: *mut c_void) {
    // SAFETY: `answers` passes its own, and waits.
    let asks = unsafe { &mut *data.cast::<Asks>() };
    let answers = (asks.what)(asks);
    asks.answers.extend(answers);
}

unsafe extern "C" fn ask_with_status(_stream: CUstream, status: CUresult, data: *mut c_void) {
    // SAFETY: as above.
    unsafe { (*data.cast::<Asks>()).answers.push(status.0.into()) };
    // SAFETY: as above.
    unsafe { ask(data) };
}

/// The answers in a callback, or else in a host function.
fn answers(api: &Api, in_callback: bool, what: fn(&Asks) -> Answers) -> Answers {
    let module = module(api);
    let mut context = null_mut();
    must(api.cuCtxGetCurrent(&mut context));
    let mut asks = Asks {
        api,
        context,
        module,
        stream: stream(api),
        other: stream(api),
        event: event(api),
        memory: allocate(api, 64),
        nothing: kernel(api, module, c"nothing"),
        what,
        answers: vec![],
    };
    let (stream, data) = (asks.stream, (&raw mut asks).cast());
    must(if in_callback {
        api.cuStreamAddCallback(stream, Some(ask_with_status), data, 0)
    } else {
        api.cuLaunchHostFunc(stream, Some(ask), data)
    });
    let code = api.cuStreamSynchronize(stream);
    asks.answers.push(code);
    asks.answers
}

fn of_contexts(asks: &Asks) -> Answers {
    let Asks { api, context, .. } = *asks;
    let (mut current, mut device, mut version, mut flags) = (null_mut(), 9, 0, 0);
    vec![
        api.cuInit(0),
        api.cuDriverGetVersion(&mut version),
        api.cuDeviceGet(&mut device, 0),
        api.cuDeviceTotalMem_v2(&mut 0, 0),
        api.cuCtxGetCurrent(&mut current),
        i64::from(current == context),
        api.cuCtxGetDevice(&mut device),
        api.cuCtxGetFlags(&mut flags),
        api.cuCtxSetCurrent(context),
        api.cuCtxGetCurrent(&mut current),
        i64::from(current == context),
        api.cuCtxGetDevice(&mut device),
        api.cuCtxPushCurrent_v2(context),
        api.cuCtxPopCurrent_v2(&mut current),
        api.cuDevicePrimaryCtxRetain(&mut current, 0),
        api.cuDevicePrimaryCtxRelease_v2(0),
    ]
}

fn of_memory(asks: &Asks) -> Answers {
    let Asks { api, memory, other, .. } = *asks;
    let (mut pointer, mut free, mut total, mut base, mut word) = (0, 0, 0, 0, 0_u32);
    let mut host = null_mut();
    let mut kind = 0_u32;
    let kind: *mut c_void = (&raw mut kind).cast();
    let attribute = CUpointer_attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
    vec![
        api.cuMemAlloc_v2(&mut pointer, 64),
        api.cuMemGetInfo_v2(&mut free, &mut total),
        api.cuMemAllocHost_v2(&mut host, 64),
        api.cuMemGetAddressRange_v2(&mut base, &mut free, memory),
        api.cuPointerGetAttribute(kind, attribute, memory),
        api.cuMemsetD32_v2(memory, 1, 4),
        api.cuMemsetD32Async(memory, 1, 4, other),
        api.cuMemcpyDtoH_v2((&raw mut word).cast(), memory, 4),
        api.cuMemcpyDtoHAsync_v2((&raw mut word).cast(), memory, 4, other),
        api.cuMemAllocAsync(&mut pointer, 64, other),
        api.cuMemFree_v2(memory),
        api.cuMemFreeHost(host),
    ]
}

fn of_streams(asks: &Asks) -> Answers {
    let Asks { api, other, event, .. } = *asks;
    let (mut created, mut owner, mut flags) = (null_mut(), null_mut(), 0);
    let (mut another, mut state) = (null_mut(), CUstreamCaptureStatus(9));
    vec![
        api.cuStreamQuery(other),
        api.cuStreamSynchronize(other),
        api.cuStreamGetCtx(other, &mut owner),
        api.cuStreamGetFlags(other, &mut flags),
        api.cuStreamIsCapturing(other, &mut state),
        api.cuStreamCreate(&mut created, 1),
        api.cuStreamWaitEvent(other, event, 0),
        api.cuEventCreate(&mut another, 0),
        api.cuEventQuery(event),
        api.cuEventSynchronize(event),
        api.cuEventRecord(event, other),
        api.cuLaunchHostFunc(other, None, null_mut()),
        api.cuStreamDestroy_v2(other),
        api.cuEventDestroy_v2(event),
    ]
}

fn of_modules(asks: &Asks) -> Answers {
    let Asks { api, module, other, nothing, .. } = *asks;
    let (mut function, mut loaded, mut value) = (null_mut(), null_mut(), 0);
    let (mut address, mut size) = (0, 0);
    let attribute = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK;
    let (stack, parameters, extra) = (CUlimit::CU_LIMIT_STACK_SIZE, null_mut(), null_mut());
    vec![
        api.cuModuleGetFunction(&mut function, module, c"nothing".as_ptr()),
        api.cuModuleGetGlobal_v2(&mut address, &mut size, module, c"counter".as_ptr()),
        api.cuModuleLoadData(&mut loaded, PTX.as_ptr().cast()),
        api.cuFuncGetAttribute(&mut value, attribute, nothing),
        api.cuLaunchKernel(nothing, 1, 1, 1, 1, 1, 1, 0, other, parameters, extra),
        api.cuCtxGetLimit(&mut size, stack),
        api.cuModuleUnload(module),
    ]
}

/// A wait for all of the context's work, this function among it.
fn of_everything(asks: &Asks) -> Answers {
    vec![asks.api.cuCtxSynchronize()]
}

pub const CASES: &[Case] = &[
    ("callback/contexts", |api| answers(api, true, of_contexts)),
    ("callback/memory", |api| answers(api, true, of_memory)),
    ("callback/streams", |api| answers(api, true, of_streams)),
    ("callback/modules", |api| answers(api, true, of_modules)),
    ("callback/everything", |api| answers(api, true, of_everything)),
    ("callback/host_contexts", |api| answers(api, false, of_contexts)),
    ("callback/host_memory", |api| answers(api, false, of_memory)),
    ("callback/host_streams", |api| answers(api, false, of_streams)),
    ("callback/host_modules", |api| answers(api, false, of_modules)),
    ("callback/host_everything", |api| answers(api, false, of_everything)),
    ("callback/after_an_error", |api| {
        static ALL_IS_THERE: AtomicBool = AtomicBool::new(false);
        unsafe extern "C" fn wait(_data: *mut c_void) {
            while !ALL_IS_THERE.load(Ordering::Acquire) {
                std::thread::yield_now();
            }
        }
        let trap = kernel(api, module(api), c"trap_now");
        let (stream, mut asks) = (stream(api), Answers::new());
        unsafe extern "C" fn note(_stream: CUstream, status: CUresult, data: *mut c_void) {
            // SAFETY: the case passes its own, and waits.
            unsafe { (*data.cast::<Answers>()).push(status.0.into()) };
        }
        unsafe extern "C" fn note_host(data: *mut c_void) {
            // SAFETY: as above.
            unsafe { (*data.cast::<Answers>()).push(-1) };
        }
        let data: *mut c_void = (&raw mut asks).cast();
        let (parameters, extra) = (null_mut(), null_mut());
        // All of it is in the stream before the kernel fails.
        let mut answers = vec![
            api.cuLaunchHostFunc(stream, Some(wait), null_mut()),
            api.cuLaunchKernel(trap, 1, 1, 1, 1, 1, 1, 0, stream, parameters, extra),
            api.cuStreamAddCallback(stream, Some(note), data, 0),
            api.cuLaunchHostFunc(stream, Some(note_host), data),
        ];
        ALL_IS_THERE.store(true, Ordering::Release);
        answers.push(api.cuStreamSynchronize(stream));
        // The callback may come later than the error.
        std::thread::sleep(std::time::Duration::from_millis(300));
        answers.append(&mut asks);
        answers
    }),
    ("callback/captured", |api| {
        context(api);
        unsafe extern "C" fn count(_stream: CUstream, _status: CUresult, data: *mut c_void) {
            // SAFETY: the case passes its own, and waits.
            unsafe { *data.cast::<i64>() += 1 };
        }
        let (stream, mut counted) = (stream(api), 0_i64);
        let data: *mut c_void = (&raw mut counted).cast();
        let mut graph = null_mut();
        let mut exec = null_mut();
        let mut nodes = 9;
        let mut answers = vec![
            api.cuStreamBeginCapture_v2(stream, CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_GLOBAL),
            api.cuStreamAddCallback(stream, Some(count), data, 0),
            api.cuStreamEndCapture(stream, &mut graph),
            api.cuStreamSynchronize(stream),
        ];
        if !graph.is_null() {
            answers.push(api.cuGraphGetNodes(graph, null_mut(), &mut nodes));
            answers.push(nodes as i64);
            answers.push(api.cuGraphInstantiateWithFlags(&mut exec, graph, 0));
            answers.push(api.cuGraphLaunch(exec, stream));
            answers.push(api.cuGraphLaunch(exec, stream));
            answers.push(api.cuStreamSynchronize(stream));
            // SAFETY: as above.
            answers.push(unsafe { data.cast::<i64>().read_volatile() });
        }
        answers
    }),
];
