//! Executable graphs, and what devices say of their memory.

use crate::convert::{In, Out};
use crate::core::capture;
use crate::core::device::driver::driver;
use crate::core::graph::exec::{self, DEVICE_LAUNCH, Exec, Failure, NODE_PRIORITY};
use crate::core::graph::update::Difference;
use crate::core::graph::{Graph, Node};
use crate::core::memory::graph_memory::{Usage, with_usage};
use crate::core::stream::StreamArg;
use cuda_types::cuda::{
    CUDA_GRAPH_INSTANTIATE_PARAMS, CUdevice, CUerror, CUgraphExec, CUgraphExecUpdateResult,
    CUgraphExecUpdateResultInfo, CUgraphInstantiateResult, CUgraphMem_attribute as M, CUgraphNode,
    CUres,
};
use std::ffi::{c_char, c_uint, c_ulonglong, c_void};
use std::ptr::null_mut;
use std::sync::Arc;

/// `CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD`
const UPLOAD: u64 = 2;

fn instantiate(graph: &Arc<Graph>, flags: u64) -> Result<CUgraphExec, Failure> {
    capture::check_unsafe_call()?;
    if flags & !(exec::AUTO_FREE | UPLOAD | DEVICE_LAUNCH | NODE_PRIORITY) != 0 {
        return Err(CUerror::INVALID_VALUE.into());
    }
    if flags & DEVICE_LAUNCH != 0 {
        // "Not compatible with CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH", nor is a graph of nothing.
        if flags & exec::AUTO_FREE != 0 || graph.size() == 0 {
            return Err(CUerror::INVALID_VALUE.into());
        }
        exec::check_device_launch(graph)?;
        if !driver()?.backend.has_graphs_of_kernels() {
            // What the host does with them works.
            tracing::warn!("unsupported: kernels that launch graphs, on AMD GPUs");
        }
    }
    let handle =
        exec::instantiate(graph, flags & (exec::AUTO_FREE | DEVICE_LAUNCH | NODE_PRIORITY))?;
    if flags & UPLOAD != 0 {
        exec::from_handle(handle as u64)?.upload();
    }
    Ok(handle)
}

pub(crate) fn cuGraphInstantiate(
    exec: Out<CUgraphExec>,
    graph: Arc<Graph>,
    error_node: Out<CUgraphNode>,
    log: Out<c_char>,
    log_size: usize,
) -> CUres {
    exec.check()?;
    error_node.set_if_wanted(null_mut());
    if !log.is_null() {
        log.set_text(b"", log_size);
    }
    exec.set(instantiate(&graph, 0).map_err(|failure| failure.error)?)
}

pub(crate) fn cuGraphInstantiateWithFlags(
    exec: Out<CUgraphExec>,
    graph: Arc<Graph>,
    flags: c_ulonglong,
) -> CUres {
    exec.check()?;
    // "CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD is only usable with cuGraphInstantiateWithParams."
    if flags & UPLOAD != 0 {
        return Err(CUerror::INVALID_VALUE);
    }
    exec.set(instantiate(&graph, flags).map_err(|failure| failure.error)?)
}

pub(crate) fn cuGraphInstantiateWithParams(
    exec: Out<CUgraphExec>,
    graph: Arc<Graph>,
    params: *mut CUDA_GRAPH_INSTANTIATE_PARAMS,
    _default: StreamArg,
) -> CUres {
    exec.check()?;
    let mut given = In::of(params).get()?;
    let result = instantiate(&graph, given.flags);
    given.hErrNode_out = null_mut();
    given.result_out = CUgraphInstantiateResult::CUDA_GRAPH_INSTANTIATE_SUCCESS;
    if let Err(failure) = &result {
        given.result_out = failure.result;
        given.hErrNode_out = failure.node.as_ref().map_or(null_mut(), |node| node.handle());
    }
    Out::of(params).set(given)?;
    exec.set(result.map_err(|failure| failure.error)?)
}

pub(crate) fn cuGraphExecGetFlags(exec: Arc<Exec>, flags: Out<u64>) -> CUres {
    flags.set(exec.flags)
}

