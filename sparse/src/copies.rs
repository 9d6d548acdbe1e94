//! Numbers that are copied as they are: between formats, sorted, transposed.

use crate::matrix::{Layout, Matrix};
use crate::number::Type;
use crate::place::{Address, Dense, Indices};
use crate::room::{collected, filled, touch};
use std::ops::Range;

/// Copies a number.
///
/// # Safety
/// Both places are memory of a number of this type.
#[inline(always)]
pub unsafe fn copy(from: Address, at: usize, to: *mut u8, ty: Type) {
    let size = ty.size();
    // SAFETY: the caller says so.
    unsafe { std::ptr::copy_nonoverlapping(from.at::<u8>(at * size), to, size) };
}

/// Whether a number is 0.
///
/// # Safety
/// The place is memory of a number of this type.
pub unsafe fn is_zero(place: *const u8, ty: Type) -> bool {
    let place = Address::of(place);
    // SAFETY: the caller says so. A half without its sign is 0 where its bits are.
    unsafe {
        let half = |at| place.get::<u16>(at) & 0x7fff == 0;
        match ty {
            Type::I8 => place.get::<u8>(0) == 0,
            Type::I32 => place.get::<u32>(0) == 0,
            Type::F16 | Type::BF16 => half(0),
            Type::C16 | Type::CB16 => half(0) && half(1),
            Type::F32 => place.get::<f32>(0) == 0.0,
            Type::F64 => place.get::<f64>(0) == 0.0,
            Type::C32 => place.get::<f32>(0) == 0.0 && place.get::<f32>(1) == 0.0,
            Type::C64 => place.get::<f64>(0) == 0.0 && place.get::<f64>(1) == 0.0,
        }
    }
}

/// The address of a dense matrix's element.
fn element(dense: &Dense, i: usize, j: usize) -> *mut u8 {
    let elements = i as isize * dense.row + j as isize * dense.column;
    dense.first.skip(elements, dense.ty).0
}

/// Makes some rows of a dense matrix 0.
///
/// # Safety
/// They are memory.
pub unsafe fn clear(dense: &Dense, rows: Range<usize>) {
    for i in rows {
        for j in 0..dense.columns {
            // SAFETY: the caller says so.
            unsafe { std::ptr::write_bytes(element(dense, i, j), 0, dense.ty.size()) };
        }
    }
}

/// Stores some lines of a sparse matrix in a dense one.
///
/// # Safety
/// Both are memory.
pub unsafe fn to_dense(a: &Matrix, lines: Range<usize>, dense: &Dense) {
    // SAFETY: the caller says so.
    unsafe {
        a.visit(lines, |row, column, at| {
            if row < dense.rows && column < dense.columns {
                copy(a.values, at, element(dense, row, column), a.ty);
            }
        });
    }
}

/// The elements that are not 0 of a row of a dense matrix, or of a column.
///
/// # Safety
/// It is memory.
pub unsafe fn count(dense: &Dense, line: usize, by_columns: bool) -> usize {
    let length = if by_columns { dense.rows } else { dense.columns };
    let place = |k| if by_columns { element(dense, k, line) } else { element(dense, line, k) };
    // SAFETY: the caller says so.
    (0..length).filter(|k| !unsafe { is_zero(place(*k), dense.ty) }).count()
}

/// Turns the counts that stand after the first of `lines + 1` offsets into offsets; the last of them.
///
/// # Safety
/// The offsets are memory; each but the first is a count plus the base.
pub unsafe fn sum_up(offsets: Indices, lines: usize) -> usize {
    let mut sum = 0;
    // SAFETY: the caller says so.
    unsafe {
        offsets.set(0, 0);
        for line in 1..=lines {
            sum += offsets.get(line);
            offsets.set(line, sum);
        }
    }
    sum
}

/// Fills some lines of a sparse matrix, whose offsets are there, with the elements of a dense one that are not 0.
///
/// # Safety
/// Both are memory.
pub unsafe fn from_dense(dense: &Dense, a: &Matrix, lines: Range<usize>) {
    let size = a.ty.size();
    match a.layout {
        Layout::Compressed { by_columns, offsets, indices } => {
            let length = if by_columns { dense.rows } else { dense.columns };
            for line in lines {
                // SAFETY: the caller says so.
                let mut at = unsafe { offsets.get(line) };
                for k in 0..length {
                    let (i, j) = if by_columns { (k, line) } else { (line, k) };
                    // SAFETY: the caller says so.
                    unsafe {
                        if !is_zero(element(dense, i, j), dense.ty) {
                            indices.set(at, k);
                            copy(Address(element(dense, i, j)), 0, a.values.at(at * size), a.ty);
                            at += 1;
                        }
                    }
                }
            }
        }
        Layout::Coordinates { rows, columns } => {
            let mut at = 0;
            for (i, j) in (0..dense.rows).flat_map(|i| (0..dense.columns).map(move |j| (i, j))) {
                // SAFETY: the caller says so.
                unsafe {
                    if !is_zero(element(dense, i, j), dense.ty) {
                        rows.set(at, i);
                        columns.set(at, j);
                        copy(Address(element(dense, i, j)), 0, a.values.at(at * size), a.ty);
                        at += 1;
                    }
                }
            }
        }
        // The elements that have a place: which ones these are is there.
        _ => {
            // SAFETY: the caller says so.
            unsafe {
                a.visit(lines, |row, column, at| {
                    if row < dense.rows && column < dense.columns {
                        copy(Address(element(dense, row, column)), 0, a.values.at(at * size), a.ty);
                    }
                });
            }
        }
    }
}

