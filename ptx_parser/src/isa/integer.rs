//! Arithmetic that has integer forms.

use super::prelude::*;

isa! {
    /// Addition.
    Add = r"
        add.type       d, a, b;
        add{.sat}.s32  d, a, b;
        .type = { .u16, .u32, .u64, .s16, .s32, .s64, .u16x2, .s16x2 };
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
    ";

    /// Multiplication. `.wide` results are twice as wide as `type_`.
    Mul = r"
        mul.mode.type  d, a, b;
        .mode: MulMode = { .hi, .lo, .wide };
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
    ";

    /// `d = a * b + c`. Floating-point forms round once, like `fma`. `.wide` makes `c` and `d` twice as
    /// wide as `type_`.
    Mad = r"
        mad.mode.type  d, a, b, c;
        mad.hi@mode.sat.s32 d, a, b, c;
        .mode: MulMode = { .hi, .lo, .wide };
        .type = { .u16, .u32, .u64, .s16, .s32, .s64 };
        ---
        mad{.rnd}{.ftz}{.sat}.f32  d, a, b, c;
        mad.rnd.f64                d, a, b, c;
        .rnd: Rounding = { .rn, .rz, .rm, .rp };
    ";
}
