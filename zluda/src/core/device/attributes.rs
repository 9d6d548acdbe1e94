//! The answers of devices to `cuDeviceGetAttribute`.
//!
//! Programs choose sizes and algorithms by these values, so they describe what works well here, within
//! what a device of the reported compute capability could say. Attributes of features that do not exist
//! here are 0.

use crate::core::device::Device;
use crate::core::device::driver::driver;
use cuda_types::cuda::{CUdevice_attribute as A, CUerror, CUres};
use zluda_common::config::config;

/// Threads in a block at most.
pub(crate) const MAX_THREADS_PER_BLOCK: u32 = 1024;
/// Threads in a block at most along x, y and z.
pub(crate) const MAX_BLOCK_DIM: [u32; 3] = [1024, 1024, 64];
/// Blocks in a grid at most along x, y and z.
pub(crate) const MAX_GRID_DIM: [u32; 3] = [0x7fff_ffff, 65535, 65535];
/// Bytes of shared memory that every kernel may use.
pub(crate) const SHARED_MEMORY_PER_BLOCK: u32 = 48 << 10;
pub(crate) const MAX_BLOCKS_PER_MULTIPROCESSOR: u32 = 32;
pub(crate) const WARP_SIZE: u32 = 32;
/// Registers for which occupancy accounts; nothing here is limited by them.
pub(crate) const REGISTERS_PER_BLOCK: u32 = 65536;

/// The resources that the blocks on a multiprocessor share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Multiprocessor {
    pub(crate) threads: u32,
    /// Bytes.
    pub(crate) shared: u32,
    /// Bytes of shared memory that a block uses for itself.
    pub(crate) reserved: u32,
}

impl Multiprocessor {
    pub(crate) const CAPABILITY_8_0: Multiprocessor =
        Multiprocessor { threads: 2048, shared: 164 << 10, reserved: 1 << 10 };

    /// That of a compute capability, with as much shared memory as capability 8.0 has at least. Kernels for sm_90 take more without
    /// asking how much there is.
    pub(crate) fn of_capability(major: u32) -> Multiprocessor {
        match major {
            9..12 => Multiprocessor { shared: 228 << 10, ..Self::CAPABILITY_8_0 },
            _ => Self::CAPABILITY_8_0,
        }
    }

    /// Bytes of shared memory that a kernel may use after `MAX_DYNAMIC_SHARED_SIZE_BYTES` was raised.
    pub(crate) fn optin(self) -> u32 {
        self.shared - self.reserved
    }
}

impl Device {
    /// Bytes of shared memory that a block can have at most.
    pub(crate) fn shared_memory_optin(&self) -> u32 {
        self.model.shared_memory_optin()
    }

