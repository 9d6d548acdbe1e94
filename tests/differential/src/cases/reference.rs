//! Texture and surface references.

use std::ptr::{null, null_mut};

use cuda_types::cuda::*;
use differential::api::Api;

use super::Case;
use crate::setup::*;

const FLOAT: CUarray_format = CUarray_format::CU_AD_FORMAT_FLOAT;

const PTX: &str = concat!(
    ".version 7.0\n.target sm_75\n.address_size 64\n",
    ".visible .global .texref image;\n.visible .global .surfref target;\n",
    ".visible .global .u32 number;\n",
    ".visible .entry nothing() { ret; }\n",
    ".visible .entry look(.param .u64 out)\n{\n",
    ".reg .b64 %rd<2>; .reg .f32 %f<6>;\nld.param.u64 %rd1, [out];\nmov.f32 %f4, 0f40200000;\n",
    "tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [image, {%f4, %f4}];\n",
    "st.global.f32 [%rd1], %f0;\nret;\n}\n\0"
);

fn load(api: &Api) -> CUmodule {
    context(api);
    let mut module = null_mut();
    must(api.cuModuleLoadData(&mut module, PTX.as_ptr().cast()));
    module
}

fn reference(api: &Api) -> CUtexref {
    context(api);
    let mut reference = null_mut();
    must(api.cuTexRefCreate(&mut reference));
    reference
}

fn floats(api: &Api, flags: u32) -> CUarray {
    array(api, &shape([16, 16, 0], FLOAT, 1, flags))
}

