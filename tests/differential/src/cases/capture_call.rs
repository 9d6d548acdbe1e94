//! The calls that the capture of a stream allows, and those that it forbids.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use cuda_types::cuda::*;

use super::Case;
use super::graph::*;
use crate::Answers;
use crate::setup::*;
use differential::api::Api;

const GLOBAL: CUstreamCaptureMode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_GLOBAL;
const RELAXED: CUstreamCaptureMode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;

const LEGACY: CUstream = null_mut();

/// The handles that the calls below are about.
struct World<'a> {
    api: &'a Api,
    module: CUmodule,
    /// Captured.
    stream: CUstream,
    other: CUstream,
    event: CUevent,
    memory: CUdeviceptr,
    host: *mut c_void,
    exec: CUgraphExec,
    graph: CUgraph,
    function: CUfunction,
    array: CUarray,
    sides: [usize; 3],
    library: CUlibrary,
    pooled: CUdeviceptr,
}

type Call = (&'static str, fn(&World) -> i64);

/// Calls while another stream is captured.
const CALLS: &[Call] = &[
    ("alloc", |w| w.api.cuMemAlloc_v2(&mut 0, 64)),
    ("alloc_pitch", |w| w.api.cuMemAllocPitch_v2(&mut 0, &mut 0, 64, 4, 4)),
    ("alloc_managed", |w| w.api.cuMemAllocManaged(&mut 0, 64, 1)),
    ("alloc_host", |w| w.api.cuMemAllocHost_v2(&mut null_mut(), 64)),
    ("host_alloc", |w| w.api.cuMemHostAlloc(&mut null_mut(), 64, 0)),
    ("free", |w| w.api.cuMemFree_v2(w.memory)),
    ("free_null", |w| w.api.cuMemFree_v2(0)),
    ("free_host", |w| w.api.cuMemFreeHost(w.host)),
    ("host_register", |w| {
        w.api.cuMemHostRegister_v2(Box::leak(Box::new([0_u64; 4096])).as_mut_ptr().cast(), 4096, 0)
    }),
    ("mem_info", |w| w.api.cuMemGetInfo_v2(&mut 0, &mut 0)),
    ("array_create", |w| {
        let shape = shape(w.sides, CUarray_format::CU_AD_FORMAT_UNSIGNED_INT8, 1, 0);
        w.api.cuArray3DCreate_v2(&mut null_mut(), &shape)
    }),
    ("copy_to_device", |w| w.api.cuMemcpyHtoD_v2(w.memory, w.host, 8)),
    ("copy_to_host", |w| w.api.cuMemcpyDtoH_v2(w.host, w.memory, 8)),
    ("copy_on_device", |w| w.api.cuMemcpyDtoD_v2(w.memory, w.memory + 32, 8)),
    ("copy_on_other", |w| w.api.cuMemcpyDtoDAsync_v2(w.memory, w.memory + 32, 8, w.other)),
    ("copy_on_legacy", |w| w.api.cuMemcpyDtoDAsync_v2(w.memory, w.memory + 32, 8, LEGACY)),
    ("memset", |w| w.api.cuMemsetD8_v2(w.memory, 1, 8)),
    ("memset_on_other", |w| w.api.cuMemsetD8Async(w.memory, 1, 8, w.other)),
    ("memset_on_legacy", |w| w.api.cuMemsetD8Async(w.memory, 1, 8, LEGACY)),
    ("launch_on_legacy", |w| {
        w.api.cuLaunchKernel(w.function, 1, 1, 1, 1, 1, 1, 0, LEGACY, null_mut(), null_mut())
    }),
    ("launch_on_per_thread", |w| {
        w.api.cuLaunchKernel(w.function, 1, 1, 1, 1, 1, 1, 0, 2 as CUstream, null_mut(), null_mut())
    }),
    ("launch_on_other", |w| {
        w.api.cuLaunchKernel(w.function, 1, 1, 1, 1, 1, 1, 0, w.other, null_mut(), null_mut())
    }),
    ("context_synchronize", |w| w.api.cuCtxSynchronize()),
    ("synchronize_it", |w| w.api.cuStreamSynchronize(w.stream)),
    ("synchronize_other", |w| w.api.cuStreamSynchronize(w.other)),
    ("synchronize_legacy", |w| w.api.cuStreamSynchronize(LEGACY)),
    ("query_it", |w| w.api.cuStreamQuery(w.stream)),
    ("query_other", |w| w.api.cuStreamQuery(w.other)),
    ("query_legacy", |w| w.api.cuStreamQuery(LEGACY)),
    ("event_query", |w| w.api.cuEventQuery(w.event)),
    ("event_synchronize", |w| w.api.cuEventSynchronize(w.event)),
    ("event_create", |w| w.api.cuEventCreate(&mut null_mut(), 0)),
    ("event_destroy", |w| w.api.cuEventDestroy_v2(w.event)),
    ("event_elapsed", |w| w.api.cuEventElapsedTime_v2(&mut 0.0, w.event, w.event)),
    ("event_record_on_other", |w| w.api.cuEventRecord(w.event, w.other)),
    ("event_record_on_legacy", |w| w.api.cuEventRecord(w.event, LEGACY)),
    ("wait_on_legacy", |w| w.api.cuStreamWaitEvent(LEGACY, w.event, 0)),
    ("wait_on_other", |w| w.api.cuStreamWaitEvent(w.other, w.event, 0)),
    ("wait_on_it", |w| w.api.cuStreamWaitEvent(w.stream, w.event, 0)),
    ("stream_create", |w| w.api.cuStreamCreate(&mut null_mut(), 0)),
    ("stream_destroy_other", |w| w.api.cuStreamDestroy_v2(w.other)),
    ("stream_destroy_it", |w| w.api.cuStreamDestroy_v2(w.stream)),
    ("stream_flags", |w| w.api.cuStreamGetFlags(w.stream, &mut 0)),
    ("stream_context", |w| w.api.cuStreamGetCtx(w.stream, &mut null_mut())),
    ("host_function_on_legacy", |w| w.api.cuLaunchHostFunc(LEGACY, Some(host_nothing), null_mut())),
    ("callback_on_it", |w| {
        unsafe extern "C" fn nothing(_stream: CUstream, _status: CUresult, _data: *mut c_void) {}
        w.api.cuStreamAddCallback(w.stream, Some(nothing), null_mut(), 0)
    }),
    ("attach_on_it", |w| w.api.cuStreamAttachMemAsync(w.stream, w.memory, 0, 4)),
    ("module_load", |w| w.api.cuModuleLoadData(&mut null_mut(), PTX.as_ptr().cast())),
    ("module_unload", |w| w.api.cuModuleUnload(w.module)),
    ("module_function", |w| {
        w.api.cuModuleGetFunction(&mut null_mut(), w.module, c"store".as_ptr())
    }),
    ("module_global", |w| {
        w.api.cuModuleGetGlobal_v2(&mut 0, &mut 0, w.module, c"counter".as_ptr())
    }),
    ("library_load", |w| load_library(w.api, &mut null_mut(), PTX.as_ptr().cast())),
    ("function_attribute", |w| {
        w.api.cuFuncGetAttribute(&mut 0, CUfunction_attribute(0), w.function)
    }),
    ("function_set_attribute", |w| {
        w.api.cuFuncSetAttribute(w.function, CUfunction_attribute(8), 1024)
    }),
    ("pointer_attribute", |w| {
        w.api.cuPointerGetAttribute(
            (&raw mut *Box::leak(Box::new(0_u64))).cast(),
            CUpointer_attribute(2),
            w.memory,
        )
    }),
    ("occupancy", |w| w.api.cuOccupancyMaxActiveBlocksPerMultiprocessor(&mut 0, w.function, 32, 0)),
    ("limit", |w| w.api.cuCtxSetLimit(CUlimit(0), 2048)),
    ("graph_instantiate", |w| w.api.cuGraphInstantiateWithFlags(&mut null_mut(), w.graph, 0)),
    ("graph_launch_on_other", |w| w.api.cuGraphLaunch(w.exec, w.other)),
    ("graph_launch_on_legacy", |w| w.api.cuGraphLaunch(w.exec, LEGACY)),
    ("graph_launch_on_it", |w| w.api.cuGraphLaunch(w.exec, w.stream)),
    ("graph_upload_on_it", |w| w.api.cuGraphUpload(w.exec, w.stream)),
    ("graph_exec_destroy", |w| w.api.cuGraphExecDestroy(w.exec)),
    ("graph_create", |w| w.api.cuGraphCreate(&mut null_mut(), 0)),
    ("alloc_async_other", |w| w.api.cuMemAllocAsync(&mut 0, 64, w.other)),
    ("alloc_async_legacy", |w| w.api.cuMemAllocAsync(&mut 0, 64, LEGACY)),
    ("pool_trim", |w| {
        let mut pool = null_mut();
        must(w.api.cuDeviceGetDefaultMemPool(&mut pool, 0));
        w.api.cuMemPoolTrimTo(pool, 0)
    }),
    ("begin_it", |w| w.api.cuStreamBeginCapture_v2(w.stream, GLOBAL)),
    ("begin_other", |w| w.api.cuStreamBeginCapture_v2(w.other, GLOBAL)),
    ("is_capturing_legacy", |w| w.api.cuStreamIsCapturing(LEGACY, &mut CUstreamCaptureStatus(0))),
    ("end_other", |w| w.api.cuStreamEndCapture(w.other, &mut null_mut())),
    ("context_push", |w| {
        let mut context = null_mut();
        must(w.api.cuCtxGetCurrent(&mut context));
        w.api.cuCtxPushCurrent_v2(context)
    }),
    ("pool_create", |w| {
        // SAFETY: a plain structure, of which all zeros is a value.
        let mut properties: CUmemPoolProps = unsafe { std::mem::zeroed() };
        properties.allocType = CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
        properties.location.type_ = CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE;
        w.api.cuMemPoolCreate(&mut null_mut(), &properties)
    }),
    ("prefetch_on_it", |w| {
        let managed = w.memory;
        let location =
            CUmemLocation { type_: CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE, id: 0 };
        w.api.cuMemPrefetchAsync_v2(managed, 64, location, 0, w.stream)
    }),
    ("write_value_on_it", |w| w.api.cuStreamWriteValue32_v2(w.stream, w.memory, 5, 0)),
    ("wait_value_on_it", |w| w.api.cuStreamWaitValue32_v2(w.stream, w.memory, 5, 0)),
];

/// Further calls, with wrong arguments among them.
const MORE: &[Call] = &[
    ("launch_without_parameters", |w| {
        let mut store = null_mut();
        must(w.api.cuModuleGetFunction(&mut store, w.module, c"store".as_ptr()));
        w.api.cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, w.stream, null_mut(), null_mut())
    }),
    ("launch_no_grid", |w| {
        w.api.cuLaunchKernel(w.function, 0, 1, 1, 1, 1, 1, 0, w.stream, null_mut(), null_mut())
    }),
    ("launch_large_block", |w| {
        w.api.cuLaunchKernel(w.function, 1, 1, 1, 2048, 1, 1, 0, w.stream, null_mut(), null_mut())
    }),
    ("launch_nothing", |w| {
        w.api.cuLaunchKernel(null_mut(), 1, 1, 1, 1, 1, 1, 0, w.stream, null_mut(), null_mut())
    }),
    ("no_host_function", |w| w.api.cuLaunchHostFunc(w.stream, None, null_mut())),
    ("memset_null", |w| w.api.cuMemsetD8Async(0, 1, 8, w.stream)),
    ("memset_too_long", |w| w.api.cuMemsetD8Async(w.memory, 1, 1 << 30, w.stream)),
    ("memset_misaligned", |w| w.api.cuMemsetD32Async(w.memory + 1, 1, 1, w.stream)),
    ("copy_to_null", |w| w.api.cuMemcpyDtoDAsync_v2(0, w.memory, 8, w.stream)),
    ("copy_too_long", |w| w.api.cuMemcpyDtoDAsync_v2(w.memory, w.memory, 1 << 30, w.stream)),
    ("copy_from_null_host", |w| w.api.cuMemcpyHtoDAsync_v2(w.memory, null(), 8, w.stream)),
    ("copy_boxed_in_vain", |w| {
        let mut copy = copy_of(w.memory, w.memory, 8);
        copy.srcPitch = 4;
        w.api.cuMemcpy3DAsync_v2(&copy, w.stream)
    }),
    ("alloc_into_null", |w| w.api.cuMemAllocAsync(null_mut(), 8, w.stream)),
    ("free_of_outside", |w| w.api.cuMemFreeAsync(w.memory, w.stream)),
    ("wait_external", |w| w.api.cuStreamWaitEvent(w.stream, w.event, 1)),
    ("wait_wrong_flags", |w| w.api.cuStreamWaitEvent(w.stream, w.event, 8)),
    ("record_wrong_flags", |w| w.api.cuEventRecordWithFlags(w.event, w.stream, 8)),
    ("priority", |w| w.api.cuStreamGetPriority(w.stream, &mut 0)),
    ("id", |w| w.api.cuStreamGetId(w.stream, &mut 0)),
    ("device", |w| w.api.cuStreamGetDevice(w.stream, &mut 0)),
    ("attribute", |w| {
        // SAFETY: all zeros is a value of every member.
        let mut value: CUstreamAttrValue = unsafe { std::mem::zeroed() };
        w.api.cuStreamGetAttribute(w.stream, CUlaunchAttributeID(3), &mut value)
    }),
    ("set_attribute", |w| {
        // SAFETY: as above.
        let mut value: CUstreamAttrValue = unsafe { std::mem::zeroed() };
        value.syncPolicy = CUsynchronizationPolicy(1);
        w.api.cuStreamSetAttribute(w.stream, CUlaunchAttributeID(3), &value)
    }),
    ("copy_attributes", |w| w.api.cuStreamCopyAttributes(w.other, w.stream)),
    ("info_of_legacy", |w| {
        w.api.cuStreamGetCaptureInfo(LEGACY, &mut CUstreamCaptureStatus(0), null_mut())
    }),
    ("flags_of_legacy", |w| w.api.cuStreamGetFlags(LEGACY, &mut 0)),
    ("array_destroy", |w| w.api.cuArrayDestroy(w.array)),
    ("mipmapped_create", |w| {
        let shape = shape(w.sides, CUarray_format::CU_AD_FORMAT_UNSIGNED_INT8, 1, 0);
        w.api.cuMipmappedArrayCreate(&mut null_mut(), &shape, 2)
    }),
    ("surface", |w| {
        // SAFETY: a plain structure, of which all zeros is a value.
        let mut resource: CUDA_RESOURCE_DESC = unsafe { std::mem::zeroed() };
        resource.resType = CUresourcetype::CU_RESOURCE_TYPE_ARRAY;
        resource.res.array.hArray = w.array;
        w.api.cuSurfObjectCreate(&mut 0, &resource)
    }),
    ("library_unload", |w| w.api.cuLibraryUnload(w.library)),
    ("link_create", |w| w.api.cuLinkCreate_v2(0, null_mut(), null_mut(), &mut null_mut())),
    ("context_create", |w| w.api.cuCtxCreate_v4(&mut null_mut(), null_mut(), 0, 0)),
    ("graph_update", |w| {
        w.api.cuGraphExecUpdate_v2(
            w.exec,
            w.graph,
            &mut CUgraphExecUpdateResultInfo {
                result: CUgraphExecUpdateResult(0),
                errorNode: null_mut(),
                errorFromNode: null_mut(),
            },
        )
    }),
    ("graph_clone", |w| w.api.cuGraphClone(&mut null_mut(), w.graph)),
    ("graph_destroy", |w| w.api.cuGraphDestroy(w.graph)),
    ("graph_upload_on_other", |w| w.api.cuGraphUpload(w.exec, w.other)),
    ("graph_trim", |w| w.api.cuDeviceGraphMemTrim(0)),
    ("pool_threshold", |w| {
        let mut pool = null_mut();
        must(w.api.cuDeviceGetDefaultMemPool(&mut pool, 0));
        let mut value = 1_u64 << 20;
        w.api.cuMemPoolSetAttribute(pool, CUmemPool_attribute(4), (&raw mut value).cast())
    }),
    ("free_async_other", |w| w.api.cuMemFreeAsync(w.pooled, w.other)),
    ("copy_2d", |w| {
        let copy = copy_of(w.memory, w.memory + 32, 8);
        w.api.cuMemcpy3D_v2(&copy)
    }),
    ("copy_of_thread", |w| w.api.cuMemcpyDtoH_v2_ptds(w.host, w.memory, 8)),
    ("host_unregister", |w| w.api.cuMemHostUnregister(w.host)),
    ("primary_state", |w| w.api.cuDevicePrimaryCtxGetState(0, &mut 0, &mut 0)),
    ("cache_config", |w| w.api.cuCtxSetCacheConfig(CUfunc_cache(0))),
    ("advise", |w| {
        w.api.cuMemAdvise_v2(
            w.memory,
            64,
            CUmem_advise(1),
            CUmemLocation { type_: CUmemLocationType(1), id: 0 },
        )
    }),
    ("set_current", |w| w.api.cuCtxSetCurrent(null_mut())),
];

