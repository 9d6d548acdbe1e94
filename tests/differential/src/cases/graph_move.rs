//! Child graphs that are moved into another graph, rather than copied.

use std::ptr::{null, null_mut};

use cuda_types::cuda::*;

use super::NamedCase;
use super::graph::{empty, graph, instantiate, type_of};
use crate::setup::*;
use differential::api::Api;

/// Adds a graph as a node: 0 copies it, 1 moves it.
fn add(api: &Api, to: CUgraph, child: CUgraph, ownership: i32) -> (i64, CUgraphNode) {
    let (mut node, mut params): (_, CUgraphNodeParams) = (null_mut(), zeroed());
    params.type_ = CUgraphNodeType::CU_GRAPH_NODE_TYPE_GRAPH;
    params.__bindgen_anon_1.graph = CUDA_CHILD_GRAPH_NODE_PARAMS {
        graph: child,
        ownership: CUgraphChildGraphNodeOwnership_enum(ownership as u32),
    };
    (api.cuGraphAddNode_v2(&mut node, to, null(), null(), 0, &mut params), node)
}

/// A node that allocates memory.
fn allocation(api: &Api, graph: CUgraph) -> (CUgraphNode, CUdeviceptr) {
    let (mut node, mut params): (_, CUDA_MEM_ALLOC_NODE_PARAMS) = (null_mut(), zeroed());
    params.poolProps.allocType = CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
    params.poolProps.location.type_ = CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE;
    params.bytesize = 4096;
    must(api.cuGraphAddMemAllocNode(&mut node, graph, null(), 0, &mut params));
    (node, params.dptr)
}

pub const CASES: &[NamedCase] = &[
    ("graph_move/handles", |api, sheet| {
        context(api);
        let (parent, child) = (graph(api), graph(api));
        let inner = empty(api, child, &[]);
        let (result, node) = add(api, parent, child, 1);
        sheet.put("add", result);
        sheet.put("type", type_of(api, node));
        let (mut told, mut count) = (null_mut(), 0);
        sheet.put("get", api.cuGraphChildGraphNodeGetGraph(node, &mut told));
        sheet.put("same_handle", i64::from(told == child));
        sheet.put("nodes", api.cuGraphGetNodes(child, null_mut(), &mut count));
        sheet.put("count", count as i64);
        sheet.put("inner_type", type_of(api, inner));
        let mut more = null_mut();
        sheet.put("add_inside", api.cuGraphAddEmptyNode(&mut more, child, &inner, 1));
        let mut exec = null_mut();
        sheet.put("instantiate_child", api.cuGraphInstantiateWithFlags(&mut exec, child, 0));
        sheet.put("instantiate", api.cuGraphInstantiateWithFlags(&mut exec, parent, 0));
        sheet.put("launch", api.cuGraphLaunch(exec, null_mut()));
        sheet.put("synchronize", api.cuCtxSynchronize());
        sheet.put("destroy_child", api.cuGraphDestroy(child));
        sheet.put("destroy_parent", api.cuGraphDestroy(parent));
    }),
    ("graph_move/again", |api, sheet| {
        context(api);
        let (parent, other, child) = (graph(api), graph(api), graph(api));
        empty(api, child, &[]);
        sheet.put("move", add(api, parent, child, 1).0);
        sheet.put("move_again", add(api, other, child, 1).0);
        sheet.put("copy_of_moved", add(api, other, child, 0).0);
        let mut clone = null_mut();
        sheet.put("clone_moved", api.cuGraphClone(&mut clone, child));
        sheet.put("clone_parent", api.cuGraphClone(&mut clone, parent));
    }),
    ("graph_move/ownerships", |api, sheet| {
        context(api);
        for ownership in [-1, 2, 3] {
            let (parent, child) = (graph(api), graph(api));
            empty(api, child, &[]);
            sheet.put(&format!("ownership_{ownership}"), add(api, parent, child, ownership).0);
        }
        let graph = graph(api);
        sheet.put("null", add(api, graph, null_mut(), 1).0);
    }),
    ("graph_move/into_itself", |api, sheet| {
        context(api);
        let own = graph(api);
        sheet.put("itself", add(api, own, own, 1).0);
        let (outer, inner) = (graph(api), graph(api));
        must(add(api, outer, inner, 1).0);
        sheet.put("outer_into_inner", add(api, inner, outer, 1).0);
    }),
    ("graph_move/memory", |api, sheet| {
        context(api);
        let (parent, child) = (graph(api), graph(api));
        let (node, address) = allocation(api, child);
        let mut free = null_mut();
        must(api.cuGraphAddMemFreeNode(&mut free, child, &node, 1, address));
        sheet.put("copy", add(api, parent, child, 0).0);
        sheet.put("move", add(api, parent, child, 1).0);
        let mut exec = null_mut();
        sheet.put("instantiate", api.cuGraphInstantiateWithFlags(&mut exec, parent, 0));
        sheet.put("launch", api.cuGraphLaunch(exec, null_mut()));
        sheet.put("synchronize", api.cuCtxSynchronize());
    }),
    ("graph_move/remove_node", |api, sheet| {
        context(api);
        let (parent, child) = (graph(api), graph(api));
        let inner = empty(api, child, &[]);
        let (_, node) = add(api, parent, child, 1);
        sheet.put("destroy_node", api.cuGraphDestroyNode(node));
        let (mut count, mut kind) = (0, CUgraphNodeType(99));
        sheet.put("nodes_of_child", api.cuGraphGetNodes(child, null_mut(), &mut count));
        sheet.put("inner_type", api.cuGraphNodeGetType(inner, &mut kind));
    }),
    ("graph_move/set_params", |api, sheet| {
        context(api);
        let (parent, child, other) = (graph(api), graph(api), graph(api));
        empty(api, child, &[]);
        empty(api, other, &[]);
        let (_, node) = add(api, parent, child, 1);
        let exec = instantiate(api, parent);
        sheet.put("exec_child", api.cuGraphExecChildGraphNodeSetParams(exec, node, other));
        let mut params: CUgraphNodeParams = zeroed();
        params.type_ = CUgraphNodeType::CU_GRAPH_NODE_TYPE_GRAPH;
        params.__bindgen_anon_1.graph = CUDA_CHILD_GRAPH_NODE_PARAMS {
            graph: other,
            ownership: CUgraphChildGraphNodeOwnership_enum(0),
        };
        sheet.put("exec_node", api.cuGraphExecNodeSetParams(exec, node, &mut params));
        sheet.put("node", api.cuGraphNodeSetParams(node, &mut params));
        params.__bindgen_anon_1.graph.ownership = CUgraphChildGraphNodeOwnership_enum(1);
        sheet.put("exec_node_moved", api.cuGraphExecNodeSetParams(exec, node, &mut params));
    }),
    ("graph_move/captured", |api, sheet| {
        context(api);
        let (parent, stream) = (graph(api), stream(api));
        must(api.cuStreamBeginCapture_v2(stream, CUstreamCaptureMode(0)));
        let mut captured = null_mut();
        must(api.cuStreamEndCapture(stream, &mut captured));
        sheet.put("move", add(api, parent, captured, 1).0);
        sheet.put("destroy", api.cuGraphDestroy(captured));
    }),
];
