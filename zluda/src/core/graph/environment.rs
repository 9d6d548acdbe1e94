//! Launches of graphs by kernels.
//!
//! A launch of a graph has an environment: it has ended when the graph's own work has, and that of all graphs which its
//! kernels have launched to run at once, their environments with them. What the kernels launched to come behind it (tail
//! launches) comes then, one after the other, each in the place of the one before; what such a graph itself puts behind
//! it comes before the rest. A sibling is launched into the environment around. CUDA C++ Programming Guide, "Device Graph
//! Launch".
//!
//! The outermost environment is that of a launch by the host, which its stream waits for. Each graph that runs at once has
//! a thread, which puts its nodes into a stream of its own; kernels know the environment by a number that their launches
//! have ([`HipRuntime::set_graph_launch`](hip_runtime_sys::HipRuntime::set_graph_launch)).

use super::exec::{DEVICE_LAUNCH, Exec, from_handle};
use cuda_types::cuda::{CUerror, CUres};
use parking_lot::{Condvar, Mutex, RwLock};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// `cudaStreamGraphTailLaunch`, `cudaStreamGraphFireAndForget`, `cudaStreamGraphFireAndForgetAsSibling`
const TAIL: u64 = 0x0100_0000_0000_0000;
const FIRE_AND_FORGET: u64 = 0x0200_0000_0000_0000;
const SIBLING: u64 = 0x0300_0000_0000_0000;

/// "A graph can have up to 120 total fire-and-forget graphs during the course of its execution."
const MOST_CHILDREN: u32 = 120;
/// "A graph can have up to 255 pending tail launches."
const MOST_TAILS: usize = 255;

/// An environment that graphs run in.
pub(super) struct Environment {
    /// The graph whose launch it is of; none for the outermost one, a stream's.
    exec: Option<Arc<Exec>>,
    around: Option<Arc<Environment>>,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// Graphs that run at once and have not ended.
    children: usize,
    /// Those that its own kernels have launched so far.
    launched: u32,
    tails: VecDeque<Arc<Exec>>,
    error: Option<CUerror>,
}

/// The environments whose graphs run, by number.
static RUNNING: RwLock<BTreeMap<u64, Arc<Environment>>> = RwLock::new(BTreeMap::new());

impl Environment {
    fn new(exec: Option<Arc<Exec>>, around: Option<Arc<Environment>>) -> Arc<Environment> {
        Arc::new(Environment { exec, around, state: Mutex::default(), changed: Condvar::new() })
    }

    fn child_ends(&self, result: CUres) {
        let mut state = self.state.lock();
        state.children -= 1;
        state.error = state.error.or(result.err());
        self.changed.notify_all();
    }

    /// Waits for the graphs that run at once; returns the first error of theirs.
    fn wait(&self) -> CUres {
        let mut state = self.state.lock();
        while state.children != 0 {
            self.changed.wait(&mut state);
        }
        state.error.map_or(Ok(()), Err)
    }

    /// Launches a graph in this environment, on a thread of its own.
    fn launch(self: &Arc<Self>, exec: Arc<Exec>) -> CUres {
        self.state.lock().children += 1;
        let (this, same) = (self.clone(), exec.clone());
        let run = move || {
            let result = run_in(&this, exec);
            this.child_ends(result);
        };
        let thread = std::thread::Builder::new().name("zluda-graph".to_owned());
        thread.spawn(run).map(drop).map_err(|error| {
            tracing::error!("no thread for a graph: {error}");
            same.set_in_flight(false);
            self.child_ends(Ok(()));
            CUerror::OUT_OF_MEMORY
        })
    }
}

/// A launch by the host, on a thread for it: returns when all that belongs to it has ended.
pub(super) fn run(exec: Arc<Exec>) -> CUres {
    let stream = Environment::new(None, None);
    let result = run_in(&stream, exec);
    result.and(stream.wait())
}

/// Runs a graph in an environment, and what it has put behind it.
fn run_in(around: &Arc<Environment>, exec: Arc<Exec>) -> CUres {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let mut open = VecDeque::from([exec]);
    let mut result = Ok(());
    while let Some(exec) = open.pop_front() {
        let mut is_launched_again = false;
        if result.is_ok() {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let environment = Environment::new(Some(exec.clone()), Some(around.clone()));
            RUNNING.write().insert(number, environment.clone());
            result = exec.run_steps(number);
            // No kernel of it runs any more that could launch something.
            RUNNING.write().remove(&number);
            result = environment.wait().and(result);
            let mut tails = std::mem::take(&mut environment.state.lock().tails);
            is_launched_again = tails.iter().any(|tail| Arc::ptr_eq(tail, &exec));
            tails.append(&mut open);
            open = tails;
        }
        if !is_launched_again {
            exec.set_in_flight(false);
        }
    }
    result
}

/// The handle of the graph whose launch has this number, 0 if kernels cannot launch it.
pub(crate) fn current(launch: u64) -> u64 {
    let running = RUNNING.read();
    let exec = running.get(&launch).and_then(|environment| environment.exec.as_ref());
    exec.filter(|exec| exec.flags & DEVICE_LAUNCH != 0).map_or(0, |exec| exec.handle())
}

/// Launches an executable graph from a kernel of the launch of this number. `INVALID_VALUE` for kernels outside of graphs,
/// for graphs that kernels cannot launch, that have not been uploaded or that they have launched already, for streams
/// that are none for graphs, and for more launches than there may be.
pub(crate) fn launch(launch: u64, graph: u64, stream: u64) -> CUres {
    const REFUSED: CUres = Err(CUerror::INVALID_VALUE);
    let environment = RUNNING.read().get(&launch).cloned().ok_or(CUerror::INVALID_VALUE)?;
    let exec = from_handle(graph)?;
    if exec.flags & DEVICE_LAUNCH == 0 || !exec.is_uploaded() {
        return REFUSED;
    }
    let launching = environment.exec.as_ref();
    if launching.is_some_and(|launching| !launching.is_on_device_of(&exec)) {
        return REFUSED;
    }
    let is_own = launching.is_some_and(|launching| Arc::ptr_eq(launching, &exec));
    let mut state = environment.state.lock();
    match stream {
        TAIL if state.tails.len() >= MOST_TAILS => return REFUSED,
        FIRE_AND_FORGET | SIBLING if state.launched >= MOST_CHILDREN => return REFUSED,
        TAIL | FIRE_AND_FORGET | SIBLING => {}
        _ => return REFUSED,
    }
    // "A given graph can have only one self-launch enqueued at a time."
    let relaunches = stream == TAIL && is_own;
    let is_double = match relaunches {
        true => state.tails.iter().any(|tail| Arc::ptr_eq(tail, &exec)),
        false => exec.set_in_flight(true),
    };
    if is_double {
        return REFUSED;
    }
    if stream == TAIL {
        exec.set_in_flight(true);
        state.tails.push_back(exec);
        return Ok(());
    }
    state.launched += 1;
    drop(state);
    match &environment.around {
        Some(around) if stream == SIBLING => around.launch(exec),
        _ => environment.launch(exec),
    }
}
