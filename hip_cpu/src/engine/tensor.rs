//! Copies between boxes of tensors in global memory and shared memory.
//!
//! Measured on an H100: rows of a swizzled box are as far apart as its pattern is wide, and the pattern moves
//! the 16-byte pieces of each 128 bytes by the bits of their address above those. What goes out is cut off at
//! the end of 16 bytes, not of the tensor's row; there negative coordinates, which the GPU takes for illegal, are
//! outside like any others.

use cpu_abi::tensor_map::{Element, RANK, Shape, TensorMap, WORDS};
use cpu_abi::{Reduction, TensorField, TensorReduction};
use hip_host::pieces;

use super::reduction;

/// The longest run of bytes in a box that lie side by side in both memories.
const PIECE: u64 = 16;

/// The beginning of a copy: coordinates, and the offsets of a window in an image.
#[derive(Clone, Copy, Debug)]
pub struct Places {
    at: [i64; RANK],
    offsets: [i64; RANK - 2],
}

impl Places {
    /// # Safety
    /// Eight words can be read at the address, or the caller is a kernel.
    pub unsafe fn read(address: u64) -> Places {
        // SAFETY: the caller's promise.
        let words = unsafe { (address as *const [i32; 2 * RANK - 2]).read_unaligned() };
        Places {
            at: std::array::from_fn(|i| words[i].into()),
            offsets: std::array::from_fn(|i| words[RANK + i].into()),
        }
    }
}

/// # Safety
/// A map can be read at the address, or the caller is a kernel.
pub unsafe fn read_map(address: u64) -> Option<TensorMap> {
    // SAFETY: the caller's promise.
    let words = unsafe { (address as *const [u64; WORDS]).read_unaligned() };
    TensorMap::decode(&words)
}

/// The elements of a row of the box, and those of the tensor at the same place.
pub struct Row {
    /// Bytes from the start of the box, without its pattern.
    pub in_box: u64,
    /// The address of the row's first element, were it inside.
    pub address: u64,
    /// The coordinate of the first element along the row.
    first: i64,
    /// Whether all other coordinates are inside.
    inside: bool,
    pub elements: u64,
}

/// Calls `f` with each row of what a copy takes; returns how many bytes that is. `rows4` means a matrix, of
/// which the places name a column and four rows.
pub fn each_row(map: &TensorMap, places: &Places, rows4: bool, mut f: impl FnMut(&Row)) -> u64 {
    let size = map.element.size();
    let address = |at: &[i64; RANK]| {
        let rest = (1..map.rank).map(|i| (at[i] as u64).wrapping_mul(map.strides[i - 1]));
        rest.fold(map.address.wrapping_add((at[0] as u64).wrapping_mul(size)), u64::wrapping_add)
    };
    let inside = |at: &[i64; RANK]| {
        (1..map.rank).all(|i| u64::try_from(at[i]).is_ok_and(|at| at < map.dims[i]))
    };
    let row = |at: &[i64; RANK], index: u64, elements: u64| Row {
        in_box: index * pitch(map, elements),
        address: address(at),
        first: at[0],
        inside: inside(at),
        elements,
    };
    match map.shape {
        Shape::Tile(shape) if rows4 => {
            let elements = u64::from(shape[0]);
            for index in 0..4 {
                let at = [places.at[0], places.at[index + 1], 0, 0, 0];
                f(&row(&at, index as u64, elements));
            }
            4 * elements * size
        }
        Shape::Tile(shape) => {
            let count = |i: usize| shape[i].div_ceil(map.steps[i]);
            let rows: u64 = (1..map.rank).map(|i| u64::from(count(i))).product();
            // The step along rows has a meaning in interleaved layouts only.
            let elements = u64::from(shape[0]);
            for index in 0..rows {
                let mut rest = index;
                let mut at = places.at;
                for (i, at) in at.iter_mut().enumerate().take(map.rank).skip(1) {
                    let number = rest % u64::from(count(i));
                    rest /= u64::from(count(i));
                    *at += number as i64 * i64::from(map.steps[i]);
                }
                f(&row(&at, index, elements));
            }
            rows * elements * size
        }
        Shape::Im2col { lower, upper, channels, pixels } => {
            let space = map.rank - 2;
            let mut pixel = places.at;
            for index in 0..u64::from(pixels) {
                let mut at = pixel;
                for i in 0..space {
                    at[i + 1] += places.offsets[i];
                }
                f(&row(&at, index, channels.into()));
                // The next place of the window: to the next line, image after image, at the box's end.
                let mut carry = true;
                for i in 0..space {
                    let end = map.dims[i + 1] as i64 + i64::from(upper[i]);
                    pixel[i + 1] += i64::from(map.steps[i + 1]);
                    if pixel[i + 1] < end {
                        carry = false;
                        break;
                    }
                    pixel[i + 1] = lower[i].into();
                }
                if carry {
                    pixel[map.rank - 1] += 1;
                }
            }
            u64::from(pixels) * u64::from(channels) * size
        }
    }
}

