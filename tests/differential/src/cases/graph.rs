//! Graphs: their nodes, edges, clones and children.

use std::cell::Cell;
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::time::{Duration, Instant};

use cuda_types::cuda::*;

use super::Case;
use crate::setup::*;
use differential::api::Api;

pub unsafe extern "C" fn host_nothing(_data: *mut c_void) {}

/// A new graph without nodes.
pub fn graph(api: &Api) -> CUgraph {
    let mut graph = null_mut();
    must(api.cuGraphCreate(&mut graph, 0));
    graph
}

/// Adds an empty node that runs after others.
pub fn empty(api: &Api, graph: CUgraph, after: &[CUgraphNode]) -> CUgraphNode {
    let mut node = null_mut();
    must(api.cuGraphAddEmptyNode(&mut node, graph, after.as_ptr(), after.len()));
    node
}

/// Waits for the destructors of objects, which a thread of the driver calls: until `count` is `least`, and a while for those
/// that nobody expects.
fn destructors(count: *const i64, least: i64) -> i64 {
    let begun = Instant::now();
    loop {
        std::thread::sleep(Duration::from_millis(100));
        // SAFETY: the caller's own, which only destructors change.
        let now = unsafe { count.read_volatile() };
        if now >= least || begun.elapsed() > Duration::from_secs(60) {
            return now;
        }
    }
}

/// The executable form of a graph.
pub fn instantiate(api: &Api, graph: CUgraph) -> CUgraphExec {
    let mut exec = null_mut();
    must(api.cuGraphInstantiateWithFlags(&mut exec, graph, 0));
    exec
}

/// A row of `width` elements of `size` bytes, set to `value`.
pub fn memset_of(to: CUdeviceptr, value: u32, size: u32, width: usize) -> CUDA_MEMSET_NODE_PARAMS {
    CUDA_MEMSET_NODE_PARAMS { dst: to, pitch: 0, value, elementSize: size, width, height: 1 }
}

/// A copy of `bytes` bytes within the device.
pub fn copy_of(to: CUdeviceptr, from: CUdeviceptr, bytes: usize) -> CUDA_MEMCPY3D {
    // SAFETY: a plain structure, of which all zeros is a value.
    let mut copy: CUDA_MEMCPY3D = unsafe { std::mem::zeroed() };
    copy.srcMemoryType = CUmemorytype::CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = from;
    copy.dstMemoryType = CUmemorytype::CU_MEMORYTYPE_DEVICE;
    copy.dstDevice = to;
    (copy.WidthInBytes, copy.Height, copy.Depth) = (bytes, 1, 1);
    copy
}

/// A launch of one thread.
pub fn kernel_of(function: CUfunction, params: *mut *mut c_void) -> CUDA_KERNEL_NODE_PARAMS_v1 {
    CUDA_KERNEL_NODE_PARAMS_v1 {
        func: function,
        gridDimX: 1,
        gridDimY: 1,
        gridDimZ: 1,
        blockDimX: 1,
        blockDimY: 1,
        blockDimZ: 1,
        sharedMemBytes: 0,
        kernelParams: params,
        extra: null_mut(),
    }
}

/// The arguments of the kernel `store`, which stay where they are when they change.
pub struct Arguments {
    to: Box<Cell<CUdeviceptr>>,
    value: Box<Cell<u32>>,
    list: Box<[*mut c_void; 2]>,
}

impl Arguments {
    /// Parameters of the kernel `store`, which writes `value` to `to`.
    pub fn new(to: CUdeviceptr, value: u32) -> Self {
        let (to, value) = (Box::new(Cell::new(to)), Box::new(Cell::new(value)));
        let list = Box::new([to.as_ptr().cast(), value.as_ptr().cast()]);
        Self { to, value, list }
    }

    /// Gives the parameters other values, in the same place.
    pub fn set(&self, to: CUdeviceptr, value: u32) {
        self.to.set(to);
        self.value.set(value);
    }

