//! Launches of kernels, by programs and by kernels.

use std::sync::Arc;

use hip_runtime_sys::hipError_t;
use simt_abi::MAX_CLUSTER_BLOCKS;
use zluda_common::printf;

use super::context::Context;
use super::device::new_grid;
use super::executor::executor;
use super::module::Kernel;
use super::request::{Params, Request};
use crate::work::blocks::Order;
use crate::work::job::{Job, Task};
use crate::work::op::Work;

const INVALID: hipError_t = hipError_t::hipErrorInvalidValue;

/// The arguments of a launch besides its kernel, its parameters and its stream.
#[derive(Clone, Copy, Debug)]
pub struct LaunchConfig {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub shared: u32,
    pub cooperative: bool,
    pub cluster: Option<[u32; 3]>,
    /// Threads that the last block has along each axis, where it is no whole one; else 0.
    pub remainder: [u32; 3],
}

/// A launch that has been checked. However often it runs, its grid has one number.
pub struct Ready {
    pub(super) kernel: Arc<Kernel>,
    pub(super) task: Arc<dyn Task>,
    pub(super) order: Order,
    pub(super) clusters: u64,
}

impl LaunchConfig {
    /// One of whole blocks alone, neither cooperative nor in clusters.
    pub fn new(grid: [u32; 3], block: [u32; 3], shared: u32) -> Self {
        LaunchConfig { grid, block, shared, cooperative: false, cluster: None, remainder: [0; 3] }
    }

    /// Whether the kernel can be launched like this; the error that the launch returns otherwise.
    pub fn check(&self, kernel: &Kernel) -> Result<(), hipError_t> {
        check_shape(kernel, self.grid, self.block)?;
        check_cluster(self.grid, self.cluster)?;
        let static_shared = kernel.facts.static_shared.next_multiple_of(16);
        let limit = executor().limits().shared;
        if self.shared > limit || static_shared + self.shared > limit.next_multiple_of(16) {
            return Err(INVALID);
        }
        Ok(())
    }
}

impl Ready {
    /// A launch in a context whose configuration has been checked.
    pub fn new(
        context: &'static Context,
        kernel: Arc<Kernel>,
        config: LaunchConfig,
        params: Params,
    ) -> Result<Ready, hipError_t> {
        printf::flush_at_exit();
        let LaunchConfig { grid, block, shared, cooperative, cluster, remainder } = config;
        let request = Request {
            context,
            kernel: kernel.clone(),
            params,
            grid,
            block,
            dynamic_shared: shared,
            cluster,
            remainder,
            cooperative,
            grid_id: new_grid(),
        };
        let (blocks, clusters) = (request.blocks(), request.clusters());
        if cooperative {
            let all = context.device.processors();
            let most = kernel.occupancy(request.threads(), shared as usize) * all;
            if blocks > u64::from(most) {
                return Err(hipError_t::hipErrorCooperativeLaunchTooLarge);
            }
        }
        let (task, order) = kernel.code.task(request)?;
        Ok(Ready { kernel, task, order, clusters })
    }

    /// The work of an operation that is this launch, on so many cores at a time. Greater priorities run sooner.
    pub fn work(self, priority: i32, processors: u32) -> Work {
        let Ready { task, order, clusters, .. } = self;
        Work::Blocks(Box::new(move |op| {
            (Job::new(task, op, priority, clusters, order, processors), clusters)
        }))
    }
}

/// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
fn check_shape(kernel: &Kernel, grid: [u32; 3], block: [u32; 3]) -> Result<(), hipError_t> {
    let limits = [(grid, [i32::MAX as u32, 65535, 65535]), (block, [1024, 1024, 64])];
    for (sizes, most) in limits {
        if sizes.iter().zip(most).any(|(size, most)| *size == 0 || *size > most) {
            return Err(INVALID);
        }
    }
    let threads: u64 = block.iter().map(|size| u64::from(*size)).product();
    if threads > 1024 {
        return Err(INVALID);
    }
    if threads > u64::from(kernel.max_threads()) {
        return Err(hipError_t::hipErrorLaunchOutOfResources);
    }
    kernel.code.check_block(block)
}

/// A cluster has 16 blocks at most, and the grid is whole clusters.
fn check_cluster(grid: [u32; 3], cluster: Option<[u32; 3]>) -> Result<(), hipError_t> {
    let Some(cluster) = cluster else { return Ok(()) };
    let blocks: u64 = cluster.iter().map(|size| u64::from(*size)).product();
    if blocks == 0 || blocks > u64::from(MAX_CLUSTER_BLOCKS) {
        return Err(hipError_t::hipErrorInvalidConfiguration);
    }
    if grid.iter().zip(cluster).any(|(grid, cluster)| !grid.is_multiple_of(cluster)) {
        return Err(INVALID);
    }
    Ok(())
}
