//! Graphs: work that a program puts together, or lets a stream record, and launches as one.
//!
//! | file | what |
//! |---|---|
//! | `mod.rs` | graphs, nodes and edges, their handles and clones |
//! | `work.rs` | what nodes do, and how it is put into a stream |
//! | `exec.rs` | executable graphs: launches |
//! | `plan.rs` | which nodes run side by side, and which a device gets at once |
//! | `update.rs` | other parameters for executable graphs |
//! | `deferred_copy.rs` | copies of the program's own memory, when their turn comes |
//! | `conditional.rs` | nodes whose graphs run by a value that kernels set |
//! | `device_node.rs` | nodes that kernels change |
//! | `environment.rs` | launches of graphs by kernels |
//! | `user_object.rs` | objects that live as long as a graph |
//! | `dot.rs` | graphs as text |
//!
//! Graphs are the driver's own: whatever the provider, it sees streams only.

pub(crate) mod batch;
pub(crate) mod conditional;
pub(crate) mod deferred_copy;
pub(crate) mod device_node;
pub(crate) mod dot;
pub(crate) mod environment;
pub(crate) mod exec;
mod plan;
pub(crate) mod update;
pub(crate) mod user_object;
pub(crate) mod work;

use crate::convert::FromC;
use conditional::Condition;
use cuda_types::cuda::{
    CUerror, CUgraph, CUgraphEdgeData, CUgraphNode, CUgraphNodeType as T, CUres,
};
use device_node::DeviceNode;
use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, OnceLock, Weak};
use user_object::UserObject;
use work::Work;
use zluda_common::handle::{HandleTable, Kind};

#[derive(Debug)]
pub(crate) struct Graph {
    handle: OnceLock<u64>,
    /// A number that no other graph of the process has had.
    pub(crate) number: u64,
    pub(crate) owner: Owner,
    /// It was the program's until it was moved to be a node's.
    is_moved: AtomicBool,
    /// The graph of the node whose graph it is, where that has handles.
    parent: OnceLock<Weak<Graph>>,
    pub(crate) topology: Mutex<Topology>,
    /// It belongs to a capture that goes on.
    is_captured_to: AtomicBool,
    /// "Graphs that contain memory nodes can have one executable graph": there is one.
    has_exec: AtomicBool,
    /// There has been one.
    had_exec: AtomicBool,
    pub(crate) user_objects: Mutex<Vec<(Arc<UserObject>, u32)>>,
    conditions: Mutex<Vec<Arc<Condition>>>,
    /// The numbers of the graphs around that of a conditional node.
    around: Vec<u64>,
}

/// The owner of a graph, who ends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    Program,
    /// A node, whose graph it is.
    Node,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Topology {
    /// By the nodes' numbers: in the order in which they were added.
    pub(crate) nodes: BTreeMap<u64, Links>,
}

#[derive(Clone, Debug)]
pub(crate) struct Links {
    pub(crate) node: Arc<Node>,
    /// In the order in which they were added, as the edges after it.
    pub(crate) before: Vec<Edge>,
    pub(crate) after: Vec<Edge>,
}

/// A node's neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Edge {
    /// The neighbour's number.
    pub(crate) node: u64,
    pub(crate) data: EdgeData,
}

/// `CUgraphEdgeData`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct EdgeData {
    pub(crate) from_port: u8,
    pub(crate) to_port: u8,
    pub(crate) kind: u8,
}

#[derive(Debug)]
pub(crate) struct Node {
    /// A number that no other node of the process has had.
    pub(crate) id: u64,
    /// The number of the node that it was cloned from, or 0.
    pub(crate) origin: u64,
    handle: OnceLock<u64>,
    /// The number of the graph's handle, for nodes that have handles.
    graph: OnceLock<Weak<Graph>>,
    pub(crate) work: Mutex<Work>,
    /// Nodes of executable graphs may be switched off.
    pub(crate) is_enabled: AtomicBool,
    /// The handle that kernels change it by, for nodes of graphs.
    device_node: OnceLock<DeviceNode>,
    /// Kernels change it, for nodes of executable graphs: a launch looks at it when what comes before has ended.
    is_awaited: AtomicBool,
}

