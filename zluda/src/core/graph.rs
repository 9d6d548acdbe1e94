//! Graphs of kernels.
//!
//! A graph's nodes stand in the order in which they were added, which is an order that keeps all
//! dependencies: a node can only depend on nodes that were there before. An executable graph is a copy of
//! them, and launching it puts them into a stream one after the other.

use crate::convert::FromC;
use crate::core::function::Function;
use crate::core::kind;
use crate::core::launch::{Params, Shape, launch};
use crate::core::stream::Target;
use cuda_types::cuda::{CUerror, CUgraph, CUgraphExec, CUgraphNode, CUres};
use parking_lot::Mutex;
use std::sync::{Arc, LazyLock};
use zluda_common::handle::HandleTable;

/// What a node does.
#[derive(Clone, Debug)]
pub(crate) enum Work {
    Nothing,
    Kernel(Box<Launch>),
}

#[derive(Clone, Debug)]
pub(crate) struct Launch {
    pub(crate) function: Arc<Function>,
    pub(crate) shape: Shape,
    /// Copied when the node was made.
    pub(crate) params: Params,
}

#[derive(Debug, Default)]
pub(crate) struct Graph {
    /// The nodes' handles, in the order in which they were added.
    nodes: Mutex<Vec<u64>>,
}

#[derive(Debug)]
pub(crate) struct Node {
    graph: u64,
    dependencies: Vec<u64>,
    pub(crate) work: Mutex<Work>,
}

#[derive(Debug)]
pub(crate) struct Exec {
    nodes: Mutex<Vec<(u64, Work)>>,
}

static GRAPHS: LazyLock<HandleTable<Graph>> = LazyLock::new(|| HandleTable::new(kind::GRAPH));
static NODES: LazyLock<HandleTable<Node>> = LazyLock::new(|| HandleTable::new(kind::GRAPH_NODE));
static EXECS: LazyLock<HandleTable<Exec>> = LazyLock::new(|| HandleTable::new(kind::GRAPH_EXEC));

impl FromC<CUgraphNode> for Arc<Node> {
    unsafe fn from_c(handle: CUgraphNode) -> CUres<Self> {
        NODES.get(handle as u64).ok_or(CUerror::INVALID_VALUE)
    }
}

impl FromC<CUgraphExec> for Arc<Exec> {
    unsafe fn from_c(handle: CUgraphExec) -> CUres<Self> {
        EXECS.get(handle as u64).ok_or(CUerror::INVALID_VALUE)
    }
}

fn graph(handle: CUgraph) -> CUres<Arc<Graph>> {
    GRAPHS.get(handle as u64).ok_or(CUerror::INVALID_VALUE)
}

/// The number of a graph's nodes.
pub(crate) fn size(handle: CUgraph) -> CUres<usize> {
    Ok(graph(handle)?.nodes.lock().len())
}

pub(crate) fn create() -> CUres<CUgraph> {
    Ok(GRAPHS.insert(Arc::default()).ok_or(CUerror::OUT_OF_MEMORY)? as CUgraph)
}

/// Ends a graph and its nodes. Executable graphs live on.
pub(crate) fn destroy(handle: CUgraph) -> CUres {
    let graph = GRAPHS.remove(handle as u64).ok_or(CUerror::INVALID_VALUE)?;
    for node in graph.nodes.lock().drain(..) {
        NODES.remove(node);
    }
    Ok(())
}

/// Adds a node; `INVALID_VALUE` for a dependency that is no node of this graph.
pub(crate) fn add(handle: CUgraph, dependencies: &[CUgraphNode], work: Work) -> CUres<CUgraphNode> {
    let graph = graph(handle)?;
    let dependencies: Vec<u64> = dependencies.iter().map(|node| *node as u64).collect();
    let mut nodes = graph.nodes.lock();
    if !dependencies.iter().all(|node| nodes.contains(node)) {
        return Err(CUerror::INVALID_VALUE);
    }
    let node = Node { graph: handle as u64, dependencies, work: Mutex::new(work) };
    let node = NODES.insert(Arc::new(node)).ok_or(CUerror::OUT_OF_MEMORY)?;
    nodes.push(node);
    Ok(node as CUgraphNode)
}

/// Removes a node and its edges.
pub(crate) fn destroy_node(handle: CUgraphNode) -> CUres {
    let node = NODES.remove(handle as u64).ok_or(CUerror::INVALID_VALUE)?;
    if let Some(graph) = GRAPHS.get(node.graph) {
        graph.nodes.lock().retain(|other| *other != handle as u64);
    }
    Ok(())
}

/// The nodes of a graph.
pub(crate) fn nodes(handle: CUgraph) -> CUres<Vec<(CUgraphNode, Arc<Node>)>> {
    let nodes = graph(handle)?.nodes.lock().clone();
    Ok(nodes.into_iter().filter_map(|node| Some((node as CUgraphNode, NODES.get(node)?))).collect())
}

pub(crate) fn instantiate(handle: CUgraph) -> CUres<CUgraphExec> {
    let copies = nodes(handle)?
        .into_iter()
        .map(|(node, state)| (node as u64, state.work.lock().clone()))
        .collect();
    let exec = Arc::new(Exec { nodes: Mutex::new(copies) });
    Ok(EXECS.insert(exec).ok_or(CUerror::OUT_OF_MEMORY)? as CUgraphExec)
}

pub(crate) fn destroy_exec(handle: CUgraphExec) -> CUres {
    EXECS.remove(handle as u64).map(drop).ok_or(CUerror::INVALID_VALUE)
}

impl Node {
    /// No node that is still there has to come before this one.
    pub(crate) fn is_root(&self) -> bool {
        self.dependencies.iter().all(|node| NODES.get(*node).is_none())
    }
}

impl Exec {
    /// Replaces what a kernel node does; `INVALID_VALUE` if it is no kernel node of this graph.
    pub(crate) fn set(&self, node: CUgraphNode, launch: Launch) -> CUres {
        let mut nodes = self.nodes.lock();
        let found = nodes.iter_mut().find(|(handle, _)| *handle == node as u64);
        match found {
            Some((_, Work::Kernel(kept))) => **kept = launch,
            _ => return Err(CUerror::INVALID_VALUE),
        }
        Ok(())
    }

    /// Puts all work into a stream.
    pub(crate) fn launch(&self, target: &Target) -> CUres {
        for (_, work) in self.nodes.lock().iter() {
            match work {
                Work::Nothing => {}
                Work::Kernel(kernel) => {
                    launch(target, &kernel.function, &kernel.shape, kernel.params.clone())?;
                }
            }
        }
        Ok(())
    }
}
