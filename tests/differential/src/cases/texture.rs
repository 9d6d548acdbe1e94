//! Texture and surface objects.

use std::ptr::{null, null_mut};

use cuda_types::cuda::*;
use differential::api::Api;
use differential::view::view;

use super::Case;
use crate::Answers;
use crate::setup::*;

const FLOAT: CUarray_format = CUarray_format::CU_AD_FORMAT_FLOAT;
const BYTE: CUarray_format = CUarray_format::CU_AD_FORMAT_UNSIGNED_INT8;
const WORD: CUarray_format = CUarray_format::CU_AD_FORMAT_UNSIGNED_INT32;

/// A sampler of the nearest texels that clamps texel coordinates.
pub fn sampler() -> CUDA_TEXTURE_DESC {
    // SAFETY: a plain structure.
    let mut sampler: CUDA_TEXTURE_DESC = unsafe { std::mem::zeroed() };
    sampler.addressMode = [CUaddress_mode::CU_TR_ADDRESS_MODE_CLAMP; 3];
    sampler
}

fn nothing() -> CUDA_RESOURCE_DESC {
    // SAFETY: a plain structure.
    unsafe { std::mem::zeroed() }
}

/// An array as a resource.
pub fn of_array(array: CUarray) -> CUDA_RESOURCE_DESC {
    let mut resource = nothing();
    resource.res.array.hArray = array;
    resource
}

/// A mipmapped array as a resource.
pub fn of_mipmapped(array: CUmipmappedArray) -> CUDA_RESOURCE_DESC {
    let mut resource = nothing();
    resource.resType = CUresourcetype::CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    resource.res.mipmap.hMipmappedArray = array;
    resource
}

/// `size` bytes of memory as a resource.
pub fn linear(
    address: u64,
    format: CUarray_format,
    channels: u32,
    size: usize,
) -> CUDA_RESOURCE_DESC {
    let mut resource = nothing();
    resource.resType = CUresourcetype::CU_RESOURCE_TYPE_LINEAR;
    resource.res.linear = CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3 {
        devPtr: address,
        format,
        numChannels: channels,
        sizeInBytes: size,
    };
    resource
}

fn plane(address: u64, format: CUarray_format, size: [usize; 3]) -> CUDA_RESOURCE_DESC {
    let mut resource = nothing();
    resource.resType = CUresourcetype::CU_RESOURCE_TYPE_PITCH2D;
    resource.res.pitch2D = CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4 {
        devPtr: address,
        format,
        numChannels: 1,
        width: size[0],
        height: size[1],
        pitchInBytes: size[2],
    };
    resource
}

/// Makes a texture and destroys it.
fn make(
    api: &Api,
    resource: &CUDA_RESOURCE_DESC,
    sampler: &CUDA_TEXTURE_DESC,
    view: Option<&CUDA_RESOURCE_VIEW_DESC>,
) -> i64 {
    let mut object = 0;
    let view = view.map_or(null(), std::ptr::from_ref);
    let answer = api.cuTexObjectCreate(&mut object, resource, sampler, view);
    if answer == 0 {
        must(api.cuTexObjectDestroy(object));
    }
    answer
}

fn make_surface(api: &Api, resource: &CUDA_RESOURCE_DESC) -> i64 {
    let mut object = 0;
    let answer = api.cuSurfObjectCreate(&mut object, resource);
    if answer == 0 {
        must(api.cuSurfObjectDestroy(object));
    }
    answer
}

fn floats(api: &Api, flags: u32) -> CUarray {
    context(api);
    array(api, &shape([16, 16, 0], FLOAT, 1, flags))
}

/// The answers to changed samplers of a resource.
fn with_samplers(
    api: &Api,
    resource: &CUDA_RESOURCE_DESC,
    changes: &[fn(&mut CUDA_TEXTURE_DESC)],
) -> Answers {
    let answer = |change: &fn(&mut CUDA_TEXTURE_DESC)| {
        let mut sampler = sampler();
        change(&mut sampler);
        make(api, resource, &sampler, None)
    };
    changes.iter().map(answer).collect()
}

