//! Texture and surface objects.

use std::sync::Arc;

use hip_runtime_sys::{
    HIP_RESOURCE_DESC, HIP_RESOURCE_VIEW_DESC, HIP_TEXTURE_DESC, HIPresourcetype, hipError_t,
    hipResourceDesc, hipResourceType, hipSurfaceObject_t, hipTextureObject_t,
};

use simt_abi::texture_object::{TextureObject, TextureObjectSampler};

use super::{INVALID, Result, hip_api, put};
use crate::core::array::{Array, CUBEMAP, LAYERED, Level};
use crate::core::context::{self, current};
use crate::core::copy::PitchedPtr;
use crate::core::format::Format;
use crate::core::tables::tables;
use crate::core::texture::{self, Address, Geometry, Object, Owner};

const READ_AS_INTEGER: u32 = 1;
const NORMALIZED: u32 = 2;
const SRGB: u32 = 16;
const SEAMLESS: u32 = 64;
/// `HIP_RES_VIEW_FORMAT_UNSIGNED_BC7`
const LAST_VIEW_FORMAT: u32 = 34;

fn geometry(array: &Array) -> Geometry {
    let d = &array.descriptor;
    match (d.Flags & LAYERED != 0, d.Flags & CUBEMAP != 0) {
        (true, true) => Geometry::CubeLayers,
        (false, true) => Geometry::Cube,
        (true, false) => Geometry::Layers(if d.Height == 0 { 1 } else { 2 }),
        (false, false) => Geometry::Axes(match (d.Height, d.Depth) {
            (0, _) => 1,
            (_, 0) => 2,
            _ => 3,
        }),
    }
}

/// The image that a resource descriptor names.
struct Resource {
    owner: Owner,
    geometry: Geometry,
    levels: Vec<Level>,
    format: Format,
}

fn array_resource(array: Arc<Array>) -> Resource {
    Resource {
        geometry: geometry(&array),
        levels: vec![array.level],
        format: array.format,
        owner: Owner::Array(array),
    }
}

/// Memory of the program as an image. Whose it is and where it ends is asked when a kernel fetches from it, as on CUDA's devices.
fn memory_resource(
    start: usize,
    format: (u32, u32),
    [width, height]: [usize; 2],
    pitch: usize,
    geometry: Geometry,
) -> Result<Resource> {
    let format = Format::of(format.0, format.1).filter(|it| it.block.is_none()).ok_or(INVALID)?;
    let row = width.checked_mul(format.size()).ok_or(INVALID)?;
    if width == 0 || height == 0 || !start.is_multiple_of(format.channel.size()) {
        return Err(INVALID);
    }
    let ptr = PitchedPtr { start, pitch, slice: 0 };
    let bytes = pitch.checked_mul(height - 1).and_then(|rows| rows.checked_add(row));
    bytes.and_then(|bytes| start.checked_add(bytes)).ok_or(INVALID)?;
    let level = Level { ptr, width, height, depth: 1 };
    Ok(Resource { owner: Owner::Memory, geometry, levels: vec![level], format })
}

fn resource(description: &HIP_RESOURCE_DESC) -> Result<Resource> {
    let tables = tables();
    // SAFETY: the type says which part of the union is meant; all of them are plain data.
    unsafe {
        match description.resType {
            HIPresourcetype::HIP_RESOURCE_TYPE_ARRAY => {
                let array = tables.arrays.get(description.res.array.hArray);
                Ok(array_resource(array.ok_or(hipError_t::hipErrorInvalidHandle)?))
            }
            HIPresourcetype::HIP_RESOURCE_TYPE_MIPMAPPED_ARRAY => {
                let array = tables.mipmapped.get(description.res.mipmap.hMipmappedArray);
                let array = array.ok_or(hipError_t::hipErrorInvalidHandle)?;
                let first = array.levels.first().ok_or(INVALID)?;
                Ok(Resource {
                    geometry: geometry(first),
                    levels: array.levels.iter().map(|level| level.level).collect(),
                    format: first.format,
                    owner: Owner::Mipmapped(array),
                })
            }
            HIPresourcetype::HIP_RESOURCE_TYPE_LINEAR => {
                let linear = description.res.linear;
                let format = (linear.format.0, linear.numChannels);
                let texel = Format::of(format.0, format.1).ok_or(INVALID)?.size();
                let width = linear.sizeInBytes / texel;
                memory_resource(
                    linear.devPtr.addr(),
                    format,
                    [width, 1],
                    linear.sizeInBytes,
                    Geometry::Linear,
                )
            }
            HIPresourcetype::HIP_RESOURCE_TYPE_PITCH2D => {
                let plane = description.res.pitch2D;
                let format = (plane.format.0, plane.numChannels);
                let size = [plane.width, plane.height];
                memory_resource(
                    plane.devPtr.addr(),
                    format,
                    size,
                    plane.pitchInBytes,
                    Geometry::Axes(2),
                )
            }
            _ => Err(INVALID),
        }
    }
}

