//! Tensor maps: the 128 bytes that `cuTensorMapEncode*` writes and tensor copies read.
//!
//! Programs keep and copy maps, so they are laid out as NVIDIA's driver for the H100 lays them out.

/// 64-bit words of a map.
pub const WORDS: usize = 16;

/// Dimensions at most.
pub const RANK: usize = 5;

/// The contents of a map.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TensorMap {
    pub address: u64,
    /// 1 to 5.
    pub rank: usize,
    pub element: Element,
    pub interleave: Interleave,
    /// 0 for none, 1 to 3 for patterns of 32, 64 and 128 bytes.
    pub swizzle: u32,
    /// Elements outside of the tensor are NaN, not zero.
    pub nan_fill: bool,
    /// 0 to 3; a hint.
    pub l2_promotion: u32,
    /// Elements, the fastest dimension first; at most 2^32.
    pub dims: [u64; RANK],
    /// Bytes from one element to the next, of the dimensions but the first.
    pub strides: [u64; RANK - 1],
    pub steps: [u32; RANK],
    pub mode: AccessMode,
}

/// The part of a tensor that one copy takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessMode {
    /// Elements along each dimension, 1 to 256.
    Tile([u32; RANK]),
    /// Pixels and channels of images: the corners of the box in which a window's first pixel moves, for each
    /// dimension of space.
    Im2col { lower: [i32; RANK - 2], upper: [i32; RANK - 2], channels: u32, pixels: u32 },
    /// As above, with a window along the fastest dimension of space alone, for the modes `im2col::w` and
    /// `im2col::w::128`. No device of capability 9.0 copies so.
    Im2colWide { lower: i32, upper: i32, channels: u32, pixels: u32, is_128: bool },
}

impl Default for AccessMode {
    fn default() -> Self {
        AccessMode::Tile([1; RANK])
    }
}

/// Types of elements, by the numbers that maps have for them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u32)]
pub enum Element {
    #[default]
    U8 = 0,
    U16,
    U32,
    S32,
    U64,
    S64,
    F16,
    F32,
    F32Ftz,
    F64,
    Bf16,
    /// Numbers of type f32 that are rounded to tf32 when they are loaded.
    Tf32,
    Tf32Ftz,
}

/// Interleaved layouts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u32)]
pub enum Interleave {
    #[default]
    None = 0,
    Bytes16,
    Bytes32,
}

impl Element {
    /// In the order of CUDA's `CUtensorMapDataType`, which is that of `tensormap.replace` too.
    pub fn from_number(number: u32) -> Option<Element> {
        use Element::*;
        let all = [U8, U16, U32, S32, U64, S64, F16, F32, F64, Bf16, F32Ftz, Tf32, Tf32Ftz];
        all.get(number as usize).copied()
    }

    /// Bytes.
    pub fn size(self) -> u64 {
        match self {
            Element::U8 => 1,
            Element::U16 | Element::F16 | Element::Bf16 => 2,
            Element::U64 | Element::S64 | Element::F64 => 8,
            _ => 4,
        }
    }

    /// Whether elements are floating-point numbers, of which [`TensorMap::nan_fill`] makes NaNs.
    pub fn is_float(self) -> bool {
        !matches!(
            self,
            Element::U8 | Element::U16 | Element::U32 | Element::S32 | Element::U64 | Element::S64
        )
    }

    /// The bits of a map, and whether its bit for tf32 is set.
    fn encode(self) -> (u64, bool) {
        match self {
            Element::Tf32 => (Element::F32 as u64, true),
            Element::Tf32Ftz => (Element::F32Ftz as u64, true),
            other => (other as u64, false),
        }
    }

    fn decode(bits: u64, tf32: bool) -> Option<Element> {
        use Element::*;
        let all = [U8, U16, U32, S32, U64, S64, F16, F32, F32Ftz, F64, Bf16];
        match (all.get(bits as usize).copied()?, tf32) {
            (F32, true) => Some(Tf32),
            (F32Ftz, true) => Some(Tf32Ftz),
            (element, _) => Some(element),
        }
    }
}

impl Interleave {
    /// The layout of this number; none if there is no such layout.
    pub fn from_number(number: u32) -> Option<Interleave> {
        [Interleave::None, Interleave::Bytes16, Interleave::Bytes32].get(number as usize).copied()
    }
}

/// The first bit and the number of bits of a field, in its word.
type BitField = (usize, u32, u32);

