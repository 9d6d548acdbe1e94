//! Atomic operations and fences.

use super::prelude::*;

isa! {
    /// Atomic read, change and write; `d` is the old value. `sem` without a word is `.relaxed`.
    Atom = r"
        atom{.sem}{.scope}{.space}.bitop@op{.level::cache_hint}.bits d, [a], b{, cache-policy};
        atom{.sem}{.scope}{.space}.add@op{.level::cache_hint}.addtype d, [a], b{, cache-policy};
        atom{.sem}{.scope}{.space}.countop@op{.level::cache_hint}.u32 d, [a], b{, cache-policy};
        atom{.sem}{.scope}{.space}.minmax@op{.level::cache_hint}.mintype d, [a], b{, cache-policy};
        atom{.sem}{.scope}{.space}.add@op.noftz{.level::cache_hint}.halftype d, [a], b{, cache-policy};
        atom{.sem}{.scope}{.space}.add@op.noftz{.level::cache_hint}.f32 d, [a], b{, cache-policy};
        atom{.sem}{.scope}{.space}.exch@op{.level::cache_hint}.b128 d, [a], b{, cache-policy};
        atom{.sem}{.scope}{.space}.cas@op.castype d, [a], b, c;
        atom{.sem}{.scope}{.space}.bitop@op.b32@type_ d, [a], b, c;
        .castype@type_ = { .b16, .b32, .b64, .b128 };
        .space: StateSpace = { .global, .shared, .shared::cta, .shared::cluster };
        .sem: Semantics = { .relaxed, .acquire, .release, .acq_rel };
        .scope: Scope = { .cta, .cluster, .gpu, .sys };
        .bitop: AtomicOp = { .and, .or, .xor, .exch };
        .countop: AtomicOp = { .inc, .dec };
        .minmax: AtomicOp = { .min, .max };
        .bits@type_ = { .b32, .b64 };
        .addtype@type_ = { .u32, .s32, .u64, .f32, .f64 };
        .mintype@type_ = { .u32, .s32, .u64, .s64 };
        .halftype@type_ = { .f16, .f16x2, .bf16, .bf16x2 };
        .level::cache_hint = { .L2::cache_hint };
        ---
        atom{.sem}{.scope}{.global@space}.add@op{.noftz}{.level::cache_hint}.vec_32_bit@vec.f32  d, [a], b{, cache-policy};
        atom{.sem}{.scope}{.global@space}.op.noftz{.level::cache_hint}.vec_16_bit@vec.half_word_type@type_  d, [a], b{, cache-policy};
        atom{.sem}{.scope}{.global@space}.op.noftz{.level::cache_hint}.vec_32_bit@vec.packed_type@type_  d, [a], b{, cache-policy};
        .op: AtomicOp = { .add, .min, .max };
        .half_word_type = { .f16, .bf16 };
        .packed_type = { .f16x2, .bf16x2 };
        .vec_16_bit: VectorSize = { .v2, .v4, .v8 };
        .vec_32_bit: VectorSize = { .v2, .v4 };
        .level::cache_hint = { .L2::cache_hint };
        needs 7.8 for .shared::cta;
        needs 7.4 sm_80 for .L2::cache_hint;
        needs 7.8 sm_90 for .bf16 | .bf16x2 | .cluster | .shared::cluster;
        needs 8.1 sm_90 for .v2 | .v4 | .v8;
        needs 8.3 sm_90 for .b128;
        needs 8.4 sm_90 for .b128 & .sys;
        needs 9.4 sm_90 for .noftz & .f32;
        never .L2::cache_hint & .shared | .shared::cta | .shared::cluster;
    ";

    /// Atomic change without a result.
    Red = r"
        red{.sem}{.scope}{.space}.bitop@op{.level::cache_hint}.bits [a], b{, cache-policy};
        red{.sem}{.scope}{.space}.add@op{.level::cache_hint}.addtype [a], b{, cache-policy};
        red{.sem}{.scope}{.space}.countop@op{.level::cache_hint}.u32 [a], b{, cache-policy};
        red{.sem}{.scope}{.space}.minmax@op{.level::cache_hint}.mintype [a], b{, cache-policy};
        red{.sem}{.scope}{.space}.add@op.noftz{.level::cache_hint}.halftype [a], b{, cache-policy};
        red{.sem}{.scope}{.space}.add@op.noftz{.level::cache_hint}.f32 [a], b{, cache-policy};
        .space: StateSpace = { .global, .shared, .shared::cta, .shared::cluster };
        .sem: Semantics = { .relaxed, .release };
        .scope: Scope = { .cta, .cluster, .gpu, .sys };
        .bitop: AtomicOp = { .and, .or, .xor };
        .countop: AtomicOp = { .inc, .dec };
        .minmax: AtomicOp = { .min, .max };
        .bits@type_ = { .b32, .b64 };
        .addtype@type_ = { .u32, .s32, .u64, .f32, .f64 };
        .mintype@type_ = { .u32, .s32, .u64, .s64 };
        .halftype@type_ = { .f16, .f16x2, .bf16, .bf16x2 };
        .level::cache_hint = { .L2::cache_hint };
        ---
        red{.sem}{.scope}{.global@space}.add@op{.noftz}{.level::cache_hint}.vec_32_bit@vec.f32  [a], b{, cache-policy};
        red{.sem}{.scope}{.global@space}.op.noftz{.level::cache_hint}.vec_16_bit@vec.half_word_type@type_  [a], b{, cache-policy};
        red{.sem}{.scope}{.global@space}.op.noftz{.level::cache_hint}.vec_32_bit@vec.packed_type@type_  [a], b{, cache-policy};
        .op: AtomicOp = { .add, .min, .max };
        .half_word_type = { .f16, .bf16 };
        .packed_type = { .f16x2, .bf16x2 };
        .vec_16_bit: VectorSize = { .v2, .v4, .v8 };
        .vec_32_bit: VectorSize = { .v2, .v4 };
        .level::cache_hint = { .L2::cache_hint };
        needs 7.8 for .shared::cta;
        needs 7.4 sm_80 for .L2::cache_hint;
        needs 7.8 sm_90 for .bf16 | .bf16x2 | .cluster | .shared::cluster;
        needs 8.1 sm_90 for .v2 | .v4 | .v8;
        needs 9.4 sm_90 for .noftz & .f32;
        never .L2::cache_hint & .shared | .shared::cta | .shared::cluster;
    ";

    /// Atomic change that an mbarrier tracks.
    RedAsync = r"
        red.async.relaxed@sem.cluster@scope{.shared::cluster@ss}.mbarrier::complete_tx::bytes.countop@op.u32 [a], b{, [mbar]};
        red.async.relaxed@sem.cluster@scope{.shared::cluster@ss}.mbarrier::complete_tx::bytes.minmax@op.mintype@type_ [a], b{, [mbar]};
        red.async.relaxed@sem.cluster@scope{.shared::cluster@ss}.mbarrier::complete_tx::bytes.bitop@op.b32 [a], b{, [mbar]};
        red.async.relaxed@sem.cluster@scope{.shared::cluster@ss}.mbarrier::complete_tx::bytes.add@op.addtype@type_ [a], b{, [mbar]};
        .countop: AtomicOp = { .inc, .dec };
        .minmax: AtomicOp = { .min, .max };
        .bitop: AtomicOp = { .and, .or, .xor };
        .mintype = { .u32, .s32 };
        .addtype = { .u32, .s32, .u64, .s64 };
        ---
        red.async{.mmio}.sem.scope{.ss}.add@op.type [a], b{, [mbar]};
        red.async{.mmio}.sem.scope{.ss}.countop@op.u32 [a], b{, [mbar]};
        red.async{.mmio}.sem.scope{.ss}.minmax@op.mintype@type_ [a], b{, [mbar]};
        red.async{.mmio}.sem.scope{.ss}.bitop@op.b32 [a], b{, [mbar]};
        .sem: Semantics = { .release, .relaxed };
        .scope: Scope = { .gpu, .sys };
        .ss: StateSpace = { .global };
        .type = { .u32, .s32, .u64, .s64 };
        types mbar =;
        needs 8.1 sm_90;
        needs 8.7 sm_100 for .release | .mmio | .global;
        never .mmio & .relaxed;
        gone 9.1 sm_90 for .mmio & .gpu;
        gone 9.1 sm_90 for .global & mbar;
    ";

    /// Fence between memory operations, or between proxies. Without `sem` it is `.acq_rel`.
    Fence = r"
        fence{.sem}.scope;
        fence.acquire@sem.sync_restrict::shared::cluster@sync_restrict.cluster@scope;
        fence.release@sem.sync_restrict::shared::cta@sync_restrict.cluster@scope;
        fence.mbarrier_init.release@sem.cluster@scope;
        fence.alias.sync_restrict::read@sync_restrict.release@sem.sys@scope;
        .sem: Semantics = { .sc, .acq_rel, .acquire, .release };
        .scope: Scope = { .cta, .cluster, .gpu, .sys };
        ---
        fence.proxy.proxykind;
        fence.proxy.async@proxykind.space;
        fence.proxy.tensormap::generic@proxykind.release@sem.scope;
        fence.proxy.tensormap::generic@proxykind.acquire@sem.scope  [addr], size;
        fence.proxy.async::generic@proxykind.acquire@sem.sync_restrict::shared::cluster@sync_restrict.cluster@scope;
        fence.proxy.async::generic@proxykind.release@sem.sync_restrict::shared::cta@sync_restrict.cluster@scope;
        fence.proxy.async::generic@proxykind.release@sem.read_restrict@sync_restrict.read_scope@scope;
        fence.proxy.alias@proxykind.sem.sys@scope;
        fence.proxy.fabrickind@proxykind.alias.sem.sys@scope;
        .fabrickind: Proxy = { .generic::fabric, .fabric::generic, .fabric::fabric };
        .read_scope: Scope = { .cta, .cluster };
        .read_restrict: StateSpaceRestriction = { .sync_restrict::shared::cluster::read };
        .proxykind: Proxy = { .alias, .async };
        .space: StateSpace = { .global, .shared::cta, .shared::cluster };
        .sem: Semantics = { .acquire, .release };
        .scope: Scope = { .cta, .cluster, .gpu, .sys };
        types * =;
        constants size = 128;
        ignored .global .shared .shared::cta .shared::cluster .sync_restrict::shared::cta
            .sync_restrict::shared::cluster;
        never !.proxy & .global | .shared | .shared::cta | .shared::cluster;
        never .alias & .global | .shared | .shared::cta | .shared::cluster;
        never .async & .shared;
        never .tensormap::generic & .acquire & .global | .shared | .shared::cta | .shared::cluster |
            .sync_restrict::shared::cta | .sync_restrict::shared::cluster;
        never !.proxy & !.cluster & .sync_restrict::shared::cta | .sync_restrict::shared::cluster;
        never .sync_restrict::shared::cta & .sync_restrict::shared::cluster;
        never !.proxy & .acquire & .sync_restrict::shared::cta;
        never !.proxy | .mbarrier_init & .release & .sync_restrict::shared::cluster;
        never .sc | .acq_rel & .sync_restrict::shared::cta | .sync_restrict::shared::cluster;
        needs 7.5 for .proxy;
        needs 7.8 sm_90 for .cluster;
        needs 8.0 sm_90 for .async | .mbarrier_init;
        needs 8.3 sm_90 for .tensormap::generic;
        needs 8.6 sm_90 for .sync_restrict::shared::cluster | .sync_restrict::shared::cta;
        needs 9.3 sm_100 for .generic::fabric | .fabric::generic | .fabric::fabric;
        needs 9.4 sm_90 for .sync_restrict::shared::cluster::read;
        needs 9.4 sm_90 for proxykind.alias & .acquire | .release;
        needs 9.5 sm_90 for .sync_restrict::read;
        gone 9.1 sm_10 sm_89 for !.proxy & .acquire | .release;
    ";

    /// The old fence; `level` is a scope, and `.sc` in meaning.
    Membar = r"
        membar.level;
        membar.proxy.proxykind;
        .level: Scope = { .cta, .gl, .sys };
        .proxykind: Proxy = { .alias, .async };
        needs 7.5 for .alias;
        needs 9.1 sm_90 for .async;
    ";

    /// Reduction of the values that all devices of a multicast object hold.
    MultimemLdReduce = r"
        multimem.ld_reduce{.sem}{.scope}{.ss}.op{.acc_prec}{.vec}.type  d, [a];
        .sem: Semantics = { .weak, .relaxed, .acquire };
        .scope: Scope = { .cta, .cluster, .gpu, .sys };
        .ss: StateSpace = { .global };
        .op: AtomicOp = { .min, .max, .add, .and, .or, .xor };
        .acc_prec: AccumulatorPrecision = { .acc::f32, .acc::f16 };
        .vec: VectorSize = { .v2, .v4, .v8 };
        .type = { .b32, .b64, .u32, .u64, .s32, .s64, .f16, .f16x2, .bf16, .bf16x2, .f32, .f64, .e5m2, .e5m2x2,
                  .e5m2x4, .e4m3, .e4m3x2, .e4m3x4 };
        needs 8.1 sm_90;
        needs 8.2 sm_90 for .acc::f32;
        needs 8.6 sm_100f sm_110f sm_120a sm_121a for .acc::f16 | .e4m3 | .e4m3x4 | .e5m2x2 | .e5m2x4;
        never .cta | .cluster | .gpu | .sys & !.relaxed | .acquire;
        never .relaxed | .acquire & !.cta | .cluster | .gpu | .sys;
        never .and | .or | .xor & !.b32 | .b64;
        never .min | .max | .add & .b32 | .b64;
        never .min | .max & .f32 | .f64;
        never .add & .s64;
        never !.v2 | .v4 | .v8 & .f16 | .bf16 | .e4m3 | .e5m2 | .e4m3x2 | .e5m2x2;
        never .v2 & .e4m3 | .e5m2;
        never .v2 | .v4 | .v8 & .b32 | .b64 | .u32 | .u64 | .s32 | .s64 | .f64;
        never .v8 & .f16x2 | .bf16x2 | .f32 | .e4m3x4 | .e5m2x4;
        never .acc::f16 | .acc::f32 & !.add;
        never .acc::f32 & !.f16 | .bf16 | .f16x2 | .bf16x2;
        never .acc::f16 & !.e4m3 | .e5m2 | .e4m3x2 | .e5m2x2 | .e4m3x4 | .e5m2x4;
    ";

    /// Store to all devices of a multicast object.
    MultimemSt = r"
        multimem.st{.sem}{.scope}{.ss}{.vec}.type  [a], b;
        .sem: Semantics = { .weak, .relaxed, .release };
        .scope: Scope = { .cta, .cluster, .gpu, .sys };
        .ss: StateSpace = { .global };
        .vec: VectorSize = { .v2, .v4, .v8 };
        .type = { .b32, .b64, .u32, .u64, .s32, .s64, .f16, .f16x2, .bf16, .bf16x2, .f32, .f64, .e5m2, .e5m2x2,
                  .e5m2x4, .e4m3, .e4m3x2, .e4m3x4 };
        needs 8.1 sm_90;
        needs 8.6 sm_100f sm_110f sm_120a sm_121a for .e4m3 | .e4m3x2 | .e4m3x4 | .e5m2 | .e5m2x2 | .e5m2x4;
        never .cta | .cluster | .gpu | .sys & !.relaxed | .acquire | .release;
        never .relaxed | .acquire | .release & !.cta | .cluster | .gpu | .sys;
        never !.v2 | .v4 | .v8 & .f16 | .bf16 | .e4m3 | .e5m2 | .e4m3x2 | .e5m2x2;
        never .v2 & .e4m3 | .e5m2;
        never .v2 | .v4 | .v8 & .b32 | .b64 | .u32 | .u64 | .s32 | .s64 | .f64;
        never .v8 & .f16x2 | .bf16x2 | .f32 | .e4m3x4 | .e5m2x4;
    ";

    /// Store to all devices of a multicast object that is not waited for.
    MultimemStAsync = r"
        multimem.st.async.release@sem.scope{.ss}.type  [a], b;
        .scope: Scope = { .gpu, .sys };
        .ss: StateSpace = { .global };
        .type = { .b8, .b16, .b32, .b64, .u8, .u16, .u32, .u64, .s8, .s16, .s32, .s64, .f32, .f64 };
        needs 9.3 sm_100;
    ";

    /// Atomic change on all devices of a multicast object that is not waited for.
    MultimemRedAsync = r"
        multimem.red.async.release@sem.scope{.ss}.add@op.type  [a], b;
        .scope: Scope = { .gpu, .sys };
        .ss: StateSpace = { .global };
        .type = { .u32, .s32, .u64 };
        needs 9.3 sm_100;
    ";

    /// Atomic change on all devices of a multicast object.
    MultimemRed = r"
        multimem.red{.sem}{.scope}{.ss}.op{.vec}.type  [a], b;
        .sem: Semantics = { .relaxed, .release };
        .scope: Scope = { .cta, .cluster, .gpu, .sys };
        .ss: StateSpace = { .global };
        .op: AtomicOp = { .min, .max, .add, .and, .or, .xor };
        .vec: VectorSize = { .v2, .v4, .v8 };
        .type = { .b32, .b64, .u32, .u64, .s32, .s64, .f16, .f16x2, .bf16, .bf16x2, .f32, .f64 };
        needs 8.1 sm_90;
        never .cta | .cluster | .gpu | .sys & !.relaxed | .acquire | .release;
        never .relaxed | .acquire | .release & !.cta | .cluster | .gpu | .sys;
        never .and | .or | .xor & !.b32 | .b64;
        never .min | .max | .add & .b32 | .b64;
        never .min | .max & .f32 | .f64;
        never .add & .s64;
        never !.v2 | .v4 | .v8 & .f16 | .bf16 | .e4m3 | .e5m2 | .e4m3x2 | .e5m2x2;
        never .v2 & .e4m3 | .e5m2;
        never .v2 | .v4 | .v8 & .b32 | .b64 | .u32 | .u64 | .s32 | .s64 | .f64;
        never .v8 & .f16x2 | .bf16x2 | .f32 | .e4m3x4 | .e5m2x4;
        never .min | .max & .f16x2 | .bf16x2 & !.v2 | .v4 | .v8;
    ";
}
