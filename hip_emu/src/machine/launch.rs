//! A launch as its waves see it: arguments as the kernel wants them, and what hardware says besides.

use std::sync::Arc;

use hip_host::executor::Request;

use super::wave::{PRIVATE_APERTURE, SHARED_APERTURE};
use crate::object::Kernel;

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
        let dynamic = if has_dynamic { request.context.limits.stack().max(16 << 10) } else { 0 };
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
        let Request { grid, block, remainder, dynamic_shared, .. } = self.request;
        // Whole ones.
        let blocks: [u32; 3] =
            std::array::from_fn(|axis| grid[axis] - u32::from(remainder[axis] != 0));
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
                "hidden_block_count_x" => blocks[0].into(),
                "hidden_block_count_y" => blocks[1].into(),
                "hidden_block_count_z" => blocks[2].into(),
                "hidden_group_size_x" => block[0].into(),
                "hidden_group_size_y" => block[1].into(),
                "hidden_group_size_z" => block[2].into(),
                "hidden_remainder_x" => remainder[0].into(),
                "hidden_remainder_y" => remainder[1].into(),
                "hidden_remainder_z" => remainder[2].into(),
                "hidden_grid_dims" => dimensions,
                "hidden_dynamic_lds_size" => dynamic_shared.into(),
                "hidden_private_base" => PRIVATE_APERTURE.into(),
                "hidden_shared_base" => SHARED_APERTURE.into(),
                "hidden_queue_ptr" => self.queue.as_ptr() as u64,
                // Offsets are zero; there is no heap, no host to call, no default queue.
                _ => 0u64,
            };
            let size = hidden.size.min(8);
            if let Some(place) = bytes.get_mut(hidden.offset..hidden.offset + size) {
                place.copy_from_slice(&value.to_le_bytes()[..size]);
            }
        }
    }

    fn fill_packet(&mut self) {
        let Request { grid, block, remainder, .. } = self.request;
        let arguments = self.arguments_address();
        let local = self.local_size() as u32;
        let packet = &mut self.packet;
        packet[0] = 2 | 3 << 16;
        packet[1] = block[0] | block[1] << 16;
        packet[2] = block[2];
        for axis in 0..3 {
            let missing = if remainder[axis] == 0 { 0 } else { block[axis] - remainder[axis] };
            packet[3 + axis] = grid[axis].wrapping_mul(block[axis]).wrapping_sub(missing);
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

    /// First addresses and sizes of all of these.
    pub fn told(&self) -> [(u64, u64); 3] {
        [
            (self.arguments_address(), size_of_val(&*self.arguments) as u64),
            (self.packet_address(), size_of_val(&*self.packet) as u64),
            (self.queue_address(), size_of_val(&*self.queue) as u64),
        ]
    }

    /// A word of the kernarg segment.
    pub fn argument_word(&self, word: usize) -> u32 {
        let value = self.arguments.get(word / 4).copied().unwrap_or(0);
        (value >> (32 * (word % 4))) as u32
    }
}
