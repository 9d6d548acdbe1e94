//! Texture and surface objects. A program's handles are what kernels know the objects by, because programs give them to
//! kernels: the device makes them.

pub(crate) mod array;

use crate::core::context::Current;
use crate::core::device::driver::driver;
use crate::core::device::texture::{Texels, TextureRequest};
use crate::core::texture::array::{Array, Format, MipmappedArray};
use cuda_types::cuda::{
    CU_TRSF_SEAMLESS_CUBEMAP, CUDA_ARRAY3D_CUBEMAP, CUDA_ARRAY3D_DESCRIPTOR, CUDA_ARRAY3D_LAYERED,
    CUDA_RESOURCE_DESC, CUDA_RESOURCE_VIEW_DESC, CUDA_TEXTURE_DESC, CUaddress_mode, CUarray_format,
    CUerror, CUfilter_mode, CUres, CUresourceViewFormat, CUresourcetype,
};
use hip_runtime_sys::{
    HIP_RESOURCE_DESC, HIP_TEXTURE_DESC, HIPaddress_mode, HIPfilter_mode, HIPresourcetype,
    hipArray_Format,
};
use parking_lot::RwLock;
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::Arc;

/// The alignment of the bases of textures of memory in bytes, as `cuDeviceGetAttribute` says.
pub(crate) const TEXTURE_ALIGNMENT: u64 = 512;
/// The alignment of the pitches of textures of memory, in bytes.
pub(crate) const PITCH_ALIGNMENT: usize = 32;
/// Four times what `cuDeviceGetAttribute` says, as on an H100.
const MOST_LINEAR_TEXELS: usize = 1 << 30;
const LONGEST_PITCH: usize = 2_097_120;
const LARGEST_PLANE: [usize; 2] = [131_072, 65_000];

/// A texture object: the descriptions that it was made of.
#[derive(Clone)]
pub(crate) struct Texture {
    pub(crate) context: u64,
    pub(crate) resource: CUDA_RESOURCE_DESC,
    pub(crate) texture: CUDA_TEXTURE_DESC,
    pub(crate) view: Option<CUDA_RESOURCE_VIEW_DESC>,
    _keeps: Resource,
}

#[derive(Clone)]
pub(crate) struct Surface {
    context: u64,
    pub(crate) resource: CUDA_RESOURCE_DESC,
    _keeps: Resource,
}

// SAFETY: descriptions hold handles and addresses, which are numbers here.
unsafe impl Send for Texture {}
// SAFETY: as above.
unsafe impl Sync for Texture {}
// SAFETY: as above.
unsafe impl Send for Surface {}
// SAFETY: as above.
unsafe impl Sync for Surface {}

/// The checked resource of a description.
#[derive(Clone, Debug)]
pub(crate) enum Resource {
    Array(Arc<Array>),
    Mipmapped(Arc<MipmappedArray>),
    Memory,
}

impl Resource {
    fn texels(&self) -> Texels<'_> {
        match self {
            Resource::Array(array) => Texels::Array(&array.descriptor, &*array.storage),
            Resource::Mipmapped(array) => Texels::Mipmapped(&array.descriptor, &*array.storage),
            Resource::Memory => Texels::Memory,
        }
    }
}

static TEXTURES: RwLock<BTreeMap<u64, Arc<Texture>>> = RwLock::new(BTreeMap::new());
static SURFACES: RwLock<BTreeMap<u64, Arc<Surface>>> = RwLock::new(BTreeMap::new());

/// The texture with this handle; `INVALID_VALUE` if there is none.
pub(crate) fn texture(handle: u64) -> CUres<Arc<Texture>> {
    TEXTURES.read().get(&handle).cloned().ok_or(CUerror::INVALID_VALUE)
}

/// The surface with this handle; `INVALID_VALUE` if there is none.
pub(crate) fn surface(handle: u64) -> CUres<Arc<Surface>> {
    SURFACES.read().get(&handle).cloned().ok_or(CUerror::INVALID_VALUE)
}

