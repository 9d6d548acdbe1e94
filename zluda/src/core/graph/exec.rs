//! Executable graphs. A launch puts the nodes into streams, as [`Plan`] has it: the host does not wait. Where nodes depend
//! on what kernels do - conditional nodes, nodes that kernels change - or kernels launch graphs, a thread puts them into
//! one stream, one after the other.

use super::conditional::{Condition, Word};
use super::environment;
use super::plan::Plan;
use super::work::Work;
use super::{Graph, Node, Owner, user_object};
use crate::convert::FromC;
use crate::core::context::{Context, Current, current, enter};
use crate::core::stream::event::Marker;
use crate::core::stream::{PrivateStream, Target};
use cuda_types::cuda::{
    CUerror, CUgraphConditionalNodeType as C, CUgraphExec, CUgraphInstantiateResult as R, CUres,
};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, LazyLock, OnceLock};
use zluda_common::handle::{HandleTable, Kind};

/// `CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH`
pub(crate) const AUTO_FREE: u64 = 1;
/// `CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH`
pub(crate) const DEVICE_LAUNCH: u64 = 4;
/// `CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY`
pub(crate) const NODE_PRIORITY: u64 = 8;

#[derive(Debug)]
pub(crate) struct Exec {
    handle: OnceLock<u64>,
    /// A copy of what was instantiated.
    pub(super) graph: Arc<Graph>,
    /// The graph that the program instantiated, where only one executable graph of it may be there.
    source: Option<Arc<Graph>>,
    /// By the number of the node that each was made from.
    pub(super) index: HashMap<u64, Arc<Node>>,
    order: Vec<Step>,
    /// The plan of launches that need no thread.
    plan: Plan,
    /// How often a node was changed.
    changes: AtomicU64,
    /// The stream and the thread of launches, where they need one.
    runner: OnceLock<Runner>,
    /// Kernels may launch it, if it is made for that.
    is_uploaded: AtomicBool,
    /// A kernel has launched it, and that has not ended.
    is_in_flight: AtomicBool,
    pub(crate) flags: u64,
    /// Kernels have the priorities of their nodes, not that of the stream of the launch.
    has_priorities: bool,
    has_memory: bool,
    /// Launches come one after the other; the end of the last one.
    last: Mutex<Marker>,
    /// Work that was replaced, which the last launches may still use.
    pub(super) retired: Mutex<Vec<Work>>,
}

/// The pieces of a launch, done one after the other.
#[derive(Debug)]
enum Step {
    /// A node; those of child graphs come after the nodes that they belong to.
    Node(Arc<Node>),
    /// By the value of a node's condition, one of several.
    Choice(Arc<Node>, C, Vec<Vec<Step>>),
}

/// The things that launches by threads need.
#[derive(Debug)]
struct Runner {
    context: Arc<Context>,
    stream: PrivateStream,
    /// The number of launches that have ended; streams wait for it.
    ended: Word,
    /// The number of launches that have begun, and what tells of the end of the last one's thread, which nobody joins.
    begun: Mutex<(u32, Option<Receiver<()>>)>,
}

static EXECS: LazyLock<HandleTable<Exec>> = LazyLock::new(|| HandleTable::new(Kind::GRAPH_EXEC));

impl FromC<CUgraphExec> for Arc<Exec> {
    unsafe fn from_c(handle: CUgraphExec) -> CUres<Self> {
        from_handle(handle as u64)
    }
}

/// The executable graph with this handle; `INVALID_VALUE` if there is none.
pub(crate) fn from_handle(handle: u64) -> CUres<Arc<Exec>> {
    EXECS.get(handle).ok_or(CUerror::INVALID_VALUE)
}

/// The reason for which a graph cannot be made executable.
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

