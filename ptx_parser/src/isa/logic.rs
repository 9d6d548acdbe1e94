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
    ";

    /// Shift right by the 32-bit `b`, at most by the width of the type; signed types keep the sign.
    Shr = r"
        shr.type d, a, b;
        .type = { .b16, .b32, .b64, .u16, .u32, .u64, .s16, .s32, .s64 };
    ";

    /// Comparison to predicates: `p` gets the result, `q` its opposite, each joined with `c`.
    Setp = r"
        setp.CmpOp{.ftz}.type         p{|q}, a, b;
        setp.CmpOp.BoolOp{.ftz}.type  p{|q}, a, b, {!}c;
        .CmpOp: Comparison = { .eq, .ne, .lt, .le, .gt, .ge, .lo, .ls, .hi, .hs,
                               .equ, .neu, .ltu, .leu, .gtu, .geu, .num, .nan };
        .BoolOp: BoolOp = { .and, .or, .xor };
        .type = { .b16, .b32, .b64, .u16, .u32, .u64, .s16, .s32, .s64, .f32, .f64 };
        ---
        setp.CmpOp{.ftz}.type          p{|q}, a, b;
        setp.CmpOp.BoolOp{.ftz}.type   p{|q}, a, b, {!}c;
        .CmpOp: Comparison = { .eq, .ne, .lt, .le, .gt, .ge, .equ, .neu, .ltu, .leu, .gtu, .geu, .num, .nan };
        .BoolOp: BoolOp = { .and, .or, .xor };
        .type = { .f16, .f16x2, .bf16, .bf16x2 };
    ";

    /// `d = c ? a : b`
    Selp = r"
        selp.type d, a, b, c;
        .type = { .b16, .b32, .b64, .u16, .u32, .u64, .s16, .s32, .s64, .f32, .f64 };
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
    ";

    /// Funnel shift of the pair `b:a`.
    Shf = r"
        shf.dir.mode.b32  d, a, b, c;
        .dir: Direction = { .l, .r };
        .mode: ClampMode = { .clamp, .wrap };
    ";

    /// Comparison to a number: all ones or 1.0 for true.
    Set = r"
        set.CmpOp{.ftz}.dtype.stype         d, a, b;
        set.CmpOp.BoolOp{.ftz}.dtype.stype  d, a, b, {!}c;
        .CmpOp: Comparison = { .eq, .ne, .lt, .le, .gt, .ge, .lo, .ls, .hi, .hs,
                               .equ, .neu, .ltu, .leu, .gtu, .geu, .num, .nan };
        .BoolOp: BoolOp = { .and, .or, .xor };
        .dtype = { .u32, .s32, .f32, .f16, .bf16 };
        .stype = { .b16, .b32, .b64, .u16, .u32, .u64, .s16, .s32, .s64, .f16, .bf16, .f32, .f64 };
        ---
        set.CmpOp{.ftz}.dtype.stype         d, a, b;
        set.CmpOp.BoolOp{.ftz}.dtype.stype  d, a, b, {!}c;
        .dtype = { .u16, .s16 };
        .stype = { .f16, .bf16 };
        ---
        set.CmpOp{.ftz}.dtype.stype         d, a, b;
        set.CmpOp.BoolOp{.ftz}.dtype.stype  d, a, b, {!}c;
        .dtype = { .f16x2, .bf16x2, .u32, .s32 };
        .stype = { .f16x2, .bf16x2 };
    ";

    /// `d = c >= 0 ? a : b`; `stype` is the type of `c`.
    Slct = r"
        slct.dtype.s32@stype        d, a, b, c;
        slct{.ftz}.dtype.f32@stype  d, a, b, c;
        .dtype = { .b16, .b32, .b64, .u16, .u32, .u64, .s16, .s32, .s64, .f32, .f64 };
    ";
}
