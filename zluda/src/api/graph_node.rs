//! Parameters and attributes of nodes, and the same of executable graphs: a function for each kind, and those for all.

use super::graph::{before, edges_before};
use super::graph_exec::updated;
use crate::convert::{FromC, In, Out};
use crate::core::context::{Context, Current, current, enter, handle_or_current};
use crate::core::device::driver::driver;
use crate::core::device::launch::{LaunchConfig, check_window};
use crate::core::graph::batch::{Batch, MOST};
use crate::core::graph::conditional::{Condition, Conditional};
use crate::core::graph::exec::Exec;
use crate::core::graph::work::{Copy, FillOf, HostCall, Launch, Semaphores, Work};
use crate::core::graph::{Graph, Node, Owner};
use crate::core::launch::collect;
use crate::core::memory::graph_memory::{self, Memory};
use crate::core::memory::pool::Place;
use crate::core::module::function::{self, Function};
use crate::core::module::library::Kernel;
use crate::core::stream::PRIORITIES;
use crate::core::stream::event::Event;
use crate::core::transfer::fill::Fill;
use cuda_types::cuda::{
    CU_GRAPH_COND_ASSIGN_DEFAULT, CUDA_BATCH_MEM_OP_NODE_PARAMS, CUDA_EXT_SEM_SIGNAL_NODE_PARAMS,
    CUDA_EXT_SEM_WAIT_NODE_PARAMS, CUDA_HOST_NODE_PARAMS, CUDA_KERNEL_NODE_PARAMS,
    CUDA_KERNEL_NODE_PARAMS_v1, CUDA_MEM_ALLOC_NODE_PARAMS, CUDA_MEMCPY3D, CUDA_MEMSET_NODE_PARAMS,
    CUcontext, CUdeviceptr, CUerror, CUevent, CUexternalSemaphore, CUgraph,
    CUgraphChildGraphNodeOwnership, CUgraphConditionalHandle, CUgraphEdgeData, CUgraphNode,
    CUgraphNodeParams, CUgraphNodeType as T, CUkernelNodeAttrID, CUkernelNodeAttrValue,
    CUlaunchAttributeID as A, CUmemLocationType, CUres,
};
use std::ffi::c_uint;
use std::ptr::NonNull;
use std::sync::Arc;

/// The arguments that say where a new node goes: its graph, the nodes before it, and where its handle goes.
struct NewNode {
    node: Out<CUgraphNode>,
    graph: Arc<Graph>,
    before: Vec<(Arc<Node>, CUgraphEdgeData)>,
}

impl NewNode {
    fn new(
        node: Out<CUgraphNode>,
        graph: Arc<Graph>,
        nodes: In<CUgraphNode>,
        data: In<CUgraphEdgeData>,
        count: usize,
    ) -> CUres<NewNode> {
        node.check()?;
        let before = before(&graph, nodes, data, count)?;
        Ok(NewNode { node, graph, before })
    }

    fn add(&self, work: Work) -> CUres<Arc<Node>> {
        let edges = edges_before(&self.before, work.kind())?;
        let node = self.graph.add(&edges, work)?;
        self.node.set(node.handle())?;
        Ok(node)
    }
}

/// Checks and copies what a kernel node does.
fn kernel(params: &CUDA_KERNEL_NODE_PARAMS) -> CUres<Work> {
    let function: Arc<Function> = if params.func.is_null() && !params.kern.is_null() {
        // SAFETY: any value may be converted.
        let kernel: Arc<Kernel> = unsafe { FromC::from_c(params.kern) }?;
        kernel.function(&handle_or_current(params.ctx)?)?.1
    } else {
        function::from_handle(params.func)?
    };
    let config = LaunchConfig::new(
        [params.gridDimX, params.gridDimY, params.gridDimZ],
        [params.blockDimX, params.blockDimY, params.blockDimZ],
        params.sharedMemBytes,
    );
    // SAFETY: the program passes parameters as the API describes them.
    let params = unsafe { collect(&function, params.kernelParams, params.extra) }?;
    Ok(Work::Kernel(Box::new(Launch::new(function, config, params)?)))
}

fn with_kernel(params: &CUDA_KERNEL_NODE_PARAMS_v1) -> CUDA_KERNEL_NODE_PARAMS {
    CUDA_KERNEL_NODE_PARAMS {
        func: params.func,
        gridDimX: params.gridDimX,
        gridDimY: params.gridDimY,
        gridDimZ: params.gridDimZ,
        blockDimX: params.blockDimX,
        blockDimY: params.blockDimY,
        blockDimZ: params.blockDimZ,
        sharedMemBytes: params.sharedMemBytes,
        kernelParams: params.kernelParams,
        extra: params.extra,
        kern: std::ptr::null_mut(),
        ctx: std::ptr::null_mut(),
    }
}

