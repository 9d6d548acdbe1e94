//! The interface between compiled CPU kernels and the engine that runs them.
//!
//! `spmd/` emits code that reads these structures by `offset_of!`; `hip_cpu/` fills them.
//! Nothing else may know their layout. A change of any of them raises [`ABI_VERSION`], which is part
//! of every compiled object and of the key of the kernel cache.

use std::ffi::{c_char, c_void};

// The numbers that kernels hand to the engine mean the same on all targets.
pub use simt_abi::*;

/// Stored in [`KernelDescriptor::abi_version`]; an object with another version is refused at load.
pub const ABI_VERSION: u32 = 20;

/// `KernelDescriptor::magic`.
pub const MAGIC: u32 = 0x5a4c_4344;

/// The suffix of the exported symbol of a kernel's [`KernelDescriptor`]: `<kernel name>.kd`.
pub const DESCRIPTOR_SUFFIX: &str = ".kd";

/// Bytes from the shared memory of one block of a cluster to that of the next.
pub const CLUSTER_SHARED_STRIDE: u64 = 1 << 19;

/// The kind of entry that the code of a kernel has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum KernelKind {
    /// 32-lane vector code: [`KernelDescriptor::entry`] is a [`BlockEntry`].
    Vector = 0,
    /// One lane at a time (the reference executor): `entry` is a [`ThreadEntry`].
    Reference = 1,
}

/// [`KernelDescriptor::flags`]: some warp may have to wait for another one (barriers), so every warp
/// needs a coroutine of its own. Without it the engine may run all warps in one call.
pub const FLAG_WAITS: u32 = 1 << 0;
/// [`KernelDescriptor::flags`]: valid only for launches where a warp never spans two rows of a block
/// (`ntid.x % 32 == 0`, or `ntid.y == ntid.z == 1`).
pub const FLAG_ROW_WARPS: u32 = 1 << 1;
/// [`KernelDescriptor::flags`]: no block waits for another one, so blocks may begin in any order. Without it
/// a block begins when all lower ones have begun.
pub const FLAG_ANY_ORDER: u32 = 1 << 2;
/// [`KernelDescriptor::flags`]: valid only for launches where every warp has 32 threads of one row
/// (`ntid.x % 32 == 0`).
pub const FLAG_WHOLE_WARPS: u32 = 1 << 3;
/// [`KernelDescriptor::flags`]: warps wait for each other, and the entry gives them their turns: a call of it is for all
/// warps of a block, and needs [`KernelDescriptor::frame_size`] bytes of stack for each.
pub const FLAG_RETURNS: u32 = 1 << 4;
/// [`KernelDescriptor::flags`]: valid only for launches where every warp is two rows of 16 threads (`ntid.x == 16`,
/// `ntid.y % 2 == 0`).
pub const FLAG_HALF_WARP_ROWS: u32 = 1 << 5;

/// [`KernelDescriptor::flags`]: subnormal floats and doubles are zeros for the kernel: the engine sets `FTZ` and `DAZ` of MXCSR. Its own
/// arithmetic with what the kernel hands it is in the default state.
pub const FLAG_FLUSHES: u32 = 1 << 6;
/// [`KernelDescriptor::flags`], of reference code: the threads of a warp keep step, so that whoever asks for the active
/// threads, at a place of a number, goes on with all others of the warp that come there. Who has come to a lower number goes
/// on first. The numbers of accesses through which a thread may wait for another are odd.
pub const FLAG_IN_STEP: u32 = 1 << 7;

/// [`KernelDescriptor::flags`]: no block waits for another one, or for what the kernel's warps leave to the engine: a call of the
/// entry may be for all warps of [`BlockContext::blocks`] blocks, and takes [`BlockContext::ctaid`] along. Without it it is for
/// one.
pub const FLAG_BLOCK_RUNS: u32 = 1 << 8;

/// MXCSR without [`FLAG_FLUSHES`]: no exceptions, round to nearest, subnormal numbers kept.
pub const DEFAULT_FLOAT_STATE: u32 = 0x1f80;

