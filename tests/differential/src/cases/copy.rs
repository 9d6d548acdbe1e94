//! Copies of boxes and lines, between arrays and memory.

use std::ptr::{null, null_mut};

use cuda_types::cuda::*;
use differential::api::Api;

use super::Case;
use crate::Answers;
use crate::setup::*;

const WORD: CUarray_format = CUarray_format::CU_AD_FORMAT_UNSIGNED_INT32;
const HOST: CUmemorytype = CUmemorytype::CU_MEMORYTYPE_HOST;
const DEVICE: CUmemorytype = CUmemorytype::CU_MEMORYTYPE_DEVICE;
const ARRAY: CUmemorytype = CUmemorytype::CU_MEMORYTYPE_ARRAY;
const UNIFIED: CUmemorytype = CUmemorytype::CU_MEMORYTYPE_UNIFIED;

/// Rows of 16 words, 16 rows, 4 slices: from the host to an array.
fn to_array(array: CUarray) -> CUDA_MEMCPY3D {
    // SAFETY: a plain structure.
    let mut copy: CUDA_MEMCPY3D = unsafe { std::mem::zeroed() };
    copy.srcMemoryType = HOST;
    copy.srcHost = WORDS.as_ptr().cast();
    copy.srcPitch = 64;
    copy.srcHeight = 16;
    copy.dstMemoryType = ARRAY;
    copy.dstArray = array;
    (copy.WidthInBytes, copy.Height, copy.Depth) = (64, 16, 4);
    copy
}

/// The same the other way.
fn from_array(array: CUarray, host: &mut [u32]) -> CUDA_MEMCPY3D {
    // SAFETY: a plain structure.
    let mut copy: CUDA_MEMCPY3D = unsafe { std::mem::zeroed() };
    copy.srcMemoryType = ARRAY;
    copy.srcArray = array;
    copy.dstMemoryType = HOST;
    copy.dstHost = host.as_mut_ptr().cast();
    copy.dstPitch = 64;
    copy.dstHeight = 16;
    (copy.WidthInBytes, copy.Height, copy.Depth) = (64, 16, 4);
    copy
}

static WORDS: [u32; 8192] = {
    let mut words = [0; 8192];
    let mut index = 0;
    while index < words.len() {
        words[index] = index as u32;
        index += 1;
    }
    words
};

/// An array of 16 x 16 x 4 words, whose texels are their numbers.
fn cube(api: &Api) -> CUarray {
    context(api);
    let array = array(api, &shape([16, 16, 4], WORD, 1, 0));
    must(api.cuMemcpy3D_v2(&to_array(array)));
    array
}

type Change = fn(&mut CUDA_MEMCPY3D);

fn changed(api: &Api, base: CUDA_MEMCPY3D, changes: &[Change]) -> Answers {
    let answer = |change: &Change| {
        let mut copy = base;
        change(&mut copy);
        api.cuMemcpy3D_v2(&copy)
    };
    changes.iter().map(answer).collect()
}

const SIZES: &[Change] = &[
    |_| (),
    |c| c.WidthInBytes = 0,
    |c| c.Height = 0,
    |c| c.Depth = 0,
    |c| c.WidthInBytes = 62,
    |c| c.WidthInBytes = 60,
    |c| c.WidthInBytes = 68,
    |c| c.Height = 17,
    |c| c.Depth = 5,
    |c| c.WidthInBytes = usize::MAX,
    |c| c.Height = usize::MAX,
    |c| c.Depth = usize::MAX,
];