static GRAPHS: LazyLock<HandleTable<Graph>> = LazyLock::new(|| HandleTable::new(Kind::GRAPH));
/// From the question whether a graph holds another until it is in that one: two that were moved into each other at once would
/// have no end. And from the question whether a graph can be destroyed until its handle has gone.
static MOVES: Mutex<()> = Mutex::new(());
static NODES: LazyLock<HandleTable<Node>> = LazyLock::new(|| HandleTable::new(Kind::GRAPH_NODE));

/// Graphs in graphs at most. What is done with graphs goes down into those of their nodes on the caller's stack; no program is
/// known that has more than a few levels.
const MOST_LEVELS: usize = 128;

impl FromC<CUgraphNode> for Arc<Node> {
    unsafe fn from_c(handle: CUgraphNode) -> CUres<Self> {
        node(handle)
    }
}

impl FromC<CUgraph> for Arc<Graph> {
    unsafe fn from_c(handle: CUgraph) -> CUres<Self> {
        GRAPHS.get(handle as u64).ok_or(CUerror::INVALID_VALUE)
    }
}

/// The node with this handle; `INVALID_VALUE` if there is none.
pub(crate) fn node(handle: CUgraphNode) -> CUres<Arc<Node>> {
    NODES.get(handle as u64).ok_or(CUerror::INVALID_VALUE)
}

impl EdgeData {
    /// The data of an edge, unchecked.
    pub(crate) fn of(given: &CUgraphEdgeData) -> EdgeData {
        EdgeData { from_port: given.from_port, to_port: given.to_port, kind: given.type_ }
    }

    /// `INVALID_VALUE` for ports and types that nodes of these kinds do not have.
    pub(crate) fn check(given: &CUgraphEdgeData, from: T, to: T) -> CUres<EdgeData> {
        let data = EdgeData::of(given);
        let is_kernel = |kind: T| kind == T::CU_GRAPH_NODE_TYPE_KERNEL;
        let fits = match data {
            // CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC and CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER
            EdgeData { from_port: 0, to_port: 0, kind: 0 } => true,
            // What comes after a trigger is a kernel, by an edge that says so.
            EdgeData { from_port: 2, to_port: 0, kind: 0 } => is_kernel(from),
            EdgeData { from_port: 1 | 2, to_port: 0, kind: 1 } => is_kernel(from) && is_kernel(to),
            _ => false,
        };
        // "reserved: These bytes are unused and must be zeroed."
        if fits && given.reserved == [0; 5] { Ok(data) } else { Err(CUerror::INVALID_VALUE) }
    }

    /// The data as CUDA has it.
    pub(crate) fn to_cuda(self) -> CUgraphEdgeData {
        CUgraphEdgeData {
            from_port: self.from_port,
            to_port: self.to_port,
            type_: self.kind,
            reserved: [0; 5],
        }
    }
}

impl Node {
    fn new(work: Work, origin: u64) -> Node {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Node {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            origin,
            handle: OnceLock::new(),
            graph: OnceLock::new(),
            work: Mutex::new(work),
            is_enabled: AtomicBool::new(true),
            device_node: OnceLock::new(),
            is_awaited: AtomicBool::new(false),
        }
    }

    /// Null for nodes of executable graphs, which have no handles of their own.
    pub(crate) fn handle(&self) -> CUgraphNode {
        self.handle.get().copied().unwrap_or(0) as CUgraphNode
    }

    /// The kind of the node.
    pub(crate) fn kind(&self) -> T {
        self.work.lock().kind()
    }

    /// The graph that it is a node of.
    pub(crate) fn graph(&self) -> CUres<Arc<Graph>> {
        self.graph.get().and_then(Weak::upgrade).ok_or(CUerror::INVALID_VALUE)
    }

    /// Gives a node another child graph, which becomes known by handles of its own.
    pub(crate) fn replace_child(&self, child: Arc<Graph>) -> CUres {
        let graph = self.graph()?;
        graph.check_levels(std::slice::from_ref(&child))?;
        child.expose()?;
        let _ = child.parent.set(Arc::downgrade(&graph));
        let before = std::mem::replace(&mut *self.work.lock(), Work::Child(child));
        if let Work::Child(old) = before {
            old.end_handles();
        }
        Ok(())
    }

