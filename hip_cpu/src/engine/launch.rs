//! One launch of a kernel: what all its blocks share, and how threads run them.

use std::ops::Deref;
use std::time::{Duration, Instant};

use cpu_abi::{
    BlockContext, FLAG_ANY_ORDER, FLAG_BLOCK_RUNS, FLAG_IN_STEP, FLAG_RETURNS, FLAG_WAITS,
    KernelDescriptor, KernelKind, WARP_SIZE,
};
use hip_host::core::request::Request;
use hip_host::guard::fault::{self, Fault};
use hip_host::guard::stack;
use hip_host::work::blocks::Order;
use hip_host::work::chaos::{self, About};
use hip_host::work::job::{Job, Taken, Task};
use hip_host::work::ticks::Ticks;
use hip_runtime_sys::hipError_t;

use super::block::{Mode, Outcome};
use super::cluster::ResidentCluster;
use super::runtime;
use crate::os::jolt;

/// After how long of waiting a block counts as one that waits for a block which has not begun. It is longer than blocks
/// wait for those before them, as a rule.
const PATIENCE: Duration = Duration::from_millis(2);
/// For each block that a thread has in flight, after how long without an end of one it begins one more, where blocks may wait
/// for others: what they do may be a way of waiting, too.
pub const LONG: Duration = Duration::from_millis(8);
/// Warps that a thread has in flight, at most, where blocks wait for each other; each needs a stack.
const MOST_WARPS: u32 = 2048;

/// Stacks likewise: each is two mappings of the process, which may have 65,530.
const MOST_STACKS: u32 = 8192;

/// A launch of x86-64 code.
pub struct Launch {
    pub request: Request,
    pub descriptor: KernelDescriptor,
}

impl Deref for Launch {
    type Target = Request;

    fn deref(&self) -> &Request {
        &self.request
    }
}

impl Launch {
    /// Warps of a block.
    pub fn warps(&self) -> u32 {
        self.threads().div_ceil(WARP_SIZE)
    }

    /// What has a coroutine in a block.
    pub fn units(&self) -> u32 {
        match self.mode() {
            Mode::Whole => 1,
            Mode::Warps => self.warps() / self.warps_of_unit(),
            Mode::Threads => self.threads(),
        }
    }

    /// Warps of a unit of vector code whose warps may wait.
    pub fn warps_of_unit(&self) -> u32 {
        if self.descriptor.flags & FLAG_RETURNS != 0 { self.warps() } else { 1 }
    }

    /// The float state register (MXCSR) that the kernel begins with.
    pub fn float_state(&self) -> u32 {
        runtime::initial_float_state(&self.descriptor)
    }

    /// The way in which the blocks of the launch run.
    pub fn mode(&self) -> Mode {
        if self.descriptor.kind == KernelKind::Reference as u32 {
            Mode::Threads
        } else if self.cooperative
            || self.cluster_blocks() > 1
            || (self.warps() > self.warps_of_unit()
                && (self.descriptor.flags & FLAG_WAITS != 0 || self.parts_warps()))
            || (self.descriptor.flags & FLAG_WAITS != 0 && self.blocks_may_wait())
        {
            Mode::Warps
        } else {
            Mode::Whole
        }
    }

    /// Threads of a warp keep step.
    pub fn keeps_step(&self) -> bool {
        self.descriptor.flags & FLAG_IN_STEP != 0
    }

    /// Warps that could run in one call run one by one, now and then.
    fn parts_warps(&self) -> bool {
        chaos::dice(About::Launch, &[self.grid_id]).is_some_and(|dice| dice.one_in(2))
    }

    /// Blocks of a cooperative launch wait for each other.
    pub fn order(&self) -> Order {
        if self.descriptor.flags & FLAG_ANY_ORDER != 0 && !self.cooperative {
            Order::Any
        } else {
            Order::Ascending
        }
    }

    /// Whether a block may wait for one that has not begun, as software does that counts on a GPU to hold the whole grid.
    fn blocks_may_wait(&self) -> bool {
        self.descriptor.flags & FLAG_ANY_ORDER == 0 && self.clusters() > 1
    }

