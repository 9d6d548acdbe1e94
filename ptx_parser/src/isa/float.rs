//! Floating-point arithmetic.

use super::prelude::*;

isa! {
    /// Fused multiply-add. ptxas takes all roundings for bfloat16, of which an H100 knows `.rn`.
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
        fma.anyrnd{.relu}.bf16         d, a, b, c;
        fma.anyrnd{.relu}.bf16x2       d, a, b, c;
        fma.rnd.oob{.relu}.type     d, a, b, c;
        fma.anyrnd.oob{.relu}.bftype@type_  d, a, b, c;
        fma.rnd.oob.sat.f16         d, a, b, c;
        fma.rnd.oob.sat.f16x2       d, a, b, c;
        .rnd: Rounding = { .rn };
        .anyrnd@rnd: Rounding = { .rn, .rz, .rm, .rp };
        .type = { .f16, .f16x2 };
        .bftype = { .bf16, .bf16x2 };
        types a b = abtype or type_;
        needs 7.0 sm_80 for .bf16 | .bf16x2 | .relu;
        needs 8.1 sm_90 for .oob;
        needs 8.6 sm_100 for .f32x2;
        needs 8.6 sm_100 for .f32 & .bf16 | .f16;
    ";

    /// Reciprocal. `approx` with `.f64` is `rcp.approx.ftz.f64`.
    Rcp = r"
        rcp.approx{.ftz}.f32  d, a;
        rcp.rnd{.ftz}.f32     d, a;
        rcp.rnd{.ftz}.f64     d, a;
        rcp.approx.ftz.f64    d, a;
        rcp{.ftz}.f32         d, a;
        .rnd: Rounding = { .rn, .rz, .rm, .rp };
        gone 1.4 sm_10 for !.approx | .rn | .rz | .rm | .rp;
    ";

    /// Square root.
    Sqrt = r"
        sqrt.approx{.ftz}.f32  d, a;
        sqrt.rnd{.ftz}.f32     d, a;
        sqrt.rnd.f64           d, a;
        sqrt{.ftz}.f32         d, a;
        sqrt.f64               d, a;
        .rnd: Rounding = { .rn, .rz, .rm, .rp };
        gone 1.4 sm_10 for !.approx | .rn | .rz | .rm | .rp;
    ";

    /// Reciprocal square root, approximate.
    Rsqrt = r"
        rsqrt{.approx}{.ftz}.f32  d, a;
        rsqrt{.approx}{.ftz}.f64  d, a;
        gone 1.4 sm_10 for !.approx;
    ";

    /// Sine, approximate.
    Sin = r"
        sin{.approx}{.ftz}.f32  d, a;
        sin.approx.ftz.2pi.f32  d, a;
        needs 9.5 for .2pi;
        gone 1.4 sm_10 for !.approx;
    ";

    /// Cosine, approximate.
    Cos = r"
        cos{.approx}{.ftz}.f32  d, a;
        cos.approx.ftz.2pi.f32  d, a;
        needs 9.5 for .2pi;
        gone 1.4 sm_10 for !.approx;
    ";

    /// Base-2 logarithm, approximate.
    Lg2 = r"
        lg2{.approx}{.ftz}.f32  d, a;
        gone 1.4 sm_10 for !.approx;
    ";

    /// Power of 2, approximate.
    Ex2 = r"
        ex2{.approx}{.ftz}.f32  d, a;
        ex2.approx.type         d, a;
        ex2.approx.ftz.btype    d, a;
        .type = { .f16, .f16x2 };
        .btype@type_ = { .bf16, .bf16x2 };
        needs 7.0 for .f16 | .f16x2;
        needs 7.8 sm_90 for .bf16 | .bf16x2;
        gone 1.4 sm_10 for !.approx;
    ";

    /// Hyperbolic tangent, approximate.
    Tanh = r"
        tanh.approx.type d, a;
        .type = { .f16, .f32, .f16x2, .bf16, .bf16x2 };
        needs 7.0;
        needs 7.8 sm_90 for .bf16 | .bf16x2;
    ";

    /// `b` with the sign of `a`.
    Copysign = r"
        copysign.type  d, a, b;
        .type = { .f32, .f64 };
    ";

    /// Whether `a` is a number of this kind.
    Testp = r"
        testp{.op}.type  p, a;
        .op: TestpOp = { .finite, .infinite, .number, .notanumber, .normal, .subnormal };
        .type = { .f32, .f64 };
        types p = .pred;
    ";
}
