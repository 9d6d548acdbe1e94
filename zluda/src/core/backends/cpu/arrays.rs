//! Arrays of the provider.

use crate::core::device::backend::DeviceContext;
use crate::core::device::driver::driver;
use crate::core::device::texture::{ArrayStorage, Level, MipmappedStorage};
use cuda_types::cuda::{CUDA_ARRAY3D_DESCRIPTOR, CUDA_ARRAY3D_VIDEO_ENCODE_DECODE, CUres};
use hip_runtime_sys::{HIP_ARRAY3D_DESCRIPTOR, hipArray_Format, hipArray_t, hipMipmappedArray_t};
use std::ptr::null_mut;

/// The provider's array, destroyed when nobody uses it any more; those of levels go with the whole.
#[derive(Debug)]
pub(super) struct HipArray {
    array: hipArray_t,
    owned: bool,
}

#[derive(Debug)]
pub(super) struct HipMipmappedArray(hipMipmappedArray_t);

// SAFETY: HIP's arrays may be used from any thread.
unsafe impl Send for HipArray {}
// SAFETY: as above.
unsafe impl Sync for HipArray {}
// SAFETY: as above.
unsafe impl Send for HipMipmappedArray {}
// SAFETY: as above.
unsafe impl Sync for HipMipmappedArray {}

impl HipArray {
    /// Allocates an array of the provider.
    pub(super) fn new(
        context: &dyn DeviceContext,
        descriptor: &CUDA_ARRAY3D_DESCRIPTOR,
    ) -> CUres<HipArray> {
        let mut array = null_mut();
        let hip = &context.driver().hip;
        // SAFETY: both pointers outlive the call.
        context.check(unsafe { hip.hipArray3DCreate(&mut array, &hip_descriptor(descriptor)) })?;
        Ok(HipArray { array, owned: true })
    }
}

impl HipMipmappedArray {
    /// Allocates a mipmapped array of the provider.
    pub(super) fn new(
        context: &dyn DeviceContext,
        descriptor: &CUDA_ARRAY3D_DESCRIPTOR,
        levels: u32,
    ) -> CUres<HipMipmappedArray> {
        let (mut array, mut descriptor) = (null_mut(), hip_descriptor(descriptor));
        let hip = &context.driver().hip;
        // SAFETY: both pointers outlive the call.
        let error = unsafe { hip.hipMipmappedArrayCreate(&mut array, &mut descriptor, levels) };
        context.check(error)?;
        Ok(HipMipmappedArray(array))
    }
}

impl Drop for HipArray {
    fn drop(&mut self) {
        if let Ok(driver) = driver()
            && self.owned
        {
            // SAFETY: the array was created by this provider and is not used any more.
            let _ = unsafe { driver.hip.hipArrayDestroy(self.array) };
        }
    }
}

impl Drop for HipMipmappedArray {
    fn drop(&mut self) {
        if let Ok(driver) = driver() {
            // SAFETY: as above.
            let _ = unsafe { driver.hip.hipMipmappedArrayDestroy(self.0) };
        }
    }
}

impl ArrayStorage for HipArray {
    fn hip(&self) -> hipArray_t {
        self.array
    }

    fn level(&self) -> Option<Level> {
        None
    }
}

impl MipmappedStorage for HipMipmappedArray {
    fn hip(&self) -> hipMipmappedArray_t {
        self.0
    }

    fn levels(&self) -> Option<&[Level]> {
        None
    }

    fn array(&self, context: &dyn DeviceContext, level: u32) -> CUres<Box<dyn ArrayStorage>> {
        let (hip, mut array) = (&context.driver().hip, null_mut());
        // SAFETY: `array` outlives the call; there is such a level.
        context.check(unsafe { hip.hipMipmappedArrayGetLevel(&mut array, self.0, level) })?;
        Ok(Box::new(HipArray { array, owned: false }))
    }
}

/// An array's description in HIP's terms.
fn hip_descriptor(descriptor: &CUDA_ARRAY3D_DESCRIPTOR) -> HIP_ARRAY3D_DESCRIPTOR {
    HIP_ARRAY3D_DESCRIPTOR {
        Width: descriptor.Width,
        Height: descriptor.Height,
        Depth: descriptor.Depth,
        // CUDA's formats and flags have HIP's values.
        Format: hipArray_Format(descriptor.Format.0),
        NumChannels: descriptor.NumChannels,
        Flags: descriptor.Flags & !CUDA_ARRAY3D_VIDEO_ENCODE_DECODE,
    }
}
