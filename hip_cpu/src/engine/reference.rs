//! Warp operations of the reference executor, whose threads are coroutines of their own.
//!
//! Each operation is a meeting of the threads that its mask names: the last one to come computes what
//! every one gets. Threads that have ended are not waited for.
//!
//! The mask of active threads, which a thread asks for without naming anybody, is a guess at who runs
//! together: those threads of the warp that have come to the same place of the code by the time that
//! every other thread of the block waits, spins, or has ended.

use cpu_abi::{MatrixOperation, ShuffleKind, ThreadContext, WARP_SIZE, WarpOperation};

use super::block::{Block, Mode};
use super::matrix;

/// Threads of a warp that are meeting.
pub struct Gathering {
    warp: u32,
    what: Operation,
    /// Lanes that are expected; for the active mask, nobody is.
    members: u32,
    /// Lanes that have come.
    arrived: u32,
    inputs: Box<[Input; WARP_SIZE as usize]>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Operation {
    Shuffle(ShuffleKind),
    Warp(WarpOperation),
    /// With the address that the call returns to.
    ActiveMask(usize),
    /// The operation as a number; the value of an input is the address of the thread's words.
    Matrix(u64),
}

#[derive(Clone, Copy, Default)]
struct Input {
    value: u64,
    b: u32,
    c: u32,
}

/// `shfl.sync` of one thread; see [`cpu_abi::Runtime::shuffle`].
pub unsafe extern "C" fn shuffle(
    thread: *const ThreadContext,
    kind: u32,
    value: u32,
    b: u32,
    c: u32,
    membermask: u32,
) -> u64 {
    let kind = match kind {
        0 => ShuffleKind::Up,
        1 => ShuffleKind::Down,
        2 => ShuffleKind::Bfly,
        _ => ShuffleKind::Idx,
    };
    // SAFETY: a kernel passes the context that it was called with.
    let thread = unsafe { &*thread };
    meet(thread, Operation::Shuffle(kind), membermask, Input { value: value.into(), b, c })
}

/// All other warp operations of one thread; see [`cpu_abi::Runtime::warp_operation`].
#[unsafe(naked)]
pub unsafe extern "C" fn warp_operation(
    thread: *const ThreadContext,
    kind: u32,
    value: u64,
    membermask: u32,
) -> u64 {
    // The place of the call, as a fifth argument.
    std::arch::naked_asm!("mov r8, [rsp]", "jmp {operation}", operation = sym operation)
}

unsafe extern "C" fn operation(
    thread: *const ThreadContext,
    kind: u32,
    value: u64,
    membermask: u32,
    place: usize,
) -> u64 {
    use WarpOperation::*;
    const OPERATIONS: [WarpOperation; 19] = [
        Sync, ActiveMask, VoteAll, VoteAny, VoteUni, Ballot, MatchAny32, MatchAny64, MatchAll32,
        MatchAll64, ReduxAdd, ReduxMinS, ReduxMaxS, ReduxMinU, ReduxMaxU, ReduxAnd, ReduxOr,
        ReduxXor, Elect,
    ];
    // SAFETY: a kernel passes the context that it was called with.
    let thread = unsafe { &*thread };
    let input = Input { value, b: 0, c: 0 };
    match OPERATIONS.iter().find(|operation| **operation as u32 == kind) {
        Some(ActiveMask) => meet(thread, Operation::ActiveMask(place), 0, input),
        Some(operation) => meet(thread, Operation::Warp(*operation), membermask, input),
        None => 0,
    }
}

/// [`cpu_abi::Runtime::matrix_of_thread`]: all lanes of the warp have to come.
pub unsafe extern "C" fn matrix_of_thread(
    thread: *const ThreadContext,
    operation: u64,
    words: *mut u32,
) {
    // SAFETY: a kernel passes the context that it was called with.
    let thread = unsafe { &*thread };
    let input = Input { value: words as u64, b: 0, c: 0 };
    meet(thread, Operation::Matrix(operation), u32::MAX, input);
}

/// The running thread comes to a meeting, opens it if it is the first, and waits for the others.
fn meet(thread: &ThreadContext, what: Operation, membermask: u32, input: Input) -> u64 {
    // SAFETY: the engine made the context; `engine` is the block.
    let block = unsafe { &*thread.engine.cast::<Block>() };
    let bit = 1 << thread.lane;
    // A thread that does not name itself waits for itself all the same.
    let members = if matches!(what, Operation::ActiveMask(_)) { 0 } else { membermask | bit };
    let result = block.on_thread_stack(|| {
        let mut gatherings = block.gatherings.borrow_mut();
        let open = gatherings.iter().position(|gathering| {
            gathering.warp == thread.warp
                && gathering.what == what
                && gathering.members == members
                && gathering.arrived & bit == 0
        });
        let index = open.unwrap_or_else(|| {
            let inputs = Box::new([Input::default(); WARP_SIZE as usize]);
            gatherings.push(Gathering { warp: thread.warp, what, members, arrived: 0, inputs });
            gatherings.len() - 1
        });
        let gathering = &mut gatherings[index];
        gathering.arrived |= bit;
        gathering.inputs[thread.lane as usize] = input;
        if !gathering.is_complete(block) {
            return None;
        }
        let gathering = gatherings.remove(index);
        Some(gathering.end(block, Some(thread.lane)))
    });
    result.unwrap_or_else(|| block.wait())
}

/// A thread has ended: meetings that waited only for it are complete.
pub fn unit_ended(block: &Block, unit: u32) {
    if block.mode != Mode::Threads {
        return;
    }
    let warp = unit / WARP_SIZE;
    end_where(block, |gathering| gathering.warp == warp && gathering.is_complete(block));
}

/// Every thread that could run has run: whoever asked for the active threads gets an answer.
pub fn end_of_step(block: &Block) {
    if block.mode == Mode::Threads {
        end_where(block, |gathering| matches!(gathering.what, Operation::ActiveMask(_)));
    }
}

fn end_where(block: &Block, which: impl Fn(&Gathering) -> bool) {
    let mut gatherings = block.gatherings.borrow_mut();
    while let Some(index) = gatherings.iter().position(&which) {
        let gathering = gatherings.remove(index);
        gathering.end(block, None);
    }
}

impl Gathering {
    /// Whether every member has come or ended.
    fn is_complete(&self, block: &Block) -> bool {
        if matches!(self.what, Operation::ActiveMask(_)) {
            return false;
        }
        lanes(self.members & !self.arrived)
            .all(|lane| block.has_finished(self.warp * WARP_SIZE + lane))
    }