const SAMPLERS: &[fn(&mut CUDA_TEXTURE_DESC)] = &[
    |_| (),
    |s| s.addressMode = [CUaddress_mode(0); 3],
    |s| s.addressMode = [CUaddress_mode(2); 3],
    |s| s.addressMode = [CUaddress_mode(3); 3],
    |s| s.addressMode = [CUaddress_mode(4); 3],
    |s| s.addressMode[2] = CUaddress_mode(4),
    |s| s.addressMode[1] = CUaddress_mode(u32::MAX as _),
    |s| s.filterMode = CUfilter_mode(1),
    |s| s.filterMode = CUfilter_mode(2),
    |s| s.mipmapFilterMode = CUfilter_mode(1),
    |s| s.mipmapFilterMode = CUfilter_mode(2),
    |s| s.maxAnisotropy = 16,
    |s| s.maxAnisotropy = 17,
    |s| s.maxAnisotropy = u32::MAX,
    |s| s.mipmapLevelBias = f32::NAN,
    |s| s.mipmapLevelBias = 1e9,
    |s| (s.minMipmapLevelClamp, s.maxMipmapLevelClamp) = (5.0, 1.0),
    |s| s.minMipmapLevelClamp = -1.0,
    |s| s.maxMipmapLevelClamp = f32::INFINITY,
    |s| s.borderColor = [f32::NAN; 4],
    |s| s.reserved = [1; 12],
];

fn with_flags(api: &Api, resource: &CUDA_RESOURCE_DESC) -> Answers {
    let flags = [0, 1, 2, 3, 4, 8, 0x10, 0x12, 0x13, 0x20, 0x40, 0x42, 0x80, 0x100, 0x8000_0000];
    let answer = |(linear, flags)| {
        let mut sampler = sampler();
        (sampler.flags, sampler.filterMode) = (flags, CUfilter_mode(linear));
        make(api, resource, &sampler, None)
    };
    [0, 1].into_iter().flat_map(|linear| flags.map(|flags| (linear, flags))).map(answer).collect()
}

