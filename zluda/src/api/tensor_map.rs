//! Tensor maps: descriptions of tensors in memory, which programs pass to kernels.

use crate::convert::Out;
use crate::core::context::current;
use cuda_types::cuda::{
    CUerror, CUres, CUtensorMap, CUtensorMapDataType, CUtensorMapFloatOOBfill,
    CUtensorMapIm2ColWideMode, CUtensorMapInterleave, CUtensorMapL2promotion, CUtensorMapSwizzle,
};
use simt_abi::tensor_map::{AccessMode, Element, Interleave, RANK, TensorMap, WORDS};
use std::ffi::{c_int, c_uint, c_void};

/// "Each globalDim value must be non-zero and less than or equal to 2^32."
const MAX_DIM: u64 = 1 << 32;
/// "Each following dimension stride must be [...] less than 2^40."
const MAX_STRIDE: u64 = 1 << 40;
/// Addresses are no longer than this.
const MAX_ADDRESS: u64 = 1 << 57;
const MAX_BOX: u32 = 256;
const MAX_STEP: u32 = 8;
/// Bytes: as much as the shared memory of a multiprocessor.
const LARGEST_BOX: u64 = 228 << 10;
const MAX_PIXELS: u32 = 1024;

/// The arguments that tiled and im2col maps have both.
struct Common {
    data_type: CUtensorMapDataType,
    rank: c_uint,
    address: *mut c_void,
    dims: *const u64,
    strides: *const u64,
    steps: *const c_uint,
    interleave: CUtensorMapInterleave,
    swizzle: CUtensorMapSwizzle,
    l2_promotion: CUtensorMapL2promotion,
    fill: CUtensorMapFloatOOBfill,
}

/// The elements of an array, as many as `count`; the rest is `rest`.
///
/// # Safety
/// The pointer is null or has so many elements.
unsafe fn read<T: Copy, const N: usize>(array: *const T, count: usize, rest: T) -> CUres<[T; N]> {
    if array.is_null() && count != 0 {
        return Err(CUerror::INVALID_VALUE);
    }
    Ok(std::array::from_fn(|i| match i < count {
        // SAFETY: the caller's promise.
        true => unsafe { array.add(i).read_unaligned() },
        false => rest,
    }))
}

fn check(holds: bool) -> CUres {
    if holds { Ok(()) } else { Err(CUerror::INVALID_VALUE) }
}

impl Common {
    /// All but the shape of what a copy takes.
    fn map(&self, least_rank: usize) -> CUres<TensorMap> {
        let rank = self.rank as usize;
        check((least_rank..=RANK).contains(&rank))?;
        let element = Element::from_number(self.data_type.0).ok_or(CUerror::INVALID_VALUE)?;
        let interleave =
            Interleave::from_number(self.interleave.0).ok_or(CUerror::INVALID_VALUE)?;
        check(interleave == Interleave::None || rank >= 3)?;
        let alignment = if interleave == Interleave::Bytes32 { 32 } else { 16 };
        let address = self.address as u64;
        check(address.is_multiple_of(alignment) && address < MAX_ADDRESS)?;
        // Maps of one dimension have no strides, but say where they would be.
        check(!self.strides.is_null())?;
        // SAFETY: the program's arrays have an element for each dimension; strides, one less.
        let (dims, strides, steps) = unsafe {
            (
                read(self.dims, rank, 1)?,
                read(self.strides, rank - 1, 0)?,
                read(self.steps, rank, 1)?,
            )
        };
        check(dims.iter().all(|dim| (1..=MAX_DIM).contains(dim)))?;
        check(strides.iter().all(|size| size.is_multiple_of(alignment) && *size < MAX_STRIDE))?;
        check(steps.iter().all(|step| (1..=MAX_STEP).contains(step)))?;
        // What CUDA 12.8 added are arrangements within 128 bytes that no device of capability 9.0 has.
        check(self.swizzle.0 <= CUtensorMapSwizzle::CU_TENSOR_MAP_SWIZZLE_128B.0)?;
        check(self.l2_promotion.0 <= CUtensorMapL2promotion::CU_TENSOR_MAP_L2_PROMOTION_L2_256B.0)?;
        let nan_fill = match self.fill {
            CUtensorMapFloatOOBfill::CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE => false,
            CUtensorMapFloatOOBfill::CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA => true,
            _ => return Err(CUerror::INVALID_VALUE),
        };
        check(!nan_fill || element.is_float())?;
        if interleave != Interleave::None {
            tracing::warn!("unsupported: tensor maps with interleaved layouts");
            return Err(CUerror::NOT_SUPPORTED);
        }
        Ok(TensorMap {
            address,
            rank,
            element,
            interleave,
            swizzle: self.swizzle.0,
            nan_fill,
            l2_promotion: self.l2_promotion.0,
            dims,
            strides,
            steps,
            mode: AccessMode::default(),
        })
    }
}

/// The inner dimension of what a copy takes is whole pieces of 16 bytes, within the pattern.
fn check_inner(map: &TensorMap, elements: u32) -> CUres {
    let bytes = u64::from(elements) * map.element.size();
    check((1..=MAX_BOX).contains(&elements) && bytes.is_multiple_of(16))?;
    check(map.swizzle == 0 || bytes <= 16 << map.swizzle)
}

fn write(to: &Out<CUtensorMap>, map: &TensorMap) -> CUres {
    to.set(CUtensorMap { opaque: map.encode() })
}

