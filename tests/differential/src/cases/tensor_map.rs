//! Tensor maps.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use cuda_types::cuda::*;
use differential::api::Api;

use super::Case;
use crate::Answers;
use crate::setup::*;

/// The arguments of both kinds of maps.
#[derive(Clone)]
struct Arguments {
    element: u32,
    rank: u32,
    address: u64,
    dims: [u64; 6],
    strides: [u64; 5],
    /// Of what a tiled copy takes.
    size: [u32; 6],
    steps: [u32; 6],
    lower: [i32; 3],
    upper: [i32; 3],
    channels: u32,
    pixels: u32,
    interleave: u32,
    swizzle: u32,
    promotion: u32,
    fill: u32,
}

/// Of 32-bit words, 64 to a side.
fn base(rank: u32) -> Arguments {
    Arguments {
        element: 2,
        rank,
        address: 0x7f00_0000_0000,
        dims: [64; 6],
        strides: [256, 256 * 64, 256 << 12, 256 << 18, 256 << 24],
        size: [8; 6],
        steps: [1; 6],
        lower: [0; 3],
        upper: [0; 3],
        channels: 8,
        pixels: 32,
        interleave: 0,
        swizzle: 0,
        promotion: 0,
        fill: 0,
    }
}

type Change = fn(&mut Arguments);

fn tiled(api: &Api, a: &Arguments, map: &mut CUtensorMap) -> i64 {
    api.cuTensorMapEncodeTiled(
        map,
        CUtensorMapDataType(a.element as _),
        a.rank,
        a.address as *mut c_void,
        a.dims.as_ptr(),
        a.strides.as_ptr(),
        a.size.as_ptr(),
        a.steps.as_ptr(),
        CUtensorMapInterleave(a.interleave as _),
        CUtensorMapSwizzle(a.swizzle as _),
        CUtensorMapL2promotion(a.promotion as _),
        CUtensorMapFloatOOBfill(a.fill as _),
    )
}

fn im2col(api: &Api, a: &Arguments, map: &mut CUtensorMap) -> i64 {
    api.cuTensorMapEncodeIm2col(
        map,
        CUtensorMapDataType(a.element as _),
        a.rank,
        a.address as *mut c_void,
        a.dims.as_ptr(),
        a.strides.as_ptr(),
        a.lower.as_ptr(),
        a.upper.as_ptr(),
        a.channels,
        a.pixels,
        a.steps.as_ptr(),
        CUtensorMapInterleave(a.interleave as _),
        CUtensorMapSwizzle(a.swizzle as _),
        CUtensorMapL2promotion(a.promotion as _),
        CUtensorMapFloatOOBfill(a.fill as _),
    )
}

type Encode = fn(&Api, &Arguments, &mut CUtensorMap) -> i64;

fn all(api: &Api, encode: Encode, rank: u32, changes: &[Change]) -> Answers {
    context(api);
    let answer = |change: &Change| {
        let mut arguments = base(rank);
        change(&mut arguments);
        encode(api, &arguments, &mut CUtensorMap { opaque: [0; 16] })
    };
    changes.iter().map(answer).collect()
}

const ADDRESSES_AND_DIMS: &[Change] = &[
    |_| (),
    |a| a.address = 0,
    |a| a.address += 8,
    |a| a.address += 16,
    |a| a.address = 1 << 57,
    |a| a.address = !15,
    |a| a.dims[0] = 0,
    |a| a.dims[1] = 0,
    |a| a.dims[0] = 1 << 32,
    |a| a.dims[0] = (1 << 32) + 1,
    |a| a.dims[1] = 1 << 32,
    |a| a.dims[1] = (1 << 32) + 1,
    |a| a.strides[0] = 0,
    |a| a.strides[0] = 16,
    |a| a.strides[0] = 8,
    |a| a.strides[0] = 240,
    |a| a.strides[0] = 1 << 40,
    |a| a.strides[0] = (1 << 40) - 16,
    |a| a.strides[1] = 256,
    |a| a.strides[1] = 128,
    |a| a.steps[0] = 0,
    |a| a.steps[0] = 2,
    |a| a.steps[0] = 8,
    |a| a.steps[0] = 9,
    |a| a.steps[1] = 0,
    |a| a.steps[1] = 8,
    |a| a.steps[1] = 9,
];