pub const CASES: &[Case] = &[
    ("texture/create", |api| {
        let array = floats(api, 0);
        let mut object = 0;
        let (resource, sampler) = (of_array(array), sampler());
        vec![
            api.cuTexObjectCreate(&mut object, &resource, &sampler, null()),
            (object != 0).into(),
            api.cuTexObjectDestroy(object),
            api.cuTexObjectDestroy(object),
            api.cuTexObjectDestroy(0),
            api.cuTexObjectDestroy(0x1234),
        ]
    }),
    ("texture/create_into_null", |api| {
        let array = floats(api, 0);
        vec![api.cuTexObjectCreate(null_mut(), &of_array(array), &sampler(), null())]
    }),
    ("texture/create_of_null", |api| {
        floats(api, 0);
        let mut object = 0;
        vec![api.cuTexObjectCreate(&mut object, null(), &sampler(), null())]
    }),
    ("texture/create_with_null", |api| {
        let array = floats(api, 0);
        let mut object = 0;
        vec![api.cuTexObjectCreate(&mut object, &of_array(array), null(), null())]
    }),
    ("texture/create_of_null_array", |api| {
        floats(api, 0);
        vec![make(api, &of_array(null_mut()), &sampler(), None)]
    }),
    ("texture/create_of_foreign_array", |api| {
        floats(api, 0);
        vec![make(api, &of_array(foreign()), &sampler(), None)]
    }),
    ("texture/create_of_null_mipmapped", |api| {
        floats(api, 0);
        vec![make(api, &of_mipmapped(null_mut()), &sampler(), None)]
    }),
    ("texture/create_of_destroyed", |api| {
        let array = floats(api, 0);
        vec![api.cuArrayDestroy(array), make(api, &of_array(array), &sampler(), None)]
    }),
    ("texture/resource_types", |api| {
        let array = floats(api, 0);
        let mut answers = Answers::new();
        for (kind, flags) in [(0, 1), (0, u32::MAX), (4, 0), (99, 0)] {
            let mut resource = of_array(array);
            (resource.resType, resource.flags) = (CUresourcetype(kind), flags);
            answers.push(make(api, &resource, &sampler(), None));
        }
        answers
    }),
    ("texture/samplers_of_floats", |api| {
        let array = floats(api, 0);
        with_samplers(api, &of_array(array), SAMPLERS)
    }),
    ("texture/samplers_of_levels", |api| {
        context(api);
        let mipmapped = mipmapped(api, &shape([16, 16, 0], FLOAT, 1, 0), 5);
        let mut answers = with_samplers(api, &of_mipmapped(mipmapped), SAMPLERS);
        let mut sampler = sampler();
        sampler.flags = CU_TRSF_NORMALIZED_COORDINATES;
        answers.push(make(api, &of_mipmapped(mipmapped), &sampler, None));
        sampler.maxAnisotropy = 16;
        answers.push(make(api, &of_mipmapped(mipmapped), &sampler, None));
        answers
    }),
    ("texture/samplers_of_memory", |api| {
        context(api);
        let memory = allocate(api, 4096);
        with_samplers(api, &linear(memory, FLOAT, 1, 1024), SAMPLERS)
    }),
    ("texture/samplers_of_planes", |api| {
        context(api);
        let memory = allocate(api, 4096);
        with_samplers(api, &plane(memory, FLOAT, [16, 16, 128]), SAMPLERS)
    }),
    ("texture/memory_that_is_not_there", |api| {
        context(api);
        let memory = allocate(api, 1 << 20);
        let freed = allocate(api, 16 << 20);
        must(api.cuMemFree_v2(freed));
        [
            linear(memory, FLOAT, 1, 1 << 20),
            linear(memory, FLOAT, 1, (1 << 20) + 4),
            linear(memory, FLOAT, 1, 1 << 30),
            linear(memory + 512, FLOAT, 1, 1 << 20),
            linear(freed, FLOAT, 1, 1 << 20),
            linear(0x10_0000, FLOAT, 1, 1 << 20),
            linear(0, FLOAT, 1, 1 << 20),
            plane(memory, FLOAT, [1024, 257, 4096]),
            plane(memory, FLOAT, [1024, 65000, 4096]),
            plane(freed, FLOAT, [64, 64, 256]),
        ]
        .iter()
        .map(|resource| make(api, resource, &sampler(), None))
        .collect()
    }),
    ("texture/flags_of_floats", |api| {
        let array = floats(api, 0);
        with_flags(api, &of_array(array))
    }),
    ("texture/flags_of_bytes", |api| {
        context(api);
        with_flags(api, &of_array(array(api, &shape([16, 16, 0], BYTE, 4, 0))))
    }),
    ("texture/flags_of_one_byte", |api| {
        context(api);
        with_flags(api, &of_array(array(api, &shape([16, 16, 0], BYTE, 1, 0))))
    }),
    ("texture/flags_of_words", |api| {
        context(api);
        with_flags(api, &of_array(array(api, &shape([16, 16, 0], WORD, 1, 0))))
    }),
    ("texture/flags_of_signed_words", |api| {
        context(api);
        let format = CUarray_format::CU_AD_FORMAT_SIGNED_INT16;
        with_flags(api, &of_array(array(api, &shape([16, 16, 0], format, 2, 0))))
    }),
    ("texture/flags_of_normalized", |api| {
        context(api);
        let format = CUarray_format::CU_AD_FORMAT_UNORM_INT8X4;
        with_flags(api, &of_array(array(api, &shape([16, 16, 0], format, 4, 0))))
    }),
    ("texture/flags_of_memory", |api| {
        context(api);
        let memory = allocate(api, 4096);
        with_flags(api, &linear(memory, BYTE, 4, 1024))
    }),
    ("texture/flags_of_planes", |api| {
        context(api);
        let memory = allocate(api, 4096);
        with_flags(api, &plane(memory, BYTE, [16, 16, 128]))
    }),
    ("texture/flags_of_cubes", |api| {
        context(api);
        let cube = shape([16, 16, 6], FLOAT, 1, CUDA_ARRAY3D_CUBEMAP);
        with_flags(api, &of_array(array(api, &cube)))
    }),
    ("texture/memory", |api| {
        context(api);
        let memory = allocate(api, 4096);
        let mut answers = Answers::new();
        for (offset, format, channels, size) in [
            (0, FLOAT, 1, 4096),
            (0, FLOAT, 1, 4097),
            (0, FLOAT, 1, 8192),
            (0, FLOAT, 1, 0),
            (0, FLOAT, 1, 3),
            (0, FLOAT, 1, 7),
            (0, FLOAT, 3, 4092),
            (0, FLOAT, 0, 4096),
            (0, CUarray_format(0), 1, 4096),
            (0, CUarray_format(0xc0), 1, 4096),
            (0, CUarray_format(0xc2), 4, 4096),
            (0, CUarray_format(0x91), 4, 4096),
            (512, FLOAT, 1, 1024),
            (256, FLOAT, 1, 1024),
            (32, FLOAT, 1, 1024),
            (16, FLOAT, 1, 1024),
            (4, FLOAT, 1, 1024),
            (0, FLOAT, 1, usize::MAX),
        ] {
            let resource = linear(memory + offset, format, channels, size);
            answers.push(make(api, &resource, &sampler(), None));
        }
        answers
    }),
    ("texture/memory_that_is_none", |api| {
        context(api);
        let host = [0_u8; 4096];
        let address = (host.as_ptr() as u64).next_multiple_of(512);
        vec![
            make(api, &linear(0, FLOAT, 1, 1024), &sampler(), None),
            make(api, &linear(0x1_0000, FLOAT, 1, 1024), &sampler(), None),
            make(api, &linear(address, FLOAT, 1, 1024), &sampler(), None),
            make(api, &plane(0, FLOAT, [16, 16, 64]), &sampler(), None),
            make(api, &plane(0x1_0000, FLOAT, [16, 16, 64]), &sampler(), None),
        ]
    }),
    ("texture/longest_memory", |api| {
        context(api);
        let sizes = [(1 << 28) + 1, 1 << 29, 1 << 30, 1 << 31, 1 << 32, 1 << 40];
        [(BYTE, 1), (BYTE, 4), (FLOAT, 1), (FLOAT, 4)]
            .into_iter()
            .flat_map(|(format, channels)| sizes.map(|size| (format, channels, size)))
            .map(|(format, channels, size)| {
                make(api, &linear(1 << 32, format, channels, size), &sampler(), None)
            })
            .collect()
    }),
    ("texture/planes", |api| {
        context(api);
        let memory = allocate(api, 1 << 16);
        let mut answers = Answers::new();
        for (offset, size) in [
            (0, [16, 16, 64]),
            (0, [16, 16, 32]),
            (0, [16, 16, 80]),
            (0, [16, 16, 96]),
            (0, [16, 16, 512]),
            (0, [16, 16, 0]),
            (0, [0, 16, 64]),
            (0, [16, 0, 64]),
            (0, [16, 4096, 64]),
            (0, [1, 65_001, 32]),
            (0, [131_073, 1, 524_320]),
            (0, [16, 1, 2_097_152]),
            (0, [16, 1, 2_097_120]),
            (256, [16, 16, 64]),
            (32, [16, 16, 64]),
            (16, [16, 16, 64]),
            (4, [16, 16, 64]),
        ] {
            let resource = plane(memory + offset, FLOAT, size);
            answers.push(make(api, &resource, &sampler(), None));
        }
        answers
    }),
    ("texture/views", |api| {
        context(api);
        let array = array(api, &shape([16, 16, 0], WORD, 4, 0));
        let resource = of_array(array);
        let formats = 0..40;
        formats
            .map(|format| {
                let size = if format < 25 { [16, 16, 0] } else { [64, 64, 0] };
                make(api, &resource, &sampler(), Some(&view(format, size, [0; 2], [0; 2])))
            })
            .collect()
    }),
    ("texture/views_of_pairs", |api| {
        context(api);
        let array = array(api, &shape([16, 16, 0], WORD, 2, 0));
        let resource = of_array(array);
        (0..40)
            .map(|format| {
                let size = if format < 25 { [16, 16, 0] } else { [64, 64, 0] };
                make(api, &resource, &sampler(), Some(&view(format, size, [0; 2], [0; 2])))
            })
            .collect()
    }),
    ("texture/view_sizes", |api| {
        context(api);
        let array = array(api, &shape([16, 16, 0], FLOAT, 1, 0));
        let resource = of_array(array);
        [
            [16, 16, 0],
            [16, 16, 1],
            [0, 0, 0],
            [8, 8, 0],
            [32, 32, 0],
            [16, 0, 0],
            [64, 64, 0],
            [17, 16, 0],
        ]
        .map(|size| make(api, &resource, &sampler(), Some(&view(22, size, [0; 2], [0; 2]))))
        .into()
    }),
    ("texture/view_levels", |api| {
        context(api);
        let mipmapped = mipmapped(api, &shape([16, 16, 4], FLOAT, 1, CUDA_ARRAY3D_LAYERED), 5);
        let resource = of_mipmapped(mipmapped);
        [
            ([0, 4], [0, 3]),
            ([1, 3], [0, 3]),
            ([3, 1], [0, 3]),
            ([0, 5], [0, 3]),
            ([0, 0], [0, 3]),
            ([5, 5], [0, 3]),
            ([0, 4], [1, 2]),
            ([0, 4], [2, 1]),
            ([0, 4], [0, 4]),
            ([0, 4], [4, 4]),
            ([0, 4], [0, 0]),
        ]
        .map(|(levels, layers)| {
            make(api, &resource, &sampler(), Some(&view(22, [16, 16, 4], levels, layers)))
        })
        .into()
    }),
    ("texture/view_of_memory", |api| {
        context(api);
        let memory = allocate(api, 4096);
        let view = view(22, [16, 16, 0], [0; 2], [0; 2]);
        vec![
            make(api, &linear(memory, FLOAT, 1, 1024), &sampler(), Some(&view)),
            make(api, &plane(memory, FLOAT, [16, 16, 64]), &sampler(), Some(&view)),
        ]
    }),
    ("texture/blocks", |api| {
        context(api);
        let mut answers = Answers::new();
        for (code, channels) in
            [(0x91, 4), (0x92, 4), (0x93, 4), (0x97, 1), (0x99, 2), (0x9b, 3), (0x9d, 4), (0x9e, 4)]
        {
            let array = array(api, &shape([16, 16, 0], CUarray_format(code), channels, 0));
            answers.extend(with_flags(api, &of_array(array)));
        }
        answers
    }),
    ("texture/descriptions", |api| {
        let array = floats(api, 0);
        let (mut resource, mut sampler) = (of_array(array), sampler());
        sampler.flags = CU_TRSF_NORMALIZED_COORDINATES;
        sampler.maxAnisotropy = 7;
        sampler.borderColor = [1.0, 2.0, 3.0, 4.0];
        let mut object = 0;
        must(api.cuTexObjectCreate(&mut object, &resource, &sampler, null()));
        resource.resType = CUresourcetype(77);
        sampler = self::sampler();
        let mut view = view(77, [77; 3], [77; 2], [77; 2]);
        let mut answers = vec![
            api.cuTexObjectGetResourceDesc(&mut resource, object),
            resource.resType.0.into(),
            // SAFETY: the resource is an array.
            unsafe { resource.res.array.hArray == array }.into(),
            api.cuTexObjectGetTextureDesc(&mut sampler, object),
            sampler.flags.into(),
            sampler.maxAnisotropy.into(),
            sampler.borderColor[3] as i64,
            sampler.addressMode[0].0.into(),
            api.cuTexObjectGetResourceViewDesc(&mut view, object),
            view.format.0.into(),
        ];
        answers.extend([
            api.cuTexObjectGetResourceDesc(null_mut(), object),
            api.cuTexObjectGetTextureDesc(null_mut(), object),
            api.cuTexObjectGetResourceViewDesc(null_mut(), object),
            api.cuTexObjectGetResourceDesc(&mut resource, 0),
            api.cuTexObjectGetTextureDesc(&mut sampler, 0x1234),
            api.cuTexObjectGetResourceViewDesc(&mut view, 0),
            api.cuTexObjectDestroy(object),
            api.cuTexObjectGetResourceDesc(&mut resource, object),
        ]);
        answers
    }),
    ("texture/description_of_view", |api| {
        let array = floats(api, 0);
        let mut view = view(22, [16, 16, 0], [0; 2], [0; 2]);
        let mut object = 0;
        must(api.cuTexObjectCreate(&mut object, &of_array(array), &sampler(), &view));
        view.format = CUresourceViewFormat(0);
        vec![
            api.cuTexObjectGetResourceViewDesc(&mut view, object),
            view.format.0.into(),
            view.width as i64,
            view.depth as i64,
        ]
    }),
    ("texture/view_depths", |api| {
        context(api);
        let layered = shape([16, 16, 4], FLOAT, 1, CUDA_ARRAY3D_LAYERED);
        let layers = of_array(array(api, &layered));
        let space = of_array(array(api, &shape([16, 16, 4], FLOAT, 1, 0)));
        let line = of_array(array(api, &shape([16, 0, 0], FLOAT, 1, 0)));
        let mut answers = Answers::new();
        for resource in [layers, space, line] {
            for depth in [0, 1, 2, 4, 8] {
                for height in [0, 16] {
                    let view = view(22, [16, height, depth], [0; 2], [0, 3]);
                    answers.push(make(api, &resource, &sampler(), Some(&view)));
                }
            }
        }
        answers
    }),
    ("texture/description_of_border", |api| {
        let array = floats(api, 0);
        let mut sampler = sampler();
        sampler.addressMode = [CUaddress_mode::CU_TR_ADDRESS_MODE_BORDER; 3];
        sampler.borderColor = [1.0, 2.0, 3.0, 4.0];
        (sampler.mipmapLevelBias, sampler.maxMipmapLevelClamp) = (2.0, 5.0);
        let mut object = 0;
        must(api.cuTexObjectCreate(&mut object, &of_array(array), &sampler, null()));
        sampler = self::sampler();
        let code = api.cuTexObjectGetTextureDesc(&mut sampler, object);
        let border = sampler.borderColor.map(|channel| channel as i64);
        let levels = [sampler.mipmapLevelBias, sampler.maxMipmapLevelClamp].map(|it| it as i64);
        [vec![code], border.into(), levels.into()].concat()
    }),
    ("texture/array_destroyed_first", |api| {
        let array = floats(api, 0);
        let mut object = 0;
        must(api.cuTexObjectCreate(&mut object, &of_array(array), &sampler(), null()));
        vec![api.cuArrayDestroy(array), api.cuTexObjectDestroy(object)]
    }),
    ("texture/without_context", |api| {
        must(api.cuInit(0));
        vec![
            make(api, &linear(0x1_0000, FLOAT, 1, 1024), &sampler(), None),
            api.cuTexObjectDestroy(1),
            api.cuSurfObjectDestroy(1),
        ]
    }),
    ("surface/create", |api| {
        let array = floats(api, CUDA_ARRAY3D_SURFACE_LDST);
        let mut object = 0;
        vec![
            api.cuSurfObjectCreate(&mut object, &of_array(array)),
            (object != 0).into(),
            api.cuSurfObjectDestroy(object),
            api.cuSurfObjectDestroy(object),
            api.cuSurfObjectDestroy(0),
            api.cuSurfObjectDestroy(0x1234),
        ]
    }),
    ("surface/create_into_null", |api| {
        let array = floats(api, CUDA_ARRAY3D_SURFACE_LDST);
        vec![api.cuSurfObjectCreate(null_mut(), &of_array(array))]
    }),
    ("surface/create_of_null", |api| {
        floats(api, 0);
        let mut object = 0;
        vec![api.cuSurfObjectCreate(&mut object, null())]
    }),
    ("surface/create_of_null_array", |api| {
        floats(api, 0);
        vec![make_surface(api, &of_array(null_mut()))]
    }),
    ("surface/resources", |api| {
        let array = floats(api, 0);
        let memory = allocate(api, 4096);
        let mut flagged = of_array(array);
        flagged.flags = 1;
        vec![
            make_surface(api, &of_array(array)),
            make_surface(api, &linear(memory, FLOAT, 1, 1024)),
            make_surface(api, &plane(memory, FLOAT, [16, 16, 64])),
            make_surface(api, &flagged),
        ]
    }),
    ("surface/of_levels", |api| {
        context(api);
        let shape = shape([16, 16, 0], FLOAT, 1, CUDA_ARRAY3D_SURFACE_LDST);
        let mipmapped = mipmapped(api, &shape, 3);
        let mut level = null_mut();
        vec![
            make_surface(api, &of_mipmapped(mipmapped)),
            api.cuMipmappedArrayGetLevel(&mut level, mipmapped, 1),
            make_surface(api, &of_array(level)),
            make(api, &of_array(level), &sampler(), None),
        ]
    }),
    ("surface/description", |api| {
        let array = floats(api, CUDA_ARRAY3D_SURFACE_LDST);
        let mut object = 0;
        must(api.cuSurfObjectCreate(&mut object, &of_array(array)));
        let mut resource = nothing();
        vec![
            api.cuSurfObjectGetResourceDesc(&mut resource, object),
            // SAFETY: the resource is an array.
            unsafe { resource.res.array.hArray == array }.into(),
            api.cuSurfObjectGetResourceDesc(null_mut(), object),
            api.cuSurfObjectGetResourceDesc(&mut resource, 0),
            api.cuTexObjectGetResourceDesc(&mut resource, object),
            api.cuTexObjectDestroy(object),
            api.cuSurfObjectDestroy(object),
        ]
    }),
];
