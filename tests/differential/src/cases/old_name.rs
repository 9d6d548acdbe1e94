//! Functions by the names that they have without a version: the first version of each, where there are later ones.

use std::ptr::null_mut;

use cuda_types::cuda::*;

use super::NamedCase;
use super::graph::{empty, graph};
use crate::setup::*;

pub const CASES: &[NamedCase] = &[
    ("old_name/contexts", |api, sheet| {
        must(api.cuInit(0));
        let (mut context, mut popped) = (null_mut(), null_mut());
        sheet.put("create", api.cuCtxCreate(&mut context, 0, 0));
        sheet.put("pop", api.cuCtxPopCurrent(&mut popped));
        sheet.put("same", i64::from(popped == context));
        sheet.put("push", api.cuCtxPushCurrent(context));
        sheet.put("pop_null", api.cuCtxPopCurrent(null_mut()));
        sheet.put("push_null", api.cuCtxPushCurrent(null_mut()));
        sheet.put("destroy", api.cuCtxDestroy(context));
        sheet.put("destroy_null", api.cuCtxDestroy(null_mut()));
        sheet.put("create_flags", api.cuCtxCreate(&mut context, 1 << 20, 0));
        sheet.put("create_device", api.cuCtxCreate(&mut context, 0, 7));
        sheet.put("create_into_null", api.cuCtxCreate(null_mut(), 0, 0));
    }),
    ("old_name/create_3", |api, sheet| {
        must(api.cuInit(0));
        let mut context = null_mut();
        sheet.put("plain", api.cuCtxCreate_v3(&mut context, null_mut(), 0, 0, 0));
        let mut affinity: CUexecAffinityParam = zeroed();
        affinity.param.smCount.val = 4;
        sheet.put("affinity", api.cuCtxCreate_v3(&mut context, &mut affinity, 1, 0, 0));
        sheet.put("null_affinity", api.cuCtxCreate_v3(&mut context, null_mut(), 1, 0, 0));
        sheet.put("negative", api.cuCtxCreate_v3(&mut context, &mut affinity, -1, 0, 0));
        let mut told: CUexecAffinityParam = zeroed();
        sheet.put("get", api.cuCtxGetExecAffinity(&mut told, CUexecAffinityType_enum(0)));
        sheet.put("get_1", api.cuCtxGetExecAffinity(&mut told, CUexecAffinityType_enum(1)));
        sheet
            .put("get_into_null", api.cuCtxGetExecAffinity(null_mut(), CUexecAffinityType_enum(0)));
        let mut supported = 9;
        sheet.put(
            "support",
            api.cuDeviceGetExecAffinitySupport(&mut supported, CUexecAffinityType_enum(0), 0),
        );
        sheet.put("supported", supported);
        sheet.put(
            "support_1",
            api.cuDeviceGetExecAffinitySupport(&mut supported, CUexecAffinityType_enum(1), 0),
        );
        sheet.put(
            "support_device",
            api.cuDeviceGetExecAffinitySupport(&mut supported, CUexecAffinityType_enum(0), 7),
        );
        sheet.put(
            "support_into_null",
            api.cuDeviceGetExecAffinitySupport(null_mut(), CUexecAffinityType_enum(0), 0),
        );
    }),
    ("old_name/context_2", |api, sheet| {
        let (own, mut device) = (context(api), 9);
        sheet.put("device", api.cuCtxGetDevice_v2(&mut device, own));
        sheet.put("is", device);
        device = 9;
        sheet.put("current", api.cuCtxGetDevice_v2(&mut device, null_mut()));
        sheet.put("current_is", device);
        sheet.put("into_null", api.cuCtxGetDevice_v2(null_mut(), own));
        sheet.put("synchronize", api.cuCtxSynchronize_v2(own));
        sheet.put("synchronize_current", api.cuCtxSynchronize_v2(null_mut()));
        must(api.cuCtxSetCurrent(null_mut()));
        sheet.put("device_without", api.cuCtxGetDevice_v2(&mut device, own));
        sheet.put("no_device", api.cuCtxGetDevice_v2(&mut device, null_mut()));
        sheet.put("synchronize_without", api.cuCtxSynchronize_v2(own));
        sheet.put("no_synchronize", api.cuCtxSynchronize_v2(null_mut()));
        sheet.put("persisting_without", api.cuCtxResetPersistingL2Cache());
    }),
    ("old_name/primary", |api, sheet| {
        context(api);
        sheet.put("flags", api.cuDevicePrimaryCtxSetFlags(0, 4));
        sheet.put("bad_flags", api.cuDevicePrimaryCtxSetFlags(0, 1 << 20));
        sheet.put("flags_device", api.cuDevicePrimaryCtxSetFlags(7, 4));
        let (mut flags, mut active) = (0, 0);
        must(api.cuDevicePrimaryCtxGetState(0, &mut flags, &mut active));
        sheet.put("told", flags);
        sheet.put("active", active);
        sheet.put("reset", api.cuDevicePrimaryCtxReset(0));
        must(api.cuDevicePrimaryCtxGetState(0, &mut flags, &mut active));
        sheet.put("told_after", flags);
        sheet.put("active_after", active);
        sheet.put("release", api.cuDevicePrimaryCtxRelease(0));
        sheet.put("release_again", api.cuDevicePrimaryCtxRelease(0));
        sheet.put("release_device", api.cuDevicePrimaryCtxRelease(7));
        sheet.put("reset_device", api.cuDevicePrimaryCtxReset(7));
    }),
    ("old_name/primary_flags", |api, sheet| {
        must(api.cuInit(0));
        for wanted in [0, 1, 2, 3, 4, 8, 16, 17, 32, 64, 128, 256] {
            let (mut flags, mut active) = (0, 9);
            sheet.put(&format!("set_{wanted}"), api.cuDevicePrimaryCtxSetFlags_v2(0, wanted));
            must(api.cuDevicePrimaryCtxGetState(0, &mut flags, &mut active));
            sheet.put(&format!("is_{wanted}"), flags);
        }
        must(api.cuDevicePrimaryCtxSetFlags_v2(0, 4));
        let own = context(api);
        let mut flags = 99;
        sheet.put("context", api.cuCtxGetFlags(&mut flags));
        sheet.put("context_is", flags);
        sheet.put("set_active", api.cuDevicePrimaryCtxSetFlags_v2(0, 1));
        must(api.cuCtxGetFlags(&mut flags));
        sheet.put("context_now", flags);
        must(api.cuDevicePrimaryCtxRelease_v2(0));
        let mut active = 9;
        must(api.cuDevicePrimaryCtxGetState(0, &mut flags, &mut active));
        sheet.put("released", flags);
        sheet.put("same", i64::from(context(api) == own));
        must(api.cuDevicePrimaryCtxReset_v2(0));
        must(api.cuDevicePrimaryCtxGetState(0, &mut flags, &mut active));
        sheet.put("reset", flags);
    }),
    ("old_name/streams", |api, sheet| {
        context(api);
        let (own, own_event, mut graph) = (stream(api), event(api), null_mut());
        sheet.put("begin", api.cuStreamBeginCapture(own));
        sheet.put("end", api.cuStreamEndCapture(own, &mut graph));
        sheet.put("destroy", api.cuStreamDestroy(own));
        sheet.put("destroy_null", api.cuStreamDestroy(null_mut()));
        sheet.put("event", api.cuEventDestroy(own_event));
        sheet.put("event_null", api.cuEventDestroy(null_mut()));
    }),
    ("old_name/graphs", |api, sheet| {
        context(api);
        let (graph, mut exec, mut bad, mut log) = (graph(api), null_mut(), null_mut(), [7_i8; 16]);
        let first = empty(api, graph, &[]);
        empty(api, graph, &[first]);
        sheet.put(
            "instantiate",
            api.cuGraphInstantiate(&mut exec, graph, &mut bad, log.as_mut_ptr().cast(), 16),
        );
        sheet.put("bad_null", i64::from(bad.is_null()));
        sheet.put("log", log[0]);
        sheet.put("launch", api.cuGraphLaunch(exec, null_mut()));
        sheet.put("null", api.cuGraphInstantiate(&mut exec, null_mut(), &mut bad, null_mut(), 0));
        let (mut nodes, mut data, mut count) =
            ([null_mut(); 4], [zeroed::<CUgraphEdgeData>(); 4], 4);
        sheet.put(
            "after",
            api.cuGraphNodeGetDependentNodes_v2(
                first,
                nodes.as_mut_ptr(),
                data.as_mut_ptr(),
                &mut count,
            ),
        );
        sheet.put("count", count as i64);
        sheet.put(
            "after_null",
            api.cuGraphNodeGetDependentNodes_v2(
                null_mut(),
                nodes.as_mut_ptr(),
                data.as_mut_ptr(),
                &mut count,
            ),
        );
        let params: CUDA_KERNEL_NODE_PARAMS = zeroed();
        sheet.put("set_of_other", api.cuGraphKernelNodeSetParams_v2(first, &params));
        sheet.put("exec_set_of_other", api.cuGraphExecKernelNodeSetParams_v2(exec, first, &params));
        sheet.put("set_null", api.cuGraphKernelNodeSetParams_v2(first, std::ptr::null()));
    }),
    ("old_name/memory", |api, sheet| {
        context(api);
        let mut bytes = vec![0_u8; 1 << 16];
        let (mut host, mut pointer) = (null_mut(), 0);
        sheet.put("register", api.cuMemHostRegister(bytes.as_mut_ptr().cast(), 1 << 16, 0));
        sheet.put("unregister", api.cuMemHostUnregister(bytes.as_mut_ptr().cast()));
        must(api.cuMemHostAlloc(&mut host, 4096, 2));
        sheet.put("device_pointer", api.cuMemHostGetDevicePointer(&mut pointer, host, 0));
        let handle: CUipcMemHandle = zeroed();
        let mut opened = 0;
        sheet.put("ipc_open", api.cuIpcOpenMemHandle(&mut opened, handle, 1));
        sheet.put("ipc_flags", api.cuIpcOpenMemHandle(&mut opened, handle, 0));
        sheet.put("ipc_close", api.cuIpcCloseMemHandle(0));
        let memory = allocate(api, 4096);
        sheet.put("ipc_close_own", api.cuIpcCloseMemHandle(memory));
    }),
    ("old_name/address", |api, sheet| {
        context(api);
        let mut function = null_mut();
        sheet.put("found", api.cuGetProcAddress(c"cuInit".as_ptr(), &mut function, 12000, 0));
        sheet.put("found_null", i64::from(function.is_null()));
        sheet.put("missing", api.cuGetProcAddress(c"cuNothing".as_ptr(), &mut function, 12000, 0));
        sheet.put("missing_null", i64::from(function.is_null()));
        sheet.put(
            "too_old",
            api.cuGetProcAddress(c"cuGraphLaunch".as_ptr(), &mut function, 5000, 0),
        );
    }),
    ("old_name/profiler", |api, sheet| {
        must(api.cuInit(0));
        sheet.put("start_without", api.cuProfilerStart());
        sheet.put("stop_without", api.cuProfilerStop());
        context(api);
        sheet.put("start", api.cuProfilerStart());
        sheet.put("stop", api.cuProfilerStop());
        sheet.put("stop_again", api.cuProfilerStop());
        sheet.put(
            "initialize",
            api.cuProfilerInitialize(c"config".as_ptr(), c"output".as_ptr(), CUoutput_mode_enum(0)),
        );
    }),
];
