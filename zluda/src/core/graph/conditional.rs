//! Nodes whose graphs run by a value that kernels set.
//!
//! A condition is a word of memory that the host and devices see; its handle is the word's address, to which
//! `cudaGraphSetConditional` stores. Only the host can choose what a stream gets: a launch of a graph with such nodes
//! has a thread, which puts work into a stream of its own, waits where a value is asked for, and goes on.

use super::{Graph, Owner};
use crate::core::context::Current;
use crate::core::device::driver::driver;
use crate::core::stream::Target;
use cuda_types::cuda::{CUerror, CUgraph, CUgraphConditionalNodeType as T, CUres};
use hip_runtime_sys::{
    hipError_t, hipHostMallocCoherent, hipHostMallocMapped, hipHostMallocPortable,
    hipStreamWaitValueGte,
};
use parking_lot::Mutex;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Weak};

#[derive(Debug)]
pub(crate) struct Condition {
    word: Word,
    /// The number of the graph that it was made for.
    graph: u64,
    /// Assigned when a launch begins.
    default: Option<u32>,
    /// "The handle may be used by one node only."
    is_used: AtomicBool,
}

#[derive(Debug)]
pub(crate) struct Conditional {
    pub(crate) condition: Arc<Condition>,
    pub(crate) kind: T,
    pub(crate) bodies: Vec<Arc<Graph>>,
    /// The handles of the bodies, which programs are told the address of.
    pub(crate) told: Vec<u64>,
}

/// A word that the host and devices see.
#[derive(Debug)]
pub(crate) struct Word {
    host: *mut c_void,
    device: *mut c_void,
    is_signal: bool,
}

// SAFETY: what lies at the address is used through atomics.
unsafe impl Send for Word {}
// SAFETY: as above.
unsafe impl Sync for Word {}

static CONDITIONS: Mutex<Vec<Weak<Condition>>> = Mutex::new(Vec::new());

impl Word {
    /// A word that kernels write.
    fn new(current: &Current) -> CUres<Word> {
        let hip = &current.driver.hip;
        let flags = hipHostMallocPortable | hipHostMallocMapped | hipHostMallocCoherent;
        let (mut host, mut device) = (null_mut(), null_mut());
        // SAFETY: both outlive the calls.
        current.check(unsafe { hip.hipHostMalloc(&mut host, 64, flags) })?;
        // SAFETY: as above.
        if unsafe { hip.hipHostGetDevicePointer(&mut device, host, 0) } != hipError_t::hipSuccess {
            device = host;
        }
        let word = Word { host, device, is_signal: false };
        word.set(0);
        Ok(word)
    }

    /// A word that streams wait for.
    pub(super) fn for_streams(current: &Current) -> CUres<Word> {
        if let Some(host) = current.driver.backend.signal_memory(current) {
            let word = Word { host, device: host, is_signal: true };
            word.set(0);
            return Ok(word);
        }
        Word::new(current)
    }

    fn atomic(&self) -> &AtomicU32 {
        // SAFETY: the memory lives as long as `self`, is aligned, and is used as an atomic only.
        unsafe { AtomicU32::from_ptr(self.host.cast()) }
    }

    /// Sets the word's value.
    pub(super) fn set(&self, value: u32) {
        self.atomic().store(value, Ordering::SeqCst);
    }

    /// Lets a stream wait until the word is at least as large.
    pub(super) fn hold(&self, target: &Target, value: u32) -> CUres {
        let Target { current, hip: stream, .. } = target;
        let (hip, flags) = (&current.driver.hip, hipStreamWaitValueGte);
        // SAFETY: the stream has been checked; the word lives until its last launch has ended.
        let error =
            unsafe { hip.hipStreamWaitValue32(*stream, self.device, value, flags, u32::MAX) };
        if error == hipError_t::hipErrorNotSupported {
            tracing::warn!(
                "unsupported: conditional nodes, with a HIP whose streams cannot wait for values"
            );
        }
        current.check(error)
    }
}

impl Drop for Word {
    fn drop(&mut self) {
        let Ok(driver) = driver() else { return };
        // SAFETY: the provider allocated it, and nothing uses it any more.
        let _ = unsafe {
            match self.is_signal {
                true => driver.hip.hipFree(self.host),
                false => driver.hip.hipHostFree(self.host),
            }
        };
    }
}

impl Condition {
    /// A condition of a graph, which lives as long as that and executable graphs of it.
    pub(crate) fn create(current: &Current, graph: &Graph, default: Option<u32>) -> CUres<u64> {
        let condition = Arc::new(Condition {
            word: Word::new(current)?,
            graph: graph.number,
            default,
            is_used: AtomicBool::new(false),
        });
        let handle = condition.handle();
        let mut all = CONDITIONS.lock();
        all.retain(|known| known.strong_count() != 0);
        all.push(Arc::downgrade(&condition));
        graph.conditions.lock().push(condition);
        Ok(handle)
    }

    /// The handle for programs and kernels: the device's address of the word.
    pub(super) fn handle(&self) -> u64 {
        self.word.device as u64
    }

    /// The condition with this handle, of a graph or one around it, which no node has yet; `INVALID_VALUE` otherwise.
    fn take(handle: u64, graph: &Graph) -> CUres<Arc<Condition>> {
        let all = CONDITIONS.lock();
        let mut known = all.iter().filter_map(Weak::upgrade);
        let found = known.find(|known| known.handle() == handle);
        found
            .filter(|found| found.graph == graph.number || graph.around.contains(&found.graph))
            .filter(|found| !found.is_used.swap(true, Ordering::AcqRel))
            .ok_or(CUerror::INVALID_VALUE)
    }

    /// Whether a node has the condition.
    pub(super) fn is_used(&self) -> bool {
        self.is_used.load(Ordering::Acquire)
    }

    /// The condition's value now.
    pub(super) fn value(&self) -> u32 {
        self.word.atomic().load(Ordering::SeqCst)
    }

    /// A launch begins.
    pub(super) fn assign_default(&self) {
        if let Some(default) = self.default {
            self.word.set(default);
        }
    }
}

impl Conditional {
    /// The work of a node of `graph`. `INVALID_VALUE` for numbers of graphs that a kind does not have.
    pub(crate) fn new(graph: &Graph, handle: u64, kind: T, size: u32) -> CUres<Conditional> {
        let fits = match kind {
            T::CU_GRAPH_COND_TYPE_IF => (1..=2).contains(&size),
            T::CU_GRAPH_COND_TYPE_WHILE => size == 1,
            // More than any program has: a wrong number is not taken for memory to be had.
            T::CU_GRAPH_COND_TYPE_SWITCH => (1..=1 << 16).contains(&size),
            _ => false,
        };
        if !fits {
            return Err(CUerror::INVALID_VALUE);
        }
        let condition = Condition::take(handle, graph)?;
        let around: Vec<u64> = graph.around.iter().copied().chain([graph.number]).collect();
        let body = || Graph { around: around.clone(), ..Graph::new(Owner::Node) };
        let bodies = (0..size).map(|_| Arc::new(body())).collect();
        Ok(Conditional { condition, kind, bodies, told: Vec::new() })
    }

    /// The handles of the graphs, which stay where they are as long as the node.
    pub(crate) fn handles(&mut self) -> *mut CUgraph {
        self.told = self.bodies.iter().map(|body| body.handle() as u64).collect();
        self.told.as_mut_ptr().cast()
    }
}
