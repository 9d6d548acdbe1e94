//! Arrays and mipmapped arrays: the provider's or memory, as the device has them.

use crate::convert::FromC;
use crate::core::context::{Context, Current};
use crate::core::device::driver::driver;
use crate::core::device::texture::{ArrayStorage, LevelSize, MipmappedStorage};
use crate::core::error::no_object;
use cuda_types::cuda::{
    CUDA_ARRAY3D_CUBEMAP, CUDA_ARRAY3D_DEFERRED_MAPPING, CUDA_ARRAY3D_DESCRIPTOR,
    CUDA_ARRAY3D_LAYERED, CUDA_ARRAY3D_SPARSE, CUDA_ARRAY3D_SURFACE_LDST,
    CUDA_ARRAY3D_TEXTURE_GATHER, CUDA_ARRAY3D_VIDEO_ENCODE_DECODE, CUarray, CUarray_format,
    CUerror, CUmipmappedArray, CUres,
};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};
use zluda_common::handle::{HandleTable, Kind};

#[derive(Debug)]
pub(crate) struct Array {
    pub(crate) context: Arc<Context>,
    pub(crate) storage: Box<dyn ArrayStorage>,
    pub(crate) descriptor: CUDA_ARRAY3D_DESCRIPTOR,
    pub(crate) format: Format,
    /// Whose level the array is.
    parent: Option<Arc<MipmappedArray>>,
}

#[derive(Debug)]
pub(crate) struct MipmappedArray {
    pub(crate) context: Arc<Context>,
    pub(crate) storage: Box<dyn MipmappedStorage>,
    pub(crate) descriptor: CUDA_ARRAY3D_DESCRIPTOR,
    pub(crate) format: Format,
    pub(crate) levels: u32,
    /// The handles of the levels that the program has asked for.
    handles: Mutex<BTreeMap<u32, u64>>,
}

static ARRAYS: LazyLock<HandleTable<Array>> = LazyLock::new(|| HandleTable::new(Kind::ARRAY));
static MIPMAPPED: LazyLock<HandleTable<MipmappedArray>> =
    LazyLock::new(|| HandleTable::new(Kind::MIPMAPPED_ARRAY));

impl FromC<CUarray> for Arc<Array> {
    unsafe fn from_c(handle: CUarray) -> CUres<Self> {
        from_handle(handle)
    }
}

impl FromC<CUmipmappedArray> for Arc<MipmappedArray> {
    unsafe fn from_c(handle: CUmipmappedArray) -> CUres<Self> {
        mipmapped_from_handle(handle)
    }
}

/// The array with this handle, or the error of [`no_object`].
pub(crate) fn from_handle(handle: CUarray) -> CUres<Arc<Array>> {
    ARRAYS.get(handle as u64).ok_or_else(|| no_object(handle as u64))
}

/// The mipmapped array with this handle; `INVALID_HANDLE` if there is none.
pub(crate) fn mipmapped_from_handle(handle: CUmipmappedArray) -> CUres<Arc<MipmappedArray>> {
    MIPMAPPED.get(handle as u64).ok_or(CUerror::INVALID_HANDLE)
}

/// The form in which texels are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Format {
    /// Bytes of a texel, or of a block of them.
    size: usize,
    /// Texels along the side of what is stored as one.
    side: usize,
}

