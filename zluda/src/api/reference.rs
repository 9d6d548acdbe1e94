//! Texture and surface references.

use crate::convert::{In, Out, Text};
use crate::core::context::current;
use crate::core::module::Module;
use crate::core::module::reference::{
    self, Bound, ReferenceVariable, SurfaceReference, TextureReference,
};
use crate::core::texture::array::{self, Format};
use crate::core::texture::{PITCH_ALIGNMENT, TEXTURE_ALIGNMENT};
use cuda_types::cuda::{
    CU_TRSA_OVERRIDE_FORMAT, CUDA_ARRAY_DESCRIPTOR, CUaddress_mode, CUarray, CUarray_format,
    CUdeviceptr, CUerror, CUfilter_mode, CUmipmappedArray, CUres, CUsurfref, CUtexref,
};
use ptx::GlobalSpace;
use std::ffi::{c_int, c_uint};
use std::sync::Arc;

pub(crate) fn cuModuleGetTexRef(
    reference: Out<CUtexref>,
    module: Arc<Module>,
    name: Text<'_>,
) -> CUres {
    let name = name.get()?;
    reference.check()?;
    reference.set(module.reference(name, GlobalSpace::Texref, |variable: ReferenceVariable| {
        reference::create_texture(variable.module.context.clone(), Some(variable))
            .map(|it| it as u64)
    })? as CUtexref)
}

pub(crate) fn cuModuleGetSurfRef(
    reference: Out<CUsurfref>,
    module: Arc<Module>,
    name: Text<'_>,
) -> CUres {
    let name = name.get()?;
    reference.check()?;
    reference.set(module.reference(name, GlobalSpace::Surfref, |variable: ReferenceVariable| {
        reference::create_surface(variable).map(|it| it as u64)
    })? as CUsurfref)
}

pub(crate) fn cuTexRefCreate(reference: Out<CUtexref>) -> CUres {
    reference.check()?;
    reference.set(reference::create_texture(current()?.context, None)?)
}

pub(crate) fn cuTexRefDestroy(reference: CUtexref) -> CUres {
    reference::destroy_texture(reference)
}

// ---- setting

/// Bytes of a texel, of formats that there are.
fn format_size(format: CUarray_format, channels: c_uint) -> Option<usize> {
    Format::new(format, channels).ok().map(Format::size)
}

/// "Flags must be set to CU_TRSA_OVERRIDE_FORMAT", or to nothing.
/// More than the texels of any texture have.
const MOST_BYTES: usize = 1 << 34;

fn check(holds: bool) -> CUres {
    if holds { Ok(()) } else { Err(CUerror::INVALID_VALUE) }
}

fn check_flags(flags: c_uint) -> CUres {
    if flags & !CU_TRSA_OVERRIDE_FORMAT == 0 { Ok(()) } else { Err(CUerror::INVALID_VALUE) }
}

pub(crate) fn cuTexRefSetArray(
    reference: Arc<TextureReference>,
    array: CUarray,
    flags: c_uint,
) -> CUres {
    check_flags(flags)?;
    let descriptor = array::from_handle(array)?.descriptor;
    reference.change(|state| {
        state.bound = Bound::Array(array);
        (state.format, state.channels) = (descriptor.Format, descriptor.NumChannels);
        Ok(())
    })
}

pub(crate) fn cuTexRefSetMipmappedArray(
    reference: Arc<TextureReference>,
    array: CUmipmappedArray,
    flags: c_uint,
) -> CUres {
    check_flags(flags)?;
    let descriptor = array::mipmapped_from_handle(array)?.descriptor;
    reference.change(|state| {
        state.bound = Bound::Mipmapped(array);
        (state.format, state.channels) = (descriptor.Format, descriptor.NumChannels);
        Ok(())
    })
}

pub(crate) fn cuTexRefSetAddress_v2(
    offset: Out<usize>,
    reference: Arc<TextureReference>,
    address: CUdeviceptr,
    size: usize,
) -> CUres {
    // "Returns in *ByteOffset a byte offset that must be applied to texture fetches."
    let beyond = address % TEXTURE_ALIGNMENT;
    offset.set_if_wanted(0);
    if beyond != 0 && offset.is_null() {
        return Err(CUerror::INVALID_VALUE);
    }
    // An H100 does not ask whose memory lies there, or where it ends: only the kernel that fetches from elsewhere fails.
    if size >= MOST_BYTES {
        return Err(CUerror::INVALID_VALUE);
    }
    let size = size.checked_add(beyond as usize).ok_or(CUerror::INVALID_VALUE)?;
    reference.change(|state| {
        state.bound = Bound::Linear { address: address - beyond, size };
        Ok(())
    })?;
    offset.set_if_wanted(beyond as usize);
    Ok(())
}

