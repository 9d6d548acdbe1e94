//! Occupancy.

use crate::api::launch_attribute::cluster_of;
use crate::convert::{FromC, In, Out};
use crate::core::context::current;
use crate::core::launch::occupancy::Occupancy;
use crate::core::module::function::FunctionArg;
use cuda_types::cuda::{CUerror, CUfunction, CUlaunchConfig, CUoccupancyB2DSize, CUres};
use std::ffi::{c_int, c_uint};

/// A block size: `INVALID_VALUE` unless it is positive.
fn threads(block_size: c_int) -> CUres<u32> {
    u32::try_from(block_size).ok().filter(|size| *size > 0).ok_or(CUerror::INVALID_VALUE)
}

fn threads_of(block: [u32; 3]) -> u32 {
    block.iter().fold(1, |threads, size| threads.saturating_mul(*size))
}

pub(crate) fn cuOccupancyMaxActiveBlocksPerMultiprocessor(
    blocks: Out<c_int>,
    FunctionArg(function): FunctionArg,
    block_size: c_int,
    shared: usize,
) -> CUres {
    blocks.check()?;
    let count = Occupancy::new(&current()?, &function)?.blocks(threads(block_size)?, shared)?;
    blocks.set(count as c_int)
}

pub(crate) fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    blocks: Out<c_int>,
    function: FunctionArg,
    block_size: c_int,
    shared: usize,
    flags: c_uint,
) -> CUres {
    if flags > 1 {
        return Err(CUerror::INVALID_VALUE);
    }
    cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, block_size, shared)
}

pub(crate) fn cuOccupancyMaxPotentialBlockSize(
    grid: Out<c_int>,
    block: Out<c_int>,
    FunctionArg(function): FunctionArg,
    shared_of: CUoccupancyB2DSize,
    shared: usize,
    limit: c_int,
) -> CUres {
    grid.check()?;
    block.check()?;
    let limit = u32::try_from(limit).map_err(|_| CUerror::INVALID_VALUE)?;
    let dynamic = |threads: u32| match shared_of {
        // SAFETY: the program gave this function to be called with block sizes.
        Some(shared_of) => unsafe { shared_of(threads as c_int) },
        None => shared,
    };
    let current = current()?;
    let (threads, blocks) = Occupancy::new(&current, &function)?.best_block_size(limit, dynamic)?;
    grid.set(blocks as c_int * current.device()?.properties.multiprocessors)?;
    block.set(threads as c_int)
}

pub(crate) fn cuOccupancyMaxPotentialBlockSizeWithFlags(
    grid: Out<c_int>,
    block: Out<c_int>,
    function: FunctionArg,
    shared_of: CUoccupancyB2DSize,
    shared: usize,
    limit: c_int,
    flags: c_uint,
) -> CUres {
    if flags > 1 {
        return Err(CUerror::INVALID_VALUE);
    }
    cuOccupancyMaxPotentialBlockSize(grid, block, function, shared_of, shared, limit)
}

pub(crate) fn cuOccupancyAvailableDynamicSMemPerBlock(
    size: Out<usize>,
    FunctionArg(function): FunctionArg,
    blocks: c_int,
    block_size: c_int,
) -> CUres {
    size.check()?;
    let (blocks, threads) = (threads(blocks)?, threads(block_size)?);
    size.set(Occupancy::new(&current()?, &function)?.available_shared(blocks, threads)?)
}

pub(crate) fn cuOccupancyMaxPotentialClusterSize(
    size: Out<c_int>,
    function: CUfunction,
    config: In<CUlaunchConfig>,
) -> CUres {
    size.check()?;
    // Null is an invalid value here, and no handle elsewhere.
    if function.is_null() {
        return Err(CUerror::INVALID_VALUE);
    }
    // SAFETY: any value may be converted.
    let FunctionArg(function) = unsafe { FunctionArg::from_c(function) }?;
    let config = config.get()?;
    let current = current()?;
    let block = [config.blockDimX, config.blockDimY, config.blockDimZ];
    let dynamic = config.sharedMemBytes as usize;
    let blocks = Occupancy::new(&current, &function)?.blocks(threads_of(block), dynamic)?;
    let kernel = function.in_context(&current);
    let most = current.driver.backend.largest_cluster(&kernel, block, blocks)?;
    size.set(most as c_int)
}

pub(crate) fn cuOccupancyMaxActiveClusters(
    count: Out<c_int>,
    FunctionArg(function): FunctionArg,
    config: In<CUlaunchConfig>,
) -> CUres {
    count.check()?;
    let config = config.get()?;
    let block = [config.blockDimX, config.blockDimY, config.blockDimZ];
    let threads = threads_of(block);
    let shared = config.sharedMemBytes as usize;
    let current = current()?;
    let cluster = function.settings.cluster.of_launch(
        &function.info,
        [config.gridDimX, config.gridDimY, config.gridDimZ],
        cluster_of(&config)?,
    )?;
    let size = cluster.map_or(1, |cluster| cluster.iter().product());
    let blocks = Occupancy::new(&current, &function)?.blocks(threads, shared)?;
    let clusters = match blocks {
        0 => 0,
        _ => {
            let kernel = function.in_context(&current);
            current.driver.backend.clusters_at_once(&kernel, block, blocks, size)?
        }
    };
    count.set(clusters as c_int)
}