    /// The value of an attribute; `INVALID_VALUE` for one that CUDA 13.0 does not have.
    pub(crate) fn attribute(&self, attribute: A) -> CUres<i32> {
        let capability = config().compute_capability;
        let properties = &self.properties;
        let abilities = &properties.abilities;
        let value = match attribute {
            A::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK => MAX_THREADS_PER_BLOCK as i32,
            A::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X => MAX_BLOCK_DIM[0] as i32,
            A::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y => MAX_BLOCK_DIM[1] as i32,
            A::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z => MAX_BLOCK_DIM[2] as i32,
            A::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X => MAX_GRID_DIM[0] as i32,
            A::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y => MAX_GRID_DIM[1] as i32,
            A::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z => MAX_GRID_DIM[2] as i32,
            A::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK => SHARED_MEMORY_PER_BLOCK as i32,
            A::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN => {
                self.shared_memory_optin() as i32
            }
            A::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR => {
                properties.multiprocessor.shared as i32
            }
            A::CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK => {
                properties.multiprocessor.reserved as i32
            }
            A::CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY => 64 << 10,
            A::CU_DEVICE_ATTRIBUTE_WARP_SIZE => WARP_SIZE as i32,
            A::CU_DEVICE_ATTRIBUTE_MAX_PITCH => i32::MAX,
            A::CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK
            | A::CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR => REGISTERS_PER_BLOCK as i32,
            A::CU_DEVICE_ATTRIBUTE_CLOCK_RATE => properties.clock_rate,
            A::CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE => properties.memory_clock_rate,
            A::CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH => properties.memory_bus_width,
            A::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE => properties.l2_cache_size,
            A::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT => properties.multiprocessors,
            A::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR => {
                properties.multiprocessor.threads as i32
            }
            A::CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR => {
                MAX_BLOCKS_PER_MULTIPROCESSOR as i32
            }
            A::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR => capability.major as i32,
            A::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR => capability.minor as i32,
            A::CU_DEVICE_ATTRIBUTE_PCI_BUS_ID => properties.pci_bus,
            A::CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID => properties.pci_device,
            A::CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID => properties.pci_domain,
            // Where memory of the host and of the device is the same, programs may map instead of copy.
            A::CU_DEVICE_ATTRIBUTE_INTEGRATED => 0,
            A::CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY => abilities.mapped_host_memory.into(),
            A::CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING => abilities.unified_addressing.into(),
            A::CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED => abilities.registered_memory.into(),
            A::CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM => {
                abilities.registered_at_host_address.into()
            }
            A::CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY => abilities.managed_memory.into(),
            A::CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS => {
                abilities.concurrent_managed_access.into()
            }
            // Addresses that no allocation covers are faults, so that wrong programs are found out.
            A::CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS => 0,
            A::CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED
            | A::CU_DEVICE_ATTRIBUTE_DIRECT_MANAGED_MEM_ACCESS_FROM_HOST => {
                i32::from(self.backend.is_one_with_host())
            }
            // AMD GPUs wait for words of memory that was made for it alone. The first version of these functions is gone from
            // NVIDIA's driver too.
            A::CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_MEM_OPS_V1
            | A::CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS_V1
            | A::CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR_V1 => 0,
            A::CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS
            | A::CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR => {
                i32::from(self.backend.is_one_with_host())
            }
            A::CU_DEVICE_ATTRIBUTE_GPU_OVERLAP => 1,
            A::CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT => 3,
            A::CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS => 1,
            A::CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED => 1,
            A::CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED
            | A::CU_DEVICE_ATTRIBUTE_LOCAL_L1_CACHE_SUPPORTED => 1,
            A::CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED => 1,
            A::CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO => {
                self.backend.double_ratio()
            }
            A::CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH => abilities.cooperative_launch.into(),
            A::CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH => 1,
            A::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED
            | A::CU_DEVICE_ATTRIBUTE_HOST_MEMORY_POOLS_SUPPORTED
            | A::CU_DEVICE_ATTRIBUTE_HOST_NUMA_MEMORY_POOLS_SUPPORTED => {
                abilities.memory_pools.into()
            }
            // `CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR`
            A::CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES => {
                i32::from(driver()?.shares_memory())
            }
            A::CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED => i32::from(cfg!(unix)),
            A::CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED => {
                i32::from(abilities.virtual_memory)
            }
            A::CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED => {
                i32::from(abilities.virtual_memory && driver()?.shares_memory())
            }
            A::CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT => 1,
            // Its memory is no node of the host's.
            A::CU_DEVICE_ATTRIBUTE_NUMA_ID => -1,
            A::CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID => crate::os::nearest_numa_node(self.pci_address()),
            A::CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WRITES_ORDERING => 0,
            // Sizes of textures and surfaces, as devices of capability 8.0 have them: programs that check
            // them at the start should not stop there.
            A::CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT | A::CU_DEVICE_ATTRIBUTE_SURFACE_ALIGNMENT => {
                512
            }
            A::CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT => 32,
            A::CU_DEVICE_ATTRIBUTE_CAN_TEX2D_GATHER => 1,
            A::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH
            | A::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH
            | A::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH
            | A::CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_WIDTH => 131_072,
            A::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_HEIGHT
            | A::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT
            | A::CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_HEIGHT => 65_536,
            A::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH
            | A::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT
            | A::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH
            | A::CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_WIDTH
            | A::CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_HEIGHT
            | A::CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_DEPTH => 16_384,
            A::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_WIDTH
            | A::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_HEIGHT
            | A::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_WIDTH
            | A::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_WIDTH
            | A::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_HEIGHT
            | A::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_WIDTH
            | A::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH
            | A::CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_WIDTH
            | A::CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_WIDTH
            | A::CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_WIDTH
            | A::CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_HEIGHT
            | A::CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_WIDTH
            | A::CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH
            | A::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH
            | A::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT
            | A::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH => 32_768,
            A::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_LAYERS
            | A::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_LAYERS
            | A::CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_LAYERS
            | A::CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_LAYERS => 2048,
            A::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE
            | A::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE => 8192,
            A::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE => 32_768,
            A::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS
            | A::CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS => 2046,
            A::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH => 1 << 28,
            A::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH => 2_097_120,
            A(0) => return Err(CUerror::INVALID_VALUE),
            other if other.0 < A::CU_DEVICE_ATTRIBUTE_MAX.0 => 0,
            _ => return Err(CUerror::INVALID_VALUE),
        };
        Ok(value)
    }
}