pub(crate) fn cuTexRefSetAddress2D_v3(
    reference: Arc<TextureReference>,
    descriptor: In<CUDA_ARRAY_DESCRIPTOR>,
    address: CUdeviceptr,
    pitch: usize,
) -> CUres {
    check(pitch.is_multiple_of(PITCH_ALIGNMENT))?;
    cuTexRefSetAddress2D_v2(reference, descriptor, address, pitch)
}

/// The version of CUDA 4.0 asks for no alignment of rows.
pub(crate) fn cuTexRefSetAddress2D_v2(
    reference: Arc<TextureReference>,
    descriptor: In<CUDA_ARRAY_DESCRIPTOR>,
    address: CUdeviceptr,
    pitch: usize,
) -> CUres {
    let d = descriptor.get()?;
    let bytes = format_size(d.Format, d.NumChannels);
    if !address.is_multiple_of(TEXTURE_ALIGNMENT)
        || bytes.is_some_and(|bytes| pitch < d.Width.saturating_mul(bytes))
    {
        return Err(CUerror::INVALID_VALUE);
    }
    reference.change(|state| {
        state.bound = Bound::Plane { address, width: d.Width, height: d.Height, pitch };
        (state.format, state.channels) = (d.Format, d.NumChannels);
        Ok(())
    })
}

pub(crate) fn cuTexRefSetFormat(
    reference: Arc<TextureReference>,
    format: CUarray_format,
    channels: c_int,
) -> CUres {
    // What makes no texture is found when the reference is bound to something.
    if channels == 3 {
        return Err(CUerror::INVALID_VALUE);
    }
    reference.change(|state| {
        (state.format, state.channels) = (format, channels as u32);
        Ok(())
    })
}

/// The axis that an argument names.
fn axis(dimension: c_int) -> CUres<usize> {
    usize::try_from(dimension).ok().filter(|axis| *axis < 3).ok_or(CUerror::INVALID_VALUE)
}

pub(crate) fn cuTexRefSetAddressMode(
    reference: Arc<TextureReference>,
    dimension: c_int,
    mode: CUaddress_mode,
) -> CUres {
    let axis = axis(dimension)?;
    reference.change(|state| {
        state.description.addressMode[axis] = mode;
        Ok(())
    })
}

pub(crate) fn cuTexRefSetFilterMode(
    reference: Arc<TextureReference>,
    mode: CUfilter_mode,
) -> CUres {
    reference.change(|state| {
        state.description.filterMode = mode;
        Ok(())
    })
}

pub(crate) fn cuTexRefSetMipmapFilterMode(
    reference: Arc<TextureReference>,
    mode: CUfilter_mode,
) -> CUres {
    if mode.0 > CUfilter_mode::CU_TR_FILTER_MODE_LINEAR.0 {
        return Err(CUerror::INVALID_VALUE);
    }
    reference.change(|state| {
        state.description.mipmapFilterMode = mode;
        Ok(())
    })
}

pub(crate) fn cuTexRefSetMipmapLevelBias(reference: Arc<TextureReference>, bias: f32) -> CUres {
    reference.change(|state| {
        state.description.mipmapLevelBias = bias;
        Ok(())
    })
}

pub(crate) fn cuTexRefSetMipmapLevelClamp(
    reference: Arc<TextureReference>,
    least: f32,
    greatest: f32,
) -> CUres {
    reference.change(|state| {
        state.description.minMipmapLevelClamp = least;
        state.description.maxMipmapLevelClamp = greatest;
        Ok(())
    })
}

pub(crate) fn cuTexRefSetMaxAnisotropy(
    reference: Arc<TextureReference>,
    anisotropy: c_uint,
) -> CUres {
    reference.change(|state| {
        state.description.maxAnisotropy = anisotropy;
        Ok(())
    })
}

pub(crate) fn cuTexRefSetBorderColor(reference: Arc<TextureReference>, colour: In<f32>) -> CUres {
    let colour = colour.array(4, 4)?;
    reference.change(|state| {
        state.description.borderColor.copy_from_slice(&colour);
        Ok(())
    })
}

