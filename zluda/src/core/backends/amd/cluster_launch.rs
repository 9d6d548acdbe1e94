//! Launches in clusters on AMD GPUs, which have none: of a variant of the kernel whose shared memory is memory of the
//! device, with all blocks of a cluster on the device at the same time. What does not fit on it becomes several
//! launches, one after the other.

use super::blocks_of_code;
use crate::core::device::backend::DeviceContext;
use crate::core::device::launch::{Kernel, LaunchConfig, Params, Prepared};
use amd_abi::cluster_launch::{BYTES, ClusterLaunch, SMALLEST_WINDOW};
use cuda_types::cuda::{CUerror, CUres};
use hip_runtime_sys::{hipFunction_t, hipStream_t};
use std::ffi::c_void;
use std::ptr::null_mut;

/// Workgroups along the second axis of the hardware's grid, which have the numbers of clusters.
const MAX_CLUSTERS: u64 = 0xffff;

/// The number of clusters of a kernel that run on the device at the same time; `blocks` is the size of one.
pub(super) fn clusters_at_once(kernel: &dyn Kernel, block: [u32; 3], blocks: u32) -> CUres<u32> {
    let (context, code) = (kernel.context(), kernel.code(block, true)?);
    let threads: u32 = block.iter().product();
    let each = blocks_of_code(context, code, threads, 0)?;
    let processors = u32::try_from(context.device()?.properties.multiprocessors).unwrap_or(0);
    let resident = each.saturating_mul(processors);
    Ok(resident / blocks.max(1))
}

/// Launches a grid in clusters of `cluster` blocks, which divide it.
pub(super) fn launch(launch: &Prepared, cluster: [u32; 3], mut params: Params) -> CUres {
    let Prepared { kernel, stream, config, grid, .. } = *launch;
    let info = kernel.info();
    let code = kernel.code(config.block, true)?;
    let blocks: u32 = cluster.iter().product();
    let clusters = grid.iter().map(|size| u64::from(*size)).product::<u64>() / u64::from(blocks);
    let at_once = clusters_at_once(kernel, config.block, blocks)?;
    let name = &info.name;
    if at_once == 0 {
        tracing::warn!("kernel {name}: the GPU has no room for a cluster of {blocks} blocks");
        return Err(CUerror::LAUNCH_OUT_OF_RESOURCES);
    }
    if config.cooperative && clusters > u64::from(at_once) {
        return Err(CUerror::COOPERATIVE_LAUNCH_TOO_LARGE);
    }
    if u32::try_from(clusters).is_err() {
        tracing::warn!("unsupported: kernel {name}: {clusters} clusters of blocks, on AMD GPUs");
        return Err(CUerror::NOT_SUPPORTED);
    }
    let each = clusters.min(at_once.into()).min(MAX_CLUSTERS);
    let window_shift = ClusterLaunch::window_shift(info.static_shared, config.shared);
    let barriers = (each * 8).next_multiple_of(SMALLEST_WINDOW.into());
    let windows = (each * u64::from(blocks)) << window_shift;
    let bytes = barriers + windows + u64::from(SMALLEST_WINDOW);
    let memory = Memory::allocate(kernel.context(), stream, bytes)?;
    let start = memory.address.next_multiple_of(SMALLEST_WINDOW.into());
    memory.clear(start, barriers)?;
    let mut record = ClusterLaunch {
        windows: start + barriers,
        barriers: start,
        grid,
        cluster,
        first: 0,
        window_shift,
        dynamic_shared: config.shared,
    };
    let offset = info.total_param_size.next_multiple_of(8) as usize;
    let size = offset + BYTES as usize;
    params.resize(size.div_ceil(16), 0);
    for first in (0..clusters).step_by(each as usize) {
        record.first = first as u32;
        let count = each.min(clusters - first) as u32;
        // SAFETY: the buffer has room for the record behind the parameters.
        unsafe {
            let place = params.as_mut_ptr().cast::<u8>().add(offset);
            place.cast::<ClusterLaunch>().write_unaligned(record);
        }
        memory.run(code, config, [blocks, count, 1], &mut params)?;
    }
    memory.free()
}

/// Memory of the device while a stream's launches use it.
struct Memory<'a> {
    context: &'a dyn DeviceContext,
    stream: hipStream_t,
    address: u64,
    is_free: bool,
}

impl<'a> Memory<'a> {
    fn allocate(
        context: &'a dyn DeviceContext,
        stream: hipStream_t,
        bytes: u64,
    ) -> CUres<Memory<'a>> {
        let bytes = usize::try_from(bytes).map_err(|_| CUerror::OUT_OF_MEMORY)?;
        let (hip, mut memory) = (&context.driver().hip, null_mut());
        // SAFETY: the stream has been checked, and `memory` outlives the call.
        context.check(unsafe { hip.hipMallocAsync(&mut memory, bytes, stream) })?;
        Ok(Memory { context, stream, address: memory as u64, is_free: false })
    }

    fn clear(&self, start: u64, bytes: u64) -> CUres {
        let Memory { context, stream, .. } = self;
        // SAFETY: the memory is there until the stream has come to its end.
        context.check(unsafe {
            let start = start as *mut c_void;
            context.driver().hip.hipMemsetAsync(start, 0, bytes as usize, *stream)
        })
    }

    fn run(
        &self,
        code: hipFunction_t,
        config: &LaunchConfig,
        grid: [u32; 3],
        params: &mut Params,
    ) -> CUres {
        let launch = hip_runtime_sys::Launch {
            function: code,
            grid,
            block: config.block,
            shared: 0,
            stream: self.stream,
        };
        let buffer = params.as_mut_ptr().cast::<c_void>();
        let hip = &self.context.driver().hip;
        // SAFETY: the function is loaded, and has one argument, the buffer; the stream has been checked.
        self.context.check(unsafe { hip.launch_cooperative(&launch, &mut [buffer]) })
    }

    fn free(mut self) -> CUres {
        self.is_free = true;
        self.context.check(self.give_back())
    }

    fn give_back(&self) -> hip_runtime_sys::hipError_t {
        // SAFETY: nothing but what the stream has been given uses the memory.
        unsafe { self.context.driver().hip.hipFreeAsync(self.address as *mut c_void, self.stream) }
    }
}

impl Drop for Memory<'_> {
    fn drop(&mut self) {
        if !self.is_free {
            // What went wrong before is what the program hears of.
            let _ = self.give_back();
        }
    }
}
