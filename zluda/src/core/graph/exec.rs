//! Executable graphs. Launching one puts its nodes into a stream, one after the other, in an order that keeps all
//! edges: the host does not wait, and branches that could run side by side do not.

use super::work::Work;
use super::{Graph, Node, Owner};
use crate::convert::FromC;
use crate::core::context::current;
use crate::core::event::Marker;
use crate::core::kind;
use crate::core::stream::Target;
use cuda_types::cuda::{CUerror, CUgraphExec, CUgraphInstantiateResult as R, CUres};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};
use zluda_common::handle::HandleTable;

/// `CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH`
pub(crate) const AUTO_FREE: u64 = 1;

#[derive(Debug)]
pub(crate) struct Exec {
    /// A copy of what was instantiated.
    pub(super) graph: Arc<Graph>,
    /// What the program instantiated, where only one executable graph of it may be there.
    source: Option<Arc<Graph>>,
    /// By the number of the node that each was made from.
    pub(super) index: HashMap<u64, Arc<Node>>,
    /// In the order of launches, those of child graphs after the nodes that they belong to.
    order: Vec<Arc<Node>>,
    pub(crate) flags: u64,
    has_memory: bool,
    /// Launches come one after the other; the end of the last one.
    last: Mutex<Marker>,
    /// What the last launches may still use.
    pub(super) retired: Mutex<Vec<Work>>,
}

static EXECS: LazyLock<HandleTable<Exec>> = LazyLock::new(|| HandleTable::new(kind::GRAPH_EXEC));

impl FromC<CUgraphExec> for Arc<Exec> {
    unsafe fn from_c(handle: CUgraphExec) -> CUres<Self> {
        EXECS.get(handle as u64).ok_or(CUerror::INVALID_VALUE)
    }
}

/// Why a graph cannot be made executable.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) error: CUerror,
    pub(crate) result: R,
    pub(crate) node: Option<Arc<Node>>,
}

impl From<CUerror> for Failure {
    fn from(error: CUerror) -> Failure {
        Failure { error, result: R::CUDA_GRAPH_INSTANTIATE_ERROR, node: None }
    }
}

pub(crate) fn instantiate(graph: &Arc<Graph>, flags: u64) -> Result<CUgraphExec, Failure> {
    let current = current()?;
    check_order(graph)?;
    let has_memory = graph.has_memory();
    // "Graphs that contain memory nodes can have one executable graph at a time."
    let source = has_memory.then(|| graph.clone());
    if has_memory && graph.has_exec.swap(true, Ordering::AcqRel) {
        return Err(CUerror::NOT_SUPPORTED.into());
    }
    let give_back = |failure: CUerror| {
        if let Some(source) = &source {
            source.has_exec.store(false, Ordering::Release);
        }
        Failure::from(failure)
    };
    let mut index = HashMap::new();
    let copy = graph.copy(Owner::Node, Some(&mut index)).map_err(give_back)?;
    let mut order = Vec::with_capacity(index.len());
    flatten(&copy, &mut order);
    for node in &order {
        node.work.lock().prepare().map_err(give_back)?;
    }
    let last = Mutex::new(Marker::new(&current).map_err(give_back)?);
    let exec = Exec {
        graph: copy,
        source,
        index,
        order,
        flags,
        has_memory,
        last,
        retired: Mutex::default(),
    };
    let handle = EXECS.insert(Arc::new(exec)).ok_or(CUerror::OUT_OF_MEMORY)?;
    Ok(handle as CUgraphExec)
}

/// `INVALID_VALUE` for cycles, in the graphs of nodes too.
fn check_order(graph: &Graph) -> Result<(), Failure> {
    let order = graph.order().map_err(|node| Failure {
        error: CUerror::INVALID_VALUE,
        result: R::CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE,
        node: Some(node),
    })?;
    for node in order {
        let children = node.work.lock().graphs();
        children.iter().try_for_each(|child| check_order(child))?;
    }
    Ok(())
}

fn flatten(graph: &Graph, order: &mut Vec<Arc<Node>>) {
    // There are no cycles: that has been checked.
    for node in graph.order().unwrap_or_default() {
        let child = match &*node.work.lock() {
            Work::Child(child) => Some(child.clone()),
            _ => None,
        };
        order.push(node);
        if let Some(child) = child {
            flatten(&child, order);
        }
    }
}

/// Ends an executable graph; what it was launched as goes on.
pub(crate) fn destroy(handle: CUgraphExec) -> CUres {
    let exec = EXECS.remove(handle as u64).ok_or(CUerror::INVALID_VALUE)?;
    if let Some(source) = &exec.source {
        source.has_exec.store(false, Ordering::Release);
    }
    if exec.last.lock().is_past() {
        return Ok(());
    }
    // What is still used goes later; the caller does not wait.
    let later = move || {
        exec.last.lock().wait();
        drop(exec);
    };
    match std::thread::Builder::new().name("zluda-graph".to_owned()).spawn(later) {
        Ok(_) => Ok(()),
        Err(error) => {
            tracing::error!("no thread for the end of a graph: {error}");
            Err(CUerror::OUT_OF_MEMORY)
        }
    }
}

impl Exec {
    /// The node that was made from another; `INVALID_VALUE` if there is none.
    pub(crate) fn node(&self, original: &Node) -> CUres<&Arc<Node>> {
        self.index.get(&original.id).ok_or(CUerror::INVALID_VALUE)
    }

    /// Puts all work into a stream, after what the graph was launched as before.
    pub(crate) fn launch(&self, target: &Target) -> CUres {
        let last = self.last.lock();
        if self.has_memory {
            self.check_memory()?;
        }
        last.hold(target)?;
        for node in &self.order {
            if node.is_enabled.load(Ordering::Relaxed) {
                node.work.lock().put(target)?;
            }
        }
        last.record(target)
    }

    /// `INVALID_VALUE` if memory that this graph allocates is still allocated.
    fn check_memory(&self) -> CUres {
        for node in &self.order {
            if let Work::Allocate(memory) = &*node.work.lock()
                && memory.is_allocated()
            {
                if self.flags & AUTO_FREE == 0 {
                    return Err(CUerror::INVALID_VALUE);
                }
                memory.free()?;
            }
        }
        Ok(())
    }

    /// Replaces what a node does. What it did before may be under way.
    pub(super) fn replace(&self, node: &Node, mut work: Work) -> CUres {
        work.prepare()?;
        let before = std::mem::replace(&mut *node.work.lock(), work);
        let last = self.last.lock();
        let mut retired = self.retired.lock();
        if last.is_past() {
            retired.clear();
        }
        // Kernels' parameters are copied when they are launched.
        if matches!(before, Work::Copy(_)) && !last.is_past() {
            retired.push(before);
        }
        Ok(())
    }

    /// Switches a node on or off; `INVALID_VALUE` for kinds of nodes that cannot be.
    pub(crate) fn set_enabled(&self, original: &Node, enabled: bool) -> CUres {
        self.switch(original)?.store(enabled, Ordering::Relaxed);
        Ok(())
    }

    pub(crate) fn is_enabled(&self, original: &Node) -> CUres<bool> {
        Ok(self.switch(original)?.load(Ordering::Relaxed))
    }

    fn switch(&self, original: &Node) -> CUres<&AtomicBool> {
        let node = self.node(original)?;
        match &*node.work.lock() {
            Work::Kernel(_) | Work::Copy(_) | Work::Fill(_) => Ok(&node.is_enabled),
            _ => Err(CUerror::INVALID_VALUE),
        }
    }
}