pub(crate) fn cuTensorMapEncodeTiled(
    tensor_map: Out<CUtensorMap>,
    data_type: CUtensorMapDataType,
    rank: c_uint,
    address: *mut c_void,
    dims: *const u64,
    strides: *const u64,
    box_dims: *const c_uint,
    steps: *const c_uint,
    interleave: CUtensorMapInterleave,
    swizzle: CUtensorMapSwizzle,
    l2_promotion: CUtensorMapL2promotion,
    fill: CUtensorMapFloatOOBfill,
) -> CUres {
    tensor_map.check()?;
    current()?;
    let common = Common {
        data_type,
        rank,
        address,
        dims,
        strides,
        steps,
        interleave,
        swizzle,
        l2_promotion,
        fill,
    };
    let mut map = common.map(1)?;
    // SAFETY: the program's array has an element for each dimension.
    let size: [u32; RANK] = unsafe { read(box_dims, map.rank, 1)? };
    check(size.iter().all(|size| (1..=MAX_BOX).contains(size)))?;
    check_inner(&map, size[0])?;
    let elements: u64 = size.iter().map(|size| u64::from(*size)).product();
    check(elements * map.element.size() <= LARGEST_BOX)?;
    map.mode = AccessMode::Tile(size);
    write(&tensor_map, &map)
}

pub(crate) fn cuTensorMapEncodeIm2col(
    tensor_map: Out<CUtensorMap>,
    data_type: CUtensorMapDataType,
    rank: c_uint,
    address: *mut c_void,
    dims: *const u64,
    strides: *const u64,
    lower: *const c_int,
    upper: *const c_int,
    channels: c_uint,
    pixels: c_uint,
    steps: *const c_uint,
    interleave: CUtensorMapInterleave,
    swizzle: CUtensorMapSwizzle,
    l2_promotion: CUtensorMapL2promotion,
    fill: CUtensorMapFloatOOBfill,
) -> CUres {
    tensor_map.check()?;
    current()?;
    let common = Common {
        data_type,
        rank,
        address,
        dims,
        strides,
        steps,
        interleave,
        swizzle,
        l2_promotion,
        fill,
    };
    let mut map = common.map(3)?;
    let space = map.rank - 2;
    // SAFETY: the program's arrays have an element for each dimension of space.
    let (lower, upper): ([i32; RANK - 2], [i32; RANK - 2]) =
        unsafe { (read(lower, space, 0)?, read(upper, space, 0)?) };
    // "tensorRank 3: [-2^15, 2^15-1], 4: [-2^7, 2^7-1], 5: [-2^4, 2^4-1]"
    let most = [1 << 15, 1 << 7, 1 << 4][space - 1];
    for i in 0..space {
        check((-most..most).contains(&lower[i]) && (-most..most).contains(&upper[i]))?;
        check(map.dims[i + 1] < MAX_DIM)?;
        // There has to be a place for the window.
        check(map.dims[i + 1] as i64 + i64::from(upper[i]) > i64::from(lower[i]))?;
    }
    check((1..=MAX_PIXELS).contains(&pixels))?;
    check_inner(&map, channels)?;
    map.mode = AccessMode::Im2col { lower, upper, channels, pixels };
    write(&tensor_map, &map)
}

/// An H100 makes such maps too, though no instruction of its copies by them: those of capability 10 do, which are not known
/// here.
pub(crate) fn cuTensorMapEncodeIm2colWide(
    tensor_map: Out<CUtensorMap>,
    data_type: CUtensorMapDataType,
    rank: c_uint,
    address: *mut c_void,
    dims: *const u64,
    strides: *const u64,
    lower: c_int,
    upper: c_int,
    channels: c_uint,
    pixels: c_uint,
    steps: *const c_uint,
    interleave: CUtensorMapInterleave,
    mode: CUtensorMapIm2ColWideMode,
    swizzle: CUtensorMapSwizzle,
    l2_promotion: CUtensorMapL2promotion,
    fill: CUtensorMapFloatOOBfill,
) -> CUres {
    tensor_map.check()?;
    current()?;
    let is_128 = match mode {
        CUtensorMapIm2ColWideMode::CU_TENSOR_MAP_IM2COL_WIDE_MODE_W => false,
        CUtensorMapIm2ColWideMode::CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128 => true,
        _ => return Err(CUerror::INVALID_VALUE),
    };
    let common = Common {
        data_type,
        rank,
        address,
        dims,
        strides,
        steps,
        interleave,
        swizzle,
        l2_promotion,
        fill,
    };
    let mut map = common.map(3)?;
    // "pixelBoxLowerCornerWidth and pixelBoxUpperCornerWidth [...] must be in the range [-32768, 32767]."
    let corners = i32::from(i16::MIN)..=i32::from(i16::MAX);
    check(corners.contains(&lower) && corners.contains(&upper))?;
    check(map.dims[1] as i64 + i64::from(upper) > i64::from(lower))?;
    check((1..=MAX_PIXELS).contains(&pixels))?;
    check_inner(&map, channels)?;
    map.mode = AccessMode::Im2colWide { lower, upper, channels, pixels, is_128 };
    write(&tensor_map, &map)
}

pub(crate) fn cuTensorMapReplaceAddress(
    tensor_map: *mut CUtensorMap,
    address: *mut c_void,
) -> CUres {
    check(!tensor_map.is_null())?;
    // SAFETY: a map of the program, as the API says.
    let words: [u64; WORDS] = unsafe { tensor_map.read_unaligned() }.opaque;
    let mut map = TensorMap::decode(&words).ok_or(CUerror::INVALID_VALUE)?;
    let new = address as u64;
    check(new != 0 && new.is_multiple_of(16) && new < MAX_ADDRESS)?;
    map.address = new;
    write(&Out::of(tensor_map), &map)
}