impl Format {
    /// `INVALID_VALUE` for formats that CUDA does not have, and for those of planes, which it has for arrays of
    /// other APIs only; `NOT_SUPPORTED` for those that are not here.
    pub(crate) fn new(format: CUarray_format, channels: u32) -> CUres<Format> {
        use CUarray_format as F;
        // CU_AD_FORMAT_BC1_UNORM to CU_AD_FORMAT_BC7_UNORM_SRGB.
        if let F(code @ 0x91..=0x9e) = format {
            let count = [4, 4, 4, 4, 4, 4, 1, 1, 2, 2, 3, 3, 4, 4][code as usize - 0x91];
            let size = if matches!(code, 0x91 | 0x92 | 0x97 | 0x98) { 8 } else { 16 };
            return if channels == count {
                Ok(Format { size, side: 4 })
            } else {
                Err(CUerror::INVALID_VALUE)
            };
        }
        if !matches!(channels, 1 | 2 | 4) {
            return Err(CUerror::INVALID_VALUE);
        }
        let channel = match format {
            F::CU_AD_FORMAT_UNSIGNED_INT8 | F::CU_AD_FORMAT_SIGNED_INT8 => 1,
            F::CU_AD_FORMAT_UNSIGNED_INT16
            | F::CU_AD_FORMAT_SIGNED_INT16
            | F::CU_AD_FORMAT_HALF => 2,
            F::CU_AD_FORMAT_UNSIGNED_INT32
            | F::CU_AD_FORMAT_SIGNED_INT32
            | F::CU_AD_FORMAT_FLOAT => 4,
            // CU_AD_FORMAT_UNORM_INT8X1 to CU_AD_FORMAT_SNORM_INT16X4: 1, 2 and 4 channels of each.
            F(code @ 0xc0..=0xcb) => {
                if channels != [1, 2, 4][(code as usize - 0xc0) % 3] {
                    return Err(CUerror::INVALID_VALUE);
                }
                [1, 2, 1, 2][(code as usize - 0xc0) / 3]
            }
            F::CU_AD_FORMAT_UNORM_INT_101010_2 => {
                tracing::warn!("unsupported: arrays of format {}", format.0);
                return Err(CUerror::NOT_SUPPORTED);
            }
            _ => return Err(CUerror::INVALID_VALUE),
        };
        Ok(Format { size: channel * channels as usize, side: 1 })
    }

    /// Bytes of a texel, or of a block of them.
    pub(crate) fn size(self) -> usize {
        self.size
    }

    /// Whether texels are stored in blocks.
    pub(crate) fn is_blocks(self) -> bool {
        self.side != 1
    }
}

/// The longest sides of arrays: `cuDeviceGetAttribute` says the same.
const LONGEST_1D: usize = 131_072;
const LONGEST_2D: [usize; 2] = [131_072, 65_536];
const LONGEST_3D: usize = 16_384;
/// Another shape that images of three axes may have.
const DEEPEST_3D: [usize; 3] = [8192, 8192, 16_384 * 2];
/// Of arrays for surfaces of one axis, for gathers and with levels.
const LONGEST_SPECIAL: usize = 32_768;
const LONGEST_LAYERED: usize = 32_768;
const MOST_LAYERS: usize = 2048;
const MOST_CUBE_FACES: usize = 2046;

/// A flag that no header names.
const NAMELESS: u32 = 1 << 31;

