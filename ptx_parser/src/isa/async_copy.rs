//! Asynchronous copies and the barriers that track them.

use super::prelude::*;

isa! {
    /// Copies `cp_size` bytes (4, 8 or 16) from global to shared memory. `src_size` may be a predicate:
    /// the source is ignored where it holds.
    CpAsync = r"
        cp.async.cop.state@space.global{.level::cache_hint}{.level::prefetch_size} [dst], [src], cp-size{, {!}src-size}{, cache-policy};
        .cop: CacheOperator = { .ca, .cg };
        .level::cache_hint = { .L2::cache_hint };
        .level::prefetch_size: PrefetchSize = { .L2::64B, .L2::128B, .L2::256B };
        .state: StateSpace = { .shared, .shared::cta };
        types src-size = .u32, * =;
        constants cp-size = 16 for .cg, cp-size = 4 | 8 | 16, src-size? = 0..16;
        spaces dst = space, src = .global;
        needs 7.0 sm_80;
        needs 7.4 sm_80 for .L2::128B | .L2::256B | .L2::64B | .L2::cache_hint;
    ";

    /// Ends a group of copies.
    CpAsyncCommitGroup = r"
        cp.async.commit_group;
        needs 7.0 sm_80;
    ";

    /// Waits until at most `n` groups are pending.
    CpAsyncWaitGroup = r"
        cp.async.wait_group n;
        types * =;
        constants n = ..;
        needs 7.0 sm_80;
    ";

    /// Waits for all copies.
    CpAsyncWaitAll = r"
        cp.async.wait_all;
        needs 7.0 sm_80;
    ";

    /// Makes an mbarrier track the thread's copies.
    CpAsyncMbarrierArrive = r"
        cp.async.mbarrier.arrive{.noinc}{.state@space}.b64 [addr];
        .state: StateSpace = { .shared, .shared::cta };
        types addr =;
        needs 7.0 sm_80;
        needs 7.8 sm_80 for .shared::cta;
    ";

    /// Copies a block of bytes.
    CpAsyncBulk = r"
        cp.async.bulk{.sem}{.scope}.shared::cta@dst.global@src.mbarrier::complete_tx::bytes{.level::cache_hint}{.type} [dstMem], [srcMem], size, [mbar]{, cache-policy};
        cp.async.bulk{.sem}{.scope}.shared::cta@dst.global@src.mbarrier::complete_tx::bytes{.level::cache_hint}.ignore_oob{.type} [dstMem], [srcMem], size, ignoreBytesLeft, ignoreBytesRight, [mbar]{, cache-policy};
        cp.async.bulk{.sem}{.scope}.shared::cluster@dst.src.mbarrier::complete_tx::bytes{.level::cache_hint}{.type} [dstMem], [srcMem], size, [mbar]{, cache-policy};
        cp.async.bulk{.sem}{.scope}.shared::cluster@dst.global@src.mbarrier::complete_tx::bytes.multicast::cluster{.level::cache_hint}{.type} [dstMem], [srcMem], size, [mbar], ctaMask{, cache-policy};
        .sem: Semantics = { .weak, .relaxed };
        .scope: Scope = { .cta, .cluster, .gpu, .sys };
        .type = { .b128 };
        .src: StateSpace = { .global, .shared::cta };
        .level::cache_hint = { .L2::cache_hint };
        ---
        cp.async.bulk{.sem}{.scope}.dst.src.bulk_group{.level::cache_hint}{.type} [dstMem], [srcMem], size{, cache-policy};
        cp.async.bulk{.sem}{.scope}.dst.src.bulk_group{.level::cache_hint}.cp_mask{.type} [dstMem], [srcMem], size{, cache-policy}, byteMask;
        .dst: StateSpace = { .global };
        .src: StateSpace = { .shared::cta };
        .level::cache_hint = { .L2::cache_hint };
        types size ignore-bytes-left ignore-bytes-right = .u32, * =;
        constants size? = 0../16, ignore-bytes-left? = 0..15, ignore-bytes-right? = 0..15;
        spaces dst-mem = dst, src-mem = src, mbar = .shared;
        needs 8.0 sm_90;
        needs 9.2 for .ignore_oob;
        needs 9.3 for .weak | .relaxed;
        never .weak & .b128 | .cta | .cluster | .gpu | .sys;
        never .relaxed & !.b128;
        needs 9.1 for .b128;
        never .relaxed & !.cta | .cluster | .gpu | .sys;
        gone 9.1 sm_90 for .cta | .cluster | .gpu | .sys & !.relaxed;
        never .relaxed & dst.shared::cluster & src.shared::cta & .gpu | .sys;
        needs sm_90a sm_100f sm_110f for .relaxed & dst.shared::cluster & src.global;
        needs 8.6 sm_100 for .cp_mask;
        needs 8.6 for dst.shared::cta;
        never dst.shared::cluster & src.shared::cta & .L2::cache_hint;
    ";

    /// Ends a group of bulk copies.
    CpAsyncBulkCommitGroup = r"
        cp.async.bulk.commit_group;
        needs 8.0 sm_90;
    ";

    /// Waits until at most `n` groups of bulk copies are pending; with `read`, until their sources are read.
    CpAsyncBulkWaitGroup = r"
        cp.async.bulk.wait_group{.read} n;
        cp.async.bulk.wait_group.sync_restrict::proxy::async n;
        needs 9.5 for .sync_restrict::proxy::async;
        types * =;
        constants n = ..;
        needs 8.0 sm_90;
    ";

    /// Brings a block of bytes to L2.
    CpAsyncBulkPrefetch = r"
        cp.async.bulk.prefetch.L2.global{.level::cache_hint}   [srcMem], size{, cache-policy};
        .level::cache_hint = { .L2::cache_hint };
        types size = .u32, * =;
        constants size? = 0../16;
        spaces src-mem = .global;
        needs 8.0 sm_90;
    ";

    /// Reduces a block of values into memory.
    CpReduceAsyncBulk = r"
        cp.reduce.async.bulk{.sem}{.scope}.shared::cluster@dst.shared::cta@src.mbarrier::complete_tx::bytes.redOp.type [dstMem], [srcMem], size, [mbar];
        cp.reduce.async.bulk{.sem}{.scope}.dst.src.bulk_group{.level::cache_hint}.redOp.type [dstMem], [srcMem], size{, cache-policy};
        cp.reduce.async.bulk{.sem}{.scope}.dst.src.bulk_group{.level::cache_hint}.add@red_op.noftz.noftz_type@type_ [dstMem], [srcMem], size{, cache-policy};
        .sem: Semantics = { .relaxed };
        .scope: Scope = { .cta, .cluster, .gpu, .sys };
        .dst: StateSpace = { .global };
        .src: StateSpace = { .shared::cta };
        .redOp: AtomicOp = { .and, .or, .xor, .add, .inc, .dec, .min, .max };
        .level::cache_hint = { .L2::cache_hint };
        .type = { .f16, .bf16, .b32, .u32, .s32, .b64, .u64, .s64, .f32, .f64 };
        .noftz_type = { .f16, .bf16, .f32 };
        types size = .u32, * =;
        constants size? = 0../16;
        spaces dst-mem = dst, src-mem = src, mbar = .shared;
        needs 8.0 sm_90;
        needs 9.3 for .relaxed;
        needs 9.4 for .noftz & .f32;
        never .relaxed & !.cta | .cluster | .gpu | .sys;
        never .cta | .cluster | .gpu | .sys & !.relaxed;
        never .mbarrier::complete_tx::bytes & .gpu | .sys;
        never .mbarrier::complete_tx::bytes & .b64 | .bf16 | .f16 | .f32 | .f64 | .s64;
        never .mbarrier::complete_tx::bytes & .u64 & !.add;
        never .and | .or | .xor & !.b32 | .b64;
        never .inc | .dec & !.u32;
        never .b32 | .b64 & .add | .min | .max;
        never .add & .s64;
        never .f32 | .f64 & !.add;
        never .add & .f16 | .bf16 & !.noftz;
    ";

    /// Copies a block of bytes to all devices of a multicast object.
    MultimemCpAsyncBulk = r"
        multimem.cp.async.bulk{.weak_sem}.global@dst.shared::cta@src.bulk_group [dstMem], [srcMem], size;
        multimem.cp.async.bulk{.weak_sem}.global@dst.shared::cta@src.bulk_group.cp_mask [dstMem], [srcMem], size, byteMask;
        multimem.cp.async.bulk.strong_sem.scope.global@dst.shared::cta@src.bulk_group.b128 [dstMem], [srcMem], size;
        multimem.cp.async.bulk.strong_sem.scope.global@dst.shared::cta@src.bulk_group.cp_mask.b128 [dstMem], [srcMem], size, byteMask;
        .weak_sem@sem: Semantics = { .weak };
        .strong_sem@sem: Semantics = { .relaxed };
        .scope: Scope = { .cta, .cluster, .gpu, .sys };
        types size = .u32, * =;
        constants size? = 0../16;
        spaces dst-mem = .global, src-mem = .shared;
        needs 9.1 sm_90;
        needs 9.3 for .weak | .relaxed;
        needs sm_100 for .cp_mask;
    ";

    /// Reduces a block of values into the memory of all devices of a multicast object.
    MultimemCpReduceAsyncBulk = r"
        multimem.cp.reduce.async.bulk{.sem}{.scope}.global@dst.shared::cta@src.bulk_group.redOp.type [dstMem], [srcMem], size;
        multimem.cp.reduce.async.bulk{.sem}{.scope}.global@dst.shared::cta@src.bulk_group.add@red_op.noftz.noftz_type@type_ [dstMem], [srcMem], size;
        .sem: Semantics = { .relaxed };
        .scope: Scope = { .cta, .cluster, .gpu, .sys };
        .redOp: AtomicOp = { .and, .or, .xor, .add, .inc, .dec, .min, .max };
        .type = { .f16, .bf16, .b32, .u32, .s32, .b64, .u64, .s64, .f32, .f64 };
        .noftz_type = { .f16, .bf16, .f32 };
        types size = .u32, * =;
        constants size? = 0../16;
        spaces dst-mem = .global, src-mem = .shared;
        needs 9.1 sm_90;
        needs 9.3 for .relaxed;
        needs 9.4 for .noftz & .f32;
        never .relaxed & !.cta | .cluster | .gpu | .sys;
        never .cta | .cluster | .gpu | .sys & !.relaxed;
        never .and | .or | .xor & !.b32 | .b64;
        never .inc | .dec & !.u32;
        never .b32 | .b64 & .add | .min | .max;
        never .add & .s64;
        never .f32 | .f64 & !.add;
        never .add & .f16 | .bf16 & !.noftz;
    ";

    /// Starts an mbarrier that expects `count` arrivals a phase.
    MbarrierInit = r"
        mbarrier.init{.layout}{.state@space}.b64 [addr], count;
        .layout: MbarrierLayout = { .layout::v0, .layout::v1 };
        .state: StateSpace = { .shared, .shared::cta };
        types addr = , count = .u32;
        spaces addr = .shared;
        needs 7.0 sm_80;
        needs 9.3 sm_90 for .layout::v0 | .layout::v1;
        needs 7.8 sm_80 for .shared::cta;
    ";

    /// Ends an mbarrier.
    MbarrierInval = r"
        mbarrier.inval{.state@space}.b64 [addr];
        .state: StateSpace = { .shared, .shared::cta };
        types addr =;
        spaces addr = .shared;
        needs 7.0 sm_80;
        needs 7.8 sm_80 for .shared::cta;
    ";

    /// Adds to the bytes that the current phase expects.
    MbarrierExpectTx = r"
        mbarrier.expect_tx{.sem}{.scope}{.space}.b64 [addr], txCount;
        .sem: Semantics = { .relaxed };
        .scope: Scope = { .cta, .cluster };
        .space: StateSpace = { .shared, .shared::cta, .shared::cluster };
        types addr = , tx_count = .u32;
        spaces addr = .shared;
        needs 8.0 sm_90;
        never .cta | .cluster & !.relaxed | .acquire | .release;
        never .relaxed | .acquire | .release & !.cta | .cluster;
    ";

    /// Takes from the bytes that the current phase expects.
    MbarrierCompleteTx = r"
        mbarrier.complete_tx{.sem}{.scope}{.space}.b64 [addr], txCount;
        .sem: Semantics = { .relaxed };
        .scope: Scope = { .cta, .cluster };
        .space: StateSpace = { .shared, .shared::cta, .shared::cluster };
        types addr = , tx_count = .u32;
        spaces addr = .shared;
        needs 8.0 sm_90;
        never .cta | .cluster & !.relaxed | .acquire | .release;
        never .relaxed | .acquire | .release & !.cta | .cluster;
    ";

    /// Arrives; `state` is the phase before. A barrier of another block gives none: `_`.
    MbarrierArrive = r"
        mbarrier.arrive{.sem}{.scope}{.space}.b64            state, [addr]{, count};
        mbarrier.arrive.expect_tx{.sem}{.scope}{.space}.b64  state, [addr], txCount;
        mbarrier.arrive.noComplete{.sem}{.scope}{.space}.b64 state, [addr], count;
        .sem: Semantics = { .release, .relaxed };
        .scope: Scope = { .cta, .cluster };
        .space: StateSpace = { .shared, .shared::cta, .shared::cluster };
        writes = state;
        types addr = , state = .u64, count tx_count = .u32;
        spaces addr = .shared;
        needs 7.0 sm_80;
        needs 7.8 sm_80 for .shared::cta;
        needs 8.0 sm_80 for .release;
        needs 8.0 sm_90 for .cluster | .expect_tx;
        needs 8.6 sm_90 for .relaxed;
        needs 7.8 sm_90 for count & !.noComplete;
        never .cta | .cluster & !.relaxed | .acquire | .release;
        never .relaxed | .acquire | .release & !.cta | .cluster;
        never .noComplete & .relaxed | .cluster | .shared::cluster;
        never .shared::cluster & !state:sink;
    ";

    /// Arrives, and lowers the arrivals that later phases expect.
    MbarrierArriveDrop = r"
        mbarrier.arrive_drop{.sem}{.scope}{.space}.b64            state, [addr]{, count};
        mbarrier.arrive_drop.expect_tx{.sem}{.scope}{.space}.b64  state, [addr], txCount;
        mbarrier.arrive_drop.noComplete{.sem}{.scope}{.space}.b64 state, [addr], count;
        .sem: Semantics = { .release, .relaxed };
        .scope: Scope = { .cta, .cluster };
        .space: StateSpace = { .shared, .shared::cta, .shared::cluster };
        writes = state;
        types addr = , state = .u64, count tx_count = .u32;
        spaces addr = .shared;
        needs 7.0 sm_80;
        needs 7.8 sm_80 for .shared::cta;
        needs 8.0 sm_80 for .release;
        needs 8.0 sm_90 for .cluster | .expect_tx;
        needs 8.6 sm_90 for .relaxed;
        needs 7.8 sm_90 for count & !.noComplete;
        never .cta | .cluster & !.relaxed | .acquire | .release;
        never .relaxed | .acquire | .release & !.cta | .cluster;
        never .noComplete & .relaxed | .cluster | .shared::cluster;
        never .shared::cluster & !state:sink;
    ";

    /// Whether an mbarrier has a layout.
    MbarrierCheckLayout = r"
        mbarrier.check_layout.layout{.state@space}.b64 p, [addr];
        .layout: MbarrierLayout = { .layout::v0, .layout::v1 };
        .state: StateSpace = { .shared, .shared::cta };
        types addr = , p = .pred;
        spaces addr = .shared;
        needs 9.3 sm_90;
    ";

    /// The arrivals that `state` still waited for.
    MbarrierPendingCount = r"
        mbarrier.pending_count{.layout}.b64 count, state;
        .layout: MbarrierLayout = { .layout::v0 };
        writes = count;
        types count = .u32, state = .u64;
        needs 7.0 sm_80;
        needs 9.3 sm_90 for .layout::v0;
    ";

    /// Whether a phase is complete.
    MbarrierTestWait = r"
        mbarrier.test_wait{.sem}{.scope}{.space}.b64        waitComplete, [addr], state;
        mbarrier.test_wait.parity{.sem}{.scope}{.space}.b64 waitComplete, [addr], phaseParity;
        mbarrier.test_wait.primary{.sem}{.scope}{.space}.b64  waitComplete{|reportPredicate}, [addr], state;
        mbarrier.test_wait.parity.primary{.sem}{.scope}{.space}.b64  waitComplete{|reportPredicate}, [addr], phaseParity;
        mbarrier.test_wait.primary{.sem}{.scope}{.space}.b64  waitComplete|reportPredicate, reportValue, [addr], state;
        mbarrier.test_wait.parity.primary{.sem}{.scope}{.space}.b64  waitComplete|reportPredicate, reportValue, [addr], phaseParity;
        mbarrier.test_wait.parity.conditional{.sem}{.scope}{.space}.b64  waitComplete, [addr], phaseParity;
        .primary@phase_type: PhaseType = { .phase_type::primary };
        .conditional@phase_type: PhaseType = { .phase_type::conditional };
        .sem: Semantics = { .acquire, .relaxed };
        .scope: Scope = { .cta, .cluster };
        .space: StateSpace = { .shared, .shared::cta };
        writes = waitComplete, reportPredicate, reportValue;
        types addr = , wait_complete = .pred, report_value = .b8, state = .u64, phase_parity = .u32;
        spaces addr = .shared;
        needs 7.0 sm_80;
        needs 7.1 sm_80 for .parity;
        needs 9.3 sm_90 for .phase_type::primary | .phase_type::conditional;
        needs 7.8 sm_80 for .shared::cta;
        needs 8.0 sm_80 for .cta;
        needs 8.0 sm_90 for .cluster;
        needs 8.6 sm_90 for .relaxed;
        never .cta | .cluster & !.relaxed | .acquire | .release;
        never .relaxed | .acquire | .release & !.cta | .cluster;
    ";

    /// Whether a phase is complete, after waiting for a while.
    MbarrierTryWait = r"
        mbarrier.try_wait{.sem}{.scope}{.space}.b64         waitComplete, [addr], state{, suspendTimeHint};
        mbarrier.try_wait.parity{.sem}{.scope}{.space}.b64  waitComplete, [addr], phaseParity{, suspendTimeHint};
        mbarrier.try_wait.primary{.sem}{.scope}{.space}.b64  waitComplete{|reportPredicate}, [addr], state{, suspendTimeHint};
        mbarrier.try_wait.parity.primary{.sem}{.scope}{.space}.b64  waitComplete{|reportPredicate}, [addr], phaseParity{, suspendTimeHint};
        mbarrier.try_wait.primary{.sem}{.scope}{.space}.b64  waitComplete|reportPredicate, reportValue, [addr], state{, suspendTimeHint};
        mbarrier.try_wait.parity.primary{.sem}{.scope}{.space}.b64  waitComplete|reportPredicate, reportValue, [addr], phaseParity{, suspendTimeHint};
        mbarrier.try_wait.parity.conditional{.sem}{.scope}{.space}.b64  waitComplete, [addr], phaseParity{, suspendTimeHint};
        .primary@phase_type: PhaseType = { .phase_type::primary };
        .conditional@phase_type: PhaseType = { .phase_type::conditional };
        .sem: Semantics = { .acquire, .relaxed };
        .scope: Scope = { .cta, .cluster };
        .space: StateSpace = { .shared, .shared::cta };
        writes = waitComplete, reportPredicate, reportValue;
        types addr = , wait_complete = .pred, report_value = .b8, state = .u64, phase_parity suspend_time_hint = .u32;
        spaces addr = .shared;
        needs 7.8 sm_90;
        needs 9.3 for .phase_type::primary | .phase_type::conditional;
        needs 8.0 sm_90 for .acquire;
        needs 8.6 sm_90 for .relaxed;
        never .cta | .cluster & !.relaxed | .acquire | .release;
        never .relaxed | .acquire | .release & !.cta | .cluster;
    ";

    /// Stores, and tells an mbarrier.
    StAsync = r"
        st.async{.weak@sem}{.cluster@scope}{.ss}{.mbarrier::complete_tx::bytes}{.vec}.type [a], b{, [mbar]};
        .ss: StateSpace = { .shared::cluster, .shared, .shared::cta, .global };
        .vec: VectorSize = { .v2, .v4 };
        .type = { .b8, .b16, .b32, .b64, .b128, .u8, .u16, .u32, .u64, .s8, .s16, .s32, .s64, .f32, .f64 };
        ---
        st.async{.sem}.scope{.ss}{.vec}.type [a], b{, [mbar]};
        st.async.mmio.sem.scope{.ss}{.vec}.type [a], b{, [mbar]};
        .sem: Semantics = { .release };
        .scope: Scope = { .gpu, .sys };
        .ss: StateSpace = { .global };
        .type = { .b8, .b16, .b32, .b64, .u8, .u16, .u32, .u64, .s8, .s16, .s32, .s64, .f32, .f64 };
        types mbar =;
        needs 8.1 sm_90;
        needs 8.7 sm_100 for .release | .mmio | .global;
        never .b8 | .b16 | .u8 | .u16 | .s8 | .s16 & mbar;
        never .b8 | .b16 | .u8 | .u16 | .s8 | .s16 & .v2 | .v4;
        never .v4 & .b64 | .u64 | .s64 | .f64;
        needs 9.2 for .b128;
        never .b128 & .v2 | .v4;
        never .b128 & !mbar;
        never .b128 & .global;
        gone 9.1 sm_90 for .mmio & .gpu;
        gone 9.1 sm_90 for .global & mbar;
        never .v2 | .v4 & !mbar;
        never .v2 | .v4 & .mmio;
        never .weak & .cluster;
        never .cluster & .weak | .shared | .shared::cta;
        never .cluster | .shared::cluster & !.mbarrier::complete_tx::bytes;
        never .global & .mbarrier::complete_tx::bytes | .cluster;
    ";

    /// Fills shared memory with zeros.
    StBulk = r"
        st.bulk{.weak}{.shared::cta}  [a], size, initval;
        types size = .u64, * =;
        constants size? = 0../8, initval = 0;
        needs 8.6 sm_100;
    ";
}
