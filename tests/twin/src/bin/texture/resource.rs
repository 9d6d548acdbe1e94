//! What a case samples: an array, a mipmapped array or memory, filled with numbers that can be told apart.

use std::ffi::c_void;
use std::ptr::null_mut;

use cuda_types::cuda::*;
use twin::api::Api;

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
    fn texel(&self) -> usize {
        self.format.size * self.channels
    }

    /// The bytes of `count` texels.
    fn bytes(&self, count: usize) -> Vec<u8> {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut bytes = Vec::new();
        for index in 0..count * self.channels {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let noise = (state >> 33) as u32;
            let step = (index / self.channels % 2) as u32;
            let float = match self.fill {
                Fill::Noise => (noise & 0xff_ffff) as f32 / (1 << 21) as f32 - 4.0,
                Fill::Steps | Fill::Ramp => step as f32,
            };
            let integer = match (self.fill, self.format.kind) {
                (Fill::Ramp, _) => (index / self.channels) as u32,
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
        let [width, height, depth] = self.level_size(level);
        let (height, depth) = (height.max(1), depth.max(1));
        let bytes = self.bytes(width * height * depth);
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
                let bytes = self.bytes(width * rows);
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
        let [width, height, depth] = self.size;
        let (height, depth) = (height.max(1), depth.max(1));
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
