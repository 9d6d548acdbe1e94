//! Texture and surface objects of AMD GPUs: descriptions in device memory, which kernels read
//! ([`simt_abi::texture_object`]).

use crate::core::device::backend::DeviceContext;
use crate::core::device::driver::driver;
use crate::core::device::texture::{ArrayStorage, Level, MipmappedStorage, Texels};
use cuda_types::cuda::{
    CU_TRSF_NORMALIZED_COORDINATES, CU_TRSF_READ_AS_INTEGER, CU_TRSF_SEAMLESS_CUBEMAP,
    CU_TRSF_SRGB, CUDA_ARRAY3D_CUBEMAP, CUDA_ARRAY3D_DESCRIPTOR, CUDA_ARRAY3D_LAYERED,
    CUDA_RESOURCE_DESC, CUDA_RESOURCE_VIEW_DESC, CUDA_TEXTURE_DESC, CUerror, CUres, CUresourcetype,
};
use hip_runtime_sys::hipMemcpyKind;
use parking_lot::Mutex;
use simt_abi::texel_format::Format;
use simt_abi::texture_object::{
    HANDLE_TAG, LIVE, MOST_LEVELS, TextureObject, TextureObjectLevel, TextureObjectSampler,
    TextureShape,
};
use std::ffi::c_void;
use std::ptr::null_mut;

/// The texels that an object shows.
#[derive(Clone, Debug)]
pub(super) struct Image {
    shape: TextureShape,
    axes: u32,
    format: Format,
    levels: Vec<TextureObjectLevel>,
}

/// `CU_RES_VIEW_FORMAT_UNSIGNED_BC7`
const LAST_VIEW_FORMAT: u32 = 34;

impl Image {
    /// The texels of a checked resource.
    pub(super) fn of(texels: Texels, description: &CUDA_RESOURCE_DESC) -> CUres<Image> {
        match texels {
            Texels::Array(descriptor, storage) => Image::array(descriptor, storage),
            Texels::Mipmapped(descriptor, storage) => Image::mipmapped(descriptor, storage),
            // SAFETY: the type says which part of the union is meant; both are plain data.
            Texels::Memory => unsafe {
                if description.resType == CUresourcetype::CU_RESOURCE_TYPE_LINEAR {
                    let linear = description.res.linear;
                    let bytes = linear.sizeInBytes;
                    Image::linear(linear.devPtr, bytes, linear.format.0, linear.numChannels)
                } else {
                    let plane = description.res.pitch2D;
                    let size = [plane.width, plane.height];
                    let pitch = plane.pitchInBytes;
                    Image::plane(plane.devPtr, size, pitch, plane.format.0, plane.numChannels)
                }
            },
        }
    }

    fn of_array(d: &CUDA_ARRAY3D_DESCRIPTOR, levels: Vec<TextureObjectLevel>) -> CUres<Image> {
        let (layered, cube) =
            (d.Flags & CUDA_ARRAY3D_LAYERED != 0, d.Flags & CUDA_ARRAY3D_CUBEMAP != 0);
        let (shape, axes) = match (layered, cube) {
            (true, true) => (TextureShape::CubeLayers, 2),
            (false, true) => (TextureShape::Cube, 2),
            (true, false) => (TextureShape::Layers, if d.Height == 0 { 1 } else { 2 }),
            (false, false) => match (d.Height, d.Depth) {
                (0, _) => (TextureShape::Axes, 1),
                (_, 0) => (TextureShape::Axes, 2),
                _ => (TextureShape::Axes, 3),
            },
        };
        let format = Format::of(d.Format.0, d.NumChannels).ok_or(CUerror::NOT_SUPPORTED)?;
        Ok(Image { shape, axes, format, levels })
    }

    /// The texels of an array; `INVALID_VALUE` where they are not in memory, `NOT_SUPPORTED` for formats that kernels
    /// do not sample.
    pub(super) fn array(
        descriptor: &CUDA_ARRAY3D_DESCRIPTOR,
        storage: &dyn ArrayStorage,
    ) -> CUres<Image> {
        let level = storage.level().ok_or(CUerror::INVALID_VALUE)?;
        Image::of_array(descriptor, vec![object_level(&level)])
    }

    fn mipmapped(
        descriptor: &CUDA_ARRAY3D_DESCRIPTOR,
        storage: &dyn MipmappedStorage,
    ) -> CUres<Image> {
        let levels = storage.levels().ok_or(CUerror::INVALID_VALUE)?;
        Image::of_array(descriptor, levels.iter().map(object_level).collect())
    }

    /// Rows of memory.
    fn linear(address: u64, bytes: usize, code: u32, channels: u32) -> CUres<Image> {
        let format = Format::of(code, channels).ok_or(CUerror::INVALID_VALUE)?;
        let width = bytes / format.size();
        let level = TextureObjectLevel {
            start: address,
            pitch: bytes as u64,
            width: width as u32,
            height: 1,
            depth: 1,
            ..TextureObjectLevel::default()
        };
        Ok(Image { shape: TextureShape::Linear, axes: 1, format, levels: vec![level] })
    }

    fn plane(
        address: u64,
        [width, height]: [usize; 2],
        pitch: usize,
        code: u32,
        channels: u32,
    ) -> CUres<Image> {
        let format = Format::of(code, channels).ok_or(CUerror::INVALID_VALUE)?;
        let level = TextureObjectLevel {
            start: address,
            pitch: pitch as u64,
            width: width as u32,
            height: height as u32,
            depth: 1,
            ..TextureObjectLevel::default()
        };
        Ok(Image { shape: TextureShape::Axes, axes: 2, format, levels: vec![level] })
    }

