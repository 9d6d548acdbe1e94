//! The functions that kernels can call: the table behind [`cpu_abi::Runtime`].

use std::ffi::{CStr, c_char, c_void};
use std::io::Write;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use cpu_abi::{
    BarrierReduction, BlockContext, DEFAULT_FLOAT_STATE, FLAG_FLUSHES, KernelDescriptor, Runtime,
    WARP_SIZE,
};
use hip_runtime_sys::hipError_t;

use super::barrier::{self, Arrival};
use super::block::{Block, Mode, Pause};
use super::{asynchronous, groups, in_step, matrix_instruction, reference, texture_instruction};
use zluda_common::printf;

pub static RUNTIME: Runtime = Runtime {
    barrier_sync,
    barrier_arrive,
    barrier_reduce,
    yield_now,
    vprintf,
    malloc,
    free,
    assert_fail,
    trap,
    global_timer,
    fma,
    lane_operation: asynchronous::lane_operation,
    cluster_barrier,
    texture: texture_instruction::texture,
    matrix: matrix_instruction::matrix,
    part: groups::part,
    meet: groups::meet_lanes,
    spin: groups::spin,
    end_group: groups::end_group,
    preempt,
    shuffle: reference::shuffle,
    warp_operation: reference::warp_operation,
    matrix_of_thread: reference::matrix_of_thread,
    load_together: in_step::load_together,
};

/// The rounding and flushing state of vector arithmetic.
pub fn float_state() -> u32 {
    let mut state = 0u32;
    // SAFETY: stores the register to a local variable.
    unsafe {
        std::arch::asm!("stmxcsr [{}]", in(reg) &raw mut state, options(nostack, preserves_flags))
    };
    state
}

/// Sets the register to what [`float_state`] gave.
pub fn set_float_state(state: u32) {
    // SAFETY: the value was read from the register, or is its default.
    unsafe {
        std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const state, options(nostack, preserves_flags))
    };
}

/// `FTZ` and `DAZ`: results that are denormal, and operands, are zeros.
const FLUSH: u32 = 1 << 15 | 1 << 6;

/// What a kernel begins with.
pub fn initial_float_state(kernel: &KernelDescriptor) -> u32 {
    let flush = if kernel.flags & FLAG_FLUSHES != 0 { FLUSH } else { 0 };
    DEFAULT_FLOAT_STATE | flush
}

/// Runs `f` in a state: the program may have set modes that kernels do not expect.
pub fn with_float_state(state: u32, f: impl FnOnce()) {
    let before = float_state();
    set_float_state(state);
    f();
    set_float_state(before);
}

/// The default state, as long as it lives, for arithmetic with what a kernel hands over.
pub struct DefaultState {
    before: u32,
}

impl DefaultState {
    /// From now on. Arithmetic stays where it is as far as it reads operands from memory behind this and writes results before the
    /// end: neither passes the change.
    pub fn begin() -> DefaultState {
        let before = float_state();
        if before & FLUSH != 0 {
            set_float_state(DEFAULT_FLOAT_STATE);
        }
        DefaultState { before }
    }
}

impl Drop for DefaultState {
    fn drop(&mut self) {
        if self.before & FLUSH != 0 {
            set_float_state(self.before);
        }
    }
}

extern "sysv64" fn fma(a: f64, b: f64, c: f64) -> f64 {
    super::fma::fma(a, b, c)
}

unsafe extern "sysv64" fn barrier_sync(
    block: *const BlockContext,
    _warp: u32,
    mask: u32,
    id: u32,
    threads: u32,
) {
    // SAFETY: a kernel passes the context that it was called with.
    let block = unsafe { Block::of(block) };
    barrier::arrive(
        block,
        Arrival { id, threads, mask, predicates: 0, reduction: None, waits: true },
    );
}

unsafe extern "sysv64" fn barrier_arrive(
    block: *const BlockContext,
    _warp: u32,
    mask: u32,
    id: u32,
    threads: u32,
) {
    // SAFETY: as above.
    let block = unsafe { Block::of(block) };
    barrier::arrive(
        block,
        Arrival { id, threads, mask, predicates: 0, reduction: None, waits: false },
    );
}

unsafe extern "sysv64" fn barrier_reduce(
    block: *const BlockContext,
    _warp: u32,
    mask: u32,
    id: u32,
    threads: u32,
    reduction: u32,
    predicates: u32,
) -> u32 {
    // SAFETY: as above.
    let block = unsafe { Block::of(block) };
    let reduction = match reduction {
        1 => BarrierReduction::And,
        2 => BarrierReduction::Or,
        _ => BarrierReduction::Popc,
    };
    barrier::arrive(
        block,
        Arrival { id, threads, mask, predicates, reduction: Some(reduction), waits: true },
    )
}

unsafe extern "sysv64" fn cluster_barrier(
    block: *const BlockContext,
    _warp: u32,
    mask: u32,
    waits: u32,
) {
    // SAFETY: as above.
    let block = unsafe { Block::of(block) };
    // A single warp in a single block waits for itself alone.
    if block.mode == Mode::Whole {
        return;
    }
    if groups::has_parted(block) {
        groups::cluster_barrier(block, mask, waits != 0);
    } else if waits == 0 {
        block.cluster().arrive(block);
    } else {
        block.cluster().wait(block);
    }
}

/// Sleeps that are shorter end at once: loops with `nanosleep` wait for others of the grid, which need the processor.
const SHORTEST_SLEEP: Duration = Duration::from_micros(20);
/// "The maximum sleep duration is 1 millisecond."
const LONGEST_SLEEP: Duration = Duration::from_millis(1);