/// Checks a resource, and says it in HIP's terms.
fn resource(description: &CUDA_RESOURCE_DESC) -> CUres<(Resource, HIP_RESOURCE_DESC)> {
    // "flags must be set to zero."
    if description.flags != 0 {
        return Err(CUerror::INVALID_VALUE);
    }
    // SAFETY: all zeros is a description.
    let mut hip: HIP_RESOURCE_DESC = unsafe { std::mem::zeroed() };
    let memory = |address: u64, format: CUarray_format, channels: u32| {
        let format = memory_format(format, channels)?;
        // "devPtr must be aligned to CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT." An H100 does not ask whose memory lies there, or
        // where it ends: only the kernel that fetches from elsewhere fails.
        if address == 0 || !address.is_multiple_of(TEXTURE_ALIGNMENT) {
            return Err(CUerror::INVALID_VALUE);
        }
        Ok(format)
    };
    // SAFETY: the type says which part of the union is meant; all of them are plain data.
    let checked = unsafe {
        match description.resType {
            CUresourcetype::CU_RESOURCE_TYPE_ARRAY => {
                let array = array::from_handle(description.res.array.hArray);
                let array = array.map_err(|_| CUerror::INVALID_VALUE)?;
                hip.resType = HIPresourcetype::HIP_RESOURCE_TYPE_ARRAY;
                hip.res.array.hArray = array.storage.hip();
                Resource::Array(array)
            }
            CUresourcetype::CU_RESOURCE_TYPE_MIPMAPPED_ARRAY => {
                let array = array::mipmapped_from_handle(description.res.mipmap.hMipmappedArray);
                let array = array.map_err(|_| CUerror::INVALID_VALUE)?;
                hip.resType = HIPresourcetype::HIP_RESOURCE_TYPE_MIPMAPPED_ARRAY;
                hip.res.mipmap.hMipmappedArray = array.storage.hip();
                Resource::Mipmapped(array)
            }
            CUresourcetype::CU_RESOURCE_TYPE_LINEAR => {
                let linear = description.res.linear;
                let format = memory(linear.devPtr, linear.format, linear.numChannels)?;
                if linear.sizeInBytes / format.size() > MOST_LINEAR_TEXELS {
                    return Err(CUerror::INVALID_VALUE);
                }
                hip.resType = HIPresourcetype::HIP_RESOURCE_TYPE_LINEAR;
                hip.res.linear.devPtr = linear.devPtr as *mut c_void;
                hip.res.linear.format = hipArray_Format(linear.format.0);
                hip.res.linear.numChannels = linear.numChannels;
                // One of nothing is made, too: it has one texel here.
                hip.res.linear.sizeInBytes = linear.sizeInBytes.max(format.size());
                Resource::Memory
            }
            CUresourcetype::CU_RESOURCE_TYPE_PITCH2D => {
                let plane = description.res.pitch2D;
                let format = memory_format(plane.format, plane.numChannels)?;
                let row = plane.width.checked_mul(format.size()).ok_or(CUerror::INVALID_VALUE)?;
                if plane.width > LARGEST_PLANE[0]
                    || plane.height > LARGEST_PLANE[1]
                    || plane.pitchInBytes > LONGEST_PITCH
                    || !plane.pitchInBytes.is_multiple_of(PITCH_ALIGNMENT)
                {
                    return Err(CUerror::INVALID_VALUE);
                }
                let bytes = plane.pitchInBytes.checked_mul(plane.height.saturating_sub(1));
                let bytes = bytes.and_then(|rows| rows.checked_add(row));
                bytes.ok_or(CUerror::INVALID_VALUE)?;
                memory(plane.devPtr, plane.format, plane.numChannels)?;
                hip.resType = HIPresourcetype::HIP_RESOURCE_TYPE_PITCH2D;
                hip.res.pitch2D.devPtr = plane.devPtr as *mut c_void;
                hip.res.pitch2D.format = hipArray_Format(plane.format.0);
                hip.res.pitch2D.numChannels = plane.numChannels;
                // As above.
                hip.res.pitch2D.width = plane.width.max(1);
                hip.res.pitch2D.height = plane.height.max(1);
                hip.res.pitch2D.pitchInBytes = plane.pitchInBytes;
                Resource::Memory
            }
            _ => return Err(CUerror::INVALID_VALUE),
        }
    };
    Ok((checked, hip))
}