    /// Restricts an image to some of its levels and layers, with another format of the same size.
    pub(super) fn apply_view(&mut self, view: &CUDA_RESOURCE_VIEW_DESC) -> CUres {
        if let Some(format) = Format::of_view(view.format.0) {
            if format.size() != self.format.size() {
                return Err(CUerror::INVALID_VALUE);
            }
            let (old, new) = (self.format.block_side() as u32, format.block_side() as u32);
            for level in &mut self.levels {
                (level.width, level.height) = (level.width / old * new, level.height / old * new);
            }
            self.format = format;
        } else if view.format.0 > LAST_VIEW_FORMAT {
            return Err(CUerror::INVALID_VALUE);
        }
        // What is beyond the image means its last level or layer.
        let within = |first: u32, last: u32, count: u32| {
            let end = |number: u32| number.min(count.saturating_sub(1));
            if first > last { Err(CUerror::INVALID_VALUE) } else { Ok((end(first), end(last))) }
        };
        let count = self.levels.len() as u32;
        let (first, last) = within(view.firstMipmapLevel, view.lastMipmapLevel, count)?;
        self.levels.truncate(last as usize + 1);
        self.levels.drain(..first as usize);
        if matches!(self.shape, TextureShape::Layers | TextureShape::CubeLayers) {
            for level in &mut self.levels {
                let (first, last) = within(view.firstLayer, view.lastLayer, level.depth)?;
                level.start += u64::from(first) * level.slice;
                level.depth = last + 1 - first;
            }
        }
        Ok(())
    }

    fn object(&self) -> TextureObject {
        let mut object = TextureObject {
            mark: LIVE,
            shape: self.shape as u32,
            axes: self.axes,
            level_count: self.levels.len().min(MOST_LEVELS) as u32,
            ..TextureObject::default()
        };
        object.set_format(self.format);
        for (to, level) in object.levels.iter_mut().zip(&self.levels) {
            *to = *level;
        }
        object
    }
}

fn object_level(level: &Level) -> TextureObjectLevel {
    let Level { start, pitch, slice, texels: [width, height, depth] } = *level;
    TextureObjectLevel { start, pitch, slice, width, height, depth, unused: 0 }
}

/// Makes the object of a checked description; returns its handle.
pub(super) fn create_texture(
    context: &dyn DeviceContext,
    image: &Image,
    description: &CUDA_TEXTURE_DESC,
) -> CUres<u64> {
    let d = description;
    // Formats of sRGB say so twice.
    if image.format.srgb && d.flags & CU_TRSF_SRGB == 0 {
        return Err(CUerror::INVALID_VALUE);
    }
    let has = |flag: u32| u32::from(d.flags & flag != 0);
    let object = TextureObject {
        as_integers: has(CU_TRSF_READ_AS_INTEGER),
        srgb: has(CU_TRSF_SRGB),
        sampler: TextureObjectSampler {
            // Axes that do not matter may have any mode.
            address: d.addressMode.map(|mode| if mode.0 <= 3 { mode.0 } else { 1 }),
            linear: d.filterMode.0,
            linear_levels: d.mipmapFilterMode.0,
            normalized: has(CU_TRSF_NORMALIZED_COORDINATES),
            seamless: has(CU_TRSF_SEAMLESS_CUBEMAP),
            bias: d.mipmapLevelBias,
            least_level: d.minMipmapLevelClamp,
            greatest_level: d.maxMipmapLevelClamp,
            border: d.borderColor,
        },
        ..image.object()
    };
    put(context, &object)
}

/// Makes a surface object, and returns its handle.
pub(super) fn create_surface(context: &dyn DeviceContext, image: &Image) -> CUres<u64> {
    let sampler = TextureObjectSampler { address: [1; 3], ..TextureObjectSampler::default() };
    put(context, &TextureObject { surface: 1, as_integers: 1, sampler, ..image.object() })
}

/// Copies an object to the device.
fn put(context: &dyn DeviceContext, object: &TextureObject) -> CUres<u64> {
    let hip = &context.driver().hip;
    let bytes = object.bytes();
    let mut address: *mut c_void = null_mut();
    // SAFETY: `address` outlives the call.
    context.check(unsafe { hip.hipMalloc(&mut address, bytes.len()) })?;
    let handle = HANDLE_TAG | address as u64;
    // SAFETY: the memory has just been allocated, with room for the object.
    let copied = context.check(unsafe {
        let kind = hipMemcpyKind::hipMemcpyHostToDevice;
        hip.hipMemcpy(address, bytes.as_ptr().cast(), bytes.len(), kind)
    });
    if let Err(error) = copied {
        destroy(handle);
        return Err(error);
    }
    Ok(handle)
}

/// Descriptions whose objects the program has destroyed. Kernels that were launched before may still read them, and
/// the provider waits for all kernels where it frees memory; an H100 does not wait.
static RETIRED: Mutex<Vec<u64>> = Mutex::new(Vec::new());
const MOST_RETIRED: usize = 1024;

/// Ends an object that [`create_texture`] or [`create_surface`] made. Waits for kernels once in a while only.
pub(super) fn destroy(handle: u64) {
    let mut retired = RETIRED.lock();
    retired.push(handle);
    if retired.len() >= MOST_RETIRED {
        drop(retired);
        free_retired();
    }
}

/// Frees what the objects that have ended have left.
pub(super) fn free_retired() {
    let Ok(driver) = driver() else { return };
    for handle in std::mem::take(&mut *RETIRED.lock()) {
        let address = handle & !(0xffff << 48);
        // SAFETY: the memory is that of an object; the provider waits for kernels that may read it.
        let _ = unsafe { driver.hip.hipFree(address as *mut c_void) };
    }
}