    /// Gives every thread its result, and wakes all but `running`, whose result it returns.
    fn end(&self, block: &Block, running: Option<u32>) -> u64 {
        if let Operation::Matrix(operation) = self.what {
            self.matrix(block, operation);
        }
        let mut own = 0;
        for lane in lanes(self.arrived) {
            let result = self.result(lane);
            if running == Some(lane) {
                own = result;
            } else {
                block.wake(self.warp * WARP_SIZE + lane, result);
            }
        }
        own
    }

    /// Gathers the words of the threads, and gives each its own of the results.
    fn matrix(&self, block: &Block, operation: u64) {
        let Some(operation) = MatrixOperation::unpack(operation) else { return };
        let mut rows = vec![[0; WARP_SIZE as usize]; matrix::rows_of(&operation)];
        let words = operation.words();
        let place = |lane: u32| self.inputs[lane as usize].value as *mut u32;
        for lane in lanes(self.arrived) {
            for (index, row) in rows.iter_mut().enumerate().take(words.inputs() as usize) {
                // SAFETY: each thread that came waits, and has as many words.
                row[lane as usize] = unsafe { place(lane).add(index).read() };
            }
        }
        // SAFETY: addresses are the program's own.
        unsafe {
            matrix::perform(block.context(), self.warp, self.arrived, &operation, &mut rows);
        }
        for lane in lanes(self.arrived) {
            for (index, row) in rows.iter().enumerate().take(words.d as usize) {
                // SAFETY: as above, with room for the results.
                unsafe { place(lane).add(index).write(row[lane as usize]) };
            }
        }
    }

