//! Kernels: launches, attributes, occupancy.
//!
//! To a device whose code objects do not say where arguments lie, a kernel has one, the whole buffer that its descriptor names
//! the size of. Arguments come in such a buffer through `extra`, or each by an element of `kernelParams`.

use std::ffi::c_void;
use std::sync::Arc;

use hip_runtime_sys::{
    CLUSTER_DIMENSION, HIP_LAUNCH_CONFIG, HIP_LAUNCH_PARAM_BUFFER_POINTER,
    HIP_LAUNCH_PARAM_BUFFER_SIZE, HIP_LAUNCH_PARAM_END, hipError_t, hipFuncAttribute,
    hipFuncAttributes, hipFuncCache_t, hipFunction_attribute, hipFunction_t, hipLaunchAttributeID,
    hipSharedMemConfig, hipStream_t,
};
use smallvec::smallvec;

use super::{INVALID, Result, hip_api, put};
use crate::core::context::current;
use crate::core::launch::{LaunchConfig, Ready};
use crate::core::module::Kernel;
use crate::core::request::Params;
use crate::core::runner::Runner;
use crate::core::stream::{self, in_range};
use crate::core::tables::tables;
use crate::work::op;

/// The kernel of a handle.
pub(super) fn find(handle: hipFunction_t) -> Result<Arc<Kernel>> {
    tables().kernels.get(handle).ok_or(hipError_t::hipErrorInvalidHandle)
}

/// The arguments of a launch besides its kernel and its parameters.
pub(super) struct Wanted {
    pub(super) config: LaunchConfig,
    pub(super) stream: hipStream_t,
    /// Where it is another than the stream's; lower numbers are greater ones.
    pub(super) priority: Option<i32>,
}

/// Copies the parameter buffer.
///
/// # Safety
/// `kernel_params` and `extra` are null or as HIP's manual says.
unsafe fn parameters(
    kernel: &Kernel,
    kernel_params: *mut *mut c_void,
    extra: *mut *mut c_void,
) -> Result<Params> {
    let wanted = kernel.facts.param_size as usize;
    let mut params: Params = smallvec![0; wanted.div_ceil(16)];
    let (mut buffer, mut size) = (std::ptr::null(), 0);
    // SAFETY: the caller's promise.
    unsafe {
        if !extra.is_null() {
            if !kernel_params.is_null() {
                return Err(INVALID);
            }
            let mut at = extra;
            while *at != HIP_LAUNCH_PARAM_END {
                match *at {
                    HIP_LAUNCH_PARAM_BUFFER_POINTER => buffer = (*at.add(1)).cast_const(),
                    HIP_LAUNCH_PARAM_BUFFER_SIZE => {
                        let place = (*at.add(1)).cast::<usize>();
                        if place.is_null() {
                            return Err(INVALID);
                        }
                        size = place.read();
                    }
                    _ => return Err(INVALID),
                }
                at = at.add(2);
            }
        } else if !kernel_params.is_null() && wanted != 0 {
            let bytes = params.as_mut_ptr().cast::<u8>();
            for (index, place) in kernel.arguments.iter().enumerate() {
                let argument = (*kernel_params.add(index)).cast::<u8>();
                if argument.is_null() {
                    return Err(INVALID);
                }
                std::ptr::copy_nonoverlapping(argument, bytes.add(place.start), place.len());
            }
            return Ok(params);
        }
        if wanted == 0 {
            return Ok(params);
        }
        if buffer.is_null() || size < wanted {
            return Err(INVALID);
        }
        std::ptr::copy_nonoverlapping(buffer.cast::<u8>(), params.as_mut_ptr().cast(), wanted);
    }
    Ok(params)
}

/// # Safety
/// As for [`parameters`].
pub(super) unsafe fn launch(
    kernel: Arc<Kernel>,
    wanted: Wanted,
    kernel_params: *mut *mut c_void,
    extra: *mut *mut c_void,
) -> Result {
    let stream = stream::find(wanted.stream)?;
    wanted.config.check(&kernel)?;
    // SAFETY: the caller's promise.
    let params = unsafe { parameters(&kernel, kernel_params, extra)? };
    let ready = Ready::new(stream.context, kernel, wanted.config, params)?;
    if !wanted.config.cooperative && wanted.priority.is_none() && !op::is_of_graph() {
        stream.launch(ready);
        return Ok(());
    }
    let mut runner = Runner::of(&stream);
    if let Some(priority) = wanted.priority {
        runner.priority = -in_range(priority);
    }
    stream.enqueue(false, None, runner.work(ready));
    Ok(())
}