/// Makes a graph executable, and returns the handle. `INVALID_VALUE` for cycles and unused conditions; `NOT_SUPPORTED`
/// for a graph with nodes of memory, or nodes that kernels change, that has an executable graph already.
pub(crate) fn instantiate(graph: &Arc<Graph>, flags: u64) -> Result<CUgraphExec, Failure> {
    let current = current()?;
    if graph.is_moved() {
        return Err(CUerror::NOT_SUPPORTED.into());
    }
    check_order(graph)?;
    let (has_memory, updatable) = (graph.has_memory(), graph.updatable_nodes());
    // "Graphs that contain memory nodes can have one executable graph at a time." "Graphs containing one or more
    // device-updatable nodes also do not allow multiple instantiation."
    let is_single = has_memory || !updatable.is_empty();
    let source = is_single.then(|| graph.clone());
    if is_single && graph.has_exec.swap(true, Ordering::AcqRel) {
        return Err(CUerror::NOT_SUPPORTED.into());
    }
    let give_back = |failure: CUerror| {
        if let Some(source) = &source {
            source.has_exec.store(false, Ordering::Release);
        }
        Failure::from(failure)
    };
    let has_priorities = flags & NODE_PRIORITY != 0;
    let mut index = HashMap::new();
    let copy = graph.copy(Owner::Node, Some(&mut index)).map_err(give_back)?;
    for node in index.values() {
        node.work.lock().prepare(has_priorities).map_err(give_back)?;
    }
    let order = steps(&copy);
    let has_choices = order.iter().any(|step| matches!(step, Step::Choice(..)));
    let launches = index.values().any(|node| launches_graphs(&node.work.lock()));
    // Kernels of a graph that kernels may launch can ask which one it is.
    let is_for_kernels = flags & DEVICE_LAUNCH != 0;
    let needs_thread = has_choices || launches || is_for_kernels || !updatable.is_empty();
    let runner = match needs_thread {
        true => Runner::new(&current).map_err(give_back)?.into(),
        false => OnceLock::new(),
    };
    let plan = Plan::new(&copy);
    let last = Mutex::new(Marker::new(&current).map_err(give_back)?);
    if has_memory {
        graph.had_exec.store(true, Ordering::Release);
    }
    let exec = Arc::new(Exec {
        handle: OnceLock::new(),
        graph: copy,
        source,
        index,
        order,
        plan,
        changes: AtomicU64::new(0),
        runner,
        is_uploaded: AtomicBool::new(false),
        is_in_flight: AtomicBool::new(false),
        flags: flags & (AUTO_FREE | DEVICE_LAUNCH),
        has_priorities,
        has_memory,
        last,
        retired: Mutex::default(),
    });
    for (node, original) in
        updatable.iter().filter_map(|node| Some((exec.index.get(&node.id)?, node)))
    {
        if let Some(handle) = original.device_node.get() {
            node.is_awaited.store(true, Ordering::Relaxed);
            handle.bind(&exec, node);
        }
    }
    let handle = EXECS.insert(exec.clone()).ok_or(CUerror::OUT_OF_MEMORY)?;
    let _ = exec.handle.set(handle);
    Ok(handle as CUgraphExec)
}

fn launches_graphs(work: &Work) -> bool {
    matches!(work, Work::Kernel(launch) if launch.function.launches_graphs())
}

/// `INVALID_VALUE` for cycles, in the graphs of nodes too.
fn check_order(graph: &Graph) -> Result<(), Failure> {
    let order = graph.order().map_err(|node| Failure {
        error: CUerror::INVALID_VALUE,
        result: R::CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE,
        node: Some(node),
    })?;
    // "CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED"
    if graph.has_unused_conditions() {
        return Err(Failure {
            error: CUerror::INVALID_VALUE,
            result: R::CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED,
            node: None,
        });
    }
    for node in order {
        let (children, has_choices) = {
            let work = node.work.lock();
            (work.graphs(), matches!(&*work, Work::Conditional(_)))
        };
        for child in children {
            check_order(&child)?;
            if has_choices {
                check_body(&child)?;
            }
        }
    }
    Ok(())
}

/// Graphs that kernels launch hold kernels, copies, fills, and graphs of such; an H100 refuses others here.
pub(crate) fn check_device_launch(graph: &Graph) -> Result<(), Failure> {
    for node in graph.nodes() {
        let child = match &*node.work.lock() {
            Work::Kernel(_) | Work::Task(_) | Work::Copy(_) | Work::Fill(_) => None,
            Work::Child(child) => Some(child.clone()),
            _ => return Err(not_supported(node.clone())),
        };
        child.map_or(Ok(()), |child| check_device_launch(&child))?;
    }
    Ok(())
}

