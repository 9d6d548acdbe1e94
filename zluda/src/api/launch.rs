//! Launches.

use crate::convert::In;
use crate::core::device::launch::Shape;
use crate::core::launch::collect;
use crate::core::module::function::FunctionArg;
use crate::core::stream::{self, PRIORITIES, StreamArg};
use cuda_types::cuda::{
    CU_STREAM_PER_THREAD, CUerror, CUlaunchAttribute, CUlaunchAttributeID as Id, CUlaunchConfig,
    CUres,
};
use std::ffi::{c_uint, c_void};
use std::ptr::null_mut;

fn run(
    function: &FunctionArg,
    shape: &Shape,
    stream: &StreamArg,
    params: *mut *mut c_void,
    extra: *mut *mut c_void,
) -> CUres {
    let target = stream.enter_to_work()?;
    target.check_captured_shape(&function.0, shape)?;
    // SAFETY: the program passes parameters as the API describes them.
    let params = unsafe { collect(&function.0, params, extra) }?;
    target.launch(&function.0, shape, params)
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
    run(&function, &Shape::new(grid, block, shared), &stream, params, extra)
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
    let shape = Shape { cooperative: true, ..Shape::new(grid, block, shared) };
    run(&function, &shape, &stream, params, null_mut())
}

pub(crate) fn cuLaunchKernelEx(
    config: In<CUlaunchConfig>,
    function: FunctionArg,
    params: *mut *mut c_void,
    extra: *mut *mut c_void,
    default: StreamArg,
) -> CUres {
    let config = config.get()?;
    let mut shape = Shape::new(
        [config.gridDimX, config.gridDimY, config.gridDimZ],
        [config.blockDimX, config.blockDimY, config.blockDimZ],
        config.sharedMemBytes,
    );
    apply_all(&config, &mut shape)?;
    let stream = match (config.hStream, default) {
        (handle, StreamArg::PerThread) if handle.is_null() => {
            stream::from_handle(CU_STREAM_PER_THREAD)?
        }
        (handle, _) => stream::from_handle(handle)?,
    };
    run(&function, &shape, &stream, params, extra)
}

/// The size of the clusters that a configuration asks for.
pub(crate) fn cluster_of(config: &CUlaunchConfig) -> CUres<Option<[u32; 3]>> {
    let mut shape = Shape::new([1; 3], [1; 3], 0);
    apply_all(config, &mut shape)?;
    Ok(shape.cluster)
}

fn apply_all(config: &CUlaunchConfig, shape: &mut Shape) -> CUres {
    if config.numAttrs != 0 && config.attrs.is_null() {
        return Err(CUerror::INVALID_VALUE);
    }
    for i in 0..config.numAttrs as usize {
        // SAFETY: the program passes `numAttrs` attributes.
        apply(unsafe { &*config.attrs.add(i) }, shape)?;
    }
    Ok(())
}

fn apply(attribute: &CUlaunchAttribute, shape: &mut Shape) -> CUres {
    match attribute.id {
        Id::CU_LAUNCH_ATTRIBUTE_COOPERATIVE => {
            // SAFETY: the value's member is the one that the id names.
            shape.cooperative = unsafe { attribute.value.cooperative } != 0;
        }
        Id::CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION => {
            // SAFETY: as above.
            let cluster = unsafe { attribute.value.clusterDim };
            shape.cluster = Some([cluster.x, cluster.y, cluster.z]);
        }
        Id::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION => {
            // SAFETY: as above.
            let allowed = unsafe { attribute.value.programmaticStreamSerializationAllowed };
            shape.programmatic = allowed != 0;
        }
        Id::CU_LAUNCH_ATTRIBUTE_PRIORITY => {
            // SAFETY: as above.
            let priority = unsafe { attribute.value.priority };
            shape.priority = priority.clamp(PRIORITIES.0, PRIORITIES.1);
        }
        Id::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT
        | Id::CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT => {
            tracing::warn!("unsupported: a launch that records an event");
            return Err(CUerror::NOT_SUPPORTED);
        }
        // All others say how to be quick, or allow what is not done here.
        Id(other) if other < Id::CU_LAUNCH_ATTRIBUTE_MAX.0 => {}
        _ => return Err(CUerror::INVALID_VALUE),
    }
    Ok(())
}
