//! Copies and fills of boxes of memory, in blocks that several threads share.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hip_runtime_sys::hipError_t;

use super::apart::place;
use crate::guard::attempt::attempt;
use crate::work::failure::Failure;
use crate::work::job::{Job, Taken, Task};
use crate::work::pool;
use zluda_common::program_memory;

/// Rows of `width` bytes, `height` to a slice, `depth` slices; the distances are in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    pub width: usize,
    pub height: usize,
    pub depth: usize,
}

impl Extent {
    /// One row of `width` bytes.
    pub fn line(width: usize) -> Extent {
        Extent { width, height: 1, depth: 1 }
    }

    /// Whether it has no byte.
    pub fn is_empty(&self) -> bool {
        self.width == 0 || self.height == 0 || self.depth == 0
    }

    /// Bytes in all.
    pub fn bytes(&self) -> usize {
        self.width.saturating_mul(self.height).saturating_mul(self.depth)
    }
}

/// The address at which a box begins, and the distances between its rows and slices, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PitchedPtr {
    pub start: usize,
    pub pitch: usize,
    pub slice: usize,
}

impl PitchedPtr {
    /// One row.
    pub fn line(start: usize) -> PitchedPtr {
        PitchedPtr { start, pitch: 0, slice: 0 }
    }

    /// Bytes from the first to behind the last byte of a box that is not empty; nothing if they are
    /// more than there can be.
    pub fn span(&self, extent: Extent) -> Option<usize> {
        let slices = self.slice.checked_mul(extent.depth - 1)?;
        let rows = self.pitch.checked_mul(extent.height - 1)?;
        let span = slices.checked_add(rows)?.checked_add(extent.width)?;
        self.start.checked_add(span)?;
        Some(span)
    }

    fn row(&self, extent: Extent, row: usize) -> usize {
        self.start + row / extent.height * self.slice + row % extent.height * self.pitch
    }
}

#[derive(Clone, Copy, Debug)]
pub enum Source {
    Copy(PitchedPtr),
    /// A pattern of 1, 2 or 4 bytes.
    Fill {
        value: u32,
        size: usize,
    },
}

/// A copy or fill. Addresses were checked when it was made.
#[derive(Clone, Copy, Debug)]
pub struct Transfer {
    pub to: PitchedPtr,
    pub from: Source,
    pub extent: Extent,
}

/// Bytes in a block, about.
const BLOCK: usize = 512 << 10;

impl Transfer {
    /// A transfer of `extent` to `to`; it becomes one row where the bytes lie together at both ends.
    pub fn new(to: PitchedPtr, from: Source, extent: Extent) -> Transfer {
        let mut transfer = Transfer { to, from, extent };
        transfer.flatten();
        transfer
    }

    /// Makes one row of what lies together.
    fn flatten(&mut self) {
        let extent = self.extent;
        let dense = |ptr: &PitchedPtr| {
            (extent.height == 1 || ptr.pitch == extent.width)
                && (extent.depth == 1 || ptr.slice == extent.width * extent.height)
        };
        let from = match &self.from {
            Source::Copy(ptr) => dense(ptr),
            Source::Fill { .. } => true,
        };
        if from && dense(&self.to) {
            self.extent = Extent::line(extent.bytes());
        }
    }

    /// Columns of blocks to a row, and rows to a block.
    fn shape(&self) -> (usize, usize) {
        let columns = self.extent.width.div_ceil(BLOCK).max(1);
        let rows = if columns == 1 { (BLOCK / self.extent.width.max(1)).max(1) } else { 1 };
        (columns, rows)
    }

    /// The number of blocks that the transfer is cut into, for the threads of the pool.
    pub fn blocks(&self) -> u64 {
        let (columns, rows) = self.shape();
        (columns * (self.extent.height * self.extent.depth).div_ceil(rows)) as u64
    }

    /// Does one block.
    ///
    /// # Safety
    /// Source and destination are memory that may be read and written.
    pub unsafe fn run_block(&self, block: u64) {
        let (columns, rows) = self.shape();
        let (column, first) = (block as usize % columns, block as usize / columns * rows);
        let last = (first + rows).min(self.extent.height * self.extent.depth);
        let offset = column * BLOCK;
        let width =
            if columns == 1 { self.extent.width } else { BLOCK.min(self.extent.width - offset) };
        for row in first..last {
            let to = place(self.to.row(self.extent, row)) + offset;
            // SAFETY: the caller's promise; the addresses lie within the boxes.
            unsafe {
                match self.from {
                    Source::Copy(from) => {
                        let from = place(from.row(self.extent, row)) + offset;
                        program_memory::copy(from, to, width);
                    }
                    Source::Fill { value, size: 2 } => {
                        program_memory::fill(to, value as u16, width);
                    }
                    Source::Fill { value, size: 4 } => program_memory::fill(to, value, width),
                    Source::Fill { value, .. } => program_memory::set(to, value as u8, width),
                }
            }
        }
    }