pub(crate) fn cuTexRefSetFlags(reference: Arc<TextureReference>, flags: c_uint) -> CUres {
    // CU_TRSF_READ_AS_INTEGER, NORMALIZED_COORDINATES, SRGB, DISABLE_TRILINEAR_OPTIMIZATION, and bits that mean
    // nothing.
    const KNOWN: c_uint = 0x3f;
    if flags & !KNOWN != 0 {
        return Err(CUerror::INVALID_VALUE);
    }
    reference.change(|state| {
        state.description.flags = flags;
        Ok(())
    })
}

// ---- asking

pub(crate) fn cuTexRefGetArray(array: Out<CUarray>, reference: Arc<TextureReference>) -> CUres {
    array.check()?;
    match reference.state.lock().bound {
        Bound::Array(bound) => array.set(bound),
        _ => Err(CUerror::INVALID_VALUE),
    }
}

pub(crate) fn cuTexRefGetMipmappedArray(
    array: Out<CUmipmappedArray>,
    reference: Arc<TextureReference>,
) -> CUres {
    array.check()?;
    match reference.state.lock().bound {
        Bound::Mipmapped(bound) => array.set(bound),
        _ => Err(CUerror::INVALID_VALUE),
    }
}

pub(crate) fn cuTexRefGetAddress_v2(
    address: Out<CUdeviceptr>,
    reference: Arc<TextureReference>,
) -> CUres {
    match reference.state.lock().bound {
        Bound::Linear { address: bound, .. } | Bound::Plane { address: bound, .. } => {
            address.set_if_wanted(bound);
            Ok(())
        }
        _ => Err(CUerror::INVALID_VALUE),
    }
}

pub(crate) fn cuTexRefGetAddressMode(
    mode: Out<CUaddress_mode>,
    reference: Arc<TextureReference>,
    dimension: c_int,
) -> CUres {
    let axis = axis(dimension)?;
    mode.set(reference.state.lock().description.addressMode[axis])
}

pub(crate) fn cuTexRefGetFilterMode(
    mode: Out<CUfilter_mode>,
    reference: Arc<TextureReference>,
) -> CUres {
    mode.set(reference.state.lock().description.filterMode)
}

pub(crate) fn cuTexRefGetMipmapFilterMode(
    mode: Out<CUfilter_mode>,
    reference: Arc<TextureReference>,
) -> CUres {
    mode.set(reference.state.lock().description.mipmapFilterMode)
}

pub(crate) fn cuTexRefGetMipmapLevelBias(
    bias: Out<f32>,
    reference: Arc<TextureReference>,
) -> CUres {
    bias.set(reference.state.lock().description.mipmapLevelBias)
}

pub(crate) fn cuTexRefGetMipmapLevelClamp(
    least: Out<f32>,
    greatest: Out<f32>,
    reference: Arc<TextureReference>,
) -> CUres {
    least.check()?;
    greatest.check()?;
    let description = reference.state.lock().description;
    least.set(description.minMipmapLevelClamp)?;
    greatest.set(description.maxMipmapLevelClamp)
}

pub(crate) fn cuTexRefGetMaxAnisotropy(
    anisotropy: Out<c_int>,
    reference: Arc<TextureReference>,
) -> CUres {
    anisotropy.set(reference.state.lock().description.maxAnisotropy as c_int)
}

pub(crate) fn cuTexRefGetBorderColor(colour: Out<f32>, reference: Arc<TextureReference>) -> CUres {
    colour.check()?;
    colour.set_all(reference.state.lock().description.borderColor, 4);
    Ok(())
}

pub(crate) fn cuTexRefGetFlags(flags: Out<c_uint>, reference: Arc<TextureReference>) -> CUres {
    flags.set(reference.state.lock().description.flags)
}

pub(crate) fn cuTexRefGetFormat(
    format: Out<CUarray_format>,
    channels: Out<c_int>,
    reference: Arc<TextureReference>,
) -> CUres {
    let state = reference.state.lock();
    format.set_if_wanted(state.format);
    channels.set_if_wanted(state.channels as c_int);
    Ok(())
}

pub(crate) fn cuSurfRefSetArray(
    reference: Arc<SurfaceReference>,
    array: CUarray,
    flags: c_uint,
) -> CUres {
    // "Flags must be set to 0."
    if flags != 0 {
        return Err(CUerror::INVALID_VALUE);
    }
    reference.set_array(array)
}

pub(crate) fn cuSurfRefGetArray(array: Out<CUarray>, reference: Arc<SurfaceReference>) -> CUres {
    array.check()?;
    array.set(reference.array()?)
}
