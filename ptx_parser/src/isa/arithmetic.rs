//! Arithmetic on integers and floating-point numbers.

use super::prelude::*;

isa! {
    /// Addition.
    Add = r"
        add.type       d, a, b;
        add{.sat}.sat_type@type_  d, a, b;
        .type = { .u16, .u64, .s16, .s64 };
        .sat_type = { .u32, .s32, .u16x2, .s16x2, .u8x4, .s8x4 };
        ---
        add{.rnd}{.ftz}{.sat}.f32  d, a, b;
        add{.rnd}{.ftz}.f32x2      d, a, b;
        add{.rnd}.f64              d, a, b;
        add{.rnd}{.sat}.f32.atype  d, a, b;
        .rnd: Rounding = { .rn, .rz, .rm, .rp };
        .atype = { .f16, .bf16 };
        ---
        add{.rnd}{.ftz}{.sat}.f16   d, a, b;
        add{.rnd}{.ftz}{.sat}.f16x2 d, a, b;
        add{.rnd}.bf16   d, a, b;
        add{.rnd}.bf16x2 d, a, b;
        .rnd: Rounding = { .rn };
        types a = atype or type_;
        needs 7.8 sm_90 for .bf16 | .bf16x2;
        needs 8.0 sm_90 for .s16x2 | .u16x2;
        needs 9.2 sm_107f sm_120f for .u8x4 | .s8x4;
        needs 9.2 sm_107f sm_120f for .sat & .u32 | .u16x2 | .s16x2;
        needs 8.6 sm_100 for .f32x2;
        needs 8.6 sm_100 for .f32 & .bf16 | .f16;
    ";

    /// Subtraction.
    Sub = r"
        sub.type       d, a, b;
        sub{.sat}.sat_type@type_  d, a, b;
        .type = { .u16, .u32, .u64, .s16, .s64 };
        .sat_type = { .s32, .u8x4, .s8x4 };
        ---
        sub{.rnd}{.ftz}{.sat}.f32  d, a, b;
        sub{.rnd}{.ftz}.f32x2      d, a, b;
        sub{.rnd}.f64              d, a, b;
        sub{.rnd}{.sat}.f32.atype  d, a, b;
        .rnd: Rounding = { .rn, .rz, .rm, .rp };
        .atype = { .f16, .bf16 };
        ---
        sub{.rnd}{.ftz}{.sat}.f16   d, a, b;
        sub{.rnd}{.ftz}{.sat}.f16x2 d, a, b;
        sub{.rnd}.bf16   d, a, b;
        sub{.rnd}.bf16x2 d, a, b;
        .rnd: Rounding = { .rn };
        types a = atype or type_;
        needs 7.8 sm_90 for .bf16 | .bf16x2;
        needs 9.2 sm_107f sm_120f for .u8x4 | .s8x4;
        needs 8.6 sm_100 for .f32x2;
        needs 8.6 sm_100 for .f32 & .bf16 | .f16;
    ";

    /// Multiplication. `.wide` results are twice as wide as `type_`.
    Mul = r"
        mul.mode.type  d, a, b;
        mul.wide@mode.narrow@type_  d, a, b;
        .mode: MulMode = { .hi, .lo };
        .narrow = { .u16, .u32, .s16, .s32 };
        .type = { .u16, .u32, .u64, .s16, .s32, .s64 };
        ---
        mul{.rnd}{.ftz}{.sat}.f32  d, a, b;
        mul{.rnd}{.ftz}.f32x2      d, a, b;
        mul{.rnd}.f64              d, a, b;
        .rnd: Rounding = { .rn, .rz, .rm, .rp };
        ---
        mul{.rnd}{.ftz}{.sat}.f16   d, a, b;
        mul{.rnd}{.ftz}{.sat}.f16x2 d, a, b;
        mul{.rnd}.bf16   d, a, b;
        mul{.rnd}.bf16x2 d, a, b;
        .rnd: Rounding = { .rn };
        types d = wide;
        needs 7.8 sm_90 for .bf16 | .bf16x2;
        needs 8.6 sm_100 for .f32x2;
        name mode;
    ";

    /// `d = a * b + c`. Floating-point forms round once, like `fma`. `.wide` makes `c` and `d` twice as
    /// wide as `type_`.
    Mad = r"
        mad.mode.type  d, a, b, c;
        mad.wide@mode.narrow@type_  d, a, b, c;
        mad.hi@mode.sat.s32 d, a, b, c;
        .mode: MulMode = { .hi, .lo };
        .narrow = { .u16, .u32, .s16, .s32 };
        .type = { .u16, .u32, .u64, .s16, .s32, .s64 };
        ---
        mad{.rnd}{.ftz}{.sat}.f32    d, a, b, c;
        mad{.rnd}.f64                d, a, b, c;
        .rnd: Rounding = { .rn, .rz, .rm, .rp };
        types c d = wide;
        gone 3.2 sm_20 for .f32 & !.rn | .rz | .rm | .rp;
        gone 1.4 sm_10 for .f64 & !.rn | .rz | .rm | .rp;
        name mode;
    ";

    /// `d = a * b + c` of polynomials over GF(2): the low or the high half of the product, with additions without carry.
    Clmad = r"
        clmad.mode.u64 d, a, b, c;
        .mode: MulMode = { .lo, .hi };
        needs 9.3 sm_80;
        name mode;
    ";

    /// Division.
    Div = r"
        div.type  d, a, b;
        .type = { .u16, .u32, .u64, .s16, .s32, .s64 };
        ---
        div.approx{.ftz}.f32  d, a, b;
        div.full{.ftz}.f32    d, a, b;
        div.rnd{.ftz}.f32     d, a, b;
        div.rnd.f64           d, a, b;
        div{.ftz}.f32         d, a, b;
        div.f64               d, a, b;
        .rnd: Rounding = { .rn, .rz, .rm, .rp };
        gone 1.4 sm_10 for .f32 | .f64 & !.approx | .full | .rn | .rz | .rm | .rp;
    ";

    /// Remainder of a division.
    Rem = r"
        rem.type  d, a, b;
        .type = { .u16, .u32, .u64, .s16, .s32, .s64 };
    ";

    /// Absolute value.
    Abs = r"
        abs.type  d, a;
        abs{.ftz}.ftype  d, a;
        .type = { .s16, .s32, .s64, .f64, .bf16, .bf16x2 };
        .ftype@type_ = { .f32, .f16, .f16x2 };
        needs 6.5 for .f16 | .f16x2;
        needs 7.0 sm_80 for .bf16 | .bf16x2;
    ";

    /// Negation.
    Neg = r"
        neg.type  d, a;
        neg{.ftz}.ftype  d, a;
        .type = { .s16, .s32, .s64, .s8x4, .f64, .bf16, .bf16x2 };
        .ftype@type_ = { .f32, .f16, .f16x2 };
        needs 7.0 sm_80 for .bf16 | .bf16x2;
        needs 9.2 sm_107f sm_120f for .s8x4;
    ";

    /// Minimum. Without `nan` a NaN loses to a number.
    Min = r"
        min.type          d, a, b;
        min{.relu}.btype  d, a, b;
        .type = { .u16, .u32, .u64, .u16x2, .u8x4, .s16, .s64, .f64 };
        .btype@type_ = { .s16x2, .s8x4, .s32 };
        ---
        min{.ftz}{.NaN}.ftype               d, a, b;
        min{.ftz}{.NaN}.xorsign.abs.ftype   d, a, b;
        min{.NaN}.bftype                    d, a, b;
        min{.NaN}.xorsign.abs.bftype        d, a, b;
        min{.ftz}{.NaN}{.abs}.f32           d, a, b, c;
        .ftype@type_ = { .f32, .f16, .f16x2 };
        .bftype@type_ = { .bf16, .bf16x2 };
        needs 7.0 sm_80 for .NaN | .bf16 | .bf16x2 | .f16 | .f16x2;
        needs 7.2 sm_86 for .abs;
        needs 8.0 sm_90 for .relu | .s16x2 | .u16x2;
        needs 9.2 sm_107f sm_120f for .u8x4 | .s8x4;
        needs 8.8 sm_100 for c;
    ";

    /// Maximum. Without `nan` a NaN loses to a number.
    Max = r"
        max.type          d, a, b;
        max{.relu}.btype  d, a, b;
        .type = { .u16, .u32, .u64, .u16x2, .u8x4, .s16, .s64, .f64 };
        .btype@type_ = { .s16x2, .s8x4, .s32 };
        ---
        max{.ftz}{.NaN}.ftype               d, a, b;
        max{.ftz}{.NaN}.xorsign.abs.ftype   d, a, b;
        max{.NaN}.bftype                    d, a, b;
        max{.NaN}.xorsign.abs.bftype        d, a, b;
        max{.ftz}{.NaN}{.abs}.f32           d, a, b, c;
        .ftype@type_ = { .f32, .f16, .f16x2 };
        .bftype@type_ = { .bf16, .bf16x2 };
        needs 7.0 sm_80 for .NaN | .bf16 | .bf16x2 | .f16 | .f16x2;
        needs 7.2 sm_86 for .abs;
        needs 8.0 sm_90 for .relu | .s16x2 | .u16x2;
        needs 9.2 sm_107f sm_120f for .u8x4 | .s8x4;
        needs 8.8 sm_100 for c;
    ";

    /// `d = c + |a - b|`
    Sad = r"
        sad.type  d, a, b, c;
        .type = { .u16, .u32, .u64, .s16, .s32, .s64 };
    ";

    /// Product of 24-bit integers: its 32 low bits, or bits 47 to 16.
    Mul24 = r"
        mul24.mode.type  d, a, b;
        .mode: MulMode = { .hi, .lo };
        .type = { .u32, .s32 };
        name mode;
    ";

    /// `mul24` and an addition.
    Mad24 = r"
        mad24.mode.type  d, a, b, c;
        mad24.hi@mode.sat.s32 d, a, b, c;
        .mode: MulMode = { .hi, .lo };
        .type = { .u32, .s32 };
        name mode;
    ";

    /// Addition that writes the carry flag.
    AddCc = r"
        add.cc.type  d, a, b;
        .type = { .u32, .s32, .u64, .s64 };
    ";

    /// Addition of the carry flag too; with `cc` it writes the flag.
    Addc = r"
        addc{.cc}.type  d, a, b;
        .type = { .u32, .s32, .u64, .s64 };
    ";

    /// Subtraction that writes the borrow flag.
    SubCc = r"
        sub.cc.type  d, a, b;
        .type = { .u32, .s32, .u64, .s64 };
    ";

    /// Subtraction of the borrow flag too; with `cc` it writes the flag.
    Subc = r"
        subc{.cc}.type  d, a, b;
        .type = { .u32, .s32, .u64, .s64 };
    ";

    /// `mad` that writes the carry flag.
    MadCc = r"
        mad.hilo.cc.type  d, a, b, c;
        .hilo: MulMode = { .hi, .lo };
        .type = { .u32, .s32, .u64, .s64 };
        name hilo;
    ";

    /// `mad` that adds the carry flag too; with `cc` it writes the flag.
    Madc = r"
        madc.hilo{.cc}.type  d, a, b, c;
        .hilo: MulMode = { .hi, .lo };
        .type = { .u32, .s32, .u64, .s64 };
        name hilo;
    ";

    /// Four products of bytes, and `c`.
    Dp4a = r"
        dp4a.atype.btype  d, a, b, c;
        .atype = .btype = { .u32, .s32 };
        types a = atype, b = btype, c d = .u32;
    ";

    /// Two products of 16 bits by 8, and `c`.
    Dp2a = r"
        dp2a.mode.atype.btype  d, a, b, c;
        .mode: MulMode = { .lo, .hi };
        .atype = .btype = { .u32, .s32 };
        types a = atype, b = btype, c d = .u32;
        name mode;
    ";
}
