//! [`TextureOperation`]: an instruction of the texture and surface family as one number in per-thread IR.

/// Declares an enumeration that is one byte of an operation.
macro_rules! byte {
    ($(#[$meta:meta])* $name:ident { $($(#[$inner:meta])* $case:ident,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum $name {
            $($(#[$inner])* $case,)*
        }

        impl $name {
            fn of(byte: u8) -> Option<Self> {
                [$($name::$case),*].into_iter().find(|case| *case as u8 == byte)
            }
        }
    };
}

byte! {
    /// The instruction.
    TextureAction {
        /// `tex`
        Sample,
        /// `tld4`
        Gather,
        /// `txq` and `suq`
        Query,
        /// `istypep`
        IsType,
        /// `suld.b`
        Load,
        /// `sust.b`
        Store,
        /// `sust.p`
        StoreFormatted,
        /// `sured.b`
        Reduce,
        /// `sured.p`
        ReduceFormatted,
    }
}

byte! {
    /// The shape of what is accessed, which says what the coordinates are.
    TextureGeometry { D1, D2, D3, A1d, A2d, Cube, Acube, D2ms, A2dms, }
}

impl TextureGeometry {
    /// A layer comes first.
    pub fn is_layered(self) -> bool {
        use TextureGeometry::*;
        matches!(self, A1d | A2d | Acube | A2dms)
    }

    /// Coordinates without layer and sample.
    pub fn axes(self) -> usize {
        use TextureGeometry::*;
        match self {
            D1 | A1d => 1,
            D2 | A2d | D2ms | A2dms => 2,
            D3 | Cube | Acube => 3,
        }
    }

    /// Words of coordinates: layer, sample, axes.
    pub fn coordinates(self) -> usize {
        let sample = matches!(self, TextureGeometry::D2ms | TextureGeometry::A2dms);
        usize::from(self.is_layered()) + usize::from(sample) + self.axes()
    }
}

byte! {
    /// The type of results, or of the values of surfaces.
    TextureType { U32, S32, F32, F16, F16x2, B8, B16, B32, B64, U64, S64, }
}

byte! {
    /// The level of a mipmap that a `tex` reads.
    TextureLevel { Implicit, Base, Level, Grad, }
}

byte! {
    /// The behaviour of an access outside of a surface.
    SurfaceBounds { Trap, Clamp, Zero, }
}

byte! {
    /// The operation of `sured`.
    SurfaceReduction { Add, Min, Max, And, Or, }
}

byte! {
    /// The attribute that `txq` or `suq` asks for.
    TextureAttribute {
        Width, Height, Depth, ChannelDataType, ChannelOrder, NormalizedCoords, ArraySize, NumMipmapLevels,
        NumSamples, ForceUnnormalizedCoords, FilterMode, AddrMode0, AddrMode1, AddrMode2, MemoryLayout,
    }
}

byte! {
    /// The kinds of objects that `istypep` tells apart.
    TextureObjectKind { Texture, Sampler, Surface, }
}

/// An instruction. Its operands are words in this order: the object's handle (2), for [`TextureAction::Sample`]
/// and [`TextureAction::Gather`] the sampler's (2, or 0 for the object's own), coordinates, the level or the
/// slopes of all axes along x and then along y, offsets, the value to compare with; for surfaces the values,
/// two words each where they have 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextureOperation {
    pub action: TextureAction,
    pub geometry: TextureGeometry,
    pub type_: TextureType,
    /// Elements that are loaded or stored: 1, 2 or 4.
    pub count: u8,
    pub level: TextureLevel,
    /// Of a gather: 0 to 3. Of others, what the enumeration of the action says.
    pub detail: u8,
    pub bounds: SurfaceBounds,
    /// Coordinates are integers.
    pub whole: bool,
    pub offset: bool,
    pub compare: bool,
}

impl TextureOperation {
    /// An operation on all four elements, without any of the further modifiers.
    pub fn new(action: TextureAction, geometry: TextureGeometry, type_: TextureType) -> Self {
        TextureOperation {
            action,
            geometry,
            type_,
            count: 4,
            level: TextureLevel::Implicit,
            detail: 0,
            bounds: SurfaceBounds::Trap,
            whole: false,
            offset: false,
            compare: false,
        }
    }

    /// The word that stands for the operation in code.
    pub fn encode(self) -> u64 {
        let flags = u8::from(self.whole) | u8::from(self.offset) << 1 | u8::from(self.compare) << 2;
        u64::from_le_bytes([
            self.action as u8,
            self.geometry as u8,
            self.type_ as u8,
            self.count,
            self.level as u8,
            self.detail,
            self.bounds as u8,
            flags,
        ])
    }

    /// Nothing where the word is no operation.
    pub fn decode(word: u64) -> Option<Self> {
        let [action, geometry, type_, count, level, detail, bounds, flags] = word.to_le_bytes();
        Some(TextureOperation {
            action: TextureAction::of(action)?,
            geometry: TextureGeometry::of(geometry)?,
            type_: TextureType::of(type_)?,
            count: matches!(count, 1 | 2 | 4).then_some(count)?,
            level: TextureLevel::of(level)?,
            detail,
            bounds: SurfaceBounds::of(bounds)?,
            whole: flags & 1 != 0,
            offset: flags & 2 != 0,
            compare: flags & 4 != 0,
        })
    }

    /// The attribute that a query asks for; none where `detail` is not the number of one.
    pub fn attribute(&self) -> Option<TextureAttribute> {
        TextureAttribute::of(self.detail)
    }

    /// The operation of a `sured`; none where `detail` is not the number of one.
    pub fn reduction(&self) -> Option<SurfaceReduction> {
        SurfaceReduction::of(self.detail)
    }

    /// The kind of object that an `istypep` asks for; none where `detail` is not the number of one.
    pub fn object_kind(&self) -> Option<TextureObjectKind> {
        TextureObjectKind::of(self.detail)
    }
}

/// Words that every operation returns: four of values, and whether all texels were there.
pub const TEXTURE_RESULTS: usize = 5;

/// Bits of a `.samplerref` variable, and of a sampler's handle that is no object: these, or the variable's
/// address.
pub mod sampler_word {
    /// Marks the word.
    pub const TAG: u64 = 0x7e58 << 48;
    pub const TAG_MASK: u64 = 0xffff << 48;
    /// Two bits each for x, y and z: wrap, clamp, mirror, border.
    pub const ADDRESS_SHIFT: [u32; 3] = [0, 2, 4];
    pub const LINEAR: u64 = 1 << 6;
    /// Coordinates are texels, whatever the texture says.
    pub const FORCE_UNNORMALIZED: u64 = 1 << 7;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_come_back_from_their_words() {
        let operation = TextureOperation {
            count: 2,
            level: TextureLevel::Grad,
            detail: 3,
            bounds: SurfaceBounds::Zero,
            whole: true,
            compare: true,
            ..TextureOperation::new(TextureAction::Gather, TextureGeometry::A2dms, TextureType::S64)
        };
        assert_eq!(TextureOperation::decode(operation.encode()), Some(operation));
        assert_eq!(TextureOperation::decode(u64::MAX), None);
    }
}
