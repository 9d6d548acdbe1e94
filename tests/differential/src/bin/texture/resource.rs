//! The resource that a case samples: an array, a mipmapped array or memory, filled with numbers that can be told apart.

use std::ffi::c_void;
use std::ptr::null_mut;

use cuda_types::cuda::*;
use differential::api::Api;

use crate::random::Random;

/// The channels of a texel: `CU_AD_FORMAT_*`, bytes of a channel, channels.
#[derive(Clone, Copy)]
pub struct Format {
    pub name: &'static str,
    pub code: u32,
    pub size: usize,
    pub kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Unsigned,
    Signed,
    Float,
    /// A block of 4 x 4 texels, of `size` bytes.
    Block,
}

pub const FORMATS: &[Format] = &[
    Format { name: "u8", code: 1, size: 1, kind: Kind::Unsigned },
    Format { name: "u16", code: 2, size: 2, kind: Kind::Unsigned },
    Format { name: "u32", code: 3, size: 4, kind: Kind::Unsigned },
    Format { name: "s8", code: 8, size: 1, kind: Kind::Signed },
    Format { name: "s16", code: 9, size: 2, kind: Kind::Signed },
    Format { name: "s32", code: 10, size: 4, kind: Kind::Signed },
    Format { name: "f16", code: 16, size: 2, kind: Kind::Float },
    Format { name: "f32", code: 32, size: 4, kind: Kind::Float },
];

/// Formats of blocks, and their channels.
pub const BLOCKS: &[(Format, usize)] = &[
    (block("bc1", 0x91, 8), 4),
    (block("bc1_srgb", 0x92, 8), 4),
    (block("bc2", 0x93, 16), 4),
    (block("bc2_srgb", 0x94, 16), 4),
    (block("bc3", 0x95, 16), 4),
    (block("bc3_srgb", 0x96, 16), 4),
    (block("bc4", 0x97, 8), 1),
    (block("bc4_signed", 0x98, 8), 1),
    (block("bc5", 0x99, 16), 2),
    (block("bc5_signed", 0x9a, 16), 2),
    (block("bc6h", 0x9b, 16), 3),
    (block("bc6h_signed", 0x9c, 16), 3),
    (block("bc7", 0x9d, 16), 4),
    (block("bc7_srgb", 0x9e, 16), 4),
];

const fn block(name: &'static str, code: u32, size: usize) -> Format {
    Format { name, code, size, kind: Kind::Block }
}

/// The format of this name; panics if there is none.
pub fn format(name: &str) -> Format {
    *FORMATS.iter().find(|format| format.name == name).unwrap()
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Store {
    Array,
    Mipmapped(u32),
    Linear,
    Pitch,
}

/// Texels of what is sampled.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Fill {
    /// Any numbers that the format has; floats from -4 to 4.
    Noise,
    /// 0 and 1 in turn, so that the weights of a linear filter can be read off.
    Steps,
    /// 0, 1, 2, ... of formats of 8 bits.
    Ramp,
    /// The greatest and least numbers of the format, and those beside them and 0.
    Ends,
    /// The number of the level.
    Levels,
}

#[derive(Clone, Copy)]
pub struct Resource {
    pub store: Store,
    pub size: [usize; 3],
    /// `CUDA_ARRAY3D_*`
    pub flags: u32,
    pub format: Format,
    pub channels: usize,
    pub fill: Fill,
}

/// A resource on the device.
pub struct Made {
    pub description: CUDA_RESOURCE_DESC,
    array: CUarray,
    mipmapped: CUmipmappedArray,
    memory: CUdeviceptr,
}

fn ok(code: i64) -> Result<(), i64> {
    if code == 0 { Ok(()) } else { Err(code) }
}

impl Resource {
    /// Bytes of a texel, or of a block of them.
    fn texel(&self) -> usize {
        if self.format.kind == Kind::Block {
            self.format.size
        } else {
            self.format.size * self.channels
        }
    }

    /// The number of texels or blocks along each axis.
    fn grid(&self, size: [usize; 3]) -> [usize; 3] {
        let [width, height, depth] = size.map(|side| side.max(1));
        if self.format.kind == Kind::Block {
            [width.div_ceil(4), height.div_ceil(4), depth]
        } else {
            [width, height, depth]
        }
    }