/// A node of a kind that the graph cannot have.
fn not_supported(node: Arc<Node>) -> Failure {
    Failure {
        error: CUerror::INVALID_VALUE,
        result: R::CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED,
        node: Some(node),
    }
}

/// Graphs of conditional nodes hold kernels, copies, fills, graphs and conditional nodes, or nothing. An H100 refuses
/// others here too.
fn check_body(graph: &Graph) -> Result<(), Failure> {
    let is_other = |node: &Arc<Node>| {
        !matches!(
            &*node.work.lock(),
            Work::Kernel(_)
                | Work::Task(_)
                | Work::Nothing
                | Work::Child(_)
                | Work::Fill(_)
                | Work::Copy(_)
                | Work::Conditional(_)
        )
    };
    graph.nodes().into_iter().find(is_other).map_or(Ok(()), |node| Err(not_supported(node)))
}

/// The nodes of a graph in their order.
fn steps(graph: &Graph) -> Vec<Step> {
    let mut all = Vec::new();
    // There are no cycles: that has been checked.
    for node in graph.order().unwrap_or_default() {
        let (choice, children) = {
            let work = node.work.lock();
            let choice = match &*work {
                Work::Conditional(choice) => Some(choice.kind),
                _ => None,
            };
            (choice, work.graphs())
        };
        let inner = children.iter().map(|child| steps(child));
        let more = match choice {
            Some(kind) => vec![Step::Choice(node.clone(), kind, inner.collect())],
            None => inner.flatten().collect(),
        };
        all.push(Step::Node(node));
        all.extend(more);
    }
    all
}

/// Ends an executable graph; what it was launched as goes on.
pub(crate) fn destroy(handle: CUgraphExec) -> CUres {
    let exec = EXECS.remove(handle as u64).ok_or(CUerror::INVALID_VALUE)?;
    if let Some(source) = &exec.source {
        source.has_exec.store(false, Ordering::Release);
    }
    if !exec.last.lock().is_recorded() {
        user_object::end_here(|| drop(exec));
        return Ok(());
    }
    if exec.last.lock().is_past() {
        return Ok(());
    }
    // What is still used goes later; the caller does not wait.
    let used = exec.clone();
    let later = move || {
        exec.last.lock().wait();
        drop(exec);
    };
    if let Err(error) = std::thread::Builder::new().name("zluda-graph".to_owned()).spawn(later) {
        tracing::error!("no thread for the end of a graph, which stays: {error}");
        // Streams use it for how long nobody will know.
        std::mem::forget(used);
    }
    Ok(())
}

/// Puts work into a stream; waits only where a value is asked for.
fn run(order: &[Step], target: &Target) -> CUres {
    for step in order {
        match step {
            Step::Node(node) => {
                if node.is_awaited.load(Ordering::Relaxed) {
                    target.synchronize()?;
                }
                if node.is_enabled.load(Ordering::Acquire) {
                    node.work.lock().put(target)?;
                }
            }
            Step::Choice(node, kind, bodies) => {
                let condition = condition_of(node)?;
                target.synchronize()?;
                let mut value = condition.value();
                if *kind == C::CU_GRAPH_COND_TYPE_WHILE {
                    while value != 0 {
                        run(&bodies[0], target)?;
                        target.synchronize()?;
                        value = condition.value();
                    }
                    continue;
                }
                let chosen = match *kind {
                    C::CU_GRAPH_COND_TYPE_IF => usize::from(value == 0),
                    _ => value as usize,
                };
                bodies.get(chosen).map_or(Ok(()), |body| run(body, target))?;
            }
        }
    }
    Ok(())
}

/// The condition of a conditional node, which updates replace.
fn condition_of(node: &Node) -> CUres<Arc<Condition>> {
    match &*node.work.lock() {
        Work::Conditional(choice) => Ok(choice.condition.clone()),
        _ => Err(CUerror::UNKNOWN),
    }
}

