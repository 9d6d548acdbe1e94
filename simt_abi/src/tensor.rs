//! The operations of bulk and tensor copies.

/// Operations of bulk reductions, with the types of their elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Reduction {
    And32 = 0,
    And64,
    Or32,
    Or64,
    Xor32,
    Xor64,
    AddU32,
    AddU64,
    IncU32,
    DecU32,
    MinU32,
    MinS32,
    MinU64,
    MinS64,
    MaxU32,
    MaxS32,
    MaxU64,
    MaxS64,
    AddF16,
    MinF16,
    MaxF16,
    AddBf16,
    MinBf16,
    MaxBf16,
    AddF32,
    /// Denormals become zeros.
    AddFtzF32,
    AddF64,
}

/// The meaning of a box's coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum TensorMode {
    Tile = 0,
    /// Four rows of a matrix: a column and four row numbers.
    Rows4,
    /// Pixels of images, with offsets.
    Im2col,
    /// Pixels of images, in order.
    Im2colNoOffsets,
}

/// Operations of `cp.reduce.async.bulk.tensor`; the map has the type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum TensorReduction {
    Add = 0,
    Min,
    Max,
    Inc,
    Dec,
    And,
    Or,
    Xor,
}

/// Fields of `tensormap.replace`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum TensorField {
    GlobalAddress = 0,
    Rank,
    BoxDim,
    GlobalDim,
    GlobalStride,
    ElementStride,
    ElementType,
    InterleaveLayout,
    SwizzleMode,
    SwizzleAtomicity,
    FillMode,
}
