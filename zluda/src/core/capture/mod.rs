//! Captured streams: what is put into one becomes nodes of a graph.
//!
//! A capture has its graph and the streams that have joined it through events; of each stream it knows the nodes
//! that the next one comes after. What conflicts with a capture invalidates it: its streams take nothing more, and
//! its end is an error.

mod event;
mod target;

use crate::core::context::Context;
use crate::core::context::place::Place;
use crate::core::graph::work::Work;
use crate::core::graph::{Edge, EdgeData, Graph, Node, Owner};
use crate::core::stream::StreamArg;
use cuda_types::cuda::{
    CUerror, CUgraphEdgeData, CUgraphNode, CUres, CUstreamCaptureMode as Mode,
    CUstreamCaptureStatus as Status,
};
use parking_lot::{Mutex, MutexGuard};
use std::cell::Cell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::thread::ThreadId;
pub(crate) use target::WorkTarget;

#[derive(Debug)]
pub(crate) struct Capture {
    pub(crate) id: u64,
    pub(crate) graph: Arc<Graph>,
    mode: Mode,
    thread: ThreadId,
    /// The stream that it began with.
    origin: Key,
    state: Mutex<State>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Active,
    Invalid,
    Ended,
}

/// A stream: its context's number and its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Key {
    context: u64,
    stream: u64,
}

/// A stream that is captured.
#[derive(Debug)]
struct Member {
    capture: Arc<Capture>,
    /// The nodes that the next one comes after.
    dependencies: Vec<Edge>,
    /// The legacy stream waits for it.
    is_blocking: bool,
    /// The number of the green context that the stream is of.
    green: Option<u64>,
    /// The dependencies as programs were told of them: they stay as long as these do.
    told: Option<Box<Dependencies>>,
}

#[derive(Debug, Default)]
pub(crate) struct Dependencies {
    pub(crate) nodes: Vec<CUgraphNode>,
    pub(crate) edges: Vec<CUgraphEdgeData>,
}

// SAFETY: handles are numbers.
unsafe impl Send for Dependencies {}

/// The nodes that an event stands for that was recorded in a captured stream.
#[derive(Clone, Debug)]
pub(crate) struct CapturedNodes {
    capture: Arc<Capture>,
    nodes: Vec<Edge>,
}

/// A captured stream, into whose graph work goes.
#[derive(Clone, Debug)]
pub(crate) struct Recorder {
    capture: Arc<Capture>,
    key: Key,
}

/// The state of a captured stream, as programs learn it.
pub(crate) struct Info {
    pub(crate) status: Status,
    pub(crate) capture: Option<Arc<Capture>>,
    /// The addresses of nodes and edges, and how many there are.
    pub(crate) dependencies: (*const CUgraphNode, *const CUgraphEdgeData, usize),
    /// Edges have other than the default data.
    pub(crate) has_edge_data: bool,
}

type Members = HashMap<Key, Member>;

static MEMBERS: LazyLock<Mutex<Members>> = LazyLock::new(Mutex::default);
/// The dependencies that programs were told of last in streams whose captures have ended. Programs read them still, as CUDA's own
/// libraries do, which NVIDIA's driver bears: they stay until the stream is captured again or ends.
static TOLD: LazyLock<Mutex<HashMap<Key, Box<Dependencies>>>> = LazyLock::new(Mutex::default);
/// Streams that are captured, so that the others cost nothing.
static COUNT: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static MODE: Cell<Mode> = const { Cell::new(Mode::CU_STREAM_CAPTURE_MODE_GLOBAL) };
}

/// Whether any stream is captured.
pub(crate) fn is_any() -> bool {
    COUNT.load(Ordering::Acquire) != 0
}

/// Sets the calling thread's mode and returns the one before.
pub(crate) fn exchange_mode(mode: Mode) -> CUres<Mode> {
    MODE.try_with(|kept| kept.replace(mode)).map_err(|_| CUerror::DEINITIALIZED)
}

