//! A block in flight: its coroutines, and the order in which they run.
//!
//! A *unit* is what has a coroutine: a thread of the reference executor, or a warp of vector code; or
//! the whole block, where no warp ever waits. Units are resumed in turn, fairly. A unit that waits
//! (barriers, warp operations) leaves the queue until what it waits for has happened.

use std::cell::{Cell, RefCell, UnsafeCell};
use std::collections::VecDeque;
use std::ptr::{null, null_mut};

use corosensei::{Coroutine, CoroutineResult, Yielder};
use cpu_abi::{BlockContext, BlockEntry, ThreadContext, ThreadEntry, WARP_SIZE};
use hip_host::guard::fault::{self, Exit, Fault, Running};
use hip_host::guard::stack::KernelStack;
use hip_host::work::chaos::{self, About, Dice};
use hip_host::work::job::{Job, Taken};

use super::arena::Arena;
use super::barrier::Barriers;
use super::cluster::Cluster;
use super::dynamic_stack::DynamicStacks;
use super::groups::{self, Groups};
use super::in_step::Steps;
use super::launch::Launch;
use super::rendezvous::Rendezvous;
use super::runtime;

/// The ways in which blocks of a launch run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Vector code, all warps in one call.
    Whole,
    /// Vector code, a coroutine for each warp, or for all of them where the kernel gives them their turns.
    Warps,
    /// Reference code, a coroutine for each thread.
    Threads,
}

/// The reasons for which a coroutine is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pause {
    /// It waits until somebody makes it ready.
    Wait,
    /// Others may run; it is still ready.
    Yield,
    /// The same, though it does not wait for anything.
    Preempt,
    /// It will never go on: the launch has failed, and the error is known.
    Stop,
    /// Its block's code has ended. It goes on with another block's, from the beginning.
    End,
}

/// The ways in which a block ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Finished,
    /// The launch has failed elsewhere, or the error is already known.
    Stopped,
    Fault(Fault),
    Deadlock,
    /// No memory for the stack of a coroutine.
    NoStack,
}

type KernelCoroutine = Coroutine<(), Pause, Exit, KernelStack>;

/// A coroutine and its state.
struct Unit {
    coroutine: UnsafeCell<Option<KernelCoroutine>>,
    yielder: Cell<*const Yielder<(), Pause>>,
    finished: Cell<bool>,
    /// The coroutine has run a block to its end, and would begin with another one.
    at_start: Cell<bool>,
    /// The result of the operation that it waited for.
    result: Cell<u64>,
    /// The phases of the cluster's barrier that it has arrived in.
    cluster_arrivals: Cell<u64>,
    /// The address at which the frames of the kernel end.
    top_of_frames: Cell<usize>,
    /// Of a warp that has parted.
    groups: Cell<*mut Groups>,
    /// It has had groups since the coroutine began.
    has_parted: Cell<bool>,
    /// Lanes of the warp that wait for a thread, and the rounds in which it was these.
    spins: Cell<(u32, u32)>,
}

impl Drop for Unit {
    fn drop(&mut self) {
        groups::drop_groups(&self.groups);
    }
}

/// Reached from kernels through [`BlockContext::engine`]; so everything is shared and has interior
/// mutability. No borrow is held while coroutines are switched.
pub struct Block {
    /// Kernels hold its address.
    context: UnsafeCell<BlockContext>,
    launch: *const Launch,
    job: *const Job,
    pub mode: Mode,
    units: Vec<Unit>,
    /// For the reference executor, a context for each unit.
    threads: Vec<ThreadContext>,
    current: Cell<u32>,
    live: Cell<u32>,
    ready: RefCell<VecDeque<u32>>,
    /// The coroutine that runs, for the handler of faults.
    running: Running,
    /// The float state register (MXCSR) as it is while no unit runs.
    float_state: Cell<u32>,
    /// Units that only yielded since the last step began.
    yields: Cell<u32>,
    pub barriers: RefCell<Barriers>,
    pub rendezvous: RefCell<Vec<Rendezvous>>,
    /// Empty where threads do not keep step.
    pub steps: Steps,
    stacks: RefCell<Vec<KernelStack>>,
    stack_size: usize,
    dynamic_stacks: RefCell<DynamicStacks>,
    /// Lives as long as the block.
    cluster: *const Cluster,
    /// The dice for the present place, where there is to be chaos, and how many chances there are for one preemption.
    chaos: RefCell<Option<(Dice, u64)>>,
}