const MODES: &[Change] = &[
    |a| a.swizzle = 1,
    |a| a.swizzle = 2,
    |a| a.swizzle = 3,
    |a| a.swizzle = 4,
    |a| a.swizzle = 5,
    |a| a.swizzle = 6,
    |a| a.swizzle = 7,
    |a| a.swizzle = u32::MAX,
    |a| a.promotion = 1,
    |a| a.promotion = 2,
    |a| a.promotion = 3,
    |a| a.promotion = 4,
    |a| a.fill = 1,
    |a| (a.element, a.fill) = (7, 1),
    |a| (a.element, a.fill) = (6, 1),
    |a| (a.element, a.fill) = (9, 1),
    |a| (a.element, a.fill) = (11, 1),
    |a| (a.element, a.fill) = (12, 1),
    |a| (a.element, a.fill) = (7, 2),
    |a| a.interleave = 1,
    |a| a.interleave = 2,
    |a| (a.interleave, a.swizzle) = (2, 1),
    |a| (a.interleave, a.swizzle) = (2, 2),
    |a| (a.interleave, a.swizzle) = (1, 1),
    |a| (a.interleave, a.address) = (2, 0x1_0010),
    |a| (a.interleave, a.strides[0]) = (2, 272),
    |a| a.interleave = 3,
];

/// Each element's own map; those of less than a byte need more of them.
fn elements(api: &Api, encode: Encode, rank: u32) -> Answers {
    context(api);
    let mut answers = Answers::new();
    for element in 0..20 {
        for count in [8, 16, 32, 64, 128, 256] {
            let mut a = base(rank);
            (a.element, a.size[0], a.channels, a.dims[0]) = (element, count, count, 128);
            answers.push(encode(api, &a, &mut CUtensorMap { opaque: [0; 16] }));
        }
    }
    answers
}

