//! Faults that are no access: traps, barriers, masks, calls, the heap.

use super::outside::CALLEE;
use crate::case::Case;

const RECURSION: &str = "
.func (.param .b32 result) deeper(.param .b32 depth)
{
    .local .align 16 .b8 frame[1024];
    .reg .pred %p; .reg .b32 %r<4>; .reg .b64 %d<3>;
    ld.param.b32 %r0, [depth];
    mov.b64 %d0, frame;
    and.b32 %r1, %r0, 1020;
    cvt.u64.u32 %d1, %r1;
    add.u64 %d1, %d0, %d1;
    st.local.b32 [%d1], %r0;
    setp.eq.u32 %p, %r0, 0;
    @%p bra DONE;
    sub.u32 %r1, %r0, 1;
    {
        .param .b32 in; .param .b32 back;
        st.param.b32 [in], %r1;
        call (back), deeper, (in);
        ld.param.b32 %r2, [back];
    }
    ld.local.b32 %r3, [%d1];
    add.u32 %r0, %r2, %r3;
DONE:
    st.param.b32 [result], %r0;
    ret;
}";
const HEAP: &str = "
.extern .func (.param .b64 result) malloc(.param .b64 size);
.extern .func free(.param .b64 pointer);";
const ASSERT: &str = "
.extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);
.global .align 1 .b8 words[4] = {97, 98, 99, 0};";

const MALLOC: &str = "{ .param .b64 in; .param .b64 back; st.param.b64 [in], SIZE; call (back), malloc, (in); ld.param.b64 %d2, [back]; }
    setp.eq.u64 %p0, %d2, 0; selp.b32 %r0, 1, 0, %p0;";
const FREE: &str = "{ .param .b64 in; st.param.b64 [in], POINTER; call free, (in); }";

fn malloc(size: &str) -> String {
    MALLOC.replace("SIZE", size)
}

fn free(pointer: &str) -> String {
    FREE.replace("POINTER", pointer)
}

