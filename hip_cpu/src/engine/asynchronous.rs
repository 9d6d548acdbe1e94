//! Operations of single threads that kernels call: mbarriers, and copies that PTX calls asynchronous. Launches by
//! kernels are in [`children`].
//!
//! A copy is finished when its instruction is; the instructions that wait for it find it so. The blocks of
//! a cluster run on one thread and change places only in calls that wait, so that nothing here needs to be
//! atomic but what changes global memory.

use cpu_abi::{BlockContext, CLUSTER_SHARED_STRIDE, LaneOperation, TensorMode, mbarrier};
use hip_host::pieces::copy;

use super::block::Block;
use super::runtime::{MISALIGNED_ADDRESS, stop};
use super::{children, reduction, tensor};

/// The count of arrivals, and the count of bytes.
const COUNT: u64 = (1 << mbarrier::COUNT_BITS) - 1;
const TX: u64 = (1 << mbarrier::TX_BITS) - 1;

/// See [`cpu_abi::Runtime::lane_operation`].
pub unsafe extern "C" fn lane_operation(
    block: *const BlockContext,
    operation: u32,
    arguments: *const u64,
) -> u64 {
    let Some(&operation) = LaneOperation::ALL.get(operation as usize) else { return 0 };
    // SAFETY: a kernel passes as many words as the operation takes.
    let arguments = unsafe { std::slice::from_raw_parts(arguments, operation.arguments()) };
    // SAFETY: addresses are the kernel's: where they are bad, the kernel faults, on its own stack.
    unsafe { run(&*block, operation, arguments) }
}

/// See [`LaneOperation::Misaligned`]. Does not return to the kernel.
///
/// # Safety
/// The context is that of a block that runs.
unsafe fn misaligned(context: &BlockContext, [at, bytes, thread, line]: [u64; 4]) {
    // SAFETY: the caller's promise.
    let block = unsafe { Block::of(context) };
    block.on_thread_stack(|| {
        let name = &block.launch().kernel.name;
        let [x, y, _] = context.ntid.map(u64::from);
        let tid = [thread % x, thread / x % y, thread / x / y];
        let ctaid = context.ctaid;
        tracing::error!(
            "kernel {name}, line {line} of its PTX: {bytes} bytes at the misaligned address {at:#x}, by thread \
             {tid:?} of block {ctaid:?}"
        );
    });
    stop(block, MISALIGNED_ADDRESS);
}

/// # Safety
/// The addresses among the arguments are valid, or the caller is a kernel.
unsafe fn run(block: &BlockContext, operation: LaneOperation, arguments: &[u64]) -> u64 {
    use LaneOperation::*;
    // SAFETY: the caller's promise.
    unsafe {
        match (operation, arguments) {
            (Misaligned, &[at, bytes, thread, line]) => {
                misaligned(block, [at, bytes, thread, line]);
            }
            (MbarrierArrive, &[at, count]) => return change(at, |barrier| barrier.arrive(count)),
            (MbarrierArriveDrop, &[at, count]) => {
                return change(at, |barrier| {
                    barrier.expected = barrier.expected.wrapping_sub(count) & COUNT;
                    barrier.arrive(count);
                });
            }
            (MbarrierExpectTx, &[at, bytes]) => {
                change(at, |barrier| barrier.add_tx(bytes));
            }
            (MbarrierCompleteTx, &[at, bytes]) => complete_tx(at, bytes),
            (Copy, &[to, from, bytes]) => copy(to, from, bytes),
            (CopyMulticast, &[to, from, bytes, barrier, mask]) => {
                for base in named_blocks(block, mask) {
                    copy(base + inside(block, to), from, bytes);
                    complete_tx(base + inside(block, barrier), bytes);
                }
            }
            (CopyMasked, &[to, from, bytes, mask]) => {
                for place in (0..bytes).filter(|place| mask >> (place % 16) & 1 != 0) {
                    copy(to + place, from + place, 1);
                }
            }
            (Reduce, &[to, from, bytes, operation]) => {
                reduction::reduce(to, from, bytes, operation as u32);
            }
            (TensorLoad, &[to, map, places, mode, barrier, mask]) => {
                let Some(map) = tensor::read_map(map) else { return 0 };
                let places = tensor::Places::read(places);
                let rows4 = mode == TensorMode::Rows4 as u64;
                if mask == 0 {
                    let bytes = tensor::load(&map, &places, rows4, to);
                    complete_tx(barrier, bytes);
                }
                for base in named_blocks(block, mask) {
                    let bytes = tensor::load(&map, &places, rows4, base + inside(block, to));
                    complete_tx(base + inside(block, barrier), bytes);
                }
            }
            (TensorStore, &[from, map, places, mode]) => {
                let Some(map) = tensor::read_map(map) else { return 0 };
                let rows4 = mode == TensorMode::Rows4 as u64;
                tensor::store(&map, &tensor::Places::read(places), rows4, from);
            }
            (TensorReduce, &[from, map, places, _mode, operation]) => {
                let Some(map) = tensor::read_map(map) else { return 0 };
                tensor::reduce(&map, &tensor::Places::read(places), from, operation as u32);
            }
            (TensorReplace, &[map, field, ordinal, value]) => {
                tensor::replace(map, field as u32, ordinal, value);
            }
            (Alloca, &[thread, bytes, alignment]) => {
                return Block::of(block).alloca(thread as u32, bytes as usize, alignment as usize);
            }
            (StackSave, &[thread]) => return Block::of(block).stack_save(thread as u32),
            (StackRestore, &[thread, place]) => {
                Block::of(block).stack_restore(thread as u32, place);
            }
            (Fill, &[at, bytes, value]) => {
                std::ptr::write_bytes(at as *mut u8, value as u8, bytes as usize);
            }
            _ => return children::run(block, operation, arguments),
        }
    }
    0
}

