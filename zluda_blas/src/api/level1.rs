//! Vectors.

use crate::handle::Handle;
use crate::number::*;
use cuda_types::cublas::*;
use dense::matrix::Vector;
use dense::{Real, Scalar, vector as arithmetic};
use parking_lot::Mutex;
use std::ffi::c_int;
use std::sync::Arc;

/// Elements of a part where each is changed by itself.
const PART: usize = 1 << 15;

/// Puts work on vectors that changes each element by itself into the stream.
fn by_element<T: Scalar>(
    handle: &Handle,
    n: usize,
    (x, y): (Vector<T>, Vector<T>),
    run: impl Fn(usize, Vector<T>, Vector<T>) + Send + Sync + 'static,
) -> CublasResult {
    // Elements that lie at one place are changed one after the other.
    let size = if x.step == 0 || y.step == 0 { n.max(1) } else { PART };
    handle.run(n.div_ceil(size), move |part| {
        let from = part * size;
        let at = |v: Vector<T>| Vector {
            first: v.first.wrapping_offset(from as isize * v.step),
            step: v.step,
        };
        run(size.min(n - from), at(x), at(y));
    })
}

/// A length; none for those that are not positive, which are no mistake here.
pub(crate) fn length(n: i64) -> usize {
    usize::try_from(n).unwrap_or(0)
}

/// Puts work into the stream that has a result, and waits for it where the result is for the host.
pub(crate) fn with_result<T: Copy + Send + 'static>(
    handle: &Handle,
    result: *mut T,
    run: impl Fn() -> T + Send + Sync + 'static,
) -> CublasResult {
    check(!result.is_null())?;
    if handle.rocm().is_some() {
        return Ok(());
    }
    if handle.on_device() {
        let place = Pointer::of(result);
        // SAFETY: the program says that it can be written; where not, the work ends as a kernel does.
        return handle.run(1, move |_| unsafe { place.set(run()) });
    }
    let (told, kept) = (Arc::new(Mutex::new(None)), run);
    let tell = told.clone();
    handle.run(1, move |_| *tell.lock() = Some(kept()))?;
    handle.wait()?;
    let value = told.lock().take().ok_or(cublasError::EXECUTION_FAILED)?;
    // SAFETY: the caller passes what the API asks for.
    unsafe { result.write_unaligned(value) };
    Ok(())
}

/// A place from 1, as results of two widths tell it.
pub(crate) trait Index: Copy + Send + 'static {
    fn of(place: usize) -> Self;
}

impl Index for c_int {
    fn of(place: usize) -> Self {
        place as c_int
    }
}

impl Index for i64 {
    fn of(place: usize) -> Self {
        place as i64
    }
}

pub(crate) unsafe fn axpy<N: Number>(
    handle: Arc<Handle>,
    n: i64,
    alpha: *const N,
    x: *const N,
    step_x: i64,
    y: *mut N,
    step_y: i64,
) -> CublasResult {
    let n = length(n);
    // SAFETY: the caller passes what the API asks for.
    let alpha = unsafe { Value::<N::Own>::of(&handle, alpha) }?;
    let vectors = (vector(x, n, step_x), vector(y, n, step_y));
    // SAFETY: the program says that the vectors are there; where not, the work ends as a kernel does.
    by_element(&handle, n, vectors, move |n, x, y| unsafe {
        arithmetic::axpy(n, alpha.get(), x, y)
    })
}

/// `F` is the number's own type, or that of its components.
pub(crate) unsafe fn scal<F: Number, N: Number>(
    handle: Arc<Handle>,
    n: i64,
    alpha: *const F,
    x: *mut N,
    step: i64,
) -> CublasResult
where
    N::Own: From<F::Own>,
{
    // SAFETY: the caller passes what the API asks for.
    let alpha = unsafe { Value::<F::Own>::of(&handle, alpha) }?;
    if step <= 0 {
        return Ok(());
    }
    let n = length(n);
    let x = vector(x, n, step);
    by_element(&handle, n, (x, x), move |n, x, _| {
        // SAFETY: as for axpy.
        unsafe { arithmetic::scale(n, N::Own::from(alpha.get()), x) };
    })
}

pub(crate) unsafe fn copy<N: Number>(
    handle: Arc<Handle>,
    n: i64,
    x: *const N,
    step_x: i64,
    y: *mut N,
    step_y: i64,
) -> CublasResult {
    let n = length(n);
    let vectors = (vector(x, n, step_x), vector(y, n, step_y));
    // SAFETY: as for axpy.
    by_element(&handle, n, vectors, |n, x, y| unsafe { arithmetic::copy(n, x, y) })
}

pub(crate) unsafe fn swap<N: Number>(
    handle: Arc<Handle>,
    n: i64,
    x: *mut N,
    step_x: i64,
    y: *mut N,
    step_y: i64,
) -> CublasResult {
    let n = length(n);
    let vectors = (vector(x, n, step_x), vector(y, n, step_y));
    // SAFETY: as for axpy.
    by_element(&handle, n, vectors, |n, x, y| unsafe { arithmetic::swap(n, x, y) })
}

/// Defines the functions of dot products.
macro_rules! dots {
    ($($name:ident $conj:literal)*) => {$(
        pub(crate) unsafe fn $name<N: Number>(
            handle: Arc<Handle>,
            n: i64,
            x: *const N,
            step_x: i64,
            y: *const N,
            step_y: i64,
            result: *mut N,
        ) -> CublasResult {
            let n = length(n);
            let (x, y) = (vector(x, n, step_x), vector(y, n, step_y));
            // SAFETY: as for axpy.
            with_result(&handle, result.cast(), move || unsafe { arithmetic::dot(n, x, y, $conj) })
        }
    )*};
}

dots! { dot false dotc true }

