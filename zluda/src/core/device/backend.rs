//! The seam of devices: everything in which CPUs and AMD GPUs differ for the driver.
//!
//! An implementation learns of what it works on by the traits and the structures of this folder alone: a context is a
//! [`DeviceContext`], a kernel in it a [`Kernel`](super::launch::Kernel).

use super::Device;
use super::attributes::Multiprocessor;
use super::driver::Driver;
use super::launch::{Kernel, Params, Prepared};
use super::part::Grain;
use super::texture::{ArrayStorage, LevelSize, MipmappedStorage, TextureRequest};
use crate::core::compile::target::{CodeTarget, Variant};
use cuda_types::cuda::{CUDA_ARRAY3D_DESCRIPTOR, CUlimit, CUres};
use hip_runtime_sys::{HipRuntime, SequenceKernel, hipDeviceProp_tR0600, hipError_t};
use std::ffi::c_void;
use std::fmt::Debug;

/// The devices of one provider. [`driver`](super::driver) chooses it when it chooses the provider; nothing else asks
/// which one it is.
pub(crate) trait Backend: Debug + Sync {
    /// Gives a provider that has been opened the functions that it calls the driver by, if there are any.
    fn begin(&self, hip: &HipRuntime);

    /// The model of a device with these properties, which are the provider's.
    fn model(&self, properties: &hipDeviceProp_tR0600) -> Box<dyn Model>;

    /// Whether the host and the device use memory as one: atomics of both agree, and the host reads memory that the
    /// device manages where it lies.
    fn is_one_with_host(&self) -> bool;

    /// The sizes of parts of a device; `together`: the blocks of a cluster run on a part at the same time.
    fn grain(&self, together: bool) -> Grain;

    /// The ratio of the throughput of floats to that of doubles.
    fn double_ratio(&self) -> i32;

    /// The one of a kernel's codes that a block of this shape runs; `clusters` asks for that of launches in clusters,
    /// where [`needs_cluster_code`](Self::needs_cluster_code).
    fn variant(&self, block: [u32; 3], clusters: bool) -> Variant;

    /// Whether a launch in clusters of this shape is one of code of its own, for which [`launch`](Self::launch) finds
    /// out alone whether its blocks fit the device at the same time.
    fn needs_cluster_code(&self, cluster: Option<[u32; 3]>) -> bool;

    /// Puts a launch that has been checked into its stream. `NOT_SUPPORTED`, with a line in the log, for what the
    /// device does not launch.
    fn launch(&self, launch: &Prepared, params: Params) -> CUres;

    /// A launch that has been checked as one of several that the device gets at once, but for its parameters; none where
    /// such launches are [put into a stream](Self::launch) one by one.
    fn in_sequence(&self, launch: &Prepared) -> CUres<Option<SequenceKernel>>;

    /// The services of the host for the kernels of a new context.
    fn services(&self) -> Box<dyn Services>;

    /// Whether kernels launch graphs and change their nodes.
    fn has_graphs_of_kernels(&self) -> bool;

    /// Makes the kernels of a module known to launches by kernels; `segment` is the address of its variables.
    fn add_module(&self, segment: u64, handle: u64);

    /// Ends what [`add_module`](Self::add_module) began.
    fn end_module(&self, segment: u64);

    /// Blocks of `threads` threads with `dynamic` bytes of dynamic shared memory that run on one multiprocessor at the
    /// same time, as a kernel's code has it; none where code limits nothing.
    fn blocks_of_code(
        &self,
        kernel: &dyn Kernel,
        threads: u32,
        dynamic: usize,
    ) -> CUres<Option<u32>>;

    /// Blocks of this shape in the largest cluster that a kernel can be launched in, where `blocks` of them run on a
    /// multiprocessor.
    fn largest_cluster(&self, kernel: &dyn Kernel, block: [u32; 3], blocks: u32) -> CUres<u32>;