impl Key {
    /// None for the legacy stream, which cannot be captured.
    fn of(stream: &StreamArg, context: &Context) -> Option<Key> {
        match stream {
            StreamArg::Legacy => None,
            other => Some(Key { context: context.id(), stream: other.id() }),
        }
    }
}

impl Capture {
    fn state(&self) -> State {
        *self.state.lock()
    }

    fn invalidate(&self) {
        let mut state = self.state.lock();
        if *state == State::Active {
            *state = State::Invalid;
        }
    }
}

fn members() -> MutexGuard<'static, Members> {
    MEMBERS.lock()
}

fn count(members: &Members) {
    COUNT.store(members.len(), Ordering::Release);
}

/// The recorder of the work of a stream, if it is captured.
///
/// `STREAM_CAPTURE_INVALIDATED`, and `STREAM_CAPTURE_IMPLICIT` for the legacy stream while streams are captured that
/// it waits for.
pub(crate) fn recorder(stream: &StreamArg, context: &Context) -> CUres<Option<Recorder>> {
    let members = members();
    let Some(key) = Key::of(stream, context) else {
        return refuse_implicit(&members, context).map(|()| None);
    };
    let Some(member) = members.get(&key) else { return Ok(None) };
    match member.capture.state() {
        State::Active => Ok(Some(Recorder { capture: member.capture.clone(), key })),
        _ => Err(CUerror::STREAM_CAPTURE_INVALIDATED),
    }
}

/// "The operation would have resulted in a disallowed implicit dependency on a current capture sequence from
/// cudaStreamLegacy."
fn refuse_implicit(members: &Members, context: &Context) -> CUres {
    let mut found = false;
    for (key, member) in members {
        if member.is_blocking && key.context == context.id() {
            member.capture.invalidate();
            found = true;
        }
    }
    if found { Err(CUerror::STREAM_CAPTURE_IMPLICIT) } else { Ok(()) }
}

/// Refuses what cannot be asked of a captured stream.
pub(crate) fn refuse_captured(stream: &StreamArg, context: &Context) -> CUres {
    let members = members();
    let Some(key) = Key::of(stream, context) else {
        return refuse_implicit(&members, context);
    };
    match members.get(&key) {
        Some(member) => {
            member.capture.invalidate();
            Err(CUerror::STREAM_CAPTURE_UNSUPPORTED)
        }
        None => Ok(()),
    }
}

/// Refuses calls that may conflict with captures, as the modes of those and of the calling thread say.
pub(crate) fn check_unsafe_call() -> CUres {
    if !is_any() {
        return Ok(());
    }
    let mode = MODE.try_with(Cell::get).unwrap_or(Mode::CU_STREAM_CAPTURE_MODE_GLOBAL);
    let this = std::thread::current().id();
    let conflicts = |capture: &Capture| match mode {
        Mode::CU_STREAM_CAPTURE_MODE_RELAXED => false,
        // "If the local thread has an ongoing capture sequence not initiated with RELAXED [...] it is prohibited."
        _ if capture.thread == this => capture.mode != Mode::CU_STREAM_CAPTURE_MODE_RELAXED,
        // "If any other thread has a concurrent capture sequence initiated with GLOBAL"
        Mode::CU_STREAM_CAPTURE_MODE_GLOBAL => capture.mode == Mode::CU_STREAM_CAPTURE_MODE_GLOBAL,
        _ => false,
    };
    let mut found = false;
    for member in members().values().filter(|member| conflicts(&member.capture)) {
        member.capture.invalidate();
        found = true;
    }
    if found { Err(CUerror::STREAM_CAPTURE_UNSUPPORTED) } else { Ok(()) }
}

/// Refuses what no capture of a context bears, green or not, whatever its mode. A primary context does not answer for its
/// green ones.
pub(crate) fn check_none_in(place: &Place) -> CUres {
    if !is_any() {
        return Ok(());
    }
    let mut found = false;
    let green = place.green.as_ref().map(|green| green.id);
    let is_in = |(key, member): &(&Key, &Member)| {
        key.context == place.context.id() && member.green == green
    };
    for (_, member) in members().iter().filter(is_in) {
        member.capture.invalidate();
        found = true;
    }
    if found { Err(CUerror::STREAM_CAPTURE_UNSUPPORTED) } else { Ok(()) }
}