/// Bytes from a row of the box to the next.
fn pitch(map: &TensorMap, elements: u64) -> u64 {
    if map.swizzle == 0 { elements * map.element.size() } else { 16 << map.swizzle }
}

/// The address of a byte of the box in shared memory, swizzled as the map says.
fn swizzled(map: &TensorMap, address: u64) -> u64 {
    let pattern = [0, 1, 3, 7][map.swizzle as usize & 3];
    address ^ (address >> 7 & pattern) << 4
}

impl Row {
    /// Calls `f(address in shared memory, address in the tensor, bytes, whether it is inside)` for pieces that
    /// lie side by side in both. Rows of the tensor have `width` elements.
    fn pieces(
        &self,
        map: &TensorMap,
        width: u64,
        shared: u64,
        mut f: impl FnMut(u64, u64, u64, bool),
    ) {
        let size = map.element.size();
        let mut element = 0;
        while element < self.elements {
            let at = self.first + element as i64;
            let inside = self.inside && u64::try_from(at).is_ok_and(|at| at < width);
            let place = shared + self.in_box + element * size;
            // Up to where the pattern, the tensor or the row changes.
            let mut count = ((PIECE - place % PIECE) / size).max(1).min(self.elements - element);
            if at < 0 {
                count = count.min(at.unsigned_abs());
            } else if inside {
                count = count.min(width - at as u64);
            }
            let there = self.address.wrapping_add(element * size);
            f(swizzled(map, place), there, count * size, inside);
            element += count;
        }
    }
}

/// Copies a box to shared memory at `shared`; returns its bytes.
///
/// # Safety
/// Memory that the map and the box name is accessible, or the caller is a kernel.
pub unsafe fn load(map: &TensorMap, places: &Places, rows4: bool, shared: u64) -> u64 {
    let rounds = matches!(map.element, Element::Tf32 | Element::Tf32Ftz);
    each_row(map, places, rows4, |row| {
        row.pieces(map, map.dims[0], shared, |place, there, bytes, inside| {
            // SAFETY: the caller's promise.
            unsafe {
                if inside {
                    pieces::copy(place, there, bytes);
                    if rounds {
                        round_to_tf32(place, bytes);
                    }
                } else {
                    fill(map, place, bytes);
                }
            }
        });
    })
}

/// # Safety
/// The bytes are accessible.
unsafe fn fill(map: &TensorMap, place: u64, bytes: u64) {
    // The NaN that multiply-adds of matrix instructions can be told to take for zero.
    const NAN: [u8; 2] = [0xf7, 0x7f];
    for i in 0..bytes {
        let byte = if map.nan_fill { NAN[i as usize % 2] } else { 0 };
        // SAFETY: the caller's promise.
        unsafe { *((place + i) as *mut u8) = byte };
    }
}

/// # Safety
/// The words are accessible.
unsafe fn round_to_tf32(place: u64, bytes: u64) {
    for word in (place..place + bytes).step_by(4) {
        let word = word as *mut u32;
        // SAFETY: the caller's promise.
        unsafe { word.write_unaligned(tf32(word.read_unaligned())) };
    }
}

/// The nearest number with ten digits behind the first, of ties the even one.
fn tf32(bits: u32) -> u32 {
    if bits & 0x7fff_ffff > 0x7f80_0000 {
        return 0x7fff_e000;
    }
    bits.wrapping_add(0xfff + (bits >> 13 & 1)) & !0x1fff
}

/// Elements of a row that copies out may write.
fn width_out(map: &TensorMap) -> u64 {
    map.dims[0].next_multiple_of(PIECE / map.element.size())
}

/// Copies a box from shared memory; what lies outside of the tensor is left out.
///
/// # Safety
/// As for [`load`].
pub unsafe fn store(map: &TensorMap, places: &Places, rows4: bool, shared: u64) {
    each_row(map, places, rows4, |row| {
        row.pieces(map, width_out(map), shared, |place, there, bytes, inside| {
            if inside {
                // SAFETY: the caller's promise.
                unsafe { pieces::copy(there, place, bytes) };
            }
        });
    });
}