const IM2COL: BitField = (1, 0, 1);
/// Not NVIDIA's bits: no map of an H100 that is of any use has them.
const WIDE: BitField = (9, 62, 1);
const WIDE_128: BitField = (9, 63, 1);
const RANK_LESS_ONE: BitField = (1, 4, 3);
const ELEMENT: BitField = (1, 7, 4);
const INTERLEAVE: BitField = (1, 11, 2);
const SWIZZLE: BitField = (1, 13, 2);
const NAN_FILL: BitField = (1, 15, 1);
const TF32: BitField = (1, 16, 1);
const L2_PROMOTION: BitField = (1, 17, 2);
const STRIDES: [BitField; RANK - 1] = [(1, 32, 32), (2, 0, 32), (2, 32, 32), (3, 0, 32)];
/// The bit of word 3 at which the strides' bits above the low 32 begin, four for each.
const STRIDES_HIGH: u32 = 32;
const DIMS: [BitField; RANK] = [(4, 0, 32), (4, 32, 32), (5, 0, 32), (5, 32, 32), (6, 0, 32)];
const STEPS: u32 = 32;
const BOX_FIRST: BitField = (6, 56, 8);
const CORNERS: BitField = (7, 0, 32);
const PIXELS: BitField = (7, 32, 16);

fn get(words: &[u64; WORDS], (word, shift, bits): BitField) -> u64 {
    words[word] >> shift & (u64::MAX >> (64 - bits))
}

fn set(words: &mut [u64; WORDS], (word, shift, bits): BitField, value: u64) {
    let mask = u64::MAX >> (64 - bits);
    words[word] = words[word] & !(mask << shift) | (value & mask) << shift;
}

impl TensorMap {
    /// The map of these words; none where they make no sense.
    pub fn decode(words: &[u64; WORDS]) -> Option<TensorMap> {
        let rank = get(words, RANK_LESS_ONE) as usize + 1;
        if rank > RANK {
            return None;
        }
        let steps = std::array::from_fn(|i| get(words, (6, STEPS + 3 * i as u32, 3)) as u32 + 1);
        let first = get(words, BOX_FIRST) as u32 + 1;
        let mode = if get(words, IM2COL) == 0 {
            let rest = |i: usize| get(words, (7, 8 * (i as u32 - 1), 8)) as u32 + 1;
            AccessMode::Tile(std::array::from_fn(|i| if i == 0 { first } else { rest(i) }))
        } else if get(words, WIDE) != 0 {
            let (lower, upper) = corners(get(words, CORNERS), 1)?;
            AccessMode::Im2colWide {
                lower: lower[0],
                upper: upper[0],
                channels: first,
                pixels: get(words, PIXELS) as u32 + 1,
                is_128: get(words, WIDE_128) != 0,
            }
        } else {
            let (lower, upper) = corners(get(words, CORNERS), rank.checked_sub(2)?)?;
            let pixels = get(words, PIXELS) as u32 + 1;
            AccessMode::Im2col { lower, upper, channels: first, pixels }
        };
        Some(TensorMap {
            address: words[0],
            rank,
            element: Element::decode(get(words, ELEMENT), get(words, TF32) != 0)?,
            interleave: Interleave::from_number(get(words, INTERLEAVE) as u32)?,
            swizzle: get(words, SWIZZLE) as u32,
            nan_fill: get(words, NAN_FILL) != 0,
            l2_promotion: get(words, L2_PROMOTION) as u32,
            dims: DIMS.map(|place| get(words, place) + 1),
            strides: std::array::from_fn(|i| {
                let high = get(words, (3, STRIDES_HIGH + 4 * i as u32, 4));
                (high << 32 | get(words, STRIDES[i])) * 16
            }),
            steps,
            mode,
        })
    }