/// The shared memory of those blocks of the cluster that a mask names.
fn named_blocks(block: &BlockContext, mask: u64) -> impl Iterator<Item = u64> {
    let first = block.cluster_shared as u64;
    let blocks = u64::from(block.cluster.iter().product::<u32>());
    (0..blocks)
        .filter(move |rank| mask >> rank & 1 != 0)
        .map(move |rank| first + rank * CLUSTER_SHARED_STRIDE)
}

/// The offset of an address in its block's shared memory, in bytes.
fn inside(block: &BlockContext, address: u64) -> u64 {
    address.wrapping_sub(block.cluster_shared as u64) % CLUSTER_SHARED_STRIDE
}

/// # Safety
/// As for [`change`].
unsafe fn complete_tx(at: u64, bytes: u64) {
    // SAFETY: the caller's promise.
    unsafe { change(at, |barrier| barrier.add_tx(bytes.wrapping_neg())) };
}

/// Changes an mbarrier and, if nothing is left to wait for, begins its next phase; returns what it was
/// before.
///
/// # Safety
/// An mbarrier lies at the address, or the caller is a kernel.
unsafe fn change(at: u64, f: impl FnOnce(&mut Mbarrier)) -> u64 {
    let place = at as *mut u64;
    // SAFETY: the caller's promise.
    let before = unsafe { place.read_unaligned() };
    let mut barrier = Mbarrier::unpack(before);
    f(&mut barrier);
    barrier.end_phase();
    // SAFETY: as above.
    unsafe { place.write_unaligned(barrier.pack()) };
    before
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Mbarrier {
    pending: u64,
    expected: u64,
    tx: u64,
    odd: bool,
}

impl Mbarrier {
    fn unpack(word: u64) -> Mbarrier {
        Mbarrier {
            pending: word >> mbarrier::PENDING_SHIFT & COUNT,
            expected: word >> mbarrier::EXPECTED_SHIFT & COUNT,
            tx: word >> mbarrier::TX_SHIFT & TX,
            odd: word >> mbarrier::PARITY_SHIFT != 0,
        }
    }

    fn pack(self) -> u64 {
        self.pending << mbarrier::PENDING_SHIFT
            | self.expected << mbarrier::EXPECTED_SHIFT
            | self.tx << mbarrier::TX_SHIFT
            | u64::from(self.odd) << mbarrier::PARITY_SHIFT
    }

    fn arrive(&mut self, count: u64) {
        self.pending = self.pending.wrapping_sub(count) & COUNT;
    }

    fn add_tx(&mut self, bytes: u64) {
        self.tx = self.tx.wrapping_add(bytes) & TX;
    }

    fn end_phase(&mut self) {
        if self.pending == 0 && self.tx == 0 {
            self.pending = self.expected;
            self.odd = !self.odd;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As `mbarrier.init` makes it.
    fn init(count: u64) -> u64 {
        count << mbarrier::PENDING_SHIFT | count << mbarrier::EXPECTED_SHIFT
    }

    fn parity(word: u64) -> u64 {
        word >> mbarrier::PARITY_SHIFT
    }

    fn call(operation: LaneOperation, arguments: &[u64]) -> u64 {
        let context = std::mem::MaybeUninit::<BlockContext>::zeroed();
        // SAFETY: null pointers and zeros are a context; the addresses are those of local variables.
        unsafe { lane_operation(context.as_ptr(), operation as u32, arguments.as_ptr()) }
    }

    #[test]
    fn a_phase_ends_with_the_last_arrival() {
        let mut barrier = init(3);
        let at = &raw mut barrier as u64;
        assert_eq!(call(LaneOperation::MbarrierArrive, &[at, 1]), init(3));
        assert_eq!(parity(barrier), 0);
        call(LaneOperation::MbarrierArrive, &[at, 2]);
        assert_eq!((parity(barrier), barrier << 1), (1, init(3) << 1));
    }

    #[test]
    fn bytes_may_complete_before_they_are_expected() {
        let mut barrier = init(1);
        let at = &raw mut barrier as u64;
        call(LaneOperation::MbarrierCompleteTx, &[at, 128]);
        assert_eq!(parity(barrier), 0);
        call(LaneOperation::MbarrierExpectTx, &[at, 256]);
        call(LaneOperation::MbarrierArrive, &[at, 1]);
        assert_eq!(parity(barrier), 0);
        call(LaneOperation::MbarrierCompleteTx, &[at, 128]);
        assert_eq!((parity(barrier), barrier << 1), (1, init(1) << 1));
    }

    #[test]
    fn who_drops_out_is_not_waited_for() {
        let mut barrier = init(2);
        let at = &raw mut barrier as u64;
        call(LaneOperation::MbarrierArriveDrop, &[at, 1]);
        call(LaneOperation::MbarrierArrive, &[at, 1]);
        assert_eq!((parity(barrier), barrier << 1), (1, init(1) << 1));
    }
}