/// Each call while a stream is captured in a mode: its answer, the state of the stream, the end's answer.
fn calls(api: &Api, list: &[Call], mode: CUstreamCaptureMode, flags: u32) -> Answers {
    let mut answers = vec![];
    for (name, call) in list {
        let module = module(api);
        let mut host = null_mut();
        must(api.cuMemAllocHost_v2(&mut host, 64));
        let (library, mut pooled) = (library(api), 0);
        must(api.cuMemAllocAsync(&mut pooled, 64, LEGACY));
        let graph = graph(api);
        empty(api, graph, &[]);
        let mut captured = null_mut();
        must(api.cuStreamCreate(&mut captured, flags));
        let world = World {
            api,
            module,
            stream: captured,
            other: stream(api),
            event: event(api),
            memory: allocate(api, 64),
            host,
            exec: instantiate(api, graph),
            graph,
            function: kernel(api, module, c"nothing"),
            array: array(
                api,
                &shape([16, 16, 0], CUarray_format::CU_AD_FORMAT_UNSIGNED_INT8, 1, 2),
            ),
            sides: [16, 16, 0],
            library,
            pooled,
        };
        must(api.cuEventRecord(world.event, LEGACY));
        must(api.cuMemsetD8_v2(world.memory, 5, 64));
        must(api.cuCtxSynchronize());
        must(api.cuStreamBeginCapture_v2(world.stream, mode));
        let answer = call(&world);

        let mut state = CUstreamCaptureStatus(9);
        let asked = if *name == "stream_destroy_it" {
            0
        } else {
            api.cuStreamIsCapturing(world.stream, &mut state)
        };
        answers.extend([answer, asked * 1000 + i64::from(state.0)]);
        if *name != "stream_destroy_it" {
            let mut graph = null_mut();
            answers.push(api.cuStreamEndCapture(world.stream, &mut graph));
            answers.push(if graph.is_null() { -1 } else { count_of_nodes(api, graph) });
        }
        if *name == "set_current" {
            context(api);
        }
        if *name == "begin_other" {
            api.cuStreamEndCapture(world.other, &mut null_mut());
        }
    }
    answers
}

pub const CASES: &[Case] = &[
    ("capture/calls_global", |api| calls(api, CALLS, GLOBAL, 0)),
    ("capture/calls_relaxed", |api| calls(api, CALLS, RELAXED, 0)),
    ("capture/calls_non_blocking", |api| calls(api, CALLS, GLOBAL, 1)),
    ("capture/more_calls", |api| calls(api, MORE, GLOBAL, 0)),
    ("capture/more_calls_relaxed", |api| calls(api, MORE, RELAXED, 0)),
];