pub const CASES: &[Case] = &[
    ("reference/load", |api| {
        context(api);
        let mut module = null_mut();
        vec![api.cuModuleLoadData(&mut module, PTX.as_ptr().cast())]
    }),
    ("reference/of_module", |api| {
        let module = load(api);
        let (mut texture, mut surface) = (null_mut(), null_mut());
        vec![
            api.cuModuleGetTexRef(&mut texture, module, c"image".as_ptr()),
            api.cuModuleGetTexRef(&mut texture, module, c"target".as_ptr()),
            api.cuModuleGetTexRef(&mut texture, module, c"number".as_ptr()),
            api.cuModuleGetTexRef(&mut texture, module, c"none".as_ptr()),
            api.cuModuleGetSurfRef(&mut surface, module, c"target".as_ptr()),
            api.cuModuleGetSurfRef(&mut surface, module, c"image".as_ptr()),
            api.cuModuleGetSurfRef(&mut surface, module, c"none".as_ptr()),
        ]
    }),
    ("reference/of_module_into_null", |api| {
        let module = load(api);
        vec![
            api.cuModuleGetTexRef(null_mut(), module, c"image".as_ptr()),
            api.cuModuleGetSurfRef(null_mut(), module, c"target".as_ptr()),
        ]
    }),
    ("reference/look", |api| {
        let module = load(api);
        let mut texture = null_mut();
        must(api.cuModuleGetTexRef(&mut texture, module, c"image".as_ptr()));
        let array = floats(api, 0);
        let texels: [f32; 256] = std::array::from_fn(|index| index as f32);
        // SAFETY: a plain structure.
        let mut copy: CUDA_MEMCPY2D = unsafe { std::mem::zeroed() };
        copy.srcMemoryType = CUmemorytype::CU_MEMORYTYPE_HOST;
        copy.srcHost = texels.as_ptr().cast();
        copy.srcPitch = 64;
        copy.dstMemoryType = CUmemorytype::CU_MEMORYTYPE_ARRAY;
        copy.dstArray = array;
        (copy.WidthInBytes, copy.Height) = (64, 16);
        must(api.cuMemcpy2D_v2(&copy));
        let mut out = allocate(api, 4);
        let mut found = 0_f32;
        let function = kernel(api, module, c"look");
        vec![
            api.cuTexRefSetArray(texture, array, 1),
            launch(api, function, 1, &mut [(&raw mut out).cast()]),
            api.cuMemcpyDtoH_v2((&raw mut found).cast(), out, 4),
            found as i64,
        ]
    }),
    ("reference/look_at_nothing", |api| {
        let module = load(api);
        let mut out = allocate(api, 4);
        let function = kernel(api, module, c"look");
        vec![launch(api, function, 1, &mut [(&raw mut out).cast()]), api.cuCtxSynchronize()]
    }),
    ("reference/create", |api| {
        context(api);
        let mut reference = null_mut();
        vec![
            api.cuTexRefCreate(&mut reference),
            api.cuTexRefDestroy(reference),
            api.cuTexRefCreate(null_mut()),
            api.cuTexRefDestroy(null_mut()),
        ]
    }),
    ("reference/destroy_twice", |api| {
        let reference = reference(api);
        vec![api.cuTexRefDestroy(reference), api.cuTexRefDestroy(reference)]
    }),
    ("reference/destroy_of_module", |api| {
        let module = load(api);
        let mut texture = null_mut();
        must(api.cuModuleGetTexRef(&mut texture, module, c"image".as_ptr()));
        vec![api.cuTexRefDestroy(texture)]
    }),
    ("reference/set_array", |api| {
        let reference = reference(api);
        let (array, mut bound) = (floats(api, 0), null_mut());
        vec![
            api.cuTexRefGetArray(&mut bound, reference),
            api.cuTexRefSetArray(reference, array, 0),
            api.cuTexRefSetArray(reference, array, 2),
            api.cuTexRefSetArray(reference, array, 1),
            api.cuTexRefGetArray(&mut bound, reference),
            (bound == array).into(),
        ]
    }),
    ("reference/get_array_into_null", |api| {
        let reference = reference(api);
        let array = floats(api, 0);
        vec![api.cuTexRefSetArray(reference, array, 1), api.cuTexRefGetArray(null_mut(), reference)]
    }),
    ("reference/set_null_array", |api| {
        let reference = reference(api);
        vec![api.cuTexRefSetArray(reference, null_mut(), 1)]
    }),
    ("reference/set_array_of_null", |api| {
        context(api);
        let array = floats(api, 0);
        vec![api.cuTexRefSetArray(null_mut(), array, 1)]
    }),
    ("reference/set_mipmapped", |api| {
        let reference = reference(api);
        let mipmapped = mipmapped(api, &shape([16, 16, 0], FLOAT, 1, 0), 3);
        let (mut bound, mut array) = (null_mut(), null_mut());
        vec![
            api.cuTexRefGetMipmappedArray(&mut bound, reference),
            api.cuTexRefSetMipmappedArray(reference, mipmapped, 0),
            api.cuTexRefSetMipmappedArray(reference, mipmapped, 1),
            api.cuTexRefGetMipmappedArray(&mut bound, reference),
            (bound == mipmapped).into(),
            api.cuTexRefGetArray(&mut array, reference),
            api.cuTexRefSetMipmappedArray(reference, null_mut(), 1),
        ]
    }),
    ("reference/set_address", |api| {
        let reference = reference(api);
        let memory = allocate(api, 4096);
        let (mut offset, mut bound) = (77, 0);
        let mut answers = vec![
            api.cuTexRefGetAddress_v2(&mut bound, reference),
            api.cuTexRefSetFormat(reference, FLOAT, 1),
        ];
        for (beyond, size) in [(0, 4096), (512, 1024), (4, 1024), (0, 0), (0, 8192), (0, 1 << 40)] {
            offset = 77;
            answers.push(api.cuTexRefSetAddress_v2(&mut offset, reference, memory + beyond, size));
            answers.push(offset as i64);
        }
        answers.extend([
            api.cuTexRefGetAddress_v2(&mut bound, reference),
            (bound - memory) as i64,
            api.cuTexRefSetAddress_v2(null_mut(), reference, memory, 1024),
            api.cuTexRefSetAddress_v2(null_mut(), reference, memory + 4, 1024),
            api.cuTexRefSetAddress_v2(&mut offset, reference, 0, 0),
            api.cuTexRefGetAddress_v2(null_mut(), reference),
        ]);
        answers
    }),
    ("reference/set_plane", |api| {
        let reference = reference(api);
        let memory = allocate(api, 4096);
        let plane = |width, height, format, channels| CUDA_ARRAY_DESCRIPTOR {
            Width: width,
            Height: height,
            Format: format,
            NumChannels: channels,
        };
        let set = |shape: CUDA_ARRAY_DESCRIPTOR, beyond, pitch| {
            api.cuTexRefSetAddress2D_v3(reference, &shape, memory + beyond, pitch)
        };
        vec![
            set(plane(16, 16, FLOAT, 1), 0, 64),
            set(plane(16, 16, FLOAT, 1), 0, 128),
            set(plane(16, 16, FLOAT, 1), 0, 48),
            set(plane(16, 16, FLOAT, 1), 0, 32),
            set(plane(16, 16, FLOAT, 1), 4, 64),
            set(plane(16, 16, FLOAT, 1), 32, 64),
            set(plane(0, 16, FLOAT, 1), 0, 64),
            set(plane(16, 0, FLOAT, 1), 0, 64),
            set(plane(16, 16, FLOAT, 3), 0, 256),
            set(plane(16, 16, CUarray_format(0), 1), 0, 64),
            set(plane(16, 1024, FLOAT, 1), 0, 64),
            api.cuTexRefSetAddress2D_v3(reference, null(), memory, 64),
        ]
    }),
    ("reference/set_format", |api| {
        let reference = reference(api);
        let (mut format, mut channels) = (CUarray_format(77), 77);
        let mut answers = vec![
            api.cuTexRefGetFormat(&mut format, &mut channels, reference),
            format.0 as i64,
            channels.into(),
        ];
        for (code, count) in
            [(0x20, 1), (0x20, 3), (0x20, 0), (0x20, -1), (0, 1), (0x91, 4), (0xc0, 1)]
        {
            answers.push(api.cuTexRefSetFormat(reference, CUarray_format(code), count));
        }
        answers.extend([
            api.cuTexRefGetFormat(&mut format, &mut channels, reference),
            format.0 as i64,
            channels.into(),
            api.cuTexRefGetFormat(null_mut(), &mut channels, reference),
            api.cuTexRefGetFormat(&mut format, null_mut(), reference),
        ]);
        answers
    }),
    ("reference/modes", |api| {
        let reference = reference(api);
        let (mut address, mut filter) = (CUaddress_mode(77), CUfilter_mode(77));
        let mut answers = Vec::new();
        for axis in [-1, 0, 1, 2, 3] {
            answers.push(api.cuTexRefGetAddressMode(&mut address, reference, axis));
            answers.push(address.0.into());
            for mode in [0, 3, 4] {
                answers.push(api.cuTexRefSetAddressMode(reference, axis, CUaddress_mode(mode)));
            }
        }
        answers.extend([
            api.cuTexRefGetFilterMode(&mut filter, reference),
            filter.0.into(),
            api.cuTexRefSetFilterMode(reference, CUfilter_mode(1)),
            api.cuTexRefSetFilterMode(reference, CUfilter_mode(2)),
            api.cuTexRefGetMipmapFilterMode(&mut filter, reference),
            filter.0.into(),
            api.cuTexRefSetMipmapFilterMode(reference, CUfilter_mode(1)),
            api.cuTexRefSetMipmapFilterMode(reference, CUfilter_mode(2)),
            api.cuTexRefGetAddressMode(null_mut(), reference, 0),
            api.cuTexRefGetFilterMode(null_mut(), reference),
            api.cuTexRefGetMipmapFilterMode(null_mut(), reference),
        ]);
        answers
    }),
    ("reference/levels", |api| {
        let reference = reference(api);
        let (mut bias, mut least, mut greatest, mut anisotropy) = (77.0, 77.0, 77.0, 77);
        vec![
            api.cuTexRefGetMipmapLevelBias(&mut bias, reference),
            bias as i64,
            api.cuTexRefGetMipmapLevelClamp(&mut least, &mut greatest, reference),
            least as i64,
            greatest as i64,
            api.cuTexRefGetMaxAnisotropy(&mut anisotropy, reference),
            anisotropy.into(),
            api.cuTexRefSetMipmapLevelBias(reference, f32::NAN),
            api.cuTexRefSetMipmapLevelBias(reference, 2.0),
            api.cuTexRefGetMipmapLevelBias(&mut bias, reference),
            bias as i64,
            api.cuTexRefSetMipmapLevelClamp(reference, 3.0, 1.0),
            api.cuTexRefSetMaxAnisotropy(reference, 0),
            api.cuTexRefSetMaxAnisotropy(reference, 16),
            api.cuTexRefSetMaxAnisotropy(reference, 17),
            api.cuTexRefGetMaxAnisotropy(&mut anisotropy, reference),
            anisotropy.into(),
            api.cuTexRefGetMipmapLevelBias(null_mut(), reference),
            api.cuTexRefGetMipmapLevelClamp(null_mut(), &mut greatest, reference),
            api.cuTexRefGetMaxAnisotropy(null_mut(), reference),
        ]
    }),
    ("reference/flags", |api| {
        let reference = reference(api);
        let mut flags = 77;
        let mut answers = vec![api.cuTexRefGetFlags(&mut flags, reference), flags.into()];
        for bit in 0..9 {
            answers.push(api.cuTexRefSetFlags(reference, 1 << bit));
        }
        answers.extend([api.cuTexRefGetFlags(&mut flags, reference), flags.into()]);
        answers.push(api.cuTexRefGetFlags(null_mut(), reference));
        answers
    }),
    ("reference/border", |api| {
        let reference = reference(api);
        let (mut colour, mut read) = ([1.0, 2.0, f32::NAN, 4.0], [77_f32; 4]);
        vec![
            api.cuTexRefGetBorderColor(read.as_mut_ptr(), reference),
            read[0] as i64,
            api.cuTexRefSetBorderColor(reference, colour.as_mut_ptr()),
            api.cuTexRefGetBorderColor(read.as_mut_ptr(), reference),
            read[3] as i64,
            api.cuTexRefSetBorderColor(reference, null_mut()),
            api.cuTexRefGetBorderColor(null_mut(), reference),
        ]
    }),
    ("reference/of_null", |api| {
        context(api);
        let mut flags = 0;
        vec![
            api.cuTexRefSetFlags(null_mut(), 0),
            api.cuTexRefGetFlags(&mut flags, null_mut()),
            api.cuTexRefSetFormat(null_mut(), FLOAT, 1),
            api.cuTexRefSetFilterMode(null_mut(), CUfilter_mode(0)),
        ]
    }),
    ("reference/of_surface", |api| {
        let module = load(api);
        let mut surface = null_mut();
        must(api.cuModuleGetSurfRef(&mut surface, module, c"target".as_ptr()));
        let (plain, array, mut bound) =
            (floats(api, 0), floats(api, CUDA_ARRAY3D_SURFACE_LDST), null_mut());
        vec![
            api.cuSurfRefSetArray(surface, plain, 0),
            api.cuSurfRefSetArray(surface, array, 1),
            api.cuSurfRefSetArray(surface, array, 0),
            api.cuSurfRefGetArray(&mut bound, surface),
            (bound == array).into(),
        ]
    }),
    ("reference/set_null_array_of_surface", |api| {
        let module = load(api);
        let mut surface = null_mut();
        must(api.cuModuleGetSurfRef(&mut surface, module, c"target".as_ptr()));
        vec![api.cuSurfRefSetArray(surface, null_mut(), 0)]
    }),
];
