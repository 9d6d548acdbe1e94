//! Launches.

pub(crate) mod occupancy;
mod workspace;

use crate::core::device::attributes::{MAX_BLOCK_DIM, MAX_GRID_DIM, MAX_THREADS_PER_BLOCK};
use crate::core::device::launch::{LaunchConfig, Params, Prepared};
use crate::core::launch::occupancy::Occupancy;
use crate::core::module::function::Function;
use crate::core::stream::Target;
use cuda_types::cuda::{
    CU_LAUNCH_PARAM_BUFFER_POINTER, CU_LAUNCH_PARAM_BUFFER_SIZE, CU_LAUNCH_PARAM_END, CUerror,
    CUres,
};
use hip_runtime_sys::SequenceKernel;
use simt::parameters::hidden_words;
use std::ffi::c_void;

impl LaunchConfig {
    /// The same with the block that the kernel needs, where the launch has blocks of one thread. CUDA Tile launches its kernels
    /// so, and an H200 takes it of any kernel with `.reqntid`.
    pub(crate) fn with_needed_block(self, function: &Function) -> LaunchConfig {
        match function.info.reqntid {
            Some(block) if self.block == [1; 3] => LaunchConfig { block, ..self },
            _ => self,
        }
    }

    /// `INVALID_VALUE` where the device or the kernel cannot run blocks, a grid or dynamic shared memory of these
    /// sizes; the kernel's own error where it cannot be launched at all.
    pub(crate) fn check(&self, function: &Function) -> CUres {
        let LaunchConfig { grid, block, shared, .. } = self.with_needed_block(function);
        let dimensions_fit = |sizes: [u32; 3], most: [u32; 3]| {
            sizes.iter().zip(most).all(|(size, most)| *size != 0 && *size <= most)
        };
        if !dimensions_fit(grid, MAX_GRID_DIM) || !dimensions_fit(block, MAX_BLOCK_DIM) {
            return Err(CUerror::INVALID_VALUE);
        }
        let threads: u32 = block.iter().product();
        if threads > MAX_THREADS_PER_BLOCK {
            return Err(CUerror::INVALID_VALUE);
        }
        let info = &function.info;
        if threads > info.max_threads {
            return Err(CUerror::INVALID_VALUE);
        }
        if info.reqntid.is_some_and(|required| required != block) {
            return Err(CUerror::INVALID_VALUE);
        }
        if shared > function.settings.max_dynamic_shared(info) {
            return Err(CUerror::INVALID_VALUE);
        }
        function.loaded().map(drop)
    }
}

/// Collects the parameters of a launch from `kernelParams` or from `extra`, and adds the hidden ones'
/// room.
///
/// # Safety
/// `params` is null or an array of pointers to the kernel's parameters; `extra` is null or a list as the
/// API describes it.
pub(crate) unsafe fn collect(
    function: &Function,
    params: *mut *mut c_void,
    extra: *mut *mut c_void,
) -> CUres<Params> {
    let info = &function.info;
    let size = (info.total_param_size as usize).max(info.param_size as usize);
    let mut buffer = Params::new();
    buffer.resize(size.div_ceil(16).max(1), 0);
    let bytes = buffer.as_mut_ptr().cast::<u8>();
    if !params.is_null() {
        // "The error CUDA_ERROR_INVALID_VALUE will be returned if kernel parameters are specified with both
        // kernelParams and extra."
        // A list that names none is none.
        // SAFETY: a list has at least its end.
        if !extra.is_null() && unsafe { extra.read() } as usize != CU_LAUNCH_PARAM_END {
            return Err(CUerror::INVALID_VALUE);
        }
        for (i, param) in info.params.iter().enumerate() {
            // SAFETY: the caller says that there is a pointer for each parameter.
            let source = unsafe { params.add(i).read() };
            if source.is_null() {
                return Err(CUerror::INVALID_VALUE);
            }
            // SAFETY: the parameter is there; the buffer has the size of all parameters.
            unsafe {
                std::ptr::copy_nonoverlapping(
                    source.cast::<u8>(),
                    bytes.add(param.offset as usize),
                    param.size as usize,
                );
            }
        }
    } else if !extra.is_null() {
        // SAFETY: the caller says so.
        let (source, given) = unsafe { read_extra(extra) }?;
        if given != 0 && source.is_null() {
            return Err(CUerror::INVALID_VALUE);
        }
        // NVIDIA's driver takes fewer bytes than the parameters have, but neither none nor more.
        match given {
            0 if info.param_size != 0 => return Err(CUerror::INVALID_VALUE),
            _ if given > info.param_size as usize => return Err(CUerror::LAUNCH_OUT_OF_RESOURCES),
            _ => {}
        }
        // SAFETY: the program says that its buffer has `given` bytes.
        unsafe { std::ptr::copy_nonoverlapping(source.cast::<u8>(), bytes, given) }
    } else if !info.params.is_empty() {
        return Err(CUerror::INVALID_VALUE);
    }
    Ok(buffer)
}