    /// The words of the map.
    pub fn encode(&self) -> [u64; WORDS] {
        let mut words = [0; WORDS];
        words[0] = self.address;
        let (element, tf32) = self.element.encode();
        set(&mut words, RANK_LESS_ONE, self.rank as u64 - 1);
        set(&mut words, ELEMENT, element);
        set(&mut words, INTERLEAVE, self.interleave as u64);
        set(&mut words, SWIZZLE, self.swizzle.into());
        set(&mut words, NAN_FILL, self.nan_fill.into());
        set(&mut words, TF32, tf32.into());
        set(&mut words, L2_PROMOTION, self.l2_promotion.into());
        for (i, (place, dim)) in DIMS.into_iter().zip(self.dims).enumerate().take(self.rank) {
            set(&mut words, place, dim.wrapping_sub(1));
            set(&mut words, (6, STEPS + 3 * i as u32, 3), u64::from(self.steps[i]).wrapping_sub(1));
        }
        let strides = STRIDES.into_iter().zip(self.strides).enumerate();
        for (i, (place, stride)) in strides.take(self.rank - 1) {
            let stride = stride / 16;
            set(&mut words, place, stride);
            set(&mut words, (3, STRIDES_HIGH + 4 * i as u32, 4), stride >> 32);
        }
        // For those who look at a map: the bytes of a copy, and the alignment of what it is copied to.
        let mut bytes = self.element.size();
        match self.mode {
            AccessMode::Tile(size) => {
                set(&mut words, BOX_FIRST, u64::from(size[0]).wrapping_sub(1));
                for (i, size) in size.iter().enumerate().take(self.rank).skip(1) {
                    set(&mut words, (7, 8 * (i as u32 - 1), 8), u64::from(*size).wrapping_sub(1));
                }
                for (size, step) in size.into_iter().zip(self.steps).take(self.rank) {
                    bytes = bytes.wrapping_mul(u64::from(size.checked_div(step).unwrap_or(0)));
                }
            }
            AccessMode::Im2col { lower, upper, channels, pixels } => {
                set(&mut words, IM2COL, 1);
                set(&mut words, BOX_FIRST, u64::from(channels) - 1);
                set(&mut words, PIXELS, u64::from(pixels) - 1);
                set(&mut words, CORNERS, corner_bits(lower, upper, self.rank - 2));
                bytes *= u64::from(channels) * u64::from(pixels);
            }
            AccessMode::Im2colWide { lower, upper, channels, pixels, .. } => {
                set(&mut words, IM2COL, 1);
                set(&mut words, BOX_FIRST, u64::from(channels) - 1);
                set(&mut words, PIXELS, u64::from(pixels) - 1);
                set(&mut words, CORNERS, corner_bits([lower, 0, 0], [upper, 0, 0], 1));
                bytes *= u64::from(channels) * u64::from(pixels);
            }
        }
        words[8] = bytes;
        words[9] = if self.swizzle == 0 { 16 } else { 128 << self.swizzle };
        if let AccessMode::Im2colWide { is_128, .. } = self.mode {
            set(&mut words, WIDE, 1);
            set(&mut words, WIDE_128, is_128.into());
        }
        words
    }

    /// Bits of a corner along one dimension of space, where there are so many.
    fn corner_width(space: usize) -> Option<u32> {
        match space {
            1 => Some(16),
            2 => Some(8),
            3 => Some(5),
            _ => None,
        }
    }
}

fn corners(bits: u64, space: usize) -> Option<([i32; RANK - 2], [i32; RANK - 2])> {
    let width = TensorMap::corner_width(space)?;
    let corner = |index: usize| {
        let value = bits as u32 >> (width * index as u32);
        ((value << (32 - width)) as i32) >> (32 - width)
    };
    let (mut lower, mut upper) = ([0; RANK - 2], [0; RANK - 2]);
    for i in 0..space {
        lower[i] = corner(i);
        upper[i] = corner(space + i);
    }
    Some((lower, upper))
}

