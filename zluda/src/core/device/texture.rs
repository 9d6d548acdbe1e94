//! Arrays and textures as backends see them.

use super::backend::DeviceContext;
use cuda_types::cuda::{
    CUDA_ARRAY3D_DESCRIPTOR, CUDA_RESOURCE_DESC, CUDA_RESOURCE_VIEW_DESC, CUDA_TEXTURE_DESC, CUres,
};
use hip_runtime_sys::{HIP_RESOURCE_DESC, HIP_TEXTURE_DESC, hipArray_t, hipMipmappedArray_t};
use std::fmt::Debug;

/// The size of a level as copies see it, and as kernels do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LevelSize {
    /// Bytes of a row, rows and slices.
    pub(crate) extent: [usize; 3],
    /// Texels along each axis, layers and faces last; 1 where there is no such axis.
    pub(crate) texels: [usize; 3],
}

/// The texels of a level, in memory that kernels and copies find.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Level {
    /// The address of the first texel.
    pub(crate) start: u64,
    /// Bytes from one row to the next.
    pub(crate) pitch: u64,
    /// Bytes from one slice, layer or face to the next.
    pub(crate) slice: u64,
    /// Texels along each axis, layers and faces last; 1 where there is no such axis.
    pub(crate) texels: [u32; 3],
}

/// The texels of an array: an array of the provider, or memory. They go with this.
pub(crate) trait ArrayStorage: Debug + Send + Sync {
    /// The provider's array; null where the texels are in memory.
    fn hip(&self) -> hipArray_t;

    /// The place of the texels in memory; none for arrays of the provider.
    fn level(&self) -> Option<Level>;
}

/// The texels of all levels of a mipmapped array. They go with this and with those of its levels.
pub(crate) trait MipmappedStorage: Debug + Send + Sync {
    /// The provider's array; null where the texels are in memory.
    fn hip(&self) -> hipMipmappedArray_t;

    /// The places of the texels in memory, those of the largest level first; none for arrays of the provider.
    fn levels(&self) -> Option<&[Level]>;

    /// The texels of a level that there is.
    fn array(&self, context: &dyn DeviceContext, level: u32) -> CUres<Box<dyn ArrayStorage>>;
}

/// The texels that a texture shows.
#[derive(Clone, Copy)]
pub(crate) enum Texels<'a> {
    Array(&'a CUDA_ARRAY3D_DESCRIPTOR, &'a dyn ArrayStorage),
    Mipmapped(&'a CUDA_ARRAY3D_DESCRIPTOR, &'a dyn MipmappedStorage),
    /// Memory that the description of the resource names.
    Memory,
}

/// A checked description of a texture, as the program says it and in HIP's terms.
pub(crate) struct TextureRequest<'a> {
    pub(crate) texels: Texels<'a>,
    pub(crate) resource: &'a CUDA_RESOURCE_DESC,
    pub(crate) description: &'a CUDA_TEXTURE_DESC,
    /// None of memory.
    pub(crate) view: Option<&'a CUDA_RESOURCE_VIEW_DESC>,
    pub(crate) hip_resource: HIP_RESOURCE_DESC,
    pub(crate) hip_texture: HIP_TEXTURE_DESC,
}
