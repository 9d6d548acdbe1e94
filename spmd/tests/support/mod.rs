//! Runs compiled vector kernels: one block after the other, a coroutine a warp.
#![allow(dead_code, clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

use std::cell::{Cell, RefCell};
use std::ffi::{c_char, c_void};

use corosensei::{Coroutine, CoroutineResult, Yielder};
use cpu_abi::{
    BlockContext, BlockEntry, FLAG_BLOCK_RUNS, Group, KernelDescriptor, Runtime, ThreadContext,
};
use llvm_zluda::{Context, Module};
use spmd::{Blocks, DATA_LAYOUT, KernelKind, Options, TRIPLE, compile_object};

pub struct Kernel {
    pub descriptor: KernelDescriptor,
    _library: libloading::Library,
}

/// Declarations of all intrinsics that the kernels use come before their text.
const PRELUDE: &str = include_str!("../kernels/prelude.ll");

/// For this processor, with the verifier.
pub fn options(blocks: Blocks) -> Options {
    Options { verify: true, ..Options::host(blocks) }
}

/// For a processor by its level, or for this one.
pub fn options_for(level: Option<&str>, blocks: Blocks) -> Options {
    let host = options(blocks);
    match level {
        None => host,
        Some(level) => Options { cpu: level.to_owned(), features: String::new(), ..host },
    }
}

/// This processor, and the lower levels of x86-64 that it can run.
pub fn levels() -> Vec<Option<&'static str>> {
    let mut levels = vec![None, Some("x86-64-v2")];
    if is_x86_feature_detected!("avx2") {
        levels.push(Some("x86-64-v3"));
    }
    levels
}

/// Compiles a kernel from text; `row_warps` for launches whose warps never span rows.
pub fn compile(name: &str, text: &str, row_warps: bool) -> Kernel {
    compile_for(name, text, if row_warps { Blocks::RowWarps } else { Blocks::Any })
}

/// Compiles a kernel from text for this processor.
pub fn compile_for(name: &str, text: &str, blocks: Blocks) -> Kernel {
    compile_with(name, text, &options(blocks))
}

/// Compiles a kernel from text and loads it. `SPMD_PRINT` in the environment prints the lowered code.
pub fn compile_with(name: &str, text: &str, options: &Options) -> Kernel {
    let context = Context::new();
    let module = parse(&context, name, text);
    if std::env::var_os("SPMD_PRINT").is_some() {
        let lowered = spmd::lower(module.duplicate(), KernelKind::Vector, options).unwrap();
        println!("{}", lowered.print());
    }
    let object = compile_object(module, KernelKind::Vector, options).unwrap();
    load(name, &object)
}

/// A module for this target from text that uses what the prelude declares.
pub fn parse<'c>(context: &'c Context, name: &str, text: &str) -> Module<'c> {
    let text = format!("{PRELUDE}\n{text}");
    let module = Module::parse(context, name, &text).unwrap();
    module.set_triple(TRIPLE);
    module.set_data_layout(DATA_LAYOUT);
    module
}

/// Loads a kernel from its object, and checks its descriptor.
pub fn load(name: &str, object: &[u8]) -> Kernel {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kernel.so");
    std::fs::write(&path, object).unwrap();
    // SAFETY: the object was just made and has no initialisers.
    let library = unsafe { libloading::Library::new(&path) }.unwrap();
    // SAFETY: the symbol is a descriptor.
    let descriptor = unsafe {
        **library.get::<*const KernelDescriptor>(format!("{name}.kd").as_bytes()).unwrap()
    };
    assert_eq!(descriptor.magic, cpu_abi::MAGIC);
    assert_eq!(descriptor.kind, KernelKind::Vector as u32);
    Kernel { descriptor, _library: library }
}

thread_local! {
    static YIELDER: Cell<*const Yielder<(), ()>> = const { Cell::new(std::ptr::null()) };
    static BARRIER: RefCell<Barrier> = RefCell::default();
    pub static PRINTED: RefCell<Vec<i32>> = RefCell::default();
    pub static TRAPPED: Cell<u32> = const { Cell::new(0) };
}

#[derive(Default)]
struct Barrier {
    arrived: u32,
    count: u32,
    generation: u32,
    result: u32,
    alive: u32,
}

/// Sets MXCSR: its default, or with FTZ and DAZ.
fn set_float_state(state: u32) {
    // SAFETY: no exception is unmasked.
    unsafe {
        std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const state, options(nostack, preserves_flags))
    };
}

/// Leaves small numbers below the stack's end: nobody may take what is there for a state that a warp is in.
#[inline(never)]
fn litter_stack() {
    std::hint::black_box(&mut [1u32; 1 << 14]);
}

fn suspend() {
    let yielder = YIELDER.get();
    assert!(!yielder.is_null(), "a kernel that waits says so in its flags");
    // SAFETY: set by the coroutine that runs.
    unsafe { (*yielder).suspend(()) };
    YIELDER.set(yielder);
}

