//! Other work for executable graphs, of the same kind: of single nodes, or as another graph has it.

use super::exec::Exec;
use super::work::Work;
use super::{Graph, Node};
use cuda_types::cuda::{CUerror, CUgraphExecUpdateResult as R, CUres};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The reason for which an executable graph cannot become as another graph.
#[derive(Debug)]
pub(crate) struct Difference {
    pub(crate) result: R,
    /// A node of the other graph.
    pub(crate) node: Option<Arc<Node>>,
}

type Pairs = Vec<(Arc<Node>, Arc<Node>)>;

impl Exec {
    /// Replaces what a node does; `INVALID_VALUE` for work that is too different.
    pub(crate) fn set(&self, original: &Node, work: Work) -> CUres {
        let node = self.node(original)?;
        self.finish_launches();
        let is_alike = match (&*node.work.lock(), &work) {
            (Work::Kernel(old), Work::Kernel(new)) => {
                old.function.data.context.id() == new.function.data.context.id()
            }
            // Updates by another graph have other memory, single nodes have not.
            (Work::Allocate(_), Work::Allocate(_)) => false,
            (Work::Free(old), Work::Free(new)) => old == new,
            (old, new) => difference(old, new).is_none(),
        };
        if is_alike { self.replace(node, work) } else { Err(CUerror::INVALID_VALUE) }
    }

    /// Takes over a child graph's parameters.
    pub(crate) fn set_child(
        &self,
        original: &Node,
        child: &Graph,
    ) -> CUres<Result<(), Difference>> {
        let node = self.node(original)?;
        let old = match &*node.work.lock() {
            Work::Child(old) => old.clone(),
            _ => return Err(CUerror::INVALID_VALUE),
        };
        self.take_over(&old, child)
    }

    /// Takes over all parameters of another graph, which has to have the same nodes and edges.
    pub(crate) fn update(&self, other: &Graph) -> CUres<Result<(), Difference>> {
        // "Neither the graph nor its instantiated version can be passed to cuGraphExecUpdate", where nodes are
        // device-updatable.
        let is_fixed = |node: &Arc<Node>| node.is_awaited.load(Ordering::Relaxed);
        if self.index.values().any(is_fixed) || !other.updatable_nodes().is_empty() {
            return Err(CUerror::NOT_SUPPORTED);
        }
        let graph = self.graph.clone();
        self.take_over(&graph, other)
    }

    fn take_over(&self, old: &Graph, new: &Graph) -> CUres<Result<(), Difference>> {
        let mut pairs = Pairs::new();
        if let Err(difference) = pair(old, new, &mut pairs) {
            return Ok(Err(difference));
        }
        self.finish_launches();
        for (old, new) in pairs {
            // One node after the other is locked: whoever compares them has them the other way round.
            let given = new.work.lock().shallow();
            match given {
                // The nodes of the nodes' graphs are pairs of their own.
                Work::Child(_) => {}
                // "Conditional handle flags and default values are updated as part of the graph update." The kernels
                // that set the condition come with its handle.
                Work::Conditional(new) => {
                    if let Work::Conditional(old) = &mut *old.work.lock() {
                        old.condition = new.condition;
                    }
                }
                work => self.replace(&old, work)?,
            }
        }
        Ok(Ok(()))
    }
}

/// Finds for each node of a graph the one that stands for it in another: from the last nodes on, along the edges in
/// the order in which they were added.
fn pair(old: &Graph, new: &Graph, pairs: &mut Pairs) -> Result<(), Difference> {
    let changed = |node: Option<&Arc<Node>>| Difference {
        result: R::CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED,
        node: node.cloned(),
    };
    let first = pairs.len();
    {
        // They are not locked while nodes are, as in [`super::dot`].
        let old = old.topology.lock().clone();
        let new = new.topology.lock().clone();
        if old.nodes.len() != new.nodes.len() {
            return Err(changed(None));
        }
        let sinks = |graph: &super::Topology| -> Vec<u64> {
            let last = graph.nodes.iter().rev().filter(|(_, links)| links.after.is_empty());
            last.map(|(id, _)| *id).collect()
        };
        let (old_sinks, new_sinks) = (sinks(&old), sinks(&new));
        let mut partners: HashMap<u64, u64> = HashMap::new();
        let mut open: Vec<(u64, u64)> =
            old_sinks.iter().copied().zip(new_sinks.iter().copied()).rev().collect();
        while let Some((a, b)) = open.pop() {
            let (Some(links), Some(other)) = (old.nodes.get(&a), new.nodes.get(&b)) else {
                return Err(changed(None));
            };
            match partners.insert(b, a) {
                Some(partner) if partner == a => continue,
                Some(_) => return Err(changed(Some(&other.node))),
                None => {}
            }
            let (work, given) = (links.node.work.lock(), other.node.work.lock());
            if let Some(result) = difference(&work, &given) {
                return Err(Difference { result, node: Some(other.node.clone()) });
            }
            let alike = links.before.len() == other.before.len()
                && links.before.iter().zip(&other.before).all(|(a, b)| a.data == b.data);
            if !alike {
                return Err(changed(Some(&other.node)));
            }
            let before = links.before.iter().zip(&other.before).map(|(a, b)| (a.node, b.node));
            open.extend(before.rev());
            pairs.push((links.node.clone(), other.node.clone()));
        }
        if old_sinks.len() != new_sinks.len() || pairs.len() - first != old.nodes.len() {
            return Err(changed(None));
        }
    }
    for at in first..pairs.len() {
        let (a, b) = &pairs[at];
        let (a, b) = (a.work.lock().graphs(), b.work.lock().graphs());
        for (a, b) in a.iter().zip(&b) {
            pair(a, b, pairs)?;
        }
    }
    Ok(())
}

/// The reason for which one node's work cannot become another's, if there is one.
fn difference(old: &Work, new: &Work) -> Option<R> {
    let unless = |alike: bool, result: R| (!alike).then_some(result);
    match (old, new) {
        (Work::Kernel(a), Work::Kernel(b)) => {
            let alike = a.function.data.context.id() == b.function.data.context.id();
            unless(alike, R::CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE)
        }
        (Work::Copy(a), Work::Copy(b)) => {
            unless(a.copy.is_like(&b.copy), R::CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED)
        }
        (Work::Fill(a), Work::Fill(b)) => {
            // "The memset must stay one of one dimension, or of two."
            let alike = (a.height > 1) == (b.height > 1);
            unless(alike, R::CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED)
        }
        (Work::Conditional(a), Work::Conditional(b)) => {
            let alike = a.kind == b.kind && a.bodies.len() == b.bodies.len();
            unless(alike, R::CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED)
        }
        (Work::Batch(a), Work::Batch(b)) => {
            unless(a.count() == b.count(), R::CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED)
        }
        (old, new) => {
            unless(old.kind() == new.kind(), R::CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED)
        }
    }
}
