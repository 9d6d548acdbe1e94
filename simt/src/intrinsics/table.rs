//! The table of all intrinsics.

use super::Effects::{self, *};
use super::Intrinsic;
use super::Participants::{self, Aligned, Block, Cluster, Members, Present, Warp};
use super::Property::*;
use super::Uniformity::{self, Arguments, Lockstep};

const THREAD: Participants = Participants::Thread;
/// Results that differ from thread to thread.
const EACH: Uniformity = Uniformity::Thread;
const SAME_IN_BLOCK: Uniformity = Uniformity::Block;
const SAME_IN_WARP: Uniformity = Uniformity::Warp;
const SAME_FOR_MEMBERS: Uniformity = Uniformity::Members;

const fn row(
    names: &'static str,
    signature: &'static str,
    effects: Effects,
    participants: Participants,
    uniformity: Uniformity,
    meaning: &'static str,
) -> Intrinsic {
    Intrinsic::new(names, signature, effects, participants, uniformity, meaning)
}

#[rustfmt::skip]
pub static ROWS: &[Intrinsic] = &[
    // Who and where the thread is.
    row("params", "ptr addrspace(4) ()", Pure, THREAD, SAME_IN_BLOCK,
        "the parameter buffer").with(&[AtHand]),
    row("tid.{x,y,z}", "i32 ()", Pure, THREAD, EACH,
        "has the `range` that `.reqntid` or `.maxntid` give it").with(&[AtHand]),
    row("{ntid,ctaid,nctaid}.{x,y,z}", "i32 ()", Pure, THREAD, SAME_IN_BLOCK,
        "").with(&[AtHand]),
    row("laneid", "i32 ()", Pure, THREAD, EACH,
        "").with(&[AtHand]),
    row("warpid", "i32 ()", Pure, THREAD, SAME_IN_WARP,
        ""),
    row("{nwarpid,smid,nsmid}", "i32 ()", Pure, THREAD, SAME_IN_BLOCK,
        ""),
    row("gridid", "i64 ()", Pure, THREAD, SAME_IN_BLOCK,
        ""),
    row("cluster_nctaid.{x,y,z}", "i32 ()", Pure, THREAD, SAME_IN_BLOCK,
        "1 where blocks are not in clusters"),
    row("cluster_nctarank", "i32 ()", Pure, THREAD, SAME_IN_BLOCK,
        "the product of the three"),
    row("is_explicit_cluster", "i32 ()", Pure, THREAD, SAME_IN_BLOCK,
        "0 where blocks are not in clusters"),
    row("dynamic_smem_size", "i32 ()", Pure, THREAD, SAME_IN_BLOCK,
        "bytes"),
    row("{clock64,globaltimer}", "i64 ()", Momentary, THREAD, Lockstep,
        ""),
    row("activemask", "i32 (i32 place)", Momentary, Present, SAME_IN_WARP,
        "`place` is the instruction's own"),

    // Addresses.
    row("isspacep.{shared,shared.cluster,local,global,const}", "i1 (ptr)", Pure, THREAD, Arguments,
        ""),
    row("mapa", "i64 (i64 address, i32 rank)", Pure, THREAD, Arguments,
        "addresses in shared memory"),
    row("getctarank", "i32 (i64 address)", Pure, THREAD, Arguments,
        "of an address in shared memory"),

    // Threads of a warp together.
    row("shfl.{up,down,bfly,idx}", "{i32, i1} (i32 value, i32 b, i32 c, i32 membermask)", Pure, Members, EACH,
        ""),
    row("vote.{all,any,uni}", "i1 (i1, i32 membermask)", Pure, Members, SAME_FOR_MEMBERS,
        ""),
    row("vote.ballot", "i32 (i1, i32 membermask)", Pure, Members, SAME_FOR_MEMBERS,
        ""),
    row("match.any.b32", "i32 (i32, i32 membermask)", Pure, Members, EACH,
        ""),
    row("match.any.b64", "i32 (i64, i32 membermask)", Pure, Members, EACH,
        ""),
    row("match.all.b32", "{i32, i1} (i32, i32 membermask)", Pure, Members, SAME_FOR_MEMBERS,
        ""),
    row("match.all.b64", "{i32, i1} (i64, i32 membermask)", Pure, Members, SAME_FOR_MEMBERS,
        ""),
    row("redux.{add,min.s,max.s,min.u,max.u,and,or,xor}", "i32 (i32, i32 membermask)", Pure, Members, SAME_FOR_MEMBERS,
        ""),
    row("elect", "{i32, i1} (i32 membermask)", Pure, Members, EACH,
        ""),
    row("bar.warp.sync", "void (i32 membermask)", OrdersMemory, Members, EACH,
        ""),
    row("matrix.memory.#.#", "{i32...} (i64 operation, i32...)", AccessesMemory, Aligned, EACH,
        "`matrix.memory.<outputs>.<inputs>`: [matrix instructions](matrix.md) that read or write memory").with(&[MatrixOperation]),
    row("matrix.#.#", "{i32...} (i64 operation, i32...)", Pure, Aligned, EACH,
        "`matrix.<outputs>.<inputs>`: other [matrix instructions](matrix.md)").with(&[MatrixOperation]),

    // Threads of a block, and blocks of a cluster.
    row("barrier.{sync,arrive}", "void (i32 id, i32 threads)", OrdersMemory, Block, EACH,
        "threads 0: the block"),
    row("barrier.red.popc", "i32 (i32 id, i32 threads, i1)", OrdersMemory, Block, SAME_IN_BLOCK,
        ""),
    row("barrier.red.{and,or}", "i1 (i32 id, i32 threads, i1)", OrdersMemory, Block, SAME_IN_BLOCK,
        ""),
    row("cluster.{arrive,wait}", "void ()", OrdersMemory, Cluster, EACH,
        "`barrier.cluster`"),

    // One thread, by a call.
    row("lane.*", "i64 (i64...)", AccessesMemory, THREAD, EACH,
        "an operation that is a call, such as `lane.mbarrier.arrive`; `cpu_abi::LaneOperation` has the list"),
    row("texture.#", "{i32, i32, i32, i32, i32} (i64 operation, i32...)", AccessesMemory, THREAD, EACH,
        "an instruction of textures or surfaces; the operation is `simt_abi::TextureOperation`, which says what the \
         operands are, as many as the name says; four words of values and 1 where the texels were there"),
    row("nanosleep", "void (i32)", World, THREAD, EACH,
        ""),
    row("preempt", "void ()", Preempts, THREAD, EACH,
        "other threads may run here ([`ZLUDA_CHAOS`](cpu_engine.md#chaos)), on CPUs only"),
    row("vprintf", "i32 (ptr format, ptr arguments)", World, THREAD, EACH,
        ""),
    row("malloc", "ptr (i64 bytes, i64 alignment)", World, THREAD, EACH,
        "null where the alignment is no power of two; the eight bytes before the memory are the program's too"),
    row("free", "void (ptr)", World, THREAD, EACH,
        ""),

    // The end.
    row("assertfail", "void (ptr message, ptr file, i32 line, ptr function, i64 char_size)", EndsGrid, THREAD, EACH,
        "followed by `unreachable`"),
    row("trap", "void ()", EndsGrid, THREAD, EACH,
        "followed by `unreachable`"),
    row("exit", "void ()", EndsThread, Present, EACH,
        "within a function; followed by `unreachable`"),

    // Arithmetic.
    row("{ex2,lg2,sin,cos,tanh,rcp,rsqrt,sqrt}.approx.f32", "float (float)", Pure, THREAD, Arguments,
        "").with(&[AnyNan]),
    row("{ex2,lg2,sin,cos,rcp,rsqrt,sqrt}.approx.ftz.f32", "float (float)", Pure, THREAD, Arguments,
        "").with(&[AnyNan, NeverSubnormal]),
    row("{ex2,tanh}.approx.f16", "half (half)", Pure, THREAD, Arguments,
        "").with(&[AnyNan]),
    row("{rcp.approx.ftz,rsqrt.approx,rsqrt.approx.ftz}.f64", "double (double)", Pure, THREAD, Arguments,
        "").with(&[AnyNan, NanOfNan]),
    row("div.{approx,full}.f32", "float (float, float)", Pure, THREAD, Arguments,
        "").with(&[AnyNan]),
    row("div.{approx,full}.ftz.f32", "float (float, float)", Pure, THREAD, Arguments,
        "").with(&[AnyNan, NeverSubnormal]),
    row("ftz.f32", "float (float)", Pure, THREAD, Arguments,
        "a mark, see below").with(&[AnyNan, NeverSubnormal]),
    row("flushed.f32", "float (float)", Pure, THREAD, Arguments,
        "a mark, see below").with(&[NeverSubnormal]),
    row("canonical.f32", "float (float)", Pure, THREAD, Arguments,
        "a mark, see below").with(&[SameNumber]),
    row("nan.f64", "double (double, double)", Pure, THREAD, Arguments,
        "a mark, see below"),

    // What targets put in place of others.
    row("directed.{add,sub,mul}.{rz,rm,rp}", "float (float, float)", Pure, THREAD, Arguments,
        "made by `spmd` of functions that lowering gives bodies, `simt::shortcuts`").with(&[AnyNan]),
    row("directed.fma.{rz,rm,rp}", "float (float, float, float)", Pure, THREAD, Arguments,
        "likewise").with(&[AnyNan]),
    row("flushing.{rcp,sqrt}", "float (float)", Pure, THREAD, Arguments,
        "likewise; operands count as flushed").with(&[AnyNan, NeverSubnormal]),
    row("flushing.{add,sub,mul,div}", "float (float, float)", Pure, THREAD, Arguments,
        "likewise").with(&[AnyNan, NeverSubnormal]),
    row("flushing.fma", "float (float, float, float)", Pure, THREAD, Arguments,
        "likewise").with(&[AnyNan, NeverSubnormal]),
    row("unflushed.sqrt", "float (float)", Pure, THREAD, Arguments,
        "made by `spmd` where the state of the processor flushes, and this may not").with(&[AnyNan]),
    row("unflushed.{add,sub,mul,div}", "float (float, float)", Pure, THREAD, Arguments,
        "likewise").with(&[AnyNan]),
    row("unflushed.fma", "float (float, float, float)", Pure, THREAD, Arguments,
        "likewise").with(&[AnyNan]),
    row("dot.{s8,u8}.{s8,u8}", "i32 (i32, i32, i32)", Pure, THREAD, Arguments,
        "likewise"),
    row("half.fma", "half (half, half, half)", Pure, THREAD, Arguments,
        "likewise"),
    row("cpu.shared", "ptr addrspace(3) ()", Pure, THREAD, SAME_IN_BLOCK,
        "where the shared memory of the block begins; made by `spmd`"),
    row("cpu.cluster_shared", "i64 ()", Pure, THREAD, SAME_IN_BLOCK,
        "where the shared memory of the cluster begins; made by `spmd`"),
    row("cpu.in_page", "i1 (i64 address, i64 bytes)", Pure, THREAD, SAME_IN_WARP,
        "whether so many bytes from each thread's address on lie in one page, if that is easy to say; made by `spmd`"),
    row("barrier.come", "i64 (i32 id, i32 threads, i32 predicate, i32 waits)", OrdersMemory, Warp, Arguments,
        "a warp's part in a barrier; made by the AMD target"),
];
