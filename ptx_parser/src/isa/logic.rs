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
}
