//! The formats of texels: how many bytes, and what number they stand for. The numbers of channels and blocks are those
//! of the device library.

/// The type of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Channel {
    /// Integers, which textures may read as numbers from 0 to 1.
    U8,
    U16,
    U32,
    /// Integers, which textures may read as numbers from -1 to 1.
    S8,
    S16,
    S32,
    F16,
    F32,
    /// Numbers from 0 to 1, or -1 to 1, whatever the texture says.
    Unorm8,
    Unorm16,
    Snorm8,
    Snorm16,
}

/// Blocks of 4 x 4 texels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Block {
    Bc1 = 1,
    Bc2,
    Bc3,
    Bc4,
    SignedBc4,
    Bc5,
    SignedBc5,
    Bc6h,
    SignedBc6h,
    Bc7,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    pub channel: Channel,
    /// 1, 2 or 4; 3 of some blocks.
    pub channels: usize,
    /// The compression of texels in blocks; none where texels are stored one by one.
    pub block: Option<Block>,
    /// Alpha is 1 where there is none.
    pub opaque: bool,
    /// Whether the code says that colours are those of sRGB.
    pub srgb: bool,
    /// `hipArray_Format`, which is CUDA's `CUarray_format`.
    pub code: u32,
}

impl Channel {
    /// Bytes.
    pub fn size(self) -> usize {
        use Channel::*;
        match self {
            U8 | S8 | Unorm8 | Snorm8 => 1,
            U16 | S16 | F16 | Unorm16 | Snorm16 => 2,
            U32 | S32 | F32 => 4,
        }
    }

    /// Whether texels are integers to kernels, where the texture reads integers as what they are.
    pub fn is_whole(self, as_integers: bool) -> bool {
        use Channel::*;
        match self {
            U8 | U16 | S8 | S16 => as_integers,
            U32 | S32 => true,
            _ => false,
        }
    }
}

/// The formats whose code does not say the number of channels.
const PLAIN: [(u32, Channel); 8] = [
    (0x01, Channel::U8),
    (0x02, Channel::U16),
    (0x03, Channel::U32),
    (0x08, Channel::S8),
    (0x09, Channel::S16),
    (0x0a, Channel::S32),
    (0x10, Channel::F16),
    (0x20, Channel::F32),
];

/// The formats whose code says the number of channels.
const NORMALIZED: [(u32, Channel, usize); 12] = [
    (0xc0, Channel::Unorm8, 1),
    (0xc1, Channel::Unorm8, 2),
    (0xc2, Channel::Unorm8, 4),
    (0xc3, Channel::Unorm16, 1),
    (0xc4, Channel::Unorm16, 2),
    (0xc5, Channel::Unorm16, 4),
    (0xc6, Channel::Snorm8, 1),
    (0xc7, Channel::Snorm8, 2),
    (0xc8, Channel::Snorm8, 4),
    (0xc9, Channel::Snorm16, 1),
    (0xca, Channel::Snorm16, 2),
    (0xcb, Channel::Snorm16, 4),
];

/// Code, kind, whether colours are those of sRGB, what numbers the texels are, and how many.
const BLOCKS: [(u32, Block, bool, Channel, usize); 14] = [
    (0x91, Block::Bc1, false, Channel::Unorm8, 4),
    (0x92, Block::Bc1, true, Channel::Unorm8, 4),
    (0x93, Block::Bc2, false, Channel::Unorm8, 4),
    (0x94, Block::Bc2, true, Channel::Unorm8, 4),
    (0x95, Block::Bc3, false, Channel::Unorm8, 4),
    (0x96, Block::Bc3, true, Channel::Unorm8, 4),
    (0x97, Block::Bc4, false, Channel::Unorm16, 1),
    (0x98, Block::SignedBc4, false, Channel::Snorm16, 1),
    (0x99, Block::Bc5, false, Channel::Unorm16, 2),
    (0x9a, Block::SignedBc5, false, Channel::Snorm16, 2),
    (0x9b, Block::Bc6h, false, Channel::F16, 3),
    (0x9c, Block::SignedBc6h, false, Channel::F16, 3),
    (0x9d, Block::Bc7, false, Channel::Unorm8, 4),
    (0x9e, Block::Bc7, true, Channel::Unorm8, 4),
];

