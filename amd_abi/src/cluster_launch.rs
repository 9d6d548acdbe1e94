//! The parameter that tells kernels on AMD GPUs of a launch in clusters: behind the hidden parameters of the variant of
//! a kernel that is compiled for such launches. `amdgcn/library/cluster.h` says the same in C.
//!
//! Hardware has no clusters. Shared memory is global memory there, a *window* for each block, side by side for a
//! cluster. Workgroups have the number of their block in its cluster along the first axis of the hardware's grid, the
//! number of the cluster in the launch along the second.

use std::mem::offset_of;

/// The smallest window, to multiples of which windows are aligned: more than any instruction asks for.
pub const SMALLEST_WINDOW: u32 = 1 << 10;

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ClusterLaunch {
    /// The window of the first block of the launch's first cluster, a multiple of [`SMALLEST_WINDOW`].
    pub windows: u64,
    /// A word of 64 bits for each cluster of the launch, the state of its barrier: zero before and after.
    pub barriers: u64,
    /// Blocks of CUDA's grid along each axis.
    pub grid: [u32; 3],
    /// Blocks of a cluster along each axis.
    pub cluster: [u32; 3],
    /// The number in the grid of the launch's first cluster: a grid may be several launches.
    pub first: u32,
    /// A window has `1 << window_shift` bytes.
    pub window_shift: u32,
    /// Bytes of dynamic shared memory of a block.
    pub dynamic_shared: u32,
}

/// The size of a [`ClusterLaunch`], in bytes of parameters.
pub const BYTES: u32 = size_of::<ClusterLaunch>() as u32;

impl ClusterLaunch {
    /// The shift of windows for blocks with as many bytes of static and dynamic shared memory.
    pub fn window_shift(static_shared: u32, dynamic_shared: u32) -> u32 {
        // Dynamic memory may have any alignment that there is.
        let before = u64::from(static_shared).next_multiple_of(u64::from(SMALLEST_WINDOW));
        let bytes = (before + u64::from(dynamic_shared)).max(u64::from(SMALLEST_WINDOW));
        bytes.next_power_of_two().trailing_zeros()
    }
}

// As cluster.h asserts.
const _: () = {
    assert!(size_of::<ClusterLaunch>() == 56);
    assert!(offset_of!(ClusterLaunch, barriers) == 8);
    assert!(offset_of!(ClusterLaunch, grid) == 16);
    assert!(offset_of!(ClusterLaunch, cluster) == 28);
    assert!(offset_of!(ClusterLaunch, first) == 40);
    assert!(offset_of!(ClusterLaunch, window_shift) == 44);
    assert!(offset_of!(ClusterLaunch, dynamic_shared) == 48);
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_have_room_for_both_kinds_of_memory() {
        for (fixed, dynamic, bytes) in [
            (0, 0, 1 << 10),
            (4, 0, 1 << 10),
            (4, 4, 2 << 10),
            (0, 64 << 10, 64 << 10),
            (1, 64 << 10, 128 << 10),
            (u32::MAX, u32::MAX, 1u64 << 33),
        ] {
            assert_eq!(1u64 << ClusterLaunch::window_shift(fixed, dynamic), bytes);
        }
    }
}
