//! CPUs, whose provider is this project's: it knows clusters, textures and the errors of kernels.

mod arrays;
mod device_launch;
mod textures;

use crate::core::compile::target::{CodeTarget, Variant, approximations};
use crate::core::device::attributes::Multiprocessor;
use crate::core::device::backend::{Backend, DeviceContext, Model, Services};
use crate::core::device::driver::Driver;
use crate::core::device::launch::{Kernel, Params, Prepared, extra, launch_code};
use crate::core::device::part::Grain;
use crate::core::device::texture::{ArrayStorage, LevelSize, MipmappedStorage, TextureRequest};
use arrays::{HipArray, HipMipmappedArray};
use cuda_types::cuda::{CUDA_ARRAY3D_DESCRIPTOR, CUres};
use hip_runtime_sys::{
    CLUSTER_DIMENSION, HIP_LAUNCH_CONFIG, HipRuntime, SequenceKernel, hipDeviceProp_tR0600,
    hipLaunchAttribute, hipLaunchAttribute_st__bindgen_ty_1, hipLaunchAttributeID,
    hipLaunchAttributeValue,
};
use ptx::Executor;
use smallvec::SmallVec;
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use zluda_common::config::{self, CpuTarget, config};

#[derive(Debug)]
pub(crate) struct Cpu;

impl Backend for Cpu {
    fn begin(&self, hip: &HipRuntime) {
        device_launch::offer(hip);
    }

    fn model(&self, _properties: &hipDeviceProp_tR0600) -> Box<dyn Model> {
        Box::new(Processor)
    }

    fn is_one_with_host(&self) -> bool {
        true
    }

    /// A multiprocessor is a core, which runs all blocks of a cluster.
    fn grain(&self, _together: bool) -> Grain {
        Grain::ONE
    }

    /// A CPU has half as many lanes of doubles as of floats.
    fn double_ratio(&self) -> i32 {
        2
    }

    fn variant(&self, block: [u32; 3], _clusters: bool) -> Variant {
        Variant::with_half_warps(block)
    }

    fn needs_cluster_code(&self, _cluster: Option<[u32; 3]>) -> bool {
        false
    }

