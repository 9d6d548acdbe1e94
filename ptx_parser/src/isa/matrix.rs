//! Matrix instructions of a warp.

use super::prelude::*;

isa! {
    /// Loads the fragment of a matrix.
    WmmaLoad = r"
        wmma.load.factor@matrix.sync.aligned.layout.shape{.ss}.atype@type_ r, [p]{, stride};
        wmma.load.c@matrix.sync.aligned.layout.shape{.ss}.ctype@type_ r, [p]{, stride};
        .shape: MatrixShape = { .m16n16k16, .m8n32k16, .m32n8k16 };
        .atype = { .f16, .bf16, .s8, .u8 };
        .ctype = { .f16, .f32, .s32 };
        ---
        wmma.load.factor@matrix.sync.aligned.layout.shape{.ss}.atype@type_ r, [p]{, stride};
        wmma.load.c@matrix.sync.aligned.layout.shape{.ss}.ctype@type_ r, [p]{, stride};
        .shape: MatrixShape = { .m16n16k8 };
        .atype = { .tf32 };
        .ctype = { .f32 };
        ---
        wmma.load.factor@matrix.sync.aligned.layout.shape{.ss}.atype@type_ r, [p]{, stride};
        wmma.load.c@matrix.sync.aligned.layout.shape{.ss}.ctype@type_ r, [p]{, stride};
        .shape: MatrixShape = { .m8n8k4 };
        .atype = { .f64 };
        .ctype = { .f64 };
        ---
        wmma.load.factor@matrix.sync.aligned.layout.shape{.ss}.atype@type_ r, [p]{, stride};
        wmma.load.c@matrix.sync.aligned.layout.shape{.ss}.ctype@type_ r, [p]{, stride};
        .shape: MatrixShape = { .m8n8k32 };
        .atype = { .s4, .u4 };
        .ctype = { .s32 };
        ---
        wmma.load.factor@matrix.sync.aligned.layout.shape{.ss}.atype@type_ r, [p]{, stride};
        wmma.load.c@matrix.sync.aligned.layout.shape{.ss}.ctype@type_ r, [p]{, stride};
        .shape: MatrixShape = { .m8n8k128 };
        .atype = { .b1 };
        .ctype = { .s32 };
        .factor: WmmaMatrix = { .a, .b };
        .layout: Layout = { .row, .col };
        .ss: StateSpace = { .global, .shared, .shared::cta };
        writes = r;
        types p = type_, stride = .u32, * =;
        needs 7.8 for .shared::cta;
        needs 7.0 sm_80 for .bf16 | .f64 | .m16n16k8;
        never .a & .col & .m8n8k32 | .m8n8k128;
        never .b & .row & .m8n8k32 | .m8n8k128;
        name matrix;
    ";

    /// Stores the fragment of a result.
    WmmaStore = r"
        wmma.store.d.sync.aligned.layout.shape{.ss}.type [p], r{, stride};
        .layout: Layout = { .row, .col };
        .ss: StateSpace = { .global, .shared, .shared::cta };
        .shape: MatrixShape = { .m16n16k16, .m8n32k16, .m32n8k16 };
        .type = { .f16, .f32, .s32 };
        ---
        wmma.store.d.sync.aligned.layout.shape{.ss}.type [p], r{, stride};
        .shape: MatrixShape = { .m8n8k32, .m8n8k128 };
        .type = { .s32 };
        ---
        wmma.store.d.sync.aligned.layout.shape{.ss}.type [p], r{, stride};
        .shape: MatrixShape = { .m16n16k8 };
        .type = { .f32 };
        ---
        wmma.store.d.sync.aligned.layout.shape{.ss}.type [p], r{, stride};
        .shape: MatrixShape = { .m8n8k4 };
        .type = { .f64 };
        ignored .tf32 .u4 .s4 .b1;
        writes = ;
        types p = type_, stride = .u32, * =;
        needs 7.8 for .shared::cta;
        needs 7.0 sm_80 for .f64 | .m16n16k8;
    ";

    /// `d = a * b + c` on fragments. Without `atype` and `btype` both are `.f16`.
    WmmaMma = r"
        wmma.mma.sync.aligned.alayout.blayout.shape.dtype.ctype d, a, b, c;
        .alayout = .blayout: Layout = { .row, .col };
        .shape: MatrixShape = { .m16n16k16, .m8n32k16, .m32n8k16 };
        .dtype = .ctype = { .f16, .f32 };
        ---
        wmma.mma.sync.aligned.alayout.blayout.shape.s32@dtype.atype.btype.s32@ctype{.satfinite} d, a, b, c;
        .atype = .btype = { .s8, .u8 };
        ---
        wmma.mma.sync.aligned.alayout.blayout.shape.f32@dtype.bf16@atype.bf16@btype.f32@ctype d, a, b, c;
        ---
        wmma.mma.sync.aligned.alayout.blayout.shape.f32@dtype.tf32@atype.tf32@btype.f32@ctype d, a, b, c;
        .shape: MatrixShape = { .m16n16k8 };
        ---
        wmma.mma.sync.aligned.alayout.blayout.shape{.rnd}.f64@dtype.f64@atype.f64@btype.f64@ctype d, a, b, c;
        .shape: MatrixShape = { .m8n8k4 };
        .rnd: Rounding = { .rn, .rz, .rm, .rp };
        ---
        wmma.mma.sync.aligned.row@alayout.col@blayout.shape.s32@dtype.atype.btype.s32@ctype{.satfinite} d, a, b, c;
        .shape: MatrixShape = { .m8n8k32 };
        .atype = .btype = { .s4, .u4 };
        ---
        wmma.mma.op.popc.sync.aligned.row@alayout.col@blayout.shape.s32@dtype.b1@atype.b1@btype.s32@ctype d, a, b, c;
        .shape: MatrixShape = { .m8n8k128 };
        .op: BoolOp = { .xor, .and };
        types * =;
        needs 7.0 sm_80 for .m16n16k8 | .m8n8k4 | atype.bf16;
        needs 7.1 sm_80 for .and;
        never atype.s8 & btype.u8;
        never atype.u8 & btype.s8;
        never atype.s4 & btype.u4;
        never atype.u4 & btype.s4;
    ";

    /// `d = a * b + c` on registers of a warp.
    Mma = r"
        mma.sync.aligned.m8n8k4@shape.alayout.blayout.dtype.f16@atype.f16@btype.ctype  d, a, b, c;
        mma.sync.aligned.shape.row@alayout.col@blayout.dtype.f16@atype.f16@btype.ctype  d, a, b, c;
        .alayout = .blayout: Layout = { .row, .col };
        .shape: MatrixShape = { .m16n8k8, .m16n8k16 };
        .dtype = .ctype = { .f16, .f32 };
        ---
        mma.sync.aligned.shape.row@alayout.col@blayout.f32@dtype.atype.btype.f32@ctype  d, a, b, c;
        .shape: MatrixShape = { .m16n8k4, .m16n8k8 };
        .atype = .btype = { .tf32 };
        ---
        mma.sync.aligned.shape.row@alayout.col@blayout.f32@dtype.atype.btype.f32@ctype  d, a, b, c;
        .shape: MatrixShape = { .m16n8k8, .m16n8k16 };
        .atype = .btype = { .bf16 };
        ---
        mma.sync.aligned.shape.row@alayout.col@blayout.dtype.atype.btype.ctype  d, a, b, c;
        .shape: MatrixShape = { .m16n8k16, .m16n8k32 };
        .atype = .btype = { .e4m3, .e5m2 };
        .dtype = .ctype = { .f16, .f32 };
        ---
        mma.sync.aligned.m16n8k32@shape.row@alayout.col@blayout.kind.dtype.atype.btype.ctype d, a, b, c;
        .kind: MmaKind = { .kind::f8f6f4 };
        .atype = .btype = { .e4m3, .e5m2, .e3m2, .e2m3, .e2m1 };
        .dtype = .ctype = { .f16, .f32 };
        ---
        mma.sync.aligned.m16n8k64@shape.row@alayout.col@blayout.kind.block_scale{.scale_vec_size}.f32@dtype.e2m1@atype.e2m1@btype.f32@ctype.stype d, a, b, c, scale-a-data, selector-a, scale-b-data, selector-b;
        .kind: MmaKind = { .kind::mxf4 };
        .scale_vec_size: ScaleVecSize = { .scale_vec::2X };
        .stype = { .ue8m0 };
        ---
        mma.sync.aligned.m16n8k64@shape.row@alayout.col@blayout.kind.block_scale.scale_vec_size.f32@dtype.e2m1@atype.e2m1@btype.f32@ctype.stype d, a, b, c, scale-a-data, selector-a, scale-b-data, selector-b;
        .kind: MmaKind = { .kind::mxf4nvf4 };
        .scale_vec_size: ScaleVecSize = { .scale_vec::2X, .scale_vec::4X };
        .stype = { .ue8m0, .ue4m3 };
        ---
        mma.sync.aligned.m16n8k32@shape.row@alayout.col@blayout.kind.block_scale{.scale_vec_size}.f32@dtype.atype.btype.f32@ctype.stype d, a, b, c, scale-a-data, selector-a, scale-b-data, selector-b;
        .kind: MmaKind = { .kind::mxf8f6f4 };
        .scale_vec_size: ScaleVecSize = { .scale_vec::1X };
        .atype = .btype = { .e4m3, .e5m2, .e3m2, .e2m3, .e2m1 };
        .stype = { .ue8m0 };
        ---
        mma.sync.aligned.shape.row@alayout.col@blayout{.rnd}.f64@dtype.f64@atype.f64@btype.f64@ctype d, a, b, c;
        .shape: MatrixShape = { .m8n8k4, .m16n8k4, .m16n8k8, .m16n8k16 };
        .rnd: Rounding = { .rn, .rz, .rm, .rp };
        ---
        mma.sync.aligned.shape.row@alayout.col@blayout{.satfinite}.s32@dtype.atype.btype.s32@ctype d, a, b, c;
        .shape: MatrixShape = { .m8n8k16, .m16n8k16, .m16n8k32 };
        .atype = .btype = { .u8, .s8 };
        ---
        mma.sync.aligned.shape.row@alayout.col@blayout{.satfinite}.s32@dtype.atype.btype.s32@ctype d, a, b, c;
        .shape: MatrixShape = { .m8n8k32, .m16n8k32, .m16n8k64 };
        .atype = .btype = { .u4, .s4 };
        ---
        mma.sync.aligned.shape.row@alayout.col@blayout.s32@dtype.b1@atype.b1@btype.s32@ctype.bitOp.popc d, a, b, c;
        .bitOp: BoolOp = { .xor, .and };
        .shape: MatrixShape = { .m8n8k128, .m16n8k128, .m16n8k256 };
        types * =;
        ignored .bf16 .tf32 .u2 .s2 .u4 .s4 .b1;
        needs 6.4;
        needs 6.5 for .m16n8k8 | ctype.s32;
        needs 7.0 for .popc;
        needs 7.0 sm_80 for .m16n8k128 | .m16n8k16 | .m16n8k256 | .m16n8k32 | .m16n8k64 | atype.bf16 | atype.f64
            | atype.tf32;
        needs 7.1 sm_80 for .and;
        needs 8.4 sm_89 for atype.e4m3 | atype.e5m2;
        needs 8.6 sm_100f sm_110f sm_120f for .kind::f8f6f4;
        needs 8.7 sm_120f for .block_scale | atype.e2m1 | atype.e2m3 | atype.e3m2 | btype.e2m1 | btype.e2m3 |
            btype.e3m2;
        needs 8.7 sm_89 for atype.e4m3 & .m16n8k16 | ctype.f16;
        needs 8.7 sm_89 for atype.e5m2 & .m16n8k16 | ctype.f16;
        needs 7.8 sm_90 for atype.f64 & .m16n8k16 | .m16n8k4 | .m16n8k8;
        never dtype.f16 & ctype.f32;
        never !.m8n8k4 & dtype.f32 & ctype.f16;
        never .scale_vec::2X & stype.ue4m3;
        needs 9.1 for .kind::mxf4nvf4 & .scale_vec::4X & stype.ue8m0;
    ";

    /// `mma` where `a` is sparse: `e` is its metadata, `f` selects the threads that give it.
    MmaSp = r"
        mma.spvariant.sync.aligned.shape.row.col.dtype.f16@atype.f16@btype.ctype  d, a, b, c, e, f;
        .spvariant: SparseVariant = { .sp, .sp::ordered_metadata };
        .shape: MatrixShape = { .m16n8k16, .m16n8k32 };
        .dtype = .ctype = { .f16, .f32 };
        ---
        mma.spvariant.sync.aligned.shape.row.col.f32@dtype.bf16@atype.bf16@btype.f32@ctype     d, a, b, c, e, f;
        .shape: MatrixShape = { .m16n8k16, .m16n8k32 };
        ---
        mma.spvariant.sync.aligned.shape.row.col.f32@dtype.tf32@atype.tf32@btype.f32@ctype     d, a, b, c, e, f;
        .shape: MatrixShape = { .m16n8k8, .m16n8k16 };
        ---
        mma.spvariant.sync.aligned.m16n8k64@shape.row.col{.kind}.dtype.atype.btype.ctype d, a, b, c, e, f;
        .kind: MmaKind = { .kind::f8f6f4 };
        .atype = .btype = { .e4m3, .e5m2, .e3m2, .e2m3, .e2m1 };
        .dtype = .ctype = { .f16, .f32 };
        ---
        mma.spvariant.sync.aligned.m16n8k128@shape.row.col.kind.block_scale{.scale_vec_size}.f32@dtype.e2m1@atype.e2m1@btype.f32@ctype.stype d, a, b, c, e, f, scale-a-data, selector-a, scale-b-data, selector-b;
        .kind: MmaKind = { .kind::mxf4, .kind::mxf4nvf4 };
        .scale_vec_size: ScaleVecSize = { .scale_vec::2X, .scale_vec::4X };
        .stype = { .ue8m0, .ue4m3 };
        ---
        mma.spvariant.sync.aligned.m16n8k64@shape.row.col.kind.block_scale{.scale_vec_size}.f32@dtype.atype.btype.f32@ctype.stype d, a, b, c, e, f, scale-a-data, selector-a, scale-b-data, selector-b;
        .kind: MmaKind = { .kind::mxf8f6f4 };
        .scale_vec_size: ScaleVecSize = { .scale_vec::1X };
        .atype = .btype = { .e4m3, .e5m2, .e3m2, .e2m3, .e2m1 };
        .stype = { .ue8m0 };
        ---
        mma.spvariant.sync.aligned.shape.row.col{.satfinite}.s32@dtype.atype.btype.s32@ctype d, a, b, c, e, f;
        .shape: MatrixShape = { .m16n8k32, .m16n8k64 };
        .atype = .btype = { .u8, .s8 };
        ---
        mma.spvariant.sync.aligned.shape.row.col{.satfinite}.s32@dtype.atype.btype.s32@ctype d, a, b, c, e, f;
        .shape: MatrixShape = { .m16n8k64, .m16n8k128 };
        .atype = .btype = { .u4, .s4 };
        types * =;
        constants f = 0..3 for .m16n8k16 & atype.f16 | atype.bf16, f = 0..3 for .m16n8k8, f = 0 for .m16n8k128,
            f = 0 | 1 for .m16n8k64 & atype.u4 | atype.s4, f = 0 for .m16n8k64, f = 0 | 1;
        needs 7.1 sm_80;
        needs 8.5 sm_80 for .sp::ordered_metadata;
        needs 8.4 sm_89 for atype.e4m3 | atype.e5m2;
        needs 8.6 sm_100f sm_110f sm_120f for .kind::f8f6f4;
        needs 8.7 sm_120f for .block_scale | atype.e2m1 | atype.e2m3 | atype.e3m2 | btype.e2m1 | btype.e2m3 |
            btype.e3m2;
        needs 8.7 sm_120a sm_121a for .kind::mxf4 | .kind::mxf4nvf4;
        needs 8.7 sm_120f for .m16n8k64 & ctype.f16;
        never .sp & .block_scale | .kind::f8f6f4;
        never !.block_scale | .kind::f8f6f4 & atype.e2m1 | atype.e2m3 | atype.e3m2 | btype.e2m1 | btype.e2m3 |
            btype.e3m2;
        never dtype.f32 & ctype.f16;
        never dtype.f16 & ctype.f32;
        never stype.ue4m3 & .kind::mxf4 | .scale_vec::2X;
        needs 9.1 for .scale_vec::4X & stype.ue8m0;
        never .sp & .m16n8k64 & ctype.f16;
        never .kind::mxf4nvf4 & !.scale_vec::2X | .scale_vec::4X;
    ";

    /// Loads 8x8 (or 16x16, 8x16) matrices from shared memory.
    Ldmatrix = r"
        ldmatrix.sync.aligned.shape.num{.trans}{.ss}.type r, [p];
        ldmatrix.sync.aligned.m8n16@shape.num{.ss}.dst_fmt.src_fmt        r, [p];
        ldmatrix.sync.aligned.m16n16@shape.num.trans{.ss}.dst_fmt.src_fmt r, [p];
        .shape: TileShape = { .m8n8, .m16n16 };
        .num: TileCount = { .x1, .x2, .x4 };
        .ss: StateSpace = { .shared, .shared::cta };
        .type = { .b16, .b8 };
        .dst_fmt = { .b8x16 };
        .src_fmt = { .b6x16_p32, .b4x16_p64 };
        ---
        ldmatrix.sync.aligned.m8n16@shape.num{.ss}.s8@dst_fmt.s4@src_fmt  r, [p];
        writes = r;
        types p = type_, r = .b32;
        needs 6.5;
        needs 7.8 for .shared::cta;
        needs 8.6 sm_100f sm_110f sm_120f for .b8x16 | .m16n16;
        needs 9.4 sm_90a sm_100f sm_110f sm_120f for .s8;
        never .m16n16 & .b16 | .x4;
        never .m16n16 & !.trans;
        never .m8n8 & .b8;
        ignored .row .col;
    ";

    /// Stores 8x8 (or 16x8) matrices to shared memory.
    Stmatrix = r"
        stmatrix.sync.aligned.shape.num{.trans}{.ss}.type [p], r;
        .shape: TileShape = { .m8n8, .m16n8 };
        .num: TileCount = { .x1, .x2, .x4 };
        .ss: StateSpace = { .shared, .shared::cta };
        .type = { .b16, .b8 };
        writes = ;
        types p = type_, r = .b32;
        needs 7.8 sm_90;
        needs 8.6 sm_100f sm_110f sm_120f for .b8;
        never .m8n8 & .b8;
        never .m16n8 & .b16;
        never .m16n8 & !.trans;
        ignored .row .col;
    ";

    /// Transposes an 8x8 matrix in registers.
    Movmatrix = r"
        movmatrix.sync.aligned.m8n8.trans.b16 d, a;
        types d a = .b32;
        ignored .bf16 .tf32 .u2 .s2 .u4 .s4 .b1 .row .col;
        needs 7.8;
    ";
}