/// Restricts a resource to some of its levels and layers, with another format of the same size.
fn apply_view(resource: &mut Resource, view: &HIP_RESOURCE_VIEW_DESC) -> Result {
    if let Some(format) = Format::of_view(view.format.0) {
        if format.size() != resource.format.size() {
            return Err(INVALID);
        }
        let (old, new) = (resource.format.block_side(), format.block_side());
        for level in &mut resource.levels {
            (level.width, level.height) = (level.width / old * new, level.height / old * new);
        }
        resource.format = format;
    } else if view.format.0 > LAST_VIEW_FORMAT {
        return Err(INVALID);
    } else if view.format.0 != 0 {
        // Blocks of texels.
        return Err(hipError_t::hipErrorNotSupported);
    }
    // What is beyond the image means its last level or layer.
    let within = |first: u32, last: u32, count: usize| {
        let end = |number: u32| (number as usize).min(count.saturating_sub(1));
        if first > last { Err(INVALID) } else { Ok((end(first), end(last))) }
    };
    let (first, last) = within(view.firstMipmapLevel, view.lastMipmapLevel, resource.levels.len())?;
    resource.levels.truncate(last + 1);
    resource.levels.drain(..first);
    if matches!(resource.geometry, Geometry::Layers(_) | Geometry::CubeLayers) {
        for level in &mut resource.levels {
            let (first, last) = within(view.firstLayer, view.lastLayer, level.depth)?;
            level.ptr.start += first * level.ptr.slice;
            level.depth = last + 1 - first;
        }
    }
    Ok(())
}

fn sampler(description: &HIP_TEXTURE_DESC) -> Result<TextureObjectSampler> {
    let mut address = [0; 3];
    for (mode, code) in address.iter_mut().zip(description.addressMode) {
        *mode = Address::of(code.0).ok_or(INVALID)? as u32;
    }
    let linear = |code: u32| match code {
        0 | 1 => Ok(code),
        _ => Err(INVALID),
    };
    Ok(TextureObjectSampler {
        address,
        linear: linear(description.filterMode.0)?,
        linear_levels: linear(description.mipmapFilterMode.0)?,
        normalized: u32::from(description.flags & NORMALIZED != 0),
        bias: description.mipmapLevelBias,
        least_level: description.minMipmapLevelClamp,
        greatest_level: description.maxMipmapLevelClamp,
        border: description.borderColor,
        seamless: u32::from(description.flags & SEAMLESS != 0),
    })
}

/// Does not wait: kernels that were launched by now find the object until they end.
fn destroy(handle: u64, surface: bool) -> Result {
    let object = texture::retire(handle, surface).ok_or(hipError_t::hipErrorInvalidHandle)?;
    context::after_all_of(current().device, move || drop(object));
    Ok(())
}

hip_api! {
    healthy fn hipTexObjectCreate(
        pTexObject: *mut hipTextureObject_t, pResDesc: *const HIP_RESOURCE_DESC, pTexDesc: *const HIP_TEXTURE_DESC,
        pResViewDesc: *const HIP_RESOURCE_VIEW_DESC,
    ) {
        // SAFETY: the program's pointers.
        let (description, texture_description, view) =
            unsafe { (pResDesc.as_ref(), pTexDesc.as_ref(), pResViewDesc.as_ref()) };
        let mut resource = resource(description.ok_or(INVALID)?)?;
        let texture_description = texture_description.ok_or(INVALID)?;
        if pTexObject.is_null() {
            return Err(INVALID);
        }
        if let Some(view) = view {
            apply_view(&mut resource, view)?;
        }
        // Formats of sRGB say so twice.
        if resource.format.srgb && texture_description.flags & SRGB == 0 {
            return Err(INVALID);
        }
        let flag = |flag: u32| u32::from(texture_description.flags & flag != 0);
        let kind = TextureObject {
            as_integers: flag(READ_AS_INTEGER),
            srgb: flag(SRGB),
            sampler: sampler(texture_description)?,
            ..TextureObject::default()
        };
        let Resource { owner, geometry, levels, format } = resource;
        let object = Object::new(geometry, &levels, format, owner, kind);
        let handle = texture::insert(object).ok_or(hipError_t::hipErrorOutOfMemory)?;
        // SAFETY: the program's pointer.
        unsafe { put(pTexObject, std::ptr::without_provenance_mut(handle as usize)) }
    }

    always fn hipTexObjectDestroy(texObject: hipTextureObject_t) {
        destroy(texObject.addr() as u64, false)
    }

    healthy fn hipCreateSurfaceObject(pSurfObject: *mut hipSurfaceObject_t, pResDesc: *const hipResourceDesc) {
        // SAFETY: the program's pointer.
        let description = unsafe { pResDesc.as_ref() }.ok_or(INVALID)?;
        if pSurfObject.is_null() || description.resType != hipResourceType::hipResourceTypeArray {
            return Err(INVALID);
        }
        // SAFETY: the type says which part of the union is meant.
        let array = unsafe { description.res.array.array };
        let array = tables().arrays.get(array).ok_or(hipError_t::hipErrorInvalidHandle)?;
        let kind = TextureObject {
            surface: 1,
            as_integers: 1,
            sampler: TextureObjectSampler {
                address: [Address::Clamp as u32; 3],
                ..TextureObjectSampler::default()
            },
            ..TextureObject::default()
        };
        let Resource { owner, geometry, levels, format } = array_resource(array);
        let object = Object::new(geometry, &levels, format, owner, kind);
        let handle = texture::insert(object).ok_or(hipError_t::hipErrorOutOfMemory)?;
        // SAFETY: the program's pointer.
        unsafe { put(pSurfObject, std::ptr::without_provenance_mut(handle as usize)) }
    }

    always fn hipDestroySurfaceObject(surfaceObject: hipSurfaceObject_t) {
        destroy(surfaceObject.addr() as u64, true)
    }
}