    fn end_handle(&self) {
        if let Some(handle) = self.handle.get() {
            NODES.remove(*handle);
        }
        let children = self.work.lock().graphs();
        children.iter().for_each(|child| child.end_handles());
    }
}

impl Graph {
    fn new(owner: Owner) -> Graph {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Graph {
            handle: OnceLock::new(),
            number: NEXT.fetch_add(1, Ordering::Relaxed),
            owner,
            is_moved: AtomicBool::new(false),
            parent: OnceLock::new(),
            topology: Mutex::default(),
            is_captured_to: AtomicBool::new(false),
            has_exec: AtomicBool::new(false),
            had_exec: AtomicBool::new(false),
            user_objects: Mutex::default(),
            conditions: Mutex::default(),
            around: Vec::new(),
        }
    }

    /// An empty graph with a handle.
    pub(crate) fn create(owner: Owner) -> CUres<Arc<Graph>> {
        let graph = Arc::new(Graph::new(owner));
        graph.expose()?;
        Ok(graph)
    }

    /// Gives handles to a graph, its nodes, and theirs.
    fn expose(self: &Arc<Self>) -> CUres {
        let handle = GRAPHS.insert(self.clone()).ok_or(CUerror::OUT_OF_MEMORY)?;
        let _ = self.handle.set(handle);
        let nodes = self.nodes();
        nodes.iter().try_for_each(|node| self.expose_node(node))
    }

    fn expose_node(self: &Arc<Self>, node: &Arc<Node>) -> CUres {
        let _ = node.graph.set(Arc::downgrade(self));
        let handle = NODES.insert(node.clone()).ok_or(CUerror::OUT_OF_MEMORY)?;
        let _ = node.handle.set(handle);
        let children = node.work.lock().graphs();
        for child in &children {
            let _ = child.parent.set(Arc::downgrade(self));
        }
        children.iter().filter(|child| child.handle.get().is_none()).try_for_each(Self::expose)
    }

    /// `NOT_SUPPORTED` where graphs of a new node would be in too many others.
    fn check_levels(&self, children: &[Arc<Graph>]) -> CUres {
        let Some(below) = children.iter().map(|child| child.levels_below()).max() else {
            return Ok(());
        };
        if self.levels_above() + 1 + below <= MOST_LEVELS {
            return Ok(());
        }
        tracing::warn!("unsupported: graphs in graphs, in more than {MOST_LEVELS} levels");
        Err(CUerror::NOT_SUPPORTED)
    }

    /// The number of graphs that this one is in.
    fn levels_above(&self) -> usize {
        let parent = |graph: &Graph| graph.parent.get().and_then(Weak::upgrade);
        std::iter::successors(parent(self), |graph| parent(graph)).count()
    }

    /// The number of levels of graphs in this one, its own among them.
    fn levels_below(&self) -> usize {
        let graphs = |node: &Arc<Node>| node.work.lock().graphs();
        let children = self.nodes().iter().flat_map(graphs).map(|child| child.levels_below()).max();
        1 + children.unwrap_or(0)
    }

    /// The program's handle; null for graphs that have none.
    pub(crate) fn handle(&self) -> CUgraph {
        self.handle.get().copied().unwrap_or(0) as CUgraph
    }

    /// The nodes, in the order in which they were added.
    pub(crate) fn nodes(&self) -> Vec<Arc<Node>> {
        self.topology.lock().nodes.values().map(|links| links.node.clone()).collect()
    }

    /// The number of nodes.
    pub(crate) fn size(&self) -> usize {
        self.topology.lock().nodes.len()
    }

    /// Ends a graph of the program: its handle and those of its nodes. Executable graphs live on.
    pub(crate) fn destroy(&self) -> CUres {
        {
            // Another thread may destroy it, or move it into another graph.
            let _moves = MOVES.lock();
            if self.owner != Owner::Program || self.is_moved() {
                return Err(CUerror::INVALID_VALUE);
            }
            // An H100 says so of a graph that a capture goes on with.
            if self.is_captured_to.load(Ordering::Acquire) {
                return Err(CUerror::ILLEGAL_STATE);
            }
            GRAPHS.remove(self.handle() as u64).ok_or(CUerror::INVALID_VALUE)?;
        }
        self.end_handles();
        Ok(())
    }

