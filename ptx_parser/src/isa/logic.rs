//! Logic, shifts and comparisons.

use super::prelude::*;

isa! {
    /// Bitwise and.
    And = r"
        and.type d, a, b;
        .type = { .pred, .b16, .b32, .b64 };
    ";

    /// Bitwise or.
    Or = r"
        or.type d, a, b;
        .type = { .pred, .b16, .b32, .b64 };
    ";

    /// Bitwise exclusive or.
    Xor = r"
        xor.type d, a, b;
        .type = { .pred, .b16, .b32, .b64 };
    ";

    /// Shift left by the 32-bit `b`, at most by the width of the type.
    Shl = r"
        shl.type d, a, b;
        .type = { .b16, .b32, .b64 };
        types b = .u32;
    ";

    /// Shift right by the 32-bit `b`, at most by the width of the type; signed types keep the sign.
    Shr = r"
        shr.type d, a, b;
        .type = { .b16, .b32, .b64, .u16, .u32, .u64, .s16, .s32, .s64 };
        types b = .u32;
    ";

    /// Comparison to predicates: `p` gets the result, `q` its opposite, each joined with `c`.
    Setp = r"
        setp.bitcmp.bits         p{|q}, a, b;
        setp.bitcmp.BoolOp.bits  p{|q}, a, b, {!}c;
        setp.icmp.signed         p{|q}, a, b;
        setp.icmp.BoolOp.signed  p{|q}, a, b, {!}c;
        setp.ucmp.unsigned         p{|q}, a, b;
        setp.ucmp.BoolOp.unsigned  p{|q}, a, b, {!}c;
        setp.fcmp{.ftz}.ftz_type         p{|q}, a, b;
        setp.fcmp.BoolOp{.ftz}.ftz_type  p{|q}, a, b, {!}c;
        setp.fcmp.float         p{|q}, a, b;
        setp.fcmp.BoolOp.float  p{|q}, a, b, {!}c;
        .bitcmp@cmp_op: Comparison = { .eq, .ne };
        .icmp@cmp_op: Comparison = { .eq, .ne, .lt, .le, .gt, .ge };
        .ucmp@cmp_op: Comparison = { .eq, .ne, .lt, .le, .gt, .ge, .lo, .ls, .hi, .hs };
        .fcmp@cmp_op: Comparison = { .eq, .ne, .lt, .le, .gt, .ge, .equ, .neu, .ltu, .leu, .gtu, .geu, .num, .nan };
        .BoolOp: BoolOp = { .and, .or, .xor };
        .bits@type_ = { .b16, .b32, .b64 };
        .signed@type_ = { .s16, .s32, .s64 };
        .unsigned@type_ = { .u16, .u32, .u64 };
        .ftz_type@type_ = { .f32, .f16, .f16x2 };
        .float@type_ = { .f64, .bf16, .bf16x2 };
        types p q c = .pred;
        needs 7.8 sm_90 for .bf16 | .bf16x2;
        never q & .f16 | .bf16;
    ";

    /// `d = c ? a : b`
    Selp = r"
        selp.type d, a, b, c;
        .type = { .b16, .b32, .b64, .u16, .u32, .u64, .s16, .s32, .s64, .f32, .f64 };
        types c = .pred;
    ";

    /// Bitwise complement.
    Not = r"
        not.type d, a;
        .type = { .pred, .b16, .b32, .b64 };
    ";

    /// 1 where `a` is 0, else 0.
    Cnot = r"
        cnot.type d, a;
        .type = { .b16, .b32, .b64 };
    ";

    /// Any function of three bits, given by its truth table `imm_lut`.
    Lop3 = r"
        lop3.b32         d, a, b, c, immLut;
        lop3.BoolOp.b32  d|p, a, b, c, immLut, q;
        .BoolOp: BoolOp = { .or, .and };
        writes = d, p;
        types q = .pred;
        needs 8.2 for .or | .and;
        constants immLut = ..;
    ";

    /// Funnel shift of the pair `b:a`.
    Shf = r"
        shf.dir.mode.b32  d, a, b, c;
        .dir: Direction = { .l, .r };
        .mode: ClampMode = { .clamp, .wrap };
        name dir;
    ";

    /// Comparison to a number: all ones or 1.0 for true.
    Set = r"
        set.bitcmp.dtype.bits         d, a, b;
        set.bitcmp.BoolOp.dtype.bits  d, a, b, {!}c;
        set.icmp.dtype.signed         d, a, b;
        set.icmp.BoolOp.dtype.signed  d, a, b, {!}c;
        set.ucmp.dtype.unsigned         d, a, b;
        set.ucmp.BoolOp.dtype.unsigned  d, a, b, {!}c;
        .dtype = { .u32, .s32, .f32, .f16, .bf16 };
        .bitcmp@cmp_op: Comparison = { .eq, .ne };
        .icmp@cmp_op: Comparison = { .eq, .ne, .lt, .le, .gt, .ge };
        .ucmp@cmp_op: Comparison = { .eq, .ne, .lt, .le, .gt, .ge, .lo, .ls, .hi, .hs };
        .fcmp@cmp_op: Comparison = { .eq, .ne, .lt, .le, .gt, .ge, .equ, .neu, .ltu, .leu, .gtu, .geu, .num, .nan };
        .BoolOp: BoolOp = { .and, .or, .xor };
        .bits@stype = { .b16, .b32, .b64 };
        .signed@stype = { .s16, .s32, .s64 };
        .unsigned@stype = { .u16, .u32, .u64 };
        ---
        set.fcmp{.ftz}.dtype.stype         d, a, b;
        set.fcmp.BoolOp{.ftz}.dtype.stype  d, a, b, {!}c;
        .dtype = { .u32, .s32, .f32, .f16 };
        .stype = { .f16, .f32 };
        ---
        set.fcmp.dtype.stype         d, a, b;
        set.fcmp.BoolOp.dtype.stype  d, a, b, {!}c;
        .dtype = { .u32, .s32, .f32, .f16, .bf16 };
        .stype = { .f16, .bf16, .f32, .f64 };
        ---
        set.fcmp{.ftz}.dtype.f16@stype         d, a, b;
        set.fcmp.BoolOp{.ftz}.dtype.f16@stype  d, a, b, {!}c;
        set.fcmp.dtype.bf16@stype              d, a, b;
        set.fcmp.BoolOp.dtype.bf16@stype       d, a, b, {!}c;
        .dtype = { .u16, .s16 };
        ---
        set.fcmp{.ftz}.dtype.f16x2@stype         d, a, b;
        set.fcmp.BoolOp{.ftz}.dtype.f16x2@stype  d, a, b, {!}c;
        .dtype = { .f16x2, .u32, .s32 };
        ---
        set.fcmp.dtype.bf16x2@stype         d, a, b;
        set.fcmp.BoolOp.dtype.bf16x2@stype  d, a, b, {!}c;
        .dtype = { .bf16x2, .u32, .s32 };
        types d = dtype, a b = stype, c = .pred;
        needs 6.5 for dtype.s16 | dtype.u16;
        needs 7.8 sm_90 for dtype.bf16 | stype.bf16 | stype.bf16x2;
        needs 6.5 for dtype.u32 & stype.f16 | stype.f16x2;
        needs 6.5 for dtype.s32 & stype.f16 | stype.f16x2;
        never dtype.f32 & stype.f16 | stype.bf16;
        never dtype.f16 & stype.bf16;
    ";

    /// `d = c >= 0 ? a : b`; `stype` is the type of `c`.
    Slct = r"
        slct.dtype.s32@stype        d, a, b, c;
        slct{.ftz}.dtype.f32@stype  d, a, b, c;
        .dtype = { .b16, .b32, .b64, .u16, .u32, .u64, .s16, .s32, .s64, .f32, .f64 };
        types d a b = dtype, c = stype;
    ";
}
