//! Vectors whose elements have any of several types: the functions whose names end in `Ex`.

use crate::api::level1::{self, Index, length, with_result};
use crate::api::mixed::format;
use crate::handle::Handle;
use crate::number::*;
use cuda_types::cublas::*;
use dense::matrix::Vector;
use dense::mixed::Format;
use std::ffi::c_void;
use std::sync::Arc;

const NOT_SUPPORTED: cublasError = cublasError::NOT_SUPPORTED;

/// The number that a call is about.
#[derive(Clone, Copy)]
enum Kind {
    F32,
    F64,
    C32,
    C64,
    /// Of 16 bits; the arithmetic is single precision.
    Half(Format),
}

/// The kind of a call whose vectors all have one type, and whose arithmetic is of another: the tables of the manual's chapter
/// on BLAS-like extensions. hipBLAS takes other enumerations of types, so that this machine's processor computes.
fn kind(vectors: &[cudaDataType], execution: cudaDataType) -> CublasResult<Kind> {
    use cudaDataType_t as D;
    let ty = vectors[0];
    if vectors.iter().any(|other| *other != ty) {
        return Err(NOT_SUPPORTED);
    }
    match (ty, execution) {
        (D::CUDA_R_32F, D::CUDA_R_32F) => Ok(Kind::F32),
        (D::CUDA_R_64F, D::CUDA_R_64F) => Ok(Kind::F64),
        (D::CUDA_C_32F, D::CUDA_C_32F) => Ok(Kind::C32),
        (D::CUDA_C_64F, D::CUDA_C_64F) => Ok(Kind::C64),
        (D::CUDA_R_16F | D::CUDA_R_16BF, D::CUDA_R_32F) => Ok(Kind::Half(format(ty)?)),
        _ => Err(NOT_SUPPORTED),
    }
}

/// The handle for what hipBLAS does not compute.
fn here(handle: Arc<Handle>) -> Arc<Handle> {
    handle.here("vectors of chosen types")
}

/// The type of results that are real, of vectors of a type.
fn real(ty: cudaDataType) -> cudaDataType {
    use cudaDataType_t as D;
    match ty {
        D::CUDA_C_32F => D::CUDA_R_32F,
        D::CUDA_C_64F => D::CUDA_R_64F,
        ty => ty,
    }
}

/// A vector of 16-bit elements.
#[derive(Clone, Copy)]
struct Halves {
    bits: Vector<u16>,
    format: Format,
}

impl Halves {
    fn of(first: *const c_void, n: usize, step: i64, format: Format) -> Self {
        Halves { bits: Vector::blas(first.cast(), n, step as isize), format }
    }

    /// # Safety
    /// The vector is memory that holds the element.
    unsafe fn get(self, i: usize) -> f32 {
        // SAFETY: the caller says so.
        let bits = unsafe { self.bits.get(i) };
        // SAFETY: two bytes of this thread.
        unsafe { self.format.load((&raw const bits).cast()) }
    }

    /// # Safety
    /// As for [`Self::get`].
    unsafe fn set(self, i: usize, value: f32) {
        let bits = half_bits(self.format, value);
        // SAFETY: the caller says so.
        unsafe { self.bits.set(i, bits) };
    }
}

fn half_bits(format: Format, value: f32) -> u16 {
    let mut bits = 0u16;
    // SAFETY: two bytes of this thread.
    unsafe { format.store((&raw mut bits).cast(), value) };
    bits
}

/// A factor of a call of 16-bit vectors, which is of single precision or of theirs.
#[derive(Clone, Copy)]
enum HalfFactor {
    Single(Value<f32>),
    Half(Value<u16>, Format),
}

impl HalfFactor {
    /// # Safety
    /// A pointer of the host is null or can be read.
    unsafe fn of(
        handle: &Handle,
        place: *const c_void,
        ty: cudaDataType,
        vectors: Format,
    ) -> CublasResult<Self> {
        Ok(match format(ty)? {
            // SAFETY: the caller says so.
            Format::F32 => HalfFactor::Single(unsafe { Value::of(handle, place) }?),
            // SAFETY: as above.
            ty if ty == vectors => HalfFactor::Half(unsafe { Value::of(handle, place) }?, ty),
            _ => return Err(NOT_SUPPORTED),
        })
    }

