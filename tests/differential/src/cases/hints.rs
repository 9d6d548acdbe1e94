//! Hints about managed memory, single and in batches, and what is told of them.

use std::ffi::c_void;
use std::ptr::null_mut;

use cuda_types::cuda::*;

use super::Case;
use crate::Answers;
use crate::setup::*;
use differential::api::Api;

const PAGE: usize = 4096;
/// Whole pages of any GPU.
const SIZE: usize = 8 << 20;

fn managed(api: &Api) -> CUdeviceptr {
    let mut pointer = 0;
    must(api.cuMemAllocManaged(&mut pointer, SIZE, 1));
    pointer
}

fn place(kind: u32, id: i32) -> CUmemLocation {
    CUmemLocation { type_: CUmemLocationType(kind), id }
}

fn advise(api: &Api, at: CUdeviceptr, size: usize, advice: u32, place: CUmemLocation) -> i64 {
    api.cuMemAdvise_v2(at, size, CUmem_advise(advice), place)
}

/// The result and the words of an attribute.
fn ask(api: &Api, attribute: u32, at: CUdeviceptr, size: usize, words: usize) -> Answers {
    let mut room = vec![77_i32; words];
    let to: *mut c_void = room.as_mut_ptr().cast();
    let code =
        api.cuMemRangeGetAttribute(to, 4 * words, CUmem_range_attribute(attribute), at, size);
    std::iter::once(code).chain(room.into_iter().map(i64::from)).collect()
}

pub const CASES: &[Case] = &[
    ("hints/nothing_said", |api| {
        context(api);
        let memory = managed(api);
        let mut answers = Answers::new();
        for attribute in 0..=9 {
            answers.extend(ask(api, attribute, memory, SIZE, 1));
        }
        answers.extend(ask(api, 3, memory, SIZE, 3));
        answers.extend(ask(api, 1, memory, SIZE, 2));
        answers.extend(ask(api, 1, memory, 0, 1));
        answers.extend(ask(api, 1, memory, SIZE + 1, 1));
        answers.extend(ask(api, 1, allocate(api, 64), 64, 1));
        answers
    }),
    ("hints/advice", |api| {
        context(api);
        let memory = managed(api);
        let half = SIZE / 2;
        let mut answers = vec![
            advise(api, memory, half, 1, place(0, 0)),
            advise(api, memory, half, 3, place(1, 0)),
            advise(api, memory, half, 5, place(2, 0)),
            advise(api, memory, half, 5, place(1, 0)),
            advise(api, memory, half, 7, place(1, 0)),
            advise(api, memory, half, 0, place(1, 0)),
            advise(api, memory, half, 3, place(1, 99)),
            advise(api, memory, half, 3, place(0, 0)),
            advise(api, memory, 0, 1, place(1, 0)),
            advise(api, memory, SIZE + 1, 1, place(1, 0)),
        ];
        for size in [half, SIZE] {
            for (attribute, words) in [(1, 1), (2, 1), (3, 3), (5, 1), (6, 1)] {
                answers.extend(ask(api, attribute, memory, size, words));
            }
        }
        answers.push(advise(api, memory, half, 2, place(0, 0)));
        answers.push(advise(api, memory, half, 4, place(0, 0)));
        answers.push(advise(api, memory, half, 6, place(1, 0)));
        for (attribute, words) in [(1, 1), (2, 1), (3, 3), (5, 1)] {
            answers.extend(ask(api, attribute, memory, half, words));
        }
        answers
    }),
    ("hints/prefetch", |api| {
        context(api);
        let (memory, stream) = (managed(api), stream(api));
        let mut answers = vec![
            api.cuMemPrefetchAsync(memory, SIZE, -1, stream),
            api.cuMemPrefetchAsync_v2(memory, SIZE / 2, place(1, 0), 0, stream),
            api.cuMemPrefetchAsync_v2(memory, SIZE, place(1, 0), 1, stream),
            api.cuMemPrefetchAsync_v2(memory, SIZE, place(1, 99), 0, stream),
            api.cuMemPrefetchAsync_v2(memory, SIZE, place(0, 0), 0, stream),
        ];
        for size in [SIZE / 2, SIZE] {
            for attribute in [4, 7, 8] {
                answers.extend(ask(api, attribute, memory, size, 1));
            }
        }
        answers
    }),
    ("hints/batches", |api| {
        context(api);
        let (memory, stream) = (managed(api), stream(api));
        let other = memory + (SIZE / 2) as u64;
        let mut answers = Answers::new();
        for (count, sizes, firsts, flags, stream) in [
            (2, [PAGE, PAGE], [0, 1], 0, stream),
            (0, [PAGE, PAGE], [0, 1], 0, stream),
            (2, [PAGE, 0], [0, 1], 0, stream),
            (2, [PAGE, SIZE], [0, 1], 0, stream),
            (2, [PAGE, PAGE], [1, 0], 0, stream),
            (2, [PAGE, PAGE], [0, 0], 0, stream),
            (2, [PAGE, PAGE], [0, 2], 0, stream),
            (1, [PAGE, PAGE], [0, 1], 0, stream),
            (2, [PAGE, PAGE], [0, 1], 1, stream),
            (2, [PAGE, PAGE], [0, 1], 0, null_mut()),
        ] {
            let (mut pointers, mut sizes, mut firsts) = ([memory, other], sizes, firsts);
            let mut places = [place(1, 0), place(2, 0)];
            let (p, s) = (pointers.as_mut_ptr(), sizes.as_mut_ptr());
            let (l, f) = (places.as_mut_ptr(), firsts.as_mut_ptr());
            answers.extend([
                api.cuMemPrefetchBatchAsync(p, s, count, l, f, 2, flags, stream),
                api.cuMemDiscardBatchAsync(p, s, count, flags, stream),
                api.cuMemDiscardAndPrefetchBatchAsync(p, s, count, l, f, 2, flags, stream),
            ]);
        }
        answers.extend(ask(api, 4, memory, PAGE, 1));
        answers.extend(ask(api, 4, other, PAGE, 1));
        answers
    }),
    ("hints/several_attributes", |api| {
        context(api);
        let memory = managed(api);
        let mut words = [77_i32; 4];
        let base = words.as_mut_ptr();
        // SAFETY: within the array.
        let mut places: [*mut c_void; 2] = [base.cast(), unsafe { base.add(2) }.cast()];
        let mut attributes = [CUmem_range_attribute(1), CUmem_range_attribute(3)];
        let mut answers = Answers::new();
        for (count, sizes) in [(2, [4, 8]), (1, [4, 0]), (0, [4, 8]), (2, [4, 6]), (2, [8, 8])] {
            let mut sizes: [usize; 2] = sizes;
            answers.push(api.cuMemRangeGetAttributes(
                places.as_mut_ptr(),
                sizes.as_mut_ptr(),
                attributes.as_mut_ptr(),
                count,
                memory,
                SIZE,
            ));
        }
        answers.extend(words.map(i64::from));
        answers
    }),
];
