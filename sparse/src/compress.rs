//! Rows with fewer elements: those that are larger than a tolerance.

use crate::copies::copy;
use crate::number::{Type, with_scalar};
use crate::place::{Address, Indices};
use dense::{Real, Scalar};

/// The part of a tolerance that counts: of a complex number the real one.
///
/// # Safety
/// The place is memory of a number of the type.
pub unsafe fn tolerance(place: Address, ty: Type) -> f64 {
    // SAFETY: the caller says so.
    with_scalar!(ty, S => unsafe { place.get::<S>(0) }.re().to_f64()).unwrap_or(0.0)
}

/// Whether an element stays.
///
/// # Safety
/// It is memory of a number of the type.
unsafe fn stays(values: Address, at: usize, ty: Type, tolerance: f64) -> bool {
    // SAFETY: the caller says so.
    with_scalar!(ty, S => unsafe { values.get::<S>(at) }.modulus().to_f64() > tolerance)
        .unwrap_or(false)
}

/// The elements of a row that stay.
///
/// # Safety
/// The arrays are memory.
pub unsafe fn count(
    offsets: Indices,
    values: Address,
    ty: Type,
    row: usize,
    tolerance: f64,
) -> usize {
    // SAFETY: the caller says so.
    unsafe {
        let row = offsets.get(row)..offsets.get(row + 1);
        row.filter(|at| stays(values, *at, ty, tolerance)).count()
    }
}

/// Copies the elements of a row that stay, to where the other matrix's offsets say.
///
/// # Safety
/// The arrays are memory.
pub unsafe fn copy_row(
    (offsets, indices, values): (Indices, Indices, Address),
    to: (Indices, Indices, Address),
    ty: Type,
    row: usize,
    tolerance: f64,
) {
    // SAFETY: the caller says so.
    unsafe {
        let mut next = to.0.get(row);
        for at in offsets.get(row)..offsets.get(row + 1) {
            if stays(values, at, ty, tolerance) {
                to.1.set(next, indices.get(at));
                copy(values, at, to.2.at(next * ty.size()), ty);
                next += 1;
            }
        }
    }
}
