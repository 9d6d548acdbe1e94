//! How many blocks fit a multiprocessor: as on a GPU, though here it only guides programs.

use crate::core::device_attributes::{
    MAX_BLOCKS_PER_MULTIPROCESSOR, MAX_THREADS_PER_MULTIPROCESSOR,
    RESERVED_SHARED_MEMORY_PER_BLOCK, SHARED_MEMORY_PER_MULTIPROCESSOR, WARP_SIZE,
};
use crate::core::function::Settings;
use cuda_types::cuda::{CUerror, CUres};
use ptx::KernelInfo;

/// Blocks of `threads` threads with `dynamic` bytes of dynamic shared memory that run on one
/// multiprocessor at the same time.
pub(crate) fn blocks_per_multiprocessor(
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
    let by_threads = MAX_THREADS_PER_MULTIPROCESSOR / threads.next_multiple_of(WARP_SIZE);
    let shared = info.static_shared as usize + dynamic + RESERVED_SHARED_MEMORY_PER_BLOCK as usize;
    let by_shared = SHARED_MEMORY_PER_MULTIPROCESSOR as usize / shared;
    by_threads.min(by_shared as u32).min(MAX_BLOCKS_PER_MULTIPROCESSOR)
}

/// The block size with the highest occupancy, the largest one of several, and the blocks of it that run on
/// one multiprocessor. `limit` is the largest block to consider, or 0.
pub(crate) fn best_block_size(
    info: &KernelInfo,
    settings: &Settings,
    limit: u32,
    dynamic: impl Fn(u32) -> usize,
) -> CUres<(u32, u32)> {
    let limit = if limit == 0 { info.max_threads } else { limit.min(info.max_threads) };
    let (mut best, mut best_threads) = ((0, 0), 0);
    // From the limit down, in whole warps.
    let sizes = std::iter::successors(Some(limit), |size| {
        Some(size.checked_sub(1)? / WARP_SIZE * WARP_SIZE)
    });
    for threads in sizes.take_while(|size| *size > 0) {
        let blocks = blocks_per_multiprocessor(info, settings, threads, dynamic(threads));
        if blocks * threads > best_threads {
            (best, best_threads) = ((threads, blocks), blocks * threads);
        }
    }
    if best_threads == 0 { Err(CUerror::INVALID_VALUE) } else { Ok(best) }
}

/// Bytes of dynamic shared memory that let `blocks` blocks of `threads` threads run on a multiprocessor.
pub(crate) fn available_shared(
    info: &KernelInfo,
    settings: &Settings,
    blocks: u32,
    threads: u32,
) -> CUres<usize> {
    let fits = |dynamic| blocks_per_multiprocessor(info, settings, threads, dynamic) >= blocks;
    if blocks == 0 || !fits(0) {
        return Err(CUerror::INVALID_VALUE);
    }
    let each = (SHARED_MEMORY_PER_MULTIPROCESSOR / blocks)
        .saturating_sub(RESERVED_SHARED_MEMORY_PER_BLOCK);
    Ok(each.saturating_sub(info.static_shared).min(settings.max_dynamic_shared(info)) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel(max_threads: u32, static_shared: u32) -> KernelInfo {
        KernelInfo { max_threads, static_shared, ..KernelInfo::default() }
    }

    // 2048 threads, 32 blocks and 164 KiB of shared memory a multiprocessor, 1 KiB of it reserved a block.
    #[test]
    fn each_resource_limits() {
        let settings = Settings::default();
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
            assert_eq!(
                blocks_per_multiprocessor(&kernel(1024, 0), &settings, threads, shared),
                blocks
            );
        }
        assert_eq!(blocks_per_multiprocessor(&kernel(256, 0), &settings, 512, 0), 0);
    }

    #[test]
    fn the_largest_of_the_best_block_sizes_is_chosen() {
        let settings = Settings::default();
        assert_eq!(best_block_size(&kernel(1024, 0), &settings, 0, |_| 0), Ok((1024, 2)));
        assert_eq!(best_block_size(&kernel(1024, 0), &settings, 300, |_| 0), Ok((256, 8)));
        // 768 threads: 2 blocks, 1536; 672: 3 blocks, 2016.
        assert_eq!(best_block_size(&kernel(768, 0), &settings, 0, |_| 0), Ok((512, 4)));
        // 32 bytes a thread.
        let (threads, blocks) =
            best_block_size(&kernel(1024, 0), &settings, 0, |threads| threads as usize * 32)
                .unwrap();
        assert_eq!((threads, blocks), (1024, 2));
    }
}