    fn launch(&self, launch: &Prepared, mut params: Params) -> CUres {
        let Prepared { kernel, stream, config, cluster, .. } = *launch;
        let code = kernel.code(config.block, false)?;
        let mut attributes = SmallVec::<[hipLaunchAttribute; 3]>::new();
        if config.cooperative {
            let id = hipLaunchAttributeID::hipLaunchAttributeCooperative;
            attributes.push(attribute(id, [1, 0, 0]));
        }
        if let Some(cluster) = cluster {
            attributes.push(attribute(CLUSTER_DIMENSION, cluster));
        }
        if let Some(priority) = config.priority {
            let id = hipLaunchAttributeID::hipLaunchAttributePriority;
            attributes.push(attribute(id, [priority as u32, 0, 0]));
        }
        if attributes.is_empty() {
            return launch_code(launch, code, &mut params);
        }
        let ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]) = (launch.grid, config.block);
        let hip_config = HIP_LAUNCH_CONFIG {
            gridDimX: grid_x,
            gridDimY: grid_y,
            gridDimZ: grid_z,
            blockDimX: block_x,
            blockDimY: block_y,
            blockDimZ: block_z,
            sharedMemBytes: config.shared,
            hStream: stream,
            attrs: attributes.as_mut_ptr(),
            numAttrs: attributes.len() as u32,
        };
        let mut size = kernel.info().total_param_size as usize;
        let mut parameters = extra(&mut params, &mut size);
        let context = kernel.context();
        let hip = &context.driver().hip;
        // SAFETY: the function is loaded, its parameters are there, the stream has been checked.
        context.check(unsafe {
            hip.hipDrvLaunchKernelEx(&hip_config, code, null_mut(), parameters.as_mut_ptr())
        })
    }

    fn in_sequence(&self, launch: &Prepared) -> CUres<Option<SequenceKernel>> {
        let Prepared { kernel, config, grid, cluster, .. } = *launch;
        // Those of a sequence have one priority.
        if config.cooperative || config.priority.is_some() {
            return Ok(None);
        }
        Ok(Some(SequenceKernel {
            function: kernel.code(config.block, false)?,
            grid,
            block: config.block,
            shared: config.shared,
            cluster: cluster.unwrap_or_default(),
            params: null(),
            size: kernel.info().total_param_size as usize,
        }))
    }

    fn services(&self) -> Box<dyn Services> {
        Box::new(Provided)
    }

    fn has_graphs_of_kernels(&self) -> bool {
        true
    }

    fn add_module(&self, segment: u64, handle: u64) {
        device_launch::add_module(segment, handle);
    }

    fn end_module(&self, segment: u64) {
        device_launch::end_module(segment);
    }

    fn blocks_of_code(
        &self,
        _kernel: &dyn Kernel,
        _threads: u32,
        _dynamic: usize,
    ) -> CUres<Option<u32>> {
        Ok(None)
    }

    fn largest_cluster(&self, kernel: &dyn Kernel, _block: [u32; 3], _blocks: u32) -> CUres<u32> {
        Ok(kernel.max_cluster_blocks())
    }

    fn clusters_at_once(
        &self,
        kernel: &dyn Kernel,
        _block: [u32; 3],
        blocks: u32,
        size: u32,
    ) -> CUres<u32> {
        // A cluster runs on one processor, whatever its size.
        let clusters = (blocks / size).max(1);
        Ok(clusters * kernel.context().device()?.properties.multiprocessors as u32)
    }

    fn signal_memory(&self, _context: &dyn DeviceContext) -> Option<*mut c_void> {
        None
    }

    fn create_array(
        &self,
        context: &dyn DeviceContext,
        descriptor: &CUDA_ARRAY3D_DESCRIPTOR,
        _size: LevelSize,
    ) -> CUres<Box<dyn ArrayStorage>> {
        Ok(Box::new(HipArray::new(context, descriptor)?))
    }

    fn create_mipmapped_array(
        &self,
        context: &dyn DeviceContext,
        descriptor: &CUDA_ARRAY3D_DESCRIPTOR,
        sizes: &[LevelSize],
    ) -> CUres<Box<dyn MipmappedStorage>> {
        Ok(Box::new(HipMipmappedArray::new(context, descriptor, sizes.len() as u32)?))
    }

    fn create_texture(&self, context: &dyn DeviceContext, request: &TextureRequest) -> CUres<u64> {
        textures::create(context, request)
    }

    fn destroy_texture(&self, driver: &Driver, handle: u64) {
        textures::destroy(driver, handle);
    }

    fn create_surface(
        &self,
        context: &dyn DeviceContext,
        _descriptor: &CUDA_ARRAY3D_DESCRIPTOR,
        storage: &dyn ArrayStorage,
    ) -> CUres<u64> {
        textures::create_surface(context, storage)
    }

    fn destroy_surface(&self, driver: &Driver, handle: u64) {
        textures::destroy_surface(driver, handle);
    }

    fn free_retired(&self) {}
}

/// The machine's processors.
#[derive(Debug)]
struct Processor;

impl Model for Processor {
    fn has_code(&self) -> bool {
        true
    }

    fn warn(&self, _ordinal: i32) {}

    fn multiprocessor(&self) -> Multiprocessor {
        Multiprocessor::of_capability(config().compute_capability.major)
    }

    fn shared_memory_optin(&self) -> u32 {
        self.multiprocessor().optin()
    }

    fn code_target(&self, variant: Variant) -> CodeTarget {
        let executor = match config().executor {
            config::Executor::Vector => Executor::Vector,
            config::Executor::Reference => Executor::Reference,
        };
        let level = match config().cpu_target {
            CpuTarget::Native => None,
            CpuTarget::Level(name) => Some(name),
        };
        let target = ptx::Target::cpu(level, variant.blocks(), executor);
        CodeTarget {
            target: target.with_approximations(approximations()),
            preempt: config().preempts(),
        }
    }
}

/// The provider itself prints, allocates and tells errors.
#[derive(Debug)]
struct Provided;

impl Services for Provided {
    fn address(&self, _context: &dyn DeviceContext) -> CUres<u64> {
        Ok(0)
    }

    fn error(&self) -> CUres {
        Ok(())
    }

    fn settle(&self) -> CUres {
        Ok(())
    }

    fn end(&self) {}
}

/// A launch attribute whose value begins with these words.
fn attribute(id: hipLaunchAttributeID, words: [u32; 3]) -> hipLaunchAttribute {
    let mut value = hipLaunchAttributeValue { pad: [0; 64] };
    // SAFETY: there is room for 64 bytes.
    unsafe { (&raw mut value).cast::<[u32; 3]>().write_unaligned(words) };
    let value = hipLaunchAttribute_st__bindgen_ty_1 { value };
    hipLaunchAttribute { id, pad: [0; 4], __bindgen_anon_1: value }
}
