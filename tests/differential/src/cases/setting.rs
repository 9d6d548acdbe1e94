//! Limits of contexts, flags of memory, events and streams: each value by itself.

use std::ptr::null_mut;

use cuda_types::cuda::*;

use super::NamedCase;
use crate::Sheet;
use crate::setup::*;
use differential::api::Api;

/// Sets a limit to each of some values.
fn limit(api: &Api, sheet: &mut Sheet, number: u32, told: bool, values: &[usize]) {
    context(api);
    let (limit, mut value) = (CUlimit(number), 0);
    sheet.put("get", api.cuCtxGetLimit(&mut value, limit));
    for wanted in values {
        sheet.put(&format!("set_{wanted}"), api.cuCtxSetLimit(limit, *wanted));
        sheet.put(&format!("get_{wanted}"), api.cuCtxGetLimit(&mut value, limit));
        if told {
            sheet.put(&format!("is_{wanted}"), value as i64);
        }
    }
}

pub const CASES: &[NamedCase] = &[
    ("limit/stack", |api, sheet| limit(api, sheet, 0, true, &[0, 16, 2048, 4096, 4100])),
    ("limit/printf", |api, sheet| limit(api, sheet, 1, false, &[0, 1 << 20, 4 << 20])),
    ("limit/heap", |api, sheet| limit(api, sheet, 2, false, &[0, 16 << 20, 64 << 20])),
    ("limit/depth", |api, sheet| limit(api, sheet, 3, false, &[0, 4, 25])),
    ("limit/pending", |api, sheet| limit(api, sheet, 4, false, &[0, 4096])),
    ("limit/granularity", |api, sheet| limit(api, sheet, 5, true, &[0, 32, 64, 128, 256])),
    ("limit/persisting", |api, sheet| limit(api, sheet, 6, false, &[0, 4096])),
    ("limit/shared", |api, sheet| limit(api, sheet, 7, false, &[0, 4096])),
    ("limit/unknown", |api, sheet| limit(api, sheet, 9, false, &[0, 4096])),
    ("limit/after_launch", |api, sheet| {
        let module = module(api);
        must(launch(api, kernel(api, module, c"nothing"), 1, &mut []));
        must(api.cuCtxSynchronize());
        for number in 0..7 {
            let mut value = 0;
            let limit = CUlimit(number);
            sheet.put(&format!("get_{number}"), api.cuCtxGetLimit(&mut value, limit));
            sheet.put(&format!("set_{number}"), api.cuCtxSetLimit(limit, value));
        }
    }),
    ("host_flags/alloc", |api, sheet| {
        context(api);
        for flags in [0, 1, 2, 3, 4, 5, 6, 7, 8, 16] {
            let (mut host, mut told, mut pointer) = (null_mut(), 99, 0);
            let result = api.cuMemHostAlloc(&mut host, 4096, flags);
            sheet.put(&format!("alloc_{flags}"), result);
            if result == 0 {
                sheet.put(&format!("get_{flags}"), api.cuMemHostGetFlags(&mut told, host));
                sheet.put(&format!("is_{flags}"), told);
                sheet.put(
                    &format!("device_{flags}"),
                    api.cuMemHostGetDevicePointer_v2(&mut pointer, host, 0),
                );
                sheet.put(&format!("same_{flags}"), i64::from(pointer == host as u64));
            }
        }
    }),
    ("host_flags/register", |api, sheet| {
        context(api);
        for flags in [0, 1, 2, 3, 4, 8, 16, 32] {
            let mut bytes = vec![0_u8; 1 << 16];
            let host = bytes.as_mut_ptr().cast();
            let (mut told, mut pointer) = (99, 0);
            let result = api.cuMemHostRegister_v2(host, 1 << 16, flags);
            sheet.put(&format!("register_{flags}"), result);
            if result == 0 {
                sheet.put(&format!("get_{flags}"), api.cuMemHostGetFlags(&mut told, host));
                sheet.put(&format!("is_{flags}"), told);
                sheet.put(
                    &format!("device_{flags}"),
                    api.cuMemHostGetDevicePointer_v2(&mut pointer, host, 0),
                );
                must(api.cuMemHostUnregister(host));
            }
        }
    }),
    ("host_flags/register_twice", |api, sheet| {
        context(api);
        let mut bytes = vec![0_u8; 1 << 16];
        let host: *mut std::ffi::c_void = bytes.as_mut_ptr().cast();
        sheet.put("first", api.cuMemHostRegister_v2(host, 1 << 16, 0));
        sheet.put("again", api.cuMemHostRegister_v2(host, 1 << 16, 0));
        sheet.put("part", api.cuMemHostRegister_v2(host, 4096, 0));
        sheet.put("none", api.cuMemHostRegister_v2(host, 0, 0));
        sheet.put("unregister_inside", api.cuMemHostUnregister(host.wrapping_byte_add(4096)));
        sheet.put("unregister", api.cuMemHostUnregister(host));
        sheet.put("unregister_again", api.cuMemHostUnregister(host));
    }),
    ("event_flags/create", |api, sheet| {
        context(api);
        for flags in 0..10 {
            let mut event = null_mut();
            sheet.put(&flags.to_string(), api.cuEventCreate(&mut event, flags));
        }
    }),
    ("event_flags/elapsed", |api, sheet| {
        context(api);
        let (mut plain, mut blocking, mut untimed) = (null_mut(), null_mut(), null_mut());
        for (event, flags) in [(&mut plain, 0), (&mut blocking, 1), (&mut untimed, 2)] {
            must(api.cuEventCreate(event, flags));
        }
        let mut time = -1.0;
        sheet.put("unrecorded", api.cuEventElapsedTime(&mut time, plain, blocking));
        for event in [plain, blocking, untimed] {
            must(api.cuEventRecord(event, null_mut()));
        }
        must(api.cuCtxSynchronize());
        sheet.put("timed", api.cuEventElapsedTime(&mut time, plain, blocking));
        sheet.put("untimed", api.cuEventElapsedTime(&mut time, plain, untimed));
        sheet.put("null", api.cuEventElapsedTime(&mut time, plain, null_mut()));
    }),
    ("event_flags/record", |api, sheet| {
        context(api);
        let (event, stream) = (event(api), stream(api));
        for flags in [0, 1, 2, 3] {
            sheet.put(&format!("record_{flags}"), api.cuEventRecordWithFlags(event, stream, flags));
            sheet.put(&format!("wait_{flags}"), api.cuStreamWaitEvent(stream, event, flags));
        }
    }),
    ("stream_flags/create", |api, sheet| {
        context(api);
        for flags in 0..5 {
            let (mut stream, mut told) = (null_mut(), 99);
            let result = api.cuStreamCreate(&mut stream, flags);
            sheet.put(&flags.to_string(), result);
            if result == 0 {
                must(api.cuStreamGetFlags(stream, &mut told));
                sheet.put(&format!("is_{flags}"), told);
            }
        }
    }),
    ("managed_flags/alloc", |api, sheet| {
        context(api);
        for flags in 0..6 {
            let mut memory = 0;
            sheet.put(&flags.to_string(), api.cuMemAllocManaged(&mut memory, 4096, flags));
        }
        let mut memory = 0;
        sheet.put("none", api.cuMemAllocManaged(&mut memory, 0, 1));
        sheet.put("into_null", api.cuMemAllocManaged(null_mut(), 4096, 1));
    }),
];