/// Counts warps, whichever of their lanes are active.
fn barrier(predicates: u32, wait: bool) -> u32 {
    let generation = BARRIER.with_borrow_mut(|barrier| {
        barrier.arrived += 1;
        barrier.count += predicates.count_ones();
        barrier.generation
    });
    if wait {
        loop {
            BARRIER.with_borrow_mut(release);
            if BARRIER.with_borrow(|barrier| barrier.generation) != generation {
                break;
            }
            suspend();
        }
    }
    BARRIER.with_borrow(|barrier| barrier.result)
}

fn release(barrier: &mut Barrier) {
    if barrier.arrived >= barrier.alive && barrier.arrived > 0 {
        barrier.generation += 1;
        barrier.arrived = 0;
        barrier.result = std::mem::take(&mut barrier.count);
    }
}

extern "sysv64" fn fma(a: f64, b: f64, c: f64) -> f64 {
    a.mul_add(b, c)
}
unsafe extern "sysv64" fn lane_operation(_: *const BlockContext, _: u32, _: *const u64) -> u64 {
    0
}
unsafe extern "sysv64" fn cluster_barrier(_: *const BlockContext, _: u32, _: u32, _: u32) {}
unsafe extern "sysv64" fn barrier_sync(_: *const BlockContext, _: u32, _: u32, _: u32, _: u32) {
    barrier(0, true);
}
unsafe extern "sysv64" fn barrier_arrive(_: *const BlockContext, _: u32, _: u32, _: u32, _: u32) {
    barrier(0, false);
}
unsafe extern "sysv64" fn barrier_reduce(
    _: *const BlockContext,
    _: u32,
    mask: u32,
    _: u32,
    _: u32,
    kind: u32,
    p: u32,
) -> u32 {
    // `and`: nobody brings false.
    let brings = if kind == 1 { mask & !p } else { p };
    let count = barrier(brings, true);
    match kind {
        0 => count,
        1 => u32::from(count == 0),
        _ => u32::from(count > 0),
    }
}
unsafe extern "sysv64" fn preempt(_: *const BlockContext) {}

unsafe extern "sysv64" fn yield_now(_: *const BlockContext, _: u32, _: u32) {
    suspend();
}
unsafe extern "sysv64" fn texture(
    _block: *const BlockContext,
    _warp: u32,
    _mask: u32,
    _operation: u64,
    _lanes: u32,
    _words: *mut u32,
) {
    panic!("no textures here");
}

unsafe extern "sysv64" fn matrix(
    _block: *const BlockContext,
    _warp: u32,
    _mask: u32,
    _operation: u64,
    _rows: *mut [u32; 32],
    _places: *const u16,
) {
    panic!("no matrices here");
}
unsafe extern "sysv64" fn matrix_of_thread(_: *const ThreadContext, _: u64, _: *mut u32) {
    unreachable!("vector code calls for whole warps")
}

unsafe extern "sysv64" fn part(_: *const BlockContext, _: u32, _: u32, _: *mut Group) {
    panic!("lanes do not part here");
}
unsafe extern "sysv64" fn meet(
    _: *const BlockContext,
    _: u32,
    _: u32,
    _: *mut Group,
    _: u32,
    _: *mut [u32; 32],
) {
    panic!("lanes do not part here");
}
unsafe extern "sysv64" fn spin(_: *const BlockContext, _: u32, _: u32, _: *mut Group) {
    suspend();
}
unsafe extern "sysv64" fn end_group(_: *const BlockContext, _: u32, _: *mut Group) {}

unsafe extern "sysv64" fn vprintf(
    _: *const BlockContext,
    _: *const c_char,
    arguments: *const u8,
) -> i32 {
    // SAFETY: the kernels pass one integer.
    let value = unsafe { arguments.cast::<i32>().read_unaligned() };
    PRINTED.with_borrow_mut(|printed| printed.push(value));
    value
}
unsafe extern "sysv64" fn malloc(_: *const BlockContext, size: u64, _: u64) -> *mut c_void {
    // SAFETY: as C's.
    unsafe { libc::malloc(size as usize) }
}
unsafe extern "sysv64" fn free(_: *const BlockContext, pointer: *mut c_void) {
    // SAFETY: as C's.
    unsafe { libc::free(pointer) }
}
unsafe extern "sysv64" fn assert_fail(
    _: *const BlockContext,
    _: u32,
    _: u32,
    _: u32,
    _: *const c_char,
    _: *const c_char,
    _: u32,
    _: *const c_char,
    _: u64,
) {
}
unsafe extern "sysv64" fn trap(_: *const BlockContext, _: u32, mask: u32) {
    TRAPPED.set(mask);
}
unsafe extern "sysv64" fn global_timer(_: *const BlockContext) -> u64 {
    1
}
unsafe extern "sysv64" fn shuffle(
    _: *const ThreadContext,
    _: u32,
    _: u32,
    _: u32,
    _: u32,
    _: u32,
) -> u64 {
    unreachable!("vector code has its own shuffles")
}
unsafe extern "sysv64" fn warp_operation(_: *const ThreadContext, _: u32, _: u64, _: u32) -> u64 {
    unreachable!("vector code has its own warp operations")
}

