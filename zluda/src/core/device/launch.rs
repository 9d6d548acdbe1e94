//! Launches as backends see them.

use crate::core::device::backend::DeviceContext;
use cuda_types::cuda::CUres;
use hip_runtime_sys::{
    HIP_LAUNCH_PARAM_BUFFER_POINTER, HIP_LAUNCH_PARAM_BUFFER_SIZE, HIP_LAUNCH_PARAM_END,
    hipFunction_t, hipStream_t,
};
use ptx::KernelInfo;
use smallvec::SmallVec;
use std::ffi::c_void;
use std::ptr::null_mut;

/// The arguments of a launch, parameters aside.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LaunchConfig {
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub(crate) shared: u32,
    /// All blocks run at the same time.
    pub(crate) cooperative: bool,
    /// Blocks in a cluster, where the launch says so.
    pub(crate) cluster: Option<[u32; 3]>,
    /// It may begin before the kernels before it have ended; this matters in graphs only.
    pub(crate) programmatic: bool,
    /// Kept for graphs, whose nodes say it again.
    pub(crate) priority: i32,
}

/// A parameter buffer, aligned for every parameter.
pub(crate) type Params = SmallVec<[u128; 32]>;

impl LaunchConfig {
    /// A launch that asks for nothing else.
    pub(crate) fn new(grid: [u32; 3], block: [u32; 3], shared: u32) -> LaunchConfig {
        let (cooperative, cluster, programmatic, priority) = (false, None, false, 0);
        LaunchConfig { grid, block, shared, cooperative, cluster, programmatic, priority }
    }
}

/// A kernel in the context that it is launched in.
pub(crate) trait Kernel {
    /// The context.
    fn context(&self) -> &dyn DeviceContext;

    /// The parameters, sizes and limits of the kernel.
    fn info(&self) -> &KernelInfo;

    /// The code for a block of this shape, compiled and loaded now if it has not been; `clusters` asks for that for
    /// launches in clusters of several blocks, where the device has it.
    fn code(&self, block: [u32; 3], clusters: bool) -> CUres<hipFunction_t>;

    /// Blocks of a cluster at most, by the kernel and its attributes.
    fn max_cluster_blocks(&self) -> u32;
}

/// A launch that has been checked, but for its parameters, in which the hidden ones stand.
#[derive(Clone, Copy)]
pub(crate) struct Prepared<'a> {
    pub(crate) kernel: &'a dyn Kernel,
    pub(crate) stream: hipStream_t,
    pub(crate) config: &'a LaunchConfig,
    /// Blocks, where the configuration may count clusters.
    pub(crate) grid: [u32; 3],
    /// Blocks in a cluster, by the launch or by the kernel.
    pub(crate) cluster: Option<[u32; 3]>,
}

/// Parameters as HIP's launches take them: a buffer and its size in bytes.
pub(crate) fn extra(params: &mut Params, size: &mut usize) -> [*mut c_void; 5] {
    [
        HIP_LAUNCH_PARAM_BUFFER_POINTER,
        params.as_mut_ptr().cast(),
        HIP_LAUNCH_PARAM_BUFFER_SIZE,
        std::ptr::from_mut(size).cast(),
        HIP_LAUNCH_PARAM_END,
    ]
}

/// A launch of loaded code that asks HIP for nothing else.
pub(crate) fn launch_code(launch: &Prepared, code: hipFunction_t, params: &mut Params) -> CUres {
    let Prepared { kernel, stream, config, .. } = *launch;
    let ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]) = (launch.grid, config.block);
    let mut size = kernel.info().total_param_size as usize;
    let mut extra = extra(params, &mut size);
    let context = kernel.context();
    // SAFETY: the function is loaded, its parameters are there, the stream has been checked.
    context.check(unsafe {
        context.driver().hip.hipModuleLaunchKernel(
            code,
            grid_x,
            grid_y,
            grid_z,
            block_x,
            block_y,
            block_z,
            config.shared,
            stream,
            null_mut(),
            extra.as_mut_ptr(),
        )
    })
}
