//! Warp operations of the reference executor, whose threads are coroutines of their own.
//!
//! Each operation is a rendezvous of the threads that its mask names: the last one to come computes what
//! every one gets. Threads that have ended are not waited for.
//!
//! The mask of active threads, which a thread asks for without naming anybody, is a guess at who runs
//! together: those threads of the warp that have come to the same place of the code by the time that
//! no other thread of it can go on. Of several places the first in the code is answered, so that threads that
//! have parted meet again behind it, as machine code counts on. Who only yields may be spinning, for what those who ask
//! would do, or is about to come: it gets some turns.

use cpu_abi::{MEET_SHUFFLE, ThreadContext, WARP_SIZE, WarpOperation};

use super::barrier::{self, Arrival};
use super::block::{Block, Mode};
use super::in_step;
use super::rendezvous::{self, Input, Operation, Rendezvous, lanes};

/// `shfl.sync` of one thread; see [`cpu_abi::Runtime::shuffle`].
pub unsafe extern "sysv64" fn shuffle(
    thread: *const ThreadContext,
    kind: u32,
    value: u32,
    b: u32,
    c: u32,
    membermask: u32,
) -> u64 {
    let Some(what) = Operation::from_number(MEET_SHUFFLE + kind) else { return 0 };
    // SAFETY: a kernel passes the context that it was called with.
    let thread = unsafe { &*thread };
    meet(thread, what, membermask, Input { value: value.into(), b, c })
}

/// All other warp operations of one thread; see [`cpu_abi::Runtime::warp_operation`].
pub unsafe extern "sysv64" fn warp_operation(
    thread: *const ThreadContext,
    kind: u32,
    value: u64,
    membermask: u32,
) -> u64 {
    // SAFETY: a kernel passes the context that it was called with.
    let thread = unsafe { &*thread };
    let input = Input { value, b: 0, c: 0 };
    match Operation::from_number(kind) {
        Some(Operation::Warp(WarpOperation::ActiveMask)) => {
            // SAFETY: the engine made the context; `engine` is the block.
            let block = unsafe { &*thread.engine.cast::<Block>() };
            if block.launch().keeps_step() {
                return in_step::come(block, value as u32).into();
            }
            meet(thread, Operation::ActiveMask(value), 0, input)
        }
        Some(operation) => meet(thread, operation, membermask, input),
        None => 0,
    }
}

/// [`cpu_abi::Runtime::matrix_of_thread`]: all lanes of the warp have to come.
pub unsafe extern "sysv64" fn matrix_of_thread(
    thread: *const ThreadContext,
    operation: u64,
    words: *mut u32,
) {
    // SAFETY: a kernel passes the context that it was called with.
    let thread = unsafe { &*thread };
    let input = Input { value: words as u64, b: 0, c: 0 };
    meet(thread, Operation::Matrix(operation), u32::MAX, input);
}

/// So many turns do those who ask for the active threads leave to those who yield, or ask at places before.
const PATIENCE: u32 = 1 << 10;

/// The running thread comes to a rendezvous, opens it if it is the first, and waits for the others.
fn meet(thread: &ThreadContext, what: Operation, membermask: u32, input: Input) -> u64 {
    // SAFETY: the engine made the context; `engine` is the block.
    let block = unsafe { &*thread.engine.cast::<Block>() };
    let (lane, warp) = (thread.lane, thread.warp);
    // A thread that does not name itself waits for itself all the same.
    let members = if matches!(what, Operation::ActiveMask(_)) { 0 } else { membermask | 1 << lane };
    let result = block.on_thread_stack(|| {
        let mut open = block.rendezvous.borrow_mut();
        let place = rendezvous::open(&mut open, warp, what, members, lane);
        let rendezvous = &mut open[place];
        // SAFETY: a thread that comes to a matrix operation passes its words.
        rendezvous.arrive_with_words(lane, input, |index| unsafe {
            (input.value as *const u32).add(index).read()
        });
        if !rendezvous.is_complete(|lane| block.has_finished(warp * WARP_SIZE + lane)) {
            return None;
        }
        let rendezvous = open.remove(place);
        Some(end(rendezvous, block, Some(lane)))
    });
    result.unwrap_or_else(|| block.wait())
}

