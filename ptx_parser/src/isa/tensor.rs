//! Copies of tensors, and the maps that describe them.

use super::prelude::*;

isa! {
    /// Copies a box of a tensor.
    CpAsyncBulkTensor = r"
        cp.async.bulk.tensor.dim.dst.src{.load_mode}.mbarrier::complete_tx::bytes{.cta_group}{.level::cache_hint} [dstMem], [tensorMap, tensorCoords], [mbar]{, im2colInfo}{, cache-policy};
        cp.async.bulk.tensor.dim.shared::cluster@dst.src{.load_mode}.mbarrier::complete_tx::bytes.multicast::cluster{.cta_group}{.level::cache_hint} [dstMem], [tensorMap, tensorCoords], [mbar], ctaMask{, cache-policy};
        cp.async.bulk.tensor.dim.shared::cluster@dst.src{.load_mode}.mbarrier::complete_tx::bytes.multicast::cluster{.cta_group}{.level::cache_hint} [dstMem], [tensorMap, tensorCoords], [mbar], im2colInfo, ctaMask{, cache-policy};
        .dst: StateSpace = { .shared::cta, .shared::cluster };
        .src: StateSpace = { .global };
        .dim: Geometry = { .1d, .2d, .3d, .4d, .5d };
        .cta_group: CtaGroup = { .cta_group::1, .cta_group::2 };
        .load_mode: TensorMode = { .tile, .tile::gather4, .im2col, .im2col::w, .im2col::w::128 };
        .level::cache_hint = { .L2::cache_hint };
        ---
        cp.async.bulk.tensor.dim.dst.src{.load_mode}.bulk_group{.level::cache_hint} [tensorMap, tensorCoords], [srcMem]{, cache-policy};
        .dst: StateSpace = { .global };
        .src: StateSpace = { .shared::cta };
        .load_mode: TensorMode = { .tile, .tile::scatter4, .im2col_no_offs };
        .level::cache_hint = { .L2::cache_hint };
        types * =;
        spaces dst-mem = dst, src-mem = .shared, mbar = .shared;
        needs 8.0 sm_90;
        needs 8.6 sm_100 for .im2col::w | .tile::gather4;
        needs 8.6 sm_100f sm_110f for .cta_group::1 | .cta_group::2 | .im2col::w::128 | .tile::scatter4;
        needs 8.6 sm_100f sm_110f for .shared::cluster & .im2col::w | .tile::gather4;
        needs 8.6 for dst.shared::cta;
        never .1d | .2d & .im2col | .im2col::w | .im2col::w::128 | .im2col_no_offs;
        never im2colInfo & !.im2col | .im2col::w | .im2col::w::128;
        never .im2col | .im2col::w | .im2col::w::128 & !im2colInfo;
        never .tile::gather4 | .tile::scatter4 & !.2d;
    ";

    /// Brings a box of a tensor to L2.
    CpAsyncBulkPrefetchTensor = r"
        cp.async.bulk.prefetch.tensor.dim.L2.global{.load_mode}{.level::cache_hint} [tensorMap, tensorCoords]{, im2colInfo}{, cache-policy};
        .dim: Geometry = { .1d, .2d, .3d, .4d, .5d };
        .load_mode: TensorMode = { .tile, .tile::gather4, .im2col, .im2col::w, .im2col::w::128 };
        .level::cache_hint = { .L2::cache_hint };
        types * =;
        needs 8.0 sm_90;
        needs 8.6 sm_100f sm_110f for .im2col::w | .im2col::w::128 | .tile::gather4;
        never .1d | .2d & .im2col | .im2col::w | .im2col::w::128;
        never im2colInfo & !.im2col | .im2col::w | .im2col::w::128;
        never .im2col | .im2col::w | .im2col::w::128 & !im2colInfo;
        never .tile::gather4 & !.2d;
    ";

    /// Reduces into a box of a tensor.
    CpReduceAsyncBulkTensor = r"
        cp.reduce.async.bulk.tensor.dim.global.shared::cta.redOp{.load_mode}.bulk_group{.level::cache_hint} [tensorMap, tensorCoords], [srcMem]{, cache-policy};
        .dim: Geometry = { .1d, .2d, .3d, .4d, .5d };
        .load_mode: TensorMode = { .tile, .im2col_no_offs };
        .redOp: AtomicOp = { .add, .min, .max, .inc, .dec, .and, .or, .xor };
        .level::cache_hint = { .L2::cache_hint };
        types * =;
        spaces src-mem = .shared;
        needs 8.0 sm_90;
        never .im2col_no_offs & .1d | .2d;
    ";

    /// Changes a field of a tensor map.
    TensormapReplace = r"
        tensormap.replace.tile.field{.ss}.b1024@tensor.type  [addr], new_val;
        .field: TensormapField = { .global_address, .rank, .elemtype, .interleave_layout, .swizzle_mode,
                                   .swizzle_atomicity, .fill_mode };
        .ss: StateSpace = { .global, .shared::cta };
        .type = { .b32, .b64 };
        ---
        tensormap.replace.tile.field{.ss}.b1024@tensor.type  [addr], ord, new_val;
        .field: TensormapField = { .box_dim, .global_dim, .global_stride, .element_stride };
        types addr = , ord = .u32, new_val = type_;
        constants ord = 0..4, new-val = 0..12 for .elemtype, new-val = 0..2 for .interleave_layout,
            new-val = 0..3 for .swizzle_mode | .swizzle_atomicity, new-val = 0 | 1 for .fill_mode;
        needs 8.3 sm_90a sm_100f sm_110f sm_120f;
        needs 8.6 sm_100f sm_110f sm_120f for .swizzle_atomicity;
        never .b32 & .global_address | .global_stride;
        never .b64 & .rank | .box_dim | .element_stride | .global_dim;
        never .elemtype | .interleave_layout | .swizzle_mode | .swizzle_atomicity | .fill_mode & .b64;
        never .elemtype | .interleave_layout | .swizzle_mode | .swizzle_atomicity | .fill_mode &
            !new_val:immediate;
    ";

    /// Whether a tensor map is of the class of large allocations.
    TensormapQuery = r"
        tensormap.query.alloc_class_large{.global}.b1024@tensor  p, [addr];
        types p = .pred, * =;
        needs 9.5 sm_90a sm_100f sm_110f sm_120f;
    ";

    /// Copies a tensor map from shared to global memory, with a fence.
    TensormapCpFenceproxy = r"
        tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.scope.sync.aligned  [dst], [src], size;
        .scope: Scope = { .cta, .cluster, .gpu, .sys };
        types * =;
        constants size = 128;
        spaces dst = .global, src = .shared;
        needs 8.3 sm_90;
    ";
}
