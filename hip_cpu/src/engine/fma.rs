//! a * b + c, rounded once. Rust's `mul_add` calls the C library where the processor's instruction is not known to be there, and
//! mingw's rounds twice.

#[inline(always)]
pub fn fma(a: f64, b: f64, c: f64) -> f64 {
    #[cfg(all(windows, target_env = "gnu"))]
    return libm::fma(a, b, c);
    #[cfg(not(all(windows, target_env = "gnu")))]
    return a.mul_add(b, c);
}

#[inline(always)]
pub fn fmaf(a: f32, b: f32, c: f32) -> f32 {
    #[cfg(all(windows, target_env = "gnu"))]
    return libm::fmaf(a, b, c);
    #[cfg(not(all(windows, target_env = "gnu")))]
    return a.mul_add(b, c);
}
