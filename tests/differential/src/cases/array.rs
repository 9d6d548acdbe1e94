//! Arrays and mipmapped arrays.

use std::ptr::{null, null_mut};

use cuda_types::cuda::*;
use differential::api::Api;

use super::Case;
use crate::Answers;
use crate::setup::*;

/// Makes arrays of these sizes, formats, channels and flags, and destroys them again.
fn create_all(api: &Api, shapes: impl IntoIterator<Item = CUDA_ARRAY3D_DESCRIPTOR>) -> Answers {
    context(api);
    shapes
        .into_iter()
        .map(|shape| {
            let mut array = null_mut();
            let answer = api.cuArray3DCreate_v2(&mut array, &shape);
            if answer == 0 {
                must(api.cuArrayDestroy(array));
            }
            answer
        })
        .collect()
}

fn sized(size: [usize; 3], flags: u32) -> CUDA_ARRAY3D_DESCRIPTOR {
    shape(size, CUarray_format::CU_AD_FORMAT_UNSIGNED_INT8, 1, flags)
}

fn of_format(format: u32, channels: u32) -> CUDA_ARRAY3D_DESCRIPTOR {
    shape([16, 16, 0], CUarray_format(format as _), channels, 0)
}

fn described(api: &Api, array: CUarray) -> Answers {
    let mut cube = shape([77; 3], CUarray_format(77), 77, 77);
    let code = api.cuArray3DGetDescriptor_v2(&mut cube, array);
    let mut plane = CUDA_ARRAY_DESCRIPTOR {
        Width: 77,
        Height: 77,
        Format: CUarray_format(77),
        NumChannels: 77,
    };
    let plane_code = api.cuArrayGetDescriptor_v2(&mut plane, array);
    let [width, height, depth] = [cube.Width, cube.Height, cube.Depth].map(|side| side as i64);
    vec![
        code,
        width,
        height,
        depth,
        cube.Format.0 as i64,
        cube.NumChannels.into(),
        cube.Flags.into(),
        plane_code,
        plane.Width as i64,
        plane.Height as i64,
        plane.Format.0 as i64,
        plane.NumChannels.into(),
    ]
}

const LAYERED: u32 = CUDA_ARRAY3D_LAYERED;
const CUBE: u32 = CUDA_ARRAY3D_CUBEMAP;
const GATHER: u32 = CUDA_ARRAY3D_TEXTURE_GATHER;