    /// Whether a thread has several blocks to run, if all take part.
    pub fn has_more_blocks_than_threads(&self) -> bool {
        self.clusters() > u64::from(self.request.context.device.processors())
    }

    /// Stack for each coroutine: what the kernel says, and what the program asked for with
    /// `hipLimitStackSize`, with room for registers. Vector code keeps the rows of 32 lanes.
    pub fn stack_size(&self) -> usize {
        let per_thread = self.descriptor.local_size as usize + self.context.limits.stack();
        match self.mode() {
            Mode::Threads => (32 << 10) + 4 * per_thread,
            Mode::Warps | Mode::Whole => {
                let frames = self.descriptor.frame_size as usize * self.warps() as usize;
                (192 << 10) + 2 * WARP_SIZE as usize * per_thread + frames
            }
        }
    }

    /// A context for blocks of this launch, without those fields that differ between blocks.
    pub fn context(&self, slot: u32) -> BlockContext {
        BlockContext {
            params: self.params.as_ptr().cast(),
            shared: std::ptr::null_mut(),
            runtime: &raw const runtime::RUNTIME,
            ntid: self.block,
            nctaid: self.grid,
            ctaid: [0; 3],
            dynamic_shared_size: self.dynamic_shared,
            total_shared_size: self.descriptor.static_shared_size.next_multiple_of(16)
                + self.dynamic_shared,
            warps: self.warps(),
            smid: slot,
            nsmid: self.request.context.device.processors(),
            cluster: self.cluster.unwrap_or([1; 3]),
            explicit_cluster: self.cluster.is_some().into(),
            cluster_shared: std::ptr::null_mut(),
            grid_id: self.grid_id,
            engine: std::ptr::null_mut(),
            blocks: 1,
        }
    }

    /// Blocks that one call of the entry may run: the one at this place and those behind it along x.
    pub fn run_from(&self, ctaid: [u32; 3]) -> u32 {
        if self.descriptor.flags & FLAG_BLOCK_RUNS == 0 { 1 } else { self.grid[0] - ctaid[0] }
    }

    fn fail_with(&self, job: &Job, outcome: Outcome) {
        let name = &self.kernel.name;
        let error = match outcome {
            Outcome::Finished | Outcome::Stopped => return,
            Outcome::Fault(Fault { is_access: true, address, .. }) if stack::contains(address) => {
                let size = self.stack_size();
                tracing::error!("kernel {name}: a stack of {size} bytes overflows");
                hipError_t::hipErrorIllegalAddress
            }
            Outcome::Fault(Fault { is_access: true, address, .. }) => {
                tracing::error!("kernel {name}: bad access at address {address:#x}");
                hipError_t::hipErrorIllegalAddress
            }
            Outcome::Fault(Fault { signal, address, .. }) => {
                tracing::error!("kernel {name}: signal {signal} at {address:#x}");
                hipError_t::hipErrorLaunchFailure
            }
            Outcome::Deadlock => {
                tracing::error!(
                    "kernel {name}: the threads of a block wait for each other forever"
                );
                hipError_t::hipErrorLaunchFailure
            }
            Outcome::NoStack => {
                let size = self.stack_size();
                tracing::error!("kernel {name}: no memory for a stack of {size} bytes");
                hipError_t::hipErrorLaunchOutOfResources
            }
        };
        self.fail(job, error);
    }

    /// One cluster after the other, as long as none waits for one that has not begun.
    fn run_in_turn(&self, job: &Job, slot: u32) {
        let taken = Taken::new(job, slot);
        if self.mode() == Mode::Whole {
            return self.run_whole(job, slot, &taken);
        }
        let Some(group) = ResidentCluster::new(self, job, slot) else {
            return self.out_of_memory(job, &taken);
        };
        let patience = self.blocks_may_wait().then_some(PATIENCE);
        while let Some(number) = taken.claim() {
            group.begin(number);
            let Some(outcome) = group.run(patience) else {
                return self.run_together(job, slot, &taken, vec![group]);
            };
            self.fail_with(job, outcome);
        }
    }

