//! Operations of single threads that kernels call: those of the device library, which are mbarriers, copies that PTX calls
//! asynchronous and reductions, and those of the engine. Launches by kernels are in [`children`], what they ask of graphs
//! in [`graphs`].
//!
//! A copy is finished when its instruction is; the instructions that wait for it find it so. The blocks of
//! a cluster run on one thread and change places only in calls that wait, so that nothing here needs to be
//! atomic but what changes global memory.

use std::sync::LazyLock;

use cpu_abi::{BlockContext, CLUSTER_SHARED_STRIDE, LaneOperation};
use device_library::{LANE_FUNCTIONS, LaneFunction};

use super::block::Block;
use super::runtime::{MISALIGNED_ADDRESS, stop};
use super::{children, graphs};

/// The device library's function of each operation that it has, in the order of their numbers.
static LIBRARY: LazyLock<Vec<Option<LaneFunction>>> = LazyLock::new(|| {
    let mut functions = vec![None; LaneOperation::ALL.len()];
    for &(word, function) in LANE_FUNCTIONS {
        if let Some(operation) = LaneOperation::from_word(word) {
            functions[operation as usize] = Some(function);
        }
    }
    functions
});

/// See [`cpu_abi::Runtime::lane_operation`].
pub unsafe extern "sysv64" fn lane_operation(
    block: *const BlockContext,
    operation: u32,
    arguments: *const u64,
) -> u64 {
    let Some(&operation) = LaneOperation::ALL.get(operation as usize) else { return 0 };
    // SAFETY: a kernel passes as many words as the operation takes.
    let arguments = unsafe { std::slice::from_raw_parts(arguments, operation.arguments().len()) };
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
            (CopyMulticast, &[to, from, bytes, barrier, mask]) => {
                for [to, barrier] in in_named_blocks(block, mask, [to, barrier]) {
                    library(CopyMulticast, &[to, from, bytes, barrier, 1]);
                }
            }
            (TensorLoad, &[to, map, places, mode, barrier, mask]) if mask != 0 => {
                for [to, barrier] in in_named_blocks(block, mask, [to, barrier]) {
                    library(TensorLoad, &[to, map, places, mode, barrier, 0]);
                }
            }
            (Alloca, &[thread, bytes, alignment]) => {
                return Block::of(block).alloca(thread as u32, bytes as usize, alignment as usize);
            }
            (StackSave, &[thread]) => return Block::of(block).stack_save(thread as u32),
            (StackRestore, &[thread, place]) => {
                Block::of(block).stack_restore(thread as u32, place);
            }
            _ if LIBRARY[operation as usize].is_some() => return library(operation, arguments),
            (
                GraphLaunch | GraphCurrent | NodeParameter | NodeEnabled | NodeGrid | NodeUpdates,
                _,
            ) => {
                return graphs::run(block, operation, arguments);
            }
            _ => return children::run(block, operation, arguments),
        }
    }
    0
}

/// Calls the device library's function of an operation; 0 if it has none.
///
/// # Safety
/// As for [`run`]; there are as many arguments as the operation takes.
unsafe fn library(operation: LaneOperation, arguments: &[u64]) -> u64 {
    let function = LIBRARY.get(operation as usize).copied().flatten();
    // SAFETY: the caller's promise.
    function.map_or(0, |function| unsafe { function.call(arguments) })
}

/// Addresses of shared memory, moved to each of those blocks of the cluster that a mask names.
fn in_named_blocks<const N: usize>(
    block: &BlockContext,
    mask: u64,
    addresses: [u64; N],
) -> impl Iterator<Item = [u64; N]> {
    let first = block.cluster_shared as u64;
    let offsets = addresses.map(|address| address.wrapping_sub(first) % CLUSTER_SHARED_STRIDE);
    let blocks = u64::from(block.cluster.iter().product::<u32>());
    (0..blocks)
        .filter(move |rank| mask >> rank & 1 != 0)
        .map(move |rank| offsets.map(|offset| first + rank * CLUSTER_SHARED_STRIDE + offset))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cpu_abi::mbarrier;

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
    fn addresses_of_one_block_become_those_of_each_named_one() {
        // SAFETY: null pointers and zeros are a context.
        let mut context = unsafe { std::mem::zeroed::<BlockContext>() };
        let first = 0x10_0000;
        context.cluster_shared = std::ptr::without_provenance_mut(first as usize);
        context.cluster = [2, 2, 1];
        let block = |rank: u64| first + rank * CLUSTER_SHARED_STRIDE;
        let moved = in_named_blocks(&context, 0b11010, [block(2) + 16, block(0) + 8]);
        let expected = [1, 3].map(|rank| [block(rank) + 16, block(rank) + 8]);
        assert_eq!(moved.collect::<Vec<_>>(), expected);
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
