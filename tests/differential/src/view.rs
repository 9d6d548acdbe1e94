//! Views of resources.

use cuda_types::cuda::{CUDA_RESOURCE_VIEW_DESC, CUresourceViewFormat};

/// A view in the format of this number, of a size in texels, with the first and the last of levels and layers.
pub fn view(
    format: u32,
    size: [usize; 3],
    levels: [u32; 2],
    layers: [u32; 2],
) -> CUDA_RESOURCE_VIEW_DESC {
    // SAFETY: a plain structure, of which all zeros is a value.
    let mut view: CUDA_RESOURCE_VIEW_DESC = unsafe { std::mem::zeroed() };
    view.format = CUresourceViewFormat(format as _);
    [view.width, view.height, view.depth] = size;
    [view.firstMipmapLevel, view.lastMipmapLevel] = levels;
    [view.firstLayer, view.lastLayer] = layers;
    view
}