impl Block {
    /// Room for blocks of a launch that are number `index` of their clusters; launch, arena and cluster
    /// live longer.
    pub fn new(
        launch: &Launch,
        job: &Job,
        slot: u32,
        arena: &Arena,
        index: u32,
        cluster: &Cluster,
    ) -> Box<Block> {
        let mode = launch.mode();
        let count = launch.units();
        let unit = || Unit {
            coroutine: UnsafeCell::new(None),
            yielder: Cell::new(null()),
            finished: Cell::new(false),
            at_start: Cell::new(false),
            result: Cell::new(0),
            cluster_arrivals: Cell::new(0),
            top_of_frames: Cell::new(0),
            groups: Cell::new(null_mut()),
            has_parted: Cell::new(false),
            spins: Cell::new((0, 0)),
        };
        let threads = if mode == Mode::Threads {
            (0..count).map(|index| thread(launch, index)).collect()
        } else {
            vec![]
        };
        let mut block = Box::new(Block {
            context: UnsafeCell::new(launch.context(slot)),
            launch,
            job,
            mode,
            units: (0..count).map(|_| unit()).collect(),
            threads,
            current: Cell::new(0),
            live: Cell::new(0),
            ready: RefCell::new(VecDeque::with_capacity(count as usize)),
            running: Cell::new(None),
            float_state: Cell::new(launch.float_state()),
            yields: Cell::new(0),
            barriers: RefCell::new(Barriers::new()),
            rendezvous: RefCell::new(Vec::new()),
            steps: Steps::new(if launch.keeps_step() { count } else { 0 }),
            stacks: RefCell::new(Vec::new()),
            stack_size: launch.stack_size(),
            dynamic_stacks: RefCell::default(),
            cluster,
            chaos: RefCell::new(None),
        });
        block.set_context(arena, index);
        let engine = block.context.get_mut().engine;
        for thread in &mut block.threads {
            thread.engine = engine;
        }
        block
    }

    /// Makes room for whole blocks, of a launch that has ended as it should, that of another such launch.
    pub fn renew(&mut self, launch: &Launch, job: &Job, slot: u32, arena: &Arena) {
        self.context = UnsafeCell::new(launch.context(slot));
        self.set_context(arena, 0);
        (self.launch, self.job) = (launch, job);
        let stack_size = launch.stack_size();
        if self.stack_size != stack_size {
            self.stacks.get_mut().clear();
            self.stack_size = stack_size;
        }
        for unit in &self.units {
            unit.spins.set((0, 0));
        }
        self.chaos.replace(None);
    }

    /// What the context says of the block itself.
    fn set_context(&mut self, arena: &Arena, index: u32) {
        let address: *mut Block = self;
        let context = self.context.get_mut();
        context.shared = arena.pointer(index);
        context.cluster_shared = arena.pointer(0);
        context.engine = address.cast();
    }

    /// The block behind a context that a kernel passes back.
    ///
    /// # Safety
    /// `context` is what the engine gave to the kernel, which still runs.
    pub unsafe fn of<'a>(context: *const BlockContext) -> &'a Block {
        // SAFETY: `engine` is the address of the boxed block, which lives as long as its kernel runs.
        unsafe { &*(*context).engine.cast::<Block>() }
    }

    /// The block's context, as kernels see it.
    pub fn context(&self) -> &BlockContext {
        // SAFETY: changed only between the blocks that it stands for, by the thread that runs them, or the kernel there.
        unsafe { &*self.context.get() }
    }

    /// The cluster that the block belongs to.
    pub fn cluster(&self) -> &Cluster {
        // SAFETY: whoever made the block says that it lives longer.
        unsafe { &*self.cluster }
    }

