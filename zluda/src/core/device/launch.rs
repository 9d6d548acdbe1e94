//! Launches as backends see them.

use crate::core::device::backend::DeviceContext;
use cuda_types::cuda::{
    CUaccessPolicyWindow, CUaccessProperty, CUclusterSchedulingPolicy, CUerror,
    CUlaunchAttributeID as Id, CUlaunchAttributeValue, CUlaunchMemSyncDomain,
    CUlaunchMemSyncDomainMap, CUres,
};
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
    /// Where it is another than the stream's; lower numbers are greater ones.
    pub(crate) priority: Option<i32>,
    pub(crate) hints: Hints,
}

/// What programs say of how to be quick, and are told again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hints {
    cluster_policy: u32,
    /// Where the default domain is, and the remote one.
    domain_map: [u8; 2],
    domain: u32,
    /// Per cent of a multiprocessor's memory that blocks share.
    carveout: u32,
}

impl Default for Hints {
    fn default() -> Self {
        Hints { cluster_policy: 0, domain_map: [0, 1], domain: 0, carveout: 0 }
    }
}

impl Hints {
    /// Stores what an attribute says; of others, nothing.
    pub(crate) fn tell(&self, id: Id, value: &mut CUlaunchAttributeValue) {
        match id {
            Id::CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE => {
                value.clusterSchedulingPolicyPreference =
                    CUclusterSchedulingPolicy(self.cluster_policy);
            }
            Id::CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP => {
                let [default_, remote] = self.domain_map;
                value.memSyncDomainMap = CUlaunchMemSyncDomainMap { default_, remote };
            }
            Id::CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN => {
                value.memSyncDomain = CUlaunchMemSyncDomain(self.domain);
            }
            Id::CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT => {
                value.sharedMemCarveout = self.carveout;
            }
            _ => {}
        }
    }

    /// Takes an attribute; `INVALID_VALUE` for values that are none. Others say nothing.
    pub(crate) fn set(&mut self, id: Id, value: &CUlaunchAttributeValue) -> CUres {
        /// Domains of an H100.
        const DOMAINS: u8 = 4;
        let check = |fits: bool| if fits { Ok(()) } else { Err(CUerror::INVALID_VALUE) };
        // SAFETY: the attribute says which member there is; all of them are plain data.
        unsafe {
            match id {
                Id::CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE => {
                    self.cluster_policy = value.clusterSchedulingPolicyPreference.0;
                }
                Id::CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP => {
                    let map = [value.memSyncDomainMap.default_, value.memSyncDomainMap.remote];
                    check(map.iter().all(|domain| *domain < DOMAINS))?;
                    self.domain_map = map;
                }
                Id::CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN => {
                    check(value.memSyncDomain.0 <= 1)?;
                    self.domain = value.memSyncDomain.0;
                }
                Id::CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT => {
                    check(value.sharedMemCarveout <= 100)?;
                    self.carveout = value.sharedMemCarveout;
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// `INVALID_VALUE` for windows that an H100 refuses: "missProp ... must not be CU_ACCESS_PROPERTY_PERSISTING".
pub(crate) fn check_window(window: &CUaccessPolicyWindow) -> CUres {
    let fits = (0.0..=1.0).contains(&window.hitRatio)
        && window.missProp != CUaccessProperty::CU_ACCESS_PROPERTY_PERSISTING;
    if fits { Ok(()) } else { Err(CUerror::INVALID_VALUE) }
}

/// A parameter buffer, aligned for every parameter. It is moved some times on its way, so that room for the largest costs more than
/// memory of their own for those few.
pub(crate) type Params = SmallVec<[u128; 8]>;

impl LaunchConfig {
    /// A launch that asks for nothing else.
    pub(crate) fn new(grid: [u32; 3], block: [u32; 3], shared: u32) -> LaunchConfig {
        let (cooperative, cluster, programmatic, priority) = (false, None, false, None);
        let hints = Hints::default();
        LaunchConfig { grid, block, shared, cooperative, cluster, programmatic, priority, hints }
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
