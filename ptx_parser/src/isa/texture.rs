//! Textures and surfaces.

use super::prelude::*;

isa! {
    /// Texture look-up. `a` is the texture, `b` the sampler, `c` the coordinates. `e` is an offset
    /// vector and `f` a value to compare with; a single operand of the two is always in `e`.
    Tex = r"
        tex.geom{.vec}.dtype.ctype  d{|p}, [a, c]{, e}{, f};
        tex.geom{.vec}.dtype.ctype  d{|p}, [a, b, c]{, e}{, f};
        tex.base.geom{.vec}.dtype.ctype   d{|p}, [a, c]{, e}{, f};
        tex.base.geom{.vec}.dtype.ctype   d{|p}, [a, b, c]{, e}{, f};
        tex.level.geom{.vec}.dtype.ctype  d{|p}, [a, c], lod{, e}{, f};
        tex.level.geom{.vec}.dtype.ctype  d{|p}, [a, b, c], lod{, e}{, f};
        tex.grad.geom{.vec}.dtype.ctype   d{|p}, [a, c], dPdx, dPdy{, e}{, f};
        tex.grad.geom{.vec}.dtype.ctype   d{|p}, [a, b, c], dPdx, dPdy{, e}{, f};
        .geom: Geometry = { .1d, .2d, .3d, .a1d, .a2d, .cube, .acube, .2dms, .a2dms };
        .vec: VectorSize = { .v2, .v4 };
        .dtype = { .u32, .s32, .f16, .f32, .f16x2 };
        .ctype = { .s32, .f32 };
        types d = dtype, c dPdx dPdy lod = ctype, p = .pred, f = .f32, * =;
        needs 7.1 for p;
        never !.v2 | .v4;
        never dtype.f16x2 & .v4;
        never !dtype.f16x2 & .v2;
        never ctype.s32 & .cube | .acube;
        never .2dms | .a2dms & ctype.f32;
        never .2dms | .a2dms & .grad | .level;
        never e:vector & .cube | .acube;
        never f & .3d | .2dms | .a2dms | ctype.s32;
    ";

    /// One component of the four texels around a point.
    Tld4 = r"
        tld4.comp.geom.v4.dtype.f32@ctype  d{|p}, [a, c]{, e}{, f};
        tld4.comp.geom.v4.dtype.f32@ctype  d{|p}, [a, b, c]{, e}{, f};
        .comp: TextureComponent = { .r, .g, .b, .a };
        .geom: Geometry = { .2d, .a2d, .cube, .acube };
        .dtype = { .u32, .s32, .f32 };
        types d = dtype, c f = .f32, p = .pred, * =;
        needs 7.1 for p;
        never e:vector & .cube | .acube;
    ";

    /// An attribute of a texture or sampler.
    Txq = r"
        txq.query.b32         d, [a];
        txq.level.query.b32   d, [a], lod;
        .query: TextureQuery = { .width, .height, .depth, .channel_data_type, .channel_order, .normalized_coords,
                                 .array_size, .num_mipmap_levels, .num_samples, .force_unnormalized_coords,
                                 .filter_mode, .addr_mode_0, .addr_mode_1, .addr_mode_2 };
        types a lod = , d = .b32;
        spaces a = .global;
        never .level & !.width | .height | .depth;
    ";

    /// An attribute of a surface.
    Suq = r"
        suq.query.b32   d, [a];
        .query: TextureQuery = { .width, .height, .depth, .channel_data_type, .channel_order, .array_size,
                                 .memory_layout };
        types a = , d = .b32;
        spaces a = .global;
    ";

    /// Surface load.
    Suld = r"
        suld.b.geom{.cop}{.vec}.dtype{.mode}  d, [a, b];
        .geom: Geometry = { .1d, .2d, .3d, .a1d, .a2d };
        .cop: CacheOperator = { .ca, .cg, .cs, .cv };
        .vec: VectorSize = { .v2, .v4 };
        .dtype = { .b8, .b16, .b32, .b64 };
        .mode: SurfaceMode = { .trap, .clamp, .zero };
        types d = dtype, b = .s32, * =;
        never !.trap | .clamp | .zero;
        never .v4 & .b64;
    ";

    /// Surface store: `.b` of bits, `.p` of formatted values.
    Sust = r"
        sust.b@format.geom{.cop}{.vec}.ctype{.mode}   [a, b], c;
        sust.format.geom{.cop}{.vec}.b32@ctype{.mode} [a, b], c;
        .format: SurfaceFormat = { .p };
        .geom: Geometry = { .1d, .2d, .3d, .a1d, .a2d };
        .cop: CacheOperator = { .wb, .cg, .cs, .wt };
        .vec: VectorSize = { .v2, .v4 };
        .ctype = { .b8, .b16, .b32, .b64 };
        .mode: SurfaceMode = { .trap, .clamp, .zero };
        types c = ctype, b = .s32, * =;
        never !.trap | .clamp | .zero;
        never .v4 & .b64;
        name format;
    ";

    /// Surface reduction.
    Sured = r"
        sured.b@format.op.geom.ctype.mode  [a, b], c;
        sured.format.op.geom.ptype@ctype.mode  [a, b], c;
        .format: SurfaceFormat = { .p };
        .op: AtomicOp = { .add, .min, .max, .and, .or };
        .geom: Geometry = { .1d, .2d, .3d };
        .ctype = { .u32, .u64, .s32, .b32, .s64 };
        .ptype = { .b32, .b64 };
        .mode: SurfaceMode = { .trap, .clamp, .zero };
        types c = ctype, b = .s32, * =;
        needs 8.1 for .b64 | .s64;
        needs 8.1 for .u64 & .max | .min;
        never .and | .or & !.b32;
        never .add & .b64 | .s64;
        never .b & .b32 & .add | .min | .max;
        name format;
    ";

    /// Whether `a` is an opaque object of this kind.
    Istypep = r"
        istypep.type   p, a;
        .type = { .texref, .samplerref, .surfref };
        types p = .pred, a = .u64;
    ";
}