fn params_of(launch: &mut Launch) -> CUDA_KERNEL_NODE_PARAMS {
    let ([gridDimX, gridDimY, gridDimZ], [blockDimX, blockDimY, blockDimZ]) =
        (launch.config.grid, launch.config.block);
    CUDA_KERNEL_NODE_PARAMS {
        func: launch.function.handle(),
        gridDimX,
        gridDimY,
        gridDimZ,
        blockDimX,
        blockDimY,
        blockDimZ,
        sharedMemBytes: launch.config.shared,
        kernelParams: launch.pointers(),
        extra: std::ptr::null_mut(),
        kern: launch.function.kernel(),
        ctx: launch.function.data.context.handle(),
    }
}

fn copy(params: &CUDA_MEMCPY3D, context: CUcontext) -> CUres<Work> {
    Ok(Work::Copy(Box::new(Copy::new(*params, handle_or_current(context)?.context)?)))
}

fn fill(params: &CUDA_MEMSET_NODE_PARAMS, context: CUcontext) -> CUres<Work> {
    let fill = FillOf {
        fill: Fill::of_element(params.elementSize, params.value)?,
        address: params.dst,
        pitch: params.pitch,
        width: params.width,
        height: params.height,
        context: handle_or_current(context)?.context,
    };
    fill.check()?;
    Ok(Work::Fill(Box::new(fill)))
}

fn host(params: &CUDA_HOST_NODE_PARAMS) -> CUres<Work> {
    if params.fn_.is_none() {
        return Err(CUerror::INVALID_VALUE);
    }
    Ok(Work::Host(HostCall { function: params.fn_, data: params.userData }))
}

fn batch(params: &CUDA_BATCH_MEM_OP_NODE_PARAMS) -> CUres<Work> {
    let operations = In::of(params.paramArray.cast_const()).array(params.count as usize, MOST)?;
    let context = handle_or_current(params.ctx)?.context;
    Ok(Work::Batch(Box::new(Batch::new(context, operations, params.flags)?)))
}

fn child(graph: &Graph) -> CUres<Work> {
    Ok(Work::Child(graph.clone_for(Owner::Node)?))
}

const MOST_SEMAPHORES: usize = 1 << 10;

/// Nothing here makes semaphores of other interfaces, so that what a program names is none: null ones, as an H100 takes them
/// until the graph is launched.
fn semaphores(what: Semaphores, named: *mut CUexternalSemaphore, count: c_uint) -> CUres<Work> {
    let named = In::of(named.cast_const()).array(count as usize, MOST_SEMAPHORES)?;
    match named.iter().all(|semaphore| semaphore.is_null()) {
        true => Ok(Work::Semaphores(what, count)),
        false => Err(CUerror::INVALID_VALUE),
    }
}

fn signals(params: &CUDA_EXT_SEM_SIGNAL_NODE_PARAMS) -> CUres<Work> {
    semaphores(Semaphores::Signal, params.extSemArray, params.numExtSems)
}

fn waits(params: &CUDA_EXT_SEM_WAIT_NODE_PARAMS) -> CUres<Work> {
    semaphores(Semaphores::Wait, params.extSemArray, params.numExtSems)
}

/// An event as a part of a node's parameters: all of these are wrong in one way.
pub(crate) struct EventArg(Arc<Event>);

impl FromC<CUevent> for EventArg {
    unsafe fn from_c(handle: CUevent) -> CUres<Self> {
        // SAFETY: any value may be converted.
        let event: CUres<Arc<Event>> = unsafe { FromC::from_c(handle) };
        event.map(EventArg).map_err(|_| CUerror::INVALID_VALUE)
    }
}

fn event(handle: CUevent) -> CUres<Arc<Event>> {
    // SAFETY: any value may be converted.
    unsafe { EventArg::from_c(handle) }.map(|event| event.0)
}

fn allocation(params: &mut CUDA_MEM_ALLOC_NODE_PARAMS) -> CUres<Work> {
    if params.bytesize == 0 {
        return Err(CUerror::INVALID_VALUE);
    }
    let location = params.poolProps.location;
    Place::new(params.poolProps.allocType, location)?;
    // Pools have other places too.
    if location.type_ != CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE {
        return Err(CUerror::NOT_SUPPORTED);
    }
    // "handleTypes: IPC is not supported"
    if params.poolProps.handleTypes.0 != 0 {
        return Err(CUerror::NOT_SUPPORTED);
    }
    let current: Current = current()?;
    let memory = Memory::new(&current, params.bytesize, params.poolProps)?;
    params.dptr = memory.address();
    Ok(Work::Allocate(Arc::new(memory)))
}