    /// Clusters of `size` blocks of this shape that run on the device at the same time, where `blocks` of them run on
    /// a multiprocessor, which is not 0.
    fn clusters_at_once(
        &self,
        kernel: &dyn Kernel,
        block: [u32; 3],
        blocks: u32,
        size: u32,
    ) -> CUres<u32>;

    /// Eight bytes of memory that the provider's `hipFree` frees, for streams to wait for; none where any memory of
    /// the host serves.
    fn signal_memory(&self, context: &dyn DeviceContext) -> Option<*mut c_void>;

    /// Allocates the texels of an array of a checked description.
    fn create_array(
        &self,
        context: &dyn DeviceContext,
        descriptor: &CUDA_ARRAY3D_DESCRIPTOR,
        size: LevelSize,
    ) -> CUres<Box<dyn ArrayStorage>>;

    /// Allocates the texels of a mipmapped array of a checked description; there is a size for each level.
    fn create_mipmapped_array(
        &self,
        context: &dyn DeviceContext,
        descriptor: &CUDA_ARRAY3D_DESCRIPTOR,
        sizes: &[LevelSize],
    ) -> CUres<Box<dyn MipmappedStorage>>;

    /// Makes what kernels know a texture by, and returns it: the program's handle.
    fn create_texture(&self, context: &dyn DeviceContext, request: &TextureRequest) -> CUres<u64>;

    /// Ends what [`create_texture`](Self::create_texture) has made.
    fn destroy_texture(&self, driver: &Driver, handle: u64);

    /// Makes what kernels know an array by that they write, and returns it: the program's handle.
    fn create_surface(
        &self,
        context: &dyn DeviceContext,
        descriptor: &CUDA_ARRAY3D_DESCRIPTOR,
        storage: &dyn ArrayStorage,
    ) -> CUres<u64>;

    /// Ends what [`create_surface`](Self::create_surface) has made.
    fn destroy_surface(&self, driver: &Driver, handle: u64);

    /// Frees what textures and surfaces have left that kernels might still have read: none run any more.
    fn free_retired(&self);
}

/// The properties of one device that backends know in their own way.
pub(crate) trait Model: Debug + Send + Sync {
    /// Whether code is made for the device.
    fn has_code(&self) -> bool;

    /// Logs what the device, which has this number, lacks for kernels to run.
    fn warn(&self, ordinal: i32);

    /// The resources that the blocks on a multiprocessor share.
    fn multiprocessor(&self) -> Multiprocessor;

    /// Bytes of shared memory that a block can have at most.
    fn shared_memory_optin(&self) -> u32;

    /// The target that a kernel is compiled for to run on the device.
    fn code_target(&self, variant: Variant) -> CodeTarget;
}

/// The context that a call works in, which is usable and whose device is selected in HIP.
pub(crate) trait DeviceContext {
    /// The driver.
    fn driver(&self) -> &'static Driver;

    /// The context's device.
    fn device(&self) -> CUres<&'static Device>;

    /// The result of a HIP call in the context: an error that a kernel left stays from now on.
    fn check(&self, error: hipError_t) -> CUres;

    /// A limit of the context, in CUDA's unit; `INVALID_VALUE` for one that does not exist.
    fn limit(&self, limit: CUlimit) -> CUres<usize>;

    /// The address of new memory of `size` bytes for kernels, which begins with `content` and goes with the context.
    fn allocate(&self, size: usize, content: &[u8]) -> CUres<u64>;
}

/// The services that the kernels of one context need of the host where the provider does not see to it: printing,
/// memory, and reports of what went wrong.
pub(crate) trait Services: Debug + Send + Sync {
    /// The word that kernels find the services by, a hidden parameter of launches.
    fn address(&self, context: &dyn DeviceContext) -> CUres<u64>;

    /// The error that a kernel has left and the provider does not know of.
    fn error(&self) -> CUres;

    /// Prints what kernels have printed; the result is that of [`error`](Self::error).
    fn settle(&self) -> CUres;

    /// Prints the last time: the context ends.
    fn end(&self);
}
