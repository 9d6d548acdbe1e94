//! The objects behind the handles of textures and surfaces: descriptions in memory, which the device library reads.
//! `device_library/c/texture.h` says the same in C.
//!
//! Texels lie in rows, rows in slices, wherever memory is.

/// Of the upper 16 bits of a handle on AMD GPUs; the others are the address of its [`TextureObject`].
pub const HANDLE_TAG: u64 = 0x7e57 << 48;

/// [`TextureObject::mark`] of an object that has not ended, which AMD GPUs ask for.
pub const LIVE: u64 = 0x65_7275_7478_6574;

/// Levels that an image has at most.
pub const MOST_LEVELS: usize = 18;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum TextureShape {
    /// Rows of memory: coordinates beyond it give 0.
    Linear = 0,
    /// As many axes as [`TextureObject::axes`] says.
    Axes,
    /// As many axes, and layers.
    Layers,
    Cube,
    CubeLayers,
}

/// One level of an image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct TextureObjectLevel {
    pub start: u64,
    /// Bytes from one row to the next, and from one slice to the next.
    pub pitch: u64,
    pub slice: u64,
    pub width: u32,
    /// 1 where the image has no such axis.
    pub height: u32,
    /// Slices: depth, layers or faces.
    pub depth: u32,
    pub unused: u32,
}

/// Truths are 0 or 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct TextureObjectSampler {
    /// Wrap, clamp, mirror, border.
    pub address: [u32; 3],
    pub linear: u32,
    /// Between levels.
    pub linear_levels: u32,
    pub normalized: u32,
    pub seamless: u32,
    pub bias: f32,
    pub least_level: f32,
    pub greatest_level: f32,
    pub border: [f32; 4],
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct TextureObject {
    /// [`LIVE`], or 0.
    pub mark: u64,
    pub surface: u32,
    /// A [`TextureShape`].
    pub shape: u32,
    pub axes: u32,
    pub level_count: u32,
    /// A [`Channel`](crate::texel_format::Channel).
    pub channel: u32,
    /// 1, 2 or 4; 3 of some blocks.
    pub channels: u32,
    /// A [`Block`](crate::texel_format::Block), or 0.
    pub block: u32,
    /// Alpha is 1 where there is none.
    pub opaque: u32,
    /// Integers are read as what they are.
    pub as_integers: u32,
    pub srgb: u32,
    pub sampler: TextureObjectSampler,
    pub unused: [u32; 2],
    pub levels: [TextureObjectLevel; MOST_LEVELS],
}

impl TextureObject {
    /// Sets the fields that a format decides.
    pub fn set_format(&mut self, format: crate::texel_format::Format) {
        self.channel = format.channel as u32;
        self.channels = format.channels as u32;
        self.block = format.block.map_or(0, |block| block as u32);
        self.opaque = format.opaque.into();
    }

    /// The bytes that are written to the device.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: the structure has no gaps, and any bytes are numbers.
        unsafe { std::slice::from_raw_parts(std::ptr::from_ref(self).cast(), size_of::<Self>()) }
    }
}

const _: () = assert!(
    size_of::<TextureObjectSampler>() == 56 && size_of::<TextureObject>() == 112 + 40 * MOST_LEVELS
);
