//! The plan of an executable graph's launches: lanes, which are chains of nodes that run side by side, each in a stream of
//! its own; and in them runs of kernels, which a provider may get all at once.

use super::Graph;
use super::Node;
use super::work::Work;
use crate::core::device::driver::Driver;
use crate::core::launch::sequence_kernel;
use crate::core::stream::event::Marker;
use crate::core::stream::{PrivateStream, Target};
use cuda_types::cuda::CUres;
use hip_runtime_sys::{Sequence, SequenceKernel, hipError_t};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Lanes of a graph at most: what more branches there are, stands behind others.
const MOST_LANES: usize = 16;

#[derive(Debug)]
pub(super) struct Plan {
    actions: Vec<Action>,
    runs: Vec<Run>,
    lanes: usize,
    markers: usize,
    /// The streams of the lanes but the first one, and the places in them that others wait for.
    streams: Mutex<Option<Streams>>,
}

/// The pieces of a launch, in the order in which streams get them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    /// A lane waits for a place in another one.
    Hold {
        lane: usize,
        marker: usize,
    },
    Run {
        lane: usize,
        run: usize,
    },
    Record {
        lane: usize,
        marker: usize,
    },
}

/// Nodes of one lane that nothing comes between.
#[derive(Debug)]
struct Run {
    nodes: Vec<Arc<Node>>,
    /// What they were made to when nodes were last changed.
    made: Mutex<Option<Made>>,
}

#[derive(Debug)]
struct Made {
    /// The number of the change, and the context.
    state: (u64, u64),
    pieces: Vec<Piece>,
}

#[derive(Debug)]
enum Piece {
    Node(Arc<Node>),
    Kernels(Sequence),
}

#[derive(Debug)]
struct Streams {
    /// The number of the context whose streams they are.
    context: u64,
    lanes: Vec<PrivateStream>,
    markers: Vec<Marker>,
}

/// A node, or a place where several ends of a child graph meet.
struct Item {
    node: Option<Arc<Node>>,
    /// The items that it comes after.
    before: Vec<usize>,
}

/// The nodes of a graph, those of child graphs behind theirs, in an order that keeps all edges. `after` comes before all;
/// returns what comes last.
fn flatten(graph: &Graph, after: Option<usize>, items: &mut Vec<Item>) -> Option<usize> {
    // There are no cycles: that has been checked.
    let order = graph.order().unwrap_or_default();
    let mut ends = HashMap::new();
    let mut last = Vec::new();
    for node in order {
        let (before, is_last) = graph.before_and_whether_last(&node);
        let mut before: Vec<usize> = before.iter().filter_map(|id| ends.get(id).copied()).collect();
        if before.is_empty() {
            before.extend(after);
        }
        let mut end = items.len();
        items.push(Item { node: Some(node.clone()), before });
        let child = match &*node.work.lock() {
            Work::Child(child) => Some(child.clone()),
            _ => None,
        };
        if let Some(child) = child {
            end = flatten(&child, Some(end), items).unwrap_or(end);
        }
        if is_last {
            last.push(end);
        }
        ends.insert(node.id, end);
    }
    match last.as_slice() {
        [] => None,
        [end] => Some(*end),
        _ => {
            items.push(Item { node: None, before: last });
            Some(items.len() - 1)
        }
    }
}

/// The places of items in lanes, and which ends of others each one waits for.
#[derive(Default)]
struct Layout {
    /// By item: its lane, and the number of its place in it, from 1.
    places: Vec<(usize, usize)>,
    /// By item: the items of other lanes that its lane waits for before it.
    holds: Vec<Vec<usize>>,
    /// By item: how much of each lane has ended when it has.
    known: Vec<[usize; MOST_LANES]>,
    /// By lane: the same for its last item, and that.
    lanes: Vec<([usize; MOST_LANES], usize)>,
}

impl Layout {
    fn of(items: &[Item]) -> Layout {
        let mut layout = Layout::default();
        for (number, item) in items.iter().enumerate() {
            layout.add(number, &item.before);
        }
        layout
    }

    fn add(&mut self, number: usize, before: &[usize]) {
        let mut known = [0; MOST_LANES];
        for item in before {
            merge(&mut known, &self.known[*item]);
        }
        let lane = self.lane(&known, before);
        let mut own = self.lanes.get(lane).map_or([0; MOST_LANES], |(known, _)| *known);
        let mut holds = Vec::new();
        // The latest first: others have ended by then as a rule.
        for item in before.iter().rev() {
            let (other, place) = self.places[*item];
            if own[other] < place {
                holds.push(*item);
                merge(&mut own, &self.known[*item]);
            }
        }
        own[lane] += 1;
        self.places.push((lane, own[lane]));
        self.holds.push(holds);
        self.known.push(own);
        match self.lanes.get_mut(lane) {
            Some(entry) => *entry = (own, number),
            None => self.lanes.push((own, number)),
        }
    }

