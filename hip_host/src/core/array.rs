//! Arrays: images that kernels reach through textures and surfaces only. Texels lie in rows, rows in slices;
//! layers and faces are slices.

use std::sync::Arc;

use hip_runtime_sys::{HIP_ARRAY3D_DESCRIPTOR, hipError_t};

use super::context::Context;
use super::copy::{Extent, PitchedPtr};
use super::format::Format;
use super::memory::{Kind, Range};
use super::tables::tables;

pub const LAYERED: u32 = hip_runtime_sys::hipArrayLayered;
pub const CUBEMAP: u32 = hip_runtime_sys::hipArrayCubemap;
/// The flags that arrays may have: layers, surfaces, cubes, gathering, depths, colours of a renderer.
const FLAGS: u32 = 0x3f;
/// No array has a longer side.
const LONGEST: usize = 1 << 18;

/// One level of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    pub ptr: PitchedPtr,
    pub width: usize,
    /// 1 where the image has no such axis.
    pub height: usize,
    /// Slices: depth, layers or faces.
    pub depth: usize,
}

#[derive(Debug)]
pub struct Array {
    pub descriptor: HIP_ARRAY3D_DESCRIPTOR,
    pub format: Format,
    pub level: Level,
    /// Keeps the texels where they are.
    memory: Arc<Image>,
}

/// The memory of an array or of all levels of a mipmapped one.
#[derive(Debug)]
struct Image(Range);

impl Drop for Image {
    fn drop(&mut self) {
        let memory = &tables().memory;
        if let Some(range) = memory.detach(self.0.start, |_| true) {
            memory.release(range);
        }
    }
}

#[derive(Debug)]
pub struct Mipmapped {
    pub levels: Vec<Arc<Array>>,
}

type Result<T> = std::result::Result<T, hipError_t>;

const INVALID: hipError_t = hipError_t::hipErrorInvalidValue;

/// The format of an array of this descriptor; `hipErrorInvalidValue` where the descriptor makes no sense.
fn check(descriptor: &HIP_ARRAY3D_DESCRIPTOR) -> Result<Format> {
    let d = descriptor;
    let format = Format::of(d.Format.0, d.NumChannels).ok_or(INVALID)?;
    let sides = [d.Width, d.Height, d.Depth];
    if d.Width == 0 || sides.iter().any(|side| *side > LONGEST) || d.Flags & !FLAGS != 0 {
        return Err(INVALID);
    }
    let (layered, cube) = (d.Flags & LAYERED != 0, d.Flags & CUBEMAP != 0);
    let fits = match (layered, cube) {
        (false, false) => d.Height != 0 || d.Depth == 0,
        (true, false) => d.Depth != 0,
        (false, true) => d.Width == d.Height && d.Depth == 6,
        (true, true) => d.Width == d.Height && d.Depth != 0 && d.Depth.is_multiple_of(6),
    };
    if format.block.is_some() && d.Height == 0 {
        return Err(INVALID);
    }
    if fits { Ok(format) } else { Err(INVALID) }
}

/// The sides of a level; an axis that the image has not is 0.
fn sides(descriptor: &HIP_ARRAY3D_DESCRIPTOR, level: u32) -> [usize; 3] {
    let smaller = |side: usize| if side == 0 { 0 } else { (side >> level).max(1) };
    let slices = descriptor.Flags & (LAYERED | CUBEMAP) != 0;
    let depth = if slices { descriptor.Depth } else { smaller(descriptor.Depth) };
    [smaller(descriptor.Width), smaller(descriptor.Height), depth]
}

/// Bytes of a row, rows of a slice and slices: blocks of texels count as one.
fn layout(format: Format, [width, height, depth]: [usize; 3]) -> (usize, usize, usize) {
    let side = format.block_side();
    let row = width.div_ceil(side) * format.size();
    (row, height.max(1).div_ceil(side), depth.max(1))
}

fn make(descriptor: &HIP_ARRAY3D_DESCRIPTOR, levels: u32) -> Result<Vec<Arc<Array>>> {
    const ALIGN: usize = 64;
    let format = check(descriptor)?;
    let mut end = 0_usize;
    let mut offsets = Vec::new();
    for level in 0..levels {
        let (row, rows, slices) = layout(format, sides(descriptor, level));
        offsets.push(end);
        let bytes = row.checked_mul(rows).and_then(|slice| slice.checked_mul(slices));
        end = bytes
            .and_then(|bytes| end.checked_add(bytes)?.checked_next_multiple_of(ALIGN))
            .ok_or(hipError_t::hipErrorOutOfMemory)?;
    }
    let range = tables().memory.allocate(Kind::Array, end, 0, 0)?;
    let memory = Arc::new(Image(range));
    let arrays = offsets.into_iter().zip(0..).map(|(offset, level)| {
        let [width, height, depth] = sides(descriptor, level);
        let (row, rows, slices) = layout(format, [width, height, depth]);
        let ptr = PitchedPtr { start: range.start + offset, pitch: row, slice: row * rows };
        let level = Level { ptr, width, height: height.max(1), depth: slices };
        let descriptor =
            HIP_ARRAY3D_DESCRIPTOR { Width: width, Height: height, Depth: depth, ..*descriptor };
        Arc::new(Array { descriptor, format, level, memory: memory.clone() })
    });
    Ok(arrays.collect())
}

impl Array {
    /// Allocates an array; `hipErrorInvalidValue` for a descriptor that makes no sense, `hipErrorOutOfMemory`.
    pub fn new(descriptor: &HIP_ARRAY3D_DESCRIPTOR) -> Result<Arc<Array>> {
        make(descriptor, 1)?.pop().ok_or(INVALID)
    }

    /// The context that it was made in.
    pub fn context(&self) -> &'static Context {
        self.memory.0.context
    }

    /// Rows of bytes, as copies see them.
    pub fn extent(&self) -> Extent {
        let side = self.format.block_side();
        let Level { ptr, height, depth, .. } = self.level;
        Extent { width: ptr.pitch, height: height.div_ceil(side), depth }
    }
}

impl Mipmapped {
    /// As many levels as asked for, and not more than there can be.
    pub fn new(descriptor: &HIP_ARRAY3D_DESCRIPTOR, levels: u32) -> Result<Arc<Mipmapped>> {
        let longest = sides(descriptor, 0)
            .into_iter()
            .take(if descriptor.Flags & (LAYERED | CUBEMAP) != 0 { 2 } else { 3 })
            .max()
            .unwrap_or(1);
        if levels == 0 {
            return Err(INVALID);
        }
        let most = longest.max(1).ilog2() + 1;
        let levels = make(descriptor, levels.min(most))?;
        Ok(Arc::new(Mipmapped { levels }))
    }
}