    fn get(self) -> f32 {
        match self {
            HalfFactor::Single(value) => value.get(),
            HalfFactor::Half(bits, format) => {
                let bits = bits.get();
                // SAFETY: two bytes of this thread.
                unsafe { format.load((&raw const bits).cast()) }
            }
        }
    }
}

/// Calls a function of one type of numbers for the kind of a call; the last arm is for halves.
macro_rules! by_kind {
    ($kind:expr, $number:ident => $call:expr, $format:ident => $half:expr) => {
        match $kind {
            Kind::F32 => {
                type $number = f32;
                $call
            }
            Kind::F64 => {
                type $number = f64;
                $call
            }
            Kind::C32 => {
                type $number = cuComplex;
                $call
            }
            Kind::C64 => {
                type $number = cuDoubleComplex;
                $call
            }
            Kind::Half($format) => $half,
        }
    };
}

#[allow(clippy::too_many_arguments)]
pub(crate) unsafe fn axpy(
    handle: Arc<Handle>,
    n: i64,
    alpha: *const c_void,
    type_alpha: cudaDataType,
    x: *const c_void,
    type_x: cudaDataType,
    step_x: i64,
    y: *mut c_void,
    type_y: cudaDataType,
    step_y: i64,
    execution: cudaDataType,
) -> CublasResult {
    let (handle, kind) = (here(handle), kind(&[type_x, type_y], execution)?);
    if !matches!(kind, Kind::Half(_)) && type_alpha != type_x {
        return Err(NOT_SUPPORTED);
    }
    // SAFETY: the caller passes what the API asks for.
    unsafe {
        by_kind!(
            kind,
            N => level1::axpy::<N>(handle, n, alpha.cast(), x.cast(), step_x, y.cast(), step_y),
            format => {
                let alpha = HalfFactor::of(&handle, alpha, type_alpha, format)?;
                let n = length(n);
                let (x, y) = (Halves::of(x, n, step_x, format), Halves::of(y, n, step_y, format));
                handle.run(1, move |_| {
                    let alpha = alpha.get();
                    for i in 0..n {
                        y.set(i, alpha * x.get(i) + y.get(i));
                    }
                })
            }
        )
    }
}

#[allow(clippy::too_many_arguments)]
pub(crate) unsafe fn scal(
    handle: Arc<Handle>,
    n: i64,
    alpha: *const c_void,
    type_alpha: cudaDataType,
    x: *mut c_void,
    type_x: cudaDataType,
    step: i64,
    execution: cudaDataType,
) -> CublasResult {
    let (handle, kind) = (here(handle), kind(&[type_x], execution)?);
    if !matches!(kind, Kind::Half(_)) && type_alpha != type_x {
        return Err(NOT_SUPPORTED);
    }
    // SAFETY: the caller passes what the API asks for.
    unsafe {
        by_kind!(
            kind,
            N => level1::scal::<N, N>(handle, n, alpha.cast(), x.cast(), step),
            format => {
                let alpha = HalfFactor::of(&handle, alpha, type_alpha, format)?;
                let n = if step <= 0 { 0 } else { length(n) };
                let x = Halves::of(x, n, step, format);
                handle.run(1, move |_| {
                    let alpha = alpha.get();
                    for i in 0..n {
                        x.set(i, alpha * x.get(i));
                    }
                })
            }
        )
    }
}