pub(crate) fn cuGraphLaunch(exec: Arc<Exec>, stream: StreamArg) -> CUres {
    let target = stream.enter_to_work()?;
    // An H100 does not capture launches of graphs.
    exec.launch(target.uncaptured()?)
}

pub(crate) fn cuGraphUpload(exec: Arc<Exec>, stream: StreamArg) -> CUres {
    stream.enter_to_work()?.uncaptured()?;
    exec.upload();
    Ok(())
}

pub(crate) fn cuGraphExecDestroy(exec: CUgraphExec) -> CUres {
    capture::check_unsafe_call()?;
    exec::destroy(exec)
}

pub(crate) fn cuGraphNodeSetEnabled(exec: Arc<Exec>, node: Arc<Node>, enabled: c_uint) -> CUres {
    exec.set_enabled(&node, enabled != 0)
}

pub(crate) fn cuGraphNodeGetEnabled(
    exec: Arc<Exec>,
    node: Arc<Node>,
    enabled: Out<c_uint>,
) -> CUres {
    enabled.check()?;
    enabled.set(exec.is_enabled(&node)?.into())
}

/// What is told of an update, and its result.
pub(super) fn updated(result: Result<(), Difference>) -> (CUgraphExecUpdateResultInfo, CUres) {
    let mut info = CUgraphExecUpdateResultInfo {
        result: CUgraphExecUpdateResult::CU_GRAPH_EXEC_UPDATE_SUCCESS,
        errorNode: null_mut(),
        errorFromNode: null_mut(),
    };
    match result {
        Ok(()) => (info, Ok(())),
        Err(difference) => {
            info.result = difference.result;
            info.errorNode = difference.node.map_or(null_mut(), |node| node.handle());
            (info, Err(CUerror::GRAPH_EXEC_UPDATE_FAILURE))
        }
    }
}

pub(crate) fn cuGraphExecUpdate(
    exec: Arc<Exec>,
    graph: Arc<Graph>,
    node: Out<CUgraphNode>,
    result: Out<CUgraphExecUpdateResult>,
) -> CUres {
    let (info, answer) = updated(exec.update(&graph)?);
    node.set_if_wanted(info.errorNode);
    result.set_if_wanted(info.result);
    answer
}

pub(crate) fn cuGraphExecUpdate_v2(
    exec: Arc<Exec>,
    graph: Arc<Graph>,
    info: Out<CUgraphExecUpdateResultInfo>,
) -> CUres {
    let (found, answer) = updated(exec.update(&graph)?);
    info.set_if_wanted(found);
    answer
}

pub(crate) fn cuGraphExecChildGraphNodeSetParams(
    exec: Arc<Exec>,
    node: Arc<Node>,
    child: Arc<Graph>,
) -> CUres {
    updated(exec.set_child(&node, &child)?).1
}

pub(crate) fn cuDeviceGetGraphMemAttribute(
    device: CUdevice,
    attribute: M,
    value: Out<c_void>,
) -> CUres {
    driver()?.device(device)?;
    let value = value.cast::<u64>();
    let Usage { used, used_high, reserved_high, .. } = with_usage(device, |usage| *usage);
    value.set(match attribute {
        M::CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT | M::CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT => used,
        M::CU_GRAPH_MEM_ATTR_USED_MEM_HIGH => used_high,
        M::CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH => reserved_high,
        _ => return Err(CUerror::INVALID_VALUE),
    })
}

pub(crate) fn cuDeviceSetGraphMemAttribute(
    device: CUdevice,
    attribute: M,
    value: In<c_void>,
) -> CUres {
    driver()?.device(device)?;
    // "The value must be 0: these attributes can be reset only."
    if value.cast::<u64>().get()? != 0 {
        return Err(CUerror::INVALID_VALUE);
    }
    with_usage(device, |usage| match attribute {
        M::CU_GRAPH_MEM_ATTR_USED_MEM_HIGH => {
            usage.used_high = usage.used;
            Ok(())
        }
        M::CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH => {
            usage.reserved_high = usage.used;
            Ok(())
        }
        _ => Err(CUerror::INVALID_VALUE),
    })
}

pub(crate) fn cuDeviceGraphMemTrim(device: CUdevice) -> CUres {
    driver()?.device(device)?;
    with_usage(device, Usage::trim);
    Ok(())
}
