//! The work of nodes.

use super::Graph;
use super::batch::Batch;
use super::conditional::Conditional;
use crate::core::context::{Context, enter};
use crate::core::device::launch::{LaunchConfig, Params};
use crate::core::graph::deferred_copy::DeferredCopy;
use crate::core::launch::launch;
use crate::core::memory::Rules;
use crate::core::memory::graph_memory::Memory;
use crate::core::module::function::Function;
use crate::core::stream::event::Event;
use crate::core::stream::task::Task;
use crate::core::stream::{self, Target};
use crate::core::transfer::copy::{BoxCopy, Description, Wait};
use crate::core::transfer::fill::Fill;
use cuda_types::cuda::{CUDA_MEMCPY3D, CUerror, CUgraphNodeType as T, CUhostFn, CUres};
use std::ffi::c_void;
use std::sync::Arc;

/// The work of a node.
#[derive(Debug)]
pub(crate) enum Work {
    Nothing,
    Kernel(Box<Launch>),
    Copy(Box<Copy>),
    Fill(Box<FillOf>),
    Batch(Box<Batch>),
    /// No semaphore: there is no other interface here that semaphores would be of.
    /// The second is how many semaphores that are none.
    Semaphores(Semaphores, u32),
    Host(HostCall),
    /// A call of a library above the driver.
    Task(Arc<Task>),
    Child(Arc<Graph>),
    Conditional(Box<Conditional>),
    Record(Arc<Event>),
    Wait(Arc<Event>),
    Allocate(Arc<Memory>),
    /// The address of memory that a node of this graph, or of another, has allocated.
    Free(u64),
}

/// What nodes do with semaphores of other interfaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Semaphores {
    Signal,
    Wait,
}

#[derive(Clone, Debug)]
pub(crate) struct Launch {
    pub(crate) function: Arc<Function>,
    pub(crate) config: LaunchConfig,
    /// Copied when the node was made.
    pub(crate) params: Params,
    /// The addresses of the parameters, where a program has asked for them.
    pub(crate) pointers: Vec<u64>,
}

#[derive(Clone, Debug)]
pub(crate) struct Copy {
    /// As the program, or the call that was captured, describes it.
    pub(crate) description: Description,
    pub(crate) copy: BoxCopy,
    pub(crate) context: Arc<Context>,
    /// The host's part of copies of the program's own memory, in executable graphs.
    pub(crate) deferred: Option<Arc<DeferredCopy>>,
}

#[derive(Clone, Debug)]
pub(crate) struct FillOf {
    pub(crate) fill: Fill,
    pub(crate) address: u64,
    pub(crate) pitch: usize,
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) context: Arc<Context>,
}

/// A function of the program with what it asked to get.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HostCall {
    pub(crate) function: CUhostFn,
    pub(crate) data: *mut c_void,
}

// SAFETY: the program said that its function may have the pointer, on whatever thread.
unsafe impl Send for HostCall {}
// SAFETY: as above.
unsafe impl Sync for HostCall {}

impl Launch {
    /// `INVALID_VALUE` for configurations that the kernel cannot be launched with.
    pub(crate) fn new(
        function: Arc<Function>,
        config: LaunchConfig,
        params: Params,
    ) -> CUres<Launch> {
        config.check(&function)?;
        let config = config.with_needed_block(&function);
        function.settings.cluster.of_launch(&function.info, config.grid, config.cluster)?;
        Ok(Launch { function, config, params, pointers: Vec::new() })
    }

    /// Addresses of all parameters, which stay as long as the parameters do.
    pub(crate) fn pointers(&mut self) -> *mut *mut c_void {
        let base = self.params.as_ptr() as u64;
        let offsets = self.function.info.params.iter().map(|param| u64::from(param.offset));
        self.pointers = offsets.map(|offset| base + offset).collect();
        if self.pointers.is_empty() {
            return std::ptr::null_mut();
        }
        self.pointers.as_mut_ptr().cast()
    }
}

impl Copy {
    /// `INVALID_VALUE` for copies of nothing, and for memory that is not there.
    pub(crate) fn new(description: CUDA_MEMCPY3D, context: Arc<Context>) -> CUres<Copy> {
        let copy = BoxCopy::from_3d(&description)?;
        if copy.is_empty() {
            return Err(CUerror::INVALID_VALUE);
        }
        copy.check(Rules::Later)?;
        Ok(Copy { description: Description(description), copy, context, deferred: None })
    }
}

impl FillOf {
    /// `INVALID_VALUE` for fills of nothing, and for memory that is not there.
    pub(crate) fn check(&self) -> CUres {
        if self.width == 0 || self.height == 0 {
            return Err(CUerror::INVALID_VALUE);
        }
        self.fill.check(self.address, self.pitch, self.width, self.height, Rules::Later)
    }
}

