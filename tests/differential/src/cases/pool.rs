//! Memory pools: what they hold, in bytes, as allocations come and go.

use std::ffi::c_void;
use std::ptr::null_mut;

use cuda_types::cuda::*;

use super::Case;
use crate::Answers;
use crate::setup::*;
use differential::api::Api;

const MIB: usize = 1 << 20;

fn attribute(api: &Api, pool: CUmemoryPool, number: u32) -> i64 {
    let mut value = 0_u64;
    let answer =
        api.cuMemPoolGetAttribute(pool, CUmemPool_attribute(number), (&raw mut value).cast());
    if answer == 0 { value as i64 } else { -answer }
}

fn set(api: &Api, pool: CUmemoryPool, number: u32, mut value: u64) -> i64 {
    api.cuMemPoolSetAttribute(pool, CUmemPool_attribute(number), (&raw mut value).cast())
}

/// Reserved and used bytes, each now and at most.
fn sizes(api: &Api, pool: CUmemoryPool) -> Answers {
    (5..9).map(|number| attribute(api, pool, number)).collect()
}

fn take(api: &Api, pool: CUmemoryPool, bytes: usize, stream: CUstream) -> CUdeviceptr {
    let mut pointer = 0;
    must(api.cuMemAllocFromPoolAsync(&mut pointer, bytes, pool, stream));
    pointer
}

