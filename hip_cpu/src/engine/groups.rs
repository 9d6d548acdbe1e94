//! Warps of vector code that have parted: independent thread scheduling (PTX ISA, 3.1; CUDA C++ Programming
//! Guide, 7.6).
//!
//! Lanes of a warp run together, in one coroutine, until one of them has to wait for another that the code
//! would come to later only: at `shfl.sync` with a partner in the other half of an `if`, or in a loop that
//! waits for a lock that a neighbour holds. Then the group parts. Each half gets all frames of the warp: the
//! stack is copied, and groups take turns at it, at the same addresses. In a copy the lanes of the other
//! half are gone, as if they had exited. Groups never join again; they meet ([`super::rendezvous`]).
//!
//! All of this happens within the warp's coroutine, and the engine knows of one unit as before.

use std::alloc::Layout;
use std::ptr::{NonNull, null_mut};
use std::sync::Once;

use cpu_abi::{BlockContext, BlockEntry, MEET_ROWS, WARP_SIZE};
use hip_host::guard::sanitizer::forget_frames;

use super::barrier::{self, Arrival};
use super::block::{Block, Pause};
use super::rendezvous::{self, Input, Operation, Rendezvous, lanes};
use super::runtime;

/// Rounds in which the same lanes wait before their group parts.
const PATIENCE: u32 = 1000;

/// Bytes of the stack on which the kernel's stack is copied.
const SCRATCH: Layout = match Layout::from_size_align(32 << 10, 64) {
    Ok(layout) => layout,
    Err(_) => panic!("a size below isize::MAX, an alignment that is a power of two"),
};

/// The groups of a warp.
pub struct Groups {
    warp: u32,
    list: Vec<ParkedGroup>,
    current: usize,
    /// The group to go on with.
    next: usize,
    /// The lanes that are to leave the current group.
    leaving: u32,
    /// The frames of the kernel lie below.
    top: usize,
    /// The code's own record of the group that runs, in its outermost frame.
    shared: *mut cpu_abi::Group,
    scratch: Scratch,
}

#[derive(Default)]
struct ParkedGroup {
    /// For the group that runs, [`Groups::shared`] says it.
    lanes: u32,
    state: State,
    /// The frames, and where they begin.
    stack: Vec<u8>,
    start: usize,
    float_state: u32,
    /// Lanes that wait for what a rendezvous gives them.
    awaits: u32,
    results: Results,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum State {
    #[default]
    Ready,
    /// For a rendezvous.
    Waits,
    Ended,
}

#[derive(Default)]
struct Results {
    values: [u64; WARP_SIZE as usize],
    /// Of a matrix operation.
    rows: Vec<[u32; WARP_SIZE as usize]>,
}

struct Scratch(NonNull<u8>);

impl Scratch {
    fn new() -> Scratch {
        // SAFETY: the size is not zero.
        let memory = unsafe { std::alloc::alloc(SCRATCH) };
        Scratch(NonNull::new(memory).unwrap_or_else(|| std::alloc::handle_alloc_error(SCRATCH)))
    }

    fn top(&self) -> usize {
        self.0.as_ptr() as usize + SCRATCH.size()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // SAFETY: allocated with the same layout.
        unsafe { std::alloc::dealloc(self.0.as_ptr(), SCRATCH) };
    }
}

/// Calls the entry of a kernel, and leaves at `top` where the frames of the kernel end.
///
/// # Safety
/// As the entry asks for.
#[unsafe(naked)]
pub unsafe extern "sysv64" fn enter(
    entry: BlockEntry,
    context: *const BlockContext,
    first_warp: u32,
    last_warp: u32,
    top: *mut usize,
) {
    std::arch::naked_asm!(
        "push rbp",
        "mov rbp, rsp",
        "mov [r8], rsp",
        "mov rax, rdi",
        "mov rdi, rsi",
        "mov esi, edx",
        "mov edx, ecx",
        "call rax",
        "pop rbp",
        "ret",
    )
}

/// Runs `copy` on another stack, with the place of the frames of the caller, and goes on in the frames
/// whose place it returns: those that this function was called from, then or at an earlier time.
#[unsafe(naked)]
unsafe extern "sysv64" fn on_scratch(
    scratch: usize,
    copy: unsafe extern "sysv64" fn(*mut Groups, usize) -> usize,
    groups: *mut Groups,
) {
    std::arch::naked_asm!(
        "push rbp",
        "push rbx",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "mov rax, rsi",
        "mov rsi, rsp",
        "mov rsp, rdi",
        "mov rdi, rdx",
        "call rax",
        "mov rsp, rax",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbx",
        "pop rbp",
        "ret",
    )
}

impl Groups {
    fn new(warp: u32, top: usize, shared: *mut cpu_abi::Group) -> Groups {
        let list = vec![ParkedGroup::default()];
        Groups { warp, list, current: 0, next: 0, leaving: 0, top, shared, scratch: Scratch::new() }
    }

