//! Exchange between the threads of a warp.

use super::prelude::*;

isa! {
    /// Takes a value from another lane; `p` tells whether that lane was in range.
    Shfl = r"
        shfl.sync.mode.b32  d{|p}, a, b, c, membermask;
        shfl.mode.b32       d{|p}, a, b, c;
        .mode: ShuffleMode = { .up, .down, .bfly, .idx };
        gone 6.4 sm_70 for !.sync;
    ";

    /// Joins a predicate over lanes.
    Vote = r"
        vote.sync.mode.pred         d, {!}a, membermask;
        vote.sync.ballot@mode.b32   d, {!}a, membermask;
        vote.mode.pred              d, {!}a;
        vote.ballot@mode.b32        d, {!}a;
        .mode: VoteMode = { .all, .any, .uni };
        types a = .pred;
        gone 6.4 sm_70 for !.sync;
    ";

    /// The lanes that have the same value; for `.all`, `p` tells whether all have.
    MatchSync = r"
        match.any@mode.sync.type  d, a, membermask;
        match.mode.sync.type      d{|p}, a, membermask;
        .mode: MatchMode = { .all };
        .type = { .b32, .b64 };
        types d = .u32;
    ";

    /// Reduction over lanes.
    ReduxSync = r"
        redux.sync.op.type dst, src, membermask;
        .op: AtomicOp = { .add, .min, .max };
        .type = { .u32, .s32 };
        ---
        redux.sync.op.b32 dst, src, membermask;
        .op: AtomicOp = { .and, .or, .xor };
        ---
        redux.sync.op{.abs}{.NaN}.f32 dst, src, membermask;
        .op: AtomicOp = { .min, .max };
        writes = dst;
        needs 7.0 sm_80;
        needs 8.6 sm_100f for .f32;
    ";

    /// The lanes that run together now.
    Activemask = r"
        activemask.b32 d;
    ";

    /// Elects one lane: `p` is true in it, `d` its number in all.
    ElectSync = r"
        elect.sync d|p, membermask;
        types d = .b32;
        needs 8.0 sm_90;
    ";

    /// Barrier of the lanes of `membermask`.
    BarWarpSync = r"
        bar.warp.sync      membermask;
    ";
}
