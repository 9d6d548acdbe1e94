//! Launches.

use super::launch_attribute::{Recorded, apply_all};
use crate::convert::{FromC, In};
use crate::core::device::launch::LaunchConfig;
use crate::core::launch::collect;
use crate::core::module::function::FunctionArg;
use crate::core::stream::{self, StreamArg};
use cuda_types::cuda::{
    CU_STREAM_PER_THREAD, CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_POST_LAUNCH_SYNC,
    CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_PRE_LAUNCH_SYNC, CUDA_LAUNCH_PARAMS, CUerror,
    CUlaunchConfig, CUres,
};
use std::ffi::{c_uint, c_void};
use std::ptr::null_mut;

fn run(
    function: &FunctionArg,
    config: &LaunchConfig,
    stream: &StreamArg,
    params: *mut *mut c_void,
    extra: *mut *mut c_void,
) -> CUres {
    run_and_record(function, config, stream, params, extra, &Recorded::default())
}

fn run_and_record(
    function: &FunctionArg,
    config: &LaunchConfig,
    stream: &StreamArg,
    params: *mut *mut c_void,
    extra: *mut *mut c_void,
    recorded: &Recorded,
) -> CUres {
    let target = stream.enter_to_work()?;
    recorded.check(&target)?;
    // As an H100 answers: kernels that launch graphs have to be nodes.
    if target.recorder.is_none() && function.0.launches_graphs() {
        return Err(CUerror::NOT_SUPPORTED);
    }
    let config = &config.with_needed_block(&function.0);
    target.check_captured_config(&function.0, config)?;
    // SAFETY: the program passes parameters as the API describes them.
    let params = unsafe { collect(&function.0, params, extra) }?;
    if let Some(kept) = function.0.kept_already() {
        kept.overwrite(&function.0, config, &params);
    }
    let node = target.launch(&function.0, config, params)?;
    recorded.apply_to(node.as_deref())?;
    recorded.record(&target)
}

pub(crate) fn cuLaunchKernel(
    function: FunctionArg,
    grid_x: c_uint,
    grid_y: c_uint,
    grid_z: c_uint,
    block_x: c_uint,
    block_y: c_uint,
    block_z: c_uint,
    shared: c_uint,
    stream: StreamArg,
    params: *mut *mut c_void,
    extra: *mut *mut c_void,
) -> CUres {
    let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
    run(&function, &LaunchConfig::new(grid, block, shared), &stream, params, extra)
}

pub(crate) fn cuLaunchCooperativeKernel(
    function: FunctionArg,
    grid_x: c_uint,
    grid_y: c_uint,
    grid_z: c_uint,
    block_x: c_uint,
    block_y: c_uint,
    block_z: c_uint,
    shared: c_uint,
    stream: StreamArg,
    params: *mut *mut c_void,
) -> CUres {
    let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
    let config = LaunchConfig { cooperative: true, ..LaunchConfig::new(grid, block, shared) };
    run(&function, &config, &stream, params, null_mut())
}

/// "launchParamsList: List of launch parameters, one per device". Each grid waits for its own stream alone, which the flags
/// would allow: what they leave out orders the work of several devices.
pub(crate) fn cuLaunchCooperativeKernelMultiDevice(
    list: In<CUDA_LAUNCH_PARAMS>,
    count: c_uint,
    flags: c_uint,
) -> CUres {
    /// Both flags together.
    const ALL: c_uint = CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_PRE_LAUNCH_SYNC
        | CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_POST_LAUNCH_SYNC;
    // As many as there can be devices.
    let list = list.array(count as usize, 64)?;
    if list.is_empty() || flags & !ALL != 0 {
        return Err(CUerror::INVALID_VALUE);
    }
    let mut launches = Vec::new();
    for launch in &list {
        // "streams ... cannot be the NULL stream"
        let stream = match stream::from_handle(launch.hStream)? {
            StreamArg::Legacy | StreamArg::PerThread => return Err(CUerror::INVALID_HANDLE),
            stream => stream,
        };
        // SAFETY: a handle is a number, which is checked.
        let function = unsafe { FunctionArg::from_c(launch.function) }?;
        launches.push((function, stream, launch));
    }
    // "There must be exactly one function per device", and all of them are one kernel.
    let device = |function: &FunctionArg| function.0.data.context.device;
    let is_double = launches.iter().enumerate().any(|(i, (function, ..))| {
        launches[..i].iter().any(|(before, ..)| {
            device(before) == device(function) || before.0.name != function.0.name
        })
    });
    if is_double {
        return Err(CUerror::INVALID_VALUE);
    }
    for (function, stream, launch) in launches {
        let grid = [launch.gridDimX, launch.gridDimY, launch.gridDimZ];
        let block = [launch.blockDimX, launch.blockDimY, launch.blockDimZ];
        let config = LaunchConfig::new(grid, block, launch.sharedMemBytes);
        let config = LaunchConfig { cooperative: true, ..config };
        run(&function, &config, &stream, launch.kernelParams, null_mut())?;
    }
    Ok(())
}

pub(crate) fn cuLaunchKernelEx(
    given: In<CUlaunchConfig>,
    function: FunctionArg,
    params: *mut *mut c_void,
    extra: *mut *mut c_void,
    default: StreamArg,
) -> CUres {
    let given = given.get()?;
    let mut config = LaunchConfig::new(
        [given.gridDimX, given.gridDimY, given.gridDimZ],
        [given.blockDimX, given.blockDimY, given.blockDimZ],
        given.sharedMemBytes,
    );
    let recorded = apply_all(&given, &mut config)?;
    let stream = match (given.hStream, default) {
        (handle, StreamArg::PerThread) if handle.is_null() => {
            stream::from_handle(CU_STREAM_PER_THREAD)?
        }
        (handle, _) => stream::from_handle(handle)?,
    };
    run_and_record(&function, &config, &stream, params, extra, &recorded)
}