impl Format {
    /// Nothing for formats that do not exist, or not here.
    pub fn of(code: u32, channels: u32) -> Option<Format> {
        let channels = usize::try_from(channels).ok().filter(|count| (1..=4).contains(count))?;
        if let Some(&(_, block, srgb, channel, _)) =
            BLOCKS.iter().find(|known| known.0 == code && known.4 == channels)
        {
            return Some(Format {
                channel,
                channels,
                block: Some(block),
                opaque: true,
                srgb,
                code,
            });
        }
        if channels == 3 {
            return None;
        }
        let channel =
            PLAIN.iter().find(|known| known.0 == code).map(|known| known.1).or_else(|| {
                let known =
                    NORMALIZED.iter().find(|known| known.0 == code && known.2 == channels)?;
                Some(known.1)
            })?;
        Some(Format { channel, channels, block: None, opaque: false, srgb: false, code })
    }

    /// Bytes of a texel, or of a block of them.
    pub fn size(self) -> usize {
        match self.block {
            None => self.channel.size() * self.channels,
            Some(Block::Bc1 | Block::Bc4 | Block::SignedBc4) => 8,
            Some(_) => 16,
        }
    }

    /// Texels along the side of a block that is stored as one.
    pub fn block_side(self) -> usize {
        if self.block.is_some() { 4 } else { 1 }
    }

    /// The format of a view (`hipResourceViewFormat`, which is CUDA's `CUresourceViewFormat`); nothing for
    /// those that do not exist here. 0 is the image's own.
    pub fn of_view(view: u32) -> Option<Format> {
        let index = view.checked_sub(1)?;
        // CU_RES_VIEW_FORMAT_UNSIGNED_BC1 and those after it.
        const BLOCK_VIEWS: [(u32, u32); 10] = [
            (0x91, 4),
            (0x93, 4),
            (0x95, 4),
            (0x97, 1),
            (0x98, 1),
            (0x99, 2),
            (0x9a, 2),
            (0x9b, 3),
            (0x9c, 3),
            (0x9d, 4),
        ];
        if let Some((code, channels)) = BLOCK_VIEWS.get((index as usize).wrapping_sub(24)) {
            let format = Format::of(*code, *channels)?;
            return Some(Format { opaque: false, ..format });
        }
        const CODES: [u32; 8] = [0x01, 0x08, 0x02, 0x09, 0x03, 0x0a, 0x10, 0x20];
        let code = *CODES.get(index as usize / 3)?;
        Format::of(code, [1, 2, 4][index as usize % 3])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_name_formats() {
        // CU_RES_VIEW_FORMAT_UINT_1X8, SINT_4X16, FLOAT_4X32 and UNSIGNED_BC1.
        assert_eq!(Format::of_view(1), Format::of(1, 1));
        assert_eq!(Format::of_view(12), Format::of(9, 4));
        assert_eq!(Format::of_view(24), Format::of(32, 4));
        assert_eq!(Format::of_view(25).map(|format| format.code), Some(0x91));
        assert_eq!(Format::of_view(31).map(|format| format.code), Some(0x9a));
        assert_eq!(Format::of_view(35), None);
        assert_eq!(Format::of_view(0), None);
    }

    #[test]
    fn formats_have_their_sizes() {
        assert_eq!(Format::of(0x20, 4).unwrap().size(), 16);
        assert_eq!(Format::of(0xc1, 2).unwrap().size(), 2);
        assert_eq!(Format::of(0xc1, 4), None);
        assert_eq!(Format::of(1, 3), None);
    }
}
