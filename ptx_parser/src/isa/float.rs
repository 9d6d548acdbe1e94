//! Floating-point arithmetic.

use super::prelude::*;

isa! {
    /// Fused multiply-add.
    Fma = r"
        fma.rnd{.ftz}{.sat}.f32  d, a, b, c;
        fma.rnd{.ftz}.f32x2      d, a, b, c;
        fma.rnd.f64              d, a, b, c;
        fma.rnd{.sat}.f32.abtype  d, a, b, c;
        .rnd: Rounding = { .rn, .rz, .rm, .rp };
        .abtype = { .f16, .bf16 };
        ---
        fma.rnd{.ftz}{.sat}.f16     d, a, b, c;
        fma.rnd{.ftz}{.sat}.f16x2   d, a, b, c;
        fma.rnd{.ftz}.relu.f16      d, a, b, c;
        fma.rnd{.ftz}.relu.f16x2    d, a, b, c;
        fma.rnd{.relu}.bf16         d, a, b, c;
        fma.rnd{.relu}.bf16x2       d, a, b, c;
        fma.rnd.oob{.relu}.type     d, a, b, c;
        .rnd: Rounding = { .rn };
        .type = { .f16, .f16x2, .bf16, .bf16x2 };
    ";
}
