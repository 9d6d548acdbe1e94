//! Kernel descriptors: what the dispatcher has to know of a kernel. LLVM's "User Guide for AMDGPU Backend",
//! section "Kernel Descriptor".

use crate::arch::{Arch, Generation};
use crate::decode::Named;

/// Bytes of a descriptor.
pub const SIZE: usize = 64;

/// The fields that are used here.
#[derive(Clone, Debug)]
pub struct Descriptor {
    /// Bytes of LDS.
    pub group_size: u32,
    /// Bytes of scratch memory of a work item.
    pub private_size: u32,
    /// Bytes of the kernarg segment.
    pub arguments_size: u32,
    /// The offset of the code from the descriptor, in bytes.
    pub entry: i64,
    rsrc1: u32,
    rsrc2: u32,
    rsrc3: u32,
    properties: u16,
    preload: u16,
}

impl Descriptor {
    /// Reads a descriptor's fields; any bytes are one.
    pub fn parse(bytes: &[u8; SIZE]) -> Descriptor {
        let word = |at: usize| {
            u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
        };
        let (properties, preload) = (word(56) as u16, (word(56) >> 16) as u16);
        Descriptor {
            group_size: word(0),
            private_size: word(4),
            arguments_size: word(8),
            entry: (u64::from(word(16)) | u64::from(word(20)) << 32) as i64,
            rsrc1: word(48),
            rsrc2: word(52),
            rsrc3: word(44),
            properties,
            preload,
        }
    }

    fn property(&self, bit: u32) -> bool {
        self.properties >> bit & 1 != 0
    }

    /// Four registers, then two each.
    pub fn wants_private_buffer(&self) -> bool {
        self.property(0)
    }

    /// Whether two registers have the address of the dispatch packet.
    pub fn wants_dispatch(&self) -> bool {
        self.property(1)
    }

    /// Whether two registers have the address of the queue.
    pub fn wants_queue(&self) -> bool {
        self.property(2)
    }

    /// Whether two registers have the address of the kernarg segment.
    pub fn wants_arguments(&self) -> bool {
        self.property(3)
    }

    /// Whether two registers have the number of the dispatch.
    pub fn wants_dispatch_id(&self) -> bool {
        self.property(4)
    }

    /// Whether two registers have what initialises flat accesses of scratch memory.
    pub fn wants_flat_scratch(&self) -> bool {
        self.property(5)
    }

    /// One register.
    pub fn wants_private_size(&self) -> bool {
        self.property(6)
    }

    /// Lanes of the kernel's waves.
    pub fn lanes(&self, arch: &Arch) -> usize {
        if arch.generation < Generation::Gfx10 || !self.property(10) { 64 } else { 32 }
    }

    /// Whether the kernel needs scratch memory of a size that is not known when it is compiled.
    pub fn has_dynamic_stack(&self) -> bool {
        self.property(11)
    }

    /// The registers that a wave gets.
    pub fn allocated(&self, arch: &Arch) -> Named {
        let generation = arch.generation;
        let unified = matches!(generation, Generation::Gfx90a | Generation::Gfx940);
        let granule = if unified || self.lanes(arch) == 32 { 8 } else { 4 };
        let vector = (self.rsrc1 as u16 & 0x3f) * granule + granule;
        let (vector, accumulation) = match generation {
            Generation::Gfx90a | Generation::Gfx940 => {
                let first = (self.rsrc3 as u16 & 0x3f) * 4 + 4;
                (first.min(vector), vector.saturating_sub(first))
            }
            Generation::Gfx9 if arch.name == "gfx908" => (vector, vector),
            _ => (vector, 0),
        };
        let scalar = match generation {
            Generation::Gfx9 | Generation::Gfx90a | Generation::Gfx940 => {
                (self.rsrc1 >> 6 & 0xf) as u16 / 2 * 16 + 16
            }
            _ => Named::ALL.scalar,
        };
        Named { vector, accumulation, scalar }
    }

    /// Words of the kernarg segment that come in registers.
    pub fn preloaded(&self) -> impl Iterator<Item = usize> {
        let (first, count) = (usize::from(self.preload >> 7), usize::from(self.preload & 0x7f));
        first..first + count
    }

    /// Whether words of the kernarg segment come in registers; then the code begins 256 bytes later.
    pub fn preloads(&self) -> bool {
        self.preload & 0x7f != 0
    }

    /// The number of registers before those of the system.
    pub fn user_registers(&self) -> u8 {
        (self.rsrc2 >> 1 & 0x1f) as u8
    }

    /// Whether a register has the offset of the wave's scratch memory.
    pub fn wants_private_offset(&self) -> bool {
        self.rsrc2 & 1 != 0
    }

    /// Whether a register has the workgroup's number along an axis.
    pub fn wants_group(&self, axis: usize) -> bool {
        self.rsrc2 >> (7 + axis) & 1 != 0
    }

    /// Whether a register has information on the workgroup.
    pub fn wants_group_info(&self) -> bool {
        self.rsrc2 >> 10 & 1 != 0
    }

    /// The number of a work item's three numbers that come in registers.
    pub fn work_item_axes(&self) -> usize {
        ((self.rsrc2 >> 11 & 3) as usize + 1).min(3)
    }

    /// The MODE register in the beginning.
    pub fn mode(&self, arch: &Arch) -> u32 {
        let float = self.rsrc1 >> 12 & 0xff;
        // GFX12 always clamps NaNs to zero, and has no IEEE mode.
        let (clamp, ieee) = match arch.generation {
            Generation::Gfx12 => (1, 0),
            _ => (self.rsrc1 >> 21 & 1, self.rsrc1 >> 23 & 1),
        };
        float | clamp << 8 | ieee << 9
    }
}