/// Begins to capture a stream, into a graph of its own or into one that is there.
pub(crate) fn begin(
    stream: &StreamArg,
    context: &Arc<Context>,
    into: Option<(Arc<Graph>, Vec<Edge>)>,
    mode: Mode,
) -> CUres {
    static NEXT_ID: AtomicU64 = AtomicU64::new(1);
    // "The stream must not be the legacy stream."
    let key = Key::of(stream, context).ok_or(CUerror::STREAM_CAPTURE_UNSUPPORTED)?;
    // The end of a context ends its captures: one that another thread begins then would go on for ever.
    let _alive = context.keep_alive()?;
    let mut members = members();
    if members.contains_key(&key) {
        return Err(CUerror::ILLEGAL_STATE);
    }
    let (graph, dependencies) = match into {
        Some(into) => into,
        None => (Graph::create(Owner::Program)?, Vec::new()),
    };
    graph.set_captured_to(true);
    let capture = Arc::new(Capture {
        id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
        graph,
        mode,
        thread: std::thread::current().id(),
        origin: key,
        state: Mutex::new(State::Active),
    });
    let is_blocking = stream.is_blocking();
    let green = stream.green();
    members.insert(key, Member { capture, dependencies, is_blocking, green, told: None });
    count(&members);
    TOLD.lock().remove(&key);
    Ok(())
}

/// Ends the capture that began with a stream. Only `STREAM_CAPTURE_UNMATCHED` and `ILLEGAL_STATE` leave it as it is.
pub(crate) fn end(stream: &StreamArg, context: &Context) -> CUres<Arc<Graph>> {
    let key = Key::of(stream, context).ok_or(CUerror::ILLEGAL_STATE)?;
    let mut members = members();
    let capture = members.get(&key).ok_or(CUerror::ILLEGAL_STATE)?.capture.clone();
    // "If the capture was not begun in this stream"
    if capture.origin != key {
        capture.invalidate();
        return Err(CUerror::STREAM_CAPTURE_UNMATCHED);
    }
    let state = capture.state();
    let is_own_thread = capture.mode == Mode::CU_STREAM_CAPTURE_MODE_RELAXED
        || capture.thread == std::thread::current().id();
    let result = if state == State::Invalid {
        Err(CUerror::STREAM_CAPTURE_INVALIDATED)
    } else if !is_own_thread {
        Err(CUerror::STREAM_CAPTURE_WRONG_THREAD)
    } else if !is_joined(&members, &capture) {
        Err(CUerror::STREAM_CAPTURE_UNJOINED)
    } else {
        Ok(())
    };
    close(&mut members, &capture);
    drop(members);
    match result {
        Ok(()) => Ok(capture.graph.clone()),
        Err(error) => {
            // That of the program too, as on NVIDIA's devices.
            let _ = capture.graph.destroy();
            Err(error)
        }
    }
}

/// All that other streams have done comes before what the first one does next.
fn is_joined(members: &Members, capture: &Arc<Capture>) -> bool {
    let of_this = || members.iter().filter(|(_, member)| Arc::ptr_eq(&member.capture, capture));
    let numbers = |member: &Member| -> Vec<u64> {
        member.dependencies.iter().map(|edge| edge.node).collect()
    };
    if of_this().count() == 1 {
        return true;
    }
    let Some(origin) = members.get(&capture.origin) else { return false };
    let before = capture.graph.before(numbers(origin));
    of_this().all(|(_, member)| numbers(member).iter().all(|node| before.contains(node)))
}

/// Lets all streams of a capture go.
fn close(members: &mut Members, capture: &Arc<Capture>) {
    *capture.state.lock() = State::Ended;
    capture.graph.set_captured_to(false);
    members.retain(|key, member| {
        let stays = !Arc::ptr_eq(&member.capture, capture);
        if !stays && let Some(told) = member.told.take() {
            TOLD.lock().insert(*key, told);
        }
        stays
    });
    count(members);
}