pub(crate) unsafe fn nrm2<N: Number>(
    handle: Arc<Handle>,
    n: i64,
    x: *const N,
    step: i64,
    result: *mut RealOf<N>,
) -> CublasResult {
    let n = if step <= 0 { 0 } else { length(n) };
    let x = vector(x, n, step);
    // SAFETY: as for axpy.
    with_result(&handle, result, move || unsafe { arithmetic::norm(n, x) })
}

pub(crate) unsafe fn asum<N: Number>(
    handle: Arc<Handle>,
    n: i64,
    x: *const N,
    step: i64,
    result: *mut RealOf<N>,
) -> CublasResult {
    let n = if step <= 0 { 0 } else { length(n) };
    let x = vector(x, n, step);
    // SAFETY: as for axpy.
    with_result(&handle, result, move || unsafe { arithmetic::asum(n, x) })
}

/// Defines the functions that look for the greatest and smallest element.
macro_rules! extremes {
    ($($name:ident $greatest:literal)*) => {$(
        pub(crate) unsafe fn $name<N: Number, I: Index>(
            handle: Arc<Handle>,
            n: i64,
            x: *const N,
            step: i64,
            result: *mut I,
        ) -> CublasResult {
            let n = if step <= 0 { 0 } else { length(n) };
            let x = vector(x, n, step);
            with_result(&handle, result, move || {
                // SAFETY: as for axpy.
                I::of(unsafe { arithmetic::extreme(n, x, $greatest) })
            })
        }
    )*};
}

extremes! { amax true amin false }

/// `S` is the number's own type, or that of its components.
#[allow(clippy::too_many_arguments)]
pub(crate) unsafe fn rot<N: Number, S: Number>(
    handle: Arc<Handle>,
    n: i64,
    x: *mut N,
    step_x: i64,
    y: *mut N,
    step_y: i64,
    c: *const RealOf<N>,
    s: *const S,
) -> CublasResult
where
    N::Own: From<S::Own>,
{
    let n = length(n);
    // SAFETY: the caller passes what the API asks for.
    let (c, s) = unsafe { (Value::<RealOf<N>>::of(&handle, c)?, Value::<S::Own>::of(&handle, s)?) };
    let vectors = (vector(x, n, step_x), vector(y, n, step_y));
    by_element(&handle, n, vectors, move |n, x, y| {
        // SAFETY: as for axpy.
        unsafe { arithmetic::rotate(n, x, y, c.get(), N::Own::from(s.get())) };
    })
}

/// Runs work on single numbers: at once where they lie on the host.
fn on_numbers(handle: &Handle, run: impl Fn() + Send + Sync + 'static) -> CublasResult {
    if handle.on_device() {
        return handle.run(1, move |_| run());
    }
    run();
    Ok(())
}

pub(crate) unsafe fn rotg<N: Number>(
    handle: Arc<Handle>,
    a: *mut N,
    b: *mut N,
    c: *mut RealOf<N>,
    s: *mut N,
) -> CublasResult {
    check(!a.is_null() && !b.is_null() && !c.is_null() && !s.is_null())?;
    let (a, b, c, s) = (
        Pointer::<N::Own>::of(a.cast()),
        Pointer::<N::Own>::of(b.cast()),
        Pointer::of(c),
        Pointer::<N::Own>::of(s.cast()),
    );
    // SAFETY: as for axpy; on the host, the caller passes what the API asks for.
    on_numbers(&handle, move || unsafe {
        let x = a.get();
        let (r, z, cosine, sine) = arithmetic::rotation(x, b.get());
        a.set(r);
        if !N::Own::IS_COMPLEX {
            b.set(z);
        }
        c.set(cosine);
        s.set(sine);
    })
}

pub(crate) unsafe fn rotm<N: Number>(
    handle: Arc<Handle>,
    n: i64,
    x: *mut N,
    step_x: i64,
    y: *mut N,
    step_y: i64,
    param: *const N,
) -> CublasResult
where
    N::Own: Real,
{
    let n = length(n);
    // SAFETY: the caller passes what the API asks for.
    let param = unsafe { Value::<[N::Own; 5]>::of(&handle, param) }?;
    let vectors = (vector(x, n, step_x), vector(y, n, step_y));
    by_element(&handle, n, vectors, move |n, x, y| {
        // SAFETY: as for axpy.
        unsafe { arithmetic::rotate_modified(n, x, y, param.get()) };
    })
}

pub(crate) unsafe fn rotmg<N: Number>(
    handle: Arc<Handle>,
    d1: *mut N,
    d2: *mut N,
    x1: *mut N,
    y1: *const N,
    param: *mut N,
) -> CublasResult
where
    N::Own: Real,
{
    check([d1, d2, x1, param, y1.cast_mut()].iter().all(|place| !place.is_null()))?;
    let [d1, d2, x1, y1] = [d1, d2, x1, y1.cast_mut()].map(|p| Pointer::<N::Own>::of(p.cast()));
    let param = Pointer::<N::Own>::of(param.cast());
    // SAFETY: as for rotg.
    on_numbers(&handle, move || unsafe {
        let (new1, new2, x, values) =
            arithmetic::modified_rotation(d1.get(), d2.get(), x1.get(), y1.get());
        d1.set(new1);
        d2.set(new2);
        x1.set(x);
        // Numbers that the flag says nothing of stay as they are.
        let flag = values[0];
        let told: &[usize] = match flag {
            flag if flag == -N::Own::ONE => &[1, 2, 3, 4],
            flag if flag == N::Own::ZERO => &[2, 3],
            flag if flag == N::Own::ONE => &[1, 4],
            _ => &[],
        };
        param.set(flag);
        for place in told {
            param.at(*place).write_unaligned(values[*place]);
        }
    })
}