/// Constant data that every compiled object exports once per kernel, as `<kernel name>.kd`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct KernelDescriptor {
    pub magic: u32,
    pub abi_version: u32,
    /// A [`KernelKind`].
    pub kind: u32,
    /// `FLAG_*`.
    pub flags: u32,
    /// A [`BlockEntry`] or a [`ThreadEntry`], by `kind`.
    pub entry: *const c_void,
    /// Bytes of the parameter buffer, hidden parameters included.
    pub param_size: u32,
    /// Bytes of statically declared shared memory, up to the alignment that dynamic shared memory is declared with. That begins at
    /// the next multiple of 16.
    pub static_shared_size: u32,
    /// Bytes of local memory (stack) per thread, as far as it is known.
    pub local_size: u32,
    /// Threads in a block at most, from `.maxntid`/`.reqntid`; 1024 where the kernel does not say.
    pub max_threads_per_block: u32,
    /// Bytes of stack that the entry has for each warp, with [`FLAG_RETURNS`].
    pub frame_size: u32,
}

// SAFETY: a descriptor is constant data of a loaded object.
unsafe impl Sync for KernelDescriptor {}
// SAFETY: as above.
unsafe impl Send for KernelDescriptor {}

/// Runs the warps `first_warp..last_warp` of a block to their ends, one after the other. With
/// [`FLAG_WAITS`] the engine passes one warp a call, each call on a coroutine of its own; with [`FLAG_RETURNS`] it passes
/// all of them.
pub type BlockEntry =
    unsafe extern "sysv64" fn(block: *const BlockContext, first_warp: u32, last_warp: u32);

/// Runs one thread of a block to its end, on a coroutine of its own.
pub type ThreadEntry =
    unsafe extern "sysv64" fn(block: *const BlockContext, thread: *const ThreadContext);

/// A block in flight. Lives at a fixed address for as long as the block runs.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct BlockContext {
    /// The parameter buffer: CUDA's parameter layout, then the hidden parameters.
    pub params: *const u8,
    /// The block's shared memory. Lies below 4 GiB, aligned to 1024 bytes at least.
    pub shared: *mut u8,
    pub runtime: *const Runtime,
    pub ntid: [u32; 3],
    pub nctaid: [u32; 3],
    pub ctaid: [u32; 3],
    /// Bytes of dynamic shared memory of the launch.
    pub dynamic_shared_size: u32,
    /// Static and dynamic shared memory together.
    pub total_shared_size: u32,
    /// Warps in the block: `ceil(ntid.x * ntid.y * ntid.z / 32)`.
    pub warps: u32,
    /// The worker that runs the block, `0..nsmid`.
    pub smid: u32,
    pub nsmid: u32,
    /// Blocks in a cluster, along each axis; 1, 1, 1 where blocks are not in clusters.
    pub cluster: [u32; 3],
    /// 1 where the launch or the kernel asked for clusters, else 0.
    pub explicit_cluster: u32,
    /// The shared memory of the first block of the cluster; that of block `n` begins
    /// `n * CLUSTER_SHARED_STRIDE` bytes behind.
    pub cluster_shared: *mut u8,
    pub grid_id: u64,
    /// The engine's own data about the block.
    pub engine: *mut c_void,
    /// Blocks that a call of the entry runs one after the other, `ctaid` and those behind it along x; see [`FLAG_BLOCK_RUNS`].
    pub blocks: u32,
}

/// A thread in flight, for the reference executor.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ThreadContext {
    pub tid: [u32; 3],
    /// `0..32`
    pub lane: u32,
    /// The warp's index in the block.
    pub warp: u32,
    pub _reserved: u32,
    /// The engine's own data about the thread.
    pub engine: *mut c_void,
}

/// The reduction that `barrier.red` makes over the threads' predicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum BarrierReduction {
    Popc = 0,
    And = 1,
    Or = 2,
}

