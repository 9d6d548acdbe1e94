//! The seam of devices: everything in which CPUs and AMD GPUs differ for the driver.

use crate::core::compile::target::{CodeTarget, Variant};
use crate::core::context::Current;
use crate::core::device::Device;
use crate::core::device::attributes::Multiprocessor;
use crate::core::device::driver::Driver;
use crate::core::launch::{Params, Prepared};
use crate::core::module::function::Function;
use crate::core::texture::TextureRequest;
use crate::core::texture::array::{Array, LevelSize, MipmappedStorage, Storage};
use cuda_types::cuda::{CUDA_ARRAY3D_DESCRIPTOR, CUres};
use hip_runtime_sys::{HipRuntime, hipDeviceProp_tR0600};
use std::ffi::c_void;
use std::fmt::Debug;

/// The devices of one provider. [`crate::core::device::driver`] chooses it when it chooses the provider; nothing else asks
/// which one it is.
pub(crate) trait Backend: Debug + Sync {
    /// Gives a provider that has been opened the functions that it calls the driver by, if there are any.
    fn begin(&self, hip: &HipRuntime);

    /// Whether code is made for a device of this `gcnArchName`, without what HIP says behind a colon.
    fn has_code(&self, architecture: &str) -> bool;

    /// Logs what a device lacks for kernels to run.
    fn warn(&self, device: &Device);

    /// The resources that the blocks on a multiprocessor share; `properties` are the provider's.
    fn multiprocessor(&self, properties: &hipDeviceProp_tR0600) -> Multiprocessor;

    /// Bytes of shared memory that a block can have at most; `architecture` is as for [`has_code`](Self::has_code).
    fn shared_memory_optin(&self, architecture: &str) -> u32;

    /// Whether the host and the device use memory as one: atomics of both agree, and the host reads memory that the
    /// device manages where it lies.
    fn is_one_with_host(&self) -> bool;

    /// The ratio of the throughput of floats to that of doubles.
    fn double_ratio(&self) -> i32;

    /// The one of a kernel's codes that a block of this shape runs; `clusters` asks for that of launches in clusters,
    /// where [`needs_cluster_code`](Self::needs_cluster_code).
    fn variant(&self, block: [u32; 3], clusters: bool) -> Variant;

    /// The target that a kernel is compiled for to run on a device.
    fn code_target(&self, device: &Device, variant: Variant) -> CodeTarget;

    /// Whether a launch in clusters of this shape is one of code of its own, for which [`launch`](Self::launch) finds
    /// out alone whether its blocks fit the device at the same time.
    fn needs_cluster_code(&self, cluster: Option<[u32; 3]>) -> bool;

    /// Puts a launch that has been checked into its stream. `NOT_SUPPORTED`, with a line in the log, for what the
    /// device does not launch.
    fn launch(&self, launch: &Prepared, params: Params) -> CUres;

    /// The services of the host for the kernels of a new context.
    fn services(&self) -> Box<dyn Services>;

    /// Makes the kernels of a module known to launches by kernels; `segment` is the address of its variables.
    fn add_module(&self, segment: u64, handle: u64);

    /// Ends what [`add_module`](Self::add_module) began.
    fn end_module(&self, segment: u64);

    /// Blocks of `threads` threads with `dynamic` bytes of dynamic shared memory that run on one multiprocessor at the
    /// same time, as a kernel's code has it; none where code limits nothing.
    fn blocks_of_code(
        &self,
        current: &Current,
        function: &Function,
        threads: u32,
        dynamic: usize,
    ) -> CUres<Option<u32>>;

    /// Blocks of this shape in the largest cluster that a kernel can be launched in.
    fn largest_cluster(
        &self,
        current: &Current,
        function: &Function,
        block: [u32; 3],
        dynamic: usize,
    ) -> CUres<u32>;

    /// Clusters of `size` blocks of this shape that run on the device at the same time, where `blocks` of them run on
    /// a multiprocessor, which is not 0.
    fn clusters_at_once(
        &self,
        current: &Current,
        function: &Function,
        block: [u32; 3],
        blocks: u32,
        size: u32,
    ) -> CUres<u32>;

    /// Eight bytes of memory that the provider's `hipFree` frees, for streams to wait for; none where any memory of
    /// the host serves.
    fn signal_memory(&self, current: &Current) -> Option<*mut c_void>;

    /// Allocates the texels of an array of a checked description.
    fn create_array(
        &self,
        current: &Current,
        descriptor: &CUDA_ARRAY3D_DESCRIPTOR,
        size: LevelSize,
    ) -> CUres<Storage>;

    /// Allocates the texels of a mipmapped array of a checked description; there is a size for each level.
    fn create_mipmapped_array(
        &self,
        current: &Current,
        descriptor: &CUDA_ARRAY3D_DESCRIPTOR,
        sizes: &[LevelSize],
    ) -> CUres<MipmappedStorage>;

    /// Makes what kernels know a texture by, and returns it: the program's handle.
    fn create_texture(&self, current: &Current, request: &TextureRequest) -> CUres<u64>;

    /// Ends what [`create_texture`](Self::create_texture) has made.
    fn destroy_texture(&self, driver: &Driver, handle: u64);

    /// Makes what kernels know an array by that they write, and returns it: the program's handle.
    fn create_surface(&self, current: &Current, array: &Array) -> CUres<u64>;

    /// Ends what [`create_surface`](Self::create_surface) has made.
    fn destroy_surface(&self, driver: &Driver, handle: u64);

    /// Frees what textures and surfaces have left that kernels might still have read: none run any more.
    fn free_retired(&self);
}

/// The services that the kernels of one context need of the host where the provider does not see to it: printing,
/// memory, and reports of what went wrong.
pub(crate) trait Services: Debug + Send + Sync {
    /// The word that kernels find the services by, a hidden parameter of launches.
    fn address(&self, current: &Current) -> CUres<u64>;

    /// The error that a kernel has left and the provider does not know of.
    fn error(&self) -> CUres;

    /// Prints what kernels have printed; the result is that of [`error`](Self::error).
    fn settle(&self) -> CUres;

    /// Prints the last time: the context ends.
    fn end(&self);
}
