//! Captures of several streams, which events bring together.

use std::ptr::null_mut;

use super::Case;
use super::capture::*;
use crate::setup::*;

pub const CASES: &[Case] = &[
    ("capture/fork_and_join", |api| {
        let module = module(api);
        let function = kernel(api, module, c"nothing");
        let (first, second) = (stream(api), stream(api));
        let (forked, joined) = (event(api), event(api));
        let go = |stream| {
            api.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, null_mut(), null_mut())
        };
        let mut answers = vec![
            api.cuStreamBeginCapture_v2(first, GLOBAL),
            go(first),
            api.cuEventRecord(forked, first),
            api.cuStreamWaitEvent(second, forked, 0),
        ];
        answers.extend(status(api, second));
        answers.extend([
            go(second),
            go(first),
            go(second),
            api.cuEventRecord(joined, second),
            api.cuStreamWaitEvent(first, joined, 0),
        ]);
        answers.extend(depends_on(api, first));
        answers.extend([go(first)]);
        answers.push(api.cuStreamEndCapture(second, &mut null_mut()));
        answers.extend(status(api, first));
        answers.extend(end(api, first));
        answers.extend(status(api, second));
        answers.extend([
            api.cuEventQuery(forked),
            api.cuEventSynchronize(joined),
            api.cuStreamWaitEvent(second, forked, 0),
            api.cuEventRecord(forked, first),
            api.cuEventSynchronize(forked),
        ]);
        answers
    }),
    ("capture/begin_joined", |api| {
        context(api);
        let (first, second) = (stream(api), stream(api));
        let forked = event(api);
        let mut answers = vec![
            api.cuStreamBeginCapture_v2(first, GLOBAL),
            api.cuEventRecord(forked, first),
            api.cuStreamWaitEvent(second, forked, 0),
            api.cuStreamBeginCapture_v2(second, GLOBAL),
        ];
        answers.extend(status(api, first));
        // Once more in vain, then by a record outside.
        answers.push(api.cuStreamWaitEvent(second, forked, 0));
        answers.extend(end(api, first));
        answers.push(api.cuEventRecord(forked, second));
        answers.push(api.cuEventSynchronize(forked));
        answers
    }),
    ("capture/destroy_streams", |api| {
        context(api);
        let (first, second) = (stream(api), stream(api));
        let (forked, memory) = (event(api), allocate(api, 64));
        let mut answers = vec![
            api.cuStreamBeginCapture_v2(first, GLOBAL),
            api.cuEventRecord(forked, first),
            api.cuStreamWaitEvent(second, forked, 0),
            api.cuMemsetD8Async(memory, 1, 8, second),
            api.cuStreamDestroy_v2(second),
        ];
        answers.extend(status(api, first));
        answers.extend(end(api, first));
        let second = stream(api);
        answers.extend([
            api.cuStreamBeginCapture_v2(first, GLOBAL),
            api.cuEventRecord(forked, first),
            api.cuStreamWaitEvent(second, forked, 0),
            api.cuStreamDestroy_v2(first),
        ]);
        answers.extend(status(api, second));
        answers.push(api.cuMemsetD8Async(memory, 1, 8, second));
        answers.push(api.cuEventQuery(forked));
        answers.extend(end(api, second));
        answers
    }),
    ("capture/record_again", |api| {
        context(api);
        let (first, second) = (stream(api), stream(api));
        let (event, memory) = (event(api), allocate(api, 64));
        let fill = |stream| api.cuMemsetD8Async(memory, 1, 8, stream);
        let mut answers = vec![
            api.cuStreamBeginCapture_v2(first, GLOBAL),
            fill(first),
            api.cuEventRecord(event, first),
            api.cuStreamWaitEvent(second, event, 0),
            fill(second),
            fill(first),
            api.cuEventRecord(event, second),
            api.cuStreamWaitEvent(first, event, 0),
            api.cuStreamWaitEvent(first, event, 0),
            fill(first),
            api.cuStreamWaitEvent(first, event, 0),
            fill(first),
        ];
        answers.extend(end(api, first));
        // Recorded outside while it is of a capture.
        answers.extend([
            api.cuStreamBeginCapture_v2(first, GLOBAL),
            api.cuEventRecord(event, first),
            api.cuEventRecord(event, second),
            api.cuStreamWaitEvent(first, event, 0),
        ]);
        answers.extend(status(api, first));
        answers.extend(end(api, first));
        answers
    }),
    ("capture/end_by_second", |api| {
        context(api);
        let (first, second) = (stream(api), stream(api));
        let forked = event(api);
        let mut answers = vec![
            api.cuStreamBeginCapture_v2(first, GLOBAL),
            api.cuEventRecord(forked, first),
            api.cuStreamWaitEvent(second, forked, 0),
        ];
        answers.extend(end(api, second));
        answers.extend(status(api, first));
        answers.extend(status(api, second));
        answers.extend(end(api, first));
        answers
    }),
    ("capture/unjoined", |api| {
        let module = module(api);
        let function = kernel(api, module, c"nothing");
        let (first, second) = (stream(api), stream(api));
        let forked = event(api);
        let go = |stream| {
            api.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, null_mut(), null_mut())
        };
        let mut answers = vec![
            api.cuStreamBeginCapture_v2(first, GLOBAL),
            go(first),
            api.cuEventRecord(forked, first),
            api.cuStreamWaitEvent(second, forked, 0),
            go(second),
        ];
        answers.extend(end(api, first));
        answers.extend(status(api, first));
        answers.extend(status(api, second));
        // Forked, without work of its own.
        answers.extend([
            api.cuStreamBeginCapture_v2(first, GLOBAL),
            go(first),
            api.cuEventRecord(forked, first),
            api.cuStreamWaitEvent(second, forked, 0),
            go(first),
        ]);
        answers.extend(end(api, first));
        answers.extend(status(api, second));
        // Forked before there was anything.
        answers.extend([
            api.cuStreamBeginCapture_v2(first, GLOBAL),
            api.cuEventRecord(forked, first),
            api.cuStreamWaitEvent(second, forked, 0),
        ]);
        answers.extend(status(api, second));
        answers.extend(end(api, first));
        answers
    }),
    ("capture/isolation", |api| {
        context(api);
        let (first, second) = (stream(api), stream(api));
        let (before, never) = (event(api), event(api));
        let mut answers = vec![
            api.cuEventRecord(before, second),
            api.cuStreamBeginCapture_v2(first, GLOBAL),
            api.cuStreamWaitEvent(first, before, 0),
        ];
        answers.extend(status(api, first));
        answers.extend(end(api, first));
        answers.push(api.cuStreamBeginCapture_v2(first, GLOBAL));
        answers.push(api.cuStreamWaitEvent(first, never, 0));
        answers.extend(status(api, first));
        answers.extend(end(api, first));
        // An event of a capture that is over.
        let old = event(api);
        answers.extend([api.cuStreamBeginCapture_v2(first, GLOBAL), api.cuEventRecord(old, first)]);
        answers.extend(end(api, first));
        answers.push(api.cuStreamBeginCapture_v2(first, GLOBAL));
        answers.push(api.cuStreamWaitEvent(first, old, 0));
        answers.extend(status(api, first));
        answers.extend(end(api, first));
        answers.push(api.cuEventQuery(old));
        answers.push(api.cuStreamWaitEvent(second, old, 0));
        answers
    }),
    ("capture/external_events", |api| {
        context(api);
        let first = stream(api);
        let event = event(api);
        let mut answers = vec![
            api.cuStreamBeginCapture_v2(first, GLOBAL),
            api.cuStreamWaitEvent(first, event, 1),
            api.cuEventRecordWithFlags(event, first, 1),
        ];
        answers.extend(end(api, first));
        answers.push(api.cuEventQuery(event));
        answers.push(api.cuEventRecordWithFlags(event, first, 1));
        answers.push(api.cuStreamWaitEvent(first, event, 1));
        answers
    }),
    ("capture/merge", |api| {
        context(api);
        let (first, second) = (stream(api), stream(api));
        let event = event(api);
        let mut answers = vec![
            api.cuStreamBeginCapture_v2(first, GLOBAL),
            api.cuStreamBeginCapture_v2(second, GLOBAL),
            api.cuEventRecord(event, first),
            api.cuStreamWaitEvent(second, event, 0),
        ];
        answers.extend(status(api, first));
        answers.extend(status(api, second));
        answers.extend(end(api, first));
        answers.extend(end(api, second));
        answers
    }),
    ("capture/event_query", |api| {
        context(api);
        let (first, event, timed) = (stream(api), event(api), event(api));
        must(api.cuEventRecord(timed, LEGACY));
        must(api.cuCtxSynchronize());
        let mut answers = vec![
            api.cuStreamBeginCapture_v2(first, RELAXED),
            api.cuEventRecord(event, first),
            api.cuEventQuery(event),
        ];
        answers.extend(status(api, first));
        answers.push(api.cuEventSynchronize(event));
        answers.extend(status(api, first));
        answers.push(api.cuEventElapsedTime_v2(&mut 0.0, timed, event));
        answers.extend(status(api, first));
        answers.extend(end(api, first));
        answers.extend([
            api.cuStreamBeginCapture_v2(first, RELAXED),
            api.cuEventRecord(event, first),
            api.cuEventElapsedTime_v2(&mut 0.0, timed, event),
        ]);
        answers.extend(status(api, first));
        answers.push(api.cuEventDestroy_v2(event));
        answers.extend(status(api, first));
        answers.extend(end(api, first));
        answers
    }),
    ("capture/event_on_legacy_waits", |api| {
        context(api);
        let event = event(api);
        let stream = non_blocking(api);
        let mut answers = vec![
            api.cuStreamBeginCapture_v2(stream, RELAXED),
            api.cuEventRecord(event, stream),
            api.cuStreamWaitEvent(LEGACY, event, 0),
        ];
        answers.extend(status(api, stream));
        answers.extend(end(api, stream));
        answers
    }),
];