    /// The addresses of the parameters, as launches take them.
    pub fn list(&self) -> *mut *mut c_void {
        self.list.as_ptr().cast_mut()
    }
}

/// The index of a node in a list, or -1.
pub fn place(node: CUgraphNode, all: &[CUgraphNode]) -> i64 {
    all.iter().position(|other| *other == node).map_or(-1, |at| at as i64)
}

/// The number of a node's type.
pub fn type_of(api: &Api, node: CUgraphNode) -> i64 {
    let mut kind = CUgraphNodeType(99);
    must(api.cuGraphNodeGetType(node, &mut kind));
    kind.0.into()
}

/// Edges as pairs of places in a list.
pub fn edges(api: &Api, graph: CUgraph, all: &[CUgraphNode]) -> Vec<i64> {
    let (mut from, mut to, mut count) = ([null_mut(); 32], [null_mut(); 32], 32);
    must(api.cuGraphGetEdges_v2(
        graph,
        from.as_mut_ptr(),
        to.as_mut_ptr(),
        [EDGE; 32].as_mut_ptr(),
        &mut count,
    ));
    let mut pairs: Vec<[i64; 2]> =
        (0..count).map(|i| [place(from[i], all), place(to[i], all)]).collect();
    pairs.sort_unstable();
    pairs.concat()
}

/// The number of nodes.
pub fn count_of_nodes(api: &Api, graph: CUgraph) -> i64 {
    let mut count = 0;
    must(api.cuGraphGetNodes(graph, null_mut(), &mut count));
    count as i64
}

pub const EDGE: CUgraphEdgeData =
    CUgraphEdgeData { from_port: 0, to_port: 0, type_: 0, reserved: [0; 5] };