    fn end_handles(&self) {
        GRAPHS.remove(self.handle() as u64);
        for node in self.nodes() {
            node.end_handle();
        }
        self.user_objects.lock().clear();
    }

    /// Whether a node's ownership was moved to it.
    pub(crate) fn is_moved(&self) -> bool {
        self.is_moved.load(Ordering::Acquire)
    }

    /// Makes a graph of the program that of a node of `other`, with its handles, until that is not added after all.
    /// `NOT_SUPPORTED` for one that is a node's already; `INVALID_VALUE` for one that holds `other`, which would have no end.
    /// The caller holds [`MOVES`].
    fn move_into(&self, other: &Graph) -> CUres {
        let is_gone = GRAPHS.get(self.handle() as u64).is_none();
        if is_gone || self.holds(other) {
            return Err(CUerror::INVALID_VALUE);
        }
        if self.owner != Owner::Program || self.is_moved.swap(true, Ordering::AcqRel) {
            return Err(CUerror::NOT_SUPPORTED);
        }
        Ok(())
    }

    /// Whether a graph is this one, or that of a node in it.
    fn holds(&self, other: &Graph) -> bool {
        let graphs = |node: &Arc<Node>| node.work.lock().graphs();
        self.number == other.number
            || self.nodes().iter().flat_map(graphs).any(|graph| graph.holds(other))
    }

    /// Marks the graph as that of a capture, or lets it go again.
    pub(crate) fn set_captured_to(&self, captured: bool) {
        self.is_captured_to.store(captured, Ordering::Release);
    }

    /// Adds a node after some others of the graph. `INVALID_VALUE` for a node that is none of this graph, or named
    /// twice. A child graph that has a handle already is moved into this one, or stays the program's where that fails; the others
    /// are copies for the node.
    pub(crate) fn add(self: &Arc<Self>, before: &[Edge], work: Work) -> CUres<Arc<Node>> {
        let moved = match &work {
            Work::Child(child) if child.handle.get().is_some() => child.clone(),
            _ => return self.add_owned(before, work),
        };
        let _moves = MOVES.lock();
        moved.move_into(self)?;
        let added = self.add_owned(before, work);
        if added.is_err() {
            moved.is_moved.store(false, Ordering::Release);
        }
        added
    }

    fn add_owned(self: &Arc<Self>, before: &[Edge], work: Work) -> CUres<Arc<Node>> {
        self.check_levels(&work.graphs())?;
        let node = Arc::new(Node::new(work, 0));
        {
            let mut topology = self.topology.lock();
            let mut seen = BTreeSet::new();
            if !before.iter().all(|edge| seen.insert(edge.node) && topology.has(edge.node)) {
                return Err(CUerror::INVALID_VALUE);
            }
            topology.insert(node.clone());
            for edge in before {
                topology.link(edge.node, node.id, edge.data)?;
            }
        }
        self.expose_node(&node)?;
        Ok(node)
    }

    /// Removes a node and its edges. `NOT_SUPPORTED` where memory is allocated or freed, and for nodes that kernels change.
    pub(crate) fn remove(&self, node: &Node) -> CUres {
        self.check_may_change()?;
        // "Device-updatable nodes cannot be removed from their graph via cuGraphDestroyNode."
        if node.is_updatable() {
            return Err(CUerror::NOT_SUPPORTED);
        }
        let mut topology = self.topology.lock();
        let links = topology.nodes.remove(&node.id).ok_or(CUerror::INVALID_VALUE)?;
        for edge in &links.before {
            topology.change(edge.node, |other| other.after.retain(|edge| edge.node != node.id));
        }
        for edge in &links.after {
            topology.change(edge.node, |other| other.before.retain(|edge| edge.node != node.id));
        }
        drop(topology);
        node.end_handle();
        Ok(())
    }

    /// "Nodes and edges cannot be removed from graphs that contain memory nodes", and such graphs are not cloned.
    fn check_may_change(&self) -> CUres {
        if self.has_memory() { Err(CUerror::NOT_SUPPORTED) } else { Ok(()) }
    }

    /// It has nodes of memory, and has been instantiated.
    pub(crate) fn had_exec(&self) -> bool {
        self.had_exec.load(Ordering::Acquire)
    }