/// Defines the functions of dot products.
macro_rules! dots {
    ($($name:ident)*) => {$(
        #[allow(clippy::too_many_arguments)]
        pub(crate) unsafe fn $name(
            handle: Arc<Handle>,
            n: i64,
            x: *const c_void,
            type_x: cudaDataType,
            step_x: i64,
            y: *const c_void,
            type_y: cudaDataType,
            step_y: i64,
            result: *mut c_void,
            type_result: cudaDataType,
            execution: cudaDataType,
        ) -> CublasResult {
            let (handle, kind) = (here(handle), kind(&[type_x, type_y, type_result], execution)?);
            // SAFETY: the caller passes what the API asks for.
            unsafe {
                by_kind!(
                    kind,
                    N => level1::$name::<N>(
                        handle, n, x.cast(), step_x, y.cast(), step_y, result.cast(),
                    ),
                    format => {
                        let n = length(n);
                        let x = Halves::of(x, n, step_x, format);
                        let y = Halves::of(y, n, step_y, format);
                        with_result::<u16>(&handle, result.cast(), move || {
                            let products = (0..n).map(|i| f64::from(x.get(i)) * f64::from(y.get(i)));
                            // A sum of nothing, or of negative zeros, is 0: Rust's begin with -0.
                            half_bits(format, (0.0 + products.sum::<f64>()) as f32)
                        })
                    }
                )
            }
        }
    )*};
}

dots! { dot dotc }

/// Defines the functions that tell the size of a vector; of halves, by the squares' or the sizes' sum.
macro_rules! sizes {
    ($($name:ident $term:expr, $end:expr;)*) => {$(
        #[allow(clippy::too_many_arguments)]
        pub(crate) unsafe fn $name(
            handle: Arc<Handle>,
            n: i64,
            x: *const c_void,
            type_x: cudaDataType,
            step: i64,
            result: *mut c_void,
            type_result: cudaDataType,
            execution: cudaDataType,
        ) -> CublasResult {
            // The arithmetic of complex vectors is named by their components.
            if type_result != real(type_x) || real(execution) != execution {
                return Err(NOT_SUPPORTED);
            }
            let same = if type_result == type_x { execution } else { type_x };
            let (handle, kind) = (here(handle), kind(&[type_x], same)?);
            let (term, end): (fn(f64) -> f64, fn(f64) -> f64) = ($term, $end);
            // SAFETY: the caller passes what the API asks for.
            unsafe {
                by_kind!(
                    kind,
                    N => level1::$name::<N>(handle, n, x.cast(), step, result.cast()),
                    format => {
                        let n = if step <= 0 { 0 } else { length(n) };
                        let x = Halves::of(x, n, step, format);
                        with_result::<u16>(&handle, result.cast(), move || {
                            let sum: f64 = (0..n).map(|i| term(x.get(i).into())).sum();
                            half_bits(format, end(0.0 + sum) as f32)
                        })
                    }
                )
            }
        }
    )*};
}

sizes! {
    nrm2 |x| x * x, f64::sqrt;
    asum f64::abs, |sum| sum;
}

/// Defines the functions that move elements.
macro_rules! moves {
    ($($name:ident $x:ty, $with:expr;)*) => {$(
        #[allow(clippy::too_many_arguments)]
        pub(crate) unsafe fn $name(
            handle: Arc<Handle>,
            n: i64,
            x: $x,
            type_x: cudaDataType,
            step_x: i64,
            y: *mut c_void,
            type_y: cudaDataType,
            step_y: i64,
        ) -> CublasResult {
            use cudaDataType_t as D;
            let execution = match type_x {
                D::CUDA_R_16F | D::CUDA_R_16BF => D::CUDA_R_32F,
                ty => ty,
            };
            let (handle, kind) = (here(handle), kind(&[type_x, type_y], execution)?);
            // SAFETY: the caller passes what the API asks for.
            unsafe {
                by_kind!(
                    kind,
                    N => level1::$name::<N>(handle, n, x.cast(), step_x, y.cast(), step_y),
                    format => {
                        let n = length(n);
                        let x = Halves::of(x, n, step_x, format).bits;
                        let y = Halves::of(y, n, step_y, format).bits;
                        let with: fn(Vector<u16>, u16) = $with;
                        handle.run(1, move |_| {
                            for i in 0..n {
                                let at = Vector { first: x.first.wrapping_offset(i as isize * x.step), ..x };
                                let kept = x.get(i);
                                with(at, y.get(i));
                                y.set(i, kept);
                            }
                        })
                    }
                )
            }
        }
    )*};
}

