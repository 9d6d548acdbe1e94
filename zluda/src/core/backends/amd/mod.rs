//! AMD GPUs, emulated ones among them. Clusters, textures and what kernels ask of the host are this project's own
//! there; HIP gives memory, streams and launches.

mod cluster_launch;
mod linear_image;
mod services;
mod texture_object;

use crate::core::compile::target::{CodeTarget, Variant, approximations};
use crate::core::device::attributes::{MAX_THREADS_PER_BLOCK, Multiprocessor};
use crate::core::device::backend::{Backend, DeviceContext, Model, Services};
use crate::core::device::driver::Driver;
use crate::core::device::launch::{Kernel, LaunchConfig, Params, Prepared, launch_code};
use crate::core::device::part::Grain;
use crate::core::device::text;
use crate::core::device::texture::{ArrayStorage, LevelSize, MipmappedStorage, TextureRequest};
use cuda_types::cuda::{CUDA_ARRAY3D_DESCRIPTOR, CUerror, CUres};
use hip_runtime_sys::{
    HipRuntime, SequenceKernel, hipDeviceProp_tR0600, hipError_t, hipFunction_t,
    hipMallocSignalMemory,
};
use linear_image::LinearImage;
use ptx::Matrices;
use std::ffi::c_void;
use std::ptr::null_mut;
use texture_object::Image;
use zluda_common::config::{AmdMatrix, config};

/// Bytes of shared memory that a block may have on nearly all AMD GPUs.
const SHARED_MEMORY: u32 = 64 << 10;

#[derive(Debug)]
pub(crate) struct Amd;

impl Backend for Amd {
    fn begin(&self, _hip: &HipRuntime) {}

    fn model(&self, properties: &hipDeviceProp_tR0600) -> Box<dyn Model> {
        Box::new(Gpu {
            gfx: architecture(properties),
            multiprocessor: Multiprocessor {
                threads: u32::try_from(properties.maxThreadsPerMultiProcessor)
                    .ok()
                    .filter(|count| *count >= MAX_THREADS_PER_BLOCK)
                    .unwrap_or(Multiprocessor::CAPABILITY_8_0.threads),
                shared: u32::try_from(properties.maxSharedMemoryPerMultiProcessor)
                    .unwrap_or(SHARED_MEMORY)
                    .max(SHARED_MEMORY),
                reserved: 0,
            },
        })
    }

    fn is_one_with_host(&self) -> bool {
        false
    }

    fn grain(&self, together: bool) -> Grain {
        Grain::of_capability(config().compute_capability.major, together)
    }

    fn double_ratio(&self) -> i32 {
        16
    }

    fn variant(&self, block: [u32; 3], clusters: bool) -> Variant {
        Variant::of(block, clusters)
    }

    /// Blocks that are clusters of their own are as blocks without.
    fn needs_cluster_code(&self, cluster: Option<[u32; 3]>) -> bool {
        cluster.is_some_and(|cluster| cluster != [1; 3])
    }

    fn launch(&self, launch: &Prepared, mut params: Params) -> CUres {
        let Prepared { kernel, stream, config, cluster, .. } = *launch;
        if let Some(cluster) = cluster.filter(|_| self.needs_cluster_code(cluster)) {
            return cluster_launch::launch(launch, cluster, params);
        }
        let code = kernel.code(config.block, false)?;
        check(config)?;
        if !config.cooperative {
            return launch_code(launch, code, &mut params);
        }
        let launch = hip_runtime_sys::Launch {
            function: code,
            grid: config.grid,
            block: config.block,
            shared: config.shared,
            stream,
        };
        let buffer = params.as_mut_ptr().cast::<c_void>();
        let context = kernel.context();
        let hip = &context.driver().hip;
        // SAFETY: the function is loaded, and has one argument, the buffer; the stream has been checked.
        context.check(unsafe { hip.launch_cooperative(&launch, &mut [buffer]) })
    }

    /// Each is launched by itself.
    fn in_sequence(&self, _launch: &Prepared) -> CUres<Option<SequenceKernel>> {
        Ok(None)
    }

    fn services(&self) -> Box<dyn Services> {
        Box::new(services::Slot::default())
    }

    fn has_graphs_of_kernels(&self) -> bool {
        false
    }

    // Kernels on AMD GPUs launch none.
    fn add_module(&self, _segment: u64, _handle: u64) {}

    fn end_module(&self, _segment: u64) {}

    /// GPUs know of the registers that code takes.
    fn blocks_of_code(
        &self,
        kernel: &dyn Kernel,
        threads: u32,
        dynamic: usize,
    ) -> CUres<Option<u32>> {
        let code = kernel.code([threads, 1, 1], false)?;
        blocks_of_code(kernel.context(), code, threads, dynamic).map(Some)
    }

    fn largest_cluster(&self, kernel: &dyn Kernel, block: [u32; 3], blocks: u32) -> CUres<u32> {
        if blocks == 0 {
            return Ok(0);
        }
        let most = kernel.max_cluster_blocks();
        Ok(cluster_launch::clusters_at_once(kernel, block, 1)?.min(most))
    }

