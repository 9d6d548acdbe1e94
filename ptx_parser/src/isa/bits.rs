//! Bits and bytes within a word.

use super::prelude::*;

isa! {
    /// Number of ones.
    Popc = r"
        popc.type  d, a;
        .type = { .b32, .b64 };
        types d = .u32;
    ";

    /// Number of leading zeros.
    Clz = r"
        clz.type  d, a;
        .type = { .b32, .b64 };
        types d = .u32;
    ";

    /// Position of the highest bit that is not the sign; all ones where there is none.
    Bfind = r"
        bfind{.shiftamt}.type  d, a;
        .type = { .u32, .u64, .s32, .s64 };
        types d = .u32;
    ";

    /// Position of the `offset`th one, counted from `base`.
    Fns = r"
        fns.b32 d, mask, base, offset;
    ";

    /// Bits in reverse order.
    Brev = r"
        brev.type  d, a;
        .type = { .b32, .b64 };
    ";

    /// Extracts `c` bits of `a` from position `b`.
    Bfe = r"
        bfe.type  d, a, b, c;
        .type = { .u32, .u64, .s32, .s64 };
        types b c = .u32;
        constants b c? = 0..255;
    ";

    /// Inserts `d` bits of `a` into `b` at position `c`, and writes `f`.
    Bfi = r"
        bfi.type  f, a, b, c, d;
        .type = { .b32, .b64 };
        writes = f;
        types c d = .u32;
        constants c d? = 0..255;
    ";

    /// Extends the low `b` bits of `a`, with zeros or their sign.
    Szext = r"
        szext.mode.type  d, a, b;
        .mode: ClampMode = { .clamp, .wrap };
        .type = { .u32, .s32 };
        types b = .u32;
        needs 7.6;
    ";

    /// `b` ones from position `a`.
    Bmsk = r"
        bmsk.mode.b32  d, a, b;
        .mode: ClampMode = { .clamp, .wrap };
        types d a b = .u32;
        needs 7.6;
    ";

    /// Picks bytes of the pair `b:a`.
    Prmt = r"
        prmt.b32{.mode}  d, a, b, c;
        .mode: PrmtMode = { .f4e, .b4e, .rc8, .ecl, .ecr, .rc16 };
    ";
}
