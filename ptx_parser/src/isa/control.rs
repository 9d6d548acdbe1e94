//! Control flow and barriers of a block.

use super::prelude::*;

isa! {
    /// Branch.
    Bra = r"
        bra{.uni}  tgt;
    ";

    /// Branch to the entry number `index` of a `.branchtargets` list.
    BrxIdx = r"
        brx.idx{.uni} index, tlist;
    ";

    /// Return from a function; in a kernel, the end of the thread.
    Ret = r"
        ret{.uni};
    ";

    /// The end of the thread.
    Exit = r"
        exit;
    ";

    /// An error that ends the grid.
    Trap = r"
        trap;
    ";

    /// Breakpoint.
    Brkpt = r"
        brkpt;
    ";

    /// Barrier of a block, aligned: all threads of a warp execute it together.
    Bar = r"
        bar{.cta}.sync@op                a{, b};
        bar{.cta}.arrive@op              a, b;
        bar{.cta}.red.popc@op.u32        d, a{, b}, {!}c;
        bar{.cta}.red.op.pred            d, a{, b}, {!}c;
        .op: BarrierOp = { .and, .or };
    ";
}
