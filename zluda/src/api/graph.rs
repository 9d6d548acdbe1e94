//! Graphs: those of kernels and empty nodes.

use crate::convert::{FromC, In, Out};
use crate::core::function::FunctionArg;
use crate::core::graph::{self, Exec, Launch, Node, Work};
use crate::core::launch::{Shape, collect};
use crate::core::stream::StreamArg;
use cuda_types::cuda::{
    CUDA_KERNEL_NODE_PARAMS, CUDA_KERNEL_NODE_PARAMS_v1, CUerror, CUfunction, CUgraph, CUgraphExec,
    CUgraphNode, CUgraphNodeType, CUres,
};
use std::ffi::{c_char, c_uint, c_ulonglong};
use std::sync::Arc;

/// Checks and copies what a kernel node does.
fn launch_of(params: &CUDA_KERNEL_NODE_PARAMS_v1) -> CUres<Launch> {
    // SAFETY: any value may be converted.
    let FunctionArg(function) = unsafe { FromC::from_c(params.func) }?;
    let shape = Shape {
        grid: [params.gridDimX, params.gridDimY, params.gridDimZ],
        block: [params.blockDimX, params.blockDimY, params.blockDimZ],
        shared: params.sharedMemBytes,
        cooperative: false,
        cluster: None,
    };
    // SAFETY: the program passes parameters as the API describes them.
    let params = unsafe { collect(&function, params.kernelParams, params.extra) }?;
    Ok(Launch { function, shape, params })
}

/// The parameters of both versions; the newer one may name a kernel instead of a function.
fn without_kernel(params: &CUDA_KERNEL_NODE_PARAMS) -> CUDA_KERNEL_NODE_PARAMS_v1 {
    CUDA_KERNEL_NODE_PARAMS_v1 {
        func: if params.func.is_null() { params.kern as CUfunction } else { params.func },
        gridDimX: params.gridDimX,
        gridDimY: params.gridDimY,
        gridDimZ: params.gridDimZ,
        blockDimX: params.blockDimX,
        blockDimY: params.blockDimY,
        blockDimZ: params.blockDimZ,
        sharedMemBytes: params.sharedMemBytes,
        kernelParams: params.kernelParams,
        extra: params.extra,
    }
}

pub(crate) fn cuGraphCreate(graph: Out<CUgraph>, flags: c_uint) -> CUres {
    graph.check()?;
    // "Graph creation flags, must be 0"
    if flags != 0 {
        return Err(CUerror::INVALID_VALUE);
    }
    graph.set(graph::create()?)
}

pub(crate) fn cuGraphDestroy(graph: CUgraph) -> CUres {
    graph::destroy(graph)
}

pub(crate) fn cuGraphAddKernelNode(
    node: Out<CUgraphNode>,
    graph: CUgraph,
    dependencies: In<CUgraphNode>,
    count: usize,
    params: In<CUDA_KERNEL_NODE_PARAMS_v1>,
) -> CUres {
    node.check()?;
    let work = Work::Kernel(Box::new(launch_of(&params.get()?)?));
    node.set(graph::add(graph, &dependencies.array(count, graph::size(graph)?)?, work)?)
}

pub(crate) fn cuGraphAddKernelNode_v2(
    node: Out<CUgraphNode>,
    graph: CUgraph,
    dependencies: In<CUgraphNode>,
    count: usize,
    params: In<CUDA_KERNEL_NODE_PARAMS>,
) -> CUres {
    node.check()?;
    let work = Work::Kernel(Box::new(launch_of(&without_kernel(&params.get()?))?));
    node.set(graph::add(graph, &dependencies.array(count, graph::size(graph)?)?, work)?)
}

pub(crate) fn cuGraphAddEmptyNode(
    node: Out<CUgraphNode>,
    graph: CUgraph,
    dependencies: In<CUgraphNode>,
    count: usize,
) -> CUres {
    node.check()?;
    node.set(graph::add(graph, &dependencies.array(count, graph::size(graph)?)?, Work::Nothing)?)
}

pub(crate) fn cuGraphDestroyNode(node: CUgraphNode) -> CUres {
    graph::destroy_node(node)
}

