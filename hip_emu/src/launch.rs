//! Threads that run a launch's workgroups.

use hip_host::executor::{Fault, Guarded, Job, Taken, Task, address_of};
use hip_runtime_sys::hipError_t;

use crate::machine::Stop;
use crate::machine::group::Workgroup;
use crate::machine::launch::Launch;

/// Stack for the interpreter.
const STACK: usize = 256 << 10;

impl Launch {
    /// Stops the launch: tells why, and leaves the error with the context.
    fn stop(&self, job: &Job, at: usize, stop: &Stop) {
        let name = self.request.name();
        let at = self.kernel.code.offset_of(at);
        let error = match stop {
            Stop::BadAddress(address) => {
                tracing::error!("kernel {name}, code {at:#x}: bad access at address {address:#x}");
                hipError_t::hipErrorIllegalAddress
            }
            Stop::BadLds(offset) => {
                tracing::error!("kernel {name}, code {at:#x}: bad access to LDS at {offset:#x}");
                hipError_t::hipErrorIllegalAddress
            }
            Stop::Misaligned(address) => {
                tracing::error!("kernel {name}, code {at:#x}: misaligned access at {address:#x}");
                hipError_t::hipErrorIllegalAddress
            }
            Stop::BadCode(address) => {
                tracing::error!("kernel {name}, code {at:#x}: no code at address {address:#x}");
                hipError_t::hipErrorLaunchFailure
            }
            Stop::BadRegister => {
                tracing::error!("kernel {name}, code {at:#x}: a register that was not allocated");
                hipError_t::hipErrorLaunchFailure
            }
            Stop::Trap(number) => {
                tracing::error!("kernel {name}, code {at:#x}: trap {number}");
                hipError_t::hipErrorLaunchFailure
            }
            Stop::Unknown(why) => {
                tracing::error!("unsupported: kernel {name}, code {at:#x}: {why}");
                hipError_t::hipErrorLaunchFailure
            }
        };
        self.request.fail(job, error);
    }

    /// Runs every wave of a group for a while. Returns whether the group has ended.
    fn step(
        &self,
        job: &Job,
        guarded: &mut Guarded,
        group: &mut Workgroup,
        moved: &mut bool,
    ) -> bool {
        let mut result = Ok(false);
        let outcome = guarded.run(|| result = group.step(self, moved));
        let result = match outcome {
            Some(Ok(())) => result,
            Some(Err(Fault { is_access: true, address, .. })) => {
                Err(Stop::BadAddress(address_of(address) as u64))
            }
            Some(Err(fault)) => Err(Stop::Unknown(format!("a bug of the emulator: {fault:?}"))),
            None => Err(Stop::Unknown("no memory for a stack".to_owned())),
        };
        match result {
            Ok(ended) => ended,
            Err(stop) => {
                self.stop(job, group.at(), &stop);
                true
            }
        }
    }

    /// One group after the other.
    fn run_in_turn(&self, job: &Job, slot: u32) {
        let taken = Taken::new(job, slot);
        let mut guarded = Guarded::new(STACK);
        let mut group = Workgroup::new(self);
        while let Some(number) = taken.claim() {
            group.begin(self, self.request.ctaid(number));
            let mut moved = true;
            while !job.is_stopped() && !self.step(job, &mut guarded, &mut group, &mut moved) {
                if !std::mem::take(&mut moved) {
                    std::thread::yield_now();
                }
            }
        }
    }

    /// All groups that no other thread takes, at the same time.
    fn run_together(&self, job: &Job, slot: u32) {
        let taken = Taken::new(job, slot);
        let mut guarded = Guarded::new(STACK);
        let mut groups = Vec::new();
        loop {
            if let Some(number) = taken.claim() {
                let mut group = Workgroup::new(self);
                group.begin(self, self.request.ctaid(number));
                groups.push(group);
            }
            if groups.is_empty() || job.is_stopped() {
                return;
            }
            let mut moved = false;
            groups.retain_mut(|group| !self.step(job, &mut guarded, group, &mut moved));
            if !moved {
                std::thread::yield_now();
            }
        }
    }
}

impl Task for Launch {
    fn run(&self, job: &Job, slot: u32) {
        if self.request.cooperative {
            self.run_together(job, slot);
        } else {
            self.run_in_turn(job, slot);
        }
    }
}
