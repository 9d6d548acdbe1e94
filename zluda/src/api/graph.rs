//! Graphs: their nodes, edges and clones.

use crate::convert::{In, Out, Text};
use crate::core::graph::user_object::{self, Handle};
use crate::core::graph::{self, Edge, EdgeData, Graph, Node, Owner, dot};
use cuda_types::cuda::{
    CUerror, CUgraph, CUgraphEdgeData, CUgraphNode, CUgraphNodeType, CUhostFn, CUres, CUuserObject,
};
use std::ffi::{c_int, c_uint, c_void};
use std::sync::Arc;
use zluda_common::c_path::path_of_c;

pub(crate) fn cuGraphCreate(graph: Out<CUgraph>, flags: c_uint) -> CUres {
    graph.check()?;
    // "Graph creation flags, must be 0"
    if flags != 0 {
        return Err(CUerror::INVALID_VALUE);
    }
    graph.set(Graph::create(Owner::Program)?.handle())
}

pub(crate) fn cuGraphDestroy(graph: Arc<Graph>) -> CUres {
    user_object::end_here(move || graph.destroy())
}

pub(crate) fn cuGraphClone(clone: Out<CUgraph>, graph: Arc<Graph>) -> CUres {
    clone.check()?;
    clone.set(graph.duplicate()?.handle())
}

pub(crate) fn cuGraphNodeFindInClone(
    node: Out<CUgraphNode>,
    original: Arc<Node>,
    clone: Arc<Graph>,
) -> CUres {
    node.check()?;
    node.set(clone.find_in_clone(&original).ok_or(CUerror::INVALID_VALUE)?.handle())
}

pub(crate) fn cuGraphDestroyNode(node: Arc<Node>) -> CUres {
    user_object::end_here(move || node.graph()?.remove(&node))
}

pub(crate) fn cuGraphNodeGetType(node: Arc<Node>, kind: Out<CUgraphNodeType>) -> CUres {
    kind.set(node.kind())
}

/// Nodes that a new one comes after, as edges.
pub(crate) fn before(
    graph: &Graph,
    nodes: In<CUgraphNode>,
    data: In<CUgraphEdgeData>,
    count: usize,
) -> CUres<Vec<(Arc<Node>, CUgraphEdgeData)>> {
    let nodes = nodes.array(count, graph.size())?;
    let data = optional_array(data, count)?;
    nodes
        .into_iter()
        .zip(data)
        .map(|(handle, data)| {
            let node = graph::node(handle)?;
            let is_of_graph = graph.topology.lock().has(node.id);
            if is_of_graph { Ok((node, data)) } else { Err(CUerror::INVALID_VALUE) }
        })
        .collect()
}

/// Data of edges; null means the default for all.
fn optional_array(data: In<CUgraphEdgeData>, count: usize) -> CUres<Vec<CUgraphEdgeData>> {
    match data.optional() {
        Some(_) => data.array(count, usize::MAX),
        None => Ok(vec![EdgeData::default().to_cuda(); count]),
    }
}

/// The edges to a new node of this kind.
pub(crate) fn edges_before(
    before: &[(Arc<Node>, CUgraphEdgeData)],
    kind: CUgraphNodeType,
) -> CUres<Vec<Edge>> {
    let edge = |(from, data): &(Arc<Node>, CUgraphEdgeData)| {
        Ok(Edge { node: from.id, data: EdgeData::check(data, from.kind(), kind)? })
    };
    before.iter().map(edge).collect()
}

/// The ends of edges that a program names, and their data.
type Ends = Vec<(Arc<Node>, Arc<Node>, CUgraphEdgeData)>;

fn ends(
    from: In<CUgraphNode>,
    to: In<CUgraphNode>,
    data: In<CUgraphEdgeData>,
    count: usize,
) -> CUres<Ends> {
    // There are not so many nodes that a program could connect more of them.
    const MOST: usize = 1 << 32;
    let (from, to) = (from.array(count, MOST)?, to.array(count, MOST)?);
    let nodes = from.into_iter().zip(to).zip(optional_array(data, count)?);
    nodes.map(|((from, to), data)| Ok((graph::node(from)?, graph::node(to)?, data))).collect()
}

pub(crate) fn cuGraphAddDependencies(
    graph: Arc<Graph>,
    from: In<CUgraphNode>,
    to: In<CUgraphNode>,
    count: usize,
) -> CUres {
    cuGraphAddDependencies_v2(graph, from, to, In::none(), count)
}