fn check(descriptor: &CUDA_ARRAY3D_DESCRIPTOR) -> CUres<Format> {
    const KNOWN: u32 = CUDA_ARRAY3D_LAYERED
        | CUDA_ARRAY3D_SURFACE_LDST
        | CUDA_ARRAY3D_CUBEMAP
        | CUDA_ARRAY3D_TEXTURE_GATHER
        | CUDA_ARRAY3D_VIDEO_ENCODE_DECODE;
    let d = descriptor;
    const LATER: u32 = CUDA_ARRAY3D_SPARSE | CUDA_ARRAY3D_DEFERRED_MAPPING;
    // An H100 takes it for arrays of two axes.
    let is_plane = d.Height != 0 && d.Depth == 0;
    let known = KNOWN | LATER | if is_plane { NAMELESS } else { 0 };
    // Depths and targets of drawing come from graphics APIs only, as on NVIDIA's devices.
    if d.Flags & !known != 0 {
        return Err(CUerror::INVALID_VALUE);
    }
    if d.Flags & LATER == LATER || (d.Flags & CUDA_ARRAY3D_SPARSE != 0 && d.Height == 0) {
        return Err(CUerror::INVALID_VALUE);
    }
    if d.Flags & LATER != 0 {
        tracing::warn!("unsupported: sparse arrays and arrays that get their memory later");
        return Err(CUerror::NOT_SUPPORTED);
    }
    let format = Format::new(d.Format, d.NumChannels)?;
    let within = |most: [usize; 3]| {
        d.Width != 0
            && [d.Width, d.Height, d.Depth].iter().zip(most).all(|(side, most)| *side <= most)
    };
    let layered = d.Flags & CUDA_ARRAY3D_LAYERED != 0;
    let fits = if d.Flags & CUDA_ARRAY3D_CUBEMAP != 0 {
        // "Width must be equal to Height, and Depth must be six", or a multiple of it with layers.
        let faces = if layered { d.Depth != 0 && d.Depth.is_multiple_of(6) } else { d.Depth == 6 };
        d.Width == d.Height && faces && within([LONGEST_LAYERED, LONGEST_LAYERED, MOST_CUBE_FACES])
    } else if layered {
        d.Depth != 0 && within([LONGEST_LAYERED, LONGEST_LAYERED, MOST_LAYERS])
    } else {
        match (d.Height, d.Depth) {
            (0, 0) if d.Flags & CUDA_ARRAY3D_SURFACE_LDST != 0 => within([LONGEST_SPECIAL, 0, 0]),
            (0, 0) => within([LONGEST_1D, 0, 0]),
            (0, _) => false,
            (_, 0) => within([LONGEST_2D[0], LONGEST_2D[1], 0]),
            _ => within([LONGEST_3D; 3]) || within(DEEPEST_3D),
        }
    };
    // Gathers are of planes.
    let gathers = d.Flags & CUDA_ARRAY3D_TEXTURE_GATHER == 0
        || (d.Height != 0 && d.Depth == 0 && within([LONGEST_SPECIAL, LONGEST_SPECIAL, 0]));
    if format.is_blocks() {
        if d.Height == 0 {
            return Err(CUerror::INVALID_VALUE);
        }
        if d.Flags & CUDA_ARRAY3D_SURFACE_LDST != 0 {
            return Err(CUerror::NOT_SUPPORTED);
        }
    }
    if fits && gathers { Ok(format) } else { Err(CUerror::INVALID_VALUE) }
}

/// The sizes of a level.
fn level_size(descriptor: &CUDA_ARRAY3D_DESCRIPTOR, format: Format, level: u32) -> LevelSize {
    let d = at_level(descriptor, level);
    LevelSize { extent: extent(&d, format), texels: [d.Width, d.Height.max(1), d.Depth.max(1)] }
}

/// The descriptor of a level of a mipmapped array.
fn at_level(d: &CUDA_ARRAY3D_DESCRIPTOR, level: u32) -> CUDA_ARRAY3D_DESCRIPTOR {
    let smaller = |side: usize| if side == 0 { 0 } else { (side >> level).max(1) };
    let slices = d.Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP) != 0;
    CUDA_ARRAY3D_DESCRIPTOR {
        Width: smaller(d.Width),
        Height: smaller(d.Height),
        Depth: if slices { d.Depth } else { smaller(d.Depth) },
        ..*d
    }
}

/// Bytes of a row, rows and slices, as copies count them.
fn extent(d: &CUDA_ARRAY3D_DESCRIPTOR, Format { size, side }: Format) -> [usize; 3] {
    [d.Width.div_ceil(side) * size, d.Height.max(1).div_ceil(side), d.Depth.max(1)]
}

/// Creates an array. `INVALID_VALUE` for a descriptor that makes no sense, `NOT_SUPPORTED` for formats that are not
/// here.
pub(crate) fn create(current: &Current, descriptor: &CUDA_ARRAY3D_DESCRIPTOR) -> CUres<CUarray> {
    let format = check(descriptor)?;
    let size = level_size(descriptor, format, 0);
    let named = CUDA_ARRAY3D_DESCRIPTOR { Flags: descriptor.Flags & !NAMELESS, ..*descriptor };
    let storage = current.driver.backend.create_array(current, &named, size)?;
    let array = Array {
        context: current.context.clone(),
        storage,
        descriptor: *descriptor,
        format,
        parent: None,
    };
    let handle = ARRAYS.insert(Arc::new(array)).ok_or(CUerror::OUT_OF_MEMORY)?;
    Ok(handle as CUarray)
}

