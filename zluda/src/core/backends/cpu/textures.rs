//! Texture and surface objects of the provider.

use crate::core::device::backend::DeviceContext;
use crate::core::device::driver::Driver;
use crate::core::device::texture::{ArrayStorage, TextureRequest};
use cuda_types::cuda::CUres;
use hip_runtime_sys::{
    HIP_RESOURCE_VIEW_DESC, HIPresourceViewFormat, hipResourceDesc, hipResourceType,
    hipSurfaceObject_t, hipTextureObject_t,
};
use std::ptr::{null, null_mut};

/// Makes a texture object of the provider, and returns its handle.
pub(super) fn create(context: &dyn DeviceContext, request: &TextureRequest) -> CUres<u64> {
    let hip_view = request.view.map(|view| HIP_RESOURCE_VIEW_DESC {
        format: HIPresourceViewFormat(view.format.0),
        width: view.width,
        height: view.height,
        depth: view.depth,
        firstMipmapLevel: view.firstMipmapLevel,
        lastMipmapLevel: view.lastMipmapLevel,
        firstLayer: view.firstLayer,
        lastLayer: view.lastLayer,
        reserved: [0; 16],
    });
    let mut object: hipTextureObject_t = null_mut();
    let view_pointer = hip_view.as_ref().map_or(null(), std::ptr::from_ref);
    // SAFETY: all pointers outlive the call.
    context.check(unsafe {
        let hip = &context.driver().hip;
        hip.hipTexObjectCreate(
            &mut object,
            &request.hip_resource,
            &request.hip_texture,
            view_pointer,
        )
    })?;
    Ok(object as u64)
}

/// Destroys a texture object.
pub(super) fn destroy(driver: &Driver, handle: u64) {
    // SAFETY: the handle is that of a texture of the program, so the provider knows it.
    let _ = unsafe { driver.hip.hipTexObjectDestroy(handle as hipTextureObject_t) };
}

/// Makes a surface object of the provider, and returns its handle.
pub(super) fn create_surface(
    context: &dyn DeviceContext,
    storage: &dyn ArrayStorage,
) -> CUres<u64> {
    // SAFETY: all zeros is a description.
    let mut hip_resource: hipResourceDesc = unsafe { std::mem::zeroed() };
    hip_resource.resType = hipResourceType::hipResourceTypeArray;
    hip_resource.res.array.array = storage.hip();
    let mut object: hipSurfaceObject_t = null_mut();
    let hip = &context.driver().hip;
    // SAFETY: both pointers outlive the call.
    context.check(unsafe { hip.hipCreateSurfaceObject(&mut object, &hip_resource) })?;
    Ok(object as u64)
}

/// Destroys a surface object.
pub(super) fn destroy_surface(driver: &Driver, handle: u64) {
    // SAFETY: as for textures.
    let _ = unsafe { driver.hip.hipDestroySurfaceObject(handle as hipSurfaceObject_t) };
}