    /// Blocks of any bytes, in each of a format's modes in turn.
    fn blocks(&self, count: usize) -> Vec<u8> {
        const MODES_OF_BC6H: [u8; 16] = [0, 1, 2, 6, 10, 14, 18, 22, 26, 30, 3, 7, 11, 15, 19, 31];
        let mut state = 0x1234_5678_9abc_def0_u64;
        let mut bytes = vec![0; count * self.format.size];
        for byte in &mut bytes {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            *byte = (state >> 40) as u8;
        }
        for (index, block) in bytes.chunks_mut(self.format.size).enumerate() {
            match self.format.code {
                0x9b | 0x9c => {
                    let mode = MODES_OF_BC6H[index % MODES_OF_BC6H.len()];
                    let bits = if mode < 2 { 3 } else { 31 };
                    block[0] = block[0] & !bits | mode;
                }
                0x9d | 0x9e => {
                    let mode = index as u32 % 9;
                    // The eighth and ninth have no mode, or whatever the bytes say.
                    if mode < 8 {
                        block[0] = (u32::from(block[0]) << (mode + 1)) as u8 | 1 << mode;
                    }
                }
                _ => {}
            }
        }
        bytes
    }

    /// The bytes of `count` texels of a level.
    fn bytes(&self, count: usize, level: u32) -> Vec<u8> {
        if self.format.kind == Kind::Block {
            return self.blocks(count);
        }
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        let mut bytes = Vec::new();
        for index in 0..count * self.channels {
            let noise = random.word() >> 1;
            let step = (index / self.channels % 2) as u32;
            let float = match self.fill {
                Fill::Noise => (noise & 0xff_ffff) as f32 / (1 << 21) as f32 - 4.0,
                Fill::Levels => level as f32,
                Fill::Ends => [0.0, 1.0, -1.0, 65504.0, -65504.0, 1e-7][noise as usize % 6],
                Fill::Steps | Fill::Ramp => step as f32,
            };
            let most = u32::MAX >> (32 - 8 * self.format.size as u32);
            let least = most / 2 + 1;
            let integer = match (self.fill, self.format.kind) {
                (Fill::Ramp, _) => (index / self.channels) as u32,
                (Fill::Levels, _) => level,
                (Fill::Ends, _) => {
                    [0, 1, most, most - 1, least, least + 1, least - 1][noise as usize % 7]
                }
                (Fill::Noise, _) => noise.rotate_left(16) ^ noise,
                (Fill::Steps, Kind::Signed) => {
                    step * (u32::MAX >> (33 - 8 * self.format.size as u32))
                }
                (Fill::Steps, _) => step * u32::MAX,
            };
            match (self.format.kind, self.format.size) {
                (Kind::Float, 2) => bytes.extend(half(float).to_le_bytes()),
                (Kind::Float, _) => bytes.extend(float.to_le_bytes()),
                (_, size) => bytes.extend(&integer.to_le_bytes()[..size]),
            }
        }
        bytes
    }

