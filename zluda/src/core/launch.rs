//! Launches.

use crate::core::cluster_launch;
use crate::core::device_attributes::{MAX_BLOCK_DIM, MAX_GRID_DIM, MAX_THREADS_PER_BLOCK};
use crate::core::driver::DeviceKind;
use crate::core::function::Function;
use crate::core::graph::work::{Launch, Work};
use crate::core::occupancy::Occupancy;
use crate::core::stream::Target;
use cuda_types::cuda::{
    CU_LAUNCH_PARAM_BUFFER_POINTER, CU_LAUNCH_PARAM_BUFFER_SIZE, CU_LAUNCH_PARAM_END, CUerror,
    CUres,
};
use hip_runtime_sys::{
    CLUSTER_DIMENSION, HIP_LAUNCH_CONFIG, HIP_LAUNCH_PARAM_BUFFER_POINTER,
    HIP_LAUNCH_PARAM_BUFFER_SIZE, HIP_LAUNCH_PARAM_END, hipLaunchAttribute,
    hipLaunchAttribute_st__bindgen_ty_1, hipLaunchAttributeID, hipLaunchAttributeValue,
};
use simt::parameters::hidden_words;
use smallvec::SmallVec;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::Arc;

/// What a launch is, parameters aside.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
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

impl Shape {
    /// A launch that asks for nothing else.
    pub(crate) fn new(grid: [u32; 3], block: [u32; 3], shared: u32) -> Shape {
        let (cooperative, cluster, programmatic, priority) = (false, None, false, 0);
        Shape { grid, block, shared, cooperative, cluster, programmatic, priority }
    }