fn release(graph: &Graph, address: CUdeviceptr) -> CUres<Work> {
    graph_memory::check_is_of_graph(address)?;
    // An H100 refuses it from then on, even when the executable graph is gone.
    if graph.had_exec() {
        return Err(CUerror::INVALID_VALUE);
    }
    let frees = |node: &Arc<Node>| matches!(&*node.work.lock(), Work::Free(at) if *at == address);
    // "The same memory is freed twice in the graph"
    if graph.nodes().iter().any(frees) {
        return Err(CUerror::INVALID_VALUE);
    }
    Ok(Work::Free(address))
}

/// The work of a node of these parameters. `INVALID_VALUE` for nodes of memory and conditional ones without a graph,
/// which only new nodes have.
fn work_of(params: &mut CUgraphNodeParams, graph: Option<&Graph>) -> CUres<Work> {
    // "reserved: must be zero"
    if params.reserved0 != [0; 3] || params.reserved2 != 0 {
        return Err(CUerror::INVALID_VALUE);
    }
    let value = &mut params.__bindgen_anon_1;
    // SAFETY: the type says which member there is; all of them are plain data, and any bytes are values of them.
    unsafe {
        Ok(match params.type_ {
            T::CU_GRAPH_NODE_TYPE_EMPTY => Work::Nothing,
            T::CU_GRAPH_NODE_TYPE_KERNEL => {
                let k = value.kernel;
                kernel(&CUDA_KERNEL_NODE_PARAMS {
                    func: k.func,
                    gridDimX: k.gridDimX,
                    gridDimY: k.gridDimY,
                    gridDimZ: k.gridDimZ,
                    blockDimX: k.blockDimX,
                    blockDimY: k.blockDimY,
                    blockDimZ: k.blockDimZ,
                    sharedMemBytes: k.sharedMemBytes,
                    kernelParams: k.kernelParams,
                    extra: k.extra,
                    kern: k.kern,
                    ctx: k.ctx,
                })?
            }
            T::CU_GRAPH_NODE_TYPE_MEMCPY => {
                // "flags: must be 0"
                if value.memcpy.flags != 0 || value.memcpy.reserved != 0 {
                    return Err(CUerror::INVALID_VALUE);
                }
                copy(&value.memcpy.copyParams, value.memcpy.copyCtx)?
            }
            T::CU_GRAPH_NODE_TYPE_MEMSET => {
                let m = value.memset;
                let (dst, pitch, elementSize) = (m.dst, m.pitch, m.elementSize);
                let (value, width, height) = (m.value, m.width, m.height);
                let plain =
                    CUDA_MEMSET_NODE_PARAMS { dst, pitch, value, elementSize, width, height };
                fill(&plain, m.ctx)?
            }
            T::CU_GRAPH_NODE_TYPE_HOST => {
                let (fn_, userData) = (value.host.fn_, value.host.userData);
                host(&CUDA_HOST_NODE_PARAMS { fn_, userData })?
            }
            T::CU_GRAPH_NODE_TYPE_GRAPH => {
                let given: Arc<Graph> = FromC::from_c(value.graph.graph)?;
                match (value.graph.ownership, graph) {
                    // Nodes that are there get copies, and so does an H100 make of ownerships that it has not.
                    (
                        CUgraphChildGraphNodeOwnership::CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE,
                        Some(_),
                    ) => Work::Child(given),
                    _ => child(&given)?,
                }
            }
            T::CU_GRAPH_NODE_TYPE_WAIT_EVENT => Work::Wait(event(value.eventWait.event)?),
            T::CU_GRAPH_NODE_TYPE_EVENT_RECORD => Work::Record(event(value.eventRecord.event)?),
            T::CU_GRAPH_NODE_TYPE_MEM_ALLOC if graph.is_some() => {
                let mut given = CUDA_MEM_ALLOC_NODE_PARAMS {
                    poolProps: value.alloc.poolProps,
                    accessDescs: value.alloc.accessDescs,
                    accessDescCount: value.alloc.accessDescCount,
                    bytesize: value.alloc.bytesize,
                    dptr: 0,
                };
                let work = allocation(&mut given)?;
                value.alloc.dptr = given.dptr;
                work
            }
            T::CU_GRAPH_NODE_TYPE_MEM_FREE => {
                release(graph.ok_or(CUerror::INVALID_VALUE)?, value.free.dptr)?
            }
            T::CU_GRAPH_NODE_TYPE_CONDITIONAL => {
                let graph = graph.ok_or(CUerror::INVALID_VALUE)?;
                let given = value.conditional;
                let current = handle_or_current(given.ctx)?;
                current.driver.device(current.context.device)?;
                let node = Conditional::new(graph, given.handle, given.type_, given.size)?;
                Work::Conditional(Box::new(node))
            }
            T::CU_GRAPH_NODE_TYPE_BATCH_MEM_OP => {
                let given = value.memOp;
                let (ctx, count, paramArray, flags) =
                    (given.ctx, given.count, given.paramArray, given.flags);
                batch(&CUDA_BATCH_MEM_OP_NODE_PARAMS { ctx, count, paramArray, flags })?
            }
            T::CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL => {
                let given = value.extSemSignal;
                semaphores(Semaphores::Signal, given.extSemArray, given.numExtSems)?
            }
            T::CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT => {
                let given = value.extSemWait;
                semaphores(Semaphores::Wait, given.extSemArray, given.numExtSems)?
            }
            _ => return Err(CUerror::INVALID_VALUE),
        })
    }
}