/// The functions that kernels can call, reached through [`BlockContext::runtime`]. All of these may switch coroutines
/// or unwind the kernel; none of them returns an error to the kernel.
///
/// `warp` and `mask` name the threads that a call stands for: vector code passes its warp and the active
/// lanes, the reference executor its warp and the one lane.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Runtime {
    /// `barrier.sync id, threads` for the lanes in `mask` of `warp`; `threads` 0 means the whole block.
    /// Threads that have exited no longer count.
    pub barrier_sync: unsafe extern "sysv64" fn(
        block: *const BlockContext,
        warp: u32,
        mask: u32,
        id: u32,
        threads: u32,
    ),
    /// `barrier.arrive id, threads`: as above, without waiting.
    pub barrier_arrive: unsafe extern "sysv64" fn(
        block: *const BlockContext,
        warp: u32,
        mask: u32,
        id: u32,
        threads: u32,
    ),
    /// `barrier.red`: the lanes in `predicates` (a subset of `mask`) bring true. Returns the count of
    /// true predicates, or 0 or 1 for and/or. `reduction` is a [`BarrierReduction`].
    pub barrier_reduce: unsafe extern "sysv64" fn(
        block: *const BlockContext,
        warp: u32,
        mask: u32,
        id: u32,
        threads: u32,
        reduction: u32,
        predicates: u32,
    ) -> u32,
    /// Lets other warps of the block run (spin loops, nanosleep). Returns later.
    pub yield_now:
        unsafe extern "sysv64" fn(block: *const BlockContext, warp: u32, nanoseconds: u32),
    /// `vprintf(format, arguments)` of one thread; returns what CUDA's printf returns.
    pub vprintf: unsafe extern "sysv64" fn(
        block: *const BlockContext,
        format: *const c_char,
        arguments: *const u8,
    ) -> i32,
    /// Null where the heap is full, and for an alignment that is no power of two.
    pub malloc: unsafe extern "sysv64" fn(
        block: *const BlockContext,
        size: u64,
        alignment: u64,
    ) -> *mut c_void,
    pub free: unsafe extern "sysv64" fn(block: *const BlockContext, pointer: *mut c_void),
    /// `__assertfail` of one thread, whose lane in `warp` is `lane`. Each lane in `mask` calls it, the lowest first; it does not return
    /// to the last one.
    pub assert_fail: unsafe extern "sysv64" fn(
        block: *const BlockContext,
        warp: u32,
        lane: u32,
        mask: u32,
        message: *const c_char,
        file: *const c_char,
        line: u32,
        function: *const c_char,
        char_size: u64,
    ),
    /// `trap`. Does not return.
    pub trap: unsafe extern "sysv64" fn(block: *const BlockContext, warp: u32, mask: u32),
    /// Nanoseconds of `%globaltimer`.
    pub global_timer: unsafe extern "sysv64" fn(block: *const BlockContext) -> u64,
    /// A matrix operation of a warp: `operation` is a [`MatrixOperation`] as a number. `rows` are rows of 32
    /// words, of which `places` names one for each input word of its fragments, then one for each output
    /// word. An output may take the place of an input. Lanes that are not in `mask` give no addresses.
    pub matrix: unsafe extern "sysv64" fn(
        block: *const BlockContext,
        warp: u32,
        mask: u32,
        operation: u64,
        rows: *mut [u32; WARP_SIZE as usize],
        places: *const u16,
    ),
    /// `a * b + c`, rounded once, for code for processors that have no such instruction.
    pub fma: extern "sysv64" fn(a: f64, b: f64, c: f64) -> f64,
    /// An operation of one thread that is a call rather than code: `operation` is a [`LaneOperation`],
    /// `arguments` are as many words as it takes. Returns its result, 0 where it has none.
    pub lane_operation: unsafe extern "sysv64" fn(
        block: *const BlockContext,
        operation: u32,
        arguments: *const u64,
    ) -> u64,
    /// `barrier.cluster` of the lanes in `mask` of `warp`: arrives, or with `waits` 1 waits for the phase in
    /// which it arrived last.
    pub cluster_barrier:
        unsafe extern "sysv64" fn(block: *const BlockContext, warp: u32, mask: u32, waits: u32),
    /// A texture or surface instruction, [`TextureOperation`], of the lanes in `mask`. `words` holds rows
    /// of `lanes` words (32; 1 from the reference executor, whose one lane stands for the mask): a row for
    /// each operand on entry, [`TEXTURE_RESULTS`] rows of results on return.
    pub texture: unsafe extern "sysv64" fn(
        block: *const BlockContext,
        warp: u32,
        mask: u32,
        operation: u64,
        lanes: u32,
        words: *mut u32,
    ),
    /// The lanes in `mask` come to a place where others of their group do not: the group parts, and each
    /// half returns. On return the group's lanes are `mask`, or the others, for which the code goes on
    /// behind what only `mask` runs.
    pub part: unsafe extern "sysv64" fn(
        block: *const BlockContext,
        warp: u32,
        mask: u32,
        group: *mut Group,
    ),
    /// A warp operation with lanes that run elsewhere: parts, and waits until those that its members
    /// name have come (or have exited). `operation` is a [`WarpOperation`], or [`MEET_SHUFFLE`] plus a
    /// [`ShuffleKind`]; `rows` are [`MEET_ROWS`]. On return the first one holds results, the second one
    /// predicates.
    pub meet: unsafe extern "sysv64" fn(
        block: *const BlockContext,
        warp: u32,
        mask: u32,
        group: *mut Group,
        operation: u32,
        rows: *mut [u32; WARP_SIZE as usize],
    ),
    /// A round of a loop in which the lanes in `mask` wait for another thread: lets others run, and parts
    /// when that takes long, for it may be one of their own group that they wait for.
    pub spin: unsafe extern "sysv64" fn(
        block: *const BlockContext,
        warp: u32,
        mask: u32,
        group: *mut Group,
    ),
    /// A group of a warp that has parted comes to the end of the kernel. Returns for the last one.
    pub end_group:
        unsafe extern "sysv64" fn(block: *const BlockContext, warp: u32, group: *mut Group),
    /// A place where the running unit may be left for others, whatever it does (`ZLUDA_CHAOS`). Returns later.
    pub preempt: unsafe extern "sysv64" fn(block: *const BlockContext),

    // What follows serves the reference executor only: warp operations of one thread. Each waits
    // until the threads that `membermask` names have come to it (or have exited).
    /// `shfl.sync`: `kind` is a [`ShuffleKind`]; returns value in the low half and the predicate in bit 32.
    pub shuffle: unsafe extern "sysv64" fn(
        thread: *const ThreadContext,
        kind: u32,
        value: u32,
        b: u32,
        c: u32,
        membermask: u32,
    ) -> u64,
    /// All other warp-wide operations: `kind` is a [`WarpOperation`]. Returns the result in the low 32
    /// bits and a predicate in bit 32 where the operation has one.
    pub warp_operation: unsafe extern "sysv64" fn(
        thread: *const ThreadContext,
        kind: u32,
        value: u64,
        membermask: u32,
    ) -> u64,
    /// [`Runtime::matrix`] for one thread, whose words lie at `words`.
    pub matrix_of_thread:
        unsafe extern "sysv64" fn(thread: *const ThreadContext, operation: u64, words: *mut u32),
    /// A load of threads that keep step ([`FLAG_IN_STEP`]): waits as [`WarpOperation::ActiveMask`] does at `place`, and returns
    /// where the `size` bytes are that the first of those who go on together found at `address`. They stay there until the
    /// thread waits again. At most [`LARGEST_LOAD`] bytes.
    pub load_together: unsafe extern "sysv64" fn(
        thread: *const ThreadContext,
        place: u32,
        address: *const u8,
        size: u32,
    ) -> *const u8,
}