/// A stream ends, and with it the capture that began with it.
pub(crate) fn end_stream(context: &Context, stream: u64) {
    let key = Key { context: context.id(), stream };
    if is_any() {
        let mut members = members();
        let capture = members.get(&key).map(|member| member.capture.clone());
        // Of other streams, what they have done may never be joined.
        if let Some(capture) = capture.filter(|capture| capture.origin == key) {
            close(&mut members, &capture);
            drop(members);
            let _ = capture.graph.destroy();
        }
    }
    TOLD.lock().remove(&key);
}

/// Ends the captures of a context that ends.
pub(crate) fn end_context(context: u64) {
    let mut members = members();
    while let Some((_, member)) = members.iter().find(|(key, _)| key.context == context) {
        let capture = member.capture.clone();
        close(&mut members, &capture);
    }
    TOLD.lock().retain(|key, _| key.context != context);
}

/// The state of a stream's capture. `STREAM_CAPTURE_IMPLICIT` for the legacy stream while streams are captured that it
/// waits for.
pub(crate) fn info(stream: &StreamArg, context: &Context) -> CUres<Info> {
    let mut info = Info {
        status: Status::CU_STREAM_CAPTURE_STATUS_NONE,
        capture: None,
        dependencies: (std::ptr::null(), std::ptr::null(), 0),
        has_edge_data: false,
    };
    if !is_any() {
        return Ok(info);
    }
    let mut members = members();
    let Some(key) = Key::of(stream, context) else {
        let waits =
            |(key, member): (&Key, &Member)| member.is_blocking && key.context == context.id();
        return match members.iter().any(waits) {
            true => Err(CUerror::STREAM_CAPTURE_IMPLICIT),
            false => Ok(info),
        };
    };
    let Some(member) = members.get_mut(&key) else { return Ok(info) };
    if member.capture.state() != State::Active {
        info.status = Status::CU_STREAM_CAPTURE_STATUS_INVALIDATED;
        return Ok(info);
    }
    info.status = Status::CU_STREAM_CAPTURE_STATUS_ACTIVE;
    info.has_edge_data = member.dependencies.iter().any(|edge| edge.data != EdgeData::default());
    let topology = member.capture.graph.topology.lock();
    let told = member.told.get_or_insert_with(|| {
        let handle = |edge: &Edge| topology.nodes.get(&edge.node).map(|links| links.node.handle());
        Box::new(Dependencies {
            nodes: member.dependencies.iter().filter_map(handle).collect(),
            edges: member.dependencies.iter().map(|edge| edge.data.to_cuda()).collect(),
        })
    });
    info.dependencies = (told.nodes.as_ptr(), told.edges.as_ptr(), told.nodes.len());
    drop(topology);
    info.capture = Some(member.capture.clone());
    Ok(info)
}

/// Adds to what the next node of a stream comes after, or replaces it.
pub(crate) fn update_dependencies(
    stream: &StreamArg,
    context: &Context,
    nodes: &[(Arc<Node>, CUgraphEdgeData)],
    replace: bool,
) -> CUres {
    let key = Key::of(stream, context).ok_or(CUerror::ILLEGAL_STATE)?;
    let mut members = members();
    let member = members.get_mut(&key).ok_or(CUerror::ILLEGAL_STATE)?;
    if member.capture.state() != State::Active {
        return Err(CUerror::STREAM_CAPTURE_INVALIDATED);
    }
    let mut dependencies = if replace { Vec::new() } else { member.dependencies.clone() };
    for (node, data) in nodes {
        if !member.capture.graph.topology.lock().has(node.id) {
            return Err(CUerror::INVALID_VALUE);
        }
        join(&mut dependencies, &[Edge { node: node.id, data: EdgeData::of(data) }]);
    }
    member.dependencies = dependencies;
    member.told = None;
    Ok(())
}

fn join(dependencies: &mut Vec<Edge>, more: &[Edge]) {
    for edge in more {
        if !dependencies.iter().any(|known| known.node == edge.node) {
            dependencies.push(*edge);
        }
    }
}