/// Replaces what a node does; `INVALID_VALUE` if it is a node of another kind.
fn set(node: &Node, work: Work) -> CUres {
    let mut kept = node.work.lock();
    match (&mut *kept, work) {
        (Work::Child(_), Work::Child(new)) => {
            drop(kept);
            return node.replace_child(new);
        }
        // Attributes stay.
        (Work::Kernel(kept), Work::Kernel(new)) => {
            let config = LaunchConfig {
                cooperative: kept.config.cooperative,
                cluster: kept.config.cluster,
                priority: kept.config.priority,
                hints: kept.config.hints,
                ..new.config
            };
            **kept = Launch { config, ..*new };
        }
        (kept, work) if kept.kind() == work.kind() => *kept = work,
        _ => return Err(CUerror::INVALID_VALUE),
    }
    Ok(())
}

/// Something of a node of one kind; `INVALID_VALUE` for others.
macro_rules! of_node {
    ($node:expr, $pattern:pat => $value:expr) => {
        match &mut *$node.work.lock() {
            $pattern => $value,
            _ => return Err(CUerror::INVALID_VALUE),
        }
    };
}

/// The functions that add a node of a kind.
macro_rules! add {
    ($($name:ident($($argument:ident: $ty:ty),*) $work:expr;)*) => {$(
        pub(crate) fn $name(
            node: Out<CUgraphNode>,
            graph: Arc<Graph>,
            nodes: In<CUgraphNode>,
            count: usize,
            $($argument: $ty),*
        ) -> CUres {
            NewNode::new(node, graph, nodes, In::none(), count)?.add($work).map(drop)
        }
    )*};
}

add! {
    cuGraphAddEmptyNode() Work::Nothing;
    cuGraphAddKernelNode(params: In<CUDA_KERNEL_NODE_PARAMS_v1>) kernel(&with_kernel(&params.get()?))?;
    cuGraphAddKernelNode_v2(params: In<CUDA_KERNEL_NODE_PARAMS>) kernel(&params.get()?)?;
    cuGraphAddMemcpyNode(params: In<CUDA_MEMCPY3D>, context: CUcontext) copy(&params.get()?, context)?;
    cuGraphAddMemsetNode(params: In<CUDA_MEMSET_NODE_PARAMS>, context: CUcontext) fill(&params.get()?, context)?;
    cuGraphAddHostNode(params: In<CUDA_HOST_NODE_PARAMS>) host(&params.get()?)?;
    cuGraphAddBatchMemOpNode(params: In<CUDA_BATCH_MEM_OP_NODE_PARAMS>) batch(&params.get()?)?;
    cuGraphAddExternalSemaphoresSignalNode(params: In<CUDA_EXT_SEM_SIGNAL_NODE_PARAMS>) signals(&params.get()?)?;
    cuGraphAddExternalSemaphoresWaitNode(params: In<CUDA_EXT_SEM_WAIT_NODE_PARAMS>) waits(&params.get()?)?;
    cuGraphAddChildGraphNode(inner: Arc<Graph>) child(&inner)?;
    cuGraphAddEventRecordNode(event: EventArg) Work::Record(event.0);
    cuGraphAddEventWaitNode(event: EventArg) Work::Wait(event.0);
}

pub(crate) fn cuGraphAddMemAllocNode(
    node: Out<CUgraphNode>,
    graph: Arc<Graph>,
    nodes: In<CUgraphNode>,
    count: usize,
    params: *mut CUDA_MEM_ALLOC_NODE_PARAMS,
) -> CUres {
    let new_node = NewNode::new(node, graph, nodes, In::none(), count)?;
    let mut given = In::of(params).get()?;
    new_node.add(allocation(&mut given)?)?;
    Out::of(params).set(given)
}