pub const CASES: &[Case] = &[
    ("pool/sizes", |api| {
        context(api);
        let (pool, stream) = (memory_pool(api), stream(api));
        let mut answers = sizes(api, pool);
        let a = take(api, pool, 100, stream);
        answers.extend(sizes(api, pool));
        let b = take(api, pool, 3 * MIB, stream);
        answers.extend(sizes(api, pool));
        let c = take(api, pool, 40 * MIB, stream);
        answers.extend(sizes(api, pool));
        let d = take(api, pool, 513, stream);
        answers.extend(sizes(api, pool));
        for pointer in [b, c] {
            answers.push(api.cuMemFreeAsync(pointer, stream));
            answers.extend(sizes(api, pool));
        }
        answers.push(api.cuStreamSynchronize(stream));
        answers.extend(sizes(api, pool));
        for pointer in [a, d] {
            answers.push(api.cuMemFreeAsync(pointer, stream));
        }
        answers.push(api.cuStreamSynchronize(stream));
        answers.extend(sizes(api, pool));
        answers
    }),
    ("pool/threshold", |api| {
        context(api);
        let (pool, stream) = (memory_pool(api), stream(api));
        let mut answers = vec![set(api, pool, 4, u64::MAX)];
        let pointers = [MIB, 10 * MIB, 33 * MIB, 100 * MIB].map(|n| take(api, pool, n, stream));
        answers.extend(sizes(api, pool));
        for pointer in pointers {
            answers.push(api.cuMemFreeAsync(pointer, stream));
        }
        answers.push(api.cuStreamSynchronize(stream));
        answers.extend(sizes(api, pool));
        for keep in [100 * MIB, 33 * MIB, 1, 0] {
            answers.push(api.cuMemPoolTrimTo(pool, keep));
            answers.extend(sizes(api, pool));
        }
        let again = take(api, pool, 5 * MIB, stream);
        answers.extend(sizes(api, pool));
        answers.extend([set(api, pool, 4, 0), api.cuMemFreeAsync(again, stream)]);
        answers.extend(sizes(api, pool));
        answers.push(api.cuStreamSynchronize(stream));
        answers.extend(sizes(api, pool));
        answers
    }),
    ("pool/released_when", |api| {
        context(api);
        let (pool, stream, other, event) = (memory_pool(api), stream(api), stream(api), event(api));
        let mut answers = Vec::new();
        // What gives memory back: synchronising which of the objects.
        let waits: [&dyn Fn() -> i64; 6] = [
            &|| api.cuStreamSynchronize(stream),
            &|| api.cuStreamSynchronize(other),
            &|| api.cuCtxSynchronize(),
            &|| api.cuStreamQuery(stream),
            &|| {
                must(api.cuEventRecord(event, stream));
                api.cuEventSynchronize(event)
            },
            &|| {
                must(api.cuStreamSynchronize(null_mut()));
                let pointer = allocate(api, 16);
                let mut word = 0_u32;
                let answer = api.cuMemcpyDtoH_v2((&raw mut word).cast(), pointer, 4);
                must(api.cuMemFree_v2(pointer));
                answer
            },
        ];
        for wait in waits {
            let pointer = take(api, pool, 50 * MIB, stream);
            must(api.cuMemFreeAsync(pointer, stream));
            must(api.cuStreamQuery(stream).min(0));
            answers.push(wait());
            answers.extend(sizes(api, pool));
            must(api.cuCtxSynchronize());
        }
        answers
    }),
    ("pool/free", |api| {
        context(api);
        let (pool, stream) = (memory_pool(api), stream(api));
        let mut answers = vec![set(api, pool, 4, u64::MAX)];
        let pointer = take(api, pool, 50 * MIB, stream);
        answers.push(api.cuMemFree_v2(pointer));
        answers.extend(sizes(api, pool));
        answers.push(api.cuMemPoolTrimTo(pool, 0));
        answers.extend(sizes(api, pool));
        answers
    }),
    ("pool/reuse", |api| {
        context(api);
        let (pool, stream) = (memory_pool(api), stream(api));
        must(set(api, pool, 4, u64::MAX));
        let a = take(api, pool, 4 * MIB, stream);
        must(api.cuMemFreeAsync(a, stream));
        let b = take(api, pool, 4 * MIB, stream);
        let mut answers = sizes(api, pool);
        must(api.cuMemFreeAsync(b, stream));
        let c = take(api, pool, MIB, stream);
        answers.extend(sizes(api, pool));
        let d = take(api, pool, MIB, stream);
        answers.extend(sizes(api, pool));
        must(api.cuMemFreeAsync(c, stream));
        must(api.cuMemFreeAsync(d, stream));
        answers
    }),
    ("pool/high_marks", |api| {
        context(api);
        let (pool, stream) = (memory_pool(api), stream(api));
        let pointer = take(api, pool, 50 * MIB, stream);
        let small = take(api, pool, MIB, stream);
        must(api.cuMemFreeAsync(pointer, stream));
        must(api.cuStreamSynchronize(stream));
        let mut answers = Vec::new();
        for number in 1..9 {
            for value in [5, 0] {
                answers.push(set(api, pool, number, value));
                answers.extend(sizes(api, pool));
            }
        }
        must(api.cuMemFreeAsync(small, stream));
        answers
    }),
    ("pool/attributes", |api| {
        context(api);
        let pool = memory_pool(api);
        let mut value = 0_u64;
        let pointer: *mut c_void = (&raw mut value).cast();
        let mut answers: Answers =
            (1..5).map(|number| attribute(api, pool, number) & 0xffff).collect();
        answers.extend([
            api.cuMemPoolGetAttribute(pool, CUmemPool_attribute(0), pointer),
            api.cuMemPoolGetAttribute(pool, CUmemPool_attribute(99), pointer),
            api.cuMemPoolGetAttribute(pool, CUmemPool_attribute(7), null_mut()),
            api.cuMemPoolGetAttribute(null_mut(), CUmemPool_attribute(7), pointer),
            api.cuMemPoolTrimTo(null_mut(), 0),
            api.cuMemPoolTrimTo(pool, usize::MAX),
        ]);
        answers
    }),
    ("pool/of_the_device", |api| {
        context(api);
        let stream = stream(api);
        let (mut pool, mut current, mut pointer) = (null_mut(), null_mut(), 0);
        must(api.cuDeviceGetDefaultMemPool(&mut pool, 0));
        must(api.cuDeviceGetMemPool(&mut current, 0));
        let mut answers = vec![(pool == current) as i64];
        answers.extend(sizes(api, pool));
        answers.push(api.cuMemAllocAsync(&mut pointer, 1000, stream));
        answers.extend(sizes(api, pool));
        answers.push(api.cuMemFreeAsync(pointer, stream));
        answers.extend(sizes(api, pool));
        answers.push(api.cuStreamSynchronize(stream));
        answers.extend(sizes(api, pool));
        answers
    }),
];