pub(crate) fn cuGraphAddDependencies_v2(
    graph: Arc<Graph>,
    from: In<CUgraphNode>,
    to: In<CUgraphNode>,
    data: In<CUgraphEdgeData>,
    count: usize,
) -> CUres {
    for (from, to, data) in ends(from, to, data, count)? {
        graph.connect(from.id, to.id, EdgeData::check(&data, from.kind(), to.kind())?)?;
    }
    Ok(())
}

pub(crate) fn cuGraphRemoveDependencies(
    graph: Arc<Graph>,
    from: In<CUgraphNode>,
    to: In<CUgraphNode>,
    count: usize,
) -> CUres {
    cuGraphRemoveDependencies_v2(graph, from, to, In::none(), count)
}

pub(crate) fn cuGraphRemoveDependencies_v2(
    graph: Arc<Graph>,
    from: In<CUgraphNode>,
    to: In<CUgraphNode>,
    data: In<CUgraphEdgeData>,
    count: usize,
) -> CUres {
    // Without data, whatever they are.
    let matters = data.optional().is_some();
    for (from, to, data) in ends(from, to, data, count)? {
        graph.disconnect(from.id, to.id, matters.then(|| EdgeData::of(&data)))?;
    }
    Ok(())
}

/// A count that says how much room there is, and is told how much there was.
fn count_of(count: *mut usize) -> (In<usize>, Out<usize>) {
    (In::of(count), Out::of(count))
}

/// Stores as many of all as there is room for, and null in the rest.
fn fill<T>(all: Vec<T>, to: Out<T>, room: usize, rest: impl Fn() -> T) {
    // "If higher than the actual number, the remaining entries will be set to NULL"
    let rest = (all.len().min(room)..room).map(|_| rest());
    to.set_all(all.into_iter().take(room).chain(rest), room);
}

/// `INVALID_VALUE` where a program leaves no room; the room for nodes otherwise, which is bounded, as a wrong count
/// may be anything.
fn room(room: &In<usize>, most: usize) -> CUres<usize> {
    match room.get()? {
        0 => Err(CUerror::INVALID_VALUE),
        wanted if wanted > most.saturating_add(1 << 20) => Err(CUerror::INVALID_VALUE),
        wanted => Ok(wanted),
    }
}

fn list(all: Vec<CUgraphNode>, nodes: Out<CUgraphNode>, count: *mut usize) -> CUres {
    let (wanted, count) = count_of(count);
    // "nodes may be NULL, in which case this function will return the number of nodes in numNodes."
    if nodes.is_null() {
        return count.set(all.len());
    }
    let (length, room) = (all.len(), room(&wanted, all.len())?);
    fill(all, nodes, room, std::ptr::null_mut);
    count.set(length.min(room))
}

pub(crate) fn cuGraphGetNodes(
    graph: Arc<Graph>,
    nodes: Out<CUgraphNode>,
    count: *mut usize,
) -> CUres {
    list(graph.nodes().iter().map(|node| node.handle()).collect(), nodes, count)
}

pub(crate) fn cuGraphGetRootNodes(
    graph: Arc<Graph>,
    nodes: Out<CUgraphNode>,
    count: *mut usize,
) -> CUres {
    let topology = graph.topology.lock();
    let roots = topology.nodes.values().filter(|links| links.before.is_empty());
    list(roots.map(|links| links.node.handle()).collect(), nodes, count)
}

pub(crate) fn cuGraphGetEdges(
    graph: Arc<Graph>,
    from: Out<CUgraphNode>,
    to: Out<CUgraphNode>,
    count: *mut usize,
) -> CUres {
    cuGraphGetEdges_v2(graph, from, to, Out::of(std::ptr::null_mut()), count)
}

pub(crate) fn cuGraphGetEdges_v2(
    graph: Arc<Graph>,
    from: Out<CUgraphNode>,
    to: Out<CUgraphNode>,
    data: Out<CUgraphEdgeData>,
    count: *mut usize,
) -> CUres {
    let edges = graph.edges();
    let (wanted, count) = count_of(count);
    if from.is_null() && to.is_null() && data.is_null() {
        return count.set(edges.len());
    }
    from.check()?;
    to.check()?;
    let room = room(&wanted, edges.len())?;
    check_lossless(edges.iter().map(|(_, _, data)| data), data)?;
    fill(edges.iter().map(|(from, _, _)| *from).collect(), from, room, std::ptr::null_mut);
    fill(edges.iter().map(|(_, to, _)| *to).collect(), to, room, std::ptr::null_mut);
    if !data.is_null() {
        let default = || EdgeData::default().to_cuda();
        fill(edges.iter().map(|(_, _, data)| data.to_cuda()).collect(), data, room, default);
    }
    count.set(edges.len().min(room))
}

