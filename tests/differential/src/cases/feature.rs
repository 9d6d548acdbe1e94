//! What depends on hardware or on another program that is mostly not there, and settings for tools.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use cuda_types::cuda::*;

use super::Case;
use crate::Answers;
use crate::setup::*;
use differential::api::Api;

/// A setting of core dumps: the result, the size, and the first bytes as a number.
fn setting(api: &Api, is_global: bool, number: u32, room: usize) -> Answers {
    let (mut value, mut size) = ([0_u8; 1024], room);
    let which = CUcoredumpSettings(number);
    let to: *mut c_void = value.as_mut_ptr().cast();
    let code = match is_global {
        true => api.cuCoredumpGetAttributeGlobal(which, to, &mut size),
        false => api.cuCoredumpGetAttribute(which, to, &mut size),
    };
    vec![code, size as i64, value[0].into()]
}

unsafe extern "C" fn notify(
    _: *mut CUasyncNotificationInfo,
    _: *mut c_void,
    _: CUasyncCallbackHandle,
) {
}

extern "C" fn on_log(_: *mut c_void, _: CUlogLevel, _: *mut std::ffi::c_char, _: usize) {}

pub const CASES: &[Case] = &[
    ("feature/host_atomics", |api| {
        must(api.cuInit(0));
        let operations: Vec<_> = (0..13).map(CUatomicOperation_enum).collect();
        let mut capabilities = [77_u32; 13];
        let to = capabilities.as_mut_ptr();
        let mut answers = vec![
            api.cuDeviceGetHostAtomicCapabilities(to, operations.as_ptr(), 0, 0),
            api.cuDeviceGetHostAtomicCapabilities(to, operations.as_ptr(), 13, 99),
            api.cuDeviceGetHostAtomicCapabilities(to, null(), 13, 0),
            api.cuDeviceGetHostAtomicCapabilities(null_mut(), operations.as_ptr(), 13, 0),
            api.cuDeviceGetHostAtomicCapabilities(to, &CUatomicOperation_enum(13), 1, 0),
            api.cuDeviceGetHostAtomicCapabilities(to, operations.as_ptr(), 13, 0),
        ];
        // There are some exactly where the device says so.
        let mut native = 77;
        let attribute = CUdevice_attribute::CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED;
        must(api.cuDeviceGetAttribute(&mut native, attribute, 0));
        let some = capabilities.iter().any(|bits| *bits != 0);
        answers.push((some == (native != 0)).into());
        answers
    }),
    ("feature/peer_atomics", |api| {
        must(api.cuInit(0));
        let operations: Vec<_> = (0..13).map(CUatomicOperation_enum).collect();
        let mut capabilities = [77_u32; 13];
        let to = capabilities.as_mut_ptr();
        vec![
            api.cuDeviceGetP2PAtomicCapabilities(to, operations.as_ptr(), 13, 0, 0),
            api.cuDeviceGetP2PAtomicCapabilities(to, operations.as_ptr(), 13, 0, 99),
            api.cuDeviceGetP2PAtomicCapabilities(to, operations.as_ptr(), 0, 0, 0),
            api.cuDeviceGetP2PAtomicCapabilities(null_mut(), operations.as_ptr(), 13, 0, 0),
            api.cuDeviceGetP2PAtomicCapabilities(to, null(), 13, 0, 0),
        ]
    }),
    ("feature/notification", |api| {
        must(api.cuInit(0));
        let mut handle = null_mut();
        let mut answers = vec![
            api.cuDeviceRegisterAsyncNotification(0, Some(notify), null_mut(), &mut handle),
            handle.is_null().into(),
        ];
        answers.push(api.cuDeviceUnregisterAsyncNotification(0, handle));
        answers
    }),
    ("feature/notification_into_null", |api| {
        must(api.cuInit(0));
        vec![api.cuDeviceRegisterAsyncNotification(0, Some(notify), null_mut(), null_mut())]
    }),
    ("feature/notification_by_nothing", |api| {
        must(api.cuInit(0));
        let mut handle = null_mut();
        vec![api.cuDeviceRegisterAsyncNotification(0, None, null_mut(), &mut handle)]
    }),
    ("feature/notification_of_no_device", |api| {
        must(api.cuInit(0));
        let mut handle = null_mut();
        vec![api.cuDeviceRegisterAsyncNotification(99, Some(notify), null_mut(), &mut handle)]
    }),
    ("feature/no_notification", |api| {
        must(api.cuInit(0));
        vec![api.cuDeviceUnregisterAsyncNotification(0, null_mut())]
    }),
    ("feature/logs", |api| {
        let (mut handle, mut iterator) = (null_mut(), 77);
        let (mut buffer, mut size) = ([1 as std::ffi::c_char; 64], 64);
        let mut answers = vec![
            api.cuLogsRegisterCallback(None, null_mut(), &mut handle),
            api.cuLogsRegisterCallback(Some(on_log), null_mut(), null_mut()),
            api.cuLogsRegisterCallback(Some(on_log), null_mut(), &mut handle),
            handle.is_null().into(),
            api.cuLogsUnregisterCallback(handle),
            api.cuLogsCurrent(null_mut(), 0),
            api.cuLogsCurrent(&mut iterator, 1),
            api.cuLogsCurrent(&mut iterator, 0),
        ];
        answers.extend([
            api.cuLogsDumpToMemory(null_mut(), null_mut(), &mut size, 0),
            api.cuLogsDumpToMemory(null_mut(), buffer.as_mut_ptr(), null_mut(), 0),
            api.cuLogsDumpToMemory(null_mut(), buffer.as_mut_ptr(), &mut size, 1),
            api.cuLogsDumpToFile(null_mut(), null(), 0),
            api.cuLogsDumpToFile(null_mut(), c"/nowhere/at/all".as_ptr(), 0),
            api.cuLogsDumpToFile(null_mut(), NOTHING.as_ptr(), 1),
            api.cuLogsDumpToFile(null_mut(), NOTHING.as_ptr(), 0),
        ]);
        answers
    }),
    ("feature/logs_after_failure", |api| {
        context(api);
        let mut iterator = 77;
        must(api.cuLogsCurrent(&mut iterator, 0));
        let mut module = null_mut();
        api.cuModuleLoadData(&mut module, c"no text".as_ptr().cast());
        let (mut buffer, mut size) = ([1 as std::ffi::c_char; 4096], 4096);
        let to = buffer.as_mut_ptr();
        vec![
            api.cuLogsDumpToMemory(&mut iterator, to, &mut size, 0),
            (size == 4096).into(),
            (size == 0).into(),
            buffer[0].into(),
        ]
    }),
    ("feature/logs_unregister_null", |api| vec![api.cuLogsUnregisterCallback(null_mut())]),
    ("feature/core_dump_settings", |api| {
        let mut answers = setting(api, true, 1, 1);
        must(api.cuInit(0));
        answers.extend(setting(api, false, 1, 1));
        context(api);
        for is_global in [false, true] {
            for (number, room) in
                [(1, 1), (2, 1), (3, 1), (4, 1), (7, 4), (0, 1), (8, 1), (1, 4), (1, 0)]
            {
                answers.extend(setting(api, is_global, number, room));
            }
        }
        answers
    }),
    ("feature/core_dump_names", |api| {
        context(api);
        let mut answers = Answers::new();
        for is_global in [false, true] {
            for number in [5, 6] {
                answers.push(setting(api, is_global, number, 1024)[0]);
            }
        }
        answers
    }),
    ("feature/core_dump_set", |api| {
        context(api);
        let (mut on, mut one, mut four) = (1_u8, 1, 4);
        let value: *mut c_void = (&raw mut on).cast();
        let which = CUcoredumpSettings;
        let mut name = *b"/tmp/core\0";
        let mut length = name.len();
        let mut answers = vec![
            api.cuCoredumpSetAttribute(which(1), value, &mut one),
            api.cuCoredumpSetAttribute(which(1), value, &mut four),
            api.cuCoredumpSetAttribute(which(1), null_mut(), &mut one),
            api.cuCoredumpSetAttribute(which(1), value, null_mut()),
            api.cuCoredumpSetAttribute(which(4), value, &mut one),
            api.cuCoredumpSetAttributeGlobal(which(4), value, &mut one),
            api.cuCoredumpSetAttributeGlobal(which(3), value, &mut one),
            api.cuCoredumpSetAttributeGlobal(which(5), name.as_mut_ptr().cast(), &mut length),
            api.cuCoredumpSetAttributeGlobal(which(0), value, &mut one),
            api.cuCoredumpSetAttributeGlobal(which(99), value, &mut one),
        ];
        answers.extend(setting(api, false, 1, 1));
        answers.extend(setting(api, true, 3, 1));
        answers
    }),
    ("feature/checkpoint", |api| {
        must(api.cuInit(0));
        let (mut state, mut thread) = (CUprocessState(77), 77);
        let own = std::process::id() as i32;
        let no_process = i32::MAX;
        let mut answers = vec![
            api.cuCheckpointProcessGetState(own, null_mut()),
            api.cuCheckpointProcessGetState(no_process, &mut state),
            api.cuCheckpointProcessGetState(0, &mut state),
            api.cuCheckpointProcessGetState(-1, &mut state),
            api.cuCheckpointProcessGetRestoreThreadId(no_process, &mut thread),
            api.cuCheckpointProcessGetRestoreThreadId(own, null_mut()),
            api.cuCheckpointProcessLock(no_process, null_mut()),
            api.cuCheckpointProcessUnlock(no_process, null_mut()),
            api.cuCheckpointProcessCheckpoint(no_process, null_mut()),
            api.cuCheckpointProcessRestore(no_process, null_mut()),
        ];
        answers.extend([
            api.cuCheckpointProcessUnlock(own, null_mut()),
            api.cuCheckpointProcessCheckpoint(own, null_mut()),
            api.cuCheckpointProcessRestore(own, null_mut()),
        ]);
        answers
    }),
    ("feature/checkpoint_state", |api| {
        must(api.cuInit(0));
        let mut state = CUprocessState(77);
        vec![api.cuCheckpointProcessGetState(std::process::id() as i32, &mut state), state.0.into()]
    }),
    ("feature/multicast", |api| {
        context(api);
        let mut properties: CUmulticastObjectProp = zeroed();
        properties.numDevices = 1;
        properties.size = 2 << 20;
        let (mut handle, mut size) = (0, 0);
        let option = CUmulticastGranularity_flags(0);
        vec![
            api.cuMulticastCreate(&mut handle, &properties),
            api.cuMulticastCreate(null_mut(), &properties),
            api.cuMulticastCreate(&mut handle, null()),
            api.cuMulticastGetGranularity(&mut size, &properties, option),
            api.cuMulticastGetGranularity(null_mut(), &properties, option),
            api.cuMulticastAddDevice(0, 0),
            api.cuMulticastAddDevice(0, 99),
            api.cuMulticastBindMem(0, 0, 0, 0, 2 << 20, 0),
            api.cuMulticastBindAddr(0, 0, 0, 2 << 20, 0),
            api.cuMulticastUnbind(0, 0, 0, 2 << 20),
        ]
    }),
    ("feature/flush_remote_writes", |api| {
        let target = CUflushGPUDirectRDMAWritesTarget(0);
        let mut answers = Answers::new();
        must(api.cuInit(0));
        answers.push(api.cuFlushGPUDirectRDMAWrites(target, CUflushGPUDirectRDMAWritesScope(100)));
        context(api);
        for (target, scope) in [(0, 100), (0, 200), (0, 0), (1, 100)] {
            answers.push(api.cuFlushGPUDirectRDMAWrites(
                CUflushGPUDirectRDMAWritesTarget(target),
                CUflushGPUDirectRDMAWritesScope(scope),
            ));
        }
        answers
    }),
    ("feature/handle_of_range", |api| {
        context(api);
        let memory = allocate(api, 2 << 20);
        let mut descriptor = -1_i32;
        let to: *mut c_void = (&raw mut descriptor).cast();
        let dma = CUmemRangeHandleType(1);
        vec![
            api.cuMemGetHandleForAddressRange(null_mut(), memory, 4096, dma, 0),
            api.cuMemGetHandleForAddressRange(to, 0, 4096, dma, 0),
            api.cuMemGetHandleForAddressRange(to, memory, 0, dma, 0),
            api.cuMemGetHandleForAddressRange(to, memory, 4096, CUmemRangeHandleType(0), 0),
            api.cuMemGetHandleForAddressRange(to, memory, 4096, dma, 99),
        ]
    }),
    ("feature/decompress", |api| {
        context(api);
        let (memory, stream) = (allocate(api, 4096), stream(api));
        let mut params: CUmemDecompressParams = zeroed();
        params.srcNumBytes = 16;
        params.dstNumBytes = 64;
        params.src = memory as *mut c_void;
        params.dst = (memory + 1024) as *mut c_void;
        params.algo = CUmemDecompressAlgorithm(1);
        let mut failed = 77;
        vec![
            api.cuMemBatchDecompressAsync(&mut params, 0, 0, &mut failed, stream),
            api.cuMemBatchDecompressAsync(null_mut(), 1, 0, &mut failed, stream),
            api.cuMemBatchDecompressAsync(&mut params, 1, 1, &mut failed, stream),
            api.cuMemBatchDecompressAsync(&mut params, 1, 0, &mut failed, stream),
            failed as i64,
        ]
    }),
    ("feature/map_array", |api| {
        context(api);
        let stream = stream(api);
        let mut info: CUarrayMapInfo = zeroed();
        vec![
            api.cuMemMapArrayAsync(&mut info, 0, stream),
            api.cuMemMapArrayAsync(null_mut(), 1, stream),
            api.cuMemMapArrayAsync(&mut info, 1, stream),
        ]
    }),
    ("feature/cooperative_on_several_devices", |api| {
        let module = module(api);
        let stream = stream(api);
        let mut params: CUDA_LAUNCH_PARAMS = zeroed();
        params.function = kernel(api, module, c"nothing");
        (params.gridDimX, params.gridDimY, params.gridDimZ) = (1, 1, 1);
        (params.blockDimX, params.blockDimY, params.blockDimZ) = (32, 1, 1);
        let mut answers = vec![
            api.cuLaunchCooperativeKernelMultiDevice(&mut params, 1, 0),
            api.cuLaunchCooperativeKernelMultiDevice(null_mut(), 1, 0),
            api.cuLaunchCooperativeKernelMultiDevice(&mut params, 0, 0),
        ];
        params.hStream = stream;
        for flags in [0, 1, 2, 3, 4] {
            answers.push(api.cuLaunchCooperativeKernelMultiDevice(&mut params, 1, flags));
        }
        let mut twice = [params, params];
        answers.push(api.cuLaunchCooperativeKernelMultiDevice(twice.as_mut_ptr(), 2, 0));
        params.gridDimX = 1 << 20;
        answers.push(api.cuLaunchCooperativeKernelMultiDevice(&mut params, 1, 0));
        answers.push(api.cuCtxSynchronize());
        answers
    }),
    ("feature/synchronization_objects_of_others", |api| {
        must(api.cuInit(0));
        let mut attributes = [0_u64; 64];
        vec![
            api.cuDeviceGetNvSciSyncAttributes(null_mut(), 0, 1),
            api.cuDeviceGetNvSciSyncAttributes(attributes.as_mut_ptr().cast(), 99, 1),
            api.cuDeviceGetNvSciSyncAttributes(attributes.as_mut_ptr().cast(), 0, 0),
        ]
    }),
    ("feature/graphics", |api| {
        context(api);
        let mut resource = null_mut();
        let (mut pointer, mut size) = (0, 0);
        let (mut array, mut mipmapped) = (null_mut(), null_mut());
        vec![
            api.cuGraphicsMapResources(0, &mut resource, null_mut()),
            api.cuGraphicsUnmapResources(0, &mut resource, null_mut()),
            api.cuGraphicsMapResources(1, null_mut(), null_mut()),
            api.cuGraphicsMapResources(1, &mut resource, null_mut()),
            api.cuGraphicsUnmapResources(1, &mut resource, null_mut()),
            api.cuGraphicsUnregisterResource(null_mut()),
            api.cuGraphicsResourceSetMapFlags_v2(null_mut(), 0),
            api.cuGraphicsResourceGetMappedPointer_v2(&mut pointer, &mut size, null_mut()),
            api.cuGraphicsSubResourceGetMappedArray(&mut array, null_mut(), 0, 0),
            api.cuGraphicsResourceGetMappedMipmappedArray(&mut mipmapped, null_mut()),
        ]
    }),
];