pub(crate) fn cuGraphAddMemFreeNode(
    node: Out<CUgraphNode>,
    graph: Arc<Graph>,
    nodes: In<CUgraphNode>,
    count: usize,
    address: CUdeviceptr,
) -> CUres {
    let new_node = NewNode::new(node, graph.clone(), nodes, In::none(), count)?;
    new_node.add(release(&graph, address)?).map(drop)
}

pub(crate) fn cuGraphAddNode(
    node: Out<CUgraphNode>,
    graph: Arc<Graph>,
    nodes: In<CUgraphNode>,
    count: usize,
    params: *mut CUgraphNodeParams,
) -> CUres {
    cuGraphAddNode_v2(node, graph, nodes, In::none(), count, params)
}

pub(crate) fn cuGraphAddNode_v2(
    node: Out<CUgraphNode>,
    graph: Arc<Graph>,
    nodes: In<CUgraphNode>,
    data: In<CUgraphEdgeData>,
    count: usize,
    params: *mut CUgraphNodeParams,
) -> CUres {
    let new_node = NewNode::new(node, graph.clone(), nodes, data, count)?;
    let mut given = In::of(params).get()?;
    let node = new_node.add(work_of(&mut given, Some(&graph))?)?;
    if let Work::Conditional(conditional) = &mut *node.work.lock() {
        given.__bindgen_anon_1.conditional.phGraph_out = conditional.handles();
    }
    Out::of(params).set(given)
}

pub(crate) fn cuGraphConditionalHandleCreate(
    handle: Out<CUgraphConditionalHandle>,
    graph: Arc<Graph>,
    context: CUcontext,
    default: c_uint,
    flags: c_uint,
) -> CUres {
    handle.check()?;
    if flags & !CU_GRAPH_COND_ASSIGN_DEFAULT != 0 {
        return Err(CUerror::INVALID_VALUE);
    }
    let default = (flags & CU_GRAPH_COND_ASSIGN_DEFAULT != 0).then_some(default);
    handle.set(Condition::create(&handle_or_current(context)?, &graph, default)?)
}

pub(crate) fn cuGraphNodeSetParams(node: Arc<Node>, params: In<CUgraphNodeParams>) -> CUres {
    set(&node, work_of(&mut params.get()?, None)?)
}

pub(crate) fn cuGraphExecNodeSetParams(
    exec: Arc<Exec>,
    node: Arc<Node>,
    params: In<CUgraphNodeParams>,
) -> CUres {
    match work_of(&mut params.get()?, None)? {
        Work::Child(child) => updated(exec.set_child(&node, &child)?).1,
        work => exec.set(&node, work),
    }
}

pub(crate) fn cuGraphKernelNodeGetParams(
    node: Arc<Node>,
    params: Out<CUDA_KERNEL_NODE_PARAMS_v1>,
) -> CUres {
    params.check()?;
    let p = of_node!(node, Work::Kernel(launch) => params_of(launch));
    params.set(CUDA_KERNEL_NODE_PARAMS_v1 {
        func: p.func,
        gridDimX: p.gridDimX,
        gridDimY: p.gridDimY,
        gridDimZ: p.gridDimZ,
        blockDimX: p.blockDimX,
        blockDimY: p.blockDimY,
        blockDimZ: p.blockDimZ,
        sharedMemBytes: p.sharedMemBytes,
        kernelParams: p.kernelParams,
        extra: p.extra,
    })
}

pub(crate) fn cuGraphKernelNodeGetParams_v2(
    node: Arc<Node>,
    params: Out<CUDA_KERNEL_NODE_PARAMS>,
) -> CUres {
    params.check()?;
    params.set(of_node!(node, Work::Kernel(launch) => params_of(launch)))
}

pub(crate) fn cuGraphKernelNodeSetParams(
    node: Arc<Node>,
    params: In<CUDA_KERNEL_NODE_PARAMS_v1>,
) -> CUres {
    set(&node, kernel(&with_kernel(&params.get()?))?)
}

pub(crate) fn cuGraphKernelNodeSetParams_v2(
    node: Arc<Node>,
    params: In<CUDA_KERNEL_NODE_PARAMS>,
) -> CUres {
    let params = params.get()?;
    of_node!(node, Work::Kernel(_) => ());
    set(&node, kernel(&params)?)
}