    fn clusters_at_once(
        &self,
        kernel: &dyn Kernel,
        block: [u32; 3],
        blocks: u32,
        size: u32,
    ) -> CUres<u32> {
        if size != 1 {
            return cluster_launch::clusters_at_once(kernel, block, size);
        }
        Ok(blocks * kernel.context().device()?.properties.multiprocessors as u32)
    }

    /// ROCm wants memory of its own for these.
    fn signal_memory(&self, context: &dyn DeviceContext) -> Option<*mut c_void> {
        let (hip, mut memory) = (&context.driver().hip, null_mut());
        // SAFETY: `memory` outlives the call.
        let error = unsafe { hip.hipExtMallocWithFlags(&mut memory, 8, hipMallocSignalMemory) };
        (error == hipError_t::hipSuccess).then_some(memory)
    }

    fn create_array(
        &self,
        context: &dyn DeviceContext,
        _descriptor: &CUDA_ARRAY3D_DESCRIPTOR,
        size: LevelSize,
    ) -> CUres<Box<dyn ArrayStorage>> {
        LinearImage::new(context, &[size])?.array(context, 0)
    }

    fn create_mipmapped_array(
        &self,
        context: &dyn DeviceContext,
        _descriptor: &CUDA_ARRAY3D_DESCRIPTOR,
        sizes: &[LevelSize],
    ) -> CUres<Box<dyn MipmappedStorage>> {
        Ok(Box::new(LinearImage::new(context, sizes)?))
    }

    fn create_texture(&self, context: &dyn DeviceContext, request: &TextureRequest) -> CUres<u64> {
        let mut image = Image::of(request.texels, request.resource)?;
        if let Some(view) = request.view {
            image.apply_view(view)?;
        }
        texture_object::create_texture(context, &image, request.description)
    }

    fn destroy_texture(&self, _driver: &Driver, handle: u64) {
        texture_object::destroy(handle);
    }

    fn create_surface(
        &self,
        context: &dyn DeviceContext,
        descriptor: &CUDA_ARRAY3D_DESCRIPTOR,
        storage: &dyn ArrayStorage,
    ) -> CUres<u64> {
        texture_object::create_surface(context, &Image::array(descriptor, storage)?)
    }

    fn destroy_surface(&self, _driver: &Driver, handle: u64) {
        texture_object::destroy(handle);
    }

    fn free_retired(&self) {
        texture_object::free_retired();
    }
}

/// A GPU.
#[derive(Debug)]
struct Gpu {
    /// LLVM's name, such as `gfx1100`.
    gfx: String,
    multiprocessor: Multiprocessor,
}

impl Model for Gpu {
    fn has_code(&self) -> bool {
        shared_memory(&self.gfx).is_some()
    }

    fn warn(&self, ordinal: i32) {
        if !self.has_code() {
            let (gfx, gpus) = (&self.gfx, ptx::Gpu::names());
            tracing::warn!("unsupported: kernels for device {ordinal}, a {gfx}; there are: {gpus}");
        }
    }

    fn multiprocessor(&self) -> Multiprocessor {
        self.multiprocessor
    }

    fn shared_memory_optin(&self) -> u32 {
        shared_memory(&self.gfx).unwrap_or(SHARED_MEMORY)
    }

    fn code_target(&self, variant: Variant) -> CodeTarget {
        let matrices = match config().amd_matrix {
            AmdMatrix::Exact => Matrices::Exact,
            AmdMatrix::Fast => Matrices::Fast,
        };
        let target = ptx::Target::Amdgcn {
            gfx: self.gfx.clone(),
            blocks: variant.blocks(),
            matrices,
            approximations: approximations(),
            clusters: variant.clusters(),
        };
        CodeTarget { target, preempt: false }
    }
}

/// LLVM's name of an AMD GPU: `gfx90a`, of which HIP says `gfx90a:sramecc+:xnack-`.
fn architecture(properties: &hipDeviceProp_tR0600) -> String {
    text(&properties.gcnArchName).split(':').next().unwrap_or_default().to_owned()
}

/// Blocks of loaded code that run on one multiprocessor at the same time, as HIP has it.
fn blocks_of_code(
    context: &dyn DeviceContext,
    code: hipFunction_t,
    threads: u32,
    dynamic: usize,
) -> CUres<u32> {
    let mut most = 0;
    // SAFETY: `most` outlives the call; the function is loaded.
    context.check(unsafe {
        context.driver().hip.hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
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
fn check(config: &LaunchConfig) -> CUres {
    // The packet that starts a kernel counts threads, in 32 bits.
    let fits = |(blocks, threads): (&u32, &u32)| blocks.checked_mul(*threads).is_some();
    if !config.grid.iter().zip(&config.block).all(fits) {
        let LaunchConfig { grid, block, .. } = config;
        tracing::warn!(
            "unsupported: a grid of {grid:?} blocks of {block:?} threads, on AMD GPUs, which have fewer \
             than 2^32 threads along each axis"
        );
        return Err(CUerror::NOT_SUPPORTED);
    }
    Ok(())
}