    /// `alloca` of a thread.
    pub fn alloca(&self, thread: u32, bytes: usize, alignment: usize) -> u64 {
        self.on_thread_stack(|| self.dynamic_stacks.borrow_mut().take(thread, bytes, alignment))
    }

    /// `stacksave` of a thread: the address of the end of what it has taken with `alloca`.
    pub fn stack_save(&self, thread: u32) -> u64 {
        self.dynamic_stacks.borrow().top(thread)
    }

    /// `stackrestore` of a thread: gives back what it has taken since [`Self::stack_save`] returned `place`.
    pub fn stack_restore(&self, thread: u32, place: u64) {
        self.on_thread_stack(|| self.dynamic_stacks.borrow_mut().restore(thread, place));
    }

    /// The number of phases of the cluster's barrier that a unit has arrived in.
    pub fn cluster_arrivals(&self, unit: u32) -> u64 {
        self.units[unit as usize].cluster_arrivals.get()
    }

    /// Sets the number of phases of the cluster's barrier that a unit has arrived in.
    pub fn set_cluster_arrivals(&self, unit: u32, phases: u64) {
        self.units[unit as usize].cluster_arrivals.set(phases);
    }

    fn set_place(&self, ctaid: [u32; 3]) {
        self.dynamic_stacks.borrow_mut().clear();
        if chaos::seed().is_some() {
            let [x, y, z] = ctaid.map(u64::from);
            let dice = chaos::dice(About::Block, &[self.job().number, x, y, z]);
            let chances = |dice: &Dice| [2, 8, 64, 1024][dice.below(4) as usize];
            self.chaos.replace(dice.map(|dice| (dice.clone(), chances(&dice))));
        }
        // SAFETY: no kernel runs, and this thread holds no reference.
        unsafe { (*self.context.get()).ctaid = ctaid };
    }

    /// The launch that the block belongs to.
    pub fn launch(&self) -> &Launch {
        // SAFETY: the launch is the job's task, and the job lives while blocks of it run.
        unsafe { &*self.launch }
    }

    /// The job of the pool that runs the launch.
    pub fn job(&self) -> &Job {
        // SAFETY: the job lives while blocks of it run.
        unsafe { &*self.job }
    }

    /// The unit that runs now.
    pub fn current(&self) -> u32 {
        self.current.get()
    }

    /// Units of the block.
    pub fn units(&self) -> usize {
        self.units.len()
    }

    /// Whether a unit can go on.
    pub fn is_ready(&self) -> bool {
        !self.ready.borrow().is_empty()
    }

    /// The warps, of 32 at most, that have a thread which can go on: where nobody else can, it has yielded.
    pub fn warps_that_yield(&self) -> u32 {
        let ready = self.ready.borrow();
        ready.iter().fold(0, |warps, thread| warps | 1 << (thread / WARP_SIZE))
    }

    /// Units that have not ended.
    pub fn live(&self) -> u32 {
        self.live.get()
    }

    fn unit(&self) -> &Unit {
        &self.units[self.current.get() as usize]
    }

    /// The groups of the running unit, a warp.
    pub fn groups(&self) -> &Cell<*mut Groups> {
        &self.unit().groups
    }

    /// Gives the running unit, a warp, its groups.
    pub fn set_groups(&self, groups: *mut Groups) {
        self.unit().groups.set(groups);
        self.unit().has_parted.set(true);
    }

    /// The address at which the frames of the running unit's kernel end.
    pub fn top_of_frames(&self) -> usize {
        self.unit().top_of_frames.get()
    }

    /// One more round in which these lanes of the running unit wait; returns how many there were.
    pub fn count_spin(&self, lanes: u32) -> u32 {
        let spins = &self.unit().spins;
        let (before, rounds) = spins.get();
        let rounds = if before == lanes { rounds.saturating_add(1) } else { 1 };
        spins.set((lanes, rounds));
        rounds
    }

    /// Whether a unit has ended.
    pub fn has_finished(&self, unit: u32) -> bool {
        self.units.get(unit as usize).is_none_or(|unit| unit.finished.get())
    }