    /// Memory is allocated or freed here.
    pub(crate) fn has_memory(&self) -> bool {
        self.nodes().iter().any(|node| {
            let (is_memory, children) = {
                let work = node.work.lock();
                (matches!(&*work, Work::Allocate(_) | Work::Free(_)), work.graphs())
            };
            is_memory || children.iter().any(|child| child.has_memory())
        })
    }

    /// Adds an edge. `INVALID_VALUE` if there is one already; cycles are found when the graph is instantiated.
    pub(crate) fn connect(&self, from: u64, to: u64, data: EdgeData) -> CUres {
        self.topology.lock().link(from, to, data)
    }

    /// Removes an edge; `INVALID_VALUE` if there is none, or none with these data.
    pub(crate) fn disconnect(&self, from: u64, to: u64, data: Option<EdgeData>) -> CUres {
        self.check_may_change()?;
        let mut topology = self.topology.lock();
        let is_it = |edge: &Edge| edge.node == to && data.is_none_or(|data| edge.data == data);
        if !topology.nodes.get(&from).is_some_and(|links| links.after.iter().any(is_it)) {
            return Err(CUerror::INVALID_VALUE);
        }
        topology.change(from, |links| links.after.retain(|edge| edge.node != to));
        topology.change(to, |links| links.before.retain(|edge| edge.node != from));
        Ok(())
    }

    /// All edges, by their first nodes.
    pub(crate) fn edges(&self) -> Vec<(CUgraphNode, CUgraphNode, EdgeData)> {
        let topology = self.topology.lock();
        let handle = |id: u64| topology.nodes.get(&id).map(|links| links.node.handle());
        let mut edges = Vec::new();
        for links in topology.nodes.values() {
            for edge in &links.after {
                if let Some(to) = handle(edge.node) {
                    edges.push((links.node.handle(), to, edge.data));
                }
            }
        }
        edges
    }

    /// The nodes before or after one, with the edges' data.
    pub(crate) fn neighbours(&self, node: &Node, after: bool) -> Vec<(CUgraphNode, EdgeData)> {
        let topology = self.topology.lock();
        let Some(links) = topology.nodes.get(&node.id) else { return Vec::new() };
        let edges = if after { &links.after } else { &links.before };
        edges
            .iter()
            .filter_map(|edge| Some((topology.nodes.get(&edge.node)?.node.handle(), edge.data)))
            .collect()
    }

    /// The numbers of the nodes before one, and whether none comes after it.
    fn before_and_whether_last(&self, node: &Node) -> (Vec<u64>, bool) {
        let topology = self.topology.lock();
        let Some(links) = topology.nodes.get(&node.id) else { return (Vec::new(), true) };
        (links.before.iter().map(|edge| edge.node).collect(), links.after.is_empty())
    }

    /// Whether conditions of this graph are without a node.
    pub(crate) fn has_unused_conditions(&self) -> bool {
        self.conditions.lock().iter().any(|condition| !condition.is_used())
    }

    /// A copy, which knows what it was made from. `NOT_SUPPORTED` for graphs that allocate memory or have conditions, and
    /// of those that were moved for another node.
    pub(crate) fn clone_for(&self, owner: Owner) -> CUres<Arc<Graph>> {
        self.check_may_change()?;
        if owner == Owner::Node && self.is_moved() {
            return Err(CUerror::NOT_SUPPORTED);
        }
        if !self.conditions.lock().is_empty() {
            return Err(CUerror::NOT_SUPPORTED);
        }
        self.copy(owner, None)
    }

