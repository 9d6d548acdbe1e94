//! Images of AMD GPUs: memory like any other, where rows lie behind each other. Kernels sample them in code of their
//! own, so that no image of the provider is needed, and copies are those of memory.

use crate::core::context::Current;
use crate::core::device::driver::driver;
use crate::core::texture::array::{LevelSize, Texels};
use cpu_abi::texture_object::TextureObjectLevel;
use cuda_types::cuda::{CUerror, CUres};
use std::ffi::c_void;
use std::ptr::null_mut;

/// The alignments of rows and of levels, in bytes.
const ROW_ALIGNMENT: usize = 16;
const LEVEL_ALIGNMENT: usize = 256;

/// The memory of an array, or of all levels of a mipmapped one.
#[derive(Debug)]
pub(super) struct LinearImage {
    base: u64,
    levels: Vec<TextureObjectLevel>,
}

impl Drop for LinearImage {
    fn drop(&mut self) {
        if let Ok(driver) = driver() {
            // SAFETY: the memory is the provider's, which waits for what uses it.
            let _ = unsafe { driver.hip.hipFree(self.base as *mut c_void) };
        }
    }
}

impl Texels for LinearImage {
    fn levels(&self) -> &[TextureObjectLevel] {
        &self.levels
    }
}

impl LinearImage {
    /// Allocates the memory of levels of these sizes; `OUT_OF_MEMORY` if there is not enough.
    pub(super) fn new(current: &Current, sizes: &[LevelSize]) -> CUres<LinearImage> {
        let mut levels = Vec::new();
        let mut end = 0_usize;
        for size in sizes {
            let [row, rows, slices] = size.extent;
            let [width, height, depth] = size.texels;
            let placed = || {
                let pitch = row.checked_next_multiple_of(ROW_ALIGNMENT)?;
                let slice = pitch.checked_mul(rows)?;
                let bytes = slice.checked_mul(slices)?;
                let next = end.checked_add(bytes)?.checked_next_multiple_of(LEVEL_ALIGNMENT)?;
                Some((pitch, slice, next))
            };
            let (pitch, slice, next) = placed().ok_or(CUerror::OUT_OF_MEMORY)?;
            levels.push(TextureObjectLevel {
                start: end as u64,
                pitch: pitch as u64,
                slice: slice as u64,
                width: width as u32,
                height: height as u32,
                depth: depth as u32,
                unused: 0,
            });
            end = next;
        }
        let mut base: *mut c_void = null_mut();
        // SAFETY: `base` outlives the call.
        current.check(unsafe { current.driver.hip.hipMalloc(&mut base, end) })?;
        for level in &mut levels {
            level.start += base as u64;
        }
        Ok(LinearImage { base: base as u64, levels })
    }
}