    // What units call, on their own coroutines.

    /// Leaves the running unit; returns when it is resumed. `Stop` never returns.
    #[inline(always)]
    pub fn pause(&self, pause: Pause) {
        // SAFETY: set when the running coroutine began, and valid until it ends.
        let yielder = unsafe { &*self.units[self.current.get() as usize].yielder.get() };
        let float_state = runtime::float_state();
        self.float_state.set(float_state);
        loop {
            yielder.suspend(pause);
            if pause != Pause::Stop {
                break;
            }
        }
        if self.float_state.get() != float_state {
            runtime::set_float_state(float_state);
        }
    }

    /// Runs `f` on the stack of the thread: code that takes locks must not run where a stack overflow of
    /// the kernel can end it midway.
    pub fn on_thread_stack<R>(&self, f: impl FnOnce() -> R) -> R {
        // SAFETY: as in `pause`.
        let yielder = unsafe { &*self.units[self.current.get() as usize].yielder.get() };
        let f = SameThread(f);
        yielder.on_parent_stack(|| f.call()).0
    }

    /// Waits until somebody calls [`Block::wake`] for the running unit; returns what they brought.
    #[inline(always)]
    pub fn wait(&self) -> u64 {
        self.pause(Pause::Wait);
        self.units[self.current.get() as usize].result.get()
    }

    /// Lets a waiting unit go on.
    #[inline]
    pub fn wake(&self, unit: u32, result: u64) {
        self.units[unit as usize].result.set(result);
        self.ready.borrow_mut().push_back(unit);
    }

    /// A place where the running unit may be left, if there is to be chaos.
    #[inline]
    pub fn may_preempt(&self) {
        let due = match &*self.chaos.borrow() {
            Some((dice, chances)) => dice.one_in(*chances),
            None => false,
        };
        if due {
            groups::take_turns(self, Pause::Preempt);
        }
    }

    /// Lets the other units go first; where there is to be chaos, perhaps.
    pub fn preempt(&self) {
        if self.chaos.borrow().is_some() {
            self.may_preempt();
        } else if self.mode != Mode::Whole {
            groups::take_turns(self, Pause::Preempt);
        }
    }

    // What the thread does that runs the block.

    /// Sets the block up for another place of the grid.
    pub fn begin(&self, ctaid: [u32; 3]) {
        self.set_place(ctaid);
        let mut ready = self.ready.borrow_mut();
        ready.clear();
        ready.extend(0..self.units.len() as u32);
        drop(ready);
        for unit in &self.units {
            unit.finished.set(false);
            unit.cluster_arrivals.set(0);
            unit.spins.set((0, 0));
        }
        self.live.set(self.units.len() as u32);
        self.barriers.borrow_mut().reset();
        self.rendezvous.borrow_mut().clear();
        self.steps.reset();
    }

    /// Resumes every ready unit once. Returns an outcome when the block has ended; sets `moved` if
    /// anything but yielding happened.
    pub fn step(&self, moved: &mut bool) -> Option<Outcome> {
        if self.job().is_stopped() {
            self.abandon();
            return Some(Outcome::Stopped);
        }
        let count = match &*self.chaos.borrow() {
            None => self.ready.borrow().len(),
            Some((dice, _)) => {
                let mut ready = self.ready.borrow_mut();
                dice.shuffle(ready.make_contiguous());
                ready.len().min(1 + dice.below(ready.len() as u64) as usize)
            }
        };
        self.yields.set(0);
        // Another block may have run on this thread since.
        self.float_state.set(runtime::float_state());
        let outcome = fault::catching(&self.running, || {
            for _ in 0..count {
                let Some(unit) = self.ready.borrow_mut().pop_front() else { break };
                if let Some(outcome) = self.resume(unit) {
                    return Some(outcome);
                }
            }
            None
        });
        if outcome.is_some() {
            self.abandon();
            return outcome;
        }
        *moved |= (self.yields.get() as usize) < count;
        if self.live.get() == 0 {
            return Some(Outcome::Finished);
        }
        // Whoever was woken meanwhile may come to where others are.
        if self.ready.borrow().len() <= self.yields.get() as usize {
            super::reference::all_have_come(self);
        }
        None
    }

