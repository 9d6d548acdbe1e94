//! Parts of a device: how its multiprocessors are divided, and contexts of a part.

use std::ptr::{null, null_mut};

use cuda_types::cuda::*;

use super::Case;
use crate::Answers;
use crate::setup::*;
use differential::api::Api;

const SM: CUdevResourceType = CUdevResourceType::CU_DEV_RESOURCE_TYPE_SM;
const DEFAULT_STREAM: u32 = 1;
const NON_BLOCKING: u32 = 1;

fn empty() -> CUdevResource {
    // SAFETY: a plain structure, of which all zeros is a value.
    unsafe { std::mem::zeroed() }
}

/// All multiprocessors.
fn all(api: &Api) -> CUdevResource {
    must(api.cuInit(0));
    let mut resource = empty();
    must(api.cuDeviceGetDevResource(0, &mut resource, SM));
    resource
}

fn count(resource: &CUdevResource) -> u32 {
    // SAFETY: all bits are a number.
    unsafe { resource.__bindgen_anon_1.sm.smCount }
}

/// A group of the least size.
fn group(api: &Api) -> CUdevResource {
    let (all, mut group, mut groups) = (all(api), empty(), 1);
    must(api.cuDevSmResourceSplitByCount(&mut group, &mut groups, &all, null_mut(), 0, 0));
    group
}

fn description(api: &Api) -> CUdevResourceDesc {
    let (mut group, mut description) = (group(api), null_mut());
    must(api.cuDevResourceGenerateDesc(&mut description, &mut group, 1));
    description
}

fn green(api: &Api) -> CUgreenCtx {
    let (description, mut green) = (description(api), null_mut());
    must(api.cuGreenCtxCreate(&mut green, description, 0, DEFAULT_STREAM));
    green
}

/// A green context as a context, which is current.
fn current_green(api: &Api) -> (CUgreenCtx, CUcontext) {
    let (green, mut context) = (green(api), null_mut());
    must(api.cuCtxFromGreenCtx(&mut context, green));
    must(api.cuCtxSetCurrent(context));
    (green, context)
}

