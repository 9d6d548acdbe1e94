//! A workgroup in flight: its waves, its LDS, its scratch memory.

use super::interpreter::{self, Pause};
use super::launch::Launch;
use super::wave::{State, Wave};
use super::{Stop, start};

/// Instructions that a wave runs before others get a turn.
const SLICE: u32 = 20_000;

/// The same when waves have just left a barrier, and for how many steps. They leave side by side on a GPU, and programs
/// that lack a barrier rely on that: all have read what lies there before one overwrites it.
const SLICE_AFTER_BARRIER: u32 = 4;
const STEPS_AFTER_BARRIER: u32 = 64;

/// The memory that waves of a workgroup share.
#[derive(Debug)]
pub struct Local {
    // Of words, to be aligned for every access.
    memory: Vec<u128>,
    size: usize,
}

impl Local {
    /// LDS of `size` bytes, all zero.
    pub fn new(size: usize) -> Local {
        Local { memory: vec![0; size.div_ceil(16)], size }
    }

    /// The host's address of an access to `bytes` bytes.
    #[inline(always)]
    pub fn address(&self, offset: u32, bytes: u8) -> Result<usize, Stop> {
        let offset = offset as usize;
        if offset + usize::from(bytes) > self.size {
            return Err(Stop::BadLds(offset as u64));
        }
        Ok(self.memory.as_ptr() as usize + offset)
    }
}

/// Room for one workgroup after the other.
#[derive(Debug)]
pub struct Workgroup {
    waves: Vec<Wave>,
    local: Local,
    /// Scratch memory of all waves.
    private: Vec<u128>,
    /// Steps left in which waves stay side by side.
    steps_after_barrier: u32,
    /// The word of code of the wave that runs.
    at: usize,
}

impl Workgroup {
    /// Room for a workgroup of this launch.
    pub fn new(launch: &Launch) -> Workgroup {
        let kernel = &launch.kernel;
        let lanes = kernel.code.arch.lanes;
        let count = (launch.request.threads() as usize).div_ceil(lanes);
        let registers = kernel.code.program.registers;
        let waves = (0..count).map(|number| Wave::new(lanes, registers, number as u32)).collect();
        let size = launch.local_size();
        let private = launch.private_size();
        Workgroup {
            waves,
            local: Local::new(size),
            private: vec![0; (private * lanes * count).div_ceil(16)],
            steps_after_barrier: 0,
            at: 0,
        }
    }

    /// Sets the group up for a place in the grid.
    pub fn begin(&mut self, launch: &Launch, place: [u32; 3]) {
        self.steps_after_barrier = 0;
        let size = launch.private_size();
        let bytes = size * launch.kernel.code.arch.lanes;
        let private = self.private.as_mut_ptr() as usize;
        for (number, wave) in self.waves.iter_mut().enumerate() {
            wave.private = private + number * bytes;
            wave.private_size = size;
            start::begin(wave, launch, place);
        }
    }

    /// Runs every wave for a while. Returns whether all have ended; sets `moved` where anything but waiting
    /// happened.
    ///
    /// May be left by a bad access in between; nothing is owned by the frames.
    pub fn step(&mut self, launch: &Launch, moved: &mut bool) -> Result<bool, Stop> {
        let program = &launch.kernel.code.program;
        let slice = if self.steps_after_barrier > 0 { SLICE_AFTER_BARRIER } else { SLICE };
        self.steps_after_barrier = self.steps_after_barrier.saturating_sub(1);
        for wave in &mut self.waves {
            if wave.state != State::Running {
                continue;
            }
            match interpreter::run(wave, &self.local, program, slice, &mut self.at)? {
                Pause::Slice => *moved = true,
                Pause::Yield => {}
                Pause::Barrier => {
                    *moved = true;
                    wave.state = State::AtBarrier;
                }
                Pause::End => {
                    *moved = true;
                    wave.state = State::Ended;
                }
            }
        }
        let waits = |wave: &Wave| wave.state == State::AtBarrier;
        if self.waves.iter().all(|wave| wave.state == State::Ended) {
            return Ok(true);
        }
        // A wave that has signalled and goes on counts as having come.
        let has_come = |wave: &Wave| waits(wave) || wave.state == State::Ended || wave.signalled;
        if self.waves.iter().all(has_come) {
            for wave in self.waves.iter_mut() {
                if waits(wave) {
                    wave.state = State::Running;
                }
                wave.signalled = false;
            }
            self.steps_after_barrier = STEPS_AFTER_BARRIER;
            *moved = true;
        }
        Ok(false)
    }

    /// The word of code at which the group was left.
    pub fn at(&self) -> usize {
        self.at
    }
}
