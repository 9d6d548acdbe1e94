//! The number of blocks that fit a multiprocessor. On CPUs it only guides programs; GPUs know of the registers that a
//! kernel's code takes, and are asked.

use crate::core::context::Current;
use crate::core::device::attributes::{MAX_BLOCKS_PER_MULTIPROCESSOR, Multiprocessor, WARP_SIZE};
use crate::core::module::function::{Function, Settings};
use cuda_types::cuda::{CUerror, CUres};
use ptx::KernelInfo;

/// Answers the questions about one kernel.
pub(crate) struct Occupancy<'a> {
    current: &'a Current,
    function: &'a Function,
    multiprocessor: Multiprocessor,
}

impl<'a> Occupancy<'a> {
    /// Asks about a kernel on the context's device.
    pub(crate) fn new(current: &'a Current, function: &'a Function) -> CUres<Occupancy<'a>> {
        let multiprocessor = current.device()?.properties.multiprocessor;
        Ok(Occupancy { current, function, multiprocessor })
    }

    /// Blocks of `threads` threads with `dynamic` bytes of dynamic shared memory that run on one
    /// multiprocessor at the same time.
    pub(crate) fn blocks(&self, threads: u32, dynamic: usize) -> CUres<u32> {
        let Occupancy { current, function, multiprocessor } = self;
        let (info, settings) = (&function.info, &function.settings);
        let blocks = blocks_per_multiprocessor(multiprocessor, info, settings, threads, dynamic);
        if blocks == 0 {
            return Ok(0);
        }
        let kernel = function.in_context(current);
        let of_code = current.driver.backend.blocks_of_code(&kernel, threads, dynamic)?;
        Ok(of_code.map_or(blocks, |of_code| blocks.min(of_code)))
    }

    /// The block size with the highest occupancy, the largest one of several, and the blocks of it that run on
    /// one multiprocessor. `limit` is the largest block to consider, or 0.
    pub(crate) fn best_block_size(
        &self,
        limit: u32,
        dynamic: impl Fn(u32) -> usize,
    ) -> CUres<(u32, u32)> {
        let most = self.function.info.max_threads;
        best_block_size(most, limit, |threads| self.blocks(threads, dynamic(threads)))
    }

    /// Bytes of dynamic shared memory that let `blocks` blocks of `threads` threads run on a multiprocessor.
    pub(crate) fn available_shared(&self, blocks: u32, threads: u32) -> CUres<usize> {
        if blocks == 0 || self.blocks(threads, 0)? < blocks {
            return Err(CUerror::INVALID_VALUE);
        }
        let Multiprocessor { shared, reserved, .. } = self.multiprocessor;
        let info = &self.function.info;
        let each = (shared / blocks).saturating_sub(reserved).saturating_sub(info.static_shared);
        Ok(each.min(self.function.settings.max_dynamic_shared(info)) as usize)
    }
}

/// Blocks of `threads` threads with `dynamic` bytes of dynamic shared memory that run on one
/// multiprocessor at the same time.
fn blocks_per_multiprocessor(
    multiprocessor: &Multiprocessor,
    info: &KernelInfo,
    settings: &Settings,
    threads: u32,
    dynamic: usize,
) -> u32 {
    if threads == 0
        || threads > info.max_threads
        || dynamic > settings.max_dynamic_shared(info) as usize
    {
        return 0;
    }
    let by_threads = multiprocessor.threads / threads.next_multiple_of(WARP_SIZE);
    let shared = info.static_shared as usize + dynamic + multiprocessor.reserved as usize;
    let by_shared = (multiprocessor.shared as usize).checked_div(shared).unwrap_or(usize::MAX);
    by_threads.min(u32::try_from(by_shared).unwrap_or(u32::MAX)).min(MAX_BLOCKS_PER_MULTIPROCESSOR)
}

/// The block size of which `blocks` says that the most threads run, the largest one of several, and its blocks.
fn best_block_size(most: u32, limit: u32, blocks: impl Fn(u32) -> CUres<u32>) -> CUres<(u32, u32)> {
    let limit = if limit == 0 { most } else { limit.min(most) };
    let (mut best, mut best_threads) = ((0, 0), 0);
    // From the limit down, in whole warps.
    let sizes = std::iter::successors(Some(limit), |size| {
        Some(size.checked_sub(1)? / WARP_SIZE * WARP_SIZE)
    });
    for threads in sizes.take_while(|size| *size > 0) {
        let blocks = blocks(threads)?;
        if blocks * threads > best_threads {
            (best, best_threads) = ((threads, blocks), blocks * threads);
        }
    }
    if best_threads == 0 { Err(CUerror::INVALID_VALUE) } else { Ok(best) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel(max_threads: u32, static_shared: u32) -> KernelInfo {
        KernelInfo { max_threads, static_shared, ..KernelInfo::default() }
    }

    // 2048 threads, 32 blocks and 164 KiB of shared memory a multiprocessor, 1 KiB of it reserved a block.
    /// Of the CPU's model.
    fn on_cpu(kernel: &KernelInfo, threads: u32, dynamic: usize) -> u32 {
        blocks_per_multiprocessor(
            &Multiprocessor::CAPABILITY_8_0,
            kernel,
            &Settings::default(),
            threads,
            dynamic,
        )
    }

    fn best(kernel: &KernelInfo, limit: u32, dynamic: impl Fn(u32) -> usize) -> CUres<(u32, u32)> {
        best_block_size(kernel.max_threads, limit, |threads| {
            Ok(on_cpu(kernel, threads, dynamic(threads)))
        })
    }

    #[test]
    fn each_resource_limits() {
        for (threads, shared, blocks) in [
            (1024, 0, 2),
            (256, 0, 8),
            (33, 0, 32),
            (32, 0, 32),
            (96, 0, 21),
            (128, 40 << 10, 4),
            (1025, 0, 0),
            (0, 0, 0),
        ] {
            assert_eq!(on_cpu(&kernel(1024, 0), threads, shared), blocks);
        }
        assert_eq!(on_cpu(&kernel(256, 0), 512, 0), 0);
        // 64 KiB of shared memory, nothing reserved.
        let amd = Multiprocessor { threads: 2048, shared: 64 << 10, reserved: 0 };
        let settings = Settings::default();
        for (shared, blocks) in [(0, 16), (32 << 10, 2), (40 << 10, 1)] {
            let found = blocks_per_multiprocessor(&amd, &kernel(1024, 0), &settings, 128, shared);
            assert_eq!(found, blocks);
        }
    }

    #[test]
    fn the_largest_of_the_best_block_sizes_is_chosen() {
        assert_eq!(best(&kernel(1024, 0), 0, |_| 0), Ok((1024, 2)));
        assert_eq!(best(&kernel(1024, 0), 300, |_| 0), Ok((256, 8)));
        // 768 threads: 2 blocks, 1536; 672: 3 blocks, 2016.
        assert_eq!(best(&kernel(768, 0), 0, |_| 0), Ok((512, 4)));
        // 32 bytes a thread.
        let (threads, blocks) = best(&kernel(1024, 0), 0, |threads| threads as usize * 32).unwrap();
        assert_eq!((threads, blocks), (1024, 2));
    }
}