pub const CASES: &[Case] = &[
    ("graph/create", |api| {
        context(api);
        let mut graph = null_mut();
        vec![
            api.cuGraphCreate(null_mut(), 0),
            api.cuGraphCreate(&mut graph, 1),
            api.cuGraphCreate(&mut graph, 0),
            api.cuGraphDestroy(graph),
            api.cuGraphDestroy(null_mut()),
        ]
    }),
    ("graph/without_context", |api| {
        must(api.cuInit(0));
        let (mut graph, mut node, mut exec) = (null_mut(), null_mut(), null_mut());
        let answer = api.cuGraphCreate(&mut graph, 0);
        if answer != 0 {
            return vec![answer];
        }
        vec![
            answer,
            api.cuGraphAddEmptyNode(&mut node, graph, null(), 0),
            api.cuGraphInstantiateWithFlags(&mut exec, graph, 0),
        ]
    }),
    ("graph/destroy_twice", |api| {
        context(api);
        let graph = graph(api);
        vec![api.cuGraphDestroy(graph), api.cuGraphDestroy(graph)]
    }),
    ("graph/foreign", |api| {
        context(api);
        vec![api.cuGraphDestroy(foreign())]
    }),
    ("graph/add_to_null", |api| {
        context(api);
        let mut node = null_mut();
        let mut count = 0;
        vec![
            api.cuGraphAddEmptyNode(&mut node, null_mut(), null(), 0),
            api.cuGraphGetNodes(null_mut(), null_mut(), &mut count),
        ]
    }),
    ("graph/add", |api| {
        context(api);
        let (graph, other) = (graph(api), graph(api));
        let a = empty(api, graph, &[]);
        let foreigner = empty(api, other, &[]);
        let mut node = null_mut();
        let mut answers = vec![
            api.cuGraphAddEmptyNode(null_mut(), graph, null(), 0),
            api.cuGraphAddEmptyNode(&mut node, graph, null(), 1),
            api.cuGraphAddEmptyNode(&mut node, graph, &null_mut(), 1),
            api.cuGraphAddEmptyNode(&mut node, graph, &foreigner, 1),
            api.cuGraphAddEmptyNode(&mut node, graph, [a, a].as_ptr(), 2),
            api.cuGraphAddEmptyNode(&mut node, graph, &a, 0),
        ];
        answers.push(count_of_nodes(api, graph));
        answers.extend(edges(api, graph, &[a, node]));
        answers
    }),
    ("graph/dependencies", |api| {
        context(api);
        let (graph, other) = (graph(api), graph(api));
        let [a, b, c] = [(); 3].map(|()| empty(api, graph, &[]));
        let foreigner = empty(api, other, &[]);
        let mut exec = null_mut();
        let mut answers = vec![
            api.cuGraphAddDependencies(graph, &a, &b, 1),
            api.cuGraphAddDependencies(graph, &a, &b, 1),
            api.cuGraphAddDependencies(graph, &a, &a, 1),
            api.cuGraphAddDependencies(graph, &a, &foreigner, 1),
            api.cuGraphAddDependencies(graph, &foreigner, &a, 1),
            api.cuGraphAddDependencies(other, &a, &b, 1),
            api.cuGraphAddDependencies(graph, null(), null(), 0),
            api.cuGraphAddDependencies(graph, null(), &b, 1),
            api.cuGraphAddDependencies(graph, &null_mut(), &b, 1),
            api.cuGraphRemoveDependencies(graph, &b, &c, 1),
            api.cuGraphRemoveDependencies(graph, null(), null(), 0),
            api.cuGraphRemoveDependencies(graph, null(), &c, 1),
        ];
        answers.extend(edges(api, graph, &[a, b, c]));
        // Some of several are wrong.
        answers.push(api.cuGraphAddDependencies(graph, [b, a].as_ptr(), [c, b].as_ptr(), 2));
        answers.extend(edges(api, graph, &[a, b, c]));
        answers.push(api.cuGraphRemoveDependencies(graph, [a, c].as_ptr(), [b, a].as_ptr(), 2));
        answers.extend(edges(api, graph, &[a, b, c]));
        // A cycle.
        answers.push(api.cuGraphAddDependencies(graph, &c, &a, 1));
        answers.push(api.cuGraphAddDependencies(graph, &b, &a, 1));
        answers.push(api.cuGraphAddDependencies(graph, &c, &b, 1));
        answers.extend(edges(api, graph, &[a, b, c]));
        answers.push(api.cuGraphInstantiateWithFlags(&mut exec, graph, 0));
        answers
    }),
    ("graph/cycle", |api| {
        context(api);
        let graph = graph(api);
        let [a, b] = [(); 2].map(|()| empty(api, graph, &[]));
        let (mut exec, mut wrong) = (null_mut(), 1 as CUgraphNode);
        let mut log = [7 as std::ffi::c_char; 64];
        let mut answers = vec![
            api.cuGraphAddDependencies(graph, &a, &b, 1),
            api.cuGraphAddDependencies(graph, &b, &a, 1),
            api.cuGraphInstantiate_v2(&mut exec, graph, &mut wrong, log.as_mut_ptr(), 64),
            (wrong.is_null()) as i64,
            (place(wrong, &[a, b]) >= 0) as i64,
            exec.is_null() as i64,
        ];
        let mut params = CUDA_GRAPH_INSTANTIATE_PARAMS {
            flags: 0,
            hUploadStream: null_mut(),
            hErrNode_out: null_mut(),
            result_out: CUgraphInstantiateResult(99),
        };
        answers.push(api.cuGraphInstantiateWithParams(&mut exec, graph, &mut params));
        answers.push(params.result_out.0.into());
        answers.push((place(params.hErrNode_out, &[a, b]) >= 0) as i64);
        answers
    }),
    ("graph/lists", |api| {
        context(api);
        let graph = graph(api);
        let a = empty(api, graph, &[]);
        let b = empty(api, graph, &[a]);
        let c = empty(api, graph, &[a, b]);
        let all = [a, b, c];
        // What a function says that lists nodes, in an array with some room.
        let listed = |room: usize, ask: &dyn Fn(*mut CUgraphNode, *mut usize) -> i64| {
            let (mut nodes, mut count) = ([1 as CUgraphNode; 4], room);
            let mut answers = vec![ask(nodes.as_mut_ptr(), &mut count), count as i64];
            let place = |node: &CUgraphNode| if node.is_null() { -2 } else { place(*node, &all) };
            answers.extend(nodes.iter().map(place));
            answers
        };
        let (mut nodes, mut to) = ([1 as CUgraphNode; 4], [1 as CUgraphNode; 4]);
        let mut count = 9;
        let mut answers = vec![
            api.cuGraphGetNodes(graph, null_mut(), null_mut()),
            api.cuGraphGetNodes(graph, null_mut(), &mut count),
            count as i64,
        ];
        for room in [0, 2, 4] {
            answers.extend(listed(room, &|nodes, count| api.cuGraphGetNodes(graph, nodes, count)));
        }
        for room in [1, 4] {
            answers
                .extend(listed(room, &|nodes, count| api.cuGraphGetRootNodes(graph, nodes, count)));
        }
        for room in [1, 4] {
            answers.extend(listed(room, &|nodes, count| {
                api.cuGraphNodeGetDependencies(c, nodes, count)
            }));
            answers.extend(listed(room, &|nodes, count| {
                api.cuGraphNodeGetDependentNodes(a, nodes, count)
            }));
        }
        for room in [1, 4] {
            count = room;
            (nodes, to) = ([1 as CUgraphNode; 4], [1 as CUgraphNode; 4]);
            answers.push(api.cuGraphGetEdges(
                graph,
                nodes.as_mut_ptr(),
                to.as_mut_ptr(),
                &mut count,
            ));
            answers.push(count as i64);
            answers.push(nodes.iter().filter(|node| node.is_null()).count() as i64);
        }
        count = 4;
        answers.extend([
            api.cuGraphGetEdges(graph, null_mut(), null_mut(), &mut count),
            count as i64,
            api.cuGraphGetEdges(graph, nodes.as_mut_ptr(), null_mut(), &mut count),
            api.cuGraphGetEdges(graph, null_mut(), to.as_mut_ptr(), &mut count),
            api.cuGraphGetEdges(graph, nodes.as_mut_ptr(), to.as_mut_ptr(), null_mut()),
            api.cuGraphNodeGetDependencies(c, null_mut(), &mut count),
            count as i64,
            api.cuGraphNodeGetDependencies(c, null_mut(), null_mut()),
            api.cuGraphNodeGetDependencies(null_mut(), null_mut(), &mut count),
            api.cuGraphNodeGetDependentNodes(c, null_mut(), &mut count),
            count as i64,
        ]);
        answers
    }),
    ("graph/edge_data", |api| {
        let module = module(api);
        let nothing = kernel(api, module, c"nothing");
        let graph = graph(api);
        let (mut a, mut b, mut c) = (null_mut(), null_mut(), null_mut());
        let params = kernel_of(nothing, null_mut());
        let programmatic = CUgraphEdgeData { from_port: 1, to_port: 0, type_: 1, reserved: [0; 5] };
        let wrong = CUgraphEdgeData { from_port: 9, to_port: 0, type_: 0, reserved: [0; 5] };
        let wrong_to = CUgraphEdgeData { from_port: 0, to_port: 1, type_: 0, reserved: [0; 5] };
        let wrong_type = CUgraphEdgeData { from_port: 0, to_port: 0, type_: 9, reserved: [0; 5] };
        let reserved = CUgraphEdgeData { from_port: 0, to_port: 0, type_: 0, reserved: [1; 5] };
        let mut answers = vec![
            api.cuGraphAddKernelNode(&mut a, graph, null(), 0, &params),
            api.cuGraphAddKernelNode(&mut b, graph, null(), 0, &params),
            api.cuGraphAddKernelNode(&mut c, graph, null(), 0, &params),
            api.cuGraphAddDependencies_v2(graph, &a, &b, &wrong, 1),
            api.cuGraphAddDependencies_v2(graph, &a, &b, &wrong_to, 1),
            api.cuGraphAddDependencies_v2(graph, &a, &b, &wrong_type, 1),
            api.cuGraphAddDependencies_v2(graph, &a, &b, &reserved, 1),
            api.cuGraphAddDependencies_v2(graph, &a, &b, &programmatic, 1),
            api.cuGraphAddDependencies_v2(graph, &b, &c, null(), 1),
        ];
        let (mut from, mut to, mut data, mut count) =
            ([null_mut(); 4], [null_mut(); 4], [EDGE; 4], 4);
        answers.extend([
            api.cuGraphGetEdges(graph, from.as_mut_ptr(), to.as_mut_ptr(), &mut count),
            count as i64,
        ]);
        count = 4;
        answers
            .extend([api.cuGraphGetEdges(graph, null_mut(), null_mut(), &mut count), count as i64]);
        count = 4;
        answers.extend([
            api.cuGraphGetEdges_v2(
                graph,
                from.as_mut_ptr(),
                to.as_mut_ptr(),
                null_mut(),
                &mut count,
            ),
            api.cuGraphGetEdges_v2(
                graph,
                from.as_mut_ptr(),
                to.as_mut_ptr(),
                data.as_mut_ptr(),
                &mut count,
            ),
            count as i64,
        ]);
        let at = if from[0] == a { 0 } else { 1 };
        let edge = data[at];
        answers.extend([edge.from_port, edge.to_port, edge.type_].map(i64::from));
        count = 4;
        answers.extend([
            api.cuGraphNodeGetDependencies(b, from.as_mut_ptr(), &mut count),
            api.cuGraphNodeGetDependentNodes(a, from.as_mut_ptr(), &mut count),
            api.cuGraphNodeGetDependentNodes(b, from.as_mut_ptr(), &mut count),
            api.cuGraphNodeGetDependencies_v2(b, from.as_mut_ptr(), data.as_mut_ptr(), &mut count),
            count as i64,
            data[0].type_.into(),
            api.cuGraphRemoveDependencies(graph, &a, &b, 1),
            api.cuGraphRemoveDependencies_v2(graph, &a, &b, null(), 1),
            api.cuGraphRemoveDependencies_v2(graph, &a, &b, &programmatic, 1),
            api.cuGraphRemoveDependencies_v2(graph, &b, &c, &EDGE, 1),
        ]);
        let empty = empty(api, graph, &[]);
        answers.push(api.cuGraphAddDependencies_v2(graph, &empty, &b, &programmatic, 1));
        answers.push(api.cuGraphAddDependencies_v2(graph, &a, &empty, &programmatic, 1));
        answers
    }),
    ("graph/destroy_node", |api| {
        context(api);
        let graph = graph(api);
        let a = empty(api, graph, &[]);
        let b = empty(api, graph, &[a]);
        let c = empty(api, graph, &[b]);
        let mut answers = vec![api.cuGraphDestroyNode(b), count_of_nodes(api, graph)];
        answers.extend(edges(api, graph, &[a, b, c]));
        answers.push(api.cuGraphDestroyNode(null_mut()));
        answers
    }),
    ("graph/node_of_destroyed_graph", |api| {
        context(api);
        let graph = graph(api);
        let a = empty(api, graph, &[]);
        must(api.cuGraphDestroy(graph));
        let mut kind = CUgraphNodeType(99);
        vec![api.cuGraphNodeGetType(a, &mut kind)]
    }),
    ("graph/clone", |api| {
        context(api);
        let (graph, other) = (graph(api), graph(api));
        let a = empty(api, graph, &[]);
        let b = empty(api, graph, &[a]);
        let (mut clone, mut again, mut found) = (null_mut(), null_mut(), null_mut());
        let mut answers = vec![
            api.cuGraphClone(null_mut(), graph),
            api.cuGraphClone(&mut clone, null_mut()),
            api.cuGraphClone(&mut clone, graph),
            count_of_nodes(api, clone),
            api.cuGraphNodeFindInClone(&mut found, a, clone),
        ];
        let of_a = found;
        answers.extend([api.cuGraphNodeFindInClone(&mut found, b, clone), (found != b) as i64]);
        answers.extend(edges(api, clone, &[of_a, found]));
        answers.extend([
            api.cuGraphNodeFindInClone(null_mut(), a, clone),
            api.cuGraphNodeFindInClone(&mut found, a, graph),
            api.cuGraphNodeFindInClone(&mut found, a, other),
            api.cuGraphNodeFindInClone(&mut found, null_mut(), clone),
            api.cuGraphNodeFindInClone(&mut found, a, null_mut()),
        ]);
        let late = empty(api, graph, &[]);
        answers.push(api.cuGraphNodeFindInClone(&mut found, late, clone));
        answers.push(api.cuGraphDestroyNode(of_a));
        answers.push(api.cuGraphNodeFindInClone(&mut found, a, clone));
        answers.push(api.cuGraphClone(&mut again, clone));
        answers.push(api.cuGraphNodeFindInClone(&mut found, b, again));
        answers
    }),
    ("graph/child", |api| {
        context(api);
        let (graph, child) = (graph(api), graph(api));
        let inner = empty(api, child, &[]);
        let (mut node, mut kept) = (null_mut(), null_mut());
        let mut answers = vec![
            api.cuGraphAddChildGraphNode(&mut node, graph, null(), 0, null_mut()),
            api.cuGraphAddChildGraphNode(&mut node, graph, null(), 0, graph),
            count_of_nodes(api, graph),
            api.cuGraphAddChildGraphNode(&mut node, graph, null(), 0, child),
            api.cuGraphChildGraphNodeGetGraph(node, &mut kept),
            (kept == child) as i64,
            count_of_nodes(api, kept),
        ];
        let mut found = null_mut();
        answers.push(api.cuGraphNodeFindInClone(&mut found, inner, kept));
        let mut added = null_mut();
        answers.push(api.cuGraphAddEmptyNode(&mut added, kept, null(), 0));
        answers.push(count_of_nodes(api, kept));
        answers.push(count_of_nodes(api, child));
        answers.push(api.cuGraphChildGraphNodeGetGraph(inner, &mut kept));
        answers
    }),
    ("graph/child_into_null", |api| {
        context(api);
        let (graph, child) = (graph(api), graph(api));
        let mut node = null_mut();
        must(api.cuGraphAddChildGraphNode(&mut node, graph, null(), 0, child));
        vec![api.cuGraphChildGraphNodeGetGraph(node, null_mut())]
    }),
    ("graph/destroy_child", |api| {
        context(api);
        let (graph, child) = (graph(api), graph(api));
        let (mut node, mut kept) = (null_mut(), null_mut());
        must(api.cuGraphAddChildGraphNode(&mut node, graph, null(), 0, child));
        must(api.cuGraphChildGraphNodeGetGraph(node, &mut kept));
        vec![api.cuGraphDestroy(kept), count_of_nodes(api, graph)]
    }),
    ("graph/child_of_destroyed_node", |api| {
        context(api);
        let (graph, child) = (graph(api), graph(api));
        let (mut node, mut kept, mut count) = (null_mut(), null_mut(), 0);
        must(api.cuGraphAddChildGraphNode(&mut node, graph, null(), 0, child));
        must(api.cuGraphChildGraphNodeGetGraph(node, &mut kept));
        vec![api.cuGraphDestroyNode(node), api.cuGraphGetNodes(kept, null_mut(), &mut count)]
    }),
    ("graph/generic", |api| {
        let module = module(api);
        let context = {
            let mut c = null_mut();
            must(api.cuCtxGetCurrent(&mut c));
            c
        };
        let memory = allocate(api, 64);
        let (graph, child) = (graph(api), graph(api));
        let event = event(api);
        let nothing = kernel(api, module, c"nothing");
        // SAFETY: a plain structure, of which all zeros is a value.
        let zeroed = || -> CUgraphNodeParams { unsafe { std::mem::zeroed() } };
        let mut answers = vec![];
        let mut add = |params: &mut CUgraphNodeParams| {
            let mut node = null_mut();
            let answer = api.cuGraphAddNode_v2(&mut node, graph, null(), null(), 0, params);
            answers.push(answer);
            answers.push(if answer == 0 { type_of(api, node) } else { -1 });
            node
        };
        let mut p = zeroed();
        p.type_ = CUgraphNodeType::CU_GRAPH_NODE_TYPE_EMPTY;
        add(&mut p);
        p.reserved0 = [1; 3];
        add(&mut p);
        p = zeroed();
        p.type_ = CUgraphNodeType::CU_GRAPH_NODE_TYPE_EMPTY;
        p.reserved2 = 1;
        add(&mut p);
        p = zeroed();
        p.type_ = CUgraphNodeType(77);
        add(&mut p);
        p = zeroed();
        p.type_ = CUgraphNodeType::CU_GRAPH_NODE_TYPE_KERNEL;
        p.__bindgen_anon_1.kernel.func = nothing;
        add(&mut p);
        // SAFETY: the member that the type names.
        unsafe {
            let kernel = &mut p.__bindgen_anon_1.kernel;
            (kernel.gridDimX, kernel.gridDimY, kernel.gridDimZ) = (1, 1, 1);
            (kernel.blockDimX, kernel.blockDimY, kernel.blockDimZ) = (1, 1, 1);
        }
        let kernel_node = add(&mut p);
        p = zeroed();
        p.type_ = CUgraphNodeType::CU_GRAPH_NODE_TYPE_MEMSET;
        p.__bindgen_anon_1.memset = CUDA_MEMSET_NODE_PARAMS_v2 {
            dst: memory,
            pitch: 0,
            value: 1,
            elementSize: 4,
            width: 4,
            height: 1,
            ctx: null_mut(),
        };
        let memset_node = add(&mut p);
        p.__bindgen_anon_1.memset.ctx = context;
        add(&mut p);
        p = zeroed();
        p.type_ = CUgraphNodeType::CU_GRAPH_NODE_TYPE_MEMCPY;
        p.__bindgen_anon_1.memcpy = CUDA_MEMCPY_NODE_PARAMS {
            flags: 0,
            reserved: 0,
            copyCtx: context,
            copyParams: copy_of(memory, memory + 32, 8),
        };
        add(&mut p);
        p.__bindgen_anon_1.memcpy.flags = 1;
        add(&mut p);
        p = zeroed();
        p.type_ = CUgraphNodeType::CU_GRAPH_NODE_TYPE_HOST;
        add(&mut p);
        p.__bindgen_anon_1.host.fn_ = Some(host_nothing);
        add(&mut p);
        p = zeroed();
        p.type_ = CUgraphNodeType::CU_GRAPH_NODE_TYPE_GRAPH;
        p.__bindgen_anon_1.graph.graph = child;
        add(&mut p);
        p = zeroed();
        p.type_ = CUgraphNodeType::CU_GRAPH_NODE_TYPE_EVENT_RECORD;
        p.__bindgen_anon_1.eventRecord.event = event;
        add(&mut p);
        p = zeroed();
        p.type_ = CUgraphNodeType::CU_GRAPH_NODE_TYPE_WAIT_EVENT;
        p.__bindgen_anon_1.eventWait.event = event;
        add(&mut p);
        // Other parameters of the same node, and those of another kind.
        p = zeroed();
        p.type_ = CUgraphNodeType::CU_GRAPH_NODE_TYPE_MEMSET;
        p.__bindgen_anon_1.memset = CUDA_MEMSET_NODE_PARAMS_v2 {
            dst: memory,
            pitch: 0,
            value: 1,
            elementSize: 1,
            width: 4,
            height: 1,
            ctx: context,
        };
        answers.push(api.cuGraphNodeSetParams(memset_node, &mut p));
        answers.push(api.cuGraphNodeSetParams(kernel_node, &mut p));
        let exec = instantiate(api, graph);
        answers.push(api.cuGraphExecNodeSetParams(exec, memset_node, &mut p));
        answers.push(api.cuGraphExecNodeSetParams(exec, kernel_node, &mut p));
        answers.push(api.cuGraphAddNode(null_mut(), graph, null(), 0, &mut p));
        answers.push(api.cuGraphNodeSetParams(memset_node, null_mut()));
        answers
    }),
    ("graph/dot", |api| {
        context(api);
        let graph = graph(api);
        vec![
            api.cuGraphDebugDotPrint(graph, null(), 0),
            api.cuGraphDebugDotPrint(graph, c"/nonexistent/folder/file".as_ptr(), 0),
            api.cuGraphDebugDotPrint(graph, NOTHING.as_ptr(), 0),
            api.cuGraphDebugDotPrint(graph, NOTHING.as_ptr(), 1 << 30),
        ]
    }),
    ("graph/user_object", |api| {
        context(api);
        static mut ENDED: i64 = 0;
        unsafe extern "C" fn end(data: *mut c_void) {
            // SAFETY: the case passes its own.
            unsafe { *data.cast::<i64>() += 1 };
        }
        let count: *mut i64 = &raw mut ENDED;
        let ended = |least| destructors(count, least);
        let (mut object, graph) = (null_mut(), graph(api));
        let data: *mut c_void = count.cast();
        let mut answers = vec![
            api.cuUserObjectCreate(&mut object, data, Some(end), 1, 0),
            api.cuUserObjectCreate(&mut object, data, Some(end), 0, 1),
            api.cuUserObjectCreate(&mut object, data, None, 1, 1),
            api.cuUserObjectCreate(null_mut(), data, Some(end), 1, 1),
            api.cuUserObjectCreate(&mut object, data, Some(end), 0x8000_0000, 1),
            api.cuUserObjectCreate(&mut object, data, Some(end), 2, 1),
            api.cuUserObjectRetain(object, 0),
            api.cuUserObjectRetain(object, 1),
            api.cuUserObjectRetain(null_mut(), 1),
            api.cuUserObjectRelease(object, 0),
            api.cuUserObjectRelease(object, 2),
            api.cuUserObjectRelease(null_mut(), 1),
            ended(0),
            api.cuGraphRetainUserObject(graph, object, 0, 0),
            api.cuGraphRetainUserObject(graph, object, 1, 2),
            api.cuGraphRetainUserObject(graph, object, 1, 0),
            api.cuGraphRetainUserObject(null_mut(), object, 1, 0),
            api.cuGraphRetainUserObject(graph, null_mut(), 1, 0),
            api.cuGraphReleaseUserObject(graph, object, 0),
            api.cuUserObjectRelease(object, 1),
            ended(0),
        ];
        let exec = instantiate(api, graph);
        answers.push(api.cuGraphDestroy(graph));
        answers.push(ended(0));
        answers.push(api.cuGraphExecDestroy(exec));
        answers.push(ended(1));
        answers
    }),
    ("graph/user_object_released", |api| {
        context(api);
        static mut ENDED: i64 = 0;
        unsafe extern "C" fn end(data: *mut c_void) {
            // SAFETY: the case passes its own.
            unsafe { *data.cast::<i64>() += 1 };
        }
        let count: *mut i64 = &raw mut ENDED;
        let ended = |least| destructors(count, least);
        let (mut object, graph) = (null_mut(), graph(api));
        let mut clone = null_mut();
        vec![
            api.cuUserObjectCreate(&mut object, count.cast(), Some(end), 1, 1),
            api.cuGraphRetainUserObject(graph, object, 1, 1),
            api.cuGraphClone(&mut clone, graph),
            api.cuGraphReleaseUserObject(graph, object, 1),
            ended(0),
            api.cuGraphDestroy(graph),
            ended(0),
            api.cuGraphDestroy(clone),
            ended(1),
        ]
    }),
];