    /// The lane of an item: that of one before it which is the last there; else one that has ended by then, else a new one.
    fn lane(&self, known: &[usize; MOST_LANES], before: &[usize]) -> usize {
        let is_end = |item: &&usize| self.lanes[self.places[**item].0].1 == **item;
        if let Some(item) = before.iter().find(is_end) {
            return self.places[*item].0;
        }
        let has_ended = |lane: &usize| self.lanes[*lane].0[*lane] <= known[*lane];
        let all = 0..self.lanes.len();
        match all.clone().find(has_ended) {
            Some(lane) => lane,
            None if self.lanes.len() < MOST_LANES => self.lanes.len(),
            None => all.min_by_key(|lane| self.lanes[*lane].0[*lane]).unwrap_or(0),
        }
    }
}

fn merge(known: &mut [usize; MOST_LANES], other: &[usize; MOST_LANES]) {
    for (known, other) in known.iter_mut().zip(other) {
        *known = (*known).max(*other);
    }
}

impl Plan {
    /// The plan for a graph without conditional nodes.
    pub(super) fn new(graph: &Graph) -> Plan {
        let mut items = Vec::new();
        flatten(graph, None, &mut items);
        let layout = Layout::of(&items);
        let lanes = layout.lanes.len();
        // The first marker is where the launch begins.
        let mut markers: HashMap<usize, usize> = HashMap::new();
        let mut marker_of = |item: usize| {
            let next = markers.len() + 1;
            *markers.entry(item).or_insert(next)
        };
        for item in layout.holds.iter().flatten() {
            marker_of(*item);
        }
        let main = layout.lanes.first().map_or([0; MOST_LANES], |(known, _)| *known);
        let ends = layout.lanes.iter().enumerate().skip(1);
        let ends: Vec<usize> = ends
            .filter(|(lane, (own, _))| main[*lane] < own[*lane])
            .map(|(_, (_, item))| marker_of(*item))
            .collect();
        let (mut actions, mut runs) = (Vec::new(), Vec::<Run>::new());
        if lanes > 1 {
            actions.push(Action::Record { lane: 0, marker: 0 });
        }
        // By lane, the run that goes on.
        let mut open: Vec<Option<usize>> = vec![None; lanes];
        let mut has_begun = vec![false; lanes];
        for (number, item) in items.iter().enumerate() {
            let ((lane, _), holds) = (layout.places[number], &layout.holds[number]);
            let is_kernel = item.node.as_ref().is_some_and(|node| is_kernel(node));
            if !holds.is_empty() || !is_kernel {
                open[lane] = None;
            }
            if lane != 0 && !has_begun[lane] && holds.is_empty() {
                actions.push(Action::Hold { lane, marker: 0 });
            }
            has_begun[lane] = true;
            let hold = |item: &usize| Action::Hold { lane, marker: markers[item] };
            actions.extend(holds.iter().map(hold));
            if let Some(node) = &item.node {
                match open[lane] {
                    Some(run) => runs[run].nodes.push(node.clone()),
                    None => {
                        actions.push(Action::Run { lane, run: runs.len() });
                        open[lane] = is_kernel.then_some(runs.len());
                        runs.push(Run { nodes: vec![node.clone()], made: Mutex::default() });
                    }
                }
            }
            if let Some(marker) = markers.get(&number) {
                actions.push(Action::Record { lane, marker: *marker });
                open[lane] = None;
            }
        }
        actions.extend(ends.iter().map(|marker| Action::Hold { lane: 0, marker: *marker }));
        let markers = markers.len() + 1;
        Plan { actions, runs, lanes, markers, streams: Mutex::default() }
    }