pub const CASES: &[Case] = &[
    ("green/resources", |api| {
        must(api.cuInit(0));
        let mut resource = empty();
        let mut answers = vec![
            api.cuDeviceGetDevResource(0, null_mut(), SM),
            api.cuDeviceGetDevResource(99, &mut resource, SM),
            api.cuDeviceGetDevResource(0, &mut resource, CUdevResourceType(0)),
            api.cuDeviceGetDevResource(0, &mut resource, CUdevResourceType(77)),
            api.cuDeviceGetDevResource(0, &mut resource, SM),
            (resource.type_ == SM).into(),
        ];
        let mut multiprocessors = 0;
        must(api.cuDeviceGetAttribute(
            &mut multiprocessors,
            CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
            0,
        ));
        answers.push((count(&resource) == multiprocessors as u32).into());
        answers
    }),
    ("green/split", |api| {
        let all = all(api);
        let whole = count(&all);
        let mut answers = Vec::new();
        let (mut groups, mut rest) = ([empty(); 256], empty());
        // Nothing is written: how many there would be.
        let mut number = 256;
        answers.push(api.cuDevSmResourceSplitByCount(
            null_mut(),
            &mut number,
            &all,
            null_mut(),
            0,
            0,
        ));
        answers.push((number >= 1).into());
        let mut made = number;
        let to = groups.as_mut_ptr();
        answers.push(api.cuDevSmResourceSplitByCount(to, &mut made, &all, &mut rest, 0, 0));
        answers.push((made == number).into());
        // Equal parts, of which nothing is lost.
        let each = count(&groups[0]);
        let used: u32 = groups[..made as usize].iter().map(count).sum();
        answers.push((used == each * made).into());
        answers.push((groups[0].type_ == SM).into());
        answers.push((count(&rest) + used <= whole).into());
        // Less than there could be.
        made = 1;
        answers.push(api.cuDevSmResourceSplitByCount(to, &mut made, &all, &mut rest, 0, 0));
        answers.extend([i64::from(made), (count(&rest) + count(&groups[0]) == whole).into()]);
        // As large as the device, and larger.
        for least in [whole, whole + 1, u32::MAX] {
            made = 1;
            answers.push(api.cuDevSmResourceSplitByCount(to, &mut made, &all, &mut rest, 0, least));
            answers.push(made.into());
        }
        answers
    }),
    ("green/split_arguments", |api| {
        let all = all(api);
        let (mut groups, mut rest) = ([empty(); 256], empty());
        let to = groups.as_mut_ptr();
        let (mut none, mut one) = (0, 1);
        let mut answers = vec![
            api.cuDevSmResourceSplitByCount(to, null_mut(), &all, null_mut(), 0, 0),
            api.cuDevSmResourceSplitByCount(to, &mut none, &all, null_mut(), 0, 0),
            api.cuDevSmResourceSplitByCount(to, &mut one, null(), null_mut(), 0, 0),
        ];
        for flags in [1, 2, 3, 4, 8, u32::MAX] {
            one = 1;
            answers.push(api.cuDevSmResourceSplitByCount(to, &mut one, &all, &mut rest, flags, 0));
        }
        let mut wrong = all;
        wrong.type_ = CUdevResourceType(0);
        answers.push(api.cuDevSmResourceSplitByCount(to, &mut one, &wrong, &mut rest, 0, 0));
        wrong = empty();
        wrong.type_ = SM;
        answers.push(api.cuDevSmResourceSplitByCount(to, &mut one, &wrong, &mut rest, 0, 0));
        // A part of a part.
        let part = group(api);
        one = 1;
        answers.push(api.cuDevSmResourceSplitByCount(to, &mut one, &part, &mut rest, 0, 0));
        answers
    }),
    ("green/description", |api| {
        let (mut all, part) = (all(api), group(api));
        let mut description: CUdevResourceDesc = null_mut();
        let (mut same, mut several) = ([part; 2], [part; 300]);
        let mut answers = vec![
            api.cuDevResourceGenerateDesc(&mut description, &mut all, 1),
            api.cuDevResourceGenerateDesc(&mut description, same.as_mut_ptr(), 1),
            (!description.is_null()).into(),
            api.cuDevResourceGenerateDesc(&mut description, same.as_mut_ptr(), 2),
            api.cuDevResourceGenerateDesc(null_mut(), same.as_mut_ptr(), 1),
            api.cuDevResourceGenerateDesc(&mut description, several.as_mut_ptr(), 300),
        ];
        let mut wrong = empty();
        answers.push(api.cuDevResourceGenerateDesc(&mut description, &mut wrong, 1));
        wrong.type_ = SM;
        wrong.__bindgen_anon_1 = part.__bindgen_anon_1;
        answers.push(api.cuDevResourceGenerateDesc(&mut description, &mut wrong, 1));
        answers
    }),
    ("green/description_of_none", |api| {
        let (mut part, mut description) = (group(api), null_mut());
        vec![api.cuDevResourceGenerateDesc(&mut description, &mut part, 0)]
    }),
    ("green/description_of_null", |api| {
        must(api.cuInit(0));
        let mut description = null_mut();
        vec![api.cuDevResourceGenerateDesc(&mut description, null_mut(), 1)]
    }),
    ("green/create", |api| {
        let description = description(api);
        let (mut one, mut other) = (null_mut(), null_mut());
        let (mut flags, mut active, mut current) = (77, 77, null_mut());
        let mut answers = vec![
            api.cuGreenCtxCreate(&mut one, description, 0, 0),
            api.cuGreenCtxCreate(&mut one, description, 0, 3),
            api.cuGreenCtxCreate(null_mut(), description, 0, 1),
            api.cuGreenCtxCreate(&mut one, description, 99, 1),
            api.cuDevicePrimaryCtxGetState(0, &mut flags, &mut active),
            active.into(),
            api.cuGreenCtxCreate(&mut one, description, 0, 1),
            api.cuGreenCtxCreate(&mut other, description, 0, 1),
            (one != other).into(),
            // It keeps the primary context, and makes none current.
            api.cuDevicePrimaryCtxGetState(0, &mut flags, &mut active),
            active.into(),
            api.cuCtxGetCurrent(&mut current),
            current.is_null().into(),
        ];
        answers.extend([
            api.cuGreenCtxDestroy(one),
            api.cuGreenCtxDestroy(other),
            api.cuDevicePrimaryCtxGetState(0, &mut flags, &mut active),
            active.into(),
            api.cuGreenCtxDestroy(null_mut()),
        ]);
        answers
    }),
    ("green/create_of_null", |api| {
        must(api.cuInit(0));
        let mut green = null_mut();
        vec![api.cuGreenCtxCreate(&mut green, null_mut(), 0, 1)]
    }),
    ("green/destroy_twice", |api| {
        let green = green(api);
        vec![api.cuGreenCtxDestroy(green), api.cuGreenCtxDestroy(green)]
    }),
    ("green/as_context", |api| {
        let green = green(api);
        let (mut context, mut again, mut current, mut primary) =
            (null_mut(), null_mut(), null_mut(), null_mut());
        let mut answers = vec![
            api.cuCtxFromGreenCtx(&mut context, green),
            api.cuCtxFromGreenCtx(&mut again, green),
            (context == again).into(),
            api.cuCtxFromGreenCtx(null_mut(), green),
            api.cuCtxFromGreenCtx(&mut again, null_mut()),
            api.cuCtxSetCurrent(context),
            api.cuCtxGetCurrent(&mut current),
            (current == context).into(),
        ];
        must(api.cuDevicePrimaryCtxRetain(&mut primary, 0));
        answers.push((primary == context).into());
        let (mut device, mut flags, mut version) = (7, 77, 77);
        let (mut id, mut of_primary, mut of_green) = (0, 0, 0);
        answers.extend([
            api.cuCtxGetDevice(&mut device),
            device.into(),
            api.cuCtxGetFlags(&mut flags),
            flags.into(),
            api.cuCtxGetApiVersion(context, &mut version),
            version.into(),
            api.cuCtxGetId(context, &mut id),
            api.cuCtxGetId(primary, &mut of_primary),
            api.cuGreenCtxGetId(green, &mut of_green),
            (id == of_green).into(),
            (id == of_primary).into(),
            api.cuGreenCtxGetId(green, null_mut()),
            api.cuGreenCtxGetId(null_mut(), &mut of_green),
            api.cuCtxDestroy_v2(context),
            api.cuCtxPushCurrent_v2(context),
            api.cuCtxPopCurrent_v2(&mut current),
            (current == context).into(),
            api.cuCtxSynchronize(),
        ]);
        let (mut least, mut greatest, mut limit) = (77, 77, 0);
        answers.extend([
            api.cuCtxGetStreamPriorityRange(&mut least, &mut greatest),
            least.into(),
            greatest.into(),
            api.cuCtxGetLimit(&mut limit, CUlimit::CU_LIMIT_STACK_SIZE),
            (limit > 0).into(),
            api.cuCtxSetFlags(8),
        ]);
        answers
    }),
    ("green/context_resources", |api| {
        let (green, context) = current_green(api);
        let all = all(api);
        let mut primary = null_mut();
        must(api.cuDevicePrimaryCtxRetain(&mut primary, 0));
        let (mut of_green, mut of_context, mut of_primary) = (empty(), empty(), empty());
        let group = group(api);
        vec![
            api.cuGreenCtxGetDevResource(green, &mut of_green, SM),
            api.cuCtxGetDevResource(context, &mut of_context, SM),
            api.cuCtxGetDevResource(primary, &mut of_primary, SM),
            (count(&of_green) == count(&group)).into(),
            (count(&of_context) == count(&group)).into(),
            (count(&of_primary) == count(&all)).into(),
            api.cuCtxGetDevResource(null_mut(), &mut of_context, SM),
            api.cuGreenCtxGetDevResource(null_mut(), &mut of_context, SM),
            api.cuGreenCtxGetDevResource(green, null_mut(), SM),
            api.cuGreenCtxGetDevResource(green, &mut of_green, CUdevResourceType(0)),
        ]
    }),
    ("green/streams", |api| {
        let (green, context) = current_green(api);
        let mut primary = null_mut();
        must(api.cuDevicePrimaryCtxRetain(&mut primary, 0));
        let (mut stream, mut other): (CUstream, CUstream) = (null_mut(), null_mut());
        let mut priority = 77;
        let mut answers = vec![
            api.cuGreenCtxStreamCreate(&mut stream, green, 0, 0),
            api.cuGreenCtxStreamCreate(&mut stream, green, NON_BLOCKING, 0),
            api.cuGreenCtxStreamCreate(null_mut(), green, NON_BLOCKING, 0),
            api.cuGreenCtxStreamCreate(&mut other, null_mut(), NON_BLOCKING, 0),
            api.cuGreenCtxStreamCreate(&mut other, green, 2, 0),
            api.cuGreenCtxStreamCreate(&mut other, green, NON_BLOCKING, -99),
            api.cuStreamGetPriority(other, &mut priority),
            priority.into(),
        ];
        let (mut of, mut context_of, mut own) = (null_mut(), null_mut(), null_mut());
        must(api.cuStreamCreate(&mut own, NON_BLOCKING));
        for stream in [stream, null_mut(), own, CU_STREAM_LEGACY] {
            answers.extend([
                api.cuStreamGetGreenCtx(stream, &mut of),
                (of == green).into(),
                api.cuStreamGetCtx(stream, &mut context_of),
                (context_of == context).into(),
                (context_of == primary).into(),
            ]);
            let (mut plain, mut both) = (null_mut(), null_mut());
            answers.extend([
                api.cuStreamGetCtx_v2(stream, &mut plain, &mut both),
                (both == green).into(),
                (plain == context).into(),
                (plain == primary).into(),
            ]);
        }
        // In the primary context.
        must(api.cuCtxSetCurrent(primary));
        let (mut plain, mut both) = (null_mut(), null_mut());
        answers.extend([
            api.cuStreamGetCtx_v2(null_mut(), &mut plain, &mut both),
            (plain == primary).into(),
            both.is_null().into(),
            api.cuStreamGetGreenCtx(stream, &mut of),
            (of == green).into(),
            api.cuStreamGetGreenCtx(null_mut(), &mut of),
            of.is_null().into(),
        ]);
        answers
    }),
    ("green/work", |api| {
        let (green, context) = current_green(api);
        let mut primary = null_mut();
        must(api.cuDevicePrimaryCtxRetain(&mut primary, 0));
        let mut stream = null_mut();
        must(api.cuGreenCtxStreamCreate(&mut stream, green, NON_BLOCKING, 0));
        let memory = allocate(api, 64);
        let mut owner: CUcontext = null_mut();
        let mut answers = vec![
            api.cuPointerGetAttribute((&raw mut owner).cast(), CUpointer_attribute(1), memory),
            (owner == context).into(),
            (owner == primary).into(),
        ];
        // The module is loaded in the green context.
        let mut module = null_mut();
        answers.push(api.cuModuleLoadData(&mut module, PTX.as_ptr().cast()));
        let store = kernel(api, module, c"store");
        let (mut to, mut value) = (memory, 5_u32);
        let mut parameters: [*mut std::ffi::c_void; 2] =
            [(&raw mut to).cast(), (&raw mut value).cast()];
        let mut run = |stream: CUstream| {
            let parameters = parameters.as_mut_ptr();
            api.cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, stream, parameters, null_mut())
        };
        answers.extend([run(stream), run(null_mut()), api.cuStreamSynchronize(stream)]);
        answers.push(api.cuCtxSynchronize());
        let mut word = 0_u32;
        answers.push(api.cuMemcpyDtoH_v2((&raw mut word).cast(), memory, 4));
        answers.push(word.into());
        // From the primary context.
        must(api.cuCtxSetCurrent(primary));
        answers.extend([run(stream), run(null_mut())]);
        // Streams of green contexts do not wait for the default stream.
        must(api.cuCtxSynchronize());
        answers.extend([
            api.cuMemsetD32Async(memory, 9, 1, stream),
            api.cuStreamSynchronize(stream),
            api.cuMemcpyDtoH_v2((&raw mut word).cast(), memory, 4),
            word.into(),
            api.cuMemFree_v2(memory),
        ]);
        answers
    }),
    ("green/events", |api| {
        let (green, context) = current_green(api);
        let mut primary = null_mut();
        must(api.cuDevicePrimaryCtxRetain(&mut primary, 0));
        let event = event(api);
        vec![
            api.cuGreenCtxRecordEvent(green, event),
            api.cuGreenCtxWaitEvent(green, event),
            api.cuEventSynchronize(event),
            api.cuGreenCtxRecordEvent(green, null_mut()),
            api.cuGreenCtxRecordEvent(null_mut(), event),
            api.cuGreenCtxWaitEvent(green, null_mut()),
            api.cuGreenCtxWaitEvent(null_mut(), event),
            api.cuCtxRecordEvent(context, event),
            api.cuCtxWaitEvent(context, event),
            api.cuCtxRecordEvent(primary, event),
            api.cuCtxWaitEvent(primary, event),
            api.cuEventSynchronize(event),
            api.cuCtxRecordEvent(null_mut(), event),
            api.cuCtxWaitEvent(null_mut(), event),
            api.cuCtxRecordEvent(context, null_mut()),
            api.cuCtxWaitEvent(context, null_mut()),
            api.cuEventQuery(event),
        ]
    }),
    ("green/destroyed", |api| {
        let (green, context) = current_green(api);
        let mut primary = null_mut();
        must(api.cuDevicePrimaryCtxRetain(&mut primary, 0));
        let mut stream = null_mut();
        must(api.cuGreenCtxStreamCreate(&mut stream, green, NON_BLOCKING, 0));
        let memory = allocate(api, 64);
        let (mut current, mut of, mut pointer) = (null_mut(), null_mut(), 0);
        vec![
            api.cuGreenCtxDestroy(green),
            api.cuCtxGetCurrent(&mut current),
            (current == context).into(),
            api.cuMemAlloc_v2(&mut pointer, 64),
            api.cuStreamSynchronize(stream),
            api.cuStreamDestroy_v2(stream),
            api.cuStreamGetGreenCtx(stream, &mut of),
            api.cuCtxFromGreenCtx(&mut current, green),
            api.cuCtxSetCurrent(context),
            api.cuCtxSynchronize(),
            api.cuCtxSetCurrent(primary),
            api.cuMemFree_v2(memory),
        ]
    }),
    ("green/captured", |api| {
        let (green, _) = current_green(api);
        let mut stream = null_mut();
        must(api.cuGreenCtxStreamCreate(&mut stream, green, NON_BLOCKING, 0));
        let event = event(api);
        let mode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;
        let mut graph = null_mut();
        let mut answers: Answers = vec![api.cuStreamBeginCapture_v2(stream, mode)];
        answers.extend([
            api.cuCtxRecordEvent(null_mut(), event),
            api.cuGreenCtxRecordEvent(green, event),
            api.cuGreenCtxWaitEvent(green, event),
            api.cuStreamEndCapture(stream, &mut graph),
        ]);
        answers
    }),
    ("green/simulated_split", |api| {
        let all = all(api);
        let (mut rest, mut none) = (empty(), 0);
        let mut number = 1;
        let simulated = |number: &mut u32, rest| {
            api.cuDevSmResourceSplitByCount(null_mut(), number, &all, rest, 0, 0)
        };
        vec![
            simulated(&mut number, &mut rest),
            rest.type_.0.into(),
            simulated(&mut none, null_mut()),
            (none >= 1).into(),
        ]
    }),
    ("green/described", |api| {
        let all = all(api);
        let least = count(&group(api));
        let split = |number: u32| {
            let (mut groups, mut made) = ([empty(); 2], number);
            let to = groups.as_mut_ptr();
            must(api.cuDevSmResourceSplitByCount(to, &mut made, &all, null_mut(), 0, 0));
            assert_eq!(made, number, "the device is too small");
            groups
        };
        let described = |mut resources: [CUdevResource; 2], number: u32| {
            let (mut description, mut green) = (null_mut(), null_mut());
            let resources = resources.as_mut_ptr();
            must(api.cuDevResourceGenerateDesc(&mut description, resources, number));
            must(api.cuGreenCtxCreate(&mut green, description, 0, DEFAULT_STREAM));
            let mut resource = empty();
            must(api.cuGreenCtxGetDevResource(green, &mut resource, SM));
            count(&resource)
        };
        let (both, again) = (split(2), split(1));
        vec![
            (described([both[0]; 2], 2) == 2 * least).into(),
            (described(both, 2) == 2 * least).into(),
            (described([both[0], again[0]], 2) == 2 * least).into(),
            (described([all; 2], 1) == count(&all)).into(),
            (described([all, both[0]], 2) == count(&all)).into(),
        ]
    }),
    ("green/split_of_green", |api| {
        let green = green(api);
        let (mut part, mut groups, mut made) = (empty(), [empty(); 4], 4);
        must(api.cuGreenCtxGetDevResource(green, &mut part, SM));
        let to = groups.as_mut_ptr();
        vec![
            api.cuDevSmResourceSplitByCount(to, &mut made, &part, null_mut(), 0, 0),
            (count(&groups[0]) * made == count(&part)).into(),
            api.cuDevSmResourceSplitByCount(to, &mut made, &groups[0], null_mut(), 0, 0),
        ]
    }),
    ("green/default_stream_of_thread", |api| {
        let (green, _) = current_green(api);
        let memory = allocate(api, 64);
        let event = event(api);
        let (mut of, mut context, mut plain) = (null_mut(), null_mut(), null_mut());
        vec![
            api.cuStreamGetCtx(CU_STREAM_PER_THREAD, &mut context),
            api.cuMemsetD32Async(memory, 1, 4, CU_STREAM_PER_THREAD),
            api.cuEventRecord(event, CU_STREAM_PER_THREAD),
            api.cuStreamSynchronize(CU_STREAM_PER_THREAD),
            api.cuStreamGetGreenCtx(CU_STREAM_PER_THREAD, &mut of),
            api.cuStreamGetCtx_v2(null_mut(), &mut plain, &mut of),
            (of == green).into(),
        ]
    }),
    ("green/default_stream", |api| {
        // It waits for the blocking streams of the primary context.
        let context = context(api);
        let (memory, green) = (allocate(api, 64), green(api));
        must(api.cuMemsetD8_v2(memory, 0, 64));
        let (blocking, mut other, mut converted) = (stream(api), null_mut(), null_mut());
        must(api.cuGreenCtxStreamCreate(&mut other, green, NON_BLOCKING, 0));
        must(api.cuStreamWaitValue32_v2(blocking, memory, 1, 0));
        must(api.cuCtxFromGreenCtx(&mut converted, green));
        must(api.cuCtxSetCurrent(converted));
        must(api.cuMemsetD8Async(memory + 8, 1, 4, null_mut()));
        let mut answers = vec![api.cuStreamQuery(null_mut())];
        must(api.cuStreamWriteValue32_v2(other, memory, 1, 0));
        answers.extend([api.cuCtxSynchronize(), api.cuCtxSetCurrent(context)]);
        answers
    }),
    ("green/settings", |api| {
        let (_, _) = current_green(api);
        let mut primary = null_mut();
        must(api.cuDevicePrimaryCtxRetain(&mut primary, 0));
        let (mut flags, mut limit) = (77, 0);
        let mut answers = vec![
            api.cuCtxSetLimit(CUlimit::CU_LIMIT_STACK_SIZE, 4096),
            api.cuCtxSetFlags(4),
            api.cuCtxGetFlags(&mut flags),
            flags.into(),
        ];
        must(api.cuCtxSetCurrent(primary));
        answers.extend([
            api.cuCtxGetFlags(&mut flags),
            flags.into(),
            api.cuCtxGetLimit(&mut limit, CUlimit::CU_LIMIT_STACK_SIZE),
            limit as i64,
        ]);
        answers
    }),
    ("green/primary_released", |api| {
        let green = green(api);
        let mut id = 0;
        vec![
            api.cuDevicePrimaryCtxRelease_v2(0),
            api.cuDevicePrimaryCtxRelease_v2(0),
            api.cuGreenCtxGetId(green, &mut id),
            api.cuGreenCtxDestroy(green),
            api.cuDevicePrimaryCtxReset_v2(0),
        ]
    }),
    ("green/primary_reset", |api| {
        context(api);
        let green = green(api);
        let (mut converted, mut id) = (null_mut(), 0);
        vec![
            api.cuDevicePrimaryCtxReset_v2(0),
            api.cuCtxFromGreenCtx(&mut converted, green),
            api.cuGreenCtxGetId(green, &mut id),
            api.cuGreenCtxDestroy(green),
        ]
    }),
    ("green/events_of_others", |api| {
        let green = green(api);
        let (mut primary, mut other) = (null_mut(), null_mut());
        must(api.cuDevicePrimaryCtxRetain(&mut primary, 0));
        must(api.cuCtxCreate_v2(&mut other, 0, 0));
        let event = event(api);
        vec![
            api.cuGreenCtxRecordEvent(green, event),
            api.cuGreenCtxWaitEvent(green, event),
            api.cuCtxWaitEvent(primary, event),
        ]
    }),
    ("green/captured_elsewhere", |api| {
        // A primary context does not mind what its green ones capture, nor they what it does.
        let primary = context(api);
        let green = green(api);
        let event = event(api);
        let (mut own, mut of_green, mut graph) = (null_mut(), null_mut(), null_mut());
        must(api.cuStreamCreate(&mut own, NON_BLOCKING));
        must(api.cuGreenCtxStreamCreate(&mut of_green, green, NON_BLOCKING, 0));
        let mode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;
        vec![
            api.cuStreamBeginCapture_v2(of_green, mode),
            api.cuCtxRecordEvent(primary, event),
            api.cuCtxSynchronize(),
            api.cuStreamEndCapture(of_green, &mut graph),
            api.cuStreamBeginCapture_v2(own, mode),
            api.cuGreenCtxRecordEvent(green, event),
            api.cuCtxRecordEvent(primary, event),
            api.cuCtxRecordEvent(primary, event),
            api.cuStreamEndCapture(own, &mut graph),
            // An event of a capture.
            api.cuStreamBeginCapture_v2(own, mode),
            api.cuEventRecord(event, own),
            api.cuGreenCtxWaitEvent(green, event),
            api.cuStreamEndCapture(own, &mut graph),
        ]
    }),
    ("green/attached", |api| {
        let (_, context) = current_green(api);
        let mut attached = null_mut();
        vec![
            api.cuCtxAttach(&mut attached, 0),
            (attached == context).into(),
            api.cuCtxDetach(context),
        ]
    }),
];
