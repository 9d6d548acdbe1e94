//! A launch: arguments as the kernel wants them, and threads that run its workgroups.

use std::sync::Arc;

use hip_host::executor::{Fault, Guarded, Job, Request, Taken, Task, stack_limit};
use hip_runtime_sys::hipError_t;

use crate::machine::Stop;
use crate::machine::group::Group;
use crate::machine::wave::{PRIVATE_APERTURE, SHARED_APERTURE};
use crate::object::Kernel;

/// Stack for the interpreter.
const STACK: usize = 256 << 10;

/// One launch of a kernel.
pub struct Launch {
    pub request: Request,
    pub kernel: Arc<Kernel>,
    /// The kernarg segment.
    arguments: Box<[u128]>,
    /// The packet of a queue for this launch, `hsa_kernel_dispatch_packet_t`.
    packet: Box<[u32; 16]>,
    /// A queue of which nothing is known.
    queue: Box<[u32; 64]>,
    private_size: usize,
}

impl Launch {
    /// A launch with its kernarg segment, hidden arguments included.
    pub fn new(request: Request, kernel: Arc<Kernel>) -> Launch {
        let metadata = &kernel.metadata;
        let size = (kernel.descriptor.arguments_size as usize)
            .max(metadata.explicit_size as usize)
            .max(metadata.hidden.iter().map(|hidden| hidden.offset + 8).max().unwrap_or(0));
        let mut arguments = vec![0u128; size.div_ceil(16).max(1)].into_boxed_slice();
        for (to, from) in arguments.iter_mut().zip(request.params.iter()) {
            *to = *from;
        }
        let fixed = kernel.descriptor.private_size.max(metadata.private_size) as usize;
        let has_dynamic = metadata.has_dynamic_stack || kernel.descriptor.has_dynamic_stack();
        let dynamic = if has_dynamic { stack_limit().max(16 << 10) } else { 0 };
        let private_size = (fixed + dynamic).next_multiple_of(16);
        let mut launch = Launch {
            request,
            kernel,
            arguments,
            packet: Box::new([0; 16]),
            queue: Box::new([0; 64]),
            private_size,
        };
        launch.fill_hidden();
        launch.fill_packet();
        launch
    }

    fn fill_hidden(&mut self) {
        let Request { grid, block, dynamic_shared, .. } = self.request;
        let dimensions = (1..=3u64)
            .rev()
            .find(|&n| {
                let axis = n as usize - 1;
                n == 1 || grid[axis] != 1 || block[axis] != 1
            })
            .unwrap_or(1);
        // SAFETY: the same bytes.
        let bytes = unsafe {
            let length = size_of_val(&*self.arguments);
            std::slice::from_raw_parts_mut(self.arguments.as_mut_ptr().cast::<u8>(), length)
        };
        for hidden in &self.kernel.metadata.hidden {
            let value = match hidden.kind.as_str() {
                "hidden_block_count_x" => grid[0].into(),
                "hidden_block_count_y" => grid[1].into(),
                "hidden_block_count_z" => grid[2].into(),
                "hidden_group_size_x" => block[0].into(),
                "hidden_group_size_y" => block[1].into(),
                "hidden_group_size_z" => block[2].into(),
                "hidden_grid_dims" => dimensions,
                "hidden_dynamic_lds_size" => dynamic_shared.into(),
                "hidden_private_base" => PRIVATE_APERTURE.into(),
                "hidden_shared_base" => SHARED_APERTURE.into(),
                "hidden_queue_ptr" => self.queue.as_ptr() as u64,
                // Groups are whole, offsets zero; there is no heap, no host to call, no default queue.
                _ => 0u64,
            };
            let size = hidden.size.min(8);
            if let Some(place) = bytes.get_mut(hidden.offset..hidden.offset + size) {
                place.copy_from_slice(&value.to_le_bytes()[..size]);
            }
        }
    }

    fn fill_packet(&mut self) {
        let Request { grid, block, .. } = self.request;
        let arguments = self.arguments_address();
        let local = self.local_size() as u32;
        let packet = &mut self.packet;
        packet[0] = 2 | 3 << 16;
        packet[1] = block[0] | block[1] << 16;
        packet[2] = block[2];
        for axis in 0..3 {
            packet[3 + axis] = grid[axis].wrapping_mul(block[axis]);
        }
        packet[6] = self.private_size as u32;
        packet[7] = local;
        packet[10] = arguments as u32;
        packet[11] = (arguments >> 32) as u32;
    }

    /// Bytes of LDS of a workgroup.
    pub fn local_size(&self) -> usize {
        // Dynamic LDS begins behind the static, whose size the compiler has rounded up for its alignment.
        self.kernel.descriptor.group_size as usize + self.request.dynamic_shared as usize
    }

    /// Bytes of scratch memory of a work item.
    pub fn private_size(&self) -> usize {
        self.private_size
    }

    /// The host's address of the kernarg segment.
    pub fn arguments_address(&self) -> u64 {
        self.arguments.as_ptr() as u64
    }

    /// The host's address of the dispatch packet.
    pub fn packet_address(&self) -> u64 {
        self.packet.as_ptr() as u64
    }

    /// The host's address of the queue.
    pub fn queue_address(&self) -> u64 {
        self.queue.as_ptr() as u64
    }

    /// A word of the kernarg segment.
    pub fn argument_word(&self, word: usize) -> u32 {
        let value = self.arguments.get(word / 4).copied().unwrap_or(0);
        (value >> (32 * (word % 4))) as u32
    }

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
    fn step(&self, job: &Job, guarded: &mut Guarded, group: &mut Group, moved: &mut bool) -> bool {
        let mut result = Ok(false);
        let outcome = guarded.run(|| result = group.step(self, moved));
        let result = match outcome {
            Some(Ok(())) => result,
            Some(Err(Fault { signal: libc::SIGSEGV | libc::SIGBUS, address })) => {
                Err(Stop::BadAddress(address as u64))
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
        let mut group = Group::new(self);
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
                let mut group = Group::new(self);
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