    /// Runs one unit until it pauses or ends. Returns an outcome if that ends the block.
    #[inline(always)]
    fn resume(&self, unit: u32) -> Option<Outcome> {
        self.current.set(unit);
        let slot = &self.units[unit as usize];
        // SAFETY: coroutines are reached only from the thread that runs the block, never from within one.
        let coroutine = unsafe { &mut *slot.coroutine.get() };
        if coroutine.is_none() || slot.at_start.replace(false) {
            let initial = self.launch().float_state();
            if self.float_state.get() != initial {
                runtime::set_float_state(initial);
            }
        }
        let coroutine = match coroutine {
            Some(coroutine) => coroutine,
            None => {
                // Without this unit the others would wait for nobody.
                let Some(started) = self.start(unit) else { return Some(Outcome::NoStack) };
                coroutine.insert(started)
            }
        };
        self.running.set(Some(coroutine.trap_handler()));
        match coroutine.resume(()) {
            CoroutineResult::Yield(Pause::Wait) => None,
            CoroutineResult::Yield(Pause::Yield) => {
                self.yields.set(self.yields.get() + 1);
                self.ready.borrow_mut().push_back(unit);
                None
            }
            CoroutineResult::Yield(Pause::Preempt) => {
                self.ready.borrow_mut().push_back(unit);
                None
            }
            CoroutineResult::Yield(Pause::Stop) => Some(Outcome::Stopped),
            CoroutineResult::Return(Exit::Fault(fault)) => Some(Outcome::Fault(fault)),
            CoroutineResult::Yield(Pause::End) => {
                slot.at_start.set(true);
                self.note_end(unit);
                None
            }
            CoroutineResult::Return(Exit::Finished) => {
                self.keep_stack(unit);
                self.note_end(unit);
                None
            }
        }
    }

    /// Lets others know that a unit has ended.
    fn note_end(&self, unit: u32) {
        self.float_state.set(runtime::float_state());
        self.units[unit as usize].finished.set(true);
        self.live.set(self.live.get() - 1);
        super::barrier::unit_ended(self);
        super::reference::unit_ended(self, unit);
        self.cluster().unit_ended(self, unit);
    }

    /// Makes the coroutine of a unit.
    fn start(&self, unit: u32) -> Option<KernelCoroutine> {
        let address: *const Block = self;
        let mode = self.mode;
        self.coroutine(move |yielder| {
            // SAFETY: the block lives as long as its coroutines. The entry is of the kind that the
            // descriptor says, which is how the mode was chosen.
            unsafe {
                let block = &*address;
                block.units[unit as usize].yielder.set(yielder);
                let entry = block.launch().descriptor.entry;
                match mode {
                    Mode::Threads => {
                        let entry = std::mem::transmute::<*const _, ThreadEntry>(entry);
                        entry(block.context.get(), &block.threads[unit as usize]);
                    }
                    Mode::Warps | Mode::Whole => {
                        let entry = std::mem::transmute::<*const _, BlockEntry>(entry);
                        let top = block.units[unit as usize].top_of_frames.as_ptr();
                        let warps = block.launch().warps_of_unit();
                        let first = unit * warps;
                        // Whoever takes a coroutine that has just run to its end apart waits until all that it wrote is in
                        // the cache: a warp's output, often. So it is kept for the next block, as long as all frames
                        // on its stack end by themselves.
                        loop {
                            groups::enter(entry, block.context.get(), first, first + warps, top);
                            if block.units[unit as usize].has_parted.replace(false) {
                                break;
                            }
                            yielder.suspend(Pause::End);
                        }
                    }
                }
            }
        })
    }

