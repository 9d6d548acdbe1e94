//! Streams and events.

use std::ffi::c_void;
use std::ptr::null_mut;

use cuda_types::cuda::*;

use super::Case;
use crate::setup::*;

unsafe extern "C" fn nothing(_data: *mut c_void) {}

pub const CASES: &[Case] = &[
    ("stream/create", |api| {
        context(api);
        let mut stream = null_mut();
        vec![
            api.cuStreamCreate(null_mut(), 0),
            api.cuStreamCreate(&mut stream, 2),
            api.cuStreamCreate(&mut stream, 1),
            api.cuStreamDestroy_v2(stream),
            api.cuStreamDestroy_v2(null_mut()),
        ]
    }),
    ("stream/destroy_twice", |api| {
        context(api);
        let stream = stream(api);
        must(api.cuStreamDestroy_v2(stream));
        vec![api.cuStreamDestroy_v2(stream)]
    }),
    ("stream/use_destroyed", |api| {
        context(api);
        let stream = stream(api);
        must(api.cuStreamDestroy_v2(stream));
        vec![api.cuStreamSynchronize(stream)]
    }),
    ("stream/foreign", |api| {
        context(api);
        vec![api.cuStreamSynchronize(foreign()), api.cuStreamQuery(foreign())]
    }),
    ("stream/defaults", |api| {
        context(api);
        let legacy = 1 as CUstream;
        let per_thread = 2 as CUstream;
        vec![
            api.cuStreamSynchronize(null_mut()),
            api.cuStreamSynchronize(legacy),
            api.cuStreamSynchronize(per_thread),
            api.cuStreamQuery(null_mut()),
            api.cuStreamQuery(per_thread),
        ]
    }),
    ("stream/destroy_defaults", |api| {
        context(api);
        vec![api.cuStreamDestroy_v2(1 as CUstream), api.cuStreamDestroy_v2(2 as CUstream)]
    }),
    ("stream/priority", |api| {
        context(api);
        let mut stream = null_mut();
        let mut priority = 9;
        let mut flags = 9;
        vec![
            api.cuStreamCreateWithPriority(null_mut(), 0, 0),
            api.cuStreamCreateWithPriority(&mut stream, 1, -1),
            api.cuStreamGetPriority(stream, &mut priority),
            priority as i64,
            api.cuStreamGetFlags(stream, &mut flags),
            flags as i64,
            api.cuStreamGetPriority(stream, null_mut()),
            api.cuStreamGetFlags(stream, null_mut()),
            api.cuStreamCreateWithPriority(&mut stream, 0, 1000),
            api.cuStreamGetPriority(stream, &mut priority),
            priority as i64,
            api.cuStreamCreateWithPriority(&mut stream, 0xff0, 0),
        ]
    }),
    ("stream/context_of", |api| {
        let context = context(api);
        let stream = stream(api);
        let mut owner = null_mut();
        vec![
            api.cuStreamGetCtx(stream, &mut owner),
            (owner == context) as i64,
            api.cuStreamGetCtx(null_mut(), &mut owner),
            (owner == context) as i64,
            api.cuStreamGetCtx(stream, null_mut()),
        ]
    }),
    ("stream/host_function", |api| {
        context(api);
        vec![
            api.cuLaunchHostFunc(null_mut(), None, null_mut()),
            api.cuLaunchHostFunc(null_mut(), Some(nothing), null_mut()),
            api.cuStreamSynchronize(null_mut()),
        ]
    }),
    ("stream/callback", |api| {
        context(api);
        vec![
            api.cuStreamAddCallback(null_mut(), None, null_mut(), 0),
            api.cuStreamAddCallback(null_mut(), None, null_mut(), 5),
        ]
    }),
    ("stream/wait_event", |api| {
        context(api);
        let stream = stream(api);
        let event = event(api);
        vec![
            api.cuStreamWaitEvent(stream, event, 0),
            api.cuStreamWaitEvent(stream, null_mut(), 0),
            api.cuStreamWaitEvent(stream, event, 0xff0),
        ]
    }),
    ("stream/capture_state", |api| {
        context(api);
        let mut state = CUstreamCaptureStatus(9);
        let stream = stream(api);
        vec![
            api.cuStreamIsCapturing(stream, &mut state),
            state.0 as i64,
            api.cuStreamIsCapturing(stream, null_mut()),
            api.cuStreamIsCapturing(null_mut(), &mut state),
        ]
    }),
    ("event/create", |api| {
        context(api);
        let mut event = null_mut();
        vec![
            api.cuEventCreate(null_mut(), 0),
            api.cuEventCreate(&mut event, 0xff0),
            api.cuEventCreate(&mut event, 2),
            api.cuEventQuery(event),
            api.cuEventSynchronize(event),
            api.cuEventDestroy_v2(event),
            api.cuEventDestroy_v2(null_mut()),
        ]
    }),
    ("event/destroy_twice", |api| {
        context(api);
        let event = event(api);
        must(api.cuEventDestroy_v2(event));
        vec![api.cuEventDestroy_v2(event)]
    }),
    ("event/foreign", |api| {
        context(api);
        vec![api.cuEventQuery(foreign()), api.cuEventRecord(foreign(), null_mut())]
    }),
    ("event/elapsed", |api| {
        context(api);
        let (a, b) = (event(api), event(api));
        let mut no_timing = null_mut();
        must(api.cuEventCreate(&mut no_timing, 2));
        let mut milliseconds = -1.0;
        let mut answers = vec![api.cuEventElapsedTime_v2(&mut milliseconds, a, b)];
        must(api.cuEventRecord(a, null_mut()));
        must(api.cuEventRecord(b, null_mut()));
        must(api.cuEventRecord(no_timing, null_mut()));
        must(api.cuStreamSynchronize(null_mut()));
        answers.push(api.cuEventElapsedTime_v2(&mut milliseconds, a, b));
        answers.push((milliseconds >= 0.0) as i64);
        answers.push(api.cuEventElapsedTime_v2(&mut milliseconds, a, no_timing));
        answers.push(api.cuEventElapsedTime_v2(null_mut(), a, b));
        answers.push(api.cuEventElapsedTime_v2(&mut milliseconds, null_mut(), b));
        answers
    }),
    ("event/record_flags", |api| {
        context(api);
        let event = event(api);
        vec![
            api.cuEventRecordWithFlags(event, null_mut(), 0),
            api.cuEventRecordWithFlags(event, null_mut(), 0xff0),
            api.cuEventRecord(null_mut(), null_mut()),
        ]
    }),
];