pub const CASES: &[Case] = &[
    ("tensor_map/tiled", |api| all(api, tiled, 3, ADDRESSES_AND_DIMS)),
    ("tensor_map/tiled_modes", |api| all(api, tiled, 3, MODES)),
    ("tensor_map/tiled_modes_of_planes", |api| all(api, tiled, 2, MODES)),
    ("tensor_map/tiled_ranks", |api| {
        (0..8).flat_map(|rank| all(api, tiled, rank, &[|a| a.rank = a.rank.min(6)])).collect()
    }),
    ("tensor_map/tiled_boxes", |api| {
        all(
            api,
            tiled,
            3,
            &[
                |a| a.size[0] = 0,
                |a| a.size[0] = 1,
                |a| a.size[0] = 4,
                |a| a.size[0] = 6,
                |a| a.size[0] = 256,
                |a| a.size[0] = 257,
                |a| a.size[0] = 260,
                |a| a.size[1] = 0,
                |a| a.size[1] = 256,
                |a| a.size[1] = 257,
                |a| a.size = [256; 6],
                |a| (a.size[0], a.swizzle) = (4, 1),
                |a| (a.size[0], a.swizzle) = (12, 1),
                |a| (a.size[0], a.swizzle) = (16, 2),
                |a| (a.size[0], a.swizzle) = (20, 2),
                |a| (a.size[0], a.swizzle) = (32, 3),
                |a| (a.size[0], a.swizzle) = (36, 3),
                |a| (a.size[0], a.steps[0]) = (8, 2),
                |a| (a.size[0], a.steps[0]) = (9, 2),
                |a| (a.size[1], a.steps[1]) = (3, 4),
                |a| (a.size[1], a.steps[1]) = (256, 8),
                |a| a.size[0] = 128,
            ],
        )
    }),
    ("tensor_map/tiled_large_boxes", |api| {
        context(api);
        let mut answers = Answers::new();
        for (element, swizzle) in [(2, 0), (0, 0), (3, 0), (2, 3)] {
            for size in [
                [256, 32, 1],
                [256, 64, 1],
                [256, 128, 1],
                [256, 192, 1],
                [256, 224, 1],
                [256, 227, 1],
                [256, 228, 1],
                [256, 232, 1],
                [256, 255, 1],
                [256, 256, 1],
                [256, 256, 2],
                [128, 256, 1],
                [128, 256, 2],
                [64, 256, 4],
                [32, 256, 7],
                [32, 256, 8],
                [16, 256, 16],
                [16, 256, 15],
                [16, 256, 14],
                [16, 256, 13],
                [16, 256, 64],
                [16, 256, 256],
            ] {
                let mut a = base(3);
                a.size[..3].copy_from_slice(&size);
                (a.element, a.swizzle) = (element, swizzle);
                answers.push(tiled(api, &a, &mut CUtensorMap { opaque: [0; 16] }));
            }
        }
        answers
    }),
    ("tensor_map/tiled_elements", |api| elements(api, tiled, 3)),
    ("tensor_map/tiled_null_arrays", |api| {
        context(api);
        let (a, mut map) = (base(2), CUtensorMap { opaque: [0; 16] });
        let encode = |rank, strides: *const u64, steps: *const u32, map: *mut CUtensorMap| {
            api.cuTensorMapEncodeTiled(
                map,
                CUtensorMapDataType(2),
                rank,
                a.address as *mut c_void,
                a.dims.as_ptr(),
                strides,
                a.size.as_ptr(),
                steps,
                CUtensorMapInterleave(0),
                CUtensorMapSwizzle(0),
                CUtensorMapL2promotion(0),
                CUtensorMapFloatOOBfill(0),
            )
        };
        vec![
            encode(1, null(), a.steps.as_ptr(), &mut map),
            encode(2, null(), a.steps.as_ptr(), &mut map),
            encode(2, a.strides.as_ptr(), null(), &mut map),
            encode(2, a.strides.as_ptr(), a.steps.as_ptr(), null_mut()),
        ]
    }),
    ("tensor_map/tiled_null_dims", |api| {
        context(api);
        let (a, mut map) = (base(2), CUtensorMap { opaque: [0; 16] });
        let encode = |dims: *const u64, size: *const u32, map: &mut CUtensorMap| {
            api.cuTensorMapEncodeTiled(
                map,
                CUtensorMapDataType(2),
                2,
                a.address as *mut c_void,
                dims,
                a.strides.as_ptr(),
                size,
                a.steps.as_ptr(),
                CUtensorMapInterleave(0),
                CUtensorMapSwizzle(0),
                CUtensorMapL2promotion(0),
                CUtensorMapFloatOOBfill(0),
            )
        };
        vec![encode(null(), a.size.as_ptr(), &mut map), encode(a.dims.as_ptr(), null(), &mut map)]
    }),
    ("tensor_map/im2col", |api| all(api, im2col, 4, ADDRESSES_AND_DIMS)),
    ("tensor_map/im2col_modes", |api| all(api, im2col, 4, MODES)),
    ("tensor_map/im2col_elements", |api| elements(api, im2col, 4)),
    ("tensor_map/im2col_ranks", |api| {
        (0..8).flat_map(|rank| all(api, im2col, rank, &[|a| a.rank = a.rank.min(6)])).collect()
    }),
    ("tensor_map/im2col_boxes", |api| {
        all(
            api,
            im2col,
            4,
            &[
                |a| a.channels = 0,
                |a| a.channels = 4,
                |a| a.channels = 5,
                |a| a.channels = 256,
                |a| a.channels = 257,
                |a| a.pixels = 0,
                |a| a.pixels = 1,
                |a| a.pixels = 1024,
                |a| a.pixels = 1025,
                |a| a.lower = [-128; 3],
                |a| a.lower = [-129; 3],
                |a| (a.lower, a.upper) = ([127; 3], [127; 3]),
                |a| (a.lower, a.upper) = ([128; 3], [127; 3]),
                |a| a.upper = [127; 3],
                |a| a.upper = [128; 3],
                |a| a.upper = [-63; 3],
                |a| a.upper = [-64; 3],
                |a| a.upper = [-65; 3],
                |a| a.lower = [63; 3],
                |a| a.lower = [64; 3],
                |a| a.lower = [65; 3],
                |a| (a.channels, a.swizzle) = (8, 1),
                |a| (a.channels, a.swizzle) = (12, 1),
                |a| (a.channels, a.swizzle) = (32, 3),
                |a| (a.channels, a.swizzle) = (36, 3),
            ],
        )
    }),
    ("tensor_map/im2col_corners", |api| {
        let line: &[Change] = &[
            |a| a.lower[0] = -32_768,
            |a| a.lower[0] = -32_769,
            |a| a.upper[0] = 32_767,
            |a| a.upper[0] = 32_768,
        ];
        let space: &[Change] = &[
            |a| a.lower = [-16; 3],
            |a| a.lower = [-17; 3],
            |a| a.upper = [15; 3],
            |a| a.upper = [16; 3],
        ];
        [all(api, im2col, 3, line), all(api, im2col, 5, space)].concat()
    }),
    ("tensor_map/replace", |api| {
        context(api);
        let mut map = CUtensorMap { opaque: [0; 16] };
        must(tiled(api, &base(2), &mut map));
        let mut answers = Answers::new();
        for address in [0x1_0000_u64, 0, 0x1_0008, 0x1_0010, 1 << 57, 0x7f00_0000_0000] {
            answers.push(api.cuTensorMapReplaceAddress(&mut map, address as *mut c_void));
        }
        answers
    }),
    ("tensor_map/replace_in_null", |api| {
        context(api);
        vec![api.cuTensorMapReplaceAddress(null_mut(), 0x1_0000 as *mut c_void)]
    }),
    ("tensor_map/replace_in_zeros", |api| {
        context(api);
        let mut map = CUtensorMap { opaque: [0; 16] };
        vec![api.cuTensorMapReplaceAddress(&mut map, 0x1_0000 as *mut c_void)]
    }),
    ("tensor_map/without_context", |api| {
        let mut map = CUtensorMap { opaque: [0; 16] };
        let before = tiled(api, &base(2), &mut map);
        must(api.cuInit(0));
        vec![before, tiled(api, &base(2), &mut map)]
    }),
];