/// Bytes of the largest load of [`Runtime::load_together`], to which what it returns is aligned.
pub const LARGEST_LOAD: usize = 64;

/// Lanes of a warp that run together. Vector code keeps one in its outermost frame; a warp that
/// has parted has several, each with a copy of all frames.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// Those that have not exited.
    pub lanes: u32,
    /// Lanes of the warp's other groups. Some of them may have exited since.
    pub others: u32,
    /// Not 0 once the warp has parted; then [`Runtime::end_group`] has to be called.
    pub parted: u32,
}

/// [`Runtime::meet`]: operations from this number on are shuffles.
pub const MEET_SHUFFLE: u32 = 64;

/// The rows of [`Runtime::meet`]: the low and the high word of values, `b`, `c`, and members.
pub const MEET_ROWS: usize = 5;

// SAFETY: a table of functions and null pointers.
unsafe impl Sync for Runtime {}

/// `shfl.sync`'s modes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum ShuffleKind {
    Up = 0,
    Down = 1,
    Bfly = 2,
    Idx = 3,
}

/// Warp-wide operations of [`Runtime::warp_operation`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum WarpOperation {
    /// `bar.warp.sync`
    Sync = 0,
    /// The mask of threads that run together with this one: those at the same instruction, whose number is
    /// the value. `membermask` is not used.
    ActiveMask,
    VoteAll,
    VoteAny,
    VoteUni,
    Ballot,
    MatchAny32,
    MatchAny64,
    MatchAll32,
    MatchAll64,
    ReduxAdd,
    ReduxMinS,
    ReduxMaxS,
    ReduxMinU,
    ReduxMaxU,
    ReduxAnd,
    ReduxOr,
    ReduxXor,
    /// Low word: the leader's lane; bit 32: this thread is the leader.
    Elect,
}

