//! Video instructions: arithmetic on bytes and halves of words.

use super::prelude::*;

isa! {
    /// Arithmetic on selected bytes or halves; a second operation or a merge takes `c`, which else means
    /// nothing.
    Vadd, Vsub, Vabsdiff, Vmin, Vmax = r"
        opcode.dtype.atype.btype{.sat}       d, a{.asel}, b{.bsel}{, c};
        opcode.dtype.atype.btype{.sat}.op2   d, a{.asel}, b{.bsel}, c;
        opcode.dtype.atype.btype{.sat}  d.dsel, a{.asel}, b{.bsel}, c;
        .dtype = .atype = .btype = { .u32, .s32 };
        .dsel = .asel = .bsel: Selector = { .b0, .b1, .b2, .b3, .h0, .h1 };
        .op2: AtomicOp = { .add, .min, .max };
        types d c = .u32, a = atype, b = btype;
    ";

    /// Shifts of selected bytes or halves.
    Vshl, Vshr = r"
        opcode.dtype.atype.u32@btype{.sat}.mode       d, a{.asel}, b{.bsel}{, c};
        opcode.dtype.atype.u32@btype{.sat}.mode.op2   d, a{.asel}, b{.bsel}, c;
        opcode.dtype.atype.u32@btype{.sat}.mode  d.dsel, a{.asel}, b{.bsel}, c;
        .dtype = .atype = { .u32, .s32 };
        .mode: ClampMode = { .clamp, .wrap };
        .dsel = .asel = .bsel: Selector = { .b0, .b1, .b2, .b3, .h0, .h1 };
        .op2: AtomicOp = { .add, .min, .max };
        types d c = .u32, a = atype, b = btype;
    ";

    /// Product of selected bytes or halves, and `c`, shifted right; `po` adds one more.
    Vmad = r"
        vmad.dtype.atype.btype{.sat}{.scale}     d, {-}a{.asel}, {-}b{.bsel}, {-}c;
        vmad.dtype.atype.btype.po{.sat}{.scale}  d, a{.asel}, b{.bsel}, c;
        .dtype = .atype = .btype = { .u32, .s32 };
        .asel = .bsel: Selector = { .b0, .b1, .b2, .b3, .h0, .h1 };
        .scale: VideoScale = { .shr7, .shr15 };
        types d c = .u32, a = atype, b = btype;
    ";

    /// Comparison of selected bytes or halves.
    Vset = r"
        vset.atype.btype.cmp       d, a{.asel}, b{.bsel}{, c};
        vset.atype.btype.cmp.op2   d, a{.asel}, b{.bsel}, c;
        vset.atype.btype.cmp  d.dsel, a{.asel}, b{.bsel}, c;
        .atype = .btype = { .u32, .s32 };
        .cmp: Comparison = { .eq, .ne, .lt, .le, .gt, .ge };
        .dsel = .asel = .bsel: Selector = { .b0, .b1, .b2, .b3, .h0, .h1 };
        .op2: AtomicOp = { .add, .min, .max };
        types d c = .u32, a = atype, b = btype;
    ";

    /// Arithmetic on both halves of words. A selector names a half for the high and the low lane, of the
    /// four halves of `a` and `b`; `a` is read as `.h10` and `b` as `.h32` where there is none.
    Vadd2, Vsub2, Vavrg2, Vabsdiff2, Vmin2, Vmax2 = r"
        opcode.dtype.atype.btype{.sat}  d{.mask}, a{.asel}, b{.bsel}, c;
        opcode.dtype.atype.btype.add    d{.mask}, a{.asel}, b{.bsel}, c;
        .dtype = .atype = .btype = { .u32, .s32 };
        .mask: HalfMask = { .h0, .h1, .h10 };
        .asel = .bsel: HalfSelector = { .h[0..3/1][0..3/1] };
        types d c = .u32, a = atype, b = btype;
    ";

    /// Comparison of both halves of words, like `vadd2`.
    Vset2 = r"
        vset2.atype.btype.cmp       d{.mask}, a{.asel}, b{.bsel}, c;
        vset2.atype.btype.cmp.add   d{.mask}, a{.asel}, b{.bsel}, c;
        .atype = .btype = { .u32, .s32 };
        .cmp: Comparison = { .eq, .ne, .lt, .le, .gt, .ge };
        .mask: HalfMask = { .h0, .h1, .h10 };
        .asel = .bsel: HalfSelector = { .h[0..3/1][0..3/1] };
        types d c = .u32, a = atype, b = btype;
    ";

    /// Arithmetic on the bytes of words. A selector names a byte for each lane, of the eight bytes of `a`
    /// and `b`; `a` is read as `.b3210` and `b` as `.b7654` where there is none.
    Vadd4, Vsub4, Vavrg4, Vabsdiff4, Vmin4, Vmax4 = r"
        opcode.dtype.atype.btype{.sat}  d{.mask}, a{.asel}, b{.bsel}, c;
        opcode.dtype.atype.btype.add    d{.mask}, a{.asel}, b{.bsel}, c;
        .dtype = .atype = .btype = { .u32, .s32 };
        .mask: ByteMask = { .b0, .b1, .b10, .b2, .b20, .b21, .b210, .b3, .b30, .b31, .b310, .b32, .b320, .b321, .b3210 };
        .asel = .bsel: ByteSelector = { * };
        types d c = .u32, a = atype, b = btype;
    ";

    /// Comparison of the bytes of words, like `vadd4`.
    Vset4 = r"
        vset4.atype.btype.cmp       d{.mask}, a{.asel}, b{.bsel}, c;
        vset4.atype.btype.cmp.add   d{.mask}, a{.asel}, b{.bsel}, c;
        .atype = .btype = { .u32, .s32 };
        .cmp: Comparison = { .eq, .ne, .lt, .le, .gt, .ge };
        .mask: ByteMask = { .b0, .b1, .b10, .b2, .b20, .b21, .b210, .b3, .b30, .b31, .b310, .b32, .b320, .b321, .b3210 };
        .asel = .bsel: ByteSelector = { * };
        types d c = .u32, a = atype, b = btype;
    ";
}