/// Waits for all work, as an H100 does, even if textures keep the texels. Levels of mipmapped arrays go with the whole.
pub(crate) fn destroy(handle: CUarray) -> CUres {
    if from_handle(handle)?.parent.is_some() {
        return Ok(());
    }
    wait_for_work()?;
    ARRAYS.remove(handle as u64).map(drop).ok_or_else(|| no_object(handle as u64))
}

/// Creates a mipmapped array, of at most as many levels as its size allows. Fails as [`create`] does.
pub(crate) fn create_mipmapped(
    current: &Current,
    descriptor: &CUDA_ARRAY3D_DESCRIPTOR,
    levels: u32,
) -> CUres<CUmipmappedArray> {
    let format = check(descriptor)?;
    let d = descriptor;
    if d.Depth == 0 && d.Width.max(d.Height) > LONGEST_SPECIAL {
        return Err(CUerror::INVALID_VALUE);
    }
    let slices = d.Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP) != 0;
    let longest = d.Width.max(d.Height).max(if slices { 0 } else { d.Depth });
    // "numMipmapLevels is clamped to [1, 1 + floor(log2(max(width, height, depth)))]."
    let levels = levels.clamp(1, longest.ilog2() + 1);
    let sizes: Vec<_> = (0..levels).map(|level| level_size(descriptor, format, level)).collect();
    let storage = current.driver.backend.create_mipmapped_array(current, descriptor, &sizes)?;
    let array = MipmappedArray {
        context: current.context.clone(),
        storage,
        descriptor: *descriptor,
        format,
        levels,
        handles: Mutex::default(),
    };
    let handle = MIPMAPPED.insert(Arc::new(array)).ok_or(CUerror::OUT_OF_MEMORY)?;
    Ok(handle as CUmipmappedArray)
}

/// Ends a mipmapped array and its levels, after all work. `INVALID_HANDLE` if there is none.
pub(crate) fn destroy_mipmapped(handle: CUmipmappedArray) -> CUres {
    mipmapped_from_handle(handle)?;
    wait_for_work()?;
    let array = MIPMAPPED.remove(handle as u64).ok_or(CUerror::INVALID_HANDLE)?;
    end_levels(&array);
    Ok(())
}

fn wait_for_work() -> CUres {
    // An error of a kernel stays with its context.
    // SAFETY: has no preconditions.
    let _ = unsafe { driver()?.hip.hipDeviceSynchronize() };
    Ok(())
}

fn end_levels(array: &MipmappedArray) {
    for (_, level) in std::mem::take(&mut *array.handles.lock()) {
        ARRAYS.remove(level);
    }
}

/// The array of a level, the same one each time; `INVALID_VALUE` if there is no such level.
pub(crate) fn level(current: &Current, array: &Arc<MipmappedArray>, level: u32) -> CUres<CUarray> {
    if level >= array.levels {
        return Err(CUerror::INVALID_VALUE);
    }
    let mut handles = array.handles.lock();
    if let Some(handle) = handles.get(&level) {
        return Ok(*handle as CUarray);
    }
    let storage = array.storage.array(current, level)?;
    let object = Array {
        context: array.context.clone(),
        storage,
        descriptor: at_level(&array.descriptor, level),
        format: array.format,
        parent: Some(array.clone()),
    };
    let handle = ARRAYS.insert(Arc::new(object)).ok_or(CUerror::OUT_OF_MEMORY)?;
    handles.insert(level, handle);
    Ok(handle as CUarray)
}

/// Ends the arrays of a context that ends.
pub(crate) fn end_context(context: u64) {
    for (handle, array) in MIPMAPPED.all() {
        if array.context.id() == context {
            MIPMAPPED.remove(handle);
            end_levels(&array);
        }
    }
    for (handle, array) in ARRAYS.all() {
        if array.context.id() == context {
            ARRAYS.remove(handle);
        }
    }
}

impl Array {
    /// Bytes of a row, rows and slices, as copies count them.
    pub(crate) fn extent(&self) -> [usize; 3] {
        extent(&self.descriptor, self.format)
    }
}
