//! Matrix instructions of four warps.

use super::prelude::*;

isa! {
    /// Starts `d = a * b + d`; `a` is in registers or described by `a_desc`.
    WgmmaMmaAsync = r"
        wgmma.mma_async.sync{.aligned}.shape.dtype.f16@atype.f16@btype  d, a-desc, b-desc, scale-d, imm-scale-a, imm-scale-b, imm-trans-a, imm-trans-b;
        wgmma.mma_async.sync{.aligned}.shape.dtype.f16@atype.f16@btype  d, <a>, b-desc, scale-d, imm-scale-a, imm-scale-b, imm-trans-b;
        .shape: WgmmaShape = { .m64n[8..256/8]k16 };
        .dtype = { .f16, .f32 };
        ---
        wgmma.mma_async.sync{.aligned}.shape.f32@dtype.bf16@atype.bf16@btype  d, a-desc, b-desc, scale-d, imm-scale-a, imm-scale-b, imm-trans-a, imm-trans-b;
        wgmma.mma_async.sync{.aligned}.shape.f32@dtype.bf16@atype.bf16@btype  d, <a>, b-desc, scale-d, imm-scale-a, imm-scale-b, imm-trans-b;
        .shape: WgmmaShape = { .m64n[8..256/8]k16 };
        ---
        wgmma.mma_async.sync{.aligned}.shape.f32@dtype.tf32@atype.tf32@btype  d, a-desc, b-desc, scale-d, imm-scale-a, imm-scale-b;
        wgmma.mma_async.sync{.aligned}.shape.f32@dtype.tf32@atype.tf32@btype  d, <a>, b-desc, scale-d, imm-scale-a, imm-scale-b;
        .shape: WgmmaShape = { .m64n[8..256/8]k8 };
        ---
        wgmma.mma_async.sync{.aligned}.shape.dtype.atype.btype  d, a-desc, b-desc, scale-d, imm-scale-a, imm-scale-b;
        wgmma.mma_async.sync{.aligned}.shape.dtype.atype.btype  d, <a>, b-desc, scale-d, imm-scale-a, imm-scale-b;
        .shape: WgmmaShape = { .m64n[8..256/8]k32 };
        .atype = .btype = { .e4m3, .e5m2 };
        .dtype = { .f16, .f32 };
        ---
        wgmma.mma_async.sync{.aligned}.shape{.satfinite}.s32@dtype.atype.btype  d, a-desc, b-desc, scale-d;
        wgmma.mma_async.sync{.aligned}.shape{.satfinite}.s32@dtype.atype.btype  d, <a>, b-desc, scale-d;
        .shape: WgmmaShape = { .m64n[8..32/8]k32, .m64n[48..256/16]k32 };
        .atype = .btype = { .s8, .u8 };
        ---
        wgmma.mma_async.sync{.aligned}.shape.s32@dtype.b1@atype.b1@btype.and.popc  d, a-desc, b-desc, scale-d;
        wgmma.mma_async.sync{.aligned}.shape.s32@dtype.b1@atype.b1@btype.and.popc  d, <a>, b-desc, scale-d;
        .shape: WgmmaShape = { .m64n[8..32/8]k256, .m64n[48..256/16]k256 };
        types * =;
        constants imm-scale-a imm-scale-b = -1 | 1, imm-trans-a imm-trans-b = 0 | 1, scale-d? = 0 | 1;
        needs 8.0 sm_90a;
        needs 8.4 sm_90a for atype.u8 & btype.s8;
        needs 8.4 sm_90a for atype.s8 & btype.u8;
        ignored .row .col;
    ";

    /// `wgmma.mma_async` where `a` is sparse.
    WgmmaMmaAsyncSp = r"
        wgmma.mma_async.sp.sync{.aligned}.shape.dtype.f16@atype.f16@btype  d, a-desc, b-desc, sp-meta, sp-sel, scale-d, imm-scale-a, imm-scale-b, imm-trans-a, imm-trans-b;
        wgmma.mma_async.sp.sync{.aligned}.shape.dtype.f16@atype.f16@btype  d, <a>, b-desc, sp-meta, sp-sel, scale-d, imm-scale-a, imm-scale-b, imm-trans-b;
        .shape: WgmmaShape = { .m64n[8..256/8]k32 };
        .dtype = { .f16, .f32 };
        ---
        wgmma.mma_async.sp.sync{.aligned}.shape.f32@dtype.bf16@atype.bf16@btype  d, a-desc, b-desc, sp-meta, sp-sel, scale-d, imm-scale-a, imm-scale-b, imm-trans-a, imm-trans-b;
        wgmma.mma_async.sp.sync{.aligned}.shape.f32@dtype.bf16@atype.bf16@btype  d, <a>, b-desc, sp-meta, sp-sel, scale-d, imm-scale-a, imm-scale-b, imm-trans-b;
        .shape: WgmmaShape = { .m64n[8..256/8]k32 };
        ---
        wgmma.mma_async.sp.sync{.aligned}.shape.f32@dtype.tf32@atype.tf32@btype  d, a-desc, b-desc, sp-meta, sp-sel, scale-d, imm-scale-a, imm-scale-b;
        wgmma.mma_async.sp.sync{.aligned}.shape.f32@dtype.tf32@atype.tf32@btype  d, <a>, b-desc, sp-meta, sp-sel, scale-d, imm-scale-a, imm-scale-b;
        .shape: WgmmaShape = { .m64n[8..256/8]k16 };
        ---
        wgmma.mma_async.sp.sync{.aligned}.shape.dtype.atype.btype  d, a-desc, b-desc, sp-meta, sp-sel, scale-d, imm-scale-a, imm-scale-b;
        wgmma.mma_async.sp.sync{.aligned}.shape.dtype.atype.btype  d, <a>, b-desc, sp-meta, sp-sel, scale-d, imm-scale-a, imm-scale-b;
        .shape: WgmmaShape = { .m64n[8..256/8]k64 };
        .atype = .btype = { .e4m3, .e5m2 };
        .dtype = { .f16, .f32 };
        ---
        wgmma.mma_async.sp.sync{.aligned}.shape{.satfinite}.s32@dtype.atype.btype  d, a-desc, b-desc, sp-meta, sp-sel, scale-d;
        wgmma.mma_async.sp.sync{.aligned}.shape{.satfinite}.s32@dtype.atype.btype  d, <a>, b-desc, sp-meta, sp-sel, scale-d;
        .shape: WgmmaShape = { .m64n[8..32/8]k64, .m64n[48..256/16]k64 };
        .atype = .btype = { .s8, .u8 };
        types * =;
        constants imm-scale-a imm-scale-b = -1 | 1, imm-trans-a imm-trans-b = 0 | 1, scale-d? = 0 | 1, sp-sel = 0 for atype.e4m3 | atype.e5m2 | atype.s8 | atype.u8,
            sp-sel = 0 | 1;
        needs 8.2 sm_90a;
        needs 8.4 sm_90a for atype.u8 & btype.s8;
        needs 8.4 sm_90a for atype.s8 & btype.u8;
        ignored .row .col;
    ";

    /// Orders accesses to the registers of `wgmma.mma_async`.
    WgmmaFence = r"
        wgmma.fence.sync{.aligned};
        needs 8.0 sm_90a;
    ";

    /// Ends a group of `wgmma.mma_async`.
    WgmmaCommitGroup = r"
        wgmma.commit_group.sync{.aligned};
        needs 8.0 sm_90a;
    ";

    /// Waits until at most `n` groups are pending.
    WgmmaWaitGroup = r"
        wgmma.wait_group.sync{.aligned} n;
        types * =;
        constants n = 0..;
        needs 8.0 sm_90a;
    ";
}