    /// Whole blocks, of which none waits.
    fn run_whole(&self, job: &Job, slot: u32, taken: &Taken<'_>) {
        let Some(room) = ResidentCluster::of_whole_blocks(self, job, slot) else {
            return self.out_of_memory(job, taken);
        };
        match room.block().run_whole(taken) {
            Outcome::Finished => room.leave(),
            Outcome::NoStack if !has_block(job, taken) => {}
            outcome => self.fail_with(job, outcome),
        }
    }

    /// Several clusters at the same time, a step of each in turn: of a cooperative launch all that no other thread
    /// takes; else one more whenever those that have begun do nothing but wait.
    fn run_together(
        &self,
        job: &Job,
        slot: u32,
        taken: &Taken<'_>,
        mut groups: Vec<ResidentCluster>,
    ) {
        let dice = chaos::dice_of_thread();
        let most = MOST_WARPS / self.warps() / self.cluster_blocks();
        let stacks = self.units() * self.cluster_blocks();
        let most = most.min(MOST_STACKS / stacks).max(1) as usize;
        let mut ended = Vec::new();
        let mut last_moved = None;
        let mut last_ended = Instant::now();
        let mut is_stuck = !groups.is_empty();
        loop {
            let begins = self.cooperative || groups.is_empty() || is_stuck && groups.len() < most;
            if let Some(number) = if begins { taken.claim() } else { None } {
                let Some(group) = ended.pop().or_else(|| ResidentCluster::new(self, job, slot))
                else {
                    return self.out_of_memory(job, taken);
                };
                group.begin(number);
                groups.push(group);
            }
            if groups.is_empty() {
                return;
            }
            let mut moved = false;
            if let Some(dice) = &dice {
                dice.shuffle(&mut groups);
            }
            let in_flight = groups.len();
            ended.extend(groups.extract_if(.., |group| match group.step(&mut moved) {
                None => false,
                Some(outcome) => {
                    self.fail_with(job, outcome);
                    true
                }
            }));
            is_stuck = false;
            if groups.len() < in_flight {
                last_ended = Instant::now();
            }
            if moved {
                last_moved = None;
                if !self.cooperative && last_ended.elapsed() > LONG * groups.len() as u32 {
                    is_stuck = true;
                    last_ended = Instant::now();
                }
            } else {
                std::thread::yield_now();
                // Others may have to begin, too, before anything happens.
                let start = last_moved.get_or_insert_with(Instant::now);
                if start.elapsed() > PATIENCE / 16 {
                    is_stuck = true;
                    last_moved = None;
                }
            }
        }
    }

    fn out_of_memory(&self, job: &Job, taken: &Taken<'_>) {
        tracing::error!(
            "kernel {}: no memory for the stacks or the shared memory of a block",
            self.kernel.name
        );
        if has_block(job, taken) {
            self.fail(job, hipError_t::hipErrorLaunchOutOfResources);
        }
    }
}

/// Whether this thread has a block of a launch, or takes one, so that the launch is not over and may fail: the others may
/// have done all blocks by now, and the program may have reset the device.
fn has_block(job: &Job, taken: &Taken<'_>) -> bool {
    !job.is_stopped() && (!taken.is_empty() || taken.claim().is_some())
}

impl Task for Launch {
    fn may_stop(&self) -> bool {
        self.mode() == Mode::Whole
    }

    fn is_brief(&self) -> bool {
        self.order() == Order::Any && self.kernel.is_brief()
    }

    fn run_briefly(&self, job: &Job, slot: u32) {
        let begun = Ticks::now();
        self.run(job, slot);
        self.kernel.has_kept(Ticks::since(begun));
    }

    fn run(&self, job: &Job, slot: u32) {
        fault::prepare_thread();
        runtime::with_float_state(self.float_state(), || {
            jolt::exposed(|| {
                if self.cooperative {
                    self.run_together(job, slot, &Taken::new(job, slot), Vec::new())
                } else {
                    self.run_in_turn(job, slot)
                }
            });
        });
    }
}