/// Transposes a compressed matrix: its lines become those of the other direction, in the order of the lines before. Values
/// are copied where there are any.
///
/// # Safety
/// All arrays are memory of the sizes that the matrix tells.
pub unsafe fn transpose(
    a: (Indices, Indices, Address),
    lines: usize,
    across: usize,
    to: (Indices, Indices, Address),
    ty: Option<Type>,
) {
    let (offsets, indices, values) = a;
    // SAFETY: the caller says so.
    unsafe {
        touch(offsets.place(lines));
        touch(to.0.place(across));
    }
    let mut next = filled(0, across + 1);
    // SAFETY: the caller says so.
    unsafe {
        for at in offsets.get(0)..offsets.get(lines) {
            if let Some(count) = next.get_mut(indices.get(at).wrapping_add(1)) {
                *count += 1;
            }
        }
        for line in 0..across {
            next[line + 1] += next[line];
        }
        for (line, offset) in next.iter().enumerate() {
            to.0.set(line, *offset);
        }
        for line in 0..lines {
            for at in offsets.get(line)..offsets.get(line + 1) {
                let Some(place) = next.get_mut(indices.get(at)) else { continue };
                to.1.set(*place, line);
                if let Some(ty) = ty {
                    copy(values, at, to.2.at(*place * ty.size()), ty);
                }
                *place += 1;
            }
        }
    }
}

/// Sorts elements by two indices, and a permutation with them, if there is one; equal ones keep their order.
///
/// # Safety
/// The arrays are memory of `count` indices.
pub unsafe fn sort(first: Indices, second: Indices, permutation: Option<Indices>, count: usize) {
    // SAFETY: the caller says so.
    unsafe {
        touch(first.place(count.saturating_sub(1)));
        touch(second.place(count.saturating_sub(1)));
        let mut keys = collected((0..count).map(|at| (first.get(at), second.get(at), at)));
        keys.sort_unstable();
        let old = permutation.map(|p| collected((0..count).map(|at| p.get(at))));
        for (at, (one, other, from)) in keys.into_iter().enumerate() {
            first.set(at, one);
            second.set(at, other);
            if let (Some(permutation), Some(old)) = (permutation, &old) {
                permutation.set(at, old[from]);
            }
        }
    }
}

/// Sorts some lines of a compressed matrix by their indices, and a permutation with them.
///
/// # Safety
/// The arrays are memory.
pub unsafe fn sort_lines(
    offsets: Indices,
    indices: Indices,
    permutation: Option<Indices>,
    lines: Range<usize>,
) {
    for line in lines {
        // SAFETY: the caller says so.
        unsafe {
            let own = offsets.get(line)..offsets.get(line + 1);
            let mut keys: Vec<(usize, usize)> = own
                .clone()
                .map(|at| (indices.get(at), permutation.map_or(at, |p| p.get(at))))
                .collect();
            // Equal ones keep their order.
            keys.sort_by_key(|(index, _)| *index);
            for (at, (index, number)) in own.zip(keys) {
                indices.set(at, index);
                if let Some(permutation) = permutation {
                    permutation.set(at, number);
                }
            }
        }
    }
}

/// The order in which the elements of each line are sorted by their indices: which element comes where.
///
/// # Safety
/// The arrays are memory.
pub unsafe fn sorted_order(offsets: Indices, indices: Indices, lines: usize) -> Vec<usize> {
    let mut order = Vec::new();
    for line in 0..lines {
        // SAFETY: the caller says so.
        unsafe {
            let start = order.len();
            order.extend(offsets.get(line)..offsets.get(line + 1));
            order[start..].sort_by_key(|at| indices.get(*at));
        }
    }
    order
}

/// Puts the elements of a matrix in an order, or back out of it.
///
/// # Safety
/// The arrays are memory of as many elements.
pub unsafe fn reorder(indices: Indices, values: Address, ty: Type, order: &[usize], back: bool) {
    let size = ty.size();
    // SAFETY: the caller says so, of all that follows.
    unsafe {
        let old = collected((0..order.len()).map(|at| indices.get(at)));
        let bytes = std::slice::from_raw_parts(values.at::<u8>(0), order.len() * size).to_vec();
        for (at, place) in order.iter().enumerate() {
            let (from, to) = if back { (at, *place) } else { (*place, at) };
            let (Some(index), Some(number)) =
                (old.get(from), bytes.get(from * size..(from + 1) * size))
            else {
                continue;
            };
            indices.set(to, *index);
            std::ptr::copy_nonoverlapping(number.as_ptr(), values.at::<u8>(to * size), size);
        }
    }
}