const TO_ARRAY: &[Change] = &[
    |c| c.srcPitch = 0,
    |c| c.srcPitch = 32,
    |c| c.srcPitch = 63,
    |c| c.srcPitch = 128,
    |c| c.srcHeight = 0,
    |c| c.srcHeight = 8,
    |c| c.srcHeight = 15,
    |c| c.srcHeight = 32,
    |c| c.srcXInBytes = 4,
    |c| (c.srcXInBytes, c.WidthInBytes) = (4, 32),
    |c| (c.srcXInBytes, c.WidthInBytes) = (40, 32),
    |c| (c.srcY, c.Height) = (4, 8),
    |c| (c.srcY, c.Height) = (12, 8),
    |c| (c.srcZ, c.Depth) = (2, 2),
    |c| c.srcLOD = 1,
    |c| c.dstLOD = 1,
    |c| c.dstXInBytes = 4,
    |c| (c.dstXInBytes, c.WidthInBytes) = (4, 60),
    |c| (c.dstXInBytes, c.WidthInBytes) = (2, 60),
    |c| (c.dstXInBytes, c.WidthInBytes) = (64, 4),
    |c| (c.dstXInBytes, c.WidthInBytes) = (64, 0),
    |c| (c.dstXInBytes, c.WidthInBytes) = (68, 0),
    |c| (c.dstY, c.Height) = (15, 1),
    |c| (c.dstY, c.Height) = (15, 2),
    |c| (c.dstY, c.Height) = (16, 1),
    |c| (c.dstZ, c.Depth) = (3, 1),
    |c| (c.dstZ, c.Depth) = (3, 2),
    |c| (c.dstZ, c.Depth) = (4, 1),
    |c| c.dstXInBytes = usize::MAX,
    |c| c.dstY = usize::MAX,
    |c| c.srcMemoryType = CUmemorytype(0),
    |c| c.srcMemoryType = CUmemorytype(5),
    |c| c.dstMemoryType = CUmemorytype(0),
    |c| c.dstMemoryType = CUmemorytype(5),
    |c| c.dstPitch = 1,
    |c| c.dstHeight = 1,
    |c| c.reserved0 = c.dstArray.cast(),
];

const FROM_ARRAY: &[Change] = &[
    |c| c.dstPitch = 0,
    |c| c.dstPitch = 32,
    |c| c.dstPitch = 63,
    |c| c.dstPitch = 128,
    |c| c.dstHeight = 0,
    |c| c.dstHeight = 8,
    |c| c.dstHeight = 32,
    |c| (c.srcXInBytes, c.WidthInBytes) = (4, 60),
    |c| (c.srcXInBytes, c.WidthInBytes) = (4, 64),
    |c| (c.srcXInBytes, c.WidthInBytes) = (2, 60),
    |c| (c.srcY, c.Height) = (15, 1),
    |c| (c.srcY, c.Height) = (15, 2),
    |c| (c.srcZ, c.Depth) = (3, 1),
    |c| (c.srcZ, c.Depth) = (3, 2),
    |c| c.srcLOD = 1,
    |c| (c.dstXInBytes, c.WidthInBytes) = (4, 32),
    |c| c.dstXInBytes = 4,
];

/// Some of the 1,024 words after a copy.
fn sample(host: &[u32]) -> impl Iterator<Item = i64> + '_ {
    [0, 1, 15, 16, 17, 33, 255, 256, 273, 1023].into_iter().map(|index: usize| host[index].into())
}

