//! Eigenvalues of matrices that are not symmetric: geev.

use super::no_workspace;
use crate::arguments::Arguments;
use crate::convert::Out;
use crate::handle::Handle;
use crate::number::{complex_type, real_type, typed};
use cuda_types::cusolver::*;
use dense::pointer::Pointer;
use dense::{Complex, Matrix, Scalar};
use std::ffi::{c_int, c_void};
use std::sync::Arc;

/// "Only right eigenvectors are supported": arguments that both functions check.
fn check(
    arguments: &Arguments<'_>,
    (left, right): (cusolverEigMode_t, cusolverEigMode_t),
    (n, lda): (i64, i64),
    [data_type, type_w, type_vl, type_vr, compute_type]: [cudaDataType; 5],
    (ldvl, ldvr): (i64, i64),
) -> CusolverResult<(usize, bool, isize, isize)> {
    let left = arguments.vectors(2, left)?;
    arguments.check(2, !left)?;
    let right = arguments.vectors(3, right)?;
    let n = arguments.size(4, n)?;
    let lda = arguments.leading(7, lda, n)?;
    arguments.check(8, type_w == complex_type(data_type) || type_w == data_type)?;
    arguments.check(10, [type_vl, type_vr, compute_type] == [data_type; 3])?;
    arguments.leading(12, ldvl, 1)?;
    let ldvr = arguments.leading(15, ldvr, if right { n } else { 1 })?;
    Ok((n, right, lda, ldvr))
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn xgeev_buffer(
    handle: Arc<Handle>,
    _params: cusolverDnParams_t,
    left: cusolverEigMode_t,
    right: cusolverEigMode_t,
    n: i64,
    data_type: cudaDataType,
    _a: *const c_void,
    lda: i64,
    type_w: cudaDataType,
    _values: *const c_void,
    type_vl: cudaDataType,
    _vl: *const c_void,
    ldvl: i64,
    type_vr: cudaDataType,
    _vr: *const c_void,
    ldvr: i64,
    compute_type: cudaDataType,
    on_device: Out<usize>,
    on_host: Out<usize>,
) -> CusolverResult {
    let arguments = Arguments::without_info(&handle);
    let types = [data_type, type_w, type_vl, type_vr, compute_type];
    check(&arguments, (left, right), (n, lda), types, (ldvl, ldvr))?;
    typed!(data_type, _T => no_workspace(on_device, on_host))
}

/// Eigenvalues of a real matrix are complex numbers, or real parts and after them imaginary ones where the type of W is
/// real.
#[allow(clippy::too_many_arguments)]
pub(crate) fn xgeev(
    handle: Arc<Handle>,
    _params: cusolverDnParams_t,
    left: cusolverEigMode_t,
    right: cusolverEigMode_t,
    n: i64,
    data_type: cudaDataType,
    a: *mut c_void,
    lda: i64,
    type_w: cudaDataType,
    values: *mut c_void,
    type_vl: cudaDataType,
    _vl: *mut c_void,
    ldvl: i64,
    type_vr: cudaDataType,
    vr: *mut c_void,
    ldvr: i64,
    compute_type: cudaDataType,
    _on_device: *mut c_void,
    _bytes_on_device: usize,
    _on_host: *mut c_void,
    _bytes_on_host: usize,
    info: *mut c_int,
) -> CusolverResult {
    let arguments = Arguments::of(&handle, info);
    let types = [data_type, type_w, type_vl, type_vr, compute_type];
    let checked = check(&arguments, (left, right), (n, lda), types, (ldvl, ldvr))?;
    let (n, with_vectors, lda, ldvr) = checked;
    let in_parts = type_w == real_type(type_w);
    let info = Pointer::of(info.cast_const());
    typed!(data_type, T => {
        let a = Matrix::<T>::columns(a.cast_const().cast(), lda);
        let vr = Matrix::<T>::columns(vr.cast_const().cast(), ldvr);
        let whole = Pointer::<Complex<<T as Scalar>::Real>>::of(values.cast_const().cast());
        let parts = Pointer::<<T as Scalar>::Real>::of(values.cast_const().cast());
        handle.run(1, move |_| {
            // SAFETY: the program says that the memory is there; where not, the work ends as a kernel does.
            unsafe {
                let copy = a.read(n, n);
                let Some(found) = spectral::general(&copy, n, false, with_vectors) else {
                    info.set_if_wanted(n as c_int);
                    return;
                };
                for (i, value) in found.values.iter().enumerate() {
                    if in_parts {
                        parts.at(i).write_unaligned(value.re);
                        parts.at(n + i).write_unaligned(value.im);
                    } else {
                        whole.at(i).write_unaligned(*value);
                    }
                }
                if with_vectors {
                    vr.write(n, n, &found.right);
                }
                info.set_if_wanted(0);
            }
        })
    })
}