pub(crate) fn cuGraphNodeGetType(node: Arc<Node>, kind: Out<CUgraphNodeType>) -> CUres {
    kind.set(match &*node.work.lock() {
        Work::Nothing => CUgraphNodeType::CU_GRAPH_NODE_TYPE_EMPTY,
        Work::Kernel(_) => CUgraphNodeType::CU_GRAPH_NODE_TYPE_KERNEL,
    })
}

pub(crate) fn cuGraphKernelNodeSetParams(
    node: Arc<Node>,
    params: In<CUDA_KERNEL_NODE_PARAMS_v1>,
) -> CUres {
    set_params(&node, &params.get()?)
}

pub(crate) fn cuGraphKernelNodeSetParams_v2(
    node: Arc<Node>,
    params: In<CUDA_KERNEL_NODE_PARAMS>,
) -> CUres {
    set_params(&node, &without_kernel(&params.get()?))
}

fn set_params(node: &Node, params: &CUDA_KERNEL_NODE_PARAMS_v1) -> CUres {
    let launch = launch_of(params)?;
    match &mut *node.work.lock() {
        Work::Kernel(kept) => **kept = launch,
        Work::Nothing => return Err(CUerror::INVALID_VALUE),
    }
    Ok(())
}

fn list(all: Vec<CUgraphNode>, nodes: Out<CUgraphNode>, count: Out<usize>, room: usize) -> CUres {
    // "nodes may be NULL, in which case this function will return the number of nodes in numNodes."
    if nodes.is_null() {
        return count.set(all.len());
    }
    let given = all.len().min(room);
    nodes.set_all(all, given);
    count.set(given)
}

pub(crate) fn cuGraphGetNodes(graph: CUgraph, nodes: Out<CUgraphNode>, count: *mut usize) -> CUres {
    // SAFETY: the program passes the address of a count, or null.
    let (room, count): (In<usize>, Out<usize>) =
        unsafe { (FromC::from_c(count)?, FromC::from_c(count)?) };
    let all = graph::nodes(graph)?.into_iter().map(|(handle, _)| handle).collect();
    list(all, nodes, count, room.get()?)
}

pub(crate) fn cuGraphGetRootNodes(
    graph: CUgraph,
    nodes: Out<CUgraphNode>,
    count: *mut usize,
) -> CUres {
    // SAFETY: as above.
    let (room, count): (In<usize>, Out<usize>) =
        unsafe { (FromC::from_c(count)?, FromC::from_c(count)?) };
    let roots = graph::nodes(graph)?
        .into_iter()
        .filter(|(_, node)| node.is_root())
        .map(|(handle, _)| handle)
        .collect();
    list(roots, nodes, count, room.get()?)
}

pub(crate) fn cuGraphInstantiate(
    exec: Out<CUgraphExec>,
    graph: CUgraph,
    _error_node: Out<CUgraphNode>,
    _log: Out<c_char>,
    _log_size: usize,
) -> CUres {
    exec.check()?;
    exec.set(graph::instantiate(graph)?)
}

pub(crate) fn cuGraphInstantiateWithFlags(
    exec: Out<CUgraphExec>,
    graph: CUgraph,
    flags: c_ulonglong,
) -> CUres {
    exec.check()?;
    // Memory nodes, launches from the device, node priorities, upload: the flags that there are.
    if flags > 0xf {
        return Err(CUerror::INVALID_VALUE);
    }
    exec.set(graph::instantiate(graph)?)
}

pub(crate) fn cuGraphExecKernelNodeSetParams(
    exec: Arc<Exec>,
    node: CUgraphNode,
    params: In<CUDA_KERNEL_NODE_PARAMS_v1>,
) -> CUres {
    exec.set(node, launch_of(&params.get()?)?)
}

pub(crate) fn cuGraphExecKernelNodeSetParams_v2(
    exec: Arc<Exec>,
    node: CUgraphNode,
    params: In<CUDA_KERNEL_NODE_PARAMS>,
) -> CUres {
    exec.set(node, launch_of(&without_kernel(&params.get()?))?)
}

pub(crate) fn cuGraphLaunch(exec: Arc<Exec>, stream: StreamArg) -> CUres {
    exec.launch(&stream.enter()?)
}

pub(crate) fn cuGraphUpload(_exec: Arc<Exec>, stream: StreamArg) -> CUres {
    stream.enter()?;
    Ok(())
}

pub(crate) fn cuGraphExecDestroy(exec: CUgraphExec) -> CUres {
    graph::destroy_exec(exec)
}
