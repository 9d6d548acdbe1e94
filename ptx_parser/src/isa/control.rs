//! Control flow and barriers of a block.

use super::prelude::*;

isa! {
    /// Branch.
    Bra = r"
        bra{.uni}  tgt;
        types * =;
    ";

    /// Branch to the entry number `index` of a `.branchtargets` list.
    BrxIdx = r"
        brx.idx{.uni} index, tlist;
        types index = .u32, * =;
    ";

    /// Return from a function; in a kernel, the end of the thread.
    Ret = r"
        ret{.uni};
    ";

    /// The end of the thread.
    Exit = r"
        exit;
    ";

    /// An error that ends the grid.
    Trap = r"
        trap;
    ";

    /// Breakpoint.
    Brkpt = r"
        brkpt;
    ";

    /// Barrier of a block, aligned: all threads of a warp execute it together.
    Bar = r"
        bar{.cta}.sync@op                a{, b};
        bar{.cta}.arrive@op              a, b;
        bar{.cta}.red.popc@op.u32        d, a{, b}, {!}c;
        bar{.cta}.red.op.pred            d, a{, b}, {!}c;
        .op: BarrierOp = { .and, .or };
        constants a? = 0..15, b? = 32../32 for op.arrive, b? = 0../32;
        types a b = .u32, c = .pred, d = type_;
        needs 7.8 for .cta;
        name cta, arrive;
    ";

    /// Barrier of a block, for threads that need not be together.
    Barrier = r"
        barrier{.cta}.sync@op{.aligned}           a{, b};
        barrier{.cta}.arrive@op{.aligned}         a, b;
        barrier{.cta}.red.popc@op{.aligned}.u32   d, a{, b}, {!}c;
        barrier{.cta}.red.op{.aligned}.pred       d, a{, b}, {!}c;
        .op: BarrierOp = { .and, .or };
        constants a? = 0..15, b? = 32../32 for op.arrive, b? = 0../32;
        types a b = .u32, c = .pred, d = type_;
        needs 7.8 for .cta;
        name cta, arrive;
    ";

    /// Barrier of a cluster.
    BarrierCluster = r"
        barrier.cluster.arrive@op{.sem}{.aligned};
        barrier.cluster.op{.acquire@sem}{.aligned};
        .op: ClusterBarrierOp = { .wait };
        .sem: Semantics = { .release, .relaxed };
        needs 7.8 sm_90;
        needs 8.0 sm_90 for .acquire | .relaxed | .release;
        name op;
    ";

    /// Waits for about `t` nanoseconds.
    Nanosleep = r"
        nanosleep.u32 t;
    ";

    /// Order among dependent grids.
    Griddepcontrol = r"
        griddepcontrol.action;
        .action: GridAction = { .launch_dependents, .wait };
        needs 7.8 sm_90;
    ";

    /// Triggers performance monitor events.
    Pmevent = r"
        name mask;
        pmevent{.mask} a;
        types a = .u32;
        constants a = 0..65535;
    ";

    /// Changes how many registers a warp owns.
    Setmaxnreg = r"
        setmaxnreg.action.sync.aligned.type imm-reg-count;
        .type = { .u32, .s32 };
        .action: RegisterAction = { .inc, .dec };
        needs 8.0 sm_90a sm_100f sm_110f sm_120f;
        name action;
        constants imm-reg-count = 24..256/8;
    ";
}