pub const CASES: &[Case] = &[
    ("copy/sizes", |api| {
        let array = cube(api);
        changed(api, to_array(array), SIZES)
    }),
    ("copy/to_array", |api| {
        let array = cube(api);
        changed(api, to_array(array), TO_ARRAY)
    }),
    ("copy/from_array", |api| {
        let array = cube(api);
        changed(api, from_array(array, &mut { WORDS }), FROM_ARRAY)
    }),
    ("copy/one_slice", |api| {
        let array = cube(api);
        let mut base = to_array(array);
        base.Depth = 1;
        changed(
            api,
            base,
            &[
                |_| (),
                |c| c.srcHeight = 0,
                |c| c.srcHeight = 1,
                |c| c.srcHeight = 15,
                |c| (c.srcHeight, c.srcZ) = (15, 1),
                |c| (c.srcHeight, c.srcY, c.Height) = (16, 4, 13),
                |c| (c.srcPitch, c.Height) = (60, 1),
                |c| (c.srcPitch, c.srcXInBytes, c.WidthInBytes) = (0, 4, 60),
                |c| (c.srcPitch, c.WidthInBytes) = (60, 0),
                |c| (c.srcPitch, c.Height) = (60, 0),
                |c| (c.srcHeight, c.Depth) = (8, 0),
                |c| (c.srcMemoryType, c.WidthInBytes) = (CUmemorytype(0), 0),
                |c| (c.dstArray, c.WidthInBytes) = (null_mut(), 0),
            ],
        )
    }),
    ("copy/of_null", |api| {
        context(api);
        vec![
            api.cuMemcpy2D_v2(null()),
            api.cuMemcpy2DUnaligned_v2(null()),
            api.cuMemcpy2DAsync_v2(null(), null_mut()),
            api.cuMemcpy3D_v2(null()),
            api.cuMemcpy3DAsync_v2(null(), null_mut()),
        ]
    }),
    ("copy/to_null_array", |api| {
        context(api);
        vec![api.cuMemcpy3D_v2(&to_array(null_mut()))]
    }),
    ("copy/to_foreign_array", |api| {
        context(api);
        vec![api.cuMemcpy3D_v2(&to_array(foreign()))]
    }),
    ("copy/to_destroyed_array", |api| {
        let array = cube(api);
        vec![api.cuArrayDestroy(array), api.cuMemcpy3D_v2(&to_array(array))]
    }),
    ("copy/from_null_host", |api| {
        let array = cube(api);
        let mut copy = to_array(array);
        copy.srcHost = null();
        let mut answers = vec![api.cuMemcpy3D_v2(&copy)];
        (copy.srcMemoryType, copy.srcDevice) = (DEVICE, 0);
        answers.push(api.cuMemcpy3D_v2(&copy));
        copy.srcMemoryType = UNIFIED;
        answers.push(api.cuMemcpy3D_v2(&copy));
        answers
    }),
    ("copy/with_device", |api| {
        let array = cube(api);
        let memory = allocate(api, 4096);
        let mut copy = to_array(array);
        (copy.srcMemoryType, copy.srcDevice) = (DEVICE, memory);
        let mut answers = changed(
            api,
            copy,
            &[
                |_| (),
                |c| c.srcPitch = 128,
                |c| c.srcDevice += 4,
                |c| c.srcDevice += 2048,
                |c| (c.srcDevice, c.Depth) = (c.srcDevice + 2048, 2),
                |c| c.srcMemoryType = UNIFIED,
                |c| c.srcDevice = 0x1234,
            ],
        );
        (copy.srcMemoryType, copy.srcDevice) = (HOST, 0);
        answers.push(api.cuMemcpy3DAsync_v2(&copy, null_mut()));
        answers.push(api.cuMemcpy3DAsync_v2(&copy, foreign()));
        answers
    }),
    ("copy/box_in_the_middle", |api| {
        let array = cube(api);
        let mut host = vec![7_u32; 8192];
        let mut copy = from_array(array, &mut host);
        (copy.srcXInBytes, copy.srcY, copy.srcZ) = (8, 3, 1);
        (copy.dstXInBytes, copy.dstY, copy.dstZ) = (4, 1, 0);
        (copy.WidthInBytes, copy.Height, copy.Depth) = (56, 12, 2);
        let mut answers = vec![api.cuMemcpy3D_v2(&copy)];
        answers.extend(sample(&host));
        answers
    }),
    ("copy/between_arrays", |api| {
        let from = cube(api);
        let to = array(api, &shape([16, 16, 4], WORD, 1, 0));
        let pairs = array(api, &shape([8, 16, 4], WORD, 2, 0));
        let mut host = vec![7_u32; 8192];
        let mut copy = from_array(from, &mut host);
        copy.dstMemoryType = ARRAY;
        copy.dstArray = to;
        let mut answers = vec![api.cuMemcpy3D_v2(&copy)];
        copy.dstArray = pairs;
        answers.push(api.cuMemcpy3D_v2(&copy));
        copy.WidthInBytes = 60;
        answers.push(api.cuMemcpy3D_v2(&copy));
        copy.dstArray = from;
        (copy.dstZ, copy.Depth) = (2, 2);
        answers.push(api.cuMemcpy3D_v2(&copy));
        answers.push(api.cuMemcpy3D_v2(&from_array(to, &mut host)));
        answers.extend(sample(&host));
        answers.push(api.cuMemcpy3D_v2(&from_array(from, &mut host)));
        answers.extend(sample(&host));
        answers
    }),
    ("copy/planes", |api| {
        context(api);
        let array = array(api, &shape([16, 16, 0], WORD, 1, 0));
        // SAFETY: a plain structure.
        let mut base: CUDA_MEMCPY2D = unsafe { std::mem::zeroed() };
        base.srcMemoryType = HOST;
        base.srcHost = WORDS.as_ptr().cast();
        base.srcPitch = 64;
        base.dstMemoryType = ARRAY;
        base.dstArray = array;
        (base.WidthInBytes, base.Height) = (64, 16);
        let changes: &[fn(&mut CUDA_MEMCPY2D)] = &[
            |_| (),
            |c| c.srcPitch = 0,
            |c| c.srcPitch = 60,
            |c| (c.srcPitch, c.Height) = (60, 1),
            |c| (c.srcPitch, c.Height) = (0, 1),
            |c| c.Height = 17,
            |c| c.WidthInBytes = 65,
            |c| c.WidthInBytes = 0,
            |c| c.Height = 0,
            |c| (c.dstXInBytes, c.WidthInBytes) = (4, 64),
            |c| (c.dstXInBytes, c.WidthInBytes) = (4, 60),
            |c| (c.dstXInBytes, c.WidthInBytes) = (1, 4),
            |c| (c.dstY, c.Height) = (1, 16),
            |c| (c.srcXInBytes, c.WidthInBytes) = (4, 64),
            |c| c.srcMemoryType = CUmemorytype(0),
            |c| c.dstArray = null_mut(),
            |c| (c.dstMemoryType, c.dstDevice) = (DEVICE, 0),
        ];
        changes
            .iter()
            .flat_map(|change| {
                let mut copy = base;
                change(&mut copy);
                [api.cuMemcpy2D_v2(&copy), api.cuMemcpy2DUnaligned_v2(&copy)]
            })
            .collect()
    }),
    ("copy/of_blocks", |api| {
        context(api);
        let bc = CUarray_format::CU_AD_FORMAT_BC1_UNORM;
        let array = array(api, &shape([32, 16, 0], bc, 4, 0));
        let mut base = to_array(array);
        (base.WidthInBytes, base.Height, base.Depth) = (64, 4, 1);
        changed(
            api,
            base,
            &[
                |_| (),
                |c| c.Height = 5,
                |c| c.Height = 16,
                |c| c.WidthInBytes = 60,
                |c| c.WidthInBytes = 72,
                |c| (c.dstXInBytes, c.WidthInBytes) = (8, 56),
                |c| (c.dstXInBytes, c.WidthInBytes) = (4, 56),
                |c| (c.dstY, c.Height) = (1, 3),
                |c| (c.dstY, c.Height) = (4, 1),
            ],
        )
    }),
    ("copy/lines", |api| {
        context(api);
        let (line, other) = (
            array(api, &shape([64, 0, 0], WORD, 1, 0)),
            array(api, &shape([64, 0, 0], WORD, 1, 0)),
        );
        let memory = allocate(api, 4096);
        let mut to = vec![0_u32; 64];
        let host = WORDS.as_ptr().cast();
        vec![
            api.cuMemcpyHtoA_v2(line, 0, host, 256),
            api.cuMemcpyHtoA_v2(line, 4, host, 252),
            api.cuMemcpyHtoA_v2(line, 4, host, 256),
            api.cuMemcpyHtoA_v2(line, 2, host, 4),
            api.cuMemcpyHtoA_v2(line, 0, host, 6),
            api.cuMemcpyHtoA_v2(line, 0, host, 0),
            api.cuMemcpyHtoA_v2(line, 256, host, 0),
            api.cuMemcpyHtoA_v2(line, 260, host, 0),
            api.cuMemcpyHtoA_v2(line, 0, null(), 4),
            api.cuMemcpyHtoAAsync_v2(line, 0, host, 256, null_mut()),
            api.cuMemcpyAtoH_v2(to.as_mut_ptr().cast(), line, 8, 16),
            to[0].into(),
            api.cuMemcpyAtoH_v2(to.as_mut_ptr().cast(), line, 8, 256),
            api.cuMemcpyAtoH_v2(null_mut(), line, 0, 16),
            api.cuMemcpyAtoHAsync_v2(to.as_mut_ptr().cast(), line, 0, 16, null_mut()),
            api.cuMemcpyAtoD_v2(memory, line, 0, 256),
            api.cuMemcpyAtoD_v2(memory, line, 0, 512),
            api.cuMemcpyAtoD_v2(0, line, 0, 256),
            api.cuMemcpyDtoA_v2(line, 0, memory, 256),
            api.cuMemcpyDtoA_v2(line, 128, memory, 256),
            api.cuMemcpyDtoA_v2(line, 0, memory + 4000, 256),
            api.cuMemcpyAtoA_v2(other, 0, line, 0, 256),
            api.cuMemcpyAtoA_v2(other, 4, line, 0, 256),
            api.cuMemcpyAtoA_v2(other, 4, line, 8, 128),
            api.cuMemcpyAtoA_v2(line, 0, line, 128, 128),
        ]
    }),
    ("copy/lines_of_planes", |api| {
        context(api);
        let plane = array(api, &shape([16, 4, 0], WORD, 1, 0));
        let mut host = WORDS;
        let memory = allocate(api, 4096);
        let mut answers = vec![
            api.cuMemcpyHtoA_v2(plane, 0, host.as_ptr().cast(), 64),
            api.cuMemcpyHtoA_v2(plane, 0, host.as_ptr().cast(), 256),
            api.cuMemcpyHtoA_v2(plane, 64, host.as_ptr().cast(), 64),
            api.cuMemcpyHtoA_v2(plane, 32, host.as_ptr().cast(), 64),
            api.cuMemcpyHtoA_v2(plane, 192, host.as_ptr().cast(), 128),
            api.cuMemcpyAtoH_v2(host.as_mut_ptr().cast(), plane, 0, 256),
        ];
        answers.extend([0, 15, 16, 31, 63].map(|index: usize| i64::from(host[index])));
        answers.extend([
            api.cuMemcpyAtoD_v2(memory, plane, 0, 256),
            api.cuMemcpyDtoA_v2(plane, 0, memory, 256),
            api.cuMemcpyAtoA_v2(plane, 0, plane, 128, 128),
        ]);
        answers
    }),
    ("copy/lines_of_null", |api| {
        context(api);
        let mut host = WORDS;
        vec![
            api.cuMemcpyHtoA_v2(null_mut(), 0, host.as_ptr().cast(), 64),
            api.cuMemcpyAtoH_v2(host.as_mut_ptr().cast(), null_mut(), 0, 64),
        ]
    }),
    ("copy/of_layers", |api| {
        context(api);
        let layers = array(api, &shape([16, 0, 4], WORD, 1, CUDA_ARRAY3D_LAYERED));
        let mut host = WORDS;
        let mut copy = to_array(layers);
        copy.Height = 1;
        copy.srcHeight = 1;
        let mut answers = vec![api.cuMemcpy3D_v2(&copy)];
        copy.Height = 4;
        copy.Depth = 1;
        answers.push(api.cuMemcpy3D_v2(&copy));
        let mut back = from_array(layers, &mut host);
        (back.Height, back.dstHeight, back.srcZ, back.Depth) = (1, 1, 2, 2);
        answers.push(api.cuMemcpy3D_v2(&back));
        answers.push(host[0].into());
        back.Depth = 3;
        answers.push(api.cuMemcpy3D_v2(&back));
        answers
    }),
];