    /// A copy without handles; what nodes come from is entered in `index`.
    fn copy(
        &self,
        owner: Owner,
        mut index: Option<&mut HashMap<u64, Arc<Node>>>,
    ) -> CUres<Arc<Graph>> {
        let graph = Graph::new(owner);
        graph.user_objects.lock().extend(self.user_objects.lock().iter().cloned());
        // Nothing is locked on the way into the graphs of nodes.
        let topology = self.topology.lock().clone();
        let (mut copies, mut numbers) = (Topology::default(), HashMap::new());
        for (id, links) in &topology.nodes {
            let mut work = links.node.work.lock().shallow();
            work.replace_graphs(|child| child.copy(Owner::Node, index.as_deref_mut()))?;
            let node = Arc::new(Node::new(work, *id));
            numbers.insert(*id, node.id);
            if let Some(index) = index.as_deref_mut() {
                index.insert(*id, node.clone());
            }
            copies.insert(node);
        }
        for (id, links) in &topology.nodes {
            let renumber = |edge: &Edge| {
                numbers.get(&edge.node).map(|node| Edge { node: *node, data: edge.data })
            };
            let Some(copy) = numbers.get(id) else { continue };
            let before = links.before.iter().filter_map(renumber).collect();
            let after = links.after.iter().filter_map(renumber).collect();
            copies.change(*copy, |links| (links.before, links.after) = (before, after));
        }
        *graph.topology.lock() = copies;
        Ok(Arc::new(graph))
    }

    /// A clone with handles. `NOT_SUPPORTED` where kernels may change nodes, too.
    pub(crate) fn duplicate(&self) -> CUres<Arc<Graph>> {
        // As an H100 answers; the graph of a node is a copy without it.
        if !self.updatable_nodes().is_empty() {
            return Err(CUerror::NOT_SUPPORTED);
        }
        let clone = self.clone_for(Owner::Program)?;
        clone.expose()?;
        Ok(clone)
    }

    /// The node that was made from another when this graph was cloned.
    pub(crate) fn find_in_clone(&self, original: &Node) -> Option<Arc<Node>> {
        self.nodes().into_iter().find(|node| node.origin == original.id)
    }

    /// The nodes in an order that keeps all edges, and otherwise that in which they were added; a node of a cycle
    /// if there is one.
    pub(crate) fn order(&self) -> Result<Vec<Arc<Node>>, Arc<Node>> {
        let topology = self.topology.lock();
        let mut waits: HashMap<u64, usize> =
            topology.nodes.iter().map(|(id, links)| (*id, links.before.len())).collect();
        let mut ready: BTreeSet<u64> =
            waits.iter().filter(|(_, count)| **count == 0).map(|(id, _)| *id).collect();
        let mut order = Vec::with_capacity(topology.nodes.len());
        while let Some(id) = ready.pop_first() {
            let Some(links) = topology.nodes.get(&id) else { continue };
            order.push(links.node.clone());
            waits.remove(&id);
            for edge in &links.after {
                if let Some(count) = waits.get_mut(&edge.node) {
                    *count -= 1;
                    if *count == 0 {
                        ready.insert(edge.node);
                    }
                }
            }
        }
        let left = waits.keys().min().and_then(|id| topology.nodes.get(id));
        left.map_or(Ok(order), |links| Err(links.node.clone()))
    }

    /// The numbers of all nodes that come before some others, these among them.
    pub(crate) fn before(&self, last: impl IntoIterator<Item = u64>) -> BTreeSet<u64> {
        let topology = self.topology.lock();
        let mut found = BTreeSet::new();
        let mut open: Vec<u64> = last.into_iter().collect();
        while let Some(id) = open.pop() {
            if found.insert(id)
                && let Some(links) = topology.nodes.get(&id)
            {
                open.extend(links.before.iter().map(|edge| edge.node));
            }
        }
        found
    }
}

impl Topology {
    /// Whether a node of this number is there.
    pub(crate) fn has(&self, node: u64) -> bool {
        self.nodes.contains_key(&node)
    }

    fn insert(&mut self, node: Arc<Node>) {
        self.nodes.insert(node.id, Links { node, before: Vec::new(), after: Vec::new() });
    }

    fn change(&mut self, node: u64, change: impl FnOnce(&mut Links)) {
        if let Some(links) = self.nodes.get_mut(&node) {
            change(links);
        }
    }

    fn link(&mut self, from: u64, to: u64, data: EdgeData) -> CUres {
        let is_new = self
            .nodes
            .get(&from)
            .is_some_and(|links| links.after.iter().all(|edge| edge.node != to));
        if from == to || !is_new || !self.has(to) {
            return Err(CUerror::INVALID_VALUE);
        }
        self.change(from, |links| links.after.push(Edge { node: to, data }));
        self.change(to, |links| links.before.push(Edge { node: from, data }));
        Ok(())
    }
}
