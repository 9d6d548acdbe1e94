//! A launch as it is handed to the executor.

use std::sync::Arc;

use hip_runtime_sys::hipError_t;
use smallvec::SmallVec;

use super::context::Context;
use super::module::Kernel;
use crate::work::chaos;
use crate::work::job::Job;

/// The parameter buffer, kept at 16-byte alignment. Larger ones than most have memory of their own: the others are moved with
/// their launch.
pub type Params = SmallVec<[u128; 8]>;

pub struct Request {
    /// The context whose stream it is launched in.
    pub context: &'static Context,
    /// Keeps the code loaded.
    pub kernel: Arc<Kernel>,
    pub params: Params,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub dynamic_shared: u32,
    /// Blocks of a cluster along each axis, which divide `grid`; none where nobody asked for clusters.
    pub cluster: Option<[u32; 3]>,
    /// Threads that the last block has along each axis, where it is no whole one; else 0. For OpenCL, whose kernels are ROCm's
    /// libraries' too.
    pub remainder: [u32; 3],
    /// All blocks must be in flight at the same time.
    pub cooperative: bool,
    pub grid_id: u64,
}

impl Request {
    /// Blocks in the grid.
    #[inline]
    pub fn blocks(&self) -> u64 {
        self.grid.iter().map(|size| u64::from(*size)).product()
    }

    /// Blocks in a cluster.
    #[inline]
    pub fn cluster_blocks(&self) -> u32 {
        self.cluster.map_or(1, |cluster| cluster.iter().product())
    }

    /// Clusters in the grid; each block is one where nobody asked for clusters.
    #[inline]
    pub fn clusters(&self) -> u64 {
        self.blocks() / u64::from(self.cluster_blocks())
    }

    /// Threads in a block.
    #[inline]
    pub fn threads(&self) -> u32 {
        self.block.iter().product()
    }

    /// The threads of a block along each axis.
    #[inline]
    pub fn block_at(&self, place: [u32; 3]) -> [u32; 3] {
        std::array::from_fn(|axis| match self.remainder[axis] {
            remainder if remainder != 0 && place[axis] + 1 == self.grid[axis] => remainder,
            _ => self.block[axis],
        })
    }

    /// The place of a block in the grid, from its number: x fastest.
    #[inline]
    pub fn ctaid(&self, block: u64) -> [u32; 3] {
        place(block, self.grid)
    }

    /// The place of a block in the grid, from the number of its cluster and its own in that.
    #[inline]
    pub fn cluster_ctaid(&self, number: u64, rank: u32) -> [u32; 3] {
        let Some(cluster) = self.cluster else { return self.ctaid(number) };
        let clusters = std::array::from_fn(|axis| self.grid[axis] / cluster[axis]);
        let (first, own) = (place(number, clusters), place(rank.into(), cluster));
        std::array::from_fn(|axis| first[axis] * cluster[axis] + own[axis])
    }

    /// Stops the launch and leaves the error with the device.
    pub fn fail(&self, job: &Job, error: hipError_t) {
        if let Some(seed) = chaos::seed() {
            tracing::error!("kernel {} failed with ZLUDA_CHAOS={seed}", self.kernel.name);
        }
        job.op.failure.set(error);
        job.stop();
    }

    /// The kernel's name.
    pub fn name(&self) -> &str {
        &self.kernel.name
    }

    /// The kernel, which keeps its module loaded.
    pub fn kernel(&self) -> &Arc<Kernel> {
        &self.kernel
    }
}

/// The place of an element from its number, in a box of this size: x fastest.
#[inline]
fn place(number: u64, size: [u32; 3]) -> [u32; 3] {
    let [x, y, _] = size.map(u64::from);
    if number < x {
        // Divisions cost as much as a small block.
        return [number as u32, 0, 0];
    }
    [(number % x) as u32, (number / x % y) as u32, (number / x / y) as u32]
}