pub fn cases() -> Vec<Case> {
    let mut cases: Vec<Case> = [
        ("nothing", 0, ""),
        ("trap", 0, "trap;"),
        ("trap.lane", 3, "setp.eq.u32 %p0, %lane, %w; @%p0 trap;"),
        ("brkpt", 0, "brkpt;"),
        ("brkpt.lane", 3, "setp.eq.u32 %p0, %lane, %w; @%p0 brkpt;"),
        ("pmevent", 0, "pmevent 1;"),
        ("exit", 0, "exit;"),
        ("div.s32", 0, "div.s32 %r0, %r1, %w;"),
        ("div.u64", 0, "div.u64 %d0, %d1, %o; cvt.u32.u64 %r0, %d0;"),
        ("rem.u32", 0, "rem.u32 %r0, %r1, %w;"),
        ("div.s32.overflow", 0xffff_ffff, "mov.b32 %r0, 0x80000000; div.s32 %r0, %r0, %w;"),
        ("bar.count.0", 0, "bar.sync 0, %w;"),
        ("bar.count.16", 16, "bar.sync 0, %w;"),
        ("bar.count.33", 33, "bar.sync 0, %w;"),
        ("bar.id.15", 15, "bar.sync %w;"),
        ("bar.id.16", 16, "bar.sync %w;"),
        ("bar.id.17", 17, "bar.sync %w;"),
        ("bar.id.4294967295", 0xffff_ffff, "bar.sync %w;"),
        ("bar.arrive.count.0", 0, "bar.arrive 1, %w;"),
        ("bar.arrive.count.33", 33, "bar.arrive 1, %w;"),
        ("bar.exited", 0, "setp.lt.u32 %p0, %lane, 16; @%p0 exit; bar.sync 0;"),
        ("shfl.exited", 0, "setp.lt.u32 %p0, %lane, 16; @%p0 exit; shfl.sync.idx.b32 %r0, %r0, 3, 31, 0xffff0000;"),
        ("shfl.exited.named", 0, "setp.lt.u32 %p0, %lane, 16; @%p0 exit; shfl.sync.idx.b32 %r0, %r0, 3, 31, 0xffffffff;"),
        ("warp.mask.0", 0, "bar.warp.sync %w;"),
        ("warp.mask.1", 1, "bar.warp.sync %w;"),
        ("warp.mask.half", 0xffff, "bar.warp.sync %w;"),
        ("shfl.mask.0", 0, "shfl.sync.idx.b32 %r0, %r0, 3, 31, %w;"),
        ("shfl.mask.1", 1, "shfl.sync.idx.b32 %r0, %r0, 3, 31, %w;"),
        ("vote.mask.0", 0, "vote.sync.ballot.b32 %r0, 1, %w;"),
        ("vote.mask.1", 1, "vote.sync.ballot.b32 %r0, 1, %w;"),
        ("match.mask.1", 1, "match.any.sync.b32 %r0, %r0, %w;"),
        ("redux.mask.1", 1, "redux.sync.add.s32 %r0, %r0, %w;"),
        ("shfl.inactive.source", 0, "setp.lt.u32 %p0, %lane, 16; @%p0 shfl.sync.idx.b32 %r0, %r0, 20, 31, 0xffff;"),
        ("tex.0", 0, ".reg .f32 %f<4>; tex.2d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%o, {%r0, %r1}]; cvt.rzi.s32.f32 %r0, %f0;"),
        ("tex.12345", 12345, ".reg .f32 %f<4>; tex.2d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%o, {%r0, %r1}]; cvt.rzi.s32.f32 %r0, %f0;"),
        ("tex.deadbeef", 0xdead_beef_dead_beef, ".reg .f32 %f<4>; tex.2d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%o, {%r0, %r1}]; cvt.rzi.s32.f32 %r0, %f0;"),
        ("suld.0", 0, "suld.b.1d.b32.trap %r0, [%o, {%r1}];"),
        ("suld.zero.0", 0, "suld.b.1d.b32.zero %r0, [%o, {%r1}];"),
        ("sust.0", 0, "sust.b.1d.b32.trap [%o, {%r1}], %r0;"),
        ("suld.deadbeef", 0xdead_beef_dead_beef, "suld.b.1d.b32.trap %r0, [%o, {%r1}];"),
        ("txq.0", 0, "txq.width.b32 %r0, [%o];"),
        ("nanosleep", 0, "nanosleep.u32 100;"),
        ("mapa.rank.5", 5, "mov.b64 %a, tile; mapa.shared::cluster.u64 %a, %a, %w; ld.volatile.shared::cluster.b32 %r1, [%a];"),
        ("mapa.rank.5.st", 5, "mov.b64 %a, tile; mapa.shared::cluster.u64 %a, %a, %w; st.shared::cluster.b32 [%a], %r1;"),
        ("mbarrier.count.0", 0, "mov.b64 %a, tile; mbarrier.init.shared.b64 [%a], %w; mov.b32 %r0, 1;"),
        ("mbarrier.count.2097152", 1 << 21, "mov.b64 %a, tile; mbarrier.init.shared.b64 [%a], %w; mov.b32 %r0, 1;"),
        ("mbarrier.arrive.uninitialised", 0, "mov.b64 %a, tile; mbarrier.arrive.shared.b64 %d0, [%a];"),
        ("mbarrier.arrive.too_many", 5, "mov.b64 %a, tile; mbarrier.init.shared.b64 [%a], 1; mbarrier.arrive.noComplete.shared.b64 %d0, [%a], %w;"),
        ("alloca.64K", 1 << 16, "alloca.u64 %a, %o; st.local.b32 [%a], %r0;"),
        ("alloca.1M", 1 << 20, "alloca.u64 %a, %o; st.local.b32 [%a], %r0;"),
        ("alloca.1G", 1 << 30, "alloca.u64 %a, %o; st.local.b32 [%a], %r0;"),
        ("assert.pass", 0, "setp.eq.u32 %p0, %lane, 99; @%p0 trap;"),
    ]
    .into_iter()
    .map(|(name, offset, body)| {
        let threads = if name.contains("33") { 64 } else { 32 };
        Case::new(name, offset, body).threads(threads)
    })
    .collect();
    let deeper = "{ .param .b32 in; .param .b32 back; st.param.b32 [in], %w; call (back), deeper, (in); ld.param.b32 %r0, [back]; }";
    for depth in [0_u64, 4, 16, 64, 500, 1000, 5000, 100_000] {
        cases.push(Case::new(format!("recursion.{depth}"), depth, deeper).module(RECURSION));
    }
    for (name, offset, body) in [
        ("malloc.16", 16, malloc("%o")),
        ("malloc.0", 0, malloc("%o")),
        ("malloc.1T", 1 << 40, malloc("%o")),
        ("malloc.-1", u64::MAX, malloc("%o")),
        ("malloc.8M", 8 << 20, malloc("%o")),
        ("malloc.7M", 7 << 20, malloc("%o")),
        ("malloc.beyond", 16, format!("{} st.volatile.b32 [%d2+16], %r0;", malloc("%o"))),
        ("free.0", 0, free("%o")),
        ("free.4096", 4096, free("%o")),
        ("free.noncanonical", 1 << 63, free("%o")),
        ("free.global", 0, format!("cvta.global.u64 %a, area; {}", free("%a"))),
        ("free.twice", 16, format!("{} {} {}", malloc("%o"), free("%d2"), free("%d2"))),
        ("free.inside", 64, format!("{} add.u64 %d2, %d2, 16; {}", malloc("%o"), free("%d2"))),
        ("free.out", 64, free("%out")),
    ] {
        cases.push(Case::new(name, offset, body).module(HEAP));
    }
    let assert = "cvta.global.u64 %a, words; { .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;
    st.param.b64 [a], %a; st.param.b64 [b], %a; st.param.b32 [c], %r0; st.param.b64 [d], %a; st.param.b64 [e], 1;
    call __assertfail, (a, b, c, d, e); }";
    cases.push(Case::new("assert", 0, assert).module(ASSERT));
    for (name, offset) in [
        ("0", 0),
        ("8", 8),
        ("4096", 4096),
        ("deadbee0", 0xdead_bee0),
        ("noncanonical", 1 << 63),
        ("misaligned", 3),
    ] {
        // No constant that the assembler could know.
        let body = "prototype: .callprototype _ (); call %o, (), prototype;";
        cases.push(Case::new(format!("call.{name}"), offset, body).module(CALLEE));
    }
    cases.push(
        Case::new(
            "call.data",
            0,
            "prototype: .callprototype _ (); cvta.global.u64 %a, area; call %a, (), prototype;",
        )
        .module(CALLEE),
    );
    cases
}
