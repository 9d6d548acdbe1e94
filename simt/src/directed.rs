//! Single-precision arithmetic that rounds in a direction, as functions of per-thread IR.
//!
//! Lowering gives each a body of arithmetic that rounds to nearest, which is inlined: nobody has to know of them. A target
//! that has instructions for them takes these instead.

/// What all their names begin with.
pub const PREFIX: &str = "directed.";

/// The name of a function: `fma` and `rm`, in the words of PTX, make `directed.fma.rm`.
pub fn name(operation: &str, direction: &str) -> String {
    format!("{PREFIX}{operation}.{direction}")
}