    /// Layers, faces or slices of a level.
    fn level_size(&self, level: u32) -> [usize; 3] {
        let smaller = |size: usize| if size == 0 { 0 } else { (size >> level).max(1) };
        let [width, height, depth] = self.size;
        let layered = self.flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP) != 0;
        [smaller(width), smaller(height), if layered { depth } else { smaller(depth) }]
    }

    fn fill_array(&self, api: &Api, array: CUarray, level: u32) -> Result<(), i64> {
        let [width, height, depth] = self.grid(self.level_size(level));
        let bytes = self.bytes(width * height * depth, level);
        // SAFETY: all zeros is a description of a copy.
        let mut copy: CUDA_MEMCPY3D = unsafe { std::mem::zeroed() };
        copy.srcMemoryType = CUmemorytype::CU_MEMORYTYPE_HOST;
        copy.srcHost = bytes.as_ptr().cast();
        copy.srcPitch = width * self.texel();
        copy.srcHeight = height;
        copy.dstMemoryType = CUmemorytype::CU_MEMORYTYPE_ARRAY;
        copy.dstArray = array;
        copy.WidthInBytes = width * self.texel();
        copy.Height = height;
        copy.Depth = depth;
        ok(api.cuMemcpy3D_v2(&copy))
    }

    /// Makes and fills the array or memory; fails with the driver's code.
    pub fn make(&self, api: &Api) -> Result<Made, i64> {
        // SAFETY: all zeros is a description of a resource.
        let mut description: CUDA_RESOURCE_DESC = unsafe { std::mem::zeroed() };
        let mut made = Made { description, array: null_mut(), mipmapped: null_mut(), memory: 0 };
        let [width, height, depth] = self.size;
        let shape = CUDA_ARRAY3D_DESCRIPTOR {
            Width: width,
            Height: height,
            Depth: depth,
            Format: CUarray_format(self.format.code),
            NumChannels: self.channels as u32,
            Flags: self.flags,
        };
        match self.store {
            Store::Array => {
                ok(api.cuArray3DCreate_v2(&mut made.array, &shape))?;
                self.fill_array(api, made.array, 0)?;
                description.resType = CUresourcetype::CU_RESOURCE_TYPE_ARRAY;
                description.res.array.hArray = made.array;
            }
            Store::Mipmapped(levels) => {
                ok(api.cuMipmappedArrayCreate(&mut made.mipmapped, &shape, levels))?;
                for level in 0..levels {
                    let mut array = null_mut();
                    ok(api.cuMipmappedArrayGetLevel(&mut array, made.mipmapped, level))?;
                    self.fill_array(api, array, level)?;
                }
                description.resType = CUresourcetype::CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
                description.res.mipmap.hMipmappedArray = made.mipmapped;
            }
            Store::Linear | Store::Pitch => {
                let row = width * self.texel();
                let pitch =
                    if self.store == Store::Pitch { row.next_multiple_of(512) } else { row };
                let rows = height.max(1);
                ok(api.cuMemAlloc_v2(&mut made.memory, pitch * rows))?;
                let bytes = self.bytes(width * rows, 0);
                for y in 0..rows {
                    let from = bytes[y * row..].as_ptr().cast::<c_void>();
                    ok(api.cuMemcpyHtoD_v2(made.memory + (y * pitch) as u64, from, row))?;
                }
                if self.store == Store::Linear {
                    description.resType = CUresourcetype::CU_RESOURCE_TYPE_LINEAR;
                    description.res.linear = CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3 {
                        devPtr: made.memory,
                        format: shape.Format,
                        numChannels: shape.NumChannels,
                        sizeInBytes: row,
                    };
                } else {
                    description.resType = CUresourcetype::CU_RESOURCE_TYPE_PITCH2D;
                    description.res.pitch2D = CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4 {
                        devPtr: made.memory,
                        format: shape.Format,
                        numChannels: shape.NumChannels,
                        width,
                        height,
                        pitchInBytes: pitch,
                    };
                }
            }
        }
        made.description = description;
        Ok(made)
    }

    /// The bytes of an array, which a kernel may have written.
    pub fn read(&self, api: &Api, made: &Made) -> Result<Vec<u8>, i64> {
        let [width, height, depth] = self.grid(self.size);
        let mut bytes = vec![0; width * height * depth * self.texel()];
        // SAFETY: all zeros is a description of a copy.
        let mut copy: CUDA_MEMCPY3D = unsafe { std::mem::zeroed() };
        copy.srcMemoryType = CUmemorytype::CU_MEMORYTYPE_ARRAY;
        copy.srcArray = made.array;
        copy.dstMemoryType = CUmemorytype::CU_MEMORYTYPE_HOST;
        copy.dstHost = bytes.as_mut_ptr().cast();
        copy.dstPitch = width * self.texel();
        copy.dstHeight = height;
        copy.WidthInBytes = width * self.texel();
        copy.Height = height;
        copy.Depth = depth;
        ok(api.cuMemcpy3D_v2(&copy))?;
        Ok(bytes)
    }
}

impl Made {
    /// Frees the array or memory.
    pub fn end(self, api: &Api) {
        if !self.array.is_null() {
            api.cuArrayDestroy(self.array);
        }
        if !self.mipmapped.is_null() {
            api.cuMipmappedArrayDestroy(self.mipmapped);
        }
        if self.memory != 0 {
            api.cuMemFree_v2(self.memory);
        }
    }
}

/// A half of a float that is in its range; the fraction is cut.
fn half(value: f32) -> u16 {
    let bits = value.to_bits();
    let sign = (bits >> 16) as u16 & 0x8000;
    let exponent = (bits >> 23 & 0xff) as i32 - 112;
    if exponent <= 0 { sign } else { sign | (exponent as u16) << 10 | (bits >> 13 & 0x3ff) as u16 }
}
