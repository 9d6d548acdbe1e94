//! Arithmetic of matrix instructions: `cpu/matrix.c`.

use simt_abi::MatrixRounding;

unsafe extern "C" {
    #[link_name = "zluda.matrix.fused"]
    safe fn matrix_fused(a: u64, b: u64, c: u64, rounding: u32) -> u64;
}

/// `a * b + c` of the bits of `f64`, rounded once. The first of several NaNs goes through.
#[inline]
pub fn fused(a: u64, b: u64, c: u64, rounding: MatrixRounding) -> u64 {
    matrix_fused(a, b, c, rounding as u32)
}