    /// The lanes of a group that have not exited.
    fn lanes_of(&self, group: usize) -> u32 {
        match &self.list[group] {
            ended if ended.state == State::Ended => 0,
            // SAFETY: the outermost frame lives as long as the groups.
            _ if group == self.current => unsafe { (*self.shared).lanes },
            other => other.lanes,
        }
    }

    /// The lanes of the warp that have not exited.
    fn alive(&self) -> u32 {
        (0..self.list.len()).fold(0, |all, group| all | self.lanes_of(group))
    }

    /// Keeps the frames from `start` on for the current group.
    unsafe fn keep(&mut self, start: usize) {
        let size = self.top - start;
        // Between variables of the runtime's frames lies what nobody reads otherwise.
        forget_frames(start, size);
        // SAFETY: the frames lie between the two, on the stack of a coroutine that does not run.
        let frames = unsafe { std::slice::from_raw_parts(start as *const u8, size) };
        // SAFETY: as in `lanes_of`.
        let lanes = unsafe { (*self.shared).lanes };
        let group = &mut self.list[self.current];
        group.stack.clear();
        group.stack.extend_from_slice(frames);
        group.start = start;
        group.lanes = lanes;
        group.float_state = runtime::float_state();
    }

    /// The results that rendezvous gave the current group.
    fn results(&self) -> &Results {
        &self.list[self.current].results
    }