pub(crate) fn cuGraphExecKernelNodeSetParams(
    exec: Arc<Exec>,
    node: Arc<Node>,
    params: In<CUDA_KERNEL_NODE_PARAMS_v1>,
) -> CUres {
    exec.set(&node, kernel(&with_kernel(&params.get()?))?)
}

pub(crate) fn cuGraphExecKernelNodeSetParams_v2(
    exec: Arc<Exec>,
    node: Arc<Node>,
    params: In<CUDA_KERNEL_NODE_PARAMS>,
) -> CUres {
    let params = params.get()?;
    of_node!(node, Work::Kernel(_) => ());
    exec.set(&node, kernel(&params)?)
}

/// The attributes that an H100 has for nodes of graphs.
fn check_attribute(attribute: CUkernelNodeAttrID) -> CUres {
    match attribute.0 {
        1 | 2 | 4 | 5 | 8 | 9 | 10 | 13 | 14 => Ok(()),
        _ => Err(CUerror::INVALID_VALUE),
    }
}

pub(crate) fn cuGraphKernelNodeGetAttribute(
    node: Arc<Node>,
    attribute: CUkernelNodeAttrID,
    value: Out<CUkernelNodeAttrValue>,
) -> CUres {
    value.check()?;
    let config = of_node!(node, Work::Kernel(launch) => launch.config);
    check_attribute(attribute)?;
    // SAFETY: all zeros is a value of every member.
    let mut answer: CUkernelNodeAttrValue = unsafe { std::mem::zeroed() };
    match attribute {
        A::CU_LAUNCH_ATTRIBUTE_COOPERATIVE => answer.cooperative = config.cooperative.into(),
        A::CU_LAUNCH_ATTRIBUTE_PRIORITY => {
            answer.priority = config.priority.unwrap_or_default();
        }
        A::CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION => {
            let [x, y, z] = config.cluster.unwrap_or_default();
            // SAFETY: all members are plain data, and this one becomes what it says.
            let cluster = unsafe { &mut answer.clusterDim };
            (cluster.x, cluster.y, cluster.z) = (x, y, z);
        }
        A::CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE => {
            // SAFETY: all members are plain data, and this one becomes what it says.
            let updatable = unsafe { &mut answer.deviceUpdatableKernelNode };
            updatable.deviceUpdatable = node.is_updatable().into();
            updatable.devNode = node.device_handle();
        }
        // Windows are hints that are not kept.
        _ => config.hints.tell(attribute, &mut answer),
    }
    value.set(answer)
}

pub(crate) fn cuGraphKernelNodeSetAttribute(
    node: Arc<Node>,
    attribute: CUkernelNodeAttrID,
    given: In<CUkernelNodeAttrValue>,
) -> CUres {
    let value = given.get()?;
    let config = of_node!(node, Work::Kernel(launch) => launch.config);
    // An H100 takes this one, and does not tell it.
    if attribute == A::CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING {
        return Ok(());
    }
    check_attribute(attribute)?;
    let mut changed = config;
    // SAFETY: the attribute says which member there is; all of them are plain data.
    unsafe {
        match attribute {
            A::CU_LAUNCH_ATTRIBUTE_COOPERATIVE => changed.cooperative = value.cooperative != 0,
            A::CU_LAUNCH_ATTRIBUTE_PRIORITY => {
                changed.priority = Some(value.priority.clamp(PRIORITIES.0, PRIORITIES.1));
            }
            A::CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION => {
                let cluster = value.clusterDim;
                let sizes = [cluster.x, cluster.y, cluster.z];
                changed.cluster = (sizes != [0; 3]).then_some(sizes);
                of_node!(node, Work::Kernel(launch) => {
                    let Function { settings, info, .. } = &*launch.function;
                    settings.cluster.of_launch(info, changed.grid, changed.cluster)?;
                });
            }
            A::CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW => check_window(&value.accessPolicyWindow)?,
            A::CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE => {
                return set_updatable(&node, given.place());
            }
            _ => changed.hints.set(attribute, &value)?,
        }
    }
    of_node!(node, Work::Kernel(launch) => launch.config = changed);
    Ok(())
}