impl Work {
    /// The kind of node that does this work.
    pub(crate) fn kind(&self) -> T {
        match self {
            Work::Nothing => T::CU_GRAPH_NODE_TYPE_EMPTY,
            Work::Kernel(_) => T::CU_GRAPH_NODE_TYPE_KERNEL,
            Work::Copy(_) => T::CU_GRAPH_NODE_TYPE_MEMCPY,
            Work::Fill(_) => T::CU_GRAPH_NODE_TYPE_MEMSET,
            Work::Batch(_) => T::CU_GRAPH_NODE_TYPE_BATCH_MEM_OP,
            Work::Semaphores(Semaphores::Signal, _) => T::CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL,
            Work::Semaphores(Semaphores::Wait, _) => T::CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT,
            Work::Host(_) => T::CU_GRAPH_NODE_TYPE_HOST,
            // What NVIDIA's libraries put into streams are kernels.
            Work::Task(_) => T::CU_GRAPH_NODE_TYPE_KERNEL,
            Work::Child(_) => T::CU_GRAPH_NODE_TYPE_GRAPH,
            Work::Conditional(_) => T::CU_GRAPH_NODE_TYPE_CONDITIONAL,
            Work::Record(_) => T::CU_GRAPH_NODE_TYPE_EVENT_RECORD,
            Work::Wait(_) => T::CU_GRAPH_NODE_TYPE_WAIT_EVENT,
            Work::Allocate(_) => T::CU_GRAPH_NODE_TYPE_MEM_ALLOC,
            Work::Free(_) => T::CU_GRAPH_NODE_TYPE_MEM_FREE,
        }
    }

    /// The graphs that belong to the node.
    pub(crate) fn graphs(&self) -> Vec<Arc<Graph>> {
        match self {
            Work::Child(graph) => vec![graph.clone()],
            Work::Conditional(node) => node.bodies.clone(),
            _ => Vec::new(),
        }
    }

    /// The same work, by the same graphs where some belong to it.
    pub(super) fn shallow(&self) -> Work {
        match self {
            Work::Nothing => Work::Nothing,
            Work::Kernel(launch) => {
                Work::Kernel(Box::new(Launch { pointers: Vec::new(), ..(**launch).clone() }))
            }
            Work::Copy(work) => Work::Copy(Box::new(Copy { deferred: None, ..(**work).clone() })),
            Work::Fill(fill) => Work::Fill(fill.clone()),
            Work::Batch(batch) => Work::Batch(batch.clone()),
            Work::Semaphores(what, count) => Work::Semaphores(*what, *count),
            Work::Host(call) => Work::Host(*call),
            Work::Task(task) => Work::Task(task.clone()),
            Work::Child(graph) => Work::Child(graph.clone()),
            Work::Conditional(node) => Work::Conditional(Box::new(Conditional {
                condition: node.condition.clone(),
                kind: node.kind,
                bodies: node.bodies.clone(),
                told: Vec::new(),
            })),
            Work::Record(event) => Work::Record(event.clone()),
            Work::Wait(event) => Work::Wait(event.clone()),
            Work::Allocate(memory) => Work::Allocate(memory.clone()),
            Work::Free(address) => Work::Free(*address),
        }
    }

    /// Gives the work other graphs in place of those that belong to it.
    pub(super) fn replace_graphs(
        &mut self,
        mut other: impl FnMut(&Graph) -> CUres<Arc<Graph>>,
    ) -> CUres {
        let graphs = match self {
            Work::Child(graph) => std::slice::from_mut(graph),
            Work::Conditional(node) => &mut node.bodies[..],
            _ => &mut [],
        };
        for graph in graphs {
            *graph = other(graph)?;
        }
        Ok(())
    }

    /// Gets ready what launches need. "Run the graph using the per-node priority attributes rather than the priority of the
    /// stream it is launched into", where the graph is made so.
    pub(super) fn prepare(&mut self, has_priorities: bool) -> CUres {
        if let Work::Kernel(launch) = self {
            let own = launch.config.priority.unwrap_or_default();
            launch.config.priority = has_priorities.then_some(own);
        }
        if let Work::Copy(work) = self {
            work.deferred = match work.copy.needs_host() {
                true => Some(Arc::new(DeferredCopy::new(&enter(&work.context)?, &work.copy)?)),
                false => None,
            };
        }
        Ok(())
    }

    /// Puts the work into a stream.
    pub(super) fn put(&self, target: &Target) -> CUres {
        match self {
            Work::Nothing | Work::Semaphores(_, 0) => Ok(()),
            Work::Semaphores(..) => Err(CUerror::INVALID_VALUE),
            Work::Kernel(kernel) => target.in_context(&kernel.function.data.context, |target| {
                launch(target, &kernel.function, &kernel.config, kernel.params.clone())
            }),
            Work::Copy(work) => target.in_context(&work.context, |target| match &work.deferred {
                Some(deferred) => deferred.put(target),
                None => work.copy.put(target, Wait::No),
            }),
            Work::Fill(work) => {
                let FillOf { fill, address, pitch, width, height, context } = &**work;
                target.in_context(context, |target| {
                    fill.put(target, *address, *pitch, *width, *height)
                })
            }
            Work::Batch(batch) => target.in_context(&batch.context, |target| batch.put(target)),
            Work::Host(call) => stream::launch_host_function(target, call.function, call.data),
            Work::Task(task) => target.in_context(&task.context, |target| task.put(target)),
            // Their nodes are in the order of the whole, or come when a value says so.
            Work::Child(_) | Work::Conditional(_) => Ok(()),
            Work::Record(event) => target.in_context(&event.context, |target| event.record(target)),
            Work::Wait(event) => event.hold(target),
            Work::Allocate(memory) => memory.allocate(),
            Work::Free(address) => crate::core::memory::graph_memory::free(*address),
        }
    }
}