fn occupancy(kernel: hipFunction_t, threads: i32, shared: usize) -> Result<i32> {
    let threads = u32::try_from(threads).ok().filter(|threads| *threads != 0).ok_or(INVALID)?;
    Ok(find(kernel)?.occupancy(threads, shared) as i32)
}

/// # Safety
/// The pointers are null or valid.
unsafe fn best_shape(
    grid: *mut i32,
    block: *mut i32,
    kernel: hipFunction_t,
    shared: usize,
    limit: i32,
) -> Result {
    let kernel = find(kernel)?;
    let most = match u32::try_from(limit).map_err(|_| INVALID)? {
        0 => kernel.max_threads(),
        limit => limit.min(kernel.max_threads()),
    };
    let threads = if most > 32 { most / 32 * 32 } else { most };
    let blocks = kernel.occupancy(threads, shared) * current().device.processors();
    // SAFETY: the caller's promise.
    unsafe {
        put(grid, blocks as i32)?;
        put(block, threads as i32)
    }
}

hip_api! {
    healthy fn hipModuleLaunchKernel(
        f: hipFunction_t, gridDimX: u32, gridDimY: u32, gridDimZ: u32, blockDimX: u32, blockDimY: u32, blockDimZ: u32,
        sharedMemBytes: u32, stream: hipStream_t, kernelParams: *mut *mut c_void, extra: *mut *mut c_void,
    ) {
        let (grid, block) = ([gridDimX, gridDimY, gridDimZ], [blockDimX, blockDimY, blockDimZ]);
        let config = LaunchConfig::new(grid, block, sharedMemBytes);
        let wanted = Wanted { config, stream, priority: None };
        // SAFETY: the program's arrays.
        unsafe { launch(find(f)?, wanted, kernelParams, extra) }
    }

    healthy fn hipModuleLaunchCooperativeKernel(
        f: hipFunction_t, gridDimX: u32, gridDimY: u32, gridDimZ: u32, blockDimX: u32, blockDimY: u32, blockDimZ: u32,
        sharedMemBytes: u32, stream: hipStream_t, kernelParams: *mut *mut c_void,
    ) {
        let (grid, block) = ([gridDimX, gridDimY, gridDimZ], [blockDimX, blockDimY, blockDimZ]);
        let config = LaunchConfig { cooperative: true, ..LaunchConfig::new(grid, block, sharedMemBytes) };
        let wanted = Wanted { config, stream, priority: None };
        // SAFETY: the program's array.
        unsafe { launch(find(f)?, wanted, kernelParams, std::ptr::null_mut()) }
    }

    healthy fn hipDrvLaunchKernelEx(
        config: *const HIP_LAUNCH_CONFIG, f: hipFunction_t, params: *mut *mut c_void, extra: *mut *mut c_void,
    ) {
        // SAFETY: the program's pointers; attributes are as many as it says.
        unsafe {
            let given = config.as_ref().ok_or(INVALID)?;
            if given.attrs.is_null() && given.numAttrs != 0 {
                return Err(INVALID);
            }
            let (mut cooperative, mut cluster, mut priority) = (false, None, None);
            for index in 0..given.numAttrs as usize {
                let attribute = &*given.attrs.add(index);
                // All others are hints.
                if attribute.id == hipLaunchAttributeID::hipLaunchAttributeCooperative {
                    cooperative = attribute.__bindgen_anon_1.value.cooperative != 0;
                }
                if attribute.id == hipLaunchAttributeID::hipLaunchAttributePriority {
                    priority = Some(attribute.__bindgen_anon_1.value.priority);
                }
                if attribute.id == CLUSTER_DIMENSION {
                    let value = &raw const attribute.__bindgen_anon_1.value;
                    cluster = Some(value.cast::<[u32; 3]>().read_unaligned());
                }
            }
            let grid = [given.gridDimX, given.gridDimY, given.gridDimZ];
            let block = [given.blockDimX, given.blockDimY, given.blockDimZ];
            let config = LaunchConfig {
                cooperative,
                cluster,
                ..LaunchConfig::new(grid, block, given.sharedMemBytes)
            };
            let wanted = Wanted { config, stream: given.hStream, priority };
            launch(find(f)?, wanted, params, extra)
        }
    }

    healthy fn hipFuncGetAttribute(value: *mut i32, attrib: hipFunction_attribute, hfunc: hipFunction_t) {
        use hipFunction_attribute as A;
        let kernel = find(hfunc)?;
        let result = match attrib {
            A::HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK => kernel.max_threads() as i32,
            A::HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES => kernel.facts.static_shared as i32,
            A::HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES => kernel.facts.local as i32,
            A::HIP_FUNC_ATTRIBUTE_NUM_REGS => 32,
            A::HIP_FUNC_ATTRIBUTE_PTX_VERSION | A::HIP_FUNC_ATTRIBUTE_BINARY_VERSION => 80,
            A::HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES => kernel.max_dynamic_shared() as i32,
            A::HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT => -1,
            A::HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES | A::HIP_FUNC_ATTRIBUTE_CACHE_MODE_CA => 0,
            _ => return Err(INVALID),
        };
        // SAFETY: the program's pointer.
        unsafe { put(value, result) }
    }

    // `func` is the handle of a function, as hipModuleGetFunction gives it.
    healthy fn hipFuncGetAttributes(attr: *mut hipFuncAttributes, func: *const c_void) {
        let kernel = find(func.cast_mut().cast())?;
        let result = hipFuncAttributes {
            binaryVersion: 80,
            cacheModeCA: 0,
            constSizeBytes: 0,
            localSizeBytes: kernel.facts.local as usize,
            maxDynamicSharedSizeBytes: kernel.max_dynamic_shared() as i32,
            maxThreadsPerBlock: kernel.max_threads() as i32,
            numRegs: 32,
            preferredShmemCarveout: -1,
            ptxVersion: 80,
            sharedSizeBytes: kernel.facts.static_shared as usize,
        };
        // SAFETY: the program's pointer.
        unsafe { put(attr, result) }
    }

    healthy fn hipFuncSetAttribute(func: *const c_void, attr: hipFuncAttribute, value: i32) {
        let kernel = find(func.cast_mut().cast())?;
        match attr {
            hipFuncAttribute::hipFuncAttributeMaxDynamicSharedMemorySize => kernel.set_max_dynamic_shared(value),
            // A hint, in per cent.
            hipFuncAttribute::hipFuncAttributePreferredSharedMemoryCarveout if (-1..=100).contains(&value) => Ok(()),
            _ => Err(INVALID),
        }
    }

    healthy fn hipFuncSetCacheConfig(func: *const c_void, _config: hipFuncCache_t) {
        find(func.cast_mut().cast()).map(drop)
    }

    healthy fn hipFuncSetSharedMemConfig(func: *const c_void, _config: hipSharedMemConfig) {
        find(func.cast_mut().cast()).map(drop)
    }

    healthy fn hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
        numBlocks: *mut i32, f: hipFunction_t, blockSize: i32, dynSharedMemPerBlk: usize,
    ) {
        // SAFETY: the program's pointer.
        unsafe { put(numBlocks, occupancy(f, blockSize, dynSharedMemPerBlk)?) }
    }

    healthy fn hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        numBlocks: *mut i32, f: hipFunction_t, blockSize: i32, dynSharedMemPerBlk: usize, flags: u32,
    ) {
        if flags & !1 != 0 {
            return Err(INVALID);
        }
        // SAFETY: the program's pointer.
        unsafe { put(numBlocks, occupancy(f, blockSize, dynSharedMemPerBlk)?) }
    }

    healthy fn hipModuleOccupancyMaxPotentialBlockSize(
        gridSize: *mut i32, blockSize: *mut i32, f: hipFunction_t, dynSharedMemPerBlk: usize, blockSizeLimit: i32,
    ) {
        // SAFETY: the program's pointers.
        unsafe { best_shape(gridSize, blockSize, f, dynSharedMemPerBlk, blockSizeLimit) }
    }

    healthy fn hipModuleOccupancyMaxPotentialBlockSizeWithFlags(
        gridSize: *mut i32, blockSize: *mut i32, f: hipFunction_t, dynSharedMemPerBlk: usize, blockSizeLimit: i32,
        _flags: u32,
    ) {
        // SAFETY: the program's pointers.
        unsafe { best_shape(gridSize, blockSize, f, dynSharedMemPerBlk, blockSizeLimit) }
    }
}