/// Textures of memory are of the formats whose codes do not say the number of channels.
fn memory_format(format: CUarray_format, channels: u32) -> CUres<Format> {
    if format.0 > CUarray_format::CU_AD_FORMAT_FLOAT.0 {
        return Err(CUerror::INVALID_VALUE);
    }
    Format::new(format, channels)
}

fn descriptor(resource: &Resource) -> Option<&CUDA_ARRAY3D_DESCRIPTOR> {
    match resource {
        Resource::Array(array) => Some(&array.descriptor),
        Resource::Mipmapped(array) => Some(&array.descriptor),
        Resource::Memory => None,
    }
}

/// Views have the size of the whole image, in texels: those of blocks are four times as wide and high as the
/// image of blocks. Only images with layers show some of them.
fn check_view(view: &CUDA_RESOURCE_VIEW_DESC, d: &CUDA_ARRAY3D_DESCRIPTOR) -> CUres {
    let blocks = view.format.0 >= CUresourceViewFormat::CU_RES_VIEW_FORMAT_UNSIGNED_BC1.0;
    let side = if blocks { 4 } else { 1 };
    let layered = d.Flags & CUDA_ARRAY3D_LAYERED != 0;
    let fits = view.format != CUresourceViewFormat::CU_RES_VIEW_FORMAT_NONE
        && view.width == d.Width * side
        && view.height == d.Height * side
        && view.depth == d.Depth
        && (!blocks || d.Format == CUarray_format::CU_AD_FORMAT_UNSIGNED_INT32)
        && (layered || (view.firstLayer, view.lastLayer) == (0, 0));
    if fits { Ok(()) } else { Err(CUerror::INVALID_VALUE) }
}

/// The axes whose address modes matter, and whether there are edges of cubes.
fn shape(resource: &Resource, kind: CUresourcetype) -> (usize, bool) {
    let Some(descriptor) = descriptor(resource) else {
        return (if kind == CUresourcetype::CU_RESOURCE_TYPE_LINEAR { 1 } else { 2 }, false);
    };
    let slices = descriptor.Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP) != 0;
    let axes = match (descriptor.Height, descriptor.Depth) {
        (0, _) => 1,
        (_, 0) => 2,
        _ if slices => 2,
        _ => 3,
    };
    (axes, descriptor.Flags & CUDA_ARRAY3D_CUBEMAP != 0)
}

fn texture_description(
    description: &CUDA_TEXTURE_DESC,
    (axes, cube): (usize, bool),
) -> CUres<HIP_TEXTURE_DESC> {
    let d = description;
    // Integers, normalized coordinates, sRGB and no shortcuts of filters; two bits mean nothing.
    let known = if cube { 0x3f | CU_TRSF_SEAMLESS_CUBEMAP } else { 0x3f };
    let filter = |mode: CUfilter_mode| match mode {
        CUfilter_mode::CU_TR_FILTER_MODE_POINT | CUfilter_mode::CU_TR_FILTER_MODE_LINEAR => {
            Ok(HIPfilter_mode(mode.0))
        }
        _ => Err(CUerror::INVALID_VALUE),
    };
    let mode_fits = |mode: &CUaddress_mode| mode.0 <= CUaddress_mode::CU_TR_ADDRESS_MODE_BORDER.0;
    if !d.addressMode[..axes].iter().all(mode_fits)
        || d.flags & !known != 0
        || d.reserved.iter().any(|word| *word != 0)
    {
        return Err(CUerror::INVALID_VALUE);
    }
    Ok(HIP_TEXTURE_DESC {
        addressMode: d
            .addressMode
            .map(|mode| HIPaddress_mode(if mode_fits(&mode) { mode.0 } else { 1 })),
        filterMode: filter(d.filterMode)?,
        flags: d.flags,
        maxAnisotropy: d.maxAnisotropy,
        mipmapFilterMode: filter(d.mipmapFilterMode)?,
        mipmapLevelBias: d.mipmapLevelBias,
        minMipmapLevelClamp: d.minMipmapLevelClamp,
        maxMipmapLevelClamp: d.maxMipmapLevelClamp,
        borderColor: d.borderColor,
        reserved: [0; 12],
    })
}

