//! The options that are the same for all targets.

/// The shapes of blocks that code is for. The fewer, the smaller it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Blocks {
    /// All.
    Any,
    /// A warp is two rows of 16 threads in one plane: `ntid.x` is 16, and `ntid.y` is even.
    HalfWarpRows,
    /// Warps never span two rows (`ntid.x` a multiple of 32, or a one-dimensional block): `tid.x` is
    /// consecutive in a warp, `tid.y` and `tid.z` are the same.
    RowWarps,
    /// As above, and all warps have 32 threads: `ntid.x` is a multiple of 32.
    WholeWarps,
}

/// The way in which PTX's approximate functions are computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Approximations {
    /// With the bits of an H100.
    Exact,
    /// As `Exact`, but for reciprocals, roots and quotients, which processors have instructions for.
    #[default]
    Mixed,
    /// In the processor's own way, within the bounds of PTX's manual.
    Fast,
}

impl Approximations {
    /// Whether a function, such as `ex2`, has the bits of an H100.
    pub fn is_exact(self, function: &str) -> bool {
        match self {
            Self::Exact => true,
            Self::Mixed => !matches!(function, "rcp" | "rsqrt" | "sqrt" | "div"),
            Self::Fast => false,
        }
    }
}