    pub(crate) fn check(&self, function: &Function) -> CUres {
        let dimensions_fit = |sizes: [u32; 3], most: [u32; 3]| {
            sizes.iter().zip(most).all(|(size, most)| *size != 0 && *size <= most)
        };
        if !dimensions_fit(self.grid, MAX_GRID_DIM) || !dimensions_fit(self.block, MAX_BLOCK_DIM) {
            return Err(CUerror::INVALID_VALUE);
        }
        let threads: u32 = self.block.iter().product();
        if threads > MAX_THREADS_PER_BLOCK {
            return Err(CUerror::INVALID_VALUE);
        }
        let info = &function.info;
        if threads > info.max_threads {
            return Err(CUerror::INVALID_VALUE);
        }
        if info.reqntid.is_some_and(|required| required != self.block) {
            return Err(CUerror::INVALID_VALUE);
        }
        if self.shared > function.settings.max_dynamic_shared(info) {
            return Err(CUerror::INVALID_VALUE);
        }
        Ok(())
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

/// A launch attribute whose value begins with these words.
fn attribute(id: hipLaunchAttributeID, words: [u32; 3]) -> hipLaunchAttribute {
    let mut value = hipLaunchAttributeValue { pad: [0; 64] };
    // SAFETY: there is room for 64 bytes.
    unsafe { (&raw mut value).cast::<[u32; 3]>().write_unaligned(words) };
    let value = hipLaunchAttribute_st__bindgen_ty_1 { value };
    hipLaunchAttribute { id, pad: [0; 4], __bindgen_anon_1: value }
}

/// What AMD GPUs do not launch.
fn check_for_amd(shape: &Shape) -> CUres {
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

/// A shape that a kernel does not have ends the capture of a stream: of wrong arguments, an H100 does so for these.
pub(crate) fn check_captured_shape(target: &Target, function: &Function, shape: &Shape) -> CUres {
    match &target.recorder {
        Some(recorder) => shape.check(function).map_err(|error| recorder.refuse(error)),
        None => Ok(()),
    }
}

/// Launches a kernel in a stream, or makes it a node of the graph that the stream is captured to.
pub(crate) fn launch_or_capture(
    target: &Target,
    function: &Arc<Function>,
    shape: &Shape,
    params: Params,
) -> CUres {
    let Some(recorder) = &target.recorder else {
        return launch(target, function, shape, params);
    };
    let launch = Launch::new(function.clone(), *shape, params)?;
    let work = Work::Kernel(Box::new(launch));
    if shape.programmatic { recorder.add_programmatic(work) } else { recorder.add(work) }
}

/// Launches a kernel in a stream.
pub(crate) fn launch(
    target: &Target,
    function: &Function,
    shape: &Shape,
    mut params: Params,
) -> CUres {
    let current = &target.current;
    // A function belongs to the context in which its module was loaded.
    if function.data.context.id() != current.context.id() {
        return Err(CUerror::INVALID_CONTEXT);
    }
    shape.check(function)?;
    let info = &function.info;
    let cluster = function.settings.cluster.of_launch(info, shape.grid, shape.cluster)?;
    let is_amd = current.driver.kind == DeviceKind::Amd;
    // Blocks that are clusters of their own are as blocks without.
    let clusters = cluster.filter(|cluster| is_amd && *cluster != [1; 3]);
    if shape.cooperative && clusters.is_none() {
        let threads = shape.block.iter().product();
        let each = Occupancy::new(current, function)?.blocks(threads, shape.shared as usize)?;
        let most = u64::from(each) * current.device()?.properties.multiprocessors as u64;
        let blocks: u64 = shape.grid.iter().map(|size| u64::from(*size)).product();
        // "The total number of blocks launched cannot exceed the maximum number of blocks per multiprocessor
        // [...] times the number of multiprocessors".
        if blocks > most {
            return Err(CUerror::COOPERATIVE_LAUNCH_TOO_LARGE);
        }
    }
    let mut size = info.total_param_size as usize;
    let workspace = if shape.cooperative { current.workspace()? } else { 0 };
    let services = if is_amd { current.context.services.address(current)? } else { 0 };
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
            std::array::from_fn(|axis| shape.grid[axis].saturating_mul(cluster[axis]))
        }
        _ => shape.grid,
    };
    if let Some(cluster) = clusters {
        return cluster_launch::launch(target, function, shape, (grid, cluster), params);
    }
    let code = function.code(current, shape.block, false)?;
    let ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]) = (grid, shape.block);
    let hip = &current.driver.hip;
    let bytes = params.as_mut_ptr().cast::<u8>();
    if is_amd {
        check_for_amd(shape)?;
        if shape.cooperative {
            let launch = hip_runtime_sys::Launch {
                function: code.function,
                grid: shape.grid,
                block: shape.block,
                shared: shape.shared,
                stream: target.hip,
            };
            // SAFETY: the function is loaded, and has one argument, the buffer; the stream has been checked.
            return current.check(unsafe { hip.launch_cooperative(&launch, &mut [bytes.cast()]) });
        }
    }
    let mut extra = [
        HIP_LAUNCH_PARAM_BUFFER_POINTER,
        bytes.cast(),
        HIP_LAUNCH_PARAM_BUFFER_SIZE,
        (&raw mut size).cast(),
        HIP_LAUNCH_PARAM_END,
    ];
    let mut attributes = SmallVec::<[hipLaunchAttribute; 2]>::new();
    if shape.cooperative {
        let id = hipLaunchAttributeID::hipLaunchAttributeCooperative;
        attributes.push(attribute(id, [1, 0, 0]));
    }
    if let Some(cluster) = cluster.filter(|_| !is_amd) {
        attributes.push(attribute(CLUSTER_DIMENSION, cluster));
    }
    if !attributes.is_empty() {
        let config = HIP_LAUNCH_CONFIG {
            gridDimX: grid_x,
            gridDimY: grid_y,
            gridDimZ: grid_z,
            blockDimX: block_x,
            blockDimY: block_y,
            blockDimZ: block_z,
            sharedMemBytes: shape.shared,
            hStream: target.hip,
            attrs: attributes.as_mut_ptr(),
            numAttrs: attributes.len() as u32,
        };
        // SAFETY: the function is loaded, its parameters are there, the stream has been checked.
        return current.check(unsafe {
            hip.hipDrvLaunchKernelEx(&config, code.function, null_mut(), extra.as_mut_ptr())
        });
    }
    // SAFETY: as above.
    current.check(unsafe {
        hip.hipModuleLaunchKernel(
            code.function,
            grid_x,
            grid_y,
            grid_z,
            block_x,
            block_y,
            block_z,
            shape.shared,
            target.hip,
            null_mut(),
            extra.as_mut_ptr(),
        )
    })
}