pub const CASES: &[Case] = &[
    ("array/create", |api| {
        context(api);
        let base = CUDA_ARRAY_DESCRIPTOR {
            Width: 16,
            Height: 16,
            Format: CUarray_format::CU_AD_FORMAT_FLOAT,
            NumChannels: 1,
        };
        let mut array = null_mut();
        let mut answers = Answers::new();
        for (width, height) in
            [(16, 16), (16, 0), (0, 16), (0, 0), (usize::MAX, 1), (1, usize::MAX)]
        {
            let shape = CUDA_ARRAY_DESCRIPTOR { Width: width, Height: height, ..base };
            answers.push(api.cuArrayCreate_v2(&mut array, &shape));
        }
        for channels in [0, 1, 2, 3, 4, 5, 8, u32::MAX] {
            let shape = CUDA_ARRAY_DESCRIPTOR { NumChannels: channels, ..base };
            answers.push(api.cuArrayCreate_v2(&mut array, &shape));
        }
        answers
    }),
    ("array/create_into_null", |api| {
        context(api);
        vec![
            api.cuArray3DCreate_v2(null_mut(), &sized([16, 16, 0], 0)),
            api.cuMipmappedArrayCreate(null_mut(), &sized([16, 16, 0], 0), 1),
        ]
    }),
    ("array/create_of_null", |api| {
        context(api);
        let mut array = null_mut();
        vec![api.cuArrayCreate_v2(&mut array, null()), api.cuArray3DCreate_v2(&mut array, null())]
    }),
    ("array/create_without_context", |api| {
        must(api.cuInit(0));
        let (mut array, mut mipmapped) = (null_mut(), null_mut());
        vec![
            api.cuArray3DCreate_v2(&mut array, &sized([16, 16, 0], 0)),
            api.cuMipmappedArrayCreate(&mut mipmapped, &sized([16, 16, 0], 0), 1),
        ]
    }),
    ("array/sides", |api| {
        create_all(
            api,
            [
                [1, 0, 0],
                [131_072, 0, 0],
                [131_073, 0, 0],
                [131_072, 1, 0],
                [131_073, 1, 0],
                [1, 65_536, 0],
                [1, 65_537, 0],
                [1, 131_072, 0],
                [16_384, 1, 1],
                [16_385, 1, 1],
                [1, 16_384, 1],
                [1, 16_385, 1],
                [1, 1, 16_384],
                [1, 1, 16_385],
                [32_768, 1, 1],
                [16, 0, 4],
                [0, 16, 4],
                [0, 0, 4],
                [usize::MAX, 1, 1],
            ]
            .map(|size| sized(size, 0)),
        )
    }),
    ("array/sides_of_layers", |api| {
        create_all(
            api,
            [
                [16, 0, 1],
                [16, 0, 0],
                [16, 16, 0],
                [16, 16, 1],
                [32_768, 0, 1],
                [32_769, 0, 1],
                [32_768, 1, 1],
                [32_769, 1, 1],
                [1, 32_768, 1],
                [1, 32_769, 1],
                [1, 0, 2048],
                [1, 0, 2049],
                [1, 1, 2048],
                [1, 1, 2049],
                [0, 1, 1],
            ]
            .map(|size| sized(size, LAYERED)),
        )
    }),
    ("array/sides_of_cubes", |api| {
        create_all(
            api,
            [
                ([16, 16, 6], CUBE),
                ([16, 15, 6], CUBE),
                ([16, 16, 5], CUBE),
                ([16, 16, 12], CUBE),
                ([16, 16, 0], CUBE),
                ([16, 0, 6], CUBE),
                ([32_769, 32_769, 6], CUBE),
                ([16, 16, 6], CUBE | LAYERED),
                ([16, 16, 12], CUBE | LAYERED),
                ([16, 16, 13], CUBE | LAYERED),
                ([16, 16, 0], CUBE | LAYERED),
                ([1, 1, 2046], CUBE | LAYERED),
                ([1, 1, 2052], CUBE | LAYERED),
            ]
            .map(|(size, flags)| sized(size, flags)),
        )
    }),
    ("array/flags", |api| {
        let sizes = [[16, 0, 0], [16, 16, 0], [16, 16, 6]];
        // All but sparse arrays and those that get their memory later.
        let flags = [0x2, 0x4, 0x8, 0x10, 0x20, 0x100, 0x200, 0x400, 0x1000, 0x8000_0000];
        create_all(api, sizes.into_iter().flat_map(|size| flags.map(|flag| sized(size, flag))))
    }),
    ("array/flags_together", |api| {
        create_all(
            api,
            [
                ([16, 16, 0], GATHER | CUDA_ARRAY3D_SURFACE_LDST),
                ([16, 16, 4], GATHER | LAYERED),
                ([16, 0, 4], GATHER | LAYERED),
                ([16, 16, 6], GATHER | CUBE),
                ([16, 16, 12], GATHER | CUBE | LAYERED),
                ([32_768, 1, 0], GATHER),
                ([32_769, 1, 0], GATHER),
                ([65_536, 1, 0], CUDA_ARRAY3D_SURFACE_LDST),
                ([131_072, 1, 0], CUDA_ARRAY3D_SURFACE_LDST),
                ([131_072, 0, 0], CUDA_ARRAY3D_SURFACE_LDST),
                ([16, 16, 6], CUBE | CUDA_ARRAY3D_SURFACE_LDST),
                ([16, 16, 0], CUDA_ARRAY3D_COLOR_ATTACHMENT | CUDA_ARRAY3D_SURFACE_LDST),
            ]
            .map(|(size, flags)| sized(size, flags)),
        )
    }),
    ("array/sparse", |api| {
        create_all(
            api,
            [
                ([256, 256, 0], CUDA_ARRAY3D_SPARSE),
                ([256, 256, 0], CUDA_ARRAY3D_DEFERRED_MAPPING),
                ([256, 256, 0], CUDA_ARRAY3D_SPARSE | CUDA_ARRAY3D_DEFERRED_MAPPING),
                ([256, 0, 0], CUDA_ARRAY3D_SPARSE),
            ]
            .map(|(size, flags)| sized(size, flags)),
        )
    }),
    ("array/formats_plain", |api| {
        let codes = (0..0x40).flat_map(|code| [1, 2, 3, 4].map(|count| of_format(code, count)));
        create_all(api, codes)
    }),
    ("array/formats_normalized", |api| {
        let codes = (0xc0..0xcc).flat_map(|code| [1, 2, 3, 4].map(|count| of_format(code, count)));
        create_all(api, codes)
    }),
    ("array/formats_of_blocks", |api| {
        let codes = (0x91..0x9f).flat_map(|code| [1, 2, 3, 4].map(|count| of_format(code, count)));
        create_all(api, codes)
    }),
    ("array/formats_of_planes", |api| {
        let codes = (0x9f..0xc0).flat_map(|code| [1, 2, 3, 4].map(|count| of_format(code, count)));
        create_all(api, codes)
    }),
    ("array/formats_unknown", |api| {
        let codes = (0x40..0x91).chain(0xcc..0x100).chain([0x100, 0x1000, 0x7fff_ffff, u32::MAX]);
        create_all(api, codes.map(|code| of_format(code, 4)))
    }),
    ("array/blocks_of_odd_sizes", |api| {
        let bc = CUarray_format::CU_AD_FORMAT_BC1_UNORM;
        let sizes = [[4, 4, 0], [1, 1, 0], [5, 7, 0], [16, 0, 0], [16, 16, 4], [131_072, 4, 0]];
        let mut shapes: Vec<_> = sizes.map(|size| shape(size, bc, 4, 0)).into();
        shapes.extend([
            shape([16, 16, 3], bc, 4, LAYERED),
            shape([16, 16, 6], bc, 4, CUBE),
            shape([16, 16, 0], bc, 4, CUDA_ARRAY3D_SURFACE_LDST),
            shape([16, 16, 0], bc, 4, GATHER),
            shape([16, 16, 0], bc, 4, CUDA_ARRAY3D_COLOR_ATTACHMENT),
        ]);
        create_all(api, shapes)
    }),
    ("array/descriptors", |api| {
        context(api);
        let float = CUarray_format::CU_AD_FORMAT_FLOAT;
        let shapes = [
            shape([20, 0, 0], float, 4, 0),
            shape([20, 10, 0], float, 2, CUDA_ARRAY3D_SURFACE_LDST),
            shape([20, 10, 5], float, 1, 0),
            shape([20, 0, 5], float, 1, LAYERED),
            shape([20, 20, 6], float, 1, CUBE),
            shape([20, 20, 12], float, 1, CUBE | LAYERED),
        ];
        shapes.into_iter().flat_map(|shape| described(api, array(api, &shape))).collect()
    }),
    ("array/descriptor_of_blocks", |api| {
        context(api);
        let bc = CUarray_format::CU_AD_FORMAT_BC3_UNORM;
        described(api, array(api, &shape([21, 10, 0], bc, 4, 0)))
    }),
    ("array/descriptor_into_null", |api| {
        context(api);
        let array = array(api, &sized([16, 16, 0], 0));
        vec![
            api.cuArrayGetDescriptor_v2(null_mut(), array),
            api.cuArray3DGetDescriptor_v2(null_mut(), array),
        ]
    }),
    ("array/descriptor_of_null", |api| {
        context(api);
        let mut shape = sized([0; 3], 0);
        vec![api.cuArray3DGetDescriptor_v2(&mut shape, null_mut())]
    }),
    ("array/descriptor_of_foreign", |api| {
        context(api);
        let mut shape = sized([0; 3], 0);
        vec![api.cuArray3DGetDescriptor_v2(&mut shape, foreign())]
    }),
    ("array/descriptor_of_destroyed", |api| {
        context(api);
        let array = array(api, &sized([16, 16, 0], 0));
        let mut shape = sized([0; 3], 0);
        vec![api.cuArrayDestroy(array), api.cuArray3DGetDescriptor_v2(&mut shape, array)]
    }),
    ("array/destroy_null", |api| {
        context(api);
        vec![api.cuArrayDestroy(null_mut()), api.cuMipmappedArrayDestroy(null_mut())]
    }),
    ("array/destroy_foreign", |api| {
        context(api);
        vec![api.cuArrayDestroy(foreign())]
    }),
    ("array/destroy_twice", |api| {
        context(api);
        let array = array(api, &sized([16, 16, 0], 0));
        vec![api.cuArrayDestroy(array), api.cuArrayDestroy(array)]
    }),
    ("array/planes", |api| {
        context(api);
        let array = array(api, &sized([16, 16, 0], 0));
        let mut plane = null_mut();
        vec![
            api.cuArrayGetPlane(&mut plane, array, 0),
            api.cuArrayGetPlane(&mut plane, array, 1),
            api.cuArrayGetPlane(null_mut(), array, 0),
            api.cuArrayGetPlane(&mut plane, null_mut(), 0),
        ]
    }),
    ("array/sparse_properties", |api| {
        context(api);
        let array = array(api, &sized([16, 16, 0], 0));
        // SAFETY: a plain structure.
        let mut properties: CUDA_ARRAY_SPARSE_PROPERTIES = unsafe { std::mem::zeroed() };
        vec![
            api.cuArrayGetSparseProperties(&mut properties, array),
            api.cuArrayGetSparseProperties(null_mut(), array),
            api.cuArrayGetSparseProperties(&mut properties, null_mut()),
            api.cuMipmappedArrayGetSparseProperties(&mut properties, null_mut()),
        ]
    }),
    ("array/memory_requirements", |api| {
        context(api);
        let array = array(api, &sized([16, 16, 0], 0));
        // SAFETY: a plain structure.
        let mut requirements: CUDA_ARRAY_MEMORY_REQUIREMENTS = unsafe { std::mem::zeroed() };
        vec![
            api.cuArrayGetMemoryRequirements(&mut requirements, array, 0),
            api.cuArrayGetMemoryRequirements(null_mut(), array, 0),
            api.cuArrayGetMemoryRequirements(&mut requirements, array, 99),
            api.cuArrayGetMemoryRequirements(&mut requirements, null_mut(), 0),
        ]
    }),
    ("array/mipmapped", |api| {
        context(api);
        let mut array = null_mut();
        let mut answers = Answers::new();
        for (size, flags, levels) in [
            ([16, 16, 0], 0, 1),
            ([16, 16, 0], 0, 5),
            ([16, 16, 0], 0, 6),
            ([16, 16, 0], 0, 100),
            ([16, 16, 0], 0, 0),
            ([16, 0, 0], 0, 5),
            ([16, 8, 32], 0, 6),
            ([16, 16, 4], LAYERED, 5),
            ([16, 0, 4], LAYERED, 5),
            ([16, 16, 6], CUBE, 5),
            ([16, 16, 12], CUBE | LAYERED, 5),
            ([16, 16, 5], CUBE, 5),
            ([0, 16, 0], 0, 1),
            ([32_769, 4, 0], 0, 1),
            ([65_536, 4, 0], 0, 1),
            ([16, 16, 0], 0x1000, 1),
            ([16, 16, 0], CUDA_ARRAY3D_SURFACE_LDST, 3),
            ([16, 16, 0], GATHER, 3),
        ] {
            answers.push(api.cuMipmappedArrayCreate(&mut array, &sized(size, flags), levels));
        }
        answers
    }),
    ("array/mipmapped_of_null", |api| {
        context(api);
        let mut array = null_mut();
        vec![api.cuMipmappedArrayCreate(&mut array, null(), 1)]
    }),
    ("array/levels", |api| {
        context(api);
        let mut answers = Answers::new();
        for (size, flags, asked) in [
            ([20, 10, 0], 0, 100),
            ([20, 10, 6], 0, 3),
            ([20, 10, 6], LAYERED, 3),
            ([9, 0, 0], 0, 9),
        ] {
            let mipmapped = mipmapped(api, &sized(size, flags), asked);
            for level in 0..6 {
                let mut array = null_mut();
                let code = api.cuMipmappedArrayGetLevel(&mut array, mipmapped, level);
                answers.push(code);
                if code == 0 {
                    answers.extend(&described(api, array)[..7]);
                }
            }
        }
        answers
    }),
    ("array/level_is_the_same", |api| {
        context(api);
        let mipmapped = mipmapped(api, &sized([20, 10, 0], 0), 3);
        let (mut one, mut other) = (null_mut(), null_mut());
        vec![
            api.cuMipmappedArrayGetLevel(&mut one, mipmapped, 1),
            api.cuMipmappedArrayGetLevel(&mut other, mipmapped, 1),
            (one == other).into(),
            api.cuMipmappedArrayGetLevel(null_mut(), mipmapped, 1),
            api.cuMipmappedArrayGetLevel(&mut one, mipmapped, u32::MAX),
        ]
    }),
    ("array/level_of_null", |api| {
        context(api);
        let mut array = null_mut();
        vec![api.cuMipmappedArrayGetLevel(&mut array, null_mut(), 0)]
    }),
    ("array/destroy_level", |api| {
        context(api);
        let mipmapped = mipmapped(api, &sized([20, 10, 0], 0), 3);
        let mut array = null_mut();
        vec![
            api.cuMipmappedArrayGetLevel(&mut array, mipmapped, 1),
            api.cuArrayDestroy(array),
            api.cuMipmappedArrayDestroy(mipmapped),
        ]
    }),
    ("array/destroy_mipmapped_twice", |api| {
        context(api);
        let mipmapped = mipmapped(api, &sized([20, 10, 0], 0), 3);
        vec![api.cuMipmappedArrayDestroy(mipmapped), api.cuMipmappedArrayDestroy(mipmapped)]
    }),
    ("array/level_of_destroyed", |api| {
        context(api);
        let mipmapped = mipmapped(api, &sized([20, 10, 0], 0), 3);
        let mut array = null_mut();
        vec![
            api.cuMipmappedArrayDestroy(mipmapped),
            api.cuMipmappedArrayGetLevel(&mut array, mipmapped, 0),
        ]
    }),
];