impl Recorder {
    /// Adds a node after all that the stream has done.
    pub(crate) fn add(&self, work: Work) -> CUres {
        self.add_after(work, |_| EdgeData::default()).map(drop)
    }

    /// Adds a kernel, which may begin before the kernels before it have ended where it is `programmatic`; returns its node.
    pub(crate) fn add_kernel(&self, work: Work, programmatic: bool) -> CUres<Arc<Node>> {
        self.add_after(work, |node| match &*node.work.lock() {
            Work::Kernel(_) if programmatic => EdgeData { from_port: 1, to_port: 0, kind: 1 },
            _ => EdgeData::default(),
        })
    }

    fn add_after(&self, work: Work, data: impl Fn(&Node) -> EdgeData) -> CUres<Arc<Node>> {
        let mut members = members();
        let member = self.member(&mut members)?;
        let mut before = member.dependencies.clone();
        {
            // The program may have removed nodes.
            let topology = self.capture.graph.topology.lock();
            before.retain_mut(|edge| {
                let links = topology.nodes.get(&edge.node);
                if let Some(links) = links.filter(|_| edge.data == EdgeData::default()) {
                    edge.data = data(&links.node);
                }
                links.is_some()
            });
        }
        let node = self.capture.graph.add(&before, work)?;
        member.dependencies = vec![Edge { node: node.id, data: EdgeData::default() }];
        member.told = None;
        Ok(node)
    }

    fn member<'a>(&self, members: &'a mut Members) -> CUres<&'a mut Member> {
        let active = self.capture.state() == State::Active;
        members.get_mut(&self.key).filter(|_| active).ok_or(CUerror::STREAM_CAPTURE_INVALIDATED)
    }

    /// The stream is captured, and what was asked cannot be.
    pub(crate) fn refuse(&self, error: CUerror) -> CUerror {
        self.capture.invalidate();
        error
    }

    /// The nodes that the next one would come after, for an event.
    pub(crate) fn captured_nodes(&self) -> CUres<CapturedNodes> {
        let mut members = members();
        let nodes = self.member(&mut members)?.dependencies.clone();
        Ok(CapturedNodes { capture: self.capture.clone(), nodes })
    }

    /// The stream goes on after these nodes too. `STREAM_CAPTURE_MERGE` for those of other captures.
    pub(crate) fn join(&self, captured: &CapturedNodes) -> CUres {
        if !Arc::ptr_eq(&captured.capture, &self.capture) {
            let error = if captured.capture.state() == State::Active {
                CUerror::STREAM_CAPTURE_MERGE
            } else {
                CUerror::INVALID_VALUE
            };
            captured.capture.invalidate();
            return Err(self.refuse(error));
        }
        let mut members = members();
        let member = self.member(&mut members)?;
        join(&mut member.dependencies, &captured.nodes);
        member.told = None;
        Ok(())
    }
}

impl CapturedNodes {
    /// A stream that is not captured joins the capture, after these nodes. `INVALID_VALUE` if the capture is over.
    pub(crate) fn lead(&self, stream: &StreamArg, context: &Arc<Context>) -> CUres {
        let _alive = context.keep_alive()?;
        let mut members = members();
        self.check_is_active()?;
        let Some(key) = Key::of(stream, context) else {
            self.capture.invalidate();
            return Err(CUerror::STREAM_CAPTURE_IMPLICIT);
        };
        let member = Member {
            capture: self.capture.clone(),
            dependencies: self.nodes.clone(),
            is_blocking: stream.is_blocking(),
            green: stream.green(),
            told: None,
        };
        members.insert(key, member);
        count(&members);
        Ok(())
    }

    fn check_is_active(&self) -> CUres {
        if self.capture.state() == State::Active { Ok(()) } else { Err(CUerror::INVALID_VALUE) }
    }
}

/// `CU_EVENT_RECORD_EXTERNAL` and `CU_EVENT_WAIT_EXTERNAL`: in captured streams, the event itself is meant.
pub(crate) const EXTERNAL: u32 = 1;