/// Makes a texture object, and returns its handle; `INVALID_VALUE` for descriptions that make no sense.
pub(crate) fn create_texture(
    current: &Current,
    resource_description: &CUDA_RESOURCE_DESC,
    description: &CUDA_TEXTURE_DESC,
    view: Option<&CUDA_RESOURCE_VIEW_DESC>,
) -> CUres<u64> {
    let (keeps, hip_resource) = resource(resource_description)?;
    let hip_texture =
        texture_description(description, shape(&keeps, resource_description.resType))?;
    // Memory has no views; what is said of them does not matter.
    let view = view.filter(|_| !matches!(keeps, Resource::Memory));
    if let Some(view) = view {
        check_view(view, descriptor(&keeps).ok_or(CUerror::INVALID_VALUE)?)?;
    }
    let request = TextureRequest {
        texels: keeps.texels(),
        resource: resource_description,
        description,
        view,
        hip_resource,
        hip_texture,
    };
    let handle = current.driver.backend.create_texture(current, &request)?;
    let texture = Texture {
        context: current.context.id(),
        resource: *resource_description,
        texture: *description,
        view: view.copied(),
        _keeps: keeps,
    };
    TEXTURES.write().insert(handle, Arc::new(texture));
    Ok(handle)
}

/// Handles of no texture are as good as destroyed.
pub(crate) fn destroy_texture(handle: u64) -> CUres {
    let Some(_texture) = TEXTURES.write().remove(&handle) else { return Ok(()) };
    let driver = driver()?;
    driver.backend.destroy_texture(driver, handle);
    Ok(())
}

/// Makes a surface object, and returns its handle; `INVALID_VALUE` for descriptions that make no sense.
pub(crate) fn create_surface(current: &Current, description: &CUDA_RESOURCE_DESC) -> CUres<u64> {
    // "The type of resource must be CU_RESOURCE_TYPE_ARRAY."
    if description.resType != CUresourcetype::CU_RESOURCE_TYPE_ARRAY {
        return Err(CUerror::INVALID_VALUE);
    }
    let (keeps, _) = resource(description)?;
    let Resource::Array(array) = &keeps else { return Err(CUerror::INVALID_VALUE) };
    let handle =
        current.driver.backend.create_surface(current, &array.descriptor, &*array.storage)?;
    let surface = Surface { context: current.context.id(), resource: *description, _keeps: keeps };
    SURFACES.write().insert(handle, Arc::new(surface));
    Ok(handle)
}

/// Ends a surface object; handles of none are as good as destroyed.
pub(crate) fn destroy_surface(handle: u64) -> CUres {
    let Some(_surface) = SURFACES.write().remove(&handle) else { return Ok(()) };
    let driver = driver()?;
    driver.backend.destroy_surface(driver, handle);
    Ok(())
}

/// Ends the objects of a context that ends.
pub(crate) fn end_context(context: u64) {
    let ended = |all: Vec<(u64, u64)>| -> Vec<u64> {
        all.into_iter().filter(|(_, of)| *of == context).map(|(handle, _)| handle).collect()
    };
    let textures = TEXTURES.read().iter().map(|(handle, t)| (*handle, t.context)).collect();
    for handle in ended(textures) {
        let _ = destroy_texture(handle);
    }
    let surfaces = SURFACES.read().iter().map(|(handle, s)| (*handle, s.context)).collect();
    for handle in ended(surfaces) {
        let _ = destroy_surface(handle);
    }
    if let Ok(driver) = driver() {
        driver.backend.free_retired();
    }
}