    /// Runs blocks one after the other, all warps of each in one call, all within one coroutine.
    pub fn run_whole(&self, taken: &Taken<'_>) -> Outcome {
        let address: *const Block = self;
        let taken: *const Taken<'static> = std::ptr::from_ref(taken).cast();
        self.current.set(0);
        let coroutine = self.coroutine(move |yielder| {
            // SAFETY: block and counter live until the coroutine has ended.
            let (block, taken) = unsafe { (&*address, &*taken) };
            block.units[0].yielder.set(yielder);
            // SAFETY: the mode was chosen by the kind of the descriptor.
            let entry = unsafe {
                std::mem::transmute::<*const _, BlockEntry>(block.launch().descriptor.entry)
            };
            let warps = block.context().warps;
            while let Some(number) = taken.claim() {
                let ctaid = block.launch().ctaid(number);
                block.set_place(ctaid);
                let others = taken.claim_others(block.launch().run_from(ctaid) - 1);
                // SAFETY: no kernel runs, and this thread holds no reference.
                unsafe { (*block.context.get()).blocks = 1 + others };
                // SAFETY: what the entry asks for.
                unsafe {
                    let top = block.units[0].top_of_frames.as_ptr();
                    groups::enter(entry, block.context.get(), 0, warps, top);
                }
            }
        });
        let Some(mut coroutine) = coroutine else { return Outcome::NoStack };
        self.running.set(Some(coroutine.trap_handler()));
        loop {
            let outcome = match fault::catching(&self.running, || coroutine.resume(())) {
                CoroutineResult::Yield(Pause::Yield | Pause::Preempt) => continue,
                // There is nobody who could wake it.
                CoroutineResult::Yield(Pause::Wait | Pause::End) => Outcome::Deadlock,
                CoroutineResult::Yield(Pause::Stop) => Outcome::Stopped,
                CoroutineResult::Return(Exit::Fault(fault)) => Outcome::Fault(fault),
                CoroutineResult::Return(Exit::Finished) => Outcome::Finished,
            };
            // SAFETY: the frames of kernel code own nothing.
            unsafe { coroutine.force_reset() };
            groups::drop_groups(&self.units[0].groups);
            self.running.set(None);
            self.stacks.borrow_mut().push(coroutine.into_stack());
            return outcome;
        }
    }

    /// A coroutine on a stack of the launch's size, if there is memory for one.
    fn coroutine(
        &self,
        body: impl FnOnce(&Yielder<(), Pause>) + 'static,
    ) -> Option<KernelCoroutine> {
        let stack = self.stacks.borrow_mut().pop().or_else(|| KernelStack::new(self.stack_size))?;
        Some(Coroutine::with_stack(stack.cleared(), move |yielder, ()| {
            body(yielder);
            Exit::Finished
        }))
    }

    fn keep_stack(&self, unit: u32) {
        // SAFETY: as in `resume`; the coroutine has ended.
        let coroutine = unsafe { (*self.units[unit as usize].coroutine.get()).take() };
        if let Some(coroutine) = coroutine {
            self.stacks.borrow_mut().push(coroutine.into_stack());
        }
    }

    /// Gives up all coroutines that have not ended.
    pub fn abandon(&self) {
        for unit in &self.units {
            // SAFETY: as in `resume`; the frames of kernel code own nothing.
            unsafe {
                unit.at_start.set(false);
                unit.has_parted.set(false);
                if let Some(mut coroutine) = (*unit.coroutine.get()).take() {
                    coroutine.force_reset();
                    self.stacks.borrow_mut().push(coroutine.into_stack());
                }
                groups::drop_groups(&unit.groups);
            }
        }
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        self.abandon();
    }
}

/// Says that a value does not leave its thread, only its stack.
struct SameThread<T>(T);

// SAFETY: as it says.
unsafe impl<T> Send for SameThread<T> {}

impl<R, F: FnOnce() -> R> SameThread<F> {
    fn call(self) -> SameThread<R> {
        SameThread((self.0)())
    }
}

/// The context of a thread of the reference executor.
fn thread(launch: &Launch, index: u32) -> ThreadContext {
    let [x, y, _] = launch.block;
    let tid = [index % x, index / x % y, index / x / y];
    let (lane, warp) = (index % WARP_SIZE, index / WARP_SIZE);
    ThreadContext { tid, lane, warp, _reserved: 0, engine: null_mut() }
}