    /// Tells the code who is in the current group.
    fn introduce(&mut self, lanes: u32) {
        let others = (0..self.list.len())
            .filter(|group| *group != self.current)
            .fold(0, |all, group| all | self.lanes_of(group));
        // SAFETY: as in `lanes_of`.
        unsafe { *self.shared = cpu_abi::Group { lanes, others, parted: 1 } };
    }
}

/// Makes a copy of the current group for the lanes that leave it.
unsafe extern "sysv64" fn fork(groups: *mut Groups, start: usize) -> usize {
    // SAFETY: the caller's own, which nobody else uses meanwhile.
    let groups = unsafe { &mut *groups };
    // SAFETY: the frames of the caller begin at `start`.
    unsafe { groups.keep(start) };
    let group = &mut groups.list[groups.current];
    let staying = group.lanes & !groups.leaving;
    let copy = ParkedGroup {
        lanes: groups.leaving,
        stack: std::mem::take(&mut group.stack),
        start,
        float_state: group.float_state,
        ..ParkedGroup::default()
    };
    groups.list.push(copy);
    groups.introduce(staying);
    start
}

/// Puts the frames of the group `next` in place of those of the current one.
unsafe extern "sysv64" fn exchange(groups: *mut Groups, start: usize) -> usize {
    // SAFETY: as above.
    let groups = unsafe { &mut *groups };
    if groups.list[groups.current].state != State::Ended {
        // SAFETY: as above.
        unsafe { groups.keep(start) };
    }
    groups.current = groups.next;
    let group = &groups.list[groups.current];
    // Those of an ended group are gone; others lay there as variables do.
    let lowest = start.min(group.start);
    forget_frames(lowest, groups.top - lowest);
    // SAFETY: the frames were taken from the same place.
    unsafe {
        std::ptr::copy_nonoverlapping(
            group.stack.as_ptr(),
            group.start as *mut u8,
            group.stack.len(),
        );
    }
    runtime::set_float_state(group.float_state);
    let (lanes, start) = (group.lanes, group.start);
    groups.introduce(lanes);
    start
}

/// The groups of the running warp, if it has parted.
fn groups_of(block: &Block) -> Option<NonNull<Groups>> {
    NonNull::new(block.groups().get())
}

/// Whether the running warp has parted.
pub fn has_parted(block: &Block) -> bool {
    groups_of(block).is_some()
}

/// Gives the groups of a warp up.
pub fn drop_groups(slot: &std::cell::Cell<*mut Groups>) {
    let groups = slot.replace(null_mut());
    if !groups.is_null() {
        // SAFETY: made by `Box::into_raw`, and taken out here.
        drop(unsafe { Box::from_raw(groups) });
    }
}

/// [`cpu_abi::Runtime::part`]
pub unsafe extern "sysv64" fn part(
    block: *const BlockContext,
    warp: u32,
    mask: u32,
    group: *mut cpu_abi::Group,
) {
    // SAFETY: a kernel passes the context that it was called with, and its group.
    let (block, leaving) = unsafe { (Block::of(block), (*group).lanes & !mask) };
    if leaving == 0 {
        return;
    }
    if groups_of(block).is_none() {
        let groups =
            block.on_thread_stack(|| Box::new(Groups::new(warp, block.top_of_frames(), group)));
        block.set_groups(Box::into_raw(groups));
    }
    let groups = block.groups().get();
    // SAFETY: `fork` goes on here, once now and once when the copy's turn comes.
    unsafe {
        (*groups).leaving = leaving;
        on_scratch((*groups).scratch.top(), fork, groups);
    }
}

/// Lets group `next` run; returns when it is the current group's turn.
unsafe fn go_to(groups: *mut Groups, next: usize) {
    // SAFETY: no reference to the groups is held.
    unsafe {
        if (*groups).current == next {
            return;
        }
        (*groups).next = next;
        on_scratch((*groups).scratch.top(), exchange, groups);
    }
}

/// A ready group, the current one last.
fn ready(groups: &Groups) -> Option<usize> {
    let count = groups.list.len();
    (1..=count)
        .map(|step| (groups.current + step) % count)
        .find(|group| groups.list[*group].state == State::Ready)
}

/// Goes on with a group that is ready, and returns when the current one is, and has its turn.
fn wait(block: &Block, groups: *mut Groups) {
    loop {
        end_meetings(block, groups);
        // SAFETY: the groups live until the last one ends; no reference outlives the statement.
        let next = ready(unsafe { &*groups });
        if let Some(next) = next {
            // SAFETY: no reference is held.
            unsafe { go_to(groups, next) };
            return;
        }
        give_in(block, groups);
    }
}

/// All groups wait for one another, as no group of a GPU's would ever go on: whoever has come to the
/// oldest rendezvous goes on without the others.
fn give_in(block: &Block, groups: *mut Groups) {
    static SAID: Once = Once::new();
    let rendezvous = block.on_thread_stack(|| {
        SAID.call_once(|| {
            let name = &block.launch().kernel.name;
            tracing::warn!("kernel {name}: lanes of a warp wait for one another without end");
        });
        // SAFETY: as in `wait`.
        let warp = unsafe { (*groups).warp };
        let mut open = block.rendezvous.borrow_mut();
        let oldest = open.iter().position(|rendezvous| rendezvous.warp == warp);
        oldest.map(|oldest| open.remove(oldest))
    });
    match rendezvous {
        Some(rendezvous) => end(block, groups, rendezvous),
        None => block.pause(Pause::Wait),
    }
}

/// Ends rendezvous to which all have come that have not exited.
fn end_meetings(block: &Block, groups: *mut Groups) {
    loop {
        let complete = block.on_thread_stack(|| {
            // SAFETY: as in `wait`.
            let (warp, alive) = unsafe { ((*groups).warp, (*groups).alive()) };
            let has_exited = |lane: u32| alive & (1 << lane) == 0;
            let mut open = block.rendezvous.borrow_mut();
            let place = open.iter().position(|rendezvous| {
                rendezvous.warp == warp && rendezvous.is_complete(has_exited)
            });
            place.map(|place| open.remove(place))
        });
        match complete {
            Some(rendezvous) => end(block, groups, rendezvous),
            None => return,
        }
    }
}

/// Does what lanes have met for, and makes their groups ready.
fn end(block: &Block, groups: *mut Groups, mut rendezvous: Rendezvous) {
    let of_all = match rendezvous.what {
        Operation::Barrier { .. } => Arrival::of(&rendezvous)
            .map(|arrival| u64::from(barrier::arrive_together(block, arrival))),
        Operation::ClusterBarrier { waits: false } => {
            block.cluster().arrive(block);
            Some(0)
        }
        Operation::ClusterBarrier { waits: true } => {
            block.cluster().wait(block);
            Some(0)
        }
        _ => None,
    };
    block.on_thread_stack(|| {
        let rows = rendezvous.matrix(block).to_vec();
        // SAFETY: as in `wait`.
        let groups = unsafe { &mut *groups };
        for group in &mut groups.list {
            let here = group.awaits & rendezvous.arrived;
            if here == 0 {
                continue;
            }
            for lane in lanes(here) {
                group.results.values[lane as usize] =
                    of_all.unwrap_or_else(|| rendezvous.result(lane));
            }
            group.results.rows.clone_from(&rows);
            group.awaits &= !here;
            if group.awaits == 0 && group.state == State::Waits {
                group.state = State::Ready;
            }
        }
    });
}

/// The lanes in `mask`, all that the current group has, come to rendezvous and wait for their ends.
fn meet(
    block: &Block,
    groups: *mut Groups,
    mask: u32,
    what: Operation,
    input: impl Fn(u32) -> (Input, u32),
    word: impl Fn(usize, u32) -> u32,
) {
    block.on_thread_stack(|| {
        // SAFETY: as in `wait`.
        let groups = unsafe { &mut *groups };
        let mut open = block.rendezvous.borrow_mut();
        for lane in lanes(mask) {
            let (input, members) = input(lane);
            let place = rendezvous::open(&mut open, groups.warp, what, members | 1 << lane, lane);
            open[place].arrive_with_words(lane, input, |index| word(index, lane));
        }
        let group = &mut groups.list[groups.current];
        group.awaits = mask;
        group.state = State::Waits;
    });
    wait(block, groups);
}

/// [`cpu_abi::Runtime::meet`]
pub unsafe extern "sysv64" fn meet_lanes(
    context: *const BlockContext,
    warp: u32,
    mask: u32,
    group: *mut cpu_abi::Group,
    operation: u32,
    rows: *mut [u32; WARP_SIZE as usize],
) {
    // SAFETY: as a kernel calls this.
    unsafe { part(context, warp, mask, group) };
    // SAFETY: as above.
    let (block, here) = unsafe { (Block::of(context), (*group).lanes & mask) };
    let (Some(groups), Some(what)) = (groups_of(block), Operation::from_number(operation)) else {
        return;
    };
    if here == 0 {
        return;
    }
    let groups = groups.as_ptr();
    // SAFETY: the kernel passes as many rows.
    let words = unsafe { &mut *rows.cast::<[[u32; WARP_SIZE as usize]; MEET_ROWS]>() };
    let input = |lane: u32| {
        let [low, high, b, c, members] = words.map(|row| row[lane as usize]);
        (Input { value: u64::from(low) | u64::from(high) << 32, b, c }, members)
    };
    meet(block, groups, here, what, input, |_, _| 0);
    // SAFETY: as in `wait`.
    let results = unsafe { (*groups).results() };
    for lane in lanes(here) {
        let result = results.values[lane as usize];
        words[0][lane as usize] = result as u32;
        words[1][lane as usize] = (result >> 32) as u32;
    }
}

/// A matrix operation of a warp that has parted, with the places of its inputs and outputs among `rows`.
///
/// # Safety
/// As for [`cpu_abi::Runtime::matrix`].
pub unsafe fn matrix(
    block: &Block,
    mask: u32,
    operation: u64,
    rows: *mut [u32; WARP_SIZE as usize],
    [inputs, outputs]: [&[u16]; 2],
) {
    let Some(groups) = groups_of(block) else { return };
    let groups = groups.as_ptr();
    let word = |index: usize, lane: u32| {
        inputs.get(index).map_or(0, |&place| {
            // SAFETY: places name rows of the caller.
            unsafe { (*rows.add(place.into()))[lane as usize] }
        })
    };
    let input = |_| (Input::default(), u32::MAX);
    meet(block, groups, mask, Operation::Matrix(operation), input, word);
    // SAFETY: as in `wait`.
    let results = unsafe { (*groups).results() };
    for (row, &place) in results.rows.iter().zip(outputs) {
        for lane in lanes(mask) {
            // SAFETY: as above.
            unsafe { (*rows.add(place.into()))[lane as usize] = row[lane as usize] };
        }
    }
}

/// A barrier of a warp that has parted: its groups come to it together.
pub fn arrive(block: &Block, arrival: Arrival) -> u32 {
    if let Some(groups) = groups_of(block) {
        // SAFETY: as in `wait`.
        let warp = unsafe { groups.as_ref().warp };
        barrier::refuse_another(block, warp, &arrival);
    }
    all_meet(block, arrival.mask, arrival.operation(), arrival.predicates)
}

/// A barrier of the cluster, likewise.
pub fn cluster_barrier(block: &Block, mask: u32, waits: bool) {
    all_meet(block, mask, Operation::ClusterBarrier { waits }, 0);
}

fn all_meet(block: &Block, mask: u32, what: Operation, predicates: u32) -> u32 {
    let Some(groups) = groups_of(block) else { return 0 };
    let groups = groups.as_ptr();
    let input = |lane: u32| {
        let value = u64::from(predicates >> lane & 1);
        (Input { value, ..Input::default() }, u32::MAX)
    };
    meet(block, groups, mask, what, input, |_, _| 0);
    // SAFETY: as in `wait`.
    let results = unsafe { (*groups).results() };
    results.values[mask.trailing_zeros() as usize % WARP_SIZE as usize] as u32
}

/// [`cpu_abi::Runtime::spin`]
pub unsafe extern "sysv64" fn spin(
    context: *const BlockContext,
    warp: u32,
    mask: u32,
    group: *mut cpu_abi::Group,
) {
    // SAFETY: a kernel passes the context that it was called with, and its group.
    let (block, elsewhere) = unsafe { (Block::of(context), (*group).lanes & !mask != 0) };
    if elsewhere && block.count_spin(mask) >= PATIENCE {
        // SAFETY: as above.
        unsafe { part(context, warp, mask, group) };
    }
    take_turns(block, Pause::Yield);
}

/// Lets other groups of the warp run, and other warps when all of them have had their turn. Who lets others go first that are to read what
/// it is going to change lets all of them.
pub fn take_turns(block: &Block, pause: Pause) {
    let Some(groups) = groups_of(block) else { return runtime::yield_warp(block, pause) };
    let groups = groups.as_ptr();
    // SAFETY: as in `wait`.
    let (current, next) = unsafe { ((*groups).current, ready(&*groups)) };
    let next = next.unwrap_or(current);
    let lets_all_go = pause == Pause::Preempt;
    if next <= current && !lets_all_go {
        runtime::yield_warp(block, pause);
    }
    // SAFETY: no reference is held.
    unsafe { go_to(groups, next) };
    if lets_all_go {
        runtime::yield_warp(block, pause);
    }
}

/// [`cpu_abi::Runtime::end_group`]
pub unsafe extern "sysv64" fn end_group(
    context: *const BlockContext,
    _warp: u32,
    _group: *mut cpu_abi::Group,
) {
    // SAFETY: as above.
    let block = unsafe { Block::of(context) };
    let Some(groups) = groups_of(block) else { return };
    let groups = groups.as_ptr();
    // SAFETY: as in `wait`.
    let others = unsafe {
        let current = (*groups).current;
        let list = &mut (*groups).list;
        list[current].state = State::Ended;
        list.iter().any(|group| group.state != State::Ended)
    };
    if others {
        wait(block, groups);
    }
    block.on_thread_stack(|| drop_groups(block.groups()));
}
