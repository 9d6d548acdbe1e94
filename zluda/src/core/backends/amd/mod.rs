//! AMD GPUs, emulated ones among them. Clusters, textures and what kernels ask of the host are this project's own
//! there; HIP gives memory, streams and launches.

mod cluster_launch;
mod linear_image;
mod services;
mod texture_object;

use crate::core::compile::target::{CodeTarget, Variant, approximations};
use crate::core::context::Current;
use crate::core::device::Device;
use crate::core::device::attributes::{MAX_THREADS_PER_BLOCK, Multiprocessor};
use crate::core::device::backend::{Backend, Services};
use crate::core::device::driver::Driver;
use crate::core::launch::occupancy::Occupancy;
use crate::core::launch::{self, Params, Prepared, Shape};
use crate::core::module::function::Function;
use crate::core::texture::TextureRequest;
use crate::core::texture::array::{Array, LevelSize, MipmappedStorage, Storage};
use cuda_types::cuda::{CUDA_ARRAY3D_DESCRIPTOR, CUerror, CUres};
use hip_runtime_sys::{
    HipRuntime, hipDeviceProp_tR0600, hipError_t, hipFunction_t, hipMallocSignalMemory,
};
use linear_image::LinearImage;
use ptx::Matrices;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::Arc;
use texture_object::Image;
use zluda_common::config::{AmdMatrix, config};

/// Bytes of shared memory that a block may have on nearly all AMD GPUs.
const SHARED_MEMORY: u32 = 64 << 10;

#[derive(Debug)]
pub(crate) struct Amd;

impl Backend for Amd {
    fn begin(&self, _hip: &HipRuntime) {}

    fn has_code(&self, architecture: &str) -> bool {
        shared_memory(architecture).is_some()
    }

    fn warn(&self, Device { ordinal, properties, .. }: &Device) {
        if !self.has_code(&properties.gcn_arch) {
            let (gfx, gpus) = (&properties.gcn_arch, ptx::Gpu::names());
            tracing::warn!("unsupported: kernels for device {ordinal}, a {gfx}; there are: {gpus}");
        }
    }

    fn multiprocessor(&self, properties: &hipDeviceProp_tR0600) -> Multiprocessor {
        Multiprocessor {
            threads: u32::try_from(properties.maxThreadsPerMultiProcessor)
                .ok()
                .filter(|count| *count >= MAX_THREADS_PER_BLOCK)
                .unwrap_or(Multiprocessor::CAPABILITY_8_0.threads),
            shared: u32::try_from(properties.maxSharedMemoryPerMultiProcessor)
                .unwrap_or(SHARED_MEMORY)
                .max(SHARED_MEMORY),
            reserved: 0,
        }
    }

    fn shared_memory_optin(&self, architecture: &str) -> u32 {
        shared_memory(architecture).unwrap_or(SHARED_MEMORY)
    }

    fn is_one_with_host(&self) -> bool {
        false
    }

    fn double_ratio(&self) -> i32 {
        16
    }

    fn variant(&self, block: [u32; 3], clusters: bool) -> Variant {
        Variant::of(block, clusters)
    }

    fn code_target(&self, device: &Device, variant: Variant) -> CodeTarget {
        let matrices = match config().amd_matrix {
            AmdMatrix::Exact => Matrices::Exact,
            AmdMatrix::Fast => Matrices::Fast,
        };
        let target = ptx::Target::Amdgcn {
            gfx: device.properties.gcn_arch.clone(),
            blocks: variant.blocks(),
            matrices,
            approximations: approximations(),
            clusters: variant.clusters(),
        };
        CodeTarget { target, preempt: false }
    }

    /// Blocks that are clusters of their own are as blocks without.
    fn needs_cluster_code(&self, cluster: Option<[u32; 3]>) -> bool {
        cluster.is_some_and(|cluster| cluster != [1; 3])
    }

    fn launch(&self, launch: &Prepared, mut params: Params) -> CUres {
        let Prepared { target, function, shape, grid, cluster } = *launch;
        if let Some(cluster) = cluster.filter(|_| self.needs_cluster_code(cluster)) {
            return cluster_launch::launch(target, function, shape, (grid, cluster), params);
        }
        let current = &target.current;
        let code = function.code(current, shape.block, false)?;
        check(shape)?;
        if !shape.cooperative {
            return launch::launch_code(launch, code, &mut params);
        }
        let launch = hip_runtime_sys::Launch {
            function: code.function,
            grid: shape.grid,
            block: shape.block,
            shared: shape.shared,
            stream: target.hip,
        };
        let buffer = params.as_mut_ptr().cast::<c_void>();
        let hip = &current.driver.hip;
        // SAFETY: the function is loaded, and has one argument, the buffer; the stream has been checked.
        current.check(unsafe { hip.launch_cooperative(&launch, &mut [buffer]) })
    }

