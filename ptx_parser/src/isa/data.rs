//! Moves, loads, stores and conversions.

use super::prelude::*;

isa! {
    /// Move. `a` may be a special register, or a variable or function whose address is meant. Vectors
    /// on one side pack or unpack.
    Mov = r"
        mov{.vec}.type  d, a;
        .vec: VectorSize = { .v2, .v4 };
        .type = { .pred, .b16, .b32, .b64, .b128, .u16, .u32, .u64, .s16, .s32, .s64, .f32, .f64 };
        needs 8.3 for .b128;
    ";

    /// Load. `sem` without a word is `.weak`; without a state space the address is generic.
    Ld = r"
        ld{.weak@sem}{.ss}{.cop}{.level::cache_hint}{.level::prefetch_size}{.vec}.type  d, [a]{, cache-policy};
        ld{.weak@sem}{.ss}{.level1::eviction_priority}{.level2::eviction_priority}{.level::cache_hint}{.level::prefetch_size}{.vec}.type  d, [a]{, cache-policy};
        ld{.weak@sem}{.global@ss}{.cop}{.level::cache_hint}{.level::prefetch_size}{.vec}.type  d, [a].unified{, cache-policy};
        ld{.weak@sem}{.global@ss}{.level1::eviction_priority}{.level2::eviction_priority}{.level::cache_hint}{.level::prefetch_size}{.vec}.type  d, [a].unified{, cache-policy};
        ld.volatile@sem{.ss}{.level::prefetch_size}{.vec}.type  d, [a];
        ld.sem.scope{.ss}{.level1::eviction_priority}{.level2::eviction_priority}{.level::cache_hint}{.level::prefetch_size}{.vec}.type  d, [a]{, cache-policy};
        ld.mmio.relaxed@sem.sys@scope{.global@ss}.type  d, [a];
        ld{.global@ss}{.nc}{.vec}.type.proxy::readonly  d, [a];
        ld.global@ss{.nccop@cop}.nc{.level::cache_hint}{.level::prefetch_size}{.vec}.type  d, [a]{, cache-policy};
        ld.global@ss.nc{.level1::eviction_priority}{.level2::eviction_priority}{.level::cache_hint}{.level::prefetch_size}{.vec}.type  d, [a]{, cache-policy};
        .sem: Semantics = { .relaxed, .acquire };
        .ss: StateSpace = { .const, .global, .local, .param::entry, .param::func, .param, .shared, .shared::cta, .shared::cluster };
        .cop: CacheOperator = { .ca, .cg, .cs, .lu, .cv };
        .nccop: CacheOperator = { .ca, .cg, .cs };
        .level1::eviction_priority: L1Eviction = { .L1::evict_normal, .L1::evict_unchanged, .L1::evict_first, .L1::evict_last, .L1::no_allocate };
        .level2::eviction_priority: L2Eviction = { .L2::evict_normal, .L2::evict_first, .L2::evict_last };
        .level::cache_hint = { .L2::cache_hint };
        .level::prefetch_size: PrefetchSize = { .L2::64B, .L2::128B, .L2::256B };
        .scope: Scope = { .cta, .cluster, .gpu, .sys };
        .vec: VectorSize = { .v2, .v4, .v8 };
        .type = { .b8, .b16, .b32, .b64, .b128, .u8, .u16, .u32, .u64, .s8, .s16, .s32, .s64, .f32, .f64 };
        needs 7.4 for .L1::evict_first | .L1::evict_last | .L1::evict_normal | .L1::evict_unchanged |
            .L1::no_allocate | .L2::128B | .L2::64B;
        needs 7.8 for .shared::cta;
        needs 8.2 for .mmio;
        needs 8.3 for .b128 | .param::entry | .param::func;
        needs 7.4 sm_80 for .L2::cache_hint | .L2::256B;
        needs 7.8 sm_90 for .cluster | .shared::cluster;
        needs 8.8 sm_100 for .L2::evict_first | .L2::evict_last | .L2::evict_normal;
        needs 8.4 for .b128 & .sys;
        needs 8.8 sm_100 for .v4 & .b64 | .f64 | .s64 | .u64;
        needs 8.8 sm_100 for .v8 & .b32 | .f32 | .s32 | .u32;
        never .L2::cache_hint | .L2::64B | .L2::128B | .L2::256B | .L1::evict_normal | .L1::evict_unchanged |
            .L1::evict_first | .L1::evict_last | .L1::no_allocate | .L2::evict_normal | .L2::evict_first |
            .L2::evict_last & .const | .local | .param | .param::entry | .param::func | .shared | .shared::cta |
            .shared::cluster;
        never .L2::evict_normal | .L2::evict_first | .L2::evict_last & !.v4 | .v8;
        never .L2::evict_normal | .L2::evict_first | .L2::evict_last & .v4 & .b32 | .u32 | .s32 | .f32 | .b8 |
            .u8 | .s8 | .b16 | .u16 | .s16;
        never .L2::evict_normal | .L2::evict_first | .L2::evict_last & .b8 | .u8 | .s8 | .b16 | .u16 | .s16 |
            .b128;
        never .v8 & .b128 | .b64 | .u64 | .s64 | .f64;
        never .b128 & .v2 | .v4;
        never .v8 & .b32 | .u32 | .s32 | .f32 & .const | .local | .param | .param::entry | .param::func |
            .shared | .shared::cta | .shared::cluster;
        never .v4 & .b64 | .u64 | .s64 | .f64 & .const | .local | .param | .param::entry | .param::func |
            .shared | .shared::cta | .shared::cluster;
        needs 9.1 for .volatile & .local;
        needs 9.4 sm_90 for .proxy::readonly;
        never .proxy::readonly & .b128;
        never .nc & !.global;
        never .relaxed | .acquire & .local;
        never .volatile | .relaxed | .acquire & .const | .param | .param::entry | .param::func;
    ";

    /// Store. `sem` without a word is `.weak`; without a state space the address is generic.
    St = r"
        st{.weak@sem}{.ss}{.cop}{.level::cache_hint}{.vec}.type   [a], b{, cache-policy};
        st{.weak@sem}{.ss}{.level1::eviction_priority}{.level2::eviction_priority}{.level::cache_hint}{.vec}.type [a], b{, cache-policy};
        st.volatile@sem{.ss}{.vec}.type                           [a], b;
        st.sem.scope{.ss}{.level1::eviction_priority}{.level2::eviction_priority}{.level::cache_hint}{.vec}.type [a], b{, cache-policy};
        st.mmio.relaxed@sem.sys@scope{.global@ss}.type         [a], b;
        .ss: StateSpace = { .global, .local, .param, .param::func, .shared, .shared::cta, .shared::cluster };
        .level1::eviction_priority: L1Eviction = { .L1::evict_normal, .L1::evict_unchanged, .L1::evict_first, .L1::evict_last, .L1::no_allocate };
        .level2::eviction_priority: L2Eviction = { .L2::evict_normal, .L2::evict_first, .L2::evict_last };
        .level::cache_hint = { .L2::cache_hint };
        .cop: CacheOperator = { .wb, .cg, .cs, .wt };
        .sem: Semantics = { .relaxed, .release };
        .scope: Scope = { .cta, .cluster, .gpu, .sys };
        .vec: VectorSize = { .v2, .v4, .v8 };
        .type = { .b8, .b16, .b32, .b64, .b128, .u8, .u16, .u32, .u64, .s8, .s16, .s32, .s64, .f32, .f64 };
        needs 7.4 for .L1::evict_first | .L1::evict_last | .L1::evict_normal | .L1::evict_unchanged |
            .L1::no_allocate;
        needs 7.8 for .shared::cta;
        needs 8.2 for .mmio;
        needs 8.3 for .b128 | .param::func;
        needs 7.4 sm_80 for .L2::cache_hint;
        needs 7.8 sm_90 for .cluster | .shared::cluster;
        needs 8.8 sm_100 for .L2::evict_first | .L2::evict_last | .L2::evict_normal;
        needs 8.4 for .b128 & .mmio;
        needs 8.8 sm_100 for .v4 & .b64 | .f64 | .s64 | .u64;
        needs 8.8 sm_100 for .v8 & .b32 | .f32 | .s32 | .u32;
        never .L2::cache_hint | .L1::evict_normal | .L1::evict_unchanged | .L1::evict_first | .L1::evict_last |
            .L1::no_allocate | .L2::evict_normal | .L2::evict_first | .L2::evict_last & .local | .param |
            .param::func | .shared | .shared::cta | .shared::cluster;
        never .L2::evict_normal | .L2::evict_first | .L2::evict_last & !.v4 | .v8;
        never .L2::evict_normal | .L2::evict_first | .L2::evict_last & .v4 & .b32 | .u32 | .s32 | .f32 | .b8 |
            .u8 | .s8 | .b16 | .u16 | .s16;
        never .L2::evict_normal | .L2::evict_first | .L2::evict_last & .b8 | .u8 | .s8 | .b16 | .u16 | .s16 |
            .b128;
        never .v8 & .b128 | .b64 | .u64 | .s64 | .f64;
        never .b128 & .v2 | .v4;
        never .v8 & .b32 | .u32 | .s32 | .f32 & .local | .param | .param::func | .shared | .shared::cta |
            .shared::cluster;
        never .v4 & .b64 | .u64 | .s64 | .f64 & .local | .param | .param::func | .shared | .shared::cta |
            .shared::cluster;
        needs 9.1 for .volatile & .local;
        never .relaxed | .release & .local;
        never .volatile | .relaxed | .release & .param | .param::func;
    ";

    /// Conversion.
    Cvt = r"
        cvt{.sat}.itype@dtype.itype@atype            d, a;
        cvt.frnd{.ftz}{.sat}.ftype@dtype.itype@atype d, a;
        cvt.irnd{.ftz}{.sat}.itype@dtype.ftype@atype d, a;
        cvt{.frnd}{.ftz}{.sat}.ftype@dtype.ftype@atype d, a;
        cvt.irnd{.ftz}{.sat}.ftype@dtype.ftype@atype d, a;
        .irnd@rnd: Rounding = { .rni, .rzi, .rmi, .rpi };
        .frnd@rnd: Rounding = { .rn, .rz, .rm, .rp };
        .itype = { .u8, .u16, .u32, .u64, .s8, .s16, .s32, .s64 };
        .ftype = { .bf16, .f16, .f32, .f64 };
        ---
        cvt.rnd{.relu}{.satfinite}.f16@dtype.f32@atype       d, a;
        cvt.rnd{.relu}{.satfinite}.bf16@dtype.f32@atype      d, a;
        cvt.rnd{.relu}{.satfinite}.f16x2@dtype.f32@atype     d, a, b;
        cvt.rnd{.relu}{.satfinite}.bf16x2@dtype.f32@atype    d, a, b;
        cvt.rnd{.relu}{.satfinite}.tf32@dtype.f32@atype      d, a;
        .rnd: Rounding = { .rn, .rz };
        ---
        cvt.rna@rnd{.satfinite}.tf32@dtype.f32@atype               d, a;
        cvt.rs@rnd{.relu}{.satfinite}.f16x2@dtype.f32@atype        d, a, b, rbits;
        cvt.rs@rnd{.relu}{.satfinite}.bf16x2@dtype.f32@atype       d, a, b, rbits;
        cvt.rn@rnd.satfinite{.relu}.x2type@dtype.f32@atype         d, a, b;
        cvt.rn@rnd.satfinite{.relu}.x2type@dtype.fp16x2type@atype  d, a;
        cvt.rn@rnd{.relu}{.satfinite}.bf16x2@dtype.x2type@atype    d, a;
        cvt.rn@rnd{.relu}{.satfinite}.scaled::n2::ue8m0.bf16x2@dtype.x2type@atype  d, a, scale-factor;
        cvt.rn@rnd.satfinite{.relu}.s2f6x2@dtype.f32@atype         d, a, b;
        cvt.rn@rnd.satfinite{.relu}.scaled::n2::ue8m0.s2f6x2@dtype.f32@atype     d, a, b, scale-factor;
        cvt.rn@rnd.satfinite{.relu}.s2f6x2@dtype.bf16x2@atype      d, a;
        cvt.rn@rnd.satfinite{.relu}.scaled::n2::ue8m0.s2f6x2@dtype.bf16x2@atype  d, a, scale-factor;
        cvt.rn@rnd{.satfinite}{.relu}.bf16x2@dtype.s2f6x2@atype    d, a;
        cvt.rn@rnd{.satfinite}{.relu}.scaled::n2::ue8m0.bf16x2@dtype.s2f6x2@atype  d, a, scale-factor;
        cvt.rn@rnd{.relu}.f16x2@dtype.x2type@atype                 d, a;
        cvt.rs@rnd{.relu}.satfinite.x4type@dtype.f32@atype         d, <a>, rbits;
        cvt.rnd{.satfinite}.ue8m0x2@dtype.f32@atype                d, a, b;
        cvt.rnd{.satfinite}.ue8m0x2@dtype.bf16x2@atype             d, a;
        cvt.rn@rnd.bf16x2@dtype.ue8m0x2@atype                      d, a;
        .rnd: Rounding = { .rz, .rp };
        .fp16x2type = { .f16x2, .bf16x2 };
        .x2type = { .e4m3x2, .e5m2x2, .e2m1x2, .e2m3x2, .e3m2x2 };
        .x4type = { .e4m3x4, .e5m2x4, .e2m1x4, .e2m3x4, .e3m2x4 };
        types d = dtype, a b = atype, rbits = .b32, scale-factor = .b16;
        needs 7.8 for .satfinite;
        needs 7.0 sm_80 for .relu | dtype.bf16 | dtype.bf16x2 | dtype.f16x2 | dtype.tf32;
        needs 7.1 sm_80 for atype.bf16;
        needs 7.8 sm_89 for atype.e4m3x2 | atype.e5m2x2 | dtype.e4m3x2 | dtype.e5m2x2;
        needs 8.6 sm_100f sm_110f sm_120f for atype.e2m1x2 | atype.e2m3x2 | atype.e3m2x2 | atype.ue8m0x2 |
            dtype.e2m1x2 | dtype.e2m3x2 | dtype.e3m2x2 | dtype.ue8m0x2;
        needs 9.1 sm_100f sm_110f sm_120f for dtype.e4m3x2 | dtype.e5m2x2 & atype.bf16x2;
        needs 9.1 for dtype.e2m3x2 | dtype.e3m2x2 & atype.f16x2;
        needs 9.1 for dtype.e2m1x2 | dtype.e2m3x2 | dtype.e3m2x2 & atype.bf16x2;
        needs 9.2 sm_100f sm_110f sm_120f for dtype.bf16x2 & atype.e4m3x2 | atype.e5m2x2;
        needs 9.2 for dtype.bf16x2 & atype.e2m1x2 | atype.e2m3x2 | atype.e3m2x2;
        needs 9.1 sm_100a sm_103a sm_107a sm_110a sm_120a sm_121a for atype.s2f6x2 | dtype.s2f6x2;
        needs 8.7 sm_100a sm_103a sm_107a for .rs;
        needs 8.1 for .satfinite & dtype.f16;
        needs 8.1 sm_80 for .satfinite & dtype.bf16 | dtype.bf16x2 | dtype.f16x2 | dtype.tf32;
        needs 7.8 sm_90 for dtype.bf16 & atype.bf16 | atype.f16 | atype.f64 | atype.s16 | atype.s32 | atype.s64
            | atype.s8 | atype.u16 | atype.u32 | atype.u64 | atype.u8;
        needs 7.8 sm_90 for atype.bf16 & .ftz | .rmi | .rni | .rpi | .rzi | dtype.f16 | dtype.f64;
        needs 7.8 sm_90 for dtype.tf32 & .rn | .rz;
        needs 8.6 sm_100 for .satfinite & .rn & dtype.tf32;
        needs 8.6 sm_100 for .satfinite & .rz & dtype.tf32;
        never .sat & atype.bf16 | dtype.bf16;
        never .ftz & !atype.f32 | dtype.f32;
        never .rn | .rz | .rm | .rp & dtype.f64 & atype.f16 | atype.f32 | atype.f64;
        never .rn | .rz | .rm | .rp & dtype.f32 & atype.f16 | atype.f32;
        never .rn | .rz | .rm | .rp & dtype.f16 & atype.f16;
        never .rn | .rz | .rm | .rp & dtype.bf16 & atype.bf16;
        never .rni | .rzi | .rmi | .rpi & dtype.f16 & !atype.f16;
        never .rni | .rzi | .rmi | .rpi & dtype.bf16 & !atype.bf16;
        never .rni | .rzi | .rmi | .rpi & dtype.f32 & !atype.f32;
        never .rni | .rzi | .rmi | .rpi & dtype.f64 & !atype.f64;
        never !.rn | .rz | .rm | .rp & dtype.f16 | dtype.bf16 | dtype.f32 & atype.f64;
        never !.rn | .rz | .rm | .rp | .rna | .rs & dtype.f16 | dtype.bf16 & atype.f32;
        never .sat & dtype.s8 & atype.s8;
        never .sat & dtype.u8 & atype.u8;
        never .sat & dtype.s16 & atype.s8 | atype.u8 | atype.s16;
        never .sat & dtype.u16 & atype.u8 | atype.u16;
        never .sat & dtype.s32 & atype.s8 | atype.u8 | atype.s16 | atype.u16 | atype.s32;
        never .sat & dtype.u32 & atype.u8 | atype.u16 | atype.u32;
        never .sat & dtype.s64 & atype.s8 | atype.u8 | atype.s16 | atype.u16 | atype.s32 | atype.u32 |
            atype.s64;
        never .sat & dtype.u64 & atype.u8 | atype.u16 | atype.u32 | atype.u64;
    ";

    /// Conversion of an address to generic, or with `to` from generic to a state space.
    Cvta = r"
        name to;
        cvta{.to}.space.size  d, a;
        .space: StateSpace = { .const, .global, .local, .shared, .shared::cta, .shared::cluster, .param, .param::entry };
        .size = { .u32, .u64 };
        types d a = size;
        needs 7.7 for .param;
        needs 7.8 for .shared::cta;
        needs 8.3 for .param::entry;
        needs 7.8 sm_90 for .shared::cluster;
    ";

    /// Conversion of integers to narrower ones with saturation, packed; `c` gives the upper part.
    CvtPack = r"
        cvt.pack.sat.convertType.s32@ab_type        d, a, b;
        .convertType = { .u16, .s16 };
        ---
        cvt.pack.sat.convertType.s32@ab_type.cType  d, a, b, c;
        .convertType = { .u2, .s2, .u4, .s4, .u8, .s8 };
        .cType = { .b32 };
        types d = .b32, a b = ab_type, c = .b32;
        needs 6.5;
    ";
}
