//! Functions of per-thread IR that a target may have instructions for.
//!
//! Lowering gives each a body of plain arithmetic, which is inlined: nobody has to know of them. A target that has
//! instructions takes these instead.

/// Single-precision sums and products that round in a direction: `directed.fma.rm`, with the words of PTX.
pub const DIRECTED: &str = "directed.";

/// Single-precision arithmetic that makes zeros of results below the normal numbers: `flushing.fma`, or `flushing.fma.rm` where it
/// rounds in a direction. The operands are not subnormal.
pub const FLUSHING: &str = "flushing.";

/// Single-precision arithmetic that keeps subnormal numbers in a kernel that has them flushed by the state of the processor:
/// `unflushed.fma`. Made by `spmd`; lowering makes LLVM's own of it.
pub const UNFLUSHED: &str = "unflushed.";

/// Sums of four products of bytes and an `i32`: `dot.s8.u8`, by the types of the factors.
pub const DOT: &str = "dot.";

/// Arithmetic of halves that rounds once, where single precision would round twice: `half.fma`.
pub const HALF: &str = "half.";

/// Whether a name is that of such a function.
pub fn is_one(name: &str) -> bool {
    [DIRECTED, FLUSHING, UNFLUSHED, DOT, HALF].iter().any(|family| name.starts_with(family))
}