    fn services(&self) -> Box<dyn Services> {
        Box::new(services::Slot::default())
    }

    // Kernels on AMD GPUs launch none.
    fn add_module(&self, _segment: u64, _handle: u64) {}

    fn end_module(&self, _segment: u64) {}

    /// GPUs know of the registers that code takes.
    fn blocks_of_code(
        &self,
        current: &Current,
        function: &Function,
        threads: u32,
        dynamic: usize,
    ) -> CUres<Option<u32>> {
        let code = function.code(current, [threads, 1, 1], false)?;
        blocks_of_code(current, code.function, threads, dynamic).map(Some)
    }

    fn largest_cluster(
        &self,
        current: &Current,
        function: &Function,
        block: [u32; 3],
        dynamic: usize,
    ) -> CUres<u32> {
        let threads = block.iter().fold(1, |threads: u32, size| threads.saturating_mul(*size));
        if Occupancy::new(current, function)?.blocks(threads, dynamic)? == 0 {
            return Ok(0);
        }
        let most = function.settings.cluster.max_blocks(&function.info);
        Ok(cluster_launch::clusters_at_once(current, function, block, 1)?.min(most))
    }

    fn clusters_at_once(
        &self,
        current: &Current,
        function: &Function,
        block: [u32; 3],
        blocks: u32,
        size: u32,
    ) -> CUres<u32> {
        if size != 1 {
            return cluster_launch::clusters_at_once(current, function, block, size);
        }
        Ok(blocks * current.device()?.properties.multiprocessors as u32)
    }

    /// ROCm wants memory of its own for these.
    fn signal_memory(&self, current: &Current) -> Option<*mut c_void> {
        let (hip, mut memory) = (&current.driver.hip, null_mut());
        // SAFETY: `memory` outlives the call.
        let error = unsafe { hip.hipExtMallocWithFlags(&mut memory, 8, hipMallocSignalMemory) };
        (error == hipError_t::hipSuccess).then_some(memory)
    }

    fn create_array(
        &self,
        current: &Current,
        _descriptor: &CUDA_ARRAY3D_DESCRIPTOR,
        size: LevelSize,
    ) -> CUres<Storage> {
        Ok(Storage::Memory(Arc::new(LinearImage::new(current, &[size])?), 0))
    }

    fn create_mipmapped_array(
        &self,
        current: &Current,
        _descriptor: &CUDA_ARRAY3D_DESCRIPTOR,
        sizes: &[LevelSize],
    ) -> CUres<MipmappedStorage> {
        Ok(MipmappedStorage::Memory(Arc::new(LinearImage::new(current, sizes)?)))
    }

    fn create_texture(&self, current: &Current, request: &TextureRequest) -> CUres<u64> {
        let mut image = Image::of(request.resource, request.resource_description)?;
        if let Some(view) = request.view {
            image.apply_view(view)?;
        }
        texture_object::create_texture(current, &image, request.description)
    }

    fn destroy_texture(&self, _driver: &Driver, handle: u64) {
        texture_object::destroy(handle);
    }

    fn create_surface(&self, current: &Current, array: &Array) -> CUres<u64> {
        texture_object::create_surface(current, &Image::array(array)?)
    }

    fn destroy_surface(&self, _driver: &Driver, handle: u64) {
        texture_object::destroy(handle);
    }

    fn free_retired(&self) {
        texture_object::free_retired();
    }
}

/// Blocks of loaded code that run on one multiprocessor at the same time, as HIP has it.
fn blocks_of_code(
    current: &Current,
    code: hipFunction_t,
    threads: u32,
    dynamic: usize,
) -> CUres<u32> {
    let mut most = 0;
    // SAFETY: `most` outlives the call; the function is loaded.
    current.check(unsafe {
        current.driver.hip.hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
            &mut most,
            code,
            threads as i32,
            dynamic,
        )
    })?;
    Ok(u32::try_from(most).unwrap_or(0))
}

/// Bytes of shared memory that a block may have; none of GPUs that code is not made for.
fn shared_memory(gfx: &str) -> Option<u32> {
    ptx::Gpu::named(gfx).map(|gpu| gpu.lds)
}

/// Refuses what AMD GPUs do not launch.
fn check(shape: &Shape) -> CUres {
    // The packet that starts a kernel counts threads, in 32 bits.
    let fits = |(blocks, threads): (&u32, &u32)| blocks.checked_mul(*threads).is_some();
    if !shape.grid.iter().zip(&shape.block).all(fits) {
        let Shape { grid, block, .. } = shape;
        tracing::warn!(
            "unsupported: a grid of {grid:?} blocks of {block:?} threads, on AMD GPUs, which have fewer \
             than 2^32 threads along each axis"
        );
        return Err(CUerror::NOT_SUPPORTED);
    }
    Ok(())
}
