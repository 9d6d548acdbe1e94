//! Images of AMD GPUs: memory like any other, where rows lie behind each other. Kernels sample them in code of their
//! own, so that no image of the provider is needed, and copies are those of memory.

use crate::core::device::backend::DeviceContext;
use crate::core::device::driver::driver;
use crate::core::device::texture::{ArrayStorage, Level, LevelSize, MipmappedStorage};
use cuda_types::cuda::{CUerror, CUres};
use hip_runtime_sys::{hipArray_t, hipMipmappedArray_t};
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::Arc;

/// The alignments of rows and of levels, in bytes.
const ROW_ALIGNMENT: usize = 16;
const LEVEL_ALIGNMENT: usize = 256;

/// The memory of all levels of a mipmapped array; that of an array has one.
#[derive(Clone, Debug)]
pub(super) struct LinearImage(Arc<Memory>);

#[derive(Debug)]
struct Memory {
    base: u64,
    levels: Vec<Level>,
}

impl Drop for Memory {
    fn drop(&mut self) {
        if let Ok(driver) = driver() {
            // SAFETY: the memory is the provider's, which waits for what uses it.
            let _ = unsafe { driver.hip.hipFree(self.base as *mut c_void) };
        }
    }
}

/// A level of an image.
#[derive(Debug)]
struct LevelOf {
    level: Level,
    _keeps: LinearImage,
}

impl ArrayStorage for LevelOf {
    fn hip(&self) -> hipArray_t {
        null_mut()
    }

    fn level(&self) -> Option<Level> {
        Some(self.level)
    }
}

impl MipmappedStorage for LinearImage {
    fn hip(&self) -> hipMipmappedArray_t {
        null_mut()
    }

    fn levels(&self) -> Option<&[Level]> {
        Some(&self.0.levels)
    }

    fn array(&self, _context: &dyn DeviceContext, level: u32) -> CUres<Box<dyn ArrayStorage>> {
        let level = self.0.levels.get(level as usize).ok_or(CUerror::INVALID_VALUE)?;
        Ok(Box::new(LevelOf { level: *level, _keeps: self.clone() }))
    }
}

impl LinearImage {
    /// Allocates the memory of levels of these sizes; `OUT_OF_MEMORY` if there is not enough.
    pub(super) fn new(context: &dyn DeviceContext, sizes: &[LevelSize]) -> CUres<LinearImage> {
        let mut levels = Vec::new();
        let mut end = 0_usize;
        for size in sizes {
            let [row, rows, slices] = size.extent;
            let placed = || {
                let pitch = row.checked_next_multiple_of(ROW_ALIGNMENT)?;
                let slice = pitch.checked_mul(rows)?;
                let bytes = slice.checked_mul(slices)?;
                let next = end.checked_add(bytes)?.checked_next_multiple_of(LEVEL_ALIGNMENT)?;
                Some((pitch, slice, next))
            };
            let (pitch, slice, next) = placed().ok_or(CUerror::OUT_OF_MEMORY)?;
            levels.push(Level {
                start: end as u64,
                pitch: pitch as u64,
                slice: slice as u64,
                texels: size.texels.map(|texels| texels as u32),
            });
            end = next;
        }
        let mut base: *mut c_void = null_mut();
        // SAFETY: `base` outlives the call.
        context.check(unsafe { context.driver().hip.hipMalloc(&mut base, end) })?;
        for level in &mut levels {
            level.start += base as u64;
        }
        Ok(LinearImage(Arc::new(Memory { base: base as u64, levels })))
    }
}