impl ShuffleKind {
    pub const ALL: [ShuffleKind; 4] =
        [ShuffleKind::Up, ShuffleKind::Down, ShuffleKind::Bfly, ShuffleKind::Idx];

    /// The mode that per-thread IR calls `zluda.shfl.<word>`.
    pub fn from_word(word: &str) -> Option<ShuffleKind> {
        Some(match word {
            "up" => ShuffleKind::Up,
            "down" => ShuffleKind::Down,
            "bfly" => ShuffleKind::Bfly,
            "idx" => ShuffleKind::Idx,
            _ => return None,
        })
    }
}

impl WarpOperation {
    /// Operations and what per-thread IR calls them, `zluda.<word>`.
    pub const ALL: [(&'static str, WarpOperation); 19] = [
        ("bar.warp.sync", WarpOperation::Sync),
        ("activemask", WarpOperation::ActiveMask),
        ("vote.all", WarpOperation::VoteAll),
        ("vote.any", WarpOperation::VoteAny),
        ("vote.uni", WarpOperation::VoteUni),
        ("vote.ballot", WarpOperation::Ballot),
        ("match.any.b32", WarpOperation::MatchAny32),
        ("match.any.b64", WarpOperation::MatchAny64),
        ("match.all.b32", WarpOperation::MatchAll32),
        ("match.all.b64", WarpOperation::MatchAll64),
        ("redux.add", WarpOperation::ReduxAdd),
        ("redux.min.s", WarpOperation::ReduxMinS),
        ("redux.max.s", WarpOperation::ReduxMaxS),
        ("redux.min.u", WarpOperation::ReduxMinU),
        ("redux.max.u", WarpOperation::ReduxMaxU),
        ("redux.and", WarpOperation::ReduxAnd),
        ("redux.or", WarpOperation::ReduxOr),
        ("redux.xor", WarpOperation::ReduxXor),
        ("elect", WarpOperation::Elect),
    ];

    /// The operation of the last word of a name in per-thread IR; none for other words.
    pub fn from_word(word: &str) -> Option<WarpOperation> {
        Self::ALL.iter().find(|(name, _)| *name == word).map(|(_, operation)| *operation)
    }
}

macro_rules! lane_operations {
    ($($(#[$doc:meta])* $name:ident = $word:literal ($($argument:ident),*);)*) => {
        /// The operations of [`Runtime::lane_operation`]. Per-thread IR calls each as `zluda.lane.<word>`, with
        /// arguments and result of type `i64`. Addresses are generic ones.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u32)]
        pub enum LaneOperation {
            $(
                $(#[$doc])*
                #[doc = concat!("\n\nArguments:" $(, " `", stringify!($argument), "`")*)]
                $name,
            )*
        }

        impl LaneOperation {
            pub const ALL: &[LaneOperation] = &[$(LaneOperation::$name),*];

            /// The operation that per-thread IR calls `zluda.lane.<word>`.
            pub fn from_word(word: &str) -> Option<LaneOperation> {
                match word {
                    $($word => Some(LaneOperation::$name),)*
                    _ => None,
                }
            }

            /// The word behind `zluda.lane.`.
            pub fn word(self) -> &'static str {
                match self {
                    $(LaneOperation::$name => $word,)*
                }
            }

            /// The names of its arguments, words of 64 bits.
            pub fn arguments(self) -> &'static [&'static str] {
                match self {
                    $(LaneOperation::$name => &[$(stringify!($argument)),*],)*
                }
            }
        }
    };
}

lane_operations! {
    /// `mbarrier.arrive`; returns the state before.
    MbarrierArrive = "mbarrier.arrive" (address, count);
    /// `mbarrier.arrive_drop`; returns the state before.
    MbarrierArriveDrop = "mbarrier.arrive_drop" (address, count);
    /// `mbarrier.expect_tx`
    MbarrierExpectTx = "mbarrier.expect_tx" (address, bytes);
    /// `mbarrier.complete_tx`
    MbarrierCompleteTx = "mbarrier.complete_tx" (address, bytes);
    /// Copies bytes; the ranges may not overlap.
    Copy = "copy" (destination, source, bytes);
    /// Copies to shared memory of the blocks of the cluster that a mask names, at the place that
    /// `destination` has in its block, and tells the mbarriers at the place of `mbarrier`.
    CopyMulticast = "copy.multicast" (destination, source, bytes, mbarrier, mask);
    /// As `copy`, of every 16 bytes those that a mask of 16 bits names.
    CopyMasked = "copy.masked" (destination, source, bytes, mask);
    /// Reduces elements into memory: `operation` is a [`Reduction`].
    Reduce = "reduce" (destination, source, bytes, operation);
    /// Room for the parameters of a launch by this grid; returns its address, 0 if there is no memory.
    LaunchBuffer = "launch.buffer" (function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared);
    /// The same, of a launch that is described later; 0 for more bytes than parameters have.
    LaunchRoom = "launch.room" (alignment, bytes);
    /// Describes a launch whose parameters are in room that `launch.room` gave; returns the room's address, which is a new
    /// one for a `buffer` of 0.
    LaunchDescribe = "launch.describe" (buffer, function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared);
    /// Launches what `launch.buffer` gave room for. `segment` is that of the module's variables. This one and all that
    /// follow return a [`device_runtime::Error`].
    LaunchDevice = "launch.device" (segment, buffer, stream);
    /// The error that the thread of this number in its block last set.
    LaunchLastError = "launch.last_error" (thread);
    LaunchSetLastError = "launch.set_last_error" (thread, error);
    /// Writes the handle of a new stream of this grid.
    LaunchStream = "launch.stream" (place, flags);
    LaunchEndStream = "launch.end_stream" (stream);
    LaunchWait = "launch.wait" (stream, event, flags);
    /// Writes the handle of a new event of this grid.
    LaunchEvent = "launch.event" (place, flags);
    LaunchRecord = "launch.record" (event, stream);
    LaunchEndEvent = "launch.end_event" (event);
    /// Writes a `CUfunction_attribute`, 32 bits.
    LaunchFunctionAttribute = "launch.function_attribute" (segment, place, attribute, function);
    /// Writes a `CUdevice_attribute`, 32 bits.
    LaunchDeviceAttribute = "launch.device_attribute" (segment, place, attribute, device);
    /// Writes a limit, 64 bits.
    LaunchLimit = "launch.limit" (segment, place, limit);
    /// Writes how many blocks of a kernel a multiprocessor takes, 32 bits.
    LaunchOccupancy = "launch.occupancy" (segment, place, function, threads, shared);
    /// Fills with a byte.
    Fill = "fill" (destination, bytes, value);
    /// `alloca` of the thread of this number in its block; returns an address.
    Alloca = "alloca" (thread, bytes, alignment);
    /// `stacksave`
    StackSave = "stacksave" (thread);
    /// `stackrestore`
    StackRestore = "stackrestore" (thread, place);
    /// Copies a box of a tensor to shared memory: `map` is the address of a [`tensor_map::TensorMap`]'s words,
    /// `places` that of five coordinates and two offsets, all `i32`, `mode` a [`TensorMode`]. Tells the
    /// mbarrier how many bytes came. With a `mask` that is not 0, for the blocks of the cluster that it names.
    TensorLoad = "tensor.load" (destination, map, places, mode, mbarrier, mask);
    /// Copies a box from shared memory to a tensor.
    TensorStore = "tensor.store" (source, map, places, mode);
    /// Reduces a box into a tensor: `operation` is a [`TensorReduction`].
    TensorReduce = "tensor.reduce" (source, map, places, mode, operation);
    /// Changes a field of a tensor map, element `ordinal` of it: `field` is a [`TensorField`].
    TensorReplace = "tensor.replace" (map, field, ordinal, value);
    /// Launches a graph; `stream` says how. This one and the four about nodes return a `cudaError_t`.
    GraphLaunch = "graph.launch" (graph, stream);
    /// The handle of the executable graph that the kernel runs in, 0 where kernels cannot launch that.
    GraphCurrent = "graph.current" ();
    /// Changes bytes of the parameters of a node's kernel.
    NodeParameter = "node.parameter" (node, offset, value, bytes);
    /// Switches a node on or off.
    NodeEnabled = "node.enabled" (node, enabled);
    /// Changes the grid of a node's kernel.
    NodeGrid = "node.grid" (node, x, y, z);
    /// Makes several changes: `updates` is the address of an array of `cudaGraphKernelNodeUpdate`.
    NodeUpdates = "node.updates" (updates, count);
    /// Ends the kernel: the thread of this number in its block accesses memory at an address that is no multiple of the
    /// size of the access, in a line of the PTX.
    Misaligned = "misaligned" (address, bytes, thread, line);
}
