//! The C library's functions, which NVIDIA's generators on the host call too: so the last bits of normal values are the same.

use std::ffi::{c_double, c_float, c_int};

mod c {
    use super::{c_double, c_float, c_int};

    #[link(name = "m")]
    unsafe extern "C" {
        pub safe fn logf(x: c_float) -> c_float;
        pub safe fn expf(x: c_float) -> c_float;
        pub safe fn log(x: c_double) -> c_double;
        pub safe fn log1p(x: c_double) -> c_double;
        pub safe fn exp(x: c_double) -> c_double;
        pub fn lgamma_r(x: c_double, sign: *mut c_int) -> c_double;
        pub fn sincosf(x: c_float, sin: *mut c_float, cos: *mut c_float);
        pub fn sincos(x: c_double, sin: *mut c_double, cos: *mut c_double);
    }
}

pub use c::{exp, expf, log, log1p, logf};

#[inline(always)]
pub fn sincosf(x: f32) -> (f32, f32) {
    let (mut sin, mut cos) = (0.0, 0.0);
    // SAFETY: both places live during the call.
    unsafe { c::sincosf(x, &mut sin, &mut cos) };
    (sin, cos)
}

#[inline(always)]
pub fn sincos(x: f64) -> (f64, f64) {
    let (mut sin, mut cos) = (0.0, 0.0);
    // SAFETY: both places live during the call.
    unsafe { c::sincos(x, &mut sin, &mut cos) };
    (sin, cos)
}

/// The logarithm of the gamma function of a positive number.
pub fn lgamma(x: f64) -> f64 {
    let mut sign = 0;
    // SAFETY: the place lives during the call.
    unsafe { c::lgamma_r(x, &mut sign) }
}