    /// Does one block of memory that was checked, and may be gone all the same: another thread frees it, or it is the
    /// program's own and never was there. `hipErrorIllegalAddress`, as on a device.
    pub fn try_block(&self, block: u64) -> Result<(), hipError_t> {
        // SAFETY: a copy of bytes owns nothing; what is no memory ends it.
        unsafe { attempt(|| self.run_block(block)) }.map_err(|address| {
            tracing::error!("a copy or a fill: bad access at address {address:#x}");
            hipError_t::hipErrorIllegalAddress
        })
    }

    /// Does it all on this thread, as [`Transfer::try_block`] does a block.
    pub fn run_here(&self) -> Result<(), hipError_t> {
        (0..self.blocks()).try_for_each(|block| self.try_block(block))
    }

    /// Threads that are worth having.
    pub fn threads(&self) -> u32 {
        pool::cores().min(u32::try_from(self.blocks()).unwrap_or(u32::MAX)).max(1)
    }
}

/// A transfer whose memory is the program's business: that it stays until the work is done.
pub struct TransferTask {
    pub transfer: Transfer,
    /// A copy of the source, where the program may change it.
    pub _staged: Option<Box<[u8]>>,
    /// Set where memory is not there, of a call that waits and tells: otherwise the device has the error.
    pub refused: Option<Arc<AtomicBool>>,
}

/// Leaves the error of a transfer with the call that waits for it, or else with the device.
pub fn tell(refused: Option<&AtomicBool>, failure: &Failure, error: hipError_t) {
    match refused {
        Some(refused) => refused.store(true, Ordering::Release),
        None => failure.set(error),
    }
}

impl Task for TransferTask {
    fn run(&self, job: &Job, slot: u32) {
        let taken = Taken::new(job, slot);
        while let Some(block) = taken.claim() {
            if let Err(error) = self.transfer.try_block(block) {
                tell(self.refused.as_deref(), job.op.failure, error);
                job.stop();
            }
        }
    }

    fn is_brief(&self) -> bool {
        // What takes about a millisecond.
        const MOST: usize = 4 << 20;
        self.transfer.extent.bytes() <= MOST
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_are_copied_and_nothing_around_them() {
        // 3 slices of 4 rows of 5 bytes, out of and into larger boxes.
        let from: Vec<u8> = (0..7 * 6 * 3).map(|index| index as u8).collect();
        let mut to = vec![0xffu8; 8 * 5 * 3];
        let extent = Extent { width: 5, height: 4, depth: 3 };
        let source = PitchedPtr { start: from.as_ptr() as usize, pitch: 7, slice: 42 };
        let target = PitchedPtr { start: to.as_mut_ptr() as usize, pitch: 8, slice: 40 };
        Transfer::new(target, Source::Copy(source), extent).run_here().expect("memory");
        for (index, byte) in to.iter().enumerate() {
            let (z, y, x) = (index / 40, index / 8 % 5, index % 8);
            let expected = if x < 5 && y < 4 { from[z * 42 + y * 7 + x] } else { 0xff };
            assert_eq!(*byte, expected, "{z} {y} {x}");
        }
    }

    #[test]
    fn who_waits_for_something_else_does_no_large_copies() {
        let is_brief = |size| {
            let to = PitchedPtr::line(0);
            let transfer = Transfer::new(to, Source::Copy(to), Extent::line(size));
            TransferTask { transfer, _staged: None, refused: None }.is_brief()
        };
        assert_eq!([1 << 20, 1 << 26].map(is_brief), [true, false]);
    }

    #[test]
    fn large_fills_reach_every_byte() {
        let mut to = vec![0u8; 3 * BLOCK + 12];
        let extent = Extent::line(to.len() - 4);
        let transfer = Transfer::new(
            PitchedPtr::line(to.as_mut_ptr() as usize),
            Source::Fill { value: 0x01020304, size: 4 },
            extent,
        );
        assert_eq!(transfer.blocks(), 4);
        transfer.run_here().expect("memory");
        assert!(to[..to.len() - 4].chunks(4).all(|chunk| chunk == [4, 3, 2, 1]));
        assert_eq!(to[to.len() - 4..], [0; 4]);
    }
}