unsafe extern "sysv64" fn yield_now(block: *const BlockContext, _warp: u32, nanoseconds: u32) {
    // SAFETY: as above.
    let block = unsafe { Block::of(block) };
    let time = Duration::from_nanos(nanoseconds.into()).min(LONGEST_SLEEP);
    groups::take_turns(block, Pause::Yield);
    // `nanosleep` may end at any time up to twice as long: where blocks wait for a thread that runs this one, it does at
    // once.
    if time >= SHORTEST_SLEEP && !block.launch().has_more_blocks_than_threads() {
        sleep(block, time);
    }
}

/// Lets others of the block run for so long.
fn sleep(block: &Block, time: Duration) {
    let is_alone = block.launch().units() == 1
        && block.launch().cluster_blocks() == 1
        && !groups::has_parted(block);
    let begun = Instant::now();
    while let Some(left) = time.checked_sub(begun.elapsed()).filter(|left| !left.is_zero()) {
        if is_alone {
            std::thread::sleep(left);
        } else {
            groups::take_turns(block, Pause::Yield);
        }
    }
}

unsafe extern "sysv64" fn preempt(block: *const BlockContext) {
    // SAFETY: as above.
    unsafe { Block::of(block) }.preempt();
}

/// Lets other warps run.
pub fn yield_warp(block: &Block, pause: Pause) {
    if block.job().is_stopped() {
        block.pause(Pause::Stop);
    }
    if block.mode == Mode::Whole {
        // Nobody else is on this thread; what is waited for happens on another.
        std::thread::yield_now();
    } else {
        block.pause(pause);
    }
}

unsafe extern "sysv64" fn vprintf(
    block: *const BlockContext,
    format: *const c_char,
    arguments: *const u8,
) -> i32 {
    // SAFETY: as above; strings and arguments are read here, on the kernel's stack, where a bad pointer
    // is the kernel's fault.
    unsafe {
        if format.is_null() {
            return -1;
        }
        let block = Block::of(block);
        printf::touch(format, arguments);
        let _default = DefaultState::begin();
        block.on_thread_stack(|| printf::print(CStr::from_ptr(format).to_bytes(), arguments))
    }
}

unsafe extern "sysv64" fn malloc(
    block: *const BlockContext,
    size: u64,
    alignment: u64,
) -> *mut c_void {
    // SAFETY: as above.
    let block = unsafe { Block::of(block) };
    block
        .on_thread_stack(|| block.launch().context.heap.allocate(size as usize, alignment as usize))
        .map_or(std::ptr::null_mut(), |at| at as _)
}

unsafe extern "sysv64" fn free(block: *const BlockContext, pointer: *mut c_void) {
    // SAFETY: as above.
    let block = unsafe { Block::of(block) };
    if pointer.is_null()
        || block.on_thread_stack(|| block.launch().context.heap.free(pointer as usize))
    {
        return;
    }
    tracing::error!(
        "kernel {}: free of {pointer:?}, which malloc did not return",
        block.launch().kernel.name
    );
    stop(block, hipError_t::hipErrorLaunchFailure);
}

unsafe extern "sysv64" fn assert_fail(
    block: *const BlockContext,
    warp: u32,
    lane: u32,
    mask: u32,
    message: *const c_char,
    file: *const c_char,
    line: u32,
    function: *const c_char,
    _char_size: u64,
) {
    // SAFETY: as above.
    let context = unsafe { &*block };
    // SAFETY: as above.
    let block = unsafe { Block::of(block) };
    let text = |pointer: *const c_char| {
        if pointer.is_null() {
            return "?".into();
        }
        // SAFETY: strings of the kernel.
        unsafe { CStr::from_ptr(pointer) }.to_string_lossy()
    };
    let (file, function, message) = (text(file), text(function), text(message));
    let [x, y, _] = context.ntid;
    let index = warp * WARP_SIZE + lane;
    let tid = [index % x, index / x % y, index / x / y];
    let line = format!(
        "{file}:{line}: {function}: block: [{},{},{}], thread: [{},{},{}] Assertion `{message}` failed.\n",
        context.ctaid[0], context.ctaid[1], context.ctaid[2], tid[0], tid[1], tid[2]
    );
    block.on_thread_stack(|| {
        // Nothing can be done about a standard error stream that is closed.
        let _ = std::io::stderr().write_all(line.as_bytes());
    });
    drop((file, function, message, line));
    let is_last = mask.unbounded_shr(lane + 1) == 0;
    if is_last {
        stop(block, hipError_t::hipErrorAssert);
    }
}

unsafe extern "sysv64" fn trap(block: *const BlockContext, warp: u32, mask: u32) {
    // SAFETY: as above.
    let block = unsafe { Block::of(block) };
    block.on_thread_stack(|| {
        let (name, ctaid) = (&block.launch().kernel.name, block.context().ctaid);
        tracing::error!("kernel {name}: trap in block {ctaid:?}, warp {warp}, lanes {mask:#x}");
    });
    stop(block, hipError_t::hipErrorLaunchFailure);
}

/// CUDA's code of misaligned accesses, for which HIP has no name.
pub(super) const MISALIGNED_ADDRESS: hipError_t = hipError_t(716);

/// Ends the launch with an error; does not return to the kernel.
pub(super) fn stop(block: &Block, error: hipError_t) {
    block.on_thread_stack(|| block.launch().fail(block.job(), error));
    block.pause(Pause::Stop);
}

unsafe extern "sysv64" fn global_timer(_block: *const BlockContext) -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64)
}