    fn values(&self) -> impl Iterator<Item = u64> {
        lanes(self.arrived).map(|lane| self.inputs[lane as usize].value)
    }

    /// The lanes whose value is this one.
    fn matching(&self, value: u64) -> u32 {
        lanes(self.arrived)
            .filter(|lane| self.inputs[*lane as usize].value == value)
            .fold(0, |mask, lane| mask | 1 << lane)
    }

    fn result(&self, lane: u32) -> u64 {
        let input = self.inputs[lane as usize];
        let operation = match self.what {
            Operation::Shuffle(kind) => return self.shuffled(kind, lane),
            Operation::ActiveMask(_) => return self.arrived.into(),
            Operation::Matrix(_) => return 0,
            Operation::Warp(operation) => operation,
        };
        let truth = |value: u64| value & 1 != 0;
        // A predicate alone is both the result and the predicate.
        let predicate = |value: bool| u64::from(value) << 32 | u64::from(value);
        let fold = |f: fn(u32, u32) -> u32| {
            self.values().map(|value| value as u32).reduce(f).map_or(0, u64::from)
        };
        match operation {
            WarpOperation::Sync => 0,
            WarpOperation::ActiveMask => self.arrived.into(),
            WarpOperation::VoteAll => predicate(self.values().all(truth)),
            WarpOperation::VoteAny => predicate(self.values().any(truth)),
            WarpOperation::VoteUni => {
                predicate(self.values().all(|value| truth(value) == truth(input.value)))
            }
            WarpOperation::Ballot => lanes(self.arrived)
                .filter(|lane| truth(self.inputs[*lane as usize].value))
                .fold(0, |mask, lane| mask | 1 << lane),
            WarpOperation::MatchAny32 | WarpOperation::MatchAny64 => {
                self.matching(input.value).into()
            }
            WarpOperation::MatchAll32 | WarpOperation::MatchAll64 => {
                if self.matching(input.value) == self.arrived {
                    1 << 32 | u64::from(self.arrived)
                } else {
                    0
                }
            }
            WarpOperation::ReduxAdd => fold(u32::wrapping_add),
            WarpOperation::ReduxMinS => fold(|a, b| (a as i32).min(b as i32) as u32),
            WarpOperation::ReduxMaxS => fold(|a, b| (a as i32).max(b as i32) as u32),
            WarpOperation::ReduxMinU => fold(u32::min),
            WarpOperation::ReduxMaxU => fold(u32::max),
            WarpOperation::ReduxAnd => fold(|a, b| a & b),
            WarpOperation::ReduxOr => fold(|a, b| a | b),
            WarpOperation::ReduxXor => fold(|a, b| a ^ b),
            WarpOperation::Elect => {
                let leader = self.arrived.trailing_zeros();
                u64::from(leader) | u64::from(leader == lane) << 32
            }
        }
    }

    /// PTX ISA, `shfl.sync`, semantics.
    fn shuffled(&self, kind: ShuffleKind, lane: u32) -> u64 {
        let Input { value, b, c } = self.inputs[lane as usize];
        let (b, clamp, segment) = (b & 31, c & 31, c >> 8 & 31);
        let last = lane & segment | clamp & !segment;
        let first = lane & segment;
        let (source, inside) = match kind {
            ShuffleKind::Up => (lane as i32 - b as i32, lane as i32 - b as i32 >= last as i32),
            ShuffleKind::Down => ((lane + b) as i32, lane + b <= last),
            ShuffleKind::Bfly => ((lane ^ b) as i32, lane ^ b <= last),
            ShuffleKind::Idx => ((first | b & !segment) as i32, first | b & !segment <= last),
        };
        if !inside {
            return value;
        }
        // A lane that is not there has no defined value.
        let present = (0..WARP_SIZE as i32).contains(&source) && self.arrived & 1 << source != 0;
        let value = if present { self.inputs[source as usize].value } else { value };
        value & 0xffff_ffff | 1 << 32
    }
}

/// The lanes of a mask.
fn lanes(mask: u32) -> impl Iterator<Item = u32> {
    (0..WARP_SIZE).filter(move |lane| mask & 1 << lane != 0)
}