fn corner_bits(lower: [i32; RANK - 2], upper: [i32; RANK - 2], space: usize) -> u64 {
    let Some(width) = TensorMap::corner_width(space) else { return 0 };
    let mut bits = 0;
    for i in 0..space {
        let place = |value: i32, index: usize| {
            u64::from(value as u32 & (u32::MAX >> (32 - width))) << (width * index as u32)
        };
        bits |= place(lower[i], i) | place(upper[i], space + i);
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base() -> TensorMap {
        TensorMap {
            address: 0x7f12_3456_7890,
            rank: 3,
            element: Element::U32,
            dims: [64, 32, 16, 1, 1],
            strides: [256, 8192, 0, 0],
            steps: [1; 5],
            mode: AccessMode::Tile([16, 8, 4, 1, 1]),
            ..TensorMap::default()
        }
    }

    /// The words that an H100's driver wrote, and the maps that it was given.
    fn recorded() -> Vec<([u64; 10], TensorMap)> {
        let b = base();
        fn steps(steps: [u32; RANK]) -> TensorMap {
            TensorMap { steps, ..base() }
        }
        let images = TensorMap {
            rank: 4,
            element: Element::F16,
            dims: [64, 20, 24, 3, 1],
            strides: [128, 2560, 61440, 0],
            mode: AccessMode::Im2col {
                lower: [-1, -2, 0],
                upper: [-3, -4, 0],
                channels: 8,
                pixels: 17,
            },
            ..b
        };
        const A: u64 = 0x7f12_3456_7890;
        let words = |w1, w2, w3, w4, w5, w6, w7, w8, w9| [A, w1, w2, w3, w4, w5, w6, w7, w8, w9];
        const D: u64 = 0x1f_0000_003f;
        const B: u64 = 0x0f00_0000_0000_0000;
        vec![
            (words(0x10_0000_0120, 0x200, 0, D, 0xf, B, 0x307, 0x800, 0x10), b),
            (
                words(0x10_0001_03a0, 0x200, 0, D, 0xf, B, 0x307, 0x800, 0x10),
                TensorMap { element: Element::Tf32, ..b },
            ),
            (
                words(0x10_0000_0520, 0x200, 0, D, 0xf, B, 0x307, 0x400, 0x10),
                TensorMap { element: Element::Bf16, ..b },
            ),
            (
                words(0x10_0000_83a0, 0x200, 0, D, 0xf, B, 0x307, 0x800, 0x10),
                TensorMap { element: Element::F32, nan_fill: true, ..b },
            ),
            (
                words(0x10_0000_4120, 0x200, 0, D, 0xf, B, 0x307, 0x800, 0x200),
                TensorMap { swizzle: 2, ..b },
            ),
            (
                words(0x10_0004_0120, 0x200, 0, D, 0xf, B, 0x307, 0x800, 0x10),
                TensorMap { l2_promotion: 2, ..b },
            ),
            (
                words(0x10_0000_0920, 0x200, 0, D, 0xf, B, 0x307, 0x800, 0x10),
                TensorMap { interleave: Interleave::Bytes16, ..b },
            ),
            (
                words(
                    0x10_0000_0140,
                    0x2000_0000_0200,
                    0xa000,
                    D,
                    0x4_0000_000f,
                    B | 2,
                    0x0201_0307,
                    0x3000,
                    0x10,
                ),
                TensorMap {
                    rank: 5,
                    dims: [64, 32, 16, 5, 3],
                    strides: [256, 8192, 0x20000, 0xa0000],
                    mode: AccessMode::Tile([16, 8, 4, 2, 3]),
                    ..b
                },
            ),
            (
                words(0x10_0000_0120, 0x200, 0, D, 0xf, B | 0x38 << 32, 0x307, 0x100, 0x10),
                steps([1, 8, 1, 1, 1]),
            ),
            (
                words(0x10_0000_0120, 0x200, 0, D, 0xf, B | 0x40 << 32, 0x307, 0x400, 0x10),
                steps([1, 1, 2, 1, 1]),
            ),
            (
                words(0x10_0000_0120, 0xffff_ffff, 0xf0_0000_0000, D, 0xf, B, 0x307, 0x800, 0x10),
                TensorMap { strides: [256, (1 << 40) - 16, 0, 0], ..b },
            ),
            (
                words(
                    0x8_0000_0331,
                    0xf00_0000_00a0,
                    0,
                    0x13_0000_003f,
                    0x2_0000_0017,
                    0x0700_0000_0000_0000,
                    0x10_fcfd_feff,
                    0x110,
                    0x10,
                ),
                images,
            ),
            (
                words(
                    0x8_0000_0321,
                    0xa0,
                    0,
                    0x13_0000_003f,
                    0x17,
                    0x0700_0000_0000_0000,
                    0xf_fffd_ffff,
                    0x100,
                    0x10,
                ),
                TensorMap {
                    rank: 3,
                    dims: [64, 20, 24, 1, 1],
                    strides: [128, 2560, 0, 0],
                    mode: AccessMode::Im2col {
                        lower: [-1, 0, 0],
                        upper: [-3, 0, 0],
                        channels: 8,
                        pixels: 16,
                    },
                    ..images
                },
            ),
        ]
    }

    #[test]
    fn maps_are_laid_out_as_nvidia_does() {
        for (words, map) in recorded() {
            let mut all = [0; WORDS];
            all[..words.len()].copy_from_slice(&words);
            assert_eq!(map.encode(), all, "{map:x?}");
            let decoded = TensorMap::decode(&all).unwrap();
            assert_eq!(decoded.encode(), all, "{map:x?}");
        }
    }
}