/// "If an edge has non-zero (non-default) edge data and edgeData is NULL, this API will return
/// CUDA_ERROR_LOSSY_QUERY."
fn check_lossless<'a>(
    mut all: impl Iterator<Item = &'a EdgeData>,
    data: Out<CUgraphEdgeData>,
) -> CUres {
    match data.is_null() && all.any(|data| *data != EdgeData::default()) {
        true => Err(CUerror::LOSSY_QUERY),
        false => Ok(()),
    }
}

fn neighbours(
    node: &Node,
    after: bool,
    nodes: Out<CUgraphNode>,
    data: Out<CUgraphEdgeData>,
    count: *mut usize,
) -> CUres {
    let all = node.graph()?.neighbours(node, after);
    let (wanted, length) = count_of(count);
    if nodes.is_null() {
        return length.set(all.len());
    }
    let room = room(&wanted, all.len())?;
    check_lossless(all.iter().map(|(_, data)| data), data)?;
    if !data.is_null() {
        let default = || EdgeData::default().to_cuda();
        fill(all.iter().map(|(_, data)| data.to_cuda()).collect(), data, room, default);
    }
    list(all.into_iter().map(|(node, _)| node).collect(), nodes, count)
}

pub(crate) fn cuGraphNodeGetDependencies(
    node: Arc<Node>,
    nodes: Out<CUgraphNode>,
    count: *mut usize,
) -> CUres {
    neighbours(&node, false, nodes, Out::of(std::ptr::null_mut()), count)
}

pub(crate) fn cuGraphNodeGetDependencies_v2(
    node: Arc<Node>,
    nodes: Out<CUgraphNode>,
    data: Out<CUgraphEdgeData>,
    count: *mut usize,
) -> CUres {
    neighbours(&node, false, nodes, data, count)
}

pub(crate) fn cuGraphNodeGetDependentNodes(
    node: Arc<Node>,
    nodes: Out<CUgraphNode>,
    count: *mut usize,
) -> CUres {
    neighbours(&node, true, nodes, Out::of(std::ptr::null_mut()), count)
}

pub(crate) fn cuGraphNodeGetDependentNodes_v2(
    node: Arc<Node>,
    nodes: Out<CUgraphNode>,
    data: Out<CUgraphEdgeData>,
    count: *mut usize,
) -> CUres {
    neighbours(&node, true, nodes, data, count)
}

pub(crate) fn cuGraphDebugDotPrint(graph: Arc<Graph>, path: Text<'_>, flags: c_uint) -> CUres {
    let path = path.get()?;
    let text = dot::print(&graph, flags);
    let path = path_of_c(path);
    std::fs::write(&path, text).map_err(|error| {
        tracing::warn!("{}: {error}", path.display());
        CUerror::OPERATING_SYSTEM
    })
}

pub(crate) fn cuUserObjectCreate(
    object: Out<CUuserObject>,
    data: *mut c_void,
    destroy: CUhostFn,
    references: c_uint,
    flags: c_uint,
) -> CUres {
    object.check()?;
    let destroy = destroy.ok_or(CUerror::INVALID_VALUE)?;
    // "CU_USER_OBJECT_NO_DESTRUCTOR_SYNC [...] this flag is required."
    if flags != 1 || references == 0 {
        return Err(CUerror::INVALID_VALUE);
    }
    object.set(user_object::create(destroy, data, references)?)
}

/// "Must be nonzero and not larger than INT_MAX."
fn check_count(count: c_uint) -> CUres {
    match c_int::try_from(count) {
        Ok(1..) => Ok(()),
        _ => Err(CUerror::INVALID_VALUE),
    }
}

pub(crate) fn cuUserObjectRetain(object: Arc<Handle>, count: c_uint) -> CUres {
    check_count(count)?;
    object.retain(count)
}

pub(crate) fn cuUserObjectRelease(object: Arc<Handle>, count: c_uint) -> CUres {
    check_count(count)?;
    user_object::end_here(|| object.release(count))
}

pub(crate) fn cuGraphRetainUserObject(
    graph: Arc<Graph>,
    object: Arc<Handle>,
    count: c_uint,
    flags: c_uint,
) -> CUres {
    check_count(count)?;
    // CU_GRAPH_USER_OBJECT_MOVE
    if flags > 1 {
        return Err(CUerror::INVALID_VALUE);
    }
    object.retain_by(&graph, count, flags == 1)
}

pub(crate) fn cuGraphReleaseUserObject(
    graph: Arc<Graph>,
    object: Arc<Handle>,
    count: c_uint,
) -> CUres {
    check_count(count)?;
    user_object::end_here(|| object.release_by(&graph, count))
}