moves! {
    copy *const c_void, |_, _| {};
    swap *mut c_void, |x, value| x.set(0, value);
}

/// Defines the functions that look for the greatest and smallest element.
macro_rules! extremes {
    ($($name:ident $before:expr;)*) => {$(
        pub(crate) unsafe fn $name<I: Index>(
            handle: Arc<Handle>,
            n: i64,
            x: *const c_void,
            type_x: cudaDataType,
            step: i64,
            result: *mut I,
        ) -> CublasResult {
            use cudaDataType_t as D;
            let execution = match type_x {
                D::CUDA_R_16F | D::CUDA_R_16BF => D::CUDA_R_32F,
                ty => ty,
            };
            let (handle, kind) = (here(handle), kind(&[type_x], execution)?);
            // SAFETY: the caller passes what the API asks for.
            unsafe {
                by_kind!(
                    kind,
                    N => level1::$name::<N, I>(handle, n, x.cast(), step, result),
                    format => {
                        let n = if step <= 0 { 0 } else { length(n) };
                        let x = Halves::of(x, n, step, format);
                        with_result(&handle, result, move || {
                            let before: fn(f32, f32) -> bool = $before;
                            let mut best = 0;
                            for i in 1..n {
                                if before(x.get(i).abs(), x.get(best).abs()) {
                                    best = i;
                                }
                            }
                            I::of(if n == 0 { 0 } else { best + 1 })
                        })
                    }
                )
            }
        }
    )*};
}

extremes! {
    amax |one, best| one > best;
    amin |one, best| one < best;
}

#[allow(clippy::too_many_arguments)]
pub(crate) unsafe fn rot(
    handle: Arc<Handle>,
    n: i64,
    x: *mut c_void,
    type_x: cudaDataType,
    step_x: i64,
    y: *mut c_void,
    type_y: cudaDataType,
    step_y: i64,
    c: *const c_void,
    s: *const c_void,
    type_factors: cudaDataType,
    execution: cudaDataType,
) -> CublasResult {
    use cudaDataType_t as D;
    let (handle, kind) = (here(handle), kind(&[type_x, type_y], execution)?);
    let is_real = type_factors == real(type_x);
    if !matches!(kind, Kind::Half(_)) && !is_real && type_factors != type_x {
        return Err(NOT_SUPPORTED);
    }
    /// Calls the function of one type of numbers, with factors of another.
    macro_rules! plain {
        ($number:ty, $factor:ty) => {
            level1::rot::<$number, $factor>(
                handle,
                n,
                x.cast(),
                step_x,
                y.cast(),
                step_y,
                c.cast(),
                s.cast(),
            )
        };
    }
    // SAFETY: the caller passes what the API asks for.
    unsafe {
        match (kind, type_factors) {
            (Kind::F32, _) => plain!(f32, f32),
            (Kind::F64, _) => plain!(f64, f64),
            (Kind::C32, D::CUDA_R_32F) => plain!(cuComplex, f32),
            (Kind::C32, _) => plain!(cuComplex, cuComplex),
            (Kind::C64, D::CUDA_R_64F) => plain!(cuDoubleComplex, f64),
            (Kind::C64, _) => plain!(cuDoubleComplex, cuDoubleComplex),
            (Kind::Half(format), ty) => {
                let c = HalfFactor::of(&handle, c, ty, format)?;
                let s = HalfFactor::of(&handle, s, ty, format)?;
                let n = length(n);
                let (x, y) = (Halves::of(x, n, step_x, format), Halves::of(y, n, step_y, format));
                handle.run(1, move |_| {
                    let (c, s) = (c.get(), s.get());
                    for i in 0..n {
                        let (a, b) = (x.get(i), y.get(i));
                        x.set(i, c * a + s * b);
                        y.set(i, c * b - s * a);
                    }
                })
            }
        }
    }
}
