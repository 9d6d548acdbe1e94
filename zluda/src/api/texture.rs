//! Texture and surface objects.

use crate::convert::{In, Out};
use crate::core::capture;
use crate::core::context::current;
use crate::core::texture;
use cuda_types::cuda::{
    CUDA_RESOURCE_DESC, CUDA_RESOURCE_VIEW_DESC, CUDA_TEXTURE_DESC, CUres, CUsurfObject,
    CUtexObject,
};

pub(crate) fn cuTexObjectCreate(
    object: Out<CUtexObject>,
    resource: In<CUDA_RESOURCE_DESC>,
    description: In<CUDA_TEXTURE_DESC>,
    view: In<CUDA_RESOURCE_VIEW_DESC>,
) -> CUres {
    capture::check_unsafe_call()?;
    object.check()?;
    let (resource, description) = (resource.get()?, description.get()?);
    let view = view.optional();
    object.set(texture::create_texture(&current()?, &resource, &description, view.as_ref())?)
}

pub(crate) fn cuTexObjectDestroy(object: CUtexObject) -> CUres {
    current()?;
    texture::destroy_texture(object)
}

pub(crate) fn cuTexObjectGetResourceDesc(
    description: Out<CUDA_RESOURCE_DESC>,
    object: CUtexObject,
) -> CUres {
    description.check()?;
    description.set(texture::texture(object)?.resource)
}

pub(crate) fn cuTexObjectGetTextureDesc(
    description: Out<CUDA_TEXTURE_DESC>,
    object: CUtexObject,
) -> CUres {
    description.check()?;
    // NVIDIA's driver keeps all but the border.
    description
        .set(CUDA_TEXTURE_DESC { borderColor: [0.0; 4], ..texture::texture(object)?.texture })
}

/// Stores nothing where no view was set.
pub(crate) fn cuTexObjectGetResourceViewDesc(
    description: Out<CUDA_RESOURCE_VIEW_DESC>,
    object: CUtexObject,
) -> CUres {
    description.check()?;
    match texture::texture(object)?.view {
        Some(view) => description.set(view),
        None => Ok(()),
    }
}

pub(crate) fn cuSurfObjectCreate(
    object: Out<CUsurfObject>,
    resource: In<CUDA_RESOURCE_DESC>,
) -> CUres {
    capture::check_unsafe_call()?;
    object.check()?;
    let resource = resource.get()?;
    object.set(texture::create_surface(&current()?, &resource)?)
}

pub(crate) fn cuSurfObjectDestroy(object: CUsurfObject) -> CUres {
    current()?;
    texture::destroy_surface(object)
}

pub(crate) fn cuSurfObjectGetResourceDesc(
    description: Out<CUDA_RESOURCE_DESC>,
    object: CUsurfObject,
) -> CUres {
    description.check()?;
    description.set(texture::surface(object)?.resource)
}