/// Makes a node one that kernels change. "On success, a handle will be returned via
/// CUlaunchAttributeValue::deviceUpdatableKernelNode::devNode", which is why the value is written.
pub(super) fn set_updatable(node: &Node, value: *mut CUkernelNodeAttrValue) -> CUres {
    let mut answer = In::of(value).get()?;
    // SAFETY: all members are plain data, and this is the one that the caller means.
    let updatable = unsafe { &mut answer.deviceUpdatableKernelNode };
    match updatable.deviceUpdatable {
        // "Once opted-in to this functionality, a node cannot opt out."
        0 if node.is_updatable() => return Err(CUerror::NOT_SUPPORTED),
        0 => return Ok(()),
        1 if driver()?.backend.has_graphs_of_kernels() => {}
        1 => {
            tracing::warn!("unsupported: nodes that kernels change, on AMD GPUs");
            return Err(CUerror::NOT_SUPPORTED);
        }
        // "deviceUpdatable can only be set to 0 or 1."
        _ => return Err(CUerror::INVALID_VALUE),
    }
    updatable.devNode = node.make_updatable()?;
    Out::of(value).set(answer)
}

pub(crate) fn cuGraphKernelNodeCopyAttributes(to: Arc<Node>, from: Arc<Node>) -> CUres {
    // "Device-updatable kernel nodes also cannot have their attributes copied to/from another kernel node."
    if to.is_updatable() || from.is_updatable() {
        return Err(CUerror::NOT_SUPPORTED);
    }
    let config = of_node!(from, Work::Kernel(launch) => launch.config);
    of_node!(to, Work::Kernel(launch) => {
        let LaunchConfig { grid, block, shared, .. } = launch.config;
        launch.config = LaunchConfig { grid, block, shared, ..config };
    });
    Ok(())
}

pub(crate) fn cuGraphMemcpyNodeGetParams(node: Arc<Node>, params: Out<CUDA_MEMCPY3D>) -> CUres {
    params.check()?;
    params.set(of_node!(node, Work::Copy(copy) => copy.description.0))
}

/// The context of a node that gets other parameters.
fn context_of(node: &Node) -> CUres<CUcontext> {
    let context: Arc<Context> = of_node!(node, Work::Copy(copy) => copy.context.clone());
    Ok(enter(&context)?.context.handle())
}

pub(crate) fn cuGraphMemcpyNodeSetParams(node: Arc<Node>, params: In<CUDA_MEMCPY3D>) -> CUres {
    let context = context_of(&node)?;
    set(&node, copy(&params.get()?, context)?)
}

pub(crate) fn cuGraphExecMemcpyNodeSetParams(
    exec: Arc<Exec>,
    node: Arc<Node>,
    params: In<CUDA_MEMCPY3D>,
    context: CUcontext,
) -> CUres {
    let params = params.get()?;
    // "CUDA_ERROR_INVALID_VALUE if [...] either the original or new memory operands are multidimensional."
    if params.Height > 1 || params.Depth > 1 {
        return Err(CUerror::INVALID_VALUE);
    }
    exec.set(&node, copy(&params, context)?)
}

pub(crate) fn cuGraphMemsetNodeGetParams(
    node: Arc<Node>,
    params: Out<CUDA_MEMSET_NODE_PARAMS>,
) -> CUres {
    params.check()?;
    let fill: FillOf = of_node!(node, Work::Fill(fill) => (**fill).clone());
    let FillOf { address: dst, pitch, width, height, .. } = fill;
    let (elementSize, value) = fill.fill.element();
    params.set(CUDA_MEMSET_NODE_PARAMS { dst, pitch, value, elementSize, width, height })
}

pub(crate) fn cuGraphMemsetNodeSetParams(
    node: Arc<Node>,
    params: In<CUDA_MEMSET_NODE_PARAMS>,
) -> CUres {
    let context = of_node!(node, Work::Fill(fill) => fill.context.handle());
    set(&node, fill(&params.get()?, context)?)
}

pub(crate) fn cuGraphExecMemsetNodeSetParams(
    exec: Arc<Exec>,
    node: Arc<Node>,
    params: In<CUDA_MEMSET_NODE_PARAMS>,
    context: CUcontext,
) -> CUres {
    exec.set(&node, fill(&params.get()?, context)?)
}

pub(crate) fn cuGraphBatchMemOpNodeGetParams(
    node: Arc<Node>,
    params: Out<CUDA_BATCH_MEM_OP_NODE_PARAMS>,
) -> CUres {
    params.check()?;
    params.set(of_node!(node, Work::Batch(batch) => batch.params()))
}

pub(crate) fn cuGraphBatchMemOpNodeSetParams(
    node: Arc<Node>,
    params: In<CUDA_BATCH_MEM_OP_NODE_PARAMS>,
) -> CUres {
    set(&node, batch(&params.get()?)?)
}

pub(crate) fn cuGraphExecBatchMemOpNodeSetParams(
    exec: Arc<Exec>,
    node: Arc<Node>,
    params: In<CUDA_BATCH_MEM_OP_NODE_PARAMS>,
) -> CUres {
    exec.set(&node, batch(&params.get()?)?)
}

