//! Tensor memory and its matrix instructions.

use super::prelude::*;

isa! {
    /// Takes columns of tensor memory.
    Tcgen05Alloc = r"
        tcgen05.alloc.cta_group.sync.aligned{.shared::cta}.b32  [dst], nCols;
        .cta_group: CtaGroup = { .cta_group::1, .cta_group::2 };
        types n-cols = .u32, * =;
        constants n-cols? = 32 | 64 | 128 | 256 | 512;
        needs 8.6 sm_100f sm_110f;
    ";

    /// Gives columns of tensor memory back.
    Tcgen05Dealloc = r"
        tcgen05.dealloc.cta_group.sync.aligned.b32              taddr, nCols;
        .cta_group: CtaGroup = { .cta_group::1, .cta_group::2 };
        types taddr n-cols = .u32, * =;
        constants n-cols? = 0../32;
        needs 8.6 sm_100f sm_110f;
    ";

    /// Promises to take no more tensor memory.
    Tcgen05RelinquishAllocPermit = r"
        tcgen05.relinquish_alloc_permit.cta_group.sync.aligned;
        .cta_group: CtaGroup = { .cta_group::1, .cta_group::2 };
        needs 8.6 sm_100f sm_110f;
    ";

    /// Makes an mbarrier track the operations before.
    Tcgen05Commit = r"
        tcgen05.commit.cta_group.mbarrier::arrive::one{.shared::cluster}.b64 [mbar];
        tcgen05.commit.cta_group.mbarrier::arrive::one{.shared::cluster}.multicast::cluster.b64 [mbar], ctaMask;
        .cta_group: CtaGroup = { .cta_group::1, .cta_group::2 };
        types * =;
        needs 8.6 sm_100f sm_110f;
    ";

    /// Copies from shared to tensor memory.
    Tcgen05Cp = r"
        tcgen05.cp.cta_group.shape{.multicast} [taddr], s-desc;
        tcgen05.cp.cta_group.shape{.multicast}.dst_fmt.src_fmt [taddr], s-desc;
        .cta_group: CtaGroup = { .cta_group::1, .cta_group::2 };
        .dst_fmt = { .b8x16 };
        .src_fmt = { .b6x16_p32, .b4x16_p64 };
        .shape: TmemShape = { .128x256b, .4x256b, .128x128b, .64x128b, .32x128b };
        .multicast: WarpMulticast = { .warpx2::02_13, .warpx2::01_23, .warpx4 };
        types * =;
        needs 8.6 sm_100f sm_110f;
        never .warpx2::01_23 | .warpx2::02_13 & !.64x128b;
        never .64x128b & !.warpx2::01_23 | .warpx2::02_13;
        never .warpx4 & !.32x128b;
        never .32x128b & !.warpx4;
        ignored .row .col;
    ";

    /// Orders asynchronous operations around a synchronisation of threads.
    Tcgen05Fence = r"
        tcgen05.fence;
        .fence: TmemFence = { .fence::before_thread_sync, .fence::after_thread_sync };
        needs 8.6 sm_100f sm_110f;
        name fence;
    ";

    /// Loads from tensor memory.
    Tcgen05Ld = r"
        tcgen05.ld.sync{.aligned}.shape.num{.pack::16b}.b32    r, [taddr];
        .shape: TmemShape = { .16x64b, .16x128b, .16x256b, .32x32b };
        .num: TileCount = { .x1, .x2, .x4, .x8, .x16, .x32, .x64, .x128 };
        ---
        tcgen05.ld.sync{.aligned}.shape.num{.pack::16b}.b32    r, [taddr], immHalfSplitoff;
        .shape: TmemShape = { .16x32bx2 };
        ---
        tcgen05.ld.red.sync{.aligned}.shape.num.redOp{.abs}{.NaN}.f32 r, redval, [taddr];
        tcgen05.ld.red.sync{.aligned}.shape.num.redOp.type            r, redval, [taddr];
        .shape: TmemShape = { .32x32b };
        .redOp: AtomicOp = { .min, .max };
        .type = { .u32, .s32 };
        ---
        tcgen05.ld.red.sync{.aligned}.shape.num.redOp{.abs}{.NaN}.f32 r, redval, [taddr], immHalfSplitoff;
        tcgen05.ld.red.sync{.aligned}.shape.num.redOp.type            r, redval, [taddr], immHalfSplitoff;
        .shape: TmemShape = { .16x32bx2 };
        writes = r, redval;
        types * =;
        constants immHalfSplitoff = ..;
        needs 8.6 sm_100f sm_110f;
        needs 8.8 sm_103f sm_110f for .red;
        never .x1 & .red;
        never .x128 & .16x128b | .16x256b;
        never .x64 & .16x256b;
        never !r:vector;
        gone 9.1 sm_100 for !.aligned;
        ignored .row .col;
    ";

    /// Stores to tensor memory.
    Tcgen05St = r"
        tcgen05.st.sync{.aligned}.shape.num{.unpack::16b}.b32    [taddr], r;
        .shape: TmemShape = { .16x64b, .16x128b, .16x256b, .32x32b };
        .num: TileCount = { .x1, .x2, .x4, .x8, .x16, .x32, .x64, .x128 };
        ---
        tcgen05.st.sync{.aligned}.shape.num{.unpack::16b}.b32    [taddr], immHalfSplitoff, r;
        .shape: TmemShape = { .16x32bx2 };
        types * =;
        constants immHalfSplitoff = ..;
        needs 8.6 sm_100f sm_110f;
        never .x128 & .16x128b | .16x256b;
        never .x64 & .16x256b;
        never !r:vector;
        gone 9.1 sm_100 for !.aligned;
        ignored .row .col;
    ";

    /// Moves rows of tensor memory down.
    Tcgen05Shift = r"
        tcgen05.shift.cta_group.down  [taddr];
        .cta_group: CtaGroup = { .cta_group::1, .cta_group::2 };
        types * =;
        needs 8.6 sm_100a sm_103a sm_107a sm_110a;
    ";

    /// Waits for the thread's loads or stores.
    Tcgen05Wait = r"
        tcgen05.wait.sync.aligned;
        .wait: TmemWait = { .wait::ld, .wait::st };
        needs 8.6 sm_100f sm_110f;
        name wait;
    ";

    /// Starts `d = a * b + d` in tensor memory.
    Tcgen05Mma = r"
        tcgen05.mma.cta_group.kind{.collector_usage}  [d-tmem], a-desc, b-desc, idesc, enable-input-d{, scale-input-d};
        tcgen05.mma.cta_group.kind{.collector_usage}  [d-tmem], a-desc, b-desc, idesc, disable-output-lane, enable-input-d{, scale-input-d};
        tcgen05.mma.cta_group.kind{.ashift}{.collector_usage}  [d-tmem], [a-tmem], b-desc, idesc, enable-input-d{, scale-input-d};
        tcgen05.mma.cta_group.kind{.ashift}{.collector_usage}  [d-tmem], [a-tmem], b-desc, idesc, disable-output-lane, enable-input-d{, scale-input-d};
        tcgen05.mma.cta_group.unscaled@kind{.collector_usage}  [d-tmem], a-desc, b-desc, idesc, enable-input-d;
        tcgen05.mma.cta_group.unscaled@kind{.collector_usage}  [d-tmem], a-desc, b-desc, idesc, disable-output-lane, enable-input-d;
        tcgen05.mma.cta_group.unscaled@kind{.ashift}{.collector_usage}  [d-tmem], [a-tmem], b-desc, idesc, enable-input-d;
        tcgen05.mma.cta_group.unscaled@kind{.ashift}{.collector_usage}  [d-tmem], [a-tmem], b-desc, idesc, disable-output-lane, enable-input-d;
        tcgen05.mma.cta_group.kind::i8@kind{.collector_usage}  [d-tmem], a-desc, b-desc, idesc, disable-output-lane, enable-input-d, scale-input-d;
        tcgen05.mma.cta_group.kind::i8@kind{.ashift}{.collector_usage}  [d-tmem], [a-tmem], b-desc, idesc, disable-output-lane, enable-input-d, scale-input-d;
        .cta_group: CtaGroup = { .cta_group::1, .cta_group::2 };
        .kind: MmaKind = { .kind::f16, .kind::tf32 };
        .unscaled: MmaKind = { .kind::f8f6f4, .kind::i8 };
        .collector_usage: CollectorUsage = { .collector::a::fill, .collector::a::use, .collector::a::lastuse, .collector::a::discard };
        ---
        tcgen05.mma.cta_group.kind.block_scale{.scale_vectorsize}{.collector_usage}  [d-tmem], a-desc, b-desc, idesc, [scale-A-tmem], [scale-B-tmem], enable-input-d;
        tcgen05.mma.cta_group.kind.block_scale{.scale_vectorsize}{.collector_usage}  [d-tmem], [a-tmem], b-desc, idesc, [scale-A-tmem], [scale-B-tmem], enable-input-d;
        .kind: MmaKind = { .kind::mxf8f6f4, .kind::mxf4, .kind::mxf4nvf4 };
        .scale_vectorsize: ScaleVecSize = { .scale_vec::1X, .scale_vec::2X, .scale_vec::4X, .block16, .block32 };
        writes = ;
        types * =;
        constants scale-input-d = 0..15 for .kind::f16 | .kind::tf32;
        needs 8.6 sm_100f sm_110f;
        needs 8.7 sm_100f sm_110f for .kind::mxf4nvf4;
        needs 8.8 sm_100f sm_110f for .block16 | .block32;
        needs 8.6 sm_100a sm_103a sm_107a sm_110a for .scale_vec::1X | .scale_vec::2X;
        needs 8.7 sm_100a sm_103a sm_107a sm_110a for .scale_vec::4X;
        needs 8.6 sm_100a sm_110a for .kind::i8;
        needs sm_100f for scale-input-d & .kind::f16 | .kind::tf32;
        needs 8.8 for .block_scale & !.scale_vec::1X | .scale_vec::2X | .scale_vec::4X;
        never .kind::mxf4 & .block16 | .scale_vec::1X | .scale_vec::4X;
        never .kind::mxf8f6f4 & .block16 | .scale_vec::2X | .scale_vec::4X;
        never .kind::mxf4nvf4 & .scale_vec::1X;
        never .kind::mxf4nvf4 & !.scale_vec::2X | .scale_vec::4X | .block16 | .block32;
        never .ashift & .collector::a::fill | .collector::a::use;
    ";

    /// `tcgen05.mma` where `a` is sparse.
    Tcgen05MmaSp = r"
        tcgen05.mma.sp.cta_group.kind{.collector_usage}  [d-tmem], a-desc, b-desc, [sp-meta-tmem], idesc, enable-input-d{, scale-input-d};
        tcgen05.mma.sp.cta_group.kind{.collector_usage}  [d-tmem], a-desc, b-desc, [sp-meta-tmem], idesc, disable-output-lane, enable-input-d{, scale-input-d};
        tcgen05.mma.sp.cta_group.kind{.ashift}{.collector_usage}  [d-tmem], [a-tmem], b-desc, [sp-meta-tmem], idesc, enable-input-d{, scale-input-d};
        tcgen05.mma.sp.cta_group.kind{.ashift}{.collector_usage}  [d-tmem], [a-tmem], b-desc, [sp-meta-tmem], idesc, disable-output-lane, enable-input-d{, scale-input-d};
        tcgen05.mma.sp.cta_group.unscaled@kind{.collector_usage}  [d-tmem], a-desc, b-desc, [sp-meta-tmem], idesc, enable-input-d;
        tcgen05.mma.sp.cta_group.unscaled@kind{.collector_usage}  [d-tmem], a-desc, b-desc, [sp-meta-tmem], idesc, disable-output-lane, enable-input-d;
        tcgen05.mma.sp.cta_group.unscaled@kind{.ashift}{.collector_usage}  [d-tmem], [a-tmem], b-desc, [sp-meta-tmem], idesc, enable-input-d;
        tcgen05.mma.sp.cta_group.unscaled@kind{.ashift}{.collector_usage}  [d-tmem], [a-tmem], b-desc, [sp-meta-tmem], idesc, disable-output-lane, enable-input-d;
        .cta_group: CtaGroup = { .cta_group::1, .cta_group::2 };
        .kind: MmaKind = { .kind::f16, .kind::tf32 };
        .unscaled: MmaKind = { .kind::f8f6f4, .kind::i8 };
        .collector_usage: CollectorUsage = { .collector::a::fill, .collector::a::use, .collector::a::lastuse, .collector::a::discard };
        ---
        tcgen05.mma.sp.cta_group.kind.block_scale{.scale_vectorsize}{.collector_usage}  [d-tmem], a-desc, b-desc, [sp-meta-tmem], idesc, [scale-A-tmem], [scale-B-tmem], enable-input-d;
        tcgen05.mma.sp.cta_group.kind.block_scale{.scale_vectorsize}{.collector_usage}  [d-tmem], [a-tmem], b-desc, [sp-meta-tmem], idesc, [scale-A-tmem], [scale-B-tmem], enable-input-d;
        .kind: MmaKind = { .kind::mxf8f6f4, .kind::mxf4, .kind::mxf4nvf4 };
        .scale_vectorsize: ScaleVecSize = { .scale_vec::1X, .scale_vec::2X, .scale_vec::4X, .block16, .block32 };
        writes = ;
        types * =;
        constants scale-input-d = 0..15;
        needs 8.6 sm_100f sm_110f;
        needs 8.8 sm_100f sm_110f for .block32;
        needs 8.6 sm_100a sm_103a sm_107a sm_110a for .kind::mxf4 | .scale_vec::1X;
        needs 8.7 sm_100a sm_103a sm_107a sm_110a for .kind::mxf4nvf4;
        needs 8.8 sm_100a sm_103a sm_107a sm_110a for .block16;
        needs 8.6 sm_100a sm_110a for .kind::i8;
        needs sm_100f for scale-input-d & .kind::f16 | .kind::tf32;
        needs 8.8 for .block_scale & !.scale_vec::1X | .scale_vec::2X | .scale_vec::4X;
        never .kind::mxf4 & .block16 | .scale_vec::1X | .scale_vec::4X;
        never .kind::mxf8f6f4 & .block16 | .scale_vec::2X | .scale_vec::4X;
        never .kind::mxf4nvf4 & .scale_vec::1X;
        never .kind::mxf4nvf4 & !.scale_vec::2X | .scale_vec::4X | .block16 | .block32;
        never .ashift & .collector::a::fill | .collector::a::use;
    ";

    /// `tcgen05.mma` where `b` stays in place.
    Tcgen05MmaWs = r"
        tcgen05.mma.ws.cta_group::1@cta_group.kind{.collector_usage}  [d-tmem], a-desc, b-desc, idesc, enable-input-d{, zero-column-mask-desc};
        tcgen05.mma.ws.cta_group::1@cta_group.kind{.collector_usage}  [d-tmem], [a-tmem], b-desc, idesc, enable-input-d{, zero-column-mask-desc};
        .cta_group: CtaGroup = { .cta_group::1 };
        .kind: MmaKind = { .kind::f16, .kind::tf32, .kind::f8f6f4, .kind::i8 };
        .collector_usage: CollectorUsage = { .collector::b[0..3/1]::fill, .collector::b[0..3/1]::use, .collector::b[0..3/1]::lastuse, .collector::b[0..3/1]::discard };
        writes = ;
        types * =;
        needs 8.6 sm_100f sm_110f;
        needs 8.6 sm_100a sm_110a for .kind::i8;
    ";

    /// `tcgen05.mma.ws` where `a` is sparse.
    Tcgen05MmaWsSp = r"
        tcgen05.mma.ws.sp.cta_group::1@cta_group.kind{.collector_usage}  [d-tmem], a-desc, b-desc, [sp-meta-tmem], idesc, enable-input-d{, zero-column-mask-desc};
        tcgen05.mma.ws.sp.cta_group::1@cta_group.kind{.collector_usage}  [d-tmem], [a-tmem], b-desc, [sp-meta-tmem], idesc, enable-input-d{, zero-column-mask-desc};
        .cta_group: CtaGroup = { .cta_group::1 };
        .kind: MmaKind = { .kind::f16, .kind::tf32, .kind::f8f6f4, .kind::i8 };
        .collector_usage: CollectorUsage = { .collector::b[0..3/1]::fill, .collector::b[0..3/1]::use, .collector::b[0..3/1]::lastuse, .collector::b[0..3/1]::discard };
        writes = ;
        types * =;
        needs 8.6 sm_100f sm_110f;
        needs 8.6 sm_100a sm_110a for .kind::i8;
    ";
}
