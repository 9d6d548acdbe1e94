//! Eigenvalues and singular values, by the crate faer: what LAPACK's syevd, geev and gesvd compute.
//!
//! Matrices are slices, column after column without gaps. Values come in LAPACK's order: eigenvalues of Hermitian matrices
//! ascend, singular values descend. A crate of its own, because faer takes long to build and `dense` does without it.

mod number;

pub use number::Number;

use dense::{Complex, Real, Scalar};
use faer::diag::DiagMut;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::{evd, svd};
use faer::prelude::default;
use faer::{MatMut, MatRef, Par};

/// The eigenvalues of a Hermitian matrix, ascending, and its eigenvectors: columns, or nothing where they were not asked
/// for.
#[derive(Clone, Debug)]
pub struct Hermitian<T: Scalar> {
    pub values: Vec<T::Real>,
    pub vectors: Vec<T>,
}

/// The eigenvalues and eigenvectors of a Hermitian matrix of `n` rows, of which the lower triangle is read. None where they
/// are not found: numbers that are not finite.
pub fn hermitian<T: Number>(a: &[T], n: usize, with_vectors: bool) -> Option<Hermitian<T>> {
    let compute = match with_vectors {
        true => evd::ComputeEigenvectors::Yes,
        false => evd::ComputeEigenvectors::No,
    };
    let mut values = vec![T::ZERO; n];
    let mut vectors = vec![T::ZERO; if with_vectors { n * n } else { 0 }];
    let is_finite = |x: &T| x.modulus().to_f64().is_finite();
    if !(0..n).all(|j| a[j * n + j..(j + 1) * n].iter().all(is_finite)) {
        return None;
    }
    // faer counts the places beside the diagonal, of which there are none.
    if n <= 1 {
        vectors.fill(T::ONE);
        return Some(Hermitian { values: a.iter().map(|x| x.re()).collect(), vectors });
    }
    let scratch = evd::self_adjoint_evd_scratch::<T>(n, compute, Par::Seq, default());
    let u = with_vectors.then(|| MatMut::from_column_major_slice_mut(&mut vectors, n, n));
    evd::self_adjoint_evd(
        MatRef::from_column_major_slice(a, n, n),
        DiagMut::from_slice_mut(&mut values),
        u,
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(scratch)),
        default(),
    )
    .ok()?;
    Some(Hermitian { values: values.into_iter().map(Scalar::re).collect(), vectors })
}

/// Which singular vectors are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vectors {
    No,
    /// As many as there are singular values.
    Thin,
    /// As many as the matrix has rows, or columns.
    Full,
}

impl Vectors {
    fn count(self, all: usize, thin: usize) -> usize {
        match self {
            Vectors::No => 0,
            Vectors::Thin => thin,
            Vectors::Full => all,
        }
    }

    fn faer(self) -> svd::ComputeSvdVectors {
        match self {
            Vectors::No => svd::ComputeSvdVectors::No,
            Vectors::Thin => svd::ComputeSvdVectors::Thin,
            Vectors::Full => svd::ComputeSvdVectors::Full,
        }
    }
}

/// `A = U S V'`: the singular values, descending, and the columns of U and of V.
#[derive(Clone, Debug)]
pub struct Singular<T: Scalar> {
    pub values: Vec<T::Real>,
    pub u: Vec<T>,
    pub v: Vec<T>,
}

/// The singular values and vectors of a matrix of `m` rows and `n` columns. None where they are not found: numbers that are
/// not finite.
pub fn singular<T: Number>(
    a: &[T],
    (m, n): (usize, usize),
    u: Vectors,
    v: Vectors,
) -> Option<Singular<T>> {
    let thin = m.min(n);
    let (wide_u, wide_v) = (u.count(m, thin), v.count(n, thin));
    let mut values = vec![T::ZERO; thin];
    let (mut places_u, mut places_v) = (vec![T::ZERO; m * wide_u], vec![T::ZERO; n * wide_v]);
    if !a.iter().all(|x| x.modulus().to_f64().is_finite()) {
        return None;
    }
    let scratch = svd::svd_scratch::<T>(m, n, u.faer(), v.faer(), Par::Seq, default());
    let wanted = |is: Vectors| is != Vectors::No;
    svd::svd(
        MatRef::from_column_major_slice(a, m, n),
        DiagMut::from_slice_mut(&mut values),
        wanted(u).then(|| MatMut::from_column_major_slice_mut(&mut places_u, m, wide_u)),
        wanted(v).then(|| MatMut::from_column_major_slice_mut(&mut places_v, n, wide_v)),
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(scratch)),
        default(),
    )
    .ok()?;
    let values = values.into_iter().map(Scalar::re).collect();
    Some(Singular { values, u: places_u, v: places_v })
}