fn assign_defaults(order: &[Step]) -> CUres {
    for step in order {
        if let Step::Choice(node, _, bodies) = step {
            condition_of(node)?.assign_default();
            bodies.iter().try_for_each(|body| assign_defaults(body))?;
        }
    }
    Ok(())
}

impl Runner {
    fn new(current: &Current) -> CUres<Runner> {
        Ok(Runner {
            context: current.context.clone(),
            stream: PrivateStream::new(current)?,
            ended: Word::for_streams(current)?,
            begun: Mutex::default(),
        })
    }

    /// On a thread of its own: waits for what comes before a launch by the host.
    fn await_begin(&self, begin: &Marker) -> CUres {
        let target = self.stream.target(&self.context)?;
        begin.hold(&target)?;
        target.synchronize()
    }

    /// The nodes of a launch of this number, from the first one to the end of the last.
    fn run(&self, order: &[Step], number: u64) -> CUres {
        let target = self.stream.target(&self.context)?;
        assign_defaults(order)?;
        let hip = &target.current.driver.hip;
        hip.set_graph_launch(number);
        let result = run(order, &target);
        hip.set_graph_launch(0);
        // What has begun ends first, whatever failed.
        target.synchronize().and(result)
    }
}

impl Exec {
    /// The node that was made from another; `INVALID_VALUE` if there is none.
    pub(crate) fn node(&self, original: &Node) -> CUres<&Arc<Node>> {
        self.index.get(&original.id).ok_or(CUerror::INVALID_VALUE)
    }

    /// The handle, which may be a former one.
    pub(super) fn handle(&self) -> u64 {
        self.handle.get().copied().unwrap_or(0)
    }

    /// Gets the graph ready for launches by kernels.
    pub(crate) fn upload(&self) {
        self.is_uploaded.store(true, Ordering::Release);
    }

    /// Whether kernels may launch the graph, if it is made for that.
    pub(super) fn is_uploaded(&self) -> bool {
        self.is_uploaded.load(Ordering::Acquire)
    }

    /// Says whether a launch by a kernel is under way; returns what was so before.
    pub(super) fn set_in_flight(&self, is_in_flight: bool) -> bool {
        self.is_in_flight.swap(is_in_flight, Ordering::AcqRel)
    }

    /// Whether another graph was made for the same device.
    pub(super) fn is_on_device_of(&self, other: &Exec) -> bool {
        let device = |exec: &Exec| exec.runner.get().map(|runner| runner.context.device);
        device(self) == device(other)
    }

    /// A node was changed: what was made of nodes is made again.
    pub(super) fn has_changed(&self) {
        self.changes.fetch_add(1, Ordering::AcqRel);
    }

    fn make_runner(&self, current: &Current) -> CUres {
        if self.runner.get().is_none() {
            let made = Runner::new(current)?;
            self.runner.get_or_init(|| made);
        }
        Ok(())
    }

    /// On a thread: runs the nodes as a launch of this number, to the end.
    pub(super) fn run_steps(&self, number: u64) -> CUres {
        self.runner.get().map_or(Err(CUerror::UNKNOWN), |runner| runner.run(&self.order, number))
    }

    /// Puts all work into a stream, after what the graph was launched as before.
    pub(crate) fn launch(self: &Arc<Self>, target: &Target) -> CUres {
        let mut last = self.last.lock();
        if self.has_memory {
            self.check_memory()?;
        }
        last.hold(target)?;
        last.move_to(&target.current)?;
        self.upload();
        let result = match self.runner.get() {
            Some(runner) => self.launch_with_thread(runner, target),
            None => self.plan.run(target, self.changes.load(Ordering::Acquire)),
        };
        // Something may have begun all the same.
        result.and(last.record(target))
    }