    /// Puts all work into streams, the first of them `target`, which waits for the others. `change` is the number of the
    /// last change of a node.
    pub(super) fn run(&self, target: &Target, change: u64) -> CUres {
        let mut streams = self.streams.lock();
        let context = target.current.context.id();
        if self.lanes > 1 && streams.as_ref().is_none_or(|streams| streams.context != context) {
            *streams = Some(self.streams_for(target)?);
        }
        let (lanes, markers) = match &*streams {
            Some(streams) => (streams.lanes.as_slice(), streams.markers.as_slice()),
            None => (&[][..], &[][..]),
        };
        let context = &target.current.context;
        let lanes = lanes.iter().map(|lane| lane.target(context)).collect::<CUres<Vec<_>>>()?;
        let lane = |number: usize| match number {
            0 => target,
            _ => &lanes[number - 1],
        };
        let mut result = Ok(());
        for action in &self.actions {
            // Lanes are waited for whatever happens.
            let done = match *action {
                Action::Hold { lane: number, marker } => markers[marker].hold(lane(number)),
                Action::Record { lane: number, marker } => markers[marker].record(lane(number)),
                Action::Run { .. } if result.is_err() => Ok(()),
                Action::Run { lane: number, run } => self.runs[run].put(lane(number), change),
            };
            result = result.and(done);
        }
        result
    }

    fn streams_for(&self, target: &Target) -> CUres<Streams> {
        let current = &target.current;
        Ok(Streams {
            context: current.context.id(),
            lanes: (1..self.lanes).map(|_| PrivateStream::new(current)).collect::<CUres<_>>()?,
            markers: (0..self.markers).map(|_| Marker::new(current)).collect::<CUres<_>>()?,
        })
    }
}

fn is_kernel(node: &Node) -> bool {
    matches!(&*node.work.lock(), Work::Kernel(_))
}

fn put(node: &Node, target: &Target) -> CUres {
    match node.is_enabled.load(Ordering::Relaxed) {
        true => node.work.lock().put(target),
        false => Ok(()),
    }
}

impl Run {
    fn put(&self, target: &Target, change: u64) -> CUres {
        if let [node] = self.nodes.as_slice() {
            return put(node, target);
        }
        let state = (change, target.current.context.id());
        let mut made = self.made.lock();
        let made = match &mut *made {
            Some(made) if made.state == state => made,
            other => other.insert(Made { state, pieces: self.pieces(target)? }),
        };
        made.pieces.iter().try_for_each(|piece| match piece {
            Piece::Node(node) => put(node, target),
            // SAFETY: the stream has been checked.
            Piece::Kernels(kernels) => target.current.check(unsafe { kernels.launch(target.hip) }),
        })
    }

    /// What the provider takes all at once, and what it takes node by node.
    fn pieces(&self, target: &Target) -> CUres<Vec<Piece>> {
        let (mut pieces, mut together) = (Vec::new(), Together::default());
        let driver = target.current.driver;
        for node in &self.nodes {
            if !node.is_enabled.load(Ordering::Relaxed) {
                continue;
            }
            if !together.add(node, target)? {
                together.end(driver, &mut pieces);
                pieces.push(Piece::Node(node.clone()));
            }
        }
        together.end(driver, &mut pieces);
        Ok(pieces)
    }
}

/// Kernels that a provider is about to get all at once.
#[derive(Default)]
struct Together {
    nodes: Vec<Arc<Node>>,
    kernels: Vec<SequenceKernel>,
    /// The parameters, which the kernels point to.
    params: Vec<crate::core::device::launch::Params>,
}

impl Together {
    /// Adds a kernel of the stream's context, if the device takes such kernels together.
    fn add(&mut self, node: &Arc<Node>, target: &Target) -> CUres<bool> {
        let work = node.work.lock();
        let Work::Kernel(launch) = &*work else { return Ok(false) };
        if launch.function.data.context.id() != target.current.context.id() {
            return Ok(false);
        }
        let mut params = launch.params.clone();
        let kernel = sequence_kernel(target, &launch.function, &launch.config, &mut params)?;
        let Some(kernel) = kernel else { return Ok(false) };
        self.kernels.push(kernel);
        self.params.push(params);
        self.nodes.push(node.clone());
        Ok(true)
    }

    fn end(&mut self, driver: &Driver, pieces: &mut Vec<Piece>) {
        let Together { nodes, mut kernels, params } = std::mem::take(self);
        if nodes.len() > 1 {
            for (kernel, params) in kernels.iter_mut().zip(&params) {
                kernel.params = params.as_ptr().cast();
            }
            // SAFETY: the parameters are there.
            match unsafe { driver.hip.create_sequence(&kernels) } {
                Ok(sequence) => return pieces.push(Piece::Kernels(sequence)),
                Err(hipError_t::hipErrorNotSupported) => {}
                Err(error) => tracing::debug!("kernels of a graph one by one: {}", error.0),
            }
        }
        pieces.extend(nodes.into_iter().map(Piece::Node));
    }
}
