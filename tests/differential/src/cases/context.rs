//! Contexts: the stack, primary contexts, limits.

use std::ptr::null_mut;

use cuda_types::cuda::*;

use super::Case;
use crate::setup::*;

fn created(api: &differential::api::Api) -> CUcontext {
    let mut context = null_mut();
    must(api.cuCtxCreate_v2(&mut context, 0, 0));
    context
}

pub const CASES: &[Case] = &[
    ("context/none_is_current", |api| {
        must(api.cuInit(0));
        let mut context = foreign();
        let mut pointer = 0;
        let mut device = -1;
        vec![
            api.cuCtxGetCurrent(&mut context),
            context.is_null() as i64,
            api.cuCtxGetCurrent(null_mut()),
            api.cuCtxSynchronize(),
            api.cuCtxGetDevice(&mut device),
            api.cuMemAlloc_v2(&mut pointer, 16),
            api.cuCtxPopCurrent_v2(&mut context),
        ]
    }),
    ("context/create", |api| {
        must(api.cuInit(0));
        let mut context = null_mut();
        vec![
            api.cuCtxCreate_v2(null_mut(), 0, 0),
            api.cuCtxCreate_v2(&mut context, 0, 99),
            api.cuCtxCreate_v2(&mut context, 0xffff_0000, 0),
            api.cuCtxCreate_v2(&mut context, 0, 0),
        ]
    }),
    ("context/stack", |api| {
        must(api.cuInit(0));
        let (a, b) = (created(api), created(api));
        let mut now = null_mut();
        let mut answers = vec![api.cuCtxGetCurrent(&mut now), (now == b) as i64];
        answers.extend([api.cuCtxPopCurrent_v2(&mut now), (now == b) as i64]);
        answers.extend([api.cuCtxGetCurrent(&mut now), (now == a) as i64]);
        answers.extend([api.cuCtxPushCurrent_v2(b), api.cuCtxPushCurrent_v2(b)]);
        answers.extend([
            api.cuCtxSetCurrent(a),
            api.cuCtxPopCurrent_v2(&mut now),
            (now == a) as i64,
        ]);
        answers.extend([api.cuCtxGetCurrent(&mut now), (now == b) as i64]);
        answers.extend([
            api.cuCtxSetCurrent(null_mut()),
            api.cuCtxGetCurrent(&mut now),
            (now == a) as i64,
        ]);
        answers.push(api.cuCtxPushCurrent_v2(null_mut()));
        answers
    }),
    ("context/pop_into_null", |api| {
        must(api.cuInit(0));
        created(api);
        vec![api.cuCtxPopCurrent_v2(null_mut()), api.cuCtxPopCurrent_v2(null_mut())]
    }),
    ("context/destroy", |api| {
        must(api.cuInit(0));
        let context = created(api);
        let mut now = null_mut();
        vec![
            api.cuCtxDestroy_v2(null_mut()),
            api.cuCtxDestroy_v2(context),
            api.cuCtxGetCurrent(&mut now),
            now.is_null() as i64,
        ]
    }),
    ("context/use_destroyed", |api| {
        must(api.cuInit(0));
        let context = created(api);
        must(api.cuCtxDestroy_v2(context));
        vec![api.cuCtxSetCurrent(context)]
    }),
    ("context/destroy_twice", |api| {
        must(api.cuInit(0));
        let context = created(api);
        must(api.cuCtxDestroy_v2(context));
        vec![api.cuCtxDestroy_v2(context)]
    }),
    ("context/foreign", |api| {
        must(api.cuInit(0));
        vec![
            api.cuCtxSetCurrent(foreign()),
            api.cuCtxPushCurrent_v2(foreign()),
            api.cuCtxDestroy_v2(foreign()),
        ]
    }),
    ("context/primary_counts", |api| {
        must(api.cuInit(0));
        let (mut flags, mut active) = (99, -1);
        let mut first = null_mut();
        let mut second = null_mut();
        let mut answers = vec![
            api.cuDevicePrimaryCtxGetState(0, &mut flags, &mut active),
            flags as i64,
            active as i64,
        ];
        answers.push(api.cuDevicePrimaryCtxRetain(&mut first, 0));
        answers.push(api.cuDevicePrimaryCtxRetain(&mut second, 0));
        answers.push((first == second) as i64);
        answers.push(api.cuDevicePrimaryCtxRelease_v2(0));
        answers.extend([api.cuDevicePrimaryCtxGetState(0, &mut flags, &mut active), active as i64]);
        answers.push(api.cuDevicePrimaryCtxRelease_v2(0));
        answers.extend([api.cuDevicePrimaryCtxGetState(0, &mut flags, &mut active), active as i64]);
        answers.push(api.cuDevicePrimaryCtxRelease_v2(0));
        answers.push(api.cuDevicePrimaryCtxRetain(null_mut(), 0));
        answers.push(api.cuDevicePrimaryCtxRetain(&mut first, 99));
        answers.push(api.cuDevicePrimaryCtxRelease_v2(99));
        answers
    }),
    ("context/destroy_primary", |api| {
        let primary = context(api);
        vec![api.cuCtxDestroy_v2(primary)]
    }),
    ("context/primary_reset", |api| {
        context(api);
        let pointer = allocate(api, 64);
        let mut now = null_mut();
        vec![
            api.cuDevicePrimaryCtxReset_v2(0),
            api.cuCtxGetCurrent(&mut now),
            !now.is_null() as i64,
            api.cuMemFree_v2(pointer),
        ]
    }),
    ("context/counts_across_reset", |api| {
        must(api.cuInit(0));
        let (mut flags, mut active, mut primary) = (99, -1, null_mut());
        let mut answers = Vec::new();
        // The users stay users of the next life.
        for retained in [2, 1] {
            for _ in 0..retained {
                answers.push(api.cuDevicePrimaryCtxRetain(&mut primary, 0));
            }
            answers.extend([
                api.cuDevicePrimaryCtxReset_v2(0),
                api.cuDevicePrimaryCtxGetState(0, &mut flags, &mut active),
                active.into(),
            ]);
            answers.push(api.cuDevicePrimaryCtxRetain(&mut primary, 0));
            for _ in 0..retained + 2 {
                answers.push(api.cuDevicePrimaryCtxRelease_v2(0));
                must(api.cuDevicePrimaryCtxGetState(0, &mut flags, &mut active));
                answers.push(active.into());
            }
        }
        // Without a new life.
        must(api.cuDevicePrimaryCtxRetain(&mut primary, 0));
        must(api.cuDevicePrimaryCtxReset_v2(0));
        answers.extend([api.cuDevicePrimaryCtxRelease_v2(0), api.cuDevicePrimaryCtxRelease_v2(0)]);
        // And flags.
        answers.push(api.cuDevicePrimaryCtxSetFlags_v2(0, 4));
        must(api.cuDevicePrimaryCtxRetain(&mut primary, 0));
        must(api.cuDevicePrimaryCtxGetState(0, &mut flags, &mut active));
        answers.push(flags.into());
        must(api.cuDevicePrimaryCtxReset_v2(0));
        must(api.cuDevicePrimaryCtxGetState(0, &mut flags, &mut active));
        answers.push(flags.into());
        answers
    }),
    ("context/released", |api| {
        let primary = context(api);
        let (mut now, mut version, mut pointer, mut id) = (null_mut(), 7, 0, 7);
        let mut stream = null_mut();
        let mut answers = vec![
            api.cuDevicePrimaryCtxRelease_v2(0),
            api.cuCtxGetCurrent(&mut now),
            (now == primary) as i64,
            api.cuMemAlloc_v2(&mut pointer, 64),
            api.cuCtxGetApiVersion(primary, &mut version),
            api.cuCtxGetApiVersion(null_mut(), &mut version),
            api.cuCtxSetCurrent(primary),
            api.cuStreamCreate(&mut stream, 0),
            api.cuCtxSynchronize(),
            api.cuCtxGetId(primary, &mut id),
            api.cuDevicePrimaryCtxRelease_v2(0),
        ];
        let mut again = null_mut();
        answers.extend([
            api.cuDevicePrimaryCtxRetain(&mut again, 0),
            (again == primary) as i64,
            api.cuMemAlloc_v2(&mut pointer, 64),
            api.cuCtxGetApiVersion(primary, &mut version),
        ]);
        answers
    }),
    ("context/frees_without_one", |api| {
        context(api);
        let (memory, mut managed, mut host) = (allocate(api, 4096), 0, null_mut());
        must(api.cuMemAllocManaged(&mut managed, 4096, 1));
        must(api.cuMemHostAlloc(&mut host, 4096, 0));
        must(api.cuCtxPopCurrent_v2(&mut null_mut()));
        vec![
            api.cuMemFree_v2(memory),
            api.cuMemFree_v2(managed),
            api.cuMemFreeHost(host),
            api.cuMemFree_v2(0),
            api.cuMemFreeHost(null_mut()),
        ]
    }),
    ("context/flags", |api| {
        context(api);
        let mut flags = 77;
        vec![api.cuCtxGetFlags(null_mut()), api.cuCtxGetFlags(&mut flags), (flags & 7) as i64]
    }),
    ("context/limits", |api| {
        context(api);
        let mut value = 0;
        let limit = |number: u32| CUlimit(number as _);
        vec![
            api.cuCtxGetLimit(null_mut(), limit(0)),
            api.cuCtxGetLimit(&mut value, limit(0)),
            value as i64,
            api.cuCtxGetLimit(&mut value, limit(1)),
            (value > 0) as i64,
            api.cuCtxGetLimit(&mut value, limit(2)),
            value as i64,
            api.cuCtxGetLimit(&mut value, limit(99)),
            api.cuCtxSetLimit(limit(0), 4096),
            api.cuCtxGetLimit(&mut value, limit(0)),
            value as i64,
            api.cuCtxSetLimit(limit(99), 1),
        ]
    }),
    ("context/cache_config", |api| {
        context(api);
        let mut config = CUfunc_cache(9);
        vec![
            api.cuCtxGetCacheConfig(null_mut()),
            api.cuCtxGetCacheConfig(&mut config),
            api.cuCtxSetCacheConfig(CUfunc_cache(1)),
            api.cuCtxSetCacheConfig(CUfunc_cache(9)),
        ]
    }),
    ("context/priority_range", |api| {
        context(api);
        let (mut least, mut greatest) = (9, 9);
        vec![
            api.cuCtxGetStreamPriorityRange(&mut least, &mut greatest),
            (least == 0) as i64,
            (greatest < 0) as i64,
            api.cuCtxGetStreamPriorityRange(null_mut(), null_mut()),
        ]
    }),
    ("context/api_version", |api| {
        let context = context(api);
        let mut version = 0;
        vec![
            api.cuCtxGetApiVersion(context, null_mut()),
            api.cuCtxGetApiVersion(context, &mut version),
            api.cuCtxGetApiVersion(null_mut(), &mut version),
        ]
    }),
    ("context/peer_access", |api| {
        let context = context(api);
        vec![
            api.cuCtxEnablePeerAccess(null_mut(), 0),
            api.cuCtxEnablePeerAccess(context, 0),
            api.cuCtxDisablePeerAccess(context),
        ]
    }),
];