/// # Safety
/// `extra` is a list as the API describes it.
unsafe fn read_extra(extra: *mut *mut c_void) -> CUres<(*const c_void, usize)> {
    let (mut source, mut size) = (std::ptr::null::<c_void>(), 0);
    // A list that is longer repeats itself, or has no end.
    for i in 0..8 {
        // SAFETY: the end of the list has not come yet.
        let name = unsafe { extra.add(2 * i).read() } as usize;
        if name == CU_LAUNCH_PARAM_END {
            return Ok((source, size));
        }
        // SAFETY: as above; each name but the end has a value.
        let value = unsafe { extra.add(2 * i + 1).read() };
        match name {
            CU_LAUNCH_PARAM_BUFFER_POINTER => source = value,
            CU_LAUNCH_PARAM_BUFFER_SIZE if !value.is_null() => {
                // SAFETY: the value is the address of a size, as the API says.
                size = unsafe { value.cast::<usize>().read() }
            }
            _ => return Err(CUerror::INVALID_VALUE),
        }
    }
    Err(CUerror::INVALID_VALUE)
}

/// Blocks of a launch, and those of a cluster.
struct Shape {
    grid: [u32; 3],
    cluster: Option<[u32; 3]>,
}

/// Checks a launch, and fills in the hidden parameters.
fn prepare(
    target: &Target,
    function: &Function,
    config: &LaunchConfig,
    params: &mut Params,
) -> CUres<Shape> {
    let current = &target.current;
    // A function belongs to the context in which its module was loaded.
    if function.data.context.id() != current.context.id() {
        return Err(CUerror::INVALID_HANDLE);
    }
    config.check(function)?;
    let info = &function.info;
    let cluster = function.settings.cluster.of_launch(info, config.grid, config.cluster)?;
    let backend = current.driver.backend;
    if config.cooperative && !backend.needs_cluster_code(cluster) {
        let threads = config.block.iter().product();
        let each = Occupancy::new(current, function)?.blocks(threads, config.shared as usize)?;
        let most = u64::from(each) * current.device()?.properties.multiprocessors as u64;
        let blocks: u64 = config.grid.iter().map(|size| u64::from(*size)).product();
        // "The total number of blocks launched cannot exceed the maximum number of blocks per multiprocessor
        // [...] times the number of multiprocessors".
        if blocks > most {
            return Err(CUerror::COOPERATIVE_LAUNCH_TOO_LARGE);
        }
    }
    let size = info.total_param_size as usize;
    let workspace = if config.cooperative { workspace::next(current)? } else { 0 };
    let services = current.context.services.address(current)?;
    let segment = function.data.segment(current)?;
    for (offset, word) in hidden_words(info.hidden_offset, segment, workspace, services) {
        if offset + 8 <= size {
            // SAFETY: the buffer has `total_param_size` bytes.
            unsafe {
                params.as_mut_ptr().cast::<u8>().add(offset).cast::<u64>().write_unaligned(word)
            }
        }
    }
    let grid = match (info.grid_of_clusters, cluster) {
        (true, Some(cluster)) => {
            std::array::from_fn(|axis| config.grid[axis].saturating_mul(cluster[axis]))
        }
        _ => config.grid,
    };
    Ok(Shape { grid, cluster })
}

/// Launches a kernel in a stream.
pub(crate) fn launch(
    target: &Target,
    function: &Function,
    config: &LaunchConfig,
    mut params: Params,
) -> CUres {
    let Shape { grid, cluster } = prepare(target, function, config, &mut params)?;
    let (kernel, stream) = (function.in_context(&target.current), target.hip);
    let prepared = Prepared { kernel: &kernel, stream, config, grid, cluster };
    target.current.driver.backend.launch(&prepared, params)
}

/// A launch as one of several that the device gets at once, if it takes such kernels together. Its pointer to `params` is
/// to be set when these lie where they stay.
pub(crate) fn sequence_kernel(
    target: &Target,
    function: &Function,
    config: &LaunchConfig,
    params: &mut Params,
) -> CUres<Option<SequenceKernel>> {
    let Shape { grid, cluster } = prepare(target, function, config, params)?;
    let (kernel, stream) = (function.in_context(&target.current), target.hip);
    let prepared = Prepared { kernel: &kernel, stream, config, grid, cluster };
    target.current.driver.backend.in_sequence(&prepared)
}
