//! The codes of a kernel: of one kernel several are made, each as fast as the launches allow that it is for.

use ptx::{Approximations, Blocks};
use zluda_common::config::{Math, config};

/// One of the codes of a kernel; which they are is the backend's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Variant(u8);

/// The target that a kernel is compiled for.
#[derive(Clone, Debug)]
pub(crate) struct CodeTarget {
    pub(crate) target: ptx::Target,
    /// A thread may be left before each access of memory that others can see.
    pub(crate) preempt: bool,
}

/// The layouts of warps in the blocks that code is for: one code for each.
const SHAPES: [Blocks; 4] =
    [Blocks::Any, Blocks::RowWarps, Blocks::WholeWarps, Blocks::HalfWarpRows];

impl Variant {
    /// Codes of a kernel at most.
    pub(crate) const COUNT: usize = 2 * SHAPES.len();

    /// The code for blocks of this shape, of a device that has none for rows of half a warp.
    pub(crate) fn of(block: [u32; 3], clusters: bool) -> Variant {
        let [x, y, z] = block;
        let shape = match (y, z) {
            _ if x.is_multiple_of(32) => 2,
            (1, 1) => 1,
            _ => 0,
        };
        Variant(shape + if clusters { SHAPES.len() as u8 } else { 0 })
    }

    /// The code for blocks of this shape, of a device that does without clusters.
    pub(crate) fn with_half_warps(block: [u32; 3]) -> Variant {
        let [x, y, _] = block;
        if x == 16 && y.is_multiple_of(2) { Variant(3) } else { Variant::of(block, false) }
    }

    /// A number below [`COUNT`](Self::COUNT).
    pub(crate) fn number(self) -> usize {
        usize::from(self.0)
    }

    /// The blocks that the code is for.
    pub(crate) fn blocks(self) -> Blocks {
        SHAPES[self.number() % SHAPES.len()]
    }

    /// Whether the code is for launches in clusters.
    pub(crate) fn clusters(self) -> bool {
        self.number() >= SHAPES.len()
    }
}

/// The freedom that the user gives floating-point code to round differently.
pub(crate) fn approximations() -> Approximations {
    match config().math {
        Math::Exact => Approximations::Exact,
        Math::Mixed => Approximations::Mixed,
        Math::Fast => Approximations::Fast,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_run_the_code_for_their_shape() {
        for (block, shape) in [
            ([32, 1, 1], Blocks::WholeWarps),
            ([64, 3, 2], Blocks::WholeWarps),
            ([33, 1, 1], Blocks::RowWarps),
            ([16, 2, 1], Blocks::Any),
            ([8, 1, 2], Blocks::Any),
        ] {
            let [alone, clustered] = [false, true].map(|clusters| Variant::of(block, clusters));
            assert_eq!((alone.blocks(), alone.clusters()), (shape, false));
            assert_eq!((clustered.blocks(), clustered.clusters()), (shape, true));
            assert!(alone != clustered && clustered.number() < Variant::COUNT);
        }
    }

    #[test]
    fn two_rows_of_16_threads_are_a_warp() {
        for (block, shape) in [
            ([16, 16, 1], Blocks::HalfWarpRows),
            ([16, 2, 3], Blocks::HalfWarpRows),
            ([16, 3, 2], Blocks::Any),
            ([16, 1, 1], Blocks::RowWarps),
            ([32, 2, 1], Blocks::WholeWarps),
            ([8, 4, 1], Blocks::Any),
        ] {
            assert_eq!(Variant::with_half_warps(block).blocks(), shape, "{block:?}");
        }
    }
}
