//! Questions about devices, occupancy and textures that no other file asks.

use std::ptr::null_mut;

use cuda_types::cuda::*;

use super::NamedCase;
use crate::setup::*;
use differential::api::Api;

fn nothing(api: &Api) -> CUfunction {
    let module = module(api);
    kernel(api, module, c"nothing")
}

fn config(blocks: u32, threads: u32, attributes: &mut [CUlaunchAttribute]) -> CUlaunchConfig {
    let mut config: CUlaunchConfig = zeroed();
    (config.gridDimX, config.gridDimY, config.gridDimZ) = (blocks, 1, 1);
    (config.blockDimX, config.blockDimY, config.blockDimZ) = (threads, 1, 1);
    (config.attrs, config.numAttrs) = (attributes.as_mut_ptr(), attributes.len() as u32);
    config
}

fn clusters(size: u32) -> CUlaunchAttribute {
    let mut attribute: CUlaunchAttribute = zeroed();
    attribute.id = CUlaunchAttributeID(4);
    attribute.value.clusterDim = CUlaunchAttributeValue_union__bindgen_ty_1 { x: size, y: 1, z: 1 };
    attribute
}

pub const CASES: &[NamedCase] = &[
    ("question/capability", |api, sheet| {
        must(api.cuInit(0));
        let (mut major, mut minor) = (0, 9);
        sheet.put("get", api.cuDeviceComputeCapability(&mut major, &mut minor, 0));
        sheet.put("device", api.cuDeviceComputeCapability(&mut major, &mut minor, 7));
        sheet.put("into_null", api.cuDeviceComputeCapability(null_mut(), null_mut(), 0));
    }),
    ("question/properties", |api, sheet| {
        must(api.cuInit(0));
        let mut properties: CUdevprop = zeroed();
        sheet.put("get", api.cuDeviceGetProperties(&mut properties, 0));
        sheet.put("threads", properties.maxThreadsPerBlock);
        sheet.put("block_z", properties.maxThreadsDim[2]);
        sheet.put("grid_y", properties.maxGridSize[1]);
        sheet.put("shared", properties.sharedMemPerBlock);
        sheet.put("constant", properties.totalConstantMemory);
        sheet.put("warp", properties.SIMDWidth);
        sheet.put("pitch", properties.memPitch);
        sheet.put("registers", properties.regsPerBlock);
        sheet.put("alignment", properties.textureAlign);
        sheet.put("device", api.cuDeviceGetProperties(&mut properties, 7));
        sheet.put("into_null", api.cuDeviceGetProperties(null_mut(), 0));
    }),
    ("question/identities", |api, sheet| {
        must(api.cuInit(0));
        let mut uuid: CUuuid = zeroed();
        sheet.put("uuid", api.cuDeviceGetUuid(&mut uuid, 0));
        sheet.put("uuid_device", api.cuDeviceGetUuid(&mut uuid, 7));
        sheet.put("uuid_into_null", api.cuDeviceGetUuid(null_mut(), 0));
        let (mut luid, mut mask) = ([0_i8; 8], 0);
        sheet.put("luid", api.cuDeviceGetLuid(luid.as_mut_ptr().cast(), &mut mask, 0));
        sheet.put("luid_into_null", api.cuDeviceGetLuid(null_mut(), null_mut(), 0));
    }),
    ("question/peers", |api, sheet| {
        must(api.cuInit(0));
        let mut value = 9;
        for attribute in [0, 1, 2, 3, 4, 5, 99] {
            let attribute = CUdevice_P2PAttribute(attribute);
            sheet.put(
                &format!("own_{}", attribute.0),
                api.cuDeviceGetP2PAttribute(&mut value, attribute, 0, 0),
            );
            sheet.put(
                &format!("far_{}", attribute.0),
                api.cuDeviceGetP2PAttribute(&mut value, attribute, 0, 7),
            );
        }
        sheet.put(
            "into_null",
            api.cuDeviceGetP2PAttribute(null_mut(), CUdevice_P2PAttribute(1), 0, 0),
        );
    }),
    ("question/texture_width", |api, sheet| {
        context(api);
        let mut width = 9;
        for (name, format, channels) in [
            ("bytes", 1, 1),
            ("byte_4", 1, 4),
            ("word", 3, 1),
            ("word_2", 3, 2),
            ("float_4", 32, 4),
            ("half", 16, 1),
            ("three", 32, 3),
            ("none", 32, 0),
            ("unknown", 7, 1),
        ] {
            let format = CUarray_format_enum(format);
            width = 9;
            sheet
                .put(name, api.cuDeviceGetTexture1DLinearMaxWidth(&mut width, format, channels, 0));
            sheet.put(&format!("{name}_is"), width as i64);
        }
        let format = CUarray_format_enum(32);
        sheet.put("device", api.cuDeviceGetTexture1DLinearMaxWidth(&mut width, format, 1, 7));
        sheet.put("into_null", api.cuDeviceGetTexture1DLinearMaxWidth(null_mut(), format, 1, 0));
    }),
    ("question/available_shared", |api, sheet| {
        let (function, mut bytes) = (nothing(api), 0);
        for (name, blocks, threads) in [
            ("one", 1, 128),
            ("two", 2, 128),
            ("many", 16, 128),
            ("too_many", 64, 128),
            ("large", 1, 1024),
            ("larger", 1, 2048),
            ("no_block", 0, 128),
            ("no_thread", 1, 0),
            ("negative", -1, 128),
        ] {
            bytes = 7;
            sheet.put(
                name,
                api.cuOccupancyAvailableDynamicSMemPerBlock(&mut bytes, function, blocks, threads),
            );
        }
        sheet.put(
            "null",
            api.cuOccupancyAvailableDynamicSMemPerBlock(&mut bytes, null_mut(), 1, 128),
        );
    }),
    ("question/occupancy_flags", |api, sheet| {
        let function = nothing(api);
        let (mut blocks, mut grid, mut block) = (9, 9, 9);
        for flags in [0, 1, 2] {
            let result = api.cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
                &mut blocks,
                function,
                256,
                0,
                flags,
            );
            sheet.put(&format!("blocks_{flags}"), result);
            sheet.put(&format!("blocks_{flags}_is"), blocks);
            let result = api.cuOccupancyMaxPotentialBlockSizeWithFlags(
                &mut grid, &mut block, function, None, 0, 0, flags,
            );
            sheet.put(&format!("size_{flags}"), result);
            sheet.put(&format!("size_{flags}_is"), block);
        }
        sheet.put(
            "null",
            api.cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
                &mut blocks,
                null_mut(),
                256,
                0,
                0,
            ),
        );
        sheet.put(
            "into_null",
            api.cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
                null_mut(),
                function,
                256,
                0,
                0,
            ),
        );
        sheet.put(
            "size_null",
            api.cuOccupancyMaxPotentialBlockSizeWithFlags(
                &mut grid,
                &mut block,
                null_mut(),
                None,
                0,
                0,
                0,
            ),
        );
    }),
    ("question/clusters", |api, sheet| {
        let function = nothing(api);
        let mut count = -1;
        for size in [0, 1, 2, 4, 8, 16, 32] {
            let mut attributes = [clusters(size)];
            let asked = config(64, 128, &mut attributes);
            sheet.put(
                &format!("active_{size}"),
                api.cuOccupancyMaxActiveClusters(&mut count, function, &asked),
            );
        }
        let asked = config(64, 128, &mut []);
        sheet.put("active_without", api.cuOccupancyMaxActiveClusters(&mut count, function, &asked));
        sheet.put("largest", api.cuOccupancyMaxPotentialClusterSize(&mut count, function, &asked));
        sheet.put("largest_is", count);
        sheet.put(
            "largest_null",
            api.cuOccupancyMaxPotentialClusterSize(&mut count, null_mut(), &asked),
        );
        sheet.put(
            "largest_into_null",
            api.cuOccupancyMaxPotentialClusterSize(null_mut(), function, &asked),
        );
        sheet.put(
            "null_config",
            api.cuOccupancyMaxActiveClusters(&mut count, function, std::ptr::null()),
        );
    }),
    ("question/mipmapped_requirements", |api, sheet| {
        context(api);
        let mut requirements: CUDA_ARRAY_MEMORY_REQUIREMENTS = zeroed();
        let plain = mipmapped(api, &shape([64, 64, 0], CUarray_format_enum(32), 1, 0), 3);
        sheet.put("plain", api.cuMipmappedArrayGetMemoryRequirements(&mut requirements, plain, 0));
        sheet.put(
            "null",
            api.cuMipmappedArrayGetMemoryRequirements(&mut requirements, null_mut(), 0),
        );
        sheet.put("into_null", api.cuMipmappedArrayGetMemoryRequirements(null_mut(), plain, 0));
        sheet.put("device", api.cuMipmappedArrayGetMemoryRequirements(&mut requirements, plain, 7));
    }),
    ("question/reference_plane", |api, sheet| {
        context(api);
        let (mut reference, memory) = (null_mut(), allocate(api, 1 << 16));
        must(api.cuTexRefCreate(&mut reference));
        let shape = CUDA_ARRAY_DESCRIPTOR {
            Width: 16,
            Height: 16,
            Format: CUarray_format_enum(32),
            NumChannels: 1,
        };
        sheet.put("set", api.cuTexRefSetAddress2D_v2(reference, &shape, memory, 512));
        sheet.put("odd_pitch", api.cuTexRefSetAddress2D_v2(reference, &shape, memory, 72));
        sheet.put("narrow", api.cuTexRefSetAddress2D_v2(reference, &shape, memory, 32));
        sheet.put(
            "null_shape",
            api.cuTexRefSetAddress2D_v2(reference, std::ptr::null(), memory, 512),
        );
        sheet.put("null", api.cuTexRefSetAddress2D_v2(null_mut(), &shape, memory, 512));
    }),
    ("question/wide_map", |api, sheet| {
        context(api);
        let (memory, mut map) = (allocate(api, 1 << 20), CUtensorMap { opaque: [0; 16] });
        let (dims, strides, steps) = ([64_u64, 16, 16, 4], [256_u64, 4096, 65536], [1_u32; 4]);
        for (name, mode) in [("w", 0), ("w128", 1), ("mode_2", 2)] {
            let result = api.cuTensorMapEncodeIm2colWide(
                &mut map,
                CUtensorMapDataType_enum(2),
                4,
                memory as *mut _,
                dims.as_ptr(),
                strides.as_ptr(),
                0,
                0,
                32,
                32,
                steps.as_ptr(),
                CUtensorMapInterleave_enum(0),
                CUtensorMapIm2ColWideMode_enum(mode),
                CUtensorMapSwizzle_enum(3),
                CUtensorMapL2promotion_enum(0),
                CUtensorMapFloatOOBfill_enum(0),
            );
            sheet.put(name, result);
        }
    }),
];