    /// Lets a thread put the work into a stream of its own, after what `target` has now, and `target` wait for it.
    fn launch_with_thread(self: &Arc<Self>, runner: &Runner, target: &Target) -> CUres {
        let begin = Marker::new(&target.current)?;
        begin.record(target)?;
        let mut begun = runner.begun.lock();
        let number = begun.0 + 1;
        let (exec, before) = (self.clone(), begun.1.take());
        let (end, ended) = channel::<()>();
        let go = move || {
            // Dropped with the thread, by a launch that panics too.
            let _end = end;
            if let Some(before) = before {
                // Nothing is sent: it ends as its other end is dropped.
                let _ = before.recv();
            }
            let Some(runner) = exec.runner.get() else { return };
            let result = runner.await_begin(&begin).and_then(|()| environment::run(exec.clone()));
            if let Err(error) = result {
                tracing::error!("a graph whose nodes depend on kernels failed with {error}");
            }
            runner.ended.set(number);
        };
        runner.ended.hold(target, number)?;
        let thread = std::thread::Builder::new().name("zluda-graph".to_owned());
        match thread.spawn(go) {
            Ok(_) => *begun = (number, Some(ended)),
            Err(error) => {
                tracing::error!("no thread for a graph: {error}");
                begun.0 = number;
                runner.ended.set(number);
                return Err(CUerror::OUT_OF_MEMORY);
            }
        }
        Ok(())
    }

    /// `INVALID_VALUE` if memory that this graph allocates is still allocated.
    fn check_memory(&self) -> CUres {
        for step in &self.order {
            if let Step::Node(node) = step
                && let Work::Allocate(memory) = &*node.work.lock()
                && memory.is_allocated()
            {
                if self.flags & AUTO_FREE == 0 {
                    return Err(CUerror::INVALID_VALUE);
                }
                memory.free()?;
            }
        }
        if self.flags & AUTO_FREE != 0 {
            // That of nodes that were replaced since.
            for work in &*self.retired.lock() {
                if let Work::Allocate(memory) = work
                    && memory.is_allocated()
                {
                    memory.free()?;
                }
            }
        }
        Ok(())
    }

    /// Replaces what a node does. What it did before may be under way.
    pub(super) fn replace(&self, node: &Node, mut work: Work) -> CUres {
        work.prepare(self.has_priorities)?;
        if let Work::Kernel(launch) = &work
            && launches_graphs(&work)
        {
            self.make_runner(&enter(&launch.function.data.context)?)?;
        }
        let before = std::mem::replace(&mut *node.work.lock(), work);
        self.has_changed();
        let last = self.last.lock();
        let mut retired = self.retired.lock();
        let is_past = last.is_past() && !self.is_in_flight.load(Ordering::Acquire);
        // The next launch frees what the last one has left allocated.
        let frees = self.flags & AUTO_FREE != 0;
        let is_left =
            |work: &Work| matches!(work, Work::Allocate(memory) if frees && memory.is_allocated());
        if is_past {
            retired.retain(is_left);
        }
        // Kernels' parameters are copied when they are launched.
        let is_used = !is_past && matches!(before, Work::Copy(_) | Work::Allocate(_));
        if is_used || is_left(&before) {
            retired.push(before);
        }
        Ok(())
    }

    /// Waits for launches by threads, which look at nodes when they come to them. Others have looked.
    pub(super) fn finish_launches(&self) {
        if self.runner.get().is_some() {
            self.last.lock().wait();
        }
    }

    /// Switches a node on or off; `INVALID_VALUE` for kinds of nodes that cannot be.
    pub(crate) fn set_enabled(&self, original: &Node, enabled: bool) -> CUres {
        self.finish_launches();
        self.switch(original)?.store(enabled, Ordering::Relaxed);
        self.has_changed();
        Ok(())
    }

    /// Whether a node is switched on; `INVALID_VALUE` for kinds of nodes that cannot be off.
    pub(crate) fn is_enabled(&self, original: &Node) -> CUres<bool> {
        Ok(self.switch(original)?.load(Ordering::Relaxed))
    }

    fn switch(&self, original: &Node) -> CUres<&AtomicBool> {
        let node = self.node(original)?;
        match &*node.work.lock() {
            Work::Kernel(_) | Work::Task(_) | Work::Copy(_) | Work::Fill(_) => Ok(&node.is_enabled),
            _ => Err(CUerror::INVALID_VALUE),
        }
    }
}