/// The running thread comes to a barrier of the block, and waits for the others of its warp, then for the block if
/// it says so.
pub fn arrive(block: &Block, arrival: Arrival) -> u32 {
    let (warp, lane) = (block.current() / WARP_SIZE, block.current() % WARP_SIZE);
    barrier::refuse_another(block, warp, &arrival);
    block.on_thread_stack(|| {
        let mut open = block.rendezvous.borrow_mut();
        let place = rendezvous::open(&mut open, warp, arrival.operation(), u32::MAX, lane);
        let value = (arrival.predicates >> lane & 1).into();
        open[place].arrive(lane, Input { value, ..Input::default() });
        if open[place].is_complete(|lane| block.has_finished(warp * WARP_SIZE + lane)) {
            let rendezvous = open.remove(place);
            drop(open);
            end(rendezvous, block, None);
        }
    });
    block.wait() as u32
}

/// A thread has ended: rendezvous that waited only for it are complete.
pub fn unit_ended(block: &Block, unit: u32) {
    if block.mode != Mode::Threads {
        return;
    }
    let warp = unit / WARP_SIZE;
    let has_exited = |lane| block.has_finished(warp * WARP_SIZE + lane);
    end_where(block, |rendezvous| rendezvous.warp == warp && rendezvous.is_complete(has_exited));
}

/// Every thread waits, yields, or has ended: some of those who asked for the active threads get an answer.
pub fn all_have_come(block: &Block) {
    if block.mode != Mode::Threads {
        return;
    }
    if block.launch().keeps_step() {
        in_step::go_on(block);
        return;
    }
    let yielding = block.warps_that_yield();
    let mut first = [None::<u64>; MOST_WARPS];
    for rendezvous in block.rendezvous.borrow_mut().iter_mut() {
        if let Operation::ActiveMask(place) = rendezvous.what {
            rendezvous.passed_over += 1;
            let first = &mut first[rendezvous.warp as usize];
            *first = Some(first.map_or(place, |first| first.min(place)));
        }
    }
    end_where(block, |rendezvous| match rendezvous.what {
        Operation::ActiveMask(place) => {
            let is_turn = yielding & 1 << rendezvous.warp == 0
                && first[rendezvous.warp as usize] == Some(place);
            is_turn || rendezvous.passed_over > PATIENCE
        }
        _ => false,
    });
}

/// Warps of a block at most.
const MOST_WARPS: usize = 32;

fn end_where(block: &Block, which: impl Fn(&Rendezvous) -> bool) {
    let mut open = block.rendezvous.borrow_mut();
    while let Some(index) = open.iter().position(&which) {
        let rendezvous = open.remove(index);
        end(rendezvous, block, None);
    }
}

/// Gives every thread its result, and wakes all but `running`, whose result it returns.
fn end(mut rendezvous: Rendezvous, block: &Block, running: Option<u32>) -> u64 {
    if let Some(arrival) = Arrival::of(&rendezvous) {
        barrier::arrive_threads(block, rendezvous.warp, arrival);
        return 0;
    }
    let rows = rendezvous.matrix(block).to_vec();
    let mut own = 0;
    for lane in lanes(rendezvous.arrived) {
        for (index, row) in rows.iter().enumerate() {
            let words = rendezvous.input(lane).value as *mut u32;
            // SAFETY: each thread that came waits, and has room for the results.
            unsafe { words.add(index).write(row[lane as usize]) };
        }
        let result = rendezvous.result(lane);
        if running == Some(lane) {
            own = result;
        } else {
            block.wake(rendezvous.warp * WARP_SIZE + lane, result);
        }
    }
    own
}