/// The functions that tell, and set, what nodes of a kind do with semaphores.
macro_rules! semaphore_nodes {
    ($($get:ident $set:ident $set_exec:ident($ty:ident, $what:ident) $make:ident;)*) => {$(
        pub(crate) fn $get(node: Arc<Node>, params: Out<$ty>) -> CUres {
            params.check()?;
            of_node!(node, Work::Semaphores(Semaphores::$what, _) => ());
            // Arrays of none, which an H100 has addresses for.
            let (extSemArray, paramsArray) = (NonNull::dangling().as_ptr(), NonNull::dangling().as_ptr());
            params.set($ty { extSemArray, paramsArray, numExtSems: 0 })
        }

        pub(crate) fn $set(node: Arc<Node>, params: In<$ty>) -> CUres {
            set(&node, $make(&params.get()?)?)
        }

        pub(crate) fn $set_exec(exec: Arc<Exec>, node: Arc<Node>, params: In<$ty>) -> CUres {
            exec.set(&node, $make(&params.get()?)?)
        }
    )*};
}

semaphore_nodes! {
    cuGraphExternalSemaphoresSignalNodeGetParams cuGraphExternalSemaphoresSignalNodeSetParams
        cuGraphExecExternalSemaphoresSignalNodeSetParams(CUDA_EXT_SEM_SIGNAL_NODE_PARAMS, Signal) signals;
    cuGraphExternalSemaphoresWaitNodeGetParams cuGraphExternalSemaphoresWaitNodeSetParams
        cuGraphExecExternalSemaphoresWaitNodeSetParams(CUDA_EXT_SEM_WAIT_NODE_PARAMS, Wait) waits;
}

pub(crate) fn cuGraphHostNodeGetParams(
    node: Arc<Node>,
    params: Out<CUDA_HOST_NODE_PARAMS>,
) -> CUres {
    params.check()?;
    let call: HostCall = of_node!(node, Work::Host(call) => *call);
    params.set(CUDA_HOST_NODE_PARAMS { fn_: call.function, userData: call.data })
}

pub(crate) fn cuGraphHostNodeSetParams(
    node: Arc<Node>,
    params: In<CUDA_HOST_NODE_PARAMS>,
) -> CUres {
    set(&node, host(&params.get()?)?)
}

pub(crate) fn cuGraphExecHostNodeSetParams(
    exec: Arc<Exec>,
    node: Arc<Node>,
    params: In<CUDA_HOST_NODE_PARAMS>,
) -> CUres {
    exec.set(&node, host(&params.get()?)?)
}

pub(crate) fn cuGraphChildGraphNodeGetGraph(node: Arc<Node>, graph: Out<CUgraph>) -> CUres {
    graph.check()?;
    graph.set(of_node!(node, Work::Child(child) => child.handle()))
}

pub(crate) fn cuGraphEventRecordNodeGetEvent(node: Arc<Node>, event: Out<CUevent>) -> CUres {
    event.check()?;
    event.set(of_node!(node, Work::Record(event) => event.handle()))
}

pub(crate) fn cuGraphEventRecordNodeSetEvent(node: Arc<Node>, event: EventArg) -> CUres {
    set(&node, Work::Record(event.0))
}

pub(crate) fn cuGraphExecEventRecordNodeSetEvent(
    exec: Arc<Exec>,
    node: Arc<Node>,
    event: EventArg,
) -> CUres {
    exec.set(&node, Work::Record(event.0))
}

pub(crate) fn cuGraphEventWaitNodeGetEvent(node: Arc<Node>, event: Out<CUevent>) -> CUres {
    event.check()?;
    event.set(of_node!(node, Work::Wait(event) => event.handle()))
}

pub(crate) fn cuGraphEventWaitNodeSetEvent(node: Arc<Node>, event: EventArg) -> CUres {
    set(&node, Work::Wait(event.0))
}

pub(crate) fn cuGraphExecEventWaitNodeSetEvent(
    exec: Arc<Exec>,
    node: Arc<Node>,
    event: EventArg,
) -> CUres {
    exec.set(&node, Work::Wait(event.0))
}

pub(crate) fn cuGraphMemAllocNodeGetParams(
    node: Arc<Node>,
    params: Out<CUDA_MEM_ALLOC_NODE_PARAMS>,
) -> CUres {
    params.check()?;
    params.set(of_node!(node, Work::Allocate(memory) => memory.params()))
}

pub(crate) fn cuGraphMemFreeNodeGetParams(node: Arc<Node>, address: Out<CUdeviceptr>) -> CUres {
    address.check()?;
    address.set(of_node!(node, Work::Free(address) => *address))
}