/// Reduces a box into a tensor. An operation that the type does not have does nothing.
///
/// # Safety
/// As for [`load`].
pub unsafe fn reduce(map: &TensorMap, places: &Places, shared: u64, operation: u32) {
    let Some(operation) = element_reduction(map.element, operation) else { return };
    each_row(map, places, false, |row| {
        row.pieces(map, width_out(map), shared, |place, there, bytes, inside| {
            if inside {
                // SAFETY: the caller's promise.
                unsafe { reduction::reduce(there, place, bytes, operation as u32) };
            }
        });
    });
}

fn element_reduction(element: Element, operation: u32) -> Option<Reduction> {
    use Element::*;
    use TensorReduction as Op;
    let is = |wanted: Op| operation == wanted as u32;
    let (wide, word) = (matches!(element, U64 | S64), matches!(element, U32 | S32));
    let half = matches!(element, F16);
    let brain = matches!(element, Bf16);
    let choose = |rows: &[(bool, Reduction)]| {
        rows.iter().find(|(fits, _)| *fits).map(|(_, reduction)| *reduction)
    };
    if is(Op::Add) {
        choose(&[
            (word, Reduction::AddU32),
            (wide, Reduction::AddU64),
            (half, Reduction::AddF16),
            (brain, Reduction::AddBf16),
            (matches!(element, F32 | Tf32), Reduction::AddF32),
            (matches!(element, F32Ftz | Tf32Ftz), Reduction::AddFtzF32),
            (element == F64, Reduction::AddF64),
        ])
    } else if is(Op::Min) {
        choose(&[
            (element == U32, Reduction::MinU32),
            (element == S32, Reduction::MinS32),
            (element == U64, Reduction::MinU64),
            (element == S64, Reduction::MinS64),
            (half, Reduction::MinF16),
            (brain, Reduction::MinBf16),
        ])
    } else if is(Op::Max) {
        choose(&[
            (element == U32, Reduction::MaxU32),
            (element == S32, Reduction::MaxS32),
            (element == U64, Reduction::MaxU64),
            (element == S64, Reduction::MaxS64),
            (half, Reduction::MaxF16),
            (brain, Reduction::MaxBf16),
        ])
    } else if is(Op::Inc) {
        choose(&[(word, Reduction::IncU32)])
    } else if is(Op::Dec) {
        choose(&[(word, Reduction::DecU32)])
    } else if is(Op::And) {
        choose(&[(word, Reduction::And32), (wide, Reduction::And64)])
    } else if is(Op::Or) {
        choose(&[(word, Reduction::Or32), (wide, Reduction::Or64)])
    } else {
        choose(&[(word, Reduction::Xor32), (wide, Reduction::Xor64)])
    }
}

/// Changes a field of a map, as `tensormap.replace` does; values are those of the PTX manual.
///
/// # Safety
/// A map can be read and written at the address, or the caller is a kernel.
pub unsafe fn replace(address: u64, field: u32, ordinal: u64, value: u64) {
    use TensorField as F;
    // SAFETY: the caller's promise.
    let Some(mut map) = (unsafe { read_map(address) }) else { return };
    let index = ordinal as usize;
    let is = |wanted: F| field == wanted as u32;
    if is(F::GlobalAddress) {
        map.address = value;
    } else if is(F::Rank) {
        // Zero-based.
        map.rank = (value as usize + 1).clamp(1, RANK);
    } else if is(F::BoxDim) {
        if let (Shape::Tile(shape), true) = (&mut map.shape, index < RANK) {
            shape[index] = value as u32;
        }
    } else if is(F::GlobalDim) {
        if let Some(dim) = map.dims.get_mut(index) {
            *dim = value;
        }
    } else if is(F::GlobalStride) {
        if let Some(stride) = map.strides.get_mut(index) {
            *stride = value;
        }
    } else if is(F::ElementStride) {
        if let Some(step) = map.steps.get_mut(index) {
            *step = value as u32;
        }
    } else if is(F::ElementType) {
        map.element = Element::from_number(value as u32).unwrap_or(map.element);
    } else if is(F::InterleaveLayout) {
        map.interleave =
            cpu_abi::tensor_map::Interleave::from_number(value as u32).unwrap_or(map.interleave);
    } else if is(F::SwizzleMode) {
        map.swizzle = value as u32 & 3;
    } else if is(F::FillMode) {
        map.nan_fill = value & 1 != 0;
    }
    let words = map.encode();
    // SAFETY: as above.
    unsafe { (address as *mut [u64; WORDS]).write_unaligned(words) };
}