/// The eigenvalues of any square matrix, and its left and right eigenvectors where asked for: columns of length one. Of a
/// real matrix they are as LAPACK's geev stores them: a pair of conjugate eigenvectors is one column of real parts and one
/// of imaginary ones, the eigenvalue with the positive imaginary part first.
#[derive(Clone, Debug)]
pub struct General<T: Scalar> {
    pub values: Vec<Complex<T::Real>>,
    pub left: Vec<T>,
    pub right: Vec<T>,
}

/// The eigenvalues and eigenvectors of a matrix of `n` rows. None where they are not found: numbers that are not finite.
pub fn general<T: Number>(
    a: &[T],
    n: usize,
    with_left: bool,
    with_right: bool,
) -> Option<General<T>> {
    let place = |wanted: bool| vec![T::ZERO; if wanted { n * n } else { 0 }];
    let mut found =
        General { values: Vec::new(), left: place(with_left), right: place(with_right) };
    if n == 0 {
        return Some(found);
    }
    if !a.iter().all(|x| x.modulus().to_f64().is_finite()) {
        return None;
    }
    if n == 1 {
        found.values.push(Complex::new(a[0].re(), a[0].im()));
        found.left.fill(T::ONE);
        found.right.fill(T::ONE);
        return Some(found);
    }
    let compute = |wanted| match wanted {
        true => evd::ComputeEigenvectors::Yes,
        false => evd::ComputeEigenvectors::No,
    };
    let (left, right) = (compute(with_left), compute(with_right));
    let scratch = evd::evd_scratch::<T>(n, left, right, Par::Seq, default());
    let mut memory = MemBuffer::new(scratch);
    found.values = T::general(
        MatRef::from_column_major_slice(a, n, n),
        with_left.then(|| MatMut::from_column_major_slice_mut(&mut found.left, n, n)),
        with_right.then(|| MatMut::from_column_major_slice_mut(&mut found.right, n, n)),
        MemStack::new(&mut memory),
    )?;
    for vectors in [&mut found.left, &mut found.right] {
        normalize(vectors, n, &found.values);
    }
    Some(found)
}

/// Makes columns as long as one, with a largest element that is real; the two of a pair are the parts of one vector.
fn normalize<T: Scalar>(vectors: &mut [T], n: usize, values: &[Complex<T::Real>]) {
    let mut rest = vectors;
    let mut column = 0;
    while !rest.is_empty() {
        let is_pair = !T::IS_COMPLEX && values[column].im != T::Real::ZERO;
        let width = if is_pair && rest.len() >= 2 * n { 2 } else { 1 };
        let (vector, others) = rest.split_at_mut(width * n);
        let norm = vector.iter().fold(T::Real::ZERO, |norm, x| norm.hypot(x.modulus()));
        if norm != T::Real::ZERO {
            vector.iter_mut().for_each(|x| *x = *x / T::of(norm));
        }
        if T::IS_COMPLEX {
            let largest = largest(vector.iter().map(|x| x.modulus()));
            let phase = vector[largest].conj() / T::of(vector[largest].modulus());
            vector.iter_mut().for_each(|x| *x *= phase);
            vector[largest] = T::of(vector[largest].re());
        } else if width == 2 {
            let (re, im) = vector.split_at_mut(n);
            let sizes = re.iter().zip(&*im).map(|(x, y)| x.modulus().hypot(y.modulus()));
            let largest = largest(sizes);
            let size = re[largest].modulus().hypot(im[largest].modulus());
            let (c, s) = (re[largest] / T::of(size), im[largest] / T::of(size));
            for (x, y) in re.iter_mut().zip(&mut *im) {
                (*x, *y) = (c * *x + s * *y, c * *y - s * *x);
            }
            im[largest] = T::ZERO;
        }
        (rest, column) = (others, column + width);
    }
}

/// The place of the largest number.
fn largest<R: Real>(sizes: impl Iterator<Item = R>) -> usize {
    let larger = |best: (usize, R), next: (usize, R)| if next.1 > best.1 { next } else { best };
    sizes.enumerate().fold((0, R::ZERO), larger).0
}