unsafe extern "sysv64" fn load_together(
    _: *const ThreadContext,
    _: u32,
    _: *const u8,
    _: u32,
) -> *const u8 {
    unreachable!("vector code keeps step by itself")
}

static RUNTIME: Runtime = Runtime {
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
    lane_operation,
    cluster_barrier,
    texture,
    matrix,
    part,
    meet,
    spin,
    end_group,
    preempt,
    shuffle,
    warp_operation,
    matrix_of_thread,
    load_together,
};

/// All that the window of a block's shared memory spans, below 4 GiB: an array of a test must not lie within it.
struct Shared(*mut u8);

impl Shared {
    const SIZE: usize = cpu_abi::CLUSTER_SHARED_STRIDE as usize;

    /// Pages that hold no zeros.
    fn new() -> Shared {
        let (access, flags) = (
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_32BIT,
        );
        // SAFETY: new memory, all of which is written.
        unsafe {
            let pages = libc::mmap(std::ptr::null_mut(), Self::SIZE, access, flags, -1, 0);
            assert_ne!(pages, libc::MAP_FAILED);
            pages.cast::<u8>().write_bytes(0xcd, Self::SIZE);
            Shared(pages.cast())
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // SAFETY: the pages are ours.
        unsafe { libc::munmap(self.0.cast(), Self::SIZE) };
    }
}

/// The smallest pages.
pub const PAGE: usize = 4096;

/// The first byte of a page that can be read between two that cannot.
pub fn lone_page() -> *mut u8 {
    // SAFETY: new memory, of which only the middle is made accessible.
    unsafe {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        let three = libc::mmap(std::ptr::null_mut(), 3 * PAGE, libc::PROT_NONE, flags, -1, 0);
        assert_ne!(three, libc::MAP_FAILED);
        let middle = three.cast::<u8>().add(PAGE);
        let access = libc::PROT_READ | libc::PROT_WRITE;
        assert_eq!(libc::mprotect(middle.cast::<c_void>(), PAGE, access), 0);
        middle
    }
}

/// Words of a parameter buffer.
pub fn params(words: &[u64]) -> Vec<u64> {
    words.to_vec()
}

/// The address of the first element, as a kernel's parameter.
pub fn address<T>(data: &mut [T]) -> u64 {
    data.as_mut_ptr() as u64
}

impl Kernel {
    /// Runs a grid on this thread, one block after the other. `params` are 8 bytes each.
    pub fn launch(&self, grid: [u32; 3], block: [u32; 3], params: &[u64]) {
        let shared = Shared::new();
        // SAFETY: the descriptor's kind was checked.
        let entry: BlockEntry = unsafe { std::mem::transmute(self.descriptor.entry) };
        let threads = block.iter().product::<u32>();
        let warps = threads.div_ceil(32);
        let runs = self.descriptor.flags & FLAG_BLOCK_RUNS != 0;
        for z in 0..grid[2] {
            for y in 0..grid[1] {
                for x in 0..if runs { 1 } else { grid[0] } {
                    let mut context = BlockContext {
                        params: params.as_ptr().cast(),
                        shared: shared.0,
                        runtime: &RUNTIME,
                        ntid: block,
                        nctaid: grid,
                        ctaid: [x, y, z],
                        dynamic_shared_size: 0,
                        total_shared_size: 65536,
                        warps,
                        smid: 0,
                        nsmid: 1,
                        cluster: [1; 3],
                        explicit_cluster: 0,
                        cluster_shared: shared.0,
                        grid_id: 7,
                        engine: std::ptr::null_mut(),
                        blocks: if runs { grid[0] } else { 1 },
                    };
                    self.block(entry, &mut context);
                }
            }
        }
    }

    fn block(&self, entry: BlockEntry, context: &mut BlockContext) {
        if self.descriptor.flags & cpu_abi::FLAG_WAITS == 0 {
            let flushes = self.descriptor.flags & cpu_abi::FLAG_FLUSHES != 0;
            if flushes {
                set_float_state(0x9fc0);
            }
            litter_stack();
            // SAFETY: the context is whole.
            unsafe { entry(context, 0, context.warps) };
            if flushes {
                set_float_state(cpu_abi::DEFAULT_FLOAT_STATE);
            }
            return;
        }
        BARRIER.set(Barrier { alive: context.warps, ..Barrier::default() });
        let pointer = std::ptr::from_mut(context) as usize;
        let mut warps: Vec<_> = (0..context.warps)
            .map(|warp| {
                Coroutine::new(move |yielder: &Yielder<(), ()>, ()| {
                    YIELDER.set(yielder);
                    // SAFETY: the context outlives the coroutine.
                    unsafe { entry(pointer as *const BlockContext, warp, warp + 1) };
                })
            })
            .collect();
        while !warps.is_empty() {
            warps.retain_mut(|coroutine| {
                if let CoroutineResult::Return(()) = coroutine.resume(()) {
                    BARRIER.with_borrow_mut(|barrier| {
                        barrier.alive -= 1;
                        release(barrier);
                    });
                    return false;
                }
                true
            });
        }
        YIELDER.set(std::ptr::null());
    }
}
