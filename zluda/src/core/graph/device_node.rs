//! Nodes that kernels change: `CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE`.
//!
//! A node of a graph gets a handle for kernels, which stands for the node that was made from it when the graph was made
//! executable: there is one executable graph of such a graph at most. A launch looks at such a node when all that comes
//! before it has ended.

use super::exec::Exec;
use super::work::Work;
use super::{Graph, Node};
use cuda_types::cuda::{CUerror, CUgraphDeviceNode, CUres};
use parking_lot::Mutex;
use std::sync::atomic::Ordering;
use std::sync::{Arc, LazyLock, Weak};
use zluda_common::handle::{HandleTable, Kind};

/// The handle of a node for kernels, which ends with the node.
#[derive(Debug)]
pub(crate) struct DeviceNode {
    handle: u64,
}

/// The node of an executable graph that a handle stands for; none before there is one.
#[derive(Debug, Default)]
struct Place(Mutex<Option<(Weak<Exec>, Weak<Node>)>>);

static DEVICE_NODES: LazyLock<HandleTable<Place>> =
    LazyLock::new(|| HandleTable::new(Kind::GRAPH_DEVICE_NODE));

impl Drop for DeviceNode {
    fn drop(&mut self) {
        DEVICE_NODES.remove(self.handle);
    }
}

impl DeviceNode {
    fn new() -> CUres<DeviceNode> {
        let handle =
            DEVICE_NODES.insert(Arc::new(Place::default())).ok_or(CUerror::OUT_OF_MEMORY)?;
        Ok(DeviceNode { handle })
    }

    /// Lets the handle stand for a node of an executable graph.
    pub(super) fn bind(&self, exec: &Arc<Exec>, node: &Arc<Node>) {
        if let Some(place) = DEVICE_NODES.get(self.handle) {
            *place.0.lock() = Some((Arc::downgrade(exec), Arc::downgrade(node)));
        }
    }
}

impl Node {
    /// Lets kernels change the node, and returns its handle for them. What is so stays so.
    pub(crate) fn make_updatable(&self) -> CUres<CUgraphDeviceNode> {
        let node = match self.device_node.get() {
            Some(node) => node,
            None => {
                let made = DeviceNode::new()?;
                self.device_node.get_or_init(|| made)
            }
        };
        Ok(node.handle as CUgraphDeviceNode)
    }

    /// The handle for kernels; null where they do not change the node.
    pub(crate) fn device_handle(&self) -> CUgraphDeviceNode {
        self.device_node.get().map_or(0, |node| node.handle) as CUgraphDeviceNode
    }

    /// Whether kernels change the node.
    pub(crate) fn is_updatable(&self) -> bool {
        self.device_node.get().is_some()
    }
}

impl Graph {
    /// The nodes that kernels change, here and in the graphs of nodes.
    pub(crate) fn updatable_nodes(&self) -> Vec<Arc<Node>> {
        let mut found = Vec::new();
        for node in self.nodes() {
            let graphs = node.work.lock().graphs();
            found.extend(graphs.iter().flat_map(|graph| graph.updatable_nodes()));
            if node.is_updatable() {
                found.push(node);
            }
        }
        found
    }
}

/// Changes a node of an executable graph; `INVALID_VALUE` for a handle that stands for none.
fn change(handle: u64, change: impl FnOnce(&Node) -> CUres) -> CUres {
    let place = DEVICE_NODES.get(handle).ok_or(CUerror::INVALID_VALUE)?;
    let found = place.0.lock().as_ref().and_then(|(exec, node)| {
        // The node is there as long as the executable graph, unless that is about to go.
        exec.upgrade().zip(node.upgrade())
    });
    let (exec, node) = found.ok_or(CUerror::INVALID_VALUE)?;
    change(&node)?;
    exec.has_changed();
    Ok(())
}

/// Changes bytes of the parameters of a node's kernel; `INVALID_VALUE` for bytes that are none of them.
pub(crate) fn set_parameter(handle: u64, offset: u64, bytes: &[u8]) -> CUres {
    change(handle, |node| match &mut *node.work.lock() {
        Work::Kernel(launch) => {
            let size = launch.function.info.param_size as usize;
            let end = usize::try_from(offset).ok().and_then(|at| at.checked_add(bytes.len()));
            if end.is_none_or(|end| end > size) {
                return Err(CUerror::INVALID_VALUE);
            }
            let params = launch.params.as_mut_ptr().cast::<u8>();
            // SAFETY: there are at least as many bytes of parameters as the kernel says.
            unsafe { params.add(offset as usize).copy_from(bytes.as_ptr(), bytes.len()) };
            Ok(())
        }
        _ => Err(CUerror::INVALID_VALUE),
    })
}

/// Switches a node on or off.
pub(crate) fn set_enabled(handle: u64, enabled: bool) -> CUres {
    change(handle, |node| {
        node.is_enabled.store(enabled, Ordering::Release);
        Ok(())
    })
}

/// Changes the grid of a node's kernel; `INVALID_VALUE` for one that it cannot be launched with.
pub(crate) fn set_grid(handle: u64, grid: [u32; 3]) -> CUres {
    change(handle, |node| match &mut *node.work.lock() {
        Work::Kernel(launch) => {
            let mut config = launch.config;
            config.grid = grid;
            config.check(&launch.function)?;
            let function = &launch.function;
            function.settings.cluster.of_launch(&function.info, grid, config.cluster)?;
            launch.config = config;
            Ok(())
        }
        _ => Err(CUerror::INVALID_VALUE),
    })
}
